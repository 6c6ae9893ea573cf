//! The visible text of a page, verbatim or folded.

use std::borrow::Cow;

use crate::text::charset::{decode, sniff};
use crate::text::composed::{Composed, composed};
use crate::text::html::{scan, scan_with_map};
use crate::text::map::TextMap;
use crate::text::sheet::{Layout, Piece, Sheet};
use crate::text::steps::Steps;
use crate::text::{Page, PageKind};
use crate::text::{division, ignorable, overstrike};

/// Returns the visible text of a page in the form for other tools: for markup, one line per block with single spaces;
/// for plain text, the whole text unchanged.
pub fn visible_text(page: &Page<'_>) -> String {
    match page.kind {
        PageKind::Html => laid_out(page, Layout::Lines),
        PageKind::Text => decode(page).into_owned(),
    }
}

/// Returns the visible text of a page of any kind, one line per block with single spaces in it; each line of plain text
/// is a block. Every element that is not a formatting instruction ends a block (Henzinger 2), including `<br>`, images
/// and table cells.
pub fn folded_text(page: &Page<'_>) -> String {
    laid_out(page, Layout::Lines)
}

/// Returns the [`folded_text`] of a page, and its map back to the page. Slower than without the map.
pub fn folded_text_with_map(page: &Page<'_>) -> (String, TextMap) {
    let Shown { text, steps } = shown(page);
    let (text, map) = match page.kind {
        PageKind::Html => {
            let scan = scan_with_map(&text, Layout::Lines);
            (scan.text, scan.map)
        }
        PageKind::Text => folded(&text, Sheet::new(Layout::Lines, true)),
    };
    (text, map.before(&steps))
}

/// Returns the visible text of a page in a layout.
pub(crate) fn laid_out(page: &Page<'_>, layout: Layout) -> String {
    let text = shown(page).text;
    match page.kind {
        PageKind::Html => scan(&text, layout).text,
        PageKind::Text => folded(&text, Sheet::new(layout, false)).0,
    }
}

fn folded(text: &str, mut sheet: Sheet) -> (String, TextMap) {
    let mut at = 0;
    for line in text.split(['\n', '\r']) {
        sheet.push(text, at, at + line.len(), Piece::Literal);
        sheet.push_break();
        at += line.len() + 1;
    }
    sheet.finish()
}

/// A page in the form that is scanned, and the steps back to the decoded page.
pub(crate) struct Shown<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) steps: Steps,
}

impl Shown<'_> {
    /// Replaces the text, if there is a replacement.
    fn change(&mut self, change: impl FnOnce(&str) -> Option<(String, Steps)>) {
        if let Some((text, steps)) = change(&self.text) {
            self.text = Cow::Owned(text);
            self.steps = steps.through(&self.steps);
        }
    }
}

/// Returns a page decoded and without invisible characters. In plain text, divided words are joined, overstrike is also
/// undone and characters are composed; for markup, the scan composes the text that it finds.
pub(crate) fn shown<'a>(page: &Page<'a>) -> Shown<'a> {
    let mut shown = Shown { text: decode(page), steps: Steps::default() };
    if page.kind == PageKind::Text {
        shown.change(division::joined);
    }
    shown.change(ignorable::removed);
    if page.kind == PageKind::Text {
        shown.change(overstrike::undone);
        shown.change(|text| composed(text).map(|Composed { text, steps }| (text, steps)));
    }
    shown
}

/// Converts byte offsets in the text of a page of plain text to code points of the page as it was read; `None` for
/// markup. A byte order mark is a code point.
pub(crate) fn characters_of(page: &Page<'_>, offsets: &[usize]) -> Option<Vec<u64>> {
    if page.kind != PageKind::Text {
        return None;
    }
    let (text, steps) = (decode(page), shown(page).steps);
    let origin = |(index, &at)| (text.floor_char_boundary(steps.origin(at)), index);
    let mut origins: Vec<(usize, usize)> = offsets.iter().enumerate().map(origin).collect();
    origins.sort_unstable();
    let mut characters = vec![0; offsets.len()];
    let (mut done, mut count) = (0, u64::from(sniff(page).1 > 0));
    for (origin, index) in origins {
        count += text[done..origin].chars().count() as u64;
        done = origin;
        characters[index] = count;
    }
    Some(characters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_its_plain_text_fold_to_the_same() {
        let html = Page::html("<h1> A  b</h1>\n<p>c\td <i>e</i>f<br><br>g&nbsp;&nbsp;h</p> ");
        let text = Page::text("\n A b \r\nc  d ef\u{a0}\n\n \t\ng \u{3000} h\n");
        assert_eq!(folded_text(&html), "A b\nc d ef\ng h");
        assert_eq!(folded_text(&text), folded_text(&html));
        assert_eq!(folded_text(&html), visible_text(&html));
        assert_eq!(laid_out(&html, Layout::Words), "A b c d ef g h");
        assert_eq!(laid_out(&text, Layout::Words), "A b c d ef g h");
    }

    #[test]
    fn pages_without_text_fold_to_nothing() {
        for body in ["", " \n\r ", "<p><br>", "<script>a</script>"] {
            assert_eq!(folded_text(&Page::html(body)), "", "{body:?}");
            assert_eq!(folded_text_with_map(&Page::html(body)).0, "", "{body:?}");
        }
        assert_eq!(folded_text(&Page::text("\u{ad} \n")), "");
    }
}
