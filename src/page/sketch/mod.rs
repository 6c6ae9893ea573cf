//! From tokens to sketches: min-hash bits, simhash, projection, min-values and supershingles, by a recipe.
//!
//! This module computes, from the terms of a page, the numbers that a database stores. A [`Recipe`] is a named and
//! versioned choice of sketches. Fingerprints of different recipes cannot be compared, so a database stores the label
//! of its recipe and refuses others. A released recipe gives the same numbers for ever and on every platform; tests
//! compare them with golden values.
//!
//! Two sketches are computed only when texts are compared, and are not stored: the `signatures` of sentences (Huang et
//! al. 3.1) and the sampled `shingles` of words (Ye et al. 3.1). The `parts` of a text are stored only by recipes with
//! the flag `parts`.
//!
//! Every sketch is implemented twice: by the loops of the paper (`plain`), which are the definition, and by a fast
//! version, which is tested against the definition.
//!
//! This module imports `text`, but nothing from the index, archives or verdicts. It is pure: no input or output, no
//! threads, no clock, no random source.

mod conventions;
mod digest;
mod explain;
mod features;
mod min_bits;
mod min_hash;
pub mod mix;
mod parts;
mod profile;
mod projection;
mod recipe;
mod shingles;
mod signatures;
mod simhash;
mod tally;
mod word_hash;

pub use explain::{Derivation, Explanation, Feature};
pub use features::{Features, Frequencies, Stemmer, StopWords, WeightTable, simhash_of};
pub use min_bits::fingerprint as min_bits;
pub use min_hash::{
    MIN_VALUES, MinHash, agreement, min_bytes, min_hash, min_hash_of_shingles, resemblance_of, resemblance_of_many,
    shingle_hashes,
};
pub use mix::split_mix;
pub use nddb_format::document_keys::{KeyKinds, SUPERSHINGLES};
pub use nddb_format::parts::{PART_WORDS, Part, Parts};
pub use nddb_format::profile::{LeadingWords, Numbers, Profile, WHOLE, WORDS};
pub use parts::{PARTS_WINDOW, PARTS_WINDOW_MAX, PageWords, WHOLE_WORDS, page_words, parts, placed_words};
pub use profile::titles_of;
pub use projection::{PROJECTION_BITS, Projection, projection};
pub use recipe::{FingerprintKind, Recipe, RecipeError, Sketch};
pub use shingles::{Overlap, SAMPLING_MAX, SHINGLE_WORDS, Sampling, Shingles, shingles};
pub use signatures::{Signature, SignatureRules, signatures};
pub use simhash::fingerprint as simhash;

/// The definitions: the papers' loops, slow and plain, for tests and for readers.
pub mod plain {
    pub use super::features::plain as simhash_of;
    pub use super::min_bits::plain as min_bits;
    pub use super::min_hash::plain as min_hash;
    pub use super::parts::plain as parts;
    pub use super::projection::plain as projection;
    pub use super::shingles::plain as shingles;
    pub use super::signatures::plain as signatures;
    pub use super::simhash::plain as fingerprint;
}

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod statistics_tests;
