//! The rejections of SPEC.md: each names a test that breaks its rule, and no rule of the code is missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::page::table;

/// Every Rust source below a folder of this crate.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut todo = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            found.push((path, text));
        }
    }
    found
}

/// The part of a source before its tests.
fn code(text: &str) -> &str {
    &text[..text.find("#[cfg(test)]").unwrap_or(text.len())]
}

/// The text from an opening parenthesis or brace to the matching closing one.
fn enclosed(text: &str, open: char, close: char) -> &str {
    let mut depth = 0;
    let mut quoted = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            _ if quoted => (),
            _ if letter == open => depth += 1,
            _ if letter == close => {
                depth -= 1;
                if depth == 0 {
                    return &text[..at];
                }
            }
            _ => (),
        }
    }
    panic!("{open} is closed: {}", &text[..text.len().min(80)])
}

/// The last string in a text.
fn last_string(text: &str) -> Option<&str> {
    let end = text.rfind('"')?;
    let start = text[..end].rfind('"')?;
    Some(&text[start + 1..end])
}

/// Every rule about bytes that the code of this crate can name. Encoders have rules about their input, which no file
/// can break.
fn rules() -> BTreeSet<String> {
    let mut rules = BTreeSet::new();
    for (path, text) in sources("src") {
        if path.file_name().is_some_and(|name| name == "tests.rs" || name == "encode.rs") {
            continue;
        }
        let code = code(&text);
        for call in ["malformed(", "refuse("] {
            for (at, _) in code.match_indices(call) {
                let arguments = enclosed(&code[at + call.len() - 1..], '(', ')');
                rules.extend(last_string(arguments).map(str::to_owned));
            }
        }
        for (at, _) in code.match_indices("rule: \"") {
            let text = &code[at + 7..];
            rules.insert(text[..text.find('"').expect("a string ends")].to_owned());
        }
        // Rules that are named once and given in several places.
        for (at, _) in code.match_indices("let portable = \"") {
            let text = &code[at + 16..];
            rules.insert(text[..text.find('"').expect("a string ends")].to_owned());
        }
    }
    // A rule of the arguments of `segment::SegmentHeader::new`.
    assert!(rules.remove("a table of the scheme"));
    rules
}

/// The rows of the table: a test, the error that it expects, and the rules that it breaks.
fn rejections() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let cells = table("rejections").into_iter();
    cells
        .map(|row| {
            let [test, error, rules] = row[..] else { panic!("{row:?} has three cells") };
            (test.trim_matches('`'), error.trim_matches('`'), rules.split("; ").collect())
        })
        .collect()
}

#[test]
fn every_rule_of_the_code_is_in_the_document() {
    let rules = rules();
    assert!(rules.len() > 60, "the rules are found: {rules:?}");
    let said: BTreeSet<String> = rejections().into_iter().flat_map(|row| row.2).map(str::to_owned).collect();
    let missing: Vec<_> = rules.difference(&said).collect();
    assert!(missing.is_empty(), "SPEC.md 13 has {missing:#?}");
}

#[test]
fn every_rejection_names_a_test_that_breaks_its_rule() {
    let sources: Vec<(PathBuf, String)> = sources("src").into_iter().chain(sources("tests")).collect();
    let rules = rules();
    for (test, error, broken) in rejections() {
        let start = format!("fn {test}(");
        let (_, source) = sources.iter().find(|(_, text)| text.contains(&start)).unwrap_or_else(|| {
            panic!("there is a test {test}");
        });
        let at = source.find(&start).expect("it is there");
        assert!(source[..at].trim_end().ends_with("#[test]"), "{test} is a test");
        let body = enclosed(&source[at..], '{', '}');
        for rule in broken {
            assert!(!rules.contains(rule) || body.contains(rule), "test {test} expects the rule: {rule}");
            assert!(body.contains(error) || rules.contains(rule), "test {test} expects {error}");
        }
    }
}
