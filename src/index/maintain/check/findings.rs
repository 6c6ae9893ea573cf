//! The findings of a check.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::Wrong;
use crate::{Error, NextStep};

/// Maximum number of faults named for each file; the others are counted.
const NAMED_MAX: usize = 20;

/// A fault of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, or the catalog's folder.
    pub path: PathBuf,
    /// Location in the file.
    pub location: String,
    /// The broken rule.
    pub what: String,
    /// What to do about it.
    pub next: NextStep,
    /// Whether a rebuild repairs it: true if it is not in the catalog.
    pub repairable: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}; {}", self.path.display(), self.location, self.what, self.next)
    }
}

/// Faults and notes while they are collected.
#[derive(Debug)]
pub(crate) struct Findings {
    root: PathBuf,
    catalog: PathBuf,
    by_path: HashMap<PathBuf, usize>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) omitted: u64,
    pub(crate) notes: Vec<String>,
    /// The first error that says nothing about the database, but has kept the check from reading a part of it.
    pub(crate) obstacle: Option<Arc<Error>>,
}

impl Findings {
    pub(crate) fn new(root: &Path, catalog: PathBuf) -> Self {
        let root = root.to_owned();
        Self {
            root,
            catalog,
            by_path: HashMap::new(),
            faults: Vec::new(),
            omitted: 0,
            notes: Vec::new(),
            obstacle: None,
        }
    }

    /// Adds a fault with advice.
    pub(crate) fn push(&mut self, path: &Path, wrong: Wrong, next: NextStep, repairable: bool) {
        if let Some(obstacle) = wrong.obstacle {
            self.obstacle.get_or_insert(obstacle);
            return;
        }
        let named = self.by_path.entry(path.into()).or_default();
        *named += 1;
        if *named > NAMED_MAX {
            self.omitted += 1;
            return;
        }
        self.faults.push(Fault { path: path.into(), location: wrong.location, what: wrong.what, next, repairable });
    }

    /// Adds a fault that a rebuild repairs.
    pub(crate) fn run(&mut self, path: &Path, wrong: impl Into<Wrong>) {
        self.push(path, wrong.into(), NextStep::Repair(self.root.clone()), true);
    }

    /// Adds a fault of data that is stored nowhere else.
    pub(crate) fn catalog(&mut self, wrong: impl Into<Wrong>) {
        let next = "the catalog cannot be rebuilt from the runs: restore a backup of the \
                    database, or load its documents again into a new one";
        let path = self.catalog.clone();
        self.push(&path, wrong.into(), next.into(), false);
    }

    /// Adds a note, which is not a fault.
    pub(crate) fn note(&mut self, text: String) {
        self.notes.push(text);
    }
}
