//! The outputs of the inputs.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use nddb::archive::Located;
use nddb_remote::is_remote;

use crate::failure::{Failure, Result};
use crate::{inputs, output};

/// For each input the file that gets what is kept of it, and the one that gets what is removed, if any does.
pub(in crate::commands) struct Targets {
    pub(in crate::commands) kept: Vec<PathBuf>,
    removed: Option<Vec<PathBuf>>,
}

impl Targets {
    /// Returns the outputs of an input.
    pub(super) fn of_input(&self, index: usize) -> (&Path, Option<&Path>) {
        (&self.kept[index], self.removed.as_ref().map(|paths| &*paths[index]))
    }

    /// Names the outputs of inputs that were given as these files and folders, and makes the folders for them.
    pub(in crate::commands) fn of(
        given: &[PathBuf],
        located: &[Located],
        kept: &Path,
        removed: Option<&Path>,
    ) -> Result<Self> {
        let asked = [Some(kept), removed];
        let names = names(given, located);
        let is_one = matches!((given, located), ([given], [input]) if input.path == *given);
        let kept = targets(given, is_one, &names, kept)?;
        let removed = removed.map(|path| targets(given, is_one, &names, path)).transpose()?;
        let read: HashSet<_> = located.iter().filter_map(|input| inputs::number(&input.path)).collect();
        let mut named = HashSet::new();
        for path in kept.iter().chain(removed.iter().flatten()) {
            if !named.insert(path) {
                return Err(Failure::usage(format!("{}: two outputs would have this name", path.display())));
            }
            let is_input = inputs::number(path).is_some_and(|number| read.contains(&number));
            if is_input || is_remote(path) && located.iter().any(|input| input.path == *path) {
                return Err(Failure::usage(format!("{}: is an input: choose another output", path.display())));
            }
        }
        for path in kept.iter().chain(removed.iter().flatten()) {
            // A file that the user names is where it is meant to be, or a mistake.
            if let Some(folder) = path.parent().filter(|_| !asked.contains(&Some(path.as_path()))) {
                output::make_folder(folder)?;
            }
        }
        Ok(Self { kept, removed })
    }
}

/// Returns the output of each input; inputs have these names below a folder. `is_one` if the only path that was given is
/// an input, and no folder of inputs.
fn targets(given: &[PathBuf], is_one: bool, names: &[PathBuf], output: &Path) -> Result<Vec<PathBuf>> {
    if !is_folder(output) && is_one {
        return Ok(vec![output.to_owned()]);
    }
    if output.as_os_str() == "-" {
        return Err(Failure::usage("several inputs go into a folder: -o FOLDER"));
    }
    if given.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::usage("-: has no name for a file in a folder: -o FILE"));
    }
    output::make_folder(output)?;
    Ok(names.iter().map(|name| output.join(name)).collect())
}

/// Returns whether an output is a folder, or named as one.
pub(super) fn is_folder(output: &Path) -> bool {
    output.is_dir() || output.to_string_lossy().ends_with('/')
}

/// Returns the names of the outputs below their folder: that of a file, or the path below the folder that was given.
/// Where two are the same, all inputs of what was given have the folders above, too, as far as these tell them apart.
fn names(given: &[PathBuf], located: &[Located]) -> Vec<PathBuf> {
    let mut of = 0;
    let inputs: Vec<(usize, Vec<&OsStr>, usize)> = located
        .iter()
        .map(|input| {
            while of + 1 < given.len() && !input.path.starts_with(&given[of]) {
                of += 1;
            }
            let below = input.path.strip_prefix(&given[of]).unwrap_or(&input.path).components().count().max(1);
            let named = |part| if let Component::Normal(name) = part { Some(name) } else { None };
            (of, input.path.components().filter_map(named).collect(), below)
        })
        .collect();
    let mut above = vec![0; given.len()];
    loop {
        let name = |(of, parts, below): &(usize, Vec<&OsStr>, usize)| -> PathBuf {
            parts[parts.len() - (below + above[*of]).min(parts.len())..].iter().collect()
        };
        let names: Vec<PathBuf> = inputs.iter().map(name).collect();
        let mut uses = HashMap::new();
        names.iter().for_each(|name| *uses.entry(name).or_insert(0) += 1);
        let is_short = |(of, parts, below): &(usize, Vec<&OsStr>, usize)| below + above[*of] < parts.len();
        let again: HashSet<usize> = inputs
            .iter()
            .zip(&names)
            .filter(|(input, name)| uses[name] > 1 && is_short(input))
            .map(|(i, _)| i.0)
            .collect();
        if again.is_empty() {
            return names;
        }
        again.into_iter().for_each(|of| above[of] += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(paths: &[&str]) -> Vec<Located> {
        paths.iter().map(|path| Located { path: path.into(), document: None, ranges: None }).collect()
    }

    #[test]
    fn several_inputs_go_into_a_folder_under_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |inputs: &[&str], output: &str| {
            let given: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
            targets(&given, inputs.len() == 1, &names(&given, &located(inputs)), &folder.path().join(output))
        };
        let paths = of(&["a/x.jsonl", "b/y.jsonl"], "kept").expect("a folder");
        assert_eq!(paths, [folder.path().join("kept/x.jsonl"), folder.path().join("kept/y.jsonl")]);
        assert_eq!(of(&["a/x.jsonl"], "kept").expect("a folder"), [folder.path().join("kept/x.jsonl")]);
        assert_eq!(of(&["a/x.jsonl"], "one").expect("a file"), [folder.path().join("one")]);
        assert!(of(&["-"], "kept").is_err());
        assert!(targets(&["a".into(), "b".into()], false, &["a".into(), "b".into()], Path::new("-")).is_err());
    }

    #[test]
    fn names_are_as_long_as_they_must_be() {
        let of = |given: &[&str], inputs: &[&str]| -> Vec<String> {
            let given: Vec<PathBuf> = given.iter().map(PathBuf::from).collect();
            names(&given, &located(inputs)).iter().map(|name| name.to_string_lossy().into_owned()).collect()
        };
        assert_eq!(of(&["/in"], &["/in/a/0.gz", "/in/b/0.gz", "/in/c.gz"]), ["a/0.gz", "b/0.gz", "c.gz"]);
        assert_eq!(of(&["a/0.gz", "b/0.gz", "c.gz"], &["a/0.gz", "b/0.gz", "c.gz"]), ["a/0.gz", "b/0.gz", "c.gz"]);
        let two = ["d/may/x/0.gz", "d/may/x/1.gz", "e/may/x/0.gz"];
        assert_eq!(of(&["d/may", "e/may"], &two), ["d/may/x/0.gz", "d/may/x/1.gz", "e/may/x/0.gz"]);
        assert_eq!(of(&["../0.gz", "0.gz"], &["../0.gz", "0.gz"]), ["0.gz", "0.gz"], "an error tells it");
    }
}
