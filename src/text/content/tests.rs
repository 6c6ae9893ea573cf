use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::*;
use crate::text::tokenizer::tokens;

fn content(page: &Page<'_>) -> String {
    main_content(page).terms().collect::<Vec<_>>().join(" ")
}

/// The content of some markup besides a paragraph that is long enough to be one.
#[track_caller]
fn beside(markup: &str) -> String {
    let words: Vec<String> = (0..TERMS_MIN).map(|at| format!("w{}", char::from(b'a' + at as u8))).collect();
    let own = words.join(" ");
    let found = content(&Page::html(&format!("<title>no</title><p>{own}</p>{markup}")));
    found.strip_prefix(&own).expect("the paragraph is content").trim_start().into()
}

#[test]
fn what_goes_around_the_content_is_none_of_it() {
    for around in ["nav", "header", "footer", "aside", "menu", "select", "button"] {
        assert_eq!(beside(&format!("<{around}><p>no</p><div>no</div></{around}><p>yes</p>")), "yes", "{around}");
        assert_eq!(beside(&format!("<{}>no</{around}>yes", around.to_uppercase())), "yes", "{around}");
    }
    for role in ["navigation", "banner", "contentinfo", "search", "complementary", "dialog", " Navigation "] {
        assert_eq!(beside(&format!("<div class=x role='{role}'><div>no</div>no</div><p>yes</p>")), "yes", "{role}");
    }
    assert_eq!(beside("<div role=main>yes</div><section>yes</section><form>yes</form><textarea>yes</textarea>"), {
        "yes yes yes yes"
    });
}

#[test]
fn elements_within_each_other_end_where_they_are_closed() {
    assert_eq!(beside("<nav><nav>no</nav>no</nav>yes"), "yes");
    assert_eq!(beside("<div role=search><div role=main>no</div><div>no</div></div>yes"), "yes");
    assert_eq!(beside("<main><article><footer>no</footer>yes</article></main>"), "yes");
    // An element left open ends with the element around it.
    assert_eq!(beside("<div><header>no<p>no</div>yes"), "yes");
    assert_eq!(beside("<footer>no<ul><li>no<li>no<p>no</footer>yes"), "yes");
    assert_eq!(beside("<nav><p>no</p></li></section></article>no</nav>yes"), "yes");
    assert_eq!(beside("yes<nav>no"), "yes");
    // An end tag without a start tag is ignored.
    assert_eq!(beside("</nav></div></header><p>yes"), "yes");
    // An element may close itself only in markup that declares itself XML.
    assert_eq!(beside("<nav/>no</nav>yes"), "yes");
    assert_eq!(beside("<svg><nav/></svg>yes"), "yes");
}

#[test]
fn link_blocks_are_none_of_it() {
    // Pages from before there was <nav>.
    assert_eq!(
        beside("<td><a href=/>Home</a> | <a href=/n>News</a> | <a href=/a>About us</a></td><td>yes</td>"),
        "yes"
    );
    assert_eq!(beside("<li><a href=x>four</a> five<li><a href=x>more</a> less<li>see <a href=x>it</a>"), "see it");
    assert_eq!(beside("<p>as <a href=x>Manku et al.</a> say of fingerprints"), "as manku et al say of fingerprints");
    // An anchor is no link, and the next one ends it.
    assert_eq!(beside("<h2><a name=top>yes</a></h2><p><a name=x>yes<p>yes"), "yes yes yes");
    assert_eq!(beside("<p><a href=x>no<p>no</a><p>yes"), "yes");
    // A block is what stands between two tags that are no formatting instructions.
    assert_eq!(beside("<p>yes <b>yes</b> <i><a href=x>link</a></i> yes<br><a href=x>no</a>"), "yes yes link yes");
}

#[test]
fn titles_and_images_are_none_of_it() {
    assert_eq!(beside("<img src=no.png>yes<title>no</title>"), "yes");
}

#[test]
fn of_a_page_with_little_content_everything_is() {
    let page = Page::html("<title>One</title><nav><a href=x>Two 22</a></nav><p>Three<img src=four.png>");
    assert_eq!(content(&page), "one two 22 three four.png", "of little, digits count");
    let words = "word ".repeat(TERMS_MIN - 1);
    let html = format!("<nav>no</nav><p>{words}");
    assert_eq!(main_content(&Page::html(&html)).indexes.len(), TERMS_MIN);
    let html = format!("{html} word");
    assert_eq!(main_content(&Page::html(&html)).indexes.len(), TERMS_MIN);
    assert!(!content(&Page::html(&html)).contains("no"));
    let empty = main_content(&Page::html("<p>--"));
    assert!(empty.indexes.is_empty() && empty.hashes().is_empty());
}

#[test]
fn long_lines_of_plain_text_are_content() {
    let long = "abcdefghij ".repeat(24);
    // Lines of 4, 9, 240, 25 and 26 units.
    let last = "abcde fghij klmno pqrst uvwxyz";
    let text = format!("Home\r\nNews, About\n{long}\nabcde fghij klmno pqrst uvwxy\n{last}!\n\n");
    assert_eq!(content(&Page::text(&text)), format!("{long}{last}"));
    // In Chinese half as many characters: 12 and 13.
    let chinese = "名前はまだ無い。どこで生れたかとんと見当がつかぬ。".repeat(4);
    let text = format!("北京大学是中华人民共和国\n{chinese}\n北京大学是中华人民共和国的\n");
    let found = content(&Page::text(&text));
    assert!(!found.contains("北京大学 是 中华人民共和国 名前") && found.ends_with('的'), "{found}");
}

#[test]
fn markup_in_chinese_is_told_apart_like_any_other() {
    let body = "北京大学创办于1898年,初名京师大学堂,是中国第一所国立综合性大学。".repeat(3);
    let html =
        format!("<ul><li><a href=x>首页</a><li><a href=x>新闻动态</a></ul><p>{body}</p><footer>版权所有</footer>");
    let text: String = main_content(&Page::html(&html)).terms().collect();
    assert!(text.starts_with("北京大学创办于年") && text.ends_with("综合性大学"), "{text}");
}

#[test]
fn numbers_and_case_make_no_difference() {
    assert_eq!(beside("<p>Numpy 1.26.4 of 12 Mai 2024, v2beta10 ÄB12 ٣٤x ٣٤ ½</p>"), "numpy of mai v2beta10 äb12 ٣٤x");
}

/// Pieces of malformed pages.
const PIECES: &[&[u8]] = &[
    b"<nav>",
    b"</nav>",
    b"<div role=search>",
    b"</div>",
    b"<a href='x'>",
    b"</a>",
    b"<p>",
    b"<svg><nav/>",
    b"</svg>",
    b"<template>",
    b"</template>",
    b"<title>",
    b"<script>",
    b"</script>",
    b"one two ",
    b"\xe4\xb8\xad\xe6",
    b"&am",
    b"<!--",
    b"-->",
    b"<div role=",
    b"'",
    b">",
    b"\xff\0",
    b"</x>",
    b"<textarea>",
];

proptest! {
    #[test]
    fn hashes_are_those_of_the_terms(text in "([a-zA-Z0-9ÄΣσİ٣中]{1,20}[ .\n]?){0,60}") {
        let found = main_content(&Page::text(&text));
        let expected: Vec<u64> = found.terms().map(|term| xxh3_64(term.as_bytes())).collect();
        prop_assert_eq!(found.hashes(), expected);
        prop_assert_eq!(found.hashes().len(), found.indexes.len());
    }

    /// Each block alone decides whether it is content, as long as no element is left open.
    #[test]
    fn a_page_is_as_much_content_as_its_blocks(
        blocks in prop::collection::vec(
            ("[a-d]{1,6}( [a-d]{1,6}){0,5}", prop::option::of("[a-d]{1,9}"), 0usize..4),
            0..30,
        ),
    ) {
        let filler = "long enough to be content all alone and by itself ".repeat(3);
        let (mut html, mut expected) = (format!("<p>{filler}</p>"), filler.trim_end().to_owned());
        for (text, link, around) in &blocks {
            let shown = link.as_ref().map(|link| format!("<a href=x>{link}</a>")).unwrap_or_default();
            let tag = ["p", "div", "td", "nav"][*around];
            html += &format!("<{tag}>{text} <b>{shown}</b></{tag}>\n");
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
            let linked = link.as_deref().map_or(0, letters);
            if tag != "nav" && 2 * linked < letters(text) + linked {
                expected = [&expected, &text[..], link.as_deref().unwrap_or("")].join(" ").trim_end().to_owned();
            }
        }
        prop_assert_eq!(content(&Page::html(&html)), expected);
    }

    #[test]
    fn no_bytes_break_it(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..80),
        bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let body = [pieces.concat(), bytes].concat();
        for kind in [PageKind::Html, PageKind::Text] {
            let page = Page { kind, charset: None, url: None, body: &body };
            let found = main_content(&page);
            prop_assert_eq!(&found.tokens, &tokens(&page));
            prop_assert!(found.indexes.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(found.indexes.is_empty(), found.tokens.is_empty());
            prop_assert!(found.indexes.len() >= TERMS_MIN.min(found.tokens.len()));
        }
    }
}

#[test]
fn deep_and_unclosed_elements_take_linear_time() {
    let many = 200_000;
    for piece in ["<div>", "<nav><a href=x>", "</nav>", "<div></nav>", "<td><x-y></z>"] {
        let html = piece.repeat(many / piece.len()) + " word";
        assert_eq!(content(&Page::html(&html)), "word");
    }
}

#[test]
fn the_text_of_the_content_has_its_terms_and_what_stands_between_them() {
    let words: Vec<String> = (0..25).map(|number| format!("Word{number}")).collect();
    let page = format!(
        "<nav>Skip, this.</nav><h1>One,\n two.</h1> <p>{}!</p> <p><a href=x>A link</a></p>\
        <p>the END\n1,2024 of 2024</p><img src=a.png>",
        words.join(" ")
    );
    let content = main_content(&Page::html(&page));
    let text = main_text(&Page::html(&page));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[2]), (3, "one, two.", "the end 0,0 of"), "{text:?}");
    assert!(!text.contains("skip") && !text.contains("link") && text.contains("word0 word1"));
    let tokens = crate::text::tokens(&Page::text(&text));
    let terms: Vec<&str> = tokens.terms().filter(|term| *term != "0").collect();
    assert_eq!(terms, content.terms().collect::<Vec<_>>());
    assert_eq!(main_text(&Page::html("")), "");
}
