//! The text that a page carries and does not show: the content of `noscript`, `noframes`, `template` and of scripts
//! that are templates or texts; descriptions of the page; the data of a page for its scripts, in scripts and in
//! attributes; and the long texts in programs. Formulas in scripts and the document of an `iframe` are shown to
//! readers: they are text like any other.

use percent_encoding::percent_decode_str;

use super::page_data::{self, Reads};
use super::{Scanner, Tag};
use crate::text::elements::Name;
use crate::text::entities::decode_attribute;
use crate::text::outline::Outline;
use crate::text::sheet::{Layout, Piece, Sheet};

/// Greatest number of documents within each other.
const DEPTH_MAX: u32 = 3;

/// If a page has fewer bytes of text, it may be the frame of an application: then the short values of its data and the
/// long texts of its programs count, too. Other pages have other articles there.
const BRIEF: usize = 1000;

/// Parts of names that a description of the page has.
const DESCRIPTIONS: [&str; 3] = ["title", "description", "abstract"];

/// Where a text stands that is read after the page around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// An attribute that holds data, markup or a long text. It counts if all of these are more than the text of the page:
    /// settings are not.
    Attribute,
    /// The address of a document in the page, with the document.
    Document,
    /// A script.
    Script(Reads),
}

impl Source {
    /// Returns what the value of an attribute holds besides formulas, if it is text. Links, images and formatting
    /// instructions have no data of the page (`has_data`).
    pub(super) fn of_attribute(name: &[u8], value: &str, has_data: bool) -> Option<Self> {
        // Most attributes are short.
        if value.len() < 6 {
            return None;
        }
        let is_shown = |kind: &str| !name.eq_ignore_ascii_case(b"href") && DOCUMENTS.contains(&kind);
        match address_kind(value) {
            Some(kind) if is_shown(&kind) => Some(Source::Document),
            None if has_data && page_data::is_value(name, value) => Some(Source::Attribute),
            _ => None,
        }
    }
}

impl<'a> Scanner<'a> {
    /// Returns whether unseen text is read.
    pub(super) fn has_unseen(&self) -> bool {
        self.outline.as_ref().is_some_and(Outline::has_containers)
    }

    /// Reads an element whose content a browser does not show.
    pub(super) fn dropped(&mut self, name: Name, written: &[u8], tag: &Tag<'a>) {
        if self.is_empty(tag) {
            self.push_break();
            return;
        }
        let start = self.at;
        self.at = self.end_of_content(name, written);
        let inside = &self.html[start..self.at];
        let kind = tag.value.unwrap_or_default();
        let script = if name == Name::SCRIPT { Script::of(kind, inside) } else { Script::Other };
        if let Script::Data(reads) = script {
            self.push_break();
            self.data.push((Source::Script(reads), inside));
            return;
        }
        if script == Script::Formula {
            // A formula is within a sentence, so the end tag ends no block.
            self.push(start, self.at, Piece::Literal);
            self.skip_past_greater();
            return;
        }
        self.push_break();
        match (name, script) {
            (_, Script::Template) => self.document(inside, true),
            (_, Script::Markup) => self.document(inside, false),
            (Name::IFRAME, _) if !kind.is_empty() => self.document(&decode_attribute(kind), false),
            (Name::NOSCRIPT | Name::NOFRAMES | Name::NOEMBED | Name::IFRAME, _) => self.document(inside, true),
            _ => {}
        }
    }

    /// Reads the rest of a `meta` element that begins here: a description of the page, or data.
    pub(super) fn description(&mut self, origin: usize) {
        let tag = self.rest_of_tag(b"content");
        self.push_break();
        let Some(value) = tag.value else { return };
        let start = value.as_ptr() as usize - self.html.as_ptr() as usize;
        let around = [&self.html[origin..start], &self.html[start + value.len()..self.at]];
        let describes = |part: &str| DESCRIPTIONS.iter().any(|name| part.contains(name));
        if page_data::is_data(value) {
            self.data.push((Source::Attribute, value));
        } else if around.iter().any(|part| describes(&part.to_ascii_lowercase())) {
            self.text(&decode_attribute(value), true);
        }
    }

    /// Reads the texts of scripts and attributes.
    pub(super) fn read_data(&mut self) {
        let (data, size) = (std::mem::take(&mut self.data), self.sheet.size());
        let attributes = data.iter().filter(|(source, _)| *source == Source::Attribute);
        let counts = attributes.map(|(_, value)| value.len()).sum::<usize>() > size;
        let is_brief = size < BRIEF;
        let of_page = if is_brief { Reads::Values } else { Reads::Text };
        for (source, value) in data {
            match source {
                Source::Attribute if counts => {
                    let value = page_data::decoded(decode_attribute(value));
                    if page_data::is_data(&value) {
                        self.strings(&value, of_page);
                    } else {
                        self.markup_or_text(&value);
                    }
                }
                Source::Attribute => {}
                Source::Document => {
                    if let Some(document) = in_address(value, &DOCUMENTS[2..]) {
                        self.document(&document, false);
                    } else if let Some(text) = in_address(value, &DOCUMENTS[..2]) {
                        self.text(&text, false);
                    }
                }
                // Angular escapes quotation marks.
                Source::Script(Reads::Values) if value.contains("&q;") => {
                    self.strings(&value.replace("&q;", "\""), of_page);
                }
                Source::Script(Reads::Values) => self.strings(value, of_page),
                Source::Script(Reads::Long) if !is_brief => {}
                Source::Script(reads) => self.strings(value, reads),
            }
        }
    }

    /// Reads the strings of a page's data.
    fn strings(&mut self, data: &str, reads: Reads) {
        page_data::strings(data, reads, &mut |text| self.markup_or_text(text));
    }

    fn markup_or_text(&mut self, text: &str) {
        if is_markup(text) {
            self.document(text, true);
        } else {
            self.text(text, true);
        }
    }

    /// Reads a document within this one.
    pub(super) fn document(&mut self, html: &str, is_unseen: bool) {
        if self.depth < DEPTH_MAX && self.hidden == 0 && !html.trim_ascii().is_empty() {
            self.within(html, is_unseen, |scanner| scanner.run());
        }
    }

    /// Reads a text without markup.
    fn text(&mut self, text: &str, is_unseen: bool) {
        if self.hidden == 0 {
            self.within(text, is_unseen, |scanner| scanner.push(0, text.len(), Piece::Literal));
        }
    }

    /// Reads another text into the text of this page.
    fn within(&mut self, text: &str, is_unseen: bool, read: impl FnOnce(&mut Scanner<'_>)) {
        self.push_break();
        let sheet = std::mem::replace(&mut self.sheet, Sheet::new(Layout::Raw, false));
        let mut inner = Scanner::new(text, sheet, self.outline.take());
        inner.depth = self.depth + 1;
        let mut around = None;
        inner.note(|outline| around = Some(outline.enter(is_unseen)));
        read(&mut inner);
        if let Some(around) = around {
            inner.note(|outline| outline.leave(around));
        }
        (self.sheet, self.outline) = (inner.sheet, inner.outline);
        self.push_break();
    }
}

/// What a script is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    /// A formula in TeX or AsciiMath, which a program of the page sets.
    Formula,
    /// Markup that a program of the page shows as it is: MathML.
    Markup,
    /// Markup or text for other scripts: `text/x-handlebars-template`, `text/markdown`, ...
    Template,
    /// Data or a program, of which some strings are text.
    Data(Reads),
    /// No script.
    Other,
}

impl Script {
    /// Returns what a script is for, given its type and its content.
    fn of(kind: &str, inside: &str) -> Script {
        let kind = kind.trim().to_ascii_lowercase();
        let kind = kind.split(';').next().unwrap_or_default().trim_end();
        let last = kind.rsplit(['/', '-', '+']).next().unwrap_or_default();
        match last {
            "tex" | "latex" | "asciimath" => Script::Formula,
            "mml" => Script::Markup,
            "json" if kind.ends_with("ld+json") => Script::Data(Reads::Names),
            "json" => Script::Data(Reads::Values),
            "html" | "template" | "handlebars" | "mustache" | "tmpl" | "markdown" => Script::Template,
            _ if kind.contains("template") => Script::Template,
            // Other types are data of any kind (HTML standard 4.12.1).
            _ if !kind.is_empty() && kind != "module" && !PROGRAMS.iter().any(|part| kind.contains(part)) => {
                match inside.trim_start().as_bytes().first() {
                    Some(b'{' | b'[') => Script::Data(Reads::Values),
                    _ if page_data::is_program(inside) => Script::Data(Reads::Long),
                    _ => Script::Template,
                }
            }
            _ if page_data::is_assigned(inside) => Script::Data(Reads::Text),
            _ => Script::Data(Reads::Long),
        }
    }
}

/// Parts of types of programs.
const PROGRAMS: [&str; 4] = ["script", "babel", "jsx", "shader"];

/// Returns whether a string of a page's data is markup.
pub(super) fn is_markup(text: &str) -> bool {
    text.contains("</") || text.contains("/>") || text.contains("<p>") || text.contains("<br>")
}

/// The types of documents in addresses, plain text first.
const DOCUMENTS: [&str; 5] = ["", "text/plain", "text/html", "application/xhtml+xml", "image/svg+xml"];

/// Returns the type of the document in an address `data:`.
fn address_kind(address: &str) -> Option<String> {
    let address = address.trim_start();
    let rest = address.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("data:")).map(|_| &address[5..])?;
    Some(rest.split([';', ',']).next()?.trim().to_ascii_lowercase())
}

/// Returns the document in an address `data:`, escaped or in base 64, if it is of one of these types.
pub(super) fn in_address(address: &str, kinds: &[&str]) -> Option<String> {
    let kind = address_kind(address)?;
    let (head, data) = address.split_once(',').filter(|_| kinds.contains(&&kind[..]))?;
    match head.trim_end().ends_with(";base64") {
        true => page_data::in_base64(data),
        false => String::from_utf8(percent_decode_str(&decode_attribute(data)).collect()).ok(),
    }
}
