//! Equal token sequences (Henzinger 2006, 2).

use crate::method::{Candidates, Method};
use crate::pair::DocumentPair;
use crate::sketches::Sketch;
use crate::verdict::{Decision, Verdict};

/// Equal token sequences (Henzinger 2006, 2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity;

impl Method for Identity {
    fn name(&self) -> &'static str {
        "identity"
    }

    fn help(&self) -> &'static str {
        "equal texts"
    }

    fn candidates(&self) -> Candidates {
        Candidates::Identical
    }

    fn compares(&self) -> &'static [Sketch] {
        &[Sketch::Digest]
    }

    fn judge(&self, _: &DocumentPair<'_>) -> Verdict {
        Verdict { decision: Decision::Apart, score: 0 }
    }
}
