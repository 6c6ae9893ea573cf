//! The hashes by which documents are found are those of SPEC.md.

use nddb_format::document_keys::{content_key, megashingles, part};
use nddb_format::profile::{BandParts, LeadingWords, Numbers, Profile, WORDS};

use crate::page::table;

/// The rows of the table of hashes: kind, number of hashes, first and last.
fn rows() -> Vec<(&'static str, usize, u64, u64)> {
    let hash = |cell: &str| u64::from_str_radix(cell.trim_matches('`'), 16).expect("a hash");
    let rows = table("megashingles").into_iter();
    rows.map(|row| (row[0], row[1].parse().expect("a number"), hash(row[3]), hash(row[4]))).collect()
}

/// A profile whose fields all differ.
fn profile() -> Profile {
    Profile {
        short: std::array::from_fn(|index| index as u8),
        whole: std::array::from_fn(|index| 100 + index as u8),
        title: LeadingWords { total: 16, words: std::array::from_fn(|index| 0x80_0100 + index as u32) },
        address: LeadingWords { total: 18, words: std::array::from_fn(|index| 0xc0_0300 + index as u32) },
        headings: LeadingWords { total: 17, words: std::array::from_fn(|index| 0x40_0200 + index as u32) },
        numbers: Numbers { total: 0x1234, least: std::array::from_fn(|index| 0x300 + index as u16) },
        terms: 0x0506_0708,
        whole_terms: 0x2122_2324,
        host: 0x1112_1314,
        page: 0x3132_3334,
        is_whole: true,
        classes: [1, 7],
        is_text: false,
        content: 0x0807_0605_0403_0201,
    }
}

#[test]
fn the_hashes_of_spec_are_those_of_the_code() {
    let mega = megashingles(&std::array::from_fn(|index| index as u64));
    let (bands, content) = (profile().bands(), content_key(profile().content));
    let expected = [
        ("megashingle", 15, mega[0], mega[14]),
        ("short band", 12, bands[0], bands[11]),
        ("named band", 12, bands[12], bands[23]),
        ("whole band", 6, bands[24], bands[29]),
        ("content", 1, content, content),
        ("part", 1, part(0x05_0403_0201), part(0x05_0403_0201)),
    ];
    assert_eq!(rows(), expected, "{:016x?}", expected);
}

/// Reads words in hexadecimal, separated by spaces.
fn words(cell: &str) -> LeadingWords {
    let mut words = LeadingWords::default();
    for word in cell.trim_matches('`').split_whitespace() {
        words.words[usize::from(words.total)] = u32::from_str_radix(word, 16).expect("hexadecimal");
        words.total += 1;
    }
    assert!(usize::from(words.total) <= WORDS);
    words
}

/// The name decides the named bands, and nothing else of title and headings does.
#[test]
fn the_names_of_spec_are_those_of_the_code() {
    let rows = table("names");
    let band = |title: &str, headings: &str| {
        let profile = Profile { title: words(title), headings: words(headings), ..profile() };
        format!("`{:016x}`", profile.bands()[12])
    };
    let expected: Vec<String> = rows.iter().map(|row| band(row[0], row[1])).collect();
    assert_eq!(rows.iter().map(|row| row[3]).collect::<Vec<_>>(), expected);
    for row in &rows {
        assert_eq!(band(row[0], row[1]), band(row[2], ""), "{row:?}");
    }
}

#[test]
fn a_profile_has_its_fields_where_the_table_says() {
    let profile = profile();
    let bytes = profile.to_bytes();
    assert_eq!(Profile::from_bytes(&bytes), profile);
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()[..3].to_vec()).collect::<Vec<u8>>();
    let numbers = profile.numbers.least.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    let fields = [
        ("short", profile.short.to_vec()),
        ("whole", profile.whole.to_vec()),
        ("title_total", vec![16]),
        ("title", words(&profile.title.words)),
        ("headings_total", vec![17]),
        ("headings", words(&profile.headings.words)),
        ("address_total", vec![18]),
        ("address", words(&profile.address.words)),
        ("numbers_total", vec![0x34, 0x12]),
        ("numbers", numbers),
        ("terms", vec![8, 7, 6, 5]),
        ("whole_terms", vec![0x24, 0x23, 0x22, 0x21]),
        ("host", vec![0x14, 0x13, 0x12, 0x11]),
        ("page", vec![0x34, 0x33, 0x32, 0x31]),
        ("flags", vec![1 | 1 << 2 | 7 << 5]),
        ("content", vec![1, 2, 3, 4, 5, 6, 7, 8]),
    ];
    let mut at = 0;
    let rows = table("profile");
    assert_eq!(rows.len(), fields.len());
    for (row, (name, value)) in rows.iter().zip(fields) {
        assert_eq!(row[..3], [at.to_string(), value.len().to_string(), name.to_owned()]);
        assert_eq!(bytes[at..at + value.len()], value, "{name}");
        at += value.len();
    }
    assert_eq!(at, bytes.len());
    let text = Profile { is_whole: false, is_text: true, ..profile };
    let mut expected = bytes;
    expected[at - 9] = 2 | 1 << 2 | 7 << 5;
    assert_eq!((text.to_bytes(), Profile::from_bytes(&expected)), (expected, text));
}

#[test]
fn the_bands_of_an_encoded_profile_are_those_of_the_profile() {
    let by_title = profile();
    let by_headings = Profile { title: LeadingWords::default(), headings: by_title.title, ..by_title.clone() };
    let nameless = Profile { headings: LeadingWords::default(), ..by_headings.clone() };
    assert_ne!(by_headings.bands(), nameless.bands());
    for profile in [by_title, by_headings, nameless] {
        assert_eq!(BandParts::of_bytes(&profile.to_bytes()).bands(), profile.bands());
    }
}
