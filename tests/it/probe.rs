//! Probes of random databases equal brute force: recall is 1 within k bits.

use nddb::detect::document_of_page;
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Document, Fingerprint, Reader, Search, Verify, Within, Writer};
use nddb_format::scheme::Scheme;

use super::support::{Random, Truth, bare, folder, say};

/// Random databases of one run of the test.
const DATABASES: u64 = 50;
/// Most tables of a scheme of a small database.
const TABLES_MAX: usize = 70;

/// Returns levels of a valid scheme that is not too large.
fn levels(random: &mut Random, bits: u8, k: u8) -> Vec<u8> {
    loop {
        let len = random.below(4);
        let levels: Vec<u8> = (0..len).map(|_| k + 1 + random.below(4) as u8).collect();
        if Scheme::new(bits, k, &levels, 0).is_ok_and(|scheme| scheme.tables().len() <= TABLES_MAX) {
            return levels;
        }
    }
}

/// A database that grows and shrinks at random, and its expected answers.
struct Case {
    random: Random,
    path: std::path::PathBuf,
    bits: u8,
    k: u8,
    ids: u64,
    centres: Vec<u64>,
    truth: Truth,
    log: Vec<String>,
}

impl Case {
    fn fingerprint(&mut self) -> u64 {
        let mask = u64::MAX >> (64 - self.bits);
        let centre = *self.random.pick(&self.centres);
        let flips = self.random.below(2 * u64::from(self.k) + 2);
        match self.random.below(10) {
            0..5 => self.random.near(centre, flips, self.bits),
            5 => centre,
            6 => mask >> self.random.below(self.bits.into()),
            _ => self.random.next() & mask,
        }
    }

    /// Returns a random document, and its fingerprint unless unprinted.
    fn document(&mut self) -> (Document, Option<u64>) {
        let id = format!("id {}", self.random.below(self.ids));
        if self.random.percent(4) {
            let recipe = Recipe::default();
            let empty = document_of_page(&id, &Page::text("  "), &recipe).expect("a good id");
            assert!(empty.is_unprinted());
            return (empty, None);
        }
        let fingerprint = self.fingerprint();
        (bare(&id, fingerprint), Some(fingerprint))
    }

    fn step(&mut self, mut writer: Writer) -> Writer {
        let step = self.random.below(20);
        self.log.push(step.to_string());
        match step {
            0..8 => {
                for _ in 0..=self.random.below(60) {
                    let (document, print) = self.document();
                    self.truth.documents.insert(document.id().into(), print);
                    writer.insert(document).expect("inserted");
                }
            }
            8..10 => {
                for _ in 0..=self.random.below(20) {
                    let id = format!("id {}", self.random.below(self.ids));
                    let known = self.truth.documents.remove(&id).is_some();
                    assert_eq!(writer.delete(&id).expect("deleted"), known, "{id}: {:?}", self.log);
                }
            }
            10..12 => {
                let mut load = writer.bulk_load().expect("a load begins");
                for _ in 0..=self.random.below(150) {
                    let (document, print) = self.document();
                    self.truth.documents.insert(document.id().into(), print);
                    load.push(document).expect("taken");
                }
                load.finish().expect("loaded");
            }
            12..15 => {
                writer.commit().expect("committed");
                writer.flush().expect("flushed");
            }
            15 => {
                while let Some(plan) = writer.plan_compaction() {
                    writer.compact(&plan).expect("compacted");
                }
            }
            16 => {
                if let Some(plan) = writer.plan_full_compaction() {
                    let done = writer.compact(&plan).expect("compacted");
                    assert!(done.runs_after <= 1);
                }
            }
            17 => {
                let levels = levels(&mut self.random, self.bits, self.k);
                let choice = Some(&levels[..]).filter(|_| self.random.percent(80));
                writer.reshape(choice).expect("reshaped");
            }
            18 => {
                writer.close().expect("closed");
                writer = Writer::open(&self.path).expect("opened");
            }
            _ => {
                writer.commit().expect("committed");
                drop(writer);
                writer = Writer::open(&self.path).expect("opened");
            }
        }
        writer.commit().expect("committed");
        writer
    }

    /// Returns the distances up to k, and a greater one.
    fn distances(&mut self) -> Vec<u8> {
        let beyond = u64::from(Within::MAX.0 - self.k);
        (0..=self.k).chain([self.k + 1 + self.random.below(beyond) as u8]).collect()
    }

    /// Returns fingerprints near the stored ones, and others.
    fn queries(&mut self, len: usize) -> Vec<u64> {
        let stored: Vec<u64> = self.truth.documents.values().flatten().copied().collect();
        let mut queries: Vec<u64> = (0..len).map(|_| self.fingerprint()).collect();
        for _ in 0..len.min(stored.len()) {
            let value = *self.random.pick(&stored);
            let flips = self.random.below(u64::from(self.k) + 2);
            queries.push(self.random.near(value, flips, self.bits));
        }
        queries.push(0);
        queries
    }
}

/// The last block of table 0 is short, and the rank of an entry in it is guessed from the mean length of a block:
/// the guess exceeds the last fingerprint, and of these sizes the last page of the postings is the 64th.
#[test]
fn the_greatest_fingerprints_are_found_whatever_the_size_of_the_run() {
    let folder = folder();
    for len in (120_330..120_450).step_by(15) {
        let path = folder.path().join(len.to_string());
        let mut random = Random::fixed(len);
        let mut stored: Vec<u64> = (0..len).map(|_| random.next()).collect();
        let mut writer = Writer::create(&path, &Config::within(3).expect("in range")).expect("created");
        let mut load = writer.bulk_load().expect("a load begins");
        (0u64..).zip(&stored).try_for_each(|(id, &print)| load.push(bare(&id.to_string(), print))).expect("taken");
        load.finish().expect("loaded");
        stored.sort_unstable();
        for &value in &stored[stored.len() - 40..] {
            let query = [Fingerprint(value ^ 1 << 60)];
            let found = writer.view().probe(&query, Within(3)).expect("an answer");
            assert!(found[0].matches.iter().any(|found| found.fingerprint.0 == value), "{len}: {value:016x}");
        }
    }
}

#[test]
fn random_databases_answer_like_a_look_at_every_document() {
    let mut seeds = Random::seeded("random databases");
    let folder = folder();
    for number in 0..DATABASES {
        let mut random = Random::fixed(seeds.next());
        let bits = if random.percent(30) { 64 } else { 8 + random.below(57) as u8 };
        let k = random.below(8.min(bits.into())) as u8;
        let mut config = Config::within(k).and_then(|config| config.bits(bits)).expect("in range");
        if random.percent(60) {
            config = config.levels(&levels(&mut random, bits, k)).expect("there is such a scheme");
        }
        config = config.restart(*random.pick(&[0, 2, 16, 32])).expect("in range");
        let path = folder.path().join(number.to_string());
        let mask = u64::MAX >> (64 - bits);
        let centres = (0..1 + random.below(5)).map(|_| random.next() & mask).collect();
        let ids = 1 + random.below(300);
        let mut case = Case { random, path, bits, k, ids, centres, truth: Truth::default(), log: Vec::new() };
        let mut writer = Writer::create(&case.path, &config).expect("created");
        let mut reader = Reader::open(&case.path).expect("opened");
        for _ in 0..5 + case.random.below(12) {
            writer = case.step(writer);
            let why = format!("database {number}, {config:?}, steps {:?}", case.log);
            let queries = case.queries(4);
            let distances = case.distances();
            case.truth.assert_answers(&writer.view(), &queries, distances.clone(), &[], &why);
            if case.random.percent(30) {
                reader.refresh().expect("refreshed");
                case.truth.assert_answers(&reader.view(), &queries, distances, &[0, 1, 3], &why);
            }
        }
        let why = format!("database {number}, {config:?}, steps {:?}", case.log);
        let queries = case.queries(25);
        let ids: Vec<String> = (0..case.ids).map(|id| format!("id {id}")).collect();
        reader.refresh().expect("refreshed");
        let fresh = Reader::open_with(&case.path, Verify::Always).expect("opened");
        for view in [writer.view(), reader.view(), fresh.view()] {
            let distances = (0..=k).chain(case.distances().pop());
            case.truth.assert_answers(&view, &queries, distances, &[1, 2, 7], &why);
            case.truth.assert_ids(&view, ids.iter().map(String::as_str), &why);
        }
        drop((writer, reader, fresh));
        std::fs::remove_dir_all(&case.path).expect("the database can be removed");
    }
}

/// The documents of many queries are looked up in their order, those of few one by one or together.
#[test]
fn many_queries_of_one_call_have_the_answers_of_each_alone() {
    let mut random = Random::seeded("many queries");
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("created");
    let prints: Vec<u64> = (0..900).map(|_| random.next()).collect();
    let mut load = writer.bulk_load().expect("begun");
    for number in 0..4_000 {
        // Several documents of most fingerprints, whose numbers are far apart.
        let (print, flips) = (*random.pick(&prints), random.below(3));
        load.push(bare(&format!("d{number}"), random.near(print, flips, 64))).expect("taken");
    }
    load.finish().expect("loaded");
    for number in (0..4_000).filter(|number| number % 7 == 3) {
        writer.delete(&format!("d{number}")).expect("deleted");
    }
    writer.commit().expect("durable");
    let queries: Vec<Fingerprint> = prints.iter().chain(&prints[..40]).map(|&print| Fingerprint(print)).collect();
    let find = |queries: &[Fingerprint], limit| {
        writer.view().find(queries, Search::within(Within(3)).limit(limit)).expect("answers")
    };
    for limit in [None, Some(2)] {
        let together = find(&queries, limit);
        assert!(together.iter().map(|answer| answer.matches.len()).sum::<usize>() > 1_500, "enough for one look-up");
        let alone: Vec<_> = queries.iter().flat_map(|&query| find(&[query], limit)).collect();
        assert_eq!(together, alone, "limit {limit:?}");
        let some: Vec<_> = queries.chunks(50).flat_map(|queries| find(queries, limit)).collect();
        assert_eq!(some, alone, "limit {limit:?}");
    }
}

#[test]
fn a_hot_fingerprint_is_counted_exactly_whatever_the_limit() {
    const DOCUMENTS: u64 = 100_000;
    const HOT: u64 = 0x0123_4567_89ab_cdef;
    let folder = folder();
    let path = folder.path().join("hot");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("created");
    for number in 0..DOCUMENTS {
        writer.insert(bare(&format!("hot {number}"), HOT)).expect("inserted");
    }
    writer.insert(bare("near", HOT ^ 5)).expect("inserted");
    writer.commit().expect("committed");
    let assert_counts = |writer: &Writer, gone: &[u64]| {
        let live = DOCUMENTS - gone.len() as u64;
        let reader = Reader::open(&path).expect("opened");
        for view in [writer.view(), reader.view()] {
            for (query, within, others) in [(HOT, 0, 0), (HOT, 3, 1), (HOT ^ 1, 1, 1), (HOT ^ 5, 2, 1)] {
                let limit = if query == HOT { 10 } else { 11 };
                let found =
                    view.probe(&[Fingerprint(query)], Search::within(Within(within)).limit(limit)).expect("answered");
                assert_eq!(found[0].count, live + others, "{query:x} within {within}");
                let mut wanted: Vec<u64> = (0..).filter(|number| !gone.contains(number)).take(limit).collect();
                if query != HOT {
                    // The near one is at most as far, with a greater number.
                    let is_nearer = query == HOT ^ 5;
                    wanted.truncate(limit - usize::from(is_nearer));
                    wanted.splice(0..0, is_nearer.then_some(DOCUMENTS));
                }
                let numbers: Vec<u64> = found[0].matches.iter().map(|found| found.number).collect();
                assert_eq!(numbers, wanted, "{query:x} within {within}");
                let answers =
                    view.find(&[Fingerprint(query)], Search::within(Within(within)).limit(limit)).expect("answered");
                assert_eq!((answers[0].count, answers[0].matches.len()), (live + others, limit));
            }
        }
    };
    let begun = std::time::Instant::now();
    assert_counts(&writer, &[]);
    writer.flush().expect("flushed");
    assert_counts(&writer, &[]);
    for number in [0, 1, 5, 77_777] {
        assert!(writer.delete(&format!("hot {number}")).expect("deleted"));
    }
    writer.commit().expect("committed");
    assert_counts(&writer, &[0, 1, 5, 77_777]);
    let plan = writer.plan_full_compaction().expect("there are deleted documents");
    let done = writer.compact(&plan).expect("compacted");
    assert_eq!((done.documents_dropped, done.fingerprints_dropped), (4, 0));
    assert_counts(&writer, &[0, 1, 5, 77_777]);
    say(&format!("hot fingerprint: {:?} for everything but inserting", begun.elapsed()));
}
