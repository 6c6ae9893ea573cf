//! A remote object as a file: read from any offset, ahead and in parallel where it is read on.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::SystemTime;

use bytes::Bytes;
use object_store::path::Path as Location;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};
use tokio::task::AbortHandle;

use crate::client::{self, Client, client_of, received};

/// Bytes of the first request after a seek. One record is wanted there, perhaps, and nothing after it.
const FIRST: u64 = 128 << 10;
/// Bytes of a request when much was read on.
const LARGEST: u64 = 4 << 20;
/// Requests at a time when much was read on.
const REQUESTS: usize = 8;

/// A remote object as a file.
///
/// Reading on from an offset doubles the size of the requests, up to 4 MB, and their number at a time, up to 8: at most
/// 36 MB of memory. If the object is replaced while it is read, reading fails; after a failure it may be tried again.
pub struct RemoteFile {
    client: Client,
    object: ObjectMeta,
    /// The bytes that were received last, and the offset of the first one.
    here: Bytes,
    start: u64,
    /// The offset of this file: among these bytes, or at their end.
    at: u64,
    /// The requests for the bytes after them, in order.
    ahead: VecDeque<Request>,
    /// The offset of the first byte that was not requested.
    next: u64,
    /// Bytes of the next request, and how many are sent at a time.
    step: u64,
    requests: usize,
}

/// A request that was sent; it is given up when it is dropped.
struct Request {
    answer: Receiver<object_store::Result<Bytes>>,
    task: AbortHandle,
}

impl Drop for Request {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl RemoteFile {
    /// Opens an object.
    ///
    /// # Errors
    /// There is no such object, or the store cannot be reached or refuses.
    pub fn open(path: &Path) -> io::Result<Self> {
        let (client, location) = client_of(path)?;
        Self::of(client, location)
    }

    fn of(client: Client, location: Location) -> io::Result<Self> {
        let asked = Arc::clone(&client);
        let object = client::wait(async move { asked.head(&location).await })?.map_err(client::told)?;
        let (here, ahead) = (Bytes::new(), VecDeque::new());
        Ok(Self { client, object, here, start: 0, at: 0, ahead, next: 0, step: FIRST, requests: 1 })
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.object.size
    }

    /// Returns the time of the last modification.
    #[must_use]
    pub fn modified(&self) -> Option<SystemTime> {
        Some(self.object.last_modified.into())
    }

    /// Forgets what was received and requested, and begins at an offset.
    fn begin_at(&mut self, offset: u64) {
        (self.here, self.start, self.at) = (Bytes::new(), offset, offset);
        self.ahead.clear();
        (self.next, self.step, self.requests) = (offset, FIRST, 1);
    }

    /// Waits for the bytes at the offset of this file, which are not here. Returns false at the end of the object.
    fn receive(&mut self) -> io::Result<bool> {
        self.request()?;
        let Some(request) = self.ahead.pop_front() else { return Ok(false) };
        self.here = received(&request.answer)?.map_err(client::told)?;
        self.start = self.at;
        // The next ones are under way while these bytes are used.
        self.requests = (self.requests * 2).min(REQUESTS);
        self.request()?;
        Ok(true)
    }

    /// Sends the requests that are due.
    fn request(&mut self) -> io::Result<()> {
        while self.ahead.len() < self.requests && self.next < self.object.size {
            let end = (self.next + self.step).min(self.object.size);
            let (client, location) = (Arc::clone(&self.client), self.object.location.clone());
            let range = Some(GetRange::Bounded(self.next..end));
            let options = GetOptions { range, if_match: self.object.e_tag.clone(), ..GetOptions::default() };
            let request = async move { client.get_opts(&location, options).await?.bytes().await };
            let (answer, task) = client::start(request)?;
            self.ahead.push_back(Request { answer, task });
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
}

impl Seek for RemoteFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.object.size.checked_add_signed(by),
        };
        let target = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        if !(self.start..=self.start + self.here.len() as u64).contains(&target) {
            self.begin_at(target);
        }
        self.at = target;
        Ok(target)
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
