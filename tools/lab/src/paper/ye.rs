//! The tables and figures of Ye, Wen, Ma 2007.

use nddb::Result;
use nddb::verdict::{GROUPS, Groups, methods::Shingles};

use super::exhibit::{Cell, Chart, Exhibit};
use super::{Subject, Watch};
use crate::measures::text_sample;
use crate::sampled::{RATIOS, Sampled, sampled};
use crate::tune::{AdaptiveRow, adaptive};
use nddb_jobs::quantity::group_words;

/// The shares of documents and of shingles in the first group.
const PAPER_FIRST: [f64; 2] = [0.68, 0.17];
/// Number of points of Figure 1.
const RANKS: usize = 100;
/// Resemblance at which the paper gives precision and recall by group.
const AT: f64 = 0.85;

pub(super) fn exhibits(subject: &Subject<'_>, watch: Watch<'_>) -> Result<Vec<Exhibit>> {
    let options = subject.options(Shingles::default());
    let drawn = text_sample(subject.view, subject.collection, &options, subject.sample.0, subject.sample.1, watch)?;
    let shingles = Shingles::default();
    let made =
        sampled(subject.view, subject.collection, drawn.documents(), &options, &shingles, subject.threads, watch)?;
    let rows = adaptive(subject.view, subject.collection, drawn.documents(), &options, &shingles, watch)?;
    Ok(vec![
        table_2(subject, &made),
        figure_1(&made),
        table_3(&made),
        by_threshold(
            "Figure 2(a)",
            &made,
            2,
            true,
            "the highest precision of the first group is below 0.8 from a \
            resemblance of 0.5 on; it is worst for short documents.",
        ),
        by_threshold(
            "Figure 2(b)",
            &made,
            4,
            true,
            "0.70 of all pairs and 0.57 of the first group at 0.85; below 0.1 at \
            0.95 for groups of fewer than 3,000 words.",
        ),
        by_threshold("Figure 3", &made, 4, false, "above 0.6, and it drops little with the threshold."),
        figure_4(&rows),
    ])
}

fn share(part: u64, whole: u64) -> Cell {
    (whole > 0).then(|| part as f64 / whole as f64).into()
}

fn table_2(subject: &Subject<'_>, made: &Sampled) -> Exhibit {
    let mut exhibit = Exhibit::new("Table 2", "properties of the documents", &["property", "value", "paper"]);
    let held = subject.collection.held();
    let nodes = (0..subject.collection.len())
        .filter(|&one| subject.collection.representative(one) == one && !subject.collection.row(one).is_empty)
        .count() as u64;
    for (name, value, paper) in [
        ("documents", held.documents, Some(1_053_034u64)),
        ("after removal of exact duplicates", nodes, Some(958_725)),
        ("documents of the sample", made.documents.iter().sum(), None),
        ("their shingles", made.shingles.iter().sum(), None),
        ("pairs of resemblance 0.85", pairs_at(made, AT), None),
    ] {
        exhibit.row([name.into(), value.into(), paper.into()]);
    }
    exhibit.note(format!("Shingles of {} words.", Shingles::default().words))
}

fn pairs_at(made: &Sampled, threshold: f64) -> u64 {
    made.steps.iter().find(|step| step.threshold == threshold).map_or(0, |step| step.pairs.iter().sum())
}

fn figure_1(made: &Sampled) -> Exhibit {
    let mut exhibit = Exhibit::new("Figure 1", "documents ranked by number of words, log-log", &["rank", "words"])
        .paper("a long tail of short documents.")
        .plotted(Chart::LogPoints);
    let len = made.words.len();
    let mut last = 0;
    for point in 0..RANKS {
        // Points at equal distances on the logarithmic axis.
        let rank = (len as f64).powf(point as f64 / (RANKS - 1) as f64).round() as usize;
        if rank > last && rank <= len {
            exhibit.row([(rank as u64).into(), u64::from(made.words[rank - 1]).into()]);
            last = rank;
        }
    }
    exhibit
}

fn table_3(made: &Sampled) -> Exhibit {
    let columns = ["words", "documents", "share", "paper", "shingles", "share", "paper"];
    let mut exhibit = Exhibit::new("Table 3", "groups of documents by their words", &columns)
        .paper("0.68 of the documents and 0.17 of the shingles are in the first group.");
    let (documents, shingles) = (made.documents.iter().sum(), made.shingles.iter().sum());
    for group in 0..GROUPS {
        let paper = |index: usize| Cell::from((group == 0).then_some(PAPER_FIRST[index]));
        exhibit.row([
            group_words(&Groups::PAPER, group).into(),
            made.documents[group].into(),
            share(made.documents[group], documents),
            paper(0),
            made.shingles[group].into(),
            share(made.shingles[group], shingles),
            paper(1),
        ]);
    }
    exhibit
}

/// Precision or recall at one ratio, by threshold: for all pairs, and for each group.
fn by_threshold(name: &'static str, made: &Sampled, ratio: usize, is_precision: bool, paper: &str) -> Exhibit {
    let what = if is_precision { "precision" } else { "recall" };
    let title = format!("{what} at sampling ratio 1/{} by the resemblance", RATIOS[ratio]);
    let mut columns = vec!["resemblance".to_owned(), "all".into()];
    columns.extend((0..GROUPS).map(|group| group_words(&Groups::PAPER, group)));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut exhibit = Exhibit::new(name, title, &columns)
        .paper(paper)
        .note("Against the pairs that all shingles return, means over the trials of the ratio, each with another remainder; columns \
               are groups of the smaller document by its words.")
        .plotted(Chart::Lines((1..=3).collect()));
    for step in &made.steps {
        let of = |group| if is_precision { step.precision(ratio, group) } else { step.recall(ratio, group) };
        let cells = [None].into_iter().chain((0..GROUPS).map(Some)).map(|group| Cell::from(of(group)));
        exhibit.row([step.threshold.into()].into_iter().chain(cells));
    }
    exhibit
}

fn figure_4(rows: &[AdaptiveRow]) -> Exhibit {
    let columns =
        ["precision to keep", "resemblance", "adaptive keeps", "precision", "uniform keeps", "precision", "ratios"];
    let mut exhibit = Exhibit::new("Figure 4", "shingles kept by adaptive sampling and by one ratio for all", &columns)
        .paper("8% of the shingles keep precision 0.8 at resemblance 0.6, 4.72% with a ratio of 1/32; 5.55% keep 0.85 at 0.85.")
        .note("Groups and ratios are chosen on one half of the documents and reported on the other. Uniform: the coarsest \
               ratio whose precision is at least that of the adaptive sampling.");
    for row in rows {
        exhibit.row([
            row.wanted.into(),
            row.threshold.into(),
            row.adaptive.shingles.into(),
            row.adaptive.precision.into(),
            row.uniform.shingles.into(),
            row.uniform.precision.into(),
            row.adaptive.ratios.to_string().into(),
        ]);
    }
    exhibit
}
