//! Internals for nddb-lab beyond the public interface. They are no part of that interface, and change with the lab.
//!
//! First what single pages and pairs of texts are measured by: terms ([`text`]), sketches ([`sketch`]), comparisons
//! ([`lcs`]). Then what a run over a database takes: files and progress of long work (`spill`); a collection's classes,
//! texts and shingles; the candidates and decisions of a run over pairs.

/// Texts of pages, and what they are cut into.
pub mod text {
    pub use crate::text::charset::decode;
    pub use crate::text::page_content::content_text;
    pub use crate::text::sentences::{Sentence, sentences};
    pub use crate::text::site::host_of;
    pub use crate::text::title::title;
    pub use crate::text::tokenizer::{Tokenizer, Tokens, tokens};
    pub use crate::text::visible::{folded_text, folded_text_with_map};
    pub use crate::text::words::{CanonicalWords, canonical_words};
}

/// Sketches one by one, also those that no database stores, and their definitions.
pub mod sketch {
    pub use crate::sketch::features::{Features, Stemmer, StopWords, WeightTable, simhash_of};
    pub use crate::sketch::min_bits::fingerprint as min_bits;
    pub use crate::sketch::min_hash::{agreement, bands, megashingles, min_bytes, min_hash};
    pub use crate::sketch::mix::split_mix;
    pub use crate::sketch::projection::projection;
    pub use crate::sketch::shingles::{Overlap, SHINGLE_WORDS, Sampling, Shingles, shingles};
    pub use crate::sketch::signatures::{Signature, signatures};
    pub use crate::sketch::simhash::fingerprint;

    /// The papers' loops.
    pub mod plain {
        pub use crate::sketch::plain::{fingerprint, min_bits, min_hash, projection, shingles, signatures, simhash_of};
    }
}

/// Trustable longest common subsequence and its parts.
pub mod lcs {
    pub use crate::compare::lcs::comparer::Comparer;
    pub use crate::compare::lcs::likeness::Likeness;
    pub use crate::compare::lcs::myers::Myers;
    pub use crate::compare::lcs::prepared::Prepared;

    /// The paper's loops.
    pub mod plain {
        pub use crate::compare::lcs::plain::{compare, longest_common_subsequence};
    }
}

pub use crate::archive::input::read_page;
pub use crate::archive::open::{ArchiveIdentity, identity};
pub use crate::compare::cosine::Frequencies;
pub use crate::detect::candidates::context::Context;
pub use crate::detect::candidates::resemblance::{Overlaps, Resembling, Sharing, ShingleSets};
pub use crate::detect::candidates::similar::{Sets, Signed};
pub use crate::detect::candidates::source::{Verifier, share_key};
pub use crate::detect::collection::classes::{Classes, Members};
pub use crate::detect::method::known::{b_similarity, c_similarity};
pub use crate::detect::pairs::collector::{CLASSES, TEXT, pairs_of};
pub use crate::detect::pairs::judge::{Judge, Judged};
pub use crate::detect::pairs::{PairJob, Reach};
pub use crate::detect::texts::{Kept, TextSources, keep};
#[cfg(any(test, feature = "testing"))]
pub use crate::detect::{candidates::similar::plain::plain as perhaps_similar_sets, support};
pub use crate::parallel::in_order;
pub use crate::spill::mapped_rows::MappedRowsWriter;
pub use crate::spill::sort::Sorter;
pub use crate::spill::ticker::Ticker;
pub use fixedbitset::FixedBitSet;
