//! Tables for people: columns are as wide as their widest cell, and numbers are right-aligned.

use crate::terminal::safe_cell;

/// A table that is being filled.
pub struct TextTable {
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// Makes a table with these titles of columns.
    pub fn new(titles: &[&str]) -> Self {
        Self { rows: vec![titles.iter().map(|title| (*title).to_owned()).collect()] }
    }

    /// Makes a table with these titles of columns, with commas between.
    pub fn of(titles: &str) -> Self {
        Self::new(&titles.split(", ").collect::<Vec<_>>())
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.iter().map(|cell| safe_cell(cell)).collect());
    }

    /// Returns the number of characters of the widest line.
    pub fn width(&self) -> usize {
        self.widths().iter().sum::<usize>() + 2 * self.rows[0].len().saturating_sub(1)
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        (0..self.rows[0].len()).map(width).collect()
    }

    /// Cuts cells of the widest columns until lines are at most this wide, but none below `least`.
    pub fn fit(&mut self, width: usize, least: usize) {
        loop {
            let (widths, whole) = (self.widths(), self.width());
            let widest = widths.iter().enumerate().max_by_key(|(_, width)| **width);
            let Some((column, &at)) = widest.filter(|(_, at)| whole > width && **at > least) else { return };
            let second = widths.iter().enumerate().filter(|(other, _)| *other != column).map(|(_, at)| *at).max();
            let to = at.saturating_sub(whole - width).max(second.unwrap_or(0).min(at - 1)).max(least);
            for row in &mut self.rows {
                if row[column].chars().count() > to {
                    row[column] = row[column].chars().take(to - 1).chain(['\u{2026}']).collect();
                }
            }
        }
    }

    /// Returns the lines. A column is left-aligned if its first cell below the title is no number.
    pub fn lines(&self) -> Vec<String> {
        let widths = self.widths();
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
        let mut table = TextTable::new(&["name", "bytes"]);
        table.row(vec!["a".into(), "5".into()]);
        table.row(vec!["longer".into(), "1,000".into()]);
        assert_eq!(table.lines(), ["name    bytes", "a           5", "longer  1,000"]);
    }

    #[test]
    fn a_cell_cannot_control_the_terminal_or_leave_its_place() {
        let mut table = TextTable::new(&["name", "state"]);
        table.row(vec!["a\u{1b}[2J\tb\nc".into(), "found".into()]);
        assert_eq!(table.lines(), ["name            state", r"a\u001b[2J b c  found"]);
    }
}
