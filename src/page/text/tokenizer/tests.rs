use icu_normalizer::DecomposingNormalizer;
use proptest::prelude::*;

use super::*;
use crate::text::visible::visible_text;

fn terms(page: &Page<'_>) -> Vec<String> {
    tokens(page).terms().map(str::to_owned).collect()
}

#[track_caller]
fn assert_terms(text: &str, expected: &str) {
    assert_eq!(terms(&Page::text(text)).join(" "), expected, "{text:?}");
}

#[test]
fn maximal_alphanumeric_sequences_are_terms_and_keep_their_case() {
    assert_terms("The quick-brown fox's 2nd (jump)...", "The quick brown fox s 2nd jump");
    assert_terms("", "");
    assert_terms(" \0\u{1f600} --- ", "");
    assert_terms("Straße naïve Élan Ünï", "Straße naïve Élan Ünï");
    assert_terms("Привет, мир! Γειά σου", "Привет мир Γειά σου");
    assert_terms("a_b a\u{a0}b a\u{2014}b", "a b a b a b");
    assert_terms("한국어 문장", "한국어 문장");
    assert_terms("½ x² Ⅳ", "½ x² Ⅳ");
}

#[test]
fn marks_and_joiners_stay_with_their_letter() {
    assert_terms("cafe\u{301} au lait q\u{301}", "café au lait q\u{301}");
    assert_terms("हिन्दी में", "हिन्दी में");
    assert_terms("می\u{200c}خواهم\u{200c} x", "می\u{200c}خواهم x");
    assert_terms("\u{301}a", "a");
    assert_terms("Donau\u{ad}dampf wor\u{200b}d \u{202b}שלום\u{202c} ©\u{fe0f} 葛\u{e0100}", "Donaudampf word שלום 葛");
}

#[test]
fn what_looks_the_same_has_the_same_terms() {
    for text in [
        "강가의 낡은 물레방아가 천천히 돌고",
        "Việt Nam có nhiều đường phố ở ngoài",
        "ছোটো নৌকো কোথায় গেলো",
        "Les élèves ont été à l’école où naïve",
        "Ещё йод, її Ґанок",
        "ガラスのピアノ",
    ] {
        let expected = tokens(&Page::text(text));
        let apart = DecomposingNormalizer::new_nfd().normalize(text).into_owned();
        assert_eq!(tokens(&Page::text(&apart)).hashes(), expected.hashes(), "{text}");
        let references: String = apart.chars().map(|c| format!("&#{};", c as u32)).collect();
        for html in [apart, references] {
            assert_eq!(tokens(&Page::html(&format!("<p>{html}</p>"))).hashes(), expected.hashes(), "{text}");
        }
    }
    assert_terms("\u{212b}ngstrom \u{2126}", "Ångstrom Ω");
    assert_terms("फ\u{95e}", "फफ\u{93c}");
}

#[test]
fn overstrike_is_undone_in_plain_text() {
    assert_terms("N\u{8}NA\u{8}AM\u{8}ME\u{8}E\n rm, _\u{8}f_\u{8}i_\u{8}l_\u{8}e", "NAME rm file");
}

#[test]
fn scripts_without_a_dictionary_are_cut_into_pieces() {
    for text in ["ꦲꦏ꧀ꦱꦫꦗꦮꦲꦏ꧀ꦱꦫꦗꦮ꧉ꦲꦤ", "ᬅᬓ᭄ᬱᬭᬩᬮᬶᬅᬓ᭄ᬱᬭ", "ᥖᥭᥰᥖᥬᥲᥑᥨᥒᥰ", "ꆈꌠꁱꂷꆈꌠꁱꉙ", "ꕙꔤꕙꔤꖕꕌꕙ"]
    {
        let found = terms(&Page::text(text));
        assert!(found.len() >= 3 && found.iter().all(|term| term.chars().count() <= 8), "{found:?}");
        assert_eq!(found.concat(), text.replace('꧉', ""));
        assert_eq!(terms(&Page::text(&format!("{text}x")))[..found.len() - 1], found[..found.len() - 1]);
    }
}

#[test]
fn scripts_without_spaces_are_cut_into_words() {
    assert_terms("我爱北京天安门。你好", "我 爱 北京 天安门 你好");
    assert_terms("今日は良い天気です。", "今日 は 良い 天気 です");
    assert_terms("สวัสดีชาวโลก", "สวัสดี ชาว โลก");
    assert_terms("iPhone手机2024年", "iPhone 手机 2024 年");
    assert_terms("ຂ້ອຍຮັກເຈົ້າ", "ຂ້ອຍ ຮັກ ເຈົ້າ");
}

#[test]
fn a_sequence_without_end_is_cut_at_a_bound() {
    let long = "漢字".repeat(20_000);
    let found = tokens(&Page::text(&long));
    assert_eq!(found.terms().map(str::len).sum::<usize>(), long.len());
    assert!(found.len() > 10_000);
}

#[test]
fn an_address_breaks_only_at_slashes_and_dots() {
    assert_terms("see http://www.a-b.org/c_d?id=5&x=y#z, or", "see http www a-b org c_d?id=5&x=y#z or");
    assert_terms("(HTTPS://a.org/x-y.html)", "HTTPS a org x-y html");
    assert_terms("www.a-b.org/c-d e-f", "www a-b org c-d e f");
    assert_terms("ftp://a/b:c", "ftp a b:c");
    assert_terms("http://a.org/c-d的", "http a org c-d 的");
    assert_terms("http://a.org/naïve-x", "http a org naïve-x");
    assert_terms("xhttp://a-b http:// www. http:/a-b", "xhttp a b http www http a b");
    assert_terms("http://", "http");
}

#[test]
fn images_are_terms_behind_the_text() {
    let body = "one<img src='pics/a-b.png'>two <img src='http://other.org/x y.png'>three\
                <img src=''><img src='data:,x'>";
    let page = Page { url: Some("http://own.org/page/"), ..Page::html(body) };
    let found = terms(&page);
    assert_eq!(found[..5], ["one", "a-b.png", "two", "http://other.org/x%20y.png", "three"]);
    assert_eq!(found.len(), 6);
    assert!(found[5].starts_with("data:"));
    let moved = Page { url: Some("http://mirror.net/page/"), ..page };
    assert_eq!(terms(&moved)[1], "a-b.png");
}

#[test]
fn tokens_are_the_hashes_of_the_terms() {
    let found = tokens(&Page::html("<p>The <b>qu</b>ick&nbsp;fox<p>"));
    assert_eq!(found.terms().collect::<Vec<_>>(), ["The", "quick", "fox"]);
    let hashes: Vec<u64> = found.terms().map(|term| xxh3_64(term.as_bytes())).collect();
    assert_eq!(found.hashes(), hashes);
    assert_eq!((found.len(), found.is_empty()), (3, false));
    assert_eq!(xxh3_64(b""), 0x2d06_8005_38d3_94c2, "the hash is XXH3 as published");
}

#[test]
fn a_tokenizer_forgets_the_page_before() {
    let tokenizer = Tokenizer::new();
    let mut found = tokenizer.tokens(&Page::html("a<img src=b.png>c"));
    tokenizer.tokens_into(&Page::text("d e"), &mut found);
    assert_eq!(found, tokens(&Page::text("d e")));
}

#[test]
fn visible_text_has_a_line_per_block() {
    let page = Page::html("<h1>A  b</h1><p>c\nd&shy;e<script>x</script>");
    assert_eq!(visible_text(&page), "A b\nc de");
    assert_eq!(visible_text(&Page::text("a  b\n")), "a  b\n");
}

/// The definition, character by character.
fn plain(text: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    for c in text.chars() {
        if c.is_alphanumeric() {
            if let Some(last) = terms.last_mut() {
                last.push(c);
            }
        } else {
            terms.push(String::new());
        }
    }
    terms.retain(|term| !term.is_empty());
    terms
}

proptest! {
    #[test]
    fn the_splitter_agrees_with_the_plain_rule_on_spaced_scripts(
        text in "([a-zA-Z0-9 ,;éßÖЖя\u{3b1}\u{a0}\u{2019}]|한){0,60}"
    ) {
        prop_assert_eq!(terms(&Page::text(&text)), plain(&text));
    }

    #[test]
    fn no_bytes_make_the_tokenizer_fail(
        body in prop::collection::vec(any::<u8>(), 0..300),
        html in any::<bool>(),
    ) {
        let kind = if html { PageKind::Html } else { PageKind::Text };
        let page = Page { kind, charset: None, url: Some("http://a.org/"), body: &body };
        tokens(&page);
        visible_text(&page);
    }

    #[test]
    fn no_text_makes_the_tokenizer_fail(text in "\\PC{0,100}") {
        let found = tokens(&Page::text(&text));
        prop_assert!(found.terms().all(|term| !term.is_empty()));
        prop_assert_eq!(found.terms().len(), found.len());
    }

    #[test]
    fn addresses_in_odd_text_do_not_make_it_fail(text in "(http://|www\\.|[a/.中é?:\u{301}\u{200c} ]){0,40}") {
        tokens(&Page::text(&text));
    }
}
