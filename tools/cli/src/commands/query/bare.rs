//! Queries for all fingerprints within k bits, and their answers as lines.

use std::time::Instant;

use clap::ValueEnum;
use nddb::{Fingerprint, View, Within};

use super::asking::{Answering, Answers};
use super::queries::Query;
use crate::failure::Result;
use crate::json;

/// The answer for an id that is not stored.
const MISSING: &[u8] = b"{\"fp\":null,\"count\":0,\"matches\":[],\"error\":\"no such document\"}\n";
/// The answer for a document of fewer than two tokens.
const UNPRINTED: &[u8] = b"{\"fp\":null,\"count\":0,\"matches\":[]}\n";

/// Queries whose probes are in flight together.
const TOGETHER: usize = 32;

/// Whether document numbers become ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Ids {
    /// Ids, addresses and sites
    #[default]
    All,
    /// Document numbers alone
    None,
}

/// How fingerprints are looked up.
pub(super) struct Bare<'a> {
    pub(super) view: View<'a>,
    pub(super) within: Within,
    pub(super) limit: Option<usize>,
    pub(super) ids: Ids,
    pub(super) one_by_one: bool,
}

impl Answering for Bare<'_> {
    const PIECE: usize = 1024;

    /// Answers queries one after the other, or many together.
    fn answer(&self, queries: &[Query]) -> Result<Answers> {
        let mut answers = Answers::default();
        let mut near: Vec<Asked> = Vec::with_capacity(TOGETHER);
        let together = if self.one_by_one { 1 } else { TOGETHER };
        for query in queries {
            match query.fingerprint(self.view.settings().bits) {
                Some((fingerprint, false)) => {
                    near.push((fingerprint, query.own_number()));
                    if near.len() == together {
                        self.find(&mut near, &mut answers)?;
                    }
                }
                // Of fewer than two tokens: it is never matched by fingerprint.
                Some((_, true)) => {
                    self.find(&mut near, &mut answers)?;
                    answers.lines.extend_from_slice(UNPRINTED);
                }
                None => {
                    self.find(&mut near, &mut answers)?;
                    answers.lines.extend_from_slice(MISSING);
                }
            }
        }
        self.find(&mut near, &mut answers)?;
        Ok(answers)
    }
}

/// A fingerprint that is asked for, and the number of the stored document that has it, where one is asked for.
type Asked = (Fingerprint, Option<u64>);

impl Bare<'_> {
    /// Asks for all of `near` in one call, and empties it.
    fn find(&self, near: &mut Vec<Asked>, answers: &mut Answers) -> Result<()> {
        if near.is_empty() {
            return Ok(());
        }
        let prints: Vec<Fingerprint> = near.iter().map(|(fingerprint, _)| *fingerprint).collect();
        // A document is among what is found for it, and left out.
        let own = usize::from(near.iter().any(|(_, own)| own.is_some()));
        let limit = self.limit.map(|limit| limit.saturating_add(own));
        let began = self.one_by_one.then(Instant::now);
        match self.ids {
            Ids::All => {
                let found = self.view.find(&prints, self.within, limit, &mut answers.work)?;
                self.took(began, answers);
                for (mut answer, (_, own)) in found.into_iter().zip(&*near) {
                    self.leave_out(*own, &mut answer.count, &mut answer.matches, |one| (one.distance, one.number));
                    answers.matches += answer.count;
                    json::answer(&mut answers.lines, &answer);
                }
            }
            Ids::None => {
                let found = self.view.probe(&prints, self.within, limit, &mut answers.work)?;
                self.took(began, answers);
                for (mut matches, (query, own)) in found.into_iter().zip(&*near) {
                    self.leave_out(*own, &mut matches.count, &mut matches.matches, |one| (one.distance, one.number));
                    answers.matches += matches.count;
                    json::matches(&mut answers.lines, *query, &matches);
                }
            }
        }
        near.clear();
        Ok(())
    }

    /// Leaves the document itself out of what was found for it, and of more than the limit the farthest and newest.
    fn leave_out<T>(&self, own: Option<u64>, count: &mut u64, matches: &mut Vec<T>, key: impl Fn(&T) -> (u32, u64)) {
        if let Some(own) = own {
            *count -= 1;
            matches.retain(|one| key(one).1 != own);
        }
        while self.limit.is_some_and(|limit| matches.len() > limit)
            && let Some(last) = (0..matches.len()).max_by_key(|&index| key(&matches[index]))
        {
            matches.remove(last);
        }
    }

    fn took(&self, began: Option<Instant>, answers: &mut Answers) {
        if let Some(began) = began {
            answers.nanoseconds.push(began.elapsed().as_nanos() as u64);
        }
    }
}
