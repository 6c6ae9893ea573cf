//! Keys and values of the catalog (SPEC 9). Keys are big-endian, so that they sort; values are little-endian.
//!
//! Every value begins with the version of its layout: 1, or a higher one for a record with parts that version 1
//! lacks. Rows of `prints`, `documents`, `ids`, `megashingles`, `pieces` and `digests` never change once written.

pub(crate) mod cursor;
mod document;
mod id;
mod interval;
mod keys;
mod state;

pub use cursor::VERSION;
pub use document::{Head, MIN_VALUES, PARTS, PROFILE, Print, Record, SourcePosition, min_byte, page_digest};
pub use id::{ID_MAX, NUMBER_MARK, ShownId, check_id, digits_of, number_id, other_kind};
pub use interval::{
    GROUP, Interval, IntervalGroup, ORDINAL_END, Prints, decode_stretch, encode_stretch, ordinal_of, splits,
};
pub use keys::{
    FAMILIES, batch_key, batch_name_of, deleted_key, deleted_of, digest_key, gone_key, gone_of, id_key, id_of,
    id_prefix, interval_key, interval_low_of, load_key, load_low_of, megashingle_key, number_key, number_of, piece_key,
    range_key, range_low_of, replaced_key, replaced_of, replaced_prefix, source_key, source_of, trailing_number,
};
pub use state::{Archive, Batch, BatchState, Counters, Load, Range, RangeState, Reading, Settings};

#[cfg(test)]
mod tests;
