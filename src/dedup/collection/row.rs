//! The row of one document: four 64-bit words, and five more if the document has a digest, a date or an address.

use nddb_format::Fingerprint;
use nddb_format::record::{Print, Record};
use nddb_index::spill::mapped_rows::MappedRows;
use nddb_verdict::{Sketch, Sketches, is_without_terms};

/// Words of a row: half a cache line.
pub(crate) const ROW: usize = 4;
/// Words of digest, date, batch with the length of the address, and the number of distinct tokens.
pub(crate) const DETAILS: usize = 5;
/// Words of a row of supershingles and projection.
pub(crate) const SKETCH: usize = 12;
/// Words of a byte of each of 84 min-values.
pub(crate) const MIN_BYTES: usize = 11;
/// Words of a profile, which has 303 bytes.
pub(crate) const PROFILE: usize = 38;

const UNPRINTED: u32 = 1;
const DIGEST: u32 = 1 << 1;
const SUPERSHINGLES: u32 = 1 << 2;
const PROJECTION: u32 = 1 << 3;
const SITE: u32 = 1 << 4;
const TOKENS: u32 = 1 << 5;
const URL: u32 = 1 << 6;
const DATE: u32 = 1 << 7;
const DELETED: u32 = 1 << 8;
const EMPTY: u32 = 1 << 9;
const MIN_HASHED: u32 = 1 << 10;
const PROFILED: u32 = 1 << 11;
const BATCHED: u32 = 1 << 12;
const TRUNCATED: u32 = 1 << 13;
const GARBLED: u32 = 1 << 14;
const DISTINCT: u32 = 1 << 15;

/// The properties of a document that a collection keeps, except its id. URL and text are not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Document number in the database.
    pub number: u64,
    /// Rank of the id among all ids in bytewise order.
    pub rank: u32,
    /// Fingerprint; `None` with fewer than two tokens.
    pub fingerprint: Option<Fingerprint>,
    /// Digest of the token sequence; `None` for an empty text, since empty texts are not compared.
    pub digest: Option<[u64; 2]>,
    /// Number of the site; `None` if unknown.
    pub site: Option<u32>,
    /// Number of tokens, at most 2^32 - 1.
    pub tokens: Option<u32>,
    /// Number of distinct tokens; 0 if unknown.
    pub distinct: u32,
    /// Length of the URL in bytes.
    pub url_size: Option<u32>,
    /// Fetch time, in seconds since 1970.
    pub date: Option<i64>,
    /// Number of the batch; a batch that was named earlier has a lower number.
    pub batch: Option<u32>,
    /// Whether the page is known to be incomplete.
    pub is_truncated: bool,
    /// Whether the text has characters that stand for others.
    pub is_garbled: bool,
    /// Whether the text is known to have no token.
    pub is_empty: bool,
    /// Whether the document is deleted but not yet dropped by a compaction.
    pub is_deleted: bool,
    /// Whether the record has supershingles.
    pub has_supershingles: bool,
    /// Whether the record has a projection.
    pub has_projection: bool,
    /// Whether the record has min-values.
    pub has_min_values: bool,
    /// Whether the record has a profile.
    pub has_profile: bool,
}

impl Row {
    /// Returns the row of a record.
    pub(crate) fn of(number: u64, rank: u32, site: Option<u32>, print: Print, record: &Record, deleted: bool) -> Self {
        let is_empty = record.tokens == Some(0);
        let half = |bytes: &[u8]| bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        Self {
            number,
            rank,
            fingerprint: (!print.unprinted).then_some(Fingerprint(print.fingerprint)),
            digest: record.digest.filter(|_| !is_empty).map(|digest| [half(&digest[..8]), half(&digest[8..])]),
            site,
            tokens: record.tokens.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX)),
            distinct: record.distinct.unwrap_or(0),
            url_size: record.url.as_ref().map(|url| u32::try_from(url.len()).unwrap_or(u32::MAX)),
            date: record.date,
            batch: record.batch,
            is_truncated: record.truncated,
            is_garbled: record.garbled,
            is_empty,
            is_deleted: deleted,
            has_supershingles: record.supershingles.is_some(),
            has_projection: record.projection.is_some(),
            has_min_values: record.min_bytes.is_some(),
            has_profile: record.profile.is_some(),
        }
    }

    /// Returns the set of sketches of the record.
    #[inline]
    pub(crate) fn sketches(&self) -> Sketches {
        Sketches::default()
            .with(Sketch::Fingerprint, self.fingerprint.is_some())
            .with(Sketch::Digest, self.digest.is_some())
            .with(Sketch::Supershingles, self.has_supershingles)
            .with(Sketch::Projection, self.has_projection)
            .with(Sketch::MinValues, self.has_min_values)
            .with(Sketch::Profile, self.has_profile)
            .with(Sketch::Content, self.has_profile)
    }

    /// Returns whether the fingerprint is that of a content without terms.
    pub(crate) fn is_without_terms(&self) -> bool {
        is_without_terms(self.tokens.map(u64::from), self.sketches())
    }

    /// Returns the row as words, without the details.
    pub(crate) fn encode(&self) -> [u64; ROW] {
        let flag = |present: bool, flag: u32| if present { flag } else { 0 };
        let flags = flag(self.fingerprint.is_none(), UNPRINTED)
            | flag(self.digest.is_some(), DIGEST)
            | flag(self.has_supershingles, SUPERSHINGLES)
            | flag(self.has_projection, PROJECTION)
            | flag(self.has_min_values, MIN_HASHED)
            | flag(self.has_profile, PROFILED)
            | flag(self.site.is_some(), SITE)
            | flag(self.tokens.is_some(), TOKENS)
            | flag(self.url_size.is_some(), URL)
            | flag(self.date.is_some(), DATE)
            | flag(self.batch.is_some(), BATCHED)
            | flag(self.is_truncated, TRUNCATED)
            | flag(self.is_garbled, GARBLED)
            | flag(self.distinct > 0, DISTINCT)
            | flag(self.is_deleted, DELETED)
            | flag(self.is_empty, EMPTY);
        let two = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        [
            self.number,
            self.fingerprint.map_or(0, |fingerprint| fingerprint.0),
            two(self.rank, self.site.unwrap_or(0)),
            two(self.tokens.unwrap_or(0), flags),
        ]
    }

    /// Returns digest, date, batch, length of the address and number of distinct tokens as words, if the document has
    /// one of them.
    pub(crate) fn details(&self) -> Option<[u64; DETAILS]> {
        let [high, low] = self.digest.unwrap_or_default();
        let last = u64::from(self.batch.unwrap_or(0)) << 32 | u64::from(self.url_size.unwrap_or(0));
        let has_dates = self.date.is_some() || self.batch.is_some();
        let has_some = self.digest.is_some() || has_dates || self.url_size.is_some() || self.distinct > 0;
        has_some.then_some([high, low, self.date.unwrap_or(0).cast_unsigned(), last, self.distinct.into()])
    }

    /// Returns the row at an index.
    #[inline]
    pub(super) fn at(rows: &MappedRows<ROW>, details: Option<&MappedRows<DETAILS>>, index: usize) -> Self {
        Self::decode(&rows.row(index), || details.and_then(|details| details.get(index)).unwrap_or([0; DETAILS]))
    }

    /// Returns the row encoded in these words. `details` is called only if the row has details.
    #[inline]
    pub(crate) fn decode(words: &[u64; ROW], details: impl FnOnce() -> [u64; DETAILS]) -> Self {
        let [number, fingerprint, place, size] = *words;
        let has = |flag: u32| size as u32 & flag != 0;
        let has_details = has(DIGEST | DATE | URL | BATCHED | DISTINCT);
        let [high, low, date, last, distinct] = if has_details { details() } else { [0; DETAILS] };
        Self {
            number,
            rank: (place >> 32) as u32,
            fingerprint: (!has(UNPRINTED)).then_some(Fingerprint(fingerprint)),
            digest: has(DIGEST).then_some([high, low]),
            site: has(SITE).then_some(place as u32),
            tokens: has(TOKENS).then_some((size >> 32) as u32),
            distinct: distinct as u32,
            url_size: has(URL).then_some(last as u32),
            date: has(DATE).then_some(date.cast_signed()),
            batch: has(BATCHED).then_some((last >> 32) as u32),
            is_truncated: has(TRUNCATED),
            is_garbled: has(GARBLED),
            is_empty: has(EMPTY),
            is_deleted: has(DELETED),
            has_supershingles: has(SUPERSHINGLES),
            has_projection: has(PROJECTION),
            has_min_values: has(MIN_HASHED),
            has_profile: has(PROFILED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_back_as_it_was() {
        let digest = std::array::from_fn(|byte| byte as u8);
        let record = Record { tokens: Some(7), digest: Some(digest), date: Some(-5), ..Record::default() };
        let print = Print { fingerprint: 9, unprinted: false };
        let back = |row: &Row| Row::decode(&row.encode(), || row.details().expect("it has some"));
        let quality = Record { truncated: true, garbled: true, distinct: Some(77), ..Record::default() };
        let judged = Row::of(5, 3, None, print, &quality, false);
        assert_eq!((back(&judged), judged.distinct, judged.is_garbled), (judged, 77, true));
        let full = Row::of(u64::MAX, 3, Some(2), print, &record, true);
        assert_eq!(back(&full), full);
        for record in [Record { digest: None, ..record.clone() }, Record { date: None, ..record.clone() }] {
            let row = Row::of(5, 3, None, print, &record, false);
            assert_eq!(back(&row), row);
        }
        let long = Record { url: Some("x".repeat(300)), ..Record::default() };
        let addressed = Row::of(5, 3, None, print, &long, false);
        assert_eq!((back(&addressed), addressed.url_size), (addressed, Some(300)));
        let batched = Row::of(5, 3, None, print, &Record { batch: Some(9), ..long.clone() }, false);
        assert_eq!((back(&batched), batched.batch, batched.url_size), (batched, Some(9), Some(300)));
        let bare = Row::of(5, u32::MAX - 2, None, print, &Record::default(), false);
        assert_eq!((back(&bare), bare.details()), (bare, None));
        assert_eq!(full.digest, Some([0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f]));
        let empty = Record { tokens: Some(0), digest: Some(digest), ..Record::default() };
        let empty = Row::of(0, 0, None, Print { fingerprint: 0, unprinted: true }, &empty, false);
        assert_eq!(back(&empty), empty);
        assert_eq!((empty.fingerprint, empty.digest, empty.is_empty), (None, None, true));
    }
}
