//! At least 36 of 84 equal min-values, and on one site titles or headings that agree (Henzinger 2006, 2: the share of
//! equal min-values is the resemblance).

use nddb_page::sketch::MIN_VALUES;

use super::definition::{Besides, Candidates, Definition, Keys, Least, any_rules};
use super::evidence::Bound;
use super::rules::{Decision, Threshold, at_least};
use super::sketches::Sketch;

pub(super) static DEFINITION: Definition = Definition {
    name: "min-hash",
    help: "36 of 84 min-values, of pages that share a band of four, and on one site titles or headings that agree",
    compares: &[Sketch::MinValues],
    candidates: Candidates::Sharing(&[Keys::Bands]),
    class: &[Sketch::MinValues],
    besides: Besides::SiteAndHeadings,
    thresholds: &[Threshold {
        name: "agreement",
        get: |rules| rules.agreement.into(),
        set: |rules, value| rules.agreement = value as u32,
        counts: Some((0, MIN_VALUES as u16)),
    }],
    check: any_rules,
    least: |rules, _| Least { agreement: rules.agreement, ..Least::default() },
    decide: |rules, evidence| match (evidence.same_site, evidence.same_heading) {
        // Pages of one site whose titles and first headings differ are about different things.
        (Some(true), Some(false)) => Decision::Apart,
        _ => at_least(evidence.agreement, rules.agreement, "min-hash"),
    },
    score: |_, evidence| evidence.agreement.unwrap_or(0).into(),
    perfect: MIN_VALUES as u64,
    bounds: |rules, evidence| {
        // On the same site, headings must agree if both pages have one.
        let is_looked_at = evidence.same_site == Some(true);
        let heading = evidence.same_heading.filter(|_| is_looked_at).map(u32::from);
        let heading = heading.map(|agrees| Bound::at_least("same_heading", Some(agrees), 1));
        let agreement = Bound::at_least("agreement", evidence.agreement, rules.agreement);
        std::iter::once(agreement).chain(heading).collect()
    },
};
