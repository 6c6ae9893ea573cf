//! Decides pairs of documents.

use super::collection::Collection;
use super::method::Method;
use super::options::PairOptions;
use super::pair::{Pair, Verified};
use super::readings::Readings;
use super::rules::Decision;
use super::source::Verifier;
use crate::Result;

/// Decides pairs.
pub(super) struct Judge<'a> {
    collection: &'a Collection,
    options: &'a PairOptions,
    /// Adds what the method compares of texts.
    decider: Option<Box<dyn Verifier + 'a>>,
    /// Compares the texts of what the method finds.
    verifier: Option<Box<dyn Verifier + 'a>>,
}

/// What became of a pair.
pub(super) enum Judged {
    /// It is one of near-duplicates.
    Near(Pair),
    /// The method says so, and the texts do not.
    Rejected,
    /// The method does not say so.
    Apart,
}

impl<'a> Judge<'a> {
    /// With what was read of texts.
    pub(super) fn new(collection: &'a Collection, options: &'a PairOptions, readings: &'a Readings) -> Self {
        let verifies = options.verify_lcs && options.method != Method::Lcs;
        Self {
            collection,
            options,
            decider: readings.decider(options),
            verifier: if verifies { readings.verifier(options) } else { None },
        }
    }

    /// Decides a pair. Pairs are best asked for in the order of ids.
    pub(super) fn pair(&mut self, a: u32, b: u32) -> Result<Judged> {
        let mut evidence = self.collection.evidence(a, b);
        // Equal texts are decided before (Huang et al. 2008, 3.3).
        if !evidence.identical
            && let Some(decider) = &mut self.decider
        {
            decider.add(a, b, &mut evidence)?;
        }
        let (rules, method) = (&self.options.rules, self.options.method);
        let Decision::Near(rule) = rules.decide(method, &evidence) else { return Ok(Judged::Apart) };
        let mut verified = None;
        if !evidence.identical
            && let Some(verifier) = &mut self.verifier
        {
            verifier.add(a, b, &mut evidence)?;
            verified = Verified::of(rules.decide(Method::Lcs, &evidence));
            if verified.is_none() {
                return Ok(Judged::Rejected);
            }
        }
        Ok(Judged::Near(Pair { a, b, evidence, rule, verified }))
    }
}
