//! What the papers measure on labels besides each method: by similarity, by distance, by slope.

use nddb::detect::{Method, PairOptions, Resources};
use nddb_lab::eval::{AtDistance, BySimilarity, Slopes, by_similarity, by_slope};

use super::args::Args;
use super::trial::{Frame, Set};
use crate::failure::Result;
use crate::messages::Meter;

/// The figures of the documents as one recipe sketches them.
pub(super) struct Figures<'a> {
    pub(super) set: &'a Set,
    pub(super) similarity: BySimilarity,
    pub(super) distances: Vec<AtDistance>,
    /// None unless a page was asked for: all labelled pairs are compared with every slope.
    pub(super) slopes: Option<Slopes>,
}

/// Measures each set.
pub(super) fn measure<'a>(
    frame: &Frame<'a>,
    args: &Args,
    resources: &Resources,
    meter: &Meter,
) -> Result<Vec<Figures<'a>>> {
    let mut options = PairOptions { resources: resources.clone(), ..PairOptions::new(Method::Lcs) };
    args.texts.apply(&mut options);
    args.paper.apply(&mut options);
    let mut made = Vec::new();
    for set in frame.sets {
        let (collection, gold) = (set.corpus.collection(), &set.gold);
        let slopes = match &args.report {
            Some(_) => {
                Some(by_slope(set.corpus.view(), collection, gold, &frame.selected, &options, &mut *meter.watch(true))?)
            }
            None => None,
        };
        let similarity = by_similarity(gold, &frame.selected, collection);
        made.push(Figures { set, similarity, distances: frame.distances(set), slopes });
    }
    Ok(made)
}

/// The figures of a set.
pub(super) fn of<'a, 'f>(figures: &'f [Figures<'a>], set: &Set) -> Option<&'f Figures<'a>> {
    figures.iter().find(|figures| std::ptr::eq(figures.set, set))
}
