//! Hostile archives: what the library makes of them beyond the counts of each, which the command is tested by
//! (`tools/cli/tests/cli/hostile`).

use super::*;

fn warc_record(fields: &str, block: &str) -> String {
    format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x>\r\n{fields}\r\n{block}")
}

fn sound_tail() -> Vec<u8> {
    archive(&pages(2), Compression::Plain)
}

fn tail_pages(entries: &[Entry]) -> usize {
    pages(2).iter().filter(|page| bodies(entries).contains(page)).count()
}

/// Small limits, so that a bomb needs few bytes.
fn small() -> Options {
    let limits = Limits { record: 1 << 20, ratio: 100, ratio_free: 1 << 20, ..Limits::default() };
    Options { limits, ..Options::default() }
}

fn all_of(mut input: Input) -> (Vec<Entry>, u64) {
    let mut entries = Vec::new();
    while let Some(entry) = input.next().expect("reads") {
        entries.push(entry);
    }
    (entries, input.payload_bytes())
}

fn zstd_frame(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, 3).expect("compresses in memory")
}

/// A record of 30 MB of one letter.
fn swollen() -> Vec<u8> {
    let head = warc_record("Content-Length: 30000044\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
    [head.as_bytes(), &vec![b'a'; 30_000_000], b"\r\n\r\n"].concat()
}

#[test]
fn a_bomb_is_cut_at_the_size_limit_and_the_next_member_is_read() {
    for (pack, packed) in [(gzip as fn(&[u8]) -> Vec<u8>, Compression::Gzip), (zstd_frame, Compression::Zstd)] {
        let bytes = [pack(&swollen()), archive(&pages(2), packed)].concat();
        let (entries, payload) = all_of(Input::from_bytes(bytes.clone(), "bomb.warc.gz", &small()).expect("opens"));
        assert_eq!(reasons(&entries), [Reason::RatioLimit]);
        let first = found(&entries)[0];
        assert!(first.truncated && first.body.len() <= 1 << 20);
        assert_eq!(tail_pages(&entries), 2);
        assert!(payload < 10_000_000, "{payload} bytes were decompressed");
        let told = entries.iter().find_map(|entry| match &entry.content {
            EntryContent::Skipped { detail, .. } => Some(detail.clone()),
            _ => None,
        });
        assert!(told.is_some_and(|told| told.contains("max-ratio") && told.contains("max-record")));
        // Whoever allows more has all of it.
        let mut more = small();
        more.limits.ratio = 1 << 20;
        let (entries, _) = all_of(Input::from_bytes(bytes, "bomb.warc.gz", &more).expect("opens"));
        assert_eq!((reasons(&entries), tail_pages(&entries)), (vec![], 2));
    }
}

#[test]
fn a_record_that_compresses_a_thousand_times_is_read() {
    for pack in [gzip, zstd_frame] {
        let bytes = [pack(&swollen()), pack(&swollen())].concat();
        let (entries, _) = all_of(Input::from_bytes(bytes, "hot.warc.gz", &Options::default()).expect("opens"));
        let read: Vec<_> = found(&entries).iter().map(|page| (page.body.len(), page.truncated)).collect();
        assert_eq!((read, reasons(&entries)), (vec![(30_000_000, false); 2], vec![]));
    }
}

#[test]
fn lines_that_compress_a_thousand_times_are_read_and_a_line_without_end_is_not() {
    let text = "word ".repeat(1 << 12);
    let lines: String = (0..1000).map(|n| format!("{{\"id\":\"{n}\",\"text\":\"{text}\"}}\n")).collect();
    for pack in [gzip, zstd_frame] {
        // Much more than the size of a record, in one member.
        let packed = pack(lines.as_bytes());
        assert!(packed.len() * 150 < lines.len(), "{} to {}", packed.len(), lines.len());
        let (entries, _) = all_of(Input::from_bytes(packed, "hot.jsonl.gz", &small()).expect("opens"));
        assert_eq!((found(&entries).len(), reasons(&entries)), (1000, vec![]));
        for filling in [b'a', b'\n', b' ', 0] {
            let bomb = pack(&vec![filling; 40 << 20]);
            let bytes = [bomb, pack(b"{\"id\":\"last\",\"text\":\"words\"}\n")].concat();
            let (entries, payload) = all_of(Input::from_bytes(bytes, "bomb.jsonl.gz", &small()).expect("opens"));
            let reasons = reasons(&entries);
            assert!(reasons.contains(&Reason::RatioLimit), "{filling}: {reasons:?}");
            assert_eq!(found(&entries).last().map(|page| &page.id[..]), Some("last"), "{filling}");
            assert!(payload < 10 << 20, "{filling}: {payload} bytes were decompressed");
        }
    }
}

#[test]
fn a_load_resumes_far_inside_of_a_member_that_compresses_well() {
    let text = "word ".repeat(1 << 12);
    let lines: String = (0..1000).map(|n| format!("{{\"id\":\"{n}\",\"text\":\"{text}\"}}\n")).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hot.jsonl.gz");
    std::fs::write(&path, gzip(lines.as_bytes())).expect("written");
    let mut input = Input::open(&path, &small()).expect("opens");
    for _ in 0..999 {
        input.next().expect("reads");
    }
    let point = input.resume_point();
    assert!(point.inner > 10 << 20);
    let (entries, _) = all_of(Input::open_at(&path, &small(), point).expect("opens"));
    assert_eq!(found(&entries).iter().map(|page| &page.id[..]).collect::<Vec<_>>(), ["999"]);
    assert_eq!(reasons(&entries), []);
}

#[test]
fn a_bomb_in_a_body_is_cut_at_the_size_limit() {
    let body = gzip(&vec![b'a'; 30_000_000]);
    let fields = [("Content-Type", "text/html"), ("Content-Encoding", "gzip")];
    let mut writer = WarcWriter::new(Vec::new(), Compression::Gzip);
    let response = Response { url: "http://a/", date: 0, id: None, status: 200, headers: &fields, body: &body };
    writer.response(&response).expect("writes to memory");
    let bytes = writer.finish().expect("writes to memory");
    for (options, len, truncated) in [(small(), 1 << 20, true), (Options::default(), 30_000_000, false)] {
        let entries = read_with(&bytes, "bomb.warc.gz", &options);
        let read: Vec<_> = found(&entries).iter().map(|page| (page.body.len(), page.truncated)).collect();
        assert_eq!((read, reasons(&entries)), (vec![(len, truncated)], vec![]));
    }
}

#[test]
fn a_length_that_is_huge_or_wrong_costs_no_other_record() {
    let lengths = [
        "99999999999",
        "9223372036854775807",
        "18446744073709551615",
        "99999999999999999999999",
        "-1",
        "x",
        "",
        "0x10",
    ];
    for length in lengths {
        for pack in [|bytes: &[u8]| bytes.to_vec(), gzip] {
            let record = warc_record(&format!("Content-Length: {length}\r\n"), "HTTP/1.1 200 OK\r\n\r\nbody\r\n\r\n");
            let bytes = pack(&[record.as_bytes(), &sound_tail()].concat());
            let small = Limits { record: 900, ..Limits::default() };
            for limits in [Limits::default(), small] {
                let options = Options { limits: limits.clone(), ..Options::default() };
                let entries = read_with(&bytes, "wrong.warc", &options);
                if limits == Limits::default() {
                    assert_eq!(tail_pages(&entries), 2, "Content-Length: {length}");
                } else {
                    assert_eq!(
                        found(&entries).iter().filter(|page| page.id.starts_with("https")).count(),
                        2,
                        "{length}"
                    );
                }
            }
        }
    }
    for shift in [-5, -1, 1, 3, 60] {
        let originals = pages(3);
        let text = archive(&originals, Compression::Plain);
        let at = |needle: &str, from: usize| {
            from + text[from..].windows(needle.len()).position(|w| w == needle.as_bytes()).expect("is there")
        };
        let second = at("WARC-Target-URI: https://example.org/1", 0);
        let begin = at("Content-Length: ", second) + "Content-Length: ".len();
        let end = at("\r", begin);
        let length: i64 = std::str::from_utf8(&text[begin..end]).expect("digits").parse().expect("a number");
        let wrong = [&text[..begin], (length + shift).to_string().as_bytes(), &text[end..]].concat();
        let entries = read(&wrong, "wrong.warc");
        let loaded = found(&entries);
        assert_eq!(loaded.len(), 3, "{shift}");
        assert_eq!((&loaded[0].body, &loaded[2].body), (&originals[0].1, &originals[2].1), "{shift}");
        // A length that includes some of the line ends after the record does no harm.
        let harmless = (0..4).contains(&shift);
        assert_eq!([0, 1, 2].map(|at| loaded[at].truncated), [false, !harmless, false], "{shift}");
    }
}

#[test]
fn a_record_beyond_the_size_limit_is_cut_and_flagged() {
    let mut originals = pages(3);
    originals[1].1 = [b"<p>".to_vec(), (0..9000).map(|i| b'a' + (i % 23) as u8).collect()].concat();
    let options = Options { limits: Limits { record: 4000, ..Limits::default() }, ..Options::default() };
    for compression in [Compression::Plain, Compression::Gzip] {
        let entries = read_with(&archive(&originals, compression), "long.warc", &options);
        let loaded = found(&entries);
        assert_eq!(loaded.len(), 3);
        assert!(loaded[1].truncated && loaded[1].body.len() <= 4000 && originals[1].1.starts_with(&loaded[1].body));
        assert_eq!(loaded[2].body, originals[2].1);
        assert_eq!(reasons(&entries), []);
    }
}

#[test]
fn rubbish_between_records_is_counted_and_stepped_over() {
    let bytes = [b"rubbish\r\n".to_vec(), sound_tail(), b"more\r\n\r\nof it\nWARC/x\n".to_vec(), sound_tail()].concat();
    let entries = read(&bytes, "rubbish.warc");
    assert_eq!(found(&entries).len(), 4);
    assert_eq!(reasons(&entries), [Reason::Garbage, Reason::Garbage]);
    let bytes =
        [archive(&pages(2), Compression::Gzip), b"rubbish".to_vec(), archive(&pages(2), Compression::Gzip)].concat();
    let entries = read(&bytes, "rubbish.warc.gz");
    assert_eq!(found(&entries).len(), 4);
    assert_eq!(reasons(&entries), [Reason::Garbage]);
}

#[test]
fn frames_without_their_dictionary_are_refused() {
    let (_, bytes) =
        flavours(&pages(40)).into_iter().find(|(name, _)| *name == "dictionary.warc.zst").expect("is made");
    let len = u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes")) as usize;
    let refused = Input::from_bytes(bytes[8 + len..].to_vec(), "frames.warc.zst", &Options::default()).err();
    assert!(matches!(refused, Some(ArchiveError::MissingDictionary { .. })), "{refused:?}");
}

#[test]
fn frames_that_are_no_dictionaries_are_stepped_over() {
    let (originals, dictionary) = (pages(40), zstd::bulk::compress(b"no dictionary", 3).expect("compresses in memory"));
    let (_, bytes) =
        flavours(&originals).into_iter().find(|(name, _)| *name == "dictionary.warc.zst").expect("is made");
    let frame = skippable(0x5d, &dictionary);
    let len = 8 + u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes")) as usize;
    let (first, mut rest) = bytes.split_at(len);
    let mut made = first.to_vec();
    // One before each frame: none of them takes the place of the dictionary.
    while !rest.is_empty() {
        let len = zstd::zstd_safe::find_frame_compressed_size(rest).expect("a frame");
        made.extend(
            [skippable(0x5d, b"anything else"), frame.clone(), skippable(0x5d, b""), rest[..len].to_vec()].concat(),
        );
        rest = &rest[len..];
    }
    assert_eq!(bodies(&read(&made, "a.warc.zst")), originals);
}
