//! The latest documents that a load has made: pages of equal bytes share the work.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nddb_format::record::Record;
use nddb_index::{Document, Result};

/// Bytes of the documents of a generation: the last two are kept.
const GENERATION: usize = 4 << 20;

/// Bytes of a document besides its texts, about.
const DOCUMENT: usize = size_of::<Document>() + 512;

/// Returns the bytes of memory that a document takes, about.
pub(super) fn bytes_of(document: &Document) -> usize {
    let (words, parts) = (&document.record().words, &document.record().parts);
    let parts = parts.as_deref().map_or(0, |parts| size_of_val(&*parts.selected));
    DOCUMENT + words.as_ref().map_or(0, String::len) + parts
}

/// The latest documents, by the digests of their pages. What is found depends on the threads; what is made of a page
/// does not.
#[derive(Default)]
pub(super) struct Latest(Mutex<Generations>);

#[derive(Default)]
struct Generations {
    young: HashMap<[u8; 16], Document>,
    old: HashMap<[u8; 16], Document>,
    /// Bytes of the young ones.
    bytes: usize,
}

impl Latest {
    fn generations(&self) -> MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what was made of a page of this digest and address, as the document with this id.
    pub(super) fn document(&self, id: &str, url: Option<&str>, digest: &[u8; 16]) -> Option<Result<Document>> {
        let generations = self.generations();
        let made = generations.young.get(digest).or_else(|| generations.old.get(digest))?;
        // The address is a part of some sketches.
        let is_same = made.record().url.as_deref() == url;
        is_same.then(|| Document::sketched(made.fingerprint(), Record { id: id.into(), ..made.record().clone() }))
    }

    /// Keeps what was made of a page of this digest, without a date and a place.
    pub(super) fn keep(&self, digest: [u8; 16], document: &Document) {
        let size = bytes_of(document);
        if size > GENERATION / 8 {
            return;
        }
        let document = document.clone();
        let mut generations = self.generations();
        generations.bytes += size;
        if generations.bytes > GENERATION {
            generations.old = std::mem::take(&mut generations.young);
            generations.bytes = size;
        }
        generations.young.insert(digest, document);
    }
}
