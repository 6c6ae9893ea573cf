//! Every rule of SPEC 13, broken once: the error names it.

#[path = "../common/restamp.rs"]
mod restamp;
mod summaries;

use nddb_format::block::{self, BLOCK_SIZE, Block, PADDED_SIZE, Padded};
use nddb_format::digest::Digest;
use nddb_format::fields::{FORMAT_VERSION, Field, READER_MIN};
use nddb_format::huffman::{self, Code, Decoder};
use nddb_format::manifest::{self, FileEntry, KeyTable, Manifest, RunEntry};
use nddb_format::parts::{Part, Parts};
use nddb_format::permutation::{BitGroup, Table};
use nddb_format::postings::{self, Postings, PostingsEncoder, PostingsSurvey};
use nddb_format::record::{
    Archive, Batch, BatchState, Counters, Interval, IntervalGroup, ORDINAL_END, Print, Prints, Range, RangeState,
    Record, Settings, check_id, decode_stretch, deleted_of, id_of, number_of, source_of,
};
use nddb_format::scheme::Scheme;
use nddb_format::segment::{self, Segment, SegmentEncoder, Survey};
use nddb_format::{FormatError, Result, backup, deleted, fingerprint};
use roaring::RoaringTreemap;

/// The fault of an error: its rule, or its kind if it has no rule.
fn fault<T>(result: Result<T>) -> String {
    match result.map(|_| ()) {
        Ok(()) => "nothing".to_owned(),
        Err(FormatError::Malformed { rule, .. } | FormatError::Scheme { rule }) => rule.to_owned(),
        Err(other) => format!("{other:?}").split_whitespace().next().unwrap_or_default().to_owned(),
    }
}

fn untouched(_: std::ops::Range<u64>) -> Result<()> {
    Ok(())
}

fn scheme(restart: u16) -> Scheme {
    Scheme::new(64, 3, &[5], restart).expect("a scheme")
}

/// A segment of 400 fingerprints of table 1, in several blocks.
fn segment_file() -> Vec<u8> {
    let sorted: Vec<u64> = (1..=400u64).map(|i| ((i * i) << 20) | ((i * 77_777) & 0xf_ffff)).collect();
    segment::encode(&scheme(8), 1, &sorted).expect("sorted")
}

fn check_segment(file: &[u8]) -> Result<()> {
    Segment::open(file)?.verify()
}

/// Damages a segment by `change`, corrects its checksums, and returns the fault that a check finds.
fn segment_fault(change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut file = segment_file();
    change(&mut file);
    restamp::segment(&mut file);
    fault(check_segment(&file))
}

/// Lists for postings: of one, two or three numbers, one of 5,000, and then some more.
fn lists() -> Vec<Vec<u64>> {
    let mut next = 1000;
    (0..200u64)
        .map(|rank| {
            let from = next;
            next += if rank == 70 { 5000 } else { 1 + rank % 3 };
            (from..next).collect()
        })
        .collect()
}

fn postings_of(lists: &[Vec<u64>], low: u64, high: u64, ranks: &[u64]) -> Vec<u8> {
    let mut survey = PostingsSurvey::default();
    for (fingerprint, numbers) in (0..).zip(lists) {
        survey.begin(fingerprint).expect("ascending");
        numbers.iter().for_each(|&number| survey.number(number));
    }
    let mut out = Vec::new();
    let header = survey.header(low, high, ranks.len() as u64, 8);
    let mut encoder = PostingsEncoder::new(header, ranks, &mut out).expect("a header");
    for numbers in lists {
        encoder.begin().expect("not empty");
        numbers.iter().try_for_each(|&number| encoder.number(number, &mut out)).expect("ascending");
    }
    encoder.finish(&mut out).expect("the same lists");
    out
}

fn postings_file() -> Vec<u8> {
    postings_of(&lists(), 1000, 7000, &[0, 90])
}

fn check_postings(file: &[u8]) -> Result<()> {
    Postings::open(file)?.verify()
}

fn postings_fault(change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut file = postings_file();
    change(&mut file);
    restamp::postings(&mut file);
    fault(check_postings(&file))
}

/// Offsets in the file of the sections after the ranks: numbers, flags, directory, starts.
fn sections(file: &[u8]) -> [usize; 4] {
    let header = postings::PostingsHeader::decode(file).expect("a header");
    let words = |bits: u64| 8 * bits.div_ceil(64) as usize;
    let numbers = postings::HEADER_SIZE + 8 * header.blocks as usize;
    let flags = numbers + words(header.documents * u64::from(header.width()));
    let directory = flags + words(header.documents);
    [numbers, flags, directory, directory + words(header.fingerprints)]
}

fn put(file: &mut [u8], offset: usize, value: u64) {
    file[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
}

fn manifest() -> Manifest {
    let mut number = 0;
    let mut file = || {
        number += 1;
        FileEntry { number, length: 9, identity: 8, checksum: 7 }
    };
    let deleted = Some(file());
    let runs = (0..2)
        .map(|run| RunEntry {
            low: run * 1000,
            high: run * 1000 + 900,
            fingerprints: 800,
            documents: 850,
            set_digest: Digest(5),
            rewrites: 0,
            postings: file(),
            segments: scheme(32).tables().iter().map(|_| file()).collect(),
            scheme: scheme(32),
            keys: (run == 0).then(|| KeyTable {
                keys: 20,
                pairs: 30,
                set_digest: Digest(6),
                postings: file(),
                segment: file(),
            }),
            summaries: (run == 1).then(&mut file),
        })
        .collect();
    Manifest { complete: 2000, next_file: 100, deleted, runs, ..Manifest::new(64, 3, 1) }
}

fn manifest_fault(change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = manifest().encode();
    change(&mut bytes);
    restamp::tail(&mut bytes);
    fault(Manifest::decode(&bytes))
}

fn deleted_fault(change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = deleted::encode(&[1u64, 2, 3, 1 << 35].into_iter().collect::<RoaringTreemap>());
    change(&mut bytes);
    restamp::tail(&mut bytes);
    fault(deleted::decode(&bytes))
}

#[test]
fn files_that_are_cut_foreign_or_newer_are_refused() {
    type Check = fn(&[u8]) -> Result<()>;
    let set: RoaringTreemap = [5u64].into_iter().collect();
    // Each has the offset of a byte that does not determine any size.
    let files: [(Vec<u8>, Check, usize); 5] = [
        (segment_file(), check_segment, 17),
        (postings_file(), check_postings, 17),
        (summaries::file(), summaries::check, 17),
        (manifest().encode(), |bytes| Manifest::decode(bytes).map(|_| ()), 17),
        (deleted::encode(&set), |bytes| deleted::decode(bytes).map(|_| ()), 17),
    ];
    for (file, check, offset) in files {
        assert_eq!(fault(check(&file)), "nothing");
        assert_eq!(fault(check(&file[..10])), "Truncated");
        assert_eq!(fault(check(&[])), "Truncated");
        let mut bad = file.clone();
        bad[5] = b'X';
        assert_eq!(fault(check(&bad)), "Magic");
        let mut bad = file.clone();
        FORMAT_VERSION.put(&mut bad, 2);
        READER_MIN.put(&mut bad, 2);
        assert_eq!(fault(check(&bad)), "Version");
        READER_MIN.put(&mut bad, 0);
        assert_eq!(fault(check(&bad)), "reader_min is 1 to format");
        let mut bad = file.clone();
        bad[offset] ^= 1;
        assert_eq!(fault(check(&bad)), "Checksum");
    }
}

#[test]
fn wrong_checksums_are_refused() {
    let (segment, postings, summaries) = (segment_file(), postings_file(), summaries::file());
    let index = segment.len() - segment::FOOTER_SIZE - 4 - 8;
    for offset in [100, 1100, index, segment.len() - 40, segment.len() - 20] {
        let mut bad = segment.clone();
        bad[offset] ^= 4;
        assert_eq!(fault(check_segment(&bad)), "Checksum", "byte {offset} of a segment");
    }
    for offset in [40, 300, 4500, postings.len() - 26, postings.len() - 6] {
        let mut bad = postings.clone();
        bad[offset] ^= 4;
        assert_eq!(fault(check_postings(&bad)), "Checksum", "byte {offset} of postings");
    }
    for offset in [40, 130, summaries.len() - 26, summaries.len() - 6] {
        let mut bad = summaries.clone();
        bad[offset] ^= 4;
        assert_eq!(fault(summaries::check(&bad)), "Checksum", "byte {offset} of summaries");
    }
    let mut moved = segment.clone();
    moved.copy_within(segment::HEADER_SIZE..segment::HEADER_SIZE + BLOCK_SIZE, segment::HEADER_SIZE + BLOCK_SIZE);
    assert_eq!(fault(check_segment(&moved)), "Checksum", "a sound block at the wrong index");
}

#[test]
fn schemes_that_break_a_rule_are_refused() {
    let of = |bits, k, levels: &[u8], restart| fault(Scheme::new(bits, k, levels, restart));
    assert_eq!(of(64, 3, &[4], 0), "nothing");
    assert_eq!(of(7, 3, &[4], 0), "a fingerprint has 8 to 64 bits");
    assert_eq!(fault(fingerprint::check_bits(65)), "a fingerprint has 8 to 64 bits");
    assert_eq!(of(64, 8, &[9], 0), "k is at most 7 and less than the bits of a fingerprint");
    for restart in [1, 4097] {
        assert_eq!(of(64, 3, &[4], restart), "the restart interval is 0 or 2 to 4096");
    }
    assert_eq!(of(64, 3, &[4; 5], 0), "a scheme has at most 4 levels");
    assert_eq!(of(64, 3, &[3], 0), "a level has more than k groups");
    assert_eq!(of(8, 3, &[9], 0), "a level has no more groups than bits are left");
    assert_eq!(of(64, 7, &[64], 0), "a scheme has at most 512 tables");
    let of = |prefix, groups: &[(u8, u8)]| {
        let groups: Vec<BitGroup> = groups.iter().map(|&(low, width)| BitGroup { low, width }).collect();
        fault(Table::new(64, prefix, &groups))
    };
    assert_eq!(of(16, &[(48, 16), (0, 48)]), "nothing");
    assert_eq!(of(65, &[(0, 64)]), "a prefix is at most as wide as the fingerprint");
    assert_eq!(of(1, &[(0, 65)]), "a bit group lies within the fingerprint");
    assert_eq!(of(1, &[(0, 64), (5, 0)]), "a bit group lies within the fingerprint");
    assert_eq!(of(1, &[(0, 40), (39, 25)]), "bit groups do not overlap");
    assert_eq!(of(1, &[(0, 40)]), "bit groups cover the fingerprint");
}

#[test]
fn codes_that_break_a_rule_are_refused() {
    let good = huffman::lengths(&[0; 16]);
    let with = |h: usize, length| {
        let mut bad = good;
        bad[h] = length;
        fault(Code::new(&bad, 16))
    };
    assert_eq!(with(0, 4), "nothing");
    for length in [0, 13] {
        assert_eq!(with(3, length), "a symbol below f has a code length of 1 to 12");
    }
    assert_eq!(with(16, 4), "a symbol from f on has the code length 0");
    for length in [3, 5] {
        assert_eq!(with(3, length), "the code is complete: its words fill the space of 12 bits");
    }
}

#[test]
fn blocks_that_break_a_rule_are_refused() {
    let sorted = [3u64, 5, 9, 17, 33, 65, 129];
    let file = segment::encode(&Scheme::new(8, 3, &[5], 2).expect("a scheme"), 0, &sorted).expect("sorted");
    let decoder: Decoder = segment::SegmentHeader::decode(&file).and_then(|header| header.decoder()).expect("a code");
    let mut good: Padded = [0; PADDED_SIZE];
    good[..BLOCK_SIZE].copy_from_slice(&file[segment::HEADER_SIZE..][..BLOCK_SIZE]);
    let of = |change: &dyn Fn(&mut Padded)| {
        let mut bad = good;
        change(&mut bad);
        fault(Block::new(&bad, &decoder, 2).and_then(|block| block.decode(&mut Vec::new())))
    };
    assert_eq!(of(&|_| ()), "nothing");
    for count in [0, 8066] {
        assert_eq!(of(&|block| block::COUNT.put(block, count)), "a block holds 1 to 8065 fingerprints");
    }
    for count in [4, 2000] {
        let restarts = if count == 4 { 3 } else { (count - 1) / 2 };
        let bad = |block: &mut Padded| {
            block::COUNT.put(block, count);
            block::RESTARTS.put(block, restarts);
        };
        assert_eq!(of(&bad), "restarts is (count - 1) div R, and they fit in the block");
    }
    let moved = |block: &mut Padded| block[block::FIRST.end()] ^= 1;
    assert_eq!(of(&moved), "a restart offset is where its entry stands in the stream");
    let longer = |block: &mut Padded| block[BLOCK_SIZE - 1] = 0x80;
    assert_eq!(of(&longer), "the bits after the stream are zero");
    assert_eq!(of(&|block| block::FIRST.put(block, 0x7f)), "OutOfOrder");

    // The block has one entry too many: only the code word of the last one is within the block.
    let mut sorted: Vec<u64> = (0..2000u64).map(nddb_format::digest::mix).collect();
    sorted.sort_unstable();
    let mut file = segment::encode(&scheme(0), 0, &sorted).expect("sorted");
    let header = segment::SegmentHeader::decode(&file).expect("a header");
    let code = Code::new(&header.lengths, 64).expect("a code");
    let block = &mut file[segment::HEADER_SIZE..][..BLOCK_SIZE];
    let count = block::COUNT.get(block);
    let mut position = 8 * block::FIRST.end();
    for pair in sorted.windows(2).take(count as usize) {
        let h = 63 - (pair[0] ^ pair[1]).leading_zeros();
        let (word, length) = code.word(h);
        let fits = position + (length + h) as usize <= 8 * BLOCK_SIZE;
        for bit in (0..length as usize).filter(|bit| !fits && word >> bit & 1 == 1) {
            block[(position + bit) / 8] |= 1 << ((position + bit) % 8);
        }
        position += (length + h) as usize;
    }
    block::COUNT.put(block, count + 1);
    restamp::segment(&mut file);
    assert_eq!(fault(check_segment(&file)), "the bit stream ends within the block");
}

#[test]
fn segment_headers_that_break_a_rule_are_refused() {
    use segment::header::*;
    let of = |field: Field, value| segment_fault(|file| field.put(file, value));
    assert_eq!(of(K, 3), "nothing");
    assert_eq!(of(RESERVED, 1), "reserved bytes are zero");
    assert_eq!(segment_fault(|file| file[PADDING.offset + 99] = 1), "reserved bytes are zero");
    assert_eq!(of(BLOCK, 2048), "a block has 1024 bytes");
    for restart in [1, 4097] {
        assert_eq!(of(RESTART, restart), "the restart interval is 0 or 2 to 4096");
    }
    assert_eq!(of(K, 8), "k is at most 7 and less than bits");
    assert_eq!(of(TABLE, 512), "a scheme has at most 512 tables");
    for groups in [0, 65] {
        assert_eq!(of(GROUPS, groups), "a table has 1 to 64 bit groups");
    }
    assert_eq!(segment_fault(|file| file[GROUP_LIST.end() - 1] = 1), "bytes after the last bit group are zero");
    let split = |file: &mut Vec<u8>| {
        GROUPS.put(file, 2);
        file[GROUP_LIST.offset..GROUP_LIST.end()].fill(0);
        file[GROUP_LIST.offset..][..4].copy_from_slice(&[32, 32, 0, 32]);
    };
    assert_eq!(segment_fault(split), "neighbouring bit groups are joined");
    assert_eq!(of(COUNT, 0), "a segment holds at least one fingerprint");
    let mut file = segment_file();
    IDENTITY.put(&mut file, 1);
    restamp::crc(&mut file[..segment::HEADER_SIZE], CHECKSUM);
    assert_eq!(fault(check_segment(&file)), "identity is the hash of the bytes before it");
}

#[test]
fn segments_that_break_a_rule_are_refused() {
    let footer = |file: &[u8]| file.len() - segment::FOOTER_SIZE;
    let with = |change: &dyn Fn(&mut [u8])| {
        let mut file = segment_file();
        let at = footer(&file);
        change(&mut file[at..]);
        restamp::crc(&mut file[at..], segment::FOOTER_CHECKSUM);
        fault(check_segment(&file))
    };
    assert_eq!(with(&|_| ()), "nothing");
    assert_eq!(with(&|footer| footer[0] = 0), "the file ends with a footer and its magic");
    let other = |footer: &mut [u8]| segment::FOOTER_IDENTITY.put(footer, 1);
    assert_eq!(with(&other), "header and footer have the same identity");
    let more = |footer: &mut [u8]| segment::BLOCKS.put(footer, 9);
    assert_eq!(with(&more), "the file is as long as its blocks and its filter are");
    let few = |file: &mut Vec<u8>| segment::header::COUNT.put(file, 1);
    assert_eq!(segment_fault(few), "each block holds 1 to 8065 of the fingerprints");
    let key = |file: &mut Vec<u8>| {
        let at = footer(file) - 4 - 8;
        file[at] ^= 1;
    };
    assert_eq!(segment_fault(key), "a block key is the last fingerprint of its block");
    let count = |file: &mut Vec<u8>| segment::header::COUNT.put(file, 401);
    assert_eq!(segment_fault(count), "count is the number of fingerprints");
    let digest = |file: &mut Vec<u8>| file[segment::header::DIGEST.offset] ^= 1;
    assert_eq!(segment_fault(digest), "digest is that of the fingerprints");
    let sorted = [1u64, 2, 3];
    let mut narrow = segment::encode(&Scheme::new(8, 3, &[5], 0).expect("a scheme"), 0, &sorted).expect("sorted");
    narrow[segment::HEADER_SIZE + block::FIRST.offset + 1] = 1;
    restamp::segment(&mut narrow);
    assert_eq!(fault(check_segment(&narrow)), "a fingerprint has no bit above its width");
    let mut swapped = segment_file();
    let blocks = swapped[segment::HEADER_SIZE..][..2 * BLOCK_SIZE].to_vec();
    swapped[segment::HEADER_SIZE..][..BLOCK_SIZE].copy_from_slice(&blocks[BLOCK_SIZE..]);
    swapped[segment::HEADER_SIZE + BLOCK_SIZE..][..BLOCK_SIZE].copy_from_slice(&blocks[..BLOCK_SIZE]);
    restamp::segment(&mut swapped);
    let segment = Segment::open(&swapped[..]).expect("open does not read blocks");
    assert_eq!(fault(segment.scan(0, 9, &mut |_: &[u64]| Ok::<_, FormatError>(()))), "OutOfOrder");
}

/// A segment with a filter: a Bloom filter, or a bitmap.
fn filtered(bitmap: bool) -> Vec<u8> {
    let scheme = Scheme::new(if bitmap { 26 } else { 64 }, 3, &[5], 8).expect("a scheme");
    let shift = if bitmap { 6 } else { 44 };
    let sorted: Vec<u64> = (0..4000u64).map(|value| (value * value % (1 << 20)) << shift | value).collect();
    let sorted: std::collections::BTreeSet<u64> = sorted.into_iter().collect();
    let sorted: Vec<u64> = sorted.into_iter().collect();
    let scheme = if bitmap { Scheme::new(26, 1, &[2], 8).expect("a scheme") } else { scheme };
    segment::encode(&scheme, 0, &sorted).expect("sorted")
}

#[test]
fn filters_that_break_a_rule_are_refused() {
    use segment::header::PREFIXES;
    for bitmap in [false, true] {
        let file = filtered(bitmap);
        let segment = Segment::open(&file[..]).expect("a segment");
        let filter = *segment.filter().expect("a filter");
        assert_eq!(filter.kind() == nddb_format::filter::FilterKind::Bitmap, bitmap);
        segment.verify().expect("a sound segment");
        let (at, prefixes) = (segment.filter_offset(), segment.header().prefixes);
        let broken = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut file = file.clone();
            change(&mut file);
            restamp::segment(&mut file);
            fault(check_segment(&file))
        };
        assert_eq!(broken(&|_| ()), "nothing");
        for few in [1, 1023, u64::MAX] {
            let rule = "prefixes are at most count, and so many have a filter";
            assert_eq!(broken(&|file| PREFIXES.put(file, few)), rule, "{few}");
        }
        let of_other = "a filter is that of the fingerprints";
        assert_eq!(broken(&|file| PREFIXES.put(file, prefixes - 1)), of_other);
        for byte in [0, filter.size() as usize - 1] {
            assert_eq!(broken(&|file| file[at + byte] ^= 16), of_other, "{byte}");
        }
        let mut flipped = file.clone();
        flipped[at + 40] ^= 1;
        assert_eq!(fault(check_segment(&flipped)), "Checksum");
        assert_eq!(segment.filter_pages().check(0), Ok(()));
        assert_eq!(fault(Segment::open(&flipped[..]).expect("opened").filter_pages().check(0)), "Checksum");
    }
}

#[test]
fn postings_headers_that_break_a_rule_are_refused() {
    use postings::header::*;
    let of = |field: Field, value| postings_fault(|file| field.put(file, value));
    assert_eq!(of(LOW, 1000), "nothing");
    assert_eq!(postings_fault(|file| file[PADDING.offset + 9] = 1), "reserved bytes are zero");
    assert_eq!(of(BLOCK, 2048), "a block has 1024 bytes");
    assert_eq!(of(RESTART, 1), "the restart interval is 0 or 2 to 4096");
    assert_eq!(of(LOW, 7000), "the number range is not empty and ends at 2^40 at most");
    assert_eq!(of(HIGH, (1 << 40) + 1), "the number range is not empty and ends at 2^40 at most");
    for (field, value) in [(FINGERPRINTS, 0), (DOCUMENTS, 199), (HIGH, 1001)] {
        assert_eq!(of(field, value), "each fingerprint has a document, and each number of the range at most once");
    }
    for blocks in [0, 201] {
        assert_eq!(of(BLOCKS, blocks), "each block holds at least one fingerprint");
    }
    assert_eq!(of(SPARSE_GROUPS, 2), "a sparse group spans more than 4096 numbers");
    let mut file = postings_file();
    IDENTITY.put(&mut file, 1);
    restamp::crc(&mut file[..postings::HEADER_SIZE], CHECKSUM);
    assert_eq!(fault(check_postings(&file)), "identity is the hash of the bytes before it");
}

#[test]
fn postings_that_break_a_rule_are_refused() {
    let with = |change: &dyn Fn(&mut [u8])| {
        let mut file = postings_file();
        let at = file.len() - postings::FOOTER_SIZE;
        change(&mut file[at..]);
        restamp::crc(&mut file[at..], postings::header::FOOTER_CHECKSUM);
        fault(check_postings(&file))
    };
    assert_eq!(with(&|_| ()), "nothing");
    assert_eq!(with(&|footer| footer[0] = 0), "the file ends with a footer and its magic");
    let other = |footer: &mut [u8]| postings::header::FOOTER_IDENTITY.put(footer, 1);
    assert_eq!(with(&other), "header and footer have the same identity");
    assert_eq!(postings_fault(|file| file.push(0)), "the file is as long as its header says");

    let [numbers, flags, directory, starts] = sections(&postings_file());
    let word = |offset: usize, value: u64| postings_fault(|file| put(file, offset, value));
    assert_eq!(word(postings::HEADER_SIZE, 1), "ranks of blocks ascend from 0");
    assert_eq!(word(postings::HEADER_SIZE + 8, 0), "ranks of blocks ascend from 0");
    assert_eq!(word(postings::HEADER_SIZE + 8, 200), "a rank is less than the number of fingerprints");
    let file = postings_file();
    let number = |index: usize, change: fn(u64) -> u64| {
        // 13 bits: those of 5999.
        let bit = 13 * index;
        postings_fault(|file| {
            let offset = numbers + bit / 8;
            let mut word = [0; 8];
            word.copy_from_slice(&file[offset..offset + 8]);
            let word = u64::from_le_bytes(word);
            let value = word >> (bit % 8) & 0x1fff;
            put(file, offset, word & !(0x1fff << (bit % 8)) | change(value) << (bit % 8));
        })
    };
    assert_eq!(number(2, |value| value), "nothing");
    assert_eq!(number(2, |_| 6000), "a document number is in the run's range");
    assert_eq!(number(2, |value| value - 1), "numbers of a list ascend");
    assert_eq!(postings_fault(|file| file[flags - 1] |= 0x80), "the bits after the numbers are zero");
    assert_eq!(word(directory, 1), "each list begins where the one before ends");
    // Behind the first number of the list of 5,000.
    let inside = u64::from_le_bytes(file[starts + 8 * 6..][..8].try_into().expect("8 bytes")) + 1;
    assert_eq!(word(directory, inside), "a list begins within 4096 numbers of its group");
    assert_eq!(word(directory, 1 << 63 | 1), "a sparse group exists");
    assert_eq!(word(starts + 8, 0), "lists are not empty and end within the numbers");
    assert_eq!(
        postings_fault(|file| file[directory - 1] |= 0x80),
        "a flag is set where a list begins and nowhere else"
    );
    let wrong = "a group has its starts written out if it spans more than 4096";
    let unflagged = |file: &mut Vec<u8>| {
        // A flag of the sparse group, which is found by its starts.
        let index = u64::from_le_bytes(file[starts..starts + 8].try_into().expect("8 bytes"));
        file[flags + index as usize / 8] ^= 1 << (index % 8);
    };
    assert_eq!(postings_fault(unflagged), wrong);
    let postings = Postings::open(&file[..]).expect("sound");
    assert_eq!(fault(postings.list(200, &untouched)), "a rank is less than the number of fingerprints");
    // The rank is only a guess; the bytes fetched for it are within the body.
    assert_eq!(postings.entry_offset(u64::MAX), postings.entry_offset(199));

    // Two groups with 4,000 numbers each, and a sparse group that no group uses.
    let two: Vec<Vec<u64>> = (0..65u64)
        .map(|rank| if rank % 64 == 0 { (rank * 5000..rank * 5000 + 4000).collect() } else { vec![rank * 5000] })
        .collect();
    let file = postings_of(&two, 0, 1 << 20, &[0]);
    let [_, _, _, starts] = sections(&file);
    let mut more = file[..starts].to_vec();
    more.resize(starts + 512, 0);
    postings::header::SPARSE_GROUPS.put(&mut more, 1);
    let pages = (more.len() - postings::HEADER_SIZE).div_ceil(4096);
    more.resize(more.len() + 4 * pages, 0);
    more.extend_from_slice(&file[file.len() - postings::FOOTER_SIZE..]);
    restamp::postings(&mut more);
    assert_eq!(fault(check_postings(&more)), "each sparse group is used once");
}

#[test]
fn manifests_that_break_a_rule_are_refused() {
    use manifest::*;
    let of = |field: Field, value| manifest_fault(|bytes| field.put(bytes, value));
    assert_eq!(of(K, 3), "nothing");
    assert_eq!(of(RESERVED, 1), "reserved bytes are zero");
    for (features, expected) in [(2, "nothing"), (3, "nothing"), (10, "Version"), (1 << 63 | 2, "Version")] {
        assert_eq!(of(FEATURES, features), expected);
    }
    assert_eq!(of(BITS, 7), "a fingerprint has 8 to 64 bits");
    assert_eq!(of(K, 8), "k is at most 7 and less than bits");
    assert_eq!(of(RUNS, 1), "nothing stands between the last run and the checksum");
    assert_eq!(of(RUNS, 3), "Truncated");
    assert_eq!(of(COMPLETE, 1899), "runs ascend, do not overlap and end at 'complete' at most");
    assert_eq!(of(NEXT_FILE, 20), "file numbers are distinct, above 0 and below next_file");
    let first = PURGED.end();
    let run = |field: Field, value| manifest_fault(|bytes| field.put(&mut bytes[first..], value));
    assert_eq!(run(RUN_LEVELS, 5), "a scheme has at most 4 levels, zeros after them");
    assert_eq!(run(RUN_LEVELS, 0), "a scheme has at most 4 levels, zeros after them");
    assert_eq!(run(RUN_RESTART, 1), "the restart interval is 0 or 2 to 4096");
    assert_eq!(run(RUN_HIGH, 1001), "runs ascend, do not overlap and end at 'complete' at most");
    for (field, value) in [(RUN_FINGERPRINTS, 0), (RUN_FINGERPRINTS, 851), (RUN_DOCUMENTS, 901)] {
        assert_eq!(run(field, value), "each fingerprint has a document, each document a number of the range");
    }
    assert_eq!(run(RUN_KEYS, 0), "without keys the fields of the key table are zero");
    for (field, value) in [(RUN_KEYS, 1 << 41), (RUN_KEY_PAIRS, 1), (RUN_KEY_PAIRS, 1 << 60)] {
        assert_eq!(run(field, value), "each key has a document, and each pair is there once");
    }
    let second = first + RUN_SUMMARIES.end() + scheme(32).tables().len() * FILE_SIZE;
    let without = |bytes: &mut Vec<u8>| bytes[second..][RUN_SUMMARIES.offset..RUN_SUMMARIES.end()].fill(0);
    assert_eq!(manifest_fault(without), "a manifest has the bit of summaries if a run has them");
    let unknown = |bytes: &mut Vec<u8>| FILE_RESERVED.put(&mut bytes[second + RUN_SUMMARIES.offset..], 1);
    assert_eq!(manifest_fault(unknown), "reserved bytes are zero");
    for (number, run) in [(0, second), (1, second), (100, second), (0, first)] {
        let of_file = |bytes: &mut Vec<u8>| {
            let entry = &mut bytes[run + RUN_SUMMARIES.offset..];
            FILE_NUMBER.put(entry, number);
            FILE_LENGTH.put(entry, 9);
        };
        assert_eq!(manifest_fault(of_file), "file numbers are distinct, above 0 and below next_file", "{number}");
    }
    let reserved = |bytes: &mut Vec<u8>| FILE_RESERVED.put(&mut bytes[DELETED.offset..], 1);
    assert_eq!(manifest_fault(reserved), "reserved bytes are zero");
    let twice = |bytes: &mut Vec<u8>| FILE_NUMBER.put(&mut bytes[DELETED.offset..], 2);
    assert_eq!(manifest_fault(twice), "file numbers are distinct, above 0 and below next_file");
    assert_eq!(manifest_fault(|bytes| bytes.resize(SIZE_MAX + 1, 0)), "a manifest has at most 64 MiB");
    assert_eq!(
        manifest_fault(|bytes| bytes[first..][RUN_POSTINGS.offset..RUN_POSTINGS.end()].fill(0)),
        "a run has postings"
    );
    let set = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut run = manifest().runs.remove(0);
        (run.high, run.documents, run.postings, run.keys) = (run.low + 800, 800, FileEntry::default(), None);
        let mut bytes = Manifest { set: Some(scheme(32)), deleted: None, runs: vec![run], ..manifest() }.encode();
        change(&mut bytes);
        restamp::tail(&mut bytes);
        fault(Manifest::decode(&bytes))
    };
    assert_eq!(set(&|_| ()), "nothing");
    assert_eq!(set(&|bytes| SET_RESERVED.put(bytes, 1)), "reserved bytes are zero");
    assert_eq!(set(&|bytes| SET_LEVELS.put(bytes, 5)), "a scheme has at most 4 levels, zeros after them");
    assert_eq!(set(&|bytes| SET_RESTART.put(bytes, 1)), "the restart interval is 0 or 2 to 4096");
    for (field, value) in [(FEATURES, 5), (FEATURES, 6), (DELETED, 1)] {
        let other = |bytes: &mut Vec<u8>| bytes[field.offset] = value;
        assert_eq!(set(&other), "a set has no documents, and so no other features");
    }
    for (field, value) in [(RUN_HIGH, 801), (RUN_FINGERPRINTS, 799), (RUN_POSTINGS, 9), (RUN_RESTART, 30)] {
        let other = |bytes: &mut Vec<u8>| {
            let at = SET_RESERVED.end() + field.offset;
            bytes[at..at + 2].copy_from_slice(&u16::to_le_bytes(value));
        };
        let rule = "a run of a set has its scheme, an ordinal for each fingerprint, only segments";
        assert_eq!(set(&other), rule, "{field:?}");
    }
}

#[test]
fn deleted_sets_that_break_a_rule_are_refused() {
    use deleted::*;
    let payload = HEADER_SIZE;
    assert_eq!(deleted_fault(|_| ()), "nothing");
    assert_eq!(deleted_fault(|bytes| RESERVED.put(bytes, 1)), "reserved bytes are zero");
    assert_eq!(deleted_fault(|bytes| PAYLOAD_SIZE.put(bytes, 1 << 60)), "Truncated");
    assert_eq!(deleted_fault(|bytes| bytes.push(0)), "the file is as long as its payload_size says");
    assert_eq!(deleted_fault(|bytes| COUNT.put(bytes, 5)), "count is the number of document numbers");
    assert_eq!(deleted_fault(|bytes| bytes[payload + 8] = 0xff), {
        "the payload is a treemap in the portable layout, keys ascending, nothing empty"
    });
    // The key of the second bitmap: 8 = 2^35 / 2^32, of 2^40 it would be 256.
    let second = |bytes: &[u8]| bytes.windows(4).rposition(|word| word == [8, 0, 0, 0]).expect("the key");
    let key = |bytes: &mut Vec<u8>| {
        let at = second(bytes);
        bytes[at + 1] = 1;
    };
    assert_eq!(deleted_fault(key), "a document number is below 2^40");
}

#[test]
fn catalog_values_that_break_a_rule_are_refused() {
    let with = |mut bytes: Vec<u8>, offset: usize, value: u8| {
        bytes[offset] = value;
        bytes
    };
    let record = Record { id: "id".into(), url: Some("u".into()), ..Record::default() }.encode();
    let print = Print { fingerprint: 1, unprinted: false }.encode().to_vec();
    let settings = Settings {
        catalog: 1,
        bits: 64,
        k: 3,
        levels: Some(vec![5]),
        restart: 32,
        recipe: "r".into(),
        keeps_words: false,
    }
    .encode();
    let batch = Batch { number: 1, state: BatchState::Open }.encode();
    let range = Range { high: 1, state: RangeState::Pending, batch: 0 }.encode();
    let archive = Archive::unread("p".into(), 1, [0; 16], 2, None).encode();
    assert_eq!(fault(Record::decode(&with(record.clone(), 0, 2))), "Version");
    assert_eq!(fault(Record::decode(&record[..5])), "Truncated");
    assert_eq!(fault(Counters::decode(&Counters::default().encode()[..20])), "Truncated");
    let parts = |window, at| {
        Some(Box::new(Parts { window, words: 9, selected: vec![Part { hash: 1, at }, Part { hash: 2, at }] }))
    };
    let parted = |window, at| Record { id: "id".into(), parts: parts(window, at), ..Record::default() }.encode();
    assert_eq!(fault(Record::decode(&parted(0, 1))), "the window is at least 1");
    assert_eq!(fault(Record::decode(&parted(1, 1))), "parts have different places, in ascending order");
    assert_eq!(fault(Record::decode(&parted(1, 5))), "parts end within the text");
    let distance = [&parted(1, 1)[..18], &[0x80, 0][..], &[0; 11]].concat();
    assert_eq!(fault(Record::decode(&distance)), "a distance has 32 bits and as few bytes as possible");
    assert_eq!(fault(Print::decode(&with(print.clone(), 1, 2))), "unknown flags are zero");
    assert_eq!(fault(Record::decode(&with(record.clone(), 7, 0xff))), "text is UTF-8");
    let marked = Record { id: "id".into(), truncated: true, ..Record::default() }.encode();
    for marks in [0, 4] {
        assert_eq!(fault(Record::decode(&with(marked.clone(), marked.len() - 1, marks))), "marks are 1 to 3");
    }
    assert_eq!(fault(Record::decode(&with(record.clone(), 7, 0))), "an id has 1 to 4096 bytes and no NUL");
    assert_eq!(fault(Print::decode(&[print, vec![0]].concat())), "nothing stands after the last field");
    assert_eq!(fault(Batch::decode(&with(batch, 1, 4))), "a batch is open, pending, cancelled or being committed");
    assert_eq!(fault(Range::decode(&with(range, 1, 4))), "a range is committed, pending, loading or cancelled");
    assert_eq!(fault(Archive::decode(&with(archive, 1, 2))), "an archive is finished or not");
    assert_eq!(fault(Settings::decode(&with(settings.clone(), 2, 8))), "k is at most 7 and less than bits");
    for (offset, value) in [(3, 4), (4, 5), (4, 0)] {
        assert_eq!(
            fault(Settings::decode(&with(settings.clone(), offset, value))),
            "levels are chosen or not, at most 4, zeros after them"
        );
    }
}

/// The fuzz targets correct the checksums of any bytes, of every size.
#[test]
fn files_of_any_size_can_be_stamped() {
    let fixed = postings::HEADER_SIZE + postings::FOOTER_SIZE;
    for size in (0..fixed + 16).chain([fixed + 4096, fixed + 4100, fixed + 4101, fixed + 8200]) {
        let mut file = vec![0xa5; size];
        restamp::postings(&mut file);
        assert_eq!(file.len(), size);
        assert!(Postings::open(&file[..]).is_err());
    }
    for size in (0..segment::HEADER_SIZE + segment::FOOTER_SIZE + 16).chain([4155, 4156, 4157]) {
        let mut file = vec![0xa5; size];
        restamp::segment(&mut file);
        restamp::tail(&mut file);
        assert_eq!(file.len(), size);
        assert!(Segment::open(&file[..]).is_err() && Manifest::decode(&file).is_err());
    }
}

#[test]
fn catalog_keys_that_break_a_rule_are_refused() {
    assert_eq!(fault(number_of(&[0; 7])), "a number key has 8 bytes");
    assert_eq!(fault(source_of(&[0; 5])), "an archive key has 4 bytes");
    assert_eq!(fault(deleted_of(&[0; 15])), "a deletion key has 16 bytes");
    assert_eq!(fault(id_of(b"id\x01........")), "a NUL stands between id and number");
    assert_eq!(fault(id_of(b"\xff\0........")), "an id is UTF-8");
    assert_eq!(fault(id_of(b"short")), "Truncated");
    assert_eq!(fault(check_id("")), "an id has 1 to 4096 bytes and no NUL");
    assert_eq!(fault(check_id("\u{1}x")), "an id that begins with U+0001 is a number");
}

#[test]
fn intervals_that_break_a_rule_are_refused() {
    let interval = Interval { low: 5, high: 9, ordinal: 3, batch: 0, prefix: "p".into() };
    let read = |interval: Interval| fault(Interval::decode(5, &interval.encode()));
    assert_eq!(read(interval.clone()), "nothing");
    for high in [5, 0, (1 << 40) + 1] {
        let wrong = Interval { high, ..interval.clone() };
        assert_eq!(read(wrong), "an interval has a number, and ends at 2^40 at most");
    }
    assert_eq!(read(Interval { ordinal: ORDINAL_END - 4, ..interval.clone() }), "nothing");
    for ordinal in [ORDINAL_END - 3, u64::MAX] {
        assert_eq!(read(Interval { ordinal, ..interval.clone() }), "ordinals have at most 19 digits");
    }
    assert_eq!(read(Interval { prefix: "\0".into(), ..interval.clone() }), "an id has 1 to 4096 bytes and no NUL");
    let bytes = interval.encode();
    assert_eq!(fault(Interval::decode(5, &[2])), "Version");
    assert_eq!(fault(Interval::decode(5, &bytes[..20])), "Truncated");
    assert_eq!(fault(Interval::decode(5, &[&bytes[..], &[0]].concat())), "nothing stands after the last field");
    let read = |high: u64| fault(decode_stretch(5, &[&[1][..], &high.to_le_bytes()].concat()));
    assert_eq!([fault(decode_stretch(5, &[])), read(7), read(1 << 40)], ["nothing"; 3]);
    for high in [0, 5, 6, (1 << 40) + 1] {
        assert_eq!(read(high), "a stretch has two numbers, and ends at 2^40 at most");
    }
    assert_eq!(fault(decode_stretch(5, &[2, 7, 0, 0, 0, 0, 0, 0, 0])), "Version");
    assert_eq!(fault(decode_stretch(5, &[1, 7, 0])), "Truncated");
    assert_eq!(fault(decode_stretch(5, &[1, 7, 0, 0, 0, 0, 0, 0, 0, 0])), "nothing stands after the last field");
    let rule = "a group has a fingerprint, and ends at a multiple of 512 at most";
    let group = IntervalGroup::encode(&[1, 2, 3]);
    for (number, bytes, expected) in [
        (0, &group[..], "nothing"),
        (1021, &group, "nothing"),
        (1022, &group, rule),
        (0, &group[..1], rule),
        (0, &group[..24], rule),
        (0, &[3; 10], "Version"),
    ] {
        assert_eq!(fault(Prints::decode(number, bytes)), expected, "{number}");
    }
}

#[test]
fn lists_of_backups_that_break_a_rule_are_refused() {
    let of = format!("database {:032x} 7 6 5", 10);
    let read_with = |first: &str, second: &str, lines: &[&str]| {
        let begin = format!("{first}\n{second}\n");
        let text = lines.iter().fold(begin, |text, line| format!("{text}{line}\n"));
        let checksum = crc32fast::hash(text.as_bytes());
        fault(backup::decode(format!("{text}{checksum:08x} end\n").as_bytes()))
    };
    let read = |first: &str, lines: &[&str]| read_with(first, &of, lines);
    let (first, manifest) = ("nddb backup 1", "00000001 2 MANIFEST");
    for wrong in [&of[1..], &of[..of.len() - 2], &of.to_uppercase(), &format!("{of} 1"), &of.replace(" 7", " 07")] {
        let rule = "the second line is 'database', an identity and three numbers";
        assert_eq!(read_with(first, wrong, &[manifest]), rule, "{wrong}");
    }
    assert_eq!(read(first, &[manifest, "00000001 2 runs/00000001.seg"]), "nothing");
    assert_eq!(read("nddb barrel 1", &[manifest]), "Magic");
    assert_eq!(read("nddb backup 2", &[manifest]), "Version");
    for wrong in ["nddb backup 0", "nddb backup ", "nddb backup one", "nddb backup 65536"] {
        assert_eq!(read(wrong, &[manifest]), "the first line is 'nddb backup' and a version");
    }
    for wrong in
        ["", "00000001 2", "1 2 MANIFEST", "0000000A 2 MANIFEST", "00000001 +2 MANIFEST", "00000001 2 MANIFEST a b"]
    {
        assert_eq!(read(first, &[wrong]), "a line is a checksum, a size, a path and perhaps a tag");
    }
    for wrong in ["LOCK", "runs/", "runs/../MANIFEST", "catalog/.hidden", "runs/a/b", "/MANIFEST", "runs/", "tmp/a"] {
        let line = format!("00000001 2 {wrong}");
        assert_eq!(read(first, &[manifest, &line]), "a path is MANIFEST, or a name in catalog or runs");
    }
    assert_eq!(read(first, &[manifest, manifest]), "paths ascend");
    assert_eq!(read(first, &["00000001 2 catalog/CURRENT", manifest]), "paths ascend");
    assert_eq!(read(first, &["00000001 2 catalog/CURRENT"]), "the list has MANIFEST");
    assert_eq!(fault(backup::decode(b"nddb backup 1\n00000001 2 MANIFEST\n00000000 end\n")), "Checksum");
    assert_eq!(fault(backup::decode(b"nddb backup 1\n00000001 2 MANIFEST\n")), "Truncated");
    assert_eq!(fault(backup::decode(b"nddb backup 1")), "Truncated");
}

#[test]
fn writers_refuse_input_that_breaks_a_rule() {
    let scheme = scheme(8);
    assert_eq!(fault(segment::encode(&scheme, 10, &[1])), "a table of the scheme");
    assert_eq!(fault(segment::encode(&scheme, 0, &[])), "a segment holds at least one fingerprint");
    assert_eq!(fault(segment::encode(&scheme, 0, &[2, 1])), "OutOfOrder");
    let mut survey = Survey::new(&scheme.tables()[1]);
    survey.push(1).expect("the first");
    assert_eq!(fault(survey.header(&scheme, 0)), "the survey is of this table");
    let mut out = Vec::new();
    let header = survey.header(&scheme, 1).expect("a header");
    let encoder = SegmentEncoder::new(header, &mut out).expect("a code");
    assert_eq!(fault(encoder.finish(&mut out)), "both passes see the same fingerprints");
    let mut survey = PostingsSurvey::default();
    survey.begin(1).expect("the first");
    survey.number(10);
    survey.number(11);
    let header = survey.header(10, 20, 1, 0);
    assert_eq!(fault(PostingsEncoder::new(header.clone(), &[0, 1], &mut out)), "there is a rank for each block");
    let mut encoder = PostingsEncoder::new(header, &[0], &mut out).expect("a header");
    encoder.begin().expect("the first");
    assert_eq!(fault(encoder.begin()), "each fingerprint has a document");
    assert_eq!(fault(encoder.number(20, &mut out)), "numbers of a list ascend and are in the run's range");
    encoder.number(10, &mut out).expect("in range");
    assert_eq!(fault(encoder.finish(&mut out)), "both passes see the same lists");
}
