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

/// Documents whose texts were wanted and could not be read, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnreadTexts {
    /// It is not known where they were read: they came by themselves, from a stream, or as fingerprints.
    pub without_source: u64,
    /// Their archive is not where it was.
    pub moved: u64,
    /// Their archive is not the file that it was: its size, or its first or last 64 KB, have changed.
    pub changed: u64,
    /// Nothing that is a page stands where they stood, or their archive is damaged before it.
    pub damaged: u64,
}

impl UnreadTexts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.without_source + self.moved + self.changed + self.damaged
    }

    /// The reasons in words, with the number of each that there is.
    pub fn reasons(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            ("without a source", self.without_source),
            ("in an archive that is not where it was", self.moved),
            ("in an archive that has changed", self.changed),
            ("in a damaged archive", self.damaged),
        ];
        all.into_iter().filter(|(_, count)| *count > 0)
    }
}
