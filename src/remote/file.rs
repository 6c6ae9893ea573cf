//! A remote object as a file: read from any offset, ahead and in parallel where it is read on.

use std::collections::VecDeque;
use std::future::Future;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::SystemTime;

use bytes::Bytes;
use object_store::path::Path as Location;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};
use tokio::task::AbortHandle;

use crate::address::Address;
use crate::client::{self, Client, client_of, received};
use crate::failure::Failure;
use crate::http::{HttpFile, Served};
use crate::spool::Spool;
use crate::trouble::REPLACED;

/// Bytes of the first request after a seek. One record is wanted there, perhaps, and nothing after it.
const FIRST: u64 = 128 << 10;
/// Bytes of a request when much was read on.
const LARGEST: u64 = 4 << 20;
/// Requests at a time when much was read on.
const REQUESTS: usize = 8;
/// Bytes that are read again at the beginning of each request, if the server does not name each version of the object:
/// they must be equal.
const OVERLAP: u64 = 4 << 10;

/// A remote object as a file.
///
/// Reading on from an offset doubles the size of the requests, up to 4 MB, and their number at a time, up to 8: at most
/// 36 MB of memory. If the object is replaced while it is read, reading fails; after a failure it may be tried again.
/// An object of a server that sends no ranges is copied to a temporary file when it is opened.
pub struct RemoteFile(Inner);

enum Inner {
    Ranges(RangesFile),
    /// A copy of the object, and the offset of this file.
    Copy(Arc<Spool>, u64),
}

/// Where ranges are read.
enum RangeOrigin {
    Store(Client, ObjectMeta),
    Server(HttpFile),
}

/// An object that is read in ranges.
struct RangesFile {
    origin: Arc<RangeOrigin>,
    /// The bytes that were received last, and the offset of the first one.
    here: Bytes,
    start: u64,
    /// The offset of this file: among these bytes, or at their end.
    at: u64,
    /// The requests for the bytes after them, in order.
    ahead: VecDeque<Request>,
    /// The offset from which bytes were requested without a gap, and that of the first byte that was not.
    first: u64,
    next: u64,
    /// Bytes of the next request, and how many are sent at a time.
    step: u64,
    requests: usize,
}

/// A request that was sent; it is given up when it is dropped.
struct Request {
    answer: Receiver<io::Result<Bytes>>,
    task: AbortHandle,
    /// Number of bytes at the beginning of the answer that the one before ends with.
    overlap: usize,
}

impl Drop for Request {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl RangeOrigin {
    fn size(&self) -> u64 {
        match self {
            Self::Store(_, object) => object.size,
            Self::Server(file) => file.size(),
        }
    }

    fn modified(&self) -> Option<SystemTime> {
        match self {
            Self::Store(_, object) => Some(object.last_modified.into()),
            Self::Server(file) => file.modified(),
        }
    }

    /// Returns whether two versions of the object cannot be taken for one.
    fn is_exact(&self) -> bool {
        match self {
            Self::Store(_, object) => object.e_tag.as_ref().is_some_and(|etag| !etag.starts_with("W/")),
            Self::Server(file) => file.is_exact(),
        }
    }

    fn read(self: Arc<Self>, range: Range<u64>) -> Pin<Box<dyn Future<Output = io::Result<Bytes>> + Send>> {
        Box::pin(async move {
            match &*self {
                Self::Store(client, object) => read_object(client, object, range).await,
                Self::Server(file) => file.read(range).await,
            }
        })
    }
}

/// Reads a range of an object, and compares the answer with what was asked for.
async fn read_object(client: &Client, object: &ObjectMeta, range: Range<u64>) -> io::Result<Bytes> {
    let if_match = object.e_tag.clone().filter(|etag| !etag.starts_with("W/"));
    let if_unmodified_since = if_match.is_none().then_some(object.last_modified);
    let asked = Some(GetRange::Bounded(range.clone()));
    let options = GetOptions { range: asked, if_match, if_unmodified_since, ..GetOptions::default() };
    let answer = client.get_opts(&object.location, options).await.map_err(client::told)?;
    let version = |of: &ObjectMeta| (of.e_tag.clone(), of.size, of.e_tag.is_none().then_some(of.last_modified));
    if version(&answer.meta) != version(object) {
        return Err(Failure::of(io::ErrorKind::Other, REPLACED));
    }
    let bytes = answer.bytes().await.map_err(client::told)?;
    let length = range.end - range.start;
    if bytes.len() as u64 != length {
        let told = format!("the store sends {} of {length} bytes; run the command again", bytes.len());
        return Err(Failure::of(io::ErrorKind::InvalidData, told));
    }
    Ok(bytes)
}

impl RemoteFile {
    /// Opens an object.
    ///
    /// # Errors
    /// There is no such object, or the store cannot be reached or refuses.
    pub fn open(path: &Path) -> io::Result<Self> {
        if Address::of(path).is_some_and(|address| address.is_http()) {
            return Ok(Self(match client::open_http(path, FIRST)? {
                Served::Ranges(file, first) => Inner::Ranges(RangesFile::new(RangeOrigin::Server(file), first)),
                Served::Whole(copy) => Inner::Copy(copy, 0),
            }));
        }
        let (client, location) = client_of(path)?;
        Self::of(client, location)
    }

    fn of(client: Client, location: Location) -> io::Result<Self> {
        let asked = Arc::clone(&client);
        let object = client::wait(async move { asked.head(&location).await })?.map_err(client::told)?;
        Ok(Self(Inner::Ranges(RangesFile::new(RangeOrigin::Store(client, object), Bytes::new()))))
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        match &self.0 {
            Inner::Ranges(file) => file.origin.size(),
            Inner::Copy(copy, _) => copy.size(),
        }
    }

    /// Returns the time of the last modification.
    #[must_use]
    pub fn modified(&self) -> Option<SystemTime> {
        match &self.0 {
            Inner::Ranges(file) => file.origin.modified(),
            Inner::Copy(copy, _) => copy.version.modified(),
        }
    }
}

impl RangesFile {
    fn new(origin: RangeOrigin, here: Bytes) -> Self {
        let next = here.len() as u64;
        let (origin, ahead) = (Arc::new(origin), VecDeque::new());
        Self { origin, here, start: 0, at: 0, ahead, first: 0, next, step: FIRST, requests: 1 }
    }

    /// Forgets what was received and requested, and begins at an offset.
    fn begin_at(&mut self, offset: u64) {
        (self.here, self.start, self.at) = (Bytes::new(), offset, offset);
        self.ahead.clear();
        (self.first, self.next, self.step, self.requests) = (offset, offset, FIRST, 1);
    }

    /// Waits for the bytes at the offset of this file, which are not here. Returns false at the end of the object.
    fn receive(&mut self) -> io::Result<bool> {
        self.request()?;
        let Some(request) = self.ahead.pop_front() else { return Ok(false) };
        let mut bytes = received(&request.answer)??;
        if !self.here.ends_with(&bytes.split_to(request.overlap)) {
            return Err(Failure::of(io::ErrorKind::Other, REPLACED));
        }
        self.here = bytes;
        self.start = self.at;
        // The next ones are under way while these bytes are used.
        self.requests = (self.requests * 2).min(REQUESTS);
        self.request()?;
        Ok(true)
    }

    /// Sends the requests that are due.
    fn request(&mut self) -> io::Result<()> {
        while self.ahead.len() < self.requests && self.next < self.origin.size() {
            let end = (self.next + self.step).min(self.origin.size());
            let overlap = if self.origin.is_exact() { 0 } else { OVERLAP.min(self.next - self.first) };
            let (answer, task) = client::start(Arc::clone(&self.origin).read(self.next - overlap..end))?;
            self.ahead.push_back(Request { answer, task, overlap: overlap as usize });
            self.next = end;
            if self.step < LARGEST {
                self.step *= 2;
            }
        }
        Ok(())
    }
}

impl Read for RemoteFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Ranges(file) => file.read(out),
            Inner::Copy(copy, at) => {
                let read = copy.read_at(out, *at)?;
                *at += read as u64;
                Ok(read)
            }
        }
    }
}

impl Seek for RemoteFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (at, size) = match &self.0 {
            Inner::Ranges(file) => (file.at, file.origin.size()),
            Inner::Copy(copy, at) => (*at, copy.size()),
        };
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(by) => at.checked_add_signed(by),
            SeekFrom::End(by) => size.checked_add_signed(by),
        };
        let target = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        match &mut self.0 {
            Inner::Ranges(file) => file.go_to(target),
            Inner::Copy(_, at) => *at = target,
        }
        Ok(target)
    }
}

impl RangesFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.start + self.here.len() as u64 {
            // The requests after one that failed are not those for the bytes at this offset.
            let is_more = self.receive().inspect_err(|_| self.begin_at(self.at))?;
            if !is_more {
                return Ok(0);
            }
        }
        let from = (self.at - self.start) as usize;
        let length = out.len().min(self.here.len() - from);
        out[..length].copy_from_slice(&self.here[from..from + length]);
        self.at += length as u64;
        Ok(length)
    }

    fn go_to(&mut self, target: u64) {
        if !(self.start..=self.start + self.here.len() as u64).contains(&target) {
            self.begin_at(target);
        }
        self.at = target;
    }
}

#[cfg(test)]
mod tests {
    use nddb_test_support::Random;
    use object_store::memory::InMemory;

    use super::*;

    /// An object of these bytes, as a file.
    fn stored(bytes: &[u8]) -> (Client, RemoteFile) {
        let (client, location): (Client, _) = (Arc::new(InMemory::new()), Location::from("folder/object"));
        put(&client, bytes);
        let file = RemoteFile::of(Arc::clone(&client), location).expect("an object");
        (client, file)
    }

    fn put(client: &Client, bytes: &[u8]) {
        let (client, bytes) = (Arc::clone(client), Bytes::copy_from_slice(bytes));
        let put = async move { client.put(&Location::from("folder/object"), bytes.into()).await };
        client::wait(put).expect("an answer").expect("it is stored");
    }

    #[test]
    fn reads_and_seeks_give_the_bytes_of_the_object() {
        let mut random = Random::seeded("reads and seeks of a remote object");
        let bytes: Vec<u8> = (0..3 * LARGEST + 12_345).map(|_| random.next() as u8).collect();
        let (_, mut file) = stored(&bytes);
        assert_eq!(file.size(), bytes.len() as u64);
        let mut whole = Vec::new();
        file.read_to_end(&mut whole).expect("it is read");
        assert!(whole == bytes, "read in one go");
        for _ in 0..300 {
            let at = random.next() % (bytes.len() as u64 + 10);
            assert_eq!(file.seek(SeekFrom::Start(at)).expect("any offset"), at);
            let rest = &bytes[bytes.len().min(at as usize)..];
            let length = (random.next() % (2 * FIRST)) as usize;
            let mut read = Vec::new();
            file.by_ref().take(length as u64).read_to_end(&mut read).expect("it is read");
            assert!(read == rest[..length.min(rest.len())], "{length} bytes at {at}");
            assert_eq!(file.stream_position().expect("known"), at + read.len() as u64);
        }
        assert!(file.seek(SeekFrom::End(-(bytes.len() as i64) - 1)).is_err(), "before the beginning");
    }

    #[test]
    fn an_object_that_is_replaced_or_missing_is_an_error_of_the_store() {
        let (client, mut file) = stored(&vec![1; 9 * FIRST as usize]);
        file.read_exact(&mut [0; 10]).expect("it is read");
        put(&client, &vec![2; 9 * FIRST as usize]);
        file.seek(SeekFrom::Start(5)).expect("what is here already");
        file.read_exact(&mut [0; 10]).expect("what is here already");
        file.seek(SeekFrom::Start(8 * FIRST)).expect("any offset");
        let error = file.read(&mut [0]).expect_err("other bytes");
        assert!(crate::is_remote_failure(&error) && error.to_string().contains("replaced"), "{error}");
        // What was requested after it is not taken for the bytes here.
        assert!(file.read(&mut [0]).is_err(), "again");
        let error = RemoteFile::of(client, Location::from("folder/other")).err().expect("no such object");
        assert!(crate::is_remote_failure(&error) && error.kind() == io::ErrorKind::NotFound, "{error}");
    }
}
