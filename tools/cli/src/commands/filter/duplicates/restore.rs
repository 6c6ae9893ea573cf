//! `nddb filter --restore`: the documents of a file of duplicates, as they were.

use std::path::{Path, PathBuf};

use nddb_lab::NamedId;
use serde_json::json;

use super::super::targets;
use super::file::Reader;
use crate::args::Global;
use crate::failure::{Code, Result, Told};
use crate::inputs::Packing;
use crate::output::{self, Published};
use crate::quantity::{bytes, counted};

/// Reading back.
#[derive(Debug, clap::Args)]
pub(in super::super) struct Restore {
    /// Write the removed documents of a file of --duplicates as they were: in their order, below OUT if they are of
    /// several inputs, and not compressed
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["given", "clusters", "remove", "removed", "removed_documents", "with", "duplicates"]
    )]
    pub(in super::super) restore: Option<PathBuf>,
    /// Of --restore, write the document with this id alone, which may be a kept one (repeatable)
    #[arg(long, value_name = "ID", requires = "restore")]
    pub(in super::super) document: Vec<String>,
}

/// Writes the removed documents of a file, or those with these ids.
pub(in super::super) fn restore(path: &Path, ids: &[String], output: &Path, global: &Global) -> Result<Code> {
    let mut reader = Reader::open(path)?;
    let mut asked = chosen(&reader, ids, path)?;
    asked.sort_by_key(|&index| reader.documents[index].number);
    let mut files: Vec<PathBuf> = asked.iter().map(|&index| reader.documents[index].file.clone()).collect();
    files.dedup();
    let is_folder = targets::is_folder(output) || files.len() > 1;
    let mut total = 0;
    let mut rest = asked.iter().copied().peekable();
    for file in &files {
        let target = if is_folder { output.join(file) } else { output.to_owned() };
        if let Some(folder) = target.parent().filter(|_| is_folder) {
            output::make_folder(folder)?;
        }
        let mut out = Published::create(&target, Packing::Plain)?;
        while let Some(index) = rest.next_if(|&index| reader.documents[index].file == *file) {
            reader.copy(index, &mut out)?;
            total += reader.documents[index].bytes;
        }
        out.finish()?;
    }
    if global.json {
        output::print_json(&json!({ "documents": asked.len(), "files": files.len(), "bytes": total }))?;
    }
    let (documents, files) = (counted(asked.len() as u64, "document"), counted(files.len() as u64, "file"));
    global.messages().note(format!("{documents} of {files} restored: {}", bytes(total)));
    Ok(Code::Done)
}

/// Returns the indexes of the removed documents, or of those with these ids.
fn chosen(reader: &Reader, ids: &[String], path: &Path) -> Result<Vec<usize>> {
    let all = reader.documents.iter().enumerate();
    if ids.is_empty() {
        return Ok(all.filter(|(_, document)| document.removed).map(|(index, _)| index).collect());
    }
    let mut found = Vec::new();
    for id in ids {
        let named = NamedId::of_argument(id);
        let id = named.find(&mut |id| Ok(reader.documents.iter().any(|document| document.id == id)))?;
        let Some(id) = id else {
            let message = format!("{}: there is no document {:?}", path.display(), named.as_id());
            return Err(Told::new(Code::Failed, message)
                .hint("remove.tsv of the clustering lists the removed documents")
                .into());
        };
        found.extend(all.clone().filter(|(_, document)| document.id == id).map(|(index, _)| index));
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
