//! `nddb dedup`: from files to the kept documents of them, in one call.

mod summary;

use std::path::{Path, PathBuf};

use nddb::archive::{Format, Limits, Options, text_of};
use nddb::detect::{ClusterOptions, PairOptions};
use nddb::sketch::Recipe;
use nddb::{Config, Reader, View};
use nddb_evaluate::report::{Report, SAMPLE};
use nddb_jobs::output::{Destination, is_nameless};
use nddb_jobs::removed::Search;
use nddb_jobs::scratch::Scratch;
use nddb_remote::is_remote;

use self::summary::Summary;
use super::filter::{How, Plan, RemoveList, Selection, removed_output};
use super::load::{FieldNames, IdFrom, MaxWindow};
use super::query::outside::{self, Outside};
use super::query::parts::Parts;
use super::{pairs, report};
use crate::args::Global;
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result};
use crate::level_option::{self, LevelOption};
use crate::listed_inputs::ListedInputs;
use crate::losses::LossValues;
use crate::messages::Meter;
use crate::parameters::Parameters;
use crate::quantity::counted;
use crate::removed_list::{Because, RemovedRows};
use crate::{database, inputs, judging};

/// Copy files without their near-duplicates, in one call
///
/// Reads WARC, WET, ARC, JSONL and CSV (plain, .gz, .zst), Parquet, HTML and text files, and folders of them, and writes the
/// documents that stay in the same order and format, byte for byte where the format allows it. It does what 'nddb
/// load', 'nddb cluster' and 'nddb filter' do, with a temporary database that is removed at the end: in --tmp-dir, or
/// else beside the output. It takes about 1 KB a document, and the
/// text of each, compressed.
///
/// Of documents that are near-duplicates one is kept, and a document is removed only if it is itself a near-duplicate
/// of one that is kept. With --against, what is near to a document of an earlier database is removed first. Nothing is
/// stored there: to compare with what is kept now, too, load it into that database.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb dedup [OPTIONS] INPUT... -o OUT",
    after_help = "\
Examples:
  nddb dedup pages.jsonl -o kept.jsonl
  nddb dedup fineweb/*.parquet -o kept/ --removed removed.parquet --report report.html
  nddb dedup crawl.warc.gz -o kept.warc.gz --removed removed.tsv
  nddb dedup dumps/ -o kept/ --keep longest           the same tree below kept/
  zstdcat dump.jsonl.zst | nddb dedup - -o kept.jsonl
  nddb dedup s3://crawls/2026-47/ -o s3://crawls/2026-47-kept/
  nddb dedup new.jsonl -o new-only.jsonl --against january.nddb --against february.nddb
  nddb dedup pages.jsonl -o kept.jsonl --level strict"
)]
pub(crate) struct Args {
    /// Files and folders, - for stdin, or addresses: s3://, gs://, az://, https://
    #[arg(value_name = "INPUT", required_unless_present = "from_list")]
    given: Vec<PathBuf>,
    #[command(flatten)]
    listed: ListedInputs,
    /// Write here: a file, - for stdout, or a folder (one that exists, a name with / at its end, or with a folder or
    /// several inputs); each may be in a store. Documents keep the format of their input
    #[arg(short, long, value_name = "OUT", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Write no file: print what would go, as rows of --removed, or with --json the numbers
    #[arg(long)]
    dry_run: bool,
    /// List the removed documents here, with the document that is kept instead, the rule that decided, the probability,
    /// what is lost, and where the document stands: a .tsv, .csv, .jsonl or .parquet file
    #[arg(long, value_name = "FILE")]
    removed: Option<PathBuf>,
    /// Write the page of 'nddb report' here: what is removed, from which sites, and what is lost
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Remove what is near to a document of this database, too; may be repeated
    #[arg(long, value_name = "DB")]
    against: Vec<PathBuf>,
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
    /// Where ids come from, which the list of removed documents has [default: record; path, if an id comes again]
    #[arg(long, value_enum, value_name = "FROM")]
    id: Option<IdFrom>,
    #[command(flatten)]
    window: MaxWindow,
    // The last one: options after it would stand under its heading.
    #[command(flatten)]
    fields: FieldNames,
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
            let (copied, copy) = inputs::spooled_stdin()?;
            *path = copy;
            Some(copied)
        }
        None => None,
    };
    let limits = Limits { zstd_window: args.window.bytes(global)?, ..Limits::default() };
    let options =
        Options { format: args.format, limits, id_from: args.id.unwrap_or_default().into(), ..args.fields.options() };
    let how = args.how(args.id);
    // What cannot be written is told before the work.
    let plan = Plan::make(&how, &args.given, global)?;
    let removed = removed_output(args.removed.as_deref(), args.dry_run, global)?;
    let page = args.report.as_deref().filter(|_| !args.dry_run);
    let page = page.map(|path| global.page("--report", Some(path), &[Format::Html])).transpose()?;
    args.fields.check(args.id, args.format, &plan.inputs().located)?;
    plan.check(&how, &options)?;
    let earlier = args.against.iter().map(|path| database::read(path)).collect::<Result<Vec<_>>>()?;
    let parts = match &earlier[..] {
        [] => None,
        earlier => Some(Parts::new(&args.against, &earlier.iter().collect::<Vec<_>>())?),
    };
    let meter = global.messages().meter("dedup");
    let config = args.config(earlier.first())?;
    let (outside, id) = args.load(&plan, options, &config, &meter, global)?;
    let found = args.find(&outside, parts.as_ref(), removed.as_ref(), &meter, global)?;
    let mut selection = Selection::new(found.list.sorted());
    let counts = plan.copy(&args.how(id), outside.view(), &mut selection, &meter, &global.messages())?;
    if let Some(to) = &page {
        let name = args.given.iter().map(text_of).collect::<Vec<_>>().join(", ");
        let watch = &mut *meter.watch(true);
        let (resources, threads) = (pairs::resources(global), global.threads());
        let clustering = Some(&found.options);
        let command = format!("nddb dedup {name} --report {}", to.path().display());
        let page = Report::measure(name, found.reader.view(), clustering, &resources, SAMPLE, threads, watch)?;
        report::write(&page, &command, to)?;
    }
    level_option::warnings(&found.summary.clusters).into_iter().for_each(|warning| global.messages().warn(warning));
    found.summary.tell(&args, &outside, (&counts, plan.outputs()), &clock, global, &meter)?;
    Ok(if found.summary.clusters.unread.total() > 0 { Code::SomeSkipped } else { outside.code() })
}

/// The documents to remove, and how they were found.
struct Found {
    list: RemoveList,
    summary: Summary,
    options: ClusterOptions,
    /// The documents that are not near to earlier ones.
    reader: Reader,
}

impl Args {
    /// How the kept documents are written, of inputs whose ids come from there.
    fn how(&self, id: Option<IdFrom>) -> How {
        How {
            output: self.output.clone(),
            dry_run: self.dry_run,
            removed_documents: None,
            with: Vec::new(),
            format: self.format,
            // By which each file is loaded.
            id_field: None,
            id,
            id_prefix: None,
        }
    }

    /// Returns the settings of the temporary database: those of an earlier one that it is compared with, or else one
    /// table, and a recipe without keys, because nothing is looked up online.
    fn config(&self, earlier: Option<&Reader>) -> Result<Config> {
        if let Some(earlier) = earlier {
            return Ok(outside::config_like(earlier.view().settings())?.keep_words(true));
        }
        let recipe = Recipe::default();
        // A report compares the methods of the papers, too.
        let recipe = recipe.offline().filter(|_| self.report.is_none()).unwrap_or(recipe);
        Ok(Config::within(outside::K)?.levels(&[])?.recipe(&recipe.label()).keep_words(true))
    }

    /// Makes the folder of the temporary database, which goes away with what is returned.
    fn temporary_folder(&self, global: &Global) -> Result<Scratch> {
        let how = self.how(self.id);
        let output = how.output();
        match output.parent() {
            _ if global.tmp_dir.is_some() || is_nameless(output) || is_remote(output) => global.temporary_folder(),
            Some(parent) if parent != Path::new("") => global.temporary_folder_in(parent),
            _ => global.temporary_folder_in(Path::new(".")),
        }
    }

    /// Loads the inputs into a temporary database; returns where ids come from, too. Where an id is that of several
    /// documents, all of them are to be judged: then ids are places.
    fn load(
        &self,
        plan: &Plan,
        mut options: Options,
        config: &Config,
        meter: &Meter,
        global: &Global,
    ) -> Result<(Outside, Option<IdFrom>)> {
        let check = |view: View<'_>| self.options(view, global).map(|_| ());
        let load = |options| {
            Outside::load(plan.inputs(), options, config, self.temporary_folder(global)?, check, meter, global)
        };
        let first = load(options.clone())?;
        let repeated = first.loaded().map_or(0, |(report, _)| report.loaded.repeated + report.loaded.unchanged);
        if repeated == 0 {
            return Ok((first, self.id));
        }
        drop(first);
        let documents = counted(repeated, "document");
        global
            .messages()
            .note(format!("{documents} with the id of an earlier one: all are named by file and row instead"));
        options.id_from = IdFrom::Path.into();
        Ok((load(options)?, Some(IdFrom::Path)))
    }

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

    /// Finds what is removed, and lists it.
    fn find(
        &self,
        outside: &Outside,
        parts: Option<&Parts<'_>>,
        listed: Option<&Destination>,
        meter: &Meter,
        global: &Global,
    ) -> Result<Found> {
        let view = outside.view();
        let options = self.options(view, global)?;
        let Some((_, path)) = outside.loaded() else { return Err(Failure::failed("no inputs were loaded")) };
        let earlier = parts.map(|parts| &parts.federation);
        let (options_of, threads) = (options.clone(), global.threads());
        let search = Search { path: &path, view, earlier, options: options_of, threads, has_origins: true };
        let (mut list, mut summary) = (RemoveList::empty(), Summary::default());
        let rows = listed.map(|to| RemovedRows::begin(to, view, parts.is_some()));
        let mut rows = rows.transpose()?;
        let outcome = search.each(&mut *meter.watch(true), &mut |removed| {
            let place = removed.origin.place;
            list.add(removed.id, place);
            summary.add(removed);
            let kept_in = removed.part.map(|part| self.against[part].to_string_lossy());
            let because = Because {
                kept: removed.kept,
                kept_in: kept_in.as_deref(),
                rule: Some(&removed.rule),
                probability: removed.probability,
                loss: LossValues::of(removed.loss.as_ref()),
            };
            rows.as_mut().map_or(Ok(()), |rows| rows.write(removed.id, &because, place))
        });
        let outcome = outcome.map_err(Failure::from);
        let found = match rows {
            Some(rows) => rows.finish(outcome)?,
            None => outcome?,
        };
        summary.clusters = found.clusters;
        Ok(Found { list, summary, options, reader: found.reader })
    }
}
