//! Groups of documents by their words, as people read them.

use nddb::detect::{GROUP_WORDS, GROUPS};

/// The numbers of words of a group's documents.
pub(crate) fn of_group(group: usize) -> String {
    let from = group * GROUP_WORDS;
    if group + 1 == GROUPS { format!("{from}-") } else { format!("{from}-{}", from + GROUP_WORDS - 1) }
}
