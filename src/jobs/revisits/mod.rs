//! Archives in which pages that repeat earlier ones are revisit records.

mod copy;
mod decide;
mod earlier;
mod payload;
mod record;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use nddb_archive::{self as archive, EntryContent, Format, Inputs, Located, Options};
use nddb_index::{Error, Progress, View};

use self::decide::{Decided, Here};
use self::earlier::Earlier;
use self::payload::{Page, Sources};
use crate::error::{Advice, JobError, Result};
use crate::filter::{Archives, Targets, copied_as};
use crate::input;
use crate::output::{Outputs, check_copy};
use crate::packed::Packing;

/// Called from time to time with the progress; returning `false` ends the work.
type Watch<'a> = &'a mut (dyn FnMut(&Progress) -> bool + Send);

/// WARC files to copy with revisit records in place of pages that repeat earlier ones.
#[derive(Debug)]
pub struct Revisits<'a> {
    /// The database into which the files were loaded.
    pub database: &'a Path,
    /// WARC files, and folders of them.
    pub inputs: &'a [PathBuf],
    /// Where the copies go: a file or a folder, by the option that names it.
    pub output: (&'a str, &'a Path),
    /// On how many threads to look up near-duplicates of earlier pages, which then become revisit records, too.
    pub near: Option<usize>,
}

/// Counts of the records and bytes that were copied and replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RevisitsSummary {
    /// Records of the inputs.
    pub records: u64,
    /// Pages that became revisits of identical ones.
    pub identical: u64,
    /// Pages that became revisits of near ones.
    pub near: u64,
    /// Earlier pages that cannot be read from their archives: nothing refers to them.
    pub unreadable: u64,
    /// Pages that the database does not know at their places: they are copied.
    pub not_stored: u64,
    /// Bytes of the inputs.
    pub bytes_in: u64,
    /// Bytes of the outputs.
    pub bytes_out: u64,
}

/// An input.
struct RevisitInput {
    path: PathBuf,
    options: Options,
    packing: Packing,
    /// Its numbers in the database.
    numbers: Vec<u32>,
}

impl Revisits<'_> {
    /// Writes the copies.
    ///
    /// # Errors
    /// An input that is no WARC file, was not loaded, or has several records in one compressed member; an output that
    /// is refused or cannot be written; damage of the database; [`Error::Cancelled`] if `watch` returns `false`.
    pub fn run(&self, view: View<'_>, outputs: &Outputs, watch: Watch<'_>) -> Result<RevisitsSummary> {
        let Inputs { located, .. } = archive::expand(self.inputs, Format::Warc)?;
        let inputs = self.open(&located, view)?;
        let targets = Targets::of(self.inputs, &located, self.output, None, outputs)?;
        for (input, target) in inputs.iter().zip(&targets.kept) {
            check_copy(target.path(), &input.path, Format::Warc)?;
            copied_as(input.packing, target.path(), &input.path)?;
        }
        let (Decided { revisits, unreadable }, not_stored) = self.decide(view, &inputs, watch)?;
        let mut all = RevisitsSummary { unreadable, not_stored, ..RevisitsSummary::default() };
        for (number, (opened, target)) in inputs.iter().zip(&targets.kept).enumerate() {
            let before = all.records;
            let made = copy::copy((number, opened), &revisits, target, &mut |records| {
                tick(watch, "writing", before + records)
            })?;
            all.records += made.records;
            all.identical += made.identical;
            all.near += made.near;
            all.bytes_in += made.bytes_in;
            all.bytes_out += made.bytes_out;
        }
        Ok(all)
    }

    /// Opens the inputs, which must have been loaded.
    fn open(&self, located: &[Located], view: View<'_>) -> Result<Vec<RevisitInput>> {
        let archives = Archives::read(view)?;
        let open = |input: &Located| {
            let path = input.path.clone();
            let name = path.display();
            if path.as_os_str() == "-" {
                return Err(JobError::options("-: the standard input was not loaded: give the file"));
            }
            let options = archives.options(&path);
            let format = input.open(&options)?.format();
            if !matches!(format, Format::Warc | Format::Wet) {
                return Err(JobError::options(format!("{name}: {format} has no revisit records: WARC has")));
            }
            let packing = input::packing(&path)?;
            let numbers = archives.numbers(&path)?;
            if numbers.is_empty() {
                let database = self.database.to_owned();
                let message = format!("{name}: was not loaded into {}, or was modified since", database.display());
                return Err(JobError::input(message).advise(Advice::Load { database, input: path }));
            }
            Ok(RevisitInput { path, options, packing, numbers })
        };
        located.iter().map(open).collect()
    }

    /// Decides what becomes a revisit. Returns the number of pages that the database does not know at their places,
    /// too.
    fn decide(&self, view: View<'_>, inputs: &[RevisitInput], watch: Watch<'_>) -> Result<(Decided, u64)> {
        let numbers =
            inputs.iter().enumerate().flat_map(|(input, opened)| opened.numbers.iter().map(move |&n| (n, input)));
        let numbers: HashMap<u32, usize> = numbers.collect();
        let online = self.near.map(|_| earlier::detector(view)).transpose()?;
        let near = online.as_ref().zip(self.near);
        let earlier = Earlier::read(view, &numbers, near, &mut || tick(watch, "reading the database", 0))?;
        let wanted = decide::wanted(&earlier);
        let (mut pages, mut all) = (HashMap::new(), 0);
        for (number, opened) in inputs.iter().enumerate() {
            all += opened.read(number, &wanted, &mut pages, watch)?;
        }
        let not_stored = all.saturating_sub(earlier.asked.len() as u64);
        Ok((decide::decide(earlier, &pages, &Sources::new(&view.archives()?)), not_stored))
    }
}

impl RevisitInput {
    /// Reads the pages that are wanted; returns the number of all pages.
    fn read(
        &self,
        number: usize,
        wanted: &HashSet<Here>,
        pages: &mut HashMap<Here, Page>,
        watch: Watch<'_>,
    ) -> Result<u64> {
        let mut input = copy::open(&self.path, &self.options)?;
        let (mut records, mut all) = (0, 0);
        while let Some(entry) = input.next()? {
            if entry.position.inner > 0 && self.packing != Packing::Plain {
                let message = format!("{}: its compressed members hold several records", self.path.display());
                return Err(JobError::input(message).advise(Advice::RecompressRecords));
            }
            let here = (number, entry.position.offset);
            let is_page = matches!(entry.content, EntryContent::Page(_));
            all += u64::from(is_page);
            if is_page
                && wanted.contains(&here)
                && let Some(page) = input.whole_record().and_then(Page::of)
            {
                pages.insert(here, page);
            }
            records += 1;
            if records % (1 << 8) == 0 {
                tick(watch, "comparing payloads", records)?;
            }
        }
        Ok(all)
    }
}

fn tick(watch: Watch<'_>, phase: &'static str, done: u64) -> Result<()> {
    if watch(&Progress { phase, done, total: None, unit: "records" }) { Ok(()) } else { Err(Error::Cancelled.into()) }
}
