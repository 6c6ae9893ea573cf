//! Inputs on a server, lists of them, and credentials in their addresses.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::helper::Dir;

/// The lines of the requests that a server has got, with their Authorization.
type Log = Arc<Mutex<Vec<String>>>;

/// Starts a server that answers each path with what the function returns, or 404; the thread ends with the test process.
fn server(files: impl Fn(&str) -> Option<Vec<u8>> + Send + 'static) -> (String, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound").to_string();
    let log = Log::default();
    let got = Arc::clone(&log);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
            let head: Vec<String> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let is_kept = |line: &&String| line.starts_with("GET") || line.to_lowercase().starts_with("authorization");
            got.lock().expect("a log").extend(head.iter().filter(is_kept).cloned());
            let target = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
            let answer = match files(target) {
                Some(body) => {
                    let date = "Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT";
                    let head = format!(
                        "HTTP/1.1 200 OK\r\n{date}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                        body.len()
                    );
                    [head.as_bytes(), &body].concat()
                }
                None => b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec(),
            };
            let _ = stream.write_all(&answer);
        }
    });
    (address, log)
}

fn pages(ids: &[&str]) -> Vec<u8> {
    let words = |id: &str| (0..60).map(|number| format!("{id}{number}")).collect::<Vec<_>>().join(" ");
    ids.iter().flat_map(|id| format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", words(id)).into_bytes()).collect()
}

/// Returns all files below a folder, with what they contain.
fn files_below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files_below(&path),
            false => vec![(path.clone(), std::fs::read(&path).expect("a file"))],
        })
        .collect()
}

#[test]
fn a_list_on_a_server_names_only_what_is_below_its_base() {
    let dir = Dir::with_database();
    dir.write("mine.jsonl", &pages(&["mine"]));
    let (other, asked) = server(|_| Some(pages(&["other"])));
    let (mine, named) = (dir.path("mine.jsonl").display().to_string(), other.clone());
    let (address, _) = server(move |target| match target {
        "/d/good" => Some(b"d/a.jsonl\n".to_vec()),
        "/d/local" => Some(format!("d/a.jsonl\n{mine}\n").into_bytes()),
        "/d/file" => Some(format!("file://{mine}\n").into_bytes()),
        "/d/other" => Some(format!("http://{named}/x.jsonl\n").into_bytes()),
        "/d/up" => Some(b"../x.jsonl\n".to_vec()),
        "/d/a.jsonl" => Some(pages(&["a"])),
        _ => None,
    });
    for bad in ["local", "file", "other", "up"] {
        let ran = dir.nddb(["load", "db", "--from-list", &format!("http://{address}/d/{bad}")]).run();
        assert_eq!(ran.code, Some(1), "{bad}: {}", ran.stderr);
        assert!(ran.stderr.contains("may name only what is below") && ran.stderr.contains("--base"), "{}", ran.stderr);
    }
    assert!(asked.lock().expect("a log").is_empty(), "the other server was asked");
    dir.nddb(["load", "db", "--from-list", &format!("http://{address}/d/good")]).done();
    let (list, base) = (format!("http://{address}/d/other"), format!("http://{other}"));
    dir.nddb(["load", "db", "--from-list", &list, "--base", &base]).done();
    let ids = dir.nddb(["export", "db", "--columns", "id"]).done().stdout;
    assert!(ids.contains("\"a\"") && ids.contains("\"other\"") && !ids.contains("mine"), "{ids}");
}

#[test]
fn credentials_of_an_address_are_neither_stored_nor_printed() {
    let dir = Dir::with_database();
    let (address, log) = server(|target| target.contains("X-Amz-Signature=S1GNATURE").then(|| pages(&["a", "b"])));
    let signed = format!("http://user:PASSW0RD@{address}/f.jsonl?part=1&X-Amz-Signature=S1GNATURE&sig=T0KEN");
    let bare = format!("http://{address}/f.jsonl?part=1");
    let mut shown = String::new();
    let mut show = |args: &[&str], code: i32| {
        let ran = dir.nddb(args).run();
        assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.stderr);
        shown += &ran.stdout;
        shown += &ran.stderr;
        ran.stdout
    };
    show(&["load", "db", &signed, "-v", "--skipped", "skipped"], 0);
    show(&["load", "db", &signed, "-v", "--json"], 0);
    show(&["load", "db", &signed.replace("S1GNATURE", "0THER-S1GNATURE")], 1);
    show(&["load", "db", "--no-such-option", &signed], 2);
    show(&["get", "db", "a"], 0);
    show(&["export", "db", "--columns", "archive"], 0);
    let listed = show(&["sources", "ls", "db"], 0);
    assert!(listed.contains("refused") && listed.contains(&bare), "{listed}");
    show(&["pairs", "db", "--method", "lcs"], 3);
    assert!(shown.contains("in an archive that needs credentials"), "{shown}");
    for secret in ["PASSW0RD", "S1GNATURE", "T0KEN"] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
        for (path, bytes) in files_below(&dir.path("")) {
            assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{secret} is stored in {}", path.display());
        }
    }
    assert!(log.lock().expect("a log").iter().any(|line| line.to_lowercase().starts_with("authorization: basic")));
    // The signed list supplies them again.
    dir.write("signed", format!("{signed}\n").as_bytes());
    let list = dir.path("signed").display().to_string();
    let listed = dir.nddb(["sources", "ls", "db"]).env("NDDB_HTTP_CREDENTIALS", &list).done().stdout;
    assert!(listed.contains("found"), "{listed}");
}

#[test]
fn names_do_not_control_the_terminal() {
    let dir = Dir::with_database();
    let name = "evil\u{1b}]0;OWNED\u{7}\u{9b}31m.jsonl";
    dir.write(name, &pages(&["a"]));
    dir.write("bad\u{1b}[2J.jsonl", b"not json\n");
    for args in [
        &["load", "db", name, "--batch", "b\u{1b}[2J\u{9b}", "-v"][..],
        &["load", "db", "bad\u{1b}[2J.jsonl"],
        &["load", "db", name, "-v"],
        &["sources", "ls", "db"],
        &["batch", "ls", "db"],
        &["get", "db", "none\u{1b}]0;X\u{7}"],
        &["rm", "db", "none\u{1b}]0;X\u{7}", "--site", "s\u{9b}"],
        &["load", "db", "--none\u{1b}]0;X\u{7}"],
    ] {
        let ran = dir.nddb(args).run();
        let (json, shown) = (args.contains(&"--json"), ran.stdout + &ran.stderr);
        assert!(!json && !shown.contains(['\u{1b}', '\u{9b}', '\u{7}']), "{args:?}: {shown:?}");
    }
    let listed = dir.nddb(["sources", "ls", "db"]).done().stdout;
    assert!(listed.contains(r"evil\u001b]0;OWNED\u0007\u009b31m.jsonl"), "{listed}");
}
