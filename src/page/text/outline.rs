//! The structure of a page's text by its markup: its blocks, and its parts that are links or boilerplate around the
//! content (Huang et al. 2008, 3.1).
//!
//! Instead of a tree, only a stack is kept. It has the open elements that can contain others and must be closed;
//! elements that may be left open, such as a paragraph, a list item or a table cell, are not on the stack. An end tag
//! closes the last element of its name and all elements opened after it. An end tag without an open element is ignored.

use crate::text::containers::{Attributes, Container, Own, TextPlace};
use crate::text::elements::{ElementProperties, Name};
use crate::text::sheet::Sheet;

/// Greatest depth of nested elements that are tracked. Real pages have a few dozen.
const DEPTH_MAX: usize = 512;

/// Lowest rank of the headings that are recorded.
const RANK_MAX: u8 = 3;

/// Counters of open elements, by a hash of their names.
const COUNTERS: usize = 256;

/// A run of text with the same properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutlinePart {
    /// Offset in the text of its end, where the next part begins.
    pub(crate) end: usize,
    /// The part begins a block.
    pub(crate) begins_block: bool,
    /// The part is in a link.
    pub(crate) is_link: bool,
    /// The part belongs to the title.
    pub(crate) is_title: bool,
    /// The heading that contains the part.
    pub(crate) heading: Option<HeadingPart>,
    /// The place of the part, if containers were requested.
    pub(crate) place: TextPlace,
}

/// A heading of the first three ranks, `h1` to `h3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeadingPart {
    /// Ordinal of the heading in the page, from 0: a heading may have several blocks.
    pub(crate) number: u32,
    /// The rank, 1 to 3.
    pub(crate) rank: u8,
}

/// The state of an outline around a document within the document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    floor: usize,
    in_link: bool,
}

/// Builder of the parts of a text.
pub(crate) struct Outline {
    parts: Vec<OutlinePart>,
    open: Vec<Name>,
    /// Number of open elements by a hash of their names, so that an end tag without an open element needs no search.
    counters: [u16; COUNTERS],
    /// The current heading, if it has one of the first three ranks: its index in `open`, and its ordinal and rank.
    ranked: Option<(usize, HeadingPart)>,
    /// The number of headings so far.
    headings: u32,
    /// Number of open elements around the current document, which its end tags do not close.
    floor: usize,
    containers: Option<Containers>,
    in_link: bool,
    begins_block: bool,
}

impl Outline {
    /// Returns the outline of an empty text; containers are tracked only on request.
    pub(crate) fn new(with_containers: bool) -> Self {
        Outline {
            parts: Vec::new(),
            open: Vec::new(),
            counters: [0; COUNTERS],
            ranked: None,
            headings: 0,
            floor: 0,
            containers: with_containers.then(Containers::default),
            in_link: false,
            begins_block: true,
        }
    }

    /// Records text that was appended.
    pub(crate) fn push(&mut self, sheet: &Sheet, is_title: bool) {
        let part = OutlinePart {
            end: sheet.size(),
            begins_block: std::mem::take(&mut self.begins_block),
            is_link: self.in_link,
            is_title,
            heading: self.ranked.map(|(_, heading)| heading).filter(|_| !is_title),
            place: self.containers.as_mut().map(Containers::place).unwrap_or_default(),
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

    /// Begins or ends a link. An anchor without an address is not a link, but ends the link before it.
    pub(crate) fn link(&mut self, begins: bool) {
        self.in_link = begins;
    }

    /// Opens an element that is not a formatting instruction.
    pub(crate) fn open(&mut self, name: Name, kind: &ElementProperties, attributes: &Attributes<'_>) {
        if kind.is_void {
            return;
        }
        if let Some(containers) = &mut self.containers {
            containers.begin(kind, attributes);
        }
        if kind.may_be_left_open || self.open.len() == DEPTH_MAX {
            return;
        }
        if kind.rank > 0 {
            // As in browsers, a heading ends a heading that was left open.
            let heading = HeadingPart { number: self.headings, rank: kind.rank };
            self.ranked = (kind.rank <= RANK_MAX).then_some((self.open.len(), heading));
            self.headings += 1;
        }
        if let Some(containers) = &mut self.containers {
            containers.open(Container::of(name, kind.role, attributes));
        }
        self.open.push(name);
        self.counters[counter(name)] += 1;
    }

    /// Opens a template, or another element around text of which a reader may see nothing.
    pub(crate) fn open_unseen(&mut self, name: Name, is_unseen: bool) {
        if self.open.len() < DEPTH_MAX {
            self.push_unseen(name, is_unseen);
        }
    }

    fn push_unseen(&mut self, name: Name, is_unseen: bool) {
        if let Some(containers) = &mut self.containers {
            containers.open(Container { is_unseen, ..Container::default() });
            containers.own = TextPlace::default();
        }
        self.open.push(name);
        self.counters[counter(name)] += 1;
    }

    /// Begins a document within the document. Returns what [`Outline::leave`] needs.
    pub(crate) fn enter(&mut self, is_unseen: bool) -> Around {
        let around = Around { floor: self.floor, in_link: std::mem::take(&mut self.in_link) };
        self.push_unseen(Name::IFRAME, is_unseen);
        self.floor = self.open.len();
        around
    }

    /// Ends a document within the document, with all elements that it left open.
    pub(crate) fn leave(&mut self, around: Around) {
        self.close_from(self.floor - 1);
        (self.floor, self.in_link) = (around.floor, around.in_link);
    }

    /// Closes an element that is not a formatting instruction.
    pub(crate) fn close(&mut self, name: Name, kind: &ElementProperties) {
        if kind.rank > 0 {
            // As in browsers, the end tag of any rank ends a heading.
            self.ranked = None;
        }
        if let Some(containers) = &mut self.containers {
            containers.own = TextPlace::default();
        }
        if self.counters[counter(name)] == 0 {
            return;
        }
        if let Some(index) = self.open[self.floor..].iter().rposition(|&open| open == name) {
            self.close_from(self.floor + index);
        }
    }

    /// Closes the open elements from an index on.
    fn close_from(&mut self, index: usize) {
        self.open.drain(index..).for_each(|open| self.counters[counter(open)] -= 1);
        self.ranked = self.ranked.filter(|&(ranked, _)| ranked < index);
        if let Some(containers) = &mut self.containers {
            containers.close(index);
        }
    }

    /// Returns whether containers are tracked.
    pub(crate) fn has_containers(&self) -> bool {
        self.containers.is_some()
    }

    /// Returns the parts, and the containers of their text, the page itself first and each after its parent.
    pub(crate) fn finish(self) -> (Vec<OutlinePart>, Vec<Container>) {
        (self.parts, self.containers.map(|containers| containers.all).unwrap_or_default())
    }
}

/// The containers of a text. Only elements that have text get a container, so tags without text take no memory.
struct Containers {
    all: Vec<Container>,
    /// The open elements, and the index of each that has text.
    open: Vec<(Container, Option<u32>)>,
    /// The element that begins the next block; its container is not set.
    own: TextPlace,
}

impl Default for Containers {
    fn default() -> Self {
        Self { all: vec![Container::default()], open: Vec::new(), own: TextPlace::default() }
    }
}

impl Containers {
    /// Notes the element that begins a block.
    fn begin(&mut self, kind: &ElementProperties, attributes: &Attributes<'_>) {
        let hints = if kind.may_be_left_open { attributes.hints() } else { Default::default() };
        self.own = TextPlace { container: 0, own: Own::of(kind), hints };
    }

    fn open(&mut self, container: Container) {
        self.open.push((container, None));
    }

    fn close(&mut self, index: usize) {
        self.open.truncate(index);
    }

    /// Returns the place of text at this point.
    fn place(&mut self) -> TextPlace {
        let first = self.open.iter().rposition(|(_, index)| index.is_some()).map_or(0, |last| last + 1);
        let mut parent = first.checked_sub(1).and_then(|last| self.open[last].1).unwrap_or(0);
        for (container, index) in &mut self.open[first..] {
            let next = self.all.len() as u32;
            self.all.push(Container { parent, ..*container });
            (*index, parent) = (Some(next), next);
        }
        TextPlace { container: parent, ..self.own }
    }
}

fn counter(name: Name) -> usize {
    (name.hash() >> 56) as usize
}
