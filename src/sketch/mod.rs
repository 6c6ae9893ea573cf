//! Tokens to fingerprints: min-hash bits, simhash, projection, min-values and supershingles, under a recipe.
//!
//! It owns everything between the terms of a page and the numbers that a database stores of it. A [`Recipe`] names
//! and versions a choice of sketches: fingerprints of different recipes are not comparable, so a database stores
//! its recipe's label and refuses others. A released recipe gives the same numbers for ever and on every platform;
//! a file of golden values checks that.
//!
//! Two sketches are computed when texts are compared, and are not stored: the `signatures` of sentences (Huang et
//! al. 3.1) and the sampled `shingles` of words (Ye et al. 3.1).
//!
//! Every sketch is implemented twice: as the paper's loop (`plain`), which is the definition, and as a fast version
//! that is tested against it.
//!
//! It imports `text` and must never import `store`, `archive` or `detect`. It is pure: no input or output, no
//! threads, no clock, no random source.

mod conventions;
mod explain;
pub(crate) mod features;
mod leading_words;
pub(crate) mod min_bits;
pub(crate) mod min_hash;
pub(crate) mod mix;
mod profile;
pub(crate) mod projection;
mod recipe;
pub(crate) mod shingles;
pub(crate) mod signatures;
pub(crate) mod simhash;
mod tally;

pub use explain::{Derivation, Explanation, Feature};
pub use leading_words::LeadingWords;
pub use min_hash::MinHash;
pub use profile::{Numbers, PROFILE_SIZE, Profile};
pub use projection::Projection;
pub use recipe::{Recipe, RecipeError, Sketch};
pub use signatures::SignatureRules;

pub(crate) use leading_words::WORDS;
pub(crate) use min_hash::{
    BANDS, MIN_VALUES, SUPERSHINGLES, agreement, min_bytes, resemblance_of, resemblance_of_many,
};
pub(crate) use profile::{SHORT_BANDS, WHOLE};
pub(crate) use projection::{PIECES, PROJECTION_BITS};
pub(crate) use shingles::{SAMPLING_MAX, SHINGLE_WORDS, Sampling, Shingles, shingles};
pub(crate) use signatures::{Signature, signatures};

/// The definitions: the papers' loops, slow and plain, for tests and for readers.
pub(crate) mod plain {
    pub use super::features::plain as simhash_of;
    pub use super::min_bits::plain as min_bits;
    pub use super::min_hash::plain as min_hash;
    pub use super::projection::plain as projection;
    pub use super::shingles::plain as shingles;
    pub use super::signatures::plain as signatures;
    pub use super::simhash::plain as fingerprint;
}

#[cfg(test)]
mod golden;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod statistics;
