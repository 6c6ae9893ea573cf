//! Page bytes to text, terms and site. HTML and character sets are known to this module only.
//!
//! It owns: a page ([`Page`]), its character set (`charset`), the scan of its markup (`html`, `elements`,
//! `entities`), its visible text and the map back to its bytes ([`TextMap`]), the units of that text, and the site
//! of a host name (Henzinger 2006, 1). Texts are split in three ways, each after a paper: into terms ([`Tokens`],
//! Henzinger 2, H1), into sentences ([`sentences`], Huang et al. 3.1, L1) and into words ([`CanonicalWords`], Ye et
//! al. 4.2, Y1). [`PageContent`] says which terms are a page's content and which are boilerplate; for older recipes
//! [`MainContent`] does. Everything is a pure function: no input or output, no threads, no clock, and the same
//! result on every platform.
//!
//! It must never import `sketch`, `store`, `archive` or `detect`, nor anything that opens a file. Types of the
//! HTML, URL and character set libraries do not leave it.

mod charset;
mod combining_marks;
mod content;
mod elements;
mod entities;
mod headings;
mod html;
mod images;
mod letters;
mod lower;
mod map;
mod numbers;
mod outline;
mod page;
mod page_content;
mod regions;
mod segment;
mod sentences;
mod sheet;
mod short;
mod site;
mod tokens;
mod visible;
mod words;

pub use charset::decode;
pub use content::{LINE_UNITS, MainContent, TERMS_MIN, main_content, main_text};
pub use headings::Headings;
pub use letters::is_word_character;
pub(crate) use lower::LowerHashes;
pub use map::TextMap;
pub use page::{Page, PageKind};
pub use page_content::{ContentBlock, Heading, PageContent, content_text, page_content};
pub use sentences::{DOCUMENT_UNITS, SENTENCE_UNITS, Sentence, first_units, sentences, units};
pub use site::{SiteRule, henzinger_site, host_of, registrable_domain};
pub use tokens::{Tokenizer, Tokens, tokens, tokens_with_map};
pub use visible::{folded_text, folded_text_with_map, visible_text};
pub use words::{CanonicalWords, canonical_words};
