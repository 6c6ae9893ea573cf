//! Why an output is not written.

use std::io;
use std::path::PathBuf;

/// Why an output is not written. `option` is what named it on the command line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The run reads it.
    #[error("{}: is {read_as}, and {option} would replace it", path.display())]
    Input {
        /// The output.
        path: PathBuf,
        /// What named it.
        option: String,
        /// As what the run reads it.
        read_as: String,
    },
    /// Another output of the run goes there.
    #[error("{}: {}", path.display(), twice(option, other))]
    Twice {
        /// The output.
        path: PathBuf,
        /// What named it.
        option: String,
        /// What named the other one.
        other: String,
    },
    /// It is in the folder of a database.
    #[error("{}: is in the folder of the database {}, where {option} may not write", path.display(), database.display())]
    InDatabase {
        /// The output.
        path: PathBuf,
        /// What named it.
        option: String,
        /// The database.
        database: PathBuf,
    },
    /// Its name is that of a lock or a temporary file of this crate.
    #[error("{}: is the name of a temporary file of nddb", path.display())]
    Reserved {
        /// The output.
        path: PathBuf,
    },
    /// It is a folder, or named as one, and a file is to be written.
    #[error("{}: is a folder, and {option} writes a file", path.display())]
    IsFolder {
        /// The output.
        path: PathBuf,
        /// What named it.
        option: String,
    },
    /// Its name says that it is a file, and a folder is to be made.
    #[error("{}: is the name of a file, and {option} needs a folder here", path.display())]
    IsFile {
        /// The output.
        path: PathBuf,
        /// What named it.
        option: String,
    },
    /// Its name says a format in which it is not written.
    #[error("{}: its name says {named}, and it is {}", path.display(), written(instead))]
    Ending {
        /// The output.
        path: PathBuf,
        /// The ending that its name has.
        named: &'static str,
        /// The endings of what it can be written as; empty if its format has none.
        instead: Vec<&'static str>,
    },
    /// Its name says a compression by which it is not written.
    #[error("{}: cannot be compressed as its name says", path.display())]
    Compression {
        /// The output.
        path: PathBuf,
    },
    /// Another run writes it.
    #[error("{}: is being written by another command: {holder}", path.display())]
    Busy {
        /// The output.
        path: PathBuf,
        /// What the other run says of itself.
        holder: String,
    },
    /// The system refused.
    #[error("{}: cannot be written: {source}", path.display())]
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

fn twice(option: &str, other: &str) -> String {
    match option == other {
        true => "two outputs would have this name".into(),
        false => format!("is the output of {other} and of {option}"),
    }
}

/// Says as what an output is written.
fn written(instead: &[&str]) -> String {
    match instead {
        [] => "not written so".into(),
        [one] => format!("written as {one}"),
        [most @ .., last] => format!("written as {} or {last}", most.join(", ")),
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
