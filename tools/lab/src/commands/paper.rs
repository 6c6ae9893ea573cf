//! `nddb-lab paper`: the tables and figures of a paper, measured on the user's documents.

use std::path::{Path, PathBuf};

use nddb::archive::Options;
use nddb::detect::options::TextScope;
use nddb::detect::{Collection, Resources};
use nddb::sketch::Recipe;
use nddb::{Config, View};
use nddb_cli::frame::{
    Code, Failure, Global, Meter, Output, Result, TextTable, inputs, interrupt, read_labels, recipe, resources,
    text_part, told,
};
use nddb_evaluate::eval::{Corpus, Labels, gold};
use nddb_lab::paper::{Cell, Exhibit, Paper, Subject, page};
use serde_json::{Value, json};

use nddb_jobs::quantity::counted;

/// Distance of the temporary database of a labelled set.
const K: u8 = 7;
/// File names of the documents of a labelled set, in the order of search.
const DOCUMENTS: [&str; 3] = ["docs.jsonl.zst", "docs.jsonl.gz", "docs.jsonl"];
/// File name of the labels of a labelled set.
const LABELS: &str = "pairs.tsv";
/// Maximum number of printed rows of an exhibit; --json and the page have all rows.
const ROWS: usize = 40;

/// Print every table and figure of a paper for your own pages, with the paper's figures beside them
///
/// Henzinger 2006 has 12 tables and 7 figures, Huang et al. 2008 two tables and three figures, Ye et al. 2007 two
/// tables and four figures, Manku et al. 2007 three figures. The pages come from databases or from labelled sets. A
/// labelled set is a folder with docs.jsonl.zst (or .gz, or uncompressed) and pairs.tsv, the label file of nddb eval.
/// Exhibits that need labels are measured on labelled sets, and on a database if --labels names labelled pairs of its
/// documents; the page of nddb audit makes such files.
///
/// Texts of a sample are read again from where they were loaded.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb-lab paper henzinger crawl.nddb
  nddb-lab paper huang set1 set2 -o huang.html
  nddb-lab paper manku crawl.nddb --labels labels-5d1c8e0b7a3f2964.tsv --json
  nddb-lab paper ye crawl.nddb --sample 10000")]
pub(crate) struct Args {
    /// The paper: henzinger, huang, ye or manku
    paper: Paper,
    /// Databases and labelled sets
    #[arg(required = true, value_name = "DB|SET")]
    inputs: Vec<PathBuf>,
    /// Labelled pairs of the documents of a database
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The recipe of labelled sets [default: web, which has all sketches of the papers]
    #[arg(long, value_name = "RECIPE")]
    recipe: Option<String>,
    /// Which text of a page is compared: all of it, or its main content [default: that of the recipe]
    #[arg(long = "text", value_parser = text_part(), value_name = "PART")]
    part: Option<TextScope>,
    /// Approximate number of documents whose texts are read: N drawn at random, and at most N near-duplicates of these
    #[arg(long, value_name = "N", default_value_t = 2000)]
    sample: usize,
    /// Seed that selects the documents
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write a page with plots to this file, too
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    if args.labels.is_some() && args.inputs.len() > 1 {
        return Err(Failure::usage("--labels are of the documents of one database: name one"));
    }
    let to = args.output.as_deref().map(|path| global.output("-o", Some(path))).transpose()?;
    let meter = global.messages().meter("paper");
    let mut made = Vec::new();
    for input in &args.inputs {
        let exhibits = match documents(input) {
            Some(documents) => of_set(args, global, input, &documents, &meter)?,
            None => of_database(args, global, input, &meter)?,
        };
        made.push((input.display().to_string(), exhibits));
    }
    if let Some(to) = &to {
        let page = page(args.paper, &made)?;
        let mut output = Output::create(to)?;
        output.write(page.as_bytes())?;
        output.finish()?;
    }
    let mut output = Output::stdout();
    if global.json {
        for (name, exhibits) in &made {
            output.json(&json!({
                "paper": args.paper.name(),
                "input": name,
                "exhibits": exhibits.iter().map(value).collect::<Vec<_>>(),
            }))?;
        }
    } else {
        output.line(args.paper.title())?;
        for (name, exhibits) in &made {
            for line in [String::new(), name.clone()].into_iter().chain(exhibits.iter().flat_map(lines)) {
                output.line(&line)?;
            }
        }
    }
    output.flush()?;
    let exhibits = made.iter().map(|(_, exhibits)| exhibits.len()).sum::<usize>();
    meter.finish(&counted(exhibits as u64, "exhibit"));
    Ok(Code::Done)
}

/// Returns the file of documents of a labelled set; `None` if the folder is no labelled set.
fn documents(input: &Path) -> Option<PathBuf> {
    let documents = DOCUMENTS.iter().map(|name| input.join(name)).find(|path| path.is_file())?;
    input.join(LABELS).is_file().then_some(documents)
}

fn of_set(args: &Args, global: &Global, input: &Path, documents: &Path, meter: &Meter) -> Result<Vec<Exhibit>> {
    if args.labels.is_some() {
        let why = format!("{} is a labelled set and has its own labels: --labels is for a database", input.display());
        return Err(Failure::usage(why));
    }
    let folder = global.temporary_folder()?;
    let recipe: Recipe = recipe(args.recipe.as_deref().unwrap_or(args.paper.recipe()))?;
    let config = Config::within(K)?.recipe(&recipe.label());
    let labels = read_labels(&input.join(LABELS))?;
    let (database, options) = (folder.path().join("documents.nddb"), Options::default());
    let resources = resources(global);
    let corpus = Corpus::load((documents, &options), &database, &config, &recipe, &resources, &mut *meter.watch(true))
        .map_err(told)?;
    for why in corpus.skipped() {
        global.messages().warn(format!("not loaded: {why}"));
    }
    measure(args, global, (input, corpus.view(), corpus.collection()), Some(&labels), &resources, meter)
}

fn of_database(args: &Args, global: &Global, input: &Path, meter: &Meter) -> Result<Vec<Exhibit>> {
    if args.recipe.is_some() {
        return Err(Failure::usage("--recipe is for labelled sets: a database has a recipe"));
    }
    let reader = inputs::database(input)?;
    let labels = args.labels.as_deref().map(read_labels).transpose()?;
    let resources = resources(global);
    let collection = Collection::build(reader.view(), &resources, &mut *meter.watch(true))?;
    measure(args, global, (input, reader.view(), &collection), labels.as_ref(), &resources, meter)
}

fn measure(
    args: &Args,
    global: &Global,
    (input, view, collection): (&Path, View<'_>, &Collection),
    labels: Option<&Labels>,
    resources: &Resources,
    meter: &Meter,
) -> Result<Vec<Exhibit>> {
    let gold = labels.map(|labels| gold(view, collection, labels)).transpose()?;
    if let Some(gold) = gold.as_ref().filter(|gold| gold.left_out > 0) {
        global.messages().warn(format!("{} left out: unknown ids", counted(gold.left_out, "labelled pair")));
    }
    let subject = Subject {
        name: input.display().to_string(),
        view,
        collection,
        gold: gold.as_ref(),
        sample: (args.sample, args.seed),
        part: args.part,
        resources: resources.clone(),
        threads: global.threads(),
    };
    Ok(args.paper.measure(&subject, &mut *meter.watch(true))?)
}

fn lines(exhibit: &Exhibit) -> Vec<String> {
    let mut lines = vec![String::new(), format!("{}: {}", exhibit.name, exhibit.title)];
    if !exhibit.rows.is_empty() {
        let mut table = TextTable::new(&exhibit.columns.iter().map(String::as_str).collect::<Vec<_>>());
        let rows = exhibit.told();
        let left = rows.len().saturating_sub(ROWS);
        rows.into_iter().take(ROWS).for_each(|row| table.row(row));
        lines.extend(table.lines().into_iter().map(|line| format!("  {line}")));
        if left > 0 {
            lines.push(format!("  ({left} more rows: --json and the page have them)"));
        }
    }
    lines.extend(exhibit.notes.iter().map(|note| format!("  {note}")));
    lines.extend(exhibit.paper.iter().map(|paper| format!("  The paper: {paper}")));
    lines
}

fn value(exhibit: &Exhibit) -> Value {
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) => json!(text),
        Cell::Count(count) => json!(count),
        Cell::Share(share) => json!(share),
        Cell::None => Value::Null,
    };
    json!({
        "name": exhibit.name,
        "title": exhibit.title,
        "columns": exhibit.columns,
        "rows": exhibit.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>()).collect::<Vec<_>>(),
        "notes": exhibit.notes,
        "paper": exhibit.paper,
    })
}
