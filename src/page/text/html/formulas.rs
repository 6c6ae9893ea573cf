//! Formulas that are not the text of elements: in attributes, in images, and in the structure of MathML. Readers see
//! them, so they are text like any other where containers are requested.
//!
//! Not read are formulas of which a page has only outlines (`d` of a `path`) or a file (`src="12.png"`). Raised and
//! lowered text (`sup`, `sub`) is text: it is a footnote or a part of a name (H2O) more often than a power.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

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
        let is_named = || [tag.value, tag.attributes.class].into_iter().flatten().any(is_name);
        let alt = tag.alt.filter(|alt| is_written(alt) || !alt.trim().is_empty() && is_named());
        let query = || Some(tag.value?.split_once('?')?.1).filter(|query| is_escaped(query) && is_named());
        if let Some(formula) = alt.or(tag.formula).or_else(|| query().filter(|_| self.has_unseen())) {
            self.push_value(formula);
        } else if let Some(drawing) = tag.value.filter(|_| self.has_unseen()).and_then(drawing) {
            self.document(&drawing, false);
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
        if matches!(written.get(prefix), Some(b'm' | b'M')) && self.has_unseen() && arranges(&written[prefix..]) {
            self.push(at + prefix, at + written.len(), Piece::Literal);
            self.push_break();
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

/// Base 64 with or without padding, whose last bits may be anything.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Returns the drawing in an address `data:image/svg+xml`, escaped or in base 64.
fn drawing(address: &str) -> Option<String> {
    let (kind, data) = address.trim_start().strip_prefix("data:image/svg+xml")?.split_once(',')?;
    let bytes = match kind.trim_end().ends_with(";base64") {
        true => {
            let data = data.bytes().filter(|byte| !byte.is_ascii_whitespace()).take_while(|&byte| byte != b'=');
            let mut data: Vec<u8> = data.collect();
            data.truncate(data.len() - usize::from(data.len() % 4 == 1));
            BASE64.decode(data).ok()?
        }
        false => percent_decode_str(&decode_attribute(data)).collect(),
    };
    String::from_utf8(bytes).ok()
}

/// Returns whether an attribute of any element holds a formula: `data-tex`, `data-mathml`, the label of a drawing, the
/// code of a glyph that MathJax draws, or the letters (bold, ...) in which MathML sets a variable.
pub(super) fn is_attribute(name: &[u8], value: &str) -> bool {
    let is_code = |code: &str| code.len() > 1 && code.bytes().all(|byte| byte.is_ascii_hexdigit());
    if name.eq_ignore_ascii_case(b"mathvariant") {
        return !matches!(value, "normal" | "italic");
    }
    if name.eq_ignore_ascii_case(b"class") {
        return value.strip_prefix("mjx-c").and_then(|rest| rest.split(' ').next()).is_some_and(is_code);
    }
    if name.eq_ignore_ascii_case(b"data-c") {
        return is_code(value);
    }
    let data = name.get(..5).filter(|start| start.eq_ignore_ascii_case(b"data-")).map(|_| &name[5..]);
    match data {
        Some(data) => std::str::from_utf8(data).is_ok_and(is_name) && value.contains(|c: char| c.is_alphanumeric()),
        None => name.eq_ignore_ascii_case(b"aria-label") && is_written(value),
    }
}

/// Returns whether a text is written like a formula: with commands or scripts of TeX, or as an equation of short words.
pub(super) fn is_written(text: &str) -> bool {
    let has_command = || text.split('\\').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    let is_short = || text.split(|c: char| !c.is_alphabetic()).all(|word| word.chars().count() <= LETTERS);
    let has_operands = || text.contains(char::is_alphanumeric);
    text.contains("^{")
        || text.contains("_{")
        || text.contains('\\') && has_command()
        || text.contains(['=', '^', '≤', '≥', '∈', '∑', '∫', '√', '±']) && is_short() && has_operands()
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
