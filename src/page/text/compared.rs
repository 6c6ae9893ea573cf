//! The compared text of a page: all that its readers see, in the form in which two texts are compared word by word.

use crate::text::letters::is_unspaced;
use crate::text::page_content::{BlockKind, PageContent, page_content};
use crate::text::words::CanonicalWords;
use crate::text::{Page, PageKind};

/// First character of a line of content.
pub const CONTENT: char = '+';
/// First character of the line of the title.
pub const TITLE: char = '#';
/// First character of a line that is neither content nor title.
pub const OTHER: char = '-';
/// First character of a line of content that the page carries and does not show.
pub const UNSEEN_CONTENT: char = '*';
/// First character of a line that is neither shown nor content.
pub const UNSEEN: char = '~';
/// Written before text that the page does not show, for people.
const NOT_SHOWN: &str = "[not shown] ";
/// First character of the compared text of plain text.
pub const OF_TEXT: char = 't';
/// First character of the compared text of markup.
pub const OF_MARKUP: char = 'm';

/// Returns the compared text of a page: [`OF_TEXT`] or [`OF_MARKUP`], then for each block of the page a line end, the
/// kind of the block ([`CONTENT`], [`TITLE`], [`OTHER`], [`UNSEEN_CONTENT`] or [`UNSEEN`]), and its words in their own
/// letters with a space between each two. Scripts without spaces are divided into words.
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
            BlockKind::Content if block.is_unseen => UNSEEN_CONTENT,
            _ if block.is_unseen => UNSEEN,
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

/// Returns a [`compared_text`] for people: its lines, or those of the content alone, where text that the page does not
/// show is marked.
///
/// ```
/// use nddb_page::text::{Page, compared_text, shown_text};
///
/// let text = compared_text(&Page::html("<p>Loading</p><noscript>An article</noscript>"));
/// assert_eq!(shown_text(&text, false), "Loading\n[not shown] An article");
/// ```
pub fn shown_text(compared: &str, content_alone: bool) -> String {
    let mut shown = String::with_capacity(compared.len());
    for line in compared.split('\n').skip(1) {
        let Some(kind) = line.chars().next() else { continue };
        if content_alone && !is_content(kind) {
            continue;
        }
        if !shown.is_empty() {
            shown.push('\n');
        }
        if matches!(kind, UNSEEN_CONTENT | UNSEEN) {
            shown.push_str(NOT_SHOWN);
        }
        shown.push_str(&line[kind.len_utf8()..]);
    }
    shown
}

/// Returns the title in a [`compared_text`].
pub fn shown_title(compared: &str) -> Option<&str> {
    compared.split('\n').skip(1).find_map(|line| line.strip_prefix(TITLE))
}

/// Returns whether a line of a [`compared_text`] that begins with this character is content.
pub fn is_content(kind: char) -> bool {
    matches!(kind, CONTENT | UNSEEN_CONTENT)
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

    /// Whatever carries the text of a page: each of its terms is in what is shown.
    #[test]
    fn each_term_that_is_sketched_is_shown() {
        let words: Vec<String> = (0..120).map(|word| format!("w{}", word * 7919 % 9973)).collect();
        let (first, second) = (words[..60].join(" "), words[60..].join(" "));
        let json = format!("{{\"@type\": \"Article\", \"articleBody\": \"{first} {second}\"}}");
        let source = format!("<p>{first}</p><p>{second}</p>");
        let pages = [
            format!("<title>{first}</title><p>{second}"),
            format!("<script type='text/x-handlebars-template'><h3>{first}</h3><p>{second}</p></script><p>Loading"),
            format!("<template><p>{first}</p></template><p>{second}"),
            format!("<noscript><p>{first}</p><p>{second}</p></noscript><p>Loading"),
            format!("<iframe srcdoc=\"{source}\"></iframe><p>Loading"),
            format!("<script type='application/ld+json'>{json}</script><div id=app></div><p>Loading"),
            format!("<script id='__NEXT_DATA__' type='application/json'>{json}</script><p>Loading"),
            format!("<script type='math/tex'>x^2 + {first}</script><p>{second}"),
            format!("<table><tr><td>{first}<td>5<tr><td>{second}<td>7</table><pre>a <= b</pre>"),
            format!("<nav><a href=/>{first}</a></nav><p>{second} <img src=/a.png alt='a picture'>"),
        ];
        let mut found = 0;
        for page in &pages {
            let page = Page::html(page);
            let content = page_content(&page);
            let text = shown_text(&compared_of(page.kind, &content), false);
            let text_size = content.tokens().text_size();
            let spans = content.tokens().spans().iter().filter(|span| span.0 < text_size);
            for &(from, to) in spans {
                let term = &content.tokens().text()[from..to];
                assert!(text.contains(term), "{term} of {} is not in {text}", page.body.len());
                found += usize::from(term.starts_with('w'));
            }
        }
        assert!(found > 10 * 100, "the pages have their words: {found}");
    }

    #[test]
    fn scripts_without_spaces_are_divided_into_words() {
        let text = compared_text(&Page::text("春眠不覚暁"));
        assert!(text.starts_with("t\n+") && text.contains(' '), "{text}");
    }
}
