//! Files of a single document: a page of HTML, or plain text.

use std::io;

use nddb_page::text::PageKind;

use super::fingerprints::is_line;
use super::{InputFormat, Layout, Opened, text_start};
use crate::entries::{EntryReader, Records};
use crate::entry::{Entry, EntryContent, OtherKind, PageEntry, Reason, ResumePoint, is_text_id};
use crate::ids::Ids;
use crate::names::text_of;
use crate::options::{IdFrom, Options};
use crate::sniff;
use crate::stream::{Fill, Stream};

pub(super) const FORMAT: InputFormat = InputFormat {
    name: "html",
    endings: &["html", "htm", "xhtml", "txt", "text"],
    looks_like: |head| sniff::looks_like_html(text_start(head)) && !is_line(head),
    layout: Layout::Document,
    read_as: |_, _| None,
    open: |stream, file| {
        let document = file.document.filter(|_| file.options.id_from != IdFrom::Path);
        let id = document.map_or_else(|| text_of(file.path), str::to_owned);
        let entries = Box::new(Records::new(stream, Document::new(id)));
        Ok(Opened { entries, ids: Ids::made(file.options) })
    },
};

/// Reader of a file of one document.
struct Document {
    id: String,
    kind: PageKind,
    done: bool,
}

impl Document {
    /// Returns the reader; `id` is the document's id, its path.
    fn new(id: String) -> Document {
        let name = id.to_ascii_lowercase();
        let name =
            [".gz", ".zst", ".bz2", ".xz", ".lz4"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        let text = name.ends_with(".txt") || name.ends_with(".text");
        Document { id, kind: if text { PageKind::Text } else { PageKind::Html }, done: false }
    }
}

impl EntryReader for Document {
    fn resume(&mut self) {
        self.done = true;
    }

    fn next(&mut self, stream: &mut Stream, options: &Options) -> io::Result<Option<Entry>> {
        if self.done {
            return Ok(None);
        }
        self.done = true;
        let limit = options.limits.record;
        let fill = loop {
            if stream.window().len() > limit {
                break Fill::Full;
            }
            let fill = stream.fill()?;
            if fill != Fill::More {
                break fill;
            }
        };
        let point = ResumePoint::default();
        let held = stream.window().len().min(limit);
        if let Some(tear) = stream.tear()
            && (held == 0 || tear.reason == Reason::DamagedMember)
        {
            let content = tear.content();
            return Ok(Some(Entry { position: stream.position_since(point, held as u64), content }));
        }
        let body = &stream.window()[..held];
        let is_cut = stream.window().len() > held;
        let content = if sniff::is_binary(body, self.kind) {
            EntryContent::Other(OtherKind::Binary)
        } else if is_text_id(&self.id) {
            EntryContent::Page(PageEntry {
                id: self.id.clone(),
                url: None,
                date: None,
                unread_date: None,
                kind: self.kind,
                charset: None,
                body: body.to_vec(),
                truncated: is_cut || fill != Fill::End,
                is_cut,
            })
        } else {
            EntryContent::bad_id(&self.id)
        };
        let position = stream.position_since(point, held as u64);
        stream.consume(stream.window().len());
        Ok(Some(Entry { position, content }))
    }
}
