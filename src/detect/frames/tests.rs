use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nddb_test_support::Random;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::find_frames;
use crate::detect::collection::Collection;
use crate::detect::method::frame_table::FrameTable;
use crate::detect::method::options::PairOptions;
use crate::detect::method::pair::{Line, Pair, PairSummary, Verified};
use crate::detect::method::registry::Method;
use crate::detect::method::rules::Rules;
use crate::detect::method::traits::Traits;
use crate::detect::method::verification::Verification;
use crate::detect::support::{Corpus, options};
use crate::detect::{ClusterOptions, cluster, pairs};
use crate::sketch::{Recipe, agreement, min_bytes};
use crate::spill::resources::Resources;
use crate::text::Page;
use crate::{Config, Error};

/// A page: its site, if it is known, and its blocks, the words of a heading or of a paragraph.
#[derive(Clone, Debug)]
struct Made {
    site: Option<&'static str>,
    title: String,
    blocks: Vec<String>,
}

impl Made {
    fn html(&self, is_kept: impl Fn(&str) -> bool) -> String {
        let block = |(index, words): (usize, &String)| match index {
            1 => format!("<h2>{words}</h2>"),
            _ => format!("<p>{words}.</p>"),
        };
        let blocks = self.blocks.iter().enumerate().filter(|(_, words)| is_kept(words));
        format!("<title>{}</title><main>{}</main>", self.title, blocks.map(block).collect::<String>())
    }

    fn url(&self, index: usize) -> Option<String> {
        self.site.map(|site| format!("http://www.{site}/{index}"))
    }
}

fn load(folder: &Path, pages: &[Made]) -> Corpus {
    let line = |(index, page): (usize, &Made)| {
        let url = page.url(index).map(|url| format!(",\"url\":\"{url}\"")).unwrap_or_default();
        format!("{{\"id\":\"p{index:03}\",\"html\":\"{}\"{url}}}\n", page.html(|_| true))
    };
    let path = folder.join("pages.jsonl");
    std::fs::write(&path, pages.iter().enumerate().map(line).collect::<String>()).expect("the folder is writable");
    let resources = Resources { memory_limit: 0, folder: folder.into() };
    Corpus::load(&path, &folder.join("db"), &Config::within(3).expect("a k"), &resources)
}

fn words(random: &mut Random, len: u64) -> String {
    (0..len).map(|_| format!("w{}", random.below(5000))).collect::<Vec<_>>().join(" ")
}

fn hash_of(words: &str) -> u64 {
    let bytes: Vec<u8> = words.split(' ').flat_map(|word| xxh3_64(word.as_bytes()).to_le_bytes()).collect();
    xxh3_64(&bytes)
}

fn site_hash(site: &str) -> u64 {
    xxh3_128(site.as_bytes()) as u64
}

fn table(corpus: &Corpus, folder: &Path) -> FrameTable {
    let resources = Resources { memory_limit: 0, folder: folder.into() };
    find_frames(corpus.view(), corpus.collection(), &resources, &mut |_| true).expect("a table").0
}

/// All pairs of a method with `expand`, by the numbers of the two pages.
fn found(corpus: &Corpus, options: &PairOptions) -> (BTreeMap<(u32, u32), Pair>, PairSummary) {
    let options = PairOptions { expand: true, ..options.clone() };
    let mut found = BTreeMap::new();
    let summary = pairs(corpus.view(), corpus.collection(), &options, &mut |_| true, &mut |line| {
        if let Line::Pair(pair) = line {
            found.insert((pair.a.min(pair.b), pair.a.max(pair.b)), pair);
        }
        Ok(())
    });
    (found, summary.expect("pairs"))
}

/// Pages of some sites, whose blocks are their own, of their site, or of all.
fn random_pages(random: &mut Random, len: usize) -> Vec<Made> {
    let sites = ["a.example", "b.example", "c.example", "d.example"];
    let common: Vec<String> = (0..30).map(|index| words(random, 1 + 8 * (index % 5))).collect();
    let mut pages: Vec<Made> = Vec::new();
    for index in 0..len {
        // Of the first site are half of the pages, of the last few.
        let site = sites.get(random.below(4).min(random.below(5)) as usize).copied();
        let title = words(random, 2);
        let mut blocks: Vec<String> = (0..random.below(4)).map(|_| words(random, 12)).collect();
        for _ in 0..random.below(12) {
            let block = &common[random.below(30).min(random.below(30)) as usize];
            // A block may stand twice on a page.
            blocks.insert(random.below(blocks.len() as u64 + 1) as usize, block.clone());
        }
        pages.push(match random.below(5) {
            0 if index > 0 => Made { site, ..pages[random.below(index as u64) as usize].clone() },
            1 if index > 0 => {
                let mut page = pages[random.below(index as u64) as usize].clone();
                page.blocks.push(words(random, 3));
                page
            }
            _ => Made { site, title, blocks },
        });
    }
    pages
}

/// The blocks that the definition names, by sites.
fn plain(pages: &[Made]) -> BTreeSet<(&'static str, String)> {
    let mut on: BTreeMap<(&str, String), BTreeSet<usize>> = BTreeMap::new();
    let mut of: BTreeMap<&str, u64> = BTreeMap::new();
    for (index, page) in pages.iter().enumerate() {
        let Some(site) = page.site else { continue };
        *of.entry(site).or_default() += 1;
        for block in &page.blocks {
            on.entry((site, block.clone())).or_default().insert(index);
        }
        // A page with hardly any terms is content as a whole, its title included.
        if page.blocks.iter().map(|block| block.split(' ').count()).sum::<usize>() < 5 {
            on.entry((site, page.title.clone())).or_default().insert(index);
        }
    }
    let is_frame = |on: usize, of: u64| on >= 5 && 10 * on as u64 >= of;
    on.into_iter().filter(|((site, _), pages)| is_frame(pages.len(), of[site])).map(|(key, _)| key).collect()
}

#[test]
fn the_table_has_the_blocks_that_the_definition_names() {
    let mut random = Random::seeded("frame tables");
    for len in [0, 4, 60, 400] {
        let folder = tempfile::tempdir().expect("a folder");
        let pages = random_pages(&mut random, len);
        let corpus = load(folder.path(), &pages);
        let resources = Resources { memory_limit: 0, folder: folder.path().into() };
        let (table, summary) =
            find_frames(corpus.view(), corpus.collection(), &resources, &mut |_| true).expect("a table");
        let expected = plain(&pages);
        let hashes: BTreeSet<(u64, u64)> =
            expected.iter().map(|(site, block)| (site_hash(site), hash_of(block))).collect();
        let listed: Vec<(u64, u64)> = hashes.iter().copied().collect();
        assert_eq!(Ok(table.clone()), FrameTable::of("main/3", &listed), "{len} pages");
        assert_eq!(FrameTable::from_bytes(table.as_bytes().to_vec()), Ok(table));
        let known: Vec<&str> = pages.iter().filter_map(|page| page.site).collect();
        assert_eq!(summary.pages, known.len() as u64);
        assert_eq!(summary.left_out, (len - known.len()) as u64);
        assert_eq!(summary.sites as usize, known.iter().collect::<BTreeSet<_>>().len());
        assert_eq!(summary.framed_sites as usize, expected.iter().map(|(site, _)| site).collect::<BTreeSet<_>>().len());
        assert_eq!((summary.blocks as usize, summary.unread.total()), (expected.len(), 0));
    }
}

/// A pair that the model finds is near without frame if the two pages are that were never given it.
#[test]
fn pairs_are_judged_as_if_the_frame_were_not_on_the_pages() {
    let mut random = Random::seeded("pairs without frames");
    let folder = tempfile::tempdir().expect("a folder");
    let pages = random_pages(&mut random, 300);
    let corpus = load(folder.path(), &pages);
    let (rules, recipe) = (Rules { probability: 0.2, ..Rules::default() }, Recipe::default());
    let once = PairOptions { rules, ..options(Method::Model) };
    let (before, _) = found(&corpus, &once);
    let frame = plain(&pages);
    let sketch = |number: u32| {
        let page = &pages[number as usize];
        let is_left = |block: &str| page.site.is_none_or(|site| !frame.contains(&(site, block.to_owned())));
        let left: usize = page.blocks.iter().filter(|block| is_left(block)).map(|block| block.split(' ').count()).sum();
        let (html, url) = (page.html(is_left), page.url(number as usize));
        (left >= 5).then(|| recipe.sketch(&Page { url: url.as_deref(), ..Page::html(&html) }))
    };
    let mut expected = BTreeMap::new();
    for (&(a, b), pair) in &before {
        let probability = match (sketch(a), sketch(b)) {
            _ if pair.evidence.identical => pair.probability,
            (Some(x), Some(y)) => {
                let [p, q] = [&x, &y].map(|sketch| min_bytes(&sketch.min_hash.as_ref().expect("terms").values));
                let [x, y] = [&x, &y].map(|sketch| sketch.profile.as_ref().expect("terms"));
                Some(rules.model.probability(&Traits::of(x, y, agreement(&p, &q))))
            }
            _ => pair.probability,
        };
        if probability >= Some(rules.probability) {
            expected.insert((a, b), probability);
        }
    }
    let frames = Some(table(&corpus, folder.path()));
    let (after, summary) = found(&corpus, &PairOptions { frames, ..once.clone() });
    let probabilities: BTreeMap<_, _> = after.iter().map(|(&key, pair)| (key, pair.probability)).collect();
    assert_eq!(probabilities, expected);
    assert_eq!(summary.rejected as usize, before.len() - after.len());
    assert!(summary.rejected > 0, "some pairs are of one template");
    // Where nothing is frame, nothing changes, down to the evidence.
    let frames = Some(FrameTable::of("main/3", &[]).expect("a table"));
    let (same, _) = found(&corpus, &PairOptions { frames, ..once });
    assert_eq!(same.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert!(same.iter().all(|(key, pair)| Pair { verified: None, ..*pair } == before[key]));
}

/// Twelve pages of one template of so many words; of some the own part is that of another.
fn template(words_of_frame: u64) -> Vec<Made> {
    let mut random = Random(7);
    let frame: Vec<String> = (0..4).map(|_| words(&mut random, words_of_frame / 4)).collect();
    let own: Vec<String> = (0..12).map(|_| words(&mut random, 20)).collect();
    let page = |index: usize| {
        let mut blocks = frame.clone();
        blocks.insert(2, own[if index < 10 { index } else { 0 }].clone());
        // Of copies something else differs, or they would be identical.
        blocks.push(format!("of copy number x{index}"));
        Made { site: Some("a.example"), title: "One title".into(), blocks }
    };
    (0..12).map(page).collect()
}

#[test]
fn pages_of_one_template_are_parted_and_copies_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = load(folder.path(), &template(600));
    let (before, _) = found(&corpus, &options(Method::Model));
    assert_eq!(before.len(), 66, "all are alike");
    let frames = Some(table(&corpus, folder.path()));
    let framed = PairOptions { frames, ..options(Method::Model) };
    let (after, _) = found(&corpus, &framed);
    assert_eq!(after.keys().copied().collect::<Vec<_>>(), [(0, 10), (0, 11), (10, 11)]);
    assert!(after.values().all(|pair| pair.verdict() == "model; frames"));
    // Clusters keep to it.
    let mut clusters = ClusterOptions::new(framed);
    clusters.remove = crate::detect::Remove::Near;
    let removed = |options: &ClusterOptions| {
        let collection = Collection::with_deleted(corpus.view(), &options.pairs.resources, &mut |_| true);
        let collection = collection.expect("a collection");
        let found = cluster(corpus.view(), &collection, options, &mut |_| true, &mut |_| Ok(())).expect("clusters");
        (0..12).filter(|&rank| found.is_removed(rank)).collect::<Vec<_>>()
    };
    assert_eq!(removed(&clusters), [10, 11]);
    // What cannot be read is as it was, is marked, and removes nothing.
    std::fs::remove_file(folder.path().join("pages.jsonl")).expect("it is there");
    let (unread, summary) = found(&corpus, &clusters.pairs);
    assert_eq!((unread.len(), summary.unverified, summary.unread.moved), (66, 66, 12));
    assert!(unread.iter().all(|(key, pair)| pair.verdict() == "model; frames: text not read"
        && pair.verified == Some(Verified::FramesUnread)
        && pair.evidence == before[key].evidence));
    assert_eq!(removed(&clusters), Vec::<u32>::new());
}

#[test]
fn of_pages_that_are_all_frame_the_default_verdict_stands() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pages = template(600);
    // The words of a template in another order, six times each: all of it is frame.
    let half = |page: &mut Made| page.blocks.truncate(2);
    pages[..6].iter_mut().for_each(half);
    for page in &mut pages[..6] {
        page.blocks.push("The End".into());
    }
    for (index, page) in pages[..6].iter_mut().enumerate() {
        // Else they would be identical.
        page.title = format!("One title{}", " title".repeat(index));
    }
    let corpus = load(folder.path(), &pages);
    let frames = Some(table(&corpus, folder.path()));
    let (before, _) = found(&corpus, &options(Method::Model));
    let (after, _) = found(&corpus, &PairOptions { frames, ..options(Method::Model) });
    let all_frame = before.iter().filter(|((a, b), _)| *a < 6 && *b < 6);
    let mut compared = 0;
    for (key, pair) in all_frame {
        let stands = after[key];
        assert_eq!(
            (stands.verdict().as_ref(), stands.probability),
            ("model; frames: too little left", pair.probability)
        );
        compared += 1;
    }
    assert_eq!(compared, 15);
}

/// Sketches do not see a few words of many: which are the only ones that differ.
#[test]
fn members_of_a_hot_group_are_judged_against_its_founder() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pages = template(40_000);
    for page in &mut pages {
        page.blocks.pop();
    }
    let corpus = load(folder.path(), &pages);
    let groups = |options: &PairOptions| {
        let (mut hot, mut near) = (Vec::new(), 0);
        let summary = pairs(corpus.view(), corpus.collection(), options, &mut |_| true, &mut |line| {
            match line {
                Line::Group(group) => hot.push(group.members.to_vec()),
                Line::Pair(_) => near += 1,
            }
            Ok(())
        });
        (hot, near, summary.expect("pairs").rejected)
    };
    let (hot, ..) = groups(&options(Method::Model));
    // Those that are identical are one group, and some of equal sketches another.
    let is_hot = |members: &Vec<u32>| members.iter().any(|&member| (1..10).contains(&member));
    assert!(hot.iter().any(is_hot), "{hot:?}");
    let frames = Some(table(&corpus, folder.path()));
    let (hot, near, rejected) = groups(&PairOptions { frames, ..options(Method::Model) });
    assert_eq!((hot, near), (vec![vec![0, 10, 11]], 0));
    assert!(rejected > 0);
}

#[test]
fn frames_that_cannot_be_used_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = load(folder.path(), &template(100));
    let frames = Some(FrameTable::of("main/3", &[]).expect("a table"));
    let refused = |options: PairOptions| {
        let found = pairs(corpus.view(), corpus.collection(), &options, &mut |_| true, &mut |_| Ok(()));
        let checked = crate::detect::check(corpus.view(), &options);
        let error = found.expect_err("refused");
        assert_eq!(checked.expect_err("refused").to_string(), error.to_string());
        error
    };
    let error = refused(PairOptions { frames: frames.clone(), ..options(Method::B) });
    assert!(matches!(error, Error::Method { method: "b", .. }), "{error}");
    let error = refused(PairOptions { frames, verify: Verification::Unsure, ..options(Method::Model) });
    assert!(matches!(error, Error::Method { .. }), "{error}");
    let frames = Some(FrameTable::of("main-c/3", &[]).expect("a table"));
    let error = refused(PairOptions { frames, ..options(Method::Model) });
    assert_eq!(error.to_string(), "the frame table is of the recipe 'main-c/3', and the database of 'main/3'");
    // A recipe without profiles has no blocks.
    let web = Config::within(3).expect("a k").recipe("web/1");
    let resources = Resources { memory_limit: 0, folder: folder.path().into() };
    let corpus = Corpus::load(&folder.path().join("pages.jsonl"), &folder.path().join("web"), &web, &resources);
    let error = find_frames(corpus.view(), corpus.collection(), &resources, &mut |_| true).expect_err("refused");
    assert!(matches!(error, Error::Method { .. }), "{error}");
}
