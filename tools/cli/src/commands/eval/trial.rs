//! A setting with its results, the data shared by all settings, and further measurements.

use nddb::detect::PairSummary;
use nddb::sketch::Recipe;
use nddb::verdict::methods::Model;
use nddb_evaluate::eval::{
    ByProbability, Cells, Corpus, Counts, Gold, Intervals, Labels, Returned, bootstrap, by_probability, splits,
};

use super::args::{Args, EvalHalf};
use super::setting::Setting;
use crate::failure::Result;

/// The documents, sketched by one recipe.
pub(super) struct Set {
    pub(super) recipe: Recipe,
    pub(super) corpus: Corpus,
    pub(super) gold: Gold,
}

/// The data shared by all settings.
pub(super) struct Frame<'a> {
    /// The documents by each recipe; the order of the labelled pairs is the same in all.
    pub(super) sets: &'a [Set],
    pub(super) labels: &'a Labels,
    pub(super) selected: Vec<bool>,
    pub(super) cells: Cells,
    pub(super) half: EvalHalf,
    pub(super) seed: u64,
}

/// A setting and its results.
pub(super) struct Trial<'a> {
    pub(super) set: &'a Set,
    pub(super) setting: Setting,
    pub(super) returned: Returned<'a>,
    pub(super) summary: PairSummary,
    /// The share of the scored near-duplicates that are candidate pairs by the keys of the method.
    pub(super) recall_of_candidates: Option<f64>,
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
}

impl Trial<'_> {
    /// Whether this is the default of `add` and `query` in a database created with default settings.
    pub(super) fn is_default(&self) -> bool {
        self.set.recipe == Recipe::default() && self.setting.is_default(&self.set.recipe)
    }

    /// Returns recipe, method and thresholds in words.
    pub(super) fn told(&self) -> String {
        format!("{} {} {}", self.set.recipe, self.setting.method, self.setting.told()).trim_end().to_owned()
    }
}

impl Frame<'_> {
    /// Returns the documents by the first recipe; the sets of the other recipes have the same documents.
    pub(super) fn first(&self) -> &Set {
        &self.sets[0]
    }

    /// Returns the intervals of all settings, and the differences from the default setting, or from the first one if
    /// the default is not among them.
    pub(super) fn intervals(&self, trials: &[Trial<'_>]) -> (usize, Vec<Intervals>) {
        let reference = trials.iter().position(Trial::is_default).unwrap_or(0);
        let found: Vec<&[bool]> = trials.iter().map(|trial| trial.returned.found()).collect();
        (reference, bootstrap(&self.first().gold, &self.cells, &found, reference, self.seed))
    }

    /// Counts all scored pairs as not found.
    pub(super) fn counts(&self) -> Counts {
        let gold = &self.first().gold;
        let none = vec![false; gold.pairs.len()];
        splits(gold, &self.selected, &none)[0].counts
    }

    pub(super) fn documents(&self) -> u64 {
        self.first().corpus.collection().held().documents
    }
}

/// The figures of the documents by one recipe.
pub(super) struct Figures<'a> {
    pub(super) set: &'a Set,
    /// `None` if no pair has a probability.
    pub(super) probabilities: Option<ByProbability>,
}

/// Measures each set.
pub(super) fn measure<'a>(frame: &Frame<'a>, args: &Args) -> Result<Vec<Figures<'a>>> {
    let mut model = Model::default();
    args.parameters.apply_known(&mut model)?;
    let selection = (&*frame.selected, &frame.cells);
    let measure = |set: &'a Set| {
        let probabilities = by_probability(&set.gold, selection, set.corpus.collection(), &model, frame.seed);
        Figures { set, probabilities }
    };
    Ok(frame.sets.iter().map(measure).collect())
}

/// Returns the figures of a set.
pub(super) fn figures_of<'a, 'f>(figures: &'f [Figures<'a>], set: &Set) -> Option<&'f Figures<'a>> {
    figures.iter().find(|figures| std::ptr::eq(figures.set, set))
}
