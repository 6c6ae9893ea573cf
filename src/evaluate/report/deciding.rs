//! Why one of two documents is the kept one.

use nddb_dedup::{Collection, Keep};

/// Returns by which of these rules `kept` is kept and not `removed`, in words.
pub(super) fn deciding(rules: &[Keep], collection: &Collection, [removed, kept]: [u32; 2]) -> &'static str {
    let (one, other) = (collection.row(kept), collection.row(removed));
    let is_by_quality = rules.first() != Some(&Keep::Stored);
    if is_by_quality && !one.is_truncated && other.is_truncated {
        return "it is whole, and the other is cut off";
    }
    if is_by_quality && !one.is_garbled && other.is_garbled {
        return "the characters of the other are garbled";
    }
    let distinguishes = |rule: &&Keep| match rule {
        Keep::Batch => one.batch != other.batch,
        Keep::Newest | Keep::Oldest => one.date != other.date,
        Keep::Longest => one.tokens != other.tokens,
        Keep::ShortestUrl => one.url_size != other.url_size,
        Keep::Stored | Keep::Id => true,
    };
    match rules.iter().find(distinguishes) {
        Some(Keep::Stored) => "it comes first: by load, then the sounder, longer and older one of a load",
        Some(Keep::Batch) => "its batch was named first",
        Some(Keep::Newest) => "it was fetched last",
        Some(Keep::Oldest) => "it was fetched first",
        Some(Keep::Longest) => "it has more words",
        Some(Keep::ShortestUrl) => "its address is shorter",
        Some(Keep::Id) | None => "its id is the lower one",
    }
}
