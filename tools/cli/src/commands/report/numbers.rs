//! The measurements of a report as JSON, the data of its page.

use std::collections::BTreeMap;

use nddb_evaluate::eval::COMBINED_C;
use nddb_evaluate::measures::Grid;
use nddb_evaluate::report::{C_RANGES, Measured, Report};
use nddb_jobs::json::Id;
use serde_json::{Value, json};

use super::{removal_numbers, text_numbers};

pub(super) fn value(report: &Report<'_>) -> Value {
    let prints = &report.prints;
    let hottest = prints.hottest.iter().map(|hot| {
        json!({
            "fingerprint": format!("{:016x}", hot.fingerprint.0),
            "documents": hot.documents,
            "example": Id(report.collection.id(hot.example)),
        })
    });
    let refused = report.refused.iter().map(|(method, why)| json!({"method": method, "why": why}));
    json!({
        "input": {
            "db": report.db,
            "generation": report.view.generation(),
            "complete_to": report.view.complete_to(),
        },
        "recipe": report.view.settings().recipe,
        "versions": {"nddb": env!("CARGO_PKG_VERSION"), "format": nddb_format::fields::FORMAT},
        "documents": report.collection.held().documents,
        "removals": removal_numbers::value(report),
        "fingerprints": {
            "bits": prints.bits,
            "documents": prints.documents,
            "distinct": prints.distinct,
            "leading": prints.leading,
            "documents_in": prints.documents_in.to_vec(),
            "distinct_in": prints.distinct_in.to_vec(),
            "hottest": hottest.collect::<Vec<_>>(),
        },
        "methods": report.methods.iter().map(|measured| method(measured, report.view.settings().k)).collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
        "b_similar": report.b.as_ref().map(grid),
        "c_similar": report.c.as_ref().map(grid),
        "combined": report.b.as_ref().map(combined),
        "texts": text_numbers::value(&report.texts),
    })
}

fn method(measured: &Measured, k: u8) -> Value {
    let Measured { options, graph, sizes } = measured;
    let rows = |counts: &BTreeMap<u64, u64>| counts.iter().map(|(&key, &count)| [key, count]).collect::<Vec<_>>();
    json!({
        "method": options.method.name(),
        "k": k,
        "documents": graph.documents,
        "documents_near": graph.documents_near,
        "nodes": graph.nodes,
        "near": graph.near,
        "pairs": graph.edges,
        "mean_degree": graph.mean_degree(),
        "same_site": graph.same_site,
        "degrees": rows(&graph.degrees),
        "exponent": graph.exponent(),
        "hot_groups": graph.summary.hot_groups,
        "stars": graph.summary.stars,
        "unsketched": graph.summary.unsketched,
        "clusters": rows(&sizes.clusters),
        "largest": sizes.summary.largest,
        "removed": sizes.summary.removed,
    })
}

fn grid(grid: &Grid) -> Value {
    let cells = (0..=6).flat_map(|b| (0..=384).map(move |c| [u64::from(b), u64::from(c), grid.pairs_at(b, c)]));
    let by_b = (0..=6).map(|b| json!({"b": b, "pairs": grid.with_b(b), "mean_c": grid.mean_c(b)}));
    let by_c = C_RANGES.iter().map(|&(from, to)| {
        let pairs: u64 = (from..=to).map(|c| grid.with_c(c)).sum();
        json!({"from": from, "to": to, "pairs": pairs, "mean_b": grid.mean_b(from..=to)})
    });
    json!({
        "pairs": grid.pairs,
        "unknown": grid.unknown,
        "cut": grid.cut,
        "correlation": grid.correlation(),
        "by_b": by_b.collect::<Vec<_>>(),
        "by_c": by_c.collect::<Vec<_>>(),
        "cells": cells.filter(|cell| cell[2] > 0).collect::<Vec<_>>(),
    })
}

fn combined(grid: &Grid) -> Value {
    COMBINED_C.map(|least| json!({"c": least, "pairs": grid.from_c(least)})).collect()
}
