//! Lines of stdin in groups. A separate thread reads them, so that ^C is handled while the command waits for input.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, Result};
use crate::interrupt;

/// Most lines of a group.
const LINES_MAX: usize = 1000;
/// Maximum length of a line, with its line end. The content of a longer line is not kept.
pub(super) const LINE_MAX: u64 = 64 << 20;

/// A line of stdin.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Its bytes.
    Line(Vec<u8>),
    /// The line is longer than [`LINE_MAX`], and was skipped.
    TooLong,
}

/// The lines of stdin. A group ends when it is full, or when the next line has not arrived yet, so that a program that
/// waits for an answer before its next line gets one.
pub(super) struct Groups(Receiver<io::Result<Vec<Input>>>);

impl Groups {
    /// Begins to read.
    pub(super) fn read() -> Self {
        let (sender, groups) = sync_channel(4);
        // The thread is never joined: at the end of the process it may still be waiting for a line.
        thread::spawn(move || send_lines(BufReader::with_capacity(1 << 20, io::stdin().lock()), LINE_MAX, &sender));
        Self(groups)
    }

    /// Returns the next group; `None` at the end of the input, or after ^C.
    pub(super) fn next(&self) -> Result<Option<Vec<Input>>> {
        while !interrupt::asked() {
            match self.0.recv_timeout(Duration::from_millis(50)) {
                Ok(Ok(group)) => return Ok(Some(group)),
                Ok(Err(error)) => return Err(Failure::failed(format!("stdin: cannot be read: {error}"))),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(None)
    }
}

fn send_lines(mut input: BufReader<impl Read>, max: u64, sender: &SyncSender<io::Result<Vec<Input>>>) {
    let mut group = Vec::new();
    loop {
        match next_line(&mut input, max) {
            Ok(None) => break,
            Ok(Some(line)) => group.push(line),
            Err(error) => {
                let _ = sender.send(Err(error));
                return;
            }
        }
        let is_last = !input.buffer().contains(&b'\n');
        // Sending fails when the command has ended.
        if (is_last || group.len() == LINES_MAX) && sender.send(Ok(std::mem::take(&mut group))).is_err() {
            return;
        }
    }
    let _ = sender.send(Ok(group));
}

/// Reads a line. Nothing is kept of a line that is longer than `max`.
fn next_line(input: &mut BufReader<impl Read>, max: u64) -> io::Result<Option<Input>> {
    let mut line = Vec::new();
    let len = input.by_ref().take(max).read_until(b'\n', &mut line)?;
    if len as u64 == max && line.last() != Some(&b'\n') && !input.fill_buf()?.is_empty() {
        input.skip_until(b'\n')?;
        return Ok(Some(Input::TooLong));
    }
    Ok((len > 0).then_some(Input::Line(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8], max: u64) -> Vec<Input> {
        let (sender, groups) = sync_channel(2500);
        send_lines(BufReader::with_capacity(64, text), max, &sender);
        drop(sender);
        groups.iter().flat_map(|group| group.expect("memory can be read")).collect()
    }

    #[test]
    fn lines_come_in_order_whatever_the_groups() {
        let text: String = (0..2500).map(|number| format!("{number}\n")).collect();
        let lines = read(text.as_bytes(), 100);
        assert_eq!(lines.len(), 2500);
        let bytes = lines.iter().flat_map(|line| match line {
            Input::Line(line) => &line[..],
            Input::TooLong => panic!("no line is long"),
        });
        assert!(bytes.eq(text.as_bytes()));
    }

    #[test]
    fn a_line_is_one_answer_however_long_it_is() {
        let line = |text: &str| Input::Line(text.into());
        for len in 1..400 {
            let text = format!("one\n{}\ntwo", "x".repeat(len));
            let long = if len < 100 { line(&format!("{}\n", "x".repeat(len))) } else { Input::TooLong };
            assert_eq!(read(text.as_bytes(), 100), [line("one\n"), long, line("two")], "{len}");
        }
        let whole = "x".repeat(100);
        assert_eq!(read(whole.as_bytes(), 100), [line(&whole)]);
        assert_eq!(read("x".repeat(101).as_bytes(), 100), [Input::TooLong]);
    }
}
