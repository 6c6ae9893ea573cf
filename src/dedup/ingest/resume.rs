//! The inputs of a load: found, identified, and opened at their resume points.

use std::path::Path;

use nddb_format::record::Archive;

use nddb_archive::{self as archive, ArchiveError, ArchiveIdentity, Format, Input, Located, Options, ResumePoint};
use nddb_index::Writer;

/// An input and its state in the database.
pub(super) struct LoadInput {
    located: Located,
    /// Bytes of the file, 0 if not known.
    pub(super) size: u64,
    /// The archive's number and progress, for files that can be read again later.
    pub(super) archive: Option<(u32, Archive)>,
    /// Whether an earlier load has read all of it.
    pub(super) is_finished: bool,
}

/// The inputs of a load.
pub(super) struct Sources {
    pub(super) all: Vec<LoadInput>,
    pub(super) options: Options,
    /// Whether the progress of earlier loads is used, and the progress of this load stored. `false` for a pending
    /// batch: if the batch were cancelled, its archives would remain marked as read.
    pub(super) keeps_progress: bool,
}

impl Sources {
    /// Registers the archives, and looks up which of them have been loaded. If all have been loaded, or with `again`,
    /// they are read from the start: a caller who loads the same archives again wants to know that they are stored.
    pub(super) fn look_up(
        located: Vec<Located>,
        options: Options,
        again: bool,
        writer: &mut Writer,
    ) -> nddb_index::Result<Sources> {
        // An input that cannot be read is reported when it is opened.
        let path = |located| is_archive(located, &options).then_some(&*located.path);
        let identities = archive::identities(&located.iter().map(path).collect::<Vec<_>>());
        let of = |(located, identity): (&Located, &Option<ArchiveIdentity>)| {
            Some(identity.clone()?.into_archive(&options, located.ranges.as_ref()))
        };
        let archives = located.iter().zip(&identities).filter_map(of);
        let mut archives = writer.archives(archives.collect(), &is_gone)?.into_iter();
        let source = |(located, identity): (Located, Option<ArchiveIdentity>)| {
            let archive = identity.and_then(|_| archives.next());
            let is_finished = archive.as_ref().is_some_and(|(_, archive)| archive.finished);
            LoadInput { size: located.size(), located, archive, is_finished }
        };
        let mut all: Vec<LoadInput> = located.into_iter().zip(identities).map(source).collect();
        let keeps_progress = !writer.is_pending();
        let again = again || !keeps_progress;
        if again || all.iter().all(|source| source.is_finished || source.archive.is_none()) {
            for source in &mut all {
                source.start_over();
            }
        }
        Ok(Sources { all, options, keeps_progress })
    }

    /// Returns the number of archives that are passed over.
    pub(super) fn passed_over(&self) -> u64 {
        self.all.iter().filter(|source| source.is_finished).count() as u64
    }

    /// Returns the bytes of all files.
    pub(super) fn size(&self) -> u64 {
        self.all.iter().map(|source| source.size).sum()
    }

    /// Returns whether all inputs are bare fingerprints, by the options or by their names.
    pub(super) fn are_fingerprints(&self) -> bool {
        self.all.iter().all(|source| source.is_raw(&self.options))
    }
}

impl LoadInput {
    fn start_over(&mut self) {
        self.is_finished = false;
        self.archive = self.archive.take().map(|(number, archive)| (number, archive.again()));
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.located.path
    }

    /// Returns whether it has raw fingerprints, by the options or by its name.
    pub(super) fn is_raw(&self, options: &Options) -> bool {
        is_raw(self.path(), options)
    }

    /// Returns the point where an earlier load of the archive stopped, and the number of documents before that point;
    /// `None` if no earlier load read a part of the archive.
    fn begun(&self) -> Option<(ResumePoint, u64)> {
        let (_, archive) = self.archive.as_ref()?;
        let point = ResumePoint { offset: archive.offset, inner: archive.inner };
        (point != ResumePoint::default()).then_some((point, archive.documents))
    }

    /// Returns the number of documents that an earlier load has read, if it has read a part of the archive.
    pub(super) fn documents_before(&self) -> Option<u64> {
        self.begun().map(|(_, documents)| documents)
    }

    /// Opens the input at its resume point.
    pub(super) fn open(&self, options: &Options) -> Result<Input, ArchiveError> {
        match self.begun() {
            Some((point, _)) => self.located.open_at(options, point),
            None => self.located.open(options),
        }
    }
}

/// Returns whether an archive is no longer where it was read. A remote one is not asked for.
fn is_gone(path: &str) -> bool {
    let path = archive::path_of(path);
    !archive::is_remote(&path) && !path.exists()
}

/// Returns whether a file is registered as an archive. Streams are not. Neither are raw fingerprints: their ids depend
/// on the command, they have no texts to read again, and they load fast.
fn is_archive(located: &Located, options: &Options) -> bool {
    located.is_file() && !is_raw(&located.path, options)
}

fn is_raw(path: &Path, options: &Options) -> bool {
    let format = Some(options.format).filter(|&format| format != Format::Auto).or_else(|| Format::of_name(path));
    // If the file has a header of columns, its rows are documents.
    let has_header = || Input::open(path, options).is_ok_and(|input| !input.format().is_raw());
    format.is_some_and(|format| format.is_raw() && !(format == Format::Tsv && archive::is_file(path) && has_header()))
}
