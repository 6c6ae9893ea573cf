//! The inputs of a load: found, known again, and opened where an earlier load left them.

use std::path::Path;

use nddb_format::record::Archive;

use crate::archive::{self, ArchiveError, ArchiveIdentity, Format, Input, Located, Options, ResumePoint};
use crate::store::Writer;

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

/// All inputs of a load.
pub(super) struct Sources {
    pub(super) all: Vec<Source>,
    pub(super) options: Options,
    /// Whether the progress of an earlier load counts, and that of this one is kept. Not of a pending batch: it may be
    /// cancelled, and what it had read would be missing.
    pub(super) keeps_progress: bool,
}

impl Sources {
    /// Registers the archives, and finds out which of them have been loaded. If all have, or with `again`, they are read
    /// from the start: who loads the same again wants to know that it is there.
    pub(super) fn look_up(
        located: Vec<Located>,
        options: Options,
        again: bool,
        writer: &mut Writer,
    ) -> crate::Result<Sources> {
        // One that cannot be read is met again, and told, when it is opened.
        let identities: Vec<Option<ArchiveIdentity>> = located
            .iter()
            .map(|located| is_archive(located, &options).then(|| archive::identity(&located.path).ok()).flatten())
            .collect();
        let unread = identities.iter().flatten().map(|identity| identity.clone().unread(&options));
        let mut archives = writer.archives(unread.collect(), &|path| !Path::new(path).exists())?.into_iter();
        let source = |(located, identity): (Located, Option<ArchiveIdentity>)| {
            let archive = identity.and_then(|_| archives.next());
            let is_finished = archive.as_ref().is_some_and(|(_, archive)| archive.finished);
            Source { size: located.size(), located, archive, is_finished }
        };
        let mut all: Vec<Source> = located.into_iter().zip(identities).map(source).collect();
        let keeps_progress = !writer.is_pending();
        let again = again || !keeps_progress;
        if again || all.iter().all(|source| source.is_finished || source.archive.is_none()) {
            for source in &mut all {
                source.start_over();
            }
        }
        Ok(Sources { all, options, keeps_progress })
    }

    /// Returns how many archives are passed over.
    pub(super) fn passed_over(&self) -> u64 {
        self.all.iter().filter(|source| source.is_finished).count() as u64
    }

    /// Returns the bytes of all files.
    pub(super) fn size(&self) -> u64 {
        self.all.iter().map(|source| source.size).sum()
    }

    /// Returns whether the options say that all are bare fingerprints, or their names do.
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

    /// Returns the file.
    pub(super) fn path(&self) -> &Path {
        &self.located.path
    }

    /// Returns whether an earlier load has read some of it.
    pub(super) fn is_begun(&self) -> bool {
        self.archive.as_ref().is_some_and(|(_, archive)| (archive.offset, archive.inner) != (0, 0))
    }

    /// Opens the input where an earlier load left it.
    pub(super) fn open(&self, options: &Options) -> Result<Input, ArchiveError> {
        match &self.archive {
            Some((_, archive)) if self.is_begun() => {
                self.located.open_at(options, ResumePoint { offset: archive.offset, inner: archive.inner })
            }
            _ => self.located.open(options),
        }
    }
}

/// Whether a file is worth remembering. Raw fingerprints are not: their ids depend on the command, there is nothing to
/// read again, and they load fast. Neither is a stream.
fn is_archive(located: &Located, options: &Options) -> bool {
    located.is_file() && !is_raw(&located.path, options)
}

fn is_raw(path: &Path, options: &Options) -> bool {
    let format = Some(options.format).filter(|&format| format != Format::Auto).or_else(|| Format::of_name(path));
    format.is_some_and(Format::is_raw)
}
