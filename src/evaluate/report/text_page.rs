//! The sections of a report that are about texts.

use nddb_verdict::{GROUPS, Groups};

use super::overview_page::share_row;
use super::texts::{TERM_PAIRS, Texts};
use crate::html::Html;
use crate::language::UNKNOWN;
use crate::measures::TermDifferences;
use crate::plot::{COLOURS, Plot, Result, Series};
use crate::sampled::{AtThreshold, RATIOS};
use nddb_jobs::quantity::{counted, decimal, group_words, grouped, unread_reasons};

/// Bounds of the ranges in which term differences are counted; the last range is open.
const DIFFERENCES: [u64; 11] = [0, 1, 3, 5, 9, 17, 33, 65, 129, 257, 513];
/// The threshold at which groups are plotted (Ye et al. 2007, 4.4).
const GROUPS_AT: f64 = 0.85;
/// Least number of pairs of a group that is plotted.
const GROUP_PAIRS: u64 = 10;

pub(super) fn sections(html: &mut Html, texts: &Texts) -> Result<()> {
    html.heading(2, "What texts say");
    if let Some(lack) = texts.lack() {
        html.paragraph(&lack);
        html.paragraph(
            "Not measured for that reason: term differences, signatures, filtered sketches, sampled shingles.",
        );
        return Ok(());
    }
    let near = texts.documents - texts.drawn;
    let near = if near == 0 {
        String::new()
    } else {
        format!(", and {} that are near by their sketches to some of these", counted(near, "document"))
    };
    let unread = match texts.unread.total() {
        0 => "All of them could be read.".to_owned(),
        count => format!("{} could not be read: {}.", counted(count, "document"), unread_reasons(&texts.unread)),
    };
    html.paragraph(&format!(
        "The texts of a sample are read again from their archives: {} drawn by seed {} from {} with \
         different texts{near}. {unread}",
        counted(texts.drawn, "document"),
        texts.seed,
        grouped(texts.drawn_from),
    ));
    languages(html, texts);
    terms(html, texts)?;
    signatures(html, texts)?;
    straining(html, texts)?;
    sampled(html, texts)
}

fn languages(html: &mut Html, texts: &Texts) {
    html.heading(3, "Languages");
    html.paragraph(
        "The documents of the texts that were drawn, by the language of the text, as far as the text alone tells it: a \
         category in which a search for near-duplicates could be made by itself (Manku et al. 2007, 6.C).",
    );
    let rows: Vec<Vec<String>> = texts.languages.iter().map(|share| share_row(share, UNKNOWN)).collect();
    html.table(&["language", "documents", "removed", "share"], &rows);
}

fn terms(html: &mut Html, texts: &Texts) -> Result<()> {
    html.heading(3, "In how many terms near-duplicates differ");
    html.paragraph(&format!(
        "Terms that are deleted or inserted between the two texts of a pair; one that is replaced counts two \
         (Henzinger 2006, Figures 2 and 4). Up to {} pairs of each method are drawn.",
        grouped(TERM_PAIRS as u64)
    ));
    if texts.terms.is_empty() {
        html.paragraph("The database has neither supershingles nor projections, so there are no such pairs.");
    }
    for (method, differences) in &texts.terms {
        let name = if *method == "b" { "B-similar" } else { "C-similar" };
        let unread = match differences.unread {
            0 => String::new(),
            pairs => format!(" {} left out, of which a text could not be read.", counted(pairs, "pair")),
        };
        let (Some(mean), Some(median)) = (differences.mean(), differences.median()) else {
            html.paragraph(&format!("No {name} pair could be compared.{unread}"));
            continue;
        };
        html.paragraph(&format!(
            "{name}: {}, mean {mean:.1}, median {}.{unread}",
            counted(differences.pairs(), "pair"),
            grouped(median)
        ));
        let rows = difference_ranges(differences);
        let title = format!("term differences of {name} pairs");
        let plot = Plot { title: &title, x: "terms that differ", y: "share of the pairs" };
        let pairs = differences.pairs() as f64;
        let bars: Vec<(String, Option<f64>)> =
            rows.iter().map(|(range, count)| (range.clone(), Some(*count as f64 / pairs))).collect();
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|(range, count)| vec![range.clone(), grouped(*count), share(Some(*count as f64 / pairs))])
            .collect();
        html.plot(&plot.columns(&bars, false)?, &["terms", "pairs", "share"], &cells);
    }
    Ok(())
}

/// The pairs with a difference in each range.
fn difference_ranges(differences: &TermDifferences) -> Vec<(String, u64)> {
    let ends = DIFFERENCES[1..].iter().copied().chain([u64::MAX]);
    let ranges = DIFFERENCES.into_iter().zip(ends).map(|(from, end)| {
        let name = match end {
            u64::MAX => format!("{from}-"),
            end if end == from + 1 => from.to_string(),
            end => format!("{from}-{}", end - 1),
        };
        (name, differences.counts.range(from..end).map(|(_, pairs)| pairs).sum())
    });
    ranges.collect()
}

fn signatures(html: &mut Html, texts: &Texts) -> Result<()> {
    let perhaps = &texts.perhaps;
    html.heading(3, "How many signatures a document needs");
    html.paragraph(&format!(
        "{} are compared with all others of the sample by trustable longest common subsequence: of {} pairs {} are \
         similar. Coverage is the share of these that perhaps-similar sets bring together, the trustable rate the \
         share of similar pairs among all that they bring together (Huang et al. 2008, Figure 6).",
        counted(perhaps.selected, "document"),
        grouped(perhaps.compared),
        grouped(perhaps.similar),
    ));
    let names = ["with a signature", "coverage", "trustable rate"];
    let mut series = names.map(|_| Series { points: Vec::new() });
    let mut rows = Vec::new();
    for step in &perhaps.steps {
        let shares = [perhaps.signed(step), perhaps.coverage(step), step.trustable()];
        for (series, share) in series.iter_mut().zip(shares) {
            series.points.push((step.signatures.into(), share));
        }
        let mut row = vec![step.signatures.to_string()];
        row.extend(shares.map(share));
        row.extend([grouped(step.perhaps), grouped(step.similar)]);
        rows.push(row);
    }
    let labels: Vec<(f64, String)> =
        perhaps.steps.iter().map(|step| (step.signatures.into(), step.signatures.to_string())).collect();
    let plot = Plot { title: "coverage and trustable rate", x: "signatures of a document", y: "share" };
    let titles = ["signatures", "with one", "coverage", "trustable", "perhaps similar", "similar"];
    html.plot_of(&plot.lines(&series, &labels)?, &names, &titles, &rows);
    Ok(())
}

fn straining(html: &mut Html, texts: &Texts) -> Result<()> {
    let made = &texts.straining;
    html.heading(3, "How long the window of filtered sketches should be");
    html.paragraph(&format!(
        "The strain-away rate is the share of the texts that filtering removes from pairs that are not similar. The \
         reserve rate is the share of the trustable common subsequence that similar pairs keep. Both are means, over \
         {} and {}. A unit is an ASCII character; other characters count two (Huang et al. 2008, Figure 7).",
        counted(made.unlike, "pair"),
        counted(made.similar, "pair"),
    ));
    if made.unlike + made.similar == 0 {
        html.paragraph("No two documents of the sample are perhaps similar.");
        return Ok(());
    }
    let names = ["strain-away rate", "reserve rate"];
    let mut series = names.map(|_| Series { points: Vec::new() });
    let mut rows = Vec::new();
    for step in &made.steps {
        let window = step.window as f64;
        series[0].points.push((window, step.strained));
        series[1].points.push((window, step.reserved));
        rows.push(vec![step.window.to_string(), share(step.strained), share(step.reserved)]);
    }
    let labels: Vec<(f64, String)> =
        [2, 8, 16, 24, 32, 40, 50, 64, 80, 100].map(|window: u32| (window.into(), window.to_string())).to_vec();
    let plot = Plot { title: "strain-away and reserve rate", x: "units of the window, S", y: "share" };
    html.plot_of(&plot.lines(&series, &labels)?, &names, &["S", names[0], names[1]], &rows);
    Ok(())
}

fn sampled(html: &mut Html, texts: &Texts) -> Result<()> {
    let made = &texts.sampled;
    html.heading(3, "What sampled shingles find");
    html.paragraph(
        "One shingle in n is kept. Precision and recall are against the pairs that all shingles return, means over the \
         n samples there are (Ye et al. 2007, 5). nddb-lab tune chooses a ratio for each group of documents.",
    );
    if made.steps.iter().all(|step| step.pairs.iter().sum::<u64>() == 0) {
        html.paragraph("No two documents of the sample have such a resemblance.");
        return Ok(());
    }
    html.paragraph("By the least resemblance of pairs:");
    let names: Vec<String> = made.steps.iter().map(|step| step.threshold.to_string()).collect();
    let lines: Vec<(&AtThreshold, Option<usize>)> = made.steps.iter().map(|step| (step, None)).collect();
    by_ratio(html, "precision", &names, &lines)?;
    by_ratio(html, "recall", &names, &lines)?;
    let Some(step) = made.steps.iter().find(|step| step.threshold == GROUPS_AT) else { return Ok(()) };
    let mut groups: Vec<usize> = (0..GROUPS).filter(|&group| step.pairs[group] >= GROUP_PAIRS).collect();
    groups.sort_by_key(|&group| std::cmp::Reverse(step.pairs[group]));
    groups.truncate(COLOURS.len());
    groups.sort_unstable();
    if !groups.is_empty() {
        html.paragraph(&format!(
            "By the words of the smaller document, at a resemblance of {GROUPS_AT}; of groups with {GROUP_PAIRS} pairs \
             and more those with most:"
        ));
    }
    let names: Vec<String> = groups.iter().map(|&group| group_words(&Groups::PAPER, group)).collect();
    let lines: Vec<(&AtThreshold, Option<usize>)> = groups.iter().map(|&group| (step, Some(group))).collect();
    if !groups.is_empty() {
        by_ratio(html, "precision", &names, &lines)?;
        by_ratio(html, "recall", &names, &lines)?;
    }
    html.paragraph("All groups and thresholds; each cell is precision / recall at 1/n:");
    let mut rows = Vec::new();
    for step in &made.steps {
        for group in (0..GROUPS).filter(|&group| made.documents[group] > 0) {
            let mut row =
                vec![step.threshold.to_string(), group_words(&Groups::PAPER, group), grouped(made.documents[group])];
            row.push(grouped(step.pairs[group]));
            row.extend((1..RATIOS.len()).map(|ratio| {
                format!("{} / {}", share(step.precision(ratio, Some(group))), share(step.recall(ratio, Some(group))))
            }));
            rows.push(row);
        }
    }
    let mut titles = vec!["resemblance".to_owned(), "words".into(), "documents".into(), "pairs".into()];
    titles.extend(RATIOS[1..].iter().map(|ratio| format!("1/{ratio}")));
    html.wide_table(&titles.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
    Ok(())
}

/// Plots a line for each threshold or group, by ratio.
fn by_ratio(html: &mut Html, what: &str, names: &[String], lines: &[(&AtThreshold, Option<usize>)]) -> Result<()> {
    let figure = |step: &AtThreshold, ratio: usize, group: Option<usize>| {
        if what == "precision" { step.precision(ratio, group) } else { step.recall(ratio, group) }
    };
    let series: Vec<Series> = lines
        .iter()
        .map(|&(step, group)| Series {
            points: (0..RATIOS.len()).map(|ratio| (ratio as f64, figure(step, ratio, group))).collect(),
        })
        .collect();
    let labels: Vec<(f64, String)> =
        (0..RATIOS.len()).map(|index| (index as f64, format!("1/{}", RATIOS[index]))).collect();
    let title = format!("{what} of sampled shingles");
    let plot = Plot { title: &title, x: "shingles kept", y: what };
    let mut titles = vec!["kept"];
    titles.extend(names.iter().map(String::as_str));
    let rows: Vec<Vec<String>> = (0..RATIOS.len())
        .map(|ratio| {
            let shares = lines.iter().map(|&(step, group)| share(figure(step, ratio, group)));
            [format!("1/{}", RATIOS[ratio])].into_iter().chain(shares).collect()
        })
        .collect();
    let legend: Vec<&str> = names.iter().map(String::as_str).collect();
    html.plot_of(&plot.lines(&series, &labels)?, &legend, &titles, &rows);
    Ok(())
}

/// A share in the form of a table cell.
fn share(share: Option<f64>) -> String {
    decimal(share, 3)
}
