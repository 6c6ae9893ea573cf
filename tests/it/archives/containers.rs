//! Containers, whole and damaged.

use super::*;

#[test]
fn every_container_gives_the_same_pages_at_positions_that_can_be_read_again() {
    let originals = pages(40);
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, bytes) in flavours(&originals) {
        let entries = read(&bytes, name);
        assert_eq!(bodies(&entries), originals, "{name}");
        assert!(found(&entries).iter().all(|page| !page.truncated), "{name}");
        assert_eq!(reasons(&entries), [], "{name}");
        let page = found(&entries)[0];
        assert_eq!(page.url.as_deref(), Some("https://example.org/0"));
        assert_eq!((page.date, page.charset.as_deref()), (Some(1_700_000_000), Some("utf-8")));

        let forward = Input::from_reader(std::io::Cursor::new(bytes.clone()), name, &Options::default());
        assert_eq!(drain(forward.expect("opens")), entries, "{name} read forward only");
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).expect("the file can be written");
        for entry in &entries {
            if let EntryContent::Page(page) = &entry.content {
                let reread = read_page(&path, &entry.position, &Options::default());
                assert_eq!(reread.ok().as_ref(), Some(page), "{name} {:?}", entry.position);
            }
        }
        let mut input = Input::open(&path, &Options::default()).expect("opens");
        for at in 0..entries.len() {
            assert_eq!(input.next().expect("reads").as_ref(), Some(&entries[at]));
            let rest = Input::open_at(&path, &Options::default(), input.resume_point()).expect("opens again");
            assert_eq!(drain(rest), entries[at + 1..], "{name} after entry {at}");
        }
    }
}

#[test]
fn what_follows_a_skippable_frame_that_ends_nowhere_is_read_forward_too() {
    let originals = pages(3);
    let mut bytes = skippable(0x59, b"a length beyond the end of the file");
    bytes[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    let (_, archive) =
        flavours(&originals).into_iter().find(|(name, _)| name.ends_with(".warc.zst")).expect("a flavour");
    bytes.extend(archive);
    let entries = read(&bytes, "a.warc.zst");
    assert_eq!(bodies(&entries), originals);
    let forward = Input::from_reader(std::io::Cursor::new(bytes), "a.warc.zst", &Options::default());
    assert_eq!(drain(forward.expect("opens")), entries);
}

#[test]
fn a_position_tells_the_member_and_its_compressed_length() {
    let originals = pages(3);
    let mut writer = WarcWriter::new(Vec::new(), Compression::Gzip);
    let mut expected = Vec::new();
    for (url, body) in &originals {
        let offset = writer.offset();
        let response = Response { url, date: 0, id: None, status: 200, headers: HTML, body };
        writer.response(&response).expect("writes to memory");
        expected.push(Position { offset, inner: 0, length: writer.offset() - offset });
    }
    let entries = read(&writer.finish().expect("writes to memory"), "members.warc.gz");
    assert_eq!(entries.iter().map(|entry| entry.position).collect::<Vec<_>>(), expected);
}

#[test]
fn an_archive_cut_at_any_length_gives_what_stands_before_the_cut() {
    let originals = pages(6);
    for (name, bytes) in flavours(&originals) {
        for len in 0..bytes.len() {
            let Ok(input) = Input::from_bytes(bytes[..len].to_vec(), name, &Options::default()) else { continue };
            let entries = drain(input);
            let pages = found(&entries);
            assert!(pages.len() <= originals.len(), "{name} cut at {len}");
            for (at, page) in pages.iter().enumerate() {
                let (id, body) = &originals[at];
                assert_eq!(&page.id, id, "{name} cut at {len}");
                assert!(body.starts_with(&page.body), "{name} cut at {len}");
                assert!(page.truncated || &page.body == body, "{name} cut at {len}: {at} is flagged");
                assert!(!page.truncated || at + 1 == pages.len(), "{name} cut at {len}: only the last is cut");
            }
        }
    }
}

#[test]
fn a_flipped_byte_costs_at_most_the_record_it_is_in() {
    let originals = pages(8);
    for (compression, name) in
        [(Compression::Plain, "a.warc"), (Compression::Gzip, "a.warc.gz"), (Compression::Zstd, "a.warc.zst")]
    {
        let bytes = archive(&originals, compression);
        // Each byte in two of its bits, which are others from byte to byte.
        for (at, bit) in (0..bytes.len()).flat_map(|at| [at % 8, (at + 3 + at / 8) % 8].map(move |bit| (at, bit))) {
            let mut broken = bytes.clone();
            broken[at] ^= 1 << bit;
            let bodies = bodies(&read(&broken, name));
            let sound = originals.iter().filter(|page| bodies.contains(page)).count();
            assert!(sound + 1 >= originals.len(), "{compression:?}, bit {bit} of byte {at}: {sound} pages are sound");
        }
    }
}

#[test]
fn a_broken_member_costs_only_itself_even_in_its_magic_and_its_checksum() {
    let originals = pages(9);
    let member = |page| archive(std::slice::from_ref(page), Compression::Gzip);
    let info = archive(&[], Compression::Gzip).len();
    for broken_at in [0, 1, 2, 3, 10, 40, 100] {
        let mut bytes = Vec::new();
        for (at, page) in originals.iter().enumerate() {
            let mut packed = member(page)[info..].to_vec();
            if at == 4 {
                let last = packed.len() - 1;
                packed[broken_at.min(last)] ^= 0xff;
                packed[last - 6] ^= 0xff;
            }
            bytes.extend_from_slice(&packed);
        }
        let entries = read(&bytes, "broken.warc.gz");
        let mut expected = originals.clone();
        expected.remove(4);
        assert_eq!(bodies(&entries), expected, "broken at {broken_at}");
        assert_eq!(reasons(&entries).len(), 1, "broken at {broken_at}: {:?}", reasons(&entries));
    }
}

#[test]
fn bytes_of_any_kind_are_read_to_their_end() {
    let mut random = Random::seeded("random bytes");
    let originals = pages(5);
    let seeds: Vec<Vec<u8>> = flavours(&pages(40))
        .into_iter()
        .map(|(_, bytes)| bytes[..bytes.len().min(3000)].to_vec())
        .chain([
            arc(&originals).into_bytes(),
            b"{\"id\":\"a\",\"text\":\"b\"}\n".to_vec(),
            b"a\t0123456789abcdef\n".to_vec(),
            b"id,text\na,\"b\nc\"\n".to_vec(),
            bzip2(&archive(&originals, Compression::Plain)),
            xz(&archive(&originals, Compression::Plain)),
            lz4(&archive(&originals, Compression::Plain)),
        ])
        .collect();
    use Format::{Arc, Auto, Csv, Html, Jsonl, Tsv, U64le, Warc};
    let formats = [Auto, Warc, Arc, Html, Jsonl, Csv, Tsv, U64le];
    let limits = Limits { record: 2000, header: 500, ..Limits::default() };
    for round in 0..4000 {
        let mut bytes = seeds[random.index(seeds.len())].clone();
        for _ in 0..1 + random.index(8) {
            let (from, len) = (random.index(bytes.len() + 1), random.index(300));
            let to = (from + len).min(bytes.len());
            match random.index(4) {
                0 => drop(bytes.drain(from..to)),
                1 => {
                    let copy = bytes[from..to].to_vec();
                    let at = random.index(bytes.len() + 1);
                    bytes.splice(at..at, copy);
                }
                2 => bytes[from..to].iter_mut().for_each(|byte| *byte = random.next() as u8),
                _ => bytes[from..to].iter_mut().for_each(|byte| *byte = b"WARC/1.0\r\nx: 9"[random.index(14)]),
            }
        }
        let format = formats[random.index(formats.len())];
        let options = Options { format, limits: limits.clone(), ..Options::default() };
        if let Ok(input) = Input::from_bytes(bytes, "random", &options) {
            for entry in drain(input) {
                if let EntryContent::Page(page) = entry.content {
                    assert!(page.body.len() <= 2000, "round {round}: {} bytes", page.body.len());
                }
            }
        }
    }
}

#[test]
fn files_that_other_tools_compress_as_a_whole_are_read_and_their_damage_is_told() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let originals = pages(40);
    let plain = archive(&originals, Compression::Plain);
    let middle = plain.len() / 2;
    for (ending, pack) in [("bz2", bzip2 as fn(&[u8]) -> Vec<u8>), ("xz", xz), ("lz4", lz4)] {
        let whole = pack(&plain);
        let parts = [pack(&plain[..middle]), pack(&plain[middle..])].concat();
        for bytes in [whole.clone(), parts] {
            let path = folder.path().join(format!("a.warc.{ending}"));
            std::fs::write(&path, &bytes).expect("the file can be written");
            let mut input = Input::open(&path, &Options::default()).expect("opens");
            assert_eq!(input.size(), bytes.len() as u64);
            let mut entries = Vec::new();
            while let Some(entry) = input.next().expect("reads") {
                if let EntryContent::Page(page) = &entry.content
                    && entries.len() % 8 == 1
                {
                    let again = read_page(&path, &entry.position, &Options::default()).expect("is there");
                    assert_eq!(&again, page, "{ending}");
                    let rest = drain(Input::open_at(&path, &Options::default(), input.resume_point()).expect("opens"));
                    assert_eq!(rest.len(), originals.len() - entries.len(), "{ending}");
                }
                entries.push(entry);
            }
            assert_eq!(bodies(&entries), originals, "{ending}");
            assert_eq!(input.bytes_read(), bytes.len() as u64, "{ending}");
        }
        // Cut off, and damaged.
        let cut = read(&whole[..whole.len() / 2], &format!("a.warc.{ending}"));
        let mut damaged = whole.clone();
        damaged[whole.len() / 2..][..40].fill(0x55);
        let damaged = read(&damaged, &format!("a.warc.{ending}"));
        for entries in [cut, damaged] {
            let whole = found(&entries).into_iter().filter(|page| !page.truncated).count();
            let pages = bodies(&entries);
            assert!(whole < originals.len() && pages[..whole] == originals[..whole], "{ending}");
            assert!(reasons(&entries).len() <= 1, "{ending}: {:?}", reasons(&entries));
        }
        // A record without end is given up.
        let limits = Limits { record: 1 << 20, ratio_free: 4 << 20, ratio: 10, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let entries = read_with(&pack(&vec![b'a'; 40 << 20]), &format!("a.jsonl.{ending}"), &options);
        assert!(reasons(&entries).contains(&Reason::RatioLimit), "{ending}: {:?}", reasons(&entries));
    }
}
