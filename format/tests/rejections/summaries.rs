//! The rules of files of summaries.

use nddb_format::Result;
use nddb_format::fields::Field;
use nddb_format::record::Record;
use nddb_format::summaries::header::*;
use nddb_format::summaries::{FOOTER_SIZE, Summaries, SummariesEncoder, SummariesHeader, SummariesSurvey, Summary};

use crate::{fault, put, restamp, untouched};

/// A file of the summaries of the numbers 1000 to 1013 and 1910 to 1914: the last five are those of the second entry of
/// the directory and of the third of presence. The second of presence has none, and the last number has one.
pub(super) fn file() -> Vec<u8> {
    let all: Vec<(u64, Vec<u8>)> = (1000..1014)
        .chain(1910..1915)
        .map(|number| {
            let record = Record { id: number.to_string(), ..Record::default() };
            let mut summary = Vec::new();
            Summary::of(number * number, &record).encode_into(&mut summary);
            (number, summary)
        })
        .collect();
    let mut survey = SummariesSurvey::default();
    all.iter().for_each(|(number, summary)| survey.push(*number, summary));
    let mut out = Vec::new();
    let mut encoder = SummariesEncoder::new(survey.header(1000, 1915), &mut out).expect("a header");
    all.iter().try_for_each(|(number, summary)| encoder.push(*number, summary, &mut out)).expect("ascending");
    encoder.finish(&mut out).expect("the same summaries");
    out
}

pub(super) fn check(file: &[u8]) -> Result<()> {
    Summaries::open(file)?.verify()
}

fn summaries_fault(change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut file = self::file();
    change(&mut file);
    restamp::summaries(&mut file);
    fault(check(&file))
}

#[test]
fn summaries_headers_that_break_a_rule_are_refused() {
    let of = |field: Field, value| summaries_fault(|file| field.put(file, value));
    assert_eq!(of(LOW, 1000), "nothing");
    assert_eq!(of(RESERVED, 1), "reserved bytes are zero");
    assert_eq!(summaries_fault(|file| file[PADDING.offset + 9] = 1), "reserved bytes are zero");
    for (field, value) in [(LOW, 1915), (HIGH, 1000), (HIGH, (1 << 40) + 1)] {
        assert_eq!(of(field, value), "the number range is not empty and ends at 2^40 at most");
    }
    for documents in [0, 916] {
        assert_eq!(of(DOCUMENTS, documents), "there is a summary, and of each number of the range at most one");
    }
    for size in [18, (1 << 50) + 1] {
        assert_eq!(of(SIZE, size), "no summary is empty, and all have at most 2^50 bytes");
    }
    assert_eq!(of(SIZE, 1 << 50), "Truncated");
    let mut file = self::file();
    IDENTITY.put(&mut file, 1);
    restamp::crc(&mut file[..HEADER_SIZE], CHECKSUM);
    assert_eq!(fault(check(&file)), "identity is the hash of the bytes before it");
}

#[test]
fn summaries_that_break_a_rule_are_refused() {
    let with = |change: &dyn Fn(&mut [u8])| {
        let mut file = self::file();
        let at = file.len() - FOOTER_SIZE;
        change(&mut file[at..]);
        restamp::crc(&mut file[at..], FOOTER_CHECKSUM);
        fault(check(&file))
    };
    assert_eq!(with(&|_| ()), "nothing");
    assert_eq!(with(&|footer| footer[0] = 0), "the file ends with a footer and its magic");
    assert_eq!(with(&|footer| FOOTER_IDENTITY.put(footer, 1)), "header and footer have the same identity");
    assert_eq!(with(&|footer| PAGES_CHECKSUM.put(footer, 1)), "Checksum");
    assert_eq!(summaries_fault(|file| file.push(0)), "the file is as long as its header says");

    let file = self::file();
    let header = SummariesHeader::decode(&file).expect("a header");
    let directory = HEADER_SIZE + header.size.next_multiple_of(64) as usize;
    // Entries are 64 bytes: an offset, and an end for each of 14 summaries.
    let end_of =
        |entry: usize, index: usize| Field { offset: directory + 64 * entry + 8 + 4 * index, size: 4, name: "" };
    let entry = |entry: usize, value: u64| summaries_fault(|file| put(file, directory + 64 * entry, value));
    let end = |field: Field, by: i64| {
        let value = field.get(&file).wrapping_add_signed(by);
        summaries_fault(|file| field.put(file, value))
    };
    let order = "summaries end in the order of their numbers";
    assert_eq!(end(end_of(0, 3), -20), order);
    assert_eq!(end(end_of(1, 4), 1), order);
    assert_eq!(entry(1, header.size), order);
    for of in [0, 1] {
        assert_eq!(entry(of, u64::MAX), order, "entry {of}");
    }
    let gap = "each summary begins where the one before ends";
    assert_eq!(entry(0, 1), gap);
    for base in [0, 14 * 15 - 1, 14 * 15 + 1] {
        // The last end is changed, too: no end is above the size.
        let changed = |file: &mut Vec<u8>| {
            put(file, directory + 64, base);
            (4..14).for_each(|index| end_of(1, index).put(file, 5 * 15 - 1));
        };
        assert_eq!(summaries_fault(changed), gap, "the second entry begins at {base}");
    }
    assert_eq!(end(end_of(0, 13), -1), "Truncated");
    let empty = "a number that is present has a summary";
    assert_eq!(end(end_of(0, 3), -15), empty);
    assert_eq!(end(end_of(1, 0), -15), empty);
    let after = "nothing stands after the last summary";
    for index in [5, 13] {
        let changed = |file: &mut Vec<u8>| {
            SIZE.put(file, header.size + 1);
            (index..14).for_each(|index| end_of(1, index).put(file, 5 * 15 + 1));
        };
        assert_eq!(summaries_fault(changed), after, "end {index}");
        assert_eq!(end(end_of(1, index), 1), order, "end {index} is above the size");
    }

    // As large as those of the directory: a count, and a bit for each of 448 numbers.
    let presence = directory + 64 * 2;
    let count = |entry: usize, value: u64| summaries_fault(|file| put(file, presence + 64 * entry, value));
    let flipped = |numbers: &[usize]| {
        summaries_fault(|file| {
            for number in numbers.iter().map(|number| number - 1000) {
                file[presence + 64 * (number / 448) + 8 + number % 448 / 8] ^= 1 << (number % 448 % 8);
            }
        })
    };
    let counts = "presence counts the summaries before";
    for (entry, sound) in [(0, 0), (1, 14), (2, 14)] {
        assert_eq!(count(entry, sound), "nothing");
        for value in [sound + 1, sound.wrapping_sub(1)] {
            assert_eq!(count(entry, value), counts, "entry {entry}");
        }
    }
    assert_eq!(flipped(&[1005]), counts);
    assert_eq!(flipped(&[1500]), counts);
    let range = "a number with a summary is in the run's range";
    assert_eq!(summaries_fault(|file| HIGH.put(file, 1914)), range);
    for number in [1915, 1000 + 3 * 448 - 1] {
        assert_eq!(flipped(&[number]), range, "{number}");
        assert_eq!(flipped(&[1914, number]), range, "the last summary is that of {number}");
    }
    assert_eq!(summaries_fault(|file| SIZE.put(file, header.size + 1)), "size is that of all summaries");
    let documents = "documents is the number of summaries";
    for value in [18, 20] {
        assert_eq!(summaries_fault(|file| DOCUMENTS.put(file, value)), documents);
    }
    assert_eq!(flipped(&[1909]), documents);
    assert_eq!(flipped(&[1912]), documents);
    let digest = "digest is that of the summaries";
    assert_eq!(summaries_fault(|file| file[DIGEST.offset] ^= 1), digest);
    assert_eq!(summaries_fault(|file| file[HEADER_SIZE + 3] ^= 1), digest);
    assert_eq!(flipped(&[1005, 1020]), digest);
    assert_eq!(flipped(&[1914, 1909]), digest);
    assert_eq!(summaries_fault(|file| file[directory - 1] = 1), "the bytes after the summaries are zero");

    // The first summary: flags, fingerprint, an id of four bytes.
    let byte = |offset: usize, value: u8| summaries_fault(|file| file[HEADER_SIZE + offset] = value);
    assert_eq!(byte(0, 0), "nothing");
    assert_eq!(byte(1, 8), "unknown flags are zero");
    assert_eq!(byte(10, 200), "Truncated");
    assert_eq!(byte(11, 0xff), "text is UTF-8");
    assert_eq!(byte(11, 0), "an id has 1 to 4096 bytes and no NUL");
    assert_eq!(byte(10, 3), "nothing stands after the last field");
    for flags in [3, 12] {
        assert_eq!(byte(0, flags), "address and site stand in one place");
    }
    // The last two bytes of the id are a place.
    let placed = |flags: u8, start: u8| {
        summaries_fault(|file| {
            file[HEADER_SIZE] = flags;
            file[HEADER_SIZE + 10..][..5].copy_from_slice(&[2, b'i', b'd', start, 2]);
        })
    };
    assert_eq!(placed(16 + 10, 0), "digest is that of the summaries");
    for (flags, start) in [(16 + 10, 1), (16 + 10, 3), (16 + 8, 0)] {
        assert_eq!(placed(flags, start), "the place of the site is one in the address", "flags {flags}, from {start}");
    }
    let opened = Summaries::open(&file[..]).expect("sound");
    for number in [999, 1014, 1500, 1909, 1915] {
        assert_eq!(opened.find(number, &untouched), Ok(None), "{number}");
    }

    // A look-up reads only one entry of presence and one of the directory, and finds these faults.
    let found = |number: u64, change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = self::file();
        change(&mut file);
        restamp::summaries(&mut file);
        let opened = Summaries::open(&file[..]).expect("opening reads no entry");
        fault(opened.find(number, &untouched).map(|_| ()))
    };
    let beyond = "a summary is one of as many as there are";
    for (count, expected) in [(14, "nothing"), (15, beyond), (u64::MAX, beyond)] {
        assert_eq!(found(1914, &|file| put(file, presence + 128, count)), expected, "{count} before");
    }
    assert_eq!(found(1910, &|file| put(file, presence + 128, 18)), "nothing", "the last one, for another");
    assert_eq!(found(1003, &|file| end_of(0, 3).put(file, 3 * 15)), empty);
    assert_eq!(found(1003, &|file| end_of(0, 3).put(file, 0)), order);
    assert_eq!(found(1004, &|file| put(file, directory, u64::MAX)), order);
}

/// The fuzz target corrects the checksums of any bytes, of every size.
#[test]
fn summaries_of_any_size_can_be_stamped() {
    let fixed = HEADER_SIZE + FOOTER_SIZE;
    for size in (0..fixed + 16).chain([fixed + 4096, fixed + 4100, fixed + 4101, fixed + 8200]) {
        let mut file = vec![0xa5; size];
        restamp::summaries(&mut file);
        assert_eq!(file.len(), size);
        assert!(Summaries::open(&file[..]).is_err());
    }
}

#[test]
fn writers_of_summaries_refuse_input_that_breaks_a_rule() {
    let mut out = Vec::new();
    let mut survey = SummariesSurvey::default();
    survey.push(10, b"summary");
    let header = survey.header(10, 20);
    let mut encoder = SummariesEncoder::new(header, &mut out).expect("a header");
    let refused = "numbers ascend and are in the run's range, and no summary is empty";
    for (number, summary) in [(9, &b"summary"[..]), (20, b"summary"), (10, b"")] {
        assert_eq!(fault(encoder.push(number, summary, &mut out)), refused);
    }
    encoder.push(10, b"summary", &mut out).expect("in range");
    assert_eq!(fault(encoder.push(10, b"summary", &mut out)), refused);
    encoder.push(11, b"summary", &mut out).expect("in range");
    assert_eq!(fault(encoder.finish(&mut out)), "both passes see the same summaries");
}
