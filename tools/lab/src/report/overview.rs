//! What an owner of pages asks first: how much would go, from where, why, and how sure that is.

use std::collections::{BTreeMap, HashMap};

use fixedbitset::FixedBitSet;
use nddb::detect::{Collection, MemberVerdict, UnreadTexts, is_thin_document};
use nddb::{Progress, Result, View};

use crate::removals::{KnownPage, Removals, ScoreBin, read_pages};

/// Sites that are listed by name.
const SITES: usize = 20;
/// Clusters that are shown, and thin ones.
const CLUSTERS: usize = 10;
const THIN_CLUSTERS: usize = 5;
/// Members of a cluster that are shown, the kept one included.
const MEMBERS: usize = 4;

/// What clustering would do.
#[derive(Debug, Default)]
pub struct Overview {
    /// Live documents.
    pub documents: u64,
    /// Of these, documents to remove.
    pub removed: u64,
    /// Clusters of at least two documents, those without text left out.
    pub clusters: u64,
    /// Documents in these.
    pub clustered: u64,
    /// What is decided about members, with how many.
    pub verdicts: BTreeMap<MemberVerdict, u64>,
    /// The sites from which most is removed.
    pub sites: Vec<Share>,
    /// The number of other sites, and all of them together.
    pub other_sites: (u64, Share),
    /// Batches by name, and the documents of none; empty where there is no batch.
    pub batches: Vec<Share>,
    /// Removals by rule and range of score.
    pub scores: BTreeMap<(String, ScoreBin), Scored>,
    /// The largest clusters, thin ones left out.
    pub largest: Vec<ShownCluster>,
    /// Thin pages: what has too little content.
    pub thin: Thin,
    /// Shown pages that could not be read.
    pub unread: UnreadTexts,
}

/// A part of the documents, and what of it is to be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Its name; none of documents without a site or batch.
    pub name: Option<String>,
    /// Live documents.
    pub documents: u64,
    /// Of these, documents to remove.
    pub removed: u64,
}

/// Removals of one rule and range of score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scored {
    /// Documents to remove.
    pub removed: u64,
    /// Of these, documents for which the model gives a probability.
    pub estimated: u64,
    /// Of the estimated, how many are wrong by the model's own estimate.
    pub wrong: f64,
}

/// Thin pages: documents whose content is too little to tell them from other pages.
#[derive(Debug, Default)]
pub struct Thin {
    /// How many there are.
    pub documents: u64,
    /// Of these, documents to remove: copies of a text.
    pub removed: u64,
    /// Clusters whose kept page is thin.
    pub clusters: u64,
    /// The largest of these.
    pub largest: Vec<ShownCluster>,
}

/// A cluster with some of its members, the kept one first.
#[derive(Debug)]
pub struct ShownCluster {
    /// Members.
    pub size: u64,
    /// Of these, members to remove.
    pub removed: u64,
    /// Some members, and whether each is to be removed.
    pub members: Vec<(KnownPage, bool)>,
}

/// A cluster that is to be shown.
struct Chosen {
    founder: u32,
    size: u64,
    removed: u64,
    members: Vec<u32>,
}

impl Overview {
    /// The removals that the model estimates, and how many of these it expects to be wrong: equal texts count as right.
    pub fn expected_wrong(&self) -> (u64, f64) {
        self.scores.values().fold((0, 0.0), |sum, scored| (sum.0 + scored.estimated, sum.1 + scored.wrong))
    }

    /// Counts removals, and reads the pages that are shown.
    pub(super) fn measure(
        view: View<'_>,
        collection: &Collection,
        removals: &Removals,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let mut made = Self::default();
        for member in &removals.members {
            *made.verdicts.entry(member.verdict).or_default() += 1;
        }
        for member in removals.removed() {
            let scored = made.scores.entry((removals.rule(member).to_owned(), member.score.bin())).or_default();
            scored.removed += 1;
            if let Some(probability) = member.score.probability() {
                scored.estimated += 1;
                scored.wrong += 1.0 - probability;
            }
        }
        let sites = made.count(collection, removals);
        made.name_sites(view, collection, sites)?;
        made.batches = batches(view, collection, removals)?;
        let (largest, thin) = made.choose(collection, removals)?;
        let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
        let shown = largest.iter().chain(&thin).flat_map(|cluster| &cluster.members);
        shown.for_each(|&member| wanted.insert(member as usize));
        let resources = &removals.options.pairs.resources;
        let (pages, unread) = read_pages(view, collection, &wanted, resources, watch)?;
        let show = |chosen: Chosen| {
            let member = |ordinal: &u32| {
                let removed = removals.clusters.is_removed(collection.row(*ordinal).rank);
                (pages.get(ordinal).cloned().unwrap_or_default(), removed)
            };
            let members = chosen.members.iter().map(member).collect();
            ShownCluster { size: chosen.size, removed: chosen.removed, members }
        };
        made.largest = largest.into_iter().map(show).collect();
        made.thin.largest = thin.into_iter().map(show).collect();
        made.unread = unread;
        Ok(made)
    }

    /// Counts documents; returns those of each site, with one of them.
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

    /// Names the sites from which most is removed, and sums up the others.
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

    /// Counts clusters, and chooses the largest ones: those of pages with content, and of thin ones.
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
            // What is removed is of more interest than what stays.
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

/// Counts the documents of each batch, by name, and of none; nothing where there is no batch.
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
