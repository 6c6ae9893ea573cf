//! Signs that are terms: ticks and crosses, operators, currencies, emoji, drawings.
//!
//! Henzinger's terms are letters and digits alone, because punctuation says little about prose. But two lists of the
//! same features with other check marks are not the same, and neither are `C` and `C++`, `<` and `<=`, `-5` and `5`, or
//! two drawings with one caption. So signs are terms where they are not typography. Typography is: punctuation and
//! brackets, bullets (before a line), rules and leaders (runs of one character), prompts and quote marks, hyphens and
//! dashes between words, borders of tables, marks of ownership such as `©`, and icons of private fonts.
//!
//! Whether a sign is a term depends on its line alone, so an edit changes no sign elsewhere.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use crate::text::ignorable::is_ignorable;
use crate::text::letters::{is_alphanumeric, is_joiner};
use crate::text::word_segmentation::pieces;

/// Maximum size of a word in bytes; also the size of a hexadecimal hash that names a version.
const LONGEST_WORD: usize = 40;

/// A line has a drawing of ASCII characters if at least this many, of at least two kinds, follow each other without a
/// word: Morse code, programs made of operators.
const DRAWING: usize = 5;

/// A run of one ASCII character of this length is a rule or a leader; of other characters, such as stars, a longer one.
const RULE: usize = 3;
const WIDE_RULE: usize = 11;

/// A longer run of signs is cut into pieces.
const SIGNS_MAX: usize = 8;

/// Bits of the class of a byte between words.
const MAY_BE_SIGN: u8 = 1;
const INK: u8 = 2;

const CLASSES: [u8; 256] = {
    let (mut classes, mut byte) = ([0; 256], 0);
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'+' | b'<' | b'>' | b'=' | b'%' | b'$' | b'#' | b'^' | b'~' | b'!' | b'*' | b'/' | b'&' | b'|' | b'-' => {
                MAY_BE_SIGN | INK
            }
            128.. => MAY_BE_SIGN,
            b'.' | b'\\' | b'_' | b'@' => INK,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Returns the terms of a text with its signs, and with terms that are too long to be words cut into pieces; `None` if
/// there is neither. `spans` are the beginning and end of each term; terms that begin at or after `size` are left
/// unchanged.
pub(super) fn with_signs(text: &str, size: usize, spans: &[(usize, usize)]) -> Option<Vec<(usize, usize)>> {
    let bytes = text.as_bytes();
    let mut signs = Signs { text, size, all: Vec::new() };
    let (mut copied, mut done) = (0, 0);
    for (index, &(from, to)) in spans.iter().enumerate() {
        if from >= size {
            continue;
        }
        let has_signs = from > done && may_have_signs(&bytes[done..from]);
        let is_long = to - from > LONGEST_WORD && bytes[from..to].iter().all(u8::is_ascii_alphanumeric);
        if has_signs || is_long {
            signs.all.extend_from_slice(&spans[copied..index]);
            copied = index;
            if has_signs {
                signs.between(done, from);
            }
            if is_long {
                pieces(&text[from..to], |begin, end| signs.all.push((from + begin, from + end)));
                copied = index + 1;
            }
        }
        done = to.max(done);
    }
    let has_signs = done < size && may_have_signs(&bytes[done..size]);
    if has_signs || copied > 0 || !signs.all.is_empty() {
        signs.all.extend_from_slice(&spans[copied..]);
        if has_signs {
            signs.between(done, size);
        }
        return (signs.all.len() != spans.len()).then_some(signs.all);
    }
    None
}

/// Returns whether the text between two terms may have signs.
#[inline]
fn may_have_signs(between: &[u8]) -> bool {
    match between {
        [byte] => matches!(byte, b'+' | b'<' | b'>' | b'=' | b'%' | b'$' | b'#' | b'^'),
        _ => {
            let (mut any, mut ink) = (0, 0);
            for &byte in between {
                any |= CLASSES[usize::from(byte)];
                ink += usize::from(CLASSES[usize::from(byte)] & INK);
            }
            any & MAY_BE_SIGN != 0 || ink >= DRAWING * usize::from(INK)
        }
    }
}

/// The terms of a text with signs, so far.
struct Signs<'a> {
    text: &'a str,
    size: usize,
    all: Vec<(usize, usize)>,
}

/// A run of characters without white space between two terms.
#[derive(Clone, Copy)]
struct Run<'a> {
    text: &'a str,
    /// Whether nothing but white space is before it in its line, or after it.
    begins_line: bool,
    ends_line: bool,
    /// The whole text before it, and after it.
    ahead: &'a str,
    behind: &'a str,
}

impl Signs<'_> {
    /// Appends the signs of the text between two terms.
    fn between(&mut self, from: usize, to: usize) {
        let mut at = from;
        for line in self.text[from..to].split_inclusive(['\n', '\r']) {
            let end = at + line.len();
            let begins_line = at > from || from == 0;
            let ends_line = end < to || end == self.size || line.ends_with(['\n', '\r']);
            if has_drawing(line) {
                for (start, run) in runs(line) {
                    pieces(run, |begin, end| self.all.push((at + start + begin, at + start + end)));
                }
            } else {
                self.of_line(at, line, begins_line, ends_line);
            }
            at = end;
        }
    }

    fn of_line(&mut self, at: usize, line: &str, begins_line: bool, ends_line: bool) {
        let mut runs = runs(line).peekable();
        let mut is_first = true;
        while let Some((start, text)) = runs.next() {
            let (from, to) = (at + start, at + start + text.len());
            let run = Run {
                text,
                begins_line: begins_line && std::mem::take(&mut is_first),
                ends_line: ends_line && runs.peek().is_none(),
                ahead: &self.text[..from],
                behind: &self.text[to..self.size],
            };
            self.of_run(from, run);
        }
    }

    fn of_run(&mut self, from: usize, run: Run<'_>) {
        let mut at = 0;
        while let Some(first) = run.text[at..].chars().next() {
            let rest = &run.text[at..];
            let kind = SignKind::of(first);
            let belongs = |c: char| SignKind::of(c) == kind || kind == SignKind::Picture && is_joiner(c);
            let len = match kind {
                SignKind::Typography => first.len_utf8(),
                _ => rest.find(|c| !belongs(c)).unwrap_or(rest.len()),
            };
            let group = Run {
                text: &rest[..len],
                begins_line: run.begins_line && at == 0,
                ends_line: run.ends_line && at + len == run.text.len(),
                ahead: &self.text[..from + at],
                behind: &self.text[from + at + len..self.size],
            };
            if kind.is_sign(&group) {
                let start = from + at;
                if group.text.chars().nth(SIGNS_MAX).is_some() {
                    pieces(group.text, |begin, end| self.all.push((start + begin, start + end)));
                } else {
                    self.all.push((start, start + len));
                }
            }
            at += len;
        }
    }
}

/// Returns the runs of visible characters of a line, with their offsets.
fn runs(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_seen = |c: char| !(c.is_whitespace() || c.is_control() || is_ignorable(c));
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].find(is_seen)?;
        at = start + line[start..].find(|c| !is_seen(c)).unwrap_or(line.len() - start);
        Some((start, &line[start..at]))
    })
}

/// Returns whether the characters of a line without words are a drawing: several of at least two kinds, without rules,
/// leaders, punctuation and borders of tables.
fn has_drawing(line: &str) -> bool {
    let bytes = line.as_bytes();
    let (mut at, mut ink, mut kinds, mut has_rule, mut may_be_border) = (0, 0, 0u128, false, true);
    while at < bytes.len() {
        let byte = bytes[at];
        let len = bytes[at..].iter().take_while(|&&next| next == byte).count();
        if CLASSES[usize::from(byte)] & INK != 0 {
            has_rule |= len >= RULE;
            may_be_border &= b"-=+|:_~*#".contains(&byte);
            if len <= RULE {
                ink += len;
                kinds |= 1 << byte;
            }
        }
        at += len;
    }
    ink >= DRAWING && kinds.count_ones() > 1 && !(has_rule && may_be_border)
}

/// Returns whether a character before a line is a bullet of another form than a sign of ASCII: it says nothing. Stars and
/// arrows may say something.
pub fn is_bullet(c: char) -> bool {
    SignKind::of(c) == SignKind::Form && !matches!(c, '\u{2190}'..='\u{21ff}' | '★' | '☆')
}

/// The kind of a character that belongs to no word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignKind {
    /// It is never a term.
    Typography,
    /// An operator of ASCII, or a dash.
    Operator,
    /// A currency, a mathematical sign, a check mark, a percent sign: always a term.
    Sign,
    /// A form that is also used as a bullet: a term unless it stands before a line.
    Form,
    /// An emoji or another picture.
    Picture,
}

impl SignKind {
    fn of(c: char) -> Self {
        match c {
            '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | '^' | '~' | '#' => SignKind::Operator,
            '\u{2010}'..='\u{2015}' | '\u{2212}' => SignKind::Operator,
            '$' | '\u{2030}' | '\u{2031}' | '\u{2032}'..='\u{2034}' => SignKind::Sign,
            '\0'..='\u{7f}' | '©' | '®' | '¦' | '\u{2120}' | '\u{2122}' | '\u{fffd}' => SignKind::Typography,
            '☐'..='☒' | '✓'..='✘' | '✅' | '❌' | '❎' | '❓' | '❗' | '➕'..='➗' => SignKind::Sign,
            '\u{2500}'..='\u{257f}' => SignKind::Typography,
            // Boxes to tick, and marks of what rises, falls or is half done.
            '□' | '▲' | '△' | '▼' | '▽' | '◐'..='◓' | '\u{2e5}'..='\u{2e9}' => SignKind::Sign,
            '\u{2190}'..='\u{21ff}' | '\u{2219}' | '\u{22c5}' => SignKind::Form,
            '\u{2580}'..='\u{25ff}' | '★' | '☆' | '\u{2700}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' => {
                SignKind::Form
            }
            '\u{1f3fb}'..='\u{1f3ff}' => SignKind::Picture,
            _ => match CodePointMapData::<GeneralCategory>::new().get(c) {
                GeneralCategory::CurrencySymbol | GeneralCategory::MathSymbol => SignKind::Sign,
                GeneralCategory::OtherSymbol => SignKind::Picture,
                _ => SignKind::Typography,
            },
        }
    }

    /// Returns whether a group of characters of this kind is a term.
    fn is_sign(self, group: &Run<'_>) -> bool {
        let &Run { text, begins_line, ends_line, .. } = group;
        let mut chars = text.chars();
        let first = chars.next().unwrap_or(' ');
        let len = text.chars().count();
        let is_uniform = chars.all(|c| c == first);
        match self {
            SignKind::Typography => false,
            SignKind::Operator if is_uniform && (len >= RULE || len > 1 && !first.is_ascii()) => false,
            SignKind::Operator => is_operator(group),
            _ if is_uniform && len >= WIDE_RULE => false,
            SignKind::Form => !(begins_line && len == 1 && !ends_line),
            SignKind::Sign | SignKind::Picture => true,
        }
    }
}

/// Returns whether a group of operators and dashes is a term.
fn is_operator(group: &Run<'_>) -> bool {
    let &Run { text, begins_line, ends_line, ahead, behind } = group;
    let (before, after) = (ahead.chars().next_back(), behind.chars().next());
    let is_word = |c: Option<char>| c.is_some_and(is_alphanumeric);
    let is_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    let is_apart = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let is_lone = is_apart(before) && is_apart(after);
    let is_bullet = begins_line && is_lone && !ends_line;
    match text {
        "+" => !is_bullet,
        "-" | "\u{2010}" | "\u{2011}" | "\u{2012}" | "\u{2013}" | "\u{2014}" => {
            let is_minus = is_digit(after) && (is_apart(before) || before.is_some_and(|c| "([=<>:$€£".contains(c)));
            is_minus || is_lone && ends_line && is_short(ahead) || !is_word(after) && ends_with_grade(ahead)
        }
        "\u{2212}" | "++" | "&&" | "||" => true,
        "--" => is_word(before) && !is_word(after),
        "*" | "/" => is_lone && (is_digit(last(ahead)) || is_digit(behind.trim_start_matches(' ').chars().next())),
        "%" => is_digit(before) || is_digit(after) || is_lone && !begins_line,
        "#" => is_word(before) && !is_word(after),
        "!" => !is_word(before) && is_word(after),
        "^" => is_word(before) || before.is_some_and(|c| matches!(c, ')' | ']' | '}')),
        "~" => is_digit(after),
        // Quoted lines and prompts; headings of plain text.
        ">" | ">>" if is_quoted(ahead) => false,
        ">" | ">>" | "=" => !is_bullet,
        "==" => !is_lone || !begins_line && !ends_line,
        _ => text.contains(['<', '>', '=']),
    }
}

/// Returns whether the last line of a text is nothing but quote marks.
fn is_quoted(text: &str) -> bool {
    let line = text.trim_end_matches(['>', ' ']);
    line.len() < text.len() && (line.is_empty() || line.ends_with(['\n', '\r']))
}

/// Returns the last character of a text before spaces.
fn last(text: &str) -> Option<char> {
    text.trim_end_matches(' ').chars().next_back()
}

/// Maximum size of a line, in bytes, whose dash at the end is the value of a cell and not a dash of wrapped prose.
const SHORT_LINE: usize = 40;

/// Returns whether the last line of a text is short.
fn is_short(text: &str) -> bool {
    let tail = &text.as_bytes()[text.len().saturating_sub(SHORT_LINE)..];
    text.len() < SHORT_LINE || tail.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Returns whether a text ends with a word of one or two capitals or 0: a grade, or a blood group.
fn ends_with_grade(text: &str) -> bool {
    let rest = text.strip_suffix('0').unwrap_or(text.trim_end_matches(|c: char| c.is_ascii_uppercase()));
    (1..=2).contains(&(text.len() - rest.len())) && !rest.ends_with(is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use crate::text::Page;
    use crate::text::page_content::page_content;
    use crate::text::tokenizer::tokens;

    fn terms(page: &Page<'_>) -> Vec<String> {
        page_content(page).into_tokens().terms().map(str::to_owned).collect()
    }

    /// Returns the signs of a text, with a space between each two.
    fn signs(text: &str) -> String {
        let signs = terms(&Page::text(text)).into_iter().filter(|term| !term.contains(char::is_alphanumeric));
        signs.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn signs_that_say_something_are_terms() {
        for (text, expected) in [
            ("SSO \u{2713}\nAPI \u{2717}\n\u{2611} done", "\u{2713} \u{2717} \u{2611}"),
            ("C, C++, C# and F#.", "++ # #"),
            ("price: 5 €, $7, £8, ₹9, 10\u{a5}", "€ $ £ ₹ \u{a5}"),
            ("\u{1f1e9}\u{1f1ea} or \u{1f1eb}\u{1f1f7}", "\u{1f1e9}\u{1f1ea} \u{1f1eb}\u{1f1f7}"),
            ("if a < b and b <= c or c >= d != e", "< <= >= !="),
            ("it was -5 today, +3 yesterday (-2), 5 to 7", "- + -"),
            ("SSO +\nAPI -\n-\nB- or A+", "+ - - - +"),
            ("up 5 % or 7% and 3‰", "% % ‰"),
            ("a == b && !c || d -> e => f", "== && ! || -> =>"),
            ("2 * 3 / 4 + 5 = x^2, ~7", "* / + = ^ ~"),
            ("★★★★☆ good \u{1f600}\u{1f44d}\u{1f3fd}", "★★★★☆ \u{1f600}\u{1f44d}\u{1f3fd}"),
            ("↑ 5\n7 ↓", "↓"),
            ("∀x ∈ A: x ≤ y ± 5°", "∀ ∈ ≤ ± °"),
            ("▲ up\n□ open\n◐ half\nAB- or 0- or", "▲ □ ◐ - -"),
            ("Roll 2: \u{2680}\u{2685} \u{2683}\u{2680}", "⚀⚅ ⚃⚀"),
        ] {
            assert_eq!(signs(text), expected, "{text}");
        }
    }

    #[test]
    fn typography_is_no_term() {
        for text in [
            "\"Well,\" she said; \u{2014} no \u{2013} it's ‘well-known’ … (so) «it» is?!",
            "- one\n* two\n• three\n+ four\n▪ five\n→ six\n★ seven\n➤ eight\n– nine",
            "Fox ........ 7\nDog . . . . . . 8\n-----\n=====\n* * *\n~~~~ \u{2500}\u{2500}\u{2500}\u{2500}",
            "+-----+----+\n| fox | 5 |\n|:---|---:|",
            "> quoted\n>> again\n> > and\n== Head ==\n# Title\n## Next",
            "© 2024 Acme® and Acme™, §7, no. #5, **bold** and __more__, tar -x --verbose",
            "2001-2002, 2001 – 2002, 1/2/2003, and/or, pre- and post-, R&D, a@b.org, 5\u{a0}\u{3000}7",
            "a long line of prose that ends with a dash, which is a dash \u{2013}\nand goes on",
            "\u{e001}\u{f101} \u{fffd}",
        ] {
            assert_eq!(signs(text), "", "{text}");
        }
    }

    #[test]
    fn drawings_are_cut_into_pieces() {
        for text in
            ["SOS ... --- ..., -.-.", "x +[->+<].[-]", "fox /\\_/\\ ( o.o ) ~-_^", "\u{280b}\u{2815}\u{fe0f}\u{280b}"]
        {
            let signs = signs(text);
            let is_seen = |c: &char| !c.is_alphanumeric() && !c.is_whitespace() && *c != '\u{fe0f}';
            let expected: String = text.chars().filter(is_seen).collect();
            assert!(expected.starts_with(&signs.replace(' ', "")), "{text}: {signs}");
            assert!(!signs.is_empty(), "{text}");
        }
        // The terms of the papers are Henzinger's.
        assert_eq!(tokens(&Page::text("+[->+<] x")).len(), 1);
    }

    #[test]
    fn a_sign_depends_on_its_line_alone() {
        let rows = "fox \u{2713} and dog -5\n".repeat(20);
        let drawn = "... --- ... -.-. \n".repeat(300);
        let count = |text: &str| signs(text).matches('\u{2713}').count();
        assert_eq!((count(&rows), count(&format!("{rows}{drawn}"))), (20, 20));
        let prose = "It is, I think, \"so\" (or not).\n".repeat(5);
        assert_eq!(signs(&format!("{}{prose}", " ... , , , . . ; ; ; \" \" \u{a0}\u{a0}\n".repeat(300))), "");
    }

    #[test]
    fn what_is_too_long_for_a_word_is_cut_into_pieces() {
        let line = "MIIDdzCCAl8CBGVnZ3kwDQYJKoZIhvcNAQELBQAwgYAxCzAJBgNVBAYTAkRF";
        let cut = terms(&Page::text(&format!("key {line} end")));
        assert!((15..50).contains(&cut.len()), "{cut:?}");
        assert_eq!(cut[1..cut.len() - 1].concat(), line);
        let name = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        assert_eq!(terms(&Page::text(name)), [name]);
        let slug = "see https://a.example/what-is-said-of-foxes-and-of-whales-in-the-north";
        assert_eq!(terms(&Page::text(slug)).len(), 5);
    }

    #[test]
    fn images_and_markup_stay_where_they_are() {
        let html = "<p>Throw<img src=/die.png>\u{2680} \u{2681}<p>\u{2682} \u{2683} \u{2684} to<td>\u{2713}<td>-";
        assert_eq!(terms(&Page::html(html)), ["Throw", "die.png", "⚀", "⚁", "⚂", "⚃", "⚄", "to", "✓", "-"]);
    }
}
