//! The documents that a new document is judged against: those that share a key with it, or whose fingerprint is
//! near. They are the committed ones of one state and, for a writer, the staged ones on top.

use nddb_format::Fingerprint;
use nddb_format::record::{digest_key, megashingle_key, piece_key};

use super::probe::{Match, Work};
use super::view::{Stored, View, Within};
use crate::Result;
use crate::store::catalog::{Family, KeyCursor};

/// Most rows of one key that are skipped because their documents are deleted or hidden; the rest counts as unread.
const PASSED_MAX: usize = 1 << 16;

/// A key of the catalog by which documents are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    /// The digest of a token sequence.
    Digest([u8; 16]),
    /// A megashingle.
    Megashingle(u64),
    /// Index and bytes of a piece of the projection.
    Piece(u8, [u8; 4]),
}

impl Key {
    pub(crate) fn family(&self) -> Family {
        match self {
            Self::Digest(_) => Family::Digests,
            Self::Megashingle(_) => Family::Megashingles,
            Self::Piece(..) => Family::Pieces,
        }
    }

    /// Returns the prefix of its keys in the catalog, before the number.
    pub(crate) fn prefix(&self) -> Vec<u8> {
        let mut key = match *self {
            Self::Digest(digest) => digest_key(&digest, 0),
            Self::Megashingle(hash) => megashingle_key(hash, 0),
            Self::Piece(index, bytes) => piece_key(index, bytes, 0),
        };
        key.truncate(key.len() - size_of::<u64>());
        key
    }
}

/// The documents that share a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sharing {
    /// Their numbers, ascending.
    pub(crate) numbers: Vec<u64>,
    /// Number of keys with more documents than requested: only their oldest are included.
    pub(crate) cut: usize,
}

/// The documents near a fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Near {
    /// The least by (distance, number).
    pub(crate) matches: Vec<Match>,
    /// Number of further documents; some of them may be deleted by staged changes.
    pub(crate) more: u64,
}

/// The staged changes of a writer.
pub(crate) trait Staging {
    /// Returns the numbers of the staged documents with this key, ascending; some may be abandoned.
    fn sharing(&self, key: &Key) -> &[u64];

    /// Appends the staged documents within `within` bits, of each fingerprint the `most` oldest. Returns the number
    /// left out, abandoned ones included.
    fn near(&self, fingerprint: Fingerprint, within: Within, most: usize, matches: &mut Vec<Match>) -> u64;

    /// Returns whether a number is that of a staged document that will be written.
    fn keeps(&self, number: u64) -> bool;

    /// Returns whether a committed document will be deleted.
    fn deletes(&self, number: u64) -> bool;

    /// Returns the number of committed documents that will be deleted.
    fn deleted_len(&self) -> usize;

    /// Returns the staged document of a number.
    fn stored(&self, number: u64) -> Option<Stored>;
}

/// The documents of one state, and those staged on top.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    view: View<'a>,
    group: Option<&'a dyn Staging>,
}

impl<'a> Scope<'a> {
    /// Returns the scope of the committed documents only.
    pub(crate) fn of(view: View<'a>) -> Self {
        Self { view, group: None }
    }

    /// Returns the scope of the committed and staged documents.
    pub(crate) fn with_group(view: View<'a>, group: &'a dyn Staging) -> Self {
        Self { view, group: Some(group) }
    }

    pub(crate) fn view(&self) -> View<'a> {
        self.view
    }

    /// Finds the documents that share one of these keys, of each key the `most` oldest. A key of a million
    /// documents costs no more; neither does one whose documents are nearly all deleted.
    pub(crate) fn sharing(&self, keys: &mut [Key], most: usize) -> Result<Sharing> {
        keys.sort_unstable();
        let mut sharing = Sharing::default();
        let mut cursor: Option<(Family, KeyCursor<'_>)> = None;
        for key in keys.iter() {
            let family = key.family();
            if cursor.as_ref().is_none_or(|(open, _)| *open != family) {
                cursor = Some((family, self.view.catalog.keys(family)));
            }
            let Some((_, rows)) = &mut cursor else { continue };
            let start = sharing.numbers.len();
            let (mut passed, mut cut) = (0, false);
            let numbers = &mut sharing.numbers;
            rows.numbers(&key.prefix(), &mut |number| {
                if !self.is_live(number) {
                    passed += 1;
                    cut = passed > PASSED_MAX;
                } else if numbers.len() - start == most {
                    cut = true;
                } else {
                    numbers.push(number);
                }
                !cut
            })?;
            // Staged documents are younger than all committed ones.
            let staged = self.group.map_or(&[][..], |group| group.sharing(key));
            for &number in staged.iter().filter(|&&number| self.is_staged(number)) {
                if cut || numbers.len() - start == most {
                    cut = true;
                    break;
                }
                numbers.push(number);
            }
            sharing.cut += usize::from(cut);
        }
        sharing.numbers.sort_unstable();
        sharing.numbers.dedup();
        Ok(sharing)
    }

    /// Finds the documents within `within` bits, the `most` nearest and oldest.
    pub(crate) fn near(&self, fingerprint: Fingerprint, within: Within, most: usize) -> Result<Near> {
        let limit = most.saturating_add(self.group.map_or(0, |group| group.deleted_len()));
        let probed = self.view.probe(&[fingerprint], within, Some(limit), &mut Work::default())?;
        let Some(probed) = probed.into_iter().next() else { return Ok(Near::default()) };
        let mut more = probed.count - probed.matches.len() as u64;
        let mut matches = probed.matches;
        if let Some(group) = self.group {
            matches.retain(|found| !group.deletes(found.number));
            more += group.near(fingerprint, within, most, &mut matches);
            matches.sort_unstable_by_key(|found| (found.distance, found.number));
        }
        more += matches.len().saturating_sub(most) as u64;
        matches.truncate(most);
        Ok(Near { matches, more })
    }

    /// Returns the document of a number that one of these found.
    pub(crate) fn stored(&self, number: u64) -> Result<Option<Stored>> {
        match self.group.and_then(|group| group.stored(number)) {
            Some(stored) => Ok(Some(stored)),
            None => self.view.stored(number),
        }
    }

    /// Returns whether a committed document is visible.
    fn is_live(&self, number: u64) -> bool {
        let snapshot = self.view.snapshot;
        number < snapshot.seen && snapshot.is_live(number) && !self.group.is_some_and(|group| group.deletes(number))
    }

    /// Returns whether a staged document is visible.
    fn is_staged(&self, number: u64) -> bool {
        self.group.is_some_and(|group| group.keeps(number))
    }
}
