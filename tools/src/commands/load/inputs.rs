//! The inputs of a load: found, known again, and opened where an earlier load left them.

use std::ffi::OsString;
use std::path::Path;

use nddb::Writer;
use nddb::archive::{self, ArchiveError, ArchiveIdentity, Format, Input, Located, Options, ResumePoint};
use nddb_format::record::Archive;

use crate::failure::Result;
use crate::inputs::size;

/// An input, and what is known of it.
pub(super) struct Source {
    located: Located,
    /// Bytes of the file, 0 if that is not known.
    pub(super) size: u64,
    /// The archive's number and progress, for what can be read again later.
    pub(super) archive: Option<(u32, Archive)>,
    /// An earlier load has read all of it.
    pub(super) is_finished: bool,
}

/// All inputs of a command.
pub(super) struct Sources {
    pub(super) all: Vec<Source>,
    pub(super) options: Options,
    pub(super) progress: Progress,
}

/// Whether the progress of an earlier load counts, and that of this one is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Both.
    Kept,
    /// Neither: a pending batch may be cancelled, and what it had read would be missing.
    Ignored,
}

/// Lists the inputs that the arguments stand for. A path that is not there is an error before anything is
/// done.
pub(super) fn expand(given: &[OsString]) -> Result<Vec<Located>> {
    Ok(archive::expand(given)?)
}

impl Sources {
    /// Registers the archives, and finds out which of them have been loaded. If all have, or with
    /// `again`, they are read from the start: who loads the same again wants to know that it is there.
    pub(super) fn look_at(
        located: Vec<Located>,
        options: &Options,
        progress: Progress,
        again: bool,
        writer: &mut Writer,
    ) -> Result<Sources> {
        // One that cannot be read will be met again, and told, when it is opened.
        let identities: Vec<Option<ArchiveIdentity>> = located
            .iter()
            .map(|located| is_archive(located, options).then(|| archive::identity(&located.path).ok()).flatten())
            .collect();
        let unread = identities.iter().flatten().map(|identity| identity.clone().unread(options));
        let mut archives = writer.archives(unread.collect(), &|path| !Path::new(path).exists())?.into_iter();
        let source = |(located, identity): (Located, Option<ArchiveIdentity>)| {
            let archive = identity.and_then(|_| archives.next());
            let is_finished = archive.as_ref().is_some_and(|(_, archive)| archive.finished);
            Source { size: size(&located.path), located, archive, is_finished }
        };
        let mut all: Vec<Source> = located.into_iter().zip(identities).map(source).collect();
        let again = again || progress == Progress::Ignored;
        if again || all.iter().all(|source| source.is_finished || source.archive.is_none()) {
            for source in &mut all {
                source.start_over();
            }
        }
        Ok(Sources { all, options: options.clone(), progress })
    }

    /// Number of archives that are passed over.
    pub(super) fn passed_over(&self) -> u64 {
        self.all.iter().filter(|source| source.is_finished).count() as u64
    }

    /// Bytes of all files.
    pub(super) fn size(&self) -> u64 {
        self.all.iter().map(|source| source.size).sum()
    }

    /// Whether the user says that all are bare fingerprints, or their names do.
    pub(super) fn are_fingerprints(&self) -> bool {
        self.all.iter().all(|source| is_raw(&source.located.path, &self.options))
    }
}

impl Source {
    fn start_over(&mut self) {
        self.is_finished = false;
        if let Some((_, archive)) = &mut self.archive {
            (archive.finished, archive.offset, archive.inner, archive.documents) = (false, 0, 0, 0);
        }
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.located.path
    }

    /// Opens the input where an earlier load left it.
    pub(super) fn open(&self, options: &Options) -> Result<Input, ArchiveError> {
        match &self.archive {
            Some((_, archive)) if (archive.offset, archive.inner) != (0, 0) => {
                self.located.open_at(options, ResumePoint { offset: archive.offset, inner: archive.inner })
            }
            _ => self.located.open(options),
        }
    }
}

/// Whether a file is worth remembering. Raw fingerprints are not: their ids depend on the command, there
/// is nothing to read again, and they load fast. Neither is a stream.
fn is_archive(located: &Located, options: &Options) -> bool {
    located.path.is_file() && !is_raw(&located.path, options)
}

fn is_raw(path: &Path, options: &Options) -> bool {
    let name = path.to_string_lossy();
    let bare = [".gz", ".zst", ".zstd"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    match options.format {
        Format::U64le | Format::Tsv => true,
        Format::Auto => [".u64le", ".u64", ".tsv"].iter().any(|ending| bare.ends_with(ending)),
        _ => false,
    }
}
