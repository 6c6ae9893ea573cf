//! Pages: HTML and text of any kind, of some megabytes each.

use super::{Gives, SOUND, Table};

const SIZE: usize = 2 << 20;

#[test]
fn html() {
    let table = Table::new();
    let filled =
        |begin: &[u8], piece: &[u8]| [begin, &piece.repeat(SIZE / piece.len()), b"<p>the words behind it"].concat();
    let stored = Gives { stored: 1, ..SOUND };
    for (name, begin, piece) in [
        ("deep.html", &b""[..], &b"<div>"[..]),
        ("deep-lists.html", b"", b"<ul><li><a href=x>"),
        ("deep-tables.html", b"", b"<table><tr><td>"),
        ("closed-only.html", b"", b"</div></p>"),
        ("formatting.html", b"", b"<b><i><p>"),
        ("huge-attribute.html", b"<p class='", b"x"),
        ("many-attributes.html", b"<p ", b"a=1 "),
        ("other-attributes.html", b"<p", b" data-x=\"y\" checked"),
        ("open-comment.html", b"<!-- ", b"- -- "),
        ("open-script.html", b"<script>", b"<!--<script "),
        ("open-title.html", b"<title>", b"word "),
        ("open-tag.html", b"<p", b"<"),
        ("open-doctype.html", b"<!doctype ", b"x"),
        ("entities.html", b"<p>", b"&amp;&#x10ffff;&#0;&#99999999999;"),
        ("open-entities.html", b"<p>", b"&"),
        ("long-entity.html", b"<p>&", b"a"),
        ("less-than.html", b"<p>", b"< "),
        ("zeros.html", b"<p>", b"\0"),
        ("no-utf-8.html", b"<meta charset=utf-8><p>", b"\xff\xfe\xc0"),
        ("unknown-charset.html", b"<meta charset=x-none><p>", b"caf\xe9 "),
        ("many-charsets.html", b"", b"<meta charset=utf-16>"),
        ("svg.html", b"", b"<svg><math><![CDATA["),
        ("templates.html", b"", b"<template>"),
        ("links.html", b"", b"<a href=http://a.example/>word</a> "),
    ] {
        table.reads(name, &filled(begin, piece), stored);
    }
    table.ends(24);
}

#[test]
fn text() {
    let table = Table::new();
    let stored = Gives { stored: 1, ..SOUND };
    for (name, piece) in [
        ("one-word.txt", "w"),
        ("one-letter-words.txt", "w "),
        ("marks.txt", "\u{301}"),
        ("joined.txt", "\u{1f468}\u{200d}"),
        ("from-right.txt", "\u{202e}\u{5d0}\u{200f}"),
        ("unspaced.txt", "\u{4e2d}\u{6587}"),
        ("no-letters.txt", "\u{2028}\u{feff}\u{ad}"),
        ("large-letters.txt", "\u{130}\u{1e9e}\u{fb03}"),
    ] {
        table.reads(name, piece.repeat(SIZE / piece.len()).as_bytes(), stored);
    }
    table.reads("utf-16.txt", &[b"\xff\xfe", &b"w\0 \0"[..].repeat(SIZE / 4)[..], b"w"].concat(), stored);
    table.reads("empty.txt", b"", stored);
    // A text that cannot be sketched within the memory limit is cut.
    let long: Vec<u8> = (0_u32..5_000_000).flat_map(|word| format!("{word:x} ").into_bytes()).collect();
    table.reads("long.txt", &long, Gives { cut: 1, ..stored });
    table.ends(11);
}
