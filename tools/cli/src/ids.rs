//! Ids in lists: a number is written as its digits, unless a text with the same digits is also an id.

use nddb::View;
use nddb::detect::Collection;
use nddb_jobs::tsv;

use crate::columns::{Cell, RowFormat};

/// Appends the id of a document of a collection as a cell of a list.
pub(crate) fn write_id(out: &mut Vec<u8>, collection: &Collection, ordinal: u32) {
    let id = collection.id(ordinal);
    tsv::write_id(out, id, collection.has_namesake(id));
}

/// The ids of a database as cells of rows.
pub(crate) struct Cells<'a> {
    /// The view for the search for namesakes, if rows are a list and there may be any namesakes.
    view: Option<View<'a>>,
}

impl<'a> Cells<'a> {
    pub(crate) fn new(view: View<'a>, format: RowFormat) -> nddb::Result<Self> {
        let has_any = format == RowFormat::Tsv && view.may_have_namesakes()?;
        Ok(Self { view: has_any.then_some(view) })
    }

    /// Returns the cell of an id.
    pub(crate) fn cell<'b>(&self, id: &'b str) -> nddb::Result<Cell<'b>> {
        let has_namesake = self.view.map_or(Ok(false), |view| view.has_namesake(id))?;
        Ok(Cell::Id { id, has_namesake })
    }
}
