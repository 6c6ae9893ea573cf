//! The sort key of an address in a CDXJ index: `com,example)/path?query`, as the Internet Archive's `surt` makes it.
//!
//! Two addresses that replay tools treat as one have one key: the host without `www.` and in reverse order, no default
//! port, no user, no fragment, no session id, everything in lower case, and the parts of the query in order.

/// Bytes other than letters and digits that are not escaped.
const SAFE: &[u8] = br##"!"$&'()*+,-./:;<=>?@[\]^_`{|}~"##;

/// Names of session ids in queries, each followed by so many letters and digits.
const SESSIONS: [(&[u8], usize); 3] = [(b"jsessionid=", 32), (b"phpsessid=", 32), (b"sid=", 32)];

/// Returns the key of an address; the address itself if it has no such form.
pub(super) fn key(url: &str) -> String {
    let key = parse(url).unwrap_or_else(|| url.as_bytes().to_vec());
    String::from_utf8_lossy(&key).replace(' ', "%20")
}

fn parse(url: &str) -> Option<Vec<u8>> {
    let url: Vec<u8> = url.trim().bytes().filter(|byte| !b"\r\n\t".contains(byte)).collect();
    let mut url = &url[..];
    // An address that was put together wrongly: http://https://...
    while let Some(rest) = after_protocol(url).filter(|rest| after_protocol(rest).is_some()) {
        url = rest;
    }
    let slashed = [b"//", url].concat();
    let (scheme, rest) = match scheme_len(url) {
        Some(len) => (&url[..len], &url[len + 1..]),
        None => (&b"http"[..], &slashed[..]),
    };
    let rest = until(rest, b"#");
    let (front, query) = match memchr(rest, b'?') {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let (authority, path) = match front.strip_prefix(b"//") {
        Some(rest) => rest.split_at(until(rest, b"/").len()),
        None => (&b""[..], front),
    };
    let (mut host, port) = host_and_port(authority)?;
    let mut path = path.to_vec();
    if host.is_empty() && scheme.starts_with(b"http") {
        let begin = path.iter().position(|&byte| byte != b'/').unwrap_or(path.len());
        host = until(&path[begin..], b"/").to_ascii_lowercase();
        path = path[begin + host.len()..].to_vec();
    }
    let host = canonical_host(&host, scheme);
    let path = canonical_path(&path, !host.is_empty());
    let query = query.filter(|query| !query.is_empty()).map(canonical_query).filter(|query| !query.is_empty());
    let mut key = Vec::new();
    if host.is_empty() {
        key.extend_from_slice(scheme);
        key.push(b':');
    } else {
        let mut parts: Vec<&[u8]> = host.split(|&byte| byte == b'.').collect();
        parts.reverse();
        key.extend(parts.join(&b','));
        let default = if scheme.eq_ignore_ascii_case(b"https") { 443 } else { 80 };
        if let Some(port) = port.filter(|&port| port != 0 && port != default) {
            key.extend_from_slice(format!(":{port}").as_bytes());
        }
        key.push(b')');
    }
    key.extend(path);
    if let Some(query) = query {
        key.push(b'?');
        key.extend(query);
    }
    Some(key)
}

fn memchr(bytes: &[u8], byte: u8) -> Option<usize> {
    bytes.iter().position(|&found| found == byte)
}

/// Returns the bytes before the first one of these.
fn until<'a>(bytes: &'a [u8], ends: &[u8]) -> &'a [u8] {
    &bytes[..bytes.iter().position(|byte| ends.contains(byte)).unwrap_or(bytes.len())]
}

fn after_protocol(url: &[u8]) -> Option<&[u8]> {
    url.strip_prefix(b"http://").or_else(|| url.strip_prefix(b"https://"))
}

/// Returns the length of the scheme, before its colon.
fn scheme_len(url: &[u8]) -> Option<usize> {
    let len = memchr(url, b':')?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    (url.first()?.is_ascii_alphabetic() && url[..len].iter().all(is_name)).then_some(len)
}

/// Returns host and port of an authority, without the user; `None` if the port is no number.
fn host_and_port(authority: &[u8]) -> Option<(Vec<u8>, Option<u16>)> {
    let begin = authority.iter().rposition(|&byte| byte == b'@').map_or(0, |at| at + 1);
    let place = &authority[begin..];
    let place = &place[..place.iter().rposition(|&byte| byte != b':').map_or(0, |at| at + 1)];
    let (host, port) = match place.strip_prefix(b"[") {
        Some(rest) => {
            let host = until(rest, b"]");
            (host, rest.get(host.len() + 1..).and_then(|rest| rest.strip_prefix(b":")))
        }
        None => match place.iter().position(|&byte| byte == b':') {
            Some(at) => (&place[..at], Some(&place[at + 1..])),
            None => (place, None),
        },
    };
    let port = match port {
        Some(digits) => Some(std::str::from_utf8(digits).ok()?.parse().ok()?),
        None => None,
    };
    Some((host.to_ascii_lowercase(), port))
}

fn canonical_host(host: &[u8], scheme: &[u8]) -> Vec<u8> {
    let host = replaced(&unescaped(host), b"..", b".");
    let dot = |byte: &u8| *byte != b'.';
    let (Some(begin), Some(end)) = (host.iter().position(dot), host.iter().rposition(dot)) else { return Vec::new() };
    let host = &host[begin..=end];
    if host.iter().all(u8::is_ascii_digit) {
        let number = host.iter().fold(0_u32, |sum, byte| sum.wrapping_mul(10).wrapping_add(u32::from(byte - b'0')));
        return std::net::Ipv4Addr::from(number).to_string().into_bytes();
    }
    let host = escaped(&host.to_ascii_lowercase()).to_ascii_lowercase();
    if scheme == b"dns" {
        return host;
    }
    let digits = |rest: &[u8]| rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let bare = host.strip_prefix(b"www").and_then(|rest| rest[digits(rest)..].strip_prefix(b"."));
    bare.map_or_else(|| host.clone(), <[u8]>::to_vec)
}

fn canonical_path(path: &[u8], has_host: bool) -> Vec<u8> {
    let path = unescaped(path);
    let path = if has_host { normal_path(&path) } else { path };
    let mut path = without_path_session(escaped(&path).to_ascii_lowercase());
    if path.len() > 1 && path.ends_with(b"/") {
        path.pop();
    }
    path
}

/// Resolves `.` and `..`, and makes several slashes one.
fn normal_path(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/').skip(1) {
        match part {
            b"." => {}
            b".." if kept.pop().is_some() => {}
            part => kept.push(part),
        }
    }
    let Some((last, before)) = kept.split_last() else { return b"/".to_vec() };
    let mut path = b"/".to_vec();
    for part in before.iter().filter(|part| !part.is_empty()) {
        path.extend_from_slice(part);
        path.push(b'/');
    }
    path.extend_from_slice(last);
    path
}

/// Removes the session id that ASP.NET puts between two slashes of a path, before the name of the page.
fn without_path_session(path: Vec<u8>) -> Vec<u8> {
    let is_id = |text: &[u8]| text.len() == 24 && text.iter().all(u8::is_ascii_alphanumeric);
    let is_session = |part: &[u8]| {
        let Some(inner) = part.strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")")) else { return false };
        let is_named = |named: &[u8]| {
            named.len() == 27
                && named[0].is_ascii_alphabetic()
                && named[1] == b'('
                && named[26] == b')'
                && is_id(&named[2..26])
        };
        is_id(inner) || !inner.is_empty() && inner.chunks(27).all(is_named)
    };
    let parts: Vec<&[u8]> = path.split(|&byte| byte == b'/').collect();
    let begins = |at: usize| parts[at + 1..].join(&b'/').windows(5).skip(1).any(|end| end == b".aspx");
    match (1..parts.len()).rev().find(|&at| is_session(parts[at]) && begins(at)) {
        Some(at) => [&parts[..at], &parts[at + 1..]].concat().join(&b'/'),
        None => path,
    }
}

fn canonical_query(query: &[u8]) -> Vec<u8> {
    let mut query = escaped(&unescaped(query));
    for (name, len) in SESSIONS {
        query = without_session(query, |rest| {
            let id = rest.get(name.len()..name.len() + len)?;
            let is = rest[..name.len()].eq_ignore_ascii_case(name) && id.iter().all(u8::is_ascii_alphanumeric);
            is.then_some(name.len() + len)
        });
    }
    query = without_session(query, |rest| {
        let is = rest.get(..12)?.eq_ignore_ascii_case(b"aspsessionid")
            && rest.get(12..20)?.iter().all(u8::is_ascii_alphabetic)
            && rest.get(20)? == &b'='
            && rest.get(21..45)?.iter().all(u8::is_ascii_alphabetic);
        is.then_some(45)
    });
    query = without_session(query, |rest| {
        let value = |rest: &[u8], name: &[u8]| {
            let begins = rest.get(..name.len())?.eq_ignore_ascii_case(name);
            let len = until(rest.get(name.len()..)?, b"&").len();
            (begins && len > 0).then_some(name.len() + len)
        };
        let id = value(rest, b"cfid=")?;
        Some(id + 1 + value(rest.get(id + 1..)?, b"cftoken=")?)
    });
    let query = query.to_ascii_lowercase();
    if query.len() <= 1 {
        return query;
    }
    let mut parts: Vec<Vec<&[u8]>> =
        query.split(|&byte| byte == b'&').map(|part| part.splitn(2, |&byte| byte == b'=').collect()).collect();
    parts.sort_unstable();
    parts.iter().map(|part| part.join(&b'=')).collect::<Vec<_>>().join(&b'&')
}

/// Removes the last session id, whose length `session` tells where one begins, if another part or nothing follows it.
fn without_session(query: Vec<u8>, session: impl Fn(&[u8]) -> Option<usize>) -> Vec<u8> {
    let found = (0..query.len()).rev().find_map(|at| {
        let end = at + session(&query[at..])?;
        matches!(query.get(end), None | Some(b'&')).then_some((at, end))
    });
    match found {
        Some((begin, end)) => [&query[..begin], query.get(end + 1..).unwrap_or_default()].concat(),
        None => query,
    }
}

/// Replaces `%` and two hex digits by the byte they name, until there are none.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    loop {
        let mut out = Vec::with_capacity(bytes.len());
        let mut rest = &bytes[..];
        while let Some((&first, after)) = rest.split_first() {
            let digit = |at: usize| after.get(at).and_then(|&byte| char::from(byte).to_digit(16));
            match (first, digit(0), digit(1)) {
                (b'%', Some(high), Some(low)) => {
                    out.push((high << 4 | low) as u8);
                    rest = &after[2..];
                }
                _ => {
                    out.push(first);
                    rest = after;
                }
            }
        }
        if out == bytes {
            return out;
        }
        bytes = out;
    }
}

fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || SAFE.contains(&byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    out
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    while let Some((first, after)) = rest.split_first() {
        match rest.strip_prefix(from) {
            Some(after) => {
                out.extend_from_slice(to);
                rest = after;
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that the Internet Archive's `surt` 0.3.1 makes.
    #[test]
    fn keys_are_those_of_the_internet_archive() {
        let id = "0123456789abcdefghijklmn";
        let session = "0123456789abcdef0123456789ABCDEF";
        for (url, expected) in [
            ("http://www.Example.org/", "org,example)/"),
            ("https://user:word@www2.example.org:443/A/./b/../C//d/?z=1&B=2&a#top", "org,example)/a/c/d?a&b=2&z=1"),
            ("http://example.org:8080", "org,example:8080)/"),
            ("http://example.org:/?", "org,example)/"),
            ("example.org/a%2520b%23c", "org,example)/a%20b%23c"),
            ("http://https://example.org/x", "org,example)/x"),
            ("http:////example.org/x", "org,example)/x"),
            ("http://10.0.0.1/x", "1,0,0,10)/x"),
            ("http://3232235777/", "1,1,168,192)/"),
            ("http://example..org./", "org,example)/"),
            ("dns:www.example.org", "dns:www.example.org"),
            ("urn:pageinfo:http://example.org/", "urn:pageinfo:http://example.org"),
            ("http://example.org/\u{e9}?\u{e9}=1", "org,example)/%c3%a9?%c3%a9=1"),
            (&format!("http://example.org/a/({id})/page.aspx?x"), "org,example)/a/page.aspx?x"),
            (&format!("http://example.org/(S({id}))/page.aspx"), "org,example)/page.aspx"),
            (&format!("http://example.org/?a=1&PHPSESSID={session}&b=2"), "org,example)/?a=1&b=2"),
            (&format!("http://example.org/?jsessionid={session}"), "org,example)/"),
            ("http://example.org/?cfid=1&cftoken=2&x=3", "org,example)/?x=3"),
            ("http://example.org:port/", "http://example.org:port/"),
        ] {
            assert_eq!(key(url), expected, "{url}");
        }
    }
}
