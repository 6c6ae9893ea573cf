//! What a bulk load did.

/// The result of a bulk load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Number of documents stored, new ones and replacements.
    pub documents: u64,
    /// Number of these that replaced a document with the same id, stored before the load.
    pub replaced: u64,
    /// Number of documents that were stored already without a difference, or come again in the load without one.
    pub unchanged: u64,
    /// Number of documents that are not stored because their id comes again in the load, with another content: the last
    /// one is kept.
    pub repeated: u64,
    /// Number of stored documents of fewer than two tokens, which no probe finds.
    pub unprinted: u64,
    /// One of the documents whose ids came before in the same load, with another content.
    pub repeat: Option<Repeat>,
}

/// A document whose id came before in the same load, with another content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The id.
    pub id: String,
    /// The input that it came from, as [`BulkLoad::from_input`](super::BulkLoad::from_input) numbers inputs.
    pub input: u32,
}

impl Loaded {
    /// Remembers a document whose id came before with another content, unless one is remembered.
    pub(super) fn note_repeat(&mut self, repeat: impl FnOnce() -> Repeat) {
        self.repeat.get_or_insert_with(repeat);
    }
}
