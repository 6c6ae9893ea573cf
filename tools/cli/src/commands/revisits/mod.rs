//! `nddb revisits`: archives in which pages that repeat earlier ones are revisit records.

mod copy;
mod decide;
mod earlier;
mod payload;
mod record;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nddb::View;
use nddb::archive::{self, EntryContent, Format, Inputs, Located, Options};
use nddb_jobs::filter::{Archives, Targets, copied_as};
use nddb_jobs::input;
use nddb_jobs::output::check_copy;
use nddb_jobs::packed::Packing;
use serde_json::json;

use self::decide::{Decided, Here};
use self::earlier::Earlier;
use self::payload::{Page, Sources};
use crate::args::{FromEnvironment, Global};
use crate::clock::Clock;
use crate::failure::{Code, Failure, Result, Told};
use crate::messages::{Meter, Tick};
use crate::quantity::{bytes, counted, duration, grouped};
use crate::{database, interrupt};

/// Copy web archives with revisit records in place of pages that repeat earlier ones
///
/// A page whose payload is identical to that of an earlier page becomes a WARC revisit record, which keeps the fields of
/// its record and the HTTP header, drops the body, and names the earlier page by address, date and record id. Replay
/// tools find the body there. All other records are copied byte for byte; compressed records, too.
///
/// The inputs must have been loaded into DB. Earlier pages are those of the inputs and of all other archives that were
/// loaded into DB, by WARC-Date; of one second, in the order of the inputs. The database tells which pages have the same
/// text; their payloads are read from the archives and compared by SHA-1 and length (of the archives that are no inputs,
/// the 100 oldest pages with a text). No page refers to one that becomes a revisit record itself, nor to a copy of
/// itself. Records that 'nddb load' does not store, such as images and redirects, are copied.
///
/// With --near, a page that is only a near-duplicate of an earlier one by the default verdict becomes a revisit record,
/// too: replay then shows the earlier page, and the differences are lost. Its WARC-Profile is not that of the standard.
///
/// Keep the archives of earlier pages: revisit records are of no use without them. Inputs are read twice, and memory
/// grows with the pages that have an equal text (some 300 bytes each).
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb revisits [OPTIONS] DB WARC... -o OUT",
    after_help = "\
Examples:
  nddb load crawl.nddb crawl.warc.gz && nddb revisits crawl.nddb crawl.warc.gz -o smaller.warc.gz
  nddb revisits crawl.nddb CC-MAIN-2025-*.warc.gz -o smaller/ --near --json"
)]
pub(crate) struct Args {
    /// The database, then WARC files that were loaded into it, and folders of them
    #[arg(value_name = "DB WARC", required = true)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// Write here: a file, or a folder (one that exists, a name with / at its end, or with a folder or several inputs)
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Make near-duplicates of earlier pages revisit records, too
    #[arg(long)]
    near: bool,
}

/// An input.
struct Opened {
    path: PathBuf,
    options: Options,
    packing: Packing,
    /// Its numbers in the database.
    numbers: Vec<u32>,
}

/// Counts of the records and bytes that were copied and replaced.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    records: u64,
    /// Pages that became revisits of identical ones, and of near ones.
    identical: u64,
    near: u64,
    bytes_in: u64,
    bytes_out: u64,
}

impl Counts {
    fn join(&mut self, other: &Self) {
        self.records += other.records;
        self.identical += other.identical;
        self.near += other.near;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
    }
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (db, given) = args.environment.split(args.given, "WARC")?;
    let given: Vec<PathBuf> = given.into_iter().map(PathBuf::from).collect();
    let Inputs { located, .. } = archive::expand(&given, Format::Warc)?;
    let reader = database::read(&db)?;
    let view = reader.view();
    let inputs = open_all(&located, view, &db)?;
    let targets = Targets::of(&given, &located, ("-o", &args.output), None, &global.outputs)?;
    for (input, target) in inputs.iter().zip(&targets.kept) {
        check_copy(target.path(), &input.path, Format::Warc)?;
        copied_as(input.packing, target.path(), &input.path)?;
    }
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("revisits");
    let (decided, not_stored) = decide_all(view, &inputs, args.near.then(|| global.threads()), &meter)?;
    let Decided { revisits, unreadable } = decided;

    let mut all = Counts::default();
    for (number, (opened, target)) in inputs.iter().zip(&targets.kept).enumerate() {
        let before = all;
        let mut progress = |counts: &Counts| {
            let mut all = before;
            all.join(counts);
            tick(&meter, "writing", all.records, all.bytes_in)
        };
        all.join(&copy::copy((number, opened), &revisits, target, &mut progress)?);
    }
    if unreadable > 0 {
        let pages = counted(unreadable, "earlier page");
        global.messages().warn(format!("{pages} cannot be read from the archives, and nothing refers to them"));
        global.messages().hint("'nddb sources' lists the archives, and tells the database where they were moved");
    }
    if not_stored > 0 {
        let pages = counted(not_stored, "page");
        let why = "their ids are those of documents in other files, or they have no date, or were deleted";
        global.messages().warn(format!("{pages} not stored from these files, and copied: {why}"));
    }
    tell(&all, (unreadable, not_stored), global, &meter, &clock)
}

/// Opens the inputs, which must have been loaded.
fn open_all(located: &[Located], view: View<'_>, db: &Path) -> Result<Vec<Opened>> {
    let archives = Archives::read(view)?;
    let open = |input: &Located| {
        let path = input.path.clone();
        let name = path.display();
        if path.as_os_str() == "-" {
            return Err(Failure::usage("-: the standard input was not loaded: give the file"));
        }
        let options = archives.options(&path);
        let format = input.open(&options)?.format();
        if !matches!(format, Format::Warc | Format::Wet) {
            return Err(Failure::usage(format!("{name}: {format} has no revisit records: WARC has")));
        }
        let packing = input::packing(&path)?;
        let numbers = archives.numbers(&path)?;
        if numbers.is_empty() {
            let message = format!("{name}: was not loaded into {}, or was modified since", db.display());
            let hint = format!("load it first: nddb load {} {name}", db.display());
            return Err(Told::new(Code::Failed, message).hint(hint).into());
        }
        Ok(Opened { path, options, packing, numbers })
    };
    located.iter().map(open).collect()
}

impl Opened {
    /// Reads the pages that are wanted; returns the number of all pages.
    fn read(
        &self,
        number: usize,
        wanted: &HashSet<Here>,
        pages: &mut HashMap<Here, Page>,
        meter: &Meter,
    ) -> Result<u64> {
        let mut input = copy::open(&self.path, &self.options)?;
        let (mut records, mut all) = (0, 0);
        while let Some(entry) = input.next()? {
            if entry.position.inner > 0 && self.packing != Packing::Plain {
                let message = format!("{}: its compressed members hold several records", self.path.display());
                let hint =
                    "compress each record by itself, as 'warcio recompress' does, and load that into another database";
                return Err(Told::new(Code::Failed, message).hint(hint).into());
            }
            let here = (number, entry.position.offset);
            let is_page = matches!(entry.content, EntryContent::Page(_));
            all += u64::from(is_page);
            if is_page
                && wanted.contains(&here)
                && let Some(page) = input.whole_record().and_then(Page::of)
            {
                pages.insert(here, page);
            }
            records += 1;
            if records % (1 << 8) == 0 {
                tick(meter, "comparing payloads", records, input.bytes_read())?;
            }
        }
        Ok(all)
    }
}

/// Decides what becomes a revisit; near-duplicates are looked up by this number of threads, if they are wanted. Returns
/// the number of pages that the database does not know at their places, too.
fn decide_all(view: View<'_>, inputs: &[Opened], near: Option<usize>, meter: &Meter) -> Result<(Decided, u64)> {
    let numbers = inputs.iter().enumerate().flat_map(|(input, opened)| opened.numbers.iter().map(move |&n| (n, input)));
    let numbers: HashMap<u32, usize> = numbers.collect();
    let online = near.map(|_| earlier::detector(view)).transpose()?;
    let mut progress = || tick(meter, "reading the database", 0, 0);
    let earlier = Earlier::read(view, &numbers, online.as_ref().zip(near), &mut progress)?;
    let wanted = decide::wanted(&earlier);
    let (mut pages, mut all) = (HashMap::new(), 0);
    for (number, opened) in inputs.iter().enumerate() {
        all += opened.read(number, &wanted, &mut pages, meter)?;
    }
    let not_stored = all.saturating_sub(earlier.asked.len() as u64);
    Ok((decide::decide(earlier, &pages, &Sources::new(&view.archives()?)), not_stored))
}

fn tick(meter: &Meter, phase: &'static str, done: u64, bytes: u64) -> Result<()> {
    if interrupt::asked() {
        return Err(nddb::Error::Cancelled.into());
    }
    meter.tick(Tick { phase, done, unit: "records", share: None, bytes, skipped: 0 });
    Ok(())
}

/// Says what was done.
fn tell(
    all: &Counts,
    (unreadable, not_stored): (u64, u64),
    global: &Global,
    meter: &Meter,
    clock: &Clock,
) -> Result<Code> {
    let Counts { records, identical, near, bytes_in, bytes_out } = *all;
    global.summary(
        meter,
        json!({
            "records": records,
            "identical": identical,
            "near": near,
            "unreadable": unreadable,
            "not_stored": not_stored,
            "bytes_in": bytes_in,
            "bytes_out": bytes_out,
            "bytes_saved": bytes_in.saturating_sub(bytes_out),
            "seconds": clock.seconds(),
        }),
    )?;
    let (took, saved) = (duration(Duration::from_secs_f64(clock.seconds())), bytes_in.saturating_sub(bytes_out));
    let near = if near > 0 { format!(", {} of near ones", grouped(near)) } else { String::new() };
    let of = format!("{} of identical pages{near}", counted(identical, "revisit"));
    let (saved, bytes_in) = (bytes(saved), bytes(bytes_in));
    meter.finish(&format!("{}: {of}; {saved} of {bytes_in} saved in {took}", counted(records, "record")));
    Ok(Code::Done)
}
