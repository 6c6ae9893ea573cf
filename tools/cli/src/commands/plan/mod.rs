//! `nddb plan`: estimated size and cost of a number of documents, by recipe and by design of tables.

mod estimate;
mod measured;
mod shown;

use nddb::planner::{self, Budget, Prediction};
use nddb_format::FormatError;

use self::estimate::{Estimate, Wanted};
use self::shown::Plan;
use crate::args::Global;
use crate::failure::{Code, Failure, Result};
use crate::output::Output;
use crate::quantity;

/// Memory for sorting without `--memory-limit`.
const SORTING: u64 = 512 << 20;

/// Estimate disk, memory and time for a number of documents
///
/// Prints, for bare fingerprints (`bare`; `ordinals` if their ids are consecutive) and for each recipe: bytes by kind,
/// time to load, and time of the default verdict, with everything in memory and with only the indexes in memory.
/// `conventions` are 1e0ng, seomoz, text-dedup, wayback64 and trafilatura. --psl and --phrases do not change the size.
/// `main-parts` is for pages of 200 words; each further 100 words add 280 bytes.
/// Then it prints a machine that loads all documents within --days and answers --rate queries per second, the
/// arithmetic for one recipe, and the possible designs of tables. More tables have longer prefixes, decode less per
/// query, and take more disk space. A star marks the design that `--tables auto` chooses, to which all figures apply.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb plan --docs 8e9 --k 3
  nddb plan --docs 100M --recipe main-c --url-bytes 60 --page-bytes 30K
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
    /// Omit designs with more tables than N
    #[arg(long, value_name = "N", default_value_t = 64)]
    tables_max: usize,
    /// Show the calculation for this recipe: bare, ordinals, main, main-c, main-offline, main-parts, web, web-c,
    /// conventions
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
    let plan = plan(args, global).map_err(|error| Failure::usage(error.to_string()))?;
    let mut output = Output::stdout();
    if global.json {
        output.json(&plan.value())?;
    } else {
        plan.lines().iter().try_for_each(|line| output.line(line))?;
    }
    output.flush()?;
    Ok(Code::Done)
}

fn plan(args: &Args, global: &Global) -> Result<Plan, FormatError> {
    let wanted = Wanted {
        documents: args.docs,
        id: args.id_bytes,
        url: args.url_bytes,
        page: args.page_bytes,
        sorting: global.memory_limit.unwrap_or(SORTING),
        rate: args.rate as f64,
        days: args.days.into(),
    };
    let (mut designs, auto) = self::designs(args.bits, args.k, args.docs)?;
    // The verdict was measured with fingerprints of 64 bits and k = 3.
    let (small, small_auto) = self::designs(64, 3, measured::DOCUMENTS)?;
    let estimates = measured::RECIPES.map(|of| Estimate::new(of, &wanted, &designs[auto], &small[small_auto]));
    let chosen = designs[auto].clone();
    designs.retain(|design| design.tables <= args.tables_max);
    Ok(Plan { bits: args.bits, k: args.k, wanted, estimates, shown: args.recipe, designs, chosen })
}

/// Returns all designs, and the index of the planner's choice.
fn designs(bits: u8, k: u8, documents: u64) -> Result<(Vec<Prediction>, usize), FormatError> {
    let chosen = planner::choose(bits, k, documents, Budget::default())?;
    let designs = planner::plan(bits, k, documents)?;
    let auto = designs.iter().position(|design| design.levels == chosen.levels()).unwrap_or(0);
    Ok((designs, auto))
}
