//! `nddb filter`: the kept documents themselves.

mod archives;
mod lists;
mod pages;
mod records;
mod related;
mod rows;
mod selection;
#[cfg(feature = "parquet")]
mod tables;
mod targets;

use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use nddb::View;
use nddb::archive::{self, Format, Located, Options};
use nddb_lab::NamedId;
use serde_json::json;

use self::archives::Archives;
use self::lists::{Clusters, Place, Places, RemoveList};
use self::records::{Outs, Records};
use self::rows::{Column, Positions, Rows};
use self::selection::{Counts, Selection};
use self::targets::Targets;
use crate::args::{FromEnvironment, Global};
use crate::clock::Clock;
use crate::commands::load::IdFrom;
use crate::failure::{Code, Failure, Result, Told};
use crate::inputs::{self, Packing};
use crate::messages::{Meter, Tick};
use crate::output::{self, Published};
use crate::quantity::{bytes, counted, duration, grouped};
use crate::{database, interrupt};

/// Bytes that are read of lines at once.
const BUFFER: usize = 256 << 10;

/// Copy input files without the documents that a clustering removes
///
/// Reads WARC, WET, ARC, JSONL (plain, .gz, .zst), Parquet, HTML and text files and folders of them, as 'nddb load'
/// does, and writes the remaining documents in the same order and format. Records and JSON lines are copied byte for
/// byte, with the same compression; Parquet files keep their schema, nested columns and metadata; pages are copied.
/// WARC request and metadata records follow their page; other records, and rows without an id, are kept. An output file
/// gets its name when it is complete, so the command can be run again. Several inputs are written into a folder, under
/// their own names, and those of a folder under their paths below it; inputs of one name, or of several folders with
/// equal paths, under the folders that tell them apart.
///
/// For an archive that was loaded, exactly the rows that were judged are removed, by file and position. For other
/// files, rows are found by id, and kept if several rows have the same id; such files are read twice. The field for ids
/// is the one used when the file was loaded. Memory grows with the lists (130 bytes per id), not with the inputs.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb filter [OPTIONS] DB INPUT... -o OUT",
    after_help = "\
Examples:
  nddb cluster crawl.nddb -o clusters
  nddb filter crawl.nddb crawl.warc.gz --clusters clusters -o kept.warc.gz
  nddb filter crawl.nddb part-*.jsonl.zst --clusters clusters -o kept/ --removed removed/
  nddb filter crawl.nddb dumps/ --clusters clusters -o kept/    the same tree below kept/
  nddb filter crawl.nddb pages.jsonl --clusters clusters --with cluster_id,kept -o kept.jsonl
  nddb filter crawl.nddb pages.jsonl --remove ids.txt -o -"
)]
pub(crate) struct Args {
    /// The database, then files and folders, or - for stdin, which is copied to a temporary file
    #[arg(value_name = "DB INPUT", required = true)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// Write here: a file, - for stdout, or a folder (one that exists, a name with / at its end, or with a folder or
    /// several inputs)
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// The folder that 'nddb cluster -o' wrote: remove.txt and clusters.jsonl
    #[arg(long, value_name = "DIR", required_unless_present = "remove")]
    clusters: Option<PathBuf>,
    /// Ids to remove, one per line as in remove.txt: \#17 is a number, \"17 a text, and 17 whichever the database has
    /// [default: remove.txt of --clusters]
    #[arg(long, value_name = "FILE")]
    remove: Option<PathBuf>,
    /// Write the removed documents here: a file or a folder, as with --output
    #[arg(long, value_name = "OUT")]
    removed: Option<PathBuf>,
    /// Add these fields to lines of JSON, or columns to Parquet
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FIELDS", requires = "clusters")]
    with: Vec<Column>,
    /// What the inputs are: auto, warc, wet, arc, html, jsonl, parquet
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    format: Format,
    /// The field of lines of JSON, or the column, with the id [default: that by which the file was loaded, else id]
    #[arg(long, value_name = "NAME")]
    id_field: Option<String>,
    /// Where ids come from, as with 'nddb load --id' [default: record]
    #[arg(long, value_enum, value_name = "FROM")]
    id: Option<IdFrom>,
    /// The prefix of all ids, as with 'nddb load --id-prefix'
    #[arg(long, value_name = "TEXT")]
    id_prefix: Option<String>,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (db, given) = args.environment.split(args.given.clone(), "INPUT")?;
    let given: Vec<PathBuf> = given.into_iter().map(PathBuf::from).collect();
    let archive::Inputs { located: inputs, passed_over } = archive::expand(&given, args.format)?;
    if passed_over > 0 {
        let files = counted(passed_over, "file");
        global.messages().note(format!("{files} in folders passed over: hidden, or of no format that is asked for"));
    }
    let targets = Targets::of(&given, &inputs, &args.output, args.removed.as_deref())?;
    let reader = database::read(&db)?;
    let mut selection = args.selection(reader.view())?;
    let archives = Archives::read(reader.view())?;
    let opened = inputs.iter().map(|input| Opened::new(&args, &archives, input)).collect::<Result<Vec<_>>>()?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("filter");
    let mut all = Counts::default();
    if selection.list.len() > 0 && (selection.list.lacks_places() || opened.iter().any(|opened| opened.here.is_empty()))
    {
        selection.counts = true;
        for (input, opened) in inputs.iter().zip(&opened) {
            Job { args: &args, input: &input.path, opened, meter: &meter, before: all }.count(&mut selection)?;
        }
        selection.counts = false;
    }
    for (index, (input, opened)) in inputs.iter().zip(&opened).enumerate() {
        let job = Job { args: &args, input: &input.path, opened, meter: &meter, before: all };
        selection.here.clone_from(&opened.here);
        let counts =
            job.run(&targets.kept[index], targets.removed.as_ref().map(|paths| &*paths[index]), &mut selection)?;
        if counts.repacked {
            let path = input.path.display();
            global.messages().note(format!("{path}: its members hold several records: each was compressed anew"));
        }
        all.join(&counts);
    }
    tell(&all, &selection.list, global, &meter, &clock)
}

/// Says what was done.
fn tell(all: &Counts, list: &RemoveList, global: &Global, meter: &Meter, clock: &Clock) -> Result<Code> {
    let missing = list.len() - list.found();
    if global.json {
        output::print_json(&json!({
            "documents": all.rows,
            "kept": all.rows - all.removed,
            "removed": all.removed,
            "spared": all.spared,
            "records_removed": all.related,
            "without_id": all.without_id,
            "listed": list.len(),
            "not_found": missing,
            "bytes": all.bytes,
            "seconds": clock.seconds(),
        }))?;
    }
    if list.len() > 0 && list.found() == 0 && all.rows > 0 {
        global.messages().warn(
            "no id of the list is in the inputs: are ids read as they were loaded? --id-field, --id, --id-prefix and 'nddb get' help",
        );
    }
    let mut text = format!(
        "{}: {} kept, {} removed",
        counted(all.rows, "document"),
        grouped(all.rows - all.removed),
        grouped(all.removed)
    );
    if all.spared > 0 {
        let rows = if all.spared == 1 { "has" } else { "have" };
        text += &format!(" ({} of the kept {rows} an id of the list, and not the place)", grouped(all.spared));
    }
    if all.related > 0 {
        text += &format!(" with {} of requests and metadata", counted(all.related, "record"));
    }
    if all.without_id > 0 {
        text += &format!(", {} without an id kept", grouped(all.without_id));
    }
    if missing > 0 {
        text += &format!("; {} of the list in none of the inputs", counted(missing, "id"));
    }
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    meter.finish(&format!("{text}; {} read in {took}", bytes(all.bytes)));
    Ok(Code::Done)
}

impl Args {
    fn selection(&self, view: View<'_>) -> Result<Selection> {
        let in_folder = |name: &str| self.clusters.as_ref().map(|folder| folder.join(name));
        // clap demands one of the two.
        let list = self.remove.clone().or_else(|| in_folder("remove.txt")).unwrap_or_default();
        let clusters = in_folder("clusters.jsonl").filter(|_| !self.with.is_empty());
        // A document may have been deleted since it was judged.
        let places = in_folder("remove.tsv").as_deref().map(Places::read).transpose()?.flatten();
        let place = |id: &str| -> Result<Option<Place>> {
            let source = view.get(id)?.and_then(|stored| stored.record.source);
            Ok(source.map(|at| Place { archive: at.archive, offset: at.offset, inner: at.inner }))
        };
        let mut look = |named: &NamedId| {
            let id = named.find(&mut |id| view.contains(id))?;
            let place = match (&places, &id) {
                (Some(places), _) => places.of(named),
                (None, Some(id)) => place(id)?,
                (None, None) => None,
            };
            Ok((id, place))
        };
        let list = RemoveList::read(&list, &mut look)?;
        let clusters = clusters.as_deref().map(Clusters::read).transpose()?;
        Ok(Selection { list, clusters, here: Vec::new(), counts: false })
    }
}

/// What an input is, for writing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Lines of JSON.
    Rows,
    /// Records of an archive.
    Records,
    /// A file that is one document.
    Page,
    /// Rows of a table.
    #[cfg(feature = "parquet")]
    Table,
}

/// An input, and how it is read.
struct Opened {
    /// A copy of stdin, which goes away with this.
    _spooled: Option<inputs::Spooled>,
    located: Located,
    options: Options,
    kind: Kind,
    /// The archives of the database that it is.
    here: Vec<u32>,
}

impl Opened {
    fn new(args: &Args, archives: &Archives, input: &Located) -> Result<Self> {
        let spooled = if input.path.as_os_str() == "-" { Some(inputs::spooled_stdin()?) } else { None };
        let path = spooled.as_ref().map_or(&*input.path, |file| file.path());
        let located = Located { path: path.to_owned(), ..input.clone() };
        let mut options = archives.options(&input.path);
        if args.format != Format::Auto {
            options.format = args.format;
        }
        options.id_from = args.id.unwrap_or_default().into();
        options.id_prefix = args.id_prefix.clone().unwrap_or_default();
        if let Some(name) = &args.id_field {
            options.fields.id.clone_from(name);
            options.required.push(name.clone());
        }
        let here = archives.numbers(path)?;
        let opened = located.open(&options)?;
        let kind = match opened.format() {
            Format::Jsonl => Kind::Rows,
            Format::Warc | Format::Wet | Format::Arc => Kind::Records,
            Format::Html => Kind::Page,
            #[cfg(feature = "parquet")]
            Format::Parquet => Kind::Table,
            other => {
                let name = input.path.display();
                let message = format!("{name}: {other} cannot be filtered: WARC, ARC, JSONL, Parquet and pages can");
                return Err(Failure::usage(message));
            }
        };
        if opened.has_row_ids() && !options.id_from.is_place() {
            options.id_from = archive::IdFrom::Path;
        }
        Ok(Self { _spooled: spooled, located, options, kind, here })
    }

    /// The file to read.
    fn path(&self) -> &Path {
        &self.located.path
    }
}

/// One input on its way.
struct Job<'a> {
    args: &'a Args,
    input: &'a Path,
    opened: &'a Opened,
    meter: &'a Meter,
    /// What was done before.
    before: Counts,
}

impl Job<'_> {
    /// Counts the rows that have each id of the list.
    fn count(&self, selection: &mut Selection) -> Result<()> {
        let (path, options) = (self.opened.path(), &self.opened.options);
        let packing = Packing::of(path)?;
        let mut progress = |counts: &Counts| self.tick("counting ids", counts);
        match self.opened.kind {
            Kind::Rows => {
                let rows = Rows { name: self.input, options, positions: Positions::Unknown, columns: &[] };
                rows.filter(self.lines(packing)?, selection, &mut io::sink(), None, &mut progress)?;
            }
            Kind::Records => {
                let outs = &mut Outs { kept: &mut io::sink(), removed: None };
                Records { path, options, packing }.filter(selection, outs, &mut progress)?;
            }
            Kind::Page => drop(pages::decide(&self.opened.located, options, selection)?),
            #[cfg(feature = "parquet")]
            Kind::Table => tables::Table { path, options, columns: &[] }.count(selection, &mut progress)?,
        }
        Ok(())
    }

    /// The lines of the input, unpacked.
    fn lines(&self, packing: Packing) -> Result<BufReader<Box<dyn Read + Send>>> {
        let path = self.opened.path();
        let unpacked = packing.unpack(inputs::open_file(path)?).map_err(|error| Failure::reading(path, &error))?;
        Ok(BufReader::with_capacity(BUFFER, unpacked))
    }

    fn run(&self, kept: &Path, removed: Option<&Path>, selection: &mut Selection) -> Result<Counts> {
        let (path, options) = (self.opened.path(), &self.opened.options);
        let packing = Packing::of(path)?;
        let kind = self.opened.kind;
        if !self.args.with.is_empty() && matches!(kind, Kind::Records | Kind::Page) {
            let (name, what) = (self.input.display(), if kind == Kind::Page { "pages" } else { "records" });
            let message = format!("{name}: --with adds fields to lines of JSON and Parquet, not to {what}");
            return Err(Failure::usage(message));
        }
        if kind == Kind::Page {
            let counts = pages::filter(&self.opened.located, options, selection, kept, removed)?;
            self.tick("filtering", &counts)?;
            return Ok(counts);
        }
        // Lines are compressed as the name of the output says, records are copied as they are.
        let packing_of = |to: &Path| -> Result<Packing> {
            match (kind, Packing::of_name(to)) {
                (Kind::Rows, named) => Ok(named),
                #[cfg(feature = "parquet")]
                (Kind::Table, _) => Ok(Packing::Plain),
                (Kind::Page, _) => Ok(Packing::Plain),
                (Kind::Records, named) if output::is_nameless(to) || named == packing => Ok(Packing::Plain),
                (Kind::Records, _) => {
                    let (to, name) = (to.display(), self.input.display());
                    let message =
                        format!("{to}: records are copied as they are compressed, which the name does not say");
                    Err(Told::new(Code::Usage, message).hint(format!("give a name that ends as {name} does")).into())
                }
            }
        };
        let mut kept = Published::create(kept, packing_of(kept)?)?;
        let mut removed = match removed {
            Some(path) => Some(Published::create(path, packing_of(path)?)?),
            None => None,
        };
        let mut progress = |counts: &Counts| self.tick("filtering", counts);
        let counts = match kind {
            Kind::Rows => {
                let positions = match packing {
                    _ if self.opened.here.is_empty() => Positions::Unknown,
                    Packing::Plain => Positions::Offsets,
                    Packing::Gzip | Packing::Zstd => Positions::Packed(Box::new(self.opened.located.open(options)?)),
                };
                let rows = Rows { name: self.input, options, positions, columns: &self.args.with };
                let removed = removed.as_mut().map(|removed| removed as &mut dyn Write);
                rows.filter(self.lines(packing)?, selection, &mut kept, removed, &mut progress)?
            }
            Kind::Records => {
                let records = Records { path, options, packing };
                let removed = removed.as_mut().map(|removed| removed as &mut dyn Write);
                records.filter(selection, &mut Outs { kept: &mut kept, removed }, &mut progress)?
            }
            // It was passed on above.
            Kind::Page => Counts::default(),
            #[cfg(feature = "parquet")]
            Kind::Table => {
                let table = tables::Table { path, options, columns: &self.args.with };
                table.filter(selection, &mut kept, removed.as_mut(), &mut progress)?
            }
        };
        kept.finish()?;
        removed.map_or(Ok(()), Published::finish)?;
        Ok(counts)
    }

    fn tick(&self, phase: &'static str, counts: &Counts) -> Result<()> {
        if interrupt::asked() {
            return Err(nddb::Error::Cancelled.into());
        }
        let mut all = self.before;
        all.join(counts);
        self.meter.tick(Tick { phase, done: all.rows, unit: "documents", share: None, bytes: all.bytes, skipped: 0 });
        Ok(())
    }
}
