//! The title of a page, for people.

use crate::text::html::scan_with_parts;
use crate::text::sheet::Layout;
use crate::text::visible::shown;
use crate::text::{Page, PageKind};

/// Returns the title of a page of markup in its own letters, with single spaces: the first `title` that is not part of
/// a drawing and has text; `None` if there is none, and for plain text.
pub fn title(page: &Page<'_>) -> Option<String> {
    if page.kind == PageKind::Text {
        return None;
    }
    let scan = scan_with_parts(&shown(page).text, Layout::Lines);
    let mut start = 0;
    scan.parts.iter().find_map(|part| {
        let text = scan.text.get(std::mem::replace(&mut start, part.end)..part.end)?;
        let words: Vec<&str> = text.split_whitespace().collect();
        (part.is_title && !words.is_empty()).then(|| words.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_that_of_the_head_in_its_own_letters() {
        let of = |html: &str| title(&Page::html(html));
        assert_eq!(of("<head><title>\n The  &lt;b&gt; of\nÄpfel </title></head><p>x"), Some("The <b> of Äpfel".into()));
        assert_eq!(of("<title> </title><body><title>Second</title><h1>Heading</h1>"), Some("Second".into()));
        assert_eq!(of("<svg><title>Drawing</title></svg><p>x"), None);
        assert_eq!(of("<p>No title"), None);
        assert_eq!(title(&Page::text("<title>Text</title>")), None);
    }
}
