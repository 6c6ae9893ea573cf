//! Asking queries: one at a time, many together, or on many threads, and their answers as lines.

use std::io::Write;
use std::time::Instant;

use nddb::{Fingerprint, Stored, View, Within, Work};

use super::Ids;
use crate::failure::Result;
use crate::output::Output;
use crate::{json, parallel};

/// A query.
#[derive(Clone, Copy)]
pub(super) enum Query {
    Near(Fingerprint),
    /// A page or document of fewer than two tokens, which is never matched by fingerprint.
    Unprinted(Fingerprint),
    /// An id that is not stored.
    Missing,
}

impl Query {
    pub(super) fn of(stored: &Stored) -> Self {
        if stored.unprinted { Self::Unprinted(stored.fingerprint) } else { Self::Near(stored.fingerprint) }
    }
}

/// The answer for an id that is not stored.
const MISSING: &[u8] = b"{\"fp\":null,\"count\":0,\"matches\":[],\"error\":\"no such document\"}\n";
const MEMORY: &str = "memory is writable";

/// Queries whose probes are in flight together.
const TOGETHER: usize = 32;
/// Queries of one piece of work for a thread.
const PIECE: usize = 1024;
/// Queries that are held at a time where the number of all is not known.
const HELD: usize = 64 * PIECE;

/// How queries are asked.
pub(super) struct Asking<'a> {
    pub(super) view: View<'a>,
    pub(super) within: Within,
    pub(super) limit: Option<usize>,
    pub(super) ids: Ids,
    pub(super) one_by_one: bool,
    pub(super) threads: usize,
}

/// The answers to a piece of the queries.
#[derive(Default)]
pub(super) struct Answers {
    pub(super) lines: Vec<u8>,
    pub(super) matches: u64,
    pub(super) work: Work,
    pub(super) nanoseconds: Vec<u64>,
}

/// What has been answered so far.
pub(super) struct Asked {
    pub(super) output: Output,
    pub(super) queries: usize,
    pub(super) sum: Answers,
}

impl Asking<'_> {
    /// Asks queries on all threads, and prints the answers in their order.
    pub(super) fn ask(&self, queries: &[Query], asked: &mut Asked) -> Result<()> {
        asked.queries += queries.len();
        let mut pieces = queries.chunks(PIECE);
        let threads = self.threads.min(queries.len().div_ceil(PIECE));
        parallel::in_order(
            threads,
            || pieces.next(),
            |piece| self.answer(piece),
            |answers: Result<Answers>| {
                let mut answers = answers?;
                let (sum, work) = (&mut asked.sum, answers.work);
                sum.matches += answers.matches;
                sum.work.probes += work.probes;
                sum.work.blocks += work.blocks;
                sum.work.entries += work.entries;
                sum.nanoseconds.append(&mut answers.nanoseconds);
                asked.output.write(&answers.lines)
            },
        )
    }

    /// Asks for everything near each stored document.
    pub(super) fn ask_all(&self, asked: &mut Asked) -> Result<()> {
        let mut held = Vec::with_capacity(HELD);
        let mut failed = None;
        self.view.each(&mut |stored| {
            held.push(Query::of(&stored));
            if held.len() == HELD {
                failed = self.ask(&held, asked).err();
                held.clear();
            }
            Ok(failed.is_none())
        })?;
        match failed {
            Some(failure) => Err(failure),
            None => self.ask(&held, asked),
        }
    }

    /// Answers queries one after the other, or many together.
    fn answer(&self, queries: &[Query]) -> Result<Answers> {
        let mut answers = Answers::default();
        let mut near = Vec::with_capacity(TOGETHER);
        let together = if self.one_by_one { 1 } else { TOGETHER };
        for query in queries {
            match *query {
                Query::Near(fingerprint) => {
                    near.push(fingerprint);
                    if near.len() == together {
                        self.find(&mut near, &mut answers)?;
                    }
                    continue;
                }
                Query::Unprinted(fingerprint) => {
                    self.find(&mut near, &mut answers)?;
                    writeln!(answers.lines, "{{\"fp\":\"{fingerprint}\",\"count\":0,\"matches\":[]}}").expect(MEMORY);
                }
                Query::Missing => {
                    self.find(&mut near, &mut answers)?;
                    answers.lines.extend_from_slice(MISSING);
                }
            }
        }
        self.find(&mut near, &mut answers)?;
        Ok(answers)
    }

    /// Asks for all of `near` in one call, and empties it.
    fn find(&self, near: &mut Vec<Fingerprint>, answers: &mut Answers) -> Result<()> {
        if near.is_empty() {
            return Ok(());
        }
        let began = self.one_by_one.then(Instant::now);
        match self.ids {
            Ids::All => {
                let found = self.view.find(near, self.within, self.limit, &mut answers.work)?;
                self.took(began, answers);
                for answer in &found {
                    answers.matches += answer.count;
                    json::answer(&mut answers.lines, answer);
                }
            }
            Ids::None => {
                let found = self.view.probe(near, self.within, self.limit, &mut answers.work)?;
                self.took(began, answers);
                for (query, matches) in near.iter().zip(&found) {
                    answers.matches += matches.count;
                    json::matches(&mut answers.lines, *query, matches);
                }
            }
        }
        near.clear();
        Ok(())
    }

    fn took(&self, began: Option<Instant>, answers: &mut Answers) {
        if let Some(began) = began {
            answers.nanoseconds.push(began.elapsed().as_nanos() as u64);
        }
    }
}
