//! `nddb load`: archives, pages and fingerprints into a database, in bulk.

mod fields;
mod selected;
mod skipped;
mod summary;
mod unused;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::TypedValueParser;
use nddb::archive::{self, Format, IdFrom, Inputs, Limits, Located};
use nddb::detect::Collection;
use nddb::ingest::{Event, LoadReport, Loader, RevisitCounts};
use nddb::{FingerprintSet, View, Writer};
use serde_json::json;

pub(in crate::commands) use self::fields::{FieldNames, MaxWindow};
use self::selected::Choice;
use self::skipped::Skipped;
use self::summary::PassedOver;
use super::set;
use crate::advice;
use crate::args::{FromEnvironment, Global};
use crate::clock::Clock;
use crate::described::listed;
use crate::failure::{Code, Failure, Result, Told, chain};
use crate::listed_inputs::ListedInputs;
use crate::messages::Meter;
use crate::quantity::{self, bytes, counted, duration, grouped};
use crate::{database, interrupt, loading};

/// Load documents from archives, pages, tables or files of fingerprints
///
/// Reads WARC, WET, ARC and WACZ, JSONL, CSV and TSV with a header, HTML and text files, `id<TAB>hex` lines and raw
/// fingerprints (each plain, .gz, .zst, .bz2, .xz or .lz4), Parquet, Arrow (Feather), and tables of sketches. From a
/// folder it reads the files with these extensions and those that begin like pages; with --format, all files as that
/// format. Names that begin with . or _ are omitted. Folders of Delta, Iceberg, Hudi and Lance tables are refused.
///
/// Tables and lines in the layouts of datatrove, FineWeb, dolma, C4, RedPajama, HPLT, DCLM and OSCAR need no options.
/// Inputs without ids get file:row.
///
/// Loading the same documents again changes nothing. The summary counts every entry that was read: stored, unchanged,
/// repeated, skipped, or no document (such as a request or revisit in a WARC file). Unreadable entries are skipped, and
/// listed with --skipped. If an id occurs again with different content, it is counted as repeated and the last document
/// is stored. Documents longer than --max-record, or than --memory-limit allows, are cut. In these cases the exit code
/// is 3. More documents than pairs and cluster take, 2^32 - 2, are refused.
///
/// After ^C or a crash, run the same command to resume: unmodified archives that were already loaded are skipped and
/// listed, and an incomplete one is continued. Fingerprints and stdin are always read completely. If all inputs were
/// already loaded, they are read again, as with --again.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb load [OPTIONS] DB INPUT...",
    after_help = "\
Examples:
  nddb load crawl.nddb CC-MAIN-2025-*.warc.gz --skipped skipped.jsonl
  zstdcat dump.jsonl.zst | nddb load crawl.nddb - --format jsonl --text-field content
  nddb load crawl.nddb --select index.parquet warc/  the records that the index names
  nddb load crawl.nddb --from-list warc.paths.gz --base https://data.commoncrawl.org
  nddb load crawl.nddb new/*.warc.gz --batch may --pending && nddb batch commit crawl.nddb may"
)]
pub(crate) struct Args {
    /// The database, then files and folders, - for stdin, or addresses: s3://, gs://, az://, https://
    #[arg(value_name = "DB INPUT", required_unless_present = "from_list")]
    given: Vec<OsString>,
    #[command(flatten)]
    listed: ListedInputs,
    #[command(flatten)]
    environment: FromEnvironment,
    /// What the inputs are; `auto` looks at each
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "auto",
        help = "What the inputs are: auto, warc, wet, arc, html, jsonl, csv, parquet, arrow, tsv, u64le"
    )]
    format: Format,
    /// Where ids come from [default: record]
    #[arg(long, value_parser = id_from(), value_name = "FROM")]
    id: Option<IdFrom>,
    /// Prefix for all ids; those of sketches are unchanged
    #[arg(long, value_name = "TEXT")]
    id_prefix: Option<String>,
    /// Truncate records and pages at this size
    ///
    /// Sketching a page takes about ten times its size: with the default --memory-limit of 1G pages are cut from 34M
    /// on.
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = quantity::size)]
    max_record: u64,
    /// Give up a compressed member that decompresses to more than this many times the bytes read, beyond --max-record
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u64).range(1..))]
    max_ratio: u64,
    #[command(flatten)]
    window: MaxWindow,
    /// Assign the documents to this batch
    #[arg(long, value_name = "NAME")]
    batch: Option<String>,
    /// Keep the batch invisible until `nddb batch commit`
    #[arg(long, requires = "batch")]
    pending: bool,
    /// Write skipped records to this file: JSON objects with file, offset, reason
    #[arg(long, value_name = "FILE")]
    skipped: Option<PathBuf>,
    /// Of WARC, WET and ARC files, read only the records that this Parquet file names by warc_filename,
    /// warc_record_offset and warc_record_length, as Common Crawl's columnar index does
    #[arg(long, value_name = "INDEX")]
    select: Vec<PathBuf>,
    /// Read all inputs again, including those that were loaded before
    #[arg(long)]
    again: bool,
    // This field is the last one, because later options would appear under its heading.
    #[command(flatten)]
    fields: Fields,
}

/// Names of JSONL fields and of Parquet, Arrow and CSV columns.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Fields of JSONL and columns of Parquet, Arrow and CSV inputs (nested: outer.inner)")]
struct Fields {
    #[command(flatten)]
    names: FieldNames,
    /// Assign the documents of Parquet and Arrow inputs to the batches that this column names; each change of the batch
    /// is a commit
    #[arg(long, value_name = "NAME", conflicts_with = "batch")]
    batch_column: Option<String>,
}

/// Reads where ids come from.
pub(in crate::commands) fn id_from() -> impl TypedValueParser<Value = IdFrom> {
    listed(&IdFrom::ALL, |from| {
        let help = match from {
            IdFrom::Record => {
                "The field or column of the id; WARC-Record-ID, or WARC-Refers-To of WET records; the path below the \
                 folder of a page in a folder"
            }
            IdFrom::Url => "The address, of WARC, WET and ARC documents",
            IdFrom::Path => {
                "The path as given, with the path below a folder; for files of several documents path:row, from 0"
            }
            IdFrom::Row => "The name of the file and the row, line or record in it, from 0: name:row",
        };
        (from.name(), help)
    })
}

impl Args {
    /// Refuses options that have no effect on fingerprints alone.
    fn refuse_for_sets(&self) -> Result<()> {
        set::refuse(&[
            ("--from-list", !self.listed.is_empty()),
            ("--id", self.id.is_some()),
            ("--id-prefix", self.id_prefix.is_some()),
            ("--batch", self.batch.is_some()),
            ("--skipped", self.skipped.is_some()),
            ("--select", !self.select.is_empty()),
            ("--again", self.again),
            ("--batch-column", self.fields.batch_column.is_some()),
            ("the name of a field", !self.fields.names.options().required.is_empty()),
        ])
    }

    fn options(&self, global: &Global) -> Result<archive::Options> {
        let limits = Limits {
            record: self.max_record as usize,
            ratio: self.max_ratio,
            zstd_window: self.window.bytes(global)?,
            ..Limits::default()
        };
        Ok(archive::Options {
            format: self.format,
            limits,
            id_from: self.id.unwrap_or_default(),
            id_prefix: self.id_prefix.clone().unwrap_or_default(),
            batch_column: self.fields.batch_column.clone(),
            ..self.fields.names.options()
        })
    }
}

pub(crate) fn run(mut args: Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let what = if args.listed.is_empty() { "INPUT" } else { "" };
    let (db, mut given) = args.environment.split(std::mem::take(&mut args.given), what)?;
    if FingerprintSet::is_at(&db) {
        args.refuse_for_sets()?;
        let inputs: Vec<PathBuf> = given.into_iter().map(PathBuf::from).collect();
        return set::load(&db, &inputs, args.format, global);
    }
    let command = format!("load {}", given.iter().map(archive::text_of).collect::<Vec<_>>().join(" "));
    given.extend(args.listed.read(global)?.into_iter().map(OsString::from));
    let options = args.options(global)?;
    let inputs = archive::expand(&given, args.format)?;
    global.outputs.reads_inputs(&inputs.located);
    args.fields.names.check(args.id, args.format, &inputs.located)?;
    if args.id.is_some_and(IdFrom::is_place) && !args.select.is_empty() {
        let id = args.id.unwrap_or_default();
        return Err(Failure::usage(format!("--id {id} and --select exclude each other")));
    }
    let (inputs, choice) = match args.select.is_empty() {
        true => (inputs, None),
        false => Choice::make(&args.select, inputs).map(|(inputs, choice)| (inputs, Some(choice)))?,
    };
    let to = args.skipped.as_deref().map(|path| global.json_lines("--skipped", Some(path))).transpose()?;
    let mut writer = database::write(&db, &command, global)?;
    let _ = database::recipe_for_writing(writer.settings())?;
    refuse_too_many(&db, writer.view().stats()?.documents.max(raw_len(&inputs.located, args.format)))?;
    let mut skipped = Skipped::create(to, global.messages())?;
    choice.iter().try_for_each(|choice| choice.list(&mut skipped))?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;

    let meter = global.messages().meter("load");
    // A chunk is finished even after ^C, so that its documents and the position are kept.
    writer.watch(meter.watch(false));
    writer.merge_in_background(true);
    if let Some(warning) = mixed_warning(writer.view(), &inputs.located)? {
        global.messages().warn(warning);
    }
    if let Some(batch) = &args.batch {
        writer.label(batch, args.pending)?;
    }
    let mut passed_over = PassedOver::default();
    let report = load(&mut writer, (inputs, options), &args, (skipped, &mut passed_over), &meter, global)?;
    let revisits = report.revisits.count(writer.view())?;
    // A running merge can be stopped: the next command that writes continues it.
    writer.watch(meter.watch(true));
    writer.close()?;
    if report.is_failure() {
        let first = report.unreadable.first();
        let next = first.and_then(advice::of_input).unwrap_or("fix or omit that input, and run the command again");
        return Err(Told::new(Code::Failed, first.map(|error| chain(error)).unwrap_or_default())
            .hint(format!("nothing was loaded; {next}"))
            .into());
    }
    tell((&report, revisits), (choice.as_ref(), &passed_over), &clock, &args, global, &meter)
}

/// Returns the number of fingerprints in raw files, by their sizes; compressed ones have more.
fn raw_len(inputs: &[Located], format: Format) -> u64 {
    let is_raw = |path: &Path| match format {
        Format::Auto => Format::of_name(path) == Some(Format::U64le),
        format => format == Format::U64le,
    };
    let raw = inputs.iter().filter(|input| is_raw(&input.path));
    raw.filter_map(|input| fs::metadata(&input.path).ok()).map(|file| file.len() / 8).sum()
}

/// Refuses more documents than `pairs` and `cluster` take. A load that passes this number on its way is complete, and
/// the next one is refused.
fn refuse_too_many(db: &Path, documents: u64) -> Result<()> {
    let most = Collection::LEN_MAX;
    if documents <= most {
        return Ok(());
    }
    let (db, documents, most) = (db.display(), grouped(documents), grouped(most));
    let message = format!("{db}: {documents} documents are more than 'pairs' and 'cluster' take: {most}");
    let hint = "load the rest into another database, and query both as one; for fingerprints alone, make a set: \
                'nddb create --set'";
    Err(Told::new(Code::Usage, message).hint(hint).into())
}

/// Loads the inputs, shows progress, and lists skipped records.
fn load(
    writer: &mut Writer,
    (inputs, options): (Inputs, archive::Options),
    args: &Args,
    (mut skipped, passed_over): (Skipped, &mut PassedOver),
    meter: &Meter,
    global: &Global,
) -> Result<LoadReport> {
    // The error of writing the list of skipped records: it ends the load, which keeps the documents read so far.
    let mut failure = None;
    let has_failed = AtomicBool::new(false);
    let report = Loader::new(writer)
        .options(options)
        .threads(global.threads())
        .again(args.again)
        .unordered(true)
        .stop_when(|| interrupt::asked() || has_failed.load(Ordering::Relaxed))
        .on_event(|event| {
            let written = match event {
                Event::Skipped(what) => {
                    loading::warn(&what, &global.messages());
                    skipped.write(&what)
                }
                Event::Unreadable { path, error } => skipped.write_unreadable(path, &chain(error)),
                Event::Resumed { path, documents } => {
                    let (path, documents) = (path.display(), counted(documents, "document"));
                    global.messages().note(format!("{path}: resuming after {documents} loaded earlier"));
                    Ok(())
                }
                Event::PassedOver { path } => {
                    global.messages().detail(format!("{}: passed over, an earlier load has read it", path.display()));
                    passed_over.take(path);
                    Ok(())
                }
                Event::Progress(progress) => {
                    meter.tick(loading::tick(&progress));
                    Ok(())
                }
                _ => Ok(()),
            };
            if let Err(error) = written {
                failure.get_or_insert(error);
                has_failed.store(true, Ordering::Relaxed);
            }
        })
        .load_inputs(inputs);
    match failure {
        Some(failure) => Err(failure),
        // What was skipped before an error is passed over by the next load, so it is listed now.
        None => skipped.finish().and(report.map_err(Failure::from)),
    }
}

/// Prints the summary.
fn tell(
    (report, revisits): (&LoadReport, RevisitCounts),
    (choice, passed_over): (Option<&Choice>, &PassedOver),
    clock: &Clock,
    args: &Args,
    global: &Global,
    meter: &Meter,
) -> Result<Code> {
    let (loaded, bytes_in) = (&report.loaded, report.progress.bytes_in);
    let (interrupted, skipped) = (interrupt::asked(), report.skipped());
    let other: BTreeMap<_, _> = report.other.iter().map(|(kind, count)| (kind.as_str(), count)).collect();
    global.summary(
        meter,
        // Reference of load: the object of `--json`
        json!({
            // the sum of `documents`, `unchanged`, `repeated`, `skipped` and the counts of `other`; an input that
            // cannot be read to its end counts as one
            "entries": report.entries,
            "documents": loaded.documents,
            "replaced": loaded.replaced, // of `documents`: stored in place of one with the same id
            "unchanged": loaded.unchanged, // equal to the stored document, or to an earlier one in the input
            // not stored, because a later document of the load has the same id and other content
            "repeated": loaded.repeated,
            "repeat": summary::repeated(report), // one of these: its `id` and `file`
            "no_fingerprint": loaded.unprinted, // of `documents`: fewer than two tokens
            "truncated": report.truncated, // of `documents`: incomplete in the input
            "cut": report.cut, // only the beginning was read, because of --max-record or --memory-limit
            "dates_not_understood": report.unread_dates,
            "skipped": skipped, // entries that could not be read
            "skipped_by_reason": summary::reasons(report),
            "other": other, // intact records that are not documents, by kind: `request`, `revisit`, `status`, ...
            "revisits_of_stored": revisits.of_stored, // `revisit` records of stored pages
            "revisits_of_unknown": revisits.of_unknown, // `revisit` records of pages that are not stored
            "archives_passed_over": report.passed_over, // loaded before
            "files_passed_over": report.files_passed_over, // in folders, with names of no known format
            // with --select: `archives` and `records` found, `archives_absent`, `records_absent`, `inputs_unnamed`
            // (inputs that the index does not name)
            "selected": choice.map(Choice::value),
            "batch": args.batch,
            "pending": args.pending,
            "interrupted": interrupted, // whether ^C ended the load
            "bytes_in": bytes_in,
            "payload_bytes": report.payload_bytes, // decompressed
            "seconds": clock.seconds(),
            "cpu_seconds": clock.cpu_seconds(),
            // its share of `cpu_seconds`, from 0 to 1, without the threads of RocksDB
            "busiest_thread": clock.busiest_thread(),
        }),
    )?;
    let mut summary = format!(
        "{} ({}) in {}",
        summary::account(report),
        bytes(bytes_in),
        duration(std::time::Duration::from_secs_f64(clock.seconds())),
    );
    summary += &passed_over.summary();
    if report.files_passed_over > 0 {
        let other = if args.format == Format::Auto { "no known" } else { "another" };
        let files = counted(report.files_passed_over, "file");
        summary += &format!("; {files} passed over (hidden, or of {other} format)");
    }
    summary += &loading::incomplete(report);
    if !report.revisits.is_empty() {
        let (stored, unknown) = (counted(revisits.of_stored, "revisit"), grouped(revisits.of_unknown));
        summary += &format!("; {stored} of stored pages, {unknown} of what is not stored");
    }
    if let Some(choice) = choice {
        summary += &choice.summary();
    }
    if interrupted {
        summary += "; interrupted, to continue, run the same command again";
    }
    meter.finish(&summary);
    if loaded.repeated > 0 {
        global.messages().hint(summary::REPEATED_HINT);
    }
    let is_whole = skipped == 0 && loaded.repeated == 0 && report.cut == 0 && choice.is_none_or(Choice::is_whole);
    Ok(match (interrupted, is_whole) {
        (true, _) => Code::Interrupted,
        (false, true) => Code::Done,
        (false, false) => Code::SomeSkipped,
    })
}

/// Returns a warning if WET files come beside pages of WARC or ARC files, by the names of the inputs and of the
/// archives that the database holds.
fn mixed_warning(view: View<'_>, inputs: &[Located]) -> nddb::Result<Option<String>> {
    let is_wet = |path: &Path| {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let is_archive = matches!(Format::of_name(path)?, Format::Warc | Format::Wet | Format::Arc);
        is_archive.then(|| name.contains(".wet"))
    };
    let archives = view.archives()?;
    let given: Vec<&Path> = inputs.iter().map(|input| &*input.path).collect();
    let all = || archives.iter().map(|(_, archive)| Path::new(&archive.path)).chain(given.iter().copied());
    // Earlier loads were warned of.
    let is_new = given.iter().any(|path| is_wet(path).is_some());
    let [wet, page] = [true, false].map(|wanted| all().find(|path| is_wet(path) == Some(wanted)));
    Ok(wet.zip(page).filter(|_| is_new).map(|(wet, page)| {
        format!(
            "{} has texts that another program extracted, {} has pages: a page is often not near its own text, so \
             compare the documents of one kind",
            wet.display(),
            page.display()
        )
    }))
}
