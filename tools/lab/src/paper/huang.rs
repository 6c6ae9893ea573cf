//! The tables and figures of Huang, Wang, Li 2008.

use std::time::Instant;

use nddb::Result;
use nddb::detect::PairSummary;
use nddb::sketch::{FingerprintKind, Recipe};
use nddb::verdict::Method;
use nddb::verdict::methods::{Cosine, Hamming, Lcs};

use super::exhibit::{Cell, Chart, Exhibit};
use super::{Subject, Watch};
use crate::labelled::{RECALL, Slopes, by_slope, content_simhash};
use crate::measures::{Perhaps, Straining, TextSample, comparison_times, perhaps, straining, text_sample};
use nddb_evaluate::Draw;
use nddb_evaluate::eval::{Gold, mean_precision, relative_recall, returned, splits};

/// Distance of simhash: 59 agreeing bits of 64.
const K: u32 = 5;
/// Number of similar pairs, and of other pairs, that are filtered with each window.
const STRAINED_PAIRS: usize = 200;

pub(super) fn exhibits(subject: &Subject<'_>, watch: Watch<'_>) -> Result<Vec<Exhibit>> {
    let lcs = Lcs::default();
    let options = subject.options(lcs.clone());
    let (sample, seed) = subject.sample;
    let (table_1, summary, precision) = table_1(subject, watch)?;
    let drawn = text_sample(subject.view, subject.collection, &options, sample, seed, watch)?;
    let draw = Draw::new(STRAINED_PAIRS, seed);
    let sets = perhaps(subject.collection, &drawn, (&lcs, &options.resources), &draw, subject.threads, watch)?;
    let windows = straining(&drawn, &sets.pairs.concat(), &lcs, subject.threads, watch)?;
    let slopes = match subject.gold {
        Some(gold) => {
            let selected = vec![true; gold.pairs.len()];
            Some(by_slope(subject.view, subject.collection, gold, &selected, (&options, &lcs), watch)?)
        }
        None => None,
    };
    let table_2 = table_2(subject, &summary, precision, (&drawn, &sets), &lcs);
    Ok(vec![table_1, table_2, figure_6(&sets), figure_7(&windows), figure_8(subject, slopes.as_ref())])
}

/// A method with its figures in the paper, and what it found.
struct MethodRow {
    name: String,
    /// Precision, recall, precision on one site.
    paper: [Option<f64>; 3],
    found: Vec<bool>,
    pairs: Option<u64>,
    seconds: f64,
    summary: Option<PairSummary>,
}

impl MethodRow {
    fn run(subject: &Subject<'_>, method: Box<dyn Method>, paper: [f64; 3], watch: Watch<'_>) -> Result<Self> {
        let (options, start, nothing) = (subject.options(method), Instant::now(), Gold::default());
        let gold = subject.gold.unwrap_or(&nothing);
        let (found, summary) = returned(subject.view, subject.collection, &options, gold, subject.sample.1, watch)?;
        Ok(Self {
            name: options.method.name().into(),
            paper: paper.map(Some),
            found: found.found().to_vec(),
            pairs: Some(found.pairs()),
            seconds: start.elapsed().as_secs_f64(),
            summary: Some(summary),
        })
    }

    /// Precision as the paper defines it, then pooled precision, recall and F1.
    fn figures(&self, gold: &Gold) -> [Option<f64>; 4] {
        let selected = vec![true; gold.pairs.len()];
        let all = splits(gold, &selected, &self.found).swap_remove(0).counts;
        [mean_precision(gold, &selected, &self.found), all.precision(), all.recall(), all.f1()]
    }
}

/// Also returns the comparisons of trustable LCS and its precision.
fn table_1(subject: &Subject<'_>, watch: Watch<'_>) -> Result<(Exhibit, PairSummary, Option<f64>)> {
    let columns = [
        "method",
        "precision, mean over documents",
        "paper",
        "recall relative to simhash",
        "paper",
        "same site: precision",
        "paper",
        "same site: correct",
        "precision, pooled",
        "recall",
        "F1",
        "pairs",
        "seconds",
    ];
    let settings = subject.view.settings();
    let (k, kind) = (K.min(settings.k.into()), Recipe::kind_of_label(&settings.recipe));
    let mut made = Exhibit::new("Table 1", "precision, recall and time of three methods", &columns)
        .paper("LCS 118 hours for 430 million pages, cosine 68 (602 with word segmentation), simhash 94.")
        .note(format!("Thresholds of the paper; hamming and simhash within {k} bits. Fingerprints are {kind}."))
        .note(
            "Precision is the mean over documents of the share of correct pairs among the decided ones that the method \
             returns, as in the paper; recall is relative to that of simhash, in all. Pooled precision is correct / \
             (correct + incorrect) over all pairs, as on one site; recall is over the correct pairs.",
        );
    let mut rows = vec![
        MethodRow::run(subject, Lcs::default().into(), [0.95, 1.86, 0.91], watch)?,
        MethodRow::run(subject, Cosine::default().into(), [0.82, 1.13, 0.63], watch)?,
        MethodRow::run(subject, Hamming::within(k).into(), [0.71, 1.0, 0.5], watch)?,
    ];
    let Some(gold) = subject.gold else {
        made.notes.push(subject.unlabelled());
        for row in &rows {
            let mut cells = vec![Cell::None; columns.len()];
            cells[0] = row.name.clone().into();
            [2, 4, 6].iter().zip(row.paper).for_each(|(&at, figure)| cells[at] = figure.into());
            [cells[11], cells[12]] = [row.pairs.into(), row.seconds.into()];
            made.row(cells);
        }
        return Ok((made, rows.swap_remove(0).summary.unwrap_or_default(), None));
    };
    if kind != FingerprintKind::Simhash {
        // The fingerprints of the paper are simhash, here of the text that the other methods compare.
        let (options, start) = (subject.options_of_texts(), Instant::now());
        let found = content_simhash(subject.view, subject.collection, gold, &options, k, watch)?;
        let (name, seconds) = ("simhash of the content".into(), start.elapsed().as_secs_f64());
        rows[2].paper = [None; 3];
        rows.push(MethodRow { name, paper: [0.71, 1.0, 0.5].map(Some), found, pairs: None, seconds, summary: None });
    }
    let selected = vec![true; gold.pairs.len()];
    let base = rows.last().map(|row| row.found.clone()).unwrap_or_default();
    for row in &rows {
        let [of_documents, pooled, recall, f1] = row.figures(gold);
        let on_one =
            splits(gold, &selected, &row.found).into_iter().find(|part| part.by == "site" && part.part == "same");
        let on_one = on_one.map(|part| part.counts).unwrap_or_default();
        let relative = relative_recall(gold, &selected, &row.found, &base).in_all;
        let [paper_precision, paper_recall, paper_on_one] = row.paper.map(Cell::from);
        made.row([
            row.name.clone().into(),
            of_documents.into(),
            paper_precision,
            relative.into(),
            paper_recall,
            on_one.precision().into(),
            paper_on_one,
            on_one.found[0].into(),
            pooled.into(),
            recall.into(),
            f1.into(),
            row.pairs.into(),
            row.seconds.into(),
        ]);
    }
    let lcs = rows.swap_remove(0);
    let precision = lcs.figures(gold)[0];
    Ok((made, lcs.summary.unwrap_or_default(), precision))
}

fn table_2(
    subject: &Subject<'_>,
    summary: &PairSummary,
    precision: Option<f64>,
    (drawn, sets): (&TextSample, &Perhaps),
    lcs: &Lcs,
) -> Exhibit {
    let columns =
        ["step", "comparisons without", "with", "us a comparison without", "with", "precision after", "paper"];
    let mut made = Exhibit::new("Table 2", "what each step does for time and precision", &columns)
        .paper("without step 1 years, without step 2 more than 5,700 hours instead of 118.")
        .note("Precision after step 1 is the share of similar pairs in perhaps-similar sets of the sample, by step 3.");
    let documents = subject.collection.held().documents;
    let [without, with] = comparison_times(drawn, &sets.pairs.concat(), lcs);
    let trustable = sets.steps.last().and_then(|step| step.trustable());
    made.row([
        "1, perhaps-similar sets".into(),
        (documents * documents.saturating_sub(1) / 2).into(),
        summary.sets.compared.into(),
        Cell::None,
        Cell::None,
        trustable.into(),
        0.67.into(),
    ]);
    made.row([
        "2, filtered sketches".into(),
        Cell::None,
        Cell::None,
        without.into(),
        with.into(),
        Cell::None,
        Cell::None,
    ]);
    made.row([
        "3, trustable LCS".into(),
        Cell::None,
        Cell::None,
        Cell::None,
        Cell::None,
        precision.into(),
        0.95.into(),
    ]);
    made
}

fn figure_6(made: &Perhaps) -> Exhibit {
    let columns = ["signatures", "coverage", "trustable rate", "with a signature"];
    let mut exhibit = Exhibit::new("Figure 6", "coverage and trustable rate by the signatures of a document", &columns)
        .paper("coverage ascends, the trustable rate descends; balanced at 14 signatures, and 112 are taken.")
        .note(format!(
            "{} documents compared with all of the sample: of {} pairs {} are similar.",
            made.selected, made.compared, made.similar
        ))
        .plotted(Chart::Lines(vec![1, 2, 3]));
    for step in &made.steps {
        let shares = [made.coverage(step), step.trustable(), made.signed(step)];
        exhibit.row([u64::from(step.signatures).into()].into_iter().chain(shares.map(Cell::from)));
    }
    exhibit
}

fn figure_7(made: &Straining) -> Exhibit {
    let columns = ["S", "strain-away rate", "reserve rate", "paper: strain-away", "paper: reserve"];
    let mut exhibit = Exhibit::new("Figure 7", "effect of windows of each length", &columns)
        .paper("the strain-away rate rises to 0.8 at 6 bytes; the reserve rate falls slowly, above 0.85.")
        .note(format!("Means over {} pairs that are not similar, and {} that are.", made.unlike, made.similar))
        .plotted(Chart::Lines(vec![1, 2]));
    for step in &made.steps {
        let paper = match step.window {
            6 => [Some(0.8), None],
            16 => [Some(0.87), Some(0.975)],
            _ => [None, None],
        };
        let measured = [step.strained, step.reserved].map(Cell::from);
        exhibit.row([(step.window as u64).into()].into_iter().chain(measured).chain(paper.map(Cell::from)));
    }
    exhibit
}

fn figure_8(subject: &Subject<'_>, made: Option<&Slopes>) -> Exhibit {
    let columns =
        ["slope", "precision", "resemblance", "precision, thresholds of the paper", "recall", "paper: precision"];
    let title = format!("precision by the slope of trustable regions, at recall {RECALL}");
    let exhibit = Exhibit::new("Figure 8", title, &columns)
        .paper("the peak is 0.948 at slope 0.10; lower below 0.05 and above 0.15.");
    let Some(made) = made else { return exhibit.note(subject.unlabelled()) };
    let mut exhibit = exhibit
        .note(
            "The threshold of resemblance is set for each slope so that recall is 0.9, and containment is not applied.",
        )
        .plotted(Chart::Lines(vec![1, 3, 4]));
    for step in &made.steps {
        let paper = ((step.slope - 0.1).abs() < 1e-9).then_some(0.948);
        exhibit.row([
            step.slope.into(),
            step.adjusted.precision().into(),
            step.resemblance.into(),
            step.usual.precision().into(),
            step.usual.recall().into(),
            paper.into(),
        ]);
    }
    exhibit
}
