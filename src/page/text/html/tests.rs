use std::cell::RefCell;
use std::rc::Rc;

use lol_html::{RewriteStrSettings, doc_text, element as on, end_tag, rewrite_str};
use proptest::prelude::*;

use super::*;
use crate::text::entities::decode_into;

fn lines(html: &str) -> String {
    scan(html, Layout::Lines).text
}

#[test]
fn block_tags_are_white_space_and_formatting_is_nothing() {
    assert_eq!(lines("<p>One<p>two<br>three</p>"), "One\ntwo\nthree");
    assert_eq!(lines("<td>a</td><td>b</td>"), "a\nb");
    assert_eq!(lines("an <b>un</b>like<I>ly</I> w<span class='x'>or</span>d"), "an unlikely word");
    assert_eq!(lines("H<sub>2</sub>O, long<wbr>word, <a href=x>li</a>nk"), "H2O, longword, link");
    assert_eq!(lines("one<custom-tag>two</custom-tag>"), "one\ntwo");
    assert_eq!(lines("  a \n b\t\u{a0} c<div>  d  </div>\n\n e "), "a b c\nd\ne");
}

#[test]
fn comments_and_declarations_do_not_split_a_word() {
    assert_eq!(lines("<!DOCTYPE html>a<!-- x > y -->b<?php echo '1' ?>c"), "abc");
    assert_eq!(lines("a<!-->b<!--->c<!---->d<!-- --!>e<!--<p>-->f"), "abcdef");
    assert_eq!(lines("a</>b</ p>c<![CDATA[d]]>e"), "abce");
    assert_eq!(lines("a<!-- never closed"), "a");
    assert_eq!(lines("a<!--!>b-->c"), "ac");
}

#[test]
fn dropped_elements_leave_white_space() {
    assert_eq!(lines("a<script>var b = '<p>c</p>';</script>d"), "a\nd");
    assert_eq!(lines("a<STYLE type=x>p > b {}</sTyLe >d"), "a\nd");
    assert_eq!(lines("a<noscript><img src=x>b</noscript>d"), "a\nd");
    assert_eq!(lines("a<script>b</scripty></script d"), "a");
    assert_eq!(lines("a<template>b<template>c</template>d</template>e"), "a\ne");
    assert_eq!(lines("</template>a<iframe src=x>b</iframe>c"), "a\nc");
}

#[test]
fn declared_shadow_roots_are_shown_and_other_templates_are_not() {
    assert_eq!(lines("<x-a><template shadowrootmode=open><p>a</p></template></x-a>b"), "a\nb");
    assert_eq!(lines("<x-a><TEMPLATE ShadowRootMode='CLOSED' shadowrootdelegatesfocus>a</TEMPLATE>b"), "a\nb");
    assert_eq!(lines("<template shadowrootmode=open>a<template>b</template>c</template>d"), "a\nc\nd");
    assert_eq!(lines("<template>a<template shadowrootmode=open>b</template>c</template>d"), "d");
    let nested = "<template shadowrootmode=open>a<x-b><template shadowrootmode=open>b</template>c</x-b></template>d";
    assert_eq!(lines(nested), "a\nb\nc\nd");
    for other in ["", "shadowrootmode", "shadowrootmode=none", "shadowroot=open", "shadowrootmode='open '"] {
        assert_eq!(lines(&format!("<template {other}>a</template>b")), "b", "{other}");
    }
}

#[test]
fn unseen_text_is_read_with_containers() {
    let read = |html: &str| {
        let scan = scan_with_containers(html, Layout::Lines);
        let mut start = 0;
        let mut lines = String::new();
        for part in &scan.parts {
            let text = scan.text[std::mem::replace(&mut start, part.end)..part.end].trim();
            let mut at = part.place.container as usize;
            let mut is_unseen = false;
            while at > 0 {
                is_unseen |= scan.containers[at].is_unseen;
                at = scan.containers[at].parent as usize;
            }
            lines += &format!("{}{text}|", if is_unseen { "~" } else { "" });
        }
        lines
    };
    assert_eq!(read("<p>a<noscript><p>b</p></div><i>c</i></noscript>d"), "a|~b|~c|d|");
    assert_eq!(read("<p>a<template>b<template>c</template>d</template>e"), "a|~b|~c|~d|e|");
    assert_eq!(read("<x-a><template shadowrootmode=open>a</template></x-a>b"), "a|b|");
    assert_eq!(read("a<script type='text/x-handlebars-template'><p>b</p><!-- </script>c"), "a|~b|c|");
    assert_eq!(read("a<iframe srcdoc='&lt;title>no&lt;/title>&lt;p>b &amp;amp; c'>no</iframe>d"), "a|b & c|d|");
    assert_eq!(read("a <script type='math/tex; mode=display'>x^2 < 3</script> b"), "a x^2 < 3 b|");
    assert_eq!(
        read("a<script type='application/json'>{\"b\": \"cc dd ee\", \"f\": \"<p>gggg hhhh</p>\"}</script>"),
        "a|~cc dd ee|~gggg hhhh|"
    );
    assert_eq!(read("a<script>window.__A__ = {b: 'cc dd ee'}</script><script>f('cc dd ee')</script>"), "a|~cc dd ee|");
    let image = |attributes: &str| read(&format!("a<img {attributes}>"));
    assert_eq!(image("src=a.png alt='x^2 = 3' class=tex"), "a|x^2 = 3|");
    assert_eq!(image("src=a.png alt='{\\displaystyle x &lt; 3}'"), "a|{\\displaystyle x < 3}|");
    assert_eq!(image("src='https://a.example/latex?x' alt=x"), "a|x|");
    assert_eq!(image("src=a.png alt='A red fox'"), "a|");
    assert_eq!(image("src=a.png alt='a = b + sin c'"), "a|a = b + sin c|");
    assert_eq!(image("src=a.png alt='' title='x^2' class=tex data-id=3"), "a|x^2|");
    assert_eq!(image("src=a.png data-latex='x < 3'"), "a|x < 3|");
    assert_eq!(image("src='https://latex.example/svg?x%5E2'"), "a|x%5E2|");
    assert_eq!(image("src='https://math.example/a.png?v=2'"), "a|");
    // Formulas without a text: in attributes and in the structure of MathML.
    assert_eq!(read("a <span class=m data-expr='x &lt; 3'></span> b"), "a|x < 3|b|");
    assert_eq!(read("a<div data-mathml='&lt;math>&lt;mi>x&lt;/mi>&lt;/math>'></div>b"), "a|x|b|");
    assert_eq!(read("<math><m:msup><mi>x</mi><mn>2</mn></m:msup><mrow><mi>y</mi></mrow></math>"), "msup|x|2|y|");
    assert_eq!(
        read("<svg aria-label='x^2'><title>y^2</title></svg><svg aria-label=Menu><title>Menu</title></svg>"),
        "x^2|y^2|"
    );
    // Letters of variables, glyphs of MathJax, and drawings in addresses.
    let variable = "<math><mi mathvariant=bold>x</mi><mi mathvariant='normal'>d</mi></math>";
    assert_eq!(read(variable), "bold|x|d|");
    assert_eq!(read("<svg><path data-c='1D465' d='M5 4'/><path data-c=menu></svg>"), "1D465|");
    assert_eq!(read("<mjx-c class='mjx-c1D465 TEX-I'></mjx-c><p class='mjx-cell'>a"), "mjx-c1D465 TEX-I|a|");
    let drawing = "<svg><title>Menu</title><text>x &lt; 3</text></svg>";
    assert_eq!(image(&format!("src=\"data:image/svg+xml;utf8,{drawing}\"")), "a|x < 3|");
    assert_eq!(image("src='data:image/svg+xml,%3Csvg%3E%3Ctext%3Ex%3C/text%3E%3C/svg%3E'"), "a|x|");
    assert_eq!(image("src='data:image/svg+xml;base64,PHN2Zz48dGV4dD54PC90ZXh0Pjwvc3ZnPg=='"), "a|x|");
    assert_eq!(image("src='data:image/svg+xml;base64,%%%'"), "a|");
    assert_eq!(image("src='data:image/svg+xml,%3Csvg%3E%3Cpath%20d=%22M5%22/%3E%3C/svg%3E'"), "a|");
    // Documents in addresses and characters of drawings are shown; a fallback is not.
    assert_eq!(read("a<iframe src='data:text/html;charset=utf-8,%3Cp%3Eb%3C/p%3E'></iframe>c"), "a|c|b|");
    assert_eq!(read("a<embed src='data:text/html;base64,PHA+YjwvcD4='>c"), "a|c|b|");
    assert_eq!(read("<object data='data:text/plain,1 < 2'></object><a href='data:text/plain,no'>a</a>"), "a|1 < 2|");
    assert_eq!(read("a<iframe src=/x>b</iframe>c"), "a|~b|c|");
    assert_eq!(read("<svg><text><![CDATA[x < 3]]></text></svg>"), "x < 3|");
    // Descriptions, texts and programs.
    let described = "<meta name=description content='b c'><meta content=d property='og:title'><meta name=a content=e>";
    assert_eq!(read(&format!("{described}<p>a")), "~b c|~d|a|");
    assert_eq!(read("a<script type=text/markdown>b c</script><script type=text/plain>f(b);</script>"), "a|~b c|");
    let long = "The red fox jumps over the lazy dog, and then it sleeps all day.";
    assert_eq!(read(&format!("a<script>f('b c d e', '{long}')</script>")), format!("a|~{long}|"));
    assert_eq!(read(&format!("a<div data-text='{long} {long}'>")), format!("a|~{long} {long}|"));
    let state = "{&q;b&q;:&q;c d e f&q;}";
    assert_eq!(read(&format!("a<script type=application/json>{state}</script>")), "a|~c d e f|");
    // A frame has the short values of its data, other pages have not.
    let values = "<script type=application/json>[{\"a\": \"fox\", \"b\": 12.5}]</script>";
    assert_eq!(read(&format!("a{values}")), "a|~fox|~12.5|");
    assert_eq!(read(&format!("{}{values}", "a ".repeat(1200) + "a")).matches("fox").count(), 0);
    // Formulas: powers, labels, operators, and files of images that a class calls formulas.
    let raised = "x<sup>2</sup> so.<sup>1</sup> 3<sup>rd</sup> H<sub>2</sub>O (a)<sup><i>n</i></sup> fox<sup>2</sup>";
    assert_eq!(read(raised), "x^2 so.1 3rd H2O (a)^n fox2|");
    assert_eq!(read("<span title='x = 3'></span><span role=math aria-label='x over 3'></span>"), "x = 3|x over 3|");
    assert_eq!(read("<math alttext='x over 3'><apply><plus/><ci>x</ci></apply></math>"), "x over 3|plus|x|");
    assert_eq!(read("<x-tex expr='x + 3'></x-tex><a title='Red fox' value=3>a</a>"), "x + 3|a|");
    assert_eq!(image("src=/f/3a.png class=tex alt=''"), "a|3a.png|");
    assert_eq!(image("src=a.png alt='√5'") + &image("src=a.png alt='A+'"), "a|√5|a|");
    assert_eq!(image("data-src='https://latex.example/svg?x%5E2'"), "a|https://latex.example/svg?x%5E2|");
    // Words that are divided at the ends of lines.
    assert_eq!(read("for-<br>est and <p>forest for-</p><p>est now"), "forest|and|forest forest|now|");
    // A document within the document closes nothing around it.
    assert_eq!(read("<div>a<noscript></div></noscript>b</div>c"), "a|b|c|");
}

#[test]
fn of_ruby_the_letters_remain() {
    let bracketed = "<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rp>(</rp><rt>きょう</rt><rp>)</rp></ruby>に行く";
    assert_eq!(lines(bracketed), "東京に行く");
    assert_eq!(lines("a<ruby>漢<rt>かん<rb>字<rt>じ</ruby>b"), "a漢字b");
    let columns = "<ruby><rb>旧<rb>金<rtc><rt>jiù<rt>jīn</rtc><rtc>San Francisco</rtc></ruby>山";
    assert_eq!(lines(columns), "旧金山");
    assert_eq!(lines("<RUBY>中<RT>ㄓㄨㄥ</RT></RUBY><ruby>文<rt><b>wén</b></rt></ruby>"), "中文");
    assert_eq!(lines("<p><ruby>漢<rt>かん<p>never closed"), "漢\nnever closed");
    assert_eq!(lines("<rt>no</rt> <rp>ruby</rp>"), "no ruby");
}

#[test]
fn characters_are_composed_across_references_and_tags() {
    assert_eq!(lines("cafe&#769; <b>cafe</b>&#x301;\u{301}"), "café caf\u{e9}\u{301}");
    assert_eq!(lines("<p>&#4370;<i>&#4449;</i>&#4523;<p>\u{301}<"), "한\n\u{301}<");
    let text = "e\u{301}<img src=x>e&#769;";
    let found = scan(text, Layout::Raw);
    assert_eq!((found.text.as_str(), found.images[0].at), ("é\né", 3));
    let parts = scan_with_parts("<p>e\u{301}<a href=x>o\u{308}</a>\u{301}x", Layout::Raw).parts;
    assert_eq!(parts.iter().map(|part| part.end).collect::<Vec<_>>(), [2, 6, 7]);
}

#[test]
fn a_script_may_quote_a_script() {
    assert_eq!(lines("<script><!-- <script>a</script> b --></script>c"), "c");
    assert_eq!(lines("<script><!-- a</script>b"), "b");
    assert_eq!(lines("<script><!-- --><script></script>b"), "b");
    assert_eq!(lines("<script><!--><script></script>b"), "b");
    assert_eq!(lines("<script>never closed<p>b"), "");
}

#[test]
fn the_title_is_all_that_remains_of_the_head() {
    let page = "<html><head><title>A &amp; <b>B</title><meta name=a content=b>\
                <link rel=x><style>c</style></head><body>d</body></html>";
    assert_eq!(lines(page), "A & <b>B\nd");
    assert_eq!(lines("<textarea>1 &lt; 2<p></textarea>3"), "1 < 2<p>\n3");
    assert_eq!(lines("<xmp>1 &lt; <p></xmp>3"), "1 &lt; <p>\n3");
}

#[test]
fn elements_of_drawings_may_close_themselves() {
    assert_eq!(lines("<svg><title/><script/><text>a</text></svg>b"), "a\nb");
    assert_eq!(lines("<svg><title>tip</title><text>a</text></svg>b"), "a\nb");
    assert_eq!(lines("<script/>a</script>b"), "b");
    assert_eq!(lines("<?xml version='1.0'?><script/>a"), "a");
}

#[test]
fn tags_end_where_browsers_end_them() {
    assert_eq!(lines("<p title='a>b'>c"), "c");
    assert_eq!(lines("<p title=a>b'>c"), "b'>c");
    assert_eq!(lines("<p a'b>c'>d"), "c'>d");
    assert_eq!(lines("<p a = \"x>\" / b=>c"), "c");
    assert_eq!(lines("<p =a=b>c<p/>d<p a=b/>e"), "c\nd\ne");
    assert_eq!(lines("a < b <3 <- <"), "a < b <3 <- <");
    assert_eq!(lines("a<p title='never closed>b"), "a");
    assert_eq!(lines("a</"), "a</");
    assert_eq!(lines("a<p"), "a");
}

#[test]
fn images_and_the_first_base_are_found() {
    let found = scan(
        "<base href='/x/'><base href='/y/'>ab<IMG alt=q SRC = 'c.png?a=1&amp;b=2' src=d>e\
         <image src=f><img><template><img src=g></template><noscript><img src=h></noscript>",
        Layout::Raw,
    );
    assert_eq!(found.base.as_deref(), Some("/x/"));
    let images: Vec<_> = found.images.iter().map(|image| (image.at, &image.source[..])).collect();
    assert_eq!(images, [(3, "c.png?a=1&b=2"), (5, "f")]);
    assert_eq!(found.text, "ab\ne\n");
}

#[test]
fn hostile_pages_are_read_in_time() {
    let nested = "<div><b>".repeat(100_000) + "x" + &"</b></div>".repeat(100_000);
    assert_eq!(lines(&nested), "x");
    scan_with_containers(&"a<sup>1</sup>".repeat(100_000), Layout::Raw);
    scan_with_containers(&"a-\n \r".repeat(100_000), Layout::Raw);
    for unit in ["<", "</", "<!--", "<!", "<a ", "<a b='", "<title>", "<script>", "&", "&amp", "\0"] {
        let page = unit.repeat(200_000);
        scan(&page, Layout::Raw);
        scan(&page, Layout::Lines);
        let page = format!("<script><!--{page}</script>{page}");
        scan(&page, Layout::Raw);
    }
    let binary: Vec<u8> = (0..1_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    scan(&String::from_utf8_lossy(&binary), Layout::Lines);
}

/// The words of a page as lol_html parses it, with this module's rules about elements on top.
fn words_by_lol_html(html: &str) -> Vec<String> {
    #[derive(Default)]
    struct State {
        out: String,
        /// Text with its references: lol_html may split a reference over two chunks.
        raw: String,
        dropped: i32,
    }
    impl State {
        fn flush(&mut self) {
            let raw = std::mem::take(&mut self.raw);
            decode_into(&mut self.out, &raw);
        }
    }
    let state = Rc::new(RefCell::new(State::default()));
    let settings = RewriteStrSettings::new()
        .append_element_content_handler(on!("*", |el| {
            let kind = Name::of(el.tag_name().as_bytes()).kind().element;
            if matches!(kind, Element::Inline | Element::Base) {
                return Ok(());
            }
            let drops = i32::from(matches!(kind, Element::Dropped | Element::Template));
            let mut now = state.borrow_mut();
            now.flush();
            now.out.push(' ');
            if let Some(handlers) = el.end_tag_handlers() {
                now.dropped += drops;
                let state = Rc::clone(&state);
                handlers.push(end_tag!(move |_| {
                    let mut now = state.borrow_mut();
                    now.flush();
                    now.out.push(' ');
                    now.dropped -= drops;
                    Ok(())
                }));
            }
            Ok(())
        }))
        .append_document_content_handler(doc_text!(|chunk| {
            let mut now = state.borrow_mut();
            if now.dropped == 0 {
                now.raw.push_str(chunk.as_str());
            }
            Ok(())
        }));
    let rewritten = rewrite_str(html, settings).map_err(|error| error.to_string());
    assert_eq!(rewritten.as_deref(), Ok(html));
    state.borrow_mut().flush();
    state.borrow().out.split_whitespace().map(str::to_owned).collect()
}

/// Well-formed markup.
fn well_formed() -> impl Strategy<Value = String> {
    let text = "([a-zé中]{1,3}|[ \\n.]|&amp;|&lt;|&eacute;|&#65;|&|< |/>|=|'|\"|--|-->){0,6}";
    let leaf = prop_oneof![
        4 => text.prop_map(|text: String| text),
        1 => "<(br|hr|img src='x>y'|input value=\"a'b\"|wbr|br/|meta a=b c)>",
        // `<!-->` is a whole comment.
        1 => "<!--([a-z <&][a-z <>&]{0,7})?-->",
        1 => "<(script|style)( type='<p>')?>[a-z<>&'/ ]{0,8}</(script|style) >"
            .prop_map(|both: String| {
                let name = if both.starts_with("<script") { "script" } else { "style" };
                let open = both.rfind("</").unwrap_or(0);
                format!("{}</{name} >", &both[..open])
            }),
        1 => "<title>[a-z<&;]{0,6}</title>",
        1 => "<textarea rows=2>[a-z<&;]{0,6}</textarea>",
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let name = "(p|div|td|li|h1|B|i|span|a|em|custom-tag|TABLE|template)";
        let attributes = "( [a-z]{1,3}(=([a-z]{1,3}|'[a-z> ]{0,4}'|\"[a-z>' ]{0,4}\"))?){0,2} ?";
        (name, attributes, prop::collection::vec(inner, 0..5))
            .prop_map(|(name, more, inside)| format!("<{name}{more}>{}</{name}>", inside.concat()))
    })
}

proptest! {
    #[test]
    fn well_formed_pages_read_as_lol_html_reads_them(page in well_formed()) {
        let text = lines(&page);
        let words: Vec<&str> = text.split_whitespace().collect();
        prop_assert_eq!(words, words_by_lol_html(&page));
    }

    #[test]
    fn no_page_makes_the_scanner_fail(page in ".{0,200}") {
        scan(&page, Layout::Raw);
        scan(&page, Layout::Lines);
    }

    #[test]
    fn no_mix_of_markup_makes_the_scanner_fail(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "<", ">", "/", "!", "--", "-->", "<!--", "script", "<script", "</script", "title",
                "<title>", "</title>", "<template>", "</template>", "<svg>", "=", "'", "\"", " ", "é",
                "中", "&", "&amp;", "#", ";", "x", "<img src=", "<p>", "\0", "<?xml", "<![CDATA[",
            ]),
            0..40,
        )
    ) {
        let page = parts.concat();
        scan(&page, Layout::Raw);
        scan(&page, Layout::Lines);
    }
}
