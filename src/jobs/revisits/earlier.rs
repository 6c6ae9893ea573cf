//! What the database says of the pages of the inputs: which stored pages have the same text, and which are near.

use std::collections::HashMap;

use crate::removed::Place;
use nddb_dedup::OnlineDetector;
use nddb_dedup::in_order;
use nddb_index::{Stored, View};

use crate::error::Result;

/// Pages that one thread looks up at a time.
const PIECE: usize = 64;
/// Pages that wait to be looked up.
const HELD: usize = 4096;
/// Most stored documents that are compared for each key of a page, the oldest.
const GROUP_LIMIT: usize = 100;

/// A digest of the words of a page.
pub(super) type Digest = [u8; 16];

/// Where a page is. Of two pages of one second, those of other archives are the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum At {
    /// In an archive that is no input.
    Elsewhere(Place),
    /// In an input, by its number and the offset of its record.
    Input(usize, u64),
}

/// A page in the order of age: by date, then by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Aged {
    pub(super) date: i64,
    pub(super) at: At,
}

/// A page of an input.
pub(super) struct Asked {
    pub(super) page: Aged,
    pub(super) digest: Option<Digest>,
    /// Earlier pages that are near-duplicates of it, the oldest first.
    pub(super) near: Vec<Aged>,
}

/// The pages with one text.
#[derive(Default)]
pub(super) struct Same {
    /// Those elsewhere, the oldest first.
    pub(super) elsewhere: Vec<Aged>,
    /// Number of those in the inputs.
    pub(super) here: u64,
}

impl Same {
    /// Whether there is a pair to be compared.
    pub(super) fn are_several(&self) -> bool {
        self.here > 1 || self.here == 1 && !self.elsewhere.is_empty()
    }
}

/// What the database knows.
#[derive(Default)]
pub(super) struct Earlier {
    /// The pages of the inputs, the oldest first.
    pub(super) asked: Vec<Asked>,
    /// The pages with each text that a page of the inputs has.
    pub(super) same: HashMap<Digest, Same>,
}

impl Earlier {
    /// Reads all records of the database twice. `inputs` has the number of the input that an archive is; `near` looks
    /// up near-duplicates, if these are wanted, on this number of threads. `tick` is called now and then.
    pub(super) fn read(
        view: View<'_>,
        inputs: &HashMap<u32, usize>,
        near: Option<(&OnlineDetector, usize)>,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Self> {
        let mut earlier = Self::default();
        let mut held = Vec::new();
        each(view, tick, &mut |stored| {
            if let Some(page @ Aged { at: At::Input(..), .. }) = aged(&stored, inputs) {
                if let Some(digest) = stored.record.digest {
                    earlier.same.entry(digest).or_default().here += 1;
                }
                held.push((page, stored));
            }
            if held.len() == HELD { earlier.ask(std::mem::take(&mut held), view, inputs, near) } else { Ok(()) }
        })?;
        earlier.ask(held, view, inputs, near)?;
        // An input may have been loaded twice, by other options.
        earlier.asked.sort_by_key(|asked| asked.page);
        earlier.asked.dedup_by_key(|asked| asked.page.at);
        each(view, tick, &mut |stored| {
            if let Some(page @ Aged { at: At::Elsewhere(_), .. }) = aged(&stored, inputs)
                && let Some(same) = stored.record.digest.and_then(|digest| earlier.same.get_mut(&digest))
            {
                same.elsewhere.push(page);
            }
            Ok(())
        })?;
        earlier.same.values_mut().for_each(|same| same.elsewhere.sort_unstable());
        Ok(earlier)
    }

    /// Adds pages of the inputs, with what is near to each.
    fn ask(
        &mut self,
        held: Vec<(Aged, Stored)>,
        view: View<'_>,
        inputs: &HashMap<u32, usize>,
        near: Option<(&OnlineDetector, usize)>,
    ) -> Result<()> {
        let asked = |page: &Aged, stored: &Stored, near| Asked { page: *page, digest: stored.record.digest, near };
        let Some((online, threads)) = near else {
            self.asked.extend(held.iter().map(|(page, stored)| asked(page, stored, Vec::new())));
            return Ok(());
        };
        let mut pieces = held.chunks(PIECE);
        let look_up = |piece: &[(Aged, Stored)]| {
            let each = piece
                .iter()
                .map(|(page, stored)| Ok(asked(page, stored, near_before(*page, stored, online, view, inputs)?)));
            each.collect::<Result<Vec<_>>>()
        };
        in_order(
            threads,
            || pieces.next(),
            look_up,
            |piece| {
                self.asked.extend(piece?);
                Ok(())
            },
        )
    }
}

/// Returns the near-duplicates that are older than a page, the oldest first.
fn near_before(
    page: Aged,
    stored: &Stored,
    online: &OnlineDetector,
    view: View<'_>,
    inputs: &HashMap<u32, usize>,
) -> Result<Vec<Aged>> {
    let found = match online.ask_stored(view, stored, None) {
        Ok(found) => found,
        // It has no sketch to be compared.
        Err(nddb_index::Error::Method { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut near = Vec::new();
    for found in &found.matches {
        let other = view.get(&found.id)?.and_then(|other| aged(&other, inputs));
        near.extend(other.filter(|other| *other < page));
    }
    near.sort_unstable();
    Ok(near)
}

/// Returns the detector of near-duplicates: the default verdict, which compares the oldest documents of each key.
pub(super) fn detector(view: View<'_>) -> Result<OnlineDetector> {
    let online = OnlineDetector { group_limit: GROUP_LIMIT, ..OnlineDetector::usual(view) };
    online.check(view)?;
    Ok(online)
}

/// Visits all stored documents.
fn each(
    view: View<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
    visit: &mut dyn FnMut(Stored) -> Result<()>,
) -> Result<()> {
    let (mut failed, mut seen) = (None, 0_u64);
    view.each(&mut |stored| {
        seen += 1;
        let outcome = visit(stored).and_then(|()| if seen.is_multiple_of(1 << 12) { tick() } else { Ok(()) });
        failed = outcome.err();
        Ok(failed.is_none())
    })?;
    failed.map_or(Ok(()), Err)
}

/// Returns the age and place of a stored page; `None` if it has no date or came from no archive.
fn aged(stored: &Stored, inputs: &HashMap<u32, usize>) -> Option<Aged> {
    let (date, place) = (stored.record.date?, Place::of_record(&stored.record)?);
    let at = match inputs.get(&place.archive) {
        Some(&input) => At::Input(input, place.offset),
        None => At::Elsewhere(place),
    };
    Some(Aged { date, at })
}
