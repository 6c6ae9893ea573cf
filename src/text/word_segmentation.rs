//! Segmentation of scripts without spaces into words.

use std::fmt;

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

/// Most bytes given to the segmenter at once: no sentence is longer, and the segmenter's memory stays bounded.
const SEGMENT_MAX: usize = 3000;

/// Segments text into Unicode words (UAX 29) with the dictionaries of ICU: not with its neural models, which use
/// floating point.
#[derive(Clone, Copy)]
pub(crate) struct Segmenter(WordSegmenterBorrowed<'static>);

impl Default for Segmenter {
    fn default() -> Self {
        Segmenter(WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()))
    }
}

impl fmt::Debug for Segmenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segmenter").finish_non_exhaustive()
    }
}

impl Segmenter {
    /// Calls `each` with the beginning and end of each segment of a text: words, and the text between them.
    pub(crate) fn pieces(&self, text: &str, mut each: impl FnMut(usize, usize)) {
        let mut done = 0;
        while done < text.len() {
            let part = &text[done..text.floor_char_boundary(text.len().min(done + SEGMENT_MAX))];
            let mut begin = 0;
            for end in self.0.segment_str(part) {
                if begin < end {
                    each(done + begin, done + end);
                }
                begin = end;
            }
            done += part.len();
        }
    }
}
