use std::collections::{BTreeMap, BTreeSet};

use nddb_format::record::Record;
use nddb_index::{Error, Reader};
use nddb_verdict::methods::{B, Hamming, all as every};

use super::*;
use crate::default_method::MethodChoice;
use crate::pair::GroupKind;
use crate::support::{Page, Random, collection, completed, database, named as method_of, options, pages};

const METHODS: [&str; 7] = ["identity", "hamming", "b", "c", "combined", "split", "min-hash"];

type Relation = BTreeSet<(String, String)>;

/// The verdict of a method on two pages, computed from its definition alone; the method `split` uses `sites`.
fn is_near(method: &str, complete: bool, a: &Page, b: &Page, sites: (&Page, &Page)) -> bool {
    let (x, y) = (&a.record, &b.record);
    if x.digest.is_some() && x.digest == y.digest && x.tokens != Some(0) {
        return true;
    }
    let within = |bits: u32| a.fingerprint.zip(b.fingerprint).is_some_and(|(a, b)| (a ^ b).count_ones() <= bits);
    let equal = x
        .supershingles
        .zip(y.supershingles)
        .map_or(0, |(a, b)| (0..6).filter(|&position| a[position] == b[position]).count());
    let differ: Option<Vec<bool>> = x
        .projection
        .zip(y.projection)
        .map(|(a, b)| (0..384).map(|bit| (a[bit / 64] ^ b[bit / 64]) >> (bit % 64) & 1 == 1).collect());
    let agree = differ.as_ref().map_or(0, |differ| differ.iter().filter(|differ| !**differ).count());
    let bounds: Vec<usize> = if complete {
        (0..=7).map(|i| 30 * i).chain((1..=6).map(|i| 210 + 29 * i)).collect()
    } else {
        (0..=12).map(|i| 32 * i).collect()
    };
    let shares =
        differ.is_some_and(|differ| bounds.windows(2).any(|piece| !differ[piece[0]..piece[1]].contains(&true)));
    let combined = equal >= 2 && agree >= 355;
    match method {
        "identity" => false,
        "hamming" => within(3),
        "b" => equal >= 2,
        "c" => shares && agree >= 372,
        "combined" => combined,
        "split" if sites.0.record.site.is_some() && sites.0.record.site == sites.1.record.site => combined,
        "split" => (shares || equal >= 2) && agree >= 372,
        "min-hash" => min_values_agree(x, y).is_some(),
        _ => panic!("{method} reads texts"),
    }
}

/// Whether at least 36 of 84 min-values of two documents have equal bytes, and all four of one band.
fn min_values_agree(a: &Record, b: &Record) -> Option<u32> {
    let (a, b) = (a.min_bytes.as_deref()?, b.min_bytes.as_deref()?);
    let agree = (0..84).filter(|&position| a[position] == b[position]).count();
    let shares = (0..21).any(|band| (4 * band..4 * band + 4).all(|position| a[position] == b[position]));
    (agree >= 36 && shares).then_some(agree as u32)
}

/// Compares relations; a failure prints a few of the differing pairs.
#[track_caller]
fn same(found: &Relation, want: &Relation, what: &str) {
    let (missing, extra): (Vec<_>, Vec<_>) = (want.difference(found).collect(), found.difference(want).collect());
    let few = |pairs: &[&(String, String)]| format!("{} {:?}", pairs.len(), &pairs[..pairs.len().min(3)]);
    assert!(missing.is_empty() && extra.is_empty(), "{what}: missing {}, extra {}", few(&missing), few(&extra));
}

fn named(a: &str, b: &str) -> (String, String) {
    (a.min(b).to_owned(), a.max(b).to_owned())
}

fn every_pair(pages: &[Page]) -> impl Iterator<Item = (&Page, &Page)> {
    pages.iter().enumerate().flat_map(|(position, a)| pages[position + 1..].iter().map(move |b| (a, b)))
}

/// The pair lines, and the groups by kind as lists of ids, the founder first.
fn lines(reader: &Reader, options: &PairOptions) -> (Relation, Vec<(GroupKind, Vec<String>)>, PairSummary) {
    let all = collection(reader, &options.resources);
    let (mut relation, mut groups, mut order) = (Relation::new(), Vec::new(), Vec::new());
    let mut one_by_one = NearPairs::find(reader.view(), &all, options, None).expect("found");
    let summary = pairs(reader.view(), &all, options, &mut |_| true, &mut |line| {
        assert_eq!(one_by_one.next().transpose().expect("decided").as_ref(), Some(&line));
        match line {
            Line::Group(group) => {
                assert!(group.members.is_sorted_by(|&a, &b| all.id(a) < all.id(b)));
                assert_eq!(group.founder, group.members.iter().copied().min().unwrap_or(group.founder));
                let members = group.members.iter().map(|&member| all.id(member).to_owned());
                groups.push((
                    group.kind,
                    std::iter::once(all.id(group.founder).to_owned()).chain(members).collect::<Vec<_>>(),
                ));
            }
            Line::Pair(pair) => {
                order.push((all.id(pair.a).to_owned(), all.id(pair.b).to_owned()));
                assert!(relation.insert((all.id(pair.a).to_owned(), all.id(pair.b).to_owned())), "a pair comes once");
            }
        }
        Ok(())
    });
    let summary = summary.expect("pairs");
    assert!(one_by_one.next().is_none() && one_by_one.next().is_none(), "no more");
    assert_eq!(*one_by_one.summary(), summary);
    assert!(order.is_sorted() && order.iter().all(|(a, b)| a < b), "pairs are sorted by id");
    assert!(groups.is_sorted_by_key(|(kind, group)| (*kind, group[0].clone())), "groups are sorted by founder");
    assert_eq!(summary.pairs, relation.len() as u64);
    (relation, groups, summary)
}

#[test]
fn with_expand_the_pairs_are_those_of_comparing_everything() {
    for seed in [1, 2, 3] {
        let (folder, pages) = (tempfile::tempdir().expect("a folder"), pages(400, seed));
        let reader = database(folder.path(), &pages).expect("a database");
        for method in METHODS {
            for complete in [false, true] {
                let options = PairOptions { expand: true, ..options(completed(method, complete)) };
                let want: Relation = every_pair(&pages)
                    .filter(|(a, b)| is_near(method, complete, a, b, (a, b)))
                    .map(|(a, b)| named(&a.id, &b.id))
                    .collect();
                let (found, groups, _) = lines(&reader, &options);
                same(&found, &want, &format!("{method}, seed {seed}, complete {complete}"));
                assert!(want.len() > 100 && groups.is_empty());
            }
        }
    }
}

#[test]
fn groups_and_the_pairs_between_them_say_the_same() {
    for seed in [4, 5] {
        let (folder, pages) = (tempfile::tempdir().expect("a folder"), pages(400, seed));
        let reader = database(folder.path(), &pages).expect("a database");
        let page: BTreeMap<&str, &Page> = pages.iter().map(|page| (&*page.id, page)).collect();
        for method in METHODS {
            let (relation, groups, summary) = lines(&reader, &options(method_of(method)));
            // All documents under their representatives, and representatives under the founders of their hot groups.
            let mut members: BTreeMap<&str, Vec<&str>> =
                pages.iter().map(|page| (&*page.id, vec![&*page.id])).collect();
            let mut leader: BTreeMap<&str, &str> = pages.iter().map(|page| (&*page.id, &*page.id)).collect();
            let mut empty = Vec::new();
            for (kind, group) in &groups {
                let (founder, group) = (&*group[0], &group[1..]);
                match kind {
                    GroupKind::Identity | GroupKind::Hot => {
                        for id in group.iter().filter(|id| *id != founder) {
                            let moved = members.remove(&**id).expect("it stood alone, or for an identity set");
                            moved.iter().for_each(|&id| _ = leader.insert(id, founder));
                            members.get_mut(founder).expect("a founder").extend(moved);
                        }
                    }
                    GroupKind::Empty => empty.extend(group),
                    GroupKind::Star => panic!("no group is that large"),
                }
            }
            assert_eq!(empty.len(), pages.iter().filter(|page| page.record.tokens == Some(0)).count());
            let mut said: Relation = members
                .values()
                .flat_map(|class| class.iter().flat_map(|a| class.iter().filter(move |&b| a < b).map(|b| named(a, b))))
                .collect();
            for (a, b) in &relation {
                let product = members[&**a].iter().flat_map(|a| members[&**b].iter().map(|b| named(a, b)));
                said.extend(product);
            }
            let want: Relation = every_pair(&pages)
                .filter(|(a, b)| {
                    let sites = (page[leader[&*a.id]], page[leader[&*b.id]]);
                    leader[&*a.id] == leader[&*b.id] || is_near(method, false, a, b, sites)
                })
                .map(|(a, b)| named(&a.id, &b.id))
                .collect();
            same(&said, &want, &format!("{method}, seed {seed}"));
            assert_eq!((summary.flagged, summary.stars), (0, 0));
            assert_eq!(summary.compared, members.len() as u64);
        }
    }
}

/// Pages that share only their first supershingles.
fn block(len: usize) -> Vec<Page> {
    let mut random = Random(11);
    let first = Page::new("first", &mut random);
    let mut block = vec![first.clone()];
    for index in 1..len {
        let mut page = Page::new(&format!("page{index}"), &mut random);
        let theirs = first.record.supershingles.unwrap_or_default();
        page.record.supershingles.iter_mut().for_each(|mine| mine[..2].copy_from_slice(&theirs[..2]));
        // Some pages share a second key.
        if index % 10 == 3 {
            page.record.supershingles.iter_mut().for_each(|mine| mine[4..].copy_from_slice(&[1, 2]));
        }
        block.push(page);
    }
    block
}

#[test]
fn above_the_limit_a_group_of_candidates_is_a_star() {
    let (folder, pages) = (tempfile::tempdir().expect("a folder"), block(100));
    let reader = database(folder.path(), &pages).expect("a database");
    let (all, groups, _) = lines(&reader, &options(B::default()));
    assert_eq!((all.len(), groups.len()), (100 * 99 / 2, 0));
    let (star, groups, summary) = lines(&reader, &PairOptions { group_limit: 50, ..options(B::default()) });
    let around = (1..100).map(|index| named("first", &format!("page{index}")));
    let tens: Vec<usize> = (1..100).filter(|index| index % 10 == 3).collect();
    let others = tens
        .iter()
        .flat_map(|a| tens.iter().filter(move |b| a < b).map(move |b| named(&format!("page{a}"), &format!("page{b}"))));
    assert_eq!(star, around.chain(others).collect());
    assert_eq!(groups, [(GroupKind::Star, vec!["first".to_owned()])]);
    assert_eq!((summary.stars, summary.flagged), (1, 1));
    let (expanded, ..) = lines(&reader, &PairOptions { group_limit: 50, expand: true, ..options(B::default()) });
    assert_eq!(expanded, all);
}

#[test]
fn of_all_pairs_each_is_decided_by_its_own_sketches() {
    let mut random = Random(21);
    let first = Page::new("first", &mut random);
    // The same text with other parts as its content, and another text with these parts.
    let mut second = Page::new("second", &mut random);
    (second.record.digest, second.record.tokens) = (first.record.digest, first.record.tokens);
    let mut third = Page { id: "third".into(), ..second.clone() };
    third.record.digest = Some([9; 16]);
    let folder = tempfile::tempdir().expect("a folder");
    let reader = database(folder.path(), &[first, second, third]).expect("a database");
    for method in METHODS.into_iter().filter(|method| *method != "identity") {
        let (found, ..) = lines(&reader, &PairOptions { expand: true, ..options(method_of(method)) });
        assert_eq!(found, [named("first", "second"), named("second", "third")].into(), "{method}");
    }
}

#[test]
fn a_group_above_the_limit_is_flagged_and_still_one_line() {
    let mut random = Random(3);
    let page = Page::new("p", &mut random);
    let mut pages: Vec<Page> = (0..30).map(|index| Page { id: format!("same{index}"), ..page.clone() }).collect();
    pages.extend((0..20).map(|index| {
        let mut page = Page { id: format!("like{index}"), ..page.clone() };
        page.record.digest = Some([index; 16]);
        page
    }));
    let folder = tempfile::tempdir().expect("a folder");
    let reader = database(folder.path(), &pages).expect("a database");
    for method in METHODS.into_iter().filter(|method| *method != "identity") {
        let (relation, groups, summary) =
            lines(&reader, &PairOptions { group_limit: 25, ..options(method_of(method)) });
        assert_eq!((relation.len(), groups.len()), (0, 2), "{method}");
        assert_eq!((summary.identity_groups, summary.hot_groups, summary.flagged, summary.compared), (1, 1, 1, 1));
    }
}

#[test]
fn a_method_without_its_sketches_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(8);
    let mut bare = Page::new("bare", &mut random);
    bare.record = Default::default();
    let reader = database(folder.path(), &[bare]).expect("a database");
    let all = collection(&reader, &Default::default());
    for method in every() {
        let outcome = pairs(reader.view(), &all, &options(method.clone()), &mut |_| true, &mut |_| Ok(()));
        match method.name() {
            "hamming" => assert!(outcome.is_ok()),
            _ => assert!(matches!(outcome, Err(Error::Method { .. })), "{method}: {outcome:?}"),
        }
    }
    let lax = options(B { b: 1 });
    let folder = tempfile::tempdir().expect("a folder");
    let reader = database(folder.path(), &block(3)).expect("a database");
    let all = collection(&reader, &Default::default());
    let outcome = pairs(reader.view(), &all, &lax, &mut |_| true, &mut |_| Ok(()));
    assert!(matches!(outcome, Err(Error::OutOfRange { .. })), "{outcome:?}");
    let lax = PairOptions::chosen(MethodChoice::exactly(Hamming::within(4)));
    let outcome = pairs(reader.view(), &all, &lax, &mut |_| true, &mut |_| Ok(()));
    assert!(matches!(outcome, Err(Error::OutOfRange { .. })), "{outcome:?}");
}

/// A method keeps its distance; a name stands for the distance of the database.
#[test]
fn a_distance_is_never_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = |id: &str, fingerprint| {
        let mut page = Page::new(id, &mut Random(1));
        (page.record, page.fingerprint) = (Record { id: id.into(), ..Record::default() }, Some(fingerprint));
        page
    };
    let reader = database(folder.path(), &[page("a", 0), page("b", 0b111)]).expect("a database");
    let found = |choice| lines(&reader, &PairOptions::chosen(choice)).0.len();
    let named = || MethodChoice::named(reader.view(), Hamming::within(1).into());
    let exactly = |k| MethodChoice::exactly(Hamming::within(k));
    assert_eq!([found(exactly(2)), found(exactly(3)), found(named())], [0, 1, 1]);
}

#[test]
fn an_empty_database_has_no_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let reader = database(folder.path(), &[]).expect("a database");
    for method in METHODS {
        let (relation, groups, summary) = lines(&reader, &options(method_of(method)));
        assert_eq!((relation.len(), groups.len(), summary.documents), (0, 0, 0));
    }
}
