//! The blocks of README.md and of the guides: they are typed in order, and what they show is what is printed.
//!
//! Blocks of Python are run by the tests of the Python package.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::examples::shell;
use crate::helper::Dir;

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The fenced blocks of a page in order, each as its language and its text.
fn blocks(name: &str) -> Vec<(String, String)> {
    let (text, mut blocks) = (page(name), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text = lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            blocks.push((language.to_owned(), text));
        }
    }
    blocks
}

/// A folder with the pages of the demo, where `make demo` writes them.
pub(crate) fn with_demo() -> Dir {
    let dir = Dir::new();
    let script = root().join("tools/demo_crawl.awk");
    let make = format!("mkdir demo && awk -v pairs=demo/pairs.tsv -f '{}' > demo/pages.jsonl", script.display());
    shell(dir.path(""), &make);
    dir
}

/// A word of a line as a number: of `(9.4%)` 9.4.
fn number(word: &str) -> Option<f64> {
    word.trim_matches(['(', ')', '%', ',', ';']).replace(',', "").parse().ok()
}

/// Returns whether a line that a page shows is the one that was printed. Counts must agree. Seconds and bytes may
/// differ, and other numbers with a point by a tenth.
fn is_alike(shown: &str, printed: &str) -> bool {
    let [shown, printed] = [shown, printed].map(|line| line.split_whitespace().collect::<Vec<_>>());
    let is_unit = |word: &&str| ["s", "B", "KB", "MB", "GB"].contains(&word.trim_end_matches([',', ';', ')']));
    let is_alike = |(at, (one, other)): (usize, (&&str, &&str))| {
        let Some((shown_number, number)) = number(one).zip(number(other)) else { return one == other };
        let is_measured = one.contains('.') && (shown_number - number).abs() <= shown_number.abs() / 10.0;
        one == other || is_measured || shown.get(at + 1).is_some_and(is_unit)
    };
    shown.len() == printed.len() && shown.iter().zip(&printed).enumerate().all(is_alike)
}

/// Types a session in a folder: lines `$ COMMAND`, each with lines that it prints, in their order.
#[track_caller]
fn type_session(folder: &Path, session: &str) {
    assert!(session.starts_with("$ "), "no command: {session}");
    for typed in format!("\n{session}").split("\n$ ").skip(1) {
        let (command, shown) = typed.split_once('\n').unwrap_or((typed, ""));
        let printed = shell(folder, &format!("exec 2>&1; {command}"));
        let mut lines = printed.lines();
        for shown in shown.lines() {
            assert!(lines.any(|line| is_alike(shown, line)), "$ {command}\nprints no {shown:?}, but:\n{printed}");
        }
    }
}

#[test]
fn the_readme_can_be_typed_and_prints_what_it_shows() {
    let (dir, mut sessions) = (with_demo(), 0);
    for (language, text) in blocks("README.md") {
        match &*language {
            "sh" if text.starts_with("git clone ") => builds(&text),
            "sh" => drop(shell(dir.path(""), &format!("set -e\n{text}"))),
            "console" => {
                type_session(&dir.path("try-nddb"), &text);
                sessions += 1;
            }
            "python" => {}
            _ => panic!("README.md has a block of {language:?}, which nothing runs"),
        }
    }
    assert!(sessions > 3, "{sessions}");
}

/// Expects the repository that Cargo.toml names, and targets of the Makefile.
fn builds(text: &str) {
    let makefile = page("Makefile");
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["git", "clone", address, ..] => assert_eq!(address, env!("CARGO_PKG_REPOSITORY")),
            ["make", target, ..] => assert!(makefile.contains(&format!("\n{target}:")), "{line}"),
            _ => panic!("{line}"),
        }
    }
}

#[test]
fn a_line_with_another_count_or_word_is_not_what_a_page_shows() {
    let shown = "load: 1,064 documents (9.4%) of 128.5 KB in 0.8 s";
    assert!(is_alike(shown, "load: 1,064 documents (9.1%) of 7 KB in 12.0 s"));
    for other in [
        "load: 1,065 documents (9.4%) of 128.5 KB in 0.8 s",
        "load: 1,064 documents (12%) of 128.5 KB in 0.8 s",
        "load: 1,064 pages (9.4%) of 128.5 KB in 0.8 s",
        "load: 1,064 documents (9.4%) of 128.5 KB",
    ] {
        assert!(!is_alike(shown, other), "{other}");
    }
}

/// What the guide for operators names, and what stands for it in a folder of a test.
const HERE: [(&str, &str); 4] =
    [("/srv/", "srv/"), ("/incoming/", "incoming/"), ("/backups/", "backups/"), ("$(date +%F)", "2026-03-01")];

#[test]
fn the_jobs_of_the_guide_for_operators_run() {
    let dir = Dir::new();
    shell(dir.path(""), "mkdir -p srv incoming/2026-03-01 backups && nddb create srv/crawl.nddb -q");
    dir.write_warc("incoming/2026-03-01/a.warc.gz", &[("http://example.org/1", "<p>words of a page")]);
    let mut languages = BTreeSet::new();
    for (language, text) in blocks("docs/OPERATIONS.md") {
        let text = HERE.iter().fold(text, |text, (place, here)| text.replace(place, here));
        match &*language {
            "sh" => drop(shell(dir.path(""), &format!("set -e\ndb=srv/crawl.nddb\n{text}"))),
            // A crontab: five fields of time, then the command.
            "" => {
                for command in text.lines().filter_map(|line| line.find("nddb ").map(|at| &line[at..])) {
                    shell(dir.path(""), command);
                }
            }
            "ini" => {}
            _ => panic!("a block of {language:?}, which nothing runs"),
        }
        languages.insert(language);
    }
    assert!(languages.contains("sh") && languages.contains(""), "{languages:?}");
    let restore = "nddb backup verify backups/crawl-* && nddb backup restore backups/crawl-* again.nddb";
    let restored = shell(dir.path(""), &format!("{restore} && nddb export again.nddb --columns url"));
    assert_eq!(restored, "{\"url\":\"http://example.org/1\"}\n");
}
