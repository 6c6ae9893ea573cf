//! What two token sequences differ in: the term difference of a pair (Henzinger 2006, 4; ALGORITHMS H7), and where.
//!
//! "To determine the term difference of a pair we executed the linux diff command over the two token sequences and used
//! the number of tokens that were returned": deletions and insertions, so a replaced token counts 2. Here it is that of a
//! shortest edit script, by [`Myers`], exact up to a number of edits that bounds time and memory.

use std::ops::Range;

use super::lcs::{Myers, Run};

/// Edits up to which the script is looked for: its rows take up to 32 MB.
pub const EDITS_MAX: usize = 4_000;

/// How to make one token sequence of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Tokens of the first sequence that the second one lacks.
    pub deleted: usize,
    /// Tokens of the second sequence that the first one lacks.
    pub inserted: usize,
    /// The places that differ, ascending, at most as many as were asked for.
    pub pieces: Vec<Piece>,
    /// Places that differ and are not among the pieces.
    pub omitted: usize,
    /// Whether it is the shortest script. If that has more than [`EDITS_MAX`] edits, everything between a common
    /// beginning and a common end counts as replaced.
    pub exact: bool,
}

/// A place that differs: tokens of the first sequence that became tokens of the second. One of the two may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Places in the first sequence.
    pub deleted: Range<usize>,
    /// Places in the second sequence.
    pub inserted: Range<usize>,
}

impl Difference {
    /// The term difference: deletions and insertions.
    pub fn terms(&self) -> usize {
        self.deleted + self.inserted
    }
}

/// Returns the term difference of two token sequences, or none if it exceeds `limit`. Time grows with the length of the
/// sequences times the difference.
pub fn term_difference(a: &[u64], b: &[u64], limit: usize) -> Option<usize> {
    Myers::new().distance(a, b, limit)
}

/// Returns what makes `b` of `a`, with at most `pieces` places.
pub fn difference(a: &[u64], b: &[u64], pieces: usize) -> Difference {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (&a[prefix..], &b[prefix..]);
    let mut runs = Vec::new();
    let exact = Myers::new().runs(rest_a, rest_b, EDITS_MAX, &mut runs).is_some();
    if !exact {
        let len = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(a, b)| a == b).count();
        runs.push(Run { a: rest_a.len() - len, b: rest_b.len() - len, len });
    }
    let mut found = Difference { deleted: 0, inserted: 0, pieces: Vec::new(), omitted: 0, exact };
    let (mut from_a, mut from_b) = (0, 0);
    for run in runs.into_iter().chain([Run { a: rest_a.len(), b: rest_b.len(), len: 0 }]) {
        let piece = Piece { deleted: prefix + from_a..prefix + run.a, inserted: prefix + from_b..prefix + run.b };
        (from_a, from_b) = (run.a + run.len, run.b + run.len);
        let (deleted, inserted) = (piece.deleted.len(), piece.inserted.len());
        if deleted + inserted == 0 {
            continue;
        }
        found.deleted += deleted;
        found.inserted += inserted;
        if found.pieces.len() < pieces {
            found.pieces.push(piece);
        } else {
            found.omitted += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lcs::plain::longest_common_subsequence;
    use super::*;

    fn apply(a: &[u64], b: &[u64], difference: &Difference) -> Vec<u64> {
        let mut made = Vec::new();
        let mut from = 0;
        for piece in &difference.pieces {
            made.extend_from_slice(&a[from..piece.deleted.start]);
            made.extend_from_slice(&b[piece.inserted.clone()]);
            from = piece.deleted.end;
        }
        made.extend_from_slice(&a[from..]);
        made
    }

    /// A replaced token counts twice.
    #[test]
    fn a_replaced_token_is_a_deletion_and_an_insertion() {
        let found = difference(&[1, 2, 3, 4, 5], &[1, 2, 9, 4, 5, 6], 10);
        let pieces = vec![Piece { deleted: 2..3, inserted: 2..3 }, Piece { deleted: 5..5, inserted: 5..6 }];
        assert_eq!(found, Difference { deleted: 1, inserted: 2, pieces, omitted: 0, exact: true });
        assert_eq!((found.terms(), term_difference(&[1, 2, 3], &[1, 9, 3], 10)), (3, Some(2)));
    }

    /// Sequences that have nothing in common but the ends are one piece, and say that they are not exact.
    #[test]
    fn very_different_sequences_are_bounded() {
        let a: Vec<u64> = [7].into_iter().chain(0..200_000).chain([8, 9]).collect();
        let b: Vec<u64> = [7].into_iter().chain(1_000_000..1_190_000).chain([8, 9]).collect();
        let found = difference(&a, &b, 10);
        assert_eq!(found.pieces, [Piece { deleted: 1..200_001, inserted: 1..190_001 }]);
        assert_eq!((found.terms(), found.exact), (390_000, false));
        assert_eq!(term_difference(&a, &b, 1_000), None);
    }

    proptest! {
        #[test]
        fn the_pieces_make_one_sequence_of_the_other(
            a in prop::collection::vec(0u64..6, 0..80),
            b in prop::collection::vec(0u64..6, 0..80),
            pieces in 0usize..10,
        ) {
            let all = difference(&a, &b, usize::MAX);
            let common = longest_common_subsequence(&a, &b).len();
            prop_assert_eq!((all.deleted, all.inserted), (a.len() - common, b.len() - common));
            prop_assert_eq!(term_difference(&a, &b, usize::MAX), Some(all.terms()));
            prop_assert_eq!(apply(&a, &b, &all), b.clone());
            let few = difference(&a, &b, pieces);
            prop_assert_eq!(few.pieces.len() + few.omitted, all.pieces.len());
            prop_assert_eq!(&few.pieces[..], &all.pieces[..few.pieces.len()]);
        }
    }
}
