//! `--from-list`: inputs that a file names.

use std::io::{BufRead, Read};
use std::path::{Component, Path, PathBuf};

use nddb_jobs::lists;
use nddb_remote::{is_below, is_remote, root};

use crate::args::Global;
use crate::failure::{Code, Failure, Result, Told};

/// Bytes of the longest line.
const LINE_MAX: usize = 32 << 10;
/// Bytes of memory that a load takes for each input, besides its name.
const INPUT_SIZE: u64 = 2 << 10;
/// Memory for sorting without `--memory-limit`.
const MEMORY: u64 = 512 << 20;

/// Inputs that lists name.
#[derive(Debug, clap::Args)]
pub(crate) struct ListedInputs {
    /// Read the inputs that this file names, too, one per line: a file, an address, or - for stdin
    ///
    /// A list at an address may name only inputs below --base.
    #[arg(long, value_name = "LIST")]
    from_list: Vec<PathBuf>,
    /// The folder or address to which relative lines of --from-list belong [default: the bucket or server of LIST, or
    /// the current folder]
    #[arg(long, value_name = "PREFIX", requires = "from_list")]
    base: Option<PathBuf>,
}

impl ListedInputs {
    /// Returns whether there is no list.
    pub(crate) fn is_empty(&self) -> bool {
        self.from_list.is_empty()
    }

    /// Reads the lists.
    pub(crate) fn read(&self, global: &Global) -> Result<Vec<PathBuf>> {
        let mut reading = Reading { all: Vec::new(), memory: global.memory_limit.unwrap_or(MEMORY) / 2 };
        for list in &self.from_list {
            let before = reading.all.len();
            let base = self.base.clone().or_else(|| root(list));
            reading.list(list, base.as_deref())?;
            if reading.all.len() == before {
                return Err(Failure::failed(format!("{}: names no input", list.display())));
            }
        }
        Ok(reading.all)
    }
}

/// The inputs that were named so far.
struct Reading {
    all: Vec<PathBuf>,
    /// Bytes of memory that more inputs may take.
    memory: u64,
}

impl Reading {
    fn list(&mut self, list: &Path, base: Option<&Path>) -> Result<()> {
        let failed = |error: std::io::Error| Failure::reading(list, &error);
        let (mut lines, mut line, mut number) = (lists::lines(list)?, Vec::new(), 0_u64);
        loop {
            line.clear();
            lines.by_ref().take(LINE_MAX as u64 + 1).read_until(b'\n', &mut line).map_err(failed)?;
            number += 1;
            if line.is_empty() {
                return Ok(());
            }
            let at = || format!("{}: line {number}", list.display());
            if line.len() > LINE_MAX {
                let message = format!("{}: is longer than {LINE_MAX} bytes", at());
                return Err(Told::new(Code::Failed, message).hint("a list has one path or address per line").into());
            }
            let name = str::from_utf8(&line).map_err(|_| Failure::failed(format!("{}: is not UTF-8", at())))?.trim();
            if name.is_empty() {
                continue;
            }
            self.memory = self.memory.checked_sub(INPUT_SIZE + name.len() as u64).ok_or_else(|| too_many(list))?;
            let path = placed(name, base);
            if is_remote(list) && !base.is_some_and(|base| is_within(&path, base)) {
                let base = base.unwrap_or(Path::new("")).display();
                let message = format!("{}: {name}: a list at an address may name only what is below {base}", at());
                let hint = "give --base PREFIX with what its inputs are below, or download the list and read the copy";
                return Err(Told::new(Code::Failed, message).hint(hint).into());
            }
            self.all.push(path);
        }
    }
}

fn too_many(list: &Path) -> Failure {
    let message = format!("{}: names more inputs than fit into half of the memory limit", list.display());
    Told::new(Code::OverLimit, message).hint("raise --memory-limit, or split the list").into()
}

/// Returns the input that a line names. A path that is absolute, and what has a scheme, stay what they are.
fn placed(name: &str, base: Option<&Path>) -> PathBuf {
    match base {
        Some(base) if !name.contains("://") => base.join(name),
        _ => name.into(),
    }
}

/// Returns whether a path is that of a file below a folder, or an address below another one.
fn is_within(path: &Path, base: &Path) -> bool {
    if is_remote(path) || is_remote(base) {
        return is_below(path, base);
    }
    path.starts_with(base) && !path.components().any(|part| part == Component::ParentDir)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &Path, as_if: &Path, base: Option<&str>) -> Result<Vec<PathBuf>> {
        // A list at an address is read from a file here; what it may name depends on its address alone.
        let mut reading = Reading { all: Vec::new(), memory: 1 << 20 };
        let base = base.map(PathBuf::from).or_else(|| root(as_if));
        reading.list(list, base.as_deref()).map(|()| reading.all)
    }

    #[test]
    fn lines_are_below_the_base_or_the_root_of_a_remote_list() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("paths");
        std::fs::write(&list, "crawl/a.gz\r\n\n /abs/b.gz\ns3://c/d.gz\n").expect("written");
        let local = |base| read(&list, &list, base).expect("a list");
        assert_eq!(local(None), ["crawl/a.gz", "/abs/b.gz", "s3://c/d.gz"].map(PathBuf::from));
        let below = ["https://data.example.org/crawl/a.gz", "/abs/b.gz", "s3://c/d.gz"].map(PathBuf::from);
        assert_eq!(local(Some("https://data.example.org")), below);
        assert_eq!(root(Path::new("https://data.example.org/x/paths.gz")), Some("https://data.example.org".into()));
        assert_eq!(root(Path::new("x/paths.gz")), None);
    }

    #[test]
    fn a_list_is_bounded_in_its_lines_and_its_inputs() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("paths");
        let told = |bytes: &[u8]| {
            std::fs::write(&list, bytes).expect("written");
            match read(&list, &list, None) {
                Err(Failure::Told(told)) => (told.code, told.message),
                other => panic!("{other:?}"),
            }
        };
        let (code, message) = told("a\n".repeat(1000).as_bytes());
        assert!(code == Code::OverLimit && message.contains("memory limit"), "{message}");
        let (code, message) = told(&[b"a\n", &*vec![b'b'; LINE_MAX + 1]].concat());
        assert!(code == Code::Failed && message.contains("line 2"), "{message}");
        // A list that compresses well is no larger than another one.
        let packed = zstd::encode_all(&*"a\n".repeat(50_000_000).into_bytes(), 1).expect("memory");
        assert!(packed.len() < 1 << 17, "{}", packed.len());
        assert_eq!(told(&packed).0, Code::OverLimit);
    }

    #[test]
    fn what_is_within_a_folder_or_an_address() {
        let within = |path: &str, base: &str| is_within(Path::new(path), Path::new(base));
        assert!(within("/data/a/b.gz", "/data") && within("https://h/a", "https://h") && within("s3://b/k", "s3://b"));
        for (path, base) in [
            ("/etc/passwd", "/data"),
            ("/data/../etc/passwd", "/data"),
            ("/abs", "https://h"),
            ("https://h/a", "/data"),
            ("file:///etc/passwd", "https://h"),
        ] {
            assert!(!within(path, base), "{path} {base}");
        }
    }
}
