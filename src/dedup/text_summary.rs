//! Counts of text comparisons.

/// Counts of perhaps-similar sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetSummary {
    /// Documents without a signature, which are in no set.
    pub unsigned: u64,
    /// Signatures of more than one document.
    pub shared: u64,
    /// Of these, signatures dropped because too many documents have them.
    pub dropped: u64,
    /// Perhaps-similar sets.
    pub sets: u64,
    /// Documents in the largest set.
    pub largest: u64,
    /// Comparisons of texts.
    pub compared: u64,
    /// Sets in which the limit left pairs without a comparison.
    pub limited: u64,
}

/// Counts of shingles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShingleSummary {
    /// Shingles of all compared documents, each counted once per document.
    pub shingles: u64,
    /// Of these, shingles kept by sampling.
    pub sampled: u64,
    /// Documents with words, but without a shingle that sampling kept.
    pub unsampled: u64,
    /// Distinct shingles dropped because too many documents have them.
    pub stopped: u64,
}

/// Documents whose texts were needed and could not be read, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnreadTexts {
    /// Documents without a known source: inserted one by one, read from a stream, or loaded as fingerprints.
    pub without_source: u64,
    /// Documents in a store or on a server, from where texts are read only if asked for.
    pub remote: u64,
    /// Documents whose archive is no longer at its path.
    pub moved: u64,
    /// Documents whose archive may not be read: its server or store wants credentials.
    pub refused: u64,
    /// Documents whose archive has changed: its size, or its first or last 64 KB, differ.
    pub changed: u64,
    /// Documents at whose position no page is found or another one than was loaded, or whose archive is damaged before
    /// that position.
    pub damaged: u64,
}

impl UnreadTexts {
    /// Returns the total over all reasons.
    pub fn total(&self) -> u64 {
        self.without_source + self.remote + self.moved + self.refused + self.changed + self.damaged
    }

    /// Returns a description of each reason that occurs, with its number of documents.
    pub fn reasons(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            ("without a source", self.without_source),
            ("in a store or on a server", self.remote),
            ("in an archive that was moved", self.moved),
            ("in an archive that needs credentials", self.refused),
            ("in an archive that has changed", self.changed),
            ("in a damaged archive", self.damaged),
        ];
        all.into_iter().filter(|(_, count)| *count > 0)
    }
}
