use std::path::Path;

use fixedbitset::FixedBitSet;
use nddb_archive::{Compression, Response, WarcWriter};
use nddb_index::Config;
use nddb_index::spill::progress::Ticker;
use nddb_index::spill::resources::Resources;
use nddb_page::text::{DOCUMENT_UNITS, Page, first_units, folded_text};

use super::*;
use crate::support::{Corpus, texts};
use crate::text_scope::TextScope;
use crate::text_summary::UnreadTexts;

fn html(text: &str) -> String {
    format!("<html><body><h1>Heading</h1><p>{text}</p></body></html>")
}

/// An archive of these texts as pages.
fn archive(path: &Path, texts: &[String], compression: Compression) {
    let mut writer = WarcWriter::new(Vec::new(), compression);
    for (index, text) in texts.iter().enumerate() {
        let (url, body) = (format!("http://a.org/{index}"), html(text));
        let headers = [("Content-Type", "text/html; charset=utf-8")];
        let id = format!("urn:test:{index:04}");
        let (id, body) = (Some(id.as_str()), body.as_bytes());
        let response = Response { url: &url, date: 0, id, status: 200, headers: &headers, body };
        writer.response(&response).expect("written");
    }
    std::fs::write(path, writer.finish().expect("written")).expect("the folder is writable");
}

fn load(path: &Path, folder: &Path) -> Corpus {
    let resources = Resources { memory_limit: 0, folder: folder.into(), ..Resources::default() };
    let config = Config::within(3).expect("a k");
    Corpus::load(path, &folder.join("db"), &config, &resources)
}

/// Reads the texts of these documents by a pass.
fn kept(corpus: &Corpus, resources: &Resources, wanted: &[u32]) -> (Kept, Vec<u32>) {
    let mut bits = FixedBitSet::with_capacity(corpus.collection().len() as usize);
    wanted.iter().for_each(|&ordinal| bits.insert(ordinal as usize));
    let mut watch = |_: &nddb_index::Progress| true;
    let ticker = Ticker::new(&mut watch);
    let sources = TextSources::new(corpus.view(), corpus.collection(), Some(TextScope::Whole), resources, &ticker)
        .expect("sources");
    let mut order = Vec::new();
    let kept = keep(&sources, &bits, resources, &ticker, &mut |ordinal, _| {
        order.push(ordinal);
        Ok(())
    });
    let kept = kept.expect("texts");
    for ordinal in 0..corpus.collection().len() {
        let single = sources.text(ordinal);
        if kept.unread == UnreadTexts::default() {
            let single = single.expect("a single look-up reads what a pass reads");
            assert!(kept.get(ordinal).is_none_or(|text| text == first_units(&single, DOCUMENT_UNITS)));
        }
    }
    (kept, order)
}

#[test]
fn a_pass_reads_what_was_loaded_and_so_do_single_look_ups() {
    let texts = texts(120, 3);
    for compression in [Compression::Plain, Compression::Gzip, Compression::Zstd] {
        let folder = tempfile::tempdir().expect("a folder");
        let resources = Resources { memory_limit: 0, folder: folder.path().into(), ..Resources::default() };
        let path = folder.path().join("pages.warc");
        archive(&path, &texts, compression);
        let corpus = load(&path, folder.path());
        let collection = corpus.collection();
        // All documents, a part of them, and so few that they are read one by one.
        for step in [1, 3, 100] {
            let wanted: Vec<u32> = (0..collection.len()).step_by(step).collect();
            let (kept, mut order) = kept(&corpus, &resources, &wanted);
            assert_eq!(kept.unread, UnreadTexts::default());
            order.sort_unstable();
            assert_eq!(order, wanted);
            for ordinal in 0..collection.len() {
                let index: usize = collection.id(ordinal)[9..].parse().expect("an index");
                let page = html(&texts[index]);
                let text = folded_text(&Page::html(&page));
                let want = wanted.contains(&ordinal).then(|| first_units(&text, DOCUMENT_UNITS));
                assert_eq!(kept.get(ordinal), want, "document {index}");
            }
        }
    }
}

#[test]
fn what_cannot_be_read_is_counted_by_the_reason() {
    let texts = texts(40, 4);
    let folder = tempfile::tempdir().expect("a folder");
    let resources = Resources { memory_limit: 0, folder: folder.path().into(), ..Resources::default() };
    let path = folder.path().join("pages.warc.gz");
    archive(&path, &texts, Compression::Gzip);
    let corpus = load(&path, folder.path());
    let all: Vec<u32> = (0..corpus.collection().len()).collect();
    let unread = || kept(&corpus, &resources, &all).0.unread;
    assert_eq!(unread(), UnreadTexts::default());
    let mut bytes = std::fs::read(&path).expect("there");
    let len = bytes.len();
    bytes[len / 2] ^= 255;
    std::fs::write(&path, &bytes).expect("writable");
    assert_eq!(unread(), UnreadTexts { changed: all.len() as u64, ..UnreadTexts::default() });
    std::fs::remove_file(&path).expect("there");
    assert_eq!(unread(), UnreadTexts { moved: all.len() as u64, ..UnreadTexts::default() });
    assert_eq!(unread().total(), all.len() as u64);
    assert_eq!(unread().reasons().count(), 1);
}
