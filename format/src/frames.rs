//! The frame table (SPEC 8.8): the blocks of text that stand on many pages of a site, by hashes of site and block.

use std::fmt;

use crate::error::malformed;
use crate::fields::{self, Field, READER_MIN, check_crc};
use crate::{FormatError, Result};

/// Magic of a frame table.
pub const MAGIC: &[u8; 8] = b"\x89nddbF\r\n";

/// Bytes of the label of the recipe, which follows the header.
pub const RECIPE_SIZE: Field = READER_MIN.then(4, "recipe_size");
/// Number of entries, which follow the label. The CRC-32 of all bytes before it ends the file.
pub const COUNT: Field = RECIPE_SIZE.then(8, "count");
/// The fields of the header.
pub const FIELDS: [Field; 5] = [fields::MAGIC, fields::FORMAT_VERSION, READER_MIN, RECIPE_SIZE, COUNT];
/// Bytes of the header.
pub const HEADER_SIZE: usize = COUNT.end();

/// Hash of the name of the site.
pub const SITE: Field = Field::first(8, "site");
/// Hash of the terms of the block.
pub const BLOCK: Field = SITE.then(8, "block");
/// The fields of an entry.
pub const ENTRY_FIELDS: [Field; 2] = [SITE, BLOCK];
/// Bytes of an entry.
pub const ENTRY_SIZE: usize = BLOCK.end();

const CHECKSUM_SIZE: usize = 4;
const RECIPE_MAX: usize = 255;
const WHAT: &str = "frame table";

/// A frame table: the recipe whose blocks it is of, and its entries, each a hash of a site and one of a block.
#[derive(Clone, PartialEq, Eq)]
pub struct Frames<D> {
    bytes: D,
    recipe_size: usize,
    len: usize,
}

/// Encodes a frame table of these entries, which ascend.
///
/// # Errors
/// [`FormatError::Malformed`] for a label or an order that no table can have.
pub fn encode(recipe: &str, entries: &[(u64, u64)]) -> Result<Vec<u8>> {
    check_recipe(recipe.as_bytes())?;
    check_order(entries.iter().copied())?;
    let mut bytes = vec![0; HEADER_SIZE];
    bytes.reserve(recipe.len() + ENTRY_SIZE * entries.len() + CHECKSUM_SIZE);
    fields::put_start(&mut bytes, MAGIC);
    RECIPE_SIZE.put(&mut bytes, recipe.len() as u64);
    COUNT.put(&mut bytes, entries.len() as u64);
    bytes.extend_from_slice(recipe.as_bytes());
    for (site, block) in entries {
        bytes.extend_from_slice(&site.to_le_bytes());
        bytes.extend_from_slice(&block.to_le_bytes());
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

fn check_recipe(label: &[u8]) -> Result<()> {
    if (1..=RECIPE_MAX).contains(&label.len()) && std::str::from_utf8(label).is_ok() {
        return Ok(());
    }
    malformed(WHAT, RECIPE_SIZE.offset, "the label of a recipe is 1 to 255 bytes of UTF-8")
}

fn check_order(entries: impl Iterator<Item = (u64, u64)>) -> Result<()> {
    let mut last = None;
    for (index, entry) in entries.enumerate() {
        if last.replace(entry).is_some_and(|last| last >= entry) {
            return malformed(WHAT, ENTRY_SIZE * index, "entries ascend, and each is there once");
        }
    }
    Ok(())
}

impl<D: AsRef<[u8]>> Frames<D> {
    /// Opens a frame table, and checks all of it.
    ///
    /// # Errors
    /// [`FormatError`] for the first rule that is broken.
    pub fn open(bytes: D) -> Result<Self> {
        let all = bytes.as_ref();
        fields::check_start(WHAT, all, MAGIC, HEADER_SIZE + CHECKSUM_SIZE)?;
        let (recipe_size, count) = (RECIPE_SIZE.get(all), COUNT.get(all));
        let fixed = (HEADER_SIZE + CHECKSUM_SIZE) as u64 + recipe_size;
        let (need, have) = (count.saturating_mul(ENTRY_SIZE as u64).saturating_add(fixed), all.len() as u64);
        if need > have {
            return Err(FormatError::Truncated { what: WHAT, need, have });
        }
        if need < have {
            return malformed(WHAT, COUNT.offset, "the file is as long as its recipe_size and its count say");
        }
        let body = all.len() - CHECKSUM_SIZE;
        check_crc(WHAT, all, Field { offset: body, size: CHECKSUM_SIZE, name: "checksum" })?;
        // Both are below the size of the file.
        let table = Self { recipe_size: recipe_size as usize, len: count as usize, bytes };
        check_recipe(table.label())?;
        check_order(table.entries())?;
        Ok(table)
    }

    /// Returns the bytes of the file.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    fn label(&self) -> &[u8] {
        &self.as_bytes()[HEADER_SIZE..HEADER_SIZE + self.recipe_size]
    }

    /// Returns the label of the recipe whose blocks the table is of.
    pub fn recipe(&self) -> &str {
        std::str::from_utf8(self.label()).unwrap_or_default()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the entry at `index`, which must exist: the hash of a site and that of a block.
    #[inline]
    fn entry(&self, index: usize) -> (u64, u64) {
        let entry = &self.as_bytes()[HEADER_SIZE + self.recipe_size + ENTRY_SIZE * index..][..ENTRY_SIZE];
        (SITE.get(entry), BLOCK.get(entry))
    }

    /// Returns all entries, ascending.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (0..self.len).map(|index| self.entry(index))
    }

    /// Returns whether a block is frame on a site, given their hashes.
    pub fn contains(&self, site: u64, block: u64) -> bool {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.entry(middle).cmp(&(site, block)) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return true,
            }
        }
        false
    }
}

impl<D: AsRef<[u8]>> fmt::Debug for Frames<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames").field("recipe", &self.recipe()).field("len", &self.len).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Vec<u8> {
        encode("main/3", &[(1, 5), (1, 7), (u64::MAX, 0)]).expect("ascending")
    }

    proptest! {
        #[test]
        fn a_table_reads_as_it_was_written(
            entries in prop::collection::btree_set((0u64..4, any::<u64>()), 0..50),
            asked in prop::collection::vec((0u64..4, any::<u64>()), 20),
            recipe in "[a-zä/0-9]{1,40}",
        ) {
            let listed: Vec<_> = entries.iter().copied().collect();
            let bytes = encode(&recipe, &listed).expect("ascending");
            let table = Frames::open(&bytes[..]).expect("sound");
            prop_assert_eq!((table.recipe(), table.len()), (&recipe[..], listed.len()));
            prop_assert!(table.entries().eq(listed.iter().copied()));
            for (site, block) in asked.into_iter().chain(listed) {
                prop_assert_eq!(table.contains(site, block), entries.contains(&(site, block)));
            }
        }

        /// No bytes make it panic, and what opens is written as it was read.
        #[test]
        fn random_bytes_with_a_valid_checksum_never_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = sample();
            for (offset, value) in changes {
                let offset = offset.index(bytes.len());
                bytes[offset] = value;
            }
            for keep in [bytes.len(), CHECKSUM_SIZE + cut.index(bytes.len() - CHECKSUM_SIZE)] {
                bytes.truncate(keep);
                let body = bytes.len() - CHECKSUM_SIZE;
                let checksum = crc32fast::hash(&bytes[..body]);
                bytes[body..].copy_from_slice(&checksum.to_le_bytes());
                if let Ok(table) = Frames::open(&bytes[..]) {
                    let entries: Vec<_> = table.entries().collect();
                    // The version of a later writer may differ, and the checksum with it.
                    let again = encode(table.recipe(), &entries).expect("ascending");
                    prop_assert_eq!(&again[RECIPE_SIZE.offset..body], &bytes[RECIPE_SIZE.offset..body]);
                }
            }
        }
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_found() {
        let mut bytes = sample();
        assert_eq!(Frames::open(&bytes[..]).map(|table| table.len()), Ok(3));
        for length in 0..bytes.len() {
            assert!(Frames::open(&bytes[..length]).is_err(), "cut to {length} bytes");
        }
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Frames::open(&bytes[..]).is_err(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        bytes.push(0);
        assert!(Frames::open(&bytes[..]).is_err(), "a byte more");
    }
}
