//! Pairs and groups as lines of JSON or TSV.

use nddb_dedup::{Collection, Group, Line, Pair};
use nddb_verdict::{Measures, Value, columns};
use serde::{Serialize, Serializer};

use super::losses::{self, Field, PairLossValues};
use crate::json::{self, Id};
use crate::rows::{Cell, write_id};

/// How to write lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFormat {
    /// One JSON object per line.
    Jsonl,
    /// Columns separated by tabs, the first line with their names; groups are lines that begin with #.
    Tsv,
}

impl LineFormat {
    /// Returns the extension of a file name.
    pub fn extension(self) -> &'static str {
        match self {
            LineFormat::Jsonl => "jsonl",
            LineFormat::Tsv => "tsv",
        }
    }

    /// Returns the names of the columns, which TSV begins with; with `losses` also those of what either document of a
    /// pair loses.
    pub fn header(self, losses: bool) -> String {
        match self {
            Self::Jsonl => String::new(),
            Self::Tsv => {
                let measures = columns().iter().map(|column| column.name);
                let losses = losses::OF_PAIR.iter().take(if losses { usize::MAX } else { 0 });
                let names = ["a", "b", "method"].into_iter().chain(measures).chain(["verdict"]);
                names.chain(losses.map(|column| column.name)).collect::<Vec<_>>().join("\t")
            }
        }
    }
}

/// Writes lines of one result.
pub struct PairLines<'a> {
    /// The documents.
    pub collection: &'a Collection,
    /// The name of the method.
    pub method: &'static str,
    /// How lines are written.
    pub format: LineFormat,
}

impl PairLines<'_> {
    /// Appends a line.
    pub fn write(&self, out: &mut Vec<u8>, line: &Line) {
        match (self.format, line) {
            (LineFormat::Jsonl, Line::Pair(pair)) => self.json_pair(out, pair),
            (LineFormat::Jsonl, Line::Group(group)) => self.json_group(out, group),
            (LineFormat::Tsv, Line::Pair(pair)) => self.tsv_pair(out, pair),
            (LineFormat::Tsv, Line::Group(group)) => self.tsv_group(out, group),
        }
    }

    fn json_pair(&self, out: &mut Vec<u8>, pair: &Pair) {
        let (a, b) = (Id(self.collection.id(pair.a)), Id(self.collection.id(pair.b)));
        let verdict = pair.verdict();
        let known = Losses::of(self.collection, pair);
        let losses = known.as_ref();
        json::line(
            out,
            &PairLine { a, b, method: self.method, scores: Scores(&pair.measures), verdict: &verdict, losses },
        );
    }

    fn json_group(&self, out: &mut Vec<u8>, group: &Group) {
        json::line(
            out,
            &GroupLine {
                group: group.kind.name(),
                method: self.method,
                founder: Id(self.collection.id(group.founder)),
                size: group.len,
                flagged: group.flagged,
                unverified: group.unverified,
                members: IdList(self.collection, &group.members),
            },
        );
    }

    fn tsv_pair(&self, out: &mut Vec<u8>, pair: &Pair) {
        write_id(out, self.collection, pair.a);
        out.push(b'\t');
        write_id(out, self.collection, pair.b);
        out.push(b'\t');
        out.extend_from_slice(self.method.as_bytes());
        for (_, value) in pair.measures.each() {
            out.push(b'\t');
            match value {
                // Unknown values are empty.
                None => (),
                Some(Value::Count(count)) => json::number(out, count.into()),
                Some(Value::Share(share)) => out.extend_from_slice(format!("{share:.6}").as_bytes()),
                Some(Value::Flag(flag)) => out.extend_from_slice(flag.to_string().as_bytes()),
            }
        }
        out.push(b'\t');
        out.extend_from_slice(pair.verdict().as_bytes());
        if let Some(losses) = Losses::of(self.collection, pair) {
            losses::append_tsv(&losses.cells(), out);
        }
        out.push(b'\n');
    }

    fn tsv_group(&self, out: &mut Vec<u8>, group: &Group) {
        out.push(b'#');
        out.extend_from_slice(group.kind.name().as_bytes());
        out.push(b'\t');
        json::number(out, group.len);
        let marks =
            [(group.flagged, "flagged".to_owned()), (group.unverified > 0, format!("{} unverified", group.unverified))];
        let marks: Vec<String> = marks.into_iter().filter(|(set, _)| *set).map(|(_, mark)| mark).collect();
        out.extend_from_slice(format!("\t{}\t", marks.join(", ")).as_bytes());
        write_id(out, self.collection, group.founder);
        for &member in &group.members {
            out.push(b'\t');
            write_id(out, self.collection, member);
        }
        out.push(b'\n');
    }
}

/// A pair. The keys have the order of the fields, and the scores that of their columns.
#[derive(Serialize)]
// Reference of pairs: a pair, `a` before `b`, sorted by both; the scores stand before `verdict`, and behind it what
// either document loses, `words` (where these come from) and `why`, the reason in a sentence
struct PairLine<'a> {
    a: Id<'a>,
    b: Id<'a>,
    method: &'a str,
    #[serde(flatten)]
    scores: Scores<'a>,
    verdict: &'a str,
    #[serde(flatten)]
    losses: Option<&'a Losses>,
}

/// What either document of a pair loses, and why the two are near.
pub(super) struct Losses {
    values: PairLossValues,
    why: String,
}

impl Losses {
    /// Returns the losses of a pair; `None` if they were not asked for.
    pub(super) fn of(collection: &Collection, pair: &Pair) -> Option<Self> {
        let loss = pair.loss.as_deref()?;
        let why = collection.compared(pair.a, pair.b, |pair| losses::sentence(loss, pair));
        Some(Self { values: PairLossValues::of(loss), why })
    }

    /// Returns the cells of [`losses::OF_PAIR`].
    pub(super) fn cells(&self) -> Vec<Cell<'_>> {
        let mut cells = self.values.cells();
        cells.push((&*self.why).into());
        cells
    }
}

impl Serialize for Losses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = losses::OF_PAIR.iter().map(|column| column.name);
        serializer.collect_map(names.zip(self.cells().into_iter().map(Field)))
    }
}

/// The scores of a pair.
struct Scores<'a>(&'a Measures);

impl Serialize for Scores<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.each().map(|(column, value)| (column.name, MeasureField(value))))
    }
}

/// A measure; null if unknown.
struct MeasureField(Option<Value>);

impl Serialize for MeasureField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_none(),
            Some(Value::Count(count)) => serializer.serialize_u32(count),
            Some(Value::Share(share)) => json::six_digits(share, serializer),
            Some(Value::Flag(flag)) => serializer.serialize_bool(flag),
        }
    }
}

/// A group.
#[derive(Serialize)]
// Reference of pairs: a group; groups come before pairs, sorted by kind and founder
struct GroupLine<'a> {
    /// `identity`: equal texts. `hot`: equal sketches of different texts, or fingerprints alone; with --verify lcs
    /// only members whose texts are near the founder's or cannot be read. `star`: documents that share a key, more
    /// than --group-limit, not listed: their pairs are those with the founder, and those that share another key.
    /// `empty`: no token; in no pair
    group: &'a str,
    method: &'a str,
    /// the member that was stored first; a pair with it holds for the whole `identity` or `hot` group
    founder: Id<'a>,
    size: u64,
    /// more than --group-limit members
    flagged: bool,
    /// members that stay because a text cannot be read
    unverified: u64,
    members: IdList<'a>,
}

/// Documents, written as the list of their ids.
pub struct IdList<'a>(pub &'a Collection, pub &'a [u32]);

impl Serialize for IdList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|&ordinal| Id(self.0.id(ordinal))))
    }
}
