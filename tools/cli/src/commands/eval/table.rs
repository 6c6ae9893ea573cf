//! The figures as tables for people.

use nddb_evaluate::eval::{DRAWS, Interval, Intervals, Split, splits};
use nddb_jobs::quantity::decimal;

use super::trial::{Frame, Trial};
use crate::quantity::{counted, grouped};
use crate::table::TextTable;

/// Replaces a figure that would be divided by zero.
const NOTHING: &str = "-";

/// Returns all lines: the scored pairs, one line for each setting, and the parts of the labelled pairs.
pub(super) fn lines(frame: &Frame<'_>, trials: &[Trial<'_>], reference: usize, intervals: &[Intervals]) -> Vec<String> {
    let mut lines = head(frame);
    let parts: Vec<Vec<Split>> =
        trials.iter().map(|trial| splits(&trial.set.gold, &frame.selected, trial.returned.found())).collect();
    lines.push(String::new());
    lines.extend(overview(frame, trials, &parts, intervals).lines());
    if trials.len() > 1 {
        lines.push(String::new());
        lines.push(format!(
            "differences from {}, paired, 95% of {} draws:",
            trials[reference].told(),
            grouped(DRAWS as u64)
        ));
        lines.extend(differences(trials, reference, intervals).lines());
    }
    lines.push(String::new());
    lines.push("by site (Henzinger's rule), registrable domain and kind:".into());
    lines.extend(by_part(trials, &parts).lines());
    lines
}

pub(super) fn head(frame: &Frame<'_>) -> Vec<String> {
    let (halves, counts) = (&frame.first().gold.halves, frame.counts());
    let mut lines = vec![
        format!(
            "{}; {} scored (half {}): {} correct, {} incorrect, {} undecided; prevalence of correct ones {}",
            counted(frame.documents(), "document"),
            counted(counts.labelled(), "labelled pair"),
            frame.half.name(),
            grouped(counts.missed[0]),
            grouped(counts.missed[1]),
            grouped(counts.missed[2]),
            figure(counts.prevalence()),
        ),
        format!(
            "{} in {}; {} cut, {} dropped from the halves; intervals: 95%, {} draws of {}, seed {}",
            counted(halves.sites as u64, "site"),
            counted(halves.components as u64, "component"),
            halves.cut,
            counted(halves.crossing as u64, "crossing pair"),
            grouped(DRAWS as u64),
            counted(frame.cells.sites().into(), "site"),
            frame.seed,
        ),
    ];
    if frame.first().gold.left_out > 0 {
        let (pairs, ids) = (
            counted(frame.first().gold.left_out, "pair"),
            counted(frame.first().gold.unknown.len() as u64, "unknown id"),
        );
        lines.push(format!("{pairs} left out because of {ids}"));
    }
    lines
}

fn overview(frame: &Frame<'_>, trials: &[Trial<'_>], parts: &[Vec<Split>], intervals: &[Intervals]) -> TextTable {
    let mut table = TextTable::of(
        "recipe, method, params, precision, of returned, recall, F1, precision 95%, recall 95%, F1 95%, pairs, \
         unlabelled, candidates/doc, bytes/doc, seconds",
    );
    for ((trial, parts), intervals) in trials.iter().zip(parts).zip(intervals) {
        let all = parts[0].counts;
        let per = trial.summary.candidates as f64 / (frame.documents().max(1)) as f64;
        table.row(vec![
            trial.set.recipe.name(),
            if trial.is_default() {
                format!("{} (default)", trial.setting.method)
            } else {
                trial.setting.method.name().into()
            },
            or_nothing(trial.setting.told()),
            figure(all.precision()),
            figure(all.precision_of_returned()),
            figure(all.recall()),
            figure(all.f1()),
            interval(intervals.precision),
            interval(intervals.recall),
            interval(intervals.f1),
            grouped(trial.returned.pairs()),
            grouped(trial.returned.unlabelled()),
            format!("{per:.2}"),
            trial.setting.method.bytes_per_document().map_or(NOTHING.into(), grouped),
            format!("{:.3}", trial.seconds),
        ]);
    }
    table
}

fn differences(trials: &[Trial<'_>], reference: usize, intervals: &[Intervals]) -> TextTable {
    let mut table = TextTable::new(&["recipe", "method", "params", "precision", "recall", "F1"]);
    for (index, (trial, intervals)) in trials.iter().zip(intervals).enumerate() {
        if index != reference {
            table.row(vec![
                trial.set.recipe.name(),
                trial.setting.method.name().into(),
                or_nothing(trial.setting.told()),
                signed(intervals.precision_difference),
                signed(intervals.recall_difference),
                signed(intervals.f1_difference),
            ]);
        }
    }
    table
}

fn by_part(trials: &[Trial<'_>], parts: &[Vec<Split>]) -> TextTable {
    let mut table = TextTable::of(
        "recipe, method, params, by, part, correct, found, incorrect, found, precision, of returned, recall, F1",
    );
    for (trial, parts) in trials.iter().zip(parts) {
        for split in &parts[1..] {
            let counts = &split.counts;
            table.row(vec![
                trial.set.recipe.name(),
                trial.setting.method.name().into(),
                or_nothing(trial.setting.told()),
                split.by.into(),
                split.part.clone(),
                grouped(counts.correct()),
                grouped(counts.found[0]),
                grouped(counts.found[1] + counts.missed[1]),
                grouped(counts.found[1]),
                figure(counts.precision()),
                figure(counts.precision_of_returned()),
                figure(counts.recall()),
                figure(counts.f1()),
            ]);
        }
    }
    table
}

fn or_nothing(text: String) -> String {
    if text.is_empty() { NOTHING.into() } else { text }
}

fn figure(figure: Option<f64>) -> String {
    decimal(figure, 4)
}

fn interval(interval: Option<Interval>) -> String {
    interval.map_or(NOTHING.into(), |interval| interval.to_string())
}

fn signed(interval: Option<Interval>) -> String {
    interval.map_or(NOTHING.into(), |interval| format!("{:+.3} to {:+.3}", interval.low, interval.high))
}
