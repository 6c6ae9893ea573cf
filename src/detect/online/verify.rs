//! Verification of matches by comparing texts (Huang et al. 2008, 3.3).

use nddb_format::record::Record;

use super::detector::OnlineDetector;
use super::page::read_page;
use crate::Result;
use crate::compare::lcs::{Comparer, Parameters, Prepared};
use crate::compare::term_differences::{missing_words, word_hashes};
use crate::detect::method::evidence::Evidence;
use crate::detect::method::rules::{Decision, Rules};
use crate::detect::method::text_options::TextScope;
use crate::detect::method::verification::Verification;
use crate::store::View;
use crate::text::{DOCUMENT_UNITS, Page, first_units};

/// The text of a queried document, prepared for comparison with the texts of its matches.
pub(super) struct Texts<'a> {
    view: View<'a>,
    part: TextScope,
    comparer: Comparer,
    rules: Rules,
    verify: Verification,
    /// Prepared text of the queried document; `None` if unreadable.
    own: Option<Ready>,
}

/// A text prepared for comparison, and, where words are compared, their hashes.
type Ready = (Prepared, Vec<u64>);

impl<'a> Texts<'a> {
    /// Takes the text of the page if given, else reads the text from the source of the document.
    pub(super) fn new(
        online: &OnlineDetector,
        view: View<'a>,
        record: &Record,
        page: Option<&Page<'_>>,
    ) -> Result<Self> {
        let comparer = Comparer::new(Parameters::default(), &online.rules.lcs);
        let mut texts =
            Self { view, part: TextScope::of(view), comparer, rules: online.rules, verify: online.verify, own: None };
        texts.own = match page {
            Some(page) => Some(texts.prepared(&texts.part.text(page))),
            None => texts.read(record)?,
        };
        Ok(texts)
    }

    /// Returns the decision about a match by its text; undecided if either text cannot be read.
    pub(super) fn compare(&mut self, record: &Record, evidence: &mut Evidence) -> Result<Decision> {
        let Some((own, own_words)) = &self.own else { return Ok(Decision::Unknown) };
        let Some((other, words)) = self.read(record)? else { return Ok(Decision::Unknown) };
        evidence.add_likeness(&self.comparer.compare(own, &other));
        if self.verify == Verification::Unsure {
            evidence.missing_words = Some(missing_words(own_words, &words));
        }
        Ok(self.verify.decide(evidence, &self.rules))
    }

    fn read(&self, record: &Record) -> Result<Option<Ready>> {
        Ok(read_page(self.view, record)?.ok().map(|entry| self.prepared(&self.part.text_of(&entry))))
    }

    /// Returns the first 10 KB of a text, prepared for comparison.
    fn prepared(&self, text: &str) -> Ready {
        let text = first_units(text, DOCUMENT_UNITS);
        let words = if self.verify == Verification::Unsure { word_hashes(text) } else { Vec::new() };
        (Prepared::new(text, self.comparer.parameters()), words)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::detect::NearDuplicate;
    use crate::detect::method::options::PairOptions;
    use crate::detect::method::pair::Verified;
    use crate::detect::method::registry::Method;
    use crate::detect::support::{Corpus, corpus, documents, expanded, options, texts};
    use crate::store::Document;

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

    /// Returns the words of the longer text that are not in the longest common subsequence, as a share: by the table of
    /// all lengths.
    fn missing_plainly(a: &str, b: &str) -> f64 {
        let [a, b] = [a, b].map(|text| text.split_whitespace().collect::<Vec<_>>());
        let mut last = vec![0usize; b.len() + 1];
        for word in &a {
            let mut row = vec![0];
            for (index, other) in b.iter().enumerate() {
                row.push(if word == other { last[index] + 1 } else { row[index].max(last[index + 1]) });
            }
            last = row;
        }
        1.0 - last[b.len()] as f64 / a.len().max(b.len()).max(1) as f64
    }

    #[test]
    fn the_texts_decide_where_the_model_is_unsure() {
        let seed = 11;
        // Numbers are no words of a content, and words of one script are separated by spaces.
        let letters = |text: String| text.replace(|c: char| c.is_ascii_digit(), "").replace('w', "v");
        let mut random = crate::detect::support::Random(seed);
        let word =
            |number: u64| (0..4).map(|at| char::from(b'a' + (number >> (4 * at) & 15) as u8)).collect::<String>();
        let mut texts: Vec<Vec<String>> = Vec::new();
        for index in 0..200 {
            let mut text: Vec<String> = match index % 5 {
                0 => (0..60 + random.below(120)).map(|_| word(random.below(1 << 16))).collect(),
                _ => texts[index - index % 5].clone(),
            };
            let (from, len) = (random.below(text.len() as u64) as usize, random.below(90) as usize);
            let stretch: Vec<String> = (0..len).map(|_| word(random.below(1 << 16))).collect();
            let end = (from + random.below(9) as usize).min(text.len());
            text.splice(from..end, stretch);
            texts.push(text);
        }
        let texts: Vec<String> = texts.iter().map(|text| letters(text.join(" "))).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let config = crate::Config::within(3).expect("a k").recipe("main/3");
        let resources = crate::detect::Resources { memory_limit: 0, folder: folder.path().into() };
        let path = documents(folder.path(), &texts);
        let corpus = Corpus::load(&path, &folder.path().join("db"), &config, &resources);
        let (view, collection) = (corpus.view(), corpus.collection());
        let all = |verify| expanded(&corpus, &PairOptions { verify, ..options(Method::Model) }).0;
        let found = all(Verification::Off);
        let mut comparer = Comparer::new(Parameters::default(), &Rules::default().lcs);
        let mut expected = BTreeSet::new();
        for &(a, b) in &found {
            let evidence = collection.evidence(a, b);
            let probability = Rules::default().probability_of(&evidence).expect("profiles");
            let [x, y] = [a, b].map(|ordinal| &texts[collection.id(ordinal)[1..].parse::<usize>().expect("a number")]);
            let [p, q] = [x, y].map(|text| Prepared::new(text, comparer.parameters()));
            let is_sure = evidence.identical || probability > 0.8;
            let is_trusted = comparer.compare(&p, &q).exceeds(&Rules::default().lcs);
            if is_sure || missing_plainly(x, y) <= 0.3 && is_trusted {
                expected.insert((a, b));
            }
        }
        let lost = found.difference(&expected).count();
        assert!(lost > 2 && expected.len() > 50, "seed {seed}: {lost}, {}", expected.len());
        assert_eq!(all(Verification::Unsure), expected, "seed {seed}");
        let online = OnlineDetector { verify: Verification::Unsure, ..OnlineDetector::new(Method::Model) };
        let mut asked = BTreeSet::new();
        for ordinal in 0..collection.len() {
            let stored = view.get(collection.id(ordinal)).expect("sound").expect("stored");
            for near in online.ask_stored(view, &stored, None).expect("an answer").matches {
                let other = collection.find(&near.id).expect("an id");
                asked.insert((ordinal.min(other), ordinal.max(other)));
            }
        }
        assert_eq!(asked, expected, "seed {seed}");
        // Without the texts the model decides.
        std::fs::remove_file(path).expect("there");
        assert_eq!(all(Verification::Unsure), found);
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
