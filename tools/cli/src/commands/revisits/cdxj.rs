//! Lines of a CDXJ index: where each capture is, for replay tools.

use nddb::archive::WholeRecord;
use serde_json::json;

use super::payload::Payload;
use super::surt;

/// A line whose place is not known yet.
pub(super) struct Capture {
    key: String,
    /// Fields and values before the place, in order.
    fields: Vec<(&'static str, String)>,
}

impl Capture {
    /// Returns the capture in a record; `None` if the index has no such records: requests, descriptions of the crawl,
    /// and texts that were made of pages. `is_revisit` says that the record is written as a revisit.
    pub(super) fn of(record: &WholeRecord, is_revisit: bool) -> Option<Self> {
        let is_fields = || record.field("content-type").is_some_and(|kind| kind == b"application/warc-fields");
        let is_response = record.is("response");
        let is_other = record.is("resource") || record.is("metadata");
        let is_revisit = is_revisit || record.is("revisit");
        if !(is_response || is_revisit || is_other && !is_fields()) {
            return None;
        }
        let url = record.uri("warc-target-uri").filter(|url| !url.is_empty())?;
        let http = if is_other { None } else { record.http() };
        let mime = match &http {
            _ if is_revisit => Some("warc/revisit".to_owned()),
            _ if is_other => record.field("content-type").map(media_type),
            http => http.as_ref().and_then(|http| http.content_type.as_deref()).map(media_type),
        };
        let digest = match record.field("warc-payload-digest") {
            Some(digest) => Some(String::from_utf8_lossy(digest).into_owned()),
            None if !record.is_whole() => None,
            None => Some(Payload::of(http.as_ref().map_or(record.block(), |http| http.payload)).label()),
        };
        let status = http.and_then(|http| http.status).map(|status| status.to_string());
        let key = format!("{} {}", surt::key(&url), timestamp(record.field("warc-date").unwrap_or_default()));
        let fields = [("url", Some(url)), ("mime", mime), ("status", status), ("digest", digest)];
        Some(Self { key, fields: fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect() })
    }

    /// Returns the line, given the place of the record in the output and the name of this.
    pub(super) fn line(self, offset: u64, length: u64, file: &str) -> String {
        let place = [("length", length.to_string()), ("offset", offset.to_string()), ("filename", file.to_owned())];
        let fields = self.fields.into_iter().chain(place);
        let fields: Vec<String> = fields.map(|(name, value)| format!("\"{name}\": {}", json!(value))).collect();
        format!("{} {{{}}}", self.key, fields.join(", "))
    }
}

/// Returns a media type without its parameters.
fn media_type(value: &[u8]) -> String {
    let end = value.iter().position(|byte| *byte == b';' || byte.is_ascii_whitespace()).unwrap_or(value.len());
    String::from_utf8_lossy(&value[..end]).into_owned()
}

/// Returns the 14 digits of a WARC-Date; a part that it lacks is the first of its kind.
fn timestamp(date: &[u8]) -> String {
    const FIRST: &str = "00000101000000";
    let digits: String =
        date.iter().filter(|byte| byte.is_ascii_digit()).take(14).map(|&byte| char::from(byte)).collect();
    let rest = FIRST.get(digits.len()..).unwrap_or_default();
    digits + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_any_precision_have_fourteen_digits() {
        assert_eq!(timestamp(b"2025-02-03T04:05:06.789Z"), "20250203040506");
        assert_eq!(timestamp(b"2025-02"), "20250201000000");
        assert_eq!(timestamp(b"2025"), "20250101000000");
    }
}
