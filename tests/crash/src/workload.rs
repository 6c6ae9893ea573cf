//! What a database goes through until a crash: deeds, determined by a seed.

use std::path::{Path, PathBuf};

use nddb::{Document, Error, Fingerprint, RebuildOptions, RebuildWhat, Writer};

use crate::support::steps::{K, Step};
use crate::support::{Content, Model, Random};

/// Documents of a large commit.
const LARGE: u64 = 1200;

/// A deed of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// The database is created.
    Create,
    /// A step of a writer.
    Step(Step),
    /// A large commit, with this seed.
    Insert(u64),
    /// A backup is made beside the writer, in a folder with this number.
    Backup(usize),
    /// The latest backup becomes a database with this number.
    Restore(usize),
    /// The runs are made of the catalog: all, or those that are damaged.
    Rebuild(bool),
    /// The writer is closed.
    Close,
}

impl std::fmt::Display for Deed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Step(step) => write!(f, "{step}"),
            deed => write!(f, "{deed:?}"),
        }
    }
}

/// The deeds of a workload, and what is to be found after each.
#[derive(Clone, Debug)]
pub(crate) struct Workload {
    pub(crate) deeds: Vec<Deed>,
    /// The database before the first deed, and after each.
    pub(crate) models: Vec<Model>,
    /// Whether runs are made and merged beside the commits.
    pub(crate) background: bool,
}

impl Workload {
    /// Returns the workload of a seed, of about `len` deeds.
    pub(crate) fn new(seed: u64, len: usize) -> Self {
        let mut random = Random::fixed(seed);
        let background = random.percent(40);
        let mut deeds = vec![Deed::Create];
        let mut backup = None;
        for index in 1..=len {
            deeds.push(match random.below(100) {
                0..8 => {
                    backup = Some(index);
                    Deed::Backup(index)
                }
                8..12 if backup.is_some() => Deed::Restore(index),
                12..16 => Deed::Insert(random.next()),
                16..20 => Deed::Rebuild(random.percent(50)),
                20..28 => Deed::Step(Step::load(&mut random)),
                28..38 => Deed::Step(Step::flush(&mut random)),
                _ => Deed::Step(Step(random.next())),
            });
        }
        deeds.push(Deed::Close);
        Self::of(deeds, background)
    }

    /// Returns the workload of these deeds.
    pub(crate) fn of(deeds: Vec<Deed>, background: bool) -> Self {
        let mut models = vec![Model::default()];
        for deed in &deeds {
            let mut model = models[models.len() - 1].clone();
            deed.imagine(&mut model);
            models.push(model);
        }
        Self { deeds, models, background }
    }

    /// Returns the index of the latest backup before a deed.
    pub(crate) fn backup_before(&self, deed: usize) -> Option<usize> {
        (0..deed).rev().find(|&index| matches!(self.deeds[index], Deed::Backup(_)))
    }

    /// Does all deeds in a folder. `begin` and `done` are told of each.
    ///
    /// # Panics
    /// If one fails.
    pub(crate) fn run(&self, root: &Path, begin: &mut dyn FnMut(usize), done: &mut dyn FnMut(usize)) {
        let mut writer = None;
        for index in 0..self.deeds.len() {
            begin(index);
            let (after, outcome) = self.attempt(index, writer, root);
            if let Err(error) = outcome {
                panic!("deed {index}, {}: {error:?}", self.deeds[index]);
            }
            writer = after;
            done(index);
        }
    }

    /// Does a deed. Returns the writer from there on, if there is one.
    pub(crate) fn attempt(
        &self,
        index: usize,
        writer: Option<Writer>,
        root: &Path,
    ) -> (Option<Writer>, nddb::Result<()>) {
        let path = database(root);
        let begin = |mut writer: Writer| {
            writer.merge_in_background(self.background);
            writer
        };
        let opened = |writer: Option<Writer>| match writer {
            Some(writer) => Ok(writer),
            None => Writer::open(&path).map(begin),
        };
        match self.deeds[index] {
            Deed::Create => match nddb::Config::within(K).and_then(|config| Writer::create(&path, &config)) {
                Ok(writer) => (Some(begin(writer)), Ok(())),
                Err(error) => (None, Err(error)),
            },
            Deed::Step(step) => match opened(writer) {
                Ok(writer) => {
                    let (writer, outcome) = step.attempt(writer, &path);
                    (writer, outcome.map(drop))
                }
                Err(error) => (None, Err(error)),
            },
            Deed::Insert(seed) => match opened(writer) {
                Ok(mut writer) => {
                    let outcome = writer.unlabel().and_then(|()| insert(&mut writer, seed));
                    (Some(writer), outcome)
                }
                Err(error) => (None, Err(error)),
            },
            Deed::Backup(number) => {
                let outcome = nddb::backup(&path, backup(root, number), &mut |_| true);
                (writer, outcome.map(drop))
            }
            Deed::Restore(number) => match self.backup_before(index).map(|index| self.deeds[index]) {
                Some(Deed::Backup(from)) => {
                    let outcome = nddb::restore(backup(root, from), restored(root, number), &mut |_| true);
                    (writer, outcome.map(drop))
                }
                _ => (writer, Ok(())),
            },
            Deed::Rebuild(all) => {
                let closed = writer.map_or(Ok(()), Writer::close);
                let what = if all { RebuildWhat::All } else { RebuildWhat::Damaged };
                let options = RebuildOptions { what, ..RebuildOptions::default() };
                let outcome = closed.and_then(|()| nddb::rebuild(&path, &options, &mut |_| true));
                (None, outcome.map(drop))
            }
            Deed::Close => (None, writer.map_or(Ok(()), Writer::close)),
        }
    }
}

impl Deed {
    pub(crate) fn imagine(self, model: &mut Model) {
        match self {
            Self::Step(step) => drop(step.imagine(model)),
            Self::Insert(seed) => {
                model.label(None);
                for (id, print) in large(seed) {
                    model.insert(&id, Content { print: Some(print), site: None });
                }
                model.commit();
            }
            // The batch of later documents is forgotten with the writer.
            Self::Rebuild(_) | Self::Close => drop(model.label(None)),
            _ => (),
        }
    }

    /// Returns the states that an interrupted deed may leave, besides the one before it.
    pub(crate) fn imagine_parts(self, model: &Model) -> Vec<Model> {
        match self {
            Self::Step(step) => step.imagine_parts(model),
            Self::Insert(_) => {
                let mut whole = model.clone();
                self.imagine(&mut whole);
                vec![whole]
            }
            _ => Vec::new(),
        }
    }
}

/// The documents of a large commit, whose log has many blocks.
fn large(seed: u64) -> impl Iterator<Item = (String, u64)> {
    let mut random = Random::fixed(seed);
    (0..LARGE).map(move |index| {
        (format!("a document of a large commit {}", (index * 7919 + seed % 500) % 2000), random.next())
    })
}

fn insert(writer: &mut Writer, seed: u64) -> nddb::Result<()> {
    for (id, print) in large(seed) {
        writer.insert(Document::bare(&id, Fingerprint(print))?)?;
    }
    writer.commit()
}

/// The database of a workload.
pub(crate) fn database(root: &Path) -> PathBuf {
    root.join("db")
}

/// A backup of a workload.
pub(crate) fn backup(root: &Path, number: usize) -> PathBuf {
    root.join(format!("backup-{number}"))
}

/// A database that was restored.
pub(crate) fn restored(root: &Path, number: usize) -> PathBuf {
    root.join(format!("restored-{number}"))
}

/// Returns whether an error says what failed, and is not that of a caller.
pub(crate) fn is_typed(error: &Error) -> bool {
    matches!(
        error,
        Error::Io { .. }
            | Error::Catalog { .. }
            | Error::Poisoned
            | Error::LoadFailed { .. }
            | Error::OverLimit { .. }
            | Error::Missing { .. }
            | Error::BeyondRepair { .. }
            | Error::AlreadyExists { .. }
    )
}
