//! Classes: documents that a method cannot tell apart.

use xxhash_rust::xxh3::xxh3_128;

use super::documents::Collection;
use crate::Result;
use crate::detect::method::name::Method;
use crate::spill::resources::Resources;
use crate::spill::sort::Sorter;
use crate::text::Headings;

/// Hashes what a method sees of a document's text.
type TextHash<'a> = dyn Fn(u32) -> Option<u128> + 'a;

/// The documents that are one for a method: identity sets (Henzinger 2006, 2), and of their representatives the
/// hot groups, those with one sketch but different texts (Manku et al. 2007, 4: one fingerprint may be
/// shared by millions of documents).
///
/// The sketch is the fingerprint for simhash, the six supershingles for B, the projection for C, both of
/// these for combined and split, the 84 min-values, headings and site for min-hash; for the methods that compare texts it is what
/// of the text they compare.
#[derive(Debug)]
pub struct Classes {
    /// The least ordinal of the class of each document.
    leader: Vec<u32>,
}

impl Classes {
    /// The classes by identity and, where the method has one, by its sketch.
    /// `text` hashes what the method sees of a document's text.
    pub fn new(collection: &Collection, method: Method, text: &TextHash<'_>, resources: &Resources) -> Result<Self> {
        let sketch = |ordinal| sketch(collection, method, text, ordinal);
        Self::made(collection.len(), &sketch, resources, &|ordinal| collection.representative(ordinal))
    }

    /// The classes by sketch alone: documents of one text may have different sketches, for what is content in
    /// it is told by the markup around it. The sketch for min-hash is the min-values only: of these classes every pair
    /// is decided by itself.
    pub fn of_sketches(collection: &Collection, method: Method, resources: &Resources) -> Result<Self> {
        let sketch = |ordinal| match method {
            Method::MinHash => {
                let row = collection.row(ordinal);
                row.has_min_values.then(|| hash(&collection.packed_min_values(ordinal)))
            }
            _ => sketch(collection, method, &|_| None, ordinal),
        };
        Self::made(collection.len(), &sketch, resources, &|ordinal| ordinal)
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

/// A hash, wide enough that no two are equal, of what a method sees of a document; none if it sees nothing.
fn sketch(collection: &Collection, method: Method, text: &dyn Fn(u32) -> Option<u128>, ordinal: u32) -> Option<u128> {
    let row = collection.row(ordinal);
    match method {
        Method::Simhash => row.fingerprint.map(|fingerprint| fingerprint.0.into()),
        Method::B => collection.supershingles(ordinal).map(|words| hash(&words)),
        Method::C => collection.projection(ordinal).map(|words| hash(&words)),
        Method::Combined | Method::Split => {
            let [supershingles, projection] = [collection.supershingles(ordinal)?, collection.projection(ordinal)?];
            Some(hash([supershingles, projection].as_flattened()))
        }
        Method::Model => row.has_profile.then(|| {
            let profile = collection.profile_words(ordinal);
            hash([&collection.packed_min_values(ordinal)[..], &profile[..]].concat().as_slice())
        }),
        // Whether two are near depends on sites and headings besides.
        Method::MinHash => row.has_min_values.then(|| {
            let Headings { title, heading } = collection.headings(ordinal);
            let site = row.site.map_or(0, |site| u64::from(site) + 1);
            hash([&collection.packed_min_values(ordinal)[..], &[title, heading, site]].concat().as_slice())
        }),
        Method::Lcs | Method::Cosine | Method::Shingles => text(ordinal),
        Method::Identity => None,
    }
}
