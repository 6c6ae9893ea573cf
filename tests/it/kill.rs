//! A writer killed at random moments loses no acknowledged commit, leaves nothing half done, and the next writer
//! continues without repair.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nddb::{CheckOptions, Reader, View, Writer};
use nddb_index::testing::{observe_storage, small_thresholds};

use super::support::steps::{Step, answer_line, assert_line, create, expected_line};
use super::support::{Model, Parent, Random, Worker, folder, say};

/// Number of writers that are killed.
const KILLS: u64 = 40;
/// Number of writers killed before the next database is created.
const KILLS_EACH: u64 = 20;
/// Longest life of a writer in milliseconds.
const LIFE_MS: u64 = 250;
/// Time after which no new writer is started.
const TIME: Duration = Duration::from_secs(80);

/// A worker that takes random steps, reporting each before and after it. It is killed.
pub(crate) fn write(mut parent: Parent) {
    let path = parent.answer();
    let mut random = Random::fixed(parent.answer().parse().expect("a number"));
    let path = Path::new(&path);
    let _small = random.percent(70).then(|| small_thresholds(path));
    let mut writer = Writer::open(path).expect("opened without repair");
    writer.merge_in_background(random.percent(60));
    parent.tell("opened");
    loop {
        let step = Step(random.next());
        parent.tell(&format!("begins {}", step.0));
        (writer, _) = step.perform(writer, path);
        parent.tell("done");
    }
}

/// A worker that commits while flushes and merges run beside it, and ends itself at a storage call of one of them.
pub(crate) fn end_at_a_call(mut parent: Parent) {
    let path = parent.answer();
    let mut random = Random::fixed(parent.answer().parse().expect("a number"));
    let last: u64 = parent.answer().parse().expect("a number");
    let path = Path::new(&path);
    let _small = random.percent(70).then(|| small_thresholds(path));
    let mut writer = Writer::open(path).expect("opened without repair");
    writer.merge_in_background(true);
    let calls = AtomicU64::new(0);
    let _observer = observe_storage(path, move |_, _| {
        if calls.fetch_add(1, Ordering::Relaxed) + 1 == last {
            std::process::abort();
        }
        Ok(())
    });
    parent.tell("opened");
    for _ in 0..10 {
        for step in [Step::group(&mut random), Step::flush(&mut random), Step::group(&mut random)] {
            parent.tell(&format!("begins {}", step.0));
            (writer, _) = step.perform(writer, path);
            parent.tell("done");
        }
    }
    writer.close().expect("closed");
    parent.tell("closed");
}

fn assert_sound(path: &Path, why: &str) {
    let report = nddb::check(path, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{why}: {report:#?}");
}

/// The possible states of a database: whether an interrupted step was done is unknown.
pub(crate) struct May {
    pub(crate) states: Vec<Model>,
}

impl May {
    fn take(&mut self, step: Step) {
        for state in &mut self.states {
            step.imagine(state);
        }
    }

    fn begin(&mut self, step: Step) {
        let more: Vec<Model> = self.states.iter().flat_map(|state| step.imagine_parts(state)).collect();
        self.states.extend(more);
    }

    /// Keeps the states that a view agrees with. Fails if there is none.
    pub(crate) fn find(&mut self, view: &View<'_>, seed: u64, why: &str) {
        let line = answer_line(view, seed).unwrap_or_else(|error| panic!("{why}: {error:?}"));
        let stats = view.stats().expect("counted");
        let mut batches = view.batches().expect("listed");
        batches.sort_by(|a, b| a.0.cmp(&b.0));
        let batches: Vec<_> = batches.into_iter().map(|(name, batch, len)| (name, batch.state, len)).collect();
        let first = self.states[0].clone();
        self.states.retain(|state| {
            let truth = state.truth();
            let counts = (truth.documents.len() as u64, state.pending());
            counts == (stats.documents, stats.pending)
                && batches == state.batches()
                && line == expected_line(&truth, seed)
        });
        if self.states.is_empty() {
            assert_line(&line, &expected_line(&first.truth(), seed), why);
            panic!("{why}\nit says {batches:?}\ninstead of {:?}", first.batches());
        }
        self.states.dedup();
    }
}

/// Lets a writer live for a moment, and records its acknowledged and its current step.
fn live_and_die(path: &Path, random: &mut Random, may: &mut May) -> String {
    let mut worker = Worker::start("is killed", &[&path.to_string_lossy(), &random.next().to_string()]);
    assert_eq!(worker.answer(), "opened");
    std::thread::sleep(Duration::from_micros(random.below(LIFE_MS * 1000)));
    worker.kill();
    take_note(&mut worker, may).0
}

/// Records the acknowledged and the current step of a dead worker. Returns the latter, and whether the worker came
/// to its end.
fn take_note(worker: &mut Worker, may: &mut May) -> (String, bool) {
    let (mut log, mut closed) = (Vec::new(), false);
    let mut last = None;
    while let Some(line) = worker.hear() {
        match line.split_once(' ') {
            Some(("begins", seed)) => last = Some(Step(seed.parse().expect("a number"))),
            None if line == "closed" => closed = true,
            _ => {
                assert_eq!(line, "done");
                let step: Step = last.take().expect("what is done has begun");
                may.take(step);
                log.push(step.to_string());
            }
        }
    }
    if let Some(step) = last {
        may.begin(step);
    }
    let last = last.map_or("nothing".to_owned(), |step| step.to_string());
    (format!("killed while doing {last}, after {log:#?}"), closed)
}

#[test]
fn a_writer_that_ends_at_any_storage_call_of_work_beside_it_needs_no_repair() {
    let mut random = Random::seeded("ends at storage calls");
    let folder = folder();
    let begun = Instant::now();
    let (mut ends, mut calls) = (0, 400);
    while ends < KILLS && begun.elapsed() < TIME {
        let path = folder.path().join("db");
        create(&path).close().expect("closed");
        let mut may = May { states: vec![Model::default()] };
        let call = 1 + random.below(calls);
        let lines = [&path.to_string_lossy(), &random.next().to_string()[..], &call.to_string()];
        let mut worker = Worker::start("ends at a call", &lines);
        assert_eq!(worker.answer(), "opened");
        let (log, closed) = take_note(&mut worker, &mut may);
        let why = format!("call {call}, {log}");
        if closed {
            // There are fewer calls.
            calls = (call - 1).max(100);
        }
        ends += u64::from(!closed);
        assert_sound(&path, &why);
        let reader = Reader::open(&path).unwrap_or_else(|error| panic!("{why}: {error:?}"));
        may.find(&reader.view(), random.next(), &why);
        let writer = Writer::open(&path).unwrap_or_else(|error| panic!("{why}: {error:?}"));
        may.find(&writer.view(), random.next(), &format!("{why}, opened for writing"));
        drop((reader, writer));
        assert_sound(&path, &format!("{why}, opened for writing"));
        std::fs::remove_dir_all(&path).expect("removed");
    }
    say(&format!("{ends} ends among {calls} storage calls in {:?}", begun.elapsed()));
    assert!(ends >= KILLS / 4, "this machine is too slow to say anything");
}

#[test]
fn a_writer_killed_at_any_moment_loses_nothing_acknowledged_and_needs_no_repair() {
    let mut random = Random::seeded("kills");
    let folder = folder();
    let begun = Instant::now();
    let mut kills = 0;
    let mut may = May { states: Vec::new() };
    let mut path = folder.path().join("none");
    while kills < KILLS && begun.elapsed() < TIME {
        if kills % KILLS_EACH == 0 {
            path = folder.path().join(kills.to_string());
            create(&path).close().expect("closed");
            may.states = vec![Model::default()];
        }
        kills += 1;
        let why = format!("kill {kills}, {}", live_and_die(&path, &mut random, &mut may));
        let seed = random.next();
        assert_sound(&path, &why);
        let reader = Reader::open(&path).unwrap_or_else(|error| panic!("{why}: {error:?}"));
        may.find(&reader.view(), seed, &why);
        let writer = Writer::open(&path).unwrap_or_else(|error| panic!("{why}: {error:?}"));
        may.find(&writer.view(), seed, &format!("{why}, opened for writing"));
        drop(writer);
        if kills % 5 == 0 {
            assert_sound(&path, &format!("{why}, opened for writing"));
        }
    }
    say(&format!("{kills} kills in {:?}", begun.elapsed()));
    assert!(kills >= KILLS / 2, "this machine is too slow to say anything");
}
