use proptest::prelude::*;

use super::*;
use crate::FormatError;

fn record() -> impl Strategy<Value = Record> {
    let texts = ("[a-z:/é]{1,40}", prop::option::of(".{0,80}"), prop::option::of("[a-z.]{0,20}"));
    let numbers = (prop::option::of(any::<i64>()), prop::option::of(any::<u64>()), prop::option::of(any::<[u8; 16]>()));
    let sketches =
        (prop::option::of(any::<u32>()), prop::option::of(any::<[u64; 6]>()), prop::option::of(any::<[u64; 6]>()));
    let source = prop::option::of((any::<u32>(), any::<u64>(), any::<u64>(), any::<u64>()));
    let profile = prop::option::of(any::<u8>());
    (texts, numbers, sketches, source, prop::option::of(any::<u32>()), any::<bool>(), profile).prop_map(
        |(
            (id, url, site),
            (date, tokens, digest),
            (seed, supershingles, projection),
            source,
            batch,
            truncated,
            profile,
        )| {
            let min_values = seed.map(|seed| Box::new(std::array::from_fn(|i| seed.wrapping_mul(i as u32 + 1))));
            Record {
                id,
                url,
                site,
                date,
                tokens,
                digest,
                // As a rule they are those of the min-values.
                supershingles: min_values.as_deref().filter(|_| !truncated).map(supershingles_of).or(supershingles),
                min_values,
                projection,
                source: source.map(|(archive, offset, inner, length)| SourcePosition {
                    archive,
                    offset,
                    inner,
                    length,
                }),
                batch,
                truncated,
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

/// The hashes are those of another program (SPEC 9.3).
#[test]
fn supershingles_of_min_values_are_left_out() {
    let values: [u32; MIN_VALUES] = std::array::from_fn(|i| i as u32);
    let supershingles = supershingles_of(&values);
    assert_eq!([supershingles[0], supershingles[5]], [0xc211_4431_fbac_eb1a, 0x8814_61b5_415e_2bbc]);
    let record = Record {
        id: "a".into(),
        min_values: Some(Box::new(values)),
        supershingles: Some(supershingles),
        ..Record::default()
    };
    let bytes = record.encode();
    assert_eq!((bytes.len(), &bytes[..3]), (3 + 5 + 336, &[1, 32, 16][..]));
    assert_eq!(Record::decode(&bytes), Ok(record.clone()));
    // As they may also be stored.
    let stored = [&[1, 3 << 5, 0][..], &bytes[3..], &supershingles.map(u64::to_le_bytes).concat()].concat();
    assert_eq!(Record::decode(&stored), Ok(record.clone()));
    let others = Record { supershingles: Some([1, 2, 3, 4, 5, 6]), ..record.clone() };
    assert_eq!((others.encode().len(), others.encode()[0]), (3 + 5 + 336 + 48, 1));
    assert_eq!(Record::decode(&others.encode()), Ok(others));
    let none = Record { supershingles: None, ..record };
    assert_eq!(Record::decode(&none.encode()), Ok(none));
    for (version, flags) in [(4, 1 << 5), (1, 1 << 12), (1, 1 << 12 | 3 << 5)] {
        let mut bad = [stored.clone(), vec![0; 48]].concat();
        bad[0] = version;
        bad[1..3].copy_from_slice(&u16::to_le_bytes(flags));
        let refused = (8..=bad.len()).all(|size| Record::decode(&bad[..size]).is_err());
        assert!(refused, "version {version}, flags {flags:#x}");
    }
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
    for levels in [None, Some(vec![]), Some(vec![4, 4])] {
        let settings = Settings { catalog: 1 << 99, bits: 64, k: 3, levels, restart: 32, recipe: "web/1".into() };
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
