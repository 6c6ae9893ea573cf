//! Gzip members, zstd frames, and files that are packed as a whole.

use std::io::{Read, Write};

use super::{Gives, SOUND, Table, WORK, gzip, record, sound, zstd};

/// What may be decompressed for nothing, and a little besides.
const WASTED: u64 = (256 << 20) + WORK;

/// A response whose body has no end.
fn endless() -> Vec<u8> {
    let http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>words";
    let mut record = String::from_utf8_lossy(&record("urn:bomb", http)).replace(": 50", ": 4000000000").into_bytes();
    record.truncate(record.len() - 4);
    record
}

/// A gzip member that has more than 2 GB in 2 MB.
fn gzip_bomb() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&endless()).expect("memory is writable");
    encoder.flush().expect("memory is writable");
    let begin = encoder.get_ref().len();
    encoder.write_all(&vec![b'a'; 16 << 20]).expect("memory is writable");
    // What stands between two flushes does not depend on what came before it, but for the window of equal letters.
    encoder.flush().expect("memory is writable");
    let bytes = encoder.get_ref().clone();
    let (head, piece) = bytes.split_at(begin);
    [head, &piece.repeat(128)].concat()
}

/// A zstd frame that has 4 GB in 131 KB: blocks of one byte that is repeated.
fn zstd_bomb() -> Vec<u8> {
    let head = endless();
    let raw = (head.len() as u32) << 3;
    let block = ((1_u32 << 17) << 3 | 1 << 1).to_le_bytes();
    let repeated = [&block[..3], b"a"].concat().repeat(1 << 15);
    // A window of 128 KB, no size and no checksum; a raw block, then the others.
    [&b"\x28\xb5\x2f\xfd\0\x38"[..], &raw.to_le_bytes()[..3], &head, &repeated, b"\x01\0\0"].concat()
}

#[test]
fn bombs() {
    let table = Table::new();
    let bomb = Gives { stored: 3, cut: 1, skipped: &[("ratio_limit", 1)], work: WASTED, ..SOUND };
    let limits = ["--max-record", "1M", "--max-ratio", "100"];
    table.reads_with("bomb.warc.gz", &[gzip_bomb(), gzip(&sound())].concat(), &limits, bomb);
    table.reads_with("bomb.warc.zst", &[zstd_bomb(), zstd(&sound())].concat(), &limits, bomb);
    // Of these the rest of the file is lost.
    let lost = Gives { stored: 1, cut: 1, skipped: &[("garbage", 1), ("ratio_limit", 1)], work: WASTED, ..SOUND };
    let letters = vec![b'a'; 32 << 20];
    let mut bzip2 = Vec::new();
    let head = endless();
    for (bytes, times) in [(&head, 1), (&letters, 20)] {
        let mut packed = Vec::new();
        let mut encoder = bzip2::read::BzEncoder::new(&bytes[..], bzip2::Compression::best());
        encoder.read_to_end(&mut packed).expect("memory is readable");
        bzip2.extend(packed.repeat(times));
    }
    table.reads_with("bomb.warc.bz2", &bzip2, &limits, lost);
    let mut xz = Vec::new();
    for (bytes, times) in [(&head, 1), (&letters, 20)] {
        let options = lzma_rust2::XzOptions::with_preset(0);
        let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).expect("options");
        writer.write_all(bytes).expect("memory is writable");
        xz.extend(writer.finish().expect("memory is writable").repeat(times));
    }
    table.reads_with("bomb.warc.xz", &xz, &limits, lost);
    let mut lz4 = Vec::new();
    for (bytes, times) in [(&head, 1), (&letters, 20)] {
        let mut writer = lz4_flex::frame::FrameEncoder::new(Vec::new());
        writer.write_all(bytes).expect("memory is writable");
        lz4.extend(writer.finish().expect("memory is writable").repeat(times));
    }
    table.reads_with("bomb.warc.lz4", &lz4, &limits, lost);
    let line = [b"{\"id\":\"a\",\"text\":\"".to_vec(), letters].concat();
    let lines = Gives { stored: 1, skipped: &[("line_too_long", 1)], ..SOUND };
    let next = gzip(b"\"}\n{\"id\":\"b\",\"text\":\"words\"}\n");
    table.reads_with("bomb.jsonl.gz", &[gzip(&line), next].concat(), &limits, lines);
    table.ends(6);
}

#[test]
fn members() {
    let table = Table::new();
    let member = gzip(&sound());
    let both = |first: &[u8]| [first, &member].concat();
    let damaged = Gives { stored: 2, skipped: &[("damaged_member", 1)], ..SOUND };
    let flags = |flags: u8, rest: &[u8]| [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255], rest].concat();
    table.reads("endless-name.warc.gz", &both(&flags(8, &vec![b'n'; 1 << 20])), damaged);
    table.reads("reserved-flags.warc.gz", &both(&flags(0xe0, b"")), damaged);
    let cut = Gives { stored: 2, skipped: &[("cut_off", 1)], ..SOUND };
    table.reads("extra-field.warc.gz", &both(&flags(4, &[255, 255])), cut);
    table.reads("stored-lies.warc.gz", &both(&flags(0, &[0, 255, 255, 1, 2, 3])), damaged);
    let empty = gzip(b"").repeat(100_000);
    table.reads("empty-members.warc.gz", &both(&empty), Gives { stored: 2, ..SOUND });
    table.reads(
        "zeros.warc.gz",
        &[&member[..], &vec![0; 4 << 20], &member].concat(),
        Gives { stored: 2, unchanged: 2, ..SOUND },
    );
    let garbage = Gives { stored: 2, unchanged: 2, skipped: &[("garbage", 1)], ..SOUND };
    table.reads("garbage.warc.gz", &[&member[..], &vec![7; 4 << 20], &member].concat(), garbage);
    let mut sums = member.clone();
    let end = sums.len();
    sums[end - 8] ^= 1;
    table.reads("checksum.warc.gz", &sums, damaged);
    sums[end - 8] ^= 1;
    sums[end - 1] ^= 0x80;
    table.reads("length.warc.gz", &sums, damaged);
    table.reads("cut-in-header.warc.gz", &member[..6], Gives { stored: 0, ..cut });
    table.reads("cut-in-trailer.warc.gz", &member[..end - 3], cut);
    table.reads("twice.warc.gz", &gzip(&member), Gives { skipped: &[("garbage", 1)], ..SOUND });
    table.ends(12);
}

#[test]
fn frames() {
    let table = Table::new();
    let frame = zstd(&sound());
    let both = |first: &[u8]| [first, &frame].concat();
    let damaged = Gives { stored: 2, skipped: &[("damaged_member", 1)], ..SOUND };
    let magic = b"\x28\xb5\x2f\xfd";
    // A window of 3.75 TB; a content of 2^63 bytes; a block longer than any.
    table.reads("window.warc.zst", &both(&[&magic[..], b"\0\xff\x01\0\0"].concat()), damaged);
    table.reads("content-size.warc.zst", &both(&[&magic[..], b"\xe0\0\0\0\0\0\0\0\x80\x01\0\0"].concat()), damaged);
    table.reads("block-size.warc.zst", &both(&[&magic[..], b"\0\x38\xf9\xff\xff"].concat()), damaged);
    let skippable = |len: u32, content: &[u8]| [b"\x50\x2a\x4d\x18", &len.to_le_bytes()[..], content].concat();
    let cut = Gives { stored: 2, skipped: &[("cut_off", 1)], ..SOUND };
    table.reads("skippable-lies.warc.zst", &[&frame[..], &skippable(u32::MAX, b"x")].concat(), cut);
    table.reads("skippable.warc.zst", &both(&skippable(0, b"").repeat(100_000)), Gives { stored: 2, ..SOUND });
    let dictionary = |len: u32, content: &[u8]| [b"\x5d\x2a\x4d\x18", &len.to_le_bytes()[..], content].concat();
    table.refuses("dictionary-lies.warc.zst", &both(&dictionary(1 << 20, b"x")), &["dictionary", "ends inside it"]);
    table.refuses("large-dictionary.warc.zst", &both(&dictionary(u32::MAX, b"x")), &["dictionary", "limit"]);
    let packed = zstd(&vec![0; 64 << 20]);
    let bomb = dictionary(packed.len() as u32, &packed);
    table.refuses("dictionary-bomb.warc.zst", &both(&bomb), &["dictionary", "limit"]);
    table.reads("cut.warc.zst", &frame[..frame.len() - 2], Gives { skipped: &[("cut_off", 1)], ..SOUND });
    for (magic, name) in [(&b"PK\x03\x04"[..], "zip"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"\x1f\x9d", "compress")] {
        table.refuses("container.warc", magic, &[name, "unpack"]);
    }
    table.ends(12);
}
