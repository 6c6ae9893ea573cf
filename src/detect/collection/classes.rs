//! Classes: documents that a method cannot tell apart.

use xxhash_rust::xxh3::xxh3_128;

use super::documents::Collection;
use super::row::Row;
use crate::Result;
use crate::detect::method::definition::{Besides, Keys};
use crate::detect::method::options::PairOptions;
use crate::detect::method::registry::Method;
use crate::detect::method::sketches::Sketch;
use crate::spill::resources::Resources;
use crate::spill::sort::Sorter;
use crate::text::Headings;

/// Hashes what a method sees of a document's text.
type TextHash<'a> = dyn Fn(u32) -> Option<u128> + 'a;

/// The documents that are one for a method: identity sets (Henzinger 2006, 2), and of their representatives the
/// hot groups, those with one sketch but different texts (Manku et al. 2007, 4: one fingerprint may be
/// shared by millions of documents).
///
/// Each method says which sketches these are; for the methods that compare texts it is what of the text they compare.
/// Where simhash decides about bare fingerprints, those are classes, too.
#[derive(Debug)]
pub struct Classes {
    /// The least ordinal of the class of each document.
    leader: Vec<u32>,
}

impl Classes {
    /// The classes by which pairs are found: by identity and sketch; where all pairs are asked for, by sketch alone.
    /// `text` hashes what the method sees of a document's text.
    pub(crate) fn of(collection: &Collection, options: &PairOptions, text: &TextHash<'_>) -> Result<Self> {
        let seen = Seen { collection, method: options.method, or_simhash: options.decider().or_simhash, text };
        let len = collection.len();
        if options.expand && !options.method.needs_text() && options.method != Method::Identity {
            return Self::made(len, &|ordinal| seen.alone(ordinal), &options.resources, &|ordinal| ordinal);
        }
        let of = |ordinal| collection.representative(ordinal);
        Self::made(len, &|ordinal| seen.besides(ordinal), &options.resources, &of)
    }

    /// The classes by identity and, where the method has one, by its sketch.
    /// `text` hashes what the method sees of a document's text.
    pub fn new(collection: &Collection, method: Method, text: &TextHash<'_>, resources: &Resources) -> Result<Self> {
        let seen = Seen { collection, method, or_simhash: false, text };
        let of = |ordinal| collection.representative(ordinal);
        Self::made(collection.len(), &|ordinal| seen.besides(ordinal), resources, &of)
    }

    /// The documents with one text, each set under the oldest.
    pub fn of_texts(collection: &Collection) -> Self {
        Self { leader: (0..collection.len()).map(|ordinal| collection.representative(ordinal)).collect() }
    }

    /// The classes by sketch of those that `of` gives for the others.
    fn made(len: u32, sketch: &TextHash<'_>, resources: &Resources, of: &dyn Fn(u32) -> u32) -> Result<Self> {
        let mut leader: Vec<u32> = (0..len).map(of).collect();
        let mut sorter = Sorter::<3>::new(&resources.folder, resources.memory_limit / 2);
        for ordinal in (0..len).filter(|&ordinal| of(ordinal) == ordinal) {
            if let Some(sketch) = sketch(ordinal) {
                sorter.push([(sketch >> 64) as u64, sketch as u64, ordinal.into()])?;
            }
        }
        let mut first: Option<[u64; 3]> = None;
        sorter.finish().each(&mut |rows| {
            for row in rows {
                let first = first.get_or_insert(*row);
                if first[..2] != row[..2] {
                    *first = *row;
                }
                leader[row[2] as usize] = first[2] as u32;
            }
            Ok(())
        })?;
        // What is no representative follows its own, which stands before it.
        for ordinal in 0..len {
            leader[ordinal as usize] = leader[of(ordinal) as usize];
        }
        Ok(Self { leader })
    }

    /// Classes that are known by their leaders: the leader of each document, which leads itself and is the least.
    pub fn given(leader: Vec<u32>) -> Self {
        Self { leader }
    }

    /// The least ordinal of a document's class.
    #[inline]
    pub fn leader(&self, ordinal: u32) -> u32 {
        self.leader[ordinal as usize]
    }

    /// One document of each class, ascending.
    pub fn leaders(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.leader.len() as u32).filter(|&ordinal| self.leader(ordinal) == ordinal)
    }

    /// The members of all classes, to be looked up.
    pub fn members(&self) -> Members {
        self.members_where(|_| true)
    }

    /// Some members of all classes.
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

/// The members of each class, ascending, under its leader.
pub struct Members {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Members {
    /// The members of the class that this document leads; none if it leads none.
    pub fn of(&self, leader: u32) -> &[u32] {
        &self.members[self.starts[leader as usize] as usize..self.starts[leader as usize + 1] as usize]
    }
}

fn hash(words: &[u64]) -> u128 {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    xxh3_128(&bytes)
}

/// What a method sees of documents, as hashes that are wide enough that no two are equal.
struct Seen<'a> {
    collection: &'a Collection,
    method: Method,
    or_simhash: bool,
    text: &'a TextHash<'a>,
}

impl Seen<'_> {
    /// What documents of one class share where the founder stands for all: sketches, and what else decides.
    fn besides(&self, ordinal: u32) -> Option<u128> {
        let (collection, definition) = (self.collection, self.method.definition());
        if definition.needs_text() {
            return (self.text)(ordinal);
        }
        let row = collection.row(ordinal);
        let Some(mut words) = self.sketch(&row, ordinal) else { return self.bare(&row) };
        if definition.besides == Besides::SiteAndHeadings {
            let Headings { title, heading } = collection.headings(ordinal);
            words.extend([title, heading, row.site.map_or(0, |site| u64::from(site) + 1)]);
        }
        Some(hash(&words))
    }

    /// What they share where every pair of their members is decided by itself: documents of one text may have
    /// different sketches, for what is content in it is told by the markup around it.
    fn alone(&self, ordinal: u32) -> Option<u128> {
        let row = self.collection.row(ordinal);
        let Some(mut words) = self.sketch(&row, ordinal) else { return self.bare(&row) };
        if self.or_simhash {
            // By which they are found from documents without sketches, and what says whether the method can decide.
            let fingerprint = row.fingerprint.map_or(0, |fingerprint| fingerprint.0);
            words.extend([fingerprint, row.fingerprint.is_some().into(), row.is_without_terms().into()]);
            if self.method.definition().besides == Besides::Site {
                words.push(row.site.map_or(0, |site| u64::from(site) + 1));
            }
        }
        Some(hash(&words))
    }

    /// The sketches; none if the method's are not there.
    fn sketch(&self, row: &Row, ordinal: u32) -> Option<Vec<u64>> {
        let (collection, definition) = (self.collection, self.method.definition());
        let sketches = row.sketches();
        if definition.class.is_empty() || !sketches.suffice_for(definition.compares) {
            return None;
        }
        // Equal sketches are found only where there is what their keys are made of.
        let is_by_profile = definition.keys().contains(&Keys::Bands) && collection.has_bands_of_profiles();
        if is_by_profile && !row.has_profile {
            return None;
        }
        let mut words = Vec::with_capacity(1);
        for &sketch in definition.class {
            match sketch {
                Sketch::Fingerprint => words.push(row.fingerprint?.0),
                Sketch::Digest => words.extend(row.digest?),
                Sketch::Supershingles => words.extend(collection.halves(ordinal)[0]),
                Sketch::Projection => words.extend(collection.halves(ordinal)[1]),
                Sketch::MinValues => words.extend(collection.packed_min_values(ordinal)),
                Sketch::Profile => words.extend(collection.profile_words(ordinal)),
            }
        }
        Some(words)
    }

    /// The fingerprint of a document of which nothing else is known, where simhash decides about it.
    fn bare(&self, row: &Row) -> Option<u128> {
        let is_bare = self.or_simhash && row.sketches().are_bare() && row.tokens.is_none();
        row.fingerprint.filter(|_| is_bare).map(|fingerprint| fingerprint.0.into())
    }
}
