use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::*;
use crate::text::tokens;

fn headings(content: &PageContent) -> Vec<(u8, String)> {
    content.headings().map(|heading| (heading.rank, joined(content.lower(heading.indexes)))).collect()
}

fn joined(terms: impl Iterator<Item = impl AsRef<str>>) -> String {
    terms.map(|term| term.as_ref().to_owned()).collect::<Vec<_>>().join(" ")
}

fn of_html(html: &str) -> String {
    joined(page_content(&Page::html(html)).terms())
}

fn of_text(text: &str) -> String {
    joined(page_content(&Page::text(text)).terms())
}

const LONG: &str = "In 1998 the quick brown fox jumped over the lazy dog, then 7 more foxes jumped over twelve dogs \
    who were all of them asleep.";

const TERMS: &str = "in the quick brown fox jumped over the lazy dog then more foxes jumped over twelve dogs who were \
    all of them asleep";

/// A paragraph of three sentences, each with a mark.
fn paragraph(mark: &str) -> String {
    format!(
        "<p>The {mark} jumped over the lazy dog that slept in the sun all day. Nobody had seen a {mark} as quick as this \
         one in the forest before. So people came from the village to look for the {mark} themselves.</p>"
    )
}

fn paragraphs(mark: &str, len: usize) -> String {
    paragraph(mark).repeat(len)
}

/// Returns how often a word occurs in the content of a page with this markup.
fn count(html: &str, word: &str) -> usize {
    page_content(&Page::html(html)).terms().filter(|term| term == word).count()
}

#[test]
fn terms_numbers_title_and_headings_are_kept_apart() {
    let html = format!(
        "<title>Foxes &amp; dogs 2</title><h1>Uses of Class<br>a.B 4</h1><p>{LONG}</p><h2>Dogs</h2><p>{LONG}</p><p>{LONG}</p>"
    );
    let content = page_content(&Page::html(&html));
    assert_eq!(joined(content.title()), "foxes dogs 2");
    assert_eq!(headings(&content), [(1, "uses of class a b 4".into()), (2, "dogs".into())]);
    assert!(joined(content.numbers()).ends_with("1998 7 1998 7 1998 7"));
    assert!(content.number_hashes().contains(&xxh3_64(b"1998")));
    assert!(joined(content.terms()).ends_with(&format!("{TERMS} {TERMS}")));
    assert!(content.terms().all(|term| term != "1998"));
    assert!(!content.is_whole() && !content.is_text());
}

#[test]
fn numbers_are_terms_where_there_are_many() {
    let numbers: String = (100..140).map(|number| format!("{number}\n")).collect();
    let content = page_content(&Page::text(&format!("{numbers}total of it\n")));
    assert_eq!((content.indexes().len(), content.numbers().len()), (43, 40));
    assert!(joined(content.terms()).starts_with("100 101 102"));
    let words = "word of it\n".repeat(41);
    let content = page_content(&Page::text(&format!("{numbers}{words}")));
    assert_eq!((content.indexes().len(), content.numbers().len()), (123, 40));
}

#[test]
fn a_version_or_date_below_the_title_of_a_text_is_of_the_title() {
    let title = |text: &str| joined(page_content(&Page::text(text)).title());
    assert_eq!(
        title("Terms of Use\n  Version 2.1, May 2008\n\nEveryone may copy it."),
        "terms of use version 2 1 may 2008"
    );
    assert_eq!(title("Terms of Use\nEveryone\n\nmay copy it."), "terms of use");
    assert_eq!(title("Pancakes\n200 g flour\n2 eggs\n"), "pancakes");
}

/// No name, element or class turns most of a page into boilerplate.
#[test]
fn an_article_is_content_whatever_holds_it() {
    for (open, close) in [
        ("<aside>", "</aside>"),
        ("<footer>", "</footer>"),
        ("<dialog>", "</dialog>"),
        ("<div class='right-sidebar'>", "</div>"),
        ("<div class=elementor-widget>", "</div>"),
        ("<div class=menu-items>", "</div>"),
        ("<div class=author-interview>", "</div>"),
        ("<div class=category-football>", "</div>"),
        ("<div class=share>", "</div>"),
        ("<div class='hidden md:block'>", "</div>"),
    ] {
        // 308 words, and 36 elsewhere.
        let article = paragraphs("fox", 7);
        let short = "<p>We write about the animals of our forest, and about people who live there.</p>".repeat(2);
        let html =
            format!("<header>Forest news</header>{short}{open}{article}{close}<p>By us, for you and all of them.</p>");
        assert_eq!(count(&html, "fox"), 21, "{open}");
    }
}

#[test]
fn comments_teasers_and_navigation_beside_an_article_are_no_content() {
    let article = format!("<article><h1>The fox</h1>{}</article>", paragraphs("fox", 6));
    let items = |class: &str, text: &str| -> String {
        (0..4)
            .map(|at| format!("<div class='{class} {class}-{at}'><a href=/{at}>Story {at}</a> {text}</div>"))
            .collect()
    };
    let comment = "<p>I have seen such an owl myself. Thank you for this, it has helped me a lot.</p>";
    let teaser = "An owl was seen at night.";
    for (name, frame) in [
        ("comments", format!("<div class=comments><h3>Comments</h3>{}</div>", items("comment", comment))),
        ("related", format!("<section class=related-posts><h3>More</h3>{}</section>", items("teaser", teaser))),
        ("teasers", format!("<div class=cards>{}</div>", items("card", teaser))),
        ("navigation", format!("<nav>{}</nav>", "<a href=/o>owl</a>".repeat(9))),
        ("footer", "<footer><p>&copy; 2024 The owl. All rights reserved.</p></footer>".to_owned()),
        ("aside", format!("<aside>{}</aside>", items("widget", teaser))),
    ] {
        let html = format!("<title>The fox</title><body>{article}{frame}</body>");
        assert_eq!((count(&html, "fox").min(18), count(&html, "owl")), (18, 0), "{name}");
    }
    // Runs of links beside a text are not part of the text.
    let links: String = (0..8).map(|at| format!("<li><a href=/{at}>owl</a>")).collect();
    assert_eq!(count(&format!("<ul>{links}</ul>{article}"), "owl"), 0);
}

#[test]
fn a_page_of_links_keeps_its_links() {
    let links: String = (0..40).map(|at| format!("<li><a href=/{at}>Report of the owl</a> new")).collect();
    let html = format!("<title>Reports</title><h1>All reports</h1><ul>{links}</ul>");
    assert_eq!(count(&html, "owl"), 40);
    assert_eq!(headings(&page_content(&Page::html(&html))), [(1, "all reports".into())]);
}

#[test]
fn where_content_is_in_doubt_all_open_text_counts() {
    // A list of names has no prose; it does not pull in anything from a boilerplate element.
    let names: String = (0..40).map(|_| "<div>the red owl</div>".to_owned()).collect();
    let html = format!("<nav>the fox</nav><main>{names}</main><footer>the fox</footer>");
    assert_eq!((count(&html, "owl"), count(&html, "fox")), (40, 0));
    assert!(!page_content(&Page::html(&html)).is_whole());
}

#[test]
fn headings_of_the_highest_rank_count_outside_of_the_content_and_others_in_it() {
    let text = paragraphs("fox", 5);
    let html = |before: &str| format!("{before}<main>{text}<h2>Tail</h2>{text}</main>");
    let found = |html: &str| headings(&page_content(&Page::html(html)));
    let (one, two) = ((1, "the fox".to_owned()), (2, "tail".to_owned()));
    assert_eq!(found(&html("<header><h1>The Fox</h1></header>")), [one.clone(), two.clone()]);
    assert_eq!(found(&html("<aside><h1>no</h1></aside><h1><a href=/>no</a></h1>")), std::slice::from_ref(&two));
    // A heading that is left open ends at the next one, and at the end tag of another rank.
    assert_eq!(found(&html("<h1>The Fox<h2>Tail</h2>")).first(), Some(&one));
    assert_eq!(found(&html("<h1>The Fox</h2>")), [one, two]);
}

#[test]
fn text_that_is_not_shown_is_content_where_little_is_shown() {
    let data = |mark: &str| format!("{{\"@type\": \"Article\", \"articleBody\": \"{}\"}}", [LONG; 4].join(mark));
    for (open, close, text) in [
        ("<script type='text/x-handlebars-template'>", "</script>", paragraphs("fox", 4)),
        ("<script type=text/html>", "</script>", paragraphs("fox", 4)),
        ("<template>", "</template>", paragraphs("fox", 4)),
        ("<noscript>", "</noscript>", paragraphs("fox", 4)),
        ("<noframes>", "</noframes>", paragraphs("fox", 4)),
        ("<script type=application/ld+json>", "</script>", data(" fox ")),
        ("<script type=application/json id=__NEXT_DATA__>", "</script>", data(" fox ")),
        ("<script>window.__NUXT__ = ", "</script>", data(" fox ")),
    ] {
        let hidden = format!("{open}{text}{close}");
        let frame =
            "<p>You need a current browser for this, with everything that belongs to it, to read our pages.</p>";
        let shell = format!("{frame}{hidden}");
        assert!(count(&shell, "fox") >= 3, "{open}");
        // Beside much text that is shown it is no content, but belongs to the whole text.
        let shown =
            "<p>People walk along the river in the evening and talk about what they saw in the town that day.</p>"
                .repeat(12);
        let page = page_content(&Page::html(&format!("<main>{shown}</main>{hidden}")));
        assert_eq!(page.terms().filter(|term| term == "fox").count(), 0, "{open}");
        assert!(page.whole_hashes().contains(&xxh3_64(b"fox")), "{open}");
        // What repeats the text that is shown does not count.
        if !text.starts_with('{') {
            let page = page_content(&Page::html(&format!("<main>{text}</main>{hidden}")));
            assert_eq!(page.whole_hashes().len(), page.terms().count(), "{open}");
        }
    }
    // Of programs, long texts are data and others are labels.
    let program = |text: &str| of_html(&format!("<p>little</p><script>f('{text}')</script>"));
    assert_eq!(program("A label of four words"), "little");
    assert_ne!(program(LONG), "little");
}

#[test]
fn data_in_attributes_is_read_where_it_is_more_than_the_text() {
    let data = |mark: &str| format!("{{\"title\": \"A day\", \"props\": [\"{}\"]}}", [LONG; 4].join(mark));
    let escaped = data(" fox ").replace('"', "&quot;");
    let frame = "<p>You need a current browser for this, with everything that belongs to it, to read our pages.</p>";
    let shown =
        "<p>People walk along the river in the evening and talk about what they saw in the town.</p>".repeat(12);
    for tag in [
        format!("<div id=app data-page=\"{escaped}\"></div>"),
        format!("<div data-react-class=Page data-react-props='{}'></div>", data(" fox ")),
        format!("<main id=root data-props=' [{escaped}]'>"),
        format!("<astro-island props=\"{escaped}\" client=load></astro-island>"),
        format!("<section wire:snapshot='{escaped}'></section>"),
        format!("<body><the-article :article=\"{escaped}\"></the-article>"),
    ] {
        assert!(count(&format!("{frame}{tag}"), "fox") >= 3, "{tag}");
        assert!(count(&tag, "fox") >= 3, "{tag}");
        // Beside more text that is shown, nothing of the page is another.
        let [page, bare] = [&tag[..], "<div>"].map(|tag| page_content(&Page::html(&format!("<p>{shown}</p>{tag}"))));
        assert_eq!(page.whole_hashes(), bare.whole_hashes(), "{tag}");
    }
    // Neither settings, nor what an image, a link or another attribute carries.
    let of_settings = "<div data-options='{\"label\": \"Show all of the foxes\"}'>".to_owned();
    let [of_image, of_link] = ["img src=a.png", "a href=/"].map(|tag| format!("<{tag} data-a='{}'>", data(" fox ")));
    for tag in [of_settings, of_image, of_link, format!("<div title='{LONG}'>")] {
        assert_eq!(of_html(&format!("<p>little</p>{tag}")), "little", "{tag}");
    }
}

#[test]
fn numbers_become_terms_gradually() {
    let words = "word of it\n".repeat(60);
    let len = |numbers: u32| {
        let numbers: String = (0..numbers).map(|number| format!("{}\n", 1000 + number)).collect();
        page_content(&Page::text(&format!("{words}{numbers}"))).indexes().len() - 180
    };
    assert_eq!((len(59), len(125)), (0, 125));
    assert!((len(70)..len(110)).contains(&len(90)) && len(90) > 20, "{}", len(90));
}

#[test]
fn of_a_page_with_little_content_everything_is() {
    let content =
        page_content(&Page::html("<title>One</title><nav><a href=x>Two 22</a></nav><p>Three<img src=four.png>"));
    assert_eq!((joined(content.terms()), joined(content.numbers())), ("one two three".into(), "22".into()));
    assert!(content.is_whole() && content.units() == 13);
    let words = |len: usize| vec!["a"; len].join(" ");
    for (len, is_whole) in [(19, true), (20, false)] {
        let html = format!("<nav>no</nav><main><p>{}.</p></main>", words(len));
        let content = page_content(&Page::html(&html));
        assert_eq!((content.is_whole(), content.indexes().len()), (is_whole, 20), "{len}");
    }
    assert!(page_content(&Page::html("<p> ")).indexes().is_empty());
}

#[test]
fn the_whole_text_has_what_is_no_link_and_all_of_the_content() {
    let html = format!("<title>no</title><nav><a href=/>no</a></nav>{}<footer>owl 7</footer>", paragraphs("fox", 6));
    let content = page_content(&Page::html(&html));
    let whole = content.whole_hashes();
    let has = |word: &str| whole.contains(&xxh3_64(word.as_bytes()));
    assert!(has("fox") && has("owl") && has("7") && !has("no"));
    assert!(content.terms().all(|term| term != "owl"));
}

#[test]
fn plain_text_is_content_as_it_stands() {
    let licence = "(c) 2024 Acme\n© 2024 Acme\nPermission is granted.\n";
    let code = "fn main() {\n    let x = 1;\n    print(x);\n}\n".repeat(20);
    let table = "red\t7\tyes\nblue\t8\tno\n".repeat(20);
    let list = "- item of it\n".repeat(30);
    let verse = "Tiger, tiger, burning bright\nIn the forests of the night\n\n".repeat(10);
    for text in [format!("{licence}{code}"), table, list, verse] {
        let content = page_content(&Page::text(&text));
        assert!(content.is_text() && !content.is_whole());
        let words = |terms: &mut dyn Iterator<Item = String>| terms.filter(|term| term.parse::<u64>().is_err()).count();
        let all = words(&mut content.tokens().terms().map(str::to_owned));
        assert_eq!(words(&mut content.terms()), all, "{text}");
    }
}

#[test]
fn a_copyright_notice_near_the_end_ends_a_plain_text() {
    let body = [LONG; 4].join("\n");
    for notice in ["© 2024 Acme", "Copyright © 2024 Acme", "2024 Acme ©", "©Acme"] {
        assert_eq!(of_text(&format!("{body}\n\n{notice}\nAcme\n")), of_text(&body), "{notice}");
    }
    // Much text follows the notice, or none precedes it.
    assert!(of_text(&format!("{LONG}\n© 2024 Acme\n{LONG}")).contains("acme"));
    assert_eq!(of_text(&format!("© 2024 Acme {LONG}")), of_text(&format!("2024 Acme {LONG}")));
}

#[test]
fn the_first_line_of_a_plain_text_is_its_title_if_it_is_short() {
    let title = |text: &str| joined(page_content(&Page::text(text)).title());
    assert_eq!(title(&format!("The Fox 2\n\n{LONG}")), "the fox 2");
    assert_eq!(title("The Fox"), "");
    assert_eq!(title(&format!("{LONG} {LONG}\n{LONG}")), "");
}

#[test]
fn headings_of_plain_text_are_those_that_are_marked() {
    let text = format!(
        "# The Fox\n{LONG}\n== Tail ==\n{LONG}\nHead\n====\n{LONG}\n\
         Ears\r\n--------\r\n{LONG}\nEyes\n~~~\n#no\n#### no\nx\n--x\n{LONG}"
    );
    let expected = [(1, "the fox"), (2, "tail"), (1, "head"), (2, "ears"), (3, "eyes")];
    let expected: Vec<(u8, String)> = expected.iter().map(|&(rank, text)| (rank, text.to_owned())).collect();
    assert_eq!(headings(&page_content(&Page::text(&text))), expected);
}

#[test]
fn characters_without_width_are_ignored() {
    let marked = LONG.replace("quick", "qu\u{200b}ick").replace("fox", "f&#8203;o&ZeroWidthSpace;x\u{feff}");
    let content = page_content(&Page::html(&format!("\u{200e}<h1>A f\u{2060}ox</h1><p>{marked}</p><p>{marked}</p>")));
    assert!(joined(content.terms()).ends_with(&format!("{TERMS} {TERMS}")));
    assert_eq!(headings(&content), [(1, "a fox".into())]);
    assert_eq!(of_text(&LONG.replace("quick", "qu\u{200b}ick")), TERMS);
}

#[test]
fn the_text_of_the_content_has_its_terms() {
    let page =
        format!("<nav>no</nav><p>{LONG}</p><p>THE  end of this, 1,2024 dogs and all of the foxes.</p><p>{LONG}</p>");
    let text = content_text(&Page::html(&page));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text:?}");
    assert!(lines[0].starts_with("in 0 the quick") && lines[1].starts_with("the end of this"), "{text:?}");
}

#[test]
fn blocks_have_the_letters_of_the_page_and_a_kind() {
    let text = "The Fox, “quick” &amp; brown, jumped over  the lazy dog in 1998 and slept for all of the day.";
    let html = format!(
        "<title>The FOX</title><nav>Our Forest</nav><p><a href=/>Home Page</a></p><main>{}</main>",
        format!("<p>{text}</p>").repeat(4)
    );
    let blocks = text_blocks(&Page::html(&html));
    let shown = text.replace("&amp;", "&").replace("  ", " ");
    let expected = [
        ("The FOX", BlockKind::Title),
        ("Our Forest", BlockKind::Frame),
        ("Home Page", BlockKind::Links),
        (&*shown, BlockKind::Content),
        (&*shown, BlockKind::Content),
        (&*shown, BlockKind::Content),
        (&*shown, BlockKind::Content),
    ];
    let found: Vec<(&str, BlockKind)> = blocks.iter().map(|block| (&*block.text, block.kind)).collect();
    assert_eq!(found, expected);
    let blocks = text_blocks(&Page::text(&format!("{LONG}\n{LONG}\n© Acme\n")));
    let kinds: Vec<BlockKind> = blocks.iter().map(|block| block.kind).collect();
    assert_eq!(kinds, [BlockKind::Content, BlockKind::Content, BlockKind::Other]);
    assert_eq!((&*blocks[0].text, &*blocks[2].text), (LONG, "© Acme"));
}

#[test]
fn deep_and_unclosed_elements_take_linear_time() {
    let many = 200_000;
    for piece in
        ["<div class=nav>", "<main><a href=x>", "</nav>", "<h1>", "<td><x-y></z>", "<li><a href=x>a</a>", "<p>a"]
    {
        let html = piece.repeat(many / piece.len()) + " word";
        assert!(of_html(&html).ends_with("word"), "{piece}");
        assert!(of_text(&"a\n".repeat(many)).len() > many);
    }
    assert!(of_text(&"© a\n".repeat(many)).len() > many);
}

proptest! {
    #[test]
    fn no_bytes_break_it(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..80),
        bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let body = [pieces.concat(), bytes].concat();
        for kind in [PageKind::Html, PageKind::Text] {
            let page = Page { kind, charset: None, url: None, body: &body };
            let found = page_content(&page);
            prop_assert!(found.indexes().is_sorted_by(|a, b| a < b));
            let expected: Vec<u64> = found.terms().map(|term| xxh3_64(term.as_bytes())).collect();
            prop_assert_eq!(found.hashes(), expected);
            let amount = found.indexes().len() + found.numbers().len();
            prop_assert!(found.indexes().len() <= found.tokens().len() && (found.units() == 0) == (amount == 0));
            let is_sound = |heading: Heading<'_>| (1..=3).contains(&heading.rank) && !heading.indexes.is_empty();
            prop_assert!(found.headings().all(is_sound));
            let ends = found.blocks().iter().flat_map(|block| [block.indexes.start, block.indexes.end]);
            prop_assert!(ends.is_sorted());
            // The text of each block has all of its terms.
            let mut start = 0;
            for block in found.blocks() {
                let range = std::mem::replace(&mut start, block.text_end)..block.text_end;
                prop_assert!(found.tokens().text().get(range.clone()).is_some());
                let spans = &found.tokens().spans()[block.indexes.start as usize..block.indexes.end as usize];
                prop_assert!(spans.iter().all(|&(from, to)| range.start <= from && to <= range.end));
            }
            prop_assert_eq!(text_blocks(&page).len(), found.blocks().len());
            // The letters may differ from those that a visitor sees only if there is text that is not shown, or a drawing
            // whose title is a formula.
            let has = |mark: &[u8]| memchr::memmem::find(&body, mark).is_some();
            let has_unseen = has(b"<template") || has(b"text/html") || has(b"<svg") && has(b"<title");
            let letters = |tokens: &Tokens| {
                tokens.terms().flat_map(str::chars).filter(|c| c.is_alphanumeric()).collect::<String>()
            };
            prop_assert!(has_unseen || letters(found.tokens()) == letters(&tokens(&page)));
        }
    }
}

/// Pieces of malformed pages.
const PIECES: &[&[u8]] = &[
    b"<nav>",
    b"</nav>",
    b"<main>",
    b"</main>",
    b"<div class='sidebar' id=",
    b"<div role=search>",
    b"</div>",
    b"<a href='x'>",
    b"</a>",
    b"<h1>",
    b"</h2>",
    b"<p>",
    b"<svg><nav/>",
    b"</svg>",
    b"<template>",
    b"</template>",
    b"<title>",
    b"<script type=text/html>",
    b"</script>",
    b"one two ",
    b"1 2\n# a\n===\n",
    b"\n\xc2\xa9 a\n",
    b"\xe4\xb8\xad\xe6",
    b"&am",
    b"<!--",
    b"-->",
    b"'",
    b">",
    b"\xff\0",
    b"</x>",
    b"<textarea>",
];
