//! `nddb plan`: estimated size and cost of a number of documents, by recipe.

mod estimate;
mod measured;

use nddb::planner::{self, Budget, Prediction};
use nddb_format::FormatError;
use serde_json::{Value, json};

use self::estimate::{Estimate, Wanted};
use super::create::Tables;
use super::set;
use crate::args::Global;
use crate::failure::{Code, Failure, Result};
use crate::output::Output;
use crate::quantity::{self, bytes, counted, grouped};
use crate::table::TextTable;

/// Memory for sorting without `--memory-limit`.
const SORTING: u64 = 512 << 20;

/// Factor to the measured number of documents from which figures are called estimates.
const FAR: u64 = 10;

/// Estimate disk, memory and time for a number of documents
///
/// Prints for the recipe: bytes by kind, time to load, time of the default verdict, and a machine that loads all
/// documents within --days and answers --rate queries per second. Below stand the other recipes: `bare` are
/// fingerprints alone, `ordinals` those with consecutive ids, `conventions` are those of other tools, and `main-parts`
/// is for pages of 200 words (each further 100 words add 280 bytes).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb plan --docs 8e9 --k 3
  nddb plan --docs 100M --recipe main-c --url-bytes 60 --page-bytes 30K")]
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
    /// Maximum number of tables, as of 'nddb create'
    #[arg(long, default_value = "auto", value_name = "auto|N", value_parser = Tables::parse)]
    tables: Tables,
    /// Print the bytes of a set ('create --set'): in one run, and as loads leave it, in runs of --memory-limit
    #[arg(long, conflicts_with_all = ["recipe", "id_bytes", "url_bytes", "page_bytes", "rate", "days"])]
    set: bool,
    /// The recipe: bare, ordinals, main, main-c, main-offline, main-parts, web, web-c, conventions
    #[arg(long, value_name = "RECIPE", default_value = "main", value_parser = recipe)]
    recipe: usize,
    /// Mean size of an id; a record id is urn:uuid: and 36 characters
    #[arg(long, value_name = "SIZE", default_value = "45", value_parser = quantity::size)]
    id_bytes: u64,
    /// Mean size of a URL
    #[arg(long, value_name = "SIZE", default_value = "80", value_parser = quantity::size)]
    url_bytes: u64,
    /// Mean size of a page before compression
    #[arg(long, value_name = "SIZE", default_value = "100K", value_parser = quantity::size)]
    page_bytes: u64,
    /// Queries per second to answer
    #[arg(long, value_name = "N", default_value = "100", value_parser = quantity::count)]
    rate: u64,
    /// Days for loading all documents
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    days: u32,
}

fn recipe(name: &str) -> Result<usize, String> {
    let names = measured::RECIPES.map(|one| one.recipe);
    names.iter().position(|one| *one == name).ok_or_else(|| format!("the recipes of a plan are {}", names.join(", ")))
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let refused = |error: FormatError| Failure::usage(error.to_string());
    let wanted = Wanted {
        documents: args.docs,
        id: args.id_bytes,
        url: args.url_bytes,
        page: args.page_bytes,
        sorting: global.memory_limit.unwrap_or(SORTING),
        rate: args.rate as f64,
        days: args.days.into(),
    };
    if args.set {
        return set(args, global);
    }
    let design = design(args.bits, args.k, args.docs, args.tables).map_err(refused)?;
    // The verdict was measured with fingerprints of 64 bits and k = 3.
    let small = self::design(64, 3, measured::DOCUMENTS, Tables::Auto).map_err(refused)?;
    let estimates = measured::RECIPES.map(|of| Estimate::new(of, &wanted, &design, &small));
    let mut output = Output::stdout();
    if global.json {
        output.json(&value(args, &design, &estimates))?;
    } else {
        lines(args, &design, &estimates).iter().try_for_each(|line| output.line(line))?;
    }
    output.flush()?;
    Ok(Code::Done)
}

/// Prints the bytes of a set.
fn set(args: &Args, global: &Global) -> Result<Code> {
    let tables = if args.tables == Tables::Auto { Tables::Most(1) } else { args.tables };
    let design = |len| design(args.bits, args.k, len, tables).map_err(|error| Failure::usage(error.to_string()));
    let (one, each) = (design(args.docs)?, set::run_len(global).min(args.docs));
    let (size, run) = (one.bytes - one.postings, design(each)?);
    let loaded = ((run.bytes - run.postings) as f64 * args.docs as f64 / each.max(1) as f64) as u64;
    let mut output = Output::stdout();
    if global.json {
        // Reference of plan: the object of `--json`, with `--set`
        output.json(&json!({
            "fingerprints": args.docs,
            "tables": one.tables,
            "bytes": size, // in one run
            "loaded_bytes": loaded, // in the runs that a load leaves
        }))?;
    } else {
        let (prints, tables) = (counted(args.docs, "fingerprint"), counted(one.tables as u64, "table"));
        output.line(&format!("{prints} of {} bits, k = {}, in {tables}", args.bits, args.k))?;
        output.line(&format!("disk: {} as loaded, {} once merged by 'nddb compact'", bytes(loaded), bytes(size)))?;
    }
    output.flush()?;
    Ok(Code::Done)
}

/// Returns the planner's choice, or the design with the longest prefixes that has at most so many tables.
fn design(bits: u8, k: u8, documents: u64, tables: Tables) -> Result<Prediction, FormatError> {
    let mut designs = planner::plan(bits, k, documents)?;
    let at = match tables {
        Tables::Most(most) => designs.iter().rposition(|design| design.tables <= most),
        Tables::Auto => {
            let chosen = planner::choose(bits, k, documents, Budget::default())?;
            designs.iter().position(|design| design.levels == chosen.levels())
        }
    };
    Ok(designs.swap_remove(at.unwrap_or(0)))
}

fn lines(args: &Args, design: &Prediction, estimates: &[Estimate]) -> Vec<String> {
    let one = &estimates[args.recipe];
    let (sizes, machine, total) = (one.bytes, one.machine, one.bytes.total());
    let kinds = [
        ("tables", sizes.segments),
        ("postings", sizes.postings),
        ("keys", sizes.keys),
        ("summaries", sizes.summaries),
        ("catalog", sizes.catalog),
    ];
    let kinds = kinds.map(|(name, size)| format!("{name} {}", bytes(size))).join(", ");
    let by = if args.docs > FAR * measured::DOCUMENTS { "estimated" } else { "predicted" };
    let mut lines = vec![
        format!(
            "{} of {} bits, recipe {}, k = {}, in one run of {}",
            counted(args.docs, "document"),
            args.bits,
            one.of.recipe,
            args.k,
            counted(design.tables as u64, "table"),
        ),
        format!(
            "{by} from {} that were measured; ids of {} bytes, addresses of {}, pages of {}",
            grouped(measured::DOCUMENTS),
            args.id_bytes,
            args.url_bytes,
            bytes(args.page_bytes),
        ),
        String::new(),
        format!("disk      {}, {} a document: {kinds}", bytes(total), short(one.each(args.docs))),
        format!("          {} while the largest runs merge", bytes(sizes.while_merging())),
        format!("load      {} hours of one core", short(one.load_cpu_hours)),
        format!("verdict   {} us in memory", short(one.verdict_us)),
        format!(
            "          {} us and {} reads from disk, with the indexes ({}) in memory",
            short(one.disk_us),
            short(one.reads),
            bytes(one.indexes)
        ),
        format!("memory    {} of a process that queries, {} of one that loads", bytes(one.reader), bytes(one.writer)),
        format!(
            "machine   {} of memory, {} of disk and {} cores load in {} days and answer {} queries a second from disk",
            bytes(machine.memory),
            bytes(machine.disk),
            machine.cores,
            args.days,
            args.rate
        ),
        String::new(),
    ];
    let titles = ["other recipe", "total", "each", "load, h", "verdict, us", "from disk", "reads"];
    let mut table = TextTable::new(&[&titles[..], &["memory", "disk", "cores"]].concat());
    for other in estimates.iter().filter(|other| other.of.recipe != one.of.recipe) {
        let costs = [other.each(args.docs), other.load_cpu_hours, other.verdict_us, other.disk_us, other.reads];
        let sizes = [bytes(other.machine.memory), bytes(other.machine.disk), other.machine.cores.to_string()];
        let first = vec![other.of.recipe.to_owned(), bytes(other.bytes.total())];
        table.row([first, costs.map(short).into(), sizes.into()].concat());
    }
    lines.extend(table.lines());
    lines
}

fn value(args: &Args, design: &Prediction, estimates: &[Estimate]) -> Value {
    // Reference of plan: the object of `--json`
    json!({
        "docs": args.docs,
        "bits": args.bits,
        "k": args.k,
        "id_bytes": args.id_bytes,
        "url_bytes": args.url_bytes,
        "page_bytes": args.page_bytes,
        "rate": args.rate,
        "days": args.days,
        "tables": design.tables,
        "levels": design.levels,
        "measured_docs": measured::DOCUMENTS,
        "estimate": args.docs > FAR * measured::DOCUMENTS, // whether that is for ten times as many as were measured
        "totals": estimates.iter().map(total).collect::<Vec<_>>(), // for each recipe: see below
    })
}

fn total(one: &Estimate) -> Value {
    let (sizes, machine) = (one.bytes, one.machine);
    // Reference of plan: one of `totals`
    json!({
        "recipe": one.of.recipe,
        // with a single run: `segments`, `postings`, `keys`, `summaries`, `catalog`, `total`
        "bytes": {
            "segments": sizes.segments,
            "postings": sizes.postings,
            "keys": sizes.keys,
            "summaries": sizes.summaries,
            "catalog": sizes.catalog,
            "total": sizes.total(),
        },
        "bytes_while_merging": sizes.while_merging(), // the same while runs exist twice
        "reader_bytes": one.reader, // anonymous memory of a process that queries
        "writer_bytes": one.writer, // anonymous memory of a process that loads
        "index_bytes": one.indexes, // page cache with which each block of a file and each row is one read
        "load_cpu_hours": round(one.load_cpu_hours), // of one core: sketching pages, writing and merging runs
        "verdict_us": round(one.verdict_us), // of the default verdict, or a query within `k`, in memory
        "verdict_disk_us": round(one.disk_us), // with only the indexes in memory
        "reads_per_query": round(one.reads), // with only the indexes in memory
        // that suffices for --days and --rate, as powers of two
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
