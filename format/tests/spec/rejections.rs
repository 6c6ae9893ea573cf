//! The rejections of SPEC.md: each names a test that breaks its rule, and no rule of the code is missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::page::{number, table};

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

/// Every rule that the code of this crate can name.
fn rules() -> BTreeSet<String> {
    let mut rules = BTreeSet::new();
    for (path, text) in sources("src") {
        if path.file_name().is_some_and(|name| name == "tests.rs") {
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
    rules
}

#[test]
fn every_rule_of_the_code_is_in_the_document() {
    let rules = rules();
    assert!(rules.len() > 60, "the rules are found: {rules:?}");
    let said: BTreeSet<String> = table("rejections").iter().map(|row| row[1].to_owned()).collect();
    let missing: Vec<_> = rules.difference(&said).collect();
    assert!(missing.is_empty(), "SPEC.md 13 has {missing:#?}");
}

#[test]
fn every_rejection_names_a_test_that_breaks_its_rule() {
    let sources: Vec<(PathBuf, String)> = sources("src").into_iter().chain(sources("tests")).collect();
    let rules = rules();
    for (index, row) in table("rejections").iter().enumerate() {
        assert_eq!(number::<usize>(row[0]), index + 1, "rejections are numbered from 1");
        let [_, rule, error, test] = row[..] else { panic!("{row:?} has four cells") };
        let test = test.trim_matches('`');
        let start = format!("fn {test}(");
        let (_, source) = sources.iter().find(|(_, text)| text.contains(&start)).unwrap_or_else(|| {
            panic!("rejection {}: there is a test {test}", index + 1);
        });
        let at = source.find(&start).expect("it is there");
        assert!(source[..at].trim_end().ends_with("#[test]"), "{test} is a test");
        let body = enclosed(&source[at..], '{', '}');
        assert!(!rules.contains(rule) || body.contains(rule), "test {test} expects the rule: {rule}");
        assert!(body.contains(error.trim_matches('`')) || rules.contains(rule), "test {test} expects {error}");
    }
}
