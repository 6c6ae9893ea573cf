//! Queries of a set: fingerprints against fingerprints without documents.

use nddb::{Fingerprint, FingerprintSet, Within};
use nddb_jobs::fields::match_columns;
use nddb_jobs::json::{Hex, Object};
use serde_json::json;

use super::one_pass::batch_resources;
use super::{Args, Format, silent};
use crate::args::Global;
use crate::clock::Clock;
use crate::commands::set;
use crate::failure::{Code, Failure, Result};
use crate::output::{self, Output};
use crate::quantity::{counted, grouped};
use crate::{inputs, interrupt};

/// Refuses what needs documents.
fn refuse(args: &Args) -> Result<()> {
    let what = &args.what;
    set::refuse(&[
        ("--id", !what.id.is_empty()),
        ("--text", !what.text.is_empty()),
        ("--html", !what.html.is_empty()),
        ("--docs", !what.docs.is_empty()),
        ("--all", what.all),
        ("--parts", args.passages.parts),
        (args.how.given().unwrap_or_default(), args.how.given().is_some()),
        ("--why", args.why),
        ("--stats", args.stats),
        ("--nearest", args.nearest.is_some()),
        ("--max-cost", args.max_cost.is_some()),
        ("--ids", args.ids == super::AnswerIds::None),
        ("a search of several databases", args.databases.dbs.len() > 1),
    ])
}

/// Answers queries, all together: one line for each query, or one row for each match.
pub(super) fn run(args: &Args, global: &Global) -> Result<Code> {
    refuse(args)?;
    let clock = Clock::start();
    let format = Format::of(args.output.as_deref(), args.format)?;
    let set = FingerprintSet::open(&args.databases.dbs[0])?;
    let mut queries = args.what.fp.clone();
    if let Some(path) = &args.what.fp_file {
        queries.extend(inputs::fingerprints(path)?);
    }
    let within = Within(args.k.unwrap_or(set.manifest().k));
    interrupt::catch().map_err(|error| Failure::failed(format!("^C cannot be caught: {error}")))?;
    let to = global.output("-o", args.output.as_deref().or(silent(global)))?;
    let meter = global.messages().meter("query");
    let find = || set.batch_query(&queries, within, &batch_resources(global), Some(&mut *meter.watch(true)));
    let mut matches = 0u64;
    if let Some(format) = format.rows() {
        set::refuse(&[("--limit with rows", args.limit.is_some())])?;
        let mut rows = output::rows(format, &to, match_columns(false))?;
        let mut write = || {
            for found in find()? {
                let (query, distance, print) = found?;
                matches += 1;
                rows.row(&[query.into(), print.into(), distance.into()])?;
            }
            Ok(())
        };
        let outcome: Result<()> = write();
        rows.finish(outcome)?;
    } else {
        let output = Output::create(&to)?;
        let mut output = if format == Format::Table { output.tabled() } else { output };
        let mut lines =
            Lines { queries: &queries, limit: args.limit.unwrap_or(usize::MAX), next: 0, found: Vec::new() };
        for found in find()? {
            let (query, distance, print) = found?;
            while lines.next < query {
                output.write(&lines.end())?;
            }
            matches += 1;
            lines.found.push((distance, print));
        }
        while lines.next < queries.len() as u64 {
            output.write(&lines.end())?;
        }
        output.finish()?;
    }
    // Reference of query: the object of `--json`, of a set
    let summary = json!({
        "queries": queries.len(),
        "matches": matches,
        "stored": set.len(), // fingerprints of all runs
        "seconds": clock.seconds(),
        "cpu_seconds": clock.cpu_seconds(),
    });
    global.summary(&meter, summary)?;
    if args.what.fp_file.is_some() {
        let asked = counted(queries.len() as u64, "query");
        let stored = counted(set.len(), "stored fingerprint");
        meter.finish(&format!("{asked} against {stored}: {} matches", grouped(matches)));
    }
    Ok(if global.quiet && matches == 0 { Code::Failed } else { Code::Done })
}

/// Answers in the making: a line for each query.
struct Lines<'a> {
    queries: &'a [Fingerprint],
    limit: usize,
    /// The query whose matches are being collected.
    next: u64,
    found: Vec<(u32, Fingerprint)>,
}

impl Lines<'_> {
    /// Returns the line of a query, and moves on to the next.
    fn end(&mut self) -> Vec<u8> {
        let (mut line, count) = (Vec::new(), self.found.len());
        let shown = &self.found[..count.min(self.limit)];
        // Reference of query: a line for each fingerprint, of a set
        Object::append(&mut line, |object| {
            object.field("fp", Hex(self.queries[self.next as usize]));
            object.field("count", count as u64); // all matches, also those beyond --limit
            // by distance, then by fingerprint
            object.list("matches", shown, |object, &(distance, print)| {
                object.field("fp", Hex(print));
                object.field("distance", distance);
            });
        });
        line.push(b'\n');
        self.found.clear();
        self.next += 1;
        line
    }
}
