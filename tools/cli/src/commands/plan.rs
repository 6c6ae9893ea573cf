//! `nddb plan`: estimated size and cost of a number of documents, by design.

use nddb::planner::{self, Budget, Prediction};
use nddb_format::scheme::Scheme;
use serde_json::{Value, json};

use crate::args::Global;
use crate::failure::{Code, Failure, Result};
use crate::output::Output;
use crate::quantity;
use crate::table::Table;

/// Print what designs of tables would weigh and cost, before anything is made
///
/// More tables have longer prefixes: less to decode for each, more space on disk. The design that
/// `--tables auto` takes for a run of so many documents is marked with a star.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb plan --docs 8e9 --k 3
  nddb plan --docs 100M --tables-max 20 --json")]
pub(crate) struct Args {
    /// Number of documents: 8e9, 100M
    #[arg(long, value_name = "N", value_parser = quantity::count)]
    docs: u64,
    /// Greatest distance, in bits: 0 to 7
    #[arg(short, long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=7))]
    k: u8,
    /// Width of a fingerprint, in bits: 8 to 64
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u8).range(8..=64))]
    bits: u8,
    /// Leave out designs of more tables
    #[arg(long, value_name = "N", default_value_t = 64)]
    tables_max: usize,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let refuse = |error: nddb_format::FormatError| Failure::usage(error.to_string());
    let chosen = planner::choose(args.bits, args.k, args.docs, Budget::default()).map_err(refuse)?;
    let mut designs = planner::plan(args.bits, args.k, args.docs).map_err(refuse)?;
    designs.retain(|design| design.tables <= args.tables_max);
    let mut output = Output::stdout();
    if global.json {
        let designs: Vec<Value> = designs.iter().map(|design| value(design, &chosen)).collect();
        output.json(&json!({"docs": args.docs, "bits": args.bits, "k": args.k, "designs": designs}))?;
    } else {
        for line in table(&designs, &chosen).lines() {
            output.line(&line)?;
        }
    }
    output.flush()?;
    Ok(Code::Done)
}

fn is_chosen(design: &Prediction, chosen: &Scheme) -> bool {
    design.levels == chosen.levels()
}

fn value(design: &Prediction, chosen: &Scheme) -> Value {
    json!({
        "tables": design.tables,
        "levels": design.levels,
        "prefix_min": design.prefix_min,
        "bits_per_fingerprint": round(design.bits_per_fingerprint),
        "bytes": design.bytes,
        "matches_per_probe": design.candidates_per_probe,
        "resident_us": round(design.resident_us),
        "disk_us": round(design.disk_us),
        "auto": is_chosen(design, chosen),
    })
}

fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

fn table(designs: &[Prediction], chosen: &Scheme) -> Table {
    let titles = ["tables", "levels", "prefix", "bits/fp", "on disk", "matches/probe", "us resident", "us from disk"];
    let mut table = Table::new(&[&titles[..], &[""]].concat());
    for design in designs {
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
            if is_chosen(design, chosen) { "*".into() } else { String::new() },
        ]);
    }
    table
}

/// A number with three digits that matter.
fn short(number: f64) -> String {
    match number {
        0.0..0.001 => format!("{number:.1e}"),
        0.001..1.0 => format!("{number:.3}"),
        1.0..100.0 => format!("{number:.1}"),
        _ => quantity::grouped(number.round() as u64),
    }
}
