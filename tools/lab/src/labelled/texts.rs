//! The texts of the documents of labelled pairs.

use fixedbitset::FixedBitSet;
use nddb_dedup::{Collection, PairOptions, TextScope, TextSources};
use nddb_evaluate::eval::Gold;
use nddb_index::spill::progress::Ticker;
use nddb_index::{Result, View};
use nddb_page::text::{Tokens, tokens};

/// The texts of the documents of labelled pairs, read again from where they were loaded.
pub(super) struct LabelledTexts<'a> {
    sources: TextSources,
    wanted: FixedBitSet,
    options: &'a PairOptions,
    ticker: &'a Ticker<'a>,
}

impl<'a> LabelledTexts<'a> {
    pub(super) fn new(
        view: View<'_>,
        collection: &Collection,
        gold: &Gold,
        scope: TextScope,
        options: &'a PairOptions,
        ticker: &'a Ticker<'a>,
    ) -> Result<Self> {
        let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
        gold.pairs.iter().flat_map(|pair| [pair.a, pair.b]).for_each(|ordinal| wanted.insert(ordinal as usize));
        let sources = TextSources::new(view, collection, Some(scope), &options.resources, ticker)?;
        Ok(Self { sources, wanted, options, ticker })
    }

    /// Passes on the text of each document that can be read.
    pub(super) fn each(&self, visit: &mut dyn FnMut(u32, &str)) -> Result<()> {
        let resources = &self.options.resources;
        self.sources.each(&self.wanted, resources, self.ticker, &mut |ordinal, text| {
            visit(ordinal, text);
            Ok(())
        })?;
        Ok(())
    }

    /// Passes on the tokens of each page that can be read, as the recipe `web` reads them.
    pub(super) fn each_tokens(&self, visit: &mut dyn FnMut(u32, &Tokens)) -> Result<()> {
        self.sources.each_page(&self.wanted, &self.options.resources, self.ticker, &mut |ordinal, page| {
            visit(ordinal, &tokens(&page.page()));
            Ok(())
        })?;
        Ok(())
    }
}
