//! Verification of matches by comparing texts (Huang et al. 2008, 3.3).

use nddb_format::record::Record;
use nddb_index::{Result, View};
use nddb_page::text::{DOCUMENT_UNITS, Page, first_units, whole_words};
use nddb_verdict::compare::WordComparer;
use nddb_verdict::compare::lcs::{Comparer, Parameters, Prepared};
use nddb_verdict::{Decision, Evidence, Rules, Verification};

use super::detector::OnlineDetector;
use super::page::read_page;
use crate::text_options::TextScope;

/// The text of a queried document, prepared for comparison with the texts of its matches.
pub(super) struct Texts<'a> {
    view: View<'a>,
    part: TextScope,
    comparer: Comparer,
    rules: Rules,
    /// The words of whole pages, where these are compared.
    words: Option<WordComparer>,
    /// The queried document; `None` if unreadable.
    own: Option<ReadText>,
}

/// A text prepared for comparison, and the words of its whole page if these are compared.
struct ReadText {
    prepared: Prepared,
    words: Vec<u64>,
}

impl<'a> Texts<'a> {
    /// Takes the text of the page if given, else reads the text from the source of the document.
    pub(super) fn new(
        online: &OnlineDetector,
        view: View<'a>,
        record: &Record,
        page: Option<&Page<'_>>,
    ) -> Result<Self> {
        let comparer = Comparer::new(Parameters::default(), &online.rules.lcs);
        let words = online.rules.max_difference.map(|_| WordComparer::default());
        let mut texts = Self { view, part: TextScope::of(view), comparer, rules: online.rules, words, own: None };
        texts.own = match page {
            Some(page) => Some(texts.ready(page)),
            None => texts.read(record)?,
        };
        Ok(texts)
    }

    /// Returns the decision about a match by its text; undecided if either text cannot be read.
    pub(super) fn compare(&mut self, record: &Record, evidence: &mut Evidence) -> Result<Decision> {
        let Some(own) = &self.own else { return Ok(Decision::Unknown) };
        let Some(other) = self.read(record)? else { return Ok(Decision::Unknown) };
        evidence.add_likeness(&self.comparer.compare(&own.prepared, &other.prepared));
        if let Some(words) = &mut self.words {
            evidence.difference = words.difference(&own.words, &other.words).or(evidence.difference);
        }
        Ok(Verification::decide(evidence, &self.rules))
    }

    fn read(&self, record: &Record) -> Result<Option<ReadText>> {
        Ok(read_page(self.view, record)?.ok().map(|entry| self.ready(&entry.page())))
    }

    /// Returns a page, prepared for comparison: the first 10 KB of its text, and the words of all of it.
    fn ready(&self, page: &Page<'_>) -> ReadText {
        let text = self.part.text(page);
        let prepared = Prepared::new(first_units(&text, DOCUMENT_UNITS), self.comparer.parameters());
        let words = if self.words.is_some() { whole_words(page) } else { Vec::new() };
        ReadText { prepared, words }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nddb_index::Document;
    use nddb_verdict::Method;

    use super::*;
    use crate::NearDuplicate;
    use crate::pair::Verified;
    use crate::support::{corpus, expanded, options, texts};

    #[test]
    fn what_is_verified_are_the_verified_pairs() {
        let texts = texts(120, 9);
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = corpus(folder.path(), &texts);
        let (view, collection) = (corpus.view(), corpus.collection());
        let mut options = options(Method::Simhash);
        let (all, _) = expanded(&corpus, &options);
        options.verify = Verification::Lcs;
        let (verified, _) = expanded(&corpus, &options);
        assert!(verified.len() > 20 && verified.len() < all.len(), "{} of {}", verified.len(), all.len());
        let online = OnlineDetector { verify: Verification::Lcs, ..OnlineDetector::new(Method::Simhash) };
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
                near_duplicate.evidence.identical || near_duplicate.verdict().starts_with("simhash; lcs: "),
                "{}",
                near_duplicate.verdict()
            );
        }));
        assert_eq!(found, verified);
        // Without the texts nothing is left out, and everything is marked.
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
        let online = OnlineDetector { verify: Verification::Lcs, ..OnlineDetector::new(Method::Simhash) };
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
