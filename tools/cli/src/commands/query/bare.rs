//! Queries for all fingerprints within k bits, and their answers as lines.

use std::time::Instant;

use clap::ValueEnum;
use nddb::{Fingerprint, PartedAnswer, Search, Within, Work};
use nddb_jobs::Result;
use nddb_jobs::answers::{Answering, Answers, NamedFederation, Query};
use nddb_jobs::fields::{self, WriteMatch};

/// The answer for an id that is not stored.
const MISSING: &[u8] = b"{\"fp\":null,\"count\":0,\"matches\":[],\"error\":\"no such document\"}\n";
/// The answer for a document of fewer than two tokens.
const UNPRINTED: &[u8] = b"{\"fp\":null,\"count\":0,\"matches\":[]}\n";

/// Number of queries whose probes run together.
const TOGETHER: usize = 32;

/// Whether answers have ids instead of document numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum AnswerIds {
    /// Ids, addresses and sites
    #[default]
    All,
    /// Document numbers alone
    None,
}

/// How fingerprints are looked up.
pub(super) struct Bare<'a> {
    pub(super) parts: &'a NamedFederation<'a>,
    pub(super) within: Within,
    /// Maximum number of matches.
    pub(super) limit: Option<usize>,
    /// Number of nearest documents, if not all within the distance are wanted.
    pub(super) nearest: Option<usize>,
    pub(super) ids: AnswerIds,
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
            match query.fingerprint(self.parts.federation.settings().bits) {
                Some((fingerprint, false)) => {
                    near.push((fingerprint, query.own()));
                    if near.len() == together {
                        self.find(&mut near, &mut answers)?;
                    }
                }
                // A document of fewer than two tokens is never matched by fingerprint.
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

/// A queried fingerprint; if the query is a stored document, also its database and number.
type Asked = (Fingerprint, Option<(usize, u64)>);

impl Bare<'_> {
    /// Queries all of `near` in one call, and empties `near`.
    fn find(&self, near: &mut Vec<Asked>, answers: &mut Answers) -> Result<()> {
        if near.is_empty() {
            return Ok(());
        }
        let prints: Vec<Fingerprint> = near.iter().map(|(fingerprint, _)| *fingerprint).collect();
        // A stored document is one of its own matches, and is omitted.
        let own = usize::from(near.iter().any(|(_, own)| own.is_some()));
        let limit = self.limit.map(|limit| limit.saturating_add(own));
        let began = self.one_by_one.then(Instant::now);
        if let Some(nearest) = self.nearest {
            for &(fingerprint, own) in &*near {
                let began = self.one_by_one.then(Instant::now);
                let n = nearest.saturating_add(usize::from(own.is_some()));
                let matches = self.parts.federation.nearest(fingerprint, n, self.search(&mut answers.work))?;
                self.took(began, answers);
                let answer = PartedAnswer { fingerprint, count: matches.len() as u64, matches };
                self.tell(answer, own, |one| (one.distance, one.number), answers);
            }
            near.clear();
            return Ok(());
        }
        match self.ids {
            AnswerIds::All => {
                let found = self.parts.federation.find(&prints, self.search(&mut answers.work).limit(limit))?;
                self.took(began, answers);
                for (answer, (_, own)) in found.into_iter().zip(&*near) {
                    self.tell(answer, *own, |one| (one.distance, one.number), answers);
                }
            }
            AnswerIds::None => {
                let found = self.parts.federation.probe(&prints, self.search(&mut answers.work).limit(limit))?;
                self.took(began, answers);
                for (answer, (_, own)) in found.into_iter().zip(&*near) {
                    self.tell(answer, *own, |one| (one.distance, one.number), answers);
                }
            }
        }
        near.clear();
        Ok(())
    }

    fn search<'s>(&self, work: &'s mut Work) -> Search<'s> {
        Search::within(self.within).count(work)
    }

    /// Writes an answer without the document itself. Above the limit, the farthest and then the newest matches are
    /// omitted.
    fn tell<T: WriteMatch>(
        &self,
        mut answer: PartedAnswer<T>,
        own: Option<(usize, u64)>,
        key: impl Fn(&T) -> (u32, u64),
        answers: &mut Answers,
    ) {
        let matches = &mut answer.matches;
        if let Some(own) = own {
            answer.count -= 1;
            matches.retain(|(part, one)| (*part, key(one).1) != own);
        }
        let age = |(part, one): &(usize, T)| {
            let (distance, number) = key(one);
            (distance, *part, number)
        };
        while self.limit.is_some_and(|limit| matches.len() > limit)
            && let Some(last) = (0..matches.len()).max_by_key(|&index| age(&matches[index]))
        {
            matches.remove(last);
        }
        answers.matches += answer.count;
        fields::answer(&mut answers.lines, &answer, &self.parts.names);
    }

    fn took(&self, began: Option<Instant>, answers: &mut Answers) {
        if let Some(began) = began {
            answers.nanoseconds.push(began.elapsed().as_nanos() as u64);
        }
    }
}
