//! Regions of a page by its elements: around the content, or holding it.
//!
//! Three properties of the elements decide, all of them of the page's own making:
//!
//! * the elements of HTML for it (`nav`, `footer`, `main`, ...) and the roles of WAI-ARIA;
//! * what is hidden (`hidden`, `display: none`);
//! * the words of classes and identifiers, as Readability looks at them ("unlikely candidates"). Authors name the
//!   parts of a layout after what they are; a dozen words name most of what goes around. They are English on pages of
//!   any language.
//!
//! A name is cut into words: runs of ASCII letters, cut before a capital that follows a small letter. Words of
//! frames are `related`, `social`, `share`, `sharing`, `pagination`, `pager`, `comments`, `comment`, `disqus`,
//! `widget`, `popup`, `modal`, `banner`, `gdpr`, `consent` and `search`; of what a theme writes about a page on its
//! own account `meta`, `byline`, `author` and `copyright`; those that begin with `nav`, `menu`, `foot` (not
//! `footnote`, `footnotes`), `cookie` or `breadcrumb`; and those that end with `nav`, `menu` or `sidebar`. One of
//! `content`, `main`, `article`, `body`, `has`, `with` or `no` in class or identifier of an element overrides them.

use crate::text::short::ShortAscii;

/// Attributes that tell the purpose of an element.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes<'a> {
    pub(crate) role: Option<&'a str>,
    pub(crate) class: Option<&'a str>,
    pub(crate) id: Option<&'a str>,
    pub(crate) style: Option<&'a str>,
    /// The element has the attribute `hidden`.
    pub(crate) is_hidden: bool,
}

impl<'a> Attributes<'a> {
    /// Records an attribute, if it is one of these and the first of its name.
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
            _ => return,
        };
        slot.get_or_insert(value);
    }
}

/// The regions that contain a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Region {
    /// An element or role around the content, or one that is not shown.
    pub(crate) is_frame: bool,
    /// An element whose class or identifier is that of a frame.
    pub(crate) is_named_frame: bool,
    /// The header of the page, and no other element around the content.
    pub(crate) is_header: bool,
    /// The main part of the page.
    pub(crate) is_main: bool,
    /// An element with the identifier of a main part.
    pub(crate) is_named_main: bool,
    /// An article.
    pub(crate) is_article: bool,
}

/// The open elements that are regions: the index of the outermost of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Regions {
    frame: Option<usize>,
    named: Option<usize>,
    header: Option<usize>,
    main: Option<usize>,
    named_main: Option<usize>,
    article: Option<usize>,
}

impl Regions {
    /// Opens an element at `index` of the stack.
    pub(crate) fn open(&mut self, index: usize, name: &[u8], attributes: &Attributes<'_>) {
        let role = attributes.role.map(str::trim).unwrap_or_default();
        let is_role = |roles: &[&str]| roles.iter().any(|one| role.eq_ignore_ascii_case(one));
        let is_main = name == b"main" || is_role(&["main"]);
        if attributes.id.is_some_and(is_main_name) {
            self.named_main.get_or_insert(index);
        }
        let is_article = name == b"article" || is_role(&["article"]);
        if is_main || self.named_main == Some(index) {
            if is_main {
                self.main.get_or_insert(index);
            }
            // An element that contains the main part is not around it; the same with headings of the first rank.
            self.named = None;
        } else if name == b"h1" && self.frame.is_none() {
            self.named = None;
        } else if is_article {
            self.article.get_or_insert(index);
        } else if name == b"header" || is_role(&["banner"]) {
            // The header of an article, or of the main part, introduces it.
            if self.main.or(self.article).is_none() {
                self.header.get_or_insert(index);
            }
        } else if matches!(
            name,
            b"nav" | b"footer" | b"aside" | b"menu" | b"select" | b"button" | b"dialog" | b"search"
        ) || is_role(&FRAME_ROLES)
            || attributes.is_hidden
            || attributes.class.is_some_and(|class| class.split_ascii_whitespace().any(|name| name == "hidden"))
            || attributes.style.is_some_and(hides)
        {
            self.frame.get_or_insert(index);
        } else if self.named.is_none()
            && self.frame.is_none()
            && !matches!(name, b"html" | b"body")
            && !matches!(name, [b'h', b'1'..=b'6'])
            && is_frame_name(attributes.class.unwrap_or_default(), attributes.id.unwrap_or_default())
        {
            self.named.get_or_insert(index);
        }
    }

    /// Closes all elements from `index` of the stack on.
    pub(crate) fn close(&mut self, index: usize) {
        let Regions { frame, named, header, main, named_main, article } = self;
        for one in [frame, named, header, main, named_main, article] {
            *one = one.filter(|&open| open < index);
        }
    }

    /// Returns the regions of text at this point.
    pub(crate) fn region(&self) -> Region {
        Region {
            is_frame: self.frame.is_some(),
            is_named_frame: self.named.is_some(),
            is_header: self.header.is_some(),
            is_main: self.main.is_some(),
            is_named_main: self.named_main.is_some(),
            is_article: self.article.is_some(),
        }
    }
}

/// Roles (WAI-ARIA) around the content.
const FRAME_ROLES: [&str; 6] = ["navigation", "contentinfo", "search", "complementary", "dialog", "alertdialog"];

/// Returns whether an identifier is that of the main part.
fn is_main_name(id: &str) -> bool {
    ["main", "content", "main-content", "maincontent"].iter().any(|name| id.eq_ignore_ascii_case(name))
}

/// Returns whether a style hides the element.
fn hides(style: &str) -> bool {
    let folded: Vec<u8> =
        style.bytes().filter(|byte| !byte.is_ascii_whitespace()).map(|byte| byte.to_ascii_lowercase()).collect();
    memchr::memmem::find(&folded, b"display:none").is_some()
}

/// Returns whether a class or identifier is that of a frame, and neither is that of the content.
fn is_frame_name(class: &str, id: &str) -> bool {
    let mut is_frame = false;
    for name in [class, id] {
        for word in NameWords(name.as_bytes()) {
            match ShortAscii::at(word, 0, word.len()).and_then(|short| kind(&short.lower().0[..word.len()])) {
                Some(true) => is_frame = true,
                Some(false) => return false,
                None => (),
            }
        }
    }
    is_frame
}

/// Returns whether a word of a name, in lower case, is of a frame (`true`) or of the content (`false`).
fn kind(word: &[u8]) -> Option<bool> {
    let is_frame = match word {
        b"content" | b"main" | b"article" | b"body" | b"has" | b"with" | b"no" => return Some(false),
        b"related" | b"social" | b"share" | b"sharing" | b"pagination" | b"pager" | b"comments" | b"comment"
        | b"disqus" | b"widget" | b"popup" | b"modal" | b"banner" | b"gdpr" | b"consent" | b"search" | b"meta"
        | b"byline" | b"author" | b"copyright" => true,
        word => {
            word.starts_with(b"nav")
                || word.ends_with(b"nav")
                || word.starts_with(b"menu")
                || word.ends_with(b"menu")
                || word.ends_with(b"sidebar")
                || word.starts_with(b"foot") && word != b"footnote" && word != b"footnotes"
                || word.starts_with(b"cookie")
                || word.starts_with(b"breadcrumb")
        }
    };
    is_frame.then_some(true)
}

/// The words of a name: runs of letters, cut before a capital that follows a small letter.
struct NameWords<'a>(&'a [u8]);

impl<'a> Iterator for NameWords<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.0.iter().position(u8::is_ascii_alphabetic)?;
        let rest = &self.0[start..];
        let size = rest
            .windows(2)
            .position(|pair| {
                !pair[1].is_ascii_alphabetic() || pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()
            })
            .map_or(rest.len(), |at| at + 1);
        let (word, rest) = rest.split_at(size);
        self.0 = rest;
        Some(word)
    }
}
