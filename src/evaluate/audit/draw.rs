//! Drawing the pairs of an audit, and reading their pages.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use nddb_dedup::{
    Classes, Collection, MemberVerdict, Pair, PairJob, PairOptions, Reach, Resources, UnreadTexts, stored_pair,
};
use nddb_index::{Config, Error, Fingerprint, Progress, Result, StaticIndex, View, Within};
use nddb_jobs::scratch::Scratch;
use nddb_page::sketch::split_mix;
use nddb_verdict::ParameterValue;
use nddb_verdict::methods::Hamming;
use xxhash_rust::xxh3::Xxh3;

use super::allocation::{Population, allocate, allocate_equally};
use super::stratum::{Stratum, StratumKind, range, spread};
use crate::difference::{DifferenceKind, difference_kind};
use crate::removals::{KnownPage, Removals, Score, read_pages, sites, size_class, usual_options};

/// Shares of the sample: rejected pairs, near-duplicates that both stay, and pairs that are shown twice.
const REJECTED: f64 = 0.15;
const STAYS: f64 = 0.05;
const AGAIN: f64 = 0.05;
/// Least probability of the rejected pairs that are drawn.
const NEAR_THRESHOLD: f64 = 0.3;
/// Number of documents, at most, whose neighbours beyond the k of the database are found.
const ASKED: usize = if cfg!(test) { 20 } else { 100_000 };
/// Least number of pairs between the two times that a pair is shown, if there are enough pairs.
const BETWEEN: usize = 10;

/// The pairs from which an audit is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// The removals of clustering with its defaults, and some pairs that stay.
    Removals,
    /// Pairs of different texts whose fingerprints differ in 1 to so many bits, as many at each distance (Manku et al.
    /// 2007, 4.1).
    Distances(u32),
}

/// Pairs to judge.
#[derive(Debug)]
pub struct Audit {
    /// The database as the user named it.
    pub db: String,
    /// Generation of the database.
    pub generation: u64,
    /// Live documents.
    pub documents: u64,
    /// What it is drawn from.
    pub drawing: Drawing,
    /// The method that decided.
    pub method: &'static str,
    /// Seed of the draw.
    pub seed: u64,
    /// The strata from which the pairs are drawn.
    pub strata: Vec<Drawn>,
    /// The pairs, each once.
    pub pairs: Vec<AuditPair>,
    /// The order in which the pairs are shown, by index; some are shown twice.
    pub order: Vec<usize>,
    /// Number of drawn pairs that are left out because a text could not be read.
    pub left_out: u64,
    /// Documents that could not be read.
    pub unread: UnreadTexts,
}

/// A stratum, and the number of pairs drawn from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The common properties of the pairs.
    pub stratum: Stratum,
    /// Number of pairs.
    pub pairs: u64,
    /// Number of pairs drawn.
    pub drawn: u64,
}

/// A pair to judge.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditPair {
    /// The document that is kept, or would be.
    pub kept: KnownPage,
    /// The other document of the pair.
    pub other: KnownPage,
    /// Index of its stratum.
    pub stratum: usize,
    /// The probability of near-duplicates by the model.
    pub probability: Option<f64>,
    /// The kind of difference guessed from their words.
    pub guess: DifferenceKind,
}

/// A pair to draw from.
#[derive(Clone, Copy)]
struct Candidate {
    kept: u32,
    other: u32,
    score: Score,
    stratum: usize,
}

/// Pairs to draw from, by stratum.
struct Pool {
    numbers: BTreeMap<Stratum, usize>,
    candidates: Vec<Candidate>,
    /// Number of pairs of the database for which each of these stands.
    weight: f64,
}

impl Pool {
    fn push(&mut self, stratum: Stratum, kept: u32, other: u32, score: Score) {
        let next = self.numbers.len();
        let stratum = *self.numbers.entry(stratum).or_insert(next);
        self.candidates.push(Candidate { kept, other, score, stratum });
    }
}

impl Audit {
    /// Draws `sample` questions by a seed from a database, which the user named `db`.
    ///
    /// # Errors
    /// Errors of [`nddb_dedup::cluster`] and [`nddb_dedup::pairs`].
    pub fn draw(
        db: String,
        view: View<'_>,
        resources: &Resources,
        drawing: Drawing,
        (sample, seed): (usize, u64),
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let collection = Collection::with_deleted(view, resources, watch)?;
        let mut pool = Pool { numbers: BTreeMap::new(), candidates: Vec::new(), weight: 1.0 };
        let method = match drawing {
            Drawing::Removals => removed(view, &collection, resources, &mut pool, watch)?,
            Drawing::Distances(most) => distant(view, &collection, (most, seed, resources), &mut pool, watch)?,
        };
        let (strata, drawn) = choose(&collection, pool, drawing, sample, seed);
        let mut wanted = FixedBitSet::with_capacity(collection.len() as usize);
        for pair in &drawn {
            wanted.insert(pair.kept as usize);
            wanted.insert(pair.other as usize);
        }
        let (pages, unread) = read_pages(view, &collection, &wanted, resources, watch)?;
        let readable = |ordinal: u32| pages.get(&ordinal).filter(|page| page.text.is_some());
        let pairs: Vec<AuditPair> = drawn
            .iter()
            .filter_map(|pair| {
                let (kept, other) = (readable(pair.kept)?.clone(), readable(pair.other)?.clone());
                let guess = difference_kind(kept.told()?, other.told()?);
                let probability = pair.score.probability();
                Some(AuditPair { kept, other, stratum: pair.stratum, probability, guess })
            })
            .collect();
        let left_out = (drawn.len() - pairs.len()) as u64;
        let again = ((sample as f64 * AGAIN) as usize).min(pairs.len() / 4);
        let order = order(pairs.len(), again, seed);
        Ok(Self {
            db,
            generation: view.generation(),
            documents: collection.held().documents,
            drawing,
            method,
            seed,
            strata,
            pairs,
            order,
            left_out,
            unread,
        })
    }

    /// Returns the number of documents that would be removed, or of pairs within the greatest distance.
    pub fn removals(&self) -> u64 {
        self.strata.iter().filter(|drawn| drawn.stratum.kind == StratumKind::Removed).map(|drawn| drawn.pairs).sum()
    }

    /// Returns a name that is unique to this audit: a hash of its pairs in their order.
    pub fn id(&self) -> String {
        let mut hash = Xxh3::new();
        for index in &self.order {
            let pair = &self.pairs[*index];
            for part in [&pair.kept.id, &pair.other.id] {
                hash.update(part.as_bytes());
                hash.update(&[0]);
            }
        }
        hash.update(&self.generation.to_le_bytes());
        format!("{:016x}", hash.digest())
    }
}

/// Adds the decisions of `nddb cluster` with its defaults; returns its method.
fn removed(
    view: View<'_>,
    collection: &Collection,
    resources: &Resources,
    pool: &mut Pool,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<&'static str> {
    let options = usual_options(view, collection, resources);
    let method = options.pairs.method.name();
    let removals = Removals::find(view, collection, options, watch)?;
    for member in &removals.members {
        let (kind, rule) = match member.verdict {
            MemberVerdict::Removed => (StratumKind::Removed, removals.rule(member).to_owned()),
            MemberVerdict::Loses(_) | MemberVerdict::Listed => (StratumKind::Stays, member.verdict.name().to_owned()),
            _ => continue,
        };
        let stratum = Stratum {
            kind,
            rule,
            score: range(member.score),
            sites: sites(collection, member.kept, member.member),
            cluster: size_class(removals.cluster_size(member)),
        };
        pool.push(stratum, member.kept, member.member, member.score);
    }
    rejected(view, collection, &removals.options.pairs, pool, watch)?;
    Ok(method)
}

/// Adds the pairs of different texts whose fingerprints differ in 1 to `most` bits; returns the method. Simhash would
/// remove a document of each.
fn distant(
    view: View<'_>,
    collection: &Collection,
    (most, seed, resources): (u32, u64, &Resources),
    pool: &mut Pool,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<&'static str> {
    let mut options = PairOptions::new(Hamming::within(most));
    options.resources = resources.clone();
    let mut take = |pair: Pair| {
        let distance = pair.measures.count("distance").filter(|&distance| distance > 0);
        if let Some(distance) = distance
            && !pair.identical
            && is_live(collection, &pair)
        {
            let (kept, other, score) = (pair.a.min(pair.b), pair.a.max(pair.b), Score::Distance(distance));
            let (kind, rule, cluster) = (StratumKind::Removed, options.method.name().to_owned(), "-");
            let sites = sites(collection, kept, other);
            pool.push(Stratum { kind, rule, score: range(score), sites, cluster }, kept, other, score);
        }
        Ok(())
    };
    if most <= view.settings().k.into() {
        PairJob::new(view, collection, &options, Reach::ALL, watch)?.each(collection, &options, watch, &mut take)?;
    } else {
        pool.weight = beyond_k(view, collection, (&options, most, seed), watch, &mut take)?;
    }
    Ok(options.method.name())
}

/// Finds pairs of documents of different fingerprints within `most` bits, more than the tables of the database are made
/// for, by an index of the fingerprints. Of many documents, a sample is drawn, and for these all younger neighbours are
/// found. Returns the number of pairs for which each stands.
fn beyond_k(
    view: View<'_>,
    collection: &Collection,
    (options, most, seed): (&PairOptions, u32, u64),
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    visit: &mut dyn FnMut(Pair) -> Result<()>,
) -> Result<f64> {
    let resources = &options.resources;
    let failed = |source| Error::Io { action: "make a temporary folder in", path: resources.folder.clone(), source };
    let scratch = Scratch::in_folder(&resources.folder).map_err(failed)?;
    let config = Config::within(view.settings().k)?.bits(view.settings().bits)?;
    let index = StaticIndex::builder(scratch.path().join("index"), &config)?;
    let mut index = index.resources(resources.threads, resources.memory_limit / 2)?;
    let classes = Classes::new(collection, &*options.method, &|_| None, resources)?;
    let mut asked: Vec<(u32, Fingerprint)> = Vec::new();
    for leader in classes.leaders() {
        let row = collection.row(leader);
        if let Some(fingerprint) = row.fingerprint.filter(|_| !row.is_deleted && !row.is_empty) {
            index.push(fingerprint, leader.into())?;
            asked.push((leader, fingerprint));
        }
    }
    let index = index.finish()?;
    let all = asked.len();
    asked.sort_unstable_by_key(|(leader, _)| split_mix(seed, u64::from(*leader)));
    asked.truncate(ASKED);
    let queries: Vec<Fingerprint> = asked.iter().map(|(_, fingerprint)| *fingerprint).collect();
    let half = Resources { memory_limit: resources.memory_limit / 2, ..resources.clone() };
    for found in index.batch_query(&queries, Within(most.min(u8::MAX.into()) as u8), &half, Some(watch))? {
        let (query, found) = found?;
        let (a, b) = (asked[query as usize].0, found.number as u32);
        let pair = if a < b { stored_pair(collection, options, a, b) } else { None };
        pair.map_or(Ok(()), &mut *visit)?;
    }
    Ok(all as f64 / asked.len().max(1) as f64)
}

/// Returns whether no document of a pair is deleted.
fn is_live(collection: &Collection, pair: &Pair) -> bool {
    [pair.a, pair.b].iter().all(|&ordinal| !collection.row(ordinal).is_deleted)
}

/// Adds the pairs that the model rejects with a probability not far below its threshold. Other methods have no scores
/// below their threshold.
fn rejected(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    pool: &mut Pool,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<()> {
    let settings = options.method.settings();
    let threshold = settings.iter().find(|setting| setting.name == "probability").map(|setting| &setting.value);
    let Some(&ParameterValue::Number(threshold)) = threshold else { return Ok(()) };
    let mut lower = options.clone();
    let less = (threshold - NEAR_THRESHOLD).max(0.0).to_string();
    lower.method.set("probability", &less).expect("a probability");
    let found = match PairJob::new(view, collection, &lower, Reach::ALL, watch) {
        Err(Error::Method { .. }) => return Ok(()),
        other => other?,
    };
    found.each(collection, &lower, watch, &mut |pair| {
        let is_near = pair.identical || pair.measures.share("probability").is_none_or(|share| share >= threshold);
        if !is_near && is_live(collection, &pair) {
            let (kept, other) = (pair.a.min(pair.b), pair.a.max(pair.b));
            let score = Score::of(&pair);
            let stratum = Stratum {
                kind: StratumKind::Rejected,
                rule: "model".into(),
                score: range(score),
                sites: sites(collection, kept, other),
                cluster: "-",
            };
            pool.push(stratum, kept, other, score);
        }
        Ok(())
    })
}

/// Draws from all strata, including rare ones. All pairs of a stratum are equally likely.
fn choose(
    collection: &Collection,
    pool: Pool,
    drawing: Drawing,
    sample: usize,
    seed: u64,
) -> (Vec<Drawn>, Vec<Candidate>) {
    let Pool { numbers, mut candidates, weight } = pool;
    let mut strata: Vec<(Stratum, usize)> = numbers.into_iter().collect();
    let (mut pairs, mut spreads) = (vec![0u64; strata.len()], vec![0.0; strata.len()]);
    for candidate in &candidates {
        pairs[candidate.stratum] += 1;
        spreads[candidate.stratum] += spread(candidate.score);
    }
    strata.sort();
    let of_kind = |kind: StratumKind| strata.iter().filter(move |(stratum, _)| stratum.kind == kind);
    let held = |kind: StratumKind| of_kind(kind).map(|(_, number)| pairs[*number]).sum::<u64>();
    let share = |share: f64| (sample as f64 * share) as u64;
    // If a kind has too few pairs, more removals are drawn; if there are too few removals, more rejected pairs.
    let again = share(AGAIN);
    let (mut apart, stays) =
        (share(REJECTED).min(held(StratumKind::Rejected)), share(STAYS).min(held(StratumKind::Stays)));
    let removed = (sample as u64).saturating_sub(again + apart + stays).min(held(StratumKind::Removed));
    apart = (sample as u64).saturating_sub(again + removed + stays).min(held(StratumKind::Rejected));
    let mut drawn = vec![0; strata.len()];
    for (kind, quota) in [(StratumKind::Removed, removed), (StratumKind::Stays, stays), (StratumKind::Rejected, apart)]
    {
        let of: Vec<usize> = of_kind(kind).map(|(_, number)| *number).collect();
        let population = |&number: &usize| {
            let count = pairs[number];
            Population { pairs: count, spread: spreads[number] / count.max(1) as f64 }
        };
        let populations: Vec<Population> = of.iter().map(population).collect();
        let counts = match drawing {
            Drawing::Removals => allocate(&populations, quota),
            Drawing::Distances(_) => {
                let scores: Vec<&str> = of_kind(kind).map(|(stratum, _)| &*stratum.score).collect();
                allocate_equally(&populations, &scores, quota)
            }
        };
        of.iter().zip(counts).for_each(|(&number, count)| drawn[number] = count);
    }
    // Pairs are sorted by site and taken at equal distances, so that every site has its share.
    let hash = |it: &Candidate| split_mix(seed, u64::from(it.kept) << 32 | u64::from(it.other));
    candidates.sort_by_key(|it| (it.stratum, collection.row(it.other).site, hash(it)));
    let mut chosen = Vec::new();
    for of in candidates.chunk_by(|a, b| a.stratum == b.stratum) {
        let number = of[0].stratum;
        let (count, len) = (drawn[number], of.len() as u64);
        // A random offset, as a fraction of the distance in units of 2^-31.
        let start = split_mix(seed, number as u64) % (1 << 31);
        for index in 0..count {
            let place = (u128::from(index) << 31 | u128::from(start)) * u128::from(len) / (u128::from(count) << 31);
            chosen.push(of[(place as usize).min(of.len() - 1)]);
        }
    }
    let mut place = vec![0; strata.len()];
    for (index, (_, number)) in strata.iter().enumerate() {
        place[*number] = index;
    }
    chosen.iter_mut().for_each(|candidate| candidate.stratum = place[candidate.stratum]);
    let strata = strata
        .into_iter()
        .map(|(stratum, number)| {
            let pairs = (pairs[number] as f64 * weight).round() as u64;
            Drawn { stratum, pairs, drawn: drawn[number] }
        })
        .collect();
    (strata, chosen)
}

/// Returns a random order of `pairs` pairs. `again` pairs of the first half are repeated in the second half, at a
/// distance.
fn order(pairs: usize, again: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pairs).collect();
    order.sort_by_key(|&index| split_mix(seed ^ 0xa0d1, index as u64));
    let mut early: Vec<usize> = (0..pairs / 2).collect();
    early.sort_by_key(|&place| split_mix(seed ^ 0xa9a1, place as u64));
    let mut repeats: Vec<(usize, usize)> = early
        .into_iter()
        .take(again)
        .enumerate()
        .map(|(number, place)| {
            let second = pairs / 2 + (number + 1) * (pairs - pairs / 2) / (again + 1);
            (second.max(place + BETWEEN).min(pairs), order[place])
        })
        .collect();
    repeats.sort_unstable();
    // Inserted from the end, so that earlier places do not move.
    for (place, index) in repeats.into_iter().rev() {
        order.insert(place, index);
    }
    order
}

#[cfg(test)]
mod tests {
    use nddb_index::{Document, Writer};

    use super::*;

    #[test]
    fn beyond_the_k_of_a_database_pairs_of_a_sample_stand_for_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = Writer::create(folder.path().join("db"), &Config::within(3).expect("k")).expect("created");
        // Twenty centres, and documents around each.
        let prints: Vec<u64> = (0..300u64)
            .map(|document| {
                let flips = (0..split_mix(document, 99) % 6).map(|flip| 1 << (split_mix(document, flip) % 64));
                flips.fold(split_mix(7, document % 20), |print, bit: u64| print ^ bit)
            })
            .collect();
        for (number, &print) in prints.iter().enumerate() {
            writer.insert(Document::bare(&number.to_string(), Fingerprint(print)).expect("an id")).expect("inserted");
        }
        writer.commit().expect("committed");
        let mut distinct = prints;
        distinct.sort_unstable();
        distinct.dedup();
        let mut want = BTreeMap::<String, f64>::new();
        for (index, a) in distinct.iter().enumerate() {
            for distance in distinct[index + 1..].iter().map(|b| (a ^ b).count_ones()).filter(|&it| it <= 10) {
                *want.entry(range(Score::Distance(distance))).or_default() += 1.0;
            }
        }
        let resources = Resources { folder: folder.path().into(), ..Resources::default() };
        let collection = Collection::with_deleted(writer.view(), &resources, &mut |_| true).expect("a collection");
        let mut mean = BTreeMap::<String, f64>::new();
        const DRAWS: u64 = 60;
        for seed in 0..DRAWS {
            let mut pool = Pool { numbers: BTreeMap::new(), candidates: Vec::new(), weight: 1.0 };
            let reach = (10, seed, &resources);
            distant(writer.view(), &collection, reach, &mut pool, &mut |_| true).expect("drawn");
            assert!((pool.weight - distinct.len() as f64 / ASKED as f64).abs() < 1e-9, "{}", pool.weight);
            for candidate in &pool.candidates {
                *mean.entry(range(candidate.score)).or_default() += pool.weight / DRAWS as f64;
            }
        }
        assert!(want.len() >= 8, "{want:?}");
        for (distance, want) in want.into_iter().filter(|(_, want)| *want >= 150.0) {
            let mean = mean.get(&distance).copied().unwrap_or_default();
            assert!((mean - want).abs() < want / 4.0, "{distance}: {mean} for {want}");
        }
    }

    #[test]
    fn every_pair_is_asked_for_and_some_again_not_soon_after() {
        for (pairs, again) in [(0, 0), (1, 0), (4, 1), (100, 20), (380, 20)] {
            let order = order(pairs, again, 7);
            assert_eq!(order.len(), pairs + again);
            let mut counts = vec![0; pairs];
            order.iter().for_each(|&index| counts[index] += 1);
            assert_eq!(counts.iter().filter(|&&count| count == 2).count(), again);
            assert!(counts.iter().all(|&count| count == 1 || count == 2));
            if pairs >= 100 {
                let soon = |gap: usize| order.windows(gap + 1).any(|part| part[0] == part[gap]);
                assert!(!(1..BETWEEN).any(soon), "{order:?}");
            }
        }
        assert_ne!(order(50, 5, 1), order(50, 5, 2));
        assert_eq!(order(50, 5, 1), order(50, 5, 1));
    }
}
