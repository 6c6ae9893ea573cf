//! The import graph of modules, and its circles.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Crate, Module, Target};

/// For each part of a module, the parts that it imports from, with the importing source. Parts are the children,
/// each with all below it, and [`OWN`].
pub(super) type Edges = BTreeMap<String, BTreeMap<String, String>>;

/// The part of a module's own file without its children.
pub(super) const OWN: &str = "self";

/// Returns the imports between the parts of every module that has children, by the module's name.
pub(super) fn imports(read: &Crate) -> BTreeMap<Module, Edges> {
    let mut all: BTreeMap<Module, Edges> = BTreeMap::new();
    for (source, from, target) in read.uses() {
        let Target::Inside(to) = target else { continue };
        // An inline module is part of its file.
        let (from, to) = (read.file_of(&from), read.file_of(&to));
        if from != to {
            let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            let part = |module: &[String]| module.get(common).map_or(OWN, String::as_str).to_owned();
            let edges = all.entry(from[..common].to_vec()).or_default();
            edges.entry(part(from)).or_default().entry(part(to)).or_insert(source);
        }
    }
    all
}

/// Returns a circle, if there is one: the names on it, with the first again at the end.
pub(super) fn circle(edges: &Edges) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    edges.keys().find_map(|start| search(edges, start, &mut Vec::new(), &mut done))
}

fn search(edges: &Edges, at: &str, way: &mut Vec<String>, done: &mut BTreeSet<String>) -> Option<Vec<String>> {
    if let Some(first) = way.iter().position(|passed| passed == at) {
        let mut circle = way[first..].to_vec();
        circle.push(at.to_owned());
        return Some(circle);
    }
    if done.contains(at) {
        return None;
    }
    way.push(at.to_owned());
    let next: Vec<&String> = edges.get(at).into_iter().flat_map(BTreeMap::keys).collect();
    let found = next.into_iter().find_map(|next| search(edges, next, way, done));
    way.pop();
    done.insert(at.to_owned());
    found
}
