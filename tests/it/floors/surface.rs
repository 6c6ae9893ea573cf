//! The public surface of the library, read from its sources: what is reachable from `lib.rs`, with its members.
//!
//! Items hidden from the documentation (`doc(hidden)`) and items compiled only for tests are left out.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Crate, Module, Target, tokens};
use super::source::{Source, is_word};

/// Words that begin an item, before its name.
const KINDS: [&str; 9] = ["fn", "struct", "enum", "trait", "const", "static", "type", "mod", "use"];
/// Attributes that users meet.
const ATTRIBUTES: [&str; 3] = ["derive", "non_exhaustive", "must_use"];

/// Returns a block of lines for each public item: its path, what it is, its public members and its traits.
pub(super) fn listing(sources: &[Source]) -> String {
    let library = Library::read(sources);
    let mut blocks = BTreeSet::new();
    library.walk(&Vec::new(), "nddb", &mut blocks);
    blocks.into_iter().collect()
}

/// An item of a module, or a member of another item.
struct Item<'a> {
    attributes: Vec<&'a str>,
    is_public: bool,
    /// All between visibility and body.
    head: &'a str,
    /// The source between the item's braces.
    body: Option<&'a str>,
}

/// The target of a path.
enum Definition {
    Item(Module, String),
    Module(Module),
    Outside(String),
}

struct Library<'a> {
    paths: Crate,
    items: BTreeMap<Module, Vec<Item<'a>>>,
    /// Of each type what its `impl` blocks say.
    impls: BTreeMap<(Module, String), Vec<String>>,
}

impl<'a> Library<'a> {
    fn read(sources: &'a [Source]) -> Self {
        let paths = Crate::read(sources, "src/");
        let mut library = Self { paths, items: BTreeMap::new(), impls: BTreeMap::new() };
        for source in sources {
            let Some(module) = source.module("src/").filter(|module| library.paths.is_module(module)) else { continue };
            library.add(module, &source.live);
        }
        let modules: Vec<Module> = library.items.keys().cloned().collect();
        for module in modules {
            for (definition, said) in library.impls_in(&module) {
                library.impls.entry(definition).or_default().extend(said);
            }
        }
        library
    }

    /// Takes the items of a module, and of those that are written out in it.
    fn add(&mut self, module: Module, code: &'a str) {
        let items = items(code);
        for item in &items {
            if let (Some(("mod", name)), Some(body)) = (item.name(), item.body) {
                self.add([module.clone(), vec![name.to_owned()]].concat(), body);
            }
        }
        self.items.insert(module, items);
    }

    /// Returns the types that `impl` blocks of a module are about, and what these say.
    fn impls_in(&self, module: &Module) -> Vec<((Module, String), Vec<String>)> {
        let mut found = Vec::new();
        for item in self.items.get(module).into_iter().flatten() {
            let Some(rest) = item.head.strip_prefix("impl").filter(|rest| !rest.starts_with(is_word)) else { continue };
            let rest = behind_generics(rest);
            let of_trait = rest.split_once(" for ");
            let path: String =
                of_trait.map_or(rest, |(_, of)| of).chars().take_while(|&char| is_word(char) || char == ':').collect();
            let path: Vec<String> = path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
            let Some(Definition::Item(module, name)) = self.define(module, &path) else { continue };
            let said = match of_trait {
                Some(_) => vec![squeezed(item.head)],
                None => items(item.body.unwrap_or("")).iter().filter(|one| one.is_public).map(Item::told).collect(),
            };
            found.push(((module, name), said));
        }
        found
    }

    /// Follows a path that is written in a module.
    fn define(&self, module: &Module, path: &[String]) -> Option<Definition> {
        let name = path.last()?.clone();
        if path.len() == 1 && self.has(module, &name) {
            return Some(Definition::Item(module.clone(), name));
        }
        Some(match self.paths.resolve(module, path, 8) {
            Target::Outside(path) if path.len() == 1 && self.maker(module, &name).is_some() => {
                Definition::Item(module.clone(), name)
            }
            Target::Outside(path) => Definition::Outside(path.join("::")),
            Target::Inside(at) if !self.has(&at, &name) && at.last() == Some(&name) => Definition::Module(at),
            Target::Inside(at) => Definition::Item(at, name),
        })
    }

    fn has(&self, module: &Module, name: &str) -> bool {
        let mut items = self.items.get(module).into_iter().flatten();
        items.any(|item| item.name().is_some_and(|(kind, found)| found == name && kind != "mod" && kind != "use"))
    }

    /// Returns the call of the macro that makes an item: the name stands in the call, or in the macro.
    fn maker(&self, module: &Module, name: &str) -> Option<&Item<'a>> {
        let items = || self.items.get(module).into_iter().flatten();
        let says = |item: &Item| item.body.is_some_and(|body| tokens(body).iter().any(|word| word == name));
        let defined = |call: &Item| {
            let head = format!("macro_rules! {}", call.head.trim_end_matches('!'));
            items().any(|item| squeezed(item.head) == head && says(item))
        };
        items().filter(|item| item.head.ends_with('!')).find(|call| says(call) || defined(call))
    }

    /// Adds a block for each public item of a module that users see as `path`.
    fn walk(&self, module: &Module, path: &str, blocks: &mut BTreeSet<String>) {
        for item in self.items.get(module).into_iter().flatten().filter(|item| item.is_public && !item.is_hidden()) {
            match item.name() {
                Some(("use", _)) => {
                    for leaf in leaves(&tokens(&item.head["use".len()..]), item.body) {
                        let name = leaf.last().cloned().unwrap_or_default();
                        match self.define(module, &leaf) {
                            Some(Definition::Item(at, found)) => blocks.insert(self.block(&at, &found, path)),
                            Some(Definition::Outside(of)) => {
                                blocks.insert(format!("{path}::{name}\n    pub use {of}\n"))
                            }
                            Some(Definition::Module(at)) => {
                                self.walk(&at, &format!("{path}::{name}"), blocks);
                                blocks.insert(format!("{path}::{name}\n    pub mod {name}\n"))
                            }
                            None => false,
                        };
                    }
                }
                Some(("mod", name)) => {
                    blocks.insert(format!("{path}::{name}\n    pub mod {name}\n"));
                    self.walk(&[module.clone(), vec![name.to_owned()]].concat(), &format!("{path}::{name}"), blocks);
                }
                Some((_, name)) => _ = blocks.insert(self.block(module, name, path)),
                None => (),
            }
        }
    }

    /// Returns what users see of an item.
    fn block(&self, module: &Module, name: &str, path: &str) -> String {
        let items = || self.items.get(module).into_iter().flatten();
        let mut lines = Vec::new();
        match items().find(|item| item.name().is_some_and(|(kind, found)| found == name && kind != "mod")) {
            Some(item) => {
                lines.push(item.told());
                lines.extend(item.members());
            }
            // A macro makes it: what that is given says it all.
            None => {
                let call = self.maker(module, name);
                lines.extend(call.map(|item| format!("{} {{ {} }}", item.head, squeezed(item.body.unwrap_or("")))));
            }
        }
        let mut said = self.impls.get(&(module.clone(), name.to_owned())).cloned().unwrap_or_default();
        said.sort();
        lines.extend(said);
        let lines: Vec<String> = lines.into_iter().map(|line| format!("    {line}\n")).collect();
        format!("{path}::{name}\n{}", lines.concat())
    }
}

impl<'a> Item<'a> {
    /// Returns the word that says what it is, and its name.
    fn name(&self) -> Option<(&'a str, &'a str)> {
        let words: Vec<&str> =
            self.head.split(|char: char| !is_word(char)).filter(|word| !word.is_empty()).take(4).collect();
        let at = words.iter().position(|word| KINDS.contains(word))?;
        // `const fn`, and `r#type`, are no constant and no type.
        let at = if words[at] == "const" && words.get(at + 1) == Some(&"fn") { at + 1 } else { at };
        let leads = words[..at].iter().all(|word| ["const", "unsafe", "async", "extern"].contains(word));
        leads.then(|| (words[at], words.get(at + 1).copied().unwrap_or("")))
    }

    fn is_hidden(&self) -> bool {
        self.attributes.iter().any(|attribute| squeezed(attribute) == "doc(hidden)")
    }

    /// Returns the item without its body.
    fn told(&self) -> String {
        let shown = |attribute: &&&str| ATTRIBUTES.iter().any(|name| attribute.trim_start().starts_with(name));
        let attributes: String = self
            .attributes
            .iter()
            .filter(shown)
            .map(|attribute| format!("#[{}] ", squeezed(attribute.split('=').next().unwrap_or(""))))
            .collect();
        let head = match self.name() {
            Some(("const" | "static", _)) => self.head.split('=').next().unwrap_or(""),
            Some(("struct", _)) if self.body.is_none() && self.head.contains('(') => {
                let (name, fields) = self.head.split_once('(').unwrap_or((self.head, ""));
                let fields = fields.trim_end_matches(')');
                let shown =
                    split(fields).into_iter().map(|field| if is_pub(field) { squeezed(field) } else { "_".into() });
                return format!("{attributes}pub {}({})", squeezed(name), shown.collect::<Vec<_>>().join(", "));
            }
            _ => self.head,
        };
        format!("{attributes}pub {}", squeezed(head))
    }

    /// Returns the public fields of a structure, the variants of an enumeration, the items of a trait.
    fn members(&self) -> Vec<String> {
        let Some(body) = self.body else { return Vec::new() };
        match self.name() {
            Some(("struct", _)) => split(body).into_iter().filter(|field| is_pub(field)).map(squeezed).collect(),
            Some(("enum", _)) => split(body).into_iter().map(squeezed).collect(),
            Some(("trait", _)) => items(body).iter().map(|item| squeezed(item.head)).collect(),
            _ => Vec::new(),
        }
    }
}

fn is_pub(field: &str) -> bool {
    field.strip_prefix("pub").is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// Reads items one after the other.
fn items(code: &str) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    let mut rest = code;
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_whitespace() || char == ';');
        let mut attributes = Vec::new();
        while let Some(attribute) = rest.strip_prefix('#') {
            let attribute = attribute.trim_start_matches('!');
            let end = closing(attribute);
            attributes.push(&attribute[1..end]);
            rest = attribute[end + 1..].trim_start();
        }
        if rest.is_empty() {
            return items;
        }
        let mut is_public = is_pub(rest) || rest.starts_with("pub(");
        if is_public {
            rest = rest["pub".len()..].trim_start();
        }
        if is_public && rest.starts_with('(') {
            (is_public, rest) = (false, rest[closing(rest) + 1..].trim_start());
        }
        let mut depth = 0i32;
        let end = rest.char_indices().find(|&(_, char)| {
            depth += i32::from(matches!(char, '(' | '[')) - i32::from(matches!(char, ')' | ']'));
            depth == 0 && matches!(char, ';' | '{')
        });
        let end = end.map_or(rest.len(), |(end, _)| end);
        let (head, body) = (rest[..end].trim(), &rest[end..]);
        let brace = body.starts_with('{').then(|| closing(body));
        items.push(Item { attributes, is_public, head, body: brace.map(|end| &body[1..end]) });
        rest = brace.map_or(&body[usize::from(!body.is_empty())..], |end| &body[end + 1..]);
    }
}

/// Returns where the bracket closes that the text begins with.
fn closing(text: &str) -> usize {
    let mut depth = 0i32;
    let end = text.char_indices().find(|&(_, char)| {
        depth += i32::from(matches!(char, '(' | '[' | '{')) - i32::from(matches!(char, ')' | ']' | '}'));
        depth == 0
    });
    end.map_or(text.len().saturating_sub(1), |(end, _)| end)
}

/// Returns what stands behind generic parameters, if there are any.
fn behind_generics(text: &str) -> &str {
    let text = text.trim_start();
    let mut depth = 0i32;
    if !text.starts_with('<') {
        return text;
    }
    let end = text.char_indices().find(|&(at, char)| {
        depth += i32::from(char == '<') - i32::from(char == '>' && !text[..at].ends_with('-'));
        depth == 0
    });
    text[end.map_or(0, |(end, _)| end + 1)..].trim_start()
}

/// Splits fields or variants, and leaves their attributes out.
fn split(body: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let mut before = ' ';
    let parts = body.split(|char: char| {
        depth += i32::from(matches!(char, '(' | '[' | '{' | '<'));
        depth -= i32::from(matches!(char, ')' | ']' | '}') || char == '>' && before != '-');
        before = char;
        depth == 0 && char == ','
    });
    let without = |part: &'_ str| part.trim().len();
    parts
        .filter(|part| without(part) > 0)
        .map(|part| {
            let mut part = part.trim();
            while let Some(attribute) = part.strip_prefix('#') {
                part = attribute[closing(attribute) + 1..].trim_start();
            }
            part
        })
        .collect()
}

/// Returns the paths that a `use` names, given what stands before and between its outer braces.
fn leaves(head: &[String], body: Option<&str>) -> Vec<Vec<String>> {
    let path: Vec<String> = head.iter().filter(|token| *token != "::").cloned().collect();
    let Some(body) = body else { return vec![path] };
    let parts = split(body).into_iter().flat_map(|part| match part.split_once('{') {
        Some((head, rest)) => leaves(&tokens(head), Some(rest.trim_end_matches('}'))),
        None => leaves(&tokens(part), None),
    });
    parts.map(|part| [path.clone(), part].concat()).collect()
}

/// Puts code on one line.
fn squeezed(code: &str) -> String {
    let line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace("( ", "(").replace(" )", ")").replace(",)", ")").replace(", )", ")");
    line.replace(", }", " }").replace(" ,", ",").replace("  ", " ").trim_end_matches([',', ' ']).to_owned()
}
