//! Text that is safe to show on a terminal: ids, names and addresses may contain sequences that control it.

use std::io::{self, Write};
use std::os::fd::AsFd;

use nddb_jobs::json::safe;

/// Returns the width of the terminal in characters, if it is one.
pub(crate) fn width(of: impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(of).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// Like [`safe`], for a text that must stay in its line and its cell: tabs and line ends become blanks.
pub(crate) fn safe_cell(text: &str) -> String {
    safe(text).replace(['\t', '\n'], " ")
}

/// Writes text to a terminal by way of [`safe`].
pub(crate) struct SafeWriter<W> {
    to: W,
    /// The beginning of a character whose rest is to be written.
    begun: Vec<u8>,
}

impl<W: Write> SafeWriter<W> {
    pub(crate) fn new(to: W) -> Self {
        Self { to, begun: Vec::new() }
    }

    /// Returns what is written to. Text ends with a whole character.
    pub(crate) fn into_inner(self) -> W {
        self.to
    }
}

impl<W: Write> Write for SafeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.begun);
        let whole = match std::str::from_utf8(&all) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => all.len(),
        };
        self.begun.extend_from_slice(&all[whole..]);
        self.to.write_all(safe(&String::from_utf8_lossy(&all[..whole])).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        let hostile = "a\u{1b}]0;OWNED\u{7}\u{9b}31m\r\u{7f}\u{202e}b";
        let want = r"a\u001b]0;OWNED\u0007\u009b31m\u000d\u007f\u202eb";
        assert_eq!(safe(hostile), want);
        assert_eq!(safe_cell("a\tb\nc\u{1b}"), r"a b c\u001b");
        let kept = "é 漢字 \u{1f600}\tשלום\n";
        assert!(matches!(safe(kept), Cow::Borrowed(text) if text == kept));
        let json = serde_json::json!({"id": hostile}).to_string();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe(&json)).expect("JSON")["id"], hostile);
        // In pieces that end within characters, as a buffer writes them.
        let mut writer = SafeWriter::new(Vec::new());
        format!("{kept}{hostile}").as_bytes().chunks(1).for_each(|piece| writer.write_all(piece).expect("memory"));
        assert_eq!(String::from_utf8(writer.to).expect("text"), format!("{kept}{want}"));
    }
}
