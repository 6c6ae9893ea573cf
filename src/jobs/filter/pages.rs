//! Files of one document each: pages and texts, copied or left out.

use std::io;

use crate::output::Destination;
use nddb_archive::{EntryContent, Located, Options};

use super::remove_list::Fate;
use super::selection::{FilterCounts, Selection};
use crate::error::{JobError, Result};
use crate::input;
use crate::packed::{PackedFile, Packing};

/// Decides about the document of a file; `None` if it has none that can be read.
pub(super) fn decide(located: &Located, options: &Options, selection: &mut Selection) -> Result<Option<Fate>> {
    Ok(match located.open(options)?.next()? {
        Some(entry) => match &entry.content {
            EntryContent::Page(page) => Some(selection.decide(Some(&page.id), Some(entry.position))),
            _ => None,
        },
        None => None,
    })
}

/// Copies a file to `kept`, or to `removed` if there is such a place.
pub(super) fn filter(
    located: &Located,
    options: &Options,
    selection: &mut Selection,
    kept: &Destination,
    removed: Option<&Destination>,
) -> Result<FilterCounts> {
    let mut counts = FilterCounts { bytes: located.size(), ..FilterCounts::default() };
    let decided = decide(located, options, selection)?;
    match decided {
        Some(fate) => counts.add(fate),
        None => counts.without_id += 1,
    }
    let is_removed = decided == Some(Fate::Removed);
    if let Some(target) = if is_removed { removed } else { Some(kept) } {
        // What is compressed already is copied as it is.
        let packing = match input::packing(&located.path)? {
            Packing::Plain => Packing::of_name(target.path()),
            _ => Packing::Plain,
        };
        let mut file = PackedFile::create(target, packing)?;
        let copied = io::copy(&mut input::open(&located.path)?, &mut file);
        copied.map_err(|error| JobError::passing(&located.path, error))?;
        file.finish()?;
    }
    Ok(counts)
}
