//! Label files: human judgements of whether pairs are near-duplicates.

use std::collections::HashMap;
use std::io::{self, BufRead};

use nddb_jobs::NamedId;

/// The judgement of a pair (Henzinger 2006, 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// Near-duplicates.
    Correct,
    /// Not near-duplicates.
    Incorrect,
    /// The pair could not be decided.
    Undecided,
}

impl Label {
    /// All labels, in the order of the numbers in [`crate::eval::score::Counts`].
    pub const ALL: [Label; 3] = [Label::Correct, Label::Incorrect, Label::Undecided];

    /// Returns the label for a word of a label file.
    fn read(word: &str) -> Option<Self> {
        match word {
            "1" | "correct" => Some(Label::Correct),
            "0" | "incorrect" => Some(Label::Incorrect),
            "u" | "g" | "undecided" => Some(Label::Undecided),
            _ => None,
        }
    }
}

/// A line of a label file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledPair {
    /// The lesser of the two ids.
    pub a: NamedId,
    /// The greater id.
    pub b: NamedId,
    /// The label.
    pub label: Label,
    /// The kind of pair, if the file has this column.
    pub kind: Option<String>,
}

/// A label file: lines of columns separated by tabs; the first line names the columns. `id1`, `id2` and `label` are
/// required, `kind` is optional, and other columns are ignored. A label is `1` or `correct`, `0` or `incorrect`, `g`,
/// `u` or `undecided`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The pairs, each once, in the order of the file.
    pub pairs: Vec<LabelledPair>,
    /// Number of lines that repeat an earlier line.
    pub repeated: u64,
}

/// Error: a label file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct LabelError {
    /// The line, from 1.
    pub line: u64,
    /// The fault of the line.
    #[source]
    pub fault: LabelFault,
}

/// A fault in a line of a label file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelFault {
    /// The line cannot be read, or is not UTF-8.
    #[error("{}", if .0.kind() == io::ErrorKind::InvalidData { "it is not UTF-8" } else { "it cannot be read" })]
    Io(#[source] io::Error),
    /// The file has no line.
    #[error("there is no header (id1, id2, label, and perhaps kind, between tabs)")]
    Empty,
    /// The header lacks a column.
    #[error("there is no column {missing:?} among {found:?} (columns stand between tabs)")]
    Column {
        /// The name of the column.
        missing: &'static str,
        /// The columns of the header.
        found: Vec<String>,
    },
    /// The line has another number of columns than the header.
    #[error("{found} columns where the header has {expected}")]
    Width {
        /// Columns of the header.
        expected: usize,
        /// Columns of the line.
        found: usize,
    },
    /// The label is unknown.
    #[error("{found:?} is no label (1, 0, or g for undecided)")]
    Unknown {
        /// The text found.
        found: String,
    },
    /// An id is empty.
    #[error("an id is empty")]
    NoId,
    /// An id has a backslash that does not begin `\\t`, `\\n`, `\\r` or `\\\\` or, at the start of the id, `\\#17` or
    /// `\\"17`.
    #[error("{found:?} has a backslash that begins no \\t, \\n, \\r, \\\\ or \\u001b; write one of an id as two")]
    Backslash {
        /// The text found.
        found: String,
    },
    /// Both ids are the same.
    #[error("both ids are {found:?}")]
    Same {
        /// The text found.
        found: String,
    },
    /// An earlier line has another label for the same pair.
    #[error("line {line} has another label for the same pair")]
    Conflict {
        /// The earlier line.
        line: u64,
    },
}

/// The indexes of the columns.
struct Columns {
    ids: [usize; 2],
    label: usize,
    kind: Option<usize>,
    width: usize,
}

impl Columns {
    fn of(header: &str) -> Result<Self, LabelFault> {
        let names: Vec<&str> = header.split('\t').map(str::trim).collect();
        let index = |name: &str| names.iter().position(|found| *found == name);
        let must = |missing: &'static str| {
            index(missing).ok_or_else(|| {
                let found = names.iter().map(|name| (*name).to_owned()).collect();
                LabelFault::Column { missing, found }
            })
        };
        Ok(Self { ids: [must("id1")?, must("id2")?], label: must("label")?, kind: index("kind"), width: names.len() })
    }

    fn read(&self, line: &str) -> Result<LabelledPair, LabelFault> {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells.len() != self.width {
            return Err(LabelFault::Width { expected: self.width, found: cells.len() });
        }
        let id = |cell: &str| NamedId::of_cell(cell).ok_or_else(|| LabelFault::Backslash { found: cell.to_owned() });
        let (first, second) = (id(cells[self.ids[0]])?, id(cells[self.ids[1]])?);
        if first.as_id().is_empty() || second.as_id().is_empty() {
            return Err(LabelFault::NoId);
        }
        if first == second {
            return Err(LabelFault::Same { found: cells[self.ids[0]].to_owned() });
        }
        let word = cells[self.label].trim();
        let label = Label::read(word).ok_or_else(|| LabelFault::Unknown { found: word.to_owned() })?;
        let (a, b) = if first < second { (first, second) } else { (second, first) };
        let kind = self.kind.map(|index| cells[index].trim().to_owned()).filter(|kind| !kind.is_empty());
        Ok(LabelledPair { a, b, label, kind })
    }
}

impl Labels {
    /// Reads a label file. Empty lines are ignored.
    ///
    /// # Errors
    /// [`LabelError`] with the line, for: an unreadable line, a header without a required column, a line with another
    /// number of columns, an unknown label, an empty id, a pair of one document with itself, a pair with two labels.
    pub fn read(input: impl BufRead) -> Result<Self, LabelError> {
        let mut columns: Option<Columns> = None;
        let mut seen: HashMap<(NamedId, NamedId), (u64, usize)> = HashMap::new();
        let mut labels = Labels::default();
        let mut last = 0;
        for (number, line) in (1..).zip(input.lines()) {
            let at = |fault| LabelError { line: number, fault };
            let line = line.map_err(|error| at(LabelFault::Io(error)))?;
            last = number;
            let line = line.trim_start_matches('\u{feff}').trim_end_matches('\r');
            if line.is_empty() {
                continue;
            }
            let Some(columns) = &columns else {
                columns = Some(Columns::of(line).map_err(at)?);
                continue;
            };
            let pair = columns.read(line).map_err(at)?;
            match seen.get(&(pair.a.clone(), pair.b.clone())) {
                Some(&(_, index)) if labels.pairs[index].label == pair.label => labels.repeated += 1,
                Some(&(line, _)) => return Err(at(LabelFault::Conflict { line })),
                None => {
                    seen.insert((pair.a.clone(), pair.b.clone()), (number, labels.pairs.len()));
                    labels.pairs.push(pair);
                }
            }
        }
        if columns.is_none() {
            return Err(LabelError { line: last.max(1), fault: LabelFault::Empty });
        }
        Ok(labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Labels, String> {
        Labels::read(text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_are_found_by_their_names() {
        let text =
            "score\tid2\tid1\tkind\tlabel\n.5\tb\ta\tedit\t1\r\n\n.5\ta\tc\t\t0\n1\td\tc\tx\tg\n1\ta\tb\tedit\t1\n";
        let labels = read(text).expect("a label file");
        let pair = |a: &str, b: &str, label, kind: Option<&str>| LabelledPair {
            a: NamedId::of_argument(a),
            b: NamedId::of_argument(b),
            label,
            kind: kind.map(str::to_owned),
        };
        let expected = [
            pair("a", "b", Label::Correct, Some("edit")),
            pair("a", "c", Label::Incorrect, None),
            pair("c", "d", Label::Undecided, Some("x")),
        ];
        assert_eq!(labels.pairs, expected);
        assert_eq!(labels.repeated, 1);
        assert_eq!(read("id1\tid2\tlabel\n"), Ok(Labels::default()));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, told) in [
            ("", "line 1: there is no header"),
            ("id1,id2,label\n", "line 1: there is no column \"id1\" among [\"id1,id2,label\"]"),
            ("id1\tid2\tkind\n", "line 1: there is no column \"label\""),
            ("id1\tid2\tlabel\na\tb\n", "line 2: 2 columns where the header has 3"),
            ("id1\tid2\tlabel\na\tb\t1\t1\n", "line 2: 4 columns where the header has 3"),
            ("id1\tid2\tlabel\na\tb\tyes\n", "line 2: \"yes\" is no label"),
            ("id1\tid2\tlabel\na\t\t1\n", "line 2: an id is empty"),
            ("id1\tid2\tlabel\na\ta\t1\n", "line 2: both ids are \"a\""),
            ("id1\tid2\tlabel\n\na\tb\t1\nb\ta\t0\n", "line 4: line 3 has another label for the same pair"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(told), "{text:?}: {error}");
        }
        let error = Labels::read(&b"id1\tid2\tlabel\n\xff\tb\t1\n"[..]).expect_err("not UTF-8");
        assert_eq!(error.to_string(), "line 2: it is not UTF-8");
    }
}
