//! Listing, writing and removing objects.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::path::Path as Location;
use object_store::{MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt};

use crate::Listed;
use crate::address::{Address, check_writable};
use crate::client::{self, Client, client_of, received, told};
use crate::failure::Failure;
use crate::listing::real_name;

/// Bytes of a part of an object that is written in parts: 10,000 of them, the most that S3 takes, are 640 GB.
const PART: usize = 64 << 20;
/// Parts that are under way at a time.
const PARTS: usize = 2;

/// Lists all objects below a folder of a store, sorted by path. There are no folders in a store: objects are *below* a
/// path if their names begin with it and a slash.
///
/// # Errors
/// The store cannot be reached, refuses, or is an HTTP server, which lists nothing.
pub fn list(path: &Path) -> io::Result<Vec<Listed>> {
    let (client, location) = of_a_store(path, "an HTTP server does not list its files; name each one")?;
    let found: Vec<_> = client::wait(async move { client.list(Some(&location)).try_collect().await })?.map_err(told)?;
    let root = Address::of(path).map(|address| address.root()).unwrap_or_default();
    let listed = |object: ObjectMeta| {
        let name = real_name(object.location.as_ref());
        // Consoles of stores make empty objects with the names of folders.
        let is_folder = name.ends_with('/') && object.size == 0;
        let path = PathBuf::from(format!("{root}/{name}"));
        (!is_folder).then_some(Listed { path, size: object.size, tag: object.e_tag })
    };
    let mut found: Vec<Listed> = found.into_iter().filter_map(listed).collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Removes an object; one that is not there is as good as removed.
///
/// # Errors
/// The store cannot be reached or refuses.
pub fn remove(path: &Path) -> io::Result<()> {
    let (client, location) = of_a_store(path, "nothing can be removed from an HTTP server")?;
    match client::wait(async move { client.delete(&location).await })? {
        Err(object_store::Error::NotFound { .. }) => Ok(()),
        done => done.map_err(told),
    }
}

/// Writes an object. It appears when it is whole, and replaces an earlier one. `sent` is told of the bytes that have
/// arrived, part by part, and returns whether to go on.
///
/// # Errors
/// `from` cannot be read; the store cannot be reached, refuses, or is an HTTP server; `sent` returned `false`. There is
/// no new object then.
pub fn upload(path: &Path, from: &mut dyn Read, sent: &mut dyn FnMut(u64) -> bool) -> io::Result<()> {
    check_writable(path)?;
    let (client, location) = client_of(path)?;
    let first = part(from)?;
    if first.len() < PART {
        let length = first.len() as u64;
        client::wait(async move { client.put(&location, first.into()).await })?.map_err(told)?;
        sent(length);
        return Ok(());
    }
    let mut parts = client::wait(async move { client.put_multipart(&location).await })?.map_err(told)?;
    match send(&mut *parts, first, from, sent) {
        Ok(()) => client::wait(async move { parts.complete().await })?.map(drop).map_err(told),
        Err(error) => {
            // What was sent would be stored, and paid for, unseen.
            let _ = client::wait(async move { parts.abort().await });
            Err(error)
        }
    }
}

fn send(
    parts: &mut dyn MultipartUpload,
    first: Bytes,
    from: &mut dyn Read,
    sent: &mut dyn FnMut(u64) -> bool,
) -> io::Result<()> {
    let (mut next, mut under_way) = (first, VecDeque::new());
    while !next.is_empty() || !under_way.is_empty() {
        if under_way.len() == PARTS || next.is_empty() {
            if let Some((length, answer)) = under_way.pop_front() {
                received::<object_store::Result<()>>(&answer)?.map_err(told)?;
                if !sent(length) {
                    return Err(Failure::of(io::ErrorKind::Other, "it was stopped"));
                }
            }
        } else {
            let length = next.len() as u64;
            under_way.push_back((length, client::start(parts.put_part(next.into()))?.0));
            next = part(from)?;
        }
    }
    Ok(())
}

/// Reads the next part, which is shorter at the end only.
fn part(from: &mut dyn Read) -> io::Result<Bytes> {
    let mut part = Vec::new();
    from.take(PART as u64).read_to_end(&mut part)?;
    Ok(part.into())
}

/// The client of a path that must be in a store.
fn of_a_store(path: &Path, else_told: &str) -> io::Result<(Client, Location)> {
    if Address::of(path).is_some_and(|address| address.is_http()) {
        return Err(Failure::of(io::ErrorKind::Unsupported, else_told));
    }
    client_of(path)
}
