//! A collection: rows, ids and sketches of documents, and their look-up.

use nddb_format::record::{MIN_VALUES, NUMBER_MARK, PROFILE as PROFILE_SIZE, other_kind};
use nddb_index::prefetch::prefetch;
use nddb_index::spill::mapped_rows::MappedRows;
use nddb_index::spill::temp_file::TempMap;
use nddb_page::sketch::{Profile, titles_of};
use nddb_page::text::Headings;
use nddb_verdict::{Derived, DocumentPair, Known};

use super::order::Places;
use super::row::{DETAILS, MIN_BYTES, PROFILE, ROW, Row, SKETCH};
use crate::requirements::Held;

/// The documents of one [`View`](nddb_index::View), in the form that methods read: rows of fixed width in memory-mapped
/// temporary files. A document is identified by its *ordinal*, a 32-bit number that is its place in the order of age;
/// ordinals are mapped back to ids when lines are written. The age of a document follows from its number; of the
/// documents of one load the better one comes first ([`Keep::Stored`](crate::Keep::Stored)).
///
/// A collection takes eight to twelve bytes of memory per document.
#[derive(Debug)]
pub struct Collection {
    pub(super) places: Places,
    pub(super) rows: MappedRows<ROW>,
    /// Digest, date and length of the address per document; `None` if no document has any of these.
    pub(super) details: Option<MappedRows<DETAILS>>,
    /// Six supershingles and six projection words per document; `None` if no document has any.
    pub(super) sketches: Option<MappedRows<SKETCH>>,
    /// A byte of each of the 84 min-values per document; `None` if no document has them.
    pub(super) min_bytes: Option<MappedRows<MIN_BYTES>>,
    /// The profile per document; `None` if no document has one.
    pub(super) profiles: Option<MappedRows<PROFILE>>,
    /// All ids, concatenated, in bytewise order.
    pub(super) ids: TempMap,
    /// End offset of each id, in bytes.
    pub(super) ends: MappedRows<1>,
    /// Ordinal of the document with the id of each rank.
    pub(super) by_rank: Vec<u32>,
    /// Least ordinal with the same token sequence, by ordinal.
    pub(super) representative: Vec<u32>,
    /// Hash of the name of each site: the low 64 bits of its XXH3 (128 bits, seed 0).
    pub(super) site_names: Vec<u64>,
    /// Whether candidate keys are the bands of profiles instead of the bands of min-values.
    pub(super) has_bands_of_profiles: bool,
    pub(super) held: Held,
}

impl Collection {
    /// Returns the number of documents.
    pub fn len(&self) -> u32 {
        self.by_rank.len() as u32
    }

    /// Returns whether the collection has no documents.
    pub fn is_empty(&self) -> bool {
        self.by_rank.is_empty()
    }

    /// Returns the index of the row of each document; rows are in the order of document numbers.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// Returns a closure that maps a document number to the ordinal of the document, if the collection has it. Each
    /// call must pass a greater number than the call before.
    pub fn by_number(&self) -> impl FnMut(u64) -> Option<u32> + '_ {
        let (ordinals, mut next) = (self.places.ordinals(self.len()), 0);
        move |number| {
            while next < ordinals.len() && self.row(ordinals[next]).number < number {
                next += 1;
            }
            ordinals.get(next).copied().filter(|&ordinal| self.row(ordinal).number == number)
        }
    }

    /// Returns how many documents have each sketch.
    pub fn held(&self) -> &Held {
        &self.held
    }

    /// Returns the row of a document.
    #[inline]
    pub fn row(&self, ordinal: u32) -> Row {
        Row::at(&self.rows, self.details.as_ref(), self.places.of(ordinal))
    }

    /// Returns the supershingles of a document, if it has them (Henzinger 2006, 2).
    pub fn supershingles(&self, ordinal: u32) -> Option<[u64; 6]> {
        let row = self.row(ordinal);
        row.has_supershingles.then(|| self.halves(ordinal)[0])
    }

    /// Returns the projection of a document, if it has one (Henzinger 2006, 2).
    pub fn projection(&self, ordinal: u32) -> Option<[u64; 6]> {
        let row = self.row(ordinal);
        row.has_projection.then(|| self.halves(ordinal)[1])
    }

    /// Returns supershingles and projection of a document; zeros for a missing sketch.
    #[inline]
    pub(crate) fn halves(&self, ordinal: u32) -> [[u64; 6]; 2] {
        let sketch =
            self.sketches.as_ref().and_then(|sketches| sketches.get(self.places.of(ordinal))).unwrap_or([0; SKETCH]);
        let (halves, _) = sketch.as_chunks::<6>();
        [halves[0], halves[1]]
    }

    /// Returns the bytes of the min-values of a document as little-endian words; zeros if it has none.
    #[inline]
    pub(super) fn min_words(&self, ordinal: u32) -> [u64; MIN_BYTES] {
        let row = self.min_bytes.as_ref().and_then(|min_bytes| min_bytes.get(self.places.of(ordinal)));
        row.unwrap_or([0; MIN_BYTES])
    }

    /// Returns a byte of each min-value of a document; zeros if it has none.
    #[inline]
    pub(crate) fn min_bytes(&self, ordinal: u32) -> [u8; MIN_VALUES] {
        let bytes = self.min_words(ordinal).map(u64::to_le_bytes);
        *bytes.as_flattened().first_chunk().expect("a byte of each")
    }

    /// Returns the hashes of title and headings of a document; zeros if it has no profile.
    pub fn headings(&self, ordinal: u32) -> Headings {
        self.profile_of(ordinal).map(|profile| titles_of(&profile)).unwrap_or_default()
    }

    /// Returns whether the recipe of the database uses the bands of profiles as candidate keys.
    pub(crate) fn has_bands_of_profiles(&self) -> bool {
        self.has_bands_of_profiles
    }

    /// Returns the profile of a document as little-endian words; zeros if it has none. The first 21 words are the
    /// min-values of short shingles.
    #[inline]
    pub(crate) fn profile_words(&self, ordinal: u32) -> [u64; PROFILE] {
        let row = self.profiles.as_ref().and_then(|profiles| profiles.get(self.places.of(ordinal)));
        row.unwrap_or([0; PROFILE])
    }

    /// Returns the profile of a document, if it has one.
    pub(crate) fn profile_of(&self, ordinal: u32) -> Option<Profile> {
        self.row(ordinal).has_profile.then(|| self.profile(ordinal))
    }

    /// Returns the profile of a document; zeros if it has none.
    pub(crate) fn profile(&self, ordinal: u32) -> Profile {
        let bytes = self.profiles.as_ref().and_then(|profiles| profiles.bytes(self.places.of(ordinal)));
        Profile::from_bytes(bytes.and_then(<[u8]>::first_chunk).unwrap_or(&[0; PROFILE_SIZE]))
    }

    /// Returns the id of a document.
    pub fn id(&self, ordinal: u32) -> &str {
        self.id_at(self.row(ordinal).rank)
    }

    /// Returns the id with this rank in bytewise order.
    pub(crate) fn id_at(&self, rank: u32) -> &str {
        let end = |rank: usize| self.ends.row(rank)[0] as usize;
        let start = if rank == 0 { 0 } else { end(rank as usize - 1) };
        std::str::from_utf8(&self.ids.as_ref()[start..end(rank as usize)]).unwrap_or("")
    }

    /// Prefetches the places of the document and the id of a rank.
    #[inline]
    pub(crate) fn prefetch_places(&self, rank: u32) {
        prefetch(&self.by_rank, rank as usize);
        self.ends.prefetch(rank as usize);
    }

    /// Prefetches the document and the id of a rank whose places were prefetched.
    #[inline]
    pub(crate) fn prefetch(&self, rank: u32) {
        self.rows.prefetch(self.places.of(self.at_rank(rank)));
        prefetch(self.ids.as_ref(), self.ends.row(rank as usize)[0].saturating_sub(1) as usize);
    }

    /// Returns the ordinal of the document whose id has this rank in bytewise order.
    pub fn at_rank(&self, rank: u32) -> u32 {
        self.by_rank[rank as usize]
    }

    /// Returns the ordinal of the document with this id, if there is one.
    pub fn find(&self, id: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.id_at(middle) < id { low = middle + 1 } else { high = middle }
        }
        (low < self.len() && self.id_at(low) == id).then(|| self.at_rank(low))
    }

    /// Returns whether a document has an id of the other kind that looks like this one, as the text `17` and the number
    /// 17 do.
    pub fn has_namesake(&self, id: &str) -> bool {
        // In bytewise order, ids that are numbers come before all texts.
        let has_both = !self.is_empty()
            && self.id_at(0).starts_with(NUMBER_MARK)
            && !self.id_at(self.len() - 1).starts_with(NUMBER_MARK);
        has_both && other_kind(id).is_some_and(|other| self.find(&other).is_some())
    }

    /// Returns the least ordinal with the same token sequence, the representative of the identity set (Henzinger 2006,
    /// 2).
    #[inline]
    pub fn representative(&self, ordinal: u32) -> u32 {
        self.representative[ordinal as usize]
    }

    /// Compares two different documents by their sketches.
    pub fn compared<R>(&self, a: u32, b: u32, judge: impl FnOnce(&DocumentPair<'_>) -> R) -> R {
        self.compared_with(&self.sketched(a), b, judge)
    }

    /// Returns the sketches of a document that is compared with several others.
    pub(crate) fn sketched(&self, ordinal: u32) -> Sketched {
        let row = self.row(ordinal);
        Sketched { ordinal, site: row.site, known: self.known(&row, ordinal), derived: Derived::default() }
    }

    /// Compares a document with another one by their sketches.
    pub(crate) fn compared_with<R>(&self, a: &Sketched, b: u32, judge: impl FnOnce(&DocumentPair<'_>) -> R) -> R {
        let row = self.row(b);
        let same_site = a.site.zip(row.site).map(|(a, b)| a == b);
        judge(&DocumentPair::new(&a.known, &self.known(&row, b), same_site).keeping(&a.derived))
    }

    /// Returns the sketches and properties of a document that the catalog stores, given its row.
    fn known(&self, row: &Row, ordinal: u32) -> Known {
        let sketched = row.has_supershingles || row.has_projection;
        let [supershingles, projection] = if sketched { self.halves(ordinal) } else { Default::default() };
        Known {
            fingerprint: row.fingerprint,
            digest: row.digest.map(|[high, low]| u128::from(high) << 64 | u128::from(low)),
            supershingles: row.has_supershingles.then_some(supershingles),
            projection: row.has_projection.then_some(projection),
            min_bytes: row.has_min_values.then(|| self.min_bytes(ordinal)),
            profile: row.has_profile.then(|| self.profile(ordinal)),
            tokens: row.tokens,
            is_without_terms: row.is_without_terms(),
        }
    }
}

/// The sketches of a document, and what follows from them.
pub(crate) struct Sketched {
    pub(crate) ordinal: u32,
    site: Option<u32>,
    known: Known,
    derived: Derived,
}
