//! The words of documents, by which the loss of a removal is known: kept in the database, read again from archives, or
//! estimated from sketches.
//!
//! A run has one source of words. Documents of equal digests have the same words, so of these one is read. A document
//! whose words the source lacks is not removed because of its words, and is counted ([`UnreadTexts`]).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use fixedbitset::FixedBitSet;
use nddb_format::record::Record;
use nddb_index::spill::parallel::each_in_order;
use nddb_index::spill::progress::Ticker;
use nddb_index::spill::resources::Resources;
use nddb_index::{Result, View};
use nddb_page::sketch::Recipe;
use nddb_verdict::{Comparison, Level, Words};

use crate::collection::Collection;
use crate::text_summary::UnreadTexts;
use crate::texts::{Kept, KeptWriter, TextSources};

#[cfg(test)]
mod tests;

nddb_format::named! {
    /// Where a caller wants words to come from.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum WordsFrom {
        /// The database, if it keeps them; else local archives, if any can be read; else an estimate.
        #[default]
        Auto = "auto",
        /// The database, which keeps them.
        Stored = "stored",
        /// The archives from which documents were loaded.
        Archives = "archives",
        /// The same, and those in stores and on servers, too.
        Remote = "remote",
        /// Sketches alone.
        Estimate = "estimate",
    }
    unknown UnknownWords: "source of words", "sources"
}

nddb_format::named! {
    /// Where the words of a run come from.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum WordSource {
        /// The database.
        Stored = "stored",
        /// The archives from which documents were loaded.
        Archives = "archives",
        /// Nowhere: losses are estimated from sketches.
        #[default]
        Estimate = "estimate",
    }
}

impl WordsFrom {
    /// Returns the source that reads no archives: the words that a database keeps, or else an estimate.
    pub fn at_hand(view: View<'_>) -> Self {
        if view.settings().keeps_words { Self::Stored } else { Self::Estimate }
    }
}

/// What is known of the words of two documents.
#[allow(clippy::large_enum_variant, reason = "it is passed on once for each pair and never stored")]
pub(crate) enum Compared {
    /// The words of both.
    Exactly(Comparison),
    /// Nothing but sketches: no words are read.
    Estimated,
    /// More is lost than a level allows.
    TooMuch,
    /// The words of one of them cannot be read.
    Unread,
}

/// The words of the documents of a collection.
#[derive(Default)]
pub(crate) struct DocumentWords {
    source: WordSource,
    /// Compared texts by ordinal.
    texts: Option<Kept>,
    ready: Mutex<Ready>,
    memory: usize,
}

/// The words that threads have used lately, by ordinal.
#[derive(Default)]
struct Ready {
    words: HashMap<u32, Option<Arc<Words>>>,
    used: usize,
}

impl DocumentWords {
    /// Reads the words of the wanted documents.
    pub(crate) fn read(
        view: View<'_>,
        collection: &Collection,
        from: WordsFrom,
        wanted: &FixedBitSet,
        resources: &Resources,
        ticker: &Ticker<'_>,
    ) -> Result<Self> {
        let recipe = Recipe::of_any_version(&view.settings().recipe);
        let memory = usize::try_from(resources.memory_limit / 4).unwrap_or(usize::MAX);
        let estimated = Self { memory, ..Self::default() };
        let (Some(recipe), false) = (recipe, from == WordsFrom::Estimate) else { return Ok(estimated) };
        if from == WordsFrom::Stored || from == WordsFrom::Auto && view.settings().keeps_words {
            let texts = Some(stored(view, collection, wanted, resources)?);
            return Ok(Self { source: WordSource::Stored, texts, ..estimated });
        }
        let sources = TextSources::within_reach(view, collection, None, from == WordsFrom::Remote, resources, ticker)?;
        if from == WordsFrom::Auto && !sources.is_readable(wanted) {
            return Ok(estimated);
        }
        let mut writer = KeptWriter::new(resources)?;
        let mut others = 0;
        let mut unread = each_in_order(
            resources.threads,
            |give| sources.each_page(wanted, resources, ticker, &mut |ordinal, page| give((ordinal, page))),
            || (),
            |(), (ordinal, page)| {
                let (text, digest) = recipe.compared(&page.page());
                let [high, low] = collection.row(ordinal).digest.unwrap_or_default();
                let is_stored = digest == (u128::from(high) << 64 | u128::from(low)).to_be_bytes();
                Ok((ordinal, is_stored.then_some(text)))
            },
            |(ordinal, text)| match text {
                Some(text) => writer.push(ordinal, &text),
                None => {
                    others += 1;
                    Ok(())
                }
            },
        )?;
        unread.damaged += others;
        Ok(Self { source: WordSource::Archives, texts: Some(writer.finish(unread)?), ..estimated })
    }

    /// Returns the words of documents that carry their texts; an estimate if any of them does not.
    pub(crate) fn given(collection: &Collection, texts: &[Option<&str>], resources: &Resources) -> Result<Self> {
        let memory = usize::try_from(resources.memory_limit / 4).unwrap_or(usize::MAX);
        let lacks = |(ordinal, text): (u32, &Option<&str>)| text.is_none() && collection.row(ordinal).digest.is_some();
        if texts.is_empty() || (0..).zip(texts).any(lacks) {
            return Ok(Self { memory, ..Self::default() });
        }
        let mut writer = KeptWriter::new(resources)?;
        for (ordinal, text) in (0..).zip(texts) {
            text.map_or(Ok(()), |text| writer.push(ordinal, text))?;
        }
        let kept = writer.finish(UnreadTexts::default())?;
        Ok(Self { source: WordSource::Stored, texts: Some(kept), memory, ..Self::default() })
    }

    /// Returns where the words come from.
    pub(crate) fn source(&self) -> WordSource {
        self.source
    }

    /// Returns how many of the wanted documents could not be read.
    pub(crate) fn unread(&self) -> UnreadTexts {
        self.texts.as_ref().map(|texts| texts.unread).unwrap_or_default()
    }

    /// Adds the documents whose words are compared if these documents are compared with each other.
    pub(crate) fn want(collection: &Collection, members: &[u32], wanted: &mut FixedBitSet) {
        let texts = || members.iter().map(|&member| collection.representative(member));
        let first = texts().next();
        if texts().any(|text| Some(text) != first) {
            // A bare fingerprint has no words.
            let has_text = |text: &u32| collection.row(*text).digest.is_some();
            texts().filter(has_text).for_each(|text| wanted.insert(text as usize));
        }
    }

    /// Compares a document to be removed with one that is kept; `identical` tells whether their digests are equal. If
    /// the level surely allows no removal, that is all that is said; without a level, everything is said.
    pub(crate) fn compare(
        &self,
        collection: &Collection,
        [removed, kept]: [u32; 2],
        identical: bool,
        level: Option<Level>,
    ) -> Compared {
        if identical {
            return Compared::Exactly(Comparison { is_equal: true, ..Comparison::default() });
        }
        // Of a bare fingerprint nothing can be lost that would be known.
        let is_bare = |ordinal: u32| collection.row(ordinal).digest.is_none();
        if self.texts.is_none() || is_bare(removed) || is_bare(kept) {
            return Compared::Estimated;
        }
        let [removed, kept] = [removed, kept].map(|ordinal| collection.representative(ordinal));
        match self.words(removed).zip(self.words(kept)) {
            Some((removed, kept)) => match level {
                Some(level) => level.compare(&removed, &kept).map_or(Compared::TooMuch, Compared::Exactly),
                None => Compared::Exactly(Comparison::of(&removed, &kept)),
            },
            None => Compared::Unread,
        }
    }

    fn words(&self, ordinal: u32) -> Option<Arc<Words>> {
        let ready = || self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(words) = ready().words.get(&ordinal) {
            return words.clone();
        }
        let words = self.texts.as_ref()?.get(ordinal).map(|text| Arc::new(Words::of(text)));
        let mut ready = ready();
        if ready.used >= self.memory {
            *ready = Ready::default();
        }
        ready.used += 64 + words.as_deref().map_or(0, Words::size);
        ready.words.insert(ordinal, words.clone());
        words
    }
}

/// Reads the wanted texts from the database.
fn stored(view: View<'_>, collection: &Collection, wanted: &FixedBitSet, resources: &Resources) -> Result<Kept> {
    let (mut writer, mut unread) = (KeptWriter::new(resources)?, UnreadTexts::default());
    let mut numbers: Vec<u64> = wanted.ones().map(|ordinal| collection.row(ordinal as u32).number).collect();
    numbers.sort_unstable();
    let mut by_number = collection.by_number();
    let words = |record: Record| record.words;
    view.records_on(resources.threads, &numbers, words, &mut |number, words| match (by_number(number), words) {
        (Some(ordinal), Some(text)) => writer.push(ordinal, &text),
        _ => {
            unread.without_source += 1;
            Ok(())
        }
    })?;
    writer.finish(unread)
}
