//! The text of a line of JSON, and its cuts: all other bytes of the line stay as they are.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The text of a line.
pub(in crate::filter) struct TextField {
    /// Where it stands in the line, with its quotes.
    place: Range<usize>,
    pub(in crate::filter) text: String,
}

/// Returns the text of a line whose object begins at a byte: the first of these fields that is a string; `None` if there
/// is none, or one of them stands in it twice.
pub(in crate::filter) fn text_of(line: &[u8], begin: usize, names: &[&str]) -> Option<TextField> {
    let mut deserializer = serde_json::Deserializer::from_slice(line.get(begin..)?);
    let values = deserializer.deserialize_map(Fields(names)).ok()??;
    let raw = values.into_iter().flatten().find(|raw| raw.get().starts_with('"'))?.get();
    let start = raw.as_ptr().addr() - line.as_ptr().addr();
    Some(TextField { place: start..start + raw.len(), text: serde_json::from_str(raw).ok()? })
}

/// Returns the line without these ranges of its text, in bytes of the text.
pub(in crate::filter) fn cut_line(line: &[u8], TextField { place, .. }: &TextField, cuts: &[Range<usize>]) -> Vec<u8> {
    let mut out = line[..=place.start].to_vec();
    let (mut cuts, mut at, mut raw) = (cuts.iter().peekable(), 0, place.start + 1);
    while raw + 1 < place.end {
        let (raw_size, size) = character(&line[raw..]);
        while cuts.next_if(|cut| cut.end <= at).is_some() {}
        if cuts.peek().is_none_or(|cut| at < cut.start) {
            out.extend_from_slice(&line[raw..raw + raw_size]);
        }
        (at, raw) = (at + size, raw + raw_size);
    }
    out.extend_from_slice(&line[raw..]);
    out
}

/// Returns the size of the first character of a string of JSON, which is sound, as it is written and in UTF-8.
fn character(raw: &[u8]) -> (usize, usize) {
    match raw {
        [b'\\', b'u', digits @ ..] => {
            let digits = digits.get(..4).and_then(|digits| std::str::from_utf8(digits).ok());
            match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0) {
                // Two escapes are one character.
                0xd800..0xdc00 => (12, 4),
                unit => (6, char::from_u32(unit).map_or(3, char::len_utf8)),
            }
        }
        [b'\\', ..] => (2, 1),
        [first, ..] => {
            let size = (first.leading_ones() as usize).max(1);
            (size, size)
        }
        [] => (1, 1),
    }
}

/// Reads the values of fields as they are written; `None` if one of them stands there twice.
struct Fields<'a>(&'a [&'a str]);

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Option<Vec<Option<&'de RawValue>>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut values, mut is_repeated) = (vec![None; self.0.len()], false);
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            match self.0.iter().position(|name| *name == key) {
                Some(at) => is_repeated |= values[at].replace(map.next_value::<&RawValue>()?).is_some(),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok((!is_repeated).then_some(values))
    }
}

#[cfg(test)]
mod tests {
    use nddb_test_support::Random;

    use super::*;

    #[test]
    fn the_first_named_string_is_the_text() {
        let text = |line: &str| text_of(line.as_bytes(), 0, &["text", "body"]).map(|found| found.text);
        assert_eq!(text(r#" {"a":{"text":"no"},"body":"b","text" : "x\ty" }"#), Some("x\ty".into()));
        assert_eq!(text(r#"{"text":null,"body":"b"}"#), Some("b".into()));
        for line in [r#"{"text":"a","text":"b"}"#, r#"{"text":1}"#, "[]", "{", r#"{"text":"\ud800"}"#, "{}"] {
            assert_eq!(text(line), None, "{line}");
        }
    }

    /// The plain definition: the text is cut, and the rest of the line is as it was.
    #[test]
    fn a_line_is_cut_as_its_text_is() {
        let mut random = Random::seeded("lines that are cut");
        let pieces = ["a", "ß", "中", "😀", r"\n", r#"\""#, r"\u00df", r"\ud83d\ude00", r"\u4e2d", r"\\", "uD8"];
        for _ in 0..500 {
            let raw: String = (0..random.index(30)).map(|_| pieces[random.index(pieces.len())]).collect();
            let line = format!("{{\"n\" : [1.50], \"text\":\"{raw}\" ,\"z\":\"{raw}\"}}\n");
            let found = text_of(line.as_bytes(), 0, &["text"]).expect("a text");
            let mut ends: Vec<usize> = found.text.char_indices().map(|(at, _)| at).chain([found.text.len()]).collect();
            ends.retain(|_| random.percent(30));
            let cuts: Vec<Range<usize>> = ends.chunks_exact(2).map(|ends| ends[0]..ends[1]).collect();
            let cut = String::from_utf8(cut_line(line.as_bytes(), &found, &cuts)).expect("text");
            let kept = |at: usize| !cuts.iter().any(|cut| cut.contains(&at));
            let expected: String = found.text.char_indices().filter(|(at, _)| kept(*at)).map(|(_, c)| c).collect();
            assert_eq!(text_of(cut.as_bytes(), 0, &["text"]).expect("a text").text, expected, "{line} {cuts:?}");
            assert!(
                cut.starts_with("{\"n\" : [1.50], \"text\":\"") && cut.ends_with(&format!("\" ,\"z\":\"{raw}\"}}\n"))
            );
        }
    }
}
