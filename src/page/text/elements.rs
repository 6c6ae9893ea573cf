//! HTML elements by their effect on the text of a page.

use crate::text::word_table::{ShortWord, WordTable, hash_of, short_word};

/// The effect of a tag on the text (Henzinger 2: "all HTML markup in the page is replaced by white space or, in
/// case of formatting instructions, ignored").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// A formatting instruction: does not split a word.
    Inline,
    /// Any other element, unknown ones included: white space.
    Block,
    /// An image: its address is a term.
    Image,
    /// The base of relative addresses.
    Base,
    /// The content of the element is neither parsed nor shown: it is skipped up to the end tag.
    Dropped,
    /// The page's title: shown, references decoded, no markup inside.
    Title,
    /// Shown, references decoded, no markup inside.
    Escapable,
    /// Shown verbatim, no markup inside.
    Literal,
    /// Markup for scripts, shown only as a declared shadow root; may be nested.
    Template,
    /// Ruby: its letters, and the readings beside them.
    Ruby(Ruby),
    /// The root of SVG or MathML, in which every element may be self-closing.
    Foreign,
}

/// The elements of ruby, small readings above or beside letters: `漢字` with `かんじ`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ruby {
    /// `ruby`: letters and readings.
    Whole,
    /// `rb`: letters.
    Letters,
    /// `rt`: a reading; `rp`: its bracket, for browsers without ruby.
    Reading,
    /// `rtc`: several readings.
    Readings,
}

/// Properties of an element, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementProperties {
    pub(crate) element: Element,
    /// Whether the element is void, which means without content.
    pub(crate) is_void: bool,
    /// Whether the end tag may be left out.
    pub(crate) may_be_left_open: bool,
    /// The rank of a heading, 1 to 6; else 0.
    pub(crate) rank: u8,
    /// Its role for the text in it.
    pub(crate) role: Role,
}

/// The role of an element for the text in it, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    None,
    /// Navigation, footer, aside, control or dialog.
    Frame,
    Header,
    Article,
    Main,
    /// A quotation, a table or preformatted text.
    Quote,
    Figure,
    Paragraph,
    ListItem,
}

const BLOCK: ElementProperties =
    ElementProperties { element: Element::Block, is_void: false, may_be_left_open: false, rank: 0, role: Role::None };
const LEFT_OPEN: ElementProperties = ElementProperties { may_be_left_open: true, ..BLOCK };

const fn of(element: Element) -> ElementProperties {
    ElementProperties { element, ..BLOCK }
}

const fn heading(rank: u8) -> ElementProperties {
    ElementProperties { rank, ..BLOCK }
}

static KINDS: WordTable<ElementProperties, 256> = WordTable::new(
    BLOCK,
    &[
        (
            of(Element::Inline),
            "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small span \
             strike strong sub sup time tt u var wbr",
        ),
        (of(Element::Image), "img image"),
        (of(Element::Base), "base"),
        // <noscript>, <iframe>, <noembed>, <noframes>: fallbacks that a visitor with a common browser never sees.
        (of(Element::Dropped), "script style noscript iframe noembed noframes"),
        (of(Element::Title), "title"),
        (of(Element::Escapable), "textarea"),
        (of(Element::Literal), "xmp"),
        (of(Element::Template), "template"),
        (of(Element::Ruby(Ruby::Whole)), "ruby"),
        (of(Element::Ruby(Ruby::Letters)), "rb"),
        (of(Element::Ruby(Ruby::Reading)), "rt rp"),
        (of(Element::Ruby(Ruby::Readings)), "rtc"),
        (of(Element::Foreign), "svg math"),
        (ElementProperties { is_void: true, ..BLOCK }, "area br col embed hr input link meta param source track"),
        (LEFT_OPEN, "dt dd tr td th thead tbody tfoot option optgroup"),
        (ElementProperties { role: Role::Paragraph, ..LEFT_OPEN }, "p"),
        (ElementProperties { role: Role::ListItem, ..LEFT_OPEN }, "li"),
        (heading(1), "h1"),
        (heading(2), "h2"),
        (heading(3), "h3"),
        (heading(4), "h4"),
        (heading(5), "h5"),
        (heading(6), "h6"),
        (ElementProperties { role: Role::Frame, ..BLOCK }, "nav footer aside menu select button dialog search"),
        (ElementProperties { role: Role::Header, ..BLOCK }, "header"),
        (ElementProperties { role: Role::Article, ..BLOCK }, "article"),
        (ElementProperties { role: Role::Main, ..BLOCK }, "main"),
        (ElementProperties { role: Role::Quote, ..BLOCK }, "blockquote table pre"),
        (ElementProperties { role: Role::Figure, ..BLOCK }, "figure figcaption"),
    ],
);

/// The name of an element in lower case. All names of more than sixteen bytes are equal, and no known element has such
/// a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(ShortWord);

impl Name {
    pub(crate) const A: Name = Name::of(b"a");
    pub(crate) const IFRAME: Name = Name::of(b"iframe");
    pub(crate) const META: Name = Name::of(b"meta");
    pub(crate) const NOEMBED: Name = Name::of(b"noembed");
    pub(crate) const NOFRAMES: Name = Name::of(b"noframes");
    pub(crate) const NOSCRIPT: Name = Name::of(b"noscript");
    pub(crate) const SCRIPT: Name = Name::of(b"script");
    pub(crate) const SUP: Name = Name::of(b"sup");

    /// Returns the name of these bytes, in letters of any case.
    #[inline]
    pub(crate) const fn of(bytes: &[u8]) -> Self {
        Name(short_word(bytes))
    }

    /// Returns the properties of the element.
    #[inline]
    pub(crate) fn kind(self) -> ElementProperties {
        KINDS.get(self.0)
    }

    /// Returns a hash of 64 bits.
    #[inline]
    pub(crate) fn hash(self) -> u64 {
        hash_of(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_known_by_their_names_in_any_case() {
        let kind = |name: &str| Name::of(name.as_bytes()).kind();
        assert_eq!(kind("SPAN").element, Element::Inline);
        assert_eq!((kind("blockquote").role, kind("FigCaption").role), (Role::Quote, Role::Figure));
        assert_eq!((kind("h2").rank, kind("h7").rank, kind("hr").is_void), (2, 0, true));
        assert!(kind("li").may_be_left_open && kind("li").role == Role::ListItem);
        for name in ["", "divs", "custom-element", "custom-element-of-a-long-name", "\0a"] {
            let expected = if name == "\0a" { kind("a") } else { BLOCK };
            assert_eq!(kind(name), expected, "{name:?}");
        }
        assert_ne!(Name::of(b"custom-element"), Name::of(b"custom-elements"));
    }
}
