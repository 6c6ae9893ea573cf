use encoding_rs::{BIG5, EUC_KR, GB18030, SHIFT_JIS, UTF_8, WINDOWS_1251, WINDOWS_1252};
use proptest::prelude::*;

use super::*;
use crate::text::PageKind;
use crate::text::charset::decode;
use crate::text::letters::is_mark;
use crate::text::tokenizer::{Tokenizer, tokens};
use crate::text::visible::folded_text_with_map;

fn page<'a>(charset: Option<&'a str>, body: &'a [u8]) -> Page<'a> {
    Page { kind: PageKind::Text, charset, url: None, body }
}

#[test]
fn offsets_map_to_bytes_in_every_character_set() {
    for (encoding, sample) in [
        (UTF_8, "naïve \u{1f600} 日本 "),
        (WINDOWS_1252, "Façade à la française "),
        (WINDOWS_1251, "Все счастливые семьи "),
        (SHIFT_JIS, "吾輩は猫である。 ﾈｺ "),
        (GB18030, "北京大学 \u{1f600} naïve "),
        (BIG5, "國立臺灣大學 x "),
        (EUC_KR, "한국어 문장 x "),
    ] {
        let text = sample.repeat(400);
        let body = encoding.encode(&text).0;
        let page = page(Some(encoding.name()), &body);
        assert_eq!(decode(&page), text);
        let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(7).collect();
        let found = TextMap::default().page_offsets(&page, &offsets);
        for (at, position) in offsets.into_iter().zip(found) {
            assert_eq!(position, encoding.encode(&text[..at]).0.len(), "{} at {at}", encoding.name());
        }
    }
}

#[test]
fn offsets_map_to_bytes_in_utf_16_and_32_and_behind_escapes() {
    let utf_16 = b"\xff\xfea\0\xad\0\xdf\0\x3d\xd8\0\xdeb\0";
    let page_16 = page(None, utf_16);
    let found = folded_text_with_map(&page_16).1.page_offsets(&page_16, &[0, 1, 3, 7, 8]);
    assert_eq!(found, [2, 6, 8, 12, 14], "the soft hyphen at 4 is not there");
    let utf_32 = b"\0\0\xfe\xff\0\0\0a\0\0\0\xdf\0\0\0b\0";
    let found = TextMap::default().page_offsets(&page(None, utf_32), &[3, 0, 1, 4, 9]);
    assert_eq!(found, [12, 4, 8, 16, 17]);
    let escaped = b"a\x1b$B4A;z\x1b(Bb";
    let found = TextMap::default().page_offsets(&page(Some("iso-2022-jp"), escaped), &[0, 1, 4, 7]);
    assert_eq!(found, [0, 1, 6, 8], "an escape belongs to the character behind it");
    assert_eq!(TextMap::default().page_offsets(&page(None, b""), &[0, 5]), [0, 0]);
}

#[test]
fn references_and_folded_spaces_lead_to_where_they_begin() {
    let body = "<p>a &amp;\n\t b<b>c</b>&shy;d</p> \n <p>\u{ad}&eacute;";
    let page = Page::html(body);
    let (text, map) = folded_text_with_map(&page);
    assert_eq!(text, "a & bcd\né");
    let found = map.page_offsets(&page, &[0, 2, 3, 4, 5, 6, 8]);
    let sought: Vec<usize> =
        ["a", "&amp;", "\n\t", "b<b>", "c<", "d<", "&eacute;"].iter().filter_map(|what| body.find(what)).collect();
    assert_eq!(found, sought);
}

#[test]
fn composed_characters_lead_to_their_letters() {
    let body = "<p>Cafe\u{301} <b>\u{1112}\u{1161}</b>&#4523;\u{200b}\u{1100}\u{1173}\u{11af} x&#768;o&#771;y";
    let page = Page::html(body);
    let (text, map) = folded_text_with_map(&page);
    assert_eq!(text, "Café 한글 x\u{300}õy");
    let offsets: Vec<usize> = "fé한글xõy".chars().filter_map(|c| text.find(c)).collect();
    let sought: Vec<usize> =
        ["fe", "e\u{301}", "\u{1112}", "\u{1100}", "x&", "o&", "y"].iter().filter_map(|what| body.find(what)).collect();
    assert_eq!(map.page_offsets(&page, &offsets), sought);
    let plain = crate::text::Page::text("o\u{308}\u{ad}x\u{8}xe\u{301}y");
    let (text, map) = folded_text_with_map(&plain);
    assert_eq!(text, "öxéy");
    assert_eq!(map.page_offsets(&plain, &[0, 2, 3, 5]), [0, 7, 8, 11]);
}

#[test]
fn a_line_end_after_a_joined_word_leads_to_the_end_of_the_word() {
    let page = Page::text("é\u{ad}\né& x");
    let (text, map) = folded_text_with_map(&page);
    assert_eq!(text, "éé\n& x");
    assert_eq!(map.page_offsets(&page, &[0, 2, 4, 5]), [0, 5, 7, 7]);
}

#[test]
fn terms_map_to_their_offsets_and_images_to_their_tags() {
    let body = "<h1>One</h1>two &lt;three&gt;<p><img src='x/four.png'>five";
    let page = Page::html(body);
    let (found, map) = Tokenizer::new().tokens_with_map(&page);
    let indexes: Vec<usize> = found.ranges().map(|range| range.start).collect();
    let positions = map.page_offsets(&page, &indexes);
    let rests: Vec<&str> = positions.iter().map(|&at| &body[at..at + 3]).collect();
    assert_eq!(rests, ["One", "two", "thr", "<im", "fiv"]);
    assert_eq!(found, tokens(&page));
}

proptest! {
    #[test]
    fn each_character_stands_where_the_map_says(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "<p>", "<b>", "</b>", "<br>", " ", "\n", "é", "中", "&amp;", "&#233;", "&nbsp;", "&", "x", "y",
                "<", "<!-- a -->", "<script>z</script>", "<xmp>&lt;</xmp>", "\u{ad}", "&shy;", "<title>t</title>",
                "<template>u", "</template>", "\u{3000}", "\u{301}", "&#769;", "e\u{323}", "\u{200b}",
            ]),
            0..40,
        ),
        html in any::<bool>(),
    ) {
        let body = parts.concat();
        let page = if html { Page::html(&body) } else { Page::text(&body) };
        let (text, map) = folded_text_with_map(&page);
        let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let found = map.page_offsets(&page, &offsets);
        prop_assert!(found.is_sorted());
        for (c, at) in text.chars().zip(found) {
            let first = body[at..].chars().next();
            // A composed character begins with its letter, and marks may have changed their order.
            let letter = first.filter(char::is_ascii_alphabetic).is_some() && "éẹýú".contains(c) || is_mark(c);
            prop_assert!(
                first == Some(c)
                    || letter
                    || first == Some('&') && html
                    || c == ' ' && first.is_some_and(char::is_whitespace)
                    || c == '\n',
                "{:?} in {:?} stands at {:?} of {:?}", c, text, first, body
            );
        }
    }

    #[test]
    fn no_bytes_make_the_map_fail(
        body in prop::collection::vec(any::<u8>(), 0..200),
        charset in prop::sample::select(vec!["utf-8", "utf-16le", "gb18030", "iso-2022-jp", "euc-jp", "big5"]),
        html in any::<bool>(),
    ) {
        let kind = if html { PageKind::Html } else { PageKind::Text };
        let page = Page { kind, charset: Some(charset), url: None, body: &body };
        let (text, map) = folded_text_with_map(&page);
        let offsets: Vec<usize> = (0..text.len() + 3).collect();
        let found = map.page_offsets(&page, &offsets);
        prop_assert!(found.into_iter().all(|at| at <= body.len()));
    }
}
