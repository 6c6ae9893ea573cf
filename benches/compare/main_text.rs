//! Prints the main content of pages as plain text, for tools that compare texts.
//!
//! `main_text < docs.jsonl > texts.jsonl` reads JSON lines of `id` and `html` or `text`, and writes JSON lines of `id`
//! and `text`. The text is what the default method compares: lower case, each number as `0`, one line per block.

use std::error::Error;
use std::io::{BufRead, BufWriter, Write};

use nddb::text::Page;
use nddb_page::text::content_text;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut output = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let document: Value = serde_json::from_str(&line?)?;
        let text = match (document["html"].as_str(), document["text"].as_str()) {
            (Some(html), _) => content_text(&Page::html(html)),
            (None, Some(text)) => content_text(&Page::text(text)),
            (None, None) => return Err(format!("{}: neither html nor text", document["id"]).into()),
        };
        writeln!(output, "{}", json!({"id": document["id"], "text": text}))?;
    }
    Ok(output.flush()?)
}
