//! Each rule finds its violations in sources written for this test.

use super::rules;
use super::source::{Source, mask};
use super::surface;

fn broken(rule: fn(&[Source]) -> Vec<String>, sources: &[(&str, &str)]) -> Vec<String> {
    let lib = ("src/lib.rs", "//! .\nmod error;\npub use error::{Error, Result};\npub use store::Writer;\n");
    let format = ("format/src/lib.rs", "//! .\n#![forbid(unsafe_code)]\n");
    let always = [
        lib,
        format,
        ("src/error.rs", "//! .\n"),
        ("src/store.rs", "//! .\npub use writer::Writer;\n"),
        ("src/store/writer.rs", "//! .\n"),
    ];
    let all = always.iter().filter(|(path, _)| !sources.iter().any(|(other, _)| other == path)).chain(sources);
    let sources: Vec<Source> = all.map(|(path, text)| Source::new(path, text)).collect();
    rule(&sources)
}

fn refuses(rule: fn(&[Source]) -> Vec<String>, path: &str, text: &str) {
    let found = broken(rule, &[(path, text)]);
    assert!(
        !found.is_empty() && found.iter().all(|line| line.contains(path.trim_end_matches(".rs"))),
        "{text}: {found:?}"
    );
}

fn accepts(rule: fn(&[Source]) -> Vec<String>, path: &str, text: &str) {
    assert_eq!(broken(rule, &[(path, text)]), [""; 0], "{text}");
}

#[test]
fn comments_and_literals_are_blanked_and_lines_stay() {
    for (text, code) in [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */\n d */ e", "a             \n       e".trim_start_matches('_')),
        ("x(\"use \\\" y\") z", "x(          ) z"),
        ("r#\"a\"b\"# c", "           c".trim_start_matches('_')),
        ("br\"\\\" c", "      c"),
        ("'\"' '\\'' 'a b", "         'a b"),
        ("b'\"' b'\\n' b", "           b"),
        ("for_r\"x\"", "for_r   "),
    ] {
        let masked = mask(text);
        assert_eq!(
            masked.split_whitespace().collect::<Vec<_>>(),
            code.split_whitespace().collect::<Vec<_>>(),
            "{text}"
        );
        assert_eq!(masked.lines().count(), text.lines().count(), "{text}");
        assert_eq!(masked.chars().count(), text.chars().count(), "{text}");
    }
}

#[test]
fn climbing_is_refused_however_it_is_written() {
    for (path, text) in [
        ("src/text/html.rs", "use crate::store::Writer;"),
        ("src/text/html.rs", "use crate::{Error, sketch::Recipe};"),
        ("src/text/html.rs", "fn f() { let x = crate::archive::Input::open(); }"),
        ("src/text/html.rs", "use super::super::sketch;"),
        ("src/text/mod.rs", "use super::sketch::{self as s};"),
        ("src/sketch/tally.rs", "mod inner { use super::super::super::store::Writer; }"),
        ("src/store/run.rs", "use crate::archive;\nfn f() { archive::identity(); }"),
        ("src/archive/warc.rs", "use crate::Error;"),
        ("src/error.rs", "use crate::config::Config;"),
        ("src/config.rs", "use crate::Writer;"),
        ("src/store/run.rs", "use crate::thing_of_the_root;"),
        ("src/attic.rs", "use crate::Error;"),
        ("format/src/bits.rs", "use nddb::Writer;"),
        ("src/store/run.rs", "use nddb_cli::main;"),
    ] {
        let modules = ["text", "sketch", "archive", "config"].map(|name| (format!("src/{name}.rs"), "//! .\n"));
        let mut sources: Vec<(&str, &str)> = modules.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        sources.retain(|(other, _)| *other != path);
        sources.push((path, text));
        let found = broken(rules::climbs, &sources);
        assert_eq!(found.len(), 1, "{path}: {text}: {found:?}");
        assert!(found[0].starts_with(path), "{found:?}");
    }
}

#[test]
fn going_down_and_testing_is_accepted() {
    accepts(
        rules::climbs,
        "src/store/run.rs",
        "use crate::{Error, Result};\nuse std::io::Read;\nuse super::writer::x;",
    );
    accepts(rules::climbs, "src/store/run.rs", "#[cfg(test)]\nmod tests {\n    use crate::archive::Input;\n}\n");
    accepts(rules::climbs, "src/store/run.rs", "// use crate::archive::Input;\nconst A: &str = \"crate::archive\";");
    let tests = ("src/store/golden.rs", "use crate::archive::Input;");
    let found = broken(rules::climbs, &[tests, ("src/store.rs", "//! .\n#[cfg(test)]\nmod golden;\n")]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn circles_are_found_through_others_and_through_names_passed_on() {
    let found = broken(
        rules::circles,
        &[
            ("src/store/view.rs", "use super::probe;"),
            ("src/store/probe.rs", "use crate::store::run::Run;"),
            ("src/store/run.rs", "use crate::Writer;"),
            ("src/store/writer.rs", "fn f() { super::view::View::new() }"),
        ],
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("src store: ") && found[0].contains("which imports"), "{found:?}");
    let line = [
        ("src/store/view.rs", "use super::probe;"),
        ("src/store/probe.rs", "use super::run;"),
        ("src/store/run.rs", ""),
    ];
    assert_eq!(broken(rules::circles, &line), [""; 0]);
    let format = [("format/src/bits.rs", "use crate::block;"), ("format/src/block.rs", "use crate::bits::Reader;")];
    assert_eq!(broken(rules::circles, &format).len(), 1);
}

#[test]
fn a_module_and_what_is_below_it_make_a_circle() {
    for (parent, child) in [
        ("mod open;\npub use open::x;\npub struct Writer;", "use super::Writer;"),
        ("mod open;\nfn f() { open::x() }", "fn x() { super::g() }"),
        ("mod open;\nuse open::x;", "use crate::store::writer::Writer;"),
        ("mod open;\nuse open::x;", "use super::*;"),
        ("mod open;\nuse open::lock::x;", "mod lock { use super::super::Writer; }"),
    ] {
        let found = broken(rules::circles, &[("src/store/writer/mod.rs", parent), ("src/store/writer/open.rs", child)]);
        assert_eq!(found.len(), 1, "{parent} {child}: {found:?}");
        assert!(found[0].starts_with("src store::writer: ") && found[0].contains("self"), "{found:?}");
    }
    let below = [
        ("src/store/writer/mod.rs", "mod open;\nuse open::lock::Lock;\npub struct Writer;"),
        ("src/store/writer/open/mod.rs", "mod lock;\nmod path;"),
        ("src/store/writer/open/lock.rs", "pub struct Lock;"),
        ("src/store/writer/open/path.rs", "use crate::store::Writer;"),
    ];
    assert_eq!(broken(rules::circles, &below).len(), 1);
}

#[test]
fn a_module_that_only_passes_on_names_makes_no_circle() {
    let facade = [
        ("src/store/writer/mod.rs", "mod open;\nmod staged;\npub use open::Opened;\npub use staged::Staged;"),
        ("src/store/writer/open.rs", "use super::Staged;\npub struct Opened;"),
        ("src/store/writer/staged.rs", "use crate::Error;\npub struct Staged;"),
    ];
    assert_eq!(broken(rules::circles, &facade), [""; 0]);
    let up = [
        ("src/store/writer/mod.rs", "mod open;\npub struct Writer;"),
        ("src/store/writer/open.rs", "use super::Writer;\n#[cfg(test)]\nmod tests { use super::*; }"),
    ];
    assert_eq!(broken(rules::circles, &up), [""; 0], "one way");
    let written_out =
        [("src/store/writer/mod.rs", "mod lock { use super::Writer; }\nuse lock::Lock;\npub struct Writer;")];
    assert_eq!(broken(rules::circles, &written_out), [""; 0], "one file");
}

#[test]
fn a_module_that_stands_beside_its_folder_is_refused() {
    let layout = |paths: &[&str]| rules::layout(&paths.iter().map(|path| Source::new(path, "")).collect::<Vec<_>>());
    let child = "src/store/writer/open.rs";
    for path in ["src/store/writer.rs", "src/store.rs"] {
        assert_eq!(layout(&[path, child]), [format!("{path}: stands beside a folder of its name")]);
    }
    assert_eq!(layout(&[child, "src/store/writer/mod.rs", "src/store/write.rs", "src/lib.rs"]), [""; 0]);
}

#[test]
fn others_than_the_keepers_are_refused() {
    for (path, text) in [
        ("src/store/run.rs", "use std::{fs, io};"),
        ("src/store/run.rs", "fn f() { std::fs::read(path); }"),
        ("src/store/sort.rs", "use std::fs::File as F;"),
        ("src/archive/warc.rs", "use ::std::fs::File;"),
        ("src/store/run.rs", "use memmap2::Mmap;"),
        ("src/store/view.rs", "pub fn f() -> rocksdb::Options {}"),
        ("src/store/view.rs", "fn f() { unsafe { g() } }"),
        ("src/store/view.rs", "fn f() { path.metadata(); }"),
        ("src/sketch/tally.rs", "use std::io::Read;"),
        ("src/text/page.rs", "use std::{collections::HashMap, time::Instant};"),
        ("src/store/view.rs", "fn f() { std::env::var(name); }"),
        ("format/src/bits.rs", "use std::io::Write;"),
        ("format/src/bits.rs", "fn f() { unsafe { g() } }"),
        ("tools/cli/src/commands/load.rs", "use std::fs::File;"),
        ("tools/cli/src/commands/report.rs", "use plotters::prelude::*;"),
        ("tools/lab/src/html.rs", "fn f() -> plotters::style::RGBColor {}"),
    ] {
        refuses(rules::keepers, path, text);
    }
    for (path, text) in [
        ("src/store/disk/map.rs", "use std::fs::File;\nuse memmap2::Mmap;\nfn f() { unsafe { g() } }"),
        ("src/archive/open.rs", "use std::fs::File;"),
        ("tools/lab/src/plot/axes.rs", "use plotters::prelude::*;"),
        ("src/store/catalog/write_batch.rs", "use rocksdb::WriteBatch;"),
        ("src/store/run.rs", "#![expect(unsafe_code)]\nuse std::collections;"),
        ("src/store/run.rs", "/// Not unsafe, not std::fs.\n#[cfg(test)]\nmod tests { use std::fs; }"),
    ] {
        accepts(rules::keepers, path, text);
    }
}

#[test]
fn printing_and_an_unsafe_format_are_refused() {
    refuses(rules::quiet, "src/store/run.rs", "fn f() { println!(\"x\"); }");
    refuses(rules::quiet, "format/src/bits.rs", "fn f() { eprint ! (\"x\"); }");
    refuses(rules::quiet, "format/src/lib.rs", "//! .\n// #![forbid(unsafe_code)]\n");
    accepts(rules::quiet, "src/store/run.rs", "//! println!(\"{}\");\nconst A: &str = \"println!\";");
    accepts(rules::quiet, "tools/cli/src/messages/mod.rs", "fn f() { eprintln!(); }");
}

#[test]
fn pages_without_a_word_and_pages_without_end_are_refused() {
    refuses(rules::pages, "src/store/run.rs", "use std::io;\n");
    refuses(rules::pages, "src/store/run.rs", &format!("//! .\n{}", "\n".repeat(900)));
    accepts(rules::pages, "src/store/run.rs", "//! .\n");
}

#[test]
fn tests_that_test_nothing_are_refused() {
    let attribute = |name: &str| format!("#[test]\n#[{name}]\nfn f() {{}}\n");
    for (path, text) in [
        ("tests/it/a.rs", "fn f() {\n    matches!(x, Some(_));\n}".to_owned()),
        ("src/a.rs", "#[cfg(test)]\nmod tests {\n    matches!(x, Some(_));\n}".to_owned()),
        ("src/a.rs", attribute("ignore")),
        ("src/a.rs", attribute("ignore = \"slow\"")),
        ("src/a.rs", attribute("should_panic(expected = \"x\")")),
        ("src/a.rs", "fn f() { todo!() }".to_owned()),
        ("src/a.rs", "fn f() { unimplemented! (\"x\") }".to_owned()),
    ] {
        refuses(rules::tests, path, &text);
    }
    accepts(rules::tests, "src/a.rs", "fn f() -> bool {\n    matches!(x, Some(_))\n}");
    accepts(rules::tests, "tests/it/a.rs", "fn f() {\n    assert!(matches!(x, Some(_)));\n}");
}

#[test]
fn folders_of_one_machine_are_refused() {
    let text = ["see ", "/wo", "rk/notes"].concat();
    assert_eq!(rules::machine_paths(&[("notes.md".into(), text.into_bytes())]).len(), 1);
    assert_eq!(rules::machine_paths(&[("notes.md".into(), b"see work/notes, ../work".to_vec())]), [""; 0]);
}

#[test]
fn the_listing_has_what_users_see_and_nothing_else() {
    let sources = [
        (
            "src/lib.rs",
            "pub mod text;\nmod store;\n#[doc(hidden)]\npub mod internals;\npub use nddb_format::Fingerprint;\n\
             pub use store::{Writer, text::planner};\npub(crate) use store::Hidden;\n\
             #[cfg(any(test, feature = \"testing\"))]\npub use store::Observer;\n",
        ),
        ("src/internals.rs", "pub use crate::store::Hidden;"),
        (
            "src/text.rs",
            "pub(crate) struct Scan;\npub const SIZE: usize = [1].len();\n\
             pub use page::{Kind, Made, Page, page};\nmod page;",
        ),
        (
            "src/text/page.rs",
            "/// A page.\n#[derive(Clone, Debug)]\npub struct Page<'a> {\n    /// Bytes.\n    pub body: &'a [u8],\n    \
             read: HashMap<u8, u8>,\n}\n\
             pub fn page<F: Fn(u8) -> u8>(\n    f: F,\n) -> Page<'static> { todo(f) }\n\
             named! { Kind { Html = \"html\", } }\n\
             macro_rules! made { ($a:ident) => { pub enum Made { $a } } }\nmade! { One }\nimpl Made { pub fn two() {} }",
        ),
        ("src/store/mod.rs", "mod writer;\npub mod text;\npub use writer::{Hidden, Observer, Writer};"),
        (
            "src/store/writer.rs",
            "mod more;\npub struct Writer(pub u8, u64);\npub struct Hidden;\npub struct Observer;\n\
             impl Writer {\n    pub const fn new() -> Self { Self }\n    fn own(&self) {}\n}\n\
             impl<T: Into<u8>> From<T> for Writer { fn from(t: T) -> Self { Self } }",
        ),
        (
            "src/store/writer/more.rs",
            "use super::Writer;\nimpl Writer {\n    pub fn more(&self, a: u8, ) {}\n    pub(crate) fn less() {}\n}",
        ),
        ("src/store/text.rs", "pub mod planner { pub enum Plan { #[default] A, B { size: u64 } } }"),
    ];
    let sources: Vec<Source> = sources.iter().map(|(path, text)| Source::new(path, text)).collect();
    assert_eq!(
        surface::listing(&sources),
        "nddb::Fingerprint\n    pub use nddb_format::Fingerprint\n\
         nddb::Writer\n    pub struct Writer(pub u8, _)\n    impl<T: Into<u8>> From<T> for Writer\n\
         \x20   pub const fn new() -> Self\n    pub fn more(&self, a: u8)\n\
         nddb::planner\n    pub mod planner\n\
         nddb::planner::Plan\n    pub enum Plan\n    A\n    B { size: u64 }\n\
         nddb::text\n    pub mod text\n\
         nddb::text::Kind\n    named! { Kind { Html = } }\n\
         nddb::text::Made\n    made! { One }\n    pub fn two()\n\
         nddb::text::Page\n    #[derive(Clone, Debug)] pub struct Page<'a>\n    pub body: &'a [u8]\n\
         nddb::text::SIZE\n    pub const SIZE: usize\n\
         nddb::text::page\n    pub fn page<F: Fn(u8) -> u8>(f: F) -> Page<'static>\n"
    );
}
