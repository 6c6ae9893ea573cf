use nddb_dedup::support::{Page, Random, collection, corpus, database, named, options, pages, texts};
use nddb_dedup::{Line, Verification, pairs};
use nddb_verdict::methods::{B, Lcs};

use super::*;

type Pairs = BTreeSet<(u32, u32)>;

const METHODS: [&str; 7] = ["identity", "hamming", "b", "c", "combined", "split", "min-hash"];

/// The pairs of `expand`, by definition.
fn expanded(view: View<'_>, collection: &Collection, options: &PairOptions) -> (Pairs, PairSummary) {
    let (options, mut all) = (PairOptions { expand: true, ..options.clone() }, Pairs::new());
    let summary = pairs(view, collection, &options, &mut |_| true, &mut |line| {
        if let Line::Pair(pair) = line {
            all.insert((pair.a.min(pair.b), pair.a.max(pair.b)));
        }
        Ok(())
    });
    (all, summary.expect("pairs"))
}

/// Compares the counted with the listed pairs; returns how many pairs were in blocks.
#[track_caller]
fn agree(listed: u64, view: View<'_>, collection: &Collection, options: &PairOptions, what: &str) -> u64 {
    let (want, summary) = expanded(view, collection, options);
    let len = collection.len();
    let asked: Vec<(u32, u32)> =
        (0..len).flat_map(|a| (a + 1..len).map(move |b| (b, a))).filter(|(a, b)| (7 * a + b) % 3 == 0).collect();
    let (mut single, mut sum, mut many, mut found, mut random) = (Pairs::new(), 0, 0, Pairs::new(), Random(5));
    let position: BTreeSet<(u32, u32)> = asked.iter().map(|&(b, a)| (a, b)).collect();
    let counted = count_beyond(listed, view, collection, options, &asked, &mut |_| true, &mut |counted| {
        match counted {
            Counted::Pair(a, b) => {
                let pair = (a.min(b), a.max(b));
                assert!(want.contains(&pair) && single.insert(pair), "{what}: {pair:?}");
                found.extend(position.get(&pair));
                sum += 1;
            }
            Counted::PairBlock(block) => {
                assert!(block.pairs() > listed);
                (sum, many) = (sum + block.pairs(), many + block.pairs());
                for &position in block.asked {
                    assert!(found.insert((asked[position].1, asked[position].0)), "{what}: twice");
                }
                for _ in 0..50 {
                    let (a, b) = block.draw([random.next(), random.next()]);
                    let pair = (a.min(b), a.max(b));
                    assert!(want.contains(&pair) && !single.contains(&pair), "{what}: {pair:?} of a crowd");
                }
            }
        }
        Ok(())
    });
    let counted = counted.expect("pairs");
    assert_eq!((sum, counted.pairs), (want.len() as u64, want.len() as u64), "{what}");
    assert_eq!((counted.candidates, counted.rejected), (summary.candidates, summary.rejected), "{what}");
    assert_eq!(counted.unverified, summary.unverified, "{what}");
    assert_eq!(found, want.intersection(&position).copied().collect(), "{what}");
    many
}

#[test]
fn what_is_counted_is_what_expand_lists() {
    for seed in [6, 7] {
        let (folder, pages) = (tempfile::tempdir().expect("a folder"), pages(400, seed));
        let reader = database(folder.path(), &pages).expect("a database");
        let all = collection(&reader, &Default::default());
        for method in METHODS {
            for listed in [0, 5, LISTED] {
                let many =
                    agree(listed, reader.view(), &all, &options(named(method)), &format!("{method}, {seed}, {listed}"));
                // The seed decides whether any block exceeds the real limit.
                assert!(many > 0 || listed == LISTED, "{method}, {seed}, {listed}");
            }
        }
    }
}

#[test]
fn what_is_counted_of_texts_is_what_expand_lists() {
    let (folder, texts) = (tempfile::tempdir().expect("a folder"), texts(120, 3));
    let corpus = corpus(folder.path(), &texts);
    for method in ["lcs", "cosine", "shingles", "hamming", "split"] {
        for verify in [None, Some(Verification::default()), Some(Verification::of_same_site(Lcs::default()))] {
            for listed in [0, 4, LISTED] {
                let options = PairOptions { verify: verify.clone(), ..options(named(method)) };
                let what = format!("{method}, {}, {listed}", verify.is_some());
                agree(listed, corpus.view(), corpus.collection(), &options, &what);
            }
        }
    }
}

/// A list of all these pairs would have 450 million rows.
#[test]
fn copies_of_a_page_are_counted_and_not_listed() {
    let mut random = Random(3);
    let page = Page::new("p", &mut random);
    let copies: Vec<Page> = (0..30_000).map(|copy| Page { id: format!("{copy}"), ..page.clone() }).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let reader = database(folder.path(), &copies).expect("a database");
    let all = collection(&reader, &Default::default());
    for method in METHODS {
        let mut pair_counts = 0;
        let summary =
            count(reader.view(), &all, &options(named(method)), &[(3, 29_000)], &mut |_| true, &mut |counted| {
                let Counted::PairBlock(block) = counted else { panic!("{method}: one by one") };
                pair_counts += 1;
                assert_eq!(block.asked, [0]);
                Ok(())
            });
        assert_eq!((summary.expect("pairs").pairs, pair_counts), (30_000 * 29_999 / 2, 1), "{method}");
    }
}

/// Pages that share a key of too many documents are judged, although most of their pairs are not compared.
#[test]
fn asked_pairs_of_a_cut_key_are_decided() {
    let mut random = Random(9);
    let first = Page::new("first", &mut random);
    let block: Vec<Page> = (0..5000)
        .map(|index| {
            let mut page = Page::new(&format!("page{index}"), &mut random);
            let theirs = first.record.supershingles.unwrap_or_default();
            page.record.supershingles.iter_mut().for_each(|mine| mine[..2].copy_from_slice(&theirs[..2]));
            page
        })
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let reader = database(folder.path(), &block).expect("a database");
    let all = collection(&reader, &Default::default());
    let mut found = Vec::new();
    let asked = [(1, 0), (17, 4000), (4999, 2)];
    let summary = count(reader.view(), &all, &options(B::default()), &asked, &mut |_| true, &mut |counted| {
        if let Counted::Pair(a, b) = counted {
            found.push((a.min(b), a.max(b)));
        }
        Ok(())
    })
    .expect("pairs");
    assert_eq!((summary.stars, summary.pairs), (1, 4999 + 2));
    assert!(asked.iter().all(|&(a, b)| found.contains(&(a.min(b), a.max(b)))));
}
