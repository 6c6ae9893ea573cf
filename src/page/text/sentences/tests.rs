use proptest::prelude::*;

use super::*;
use crate::text::visible::folded_text;
use crate::text::{Page, PageKind};

fn of(text: &str) -> Vec<&str> {
    sentences(text).map(|sentence| sentence.text).collect()
}

#[test]
fn lengths_are_those_of_the_paper() {
    assert_eq!(units(""), 0);
    assert_eq!(units("abc"), 3);
    assert_eq!(units("é中\u{1f600}a"), 7);
    assert_eq!(first_units("ab中c", 3), "ab");
    assert_eq!(first_units("ab中c", 4), "ab中");
    assert_eq!(first_units("ab中c", 9), "ab中c");
    assert_eq!(first_units("中", 0), "");
}

#[test]
fn blocks_split_at_punctuation_and_only_long_parts_count() {
    let text = "The quick brown fox jumps, as it does every day; does it not?\nShort.\nIn the third place: nothing";
    assert_eq!(of(text), ["The quick brown fox jumps", "as it does every day", "In the third place"]);
    assert_eq!(of("exactly sixteen!"), [""; 0]);
    assert_eq!(of("just seventeen un"), ["just seventeen un"]);
    assert_eq!(of("\u{4e00}".repeat(8).as_str()), [""; 0]);
    assert_eq!(of("\u{4e00}".repeat(9).as_str()), ["\u{4e00}".repeat(9)]);
}

#[test]
fn marks_of_other_scripts_split_too() {
    let text = "北京大学是中华人民共和国的一所综合性大学,位于北京市海淀区中关村。学校创办于1898年!";
    assert_eq!(of(text), ["北京大学是中华人民共和国的一所综合性大学", "位于北京市海淀区中关村"]);
    let full = "北京大学是中华人民共和国的一所综合性大学,位于北京市海淀区中关村、学校创办于十九世纪末";
    assert_eq!(of(full).len(), 3);
    assert_eq!(of("هذه جملة طويلة بما فيه الكفاية، وهذه جملة أخرى طويلة أيضا؟").len(), 2);
    assert_eq!(of("यह एक बहुत लंबा वाक्य है जो गिना जाता है। यह भी एक लंबा वाक्य है").len(), 2);
}

#[test]
fn numbers_times_and_addresses_stay_whole() {
    let text = "It cost 3,141.59 at 10:30 on www.example.org/a.html... \"It's well-known\" (he said), aloud";
    assert_eq!(of(text), ["It cost 3,141.59 at 10:30 on www.example.org/a.html", "\"It's well-known\" (he said)"]);
}

#[test]
fn formatting_does_not_end_a_sentence_and_other_elements_do() {
    let page =
        Page::html("<p>A sentence with <b>bold</b> and <a href=x>linked</a> words<p>and then another one<br>tiny");
    let text = folded_text(&page);
    assert_eq!(of(&text), ["A sentence with bold and linked words", "and then another one"]);
}

#[test]
fn only_the_first_10_kb_count_and_no_character_is_split() {
    let text = "x".repeat(DOCUMENT_UNITS - 1) + "中";
    assert_eq!(of(&text), ["x".repeat(DOCUMENT_UNITS - 1)]);
    let line = "twenty units long ok\n";
    let found = sentences(&line.repeat(10_000)).count();
    assert_eq!(found, DOCUMENT_UNITS.div_ceil(line.len()) - usize::from(DOCUMENT_UNITS % line.len() <= SENTENCE_UNITS));
}

/// The definition, character by character.
fn plain(text: &str) -> Vec<String> {
    let (mut taken, mut left) = (Vec::new(), DOCUMENT_UNITS);
    for c in text.chars() {
        let size = if c.is_ascii() { 1 } else { 2 };
        if size > left {
            break;
        }
        left -= size;
        taken.push(c);
    }
    let mut parts = vec![String::new()];
    for (i, &c) in taken.iter().enumerate() {
        let beside = |at: Option<usize>| at.and_then(|at| taken.get(at)).is_some_and(char::is_ascii_alphanumeric);
        let inside = matches!(c, '.' | ',' | ':') && beside(i.checked_sub(1)) && beside(Some(i + 1));
        if !inside && (matches!(c, '\n' | '.' | ',' | ':' | ';' | '!' | '?') || !c.is_ascii() && ends_clause(c)) {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    let size = |part: &str| part.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>();
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| size(part) > SENTENCE_UNITS).collect()
}

#[test]
fn no_mark_begins_with_a_byte_that_is_passed_over() {
    let mut buffer = [0; 4];
    for c in ('\u{80}'..=char::MAX).filter(|&c| ends_clause(c)) {
        assert!(MAY_END[usize::from(c.encode_utf8(&mut buffer).as_bytes()[0])], "{c:?}");
    }
}

proptest! {
    #[test]
    fn the_first_units_are_those_of_a_plain_count(text in "[a-zéж中文😀]{0,60}", limit in 0usize..100) {
        let mut left = limit;
        let end = text.char_indices().find(|(_, c)| {
            let size = if c.is_ascii() { 1 } else { 2 };
            let fits = size <= left;
            left = left.saturating_sub(size);
            !fits
        });
        prop_assert_eq!(first_units(&text, limit), &text[..end.map_or(text.len(), |(at, _)| at)]);
    }

    #[test]
    fn sentences_are_those_of_the_definition(
        text in "([a-z0-9 ]{0,30}|[.,:;!?\\n]|[一-三。,、؟।…]|\u{a0}){0,40}",
        repeats in 1usize..60,
    ) {
        let text = text.repeat(repeats);
        let found: Vec<Sentence<'_>> = sentences(&text).collect();
        prop_assert_eq!(found.iter().map(|one| one.text.to_owned()).collect::<Vec<_>>(), plain(&text));
        for sentence in found {
            prop_assert_eq!(&text[sentence.at..sentence.at + sentence.text.len()], sentence.text);
            prop_assert_eq!(sentence.units, units(sentence.text));
        }
    }

    #[test]
    fn no_bytes_make_the_sentences_fail(body in prop::collection::vec(any::<u8>(), 0..400), html in any::<bool>()) {
        let kind = if html { PageKind::Html } else { PageKind::Text };
        let text = folded_text(&Page { kind, charset: None, url: None, body: &body });
        for sentence in sentences(&text) {
            prop_assert!(sentence.units > SENTENCE_UNITS && !sentence.text.contains('\n'));
        }
    }
}
