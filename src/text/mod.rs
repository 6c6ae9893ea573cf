//! Page bytes to text, terms and site: the wing where HTML and character sets stop.
//!
//! It owns: what a page is ([`Page`]), its character set (`charset`), the scan of its markup
//! (`html`, `elements`, `entities`), the terms of its text ([`Tokens`], Henzinger 2 / ALGORITHMS
//! H1), and the site of a host name (H6). Everything is a pure function: no input or output, no
//! threads, no clock, and the same answer on every platform.
//!
//! It must never import another wing (`sketch`, `store`, `archive`, `detect`) nor anything that
//! opens a file. Types of the HTML, URL and character set libraries do not leave it.

mod charset;
mod elements;
mod entities;
mod html;
mod images;
mod letters;
mod marks;
mod page;
mod site;
mod tokens;

pub use charset::decode;
pub use letters::is_word_character;
pub use page::{Page, PageKind};
pub use site::{SiteRule, henzinger_site, host_of, registrable_domain};
pub use tokens::{Tokenizer, Tokens, tokens, visible_text};
