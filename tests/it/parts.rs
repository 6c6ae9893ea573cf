//! Passages in common: the guarantees of a database with parts, and hostile texts.

use nddb::detect::document_of_page;
use nddb::format::Parts;
use nddb::sketch::{PART_WORDS, Recipe, page_words};
use nddb::text::Page;
use nddb::{Config, PassageLimits, Passages, Reader, RebuildOptions, RebuildWhat, View, Writer};

use super::damage::check;
use super::support::Random;

/// Words that occur nowhere else in a test.
fn words(random: &mut Random, count: usize) -> Vec<String> {
    let letter = |word: u64, at: u32| char::from(b'a' + (word >> (7 * at)) as u8 % 26);
    let word = |word: u64| (0..9).map(|at| letter(word, at)).collect();
    (0..count).map(|_| word(random.next())).collect()
}

fn parts_of(words: &[String]) -> Parts {
    page_words(&Page::text(&words.join(" "))).parts()
}

fn create(path: &std::path::Path, window: u8, texts: &[Vec<String>]) -> Writer {
    let recipe = Recipe::default().with_parts(window).expect("a window");
    let mut writer = Writer::create(path, &Config::within(3).expect("k").recipe(&recipe.label())).expect("a database");
    for (index, text) in texts.iter().enumerate() {
        let text = text.join(" ");
        let document = document_of_page(&index.to_string(), &Page::text(&text), &recipe).expect("a document");
        writer.insert(document).expect("taken");
    }
    writer.commit().expect("durable");
    writer
}

fn found(view: View<'_>, text: &[String], min_words: u32) -> Passages {
    let limits = PassageLimits { min_words, ..PassageLimits::default() };
    view.parts(&parts_of(text), None, &limits).expect("read")
}

/// The guarantee of `View::parts`. Of a text of fewer than 200 words all parts are stored.
#[test]
fn every_passage_of_the_guaranteed_length_is_found() {
    let mut random = Random::seeded("parts");
    let folder = tempfile::tempdir().expect("a folder");
    for window in [1usize, 5, 12, 24] {
        let texts: Vec<Vec<String>> = (0..12).map(|index| words(&mut random, [60, 199, 200, 450][index % 4])).collect();
        let mut writer = create(&folder.path().join(window.to_string()), window as u8, &texts);
        for round in 0..2 {
            for (index, text) in texts.iter().enumerate() {
                for least in [PART_WORDS, 10, 20] {
                    let kept = if text.len() < 200 { 1 } else { window };
                    let known = if kept == 1 { least } else { least.min(2 * PART_WORDS) };
                    let size = least.max(known + 2 * (kept - 1));
                    for start in (0..=text.len() - size).step_by(7) {
                        let passage = &text[start..start + size];
                        let asked = [&words(&mut random, 30)[..], passage, &words(&mut random, 30)].concat();
                        let answer = found(writer.view(), &asked, least as u32);
                        let ids: Vec<&str> = answer.matches.iter().map(|found| found.id.as_str()).collect();
                        assert_eq!(ids, [index.to_string()], "window {window}, {size} words at {start}");
                        let [passage] = &answer.matches[0].passages[..] else { panic!("one passage") };
                        assert!(passage.asked.start >= 30 && passage.asked.end as usize <= 30 + size, "{passage:?}");
                        assert_eq!(passage.asked.start - 30, passage.stored.start - start as u32, "{passage:?}");
                        assert!(passage.words >= known as u32 && passage.words as usize <= size, "{passage:?}");
                    }
                }
            }
            assert_eq!(found(writer.view(), &words(&mut random, 300), 5), Passages::default(), "round {round}");
            writer.flush().expect("a run");
        }
    }
}

/// Parts are keys like others: they are checked, rebuilt, merged and follow their documents.
#[test]
fn parts_survive_what_databases_go_through() {
    let mut random = Random::seeded("parts");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let texts: Vec<Vec<String>> = (0..40).map(|_| words(&mut random, 300)).collect();
    let mut writer = create(&path, 12, &texts[..20]);
    writer.flush().expect("a run");
    let recipe = Recipe::from_label(&writer.settings().recipe).expect("known");
    for (index, text) in (20..).zip(&texts[20..]) {
        let text = text.join(" ");
        writer.insert(document_of_page(&index.to_string(), &Page::text(&text), &recipe).expect("one")).expect("taken");
    }
    writer.commit().expect("durable");
    writer.flush().expect("a run");
    writer.delete("7").expect("deleted");
    writer.commit().expect("durable");
    let ids = |view: View<'_>| -> Vec<String> {
        let asked = |text: &Vec<String>| found(view, &text[100..160], 20).matches.into_iter().map(|found| found.id);
        texts.iter().flat_map(asked).collect()
    };
    let expected: Vec<String> = (0..40).filter(|index| *index != 7).map(|index: usize| index.to_string()).collect();
    assert_eq!(ids(writer.view()), expected);
    let plan = writer.plan_full_compaction().expect("two runs");
    writer.compact(&plan).expect("merged");
    assert_eq!(ids(writer.view()), expected);
    drop(writer);
    assert!(check(&path).is_sound());
    let options = RebuildOptions { what: RebuildWhat::All, ..RebuildOptions::default() };
    nddb::rebuild(&path, &options, &mut |_| true).expect("rebuilt");
    assert_eq!(ids(Reader::open(&path).expect("open").view()), expected);
}

/// A footer of many pages, pages of one repeated word, and a page that has everything: the work is bounded.
#[test]
fn hostile_texts_cost_no_more_than_others() {
    let mut random = Random::seeded("parts");
    let folder = tempfile::tempdir().expect("a folder");
    let (footer, rare) = (words(&mut random, 60), words(&mut random, 40));
    let mut texts: Vec<Vec<String>> = (0..400).map(|_| [words(&mut random, 40), footer.clone()].concat()).collect();
    texts.extend((0..400).map(|index| vec!["again".to_owned(); 300 + index]));
    texts.push([footer.clone(), rare.clone()].concat());
    let writer = create(&folder.path().join("db"), 12, &texts);
    let answer = found(writer.view(), &[footer.clone(), words(&mut random, 100)].concat(), 20);
    assert_eq!((answer.matches.len(), answer.compared, answer.frequent), (0, 0, 56));
    let repeated = vec!["again".to_owned(); 100_000];
    let answer = found(writer.view(), &repeated, 20);
    assert!(answer.compared <= 80 && answer.matches.len() <= 80, "{} compared", answer.compared);
    let all: Vec<String> = texts.iter().flatten().cloned().collect();
    let answer = found(writer.view(), &all, 20);
    assert!(answer.compared <= 1024, "{} compared", answer.compared);
    let answer = found(writer.view(), &rare, 20);
    assert_eq!((answer.matches.len(), answer.matches[0].id.as_str(), answer.compared), (1, "800", 1));
}
