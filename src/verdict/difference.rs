//! Estimates, from two profiles, the share of the longer whole text that has no counterpart in the other.
//!
//! The whole text is all text outside links, as for the removal of a page. Profiles sketch its shingles of three words.
//! If two texts of a and b words have resemblance r, they share `r (a + b) / (1 + r)` shingles (Broder 1997, 2), which
//! is a share s of the longer text ([`shared_wholes`]). A word without a counterpart changes up to three shingles: all
//! three if it stands alone, but only about one if it is part of a long stretch. Which case holds is estimated from the
//! contents, of which shingles of two and of eight words are known. If a common word is followed by another common word
//! with probability c, the share of common shingles of n words is the share of common words times c^(n - 1). So c is
//! the sixth root of the quotient of the two shares, and `s / c²` of the words are common. If the content is only a
//! part of the text, a value nearer to 1 is used for c. If nearly all of both texts is content, the short shingles of
//! the content give a second estimate, and the mean of both is taken.
//!
//! The estimate uses 40 min-values of the whole text and 84 of each kind of shingles of the content. Its standard error
//! is about 0.02 if 3 of 100 words differ and 0.03 to 0.05 if 10 do; it is half as large again if the content is only a
//! part of the text. Unlike in a diff of words, passages in another order do not count as different.

use nddb_page::sketch::Profile;

use crate::resemblances::{content_shares, shared_wholes};

/// Words in a shingle of the whole text.
const OF_WHOLE: i32 = 3;
/// Words in a short shingle of the content.
const SHORT: i32 = 2;
/// Difference in words between the long and the short shingles of contents.
const FURTHER: f64 = 6.0;
/// If the content is at least this share of a whole text, nearly all of the text is content.
const NEARLY_ALL: f64 = 0.9;

/// Returns the share of the words of the longer whole text that have no counterpart in the other, 0 to 1; `agreement`
/// is the number of equal min-values of long shingles of the contents, 0 to 84.
pub(crate) fn difference(a: &Profile, b: &Profile, agreement: u32) -> f64 {
    let [of_a, of_b] = shared_wholes(a, b);
    let [short, long] = content_shares(a, b, agreement);
    // At least one equal min-value of 84 is assumed, so that neither share is zero.
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

/// Returns the share of words that are not common. `common` is the share of common shingles of `words` words, and
/// `continues` the probability that a common word is followed by another common word.
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

    /// Words with frequencies as in a real text: half of all occurrences are of a few hundred words.
    fn words(random: &mut Random, len: usize) -> Vec<String> {
        let word = |random: &mut Random| match random.percent(50) {
            true => format!("w{}x", random.below(200)),
            false => format!("v{}x", random.below(20_000)),
        };
        (0..len).map(|_| word(random)).collect()
    }

    /// Ways to edit a text.
    const EDITS: [&str; 5] = ["single words", "one stretch", "some stretches", "more text", "less text"];

    /// Returns another version of a text, in which about this share of the words differs.
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
