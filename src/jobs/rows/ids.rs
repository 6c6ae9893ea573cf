//! Ids in lists: a number is written as its digits, unless a text with the same digits is also an id.

use nddb_dedup::Collection;
use nddb_index::{Result, View};

use super::RowFormat;
use super::cell::Cell;
use crate::tsv;

/// Appends the id of a document of a collection as a cell of a list.
pub fn write_id(out: &mut Vec<u8>, collection: &Collection, ordinal: u32) {
    let id = collection.id(ordinal);
    tsv::write_id(out, id, collection.has_namesake(id));
}

/// The ids of a database as cells of rows.
pub struct IdCells<'a> {
    /// The view for the search for namesakes, if rows are a list and there may be any namesakes.
    view: Option<View<'a>>,
}

impl<'a> IdCells<'a> {
    /// The ids of a database in a table of this format.
    ///
    /// # Errors
    /// Damage of the database.
    pub fn new(view: View<'a>, format: RowFormat) -> Result<Self> {
        let has_any = format == RowFormat::Tsv && view.may_have_namesakes()?;
        Ok(Self { view: has_any.then_some(view) })
    }

    /// Returns the cell of an id.
    ///
    /// # Errors
    /// Damage of the database.
    pub fn cell<'b>(&self, id: &'b str) -> Result<Cell<'b>> {
        let has_namesake = self.view.map_or(Ok(false), |view| view.has_namesake(id))?;
        Ok(Cell::Id { id, has_namesake })
    }
}
