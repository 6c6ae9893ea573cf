//! A plan as tables for people, and as JSON.

use nddb::planner::Prediction;
use serde_json::{Value, json};

use super::estimate::{Estimate, Wanted};
use super::measured;
use crate::quantity::{self, bytes, counted, grouped};
use crate::table::Table;

/// Factor to the measured number of documents from which figures are called estimates.
const FAR: u64 = 10;

/// The data of the output.
pub(super) struct Plan {
    pub(super) bits: u8,
    pub(super) k: u8,
    pub(super) wanted: Wanted,
    pub(super) estimates: [Estimate; measured::RECIPES.len()],
    /// Index of the recipe whose calculation is shown.
    pub(super) shown: usize,
    pub(super) designs: Vec<Prediction>,
    pub(super) chosen: Prediction,
}

impl Plan {
    fn is_estimate(&self) -> bool {
        self.wanted.documents > FAR * measured::DOCUMENTS
    }

    fn is_chosen(&self, design: &Prediction) -> bool {
        design.levels == self.chosen.levels
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let Wanted { documents, id, url, page, rate, days, .. } = &self.wanted;
        let by = if self.is_estimate() { "estimated" } else { "predicted" };
        let mut lines = vec![
            format!(
                "{} of {} bits, k = {}, in one run of {}",
                counted(*documents, "document"),
                self.bits,
                self.k,
                counted(self.chosen.tables as u64, "table"),
            ),
            format!(
                "{by} from {} that were measured; ids of {id} bytes, addresses of {url}, pages of {}",
                grouped(measured::DOCUMENTS),
                bytes(*page),
            ),
            String::new(),
        ];
        lines.extend(self.totals().lines());
        lines.extend([
            String::new(),
            format!("a machine that loads them in {days:.0} days and answers {rate:.0} queries a second from disk:"),
            String::new(),
        ]);
        lines.extend(self.machines().lines());
        lines.push(String::new());
        lines.extend(self.arithmetic());
        lines.extend([String::new(), "designs of tables, for fingerprints alone:".into(), String::new()]);
        lines.extend(self.table().lines());
        lines
    }

    fn totals(&self) -> Table {
        let titles = ["recipe", "tables", "postings", "keys", "summaries", "catalog", "total", "each"];
        let costs = ["load, h", "verdict, us", "from disk", "reads"];
        let mut table = Table::new(&[&titles[..], &costs].concat());
        for one in &self.estimates {
            let sizes = one.bytes;
            let each = sizes.total() as f64 / self.wanted.documents.max(1) as f64;
            let kinds =
                [sizes.segments, sizes.postings, sizes.keys, sizes.summaries, sizes.catalog, sizes.total()].map(bytes);
            let costs = [each, one.load_cpu_hours, one.verdict_us, one.disk_us, one.reads].map(short);
            table.row([vec![one.of.recipe.to_owned()], kinds.into(), costs.into()].concat());
        }
        table
    }

    fn machines(&self) -> Table {
        let needs = ["recipe", "reader", "writer", "indexes", "while merging", "reads/s"];
        let mut table = Table::new(&[&needs[..], &["memory", "disk", "cores"]].concat());
        for one in &self.estimates {
            let needs = [one.reader, one.writer, one.indexes, one.bytes.while_merging()].map(bytes);
            let machine = [bytes(one.machine.memory), bytes(one.machine.disk), one.machine.cores.to_string()];
            let rate = short(one.reads * self.wanted.rate);
            table.row([vec![one.of.recipe.to_owned()], needs.into(), vec![rate], machine.into()].concat());
        }
        table
    }

    /// Returns the calculation for one recipe.
    fn arithmetic(&self) -> Vec<String> {
        let one = &self.estimates[self.shown];
        let (of, documents) = (&one.of, grouped(self.wanted.documents));
        let Wanted { id, url, page, sorting, .. } = self.wanted;
        let mut lines = vec![format!("how the figures of {} come about:", of.recipe), String::new()];
        let mut line = |name: &str, text: String| lines.push(format!("{name:<10} {text}"));
        let tables = &self.chosen;
        line("tables", format!("{} x {documents} x {:.1} bits", tables.tables, tables.bits_per_fingerprint));
        if of.keys > 0 {
            let (segment, postings) = (bytes(one.key_table.segment), bytes(one.key_table.postings));
            line(
                "key table",
                format!("{} keys a document, of 40 bits: {segment}, and {postings} of postings", of.keys),
            );
        }
        let (names, compressed) = if one.names > id {
            (format!("{id} + {url}"), format!("(2 x {id} + {url} + {})", measured::SITE))
        } else {
            (id.to_string(), format!("2 x {id}"))
        };
        if of.has_ids() {
            line("summaries", format!("({} + {names}) bytes x {documents}", of.summary));
            let half = measured::COMPRESSED;
            line("catalog", format!("({} + {half} x {compressed}) bytes x {documents}", of.catalog));
        } else {
            line("catalog", format!("{} bytes x {documents}", of.catalog));
        }
        let size = if of.is_bare() {
            String::new()
        } else {
            format!(" and {:.0} for the rest of {}", one.page_us, bytes(page))
        };
        line(
            "load",
            format!(
                "({:.1} us{size} + {:.1} writes x {:.1} us) CPU x {documents}, divided by the cores",
                of.load_us, one.writes, of.merge_us
            ),
        );
        line(
            "verdict",
            format!(
                "{:.1} us measured with {}; {} keys looked up, {:.1} documents found, of these {:.1} by chance",
                of.verdict_us,
                counted(measured::DOCUMENTS, "document"),
                of.looked_up,
                one.found,
                of.looked_up as f64 * one.key_table.found_by_chance
            ),
        );
        line(
            "reads",
            format!(
                "{:.1} of tables, {} of keys, 4 for each document found; {:.0} us a read, {:.0} for others in flight",
                tables.reads,
                of.looked_up,
                measured::READ_US,
                measured::READ_MORE_US
            ),
        );
        line(
            "reader",
            format!(
                "{} + a cache of up to {} + {} bytes a block of 1 KB; writer: {} of sorting more",
                bytes(measured::READER_BASE),
                bytes(measured::CATALOG_CACHE),
                measured::DIRECTORY,
                bytes(sorting)
            ),
        );
        line("indexes", "16 bytes a block, .03% of the catalog, in the page cache".into());
        line(
            "in memory",
            format!(
                "the verdict takes {} us where all {} are in the page cache",
                short(one.verdict_us),
                bytes(one.bytes.total())
            ),
        );
        lines
    }

    /// Returns the table of designs.
    fn table(&self) -> Table {
        let titles =
            ["tables", "levels", "prefix", "bits/fp", "on disk", "matches/probe", "us resident", "us from disk"];
        let mut table = Table::new(&[&titles[..], &[""]].concat());
        for design in &self.designs {
            let levels: Vec<String> = design.levels.iter().map(u8::to_string).collect();
            table.row(vec![
                design.tables.to_string(),
                if levels.is_empty() { "-".into() } else { levels.join("x") },
                format!("{} bits", design.prefix_min),
                format!("{:.1}", design.bits_per_fingerprint),
                quantity::bytes(design.bytes),
                short(design.candidates_per_probe),
                short(design.resident_us),
                short(design.disk_us),
                if self.is_chosen(design) { "*".into() } else { String::new() },
            ]);
        }
        table
    }

    pub(super) fn value(&self) -> Value {
        let Wanted { documents, id, url, page, rate, days, .. } = self.wanted;
        json!({
            "docs": documents,
            "bits": self.bits,
            "k": self.k,
            "id_bytes": id,
            "url_bytes": url,
            "page_bytes": page,
            "rate": rate,
            "days": days,
            "measured_docs": measured::DOCUMENTS,
            "estimate": self.is_estimate(),
            "totals": self.estimates.iter().map(total).collect::<Vec<_>>(),
            "designs": self.designs.iter().map(|design| self.design(design)).collect::<Vec<_>>(),
        })
    }

    fn design(&self, design: &Prediction) -> Value {
        json!({
            "tables": design.tables,
            "levels": design.levels,
            "prefix_min": design.prefix_min,
            "bits_per_fingerprint": round(design.bits_per_fingerprint),
            "bytes": design.bytes,
            "matches_per_probe": design.candidates_per_probe,
            "resident_us": round(design.resident_us),
            "disk_us": round(design.disk_us),
            "auto": self.is_chosen(design),
        })
    }
}

fn total(one: &Estimate) -> Value {
    let (sizes, machine) = (one.bytes, one.machine);
    json!({
        "recipe": one.of.recipe,
        "bytes": {
            "segments": sizes.segments,
            "postings": sizes.postings,
            "keys": sizes.keys,
            "summaries": sizes.summaries,
            "catalog": sizes.catalog,
            "total": sizes.total(),
        },
        "bytes_while_merging": sizes.while_merging(),
        "reader_bytes": one.reader,
        "writer_bytes": one.writer,
        "index_bytes": one.indexes,
        "load_cpu_hours": round(one.load_cpu_hours),
        "verdict_us": round(one.verdict_us),
        "verdict_disk_us": round(one.disk_us),
        "reads_per_query": round(one.reads),
        "machine": {"memory": machine.memory, "disk": machine.disk, "cores": machine.cores},
    })
}

fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// Writes a number with three significant digits.
fn short(number: f64) -> String {
    match number {
        0.0 => "0".into(),
        0.0..0.001 => format!("{number:.1e}"),
        0.001..1.0 => format!("{number:.3}"),
        1.0..100.0 => format!("{number:.1}"),
        _ => grouped(number.round() as u64),
    }
}
