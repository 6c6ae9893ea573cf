//! The overview for an owner of pages: how many documents would be removed, from which sites, why, and what would be
//! lost.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use fixedbitset::FixedBitSet;
use nddb_dedup::{ClusterOptions, Collection, Keep, KnownLoss, MemberVerdict, UnreadTexts, is_thin_document};
use nddb_format::record::ShownId;
use nddb_index::{Progress, Result, View};
use nddb_verdict::{Comparison, Level, Words, sentence};

use super::expected::Class;
use super::paths::{Paths, Share};
use crate::removals::{JudgedMember, KnownPage, Removals, Score, ScoreBin, read_pages};

/// Number of sites that are listed by name.
const SITES: usize = 20;
/// Number of removals that are shown with what they lose, and of doubtful ones.
const WORST: usize = 12;
/// Probability from which a removal is not doubtful.
const CERTAIN: f64 = 0.9;
/// Number of removals that the page lists to be downloaded.
const LISTED: usize = 20_000;
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
    /// Clusters of at least two documents.
    pub clusters: u64,
    /// Documents in these.
    pub clustered: u64,
    /// Number of members by decision.
    pub verdicts: BTreeMap<MemberVerdict, u64>,
    /// The sites from which most documents are removed.
    pub sites: Vec<Share>,
    /// The number of other sites, and all of them together.
    pub other_sites: (u64, Share),
    /// The folders of addresses from which most documents are removed, by host and first folder.
    pub paths: Vec<Share>,
    /// Batches by name, and the documents without a batch; empty if there is no batch.
    pub batches: Vec<Share>,
    /// Removed documents by rule and range of score.
    pub scores: BTreeMap<(String, ScoreBin), u64>,
    /// Removed documents whose loss is estimated from sketches, because no words could be read.
    pub unverified: u64,
    /// Removals of documents whose text is not that of the kept one, by their class.
    pub classes: BTreeMap<Class, u64>,
    /// The removals that lose most, those first.
    pub worst: Vec<Lossy>,
    /// The removals of the least probability, those first.
    pub doubtful: Vec<Lossy>,
    /// Removals, in bytewise order of ids, up to a limit.
    pub list: Vec<ListedRemoval>,
    /// The largest clusters, thin ones left out.
    pub largest: Vec<ShownCluster>,
    /// Thin pages: pages with too little content.
    pub thin: Thin,
    /// Shown pages that could not be read.
    pub unread: UnreadTexts,
}

/// A removal in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedRemoval {
    /// The ids of the removed and of the kept document.
    pub ids: [String; 2],
    /// The rule that decided.
    pub rule: String,
    /// The probability, if the rule gives one.
    pub probability: Option<f64>,
    /// The share of its words that is lost, if it is known.
    pub loss: Option<f64>,
}

/// A removal and what is lost by it.
#[derive(Debug)]
pub struct Lossy {
    /// The document to remove, and the one that is kept instead.
    pub pages: [KnownPage; 2],
    /// The share of its words that is lost, of its content or its whole text; of an estimate the greatest plausible one.
    pub share: f64,
    /// The probability that the two are near-duplicates.
    pub probability: Option<f64>,
    /// By which rule the other one is kept, in words.
    pub chosen: &'static str,
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
            if member.score != Score::Identical {
                let is_text = collection.compared(member.member, member.kept, |pair| {
                    pair.a.profile.as_ref().is_some_and(|profile| profile.is_text)
                });
                let words = collection.row(member.member).tokens.unwrap_or(0);
                *made.classes.entry(Class::of(is_text, words)).or_default() += 1;
            }
        }
        let summary = &removals.clusters.summary;
        (made.unverified, made.clusters, made.clustered) = (summary.unverified, summary.clusters, summary.clustered);
        let (worst, doubtful) = (worst(removals), doubtful(removals));
        made.list = removals.removed().take(LISTED).map(|member| listed(collection, removals, member)).collect();
        let sites = made.count(collection, removals);
        made.name_sites(view, collection, sites)?;
        made.count_bytes(view, collection, removals)?;
        made.batches = batches(view, collection, removals)?;
        let (largest, thin) = made.choose(collection, removals)?;
        let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
        let shown = largest.iter().chain(&thin).flat_map(|cluster| &cluster.members);
        shown.for_each(|&member| wanted.insert(member as usize));
        let members = worst.iter().chain(&doubtful).flat_map(|member| [member.member, member.kept]);
        members.for_each(|member| wanted.insert(member as usize));
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
        let lossy = |member: &JudgedMember| Lossy::of(removals, collection, member, &pages);
        made.worst = worst.iter().map(lossy).collect();
        made.doubtful = doubtful.iter().map(lossy).collect();
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
        let mut paths = Paths::default();
        view.each(&mut |stored| {
            let size = stored.record.source.map_or(0, |source| source.length);
            let is_removed = |ordinal| removals.clusters.is_removed(collection.row(ordinal).rank);
            let is_removed = collection.find(&stored.record.id).is_some_and(is_removed);
            self.bytes = [self.bytes[0] + size, self.bytes[1] + size * u64::from(is_removed)];
            paths.count(stored.record.url.as_deref(), is_removed);
            Ok(true)
        })?;
        self.paths = paths.most();
        Ok(())
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

/// Returns the share that is lost by a removal.
fn share(removals: &Removals, member: &JudgedMember) -> Option<f64> {
    removals.clusters.loss(member.member).and_then(KnownLoss::share)
}

/// Returns the removals that come first by a key.
fn first_by(removals: &Removals, key: impl Fn(&JudgedMember) -> Option<f64>) -> Vec<JudgedMember> {
    let keyed = |member: &JudgedMember| Some((key(member)?, *member));
    let mut all: Vec<(f64, JudgedMember)> = removals.removed().filter_map(keyed).collect();
    let pair = |member: &JudgedMember| (member.member, member.kept);
    all.sort_by(|(a, one), (b, other)| a.total_cmp(b).then_with(|| pair(one).cmp(&pair(other))));
    all.truncate(WORST);
    all.into_iter().map(|(_, member)| member).collect()
}

/// Returns the removals that lose most.
fn worst(removals: &Removals) -> Vec<JudgedMember> {
    first_by(removals, |member| share(removals, member).filter(|share| *share > 0.0).map(|share| -share))
}

/// Returns the removals of the least probability.
fn doubtful(removals: &Removals) -> Vec<JudgedMember> {
    first_by(removals, |member| member.score.probability().filter(|probability| *probability < CERTAIN))
}

fn listed(collection: &Collection, removals: &Removals, member: &JudgedMember) -> ListedRemoval {
    ListedRemoval {
        ids: [member.member, member.kept].map(|ordinal| ShownId(collection.id(ordinal)).to_string()),
        rule: removals.rule(member).to_owned(),
        probability: member.score.probability(),
        loss: share(removals, member),
    }
}

impl Lossy {
    fn of(
        removals: &Removals,
        collection: &Collection,
        member: &JudgedMember,
        pages: &BTreeMap<u32, KnownPage>,
    ) -> Self {
        let pair = [member.member, member.kept];
        let (share, probability) = (share(removals, member).unwrap_or(0.0), member.score.probability());
        let chosen = deciding(&removals.options.keep, collection, pair);
        let pages = pair.map(|ordinal| pages.get(&ordinal).cloned().unwrap_or_default());
        let compared = compare([&pages[0], &pages[1]]);
        let why = why(collection, pair, compared.as_ref().map(|(compared, _)| compared));
        let passages = compared.zip(pages[0].compared.as_deref()).map(|((compared, places), text)| {
            let place = |passage: Range<usize>| places[passage.start].start..places[passage.end - 1].end;
            let shown = |passage| text[place(passage)].replace('\n', " ");
            compared.lost.passages.into_iter().map(shown).collect()
        });
        Self { pages, share, probability, chosen, passages: passages.unwrap_or_default(), why }
    }
}

/// Compares the words of a removed page with those of the kept one; also returns where the former stand. `None` if a
/// text could not be read.
fn compare(pages: [&KnownPage; 2]) -> Option<(Comparison, Vec<Range<usize>>)> {
    let (removed, places) = Words::with_places(pages[0].compared.as_deref()?);
    Some((Comparison::of(&removed, &Words::of(pages[1].compared.as_deref()?)), places))
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

/// Returns by which of these rules `kept` is kept and not `removed`, in words.
fn deciding(rules: &[Keep], collection: &Collection, [removed, kept]: [u32; 2]) -> &'static str {
    let (one, other) = (collection.row(kept), collection.row(removed));
    let is_by_quality = rules.first() != Some(&Keep::Stored);
    if is_by_quality && !one.is_truncated && other.is_truncated {
        return "it is whole, and the other is cut off";
    }
    if is_by_quality && !one.is_garbled && other.is_garbled {
        return "the characters of the other are garbled";
    }
    let distinguishes = |rule: &&Keep| match rule {
        Keep::Batch => one.batch != other.batch,
        Keep::Newest | Keep::Oldest => one.date != other.date,
        Keep::Longest => one.tokens != other.tokens,
        Keep::ShortestUrl => one.url_size != other.url_size,
        Keep::Stored | Keep::Id => true,
    };
    match rules.iter().find(distinguishes) {
        Some(Keep::Stored) => "it comes first: by load, then the sounder, longer and older one of a load",
        Some(Keep::Batch) => "its batch was named first",
        Some(Keep::Newest) => "it was fetched last",
        Some(Keep::Oldest) => "it was fetched first",
        Some(Keep::Longest) => "it has more words",
        Some(Keep::ShortestUrl) => "its address is shorter",
        Some(Keep::Id) | None => "its id is the lower one",
    }
}
