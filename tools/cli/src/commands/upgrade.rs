//! `nddb upgrade`: what a newer nddb would do to a database.

use std::cmp::Ordering;

use nddb::sketch::{Recipe, RecipeError};
use nddb_format::fields::{FORMAT, FORMAT_VERSION, READER_MIN};
use nddb_format::manifest::Manifest;
use serde_json::json;

use crate::args::{Database, Global};
use crate::failure::{Code, Failure, Result};
use crate::output::{self, Output};
use crate::quantity::counted;
use crate::{database, inputs};

/// Say which versions a database has, and what brings it to those of this nddb
///
/// A database has a version of the file format, and a recipe with a version of its own. All released formats are read,
/// and whatever writes to a database writes the newest: so this command itself changes nothing, with --dry-run and
/// without. Documents have the sketches of the recipe that the database was made with; a newer one needs the documents
/// again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb upgrade crawl.nddb --dry-run
  nddb upgrade crawl.nddb --json | jq .recipe_newest")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let db = &args.database.db;
    let reader = database::read(db)?;
    let view = reader.view();
    let manifest = db.join("MANIFEST");
    let bytes = inputs::read(&manifest)?;
    let decoded = Manifest::decode(&bytes).map_err(|error| Failure::format(&manifest, &error))?;
    let (format, reader_min) = (FORMAT_VERSION.get(&bytes) as u16, READER_MIN.get(&bytes) as u16);
    let label = &view.settings().recipe;
    let recipe = Standing::of(label);
    let newest = recipe.newest.as_deref();
    let runs = decoded.runs.len() as u64;
    // The keys of documents of format 1 are rows of the catalog.
    let older = if decoded.keyed == Some(0) { 0 } else { runs };
    let unsummarized = view.runs_without_summaries() as u64;
    if global.json {
        output::print_json(&json!({
            "format": format,
            "reader_min": reader_min,
            "format_newest": FORMAT,
            "recipe": label,
            "recipe_newest": newest,
            "runs": runs,
            "runs_to_rewrite": older,
            "runs_without_summaries": unsummarized,
            "dry_run": args.dry_run,
        }))?;
        return Ok(Code::Done);
    }
    let mut out = Output::stdout();
    let state = match format.cmp(&FORMAT) {
        Ordering::Less => "an older one, which the next command that writes makes the newest",
        Ordering::Equal => "the newest of this nddb",
        Ordering::Greater => "newer than this nddb, which can read it",
    };
    out.line(&format!("format   {format}, {state}; read by every nddb of format {reader_min} and later"))?;
    out.line(&format!("recipe   {label}, {}", recipe.state))?;
    out.line(&match older {
        0 if unsummarized > 0 => {
            let (lacking, db) = (counted(unsummarized, "run"), db.display());
            format!("to do    {lacking} without summaries, so that verdicts read records: 'nddb compact {db} --all' adds them")
        }
        0 => format!("to do    nothing: {} of format {FORMAT}", counted(runs, "run")),
        older => {
            let (older, db) = (counted(older, "run"), db.display());
            format!("to do    {older} with keys in the catalog, as in format 1: 'nddb compact {db} --all' moves them")
        }
    })?;
    if let Some(newest) = newest.filter(|newest| newest != label) {
        let name = newest.split('/').next().unwrap_or_default();
        out.line(&format!(
            "newer    recipe {newest}: 'nddb create NEW --recipe {name}', and 'nddb load NEW' of the same archives"
        ))?;
    }
    out.flush()?;
    Ok(Code::Done)
}

/// How a recipe stands to those of this nddb.
struct Standing {
    state: String,
    newest: Option<String>,
}

impl Standing {
    fn of(label: &str) -> Self {
        let newest = |name: &str| Recipe::named(name).map(|recipe| recipe.label());
        match Recipe::from_label(label) {
            Ok(recipe) => {
                let newest = newest(&recipe.name());
                let is_newest = newest.as_deref() == Some(label);
                let state =
                    if is_newest { "the newest of its name" } else { "an older one, read and added to as before" };
                Self { state: state.into(), newest }
            }
            Err(error) => {
                let known = match &error {
                    RecipeError::Older { name, .. } | RecipeError::Newer { name, .. } => newest(name),
                    _ => None,
                };
                Self { state: format!("which documents cannot be added by: {error}"), newest: known }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_stands_where_it_does() {
        let newest = Recipe::default().label();
        let standing = Standing::of(&newest);
        assert_eq!((standing.state.as_str(), standing.newest), ("the newest of its name", Some(newest.clone())));
        let older = Standing::of("main/2");
        assert!(older.state.starts_with("an older one"), "{}", older.state);
        assert!(older.newest.is_some_and(|label| label.starts_with("main/") && label != "main/2"));
        let unknown = Standing::of("nobody/1");
        assert!(unknown.newest.is_none() && unknown.state.contains("nobody"), "{}", unknown.state);
        assert!(Standing::of("web/99").state.contains("newer"));
    }
}
