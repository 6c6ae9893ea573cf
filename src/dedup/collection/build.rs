//! Construction of a collection from a view. It reads ids in bytewise order, then records in the order of document
//! numbers; documents of one load are then ordered ([`super::order`]).

use std::collections::HashMap;
use std::ops::Range;

use nddb_format::record::Record;
use nddb_index::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use nddb_index::spill::parallel::each_in_order;
use nddb_index::spill::progress::{Progress, Ticker};
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::Sorter;
use nddb_index::spill::temp_file::TempFile;
use nddb_index::{Error, Result, View};
use nddb_page::sketch::Recipe;
use xxhash_rust::xxh3::xxh3_128;

use super::classes::lead;
use super::documents::Collection;
use super::order::{Loads, Places};
use super::row::{DETAILS, MIN_BYTES, PROFILE, ROW, Row, SKETCH};
use crate::requirements::Held;

/// Ids between two reports of progress.
const REPORT: u64 = 1 << 14;
/// Documents that a thread reads at a time.
const STRETCH: usize = if cfg!(test) { 16 } else { 1 << 11 };
/// Size of the write buffer in bytes.
const BUFFER_SIZE: usize = 1 << 20;

impl Collection {
    /// Greatest number of documents.
    pub const LEN_MAX: u64 = u32::MAX as u64 - 1;

    /// Returns a collection of the live documents of a view.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for 2^32 - 1 documents and more; damage; errors of the disk;
    /// [`Error::Cancelled`].
    pub fn build(
        view: View<'_>,
        resources: &Resources,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        build(view, resources, false, watch)
    }

    /// Returns a collection of the live documents and of the deleted documents that no compaction has dropped yet,
    /// unless another document has their id. Clusters are made from such a collection.
    ///
    /// # Errors
    /// Errors of [`Collection::build`].
    pub fn with_deleted(
        view: View<'_>,
        resources: &Resources,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        build(view, resources, true, watch)
    }
}

fn build(
    view: View<'_>,
    resources: &Resources,
    deleted: bool,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Collection> {
    let ticker = Ticker::new(watch);
    let folder = &resources.folder;
    let (mut ids, mut bytes) = (TempFile::create(folder)?, Vec::new());
    let (mut ends, mut end, mut len) = (MappedRowsWriter::<1>::new(folder)?, 0, 0);
    let mut numbers = Sorter::<2>::new(folder, resources.memory_limit / 2).on(resources.threads);
    ticker.start("read ids", None, "ids")?;
    view.each_id(deleted, &mut |id, number| {
        bytes.extend_from_slice(id.as_bytes());
        end += id.len() as u64;
        ends.push(&[end])?;
        numbers.push([number, len])?;
        len += 1;
        if bytes.len() >= BUFFER_SIZE {
            ids.append(&bytes)?;
            bytes.clear();
        }
        if len.is_multiple_of(REPORT) { ticker.add(REPORT) } else { Ok(()) }
    })?;
    ids.append(&bytes)?;
    if len > Collection::LEN_MAX {
        let limit = Collection::LEN_MAX;
        return Err(Error::OutOfRange { what: "the number of documents", requested: len, limit });
    }
    let mut rows = CollectionRows::new(resources, len as usize, view.loads()?)?;
    let sorted = numbers.finish();
    let mut wanted = sorted.rows()?;
    let mut next = wanted.pop()?;
    ticker.start("read documents", Some(len), "documents")?;
    let (catalog, bare) = (view.catalog_path(), Record::default());
    each_in_order(
        resources.threads,
        |give| view.stretches(STRETCH, give),
        || (),
        |(), stretch| {
            let mut read = Vec::new();
            view.each_kept_of(&stretch, deleted, &mut |number, print, kept, deleted| {
                // The ids were read before.
                let record =
                    if kept.is_bare() { None } else { Some(kept.record(number).map_err(Error::format(&catalog))?) };
                read.push((number, print, record, deleted));
                Ok(())
            })?;
            Ok(read)
        },
        |read| {
            let before = rows.len;
            for (number, print, record, deleted) in read {
                if let Some([_, rank]) = next.filter(|[wanted, _]| *wanted == number) {
                    next = wanted.pop()?;
                    let record = record.as_ref().unwrap_or(&bare);
                    let site = record.site.as_ref().map(|site| rows.site(site));
                    rows.push(&Row::of(number, rank as u32, site, print, record, deleted), record)?;
                }
            }
            ticker.add((rows.len - before).into())
        },
    )?;
    if u64::from(rows.len) != len {
        let what = format!("{} documents have an id and no record", len - u64::from(rows.len));
        return Err(Error::Inconsistent { path: view.catalog_path(), what });
    }
    ticker.start("identity sets", None, "")?;
    rows.finish(ids, ends, Recipe::of_any_version(&view.settings().recipe).as_ref(), resources)
}

/// Rows under construction.
pub(super) struct CollectionRows {
    rows: MappedRowsWriter<ROW>,
    details: MappedRowsWriter<DETAILS>,
    sketches: MappedRowsWriter<SKETCH>,
    min_bytes: MappedRowsWriter<MIN_BYTES>,
    profiles: MappedRowsWriter<PROFILE>,
    len: u32,
    by_rank: Vec<u32>,
    loads: Loads,
    /// Numbers of sites by a 128-bit hash of their names, wide enough to exclude collisions.
    sites: HashMap<u128, u32>,
    held: Held,
}

impl CollectionRows {
    /// Returns an empty set of rows for `len` documents. `loads` has the document numbers of each load, ascending.
    pub(super) fn new(resources: &Resources, len: usize, loads: Vec<Range<u64>>) -> Result<Self> {
        let by_rank = vec![0; len];
        let (rows, details) = (MappedRowsWriter::new(&resources.folder)?, MappedRowsWriter::new(&resources.folder)?);
        let sketches = MappedRowsWriter::new(&resources.folder)?;
        let min_bytes = MappedRowsWriter::new(&resources.folder)?;
        let profiles = MappedRowsWriter::new(&resources.folder)?;
        Ok(Self {
            rows,
            details,
            sketches,
            min_bytes,
            profiles,
            len: 0,
            by_rank,
            loads: Loads::new(loads),
            sites: HashMap::new(),
            held: Held::default(),
        })
    }

    pub(super) fn site(&mut self, name: &str) -> u32 {
        let next = self.sites.len() as u32;
        *self.sites.entry(xxh3_128(name.as_bytes())).or_insert(next)
    }

    pub(super) fn push(&mut self, row: &Row, record: &Record) -> Result<()> {
        let held = &mut self.held;
        let one = |present: bool| u64::from(present && !row.is_deleted);
        held.documents += one(true);
        held.fingerprints += one(row.fingerprint.is_some());
        held.digests += one(row.digest.is_some());
        held.supershingles += one(row.has_supershingles);
        held.projections += one(row.has_projection);
        held.min_values += one(row.has_min_values);
        held.profiles += one(row.has_profile);
        held.empty += one(row.is_empty);
        // Each of the following files ends with the last document that has the sketch stored in it.
        if let Some(details) = row.details() {
            pad(&mut self.details, self.len)?;
            self.details.push(&details)?;
        }
        if row.has_supershingles || row.has_projection {
            pad(&mut self.sketches, self.len)?;
            let mut sketch = [0; SKETCH];
            sketch[..6].copy_from_slice(&record.supershingles.unwrap_or_default());
            sketch[6..].copy_from_slice(&record.projection.unwrap_or_default());
            self.sketches.push(&sketch)?;
        }
        if let Some(bytes) = &record.min_bytes {
            pad(&mut self.min_bytes, self.len)?;
            self.min_bytes.push(&words(&bytes[..]))?;
        }
        if let Some(profile) = &record.profile {
            pad(&mut self.profiles, self.len)?;
            self.profiles.push(&words(&profile[..]))?;
        }
        self.by_rank[row.rank as usize] = self.len;
        self.loads.note(self.len, row);
        self.len += 1;
        self.rows.push(&row.encode())
    }

    /// Returns the collection of these rows, given the ids in bytewise order and the end of each.
    pub(super) fn finish(
        self,
        ids: TempFile,
        ends: MappedRowsWriter<1>,
        recipe: Option<&Recipe>,
        resources: &Resources,
    ) -> Result<Collection> {
        let Self { rows, details, sketches, min_bytes, profiles, by_rank, loads, sites, held, .. } = self;
        let rows = rows.finish()?;
        let (details, sketches) = (some(details)?, some(sketches)?);
        let sorted = loads.places(&rows, details.as_ref(), resources)?;
        let (places, by_rank) = sorted.unwrap_or((Places::InOrder, by_rank));
        let (min_bytes, profiles) = (some(min_bytes)?, some(profiles)?);
        let mut site_names = vec![0; sites.len()];
        sites.into_iter().for_each(|(name, number)| site_names[number as usize] = name as u64);
        let mut collection = Collection {
            places,
            rows,
            details,
            sketches,
            min_bytes,
            profiles,
            ids: ids.map()?,
            ends: ends.finish()?,
            by_rank,
            representative: Vec::new(),
            site_names,
            has_bands_of_profiles: recipe.is_some_and(Recipe::has_profile),
            held,
        };
        collection.representative = representatives(&collection, resources)?;
        Ok(collection)
    }
}

/// Returns bytes as little-endian words, with zeros after them.
fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut words = [[0; 8]; N];
    words.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
    words.map(u64::from_le_bytes)
}

/// Finishes writing rows; `None` if there are none.
fn some<const N: usize>(rows: MappedRowsWriter<N>) -> Result<Option<MappedRows<N>>> {
    if rows.is_empty() { Ok(None) } else { rows.finish().map(Some) }
}

/// Appends rows of zeros up to this number of rows.
fn pad<const N: usize>(rows: &mut MappedRowsWriter<N>, len: u32) -> Result<()> {
    while rows.len() < len as usize {
        rows.push(&[0; N])?;
    }
    Ok(())
}

/// Returns the least ordinal with the same digest, for each ordinal.
fn representatives(collection: &Collection, resources: &Resources) -> Result<Vec<u32>> {
    let mut representative: Vec<u32> = (0..collection.len()).collect();
    if collection.details.is_none() {
        return Ok(representative);
    }
    let mut sorter = Sorter::<3>::new(&resources.folder, resources.memory_limit / 2).on(resources.threads);
    for ordinal in 0..collection.len() {
        if let Some([high, low]) = collection.row(ordinal).digest {
            sorter.push([high, low, ordinal.into()])?;
        }
    }
    lead(sorter.finish(), &mut representative)?;
    Ok(representative)
}
