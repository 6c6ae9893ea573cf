//! The text that a page carries and does not show: the content of `noscript`, `noframes`, `template` and of scripts
//! that are templates, and the data of a page for its scripts, in scripts and in attributes. Formulas in scripts and the
//! document of an `iframe` are shown to readers: they are text like any other.

use super::{Scanner, Tag, page_data};
use crate::text::elements::Name;
use crate::text::entities::decode_attribute;
use crate::text::outline::Outline;
use crate::text::sheet::{Layout, Piece, Sheet};

/// Greatest number of documents within each other.
const DEPTH_MAX: u32 = 3;

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
        let script = if name == Name::SCRIPT { Script::of(kind, inside) } else { Script::Program };
        if script == Script::Formula {
            // A formula is within a sentence, so the end tag ends no block.
            self.push(start, self.at, Piece::Literal);
            self.skip_past_greater();
            return;
        }
        self.push_break();
        match (name, script) {
            (Name::NOSCRIPT | Name::NOFRAMES | Name::NOEMBED, _) | (_, Script::Template) => self.document(inside, true),
            (_, Script::Markup) => self.document(inside, false),
            (_, Script::Data { is_linked }) => self.data(inside, is_linked),
            (Name::IFRAME, _) if !kind.is_empty() => self.document(&decode_attribute(kind), false),
            _ => {}
        }
    }

    /// Reads the strings of a page's data.
    fn data(&mut self, data: &str, is_linked: bool) {
        page_data::strings(data, is_linked, &mut |text| {
            if is_markup(text) {
                self.document(text, true);
            } else {
                self.text(text);
            }
        });
    }

    /// Reads the data in attributes (`data-page="{...}"`) if it is more than the text of the page: settings are not.
    pub(super) fn data_of_attributes(&mut self) {
        let data = std::mem::take(&mut self.data);
        if data.iter().map(|value| value.len()).sum::<usize>() > self.sheet.size() {
            data.into_iter().for_each(|value| self.data(&decode_attribute(value), false));
        }
    }

    /// Reads a document within this one.
    pub(super) fn document(&mut self, html: &str, is_unseen: bool) {
        if self.depth < DEPTH_MAX && self.hidden == 0 && !html.trim_ascii().is_empty() {
            self.within(html, is_unseen, |scanner| scanner.run());
        }
    }

    /// Reads a text that is not shown.
    fn text(&mut self, text: &str) {
        if self.hidden == 0 {
            self.within(text, true, |scanner| scanner.push(0, text.len(), Piece::Literal));
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
    Program,
    /// A formula in TeX or AsciiMath, which a program of the page sets.
    Formula,
    /// Markup that a program of the page shows as it is: MathML.
    Markup,
    /// Markup for other scripts: `text/x-handlebars-template`, `text/html`, ...
    Template,
    /// Data of the page; whether it is linked data, whose short strings are names and not settings.
    Data {
        is_linked: bool,
    },
}

impl Script {
    /// Returns what a script is for, given its type and its content.
    fn of(kind: &str, inside: &str) -> Script {
        let kind = kind.trim().to_ascii_lowercase();
        let kind = kind.split(';').next().unwrap_or_default().trim_end();
        match kind {
            "math/tex" | "math/latex" | "math/asciimath" | "text/tex" | "text/latex" => Script::Formula,
            "math/mml" => Script::Markup,
            "text/html" | "text/ng-template" => Script::Template,
            _ if ["template", "handlebars", "mustache"].iter().any(|word| kind.contains(word)) => Script::Template,
            "application/ld+json" => Script::Data { is_linked: true },
            _ if kind.ends_with("json") => Script::Data { is_linked: false },
            "" | "module" | "text/javascript" | "application/javascript" if page_data::is_assigned(inside) => {
                Script::Data { is_linked: false }
            }
            _ => Script::Program,
        }
    }
}

/// Returns whether a string of a page's data is markup.
pub(super) fn is_markup(text: &str) -> bool {
    text.contains("</") || text.contains("/>") || text.contains("<p>") || text.contains("<br>")
}
