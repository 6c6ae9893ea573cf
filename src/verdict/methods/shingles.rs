//! Resemblance by shingles, sampled or not (Ye et al. 2007).

use crate::column::Column;
use crate::method::{Candidates, Method, OutOfReach};
use crate::parameter::Parameter;
pub use crate::shingles::Shingles;

/// The measure, as a column.
const COLUMNS: [Column; 1] = [Column::share("resemblance")];

impl Method for Shingles {
    fn name(&self) -> &'static str {
        "shingles"
    }

    fn help(&self) -> &'static str {
        "resemblance of shingle sets"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { resemblance, words, ratios, remainder, stop, cap } = self;
        vec![
            Parameter::share("resemblance", "least resemblance", resemblance).threshold(),
            Parameter::count("words", "words in a shingle", words, 1..=1 << 16),
            Parameter::text("ratios", "keep one shingle in N, or N by number of words: 4,600:8,1200:16", ratios),
            Parameter::count("remainder", "which one of N shingles is kept", remainder, 0..=31),
            Parameter::limit("stop", "drop shingles of more distinct texts than this", stop),
            Parameter::limit("cap", "keep at most this many shingles of a document", cap),
        ]
    }

    fn candidates(&self) -> Candidates {
        Candidates::Shingles(self.clone())
    }

    fn check(&self, _: u32) -> Result<(), OutOfReach> {
        if self.resemblance <= 0.0 {
            let what = "the least resemblance in hundredths (more than 0 is shared by every candidate)";
            return Err(OutOfReach { what, requested: 0, limit: 1 });
        }
        let coarsest = self.ratios.coarsest();
        if self.remainder >= coarsest {
            let what = "the remainder of kept shingles (of one in n there are 0 to n - 1)";
            return Err(OutOfReach { what, requested: self.remainder.into(), limit: u64::from(coarsest) - 1 });
        }
        Ok(())
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ratios::Ratios;
    use crate::verdict::Verdict;

    #[test]
    fn a_resemblance_of_the_threshold_is_near() {
        let near = |resemblance| Shingles::default().judge_resemblance(Some(resemblance)).verdict.is_near();
        assert!(near(0.85) && !near(0.84));
        assert_eq!(Shingles::default().judge_resemblance(None).verdict, Verdict::UNKNOWN);
    }

    #[test]
    fn of_one_in_eight_there_are_eight_remainders() {
        let check = |remainder| {
            let ratios = Ratios::uniform(8).expect("a ratio");
            Shingles { ratios, remainder, ..Shingles::default() }.check(3)
        };
        assert!(check(7).is_ok());
        assert_eq!(check(8).map_err(|out| (out.requested, out.limit)), Err((8, 7)));
        assert!(Shingles { resemblance: 0.0, ..Shingles::default() }.check(3).is_err());
    }
}
