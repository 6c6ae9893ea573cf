//! Documents and labels of an evaluation.

use std::path::Path;

use nddb::detect::Resources;
use nddb::sketch::Recipe;
use nddb::{Config, archive};
use nddb_evaluate::eval::{Corpus, CorpusError, LabelFault, Labels};
use nddb_jobs::lists;

use super::args::Args;
use super::setting::K_MAX;
use super::trial::Set;
use crate::failure::{Code, Failure, Result, Told, chain};
use crate::messages::Meter;

/// Loads the documents into a temporary database, whose folder is named after the recipe.
pub(super) fn load(args: &Args, recipe: Recipe, labels: &Labels, resources: &Resources, meter: &Meter) -> Result<Set> {
    let config = Config::within(K_MAX)?.recipe(&recipe.label()).keep_words(true);
    let database = resources.folder.join(format!("{}-{}.nddb", recipe.name(), recipe.version()));
    let options = archive::Options { id_from: args.id, ..archive::Options::default() };
    let corpus = Corpus::load((&args.docs, &options), &database, &config, &recipe, resources, &mut *meter.watch(true))
        .map_err(told)?;
    let gold = corpus.gold(labels)?;
    Ok(Set { recipe, corpus, gold })
}

/// An error of loading documents, in words.
pub fn told(error: CorpusError) -> Failure {
    match error {
        CorpusError::Archive(error) => error.into(),
        CorpusError::Store(error) => error.into(),
    }
}

/// Reads labelled pairs of documents.
pub fn read_labels(path: &Path) -> Result<Labels> {
    Labels::read(lists::lines(path)?).map_err(|error| {
        let told = Told::new(Code::Failed, format!("{}: {}", path.display(), chain(&error)));
        told.hint(hint(&error.fault)).into()
    })
}

/// Returns the hint for a faulty line of a label file.
fn hint(fault: &LabelFault) -> &'static str {
    match fault {
        LabelFault::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            "convert it, for example with iconv -f WINDOWS-1252 -t UTF-8"
        }
        LabelFault::Io(_) => "look at the disk that the file is on",
        LabelFault::Empty | LabelFault::Column { .. } => {
            "the first line names the columns, between tabs: id1, id2, label, and perhaps kind"
        }
        LabelFault::Width { .. } => {
            "give every line a value, possibly empty, for each column of the first line, separated by tabs"
        }
        LabelFault::Unknown { .. } => "write 1 or correct, 0 or incorrect, and g, u or undecided",
        LabelFault::NoId => "name both documents, or leave the line out",
        LabelFault::Same { .. } => "a document is no pair with itself: leave the line out",
        LabelFault::Conflict { .. } => "leave one of the two lines out, or label both undecided",
        _ => "fix or remove the line",
    }
}

/// Refuses labels without any known pair: they belong to other documents.
pub(super) fn refuse_strangers(set: &Set, labels: &Labels, args: &Args) -> Result<()> {
    let (corpus, gold) = (&set.corpus, &set.gold);
    if !gold.pairs.is_empty() || labels.pairs.is_empty() {
        return Ok(());
    }
    let id = gold.unknown.first().cloned().unwrap_or_default();
    let message =
        format!("{}: no pair is of documents in {} (there is no {id:?})", args.pairs.display(), args.docs.display());
    let hint = match corpus.skipped().first() {
        Some(why) => format!("{}: {why}", args.docs.display()),
        None => "do both files belong together?".into(),
    };
    Err(Told::new(Code::Failed, message).hint(hint).into())
}
