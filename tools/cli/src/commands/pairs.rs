//! `nddb pairs`: all near-duplicates in a database, by a method.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use nddb::archive::Format;
use nddb::detect::options::GROUP_LIMIT;
use nddb::detect::{Collection, PairOptions, PairSummary, Resources, WordsFrom};
use nddb::verdict::{Candidates, Method, methods};
use nddb::{Progress, View};
use nddb_jobs::answers::{PairsFound, PassageRows, PassageTexts, pairs_in_parts, refuse_without_parts};
use nddb_jobs::fields::{
    Described, DescribedField, LineFormat, PairLines, WaitingLines, pair_columns, pair_header, pair_rows,
};
use nddb_jobs::output::format_of;
use nddb_jobs::packed::PackedFile;
use nddb_jobs::rows::RowFormat;
use serde_json::{Value, json};

use crate::args::{Database, Global};
use crate::clock::Clock;
use crate::described::{PairFormat, WithArgs};
use crate::failure::{Code, Failure, Result};
use crate::messages::Messages;
use crate::output::{self, Output};
use crate::parameters::{self, Parameters};
use crate::passage_options::{Answered, PassageArgs};
use crate::quantity::{counted, duration, grouped};
use crate::text_options::{self, TextOptions};
use crate::{database, interrupt, judging};

/// Find all near-duplicates in a database
///
/// Prints groups, then pairs, sorted by the bytes of ids. Documents with the same text or sketch are printed as one
/// group line, and only its founder is compared with other documents; --expand prints all pairs instead.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb pairs crawl.nddb > near.jsonl
  nddb pairs crawl.nddb --with url,title,tokens      what was joined
  nddb pairs parted.nddb --parts --min-words 50      documents with passages in common")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Print all pairs, instead of groups and the pairs between them
    #[arg(long)]
    expand: bool,
    /// How to write lines [default: as the name of --output ends, else jsonl]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Shape>,
    /// Where the words come from by which is known what either document of a pair would lose: stored, archives, remote,
    /// estimate, auto, as in 'nddb cluster' [default: stored if the database keeps words, else estimate]
    #[arg(long, value_name = "FROM")]
    words: Option<WordsFrom>,
    #[command(flatten)]
    with: WithArgs,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    passages: PassageArgs,
    /// With --parts: add the texts of the passages, if both texts can be read again
    #[arg(long, requires = "parts")]
    why: bool,
    // This field is the last one, because later options would appear under its heading.
    #[command(flatten)]
    how: MethodArgs,
}

/// How pairs are written, to be read by programs or by people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// One JSON object per line
    Jsonl,
    /// Columns separated by tabs, the first line with their names; groups are lines that begin with #
    Tsv,
    /// A Parquet file, compressed with zstd; a group has a row for each member except its founder
    Parquet,
    /// A table for people, with the columns in which something is known
    Table,
}

impl Shape {
    /// The formats that endings of names say; the last one is that of .txt.
    const ENDINGS: [(Format, Self); 4] = [
        (Format::Jsonl, Self::Jsonl),
        (Format::Tsv, Self::Tsv),
        (Format::Parquet, Self::Parquet),
        (Format::Html, Self::Table),
    ];

    fn format(self) -> PairFormat {
        match self {
            Self::Jsonl | Self::Table => PairFormat::Jsonl,
            Self::Tsv => PairFormat::Tsv,
            Self::Parquet => PairFormat::Parquet,
        }
    }
}

/// Which pairs are near-duplicates.
#[derive(Debug, clap::Args)]
pub(super) struct MethodArgs {
    #[arg(long, value_name = "METHOD", help = help())]
    method: Option<Box<dyn Method>>,
    /// Maximum distance of hamming, in bits [default: the database's]
    #[arg(short, long)]
    k: Option<u8>,
    #[command(flatten)]
    parameters: Parameters,
    /// Maximum size of a candidate group; a larger group is flagged, and its candidates are compared only with its
    /// founder
    #[arg(long, value_name = "N", default_value_t = GROUP_LIMIT)]
    group_limit: usize,
    #[command(flatten)]
    pub(super) texts: TextOptions,
}

impl MethodArgs {
    /// Returns the options for the library.
    pub(super) fn options(&self, view: View<'_>, global: &Global) -> Result<PairOptions> {
        let mut options = PairOptions::chosen(judging::chosen(view, self.method.clone(), self.k)?);
        let method = options.method.clone();
        self.texts.apply(&[&*method], &mut options)?;
        self.parameters.apply(&mut judging::running(
            &mut options.method,
            &mut options.or_hamming,
            &mut options.verify,
        ))?;
        options.group_limit = self.group_limit;
        options.resources = resources(global);
        Ok(options)
    }
}

fn help() -> String {
    let (texts, sketches): (Vec<_>, Vec<_>) = methods::all().into_iter().partition(|method| method.needs_text());
    let (sketches, texts) = (judging::list(&sketches), judging::list(&texts));
    format!(
        "{sketches}; and by texts: {texts}; see 'nddb help methods' [default: model in a database of a recipe `main`, \
         else and with -k hamming; hamming too where only fingerprints are known]"
    )
}

/// Returns the memory, threads and temporary folder that the user allows.
pub fn resources(global: &Global) -> Resources {
    let resources = Resources::default();
    let memory_limit = global.memory_limit.unwrap_or(resources.memory_limit);
    Resources { memory_limit, threads: global.threads(), ..resources }
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let clock = Clock::start();
    let path = args.output.as_deref();
    let shape = format_of(path.unwrap_or(Path::new("-")), args.format, &Shape::ENDINGS, Shape::Jsonl)?;
    if args.passages.parts {
        return in_parts((args, shape), &clock, global);
    }
    let to = global.output("-o", path)?;
    let reader = database::read(&args.database.db)?;
    let view = reader.view();
    let words = Some(args.words.unwrap_or_else(|| WordsFrom::at_hand(view)));
    let mut options = PairOptions { expand: args.expand, words, ..args.how.options(view, global)? };
    nddb::detect::options::check(view, &options)?;
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let messages = global.messages();
    let meter = messages.meter("pairs");
    let collection = Collection::build(view, &options.resources, &mut *meter.watch(true))?;
    options.settle(collection.held());
    let with = args.with.wanted();
    let summary = match shape.format().lines(&with)? {
        Some(format) => {
            let output = Output::create(&to)?;
            let output = if shape == Shape::Table { output.tabled() } else { output };
            lines((format, &with[..]), (view, &collection), output, &options, &mut *meter.watch(true), &messages)?
        }
        None => {
            let mut rows = output::rows(RowFormat::Parquet, &to, pair_columns())?;
            let watch = &mut *meter.watch(true);
            let outcome = nddb::detect::pairs(view, &collection, &options, watch, &mut |line| {
                pair_rows(&collection, options.method.name(), &line, &mut |cells| rows.row(cells))
            });
            rows.finish(outcome.map_err(Failure::from))?
        }
    };
    if summary.unsketched > 0 {
        messages.warn(unsketched(&options, &summary));
    }
    text_options::warnings(&summary).into_iter().for_each(|warning| messages.warn(warning));
    text_options::unread_warning(&summary.words_unread).into_iter().for_each(|warning| messages.warn(warning));
    let mut value = value(view, &options, &summary);
    value["seconds"] = clock.seconds().into();
    value["cpu_seconds"] = clock.cpu_seconds().into();
    value["busiest_thread"] = clock.busiest_thread().into();
    global.summary(&meter, value)?;
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    meter.finish(&format!("{} in {took}", told(&summary)));
    Ok(if summary.words_unread.total() > 0 { Code::SomeSkipped } else { text_options::code(&summary) })
}

/// Prints the pairs with passages in common.
fn in_parts((args, shape): (&Args, Shape), clock: &Clock, global: &Global) -> Result<Code> {
    let given = [
        (args.expand, "--expand"),
        (args.words.is_some(), "--words"),
        (!args.with.wanted().is_empty(), "--with"),
        (args.how.method.is_some(), "--method"),
        (args.how.k.is_some(), "-k"),
    ];
    args.passages.refuse(args.how.parameters.given().or(args.how.texts.given_for_methods()), &given)?;
    let reading = PassageTexts { verify: args.how.texts.verifies(), why: args.why };
    let meter = global.messages().meter("pairs");
    let to = global.output("-o", args.output.as_deref())?;
    let rows = |format: RowFormat| {
        output::refuse_terminal(format, &to)?;
        Ok::<_, Failure>(Answered::Passages(PassageRows::begin(format, PackedFile::named(&to)?)?))
    };
    let mut output = match shape {
        Shape::Tsv => rows(RowFormat::Tsv)?,
        Shape::Parquet => rows(RowFormat::Parquet)?,
        Shape::Jsonl => Output::create(&to)?.into(),
        Shape::Table => Output::create(&to)?.tabled().into(),
    };
    let reader = database::read(&args.database.db)?;
    refuse_without_parts(&args.database.db, reader.view().settings())?;
    let how = (args.passages.options(reading), matches!(output, Answered::Passages(_)));
    let (resources, watch) = (resources(global), &mut *meter.watch(true));
    let found = pairs_in_parts(reader.view(), how, &resources, watch, &mut |answers| output.take(answers));
    let PairsFound { documents, pairs, frequent, left_out } = output.finish_after(found)?;
    let seconds = clock.seconds();
    // Reference of pairs: the object of `--json` with `--parts`
    let summary = json!({
        "documents": documents,
        "pairs": pairs,
        "frequent": frequent, // parts in too many texts to begin a passage, counted for each document
        "left_out": left_out, // documents and parts of which not all pairs were compared
        "seconds": seconds,
    });
    global.summary(&meter, summary)?;
    let took = duration(std::time::Duration::from_secs_f64(clock.seconds()));
    let (documents, pairs) = (counted(documents, "document"), counted(pairs, "pair"));
    let passed_over = format!("{} parts of many texts passed over", grouped(frequent));
    meter.finish(&format!("{documents}: {pairs} with passages in common, {passed_over}, in {took}"));
    Ok(Code::Done)
}

/// Writes pairs and groups as lines.
fn lines(
    (format, with): (LineFormat, &[DescribedField]),
    (view, collection): (View<'_>, &Collection),
    mut output: Output,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    messages: &Messages,
) -> Result<PairSummary> {
    let lines = PairLines { collection, method: options.method.name(), format };
    let mut waiting = if with.is_empty() { None } else { Some(WaitingLines::new(collection)?) };
    let header = pair_header(format, with, options.words.is_some());
    let outcome = output.emit(&header).and_then(|()| match &mut waiting {
        Some(waiting) => {
            let mut out = Vec::new();
            nddb::detect::pairs(view, collection, options, watch, &mut |line| waiting.hold(&lines, &mut out, &line))
        }
        None => {
            let write = |out: &mut Vec<u8>, line: nddb::detect::Line| lines.write(out, &line);
            nddb_dedup::pairs_written(view, collection, options, watch, &write, &mut |out| output.emit(&out))
        }
    });
    let summary = output.ended(outcome.map_err(Failure::from))?;
    if let Some(waiting) = waiting {
        let described = Described::read(view, collection, &options.resources, (with, &waiting.wanted), watch)?;
        text_options::unread_warning(described.unread()).into_iter().for_each(|warning| messages.warn(warning));
        waiting.finish(&described, format, &mut |line| output.write(line))?;
    }
    output.finish()?;
    Ok(summary)
}

/// Returns a note on the documents that the method cannot compare.
pub(super) fn unsketched(options: &PairOptions, summary: &PairSummary) -> String {
    let documents = counted(summary.unsketched, "document");
    format!("{documents} without what method '{}' compares: in no pair", options.method)
}

/// Returns the summary in words.
pub(super) fn told(summary: &PairSummary) -> String {
    let groups = summary.identity_groups + summary.hot_groups;
    let mut text = format!("{}: ", counted(summary.documents, "document"));
    text += &format!("{}, {}", counted(groups, "group"), counted(summary.pairs, "pair"));
    if summary.flagged > 0 {
        text += &format!(", {} flagged as larger than the group limit", grouped(summary.flagged));
    }
    text
}

/// Returns the summary as JSON, without the figures that differ from run to run.
pub(super) fn value(view: View<'_>, options: &PairOptions, summary: &PairSummary) -> Value {
    let method = &*options.method;
    let k = match (method.candidates(), options.or_hamming) {
        (Candidates::Near(k), _) => k,
        (_, Some(hamming)) => hamming.k,
        _ => view.settings().k.into(),
    };
    let of = |name| parameters::value_of(method, name);
    let probability = of("probability").unwrap_or_else(|| methods::Model::default().probability.into());
    // Reference of pairs: the object of `--json`; then the times, and `parameters` that are not the defaults
    let mut value = json!({
        "method": method.name(),
        "k": k, // of hamming
        "min_probability": probability, // of the model
        "expand": options.expand,
        // of c and split: whether every pair with 12 different bits is found
        "complete": of("complete").unwrap_or(false.into()),
        "group_limit": options.group_limit,
        "documents": summary.documents,
        "unsketched": summary.unsketched, // without the method's sketch
        "empty": summary.empty, // without a token; in no pair
        "compared": summary.compared, // documents, one for each group
        "candidates": summary.candidates, // pairs that the method compared
        "pairs": summary.pairs,
        "identity_groups": summary.identity_groups,
        "hot_groups": summary.hot_groups,
        "flagged": summary.flagged, // groups of more than --group-limit
        "stars": summary.stars, // keys of more documents than --group-limit
        "texts": text_options::value(options, summary), // of methods that compare texts: see below
    });
    let changed = parameters::changed(method);
    if !changed.is_empty() {
        value["parameters"] = changed.into();
    }
    value
}
