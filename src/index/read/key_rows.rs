//! The rows of keys in the catalog, which belong to documents without a print, and to all documents that version 1
//! wrote. Look-ups in a column family without rows are skipped. When look-ups have cost as much as reading all keys
//! that have rows, these keys are read, and from then on look-ups of other keys are skipped, too. Otherwise a few
//! one-word pages would make all verdicts slow.

use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use crate::Result;
use crate::catalog::{Catalog, DocumentKeys, Family, Key};

/// Number of rows that can be read in the time of one look-up.
const ROWS_A_LOOK_UP: usize = 8;
/// Number of look-ups before rows are first read.
const LOOK_UPS_MIN: usize = 16;
/// Maximum number of rows that are read: their keys take 2 MB of memory.
const ROWS_MAX: usize = 1 << 17;

/// The rows of keys of a state.
#[derive(Debug, Default)]
pub(crate) struct KeyRows {
    megashingles: FamilyRows,
    pieces: FamilyRows,
    digests: FamilyRows,
}

/// The rows of one family.
#[derive(Debug, Default)]
struct FamilyRows {
    /// There may be rows.
    any: bool,
    look_ups: AtomicUsize,
    /// Hashes of the keys that may have rows, once they have been read.
    keys: OnceLock<HashSet<u64>>,
}

impl FamilyRows {
    fn read(catalog: &Catalog, family: Family) -> Result<Self> {
        Ok(Self { any: catalog.has_rows(family)?, ..Self::default() })
    }

    fn add(&mut self, key: &Key) {
        self.any = true;
        if let Some(keys) = self.keys.get_mut() {
            keys.insert(xxh3_64(&key.prefix()));
        }
    }

    fn may_have(&self, key: &Key, catalog: &Catalog) -> bool {
        if !self.any {
            return false;
        }
        let mut keys = self.keys.get();
        if keys.is_none() {
            let look_ups = self.look_ups.fetch_add(1, Ordering::Relaxed) + 1;
            // Each attempt reads twice as much as the one before.
            if look_ups.is_power_of_two() && (LOOK_UPS_MIN..=ROWS_MAX / ROWS_A_LOOK_UP).contains(&look_ups) {
                keys = keys_of(catalog, key.family(), ROWS_A_LOOK_UP * look_ups)
                    .map(|read| self.keys.get_or_init(|| read));
            }
        }
        keys.is_none_or(|keys| keys.contains(&xxh3_64(&key.prefix())))
    }
}

/// Returns the hashes of the keys of all rows of a family; `None` if there are more rows than `most`, or if some rows
/// cannot be read. The look-ups that need these rows then return the error.
fn keys_of(catalog: &Catalog, family: Family, most: usize) -> Option<HashSet<u64>> {
    let (mut keys, mut rows) = (HashSet::new(), 0);
    let read = catalog.all_keys(family, &mut |prefix, _| {
        keys.insert(xxh3_64(prefix));
        rows += 1;
        Ok(rows <= most)
    });
    (read.is_ok() && rows <= most).then_some(keys)
}

impl KeyRows {
    /// Reads whether there are rows.
    pub(crate) fn read(catalog: &Catalog) -> Result<Self> {
        Ok(Self {
            megashingles: FamilyRows::read(catalog, Family::Megashingles)?,
            pieces: FamilyRows::read(catalog, Family::Pieces)?,
            digests: FamilyRows::read(catalog, Family::Digests)?,
        })
    }

    /// Notes rows that have been written since.
    pub(crate) fn add(&mut self, keys: &DocumentKeys) {
        keys.megashingles.iter().for_each(|&hash| self.megashingles.add(&Key::Megashingle(hash)));
        (0..).zip(&keys.pieces).for_each(|(index, &piece)| self.pieces.add(&Key::Piece(index, piece)));
        keys.digest.into_iter().for_each(|digest| self.digests.add(&Key::Digest(digest)));
    }

    /// Returns whether a key may have rows; the catalog is that of the state, or of a later one.
    pub(crate) fn may_have(&self, key: &Key, catalog: &Catalog) -> bool {
        let rows = match key.family() {
            Family::Megashingles => &self.megashingles,
            Family::Pieces => &self.pieces,
            _ => &self.digests,
        };
        rows.may_have(key, catalog)
    }
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128};

    use nddb_format::Fingerprint;
    use nddb_format::document_keys::KeyKinds;
    use nddb_format::record::Record;

    use super::*;
    use crate::{Config, Document, Writer};

    const KINDS: KeyKinds = KeyKinds { megashingles: true, pieces: false, bands: false, parts: false };

    fn page(id: &str, text: &str) -> Document {
        let hash = |seed: u64| xxh3_64_with_seed(text.as_bytes(), seed);
        let record = Record {
            id: id.into(),
            tokens: Some(text.split(' ').count() as u64),
            digest: Some(xxh3_128(text.as_bytes()).to_be_bytes()),
            supershingles: Some(std::array::from_fn(|index| hash(index as u64))),
            ..Record::default()
        };
        Document::sketched(Fingerprint(hash(6)), record).expect("an id")
    }

    fn keys(document: &Document) -> Vec<Key> {
        let DocumentKeys { megashingles, pieces, digest } = document.keys(KINDS);
        assert!(pieces.is_empty());
        megashingles.into_iter().map(Key::Megashingle).chain(digest.map(Key::Digest)).collect()
    }

    #[test]
    fn keys_without_rows_are_told_after_some_look_ups() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("db");
        let mut writer = Writer::create(&path, &Config::within(3).expect("k").recipe("web/1")).expect("a database");
        let words = ["forbidden", "gone", "moved"].map(|word| page(word, word));
        let (other, later) = (keys(&page("other", "many words and more of them")), page("later", "found"));
        writer.insert(page("first", "many words and more of them still")).expect("taken");
        writer.commit().expect("durable");
        assert!(
            !other.iter().any(|key| KeyRows::read(writer.catalog()).expect("read").may_have(key, writer.catalog()))
        );
        words.iter().for_each(|word| _ = writer.insert(word.clone()).expect("taken"));
        writer.commit().expect("durable");
        let mut rows = KeyRows::read(writer.catalog()).expect("read");
        let all_of = |rows: &KeyRows, keys: &[Key]| {
            let may_have: Vec<bool> = keys.iter().map(|key| rows.may_have(key, writer.catalog())).collect();
            (may_have.iter().all(|&may_have| may_have), may_have.contains(&true))
        };
        assert!(all_of(&rows, &other[..LOOK_UPS_MIN - 1]).0, "nothing is known yet");
        for _ in 0..LOOK_UPS_MIN {
            words.iter().for_each(|word| assert!(all_of(&rows, &keys(word)).0));
        }
        assert_eq!(all_of(&rows, &other), (false, false));
        assert!(!all_of(&rows, &keys(&later)).1);
        rows.add(&later.keys(KINDS));
        assert!(all_of(&rows, &keys(&later)).0);
        assert!(!all_of(&rows, &other).1);
        // If there are more rows than this number of look-ups justifies reading, keys are looked up.
        let few = FamilyRows { any: true, ..FamilyRows::default() };
        let megashingle = other[0];
        assert!(keys_of(writer.catalog(), megashingle.family(), 44).is_none());
        assert_eq!(keys_of(writer.catalog(), megashingle.family(), 45).map(|keys| keys.len()), Some(45));
        assert!((1..LOOK_UPS_MIN).all(|_| few.may_have(&megashingle, writer.catalog())));
        assert!(!few.may_have(&megashingle, writer.catalog()), "128 rows are read");
    }
}
