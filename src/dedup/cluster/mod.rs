//! Clusters of near-duplicates without chaining: stars around the oldest document (`nddb cluster`).
//!
//! One document of each cluster is kept, and the members near to it are removed. The members that are left form stars
//! again ([`removed`]).
//!
//! Documents are taken in the order of their numbers. A document near one or more founders joins the founder with the
//! best score, the oldest among equals; a document near no founder founds a cluster. Later documents therefore never
//! move earlier ones: adding B to a clustered A gives the same clusters as clustering A and then B.
//!
//! A deleted document remains a founder until a compaction drops it. Until then its cluster keeps its members and id;
//! afterwards the members are clustered anew.

mod components;
mod keep;
mod lines;
mod overrules;
mod removal;
mod removed;
pub(crate) mod stars;
mod within;

use std::collections::HashMap;

use fixedbitset::FixedBitSet;
use nddb_index::spill::progress::{Progress, Ticker};
use nddb_index::spill::resources::Resources;
use nddb_index::{Result, View, Watch};
use nddb_verdict::Level;

use super::by_founder::ByFounder;
use super::collection::Collection;
use super::pairs::judge::Judge;
use super::pairs::text_cache::TextCache;
use super::pairs::{PairJob, Reach};
use crate::options::PairOptions;
use crate::pair::{Line, Pair, PairSummary};
use crate::text_summary::UnreadTexts;
use crate::words::{DocumentWords, WordSource, WordsFrom};
pub use keep::{Keep, UnknownKeep};
use lines::Centres;
pub use overrules::Overrules;
pub use removal::{KnownLoss, MemberDecision, MemberVerdict, decide_stored, is_thin_document};
pub use within::Surrounding;

/// Options of clustering.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterOptions {
    /// Options of the underlying pairs. With or without `expand`, clusters are made from groups and the pairs between
    /// them.
    pub pairs: PairOptions,
    /// Rules for the kept document of a cluster: the first rule that distinguishes two documents decides, then the id.
    pub keep: Vec<Keep>,
    /// How much of a removed member may be lost.
    pub level: Level,
    /// Where the words come from by which the loss is known.
    pub words: WordsFrom,
    /// Documents that are never or always removed.
    pub overrules: Overrules,
    /// Whether clusters are connected components, in which a document need not be near the founder.
    pub components: bool,
}

impl ClusterOptions {
    /// Returns the default options: star clusters, each of which keeps the document stored first.
    pub fn new(pairs: PairOptions) -> Self {
        let (level, words, overrules) = (Level::default(), WordsFrom::default(), Overrules::default());
        Self { pairs, keep: vec![Keep::Stored], level, words, overrules, components: false }
    }
}

/// A cluster of at least two live documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Ordinal of the founder, whose id is the id of the cluster. A deleted founder is not a member.
    pub founder: u32,
    /// Ordinals of the live members, in bytewise order of their ids.
    pub members: Vec<u32>,
    /// Ordinal of the document to keep.
    pub kept: u32,
    /// Number of members to remove: each is near the kept document by its own evidence, or near another member that
    /// stays.
    pub removed: u64,
    /// Whether the number of members exceeds the group limit.
    pub oversized: bool,
    /// Whether all members are known to be on the same site.
    pub single_site: bool,
    /// Whether the members have empty texts. There is no evidence about such documents, so none is removed.
    pub empty: bool,
    /// Whether the kept document has too little content to be distinguished from others.
    pub thin: bool,
}

/// A member of a cluster, compared with the document for which it is or may be removed: the kept document of the
/// cluster, or another member that stays.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Ordinal of the document that is kept.
    pub kept: u32,
    /// Ordinal of the member, which is another document.
    pub member: u32,
    /// The pair of these two documents; `None` if they are no near-duplicates by the method, or the verification of
    /// their texts rejected them.
    pub pair: Option<Pair>,
    /// The decision about the member.
    pub verdict: MemberVerdict,
    /// What the member has and the kept document lacks; `None` if it is not near, or a text could not be read.
    pub loss: Option<KnownLoss>,
    /// The least level that removes the member; `None` if no level does, or that is not known.
    pub least: Option<Level>,
}

/// Callback for the members that were compared; its error ends the clustering.
type Visit<'a> = dyn FnMut(&Member) -> Result<()> + 'a;

/// Totals of a clustering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterSummary {
    /// Totals of the underlying pairs.
    pub pairs: PairSummary,
    /// Clusters of at least two documents.
    pub clusters: u64,
    /// Documents in these clusters.
    pub clustered: u64,
    /// Members of the largest cluster.
    pub largest: u64,
    /// Clusters with more members than the group limit.
    pub oversized: u64,
    /// Clusters whose members are all on the same site.
    pub single_site: u64,
    /// Documents to remove.
    pub removed: u64,
    /// Documents to keep.
    pub kept: u64,
    /// Clusters whose kept document is thin; included in `clusters`.
    pub thin: u64,
    /// Documents in clusters whose kept document is thin.
    pub in_thin: u64,
    /// Near-duplicates of a kept document that are not removed because too much of them would be lost, or because of a
    /// list.
    pub spared: u64,
    /// Where the words of the documents came from.
    pub words: WordSource,
    /// Documents whose words were needed and could not be read; they stay.
    pub unread: UnreadTexts,
    /// Documents to remove whose loss is estimated; included in `removed`.
    pub unverified: u64,
    /// Members that are not near the kept document, and were compared with each other.
    pub apart: u64,
    /// Documents to remove because of a member other than the kept document; included in `removed`.
    pub removed_again: u64,
    /// Members of clusters that are too large to compare all members that stay with each other.
    pub undecided: u64,
    /// Clusters whose founder is deleted but not yet dropped by a compaction.
    pub founder_deleted: u64,
}

/// The clusters of a collection.
#[derive(Debug)]
pub struct Clusters {
    /// Founder of the cluster of each document, by ordinal.
    founder: Vec<u32>,
    /// Documents to be removed, by the rank of their ids.
    removed: FixedBitSet,
    /// For each document that is removed because of a document other than the kept one: that other document, by
    /// ordinal.
    because: HashMap<u32, u32>,
    /// The loss of each removed document and the least level that removes it, by ordinal. Documents with the words of
    /// the kept one have no entry.
    losses: HashMap<u32, (KnownLoss, Option<Level>)>,
    keep: Vec<Keep>,
    level: Level,
    overrules: Overrules,
    group_limit: usize,
    resources: Resources,
    /// Totals of the clustering.
    pub summary: ClusterSummary,
}

/// Returns the clusters of a collection built from this view by [`Collection::with_deleted`], and passes the groups and
/// pairs of live documents to `emit`.
///
/// # Errors
/// Errors of [`super::pairs`].
pub fn cluster(
    view: View<'_>,
    collection: &Collection,
    options: &ClusterOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    emit: &mut dyn FnMut(Line) -> Result<()>,
) -> Result<Clusters> {
    clustered(view, collection, options, watch, emit, None)
}

/// Like [`cluster`], and passes each member of a cluster to `visit`. First come the members that are removed because
/// they are near the kept document, in bytewise order of the two ids, the lower one first; then the members that are
/// removed because of others; then the members that stay. Members without text are left out, since there is no evidence
/// about them.
///
/// # Errors
/// Errors of [`cluster`] and of `visit`.
pub fn cluster_with_members(
    view: View<'_>,
    collection: &Collection,
    options: &ClusterOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    emit: &mut dyn FnMut(Line) -> Result<()>,
    visit: &mut dyn FnMut(&Member) -> Result<()>,
) -> Result<Clusters> {
    clustered(view, collection, options, watch, emit, Some(visit))
}

fn clustered(
    view: View<'_>,
    collection: &Collection,
    options: &ClusterOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    emit: &mut dyn FnMut(Line) -> Result<()>,
    visit: Option<&mut Visit<'_>>,
) -> Result<Clusters> {
    let pairs = PairOptions { expand: false, ..options.pairs.clone() };
    let found = PairJob::new(view, collection, &pairs, Reach::STABLE, watch)?;
    let ticker = Ticker::new(watch);
    let mut pass = |near: &mut dyn FnMut(Pair) -> Result<()>| {
        found.decide(collection, &pairs, &ticker, &mut PairSummary::default(), near)
    };
    let mut founder = if options.components {
        components::founders(collection, &found.classes, &mut pass)?
    } else {
        stars::founders(collection, &found.classes, &pairs, &mut pass)?
    };
    let mut empty = (0..collection.len()).filter(|&ordinal| collection.row(ordinal).is_empty);
    if let Some(first) = empty.next() {
        empty.for_each(|ordinal| founder[ordinal as usize] = first);
    }
    let mut clusters = Clusters::of(collection, founder, options);
    let wanted = clusters.wanted(collection)?;
    let words = DocumentWords::read(view, collection, options.words, &wanted, &pairs.resources, &ticker)?;
    clusters.remove(collection, &|| found.judge(collection, &pairs), &words, &ticker, visit)?;
    let centres = Centres::new(collection, &clusters.founder, (!options.components).then_some(pairs.group_limit));
    clusters.summary.pairs = lines::emit(view, collection, &found, &centres, &pairs, watch, emit)?;
    clusters.sum_up(collection)?;
    Ok(clusters)
}

impl Clusters {
    /// Returns the clusters of a collection, as [`cluster`] does, without its groups and pairs; `watch` can stop it.
    ///
    /// # Errors
    /// Errors of [`cluster`].
    pub fn find(
        view: View<'_>,
        collection: &Collection,
        options: &ClusterOptions,
        watch: Option<Watch>,
    ) -> Result<Self> {
        let mut watch = watch.unwrap_or_else(|| Box::new(|_| true));
        cluster(view, collection, options, &mut *watch, &mut |_| Ok(()))
    }

    /// Returns the clusters of a collection, given the founder of each document by ordinal. The collection has whole
    /// clusters, which were formed elsewhere by a method that compares sketches. `texts` are the compared texts of the
    /// documents by ordinal; if one is not known, losses are estimated. The summary counts no pairs.
    ///
    /// # Errors
    /// [`nddb_index::Error::Method`] for a method or a verification of texts; errors of the disk.
    pub fn given(
        collection: &Collection,
        founder: Vec<u32>,
        texts: &[Option<&str>],
        options: &ClusterOptions,
    ) -> Result<Self> {
        let pairs = &options.pairs;
        if pairs.method.needs_text() || pairs.verifies() {
            let why = "it compares texts, but only sketches are given".into();
            return Err(nddb_index::Error::Method { method: pairs.method.name(), why });
        }
        let (mut clusters, cache) = (Self::of(collection, founder, options), TextCache::default());
        let watch = &mut |_: &Progress| true;
        let words = DocumentWords::given(collection, texts, &pairs.resources)?;
        let judge = || Judge::new(collection, pairs, &cache);
        clusters.remove(collection, &judge, &words, &Ticker::new(watch), None)?;
        clusters.sum_up(collection)?;
        Ok(clusters)
    }

    /// Returns clusters in which nothing is removed yet.
    fn of(collection: &Collection, founder: Vec<u32>, options: &ClusterOptions) -> Self {
        Self {
            founder,
            removed: FixedBitSet::with_capacity(collection.len() as usize),
            because: HashMap::new(),
            losses: HashMap::new(),
            keep: options.keep.clone(),
            level: options.level,
            overrules: options.overrules.clone(),
            group_limit: options.pairs.group_limit,
            resources: options.pairs.resources.clone(),
            summary: ClusterSummary::default(),
        }
    }

    /// Returns the documents whose words are compared: those in clusters of different texts, and of equal texts one.
    fn wanted(&self, collection: &Collection) -> Result<FixedBitSet> {
        let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
        self.each_by_founder(collection, &mut |founder, members| {
            if !collection.row(founder).is_empty {
                DocumentWords::want(collection, members, &mut wanted);
            }
            Ok(())
        })?;
        Ok(wanted)
    }

    /// Returns what is lost with a document that is removed; `None` if nothing is, or a list removes it.
    pub fn loss(&self, member: u32) -> Option<&KnownLoss> {
        let (loss, _) = self.losses.get(&member)?;
        Some(loss).filter(|loss| loss.exact().is_none_or(|loss| loss.whole.lost > 0))
    }

    /// Returns the least level that removes a document that is removed, but for lists.
    pub fn least_level(&self, member: u32) -> Option<Level> {
        self.losses.get(&member).map_or(Some(Level::Same), |(_, least)| *least)
    }

    /// Returns the founder of the cluster of a document: the document itself if it is alone or a founder.
    pub fn founder(&self, ordinal: u32) -> u32 {
        self.founder[ordinal as usize]
    }

    /// Returns whether the document with this rank in the bytewise order of ids is to be removed.
    pub fn is_removed(&self, rank: u32) -> bool {
        self.removed.contains(rank as usize)
    }

    /// Returns the document because of which a member of the cluster that keeps `kept` is removed, or would be.
    pub fn kept_for(&self, member: u32, kept: u32) -> u32 {
        self.because.get(&member).copied().unwrap_or(kept)
    }

    /// Returns all clusters of at least two live documents, in bytewise order of the ids of founders.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn iter(&self, collection: &Collection) -> Result<impl Iterator<Item = Cluster>> {
        let clusters = self.by_founder(collection)?;
        Ok(clusters.map(|(founder, members)| {
            let kept = self.keep(collection, &members);
            let site = |&ordinal: &u32| collection.row(ordinal).site;
            let first = members.first().and_then(site);
            let rank = |&member: &u32| collection.row(member).rank;
            Cluster {
                founder,
                kept,
                removed: members.iter().filter(|member| self.removed.contains(rank(member) as usize)).count() as u64,
                oversized: members.len() > self.group_limit,
                single_site: first.is_some() && members.iter().all(|member| site(member) == first),
                empty: collection.row(founder).is_empty,
                thin: collection.profile_of(kept).as_ref().is_some_and(removal::is_thin),
                members,
            }
        }))
    }

    /// Passes all clusters to `emit`, as [`Clusters::iter`] returns them.
    ///
    /// # Errors
    /// Errors of the disk and of `emit`.
    pub fn each(&self, collection: &Collection, emit: &mut dyn FnMut(&Cluster) -> Result<()>) -> Result<()> {
        self.iter(collection)?.try_for_each(|cluster| emit(&cluster))
    }

    fn keep(&self, collection: &Collection, members: &[u32]) -> u32 {
        let best = members.iter().copied().min_by(|&a, &b| {
            let listed = self.overrules.compare(collection.row(a).rank, collection.row(b).rank);
            listed.then_with(|| keep::compare(&self.keep, collection, a, b))
        });
        best.unwrap_or_default()
    }

    /// Passes the live members of each cluster with at least two to `emit`.
    fn each_by_founder(&self, collection: &Collection, emit: &mut dyn FnMut(u32, &[u32]) -> Result<()>) -> Result<()> {
        self.by_founder(collection)?.try_for_each(|(founder, members)| emit(founder, &members))
    }

    /// Returns the live members of each cluster with at least two.
    fn by_founder<'a>(&self, collection: &'a Collection) -> Result<impl Iterator<Item = (u32, Vec<u32>)> + use<'a>> {
        let mut clusters = ByFounder::new(collection, &self.resources, 4);
        let mut has_others = FixedBitSet::with_capacity(collection.len() as usize);
        // Most documents are founders without other members, which need no sorting.
        for (ordinal, &founder) in (0..).zip(&self.founder) {
            if founder != ordinal {
                has_others.insert(founder as usize);
            }
        }
        for (ordinal, &founder) in (0..).zip(&self.founder) {
            if !collection.row(ordinal).is_deleted && has_others.contains(founder as usize) {
                clusters.push(founder, ordinal)?;
            }
        }
        Ok(clusters.finish()?.filter(|(_, members)| members.len() > 1))
    }

    fn sum_up(&mut self, collection: &Collection) -> Result<()> {
        let mut sum = self.summary;
        self.each(collection, &mut |cluster| {
            let len = cluster.members.len() as u64;
            sum.clusters += 1;
            sum.clustered += len;
            sum.largest = sum.largest.max(len);
            sum.oversized += u64::from(cluster.oversized);
            sum.thin += u64::from(cluster.thin);
            sum.in_thin += if cluster.thin { len } else { 0 };
            sum.single_site += u64::from(cluster.single_site);
            sum.founder_deleted += u64::from(collection.row(cluster.founder).is_deleted);
            Ok(())
        })?;
        sum.removed = self.removed.count_ones(..) as u64;
        sum.kept = collection.held().documents - sum.removed;
        self.summary = sum;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
