use std::collections::{BTreeMap, BTreeSet};

use nddb_index::{Reader, Writer};
use nddb_verdict::methods::B;
use nddb_verdict::{Decider, Decision, DocumentPair, Reason};

use super::*;
use crate::pairs;
use crate::support::{Page, Random, database, named, options, pages};

const METHODS: [&str; 7] = ["identity", "hamming", "b", "c", "combined", "split", "min-hash"];

/// The cluster of each clustered document, and the documents to remove.
type Clustering = (BTreeMap<String, String>, BTreeSet<String>);

fn made(view: View<'_>, options: &ClusterOptions) -> Clustering {
    let resources = &options.pairs.resources;
    let collection = Collection::with_deleted(view, resources, &mut |_| true).expect("a collection");
    let clusters = Clusters::find(view, &collection, options, None).expect("clusters");
    let (mut of, mut last) = (BTreeMap::new(), String::new());
    for cluster in clusters.iter(&collection).expect("listed") {
        let id = collection.id(cluster.founder).to_owned();
        assert!(id > last && cluster.members.len() > 1, "by id, and of two and more");
        assert!(cluster.members.is_sorted_by(|&a, &b| collection.id(a) < collection.id(b)));
        assert!(cluster.members.contains(&cluster.kept));
        for &member in &cluster.members {
            assert!(of.insert(collection.id(member).to_owned(), id.clone()).is_none(), "in one cluster");
        }
        last = id;
    }
    let removed = (0..collection.len()).filter(|&rank| clusters.is_removed(rank));
    let removed: BTreeSet<String> = removed.map(|rank| collection.id(collection.at_rank(rank)).to_owned()).collect();
    let summary = &clusters.summary;
    assert_eq!((summary.clustered, summary.removed), (of.len() as u64, removed.len() as u64));
    assert_eq!(summary.kept + summary.removed, collection.held().documents);
    (of, removed)
}

fn defaults(method: &str) -> ClusterOptions {
    ClusterOptions::new(options(named(method)))
}

/// All pairs with their scores, by ordinals. The method `split` takes the site of a document from its leader.
fn near(
    collection: &Collection,
    method: &str,
    leader: &dyn Fn(u32) -> u32,
    view: View<'_>,
) -> BTreeMap<(u32, u32), u64> {
    let mut all = BTreeMap::new();
    let expanded = PairOptions { expand: true, ..options(named(method)) };
    let outcome = pairs(view, collection, &expanded, &mut |_| true, &mut |line| {
        if let Line::Pair(pair) = line
            && method != "split"
        {
            all.insert((pair.a.min(pair.b), pair.a.max(pair.b)), pair.score);
        }
        Ok(())
    });
    outcome.expect("pairs");
    if method == "split" {
        // As if each document were on its leader's site.
        for a in 0..collection.len() {
            for b in a + 1..collection.len() {
                let sites = [leader(a), leader(b)].map(|ordinal| collection.row(ordinal).site);
                let same_site = sites[0].zip(sites[1]).map(|(a, b)| a == b);
                let together = leader(a) == leader(b);
                let keyed = shares(collection, a, b);
                let judged = collection.compared(a, b, |pair| {
                    Decider::new(&*expanded.method, None).judge(&DocumentPair::new(pair.a, pair.b, same_site))
                });
                if together || keyed && judged.is_near() {
                    all.insert((a, b), judged.score);
                }
            }
        }
    }
    all
}

/// Whether two documents are candidates of split.
fn shares(collection: &Collection, a: u32, b: u32) -> bool {
    let b_similar = collection.compared(a, b, B::similarity).is_some_and(|similarity| similarity >= 2);
    let pieces = collection
        .projection(a)
        .zip(collection.projection(b))
        .is_some_and(|(a, b)| a.iter().zip(&b).any(|(a, b)| (a ^ b) as u32 == 0 || (a ^ b) >> 32 == 0));
    b_similar || pieces || collection.compared(a, b, |pair| pair.identical())
}

/// The rule as documented: each document in turn is compared with all founders before it.
fn plain(len: u32, near: &BTreeMap<(u32, u32), u64>) -> Vec<u32> {
    let mut founder: Vec<u32> = Vec::new();
    for newer in 0..len {
        let mut best: Option<(u64, u32)> = None;
        for older in (0..newer).filter(|&older| founder[older as usize] == older) {
            if let Some(&score) = near.get(&(older, newer))
                && best.is_none_or(|(most, _)| score > most)
            {
                best = Some((score, older));
            }
        }
        founder.push(best.map_or(newer, |(_, older)| older));
    }
    founder
}

#[test]
fn stars_are_those_of_looking_at_every_founder() {
    let mut parted = 0;
    for seed in [21, 22, 23] {
        let (folder, pages) = (tempfile::tempdir().expect("a folder"), pages(300, seed));
        let reader = database(folder.path(), &pages).expect("a database");
        for method in METHODS {
            let options = defaults(method);
            let resources = &options.pairs.resources;
            let collection = Collection::with_deleted(reader.view(), resources, &mut |_| true).expect("a collection");
            let classes = crate::collection::classes::Classes::new(&collection, &*named(method), &|_| None, resources)
                .expect("classes");
            let near = near(&collection, method, &|ordinal| classes.leader(ordinal), reader.view());
            let mut want = plain(collection.len(), &near);
            parted += part(&collection, &options, &|ordinal| classes.leader(ordinal), &mut want);
            let mut empty = (0..collection.len()).filter(|&ordinal| collection.row(ordinal).is_empty);
            let first = empty.next();
            empty.for_each(|ordinal| want[ordinal as usize] = first.unwrap_or(ordinal));
            let view = reader.view();
            let clusters = cluster(view, &collection, &options, &mut |_| true, &mut |_| Ok(())).expect("clusters");
            let wrong: Vec<u32> =
                (0..collection.len()).filter(|&at| clusters.founder(at) != want[at as usize]).collect();
            assert!(
                wrong.is_empty(),
                "{method}, seed {seed}: {} wrong, {:?}",
                wrong.len(),
                &wrong[..wrong.len().min(5)]
            );
            assert!(clusters.summary.clusters > 5 && clusters.summary.removed > 5);
            // By the evidence of each.
            for member in (0..collection.len()).filter(|&member| !collection.row(member).is_empty) {
                let decision = decided(&collection, &options, member, clusters.founder(member));
                let is_near = decision != Decision::Apart;
                assert!(is_near || member == clusters.founder(member), "{method}, seed {seed}: {member}");
            }
        }
    }
    assert!(parted > 0, "some members are parted from the founder of their leader");
}

/// The verdict of the method on two documents.
fn decided(collection: &Collection, options: &ClusterOptions, a: u32, b: u32) -> Decision {
    let decider = options.pairs.decider();
    collection.compared(a, b, |pair| decider.judge(pair).decision)
}

/// Members that are not near the founder of their leader found a cluster with others of their class. Returns how many
/// such members there are.
fn part(collection: &Collection, options: &ClusterOptions, leader: &dyn Fn(u32) -> u32, founder: &mut [u32]) -> usize {
    let is_parted = |founder: &[u32], member: u32| {
        let joined = founder[member as usize];
        let follows = leader(member) != member && joined != leader(member) && joined != member;
        follows && decided(collection, options, member, joined) == Decision::Apart
    };
    let parted: Vec<u32> = (0..collection.len()).filter(|&member| is_parted(founder, member)).collect();
    for &member in &parted {
        let first = parted.iter().find(|&&other| leader(other) == leader(member)).expect("itself at least");
        founder[member as usize] = *first;
    }
    parted.len()
}

#[test]
fn what_is_added_later_moves_nothing() {
    for method in METHODS {
        for limit in [5, 1000] {
            let (folder, pages) = (tempfile::tempdir().expect("a folder"), pages(240, 31));
            let other = tempfile::tempdir().expect("a folder");
            let mut options = defaults(method);
            options.pairs.group_limit = limit;
            let half = database(other.path(), &pages[..120]).expect("a database");
            let whole = database(folder.path(), &pages).expect("a database");
            let founders = |reader: &Reader, options: &ClusterOptions| {
                let resources = &options.pairs.resources;
                let collection =
                    Collection::with_deleted(reader.view(), resources, &mut |_| true).expect("a collection");
                let clusters = cluster(reader.view(), &collection, options, &mut |_| true, &mut |_| Ok(()));
                clusters.expect("clusters").founder
            };
            let (before, after) = (founders(&half, &options), founders(&whole, &options));
            assert_eq!(before, after[..120], "{method}, limit {limit}");
        }
    }
}

#[test]
fn components_are_joined_by_any_pair() {
    let (folder, pages) = (tempfile::tempdir().expect("a folder"), pages(300, 41));
    let reader = database(folder.path(), &pages).expect("a database");
    for method in METHODS {
        let options = ClusterOptions { components: true, ..defaults(method) };
        let resources = &options.pairs.resources;
        let collection = Collection::with_deleted(reader.view(), resources, &mut |_| true).expect("a collection");
        let classes = crate::collection::classes::Classes::new(&collection, &*named(method), &|_| None, resources)
            .expect("classes");
        let near = near(&collection, method, &|ordinal| classes.leader(ordinal), reader.view());
        let mut want: Vec<u32> = (0..collection.len()).collect();
        for _ in 0..collection.len() {
            for &(a, b) in near.keys() {
                let least = want[a as usize].min(want[b as usize]);
                (want[a as usize], want[b as usize]) = (least, least);
            }
        }
        let mut empty = (0..collection.len()).filter(|&ordinal| collection.row(ordinal).is_empty);
        let first = empty.next();
        empty.for_each(|ordinal| want[ordinal as usize] = first.unwrap_or(ordinal));
        let clusters = cluster(reader.view(), &collection, &options, &mut |_| true, &mut |_| Ok(())).expect("clusters");
        assert_eq!(clusters.founder, want, "{method}");
    }
}

#[test]
fn of_oversized_stars_pairs_with_a_centre_are_lines() {
    for method in ["b", "min-hash", "hamming"] {
        for components in [false, true] {
            let (folder, pages) = (tempfile::tempdir().expect("a folder"), pages(300, 61));
            drop(database(folder.path(), &pages).expect("a database"));
            let mut writer = Writer::open(folder.path().join("db")).expect("a writer");
            let mut options = ClusterOptions { components, ..defaults(method) };
            options.pairs.group_limit = 12;
            for deleted in [false, true] {
                if deleted {
                    // Most other pages are near one of the first pages.
                    pages[..2].iter().for_each(|page| assert!(writer.delete(&page.id).expect("deleted")));
                    writer.commit().expect("durable");
                }
                let (view, resources) = (writer.view(), &options.pairs.resources);
                let all = Collection::with_deleted(view, resources, &mut |_| true).expect("a collection");
                let live = Collection::build(view, resources, &mut |_| true).expect("a collection");
                let mut lines = BTreeSet::new();
                let clusters = cluster(view, &all, &options, &mut |_| true, &mut |line| {
                    if let Line::Pair(pair) = line {
                        lines.insert((all.id(pair.a).to_owned(), all.id(pair.b).to_owned()));
                    }
                    Ok(())
                });
                let clusters = clusters.expect("clusters");
                assert_eq!(clusters.summary.pairs.pairs, lines.len() as u64);
                // By the definition: the oldest live document of each cluster is its centre.
                let (mut centres, mut oversized) = (BTreeSet::new(), BTreeSet::new());
                let each = clusters.each(&all, &mut |cluster| {
                    centres.extend(cluster.members.iter().min().map(|&centre| all.id(centre)));
                    if cluster.oversized && !components {
                        oversized.extend(cluster.members.iter().map(|&member| all.id(member)));
                    }
                    Ok(())
                });
                each.expect("listed");
                let found = PairJob::new(view, &live, &options.pairs, Reach::STABLE, &mut |_| true).expect("found");
                let (mut want, mut left_out) = (BTreeSet::new(), 0);
                let outcome = found.each(&live, &options.pairs, &mut |_| true, &mut |pair| {
                    let ends = [live.id(pair.a), live.id(pair.b)];
                    let alone =
                        |id: &str| clusters.founder(all.find(id).expect("there")) == all.find(id).expect("there");
                    if ends.iter().any(|id| oversized.contains(id))
                        && !ends.iter().any(|id| centres.contains(id) || alone(id))
                    {
                        left_out += 1;
                    } else {
                        want.insert((ends[0].to_owned(), ends[1].to_owned()));
                    }
                    Ok(())
                });
                outcome.expect("pairs");
                assert_eq!(lines, want, "{method}, {components}, {deleted}");
                assert!((left_out > 0) != components, "{method}, {components}, {deleted}: {left_out}");
            }
        }
    }
}

/// Four pages in a chain: each is near its neighbours only.
fn chain() -> Vec<Page> {
    let mut random = Random(51);
    let first = Page::new("b", &mut random);
    let page = |id: &str, flipped: u32, date: Option<i64>, tokens: u64, url: &str| {
        let mut page = Page { id: id.into(), ..first.clone() };
        page.fingerprint = first.fingerprint.map(|print| print ^ ((1u64 << flipped) - 1));
        page.record.digest = Some([flipped as u8; 16]);
        (page.record.date, page.record.tokens, page.record.url) = (date, Some(tokens), Some(url.into()));
        page
    };
    vec![
        page("b", 0, Some(9), 10, "http://a/"),
        page("a", 3, Some(9), 30, "http://a/long"),
        page("d", 6, None, 20, "h"),
        page("c", 2, Some(9), 30, "http://a/"),
    ]
}

#[test]
fn only_what_is_near_to_the_kept_document_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let reader = database(folder.path(), &chain()).expect("a database");
    let ids = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<BTreeSet<String>>();
    let of = |pairs: &[(&str, &str)]| pairs.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect();
    // b founds, a and c join it; d, six bits from b, founds.
    let star: BTreeMap<String, String> = of(&[("a", "b"), ("b", "b"), ("c", "b")]);
    let removed = |keep: &[Keep], components| {
        made(reader.view(), &ClusterOptions { keep: keep.to_vec(), components, ..defaults("hamming") })
    };
    assert_eq!(removed(&[Keep::Stored], false), (star.clone(), ids(&["a", "c"])));
    assert_eq!(
        removed(&[Keep::Oldest, Keep::Longest, Keep::ShortestUrl], false),
        (star.clone(), ids(&["a", "b"])),
        "three of one date: the longest, by address"
    );
    assert_eq!(removed(&[Keep::Longest, Keep::ShortestUrl], false), (star.clone(), ids(&["a", "b"])));
    assert_eq!(removed(&[Keep::Id], false), (star.clone(), ids(&["b", "c"])));
    assert_eq!(removed(&[Keep::Newest, Keep::Batch], false), (star, ids(&["b", "c"])), "nothing tells them apart");
    let (component, gone) = removed(&[Keep::ShortestUrl], true);
    assert_eq!(component, of(&[("a", "b"), ("b", "b"), ("c", "b"), ("d", "b")]));
    assert_eq!(gone, ids(&["a", "c"]), "d is kept, and only a is near to it; c is near to b, which stays");
    let verdicts = |level| {
        let components =
            ClusterOptions { keep: vec![Keep::ShortestUrl], components: true, level, ..defaults("hamming") };
        let (view, mut found) = (reader.view(), Vec::new());
        let all = Collection::with_deleted(view, &components.pairs.resources, &mut |_| true).expect("a collection");
        cluster_with_members(view, &all, &components, &mut |_| true, &mut |_| Ok(()), &mut |member| {
            let distance = member.pair.as_ref().and_then(|pair| pair.measures.count("distance"));
            found.push((all.id(member.kept).to_owned(), all.id(member.member).to_owned(), distance, member.verdict));
            Ok(())
        })
        .expect("clusters");
        found
    };
    let pair = |kept: &str, member: &str, distance, verdict| (kept.to_owned(), member.to_owned(), distance, verdict);
    let row = |member, distance, verdict| pair("d", member, distance, verdict);
    let differs = MemberVerdict::Loses(Reason::Differs);
    let (removed, apart) = (MemberVerdict::Removed, MemberVerdict::Apart);
    let again = pair("b", "c", Some(2), removed);
    assert_eq!(verdicts(Level::Standard), [row("a", Some(3), removed), again, row("b", None, apart)]);
    assert_eq!(verdicts(Level::Same)[0], row("a", Some(3), differs));
}

#[test]
fn members_that_are_not_near_the_kept_document_are_compared_among_themselves() {
    let (folder, mut random) = (tempfile::tempdir().expect("a folder"), Random(71));
    let first = Page::new("founder", &mut random);
    let page = |id: &str, bits: u64, tokens: u64| {
        let mut page = Page { id: id.into(), ..first.clone() };
        page.fingerprint = first.fingerprint.map(|print| print ^ bits);
        page.record.digest = Some([bits.leading_zeros() as u8; 16]);
        page.record.tokens = Some(tokens);
        page
    };
    // All are near to the founder, the members two bits from each other, and four from the longest.
    let mut pages = vec![page("founder", 0, 10), page("longest", 7, 99)];
    pages.extend((0..8).map(|member| page(&format!("member{member}"), 1 << (20 + member), 20)));
    let reader = database(folder.path(), &pages).expect("a database");
    let options = ClusterOptions { keep: vec![Keep::Longest], ..defaults("hamming") };
    let (of, removed) = made(reader.view(), &options);
    assert!(of.values().all(|founder| founder == "founder") && of.len() == 10);
    assert_eq!((removed.len(), removed.contains("longest"), removed.contains("member0")), (8, false, false));
    let all = Collection::with_deleted(reader.view(), &options.pairs.resources, &mut |_| true).expect("a collection");
    let clusters = cluster(reader.view(), &all, &options, &mut |_| true, &mut |_| Ok(())).expect("clusters");
    let ClusterSummary { apart, removed_again, undecided, .. } = clusters.summary;
    assert_eq!((apart, removed_again, undecided), (8, 7, 0));
    let find = |id: &str| all.find(id).expect("there");
    assert_eq!(clusters.kept_for(find("member5"), find("longest")), find("member0"));
    assert_eq!(clusters.kept_for(find("founder"), find("longest")), find("longest"));
}

#[test]
fn what_stays_of_a_cluster_is_not_near_and_what_goes_is_near_to_what_stays() {
    let (folder, pages) = (tempfile::tempdir().expect("a folder"), pages(300, 81));
    let reader = database(folder.path(), &pages).expect("a database");
    let mut again = 0;
    for method in METHODS {
        for keep in [Keep::Longest, Keep::Stored] {
            let options = ClusterOptions { keep: vec![keep], ..defaults(method) };
            let view = reader.view();
            let all = Collection::with_deleted(view, &options.pairs.resources, &mut |_| true).expect("a collection");
            let clusters = cluster(view, &all, &options, &mut |_| true, &mut |_| Ok(())).expect("clusters");
            again += clusters.summary.removed_again;
            let near = |a, b| matches!(decided(&all, &options, a, b), Decision::Near(_));
            let each = clusters.each(&all, &mut |cluster| {
                let is_removed = |member: u32| clusters.is_removed(all.row(member).rank);
                for &member in cluster.members.iter().filter(|_| !cluster.empty) {
                    let others = cluster.members.iter().filter(|&&other| other != member && !is_removed(other));
                    let nearest = others.filter(|&&other| near(member, other)).count();
                    assert_eq!(nearest > 0, is_removed(member), "{method}, {keep:?}, {}", all.id(member));
                }
                Ok(())
            });
            each.expect("listed");
        }
    }
    assert!(again > 0, "some are removed because of others than the kept document");
}

#[test]
fn what_an_earlier_clustering_kept_no_later_one_removes() {
    for method in METHODS {
        let (folder, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let pages = pages(300, 91);
        let first = database(other.path(), &pages[..150]).expect("a database");
        let both = database(folder.path(), &pages).expect("a database");
        let options = defaults(method);
        let (_, removed) = made(first.view(), &options);
        let (_, removed_later) = made(both.view(), &options);
        let flipped =
            pages[..150].iter().filter(|page| removed_later.contains(&page.id) && !removed.contains(&page.id));
        assert_eq!(flipped.count(), 0, "{method}");
        assert!(removed_later.len() > removed.len(), "{method}");
    }
}

#[test]
fn a_deleted_founder_keeps_its_cluster_until_it_is_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(database(folder.path(), &chain()).expect("a database"));
    let mut writer = Writer::open(folder.path().join("db")).expect("a writer");
    let options = defaults("hamming");
    let cluster_of = |writer: &Writer| made(writer.view(), &options).0;
    writer.flush().expect("flushed");
    assert!(writer.delete("b").expect("deleted"));
    writer.commit().expect("durable");
    let of = |pairs: &[(&str, &str)]| pairs.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect();
    assert_eq!(cluster_of(&writer), of(&[("a", "b"), ("c", "b")]));
    let plan = writer.plan_full_compaction().expect("a plan");
    writer.compact(&plan).expect("compacted");
    // a founds now; it is near to c, and to d, too.
    assert_eq!(cluster_of(&writer), of(&[("a", "a"), ("c", "a"), ("d", "a")]));
}

#[test]
fn lists_decide_whatever_clustering_would_decide() {
    let (folder, mut random) = (tempfile::tempdir().expect("a folder"), Random(72));
    let first = Page::new("a", &mut random);
    let page = |id: &str, bits: u64| {
        let mut page = Page { id: id.into(), ..first.clone() };
        page.fingerprint = first.fingerprint.map(|print| print ^ bits);
        page.record.digest = Some([bits as u8; 16]);
        page
    };
    // Three near-duplicates and another document; the ranks of their ids are 0 to 3.
    let pages = [page("a", 0), page("b", 1), page("c", 2), page("d", !0)];
    let reader = database(folder.path(), &pages).expect("a database");
    let removed = |never: &[u32], always: &[u32]| {
        let mut options = defaults("hamming");
        never.iter().for_each(|&rank| options.overrules.never_remove(rank));
        always.iter().for_each(|&rank| options.overrules.always_remove(rank));
        let all = Collection::with_deleted(reader.view(), &options.pairs.resources, &mut |_| true).expect("documents");
        let clusters = cluster(reader.view(), &all, &options, &mut |_| true, &mut |_| Ok(())).expect("clusters");
        let gone: Vec<u32> = (0..4).filter(|&rank| clusters.is_removed(rank)).collect();
        assert_eq!((clusters.summary.removed, clusters.summary.kept), (gone.len() as u64, 4 - gone.len() as u64));
        gone
    };
    assert_eq!(removed(&[], &[]), [1, 2]);
    assert_eq!(removed(&[1], &[]), [0, 2], "the listed one is kept");
    assert_eq!(removed(&[1, 2], &[]), [0]);
    assert!(removed(&[0, 1, 2, 3], &[0, 3]).is_empty(), "what is on both lists stays");
    assert_eq!(removed(&[], &[0, 3]), [0, 2, 3], "another one is kept, and a document without a near-duplicate goes");
    assert_eq!(removed(&[], &[0, 1, 2]), [0, 1, 2]);
    assert_eq!(removed(&[2], &[0, 9]), [0, 1], "a rank that no document has");
}

/// All that pairs and clusters say of a database, with this number of threads.
fn told(view: View<'_>, options: &ClusterOptions, threads: usize) -> String {
    use std::fmt::Write;

    let mut options = options.clone();
    options.pairs.resources.threads = threads;
    let mut out = String::new();
    for expand in [false, true] {
        let all = PairOptions { expand, words: Some(WordsFrom::Auto), ..options.pairs.clone() };
        let collection = Collection::build(view, &all.resources, &mut |_| true).expect("a collection");
        let mut lines = String::new();
        let summary = pairs(view, &collection, &all, &mut |_| true, &mut |line| {
            writeln!(lines, "{line:?}").expect("memory");
            Ok(())
        });
        let mut written = String::new();
        let write = |out: &mut String, line: Line| writeln!(out, "{line:?}").expect("memory");
        let again = crate::pairs_written(view, &collection, &all, &mut |_| true, &write, &mut |lines| {
            written += &lines;
            Ok(())
        });
        assert_eq!((lines.clone(), summary.expect("pairs")), (written, again.expect("pairs")));
        out += &lines;
    }
    let collection = Collection::with_deleted(view, &options.pairs.resources, &mut |_| true).expect("a collection");
    let (mut lines, mut members) = (String::new(), String::new());
    let clusters = cluster_with_members(
        view,
        &collection,
        &options,
        &mut |_| true,
        &mut |line| {
            writeln!(lines, "{line:?}").expect("memory");
            Ok(())
        },
        &mut |member| {
            writeln!(members, "{member:?}").expect("memory");
            Ok(())
        },
    )
    .expect("clusters");
    let Clusters { founder, removed, losses, summary, .. } = &clusters;
    let mut losses: Vec<_> = losses.iter().map(|(member, loss)| (member, format!("{loss:?}"))).collect();
    losses.sort_unstable();
    let removed: Vec<usize> = removed.ones().collect();
    write!(out, "{lines}{members}{founder:?} {removed:?} {losses:?} {summary:?}").expect("memory");
    out
}

#[test]
fn pairs_and_clusters_are_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let seed = 21;
    let reader = database(folder.path(), &pages(500, seed)).expect("a database");
    let corpus = crate::support::corpus(folder.path(), &crate::support::texts(160, seed));
    let of_sketches = METHODS.map(|method| (reader.view(), method));
    let of_texts = ["hamming", "lcs", "cosine", "shingles"].map(|method| (corpus.view(), method));
    for (view, method) in of_sketches.into_iter().chain(of_texts) {
        for group_limit in [6, 1000] {
            let mut options = ClusterOptions { words: WordsFrom::Auto, ..defaults(method) };
            options.pairs.group_limit = group_limit;
            let want = told(view, &options, 1);
            assert!(want.len() > 1000, "{method}, seed {seed}: {} bytes", want.len());
            for threads in [2, 7, 16] {
                let found = told(view, &options, threads);
                let differs = found.lines().zip(want.lines()).find(|(found, want)| found != want);
                assert!(found == want, "{method}, {threads} threads, seed {seed}: {differs:?}");
            }
        }
    }
}
