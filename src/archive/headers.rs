//! Header blocks: lines of `Name: value` up to an empty line, as in WARC and HTTP, with the irregularities of real
//! files.

use std::borrow::Cow;
use std::ops::Range;

use super::limits::Limits;

/// The fields of one header block. One value is reused for every record.
#[derive(Clone, Debug, Default)]
pub(super) struct Headers {
    bytes: Vec<u8>,
    fields: Vec<(Range<usize>, Range<usize>)>,
}

/// The end of a header block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Size of the block with its empty line.
    Len(usize),
    /// No empty line so far, and the limits are not reached.
    Open,
    /// The block exceeds the limits of size or lines.
    TooLong,
    /// The block contains a line that cannot be part of a header.
    Foreign,
}

/// Finds the empty line that ends a header block. Lines end in LF, with any number of CR before it. For every line
/// except the first, `foreign` is called with the bytes from that line on.
pub(super) fn extent(bytes: &[u8], limits: &Limits, foreign: fn(&[u8]) -> bool) -> Extent {
    let within = &bytes[..bytes.len().min(limits.header)];
    let mut line_start = 0;
    let mut lines = 0;
    for end in memchr::memchr_iter(b'\n', within) {
        if within[line_start..end].iter().all(|&b| b == b'\r') {
            return Extent::Len(end + 1);
        }
        if lines > 0 && foreign(&within[line_start..]) {
            return Extent::Foreign;
        }
        lines += 1;
        if lines > limits.header_lines {
            return Extent::TooLong;
        }
        line_start = end + 1;
    }
    if bytes.len() >= limits.header { Extent::TooLong } else { Extent::Open }
}

impl Headers {
    /// Parses a block: the first line is kept separately, lines without a colon are dropped, lines that begin with
    /// white space continue the value before.
    pub(super) fn parse(&mut self, block: &[u8]) {
        self.bytes.clear();
        self.fields.clear();
        let mut lines = block.split(|&b| b == b'\n').map(trim_end);
        let first = lines.next().unwrap_or(&[]);
        self.bytes.extend_from_slice(first);
        self.fields.push((0..0, 0..first.len()));
        for line in lines {
            if line.is_empty() {
                continue;
            }
            if matches!(line[0], b' ' | b'\t') {
                if let Some((_, value)) = self.fields.last_mut().filter(|(name, _)| !name.is_empty()) {
                    if value.start < value.end {
                        self.bytes.push(b' ');
                    }
                    self.bytes.extend_from_slice(line.trim_ascii());
                    value.end = self.bytes.len();
                }
                continue;
            }
            let Some(colon) = memchr::memchr(b':', line) else { continue };
            let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
            if name.is_empty() {
                continue;
            }
            let at = self.bytes.len();
            self.bytes.extend_from_slice(name);
            self.bytes.extend_from_slice(value);
            self.fields.push((at..at + name.len(), at + name.len()..self.bytes.len()));
        }
    }

    /// Returns the line before the fields.
    pub(super) fn first_line(&self) -> &[u8] {
        self.fields.first().map_or(&[], |(_, line)| &self.bytes[line.clone()])
    }

    /// Returns the names and values of all fields, in order.
    pub(super) fn each(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let fields = self.fields.iter().skip(1);
        fields.map(|(name, value)| (&self.bytes[name.clone()], &self.bytes[value.clone()]))
    }

    /// Returns every value of a field, in order; names are case-insensitive.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl DoubleEndedIterator<Item = &'a [u8]> {
        self.fields
            .iter()
            .filter(move |(n, _)| self.bytes[n.clone()].eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| &self.bytes[value.clone()])
    }

    /// Returns the first value of a field that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&[u8]> {
        self.fields
            .iter()
            .find(|(n, v)| !v.is_empty() && self.bytes[n.clone()].eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| &self.bytes[value.clone()])
    }

    /// Returns the first value as text; bytes that are not UTF-8 are replaced.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get(name).map(String::from_utf8_lossy)
    }

    /// Returns every value of a field as URIs, without the angle brackets around them.
    pub(super) fn uris<'a>(&'a self, name: &'a str) -> impl Iterator<Item = String> + 'a {
        self.all(name).map(|value| unbracket(&String::from_utf8_lossy(value)).to_owned())
    }

    /// Returns a URI, without the angle brackets around it.
    pub(super) fn uri(&self, name: &str) -> Option<String> {
        self.text(name).map(|value| unbracket(&value).to_owned())
    }
}

fn trim_end(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|&b| b != b'\r').map_or(0, |at| at + 1);
    &line[..end]
}

fn unbracket(value: &str) -> &str {
    let inner = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    inner.unwrap_or(value).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_at_its_empty_line_however_lines_end() {
        let limits = Limits::default();
        assert_eq!(extent(b"A\r\nb: c\r\n\r\nbody", &limits, |_| false), Extent::Len(11));
        assert_eq!(extent(b"A\nb: c\n\nbody", &limits, |_| false), Extent::Len(8));
        assert_eq!(extent(b"A\r\r\nb: c\r\r\n\r\r\nbody", &limits, |_| false), Extent::Len(14));
        assert_eq!(extent(b"A\nb: c\n", &limits, |_| false), Extent::Open);
        assert_eq!(extent(&[b'a'; 70_000], &limits, |_| false), Extent::TooLong);
        assert_eq!(extent("a\n".repeat(300).as_bytes(), &limits, |_| false), Extent::TooLong);
    }

    #[test]
    fn fields_are_found_in_any_case_and_folded_lines_are_joined() {
        let mut headers = Headers::default();
        headers.parse(
            b"WARC/1.0\r\nWarc-Target-URI: <http://a/>\r\nX : 1\r\n\t2\r\nno colon\r\nx: 3\r\nbad: \xff\r\n: d\r\n\r\n",
        );
        assert_eq!(headers.first_line(), b"WARC/1.0");
        assert_eq!(headers.uri("WARC-Target-URI").as_deref(), Some("http://a/"));
        assert_eq!(headers.get("x"), Some(&b"1 2"[..]));
        assert_eq!(headers.all("X").collect::<Vec<_>>(), [&b"1 2"[..], b"3"]);
        assert_eq!(headers.text("bad").as_deref(), Some("\u{fffd}"));
        assert_eq!(headers.get("d"), None);
    }
}
