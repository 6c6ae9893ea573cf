//! Where the answers of queries go, and the options of passages in common.

use nddb::PassageLimits;
use nddb_jobs::answers::{Answers, PassageOptions, PassageRows, PassageTexts};

use crate::failure::{Failure, Result};
use crate::output::Output;

/// Lines, or the rows of passages.
pub(crate) enum Answered {
    Lines(Output),
    Passages(PassageRows),
}

impl From<Output> for Answered {
    fn from(output: Output) -> Self {
        Self::Lines(output)
    }
}

impl Answered {
    /// Takes the answers to a piece of queries.
    pub(crate) fn take(&mut self, answers: &Answers) -> nddb::Result<()> {
        match self {
            Self::Lines(output) => output.emit(&answers.lines),
            Self::Passages(rows) => answers.pairs.iter().try_for_each(|pair| rows.pair(pair)),
        }
    }

    /// Completes the output if the work succeeded; returns its outcome, or the error of writing.
    pub(crate) fn finish_after<T>(self, outcome: nddb_jobs::Result<T>) -> Result<T> {
        let outcome = outcome.map_err(Failure::from);
        match self {
            Self::Lines(output) => output.finish_after(outcome),
            Self::Passages(rows) => rows.finish(outcome),
        }
    }
}

/// The options of a search for passages in common.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct PassageArgs {
    /// Find passages in common instead of near-duplicates: also a short text in a long one, and with a few words
    /// changed
    ///
    /// Databases must be made with 'nddb create --parts'. A passage is a chain of runs of five words that both
    /// documents have in the same order; up to eight words may be inserted or removed between two of them. Case,
    /// punctuation and spacing do not count. Runs in more than 20 different texts extend a passage and begin none.
    #[arg(long)]
    pub(crate) parts: bool,
    /// With --parts: passages of at least N words in common; a shorter document must be in common whole
    ///
    /// A database made with --parts=M keeps only some runs of texts of 200 words or more. There the ends of a passage
    /// may be up to M - 1 words further out, and a passage of N words, but at least 8 + 2 M, is always found, unless
    /// all of its runs are in more than 20 texts.
    #[arg(long, value_name = "N", requires = "parts", default_value_t = PassageLimits::default().min_words)]
    min_words: u32,
    /// With --parts: only documents of which this share is in common with the other, 0 to 1
    #[arg(long, value_name = "SHARE", requires = "parts", default_value_t = 0.0)]
    min_containment: f64,
}

impl PassageArgs {
    /// Refuses options that say how near-duplicates are found, and a share that is none.
    pub(crate) fn refuse(&self, judging: Option<&str>, given: &[(bool, &'static str)]) -> Result<()> {
        let given = given.iter().find(|(given, _)| *given).map(|(_, name)| *name);
        match judging.or(given) {
            None if !(0.0..=1.0).contains(&self.min_containment) => {
                Err(Failure::usage(format!("--min-containment {} is not a share from 0 to 1", self.min_containment)))
            }
            Some(name) => Err(Failure::usage(format!("--parts compares passages: it cannot be combined with {name}"))),
            None => Ok(()),
        }
    }

    /// Returns the options for the library.
    pub(crate) fn options(&self, reading: PassageTexts) -> PassageOptions {
        PassageOptions { min_words: self.min_words, min_containment: self.min_containment, reading }
    }
}
