//! The view of one state of the database: queries of readers and of the writer.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;

use nddb_format::Fingerprint;
use nddb_format::record::{Archive, NUMBER_MARK, Print, Record, Settings, other_kind};
use nddb_format::summaries::Summary;

use super::probe::{Match, Matches, Work};
use super::search::Search;
use super::snapshot::Snapshot;
use crate::catalog::Catalog;
use crate::disk::dir::Dir;
use crate::spill::progress::Progress;
use crate::spill::resources::Resources;
use crate::within::Within;
use crate::{Error, Result};

/// Number of documents by which prefetching the place of a summary runs ahead of reading it.
const AHEAD: usize = 8;
/// Number of documents that are looked up between two checks whether to stop.
const ASKED: usize = 128;
/// Number of documents that an iterator reads at a time.
const TOGETHER: usize = 256;

/// A stored document within the distance of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbor {
    /// The user's id.
    pub id: String,
    /// Document number.
    pub number: u64,
    /// Fingerprint of the document.
    pub fingerprint: Fingerprint,
    /// Hamming distance to the query.
    pub distance: u32,
    /// Address of the document.
    pub url: Option<String>,
    /// Site of the document.
    pub site: Option<String>,
}

/// The answer to one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The query.
    pub fingerprint: Fingerprint,
    /// Number of live documents within the distance, also beyond the limit.
    pub count: u64,
    /// The matches by (distance, id bytewise).
    pub matches: Vec<Neighbor>,
}

/// A stored document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Document number.
    pub number: u64,
    /// Fingerprint of the document.
    pub fingerprint: Fingerprint,
    /// Whether the document has fewer than two tokens; such a document is never matched by fingerprint.
    pub unprinted: bool,
    /// Everything but the fingerprint.
    pub record: Record,
}

/// One state of the database, which does not change while the view exists.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(crate) dir: &'a Dir,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) catalog: &'a Catalog,
    pub(crate) settings: &'a Settings,
}

impl<'a> View<'a> {
    /// Returns the parameters fixed when the database was created.
    pub fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// Returns the path of the catalog, for errors about it.
    pub fn catalog_path(&self) -> PathBuf {
        self.dir.catalog()
    }

    /// Returns the generation of the manifest of this state.
    pub fn generation(&self) -> u64 {
        self.snapshot.manifest.generation
    }

    /// Returns the document number below which answers include all documents.
    pub fn complete_to(&self) -> u64 {
        self.snapshot.seen
    }

    /// Finds the numbers of all live documents within the distance of each query. Queries of one call are in flight
    /// together.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the distance exceeds [`Within::MAX`] or a query the database's width; damage;
    /// [`Error::Cancelled`] if it was stopped.
    pub fn probe<'s>(&self, queries: &[Fingerprint], search: impl Into<Search<'s>>) -> Result<Vec<Matches>> {
        self.snapshot.probe_many(queries, search.into())
    }

    /// Finds all live documents within the distance of each query, with their ids. The documents of all queries of one
    /// call are looked up together, so many queries per call are cheaper.
    ///
    /// ```
    /// use nddb_index::{Config, Fingerprint, Search, Within, Writer};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let writer = Writer::create(folder.path().join("db"), &Config::within(3)?)?;
    /// let view = writer.view(); // or that of a reader
    /// assert!(view.find(&[Fingerprint(7)], Within(3))?[0].matches.is_empty());
    /// assert!(view.find(&[Fingerprint(7)], Search::within(Within(8)).limit(10))?[0].matches.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of [`View::probe`].
    pub fn find<'s>(&self, queries: &[Fingerprint], search: impl Into<Search<'s>>) -> Result<Vec<Answer>> {
        let mut search = search.into();
        let probed = self.snapshot.probe_many(queries, search.again())?;
        let answer = |(&fingerprint, matches): (&Fingerprint, &Matches)| Answer {
            fingerprint,
            count: matches.count,
            matches: Vec::with_capacity(matches.matches.len()),
        };
        let mut answers: Vec<Answer> = queries.iter().zip(&probed).map(answer).collect();
        self.resolve(&probed, &mut answers, &search)?;
        for answer in &mut answers {
            answer.matches.sort_unstable_by(|a, b| (a.distance, &a.id).cmp(&(b.distance, &b.id)));
        }
        Ok(answers)
    }

    /// Finds the numbers of the `n` nearest live documents within the distance of a query: the least by (distance,
    /// number). The radius grows until it has as many documents.
    ///
    /// # Errors
    /// Errors of [`View::probe`].
    pub fn nearest<'s>(&self, query: Fingerprint, n: usize, search: impl Into<Search<'s>>) -> Result<Vec<Match>> {
        self.snapshot.nearest(query, n, search.into())
    }

    /// Returns the work of all probes so far by the reader or writer of this state, on all of its states: of queries,
    /// and of look-ups of keys for verdicts, which count as no queries.
    pub fn work(&self) -> Work {
        self.snapshot.counters.sum()
    }

    /// Finds all pairs of distinct stored fingerprints within `within` bits of each other, ascending, each once and
    /// with the lesser first. A fingerprint whose documents are all deleted is still stored until a compaction drops it. All
    /// pairs are found before this returns, which `watch` can stop.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the distance exceeds the database's; damage; [`Error::Cancelled`].
    pub fn close_pairs(
        &self,
        within: Within,
        resources: &Resources,
        watch: Option<&mut (dyn FnMut(&Progress) -> bool + Send)>,
    ) -> Result<impl Iterator<Item = Result<(Fingerprint, Fingerprint)>> + use<>> {
        self.snapshot.close_pairs(within, resources, watch)
    }

    /// Returns matches of a query with their ids, by (distance, id bytewise).
    pub(super) fn neighbors(&self, query: Fingerprint, matches: Vec<Match>) -> Result<Vec<Neighbor>> {
        let mut answer = [Answer { fingerprint: query, count: 0, matches: Vec::with_capacity(matches.len()) }];
        self.resolve(&[Matches { count: 0, matches }], &mut answer, &Search::within(Within::MAX))?;
        let [Answer { mut matches, .. }] = answer;
        matches.sort_unstable_by(|a, b| (a.distance, &a.id).cmp(&(b.distance, &b.id)));
        Ok(matches)
    }

    /// Adds the documents of all matches to the answers of their queries, in the order of the document numbers.
    fn resolve(&self, probed: &[Matches], answers: &mut [Answer], search: &Search<'_>) -> Result<()> {
        let mut by_number: Vec<(usize, Match)> = Vec::new();
        for (query, matches) in probed.iter().enumerate() {
            by_number.extend(matches.matches.iter().map(|&found| (query, found)));
        }
        by_number.sort_unstable_by_key(|(_, found)| found.number);
        let mut numbers: Vec<u64> = by_number.iter().map(|(_, found)| found.number).collect();
        numbers.dedup();
        let rest = self.resolve_by_summaries(&numbers, &by_number, answers, search)?;
        let path = self.dir.catalog();
        let mut resolved = 0;
        let mut hits = by_number.iter().peekable();
        self.catalog.records(&rest, &mut |index, value| {
            if index % ASKED == 0 {
                search.go_on()?;
            }
            let head = Record::head_of(value).map_err(Error::format(&path))?;
            while hits.next_if(|(_, hit)| hit.number < rest[index]).is_some() {}
            while let Some((query, hit)) = hits.next_if(|(_, hit)| hit.number == rest[index]) {
                answers[*query].matches.push(neighbor(hit, (head.id, head.url, head.site)));
            }
            resolved += 1;
            Ok(())
        })?;
        if resolved != rest.len() {
            let what = format!("the catalog lacks {} documents that a run holds", rest.len() - resolved);
            return Err(Error::Inconsistent { path: self.dir.catalog(), what });
        }
        Ok(())
    }

    /// Adds the documents that have summaries. Returns the other numbers.
    fn resolve_by_summaries(
        &self,
        numbers: &[u64],
        by_number: &[(usize, Match)],
        answers: &mut [Answer],
        search: &Search<'_>,
    ) -> Result<Vec<u64>> {
        let (mut rest, mut hits) = (Vec::new(), by_number.iter().peekable());
        for (index, &number) in numbers.iter().enumerate() {
            if index % ASKED == 0 {
                search.go_on()?;
            }
            if let Some(&ahead) = numbers.get(index + AHEAD) {
                self.snapshot.summaries(ahead).iter().for_each(|file| file.prefetch_presence(ahead));
            }
            let Some(summary) = self.summary(number)? else {
                rest.push(number);
                continue;
            };
            while hits.next_if(|(_, hit)| hit.number < number).is_some() {}
            while let Some((query, hit)) = hits.next_if(|(_, hit)| hit.number == number) {
                answers[*query].matches.push(neighbor(hit, (summary.id, summary.url, summary.site)));
            }
        }
        Ok(rest)
    }

    /// Returns the summary of a number, if it has one.
    pub(crate) fn summary(&self, number: u64) -> Result<Option<Summary<'a>>> {
        if let Some(file) = self.snapshot.summaries(number) {
            return file.find(number)?.map(|range| file.summary(range)).transpose();
        }
        let summary = self.snapshot.memtable.summary(number).map(Summary::decode).transpose();
        summary.map_err(Error::format(&self.dir.catalog()))
    }

    /// Returns the live document with this id.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn get(&self, id: &str) -> Result<Option<Stored>> {
        match self.catalog.ids().find(id, |number| self.snapshot.is_live(number))? {
            Some(number) => self.stored(number),
            None => Ok(None),
        }
    }

    /// Returns whether there is a live document with this id.
    ///
    /// # Errors
    /// Errors of [`View::get`].
    pub fn contains(&self, id: &str) -> Result<bool> {
        Ok(self.catalog.ids().find(id, |number| self.snapshot.is_live(number))?.is_some())
    }

    /// Returns whether a live document has an id of the other kind that looks like this one, as the text `17` and the
    /// number 17 do.
    ///
    /// # Errors
    /// Errors of [`View::get`].
    pub fn has_namesake(&self, id: &str) -> Result<bool> {
        other_kind(id).map_or(Ok(false), |other| self.contains(&other))
    }

    /// Returns whether any two documents may be namesakes; if not, callers need not check each document. This is fast.
    ///
    /// # Errors
    /// Errors of [`View::get`].
    pub fn may_have_namesakes(&self) -> Result<bool> {
        let (numbers, digits) = (NUMBER_MARK as u8, b'-'..b'9' + 1);
        Ok(self.catalog.has_id_beginning(numbers..numbers + 1)? && self.catalog.has_id_beginning(digits)?)
    }

    /// Visits all live documents in the order of their numbers, until `visit` returns `false`.
    ///
    /// # Errors
    /// Damage of the catalog; any error of `visit`.
    pub fn each(&self, visit: &mut dyn FnMut(Stored) -> Result<bool>) -> Result<()> {
        self.each_from(0, visit)
    }

    /// Like [`View::each`], from a document number on: a caller that stopped after [`Stored::number`] n can continue at
    /// the next number, in the same process or another, and misses no document that is live in both states.
    ///
    /// # Errors
    /// Errors of [`View::each`].
    pub fn each_from(&self, first: u64, visit: &mut dyn FnMut(Stored) -> Result<bool>) -> Result<()> {
        let mut stopped = false;
        let outcome = self.each_record_from(first, false, &mut |number, print, record, _| {
            let (fingerprint, unprinted) = (Fingerprint(print.fingerprint), print.unprinted);
            if visit(Stored { number, fingerprint, unprinted, record })? {
                return Ok(());
            }
            stopped = true;
            Err(Error::Cancelled)
        });
        if stopped { Ok(()) } else { outcome }
    }

    /// Returns all live documents in the order of their numbers, as [`View::each`] visits them. After an error nothing
    /// follows.
    ///
    /// ```
    /// use nddb_index::{Config, Document, Fingerprint, Writer};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let mut writer = Writer::create(folder.path().join("db"), &Config::within(3)?)?;
    /// writer.insert(Document::bare("a", Fingerprint(7))?)?;
    /// writer.insert(Document::bare("b", Fingerprint(9))?)?;
    /// writer.commit()?;
    /// let ids = writer.view().documents().map(|stored| Ok(stored?.record.id));
    /// assert_eq!(ids.collect::<Result<Vec<_>, nddb_index::Error>>()?, ["a", "b"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn documents(&self) -> impl Iterator<Item = Result<Stored>> + use<'a> {
        let (view, mut next, mut read) = (*self, Some(0), VecDeque::new());
        std::iter::from_fn(move || {
            if read.is_empty()
                && let Some(first) = next.take()
            {
                let outcome = view.each_from(first, &mut |stored| {
                    let number = stored.number;
                    read.push_back(Ok(stored));
                    next = (read.len() == TOGETHER).then_some(number + 1);
                    Ok(next.is_none())
                });
                if let Err(error) = outcome {
                    read.push_back(Err(error));
                }
            }
            read.pop_front()
        })
    }

    /// Returns an archive that documents were loaded from, by the number in their source positions.
    ///
    /// # Errors
    /// Damage of the catalog.
    pub fn archive(&self, number: u32) -> Result<Option<Archive>> {
        self.catalog.archive(number)
    }

    /// Returns the numbers of each bulk load, ascending.
    pub fn loads(&self) -> Result<Vec<Range<u64>>> {
        self.catalog.loads()
    }

    /// Returns the document with this number, live or not.
    pub(crate) fn stored(&self, number: u64) -> Result<Option<Stored>> {
        let (print, record) = (self.catalog.print(number)?, self.catalog.record(number)?);
        Ok(print.zip(record).map(|(print, record)| Stored::of(number, print, record)))
    }
}

/// Returns a match with the details of its document.
fn neighbor(hit: &Match, (id, url, site): (&str, Option<&str>, Option<&str>)) -> Neighbor {
    let &Match { number, fingerprint, distance, .. } = hit;
    let (id, url, site) = (id.to_owned(), url.map(str::to_owned), site.map(str::to_owned));
    Neighbor { id, number, fingerprint, distance, url, site }
}

impl Stored {
    /// Joins the stored parts of a document.
    pub(crate) fn of(number: u64, print: Print, record: Record) -> Self {
        Self { number, fingerprint: Fingerprint(print.fingerprint), unprinted: print.unprinted, record }
    }
}
