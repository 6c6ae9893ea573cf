//! `nddb batch`: lists batches, and publishes or discards pending ones.

use std::ffi::OsString;

use clap::Subcommand;
use nddb_format::record::BatchState;
use serde_json::json;

use crate::args::{Database, FromEnvironment, Global, texts};
use crate::failure::{Code, Result};
use crate::output::{self, Output};
use crate::quantity::counted;
use crate::{database, table};

/// List batches, commit pending batches, or cancel them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb load crawl.nddb new/*.warc.gz --batch may --pending
  nddb batch ls crawl.nddb
  nddb batch commit crawl.nddb may")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List batches with their state (open, pending or cancelled) and number of documents
    Ls(Database),
    /// Make the documents of a pending batch visible and delete the documents that they replace
    #[command(override_usage = "nddb batch commit [OPTIONS] DB NAME")]
    Commit(Named),
    /// Delete the documents of a pending batch
    #[command(override_usage = "nddb batch cancel [OPTIONS] DB NAME")]
    Cancel(Named),
}

/// A batch of a database.
#[derive(Debug, clap::Args)]
struct Named {
    /// The database, then the batch's name
    #[arg(value_name = "DB NAME", required = true, num_args = 1..=2)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// Only count the documents
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    match args.what {
        Action::Ls(database) => list(&database, global),
        Action::Commit(named) => decide(named, true, global),
        Action::Cancel(named) => decide(named, false, global),
    }
}

fn state(state: BatchState) -> &'static str {
    match state {
        BatchState::Open | BatchState::Committing => "open",
        BatchState::Pending => "pending",
        BatchState::Cancelled => "cancelled",
    }
}

fn list(database: &Database, global: &Global) -> Result<Code> {
    let reader = database::read(&database.db)?;
    let mut output = Output::stdout();
    let mut table = table::TextTable::new(&["batch", "state", "documents"]);
    for (name, batch, documents) in reader.view().batches()? {
        let state = state(batch.state);
        if global.json {
            // Reference of batch ls: a line for each batch with `--json`
            output.json(&json!({
                "batch": name,
                "number": batch.number,
                "state": state, // `open`, `pending` or `cancelled`
                "documents": documents,
            }))?;
        } else {
            table.row(vec![name, state.into(), documents.to_string()]);
        }
    }
    if !global.json {
        for line in table.lines() {
            output.line(&line)?;
        }
    }
    output.flush()?;
    Ok(Code::Done)
}

fn decide(named: Named, commit: bool, global: &Global) -> Result<Code> {
    let (db, name) = named.environment.split_one(named.given, "NAME")?;
    let name = texts(vec![name])?.remove(0);
    let (command, done) = if commit { ("batch commit", "made visible") } else { ("batch cancel", "deleted") };
    let documents = if named.dry_run {
        let reader = database::read(&db)?;
        let found = reader.view().batches()?.into_iter().find(|(known, _, _)| *known == name);
        match found {
            Some((_, batch, documents)) if batch.state == BatchState::Pending => documents,
            Some(_) => return Err(nddb::Error::Batch { name, why: "is not pending" }.into()),
            None => return Err(nddb::Error::Batch { name, why: "does not exist" }.into()),
        }
    } else {
        let mut writer = database::write(&db, command, global)?;
        let documents = if commit { writer.commit_batch(&name)? } else { writer.cancel_batch(&name)? };
        writer.close()?;
        documents
    };
    if global.json {
        // Reference of batch commit: the object of `--json`, as of `batch cancel`
        output::print_json(&json!({
            "batch": name,
            "documents": documents,
            "dry_run": named.dry_run,
        }))?;
    }
    let would = if named.dry_run { "would be " } else { "" };
    global.messages().note(format!("{command}: {} {would}{done}", counted(documents, "document")));
    Ok(Code::Done)
}
