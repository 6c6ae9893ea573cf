//! Files of one document each: pages and texts, copied or left out.

use std::io;

use nddb::archive::{EntryContent, Located, Options};
use nddb_jobs::output::Destination;

use super::lists::Fate;
use super::selection::{Counts, Selection};
use crate::failure::{Failure, Result};
use crate::inputs::{self, Packing};
use crate::output::Output;

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
) -> Result<Counts> {
    let mut counts = Counts { bytes: located.size(), ..Counts::default() };
    let decided = decide(located, options, selection)?;
    match decided {
        Some(fate) => counts.add(fate),
        None => counts.without_id += 1,
    }
    let is_removed = decided == Some(Fate::Removed);
    if let Some(target) = if is_removed { removed } else { Some(kept) } {
        // What is compressed already is copied as it is.
        let packing = match Packing::of(&located.path)? {
            Packing::Plain => Packing::of_name(target.path()),
            _ => Packing::Plain,
        };
        let mut file = Output::packed(target, packing)?;
        io::copy(&mut inputs::open_file(&located.path)?, &mut file).map_err(|error| Failure::unwritten(&error))?;
        file.finish()?;
    }
    Ok(counts)
}
