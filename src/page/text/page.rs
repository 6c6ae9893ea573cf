//! A page as the crawl delivered it.

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
