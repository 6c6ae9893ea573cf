//! Matches of fingerprints: as rows of a table, and as lines of JSON with all matches of a query.

use nddb_index::{BatchMatch, Match, Neighbor, PartedAnswer};

use crate::json::{Hex, Id, Object};
use crate::rows::{CellKind, Column, IdCells, Rows};

/// Writes a match with its id.
///
/// # Errors
/// As [`Rows::row`]; damage of the database.
pub fn write_match(rows: &mut Rows, ids: &IdCells<'_>, found: &BatchMatch) -> nddb_index::Result<()> {
    rows.row(&[found.query.into(), found.fingerprint.into(), found.distance.into(), ids.cell(&found.id)?])
}

/// The columns of matches.
pub fn match_columns(with_id: bool) -> Vec<Column> {
    let columns =
        [("query", CellKind::Number), ("fp", CellKind::Print), ("distance", CellKind::Number), ("id", CellKind::Text)];
    columns.into_iter().take(if with_id { 4 } else { 3 }).map(|(name, kind)| Column::new(name, kind)).collect()
}

/// An element of a list and its JSON; `db` is the name of its database, if there are several.
pub trait WriteMatch {
    /// Adds its fields.
    fn write(&self, db: Option<&str>, object: &mut Object<'_>);
}

impl WriteMatch for Neighbor {
    // Reference of query: a match; with `--ids none` it has `number`, `fp` and `distance`, of several databases also
    // `db`
    fn write(&self, db: Option<&str>, object: &mut Object<'_>) {
        object.field("id", Id(&self.id));
        write_db(db, object);
        object.field("fp", Hex(self.fingerprint));
        object.field("distance", self.distance);
        object.field("url", self.url.as_deref());
        object.field("site", self.site.as_deref());
    }
}

impl WriteMatch for Match {
    fn write(&self, db: Option<&str>, object: &mut Object<'_>) {
        object.field("number", self.number);
        write_db(db, object);
        object.field("fp", Hex(self.fingerprint));
        object.field("distance", self.distance);
    }
}

/// Adds the database of a match, if there are several databases.
pub fn write_db(db: Option<&str>, object: &mut Object<'_>) {
    if let Some(db) = db {
        object.field("db", db);
    }
}

/// Appends the answer to a query as one line, with the names of the databases if there are several.
pub fn answer<T: WriteMatch>(out: &mut Vec<u8>, answer: &PartedAnswer<T>, names: &[String]) {
    // Reference of query: a line for each fingerprint, and for each query with `-k`
    Object::append(out, |object| {
        object.field("fp", Hex(answer.fingerprint));
        object.field("count", answer.count); // all matches, also those beyond --limit
        // by distance, then by the bytes of their ids
        object.list("matches", &answer.matches, |object, (part, one)| {
            one.write(names.get(*part).map(String::as_str), object);
        });
    });
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use nddb_format::Fingerprint;
    use serde_json::Value;

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
}
