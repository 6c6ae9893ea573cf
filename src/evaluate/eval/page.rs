//! The page of an evaluation.

use super::bootstrap::{Interval, Intervals};
use super::probability::ByProbability;
use super::score::Counts;
use crate::html::Html;
use crate::plot::{Plot, PlotError, Result, Series};
use nddb_jobs::quantity::{counted, decimal, grouped};

/// The texts, figures and plots of an evaluation's page.
pub struct EvalPage<'a> {
    /// The file of the documents.
    pub docs: String,
    /// The file of the labels.
    pub labels: String,
    /// Sentences about the scored documents and pairs.
    pub head: Vec<String>,
    /// All scored pairs by label, counted in `missed`, because no method is considered here.
    pub counts: Counts,
    /// Each method with its thresholds.
    pub methods: Vec<MethodFigures>,
    /// The figures for each recipe.
    pub recipes: Vec<RecipeFigures<'a>>,
}

/// The agreement of a method with the labels.
pub struct MethodFigures {
    /// The method with its thresholds.
    pub name: String,
    /// Whether it is the default method.
    pub is_default: bool,
    /// The scored pairs.
    pub counts: Counts,
    /// The intervals of the figures.
    pub intervals: Intervals,
    /// Pairs that the method returned, with and without a label.
    pub pairs: u64,
}

/// The measurements for sketches of one recipe.
pub struct RecipeFigures<'a> {
    /// The recipe.
    pub recipe: String,
    /// By the least probability of the default verdict; `None` if no pair has a probability.
    pub probabilities: Option<&'a ByProbability>,
}

impl EvalPage<'_> {
    /// Returns the page: one self-contained HTML file.
    ///
    /// # Errors
    /// [`PlotError`] of a plot that cannot be drawn.
    pub fn html(&self) -> Result<String, PlotError> {
        let (docs, labels) = (&self.docs, &self.labels);
        let mut html = Html::new(&format!("Methods against {labels}"));
        html.heading(1, "Methods against labels");
        html.paragraph(&format!("Documents: {docs}. Labels: {labels}. Made by nddb {}.", env!("CARGO_PKG_VERSION")));
        for line in &self.head {
            html.paragraph(line);
        }
        let [correct, incorrect, _] = self.counts.missed;
        if self.counts.labelled() == 0 {
            html.paragraph("No labelled pair is scored, so there is nothing to be right or wrong about.");
        } else if incorrect == 0 {
            html.paragraph("No pair is labelled incorrect: every precision is 1, and says nothing.");
        } else if correct == 0 {
            html.paragraph("No pair is labelled correct: every precision is 0, and there is no recall.");
        }
        methods(&mut html, &self.methods)?;
        for figures in &self.recipes {
            let of = if self.recipes.len() > 1 { format!(", recipe {}", figures.recipe) } else { String::new() };
            if let Some(made) = figures.probabilities {
                html.heading(2, &format!("The default verdict by its probability{of}"));
                probabilities(&mut html, made)?;
            }
        }
        Ok(html.finish())
    }
}

fn methods(html: &mut Html, methods: &[MethodFigures]) -> Result<()> {
    html.heading(2, "Methods");
    html.paragraph(
        "Each method from its own candidates over all documents: precision among the decided pairs, recall over the \
         correct ones, and F1; the table has 95% intervals.",
    );
    let (mut bars, mut rows) = (Vec::new(), Vec::new());
    for MethodFigures { name, is_default, counts, intervals, pairs } in methods {
        let name = &if *is_default { format!("{name} (the default)") } else { name.clone() };
        bars.push((name.clone(), [counts.precision(), counts.recall(), counts.f1()]));
        let mut row = vec![name.clone()];
        row.extend([figure(counts.precision()), interval(intervals.precision)]);
        row.extend([figure(counts.recall()), interval(intervals.recall)]);
        row.extend([figure(counts.f1()), interval(intervals.f1), grouped(*pairs)]);
        rows.push(row);
    }
    let plot = Plot { title: "precision, recall and F1 of methods", x: "share", y: "method" };
    let titles = ["method", "precision", "95%", "recall", "95%", "F1", "95%", "pairs"];
    html.plot_of(&plot.list(&bars)?, &["precision", "recall", "F1"], &titles, &rows);
    Ok(())
}

fn probabilities(html: &mut Html, made: &ByProbability) -> Result<()> {
    html.paragraph(
        "Labelled pairs by the probability that the method model gives them from their sketches, whether it would \
         compare them or not; 0.5 is the default threshold.",
    );
    if made.unknown > 0 {
        html.paragraph(&format!("{} without a probability: never found.", counted(made.unknown, "pair")));
    }
    let (mut series, mut curve) = ([(); 2].map(|()| Series { points: Vec::new() }), Vec::new());
    let mut rows = Vec::new();
    for step in &made.steps {
        let (counts, intervals) = (&step.counts, &step.intervals);
        series[0].points.push((step.least, counts.precision()));
        series[1].points.push((step.least, counts.recall()));
        curve.extend(counts.recall().zip(counts.precision()).map(|at| (at, intervals.precision)));
        let mut row = vec![format!("{:.2}", step.least), grouped(counts.found[0]), grouped(counts.found[1])];
        row.extend([figure(counts.precision()), interval(intervals.precision)]);
        row.extend([figure(counts.recall()), interval(intervals.recall)]);
        row.extend([figure(counts.f1()), interval(intervals.f1)]);
        rows.push(row);
    }
    let labels: Vec<(f64, String)> = (0..=5).map(|tenth| f64::from(tenth) / 5.0).map(tick).collect();
    let plot = Plot { title: "precision and recall by least probability", x: "least probability", y: "share" };
    let titles = ["least", "correct", "incorrect", "precision", "95%", "recall", "95%", "F1", "95%"];
    html.plot_of(&plot.lines(&series, &labels)?, &["precision", "recall"], &titles, &rows);

    curve.sort_by(|((a, _), _), ((b, _), _)| a.total_cmp(b));
    let of = |value: &dyn Fn(f64, Option<Interval>) -> Option<f64>| Series {
        points: curve.iter().map(|&((recall, precision), interval)| (recall, value(precision, interval))).collect(),
    };
    let lines = [
        of(&|precision, _| Some(precision)),
        of(&|_, interval| Some(interval?.low)),
        of(&|_, interval| Some(interval?.high)),
    ];
    let least = curve.first().map_or(0.0, |((recall, _), _)| (recall * 10.0).floor() / 10.0);
    let steps = ((1.0 - least) * 10.0).round() as u32;
    let labels: Vec<(f64, String)> = (0..=steps).map(|step| tick(least + f64::from(step) / 10.0)).collect();
    let plot = Plot { title: "precision by recall", x: "recall", y: "precision" };
    let rows: Vec<Vec<String>> = curve
        .iter()
        .map(|&((recall, precision), of)| vec![figure(Some(recall)), figure(Some(precision)), interval(of)])
        .collect();
    let legend = ["precision", "low end of 95%", "high end of 95%"];
    html.plot_of(&plot.lines(&lines, &labels)?, &legend, &["recall", "precision", "95%"], &rows);

    let calibration = &made.calibration;
    let slope = calibration.slope.map_or_else(|| "unknown".into(), |slope| format!("{slope:.2}"));
    html.heading(3, "Calibration");
    html.paragraph(&format!(
        "Decided pairs in groups of equal size by their probability: the mean probability of a group, and the share of \
         correct pairs in it. Brier score {:.4}; slope of the log-odds {slope}, which is 1 if the probabilities are \
         right, and less if they are too sure. Labelled pairs are no sample of all pairs: many were chosen because \
         they are hard.",
        calibration.brier,
    ));
    let bars: Vec<(String, [Option<f64>; 3])> = calibration
        .bins
        .iter()
        .map(|bin| (format!("{:.3}", bin.predicted), [Some(bin.observed), Some(bin.predicted), None]))
        .collect();
    let rows: Vec<Vec<String>> = calibration
        .bins
        .iter()
        .map(|bin| vec![figure(Some(bin.predicted)), figure(Some(bin.observed)), grouped(bin.pairs as u64)])
        .collect();
    let plot = Plot { title: "calibration of the default verdict", x: "share", y: "mean probability" };
    let titles = ["mean probability", "share of correct pairs", "pairs"];
    html.plot_of(&plot.list(&bars)?, &["share of correct pairs", "mean probability"], &titles, &rows);
    Ok(())
}

/// A labelled place on an axis.
fn tick(at: f64) -> (f64, String) {
    (at, format!("{at:.1}"))
}

/// A figure in the form of a table cell.
fn figure(figure: Option<f64>) -> String {
    decimal(figure, 4)
}

fn interval(interval: Option<Interval>) -> String {
    interval.map_or_else(|| "-".into(), |interval| interval.to_string())
}
