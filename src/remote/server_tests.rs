//! Reads from servers that answer in every way that servers have. The server of a test runs in a thread, on 127.0.0.1.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use crate::http::Served;
use crate::servers::{Lookup, Servers};
use crate::{RemoteFile, is_remote_failure};

/// A request: its method and path, its fields in lower case, and how many came before it.
struct Request {
    line: String,
    fields: Vec<(String, String)>,
    number: usize,
}

impl Request {
    fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The range that is asked for, cut at the end of the file.
    fn range(&self, size: usize) -> Option<std::ops::Range<usize>> {
        let (start, last) = self.field("range")?.strip_prefix("bytes=")?.split_once('-')?;
        let last: usize = last.parse().ok()?;
        Some(start.parse().ok()?..size.min(last + 1))
    }
}

/// A server that gives these bytes for each request, and the requests that it has got.
struct Server {
    address: String,
    got: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound").to_string();
        let (got, count, answer) = (Arc::new(Mutex::new(Vec::new())), AtomicUsize::new(0), Arc::new(answer));
        let (log, count) = (Arc::clone(&got), Arc::new(count));
        // The thread ends with the test process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, count, answer) = (Arc::clone(&log), Arc::clone(&count), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &log, &count, &*answer));
            }
        });
        Self { address, got }
    }

    fn url(&self, rest: &str) -> PathBuf {
        format!("http://{}/{rest}", self.address).into()
    }

    fn got(&self) -> String {
        self.got.lock().expect("a log").concat()
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<String>>, count: &AtomicUsize, answer: &dyn Fn(&Request) -> Vec<u8>) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
    let mut head = Vec::new();
    while let Some(Ok(line)) = lines.next() {
        if line.is_empty() {
            break;
        }
        head.push(line);
    }
    let Some(line) = head.first().cloned() else { return };
    log.lock().expect("a log").push(head.join("\n") + "\n");
    let split = |line: &String| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    let fields = head.iter().filter_map(split).collect();
    let _ = stream.write_all(&answer(&Request { line, fields, number: count.fetch_add(1, Ordering::Relaxed) }));
}

/// An answer: its status and fields, and a body. The connection ends with it.
fn answer(status: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {status}\r\nConnection: close\r\n{fields}\r\n").as_bytes(), body].concat()
}

/// An answer of a whole file.
fn whole(fields: &str, body: &[u8]) -> Vec<u8> {
    answer("200 OK", &format!("Content-Length: {}\r\n{fields}", body.len()), body)
}

/// An answer with the range that was asked for.
fn part(request: &Request, fields: &str, file: &[u8]) -> Vec<u8> {
    let Some(range) = request.range(file.len()) else { return whole(fields, file) };
    if range.start >= range.end {
        return answer(
            "416 Range Not Satisfiable",
            &format!("Content-Length: 0\r\nContent-Range: bytes */{}\r\n", file.len()),
            b"",
        );
    }
    let told = format!("Content-Range: bytes {}-{}/{}\r\n", range.start, range.end - 1, file.len());
    let length = format!("Content-Length: {}\r\n", range.len());
    answer("206 Partial Content", &(told + &length + fields), &file[range])
}

const ETAG: &str = "ETag: \"one\"\r\n";
const DATE: &str = "Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r\n";

/// A file that is read by several requests.
fn bytes() -> Vec<u8> {
    static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| (0..150_000_u32).flat_map(|n| (n / 3).to_le_bytes()).collect());
    FILE.clone()
}

fn read(server: &Server, name: &str) -> std::io::Result<Vec<u8>> {
    let (mut file, mut read) = (RemoteFile::open(&server.url(name))?, Vec::new());
    file.read_to_end(&mut read)?;
    assert_eq!(file.size(), read.len() as u64);
    file.seek(SeekFrom::Start(read.len() as u64 / 3))?;
    let mut again = Vec::new();
    file.read_to_end(&mut again)?;
    assert!(again == read[read.len() / 3..], "read by position");
    Ok(read)
}

/// What is told of a file that cannot be read, or not whole.
fn told(server: &Server, name: &str) -> String {
    let error = read(server, name).expect_err("an error");
    assert!(is_remote_failure(&error), "{error:?}");
    error.to_string()
}

#[test]
fn files_are_read_from_every_kind_of_server() {
    let chunked = |file: &[u8]| {
        let mut body = Vec::new();
        for chunk in file.chunks(70_000) {
            body.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            body.extend_from_slice(chunk);
            body.extend_from_slice(b"\r\n");
        }
        answer("200 OK", "Transfer-Encoding: chunked\r\n", &[&*body, b"0\r\n\r\n"].concat())
    };
    let gzip = |file: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(file).expect("memory");
        encoder.finish().expect("memory")
    };
    let file = bytes();
    let seen = Mutex::new(HashSet::new());
    let server = Server::start(move |request| {
        let file = bytes();
        let is_first = || seen.lock().expect("a set").insert((request.line.clone(), request.range(file.len())));
        let name = request.line.split(['/', ' ', '?']).nth(2).unwrap_or_default().to_owned();
        if !request.line.starts_with("GET ") {
            return answer("405 Method Not Allowed", "Content-Length: 0\r\n", b"");
        }
        match &*name {
            "etag" => part(request, ETAG, &file),
            "date" => part(request, DATE, &file),
            "weak" => part(request, &format!("ETag: W/\"one\"\r\n{DATE}"), &file),
            // Without a version, ranges of two versions could be mixed.
            "versionless" => part(request, "", &file),
            "nothing-known" => answer("200 OK", "", &file),
            "whole" => whole(DATE, &file),
            "chunked" => chunked(&file),
            "no-total" if request.range(file.len()).is_some() => {
                part(request, ETAG, &file).to_vec().replace_total(file.len())
            }
            "refuses-ranges" if request.range(file.len()).is_some() => answer("416 No", "Content-Length: 0\r\n", b""),
            "no-total" | "refuses-ranges" => whole(ETAG, &file),
            "compressed" => whole("Content-Encoding: gzip\r\nETag: W/\"one\"\r\n", &gzip(&file)),
            "compressed.gz" => whole("Content-Encoding: gzip\r\n", &gzip(&file)),
            // It sends at most 100,000 bytes, and says so.
            "small-parts" => match request.range(file.len()) {
                Some(range) => {
                    let range = range.start..range.end.min(range.start + 100_000);
                    let told = format!("Content-Range: bytes {}-{}/{}\r\n", range.start, range.end - 1, file.len());
                    let length = format!("Content-Length: {}\r\n", range.len());
                    answer("206 Partial Content", &(told + &length + ETAG), &file[range])
                }
                None => whole(ETAG, &file),
            },
            "busy" if is_first() => answer("503 Busy", "Content-Length: 0\r\n", b""),
            "cut-off" if is_first() => {
                let sent = part(request, ETAG, &file);
                sent[..sent.len() - 10].to_vec()
            }
            "busy" | "cut-off" => part(request, ETAG, &file),
            "empty" => part(request, ETAG, b""),
            _ => answer("404 Not Found", "Content-Length: 0\r\n", b""),
        }
    });
    for name in [
        "etag",
        "date",
        "weak",
        "versionless",
        "nothing-known",
        "whole",
        "chunked",
        "no-total",
        "refuses-ranges",
        "compressed",
        "small-parts",
        "busy",
        "cut-off",
        "etag?X-Amz-Signature=s",
    ] {
        assert!(read(&server, name).unwrap_or_else(|error| panic!("{name}: {error}")) == file, "{name}");
    }
    assert!(read(&server, "compressed.gz").expect("a file") == gzip(&file), "what is named so is compressed");
    assert_eq!(read(&server, "empty").expect("a file"), b"");
    let error = read(&server, "missing").expect_err("404");
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(!server.got().contains("HEAD "), "presigned addresses refuse it");
}

/// Replaces the size in Content-Range by a star.
trait ReplaceTotal {
    fn replace_total(self, size: usize) -> Self;
}

impl ReplaceTotal for Vec<u8> {
    fn replace_total(mut self, size: usize) -> Self {
        let total = format!("/{size}\r\n");
        let at = self.windows(total.len()).position(|window| window == total.as_bytes()).expect("a total");
        self.splice(at..at + total.len(), *b"/*\r\n");
        self
    }
}

#[test]
fn an_answer_that_is_not_what_was_asked_for_is_an_error() {
    let server = Server::start(|request| {
        let file = bytes();
        let range = request.range(file.len()).expect("a range");
        let sent = |told: &str, body: &[u8]| {
            let length = format!("Content-Length: {}\r\n", body.len());
            answer("206 Partial Content", &format!("{ETAG}{told}{length}"), body)
        };
        let told =
            |start: usize, end: usize, size: usize| format!("Content-Range: bytes {start}-{}/{size}\r\n", end - 1);
        let right = told(range.start, range.end, file.len());
        match request.line.split(['/', ' ']).nth(2).unwrap_or_default() {
            _ if range.start == 0 => sent(&right, &file[range]),
            "short" => sent(&right, &file[range.start..usize::midpoint(range.start, range.end)]),
            "long" => sent(&right, &file[range.start - 5..range.end]),
            "other" => sent(&told(range.start - 5, range.end - 5, file.len()), &file[range.start - 5..range.end - 5]),
            "silent" => sent("", &file[range]),
            "resized" => sent(&told(range.start, range.end, file.len() + 1), &file[range]),
            "some" => whole(ETAG, &file),
            _ => answer("412 Precondition Failed", "Content-Length: 0\r\n", b""),
        }
    });
    for (name, want) in [
        ("short", "bytes it announces"),
        ("long", "bytes it announces"),
        ("other", "another range"),
        ("silent", "does not say which"),
        ("resized", "replaced while it was read"),
        ("some", "refuses others"),
        ("changed", "replaced while it was read"),
    ] {
        let told = told(&server, name);
        let next = ["download it", "run the command again"].iter().any(|next| told.contains(next));
        assert!(told.contains(want) && next, "{name}: {told}");
    }
}

#[test]
fn a_file_that_is_replaced_while_it_is_read_is_never_mixed() {
    let other = || bytes().iter().map(|byte| byte ^ 0x55).collect::<Vec<u8>>();
    for name in ["etag", "date", "same-date"] {
        let server = Server::start(move |request| {
            let is_old = request.number < 2;
            let fields = match name {
                "etag" if is_old => ETAG,
                "etag" => "ETag: \"two\"\r\n",
                "date" if !is_old => "Last-Modified: Thu, 02 Jan 2025 00:00:00 GMT\r\n",
                // Nothing tells, except the bytes.
                _ => DATE,
            };
            part(request, fields, &if is_old { bytes() } else { other() })
        });
        let told = told(&server, name);
        assert!(told.contains("replaced while it was read"), "{name}: {told}");
    }
}

#[test]
fn a_file_that_is_replaced_between_two_opens_without_a_new_date_is_an_error_once() {
    let server = Server::start(|request| part(request, DATE, &[u8::from(request.number > 0); 10]));
    assert_eq!(RemoteFile::open(&server.url("a")).expect("a file").size(), 10);
    let error = RemoteFile::open(&server.url("a")).err().expect("other bytes");
    assert!(is_remote_failure(&error) && error.to_string().contains("replaced"), "{error}");
    assert_eq!(RemoteFile::open(&server.url("a")).expect("a file").size(), 10);
}

#[test]
fn a_redirect_is_followed_and_credentials_stay_where_they_belong() {
    let other = Server::start(|request| part(request, ETAG, &bytes()));
    let to = other.url("moved");
    let server = Server::start(move |request| match request.line.split(['/', ' ', '?']).nth(2).unwrap_or_default() {
        "for-ever" => answer("302 Found", "Content-Length: 0\r\nLocation: /for-ever\r\n", b""),
        "private" => answer("403 Forbidden", "Content-Length: 0\r\n", b""),
        _ => answer("302 Found", &format!("Content-Length: 0\r\nLocation: {}\r\n", to.display()), b""),
    });
    let with_user = PathBuf::from(format!("http://me:PASSW0RD@{}/a?X-Amz-Signature=S1GN", server.address));
    let (mut file, mut read) = (RemoteFile::open(&with_user).expect("a file"), Vec::new());
    file.read_to_end(&mut read).expect("it is read");
    assert!(read == bytes());
    assert!(server.got().to_lowercase().contains("authorization: basic"), "{}", server.got());
    let got = other.got();
    assert!(
        !got.to_lowercase().contains("authorization") && !got.contains("S1GN") && got.contains("GET /moved"),
        "{got}"
    );
    assert!(told(&server, "for-ever").contains("again and again"));
    let own = Server::start(|request| match request.line.contains("/there") {
        true => part(request, ETAG, &[7; 10]),
        false => {
            let host = request.field("host").unwrap_or_default();
            answer("302 Found", &format!("Content-Length: 0\r\nLocation: http://{host}/there\r\n"), b"")
        }
    });
    RemoteFile::open(&PathBuf::from(format!("http://me:PASSW0RD@{}/a", own.address))).expect("a file");
    assert_eq!(own.got().to_lowercase().matches("authorization: basic").count(), 2, "{}", own.got());
    let error = RemoteFile::open(&server.url("private?X-Amz-Signature=S1GN")).err().expect("403");
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("NDDB_HTTP_CREDENTIALS") && !error.to_string().contains("S1GN"), "{error}");
}

/// Opens a file of a server by a name that `lookup` finds; addresses other than 127.0.0.1 are of a private network.
fn open_by_name(server: &Server, name: &str, servers: &Servers) -> std::io::Result<u8> {
    let port = server.address.rsplit(':').next().expect("a port");
    let url = url::Url::parse(&format!("http://{name}:{port}/a")).expect("an address");
    let servers = servers.clone();
    let opened = crate::client::wait(async move { crate::http::open(servers, url, 10, None).await })??;
    match opened {
        Served::Ranges(_, bytes) => Ok(bytes[0]),
        Served::Whole(_) => panic!("it has ranges"),
    }
}

#[test]
fn a_name_in_a_private_network_is_read_only_where_the_user_or_that_network_names_it() {
    static LOOKED_UP: AtomicUsize = AtomicUsize::new(0);
    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const PRIVATE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 1, 2, 3));
    let lookup: Lookup = |name| match name {
        "private.test" => Ok(vec![PRIVATE]),
        "both.test" => Ok(vec![PRIVATE, HERE]),
        "rebound.test" => Ok(vec![if LOOKED_UP.fetch_add(1, Ordering::Relaxed) == 0 { HERE } else { PRIVATE }]),
        "public.test" | "other.test" => Ok(vec![HERE]),
        _ => Err(ErrorKind::NotFound.into()),
    };
    let file = Server::start(|request| part(request, ETAG, &[7; 10]));
    let port = file.address.rsplit(':').next().expect("a port").to_owned();
    let redirecting = |name: &str| {
        let to = format!("Content-Length: 0\r\nLocation: http://{name}:{port}/a\r\n");
        Server::start(move |_| answer("302 Found", &to, b""))
    };
    let servers = Servers::with(lookup, |address| address != HERE).expect("clients");
    let refused = |outcome: std::io::Result<u8>, words: &str| {
        let error = outcome.expect_err("refused").to_string();
        assert!(error.contains(words), "{error}");
    };
    for name in ["other.test", "both.test"] {
        assert_eq!(open_by_name(&redirecting(name), "public.test", &servers).expect("public"), 7, "{name}");
    }
    let to_private = redirecting("private.test");
    refused(open_by_name(&to_private, "public.test", &servers), "redirected to private.test, in a private network");
    // A name that has addresses of both kinds is on the internet.
    refused(open_by_name(&to_private, "both.test", &servers), "redirected to private.test, in a private network");
    assert_eq!(open_by_name(&file, "rebound.test", &servers).expect("public at first"), 7);
    refused(open_by_name(&file, "rebound.test", &servers), "rebound.test was on the internet");
    // Here all are in a private network, where the user named a server.
    let inside = Servers::with(lookup, |_| true).expect("clients");
    assert_eq!(open_by_name(&redirecting("other.test"), "public.test", &inside).expect("private"), 7);
}

#[test]
fn a_file_that_a_server_sends_whole_is_copied_once_for_each_version() {
    let server = Server::start(|request| {
        let date = if request.number < 3 { DATE } else { "Last-Modified: Thu, 02 Jan 2025 00:00:00 GMT\r\n" };
        whole(date, &[request.number as u8; 1000])
    });
    let first = || read(&server, "a").expect("a file")[0];
    assert_eq!([first(), first(), first(), first()], [0, 0, 0, 3], "the number of the request that was copied");
}
