//! Which documents of one collection are near to documents of others, or have passages in common with them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use nddb_archive::{Format, expand};
use nddb_dedup::OnlineDetector;
use nddb_format::record::other_kind;
use nddb_index::{Config, Reader, View};

use crate::answers::{self, Answers, Asking, InParts, Judged, NamedFederation, Noticed, PassageOptions, Texts};
use crate::error::{JobError, Result};
use crate::opened_documents::{FileLoading, OpenedDocuments, is_database};
use crate::output::Destination;
use crate::packed::PackedFile;
use crate::temporary::K;
use crate::tsv;

/// Documents of A that are looked up in B.
#[derive(Clone, Debug)]
pub struct Against<'a> {
    /// A: a database, a file or a folder.
    pub a: &'a Path,
    /// B: databases, files or folders.
    pub b: &'a [PathBuf],
    /// Passages in common are found, instead of near-duplicates.
    pub parts: Option<PassageOptions>,
    /// Maximum number of matches that are listed of each document.
    pub limit: Option<usize>,
    /// Whether matches have their scores with thresholds, and the tokens that differ.
    pub why: bool,
}

/// Who hears of the work on its way, and takes what it finds.
pub struct AgainstWatch<'a, 'f> {
    /// How files are loaded.
    pub files: &'a mut FileLoading<'f>,
    /// Called with documents that are skipped while those of A are read for their passages.
    pub noticed: &'a mut dyn FnMut(Noticed<'_>),
    /// Called with lines of JSON: one for each document of A with a match, with the end of the line.
    pub emit: &'a mut dyn FnMut(&[u8]) -> nddb_index::Result<()>,
}

/// The numbers of a run.
#[derive(Debug)]
pub struct AgainstSummary {
    /// Number of documents of A.
    pub documents: u64,
    /// Number of these with a match.
    pub matched: u64,
    /// Number of matches.
    pub matches: u64,
    /// Number of documents of A, and of B, of too few words to have a passage; 0 for near-duplicates.
    pub too_short: [u64; 2],
}

impl<'a> Against<'a> {
    /// Finds the near-duplicates of documents of `a` in `b`.
    pub fn new(a: &'a Path, b: &'a [PathBuf]) -> Self {
        Self { a, b, parts: None, limit: None, why: false }
    }

    /// Does the work, and writes the ids of the documents of A with a match to `list`, one per line, as the lists of
    /// [`Filter`](crate::filter::Filter) have them. `choose` says how documents are judged; with `parts` it is not
    /// called.
    ///
    /// # Errors
    /// Errors of `choose`; each of [`JobError`]; [`nddb_index::Error::Cancelled`].
    pub fn run<E: From<JobError>>(
        &self,
        list: Option<&Destination>,
        choose: &dyn Fn(View<'_>) -> Result<OnlineDetector, E>,
        mut watch: AgainstWatch<'_, '_>,
    ) -> Result<AgainstSummary, E> {
        let (databases, files): (Vec<PathBuf>, Vec<PathBuf>) =
            self.b.iter().cloned().partition(|path| is_database(path));
        let open = |path: &PathBuf| Reader::open(path).map_err(JobError::from);
        let readers = databases.iter().map(open).collect::<Result<Vec<_>>>()?;
        match &self.parts {
            Some(how) => Ok(self.in_parts(how, (&databases, &readers), &files, list, &mut watch)?),
            None => self.near((databases, &readers), &files, list, choose, &mut watch),
        }
    }

    /// Finds near-duplicates.
    fn near<E: From<JobError>>(
        &self,
        (databases, readers): (Vec<PathBuf>, &[Reader]),
        files: &[PathBuf],
        list: Option<&Destination>,
        choose: &dyn Fn(View<'_>) -> Result<OnlineDetector, E>,
        watch: &mut AgainstWatch<'_, '_>,
    ) -> Result<AgainstSummary, E> {
        let like = readers.first().map(|reader| reader.view().settings().clone());
        let a = OpenedDocuments::open(&[self.a.to_owned()], like.as_ref(), &mut *watch.files)?;
        let b = match files.is_empty() {
            true => None,
            false => Some(OpenedDocuments::open(files, Some(a.view().settings()), &mut *watch.files)?),
        };
        let names: Vec<PathBuf> = databases.into_iter().chain(files.first().cloned()).collect();
        let readers: Vec<_> = readers.iter().chain(b.as_ref().map(OpenedDocuments::reader)).collect();
        let parts = &NamedFederation::new(&names, &readers)?;
        let judged = Judged {
            parts,
            online: choose(parts.federation.parts()[0])?,
            limit: self.limit,
            why: self.why,
            outside: Some(a.view()),
            only_matched: true,
        };
        let mut lines = |answers: &Answers| (watch.emit)(&answers.lines);
        let mut asking = Asking::new(&judged, watch.files.threads, watch.files.stop, &mut lines);
        asking.ask_outside(a.view())?;
        let (documents, found) = asking.done();
        write_list(list, &found.matched, &|id| Ok(a.view().has_namesake(id)?))?;
        Ok(AgainstSummary { documents, matched: found.matched.len() as u64, matches: found.matches, too_short: [0; 2] })
    }

    /// Finds passages in common.
    fn in_parts(
        &self,
        how: &PassageOptions,
        (paths, readers): (&[PathBuf], &[Reader]),
        files: &[PathBuf],
        list: Option<&Destination>,
        watch: &mut AgainstWatch<'_, '_>,
    ) -> Result<AgainstSummary> {
        let views = paths.iter().map(PathBuf::as_path).zip(readers.iter().map(Reader::view));
        let mut databases = answers::with_parts(views)?;
        let a = if is_database(self.a) { Some(Reader::open(self.a)?) } else { None };
        if let Some(a) = &a {
            answers::refuse_without_parts(self.a, a.view().settings())?;
        }
        let inputs = match &a {
            Some(_) => None,
            None => Some(expand(&[self.a.to_owned()], Format::Auto)?),
        };
        inputs.iter().for_each(|inputs| watch.files.outputs.reads_inputs(&inputs.located));
        let whole = Config::within(K)?.recipe(&answers::whole().label());
        let b = if files.is_empty() { None } else { Some(OpenedDocuments::load(files, &whole, &mut *watch.files)?) };
        let name = files.first().filter(|_| !databases.is_empty()).map(|path| path.display().to_string());
        databases.extend(b.as_ref().map(|b| (name, b.view())));
        if let [(name, _), (Some(_), _)] = &mut databases[..] {
            name.get_or_insert_with(|| paths[0].display().to_string());
        }
        let in_parts = InParts {
            databases,
            how: *how,
            limit: self.limit,
            only_matched: true,
            texts: a.as_ref().map_or_else(|| Texts::of(&inputs), |a| Texts::Of(a.view())),
            too_short: AtomicU64::default(),
        };
        let mut lines = |answers: &Answers| (watch.emit)(&answers.lines);
        let mut asking = Asking::new(&in_parts, watch.files.threads, watch.files.stop, &mut lines);
        let mut may_have_namesakes = false;
        if let Some(a) = &a {
            asking.ask_outside(a.view())?;
        }
        if let Some(inputs) = &inputs {
            may_have_namesakes = answers::ask_inputs(inputs, &mut asking, &mut *watch.noticed, watch.files.stop)?;
        }
        let (documents, found) = asking.done();
        write_list(list, &found.matched, &|id| match &a {
            Some(a) => Ok(a.view().has_namesake(id)?),
            None => Ok(may_have_namesakes && other_kind(id).is_some()),
        })?;
        let of_b = b.as_ref().and_then(OpenedDocuments::report).map_or(0, |report| report.without_parts);
        Ok(AgainstSummary {
            documents,
            matched: found.matched.len() as u64,
            matches: found.matches,
            too_short: [in_parts.too_short.into_inner(), of_b],
        })
    }
}

/// Writes ids of documents, one per line; `has_namesake` tells the ids that look like another one.
fn write_list(to: Option<&Destination>, ids: &[String], has_namesake: &dyn Fn(&str) -> Result<bool>) -> Result<()> {
    let Some(to) = to else { return Ok(()) };
    let mut output = PackedFile::named(to)?;
    let mut line = Vec::new();
    for id in ids {
        line.clear();
        tsv::write_id(&mut line, id, has_namesake(id)?);
        line.push(b'\n');
        output.write_all(&line).map_err(|error| output.failed(error))?;
    }
    output.finish()?;
    Ok(())
}
