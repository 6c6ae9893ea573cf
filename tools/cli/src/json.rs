//! Fast writing of lines of JSON and TSV.

use std::io::Write;

use nddb::{Fingerprint, Match, Neighbor, Part, PartedAnswer};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Appends a value as one line.
pub(crate) fn line(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(&mut *out, value).expect("memory takes any value");
    out.push(b'\n');
}

/// A fingerprint, written as 16 hex digits.
pub(crate) struct Hex(pub(crate) Fingerprint);

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

/// Writes a share with six digits behind the point.
pub(crate) fn six_digits<S: Serializer>(share: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    let digits = share.map(|share| RawValue::from_string(format!("{share:.6}")).map_err(serde::ser::Error::custom));
    digits.transpose()?.serialize(serializer)
}

/// Appends 16 hex digits.
pub(crate) fn hex(out: &mut Vec<u8>, fingerprint: Fingerprint) {
    out.extend(Hex(fingerprint).digits());
}

/// Appends a number.
pub(crate) fn number(out: &mut Vec<u8>, number: u64) {
    write!(out, "{number}").expect("memory takes any number");
}

/// A string, or null.
pub(crate) fn or_null(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::from)
}

/// The answer to a query.
#[derive(Serialize)]
#[serde(bound = "T: Written")]
struct AnswerLine<'a, T> {
    fp: Hex,
    count: u64,
    matches: Found<'a, T>,
}

/// The matches of an answer, and the names of the databases that they are in, if there are several.
struct Found<'a, T> {
    matches: &'a [Part<T>],
    names: &'a [String],
}

impl<T: Written> Serialize for Found<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = |part: usize| self.names.get(part).map(String::as_str);
        serializer.collect_seq(self.matches.iter().map(|(part, one)| one.written(name(*part))))
    }
}

/// One of several, as it is written; `db` is the database that it is in, if there are several.
pub(crate) trait Written {
    fn written<'a>(&'a self, db: Option<&'a str>) -> impl Serialize;
}

impl Written for Neighbor {
    fn written<'a>(&'a self, db: Option<&'a str>) -> impl Serialize {
        #[derive(Serialize)]
        struct Line<'a> {
            id: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            db: Option<&'a str>,
            fp: Hex,
            distance: u32,
            url: Option<&'a str>,
            site: Option<&'a str>,
        }
        let Self { id, url, site, .. } = self;
        Line { id, db, fp: Hex(self.fingerprint), distance: self.distance, url: url.as_deref(), site: site.as_deref() }
    }
}

impl Written for Match {
    fn written<'a>(&'a self, db: Option<&'a str>) -> impl Serialize {
        #[derive(Serialize)]
        struct Line<'a> {
            number: u64,
            #[serde(skip_serializing_if = "Option::is_none")]
            db: Option<&'a str>,
            fp: Hex,
            distance: u32,
        }
        Line { number: self.number, db, fp: Hex(self.fingerprint), distance: self.distance }
    }
}

/// Appends the answer to a query as one line; with the names of the databases, if there are several.
pub(crate) fn answer<T: Written>(out: &mut Vec<u8>, answer: &PartedAnswer<T>, names: &[String]) {
    let matches = Found { matches: &answer.matches, names };
    line(out, &AnswerLine { fp: Hex(answer.fingerprint), count: answer.count, matches });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_lines_with_their_keys_in_order() {
        let one = Neighbor {
            id: "a \"b\"\\\n\u{1}é".into(),
            number: 7,
            fingerprint: Fingerprint(0x0123_4567_89ab_cdef),
            distance: 2,
            url: Some("http://example.org/".into()),
            site: None,
        };
        let matches = vec![(0, one.clone()), (1, one.clone())];
        let whole = PartedAnswer { fingerprint: Fingerprint(15), count: 9, matches };
        let mut line = Vec::new();
        answer(&mut line, &whole, &[]);
        let read: Value = serde_json::from_slice(&line).expect("JSON");
        assert_eq!(read["fp"], "000000000000000f");
        assert_eq!(read["count"], 9);
        assert_eq!(read["matches"][1]["id"], one.id);
        assert_eq!(read["matches"][1]["fp"], "0123456789abcdef");
        assert_eq!(read["matches"][1]["distance"], 2);
        assert_eq!(read["matches"][1]["url"], "http://example.org/");
        assert!(read["matches"][1]["site"].is_null());
        assert!(line.starts_with(b"{\"fp\":\"000000000000000f\",\"count\":9,\"matches\":[{\"id\":\"a \\\"b\\\""));
        let number = Match { number: 7, fingerprint: Fingerprint(1), distance: 3 };
        let whole = PartedAnswer { fingerprint: Fingerprint(2), count: 1, matches: vec![(1, number)] };
        for (names, db) in [(&[][..], ""), (&["a".to_owned(), "b".to_owned()][..], r#""db":"b","#)] {
            let mut line = Vec::new();
            answer(&mut line, &whole, names);
            let found = format!(r#"{{"number":7,{db}"fp":"0000000000000001","distance":3}}"#);
            let want = format!(r#"{{"fp":"0000000000000002","count":1,"matches":[{found}]}}"#);
            assert_eq!(String::from_utf8(line).expect("text"), format!("{want}\n"));
        }
    }

    #[test]
    fn shares_have_six_digits() {
        #[derive(Serialize)]
        struct Share {
            #[serde(serialize_with = "six_digits")]
            share: Option<f64>,
        }
        for (share, want) in [(Some(1.0), "1.000000"), (Some(75.0 / 84.0), "0.892857"), (None, "null")] {
            let mut out = Vec::new();
            line(&mut out, &Share { share });
            assert_eq!(String::from_utf8(out).expect("text"), format!("{{\"share\":{want}}}\n"));
        }
    }
}
