//! Lines of pairs with passages in common as rows of a table: one for each passage.

use std::io::{self, Write};

use nddb_jobs::json::id_of;
use nddb_jobs::rows::{Cell, Column, Kind, Rows};
use serde_json::Value;

use crate::failure::{Failure, Result};

/// The columns: of the pair, of the passage in words and in characters, and its texts. Fields that are ranges have two.
#[rustfmt::skip]
const COLUMNS: [Column; 17] = [
    Column::new("a", Kind::Text), // the older document
    Column::new("b", Kind::Text),
    Column::new("a_contained", Kind::Share),
    Column::new("b_contained", Kind::Share),
    Column::new("words", Kind::Number), // of the passage, in common
    Column::new("longest", Kind::Number),
    Column::new("a_start", Kind::Number), // its first word, from 0
    Column::new("a_end", Kind::Number), // the word behind its last
    Column::new("b_start", Kind::Number),
    Column::new("b_end", Kind::Number),
    Column::new("equal", Kind::Share), // with `--verify`
    Column::new("a_start_character", Kind::Number), // with `--verify` or `--why`
    Column::new("a_end_character", Kind::Number),
    Column::new("b_start_character", Kind::Number),
    Column::new("b_end_character", Kind::Number),
    Column::new("a_text", Kind::Text), // with `--why`
    Column::new("b_text", Kind::Text),
];

/// Writes the rows of each line of JSON that it is given.
pub(crate) struct PassageRows {
    rows: Rows,
    /// The beginning of a line.
    line: Vec<u8>,
    /// Whether a row could not be written: [`PassageRows::finish`] says why.
    failed: bool,
}

impl PassageRows {
    /// The columns of the rows.
    pub(crate) fn columns() -> Vec<Column> {
        COLUMNS.to_vec()
    }

    pub(crate) fn new(rows: Rows) -> Self {
        Self { rows, line: Vec::new(), failed: false }
    }

    /// Completes the table.
    pub(crate) fn finish(self) -> Result<()> {
        self.rows.finish(Ok::<(), Failure>(()))
    }

    fn take(&mut self, pair: &Value) -> nddb::Result<()> {
        let [a, b] = ["a", "b"].map(|side| id_of(pair[side].clone()).unwrap_or_default());
        for passage in pair["passages"].as_array().into_iter().flatten() {
            let number = |name: &str, end: usize| Cell::from(passage[name][end].as_u64());
            let text = |name: &str| Cell::from(passage[name].as_str());
            self.rows.row(&[
                Cell::id(&a),
                Cell::id(&b),
                pair["a_contained"].as_f64().into(),
                pair["b_contained"].as_f64().into(),
                passage["words"].as_u64().into(),
                passage["longest"].as_u64().into(),
                number("a", 0),
                number("a", 1),
                number("b", 0),
                number("b", 1),
                passage["equal"].as_f64().into(),
                number("a_characters", 0),
                number("a_characters", 1),
                number("b_characters", 0),
                number("b_characters", 1),
                text("a_text"),
                text("b_text"),
            ])?;
        }
        Ok(())
    }
}

impl Write for PassageRows {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let pair: Value = serde_json::from_slice(&std::mem::take(&mut self.line))?;
                self.failed = self.failed || self.take(&pair).is_err();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
