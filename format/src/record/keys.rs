//! Column families and keys of the catalog (SPEC 9.1).

use byteorder::{BigEndian, ByteOrder};

use crate::Result;
use crate::error::malformed;

/// Column families, all created with the database.
pub const FAMILIES: [&str; 10] =
    ["prints", "documents", "ids", "megashingles", "pieces", "digests", "sources", "batches", "deleted", "meta"];

const KEY: &str = "catalog key";

/// Returns the key of `prints` and `documents`: the number, 8 bytes.
pub fn number_key(number: u64) -> [u8; 8] {
    let mut key = [0; 8];
    BigEndian::write_u64(&mut key, number);
    key
}

/// Decodes a key of `prints` or `documents`.
///
/// # Errors
/// [`crate::FormatError::Malformed`] unless it has 8 bytes.
pub fn number_of(key: &[u8]) -> Result<u64> {
    if key.len() == 8 { Ok(BigEndian::read_u64(key)) } else { malformed(KEY, 0, "a number key has 8 bytes") }
}

/// Decodes the number in the last 8 bytes of a key.
///
/// # Errors
/// [`crate::FormatError::Truncated`] if the key is shorter.
pub fn trailing_number(key: &[u8]) -> Result<u64> {
    crate::fields::check_size(KEY, key, 8)?;
    Ok(BigEndian::read_u64(&key[key.len() - 8..]))
}

fn with_number(prefix: &[u8], number: u64) -> Vec<u8> {
    let mut key = Vec::with_capacity(prefix.len() + 8);
    key.extend_from_slice(prefix);
    key.extend_from_slice(&number_key(number));
    key
}

/// Returns the prefix of all keys of `ids` for this id: the id and a NUL.
pub fn id_prefix(id: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(id.len() + 9);
    key.extend_from_slice(id.as_bytes());
    key.push(0);
    key
}

/// Returns the key of `ids`: id, NUL, number.
pub fn id_key(id: &str, number: u64) -> Vec<u8> {
    let mut key = id_prefix(id);
    key.extend_from_slice(&number_key(number));
    key
}

/// Decodes a key of `ids`.
///
/// # Errors
/// [`crate::FormatError`] unless the key is an id, a NUL and a number.
pub fn id_of(key: &[u8]) -> Result<(&str, u64)> {
    let number = trailing_number(key)?;
    let Some((&0, id)) = key[..key.len() - 8].split_last() else {
        return malformed(KEY, 0, "a NUL stands between id and number");
    };
    match std::str::from_utf8(id) {
        Ok(id) => Ok((id, number)),
        Err(_) => malformed(KEY, 0, "an id is UTF-8"),
    }
}

/// Returns the key of `megashingles`: hash, number.
pub fn megashingle_key(hash: u64, number: u64) -> Vec<u8> {
    with_number(&number_key(hash), number)
}

/// Returns the key of `pieces`: index (0 to 11), 4 bytes of the projection, number.
pub fn piece_key(index: u8, piece: [u8; 4], number: u64) -> Vec<u8> {
    with_number(&[index, piece[0], piece[1], piece[2], piece[3]], number)
}

/// Returns the key of `digests`: content digest, number.
pub fn digest_key(digest: &[u8; 16], number: u64) -> Vec<u8> {
    with_number(digest, number)
}

/// Returns the key of `sources`: the archive's number, 4 bytes.
pub fn source_key(archive: u32) -> [u8; 4] {
    let mut key = [0; 4];
    BigEndian::write_u32(&mut key, archive);
    key
}

/// Decodes a key of `sources`.
///
/// # Errors
/// [`crate::FormatError::Malformed`] unless it has 4 bytes.
pub fn source_of(key: &[u8]) -> Result<u32> {
    if key.len() == 4 { Ok(BigEndian::read_u32(key)) } else { malformed(KEY, 0, "an archive key has 4 bytes") }
}

/// Returns the key of a batch in `batches`: 0, name.
pub fn batch_key(name: &str) -> Vec<u8> {
    let mut key = vec![0];
    key.extend_from_slice(name.as_bytes());
    key
}

/// Decodes the key of a batch; `None` for the other rows of `batches`.
pub fn batch_name_of(key: &[u8]) -> Option<&str> {
    match key.split_first() {
        Some((0, name)) => std::str::from_utf8(name).ok(),
        _ => None,
    }
}

/// Returns the key of a number range in `batches`: 1, its least number.
pub fn range_key(low: u64) -> Vec<u8> {
    with_number(&[1], low)
}

/// Decodes the key of a number range; `None` for the other rows of `batches`.
pub fn range_low_of(key: &[u8]) -> Option<u64> {
    number_behind(1, key)
}

/// Returns the number in a key of `batches` of this kind; `None` for the other rows.
fn number_behind(kind: u8, key: &[u8]) -> Option<u64> {
    (key.len() == 9 && key[0] == kind).then(|| BigEndian::read_u64(&key[1..]))
}

/// Returns the prefix of the keys of all documents that a pending batch replaces: 2, the batch's number.
pub fn replaced_prefix(batch: u32) -> Vec<u8> {
    let mut key = vec![2];
    key.extend_from_slice(&source_key(batch));
    key
}

/// Returns the key of a document that a pending batch replaces: 2, the batch's number, the document's number.
pub fn replaced_key(batch: u32, number: u64) -> Vec<u8> {
    with_number(&replaced_prefix(batch), number)
}

/// Decodes the key of a replaced document to (batch, number); `None` for the other rows of `batches`.
pub fn replaced_of(key: &[u8]) -> Option<(u32, u64)> {
    (key.len() == 13 && key[0] == 2).then(|| (BigEndian::read_u32(&key[1..5]), BigEndian::read_u64(&key[5..])))
}

/// Returns the key of an interval in `batches`: 3, its least number.
pub fn interval_key(low: u64) -> Vec<u8> {
    with_number(&[3], low)
}

/// Decodes the key of an interval; `None` for the other rows of `batches`.
pub fn interval_low_of(key: &[u8]) -> Option<u64> {
    number_behind(3, key)
}

/// Returns the key in `batches` of a number of an interval that is no longer a document: 4, the number.
pub fn gone_key(number: u64) -> Vec<u8> {
    with_number(&[4], number)
}

/// Decodes the key of a number that is no longer a document; `None` for the other rows of `batches`.
pub fn gone_of(key: &[u8]) -> Option<u64> {
    number_behind(4, key)
}

/// Returns the key of a load in `batches`: 5, its least number.
pub fn load_key(low: u64) -> Vec<u8> {
    with_number(&[5], low)
}

/// Decodes the key of a load; `None` for the other rows of `batches`.
pub fn load_low_of(key: &[u8]) -> Option<u64> {
    number_behind(5, key)
}

/// Returns the key of `deleted`: the manifest generation at which the document was deleted, its number.
pub fn deleted_key(generation: u64, number: u64) -> Vec<u8> {
    with_number(&number_key(generation), number)
}

/// Decodes a key of `deleted` to (generation, number).
///
/// # Errors
/// [`crate::FormatError::Malformed`] unless it has 16 bytes.
pub fn deleted_of(key: &[u8]) -> Result<(u64, u64)> {
    if key.len() != 16 {
        return malformed(KEY, 0, "a deletion key has 16 bytes");
    }
    Ok((BigEndian::read_u64(&key[..8]), BigEndian::read_u64(&key[8..])))
}
