//! The outcome of a bulk load.

/// The result of a bulk load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Number of documents stored, new ones and replacements.
    pub documents: u64,
    /// Number of these that replaced a document with the same id that was stored before the load.
    pub replaced: u64,
    /// Number of documents that were already stored, or are repeated in the load, without a difference.
    pub unchanged: u64,
    /// Number of documents that are not stored because their id is repeated in the load with other content: the last
    /// one is kept.
    pub repeated: u64,
    /// Number of stored documents of fewer than two tokens, which no probe finds.
    pub unprinted: u64,
    /// One of the documents whose ids occurred earlier in the same load with other content.
    pub repeat: Option<Repeat>,
}

/// A document whose id occurred earlier in the same load with other content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The id.
    pub id: String,
    /// Its input, as numbered by [`BulkLoad::from_input`](super::BulkLoad::from_input).
    pub input: u32,
}

impl Loaded {
    /// Remembers a document whose id occurred earlier with other content, unless one is already remembered.
    pub(super) fn note_repeat(&mut self, repeat: impl FnOnce() -> Repeat) {
        self.repeat.get_or_insert_with(repeat);
    }
}
