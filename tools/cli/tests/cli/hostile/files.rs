//! Files: their names, and what stands beside them in a folder.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use super::{Gives, SOUND, Table};

#[test]
fn names() {
    let table = Table::new();
    let folder = table.dir.path("pages");
    fs::create_dir(&folder).expect("a folder");
    let page = b"<p>some words of a page";
    let long = [&b"n".repeat(250)[..], b".html"].concat();
    let names: [&[u8]; 8] =
        [b"\xff\xfe.html", b"a\nb.html", b"-.html", b"--json.html", b"%FF.html", b" .html", b"\x1b[2J.html", &long];
    for name in names {
        fs::write(folder.join(OsStr::from_bytes(name)), page).expect("any bytes are a name");
    }
    // Not read: hidden files, other formats, and links that lead nowhere, to themselves or back.
    for name in [".hidden.html", "_SUCCESS", "image.png", "x.tar", "y.tar.gz"] {
        fs::write(folder.join(name), page).expect("written");
    }
    symlink("nowhere.html", folder.join("dangling.html")).expect("a link");
    symlink("itself.html", folder.join("itself.html")).expect("a link");
    symlink("..", folder.join("back")).expect("a link");
    table.reads_path("pages", &[], Gives { stored: 8, ..SOUND });
    let again = table.dir.nddb(["load", "db", "pages", "--json", "--again"]).done().json();
    assert_eq!((&again["files_passed_over"], &again["documents"]), (&5.into(), &8.into()), "{again}");
    // Folders in each other, as deep as paths go.
    let deep = (0..100).fold(table.dir.path("deep"), |folder, _| folder.join("aa"));
    fs::create_dir_all(&deep).expect("a folder");
    fs::write(deep.join("page.html"), page).expect("written");
    table.reads_path("deep", &[], Gives { stored: 1, ..SOUND });
    table.dir.nddb(["rm", "db", "pages"]).run();
    table.stored.set(table.stored.get() + 8);
    table.ends(2);
}

#[test]
fn contents_of_another_kind() {
    let table = Table::new();
    table.reads("empty.warc", b"", SOUND);
    table.refuses("an.tar", &[b"pages/a.html", &[0; 500][..], b"<p>words"].concat(), &["format"]);
    table.refuses("words", b"what is this", &["format"]);
    // The content decides, not the name.
    table.reads("page.warc", b"<!doctype html><p>some words of a page", Gives { stored: 1, ..SOUND });
    table.reads("empty", b"", SOUND);
    table.ends(5);
}
