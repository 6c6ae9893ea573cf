//! `nddb get`: the stored data of a document.

use std::ffi::OsString;

use nddb::{Stored, View};
use nddb_jobs::NamedId;
use nddb_jobs::fields::document;

use crate::args::{FromEnvironment, Global, texts};
use crate::database;
use crate::failure::{Code, Result};
use crate::output::Output;

/// Print the stored records of documents
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb get [OPTIONS] DB [ID...]",
    after_help = "\
Examples:
  nddb get crawl.nddb a b c | jq .url
  nddb get crawl.nddb --url https://example.org/news/1"
)]
pub(crate) struct Args {
    /// The database, then ids of documents
    #[arg(value_name = "DB ID")]
    given: Vec<OsString>,
    /// Also print the documents with this address; can be repeated. Reads all documents, because addresses are not
    /// indexed
    #[arg(long, value_name = "URL")]
    url: Vec<String>,
    #[command(flatten)]
    environment: FromEnvironment,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    let (db, ids) = args.environment.split(args.given, if args.url.is_empty() { "ID" } else { "" })?;
    let ids = texts(ids)?;
    let reader = database::read(&db)?;
    let view = reader.view();
    let mut output = Output::stdout();
    let mut code = Code::Done;
    for id in &ids {
        let found = NamedId::of_argument(id).find(&mut |id| view.contains(id))?;
        match found.map_or(Ok(None), |id| view.get(&id))? {
            Some(stored) => output.json(&document(&stored, &view.settings().recipe))?,
            None => {
                global.messages().warn(format!("{}: no document '{id}'", db.display()));
                code = Code::Failed;
            }
        }
    }
    if !args.url.is_empty() {
        let missing = by_url(view, args.url, &mut output)?;
        for url in &missing {
            global.messages().warn(format!("{}: no document with the address '{url}'", db.display()));
            code = Code::Failed;
        }
    }
    output.flush()?;
    Ok(code)
}

/// Prints the documents with these addresses. Returns the addresses that no document has.
fn by_url(view: View<'_>, urls: Vec<String>, output: &mut Output) -> Result<Vec<String>> {
    let mut found = vec![false; urls.len()];
    let mut failed = None;
    let outcome = view.each(&mut |stored: Stored| {
        let wanted = stored.record.url.as_ref().and_then(|url| urls.iter().position(|wanted| wanted == url));
        if let Some(index) = wanted {
            found[index] = true;
            failed = output.json(&document(&stored, &view.settings().recipe)).err();
        }
        Ok(failed.is_none())
    });
    match failed {
        Some(failure) => return Err(failure),
        None => outcome?,
    }
    Ok(urls.into_iter().zip(found).filter(|(_, found)| !found).map(|(url, _)| url).collect())
}
