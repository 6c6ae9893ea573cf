use proptest::prelude::*;

use super::*;
use crate::text::{Page, PageKind, folded_text};

fn rules() -> SignatureRules {
    SignatureRules::default()
}

/// A text of sentences that are all different.
fn text(seed: u64, sentences: usize) -> String {
    (0..sentences).map(|n| format!("sentence {n} of the text {seed} is long enough.\n")).collect()
}

#[test]
fn a_text_of_one_sentence_is_signed_by_its_rotations() {
    let sentence = "The quick brown fox jumps over the lazy dog";
    let found = signatures(sentence, &rules());
    assert_eq!(found.len(), 16);
    // MD5 as published.
    let md5 = 0x9e10_7d9d_372b_b682_6bd8_1d35_42a4_19d6_u128;
    for (signature, rotation) in found.iter().zip(0..) {
        let turned = md5.rotate_left(8 * rotation);
        assert_eq!(signature.value, turned);
        assert_eq!(u128::from(signature.group), u128::from(7 * rotation) + turned % 7);
    }
    assert_eq!(found[1].value >> 120, 0x10, "rotation 1 begins with byte 1");
}

#[test]
fn long_texts_have_112_and_texts_without_sentences_none() {
    assert_eq!(signatures(&text(1, 150), &rules()).len(), 112);
    for text in ["", "short", "\n\n", ".....", "sixteen units ok"] {
        assert_eq!(signatures(text, &rules()), [], "{text:?}");
    }
    assert_eq!(signatures(&text(1, 150), &SignatureRules { groups: 0, ..rules() }), []);
    assert_eq!(signatures(&text(1, 150), &SignatureRules { smallest: 0, ..rules() }), []);
    let fewer = signatures(&text(1, 150), &SignatureRules { rotations: 2, ..rules() });
    assert_eq!(fewer, signatures(&text(1, 150), &rules())[..14]);
}

#[test]
fn documents_that_share_most_sentences_share_a_signature() {
    let a = text(1, 100);
    let b = a.replace("sentence 50 of", "sentence fifty of");
    let values = |text: &str| signatures(text, &rules()).into_iter().collect::<std::collections::BTreeSet<_>>();
    let shared = values(&a).intersection(&values(&b)).count();
    assert!((90..112).contains(&shared), "{shared} of 112");
    assert_eq!(values(&a).intersection(&values(&text(2, 100))).count(), 0);
}

#[test]
fn weights_are_one_and_the_natural_logarithm() {
    assert_eq!(weight(0), 1 << 32);
    assert_eq!(weight(1), 1 << 32);
    for len in (1..20_000).chain([1 << 40, usize::MAX]) {
        let expected = (1.0 + (len as f64).ln()) * 2f64.powi(32);
        // One unit of the product and one of the logarithm are truncated; ln 2 is rounded.
        assert!((weight(len) as f64 - expected).abs() < 4.0 + expected * 1e-9, "{len}");
    }
    // Pinned: these weights decide stored signatures.
    assert_eq!([weight(17), weight(100), weight(10_240)], PINNED);
}

/// With 60 decimal digits 16463525951.3, 24074022637.3 and 43954939684.9.
const PINNED: [i64; 3] = [16_463_525_951, 24_074_022_638, 43_954_939_687];

#[test]
fn equal_weights_that_cancel_give_zero() {
    let print = |value| Print { value, weight: weight(20), at: 0 };
    assert_eq!(combine(&[print(0b1100), print(0b1010)]), 0b1000);
    assert_eq!(signs(&[print(0b1100), print(0b1010)]), 0b1000);
    let heavy = Print { weight: weight(21), ..print(0b1100) };
    assert_eq!(combine(&[heavy, print(0b1010)]), 0b1100);
}

#[test]
fn chosen_sentences_keep_their_distance() {
    let text = text(3, 150);
    let near = signatures(&text, &SignatureRules { min_gap: 1, ..rules() });
    assert_eq!(near, signatures(&text, &rules()), "no two sentences begin at one index");
    let far = SignatureRules { min_gap: 1_000_000, smallest: 4, ..rules() };
    let one = SignatureRules { smallest: 1, ..rules() };
    assert_eq!(signatures(&text, &far), signatures(&text, &one), "only the smallest remains");
    assert_eq!(signatures(&text, &SignatureRules { min_in_group: 2, ..far }), []);
}

proptest! {
    #[test]
    fn the_fast_signatures_are_the_plain_ones(
        text in "([a-c]{14,24}[.]|[中文字句]{8,12}。){0,60}",
        groups in 1u32..12,
        rotations in 0u32..18,
        smallest in 0usize..9,
        min_in_group in 0usize..4,
        min_gap in prop_oneof![Just(0usize), 0usize..200],
    ) {
        let rules = SignatureRules { groups, rotations, smallest, min_in_group, min_gap };
        prop_assert_eq!(signatures(&text, &rules), plain(&text, &rules));
        prop_assert_eq!(signatures(&text, &SignatureRules::default()), plain(&text, &SignatureRules::default()));
    }

    #[test]
    fn remainders_are_those_of_division(value in any::<u128>(), groups in prop_oneof![Just(7u32), 1u32..]) {
        prop_assert_eq!(remainder(value, groups) as u128, value % u128::from(groups));
    }

    #[test]
    fn no_bytes_make_the_signatures_fail(body in prop::collection::vec(any::<u8>(), 0..2000), html in any::<bool>()) {
        let kind = if html { PageKind::Html } else { PageKind::Text };
        let text = folded_text(&Page { kind, charset: None, url: None, body: &body });
        prop_assert!(signatures(&text, &rules()).len() <= 112);
    }
}
