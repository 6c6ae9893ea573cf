//! The golden databases: for the example that created them, and for the test that compares the runs of
//! the same documents today.

use std::path::Path;

use nddb::detect::{document_of_page, document_with_words};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Document, Fingerprint, SetWriter, Writer};

/// Pages of the golden database `web`, by id.
pub(crate) const PAGES: [(&str, &str, &str); 5] = [
    (
        "page-1",
        "https://www.example.org/a.html",
        "<title>Rivers</title><p>The Rhine rises in the Alps and flows north to the sea, past vineyards and castles.",
    ),
    (
        "page-2",
        "https://example.net/b.html",
        "<title>Rivers</title><p>The Rhine rises in the Alps and flows north to the sea, past castles and vineyards.",
    ),
    ("page-3", "https://www.example.org/c.html", "<p>Ein ganz anderer Text über Brücken, Züge und Bahnhöfe."),
    ("page-4", "https://example.jp/d.html", "<p>東京は日本の首都です。人口は約千四百万人です。"),
    ("page-5", "https://www.example.org/empty.html", "<p>"),
];
pub(crate) const HOT: u64 = 0x0123_4567_89ab_cdef;
pub(crate) const HOT_LEN: u64 = 4200;

pub(crate) fn spread(index: u64) -> u64 {
    let mut z = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 27)
}

pub(crate) fn bare(id: &str, fingerprint: u64) -> Document {
    Document::bare(id, Fingerprint(fingerprint)).expect("a good id")
}

pub(crate) fn flush(writer: &mut Writer) {
    writer.commit().expect("durable");
    writer.flush().expect("flushed");
}

/// Fills a new database with the contents of the golden database `web`: runs of 16 and of the planner's tables, a
/// memtable, a hot fingerprint, replaced and deleted documents, records of pages, batches.
pub(crate) fn make_web(path: &Path) {
    let recipe = Recipe::named("web").expect("the recipe of the golden pages");
    let config = Config::within(3).and_then(|config| config.restart(32)).expect("a configuration");
    let mut writer = Writer::create(path, &config.recipe("web/1")).expect("a new database");
    let mut load = writer.bulk_load().expect("a load");
    (0..400).for_each(|index| load.push(bare(&format!("bulk-{index}"), spread(index))).expect("taken"));
    (0..HOT_LEN).for_each(|index| load.push(bare(&format!("hot-{index}"), HOT)).expect("taken"));
    load.finish().expect("loaded");
    writer.reshape(Some(&[4, 4])).expect("reshaped");
    writer.set_levels(None).expect("the planner's choice from now on");
    for index in 400..500 {
        writer.insert(bare(&format!("flushed-{index}"), spread(index))).expect("taken");
    }
    writer.insert(bare("bulk-7", spread(7) ^ 0b101)).expect("replaced");
    flush(&mut writer);
    writer.label("pages", false).expect("a batch");
    for (id, url, html) in PAGES {
        let page = Page { url: Some(url), ..Page::html(html) };
        let document = document_of_page(id, &page, &recipe).expect("a good id");
        writer.insert(document.with_date(Some(1_700_000_000))).expect("taken");
    }
    writer.commit().expect("durable");
    writer.delete("bulk-8").expect("deleted");
    writer.label("soon", true).expect("a batch");
    writer.insert(bare("pending-1", spread(9))).expect("taken");
    writer.close().expect("closed");
}

/// Fills a new database with the contents of the golden database `narrow`: 16 bits, k = 2, plain blocks.
pub(crate) fn make_narrow(path: &Path) {
    let config =
        Config::within(2).and_then(|config| config.bits(16)?.levels(&[4])?.restart(0)).expect("a configuration");
    let mut writer = Writer::create(path, &config.recipe("1e0ng/1")).expect("a new database");
    for index in 0..2000 {
        writer.insert(bare(&index.to_string(), spread(index) & 0xffff)).expect("taken");
    }
    flush(&mut writer);
    writer.close().expect("closed");
}

/// Returns a page of [`PAGES`] as a document with this id.
pub(crate) fn page(id: &str, index: usize) -> Document {
    let (_, url, html) = PAGES[index];
    let recipe = Recipe::named("web").expect("the recipe of the golden pages");
    document_of_page(id, &Page { url: Some(url), ..Page::html(html) }, &recipe).expect("a good id")
}

/// Fills a new database with the contents of the golden database `keys`: each page of [`PAGES`] in a run of a bulk
/// load, in a run of a flush and in the memtable, one of them deleted.
pub(crate) fn make_keys(path: &Path) {
    let config = Config::within(3).and_then(|config| config.restart(32)).expect("a configuration");
    let mut writer = Writer::create(path, &config.recipe("web/1")).expect("a new database");
    let mut load = writer.bulk_load().expect("a load");
    (0..PAGES.len()).for_each(|index| load.push(page(&format!("loaded-{index}"), index)).expect("taken"));
    load.finish().expect("loaded");
    for (index, _) in PAGES.iter().enumerate() {
        writer.insert(page(&format!("flushed-{index}"), index)).expect("taken");
    }
    flush(&mut writer);
    for (index, _) in PAGES.iter().enumerate() {
        writer.insert(page(&format!("last-{index}"), index)).expect("taken");
    }
    writer.delete("loaded-1").expect("deleted");
    writer.commit().expect("durable");
    writer.close().expect("closed");
}

/// Fills a new database with the contents of the golden database `filtered`: a run whose two tables have bitmaps, and
/// one whose three have Bloom filters.
pub(crate) fn make_filtered(path: &Path) {
    let config = Config::within(1).and_then(|config| config.bits(24)?.levels(&[2])?.restart(32));
    let mut writer = Writer::create(path, &config.expect("a configuration").recipe("1e0ng/1")).expect("a new database");
    for (first, levels) in [(0, [2]), (1500, [3])] {
        writer.set_levels(Some(&levels)).expect("levels");
        let mut load = writer.bulk_load().expect("a load");
        for index in first..first + 1500 {
            load.push(bare(&index.to_string(), spread(index) & 0xff_ffff)).expect("taken");
        }
        load.finish().expect("loaded");
    }
    writer.close().expect("closed");
}

/// Makes the golden set: two runs of four tables, with 300 fingerprints in both.
pub(crate) fn make_set(path: &Path) {
    let config = Config::within(3).and_then(|config| config.levels(&[4])?.restart(32)).expect("a configuration");
    SetWriter::create(path, &config).expect("a new set");
    let mut writer = SetWriter::open(path, "golden", std::time::Duration::ZERO).expect("the set");
    for first in [0, 600] {
        (first..first + 900).for_each(|index| writer.push(Fingerprint(spread(index))).expect("taken"));
        writer.flush().expect("stored");
    }
}

/// The ordinals of the golden database `intervals`, and those of them that are deleted: two groups, and one by itself.
pub(crate) const ORDINALS: std::ops::Range<u64> = 95..4695;
pub(crate) fn is_deleted(ordinal: u64) -> bool {
    (600..1700).contains(&ordinal) || ordinal == 2000
}

/// Fills a new database with the contents of the golden database `intervals`: a batch of fingerprints whose ids count
/// on, of which some are deleted and forgotten, and two documents with rows of their own.
pub(crate) fn make_intervals(path: &Path) {
    let config = Config::within(1).and_then(|config| config.bits(16)?.levels(&[2])?.restart(32));
    let mut writer = Writer::create(path, &config.expect("a configuration").recipe("1e0ng/1")).expect("a new database");
    writer.label("day", false).expect("a batch");
    let mut load = writer.bulk_load().expect("a load");
    ORDINALS.for_each(|ordinal| load.push(bare(&format!("d{ordinal}"), spread(ordinal) & 0xffff)).expect("taken"));
    load.finish().expect("loaded");
    writer.unlabel().expect("no batch");
    for ordinal in ORDINALS.filter(|&ordinal| is_deleted(ordinal)) {
        writer.delete(&format!("d{ordinal}")).expect("deleted");
    }
    writer.insert(bare("d7", 7)).expect("taken");
    writer.insert(bare("d4694", 8)).expect("replaced");
    flush(&mut writer);
    let plan = writer.plan_full_compaction().expect("there is something to drop");
    writer.compact(&plan).expect("compacted");
    writer.close().expect("closed");
}

/// The documents of the golden database `summaries`, by id: pages with all sketches, of which one is empty, and a
/// fingerprint alone.
pub(crate) fn summarized(when: &str) -> Vec<Document> {
    let recipe = Recipe::from_label("main-c/1").expect("a recipe");
    let pages = PAGES.iter().map(|(id, url, html)| {
        let page = Page { url: Some(url), ..Page::html(html) };
        document_of_page(&format!("{when}-{id}"), &page, &recipe).expect("a good id")
    });
    pages.chain([bare(&format!("{when}-bare"), spread(when.len() as u64))]).collect()
}

/// Fills a new database with the contents of the golden database `summaries`: the documents of [`summarized`] in a run
/// of a bulk load, in a run of a flush and in the memtable, one of them deleted.
pub(crate) fn make_summaries(path: &Path) {
    let config = Config::within(3).and_then(|config| config.restart(32)).expect("a configuration");
    let mut writer = Writer::create(path, &config.recipe("main-c/1")).expect("a new database");
    let mut load = writer.bulk_load().expect("a load");
    summarized("loaded").into_iter().for_each(|document| load.push(document).expect("taken"));
    load.finish().expect("loaded");
    for document in summarized("flushed") {
        writer.insert(document).expect("taken");
    }
    flush(&mut writer);
    for document in summarized("last") {
        writer.insert(document).expect("taken");
    }
    writer.delete("loaded-page-2").expect("deleted");
    writer.commit().expect("durable");
    writer.close().expect("closed");
}

/// The texts of the golden database `parts`: one of 260 words; one of as many, of which 60 are those from the
/// hundredth of the first; and one of 30 of these.
pub(crate) fn parted_texts() -> [String; 3] {
    let word =
        |index: u64| -> String { (0..6).map(|at| char::from(b'a' + (spread(index) >> (8 * at)) as u8 % 26)).collect() };
    let text =
        |ranges: &[(u64, u64)]| ranges.iter().flat_map(|&(from, to)| from..to).map(word).collect::<Vec<_>>().join(" ");
    [text(&[(0, 260)]), text(&[(1000, 1100), (100, 160), (1100, 1200)]), text(&[(120, 150)])]
}

/// The documents of the golden database `parts`, by id.
pub(crate) fn parted(when: &str) -> Vec<Document> {
    let recipe = Recipe::from_label("main-parts/1").expect("a recipe");
    let document = |(index, text): (usize, &String)| {
        document_with_words(&format!("{when}-{index}"), &Page::text(text), &recipe).expect("a good id")
    };
    parted_texts().iter().enumerate().map(document).collect()
}

/// Fills a new database with the contents of the golden database `parts`: the documents of [`parted`] with their words
/// in a run of a bulk load and in the memtable.
pub(crate) fn make_parts(path: &Path) {
    let config = Config::within(3).and_then(|config| config.restart(32)).expect("a configuration");
    let config = config.recipe("main-parts/1").keep_words(true);
    let mut writer = Writer::create(path, &config).expect("a new database");
    let mut load = writer.bulk_load().expect("a load");
    parted("loaded").into_iter().for_each(|document| load.push(document).expect("taken"));
    load.finish().expect("loaded");
    for document in parted("last") {
        writer.insert(document).expect("taken");
    }
    writer.commit().expect("durable");
    writer.close().expect("closed");
}
