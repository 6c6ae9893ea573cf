//! At least 36 of 84 equal min-values; pages of one site must also agree in title or heading (Henzinger 2006, 2: the
//! share of equal min-values is the resemblance).

use nddb_page::sketch::MIN_VALUES;

use crate::column::{Bound, Column, SAME_HEADING};
use crate::method::{Besides, Candidates, Keys, Method};
use crate::pair::DocumentPair;
use crate::parameter::Parameter;
use crate::sketches::Sketch;
use crate::verdict::{Decision, Verdict};

/// At least 36 of 84 equal min-values, for pairs that share a band of four (Henzinger 2006, 2: the share of equal
/// min-values estimates the resemblance).
#[derive(Clone, Debug, PartialEq)]
pub struct MinHash {
    /// Least number of equal min-values (36 of 84, a resemblance of 0.43: chosen on labelled pages, see
    /// benches/README.md; no paper gives a threshold).
    pub agreement: u32,
}

impl Default for MinHash {
    fn default() -> Self {
        Self { agreement: 36 }
    }
}

impl MinHash {
    fn decide(&self, agreement: Option<u32>, same_site: Option<bool>, same_heading: Option<bool>) -> Verdict {
        let verdict = Verdict::at_least(agreement, self.agreement, "min-hash");
        match (same_site, same_heading) {
            // Pages of one site with different titles and first headings are about different things.
            (Some(true), Some(false)) => Verdict { decision: Decision::Apart, ..verdict },
            _ => verdict,
        }
    }
}

/// The measure, as a column.
const COLUMNS: [Column; 1] = [Column::count("agreement")];

impl Method for MinHash {
    fn name(&self) -> &'static str {
        "min-hash"
    }

    fn help(&self) -> &'static str {
        "36 of 84 min-values, for pages that share a band of four; on one site, titles or headings must agree"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let agreement = &mut self.agreement;
        let help = "least number of equal min-values";
        vec![Parameter::count("agreement", help, agreement, 0..=MIN_VALUES as u64).threshold()]
    }

    fn candidates(&self) -> Candidates {
        Candidates::Sharing(vec![Keys::Bands { agreement: self.agreement }])
    }

    fn compares(&self) -> &'static [Sketch] {
        &[Sketch::MinValues]
    }

    fn class(&self) -> &'static [Sketch] {
        &[Sketch::MinValues]
    }

    fn besides(&self) -> Besides {
        Besides::SiteAndHeadings
    }

    fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        let same_site = pair.same_site();
        let same_heading = if same_site == Some(true) { pair.same_heading() } else { None };
        self.decide(pair.agreement(), same_site, same_heading)
    }

    fn perfect(&self) -> u64 {
        MIN_VALUES as u64
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }

    fn bounds(&self, pair: &DocumentPair<'_>, out: &mut Vec<Bound>) {
        out.push(Bound::at_least("agreement", pair.agreement(), self.agreement));
        // On the same site, headings must agree if both pages have one.
        if pair.same_site() == Some(true) {
            let heading = pair.same_heading().map(u32::from);
            out.extend(heading.map(|agrees| Bound::at_least(SAME_HEADING.name, Some(agrees), 1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn min_values_decide_and_on_one_site_headings() {
        let near = |agreement, same_site, same_heading| {
            MinHash::default().decide(Some(agreement), same_site, same_heading).is_near()
        };
        assert!(!near(35, None, None) && near(36, None, None));
        for (same_site, same_heading, expected) in [
            (Some(true), Some(false), false),
            (Some(true), Some(true), true),
            (Some(true), None, true),
            (Some(false), Some(false), true),
            (None, Some(false), true),
        ] {
            assert_eq!(near(36, same_site, same_heading), expected, "{same_site:?} {same_heading:?}");
        }
    }
}
