//! `nddb add`: documents one by one, with a verdict for each.

mod line;
mod stdin;

use nddb::detect::{Judgement, OnlineDetector};
use nddb::sketch::{Recipe, RecipeError};
use nddb::text::Page;
use nddb::verdict::Level;
use nddb::{Document, Outcome, Writer};
use nddb_jobs::fields::add_evidence;
use nddb_jobs::json::Id;
use serde_json::{Map, Value, json};

use self::stdin::{Groups, Input, LINE_MAX};
use crate::args::{Database, Global};
use crate::failure::{Code, Failure, Result, chain};
use crate::judging::JudgingArgs;
use crate::messages::{Meter, Tick};
use crate::output::Output;
use crate::quantity::{self, counted, grouped};
use crate::{database, interrupt};

/// Add documents from stdin, and print a verdict for each
///
/// Reads JSON lines with `id`, one of `text`, `html` and `fp`, and optionally `url`. Prints one line per document, in
/// order: {"id", "verdict", "of", "distance", "fp"}. The verdict is new, replaced, unchanged, error, or, with --if-new,
/// duplicate: then `of` is the most similar document, and nothing was stored. All documents are durable at the end of
/// the input.
///
/// With --if-new, a line also has the scores, and the rule that decided.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  echo '{\"id\":\"a\",\"url\":\"http://example.org/\",\"text\":\"some words\"}' | nddb add crawl.nddb
  fetcher | nddb add crawl.nddb --if-new --durable | jq -r 'select(.verdict == \"new\").id'")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Store only what has no near-duplicate under another id
    #[arg(long)]
    if_new: bool,
    /// How much may be lost of a document that is not added: same, strict or standard, as in 'nddb cluster --help'
    /// [default: standard]; estimated if the database keeps no words
    #[arg(long, value_name = "LEVEL", requires = "if_new")]
    level: Option<Level>,
    /// Judge by hamming: maximum distance of a near-duplicate, in bits
    #[arg(short, long, requires = "if_new")]
    k: Option<u8>,
    #[command(flatten)]
    how: JudgingArgs,
    /// Commit before printing: each printed line is durable
    #[arg(long)]
    durable: bool,
    /// Assign the documents to this batch
    #[arg(long, value_name = "NAME")]
    batch: Option<String>,
    /// Keep the batch invisible until `nddb batch commit`
    #[arg(long, requires = "batch")]
    pending: bool,
    /// Ignore unknown fields, instead of rejecting the line
    #[arg(long)]
    ignore_unknown: bool,
}

/// Documents of one commit without --durable. Staged documents take memory, so their number is limited.
const STAGED_MAX: u64 = 10_000;

/// The state of the command between two commits.
struct Adding<'a> {
    writer: Writer,
    /// The recipe, or the reason why no text can be added.
    recipe: Result<Recipe, RecipeError>,
    args: &'a Args,
    /// Judges whether a document is new.
    online: Option<OnlineDetector>,
    output: Output,
    /// Verdict lines of this group of input lines.
    lines: Vec<String>,
    /// New and replaced documents.
    documents: u64,
    replaced: u64,
    unchanged: u64,
    duplicates: u64,
    errors: u64,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let mut writer = database::write(&args.database.db, "add", global)?;
    let recipe = database::recipe_for_writing(writer.settings())?;
    let most = writer.settings().k;
    if let Some(k) = args.k.filter(|&k| k > most) {
        return Err(Failure::usage(format!("k is {k}, this database answers up to {most}")));
    }
    if let Some(name) = args.how.given().filter(|_| !args.if_new) {
        return Err(Failure::usage(format!("{name} is about judging what is new: it needs --if-new")));
    }
    let mut online = args.if_new.then(|| args.how.online(writer.view(), args.k)).transpose()?;
    if let Some(online) = &mut online {
        online.level = args.level.unwrap_or_default();
    }
    if let Some(batch) = &args.batch {
        writer.label(batch, args.pending)?;
    }
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let meter = global.messages().meter("add");
    writer.merge_in_background(true);
    writer.watch(meter.watch(true));
    let output = Output::create(&global.output("-o", None)?)?;
    let (lines, [documents, replaced, unchanged, duplicates, errors]) = (Vec::new(), [0; 5]);
    let mut adding =
        Adding { writer, recipe, args, online, output, lines, documents, replaced, unchanged, duplicates, errors };
    adding.read(&meter)?;
    let Adding { writer, documents, replaced, unchanged, duplicates, errors, .. } = adding;
    writer.close()?;
    let mut summary = format!("{} added ({} replaced)", counted(documents, "document"), grouped(replaced));
    summary += &format!(", {} unchanged", grouped(unchanged));
    if args.if_new {
        summary += &format!(", {} rejected", counted(duplicates, "duplicate"));
    }
    summary += &format!(", {}", counted(errors, "error"));
    // Reference of add: the object of `--json`, on stderr
    let numbers = json!({
        "documents": documents, // new and replaced
        "replaced": replaced,
        "unchanged": unchanged,
        "duplicates": duplicates, // near-duplicates that were not added
        "errors": errors,
    });
    global.summary(&meter, numbers)?;
    Ok(if interrupt::asked() {
        meter.finish(&format!("{summary}; interrupted"));
        Code::Interrupted
    } else {
        meter.finish(&summary);
        if errors > 0 { Code::SomeSkipped } else { Code::Done }
    })
}

/// The content of the output line of a document.
struct Said {
    verdict: &'static str,
    of: Value,
    distance: Value,
    /// Further fields, from the judgement.
    more: Map<String, Value>,
}

impl Adding<'_> {
    /// Reads stdin to its end.
    fn read(&mut self, meter: &Meter) -> Result<()> {
        let groups = Groups::read();
        while let Some(group) = groups.next()? {
            for line in &group {
                self.add(line)?;
            }
            self.hand_over()?;
            let (done, skipped) = (self.documents + self.unchanged + self.duplicates, self.errors);
            meter.tick(Tick { phase: "adding", done, unit: "documents", skipped, ..Tick::default() });
        }
        Ok(self.writer.commit()?)
    }

    /// Prints the verdict lines of a group.
    fn hand_over(&mut self) -> Result<()> {
        if self.args.durable {
            self.writer.commit()?;
        }
        for line in self.lines.drain(..) {
            self.output.line(&line)?;
        }
        self.output.flush()
    }

    fn add(&mut self, input: &Input) -> Result<()> {
        let Input::Line(bytes) = input else {
            self.error(None, &format!("the line is longer than {}", quantity::bytes(LINE_MAX)));
            return Ok(());
        };
        let line = match line::parse(bytes, self.args.ignore_unknown) {
            Ok(line) => line,
            Err(wrong) => {
                self.error(wrong.id.as_deref(), &wrong.why);
                return Ok(());
            }
        };
        let document = match line.document(&self.recipe, self.writer.settings(), self.args.if_new) {
            Ok(document) => document,
            Err(why) => {
                self.error(Some(&line.id), &why);
                return Ok(());
            }
        };
        let fp = (!document.is_unprinted()).then(|| document.fingerprint().to_string());
        let said = match self.judge(document, line.page().as_ref()) {
            Ok(said) => said,
            // The method cannot judge this document, because the document has nothing that the method compares.
            Err(
                error @ (nddb::Error::Document { .. } | nddb::Error::OutOfRange { .. } | nddb::Error::Method { .. }),
            ) => {
                self.error(Some(&line.id), &chain(&error));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let Said { verdict, of, distance, more } = said;
        // Reference of add: a line for each document; with `--if-new` then the scores and `complete`
        let mut value = json!({
            "id": Id(&line.id),
            // `new`, `duplicate`, `replaced`, `unchanged` or `error` (then the field `error` says why)
            "verdict": verdict,
            "of": of, // the oldest identical document, else the most similar one, of equally similar ones the oldest
            "distance": distance, // in bits, between their fingerprints
            "fp": fp,
        });
        if let Value::Object(object) = &mut value {
            object.extend(more);
        }
        self.lines.push(value.to_string());
        match verdict {
            "duplicate" => self.duplicates += 1,
            "unchanged" => self.unchanged += 1,
            _ => self.documents += 1,
        }
        self.replaced += u64::from(verdict == "replaced");
        if matches!(verdict, "duplicate" | "unchanged") {
            return Ok(());
        }
        if self.documents.is_multiple_of(STAGED_MAX) {
            self.writer.commit()?;
        }
        Ok(())
    }

    /// Inserts a document, or returns the document of which it is a near-duplicate.
    fn judge(&mut self, document: Document, page: Option<&Page<'_>>) -> nddb::Result<Said> {
        let inserted = |outcome: Outcome, more| {
            let verdict = match outcome {
                Outcome::New => "new",
                Outcome::Replaced => "replaced",
                Outcome::Unchanged => "unchanged",
            };
            Said { verdict, of: Value::Null, distance: Value::Null, more }
        };
        let duplicate = |of: String, distance: Option<u32>, more| Said {
            verdict: "duplicate",
            of: json!(Id(&of)),
            distance: distance.into(),
            more,
        };
        let mut more = Map::new();
        let Some(online) = &self.online else { return Ok(inserted(self.writer.insert(document)?, more)) };
        let judgement = match page {
            Some(page) => online.insert_page_if_new(&mut self.writer, document, page)?,
            None => online.insert_if_new(&mut self.writer, document)?,
        };
        Ok(match judgement {
            Judgement::Inserted { outcome, complete } => {
                add_evidence(&mut more, None);
                more.insert("complete".into(), complete.into());
                inserted(outcome, more)
            }
            Judgement::Duplicate { of, complete } => {
                add_evidence(&mut more, Some(&of));
                more.insert("complete".into(), complete.into());
                let distance = of.measures.count("distance");
                duplicate(of.id, distance, more)
            }
        })
    }

    fn error(&mut self, id: Option<&str>, why: &str) {
        self.errors += 1;
        let id = id.map(Id);
        let value = json!({
            "id": id, "verdict": "error", "of": null, "distance": null, "fp": null, "error": why,
        });
        self.lines.push(value.to_string());
    }
}
