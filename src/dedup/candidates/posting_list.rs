//! The pairs of one posting list, whose documents share a key.

use std::ops::Range;

use nddb_index::Result;

/// Documents that share a key, in the order of their numbers.
pub(crate) struct PostingList<'a, S> {
    /// The sketches of the documents.
    pub(crate) sketches: &'a [S],
    /// For each sketch, the mask of its keys that are cut: that too many documents share.
    pub(crate) cuts: &'a [u32],
    /// Whether the key itself is cut, because too many documents share it.
    pub(crate) is_cut: bool,
    /// If the key is cut, the number of first documents that are all compared with each other. The other documents are
    /// compared with the first one only.
    pub(crate) compared: usize,
}

/// How the sketches of a list are compared.
pub(crate) trait Compare<S> {
    /// Returns which key of the sketch at this place is the key of the list.
    fn index(&self, at: usize) -> u8;

    /// Returns the mask of the keys of the first sketch that the other one has too.
    fn shared(&self, a: &S, b: &S) -> u32;

    /// Returns whether two sketches reach the minimum similarities of the method.
    fn passes(&self, a: &S, b: &S) -> bool;
}

impl<S> PostingList<'_, S> {
    /// Passes on the places of both documents of each pair, and whether the pair is a candidate. A pair that shares
    /// several keys is passed on only at the first of them that is not cut. A pair that shares only cut keys is passed
    /// on at each of these keys at which it is compared.
    pub(crate) fn pairs(
        &self,
        by: &impl Compare<S>,
        found: &mut dyn FnMut(usize, usize, bool) -> Result<()>,
    ) -> Result<()> {
        self.pairs_of(0..self.sketches.len(), by, found)
    }

    /// Like [`PostingList::pairs`], for the pairs whose first document has a place in this range.
    pub(crate) fn pairs_of(
        &self,
        places: Range<usize>,
        by: &impl Compare<S>,
        found: &mut dyn FnMut(usize, usize, bool) -> Result<()>,
    ) -> Result<()> {
        let len = self.sketches.len();
        if self.is_cut {
            for at in places.start..places.end.min(self.compared) {
                let end = if at == 0 { len } else { self.compared.min(len) };
                for other in at + 1..end {
                    let (a, b) = (&self.sketches[at], &self.sketches[other]);
                    let (near, shared) = (by.passes(a, b), by.shared(a, b));
                    // A pair that is not a candidate is only counted, at the first key that both share.
                    let counts = near || shared.trailing_zeros() == u32::from(by.index(at));
                    if counts && shared & !self.cuts[at] == 0 {
                        found(at, other, near)?;
                    }
                }
            }
            return Ok(());
        }
        for at in places {
            let a = &self.sketches[at];
            for (behind, b) in self.sketches[at + 1..].iter().enumerate() {
                // The shared keys, except keys that are cut.
                let kept = by.shared(a, b) & !self.cuts[at];
                if kept.trailing_zeros() == u32::from(by.index(at)) {
                    found(at, at + 1 + behind, by.passes(a, b))?;
                }
            }
        }
        Ok(())
    }
}
