//! Folders that are more than their files: tables with a log, and crawls with an index of their pages.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::formats::Format;

/// A kind of table whose log says which rows of its files are current.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableKind {
    Delta,
    Iceberg,
    Hudi,
    Lance,
}

impl TableKind {
    /// All kinds.
    pub(super) const ALL: [Self; 4] = [Self::Delta, Self::Iceberg, Self::Hudi, Self::Lance];

    /// The folder in a table that has its log.
    pub(super) fn log(self) -> &'static str {
        match self {
            Self::Delta => "_delta_log",
            Self::Iceberg => "metadata",
            Self::Hudi => ".hoodie",
            Self::Lance => "_versions",
        }
    }

    /// Returns whether a file of this name in the folder of the log shows that it is one.
    pub(super) fn has_in_log(self, file: &str) -> bool {
        match self {
            Self::Delta | Self::Hudi => true,
            Self::Lance => file.ends_with(".manifest"),
            // v1.metadata.json, 00000-UUID.metadata.json, also compressed.
            Self::Iceberg => {
                let number = file.strip_prefix('v').unwrap_or(file);
                file.contains(".metadata.json") && number.starts_with(|c: char| c.is_ascii_digit())
            }
        }
    }

    /// Explains why the files of the table are not read, and what to do.
    pub(super) fn advice(self) -> String {
        let (name, how) = match self {
            Self::Delta => ("a Delta table", "duckdb -c \"COPY (FROM delta_scan('TABLE')) TO 'current.parquet'\""),
            Self::Iceberg => {
                ("an Iceberg table", "duckdb -c \"COPY (FROM iceberg_scan('TABLE')) TO 'current.parquet'\"")
            }
            Self::Hudi => ("a Hudi table", "spark.read.format('hudi').load('TABLE').write.parquet('current')"),
            Self::Lance => {
                ("a Lance dataset", "pyarrow.parquet.write_table(lance.dataset('TABLE').to_table(), 'current.parquet')")
            }
        };
        format!(
            "it is part of {name}, whose files also have rows that were deleted or replaced; only its log ({}) tells \
             which. Write its current rows to Parquet, for example with {how}, and load that",
            self.log()
        )
    }
}

/// Returns the table of which one of these files is the log, if there is one, and the path of the table.
pub(super) fn table<'a>(files: impl IntoIterator<Item = &'a Path>) -> Option<(TableKind, PathBuf)> {
    files.into_iter().find_map(|path| {
        let file = path.file_name()?.to_str()?;
        // Logs of Delta and Hudi have folders of their own.
        path.ancestors().skip(1).find_map(|folder| {
            let name = folder.file_name()?;
            let kind = TableKind::ALL.into_iter().find(|kind| name == kind.log())?;
            let is_log = kind.has_in_log(file) && (folder == path.parent()? || kind.has_in_log(""));
            is_log.then(|| (kind, folder.parent().unwrap_or(Path::new("")).to_owned()))
        })
    })
}

/// Returns the folder of the crawl whose page list (`pages/pages.jsonl`) this may be, by its name: the texts in the list
/// are those of the pages in the archives beside it.
pub(super) fn crawl_of_page_list(path: &Path) -> Option<&Path> {
    let folder = path.parent().filter(|folder| folder.file_name() == Some(OsStr::new("pages")))?;
    (Format::of_name(path) == Some(Format::Jsonl)).then(|| folder.parent())?
}

/// Returns whether lines of JSON begin with the header of a list of pages.
pub(super) fn is_page_list(head: &[u8]) -> bool {
    let line = head.split(|&b| b == b'\n').next().unwrap_or_default();
    memchr::memmem::find(line, b"json-pages-").is_some()
}

/// Returns the folder of the crawl that this file packs as a whole, by its name.
pub(super) fn crawl_of_package(path: &Path) -> Option<&Path> {
    let is_package = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wacz"));
    is_package.then(|| path.parent())?
}

/// Returns the folder of the crawl in whose folder `archive` this file is, if it is an archive.
pub(super) fn crawl_of_archive(path: &Path) -> Option<&Path> {
    let folder = path.parent().filter(|folder| folder.file_name() == Some(OsStr::new("archive")))?;
    matches!(Format::of_name(path), Some(Format::Warc | Format::Arc)).then(|| folder.parent())?
}

/// Returns whether a name is that of a file or folder in which a tool that copies sites keeps its own notes.
pub(super) fn is_of_mirror_tool(name: &OsStr) -> bool {
    ["hts-cache", "hts-log.txt"].iter().any(|own| name == *own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_known_by_their_logs() {
        let of = |path: &str| table([Path::new("t/a.parquet"), Path::new(path)]);
        for (path, kind) in [
            ("t/_delta_log/00000000000000000000.json", TableKind::Delta),
            ("t/_delta_log/_sidecars/x.parquet", TableKind::Delta),
            ("t/.hoodie/hoodie.properties", TableKind::Hudi),
            ("t/.hoodie/metadata/files/x", TableKind::Hudi),
            ("t/metadata/v2.metadata.json", TableKind::Iceberg),
            ("t/metadata/00001-9c12.metadata.json", TableKind::Iceberg),
            ("t/_versions/1.manifest", TableKind::Lance),
        ] {
            assert_eq!(of(path), Some((kind, "t".into())), "{path}");
        }
        for path in ["t/metadata/pages.json", "t/metadata/x/v1.metadata.json", "t/_versions/notes.txt", "t/x.hoodie"] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}
