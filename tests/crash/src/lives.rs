//! Lives of databases without crashes: after each deed of a seeded workload a writer and readers say what a model says.

use std::panic::AssertUnwindSafe;

use nddb::{CheckOptions, Reader, View};
use nddb_index::testing::{Bug, seed_bug};

use crate::cuts::unwound;
use crate::judge::Verdict;
use crate::support::steps::{answer_line, assert_line, expected_line};
use crate::support::{Model, Random, folder};
use crate::sweeps::Counted;
use crate::workload::{Workload, database};

/// Deeds of a life.
const DEEDS: usize = 10;

/// Lives the life of a seed. Counts it, and the views that were compared.
pub(crate) fn live(seed: u64) -> Verdict<Counted> {
    live_through(&Workload::new(seed, DEEDS), seed, None)
}

/// Lives through a workload, with a mistake or without. A seed determines when readers are opened, and their queries.
pub(crate) fn live_through(workload: &Workload, seed: u64, bug: Option<Bug>) -> Verdict<Counted> {
    unwound(AssertUnwindSafe(|| Ok(Counted { judged: 1, again: views(workload, seed, bug) })))
        .and_then(|counted| counted)
        .map_err(|why| format!("seed {seed}: {why}"))
}

/// Returns the number of views that were compared with the model.
///
/// # Panics
/// If one differs.
fn views(workload: &Workload, seed: u64, bug: Option<Bug>) -> usize {
    let (folder, mut random) = (folder(), Random::fixed(seed ^ 0x11fe));
    let path = database(folder.path());
    let _bug = bug.map(|bug| seed_bug(folder.path(), bug));
    let (mut held, mut views): (Option<Reader>, usize) = (None, 0);
    workload.run(folder.path(), &mut |_| (), &mut |deed| {
        let (model, seed) = (&workload.models[deed + 1], random.next());
        let why = format!("deed {deed}, {}", workload.deeds[deed]);
        // A reader that has been open for long, or a new one.
        let mut reader = held.take().unwrap_or_else(|| Reader::open(&path).expect("opened"));
        reader.refresh().unwrap_or_else(|error| panic!("{why}: {error:?}"));
        compare(&reader.view(), model, seed, &why);
        held = random.percent(50).then_some(reader);
        views += 1;
    });
    let report = nddb::check(&path, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{report:#?}");
    views
}

fn compare(view: &View<'_>, model: &Model, seed: u64, why: &str) {
    let truth = model.truth();
    let stats = view.stats().expect("counted");
    assert_eq!((stats.documents, stats.pending), (truth.documents.len() as u64, model.pending()), "{why}");
    let line = answer_line(view, seed).unwrap_or_else(|error| panic!("{why}: {error:?}"));
    assert_line(&line, &expected_line(&truth, seed), why);
}
