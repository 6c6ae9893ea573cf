//! A column of a row group, read and written record by record as it is stored.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::ColumnDescriptor;

use super::fates::Fates;

/// Rows that are held at once.
const BATCH: u64 = 1024;

/// Where rows go: those that are kept, and those that are removed, if somebody wants them.
pub(super) type Outputs<T> = [Option<T>; 2];

/// Why a column could not be passed on.
pub(super) enum Failed {
    Reading(ParquetError),
    Writing(ParquetError),
}

/// Passes a column on: the values of kept rows to the first output, those of removed ones to the second.
pub(super) fn split(
    reader: ColumnReader,
    column: &ColumnDescriptor,
    fates: &Fates,
    is_cut: bool,
    outputs: &mut Outputs<SerializedColumnWriter<'_>>,
) -> Result<(), Failed> {
    match reader {
        ColumnReader::ByteArrayColumnReader(reader) if is_cut => {
            let edit: &mut Edit<'_, ByteArrayType> = &mut |from, part| cut(from, part, column, fates);
            typed(reader, column, fates, outputs, Some(edit))
        }
        ColumnReader::BoolColumnReader(reader) => typed::<BoolType>(reader, column, fates, outputs, None),
        ColumnReader::Int32ColumnReader(reader) => typed::<Int32Type>(reader, column, fates, outputs, None),
        ColumnReader::Int64ColumnReader(reader) => typed::<Int64Type>(reader, column, fates, outputs, None),
        ColumnReader::Int96ColumnReader(reader) => typed::<Int96Type>(reader, column, fates, outputs, None),
        ColumnReader::FloatColumnReader(reader) => typed::<FloatType>(reader, column, fates, outputs, None),
        ColumnReader::DoubleColumnReader(reader) => typed::<DoubleType>(reader, column, fates, outputs, None),
        ColumnReader::ByteArrayColumnReader(reader) => typed::<ByteArrayType>(reader, column, fates, outputs, None),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            typed::<FixedLenByteArrayType>(reader, column, fates, outputs, None)
        }
    }
}

/// Changes the values that were read, from a row on, before they are passed on.
type Edit<'a, T> = dyn FnMut(u64, &mut ColumnValues<T>) -> Result<()> + 'a;

/// Cuts texts: the values of a column without lists, of which the first one read is that of row `from`.
fn cut(from: u64, part: &mut ColumnValues<ByteArrayType>, column: &ColumnDescriptor, fates: &Fates) -> Result<()> {
    let levels = part.definitions.iter().map(|&level| level == column.max_def_level());
    let is_there =
        levels.chain(std::iter::repeat_n(true, if part.definitions.is_empty() { part.values.len() } else { 0 }));
    let rows = (from..).zip(is_there).filter(|(_, is_there)| *is_there).map(|(row, _)| row);
    for (row, value) in rows.zip(&mut part.values) {
        let cuts = fates.cuts(row);
        if cuts.is_empty() {
            continue;
        }
        let (mut kept, mut at) = (Vec::new(), 0);
        for cut in cuts.iter().cloned().chain(std::iter::once(value.len()..value.len())) {
            let piece = value.data().get(at..cut.start);
            kept.extend_from_slice(piece.ok_or_else(|| damaged("a text is another one than before"))?);
            at = cut.end;
        }
        *value = kept.into();
    }
    Ok(())
}

fn typed<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    column: &ColumnDescriptor,
    fates: &Fates,
    outputs: &mut Outputs<SerializedColumnWriter<'_>>,
    mut edit: Option<&mut Edit<'_, T>>,
) -> Result<(), Failed> {
    let defined = column.max_def_level();
    let (mut all, mut parts) = (ColumnValues::<T>::new(), [ColumnValues::new(), ColumnValues::new()]);
    let (mut from, mut are_removed) = (0, Vec::new());
    while from < fates.len() {
        let to = fates.len().min(from + BATCH);
        fates.are_removed(from, to, &mut are_removed);
        all.read(&mut reader, are_removed.len()).map_err(Failed::Reading)?;
        if let Some(edit) = &mut edit {
            edit(from, &mut all).map_err(Failed::Reading)?;
        }
        let goes_to = |part| are_removed.iter().all(|&is_removed| usize::from(is_removed) == part);
        let is_whole = [goes_to(0), goes_to(1)];
        if is_whole == [false; 2] {
            all.split(&are_removed, defined, &mut parts).map_err(Failed::Reading)?;
        }
        for ((output, part), is_whole) in outputs.iter_mut().zip(&mut parts).zip(is_whole) {
            let part = if is_whole { &mut all } else { part };
            if let (Some(output), false) = (output, part.is_empty()) {
                part.write(output.typed::<T>()).map_err(Failed::Writing)?;
            }
            part.clear();
        }
        from = to;
    }
    Ok(())
}

/// Values of rows: of each a definition level if it may be null, and a repetition level if a row may have several.
struct ColumnValues<T: DataType> {
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    /// Those that are not null.
    values: Vec<T::T>,
}

impl<T: DataType> ColumnValues<T> {
    fn new() -> Self {
        Self { definitions: Vec::new(), repetitions: Vec::new(), values: Vec::new() }
    }

    fn clear(&mut self) {
        self.definitions.clear();
        self.repetitions.clear();
        self.values.clear();
    }

    fn is_empty(&self) -> bool {
        self.definitions.is_empty() && self.repetitions.is_empty() && self.values.is_empty()
    }

    /// Reads the values of the next rows.
    fn read(&mut self, reader: &mut ColumnReaderImpl<T>, rows: usize) -> Result<()> {
        self.clear();
        let levels = (Some(&mut self.definitions), Some(&mut self.repetitions));
        let (read, ..) = reader.read_records(rows, levels.0, levels.1, &mut self.values)?;
        if read < rows {
            return Err(damaged("a column ends before the last row of its row group"));
        }
        Ok(())
    }

    fn write(&self, writer: &mut ColumnWriterImpl<'_, T>) -> Result<()> {
        let levels = |levels| Some(levels).filter(|levels: &&[i16]| !levels.is_empty());
        writer.write_batch(&self.values, levels(&self.definitions), levels(&self.repetitions)).map(|_| ())
    }

    /// Moves the values of each row to the part that it belongs to. A value is null if it is not at the highest level.
    fn split(&mut self, belongs: &[bool], defined: i16, parts: &mut [Self; 2]) -> Result<()> {
        let Self { definitions, repetitions, values } = self;
        let levels = definitions.len().max(repetitions.len()).max(values.len());
        let (mut values, mut belongs, mut part) = (values.drain(..), belongs.iter(), 0);
        for level in 0..levels {
            let repetition = repetitions.get(level).copied();
            if repetition.unwrap_or(0) == 0 {
                part = usize::from(*belongs.next().ok_or_else(|| damaged("a column has more rows than it says"))?);
            }
            let part = &mut parts[part];
            part.repetitions.extend(repetition);
            let definition = definitions.get(level).copied();
            part.definitions.extend(definition);
            if definition.unwrap_or(defined) == defined {
                part.values.push(values.next().ok_or_else(|| damaged("a column has fewer values than levels"))?);
            }
        }
        Ok(())
    }
}

fn damaged(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(definitions: &[i16], repetitions: &[i16], values: &[i32]) -> ColumnValues<Int32Type> {
        ColumnValues { definitions: definitions.to_vec(), repetitions: repetitions.to_vec(), values: values.to_vec() }
    }

    fn parts(mut all: ColumnValues<Int32Type>, belongs: &[bool], defined: i16) -> Result<[ColumnValues<Int32Type>; 2]> {
        let mut parts = [ColumnValues::new(), ColumnValues::new()];
        all.split(belongs, defined, &mut parts)?;
        Ok(parts)
    }

    #[test]
    fn a_list_goes_where_its_row_goes() {
        // [1, null, 2], [], null, [3]
        let all = part(&[3, 2, 3, 1, 0, 3], &[0, 1, 1, 0, 0, 0], &[1, 2, 3]);
        let [kept, removed] = parts(all, &[true, false, true, false], 3).expect("sound");
        assert_eq!((kept.definitions, kept.repetitions, kept.values), (vec![1, 3], vec![0, 0], vec![3]));
        assert_eq!(removed.definitions, [3, 2, 3, 0]);
        assert_eq!((removed.repetitions, removed.values), (vec![0, 1, 1, 0], vec![1, 2]));
    }

    #[test]
    fn plain_values_have_no_levels_and_nulls_no_values() {
        let [kept, removed] = parts(part(&[], &[], &[1, 2, 3]), &[false, true, false], 0).expect("sound");
        assert_eq!((kept.values, removed.values), (vec![1, 3], vec![2]));
        assert!(kept.definitions.is_empty() && kept.repetitions.is_empty());
        let [kept, removed] = parts(part(&[1, 0, 1], &[], &[1, 2]), &[false, true, true], 1).expect("sound");
        assert_eq!((kept.definitions, kept.values), (vec![1], vec![1]));
        assert_eq!((removed.definitions, removed.values), (vec![0, 1], vec![2]));
    }

    #[test]
    fn levels_that_do_not_fit_are_refused() {
        assert!(parts(part(&[], &[], &[1, 2]), &[false], 0).is_err());
        assert!(parts(part(&[1, 1], &[], &[1]), &[false, true], 1).is_err());
    }
}
