//! Decision about a pair of documents, from evidence and texts.

use nddb_index::Result;
use nddb_verdict::{Decider, Decision, Measures, Verdict};

use super::text_cache::TextCache;
use crate::candidates::source::Verifier;
use crate::collection::{Collection, Sketched};
use crate::options::PairOptions;
use crate::pair::{Pair, Verified};

/// The judge of pairs: gathers the evidence of a pair and decides.
pub struct Judge<'a> {
    collection: &'a Collection,
    options: &'a PairOptions,
    decider: Decider<'a>,
    /// The first document of the last pair: many pairs in a row have the same one.
    first: Option<Box<Sketched>>,
    /// The texts that the method compares.
    texts: Option<Box<dyn Verifier + 'a>>,
    /// The texts that verify near-duplicates found by the method.
    verifier: Option<Box<dyn Verifier + 'a>>,
}

/// Result of judging a pair.
pub enum Judged {
    /// Near-duplicates.
    Near(Pair),
    /// Near-duplicates by the method that are rejected by their texts.
    Rejected,
    /// Not near-duplicates by the method.
    Apart,
}

/// Returns the pair of two documents if they are near-duplicates by their stored sketches. A method that needs texts
/// decides only about equal texts here.
pub fn stored_pair(collection: &Collection, options: &PairOptions, a: u32, b: u32) -> Option<Pair> {
    let decider = options.decider();
    collection.compared(a, b, |pair| {
        let Verdict { decision, score } = decider.judge(pair);
        let Decision::Near(rule) = decision else { return None };
        let measures = Measures::of(pair, &*options.method);
        Some(Pair { a, b, identical: pair.identical(), measures, score, rule, verified: None, loss: None })
    })
}

impl<'a> Judge<'a> {
    /// Returns a judge that uses these texts.
    pub fn new(collection: &'a Collection, options: &'a PairOptions, text_cache: &'a TextCache) -> Self {
        Self {
            collection,
            options,
            decider: options.decider(),
            first: None,
            texts: text_cache.decider(options),
            verifier: options.verifier().and_then(|verification| text_cache.verifier(options, &verification.lcs)),
        }
    }

    /// Returns the result for a pair. Judging pairs in the order of ids is fastest.
    pub fn pair(&mut self, a: u32, b: u32) -> Result<Judged> {
        let Self { collection, options, decider, first, texts, verifier } = self;
        let first = match first {
            Some(known) if known.ordinal == a => known,
            first => first.insert(Box::new(collection.sketched(a))),
        };
        collection.compared_with(first, b, |pair| {
            let (identical, mut bounds) = (pair.identical(), Vec::new());
            let verdict = match texts {
                // Equal texts are decided earlier (Huang et al. 2008, 3.3).
                Some(texts) if !identical => {
                    let found = texts.judge(a, b)?;
                    bounds = found.bounds;
                    decider.of_method(found.verdict)
                }
                _ => decider.judge(pair),
            };
            let Decision::Near(rule) = verdict.decision else { return Ok(Judged::Apart) };
            let mut verified = None;
            if let Some(verifier) = verifier
                && !identical
                && options.verifier().is_some_and(|verification| verification.concerns(pair.same_site()))
            {
                let found = verifier.judge(a, b)?;
                verified = Verified::of(found.decision());
                if verified.is_none() {
                    return Ok(Judged::Rejected);
                }
                bounds.extend(found.bounds);
            }
            let mut measures = Measures::of(pair, &*options.method);
            measures.add(&bounds);
            Ok(Judged::Near(Pair { a, b, identical, measures, score: verdict.score, rule, verified, loss: None }))
        })
    }
}
