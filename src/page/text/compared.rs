//! The compared text of a page: all that its readers see, in the form in which two texts are compared word by word.

use crate::text::letters::is_unspaced;
use crate::text::page::{Page, PageKind};
use crate::text::page_content::{BlockKind, PageContent, page_content};
use crate::text::words::CanonicalWords;

/// First character of a line of content.
pub const CONTENT: char = '+';
/// First character of the line of the title.
pub const TITLE: char = '#';
/// First character of a line that is neither content nor title.
pub const OTHER: char = '-';
/// First character of the compared text of plain text.
pub const OF_TEXT: char = 't';
/// First character of the compared text of markup.
pub const OF_MARKUP: char = 'm';

/// Returns the compared text of a page: [`OF_TEXT`] or [`OF_MARKUP`], then for each block of the page a line end, the
/// kind of the block ([`CONTENT`], [`TITLE`] or [`OTHER`]), and its words in their own letters with a space between
/// each two. Scripts without spaces are divided into words.
///
/// ```
/// use nddb_page::text::{Page, compared_text};
///
/// assert_eq!(compared_text(&Page::text("One  line.\nAnother")), "t\n+One line.\n+Another");
/// ```
pub fn compared_text(page: &Page<'_>) -> String {
    compared_of(page.kind, &page_content(page))
}

/// Returns the [`compared_text`] of a page of this kind, given its content.
pub(crate) fn compared_of(kind: PageKind, content: &PageContent) -> String {
    let mut text = String::with_capacity(content.text().len() + 64);
    text.push(match kind {
        PageKind::Html => OF_MARKUP,
        PageKind::Text => OF_TEXT,
    });
    for block in content.text_blocks() {
        text.push('\n');
        text.push(match block.kind {
            BlockKind::Content => CONTENT,
            BlockKind::Title => TITLE,
            BlockKind::Links | BlockKind::Frame | BlockKind::Other => OTHER,
        });
        if block.text.contains(is_unspaced) {
            text.push_str(CanonicalWords::of_text(&block.text).text());
        } else {
            text.push_str(&block.text);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_is_a_line_with_its_kind() {
        let links = "<li><a href=/a>Home</a> <li><a href=/b>News</a> ".repeat(12);
        let words = "The quick brown fox jumps over the lazy dog, and then it sleeps all day. ".repeat(12);
        let html = format!("<title>Foxes</title><nav>{links}</nav><p>{words}<p>It costs $5.");
        let text = compared_text(&Page::html(&html));
        assert!(text.starts_with("m\n#Foxes\n-Home\n-News\n"), "{text}");
        assert!(text.contains("\n+The quick brown fox"), "{text}");
        assert!(text.contains("It costs $5."), "{text}");
        assert_eq!(compared_text(&Page::text("")), "t");
    }

    #[test]
    fn scripts_without_spaces_are_divided_into_words() {
        let text = compared_text(&Page::text("春眠不覚暁"));
        assert!(text.starts_with("t\n+") && text.contains(' '), "{text}");
    }
}
