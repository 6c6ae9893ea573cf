//! The options of `nddb eval`.

use std::path::PathBuf;

use clap::ValueEnum;
use nddb::archive::IdFrom;
use nddb::sketch::Recipe;
use nddb_evaluate::eval::Half;

use crate::commands::load::id_from;
use crate::parameters::Parameters;
use crate::text_options::TextOptions;

/// Compare methods on labelled documents
///
/// Loads the documents into a temporary database, runs each method with its own candidates over all of them, and scores
/// the pairs that it returns. Pairs without a label count neither as correct nor as incorrect; --review writes some of
/// them to a file for labelling.
///
/// A pair of the default method counts as found if it is near, and the level standard removes either of its documents
/// when the other one is kept. `--methods model:level=none` asks for near alone, b:level=strict for another decision.
///
/// The label file is TSV. The first line names the columns: id1, id2, label (1 or correct, 0 or incorrect, g, u or
/// undecided), and optionally kind. A pair with two labels is an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb eval --docs docs.jsonl.zst --pairs pairs.tsv
  nddb eval --docs docs.jsonl.zst --pairs pairs.tsv --methods hamming:k=0..7,c:c=352..380/4 --half 1
  nddb eval --docs docs.jsonl.zst --pairs pairs.tsv --report eval.html")]
pub(crate) struct Args {
    /// The documents: any input of nddb load, for instance JSON lines with id, url, html or text
    #[arg(long, value_name = "FILE")]
    pub(super) docs: PathBuf,
    /// The labels
    #[arg(long, value_name = "FILE")]
    pub(super) pairs: PathBuf,
    /// Where ids of WARC, WET and ARC documents come from: record, url, path or row, as with 'nddb load --id'
    #[arg(long, value_parser = id_from(), default_value_t, value_name = "FROM", hide_possible_values = true)]
    pub(super) id: IdFrom,
    /// Which methods, with which parameters: all, or b,hamming:k=0..7,combined:b=3+c=360
    #[arg(long, value_name = "LIST", default_value = "all")]
    pub(super) methods: String,
    /// Score one half of the labels; sites joined by a label are in the same half
    #[arg(long, value_enum, default_value_t, value_name = "HALF")]
    pub(super) half: EvalHalf,
    /// How sketches are computed from pages: one recipe, or several separated by commas, such as main,web-2grams,main-c
    #[arg(long, default_value = Recipe::BASES[0], value_name = "LIST", value_delimiter = ',')]
    pub(super) recipe: Vec<String>,
    /// For each setting, write up to 200 pairs without a label to this file, for labelling
    #[arg(long, value_name = "FILE")]
    pub(super) review: Option<PathBuf>,
    /// Write a page with plots to this file: methods, and the default verdict by its probability
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Seed of the bootstrap and of the pairs for review
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) parameters: Parameters,
    // This field is the last one, because later options would appear under its heading.
    #[command(flatten)]
    pub(super) texts: TextOptions,
}

/// The half of the labelled pairs that is scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalHalf {
    /// The half for choosing methods and thresholds
    #[value(name = "1")]
    One,
    /// The half for reporting results
    #[value(name = "2")]
    Two,
    /// All labelled pairs
    #[default]
    All,
}

impl EvalHalf {
    pub(super) fn half(self) -> Option<Half> {
        match self {
            EvalHalf::One => Some(Half::One),
            EvalHalf::Two => Some(Half::Two),
            EvalHalf::All => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            EvalHalf::One => "1",
            EvalHalf::Two => "2",
            EvalHalf::All => "all",
        }
    }
}
