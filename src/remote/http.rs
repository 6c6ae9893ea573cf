//! Files of HTTP servers: requests, and whether an answer is what was asked for.
//!
//! One request for the first bytes tells whether the server sends ranges, how large the file is, and which version of
//! it this is. Each later range must be of the same version. A file whose ranges or version the server does not tell is
//! read as one stream into a temporary file.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::{Bytes, BytesMut};
use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::{Response, StatusCode, Url};

use crate::credentials::VARIABLE;
use crate::failure::Failure;
use crate::servers::Servers;
use crate::spool::Spool;
use crate::trouble::Trouble;
use crate::version::{Version, text};

/// Time for which a request is tried again.
pub(crate) const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 10 } else { 60 });

/// A file of a server that sends ranges.
#[derive(Debug)]
pub(crate) struct HttpFile {
    servers: Servers,
    url: Url,
    version: Version,
    size: u64,
}

/// A file as its server sends it.
#[allow(clippy::large_enum_variant, reason = "it is passed on once for each object")]
pub(crate) enum Served {
    /// In ranges; the first bytes are here.
    Ranges(HttpFile, Bytes),
    /// Whole.
    Whole(Arc<Spool>),
}

/// Tries again until the time is over.
struct Attempts {
    begun: Instant,
    wait: Duration,
    /// The time for which a server that cannot be reached is tried again.
    unreachable: Duration,
}

impl Attempts {
    fn begin(unreachable: Duration) -> Self {
        Self { begun: Instant::now(), wait: Duration::from_millis(100), unreachable }
    }

    /// Waits before the next attempt; fails if there is none.
    async fn after(&mut self, trouble: Trouble) -> io::Result<()> {
        let (patience, error) = match trouble {
            Trouble::Passing(error) => (PATIENCE, error),
            Trouble::Unreachable(error) => (self.unreachable, error),
            Trouble::Lasting(error) => return Err(error),
        };
        if self.begun.elapsed() + self.wait > patience {
            return Err(error);
        }
        tokio::time::sleep(self.wait).await;
        self.wait = (self.wait * 2).min(Duration::from_secs(10));
        Ok(())
    }
}

/// Opens a file by asking for its first bytes. A copy of the same version in `copies` is used again.
pub(crate) async fn open(servers: Servers, url: Url, first: u64, copy: Option<Arc<Spool>>) -> io::Result<Served> {
    // Its address may be wrong.
    let mut attempts = Attempts::begin(Duration::from_secs(3));
    loop {
        match open_once(&servers, &url, first, copy.as_ref()).await {
            Ok(opened) => return Ok(opened),
            Err(trouble) => attempts.after(trouble).await?,
        }
    }
}

async fn open_once(servers: &Servers, url: &Url, first: u64, copy: Option<&Arc<Spool>>) -> Result<Served, Trouble> {
    let answer = ask(servers, url, Some(0..first), None).await?;
    let status = answer.status();
    if status == StatusCode::PARTIAL_CONTENT {
        let (range, size) = content_range(&answer)?;
        if range.start != 0 || range.end > first {
            return Err(Trouble::mismatch("the server sends another range than the one asked for"));
        }
        let version = Version::of(answer.headers(), size);
        if let (true, Some(size)) = (version.is_known(), size) {
            let bytes = body(answer, range.end).await?;
            return Ok(Served::Ranges(HttpFile { servers: servers.clone(), url: url.clone(), version, size }, bytes));
        }
    }
    // An empty file has no range.
    let is_refused = matches!(status.as_u16(), 400 | 405 | 406 | 412 | 416 | 501);
    let answer = match status {
        StatusCode::OK => answer,
        StatusCode::PARTIAL_CONTENT => ask(servers, url, None, None).await?,
        _ if is_refused => ask(servers, url, None, None).await?,
        _ => return Err(refused(&answer)),
    };
    if answer.status() != StatusCode::OK {
        return Err(refused(&answer));
    }
    let version = Version::of(answer.headers(), answer.content_length());
    match copy.filter(|copy| version.is_known() && copy.version == version) {
        Some(copy) => Ok(Served::Whole(Arc::clone(copy))),
        None => Ok(Served::Whole(Arc::new(copied(answer, version).await?))),
    }
}

impl HttpFile {
    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the time of the last modification.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        self.version.modified()
    }

    /// Returns what the server tells of the file.
    pub(crate) fn version(&self) -> &Version {
        &self.version
    }

    /// Returns whether the server names each version of the file, so that two of them cannot be taken for one.
    pub(crate) fn is_exact(&self) -> bool {
        self.version.strong().is_some()
    }

    /// Reads a range, which must not be empty or go beyond the end.
    pub(crate) async fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        let (mut read, mut attempts) = (BytesMut::new(), Attempts::begin(PATIENCE));
        // A server may send less than it was asked for, if it says so.
        while (read.len() as u64) < range.end - range.start {
            match self.read_once(range.start + read.len() as u64..range.end).await {
                Ok(bytes) => {
                    read.extend_from_slice(&bytes);
                    attempts = Attempts::begin(PATIENCE);
                }
                Err(trouble) => attempts.after(trouble).await?,
            }
        }
        Ok(read.freeze())
    }

    async fn read_once(&self, range: Range<u64>) -> Result<Bytes, Trouble> {
        let answer = ask(&self.servers, &self.url, Some(range.clone()), Some(&self.version)).await?;
        match answer.status() {
            StatusCode::PARTIAL_CONTENT => {}
            // It is shorter than it was.
            StatusCode::PRECONDITION_FAILED | StatusCode::RANGE_NOT_SATISFIABLE => return Err(Trouble::replaced()),
            StatusCode::OK if Version::of(answer.headers(), answer.content_length()) != self.version => {
                return Err(Trouble::replaced());
            }
            StatusCode::OK => return Err(Trouble::mismatch("the server sends some ranges and refuses others")),
            _ => return Err(refused(&answer)),
        }
        let (sent, size) = content_range(&answer)?;
        if Version::of(answer.headers(), size) != self.version {
            return Err(Trouble::replaced());
        }
        if sent.start != range.start || sent.end > range.end {
            return Err(Trouble::mismatch("the server sends another range than the one asked for"));
        }
        body(answer, sent.end - sent.start).await
    }
}

/// Sends a request, and returns the answer unless it says to try again.
async fn ask(
    servers: &Servers,
    url: &Url,
    range: Option<Range<u64>>,
    version: Option<&Version>,
) -> Result<Response, Trouble> {
    let range = range.map(|range| format!("bytes={}-{}", range.start, range.end - 1));
    let validator = version.and_then(|version| match (version.strong(), &version.modified) {
        (Some(etag), _) => Some((header::IF_MATCH, etag)),
        (None, Some(modified)) => Some((header::IF_UNMODIFIED_SINCE, &**modified)),
        (None, None) => None,
    });
    let mut fields = HeaderMap::new();
    fields.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    for (name, value) in range.as_deref().map(|range| (header::RANGE, range)).into_iter().chain(validator) {
        let unfit = |_| Trouble::mismatch("the server names the version of the file by characters that no request has");
        fields.insert(name, HeaderValue::from_str(value).map_err(unfit)?);
    }
    let answer = servers.get(url, fields).await?;
    match answer.status().as_u16() {
        408 | 425 | 429 | 500 | 502..=504 => {
            Err(Trouble::Passing(Failure::of(io::ErrorKind::Other, format!("the server answers {}", answer.status()))))
        }
        _ => Ok(answer),
    }
}

/// Returns the error of an answer that has no file.
fn refused(answer: &Response) -> Trouble {
    let status = answer.status();
    match status.as_u16() {
        404 | 410 => Trouble::lasting(io::ErrorKind::NotFound, format!("the server has no such file ({status})")),
        401 | 403 => Trouble::lasting(
            io::ErrorKind::PermissionDenied,
            format!(
                "it needs credentials ({status}): give the signed address again, or let {VARIABLE} name a list of \
                 addresses that are signed, or that have a user and a password"
            ),
        ),
        _ => Trouble::mismatch(&format!("the server answers {status}")),
    }
}

/// Reads the whole body of an answer, which must have this many bytes.
async fn body(mut answer: Response, length: u64) -> Result<Bytes, Trouble> {
    let mut read = BytesMut::new();
    while let Some(bytes) = answer.chunk().await? {
        read.extend_from_slice(&bytes);
        if read.len() as u64 > length {
            return Err(Trouble::mismatch(&format!("the server sends more than the {length} bytes it announces")));
        }
    }
    if (read.len() as u64) < length {
        let told = format!("the server sends {} of the {length} bytes it announces", read.len());
        return Err(Trouble::mismatch(&told));
    }
    Ok(read.freeze())
}

/// Copies the body of an answer to a temporary file, without the compression that the server added.
async fn copied(mut answer: Response, version: Version) -> Result<Spool, Trouble> {
    let failed = |error: io::Error| Trouble::Lasting(Spool::failed(&error));
    let mut file = Spool::file().map_err(failed)?;
    while let Some(bytes) = answer.chunk().await? {
        file.write_all(&bytes).map_err(failed)?;
    }
    let is_packed_name = || [".gz", ".tgz"].iter().any(|ending| answer.url().path().ends_with(ending));
    let file = match version.encoding.as_deref().map(str::to_ascii_lowercase).as_deref() {
        // Of a file that is compressed itself, servers often say that they did it.
        Some("gzip" | "x-gzip") if !is_packed_name() => unpacked(file).map_err(failed)?,
        None | Some("gzip" | "x-gzip" | "zstd" | "aws-chunked") => file,
        Some(other) => return Err(Trouble::mismatch(&format!("the server compresses it by {other}, unasked"))),
    };
    Spool::new(file, version).map_err(failed)
}

/// Decompresses a file.
fn unpacked(mut packed: File) -> io::Result<File> {
    packed.rewind()?;
    let mut file = Spool::file()?;
    io::copy(&mut flate2::read::MultiGzDecoder::new(io::BufReader::new(packed)), &mut file)?;
    Ok(file)
}

/// Returns the range that an answer has, and the size of the whole file if it is told.
fn content_range(answer: &Response) -> Result<(Range<u64>, Option<u64>), Trouble> {
    let parse = |text: &str| {
        let (range, size) = text.trim().strip_prefix("bytes")?.trim_start().split_once('/')?;
        let (start, last) = range.split_once('-')?;
        let (start, end) = (start.trim().parse::<u64>().ok()?, last.trim().parse::<u64>().ok()?.checked_add(1)?);
        let size = if size == "*" { None } else { Some(size.parse::<u64>().ok()?) };
        (start < end && size.is_none_or(|size| end <= size)).then_some((start..end, size))
    };
    let told = text(answer.headers(), header::CONTENT_RANGE).as_deref().and_then(parse);
    told.ok_or_else(|| Trouble::mismatch("the server sends a part of the file and does not say which"))
}
