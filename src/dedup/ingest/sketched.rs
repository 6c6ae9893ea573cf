//! The documents of an archive, without a database.

use nddb_archive::{ArchiveError, Entry, Limits, Located, Options};
use nddb_index::spill::parallel;
use nddb_index::{Document, Error};
use nddb_page::sketch::Recipe;

use super::LoadError;
use super::budget::{self, Allowed, Budget, Share};
use super::documents::{Maker, Prepared};
use super::pieces::{BODIES_MAX, size};
use super::report::Skipped;

/// Greatest number of entries of a piece of work.
const ENTRIES_MAX: usize = 64;
/// The memory limit, which has the same effect as that of a load.
const MEMORY: u64 = 1 << 30;

/// An entry of an archive: its document, or why it was skipped.
#[derive(Debug)]
pub enum Sketched<'a> {
    /// A document with its sketches.
    Document(Box<Document>),
    /// An entry that was skipped.
    Skipped(Skipped<'a>),
}

/// Reads an archive and passes its documents on in order, as a load with this recipe would store them; the flag beside
/// it tells whether the words of pages are kept. Pages are sketched on `threads` threads. `archive` is the archive
/// number in the positions of documents. Between entries, `stop` may end the reading; returns whether the whole archive
/// was read.
///
/// # Errors
/// [`LoadError::Archive`] if the archive cannot be opened or read to its end, or has raw fingerprints, whose ids depend
/// on earlier loads; errors of `each`.
pub fn sketch_archive(
    located: &Located,
    archive: u32,
    (recipe, keeps_words): (Recipe, bool),
    options: &Options,
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
    each: &mut dyn FnMut(Sketched<'_>) -> nddb_index::Result<()>,
) -> Result<bool, LoadError> {
    let maker = Maker::of(recipe, keeps_words);
    let allowed = Allowed::by(MEMORY, &Limits::default());
    let path = &*located.path;
    let mut input = located.open(&allowed.limit(options.clone().beside(threads)))?;
    if input.format().is_raw() {
        return Err(ArchiveError::UnsupportedContainer { path: path.to_owned(), container: "raw fingerprints" }.into());
    }
    let mut ended = false;
    let budget = Budget::new(allowed.in_flight);
    let next = || {
        budget.wait();
        if ended || stop() {
            return None;
        }
        let (mut piece, mut bodies) = (Vec::with_capacity(ENTRIES_MAX), 0);
        while piece.len() < ENTRIES_MAX && bodies < BODIES_MAX && !ended {
            match input.next() {
                Ok(Some(entry)) => {
                    let entry = allowed.cut(entry);
                    bodies += size(&entry);
                    piece.push(Ok(entry));
                }
                Ok(None) => ended = true,
                Err(error) => {
                    ended = true;
                    piece.push(Err(error));
                }
            }
        }
        let share = budget.take(budget::needed(piece.iter().flatten().map(size)));
        Some((piece, share))
    };
    // The share ends when the pages are dropped.
    let work = |(piece, share): (Vec<Result<Entry, ArchiveError>>, Share<'_>)| -> Vec<Result<Prepared, ArchiveError>> {
        let made = |entry: Result<Entry, _>| entry.map(|entry| maker.make(entry, Some(archive)));
        share.spend(|| piece.into_iter().map(made).collect())
    };
    let outcome = parallel::in_order(threads, next, work, |piece| -> Result<(), LoadError> {
        for prepared in piece {
            match prepared? {
                Prepared::Document(document, ..) | Prepared::Sketched(document, _) => {
                    each(Sketched::Document(document))?
                }
                Prepared::Bare(id, fingerprint) => {
                    each(Sketched::Document(Box::new(Document::bare(&id, fingerprint)?)))?;
                }
                Prepared::Refused(reason) => return Err(LoadError::Page { path: path.to_owned(), reason }),
                Prepared::OtherRecipe(sketches) => {
                    let (path, database) = (path.to_owned(), maker.label().to_owned());
                    return Err(LoadError::OtherRecipe { path, database, sketches });
                }
                Prepared::Skipped { position, reason, detail } => {
                    each(Sketched::Skipped(Skipped { path, position, reason, detail: &detail }))?;
                }
                Prepared::Other(_) => {}
            }
        }
        if stop() { Err(LoadError::Store(Error::Cancelled)) } else { Ok(()) }
    });
    match outcome {
        Err(LoadError::Store(Error::Cancelled)) if stop() => Ok(false),
        outcome => outcome.map(|()| true),
    }
}
