//! Fast writing of lines of JSON and TSV.

use std::borrow::Cow;
use std::io::Write;

use nddb_format::Fingerprint;
use nddb_format::record::{NUMBER_MARK, digits_of, number_id};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::tsv;

/// Returns whether a terminal would act on a character in a line.
fn is_control(letter: char) -> bool {
    tsv::is_control(letter) && !matches!(letter, '\n' | '\t')
}

/// Returns a text with `\u001b` for ESC, and so for all control characters but tab and line end. It is the escape of
/// JSON, so that a JSON text stays the same value.
pub fn safe(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let escaped = |letter| if is_control(letter) { tsv::escape(letter) } else { letter.to_string() };
    Cow::Owned(text.chars().map(escaped).collect())
}

/// Appends a value as one line.
pub fn line(out: &mut Vec<u8>, value: &impl Serialize) {
    serialized(out, value);
    out.push(b'\n');
}

/// Returns bytes as hex digits, two each.
pub fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A fingerprint, written as 16 hex digits.
pub struct Hex(pub Fingerprint);

impl Hex {
    fn digits(&self) -> [u8; 16] {
        std::array::from_fn(|index| b"0123456789abcdef"[(self.0.0 >> (60 - 4 * index) & 15) as usize])
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.digits()).unwrap_or_default())
    }
}

/// An id, written as a number or as a string.
#[derive(Clone, Copy, Debug)]
pub struct Id<'a>(pub &'a str);

impl Serialize for Id<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(digits) = digits_of(self.0) else { return serializer.serialize_str(self.0) };
        match (digits.parse::<u64>(), digits.parse::<i64>()) {
            (Ok(number), _) => serializer.serialize_u64(number),
            (_, Ok(number)) => serializer.serialize_i64(number),
            _ => serializer.serialize_str(digits),
        }
    }
}

/// Returns the id for a value, as `load` reads it: a string or an integer. The error is the kind of any other value.
pub fn id_of(value: Value) -> Result<String, &'static str> {
    match value {
        Value::String(text) if text.starts_with(NUMBER_MARK) => Err("begins with U+0001, the mark of numbers"),
        Value::String(text) => Ok(text),
        Value::Number(number) if !number.is_f64() => Ok(number_id(number)),
        _ => Err("is neither a string nor an integer"),
    }
}

/// Deserializes an id.
pub fn read_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    id_of(Value::deserialize(deserializer)?).map_err(|what| serde::de::Error::custom(format!("an id {what}")))
}

/// Writes a share with six decimals.
pub fn six_digits<S: Serializer>(share: f64, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(format!("{share:.6}")).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

/// Appends 16 hex digits.
pub fn hex(out: &mut Vec<u8>, fingerprint: Fingerprint) {
    out.extend(Hex(fingerprint).digits());
}

/// Appends a number.
pub fn number(out: &mut Vec<u8>, number: u64) {
    write!(out, "{number}").expect("memory takes any number");
}

/// A string, or null.
pub fn or_null(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::from)
}

/// A value of an [`Object`].
pub trait Put {
    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>);
}

impl Put for str {
    fn put(&self, out: &mut Vec<u8>) {
        // The loop has no branch, so that it compiles to vector comparisons.
        let is_escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\' || may_begin_control(byte);
        if self.bytes().fold(false, |found, byte| found | is_escaped(byte)) {
            return serialized(out, self);
        }
        out.push(b'"');
        out.extend_from_slice(self.as_bytes());
        out.push(b'"');
    }
}

impl Put for Id<'_> {
    fn put(&self, out: &mut Vec<u8>) {
        match digits_of(self.0) {
            Some(digits) => out.extend_from_slice(digits.as_bytes()),
            None => self.0.put(out),
        }
    }
}

impl Put for Hex {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        out.extend_from_slice(&self.digits());
        out.push(b'"');
    }
}

impl Put for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

macro_rules! put_serialized {
    ($($type:ty),*) => {$(
        impl Put for $type {
            fn put(&self, out: &mut Vec<u8>) {
                serialized(out, self);
            }
        }
    )*};
}

put_serialized!(u32, u64, f64, Value);

impl<T: Put> Put for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.put(out),
            None => out.extend_from_slice(b"null"),
        }
    }
}

impl<T: Put + ?Sized> Put for &T {
    fn put(&self, out: &mut Vec<u8>) {
        T::put(self, out);
    }
}

/// Appends a value. Of control characters, serde escapes only the first 32; this escapes the others, too, so that no
/// terminal that shows the line acts on them.
pub fn serialized(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let start = out.len();
    serde_json::to_writer(&mut *out, value).expect("memory takes any value");
    if out[start..].iter().fold(false, |found, &byte| found | may_begin_control(byte))
        && let Ok(text) = std::str::from_utf8(&out[start..])
        && let Cow::Owned(safe) = safe(text)
    {
        out.truncate(start);
        out.extend_from_slice(safe.as_bytes());
    }
}

/// Returns whether a byte of JSON is, or begins, what [`safe`] escapes.
fn may_begin_control(byte: u8) -> bool {
    matches!(byte, 0x7f | 0xc2 | 0xe2)
}

/// An object that is appended field by field, without a copy in memory: a line may have thousands of objects.
pub struct Object<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> Object<'a> {
    /// Appends an object with the fields that `fill` adds.
    pub fn append(out: &'a mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
        out.push(b'{');
        let mut object = Object { out, is_empty: true };
        fill(&mut object);
        object.out.push(b'}');
    }

    /// Adds a field; the name needs no escapes.
    #[inline]
    pub fn field(&mut self, name: &'static str, value: impl Put) {
        value.put(self.named(name));
    }

    /// Adds a list of objects.
    pub fn list<T>(
        &mut self,
        name: &'static str,
        items: impl IntoIterator<Item = T>,
        mut fill: impl FnMut(&mut Object<'_>, T),
    ) {
        let out = self.named(name);
        out.push(b'[');
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            Object::append(out, |object| fill(object, item));
        }
        out.push(b']');
    }

    #[inline]
    fn named(&mut self, name: &'static str) -> &mut Vec<u8> {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_is_what_serde_writes() {
        let texts = ["", "plain", "é\u{7f}\u{80}\u{2028}", "a\"b", "back\\slash", "\u{0}", "line\n", "\u{1f}", " ~/"];
        let mut random = nddb_test_support::Random(8);
        for text in texts {
            let share = (random.next() >> 11) as f64 / (1u64 << 53) as f64;
            let (number, small, fingerprint) = (random.next(), random.next() as u32, Fingerprint(random.next()));
            let inner = json!({"a": [text, {}], "b": share});
            let mut out = Vec::new();
            Object::append(&mut out, |object| {
                object.field("text", text);
                object.field("none", None::<&str>);
                object.field("number", number);
                object.field("small", Some(small));
                object.field("share", share);
                object.field("one", Some(1.0));
                object.field("nan", f64::NAN);
                object.field("fp", Some(Hex(fingerprint)));
                object.field("value", inner.clone());
                object.list("none of them", [0u32; 0], |object, item| object.field("item", item));
                object.list("items", 0..3u32, |object, item| {
                    if item > 0 {
                        object.field("item", item);
                        object.field("is", item == 1);
                    }
                });
            });
            let want = json!({
                "text": text, "none": null, "number": number, "small": small, "share": share, "one": 1.0,
                "nan": f64::NAN, "fp": fingerprint.to_string(), "value": inner, "none of them": [],
                "items": [{}, {"item": 1, "is": true}, {"item": 2, "is": false}],
            });
            let out = String::from_utf8(out).expect("text");
            assert_eq!(
                serde_json::from_str::<Value>(&out).expect("JSON"),
                serde_json::from_str::<Value>(&want.to_string()).expect("JSON")
            );
            assert_eq!(out, safe(&want.to_string()));
        }
    }

    #[test]
    fn no_control_character_stays_in_a_line() {
        let hostile = "a\u{1b}]0;x\u{7}\u{7f}\u{9b}31m\u{202e}é “b”";
        let want = "\"a\\u001b]0;x\\u0007\\u007f\\u009b31m\\u202eé “b”\"";
        let (mut put, mut written) = (Vec::new(), b"before".to_vec());
        hostile.put(&mut put);
        line(&mut written, &hostile);
        assert_eq!(String::from_utf8(put).expect("text"), want);
        assert_eq!(String::from_utf8(written).expect("text"), format!("before{want}\n"));
    }

    #[test]
    fn ids_are_numbers_or_strings_and_are_read_as_they_are_written() {
        let numbers = ["0", "17", "-9223372036854775808", "18446744073709551615"];
        let ids =
            numbers.map(number_id).into_iter().chain(numbers.map(str::to_owned)).chain(["a\"".into(), "1.0".into()]);
        for id in ids {
            let (mut out, mut put) = (Vec::new(), Vec::new());
            serialized(&mut out, &Id(&id));
            Id(&id).put(&mut put);
            assert_eq!(out, put);
            assert_eq!(out.first() == Some(&b'"'), digits_of(&id).is_none());
            assert_eq!(id_of(serde_json::from_slice(&out).expect("JSON")), Ok(id));
        }
        assert!(id_of(json!("\u{1}17")).is_err() && id_of(json!(1.5)).is_err() && id_of(Value::Null).is_err());
    }

    #[test]
    fn shares_have_six_digits() {
        #[derive(Serialize)]
        struct Share {
            #[serde(serialize_with = "digits")]
            share: f64,
        }
        fn digits<S: Serializer>(share: &f64, serializer: S) -> Result<S::Ok, S::Error> {
            six_digits(*share, serializer)
        }
        for (share, want) in [(1.0, "1.000000"), (75.0 / 84.0, "0.892857")] {
            let mut out = Vec::new();
            line(&mut out, &Share { share });
            assert_eq!(String::from_utf8(out).expect("text"), format!("{{\"share\":{want}}}\n"));
        }
    }
}
