//! What a page's markup says of the parts of its text: which blocks there are, what of them is links,
//! and what stands around the content (Huang et al. 2008, 3.1).
//!
//! Of the tree of elements only a stack is kept, of those that can stand around others and that have to
//! be closed: a paragraph, a list item or a table cell may be left open, and is not on it. An end tag closes
//! the last element of its name and all that were opened behind that one; one that closes nothing does
//! nothing.

use crate::text::regions::{Attributes, Region, Regions};
use crate::text::sheet::Sheet;

/// The most elements within each other that are known of. Real pages have a few dozen.
const DEPTH_MAX: usize = 512;

/// Counters of open elements, by a hash of their names.
const COUNTERS: usize = 256;

/// A run of text of which one thing is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutlinePart {
    /// Where in the text it ends, and the next one begins.
    pub(crate) end: usize,
    /// It begins a block.
    pub(crate) begins_block: bool,
    /// It stands in a link.
    pub(crate) is_link: bool,
    /// It stands in what goes around the content: navigation, header, footer, a form's buttons.
    pub(crate) is_around: bool,
    pub(crate) role: Role,
    /// The heading it stands in.
    pub(crate) heading: Option<HeadingPart>,
    /// What the elements around it say of it, if that was asked for.
    pub(crate) region: Region,
}

/// A heading of the first three ranks, `h1` to `h3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeadingPart {
    /// Which heading of the page it is, from 0 on: an element may hold several blocks.
    pub(crate) number: u32,
    /// The rank, 1 to 3.
    pub(crate) rank: u8,
}

/// What a text says of the page as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// The title.
    Title,
    /// In a heading of the first or second rank.
    Heading,
    #[default]
    Other,
}

/// The parts of a text in the making.
pub(crate) struct Outline {
    parts: Vec<OutlinePart>,
    open: Vec<u64>,
    /// How many open elements have a name with this hash: an end tag that closes nothing is not looked for.
    counters: [u16; COUNTERS],
    /// The index in `open` of the outermost element that goes around the content.
    around: Option<usize>,
    /// The same of the outermost heading.
    heading: Option<usize>,
    /// The heading at hand, if it is of the first three ranks: its index in `open`, and which it is.
    ranked: Option<(usize, HeadingPart)>,
    /// The number of headings so far.
    headings: u32,
    regions: Option<Regions>,
    in_link: bool,
    begins_block: bool,
}

impl Outline {
    /// Returns the outline of an empty text; what regions of the page say is looked at only where that is asked for.
    pub(crate) fn new(with_regions: bool) -> Self {
        Outline {
            parts: Vec::new(),
            open: Vec::new(),
            counters: [0; COUNTERS],
            around: None,
            heading: None,
            ranked: None,
            headings: 0,
            regions: with_regions.then(Regions::default),
            in_link: false,
            begins_block: true,
        }
    }

    /// Notes text that was appended. A title stands around the content wherever it is.
    pub(crate) fn push(&mut self, sheet: &Sheet, is_title: bool) {
        let role = match self.heading {
            _ if is_title => Role::Title,
            Some(_) => Role::Heading,
            None => Role::Other,
        };
        let part = OutlinePart {
            end: sheet.size(),
            begins_block: std::mem::take(&mut self.begins_block),
            is_link: self.in_link,
            is_around: is_title || self.around.is_some(),
            role,
            heading: self.ranked.map(|(_, heading)| heading).filter(|_| !is_title),
            region: self.regions.map(|regions| regions.region()).unwrap_or_default(),
        };
        match self.parts.last_mut() {
            Some(last)
                if !part.begins_block && (OutlinePart { end: part.end, begins_block: false, ..*last }) == part =>
            {
                last.end = part.end;
            }
            _ => self.parts.push(part),
        }
    }

    /// Ends a block.
    pub(crate) fn push_break(&mut self) {
        self.begins_block = true;
    }

    /// A link begins or ends. An anchor without an address is none; it ends the one before it.
    pub(crate) fn link(&mut self, begins: bool) {
        self.in_link = begins;
    }

    /// An element that is no formatting instruction begins.
    pub(crate) fn open(&mut self, name: &[u8], attributes: &Attributes<'_>) {
        let role = attributes.role;
        if stands_alone(name) || self.open.len() == DEPTH_MAX {
            return;
        }
        if self.around.is_none() && (is_around(name) || role.is_some_and(is_role_around)) {
            self.around = Some(self.open.len());
        }
        if self.heading.is_none() && matches!(name, b"h1" | b"h2") {
            self.heading = Some(self.open.len());
        }
        if matches!(name, [b'h', b'1'..=b'6']) {
            // As in browsers, a heading ends one that was left open.
            self.ranked = rank(name).map(|rank| (self.open.len(), HeadingPart { number: self.headings, rank }));
            self.headings += 1;
        }
        if let Some(regions) = &mut self.regions {
            regions.open(self.open.len(), name, attributes);
        }
        let word = word(name);
        self.open.push(word);
        self.counters[counter(word)] += 1;
    }

    /// An element that is no formatting instruction ends.
    pub(crate) fn close(&mut self, name: &[u8]) {
        if matches!(name, [b'h', b'1'..=b'6']) {
            // As in browsers, the end tag of any rank ends a heading.
            self.ranked = None;
        }
        let word = word(name);
        if self.counters[counter(word)] == 0 {
            return;
        }
        let Some(index) = self.open.iter().rposition(|&open| open == word) else { return };
        self.open.drain(index..).for_each(|open| self.counters[counter(open)] -= 1);
        self.around = self.around.filter(|&around| around < index);
        self.heading = self.heading.filter(|&heading| heading < index);
        self.ranked = self.ranked.filter(|&(ranked, _)| ranked < index);
        if let Some(regions) = &mut self.regions {
            regions.close(index);
        }
    }

    /// Returns whether what regions of the page say is asked for.
    pub(crate) fn has_regions(&self) -> bool {
        self.regions.is_some()
    }

    pub(crate) fn finish(self) -> Vec<OutlinePart> {
        self.parts
    }
}

/// A name of at most eight bytes as a number.
fn word(name: &[u8]) -> u64 {
    name.iter().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn counter(word: u64) -> usize {
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}

/// Returns the rank of a heading of the first three.
fn rank(name: &[u8]) -> Option<u8> {
    match name {
        [b'h', digit @ b'1'..=b'3'] => Some(digit - b'0'),
        _ => None,
    }
}

/// Returns whether an element has no content, or may be left open.
fn stands_alone(name: &[u8]) -> bool {
    matches!(
        name,
        b"area" | b"br" | b"col" | b"embed" | b"hr" | b"input" | b"link" | b"meta" | b"param" | b"source" | b"track"
    ) || matches!(
        name,
        b"p" | b"li" | b"dt" | b"dd" | b"tr" | b"td" | b"th" | b"thead" | b"tbody" | b"tfoot" | b"option" | b"optgroup"
    )
}

/// Returns whether an element goes around the content of a page, or asks the visitor for something.
fn is_around(name: &[u8]) -> bool {
    matches!(name, b"nav" | b"header" | b"footer" | b"aside" | b"menu" | b"select" | b"button")
}

/// Returns whether the role of an element (WAI-ARIA) says so.
fn is_role_around(role: &str) -> bool {
    let role = role.trim();
    ["navigation", "banner", "contentinfo", "search", "complementary", "dialog"]
        .iter()
        .any(|around| role.eq_ignore_ascii_case(around))
}
