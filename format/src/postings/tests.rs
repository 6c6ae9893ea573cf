use proptest::prelude::*;

use super::*;

type Lists = Vec<(u64, Vec<u64>)>;

fn make(lists: &Lists, low: u64, high: u64, ranks: &[u64]) -> Vec<u8> {
    let mut survey = PostingsSurvey::default();
    for (fingerprint, numbers) in lists {
        survey.begin(*fingerprint).expect("ascending");
        numbers.iter().for_each(|&number| survey.number(number));
    }
    let mut out = Vec::new();
    let header = survey.header(low, high, ranks.len() as u64, 32);
    let mut encoder = PostingsEncoder::new(header, ranks, &mut out).expect("a sound header");
    for (_, numbers) in lists {
        encoder.begin().expect("not empty");
        numbers.iter().try_for_each(|&number| encoder.number(number, &mut out)).expect("ascending");
    }
    encoder.finish(&mut out).expect("the same lists");
    out
}

fn touch(_: Range<u64>) -> Result<()> {
    Ok(())
}

fn read(postings: &Postings<&[u8]>, rank: u64) -> Vec<u64> {
    let list = postings.list(rank, &touch).expect("sound");
    list.map(|index| postings.number(index, &touch).expect("sound")).collect()
}

/// Lists over the numbers `low..`, of many lengths: mostly one, some a few, some thousands.
fn lists(lengths: &[(u8, u16)], low: u64) -> (Lists, u64) {
    let mut next = low;
    let lists = (1u64..)
        .zip(lengths)
        .map(|(fingerprint, &(kind, length))| {
            let length = match kind {
                0 => u64::from(length),
                1..=9 => u64::from(length % 4),
                _ => 0,
            };
            let numbers = (next..=next + length).collect();
            next += length + 1;
            (fingerprint * 3, numbers)
        })
        .collect();
    (lists, next)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn lists_read_as_they_were_written(
        lengths in prop::collection::vec((0u8..200, 0u16..9000), 1..800), low in 0u64..1 << 39, spare in 0u64..1 << 38,
    ) {
        let (lists, next) = lists(&lengths, low);
        let high = (next + spare).min(NUMBER_END);
        let ranks: Vec<u64> = (0..lists.len() as u64).step_by(50).collect();
        let file = make(&lists, low, high, &ranks);
        let postings = Postings::open(&file[..]).expect("a sound file");
        postings.verify().expect("a sound file");
        for (rank, (_, numbers)) in (0..).zip(&lists) {
            prop_assert_eq!(&read(&postings, rank), numbers);
        }
        for (block, &rank) in (0..).zip(&ranks) {
            prop_assert_eq!(postings.first_rank(block, &touch), Ok(rank));
        }
        prop_assert!(postings.list(lists.len() as u64, &touch).is_err());
    }

    #[test]
    fn random_bytes_with_valid_checksums_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (mut file, _) = small();
        for (offset, value) in changes {
            let offset = offset.index(file.len());
            file[offset] = value;
        }
        restamp(&mut file);
        if let Ok(postings) = Postings::open(&file[..]) {
            let _ = postings.verify();
            for rank in 0..postings.header().fingerprints.min(500) {
                if let Ok(list) = postings.list(rank, &touch) {
                    for index in list.take(100) {
                        let _ = postings.number(index, &touch);
                    }
                }
            }
        }
    }
}

fn small() -> (Vec<u8>, Lists) {
    let lengths: Vec<(u8, u16)> = (0..200).map(|i| (if i == 70 { 0 } else { i as u8 }, 5000)).collect();
    let (lists, high) = lists(&lengths, 1000);
    (make(&lists, 1000, high, &[0, 90]), lists)
}

fn restamp(file: &mut [u8]) {
    let identity = crate::digest::identity(&file[..header::IDENTITY.offset]);
    header::IDENTITY.put(file, identity);
    crate::fields::put_crc(&mut file[..HEADER_SIZE], header::CHECKSUM);
    let body = (file.len() - HEADER_SIZE - FOOTER_SIZE) / (crate::pages::PAGE_SIZE + 4) * crate::pages::PAGE_SIZE;
    let rest = file.len() - HEADER_SIZE - FOOTER_SIZE - body / crate::pages::PAGE_SIZE * (crate::pages::PAGE_SIZE + 4);
    let body = body + rest.saturating_sub(4);
    let mut checksums = Vec::new();
    crate::pages::put_checksums(identity, 0, &file[HEADER_SIZE..HEADER_SIZE + body], &mut checksums);
    file[HEADER_SIZE + body..][..checksums.len()].copy_from_slice(&checksums);
    let start = file.len() - FOOTER_SIZE;
    let footer = &mut file[start..];
    header::FOOTER_IDENTITY.put(footer, identity);
    header::PAGES_CHECKSUM.put(footer, u64::from(crc32fast::hash(&checksums)));
    crate::fields::put_crc(footer, header::FOOTER_CHECKSUM);
}

#[test]
fn restamping_a_sound_file_changes_nothing() {
    let (file, _) = small();
    let mut restamped = file.clone();
    restamp(&mut restamped);
    assert!(file == restamped);
}

#[test]
fn a_file_cut_at_any_length_is_refused() {
    let (file, _) = small();
    for length in 0..file.len() {
        assert!(Postings::open(&file[..length]).is_err(), "cut to {length} bytes");
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let (mut file, _) = small();
    for bit in (0..file.len() * 8).step_by(3) {
        file[bit / 8] ^= 1 << (bit % 8);
        assert!(Postings::open(&file[..]).and_then(|postings| postings.verify()).is_err(), "bit {bit}");
        file[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn a_list_of_single_documents_costs_its_numbers_only() {
    let lists: Lists = (0..10_000u64).map(|i| (i, vec![i])).collect();
    let file = make(&lists, 0, 10_000, &[0]);
    let bits = file.len() as f64 * 8.0 / 10_000.0;
    assert!(bits < 14.0 + 0.5, "{bits} bits a document");
}

#[test]
fn input_that_breaks_a_rule_is_refused() {
    let mut survey = PostingsSurvey::default();
    survey.begin(5).expect("the first");
    assert!(survey.begin(5).is_err());
    let mut out = Vec::new();
    let header = |documents| PostingsHeader { documents, ..PostingsSurvey::default().header(10, 20, 1, 0) };
    assert!(PostingsEncoder::new(header(0), &[0], &mut out).is_err(), "no fingerprint");
    let mut survey = PostingsSurvey::default();
    survey.begin(1).expect("the first");
    survey.number(10);
    survey.number(11);
    let header = survey.header(10, 20, 1, 0);
    let mut encoder = PostingsEncoder::new(header.clone(), &[0], &mut out).expect("sound");
    encoder.begin().expect("the first");
    for number in [9, 20] {
        assert!(encoder.number(number, &mut out).is_err(), "{number} is out of range");
    }
    encoder.number(11, &mut out).expect("in range");
    assert!(encoder.number(11, &mut out).is_err(), "again");
    assert!(encoder.finish(&mut out).is_err(), "a number is missing");
    assert!(PostingsEncoder::new(header, &[0, 1], &mut out).is_err(), "a rank too many");
    // Two lists, two numbers, both in the first: as many documents as fingerprints, but not one each.
    let mut survey = PostingsSurvey::default();
    survey.begin(1).expect("the first");
    survey.number(10);
    survey.number(11);
    survey.begin(2).expect("ascending");
    let mut encoder = PostingsEncoder::new(survey.header(10, 20, 1, 0), &[0], &mut out).expect("sound");
    encoder.begin().expect("the first");
    encoder.number(10, &mut out).expect("in range");
    encoder.number(11, &mut out).expect("in range");
    encoder.begin().expect("not empty");
    assert!(encoder.finish(&mut out).is_err(), "the last list is empty");
}
