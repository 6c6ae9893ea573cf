//! `nddb filter`: the kept documents themselves.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::TypedValueParser;
use nddb::archive::{Format, IdFrom};
use nddb_jobs::filter::{
    CUT_WORDS, CUT_WORDS_MIN, CutOptions, Filter, FilterField, FilterNote, FilterOptions, FilterSummary, NOWHERE,
    RemovalLists,
};
use serde_json::json;

use crate::args::{FromEnvironment, Global};
use crate::clock::Clock;
use crate::commands::load::id_from;
use crate::failure::{Code, Failure, Result};
use crate::messages::{Messages, Meter};
use crate::quantity::{bytes, counted, duration, grouped};
use crate::{advice, described, interrupt};

/// Copy input files without the documents that a clustering removes
///
/// Reads WARC, WET, ARC, JSONL (plain, .gz, .zst), Parquet, HTML and text files and folders of them, as 'nddb load'
/// does, and writes the remaining documents in the same order and format. Records and JSON lines are copied byte for
/// byte, with the same compression; Parquet files keep their schema, nested columns and metadata. WARC request and
/// metadata records follow their page; other records, and rows without an id, are kept. Several inputs are written into
/// a folder, under their own names or their paths below an input folder.
///
/// For an archive that was loaded, exactly the rows that were judged are removed, by file and position. For other
/// files, rows are found by id, and kept if several rows have the same id; such files are read twice. A list that was
/// cut short since 'nddb cluster' wrote it, or of which no id is in the database or the inputs, is an error (exit code
/// 1). Memory grows with the lists (130 bytes per id).
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb filter [OPTIONS] DB INPUT... -o OUT",
    after_help = "\
Examples:
  nddb cluster crawl.nddb -o clusters
  nddb filter crawl.nddb part-*.jsonl.zst --clusters clusters -o kept/ --removed removed.tsv
  nddb filter crawl.nddb pages.jsonl --clusters clusters --annotate -o all.jsonl
  nddb filter crawl.nddb pages.jsonl --clusters clusters -o kept.jsonl --cut-parts"
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
    /// List the removed documents in this .tsv, .jsonl or .parquet file: the kept document, the rule, the probability,
    /// the share that differs, and the place
    #[arg(long, value_name = "FILE")]
    removed: Option<PathBuf>,
    /// Keep all rows and add --with fields (default: all but copies) that say which would be removed, and why
    #[arg(long, requires = "clusters", conflicts_with = "removed_documents")]
    annotate: bool,
    /// Write here: a file, - for stdout, or a folder (one that exists, a name with / at its end, or with several
    /// inputs)
    #[arg(short, long, value_name = "OUT", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Write no file: print what would go, as rows of --removed, or with --json the numbers
    #[arg(long)]
    dry_run: bool,
    /// Write the removed documents themselves here: a file or a folder, as with --output
    #[arg(long, value_name = "OUT")]
    removed_documents: Option<PathBuf>,
    /// Add these fields to lines of JSON, or columns to Parquet: its cluster, why it is removed, or how often a kept
    /// document was found in all that is stored
    #[arg(long, value_parser = fields(), value_delimiter = ',', value_name = "FIELDS", requires = "clusters")]
    with: Vec<FilterField>,
    /// Cut from the texts of kept documents passages that stand in an earlier one: JSONL and Parquet
    ///
    /// A passage is cut if its words, but for case, signs and space, are those of a passage that an earlier document of
    /// the outputs keeps: so each passage stands in the outputs at least once, whole. The signs and the space behind it
    /// go with it. --removed lists each cut with the rule 'passage', that document, and where it stood, in code points
    /// of the text. Documents whose text is gone stay, with an empty one. The inputs are read twice; temporary files
    /// take some 30 bytes a word.
    #[arg(long, conflicts_with = "annotate")]
    cut_parts: bool,
    /// With --cut-parts: passages of at least N words
    #[arg(long, value_name = "N", requires = "cut_parts", default_value_t = CUT_WORDS,
        value_parser = clap::value_parser!(u32).range(i64::from(CUT_WORDS_MIN)..))]
    min_words: u32,
    /// Cut from the texts of kept documents lines and paragraphs that stand in more than N of them: JSONL and Parquet
    ///
    /// Lines are counted first, without regard to case and space; none of them stays. --removed lists each with the
    /// rule 'common'. Lines without a letter or digit stay.
    #[arg(long, value_name = "N", conflicts_with = "annotate")]
    cut_common: Option<u64>,
    /// What the inputs are: auto, warc, wet, arc, html, jsonl, parquet
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    format: Format,
    /// The field of lines of JSON, or the column, with the id [default: that by which the file was loaded, else id]
    #[arg(long, value_name = "NAME")]
    id_field: Option<String>,
    /// Where ids come from: record, url, path or row, as with 'nddb load --id' [default: url for an archive that was
    /// loaded so, else record]
    #[arg(long, value_parser = id_from(), value_name = "FROM", hide_possible_values = true)]
    id: Option<IdFrom>,
    /// The prefix of all ids, as with 'nddb load --id-prefix'
    #[arg(long, value_name = "TEXT")]
    id_prefix: Option<String>,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let (database, given) = args.environment.split(args.given, "INPUT")?;
    let inputs: Vec<PathBuf> = given.into_iter().map(PathBuf::from).collect();
    let options = FilterOptions {
        with: args.with,
        format: args.format,
        id_field: args.id_field,
        id: args.id,
        id_prefix: args.id_prefix.unwrap_or_default(),
        threads: global.threads(),
    };
    let lists = RemovalLists { clusters: args.clusters, remove: args.remove };
    let removed_documents = args.removed_documents.as_deref().filter(|_| !args.dry_run);
    let output = kept_output(args.output.as_deref(), args.dry_run);
    let parts = args.cut_parts.then_some(args.min_words);
    let filter = Filter {
        annotate: args.annotate,
        cut: CutOptions { parts, common: args.cut_common, temporary: global.tmp_dir.clone() },
        options,
        output: ("-o", output),
        removed_documents: removed_documents.map(|path| ("--removed-documents", path)),
        removed: removed_output(args.removed.as_deref(), args.dry_run, global),
        ..Filter::new(&database, lists, &inputs, output)
    };
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let (messages, meter) = (global.messages(), global.messages().meter("filter"));
    let done = filter.run(&global.outputs, &mut *meter.watch(true), &mut |note| notice(note, &messages))?;
    let code = tell(&done, args.annotate, global, &meter, &clock)?;
    if args.dry_run {
        messages.note("nothing was written (--dry-run)");
    }
    Ok(code)
}

/// Returns where the kept documents go.
pub(super) fn kept_output(output: Option<&Path>, dry_run: bool) -> &Path {
    output.filter(|_| !dry_run).unwrap_or(Path::new(NOWHERE))
}

/// Returns where removed documents are listed: of a dry run on stdout, unless that has the numbers.
pub(super) fn removed_output<'a>(
    path: Option<&'a Path>,
    dry_run: bool,
    global: &Global,
) -> Option<(&'static str, &'a Path)> {
    let path = if dry_run { Some(Path::new("-")).filter(|_| !global.json) } else { path };
    path.map(|path| ("--removed", path))
}

/// Reads the fields of `--with`.
fn fields() -> impl TypedValueParser<Value = FilterField> {
    described::listed(FilterField::ALL, |field| (field.name(), field.help()))
}

/// Says what is noticed on the way.
pub(super) fn notice(note: FilterNote, messages: &Messages) {
    match note {
        FilterNote::PassedOver(files) => {
            let files = counted(files, "file");
            messages.note(format!("{files} in folders passed over: hidden, or of no format that is asked for"));
        }
        FilterNote::List { path, doubt } => messages.warn(advice::doubted(&path, doubt)),
        FilterNote::NoSummary(folder) => {
            let folder = folder.display();
            messages.warn(format!("{folder}: no summary.json: it is not known whether the lists in it are whole"));
        }
        FilterNote::Changed(path) => {
            let path = path.display();
            messages.warn(format!("{path}: it was changed since it was loaded: its rows are found by id alone"));
            messages.hint("'nddb load' reads it again; cluster again then, and the rows that were judged are found");
        }
        FilterNote::NamedByPlace(documents) => {
            let documents = counted(documents, "document");
            messages.note(format!("{documents} with the id of an earlier one: all are named by file and row instead"));
        }
        FilterNote::Repacked(path) => {
            let path = path.display();
            messages.note(format!("{path}: its members hold several records: each was compressed anew"));
        }
        _ => {}
    }
}

/// Says what was done.
fn tell(done: &FilterSummary, annotated: bool, global: &Global, meter: &Meter, clock: &Clock) -> Result<Code> {
    let FilterSummary { counts: all, listed, not_found: missing, cut } = *done;
    global.summary(
        meter,
        // Reference of filter: the object of `--json`
        json!({
            "documents": all.rows,
            "annotated": annotated, // whether all rows were written, with --annotate
            "kept": all.rows - all.removed,
            "removed": all.removed,
            // kept although their id is in the list: the row is another one than that which was judged
            "spared": all.spared,
            "records_removed": all.related, // requests and metadata of removed pages
            "without_id": all.without_id,
            "cuts": cut.cuts, // passages, lines and paragraphs that were cut from kept documents
            "cut_words": cut.words,
            "cut_documents": cut.documents,
            "listed": listed, // ids of the list
            "not_found": missing, // of these: in no input
            "bytes": all.bytes,
            "seconds": clock.seconds(),
        }),
    )?;
    if listed > 0 && missing == listed && all.rows > 0 {
        global.messages().warn(
            "no id of the list is in the inputs: are ids read as they were loaded? --id-field, --id, --id-prefix and \
             'nddb get' help",
        );
    }
    let [documents, kept, removed] = [all.rows, all.rows - all.removed, all.removed];
    let mut text = match annotated {
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
    if cut.cuts > 0 {
        let [cuts, words, documents] = [(cut.cuts, "cut"), (cut.words, "word"), (cut.documents, "document")]
            .map(|(count, what)| counted(count, what));
        text += &format!("; {cuts} of {words} from {documents}");
    }
    if missing > 0 {
        text += &format!("; {} of the list in none of the inputs", counted(missing, "id"));
    }
    let took = duration(Duration::from_secs_f64(clock.seconds()));
    meter.finish(&format!("{text}; {} read in {took}", bytes(all.bytes)));
    Ok(Code::Done)
}
