//! `nddb text`: the part of the text of pages that is compared.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use nddb::text::{BlockKind, Page, text_blocks};
use nddb_jobs::lists;
use serde_json::{Value, json};

use crate::args::Global;
use crate::failure::{Code, Failure, Result};
use crate::inputs::PageOptions;
use crate::output::Output;

/// Print the part of pages that is compared: their content, without navigation and other boilerplate
///
/// Prints one line per block of text, with the case and punctuation of the page. A file is read as plain text if its
/// name ends in .txt or if it does not start with a tag.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb text page.html
  nddb text --jsonl pages.jsonl > texts.jsonl     JSON lines in, JSON lines out")]
pub(crate) struct Args {
    /// Files, or - for stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print the whole text: all that is compared
    #[arg(long)]
    whole: bool,
    /// Print all blocks, each with its kind: content, or the reason why it is not content
    #[arg(long, conflicts_with = "whole")]
    explain: bool,
    /// Read JSON lines with the fields "id" and either "html" or "text"
    #[arg(long, conflicts_with_all = ["html", "text", "explain", "charset", "url"])]
    jsonl: bool,
    #[command(flatten)]
    page: PageOptions,
}

pub(crate) fn run(args: &Args, _: &Global) -> Result<Code> {
    let mut output = Output::stdout();
    for path in &args.files {
        if args.jsonl {
            print_lines(path, args, &mut output)?;
            continue;
        }
        let file = args.page.read(path)?;
        for block in text_blocks(&file.page()) {
            if args.explain {
                let unseen = if block.is_unseen { "[not shown] " } else { "" };
                output.line(&format!("{:<8} {unseen}{}", name(block.kind), block.text))?;
            } else if is_printed(block.kind, args.whole) {
                output.line(&block.text)?;
            }
        }
    }
    output.flush()?;
    Ok(Code::Done)
}

fn is_printed(kind: BlockKind, whole: bool) -> bool {
    whole || kind == BlockKind::Content
}

fn name(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Content => "content",
        BlockKind::Title => "title",
        BlockKind::Links => "links",
        BlockKind::Frame => "frame",
        BlockKind::Other => "other",
    }
}

/// Prints the texts of JSON lines as JSON lines.
fn print_lines(path: &Path, args: &Args, output: &mut Output) -> Result<()> {
    for (number, line) in (1u64..).zip(lists::lines(path)?.lines()) {
        let wrong = |why: String| Failure::failed(format!("{}, line {number}: {why}", path.display()));
        let line = line.map_err(|error| wrong(error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let document: Value = serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
        let page = match (document["html"].as_str(), document["text"].as_str()) {
            (Some(html), _) => Page::html(html),
            (None, Some(text)) => Page::text(text),
            (None, None) => return Err(wrong("it has neither \"html\" nor \"text\"".to_owned())),
        };
        let page = Page { url: document["url"].as_str(), ..page };
        let blocks = text_blocks(&page).into_iter().filter(|block| is_printed(block.kind, args.whole));
        let text: Vec<String> = blocks.map(|block| block.text).collect();
        // Reference of text: a line with `--jsonl`
        output.json(&json!({
            "id": document["id"],
            "text": text.join("\n"),
        }))?;
    }
    Ok(())
}
