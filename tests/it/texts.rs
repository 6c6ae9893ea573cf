//! Texts of real pages, from the collection beside the repository: pages that look the same have the same words and
//! sentences, and every character maps back to the page.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use nddb::archive::{EntryContent, Input, Options, PageEntry};
use nddb::sketch::SignatureRules;
use nddb_page::sketch::signatures;
use nddb_page::text::{CanonicalWords, canonical_words, folded_text, folded_text_with_map};

use super::support::say;

fn real(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    say(&format!("{} is not there: texts of real pages are not tested", path.display()));
    None
}

fn pages(path: &Path) -> impl Iterator<Item = PageEntry> {
    let mut input = Input::open(path, &Options::default()).ok();
    std::iter::from_fn(move || input.as_mut()?.next().ok()?).filter_map(|entry| match entry.content {
        EntryContent::Page(page) => Some(page),
        _ => None,
    })
}

#[test]
fn pages_that_look_alike_have_the_same_words_and_signatures() {
    let (Some(archive), Some(truth)) = (real("crawl/kafka.warc.gz"), real("crawl/truth-kafka.tsv.gz")) else { return };
    let mut rows = String::new();
    let file = std::fs::File::open(truth).expect("the truth is readable");
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut rows).expect("the truth is text");
    let truth: HashMap<&str, &str> =
        rows.lines().filter_map(|row| Some((row.split('\t').next()?, row.split('\t').nth(2)?))).collect();
    let (mut first, mut compared, mut unlike, mut unsigned, mut len) = (HashMap::new(), 0, Vec::new(), 0, 0);
    for entry in pages(&archive) {
        let url = entry.url.clone().unwrap_or_default();
        let Some(&text_id) = truth.get(url.as_str()) else { continue };
        let page = entry.page();
        let text = folded_text(&page);
        let words = canonical_words(&page);
        assert_eq!(CanonicalWords::of_text(&text), words, "{url}");
        let signatures = signatures(&text, &SignatureRules::default());
        len += 1;
        unsigned += usize::from(signatures.is_empty());
        match first.get(text_id) {
            None => _ = first.insert(text_id, (words, signatures)),
            Some(known) => {
                compared += 1;
                if *known != (words, signatures) {
                    unlike.push(url);
                }
            }
        }
    }
    say(&format!("{len} pages, {unsigned} without a signature; {} of {compared} unlike: {unlike:?}", unlike.len()));
    assert!(len > 9_000 && compared > 100, "the collection has been read");
    assert!(unlike.is_empty(), "{} of {compared} differ: {unlike:?}", unlike.len());
}

#[test]
fn characters_of_real_pages_lead_back_to_their_bytes() {
    let Some(folder) = real("archives") else { return };
    let (mut checked, mut len) = (0, 0);
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            for entry in pages(&path) {
                let page = entry.page();
                let (text, map) = folded_text_with_map(&page);
                assert_eq!(text, folded_text(&page), "{}", path.display());
                let offsets: Vec<(usize, char)> =
                    text.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric()).step_by(11).collect();
                let found = map.page_offsets(&page, &offsets.iter().map(|&(at, _)| at).collect::<Vec<_>>());
                for (&(at, c), offset) in offsets.iter().zip(&found) {
                    // A character of two bytes may begin with either; an escape belongs to the next character.
                    let bytes = &page.body[*offset..page.body.len().min(offset + 4)];
                    let fits = bytes.contains(&(c as u8)) || bytes.first() == Some(&b'&');
                    assert!(fits, "{} {:?}: {c:?} at {at} is {bytes:?}", path.display(), entry.url);
                }
                checked += offsets.len();
                len += 1;
            }
        }
    }
    say(&format!("{checked} characters of {len} pages"));
    assert!(len > 100 && checked > 10_000, "the collection has been read");
}
