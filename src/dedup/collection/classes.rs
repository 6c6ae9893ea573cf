//! Classes of documents that are indistinguishable to a method.

use std::ops::Range;

use nddb_index::Result;
use nddb_index::spill::parallel::each_in_order;
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::{Sorted, Sorter};
use nddb_page::text::Headings;
use nddb_verdict::methods::Hamming;
use nddb_verdict::{Besides, Keys, Method, Sketch};
use xxhash_rust::xxh3::xxh3_128;

use super::documents::Collection;
use super::row::Row;
use crate::options::PairOptions;

/// Documents whose keys a thread makes at a time.
const STRETCH: u32 = if cfg!(test) { 16 } else { 1 << 12 };

/// Hash of the part of the text of a document that a method compares.
type TextHash<'a> = dyn Fn(u32) -> Option<u128> + Sync + 'a;

/// Equivalence classes of documents for a method: identity sets (Henzinger 2006, 2), which are merged if their
/// representatives have equal sketches and different texts (hot groups; Manku et al. 2007, 4: millions of documents may
/// share one fingerprint).
///
/// The method names these sketches; a method that compares texts uses the compared part of the text instead. If hamming
/// decides about bare fingerprints, equal bare fingerprints form classes, too.
#[derive(Debug)]
pub struct Classes {
    /// Least ordinal of the class of each document.
    leader: Vec<u32>,
}

impl Classes {
    /// Returns the classes for a search for pairs: by identity and sketch, or with `expand` by sketch alone. `text`
    /// hashes the part of a text that the method compares.
    pub(crate) fn of(collection: &Collection, options: &PairOptions, text: &TextHash<'_>) -> Result<Self> {
        let seen = Seen::new(collection, &*options.method, options.decider().or_hamming, text);
        let len = collection.len();
        if options.expand && !options.method.needs_text() && !options.method.is_identity() {
            return Self::made(len, &|ordinal| seen.alone(ordinal), &options.resources, &|ordinal| ordinal);
        }
        let of = |ordinal: u32| collection.representative(ordinal);
        Self::made(len, &|ordinal| seen.besides(ordinal), &options.resources, &of)
    }

    /// Returns the classes by identity and, if the method has one, by sketch. `text` hashes the part of a text that the
    /// method compares.
    pub fn new(
        collection: &Collection,
        method: &dyn Method,
        text: &TextHash<'_>,
        resources: &Resources,
    ) -> Result<Self> {
        let seen = Seen::new(collection, method, None, text);
        let of = |ordinal: u32| collection.representative(ordinal);
        Self::made(collection.len(), &|ordinal| seen.besides(ordinal), resources, &of)
    }

    /// Returns the classes of documents with equal texts, each led by the oldest document.
    pub fn of_texts(collection: &Collection) -> Self {
        Self { leader: (0..collection.len()).map(|ordinal| collection.representative(ordinal)).collect() }
    }

    /// Returns the classes by sketch of the documents that `of` returns, the representatives.
    fn made(len: u32, sketch: &TextHash<'_>, resources: &Resources, of: &(dyn Fn(u32) -> u32 + Sync)) -> Result<Self> {
        let mut leader: Vec<u32> = (0..len).map(of).collect();
        let (folder, memory) = (&resources.folder, resources.memory_limit / 2);
        let mut words = Sorter::<2>::new(folder, memory).on(resources.threads);
        let mut hashes = Sorter::<3>::new(folder, memory).on(resources.threads);
        each_in_order(
            resources.threads,
            |give| {
                let mut starts = (0..len).step_by(STRETCH as usize);
                starts.try_for_each(|start| give(start..len.min(start.saturating_add(STRETCH))))
            },
            || (),
            |(), ordinals: Range<u32>| {
                let representatives = ordinals.filter(|&ordinal| of(ordinal) == ordinal);
                Ok(representatives.filter_map(|ordinal| sketch(ordinal).map(|key| (ordinal, key))).collect::<Vec<_>>())
            },
            |keys| {
                keys.into_iter().try_for_each(|(ordinal, key)| match (key >> 64) as u64 {
                    0 => words.push([key as u64, ordinal.into()]),
                    high => hashes.push([high, key as u64, ordinal.into()]),
                })
            },
        )?;
        lead(words.finish(), &mut leader)?;
        lead(hashes.finish(), &mut leader)?;
        // Other documents join the class of their representative, which has a lower ordinal.
        for ordinal in 0..len {
            leader[ordinal as usize] = leader[of(ordinal) as usize];
        }
        Ok(Self { leader })
    }

    /// Returns the classes with these leaders: the leader of each document is the least ordinal of its class.
    pub fn given(leader: Vec<u32>) -> Self {
        Self { leader }
    }

    /// Returns the leader of a document: the least ordinal of its class.
    #[inline]
    pub fn leader(&self, ordinal: u32) -> u32 {
        self.leader[ordinal as usize]
    }

    /// Returns the leaders of all classes, ascending.
    pub fn leaders(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.leader.len() as u32).filter(|&ordinal| self.leader(ordinal) == ordinal)
    }

    /// Returns the members of all classes, for look-up by leader.
    pub fn members(&self) -> Members {
        self.members_where(|_| true)
    }

    /// Returns those members of all classes that `is_taken` accepts.
    pub fn members_where(&self, is_taken: impl Fn(u32) -> bool) -> Members {
        let taken = || (0..).zip(&self.leader).filter(|(ordinal, _)| is_taken(*ordinal));
        let mut starts = vec![0u32; self.leader.len() + 1];
        taken().for_each(|(_, &leader)| starts[leader as usize + 1] += 1);
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut members = vec![0; starts.last().map_or(0, |&len| len as usize)];
        for (ordinal, &leader) in taken() {
            members[next[leader as usize] as usize] = ordinal;
            next[leader as usize] += 1;
        }
        Members { starts, members }
    }
}

/// The members of each class, ascending, by leader.
pub struct Members {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Members {
    /// Returns the members of the class that this document leads; empty if it is not a leader.
    pub fn of(&self, leader: u32) -> &[u32] {
        &self.members[self.starts[leader as usize] as usize..self.starts[leader as usize + 1] as usize]
    }
}

/// Takes rows of a key and an ordinal, and makes the first ordinal of each key the leader of all ordinals with that
/// key.
pub(super) fn lead<const N: usize>(sorted: Sorted<N>, leader: &mut [u32]) -> Result<()> {
    let mut first: Option<[u64; N]> = None;
    sorted.each(&mut |rows| {
        for row in rows {
            let first = first.get_or_insert(*row);
            if first[..N - 1] != row[..N - 1] {
                *first = *row;
            }
            leader[row[N - 1] as usize] = first[N - 1] as u32;
        }
        Ok(())
    })
}

/// Returns a single word unchanged, or the hash of several words.
fn hash(words: &[u64]) -> u128 {
    if let &[word] = words {
        return word.into();
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    xxh3_128(&bytes)
}

/// Returns a number of tokens as a word of a key.
fn length(tokens: Option<u32>) -> u64 {
    tokens.map_or(0, |tokens| u64::from(tokens) + 1)
}

/// Returns the class key of a document for a search for pairs, by sketch. Documents with equal keys are in one class,
/// even if their texts differ. If the key is `None`, the document shares a class only with documents of equal text.
pub(crate) fn class_key(collection: &Collection, options: &PairOptions, ordinal: u32) -> Option<u128> {
    Seen::new(collection, &*options.method, options.decider().or_hamming, &|_| None).besides(ordinal)
}

/// The properties of documents that a method compares, as 128-bit hashes, wide enough to exclude collisions.
struct Seen<'a> {
    collection: &'a Collection,
    method: &'a dyn Method,
    /// Whether the method reads texts.
    needs_text: bool,
    /// Whether candidate keys are made from the profile.
    is_by_profile: bool,
    or_hamming: Option<&'a Hamming>,
    text: &'a TextHash<'a>,
}

impl<'a> Seen<'a> {
    fn new(
        collection: &'a Collection,
        method: &'a dyn Method,
        or_hamming: Option<&'a Hamming>,
        text: &'a TextHash<'a>,
    ) -> Self {
        let has_bands = method.keys().iter().any(|keys| matches!(keys, Keys::Bands { .. }));
        let is_by_profile = has_bands && collection.has_bands_of_profiles();
        Self { collection, method, needs_text: method.needs_text(), is_by_profile, or_hamming, text }
    }

    /// Returns the class key for classes that their founder represents: the sketches, and other properties on which the
    /// verdict depends.
    fn besides(&self, ordinal: u32) -> Option<u128> {
        let collection = self.collection;
        if self.needs_text {
            return (self.text)(ordinal);
        }
        let row = collection.row(ordinal);
        let Some(mut words) = self.sketch(&row, ordinal) else { return self.bare(&row) };
        if self.method.besides() == Besides::SiteAndHeadings {
            let Headings { title, heading } = collection.headings(ordinal);
            // The name instead of the number, because keys from different collections are compared, too.
            let site = row.site.map_or(0, |site| collection.site_names[site as usize]);
            words.extend([title, heading, u64::from(row.site.is_some()), site]);
        }
        Some(hash(&words))
    }

    /// Returns the class key for a search that decides every pair of members by itself. Documents of equal texts may
    /// have different sketches, because the markup determines which part of a page is its content.
    fn alone(&self, ordinal: u32) -> Option<u128> {
        let row = self.collection.row(ordinal);
        let Some(mut words) = self.sketch(&row, ordinal) else { return self.bare(&row) };
        if self.is_by_profile && !self.method.class().contains(&Sketch::Profile) {
            // Candidate pairs share a band, and documents of equal min-values may have different bands.
            words.extend(self.collection.profile(ordinal).bands());
        }
        if let Some(hamming) = self.or_hamming {
            // The fingerprint finds pairs with documents without sketches; the flag tells whether the method decides.
            let fingerprint = row.fingerprint.map_or(0, |fingerprint| fingerprint.0);
            words.extend([fingerprint, row.fingerprint.is_some().into(), row.is_without_terms().into()]);
            words.extend((hamming.besides() == Besides::Length).then(|| length(row.tokens)));
            if self.method.besides() == Besides::Site {
                words.push(row.site.map_or(0, |site| u64::from(site) + 1));
            }
        }
        Some(hash(&words))
    }

    /// Returns the sketches of the class; `None` if the document lacks one of them.
    fn sketch(&self, row: &Row, ordinal: u32) -> Option<Vec<u64>> {
        let (collection, class) = (self.collection, self.method.class());
        let sketches = row.sketches();
        if class.is_empty() || !sketches.suffice_for(self.method.compares()) {
            return None;
        }
        // Equal sketches are found only if the document has the profile from which the keys are made.
        if self.is_by_profile && !row.has_profile {
            return None;
        }
        let mut words = Vec::with_capacity(1);
        if self.method.besides() == Besides::Length {
            words.push(length(row.tokens));
        }
        for &sketch in class {
            match sketch {
                Sketch::Fingerprint => words.push(row.fingerprint?.0),
                Sketch::Digest => words.extend(row.digest?),
                Sketch::Supershingles => words.extend(collection.halves(ordinal)[0]),
                Sketch::Projection => words.extend(collection.halves(ordinal)[1]),
                Sketch::MinValues => words.extend(collection.min_words(ordinal)),
                Sketch::Profile => words.extend(collection.profile_words(ordinal)),
                Sketch::Content => words.push(collection.profile(ordinal).content),
            }
        }
        Some(words)
    }

    /// Returns the class key of a bare fingerprint, if hamming decides about it.
    fn bare(&self, row: &Row) -> Option<u128> {
        let is_bare = self.or_hamming.is_some() && row.sketches().are_bare() && row.tokens.is_none();
        row.fingerprint.filter(|_| is_bare).map(|fingerprint| fingerprint.0.into())
    }
}
