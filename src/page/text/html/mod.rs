//! The scan of a page's markup: its visible text, and the addresses of its images.
//!
//! A tokenizer by the HTML standard (13.2.5) that builds no tree: one pass without recursion, linear in the size of any
//! input, with no memory besides the text. Rules for the text of a page:
//!
//! * Tags become white space; tags of formatting instructions are dropped. Comments, declarations and processing
//!   instructions are dropped, too, because a visitor sees the word around them unbroken.
//! * The content of `script`, `style`, `template`, `noscript`, `iframe`, `noembed` and `noframes` is dropped, whatever
//!   its type, because common browsers do not show it. An exception is a `template` with `shadowrootmode` `open` or
//!   `closed`, which is the content of the element around it, and is text like any other. Where containers are
//!   requested, this text is read, too ([`unseen`]), because some pages have nothing else that tells them apart.
//! * In `ruby` only the letters are text, because the readings (`rt`, `rp`, `rtc`) repeat them. A reading ends with its
//!   element, with the next letters or readings, or with the block.
//! * Of the head, only the title is text (the rest is tags and dropped elements).
//! * Prefilled `textarea`s, options and buttons are text; the `alt` of an image and other attributes are not, unless
//!   they hold [`formulas`] and containers are requested; style sheets are ignored.
//! * An element that is never closed extends to the end of the page, as in browsers.

use memchr::{memchr, memmem};

use crate::text::composed::{Composed, composed};
use crate::text::containers::{Attributes, Container};
use crate::text::division::joined_over_spaces;
use crate::text::elements::{Element, Name, Ruby};
use crate::text::entities::decode_attribute;
use crate::text::letters::continues;
use crate::text::map::TextMap;
use crate::text::outline::{Outline, OutlinePart};
use crate::text::sheet::{Layout, Piece, Sheet};

mod formulas;
mod page_data;
mod unseen;

use self::unseen::Source;

/// An image, and its location in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// Offset in the text where the image is, in bytes.
    pub(crate) at: usize,
    /// Offset of its tag in the page.
    pub(crate) origin: usize,
    /// Its address as in the page, references decoded.
    pub(crate) source: String,
}

/// The result of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    /// The visible text.
    pub(crate) text: String,
    /// The images, in the order of the page.
    pub(crate) images: Vec<Image>,
    /// The first `<base href>`.
    pub(crate) base: Option<String>,
    /// The map of the text to the page, if requested.
    pub(crate) map: TextMap,
    /// The parts of the text, if requested.
    pub(crate) parts: Vec<OutlinePart>,
    /// The containers of the parts, if requested.
    pub(crate) containers: Vec<Container>,
}

impl Scan {
    /// Brings the text into Unicode's composed form (NFC). This is done after the scan because an accent may be a
    /// character reference or follow a tag.
    fn compose(&mut self) {
        if let Some(composed) = composed(&self.text) {
            self.images.iter_mut().for_each(|image| image.at = composed.place(image.at));
            self.parts.iter_mut().for_each(|part| part.end = composed.place(part.end));
            let Composed { text, steps } = composed;
            (self.text, self.map) = (text, std::mem::take(&mut self.map).after(steps));
        }
    }

    /// Joins the words that are divided at the ends of lines. A part that ends within one gets the whole word.
    fn join(&mut self) {
        if let Some((text, steps)) = joined_over_spaces(&self.text) {
            let place = |origin: usize| match steps.place(origin) {
                at if at > 0 && steps.origin(at) > steps.origin(at - 1) + 1 => {
                    text.len() - text[at..].trim_start_matches(continues).len()
                }
                at => at,
            };
            self.images.iter_mut().for_each(|image| image.at = place(image.at));
            self.parts.iter_mut().for_each(|part| part.end = place(part.end));
            self.text = text;
        }
    }
}

/// Scans a page.
pub(crate) fn scan(html: &str, layout: Layout) -> Scan {
    run(html, Sheet::new(layout, false), None)
}

/// Scans a page, with the map of its text to the page.
pub(crate) fn scan_with_map(html: &str, layout: Layout) -> Scan {
    run(html, Sheet::new(layout, true), None)
}

/// Scans a page, with the parts of its text, marked as links or as boilerplate around the content.
pub(crate) fn scan_with_parts(html: &str, layout: Layout) -> Scan {
    run(html, Sheet::new(layout, false), Some(Outline::new(false)))
}

/// Scans a page, with the parts of its text and their containers, and with its [`unseen`] text.
pub(crate) fn scan_with_containers(html: &str, layout: Layout) -> Scan {
    run(html, Sheet::new(layout, false), Some(Outline::new(true)))
}

fn run(html: &str, sheet: Sheet, outline: Option<Outline>) -> Scan {
    let mut scanner = Scanner::new(html, sheet, outline);
    scanner.run();
    let Scanner { sheet, outline, images, base, .. } = scanner;
    let (text, map) = sheet.finish();
    let is_compared = outline.as_ref().is_some_and(Outline::has_containers);
    let (parts, containers) = outline.map(Outline::finish).unwrap_or_default();
    let mut scan = Scan { text, images, base, map, parts, containers };
    scan.compose();
    if is_compared {
        scan.join();
    }
    scan
}

/// A tag that has been read to its end.
#[derive(Default)]
struct Tag<'a> {
    /// The value of the requested attribute.
    value: Option<&'a str>,
    /// The attributes that tell the purpose of the element, where containers are requested.
    attributes: Attributes<'a>,
    /// The value of `alt`, or else of `title`, of an image where containers are requested.
    alt: Option<&'a str>,
    /// The formula in an attribute, where containers are requested.
    formula: Option<&'a str>,
    closes_itself: bool,
}

struct Scanner<'a> {
    html: &'a str,
    bytes: &'a [u8],
    at: usize,
    xml: bool,
    /// Number of open `<svg>` and `<math>`.
    foreign: u32,
    /// Number of open `<template>` elements that are not shown.
    hidden: u32,
    /// The open part of ruby.
    ruby: Option<Ruby>,
    /// Number of documents and texts around this one.
    depth: u32,
    sheet: Sheet,
    outline: Option<Outline>,
    images: Vec<Image>,
    base: Option<String>,
    /// Values of attributes and scripts that may have text of the page, in their order.
    data: Vec<(Source, &'a str)>,
}

impl<'a> Scanner<'a> {
    fn new(html: &'a str, sheet: Sheet, outline: Option<Outline>) -> Self {
        Scanner {
            html,
            bytes: html.as_bytes(),
            at: 0,
            // In a page that declares itself XML, every element may be self-closing.
            xml: html.trim_start().starts_with("<?xml"),
            foreign: 0,
            hidden: 0,
            ruby: None,
            depth: 0,
            sheet,
            outline,
            images: Vec::new(),
            base: None,
            data: Vec::new(),
        }
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            let size = memchr(b'<', rest).unwrap_or(rest.len());
            if size > 0 {
                self.push(self.at, self.at + size, Piece::Escaped);
                self.at += size;
            }
            if self.at < self.bytes.len() {
                self.markup();
            }
        }
        self.read_data();
    }

    /// Reads the markup that begins with the current `<`.
    fn markup(&mut self) {
        match self.bytes.get(self.at + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(),
            Some(b'/') => match self.bytes.get(self.at + 2) {
                Some(byte) if byte.is_ascii_alphabetic() => self.end_tag(),
                Some(_) => self.skip_past_greater(),
                None => {
                    self.push(self.at, self.at + 2, Piece::Literal);
                    self.at += 2;
                }
            },
            Some(b'!') if self.bytes[self.at..].starts_with(b"<!--") => self.comment(),
            Some(b'!') if self.foreign > 0 && self.bytes[self.at..].starts_with(CHARACTERS) => {
                let start = self.at + CHARACTERS.len();
                let end = memmem::find(&self.bytes[start..], b"]]>").map_or(self.bytes.len(), |size| start + size);
                self.push(start, end, Piece::Literal);
                self.at = (end + 3).min(self.bytes.len());
            }
            Some(b'!' | b'?') => self.skip_past_greater(),
            _ => {
                self.push(self.at, self.at + 1, Piece::Literal);
                self.at += 1;
            }
        }
    }

    fn start_tag(&mut self) {
        let origin = self.at;
        self.at += 1;
        let written = self.name();
        let name = Name::of(written);
        let kind = name.kind();
        match kind.element {
            Element::Inline if name == Name::A && self.outline.is_some() => {
                let is_link = self.rest_of_tag(b"href").value.is_some();
                self.note(|outline| outline.link(is_link));
            }
            Element::Inline => {
                let tag = self.rest_of_tag(b"");
                self.formula(&tag);
                if name == Name::SUP && self.has_unseen() {
                    self.raised();
                }
            }
            Element::Block => {
                if name == Name::META && self.has_unseen() {
                    self.description(origin);
                    return;
                }
                let tag = self.rest_of_tag(if self.outline.is_some() { b"role" } else { b"" });
                self.push_break();
                if !self.is_empty(&tag) {
                    let attributes = Attributes { role: tag.value, ..tag.attributes };
                    self.note(|outline| outline.open(name, &kind, &attributes));
                }
                self.formula(&tag);
                self.structure(origin + 1, written);
            }
            Element::Image => {
                self.push_break();
                let tag = self.rest_of_tag(b"src");
                self.image_of_formula(&tag);
                if let Some(source) = tag.value
                    && self.hidden == 0
                {
                    let source = decode_attribute(source).into_owned();
                    self.images.push(Image { at: self.sheet.size(), origin, source });
                }
            }
            Element::Base => {
                let tag = self.rest_of_tag(b"href");
                if let Some(address) = tag.value
                    && self.base.is_none()
                {
                    self.base = Some(decode_attribute(address).into_owned());
                }
            }
            Element::Template => {
                let tag = self.rest_of_tag(b"shadowrootmode");
                self.push_break();
                // Templates inside a hidden template are hidden, too. So the next end tag belongs to the innermost
                // hidden template, and shown templates need not be counted.
                let is_shown = self.hidden == 0 && tag.value.is_some_and(is_shadow_root);
                if self.has_unseen() {
                    if !self.is_empty(&tag) {
                        self.note(|outline| outline.open_unseen(name, !is_shown));
                    }
                } else if !is_shown && !self.is_empty(&tag) {
                    self.hidden = self.hidden.saturating_add(1);
                }
            }
            Element::Ruby(part) => {
                self.rest_of_tag(b"");
                // Outside of `ruby` its parts are ordinary elements.
                if part == Ruby::Whole || self.ruby.is_some() {
                    let goes_on = part == Ruby::Reading && self.ruby == Some(Ruby::Readings);
                    self.ruby = Some(if goes_on { Ruby::Readings } else { part });
                }
            }
            Element::Foreign => {
                let tag = self.rest_of_tag(b"");
                self.push_break();
                self.formula(&tag);
                if !tag.closes_itself {
                    self.foreign = self.foreign.saturating_add(1);
                }
            }
            element @ (Element::Dropped | Element::Title | Element::Escapable | Element::Literal) => {
                let tag = self.rest_of_tag(match name {
                    Name::SCRIPT => b"type",
                    Name::IFRAME => b"srcdoc",
                    _ => b"",
                });
                if element == Element::Dropped && self.has_unseen() {
                    self.dropped(name, written, &tag);
                } else {
                    self.push_break();
                    if !self.is_empty(&tag) {
                        self.content(element, name, written);
                    }
                }
            }
        }
    }

    /// Reads the content of an element that holds no markup, up to its end tag.
    fn content(&mut self, element: Element, name: Name, written: &[u8]) {
        let start = self.at;
        let end = self.end_of_content(name, written);
        self.at = end;
        match element {
            // The title of a drawing is not shown unless it is a formula, nor that of a page within the page.
            Element::Title if self.foreign == 0 && self.depth == 0 => self.push_part(start, end, Piece::Escaped, true),
            Element::Title if self.foreign > 0 && self.has_unseen() && formulas::is_label(&self.html[start..end]) => {
                self.push(start, end, Piece::Escaped);
            }
            Element::Escapable => self.push(start, end, Piece::Escaped),
            Element::Literal => self.push(start, end, Piece::Literal),
            _ => {}
        }
        self.push_break();
    }

    /// Returns the offset of the end of an element that holds no markup and whose content begins here.
    fn end_of_content(&self, name: Name, written: &[u8]) -> usize {
        match name {
            Name::SCRIPT => self.end_of_script(),
            _ => self.find_end_tag(self.at, written),
        }
    }

    fn end_tag(&mut self) {
        self.at += 2;
        let name = Name::of(self.name());
        let kind = name.kind();
        match self.bytes.get(self.at) {
            Some(b'>') => self.at += 1,
            _ => drop(self.rest_of_tag(b"")),
        }
        match kind.element {
            Element::Inline => {
                if name == Name::A {
                    self.note(|outline| outline.link(false));
                }
            }
            Element::Base => {}
            Element::Block => {
                self.push_break();
                self.note(|outline| outline.close(name, &kind));
            }
            Element::Template => {
                self.hidden = self.hidden.saturating_sub(1);
                self.push_break();
                if self.has_unseen() {
                    self.note(|outline| outline.close(name, &kind));
                }
            }
            Element::Ruby(Ruby::Whole) => self.ruby = None,
            Element::Ruby(part) => {
                // A reading within `rtc` is followed by the next one.
                if self.ruby == Some(part) {
                    self.ruby = Some(Ruby::Whole);
                }
            }
            Element::Foreign => {
                self.foreign = self.foreign.saturating_sub(1);
                self.push_break();
            }
            _ => self.push_break(),
        }
    }

    /// Returns whether the tag closes an element that could have text, at a place where self-closing tags are allowed.
    fn is_empty(&self, tag: &Tag<'_>) -> bool {
        tag.closes_itself && (self.xml || self.foreign > 0)
    }

    /// Skips a comment: up to `-->` or `--!>`, or to `>` right after `<!--` or `<!---`.
    fn comment(&mut self) {
        let opened = self.at + 2;
        let mut from = self.at + 4;
        while let Some(size) = memchr(b'>', &self.bytes[from..]) {
            let end = from + size;
            let inside = &self.bytes[opened..end];
            if inside.ends_with(b"--") || (inside.len() > 4 && inside.ends_with(b"--!")) {
                self.at = end + 1;
                return;
            }
            from = end + 1;
        }
        self.at = self.bytes.len();
    }

    fn skip_past_greater(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr(b'>', rest).map_or(rest.len(), |size| size + 1);
    }

    /// Reads an element's name.
    fn name(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let size = rest.iter().position(|&byte| ends_name(byte)).unwrap_or(rest.len());
        self.at += size;
        &rest[..size]
    }

    /// Reads the attributes and the `>` of a tag. Returns the first value of attribute `wanted`.
    fn rest_of_tag(&mut self, wanted: &[u8]) -> Tag<'a> {
        let (html, bytes) = (self.html, self.bytes);
        let has_unseen = self.has_unseen();
        let of_image = wanted == b"src" && has_unseen;
        let with_containers = of_image || wanted == b"role" && has_unseen;
        let has_data = with_containers && !of_image || wanted == b"srcdoc" && has_unseen;
        let (mut label, mut is_math) = (None, false);
        // There is a single return, so that the value is built in the caller's memory.
        let mut tag = Tag::default();
        let mut at = self.at;
        loop {
            match bytes.get(at) {
                None => {
                    // The page ends within the tag, so it does not count as a tag.
                    tag = Tag::default();
                    break;
                }
                Some(b'>') => {
                    at += 1;
                    break;
                }
                Some(b'/') => {
                    tag.closes_itself = bytes.get(at + 1) == Some(&b'>');
                    at += 1;
                }
                Some(byte) if is_space(*byte) => at += 1,
                Some(_) => {
                    let name = at;
                    at += 1;
                    while bytes.get(at).is_some_and(|&byte| byte != b'=' && !ends_name(byte)) {
                        at += 1;
                    }
                    let name = &bytes[name..at];
                    let mut sign = at;
                    while bytes.get(sign).is_some_and(|&byte| is_space(byte)) {
                        sign += 1;
                    }
                    if bytes.get(sign) != Some(&b'=') {
                        if with_containers {
                            tag.attributes.note(name, "");
                        }
                        continue;
                    }
                    at = sign + 1;
                    while bytes.get(at).is_some_and(|&byte| is_space(byte)) {
                        at += 1;
                    }
                    let (from, to);
                    match bytes.get(at) {
                        Some(&quote @ (b'"' | b'\'')) => {
                            from = at + 1;
                            let Some(size) = memchr(quote, &bytes[from..]) else {
                                (tag, at) = (Tag::default(), bytes.len());
                                break;
                            };
                            to = from + size;
                            at = to + 1;
                        }
                        _ => {
                            from = at;
                            while bytes.get(at).is_some_and(|&byte| byte != b'>' && !is_space(byte)) {
                                at += 1;
                            }
                            to = at;
                        }
                    }
                    is_math |= has_unseen && &html[from..to] == "math" && name.eq_ignore_ascii_case(b"role");
                    if tag.value.is_none() && !wanted.is_empty() && name.eq_ignore_ascii_case(wanted) {
                        tag.value = Some(&html[from..to]);
                    } else if of_image && name.eq_ignore_ascii_case(b"alt") {
                        tag.alt = Some(&html[from..to]).filter(|alt| !alt.trim().is_empty()).or(tag.alt);
                    } else if of_image && name.eq_ignore_ascii_case(b"title") {
                        tag.alt = tag.alt.or(Some(&html[from..to]));
                    } else if has_unseen && name.eq_ignore_ascii_case(b"aria-label") {
                        label = Some(&html[from..to]);
                    } else if has_unseen && formulas::is_attribute(name, &html[from..to]) {
                        tag.formula = Some(&html[from..to]);
                    } else if has_unseen && let Some(source) = Source::of_attribute(name, &html[from..to], has_data) {
                        self.data.push((source, &html[from..to]));
                    } else if with_containers {
                        tag.attributes.note(name, &html[from..to]);
                    }
                }
            }
        }
        if let Some(label) = label
            && (is_math || formulas::is_written(label))
        {
            tag.formula = tag.formula.or(Some(label));
        }
        self.at = at;
        tag
    }

    /// Returns the offset of the end tag of `name`, or the end of the page.
    fn find_end_tag(&self, mut from: usize, name: &[u8]) -> usize {
        while let Some(size) = memchr(b'<', &self.bytes[from..]) {
            from += size;
            if self.bytes.get(from + 1) == Some(&b'/') && self.is_tag(from + 2, name) {
                return from;
            }
            from += 1;
        }
        self.bytes.len()
    }

    /// Returns the offset of the end of a script. Within `<!-- -->` a script may quote another one, `<script>` and
    /// `</script>` included (HTML standard, "script data double escaped state").
    fn end_of_script(&self) -> usize {
        let mut at = self.at;
        let (mut escaped, mut quoted) = (false, false);
        while let Some(size) = memchr(b'<', &self.bytes[at..]) {
            if escaped && let Some(end) = find_dashes(&self.bytes[at..at + size]) {
                at += end;
                (escaped, quoted) = (false, false);
                continue;
            }
            at += size;
            if self.bytes.get(at + 1) == Some(&b'/') && self.is_tag(at + 2, b"script") {
                if !quoted {
                    return at;
                }
                quoted = false;
            } else if !escaped && self.bytes[at..].starts_with(b"<!--") {
                escaped = true;
                // The dashes of `<!-->` close the comment that they open.
                at += 1;
            } else if escaped && self.is_tag(at + 1, b"script") {
                quoted = true;
            }
            at += 1;
        }
        self.bytes.len()
    }

    /// Returns whether the tag name at offset `at` is `name`.
    fn is_tag(&self, at: usize, name: &[u8]) -> bool {
        let end = at + name.len();
        self.bytes.get(at..end).is_some_and(|found| found.eq_ignore_ascii_case(name))
            && self.bytes.get(end).is_some_and(|&byte| ends_name(byte))
    }

    /// Appends text of the page.
    fn push(&mut self, from: usize, to: usize, piece: Piece) {
        self.push_part(from, to, piece, false);
    }

    /// Appends text of the page; `is_title` tells whether it belongs to the title.
    fn push_part(&mut self, from: usize, to: usize, piece: Piece, is_title: bool) {
        let is_reading = matches!(self.ruby, Some(Ruby::Reading | Ruby::Readings));
        if self.hidden == 0 && !is_reading && !self.sheet.is_blank(&self.bytes[from..to]) {
            self.sheet.push(self.html, from, to, piece);
            if let Some(outline) = &mut self.outline {
                outline.push(&self.sheet, is_title);
            }
        }
    }

    /// Updates the outline, if one is requested.
    fn note(&mut self, tell: impl FnOnce(&mut Outline)) {
        if let Some(outline) = &mut self.outline {
            tell(outline);
        }
    }

    /// Ends a block of text, and with it the current word and a reading that was never closed.
    fn push_break(&mut self) {
        self.ruby = self.ruby.and(Some(Ruby::Whole));
        if self.hidden == 0 {
            self.sheet.push_break();
            self.note(Outline::push_break);
        }
    }
}

/// The beginning of characters without markup, up to `]]>`, in SVG and MathML.
const CHARACTERS: &[u8] = b"<![CDATA[";

/// Returns the offset after the first `-->`.
fn find_dashes(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(size) = memchr(b'>', &bytes[from..]) {
        let end = from + size;
        if bytes[..end].ends_with(b"--") {
            return Some(end + 1);
        }
        from = end + 1;
    }
    None
}

/// Returns whether a `template` of this `shadowrootmode` is shown.
fn is_shadow_root(mode: &str) -> bool {
    mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed")
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || byte == b'/' || byte == b'>'
}

#[cfg(test)]
mod tests;
