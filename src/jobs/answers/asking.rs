//! Execution of queries on many threads, with answers passed on in the order of the queries.

use nddb_dedup::in_order;
use nddb_index::{Error, Federation, Stored, View, Work};

use super::Query;
use super::passage_rows::PairInParts;
use crate::error::Result;

/// Number of pieces in memory at a time if the number of queries is not known.
const PIECES_HELD: usize = 16;

/// A way to answer queries.
pub trait Answering: Sync {
    /// Number of queries in one piece of work for a thread.
    const PIECE: usize;

    /// Answers queries with a line for each.
    ///
    /// # Errors
    /// Errors of the databases.
    fn answer(&self, queries: &[Query]) -> Result<Answers>;
}

/// The answers to a piece of queries.
#[derive(Default)]
pub struct Answers {
    /// Lines of JSON.
    pub lines: Vec<u8>,
    /// Pairs that become rows of a table, instead of lines.
    pub pairs: Vec<PairInParts>,
    /// Number of matches.
    pub matches: u64,
    /// Ids of the documents with a match, if they are wanted.
    pub matched: Vec<String>,
    /// The work of queries by distance, if it is counted.
    pub work: Work,
    /// The time of each query, if it is measured.
    pub nanoseconds: Vec<u64>,
}

impl Answers {
    /// Answers queries by `line`, which appends a line without its end and returns the number of matches. With
    /// `only_matched`, queries without a match get no line, and ids of documents with one are collected.
    pub(super) fn in_lines(
        queries: &[Query],
        only_matched: bool,
        line: impl Fn(&Query, &mut Vec<u8>) -> Result<u64>,
    ) -> Result<Self> {
        let mut answers = Self::default();
        for query in queries {
            let begin = answers.lines.len();
            let matches = line(query, &mut answers.lines)?;
            answers.matches += matches;
            match query {
                _ if !only_matched => {}
                _ if matches == 0 => {
                    answers.lines.truncate(begin);
                    continue;
                }
                Query::Outside(stored) => answers.matched.push(stored.record.id.clone()),
                _ => {}
            }
            answers.lines.push(b'\n');
        }
        Ok(answers)
    }
}

/// A run of queries: the way to answer, who takes the answers, and the sum so far.
pub struct Asking<'a, A> {
    answering: &'a A,
    threads: usize,
    stop: &'a (dyn Fn() -> bool + Sync),
    emit: &'a mut dyn FnMut(&Answers) -> nddb_index::Result<()>,
    queries: u64,
    /// The sum of all answers without what was passed on.
    sum: Answers,
}

impl<'a, A: Answering> Asking<'a, A> {
    /// Makes a run on this many threads that passes its answers on to `emit`, a piece at a time, until `stop` returns
    /// `true`.
    pub fn new(
        answering: &'a A,
        threads: usize,
        stop: &'a (dyn Fn() -> bool + Sync),
        emit: &'a mut dyn FnMut(&Answers) -> nddb_index::Result<()>,
    ) -> Self {
        Self { answering, threads, stop, emit, queries: 0, sum: Answers::default() }
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Answers queries, in their order.
    ///
    /// # Errors
    /// Errors of the databases, and of the output; [`Error::Cancelled`].
    pub fn ask(&mut self, queries: &[Query]) -> Result<()> {
        self.queries += queries.len() as u64;
        let mut pieces = queries.chunks(A::PIECE);
        let threads = self.threads.min(queries.len().div_ceil(A::PIECE));
        let Self { answering, stop, emit, sum, .. } = self;
        in_order(
            threads,
            || pieces.next(),
            |piece| answering.answer(piece),
            |answers: Result<Answers>| {
                let mut answers = answers?;
                sum.matches += answers.matches;
                sum.matched.append(&mut answers.matched);
                sum.work += answers.work;
                sum.nanoseconds.append(&mut answers.nanoseconds);
                if stop() { Err(Error::Cancelled.into()) } else { Ok(emit(&answers)?) }
            },
        )
    }

    /// Queries the databases with each of their own documents.
    ///
    /// # Errors
    /// As [`Asking::ask`].
    pub fn ask_all(&mut self, federation: &Federation<'_>) -> Result<()> {
        for (part, &view) in federation.parts().iter().enumerate() {
            self.ask_each(view, |stored| Query::Stored(part, Box::new(stored)))?;
        }
        Ok(())
    }

    /// Queries the databases with each document of another database.
    ///
    /// # Errors
    /// As [`Asking::ask`].
    pub fn ask_outside(&mut self, view: View<'_>) -> Result<()> {
        self.ask_each(view, |stored| Query::Outside(Box::new(stored)))
    }

    fn ask_each(&mut self, view: View<'_>, query: impl Fn(Stored) -> Query) -> Result<()> {
        let most = PIECES_HELD * A::PIECE;
        let mut held = Vec::with_capacity(most);
        let mut failed = None;
        view.each(&mut |stored: Stored| {
            held.push(query(stored));
            if held.len() == most {
                failed = self.ask(&held).err();
                held.clear();
            }
            Ok(failed.is_none())
        })?;
        match failed {
            Some(failure) => Err(failure),
            None => self.ask(&held),
        }
    }

    /// Returns the number of queries, and the sum of the answers without their lines and pairs.
    pub fn done(self) -> (u64, Answers) {
        (self.queries, self.sum)
    }
}
