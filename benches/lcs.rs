//! Comparing two texts: trustable longest common subsequence, and Myers' algorithm against public crates.
//!
//! `cargo bench --bench lcs -- --queries 2000`, and `-- --warc FILE --pages 2000` for pairs of real pages; `--only`
//! with `myers`, `near`, `unlike` or `real` runs one part.
//!
//! **Texts** are 10 KB of sentences over 5,000 invented words, the frequent ones short. In a near-duplicate, each
//! character is replaced, deleted or followed by another one with a probability of 1% or 5%. The two texts of an unlike
//! pair have different main parts and the same boilerplate sentences of their site. Boilerplate is a fifth of the text,
//! spread over the text or as header and footer. Real pairs are pages whose main contents share a sentence, at most 20
//! pairs per sentence.
#![allow(clippy::print_stdout, reason = "figures are printed as plain text")]

mod common;

use std::collections::HashMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use clap::Args;
use common::{Options, Random, figure, measure, median, say};
use nddb::archive::{self, EntryContent, Input};
use nddb::compare::lcs::Parameters;
use nddb::compare::lcs::Thresholds;
use nddb_page::text::content_text;
use nddb_verdict::compare::lcs::{Comparer, Likeness, Myers, Prepared, plain};

/// Bytes of a generated text.
const SIZE: usize = 10_240;

type Pair = (usize, usize);
/// Compares two texts and returns the number of edits between them, `None` beyond a limit.
type Work<'a> = dyn FnMut(&[u8], &[u8]) -> Option<usize> + 'a;

#[derive(Args)]
struct More {
    /// Runs only this part.
    #[arg(long, value_parser = ["myers", "near", "unlike", "real"])]
    only: Option<String>,
    /// Archive of real pages.
    #[arg(long)]
    warc: Option<PathBuf>,
    /// Greatest number of pages taken from the archive.
    #[arg(long, default_value = "2K", value_parser = common::count)]
    pages: usize,
}

fn main() {
    let (options, more) = Options::read::<More>(0, 2_000);
    let pairs = if options.test { 4 } else { options.queries };
    let mut random = Random(options.seed);
    let words = words(&mut random);
    let originals: Vec<String> = (0..pairs.min(500)).map(|_| text(&words, SIZE, &mut random)).collect();
    let rounds = options.rounds(5);

    let wanted = |part: &str| more.only.as_ref().is_none_or(|only| only == part);
    for percent in [1, 5].into_iter().filter(|_| wanted("myers")) {
        let edited: Vec<String> = originals.iter().map(|text| edit(text, percent, &mut random)).collect();
        myers(&originals, &edited, percent, rounds, options.test);
    }
    for percent in [1, 5].into_iter().filter(|_| wanted("near")) {
        let edited: Vec<String> = originals.iter().map(|text| edit(text, percent, &mut random)).collect();
        let texts: Vec<String> = originals.iter().cloned().chain(edited).collect();
        let half = originals.len();
        let drawn: Vec<Pair> = (0..pairs).map(|pair| (pair % half, half + pair % half)).collect();
        compare(&format!("near-duplicates, {percent}% edited"), &texts, &drawn, "15000", rounds, options.test);
    }
    for (what, spread) in [("spread", true), ("as header and footer", false)].into_iter().filter(|_| wanted("unlike")) {
        let texts: Vec<String> = (0..pairs.min(1_000)).map(|_| site_page(&words, 7, spread, &mut random)).collect();
        let drawn: Vec<Pair> = (0..pairs).map(|_| distinct(texts.len(), &mut random)).collect();
        compare(&format!("unlike, boilerplate {what}"), &texts, &drawn, "60000", rounds, options.test);
    }
    if let Some(path) = &more.warc {
        real(path, more.pages, pairs, rounds, &mut random);
    }
}

/// Returns invented words, the first ones short.
fn words(random: &mut Random) -> Vec<String> {
    let word = |rank: usize| {
        let len = 2 + rank.ilog2() as usize / 2 + random.index(4);
        (0..len).map(|_| char::from(b"etaoinshrdlcumwfgypbvk"[random.index(22)])).collect()
    };
    (1..=5_000).map(word).collect()
}

fn sentence(words: &[String], random: &mut Random) -> String {
    let mut sentence = String::new();
    for position in 0..4 + random.index(16) {
        if position > 0 {
            sentence.push(' ');
        }
        // The word of rank r is drawn with a probability near 1 / r.
        let rank = ((words.len() as f64).powf(random.index(1 << 20) as f64 / f64::from(1 << 20)) as usize)
            .min(words.len() - 1);
        sentence.push_str(&words[rank]);
    }
    sentence + ". "
}

fn text(words: &[String], size: usize, random: &mut Random) -> String {
    let mut text = String::new();
    while text.len() < size {
        text.push_str(&sentence(words, random));
    }
    text.truncate(size);
    text
}

fn edit(text: &str, percent: usize, random: &mut Random) -> String {
    let mut edited = String::new();
    for symbol in text.chars() {
        if random.index(100) >= percent {
            edited.push(symbol);
            continue;
        }
        let other = char::from(b'a' + random.index(26) as u8);
        match random.index(3) {
            0 => edited.push(other),
            1 => (),
            _ => edited.extend([symbol, other]),
        }
    }
    edited
}

/// Returns a page of a site. A fifth of it is boilerplate, which all pages of the site share.
fn site_page(words: &[String], site: u64, spread: bool, random: &mut Random) -> String {
    let mut fixed = Random(site);
    let boilerplate: Vec<String> = (0..20).map(|_| text(words, SIZE / 100, &mut fixed)).collect();
    let main = |random: &mut Random| text(words, SIZE * 4 / 100, random);
    let parts: Vec<String> = if spread {
        boilerplate.into_iter().flat_map(|part| [part, main(random)]).collect()
    } else {
        let (head, foot) = boilerplate.split_at(10);
        head.iter().cloned().chain((0..20).map(|_| main(random))).chain(foot.iter().cloned()).collect()
    };
    parts.concat()
}

fn distinct(len: usize, random: &mut Random) -> Pair {
    let first = random.index(len);
    (first, (first + 1 + random.index(len - 1)) % len)
}

/// Prepares the texts and compares the pairs, some of them also by the definition.
fn compare(what: &str, texts: &[String], pairs: &[Pair], goal: &str, rounds: usize, test: bool) -> Vec<Likeness> {
    let (parameters, thresholds) = (Parameters::default(), Thresholds::default());
    let (prepared, spent) = measure(|| texts.iter().map(|text| Prepared::new(text, &parameters)).collect::<Vec<_>>());
    let size: usize = prepared.iter().map(Prepared::size).sum();
    let chars: usize = prepared.iter().map(Prepared::len).sum();
    say(format_args!("{what}: {} pairs of {} texts", pairs.len(), texts.len()));
    figure("preparing a text: CPU us", format_args!("{:.1}", spent.cpu_us(texts.len())), "");
    figure("a prepared text: KB", format_args!("{:.0}", size as f64 / 1e3 / texts.len() as f64), "");
    figure("characters a text", chars / texts.len(), "");
    let mut comparer = Comparer::new(parameters, &thresholds);
    let (mut found, mut verdicts) = (Vec::new(), Vec::new());
    let mut speeds = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        found.clear();
        verdicts.clear();
        let mut each = |into: &mut Vec<Likeness>, look: fn(&mut Comparer, &Prepared, &Prepared) -> Likeness| {
            let (_, spent) =
                measure(|| into.extend(pairs.iter().map(|&(a, b)| look(&mut comparer, &prepared[a], &prepared[b]))));
            1e6 / spent.cpu_us(pairs.len())
        };
        speeds[0].push(each(&mut verdicts, Comparer::verdict));
        speeds[1].push(each(&mut found, Comparer::compare));
    }
    let share = |count: usize| format!("{:.1}%", 100.0 * count as f64 / pairs.len() as f64);
    figure(
        "near-duplicates by the verdict",
        share(found.iter().filter(|found| found.exceeds(&thresholds)).count()),
        "",
    );
    figure("stopped early", share(found.iter().filter(|found| found.stopped).count()), "");
    figure("verdicts a CPU second, median of rounds", format_args!("{:.0}", median(&speeds[0])), goal);
    figure("with all numbers", format_args!("{:.0}", median(&speeds[1])), "");
    for (verdict, found) in verdicts.iter().zip(&found) {
        assert_eq!(verdict.exceeds(&thresholds), found.exceeds(&thresholds), "{verdict:?} {found:?}");
    }
    let checked = if test { 1 } else { 20.min(pairs.len()) };
    for position in 0..checked {
        let position = position * pairs.len() / checked;
        let (a, b) = pairs[position];
        assert_eq!(found[position], plain::compare(&texts[a], &texts[b], &parameters, &thresholds), "the definition");
    }
    figure("verdicts and numbers equal to the definition's", format_args!("{checked} of {checked}"), "");
    found
}

/// Measures Myers' algorithm alone, on whole texts.
fn myers(originals: &[String], edited: &[String], percent: usize, rounds: usize, test: bool) {
    let len = if test { 1 } else { originals.len().min(100) };
    let pairs: Vec<(&[u8], &[u8])> =
        originals.iter().zip(edited).take(len).map(|(a, b)| (a.as_bytes(), b.as_bytes())).collect();
    let mut ours = Myers::new();
    let mut runs = Vec::new();
    let expected: Vec<usize> =
        pairs.iter().map(|(a, b)| rapidfuzz::distance::indel::distance(a.iter(), b.iter())).collect();
    let edits = expected.iter().sum::<usize>() / len;
    say(format_args!("Myers, 10 KB, {percent}% edited: {len} pairs, {edits} edits a pair"));
    let time = |what: &str, goal: &str, exact: bool, work: &mut Work<'_>| {
        let mut spents = Vec::new();
        for _ in 0..rounds {
            let mut found = Vec::new();
            let (_, spent) = measure(|| found.extend(pairs.iter().map(|(a, b)| black_box(work(a, b)))));
            spents.push(spent.cpu_us(len));
            for (found, &expected) in found.into_iter().zip(&expected) {
                assert!(found == Some(expected) || !exact && found > Some(expected), "{what}: {found:?}, {expected}");
            }
        }
        figure(what, format_args!("{:.1}", median(&spents)), goal);
    };
    time("length only: CPU us a pair", "2x rapidfuzz", true, &mut |a, b| ours.distance(a, b, usize::MAX));
    time("  rapidfuzz", "", true, &mut |a, b| Some(rapidfuzz::distance::indel::distance(a.iter(), b.iter())));
    time("edit script: CPU us a pair", "2x the fastest", true, &mut |a, b| ours.runs(a, b, usize::MAX, &mut runs));
    // These crates use heuristics: their edit scripts need not be the shortest.
    time("  similar, not exact", "", false, &mut |a, b| {
        let script = similar::capture_diff_slices(similar::Algorithm::Myers, a, b);
        let changed = script.iter().filter(|part| part.tag() != similar::DiffTag::Equal);
        Some(changed.map(|part| part.old_range().len() + part.new_range().len()).sum())
    });
    time("  imara-diff, not exact", "", false, &mut |a, b| {
        let tokens = |text: &[u8]| text.iter().map(|&byte| imara_diff::Token(byte.into())).collect::<Vec<_>>();
        let mut script = imara_diff::Diff::default();
        script.compute_with(imara_diff::Algorithm::Myers, &tokens(a), &tokens(b), 256);
        Some((script.count_removals() + script.count_additions()) as usize)
    });
}

/// Measures pairs of real pages that share a sentence.
fn real(path: &Path, pages: usize, pairs: usize, rounds: usize, random: &mut Random) {
    let mut input = Input::open(path, &archive::Options::default()).expect("an archive");
    let mut texts = Vec::new();
    while texts.len() < pages
        && let Some(entry) = input.next().expect("readable")
    {
        if let EntryContent::Page(page) = entry.content {
            texts.push(content_text(&page.page()));
        }
    }
    let mut sharing: HashMap<&str, Vec<usize>> = HashMap::new();
    for (position, text) in texts.iter().enumerate() {
        let start = text.char_indices().map(|(at, _)| at).take_while(|&at| at <= SIZE).last().unwrap_or(0);
        for sentence in text[..start].split(['.', '!', '?', ';', ':', ',', '。', '，', '！', '？', '；', '：', '\n'])
        {
            let sentence = sentence.trim();
            if sentence.len() > 16 {
                let sharing = sharing.entry(sentence).or_default();
                if sharing.last() != Some(&position) {
                    sharing.push(position);
                }
            }
        }
    }
    let mut sharing: Vec<_> = sharing.into_iter().filter(|(_, sharing)| sharing.len() > 1).collect();
    sharing.sort_unstable();
    let mut drawn: Vec<Pair> = Vec::new();
    for (_, sharing) in &sharing {
        for _ in 0..sharing.len().min(20) {
            let (a, b) = distinct(sharing.len(), random);
            drawn.push((sharing[a].min(sharing[b]), sharing[a].max(sharing[b])));
        }
    }
    drawn.sort_unstable();
    drawn.dedup();
    for last in (1..drawn.len()).rev() {
        drawn.swap(last, random.index(last + 1));
    }
    drawn.truncate(pairs * 4);
    drawn.sort_unstable();
    let found = compare("real pages that share a sentence", &texts, &drawn, "", 1, false);
    for (what, near, goal) in [("real near-duplicates", true, "15000"), ("real pages, unlike", false, "60000")] {
        let thresholds = Thresholds::default();
        let chosen = drawn.iter().zip(&found).filter(|(_, found)| found.exceeds(&thresholds) == near);
        let chosen: Vec<Pair> = chosen.map(|(&pair, _)| pair).take(pairs).collect();
        if !chosen.is_empty() {
            compare(what, &texts, &chosen, goal, rounds, false);
        }
    }
}
