//! The canonical words of a page (Ye, Wen, Ma 4.2).
//!
//! "[E]ach document is canonicalized by removing all the HTML formatting information. Secondly,
//! special characters, such as Horizontal Tab [..], Line Feed [..] and Carriage Return [..], are converted into
//! spaces, and then continuous spaces are replaced by one space. Thus each document is converted
//! into a string of words separated by single spaces." Case and punctuation stay.
//!
//! One departure, because the rule was made for English: in a script that puts no spaces between words (Han, Kana, Thai
//! and others, as in [`crate::text::Tokens`]), a whole sentence would be one word. It is cut into Unicode words (UAX
//! 29) or pieces, and each punctuation mark in it is a word.

use crate::text::Page;
use crate::text::letters::is_unspaced;
use crate::text::sheet::{Layout, Piece, Sheet};
use crate::text::visible::laid_out;
use crate::text::word_segmentation::Segmenter;

/// The words of a page, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CanonicalWords {
    text: String,
    len: usize,
}

impl CanonicalWords {
    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the canonical text: the words with a single space between each two. Pages with equal canonical texts
    /// are exact duplicates (Ye et al. 4.2).
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the words; none is empty or contains white space.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.text.split(' ').take(self.len)
    }

    /// Returns the words of a visible text, whatever its white space. The words of a page are those of its
    /// [`folded_text`](crate::text::folded_text).
    pub fn of_text(text: &str) -> Self {
        let mut sheet = Sheet::new(Layout::Words, false);
        sheet.push(text, 0, text.len(), Piece::Literal);
        Self::cut(sheet.finish().0)
    }

    /// Segments the words of unspaced scripts, in a text of words with a space between each two.
    fn cut(text: String) -> Self {
        // All letters of scripts without spaces have three or four bytes.
        if !text.bytes().any(|byte| byte >= 0xe0) || !text.contains(is_unspaced) {
            return CanonicalWords::of(text);
        }
        let segmenter = Segmenter::default();
        let mut cut = String::with_capacity(text.len() + text.len() / 4);
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            if word.contains(is_unspaced) {
                segmenter.segments(word, |from, to| append(&mut cut, &word[from..to]));
            } else {
                append(&mut cut, word);
            }
        }
        CanonicalWords::of(cut)
    }

    fn of(text: String) -> Self {
        let len = if text.is_empty() { 0 } else { 1 + memchr::memchr_iter(b' ', text.as_bytes()).count() };
        CanonicalWords { text, len }
    }
}

/// Returns the canonical words of a page (Ye et al. 4.2). A page without visible text has none.
pub fn canonical_words(page: &Page<'_>) -> CanonicalWords {
    CanonicalWords::cut(laid_out(page, Layout::Words))
}

fn append(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::PageKind;
    use crate::text::visible::{folded_text, visible_text};

    fn words(page: &Page<'_>) -> String {
        let words = canonical_words(page);
        let listed: Vec<&str> = words.iter().collect();
        assert_eq!(listed.len(), words.len());
        assert_eq!(listed.join(" "), words.text());
        listed.join("|")
    }

    #[test]
    fn markup_goes_and_case_and_punctuation_stay() {
        let body = "<h1>The  End,</h1>it's\n<b>o</b>ver &amp; <i>(done)</i>.<td>x<br>y&nbsp;z";
        assert_eq!(words(&Page::html(body)), "The|End,|it's|over|&|(done).|x|y|z");
        assert_eq!(words(&Page::text(" a\t<b> \r\n c-d\u{2003}e ")), "a|<b>|c-d|e");
    }

    #[test]
    fn scripts_without_spaces_are_cut_with_their_punctuation() {
        assert_eq!(words(&Page::text("我爱北京天安门。你好 ok!")), "我|爱|北京|天安门|。|你好|ok!");
        assert_eq!(words(&Page::text("한국어 문장. naïve")), "한국어|문장.|naïve");
    }

    #[test]
    fn pages_without_text_have_no_words() {
        for body in ["", "<p> <br>", "<script>a b</script>", "&nbsp;"] {
            let found = canonical_words(&Page::html(body));
            assert!(found.is_empty(), "{body:?}");
            assert_eq!((found.iter().count(), found.text()), (0, ""));
        }
        assert_eq!(words(&Page::html("one")), "one");
    }

    proptest! {
        #[test]
        fn words_are_the_visible_text_split_at_white_space(
            text in "([a-zé한.,'<>&;]|<p>|</b>|&nbsp;|[ \\n\\t\u{a0}\u{2003}]){0,60}",
            html in any::<bool>(),
        ) {
            let page = if html { Page::html(&text) } else { Page::text(&text) };
            let visible = visible_text(&page);
            let plain: Vec<&str> = visible.split_whitespace().collect();
            let found = canonical_words(&page);
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), plain);
            prop_assert_eq!(&CanonicalWords::of_text(&folded_text(&page)), &found);
            prop_assert_eq!(&CanonicalWords::of_text(&visible), &found);
        }

        #[test]
        fn no_bytes_make_the_words_fail(body in prop::collection::vec(any::<u8>(), 0..300), html in any::<bool>()) {
            let kind = if html { PageKind::Html } else { PageKind::Text };
            let found = canonical_words(&Page { kind, charset: None, url: None, body: &body });
            prop_assert!(found.iter().all(|word| !word.is_empty() && !word.contains(char::is_whitespace)));
            prop_assert_eq!(found.iter().count(), found.len());
        }
    }
}
