//! The summary of a document: of its print and its record (SPEC 9.2 and 9.3) what comparisons and answers need.

use crate::Result;
use crate::error::malformed;
use crate::record::cursor::{Cursor, VERSION, put_text};
use crate::record::{MIN_VALUES, PROFILE, Record, check_id};

/// The summary of a printed document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary<'a> {
    /// The fingerprint.
    pub fingerprint: u64,
    /// The user's id.
    pub id: &'a str,
    /// The address the page was fetched from.
    pub url: Option<&'a str>,
    /// The site, by the recipe's rule.
    pub site: Option<&'a str>,
    /// Number of tokens.
    pub tokens: Option<u64>,
    /// Digest of the token sequence.
    pub digest: Option<[u8; 16]>,
    /// A byte of each min-value: see [`min_byte`].
    pub min_bytes: Option<[u8; MIN_VALUES]>,
    /// Supershingles of algorithm B.
    pub supershingles: Option<[u64; 6]>,
    /// Projection of algorithm C.
    pub projection: Option<[u64; 6]>,
    /// Hashes of title and first heading.
    pub headings: Option<[u64; 2]>,
    /// The small sketches that the default verdict compares.
    pub profile: Option<[u8; PROFILE]>,
}

const URL: u16 = 1;
const SITE: u16 = 1 << 1;
const TOKENS: u16 = 1 << 2;
const DIGEST: u16 = 1 << 3;
const MIN_HASH: u16 = 1 << 4;
const SUPERSHINGLES: u16 = 1 << 5;
const PROJECTION: u16 = 1 << 6;
const HEADINGS: u16 = 1 << 7;
const PROFILED: u16 = 1 << 8;
const KNOWN: u16 = (1 << 9) - 1;

/// The optional parts in the order of their flag bits, as SPEC.md lists them: name and size, 0 for what has no fixed
/// one.
pub const PARTS: [(&str, usize); 9] = [
    ("url", 0),
    ("site", 0),
    ("tokens", 8),
    ("digest", 16),
    ("min_bytes", MIN_VALUES),
    ("supershingles", 48),
    ("projection", 48),
    ("headings", 16),
    ("profile", 0),
];

/// The sections of a profile that are padded (SPEC 9.3): offset and bytes of the number of elements, most elements,
/// bytes of each, and the byte of the padding.
const PADDED: [(usize, usize, usize, usize, u8); 3] = [(84, 1, 15, 3, 0), (130, 1, 15, 3, 0), (176, 2, 7, 2, 0xff)];

/// Returns the byte of a min-value that is compared: the top one of its product with an odd number. Equal min-values
/// have equal bytes; of others one pair in 256 has (b-bit minwise hashing, Li and Koenig 2010). The lowest byte would
/// do for all contents but those of one shingle, whose 84 min-values have equal low bytes together or not at all.
#[inline]
pub fn min_byte(value: u32) -> u8 {
    (value.wrapping_mul(0x9e37_79b1) >> 24) as u8
}

impl<'a> Summary<'a> {
    /// Returns the summary of a printed document.
    pub fn of(fingerprint: u64, record: &'a Record) -> Self {
        Self {
            fingerprint,
            id: &record.id,
            url: record.url.as_deref(),
            site: record.site.as_deref(),
            tokens: record.tokens,
            digest: record.digest,
            min_bytes: record.min_values.as_deref().map(|values| values.map(min_byte)),
            supershingles: record.supershingles,
            projection: record.projection,
            headings: record.headings,
            profile: record.profile.as_deref().copied(),
        }
    }

    fn flags(&self) -> u16 {
        let flag = |present: bool, flag: u16| if present { flag } else { 0 };
        flag(self.url.is_some(), URL)
            | flag(self.site.is_some(), SITE)
            | flag(self.tokens.is_some(), TOKENS)
            | flag(self.digest.is_some(), DIGEST)
            | flag(self.min_bytes.is_some(), MIN_HASH)
            | flag(self.supershingles.is_some(), SUPERSHINGLES)
            | flag(self.projection.is_some(), PROJECTION)
            | flag(self.headings.is_some(), HEADINGS)
            | flag(self.profile.is_some(), PROFILED)
    }

    /// Appends the bytes to `out`: version, flags, fingerprint, id, then the parts that the flags name.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        out.extend_from_slice(&self.flags().to_le_bytes());
        out.extend_from_slice(&self.fingerprint.to_le_bytes());
        put_text(out, self.id);
        [self.url, self.site].into_iter().flatten().for_each(|text| put_text(out, text));
        out.extend(self.tokens.iter().flat_map(|tokens| tokens.to_le_bytes()));
        self.digest.iter().for_each(|digest| out.extend_from_slice(digest));
        self.min_bytes.iter().for_each(|bytes| out.extend_from_slice(bytes));
        let words = [&self.supershingles, &self.projection].into_iter().flatten().flatten();
        out.extend(words.chain(self.headings.iter().flatten()).flat_map(|word| word.to_le_bytes()));
        if let Some(profile) = &self.profile {
            let mut at = 0;
            for (start, counted, most, size, _) in PADDED {
                let kept = total(&profile[start..start + counted]).min(most);
                out.extend_from_slice(&profile[at..start + counted + kept * size]);
                at = start + counted + most * size;
            }
            out.extend_from_slice(&profile[at..]);
        }
    }

    /// Reads a summary.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &'a [u8]) -> Result<Self> {
        let mut cursor = Cursor::new("summary", bytes)?;
        let flags = cursor.u16()?;
        if flags & !KNOWN != 0 {
            return malformed("summary", 1, "unknown flags are zero");
        }
        let has = |flag: u16| flags & flag != 0;
        fn words<const N: usize>(cursor: &mut Cursor<'_>) -> Result<[u64; N]> {
            let mut words = [0; N];
            words.iter_mut().try_for_each(|word| cursor.u64().map(|value| *word = value))?;
            Ok(words)
        }
        let fingerprint = cursor.u64()?;
        let id = cursor.text()?;
        check_id(id)?;
        let summary = Self {
            fingerprint,
            id,
            url: has(URL).then(|| cursor.text()).transpose()?,
            site: has(SITE).then(|| cursor.text()).transpose()?,
            tokens: has(TOKENS).then(|| cursor.u64()).transpose()?,
            digest: has(DIGEST).then(|| cursor.array()).transpose()?,
            min_bytes: has(MIN_HASH).then(|| cursor.array()).transpose()?,
            supershingles: has(SUPERSHINGLES).then(|| words(&mut cursor)).transpose()?,
            projection: has(PROJECTION).then(|| words(&mut cursor)).transpose()?,
            headings: has(HEADINGS).then(|| words(&mut cursor)).transpose()?,
            profile: has(PROFILED).then(|| profile(&mut cursor)).transpose()?,
        };
        cursor.end()?;
        Ok(summary)
    }
}

/// Returns a number of elements, of one byte or two.
fn total(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |total, &byte| total << 8 | usize::from(byte))
}

/// Reads a profile, padded again.
fn profile(cursor: &mut Cursor<'_>) -> Result<[u8; PROFILE]> {
    let (mut profile, mut at) = ([0; PROFILE], 0);
    for (start, counted, most, size, padding) in PADDED {
        let elements = start + counted;
        profile[at..elements].copy_from_slice(cursor.take(elements - at)?);
        let kept = total(&profile[start..elements]).min(most) * size;
        profile[elements..elements + kept].copy_from_slice(cursor.take(kept)?);
        at = elements + most * size;
        profile[elements + kept..at].fill(padding);
    }
    profile[at..].copy_from_slice(cursor.take(PROFILE - at)?);
    Ok(profile)
}
