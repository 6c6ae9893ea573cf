//! The parameters of a search by distance: distance, limit, counters of work, stop.

use super::counters::Work;
use crate::within::Within;
use crate::{Error, Result};

/// The parameters of a search: the distance, and optionally a limit of matches, counters of work and a condition that
/// stops it. A [`Within`] alone is a search with the distance only.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use nddb_index::{Config, Error, Fingerprint, Search, StaticIndex, Within, Work};
///
/// # let folder = tempfile::tempdir()?;
/// let index = StaticIndex::builder(folder.path().join("images"), &Config::within(3)?)?.finish()?;
/// let queries = [Fingerprint(7), Fingerprint(8)];
/// assert_eq!(index.probe(&queries, Within(3))?[0].count, 0);
///
/// let deadline = Instant::now() + Duration::from_millis(50);
/// let (late, mut work) = (|| Instant::now() >= deadline, Work::default());
/// let search = Search::within(Within(3)).limit(10).count(&mut work).until(&late);
/// match index.probe(&queries, search) {
///     Err(Error::Cancelled) => eprintln!("too late"),
///     answers => println!("{} matches, {} blocks decoded", answers?[0].count, work.blocks),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Search<'s> {
    pub(crate) within: Within,
    pub(crate) limit: usize,
    work: Option<&'s mut Work>,
    stop: Option<&'s dyn Fn() -> bool>,
}

impl<'s> Search<'s> {
    /// Finds everything up to this distance.
    pub fn within(within: Within) -> Self {
        Self { within, limit: usize::MAX, work: None, stop: None }
    }

    /// Keeps only so many matches of each query, the least by (distance, number); all are counted. `None` keeps all.
    pub fn limit(self, limit: impl Into<Option<usize>>) -> Self {
        Self { limit: limit.into().unwrap_or(usize::MAX), ..self }
    }

    /// Adds the work of the search to `work`.
    pub fn count(self, work: &'s mut Work) -> Self {
        Self { work: Some(work), ..self }
    }

    /// Ends the search when `stop` returns `true`: for queries with a deadline, or from a client that has disconnected.
    /// It is called before every few queries and every few document look-ups, so it should cost no more than reading a
    /// flag or a clock.
    pub fn until(self, stop: &'s dyn Fn() -> bool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Returns the same search, for another part of what is searched.
    pub(crate) fn again(&mut self) -> Search<'_> {
        Search { within: self.within, limit: self.limit, work: self.work.as_deref_mut(), stop: self.stop }
    }

    /// Adds the work of a part of the search.
    pub(crate) fn add(&mut self, work: Work) {
        if let Some(sum) = &mut self.work {
            **sum += work;
        }
    }

    /// Returns an error if the search is to end.
    pub(crate) fn go_on(&self) -> Result<()> {
        if self.stop.is_some_and(|stop| stop()) { Err(Error::Cancelled) } else { Ok(()) }
    }
}

impl From<Within> for Search<'_> {
    fn from(within: Within) -> Self {
        Self::within(within)
    }
}
