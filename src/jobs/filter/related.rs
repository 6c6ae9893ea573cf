//! Records that belong to a page: a request, or metadata, goes where its page goes.
//!
//! Most writers say of a request or of metadata to which page it belongs (WARC-Concurrent-To, or WARC-Refers-To);
//! others say of the page to which request it belongs, which stands before it. So a request that names no page waits
//! for the next page. Records whose page is not decided yet wait for it, too: of several pages of one id only the one
//! that was judged is removed.

use std::collections::VecDeque;

use nddb_archive::{Entry, EntryContent, IdFrom, Links, Options, OtherKind, Position};

use super::remove_list::Fate;
use super::selection::{FilterCounts, Selection};

/// Most records that wait for a page.
const WAITING_MAX: usize = 64;

/// Records whose bytes have not been passed on, in order.
#[derive(Default)]
pub(super) struct Waiting(VecDeque<Record>);

/// A record.
struct Record {
    /// Offset of its first byte.
    begin: u64,
    /// Whether it is removed, if that is known.
    is_removed: Option<bool>,
    /// What it waits for.
    awaits: Awaits,
}

/// A record that is decided about.
pub(super) struct Decided {
    /// Where it ends.
    pub(super) end: u64,
    pub(super) is_removed: bool,
}

/// What a record waits for.
enum Awaits {
    Nothing,
    /// The page that follows, which may name this request by its id.
    Naming(String),
    /// A page with one of these ids, of which some are on the list.
    Page(Vec<String>),
}

impl Waiting {
    /// Decides about a record at this position, as the library tells it of the file, and counts it.
    pub(super) fn push(
        &mut self,
        entry: &Entry,
        position: Option<Position>,
        links: Links,
        options: &Options,
        selection: &mut Selection,
        counts: &mut FilterCounts,
    ) {
        counts.records += 1;
        let (mut is_removed, mut awaits) = (Some(false), Awaits::Nothing);
        match &entry.content {
            EntryContent::Page(page) => {
                let fate = selection.decide(Some(&page.id), position);
                counts.add(fate);
                is_removed = Some(fate == Fate::Removed);
                self.settle_with(&page.id, &links, fate == Fate::Removed, counts);
            }
            EntryContent::Other(OtherKind::Request | OtherKind::Metadata) => {
                let named: Vec<String> = match options.id_from {
                    IdFrom::Url => links.url.clone().into_iter().collect(),
                    _ => links.of.clone(),
                };
                let named: Vec<String> = named.into_iter().map(|id| format!("{}{id}", options.id_prefix)).collect();
                let is_request = matches!(entry.content, EntryContent::Other(OtherKind::Request));
                match links.id {
                    Some(id) if is_request && options.id_from == IdFrom::Record && named.is_empty() => {
                        (is_removed, awaits) = (None, Awaits::Naming(id));
                    }
                    _ if selection.counts => {}
                    _ => {
                        let fates = || named.iter().map(|id| selection.list.takes_related(id));
                        is_removed = match (fates().any(|fate| fate == Some(true)), fates().any(|fate| fate.is_none()))
                        {
                            (true, _) => Some(true),
                            (false, true) => None,
                            (false, false) => Some(false),
                        };
                        awaits = if is_removed.is_none() { Awaits::Page(named) } else { Awaits::Nothing };
                    }
                }
                counts.related += u64::from(is_removed == Some(true));
            }
            EntryContent::Skipped { .. } => counts.without_id += 1,
            _ => {}
        }
        self.0.push_back(Record { begin: entry.position.offset, is_removed, awaits });
        if self.0.len() > WAITING_MAX
            && let Some(first) = self.0.front_mut()
        {
            first.settle(counts);
        }
    }

    /// Decides about the records that waited for this page.
    fn settle_with(&mut self, id: &str, links: &Links, is_removed: bool, counts: &mut FilterCounts) {
        for record in self.0.iter_mut().filter(|record| record.is_removed.is_none()) {
            let is_named = match &record.awaits {
                Awaits::Naming(request) => links.of.contains(request),
                Awaits::Page(ids) if ids.iter().any(|of| of == id) => true,
                _ => continue,
            };
            record.is_removed = Some(is_named && is_removed);
            counts.related += u64::from(is_named && is_removed);
        }
    }

    /// Has no record wait any longer.
    pub(super) fn settle(&mut self, counts: &mut FilterCounts) {
        self.0.iter_mut().for_each(|record| record.settle(counts));
    }

    /// Takes the first record that nothing is to be waited for. The last one ends at `end`.
    pub(super) fn next(&mut self, end: u64) -> Option<Decided> {
        let is_removed = self.0.front()?.is_removed?;
        self.0.pop_front();
        Some(Decided { end: self.0.front().map_or(end, |next| next.begin), is_removed })
    }
}

impl Record {
    /// Ends its waiting. The page that it names is on the list and in another file: it goes with it.
    fn settle(&mut self, counts: &mut FilterCounts) {
        if self.is_removed.is_none() {
            let is_removed = matches!(self.awaits, Awaits::Page(_));
            self.is_removed = Some(is_removed);
            counts.related += u64::from(is_removed);
        }
    }
}
