//! Texts that a method reads before its candidate pairs are found.

use fixedbitset::FixedBitSet;
use nddb_index::spill::progress::Ticker;
use nddb_index::{Result, View};
use nddb_verdict::{Candidates, Method};
use xxhash_rust::xxh3::xxh3_128;

use crate::candidates::comparison::{ByMethod, ComparisonCache};
use crate::candidates::resemblance::{Overlaps, Resembling, ShingleSets};
use crate::candidates::similar::{Signed, Similar};
use crate::candidates::source::{PairSource, Verifier, sources};
use crate::collection::Collection;
use crate::options::PairOptions;
use crate::text_summary::{SetSummary, ShingleSummary, UnreadTexts};
use crate::texts::{Kept, TextSources, keep};

/// Texts, shingles and signatures read for a method.
#[derive(Default)]
pub struct TextCache {
    sources: Option<TextSources>,
    kept: Option<Kept>,
    shingles: Option<ShingleSets>,
    signed: Option<Signed>,
    /// Documents whose texts were needed and could not be read.
    pub(crate) unread: UnreadTexts,
    pub(crate) sets: SetSummary,
    pub(crate) resemblance: ShingleSummary,
}

impl TextCache {
    /// Reads the texts of all documents that may be in a pair, if the method needs texts; most methods do not.
    pub(crate) fn new(
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        ticker: &Ticker<'_>,
    ) -> Result<Self> {
        let mut text_cache = Self::default();
        if !options.method.needs_text() {
            return Ok(text_cache);
        }
        let resources = &options.resources;
        let sources = TextSources::new(view, collection, options.part, resources, ticker)?;
        let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
        for ordinal in 0..collection.len() {
            let stands = options.expand || collection.representative(ordinal) == ordinal;
            if stands && !collection.row(ordinal).is_empty {
                wanted.insert(ordinal as usize);
            }
        }
        match options.method.candidates() {
            Candidates::Shingles(method) => {
                let sets = ShingleSets::read(&sources, &wanted, &method, resources, ticker)?;
                text_cache.unread = sets.unread;
                text_cache.shingles = Some(sets);
            }
            Candidates::Sets(sets) => {
                let mut signed = Signed::new(collection.len(), resources);
                let kept =
                    keep(&sources, &wanted, resources, ticker, &mut |ordinal, text| signed.push(ordinal, text, &sets))?;
                text_cache.unread = kept.unread;
                (text_cache.kept, text_cache.signed) = (Some(kept), Some(signed));
            }
            Candidates::Identical | Candidates::Near(_) | Candidates::Sharing(_) => (),
        }
        text_cache.sources = Some(sources);
        Ok(text_cache)
    }

    /// Reads the texts of the documents in pairs of another method, for verification.
    pub(crate) fn verify(
        &mut self,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        wanted: &FixedBitSet,
        ticker: &Ticker<'_>,
    ) -> Result<()> {
        let sources = match self.sources.take() {
            Some(sources) => sources,
            None => TextSources::new(view, collection, options.part, &options.resources, ticker)?,
        };
        let kept = keep(&sources, wanted, &options.resources, ticker, &mut |_, _| Ok(()))?;
        self.unread = kept.unread;
        (self.kept, self.sources) = (Some(kept), Some(sources));
        Ok(())
    }

    /// Reads the texts by which hot groups are verified, before the candidate pairs are found. If the method has kept
    /// the texts of all documents, nothing more is read.
    pub(crate) fn verify_hot(
        &mut self,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        wanted: &FixedBitSet,
        ticker: &Ticker<'_>,
    ) -> Result<()> {
        if self.kept.is_some() { Ok(()) } else { self.verify(view, collection, options, wanted, ticker) }
    }

    /// Returns a hash of the part of a text that a method compares; texts with equal hashes are in one class.
    pub fn sketch(&self, ordinal: u32) -> Option<u128> {
        let of_text =
            || self.kept.as_ref()?.get(ordinal).filter(|text| !text.is_empty()).map(str::as_bytes).map(xxh3_128);
        self.shingles.as_ref().map_or_else(of_text, |shingles| shingles.sketch(ordinal))
    }

    /// Returns the candidate sources of the method.
    pub(crate) fn sources(&mut self, options: &PairOptions) -> Vec<Box<dyn PairSource + '_>> {
        let memory = options.resources.memory_limit / 4;
        let Self { kept, shingles, signed, sets, resemblance, .. } = self;
        match (options.method.candidates(), options.method.texts(), kept, shingles) {
            (Candidates::Sets(options), Some(texts), Some(kept), _) => {
                let cache = ComparisonCache::new(ByMethod(texts), kept, None, memory);
                vec![Box::new(Similar { cache, options, signed: signed.take(), summary: sets })]
            }
            (Candidates::Shingles(method), _, _, Some(sets)) => {
                vec![Box::new(Resembling { least: method.resemblance, sets, summary: resemblance })]
            }
            _ => sources(options),
        }
    }

    /// Returns the verifier that judges a pair by the texts that the method compares; `None` if it compares none.
    pub(crate) fn decider(&self, options: &PairOptions) -> Option<Box<dyn Verifier + '_>> {
        match (options.method.candidates(), &self.shingles) {
            (Candidates::Sets(_), _) => self.verifier(options, &*options.method),
            (Candidates::Shingles(_), Some(shingles)) => Some(Box::new(Overlaps::new(shingles, self.sources.as_ref()))),
            _ => None,
        }
    }

    /// Returns the verifier that judges a pair by the comparison of texts of this method.
    pub(crate) fn verifier(&self, options: &PairOptions, method: &dyn Method) -> Option<Box<dyn Verifier + '_>> {
        let (texts, kept) = (method.texts()?, self.kept.as_ref()?);
        // Each thread has a verifier of its own.
        let memory = options.resources.memory_limit / 4 / options.resources.threads.max(1) as u64;
        Some(Box::new(ComparisonCache::new(ByMethod(texts), kept, self.sources.as_ref(), memory)))
    }
}
