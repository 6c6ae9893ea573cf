//! Lines and paragraphs that stand in many documents.

use std::ops::Range;
use std::path::Path;

use nddb_index::Result;
use nddb_index::spill::sort::Sorter;
use xxhash_rust::xxh3::xxh3_64;

use super::{Cut, MEMORY};

/// The lines and paragraphs of all texts.
pub(super) struct Lines {
    /// In more documents than these one is common.
    most: u64,
    /// The hash of each, and its document.
    rows: Sorter<2>,
}

impl Lines {
    pub(super) fn new(most: u64, folder: &Path) -> Self {
        Self { most, rows: Sorter::new(folder, MEMORY) }
    }

    pub(super) fn add(&mut self, document: u32, text: &str) -> Result<()> {
        let mut hashes: Vec<u64> = units(text).map(|(_, hash)| hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.into_iter().try_for_each(|hash| self.rows.push([hash, document.into()]))
    }

    /// Returns the hashes of the common ones, ascending, and tells of their documents that they are not whole.
    pub(super) fn common(self, is_whole: &mut [bool]) -> Result<Vec<u64>> {
        let (mut common, mut group, mut count) = (Vec::new(), Vec::new(), 0);
        let (sorted, mut of) = (self.rows.finish(), None);
        let mut rows = sorted.rows()?;
        while let Some([hash, document]) = rows.pop()? {
            if of != Some(hash) {
                (of, count) = (Some(hash), 0);
                group.clear();
            }
            count += 1;
            group.push(document as usize);
            if count > self.most {
                group.drain(..).for_each(|document| is_whole[document] = false);
                if common.last() != Some(&hash) {
                    common.push(hash);
                }
            }
        }
        Ok(common)
    }
}

/// Returns the common lines and paragraphs of a text, given the hashes of all.
pub(super) fn cuts(text: &str, common: &[u64]) -> Vec<Cut> {
    if common.is_empty() {
        return Vec::new();
    }
    let is_common = |(_, hash): &(Range<usize>, u64)| common.binary_search(hash).is_ok();
    let mut cuts: Vec<Cut> = Vec::new();
    for (range, _) in units(text).filter(is_common) {
        // A paragraph comes behind its lines.
        while cuts.pop_if(|cut| cut.range.start >= range.start).is_some() {}
        let words = text[range.clone()].split_whitespace().count() as u64;
        cuts.push(Cut { range, words, source: None });
    }
    cuts
}

/// Returns each line that has a letter or digit and, behind its lines, each paragraph of several lines, up to the next
/// one, with the hash of its words without regard to case and space.
fn units(text: &str) -> impl Iterator<Item = (Range<usize>, u64)> {
    let (mut at, mut paragraph, mut lines) = (0, 0, 0);
    let mut of_lines = text.split_inclusive('\n').chain(std::iter::once(""));
    std::iter::from_fn(move || {
        let line = of_lines.next()?;
        let (begin, end) = (at, at + line.len());
        at = end;
        let is_blank = line.trim().is_empty();
        let whole = (is_blank && lines > 1).then_some(paragraph..begin);
        if is_blank {
            (paragraph, lines) = (end, 0);
        } else {
            lines += 1;
        }
        Some([(!is_blank).then_some(begin..end), whole])
    })
    .flatten()
    .flatten()
    .filter_map(|range| Some((range.clone(), hash(&text[range])?)))
}

fn hash(text: &str) -> Option<u64> {
    text.contains(char::is_alphanumeric).then(|| {
        let mut words = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            words.extend(word.chars().flat_map(char::to_lowercase).chain([' ']));
        }
        xxh3_64(words.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_lines_and_paragraphs_of_several() {
        let text = "One line\n\n--\nTwo\n  lines \n\nend";
        let found: Vec<&str> = units(text).map(|(range, _)| &text[range]).collect();
        assert_eq!(found, ["One line\n", "Two\n", "  lines \n", "--\nTwo\n  lines \n", "end"]);
        assert_eq!(hash(" two  LINES\n"), hash("Two\nlines"));
        assert_eq!(units("").count(), 0);
    }

    #[test]
    fn what_stands_in_more_documents_is_common_however_often_it_stands_in_one() {
        let mut lines = Lines::new(2, &std::env::temp_dir());
        for (document, text) in (0..).zip(["a\nb\nc", "A \nb\nb\nb", "a\nd\n", "c"]) {
            lines.add(document, text).expect("added");
        }
        let mut is_whole = [true; 4];
        let common = lines.common(&mut is_whole).expect("counted");
        assert_eq!(common, [hash("a").expect("a word")]);
        assert_eq!(is_whole, [false, false, false, true]);
        let found = cuts("d\na\nd", &common);
        assert_eq!(found.iter().map(|cut| (cut.range.start, cut.range.end)).collect::<Vec<_>>(), [(2, 4)]);
    }
}
