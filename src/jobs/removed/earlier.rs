//! Documents that are near-duplicates of documents in other databases.

use nddb_dedup::{MemberVerdict, OnlineDetector, PartedNearDuplicates, decide_stored, in_order};
use nddb_index::{Document, Federation, Progress, Result, Stored, View};
use nddb_verdict::Level;

use super::Removed;
use super::origins::Origin;

/// Documents of one piece of work for a thread.
const PIECE: usize = 64;
/// Pieces that are held at a time.
const PIECES_HELD: usize = 16;

/// The databases that documents are compared with, and how.
#[derive(Debug)]
pub struct Earlier<'a> {
    /// The databases.
    pub stored: &'a Federation<'a>,
    /// How documents are judged.
    pub online: OnlineDetector,
    /// Number of threads.
    pub threads: usize,
}

impl Earlier<'_> {
    /// Passes on each document of a view that is near to one of the databases, with all near-duplicates there, in the
    /// order of document numbers.
    ///
    /// # Errors
    /// Errors of [`OnlineDetector::ask_parts`]; any error of `emit`; [`nddb_index::Error::Cancelled`] if `watch`
    /// returns `false`.
    pub fn each(
        &self,
        view: View<'_>,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(&Stored, &PartedNearDuplicates) -> Result<()>,
    ) -> Result<()> {
        let total = Some(view.stats()?.documents);
        let mut done = 0;
        let mut held = Vec::with_capacity(PIECES_HELD * PIECE);
        let mut pass = |held: &mut Vec<Stored>| -> Result<()> {
            done += held.len() as u64;
            self.ask(held, emit)?;
            held.clear();
            let progress = Progress { phase: "compare with other databases", done, total, unit: "documents" };
            if watch(&progress) { Ok(()) } else { Err(nddb_index::Error::Cancelled) }
        };
        view.each(&mut |stored| {
            held.push(stored);
            if held.len() == PIECES_HELD * PIECE {
                pass(&mut held)?;
            }
            Ok(true)
        })?;
        pass(&mut held)
    }

    /// Asks for what is near to these documents on all threads.
    fn ask(&self, held: &[Stored], emit: &mut dyn FnMut(&Stored, &PartedNearDuplicates) -> Result<()>) -> Result<()> {
        let mut pieces = held.chunks(PIECE);
        let near = |stored: &Stored| {
            let document = Document::from(stored.clone()).without_source();
            match self.online.ask_parts(self.stored, &document, None) {
                // Nothing is known of it that could be compared.
                Err(nddb_index::Error::Method { .. }) => Ok(PartedNearDuplicates::default()),
                answer => answer,
            }
        };
        in_order(
            self.threads,
            || pieces.next(),
            |piece| piece.iter().map(|stored| Ok((stored, near(stored)?))).collect::<Vec<Result<_>>>(),
            |answers| {
                for answer in answers {
                    let (stored, found) = answer?;
                    if !found.matches.is_empty() {
                        emit(stored, &found)?;
                    }
                }
                Ok(())
            },
        )
    }

    /// Passes on each document of a view that may be removed because of one of the databases, with the nearest such
    /// one. As in a cluster, a document stays of which more may be lost than the level allows.
    pub(super) fn removed(
        &self,
        level: Level,
        view: View<'_>,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(&Removed<'_>) -> Result<()>,
    ) -> Result<()> {
        self.each(view, watch, &mut |stored, found| {
            for (part, alike) in &found.matches {
                let Some(kept) = self.stored.parts()[*part].get(&alike.id)? else { continue };
                let decided = decide_stored(level, &stored.record, &kept.record, alike.identical);
                if decided.verdict == MemberVerdict::Removed {
                    let removed = Removed::of_earlier(&stored.record.id, *part, alike, decided);
                    return emit(&removed.at(Origin::of(&stored.record)));
                }
            }
            Ok(())
        })
    }
}
