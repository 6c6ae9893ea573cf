use proptest::prelude::*;

use super::*;
use crate::FormatError;
use crate::parts::{Part, Parts};

fn record() -> impl Strategy<Value = Record> {
    let texts = ("[a-z:/é]{1,40}", prop::option::of(".{0,80}"), prop::option::of("[a-z.]{0,20}"));
    let numbers = (prop::option::of(any::<i64>()), prop::option::of(any::<u64>()), prop::option::of(any::<[u8; 16]>()));
    let sketches =
        (prop::option::of(any::<u8>()), prop::option::of(any::<[u64; 6]>()), prop::option::of(any::<[u64; 6]>()));
    let source = prop::option::of((any::<u32>(), any::<u64>(), any::<u64>(), any::<u64>()));
    let profile = (prop::option::of(any::<u8>()), prop::option::of(".{0,300}"));
    let parts = prop::option::of((any::<u32>(), prop::collection::vec(0u64..1 << 40, 0..4)));
    let page = prop::option::of(any::<[u8; 16]>());
    let quality = (any::<bool>(), any::<bool>(), page, prop::option::of(any::<u32>()), parts);
    (texts, numbers, sketches, source, prop::option::of(any::<u32>()), quality, profile).prop_map(
        |(
            (id, url, site),
            (date, tokens, digest),
            (seed, supershingles, projection),
            source,
            batch,
            (truncated, garbled, page, distinct, parts),
            (profile, words),
        )| {
            Record {
                id,
                url,
                site,
                date,
                tokens,
                digest,
                min_bytes: seed.map(|seed| Box::new(std::array::from_fn(|i| seed.wrapping_mul(i as u8 + 1)))),
                supershingles,
                projection,
                source: source.map(|(archive, offset, inner, length)| SourcePosition {
                    archive,
                    offset,
                    inner,
                    length,
                }),
                batch,
                truncated,
                garbled,
                page,
                distinct,
                words,
                parts: parts.map(|(words, hashes)| {
                    let selected = (0..).zip(hashes).map(|(at, hash)| Part { hash, at }).collect();
                    Box::new(Parts { window: 1, words: words.max(8), selected })
                }),
                profile: profile.map(|seed| Box::new(std::array::from_fn(|i| seed.wrapping_mul(i as u8)))),
            }
        },
    )
}

proptest! {
    #[test]
    fn records_read_as_they_were_written(record in record()) {
        let bytes = record.encode();
        let head = Head { id: &record.id, url: record.url.as_deref(), site: record.site.as_deref() };
        prop_assert_eq!(Record::head_of(&bytes), Ok(head));
        prop_assert_eq!(Record::decode(&bytes), Ok(record));
        for length in 0..bytes.len() {
            prop_assert!(Record::decode(&bytes[..length]).is_err(), "cut to {} bytes", length);
        }
    }

    #[test]
    fn a_min_byte_is_bits_24_to_31_of_the_product(value in any::<u32>()) {
        prop_assert_eq!(u64::from(min_byte(value)), ((u64::from(value) * 0x9e37_79b1) >> 24) & 0xff);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), version in 0u8..5) {
        let mut bytes = bytes;
        if let Some(first) = bytes.first_mut() {
            *first = version;
        }
        let _ = (Record::decode(&bytes), Record::head_of(&bytes).is_ok(), Print::decode(&bytes), Batch::decode(&bytes));
        let _ = (Range::decode(&bytes), Archive::decode(&bytes), Settings::decode(&bytes), Counters::decode(&bytes));
        let _ = (id_of(&bytes).is_ok(), number_of(&bytes), trailing_number(&bytes));
        let _ = (deleted_of(&bytes), source_of(&bytes), decode_stretch(7, &bytes));
        let _ = (batch_name_of(&bytes), range_low_of(&bytes), replaced_of(&bytes));
    }

    #[test]
    fn keys_sort_as_their_numbers(a in any::<u64>(), b in any::<u64>(), id in "[a-z]{1,9}") {
        prop_assert_eq!(number_key(a).cmp(&number_key(b)), a.cmp(&b));
        prop_assert_eq!(id_key(&id, a).cmp(&id_key(&id, b)), a.cmp(&b));
        let (id_row, batch_row) = (id_key(&id, a), batch_key(&id));
        prop_assert_eq!(id_of(&id_row), Ok((&id[..], a)));
        prop_assert!(id_key(&id, a).starts_with(&id_prefix(&id)));
        prop_assert_eq!(deleted_of(&deleted_key(a, b)), Ok((a, b)));
        let numbers = a % (1 << 39)..a % (1 << 39) + 1 + b % (1 << 39);
        prop_assert_eq!(decode_stretch(numbers.start, &encode_stretch(&numbers)), Ok(numbers));
        prop_assert_eq!(range_low_of(&range_key(a)), Some(a));
        prop_assert_eq!(load_low_of(&load_key(a)), Some(a));
        prop_assert_eq!(replaced_of(&replaced_key(b as u32, a)), Some((b as u32, a)));
        prop_assert_eq!(trailing_number(&megashingle_key(a, b)), Ok(b));
        prop_assert_eq!(trailing_number(&piece_key(11, [1, 2, 3, 4], b)), Ok(b));
        prop_assert_eq!(trailing_number(&digest_key(&[7; 16], b)), Ok(b));
        prop_assert_eq!(batch_name_of(&batch_row), Some(&id[..]));
    }
}

/// Computed by another program from the definition in SPEC 9.3.
#[test]
fn min_bytes_are_pinned() {
    let pinned = [(0, 0), (1, 0x9e), (2, 0x3c), (3, 0xda), (0xff, 0x99), (0x0123_4567, 0xf0), (u32::MAX, 0x61)];
    for (value, byte) in pinned {
        assert_eq!(min_byte(value), byte, "{value:#x}");
    }
}

/// Also min-values with equal low bytes, as the 84 of a content of one shingle can have.
#[test]
fn different_min_values_have_equal_min_bytes_one_time_in_256() {
    let mut equal = 0;
    for low in [0u32, 0x5a] {
        for step in 1..=1 << 12 {
            equal += u32::from(min_byte(low) == min_byte(low + (step << 8)));
        }
    }
    assert!((20..=45).contains(&equal), "{equal} of 8,192, 32 are expected");
}

#[test]
fn small_values_read_as_they_were_written() {
    let print = Print { fingerprint: 0x0123_4567_89ab_cdef, unprinted: true };
    assert_eq!(Print::decode(&print.encode()), Ok(print));
    for state in [BatchState::Open, BatchState::Pending, BatchState::Cancelled] {
        let batch = Batch { number: 9, state };
        assert_eq!(Batch::decode(&batch.encode()), Ok(batch));
    }
    for state in [RangeState::Committed, RangeState::Pending, RangeState::Loading, RangeState::Cancelled] {
        let range = Range { high: 99, state, batch: 4 };
        assert_eq!(Range::decode(&range.encode()), Ok(range));
    }
    let archive = Archive {
        path: "a/é".into(),
        size: 5,
        hash: [3; 16],
        finished: true,
        offset: 1,
        inner: 2,
        documents: 3,
        modified: 4,
        reading: None,
    };
    assert_eq!((Archive::decode(&archive.encode()), archive.encode()[0]), (Ok(archive.clone()), 1));
    let fields = ["id", "content", "", "é", "url"].map(str::to_owned);
    let archive = Archive { reading: Some(Reading { limit: 1 << 20, format: "jsonl".into(), fields }), ..archive };
    let bytes = archive.encode();
    assert_eq!((Archive::decode(&bytes), bytes[0]), (Ok(archive.clone()), 2));
    let again = archive.clone().again();
    assert_eq!((again.finished, again.offset, again.inner, again.documents), (false, 0, 0, 0));
    assert_eq!((again.size, again.hash, again.modified, &again.reading), (5, [3; 16], 4, &archive.reading));
    (0..bytes.len()).for_each(|end| assert!(Archive::decode(&bytes[..end]).is_err(), "cut at {end}"));
    for (levels, keeps_words) in [(None, true), (Some(vec![]), false), (Some(vec![4, 4]), true)] {
        let recipe = "web/1".into();
        let settings = Settings { catalog: 1 << 99, bits: 64, k: 3, levels, restart: 32, recipe, keeps_words };
        assert_eq!(Settings::decode(&settings.encode()), Ok(settings));
    }
    let counters = Counters { next_number: 5, commits: 4, live: 3, next_archive: 2, next_batch: 1 };
    assert_eq!(Counters::decode(&counters.encode()), Ok(counters));
}

#[test]
fn rules_of_values_are_checked() {
    assert!(matches!(Print::decode(&[2; 10]), Err(FormatError::Version { .. })));
    assert!(matches!(Print::decode(&[1, 2, 0, 0, 0, 0, 0, 0, 0, 0]), Err(FormatError::Malformed { .. })));
    assert!(Batch::decode(&[1, 4, 0, 0, 0, 0]).is_err());
    assert!(Record::decode(&[1, 0, 0x80, 1, 0, 0, 0, b'a']).is_err(), "an unknown flag");
    assert!(Record::decode(&[1, 0, 0, 1, 0, 0, 0, 0]).is_err(), "a NUL in the id");
    assert!(Record::decode(&[1, 0, 0, 1, 0, 0, 0, 0xff]).is_err(), "an id that is not UTF-8");
    for (id, good) in
        [("", false), ("a\0b", false), ("é", true), (&*"x".repeat(4096), true), (&*"x".repeat(4097), false)]
    {
        assert_eq!(check_id(id).is_ok(), good, "{} bytes", id.len());
    }
    let interval = Interval { low: 5, high: 9, ordinal: 0, batch: 0, prefix: number_id("-") };
    assert!(Interval::decode(5, &interval.encode()).is_err(), "no number is -0");
    let interval = Interval { ordinal: 1, ..interval };
    assert_eq!(Interval::decode(5, &interval.encode()), Ok(interval));
}

#[test]
fn a_number_is_another_id_than_its_digits() {
    for digits in ["0", "7", "-1", "9223372036854775808", "18446744073709551615", "-9223372036854775808"] {
        let id = number_id(digits);
        check_id(&id).expect("a number");
        assert_eq!((digits_of(&id), digits_of(digits)), (Some(digits), None));
        assert_eq!((other_kind(&id).as_deref(), other_kind(digits).as_deref()), (Some(digits), Some(&*id)));
        assert_eq!((ShownId(&id).to_string(), format!("{:?}", ShownId(&id))), (digits.to_owned(), digits.to_owned()));
        assert_eq!(format!("{:?}", ShownId(digits)), format!("{digits:?}"));
    }
    let none =
        ["", "-", "-0", "00", "07", "+7", "1.0", " 1", "1e3", "18446744073709551616", "-9223372036854775809", "a"];
    for text in none {
        assert!(check_id(&number_id(text)).is_err(), "{text}");
        assert_eq!((other_kind(text), digits_of(&number_id(text))), (None, None), "{text}");
        assert_eq!(format!("{:>3}", ShownId(text)), format!("{text:>3}"));
    }
    assert!(check_id("a\u{1}7").is_ok(), "within a text it is any character");
}
