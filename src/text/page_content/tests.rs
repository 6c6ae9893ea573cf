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

const LINKS: &str = "<ul><li><a href=a>one</a><li><a href=b>two</a><li><a href=c>three</a><li><a href=d>four</a></ul>";

/// The content of some markup between two paragraphs of content.
#[track_caller]
fn between(markup: &str) -> String {
    let found = of_html(&format!("<title>no</title><p>{LONG}</p>{markup}<p>{LONG}</p>"));
    let rest = found.strip_prefix(TERMS).and_then(|rest| rest.strip_suffix(TERMS));
    rest.expect("both paragraphs are content").trim().into()
}

#[test]
fn terms_numbers_title_and_headings_are_kept_apart() {
    let html = format!(
        "<title>Foxes &amp; dogs 2</title><h1>Uses of Class<br>a.B 4</h1><p>{LONG}</p><h2>Dogs</h2><p>{LONG}</p>\
        <h4>no</h4><p>{LONG}</p>"
    );
    let content = page_content(&Page::html(&html));
    assert_eq!(joined(content.title()), "foxes dogs 2");
    assert_eq!(headings(&content), [(1, "uses of class a b 4".into()), (2, "dogs".into())]);
    assert_eq!(joined(content.numbers()), "4 1998 7 1998 7 1998 7");
    assert_eq!(content.number_hashes()[0], xxh3_64(b"4"));
    assert!(joined(content.terms()).starts_with("uses of class a b in the quick brown fox"));
    assert!(!content.is_whole());
}

#[test]
fn frames_are_known_by_elements_roles_names_and_by_what_is_hidden() {
    for name in ["nav", "header", "footer", "aside", "menu", "select", "button", "dialog", "search"] {
        assert_eq!(between(&format!("<{name}><p>{LONG}</p></{name}>yes")), "yes", "{name}");
    }
    for role in ["navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog"] {
        assert_eq!(between(&format!("<div role={role}><div>{LONG}</div></div>yes")), "yes", "{role}");
    }
    let names = ["sidebar", "navbar top", "siteFooter", "main-menu-x menu", "cookie-bar", "comments", "related_posts"];
    let of_themes = ["entry-meta", "post-copyright", "byline", "author_bio", "breadcrumbs"];
    for name in names.into_iter().chain(of_themes) {
        let is_frame = !name.contains("main");
        for attribute in ["class", "id"] {
            let found = between(&format!("<div {attribute}='{name}'><p>{LONG}</p></div>yes"));
            assert_eq!(found == "yes", is_frame, "{attribute}={name}");
        }
    }
    for hidden in ["hidden", "style='color: red; Display : none'", "class='a hidden'"] {
        assert_eq!(between(&format!("<div {hidden}><p>{LONG}</p></div>yes")), "yes", "{hidden}");
    }
    for shown in [
        "class=nothing",
        "class='page-body sidebar'",
        "class=footnotes",
        "id=x style='display:block'",
        "class=has-sidebar",
        "class='type-decl hidden-by-usual-hider'",
    ] {
        assert_eq!(between(&format!("<div {shown}>yes</div>")), "yes", "{shown}");
    }
    // A heading of the first rank is in no frame that only its name makes one.
    assert_eq!(between(&format!("<div class=menu-l><h1>yes</h1>{LONG}</div>")), format!("yes {TERMS}"));
    // Names count only where there is other text.
    let found = of_html(&format!("<div class=sidebar><p>{LONG}</p><p>{LONG}</p></div>little"));
    assert_eq!(found, format!("{TERMS} {TERMS} little"));
}

#[test]
fn in_the_main_part_links_are_content_and_around_it_nothing_is() {
    for (open, close) in [("<main>", "</main>"), ("<div role=main>", "</div>"), ("<div id=content>", "</div>")] {
        let html = format!("<p>{LONG}</p>{open}<h1>Index</h1>{LINKS}{LINKS}<nav>no</nav>{close}<p>no</p>");
        let found = of_html(&html.replace("<p>{LONG}</p>", ""));
        let found = found.trim_start_matches(TERMS).trim_start();
        assert_eq!(found, "index one two three four one two three four", "{open}");
    }
    // Beside a long list of links a main part is known by its text.
    let contents = LINKS.repeat(40);
    let html = |inner: &str| format!("<div id=content>{inner}</div><div>no{contents}</div>");
    assert_eq!(of_html(&html("<h1>Fox</h1>The fox jumps over a dog.")), "fox the fox jumps over a dog");
    assert!(of_html(&html("<a href=x>yes</a>")).starts_with("yes no one two three"));
    let html = format!("<p>no</p><article><header><h1>Fox</h1>by me</header><p>{LONG}</p></article><p>{LONG}</p>");
    assert_eq!(of_html(&html), format!("fox by me {TERMS}"));
}

#[test]
fn links_are_content_where_there_are_more_of_them_than_text() {
    let index = format!("<h1>Index of <b>foxes</b></h1>{LINKS}<h2>More</h2>{LINKS}{LINKS}");
    assert!(of_html(&index).starts_with("index of foxes one two three four more one two three four one"));
    // In a text runs of links are no content, and their headings neither; the blocks after the last run are frame
    // too.
    let html = format!(
        "<p><a href=x>Home</a><h1>Fox</h1><p>{LONG}</p><h2>See</h2>{LINKS}<p>{LONG}</p><h2>More</h2>{LINKS}by me"
    );
    let content = page_content(&Page::html(&html));
    assert_eq!(joined(content.terms()), format!("fox {TERMS} {TERMS}"));
    assert_eq!(headings(&content), [(1, "fox".into())]);
    assert_eq!(between("<p>see <a href=x>this page</a><li><a href=x>that</a>"), "see this page that");
}

#[test]
fn the_first_heading_may_stand_in_the_header_of_the_page() {
    let html = |inner: &str| format!("<header><h1>The Fox</h1></header><main><p>{LONG}</p>{inner}</main>");
    assert_eq!(
        headings(&page_content(&Page::html(&html("<h2>Tail</h2>x")))),
        [(1, "the fox".into()), (2, "tail".into())]
    );
    assert_eq!(headings(&page_content(&Page::html(&html("<h1>Tail</h1>x")))), [(1, "tail".into())]);
    // Headings of frames do not count, and one that is left open ends with the next.
    let html = format!("<aside><h2>no</h2></aside><h1>Fox<h2>Tail</h2><p>{LONG}</p>");
    assert_eq!(headings(&page_content(&Page::html(&html))), [(1, "fox".into()), (2, "tail".into())]);
    let html = format!("<h1>Fox</h2><p>{LONG}</p>");
    assert_eq!(headings(&page_content(&Page::html(&html))), [(1, "fox".into())]);
}

#[test]
fn markup_for_scripts_is_text_where_there_is_little_else() {
    for (open, close) in [
        ("<script type='text/x-handlebars-template'>", "</script>"),
        ("<script type=text/html>", "</script>"),
        ("<template>", "</template>"),
    ] {
        let kept = format!("{open}<h1>Fox {{{{name}}}}</h1><p>{LONG}</p>{close}");
        assert_eq!(of_html(&format!("<p>little</p>{kept}")), format!("fox name {TERMS}"), "{open}");
        assert_eq!(of_html(&format!("<p>{LONG}</p>{kept}")), TERMS, "{open}");
    }
    assert_eq!(of_html(&format!("<p>little</p><script>{LONG}</script>")), "little");
}

#[test]
fn of_a_page_with_little_content_everything_is() {
    let content =
        page_content(&Page::html("<title>One</title><nav><a href=x>Two 22</a></nav><p>Three<img src=four.png>"));
    assert_eq!((joined(content.terms()), joined(content.numbers())), ("one two three".into(), "22".into()));
    assert!(content.is_whole() && content.units() == 13);
    assert_eq!(of_html("<nav>no</nav><main>one two three four five</main>"), "one two three four five");
    assert_eq!(of_html("<nav>no</nav><main>one two three four</main>"), "no one two three four");
    assert!(page_content(&Page::html("<p>--")).indexes().is_empty());
}

#[test]
fn prose_tells_the_content_of_plain_text() {
    let menu: String = (0..30).map(|at| format!("Menu entry {}\n", char::from(b'a' + at % 26))).collect();
    let text = format!("{menu}The Fox\n\n{LONG}\nlet x;\n{LONG}\n{menu}Tails\n\n{LONG}\nContact\nImprint\n");
    let found = of_text(&text);
    assert_eq!(found, format!("menu entry d the fox {TERMS} let x {TERMS} menu entry d tails {TERMS}"));
    let list: String = (0..40).map(|at| format!("item{} of a list\n", "x".repeat(at))).collect();
    assert_eq!(page_content(&Page::text(&list)).indexes().len(), 160);
}

#[test]
fn prose_apart_from_much_more_of_it_is_frame() {
    let menu = "Menu entry\n".repeat(24);
    for (texts, is_kept) in [(4, true), (5, false)] {
        let text = format!("{}{menu}{LONG}\n", format!("{LONG}\n").repeat(texts));
        let rest = if is_kept { format!(" menu entry menu entry {TERMS}") } else { String::new() };
        assert_eq!(of_text(&text), vec![TERMS; texts].join(" ") + &rest);
        // A shorter list is of the text around it.
        let shorter = text.replacen("Menu entry\n", "", 1);
        assert_eq!(of_text(&shorter).matches("menu entry").count(), 23);
    }
}

/// Whatever stands around the sign in its line, and in pages that have too little content without their frame, too.
#[test]
fn a_copyright_notice_near_the_end_ends_a_plain_text() {
    let made = "Made with a tool that makes pages of texts.";
    for body in [format!("{LONG}\n{LONG}"), "The red fox looked back at its house. It was not there.".to_owned()] {
        let own = of_text(&body);
        for notice in ["© 2024 Acme", "Copyright © 2024 Acme", "2024 Acme ©", "©Acme"] {
            assert_eq!(of_text(&format!("{body}\n\n{notice}\nAcme\n")), own, "{notice}");
        }
    }
    let text = |before: &str, behind: &str| of_text(&format!("{before}\n© 2024 Acme\n{behind}"));
    assert_eq!(text(&[LONG; 4].join("\n"), made), of_text(&[LONG; 4].join("\n")));
    // Much stands behind it, or nothing before: a licence begins with a notice.
    assert!(text(LONG, LONG).len() > of_text(LONG).len());
    assert_eq!(of_text(&format!("© 2024 Acme {LONG}")), of_text(&format!("2024 Acme {LONG}")));
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
    let html = format!("\u{200e}<h1>A f\u{2060}ox</h1><img src=a.png><a href=x>on\u{200b}e</a><p>{marked}</p>");
    let content = page_content(&Page::html(&html));
    assert_eq!(joined(content.terms()), format!("a fox one {TERMS}"));
    assert_eq!(headings(&content), [(1, "a fox".into())]);
    assert_eq!(of_text(&LONG.replace("quick", "qu\u{200b}ick")), TERMS);
}

#[test]
fn the_text_of_the_content_has_its_terms() {
    let page = format!("<nav>no</nav><h1>A Fox:</h1><p>{LONG}</p><p>THE  end, 1,2024</p>");
    let text = content_text(&Page::html(&page));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[2]), (3, "a fox:", "the end"), "{text:?}");
    assert!(lines[1].starts_with("in 0 the quick"));
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

/// Boilerplate as sites put it around their pages.
const FRAMES: &[(&str, bool)] = &[
    ("<nav><ul><li><a href=/>Home</a><li><a href=/p>All our products</a></ul></nav>", true),
    ("<div class=top-menu><ul><li><a href=/>Home</a><li>Products that we sell to people like you.</ul></div>", true),
    ("<ul><li><a href=/>Home</a><li><a href=/p>Products overview</a><li><a href=/s>Support</a></ul>", true),
    ("<header><a href=/><h1>The Shop</h1></a><p>Everything for your garden and your house.</p></header>", true),
    (
        "<div class='cookie-banner'><p>We use cookies to improve your visit of this site.</p><button>Ok</button></div>",
        true,
    ),
    (
        "<div role=dialog><h2>Your privacy</h2><p>We use cookies to improve your experience on this site.</p></div>",
        false,
    ),
    ("<footer><p>Copyright 2024 Acme Incorporated. All rights reserved.</p><a href=/i>Imprint</a></footer>", false),
    ("<div id=footer><p>Copyright 2024 Acme Incorporated. All rights reserved.</p></div>", false),
    (
        "<aside><h3>Related stories</h3><p>Potatoes are versatile and cheap, and everybody likes them.</p></aside>",
        false,
    ),
    (
        "<section class=related-posts><article><h4>Food</h4><p>Potatoes are cheap and good.</p></article></section>",
        false,
    ),
    (
        "<h3>More</h3><ul><li><a href=/1>Cook a potato</a><li><a href=/2>The moon</a><li><a href=/3>Books</a></ul>",
        false,
    ),
    ("<div id=comments><h3>2 comments</h3><p>Thank you for this, it has helped me a lot at home.</p></div>", false),
];

proptest! {
    /// Navigation, footers, dialogues, teasers and comments around a page change nothing of its content.
    #[test]
    fn what_is_put_around_a_page_is_no_content(
        texts in prop::collection::vec(("[a-e]{1,6}( [a-e]{1,6}){9,30}", 0usize..4), 3..12),
        frames in prop::collection::vec(prop::sample::select(FRAMES), 1..6),
        region in 0usize..4,
    ) {
        let mut page = String::from("<h1>the title of it</h1>");
        for (text, tag) in &texts {
            let tag = ["p", "div", "li", "td"][*tag];
            page += &format!("<{tag}>{text} <a href=x>link</a></{tag}>");
        }
        let regions = [("", ""), ("<main>", "</main>"), ("<article>", "</article>"), ("<div id=content>", "</div>")];
        let (open, close) = regions[region];
        let page = format!("{open}{page}{close}");
        let own = of_html(&page);
        let before: String = frames.iter().filter(|(_, is_before)| *is_before).map(|&(frame, _)| frame).collect();
        let behind: String = frames.iter().filter(|(_, is_before)| !is_before).map(|&(frame, _)| frame).collect();
        prop_assert_eq!(of_html(&format!("<body>{before}{page}{behind}</body>")), own);
    }

    /// A text of paragraphs is the same with its markup and without.
    #[test]
    fn markup_and_its_text_have_the_same_terms(
        texts in prop::collection::vec("[a-e]{1,6}( [a-e]{1,6}){14,30}[.]", 2..9), short in "[a-e]{1,6}",
    ) {
        let html: String = texts.iter().map(|text| format!("<p>{text}</p><pre>{short}</pre>")).collect();
        let html = html.strip_suffix(&format!("<pre>{short}</pre>")).unwrap_or_default();
        let text: String = texts.join(&format!("\n\n{short}\n\n"));
        prop_assert_eq!(of_html(&format!("<h1>{short}</h1>{html}")), of_text(&format!("{short}\n{text}")));
    }

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
            prop_assert!(amount <= found.tokens().len() && (found.units() == 0) == (amount == 0));
            let is_sound = |heading: Heading<'_>| (1..=3).contains(&heading.rank) && !heading.indexes.is_empty();
            prop_assert!(found.headings().all(is_sound));
            let ends = found.blocks().iter().flat_map(|block| [block.indexes.start, block.indexes.end]);
            prop_assert!(ends.is_sorted());
            // Only where there is markup for scripts may the terms differ from those a visitor sees.
            let marks = [&b"<template"[..], b"text/html"];
            let has_templates = marks.iter().any(|mark| memchr::memmem::find(&body, mark).is_some());
            prop_assert!(has_templates || found.tokens() == &tokens(&page));
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
