//! Evaluation: how well the pairs that a method returns agree with labels.
//!
//! This module has the label files ([`Labels`]), their pairs joined with the documents of a collection ([`Gold`]), the
//! two halves of a labelled set, one for choosing and one for reporting ([`Half`]), the figures ([`Counts`]) with their
//! intervals and paired differences ([`bootstrap`]), the splits by site and kind, the returned pairs with and without
//! labels ([`Returned`]), and precision and recall by the least probability of the default verdict
//! ([`by_probability`]).
//!
//! A method is judged only by the pairs that it returns, from its own candidates over all documents ([`Corpus`]). A
//! labelled pair that it does not return counts as missed, even if its rule would accept the pair. Only the corpus
//! knows how pairs are found.

mod bootstrap;
mod corpus;
mod gold;
mod half;
mod label;
mod means;
mod page;
mod probability;
mod returned;
mod score;

pub use bootstrap::{Cells, DRAWS, Interval, Intervals, bootstrap};
pub use corpus::{Corpus, CorpusError, gold, returned};
pub use gold::{Gold, GoldPair, LabelledDocument};
pub use half::{Half, HalfSummary, halves};
pub use label::{Label, LabelError, LabelFault, LabelledPair, Labels};
pub use means::{RelativeRecall, mean_precision, relative_recall};
pub use page::{EvalPage, MethodFigures, RecipeFigures};
pub use probability::{AtProbability, ByProbability, LEAST, by_probability};
pub use returned::{Returned, SAMPLE};
pub use score::{Counts, Split, splits};
