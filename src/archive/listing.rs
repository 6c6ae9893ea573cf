//! Lists the inputs of paths: files, and what is below folders.
#![expect(clippy::disallowed_methods, reason = "the folders")]

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use nddb_remote::{RemoteFile, is_remote};

use super::folders::{self, TableKind};
use super::names::text_of;
use super::open::{Located, absolute, failed};
use super::sniff;
use super::{ArchiveError, Entry, EntryContent, Format, Input, Options};

/// Bytes from which it is judged what a file is.
const HEAD: u64 = 2 << 10;

/// The inputs of a list of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The inputs, in the order of the paths; those of a folder sorted by path.
    pub located: Vec<Located>,
    /// Number of files in folders that are not inputs: they are hidden, or their names do not belong to a known format
    /// or not to the requested one.
    pub passed_over: u64,
}

/// Lists the inputs of paths. A file is an input; a folder contributes all files below it whose names belong to a known
/// format or, unless `format` is [`Format::Auto`], to that format. A `.html`, `.htm`, `.xhtml`, `.txt` or `.text` file
/// is one document; the others are archives. A `.json` or `.csv` file is an input if that format is requested, or if it
/// begins with a document, because few such files contain any. Files and folders whose names begin with `.` or `_` are
/// hidden, by the convention of data tools (`_SUCCESS`, `_temporary`, `._part`), except partitions (`_name=value`).
///
/// A local file of another name is a page if its first bytes say so, because copies of sites have files such as
/// `article.php` and `index.html?page=2`; with [`Format::Html`] any tag at the beginning suffices. Beside the archives
/// of a crawl in a folder `archive`, its list of pages and its WACZ file are passed over: they repeat the archives.
///
/// Links to folders are not followed, so that no folder is read twice.
///
/// A remote path (`s3://bucket/folder/`) is a folder if it ends with `/`, or if its name belongs to no known format and
/// there are objects below it; the names of these are judged as those of files. HTTP servers have no folders.
///
/// # Errors
///
/// A path does not exist or cannot be listed, or a folder has no input. A folder or a Parquet file is part of a Delta,
/// Iceberg, Hudi or Lance table.
pub fn expand<P: AsRef<Path>>(paths: &[P], format: Format) -> Result<Inputs, ArchiveError> {
    paths.iter().try_for_each(|path| refuse_scheme(path.as_ref()))?;
    let mut inputs = Inputs::default();
    let are_folders: Vec<bool> = paths.iter().map(|path| is_folder(path.as_ref())).collect::<Result<_, _>>()?;
    let are_several = are_folders.iter().filter(|is_folder| **is_folder).count() > 1;
    let mut parents = HashSet::new();
    for (path, is_folder) in paths.iter().map(AsRef::as_ref).zip(are_folders) {
        refuse_part_of_table(path, is_folder, &mut parents)?;
        if !is_folder {
            inputs.located.push(Located { path: path.to_owned(), document: None, ranges: None });
            continue;
        }
        // Files of two folders may have equal paths below them.
        let within = if are_several { path.components().as_path().into() } else { OsString::new() };
        let files = if is_remote(path) { objects_below(path, &within)? } else { files_below(path, within)? };
        if let Some((kind, table)) = folders::table(files.iter().map(|file| &*file.path)) {
            return Err(ArchiveError::Unusable { path: table, why: kind.advice() });
        }
        let files = without_repetitions(files, &mut inputs.passed_over);
        let total = files.len();
        let mut found: Vec<(OsString, Located)> =
            files.into_iter().filter_map(|file| Some((file.name.clone(), file.as_input(format)?))).collect();
        if found.is_empty() {
            return Err(ArchiveError::NoDocuments { path: path.to_owned() });
        }
        inputs.passed_over += (total - found.len()) as u64;
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        inputs.located.extend(found.into_iter().map(|(_, located)| located));
    }
    Ok(inputs)
}

/// Refuses an address of a scheme that is not read, and says how to get the file.
fn refuse_scheme(path: &Path) -> Result<(), ArchiveError> {
    let address = path.to_string_lossy();
    let Some((scheme, rest)) = address.split_once("://") else { return Ok(()) };
    if is_remote(path) || path.exists() {
        return Ok(());
    }
    let why = match &*scheme.to_ascii_lowercase() {
        "hf" => {
            let (kind, rest) = match rest.strip_prefix("datasets/") {
                Some(rest) => ("--repo-type dataset ", rest),
                None => ("", rest),
            };
            let parts: Vec<&str> = rest.splitn(3, '/').collect();
            let (repository, file) = match parts[..] {
                [owner, name, file] => (format!("{owner}/{name}"), format!(" {file}")),
                _ => (rest.to_owned(), String::new()),
            };
            let (repository, revision) = match repository.split_once('@') {
                Some((repository, revision)) => (repository.to_owned(), format!(" --revision {revision}")),
                None => (repository, String::new()),
            };
            let file = file.trim_end().to_owned();
            format!(
                "get it first: 'hf download {kind}{repository}{file}{revision}' prints where it is in the local cache; \
                 give that path"
            )
        }
        "ftp" | "ftps" | "sftp" => format!("get it first: 'curl -O {address}'; give the file"),
        "file" => "give the path without file://".to_owned(),
        _ => "no address that is read: these begin with s3://, gs://, az://, abfs://, http:// or https://".to_owned(),
    };
    Err(ArchiveError::Unusable { path: path.to_owned(), why })
}

/// Refuses a local path that is inside a table whose log says which rows are current. `parents` has the folders that
/// are known to be in no table.
fn refuse_part_of_table(path: &Path, is_folder: bool, parents: &mut HashSet<PathBuf>) -> Result<(), ArchiveError> {
    if is_remote(path) || !is_folder && Format::of_name(path) != Some(Format::Parquet) {
        return Ok(());
    }
    let Ok(path) = absolute(path) else { return Ok(()) };
    for folder in path.ancestors().skip(usize::from(!is_folder)) {
        if !parents.insert(folder.to_owned()) {
            break;
        }
        let has_log = |kind: &TableKind| {
            let files = fs::read_dir(folder.join(kind.log())).into_iter().flatten().flatten();
            files.into_iter().any(|file| file.file_name().to_str().is_some_and(|name| kind.has_in_log(name)))
        };
        if let Some(kind) = TableKind::ALL.iter().find(|kind| has_log(kind)) {
            return Err(ArchiveError::Unusable { path: folder.to_owned(), why: kind.advice() });
        }
    }
    Ok(())
}

/// Returns the files that do not repeat the archives of a crawl among them; counts the others.
fn without_repetitions(mut files: Vec<Below>, passed_over: &mut u64) -> Vec<Below> {
    let crawls: HashSet<PathBuf> =
        files.iter().filter_map(|file| folders::crawl_of_archive(&file.path)).map(Path::to_owned).collect();
    let is_there = |crawl: Option<&Path>| crawl.is_some_and(|crawl| crawls.contains(crawl));
    let total = files.len();
    files.retain(|file| {
        let path = &file.path;
        let is_list = is_there(folders::crawl_of_page_list(path)) && folders::is_page_list(&head(path));
        !is_list && !is_there(folders::crawl_of_package(path))
    });
    *passed_over += (total - files.len()) as u64;
    files
}

/// Returns the first bytes of a file or a remote object; none if it cannot be read.
fn head(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    let read: io::Result<Box<dyn Read>> = if is_remote(path) {
        RemoteFile::open(path).map(|object| Box::new(object) as _)
    } else {
        File::open(path).map(|file| Box::new(file) as _)
    };
    if let Ok(read) = read {
        // What cannot be read is told when it is to be loaded.
        let _ = read.take(HEAD).read_to_end(&mut head);
    }
    head
}

/// Returns whether a path is a folder, local or remote.
fn is_folder(path: &Path) -> Result<bool, ArchiveError> {
    let opening = |source| failed("opening", path, source);
    if path.as_os_str() == "-" {
        return Ok(false);
    }
    if !is_remote(path) {
        return Ok(fs::metadata(path).map_err(opening)?.is_dir());
    }
    if path.to_string_lossy().ends_with('/') {
        return Ok(true);
    }
    // An object that has the name of an input is not asked for: lists name tens of thousands.
    if Format::of_name(path).is_some() || !nddb_remote::is_listable(path) {
        return Ok(false);
    }
    match RemoteFile::open(path) {
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if nddb_remote::list(path).map_err(opening)?.is_empty() { Err(opening(error)) } else { Ok(true) }
        }
        Err(error) => Err(opening(error)),
    }
}

/// A file below a folder.
struct Below {
    /// The path below the folder with `/` between the components, after the path of the folder if there are several.
    name: OsString,
    path: PathBuf,
    /// Whether a name on the way to it, or its own, is hidden.
    is_hidden: bool,
}

impl Below {
    /// Returns the file as an input, unless it is none.
    fn as_input(&self, format: Format) -> Option<Located> {
        if self.is_hidden || format == Format::Auto && is_doubtful(&self.path) && !has_documents(&self.path) {
            return None;
        }
        let by_name = Format::of_name(&self.path);
        let found = by_name.filter(|found| found.is_read_as(format)).or_else(|| self.page(by_name, format))?;
        let document = (found == Format::Html).then(|| text_of(&self.name));
        Some(Located { path: self.path.clone(), document, ranges: None })
    }

    /// Returns the format of a page that is one by its first bytes, whatever its name. Objects are not asked for.
    fn page(&self, by_name: Option<Format>, format: Format) -> Option<Format> {
        let is_page = match format {
            Format::Auto if by_name.is_none() => sniff::is_whole_page,
            Format::Html => sniff::looks_like_html,
            _ => return None,
        };
        (!is_remote(&self.path) && is_page(&head(&self.path))).then_some(Format::Html)
    }
}

/// Returns the files below a folder, of which each is named after `within` if that is not empty.
fn files_below(folder: &Path, within: OsString) -> Result<Vec<Below>, ArchiveError> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), within, false)];
    while let Some((folder, name, is_hidden)) = folders.pop() {
        let refused = |source| failed("listing", &folder, source);
        for entry in fs::read_dir(&folder).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            let name = joined(&name, &entry.file_name());
            let path = entry.path();
            let kind = entry.file_type().map_err(refused)?;
            let is_hidden = is_hidden || is_hidden_name(&entry.file_name());
            if kind.is_dir() {
                folders.push((path, name, is_hidden));
                continue;
            }
            // A link may be dangling.
            if kind.is_file() || fs::metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
                found.push(Below { name, path, is_hidden });
            }
        }
    }
    Ok(found)
}

/// Returns the objects below a remote folder.
fn objects_below(folder: &Path, within: &OsStr) -> Result<Vec<Below>, ArchiveError> {
    let listed = nddb_remote::list(folder).map_err(|source| failed("listing", folder, source))?;
    let below = |object: nddb_remote::Listed| {
        // Names of objects are no paths: an empty part of one counts.
        let (path, folder) = (object.path.to_str()?, folder.to_str()?);
        let name = OsStr::new(path.strip_prefix(folder.trim_end_matches('/'))?.strip_prefix('/')?);
        let is_hidden = name.to_str()?.split('/').any(|part| is_hidden_name(OsStr::new(part)));
        Some(Below { name: joined(within, name), path: object.path, is_hidden })
    };
    Ok(listed.into_iter().filter_map(below).collect())
}

/// Returns a name below another one that may be empty.
fn joined(folder: &OsStr, name: &OsStr) -> OsString {
    let mut joined = folder.to_owned();
    if !joined.is_empty() {
        joined.push("/");
    }
    joined.push(name);
    joined
}

/// Returns whether a name marks files, or folders of files, that are not data, by the convention of tools that write
/// data sets.
fn is_hidden_name(name: &OsStr) -> bool {
    if folders::is_of_mirror_tool(name) {
        return true;
    }
    let name = name.as_encoded_bytes();
    name.starts_with(b".") || name.starts_with(b"_") && !name.contains(&b'=')
}

/// Returns whether a file's name ends in `.json` or `.csv`, whatever its compression: most such files are not
/// documents.
fn is_doubtful(path: &Path) -> bool {
    let is = |ending: &OsStr| ["json", "csv"].iter().any(|name| ending.eq_ignore_ascii_case(name));
    let ends_so = |path: &Path| path.extension().is_some_and(is);
    ends_so(path) || path.file_stem().is_some_and(|stem| ends_so(Path::new(stem)))
}

/// Returns whether a file begins with a document, judged by the usual names of fields.
fn has_documents(path: &Path) -> bool {
    let options = Options { format: Format::of_name(path).unwrap_or_default(), ..Options::default() };
    let first = || Input::open(path, &options).and_then(|mut input| input.next()).ok().flatten();
    let is_document = |entry: Entry| matches!(entry.content, EntryContent::Page(_) | EntryContent::Fingerprint { .. });
    first().is_some_and(is_document)
}
