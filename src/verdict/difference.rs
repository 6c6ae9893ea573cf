//! How much of the longer of two whole texts has no counterpart in the other, estimated from their profiles.
//!
//! The whole text is what stands outside links, as for the removal of a page. Of its shingles of three words, with
//! resemblance r and texts of a and b words, `r (a + b) / (1 + r)` are common (Broder 1997, 2), which is a share s of
//! the longer text ([`shared_wholes`]). A word that has no counterpart takes up to three shingles with it: all three
//! where it stands alone, and one where it is part of a long stretch. Which of the two it is the contents tell, whose
//! shingles of two and of eight words are known: if a word that is common is followed by another common one with
//! probability c, a shingle of n words is common with the share of common words times c^(n - 1). So c is the sixth root
//! of the quotient of both shares, nearer to 1 where the content is only a part of the text, and `s / c²` of the words
//! are common. Where nearly all of both texts is content, its short shingles say the same a second time, and the mean
//! of both is taken.
//!
//! The standard error is about .02 where 3 of 100 words differ, .03 to .05 where 10 do, and a half more where the
//! content is only a part of the text: 40 min-values of the whole text and 84 of each kind of shingles of the content.
//! Passages in another order do not count as different, as they do in a diff of words.

use nddb_page::sketch::Profile;

use super::traits::{content_shares, shared_wholes};

/// Words in a shingle of the whole text.
const OF_WHOLE: i32 = 3;
/// Words in a short shingle of the content.
const SHORT: i32 = 2;
/// Words by which the short and the long shingles of contents differ.
const FURTHER: f64 = 6.0;
/// Share of a whole text from which nearly all of it is content.
const NEARLY_ALL: f64 = 0.9;

/// Returns the share of the words of the longer whole text that have no counterpart in the other, 0 to 1; `agreement`
/// is the number of equal min-values of long shingles of the contents, 0 to 84.
pub(crate) fn difference(a: &Profile, b: &Profile, agreement: u32) -> f64 {
    let [of_a, of_b] = shared_wholes(a, b);
    let [short, long] = content_shares(a, b, agreement);
    // One min-value of 84 that may be equal keeps the root from nothing.
    let least = 1.0 / 84.0;
    let continues = (long.max(least) / short.max(least)).min(1.0).powf(1.0 / FURTHER);
    let [content, whole] = [a.terms.max(b.terms), a.whole_terms.max(b.whole_terms)].map(f64::from);
    let of_whole = (content / whole.max(1.0)).min(1.0);
    let of_wholes = lacking(of_a.min(of_b), 1.0 - (1.0 - continues) * of_whole, OF_WHOLE);
    let is_content = |page: &Profile| f64::from(page.terms) >= NEARLY_ALL * f64::from(page.whole_terms);
    match is_content(a) && is_content(b) {
        true => (of_wholes + lacking(short, continues, SHORT)) / 2.0,
        false => of_wholes,
    }
}

/// Returns the share of words that are not common, given that of the shingles of so many words that are, and the
/// probability that a common word is followed by another one.
fn lacking(common: f64, continues: f64, words: i32) -> f64 {
    let lost = 1.0 - common;
    (1.0 - common / continues.powi(words - 1)).clamp(lost / f64::from(words), lost)
}

#[cfg(test)]
mod tests {
    use nddb_page::sketch::{Recipe, agreement, min_bytes};
    use nddb_page::text::{Page, whole_words};
    use nddb_test_support::{Random, say};

    use super::*;
    use crate::compare::words::WordComparer;

    /// Words as often as in a text: half of all are some hundred.
    fn words(random: &mut Random, len: usize) -> Vec<String> {
        let word = |random: &mut Random| match random.percent(50) {
            true => format!("w{}x", random.below(200)),
            false => format!("v{}x", random.below(20_000)),
        };
        (0..len).map(|_| word(random)).collect()
    }

    /// Ways in which the words of a text come to differ.
    const EDITS: [&str; 5] = ["single words", "one stretch", "some stretches", "more text", "less text"];

    /// Returns another version of a text of which about this share differs.
    fn edited(text: &[String], how: &str, share: f64, random: &mut Random) -> Vec<String> {
        let (mut made, len) = (text.to_vec(), (share * text.len() as f64) as usize);
        let mut replace = |at: usize, count: usize, random: &mut Random| {
            let at = at.min(text.len() - count);
            made.splice(at..at + count, words(random, count));
        };
        match how {
            "single words" => (0..len).for_each(|_| replace(random.index(text.len()), 1, random)),
            "one stretch" => replace(random.index(text.len()), len, random),
            "some stretches" => (0..4).for_each(|_| replace(random.index(text.len()), len / 4, random)),
            "more text" => made.splice(text.len() / 2..text.len() / 2, words(random, len)).for_each(drop),
            _ => made.drain(text.len() / 3..text.len() / 3 + len).for_each(drop),
        }
        made
    }

    fn compared(a: &[String], b: &[String]) -> (f64, f64) {
        let sketched = [a, b].map(|words| {
            let (text, recipe) = (words.join(" "), Recipe::default());
            let page = Page::text(&text);
            let sketch = recipe.sketch(&page);
            let min_values = min_bytes(&sketch.min_hash.expect("min-values").values);
            (sketch.profile.expect("a profile"), min_values, whole_words(&page))
        });
        let [(a, a_values, a_words), (b, b_values, b_words)] = &sketched;
        let exact = WordComparer::default().difference(a_words, b_words).expect("few words");
        (difference(a, b, agreement(a_values, b_values)), exact)
    }

    #[test]
    fn the_estimate_is_near_a_diff_of_words() {
        const TRIALS: u64 = 40;
        let mut random = Random(1);
        for how in EDITS {
            for (share, most) in [(0.0, 0.0), (0.03, 0.03), (0.1, 0.07), (0.2, 0.08), (0.4, 0.13)] {
                let (mut bias, mut square) = (0.0, 0.0);
                let first = random.next() >> 1;
                for seed in first..first + TRIALS {
                    let mut random = Random(seed);
                    let len = 200 + random.index(600);
                    let text = words(&mut random, len);
                    let (estimate, exact) = compared(&text, &edited(&text, how, share, &mut random));
                    let error = estimate - exact;
                    (bias, square) = (bias + error, square + error * error);
                }
                let (bias, error) = (bias / TRIALS as f64, (square / TRIALS as f64).sqrt());
                say(&format!("{how}, {share}: bias {bias:.3}, root of the mean square {error:.3}, seeds from {first}"));
                assert!(bias.abs() <= 0.05 && error <= most, "{how}, {share}: {bias}, {error}, seeds from {first}");
            }
        }
    }
}
