//! The rules of the source tree: which module may import which, which may use what, and how sources look.

use std::path::Path;

use super::support::say;
use source::{Source, files, sources};

mod graph;
mod paths;
mod rules;
mod samples;
mod source;
mod surface;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn holds(rule: fn(&[Source]) -> Vec<String>) {
    let broken = rule(&sources(root()));
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn no_module_imports_from_a_higher_floor() {
    holds(rules::climbs);
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    holds(rules::circles);
}

#[test]
fn a_module_with_children_is_the_mod_file_of_its_folder() {
    holds(rules::layout);
}

#[test]
fn files_maps_unsafe_code_and_rocksdb_have_one_keeper_each() {
    holds(rules::keepers);
}

#[test]
fn the_format_forbids_unsafe_code_and_the_library_prints_nothing() {
    holds(rules::quiet);
}

#[test]
fn every_source_says_what_it_is_and_is_short_enough_to_be_read() {
    for source in sources(root()) {
        let lines = source.text.lines().count();
        if lines > rules::LINES_WANTED {
            say(&format!("{}: {lines} lines, {} would be better", source.path, rules::LINES_WANTED));
        }
    }
    holds(rules::pages);
}

#[test]
fn tests_assert_something_and_none_is_left_out() {
    holds(rules::tests);
}

#[test]
fn no_file_names_a_folder_of_one_machine() {
    let read = |path: std::path::PathBuf| {
        let name = path.strip_prefix(root()).expect("is below").to_string_lossy().into_owned();
        (name, std::fs::read(&path).expect("files are readable"))
    };
    let files: Vec<(String, Vec<u8>)> = files(root()).into_iter().map(read).collect();
    assert!(files.len() > 100, "the repository has been read");
    let broken = rules::machine_paths(&files);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_public_surface_is_the_one_that_is_listed() {
    let found = surface::listing(&sources(root()));
    let listed = std::fs::read_to_string(root().join("public-api.txt")).unwrap_or_default();
    if found == listed {
        return;
    }
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public-api.txt");
    std::fs::write(&made, &found).expect("the folder of tests is writable");
    let (old, new): (Vec<&str>, Vec<&str>) = (listed.lines().collect(), found.lines().collect());
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| format!("- {line}"));
    let added = new.iter().filter(|line| !old.contains(line)).map(|line| format!("+ {line}"));
    let lines: Vec<String> = gone.chain(added).collect();
    panic!(
        "users see another surface than public-api.txt lists; if that is meant: cp {} public-api.txt\n{}",
        made.display(),
        lines.join("\n")
    );
}

#[test]
fn the_crates_depend_on_each_other_one_way() {
    let depends = |manifest: &str, on: &str| {
        let text = std::fs::read_to_string(root().join(manifest)).expect("the manifest is readable");
        let members = text.split("\n[").find(|part| part.starts_with("dependencies]"));
        members.is_some_and(|part| part.lines().any(|line| line.split([' ', '.', '=']).next() == Some(on)))
    };
    for (manifest, on, wanted) in [
        ("format/Cargo.toml", "nddb", false),
        ("format/Cargo.toml", "nddb-cli", false),
        ("Cargo.toml", "nddb-format", true),
        ("Cargo.toml", "nddb-lab", false),
        ("Cargo.toml", "nddb-cli", false),
        ("tools/lab/Cargo.toml", "nddb", true),
        ("tools/lab/Cargo.toml", "nddb-cli", false),
        ("tools/cli/Cargo.toml", "nddb-lab", true),
        ("tools/cli/Cargo.toml", "nddb-python", false),
        ("tools/python/Cargo.toml", "nddb-cli", true),
    ] {
        assert_eq!(depends(manifest, on), wanted, "{manifest} depends on {on}");
    }
}
