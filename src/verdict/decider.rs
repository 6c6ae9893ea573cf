//! From evidence to decision: the only place where a pair is decided.

use crate::column::Bound;
use crate::method::{Method, Piece};
use crate::methods::{self, Hamming};
use crate::pair::DocumentPair;
use crate::verdict::{Decision, Verdict};

/// Offset above every hamming score and every method score, to rank the method before hamming.
const BY_METHOD: u64 = 1 << 48;

/// The decision procedure for pairs, online and offline.
#[derive(Clone, Copy, Debug)]
pub struct Decider<'a> {
    /// The method.
    pub method: &'a dyn Method,
    /// The method hamming, if it decides pairs that the method cannot decide.
    pub or_hamming: Option<&'a Hamming>,
}

impl<'a> Decider<'a> {
    /// Returns the decider of a method. The fallback to hamming applies only to methods whose candidate pairs share
    /// keys of sketches.
    pub fn new(method: &'a dyn Method, or_hamming: Option<&'a Hamming>) -> Self {
        Self { method, or_hamming: or_hamming.filter(|_| method.has_keys()) }
    }

    /// Returns the verdict about a pair, by the method or by hamming. Equal token sequences are near-duplicates by
    /// every method (Henzinger 2006, 2). The score is greater for nearer pairs. All identical pairs have the same
    /// score, and pairs decided by hamming instead of the method have lower scores than all pairs decided by the
    /// method. A pair with an unknown site counts as a pair on different sites.
    pub fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        if pair.identical() {
            return Verdict { decision: Decision::Near("identical"), score: u64::MAX };
        }
        match (self.method.judge(pair), self.fallback(pair)) {
            (Verdict { decision: Decision::Unknown, .. }, Some(hamming)) => hamming.judge(pair),
            (verdict, _) => self.of_method(verdict),
        }
    }

    /// Returns a verdict of the method, by texts or sketches, with its score raised above all scores of hamming.
    pub fn of_method(&self, verdict: Verdict) -> Verdict {
        Verdict { score: BY_METHOD.saturating_add(verdict.score), ..verdict }
    }

    /// Returns whether the method cannot decide a pair that is not identical, and hamming decides instead.
    pub fn is_left_to_hamming(&self, pair: &DocumentPair<'_>) -> bool {
        self.fallback(pair).is_some() && self.method.judge(pair).decision == Decision::Unknown
    }

    /// Returns the greatest score of a pair that is not identical.
    pub fn perfect(&self) -> u64 {
        BY_METHOD.saturating_add(self.method.perfect())
    }

    /// Returns the reasons for the decision about a pair.
    pub fn explain(&self, pair: &DocumentPair<'_>) -> Explanation<'a> {
        let by: &dyn Method = match self.or_hamming {
            Some(hamming) if !pair.identical() && self.is_left_to_hamming(pair) => hamming,
            _ => self.method,
        };
        let mut bounds = Vec::new();
        by.bounds(pair, &mut bounds);
        let all = std::iter::once(self.method).chain(methods::defaults().iter().map(|method| &**method));
        let evidence = all.map(|method| method.explain(pair)).find(|pieces| !pieces.is_empty()).unwrap_or_default();
        Explanation { by, bounds, evidence }
    }

    fn fallback(&self, pair: &DocumentPair<'_>) -> Option<&'a Hamming> {
        self.or_hamming.filter(|_| !pair.is_without_terms())
    }
}

/// The reasons for the decision about a pair.
#[derive(Debug)]
pub struct Explanation<'a> {
    /// The method that decides: the chosen one, or hamming.
    pub by: &'a dyn Method,
    /// The measures that its rule compares with its parameters.
    pub bounds: Vec<Bound>,
    /// The pieces of evidence, by the chosen method if it adds up evidence, else by the default method; empty if the
    /// documents lack the sketches for it.
    pub evidence: Vec<Piece>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::Known;
    use crate::methods::{all, testing::profiled};

    /// A rule without the evidence that it needs does not decide.
    #[test]
    fn what_is_not_known_is_not_decided() {
        let (nothing, text) = (Known::default(), Known { digest: Some(1), ..Known::default() });
        for method in all() {
            let decider = Decider::new(&*method, None);
            let expected = if method.is_identity() { Decision::Apart } else { Decision::Unknown };
            assert_eq!(decider.judge(&DocumentPair::new(&nothing, &nothing, None)).decision, expected, "{method}");
            let identical = decider.judge(&DocumentPair::new(&text, &text, None));
            assert_eq!(identical, Verdict { decision: Decision::Near("identical"), score: u64::MAX });
        }
    }

    #[test]
    fn hamming_decides_what_the_method_cannot_and_ranks_after_it() {
        let words = |from: u32| (from..from + 60).map(|word| format!("word{word} ")).collect::<String>();
        let (a, b) = (profiled(&words(0)), profiled(&words(1)));
        let bare = Known { fingerprint: b.fingerprint, ..Known::default() };
        let (model, hamming) = (methods::Model::default(), Hamming::within(64));
        let decider = Decider::new(&model, Some(&hamming));
        let (by_model, by_hamming) = (DocumentPair::new(&a, &b, None), DocumentPair::new(&a, &bare, None));
        assert_eq!(decider.judge(&by_model).decision, Decision::Near("model"));
        assert_eq!(decider.judge(&by_hamming).decision, Decision::Near("hamming"));
        assert!(decider.judge(&by_model).score > decider.judge(&by_hamming).score);
        assert!(decider.is_left_to_hamming(&by_hamming) && !decider.is_left_to_hamming(&by_model));
        let told = [&by_model, &by_hamming].map(|pair| decider.explain(pair).by.name());
        assert_eq!(told, ["model", "hamming"]);
        let without_terms = Known { is_without_terms: true, ..bare };
        let pair = DocumentPair::new(&a, &without_terms, None);
        assert_eq!(decider.judge(&pair).decision, Decision::Unknown, "its fingerprint carries no evidence");
        let texts = Decider::new(&methods::Cosine::default(), Some(&hamming)).or_hamming.is_none();
        assert!(texts, "methods that compare texts decide alone");
    }
}
