//! Documents and labels of an evaluation.

use std::io::BufReader;
use std::path::Path;

use nddb::Config;
use nddb::detect::Room;
use nddb::detect::eval::{Corpus, CorpusError, Labels};
use nddb::sketch::Recipe;

use super::{Args, Set};
use crate::failure::{Code, Failure, Result, Told, chain};
use crate::inputs;
use crate::messages::Meter;

/// Greatest distance that the database of the documents answers: simhash can be run up to it.
const K_MAX: u8 = 7;

/// Loads the documents into a database of their own, named by the recipe.
pub(super) fn load(args: &Args, recipe: Recipe, labels: &Labels, room: &Room, meter: &Meter) -> Result<Set> {
    let config = Config::within(K_MAX)?.recipe(&recipe.label());
    let database = room.folder.join(format!("{}-{}.nddb", recipe.name(), recipe.version()));
    let corpus = Corpus::load(&args.docs, &database, &config, &recipe, room, &mut *meter.watch(true)).map_err(told)?;
    let gold = corpus.gold(labels)?;
    Ok(Set { recipe, corpus, gold })
}

fn told(error: CorpusError) -> Failure {
    match error {
        CorpusError::Archive(error) => error.into(),
        CorpusError::Store(error) => error.into(),
    }
}

pub(super) fn read_labels(path: &Path) -> Result<Labels> {
    Labels::read(BufReader::new(inputs::open(path)?)).map_err(|error| {
        let hint = "the first line names the columns, between tabs: id1, id2, label, and perhaps kind";
        Told::new(Code::Failed, format!("{}: {}", path.display(), chain(&error))).hint(hint).into()
    })
}

/// Labels of which no pair is known are labels of something else.
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
