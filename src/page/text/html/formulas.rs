//! Formulas that are not the text of elements: in attributes, in images, and in the structure of MathML. Readers see
//! them, so they are text like any other where containers are requested.
//!
//! Not read are formulas of which a page has only outlines (`d` of a `path`). Raised and lowered text (`sup`, `sub`) is
//! text: it is a footnote or a part of a name (H2O) more often than a power, which is written with a `^`.

use super::{Scanner, Tag, unseen};
use crate::text::entities::decode_attribute;
use crate::text::sheet::Piece;

/// Words of names of what holds formulas.
const NAMES: [&str; 13] = [
    "math",
    "mathml",
    "tex",
    "latex",
    "mathtex",
    "mimetex",
    "asciimath",
    "formula",
    "equation",
    "expr",
    "mwe",
    "katex",
    "mathjax",
];

/// Names of operators of MathML that says what a formula means.
const OPERATORS: [&str; 14] =
    ["plus", "minus", "times", "divide", "power", "root", "eq", "neq", "lt", "gt", "leq", "geq", "int", "sum"];

/// Greatest number of letters in a row in a formula without commands: its variables and functions.
const LETTERS: usize = 4;

impl<'a> Scanner<'a> {
    /// Reads the formula in an attribute of an element.
    pub(super) fn formula(&mut self, tag: &Tag<'a>) {
        let Some(formula) = tag.formula else { return };
        let decoded = decode_attribute(formula);
        if unseen::is_markup(&decoded) {
            self.document(&decoded, false);
        } else {
            self.push_value(formula);
        }
    }

    /// Reads the formula of an image: its alternative text, or else another attribute or the query of its address. A
    /// drawing in its address is read like one in the page.
    pub(super) fn image_of_formula(&mut self, tag: &Tag<'a>) {
        let is_of_class = || tag.attributes.class.is_some_and(is_name);
        let is_named = || is_of_class() || tag.value.is_some_and(is_name);
        let alt = tag.alt.filter(|alt| is_written(alt) || !alt.trim().is_empty() && is_named());
        let is_formula = |query: &&str| is_escaped(query) && is_named() || query.contains("cht=tx");
        let query = || Some(tag.value?.split_once('?')?.1).filter(is_formula);
        if let Some(formula) = alt.or(tag.formula).or_else(|| query().filter(|_| self.has_unseen())) {
            self.push_value(formula);
        } else if let Some(address) = tag.value.filter(|_| self.has_unseen()) {
            if let Some(drawing) = unseen::in_address(address, &["image/svg+xml"]) {
                self.document(&drawing, false);
            } else if is_of_class() {
                // The name of its file is all that tells a formula from another one.
                self.push_value(address.rsplit('/').next().unwrap_or(address));
            }
        }
    }

    /// Reads the name of an element of MathML that says how its parts are arranged, at its place in the page.
    pub(super) fn structure(&mut self, at: usize, written: &[u8]) {
        let prefix = written.iter().position(|&byte| byte == b':').map_or(0, |colon| colon + 1);
        let arranges = |name: &[u8]| {
            let known: [&[u8]; 11] = [
                b"mfrac",
                b"msqrt",
                b"mroot",
                b"msub",
                b"msup",
                b"msubsup",
                b"munder",
                b"mover",
                b"munderover",
                b"menclose",
                b"mmultiscripts",
            ];
            known.iter().any(|one| name.eq_ignore_ascii_case(one))
        };
        let written_name = &written[prefix..];
        let is_operator = || OPERATORS.iter().any(|one| written_name.eq_ignore_ascii_case(one.as_bytes()));
        let may_arrange = matches!(written.get(prefix), Some(b'm' | b'M'));
        if self.has_unseen() && (may_arrange && arranges(written_name) || self.foreign > 0 && is_operator()) {
            self.push(at + prefix, at + written.len(), Piece::Literal);
            self.push_break();
        }
    }

    /// Reads a raised text that begins here, if it is a power.
    pub(super) fn raised(&mut self) {
        let rest = self.html[self.at..].trim_start();
        let rest = ["<i>", "<em>", "<var>"].iter().find_map(|tag| rest.strip_prefix(tag)).unwrap_or(rest);
        if self.hidden == 0 && is_power(self.sheet.text(), rest.split('<').next().unwrap_or_default().trim()) {
            self.sheet.push("^", 0, 1, Piece::Literal);
            let Self { sheet, outline, .. } = self;
            outline.as_mut().into_iter().for_each(|outline| outline.push(sheet, false));
        }
    }

    /// Reads the value of an attribute as a text of its own.
    fn push_value(&mut self, value: &'a str) {
        let start = value.as_ptr() as usize - self.html.as_ptr() as usize;
        self.push_break();
        self.push(start, start + value.len(), Piece::Escaped);
        self.push_break();
    }
}

/// Returns whether a text raised behind another one is a power: a number, a sum or a variable above a number, a single
/// letter or a bracket. Marks of footnotes stand behind words, and `3rd` is a number.
fn is_power(before: &str, raised: &str) -> bool {
    // A part of a word of any length.
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(32))..];
    let base = &before[before.trim_end_matches(char::is_alphanumeric).len()..];
    let mut letters = base.chars();
    let is_variable = letters.next().is_some() && letters.next().is_none();
    let is_base = match base {
        "" => before.ends_with([')', ']', '}', '|']),
        _ => is_variable || base.chars().all(char::is_numeric),
    };
    let is_letter = matches!(raised, "n" | "m" | "k" | "x" | "y" | "z" | "t" | "i" | "j" | "p" | "q" | "T" | "N");
    let is_sum = raised.starts_with(|c: char| c.is_ascii_digit() || "+-−–(".contains(c))
        || raised.contains(['+', '-', '−']) && raised.split(|c: char| !c.is_alphabetic()).all(|word| word.len() < 2);
    is_base && (is_letter || is_sum)
}

/// Returns whether an attribute of any element holds a formula: `data-tex`, `alttext`, `data-mathml`, the label of a
/// drawing, the code of a glyph that MathJax draws, or the letters (bold, ...) in which MathML sets a variable.
pub(super) fn is_attribute(name: &[u8], value: &str) -> bool {
    let is_code = |code: &str| code.len() > 1 && code.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_text = || value.contains(|c: char| c.is_alphanumeric());
    let is = |one: &str| name.eq_ignore_ascii_case(one.as_bytes());
    let data = name.get(..5).filter(|start| start.eq_ignore_ascii_case(b"data-")).map(|_| &name[5..]);
    match (data.unwrap_or(name), name.len()) {
        (b"c", 6) => is_code(value),
        (data, _) if data.ends_with(b"src") || data.ends_with(b"srcset") => {
            value.split_once('?').is_some_and(|(_, query)| is_escaped(query)) && is_name(value)
        }
        (data, size) if size > data.len() => {
            std::str::from_utf8(data).is_ok_and(is_name) && has_text() || is_tex(value)
        }
        (_, 5) if is("class") => {
            value.strip_prefix("mjx-c").and_then(|rest| rest.split(' ').next()).is_some_and(is_code)
        }
        (_, 5) if is("title") => is_written(value),
        (_, 3) if is("alt") => is_written(value),
        (_, 5) if is("value") => is_tex(value),
        (_, 8) if is("longdesc") => is_tex(value),
        (_, 11) if is("mathvariant") => !matches!(value, "normal" | "italic"),
        (_, 7) if is("alttext") => has_text(),
        _ => NAMES.into_iter().any(is) && has_text(),
    }
}

/// Returns whether a text is written in TeX: with commands or scripts, or between dollar signs.
fn is_tex(text: &str) -> bool {
    if ["\":", "&quot;:"].iter().any(|mark| text.contains(mark)) {
        // Data has other escapes.
        return false;
    }
    let has_command = || text.split('\\').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    let is_between = || text.len() > 2 && text.starts_with('$') && text.ends_with('$');
    let is_raised = || text.split('^').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
    let is_plain = || !text.contains(['/', '?', '&', ':', ';', '"']);
    text.contains("^{")
        || text.contains("_{")
        || text.contains('\\') && has_command()
        || is_between()
        || text.contains('^') && is_plain() && is_raised()
}

/// Returns whether a text is written like a formula: in TeX, or as an equation or a sum of short words.
pub(super) fn is_written(text: &str) -> bool {
    let is_short = || text.split(|c: char| !c.is_alphabetic()).all(|word| word.chars().count() <= LETTERS);
    let operands = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(2).count();
    is_tex(text)
        || text.contains(['=', '^', '≤', '≥', '∈', '∑', '∫', '√', '±']) && is_short() && operands() > 0
        || text.contains(['+', '−', '×', '÷', '·', '<', '>', '≠']) && is_short() && operands() > 1
}

/// Returns whether the title of a drawing is written like a formula; what has a tag is markup.
pub(super) fn is_label(title: &str) -> bool {
    !title.contains('<') && is_written(title)
}

/// Returns whether a class, an address or the name of an attribute has a word that names formulas.
fn is_name(name: &str) -> bool {
    let words = name.split(|c: char| !c.is_ascii_alphabetic());
    words.into_iter().any(|word| NAMES.iter().any(|one| word.eq_ignore_ascii_case(one)))
}

/// Returns whether the query of an address has signs of TeX, perhaps escaped.
fn is_escaped(query: &str) -> bool {
    query.contains(['\\', '^', '{'])
        || ["%5C", "%5E", "%7B", "%5c", "%5e", "%7b"].iter().any(|sign| query.contains(sign))
}
