//! Which pages become revisit records, and of what.

use crate::removed::Place;
use std::collections::{HashMap, HashSet, hash_map};
use std::rc::Rc;

use super::earlier::{Aged, Asked, At, Digest, Earlier};
use super::payload::{Page, Payload, ReferredRecord, Sources};

/// Most pages elsewhere that are read of those with one text, the oldest.
const READ_MAX: usize = 100;

/// A page of an input: the number of the input, and the offset of the record.
pub(super) type Here = (usize, u64);

/// What a page becomes a revisit of.
#[derive(Clone, Debug)]
pub(super) struct Revisit {
    pub(super) origin: Rc<ReferredRecord>,
    /// Whether the payloads are identical; else they are near-duplicates.
    pub(super) is_identical: bool,
}

/// The decisions about all pages of the inputs.
#[derive(Default)]
pub(super) struct Decided {
    pub(super) revisits: HashMap<Here, Revisit>,
    /// Number of earlier pages that cannot be read from their archives.
    pub(super) unreadable: u64,
}

/// Returns the pages of the inputs whose payloads are to be known.
pub(super) fn wanted(earlier: &Earlier) -> HashSet<Here> {
    let has_equals = |asked: &Asked| asked.digest.is_some_and(|digest| earlier.same[&digest].are_several());
    let mut wanted = HashSet::new();
    for asked in &earlier.asked {
        if has_equals(asked) || !asked.near.is_empty() {
            wanted.extend([asked.page].iter().chain(&asked.near).filter_map(here));
        }
    }
    wanted
}

fn here(page: &Aged) -> Option<Here> {
    if let At::Input(input, offset) = page.at { Some((input, offset)) } else { None }
}

/// Decides about each page of the inputs, the oldest first, so that none refers to one that becomes a revisit itself.
pub(super) fn decide(earlier: Earlier, pages: &HashMap<Here, Page>, sources: &Sources) -> Decided {
    let Earlier { asked, same } = earlier;
    let mut texts: HashMap<Digest, Text> =
        same.into_iter().map(|(digest, same)| (digest, Text::of(same.elsewhere))).collect();
    // A page elsewhere may be a copy of one of the inputs, which decides about both.
    let captures = pages.values().map(|page| page.origin.capture()).collect();
    let mut elsewhere = Elsewhere { sources, captures, read: HashMap::new(), unreadable: 0 };
    let mut revisits: HashMap<Here, Revisit> = HashMap::new();
    for Asked { page, digest, near } in asked {
        let Some((here, found)) = here(&page).and_then(|here| Some((here, pages.get(&here)?))) else { continue };
        // The same capture may be in two inputs.
        let own = &found.origin;
        let is_other = |origin: &Rc<ReferredRecord>| origin.capture() != own.capture();
        let mut text = digest.and_then(|digest| texts.get_mut(&digest));
        let identical = text.as_mut().and_then(|text| text.first(page, found.payload, &mut elsewhere)).filter(is_other);
        let is_identical = identical.is_some();
        let origin = identical.or_else(|| {
            near.iter().find_map(|other| {
                match other.at {
                    At::Input(input, offset) if revisits.contains_key(&(input, offset)) => None,
                    At::Input(input, offset) => pages.get(&(input, offset)).map(|page| Rc::clone(&page.origin)),
                    At::Elsewhere(place) => elsewhere.page(place, other.date).map(|page| Rc::clone(&page.origin)),
                }
                .filter(is_other)
            })
        });
        match (origin, text) {
            (Some(origin), _) => drop(revisits.insert(here, Revisit { origin, is_identical })),
            (None, Some(text)) => drop(text.firsts.entry(found.payload).or_insert_with(|| Rc::clone(own))),
            (None, None) => {}
        }
    }
    Decided { revisits, unreadable: elsewhere.unreadable }
}

/// The pages with one text.
struct Text {
    /// Those elsewhere that have not been read, the oldest last.
    unread: Vec<Aged>,
    /// The first page with each payload.
    firsts: HashMap<Payload, Rc<ReferredRecord>>,
}

impl Text {
    fn of(mut elsewhere: Vec<Aged>) -> Self {
        elsewhere.truncate(READ_MAX);
        elsewhere.reverse();
        Self { unread: elsewhere, firsts: HashMap::new() }
    }

    /// Returns the first page with this payload before a page.
    fn first(&mut self, before: Aged, payload: Payload, elsewhere: &mut Elsewhere<'_>) -> Option<Rc<ReferredRecord>> {
        while let Some(older) = self.unread.pop_if(|older| *older < before) {
            if let At::Elsewhere(place) = older.at
                && let Some(page) = elsewhere.page(place, older.date)
            {
                self.firsts.entry(page.payload).or_insert_with(|| Rc::clone(&page.origin));
            }
        }
        self.firsts.get(&payload).cloned()
    }
}

/// Earlier pages in archives that are no inputs, each read once.
struct Elsewhere<'a> {
    sources: &'a Sources,
    /// Addresses and dates of the pages of the inputs.
    captures: HashSet<(&'a str, &'a str)>,
    read: HashMap<Place, Option<Page>>,
    unreadable: u64,
}

impl Elsewhere<'_> {
    fn page(&mut self, place: Place, date: i64) -> Option<&Page> {
        let page = match self.read.entry(place) {
            hash_map::Entry::Occupied(known) => known.into_mut(),
            hash_map::Entry::Vacant(unknown) => {
                let page = self.sources.read(place, date);
                self.unreadable += u64::from(page.is_err());
                let is_copy = |page: &Page| self.captures.contains(&page.origin.capture());
                unknown.insert(page.unwrap_or_default().filter(|page| !is_copy(page)))
            }
        };
        page.as_ref()
    }
}
