//! Commands that write outputs, lists, backups and databases, each with its inputs and with what was there before.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use nddb::archive::{Compression, Response, WarcWriter};
use nddb::{CheckOptions, Reader};

use crate::disk::files_below;
use crate::judge::{Verdict, is_sound};

/// Documents of the inputs.
const DOCUMENTS: usize = 24;

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Dedup,
    Filter,
    Cluster,
    Export,
    Revisits,
    Backup,
    Restore,
}

/// The outputs of a command, by their names.
pub(crate) type Outputs = BTreeMap<PathBuf, Vec<u8>>;

impl Command {
    pub(crate) const ALL: [Self; 7] =
        [Self::Dedup, Self::Filter, Self::Cluster, Self::Export, Self::Revisits, Self::Backup, Self::Restore];

    /// The command line; `@` stands for the folder.
    fn line(self) -> &'static str {
        match self {
            Self::Dedup => "dedup @in.jsonl -o @out.jsonl --removed @removed.tsv",
            Self::Filter => "filter @db @in.jsonl --clusters @lists -o @out.jsonl --removed @removed.tsv",
            Self::Cluster => "cluster @db -o @lists",
            Self::Export => "export @db -o @out.jsonl",
            Self::Revisits => "revisits @db @in.warc.gz -o @out.warc.gz",
            Self::Backup => "backup @db @backups/third --keep 2",
            Self::Restore => "backup restore @backups/first @again",
        }
    }

    /// Makes the inputs, and outputs of an earlier run.
    pub(crate) fn prepare(self, root: &Path) {
        let write = |name: &str, bytes: &[u8]| fs::write(root.join(name), bytes).expect("it can be written");
        write("in.jsonl", &lines(3));
        let earlier = |names: &[&str]| names.iter().for_each(|name| write(name, b"of an earlier run\n"));
        match self {
            Self::Dedup => earlier(&["out.jsonl", "removed.tsv"]),
            Self::Filter => {
                done(root, "create @db");
                done(root, "load @db @in.jsonl");
                done(root, "cluster @db -o @lists");
                earlier(&["out.jsonl", "removed.tsv"]);
            }
            Self::Cluster => {
                write("before.jsonl", &lines(5));
                done(root, "create @before");
                done(root, "load @before @before.jsonl");
                done(root, "cluster @before -o @lists");
                done(root, "create @db");
                done(root, "load @db @in.jsonl");
            }
            Self::Export => {
                done(root, "create @db");
                done(root, "load @db @in.jsonl");
                earlier(&["out.jsonl"]);
            }
            Self::Revisits => {
                write("in.warc.gz", &archive());
                done(root, "create @db");
                done(root, "load @db @in.warc.gz");
                earlier(&["out.warc.gz"]);
            }
            Self::Backup | Self::Restore => {
                write("more.jsonl", &lines(5));
                fs::create_dir(root.join("backups")).expect("it can be made");
                done(root, "create @db");
                done(root, "load @db @in.jsonl");
                done(root, "backup @db @backups/first");
                done(root, "load @db @more.jsonl");
                done(root, "backup @db @backups/second");
            }
        }
    }

    /// Runs the command, and returns its exit code.
    pub(crate) fn run(self, root: &Path) -> u8 {
        run(root, self.line())
    }

    /// Runs it once more on what a crash has left. Where it has come to its end, another one follows it.
    pub(crate) fn run_again(self, root: &Path) -> u8 {
        match self {
            Self::Backup if root.join("backups/third").exists() => run(root, "backup @db @backups/fourth --keep 2"),
            Self::Restore if root.join("again").exists() => u8::from(self.run(root) == 0),
            _ => self.run(root),
        }
    }

    /// Returns the files under their final names; of backups and databases, their names.
    pub(crate) fn outputs(self, root: &Path) -> Outputs {
        let read =
            |path: &Path| (path.strip_prefix(root).expect("below").to_owned(), fs::read(path).unwrap_or_default());
        let named = |names: &[&str]| names.iter().map(|name| root.join(name)).filter(|path| path.exists()).collect();
        let paths: Vec<PathBuf> = match self {
            Self::Dedup | Self::Filter => named(&["out.jsonl", "removed.tsv"]),
            Self::Cluster => files_below(&root.join("lists")).into_iter().filter(|path| !is_hidden(path)).collect(),
            Self::Export => named(&["out.jsonl"]),
            Self::Revisits => named(&["out.warc.gz"]),
            Self::Backup => named(&["backups/third"]),
            Self::Restore => named(&["again"]),
        };
        paths.iter().map(|path| read(path)).collect()
    }

    /// Fails if anything under a final name is a part of something.
    pub(crate) fn is_whole(self, root: &Path, earlier: &Outputs, new: &Outputs) -> Verdict {
        let found = self.outputs(root);
        for (name, bytes) in &found {
            let is_whole = [earlier, new].iter().any(|outputs| outputs.get(name) == Some(bytes));
            // Between two runs the summary says that the lists do not belong together.
            let says_so = self == Self::Cluster && name.ends_with("summary.json");
            if !is_whole && !says_so {
                let (name, text) = (name.display(), String::from_utf8_lossy(&bytes[..bytes.len().min(300)]));
                return Err(format!(
                    "{name} is neither the earlier file nor the new one: {} bytes, {text}",
                    bytes.len()
                ));
            }
        }
        if let Some(name) = earlier.keys().find(|name| !found.contains_key(*name) && new.contains_key(*name)) {
            return Err(format!("{} is gone", name.display()));
        }
        match self {
            Self::Cluster if found != *earlier && found != *new => {
                let exit = run(root, "filter @db @in.jsonl --clusters @lists -o @taken.jsonl");
                let _ = fs::remove_file(root.join("taken.jsonl"));
                if exit == 0 { Err("a filter takes the lists of two runs for those of one".into()) } else { Ok(()) }
            }
            Self::Backup => are_whole(&root.join("backups")),
            Self::Restore if found.is_empty() => Ok(()),
            Self::Restore => {
                let again = root.join("again");
                is_sound(&again, "restored")?;
                let reader = Reader::open(&again).map_err(|error| format!("restored: {error:?}"))?;
                let documents = reader.view().stats().map_err(|error| format!("restored: {error:?}"))?.documents;
                if documents == DOCUMENTS as u64 { Ok(()) } else { Err(format!("{documents} documents are restored")) }
            }
            _ => Ok(()),
        }
    }

    /// The files and folders of the folders that the command writes to: nothing else may be left there.
    pub(crate) fn names(self, root: &Path) -> Vec<PathBuf> {
        let folders = ["", "lists", "backups"].map(|name| root.join(name));
        let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
        let mut names: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
        if self == Self::Backup {
            // The names of backups differ from run to run, and there are two of them.
            names.retain(|path| {
                !(path.parent().is_some_and(|folder| folder.ends_with("backups")) && path.join("BACKUP").exists())
            });
        }
        names.sort();
        names
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Fails unless all backups of a folder are whole, and at least two.
fn are_whole(backups: &Path) -> Verdict {
    let mut whole = 0;
    for entry in fs::read_dir(backups).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        // What has another ending is in the making, or about to be removed.
        if is_hidden(&path) || path.extension().is_some() {
            continue;
        }
        let report = nddb::verify_backup(&path, &CheckOptions::default(), &mut |_| true);
        let report = report.map_err(|error| format!("{}: {error:?}", path.display()))?;
        if !report.is_sound() {
            return Err(format!("{}: {report:#?}", path.display()));
        }
        whole += 1;
    }
    if whole < 2 { Err(format!("{whole} backups are left")) } else { Ok(()) }
}

/// Runs a command line in a folder, and returns its exit code.
fn run(root: &Path, line: &str) -> u8 {
    let words = line.split(' ').map(|word| match word.strip_prefix('@') {
        Some(name) => root.join(name).into_os_string(),
        None => OsString::from(word),
    });
    nddb_cli::run(["nddb".into()].into_iter().chain(words).chain(["-q".into()]))
}

fn done(root: &Path, line: &str) {
    assert_eq!(run(root, line), 0, "{line}");
}

/// The text of a document: every third one is that of the one before it, but for a word.
fn text(seed: usize, document: usize) -> String {
    let base = document - usize::from(document % 3 == 2);
    let words: String = (0..90).map(|word| format!("w{} ", (word * (seed + base) * 37 + base) % 1009)).collect();
    format!("{words}{document}")
}

fn lines(seed: usize) -> Vec<u8> {
    let line = |document| format!("{{\"id\": \"p{document}\", \"text\": \"{}\"}}\n", text(seed, document));
    (0..DOCUMENTS).map(line).collect::<String>().into_bytes()
}

fn archive() -> Vec<u8> {
    let mut writer = WarcWriter::new(Vec::new(), Compression::Gzip);
    for document in 0..DOCUMENTS {
        let url = format!("http://example.org/{document}");
        let body = format!("<p>{}</p>", text(3, document / 2));
        let headers = [("Content-Type", "text/html")];
        let (date, body) = (1_700_000_000 + document as i64, body.as_bytes());
        let page = Response { url: &url, date, id: None, status: 200, headers: &headers, body };
        writer.response(&page).expect("memory is writable");
    }
    writer.finish().expect("memory is writable")
}
