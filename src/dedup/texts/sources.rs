//! Positions of documents in their archives, and reading the texts there.

use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;
use std::path::PathBuf;

use fixedbitset::FixedBitSet;
use nddb_archive as archive;
use nddb_archive::{ArchiveError, EntryContent, Input, Options, PageEntry, Position, ResumePoint, read_page};
use nddb_index::spill::mapped_rows::{MappedRows, MappedRowsWriter};
use nddb_index::spill::progress::Ticker;
use nddb_index::spill::resources::Resources;
use nddb_index::spill::sort::Sorter;
use nddb_index::{Error, Result, View};
use nddb_page::sketch::Recipe;

use crate::collection::{Collection, Places};
use crate::online::has_digest;
use crate::text_scope::TextScope;
use crate::text_summary::UnreadTexts;

/// Documents between two reports of progress.
const REPORT: u64 = 1 << 8;
/// If only one document in this many of an archive is requested, documents with a compressed member of their own are
/// read one by one.
const SPARSE: u64 = 16;

/// Returns whether an error says that there is no such file.
fn is_absence(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory)
}

/// Positions of the documents of a collection in their archives.
pub struct TextSources {
    /// Archive number plus 1 (0 if none), offset, and offset in the data decompressed from there; in the order of
    /// document numbers.
    sources: MappedRows<3>,
    places: Places,
    archives: BTreeMap<u32, Archive>,
    /// The part of a page that is read as its text.
    part: TextScope,
    /// Of documents in archives that may have been modified, the stored digests, by ordinal; and what computes them.
    digests: HashMap<u32, Option<[u8; 16]>>,
    recipe: Option<Recipe>,
}

struct Archive {
    path: PathBuf,
    /// Options with which the archive was loaded.
    options: Options,
    /// Whether the archive is present and unchanged.
    state: ArchiveState,
    documents: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArchiveState {
    Sound,
    /// It has its size and its ends, but another time of modification: each page is compared with its digest.
    Doubtful,
    Remote,
    Moved,
    Refused,
    Changed,
}

/// Reason why a text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    NoSource,
    Remote,
    Moved,
    Refused,
    Changed,
    Damaged,
}

impl UnreadTexts {
    fn count(&mut self, why: Why, documents: u64) {
        match why {
            Why::NoSource => self.without_source += documents,
            Why::Remote => self.remote += documents,
            Why::Moved => self.moved += documents,
            Why::Refused => self.refused += documents,
            Why::Changed => self.changed += documents,
            Why::Damaged => self.damaged += documents,
        }
    }
}

impl TextSources {
    /// Reads the positions of the documents of a collection built from this view, and checks the archives.
    pub fn new(
        view: View<'_>,
        collection: &Collection,
        part: Option<TextScope>,
        resources: &Resources,
        ticker: &Ticker<'_>,
    ) -> Result<Self> {
        Self::within_reach(view, collection, part, true, resources, ticker)
    }

    /// Like [`TextSources::new`]; archives in stores and on servers count as unreadable unless `remote`.
    pub(crate) fn within_reach(
        view: View<'_>,
        collection: &Collection,
        part: Option<TextScope>,
        remote: bool,
        resources: &Resources,
        ticker: &Ticker<'_>,
    ) -> Result<Self> {
        let mut archives = BTreeMap::new();
        for (number, known) in view.archives()? {
            let path = archive::path_of(&known.path);
            let is_beyond = !remote && archive::is_remote(&path);
            let state = match (!is_beyond).then(|| archive::identity(&path)) {
                None => ArchiveState::Remote,
                Some(Ok(found)) if found.is_of(&known) && found.is_unmodified(&known) => ArchiveState::Sound,
                Some(Ok(found)) if found.is_of(&known) => ArchiveState::Doubtful,
                Some(Ok(_)) => ArchiveState::Changed,
                Some(Err(ArchiveError::Io { source, .. })) if source.kind() == ErrorKind::PermissionDenied => {
                    ArchiveState::Refused
                }
                // A disk that fails is no archive that is gone.
                Some(Err(ArchiveError::Io { action, path, source }))
                    if !archive::is_remote(&path) && !is_absence(source.kind()) =>
                {
                    return Err(Error::Io { action, path, source });
                }
                Some(Err(_)) => ArchiveState::Moved,
            };
            let options = Options::from_reading(known.reading.as_ref());
            // If only ranges of an archive were read, its documents are looked up one by one, however many there are.
            let is_selected = archive::is_selected(known.reading.as_ref());
            let documents = if is_selected { u64::MAX } else { known.documents };
            archives.insert(number, Archive { path, options, state, documents });
        }
        ticker.start("read where texts stand", Some(collection.len().into()), "documents")?;
        let (mut sources, mut by_number) = (MappedRowsWriter::<3>::new(&resources.folder)?, collection.by_number());
        let mut digests = HashMap::new();
        view.each_record(true, &mut |number, _, record, _| {
            if let Some(ordinal) = by_number(number) {
                let archive = record.source.as_ref().and_then(|source| archives.get(&source.archive));
                if archive.is_some_and(|archive| archive.state == ArchiveState::Doubtful) {
                    digests.insert(ordinal, record.digest);
                }
                let source = record.source.map(|source| [u64::from(source.archive) + 1, source.offset, source.inner]);
                sources.push(&source.unwrap_or_default())?;
            }
            Ok(())
        })?;
        let part = part.unwrap_or_else(|| TextScope::of(view));
        let recipe = Recipe::of_any_version(&view.settings().recipe);
        let (sources, places) = (sources.finish()?, collection.places().clone());
        Ok(Self { sources, places, archives, part, digests, recipe })
    }

    /// Returns the archive of a document and the position of the document in that archive.
    fn index(&self, ordinal: u32) -> Result<(&Archive, ResumePoint), Why> {
        let [archive, offset, inner] = self.sources.get(self.places.of(ordinal)).unwrap_or_default();
        let number = archive.checked_sub(1).ok_or(Why::NoSource)?;
        let archive = self.archives.get(&(number as u32)).ok_or(Why::NoSource)?;
        match archive.state {
            ArchiveState::Sound | ArchiveState::Doubtful => Ok((archive, ResumePoint { offset, inner })),
            ArchiveState::Remote => Err(Why::Remote),
            ArchiveState::Moved => Err(Why::Moved),
            ArchiveState::Refused => Err(Why::Refused),
            ArchiveState::Changed => Err(Why::Changed),
        }
    }

    /// Returns whether any of the wanted documents can be read; if none is wanted, whether any archive can.
    pub(crate) fn is_readable(&self, wanted: &FixedBitSet) -> bool {
        if wanted.is_clear() {
            return self
                .archives
                .values()
                .any(|archive| matches!(archive.state, ArchiveState::Sound | ArchiveState::Doubtful));
        }
        wanted.ones().any(|ordinal| self.index(ordinal as u32).is_ok())
    }

    /// Returns the text of one document; `None` if unreadable. In a compressed stream, all preceding data is read too.
    pub fn text(&self, ordinal: u32) -> Option<String> {
        self.page(ordinal).map(|entry| self.part.text_of(&entry))
    }

    /// Returns the part of a page that is read as its text.
    pub(super) fn part(&self) -> TextScope {
        self.part
    }

    /// Returns the page of one document; `None` if unreadable. See [`TextSources::text`].
    pub fn page(&self, ordinal: u32) -> Option<PageEntry> {
        self.look_up(ordinal).ok()
    }

    fn look_up(&self, ordinal: u32) -> Result<PageEntry, Why> {
        self.read_at(ordinal).and_then(|page| self.checked(ordinal, page))
    }

    /// Reads the page at the position of a document.
    fn read_at(&self, ordinal: u32) -> Result<PageEntry, Why> {
        let (archive, ResumePoint { offset, inner }) = self.index(ordinal)?;
        let page = read_page(&archive.path, &Position { offset, inner, length: 0 }, &archive.options);
        page.map_err(|_| Why::Damaged)
    }

    /// Refuses the page of a document if another one is stored.
    fn checked(&self, ordinal: u32, page: PageEntry) -> Result<PageEntry, Why> {
        let Some(digest) = self.digests.get(&ordinal) else { return Ok(page) };
        let is_stored = self.recipe.as_ref().is_some_and(|recipe| has_digest(&page, *digest, recipe));
        if is_stored { Ok(page) } else { Err(Why::Changed) }
    }

    /// Reads all requested documents in archive order and passes the text of each to `visit`. Returns the number of
    /// documents that could not be read, by reason.
    pub fn each(
        &self,
        wanted: &FixedBitSet,
        resources: &Resources,
        ticker: &Ticker<'_>,
        visit: &mut dyn FnMut(u32, &str) -> Result<()>,
    ) -> Result<UnreadTexts> {
        self.each_page(wanted, resources, ticker, &mut |ordinal, page| visit(ordinal, &self.part.text_of(&page)))
    }

    /// Reads all requested documents in archive order and passes the page of each to `visit`. Returns the number of
    /// documents that could not be read, by reason.
    pub fn each_page(
        &self,
        wanted: &FixedBitSet,
        resources: &Resources,
        ticker: &Ticker<'_>,
        visit: &mut dyn FnMut(u32, PageEntry) -> Result<()>,
    ) -> Result<UnreadTexts> {
        let (mut unread, mut len) = (UnreadTexts::default(), 0);
        let mut sorter = Sorter::<4>::new(&resources.folder, resources.memory_limit / 4);
        for ordinal in (0..self.sources.len() as u32).filter(|&ordinal| wanted.contains(ordinal as usize)) {
            match self.index(ordinal) {
                Ok((_, index)) => {
                    let [archive, ..] = self.sources.row(self.places.of(ordinal));
                    sorter.push([archive - 1, index.offset, index.inner, ordinal.into()])?;
                    len += 1;
                }
                Err(why) => unread.count(why, 1),
            }
        }
        ticker.start("read texts", Some(len), "documents")?;
        let (mut run, mut rows) = (None, Vec::new());
        let mut end = |number: u32, rows: &mut Vec<[u64; 3]>| {
            let outcome = match self.archives.get(&number) {
                Some(archive) => self.archive(archive, rows, ticker, &mut unread, visit),
                None => Ok(()),
            };
            rows.clear();
            outcome
        };
        sorter.finish().each(&mut |sorted| {
            for &[archive, offset, inner, ordinal] in sorted {
                if let Some(before) = run.replace(archive).filter(|&before| before != archive) {
                    end(before as u32, &mut rows)?;
                }
                rows.push([offset, inner, ordinal]);
            }
            Ok(())
        })?;
        if let Some(last) = run {
            end(last as u32, &mut rows)?;
        }
        Ok(unread)
    }

    /// Reads the documents of one archive at these positions, ascending. Counts those that cannot be read.
    fn archive(
        &self,
        archive: &Archive,
        rows: &[[u64; 3]],
        ticker: &Ticker<'_>,
        unread: &mut UnreadTexts,
        visit: &mut dyn FnMut(u32, PageEntry) -> Result<()>,
    ) -> Result<()> {
        let (mut read, mut changed) = (0, 0);
        let mut take = |ordinal: u64, page: PageEntry| {
            read += 1;
            if read % REPORT == 0 {
                ticker.add(REPORT)?;
            }
            match self.checked(ordinal as u32, page) {
                Ok(page) => visit(ordinal as u32, page),
                Err(_) => {
                    changed += 1;
                    Ok(())
                }
            }
        };
        let mut input = match begin(archive, rows) {
            Ok(input) => input,
            Err(_) => {
                unread.count(Why::Damaged, rows.len() as u64);
                return Ok(());
            }
        };
        let is_sparse = rows.len() as u64 * SPARSE < archive.documents && rows.iter().all(|row| row[1] == 0);
        if is_sparse && !input.skips() {
            for &[.., ordinal] in rows {
                if let Ok(page) = self.read_at(ordinal as u32) {
                    take(ordinal, page)?;
                }
            }
        } else {
            let mut rest = rows;
            // Documents beyond the point where the archive is unreadable count as missing.
            while let Some(&[offset, inner, _]) = rest.first()
                && input.skip_to(ResumePoint { offset, inner }).is_ok()
                && let Ok(Some(entry)) = input.next()
            {
                let here = (entry.position.offset, entry.position.inner);
                rest = &rest[rest.partition_point(|row| (row[0], row[1]) < here)..];
                if let Some(&[offset, inner, ordinal]) = rest.first()
                    && (offset, inner) == here
                    && let EntryContent::Page(page) = entry.content
                {
                    rest = &rest[1..];
                    take(ordinal, page)?;
                }
            }
        }
        unread.count(Why::Damaged, rows.len() as u64 - read);
        unread.count(Why::Changed, changed);
        Ok(())
    }
}

/// Opens an archive at its beginning, or at the first requested document if that begins a compressed member.
fn begin(archive: &Archive, rows: &[[u64; 3]]) -> Result<Input, ArchiveError> {
    match rows.first() {
        Some(&[offset, 0, _]) if offset > 0 => {
            Input::open_at(&archive.path, &archive.options, ResumePoint { offset, inner: 0 })
        }
        _ => Input::open(&archive.path, &archive.options),
    }
}
