//! A word diff of two texts side by side, as data and as HTML.

use std::fmt::Write;

use nddb_verdict::compare::lcs::Myers;
use xxhash_rust::xxh3::xxh3_64;

use crate::plot::escape;

/// Greatest number of words of a text that are compared. Comparing two longer texts with nothing in common would take
/// seconds.
const WORDS_MAX: usize = 6000;
/// Number of equal words shown on each side of a difference.
const CONTEXT: usize = 24;
/// Greatest number of words shown of one difference; the middle of a longer one is left out.
const SHOWN: usize = 400;
/// Least number of words of a line that is shown on a line of its own; shorter lines are joined.
const LINE_WORDS: usize = 6;
/// Greatest number of characters shown of a word.
const WORD_SHOWN: usize = 120;

/// The style sheet for the output of [`WordDiff::html`].
pub const WORD_DIFF_STYLE: &str = "\
.diff { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.diff > div { padding: 4px 10px; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.diff > .side + .side { border-left: 1px solid var(--line, #ccc); }
.diff > .gap { grid-column: 1 / 3; text-align: center; color: var(--faint, #777); font-size: 12px; white-space: normal; }
.diff del { background: #ffd7d5; color: #5c0a05; text-decoration: none; }
.diff ins { background: #ccf2d4; color: #04360f; text-decoration: none; }
@media (prefers-color-scheme: dark) { .diff del { background: #5c1a1a; color: #ffd7d5; } .diff ins { background: \
#14431f; color: #ccf2d4; } }
@media (max-width: 700px) { .diff { font-size: 12px; } .diff > div { padding: 3px 5px; } }
@media print { .diff del { text-decoration: underline; } .diff ins { font-weight: bold; } }
.diff i { color: var(--faint, #777); font-style: normal; font-size: 12px; }
";

/// The words of two texts and where they differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordDiff {
    /// Number of words that only the first text has.
    pub only_left: usize,
    /// Number of words that only the second text has.
    pub only_right: usize,
    /// For each text, the number of words that are compared, up to a limit, and the number of all its words.
    pub compared: [(usize, usize); 2],
    /// The texts, from the beginning.
    pub rows: Vec<DiffRow>,
}

/// A stretch of both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffRow {
    /// This many equal words, which are left out.
    Equal(usize),
    /// Differences and the equal words around them, for each side.
    Changed([Vec<DiffRun>; 2]),
}

/// Successive words of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffRun {
    /// Whether the other text lacks these words at this place.
    pub only_here: bool,
    /// The words. Each word except the first of the row follows a space, a line end or, between two short lines, a dot.
    pub text: String,
}

/// A word and the separator before it.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    before: &'static str,
}

/// A stretch of equal or of different words: its beginning and length in each text.
#[derive(Clone, Copy)]
struct WordStretch {
    from: [usize; 2],
    len: [usize; 2],
    is_equal: bool,
}

impl WordDiff {
    /// Compares two texts by their words. A word is the text between white space, compared letter for letter.
    pub fn new(left: &str, right: &str) -> Self {
        let words = [left, right].map(words);
        let all = [words[0].len(), words[1].len()];
        let [a, b] = [&words[0], &words[1]].map(|words| &words[..words.len().min(WORDS_MAX)]);
        let hash = |words: &[Word<'_>]| words.iter().map(|word| xxh3_64(word.text.as_bytes())).collect::<Vec<u64>>();
        let mut runs = Vec::new();
        // Without a limit, the comparison always succeeds.
        Myers::new().runs(&hash(a), &hash(b), usize::MAX, &mut runs);
        let mut diff = Self { compared: [(a.len(), all[0]), (b.len(), all[1])], ..Self::default() };
        let (mut stretches, mut at) = (Vec::new(), [0, 0]);
        let ends = runs.iter().map(|run| ([run.a, run.b], run.len)).chain([([a.len(), b.len()], 0)]);
        for (to, len) in ends {
            let only = [to[0] - at[0], to[1] - at[1]];
            if only != [0, 0] {
                stretches.push(WordStretch { from: at, len: only, is_equal: false });
                diff.only_left += only[0];
                diff.only_right += only[1];
            }
            if len > 0 {
                stretches.push(WordStretch { from: to, len: [len, len], is_equal: true });
            }
            at = [to[0] + len, to[1] + len];
        }
        diff.rows = rows(&stretches, [a, b]);
        diff
    }

    /// Returns whether no word differs.
    pub fn is_equal(&self) -> bool {
        self.only_left == 0 && self.only_right == 0
    }

    /// Returns the two texts as an HTML element with two columns, for a page with [`WORD_DIFF_STYLE`]. All parts of the
    /// texts are escaped.
    pub fn html(&self) -> String {
        let mut html = String::from("<div class=\"diff\">\n");
        for row in &self.rows {
            match row {
                DiffRow::Equal(words) => html += &gap(*words),
                DiffRow::Changed(sides) => {
                    for (side, tag) in sides.iter().zip(["del", "ins"]) {
                        html += "<div class=\"side\" dir=\"auto\">";
                        for run in side {
                            let text: Vec<String> = run.text.split('\n').map(escape).collect();
                            let text = text.join("\n");
                            let _ = if run.only_here {
                                write!(html, "<{tag}>{text}</{tag}>")
                            } else {
                                write!(html, "{text}")
                            };
                        }
                        html += "</div>\n";
                    }
                }
            }
        }
        for (side, (compared, all)) in ["left", "right"].into_iter().zip(self.compared) {
            if compared < all {
                let _ = writeln!(
                    html,
                    "<div class=\"gap\">{} more words on the {side} are not compared</div>",
                    all - compared
                );
            }
        }
        html += "</div>\n";
        html
    }
}

fn gap(words: usize) -> String {
    let noun = if words == 1 { "word" } else { "words" };
    format!("<div class=\"gap\">\u{22ef} {words} equal {noun} \u{22ef}</div>\n")
}

fn words(text: &str) -> Vec<Word<'_>> {
    let (mut words, mut after_short) = (Vec::new(), false);
    for line in text.split(['\n', '\r']) {
        let start = words.len();
        words.extend(line.split_whitespace().map(|text| Word { text, before: " " }));
        // Navigation is a list of short lines, which would fill the screen if shown one per line.
        let is_short = words.len() - start < LINE_WORDS;
        if let Some(first) = words.get_mut(start) {
            first.before = if is_short && after_short { " \u{b7} " } else { "\n" };
            after_short = is_short;
        }
    }
    words
}

/// Divides the stretches into rows, wherever there are more equal words between two differences than are shown.
fn rows(stretches: &[WordStretch], words: [&[Word<'_>]; 2]) -> Vec<DiffRow> {
    let mut rows = Vec::new();
    let mut sides: [Vec<DiffRun>; 2] = Default::default();
    for (index, stretch) in stretches.iter().enumerate() {
        if !stretch.is_equal {
            for side in 0..2 {
                let (from, len) = (stretch.from[side], stretch.len[side]);
                push(&mut sides[side], true, &words[side][from..from + len]);
            }
            continue;
        }
        let len = stretch.len[0];
        let before = if index > 0 { CONTEXT } else { 0 };
        // The beginning of equal texts is shown; before the first difference, only the words next to it.
        let after = if index + 1 < stretches.len() { CONTEXT } else { 0 };
        let before = if stretches.len() == 1 { 2 * CONTEXT } else { before };
        let left_out = len.saturating_sub(before + after);
        // The mark of a gap is as long as a few words, so short gaps are shown in full.
        let (head, tail) = if left_out > CONTEXT / 2 { (before, after) } else { (len, 0) };
        for side in 0..2 {
            let from = stretch.from[side];
            push(&mut sides[side], false, &words[side][from..from + head]);
        }
        if head + tail < len {
            if sides.iter().any(|side| !side.is_empty()) {
                rows.push(DiffRow::Changed(std::mem::take(&mut sides)));
            }
            rows.push(DiffRow::Equal(len - head - tail));
            for side in 0..2 {
                let end = stretch.from[side] + len;
                push(&mut sides[side], false, &words[side][end - tail..end]);
            }
        }
    }
    if sides.iter().any(|side| !side.is_empty()) {
        rows.push(DiffRow::Changed(sides));
    }
    rows
}

/// Appends words as a run. The middle of a long run is left out, with the number of its words.
fn push(side: &mut Vec<DiffRun>, only_here: bool, words: &[Word<'_>]) {
    if words.is_empty() {
        return;
    }
    let mut text = String::new();
    let mut separate = !side.is_empty();
    let cut = only_here && words.len() > SHOWN;
    let (head, tail) = if cut { (SHOWN / 2, SHOWN / 2) } else { (words.len(), 0) };
    for (index, word) in words.iter().enumerate() {
        if index >= head && index < words.len() - tail {
            if index == head {
                let _ = write!(text, "\n\u{22ef} {} more words \u{22ef}\n", words.len() - head - tail);
                separate = false;
            }
            continue;
        }
        if separate {
            text.push_str(word.before);
        }
        separate = true;
        push_word(&mut text, word.text);
    }
    side.push(DiffRun { only_here, text });
}

/// Appends a word, or the beginning of a very long word.
fn push_word(text: &mut String, word: &str) {
    match word.char_indices().nth(WORD_SHOWN) {
        Some((end, _)) => {
            let _ = write!(text, "{}\u{2026}[{} characters]", &word[..end], word.chars().count());
        }
        None => text.push_str(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(only_here: bool, text: &str) -> DiffRun {
        DiffRun { only_here, text: text.into() }
    }

    #[test]
    fn words_that_differ_are_marked_with_what_stands_around_them() {
        let rest = "while a dog is fast asleep";
        let diff = WordDiff::new(
            &format!("Home\nNews\nthe quick\n{rest} now"),
            &format!("Home\nNews\nthe slow\n{rest} here again"),
        );
        assert_eq!((diff.only_left, diff.only_right, diff.compared), (2, 3, [(11, 11), (12, 12)]));
        let both = |only: &str, end: &str| {
            vec![
                run(false, "Home \u{b7} News \u{b7} the"),
                run(true, only),
                run(false, &format!("\n{rest}")),
                run(true, end),
            ]
        };
        let (left, right) = (both(" quick", " now"), both(" slow", " here again"));
        assert_eq!(diff.rows, [DiffRow::Changed([left, right])]);
        let html = diff.html();
        assert!(html.contains(&format!("the<del> quick</del>\n{rest}<del> now</del></div>")), "{html}");
        assert!(html.contains(&format!("the<ins> slow</ins>\n{rest}<ins> here again</ins></div>")), "{html}");
    }

    #[test]
    fn equal_words_far_from_a_difference_are_counted() {
        let word = |index: usize| format!("w{index}");
        let a: Vec<String> = (0..1000).map(word).collect();
        let mut b = a.clone();
        b[500] = "other".into();
        let diff = WordDiff::new(&a.join(" "), &b.join(" "));
        let [DiffRow::Equal(before), DiffRow::Changed(sides), DiffRow::Equal(after)] = &diff.rows[..] else {
            panic!("{:?}", diff.rows)
        };
        assert_eq!((*before, *after), (500 - CONTEXT, 499 - CONTEXT));
        let shown: usize = sides[0].iter().map(|run| run.text.split_whitespace().count()).sum();
        assert_eq!(shown, 2 * CONTEXT + 1);
        assert!(WordDiff::new("a b", "a b").is_equal() && WordDiff::new("", "").rows.is_empty());
        assert_eq!(WordDiff::new("", "x y").rows, [DiffRow::Changed([vec![], vec![run(true, "x y")]])]);
        // Nothing is lost: the words shown and the words counted are together all words of a text.
        let long = WordDiff::new(&a.join(" "), "");
        assert_eq!(long.only_left, 1000);
        let DiffRow::Changed([left, _]) = &long.rows[0] else { panic!("{:?}", long.rows) };
        assert!(left[0].text.contains("600 more words") && left[0].text.ends_with("w999"), "{}", left[0].text);
    }

    #[test]
    fn hostile_texts_stay_text_and_take_little_room() {
        let hostile = "<script>alert(1)</script> &lt;b&gt; \u{202e}txt.exe\u{0} </div>";
        let html = WordDiff::new(hostile, "x").html();
        assert!(
            html.contains(
                "&lt;script&gt;alert(1)&lt;/script&gt; &amp;lt;b&amp;gt; \\u{202e}txt.exe\\u{0} &lt;/div&gt;"
            ),
            "{html}"
        );
        assert!(!html.contains("<script") && html.matches("</div>").count() == 3, "{html}");
        let long = WordDiff::new(&"x".repeat(100_000), "");
        assert!(long.html().len() < 1000 && long.html().contains("[100000 characters]"));
        // Texts that have nothing in common are compared up to a limit, which the result states.
        let (a, b) = ("a ".repeat(2 * WORDS_MAX), "b ".repeat(2 * WORDS_MAX));
        let diff = WordDiff::new(&a, &b);
        assert_eq!(diff.compared, [(WORDS_MAX, 2 * WORDS_MAX); 2]);
        assert!(diff.html().contains("6000 more words on the left are not compared"));
    }
}
