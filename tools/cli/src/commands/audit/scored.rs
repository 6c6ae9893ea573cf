//! `nddb audit --score`: the scores of the answers of an audit.

use std::collections::BTreeMap;
use std::path::Path;

use nddb_evaluate::audit::{AuditScore, Figure, StratumKind, read_answers};
use nddb_evaluate::difference::DifferenceKind;
use nddb_jobs::lists;
use serde_json::{Value, json};

use crate::args::Global;
use crate::failure::{Code, Failure, Result, Told, chain};
use crate::output::{self, Output};
use crate::quantity::{counted, grouped};
use crate::table::TextTable;

pub(super) fn run(path: &Path, global: &Global) -> Result<Code> {
    let answers = read_answers(lists::lines(path)?).map_err(|error| {
        let told = Told::new(Code::Failed, format!("{}: {}", path.display(), chain(&error)));
        Failure::from(told.hint("give the file that the page of nddb audit downloaded, as it is"))
    })?;
    let score = AuditScore::of(&answers);
    if global.json {
        output::print_json(&value(&score))?;
        return Ok(Code::Done);
    }
    let mut output = Output::stdout();
    for line in lines(&score) {
        output.line(&line)?;
    }
    output.flush()?;
    Ok(Code::Done)
}

fn lines(score: &AuditScore) -> Vec<String> {
    let mut lines = vec![format!(
        "{} of {} judged, {} undecided",
        counted(score.judged, "removal"),
        grouped(score.removals),
        grouped(score.undecided)
    )];
    match (score.all.share, score.all.interval) {
        (Some(share), Some(interval)) => {
            lines.push(format!(
                "correct (nothing lost that is worth keeping, and the kept page is as good): {}",
                told(share, interval)
            ));
        }
        _ => lines.push("no pair is decided yet: answer the questions about some pairs on the page".into()),
    }
    if let (Some(share), Some(interval)) = (score.near.share, score.near.interval) {
        lines.push(format!("the same text on both pages: {}", told(share, interval)));
    }
    if let Some(expected) = score.expected {
        lines.push(format!("expected by the model of the same removals: {}", percent(expected)));
    }
    if score.all.pairs < score.removals && score.all.share.is_some() {
        let left = score.removals - score.all.pairs;
        lines.push(format!("{} are of strata without a decided answer, and not counted", counted(left, "removal")));
    }
    let (twice, same) = score.again;
    if twice > 0 {
        lines.push(format!("{} judged twice, {} alike", counted(twice, "pair"), grouped(same)));
    }
    for (title, parts) in &score.parts {
        if parts.is_empty() {
            continue;
        }
        lines.push(String::new());
        let mut table = TextTable::new(&[title, "removals", "judged", "right", "share", "95%"]);
        parts.iter().for_each(|(name, figure)| table.row(row(name, figure)));
        lines.extend(table.lines());
    }
    for (title, counts) in
        [("pairs by which nothing is lost differ in", &score.differences), ("undecided because of", &score.reasons)]
    {
        let all: u64 = counts.values().map(|[all, _]| all).sum();
        let same: u64 = counts.values().map(|[_, same]| same).sum();
        if all > 0 {
            lines.push(String::new());
            let mut table = TextTable::new(&[title, "all pairs", "share", "same site", "share"]);
            for (kind, [of_all, of_same]) in counts {
                let share =
                    |part: u64, whole: u64| if whole == 0 { "-".into() } else { percent(part as f64 / whole as f64) };
                table.row(vec![
                    kind.name().into(),
                    grouped(*of_all),
                    share(*of_all, all),
                    grouped(*of_same),
                    share(*of_same, same),
                ]);
            }
            lines.extend(table.lines());
        }
    }
    if !score.others.is_empty() {
        lines.push(String::new());
        let mut table = TextTable::new(&["not removed", "pairs", "judged", "could go", "share", "95%"]);
        for (kind, figure) in &score.others {
            table.row(row(name(*kind), figure));
        }
        lines.extend(table.lines());
    }
    lines
}

fn name(kind: StratumKind) -> &'static str {
    match kind {
        StratumKind::Stays => "near-duplicates that stay",
        _ => "told apart, near the threshold",
    }
}

fn row(name: &str, figure: &Figure) -> Vec<String> {
    let share = figure.share.map_or_else(|| "-".into(), percent);
    let interval =
        figure.interval.map_or_else(|| "-".into(), |(from, to)| format!("{} to {}", percent(from), percent(to)));
    vec![name.into(), grouped(figure.pairs), grouped(figure.judged), grouped(figure.right), share, interval]
}

fn told(share: f64, (from, to): (f64, f64)) -> String {
    format!("{} (95%: {} to {})", percent(share), percent(from), percent(to))
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

fn by_kind(counts: &BTreeMap<DifferenceKind, [u64; 2]>) -> Value {
    let of = |(kind, [all, same_site]): (&DifferenceKind, &[u64; 2])| json!({"difference": kind.name(), "pairs": all, "same_site": same_site});
    counts.iter().map(of).collect()
}

fn value(score: &AuditScore) -> Value {
    let figure = |figure: &Figure| {
        json!({
            "pairs": figure.pairs,
            "judged": figure.judged,
            "right": figure.right,
            "share": figure.share,
            "interval": figure.interval.map(|(from, to)| [from, to]),
        })
    };
    let parts = score.parts.iter().map(|(title, parts)| {
        let parts = parts.iter().map(|(name, of)| {
            let mut value = figure(of);
            value["name"] = json!(name);
            value
        });
        json!({"by": title, "parts": parts.collect::<Vec<_>>()})
    });
    let others = score.others.iter().map(|(kind, of)| {
        let mut value = figure(of);
        value["kind"] = kind.name().into();
        value
    });
    // Reference of audit: the object of `--json` with `--score`
    json!({
        "removals": score.removals,
        "judged": score.judged,
        "undecided": score.undecided,
        // `pairs`, `judged`, `right`, `share`, and its 95% `interval` (Wilson's, for the effective sample size of
        // Kish)
        "all": figure(&score.all),
        "near": figure(&score.near), // the same of pairs with the same text
        "expected": score.expected, // the share that the model expects
        "parts": parts.collect::<Vec<_>>(), // `by` rule, score, sites, cluster size, stratum
        "others": others.collect::<Vec<_>>(), // by `kind`
        "again": {"pairs": score.again.0, "alike": score.again.1}, // pairs judged twice, and how many of them alike
        "differences": by_kind(&score.differences),
        "reasons": by_kind(&score.reasons),
        "guessed": score.guessed, // pairs whose kind of difference the page guessed rightly
    })
}
