//! `nddb dedup`: from files to the kept documents of them, in one call.

mod summary;

use std::path::PathBuf;

use nddb::archive::{Format, IdFrom, Limits, Options, text_of};
use nddb::detect::{ClusterOptions, PairOptions};
use nddb::sketch::{PART_WORDS, PARTS_WINDOW};
use nddb::verdict::Level;
use nddb::{PassageLimits, View};
use nddb_evaluate::report::Report;
use nddb_jobs::dedup::{Dedup, DedupWatch};
use nddb_jobs::input;
use nddb_jobs::removed::{CONTAINED_TEXTS, Contained};

use super::filter::{kept_output, notice, removed_output};
use super::load::{FieldNames, MaxWindow, id_from};
use super::{pairs, report};
use crate::args::Global;
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::level_option::{self, LevelOption};
use crate::listed_inputs::ListedInputs;
use crate::parameters::Parameters;
use crate::{interrupt, judging, loading};

/// Copy files without their near-duplicates, in one call
///
/// Reads WARC, WET, ARC, JSONL and CSV (plain, .gz, .zst), Parquet, HTML and text files, and folders of them, and
/// writes the documents that stay in the same order and format. It does what 'nddb load', 'nddb cluster' and 'nddb
/// filter' do, with a temporary database in --tmp-dir, or else beside the output: about 1 KB a document, and the text
/// of each, compressed.
///
/// A document is removed only if it is itself a near-duplicate of one that is kept. With --against, what is near to a
/// document of an earlier database is removed first; nothing is stored there.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb dedup [OPTIONS] INPUT... -o OUT",
    after_help = "\
Examples:
  nddb dedup pages.jsonl -o kept.jsonl
  nddb dedup fineweb/*.parquet -o kept/ --removed removed.parquet --report report.html
  nddb dedup new.jsonl -o new-only.jsonl --against january.nddb --against february.nddb
  nddb dedup pages.jsonl -o kept.jsonl --contained remove --removed removed.tsv"
)]
pub(crate) struct Args {
    /// Files and folders, - for stdin, or addresses: s3://, gs://, az://, https://
    #[arg(value_name = "INPUT", required_unless_present = "from_list")]
    given: Vec<PathBuf>,
    #[command(flatten)]
    listed: ListedInputs,
    /// Write here: a file, - for stdout, or a folder; each may be in a store. Documents keep the format of their input
    #[arg(short, long, value_name = "OUT", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Write no file: print what would go, as rows of --removed, or with --json the numbers
    #[arg(long)]
    dry_run: bool,
    /// List the removed documents in this .tsv, .csv, .jsonl or .parquet file: the kept document, the rule, the
    /// probability, what is lost, and the place
    #[arg(long, value_name = "FILE")]
    removed: Option<PathBuf>,
    /// Write the page of 'nddb report' here: what is removed, from which sites, and what is lost
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Remove what is near to a document of this database, too, with an estimate of what is lost; may be repeated
    #[arg(long, value_name = "DB")]
    against: Vec<PathBuf>,
    #[arg(long, value_name = "keep|remove", value_enum, hide_possible_values = true, help = "Look for documents whose \
        text stands within a longer one, and keep or remove them", long_help = contained_help())]
    contained: Option<ContainedOption>,
    /// Remove documents that are near-duplicates with at least this probability, 0 to 1 [default: 0.5]
    #[arg(long, value_name = "P", value_parser = probability)]
    min_probability: Option<f64>,
    #[command(flatten)]
    level: LevelOption,
    #[command(flatten)]
    parameters: Parameters,
    /// What the inputs are: auto, warc, wet, arc, html, jsonl, csv, parquet
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    format: Format,
    /// Where the ids of the list of removed documents come from: record, url, path or row, as with 'nddb load --id'
    /// [default: record; path, if an id comes again]
    #[arg(long, value_parser = id_from(), value_name = "FROM", hide_possible_values = true)]
    id: Option<IdFrom>,
    #[command(flatten)]
    window: MaxWindow,
    // The last one: options after it would stand under its heading.
    #[command(flatten)]
    fields: FieldNames,
}

/// What becomes of documents that stand within others.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ContainedOption {
    Keep,
    Remove,
}

fn contained_help() -> String {
    let (passage, surely) = (PassageLimits::default().min_words, PART_WORDS + usize::from(PARTS_WINDOW) - 1);
    format!(
        "Look for documents whose text stands within a longer one of the inputs: keep, list and count them, or remove \
         those of which no more is lost than --level allows\n\n{} Texts of fewer than {surely} words may be missed, \
         and so may those whose runs of five words all stand in more than {CONTAINED_TEXTS} documents that stay.",
        Level::removes_within(passage)
    )
}

fn probability(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a probability is 0 to 1".to_owned())
}

pub(crate) fn run(mut args: Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    args.given.extend(args.listed.read(global)?);
    // Inputs are read twice.
    let stdin = args.given.iter_mut().find(|path| path.as_os_str() == "-");
    let _spooled = match stdin {
        Some(path) => {
            let (copied, copy) = input::spooled_stdin()?;
            *path = copy;
            Some(copied)
        }
        None => None,
    };
    let limits = Limits { zstd_window: args.window.bytes(global)?, ..Limits::default() };
    let output = kept_output(args.output.as_deref(), args.dry_run);
    let dedup = Dedup {
        removed: removed_output(args.removed.as_deref(), args.dry_run, global),
        output: ("-o", output),
        against: &args.against,
        contained: args.contained.map(|option| match option {
            ContainedOption::Keep => Contained::Keep,
            ContainedOption::Remove => Contained::Remove,
        }),
        reading: Options { format: args.format, limits, ..args.fields.options() },
        id: args.id,
        // A report compares the methods of the papers, too.
        all_sketches: args.report.is_some(),
        temporary: global.tmp_dir.as_deref(),
        threads: global.threads(),
        memory: global.memory_limit,
        ..Dedup::new(&args.given, output)
    };
    let messages = global.messages();
    let plan = dedup.plan(&global.outputs, &mut |note| notice(note, &messages))?;
    let page = args.report.as_deref().filter(|_| !args.dry_run);
    let page = page.map(|path| global.page("--report", Some(path))).transpose()?;
    args.fields.check(args.id, args.format, &plan.inputs().located)?;
    let meter = messages.meter("dedup");
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let watch = DedupWatch {
        progress: &mut *meter.watch(true),
        loading: &mut |event| loading::loading(event, &meter, &messages),
        stop: &interrupt::asked,
        note: &mut |note| notice(note, &messages),
    };
    let done = plan.run(&|view| args.options(view, global), watch)?;
    if let Some(to) = &page {
        let name = args.given.iter().map(text_of).collect::<Vec<_>>().join(", ");
        let watch = &mut *meter.watch(true);
        let command = format!("nddb dedup {name} --report {}", to.path().display());
        let (clustering, resources) = (Some(&done.options), pairs::resources(global));
        let page = Report::measure(name, done.reader.view(), clustering, &resources, watch)?;
        report::write(&page, (&command, &[]), to)?;
    }
    let clusters = &done.summary.clusters;
    level_option::warnings(clusters).into_iter().for_each(|warning| messages.warn(warning));
    summary::tell(&done, plan.outputs(), &args, &clock, global, &meter)?;
    Ok(if clusters.unread.total() > 0 { Code::SomeSkipped } else { loading::code(done.report()) })
}

impl Args {
    /// How documents are clustered.
    fn options(&self, view: View<'_>, global: &Global) -> Result<ClusterOptions> {
        let mut pairs = PairOptions::chosen(judging::chosen(view, None, None)?);
        if let Some(probability) = self.min_probability {
            let told = |why: String| Failure::usage(format!("--min-probability {probability}: {why}"));
            pairs.method.set("probability", &probability.to_string()).map_err(|error| told(error.to_string()))?;
        }
        self.parameters.apply(&mut judging::running(&mut pairs.method, &mut pairs.or_hamming, &mut pairs.verify))?;
        pairs.resources = pairs::resources(global);
        Ok(self.level.apply(ClusterOptions::new(pairs)))
    }
}
