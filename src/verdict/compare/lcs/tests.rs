use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn both(a: &str, b: &str, parameters: &Parameters, thresholds: &Thresholds) -> [Likeness; 2] {
    let mut comparer = Comparer::new(*parameters, thresholds);
    let [first, second] = [a, b].map(|text| Prepared::new(text, parameters));
    // Another comparison comes first, so that stale memory would show.
    let other = Prepared::new("Something else, of no importance, and then something else again.", parameters);
    comparer.compare(&other, &first);
    let fast = comparer.compare(&first, &second);
    assert_eq!(comparer.compare(&second, &first), fast, "which is named first makes no difference");
    let verdict = comparer.verdict(&first, &second);
    assert_eq!(verdict.exceeds(thresholds), fast.exceeds(thresholds), "{verdict:?} {fast:?}");
    assert!(verdict.trusted <= fast.trusted && verdict.resemblance <= fast.resemblance);
    [fast, plain::compare(a, b, parameters, thresholds)]
}

fn parameters() -> impl Strategy<Value = Parameters> {
    let denominators = select(vec![Denominator::Lcs, Denominator::Ses, Denominator::Tlcs, Denominator::Dice]);
    let slope = select(vec![0.0, 0.02, 0.1, 0.1, 0.2, 0.5]);
    (prop_oneof![1usize..8, Just(16)], slope, prop_oneof![1usize..10, Just(32)], 1usize..6, 0usize..400, denominators)
        .prop_map(|(window, slope, blocks, rounds, min_text, denominator)| Parameters {
            window,
            slope,
            blocks,
            rounds,
            min_text,
            denominator,
        })
}

fn thresholds() -> impl Strategy<Value = Thresholds> {
    let share = || select(vec![-1.0, 0.0, 0.1, 0.28, 0.7, 0.9, 1.0]);
    (share(), share()).prop_map(|(resemblance, containment)| Thresholds { resemblance, containment })
}

/// Words of Latin and of Chinese letters, with characters of one to four bytes.
const WORDS: [&str; 12] = [
    "the",
    "quick",
    "brown",
    "fox",
    "naïve",
    "近似重复",
    "文档",
    "检测",
    "。",
    "\u{1f98a}",
    "jumps over",
    "a lazy dog,",
];

fn sentence() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::collection::vec(0usize..3, 2..12),
        1 => prop::collection::vec(0usize..WORDS.len(), 2..12),
        1 => prop::collection::vec(5usize..9, 2..12),
    ]
    .prop_map(|words| words.into_iter().map(|word| WORDS[word]).collect::<Vec<_>>().join(" "))
}

#[derive(Clone, Debug)]
enum Edit {
    Character(usize, char),
    Drop(usize, usize),
    Insert(usize, String),
    Move(usize, usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = || 0usize..1_500;
    prop_oneof![
        4 => (index(), select(vec!['a', ' ', 'é', '文'])).prop_map(|(at, c)| Edit::Character(at, c)),
        1 => (index(), 0usize..200).prop_map(|(at, len)| Edit::Drop(at, len)),
        1 => (index(), sentence()).prop_map(|(at, text)| Edit::Insert(at, text)),
        1 => (index(), 0usize..300, index()).prop_map(|(at, len, to)| Edit::Move(at, len, to)),
    ]
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for edit in edits {
        let clamp = |at: usize, text: &[char]| at.min(text.len());
        match edit {
            Edit::Character(at, c) if *at < text.len() => text[*at] = *c,
            Edit::Character(..) => (),
            Edit::Drop(at, len) => drop(text.drain(clamp(*at, &text)..clamp(at + len, &text))),
            Edit::Insert(at, more) => {
                let at = clamp(*at, &text);
                text.splice(at..at, more.chars());
            }
            Edit::Move(at, len, to) => {
                let moved: Vec<char> = text.drain(clamp(*at, &text)..clamp(at + len, &text)).collect();
                let to = clamp(*to, &text);
                text.splice(to..to, moved);
            }
        }
    }
    text.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn small_alphabets_agree_with_the_definition(
        a in "[ab]{0,80}",
        b in "[ab]{0,80}",
        parameters in parameters(),
        thresholds in thresholds(),
    ) {
        let [fast, plain] = both(&a, &b, &parameters, &thresholds);
        prop_assert_eq!(fast, plain);
    }

    #[test]
    fn characters_of_all_widths_agree_with_the_definition(
        a in "[abé文\u{1f98a}]{0,80}",
        b in "[ab文]{0,80}",
        parameters in parameters(),
        thresholds in thresholds(),
    ) {
        let [fast, plain] = both(&a, &b, &parameters, &thresholds);
        prop_assert_eq!(fast, plain);
    }

    #[test]
    fn edited_texts_agree_with_the_definition(
        sentences in prop::collection::vec(sentence(), 0..25),
        edits in prop::collection::vec(edit(), 0..12),
        parameters in parameters(),
        thresholds in thresholds(),
    ) {
        let text = sentences.join(". ");
        let [fast, plain] = both(&text, &edited(&text, &edits), &parameters, &thresholds);
        prop_assert_eq!(fast, plain);
    }

    #[test]
    fn permuted_paragraphs_agree_with_the_definition(
        sentences in prop::collection::vec("[a-f ]{20,90}", 2..9),
        seed in any::<u64>(),
        edits in prop::collection::vec(edit(), 0..4),
        parameters in parameters(),
    ) {
        let mut moved = sentences.clone();
        for last in (1..moved.len()).rev() {
            moved.swap(last, (seed.rotate_left(last as u32 * 7) % (last as u64 + 1)) as usize);
        }
        let (a, b) = (sentences.join("\n"), edited(&moved.join("\n"), &edits));
        let [fast, plain] = both(&a, &b, &parameters, &Thresholds::default());
        prop_assert_eq!(fast, plain);
    }
}

/// Prose without repeated stretches: numbers of SplitMix64 as words.
fn prose(words: usize, mut seed: u64) -> String {
    let mut text = String::new();
    for _ in 0..words {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^= z >> 27;
        for _ in 0..3 + z % 6 {
            text.push(char::from(b'a' + (z % 26) as u8));
            z = z.rotate_right(7).wrapping_mul(0x94d0_49bb_1331_11eb);
        }
        text.push(' ');
    }
    text
}

#[test]
fn equal_texts_are_equal_and_empty_ones_are_not() {
    let (parameters, thresholds) = (Parameters::default(), Thresholds::default());
    for text in ["x", "Too short for a window", &prose(200, 1), "文", &"近似重复文档检测。".repeat(2_000)] {
        let [fast, plain] = both(text, text, &parameters, &thresholds);
        assert_eq!(fast, plain);
        assert_eq!((fast.resemblance, fast.stopped), (1.0, false), "{text:.20}");
    }
    for other in ["", "x", "Some text without anything in common"] {
        let [fast, plain] = both("", other, &parameters, &thresholds);
        assert_eq!(fast, plain);
        assert!(fast.resemblance == 0.0 && !fast.exceeds(&thresholds));
    }
}

/// Only the first 10 KB count. These are half as many characters if each character counts 2 units.
#[test]
fn texts_end_after_ten_kilobytes() {
    let (parameters, thresholds) = (Parameters::default(), Thresholds::default());
    for (text, len) in [(prose(3_000, 2), 10_240), ("文é".repeat(4_000), 5_120), ("a文".repeat(4_000), 6_827)] {
        assert_eq!(Prepared::new(&text, &parameters).len(), len);
        let more = format!("{text}, and something behind it");
        let mut comparer = Comparer::new(parameters, &thresholds);
        let likeness = comparer.compare(&Prepared::new(&text, &parameters), &Prepared::new(&more, &parameters));
        assert_eq!((likeness.resemblance, likeness.trusted), (1.0, len));
    }
}

/// Each moved paragraph takes a round of its own.
#[test]
fn moved_paragraphs_are_found_round_by_round() {
    let thresholds = Thresholds::default();
    let parts: Vec<String> = (0..4).map(|part| prose(60, 10 + part)).collect();
    let (a, b) = (parts.concat(), parts.iter().rev().cloned().collect::<String>());
    let mut trusted = Vec::new();
    for rounds in 1..=5 {
        let parameters = Parameters { rounds, ..Parameters::default() };
        let [fast, plain] = both(&a, &b, &parameters, &thresholds);
        assert_eq!(fast, plain);
        trusted.push(fast.trusted);
    }
    assert!(trusted[0] * 5 < a.len() * 2, "one paragraph of four: {trusted:?}");
    assert!(trusted[3] * 10 > a.len() * 9, "all four: {trusted:?}");
    assert_eq!(trusted[3], trusted[4]);
}

/// "The portion of their LCS from template and that from main text are rarely contiguous" (Huang et al. 2008, 3.4).
#[test]
fn a_template_round_other_content_is_not_trusted_much() {
    let (parameters, thresholds) = (Parameters { rounds: 1, ..Parameters::default() }, Thresholds::default());
    let (head, foot) = (prose(60, 1), prose(60, 2));
    let page = |main: u64| format!("{head}{}{foot}", prose(300, main));
    let [fast, plain] = both(&page(3), &page(4), &parameters, &thresholds);
    assert_eq!(fast, plain);
    assert!(!fast.exceeds(&thresholds), "{fast:?}");
    let [fast, plain] = both(&page(3), &format!("{}{}", prose(60, 5), prose(300, 3)), &parameters, &thresholds);
    assert_eq!(fast, plain);
    assert!(fast.exceeds(&thresholds), "the same content in another template: {fast:?}");
}

/// If a longer text contains a short one, containment is not applied, and the verdict says so.
#[test]
fn containment_is_not_applied_to_short_texts() {
    let thresholds = Thresholds::default();
    let (part, rest) = (prose(30, 1), prose(900, 2));
    for (min_text, near) in [(part.len(), true), (part.len() + 1, false)] {
        let parameters = Parameters { min_text, ..Parameters::default() };
        let [fast, plain] = both(&part, &format!("{rest}{part}{rest}"), &parameters, &thresholds);
        assert_eq!(fast, plain);
        assert_eq!((fast.exceeds(&thresholds), fast.is_short()), (near, !near));
        assert_eq!(fast.containment.is_none(), !near);
    }
}

/// Texts of realistic size, with edits as in the measurements.
#[test]
fn long_texts_agree_with_the_definition() {
    let (parameters, thresholds) = (Parameters::default(), Thresholds::default());
    let text = prose(450, 7);
    for every in [15, 18, 20, 50, 1_000] {
        let mut other = text.clone().into_bytes();
        for index in (every / 2..other.len()).step_by(every) {
            other[index] = b'#';
        }
        let other = String::from_utf8(other).expect("ASCII");
        let [fast, plain] = both(&text, &other, &parameters, &thresholds);
        assert_eq!(fast, plain, "every {every}");
        assert_eq!(fast.exceeds(&thresholds), every >= 20, "every {every}: {fast:?}");
    }
}
