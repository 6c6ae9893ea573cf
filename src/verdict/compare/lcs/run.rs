//! Runs of symbols that two sequences have in common: the complement of an edit script.

/// A run that two sequences have in common: `len` symbols from index `a` of one and from index `b` of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Index of its beginning in the first sequence.
    pub a: usize,
    /// Index of its beginning in the second sequence.
    pub b: usize,
    /// Number of symbols.
    pub len: usize,
}
