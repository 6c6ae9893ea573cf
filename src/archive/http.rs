//! Pages from HTTP responses.

use nddb_page::text::PageKind;

use super::encodings::{self, Decoded};
use super::entry::{EntryContent, OtherKind, Reason};
use super::headers::{self, Headers};
use super::options::Options;
use super::sniff;

/// A response that is a page.
pub(super) struct HttpPage {
    pub(super) kind: PageKind,
    pub(super) charset: Option<String>,
    pub(super) body: Vec<u8>,
    pub(super) truncated: bool,
}

/// Maximum number of responses that are skipped before the one with the page.
const INTERIM_MAX: usize = 4;

/// Extracts the page of a response, or returns why it is not a page.
///
/// Pages are responses with status 200 and a type of text/html, application/xhtml+xml or text/plain. If the response
/// declares no type, `type_hint` is used (ARC record lines have one); without either, a body that begins as HTML is
/// HTML. `cut` means that the response is incomplete.
pub(super) fn page(
    content: &[u8],
    cut: bool,
    type_hint: Option<&[u8]>,
    options: &Options,
    headers: &mut Headers,
) -> Result<HttpPage, EntryContent> {
    let mut rest = content;
    let mut interim = 0;
    let status = loop {
        if !rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP")) {
            return Err(EntryContent::Other(OtherKind::NotHttp));
        }
        let len = match headers::extent(rest, &options.limits, |_| false) {
            headers::Extent::Len(len) => len,
            headers::Extent::Open => rest.len(),
            headers::Extent::TooLong | headers::Extent::Foreign => {
                return Err(skipped(Reason::HeaderTooLong, "HTTP header beyond the limits"));
            }
        };
        headers.parse(&rest[..len]);
        rest = &rest[len..];
        let Some(status) = status(headers.first_line()) else {
            return Err(skipped(Reason::BadHttp, "no status in the HTTP status line"));
        };
        let Some(next) = next_response(rest) else { break status };
        // A proxy's answer to CONNECT is a success without content.
        let is_tunnel = (200..300).contains(&status) && headers.get("content-type").is_none();
        if !((100..200).contains(&status) || is_tunnel) || interim == INTERIM_MAX {
            break status;
        }
        rest = next;
        interim += 1;
    };
    if status != 200 {
        return Err(EntryContent::Other(OtherKind::Status));
    }
    let named = headers.get("content-type").map(media_type).filter(|t| !t.is_empty());
    let hint = type_hint.map(media_type).filter(|t| t.contains(&b'/'));
    let kind = match named.or(hint) {
        Some(name) => Some(page_kind(name).ok_or(EntryContent::Other(OtherKind::ContentType))?),
        None => None,
    };
    let codings = || headers.all("content-encoding").chain(headers.all("transfer-encoding"));
    let Decoded { body, truncated } =
        encodings::decode(rest, codings(), cut, &options.limits).map_err(|(reason, detail)| skipped(reason, detail))?;
    let kind = match kind {
        Some(kind) => kind,
        None if sniff::looks_like_html(&body) => PageKind::Html,
        None => return Err(EntryContent::Other(OtherKind::ContentType)),
    };
    let charset = headers.get("content-type").and_then(charset);
    Ok(HttpPage { kind, charset, body, truncated: truncated || cut })
}

/// Returns the response that begins in place of the content of another response, after any empty lines.
fn next_response(content: &[u8]) -> Option<&[u8]> {
    let begin = content.iter().take(16).position(|b| !matches!(b, b'\r' | b'\n'))?;
    let response = &content[begin..];
    let is_http = response.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"));
    let line = &response[..memchr::memchr(b'\n', response).unwrap_or(response.len()).min(256)];
    (is_http && status(line.trim_ascii_end()).is_some()).then_some(response)
}

fn skipped(reason: Reason, detail: &str) -> EntryContent {
    EntryContent::Skipped { reason, detail: detail.to_owned() }
}

/// Parses the status of a line such as `HTTP/1.1 200 OK`, `HTTP/2 200` or `HTTP/1.0 200`.
pub(super) fn status(line: &[u8]) -> Option<u16> {
    let mut words = line.split(|b| matches!(b, b' ' | b'\t')).filter(|word| !word.is_empty());
    words.next()?;
    let code = words.next()?;
    if code.len() != 3 {
        return None;
    }
    code.iter().try_fold(0, |sum, b| b.is_ascii_digit().then(|| sum * 10 + u16::from(b - b'0')))
}

/// Returns the kind of page of a media type, without parameters; `None` for types that are not pages.
pub(super) fn page_kind(media_type: &[u8]) -> Option<PageKind> {
    let is = |name: &str| media_type.eq_ignore_ascii_case(name.as_bytes());
    if is("text/html") || is("application/xhtml+xml") {
        Some(PageKind::Html)
    } else {
        is("text/plain").then_some(PageKind::Text)
    }
}

/// Returns the type and subtype of a Content-Type value. They end at the first byte that cannot be in them, so a
/// missing semicolon before a parameter does no harm.
pub(super) fn media_type(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
    let is_name =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'+' | b'-' | b'.' | b'_' | b'*' | b'!' | b'#');
    &value[..value.iter().position(|&b| !is_name(b)).unwrap_or(value.len())]
}

/// Returns the charset parameter of a Content-Type value, whatever the separator before it.
pub(super) fn charset(value: &[u8]) -> Option<String> {
    const NAME: &[u8] = b"charset";
    let parameters = value.get(media_type(value).len()..)?;
    let label = parameters.windows(NAME.len()).enumerate().find_map(|(at, name)| {
        let begins = at == 0 || !parameters[at - 1].is_ascii_alphanumeric();
        let rest = parameters[at + NAME.len()..].trim_ascii_start();
        (begins && name.eq_ignore_ascii_case(NAME)).then(|| rest.strip_prefix(b"="))?
    })?;
    let label = label.trim_ascii_start();
    let label = match label.first() {
        Some(quote @ (b'"' | b'\'')) => label[1..].split(|b| b == quote).next().unwrap_or_default(),
        _ => label.split(|b| matches!(b, b';' | b',') || b.is_ascii_whitespace()).next().unwrap_or_default(),
    };
    let label = String::from_utf8_lossy(label.trim_ascii());
    (!label.is_empty() && label.len() <= 64).then(|| label.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_and_charsets_are_read_as_they_are_written() {
        assert_eq!(status(b"HTTP/1.1 200 OK"), Some(200));
        assert_eq!(status(b"HTTP/2  404"), Some(404));
        assert_eq!(status(b"HTTP/1.0 302 "), Some(302));
        assert_eq!(status(b"HTTP/1.0"), None);
        assert_eq!(status(b"HTTP/1.0 20x"), None);
        assert_eq!(charset(b"text/html; charset=\"UTF-8\""), Some("UTF-8".to_owned()));
        assert_eq!(charset(b"text/html;x=1;Charset = euc-jp "), Some("euc-jp".to_owned()));
        assert_eq!(charset(b"text/html; charset="), None);
        assert_eq!(charset(b"text/html"), None);
        assert_eq!(media_type(b" Text/HTML ; charset=x"), b"Text/HTML");
        for value in ["text/html charset=utf-8", "text/html: charset='utf-8'", "\"text/html\"; charset = utf-8 ;q"] {
            assert_eq!(media_type(value.as_bytes()), b"text/html", "{value}");
            assert_eq!(charset(value.as_bytes()).as_deref(), Some("utf-8"), "{value}");
        }
        assert_eq!(charset(b"text/html; charset; charset=a"), Some("a".to_owned()));
        assert_eq!(charset(b"text/html; mycharset=a"), None);
    }
}
