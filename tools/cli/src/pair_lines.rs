//! Pairs and groups as lines of JSON or TSV.

use nddb::detect::{Collection, Group, Line, Method, Pair};
use nddb_lab::tsv;
use serde::{Serialize, Serializer};

use crate::described::{Described, With};
use crate::json;

/// How to write lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// One JSON object per line.
    Jsonl,
    /// Columns separated by tabs, the first line with their names; groups are lines that begin with #.
    Tsv,
}

impl Format {
    /// The end of a file's name.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Tsv => "tsv",
        }
    }

    /// What stands before all lines, with what is said of documents besides.
    pub(crate) fn header(self, with: &[With]) -> Vec<u8> {
        let mut header = self.columns().to_vec();
        if self == Format::Tsv {
            header.pop();
            ["a_", "b_"].into_iter().for_each(|prefix| Described::header(with, &mut header, prefix));
            header.push(b'\n');
        }
        header
    }

    fn columns(self) -> &'static [u8] {
        match self {
            Format::Jsonl => b"",
            Format::Tsv => {
                b"a\tb\tmethod\tdistance\tb_sim\tc_sim\tagreement\tprobability\tresemblance\tdifference\tlcs\tlcs_containment\tcosine\t\
                same_site\tsame_heading\tverdict\n"
            }
        }
    }
}

/// Writes lines of one result.
pub(crate) struct Lines<'a> {
    pub(crate) collection: &'a Collection,
    pub(crate) method: Method,
    pub(crate) format: Format,
}

impl Lines<'_> {
    /// Appends a line.
    pub(crate) fn write(&self, out: &mut Vec<u8>, line: &Line<'_>) {
        match (self.format, line) {
            (Format::Jsonl, Line::Pair(pair)) => self.json_pair(out, pair),
            (Format::Jsonl, Line::Group(group)) => self.json_group(out, group),
            (Format::Tsv, Line::Pair(pair)) => self.tsv_pair(out, pair),
            (Format::Tsv, Line::Group(group)) => self.tsv_group(out, group),
        }
    }

    fn json_pair(&self, out: &mut Vec<u8>, pair: &Pair) {
        let (a, b) = (self.collection.id(pair.a), self.collection.id(pair.b));
        let verdict = pair.verdict();
        json::line(out, &PairLine { a, b, method: self.method.name(), scores: Scores::of(pair), verdict: &verdict });
    }

    fn json_group(&self, out: &mut Vec<u8>, group: &Group<'_>) {
        json::line(
            out,
            &GroupLine {
                group: group.kind.name(),
                method: self.method.name(),
                founder: self.collection.id(group.founder),
                size: group.len,
                flagged: group.flagged,
                unverified: group.unverified,
                members: Ids(self.collection, group.members),
            },
        );
    }

    fn tsv_pair(&self, out: &mut Vec<u8>, pair: &Pair) {
        tsv::write_id(out, self.collection.id(pair.a));
        out.push(b'\t');
        tsv::write_id(out, self.collection.id(pair.b));
        out.push(b'\t');
        out.extend_from_slice(self.method.name().as_bytes());
        for value in Scores::of(pair).columns() {
            out.push(b'\t');
            out.extend_from_slice(value.as_bytes());
        }
        out.push(b'\t');
        out.extend_from_slice(pair.verdict().as_bytes());
        out.push(b'\n');
    }

    fn tsv_group(&self, out: &mut Vec<u8>, group: &Group<'_>) {
        out.push(b'#');
        out.extend_from_slice(group.kind.name().as_bytes());
        out.push(b'\t');
        json::number(out, group.len);
        let marks =
            [(group.flagged, "flagged".to_owned()), (group.unverified > 0, format!("{} unverified", group.unverified))];
        let marks: Vec<String> = marks.into_iter().filter(|(set, _)| *set).map(|(_, mark)| mark).collect();
        out.extend_from_slice(format!("\t{}\t", marks.join(", ")).as_bytes());
        tsv::write_id(out, self.collection.id(group.founder));
        for &member in group.members {
            out.push(b'\t');
            tsv::write_id(out, self.collection.id(member));
        }
        out.push(b'\n');
    }
}

/// A pair. Keys stand in the order of the fields, here and in [`Scores`].
#[derive(Serialize)]
struct PairLine<'a> {
    a: &'a str,
    b: &'a str,
    method: &'a str,
    #[serde(flatten)]
    scores: Scores,
    verdict: &'a str,
}

/// What is known of a pair.
#[derive(Serialize)]
struct Scores {
    distance: Option<u32>,
    b_sim: Option<u32>,
    c_sim: Option<u32>,
    agreement: Option<u32>,
    #[serde(serialize_with = "json::six_digits")]
    probability: Option<f64>,
    #[serde(serialize_with = "json::six_digits")]
    resemblance: Option<f64>,
    #[serde(serialize_with = "json::six_digits")]
    difference: Option<f64>,
    #[serde(serialize_with = "json::six_digits")]
    lcs: Option<f64>,
    #[serde(serialize_with = "json::six_digits")]
    lcs_containment: Option<f64>,
    #[serde(serialize_with = "json::six_digits")]
    cosine: Option<f64>,
    same_site: Option<bool>,
    same_heading: Option<bool>,
}

/// A group.
#[derive(Serialize)]
struct GroupLine<'a> {
    group: &'a str,
    method: &'a str,
    founder: &'a str,
    size: u64,
    flagged: bool,
    unverified: u64,
    members: Ids<'a>,
}

/// Documents, written as the list of their ids.
pub(crate) struct Ids<'a>(pub(crate) &'a Collection, pub(crate) &'a [u32]);

impl Serialize for Ids<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|&ordinal| self.0.id(ordinal)))
    }
}

impl Scores {
    fn of(pair: &Pair) -> Self {
        let evidence = &pair.evidence;
        Self {
            distance: evidence.distance,
            b_sim: evidence.b_similarity,
            c_sim: evidence.c_similarity,
            agreement: evidence.agreement,
            probability: pair.probability,
            resemblance: evidence.likely_resemblance(),
            difference: evidence.difference,
            lcs: evidence.lcs_resemblance,
            lcs_containment: evidence.lcs_containment,
            cosine: evidence.cosine,
            same_site: evidence.same_site,
            same_heading: evidence.same_heading,
        }
    }

    /// The columns of a table; what is not known is empty.
    fn columns(&self) -> [String; 12] {
        let count = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
        let share = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
        let flag = |value: Option<bool>| value.map_or_else(String::new, |value| value.to_string());
        [
            count(self.distance),
            count(self.b_sim),
            count(self.c_sim),
            count(self.agreement),
            share(self.probability),
            share(self.resemblance),
            share(self.difference),
            share(self.lcs),
            share(self.lcs_containment),
            share(self.cosine),
            flag(self.same_site),
            flag(self.same_heading),
        ]
    }
}
