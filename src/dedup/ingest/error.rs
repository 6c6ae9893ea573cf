//! Errors that end a load.

use std::fmt;
use std::path::PathBuf;

use nddb_archive::ArchiveError;
use nddb_page::sketch::RecipeError;

/// The reasons why documents cannot be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// An input does not exist, or cannot be read.
    Archive(ArchiveError),
    /// The recipe of the database is unknown.
    Recipe(RecipeError),
    /// An input has pages or texts, and the database takes only the fingerprints of another program.
    Page {
        /// The input.
        path: PathBuf,
        /// The reason.
        reason: RecipeError,
    },
    /// A table of sketches was made by a recipe other than the database's.
    OtherRecipe {
        /// The table.
        path: PathBuf,
        /// The recipe of the database.
        database: String,
        /// The recipe of the sketches.
        sketches: String,
    },
    /// An error of the database.
    Store(nddb_index::Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Archive(error) => error.fmt(f),
            LoadError::Recipe(error) => write!(f, "the database's recipe cannot be used: {error}"),
            LoadError::Page { path, reason } => write!(f, "{}: it has texts: {reason}", path.display()),
            LoadError::OtherRecipe { path, database, sketches } => {
                let path = path.display();
                write!(f, "{path}: its sketches are of the recipe '{sketches}', and the database is of '{database}'")
            }
            LoadError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LoadError::Archive(error) => error.source(),
            LoadError::Recipe(_) | LoadError::Page { .. } | LoadError::OtherRecipe { .. } => None,
            LoadError::Store(error) => error.source(),
        }
    }
}

impl From<ArchiveError> for LoadError {
    fn from(error: ArchiveError) -> Self {
        LoadError::Archive(error)
    }
}

impl From<RecipeError> for LoadError {
    fn from(error: RecipeError) -> Self {
        LoadError::Recipe(error)
    }
}

impl From<nddb_index::Error> for LoadError {
    fn from(error: nddb_index::Error) -> Self {
        LoadError::Store(error)
    }
}
