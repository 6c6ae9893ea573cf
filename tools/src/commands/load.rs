//! `nddb load`: archives, pages and fingerprints into a database, in bulk.

mod inputs;
mod pieces;
mod skipped;
mod tally;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;
use nddb::archive::{self, Format, Limits};
use nddb::{Loaded, Writer};
use serde_json::{Map, Value, json};

use self::inputs::{Progress, Sources};
use self::pieces::{Made, Piece, Reading, Sketcher};
use self::skipped::Skipped;
use self::tally::Tally;
use crate::args::{FromEnvironment, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result, Told};
use crate::messages::{Meter, Tick};
use crate::output;
use crate::quantity::{self, bytes, counted, duration};
use crate::{database, interrupt, parallel};

/// Load archives, pages or fingerprints
///
/// Reads WARC, WET and ARC (plain, .gz, .zst), JSONL (.gz, .zst), folders of HTML and text files,
/// `id<TAB>hex` lines and raw fingerprints. Loading the same documents again changes nothing. What cannot
/// be read is skipped and counted, and listed with --skipped; the exit code is 3 then.
///
/// After ^C or a crash the same command goes on: archives that are loaded are passed over, and the one it
/// was at is read from where it stood. If all of them are loaded they are read again, as with --again;
/// so are those of a --pending batch, which may have been cancelled.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb load [OPTIONS] DB INPUT...",
    after_help = "\
Examples:
  nddb load crawl.nddb CC-MAIN-2025-*.warc.gz --skipped skipped.jsonl
  nddb load crawl.nddb pages/                        every .html and .txt below, its path as id
  zstdcat dump.jsonl.zst | nddb load crawl.nddb - --format jsonl --text-field content
  nddb load old.nddb prints.u64le --id-prefix a-     ids a-0, a-1, ...
  nddb load crawl.nddb new/*.warc.gz --batch may --pending && nddb batch commit crawl.nddb may"
)]
pub(crate) struct Args {
    /// The database, then files and folders, or - for stdin
    #[arg(value_name = "DB INPUT", required = true)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// What the inputs are; `auto` looks at each
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "auto",
        help = "What the inputs are: auto, warc, wet, arc, html, jsonl, tsv, u64le"
    )]
    format: Format,
    /// Where ids of WARC, WET and ARC documents come from
    #[arg(long, value_enum, default_value_t, value_name = "FROM")]
    id: IdFrom,
    /// Put this before the ids of u64le and tsv inputs
    #[arg(long, value_name = "TEXT", default_value = "")]
    id_prefix: String,
    #[command(flatten)]
    fields: Fields,
    /// Cut records and pages at this size
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = quantity::size)]
    max_record: u64,
    /// Have the documents belong to this batch
    #[arg(long, value_name = "NAME")]
    batch: Option<String>,
    /// Keep the batch invisible until `nddb batch commit`
    #[arg(long, requires = "batch")]
    pending: bool,
    /// List what is skipped in this file: JSON objects with file, offset, reason
    #[arg(long, value_name = "FILE")]
    skipped: Option<PathBuf>,
    /// Read everything, also what an earlier load has read
    #[arg(long)]
    again: bool,
}

/// Names of JSONL fields.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Fields of JSONL inputs")]
struct Fields {
    /// The id, a string or a number
    #[arg(long, value_name = "NAME", default_value = "id")]
    id_field: String,
    /// Plain text, where there is no page
    #[arg(long, value_name = "NAME", default_value = "text")]
    text_field: String,
    /// An HTML page, where there is no fingerprint
    #[arg(long, value_name = "NAME", default_value = "html")]
    html_field: String,
    /// A fingerprint of 16 hex digits
    #[arg(long, value_name = "NAME", default_value = "fp")]
    fp_field: String,
    /// The address
    #[arg(long, value_name = "NAME", default_value = "url")]
    url_field: String,
}

/// Where ids come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum IdFrom {
    /// WARC-Record-ID; of WET records WARC-Refers-To
    #[default]
    Record,
    /// The address
    Url,
}

impl Args {
    fn options(&self) -> archive::Options {
        let fields = &self.fields;
        archive::Options {
            format: self.format,
            limits: Limits { record: self.max_record as usize, ..Limits::default() },
            id_from: match self.id {
                IdFrom::Record => archive::IdFrom::Record,
                IdFrom::Url => archive::IdFrom::Url,
            },
            id_prefix: self.id_prefix.clone(),
            first_ordinal: 0,
            fields: archive::JsonFields {
                id: fields.id_field.clone(),
                text: fields.text_field.clone(),
                html: fields.html_field.clone(),
                fp: fields.fp_field.clone(),
                url: fields.url_field.clone(),
            },
        }
    }
}

pub(super) fn run(mut args: Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (db, given) = args.environment.split(std::mem::take(&mut args.given), "INPUT")?;
    let located = inputs::expand(&given)?;
    let command = format!("load {}", given.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>().join(" "));
    let mut writer = database::write(&db, &command, global)?;
    let sketcher = Sketcher::new(writer.settings())?;
    let mut skipped = Skipped::create(args.skipped.as_deref(), global.messages())?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;

    let meter = global.messages().meter("load");
    // A chunk is finished even after ^C: what was read is kept, and the position with it.
    writer.watch(meter.watch(false));
    if let Some(batch) = &args.batch {
        writer.label(batch, args.pending)?;
    }
    let how = if args.pending { Progress::Ignored } else { Progress::Kept };
    let sources = Sources::look_at(located, &args.options(), how, args.again, &mut writer)?;
    let inputs = sources.all.len();
    let mut tally = Tally::new(sources.size(), sources.passed_over());
    let loaded = load(&mut writer, sources, &sketcher, &mut skipped, &mut tally, &meter, global.threads())?;
    skipped.finish()?;
    writer.close()?;
    if tally.is_failure(inputs) {
        let message = tally.unreadable.first().cloned().unwrap_or_default();
        return Err(Told::new(Code::Failed, message).hint("nothing was loaded").into());
    }
    report(&loaded, &tally, &clock, &args, global, &meter)
}

/// Reads, sketches and stores everything.
fn load(
    writer: &mut Writer,
    sources: Sources,
    sketcher: &Sketcher,
    skipped: &mut Skipped,
    tally: &mut Tally,
    meter: &Meter,
    threads: usize,
) -> Result<Loaded> {
    // Fingerprints need no work between reading and storing: more threads would only wait for each other.
    let threads = if sources.are_fingerprints() { 1 } else { threads };
    let mut reading = Reading::new(sources);
    let mut load = writer.bulk_load()?;
    parallel::in_order(
        threads,
        || reading.next(),
        |piece| sketcher.make(piece),
        |piece| {
            store(piece, &mut load, skipped, tally)?;
            meter.tick(Tick {
                phase: "reading",
                done: tally.documents,
                unit: "documents",
                share: tally.share(),
                bytes: tally.bytes_in(),
                skipped: tally.skipped(),
            });
            Ok::<(), Failure>(())
        },
    )?;
    Ok(load.finish()?)
}

/// Stores the documents of a piece, and notes how far its archive has been read.
fn store(piece: Piece<Made>, load: &mut nddb::BulkLoad<'_>, skipped: &mut Skipped, tally: &mut Tally) -> Result<()> {
    for made in piece.entries {
        match made {
            Made::Document(document) => {
                load.push(*document)?;
                tally.documents += 1;
            }
            Made::Skipped(what) => {
                tally.skip(what.reason);
                skipped.write(&piece.path, &what)?;
            }
            Made::Other(kind) => tally.other(kind),
        }
    }
    if let Some(error) = piece.error {
        skipped.write_unreadable(&piece.path, &error)?;
        tally.unreadable(error);
    }
    tally.read(piece.source, piece.bytes_read, piece.payload_bytes);
    if let Some((number, archive)) = piece.progress {
        load.progress(number, archive);
    }
    Ok(())
}

/// Prints the summary.
fn report(loaded: &Loaded, tally: &Tally, clock: &Clock, args: &Args, global: &Global, meter: &Meter) -> Result<Code> {
    let interrupted = interrupt::asked();
    let skipped = tally.skipped();
    if global.json {
        let counts = |counts: &std::collections::BTreeMap<&'static str, u64>| -> Map<String, Value> {
            counts.iter().map(|(&name, &count)| (name.to_owned(), count.into())).collect()
        };
        output::print_json(&json!({
            "documents": loaded.documents,
            "replaced": loaded.replaced,
            "unchanged": loaded.unchanged,
            "repeated": loaded.repeated,
            "unprinted": loaded.unprinted,
            "skipped": skipped,
            "skipped_by_reason": counts(&tally.skipped),
            "other": counts(&tally.other),
            "archives_passed_over": tally.passed_over,
            "batch": args.batch,
            "pending": args.pending,
            "interrupted": interrupted,
            "bytes_in": tally.bytes_in(),
            "payload_bytes": tally.payload(),
            "seconds": clock.seconds(),
            "cpu_seconds": clock.cpu_seconds(),
        }))?;
    }
    let mut summary = format!(
        "{} ({} replaced, {} unchanged), {} read, {} in {}",
        counted(loaded.documents, "document"),
        quantity::grouped(loaded.replaced),
        quantity::grouped(loaded.unchanged),
        bytes(tally.bytes_in()),
        if skipped == 0 { "nothing skipped".into() } else { tally.reasons() },
        duration(std::time::Duration::from_secs_f64(clock.seconds())),
    );
    if interrupted {
        summary += "; interrupted, run the same command again to go on";
    }
    meter.finish(&summary);
    Ok(match (interrupted, skipped) {
        (true, _) => Code::Interrupted,
        (false, 0) => Code::Done,
        (false, _) => Code::SomeSkipped,
    })
}
