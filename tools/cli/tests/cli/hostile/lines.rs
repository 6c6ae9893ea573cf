//! Lines of JSON, tables of text, and bare fingerprints.

use super::{Gives, SOUND, Table};

/// A line, and the skipped bytes' reason, before a sound one.
#[test]
fn json() {
    let table = Table::new();
    let sound = b"\n{\"id\":\"z\",\"text\":\"some words\"}\n";
    let between = |line: &[u8]| [&sound[1..], line, &sound.map(|byte| if byte == b'z' { b'y' } else { byte })].concat();
    let skipped = |reason| [(reason, 1_u64)];
    let bad = skipped("bad_json");
    let bad = Gives { stored: 2, skipped: &bad, ..SOUND };
    let (deep, object) = (b"[".repeat(1 << 20), b"{\"a\":".repeat(1 << 20));
    table.reads("deep.jsonl", &between(&deep), bad);
    table.reads("deep-objects.jsonl", &between(&object), bad);
    let inside =
        [b"{\"id\":\"a\",\"text\":\"x\",\"more\":".to_vec(), deep.clone(), b"]".repeat(1 << 20), b"}".to_vec()]
            .concat();
    table.reads("deep-unread.jsonl", &between(&inside), Gives { stored: 3, ..SOUND });
    table.reads("open-text.jsonl", &between(b"{\"id\":\"a\",\"text\":\"never closed"), bad);
    table.reads("open-escape.jsonl", &between(b"{\"id\":\"a\",\"text\":\"\\u12"), bad);
    table.reads("twice.jsonl", &between(b"{\"id\":\"a\",\"text\":\"x\",\"text\":\"y\"}"), bad);
    table.reads("large-number.jsonl", &between(b"{\"id\":\"a\",\"text\":1e999999}"), bad);
    let wrong = skipped("wrong_type");
    table.reads("number.jsonl", &between(b"{\"id\":\"a\",\"text\":17}"), Gives { skipped: &wrong, ..bad });
    let digits = [b"{\"text\":\"x\",\"id\":".to_vec(), b"9".repeat(10_000), b"}".to_vec()].concat();
    table.reads("long-number.jsonl", &between(&digits), bad);
    let fields: Vec<u8> = (0..200_000).flat_map(|at| format!("\"f{at}\":{at},").into_bytes()).collect();
    let many = [b"{".to_vec(), fields, b"\"id\":\"a\",\"text\":\"x\"}".to_vec()].concat();
    table.reads("many-fields.jsonl", &between(&many), Gives { stored: 3, ..SOUND });
    table.reads("empty-lines.jsonl", &between(&b"\n".repeat(4 << 20)), Gives { stored: 2, ..SOUND });
    table.reads("zeros.jsonl", &between(&vec![0; 4 << 20]), Gives { stored: 2, ..SOUND });
    let line = [b"{\"id\":\"a\",\"text\":\"".to_vec(), b"word ".repeat(16 << 20), b"\"}".to_vec()].concat();
    let beyond = skipped("line_too_long");
    table.reads("long-line.jsonl", &between(&line), Gives { skipped: &beyond, work: line.len() as u64 * 2, ..bad });
    table.ends(13);
}

#[test]
fn rows_and_fingerprints() {
    let table = Table::new();
    let quote = [b"id,text\na,x\nb,\"".to_vec(), b"x\n".repeat(40 << 20)].concat();
    let long = Gives { stored: 1, skipped: &[("line_too_long", 1)], work: 2 * quote.len() as u64, ..SOUND };
    table.reads("open-quote.csv", &quote, long);
    let columns = [b"id,text".to_vec(), b",c".repeat(100_000), b"\na,x".to_vec(), b",1".repeat(100_000)].concat();
    table.refuses("many-columns.csv", &columns, &["too long for a header"]);
    table.reads(
        "commas.csv",
        &[b"id,text\na,x\n", &b",".repeat(4 << 20)[..]].concat(),
        Gives { stored: 1, skipped: &[("line_too_long", 1)], ..SOUND },
    );
    let wrong = b"a\t0123456789abcdef\nb\t0123\nc\nd\tfedcba9876543210\n";
    table.reads("short.tsv", wrong, Gives { stored: 2, skipped: &[("bad_fingerprint", 1), ("bad_line", 1)], ..SOUND });
    let line = [b"a\t0123456789abcdef\n", &vec![b'x'; 4 << 20][..], b"\nb\t0123456789abcdef\n"].concat();
    table.reads("long-line.tsv", &line, Gives { stored: 2, skipped: &[("line_too_long", 1)], ..SOUND });
    table.reads("odd.u64le", &[1; 8 * 1000 + 7], Gives { stored: 1000, skipped: &[("trailing_bytes", 1)], ..SOUND });
    table.ends(6);
}
