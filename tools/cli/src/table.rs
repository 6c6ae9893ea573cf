//! Tables for people: columns are as wide as their widest cell, and numbers are right-aligned.

use crate::terminal::safe_cell;

/// A table that is being filled.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Makes a table with these titles of columns.
    pub(crate) fn new(titles: &[&str]) -> Self {
        Self { rows: vec![titles.iter().map(|title| (*title).to_owned()).collect()] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.iter().map(|cell| safe_cell(cell)).collect());
    }

    /// Returns the lines. A column is left-aligned if its first cell below the title is no number.
    pub(crate) fn lines(&self) -> Vec<String> {
        let columns = self.rows[0].len();
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let first = self.rows.get(1).unwrap_or(&self.rows[0]);
        let is_number = |cell: &String| cell.starts_with(|c: char| c.is_ascii_digit());
        let right: Vec<bool> = first.iter().map(is_number).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).zip(&right).map(|((cell, &width), &right)| {
                if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_words_to_the_left() {
        let mut table = Table::new(&["name", "bytes"]);
        table.row(vec!["a".into(), "5".into()]);
        table.row(vec!["longer".into(), "1,000".into()]);
        assert_eq!(table.lines(), ["name    bytes", "a           5", "longer  1,000"]);
    }

    #[test]
    fn a_cell_cannot_control_the_terminal_or_leave_its_place() {
        let mut table = Table::new(&["name", "state"]);
        table.row(vec!["a\u{1b}[2J\tb\nc".into(), "found".into()]);
        assert_eq!(table.lines(), ["name            state", r"a\u001b[2J b c  found"]);
    }
}
