//! The tables of SPEC.md are those of the code.

use std::collections::BTreeMap;

use nddb_format::fields::{self, Field};
use nddb_format::parts::{Part, Parts};
use nddb_format::record::{
    Archive, Batch, BatchState, Counters, FAMILIES, Interval, IntervalGroup, Load, MIN_VALUES, PARTS, PROFILE, Print,
    Range, RangeState, Reading, Record, Settings, batch_key, check_id, deleted_key, digest_key, encode_stretch,
    gone_key, id_key, interval_key, load_key, megashingle_key, min_byte, number_id, number_key, page_digest, piece_key,
    range_key, replaced_key, source_key,
};
use nddb_format::scheme::Scheme;
use nddb_format::summaries::{self, Summary};
use nddb_format::{block, deleted, manifest, postings, segment};

use crate::page::{SPEC, names, number, table};

/// The fields of an offset table of SPEC.md: offset, size, name. They leave no gap. A row `start` is the three fields
/// with which every file begins.
fn layout(name: &str) -> Vec<(usize, usize, &'static str)> {
    let mut rows: Vec<_> = table(name).iter().map(|row| (number(row[0]), number(row[1]), row[2])).collect();
    if rows[0].2 == "start" {
        let start = START.map(|field| (field.offset, field.size, field.name));
        assert_eq!(rows[0].1, start.iter().map(|field| field.1).sum::<usize>(), "the start of {name}");
        rows.splice(..1, start);
    }
    let mut end = 0;
    for &(offset, size, field) in &rows {
        assert_eq!(offset, end, "{name}: {field} begins where the field before ends");
        end = offset + size;
    }
    rows
}

const START: [Field; 3] = [fields::MAGIC, fields::FORMAT_VERSION, fields::READER_MIN];

fn structures() -> [(&'static str, &'static [Field]); 11] {
    [
        ("start", &START),
        ("block", &block::FIELDS),
        ("segment header", &segment::HEADER_FIELDS),
        ("segment footer", &segment::FOOTER_FIELDS),
        ("postings header", &postings::HEADER_FIELDS),
        ("postings footer", &postings::FOOTER_FIELDS),
        ("manifest", &manifest::FIELDS),
        ("file entry", &manifest::FILE_FIELDS),
        ("run entry", &manifest::RUN_FIELDS),
        ("deleted set", &deleted::FIELDS),
        ("summaries header", &summaries::HEADER_FIELDS),
    ]
}

#[test]
fn stored_keys_are_the_top_bits_of_an_identity() {
    use nddb_format::keys::{KEY_BITS, KeyKind, stored};
    let samples = [
        ("megashingles", KeyKind::Megashingle, &[1, 2, 3, 4, 5, 6, 7, 8][..]),
        ("pieces", KeyKind::Piece, &[11, 0xf0, 0, 1, 2]),
        ("digests", KeyKind::Digest, &[9; 16]),
    ];
    let rows = table("key families");
    assert_eq!(rows.len(), samples.len());
    for (row, (family, kind, bytes)) in rows.iter().zip(samples) {
        assert_eq!((row[0], number::<u8>(row[1])), (family, kind as u8));
        let hashed = nddb_format::digest::identity(&[&[kind as u8], bytes].concat());
        assert_eq!(stored(kind, bytes), hashed >> (64 - KEY_BITS), "{family}");
    }
}

#[test]
fn summaries_end_as_postings_do() {
    let of = |fields: &[Field]| fields.iter().map(|field| (field.offset, field.size, field.name)).collect::<Vec<_>>();
    assert_eq!(of(&summaries::FOOTER_FIELDS), of(&postings::FOOTER_FIELDS));
}

#[test]
fn offset_tables_are_those_of_the_code() {
    for (name, fields) in structures() {
        let code: Vec<_> = fields.iter().map(|field| (field.offset, field.size, field.name)).collect();
        assert_eq!(layout(name), code, "table {name}");
    }
}

/// A summary of nothing but an id of one letter.
fn bare() -> Summary<'static> {
    Summary { id: "x", ..Summary::default() }
}

/// A catalog value or a summary, and the bytes of each of its fields.
type Sample = (&'static str, Vec<u8>, Vec<(&'static str, Vec<u8>)>);

fn samples() -> Vec<Sample> {
    let le = |value: u64, size: usize| value.to_le_bytes()[..size].to_vec();
    let version = || ("version", vec![1]);
    let print = Print { fingerprint: 0x0102_0304_0506_0708, unprinted: true };
    let record = Record { id: "x".into(), date: Some(1), truncated: true, ..Record::default() };
    let batch = Batch { number: 0x0a0b_0c0d, state: BatchState::Cancelled };
    let range = Range { high: 0x0102_0304_0506, state: RangeState::Loading, batch: 0x0a0b_0c0d };
    let interval = Interval { low: 1, high: 0x0102_0304, ordinal: 0x11_2233, batch: 0x0a0b_0c0d, prefix: "p".into() };
    let archive = Archive {
        path: "p".into(),
        size: 0x11,
        hash: *b"0123456789abcdef",
        finished: true,
        offset: 0x2222,
        inner: 0x33_3333,
        documents: 0x44,
        modified: 0x6666,
        reading: None,
    };
    let reading =
        Reading { limit: 0x5555, format: "jsonl".into(), fields: ["i", "t", "h", "f", "u"].map(str::to_owned) };
    let read = Archive { reading: Some(reading), ..archive.clone() };
    let settings = Settings {
        catalog: 0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10,
        bits: 64,
        k: 3,
        levels: Some(vec![5, 4]),
        restart: 0x20,
        recipe: "r".into(),
        keeps_words: false,
    };
    let summary =
        Summary { fingerprint: 0x0102_0304_0506_0708, is_without_terms: true, profile: Some([0; PROFILE]), ..bare() };
    let mut summarized = Vec::new();
    summary.encode_into(&mut summarized);
    let counters = Counters { next_number: 0x11, commits: 0x22, live: 0x33, next_archive: 0x44, next_batch: 0x55 };
    vec![
        (
            "print",
            print.encode().to_vec(),
            vec![version(), ("flags", vec![1]), ("fingerprint", le(print.fingerprint, 8))],
        ),
        ("record", record.encode()[..3].to_vec(), vec![version(), ("flags", le(1 << 2 | 1 << 10, 2))]),
        ("batch", batch.encode(), vec![version(), ("state", vec![2]), ("number", le(0x0a0b_0c0d, 4))]),
        (
            "number range",
            range.encode(),
            vec![version(), ("state", vec![2]), ("batch", le(0x0a0b_0c0d, 4)), ("high", le(range.high, 8))],
        ),
        ("load", Load { high: 0x0102_0304 }.encode(), vec![version(), ("high", le(0x0102_0304, 8))]),
        ("stretch", encode_stretch(&(1..0x0102_0304)), vec![version(), ("high", le(0x0102_0304, 8))]),
        (
            "interval",
            interval.encode()[..21].to_vec(),
            vec![
                version(),
                ("high", le(interval.high, 8)),
                ("ordinal", le(interval.ordinal, 8)),
                ("batch", le(0x0a0b_0c0d, 4)),
            ],
        ),
        ("group", IntervalGroup::encode(&[1])[..1].to_vec(), vec![("version", vec![2])]),
        (
            "archive",
            archive.encode()[..58].to_vec(),
            vec![
                version(),
                ("finished", vec![1]),
                ("size", le(0x11, 8)),
                ("hash", archive.hash.to_vec()),
                ("offset", le(0x2222, 8)),
                ("inner", le(0x33_3333, 8)),
                ("documents", le(0x44, 8)),
                ("modified", le(0x6666, 8)),
            ],
        ),
        ("reading", read.encode()[archive.encode().len()..][..8].to_vec(), vec![("limit", le(0x5555, 8))]),
        (
            "settings",
            settings.encode()[..27].to_vec(),
            vec![
                version(),
                ("bits", vec![64]),
                ("k", vec![3]),
                ("flags", vec![1]),
                ("levels", vec![2]),
                ("groups", vec![5, 4, 0, 0]),
                ("restart", le(0x20, 2)),
                ("catalog", settings.catalog.to_le_bytes().to_vec()),
            ],
        ),
        (
            "summary",
            summarized[..10].to_vec(),
            vec![("flags", le(1 << 4 | 1 << 9, 2)), ("fingerprint", le(summary.fingerprint, 8))],
        ),
        (
            "counters",
            counters.encode(),
            vec![
                version(),
                ("next_number", le(0x11, 8)),
                ("commits", le(0x22, 8)),
                ("live", le(0x33, 8)),
                ("next_archive", le(0x44, 4)),
                ("next_batch", le(0x55, 4)),
            ],
        ),
    ]
}

#[test]
fn values_have_their_fields_where_the_tables_say() {
    for (name, bytes, fields) in samples() {
        let layout = layout(name);
        assert_eq!(layout.last().map(|&(offset, size, _)| offset + size), Some(bytes.len()), "{name} ends");
        assert_eq!(layout.len(), fields.len(), "fields of {name}");
        for ((offset, size, field), (expected, value)) in layout.into_iter().zip(fields) {
            assert_eq!((field, &bytes[offset..offset + size]), (expected, &value[..]), "{name}");
        }
    }
}

#[test]
fn the_parts_of_a_record_are_those_of_the_code() {
    let rows = table("record parts");
    assert_eq!(rows.len(), PARTS.len());
    for (bit, (row, &(name, size))) in rows.iter().zip(&PARTS).enumerate() {
        let text = ["url", "site", "words"].contains(&name);
        let said = match name {
            _ if text => "text".to_owned(),
            "parts" => "varies".to_owned(),
            _ => size.to_string(),
        };
        assert_eq!(row[..3], [bit.to_string(), said, name.to_owned()], "part {name}");
    }
}

#[test]
fn the_digest_of_a_page_is_of_the_bytes_that_spec_names() {
    for (is_markup, named) in [(true, "hutf-8\0<p>a"), (false, "tutf-8\0<p>a")] {
        let expected = xxhash_rust::xxh3::xxh3_128(named.as_bytes()).to_be_bytes();
        assert_eq!(page_digest(is_markup, "utf-8", b"<p>a"), expected, "{named}");
    }
    let record = Record { id: "x".into(), page: Some([7; 16]), ..Record::default() };
    assert_eq!(record.encode()[8..], [7; 16]);
}

#[test]
fn the_parts_of_a_text_are_encoded_as_spec_says() {
    let selected = vec![Part { hash: 0x05_0403_0201, at: 0 }, Part { hash: 1, at: 300 }];
    let parts = Parts { window: 12, words: 0x0102, selected };
    let of = |parts| Record { id: "x".into(), parts, ..Record::default() }.encode();
    let (with, without) = (of(Some(Box::new(parts))), of(None));
    let head = [vec![12], vec![2, 1, 0, 0], vec![2, 0, 0, 0]];
    let expected = [(0, 1, "window"), (1, 4, "words"), (5, 4, "count")];
    assert_eq!(layout("parts"), expected);
    assert_eq!(head.each_ref().map(Vec::len), expected.map(|(_, size, _)| size));
    assert_eq!(with[without.len()..], [&head.concat()[..], &[0, 1, 2, 3, 4, 5], &[0xac, 2, 1, 0, 0, 0, 0]].concat());
}

#[test]
fn the_parts_of_a_summary_are_those_of_the_code() {
    let rows = table("summary parts");
    assert_eq!(rows.len(), summaries::PARTS.len());
    let with: [Summary<'_>; 11] = [
        Summary { url: Some("url"), ..bare() },
        Summary { url: Some("x"), ..bare() },
        Summary { site: Some("a site"), ..bare() },
        Summary { url: Some("url"), site: Some("rl"), ..bare() },
        Summary { is_without_terms: true, ..bare() },
        Summary { digest: Some([2; 16]), ..bare() },
        Summary { min_bytes: Some([3; MIN_VALUES]), ..bare() },
        Summary { supershingles: Some([4; 6]), ..bare() },
        Summary { projection: Some([5; 6]), ..bare() },
        Summary { profile: Some([0xff; PROFILE]), ..bare() },
        Summary { tokens: Some(6), ..bare() },
    ];
    let encoded = |summary: &Summary<'_>| {
        let mut bytes = Vec::new();
        summary.encode_into(&mut bytes);
        bytes
    };
    let without = encoded(&bare());
    for (bit, ((row, &(name, size)), summary)) in rows.iter().zip(&summaries::PARTS).zip(&with).enumerate() {
        let said = match name {
            "url" | "site" => "name".to_owned(),
            "profile" => "varies".to_owned(),
            _ => size.to_string(),
        };
        assert_eq!(row[..3], [bit.to_string(), said, name.to_owned()], "part {name}");
        let bytes = encoded(summary);
        let also = u16::from(name == "site_in_url");
        assert_eq!(u16::from_le_bytes([bytes[0], bytes[1]]), 1 << bit | also, "the flag of {name}");
        let expected = match name {
            // With an address.
            "site_in_url" => size + 4,
            "url" | "site" => 1 + summary.url.or(summary.site).map_or(0, str::len),
            // The maximum number of elements is present.
            "profile" => PROFILE,
            _ => size,
        };
        assert_eq!(bytes.len() - without.len(), expected, "bytes of {name}");
    }
}

#[test]
fn min_bytes_are_made_as_the_table_says() {
    let rows = table("record parts");
    let said = rows.iter().find(|row| row[2] == "min_bytes").expect("a row")[3];
    let (start, rest) = said.split_once("`v * 0x").expect("a product");
    let odd = u64::from_str_radix(rest.trim_end_matches('`'), 16).expect("hexadecimal");
    assert!(start.contains("the bits 24 to 31 of"), "{said}");
    for value in (0..64).map(|bit| (1u64 << bit | 0x5a5a) as u32) {
        assert_eq!(u64::from(min_byte(value)), ((u64::from(value) * odd) >> 24) & 0xff, "{value:#x}");
    }
}

#[test]
fn keys_are_laid_out_as_the_table_says() {
    let (n, hash, batch, digest) = (0x0102_0304_0506_0708u64, 0x1112_1314_1516_1718u64, 0x2122_2324u32, [7u8; 16]);
    let big = |value: u64| value.to_be_bytes().to_vec();
    let parts: BTreeMap<&str, Vec<u8>> = BTreeMap::from([
        ("number (8)", big(n)),
        ("low (8)", big(n)),
        ("generation (8)", big(9)),
        ("hash (8)", big(hash)),
        ("batch (4)", batch.to_be_bytes().to_vec()),
        ("archive (4)", batch.to_be_bytes().to_vec()),
        ("content digest (16)", digest.to_vec()),
        ("index (1)", vec![11]),
        ("bytes of the projection (4)", vec![1, 2, 3, 4]),
        ("id", b"an id".to_vec()),
        ("name", b"a name".to_vec()),
        ("`00`", vec![0]),
        ("`01`", vec![1]),
        ("`02`", vec![2]),
        ("`03`", vec![3]),
        ("`04`", vec![4]),
        ("`05`", vec![5]),
        ("`settings`", b"settings".to_vec()),
        ("`counters`", b"counters".to_vec()),
    ]);
    let code: Vec<Vec<u8>> = vec![
        number_key(n).to_vec(),
        number_key(n).to_vec(),
        id_key("an id", n),
        megashingle_key(hash, n),
        piece_key(11, [1, 2, 3, 4], n),
        digest_key(&digest, n),
        source_key(batch).to_vec(),
        batch_key("a name"),
        range_key(n),
        replaced_key(batch, n),
        interval_key(n),
        gone_key(n),
        load_key(n),
        deleted_key(9, n),
        b"settings".to_vec(),
        b"counters".to_vec(),
    ];
    let rows = table("keys");
    let said: Vec<Vec<u8>> = rows
        .iter()
        .map(|row| row[1].split(", ").flat_map(|part| parts.get(part).expect("a part").clone()).collect())
        .collect();
    assert_eq!(said, code);
    let mut families: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    families.dedup();
    assert_eq!(families, FAMILIES);
}

#[test]
fn ids_have_the_bytes_that_the_table_says() {
    let rows = table("ids");
    assert_eq!(rows.len(), 3);
    for row in rows {
        let id = match row[0].strip_prefix("the number ") {
            Some(digits) => number_id(digits),
            None => row[0].strip_prefix("the text ").expect("a text or a number").trim_matches('`').to_owned(),
        };
        check_id(&id).expect("an id");
        let bytes: Vec<String> = id.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(row[1], format!("`{}`", bytes.join(" ")), "{row:?}");
    }
}

#[test]
fn magics_are_those_of_the_code() {
    let files: [(&str, &[u8]); 7] = [
        ("segment header", segment::header::MAGIC),
        ("segment footer", segment::FOOTER_MAGIC),
        ("postings header", postings::header::MAGIC),
        ("postings footer", postings::header::FOOTER_MAGIC),
        ("manifest", manifest::MAGIC),
        ("deleted set", deleted::MAGIC),
        ("summaries header", summaries::header::MAGIC),
    ];
    let magic = |letter: u8| [0x89, b'n', b'd', b'd', b'b', letter, b'\r', b'\n'];
    for (name, code) in files {
        assert_eq!(code, magic(code[5]), "{name}");
        assert_eq!(table(name)[0][3], format!("letter `{}` (3.2)", char::from(code[5])), "{name}");
    }
    let bytes = magic(b'V');
    assert_eq!(summaries::header::FOOTER_MAGIC, &bytes);
    assert!(SPEC.contains("a footer as in 7.4, with the letter `V`"));
    let said: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(SPEC.contains(&format!("Every magic is `{}`", said.join(" ").replace(" 56 ", " xx "))));
}

#[test]
fn the_scheme_of_the_example_is_listed_in_full() {
    let scheme = Scheme::new(16, 1, &[3, 2], 0).expect("a scheme");
    let lines = scheme.tables().iter().enumerate().map(|(index, table)| {
        let groups: Vec<String> = table.groups().iter().map(|group| format!("{}+{}", group.low, group.width)).collect();
        format!("| {index} | {} | {} |", table.prefix(), groups.join(" "))
    });
    let expected: Vec<String> = lines.collect();
    let found: Vec<String> = table("scheme").iter().map(|row| format!("| {} |", row.join(" | "))).collect();
    assert!(found == expected, "table scheme of SPEC.md should read:\n{}\n<<<", expected.join("\n"));
}

#[test]
fn every_table_is_compared_with_the_code() {
    let mut known: Vec<&str> = structures().map(|(name, _)| name).to_vec();
    known.extend(samples().iter().map(|sample| sample.0));
    known.extend(["scheme", "record parts", "summary parts", "keys", "key families", "ids", "rejections"]);
    known.extend(["megashingles", "names", "parts", "profile"]);
    known.sort_unstable();
    let mut found = names("table");
    found.sort_unstable();
    assert_eq!(found, known);
}
