//! Makes a crawl archive from a folder of HTML pages: what `make demo` loads when it is given none.
//!
//! `pages_to_warc FOLDER OUT.warc.gz [BASE-URL]`

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use nddb::archive::{Compression, Response, WarcWriter};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err("usage: pages_to_warc FOLDER OUT.warc.gz [BASE-URL]".into());
    };
    let base = arguments.next().unwrap_or_else(|| "http://docs.example".into());
    let mut pages = Vec::new();
    collect(Path::new(&folder), &mut pages)?;
    pages.sort();
    let mut warc = WarcWriter::new(BufWriter::new(File::create(&out)?), Compression::Gzip);
    // One moment for all, so that the same pages give the same archive.
    let date = 1_600_000_000;
    warc.warcinfo("pages.warc.gz", date, &[("software", "nddb pages_to_warc")])?;
    for page in &pages {
        let name = page.strip_prefix(&folder)?.to_string_lossy().into_owned();
        let url = format!("{base}/{name}");
        let headers = [("Content-Type", "text/html; charset=utf-8")];
        warc.response(&Response { url: &url, date, id: None, status: 200, headers: &headers, body: &fs::read(page)? })?;
    }
    warc.finish()?.flush()?;
    writeln!(std::io::stdout(), "{} pages from {folder} to {out}", pages.len())?;
    Ok(())
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|end| end == "html") {
            pages.push(path);
        }
    }
    Ok(())
}
