//! The tables and figures of Henzinger 2006. Values that are not in the abstract of the paper are quoted from papers
//! that cite it.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

use fixedbitset::FixedBitSet;
use nddb::Result;
use nddb::verdict::methods::{B, C};
use nddb_page::sketch::split_mix;
use nddb_page::text::host_of;

use super::exhibit::{Cell, Chart, Exhibit};
use super::{Subject, Watch};
use crate::labelled::{BySimilarity, COMBINED_C, OfShingles, SimilarPair, by_shingles, similar_pairs};
use crate::measures::{Graph, Grid, TermDifferences, graph, similarities, term_differences};
use nddb_evaluate::Draw;
use nddb_evaluate::difference::{DifferenceKind, difference_kind, undecided_reason};
use nddb_evaluate::eval::{Counts, Gold, Label};
use nddb_evaluate::removals::read_pages;

/// Least B-similarity and C-similarity of a near-duplicate.
const B_MIN: u32 = 2;
const C_MIN: u32 = 372;
/// Ranges of C-similarity.
const C_RANGES: [(u32, u32); 4] = [(372, 375), (376, 378), (379, 381), (382, 384)];
/// Number of pairs of each algorithm, and of pairs with each label, whose texts are compared.
const PAIRS: usize = 1000;
/// A term difference of at least this many terms is large.
const LARGE: u64 = 200;
/// Thresholds of C-similarity that Table 11 lists.
const TABLE_11: RangeInclusive<u32> = 350..=360;
/// One labelled pair in this many is drawn to choose a threshold: "we randomly subsampled" about a third.
const FIRST_OF: u64 = 3;
/// Number of sites that are listed.
const SITES: usize = 10;

/// One of the two algorithms.
struct Algorithm {
    name: &'static str,
    graph: Graph,
    grid: Grid,
    /// Pairs drawn from all that the algorithm returns.
    drawn: Vec<(u32, u32)>,
    differences: TermDifferences,
    /// Number of its labelled pairs with a large term difference, by label.
    large: [u64; 3],
    /// Number of correct pairs by kind of difference, on all sites and on one site; without labels, of drawn pairs.
    kinds: BTreeMap<DifferenceKind, [u64; 2]>,
    /// Number of undecided pairs by reason.
    reasons: BTreeMap<DifferenceKind, [u64; 2]>,
}

pub(super) fn exhibits(subject: &Subject<'_>, watch: Watch<'_>) -> Result<Vec<Exhibit>> {
    let pairs = subject.gold.map(|gold| {
        let identity = |ordinal: u32| subject.collection.representative(ordinal);
        let differ = gold.pairs.iter().map(|pair| identity(pair.a) != identity(pair.b)).collect::<Vec<bool>>();
        similar_pairs(gold, &differ, subject.collection)
    });
    let pairs = pairs.as_deref();
    let b = Algorithm::measure("B", subject, pairs, watch)?;
    let c = Algorithm::measure("C", subject, pairs, watch)?;
    let mut made = vec![
        table_1(&b),
        degrees("Figure 1", &b, "the slope is about -1.3; 52% of the pairs have B-similarity 2; 92% are on one site."),
        labelled(
            "Table 2",
            &b,
            subject,
            pairs,
            "0.38 of the pairs are correct: 0.34 on one site, 0.86 on different ones.",
        ),
        kinds("Table 3", &b, subject),
        reasons("Table 4", &b, subject),
        differences("Figure 2", &b, "mean 24, median 11."),
        degrees("Figure 3", &c, "the slope is about -1.4; 74% of the pairs are on one site."),
        labelled(
            "Table 5",
            &c,
            subject,
            pairs,
            "0.50 of the pairs are correct: 0.36 on one site, 0.90 on different ones.",
        ),
        kinds("Table 6", &c, subject),
        reasons("Table 7", &c, subject),
        differences("Figure 4", &c, "mean 94, median 7."),
        table_8(&b, &c, subject),
        table_9(&b.grid),
        figure_5(&b.grid),
        table_10(&c.grid),
    ];
    made.extend(combined(subject, pairs));
    made.push(pages_per_host(subject)?);
    made.push(worst_sites(subject, pairs)?);
    let measured = match subject.gold {
        Some(gold) => Some(by_shingles(subject.view, subject.collection, gold, &subject.options_of_texts(), watch)?),
        None => None,
    };
    made.push(shingles(subject, measured.as_ref()));
    Ok(made)
}

impl Algorithm {
    fn measure(
        name: &'static str,
        subject: &Subject<'_>,
        labelled: Option<&[SimilarPair]>,
        watch: Watch<'_>,
    ) -> Result<Self> {
        let (view, collection) = (subject.view, subject.collection);
        let options = if name == "B" { subject.options(B::default()) } else { subject.options(C::default()) };
        let graph = graph(view, collection, &options, watch)?;
        let mut draw = Draw::new(if subject.sample.0 > 0 { PAIRS } else { 0 }, subject.sample.1);
        let grid = similarities(view, collection, &options, watch, &mut |a, b| draw.push(a, b))?;
        let drawn = draw.pairs();
        let returned: Vec<&SimilarPair> = labelled.unwrap_or_default().iter().filter(|it| is_of(name, it)).collect();
        let gold = |pair: &SimilarPair| subject.gold.map(|gold| gold.pairs[pair.index]);
        let of_label = |label: Label| {
            let mut draw = Draw::new(PAIRS, subject.sample.1);
            let of = returned.iter().filter(|pair| pair.label == label).filter_map(|pair| gold(pair));
            of.for_each(|pair| draw.push(pair.a, pair.b));
            draw.pairs()
        };
        let by_label = Label::ALL.map(of_label);
        let lists = [&drawn[..], &by_label[0], &by_label[1], &by_label[2]];
        let (mut lists, _) = term_differences(view, collection, &lists, &options, watch)?;
        let large = |list: &TermDifferences| list.counts.range(LARGE + 1..).map(|(_, pairs)| pairs).sum::<u64>();
        let large = [&lists[1], &lists[2], &lists[3]].map(large);
        let mut made = Self {
            name,
            graph,
            grid,
            drawn,
            differences: lists.swap_remove(0),
            large,
            kinds: BTreeMap::new(),
            reasons: BTreeMap::new(),
        };
        made.look(subject, [&by_label[Label::Correct as usize], &by_label[Label::Undecided as usize]], watch)?;
        Ok(made)
    }

    /// Guesses the differences of correct and of undecided pairs; if there are no labels, of the drawn pairs.
    fn look(
        &mut self,
        subject: &Subject<'_>,
        [correct, undecided]: [&[(u32, u32)]; 2],
        watch: Watch<'_>,
    ) -> Result<()> {
        let correct = if subject.gold.is_some() { correct } else { &self.drawn[..] };
        let mut wanted = FixedBitSet::with_capacity(subject.collection.len() as usize);
        for &(a, b) in correct.iter().chain(undecided) {
            wanted.insert(a as usize);
            wanted.insert(b as usize);
        }
        let (pages, _) = read_pages(subject.view, subject.collection, &wanted, &subject.resources, watch)?;
        let same_site = |a, b| subject.collection.compared(a, b, |pair| pair.same_site()) == Some(true);
        for &(a, b) in correct {
            if let Some(kind) = pages[&a].told().zip(pages[&b].told()).map(|(a, b)| difference_kind(a, b)) {
                add(self.kinds.entry(kind).or_default(), same_site(a, b));
            }
        }
        for &(a, b) in undecided {
            let reason = undecided_reason(pages[&a].told(), pages[&b].told());
            add(self.reasons.entry(reason).or_default(), same_site(a, b));
        }
        Ok(())
    }
}

fn add(counts: &mut [u64; 2], same_site: bool) {
    counts[0] += 1;
    counts[1] += u64::from(same_site);
}

fn is_of(algorithm: &str, pair: &SimilarPair) -> bool {
    if algorithm == "B" { pair.b >= Some(B_MIN) } else { pair.c >= Some(C_MIN) }
}

fn share(part: u64, whole: u64) -> Cell {
    (whole > 0).then(|| part as f64 / whole as f64).into()
}

fn table_1(b: &Algorithm) -> Exhibit {
    let columns = ["B-similarity", "near-duplicate pairs", "share", "paper"];
    let mut made = Exhibit::new("Table 1", "near-duplicate pairs with each B-similarity", &columns)
        .paper("about half of the pairs have B-similarity 2 (52%).");
    for value in B_MIN..=6 {
        let paper = (value == B_MIN).then_some(0.52);
        let pairs = b.grid.with_b(value);
        made.row([u64::from(value).into(), pairs.into(), share(pairs, b.grid.pairs), paper.into()]);
    }
    made
}

fn degrees(name: &'static str, of: &Algorithm, paper: &str) -> Exhibit {
    let graph = &of.graph;
    let slope = graph.exponent().map_or_else(|| "none".into(), |slope| format!("{slope:.3}"));
    let title = format!("degrees of the {}-similarity graph, log-log", of.name);
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let mut made = Exhibit::new(name, title, &["near-duplicates of a page", "pages"])
        .paper(format!("a power law; {paper}"))
        .note(format!(
            "{} of {} pages have a near-duplicate ({:.3}), on average {:.3}; {} pairs, {:.3} of them on one site; slope of \
             the logarithms: {slope}.",
            graph.near,
            graph.nodes,
            share(graph.near, graph.nodes),
            graph.mean_degree(),
            graph.edges,
            share(graph.same_site, graph.edges),
        ))
        .plotted(Chart::LogPoints);
    for (&degree, &pages) in graph.degrees.iter().filter(|(degree, _)| **degree > 0) {
        made.row([degree.into(), pages.into()]);
    }
    made
}

/// The labelled pairs of an algorithm by label: all of them, by site, and by similarity.
fn labelled(
    name: &'static str,
    of: &Algorithm,
    subject: &Subject<'_>,
    pairs: Option<&[SimilarPair]>,
    paper: &str,
) -> Exhibit {
    let columns = ["near dups", "pairs", "correct", "not correct", "undecided", "paper: correct"];
    let title = format!("alg. {}: shares of correct, not correct and undecided pairs", of.name);
    let mut made = Exhibit::new(name, title, &columns).paper(paper);
    let Some(pairs) = pairs else { return made.note(subject.unlabelled()) };
    let known: [f64; 3] = if of.name == "B" { [0.38, 0.34, 0.86] } else { [0.5, 0.36, 0.9] };
    let mut row = |name: String, paper: Option<f64>, is_in: &dyn Fn(&SimilarPair) -> bool| {
        let mut counts = Counts::default();
        pairs.iter().filter(|pair| is_of(of.name, pair) && is_in(pair)).for_each(|pair| counts.add(pair.label, true));
        let all = counts.labelled();
        let [correct, incorrect, undecided] = counts.found.map(|count| share(count, all));
        made.row([name.into(), all.into(), correct, incorrect, undecided, paper.into()]);
    };
    row("all".into(), Some(known[0]), &|_| true);
    row("same site".into(), Some(known[1]), &|pair| pair.same_site == Some(true));
    row("different site".into(), Some(known[2]), &|pair| pair.same_site == Some(false));
    if of.name == "B" {
        for value in B_MIN..=6 {
            row(format!("B-sim {value}"), None, &|pair| pair.b == Some(value));
        }
    } else {
        for (from, to) in C_RANGES {
            row(format!("C-sim {from} to {to}"), None, &|pair| pair.c >= Some(from) && pair.c <= Some(to));
        }
    }
    made.note("Of labelled pairs with different texts; shares are of these.")
}

fn kinds(name: &'static str, of: &Algorithm, subject: &Subject<'_>) -> Exhibit {
    let of_what = if subject.gold.is_some() { "correct" } else { "drawn" };
    let title = format!("differences of {of_what} {}-similar pairs", of.name);
    let mut made = Exhibit::new(name, title, &["difference", "all pairs", "share", "same site", "share"])
        .paper("URL-only differences lead; then time stamps, execution times and combinations.")
        .note(format!(
            "Of at most {PAIRS} pairs. A first guess from the words that differ; nddb audit asks people, and --score counts \
             their answers."
        ));
    let totals = of.kinds.values().fold([0, 0], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]]);
    for kind in DifferenceKind::CORRECT {
        let [all, same] = of.kinds.get(&kind).copied().unwrap_or_default();
        made.row([kind.name().into(), all.into(), share(all, totals[0]), same.into(), share(same, totals[1])]);
    }
    made
}

fn reasons(name: &'static str, of: &Algorithm, subject: &Subject<'_>) -> Exhibit {
    let title = format!("reasons of undecided {}-similar pairs", of.name);
    let mut made = Exhibit::new(name, title, &["reason", "all pairs", "share", "same site", "share"])
        .paper("forms, pairs that could not be evaluated and different minor items cover nearly all.")
        .note("A first guess from the texts; nddb audit asks people, and --score counts their answers.");
    if subject.gold.is_none() {
        return made.note(subject.unlabelled());
    }
    let totals = of.reasons.values().fold([0, 0], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]]);
    for reason in DifferenceKind::UNDECIDED {
        let [all, same] = of.reasons.get(&reason).copied().unwrap_or_default();
        made.row([reason.name().into(), all.into(), share(all, totals[0]), same.into(), share(same, totals[1])]);
    }
    made
}

fn differences(name: &'static str, of: &Algorithm, paper: &str) -> Exhibit {
    let found = &of.differences;
    let mean = found.mean().map_or_else(|| "-".into(), |mean| format!("{mean:.3}"));
    let median = found.median().map_or_else(|| "-".into(), |median| median.to_string());
    let mut made = Exhibit::new(name, format!("term differences of {}-similar pairs", of.name), &["terms", "pairs"])
        .paper(paper)
        .note(format!(
            "{} drawn pairs, mean {mean}, median {median}; {} have more than {LARGE}.",
            found.pairs(),
            found.counts.range(LARGE + 1..).map(|(_, pairs)| pairs).sum::<u64>()
        ))
        .plotted(Chart::Bars);
    for (&terms, &pairs) in found.counts.range(..=LARGE) {
        made.row([terms.into(), pairs.into()]);
    }
    made
}

fn table_8(b: &Algorithm, c: &Algorithm, subject: &Subject<'_>) -> Exhibit {
    let title = format!("labels of pairs with a term difference above {LARGE}");
    let mut made = Exhibit::new("Table 8", title, &["evaluation", "alg. B", "alg. C"])
        .paper("no such pair of B is correct; of C seventeen are, entry pages of one site.")
        .note(format!("Of at most {PAIRS} pairs with each label."));
    if subject.gold.is_none() {
        return made.note(subject.unlabelled());
    }
    for (name, label) in [("incorrect", 1), ("undecided", 2), ("correct", 0)] {
        made.row([name.into(), b.large[label].into(), c.large[label].into()]);
    }
    made
}

fn table_9(grid: &Grid) -> Exhibit {
    let mut made = Exhibit::new("Table 9", "average C-similarity for each B-similarity", &["B-similarity", "average"])
        .paper("the larger the B-similarity, the larger the average C-similarity.");
    for value in B_MIN..=6 {
        made.row([u64::from(value).into(), grid.mean_c(value).into()]);
    }
    let correlation = grid.correlation().map_or_else(|| "-".into(), |value| format!("{value:.3}"));
    made.note(format!("Of all B-similar pairs; correlation of the two: {correlation}."))
}

fn table_10(grid: &Grid) -> Exhibit {
    let mut made =
        Exhibit::new("Table 10", "average B-similarity for each range of C-similarity", &["C-similarity", "average"])
            .paper(
                "about as many C-similar pairs are B-similar as the other way round; the B-similarity of many is 0.",
            );
    for (from, to) in C_RANGES.into_iter().rev() {
        made.row([format!("{from} to {to}").into(), grid.mean_b(from..=to).into()]);
    }
    let similar: u64 = (B_MIN..=6).map(|value| grid.with_b(value)).sum();
    let (similar, none) = (share(similar, grid.pairs).told(), share(grid.with_b(0), grid.pairs).told());
    made.note(format!("Of all C-similar pairs: {similar} are B-similar, {none} have B-similarity 0."))
}

fn figure_5(grid: &Grid) -> Exhibit {
    let columns = ["C-similarity", "B-sim 2", "B-sim 3", "B-sim 4", "B-sim 5", "B-sim 6"];
    let mut made = Exhibit::new("Figure 5", "C-similarity for each B-similarity: shares of its pairs", &columns)
        .paper("the peak is lower for B-similarity 2 than for all others.")
        .plotted(Chart::Lines((1..=5).collect()));
    for from in (300..=380).step_by(5) {
        let within = |b: u32| (from..from + 5).map(|c| grid.pairs_at(b, c)).sum::<u64>();
        let shares = (B_MIN..=6).map(|b| share(within(b), grid.with_b(b)));
        made.row([u64::from(from).into()].into_iter().chain(shares));
    }
    let of = |b| (0..300).map(|c| grid.pairs_at(b, c)).sum::<u64>();
    made.note(format!(
        "Each row has five values of C-similarity; {} pairs have less than 300.",
        (B_MIN..=6).map(of).sum::<u64>()
    ))
}

/// Figures 6 and 7, Tables 11 and 12: the combined algorithm.
fn combined(subject: &Subject<'_>, pairs: Option<&[SimilarPair]>) -> Vec<Exhibit> {
    let figure_6 = Exhibit::new(
        "Figure 6",
        "precision of the combined algorithm by its threshold",
        &["C-similarity", "precision"],
    )
    .paper("precision rises a good deal with a high threshold.");
    let figure_7 = Exhibit::new(
        "Figure 7",
        "precision by R on a third of the pairs, each row a threshold",
        &["R", "precision", "C-similarity"],
    )
    .paper("a long flat range: recall grows while precision stays.");
    let table_11 = Exhibit::new("Table 11", "thresholds on a third of the pairs", &["C-similarity", "R", "precision"])
        .paper("355 is chosen.");
    let columns = ["near dups", "pairs", "correct", "incorrect", "undecided", "R", "paper: correct", "paper: R"];
    let table_12 = Exhibit::new("Table 12", "the combined algorithm (355) on the other two thirds", &columns)
        .paper("0.79 are correct at R = 0.79; 0.74 on one site, 0.99 on different ones. B with a cutoff of 3 has less of both.");
    let Some(pairs) = pairs else {
        return [figure_6, figure_7, table_11, table_12].map(|made| made.note(subject.unlabelled())).into();
    };
    let is_first = |pair: &SimilarPair| split_mix(subject.sample.1, pair.index as u64).is_multiple_of(FIRST_OF);
    let (first, second): (Vec<SimilarPair>, Vec<SimilarPair>) = pairs.iter().copied().partition(is_first);
    let (all, one, two) = (BySimilarity::of(pairs), BySimilarity::of(&first), BySimilarity::of(&second));
    let (mut figure_6, mut figure_7, mut table_11, mut table_12) = (
        figure_6.plotted(Chart::Lines(vec![1])),
        figure_7.plotted(Chart::Lines(vec![1])),
        table_11,
        table_12.note("Shares are of the labelled pairs that are returned."),
    );
    for (index, least) in COMBINED_C.enumerate() {
        let least_cell = Cell::from(u64::from(least));
        figure_6.row([least_cell.clone(), all.all.combined[index].precision_of_returned().into()]);
        let (r, precision) = (one.all.r(index), one.all.combined[index].precision_of_returned());
        figure_7.row([r.into(), precision.into(), least_cell.clone()]);
        if TABLE_11.contains(&least) {
            table_11.row([least_cell, r.into(), precision.into()]);
        }
    }
    figure_7.rows.reverse();
    let index = (355 - COMBINED_C.start()) as usize;
    let paper = [(Some(0.79), Some(0.79)), (Some(0.74), None), (Some(0.99), None)];
    let parts = [("all", &two.all), ("same site", &two.same_site), ("different site", &two.different_sites)];
    for ((name, part), (correct, r)) in parts.into_iter().zip(paper) {
        let counts = &part.combined[index];
        let shares = counts.found.map(|count| share(count, counts.found.iter().sum()));
        let row = [Cell::from(name), counts.found.iter().sum::<u64>().into()].into_iter().chain(shares);
        table_12.row(row.chain([part.r(index).into(), correct.into(), r.into()]));
    }
    let cut = || second.iter().filter(|pair| pair.b >= Some(3));
    let correct = cut().filter(|pair| pair.label == Label::Correct).count() as u64;
    table_12.notes.push(format!(
        "B with a cutoff of 3 on the same pairs: {correct} correct of {} pairs, R {}.",
        cut().count(),
        share(correct, two.all.b.found[0]).told()
    ));
    vec![figure_6, figure_7, table_11, table_12]
}

/// The distribution of the pages per host (3: a power law).
fn pages_per_host(subject: &Subject<'_>) -> Result<Exhibit> {
    let mut hosts: HashMap<String, u64> = HashMap::new();
    for ordinal in 0..subject.collection.len() {
        if let Some(host) = host(subject, ordinal)? {
            *hosts.entry(host).or_default() += 1;
        }
    }
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    hosts.values().for_each(|&pages| *counts.entry(pages).or_default() += 1);
    let mut made = Exhibit::new("Section 3", "hosts by number of pages, log-log", &["pages of a host", "hosts"])
        .paper("a power law.")
        .note(format!("{} pages on {} hosts.", hosts.values().sum::<u64>(), hosts.len()))
        .plotted(Chart::LogPoints);
    for (pages, hosts) in counts {
        made.row([pages.into(), hosts.into()]);
    }
    Ok(made)
}

fn host(subject: &Subject<'_>, ordinal: u32) -> Result<Option<String>> {
    let url = subject.view.get(subject.collection.id(ordinal))?.and_then(|stored| stored.record.url);
    Ok(url.as_deref().and_then(host_of))
}

/// The sites with the most incorrect pairs of each algorithm (3.2, 3.3: two databases cause most errors of B, one
/// directory most errors of C).
fn worst_sites(subject: &Subject<'_>, pairs: Option<&[SimilarPair]>) -> Result<Exhibit> {
    let columns = ["host", "incorrect of B", "incorrect of C", "labelled pairs"];
    let mut made = Exhibit::new("Sections 3.2 and 3.3", "hosts with most incorrect pairs", &columns)
        .paper("two databases on the web cause most errors of B, one business directory most of C.");
    let (Some(pairs), Some(gold)) = (pairs, subject.gold) else { return Ok(made.note(subject.unlabelled())) };
    let mut hosts: HashMap<String, [u64; 3]> = HashMap::new();
    for pair in pairs {
        let Gold { pairs: labelled, .. } = gold;
        if let Some(host) = host(subject, labelled[pair.index].a)? {
            let counts = hosts.entry(host).or_default();
            let is_wrong = |algorithm| u64::from(pair.label == Label::Incorrect && is_of(algorithm, pair));
            counts[0] += is_wrong("B");
            counts[1] += is_wrong("C");
            counts[2] += 1;
        }
    }
    let mut hosts: Vec<(String, [u64; 3])> = hosts.into_iter().filter(|(_, [b, c, _])| b + c > 0).collect();
    hosts.sort_by(|(a, x), (b, y)| (y[0] + y[1]).cmp(&(x[0] + x[1])).then(a.cmp(b)));
    for (host, [b, c, all]) in hosts.into_iter().take(SITES) {
        made.row([host.into(), b.into(), c.into(), all.into()]);
    }
    Ok(made)
}

/// Algorithm B with other shingles (4).
fn shingles(subject: &Subject<'_>, measured: Option<&(Vec<OfShingles>, u64)>) -> Exhibit {
    let columns = ["shingles", "B >= 2: correct", "recall", "F1", "B >= 3: correct", "recall", "F1"];
    let made = Exhibit::new("Section 4", "algorithm B with shortened, lengthened and weighted shingles", &columns)
        .paper("suggests a weighting of shingles by frequency, and a smaller k, for instance 5.");
    let Some((measured, left_out)) = measured else { return made.note(subject.unlabelled()) };
    let mut made = made.note(
        "Of labelled pairs of different texts, whether they would meet as candidates or not. Correct is the share of the \
         returned pairs; recall and F1 are of the decided ones.",
    );
    for choice in measured {
        let figures = |counts: &Counts| [counts.precision_of_returned(), counts.recall(), counts.f1()].map(Cell::from);
        let cells = choice.at_least[1..3].iter().flat_map(figures);
        made.row([Cell::from(choice.name)].into_iter().chain(cells));
    }
    if *left_out > 0 {
        made.notes.push(format!("{left_out} pairs are left out: a text could not be read."));
    }
    made
}
