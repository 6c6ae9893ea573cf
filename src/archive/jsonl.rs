//! JSON lines: one object a line, with an id and a text, a page or a fingerprint.

use std::fmt;
use std::io;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::entry::{Entry, EntryContent, PageEntry, Reason, valid_id};
use super::lines::{self, Line};
use super::options::{JsonFields, Options};
use super::raw;
use super::stream::Stream;
use crate::text::PageKind;

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
    let names = &options.fields;
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let object = Object { names }.deserialize(&mut deserializer).and_then(|fields| deserializer.end().map(|()| fields));
    let fields = match object {
        Ok(fields) => fields,
        Err(error) => return skipped(Reason::BadJson, error.to_string()),
    };
    document(fields, options).unwrap_or_else(|content| content)
}

fn document(fields: Fields, options: &Options) -> Result<EntryContent, EntryContent> {
    let names = &options.fields;
    let id = match fields.id {
        _ if options.needs_no_ids() => String::new(),
        Value::Number(number) => number,
        other => {
            text(other, &names.id)?.ok_or_else(|| skipped(Reason::MissingField, format!("no field {:?}", names.id)))?
        }
    };
    if !valid_id(&id) && !options.needs_no_ids() {
        return Err(EntryContent::bad_id(&id));
    }
    let url = text(fields.url, &names.url)?;
    if let Some(hex) = text(fields.fp, &names.fp)? {
        let fingerprint = raw::parse_hex(hex.as_bytes())
            .ok_or_else(|| skipped(Reason::BadFingerprint, format!("field {:?} is not 16 hex digits", names.fp)))?;
        return Ok(EntryContent::Fingerprint { id, fingerprint, url });
    }
    let (kind, body) = match (text(fields.html, &names.html)?, text(fields.text, &names.text)?) {
        (Some(html), _) => (PageKind::Html, html),
        (None, Some(text)) => (PageKind::Text, text),
        (None, None) => {
            let detail = format!("none of the fields {:?}, {:?} and {:?}", names.text, names.html, names.fp);
            return Err(skipped(Reason::MissingField, detail));
        }
    };
    let charset = Some("utf-8".to_owned());
    Ok(EntryContent::Page(PageEntry { id, url, date: None, kind, charset, body: body.into_bytes(), truncated: false }))
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

/// The fields of a document. All others are skipped, so that no line takes more memory than itself.
#[derive(Default)]
struct Fields {
    id: Value,
    text: Value,
    html: Value,
    fp: Value,
    url: Value,
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

struct Object<'a> {
    names: &'a JsonFields,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = Fields;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Fields, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Fields::default();
        let mut seen = [false; 5];
        while let Some(key) = map.next_key_seed(Key { names: self.names })? {
            let Some(key) = key else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            // Which of two texts is meant nobody can know.
            if std::mem::replace(&mut seen[key as usize], true) {
                return Err(A::Error::custom(format!("field {:?} stands there twice", key.name(self.names))));
            }
            let slot = match key {
                Slot::Id => &mut fields.id,
                Slot::Text => &mut fields.text,
                Slot::Html => &mut fields.html,
                Slot::Fp => &mut fields.fp,
                Slot::Url => &mut fields.url,
            };
            *slot = map.next_value_seed(Any)?;
        }
        Ok(fields)
    }
}

#[derive(Clone, Copy)]
enum Slot {
    Id,
    Text,
    Html,
    Fp,
    Url,
}

impl Slot {
    fn name(self, names: &JsonFields) -> &str {
        match self {
            Self::Id => &names.id,
            Self::Text => &names.text,
            Self::Html => &names.html,
            Self::Fp => &names.fp,
            Self::Url => &names.url,
        }
    }
}

/// Deserializes a field's name without keeping it.
struct Key<'a> {
    names: &'a JsonFields,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<Slot>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Slot>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<Slot>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<Slot>, E> {
        let names = self.names;
        Ok(if name == names.id {
            Some(Slot::Id)
        } else if name == names.text {
            Some(Slot::Text)
        } else if name == names.html {
            Some(Slot::Html)
        } else if name == names.fp {
            Some(Slot::Fp)
        } else if name == names.url {
            Some(Slot::Url)
        } else {
            None
        })
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
