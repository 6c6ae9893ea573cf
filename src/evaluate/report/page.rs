//! The page of a report.

use std::collections::BTreeMap;
use std::time::SystemTime;

use nddb_format::record::ShownId;
use nddb_verdict::{Candidates, Method};

use super::measured::{Measured, Report};
use super::overview_page;
use super::text_page;
use crate::eval::COMBINED_C;
use crate::html::Html;
use crate::measures::{BUCKETS, Grid};
use crate::plot::{Plot, PlotError, Result};
use nddb_jobs::quantity::{counted, decimal, grouped, unread_reasons};

/// Ranges of C-similarity.
pub const C_RANGES: [(u32, u32); 5] = [(372, 374), (375, 377), (378, 380), (381, 383), (384, 384)];

impl Report<'_> {
    /// Returns a sentence about texts that could not be read, if any; the report leaves them out.
    pub fn unread(&self) -> Option<String> {
        let unread = if self.texts.unread.total() > 0 { &self.texts.unread } else { &self.overview.unread };
        (unread.total() > 0)
            .then(|| format!("texts could not be read, and the report lacks them: {}", unread_reasons(unread)))
    }

    /// Returns the page: one self-contained HTML file. It names the command or call that made it.
    ///
    /// # Errors
    /// [`PlotError`] of a plot that cannot be drawn.
    pub fn page(&self, command: &str) -> Result<String, PlotError> {
        let mut html = Html::new(&format!("nddb report: {}", self.db));
        html.heading(1, &format!("Report of {}", self.db));
        let held = self.collection.held();
        html.paragraph(&format!(
            "{}, of which {} have a fingerprint. Recipe {}.",
            counted(held.documents, "document"),
            grouped(held.fingerprints),
            self.view.settings().recipe,
        ));
        html.remark(&format!(
            "{}, made by nddb {} from generation {} of the database: {command}",
            now(),
            env!("CARGO_PKG_VERSION"),
            self.view.generation(),
        ));
        if let Some(unread) = self.unread() {
            html.warning(&format!("Attention: {unread}."));
        }
        html.contents();
        overview_page::sections(&mut html, self)?;
        html.fold("What the papers measure");
        html.paragraph(
            "This part has the measurements of the papers that the methods come from: how fingerprints are \
             distributed, what each method finds, and what texts say.",
        );
        fingerprints(&mut html, self)?;
        methods(&mut html, self)?;
        similarities(&mut html, self)?;
        text_page::sections(&mut html, &self.texts)?;
        html.heading(2, "Not measured here");
        html.paragraph(
            "Precision and recall need labels: nddb eval --docs DOCS --pairs LABELS --report FILE measures them. The \
             methods below were not run, for the reason beside each.",
        );
        if !self.refused.is_empty() {
            let row = |(method, why): &(&str, String)| vec![(*method).to_owned(), why.clone()];
            html.table(&["method", "not run because"], &self.refused.iter().map(row).collect::<Vec<_>>());
        }
        html.unfold();
        Ok(html.finish())
    }
}

/// Returns the date and time in UTC.
fn now() -> String {
    chrono::DateTime::<chrono::Utc>::from(SystemTime::now()).format("%Y-%m-%d %H:%M UTC").to_string()
}

fn fingerprints(html: &mut Html, report: &Report<'_>) -> Result<()> {
    let prints = &report.prints;
    html.heading(2, "Fingerprints");
    html.heading(3, "Where successive fingerprints first differ");
    html.paragraph(&format!(
        "Position of the leading 1-bit in the XOR of successive fingerprints, of {} different ones in ascending order; \
         0 is the least bit (Manku et al. 2007, 4.2, Figure 2a). Random fingerprints would give a peak that halves at \
         each step to both sides; what lies to the left of it is clusters of like documents.",
        grouped(prints.distinct)
    ));
    let rows: Vec<(u64, u64)> = (0..).zip(prints.leading.iter().copied()).collect();
    bars(html, "leading 1-bits", ["position of the leading 1-bit", "pairs"], &rows)?;
    html.heading(3, &format!("Fingerprints in {BUCKETS} buckets"));
    html.paragraph(&format!(
        "Documents in each of {BUCKETS} equal intervals of the space of values (Figure 2b). Random fingerprints would \
         give {:.1} in each; spikes are clusters of like documents.",
        prints.documents as f64 / BUCKETS as f64
    ));
    let plot = Plot { title: "documents in buckets", x: "bucket", y: "documents" };
    let heights: Vec<(u64, f64)> = (0..).zip(prints.documents_in.map(|count| count as f64)).collect();
    let both = prints.documents_in.iter().zip(&prints.distinct_in).enumerate();
    let rows: Vec<Vec<String>> = both
        .map(|(bucket, (&documents, &distinct))| vec![bucket.to_string(), grouped(documents), grouped(distinct)])
        .collect();
    html.plot(&plot.bars(&heights)?, &["bucket", "documents", "different"], &rows);
    if prints.hottest.is_empty() {
        html.paragraph("No two documents have equal fingerprints.");
        return Ok(());
    }
    html.paragraph("The fingerprints of most documents:");
    let rows: Vec<Vec<String>> = prints
        .hottest
        .iter()
        .map(|hot| {
            let bucket = hot.fingerprint.0 >> (u32::from(prints.bits) - BUCKETS.ilog2());
            let example = ShownId(report.collection.id(hot.example)).to_string();
            vec![format!("{:016x}", hot.fingerprint.0), bucket.to_string(), grouped(hot.documents), example]
        })
        .collect();
    html.table(&["fingerprint", "bucket", "documents", "for example"], &rows);
    Ok(())
}

fn methods(html: &mut Html, report: &Report<'_>) -> Result<()> {
    html.heading(2, "Near-duplicates by each method");
    html.paragraph(
        "Documents with different texts are the nodes of a graph, pairs of near-duplicates its edges (Henzinger 2006, \
         results for algorithms B and C): copies of one text count once, except in the last column. The mean degree is \
         over the documents that have a near-duplicate. A pair is of one site if both sites are known and equal.",
    );
    let rows: Vec<Vec<String>> = report.methods.iter().map(|measured| overview(measured, &*report.default)).collect();
    let titles =
        ["method", "documents", "with near-duplicate", "pairs", "mean degree", "same site", "exponent", "with copies"];
    html.table(&titles, &rows);
    for measured in &report.methods {
        let (graph, sizes) = (&measured.graph, &measured.sizes);
        let name = measured.options.method.name();
        if graph.near > 0 {
            html.heading(3, &format!("{name}: degrees"));
            let exponent = graph.exponent().map_or(String::new(), |slope| {
                format!(" A straight line of least squares through the points falls with exponent {slope:.2}.")
            });
            let stars = graph.summary.stars;
            let cut = if stars == 0 {
                String::new()
            } else {
                format!(" {} of candidates above the limit: there may be more pairs.", counted(stars, "group"))
            };
            html.paragraph(&format!("Documents by their number of near-duplicates.{exponent}{cut}"));
            log_points(html, ["near-duplicates", "documents"], &graph.degrees)?;
        }
        if !sizes.clusters.is_empty() {
            html.heading(3, &format!("{name}: clusters"));
            html.paragraph(&format!(
                "{}, copies of one text included, the largest of {}; {} would be removed.",
                counted(sizes.clusters.values().sum(), "star cluster"),
                counted(*sizes.clusters.keys().next_back().unwrap_or(&0), "document"),
                counted(sizes.summary.removed, "document"),
            ));
            log_points(html, ["documents in a cluster", "clusters"], &sizes.clusters)?;
        }
    }
    Ok(())
}

fn overview(measured: &Measured, default: &dyn Method) -> Vec<String> {
    let graph = &measured.graph;
    let method = &measured.options.method;
    let mut name = match method.candidates() {
        Candidates::Near(k) => format!("{method}, k = {k}"),
        _ => method.name().into(),
    };
    if method.name() == default.name() {
        name += " (the default)";
    }
    vec![
        name,
        grouped(graph.nodes),
        format!("{} ({})", grouped(graph.near), share(graph.near, graph.nodes)),
        grouped(graph.edges),
        format!("{:.2}", graph.mean_degree()),
        share(graph.same_site, graph.edges),
        decimal(graph.exponent(), 2),
        format!("{} ({})", grouped(graph.documents_near), share(graph.documents_near, graph.documents)),
    ]
}

fn similarities(html: &mut Html, report: &Report<'_>) -> Result<()> {
    html.heading(2, "B-similarity and C-similarity");
    html.paragraph(
        "B-similarity is the number of equal supershingles, 0 to 6; C-similarity the number of equal bits of the \
         projections, 0 to 384. All pairs of documents with different texts are looked at (Henzinger 2006, \
         correlation).",
    );
    if report.b.is_none() && report.c.is_none() {
        html.paragraph("The database has neither supershingles nor projections.");
    }
    if let Some(grid) = &report.b {
        b_similar(html, grid)?;
    }
    if let Some(grid) = &report.c {
        c_similar(html, grid)?;
    }
    Ok(())
}

fn b_similar(html: &mut Html, grid: &Grid) -> Result<()> {
    let known = grid.pairs - grid.unknown;
    html.heading(3, "B-similar pairs");
    if grid.pairs == 0 {
        html.paragraph("No pair has B-similarity 2 and more.");
        return Ok(());
    }
    html.paragraph(&format!(
        "{} with B-similarity 2 and more{}. {} of them have C-similarity 372 and more. Correlation of the two: {}.",
        counted(grid.pairs, "pair"),
        caveat(grid),
        share(grid.from_c(372), known),
        decimal(grid.correlation(), 2),
    ));
    if known == 0 {
        return Ok(());
    }
    let plot = Plot { title: "B-similarity of B-similar pairs", x: "B-similarity", y: "pairs" };
    let heights: Vec<(u64, f64)> = (2..=6).map(|b| (u64::from(b), grid.with_b(b) as f64)).collect();
    let rows: Vec<Vec<String>> = (2..=6)
        .map(|b| {
            let pairs = grid.with_b(b);
            vec![b.to_string(), grouped(pairs), share(pairs, known), decimal(grid.mean_c(b), 2)]
        })
        .collect();
    html.plot(&plot.bars(&heights)?, &["B-similarity", "pairs", "share", "mean C-similarity"], &rows);
    for b in 2..=6 {
        if grid.with_b(b) > 0 {
            html.heading(3, &format!("C-similarity of pairs with B-similarity {b}"));
            let least = (0..=384).find(|&c| grid.pairs_at(b, c) > 0).unwrap_or(0).min(364);
            let rows: Vec<(u64, u64)> = (least..=384).map(|c| (c.into(), grid.pairs_at(b, c))).collect();
            bars(html, "C-similarity", ["C-similarity", "pairs"], &rows)?;
        }
    }
    html.heading(3, "What the combined rule keeps");
    html.paragraph(
        "B-similar pairs with at least this C-similarity (Henzinger 2006, the combined algorithm, which takes \
         355).",
    );
    let plot = Plot { title: "pairs kept", x: "least C-similarity R", y: "pairs kept" };
    let heights: Vec<(u64, f64)> = COMBINED_C.map(|least| (least.into(), grid.from_c(least) as f64)).collect();
    let rows: Vec<Vec<String>> = COMBINED_C
        .map(|least| vec![least.to_string(), grouped(grid.from_c(least)), share(grid.from_c(least), known)])
        .collect();
    html.plot(&plot.bars(&heights)?, &["c", "pairs kept", "share"], &rows);
    Ok(())
}

fn c_similar(html: &mut Html, grid: &Grid) -> Result<()> {
    let known = grid.pairs - grid.unknown;
    let b_similar: u64 = (2..=6).map(|b| grid.with_b(b)).sum();
    html.heading(3, "C-similar pairs");
    if grid.pairs == 0 {
        html.paragraph("No pair has C-similarity 372 and more.");
        return Ok(());
    }
    html.paragraph(&format!(
        "{} with C-similarity 372 and more{}. {} of them are B-similar, {} have B-similarity 0. Correlation of the two: {}.",
        counted(grid.pairs, "pair"),
        caveat(grid),
        share(b_similar, known),
        share(grid.with_b(0), known),
        decimal(grid.correlation(), 2),
    ));
    if known == 0 {
        return Ok(());
    }
    let rows: Vec<(u64, u64)> = (372..=384).map(|c| (c.into(), grid.with_c(c))).collect();
    bars(html, "C-similarity of C-similar pairs", ["C-similarity", "pairs"], &rows)?;
    let rows: Vec<(u64, u64)> = (0..=6).map(|b| (b.into(), grid.with_b(b))).collect();
    bars(html, "B-similarity of C-similar pairs", ["B-similarity", "pairs"], &rows)?;
    let rows: Vec<Vec<String>> = C_RANGES
        .iter()
        .map(|&(from, to)| {
            let pairs = (from..=to).map(|c| grid.with_c(c)).sum();
            vec![format!("{from} to {to}"), grouped(pairs), decimal(grid.mean_b(from..=to), 2)]
        })
        .collect();
    html.table(&["C-similarity", "pairs", "mean B-similarity"], &rows);
    Ok(())
}

/// Returns the limitations of the counts of a grid.
fn caveat(grid: &Grid) -> String {
    let mut text = String::new();
    if grid.unknown > 0 {
        text += &format!(" ({} without the other sketch are left out below)", grouped(grid.unknown));
    }
    if grid.cut > 0 {
        text += &format!(", not counting all pairs of {} above the limit", counted(grid.cut, "group"));
    }
    text
}

fn bars(html: &mut Html, title: &str, axes: [&str; 2], rows: &[(u64, u64)]) -> Result<()> {
    let heights: Vec<(u64, f64)> = rows.iter().map(|&(x, y)| (x, y as f64)).collect();
    html.plot(&Plot { title, x: axes[0], y: axes[1] }.bars(&heights)?, &axes, &cells(rows.iter().copied()));
    Ok(())
}

fn log_points(html: &mut Html, axes: [&str; 2], counts: &BTreeMap<u64, u64>) -> Result<()> {
    let points: Vec<(u64, u64)> =
        counts.iter().map(|(&key, &count)| (key, count)).filter(|point| point.0 > 0).collect();
    let plot = Plot { title: axes[0], x: axes[0], y: axes[1] };
    html.plot(&plot.log_points(&points)?, &axes, &cells(counts.iter().map(|(&key, &count)| (key, count))));
    Ok(())
}

fn cells(rows: impl Iterator<Item = (u64, u64)>) -> Vec<Vec<String>> {
    rows.map(|(key, count)| vec![grouped(key), grouped(count)]).collect()
}

fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "-".into() } else { format!("{:.1}%", 100.0 * part as f64 / whole as f64) }
}
