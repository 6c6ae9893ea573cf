//! The summary of a document: the parts of its print and its record (SPEC 9.2 and 9.3) that comparisons and answers
//! need.

use crate::Result;
use crate::error::malformed;
use crate::record::cursor::{Cursor, put_text};
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
    /// Number of tokens, at most 2^32 - 1; `None` if unknown.
    pub tokens: Option<u32>,
    /// Whether the document has tokens, but none of the sketches that require content with terms.
    pub is_without_terms: bool,
    /// Digest of the token sequence; `None` if it is known to be empty.
    pub digest: Option<[u8; 16]>,
    /// A byte of each min-value: see [`min_byte`](crate::record::min_byte).
    pub min_bytes: Option<[u8; MIN_VALUES]>,
    /// Supershingles of algorithm B.
    pub supershingles: Option<[u64; 6]>,
    /// Projection of algorithm C.
    pub projection: Option<[u64; 6]>,
    /// The small sketches that the default verdict compares.
    pub profile: Option<[u8; PROFILE]>,
}

const URL: u16 = 1;
const URL_IS_ID: u16 = 1 << 1;
const SITE: u16 = 1 << 2;
const SITE_IN_URL: u16 = 1 << 3;
const WITHOUT_TERMS: u16 = 1 << 4;
const DIGEST: u16 = 1 << 5;
const MIN_HASH: u16 = 1 << 6;
const SUPERSHINGLES: u16 = 1 << 7;
const PROJECTION: u16 = 1 << 8;
const PROFILED: u16 = 1 << 9;
const TOKENS: u16 = 1 << 10;
const KNOWN: u16 = (1 << 11) - 1;

/// The optional parts in the order of their flag bits, as SPEC.md lists them: name and size, 0 if the size is not
/// fixed.
pub const PARTS: [(&str, usize); 11] = [
    ("url", 0),
    ("url_is_id", 0),
    ("site", 0),
    ("site_in_url", 2),
    ("without_terms", 0),
    ("digest", 16),
    ("min_bytes", MIN_VALUES),
    ("supershingles", 48),
    ("projection", 48),
    ("profile", 0),
    ("tokens", 4),
];

/// Names shorter than this have their length in one byte; for others, this byte is followed by four bytes with the
/// length.
const LONG: usize = 255;

/// The sections of a profile that are padded (SPEC 9.3): offset and size of the number of elements, maximum number of
/// elements, size of each, and the byte used as padding.
const PADDED: [(usize, usize, usize, usize, u8); 4] =
    [(124, 1, 15, 3, 0), (170, 1, 15, 3, 0), (216, 1, 15, 3, 0), (262, 2, 7, 2, 0xff)];

impl<'a> Summary<'a> {
    /// Returns the summary of a printed document.
    pub fn of(fingerprint: u64, record: &'a Record) -> Self {
        Self {
            fingerprint,
            id: &record.id,
            url: record.url.as_deref(),
            site: record.site.as_deref(),
            tokens: record.tokens.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX)),
            is_without_terms: record.tokens.is_some_and(|tokens| tokens > 0)
                && record.min_bytes.is_none()
                && record.supershingles.is_none()
                && record.profile.is_none(),
            digest: record.digest.filter(|_| record.tokens != Some(0)),
            min_bytes: record.min_bytes.as_deref().copied(),
            supershingles: record.supershingles,
            projection: record.projection,
            profile: record.profile.as_deref().copied(),
        }
    }

    /// Returns the offset and the length of the site in the address, if each fits in a byte and the two are shorter
    /// than a name.
    fn place_of_site(&self) -> Option<[u8; 2]> {
        let (url, site) = (self.url?, self.site.filter(|site| site.len() > 1)?);
        Some([u8::try_from(url.find(site)?).ok()?, u8::try_from(site.len()).ok()?])
    }

    fn flags(&self, place_of_site: Option<[u8; 2]>) -> u16 {
        let flag = |present: bool, flag: u16| if present { flag } else { 0 };
        let url = if self.url == Some(self.id) { URL_IS_ID } else { URL };
        let site = if place_of_site.is_some() { SITE_IN_URL } else { SITE };
        flag(self.url.is_some(), url)
            | flag(self.site.is_some(), site)
            | flag(self.is_without_terms, WITHOUT_TERMS)
            | flag(self.digest.is_some(), DIGEST)
            | flag(self.min_bytes.is_some(), MIN_HASH)
            | flag(self.supershingles.is_some(), SUPERSHINGLES)
            | flag(self.projection.is_some(), PROJECTION)
            | flag(self.profile.is_some(), PROFILED)
            | flag(self.tokens.is_some(), TOKENS)
    }

    /// Appends the bytes to `out`: flags, fingerprint, id, then the parts that the flags name.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        let place_of_site = self.place_of_site();
        let flags = self.flags(place_of_site);
        out.extend_from_slice(&flags.to_le_bytes());
        out.extend_from_slice(&self.fingerprint.to_le_bytes());
        put_name(out, self.id);
        self.url.iter().filter(|_| flags & URL != 0).for_each(|url| put_name(out, url));
        match place_of_site {
            Some(place) => out.extend_from_slice(&place),
            None => self.site.iter().for_each(|site| put_name(out, site)),
        }
        self.digest.iter().for_each(|digest| out.extend_from_slice(digest));
        self.min_bytes.iter().for_each(|bytes| out.extend_from_slice(bytes));
        let words = [&self.supershingles, &self.projection].into_iter().flatten().flatten();
        out.extend(words.flat_map(|word| word.to_le_bytes()));
        if let Some(profile) = &self.profile {
            let mut at = 0;
            for (start, counted, most, size, _) in PADDED {
                let kept = total(&profile[start..start + counted]).min(most);
                out.extend_from_slice(&profile[at..start + counted + kept * size]);
                at = start + counted + most * size;
            }
            out.extend_from_slice(&profile[at..]);
        }
        self.tokens.iter().for_each(|tokens| out.extend_from_slice(&tokens.to_le_bytes()));
    }

    /// Reads a summary.
    ///
    /// # Errors
    /// [`crate::FormatError`] for the first rule that is broken.
    pub fn decode(bytes: &'a [u8]) -> Result<Self> {
        let mut cursor = Cursor::unversioned("summary", bytes);
        let flags = cursor.u16()?;
        if flags & !KNOWN != 0 {
            return malformed("summary", 0, "unknown flags are zero");
        }
        let is_twice = |both: u16| flags & both == both;
        if is_twice(URL | URL_IS_ID) || is_twice(SITE | SITE_IN_URL) {
            return malformed("summary", 0, "address and site stand in one place");
        }
        let has = |flag: u16| flags & flag != 0;
        fn words<const N: usize>(cursor: &mut Cursor<'_>) -> Result<[u64; N]> {
            let mut words = [0; N];
            words.iter_mut().try_for_each(|word| cursor.u64().map(|value| *word = value))?;
            Ok(words)
        }
        let fingerprint = cursor.u64()?;
        let id = name(&mut cursor)?;
        check_id(id)?;
        let url = if has(URL) { Some(name(&mut cursor)?) } else { Some(id).filter(|_| has(URL_IS_ID)) };
        let site = if has(SITE_IN_URL) {
            let [start, size] = cursor.array::<2>()?.map(usize::from);
            match url.and_then(|url| url.get(start..start + size)) {
                None => return malformed("summary", 0, "the place of the site is one in the address"),
                site => site,
            }
        } else {
            has(SITE).then(|| name(&mut cursor)).transpose()?
        };
        let summary = Self {
            fingerprint,
            id,
            url,
            site,
            is_without_terms: has(WITHOUT_TERMS),
            digest: has(DIGEST).then(|| cursor.array()).transpose()?,
            min_bytes: has(MIN_HASH).then(|| cursor.array()).transpose()?,
            supershingles: has(SUPERSHINGLES).then(|| words(&mut cursor)).transpose()?,
            projection: has(PROJECTION).then(|| words(&mut cursor)).transpose()?,
            profile: has(PROFILED).then(|| profile(&mut cursor)).transpose()?,
            tokens: has(TOKENS).then(|| cursor.u32()).transpose()?,
        };
        cursor.end()?;
        Ok(summary)
    }
}

/// Appends a name: its length and its bytes.
fn put_name(out: &mut Vec<u8>, name: &str) {
    match u8::try_from(name.len()) {
        Ok(size) if usize::from(size) < LONG => {
            out.push(size);
            out.extend_from_slice(name.as_bytes());
        }
        _ => {
            out.push(LONG as u8);
            put_text(out, name);
        }
    }
}

/// Reads a name.
fn name<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str> {
    match usize::from(cursor.u8()?) {
        LONG => cursor.text(),
        size => cursor.utf8(size),
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
