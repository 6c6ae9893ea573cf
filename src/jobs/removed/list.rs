//! Lists of removed documents: `remove.tsv` of a clustering, and the rows of `--removed`.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::str::FromStr;

use nddb_index::View;

use super::Removed;
use super::origins::Place;
use crate::error::{Advice, JobError, Result};
use crate::fields::{LossValues, OF_REMOVED, append_tsv};
use crate::lists;
use crate::named_id::NamedId;
use crate::output::{Destination, OutputFile};
use crate::packed::PackedFile;
use crate::rows::{Cell, CellKind, Column, IdCells, RowFormat, Rows};
use crate::tsv;

/// Why a document is removed; what is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Because<'a> {
    /// The id of the document that is kept.
    pub kept: Option<&'a str>,
    /// The database of that one, if it is an earlier one.
    pub kept_in: Option<&'a str>,
    /// The name of the rule that decided.
    pub rule: Option<&'a str>,
    /// The probability of the two.
    pub probability: Option<f64>,
    /// What is lost.
    pub loss: LossValues<'a>,
    /// Whether it is not removed, and only reported.
    pub stays: bool,
    /// What of its text is cut, if it is not removed.
    pub cut: Option<CutAt>,
}

/// A cut in the text of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CutAt {
    /// The first code point of the text.
    pub begin: u64,
    /// The one behind the last.
    pub end: u64,
    /// Number of its words.
    pub words: u64,
}

/// Callback for the documents of a list: how each is named, why it is removed, and its place.
type Visit<'a> = dyn FnMut(NamedId, Because<'_>, Option<Place>) -> Result<()> + 'a;

/// The paths of the archives of a database, by their numbers.
struct Archives(HashMap<u32, String>);

impl Archives {
    fn read(view: View<'_>) -> nddb_index::Result<Self> {
        Ok(Self(view.archives()?.into_iter().map(|(number, archive)| (number, archive.path)).collect()))
    }

    fn path(&self, place: &Place) -> Option<&str> {
        self.0.get(&place.archive).map(String::as_str)
    }
}

/// `remove.tsv`: each document that a clustering removes, why, and its position; cells of unknown values are empty.
/// An id may be that of several rows of a file, and of these one was judged.
pub struct RemoveTsv {
    output: OutputFile,
    archives: Archives,
    line: Vec<u8>,
}

impl RemoveTsv {
    /// Begins the file with the names of its columns.
    ///
    /// # Errors
    /// The file cannot be written; damage of the database.
    pub fn begin(output: OutputFile, view: View<'_>) -> Result<Self> {
        let line = "document\tkept\trule\tprobability\tloss\tlost\tlost_words\tlost_passage\tlevel\t\
                    archive\toffset\tinner\tfile\n";
        let mut begun = Self { output, archives: Archives::read(view)?, line: line.as_bytes().to_vec() };
        begun.write_line()?;
        Ok(begun)
    }

    fn write_line(&mut self) -> Result<()> {
        self.output.write_all(&self.line).map_err(|error| self.output.failed(error).into())
    }

    /// Writes a line; `has_namesake` tells of an id whether another one reads the same.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, removed: &Removed<'_>, has_namesake: impl Fn(&str) -> bool) -> Result<()> {
        let line = &mut self.line;
        line.clear();
        tsv::write_id(line, removed.id, has_namesake(removed.id));
        line.push(b'\t');
        if let Some(kept) = removed.kept {
            tsv::write_id(line, kept, has_namesake(kept));
        }
        line.push(b'\t');
        tsv::write_text(line, &removed.rule);
        let loss = LossValues::of(removed.loss.as_ref(), removed.level);
        for share in [removed.probability, loss.share] {
            let cell = share.map_or_else(String::new, |share| format!("{share:.6}"));
            line.extend_from_slice(format!("\t{cell}").as_bytes());
        }
        append_tsv(&loss.cells()[1..], line);
        match removed.origin.place {
            Some(place) => {
                line.extend_from_slice(format!("\t{}\t{}\t{}\t", place.archive, place.offset, place.inner).as_bytes());
                tsv::write_text(line, self.archives.path(&place).unwrap_or_default());
            }
            None => line.extend_from_slice(b"\t\t\t\t"),
        }
        line.push(b'\n');
        self.write_line()
    }

    /// Completes the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<()> {
        self.output.finish()?;
        Ok(())
    }

    /// Passes on the lines of the file: the document, why it is removed (the kept one as its cell), and its place.
    ///
    /// # Errors
    /// Errors of [`lists::each_line`]; the file is no such table; errors of `visit`.
    pub fn read(path: &Path, visit: &mut Visit<'_>) -> Result<()> {
        let wrong = |what: &str| JobError::input(format!("{}: {what}", path.display())).advise(Advice::WriteLists);
        let mut has_begun = false;
        lists::each_line(path, &mut |number, line| {
            has_begun = true;
            if number == 1 {
                return Ok(());
            }
            let row = Self::row(line).ok_or_else(|| wrong(&format!("line {number} is no line of remove.tsv")));
            let (named, because, place) = row?;
            visit(named, because, place)
        })?;
        if has_begun { Ok(()) } else { Err(wrong("it has not even the names of its columns")) }
    }

    fn row(line: &str) -> Option<(NamedId, Because<'_>, Option<Place>)> {
        let cells: Vec<&str> = line.split('\t').collect();
        let [document, kept, rule, probability, share, lost, words, passage, level, archive, offset, inner, _file] =
            cells[..]
        else {
            return None;
        };
        fn known<T: FromStr>(cell: &str) -> Option<Option<T>> {
            if cell.is_empty() { Some(None) } else { cell.parse().ok().map(Some) }
        }
        let loss = LossValues {
            share: known(share)?,
            words: known(words)?,
            passage: known(passage)?,
            lost: Some(lost.into()).filter(|_| !lost.is_empty()),
            level: known(level)?,
        };
        let because = Because {
            kept: Some(kept).filter(|kept| !kept.is_empty()),
            kept_in: None,
            // The names of rules have nothing that would be escaped.
            rule: Some(rule).filter(|rule| !rule.is_empty()),
            probability: known(probability)?,
            loss,
            ..Because::default()
        };
        let place = match [archive, offset, inner] {
            ["", "", ""] => None,
            _ => {
                Some(Place { archive: archive.parse().ok()?, offset: offset.parse().ok()?, inner: inner.parse().ok()? })
            }
        };
        Some((NamedId::of_cell(document)?, because, place))
    }
}

/// The list of `--removed`: a row for each removed document.
pub struct RemovedRows<'a> {
    rows: Rows,
    ids: IdCells<'a>,
    archives: Archives,
    more: More,
}

/// The columns that a list has besides those that every one has.
#[derive(Clone, Copy, Debug, Default)]
pub struct More {
    /// The database of the kept document.
    pub earlier: bool,
    /// Whether a document stays: of those that stand within another one.
    pub stays: bool,
    /// Whether cuts in texts are listed.
    pub cuts: bool,
}

impl<'a> RemovedRows<'a> {
    /// Begins the list, in the format that its name says, else as TSV with the names of columns.
    ///
    /// # Errors
    /// The output cannot be made; damage of the database.
    pub fn begin(to: &Destination, view: View<'a>, more: More) -> Result<Self> {
        let format = RowFormat::of(Some(to.path()), None::<RowFormat>, RowFormat::Tsv)?;
        let of = |columns: &[(&'static str, CellKind)]| {
            columns.iter().map(|&(name, kind)| Column::new(name, kind)).collect::<Vec<_>>()
        };
        let named = [
            ("id", CellKind::Text),
            ("kept", CellKind::Text),
            ("rule", CellKind::Text),
            ("probability", CellKind::Share),
        ];
        let mut last = vec![("file", CellKind::Text), ("offset", CellKind::Number)];
        last.extend(more.earlier.then_some(("kept_in", CellKind::Text)));
        last.extend(more.stays.then_some(("stays", CellKind::Flag)));
        last.extend(["begin", "end", "words"].into_iter().filter(|_| more.cuts).map(|name| (name, CellKind::Number)));
        let columns = [of(&named), OF_REMOVED.to_vec(), of(&last)].concat();
        let rows = Rows::new(format, PackedFile::named(to)?, columns)?.with_names()?;
        Ok(Self { rows, ids: IdCells::new(view, format)?, archives: Archives::read(view)?, more })
    }

    /// Appends a document.
    ///
    /// # Errors
    /// As [`Rows::row`].
    pub fn write(&mut self, id: &str, because: &Because<'_>, place: Option<Place>) -> nddb_index::Result<()> {
        let kept = match (because.kept, because.kept_in) {
            (Some(kept), None) => self.ids.cell(kept)?,
            (Some(kept), Some(_)) => Cell::id(kept),
            (None, _) => Cell::Null,
        };
        let mut cells = vec![self.ids.cell(id)?, kept, because.rule.into(), because.probability.into()];
        cells.extend(because.loss.cells());
        cells.extend::<[Cell<'_>; 2]>([
            place.as_ref().and_then(|place| self.archives.path(place)).into(),
            place.map(|place| place.offset).into(),
        ]);
        if self.more.earlier {
            cells.push(because.kept_in.into());
        }
        if self.more.stays {
            cells.push(Cell::Flag(because.stays));
        }
        if self.more.cuts {
            let cut = because.cut;
            cells.extend([cut.map(|cut| cut.begin), cut.map(|cut| cut.end), cut.map(|cut| cut.words)].map(Cell::from));
        }
        self.rows.row(&cells)
    }

    /// Ends the list, and says how the work ended.
    ///
    /// # Errors
    /// As [`Rows::finish`].
    pub fn finish<T, E: From<JobError>>(self, outcome: Result<T, E>) -> Result<T, E> {
        self.rows.finish(outcome)
    }
}
