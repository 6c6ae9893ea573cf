//! The fields of a line that make a document; reading keeps no other fields.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::layouts;
use crate::options::Options;
use crate::parts;

/// The role of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Id,
    Text,
    Html,
    Fingerprint,
    Url,
    Date,
}

/// The names of the fields, the preferred ones of each role first. A nested field is named by its path, with dots
/// between the names, like the columns of Parquet files.
pub(super) struct Names<'a>(Vec<(Role, &'a str)>);

impl<'a> Names<'a> {
    pub(super) fn of(options: &'a Options) -> Self {
        let fields = &options.fields;
        let id = Some(fields.id.as_str()).filter(|id| !id.is_empty());
        let mut names: Vec<_> = id.map(|id| (Role::Id, id)).into_iter().collect();
        names.extend(layouts::text(options).into_iter().map(|name| (Role::Text, name)));
        names.extend([(Role::Html, fields.html.as_str()), (Role::Fingerprint, &fields.fp)]);
        names.extend(layouts::url(options).into_iter().map(|name| (Role::Url, name)));
        names.extend(layouts::date(options).into_iter().map(|name| (Role::Date, name)));
        Self(names)
    }

    /// Returns the names of a role.
    #[cfg(feature = "parquet")]
    pub(super) fn of_role(&self, role: Role) -> impl Iterator<Item = &'a str> + '_ {
        self.0.iter().filter(move |(of, _)| *of == role).map(|(_, name)| *name)
    }

    /// Returns all names.
    #[cfg(feature = "parquet")]
    pub(super) fn all(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.0.iter().map(|(_, name)| *name)
    }

    /// Reads the fields of a line.
    pub(super) fn read(&self, line: &[u8]) -> serde_json::Result<LineFields<'_>> {
        let mut values: Vec<Option<Value>> = self.0.iter().map(|_| None).collect();
        let names: Within<'_> = self.0.iter().enumerate().map(|(at, &(_, name))| (at, name)).collect();
        let mut deserializer = serde_json::Deserializer::from_slice(line);
        Object { names: &names, values: &mut values }.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(LineFields { names: &self.0, values })
    }
}

/// The fields of a line, in the order of their names; `None` for a field that is absent.
pub(super) struct LineFields<'a> {
    names: &'a [(Role, &'a str)],
    values: Vec<Option<Value>>,
}

impl<'a> LineFields<'a> {
    /// Takes the values of a role that are present and not null, with their names, the preferred one first.
    pub(super) fn take(&mut self, role: Role) -> impl Iterator<Item = (&'a str, Value)> + '_ {
        let fields = self.names.iter().zip(&mut self.values).filter(move |((of, _), _)| *of == role);
        fields.filter_map(|((_, name), value)| Some((*name, value.take()?))).filter(|(_, value)| *value != Value::Null)
    }

    /// Returns whether a field of this name is present.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().zip(&self.values).any(|((_, known), value)| *known == name && value.is_some())
    }

    /// Returns whether a field of a role is present and not null.
    pub(super) fn has_role(&self, role: Role) -> bool {
        let is = |value: &Option<Value>| value.as_ref().is_some_and(|value| *value != Value::Null);
        self.names.iter().zip(&self.values).any(|((of, _), value)| *of == role && is(value))
    }
}

/// A field's value.
#[derive(Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Text(String),
    /// An integer, in decimal.
    Number(String),
    Fraction(f64),
    /// A list of texts or messages, as one text.
    Parts(String),
    Other(&'static str),
}

/// Fields inside an object: their numbers, and their names within the object.
type Within<'a> = Vec<(usize, &'a str)>;

/// Reads the fields inside an object.
struct Object<'a, 'b> {
    names: &'b [(usize, &'a str)],
    values: &'b mut [Option<Value>],
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
        let Self { names, values } = self;
        while let Some(key) = map.next_key_seed(Key { names })? {
            match key {
                Named::Nothing => drop(map.next_value::<IgnoredAny>()?),
                Named::Field(field) => {
                    // If a field occurs twice, it is impossible to know which text is meant.
                    if values[field].is_some() {
                        let name = names.iter().find(|(at, _)| *at == field).map_or("", |(_, name)| *name);
                        return Err(A::Error::custom(format!("field {name:?} occurs twice")));
                    }
                    values[field] = Some(map.next_value_seed(Any)?);
                }
                Named::Outer(names) => map.next_value_seed(Inner(Object { names: &names, values }))?,
            }
        }
        Ok(())
    }
}

/// The meaning of a field's name.
enum Named<'a> {
    Nothing,
    Field(usize),
    /// These fields may be inside it.
    Outer(Within<'a>),
}

/// Deserializes a field's name without keeping it.
struct Key<'a, 'b> {
    names: &'b [(usize, &'a str)],
}

impl<'a, 'de> DeserializeSeed<'de> for Key<'a, '_> {
    type Value = Named<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Named<'a>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for Key<'a, '_> {
    type Value = Named<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    fn visit_str<E>(self, key: &str) -> Result<Named<'a>, E> {
        if let Some((field, _)) = self.names.iter().find(|(_, name)| *name == key) {
            return Ok(Named::Field(*field));
        }
        let within = |&(field, name): &(usize, &'a str)| Some((field, name.strip_prefix(key)?.strip_prefix('.')?));
        let names: Within<'a> = self.names.iter().filter_map(within).collect();
        Ok(if names.is_empty() { Named::Nothing } else { Named::Outer(names) })
    }
}

/// Reads the fields in a value, if it is an object.
struct Inner<'a, 'b>(Object<'a, 'b>);

impl<'de> DeserializeSeed<'de> for Inner<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Inner<'_, '_> {
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

    /// The messages of a role, if the name is that of one.
    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        let Object { names, values } = self.0;
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        for &(field, role) in names {
            values[field] = parts::of_list(&items, Some(role)).map(Value::Parts);
        }
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

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Fraction(number))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Other("a boolean"))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(parts::of_list(&items, None).map_or(Value::Other("an array"), Value::Parts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an object"))
    }
}
