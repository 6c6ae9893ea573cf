//! From the bytes of a page to its text, terms and site. Only this module handles HTML and character sets.
//!
//! The module has: a page ([`Page`]), its character set (`charset`), the scan of its markup (`html`, `elements`,
//! `entities`), its visible text and the map back to its bytes (`TextMap`), the units of that text, and the site of a
//! host name (Henzinger 2006, 1). Texts are split in three ways, each following a paper: into terms (`Tokens`,
//! Henzinger 2, H1), into sentences (`sentences`, Huang et al. 3.1, L1) and into words (`CanonicalWords`, Ye et al.
//! 4.2, Y1). `PageContent` distinguishes the terms of a page's content from boilerplate. Everything is a pure function:
//! no input or output, no threads, no clock, and the same result on every platform.
//!
//! This module must never import `sketch`. Types of the HTML, URL and character set libraries do not appear in its
//! interface.

pub mod address;
mod charset;
mod compared;
mod composed;
mod containers;
mod division;
mod elements;
mod entities;
mod folded;
mod garbled;
mod headings;
mod hints;
mod html;
mod ignorable;
mod images;
mod letters;
mod lower;
mod map;
mod outline;
mod overstrike;
mod page_content;
mod sentences;
mod sheet;
mod short;
mod site;
mod steps;
mod terms_text;
pub mod title;
mod tokenizer;
mod visible;
mod word_segmentation;
mod word_table;
mod words;

pub use charset::decode;
pub(crate) use compared::compared_of;
pub use compared::{
    CONTENT, OF_MARKUP, OF_TEXT, OTHER, TITLE, UNSEEN, UNSEEN_CONTENT, compared_text, is_content, shown_text,
    shown_title,
};
pub use folded::{folded, push_folded};
pub(crate) use garbled::is_garbled;
pub use headings::Headings;
pub use letters::{is_punctuation, is_word_character};
pub(crate) use lower::lower_hashes;
pub use page_content::{
    BlockKind, PageContent, TextBlock, content_text, page_content, text_blocks, whole_text, whole_words,
};
pub use sentences::{DOCUMENT_UNITS, Sentence, first_units, sentences, units};
pub use site::{SiteRule, host_of};
pub use title::title;
pub use tokenizer::{Tokenizer, Tokens, is_bullet, tokens};
pub(crate) use visible::characters_of;
pub use visible::{folded_text, folded_text_with_map, visible_text};
pub use words::{CanonicalWords, canonical_words};

/// The format of a page's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// Markup: HTML or XHTML.
    Html,
    /// Plain text, for instance the text of a WET record.
    Text,
}

/// A page: its bytes, and the metadata of its protocol.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// Markup or plain text.
    pub kind: PageKind,
    /// The character set label of the HTTP header, if any.
    pub charset: Option<&'a str>,
    /// The address of the page, which determines its site and the base of its relative image addresses.
    pub url: Option<&'a str>,
    /// The body after transfer and content decoding, still in its character set.
    pub body: &'a [u8],
}

impl<'a> Page<'a> {
    /// Returns a page of UTF-8 markup without an address.
    pub fn html(body: &'a str) -> Self {
        Page { kind: PageKind::Html, charset: Some("utf-8"), url: None, body: body.as_bytes() }
    }

    /// Returns a page of UTF-8 text without an address.
    pub fn text(body: &'a str) -> Self {
        Page { kind: PageKind::Text, charset: Some("utf-8"), url: None, body: body.as_bytes() }
    }
}
