//! Perhaps-similar sets: documents that share a signature of their sentences, and the comparison of their pairs
//! (Huang, Wang, Li 2008, 3.2).
//!
//! "In the third phase, we index the documents by signatures and cluster them into perhaps similar sets. [..] (1) we
//! compute a weight W_d for each document according to its signature number [..]. Together with the document number I_d
//! we get a key <W_d, I_d> to sort documents, and (2) we sort documents in the list indexed by each signature and
//! choose the document which has 'largest' key as the 'representative' of the list. The lists with the same
//! representative will be merged into a single list. Then we sort all the lists according to their representatives
//! in descending order. Begin from the first list, find the lists whose representatives exist in this list and
//! merge them into it. The final lists are the perhaps-similar sets."
//!
//! Choices where the paper is not explicit:
//!
//! * W_d is the number of signatures that a document has, including those that are dropped later; I_d is its ordinal.
//! * Merging is transitive: the lists represented by the members of a merged list are merged as well. Each list is
//!   merged into one set only, so a document may be in several sets. Documents that share a kept signature share a set.
//! * "We delete the signatures which exist very frequently (> 10000 times) and which exist frequently (> 400 times) and
//!   focus on some certain web sites": the latter are the signatures for which more than half of the documents are on
//!   one site.
//!
//! Within a set, the document with the largest key is the leader. All others are compared with the leader, those near
//! to it are removed, and of the rest the document with the largest key becomes the next leader. The paper assumes that
//! the documents removed by one leader are near each other; here only compared pairs can be near. With `expand`, and
//! for clusters, all pairs of a set are compared.

mod compare;
mod lists;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod plain;
mod sets;
#[cfg(test)]
mod tests;

pub(crate) use compare::Similar;
pub use lists::Signed;
pub use sets::Sets;
