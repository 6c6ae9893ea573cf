//! The outputs of the inputs.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::output::{Destination, Outputs};
use nddb_archive::Located;

use crate::error::{JobError, Result};

/// For each input where what is kept of it goes, and what is removed, if that is written.
pub(crate) struct Targets {
    /// Where what is kept of each input goes.
    pub(crate) kept: Vec<Destination>,
    removed: Option<Vec<Destination>>,
}

impl Targets {
    /// Returns the outputs of an input.
    pub(super) fn of_input(&self, index: usize) -> (&Destination, Option<&Destination>) {
        (&self.kept[index], self.removed.as_ref().map(|targets| &targets[index]))
    }

    /// Names the outputs of inputs that were given as these files and folders, and makes the folders for them. An
    /// output is the option that names it and its path.
    ///
    /// # Errors
    /// An output is refused; several inputs would go into one file.
    pub(crate) fn of(
        given: &[PathBuf],
        located: &[Located],
        kept: (&str, &Path),
        removed: Option<(&str, &Path)>,
        outputs: &Outputs,
    ) -> Result<Self> {
        outputs.reads_inputs(located);
        let names = names(given, located);
        let is_one = matches!((given, located), ([given], [input]) if input.path == *given);
        let named = Named { given, is_one, names: &names, outputs };
        let kept = named.targets(kept)?;
        let removed = removed.map(|output| named.targets(output)).transpose()?;
        Ok(Self { kept, removed })
    }
}

/// Inputs, and their names below a folder.
struct Named<'a> {
    given: &'a [PathBuf],
    /// The only path that was given is an input, and no folder of inputs.
    is_one: bool,
    names: &'a [PathBuf],
    outputs: &'a Outputs,
}

impl Named<'_> {
    /// Returns the output of each input.
    fn targets(&self, (option, output): (&str, &Path)) -> Result<Vec<Destination>> {
        if output == Path::new(super::NOWHERE) {
            return self.names.iter().map(|_| Ok(self.outputs.file(option, output)?)).collect();
        }
        if !is_folder(output) && self.is_one {
            return Ok(vec![self.outputs.file(option, output)?]);
        }
        if output.as_os_str() == "-" {
            return Err(JobError::options(format!("several inputs go into a folder: {option} FOLDER")));
        }
        if self.given.iter().any(|path| path.as_os_str() == "-") {
            return Err(JobError::options(format!("-: has no name for a file in a folder: {option} FILE")));
        }
        let folder = self.outputs.folder(option, output)?;
        let files = self.names.iter().map(|name| folder.file(name));
        Ok(files.collect::<Result<_, _>>()?)
    }
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
        let of = |inputs: &[&str], output: &str| -> Result<Vec<PathBuf>> {
            let given: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
            let output = folder.path().join(output);
            let targets = Targets::of(&given, &located(inputs), ("-o", &output), None, &Outputs::default())?;
            Ok(targets.kept.iter().map(|target| target.path().to_owned()).collect())
        };
        let paths = of(&["a/x.jsonl", "b/y.jsonl"], "kept").expect("a folder");
        assert_eq!(paths, [folder.path().join("kept/x.jsonl"), folder.path().join("kept/y.jsonl")]);
        // A folder into which nothing was written goes away again.
        std::fs::create_dir(folder.path().join("kept")).expect("the folder is writable");
        assert_eq!(of(&["a/x.jsonl"], "kept").expect("a folder"), [folder.path().join("kept/x.jsonl")]);
        assert_eq!(of(&["a/x.jsonl"], "one").expect("a file"), [folder.path().join("one")]);
        assert!(of(&["-"], "kept").is_err());
        let several = ["a".into(), "b".into()];
        let to = ("-o", Path::new("-"));
        assert!(Targets::of(&several, &located(&["a", "b"]), to, None, &Outputs::default()).is_err());
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
