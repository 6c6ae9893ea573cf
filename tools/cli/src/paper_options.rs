//! Constants of the methods that compare texts, as the papers name them: options of `nddb-lab` alone.

use std::num::{NonZeroU64, NonZeroUsize};

use clap::ValueEnum;
use nddb::compare::lcs::Denominator;
use nddb::detect::{Method, PairOptions};

use crate::failure::{Failure, Result};
use crate::quantity;
use crate::text_options::{TextOptions, refuse_unused};

/// Constants of the papers that compare texts; the default leaves all as they are.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Constants of the papers")]
pub(crate) struct PaperOptions {
    /// lcs, cosine: compare all pairs of each perhaps-similar set, not only each with its leader
    #[arg(long)]
    exhaustive: bool,
    /// lcs, cosine: comparisons in a perhaps-similar set, for each document in it [default: 1000]
    #[arg(long, value_name = "N", value_parser = quantity::at_least_one::<NonZeroU64>)]
    comparisons: Option<NonZeroU64>,
    /// lcs, cosine: drop signatures that more documents have [default: 10000]
    #[arg(long, value_name = "N", value_parser = quantity::at_least_one::<NonZeroU64>)]
    signature_limit: Option<NonZeroU64>,
    /// lcs, cosine: drop signatures that more documents have, if most of these are of one site [default: 400]
    #[arg(long, value_name = "N", value_parser = quantity::at_least_one::<NonZeroU64>)]
    site_signature_limit: Option<NonZeroU64>,
    /// lcs, cosine: sentences that a signature is made of [default: 4]
    #[arg(long, value_name = "N", value_parser = quantity::at_least_one::<NonZeroUsize>)]
    smallest: Option<NonZeroUsize>,
    /// lcs: texts of fewer characters are short, and containment says nothing of them [default: 256]
    #[arg(long, value_name = "N")]
    min_text: Option<usize>,
    /// lcs: what the resemblance is a share of [default: lcs]
    #[arg(long, value_enum, value_name = "WHAT")]
    denominator: Option<Whole>,
    /// shingles: which of N are kept, from 0 to N - 1 [default: 0]
    #[arg(long, value_name = "R", requires = "ratios")]
    remainder: Option<u32>,
    /// shingles: drop those that more documents have
    #[arg(long, value_name = "N", value_parser = quantity::at_least_one::<NonZeroU64>)]
    stop_shingles: Option<NonZeroU64>,
}

/// What the resemblance by trustable LCS is a share of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Whole {
    /// The longest common subsequence and the edits
    Lcs,
    /// Its trustable part and the edits
    Ses,
    /// Both texts, the trustable part once
    Tlcs,
    /// The mean of both texts
    Dice,
}

impl PaperOptions {
    /// Refuses options that mean nothing to any of the methods that are run, and a remainder that there is not.
    pub(crate) fn check(&self, methods: &[Method], texts: &TextOptions) -> Result<()> {
        let runs = |of: &[Method]| of.iter().any(|method| methods.contains(method));
        let (sets, shingles) = (runs(&[Method::Lcs, Method::Cosine]), runs(&[Method::Shingles]));
        let lcs = runs(&[Method::Lcs]) || texts.verifies();
        refuse_unused(&[
            ("--exhaustive", self.exhaustive, sets, "lcs and cosine"),
            ("--comparisons", self.comparisons.is_some(), sets, "lcs and cosine"),
            ("--signature-limit", self.signature_limit.is_some(), sets, "lcs and cosine"),
            ("--site-signature-limit", self.site_signature_limit.is_some(), sets, "lcs and cosine"),
            ("--smallest", self.smallest.is_some(), sets, "lcs and cosine"),
            ("--min-text", self.min_text.is_some(), lcs, "lcs, and --verify lcs"),
            ("--denominator", self.denominator.is_some(), lcs, "lcs, and --verify lcs"),
            ("--remainder", self.remainder.is_some(), shingles, "shingles"),
            ("--stop-shingles", self.stop_shingles.is_some(), shingles, "shingles"),
        ])?;
        let finest = texts.ratios().groups().iter().copied().max().unwrap_or(1);
        match self.remainder {
            Some(remainder) if remainder >= finest => Err(Failure::usage(format!(
                "--remainder {remainder}: of one in {finest} there are 0 to {}",
                finest - 1
            ))),
            _ => Ok(()),
        }
    }

    /// Puts them into the options of the library.
    pub(crate) fn apply(&self, options: &mut PairOptions) {
        let sets = &mut options.sets;
        sets.exhaustive = self.exhaustive;
        sets.comparisons = self.comparisons.map_or(sets.comparisons, NonZeroU64::get);
        sets.most = self.signature_limit.map_or(sets.most, NonZeroU64::get);
        sets.most_of_site = self.site_signature_limit.map_or(sets.most_of_site, NonZeroU64::get);
        sets.signatures.smallest = self.smallest.map_or(sets.signatures.smallest, NonZeroUsize::get);
        options.lcs.min_text = self.min_text.unwrap_or(options.lcs.min_text);
        options.lcs.denominator = match self.denominator.unwrap_or(Whole::Lcs) {
            Whole::Lcs => Denominator::Lcs,
            Whole::Ses => Denominator::Ses,
            Whole::Tlcs => Denominator::Tlcs,
            Whole::Dice => Denominator::Dice,
        };
        let shingles = &mut options.shingles;
        (shingles.remainder, shingles.stop) = (self.remainder.unwrap_or(0), self.stop_shingles.map(NonZeroU64::get));
    }
}
