//! The documents of one state of a database, as methods read them.

mod build;

use super::evidence::Evidence;
use super::room::Room;
use super::row::{MIN_HASH, MIN_VALUES, ROW, Row, SKETCH};
use crate::Result;
use crate::store::{Progress, TempMap, View, Words};
use crate::text::Headings;

/// What the methods read of the documents of one [`View`]: rows of fixed width in temporary files, which are
/// read as if in memory, in the order of document numbers. A document is named by its *ordinal*, the place of
/// its row, so that all sorting and joining is of 32-bit numbers; ids come back when lines are written.
///
/// In memory stand eight bytes for each document.
#[derive(Debug)]
pub struct Collection {
    rows: Words<ROW>,
    /// Six supershingles and six words of projection of each, if any document has them.
    sketches: Option<Words<SKETCH>>,
    /// The 84 min-values of each and the hashes of its headings, if any document has them.
    min_values: Option<Words<MIN_HASH>>,
    /// All ids, end to end, in bytewise order.
    ids: TempMap,
    /// Where each id ends.
    ends: Words<1>,
    /// The ordinal of the document with each id.
    by_rank: Vec<u32>,
    /// The least ordinal with the same token sequence.
    representative: Vec<u32>,
    held: Held,
}

/// How many documents have what methods need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Documents that are not deleted.
    pub documents: u64,
    /// Of these, documents with a fingerprint: with two tokens or more.
    pub fingerprints: u64,
    /// Documents with the digest of a token sequence.
    pub digests: u64,
    /// Documents with supershingles.
    pub supershingles: u64,
    /// Documents with a projection.
    pub projections: u64,
    /// Documents with min-values.
    pub min_values: u64,
    /// Documents without any token.
    pub empty: u64,
}

impl Collection {
    /// Reads the live documents of a view.
    ///
    /// # Errors
    /// [`crate::Error::OutOfRange`] for 2^32 - 1 documents and more; damage; errors of the disk;
    /// [`crate::Error::Cancelled`].
    pub fn build(view: View<'_>, room: &Room, watch: &mut (dyn FnMut(&Progress) -> bool + Send)) -> Result<Self> {
        build::build(view, room, false, watch)
    }

    /// The same, together with deleted documents that no compaction has dropped yet, unless another
    /// document has their id: what clusters are made of.
    ///
    /// # Errors
    /// As [`Collection::build`].
    pub fn with_deleted(
        view: View<'_>,
        room: &Room,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        build::build(view, room, true, watch)
    }

    /// Number of documents.
    pub fn len(&self) -> u32 {
        self.by_rank.len() as u32
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.by_rank.is_empty()
    }

    /// How many documents have what methods need.
    pub fn held(&self) -> &Held {
        &self.held
    }

    /// What is known of a document.
    #[inline]
    pub fn row(&self, ordinal: u32) -> Row {
        Row::decode(&self.rows.row(ordinal as usize))
    }

    /// The supershingles of a document (Henzinger 2006, 2).
    pub fn supershingles(&self, ordinal: u32) -> Option<[u64; 6]> {
        let row = self.row(ordinal);
        row.has_supershingles.then(|| self.halves(ordinal)[0])
    }

    /// The projection of a document (Henzinger 2006, 2).
    pub fn projection(&self, ordinal: u32) -> Option<[u64; 6]> {
        let row = self.row(ordinal);
        row.has_projection.then(|| self.halves(ordinal)[1])
    }

    /// Supershingles and projection, zero where there is none.
    #[inline]
    pub(super) fn halves(&self, ordinal: u32) -> [[u64; 6]; 2] {
        let sketch = self.sketches.as_ref().and_then(|sketches| sketches.get(ordinal as usize)).unwrap_or([0; SKETCH]);
        let (halves, _) = sketch.as_chunks::<6>();
        [halves[0], halves[1]]
    }

    /// The min-values of a document, the one at place 2i in the low half of number i; zeros where there are none.
    #[inline]
    pub(super) fn packed_min_values(&self, ordinal: u32) -> [u64; MIN_VALUES] {
        let row = self.min_hash(ordinal);
        std::array::from_fn(|at| row[at])
    }

    /// Title and first heading of a document with min-values.
    pub(super) fn headings(&self, ordinal: u32) -> Headings {
        let row = self.min_hash(ordinal);
        Headings { title: row[MIN_VALUES], heading: row[MIN_VALUES + 1] }
    }

    #[inline]
    fn min_hash(&self, ordinal: u32) -> [u64; MIN_HASH] {
        let row = self.min_values.as_ref().and_then(|min_values| min_values.get(ordinal as usize));
        row.unwrap_or([0; MIN_HASH])
    }

    /// The id of a document.
    pub fn id(&self, ordinal: u32) -> &str {
        self.id_at(self.row(ordinal).rank)
    }

    /// The id with this place in bytewise order.
    pub(super) fn id_at(&self, rank: u32) -> &str {
        let end = |rank: usize| self.ends.row(rank)[0] as usize;
        let start = if rank == 0 { 0 } else { end(rank as usize - 1) };
        std::str::from_utf8(&self.ids.as_ref()[start..end(rank as usize)]).unwrap_or("")
    }

    /// The document whose id has this place in bytewise order.
    pub fn at_rank(&self, rank: u32) -> u32 {
        self.by_rank[rank as usize]
    }

    /// The ordinal of the document with this id.
    pub fn find(&self, id: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.id_at(middle) < id { low = middle + 1 } else { high = middle }
        }
        (low < self.len() && self.id_at(low) == id).then(|| self.at_rank(low))
    }

    /// The least ordinal with the same token sequence, its own if it is alone: the one of an identity set
    /// that goes on (Henzinger 2006, 2).
    #[inline]
    pub fn representative(&self, ordinal: u32) -> u32 {
        self.representative[ordinal as usize]
    }

    /// All that is known of a pair of different documents without their texts.
    pub fn evidence(&self, a: u32, b: u32) -> Evidence {
        let (x, y) = (self.row(a), self.row(b));
        let sketches = (x.has_supershingles && y.has_supershingles) || (x.has_projection && y.has_projection);
        let [p, q] = if sketches { [self.halves(a), self.halves(b)] } else { Default::default() };
        let min_values = x.has_min_values && y.has_min_values;
        Evidence {
            identical: self.representative(a) == self.representative(b),
            distance: x.fingerprint.zip(y.fingerprint).map(|(x, y)| (x.0 ^ y.0).count_ones()),
            b_similarity: (x.has_supershingles && y.has_supershingles).then(|| b_similarity(&p[0], &q[0])),
            c_similarity: (x.has_projection && y.has_projection).then(|| c_similarity(&p[1], &q[1])),
            agreement: min_values.then(|| agreement(&self.packed_min_values(a), &self.packed_min_values(b))),
            same_site: x.site.zip(y.site).map(|(x, y)| x == y),
            same_heading: if min_values { self.headings(a).agree(&self.headings(b)) } else { None },
            ..Evidence::default()
        }
    }
}

/// Number of equal supershingles at equal places (Henzinger 2006, 2: B-similarity).
pub fn b_similarity(a: &[u64; 6], b: &[u64; 6]) -> u32 {
    a.iter().zip(b).filter(|(a, b)| a == b).count() as u32
}

/// Number of equal bits (Henzinger 2006, 2: C-similarity).
pub fn c_similarity(a: &[u64; 6], b: &[u64; 6]) -> u32 {
    384 - a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
}

/// Number of equal min-values at equal places, of rows of two in each number.
#[inline]
pub(super) fn agreement(a: &[u64; MIN_VALUES], b: &[u64; MIN_VALUES]) -> u32 {
    let equal = |differ: u64| u32::from(differ as u32 == 0) + u32::from(differ >> 32 == 0);
    a.iter().zip(b).map(|(a, b)| equal(a ^ b)).sum()
}
