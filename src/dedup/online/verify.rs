//! Verification of matches by comparing texts (Huang et al. 2008, 3.3).

use nddb_format::record::Record;
use nddb_index::{Result, View};
use nddb_page::text::{DOCUMENT_UNITS, Page, first_units};
use nddb_verdict::{Method, PreparedText, TextComparer, TextVerdict};

use super::detector::OnlineDetector;
use super::page::read_page;
use crate::text_scope::TextScope;

/// The text of a queried document, prepared for comparison with the texts of its matches.
pub(super) struct Texts<'a> {
    view: View<'a>,
    part: TextScope,
    comparer: Box<dyn TextComparer>,
    /// The queried document; `None` if unreadable.
    own: Option<PreparedText>,
}

impl<'a> Texts<'a> {
    /// Takes the text of the page if given, else reads the text from the source of the document; `None` if the detector
    /// does not verify.
    pub(super) fn new(
        online: &OnlineDetector,
        view: View<'a>,
        record: &Record,
        page: Option<&Page<'_>>,
    ) -> Result<Option<Self>> {
        let Some(comparer) = online.verifier().and_then(|verification| verification.lcs.texts()) else {
            return Ok(None);
        };
        let mut texts = Self { view, part: TextScope::of(view), comparer, own: None };
        texts.own = match page {
            Some(page) => Some(texts.ready(page)),
            None => texts.read(record)?,
        };
        Ok(Some(texts))
    }

    /// Returns the verdict about a match by its text; undecided if either text cannot be read.
    pub(super) fn compare(&mut self, record: &Record) -> Result<TextVerdict> {
        let other = if self.own.is_some() { self.read(record)? } else { None };
        let (Some(own), Some(other)) = (&self.own, other) else { return Ok(TextVerdict::UNREAD) };
        Ok(self.comparer.judge(own, &other))
    }

    fn read(&self, record: &Record) -> Result<Option<PreparedText>> {
        Ok(read_page(self.view, record)?.ok().map(|entry| self.ready(&entry.page())))
    }

    /// Returns the first 10 KB of the text of a page, prepared for comparison.
    fn ready(&self, page: &Page<'_>) -> PreparedText {
        self.comparer.prepare(first_units(&self.part.text(page), DOCUMENT_UNITS))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nddb_index::Document;
    use nddb_verdict::methods::{Hamming, Lcs};

    use super::*;
    use crate::NearDuplicate;
    use crate::pair::Verified;
    use crate::support::{corpus, expanded, options, texts};
    use crate::{PairOptions, Verification};

    #[test]
    fn pairs_of_different_sites_stay_if_one_site_alone_is_verified() {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = corpus(folder.path(), &texts(120, 9));
        let (view, collection) = (corpus.view(), corpus.collection());
        let found = |verify: Option<Verification>| {
            let options = PairOptions { verify: verify.clone(), ..options(Hamming::default()) };
            let (pairs, _) = expanded(&corpus, &options);
            let online = OnlineDetector { verify, ..OnlineDetector::new(Hamming::default()) };
            let mut asked = BTreeSet::new();
            for ordinal in 0..collection.len() {
                let stored = view.get(collection.id(ordinal)).expect("sound").expect("stored");
                for found in online.ask_stored(view, &stored, None).expect("an answer").matches {
                    let other = collection.find(&found.id).expect("an id");
                    asked.insert((ordinal.min(other), ordinal.max(other)));
                }
            }
            assert_eq!(asked, pairs);
            pairs
        };
        let (all, verified) = (found(None), found(Some(Lcs::default().into())));
        let one_site = |&(a, b): &(u32, u32)| collection.row(a).site == collection.row(b).site;
        let expected: BTreeSet<_> =
            all.iter().filter(|pair| !one_site(pair) || verified.contains(pair)).copied().collect();
        assert!(verified.len() < expected.len() && expected.len() < all.len());
        assert_eq!(found(Some(Verification::of_same_site(Lcs::default()))), expected);
    }

    #[test]
    fn what_is_verified_are_the_verified_pairs() {
        let texts = texts(120, 9);
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = corpus(folder.path(), &texts);
        let (view, collection) = (corpus.view(), corpus.collection());
        let mut options = options(Hamming::default());
        let (all, _) = expanded(&corpus, &options);
        options.verify = Some(Lcs::default().into());
        let (verified, _) = expanded(&corpus, &options);
        assert!(verified.len() > 20 && verified.len() < all.len(), "{} of {}", verified.len(), all.len());
        let online = OnlineDetector { verify: Some(Lcs::default().into()), ..OnlineDetector::new(Hamming::default()) };
        let look = |mut each: Box<dyn FnMut(&NearDuplicate) + '_>| {
            let mut found = BTreeSet::new();
            for ordinal in 0..collection.len() {
                let stored = view.get(collection.id(ordinal)).expect("sound").expect("stored");
                let answer = online.ask(view, &Document::from(stored)).expect("an answer");
                assert_eq!(answer.count, answer.matches.len() as u64);
                for near_duplicate in answer.matches {
                    let other = collection.find(&near_duplicate.id).expect("an id");
                    if other != ordinal {
                        each(&near_duplicate);
                        found.insert((ordinal.min(other), ordinal.max(other)));
                    }
                }
            }
            found
        };
        let found = look(Box::new(|near_duplicate| {
            assert!(
                near_duplicate.identical || near_duplicate.verdict().starts_with("hamming; lcs: "),
                "{}",
                near_duplicate.verdict()
            );
        }));
        assert_eq!(found, verified);
        // If the texts cannot be read, no match is left out, and every match is marked.
        std::fs::remove_file(folder.path().join("documents.jsonl")).expect("there");
        let mut marked = 0;
        let found =
            look(Box::new(|near_duplicate| marked += usize::from(near_duplicate.verified == Some(Verified::Unread))));
        assert_eq!(found, all);
        assert!(marked > 0);
    }

    #[test]
    fn a_page_at_hand_is_compared_by_its_own_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let sentence = |from: u32| (from..from + 90).map(|word| format!("word{word} ")).collect::<String>();
        let corpus = corpus(folder.path(), &[sentence(0), sentence(0)]);
        let view = corpus.view();
        let online = OnlineDetector { verify: Some(Lcs::default().into()), ..OnlineDetector::new(Hamming::default()) };
        let print = view.get("d0000").expect("sound").expect("stored").fingerprint;
        let document = Document::bare("new", print).expect("an id");
        let count = |text: &str| online.ask_page(view, &document, &Page::text(text)).expect("an answer").count;
        assert_eq!((count(&sentence(0)), count(&sentence(1000))), (2, 0));
        let unread = online.ask(view, &document).expect("an answer");
        assert!(
            unread.matches.iter().all(|near_duplicate| near_duplicate.verified == Some(Verified::Unread)),
            "it has no page"
        );
    }
}
