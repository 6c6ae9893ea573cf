//! Lines of JSON as tables for people.

use std::io::{self, Write};

use serde_json::{Map, Value};

use crate::columns::{Columns, Marks};
use crate::quantity::{counted, grouped};
use crate::table::TextTable;
use crate::terminal::{self, safe_cell};

/// Rows that are aligned together; the next ones make a table of their own, so that a long output needs no memory.
const TOGETHER: usize = 1000;
/// Fields that people do not compare by eye, or that say the same in each row.
const LEFT_OUT: [&str; 7] = ["method", "fp", "site", "why", "documents", "unverified", "passages"];
/// Fields that are left out of a table that is too wide, the first one first.
const DISPENSABLE: &str = "\
    words lost_passage_query lost_passage_match lost_passage_a lost_passage_b \
    lost_words_query lost_words_match lost_words_a lost_words_b same_heading same_site b_sim \
    c_sim agreement level_query level_match level_a level_b lost_query lost_a resemblance \
    loss_query lost_match lost_b";
/// Width in characters if stdout is no terminal.
const WIDTH: usize = 100;
/// Width to which a cell is not cut.
const CELL: usize = 16;
/// Differences that are told of a match.
const TOLD: usize = 3;

/// Writes each line of JSON that it is given as a row. A line with a list of matches or members becomes a table of its
/// own, under a heading.
pub(crate) struct Tabled<W> {
    to: W,
    /// The beginning of a line.
    line: Vec<u8>,
    rows: Vec<Map<String, Value>>,
    width: usize,
}

impl<W: Write> Tabled<W> {
    pub(crate) fn new(to: W) -> Self {
        let width = terminal::width(io::stdout()).unwrap_or(WIDTH);
        Self { to, line: Vec::new(), rows: Vec::new(), width }
    }

    /// Ends the last table, and returns what was written to.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.print()?;
        Ok(self.to)
    }

    fn take(&mut self, mut row: Map<String, Value>) -> io::Result<()> {
        let Some(Value::Array(matches)) = row.remove("matches") else {
            match row.remove("members") {
                Some(Value::Array(members)) => {
                    self.print()?;
                    return self.group(&row, &members);
                }
                _ => {
                    describe(&mut row);
                    self.rows.push(row);
                    return if self.rows.len() < TOGETHER { Ok(()) } else { self.print() };
                }
            }
        };
        self.print()?;
        let count = row.get("count").and_then(Value::as_u64).unwrap_or(0);
        let query = row.get("query").or(row.get("fp")).map(cell).unwrap_or_default();
        let mut heading = format!("{query}: {} {}", grouped(count), if count == 1 { "match" } else { "matches" });
        if let Some(error) = row.get("error") {
            heading += &format!(" ({})", cell(error));
        } else if row.get("complete") == Some(&Value::Bool(false)) {
            heading += " (perhaps not all)";
        }
        writeln!(self.to, "{heading}")?;
        self.rows.extend(matches.into_iter().filter_map(|found| match found {
            Value::Object(found) => Some(found),
            _ => None,
        }));
        self.print()?;
        writeln!(self.to)
    }

    /// Prints a group of documents that are not distinguished.
    fn group(&mut self, row: &Map<String, Value>, members: &[Value]) -> io::Result<()> {
        let kind = if row.get("group").and_then(Value::as_str) == Some("identity") { "text" } else { "sketch" };
        let size = row.get("size").and_then(Value::as_u64).unwrap_or(members.len() as u64);
        let members: Vec<String> = members.iter().map(cell).collect();
        writeln!(self.to, "{} with the same {kind}: {}", counted(size, "document"), members.join(", "))
    }

    /// Prints the rows as a table, without the columns in which nothing is known.
    fn print(&mut self) -> io::Result<()> {
        let mut columns: Vec<&str> = Vec::new();
        for (name, value) in self.rows.iter().flatten() {
            if !value.is_null() && !LEFT_OUT.contains(&name.as_str()) && !columns.contains(&name.as_str()) {
                columns.push(name);
            }
        }
        if !columns.is_empty() {
            let make = |columns: &[&str]| {
                let mut table = TextTable::new(columns);
                for row in &self.rows {
                    table.row(columns.iter().map(|&name| row.get(name).map(cell).unwrap_or_default()).collect());
                }
                table
            };
            let mut table = make(&columns);
            for name in DISPENSABLE.split(' ') {
                if table.width() > self.width && columns.contains(&name) {
                    columns.retain(|column| *column != name);
                    table = make(&columns);
                }
            }
            table.fit(self.width, CELL);
            let mut lines = table.lines().into_iter();
            let titles = lines.next().unwrap_or_default();
            writeln!(self.to, "{titles}")?;
            for (line, row) in lines.zip(&self.rows) {
                writeln!(self.to, "{line}")?;
                for why in row.get("why").map(reasons).unwrap_or_default() {
                    let why: String = why.chars().take(self.width.saturating_sub(2)).collect();
                    writeln!(self.to, "  {why}")?;
                }
                for passage in row.get("passages").and_then(Value::as_array).into_iter().flatten() {
                    write!(self.to, "{}", side_by_side(passage, self.width))?;
                }
            }
        }
        self.rows.clear();
        Ok(())
    }
}

impl<W: Write> Write for Tabled<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n")
                && let Ok(Value::Object(row)) = serde_json::from_slice(&std::mem::take(&mut self.line))
            {
                self.take(row)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.print()?;
        self.to.flush()
    }
}

/// Makes columns of what is known of the two documents of a pair.
fn describe(row: &mut Map<String, Value>) {
    let Some(Value::Array(documents)) = row.get("documents").cloned() else { return };
    for (side, document) in ["a", "b"].into_iter().zip(documents) {
        for (name, value) in document.as_object().into_iter().flatten().filter(|(name, _)| *name != "id") {
            row.insert(format!("{name} of {side}"), value.clone());
        }
    }
}

/// What is said of a match or a pair, in lines: the reason in a sentence, and of a match what differs.
fn reasons(why: &Value) -> Vec<String> {
    let sentence = why.as_str().or_else(|| why.get("sentence")?.as_str());
    let mut lines: Vec<String> = sentence.map(safe_cell).into_iter().collect();
    let edits = why.get("terms").and_then(|terms| terms.get("edits")).and_then(Value::as_array);
    let edits: Vec<String> = edits
        .into_iter()
        .flatten()
        .take(TOLD)
        .map(|edit| {
            let words = |side: &str| edit.get(side).map(cell).unwrap_or_default();
            let sides = [("[-", words("query"), "-]"), ("{+", words("match"), "+}")];
            let sides = sides.iter().filter(|(_, words, _)| !words.is_empty());
            sides.map(|(before, words, after)| format!("{before}{words}{after}")).collect::<Vec<_>>().join(" ")
        })
        .collect();
    if !edits.is_empty() {
        lines.push(format!("differ in {}", edits.join(", ")));
    }
    if let Some(unread) = why.get("unread").and_then(Value::as_str) {
        lines.push(safe_cell(unread));
    }
    lines
}

/// A passage in common: its words in both documents, and their texts side by side if they are known.
fn side_by_side(passage: &Value, width: usize) -> String {
    let names = if passage.get("query").is_some() { ["query", "match"] } else { ["a", "b"] };
    let place = |name: &str| {
        let [from, to] = [0, 1].map(|end| passage[name][end].as_u64().unwrap_or_default());
        format!("words {} to {} of {name}", grouped(from + 1), grouped(to))
    };
    let common = grouped(passage["words"].as_u64().unwrap_or_default());
    let mut out = format!("  {}, {}: {common} in common\n", place(names[0]), place(names[1]));
    let text = |name: &str| passage.get(format!("{name}_text")).and_then(Value::as_str);
    if let (Some(a), Some(b)) = (text(names[0]), text(names[1])) {
        out += &Columns { width, marks: Marks::Signs }.passage([a, b]);
    }
    out
}

/// A value as people read it.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => safe_cell(text),
        Value::Number(number) if number.is_f64() => format!("{:.3}", number.as_f64().unwrap_or_default()),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tabled(lines: &str) -> String {
        let mut out = Vec::new();
        let mut tabled = Tabled::new(&mut out);
        // In pieces, as a buffer writes them.
        lines.as_bytes().chunks(7).for_each(|piece| tabled.write_all(piece).expect("memory is writable"));
        tabled.flush().expect("memory is writable");
        drop(tabled);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn rows_have_the_columns_in_which_something_is_known() {
        let pair =
            r#"{"a":"x","b":17,"method":"model","distance":3,"lcs":null,"probability":0.987654,"verdict":"near"}"#;
        let other = r#"{"a":"long\tname","b":1,"method":"model","distance":null,"lcs":null,"probability":0.5,"verdict":"near"}"#;
        let group = r#"{"group":"identity","founder":"x","size":2,"members":["x","y"]}"#;
        let want = "2 documents with the same text: x, y\n\
                    a           b  distance  probability  verdict\n\
                    x          17         3        0.988  near\n\
                    long name   1                  0.500  near\n";
        assert_eq!(tabled(&format!("{group}\n{pair}\n{other}\n")), want);
    }

    #[test]
    fn a_table_fits_the_width_and_keeps_the_reasons() {
        let url = "http://example.org/".to_owned() + &"long/".repeat(40);
        let found = format!(
            r#"{{"id":"{url}","distance":2,"url":"{url}","b_sim":3,"c_sim":300,"agreement":75,"probability":0.998,"words":"stored","lost_query":"{url}","rule":"model","why":{{"sentence":"Over 99% of the text is equal.","identical":false,"bounds":[],"terms":{{"edits":[{{"query":"may","match":"june"}}]}},"unread":null}}}}"#
        );
        let text = tabled(&format!("{{\"query\":\"q\",\"count\":1,\"matches\":[{found}]}}\n"));
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.contains("\n  Over 99% of the text is equal.\n  differ in [-may-] {+june+}\n"), "{text}");
        assert!(text.contains("0.998  model") && text.contains("\u{2026}"), "{text}");
    }

    #[test]
    fn passages_stand_side_by_side() {
        let of = |text: &str| {
            tabled(&format!(
                r#"{{"a":"x","b":"y","words":6,"passages":[{{"a":[0,7],"b":[1200,1207],"words":6{text}}}]}}{}"#,
                "\n"
            ))
        };
        let told = "a  b  words\nx  y      6\n  words 1 to 7 of a, words 1,201 to 1,207 of b: 6 in common\n";
        assert_eq!(of(""), told);
        let text = of(r#","a_text":"one two three four","b_text":"one two 3 four""#);
        let row = text.strip_prefix(told).expect("the places first");
        assert!(row.starts_with("one two [-three-] four ") && row.contains("\u{2502} one two {+3+} four\n"), "{row}");
        let text = of(r#","a_text":"one  two","b_text":"one two""#);
        assert!(text.lines().last().is_some_and(|row| row.ends_with("\u{2502} one two")), "{text}");
    }

    #[test]
    fn each_query_has_a_table_of_its_matches() {
        let query = r#"{"query":"q","fp":"00","method":"model","count":1,"complete":true,"matches":[{"id":"a","fp":"01","distance":2,"url":"u"}]}"#;
        let none = r#"{"query":"n","fp":null,"count":0,"complete":true,"matches":[],"error":"no such document"}"#;
        let want = "q: 1 match\nid  distance  url\na          2  u\n\nn: 0 matches (no such document)\n\n";
        assert_eq!(tabled(&format!("{query}\n{none}\n")), want);
    }
}
