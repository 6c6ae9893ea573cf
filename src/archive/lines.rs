//! Lines of a stream, bounded in length.

use std::io;

use super::entry::{Entry, Reason, ResumePoint};
use super::stream::{Fill, Stream};

/// The result of reading a line.
pub(super) enum LineRead {
    /// A line of this many bytes of the window, with its end if it has one. The caller consumes it.
    Held(usize),
    /// An entry for bytes that are not a line; they are consumed.
    Trouble(Entry),
    End,
}

/// Reads the next line into the window.
pub(super) fn next(stream: &mut Stream, limit: usize) -> io::Result<LineRead> {
    let point = stream.point();
    let mut searched = 0;
    loop {
        let window = stream.window();
        if let Some(at) = memchr::memchr(b'\n', &window[searched..]) {
            let len = searched + at + 1;
            return if len > limit { too_long(stream, point, limit) } else { Ok(LineRead::Held(len)) };
        }
        searched = window.len();
        if searched > limit {
            return too_long(stream, point, limit);
        }
        match stream.fill()? {
            Fill::More => {}
            Fill::Full => return too_long(stream, point, limit),
            Fill::End if searched == 0 => return Ok(LineRead::End),
            Fill::End => return Ok(LineRead::Held(searched)),
            Fill::Torn => {
                stream.consume(searched);
                if let Some(tear) = stream.mend() {
                    return Ok(LineRead::Trouble(tear.into_entry()));
                }
            }
        }
    }
}

fn too_long(stream: &mut Stream, point: ResumePoint, limit: usize) -> io::Result<LineRead> {
    let mut len = 0;
    loop {
        let window = stream.window();
        let end = memchr::memchr(b'\n', window).map(|at| at + 1);
        let step = end.unwrap_or(window.len());
        stream.consume(step);
        len += step as u64;
        if end.is_some() || stream.fill()? != Fill::More {
            break;
        }
    }
    let position = stream.position_since(point, len);
    Ok(LineRead::Trouble(Entry::skipped(
        position,
        Reason::LineTooLong,
        format!("line longer than {limit} bytes, by the limits max-record and memory-limit"),
    )))
}
