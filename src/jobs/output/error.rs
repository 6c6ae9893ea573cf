//! Why an output is not written.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why an output is not written. `option` is what named it on the command line.
#[derive(Debug)]
#[non_exhaustive]
pub enum OutputError {
    /// The run reads it.
    Input {
        /// The output.
        path: PathBuf,
        /// What named it.
        option: String,
        /// As what the run reads it.
        read_as: String,
    },
    /// Another output of the run goes there.
    Twice {
        /// The output.
        path: PathBuf,
        /// What named it.
        option: String,
        /// What named the other one.
        other: String,
    },
    /// It is in the folder of a database.
    InDatabase {
        /// The output.
        path: PathBuf,
        /// What named it.
        option: String,
        /// The database.
        database: PathBuf,
    },
    /// Its name is that of a lock or a temporary file of this crate.
    Reserved {
        /// The output.
        path: PathBuf,
    },
    /// It is a folder, or named as one, and a file is to be written.
    IsFolder {
        /// The output.
        path: PathBuf,
        /// What named it.
        option: String,
    },
    /// Its name says that it is a file, and a folder is to be made.
    IsFile {
        /// The output.
        path: PathBuf,
        /// What named it.
        option: String,
    },
    /// Its name says a format in which it is not written.
    Ending {
        /// The output.
        path: PathBuf,
        /// The ending that its name has.
        named: &'static str,
        /// The endings of what it can be written as; empty if its format has none.
        instead: Vec<&'static str>,
    },
    /// Its name says a compression by which it is not written.
    Compression {
        /// The output.
        path: PathBuf,
    },
    /// Another run writes it.
    Busy {
        /// The output.
        path: PathBuf,
        /// What the other run says of itself.
        holder: String,
    },
    /// The system refused.
    Io {
        /// The output.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl OutputError {
    /// Returns a function that adds the output to an error of the system.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }

    /// Returns what the user can do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Input { option, .. } | Self::InDatabase { option, .. } => Some(format!("give {option} another name")),
            Self::Twice { option, other, .. } if option == other => Some("write into a folder for each".into()),
            Self::Twice { option, .. } => Some(format!("give {option} another name")),
            Self::Reserved { .. } => Some("choose another name".into()),
            Self::IsFolder { path, .. } => Some(format!("name a file, for instance in {}", path.display())),
            Self::IsFile { path, option } => {
                Some(format!("give {option} {}/ if the folder is to have that name", path.display()))
            }
            Self::Ending { .. } => Some("give another name; an ending that is no format's is allowed".into()),
            Self::Compression { .. } => Some("lines and pages are written with .gz and .zst, or plain".into()),
            Self::Busy { .. } => Some("wait for that process, or choose another output".into()),
            Self::Io { path, source } => io_hint(path, source),
        }
    }
}

fn io_hint(path: &std::path::Path, source: &io::Error) -> Option<String> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match (source.kind(), parent) {
        (io::ErrorKind::NotFound, Some(parent)) if !parent.exists() => {
            Some(format!("there is no folder {0}: make it with 'mkdir -p {0}'", parent.display()))
        }
        (io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem, Some(_)) => Some(
            "an output is written beside its final name: you must be allowed to write in its folder; or write to stdout"
                .into(),
        ),
        (io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded, _) => {
            Some("free some space, then run the same command again".into())
        }
        (io::ErrorKind::FileTooLarge, _) => {
            Some("raise the limit of the size of files ('ulimit -f'), then run the same command again".into())
        }
        _ => None,
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { path, option, read_as } => {
                write!(f, "{}: is {read_as}, and {option} would replace it", path.display())
            }
            Self::Twice { path, option, other } if option == other => {
                write!(f, "{}: two outputs would have this name", path.display())
            }
            Self::Twice { path, option, other } => {
                write!(f, "{}: is the output of {other} and of {option}", path.display())
            }
            Self::InDatabase { path, option, database } => write!(
                f,
                "{}: is in the folder of the database {}, where {option} may not write",
                path.display(),
                database.display()
            ),
            Self::Reserved { path } => {
                write!(f, "{}: is the name of a temporary file of nddb", path.display())
            }
            Self::IsFolder { path, option } => {
                write!(f, "{}: is a folder, and {option} writes a file", path.display())
            }
            Self::IsFile { path, option } => {
                write!(f, "{}: is the name of a file, and {option} needs a folder here", path.display())
            }
            Self::Ending { path, named, instead } => {
                write!(f, "{}: its name says {named}, and it is ", path.display())?;
                match &instead[..] {
                    [] => f.write_str("not written so"),
                    [one] => write!(f, "written as {one}"),
                    [most @ .., last] => write!(f, "written as {} or {last}", most.join(", ")),
                }
            }
            Self::Compression { path } => {
                write!(f, "{}: cannot be compressed as its name says", path.display())
            }
            Self::Busy { path, holder } => {
                write!(f, "{}: is being written by another command: {holder}", path.display())
            }
            Self::Io { path, source } => write!(f, "{}: cannot be written: {source}", path.display()),
        }
    }
}

impl Error for OutputError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Its text is in the message.
            Self::Io { source, .. } => source.source(),
            _ => None,
        }
    }
}
