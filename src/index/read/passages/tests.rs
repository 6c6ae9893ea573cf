use nddb_format::Fingerprint;
use nddb_format::parts::{PART_WORDS, Part, Parts};
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::chain::Asked;
use super::*;
use crate::{Config, Document, Federation, Writer};

/// All parts of a text of these words.
fn parts(words: &[u64]) -> Parts {
    let hash = |words: &[u64]| {
        xxh3_64(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()) & ((1 << 40) - 1)
    };
    let selected = (0..).zip(words.windows(PART_WORDS)).map(|(at, words)| Part { hash: hash(words), at }).collect();
    Parts { window: 1, words: words.len() as u32, selected }
}

/// Words that occur nowhere else.
fn own_words(text: u64, count: usize) -> Vec<u64> {
    (0..count as u64).map(|index| text << 32 | index).collect()
}

fn document(id: &str, fingerprint: u64, words: &[u64]) -> Document {
    let record = Record {
        id: id.into(),
        tokens: Some(words.len() as u64),
        digest: Some([0; 16]),
        parts: Some(Box::new(parts(words))),
        ..Record::default()
    };
    Document::sketched(Fingerprint(fingerprint), record).expect("an id")
}

/// A database of documents with these words; the fingerprint is the hash of a number.
fn database(folder: &tempfile::TempDir, documents: &[(u64, Vec<u64>)]) -> Writer {
    let config = Config::within(3).expect("k").recipe("main-parts/1");
    let mut writer = Writer::create(folder.path().join("db"), &config).expect("a database");
    for (index, (text, words)) in documents.iter().enumerate() {
        let fingerprint = xxh3_64(&text.to_le_bytes());
        writer.insert(document(&index.to_string(), fingerprint, words)).expect("taken");
    }
    writer.commit().expect("durable");
    writer
}

fn found(view: View<'_>, words: &[u64]) -> Passages {
    view.parts(&parts(words), None, &PassageLimits::default()).expect("read")
}

#[test]
fn a_passage_is_found_in_memory_and_in_runs_until_its_document_is_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    let passage = own_words(1, 30);
    let texts = [[own_words(2, 7), passage.clone(), own_words(3, 300)].concat(), own_words(4, 300)];
    let mut writer = database(&folder, &[(1, texts[0].clone()), (2, texts[1].clone())]);
    let asked = [own_words(5, 11), passage, own_words(6, 9)].concat();
    let expected = Passage { asked: 11..41, stored: 7..37, words: 30, longest: 30 };
    for _ in 0..2 {
        let answer = found(writer.view(), &asked);
        assert_eq!((answer.matches.len(), answer.frequent, answer.left_out, answer.compared), (1, 0, 0, 1));
        let [found] = &answer.matches[..] else { panic!("one match") };
        assert_eq!((found.id.as_str(), found.words, found.stored_words), ("0", 30, 337));
        assert_eq!(found.passages, std::slice::from_ref(&expected));
        assert_eq!(
            writer.view().parts(&parts(&asked), Some(found.number), &PassageLimits::default()).expect("read").matches,
            []
        );
        writer.flush().expect("a run");
    }
    writer.delete("0").expect("deleted");
    writer.commit().expect("durable");
    assert_eq!(found(writer.view(), &asked), Passages::default());
}

#[test]
fn a_short_document_must_be_in_common_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let writer = database(&folder, &[(1, own_words(1, 5)), (2, own_words(2, 12)), (3, own_words(3, 40))]);
    let ask = |words: Vec<u64>| -> Vec<String> {
        let asked = [own_words(9, 50), words, own_words(8, 50)].concat();
        found(writer.view(), &asked).matches.into_iter().map(|found| found.id).collect()
    };
    assert_eq!(ask(own_words(1, 5)), ["0"]);
    assert_eq!(ask(own_words(2, 12)), ["1"]);
    assert_eq!(ask(own_words(2, 11)), [""; 0]);
    assert_eq!(ask(own_words(3, 20)), ["2"]);
    assert_eq!(ask(own_words(3, 19)), [""; 0]);
}

/// 600 pages with one footer, and one of them with a passage that ends with the footer.
#[test]
fn a_part_of_many_texts_extends_a_passage_and_begins_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let (footer, passage) = (own_words(1, 40), own_words(2, 6));
    let mut texts: Vec<(u64, Vec<u64>)> =
        (0..600).map(|page| (page, [own_words(100 + page, 50), footer.clone()].concat())).collect();
    texts[77].1 = [own_words(3, 20), passage.clone(), footer.clone()].concat();
    let mut writer = database(&folder, &texts);
    for _ in 0..2 {
        let answer = found(writer.view(), &[own_words(4, 20), footer.clone()].concat());
        assert_eq!((answer.matches.len(), answer.compared, answer.frequent), (0, 0, 36));
        let answer = found(writer.view(), &[own_words(4, 20), passage.clone(), footer.clone()].concat());
        let ids: Vec<&str> = answer.matches.iter().map(|found| found.id.as_str()).collect();
        assert_eq!((ids, answer.compared, answer.frequent), (vec!["77"], 1, 36));
        assert_eq!(answer.matches[0].passages, [Passage { asked: 20..66, stored: 20..66, words: 46, longest: 46 }]);
        writer.flush().expect("a run");
    }
}

#[test]
fn copies_of_a_text_count_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let passage = own_words(1, 40);
    let copies: Vec<(u64, Vec<u64>)> = (0..60).map(|_| (7, passage.clone())).collect();
    let writer = database(&folder, &copies);
    let answer = found(writer.view(), &passage);
    assert_eq!((answer.matches.len(), answer.frequent, answer.left_out), (60, 0, 0));
    // The oldest documents of a part are looked at, and the rest is counted.
    let more: Vec<(u64, Vec<u64>)> = (0..100).map(|_| (7, passage.clone())).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let answer = found(database(&folder, &more).view(), &passage);
    assert_eq!((answer.matches.len(), answer.frequent, answer.left_out), (LIST_MAX, 0, 36));
}

/// The work of each page with the same footer, counted: from some number of pages on it is the same, whether their
/// parts are in the memtable or in runs, and whether the pages differ or are captures of one text.
#[test]
fn a_footer_of_any_number_of_pages_costs_each_of_them_the_same() {
    for texts in [u64::MAX, 3] {
        let work = |pages: u64| -> Vec<[usize; 4]> {
            let folder = tempfile::tempdir().expect("a folder");
            let footer = own_words(1, 40);
            let all: Vec<(u64, Vec<u64>)> =
                (0..pages).map(|page| (page % texts, [own_words(100 + page, 20), footer.clone()].concat())).collect();
            let mut writer = database(&folder, &all);
            if pages > 200 {
                writer.flush().expect("a run");
            }
            let of_page = |(_, words): &(u64, Vec<u64>)| {
                let limits = PassageLimits::default();
                let mut search = PassageSearch::new(writer.view(), None, &limits);
                let parts = parts(words);
                search.look_up(&parts).expect("read");
                let (summaries, evidence) = (search.fingerprints.len(), search.evidence.len());
                let compared = search.candidates().expect("read").len();
                [summaries, evidence, compared, search.frequent.len()]
            };
            all.iter().map(of_page).collect()
        };
        let [few, more, most] = [200, 400, 800].map(work);
        let greatest = |work: &[[usize; 4]]| [0, 1, 2, 3].map(|of| work.iter().map(|one| one[of]).max());
        let expected = if texts == 3 { [LIST_MAX, LIST_MAX + 1, LIST_MAX + 1, 0] } else { [21, 1, 1, 36] };
        assert_eq!(greatest(&few), expected.map(Some));
        assert_eq!((greatest(&more), greatest(&most)), (greatest(&few), greatest(&few)));
    }
}

/// By definition: the matches of each database, and the sums of what was counted.
#[test]
fn several_databases_answer_with_what_each_of_them_answers() {
    let (footer, passage) = (own_words(1, 40), own_words(2, 40));
    let page = |page: u64| {
        let common = if page.is_multiple_of(5) { &passage[..20 + page as usize / 5] } else { &[] };
        (page, [&own_words(100 + page, 20)[..], common, &own_words(900 + page, 9), &footer].concat())
    };
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    // The footer is frequent in two of them.
    let pages = [(0..30).map(page).collect(), (30..36).map(page).collect(), (36..70).map(page).collect::<Vec<_>>()];
    let databases: Vec<Writer> = folders.iter().zip(&pages).map(|(folder, pages)| database(folder, pages)).collect();
    let views: Vec<View<'_>> = databases.iter().map(Writer::view).collect();
    let mut federation = Federation::of(views[0]);
    views[1..].iter().for_each(|view| federation.join(*view).expect("the same settings"));
    let limits = PassageLimits::default();
    let asked = parts(&[own_words(5, 9), passage.clone(), own_words(6, 9), footer.clone()].concat());
    let own = views[2].get("4").expect("read").expect("stored").number;
    let found = federation.passages(&asked, Some((2, own)), &limits).expect("read");
    let single: Vec<Passages> = (0..)
        .zip(&views)
        .map(|(part, view)| view.parts(&asked, (part == 2).then_some(own), &limits).expect("read"))
        .collect();
    let mut expected: Vec<(usize, PassageMatch)> =
        (0..).zip(&single).flat_map(|(part, one)| one.matches.iter().map(move |found| (part, found.clone()))).collect();
    expected.sort_by_key(|(_, found)| Reverse(found.words));
    assert_eq!(found.matches, expected);
    assert_eq!(found.matches.iter().map(|(part, _)| *part).collect::<std::collections::BTreeSet<_>>().len(), 3);
    assert!(!found.matches.iter().any(|(part, found)| (*part, found.number) == (2, own)));
    let sum = |of: fn(&Passages) -> u64| single.iter().map(of).sum::<u64>();
    let counts = [sum(|one| one.frequent), sum(|one| one.left_out), sum(|one| one.compared)];
    assert_eq!([found.frequent, found.left_out, found.compared], counts);
    assert_eq!(found.frequent, 2 * 36);
}

#[test]
fn texts_of_one_repeated_part_are_compared_in_bounded_time() {
    let text = |count: usize| {
        let mut all = parts(&vec![7; count]);
        all.selected.truncate(16);
        all
    };
    let (asked, stored) = (text(1 << 20), text(1 << 20));
    let found = Asked::new(&asked, Vec::new()).passages(&stored, &PassageLimits::default());
    assert_eq!(found, [Passage { asked: 0..20, stored: 0..20, words: 20, longest: 20 }]);
}

proptest! {
    /// By definition: with all parts of both texts and words that occur once, a passage is a run of words in common.
    #[test]
    fn passages_of_whole_texts_are_the_runs_in_common(
        lengths in prop::collection::vec((0usize..12, 0usize..60, 12usize..40), 1..6),
        min_words in 5u32..30,
    ) {
        let limits = PassageLimits { min_words, ..PassageLimits::default() };
        let (mut left, mut right, mut expected) = (own_words(90, 40), own_words(91, 40), Vec::new());
        for (index, &(before, passage, after)) in (0u64..).zip(&lengths) {
            left.extend(own_words(3 * index, before));
            let (asked, stored) = (left.len() as u32, right.len() as u32);
            left.extend(own_words(3 * index + 1, passage));
            right.extend(own_words(3 * index + 1, passage));
            let words = passage as u32;
            if words >= min_words {
                expected.push(Passage { asked: asked..asked + words, stored: stored..stored + words, words, longest: words });
            }
            // The next passage is far away in one of the texts.
            right.extend(own_words(3 * index + 2, after + 20 + before));
        }
        let (left, right) = (parts(&left), parts(&right));
        prop_assert_eq!(Asked::new(&left, Vec::new()).passages(&right, &limits), expected);
    }

    /// Words are exchanged, at least nine words apart: the passage is found whole, with all words that are equal.
    #[test]
    fn a_passage_with_one_word_in_ten_exchanged_is_found_whole(
        (edits, ends) in (prop::collection::vec(9usize..14, 1..8), (9usize..20, 9usize..20)),
        common in 30usize..60,
    ) {
        let mut stored = own_words(1, common + ends.0 + ends.1 + 14 * edits.len());
        let asked = [own_words(2, 25), stored.clone(), own_words(3, 25)].concat();
        let mut at = ends.0;
        for (index, gap) in edits.iter().enumerate() {
            stored[at] = 5 << 32 | index as u64;
            at += 1 + gap;
        }
        let found = Asked::new(&parts(&asked), Vec::new()).passages(&parts(&stored), &PassageLimits::default());
        prop_assert_eq!(found.len(), 1);
        let size = stored.len() as u32;
        prop_assert_eq!((&found[0].asked, &found[0].stored), (&(25..25 + size), &(0..size)));
        prop_assert_eq!(found[0].words, size - edits.len() as u32);
    }

    #[test]
    fn any_parts_are_compared_without_panic(
        left in prop::collection::vec(0u64..4, 0..80),
        right in prop::collection::vec(0u64..4, 0..80),
        windows in (1u8..20, 1u8..20),
    ) {
        let (mut left, mut right) = (parts(&left), parts(&right));
        (left.window, right.window) = windows;
        let limits = PassageLimits { min_words: 5, ..PassageLimits::default() };
        for passage in Asked::new(&left, Vec::new()).passages(&right, &limits) {
            prop_assert!(passage.asked.end <= left.words && passage.stored.end <= right.words);
            prop_assert!(passage.longest <= passage.words && passage.words <= passage.asked.len().min(passage.stored.len()) as u32);
        }
    }
}
