//! The threads that send requests, and one client for each bucket and server.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path as Location;
use object_store::{ClientOptions, Error, ObjectStore, RetryConfig};
use tokio::runtime::{Builder, Runtime};
use url::{Position, Url};

use crate::address::Address;
use crate::failure::Failure;

/// Threads that send requests and receive answers.
const THREADS: usize = 2;
/// Time for which a request is tried again.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client that other threads share.
pub(crate) type Client = Arc<dyn ObjectStore>;

/// The threads and clients of one process: a forked child has none of its parent's threads, and makes its own.
struct World {
    process: u32,
    runtime: Runtime,
    clients: HashMap<String, Client>,
}

static WORLD: Mutex<Option<World>> = Mutex::new(None);

impl World {
    fn start() -> io::Result<Self> {
        // Fails if the program has chosen one, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(THREADS).thread_name("nddb-remote").enable_all().build()?;
        Ok(Self { process: std::process::id(), runtime, clients: HashMap::new() })
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

/// The client of a remote path, and the object in it.
pub(crate) fn client_of(path: &Path) -> io::Result<(Client, Location)> {
    let refused = |told: String| Failure::of(io::ErrorKind::InvalidInput, told);
    let address = Address::of(path).ok_or_else(|| refused("it is not the address of an object".into()))?;
    if address.bucket.is_empty() {
        return Err(refused(format!("a bucket must be named: {}://BUCKET/OBJECT", address.scheme)));
    }
    let (name, location) = if address.is_http() {
        let url = path.to_str().and_then(|text| Url::parse(text).ok());
        let url = url.ok_or_else(|| refused("it is no valid URL".into()))?;
        let query = url.query().map_or_else(String::new, |query| format!("?{query}"));
        (format!("{}{query}", &url[..Position::BeforePath]), Location::from_url_path(url.path()))
    } else {
        let key = address.key.trim_end_matches('/');
        (address.root(), Location::parse(key))
    };
    let location = location.map_err(|error| refused(error.to_string()))?;
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

fn connect(address: Address<'_>, name: &str) -> object_store::Result<Client> {
    let retry = RetryConfig { retry_timeout: PATIENCE, ..RetryConfig::default() };
    // A large range takes long on a slow line: what ends a request is that nothing arrives.
    let options = ClientOptions::new().with_timeout_disabled().with_read_timeout(Duration::from_secs(30));
    Ok(match address.scheme {
        "s3" | "s3a" => {
            let is_plain = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"]
                .iter()
                .any(|name| std::env::var(name).is_ok_and(|value| value.starts_with("http://")));
            let builder = AmazonS3Builder::from_env().with_bucket_name(address.bucket).with_retry(retry);
            Arc::new(builder.with_client_options(options.with_allow_http(is_plain)).build()?)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(address.bucket).with_retry(retry);
            Arc::new(builder.with_client_options(options).build()?)
        }
        "az" | "abfs" | "abfss" => {
            let builder = MicrosoftAzureBuilder::from_env().with_url(name).with_retry(retry);
            Arc::new(builder.with_client_options(options).build()?)
        }
        _ => {
            let options = options.with_allow_http(address.scheme == "http");
            Arc::new(HttpBuilder::new().with_url(name).with_retry(retry).with_client_options(options).build()?)
        }
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
        Error::Precondition { .. } => (ErrorKind::Other, "it was replaced while it was read; begin again".to_owned()),
        _ => match causes(&error) {
            // A machine of a cloud is asked for its role only if the environment has no credentials.
            text if text.contains("://169.254.169.254/") => {
                (ErrorKind::PermissionDenied, format!("there are no credentials; {credentials}"))
            }
            text => (ErrorKind::Other, text),
        },
    };
    Failure::of(kind, text)
}

/// The messages of an error and of what caused it, each once.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
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
