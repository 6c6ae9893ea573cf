//! Batch mode: one pass over everything stored finds the same as single queries.

use nddb::scan::{Resolving, scan_blocks, scan_segment, scan_segments};
use nddb::{BatchMatch, Config, Document, Fingerprint, Reader, Resources, Within, Writer};

use super::support::{Random, bare};

type Line = (u64, u32, String, u64);

fn answers(reader: &Reader, queries: &[Fingerprint], k: u8) -> Vec<Line> {
    let found = reader.view().find(queries, Within(k)).expect("answers");
    let lines = (0..).zip(found).flat_map(|(ordinal, answer)| {
        answer.matches.into_iter().map(move |found| (ordinal, found.distance, found.id, found.fingerprint.0))
    });
    lines.collect()
}

fn line(found: BatchMatch) -> Line {
    (found.query, found.distance, found.id, found.fingerprint.0)
}

fn batch(reader: &Reader, queries: &[Fingerprint], k: u8, threads: usize) -> Vec<Line> {
    let resources = Resources { threads, memory_limit: 1 << 20, ..Resources::default() };
    let found = reader.view().batch_query(queries, Within(k), &resources, None).expect("a pass");
    found.map(|found| found.map(line).expect("a match")).collect()
}

/// Scans of all ranges and of what is in no run, each row twice, resolved.
fn in_parts(reader: &Reader, queries: &[Fingerprint], k: u8) -> Vec<Line> {
    let (view, mut rows) = (reader.view(), Vec::new());
    let mut take = |query, stored, distance| {
        rows.extend([(query, stored, distance); 2]);
        Ok(())
    };
    for range in view.scan_ranges() {
        let blocks = Some((range.first, range.blocks));
        scan_segment(&range.segment, blocks, queries, Within(k), &mut take).expect("a range");
    }
    view.scan_recent(queries, Within(k), &mut take).expect("what is in no run");
    let mut resolving = Resolving::new(view, 1 << 20);
    rows.into_iter().rev().for_each(|(query, stored, distance)| {
        resolving.push(query, stored, distance).expect("taken");
    });
    let mut lines = Vec::new();
    let mut emit = |found: BatchMatch| {
        lines.push(line(found));
        Ok(())
    };
    let matches = resolving.finish(&mut emit).expect("resolved");
    assert_eq!(matches, lines.len() as u64);
    lines
}

#[test]
fn one_pass_finds_what_single_queries_find_in_the_same_order() {
    let mut random = Random::fixed(71);
    for (bits, k, len) in [(64u8, 3u8, 6000u64), (64, 0, 500), (64, 7, 500), (32, 3, 4000), (13, 2, 900), (8, 4, 300)] {
        let folder = tempfile::tempdir().expect("a folder");
        let config = Config::within(k).and_then(|config| config.bits(bits)).expect("a configuration");
        let mut writer = Writer::create(folder.path().join("db"), &config).expect("a new database");
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let mut prints: Vec<u64> = Vec::new();
        let near = |random: &mut Random, prints: &[u64]| {
            let flips = random.below(u64::from(k) + 3);
            let base = if prints.is_empty() || random.below(3) == 0 {
                random.next()
            } else {
                prints[random.below(prints.len() as u64) as usize]
            };
            (0..flips).fold(base, |print, _| print ^ 1 << random.below(u64::from(bits))) & mask
        };
        for index in 0..len {
            let print = near(&mut random, &prints);
            prints.push(print);
            writer.insert(bare(&format!("{index}"), print)).expect("taken");
            if index % (len / 3) == 0 {
                writer.commit().expect("durable");
                writer.flush().expect("flushed");
            }
        }
        (0..len).step_by(11).for_each(|index| assert!(writer.delete(&format!("{index}")).expect("deleted")));
        writer.label("later", true).expect("a batch");
        writer.insert(Document::bare("pending", Fingerprint(prints[1])).expect("an id")).expect("taken");
        writer.commit().expect("durable");
        let reader = Reader::open(folder.path().join("db")).expect("a reader");
        let mut queries: Vec<Fingerprint> = (0..700).map(|_| Fingerprint(near(&mut random, &prints))).collect();
        queries.extend_from_within(..50);
        for k in 0..=k {
            let want = answers(&reader, &queries, k);
            assert_eq!(batch(&reader, &queries, k, 1), want, "f={bits} k={k}");
            assert_eq!(batch(&reader, &queries, k, 3), want, "f={bits} k={k}, three threads");
            assert_eq!(in_parts(&reader, &queries, k), want, "f={bits} k={k}, in parts");
        }
        assert_eq!(batch(&reader, &[], k, 1), []);
        // Few queries are probed, and so are all at distances that no index of the queries is made for.
        for k in [0, k, k + 1, 7, 8, 16] {
            let some = &queries[..if k > 7 { 60 } else { 3 }];
            assert_eq!(batch(&reader, some, k, 2), answers(&reader, some, k), "f={bits} k={k}, {}", some.len());
        }
    }
}

#[test]
fn a_fingerprint_of_many_documents_and_many_equal_queries_are_spilled_and_sorted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("a new database");
    let mut load = writer.bulk_load().expect("a load");
    (0..20_000).for_each(|index| load.push(bare(&format!("{index}"), 77)).expect("taken"));
    load.finish().expect("loaded");
    drop(writer);
    let reader = Reader::open(&path).expect("a reader");
    let lines = batch(&reader, &[Fingerprint(77), Fingerprint(5), Fingerprint(76), Fingerprint(77)], 3, 2);
    assert_eq!(lines.len(), 60_000 + if (77u64 ^ 5).count_ones() <= 3 { 20_000 } else { 0 });
    assert!(lines.windows(2).all(|pair| pair[0] < pair[1]), "sorted by query, distance, id");
}

#[test]
fn any_table_of_any_run_can_be_scanned_alone_whole_or_in_ranges() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("db");
    let config = Config::within(3).and_then(|config| config.levels(&[4, 4])).expect("a configuration");
    let mut writer = Writer::create(&path, &config).expect("a new database");
    let mut random = Random::fixed(5);
    let prints: Vec<u64> = (0..3000).map(|_| random.next()).collect();
    for (index, &print) in prints.iter().enumerate() {
        writer.insert(bare(&index.to_string(), print)).expect("taken");
    }
    writer.commit().expect("durable");
    writer.flush().expect("flushed");
    let queries: Vec<Fingerprint> =
        prints.iter().step_by(9).map(|print| Fingerprint(print ^ 0x8000_0000_0000_0001)).collect();
    let mut want: Vec<(u64, u64, u32)> = Vec::new();
    for (ordinal, query) in (0..).zip(&queries) {
        let near = prints.iter().filter(|&&print| (print ^ query.0).count_ones() <= 3);
        want.extend(near.map(|&print| (ordinal, print, (print ^ query.0).count_ones())));
    }
    want.sort_unstable();
    let segments = std::fs::read_dir(path.join("runs")).expect("a folder").flatten().map(|entry| entry.path());
    let mut scanned = 0;
    for file in segments.filter(|file| file.extension().is_some_and(|end| end == "seg")) {
        let scan = |blocks| {
            let mut found = Vec::new();
            let emit = &mut |ordinal, stored: Fingerprint, distance| {
                found.push((ordinal, stored.0, distance));
                Ok(())
            };
            let read = scan_segment(&file, blocks, &queries, Within(3), emit).expect("a scan");
            (read, found)
        };
        let (read, mut found) = scan(None);
        found.sort_unstable();
        assert_eq!((read, &found), (3000, &want));
        let mut parts: Vec<_> = [(0, 5), (5, 1)].into_iter().flat_map(|blocks| scan(Some(blocks)).1).collect();
        let bytes = std::fs::read(&file).expect("a file");
        let blocks = u64::from_le_bytes(bytes[bytes.len() - 24..bytes.len() - 16].try_into().expect("eight bytes"));
        let count = blocks.saturating_sub(6);
        let rest = &bytes[1024 + 6 * 1024..1024 + (6 + count as usize) * 1024];
        let emit = &mut |ordinal, stored: Fingerprint, distance| {
            parts.push((ordinal, stored.0, distance));
            Ok(())
        };
        scan_blocks(&bytes, 6, &mut &rest[..], &queries, Within(3), emit).expect("a scan");
        parts.sort_unstable();
        assert_eq!(parts, want, "{}", file.display());
        scanned += 1;
    }
    assert_eq!(scanned, 16);
}

/// A file of eight billion fingerprints with holes: header, footer and the last block are those of a real one.
#[test]
fn a_segment_of_eight_billion_is_read_to_its_last_block() {
    use nddb_format::scheme::Scheme;
    use nddb_format::segment::{
        BLOCKS, FOOTER_CHECKSUM, FOOTER_IDENTITY, FOOTER_SIZE, HEADER_SIZE, Segment, SegmentHeader, encode, file_size,
    };
    use nddb_format::{block, digest};
    use std::os::unix::fs::FileExt;

    let (count, blocks) = (8_000_000_000, 36_000_000);
    let scheme = Scheme::new(64, 3, &[], 0).expect("one table");
    let print = u64::MAX - 5;
    let mut small = encode(&scheme, 0, &[1 << 63, print]).expect("ascending fingerprints");
    let lengths = Segment::open(&small[..]).expect("sound").header().lengths;
    let header = SegmentHeader::new(&scheme, 0, (count, 0), digest::Digest::default(), lengths).expect("table 0");
    let footer = small.len() - FOOTER_SIZE;
    let last = &mut small[HEADER_SIZE..];
    let crc = digest::checksum(header.identity, blocks - 1, &last[block::CHECKSUM.end()..block::BLOCK_SIZE]);
    block::CHECKSUM.put(last, crc.into());
    let footer = &mut small[footer..];
    BLOCKS.put(footer, blocks);
    FOOTER_IDENTITY.put(footer, header.identity);
    let crc = crc32fast::hash(&footer[..FOOTER_CHECKSUM.offset]);
    FOOTER_CHECKSUM.put(footer, crc.into());

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sparse.seg");
    let file = std::fs::File::create(&path).expect("a file");
    let size = file_size(blocks, 0).expect("a file can be that long");
    let (start, footer) = small.split_at(small.len() - FOOTER_SIZE);
    let last = &start[HEADER_SIZE..HEADER_SIZE + block::BLOCK_SIZE];
    file.set_len(size).expect("a file with holes");
    file.write_all_at(&header.encode(), 0).expect("a header");
    file.write_all_at(last, Segment::<&[u8]>::block_offset(blocks - 1) as u64).expect("a block");
    file.write_all_at(footer, size - FOOTER_SIZE as u64).expect("a footer");
    let mut found = Vec::new();
    let mut emit = |query, stored: Fingerprint, distance| {
        found.push((query, stored.0, distance));
        Ok(())
    };
    let queries = [Fingerprint(print ^ 6)];
    let read = scan_segment(&path, Some((blocks - 1, 1)), &queries, Within(3), &mut emit).expect("a scan");
    assert_eq!((read, found), (2, vec![(0, print, 2)]));
    let before = scan_segment(&path, Some((blocks - 2, 1)), &queries, Within(3), &mut |_, _, _| Ok(()));
    assert!(before.is_err(), "a hole is no block");
}

#[test]
fn the_segments_of_one_table_are_scanned_together() {
    use nddb_format::scheme::Scheme;
    use nddb_format::segment::encode;

    let (mut random, folder) = (Random::fixed(8), tempfile::tempdir().expect("a folder"));
    let mut stored: Vec<u64> = (0..200_000).map(|_| random.next()).collect();
    stored.sort_unstable();
    let scheme = Scheme::new(64, 3, &[4], 28).expect("four tables");
    let paths: Vec<std::path::PathBuf> = (0..5).map(|part| folder.path().join(format!("{part}.seg"))).collect();
    for (path, part) in paths.iter().zip(stored.chunks(40_000)) {
        std::fs::write(path, encode(&scheme, 0, part).expect("sorted")).expect("a file");
    }
    // Few queries for many fingerprints, and many for few.
    for len in [70, 3000] {
        let near = |index: usize| Fingerprint(random.near(stored[index * 31], index as u64 % 5, 64));
        let queries: Vec<Fingerprint> = (0..len).map(near).collect();
        let mut want: Vec<(u64, u64)> = Vec::new();
        for (ordinal, query) in (0..).zip(&queries) {
            want.extend(
                stored.iter().filter(|&value| (value ^ query.0).count_ones() <= 3).map(|&value| (ordinal, value)),
            );
        }
        for threads in [1, 3] {
            let (mut found, paths): (_, Vec<_>) = (Vec::new(), paths.iter().map(|path| &**path).collect());
            let mut emit = |query: u64, stored: Fingerprint, distance: u32| {
                assert_eq!((queries[query as usize].0 ^ stored.0).count_ones(), distance);
                found.push((query, stored.0));
                Ok(())
            };
            let read = scan_segments(&paths, &queries, Within(3), threads, &mut emit).expect("a scan");
            found.sort_unstable();
            assert_eq!((read, &found), (200_000, &want), "{len} queries");
        }
    }
    let other = folder.path().join("other.seg");
    std::fs::write(&other, encode(&scheme, 1, &stored).expect("sorted")).expect("a file");
    let refused = scan_segments(&[&paths[0], &other], &[], Within(3), 2, &mut |_, _, _| Ok(()));
    assert!(refused.expect_err("two tables").to_string().contains("other.seg"));
    assert!(scan_segments(&[], &[], Within(3), 2, &mut |_, _, _| Ok(())).is_err(), "nothing to scan");
}
