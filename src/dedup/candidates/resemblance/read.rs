//! Shingle sets of documents in a temporary file.

use std::collections::HashSet;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use nddb_index::Result;
use nddb_index::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use nddb_index::spill::progress::Ticker;
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::Sorter;
use nddb_page::sketch::{Sampling, Shingles, shingles};
use nddb_page::text::CanonicalWords;
use nddb_verdict::{Ratios, TextVerdict, methods};
use xxhash_rust::xxh3::xxh3_128;

use crate::candidates::source::Verifier;
use crate::text_summary::{ShingleSummary, UnreadTexts};
use crate::texts::TextSources;

/// Sampled shingle sets of documents, by ordinal.
pub struct ShingleSets {
    /// High and low half of each shingle.
    hashes: Arc<MappedRows<2>>,
    /// For each ordinal up to the last document read: first row, number of shingles, ratio (0 if not read), and number
    /// of words.
    sources: Arc<MappedRows<4>>,
    method: methods::Shingles,
    /// Whether the shingles that were read are sampled again, by the ratios of the method.
    resampled: bool,
    /// Shingles dropped because too many documents have them.
    stopped: HashSet<u128>,
    /// Counts of shingles and of dropped shingles.
    pub summary: ShingleSummary,
    /// Documents whose texts could not be read.
    pub unread: UnreadTexts,
}

/// Returns the sampled shingles of a page and the number of all its shingles.
fn sampled(words: &CanonicalWords, method: &methods::Shingles) -> (Shingles, u64) {
    let ratio = method.ratios.of(words.len(), method.resemblance);
    let sampling = Ratios::sampling(ratio, method.remainder);
    let all = shingles(words, method.words, Sampling::ALL);
    let len = all.len() as u64;
    let kept = if ratio == 1 { all } else { all.resample(sampling).unwrap_or(all) };
    match method.cap.map(|cap| usize::try_from(cap).unwrap_or(usize::MAX)) {
        Some(cap) if kept.len() > cap => (Shingles::of_hashes(sampling, kept.hashes()[..cap].to_vec()), len),
        _ => (kept, len),
    }
}

impl ShingleSets {
    /// Reads the shingle sets of the requested documents.
    pub fn read(
        sources: &TextSources,
        wanted: &FixedBitSet,
        method: &methods::Shingles,
        resources: &Resources,
        ticker: &Ticker<'_>,
    ) -> Result<Self> {
        let mut hashes = MappedRowsWriter::<2>::new(&resources.folder)?;
        let mut sorter = Sorter::<5>::new(&resources.folder, resources.memory_limit / 4);
        let mut summary = ShingleSummary::default();
        let unread = sources.each(wanted, resources, ticker, &mut |ordinal, text| {
            let words = CanonicalWords::of_text(text);
            let (kept, all) = sampled(&words, method);
            let (start, len) = (hashes.len() as u64, kept.len() as u64);
            sorter.push([ordinal.into(), start, len, kept.sampling().ratio().into(), words.len() as u64])?;
            summary.shingles += all;
            summary.sampled += len;
            summary.unsampled += u64::from(all > 0 && len == 0);
            kept.hashes().iter().try_for_each(|&hash| hashes.push(&[(hash >> 64) as u64, hash as u64]))
        })?;
        let mut by_ordinal = MappedRowsWriter::<4>::new(&resources.folder)?;
        sorter.finish().each(&mut |rows| {
            rows.iter().try_for_each(|&[ordinal, start, len, ratio, words]| {
                while (by_ordinal.len() as u64) < ordinal {
                    by_ordinal.push(&[0; 4])?;
                }
                by_ordinal.push(&[start, len, ratio, words])
            })
        })?;
        let (hashes, sources) = (Arc::new(hashes.finish()?), Arc::new(by_ordinal.finish()?));
        let (method, stopped) = (method.clone(), HashSet::new());
        Ok(Self { hashes, sources, method, resampled: false, stopped, summary, unread })
    }

    /// Returns samples of these shingle sets, which were read in full.
    pub fn resample(&self, ratios: Ratios, remainder: u32) -> Self {
        Self {
            hashes: Arc::clone(&self.hashes),
            sources: Arc::clone(&self.sources),
            method: methods::Shingles { ratios, remainder, ..self.method.clone() },
            resampled: true,
            stopped: HashSet::new(),
            summary: self.summary,
            unread: self.unread,
        }
    }

    /// Returns the number of words of a document; `None` if it was not read.
    pub fn words(&self, ordinal: u32) -> Option<usize> {
        self.sources.get(ordinal as usize).filter(|index| index[2] > 0).map(|index| index[3] as usize)
    }

    /// Drops these shingles from all sets that are returned from now on.
    pub fn stop(&mut self, stopped: HashSet<u128>) {
        self.summary.stopped = stopped.len() as u64;
        self.stopped = stopped;
    }

    /// Returns the method by whose parameters the shingles were made.
    pub fn method(&self) -> &methods::Shingles {
        &self.method
    }

    /// Returns the sampling ratio of a document; `None` if it was not read.
    pub fn ratio(&self, ordinal: u32) -> Option<u32> {
        let words = self.words(ordinal)?;
        if self.resampled {
            return Some(self.method.ratios.of(words, self.method.resemblance));
        }
        self.sources.get(ordinal as usize).map(|index| index[2] as u32)
    }

    /// Returns the shingles of a document, ascending; none if it was not read.
    pub fn hashes(&self, ordinal: u32) -> impl Iterator<Item = u128> + '_ {
        let [start, len, ..] = self.sources.get(ordinal as usize).unwrap_or_default();
        let sampling = Ratios::sampling(self.ratio(ordinal).unwrap_or(1), self.method.remainder);
        let rows = (start..start + len).map(|index| self.hashes.row(index as usize));
        let hashes = rows.map(|[high, low]| u128::from(high) << 64 | u128::from(low));
        hashes.filter(move |&hash| sampling.keeps(hash) && !self.stopped.contains(&hash))
    }

    /// Returns the shingle set of a document; `None` if it was not read.
    pub fn get(&self, ordinal: u32) -> Option<Shingles> {
        let sampling = Ratios::sampling(self.ratio(ordinal)?, self.method.remainder);
        Some(Shingles::of_hashes(sampling, self.hashes(ordinal).collect()))
    }

    /// Returns a hash of the sample of a document, equal for equal samples; `None` for an empty sample.
    pub fn sketch(&self, ordinal: u32) -> Option<u128> {
        let mut bytes = self.ratio(ordinal)?.to_le_bytes().to_vec();
        let len = bytes.len();
        self.hashes(ordinal).for_each(|hash| bytes.extend_from_slice(&hash.to_le_bytes()));
        (bytes.len() > len).then(|| xxh3_128(&bytes))
    }
}

/// Comparison of documents by their shingles: by the sets that a pass kept, and by single look-ups for other documents.
pub struct Overlaps<'a> {
    sets: &'a ShingleSets,
    sources: Option<&'a TextSources>,
    /// First document of the last pair, with its shingles.
    last: Option<(u32, Option<Shingles>)>,
}

impl<'a> Overlaps<'a> {
    /// Returns a comparison of shingle sets; sets that are not kept are read again from `sources`.
    pub fn new(sets: &'a ShingleSets, sources: Option<&'a TextSources>) -> Self {
        Self { sets, sources, last: None }
    }

    fn get(&self, ordinal: u32) -> Option<Shingles> {
        self.sets.get(ordinal).or_else(|| {
            let text = self.sources?.text(ordinal)?;
            let (kept, _) = sampled(&CanonicalWords::of_text(&text), &self.sets.method);
            let hashes = kept.hashes().iter().copied().filter(|hash| !self.sets.stopped.contains(hash));
            Some(Shingles::of_hashes(kept.sampling(), hashes.collect()))
        })
    }
}

impl Verifier for Overlaps<'_> {
    fn judge(&mut self, a: u32, b: u32) -> Result<TextVerdict> {
        Ok(self.sets.method.judge_resemblance(self.resemblance(a, b)))
    }
}

impl Overlaps<'_> {
    /// Returns the resemblance of two documents by their samples; `None` if it cannot be known.
    pub fn resemblance(&mut self, a: u32, b: u32) -> Option<f64> {
        if self.last.as_ref().is_none_or(|(last, _)| *last != a) {
            self.last = Some((a, self.get(a)));
        }
        let Some((_, Some(a))) = &self.last else { return None };
        a.overlap(&self.get(b)?).map(|overlap| overlap.resemblance())
    }
}
