//! The documents to remove: stars around the kept documents of clusters.
//!
//! Members near the kept document of their cluster are removed, unless more would be lost than the level allows.
//! The members that stay are clustered again: the best of them by the rules is kept, the members near to it are
//! removed, and so on, until all members that stay have been compared with each other. So each removed document is near
//! a document that stays, and clustering the remaining documents again would remove no further member of the cluster.
//! Comparing all remaining members of a very large cluster would be quadratic; there the comparisons are limited, and
//! the members left undecided stay and are counted.

use fixedbitset::FixedBitSet;
use nddb_index::Result;
use nddb_index::spill::parallel::each_in_order;
use nddb_index::spill::progress::Ticker;
use nddb_index::spill::sort::{Sorted, Sorter};
use nddb_verdict::Level;

use super::removal::{KnownLoss, MemberDecision, decide};
use super::{Clusters, Member, MemberVerdict, Overrules, Visit};
use crate::collection::Collection;
use crate::pairs::judge::{Judge, Judged};
use crate::words::DocumentWords;

/// Number of comparisons that every cluster may use; enough to compare 1,448 members with each other.
const COMPARISONS: u64 = 1 << 20;
/// Number of comparisons per member that a larger cluster may use.
const COMPARISONS_EACH: u64 = 64;

/// Pairs that a thread compares at a time.
const STRETCH: usize = if cfg!(test) { 4 } else { 1 << 5 };

/// A cluster in which some members are not decided.
struct Open {
    /// Members that stay so far and have not been compared with each other.
    members: Vec<u32>,
    /// Number of comparisons that may still be made.
    budget: u64,
}

impl Clusters {
    /// Marks the members to remove, and passes all compared members to `visit`. An error of `visit` ends the
    /// clustering.
    pub(super) fn remove<'a>(
        &mut self,
        collection: &'a Collection,
        judge: &(dyn Fn() -> Judge<'a> + Sync),
        words: &DocumentWords,
        ticker: &Ticker<'_>,
        mut visit: Option<&mut Visit<'_>>,
    ) -> Result<()> {
        ticker.start("verify against the kept", None, "documents")?;
        let mut open = Vec::new();
        self.each_by_founder(collection, &mut |founder, members| {
            // There is no evidence about empty texts.
            if !collection.row(founder).is_empty {
                let budget = COMPARISONS.max(COMPARISONS_EACH * members.len() as u64);
                open.push(Open { members: members.to_vec(), budget });
            }
            Ok(())
        })?;
        let len = collection.len() as usize;
        let (mut kept, mut spared) = (FixedBitSet::with_capacity(len), FixedBitSet::with_capacity(len));
        let mut first = kept.clone();
        let (threads, overrules) = (self.resources.threads, self.overrules.clone());
        // The members that stay, each with the kept document of its cluster.
        let mut staying = Sorter::<1>::new(&self.resources.folder, self.resources.memory_limit / 4);
        for is_first in std::iter::once(true).chain(std::iter::repeat(false)) {
            if open.is_empty() {
                break;
            }
            let pairs = self.next_pairs(collection, &mut open, &mut kept)?;
            if is_first {
                first.clone_from(&kept);
            }
            let (level, in_full) = (self.level, false);
            let comparison = Comparing { collection, words, kept: &kept, level, overrules: &overrules, in_full };
            comparison.each(threads, &pairs, judge, &mut |row, member| {
                let rank = collection.row(member.member).rank as usize;
                match member.verdict {
                    MemberVerdict::Removed => {
                        self.removed.insert(rank);
                        self.note(&member);
                        if !is_first {
                            self.because.insert(member.member, member.kept);
                        }
                        visit.as_mut().map_or(Ok(()), |visit| visit(&member))?;
                    }
                    MemberVerdict::Loses(_) | MemberVerdict::Listed => spared.insert(rank),
                    MemberVerdict::Apart => self.summary.apart += u64::from(is_first),
                    MemberVerdict::Unverified => {}
                }
                if is_first && member.verdict != MemberVerdict::Removed && visit.is_some() {
                    staying.push([row])?;
                }
                ticker.add(1)
            })?;
            let (removed, undecided) = (&self.removed, &mut self.summary.undecided);
            open.retain_mut(|Open { members, budget }| {
                members.retain(|&member| {
                    let rank = collection.row(member).rank as usize;
                    !removed.contains(rank) && !kept.contains(rank)
                });
                let is_open = members.len() > 1;
                if is_open && *budget < members.len() as u64 {
                    *undecided += members.len() as u64;
                    return false;
                }
                is_open
            });
        }
        for rank in self.overrules.removed().filter(|&rank| rank < collection.len()) {
            let is_live = !collection.row(collection.at_rank(rank)).is_deleted;
            self.removed.set(rank as usize, is_live);
        }
        (self.summary.words, self.summary.unread) = (words.source(), words.unread());
        self.summary.removed_again = self.because.len() as u64;
        self.summary.spared = spared.difference(&self.removed).count() as u64;
        let Some(visit) = visit else { return Ok(()) };
        let (level, in_full) = (self.level, true);
        let comparison = Comparing { collection, words, kept: &first, level, overrules: &overrules, in_full };
        comparison.each(threads, &staying.finish(), judge, &mut |_, member| {
            if self.is_removed(collection.row(member.member).rank) { Ok(()) } else { visit(&member) }
        })
    }

    /// Chooses the next document to keep of each cluster, and returns its pairs with the other members. A pair is two
    /// ranks of ids, the lower one first, because judging pairs in this order is fastest.
    fn next_pairs(&self, collection: &Collection, open: &mut [Open], kept: &mut FixedBitSet) -> Result<Sorted<1>> {
        let mut sorter = Sorter::<1>::new(&self.resources.folder, self.resources.memory_limit / 4);
        for Open { members, budget } in open {
            let best = self.keep(collection, members);
            let rank = |member: u32| collection.row(member).rank;
            let keep = rank(best);
            kept.insert(keep as usize);
            *budget = budget.saturating_sub(members.len() as u64);
            for other in members.iter().filter(|&&member| member != best).map(|&member| rank(member)) {
                sorter.push([u64::from(keep.min(other)) << 32 | u64::from(keep.max(other))])?;
            }
        }
        Ok(sorter.finish())
    }

    /// Notes what is lost with a removed member.
    fn note(&mut self, Member { member, loss, least, .. }: &Member) {
        match loss {
            Some(KnownLoss::Loss(_)) if *least == Some(Level::Same) => {}
            Some(loss) => {
                self.summary.unverified += u64::from(matches!(loss, KnownLoss::Estimate(_)));
                let brief = match loss {
                    KnownLoss::Loss(loss) => {
                        KnownLoss::Loss(Box::new(nddb_verdict::Loss { passages: Vec::new(), ..**loss }))
                    }
                    estimate => estimate.clone(),
                };
                self.losses.insert(*member, (brief, *least));
            }
            None => {}
        }
    }
}

/// The comparison of members with the kept documents of their clusters.
struct Comparing<'a> {
    collection: &'a Collection,
    words: &'a DocumentWords,
    /// The kept documents, by the rank of their ids.
    kept: &'a FixedBitSet,
    level: Level,
    overrules: &'a Overrules,
    /// Whether the reasons are asked for why members stay.
    in_full: bool,
}

impl Comparing<'_> {
    /// Compares pairs of ranks on several threads, and passes them with their members to `visit`, in their order.
    fn each<'a>(
        &self,
        threads: usize,
        pairs: &Sorted<1>,
        judge: &(dyn Fn() -> Judge<'a> + Sync),
        visit: &mut dyn FnMut(u64, Member) -> Result<()>,
    ) -> Result<()> {
        each_in_order(
            threads,
            |give| pairs.stretches(STRETCH, |_, _| true, give),
            judge,
            |judge, rows: Vec<[u64; 1]>| {
                rows.into_iter().map(|[row]| Ok((row, self.compare(judge, row)?))).collect::<Result<Vec<_>>>()
            },
            |members| members.into_iter().try_for_each(|(row, member)| visit(row, member)),
        )
    }

    /// Compares a member with a kept document, given the ranks of both.
    fn compare(&self, judge: &mut Judge<'_>, ranks: u64) -> Result<Member> {
        let collection = self.collection;
        let ranks = [(ranks >> 32) as u32, ranks as u32];
        let [a, b] = ranks.map(|rank| collection.at_rank(rank));
        let (kept, member) = if self.kept.contains(ranks[0] as usize) { (a, b) } else { (b, a) };
        let pair = match judge.pair(a, b)? {
            Judged::Near(pair) => Some(pair),
            Judged::Rejected | Judged::Apart => None,
        };
        let is_safe = || self.overrules.is_safe(collection.row(member).rank);
        let MemberDecision { verdict, loss, least } = match &pair {
            None => MemberDecision::without_loss(MemberVerdict::Apart),
            Some(_) if is_safe() => MemberDecision::without_loss(MemberVerdict::Listed),
            Some(pair) if pair.is_unread() => MemberDecision::without_loss(MemberVerdict::Unverified),
            Some(pair) => decide(self.level, collection, self.words, [member, kept], pair.identical, self.in_full),
        };
        Ok(Member { kept, member, pair, verdict, loss, least })
    }
}
