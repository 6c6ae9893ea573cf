//! The small families of the catalog: counters, number ranges, batches, deletions, archives.

use std::collections::HashSet;
use std::ops::Range;

use nddb_format::document_keys::KeyKinds;
use nddb_format::manifest::Manifest;
use nddb_format::record::{BatchState, Counters, RangeState, Settings};
use roaring::RoaringTreemap;

use super::files::Wrong;
use super::findings::Findings;
use crate::catalog::Catalog;
use crate::read::changes::{Disagreement, disagreements};
use crate::{Error, Result};

/// The rows that decide which documents are live.
#[derive(Debug)]
pub(crate) struct LiveState {
    pub(crate) settings: Settings,
    /// The kinds of keys that the database keeps.
    pub(crate) kinds: KeyKinds,
    pub(crate) counters: Counters,
    /// All deleted numbers, those of cancelled ranges included.
    pub(crate) deleted: RoaringTreemap,
    /// Ranges of bulk loads that have not finished, ascending.
    pub(crate) loading: Vec<Range<u64>>,
    /// Ranges of pending batches, ascending.
    pub(crate) pending: Vec<Range<u64>>,
    /// Ranges whose rows may be incomplete: loading and cancelled ones, ascending.
    pub(crate) unfinished: Vec<Range<u64>>,
}

fn holds(ranges: &[Range<u64>], number: u64) -> bool {
    let after = ranges.partition_point(|range| range.end <= number);
    ranges.get(after).is_some_and(|range| range.contains(&number))
}

impl LiveState {
    /// Reads the state as of a manifest whose deletions up to generation `folded` are in `file`.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub(crate) fn read(catalog: &Catalog, folded: u64, file: RoaringTreemap) -> Result<Self> {
        let settings = catalog.settings()?;
        let mut state = Self {
            kinds: KeyKinds::of_label(&settings.recipe),
            settings,
            counters: catalog.counters()?,
            deleted: file,
            loading: Vec::new(),
            pending: Vec::new(),
            unfinished: Vec::new(),
        };
        catalog.deletions(folded, &mut |_, numbers| {
            state.deleted.insert_range(numbers);
        })?;
        for (low, range) in catalog.ranges()? {
            let numbers = low..range.high;
            match range.state {
                RangeState::Committed => (),
                RangeState::Pending => state.pending.push(numbers),
                RangeState::Loading => {
                    state.loading.push(numbers.clone());
                    state.unfinished.push(numbers);
                }
                RangeState::Cancelled => {
                    state.deleted.insert_range(numbers.clone());
                    state.unfinished.push(numbers);
                }
            }
        }
        for batch in catalog.batches()?.into_iter().map(|(_, batch)| batch) {
            if batch.state == BatchState::Committing {
                catalog.replaced(batch.number, 0, &mut |numbers| {
                    state.deleted.insert_range(numbers);
                    Ok(true)
                })?;
            }
        }
        Ok(state)
    }

    /// Returns whether the rows of a number may be incomplete.
    pub(crate) fn is_unfinished(&self, number: u64) -> bool {
        holds(&self.unfinished, number)
    }

    /// Returns whether a number counts as a document: it is not deleted, and does not belong to an unfinished load.
    /// Numbers of pending batches count.
    pub(crate) fn is_counted(&self, number: u64) -> bool {
        !self.deleted.contains(number) && !holds(&self.loading, number)
    }

    /// Returns whether a number is visible to everybody.
    pub(crate) fn is_visible(&self, number: u64) -> bool {
        self.is_counted(number) && !holds(&self.pending, number)
    }
}

/// The numbers that records may refer to.
#[derive(Debug, Default)]
pub(crate) struct KnownNumbers {
    pub(crate) archives: HashSet<u32>,
    pub(crate) batches: HashSet<u32>,
}

/// Compares manifest and catalog, and the small families with each other.
pub(crate) fn verify(
    catalog: &Catalog,
    state: &LiveState,
    manifest: Option<&Manifest>,
    findings: &mut Findings,
) -> Option<KnownNumbers> {
    if let Some(manifest) = manifest {
        for disagreement in disagreements(manifest, &state.settings, &state.counters) {
            match disagreement {
                Disagreement::Settings(what) => findings.catalog(Wrong::new("meta, settings", what)),
                Disagreement::Lost(what) => findings.run(catalog.path(), Wrong::new("meta, counters", what)),
            }
        }
    }
    if let Some(greatest) = state.deleted.max().filter(|&greatest| greatest >= state.counters.next_number) {
        findings.catalog(Wrong::new("deleted", format!("document {greatest} is deleted but never existed")));
    }
    let known = families(catalog, state, manifest, findings);
    known.map_err(|error| findings.catalog(error)).ok()
}

fn families(
    catalog: &Catalog,
    state: &LiveState,
    manifest: Option<&Manifest>,
    findings: &mut Findings,
) -> Result<KnownNumbers, Error> {
    let mut known = KnownNumbers::default();
    let (mut pending, mut replacing) = (HashSet::new(), HashSet::new());
    for (name, batch) in catalog.batches()? {
        let location = || format!("batches, '{name}'");
        if !known.batches.insert(batch.number) {
            findings
                .catalog(Wrong::new(location(), format!("its number {} belongs to another batch, too", batch.number)));
        }
        if batch.number == 0 || batch.number >= state.counters.next_batch {
            findings.catalog(Wrong::new(location(), format!("its number {} was never assigned", batch.number)));
        }
        if batch.state == BatchState::Pending {
            pending.insert(batch.number);
        }
        if batch.state != BatchState::Open {
            replacing.insert(batch.number);
        }
    }
    let mut end = 0;
    for (low, range) in catalog.ranges()? {
        let location = || format!("batches, numbers {low}..{}", range.high);
        if low < end || low >= range.high || range.high > state.counters.next_number {
            let what = "the range is empty, overlaps the one before, or ends above all numbers";
            findings.catalog(Wrong::new(location(), what));
        }
        end = end.max(range.high);
        // A load may end before its batch is created.
        let settled = matches!(range.state, RangeState::Committed | RangeState::Pending);
        if settled && range.batch != 0 && !known.batches.contains(&range.batch) {
            findings
                .catalog(Wrong::new(location(), format!("it belongs to batch {}, which does not exist", range.batch)));
        } else if settled && (range.state == RangeState::Pending) != pending.contains(&range.batch) {
            findings.catalog(Wrong::new(location(), "it is not in the state of its batch"));
        }
    }
    let mut end = 0;
    for load in catalog.loads()? {
        if load.start < end || load.is_empty() || load.end > state.counters.next_number {
            let what = "the load is empty, overlaps the one before, or ends above all numbers";
            findings.catalog(Wrong::new(format!("batches, load {}..{}", load.start, load.end), what));
        }
        end = end.max(load.end);
    }
    catalog.all_replaced((0, 0), &mut |batch, numbers| {
        if !replacing.contains(&batch) || numbers.end > state.counters.next_number {
            let location = format!("batches, what batch {batch} replaces");
            let what = format!("document {} or the batch does not exist", numbers.end - 1);
            findings.catalog(Wrong::new(location, what));
        }
        Ok(true)
    })?;
    for (number, _) in catalog.archives()? {
        known.archives.insert(number);
        if number == 0 || number >= state.counters.next_archive {
            findings.catalog(Wrong::new(format!("sources, archive {number}"), "its number was never assigned"));
        }
    }
    if let Some(manifest) = manifest {
        let mut late = None;
        catalog.deletions(manifest.generation, &mut |generation, numbers| late = Some((generation, numbers.start)))?;
        if let Some((generation, number)) = late {
            let what = format!("document {number} was deleted at generation {generation}, MANIFEST is older");
            findings.catalog(Wrong::new("deleted", what));
        }
    }
    Ok(known)
}
