//! Lines of stdin in groups, read by a thread of their own: so that ^C is heard while none comes.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, Result};
use crate::interrupt;

/// Most lines of a group.
const LINES_MAX: usize = 1000;
/// The longest line that is read; what is longer comes in pieces, none of which is JSON.
const LINE_MAX: u64 = 64 << 20;

/// The lines of stdin. A group ends when it is full, or when the next line has not come yet: whoever waits
/// for an answer gets one.
pub(super) struct Groups(Receiver<io::Result<Vec<Vec<u8>>>>);

impl Groups {
    /// Begins to read.
    pub(super) fn read() -> Self {
        let (sender, groups) = sync_channel(4);
        // Nobody waits for it: at the end of the process it may be waiting for a line.
        thread::spawn(move || send_lines(BufReader::with_capacity(1 << 20, io::stdin().lock()), &sender));
        Self(groups)
    }

    /// Returns the next group; none at the end, or when the user wants to stop.
    pub(super) fn next(&self) -> Result<Option<Vec<Vec<u8>>>> {
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

fn send_lines(mut input: BufReader<impl Read>, sender: &SyncSender<io::Result<Vec<Vec<u8>>>>) {
    let mut group = Vec::new();
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => group.push(line),
            Err(error) => {
                let _ = sender.send(Err(error));
                return;
            }
        }
        let is_last = !input.buffer().contains(&b'\n');
        // Fails when the command has ended.
        if (is_last || group.len() == LINES_MAX) && sender.send(Ok(std::mem::take(&mut group))).is_err() {
            return;
        }
    }
    let _ = sender.send(Ok(group));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_in_order_whatever_the_groups() {
        let text: String = (0..2500).map(|number| format!("{number}\n")).collect();
        let (sender, groups) = sync_channel(2500);
        send_lines(BufReader::with_capacity(64, text.as_bytes()), &sender);
        drop(sender);
        let lines: Vec<Vec<u8>> = groups.iter().flat_map(|group| group.expect("memory can be read")).collect();
        assert_eq!(lines.concat(), text.as_bytes());
        assert_eq!(lines.len(), 2500);
    }
}
