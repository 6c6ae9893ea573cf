use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::postings::NUMBER_END;
use crate::record::{PROFILE, Record};

fn untouched(_: Range<u64>) -> Result<()> {
    Ok(())
}

/// Encodes summaries of numbers that ascend, as a writer does: in two passes.
fn make(summaries: &[(u64, Vec<u8>)], low: u64, high: u64) -> Vec<u8> {
    let mut survey = SummariesSurvey::default();
    summaries.iter().for_each(|(number, summary)| survey.push(*number, summary));
    let mut out = Vec::new();
    let mut encoder = SummariesEncoder::new(survey.header(low, high), &mut out).expect("a sound header");
    for (number, summary) in summaries {
        encoder.push(*number, summary, &mut out).expect("ascending");
    }
    encoder.finish(&mut out).expect("the same summaries");
    out
}

fn encoded(fingerprint: u64, record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    Summary::of(fingerprint, record).encode_into(&mut bytes);
    bytes
}

/// The offsets in a profile of the word counts of title, headings and address.
const WORDS: [usize; 3] = [124, 170, 216];

/// Pads the sections of a profile by their totals, as the table in SPEC 9.3 says.
fn pad(profile: &mut [u8; PROFILE]) {
    for at in WORDS {
        let kept = usize::from(profile[at]).min(15);
        profile[at + 1 + 3 * kept..at + 46].fill(0);
    }
    let numbers = usize::from(u16::from_le_bytes([profile[262], profile[263]])).min(7);
    profile[264 + 2 * numbers..278].fill(0xff);
}

/// A profile of any bytes with any totals, padded by them.
fn profile() -> impl Strategy<Value = Box<[u8; PROFILE]>> {
    let words = || prop_oneof![0u8..17, any::<u8>()];
    let numbers = prop_oneof![0u16..9, any::<u16>()];
    (prop::collection::vec(any::<u8>(), PROFILE), [words(), words(), words()], numbers).prop_map(
        |(bytes, words, numbers)| {
            let mut profile = Box::new([0; PROFILE]);
            profile.copy_from_slice(&bytes);
            WORDS.into_iter().zip(words).for_each(|(at, total)| profile[at] = total);
            profile[262..264].copy_from_slice(&numbers.to_le_bytes());
            pad(&mut profile);
            profile
        },
    )
}

/// Records with random parts, including parts that summaries leave out.
fn record() -> impl Strategy<Value = Record> {
    let texts = ("[a-z:/é]{1,40}", prop::option::of("(.{0,30}|.{250,600})"), prop::option::of("[a-z.]{0,20}"));
    let tokens = prop::option::of(prop_oneof![Just(0), any::<u64>()]);
    let numbers = (tokens, prop::option::of(any::<[u8; 16]>()), prop::option::of(any::<i64>()));
    let words = || prop::option::of(any::<[u64; 6]>());
    let sketches = (prop::option::of(any::<u8>()), words(), words());
    // How address and site depend on the preceding bytes.
    let follows = (any::<bool>(), prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())));
    (texts, numbers, sketches, prop::option::of(profile()), (any::<bool>(), follows)).prop_map(
        |((id, url, site), (tokens, digest, date), (seed, supershingles, projection), profile, more)| {
            let (truncated, (is_id, place)) = more;
            let url = if is_id { Some(id.clone()) } else { url };
            let site = match (&url, place) {
                (Some(url), Some((start, end))) => {
                    let edges: Vec<_> = url.char_indices().map(|(at, _)| at).chain([url.len()]).collect();
                    let mut place = [start.get(&edges), end.get(&edges)];
                    place.sort_unstable();
                    Some(url[*place[0]..*place[1]].to_owned())
                }
                _ => site,
            };
            let min_bytes = seed.map(|seed| Box::new(std::array::from_fn(|i| seed.wrapping_mul(i as u8 + 1))));
            Record {
                id,
                url,
                site,
                date,
                tokens,
                digest,
                min_bytes,
                supershingles,
                projection,
                profile,
                truncated,
                ..Record::default()
            }
        },
    )
}

/// Documents with the gaps before their numbers: mostly none, some a few, some many, some thousands.
fn documents() -> impl Strategy<Value = Vec<(u64, u64, Record)>> {
    let gap = prop_oneof![12 => Just(0u64), 6 => 0u64..5, 2 => 0u64..100, 1 => 1000u64..5000];
    prop::collection::vec((gap, any::<u64>(), record()), 1..60)
}

/// Compares the summary of a number in a file with the number's record, if it has one.
fn assert_reads(
    file: &Summaries<&[u8]>,
    number: u64,
    all: &BTreeMap<u64, (u64, Record)>,
) -> std::result::Result<(), TestCaseError> {
    let record = all.get(&number);
    let ordinal = record.map(|_| all.range(..number).count() as u64);
    prop_assert_eq!(file.ordinal(number, &untouched), Ok(ordinal));
    let touched = RefCell::new(Vec::new());
    let touch = |range: Range<u64>| {
        touched.borrow_mut().push(range);
        Ok::<_, FormatError>(())
    };
    let place = file.find(number, &touch).expect("a sound file");
    let mut before = Vec::new();
    if (file.header().low..file.header().high).contains(&number) {
        before.push(file.presence(number));
    }
    before.extend(ordinal.map(|ordinal| file.entry(ordinal)));
    for entry in &before {
        prop_assert_eq!((entry.start % 64, entry.end - entry.start), (0, 64), "an entry is a cache line");
    }
    prop_assert_eq!(&*touched.borrow(), &before);
    before.extend(before.clone());
    before.extend(place.clone());
    let found = file.get(number, &touch).expect("a sound file");
    prop_assert_eq!(&*touched.borrow(), &before);
    prop_assert_eq!(found, record.map(|(fingerprint, record)| Summary::of(*fingerprint, record)));
    let bytes = place.map(|range| file.body()[range.start as usize..range.end as usize].to_vec());
    prop_assert_eq!(bytes, record.map(|(fingerprint, record)| encoded(*fingerprint, record)));
    Ok(())
}

/// Returns the numbers that have a summary according to the presence map, each of whose entries is touched once, in
/// order.
fn numbers_of(file: &Summaries<&[u8]>) -> std::result::Result<Vec<u64>, TestCaseError> {
    let (touched, mut numbers) = (RefCell::new(Vec::new()), Vec::new());
    let touch = |range: Range<u64>| {
        touched.borrow_mut().push(range);
        Ok::<_, FormatError>(())
    };
    let mut visit = |number| {
        numbers.push(number);
        Ok(())
    };
    file.numbers(&touch, &mut visit).expect("nothing fails");
    let SummariesHeader { low, high, .. } = *file.header();
    let entries: Vec<_> = (low..high).step_by(448).map(|number| file.presence(number)).collect();
    prop_assert_eq!(touched.into_inner(), entries);
    Ok(numbers)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn summaries_read_as_they_were_written(
        documents in documents(), low in 0u64..1 << 39, skipped in prop_oneof![0u64..40, 0u64..3000],
        spare in prop_oneof![0u64..60, 0u64..3000],
    ) {
        let mut next = low + skipped;
        let mut all = BTreeMap::new();
        for (gap, fingerprint, record) in documents {
            next += gap + 1;
            all.insert(next - 1, (fingerprint, record));
        }
        let high = next + spare;
        let summaries = all.iter().map(|(&number, (print, record))| (number, encoded(*print, record)));
        let summaries: Vec<_> = summaries.collect();
        let bytes = make(&summaries, low, high);
        let file = Summaries::open(&bytes[..]).expect("a sound file");
        file.verify().expect("a sound file");
        let header = file.header();
        prop_assert_eq!((header.low, header.high, header.documents), (low, high, all.len() as u64));
        prop_assert_eq!(header.size, summaries.iter().map(|(_, summary)| summary.len() as u64).sum::<u64>());
        let entries = (all.len() as u64).div_ceil(14) + (high - low).div_ceil(448);
        prop_assert_eq!(file.body().len() as u64, header.size.next_multiple_of(64) + 64 * entries);
        prop_assert_eq!(numbers_of(&file)?, all.keys().copied().collect::<Vec<_>>());
        for number in low.saturating_sub(20)..high + 20 {
            assert_reads(&file, number, &all)?;
        }
        for number in [0, NUMBER_END - 1, NUMBER_END, u64::MAX] {
            assert_reads(&file, number, &all)?;
        }
    }

    #[test]
    fn a_summary_has_what_the_record_has(fingerprint in any::<u64>(), record in record()) {
        let summary = Summary::of(fingerprint, &record);
        prop_assert_eq!((summary.fingerprint, summary.id), (fingerprint, &record.id[..]));
        prop_assert_eq!((summary.url, summary.site), (record.url.as_deref(), record.site.as_deref()));
        let has_sketch =
            record.min_bytes.is_some() || record.supershingles.is_some() || record.profile.is_some();
        let (without_terms, digest) = match record.tokens {
            None => (false, record.digest),
            Some(0) => (false, None),
            Some(_) => (!has_sketch, record.digest),
        };
        prop_assert_eq!((summary.is_without_terms, summary.digest), (without_terms, digest));
        let tokens = record.tokens.map(|tokens| tokens.min(u64::from(u32::MAX)));
        prop_assert_eq!(summary.tokens.map(u64::from), tokens);
        prop_assert_eq!(summary.supershingles, record.supershingles);
        prop_assert_eq!(summary.projection, record.projection);
        prop_assert_eq!(summary.profile, record.profile.as_deref().copied());
        prop_assert_eq!(summary.min_bytes, record.min_bytes.as_deref().copied());
        let bytes = encoded(fingerprint, &record);
        prop_assert_eq!(Summary::decode(&bytes), Ok(summary));
        for length in 0..bytes.len() {
            prop_assert!(Summary::decode(&bytes[..length]).is_err(), "cut to {} bytes", length);
        }
    }

    /// SPEC 9.3 defines the bytes after the elements of a profile. If a profile has other bytes there, its summary has
    /// those of SPEC.
    #[test]
    fn what_stands_behind_the_elements_of_a_profile_is_left_out(
        bytes in prop::collection::vec(any::<u8>(), PROFILE), title in 0u8..20, address in 0u8..20, numbers in 0u16..10,
    ) {
        let mut profile = Box::new([0; PROFILE]);
        profile.copy_from_slice(&bytes);
        (profile[124], profile[216]) = (title, address);
        profile[262..264].copy_from_slice(&numbers.to_le_bytes());
        let mut padded = profile.clone();
        pad(&mut padded);
        let record = Record { id: "p".into(), profile: Some(profile), ..Record::default() };
        let bytes = encoded(1, &record);
        prop_assert_eq!(Summary::decode(&bytes).expect("sound").profile, Some(*padded));
        let words = WORDS.map(|at| (usize::from(padded[at]), 15, 3));
        let elements = words.into_iter().chain([(usize::from(numbers), 7, 2)]);
        let padding = |(total, most, size): (usize, usize, usize)| (most - total.min(most)) * size;
        let left_out: usize = elements.map(padding).sum();
        prop_assert_eq!(bytes.len(), 2 + 8 + 2 + PROFILE - left_out);
    }

    #[test]
    fn random_bytes_are_no_summary_or_one_that_is_written_as_it_was(
        bytes in prop::collection::vec(any::<u8>(), 0..400), flags in 0u16..1 << 12, id in 1u8..5,
    ) {
        let _ = Summary::decode(&bytes);
        // With a beginning that is sound.
        let mut bytes = bytes;
        let start = [&flags.to_le_bytes()[..], &[0; 8], &[id], &[b'i'; 4][..id.into()]].concat();
        let size = start.len().min(bytes.len());
        bytes[..size].copy_from_slice(&start[..size]);
        assert_is_written_as_it_was(&bytes)?;
    }

    #[test]
    fn a_changed_summary_is_refused_or_written_as_it_was(
        record in record(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        size in any::<prop::sample::Index>(), resized in any::<bool>(),
    ) {
        let mut bytes = encoded(0x0123_4567_89ab_cdef, &record);
        for (offset, value) in changes {
            let offset = offset.index(bytes.len());
            bytes[offset] = value;
        }
        if resized {
            bytes.resize(size.index(bytes.len() + 20), 0);
        }
        assert_is_written_as_it_was(&bytes)?;
    }

    #[test]
    fn random_bytes_with_valid_checksums_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), after in any::<bool>(),
    ) {
        let mut bytes = small();
        let directory = Summaries::open(&bytes[..]).expect("sound").entry(0).start as usize + HEADER_SIZE;
        for (offset, value) in changes {
            // Half of the cases change only the directory and the presence map.
            let from = if after { directory } else { 0 };
            let offset = from + offset.index(bytes.len() - from);
            bytes[offset] = value;
        }
        restamp(&mut bytes);
        if let Ok(file) = Summaries::open(&bytes[..]) {
            let sound = file.verify().is_ok();
            let SummariesHeader { low, high, .. } = *file.header();
            let numbers = numbers_of(&file)?;
            prop_assert!(numbers.is_sorted() && numbers.iter().all(|number| (low..high).contains(number)));
            prop_assert!(!sound || numbers.len() as u64 == file.header().documents);
            for number in (low..high).take(2000).chain([low.wrapping_sub(1), high]) {
                let place = file.find(number, &untouched);
                prop_assert_eq!(place == Ok(None), numbers.binary_search(&number).is_err(), "number {}", number);
                prop_assert!(place.is_ok() || !sound, "verify saw number {}", number);
                let inside = |range: Range<u64>| range.start < range.end && range.end <= file.header().size;
                prop_assert!(place.unwrap_or_default().is_none_or(inside), "number {}", number);
                prop_assert!(file.get(number, &untouched).is_ok() || !sound, "verify saw number {}", number);
            }
        }
    }
}

/// A decoded summary, encoded again, decodes to the same value and is not longer: address and site can be encoded in
/// two ways, of which the shorter one is written.
fn assert_is_written_as_it_was(bytes: &[u8]) -> std::result::Result<(), TestCaseError> {
    if let Ok(summary) = Summary::decode(bytes) {
        let mut written = Vec::new();
        summary.encode_into(&mut written);
        prop_assert!(written.len() <= bytes.len(), "{} bytes of {}", written.len(), bytes.len());
        prop_assert_eq!(Summary::decode(&written), Ok(summary));
    }
    Ok(())
}

/// The range of the small file is [`LOW`] to [`HIGH`].
const LOW: u64 = 1000;
const HIGH: u64 = LOW + 2 * PRESENCE_LEN + 5;

/// A record with every part of a summary.
fn full() -> Record {
    let mut profile = Box::new(std::array::from_fn(|i| i as u8));
    (profile[124], profile[170], profile[216]) = (3, 0, 2);
    profile[262..264].copy_from_slice(&[2, 0]);
    pad(&mut profile);
    Record {
        id: "urn:é".into(),
        url: Some("http://example.org/".into()),
        site: Some("example.org".into()),
        tokens: Some(421),
        digest: Some([7; 16]),
        min_bytes: Some(Box::new(std::array::from_fn(|i| i as u8))),
        supershingles: Some([1, 2, 3, 4, 5, 6]),
        projection: Some([u64::MAX; 6]),
        profile: Some(profile),
        ..Record::default()
    }
}

/// A file of a few summaries, in two entries of the directory, all of the first and one of the last, and in three of
/// presence: in numbers of the first, in none of the second, and in the first number of the last.
fn small() -> Vec<u8> {
    let bare = |number: u64| Record { id: format!("{number}"), ..Record::default() };
    let numbers = (LOW..LOW + GROUP_LEN).chain([LOW + 2 * PRESENCE_LEN]);
    let record = |number: u64| if number == LOW + 3 { full() } else { bare(number) };
    let summaries: Vec<_> = numbers.map(|number| (number, encoded(number * 3, &record(number)))).collect();
    make(&summaries, LOW, HIGH)
}

/// A file of more than two pages.
fn large() -> Vec<u8> {
    let summaries: Vec<_> = (LOW..LOW + 30).map(|number| (number, encoded(number, &full()))).collect();
    make(&summaries, LOW, HIGH)
}

/// Corrects the checksums and identities of a changed file whose body has kept its size.
fn restamp(file: &mut [u8]) {
    let identity = crate::digest::identity(&file[..header::IDENTITY.offset]);
    header::IDENTITY.put(file, identity);
    crate::fields::put_crc(&mut file[..HEADER_SIZE], header::CHECKSUM);
    let (start, rest) = (file.len() - FOOTER_SIZE, file.len() - HEADER_SIZE - FOOTER_SIZE);
    let body = rest - 4 * rest.div_ceil(crate::pages::PAGE_SIZE + 4);
    let mut checksums = Vec::new();
    crate::pages::put_checksums(identity, 0, &file[HEADER_SIZE..HEADER_SIZE + body], &mut checksums);
    file[HEADER_SIZE + body..start].copy_from_slice(&checksums);
    let footer = &mut file[start..];
    header::FOOTER_IDENTITY.put(footer, identity);
    header::PAGES_CHECKSUM.put(footer, u64::from(crc32fast::hash(&checksums)));
    crate::fields::put_crc(footer, header::FOOTER_CHECKSUM);
}

/// Checks all bytes of a file, but not their meaning.
fn check_bytes(file: &[u8]) -> Result<()> {
    let file = Summaries::open(file)?;
    file.check_page_checksums()?;
    (0..file.pages().len()).try_for_each(|page| file.pages().check(page))
}

#[test]
fn restamping_a_sound_file_changes_nothing() {
    for file in [small(), large()] {
        let mut restamped = file.clone();
        restamp(&mut restamped);
        assert!(file == restamped);
    }
}

#[test]
fn a_file_cut_at_any_length_is_refused() {
    for file in [small(), large()] {
        for length in 0..file.len() {
            assert!(Summaries::open(&file[..length]).is_err(), "cut to {length} bytes");
        }
        assert!(Summaries::open([&file[..], &[0]].concat()).is_err(), "a byte too many");
    }
}

#[test]
fn every_flipped_bit_is_found() {
    for (mut file, step) in [(small(), 1), (large(), 11)] {
        check_bytes(&file).expect("sound");
        Summaries::open(&file[..]).and_then(|file| file.verify()).expect("sound");
        for bit in (0..file.len() * 8).step_by(step) {
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(check_bytes(&file).is_err(), "bit {bit}");
            assert!(Summaries::open(&file[..]).and_then(|file| file.verify()).is_err(), "bit {bit}");
            file[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn a_page_is_found_by_its_checksum() {
    let mut bytes = large();
    let (page, body) = (2, Summaries::open(&bytes[..]).expect("sound").body().len());
    assert!(body > 2 * crate::pages::PAGE_SIZE && body < 4 * crate::pages::PAGE_SIZE, "{body} bytes");
    let offset = Summaries::open(&bytes[..]).expect("sound").checksum_offset(page);
    bytes[offset] ^= 1;
    let file = Summaries::open(&bytes[..]).expect("open does not read it");
    let broken: Vec<bool> = (0..3).map(|page| file.pages().check(page).is_err()).collect();
    assert_eq!(broken, [false, false, true]);
    assert!(file.check_page_checksums().is_err());
}

#[test]
fn input_that_breaks_a_rule_is_refused() {
    let summary = encoded(1, &Record { id: "x".into(), ..Record::default() });
    let survey_of = |numbers: &[u64]| {
        let mut survey = SummariesSurvey::default();
        numbers.iter().for_each(|&number| survey.push(number, &summary));
        survey
    };
    let mut out = Vec::new();
    let two = survey_of(&[12, 15]).header(10, 20);
    let sizes = |documents, size| SummariesHeader { documents, size, ..two.clone() };
    let ranges = |low, high| SummariesHeader { low, high, ..two.clone() };
    assert!(SummariesEncoder::new(SummariesSurvey::default().header(10, 20), &mut out).is_err(), "no summary");
    for header in [sizes(11, 99), sizes(0, 32), sizes(2, 1), sizes(2, (1 << 50) + 1)] {
        assert!(SummariesEncoder::new(header.clone(), &mut out).is_err(), "{header:?}");
    }
    for header in [ranges(10, 10), ranges(10, 9), ranges(10, 11), ranges(10, NUMBER_END + 1)] {
        assert!(SummariesEncoder::new(header.clone(), &mut out).is_err(), "{header:?}");
    }
    assert!(out.is_empty(), "nothing is written before the header is sound");
    let mut encoder = SummariesEncoder::new(two.clone(), &mut out).expect("sound");
    for number in [0, 9, 20, u64::MAX] {
        assert!(encoder.push(number, &summary, &mut out).is_err(), "{number} is out of range");
    }
    assert!(encoder.push(12, &[], &mut out).is_err(), "an empty summary");
    encoder.push(12, &summary, &mut out).expect("in range");
    for number in [12, 11, 10] {
        assert!(encoder.push(number, &summary, &mut out).is_err(), "{number} after 12");
    }
    encoder.push(15, &summary, &mut out).expect("in range");
    let written = |numbers: &[u64], summary: &[u8]| {
        let mut out = Vec::new();
        let mut encoder = SummariesEncoder::new(two.clone(), &mut out).expect("sound");
        numbers.iter().try_for_each(|&number| encoder.push(number, summary, &mut out)).expect("in range");
        encoder.finish(&mut out).map(|()| out)
    };
    assert!(written(&[12], &summary).is_err(), "one is missing");
    assert!(written(&[12, 15, 16], &summary).is_err(), "one too many");
    assert!(written(&[12], &[&summary[..], &summary].concat()).is_err(), "one that is as large as two");
    assert!(written(&[12, 15], &summary[1..]).is_err(), "others, shorter");
    let sound = written(&[12, 15], &summary).expect("the same summaries");
    encoder.finish(&mut out).expect("the same summaries");
    assert!(out == sound, "what was refused has left nothing after");
}

#[test]
fn rules_of_summaries_are_checked() {
    let good = encoded(7, &Record { id: "ab".into(), site: Some("s".into()), ..Record::default() });
    assert_eq!(good, b"\x04\0\x07\0\0\0\0\0\0\0\x02ab\x01s");
    let with = |offset: usize, value: u8| {
        let mut bad = good.clone();
        bad[offset] = value;
        Summary::decode(&bad).err()
    };
    assert_eq!(with(2, 1), None, "another fingerprint");
    for bit in 3..8 {
        let unknown = with(1, 1 << bit);
        assert!(matches!(unknown, Some(FormatError::Malformed { .. })), "flag {}: {unknown:?}", bit + 8);
    }
    assert!(matches!(with(10, 0xff), Some(FormatError::Truncated { .. })));
    for (offset, value) in [(10, 0), (10, 1), (11, 0), (11, 0xff), (13, 0xff)] {
        assert!(with(offset, value).is_some(), "{value} at {offset}");
    }
    let long = encoded(7, &Record { id: "x".repeat(4097), ..Record::default() });
    assert!(Summary::decode(&long).is_err());
    assert!(Summary::decode(&[&good[..], &[0]].concat()).is_err(), "a byte too many");
}

#[test]
fn address_and_site_take_no_bytes_that_stand_there_already() {
    let record = |id: &str, url: &str, site: &str| Record {
        id: id.into(),
        url: Some(url.into()),
        site: Some(site.into()),
        ..Record::default()
    };
    let long = format!("http://a.b/{}", "é".repeat(122));
    let longer = format!("http://{}/a.b", "x".repeat(244));
    // After flags and fingerprint.
    let expected = [
        (record("a", "http://a.b/", "a.b"), 9, [&b"\x01a\x0bhttp://a.b/"[..], b"\x07\x03"].concat()),
        (record("a.b", "a.b", ".b"), 10, b"\x03a.b\x01\x02".to_vec()),
        (record("a.b", "a.b", "b"), 6, b"\x03a.b\x01b".to_vec()),
        (record("a.b", "a.b", "c"), 6, b"\x03a.b\x01c".to_vec()),
        (record("a", &long, "a.b"), 9, [&b"\x01a\xff\xff\0\0\0"[..], long.as_bytes(), b"\x07\x03"].concat()),
        (record("a", &longer, "a.b"), 9, [&b"\x01a\xff\xff\0\0\0"[..], longer.as_bytes(), b"\xfc\x03"].concat()),
        (record(&long, &long, "c"), 6, [&b"\xff\xff\0\0\0"[..], long.as_bytes(), b"\x01c"].concat()),
        (record("a", "", ""), 5, b"\x01a\0\0".to_vec()),
    ];
    for (record, flags, rest) in expected {
        let bytes = encoded(0, &record);
        assert_eq!((&bytes[..2], &bytes[10..]), (&[flags, 0][..], &rest[..]), "{record:?}");
        assert_eq!(Summary::decode(&bytes), Ok(Summary::of(0, &record)), "{record:?}");
    }
    // An offset that does not fit in a byte.
    let far = record("a", &format!("http://{}/a.b", "x".repeat(250)), "a.b");
    assert!(encoded(0, &far).ends_with(b"\x03a.b"), "the site stands there");
    let bytes = |flags: u8, rest: &[u8]| [&[flags, 0][..], &[0; 8], rest].concat();
    for (flags, rest) in [
        (8, &b"\x01a\0\0"[..]),      // the place of a site without an address, though it is empty
        (9, b"\x01a\x02bc\x02\x01"), // after the address
        (9, b"\x01a\x02bc\xff\xff"),
        (9, b"\x01a\x02\xc3\xa9\x01\x01"), // within a character
        (3, b"\x01a\x01b"),                // two addresses
        (13, b"\x01a\x01b\x01b\0\x01"),    // two sites
    ] {
        assert!(Summary::decode(&bytes(flags, rest)).is_err(), "{flags} {rest:?}");
    }
}
