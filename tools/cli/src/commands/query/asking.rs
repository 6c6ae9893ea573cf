//! Execution of queries on many threads, with answers printed in the order of the queries.

use nddb::{Federation, Stored, View, Work};
use nddb_dedup::in_order;

use super::passage_rows::{PairInParts, PassageRows};
use super::queries::Query;
use crate::failure::Result;
use crate::output::Output;

/// Number of pieces in memory at a time if the number of queries is not known.
const PIECES_HELD: usize = 16;

/// A way to answer queries.
pub(super) trait Answering: Sync {
    /// Number of queries in one piece of work for a thread.
    const PIECE: usize;

    /// Answers queries with a line for each.
    fn answer(&self, queries: &[Query]) -> Result<Answers>;
}

/// The answers to a piece of queries.
#[derive(Default)]
pub(super) struct Answers {
    pub(super) lines: Vec<u8>,
    /// Pairs that become rows of a table, instead of lines.
    pub(super) pairs: Vec<PairInParts>,
    pub(super) matches: u64,
    /// Ids of the documents with a match, if they are wanted.
    pub(super) matched: Vec<String>,
    pub(super) work: Work,
    pub(super) nanoseconds: Vec<u64>,
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

/// Where answers go.
pub(in crate::commands) enum Answered {
    Lines(Output),
    Passages(PassageRows),
    /// They are collected by who answers.
    Nowhere,
}

impl From<Output> for Answered {
    fn from(output: Output) -> Self {
        Self::Lines(output)
    }
}

impl Answered {
    fn take(&mut self, answers: &Answers) -> Result<()> {
        match self {
            Self::Lines(output) => output.write(&answers.lines),
            Self::Passages(rows) => Ok(answers.pairs.iter().try_for_each(|pair| rows.pair(pair))?),
            Self::Nowhere => Ok(()),
        }
    }
}

/// A run of queries: the way to answer, the output, and the sum so far.
pub(super) struct Asking<'a, A> {
    answering: &'a A,
    threads: usize,
    output: Answered,
    queries: usize,
    /// The sum of all answers without their lines, which are printed.
    sum: Answers,
}

impl<'a, A: Answering> Asking<'a, A> {
    /// Makes a run that writes its answers to `output`.
    pub(super) fn new(answering: &'a A, threads: usize, output: impl Into<Answered>) -> Self {
        Self { answering, threads, output: output.into(), queries: 0, sum: Answers::default() }
    }

    /// Answers queries on all threads, and prints the answers in the order of the queries.
    pub(super) fn ask(&mut self, queries: &[Query]) -> Result<()> {
        self.queries += queries.len();
        let mut pieces = queries.chunks(A::PIECE);
        let threads = self.threads.min(queries.len().div_ceil(A::PIECE));
        let Self { answering, output, sum, .. } = self;
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
                output.take(&answers)
            },
        )
    }

    /// Queries the databases with each of their own documents.
    pub(super) fn ask_all(&mut self, federation: &Federation<'_>) -> Result<()> {
        for (part, &view) in federation.parts().iter().enumerate() {
            self.ask_each(view, |stored| Query::Stored(part, Box::new(stored)))?;
        }
        Ok(())
    }

    /// Queries the databases with each document of another database.
    pub(super) fn ask_outside(&mut self, view: View<'_>) -> Result<()> {
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

    /// Completes the output; returns the number of queries and the sum of the answers.
    pub(super) fn finish(self) -> Result<(usize, Answers)> {
        self.finish_after(Ok(()))
    }

    /// Completes the output if the work succeeded; returns its error, or that of writing.
    pub(super) fn finish_after(self, outcome: Result<()>) -> Result<(usize, Answers)> {
        match self.output {
            Answered::Lines(output) => outcome.and_then(|()| output.finish())?,
            Answered::Passages(rows) => rows.finish(outcome)?,
            Answered::Nowhere => outcome?,
        }
        Ok((self.queries, self.sum))
    }
}
