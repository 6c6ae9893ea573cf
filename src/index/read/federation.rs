//! Several databases, queried like one database with all their documents.

use nddb_format::Fingerprint;
use nddb_format::parts::Parts;
use nddb_format::record::Settings;

use super::passages::{PassageLimits, PassageMatch, Passages};
use super::probe::Match;
use super::search::Search;
use super::view::{Neighbor, Stored, View};
use crate::within::Within;
use crate::{Error, Result};

/// States of several databases with the same settings and different documents: the parts of a collection. Every part is
/// queried, so answers are as complete as those of a single database with all documents. Documents of an earlier part
/// count as older.
#[derive(Clone, Debug)]
pub struct Federation<'a> {
    parts: Vec<View<'a>>,
}

/// A result, and the index of its part.
pub type Part<T> = (usize, T);

/// The answer of all parts to one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartedAnswer<T> {
    /// The query.
    pub fingerprint: Fingerprint,
    /// Number of live documents within the distance, also beyond the limit.
    pub count: u64,
    /// The matches.
    pub matches: Vec<Part<T>>,
}

impl<'a> Federation<'a> {
    /// Returns a federation of one part.
    pub fn of(view: View<'a>) -> Self {
        Self { parts: vec![view] }
    }

    /// Adds a part.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if its recipe, k or width of fingerprints is not that of the others.
    pub fn join(&mut self, view: View<'a>) -> Result<()> {
        let (first, other) = (self.settings(), view.settings());
        for (what, database, requested) in [
            ("recipe", other.recipe.clone(), first.recipe.clone()),
            ("fingerprint width", other.bits.to_string(), first.bits.to_string()),
            ("k", other.k.to_string(), first.k.to_string()),
        ] {
            if database != requested {
                return Err(Error::Mismatch { what, database, requested });
            }
        }
        self.parts.push(view);
        Ok(())
    }

    /// Returns the parts.
    pub fn parts(&self) -> &[View<'a>] {
        &self.parts
    }

    /// Returns the settings that the parts share.
    pub fn settings(&self) -> &'a Settings {
        self.parts[0].settings()
    }

    /// Finds the numbers of all live documents within the distance of each query, by (distance, part, number); a limit
    /// keeps the least.
    ///
    /// # Errors
    /// Errors of [`View::probe`].
    pub fn probe<'s>(
        &self,
        queries: &[Fingerprint],
        search: impl Into<Search<'s>>,
    ) -> Result<Vec<PartedAnswer<Match>>> {
        let mut search = search.into();
        let limit = search.limit;
        let parts = self.parts.iter().map(|part| {
            let found = part.probe(queries, search.again())?;
            Ok(found.into_iter().map(|found| (found.count, found.matches)).collect())
        });
        Ok(joined(queries, limit, parts.collect::<Result<_>>()?, |found: &Match| (found.distance, found.number)))
    }

    /// Finds all live documents within the distance of each query, with their ids, by (distance, id bytewise); a limit
    /// keeps the least by (distance, part, number).
    ///
    /// # Errors
    /// Errors of [`View::find`].
    pub fn find<'s>(
        &self,
        queries: &[Fingerprint],
        search: impl Into<Search<'s>>,
    ) -> Result<Vec<PartedAnswer<Neighbor>>> {
        let mut search = search.into();
        let limit = search.limit;
        let parts = self.parts.iter().map(|part| {
            let found = part.find(queries, search.again())?;
            Ok(found.into_iter().map(|found| (found.count, found.matches)).collect())
        });
        let parts = parts.collect::<Result<_>>()?;
        let mut answers = joined(queries, limit, parts, |found: &Neighbor| (found.distance, found.number));
        for answer in answers.iter_mut().filter(|_| self.parts.len() > 1) {
            answer.matches.sort_by(|(_, a), (_, b)| (a.distance, &a.id).cmp(&(b.distance, &b.id)));
        }
        Ok(answers)
    }

    /// Finds the `n` nearest live documents within the distance of a query, by (distance, id bytewise); of documents at
    /// one distance, the least by (part, number). The radius grows until it has as many documents.
    ///
    /// # Errors
    /// Errors of [`View::find`].
    pub fn nearest<'s>(
        &self,
        query: Fingerprint,
        n: usize,
        search: impl Into<Search<'s>>,
    ) -> Result<Vec<Part<Neighbor>>> {
        let (mut matches, mut search): (Vec<Part<Match>>, Search<'_>) = (Vec::new(), search.into());
        for (index, part) in self.parts.iter().enumerate() {
            matches.extend(part.nearest(query, n, search.again())?.into_iter().map(|found| (index, found)));
            matches.sort_unstable_by_key(|&(part, found)| (found.distance, part, found.number));
            matches.truncate(n);
            // Later parts have to look no further than the n found so far.
            if let Some((_, last)) = matches.last().filter(|_| matches.len() == n) {
                search.within = Within(last.distance as u8);
            }
        }
        let mut found = Vec::with_capacity(matches.len());
        for (index, part) in self.parts.iter().enumerate() {
            let own = matches.iter().filter(|(part, _)| *part == index).map(|&(_, found)| found).collect();
            found.extend(part.neighbors(query, own)?.into_iter().map(|neighbor| (index, neighbor)));
        }
        found.sort_by(|(_, a), (_, b)| (a.distance, &a.id).cmp(&(b.distance, &b.id)));
        Ok(found)
    }

    /// Finds the documents that have passages in common with a text, as [`View::parts`] does in each part, where a key
    /// is frequent by the texts of that part alone. `own` is a document that is left out.
    ///
    /// # Errors
    /// Errors of [`View::parts`].
    pub fn passages(
        &self,
        text: &Parts,
        own: Option<Part<u64>>,
        limits: &PassageLimits,
    ) -> Result<Passages<Part<PassageMatch>>> {
        Passages::in_each(self.parts.iter().copied(), text, own, limits)
    }

    /// Predicts the time of one query in nanoseconds, with all files in memory.
    pub fn predicted_ns(&self, within: Within) -> f64 {
        self.parts.iter().map(|part| part.snapshot.predicted_ns(within)).sum()
    }

    /// Returns the live document with this id, from the first part that has one.
    ///
    /// # Errors
    /// Errors of [`View::get`].
    pub fn get(&self, id: &str) -> Result<Option<Part<Stored>>> {
        for (index, part) in self.parts.iter().enumerate() {
            if let Some(stored) = part.get(id)? {
                return Ok(Some((index, stored)));
            }
        }
        Ok(None)
    }

    /// Returns whether a part has a live document with this id.
    ///
    /// # Errors
    /// Errors of [`View::get`].
    pub fn contains(&self, id: &str) -> Result<bool> {
        for part in &self.parts {
            if part.contains(id)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Joins the answers of parts, each with the count and the matches of every query. If there is only one part, its order
/// is kept.
fn joined<T>(
    queries: &[Fingerprint],
    limit: usize,
    parts: Vec<Vec<(u64, Vec<T>)>>,
    age: impl Fn(&T) -> (u32, u64),
) -> Vec<PartedAnswer<T>> {
    let several = parts.len() > 1;
    let mut answers: Vec<PartedAnswer<T>> =
        queries.iter().map(|&fingerprint| PartedAnswer { fingerprint, count: 0, matches: Vec::new() }).collect();
    for (index, part) in parts.into_iter().enumerate() {
        for (answer, (count, matches)) in answers.iter_mut().zip(part) {
            answer.count += count;
            answer.matches.extend(matches.into_iter().map(|found| (index, found)));
        }
    }
    for answer in answers.iter_mut().filter(|_| several) {
        answer.matches.sort_by_key(|(part, found)| {
            let (distance, number) = age(found);
            (distance, *part, number)
        });
        answer.matches.truncate(limit);
    }
    answers
}
