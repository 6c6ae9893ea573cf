//! JSON lines: one object a line, with an id and a text, a page or a fingerprint.

use std::{fmt, io};

use nddb_page::text::PageKind;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::entry::{Entry, EntryContent, PageEntry, Reason, valid_id};
use super::lines::{self, Line};
use super::options::{JsonFields, Options};
use super::stream::Stream;
use super::{date, raw};

/// Reader of lines of JSON. Empty lines are skipped.
#[derive(Default)]
pub(super) struct Jsonl;

impl Jsonl {
    /// Returns the entry of the next line.
    pub(super) fn next(&mut self, stream: &mut Stream, options: &Options) -> io::Result<Option<Entry>> {
        loop {
            let point = stream.point();
            let len = match lines::next(stream, options.limits.record)? {
                Line::End => return Ok(None),
                Line::Trouble(entry) => return Ok(Some(entry)),
                Line::Held(len) => len,
            };
            let line = &stream.window()[..len];
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
            let content = (!line.is_empty()).then(|| parse(line, options));
            stream.consume(len);
            if let Some(content) = content {
                return Ok(Some(Entry { position: stream.position_since(point, len as u64), content }));
            }
        }
    }
}

/// Makes a document of a line. If there are several fields, the fingerprint is preferred to the page, and the page
/// to the text.
fn parse(line: &[u8], options: &Options) -> EntryContent {
    let (mut fields, mut seen) = (Fields::default(), [false; FIELDS]);
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let object = Object { names: names(options), fields: &mut fields, seen: &mut seen };
    if let Err(error) = object.deserialize(&mut deserializer).and_then(|()| deserializer.end()) {
        return skipped(Reason::BadJson, error.to_string());
    }
    document(fields, options).unwrap_or_else(|content| content)
}

fn document(fields: Fields, options: &Options) -> Result<EntryContent, EntryContent> {
    let names = &options.fields;
    let [id_value, text_value, html_value, fp_value, url_value, other_url, date_value, other_date] = fields.0;
    let id = match id_value {
        _ if options.needs_no_ids() => String::new(),
        Value::Number(number) => number,
        other => {
            text(other, &names.id)?.ok_or_else(|| skipped(Reason::MissingField, format!("no field {:?}", names.id)))?
        }
    };
    if !valid_id(&id) && !options.needs_no_ids() {
        return Err(EntryContent::bad_id(&id));
    }
    // What stands at another place than the named one may be anything.
    let url = match (text(url_value, &names.url)?, other_url) {
        (None, Value::Text(url)) => Some(url),
        (url, _) => url,
    };
    if let Some(hex) = text(fp_value, &names.fp)? {
        let fingerprint = raw::parse_hex(hex.as_bytes())
            .ok_or_else(|| skipped(Reason::BadFingerprint, format!("field {:?} is not 16 hex digits", names.fp)))?;
        return Ok(EntryContent::Fingerprint { id, fingerprint, url });
    }
    let (kind, body) = match (text(html_value, &names.html)?, text(text_value, &names.text)?) {
        (Some(html), _) => (PageKind::Html, html),
        (None, Some(text)) => (PageKind::Text, text),
        (None, None) => {
            let detail = format!("none of the fields {:?}, {:?} and {:?}", names.text, names.html, names.fp);
            return Err(skipped(Reason::MissingField, detail));
        }
    };
    let date = [date_value, other_date].into_iter().find_map(|value| match value {
        Value::Text(text) => date::parse(text.as_bytes()),
        _ => None,
    });
    let charset = Some("utf-8".to_owned());
    Ok(EntryContent::Page(PageEntry { id, url, date, kind, charset, body: body.into_bytes(), truncated: false }))
}

fn skipped(reason: Reason, detail: String) -> EntryContent {
    EntryContent::Skipped { reason, detail }
}

fn text(value: Value, name: &str) -> Result<Option<String>, EntryContent> {
    let found = match value {
        Value::Absent => return Ok(None),
        Value::Text(text) => return Ok(Some(text)),
        Value::Number(_) => "a number",
        Value::Other(found) => found,
    };
    Err(skipped(Reason::WrongType, format!("field {name:?} is {found}")))
}

/// Number of fields that are read: id, text, HTML, fingerprint, URL and date, and where else the last two may be.
const FIELDS: usize = 8;

/// The fields of a document. All others are skipped, so that no line takes more memory than itself.
#[derive(Default)]
struct Fields([Value; FIELDS]);

/// The names of the fields, as far as they lie in an object: a nested one has the names on the way to it with dots
/// between them, as the columns of Parquet files.
type Names<'a> = [Option<&'a str>; FIELDS];

/// Returns the names of the fields; of the usual name, the URL and the date are also looked for where datatrove puts
/// them.
fn names(options: &Options) -> Names<'_> {
    let JsonFields { id, text, html, fp, url } = &options.fields;
    let is_usual = *url == JsonFields::default().url && !options.required.contains(url);
    let other_url = is_usual.then_some("metadata.url");
    let id = Some(id.as_str()).filter(|id| !id.is_empty());
    [id, Some(text), Some(html), Some(fp), Some(url), other_url, Some("date"), Some("metadata.date")]
}

/// A field's value.
#[derive(Default)]
enum Value {
    /// Absent or null.
    #[default]
    Absent,
    Text(String),
    /// An integer, in decimal.
    Number(String),
    Other(&'static str),
}

/// Reads the fields that lie in an object, which has this name.
struct Object<'a, 'b> {
    names: Names<'a>,
    fields: &'b mut Fields,
    seen: &'b mut [bool; FIELDS],
}

impl<'de> DeserializeSeed<'de> for Object<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { names, fields, seen } = self;
        while let Some(key) = map.next_key_seed(Key { names: &names })? {
            match key {
                Found::Nothing => drop(map.next_value::<IgnoredAny>()?),
                Found::Field(field) => {
                    // Which of two texts is meant nobody can know.
                    if std::mem::replace(&mut seen[field], true) {
                        let name = names[field].unwrap_or_default();
                        return Err(A::Error::custom(format!("field {name:?} stands there twice")));
                    }
                    fields.0[field] = map.next_value_seed(Any)?;
                }
                Found::Within(names) => map.next_value_seed(Within(Object { names, fields, seen }))?,
            }
        }
        Ok(())
    }
}

/// What the name of a field tells.
enum Found<'a> {
    Nothing,
    Field(usize),
    /// Fields may lie in it, which have these names there.
    Within(Names<'a>),
}

/// Deserializes a field's name without keeping it.
struct Key<'a, 'b> {
    names: &'b Names<'a>,
}

impl<'a, 'de> DeserializeSeed<'de> for Key<'a, '_> {
    type Value = Found<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found<'a>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for Key<'a, '_> {
    type Value = Found<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    fn visit_str<E>(self, key: &str) -> Result<Found<'a>, E> {
        if let Some(field) = self.names.iter().position(|name| *name == Some(key)) {
            return Ok(Found::Field(field));
        }
        let within = self.names.map(|name| name?.strip_prefix(key)?.strip_prefix('.'));
        Ok(if within.iter().any(Option::is_some) { Found::Within(within) } else { Found::Nothing })
    }
}

/// Reads the fields in a value, if it is an object.
struct Within<'a, 'b>(Object<'a, 'b>);

impl<'de> DeserializeSeed<'de> for Within<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Within<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.0.visit_map(map)
    }
}

/// Deserializes a value of any type, and keeps it if it may be a field's.
struct Any;

impl<'de> DeserializeSeed<'de> for Any {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Other("a number with a fraction"))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Other("a boolean"))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Absent)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an array"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an object"))
    }
}
