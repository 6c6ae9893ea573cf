//! Page bytes to text, terms and site. HTML and character sets are known to this module only.
//!
//! It owns: a page ([`Page`]), its character set (`charset`), the scan of its markup (`html`, `elements`, `entities`),
//! its visible text and the map back to its bytes (`TextMap`), the units of that text, and the site of a host name
//! (Henzinger 2006, 1). Texts are split in three ways, each after a paper: into terms (`Tokens`, Henzinger 2, H1), into
//! sentences (`sentences`, Huang et al. 3.1, L1) and into words (`CanonicalWords`, Ye et al. 4.2, Y1). `PageContent`
//! says which terms are a page's content and which are boilerplate. Everything is a pure function: no input or output,
//! no threads, no clock, and the same result on every platform.
//!
//! It must never import `sketch`, `store`, `archive` or `detect`, nor anything that opens a file. Types of the
//! HTML, URL and character set libraries do not leave it.

pub(crate) mod address;
pub(crate) mod charset;
mod composed;
mod containers;
mod elements;
mod entities;
mod headings;
mod hints;
mod html;
mod ignorable;
mod images;
mod letters;
mod lower;
pub(crate) mod map;
mod numbers;
mod outline;
mod overstrike;
mod page;
pub(crate) mod page_content;
pub(crate) mod sentences;
mod sheet;
mod short;
pub(crate) mod site;
mod steps;
mod terms_text;
pub(crate) mod title;
pub(crate) mod tokenizer;
pub(crate) mod visible;
mod word_segmentation;
pub(crate) mod words;

pub use headings::Headings;
pub use page::{Page, PageKind};
pub use page_content::{BlockKind, TextBlock, text_blocks};
pub use site::{SiteRule, host_of};

pub(crate) use letters::{is_punctuation, is_word_character};
pub(crate) use lower::LowerHashes;
pub(crate) use page_content::{PageContent, content_text, page_content, whole_words};
pub(crate) use sentences::{DOCUMENT_UNITS, Sentence, first_units, sentences, units};
pub(crate) use tokenizer::{Tokens, tokens};
pub(crate) use visible::{folded_text, visible_text};
pub(crate) use words::CanonicalWords;
