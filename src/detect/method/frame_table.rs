//! Frame tables: the blocks of text that stand on many pages of a site.

use std::sync::Arc;

use nddb_format::FormatError;
use nddb_format::frames::{Frames, encode};

/// A frame table (SPEC 8.8): blocks that stand on so many pages of a site that they say nothing of any of them. In
/// memory it takes as many bytes as its file; clones share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameTable(Arc<Frames<Vec<u8>>>);

impl FrameTable {
    /// Returns the table of a file that [`find_frames`](crate::detect::find_frames) made, given its bytes.
    ///
    /// # Errors
    /// The rule of SPEC.md that they break.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, FormatError> {
        Frames::open(bytes).map(|frames| Self(Arc::new(frames)))
    }

    /// Returns the table of these hashes of sites and blocks, which ascend.
    pub(crate) fn of(recipe: &str, entries: &[(u64, u64)]) -> Result<Self, FormatError> {
        Self::from_bytes(encode(recipe, entries)?)
    }

    /// Returns the bytes of the file.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Returns the label of the recipe whose blocks it names.
    pub fn recipe(&self) -> &str {
        self.0.recipe()
    }

    /// Returns the number of blocks; a block that is frame of two sites counts twice.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether no block is frame.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a block is frame on a site, given the hashes of both.
    pub(crate) fn contains(&self, site: u64, block: u64) -> bool {
        self.0.contains(site, block)
    }
}
