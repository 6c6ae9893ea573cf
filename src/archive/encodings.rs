//! Decoding of transfer and content encodings: chunked, gzip, deflate, br, zstd, alone and stacked.
//!
//! Headers are often wrong: crawlers store the decoded body and keep the header. So a body is decoded only if it looks
//! encoded in the declared way. If decoding fails at the beginning, the body is kept unchanged; if it fails later, the
//! decoded part is kept and flagged.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

use super::entry::Reason;
use super::limits::Limits;
use super::{gzip, sniff, zstandard};

/// A decoded body.
pub(super) struct Decoded {
    pub(super) body: Vec<u8>,
    pub(super) truncated: bool,
}

/// Greatest number of stacked encodings that are decoded.
const LAYERS_MAX: usize = 6;

/// The result of decoding one encoding.
enum Layer {
    /// The body does not have this encoding.
    AsItIs,
    Undone {
        body: Vec<u8>,
        truncated: bool,
    },
}

/// Decodes a body; encodings are given in the order in which they were applied.
pub(super) fn decode<'a>(
    body: &[u8],
    codings: impl Iterator<Item = &'a [u8]>,
    cut: bool,
    limits: &Limits,
) -> Result<Decoded, (Reason, &'static str)> {
    let names: Vec<&[u8]> = codings
        .flat_map(|value| value.split(|&b| b == b','))
        .map(|name| name.split(|&b| b == b';').next().unwrap_or(name).trim_ascii())
        .filter(|name| !name.is_empty())
        .take(LAYERS_MAX + 1)
        .collect();
    if names.len() > LAYERS_MAX {
        return Err((Reason::BadEncoding, "more stacked encodings than are decoded"));
    }
    let mut body = Cow::Borrowed(body);
    let mut flagged = false;
    for name in names.iter().rev() {
        let is = |list: &[&str]| list.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
        if is(&["compress", "x-compress"]) && body.starts_with(&[0x1f, 0x9d]) {
            return Err((Reason::BadEncoding, "content encoding compress"));
        }
        let undo = |body: &[u8]| {
            if is(&["chunked"]) {
                unchunk(body, cut || flagged)
            } else if is(&["gzip", "x-gzip"]) {
                gunzip(body, limits)
            } else if is(&["deflate"]) {
                inflate(body, limits)
            } else if is(&["br"]) {
                unbrotli(body, limits)
            } else if is(&["zstd"]) {
                unzstd(body, limits)
            } else {
                Layer::AsItIs
            }
        };
        let behind = behind_empty_lines(&body);
        let layer = match undo(&body) {
            layer @ Layer::Undone { truncated: false, .. } => layer,
            layer if behind.len() == body.len() => layer,
            layer => match undo(behind) {
                Layer::AsItIs => layer,
                undone => undone,
            },
        };
        match layer {
            Layer::AsItIs => {}
            Layer::Undone { body: undone, truncated } => {
                body = Cow::Owned(undone);
                flagged |= truncated;
            }
        }
    }
    // No page begins with these bytes, so the header is incomplete.
    if let Layer::Undone { body: undone, truncated } = gunzip(behind_empty_lines(&body), limits) {
        body = Cow::Owned(undone);
        flagged |= truncated;
    }
    Ok(Decoded { body: body.into_owned(), truncated: flagged })
}

/// Returns the bytes after any leading empty lines, which some servers and crawlers send before a body.
fn behind_empty_lines(body: &[u8]) -> &[u8] {
    &body[body.iter().position(|b| !matches!(b, b'\r' | b'\n')).unwrap_or(body.len())..]
}

/// Decodes chunks: size in hex, line end, that many bytes, line end; size 0 ends.
fn unchunk(body: &[u8], cut: bool) -> Layer {
    let mut out = Vec::new();
    let mut rest = body;
    let mut first = true;
    loop {
        let Some((size, head)) = chunk_head(rest) else {
            return if first { Layer::AsItIs } else { Layer::Undone { body: out, truncated: true } };
        };
        let data = &rest[head..];
        if size == 0 {
            return Layer::Undone { body: out, truncated: false };
        }
        if size > data.len() as u64 {
            // This is the last chunk of a truncated body, or a word that looks like a size.
            let believable = cut || sniff::looks_like_html(data) || data.starts_with(&gzip::MAGIC);
            if first && !believable {
                return Layer::AsItIs;
            }
            out.extend_from_slice(data);
            return Layer::Undone { body: out, truncated: true };
        }
        let (chunk, behind) = data.split_at(size as usize);
        let end = match behind {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            [] | [b'\r'] => {
                out.extend_from_slice(chunk);
                return Layer::Undone { body: out, truncated: true };
            }
            _ if first => return Layer::AsItIs,
            _ => {
                out.extend_from_slice(chunk);
                return Layer::Undone { body: out, truncated: true };
            }
        };
        if first {
            out.reserve_exact(body.len());
        }
        out.extend_from_slice(chunk);
        rest = &behind[end..];
        first = false;
    }
}

/// Parses a chunk's size; returns it with the number of bytes up to the chunk's data.
fn chunk_head(bytes: &[u8]) -> Option<(u64, usize)> {
    let line_end = memchr::memchr(b'\n', &bytes[..bytes.len().min(4096)])?;
    let line = &bytes[..line_end];
    let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let rest = line[digits..].trim_ascii_start();
    if !(1..=16).contains(&digits) || !(rest.is_empty() || rest[0] == b';') {
        return None;
    }
    let size = u64::from_str_radix(std::str::from_utf8(&line[..digits]).ok()?, 16).ok()?;
    Some((size, line_end + 1))
}

/// Decodes gzip, of any number of members.
fn gunzip(body: &[u8], limits: &Limits) -> Layer {
    if !body.starts_with(&gzip::MAGIC) {
        return Layer::AsItIs;
    }
    let mut out = Vec::new();
    let mut rest = body;
    loop {
        let mut decoder = GzDecoder::new(rest);
        let end = read(&mut decoder, &mut out, limits);
        rest = decoder.into_inner();
        if end != End::Done || !rest.starts_with(&gzip::MAGIC) {
            return layer(out, end, None);
        }
    }
}

/// Decodes deflate, with a zlib header, as the standard requires, or without one, as some servers send it.
fn inflate(body: &[u8], limits: &Limits) -> Layer {
    let mut out = Vec::new();
    if let [method, check, ..] = *body
        && method & 0x0f == 8
        && u16::from_be_bytes([method, check]) % 31 == 0
    {
        let end = read(ZlibDecoder::new(body), &mut out, limits);
        if !out.is_empty() || end == End::Done {
            return layer(out, end, None);
        }
    }
    if sniff::looks_like_html(body) {
        return Layer::AsItIs;
    }
    let end = read(DeflateDecoder::new(body), &mut out, limits);
    layer(out, end, Some(body))
}

fn unbrotli(body: &[u8], limits: &Limits) -> Layer {
    if sniff::looks_like_html(body) {
        return Layer::AsItIs;
    }
    let mut out = Vec::new();
    let end = read(brotli::Decompressor::new(body, 4096), &mut out, limits);
    layer(out, end, Some(body))
}

fn unzstd(body: &[u8], limits: &Limits) -> Layer {
    if !body.starts_with(&zstandard::MAGIC) && !zstandard::is_skippable(body) {
        return Layer::AsItIs;
    }
    let Ok(mut decoder) = zstd::stream::read::Decoder::with_buffer(body) else { return Layer::AsItIs };
    let _ = decoder.window_log_max(limits.zstd_body_window_log());
    let mut out = Vec::new();
    let end = read(decoder, &mut out, limits);
    layer(out, end, None)
}

/// Classifies a decoded body. `unmarked` is the encoded body if its encoding has no magic number. Such a body was never
/// encoded if it begins as text and does not decode to its end.
fn layer(out: Vec<u8>, end: End, unmarked: Option<&[u8]>) -> Layer {
    match end {
        End::Done => Layer::Undone { body: out, truncated: false },
        End::Failed if out.is_empty() => Layer::AsItIs,
        End::Failed if unmarked.is_some_and(sniff::looks_like_text) => Layer::AsItIs,
        End::Failed | End::SizeLimit => Layer::Undone { body: out, truncated: true },
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    Failed,
    SizeLimit,
}

/// Reads a decoder to its end or the size limit, appending to `out`.
fn read(mut decoder: impl Read, out: &mut Vec<u8>, limits: &Limits) -> End {
    const STEP: usize = 64 << 10;
    loop {
        let len = out.len();
        if len >= limits.record {
            // At the limit, the decoder may or may not have more output.
            return match decoder.read(&mut [0]) {
                Ok(0) => End::Done,
                Ok(_) => End::SizeLimit,
                Err(_) => End::Failed,
            };
        }
        let step = STEP.min(limits.record - len);
        if out.capacity() - len < step {
            out.reserve_exact(step.max(len.min(limits.record - len)));
        }
        out.resize(len + step, 0);
        let result = decoder.read(&mut out[len..]);
        out.truncate(len + result.as_ref().map_or(0, |&read| read.min(step)));
        match result {
            Ok(0) => return End::Done,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return End::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undo(body: &[u8], names: &str) -> (Vec<u8>, bool) {
        let Ok(decoded) = decode(body, [names.as_bytes()].into_iter(), false, &Limits::default()) else {
            return (b"refused".to_vec(), true);
        };
        (decoded.body, decoded.truncated)
    }

    #[test]
    fn chunks_are_undone_only_where_there_are_any() {
        assert_eq!(undo(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", "chunked"), (b"abcde".to_vec(), false));
        assert_eq!(undo(b"3 \nabc\n0\n", "Chunked"), (b"abc".to_vec(), false));
        assert_eq!(undo(b"<html>3\r\nabc", "chunked"), (b"<html>3\r\nabc".to_vec(), false));
        assert_eq!(undo(b"face\r\nto face", "chunked"), (b"face\r\nto face".to_vec(), false));
        assert_eq!(undo(b"3\r\nabc\r\nzz", "chunked"), (b"abc".to_vec(), true));
        assert_eq!(undo(b"3\r\nabc\r\n9\r\ncut", "chunked"), (b"abccut".to_vec(), true));
        assert_eq!(undo(b"ffffffffffffffff\r\n<html>", "chunked"), (b"<html>".to_vec(), true));
        assert_eq!(undo(b"", "chunked"), (Vec::new(), false));
    }

    #[test]
    fn text_that_says_it_is_compressed_is_taken_as_it_is() {
        for name in ["gzip", "deflate", "br", "zstd", "x-gzip", "gzip, br, zstd, deflate", "sdch", "compress"] {
            for body in ["<!DOCTYPE html><p>one", "plain words, no tags at all", "", "{}"] {
                assert_eq!(undo(body.as_bytes(), name), (body.as_bytes().to_vec(), false), "{name}");
            }
        }
    }
}
