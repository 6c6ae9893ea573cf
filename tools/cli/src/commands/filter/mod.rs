//! `nddb filter`: the kept documents themselves.

pub(in crate::commands) mod archives;
mod csv;
mod lists;
mod notes;
mod outs;
mod pages;
pub(in crate::commands) mod records;
mod related;
mod rows;
mod selection;
#[cfg(feature = "parquet")]
mod tables;
pub(in crate::commands) mod targets;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use nddb::View;
use nddb::archive::{self, Format, Located, Options};
use nddb_jobs::output::{Destination, check_copy, is_nameless};
use nddb_jobs::removed::Place;
use nddb_jobs::scratch::Scratch;
use nddb_jobs::{NamedId, other_forms};
use serde_json::json;

use self::archives::Archives;
pub(in crate::commands) use self::lists::RemoveList;
use self::lists::{Looked, Places, resolved};
use self::notes::{Field, Notes};
use self::outs::Outs;
use self::records::Records;
use self::rows::{Positions, Rows};
pub(in crate::commands) use self::selection::{Counts, Selection};
use self::targets::Targets;
use crate::args::{FromEnvironment, Global};
use crate::clock::Clock;
use crate::columns::RowFormat;
use crate::commands::load::IdFrom;
use crate::failure::{Code, Failure, Result, Told};
use crate::inputs::{self, Packing};
use crate::messages::{Messages, Meter, Tick};
use crate::output::Output;
use crate::quantity::{bytes, counted, duration, grouped};
use crate::removed_list::{Because, RemoveTsv, RemovedRows};
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
/// is the one used when the file was loaded. A list that was cut short since 'nddb cluster' wrote it, or of which no id
/// is in the database or the inputs, is an error (exit code 1). Memory grows with the lists (130 bytes per id), not
/// with the inputs.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb filter [OPTIONS] DB INPUT... -o OUT",
    after_help = "\
Examples:
  nddb cluster crawl.nddb -o clusters
  nddb filter crawl.nddb crawl.warc.gz --clusters clusters -o kept.warc.gz
  nddb filter crawl.nddb part-*.jsonl.zst --clusters clusters -o kept/ --removed removed.tsv
  nddb filter crawl.nddb part-*.jsonl.zst --clusters clusters -o kept/ --removed-documents removed/
  nddb filter crawl.nddb dumps/ --clusters clusters -o kept/    the same tree below kept/
  nddb filter crawl.nddb pages.jsonl --clusters clusters --with cluster_id,kept -o kept.jsonl
  nddb filter crawl.nddb pages.jsonl --clusters clusters --annotate -o all.jsonl
  nddb filter crawl.nddb pages.jsonl --remove ids.txt -o -"
)]
pub(crate) struct Args {
    /// The database, then files and folders, or - for stdin, which is copied to a temporary file
    #[arg(value_name = "DB INPUT", required = true)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// The folder that 'nddb cluster -o' wrote: remove.txt, remove.tsv and clusters.jsonl
    #[arg(long, value_name = "DIR", required_unless_present = "remove")]
    clusters: Option<PathBuf>,
    /// Ids to remove, one per line as in remove.txt: \#17 is a number, \"17 a text, and 17 whichever the database has
    /// [default: remove.txt of --clusters]
    #[arg(long, value_name = "FILE")]
    remove: Option<PathBuf>,
    /// List the removed documents here, with the document that is kept instead, the rule that decided, the probability,
    /// the share that differs, and where the document stands: a .tsv, .jsonl or .parquet file
    #[arg(long, value_name = "FILE")]
    removed: Option<PathBuf>,
    /// Keep all rows and add --with fields (default: all) that say which would be removed, and why
    #[arg(long, requires = "clusters", conflicts_with = "removed_documents")]
    annotate: bool,
    #[command(flatten)]
    how: How,
}

/// How inputs are read, and where their documents go.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct How {
    /// Write here: a file, - for stdout, or a folder (one that exists, a name with / at its end, or with a folder or
    /// several inputs). Documents keep the format of their input
    #[arg(short, long, value_name = "OUT", required_unless_present = "dry_run")]
    pub(in crate::commands) output: Option<PathBuf>,
    /// Write no file: print what would go, as rows of --removed, or with --json the numbers
    #[arg(long)]
    pub(in crate::commands) dry_run: bool,
    /// Write the removed documents themselves here: a file or a folder, as with --output
    #[arg(long, value_name = "OUT")]
    pub(in crate::commands) removed_documents: Option<PathBuf>,
    /// Add these fields to lines of JSON, or columns to Parquet
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FIELDS", requires = "clusters")]
    pub(in crate::commands) with: Vec<Field>,
    /// What the inputs are: auto, warc, wet, arc, html, jsonl, parquet
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub(in crate::commands) format: Format,
    /// The field of lines of JSON, or the column, with the id [default: that by which the file was loaded, else id]
    #[arg(long, value_name = "NAME")]
    pub(in crate::commands) id_field: Option<String>,
    /// Where ids come from, as with 'nddb load --id' [default: url for an archive that was loaded so, else record]
    #[arg(long, value_enum, value_name = "FROM")]
    pub(in crate::commands) id: Option<IdFrom>,
    /// The prefix of all ids, as with 'nddb load --id-prefix'
    #[arg(long, value_name = "TEXT")]
    pub(in crate::commands) id_prefix: Option<String>,
}

/// Where documents go of which only is told what would become of them.
const NOWHERE: &str = "/dev/null";

impl How {
    /// Returns where the kept documents go.
    pub(in crate::commands) fn output(&self) -> &Path {
        self.output.as_deref().filter(|_| !self.dry_run).unwrap_or(Path::new(NOWHERE))
    }
}

pub(crate) fn run(mut args: Args, global: &Global) -> Result<Code> {
    if args.annotate && args.how.with.is_empty() {
        args.how.with = Field::value_variants().to_vec();
    }
    let clock = Clock::start();
    let (db, given) = args.environment.split(args.given.clone(), "INPUT")?;
    let given: Vec<PathBuf> = given.into_iter().map(PathBuf::from).collect();
    for name in READ_OF_CLUSTERS {
        args.in_folder(name).iter().for_each(|path| global.outputs.reads("a list of the clusters", path));
    }
    let plan = Plan::make(&args.how, &given, global)?;
    let removed = removed_output(args.removed.as_deref(), args.how.dry_run, global)?;
    let reader = database::read(&db)?;
    let view = reader.view();
    let mut selection = args.selection(view, &global.messages())?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("filter");
    let all = plan.copy(&args.how, view, &mut selection, &meter, &global.messages())?;
    if let Some(to) = &removed {
        args.list(to, view, &selection.list)?;
    }
    let code = tell(&all, &selection, global, &meter, &clock)?;
    if args.how.dry_run {
        global.messages().note("nothing was written (--dry-run)");
    }
    Ok(code)
}

/// Returns where removed documents are listed: of a dry run on stdout, unless that has the numbers.
pub(in crate::commands) fn removed_output(
    path: Option<&Path>,
    dry_run: bool,
    global: &Global,
) -> Result<Option<Destination>> {
    match path {
        _ if dry_run => (!global.json).then(|| global.output("--removed", None)).transpose(),
        Some(path) => {
            let to = global.output("--removed", Some(path))?;
            RowFormat::of(Some(path), None::<RowFormat>, RowFormat::Tsv)?;
            Ok(Some(to))
        }
        None => Ok(None),
    }
}

/// The files of a clustering, which are read or belong to what is read.
const READ_OF_CLUSTERS: [&str; 5] = ["remove.txt", "remove.tsv", "clusters.jsonl", "keep.txt", "summary.json"];

/// The inputs, and what is written of them.
pub(in crate::commands) struct Plan {
    inputs: Vec<Located>,
    targets: Targets,
}

impl Plan {
    /// Finds the inputs of the files and folders that are given, and names the outputs.
    pub(in crate::commands) fn make(how: &How, given: &[PathBuf], global: &Global) -> Result<Self> {
        let archive::Inputs { located: inputs, passed_over } = archive::expand(given, how.format)?;
        if passed_over > 0 {
            let files = counted(passed_over, "file");
            global
                .messages()
                .note(format!("{files} in folders passed over: hidden, or of no format that is asked for"));
        }
        let removed = how.removed_documents.as_deref().filter(|_| !how.dry_run);
        let targets = Targets::of(given, &inputs, how.output(), removed, &global.outputs)?;
        Ok(Self { inputs, targets })
    }

    /// Returns the inputs, to be loaded.
    pub(in crate::commands) fn inputs(&self) -> archive::Inputs {
        archive::Inputs { located: self.inputs.clone(), passed_over: 0 }
    }

    /// Returns the files of kept documents, in the order of the inputs.
    pub(in crate::commands) fn outputs(&self) -> &[Destination] {
        &self.targets.kept
    }

    /// Refuses inputs of which no part could be written, before they are loaded by these options.
    pub(in crate::commands) fn check(&self, how: &How, options: &Options) -> Result<()> {
        for (index, input) in self.inputs.iter().enumerate() {
            let opened = Opened::new(how, options.clone(), &Archives::none(), &[], input)?;
            let packing = Packing::of(opened.path())?;
            let (kept, removed) = self.targets.of_input(index);
            opened.check(&input.path, [Some(kept), removed])?;
            for target in [Some(kept), removed].into_iter().flatten() {
                opened.kind.packing(packing, target.path(), &input.path)?;
            }
        }
        Ok(())
    }

    /// Passes on the documents of all inputs.
    pub(in crate::commands) fn copy(
        &self,
        how: &How,
        view: View<'_>,
        selection: &mut Selection,
        meter: &Meter,
        messages: &Messages,
    ) -> Result<Counts> {
        let archives = Archives::read(view)?;
        let named_by_url = &selection.named_by_url;
        let open = |input: &Located| Opened::new(how, archives.options(&input.path), &archives, named_by_url, input);
        let opened = self.inputs.iter().map(open).collect::<Result<Vec<_>>>()?;
        for (index, opened) in opened.iter().enumerate() {
            let (kept, removed) = self.targets.of_input(index);
            opened.check(&self.inputs[index].path, [Some(kept), removed])?;
            if archives.is_changed(opened.path())? {
                let path = opened.path().display();
                messages.warn(format!("{path}: it was changed since it was loaded: its rows are found by id alone"));
                messages
                    .hint("'nddb load' reads it again; cluster again then, and the rows that were judged are found");
            }
        }
        let mut all = Counts::default();
        let list = &selection.list;
        if list.len() > 0 && (list.lacks_places() || opened.iter().any(|opened| opened.here.is_empty())) {
            selection.counts = true;
            for (input, opened) in self.inputs.iter().zip(&opened) {
                Job { how, input: &input.path, opened, meter, before: all }.count(selection)?;
            }
            selection.counts = false;
            if let Some(unknown) = selection.list.nothing() {
                let hint = "no input has any of them either: 'nddb get' tells how ids are stored, --id-field and \
                            --id-prefix how those of an input are made";
                return Err(unknown.nothing(&selection.list_path, hint));
            }
        }
        for (index, (input, opened)) in self.inputs.iter().zip(&opened).enumerate() {
            let job = Job { how, input: &input.path, opened, meter, before: all };
            selection.here.clone_from(&opened.here);
            let (kept, removed) = self.targets.of_input(index);
            let counts = job.run(kept, removed, selection)?;
            if counts.repacked {
                let path = input.path.display();
                messages.note(format!("{path}: its members hold several records: each was compressed anew"));
            }
            all.join(&counts);
        }
        Ok(all)
    }
}

/// Says what was done.
fn tell(all: &Counts, selection: &Selection, global: &Global, meter: &Meter, clock: &Clock) -> Result<Code> {
    let list = &selection.list;
    let missing = list.len() - list.found();
    global.summary(
        meter,
        json!({
            "documents": all.rows,
            "annotated": selection.annotates,
            "kept": all.rows - all.removed,
            "removed": all.removed,
            "spared": all.spared,
            "records_removed": all.related,
            "without_id": all.without_id,
            "listed": list.len(),
            "not_found": missing,
            "bytes": all.bytes,
            "seconds": clock.seconds(),
        }),
    )?;
    if list.len() > 0 && list.found() == 0 && all.rows > 0 {
        global.messages().warn(
            "no id of the list is in the inputs: are ids read as they were loaded? --id-field, --id, --id-prefix and 'nddb get' help",
        );
    }
    let [documents, kept, removed] = [all.rows, all.rows - all.removed, all.removed];
    let mut text = match selection.annotates {
        true => format!("{} written, {} of them to be removed", counted(documents, "document"), grouped(removed)),
        false => {
            format!("{}: {} kept, {} removed", counted(documents, "document"), grouped(kept), grouped(removed))
        }
    };
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
    fn in_folder(&self, name: &str) -> Option<PathBuf> {
        self.clusters.as_ref().map(|folder| folder.join(name))
    }

    fn selection(&self, view: View<'_>, messages: &Messages) -> Result<Selection> {
        // clap demands one of the two.
        let list = self.remove.clone().or_else(|| self.in_folder("remove.txt")).unwrap_or_default();
        let others = [self.in_folder("remove.tsv"), self.in_folder("clusters.jsonl")].into_iter().flatten();
        for path in [list.clone()].into_iter().chain(others.filter(|path| path.exists())) {
            crate::lists::check(&path)?.into_iter().for_each(|warning| messages.warn(warning));
        }
        if let Some(folder) = self.clusters.as_ref().filter(|folder| !folder.join("summary.json").exists()) {
            let folder = folder.display();
            messages.warn(format!("{folder}: no summary.json: it is not known whether the lists in it are whole"));
        }
        // A document may have been deleted since it was judged.
        let places = self.in_folder("remove.tsv").as_deref().map(Places::read).transpose()?.flatten();
        // Of each archive, whether the first document of the list has its address as id.
        let mut by_url = BTreeMap::new();
        let mut look = |named: &NamedId| {
            let id = named.find(&mut |id| view.contains(id))?;
            let place = match (&places, &id) {
                (Some(places), _) => places.of(named),
                (None, Some(id)) => Place::of(view, id)?,
                (None, None) => None,
            };
            if let (Some(id), Some(place)) = (&id, place)
                && let MapEntry::Vacant(entry) = by_url.entry(place.archive)
            {
                entry.insert(view.get(id)?.is_some_and(|stored| stored.record.url.as_ref() == Some(id)));
            }
            let forms = other_forms(id.as_deref().unwrap_or(named.as_id()));
            let fits_forms =
                !forms.iter().map(|form| view.contains(form)).collect::<nddb::Result<Vec<_>>>()?.contains(&true);
            Ok(Looked { id, fits_forms, place })
        };
        let list_path = list;
        let list = RemoveList::read(&list_path, &mut look)?;
        let named_by_url = by_url.into_iter().filter_map(|(archive, is_url)| is_url.then_some(archive)).collect();
        let mut selection = Selection { annotates: self.annotate, named_by_url, list_path, ..Selection::new(list) };
        if let Some(folder) = &self.clusters {
            selection.notes = Notes::read(folder, &self.how.with, view)?;
        }
        Ok(selection)
    }

    /// Lists what was removed: with the reasons of the clustering, unless the user names the documents.
    fn list(&self, to: &Destination, view: View<'_>, removed: &RemoveList) -> Result<()> {
        let mut rows = RemovedRows::begin(to, view, false)?;
        let mut row = |named: &NamedId, because: Because<'_>, place: Option<Place>| -> Result<()> {
            let id = resolved(named, view)?;
            if !removed.is_removed(&id) {
                return Ok(());
            }
            let kept = because.kept.and_then(NamedId::of_cell).map(|kept| resolved(&kept, view)).transpose()?;
            Ok(rows.write(&id, &Because { kept: kept.as_deref(), ..because }, place)?)
        };
        let outcome = match (&self.remove, self.in_folder("remove.tsv")) {
            (None, Some(table)) => RemoveTsv::read(&table, &mut |named, because, place| row(&named, because, place)),
            (list, _) => crate::lists::each_id(list.as_deref().unwrap_or(Path::new("")), &mut |named| {
                let place = Place::of(view, &resolved(&named, view)?)?;
                row(&named, Because::default(), place)
            }),
        };
        rows.finish(outcome)
    }
}

/// What an input is, for writing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Lines of JSON.
    Rows,
    /// Rows of CSV.
    Csv,
    /// Records of an archive.
    Records,
    /// A file that is one document.
    Page,
    /// Rows of a table.
    #[cfg(feature = "parquet")]
    Table,
}

impl Kind {
    /// Returns how an output is to be packed, of an input of this packing.
    fn packing(self, packing: Packing, to: &Path, input: &Path) -> Result<Packing> {
        // Lines are compressed as the name of the output says, records are copied as they are.
        match (self, Packing::of_name(to)) {
            (Self::Rows | Self::Csv, named) => Ok(named),
            #[cfg(feature = "parquet")]
            (Self::Table, _) => Ok(Packing::Plain),
            (Self::Page, _) => Ok(Packing::Plain),
            (Self::Records, named) if is_nameless(to) || named == packing => Ok(Packing::Plain),
            (Self::Records, _) => {
                let (to, name) = (to.display(), input.display());
                let message = format!("{to}: records are copied as they are compressed, which the name does not say");
                Err(Told::new(Code::Usage, message).hint(format!("give a name that ends as {name} does")).into())
            }
        }
    }
}

/// An input, and how it is read.
struct Opened {
    /// A copy of stdin, which goes away with this.
    _spooled: Option<Scratch>,
    located: Located,
    options: Options,
    format: Format,
    kind: Kind,
    /// The archives of the database that it is.
    here: Vec<u32>,
}

impl Opened {
    /// Opens an input that is read by these options, unless the user says otherwise. Documents of the archives
    /// `named_by_url` have their address as id.
    fn new(
        how: &How,
        mut options: Options,
        archives: &Archives,
        named_by_url: &[u32],
        input: &Located,
    ) -> Result<Self> {
        let spooled = if input.path.as_os_str() == "-" { Some(inputs::spooled_stdin()?) } else { None };
        let path = spooled.as_ref().map_or(&*input.path, |(_, copy)| copy);
        let located = Located { path: path.to_owned(), ..input.clone() };
        if how.format != Format::Auto {
            options.format = how.format;
        }
        let here = archives.numbers(path)?;
        options.id_from = match how.id {
            Some(id) => id.into(),
            None if here.iter().any(|archive| named_by_url.contains(archive)) => archive::IdFrom::Url,
            None => archive::IdFrom::default(),
        };
        options.id_prefix = how.id_prefix.clone().unwrap_or_default();
        if let Some(name) = &how.id_field {
            options.fields.id.clone_from(name);
            options.required.push(name.clone());
        }
        let opened = located.open(&options)?;
        let format = opened.format();
        let kind = match format {
            Format::Jsonl | Format::Csv if opened.is_converted() => {
                let message = format!("{}: it is UTF-16, and lines are copied as they are", input.path.display());
                let hint = "convert it, and load that: iconv -f UTF-16 -t UTF-8 FILE";
                return Err(Told::new(Code::Usage, message).hint(hint).into());
            }
            Format::Jsonl => Kind::Rows,
            Format::Csv => Kind::Csv,
            Format::Warc | Format::Wet | Format::Arc => Kind::Records,
            Format::Html => Kind::Page,
            #[cfg(feature = "parquet")]
            Format::Parquet => Kind::Table,
            other => {
                let name = input.path.display();
                let message =
                    format!("{name}: {other} cannot be filtered: WARC, ARC, JSONL, CSV, Parquet and pages can");
                return Err(Failure::usage(message));
            }
        };
        if opened.has_row_ids() && !options.id_from.is_place() {
            options.id_from = archive::IdFrom::Path;
        }
        Ok(Self { _spooled: spooled.map(|(copied, _)| copied), located, options, format, kind, here })
    }

    /// Refuses outputs of an input whose names say another format.
    fn check(&self, input: &Path, outputs: [Option<&Destination>; 2]) -> Result<()> {
        let mut outputs = outputs.into_iter().flatten();
        Ok(outputs.try_for_each(|output| check_copy(output.path(), input, self.format))?)
    }

    /// The file to read.
    fn path(&self) -> &Path {
        &self.located.path
    }
}

/// One input on its way.
struct Job<'a> {
    how: &'a How,
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
                let rows = Rows { name: self.input, options, positions: Positions::Unknown, fields: &[] };
                rows.filter(self.lines(packing)?, selection, &mut Outs::counting(&mut io::sink()), &mut progress)?;
            }
            Kind::Records => {
                let records = Records { path, options, packing };
                records.filter(selection, &mut Outs::counting(&mut io::sink()), &mut progress)?;
            }
            Kind::Csv => {
                let rows = csv::Rows { located: &self.opened.located, options };
                rows.filter(selection, &mut Outs::counting(&mut io::sink()), &mut progress)?;
            }
            Kind::Page => drop(pages::decide(&self.opened.located, options, selection)?),
            #[cfg(feature = "parquet")]
            Kind::Table => tables::Table { path, options, fields: &[] }.count(selection, &mut progress)?,
        }
        Ok(())
    }

    /// The lines of the input, unpacked.
    fn lines(&self, packing: Packing) -> Result<BufReader<Box<dyn Read + Send>>> {
        let path = self.opened.path();
        let unpacked = packing.unpack(inputs::open_file(path)?).map_err(|error| Failure::reading(path, &error))?;
        Ok(BufReader::with_capacity(BUFFER, unpacked))
    }

    fn run(&self, kept: &Destination, removed: Option<&Destination>, selection: &mut Selection) -> Result<Counts> {
        let (path, options) = (self.opened.path(), &self.opened.options);
        let packing = Packing::of(path)?;
        let kind = self.opened.kind;
        let unnoted = match kind {
            Kind::Records => Some("records"),
            Kind::Page => Some("pages"),
            Kind::Csv => Some("CSV"),
            _ => None,
        };
        if let Some(what) = unnoted.filter(|_| !self.how.with.is_empty()) {
            let name = self.input.display();
            let message = format!("{name}: fields are added to lines of JSON and Parquet, not to {what}");
            let hint = "leave out --with and --annotate; --removed lists what is removed, and why";
            return Err(Told::new(Code::Usage, message).hint(hint).into());
        }
        if kind == Kind::Page {
            let counts = pages::filter(&self.opened.located, options, selection, kept, removed)?;
            self.tick("filtering", &counts)?;
            return Ok(counts);
        }
        let packing_of = |to: &Path| kind.packing(packing, to, self.input);
        let mut kept = Output::packed(kept, packing_of(kept.path())?)?;
        let mut removed = match removed {
            Some(to) => Some(Output::packed(to, packing_of(to.path())?)?),
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
                let rows = Rows { name: self.input, options, positions, fields: &self.how.with };
                let removed = removed.as_mut().map(|removed| removed as &mut dyn Write);
                let outs = &mut Outs { kept: &mut kept, removed };
                rows.filter(self.lines(packing)?, selection, outs, &mut progress)?
            }
            Kind::Csv => {
                let rows = csv::Rows { located: &self.opened.located, options };
                let removed = removed.as_mut().map(|removed| removed as &mut dyn Write);
                rows.filter(selection, &mut Outs { kept: &mut kept, removed }, &mut progress)?
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
                let table = tables::Table { path, options, fields: &self.how.with };
                table.filter(selection, &mut kept, removed.as_mut(), &mut progress)?
            }
        };
        kept.finish()?;
        removed.map_or(Ok(()), Output::finish)?;
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
