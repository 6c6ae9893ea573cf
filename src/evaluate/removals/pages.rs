//! Pages for people: address, title and the text that was compared, of the database or read again from archives.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use nddb_dedup::{Collection, Resources, TextSources, UnreadTexts};
use nddb_index::spill::progress::Ticker;
use nddb_index::{Progress, Result, View};
use nddb_page::text::{compared_text, shown_text, shown_title, title};

use crate::difference::TextWithUrl;

/// Least number of words of a sentence: shorter lines are headings and navigation.
const SENTENCE_WORDS: usize = 9;
/// Greatest number of characters of a snippet.
const SNIPPET: usize = 180;

/// A document with its properties for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownPage {
    /// Its id.
    pub id: String,
    /// Whether an id of the other kind (number or text) that looks the same exists, too.
    pub has_namesake: bool,
    /// Its address.
    pub url: Option<String>,
    /// Its site, by the rule of the recipe.
    pub site: Option<String>,
    /// Fetch time, in seconds since 1970.
    pub date: Option<i64>,
    /// Its title; `None` if the page has none, or could not be read.
    pub title: Option<String>,
    /// The text that is compared, one line per block; `None` if it could not be read.
    pub text: Option<String>,
    /// The same as [`nddb_page::text::compared_text`].
    pub compared: Option<String>,
    /// Digest of the whole text and the addresses of images.
    pub digest: Option<[u8; 16]>,
}

impl KnownPage {
    /// The words and the address for guessing differences; `None` if the page was not read.
    pub fn told(&self) -> Option<TextWithUrl<'_>> {
        Some(TextWithUrl { text: self.text.as_deref()?, url: self.url.as_deref() })
    }

    /// The first line that is a sentence, or else the longest line, up to 180 characters.
    pub fn snippet(&self) -> Option<String> {
        let lines =
            || self.text.as_deref().unwrap_or_default().lines().filter(|line| Some(*line) != self.title.as_deref());
        let sentence = lines().find(|line| line.split_whitespace().count() >= SENTENCE_WORDS);
        let line = sentence.or_else(|| lines().max_by_key(|line| line.chars().count()))?.trim();
        Some(match line.char_indices().nth(SNIPPET) {
            Some((end, _)) => format!("{}\u{2026}", line[..end].trim_end()),
            None => line.to_owned(),
        })
        .filter(|snippet| !snippet.is_empty())
    }
}

/// Reads the pages of these documents, by ordinal. Also returns how many could not be read.
///
/// # Errors
/// Damage of the database; errors of the disk; [`nddb_index::Error::Cancelled`].
pub fn read_pages(
    view: View<'_>,
    collection: &Collection,
    wanted: &FixedBitSet,
    resources: &Resources,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<(BTreeMap<u32, KnownPage>, UnreadTexts)> {
    let (mut pages, mut unread) = (BTreeMap::new(), wanted.clone());
    for ordinal in wanted.ones().map(|ordinal| ordinal as u32) {
        let id = collection.id(ordinal).to_owned();
        let record = view.get(&id)?.map(|stored| stored.record).unwrap_or_default();
        let title = record.words.as_deref().and_then(shown_title).map(str::to_owned);
        let text = record.words.as_deref().map(|words| shown_text(words, false));
        unread.set(ordinal as usize, text.is_none());
        let compared = record.words;
        let has_namesake = collection.has_namesake(&id);
        let (url, site, date, digest) = (record.url, record.site, record.date, record.digest);
        pages.insert(ordinal, KnownPage { id, has_namesake, url, site, date, title, text, compared, digest });
    }
    if unread.is_clear() {
        return Ok((pages, UnreadTexts::default()));
    }
    let ticker = Ticker::new(watch);
    let sources = TextSources::new(view, collection, None, resources, &ticker)?;
    let unread = sources.each_page(&unread, resources, &ticker, &mut |ordinal, entry| {
        if let Some(known) = pages.get_mut(&ordinal) {
            let page = entry.page();
            let compared = compared_text(&page);
            (known.title, known.text) = (title(&page), Some(shown_text(&compared, false)));
            known.compared = Some(compared);
        }
        Ok(())
    })?;
    Ok((pages, unread))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_the_first_sentence_in_its_own_letters() {
        let of = |text: &str| {
            KnownPage { title: Some("T".into()), text: Some(text.into()), ..KnownPage::default() }.snippet()
        };
        let sentence = "This is a sentence of just a few more words.";
        assert_eq!(of(&format!("T\nHome\nNews today\n{sentence}\nAnother")), Some(sentence.into()));
        assert_eq!(of("T\nHome\nLong est"), Some("Long est".into()), "the longest line");
        assert_eq!([of("T"), of("")], [None, None]);
        let long = of(&"\u{e4}b ".repeat(1000)).expect("a snippet");
        assert!(long.chars().count() <= SNIPPET + 1 && long.ends_with('\u{2026}'), "{long}");
        assert_eq!(KnownPage::default().snippet(), None);
    }
}
