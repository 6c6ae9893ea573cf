//! `nddb show`: two documents side by side.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use nddb::View;
use nddb::detect::options::TextScope;
use nddb_evaluate::WordDiff;
use nddb_evaluate::show::{ShownDocument, difference, passages, shown_page, verdict};
use nddb_jobs::NamedId;

use crate::args::{FromEnvironment, Global, texts};
use crate::columns::{Columns, Marks};
use crate::database;
use crate::failure::{Code, Failure, Result, Told};
use crate::output::Output;
use crate::terminal;
use crate::text_options::text_part;

/// Width in characters if stdout is no terminal.
const WIDTH: usize = 120;

/// Show two documents side by side, and how they differ
///
/// The texts are those that were compared, of the database if it keeps words, or else read again from the archives.
/// Text that a page carries and does not show is marked with [not shown]. Words of only one document are coloured on a
/// terminal, and else written as [-removed-] and {+added+}. Below them stands the verdict of the default method, with
/// the least level that removes either document. Of other documents, passages of 20 words and more that both have stand
/// above their texts.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb show [OPTIONS] DB A B",
    after_help = "\
Examples:
  nddb show crawl.nddb page-1 page-2
  nddb show crawl.nddb page-1 page-2 --html pages.html"
)]
pub(crate) struct Args {
    /// The database, then the ids of the two documents
    #[arg(value_name = "DB A B", required = true, num_args = 2..=3)]
    given: Vec<OsString>,
    #[command(flatten)]
    environment: FromEnvironment,
    /// Write one self-contained HTML page to this file, or to stdout for -, instead of text
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Part of the pages to show: the whole text that is compared, or its content alone
    #[arg(long, value_parser = text_part(), default_value = "whole", value_name = "PART")]
    text: TextScope,
}

pub(crate) fn run(args: Args, global: &Global) -> Result<Code> {
    let (db, ids) = args.environment.split(args.given, "A B")?;
    let [a, b] = <[String; 2]>::try_from(texts(ids)?)
        .map_err(|ids| Failure::usage(format!("show takes two ids, got {}", ids.len())))?;
    let page = args.html.as_deref().map(|path| global.page("--html", Some(path))).transpose()?;
    let reader = database::read(&db)?;
    let view = reader.view();
    let documents = [read(view, &a, args.text)?, read(view, &b, args.text)?];
    let diff = WordDiff::new(&documents[0].text, &documents[1].text);
    let (verdict, is_near) = verdict(view, &documents);
    let passages = if is_near { Vec::new() } else { passages(&documents) };
    if let Some(to) = &page {
        let mut output = Output::create(to)?;
        output.write(shown_page(&documents, &passages, &diff, &verdict).as_bytes())?;
        output.finish()?;
        global.messages().note(format!("show: {verdict}"));
        global.messages().note(format!("show: {}", difference(&documents, &diff)));
        return Ok(Code::Done);
    }
    let is_terminal = std::io::stdout().is_terminal();
    let width = terminal::width(std::io::stdout()).unwrap_or(WIDTH);
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let marks = if is_terminal && !no_color { Marks::Colours } else { Marks::Signs };
    let columns = Columns { width, marks };
    let mut output = Output::coloured_stdout();
    output.write(columns.shown(&documents, &passages, &diff).as_bytes())?;
    output.line(&verdict)?;
    output.line(&difference(&documents, &diff))?;
    output.flush()?;
    Ok(Code::Done)
}

/// Reads a document again.
fn read(view: View<'_>, id: &str, part: TextScope) -> Result<ShownDocument> {
    let found = NamedId::of_argument(id).find(&mut |id| view.contains(id))?;
    let Some(stored) = found.map_or(Ok(None), |id| view.get(&id))? else {
        let hint = "ids are those that 'nddb pairs' and 'nddb query' print";
        return Err(Told::new(Code::Failed, format!("no document '{id}'")).hint(hint).into());
    };
    let read = ShownDocument::read(view, &stored, part == TextScope::Main)?;
    read.map_err(|why| {
        let hint = "'nddb sources' lists the archives, and tells the database where they were moved; 'nddb get' prints \
                    what is stored of a document";
        Told::new(Code::Failed, format!("the text of '{id}' cannot be read: {why}")).hint(hint).into()
    })
}
