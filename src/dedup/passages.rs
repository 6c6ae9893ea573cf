//! Passages in common by the words of both texts: their exact borders, and how many of their words are equal.
//!
//! A database knows of long texts a selection of their parts. The texts have them all, so that passages are found anew,
//! and Myers' algorithm compares the words that stand between their ends.

use std::ops::Range;

use nddb_format::parts::PART_WORDS;
use nddb_index::{Passage, PassageLimits, Result, Stored, View};
use nddb_page::sketch::{PageWords, page_words, parts, placed_words};
use nddb_page::text::Page;
use nddb_verdict::compare::lcs::Myers;

use crate::online::{UnreadReason, read_page};

/// Number of words that are aligned at once. Longer passages are aligned piece by piece.
const ALIGNED: usize = 4096;

/// A passage that begins and ends with equal words.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactPassage {
    /// The passage. Its words in common are those of a longest common subsequence of both sides.
    pub passage: Passage,
    /// The share of the words of the longer side that are in common.
    pub equal: f64,
}

/// Reads the words of a stored document again: with their places from its archive, or else from the text that the
/// database keeps.
///
/// # Errors
/// Damage of the catalog. The inner result says why the document cannot be read again.
pub fn stored_words(view: View<'_>, stored: &Stored) -> Result<Result<PageWords, UnreadReason>> {
    let unread = match read_page(view, &stored.record)? {
        Ok(entry) => return Ok(Ok(placed_words(&entry.page()))),
        Err(unread) => unread,
    };
    Ok(kept_words(stored).ok_or(unread))
}

/// Returns the words of the text that a database keeps, if they are those of which the document's parts were made.
pub(crate) fn kept_words(stored: &Stored) -> Option<PageWords> {
    let (compared, known) = (stored.record.words.as_deref()?, stored.record.parts.as_deref()?);
    // Each line begins with its kind.
    let lines = compared.split('\n').skip(1).filter_map(|line| Some(&line[line.chars().next()?.len_utf8()..]));
    let words = page_words(&Page::text(&lines.collect::<Vec<_>>().join("\n")));
    (parts(&words.hashes(), known.window) == *known).then_some(words)
}

/// Returns the passages of two texts that belong to passages found by their stored parts, in the order of the text
/// asked for. Each has as many words as the limits say, and begins and ends with five equal words or more. A passage
/// that stands in the content of neither page is left out: menus and cookie notices are on few pages, too.
#[must_use]
pub fn exact_passages(
    asked: &PageWords,
    stored: &PageWords,
    found: &[Passage],
    limits: &PassageLimits,
) -> Vec<ExactPassage> {
    let meet = |a: &Range<u32>, b: &Range<u32>| a.start < b.end && b.start < a.end;
    let is_found = |passage: &Passage| {
        found.iter().any(|found| meet(&found.asked, &passage.asked) && meet(&found.stored, &passage.stored))
    };
    let hashes = [asked.hashes(), stored.hashes()];
    let is_content =
        |passage: &Passage| asked.are_content(passage.asked.clone()) || stored.are_content(passage.stored.clone());
    let exact = limits.passages(&asked.parts(), &stored.parts());
    let exact = exact.into_iter().filter(|passage| is_found(passage) && is_content(passage));
    let compared = |passage: Passage| {
        let sides = [(&hashes[0], &passage.asked), (&hashes[1], &passage.stored)];
        let [a, b] = sides.map(|(words, range)| words.get(range.start as usize..range.end as usize).unwrap_or(&[]));
        let words = words_in_common(a, b) as u32;
        let equal = f64::from(words) / a.len().max(b.len()).max(PART_WORDS) as f64;
        ExactPassage { passage: Passage { words, ..passage }, equal }
    };
    exact.map(compared).collect()
}

/// Returns the length of a longest common subsequence; of long texts that of their pieces.
fn words_in_common(mut a: &[u64], mut b: &[u64]) -> usize {
    let (mut myers, mut runs, mut common) = (Myers::new(), Vec::new(), 0);
    while a.len().max(b.len()) > ALIGNED {
        let [left, right] = [a, b].map(|words| &words[..words.len().min(ALIGNED)]);
        myers.runs(left, right, usize::MAX, &mut runs);
        // What follows a piece changes how its end is aligned, and rarely its beginning.
        let (mut equal, mut done) = (0, [0; 2]);
        for run in &runs {
            let len = run.len.min((ALIGNED / 2).saturating_sub(run.a.max(run.b)));
            if len == 0 {
                break;
            }
            (equal, done) = (equal + len, [run.a + len, run.b + len]);
        }
        if done[0].max(done[1]) < ALIGNED / 4 {
            (equal, done) = (runs.iter().map(|run| run.len).sum(), [left.len(), right.len()]);
        }
        common += equal;
        (a, b) = (&a[done[0]..], &b[done[1]..]);
    }
    myers.distance(a, b, usize::MAX).map_or(common, |edits| common + (a.len() + b.len() - edits) / 2)
}

#[cfg(test)]
mod tests {
    use nddb_test_support::Random;
    use nddb_verdict::compare::lcs::plain::longest_common_subsequence;

    use super::*;

    fn words(random: &mut Random, count: usize) -> Vec<String> {
        (0..count).map(|_| (0..9).map(|_| char::from(b'a' + random.below(26) as u8)).collect()).collect()
    }

    /// A passage in two texts. At its end a word in ten is exchanged, removed or inserted, but for the last five.
    #[test]
    fn the_borders_are_those_of_the_passage_and_the_words_those_of_a_longest_common_subsequence() {
        let mut random = Random::seeded("exact passages");
        for window in [1, 8, 24] {
            for _ in 0..20 {
                let passage = words(&mut random, 160);
                let mut edited = passage.clone();
                for at in (78..152).step_by(10).rev() {
                    match random.below(4) {
                        0 => edited[at] = "exchanged".into(),
                        1 => edited.insert(at, "inserted".into()),
                        2 => drop(edited.remove(at)),
                        _ => {}
                    }
                }
                let sides = [&edited, &passage].map(|passage| {
                    let more = random.index(9);
                    let before = words(&mut random, 200 + more);
                    let text = [&before[..], passage, &words(&mut random, 30)].concat();
                    (before.len() as u32, placed_words(&Page::text(&text.join(" "))))
                });
                let [(from, asked), (to, stored)] = &sides;
                let limits = PassageLimits { min_words: 40, ..PassageLimits::default() };
                let found = limits.passages(&asked.parts(), &parts(&stored.hashes(), window));
                let exact = exact_passages(asked, stored, &found, &limits);
                let [ExactPassage { passage: exact, equal }] = &exact[..] else { panic!("{window}: {exact:?}") };
                assert_eq!(exact.asked, *from..from + edited.len() as u32, "{window}");
                assert_eq!(exact.stored, *to..to + 160, "{window}");
                let common = longest_common_subsequence(&edited, &passage).len();
                assert_eq!(exact.words as usize, common, "{window}");
                assert_eq!(*equal, common as f64 / edited.len().max(160) as f64);
                let place = asked.characters(exact.asked.clone()).expect("a plain text");
                assert_eq!(
                    (place.start, place.end - place.start),
                    (10 * u64::from(*from), edited.join(" ").len() as u64)
                );
                assert_eq!(exact_passages(asked, stored, &[], &limits), []);
            }
        }
    }

    #[test]
    fn passages_in_the_content_of_neither_page_are_left_out() {
        let mut random = Random::seeded("content");
        let mut prose = |count| words(&mut random, count).join(" ");
        let (notice, quoted) = (prose(30), prose(30));
        let menu = notice.split(' ').map(|word| format!("<a href=/{word}>{word}</a> ")).collect::<String>();
        let mut page = |quoted: &str| {
            let [before, behind, more] = [90, 90, 200].map(&mut prose);
            format!("<nav>{menu}</nav><article><p>{before} {quoted} {behind}</p><p>{more}</p></article>")
        };
        let (a, b) = (page(&quoted), page(&quoted));
        let limits = PassageLimits::default();
        let places = |a: &Page<'_>, b: &Page<'_>| -> Vec<u32> {
            let [a, b] = [a, b].map(|page| page_words(page));
            let found = limits.passages(&a.parts(), &b.parts());
            exact_passages(&a, &b, &found, &limits).into_iter().map(|exact| exact.passage.asked.start).collect()
        };
        assert_eq!(places(&Page::html(&a), &Page::html(&b)), [120]);
        assert_eq!(places(&Page::html(&a), &Page::text(&notice)), [0], "what is asked for as a text is content");
    }

    #[test]
    fn long_passages_are_aligned_piece_by_piece() {
        let mut random = Random::seeded("long passages");
        let a: Vec<u64> = (0..3 * ALIGNED).map(|_| random.next()).collect();
        let mut b = a.clone();
        for at in (0..a.len()).step_by(50).rev() {
            match random.below(3) {
                0 => b[at] = 1,
                1 => b.insert(at, 2),
                _ => drop(b.remove(at)),
            }
        }
        let edits = Myers::new().distance(&a, &b, usize::MAX).expect("no limit");
        assert_eq!(words_in_common(&a, &b), (a.len() + b.len() - edits) / 2);
        assert_eq!(words_in_common(&a, &[]), 0);
        assert_eq!(words_in_common(&vec![7; 100_000], &vec![7; 90_000]), 90_000);
        assert_eq!(words_in_common(&a, &b.iter().map(|word| word ^ 1 << 63).collect::<Vec<_>>()), 0);
    }
}
