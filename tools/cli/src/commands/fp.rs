//! `nddb fp`: the fingerprint of a page and its derivation.

use std::path::PathBuf;

use nddb::sketch::{Derivation, Explanation, Recipe};
use nddb_jobs::json::hex_of;
use serde_json::json;

use super::create::RecipeArgs;
use crate::args::Global;
use crate::failure::{Code, Result};
use crate::inputs::PageOptions;
use crate::output::Output;
use crate::table::TextTable;

/// Print the fingerprints of pages and, on request, how they are computed
///
/// A file is read as plain text if its name ends in .txt or if it does not start with a tag.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb fp page.html
  curl -s https://example.org/ | nddb fp -
  nddb fp --explain page.html                     which words decide the bits
  nddb fp --recipe 1e0ng text.txt                 as the Python package simhash")]
pub(crate) struct Args {
    /// Files, or - for stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Show the features that decide the bits (also: -v)
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    page: PageOptions,
    #[command(flatten)]
    recipe: RecipeArgs,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let recipe = args.recipe.recipe()?;
    let mut output = Output::stdout();
    for path in &args.files {
        let file = args.page.read(path)?;
        let page = file.page();
        let explained = args.explain || global.verbose;
        let explanation = explained.then(|| recipe.explain(&page));
        let sketch = recipe.sketch(&page);
        let is_unprinted = sketch.tokens < 2;
        if is_unprinted {
            let name = path.display();
            global.messages().warn(format!("{name}: fewer than two tokens: a database keeps no fingerprint of it"));
        }
        if global.json {
            // Reference of fp: an object for each file with `--json`; with `--explain` also `distinct` (tokens),
            // `features` (`text`, `weight`, `hash`), and `sums` (of bit 0 to 63) or `least`
            let mut value = json!({
                "file": path.display().to_string(),
                "fp": format!("{:016x}", sketch.fingerprint),
                "no_fingerprint": is_unprinted,
                "recipe": recipe.label(),
                "tokens": sketch.tokens,
                "digest": hex_of(&sketch.digest),
                "site": sketch.site,
            });
            if let Some(explanation) = &explanation {
                let features = explanation.features.iter().map(|feature| {
                    let hash = format!("{:016x}", feature.hash);
                    json!({"text": feature.text, "weight": feature.weight, "hash": hash})
                });
                value["distinct"] = explanation.distinct.into();
                value["features"] = features.collect();
                match &explanation.derivation {
                    Derivation::Sums(sums) => value["sums"] = sums.to_vec().into(),
                    Derivation::Least(features) => value["least"] = features.clone().into(),
                }
            }
            output.json(&value)?;
        } else {
            let name = if args.files.len() > 1 { format!("  {}", path.display()) } else { String::new() };
            output.line(&format!("{:016x}{name}", sketch.fingerprint))?;
            if let Some(explanation) = &explanation {
                explain(explanation, &recipe, &mut output)?;
            }
        }
    }
    output.flush()?;
    Ok(Code::Done)
}

/// Prints the heaviest features, and the features that decide the bits.
fn explain(explanation: &Explanation, recipe: &Recipe, output: &mut Output) -> Result<()> {
    let Explanation { tokens, distinct, features, derivation, .. } = explanation;
    let (title, heaviest) = match derivation {
        Derivation::Sums(_) => ("weight", "the heaviest"),
        Derivation::Least(_) => ("bits", "those that decide most bits"),
    };
    output.line(&format!("recipe {recipe}, {tokens} tokens, {distinct} different features; {heaviest}:"))?;
    let mut table = TextTable::new(&[title, "hash", "feature"]);
    for feature in features {
        table.row(vec![feature.weight.to_string(), format!("{:016x}", feature.hash), feature.text.clone()]);
    }
    for line in table.lines() {
        output.line(&format!("  {line}"))?;
    }
    match derivation {
        Derivation::Sums(sums) => explain_sums(&sums[..], explanation.fingerprint, output),
        Derivation::Least(_) => output.line(
            "a bit is decided by the feature to which the bit's own hash function gives the least value; on a page \
             without this feature the bit differs in half of all cases",
        ),
    }
}

/// Prints the bits whose sums are closest to zero, which a small change of the page would flip first.
fn explain_sums(sums: &[i64], fingerprint: u64, output: &mut Output) -> Result<()> {
    let mut bits: Vec<(usize, i64)> = sums.iter().copied().enumerate().collect();
    bits.sort_by_key(|&(position, sum)| (sum.unsigned_abs(), position));
    output
        .line("a bit is 1 if its sum is positive; the sums nearest to zero, whose bits a small change flips first:")?;
    for (position, sum) in bits.iter().take(8) {
        let bit = fingerprint >> position & 1;
        output.line(&format!("  bit {position:>2} is {bit} by a sum of {sum}"))?;
    }
    Ok(())
}
