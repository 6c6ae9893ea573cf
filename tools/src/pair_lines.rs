//! Pairs and groups as lines of JSON or TSV.

use clap::ValueEnum;
use nddb::detect::{Collection, Group, Line, Method, Pair};

use crate::json;

/// How lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A JSON object a line
    #[default]
    Jsonl,
    /// Columns separated by tabs, the first line with their names; groups stand behind a #
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

    /// What stands before all lines.
    pub(crate) fn header(self) -> &'static [u8] {
        match self {
            Format::Jsonl => b"",
            Format::Tsv => {
                b"a\tb\tmethod\tdistance\tb_sim\tc_sim\tagreement\tresemblance\tlcs\tlcs_containment\tcosine\tsame_site\t\
                same_heading\tverdict\n"
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
        out.extend_from_slice(b"{\"a\":");
        json::string(out, self.collection.id(pair.a));
        out.extend_from_slice(b",\"b\":");
        json::string(out, self.collection.id(pair.b));
        out.extend_from_slice(b",\"method\":");
        json::string(out, self.method.name());
        for (key, value) in scores(pair) {
            out.extend_from_slice(b",\"");
            out.extend_from_slice(key.as_bytes());
            out.extend_from_slice(b"\":");
            out.extend_from_slice(value.as_deref().unwrap_or("null").as_bytes());
        }
        out.extend_from_slice(b",\"verdict\":");
        json::string(out, &pair.verdict());
        out.extend_from_slice(b"}\n");
    }

    fn json_group(&self, out: &mut Vec<u8>, group: &Group<'_>) {
        out.extend_from_slice(b"{\"group\":");
        json::string(out, group.kind.name());
        out.extend_from_slice(b",\"method\":");
        json::string(out, self.method.name());
        out.extend_from_slice(b",\"founder\":");
        json::string(out, self.collection.id(group.founder));
        out.extend_from_slice(b",\"size\":");
        json::number(out, group.len);
        out.extend_from_slice(if group.flagged { b",\"flagged\":true" } else { b",\"flagged\":false" });
        out.extend_from_slice(b",\"unverified\":");
        json::number(out, group.unverified);
        out.extend_from_slice(b",\"members\":");
        ids(out, self.collection, group.members);
        out.extend_from_slice(b"}\n");
    }

    fn tsv_pair(&self, out: &mut Vec<u8>, pair: &Pair) {
        json::tsv_id(out, self.collection.id(pair.a));
        out.push(b'\t');
        json::tsv_id(out, self.collection.id(pair.b));
        out.push(b'\t');
        out.extend_from_slice(self.method.name().as_bytes());
        for (_, value) in scores(pair) {
            out.push(b'\t');
            out.extend_from_slice(value.as_deref().unwrap_or("").as_bytes());
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
        json::tsv_id(out, self.collection.id(group.founder));
        for &member in group.members {
            out.push(b'\t');
            json::tsv_id(out, self.collection.id(member));
        }
        out.push(b'\n');
    }
}

/// Appends a list of ids.
pub(crate) fn ids(out: &mut Vec<u8>, collection: &Collection, ordinals: &[u32]) {
    out.push(b'[');
    for (place, &ordinal) in ordinals.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        json::string(out, collection.id(ordinal));
    }
    out.push(b']');
}

/// What is known of a pair, by the names of the columns; what is not known has no value.
fn scores(pair: &Pair) -> [(&'static str, Option<String>); 10] {
    let evidence = &pair.evidence;
    let count = |value: Option<u32>| value.map(|value| value.to_string());
    let share = |value: Option<f64>| value.map(|value| format!("{value:.6}"));
    [
        ("distance", count(evidence.distance)),
        ("b_sim", count(evidence.b_similarity)),
        ("c_sim", count(evidence.c_similarity)),
        ("agreement", count(evidence.agreement)),
        ("resemblance", share(evidence.likely_resemblance())),
        ("lcs", share(evidence.lcs_resemblance)),
        ("lcs_containment", share(evidence.lcs_containment)),
        ("cosine", share(evidence.cosine)),
        ("same_site", evidence.same_site.map(|same| same.to_string())),
        ("same_heading", evidence.same_heading.map(|same| same.to_string())),
    ]
}
