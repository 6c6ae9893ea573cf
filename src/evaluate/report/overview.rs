//! The overview for an owner of pages: how many documents would be removed, from which sites, why, and what would be
//! lost.

use std::collections::{BTreeMap, HashMap};

use fixedbitset::FixedBitSet;
use nddb_dedup::{ClusterOptions, Collection, Keep, KnownLoss, MemberVerdict, UnreadTexts, is_thin_document};
use nddb_index::{Progress, Result, View};
use nddb_verdict::{Comparison, Level, Words, sentence};

use crate::removals::{JudgedMember, KnownPage, Removals, ScoreBin, read_pages};

/// Number of sites that are listed by name.
const SITES: usize = 20;
/// Number of removals that are shown with what they lose.
const WORST: usize = 20;
/// Number of clusters that are shown, and of thin clusters.
const CLUSTERS: usize = 10;
const THIN_CLUSTERS: usize = 5;
/// Number of members of a cluster that are shown, including the kept document.
const MEMBERS: usize = 4;

/// The effect of clustering.
#[derive(Debug, Default)]
pub struct Overview {
    /// By what the kept documents are chosen, most important first.
    pub keep: Vec<&'static str>,
    /// How much of a removed document may be lost.
    pub level: Level,
    /// Live documents.
    pub documents: u64,
    /// Of these, documents to remove.
    pub removed: u64,
    /// Words (tokens) of all documents, and of those to remove.
    pub words: [u64; 2],
    /// Bytes of all documents in their archives, as far as they are known, and of those to remove.
    pub bytes: [u64; 2],
    /// Clusters of at least two documents, without clusters of empty texts.
    pub clusters: u64,
    /// Documents in these.
    pub clustered: u64,
    /// Number of members by decision.
    pub verdicts: BTreeMap<MemberVerdict, u64>,
    /// The sites from which most documents are removed.
    pub sites: Vec<Share>,
    /// The number of other sites, and all of them together.
    pub other_sites: (u64, Share),
    /// Batches by name, and the documents without a batch; empty if there is no batch.
    pub batches: Vec<Share>,
    /// Removed documents by rule and range of score.
    pub scores: BTreeMap<(String, ScoreBin), u64>,
    /// Removed documents whose loss is estimated from sketches, because no words could be read.
    pub unverified: u64,
    /// The removals that lose most, those first.
    pub worst: Vec<Lossy>,
    /// The largest clusters, thin ones left out.
    pub largest: Vec<ShownCluster>,
    /// Thin pages: pages with too little content.
    pub thin: Thin,
    /// Shown pages that could not be read.
    pub unread: UnreadTexts,
}

/// A part of the documents, and how many of these are to be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Its name; `None` for documents without a site or batch.
    pub name: Option<String>,
    /// Live documents.
    pub documents: u64,
    /// Of these, documents to remove.
    pub removed: u64,
}

/// A removal and what is lost by it.
#[derive(Debug)]
pub struct Lossy {
    /// The document to remove, and the one that is kept instead.
    pub pages: [KnownPage; 2],
    /// The share of its words that is lost, of its content or its whole text; of an estimate the greatest plausible one.
    pub share: f64,
    /// The lost words, passage by passage; empty if a text could not be read.
    pub passages: Vec<String>,
    /// Why the two are near, in a sentence.
    pub why: String,
}

/// Thin pages: documents with too little content to be distinguished from other pages.
#[derive(Debug, Default)]
pub struct Thin {
    /// Number of thin pages.
    pub documents: u64,
    /// Of these, documents to remove: copies of a text.
    pub removed: u64,
    /// Clusters whose kept page is thin.
    pub clusters: u64,
    /// The largest of these.
    pub largest: Vec<ShownCluster>,
}

/// A cluster with some of its members; the kept document comes first.
#[derive(Debug)]
pub struct ShownCluster {
    /// Members.
    pub size: u64,
    /// Of these, members to remove.
    pub removed: u64,
    /// Some members, and whether each is to be removed.
    pub members: Vec<(KnownPage, bool)>,
    /// Why the kept document and the first of these to be removed are near, in a sentence.
    pub why: Option<String>,
}

/// A cluster that is to be shown.
struct Chosen {
    founder: u32,
    size: u64,
    removed: u64,
    members: Vec<u32>,
}

impl Overview {
    /// Counts removals, and reads the pages that are shown.
    pub(super) fn measure(
        view: View<'_>,
        collection: &Collection,
        removals: &Removals,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let ClusterOptions { keep, level, .. } = &removals.options;
        let mut made = Self { keep: Keep::order(keep), level: *level, ..Self::default() };
        for member in &removals.members {
            *made.verdicts.entry(member.verdict).or_default() += 1;
        }
        for member in removals.removed() {
            *made.scores.entry((removals.rule(member).to_owned(), member.score.bin())).or_default() += 1;
        }
        made.unverified = removals.clusters.summary.unverified;
        let worst = worst(removals);
        let sites = made.count(collection, removals);
        made.name_sites(view, collection, sites)?;
        made.count_bytes(view, collection, removals)?;
        made.batches = batches(view, collection, removals)?;
        let (largest, thin) = made.choose(collection, removals)?;
        let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
        let shown = largest.iter().chain(&thin).flat_map(|cluster| &cluster.members);
        shown.for_each(|&member| wanted.insert(member as usize));
        worst.iter().flat_map(|(_, pair)| pair).for_each(|&member| wanted.insert(member as usize));
        let resources = &removals.options.pairs.resources;
        let (pages, unread) = read_pages(view, collection, &wanted, resources, watch)?;
        let show = |chosen: Chosen| {
            let member = |ordinal: &u32| {
                let removed = removals.clusters.is_removed(collection.row(*ordinal).rank);
                (pages.get(ordinal).cloned().unwrap_or_default(), removed)
            };
            let members: Vec<(KnownPage, bool)> = chosen.members.iter().map(member).collect();
            let first = chosen.members.iter().zip(&members).skip(1).find(|(_, (_, removed))| *removed);
            let why = first.map(|(&removed, (page, _))| {
                let compared = compare([page, &members[0].0]);
                why(collection, [removed, chosen.members[0]], compared.as_ref().map(|(compared, _)| compared))
            });
            ShownCluster { size: chosen.size, removed: chosen.removed, members, why }
        };
        made.largest = largest.into_iter().map(show).collect();
        made.thin.largest = thin.into_iter().map(show).collect();
        made.unread = unread;
        made.worst = worst.into_iter().map(|(share, pair)| Lossy::of(share, pair, &pages, collection)).collect();
        Ok(made)
    }

    /// Counts documents; returns the counts of each site, with one of its documents.
    fn count(&mut self, collection: &Collection, removals: &Removals) -> HashMap<Option<u32>, (Share, u32)> {
        let mut sites: HashMap<Option<u32>, (Share, u32)> = HashMap::new();
        for ordinal in 0..collection.len() {
            let row = collection.row(ordinal);
            if row.is_deleted {
                continue;
            }
            let removed = u64::from(removals.clusters.is_removed(row.rank));
            self.documents += 1;
            self.removed += removed;
            let words = u64::from(row.tokens.unwrap_or(0));
            self.words = [self.words[0] + words, self.words[1] + words * removed];
            let (site, _) = sites.entry(row.site).or_insert_with(|| (Share::default(), ordinal));
            site.documents += 1;
            site.removed += removed;
            if is_thin_document(collection, ordinal) {
                self.thin.documents += 1;
                self.thin.removed += removed;
            }
        }
        sites
    }

    /// Adds the sizes of documents in their archives.
    fn count_bytes(&mut self, view: View<'_>, collection: &Collection, removals: &Removals) -> Result<()> {
        view.each(&mut |stored| {
            let size = stored.record.source.map_or(0, |source| source.length);
            let is_removed = |ordinal| removals.clusters.is_removed(collection.row(ordinal).rank);
            let removed = u64::from(collection.find(&stored.record.id).is_some_and(is_removed));
            self.bytes = [self.bytes[0] + size, self.bytes[1] + size * removed];
            Ok(true)
        })
    }

    /// Names the sites from which most documents are removed, and sums up the others.
    fn name_sites(
        &mut self,
        view: View<'_>,
        collection: &Collection,
        sites: HashMap<Option<u32>, (Share, u32)>,
    ) -> Result<()> {
        let mut sites: Vec<(Share, u32)> = sites.into_values().collect();
        sites.sort_by_key(|(site, first)| (std::cmp::Reverse((site.removed, site.documents)), *first));
        for (index, (mut site, first)) in sites.into_iter().enumerate() {
            if index < SITES {
                let stored = view.get(collection.id(first))?;
                site.name = stored.and_then(|stored| stored.record.site);
                self.sites.push(site);
            } else {
                self.other_sites.0 += 1;
                self.other_sites.1.documents += site.documents;
                self.other_sites.1.removed += site.removed;
            }
        }
        Ok(())
    }

    /// Counts clusters, and chooses the largest clusters of pages with content and of thin pages.
    fn choose(&mut self, collection: &Collection, removals: &Removals) -> Result<(Vec<Chosen>, Vec<Chosen>)> {
        let (mut largest, mut thin) = (Vec::new(), Vec::new());
        removals.clusters.each(collection, &mut |cluster| {
            if cluster.empty {
                return Ok(());
            }
            self.clusters += 1;
            self.clustered += cluster.members.len() as u64;
            self.thin.clusters += u64::from(cluster.thin);
            let (chosen, most) = if cluster.thin { (&mut thin, THIN_CLUSTERS) } else { (&mut largest, CLUSTERS) };
            let size = cluster.members.len() as u64;
            if chosen.len() == most && chosen.last().is_some_and(|last: &Chosen| last.size >= size) {
                return Ok(());
            }
            let others = cluster.members.iter().copied().filter(|&member| member != cluster.kept);
            // Removed members come first; they are of more interest than those that stay.
            let mut others: Vec<u32> = others.collect();
            others.sort_by_key(|&member| !removals.clusters.is_removed(collection.row(member).rank));
            others.truncate(MEMBERS - 1);
            others.insert(0, cluster.kept);
            chosen.push(Chosen { founder: cluster.founder, size, removed: cluster.removed, members: others });
            chosen.sort_by_key(|cluster| (std::cmp::Reverse(cluster.size), cluster.founder));
            chosen.truncate(most);
            Ok(())
        })?;
        Ok((largest, thin))
    }
}

/// Returns the removals that lose most, by the share that is lost: removed and kept document.
fn worst(removals: &Removals) -> Vec<(f64, [u32; 2])> {
    let share = |member: &JudgedMember| removals.clusters.loss(member.member).and_then(KnownLoss::share);
    let lossy =
        |member: &JudgedMember| Some((share(member).filter(|share| *share > 0.0)?, [member.member, member.kept]));
    let mut worst: Vec<(f64, [u32; 2])> = removals.removed().filter_map(lossy).collect();
    worst.sort_by(|(a, pair), (b, other)| b.total_cmp(a).then_with(|| pair.cmp(other)));
    worst.truncate(WORST);
    worst
}

impl Lossy {
    fn of(share: f64, pair: [u32; 2], pages: &BTreeMap<u32, KnownPage>, collection: &Collection) -> Self {
        let pages = pair.map(|ordinal| pages.get(&ordinal).cloned().unwrap_or_default());
        let compared = compare([&pages[0], &pages[1]]);
        let why = why(collection, pair, compared.as_ref().map(|(compared, _)| compared));
        let passages = compared.zip(pages[0].compared.as_deref()).map(|((compared, words), text)| {
            let shown = |passage| text[words.range(passage)].replace('\n', " ");
            compared.lost.passages.into_iter().map(shown).collect()
        });
        Self { pages, share, passages: passages.unwrap_or_default(), why }
    }
}

/// Compares the words of a removed page with those of the kept one; also returns the former. `None` if a text could not
/// be read.
fn compare(pages: [&KnownPage; 2]) -> Option<(Comparison, Words)> {
    let removed = Words::of(pages[0].compared.as_deref()?);
    Some((Comparison::of(&removed, &Words::of(pages[1].compared.as_deref()?)), removed))
}

/// Returns why two documents are near, in a sentence.
fn why(collection: &Collection, [removed, kept]: [u32; 2], compared: Option<&Comparison>) -> String {
    let losses = [compared.map(|compared| &compared.lost), compared.map(|compared| &compared.added)];
    collection.compared(removed, kept, |pair| sentence(pair, losses))
}

/// Counts the documents of each batch, by name, and those without a batch; empty if there is no batch.
fn batches(view: View<'_>, collection: &Collection, removals: &Removals) -> Result<Vec<Share>> {
    let known = view.batches()?;
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let mut counts: HashMap<Option<u32>, Share> = HashMap::new();
    let mut by_number = collection.by_number();
    view.each(&mut |stored| {
        let ordinal = by_number(stored.number);
        let share = counts.entry(stored.record.batch).or_default();
        share.documents += 1;
        let is_removed = |ordinal| removals.clusters.is_removed(collection.row(ordinal).rank);
        share.removed += u64::from(ordinal.is_some_and(is_removed));
        Ok(true)
    })?;
    let named = known.into_iter().map(|(name, batch, _)| (Some(batch.number), Some(name))).chain([(None, None)]);
    Ok(named.filter_map(|(number, name)| Some(Share { name, ..counts.remove(&number)? })).collect())
}
