//! The elements of a page that contain its text, and their kinds according to their names.
//!
//! This module does not decide what is content. The kind of an element (HTML, WAI-ARIA, microdata) and the words of its
//! class and identifier are evidence, which [`page_content`](crate::text::page_content) weighs.

use crate::text::elements::{ElementProperties, Name, Role};
use crate::text::hints::Hints;

/// Attributes that indicate the purpose of an element.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes<'a> {
    pub(crate) role: Option<&'a str>,
    pub(crate) class: Option<&'a str>,
    pub(crate) id: Option<&'a str>,
    pub(crate) style: Option<&'a str>,
    pub(crate) item: Option<&'a str>,
    /// The element has the attribute `hidden`.
    pub(crate) is_hidden: bool,
}

impl<'a> Attributes<'a> {
    /// Records an attribute if it is one of these and the first with its name.
    #[inline]
    pub(crate) fn note(&mut self, name: &[u8], value: &'a str) {
        let slot = match name.len() {
            2 if name.eq_ignore_ascii_case(b"id") => &mut self.id,
            5 if name.eq_ignore_ascii_case(b"class") => &mut self.class,
            5 if name.eq_ignore_ascii_case(b"style") => &mut self.style,
            6 if name.eq_ignore_ascii_case(b"hidden") => {
                self.is_hidden = true;
                return;
            }
            8 if name.eq_ignore_ascii_case(b"itemprop") => &mut self.item,
            _ => return,
        };
        slot.get_or_insert(value);
    }

    /// Returns the hints of class and identifier.
    pub(crate) fn hints(&self) -> Hints {
        Hints::of(self.class.unwrap_or_default()).with(Hints::of(self.id.unwrap_or_default()))
    }

    fn has_role(&self, roles: &[&str]) -> bool {
        self.role.map(str::trim).is_some_and(|role| roles.iter().any(|one| role.eq_ignore_ascii_case(one)))
    }
}

/// An element that contains text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Container {
    /// Index of the element around it. The page itself has index 0 and is its own parent.
    pub(crate) parent: u32,
    /// Navigation, footer, aside, control or dialog by its name or role; or hidden.
    pub(crate) is_frame: bool,
    /// The text of the element is not shown: it is for readers without scripts, or for scripts.
    pub(crate) is_unseen: bool,
    pub(crate) is_header: bool,
    pub(crate) is_article: bool,
    /// The main part of a page, or the body of an article by its microdata.
    pub(crate) is_main: bool,
    /// A quotation, a table or preformatted text.
    pub(crate) is_quote: bool,
    pub(crate) is_figure: bool,
    pub(crate) hints: Hints,
    /// A hash of its name and the first word of its class; 0 if it has no class. The items of a list have equal hashes.
    pub(crate) signature: u64,
}

impl Container {
    /// Returns the container for an element; its parent is set when it gets text.
    pub(crate) fn of(name: Name, role: Role, attributes: &Attributes<'_>) -> Self {
        Container {
            parent: 0,
            is_frame: role == Role::Frame
                || attributes.has_role(&FRAME_ROLES)
                || attributes.is_hidden
                || attributes.style.is_some_and(hides),
            is_unseen: false,
            is_header: role == Role::Header,
            is_article: role == Role::Article,
            is_main: role == Role::Main
                || attributes.has_role(&["main"])
                || attributes.item.is_some_and(|item| item.trim() == "articleBody"),
            is_quote: role == Role::Quote,
            is_figure: role == Role::Figure,
            hints: attributes.hints(),
            signature: signature(name, attributes),
        }
    }
}

/// Roles (WAI-ARIA) around the content.
const FRAME_ROLES: [&str; 6] = ["navigation", "contentinfo", "search", "complementary", "dialog", "alertdialog"];

/// Returns whether a style hides an element.
fn hides(style: &str) -> bool {
    style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(name, value)| {
        let is_none = value.trim().get(..4).is_some_and(|value| value.eq_ignore_ascii_case("none"));
        is_none && name.trim().eq_ignore_ascii_case("display")
    })
}

/// Returns a hash (FNV-1a) of an element's name and the first word of its class, or of its identifier. Digits do not
/// count, because generators number items with them.
fn signature(name: Name, attributes: &Attributes<'_>) -> u64 {
    let names = [attributes.class, attributes.id].into_iter().flatten();
    let Some(class) = names.flat_map(str::split_ascii_whitespace).next() else { return 0 };
    let bytes = class.bytes().filter(|byte| !byte.is_ascii_digit());
    bytes.fold(name.hash(), |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The place of a run of text: its container, and the element that opens its block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextPlace {
    pub(crate) container: u32,
    pub(crate) own: Own,
    /// Hints of its own element, if that is not a container.
    pub(crate) hints: Hints,
}

/// The element that was opened last before a block, unless another one has been closed since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Own {
    Paragraph,
    ListItem,
    /// A heading of the first rank.
    Heading,
    #[default]
    Other,
}

impl Own {
    pub(crate) fn of(kind: &ElementProperties) -> Self {
        match kind {
            ElementProperties { role: Role::Paragraph, .. } => Own::Paragraph,
            ElementProperties { role: Role::ListItem, .. } => Own::ListItem,
            ElementProperties { rank: 1, .. } => Own::Heading,
            _ => Own::Other,
        }
    }
}
