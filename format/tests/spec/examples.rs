//! The examples of SPEC.md: the listed values encode to the listed bytes, and these decode to them.

use std::ops::Range;

use nddb_format::block::{self, Block, BlockEncoder, PADDED_SIZE, Padded};
use nddb_format::digest::{self, Digest};
use nddb_format::fingerprint::low_mask;
use nddb_format::huffman::{self, Code, Decoder};
use nddb_format::manifest::{FileEntry, KeyTable, Manifest, RunEntry};
use nddb_format::postings::Postings;
use nddb_format::record::{Interval, Record, SourcePosition};
use nddb_format::scheme::Scheme;
use nddb_format::segment::Segment;
use nddb_format::summaries::{Summaries, SummariesEncoder, SummariesSurvey, Summary};
use nddb_format::{Fingerprint, FormatError, deleted};
use roaring::RoaringTreemap;

use crate::page::{SPEC, dump, fence, fences, hex, names, number, same, undump, value, values};
use crate::run::Run;

/// The lines of an example with its values, without lines that follow from other lines.
fn given(text: &str, derived: &[&str]) -> String {
    let lines = text.lines().filter(|line| !derived.contains(&line.split_whitespace().next().unwrap_or_default()));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn hashes() {
    let text = fence("hashes", "text");
    let mut lines = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (input, _) = words[1..].split_at(words.len() - 2);
        let quoted = |word: &str| word.trim_matches('"').as_bytes().to_vec();
        let result = match words[0] {
            "mix" => format!("{:016x}", digest::mix(hex(input[0]))),
            "crc32" => format!("{:08x}", crc32fast::hash(&quoted(input[0]))),
            "identity" => format!("{:016x}", digest::identity(&quoted(input[0]))),
            "seeded" => {
                format!("{:08x}", digest::checksum(hex(input[0]), number(input[1]), &quoted(input[2])))
            }
            "set_digest" | "pair_digest" => {
                let mut sum = Digest::default();
                for word in input {
                    match word.split_once(':') {
                        Some((value, of)) => sum.add_pair(hex(value), number(of)),
                        None => sum.add_fingerprint(hex(word)),
                    }
                }
                format!("{:032x}", sum.0)
            }
            other => panic!("{other} is a hash"),
        };
        let left = words[..words.len() - 1].join(" ");
        lines.push_str(&format!("{left:52} {result}\n"));
    }
    same("hashes", text, &lines);
}

#[test]
fn codes() {
    for text in fences("code", "text") {
        let counts: Vec<u64> = values(text, "counts")[0].iter().map(|word| number(word)).collect();
        let lengths = huffman::lengths(&counts);
        let code = Code::new(&lengths, counts.len() as u8).expect("a complete code");
        let said: Vec<String> = lengths[..counts.len()].iter().map(u8::to_string).collect();
        let words: Vec<String> = (0..counts.len() as u32).map(|h| bits(code.word(h).0, code.word(h).1)).collect();
        let expected =
            format!("{}lengths {}\nwords   {}\n", given(text, &["lengths", "words"]), said.join(" "), words.join(" "));
        same("code", text, &expected);
    }
}

/// `len` bits in the order of the stream.
fn bits(value: u64, len: u32) -> String {
    (0..len).map(|bit| if value >> bit & 1 == 1 { '1' } else { '0' }).collect()
}

#[test]
fn a_block_of_five() {
    let text = fence("block", "text");
    let (identity, restart) = (hex(value(text, "identity")), number::<u16>(value(text, "restart")));
    let prints: Vec<u64> = values(text, "fingerprints")[0].iter().map(|word| hex(word)).collect();
    let mut counts = [0; 64];
    prints.windows(2).for_each(|pair| counts[63 - (pair[0] ^ pair[1]).leading_zeros() as usize] += 1);
    let lengths = huffman::lengths(&counts);
    let code = Code::new(&lengths, 64).expect("a complete code");
    let mut expected = given(text, &["lengths", "entry"]);
    assert_eq!(lengths, [lengths[0]; 64], "words of one length");
    expected.push_str(&format!("lengths {}\n", lengths[0]));
    let mut position = 0;
    for index in 1..prints.len() {
        let base = if index.is_multiple_of(usize::from(restart)) { prints[0] } else { prints[index - 1] };
        let difference = prints[index] ^ base;
        let h = 63 - difference.leading_zeros();
        let (word, length) = code.word(h);
        let low = if h == 0 { "-".to_owned() } else { bits(difference & low_mask(h as u8), h) };
        expected.push_str(&format!("entry {index} {base:016x} {h} {} {low} {position}\n", bits(word, length)));
        position += length + h;
    }
    same("block", text, &expected);

    let mut encoder = BlockEncoder::new(code.clone(), identity, restart);
    let mut bytes = Vec::new();
    prints.iter().for_each(|&print| assert_eq!(encoder.push(print, &mut bytes), None));
    encoder.flush(&mut bytes);
    let said = fence("block", "hex");
    same("block", said, &dump(&bytes));

    let mut padded: Padded = [0; PADDED_SIZE];
    padded[..block::BLOCK_SIZE].copy_from_slice(&undump(said));
    block::check(&padded, identity, 0).expect("its checksum");
    let decoder = Decoder::new(&code, 64);
    let mut decoded = Vec::new();
    Block::new(&padded, &decoder, restart).expect("a head").decode(&mut decoded).expect("a stream");
    assert_eq!(decoded, prints);
}

/// The run of the examples.
fn run() -> Run {
    let text = fence("run", "text");
    let levels: Vec<u8> = values(text, "levels")[0].iter().map(|word| number(word)).collect();
    let (bits, k) = (number(value(text, "bits")), number(value(text, "k")));
    let list = |words: &Vec<&str>| (hex(words[0]), words[1..].iter().map(|word| number(word)).collect());
    Run {
        scheme: Scheme::new(bits, k, &levels, number(value(text, "restart"))).expect("a scheme"),
        low: number(value(text, "low")),
        high: number(value(text, "high")),
        lists: values(text, "list").iter().map(list).collect(),
    }
}

fn untouched(_: std::ops::Range<u64>) -> Result<(), FormatError> {
    Ok(())
}

#[test]
fn a_segment() {
    let run = run();
    let said = fence("segment", "hex");
    same("segment", said, &dump(&run.segment(1)));
    let bytes = undump(said);
    let segment = Segment::open(&bytes[..]).expect("a segment");
    segment.verify().expect("a sound segment");
    assert_eq!(segment.header().table, run.scheme.tables()[1]);
    let mut decoded = Vec::new();
    segment.block(0).expect("a block").decode(&mut decoded).expect("a stream");
    assert_eq!(decoded, run.permuted(1));
    let named: Vec<String> = decoded.iter().map(|value| format!("{value:04x}")).collect();
    assert!(SPEC.contains(&format!("its permuted fingerprints are `{}`", named.join(" "))), "{named:?}");
}

#[test]
fn postings_with_a_shared_fingerprint() {
    let run = run();
    let said = fence("postings", "hex");
    same("postings", said, &dump(&run.postings()));
    let bytes = undump(said);
    let postings = Postings::open(&bytes[..]).expect("postings");
    postings.verify().expect("sound postings");
    for (rank, (_, numbers)) in (0..).zip(&run.lists) {
        let list = postings.list(rank, &untouched).expect("a list");
        let read: Vec<u64> = list.map(|index| postings.number(index, &untouched).expect("a number")).collect();
        assert_eq!(&read, numbers);
    }
}

#[test]
fn a_deleted_set() {
    let set: RoaringTreemap =
        values(fence("deleted set", "text"), "numbers")[0].iter().map(|word| number::<u64>(word)).collect();
    let said = fence("deleted set", "hex");
    same("deleted set", said, &dump(&deleted::encode(&set)));
    assert_eq!(deleted::decode(&undump(said)), Ok(set));
}

#[test]
fn a_manifest() {
    let (run, text) = (run(), fence("manifest", "text"));
    let file = |number, bytes: &[u8], identity| FileEntry {
        number,
        length: bytes.len() as u64,
        identity,
        checksum: crc32fast::hash(bytes),
    };
    let segments: Vec<FileEntry> = (0..run.scheme.tables().len())
        .map(|table| {
            let bytes = run.segment(table);
            let identity = Segment::open(&bytes[..]).expect("a segment").header().identity;
            file(table as u64 + 1, &bytes, identity)
        })
        .collect();
    let bytes = run.postings();
    let header = Postings::open(&bytes[..]).expect("postings").header().clone();
    let entry = RunEntry {
        low: run.low,
        high: run.high,
        fingerprints: header.fingerprints,
        documents: header.documents,
        set_digest: header.set_digest,
        rewrites: 0,
        scheme: run.scheme.clone(),
        postings: file(3, &bytes, header.identity),
        segments,
        keys: None,
        summaries: None,
    };
    let wide = |name| u128::from_str_radix(value(text, name), 16).expect("hexadecimal");
    let made_up = |name| {
        let words = &values(text, name)[0];
        FileEntry {
            number: number(words[0]),
            length: number(words[1]),
            identity: hex(words[2]),
            checksum: hex(words[3]) as u32,
        }
    };
    let keys = KeyTable {
        keys: number(value(text, "keys")),
        pairs: number(value(text, "key_pairs")),
        set_digest: Digest(wide("key_digest")),
        postings: made_up("key_postings"),
        segment: made_up("key_segment"),
    };
    let manifest = Manifest {
        generation: number(value(text, "generation")),
        complete: number(value(text, "complete")),
        commits: number(value(text, "commits")),
        next_file: number(value(text, "next_file")),
        folded: number(value(text, "folded")),
        purged: number(value(text, "purged")),
        deleted: Some(file(4, &undump(fence("deleted set", "hex")), 0)),
        intervals: false,
        runs: vec![RunEntry { keys: Some(keys), ..entry }],
        ..Manifest::new(number(value(text, "bits")), number(value(text, "k")), wide("catalog"))
    };
    let mut expected = given(text, &["run", "file"]);
    let run = &manifest.runs[0];
    expected.push_str(&format!("run low {} high {} set_digest {:032x}\n", run.low, run.high, run.set_digest.0));
    let kinds = ["deleted", "postings", "segment", "segment"];
    for (file, kind) in manifest.files().zip(kinds) {
        expected.push_str(&format!(
            "file {} {kind} length {} identity {:016x} checksum {:08x}\n",
            file.number, file.length, file.identity, file.checksum
        ));
    }
    same("manifest", text, &expected);
    let said = fence("manifest", "hex");
    same("manifest", said, &dump(&manifest.encode()));
    assert_eq!(Manifest::decode(&undump(said)), Ok(manifest));
}

#[test]
fn a_record() {
    let text = fence("record", "text");
    let source: Vec<u64> = values(text, "source")[0].iter().map(|word| number(word)).collect();
    let record = Record {
        id: value(text, "id").to_owned(),
        url: Some(value(text, "url").to_owned()),
        site: Some(value(text, "site").to_owned()),
        date: Some(number(value(text, "date"))),
        tokens: Some(number(value(text, "tokens"))),
        source: Some(SourcePosition {
            archive: source[0] as u32,
            offset: source[1],
            inner: source[2],
            length: source[3],
        }),
        batch: Some(number(value(text, "batch"))),
        ..Record::default()
    };
    let said = fence("record", "hex");
    same("record", said, &dump(&record.encode()));
    assert_eq!(Record::decode(&undump(said)), Ok(record));
}

#[test]
fn a_probe() {
    let (run, text) = (run(), fence("probe", "text"));
    let (query, k) = (Fingerprint(hex(value(text, "query"))), number::<u32>(value(text, "k")));
    let gone = deleted::decode(&undump(fence("deleted set", "hex"))).expect("a deleted set");
    let postings = run.postings();
    let postings = Postings::open(&postings[..]).expect("postings");
    let mut expected = given(text, &["table", "candidate", "match", "numbers"]);
    let mut matches = Vec::new();
    for (index, table) in run.scheme.tables().iter().enumerate() {
        let bytes = run.segment(index);
        let segment = Segment::open(&bytes[..]).expect("a segment");
        let permuted = table.permute(query);
        let (low, high) = table.range(permuted);
        expected.push_str(&format!("table {index} {:04x} {:04x} {:04x}\n", permuted.0, low.0, high.0));
        let Some(found) = segment.find(low) else { continue };
        segment.block(found).expect("a block").probe(low.0, high.0, permuted.0, 64, |_, value| {
            let distance = (value ^ permuted.0).count_ones();
            expected.push_str(&format!("candidate {value:04x} {distance}\n"));
            if distance <= k {
                matches.push((table.unpermute(nddb_format::Permuted(value)), distance));
            }
        });
    }
    matches.sort_unstable();
    matches.dedup();
    for (print, distance) in matches {
        let rank = run.permuted(0).binary_search(&print.0).expect("it is in table 0");
        let list = postings.list(rank as u64, &untouched).expect("a list");
        let numbers = list.map(|index| postings.number(index, &untouched).expect("a number"));
        let live: Vec<String> = numbers.filter(|&n| !gone.contains(n)).map(|n| n.to_string()).collect();
        expected.push_str(&format!("match {:04x} {distance} {rank}\nnumbers {}\n", print.0, live.join(" ")));
    }
    same("probe", text, &expected);
}

#[test]
fn an_interval() {
    let text = fence("interval", "text");
    let of = |key: &str| number::<u64>(value(text, key));
    let (low, high) = (of("low"), of("high"));
    let prefix = value(text, "prefix").to_owned();
    let interval = Interval { low, high, ordinal: of("ordinal"), batch: number(value(text, "batch")), prefix };
    let mut expected = given(text, &["id", "groups"]);
    for number in [1000, 1005] {
        expected.push_str(&format!("id {number} {}\n", interval.id(number)));
    }
    let mut groups: Vec<String> = (low..high).map(|number| interval.group_of(number).to_string()).collect();
    groups.dedup();
    expected.push_str(&format!("groups {}\n", groups.join(" ")));
    same("interval", text, &expected);
    let said = fence("interval", "hex");
    same("interval", said, &dump(&interval.encode()));
    assert_eq!(Interval::decode(low, &undump(said)), Ok(interval));
}

#[test]
fn a_file_of_summaries() {
    let text = fence("summaries", "text");
    let of = |key: &str| number::<u64>(value(text, key));
    let (low, high) = (of("low"), of("high"));
    let documents: Vec<(u64, Summary<'_>)> = text.split("number ").skip(1).map(summary).collect();
    let mut survey = SummariesSurvey::default();
    let encoded = |summary: &Summary<'_>| {
        let mut bytes = Vec::new();
        summary.encode_into(&mut bytes);
        bytes
    };
    documents.iter().for_each(|(number, summary)| survey.push(*number, &encoded(summary)));
    let mut bytes = Vec::new();
    let mut encoder = SummariesEncoder::new(survey.header(low, high), &mut bytes).expect("a header");
    for (number, summary) in &documents {
        encoder.push(*number, &encoded(summary), &mut bytes).expect("ascending");
    }
    encoder.finish(&mut bytes).expect("the same summaries");
    let file = Summaries::open(&bytes[..]).expect("a file of summaries");
    let line = |key: &str, entry: Range<u64>, size: usize| {
        let (first, rest) = file.body()[entry.start as usize..entry.end as usize].split_at(8);
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let rest: Vec<String> = rest.chunks(size).map(|bytes| word(bytes).to_string()).collect();
        format!("{key} {} {}\n", word(first), rest.join(" "))
    };
    let (entry, presence) = (line("entry", file.entry(0), 4), line("presence", file.presence(low), 8));
    same("summaries", text, &format!("{}{entry}{presence}", given(text, &["entry", "presence"])));
    let said = fence("summaries", "hex");
    same("summaries", said, &dump(&bytes));
    let bytes = undump(said);
    let file = Summaries::open(&bytes[..]).expect("a file of summaries");
    file.verify().expect("a sound file of summaries");
    for number in low..high {
        let expected = documents.iter().find(|(of, _)| *of == number).map(|(_, summary)| summary);
        assert_eq!(file.get(number, &untouched).expect("sound").as_ref(), expected, "{number}");
    }
}

/// Reads the lines of a document after the word `number`.
fn summary(text: &str) -> (u64, Summary<'_>) {
    let (of, text) = text.split_once('\n').expect("lines");
    let summary = Summary {
        fingerprint: hex(value(text, "fingerprint")),
        id: value(text, "id"),
        url: values(text, "url").first().map(|words| words[0]),
        site: values(text, "site").first().map(|words| words[0]),
        is_without_terms: !values(text, "without_terms").is_empty(),
        ..Summary::default()
    };
    (number(of), summary)
}

#[test]
fn every_example_is_compared_with_the_code() {
    let mut found = names("example");
    found.dedup();
    assert_eq!(
        found,
        [
            "hashes",
            "code",
            "block",
            "run",
            "segment",
            "postings",
            "deleted set",
            "manifest",
            "record",
            "probe",
            "interval",
            "summaries"
        ]
    );
}
