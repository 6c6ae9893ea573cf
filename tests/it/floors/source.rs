//! Rust sources without comments, literals and test-only items.

use std::path::{Path, PathBuf};

/// A source file.
pub(super) struct Source {
    /// Path in the repository.
    pub(super) path: String,
    /// The text.
    pub(super) text: String,
    /// The text with comments and the insides of literals blanked; line numbers are unchanged.
    pub(super) code: String,
    /// `code` without test-only items.
    pub(super) live: String,
    /// Modules that are declared for tests only.
    pub(super) test_modules: Vec<String>,
}

impl Source {
    pub(super) fn new(path: &str, text: &str) -> Self {
        let code = mask(text);
        let (live, test_modules) = without_tests(&code);
        Self { path: path.into(), text: text.into(), code, live, test_modules }
    }

    /// Returns whether the file is the crate root `root` or below its folder.
    pub(super) fn is_under(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// Returns the name of the module within the crate whose sources are in `folder`: `[store, writer, open]`.
    pub(super) fn module(&self, folder: &str) -> Option<Vec<String>> {
        let path = self.path.strip_prefix(folder)?.strip_suffix(".rs")?;
        let mut module: Vec<String> = path.split('/').map(str::to_owned).collect();
        if module.last().is_some_and(|last| last == "mod") || module == ["lib"] || module == ["main"] {
            module.pop();
        }
        Some(module)
    }

    /// Returns the lines of `code` that are in tests, with their numbers.
    pub(super) fn test_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let all_tests = self.is_under("tests/") || self.path.contains("/tests");
        let lines = self.code.lines().zip(self.live.lines()).enumerate();
        lines.filter(move |(_, (code, live))| all_tests || code != live).map(|(at, (code, _))| (at + 1, code))
    }
}

/// Returns all files of the repository that are neither generated nor git's own.
pub(super) fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder is readable") {
            let entry = entry.expect("the folder is readable");
            let (path, name) = (entry.path(), entry.file_name());
            let kind = entry.file_type().expect("the file system knows kinds");
            if kind.is_dir() && name != "target" && name != ".git" && name != "__pycache__" {
                folders.push(path);
            } else if kind.is_file() && name != ".git" {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns the Rust sources of the repository.
pub(super) fn sources(root: &Path) -> Vec<Source> {
    let rust = files(root).into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    rust.map(|path| {
        let text = std::fs::read_to_string(&path).expect("sources are readable");
        let path = path.strip_prefix(root).expect("is below").to_string_lossy().into_owned();
        Source::new(&path, &text)
    })
    .collect()
}

/// Blanks comments and the insides of literals.
pub(super) fn mask(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let blank = |out: &mut String, from: usize, to: usize| {
        out.extend(chars[from..to.min(chars.len())].iter().map(|&char| if char == '\n' { '\n' } else { ' ' }));
    };
    let mut at = 0;
    while at < chars.len() {
        let end = literal_or_comment(&chars, at);
        match end {
            Some(end) => blank(&mut out, at, end),
            None => out.push(chars[at]),
        }
        at = end.map_or(at + 1, |end| end.min(chars.len()));
    }
    out
}

/// Returns the end of the comment or literal that begins at `at`.
fn literal_or_comment(chars: &[char], at: usize) -> Option<usize> {
    let is = |at: usize, char: char| chars.get(at) == Some(&char);
    let find = |from: usize, wanted: &[char]| {
        (from..chars.len()).find(|&at| chars[at..].starts_with(wanted)).map_or(chars.len(), |at| at + wanted.len())
    };
    match chars[at] {
        '/' if is(at + 1, '/') => Some(find(at, &['\n']) - usize::from(chars[at..].contains(&'\n'))),
        '/' if is(at + 1, '*') => {
            let (mut depth, mut end) = (1, at + 2);
            while depth > 0 && end < chars.len() {
                if is(end, '*') && is(end + 1, '/') {
                    (depth, end) = (depth - 1, end + 2);
                } else if is(end, '/') && is(end + 1, '*') {
                    (depth, end) = (depth + 1, end + 2);
                } else {
                    end += 1;
                }
            }
            Some(end)
        }
        '"' => Some(text_end(chars, at + 1)),
        'b' | 'c' | 'r' if at == 0 || !is_word(chars[at - 1]) => {
            let mut quote = at + 1;
            let raw = if chars[at] == 'r' { true } else { is(quote, 'r') };
            if chars[at] != 'r' && raw {
                quote += 1;
            }
            let hashes = if raw { chars[quote..].iter().take_while(|&&char| char == '#').count() } else { 0 };
            quote += hashes;
            if is(quote, '\'') && !raw && chars[at] == 'b' {
                return char_end(chars, quote).or(Some(quote + 1));
            }
            if !is(quote, '"') {
                return None;
            }
            if !raw {
                return Some(text_end(chars, quote + 1));
            }
            let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            Some(find(quote + 1, &close))
        }
        '\'' => char_end(chars, at),
        _ => None,
    }
}

/// Returns the end of the text literal whose inside begins at `at`.
fn text_end(chars: &[char], mut at: usize) -> usize {
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Returns the end of the character literal that begins at `at`; `None` for a lifetime.
fn char_end(chars: &[char], at: usize) -> Option<usize> {
    if chars.get(at + 1) == Some(&'\\') {
        return (at + 3..chars.len()).find(|&at| chars[at] == '\'').map(|at| at + 1);
    }
    (chars.get(at + 2) == Some(&'\'')).then_some(at + 3)
}

pub(super) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Blanks test-only items, behind `#[cfg(test)]` or the feature `testing`; returns the modules among them that are
/// files.
fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARKS: [&str; 2] = ["#[cfg(test)]", "#[cfg(any(test, feature"];
    let mut live = code.to_owned();
    let mut modules = Vec::new();
    while let Some(start) = MARKS.iter().filter_map(|mark| live.find(mark)).min() {
        let item = start + live[start..].find(")]").map_or(0, |close| close + 2);
        let end = item + item_end(&live[item..]);
        let words: Vec<&str> = live[item..end].split_whitespace().collect();
        if let Some(at) = words.iter().position(|&word| word == "mod") {
            modules.extend(words.get(at + 1).and_then(|name| name.strip_suffix(';')).map(str::to_owned));
        }
        let blank: String = live[start..end].chars().map(|char| if char == '\n' { '\n' } else { ' ' }).collect();
        live.replace_range(start..end, &blank);
    }
    (live, modules)
}

/// Returns the end of the item at the beginning of `code`: its semicolon or its closing brace.
fn item_end(code: &str) -> usize {
    let (mut round, mut curly) = (0i32, 0i32);
    for (at, char) in code.char_indices() {
        match char {
            '(' | '[' => round += 1,
            ')' | ']' => round -= 1,
            '{' => curly += 1,
            '}' => {
                curly -= 1;
                if curly <= 0 {
                    return at + 1;
                }
            }
            ';' | ',' if round == 0 && curly == 0 => return at + 1,
            _ => (),
        }
    }
    code.len()
}
