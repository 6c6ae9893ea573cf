//! The numbers behind a verdict, against their thresholds.

use super::evidence::Evidence;
use super::name::Method;
use super::rules::Rules;

/// A number that a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Its name in pair lines.
    pub name: &'static str,
    /// The number; absent if it is not known.
    pub value: Option<u32>,
    /// Its threshold.
    pub threshold: u32,
    /// The number must not exceed the threshold; else it must not fall below it.
    pub at_most: bool,
}

impl Bound {
    /// Whether the number is on the right side of its threshold.
    pub fn holds(&self) -> Option<bool> {
        self.value.map(|value| if self.at_most { value <= self.threshold } else { value >= self.threshold })
    }
}

/// The numbers that the rule of a method looks at; what is identical is a near-duplicate whatever they are.
pub fn bounds(rules: &Rules, method: Method, evidence: &Evidence) -> Vec<Bound> {
    let at_least = |name, value, threshold| Bound { name, value, threshold, at_most: false };
    let distance = Bound { name: "distance", value: evidence.distance, threshold: rules.within, at_most: true };
    let b = at_least("b_sim", evidence.b_similarity, rules.b);
    let c = |threshold| at_least("c_sim", evidence.c_similarity, threshold);
    match method {
        Method::Simhash => vec![distance],
        Method::B => vec![b],
        Method::C => vec![c(rules.c)],
        Method::Combined => vec![b, c(rules.combined)],
        Method::Split if evidence.same_site == Some(true) => vec![b, c(rules.combined)],
        Method::Split => vec![c(rules.c)],
        Method::MinHash => {
            // On one site headings must agree, where both pages have one.
            let asked = evidence.same_site == Some(true);
            let heading = evidence.same_heading.filter(|_| asked).map(u32::from);
            let heading = heading.map(|agrees| at_least("same_heading", Some(agrees), 1));
            std::iter::once(at_least("agreement", evidence.agreement, rules.agreement)).chain(heading).collect()
        }
        _ => Vec::new(),
    }
}
