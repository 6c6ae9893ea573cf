//! Lines of JSON, passed on byte for byte.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, Write};
use std::path::Path;

use nddb_archive::{Input, Options, Position, repaired_line, text_fields, trimmed_line};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::cut::{cut_line, text_of};
use super::notes::FilterField;
use super::outs::Outs;
use super::remove_list::Fate;
use super::selection::{FilterCounts, Selection};
use crate::error::{Advice, JobError, Result};
use crate::json;
use crate::rows::json_value;

/// The input, as it is named, how its ids are read, where its rows stand if that matters, and what is added to them.
pub(super) struct JsonRows<'a> {
    pub(super) name: &'a Path,
    pub(super) options: &'a Options,
    pub(super) positions: Positions,
    pub(super) fields: &'a [FilterField],
}

/// Where the rows of a file stand.
pub(super) enum Positions {
    /// In no archive that is known.
    Unknown,
    /// At their offset in the file.
    Offsets,
    /// Where the library finds them in a compressed file.
    Packed(Box<Input>),
}

impl Positions {
    /// Returns the position of the next line that is not empty, which begins at this offset of the text.
    fn next(&mut self, offset: u64) -> Result<Option<Position>> {
        Ok(match self {
            Self::Unknown => None,
            Self::Offsets => Some(Position { offset, ..Position::default() }),
            Self::Packed(input) => input.next()?.map(|entry| entry.position),
        })
    }
}

impl JsonRows<'_> {
    /// Passes the lines of `input` on.
    pub(super) fn filter(
        mut self,
        mut input: impl BufRead,
        selection: &mut Selection,
        outs: &mut Outs<'_>,
        progress: &mut dyn FnMut(&FilterCounts) -> Result<()>,
    ) -> Result<FilterCounts> {
        let mut counts = FilterCounts::default();
        let (mut line, mut number, mut row) = (Vec::new(), 0_u64, 0_u64);
        loop {
            line.clear();
            let read = input.read_until(b'\n', &mut line);
            if read.map_err(|error| JobError::reading(self.name, &error))? == 0 {
                return Ok(counts);
            }
            number += 1;
            let offset = counts.bytes;
            counts.bytes += line.len() as u64;
            // The next file's first line may stand after it.
            if line.last() != Some(&b'\n') {
                line.push(b'\n');
            }
            let text = trimmed_line(&line);
            if text.is_empty() {
                self.write(&mut outs.one(false), &line)?;
                continue;
            }
            let is_object = text.first() == Some(&b'{');
            let id = self.options.id_of_row(self.name, row, self.id(text, number)?);
            let fate = selection.decide(id.as_deref(), self.positions.next(offset)?);
            row += 1;
            let lacks_id = id.is_none() && !self.options.fields.id.is_empty();
            counts.without_id += u64::from(lacks_id && fate == Fate::Kept);
            if selection.cutter.is_some() && !selection.leaves(fate) {
                let found = text_of(&line, text.as_ptr().addr() - line.as_ptr().addr(), &text_fields(self.options));
                let cuts = selection.cuts(id.as_deref(), || Some(Cow::from(&found.as_ref()?.text)))?;
                if let (Some(found), false) = (found, cuts.is_empty()) {
                    line = cut_line(&line, &found, &cuts);
                }
            }
            if !self.fields.is_empty() && is_object && (id.is_some() || fate == Fate::Removed) {
                line = self.with_fields(&line, id.as_deref(), fate, selection);
            }
            counts.add(fate);
            self.write(&mut outs.one(selection.leaves(fate)), &line)?;
            if counts.rows.is_multiple_of(1 << 12) {
                progress(&counts)?;
            }
        }
    }

    /// Returns the id of a row; none of what is no object, or has no id.
    fn id(&self, text: &[u8], number: u64) -> Result<Option<String>> {
        let read = |text: &[u8]| {
            let mut deserializer = serde_json::Deserializer::from_slice(text);
            let object = Object { id_field: &self.options.fields.id, fields: self.fields };
            object.deserialize(&mut deserializer).and_then(|found| deserializer.end().map(|()| found)).ok()
        };
        let repaired = || repaired_line(text).filter(|repaired| repaired != text);
        let Some((id, taken)) = read(text).or_else(|| read(&repaired()?)) else { return Ok(None) };
        match taken {
            Some(field) => {
                let message = format!("{}: line {number} has a field '{}' already", self.name.display(), field.name());
                Err(JobError::input(message).advise(Advice::LeaveOut))
            }
            None => Ok(id),
        }
    }

    fn write(&self, to: &mut dyn Write, bytes: &[u8]) -> Result<()> {
        to.write_all(bytes).map_err(|error| JobError::passing(self.name, error))
    }

    /// Adds the fields after the last one of a row.
    fn with_fields(&self, line: &[u8], id: Option<&str>, fate: Fate, selection: &Selection) -> Vec<u8> {
        let note = selection.notes.of(id, fate);
        // The line is an object.
        let end = line.iter().rposition(|&byte| byte == b'}').unwrap_or(line.len());
        let mut out = line[..end].to_vec();
        for &field in self.fields {
            out.extend_from_slice(format!(",\"{}\":", field.name()).as_bytes());
            json_value(&mut out, &selection.notes.cell(field, note));
        }
        out.extend_from_slice(&line[end..]);
        out
    }
}

/// Reads the id of an object, and the first of the fields that it has already.
struct Object<'a> {
    id_field: &'a str,
    fields: &'a [FilterField],
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = (Option<String>, Option<FilterField>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = (Option<String>, Option<FilterField>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut id, mut taken) = (None, None);
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            taken = taken.or(self.fields.iter().copied().find(|field| field.name() == key));
            if key == self.id_field {
                id = map.next_value::<Id>()?.0;
            } else if let Some(within) = self.id_field.strip_prefix(&*key).and_then(|rest| rest.strip_prefix('.')) {
                id = id.or(nested(map.next_value()?, within));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok((id, taken))
    }
}

/// Returns the id in a value, by the names on the way to it with dots between them.
fn nested(mut value: serde_json::Value, path: &str) -> Option<String> {
    if let Some(found) = value.get_mut(path) {
        return Id::of(found.take()).0;
    }
    let names = path.match_indices('.').map(|(at, _)| (&path[..at], &path[at + 1..]));
    names.into_iter().find_map(|(name, rest)| nested(value.get(name)?.clone(), rest))
}

/// An id as `load` reads it: a string or an integer.
struct Id(Option<String>);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Value::deserialize(deserializer).map(Self::of)
    }
}

impl Id {
    fn of(value: serde_json::Value) -> Self {
        Self(json::id_of(value).ok())
    }
}

#[cfg(test)]
mod tests {
    use nddb_format::record::number_id;

    use super::*;

    #[test]
    fn ids_are_those_that_load_reads() {
        let (name, positions) = (Path::new("x"), Positions::Unknown);
        let rows = JsonRows { name, options: &Options::default(), positions, fields: &[FilterField::Kept] };
        let id = |text: &str| rows.id(text.as_bytes(), 1);
        assert_eq!(id(r#"{"a":{"id":"no"},"id":"x\ty"}"#).expect("no field"), Some("x\ty".into()));
        assert_eq!(id(r#"{"id":-17}"#).expect("no field"), Some(number_id(-17)));
        for text in [
            r#"{"id":"\u00017"}"#,
            r#"{"id":1.5}"#,
            r#"{"id":null}"#,
            r#"{"ID":"x"}"#,
            "[1]",
            "{",
            r#"{"id":"x"} y"#,
            "17",
        ] {
            assert_eq!(id(text).expect("no field"), None, "{text}");
        }
        assert!(id(r#"{"kept":1,"id":"x"}"#).is_err());
    }
}
