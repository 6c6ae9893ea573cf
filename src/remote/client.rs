//! The threads that send requests, and one client for each bucket and server.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::{Path as Location, PathPart};
use object_store::{ClientOptions, Error, ObjectStore, RetryConfig};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::address::Address;
use crate::credentials::{self, without_credentials};
use crate::failure::Failure;
use crate::http::{self, PATIENCE};
use crate::listing::Listings;
use crate::servers::SILENCE;
use crate::servers::Servers;
use crate::spool::Spool;
use crate::trouble::{REPLACED, causes};
use crate::version::Version;

/// Threads that send requests and receive answers.
const THREADS: usize = 2;
/// Copies of files that are kept for the next time that they are opened: a load identifies a file, then reads it.
const COPIES: usize = 4;

/// A client that other threads share.
pub(crate) type Client = Arc<dyn ObjectStore>;

/// The threads and clients of one process: a forked child has none of its parent's threads, and makes its own.
struct World {
    process: u32,
    runtime: Runtime,
    clients: HashMap<String, Client>,
    servers: Option<Servers>,
    /// Copies of files that were read last, the latest at the end.
    copies: VecDeque<(Url, Arc<Spool>)>,
    /// The versions of files whose server does not name each version, and the hashes of their first bytes.
    beginnings: HashMap<Url, (Version, u64)>,
}

static WORLD: Mutex<Option<World>> = Mutex::new(None);

impl World {
    fn start() -> io::Result<Self> {
        // Fails if the program has chosen one, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(THREADS).thread_name("nddb-remote").enable_all().build()?;
        Ok(Self {
            process: std::process::id(),
            runtime,
            clients: HashMap::new(),
            servers: None,
            copies: VecDeque::new(),
            beginnings: HashMap::new(),
        })
    }
}

/// Calls a function with the threads and clients of this process, which the first call starts.
fn with<T>(function: impl FnOnce(&mut World) -> io::Result<T>) -> io::Result<T> {
    let mut world = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(parents) = world.take_if(|world| world.process != std::process::id()) {
        // Its threads are not here: to end it would wait for them for ever.
        Box::leak(Box::new(parents));
    }
    match &mut *world {
        Some(world) => function(world),
        none => function(none.insert(World::start()?)),
    }
}

/// Starts a request; what it gives arrives at the receiver. Dropping the handle does not end it: see
/// [`tokio::task::AbortHandle`].
pub(crate) fn start<T: Send + 'static>(
    request: impl Future<Output = T> + Send + 'static,
) -> io::Result<(Receiver<T>, tokio::task::AbortHandle)> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let task = with(|world| {
        Ok(world.runtime.spawn(async move {
            // Nobody waits any more if this fails.
            let _ = sender.send(request.await);
        }))
    })?;
    Ok((receiver, task.abort_handle()))
}

/// Waits for a request.
pub(crate) fn wait<T: Send + 'static>(request: impl Future<Output = T> + Send + 'static) -> io::Result<T> {
    received(&start(request)?.0)
}

/// Waits for what a started request gives.
pub(crate) fn received<T>(receiver: &Receiver<T>) -> io::Result<T> {
    receiver.recv().map_err(|_| Failure::of(io::ErrorKind::Other, "the request was given up"))
}

/// Opens a file of an HTTP server, of which the first bytes are asked for.
pub(crate) fn open_http(path: &Path, first: u64) -> io::Result<http::Served> {
    let address = path.to_str().unwrap_or_default();
    let listed = std::env::var_os(credentials::VARIABLE).map(|list| credentials::list(Path::new(&list))).transpose()?;
    let supplied = listed.and_then(|list| credentials::supplied(address, &list));
    let url = Url::parse(supplied.as_deref().unwrap_or(address));
    let url = url.map_err(|error| refused(format!("it is no valid URL: {error}")))?;
    let (servers, copy) = with(|world| {
        let servers = match &world.servers {
            Some(servers) => servers.clone(),
            None => world.servers.insert(Servers::connect()?).clone(),
        };
        let copy = world.copies.iter().find(|(known, _)| *known == url).map(|(_, copy)| Arc::clone(copy));
        Ok((servers, copy))
    })?;
    let asked = url.clone();
    let opened = wait(async move { http::open(servers, asked, first, copy).await })??;
    with(|world| match &opened {
        http::Served::Whole(copy) => {
            world.copies.retain(|(known, _)| *known != url);
            world.copies.push_back((url, Arc::clone(copy)));
            if world.copies.len() > COPIES {
                world.copies.pop_front();
            }
            Ok(())
        }
        http::Served::Ranges(file, _) if file.is_exact() => Ok(()),
        http::Served::Ranges(file, first) => {
            let beginning = (file.version().clone(), hash_of(first));
            let known = world.beginnings.remove(&url);
            if known.is_some_and(|known| known.0 == beginning.0 && known.1 != beginning.1) {
                // The file was opened to identify it, and is not that file any more.
                return Err(Failure::of(io::ErrorKind::Other, REPLACED));
            }
            world.beginnings.insert(url, beginning);
            Ok(())
        }
    })?;
    Ok(opened)
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn refused(told: impl Into<String>) -> io::Error {
    Failure::of(io::ErrorKind::InvalidInput, told)
}

/// The client of a path in a store, and the object in it.
pub(crate) fn client_of(path: &Path) -> io::Result<(Client, Location)> {
    let address = Address::of(path).ok_or_else(|| refused("it is not the address of an object"))?;
    if address.bucket.is_empty() {
        return Err(refused(format!("a bucket must be named: {}://BUCKET/OBJECT", address.scheme)));
    }
    let location = location_of(address.key.strip_suffix('/').unwrap_or(address.key))?;
    let name = address.root();
    let client = with(|world| {
        if let Some(known) = world.clients.get(&name) {
            return Ok(Arc::clone(known));
        }
        let made = connect(address, &name).map_err(told)?;
        world.clients.insert(name.clone(), Arc::clone(&made));
        Ok(made)
    })?;
    Ok((client, location))
}

/// The object of this name. Names may have empty parts (`a//b`).
fn location_of(key: &str) -> io::Result<Location> {
    if key.is_empty() {
        return Ok(Location::default());
    }
    key.split('/').try_fold(Location::default(), |above, part| {
        let part = match part {
            "" => PathPart::from(""),
            part => PathPart::parse(part).map_err(|error| {
                refused(format!("no request can name this object: {error}; give it another name in the store"))
            })?,
        };
        Ok(above.join(part))
    })
}

fn connect(address: Address<'_>, name: &str) -> object_store::Result<Client> {
    let retry = RetryConfig { retry_timeout: PATIENCE, ..RetryConfig::default() };
    // A large range takes long on a slow line: what ends a request is that nothing arrives.
    let options = ClientOptions::new().with_timeout_disabled().with_read_timeout(SILENCE);
    Ok(match address.scheme {
        "s3" | "s3a" => {
            let is_plain = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"]
                .iter()
                .any(|name| std::env::var(name).is_ok_and(|value| value.starts_with("http://")));
            let builder = AmazonS3Builder::from_env()
                .with_bucket_name(address.bucket)
                .with_retry(retry)
                .with_http_connector(Listings);
            Arc::new(builder.with_client_options(options.with_allow_http(is_plain)).build()?)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env()
                .with_bucket_name(address.bucket)
                .with_retry(retry)
                .with_http_connector(Listings);
            Arc::new(builder.with_client_options(options).build()?)
        }
        "az" | "abfs" | "abfss" => {
            let builder =
                MicrosoftAzureBuilder::from_env().with_url(name).with_retry(retry).with_http_connector(Listings);
            Arc::new(builder.with_client_options(options).build()?)
        }
        _ => return Err(Error::NotSupported { source: "it is no store".into() }),
    })
}

/// An error of a request, with the next step where one is known.
pub(crate) fn told(error: Error) -> io::Error {
    use io::ErrorKind;
    let credentials = "are credentials set? AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, \
                       GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY; \
                       AWS_SKIP_SIGNATURE=true for a public bucket";
    let (kind, text) = match &error {
        Error::NotFound { .. } => (ErrorKind::NotFound, "there is no such object or bucket".to_owned()),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            (ErrorKind::PermissionDenied, format!("the store refuses it; {credentials}"))
        }
        Error::Precondition { .. } => (ErrorKind::Other, REPLACED.to_owned()),
        _ => match causes(&error) {
            // A machine of a cloud is asked for its role only if the environment has no credentials.
            text if text.contains("://169.254.169.254/") => {
                (ErrorKind::PermissionDenied, format!("there are no credentials; {credentials}"))
            }
            text => (ErrorKind::Other, text),
        },
    };
    Failure::of(kind, without_credentials(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_store_tells_the_next_step() {
        let generic = |source: &str| Error::Generic { store: "S3", source: source.into() };
        let asked = told(generic("Error performing PUT http://169.254.169.254/latest/api/token: 403 Forbidden"));
        assert_eq!(asked.kind(), io::ErrorKind::PermissionDenied);
        let asked = asked.to_string();
        assert!(
            asked.starts_with("there are no credentials; ") && asked.contains("AWS_SKIP_SIGNATURE=true"),
            "{asked}"
        );
        let other = told(generic("Error performing GET http://127.0.0.1:9/x: connection refused")).to_string();
        assert!(other.contains("connection refused") && !other.contains("credentials"), "{other}");
    }
}
