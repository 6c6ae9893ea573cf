//! Records that belong to a page: a request, or metadata, goes where its page goes.
//!
//! Most writers say of a request or of metadata to which page it belongs (WARC-Concurrent-To, or WARC-Refers-To);
//! others say of the page to which request it belongs, which stands before it. So a request that names no page waits
//! for the next page.

use std::collections::VecDeque;

use nddb::archive::{Entry, EntryContent, IdFrom, Links, OtherKind};

use super::selection::{Counts, Selection};

/// Most records that wait for a page; of more, the first ones are kept.
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
    /// The id of a request that waits for its page.
    request: Option<String>,
}

impl Waiting {
    /// Decides about a record, and counts it.
    pub(super) fn push(
        &mut self,
        entry: &Entry,
        links: Links,
        from: IdFrom,
        selection: &mut Selection,
        counts: &mut Counts,
    ) {
        counts.records += 1;
        let mut record = Record { begin: entry.position.offset, is_removed: Some(false), request: None };
        match &entry.content {
            EntryContent::Page(page) => {
                let is_removed = selection.takes(&page.id);
                counts.add(is_removed);
                record.is_removed = Some(is_removed);
                for request in self.0.iter_mut().filter(|waiting| waiting.is_removed.is_none()) {
                    let is_named = request.request.as_ref().is_some_and(|id| links.of.contains(id));
                    request.is_removed = Some(is_named && is_removed);
                    counts.related += u64::from(is_named && is_removed);
                }
            }
            EntryContent::Other(OtherKind::Request | OtherKind::Metadata) => {
                let is_removed = match from {
                    IdFrom::Url => links.url.iter().any(|url| selection.has(url)),
                    IdFrom::Record => links.of.iter().any(|page| selection.has(page)),
                };
                counts.related += u64::from(is_removed);
                record.is_removed = Some(is_removed);
                let is_request = matches!(entry.content, EntryContent::Other(OtherKind::Request));
                if is_request && from == IdFrom::Record && links.of.is_empty() && links.id.is_some() {
                    (record.is_removed, record.request) = (None, links.id);
                }
            }
            EntryContent::Skipped { .. } => counts.without_id += 1,
            _ => {}
        }
        self.0.push_back(record);
        if self.0.len() > WAITING_MAX
            && let Some(first) = self.0.front_mut()
        {
            first.is_removed.get_or_insert(false);
        }
    }

    /// Has no record wait any longer.
    pub(super) fn settle(&mut self) {
        self.0.iter_mut().for_each(|record| _ = record.is_removed.get_or_insert(false));
    }

    /// Takes the first record that nothing is to be waited for: where it ends, and whether it is removed. The last one
    /// ends at `end`.
    pub(super) fn next(&mut self, end: u64) -> Option<(u64, bool)> {
        let is_removed = self.0.front()?.is_removed?;
        self.0.pop_front();
        Some((self.0.front().map_or(end, |next| next.begin), is_removed))
    }
}
