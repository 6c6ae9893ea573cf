//! The paths in a source, resolved: `use super::Writer` in `store::writer::open` is `store::writer`.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Source, is_word};

/// The name of a module within its crate.
pub(super) type Module = Vec<String>;

/// A path as written, and the module that contains it.
#[derive(Debug)]
struct Written {
    module: Module,
    path: Vec<String>,
}

/// The target of a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A module of the same crate, or an item in it.
    Inside(Module),
    /// An item of another crate.
    Outside(Vec<String>),
}

/// A crate: its modules, their imports by name, and all paths in them.
pub(super) struct Crate {
    /// Modules that are files.
    files: BTreeSet<Module>,
    /// All modules, inline ones included.
    modules: BTreeSet<Module>,
    names: BTreeMap<(Module, String), Vec<String>>,
    written: BTreeMap<String, Vec<Written>>,
}

impl Crate {
    /// Parses the sources in `folder`, without their tests.
    pub(super) fn read(sources: &[Source], folder: &str) -> Self {
        let of_crate = || sources.iter().filter_map(|source| Some((source, source.module(folder)?)));
        let mut tests = BTreeSet::new();
        for (source, module) in of_crate() {
            tests.extend(source.test_modules.iter().map(|name| [module.clone(), vec![name.clone()]].concat()));
        }
        let is_test = |module: &[String]| (1..=module.len()).any(|len| tests.contains(&module[..len]));
        let mut read =
            Self { files: BTreeSet::new(), modules: BTreeSet::new(), names: BTreeMap::new(), written: BTreeMap::new() };
        for (source, module) in of_crate().filter(|(_, module)| !is_test(module)) {
            read.files.insert(module.clone());
            let mut reader = Paths { read: &mut read, path: source.path.clone() };
            reader.read(&tokens(&source.live), module);
        }
        read
    }

    /// Returns all distinct pairs of a source and a target.
    pub(super) fn uses(&self) -> Vec<(String, Module, Target)> {
        let mut uses = Vec::new();
        for (source, written) in &self.written {
            for one in written {
                uses.push((source.clone(), one.module.clone(), self.resolve(&one.module, &one.path, 8)));
            }
        }
        uses
    }

    /// Returns the module whose file contains a module.
    pub(super) fn file_of<'m>(&self, module: &'m [String]) -> &'m [String] {
        let len = (0..=module.len()).rev().find(|&len| self.files.contains(&module[..len]));
        &module[..len.unwrap_or(0)]
    }

    pub(super) fn is_module(&self, module: &[String]) -> bool {
        self.modules.contains(module)
    }

    /// What a path that is written in a module leads to, by way of `depth` imports at most.
    pub(super) fn resolve(&self, module: &[String], path: &[String], depth: usize) -> Target {
        let (mut base, rest): (Module, &[String]) = match path[0].as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (module.to_vec(), &path[1..]),
            "super" => {
                let levels = path.iter().take_while(|name| *name == "super").count();
                (module[..module.len().saturating_sub(levels)].to_vec(), &path[levels..])
            }
            name => {
                let named = (module.to_vec(), name.to_owned());
                let is_module = self.modules.contains(&[module, &path[..1]].concat());
                match self.names.get(&named).filter(|target| !is_module && depth > 0 && target[..] != *path) {
                    _ if is_module => (module.to_vec(), path),
                    Some(target) => return self.resolve(module, &[target, &path[1..]].concat(), depth - 1),
                    None => return Target::Outside(path.to_vec()),
                }
            }
        };
        for (at, name) in rest.iter().enumerate() {
            let below = [base.clone(), vec![name.clone()]].concat();
            if self.modules.contains(&below) {
                base = below;
            } else if let Some(target) = self.names.get(&(base.clone(), name.clone())).filter(|_| depth > 0) {
                return self.resolve(&base, &[target, &rest[at + 1..]].concat(), depth - 1);
            } else {
                break;
            }
        }
        Target::Inside(base)
    }
}

/// Splits code into words, `::`, and single characters.
pub(super) fn tokens(code: &str) -> Vec<String> {
    let chars: Vec<char> = code.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let len = match chars[at] {
            char if is_word(char) => chars[at..].iter().take_while(|&&char| is_word(char)).count(),
            ':' if chars.get(at + 1) == Some(&':') => 2,
            _ => 1,
        };
        if !chars[at].is_whitespace() {
            tokens.push(chars[at..at + len].iter().collect());
        }
        at += len;
    }
    tokens
}

struct Paths<'a> {
    read: &'a mut Crate,
    path: String,
}

impl Paths<'_> {
    fn read(&mut self, tokens: &[String], module: Module) {
        let token = |at: usize| tokens.get(at).map_or("", String::as_str);
        self.read.modules.insert(module.clone());
        // The inline modules at the current index, with their depths of braces.
        let mut inner: Vec<(Module, usize)> = vec![(module, 0)];
        let (mut depth, mut at) = (0, 0);
        while at < tokens.len() {
            let here = inner.last().map(|(module, _)| module.clone()).unwrap_or_default();
            match token(at) {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if inner.len() > 1 && inner.last().is_some_and(|&(_, outside)| outside == depth) {
                        inner.pop();
                    }
                }
                "mod" if token(at + 2) == "{" => {
                    let module = [here, vec![token(at + 1).to_owned()]].concat();
                    self.read.modules.insert(module.clone());
                    inner.push((module, depth));
                    at += 1;
                }
                "use" => {
                    at = self.tree(tokens, at + 1, &here, &[]);
                    continue;
                }
                word if word.chars().next().is_some_and(is_word) && token(at + 1) == "::" => {
                    let mut path = vec![word.to_owned()];
                    while token(at + 1) == "::" && token(at + 2).chars().next().is_some_and(is_word) {
                        path.push(token(at + 2).to_owned());
                        at += 2;
                    }
                    self.note(&here, path);
                }
                _ => (),
            }
            at += 1;
        }
    }

    /// Parses one tree of a `use`; returns the index behind it.
    fn tree(&mut self, tokens: &[String], mut at: usize, here: &Module, prefix: &[String]) -> usize {
        let token = |at: usize| tokens.get(at).map_or("", String::as_str);
        let mut path = prefix.to_vec();
        loop {
            match token(at) {
                "::" => at += 1,
                "{" => {
                    at += 1;
                    while token(at) != "}" && at < tokens.len() {
                        at = self.tree(tokens, at, here, &path);
                        at += usize::from(token(at) == ",");
                    }
                    return at + 1;
                }
                "as" => {
                    self.bind(here, token(at + 1), &path);
                    self.note(here, path);
                    return at + 2;
                }
                word if word.chars().next().is_some_and(is_word) => {
                    if word != "self" || path.is_empty() {
                        path.push(word.to_owned());
                    }
                    at += 1;
                }
                end => {
                    if let Some(name) = path.last().cloned() {
                        if end != "*" {
                            self.bind(here, &name, &path);
                        }
                        self.note(here, path);
                    }
                    return at + usize::from(end == "*");
                }
            }
        }
    }

    fn bind(&mut self, here: &Module, name: &str, path: &[String]) {
        self.read.names.insert((here.clone(), name.to_owned()), path.to_vec());
    }

    fn note(&mut self, here: &Module, path: Vec<String>) {
        self.read.written.entry(self.path.clone()).or_default().push(Written { module: here.clone(), path });
    }
}
