//! All pairs of a database by a method (`nddb pairs`).

pub(crate) mod collector;
mod groups;
mod iter;
pub(crate) mod judge;
pub(crate) mod text_cache;
mod verified_classes;

use collector::{CLASSES, CandidateCollector, Collected, Spread};
use fixedbitset::FixedBitSet;
pub use iter::NearPairs;
use judge::{Judge, Judged};
use nddb_index::spill::parallel::each_in_order;
use nddb_index::spill::progress::{Progress, Ticker};
use nddb_index::spill::sort::Sorted;
use nddb_index::{Result, View};
use nddb_verdict::Method;
use text_cache::TextCache;
use verified_classes::VerifiedClasses;

use super::candidates::context::Context;
use super::collection::Collection;
use super::collection::classes::Classes;
use crate::options::PairOptions;
use crate::pair::{Cut, Line, Pair, PairSummary};
use crate::pair_loss::PairLoss;
use crate::requirements;
use crate::words::{DocumentWords, WordsFrom};

/// Least group limit for candidate keys: if at most this many documents share a key, all of them are compared.
const KEY_LIMIT: usize = 4096;

/// Candidate pairs that a thread decides at a time.
const STRETCH: usize = if cfg!(test) { 8 } else { 1 << 9 };
/// Documents are prefetched this many pairs before their pair is decided.
const AHEAD: usize = 16;

/// Finds all near-duplicates among the documents of a collection built from this view, and passes them to `emit`:
/// first the groups, then the pairs, each in bytewise order of ids.
///
/// Without `expand`, only representatives are paired: one document of each identity set, and one of each hot group of
/// these. The decision about a pair holds for all members of its groups. (The method `split` uses the sites of the two
/// representatives.) With `expand` there are no groups: all pairs of all documents are decided, each by its own
/// evidence.
///
/// # Errors
/// [`nddb_index::Error::Method`] if the database lacks the sketches or texts that the method needs,
/// [`nddb_index::Error::OutOfRange`] for a threshold beyond the reach of the stored sketches; damage; errors of the
/// disk; [`nddb_index::Error::Cancelled`]; errors of `emit`.
pub fn pairs(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    emit: &mut dyn FnMut(Line) -> Result<()>,
) -> Result<PairSummary> {
    let (found, words) = with_words(view, collection, options, watch)?;
    let mut summary = found.summary(collection, options);
    found.groups(collection, options, &mut summary, emit)?;
    let push = |pairs: &mut Vec<Pair>, pair: Pair| pairs.push(pair);
    let ticker = Ticker::new(watch);
    found.decide_all(
        &found.sorted,
        collection,
        options,
        words.as_ref(),
        &ticker,
        &mut summary,
        &push,
        &mut |pairs| pairs.into_iter().try_for_each(|pair| emit(Line::Pair(pair))),
    )?;
    Ok(summary)
}

/// Like [`pairs`], with lines that `write` adds to outputs on several threads; `emit` receives these outputs in the
/// order of their lines.
///
/// # Errors
/// Errors of [`pairs`].
pub fn pairs_written<O: Default + Send>(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    write: &(dyn Fn(&mut O, Line) + Sync),
    emit: &mut dyn FnMut(O) -> Result<()>,
) -> Result<PairSummary> {
    let (found, words) = with_words(view, collection, options, watch)?;
    let mut summary = found.summary(collection, options);
    found.groups(collection, options, &mut summary, &mut |line| {
        let mut out = O::default();
        write(&mut out, line);
        emit(out)
    })?;
    let write = |out: &mut O, pair: Pair| write(out, Line::Pair(pair));
    found.decide_all(
        &found.sorted,
        collection,
        options,
        words.as_ref(),
        &Ticker::new(watch),
        &mut summary,
        &write,
        emit,
    )?;
    Ok(summary)
}

/// Returns the candidate pairs, and the words of the documents in near pairs if they are wanted.
fn with_words(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<(PairJob, Option<DocumentWords>)> {
    let found = PairJob::new(view, collection, options, Reach::ALL, watch)?;
    let Some(from) = options.words else { return Ok((found, None)) };
    let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
    if from != WordsFrom::Estimate {
        found.each(collection, options, watch, &mut |pair| {
            DocumentWords::want(collection, &[pair.a, pair.b], &mut wanted);
            Ok(())
        })?;
    }
    let ticker = Ticker::new(watch);
    let words = DocumentWords::read(view, collection, from, &wanted, &options.resources, &ticker)?;
    Ok((found, Some(words)))
}

/// Candidate pairs in output order.
pub struct PairJob {
    /// Classes of documents that the method cannot distinguish.
    pub classes: Classes,
    sorted: Sorted<1>,
    /// Homes with too many pairs to be listed.
    pub unlisted: Sorted<2>,
    /// Candidate keys of which not all documents were compared.
    pub cuts: Vec<Cut>,
    unsketched: u64,
    /// Number of pairs that a source compared and rejected.
    apart: u64,
    /// Number of pairs within classes that were rejected by their texts.
    rejected: u64,
    /// Documents that could not be compared with the founder of their class.
    unverified: Option<FixedBitSet>,
    /// Texts read for the method and for verification.
    pub text_cache: TextCache,
}

/// A pass over all pairs of leaders.
pub(crate) type Pass<'a> = dyn FnMut(&mut dyn FnMut(Pair) -> Result<()>) -> Result<()> + 'a;

/// The selection of candidate pairs.
#[derive(Clone, Copy)]
pub struct Reach {
    /// Whether the candidate pairs are stable: adding documents never removes a pair.
    stable: bool,
    /// With `expand`, the greatest number of pairs between two classes, or within one, that are listed one by one.
    listed: u64,
}

impl Reach {
    /// All candidate pairs.
    pub const ALL: Self = Self { stable: false, listed: u64::MAX };
    /// All candidate pairs; adding documents never removes one.
    pub(super) const STABLE: Self = Self { stable: true, ..Self::ALL };

    /// Returns the selection that lists the pairs between two classes, or within one, only if there are at most
    /// `listed`.
    pub fn few(listed: u64) -> Self {
        Self { listed, ..Self::ALL }
    }
}

/// Returns the number of documents that lack a sketch that the method needs; an error if all documents lack it.
fn unsketched(view: View<'_>, collection: &Collection, options: &PairOptions) -> Result<u64> {
    requirements::check_documents(view, collection.held(), &options.decider(), options.verifies())
}

impl PairJob {
    /// Returns the candidate pairs of a method.
    pub fn new(
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        reach: Reach,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let unsketched = unsketched(view, collection, options)?;
        let ticker = Ticker::new(&mut *watch);
        let mut text_cache = TextCache::new(view, collection, options, &ticker)?;
        ticker.start("classes", None, "")?;
        let text = |ordinal| text_cache.sketch(ordinal);
        let classes = Classes::of(collection, options, &text)?;
        let parts_classes = options.verifies() && !options.expand;
        let hot = if parts_classes { verified_classes::wanted(collection, &classes) } else { None };
        let parts = match &hot {
            Some(wanted) => {
                text_cache.verify_hot(view, collection, options, wanted, &ticker)?;
                let judge = Judge::new(collection, options, &text_cache);
                Some(verified_classes::part(collection, &classes, judge, &ticker)?)
            }
            None => None,
        };
        let mut found = Self::gather(view, collection, options, text_cache, classes, parts, reach, watch)?;
        found.unsketched = unsketched;
        if options.verifies() {
            found.read(view, collection, options, hot, &Ticker::new(watch))?;
        }
        Ok(found)
    }

    /// Returns the candidate pairs between the classes of another method. With the classes of the method `identity`,
    /// they include pairs of equal sketches.
    pub fn between(
        class: &dyn Method,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let unsketched = unsketched(view, collection, options)?;
        let text_cache = TextCache::new(view, collection, options, &Ticker::new(&mut *watch))?;
        let classes = Classes::new(collection, class, &|_| None, &options.resources)?;
        let found = Self::gather(view, collection, options, text_cache, classes, None, Reach::ALL, watch)?;
        Ok(Self { unsketched, ..found })
    }

    /// Returns the candidate pairs, given the texts that were read and the classes of the method.
    #[expect(clippy::too_many_arguments, reason = "all that is known comes together here")]
    fn gather(
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        mut text_cache: TextCache,
        classes: Classes,
        parts: Option<VerifiedClasses>,
        reach: Reach,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let ticker = Ticker::new(watch);
        let resources = &options.resources;
        let spread = match &parts {
            _ if options.expand => Spread::All { members: classes.members(), listed: reach.listed },
            Some(parts) => Spread::Founders(classes.members_where(|ordinal| parts.classes.leader(ordinal) == ordinal)),
            None => Spread::Leaders,
        };
        let mut collector = CandidateCollector::new(collection, &classes, spread, resources);
        collector.within()?;
        let limit = match options.expand {
            true if reach.listed == u64::MAX => usize::MAX,
            true => options.group_limit.max(KEY_LIMIT),
            false => options.group_limit.max(1),
        };
        let stable = reach.stable;
        let context =
            Context { view, collection, classes: &classes, options, resources, stable, limit, ticker: &ticker };
        let mut cuts = Vec::new();
        for source in &mut text_cache.sources(options) {
            cuts.extend(source.candidates(&context, &mut |a, b, near| collector.take(a, b, near))?);
        }
        let Collected { pairs: sorted, unlisted, apart } = collector.finish();
        let mut found =
            Self { classes, sorted, unlisted, cuts, unsketched: 0, apart, rejected: 0, unverified: None, text_cache };
        if let Some(parts) = parts {
            found.cuts.extend(parts.cuts);
            found.cuts.sort_unstable();
            (found.classes, found.rejected, found.unverified) = (parts.classes, parts.rejected, Some(parts.unverified));
        }
        Ok(found)
    }

    /// Reads the texts of the pairs to be verified.
    fn read(
        &mut self,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        hot: Option<FixedBitSet>,
        ticker: &Ticker<'_>,
    ) -> Result<()> {
        let mut wanted = hot.unwrap_or_else(|| FixedBitSet::with_capacity(collection.len() as usize));
        self.decide(collection, &options.unverified(), ticker, &mut PairSummary::default(), &mut |pair| {
            if !pair.identical {
                wanted.insert(pair.a as usize);
                wanted.insert(pair.b as usize);
            }
            Ok(())
        })?;
        let members = self.classes.members();
        self.unlisted.each(&mut |rows| {
            for row in rows.iter().filter(|row| row[0] == CLASSES) {
                let leaders = [(row[1] >> 32) as u32, row[1] as u32];
                leaders
                    .iter()
                    .flat_map(|&leader| members.of(leader))
                    .for_each(|&member| wanted.insert(member as usize));
            }
            Ok(())
        })?;
        self.text_cache.verify(view, collection, options, &wanted, ticker)
    }

    /// Decides the candidate pairs and passes the groups, then the near-duplicates, to `emit`.
    pub fn emit(
        &self,
        collection: &Collection,
        options: &PairOptions,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(Line) -> Result<()>,
    ) -> Result<PairSummary> {
        let mut summary = self.summary(collection, options);
        self.groups(collection, options, &mut summary, emit)?;
        self.decide(collection, options, &Ticker::new(watch), &mut summary, &mut |pair| emit(Line::Pair(pair)))?;
        Ok(summary)
    }

    /// Passes the groups to `emit`; there are none with `expand`.
    fn groups(
        &self,
        collection: &Collection,
        options: &PairOptions,
        summary: &mut PairSummary,
        emit: &mut dyn FnMut(Line) -> Result<()>,
    ) -> Result<()> {
        groups::groups(self, collection, options)?.try_for_each(|group| {
            summary.count(&group);
            emit(Line::Group(group))
        })
    }

    /// Returns the totals that do not depend on the decisions about pairs.
    pub fn summary(&self, collection: &Collection, options: &PairOptions) -> PairSummary {
        PairSummary {
            documents: collection.held().documents,
            unsketched: self.unsketched,
            empty: collection.held().empty,
            unread: self.text_cache.unread,
            sets: self.text_cache.sets,
            shingles: self.text_cache.resemblance,
            compared: if options.expand { collection.len().into() } else { self.classes.leaders().count() as u64 },
            candidates: self.apart,
            rejected: self.rejected,
            stars: if options.expand { self.cuts.len() as u64 } else { 0 },
            ..PairSummary::default()
        }
    }

    /// Passes the near-duplicates on, without the groups.
    pub fn each(
        &self,
        collection: &Collection,
        options: &PairOptions,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(Pair) -> Result<()>,
    ) -> Result<()> {
        self.decide(collection, options, &Ticker::new(watch), &mut PairSummary::default(), emit)
    }

    /// Decides the candidate pairs and passes the near-duplicates on.
    pub fn decide(
        &self,
        collection: &Collection,
        options: &PairOptions,
        ticker: &Ticker<'_>,
        summary: &mut PairSummary,
        emit: &mut dyn FnMut(Pair) -> Result<()>,
    ) -> Result<()> {
        let push = |pairs: &mut Vec<Pair>, pair: Pair| pairs.push(pair);
        self.decide_all(&self.sorted, collection, options, None, ticker, summary, &push, &mut |pairs| {
            pairs.into_iter().try_for_each(&mut *emit)
        })
    }

    /// Decides sorted candidate pairs on several threads, with the losses of near-duplicates if `words` are given.
    /// `write` adds near-duplicates to outputs on these threads, and `emit` receives the outputs in the order of the
    /// pairs.
    #[expect(clippy::too_many_arguments, reason = "all that is known comes together here")]
    fn decide_all<O: Default + Send>(
        &self,
        sorted: &Sorted<1>,
        collection: &Collection,
        options: &PairOptions,
        words: Option<&DocumentWords>,
        ticker: &Ticker<'_>,
        summary: &mut PairSummary,
        write: &(dyn Fn(&mut O, Pair) + Sync),
        emit: &mut dyn FnMut(O) -> Result<()>,
    ) -> Result<()> {
        ticker.start("decide", None, "pairs")?;
        each_in_order(
            options.resources.threads,
            |give| sorted.stretches(STRETCH, |a, b| a != b, give),
            || self.judge(collection, options),
            |judge, rows: Vec<[u64; 1]>| {
                let (mut out, mut counted, mut last) = (O::default(), PairSummary::default(), None);
                let ranks_at = |index: usize| rows.get(index).map(|&[row]| [(row >> 32) as u32, row as u32]);
                for (index, &[row]) in rows.iter().enumerate() {
                    ranks_at(index + 2 * AHEAD).iter().flatten().for_each(|&rank| collection.prefetch_places(rank));
                    ranks_at(index + AHEAD).iter().flatten().for_each(|&rank| collection.prefetch(rank));
                    if last.replace(row) == Some(row) {
                        continue;
                    }
                    let (a, b) = (collection.at_rank((row >> 32) as u32), collection.at_rank(row as u32));
                    counted.candidates += 1;
                    match judge.pair(a, b)? {
                        Judged::Near(mut pair) => {
                            counted.pairs += 1;
                            counted.unverified += u64::from(pair.is_unread());
                            pair.loss = words.map(|words| {
                                Box::new(PairLoss::of_documents(words, collection, [a, b], pair.identical))
                            });
                            write(&mut out, pair);
                        }
                        Judged::Rejected => counted.rejected += 1,
                        Judged::Apart => (),
                    }
                }
                Ok((out, counted))
            },
            |(out, counted)| {
                summary.candidates += counted.candidates;
                summary.pairs += counted.pairs;
                summary.unverified += counted.unverified;
                summary.rejected += counted.rejected;
                emit(out)?;
                ticker.add(counted.candidates)
            },
        )?;
        if let Some(words) = words {
            summary.words_unread = words.unread();
        }
        Ok(())
    }

    /// Returns the judge of these documents, which also decides pairs that are not candidates.
    pub fn judge<'a>(&'a self, collection: &'a Collection, options: &'a PairOptions) -> Judge<'a> {
        Judge::new(collection, options, &self.text_cache)
    }
}

#[cfg(test)]
mod tests;
