//! Inputs of commands other than archives: fingerprints and pages.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use nddb::Fingerprint;
use nddb::text::PageKind;
use nddb_jobs::answers::PageFile;
use nddb_remote::{RemoteFile, is_remote};

use crate::failure::{Code, Failure, Result, Told};

/// Opens a file or a remote object, or stdin for `-`.
pub fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    if is_remote(path) {
        return Ok(Box::new(RemoteFile::open(path).map_err(|error| Failure::reading(path, &error))?));
    }
    let file = File::open(path).map_err(|error| Failure::reading(path, &error))?;
    Ok(Box::new(file))
}

/// Reads a whole file, or stdin for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|error| Failure::reading(path, &error))?;
    Ok(bytes)
}

/// Reads fingerprints of eight bytes each, least significant first.
pub fn fingerprints(path: &Path) -> Result<Vec<Fingerprint>> {
    let bytes = read(path)?;
    let (words, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(cut_off(path, rest));
    }
    Ok(words.iter().map(|word| Fingerprint(u64::from_le_bytes(*word))).collect())
}

/// Returns the error of a file of fingerprints that ends with a part of one.
pub(crate) fn cut_off(path: &Path, rest: &[u8]) -> Failure {
    let message = format!("{}: {} bytes after the last fingerprint of 8 bytes", path.display(), rest.len());
    Told::new(Code::Failed, message).hint("the file is cut off, or it is not a u64le file").into()
}

/// Reads a fingerprint of 16 hex digits.
pub fn hex(text: &str) -> Result<Fingerprint, String> {
    let whole = text.len() == 16;
    whole.then(|| Fingerprint::from_hex(text)).flatten().ok_or_else(|| {
        "a fingerprint is 16 hexadecimal digits, the most significant first: 00d1f2a3b4c5e697".to_owned()
    })
}

/// The user's information about a page in a file.
#[derive(Debug, clap::Args)]
pub(crate) struct PageOptions {
    /// Read it as HTML
    #[arg(long, conflicts_with = "text")]
    html: bool,
    /// Read it as plain text
    #[arg(long)]
    text: bool,
    /// Character set of the page, as in an HTTP header
    #[arg(long, value_name = "NAME")]
    charset: Option<String>,
    /// URL of the page
    #[arg(long)]
    url: Option<String>,
}

impl PageOptions {
    /// Reads a page from a file, or from stdin for `-`.
    pub(crate) fn read(&self, path: &Path) -> Result<PageFile> {
        let kind = if self.html { Some(PageKind::Html) } else { self.text.then_some(PageKind::Text) };
        Ok(PageFile { charset: self.charset.clone(), url: self.url.clone(), ..page(path, kind)? })
    }
}

/// Reads a page from a file, or from stdin for `-`. Without a kind, a file is text if its name ends in `.txt` or if it
/// does not begin with a tag.
pub(crate) fn page(path: &Path, kind: Option<PageKind>) -> Result<PageFile> {
    let body = read(path)?;
    let kind = kind.unwrap_or_else(|| guess(path, &body));
    Ok(PageFile { body, kind, charset: None, url: None })
}

fn guess(path: &Path, body: &[u8]) -> PageKind {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("txt" | "text") => return PageKind::Text,
        Some("html" | "htm" | "xhtml") => return PageKind::Html,
        _ => {}
    }
    let start = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    if start.starts_with(b"<") { PageKind::Html } else { PageKind::Text }
}

/// The host's name, for the lock.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Whether a path exists and is no folder.
pub fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_sixteen_digits_and_nothing_less() {
        assert_eq!(hex("00000000000000ff"), Ok(Fingerprint(255)));
        for bad in ["", "ff", "00000000000000fg", "0x000000000000ff", "00000000000000ff0"] {
            assert!(hex(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_begins_with_a_tag_is_markup_unless_its_name_says_otherwise() {
        assert_eq!(guess(Path::new("-"), b"  <p>one"), PageKind::Html);
        assert_eq!(guess(Path::new("-"), b"one < two"), PageKind::Text);
        assert_eq!(guess(Path::new("a.TXT"), b"<p>one"), PageKind::Text);
        assert_eq!(guess(Path::new("a.html"), b"one"), PageKind::Html);
    }
}
