//! Two texts in two columns of characters.

use nddb_evaluate::show::{Quoted, ShownDocument};
use nddb_evaluate::{DiffRow, DiffRun, WordDiff};
use nddb_jobs::json::safe;
use unicode_width::UnicodeWidthChar;

use crate::quantity::counted;

/// The separator between the columns.
const BETWEEN: &str = " \u{2502} ";
/// Number of words shown of a passage that is the same in both documents.
const QUOTED: usize = 40;
/// Minimum width of a column.
const COLUMN_MIN: usize = 16;

/// How to mark words that only one text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marks {
    /// By colours of the terminal.
    Colours,
    /// By signs around them.
    Signs,
}

/// The layout of two texts.
pub(crate) struct Columns {
    /// Total width of both columns and their separator, in characters.
    pub(crate) width: usize,
    pub(crate) marks: Marks,
}

/// A part of a line: some characters, and whether they are marked.
type MarkedText = (String, bool);

/// A line of a column, while it is filled.
#[derive(Default)]
struct ColumnLine {
    parts: Vec<MarkedText>,
    width: usize,
}

impl Columns {
    /// Lays out two documents, their passages in common and their difference.
    pub(crate) fn shown(&self, documents: &[ShownDocument; 2], passages: &[Quoted], diff: &WordDiff) -> String {
        let mut out = String::new();
        let plain = |text: &str| vec![DiffRun { only_here: false, text: text.to_owned() }];
        let or_none = |text: Option<&str>| plain(text.unwrap_or("\u{2013}"));
        let fields: [fn(&ShownDocument) -> Option<&str>; 3] =
            [|document| Some(&document.id), |document| document.url.as_deref(), |document| document.title.as_deref()];
        for field in fields {
            let [a, b] = documents.each_ref().map(|document| or_none(field(document)));
            self.row(&mut out, [&a, &b]);
        }
        for Quoted { words, texts } in passages {
            self.rule(&mut out, &format!(" a passage with {} in common ", counted(*words, "word")));
            out += &self.passage(texts.each_ref().map(String::as_str));
        }
        self.rule(&mut out, if passages.is_empty() { "" } else { " the texts " });
        self.rows(&mut out, diff);
        for (side, (compared, all)) in ["left", "right"].into_iter().zip(diff.compared) {
            if compared < all {
                self.rule(&mut out, &format!(" {} more words on the {side} are not compared ", all - compared));
            }
        }
        self.rule(&mut out, "");
        out
    }

    /// Lays out a passage of two documents; the middle of a long one that is the same in both is left out.
    pub(crate) fn passage(&self, texts: [&str; 2]) -> String {
        let (mut out, diff) = (String::new(), WordDiff::new(texts[0], texts[1]));
        if diff.is_equal() {
            let [a, b] = texts.map(|text| vec![DiffRun { only_here: false, text: shortened(text) }]);
            self.row(&mut out, [&a, &b]);
        } else {
            self.rows(&mut out, &diff);
        }
        out
    }

    /// Appends where two texts differ.
    fn rows(&self, out: &mut String, diff: &WordDiff) {
        for row in &diff.rows {
            match row {
                DiffRow::Equal(words) => {
                    let noun = if *words == 1 { "word" } else { "words" };
                    self.rule(out, &format!(" {words} equal {noun} "));
                }
                DiffRow::Changed([a, b]) => self.row(out, [a, b]),
            }
        }
    }

    /// The width of one column.
    fn column(&self) -> usize {
        (self.width.saturating_sub(BETWEEN.chars().count()) / 2).max(COLUMN_MIN)
    }

    /// Appends a horizontal line over both columns, with a text in its middle.
    fn rule(&self, out: &mut String, text: &str) {
        let width = 2 * self.column() + BETWEEN.chars().count();
        let left = width.saturating_sub(text.chars().count());
        out.push_str(&"\u{2500}".repeat(left / 2));
        out.push_str(text);
        out.push_str(&"\u{2500}".repeat(left - left / 2));
        out.push('\n');
    }

    /// Appends a row: both sides, wrapped.
    fn row(&self, out: &mut String, sides: [&[DiffRun]; 2]) {
        let column = self.column();
        let [left, right] = [(sides[0], ["[-", "-]"]), (sides[1], ["{+", "+}"])].map(|(runs, signs)| {
            let signs = if self.marks == Marks::Signs { signs } else { ["", ""] };
            wrapped(runs, column, signs)
        });
        for index in 0..left.len().max(right.len()) {
            let empty = ColumnLine::default();
            let (a, b) = (left.get(index).unwrap_or(&empty), right.get(index).unwrap_or(&empty));
            self.line(out, a, "\u{1b}[31m");
            out.push_str(&" ".repeat(column.saturating_sub(a.width)));
            out.push_str(BETWEEN);
            self.line(out, b, "\u{1b}[32m");
            let length = out.trim_end_matches(' ').len();
            out.truncate(length);
            out.push('\n');
        }
    }

    fn line(&self, out: &mut String, line: &ColumnLine, colour: &str) {
        for (text, is_marked) in &line.parts {
            if *is_marked && self.marks == Marks::Colours {
                out.push_str(&format!("{colour}{text}\u{1b}[0m"));
            } else {
                out.push_str(text);
            }
        }
    }
}

/// Returns a text without its middle, if it is long.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    match words.len().checked_sub(QUOTED) {
        Some(more) if more > 1 => {
            let (first, last) = (&words[..QUOTED / 2], &words[words.len() - QUOTED / 2..]);
            format!("{} [{more} words] {}", first.join(" "), last.join(" "))
        }
        _ => text.to_owned(),
    }
}

/// Breaks runs into lines of at most `column` characters: at spaces, and longer words at any character.
fn wrapped(runs: &[DiffRun], column: usize, signs: [&str; 2]) -> Vec<ColumnLine> {
    let mut lines = vec![ColumnLine::default()];
    for run in runs {
        // Characters before the first word separate the word from the last run.
        let words = run.text.trim_start_matches([' ', '\n', '\u{b7}']);
        let lead = &run.text[..run.text.len() - words.len()];
        push(&mut lines, lead, false, column);
        let marked =
            if run.only_here { format!("{}{}{}", signs[0], safe(words), signs[1]) } else { safe(words).into_owned() };
        push(&mut lines, &marked, run.only_here, column);
    }
    lines
}

/// Appends words with the characters between them.
fn push(lines: &mut Vec<ColumnLine>, text: &str, is_marked: bool, column: usize) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '\n' {
            lines.push(ColumnLine::default());
            rest = &rest[1..];
            continue;
        }
        let end = rest[first.len_utf8()..].find([' ', '\n']).map_or(rest.len(), |end| end + first.len_utf8());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        let line = lines.last().map_or(0, |line| line.width);
        if line + width(word) > column && line > 0 {
            lines.push(ColumnLine::default());
            push_word(lines, word.trim_start_matches(' '), is_marked, column);
        } else {
            push_word(lines, word, is_marked, column);
        }
    }
}

/// Appends a word, over several lines if it is wider than a line.
fn push_word(lines: &mut Vec<ColumnLine>, word: &str, is_marked: bool, column: usize) {
    for letter in word.chars() {
        let wide = letter.width().unwrap_or(0);
        if lines.last().is_none_or(|line| line.width + wide > column) {
            lines.push(ColumnLine::default());
        }
        let Some(line) = lines.last_mut() else { continue };
        match line.parts.last_mut() {
            Some((text, marked)) if *marked == is_marked => text.push(letter),
            _ => line.parts.push((letter.to_string(), is_marked)),
        }
        line.width += wide;
    }
}

fn width(text: &str) -> usize {
    text.chars().map(|letter| letter.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use nddb::verdict::Known;

    use super::*;

    fn document(id: &str, text: &str) -> ShownDocument {
        ShownDocument {
            id: id.into(),
            url: None,
            site: None,
            title: Some("A title".into()),
            tokens: Some(1),
            text: text.into(),
            compared: String::new(),
            known: Known::default(),
        }
    }

    fn shown(a: &str, b: &str, width: usize, marks: Marks) -> String {
        Columns { width, marks }.shown(&[document("a", a), document("b", b)], &[], &WordDiff::new(a, b))
    }

    #[test]
    fn texts_stand_side_by_side_within_the_width() {
        let second = "jumps over the dog once more";
        let of = |word: &str| format!("the {word} brown fox runs on\n{second}");
        let text = shown(&of("quick"), &of("slow"), 43, Marks::Signs);
        let rule = "\u{2500}".repeat(43);
        let wanted = format!(
            "a                    \u{2502} b\n\
             \u{2013}                    \u{2502} \u{2013}\n\
             A title              \u{2502} A title\n\
             {rule}\n\
             the [-quick-] brown  \u{2502} the {{+slow+}} brown\n\
             fox runs on          \u{2502} fox runs on\n\
             jumps over the dog   \u{2502} jumps over the dog\n\
             once more            \u{2502} once more\n\
             {rule}\n"
        );
        assert_eq!(text, wanted);
    }

    #[test]
    fn colours_take_no_room_and_every_line_has_the_width() {
        let words = |word: &str| (0..60).map(|number| format!("{word}{number} ")).collect::<String>();
        let text = shown(&words("\u{6f22}\u{5b57}"), &words("letters"), 80, Marks::Colours);
        assert!(text.contains("\u{1b}[31m") && text.contains("\u{1b}[32m"), "{text}");
        let plain = text.replace("\u{1b}[31m", "").replace("\u{1b}[32m", "").replace("\u{1b}[0m", "");
        for line in plain.lines() {
            assert!(width(line) <= 80, "{line}");
            let bar = line.find('\u{2502}').map(|at| width(&line[..at]));
            assert!(bar.is_none_or(|at| at == 39), "{line}");
        }
        let all = plain.replace(['\n', '\u{2502}'], " ");
        (0..60).for_each(|number| assert!(all.contains(&format!("letters{number} ")), "{number}: {plain}"));
    }

    #[test]
    fn equal_words_are_folded_and_a_terminal_obeys_nothing() {
        let same = "same ".repeat(300);
        let text = shown(&format!("{same} \u{1b}[2Jold \u{202e}x"), &format!("{same} new"), 100, Marks::Signs);
        assert!(text.contains(" equal words "), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
        assert!(text.contains(r"\u001b[2Jold") && text.contains("{+new+}"), "{text}");
        // A narrow terminal, and words that are wider than a column.
        let text = shown(&"x".repeat(100), "y", 1, Marks::Signs);
        assert!(text.lines().all(|line| width(line) <= 2 * COLUMN_MIN + 3), "{text}");
    }
}
