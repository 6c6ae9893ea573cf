//! A writer and readers, in this process and in others, against plain maps.

use std::path::Path;

use nddb::{CheckOptions, Reader};
use nddb_format::manifest::Manifest;
use nddb_index::testing::small_thresholds;

use super::support::steps::{Step, answer_line, assert_line, create, expected_line};
use super::support::{Model, Parent, Random, Truth, Worker, folder};

/// Number of databases of one run of the test, and steps in the life of each.
const DATABASES: u64 = 5;
const STEPS: u64 = 60;

/// A reader of this process, and its expected answers until it is refreshed.
struct Held {
    reader: Reader,
    truth: Truth,
}

impl Held {
    fn assert(&self, seed: u64, why: &str) {
        let line = answer_line(&self.reader.view(), seed).unwrap_or_else(|error| panic!("{why}: {error:?}"));
        assert_line(&line, &expected_line(&self.truth, seed), why);
    }
}

/// A reader in a process of its own.
struct Remote {
    worker: Worker,
    truth: Truth,
}

impl Remote {
    fn assert(&mut self, what: &str, seed: u64, why: &str) {
        self.worker.tell(&format!("{what} {seed}"));
        let why = format!("{why}, {what} in another process");
        assert_line(&self.worker.answer(), &expected_line(&self.truth, seed), &why);
    }
}

/// A worker that reads: `stay`, `refresh` or `open`, and the seed of the queries.
pub(crate) fn read(mut parent: Parent) {
    let path = parent.answer();
    let mut reader = Reader::open(&path).expect("opened");
    parent.tell("opened");
    while let Some(line) = parent.hear() {
        let (what, seed) = line.split_once(' ').expect("two words");
        match what {
            "refresh" => drop(reader.refresh().expect("refreshed")),
            "open" => reader = Reader::open(&path).expect("opened"),
            _ => assert_eq!(what, "stay"),
        }
        parent.tell(&answer_line(&reader.view(), seed.parse().expect("a number")).expect("answered"));
    }
}

fn assert_sound(path: &Path, why: &str) {
    let report = nddb::check(path, &CheckOptions::default(), &mut |_| true).expect("checked");
    assert!(report.is_sound(), "{why}: {report:#?}");
}

/// Returns whether deletions were folded into a file.
fn live(random: &mut Random, path: &Path, why: &str) -> bool {
    let mut model = Model::default();
    let mut writer = create(path);
    writer.merge_in_background(random.percent(60));
    let open = || Reader::open(path).expect("opened");
    let mut held: Vec<Held> = (0..2).map(|_| Held { reader: open(), truth: Truth::default() }).collect();
    let start = || Worker::start("reads", &[&path.to_string_lossy()]);
    let mut remote = Remote { worker: start(), truth: Truth::default() };
    assert_eq!(remote.worker.answer(), "opened");
    let (mut log, mut folded) = (Vec::new(), false);
    for _ in 0..STEPS {
        let step = Step(random.next());
        log.push(step.to_string());
        writer = step.take(writer, path, &mut model);
        let (seed, why) = (random.next(), format!("{why}, after {log:#?}"));
        let truth = model.truth();
        assert_line(&answer_line(&writer.view(), seed).expect("answered"), &expected_line(&truth, seed), &why);
        let stats = writer.view().stats().expect("counted");
        assert_eq!((stats.documents, stats.pending), (truth.documents.len() as u64, model.pending()), "{why}");
        for held in &mut held {
            let what = *random.pick(&["refresh", "refresh", "open", "stay", "stay", "stay"]);
            match what {
                "refresh" => drop(held.reader.refresh().unwrap_or_else(|error| panic!("{why}: {error:?}"))),
                "open" => held.reader = open(),
                _ => (),
            }
            if what != "stay" {
                held.truth = truth.clone();
            }
            held.assert(seed, &format!("{why}, {what}"));
        }
        let what = *random.pick(&["refresh", "refresh", "open", "stay", "stay"]);
        if what != "stay" {
            remote.truth = truth;
        }
        remote.assert(what, seed, &why);
        let manifest = std::fs::read(path.join("MANIFEST")).expect("read");
        folded |= Manifest::decode(&manifest).expect("a manifest").folded > 0;
        if random.percent(7) {
            assert_sound(path, &why);
        }
    }
    remote.worker.finish();
    writer.close().expect("closed");
    assert_sound(path, why);
    folded
}

#[test]
fn a_writer_and_readers_of_several_processes_say_what_plain_maps_say() {
    let mut seeds = Random::seeded("model");
    let folder = folder();
    let mut folded = 0;
    for number in 0..DATABASES {
        // Small thresholds, for all databases but one: deletions are folded, the memtable fills, runs have levels.
        let _small = (number > 0).then(|| small_thresholds(folder.path()));
        let path = folder.path().join(number.to_string());
        folded += u64::from(live(&mut Random::fixed(seeds.next()), &path, &format!("database {number}")));
        std::fs::remove_dir_all(&path).expect("removed");
    }
    assert!(folded >= DATABASES / 2, "deletions were folded in {folded} databases only");
}
