//! Examines the first lines of a file to find out whether they are documents, and whether they have ids.

use std::io;

use serde_json::Value;

use super::fields::{Names, Role};
use super::{HasIds, read, trimmed_line};
use crate::error::NAME_ONE;
use crate::layouts;
use crate::options::Options;
use crate::stream::{Fill, Stream};

/// Number of bytes and of lines that are examined.
const BYTES: usize = 1 << 20;
const LINES: usize = 1000;

/// Examines the first lines of a stream, and leaves them in it. The inner error is a message that explains why no
/// document can be made from them, and what to do.
pub(super) fn survey(stream: &mut Stream, options: &Options) -> io::Result<Result<HasIds, String>> {
    let is_end = look(stream)?;
    let window = stream.window();
    let cut = if is_end { window.len() } else { memchr::memrchr(b'\n', window).unwrap_or(0) };
    let lines: Vec<&[u8]> =
        window[..cut].split(|&b| b == b'\n').map(trimmed_line).filter(|line| !line.is_empty()).take(LINES).collect();
    if let Some(what) = other(trimmed_line(window), lines.first().copied()) {
        return Ok(Err(what.to_owned()));
    }
    let names = Names::of(options);
    let found: Vec<_> = lines.iter().filter_map(|line| Some((*line, read(&names, line).ok()?))).collect();
    if found.is_empty() {
        return Ok(Ok(HasIds::Needed));
    }
    let told = || {
        let lines: Vec<&[u8]> = found.iter().map(|(line, _)| *line).collect();
        let more = if is_end { String::new() } else { format!(" of the first {}", lines.len()) };
        (more, listed(&lines))
    };
    for name in layouts::required(options) {
        if !found.iter().any(|(_, found)| found.has(name)) {
            let (more, fields) = told();
            return Ok(Err(format!("no line{more} has a field {name:?}; {fields}")));
        }
    }
    let is_document = [Role::Text, Role::Html, Role::Fingerprint];
    if !found.iter().any(|(_, found)| is_document.iter().any(|&role| found.has_role(role))) {
        let (more, fields) = told();
        let names = &options.fields;
        return Ok(Err(format!(
            "no line{more} has one of the fields {:?}, {:?} and {:?}; {fields}; {NAME_ONE}",
            names.text, names.html, names.fp
        )));
    }
    let have_ids = options.needs_no_ids() || found.iter().any(|(_, found)| found.has_role(Role::Id));
    Ok(Ok(if have_ids { HasIds::Needed } else { HasIds::Places }))
}

/// Reads the bytes to be examined, at least one line, into the window; returns whether that is the whole stream.
fn look(stream: &mut Stream) -> io::Result<bool> {
    let mut searched = 0;
    let mut has_line = false;
    loop {
        has_line = has_line || memchr::memchr(b'\n', &stream.window()[searched..]).is_some();
        searched = stream.window().len();
        if has_line && searched >= BYTES {
            return Ok(false);
        }
        match stream.fill()? {
            Fill::More => {}
            fill => return Ok(fill == Fill::End),
        }
    }
}

/// Describes a JSON file that does not have one object per line, if it is recognised, and what to do.
fn other(head: &[u8], line: Option<&[u8]>) -> Option<&'static str> {
    let start = &head[..head.len().min(1 << 10)];
    let has = |name: &str| memchr::memmem::find(start, name.as_bytes()).is_some();
    if head.starts_with(b"{") && has("\"log\"") && (has("\"creator\"") || has("\"entries\"")) {
        return Some("it is a HAR file, the log of a browser: convert it to WARC, for example with har2warc");
    }
    if head.starts_with(b"[") {
        return Some("it is one JSON array, but one object per line is needed: jq -c '.[]' FILE > FILE.jsonl");
    }
    let is_open = |line: &[u8]| matches!(line.last(), Some(b'{' | b'[' | b','));
    if head.starts_with(b"{") && line.is_some_and(is_open) {
        return Some("its objects span several lines, but one object per line is needed: jq -c . FILE > FILE.jsonl");
    }
    None
}

/// Names the fields of lines.
fn listed(lines: &[&[u8]]) -> String {
    let mut names = Vec::new();
    for line in lines {
        // A line longer than the examined bytes is cut off, so its names cannot be listed.
        if line.len() <= BYTES
            && let Ok(value) = serde_json::from_slice(line)
        {
            list(&value, "", &mut names);
        }
    }
    if names.is_empty() {
        return "there are no fields".to_owned();
    }
    format!("the fields are {}", layouts::listed(&names))
}

/// Adds the names in an object, and in the objects in it, until there are more than are listed.
fn list(value: &Value, outer: &str, names: &mut Vec<String>) {
    let Value::Object(fields) = value else { return };
    for (name, value) in fields {
        let name = if outer.is_empty() { name.clone() } else { format!("{outer}.{name}") };
        match value {
            Value::Object(fields) if !fields.is_empty() => list(value, &name, names),
            _ if names.len() > layouts::LISTED || names.contains(&name) => {}
            _ => names.push(name),
        }
    }
}
