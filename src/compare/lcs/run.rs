//! Stretches that two sequences have in common: what an edit script leaves.

/// A stretch that two sequences have in common: `len` symbols from index `a` of one and from index `b` of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins in the first sequence.
    pub a: usize,
    /// Where it begins in the second sequence.
    pub b: usize,
    /// How many symbols.
    pub len: usize,
}
