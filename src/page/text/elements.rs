//! HTML elements by their effect on the text of a page.

/// The effect of a tag on the text (Henzinger 2: "markup is replaced by white space or, in case of formatting
/// instructions, ignored").
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
    /// Its content is neither markup nor shown: skipped up to its end tag.
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
    /// The root of SVG or MathML, where every element may close itself.
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

/// Returns the kind of an element by its lower-case name.
pub(crate) fn element(name: &[u8]) -> Element {
    match name {
        b"a" | b"abbr" | b"acronym" | b"b" | b"bdi" | b"bdo" | b"big" | b"cite" | b"code" | b"data" | b"del"
        | b"dfn" | b"em" | b"font" | b"i" | b"ins" | b"kbd" | b"mark" | b"nobr" | b"q" | b"s" | b"samp" | b"small"
        | b"span" | b"strike" | b"strong" | b"sub" | b"sup" | b"time" | b"tt" | b"u" | b"var" | b"wbr" => {
            Element::Inline
        }
        b"img" | b"image" => Element::Image,
        b"base" => Element::Base,
        // <noscript>, <iframe>, <noembed>, <noframes>: fallbacks that a visitor with a common
        // browser never sees.
        b"script" | b"style" | b"noscript" | b"iframe" | b"noembed" | b"noframes" => Element::Dropped,
        b"title" => Element::Title,
        b"textarea" => Element::Escapable,
        b"xmp" => Element::Literal,
        b"template" => Element::Template,
        b"ruby" => Element::Ruby(Ruby::Whole),
        b"rb" => Element::Ruby(Ruby::Letters),
        b"rt" | b"rp" => Element::Ruby(Ruby::Reading),
        b"rtc" => Element::Ruby(Ruby::Readings),
        b"svg" | b"math" => Element::Foreign,
        _ => Element::Block,
    }
}
