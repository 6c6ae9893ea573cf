//! All pairs of a database by a method (`nddb pairs`).

pub(crate) mod collector;
mod groups;
pub(crate) mod judge;
mod text_cache;
mod verified_classes;

use super::candidates::context::Context;
use super::collection::Collection;
use super::collection::classes::Classes;
use super::method::options::PairOptions;
use super::method::pair::{Cut, Line, Pair, PairSummary, Verified};
use super::method::registry::Method;
use super::method::requirements;
use crate::Result;
use crate::spill::progress::Progress;
use crate::spill::sort::Sorted;
use crate::spill::ticker::Ticker;
use crate::store::View;
use collector::{CLASSES, CandidateCollector, Collected, Spread};
use fixedbitset::FixedBitSet;
use groups::Groups;
use judge::{Judge, Judged};
use text_cache::TextCache;
use verified_classes::VerifiedClasses;

/// Least number of documents with one key that are all compared where pairs are counted.
const KEY_LIMIT: usize = 4096;

/// Pairs between two reports of progress.
const REPORT: u64 = 1 << 14;

/// Finds all near-duplicates among the documents of a collection, which was built from this view, and hands
/// them to `emit`: first the groups, then the pairs, each by the bytes of ids.
///
/// Pairs run between documents that stand for others: one of each identity set, and of those one of each
/// hot group. What is said of them holds for all members. (Of a split pair the sites are those of the two
/// that are named.) With `expand` there are no groups: all pairs of all documents, each decided by its own
/// evidence.
///
/// # Errors
/// [`crate::Error::Method`] if the database does not have what the method needs,
/// [`crate::Error::OutOfRange`] for a threshold that the stored sketches do not reach; damage; errors of
/// the disk; [`crate::Error::Cancelled`]; whatever `emit` returns.
pub fn pairs(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    emit: &mut dyn FnMut(Line<'_>) -> Result<()>,
) -> Result<PairSummary> {
    let found = PairJob::new(view, collection, options, Reach::ALL, watch)?;
    found.emit(collection, options, watch, emit)
}

/// Candidate pairs in the order in which they are written.
pub struct PairJob {
    /// Classes of documents that the method cannot tell apart.
    pub classes: Classes,
    sorted: Sorted<1>,
    /// Where pairs are that were not listed.
    pub unlisted: Sorted<2>,
    /// Keys of which not all documents were compared.
    pub cuts: Vec<Cut>,
    unsketched: u64,
    /// Pairs that were brought together and are no candidates.
    apart: u64,
    /// Pairs of one class that the comparison of texts parted.
    rejected: u64,
    /// Documents that could not be compared with the founder of their class.
    unverified: Option<FixedBitSet>,
    /// What was read of texts.
    pub text_cache: TextCache,
}

/// Hands out all pairs of leaders.
pub(crate) type Pass<'a> = dyn FnMut(&mut dyn FnMut(Pair) -> Result<()>) -> Result<()> + 'a;

/// Which candidates are wanted.
#[derive(Clone, Copy)]
pub struct Reach {
    /// Such that more documents take none away.
    stable: bool,
    /// Pairs of two classes that are listed one by one, where all are asked for.
    listed: u64,
}

impl Reach {
    /// All candidates.
    pub const ALL: Self = Self { stable: false, listed: u64::MAX };
    /// All candidates, such that more documents take none away.
    pub(super) const STABLE: Self = Self { stable: true, ..Self::ALL };

    /// The candidates of two classes, or of one, only as far as they are no more than so many.
    pub fn few(listed: u64) -> Self {
        Self { listed, ..Self::ALL }
    }
}

impl PairJob {
    /// Finds the candidates of a method.
    pub fn new(
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        reach: Reach,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let unsketched =
            requirements::check_documents(view, collection.held(), &options.decider(), options.verify_lcs)?;
        let verifies = options.verify_lcs && options.method != Method::Lcs;
        let ticker = Ticker::new(&mut *watch);
        let mut text_cache = TextCache::new(view, collection, options, &ticker)?;
        ticker.start("classes", None, "")?;
        let text = |ordinal| text_cache.sketch(ordinal);
        let classes = Classes::of(collection, options, &text)?;
        let hot = if verifies && !options.expand { verified_classes::wanted(collection, &classes) } else { None };
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
        if verifies {
            found.read(view, collection, options, hot, &Ticker::new(watch))?;
        }
        Ok(found)
    }

    /// Finds the candidates between the classes of another method: those of [`Method::Identity`] leave pairs with
    /// one sketch among them.
    pub fn between(
        class: Method,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let unsketched =
            requirements::check_documents(view, collection.held(), &options.decider(), options.verify_lcs)?;
        let text_cache = TextCache::new(view, collection, options, &Ticker::new(&mut *watch))?;
        let classes = Classes::new(collection, class, &|_| None, &options.resources)?;
        let found = Self::gather(view, collection, options, text_cache, classes, None, Reach::ALL, watch)?;
        Ok(Self { unsketched, ..found })
    }

    /// Finds the candidates, given what was read of texts, and which documents are one to the method.
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

    /// Reads the texts of the pairs that are to be verified.
    fn read(
        &mut self,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        hot: Option<FixedBitSet>,
        ticker: &Ticker<'_>,
    ) -> Result<()> {
        let mut wanted = hot.unwrap_or_else(|| FixedBitSet::with_capacity(collection.len() as usize));
        let unverified = PairOptions { verify_lcs: false, ..options.clone() };
        self.decide(collection, &unverified, ticker, &mut PairSummary::default(), &mut |pair| {
            if !pair.evidence.identical {
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

    /// Decides the candidates and hands out what is near, after the groups.
    pub fn emit(
        &self,
        collection: &Collection,
        options: &PairOptions,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(Line<'_>) -> Result<()>,
    ) -> Result<PairSummary> {
        let mut summary = self.summary(collection, options);
        if !options.expand {
            let groups = Groups {
                collection,
                classes: &self.classes,
                unverified: self.unverified.as_ref(),
                limit: options.group_limit,
                resources: &options.resources,
            };
            groups.emit(&self.cuts, &mut summary, emit)?;
        }
        let ticker = Ticker::new(watch);
        self.decide(collection, options, &ticker, &mut summary, &mut |pair| emit(Line::Pair(pair)))?;
        Ok(summary)
    }

    /// What is known before anything is decided.
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

    /// Hands out the pairs alone.
    pub fn each(
        &self,
        collection: &Collection,
        options: &PairOptions,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(Pair) -> Result<()>,
    ) -> Result<()> {
        self.decide(collection, options, &Ticker::new(watch), &mut PairSummary::default(), emit)
    }

    /// Hands out the near ones of the candidates.
    pub fn decide(
        &self,
        collection: &Collection,
        options: &PairOptions,
        ticker: &Ticker<'_>,
        summary: &mut PairSummary,
        emit: &mut dyn FnMut(Pair) -> Result<()>,
    ) -> Result<()> {
        let mut last = None;
        let mut judge = self.judge(collection, options);
        ticker.start("decide", None, "pairs")?;
        self.sorted.each(&mut |rows| {
            for &[row] in rows {
                if last.replace(row) == Some(row) {
                    continue;
                }
                let (a, b) = (collection.at_rank((row >> 32) as u32), collection.at_rank(row as u32));
                summary.candidates += 1;
                match judge.pair(a, b)? {
                    Judged::Near(pair) => {
                        summary.pairs += 1;
                        summary.unverified += u64::from(pair.verified == Some(Verified::Unread));
                        emit(pair)?;
                    }
                    Judged::Rejected => summary.rejected += 1,
                    Judged::Apart => (),
                }
                if summary.candidates.is_multiple_of(REPORT) {
                    ticker.add(REPORT)?;
                }
            }
            Ok(())
        })
    }

    /// What decides pairs of documents, also such as are no candidates.
    pub fn judge<'a>(&'a self, collection: &'a Collection, options: &'a PairOptions) -> Judge<'a> {
        Judge::new(collection, options, &self.text_cache)
    }
}

#[cfg(test)]
mod tests;
