//! `nddb get`: the stored data of a document.

use std::ffi::OsString;

use nddb::sketch::{FingerprintKind, LeadingWords, Profile, Recipe};
use nddb::{Stored, View};
use nddb_format::record::Record;
use nddb_jobs::NamedId;
use serde_json::{Value, json};

use crate::args::{FromEnvironment, Global, texts};
use crate::failure::{Code, Result};
use crate::output::Output;
use crate::{database, json};

/// Print the stored records of documents, one JSON object per line
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nddb get [OPTIONS] DB [ID...]",
    after_help = "\
Examples:
  nddb get crawl.nddb urn:uuid:8c9c07ee-6a87-4e43-8c5d-2e0a8e1b7f11
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
            Some(stored) => output.json(&value(&stored, &view.settings().recipe))?,
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
            failed = output.json(&value(&stored, &view.settings().recipe)).err();
        }
        Ok(failed.is_none())
    });
    match failed {
        Some(failure) => return Err(failure),
        None => outcome?,
    }
    Ok(urls.into_iter().zip(found).filter(|(_, found)| !found).map(|(url, _)| url).collect())
}

/// A document of a database with this recipe as JSON. Sketches are hex, most significant first.
pub fn value(stored: &Stored, recipe: &str) -> Value {
    let Record {
        id,
        url,
        site,
        date,
        tokens,
        digest,
        min_bytes,
        supershingles,
        projection,
        source,
        batch,
        truncated,
        profile,
        words: _,
        garbled,
        distinct,
    } = &stored.record;
    let is_of_page = tokens.is_some() || min_bytes.is_some();
    let kind = if is_of_page { Recipe::kind_of_label(recipe) } else { FingerprintKind::Given };
    let words = |words: &[u64; 6]| words.map(|word| format!("{word:016x}"));
    json!({
        "id": json::Id(id),
        "number": stored.number,
        "fp": (!stored.unprinted).then(|| stored.fingerprint.to_string()),
        "kind": kind.name(),
        "no_fingerprint": stored.unprinted,
        "url": json::or_null(url.as_deref()),
        "site": json::or_null(site.as_deref()),
        "date": date,
        "tokens": tokens,
        "digest": digest.as_ref().map(|digest| json::hex_of(digest)),
        "min_bytes": min_bytes.as_deref().map(|bytes| json::hex_of(bytes)),
        "supershingles": supershingles.as_ref().map(words),
        "projection": projection.as_ref().map(words),
        "source": source.map(|source| json!({
            "archive": source.archive,
            "offset": source.offset,
            "inner": source.inner,
            "length": source.length,
        })),
        "batch": batch,
        "truncated": truncated,
        "garbled": garbled,
        "distinct": distinct,
        // The hashes of the title and of the first heading.
        "profile": profile.as_deref().map(|bytes| profile_value(&Profile::from_bytes(bytes))),
    })
}

/// A profile as JSON.
fn profile_value(profile: &Profile) -> Value {
    let hexes = |values: Vec<u32>, digits: usize| -> Vec<String> {
        values.into_iter().map(|value| format!("{value:0digits$x}")).collect()
    };
    let words = |words: &LeadingWords| json!({"total": words.total, "words": hexes(words.kept().to_vec(), 6)});
    let least = profile.numbers.kept().iter().map(|hash| u32::from(*hash)).collect();
    let short = profile.short.iter().map(|value| u32::from(*value)).collect();
    let whole = profile.whole.iter().map(|value| u32::from(*value)).collect();
    json!({
        "terms": profile.terms,
        "whole_terms": profile.whole_terms,
        "host": format!("{:08x}", profile.host),
        "whole": profile.is_whole,
        "title": words(&profile.title),
        "headings": words(&profile.headings),
        "address": words(&profile.address),
        "numbers": {"total": profile.numbers.total, "least": hexes(least, 4)},
        "short": hexes(short, 2),
        "whole_text": hexes(whole, 2),
    })
}
