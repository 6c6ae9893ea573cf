//! The columns of a file that make a document.

use parquet::basic::{ConvertedType, IntType, LogicalType, TimeUnit, Type};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use crate::layouts;
use crate::options::{JsonFields, Options};
use crate::parts::OfMessage;

/// A column of the file and the type of its values.
pub(super) struct Column {
    /// Index among all leaves of the schema.
    pub(super) index: usize,
    /// Its path in the schema, with dots between the names.
    pub(super) name: String,
    pub(super) kind: ColumnType,
}

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    /// Text in UTF-8.
    Text,
    /// Bytes in any encoding.
    Bytes,
    Int32,
    Uint32,
    Int64,
    Uint64,
    /// 16 bytes.
    Uuid,
    /// A time since 1970, in this many parts of a second.
    Time(i64),
    /// A day, by its number since 1970.
    Days,
    /// A number with a fraction.
    Double,
}

/// A part of a text.
pub(super) enum TextPart {
    /// The text of a column.
    One(Column),
    /// A list of texts, or the contents of messages with the column of their roles, and the only role that is wanted.
    List { content: Column, role: Option<Column>, only: Option<String> },
}

/// Names that writers give to the levels of a list.
const LEVELS: [&str; 6] = ["list", "element", "item", "array", "bag", "array_element"];

/// Number of columns that are read.
pub(super) const COLUMNS: usize = 10;

/// The columns of documents, in the order in which their values are read.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) id: Option<Column>,
    pub(super) url: Option<Column>,
    pub(super) text: Option<Column>,
    pub(super) html: Option<Column>,
    pub(super) fp: Option<Column>,
    pub(super) date: Option<Column>,
    pub(super) batch: Option<Column>,
    /// In a table of sketches: the sketch, its recipe, and the archive of its page.
    pub(super) sketch: Option<Column>,
    pub(super) recipe: Option<Column>,
    pub(super) archive: Option<Column>,
    /// The text, if it stands in several parts.
    pub(super) parts: Vec<TextPart>,
}

impl Columns {
    /// Finds the columns of these names, except that of the id if ids are places. A column with its usual name may be
    /// absent, unless it is required; text, address and date are also looked for under the names of well-known data
    /// sets.
    ///
    /// # Errors
    ///
    /// A message: a requested column is absent or of an unsuitable type, or there is no column from which to make a
    /// document.
    pub(super) fn find(schema: &SchemaDescriptor, options: &Options) -> Result<Columns, String> {
        let Options { fields: names, required, batch_column, .. } = options;
        let usual = JsonFields::default();
        let find_any = |candidates: &[&str], usual: &str, fits: fn(ColumnType) -> bool| {
            let name = candidates.first().copied().unwrap_or_default();
            let is_usual = name == usual && required.iter().all(|required| required != name);
            // A column with a name of a well-known data set may hold anything.
            let other = |&candidate: &&str| column(schema, candidate)?.ok().filter(|found| fits(found.kind)).map(Ok);
            let others = || candidates.iter().skip(1).find_map(other);
            match column(schema, name).or_else(others) {
                None if is_usual => Ok(None),
                // Writers without a schema write a column without values as a column of nulls.
                Some(Err(name)) if is_usual && is_null(schema, &name) => Ok(None),
                None => Err(format!("no column {name:?}; {}", listed(schema))),
                Some(Ok(column)) if fits(column.kind) => Ok(Some(column)),
                Some(Ok(Column { name, .. }) | Err(name)) => Err(format!("column {name:?} has an unsuitable type")),
            }
        };
        let find = |name: &str, usual: &str, fits| find_any(&[name], usual, fits);
        let is_text = |kind| matches!(kind, ColumnType::Text | ColumnType::Bytes);
        let is_date = |kind| !matches!(kind, ColumnType::Uuid | ColumnType::Uint32);
        let batch = match batch_column {
            Some(batch) => find(batch, "", is_text)?,
            None => None,
        };
        // If the user names a column, documents must be made from it.
        if required.is_empty()
            && let Some(columns) = Columns::of_sketches(schema)
        {
            return Ok(Columns { batch, ..columns });
        }
        let candidates = layouts::text(options);
        let mut parts = match layouts::is_joined(options) {
            true => candidates
                .iter()
                .map(|name| part(schema, name).ok_or_else(|| format!("no text column {name:?}; {}", listed(schema))))
                .collect::<Result<Vec<_>, String>>()?,
            false => candidates.first().and_then(|name| list(schema, name)).into_iter().collect(),
        };
        let text = if parts.is_empty() { find_any(&candidates, &usual.text, is_text)? } else { None };
        if text.is_none() && parts.is_empty() {
            parts.extend(candidates.iter().skip(1).find_map(|name| list(schema, name)));
        }
        let columns = Columns {
            id: match options.needs_no_ids() {
                true => None,
                false => find(&names.id, &usual.id, |kind| {
                    !matches!(kind, ColumnType::Time(_) | ColumnType::Days | ColumnType::Double)
                })?,
            },
            url: find_any(&layouts::url(options), &usual.url, is_text)?,
            text,
            html: find(&names.html, &usual.html, is_text)?,
            fp: find(&names.fp, &usual.fp, |kind| {
                matches!(kind, ColumnType::Text | ColumnType::Bytes | ColumnType::Int64 | ColumnType::Uint64)
            })?,
            // If a column has a known name but an unsuitable type, there is no date.
            date: match &options.date {
                Some(name) => find(name, "", is_date)?,
                None => {
                    let known = layouts::date(options);
                    known.iter().find_map(|&name| column(schema, name)?.ok().filter(|found| is_date(found.kind)))
                }
            },
            batch,
            sketch: None,
            recipe: None,
            archive: None,
            parts,
        };
        if columns.text.is_none() && columns.parts.is_empty() && columns.html.is_none() && columns.fp.is_none() {
            return Err(layouts::no_column(options, &listed(schema)));
        }
        Ok(columns)
    }

    /// Finds the columns of a table of sketches: bytes in `sketch`, and the recipe that made them.
    fn of_sketches(schema: &SchemaDescriptor) -> Option<Columns> {
        let find = |name: &str, kind: ColumnType| column(schema, name)?.ok().filter(|column| column.kind == kind);
        let (sketch, recipe) = (find("sketch", ColumnType::Bytes)?, find("recipe", ColumnType::Text)?);
        let archive = find("archive", ColumnType::Text);
        Some(Columns { sketch: Some(sketch), recipe: Some(recipe), archive, ..Columns::default() })
    }

    /// Returns the columns in order.
    pub(super) fn all(&self) -> [Option<&Column>; COLUMNS] {
        let Columns { id, url, text, html, fp, date, batch, sketch, recipe, archive, parts: _ } = self;
        [id, url, text, html, fp, date, batch, sketch, recipe, archive].map(Option::as_ref)
    }
}

/// Finds a column; returns its name as an error if its type is not supported.
pub(super) fn column(schema: &SchemaDescriptor, name: &str) -> Option<Result<Column, String>> {
    let (index, found) =
        schema.columns().iter().enumerate().find(|(_, column)| column.path().parts().join(".") == name)?;
    let kind = if found.max_rep_level() == 0 { kind(found) } else { None };
    Some(kind.map(|kind| Column { index, name: name.to_owned(), kind }).ok_or_else(|| name.to_owned()))
}

/// Finds a part of a text: a column of texts, or a list.
fn part(schema: &SchemaDescriptor, name: &str) -> Option<TextPart> {
    let one = column(schema, name).and_then(Result::ok);
    one.filter(|one| matches!(one.kind, ColumnType::Text | ColumnType::Bytes))
        .map(TextPart::One)
        .or_else(|| list(schema, name))
}

/// Finds a list of texts, or of messages, perhaps those of one role: `messages.user`.
fn list(schema: &SchemaDescriptor, name: &str) -> Option<TextPart> {
    let find = |name: &str, only: Option<&str>| {
        let (mut texts, mut content, mut role) = (None, None, None);
        for (index, leaf) in schema.columns().iter().enumerate() {
            let path = leaf.path().parts().join(".");
            let Some(inner) = path.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) else { continue };
            let Some(kind @ (ColumnType::Text | ColumnType::Bytes)) = kind(leaf).filter(|_| leaf.max_rep_level() == 1)
            else {
                continue;
            };
            let of_message: Vec<&str> = inner.split('.').filter(|part| !LEVELS.contains(part)).collect();
            let column = Column { index, name: path.clone(), kind };
            match of_message[..] {
                [] => texts = Some(column),
                [one] => match OfMessage::of_name(one) {
                    Some(OfMessage::Role) => role = Some(column),
                    Some(OfMessage::Content) => content = content.or(Some(column)),
                    None => (),
                },
                _ => (),
            }
        }
        let only = only.map(str::to_owned);
        match texts.filter(|_| only.is_none()) {
            Some(content) => Some(TextPart::List { content, role: None, only }),
            None if only.is_some() && role.is_none() => None,
            None => content.map(|content| TextPart::List { content, role, only }),
        }
    };
    find(name, None).or_else(|| name.rsplit_once('.').and_then(|(outer, only)| find(outer, Some(only))))
}

/// Returns whether a column has only nulls, by its type.
fn is_null(schema: &SchemaDescriptor, name: &str) -> bool {
    let mut columns = schema.columns().iter().filter(|column| column.path().parts().join(".") == name);
    columns.any(|column| column.logical_type_ref() == Some(&LogicalType::Unknown))
}

fn kind(column: &ColumnDescriptor) -> Option<ColumnType> {
    let logical = column.logical_type_ref();
    Some(match (column.physical_type(), logical, column.converted_type()) {
        (Type::BYTE_ARRAY, Some(LogicalType::String | LogicalType::Enum | LogicalType::Json), _)
        | (Type::BYTE_ARRAY, None, ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON) => ColumnType::Text,
        (Type::BYTE_ARRAY, None, ConvertedType::NONE) => ColumnType::Bytes,
        (Type::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Uuid), _) if column.type_length() == 16 => ColumnType::Uuid,
        (Type::INT64, Some(LogicalType::Timestamp(time)), _) => ColumnType::Time(match time.unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        }),
        (Type::INT32, Some(LogicalType::Date), _) | (Type::INT32, None, ConvertedType::DATE) => ColumnType::Days,
        // The times of early versions of Spark and Impala.
        (Type::INT96, ..) => ColumnType::Time(1),
        (Type::DOUBLE, ..) => ColumnType::Double,
        (Type::INT64, None, ConvertedType::TIMESTAMP_MILLIS) => ColumnType::Time(1_000),
        (Type::INT64, None, ConvertedType::TIMESTAMP_MICROS) => ColumnType::Time(1_000_000),
        (Type::INT32, Some(LogicalType::Integer(IntType { is_signed: false, .. })), _)
        | (Type::INT32, None, ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32) => {
            ColumnType::Uint32
        }
        (Type::INT64, Some(LogicalType::Integer(IntType { is_signed: false, .. })), _)
        | (Type::INT64, None, ConvertedType::UINT_64) => ColumnType::Uint64,
        (Type::INT32, Some(LogicalType::Integer(_)), _)
        | (Type::INT32, None, ConvertedType::NONE | ConvertedType::INT_8 | ConvertedType::INT_16)
        | (Type::INT32, None, ConvertedType::INT_32) => ColumnType::Int32,
        (Type::INT64, Some(LogicalType::Integer(_)), _)
        | (Type::INT64, None, ConvertedType::NONE | ConvertedType::INT_64) => ColumnType::Int64,
        _ => return None,
    })
}

/// Names the columns of the file.
pub(super) fn listed(schema: &SchemaDescriptor) -> String {
    if schema.num_columns() == 0 {
        return "it has no columns".into();
    }
    let names: Vec<String> = schema.columns().iter().map(|column| column.path().parts().join(".")).collect();
    format!("its columns are {}", layouts::listed(&names))
}
