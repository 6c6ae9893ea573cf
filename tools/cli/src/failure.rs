//! Errors of commands and their exit codes.

use std::io;
use std::path::Path;

use nddb::archive::ArchiveError;
use nddb::ingest::LoadError;
use nddb::sketch::RecipeError;
use nddb_evaluate::PlotError;
use nddb_format::FormatError;
use nddb_jobs::JobError;
pub(crate) use nddb_jobs::chain;
use nddb_jobs::output::OutputError;

use crate::advice;

/// A `Result` of this crate.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// The exit codes. Their numbers are documented, because scripts compare them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// Everything is done.
    Done = 0,
    /// The command failed; for `query -q`: nothing was found.
    Failed = 1,
    /// The command line is invalid.
    Usage = 2,
    /// Done, but some input was skipped or not stored.
    SomeSkipped = 3,
    /// There is no such database.
    NoDatabase = 10,
    /// Another process writes to the database.
    Locked = 11,
    /// Another format version, or another recipe.
    Mismatch = 12,
    /// Damage was found.
    Damage = 13,
    /// Not enough memory, disk or document numbers.
    OverLimit = 14,
    /// Stopped by the user; the same command continues the work.
    Interrupted = 130,
}

impl Code {
    /// The code of an error of the system while something is written.
    fn of_io(kind: io::ErrorKind) -> Self {
        match kind {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Self::OverLimit,
            _ => Self::Failed,
        }
    }
}

/// Why a command ends early.
#[derive(Debug)]
pub enum Failure {
    /// The reader of stdout has closed it.
    Pipe,
    /// Something to tell the user.
    Told(Box<Told>),
}

/// An error in words.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    /// The exit code.
    pub code: Code,
    /// The error and the chain of its causes.
    pub message: String,
    /// What the user can do.
    pub hint: Option<String>,
}

impl Told {
    /// An error without a hint.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    /// Adds a hint: what the user can do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Failure {
    /// Returns an error with the exit code 1.
    pub fn failed(message: impl Into<String>) -> Self {
        Told::new(Code::Failed, message).into()
    }

    /// Returns the error that the command line is invalid.
    pub fn usage(message: impl Into<String>) -> Self {
        Told::new(Code::Usage, message).into()
    }

    /// Returns the error that reading an input failed.
    pub fn reading(path: &Path, error: &io::Error) -> Self {
        Self::failed(format!("{}: cannot be read: {error}", path.display()))
    }

    /// Returns the error that writing an output failed.
    pub fn writing(name: &str, error: &io::Error) -> Self {
        Self::not_written(error.kind(), format!("{name}: cannot be written: {error}"))
    }

    /// Returns the error that writing an output failed; the output's name is in `error`.
    pub fn unwritten(error: &io::Error) -> Self {
        Self::not_written(error.kind(), error.to_string())
    }

    /// Returns the error that writing failed, of an output that names itself in its errors.
    pub fn passed(error: io::Error) -> Self {
        error.downcast::<OutputError>().map_or_else(|error| Self::unwritten(&error), |error| Self::output(&error))
    }

    /// Returns the error that an output is refused, or cannot be written.
    pub fn output(error: &OutputError) -> Self {
        let code = match error {
            OutputError::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => return Self::Pipe,
            OutputError::Io { source, .. } => Code::of_io(source.kind()),
            OutputError::Busy { .. } => Code::Locked,
            _ => Code::Usage,
        };
        Told { code, message: error.to_string(), hint: error.hint() }.into()
    }

    fn not_written(kind: io::ErrorKind, message: String) -> Self {
        match (kind, Code::of_io(kind)) {
            (io::ErrorKind::BrokenPipe, _) => Self::Pipe,
            (io::ErrorKind::FileTooLarge, code) => {
                Told::new(code, message).hint("raise the limit of the size of files ('ulimit -f')").into()
            }
            (_, code @ Code::OverLimit) => {
                Told::new(code, message).hint("free some space, then run the same command again").into()
            }
            (_, code) => Told::new(code, message).into(),
        }
    }

    /// Adds the path of the file or folder to the message.
    pub fn about(mut self, path: &Path) -> Self {
        if let Self::Told(told) = &mut self {
            told.message = format!("{}: {}", path.display(), told.message);
        }
        self
    }

    /// Returns the error that a file breaks the format.
    pub fn format(path: &Path, error: &FormatError) -> Self {
        let code = match error {
            FormatError::Version { .. } => Code::Mismatch,
            FormatError::Magic { .. } => Code::Failed,
            _ => Code::Damage,
        };
        Told::new(code, format!("{}: {error}", path.display())).into()
    }
}

impl From<Told> for Failure {
    fn from(told: Told) -> Self {
        Failure::Told(Box::new(told))
    }
}

impl From<nddb::Error> for Failure {
    fn from(error: nddb::Error) -> Self {
        use nddb::Error as E;
        let code = match &error {
            E::NotADatabase { .. } | E::NotABackup { .. } => Code::NoDatabase,
            E::Locked { .. } => Code::Locked,
            E::Newer { .. } | E::Mismatch { .. } | E::Method { .. } => Code::Mismatch,
            E::Corrupt { .. } | E::Inconsistent { .. } | E::DamagedBackup { .. } | E::Catalog { damaged: true, .. } => {
                Code::Damage
            }
            E::Missing { .. } | E::BeyondRepair { .. } => Code::Damage,
            E::OutOfRange { .. } | E::SameDatabase { .. } => Code::Usage,
            E::OutOfNumbers { .. } => Code::OverLimit,
            error if error.is_over_limit() => Code::OverLimit,
            E::Cancelled => Code::Interrupted,
            _ => Code::Failed,
        };
        let hint = error.next_step().map(|step| advice::next_step(&step)).or_else(|| match &error {
            E::Io { source, path, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some(format!("look at who owns {}, and as whom you run", path.display()))
            }
            E::Method { why, .. } if !why.contains("recipes that fit") => {
                Some("choose another --method; 'nddb help methods' lists them".into())
            }
            E::Method { .. } => Some(
                "choose another --method, or make a database of a recipe that fits ('nddb create --recipe NAME') and \
                 load the documents again"
                    .into(),
            ),
            _ => None,
        });
        Told { code, message: chain(&error), hint }.into()
    }
}

impl From<JobError> for Failure {
    fn from(error: JobError) -> Self {
        let hint = error.advice().and_then(advice::words);
        match error {
            JobError::Store(error) => error.into(),
            JobError::Listed { list, source } => Self::from(source).about(&list),
            JobError::Archive(error) => error.into(),
            JobError::Load(error) => error.into(),
            JobError::Output(error) => Self::output(&error),
            JobError::Options { message, .. } => Told { code: Code::Usage, message, hint }.into(),
            JobError::Mismatch { message, .. } => Told { code: Code::Mismatch, message, hint }.into(),
            JobError::Input { message, .. } => Told { code: Code::Failed, message, hint }.into(),
            error => Self::failed(chain(&error)),
        }
    }
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        let hint = advice::of_input(&error).map(Into::into);
        Told { code: Code::Failed, message: chain(&error), hint }.into()
    }
}

impl From<PlotError> for Failure {
    fn from(error: PlotError) -> Self {
        Self::failed(chain(&error))
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Archive(error) => error.into(),
            LoadError::Store(error) => error.into(),
            LoadError::Recipe(error) => unusable_recipe(&error),
            error @ LoadError::Page { .. } => Told::new(Code::Mismatch, chain(&error)).into(),
            error @ LoadError::OtherRecipe { .. } => Told::new(Code::Mismatch, chain(&error))
                .hint("load them into a database of their recipe ('nddb create --recipe NAME'), or sketch the pages again")
                .into(),
            error => Self::failed(chain(&error)),
        }
    }
}

/// Returns the error that this version cannot use the recipe of a database.
pub(crate) fn unusable_recipe(error: &RecipeError) -> Failure {
    if error.takes_fingerprints() {
        return Told::new(Code::Mismatch, error.to_string()).into();
    }
    let hint = "use the nddb that made the database, or another database";
    Told::new(Code::Mismatch, format!("the database's recipe cannot be used: {error}")).hint(hint).into()
}
