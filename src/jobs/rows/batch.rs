//! Rows collected as columns of Arrow.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use nddb_format::record::ShownId;

use super::cell::{Cell, CellKind, Column};

/// Rows of a table that are not yet written.
pub struct RowBatch {
    schema: SchemaRef,
    columns: Vec<Values>,
    rows: usize,
}

/// The values of a column.
enum Values {
    Text(StringBuilder),
    Number(Int64Builder),
    Share(Float64Builder),
    Flag(BooleanBuilder),
}

impl RowBatch {
    /// Rows with these columns.
    pub fn new(columns: &[Column]) -> Self {
        let columns_made = columns.iter().map(|column| Values::new(column.kind)).collect();
        Self { schema: schema(columns), columns: columns_made, rows: 0 }
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Appends a row, with a value for each column.
    pub fn row(&mut self, cells: &[Cell<'_>]) {
        assert_eq!(cells.len(), self.columns.len(), "a value for each column");
        for (values, cell) in self.columns.iter_mut().zip(cells) {
            values.append(cell);
        }
        self.rows += 1;
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the rows, and removes them from here.
    ///
    /// # Errors
    /// No error can occur in a table of these columns.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        self.rows = 0;
        let arrays: Vec<ArrayRef> = self.columns.iter_mut().map(Values::finish).collect();
        RecordBatch::try_new(self.schema.clone(), arrays)
    }
}

/// Names and types of columns, as a schema of Arrow.
pub fn schema(columns: &[Column]) -> SchemaRef {
    let fields = columns.iter().map(|column| Field::new(column.name, data_type(column.kind), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

impl Values {
    fn new(kind: CellKind) -> Self {
        match kind {
            CellKind::Text => Values::Text(StringBuilder::new()),
            CellKind::Number | CellKind::Print => Values::Number(Int64Builder::new()),
            CellKind::Share => Values::Share(Float64Builder::new()),
            CellKind::Flag => Values::Flag(BooleanBuilder::new()),
        }
    }

    fn append(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (Values::Text(values), Cell::Text(text) | Cell::Json(text)) => values.append_value(text),
            (Values::Text(values), Cell::Id { id, .. }) => values.append_value(ShownId(id).as_str()),
            (Values::Number(values), Cell::Number(number)) => values.append_value(*number),
            (Values::Number(values), Cell::Print(fingerprint)) => values.append_value(fingerprint.0.cast_signed()),
            (Values::Share(values), Cell::Share(share)) => values.append_value(*share),
            (Values::Flag(values), Cell::Flag(flag)) => values.append_value(*flag),
            (Values::Text(values), Cell::Null) => values.append_null(),
            (Values::Number(values), Cell::Null) => values.append_null(),
            (Values::Share(values), Cell::Null) => values.append_null(),
            (Values::Flag(values), Cell::Null) => values.append_null(),
            (_, cell) => unreachable!("{cell:?} in a column of another kind"),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Values::Text(values) => ArrayBuilder::finish(values),
            Values::Number(values) => ArrayBuilder::finish(values),
            Values::Share(values) => ArrayBuilder::finish(values),
            Values::Flag(values) => ArrayBuilder::finish(values),
        }
    }
}

fn data_type(kind: CellKind) -> DataType {
    match kind {
        CellKind::Text => DataType::Utf8,
        CellKind::Number | CellKind::Print => DataType::Int64,
        CellKind::Share => DataType::Float64,
        CellKind::Flag => DataType::Boolean,
    }
}
