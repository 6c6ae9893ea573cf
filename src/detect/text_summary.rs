//! What came of comparing texts.

/// What came of perhaps-similar sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetSummary {
    /// Documents whose texts have no signature: they are in no set.
    pub unsigned: u64,
    /// Signatures that more than one document has.
    pub shared: u64,
    /// Of these, signatures that were dropped because too many documents have them.
    pub dropped: u64,
    /// Perhaps-similar sets.
    pub sets: u64,
    /// Documents in the largest.
    pub largest: u64,
    /// Comparisons of texts.
    pub compared: u64,
    /// Sets of which not all was compared.
    pub limited: u64,
}

/// What came of shingles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShingleSummary {
    /// Shingles of all documents that are compared, each document's counted once.
    pub shingles: u64,
    /// Of these, shingles that were kept by the samples.
    pub sampled: u64,
    /// Documents that have words, of which no shingle was kept.
    pub unsampled: u64,
    /// Different shingles that were dropped because too many documents have them.
    pub stopped: u64,
}
