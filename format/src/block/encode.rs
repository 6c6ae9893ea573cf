//! Encoding ascending fingerprints as blocks.

use crate::bits::BitWriter;
use crate::digest;
use crate::fingerprint::low_mask;
use crate::huffman::Code;

use super::layout::{BLOCK_SIZE, CHECKSUM, COUNT, FIRST, HEAD_SIZE, RESTARTS};

/// Packs ascending permuted fingerprints into blocks.
#[derive(Debug)]
pub struct BlockEncoder {
    code: Code,
    identity: u64,
    restart: usize,
    number: u64,
    count: usize,
    first: u64,
    last: u64,
    restarts: Vec<u16>,
    stream: BitWriter,
}

impl BlockEncoder {
    /// Starts at block 0 of a segment.
    pub fn new(code: Code, identity: u64, restart: u16) -> Self {
        Self {
            code,
            identity,
            restart: usize::from(restart),
            number: 0,
            count: 0,
            first: 0,
            last: 0,
            restarts: Vec::new(),
            stream: BitWriter::default(),
        }
    }

    /// Adds a fingerprint greater than the last one. If the block is full, appends it to `out` and returns its key,
    /// the last fingerprint in the block.
    #[inline]
    pub fn push(&mut self, value: u64, out: &mut Vec<u8>) -> Option<u64> {
        if self.count == 0 {
            self.begin(value);
            return None;
        }
        let at_restart = self.restart != 0 && self.count.is_multiple_of(self.restart);
        let difference = value ^ if at_restart { self.first } else { self.last };
        let h = 63 - difference.leading_zeros();
        let (word, length) = self.code.word(h);
        let restarts = self.restarts.len() + usize::from(at_restart);
        let resources = (BLOCK_SIZE - HEAD_SIZE - 2 * restarts) * 8;
        if self.stream.len() + (length + h) as usize > resources {
            let key = self.last;
            self.finish(out);
            self.begin(value);
            return Some(key);
        }
        if at_restart {
            self.restarts.push(self.stream.len() as u16);
        }
        let low = difference & low_mask(h as u8);
        if length + h <= 64 {
            self.stream.write(word | low << length, length + h);
        } else {
            self.stream.write(word, length);
            self.stream.write(low, h);
        }
        self.last = value;
        self.count += 1;
        None
    }

    fn begin(&mut self, value: u64) {
        (self.first, self.last, self.count) = (value, value, 1);
    }

    /// Appends the current block, unless it is empty, to `out` and returns its key.
    pub fn flush(&mut self, out: &mut Vec<u8>) -> Option<u64> {
        (self.count > 0).then(|| {
            self.finish(out);
            self.last
        })
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + BLOCK_SIZE, 0);
        let block = &mut out[start..];
        COUNT.put(block, self.count as u64);
        RESTARTS.put(block, self.restarts.len() as u64);
        FIRST.put(block, self.first);
        let mut offset = HEAD_SIZE;
        for restart in self.restarts.drain(..) {
            block[offset..offset + 2].copy_from_slice(&restart.to_le_bytes());
            offset += 2;
        }
        self.stream.drain_into(&mut block[offset..]);
        let checksum = digest::checksum(self.identity, self.number, &block[CHECKSUM.end()..]);
        CHECKSUM.put(block, u64::from(checksum));
        self.number += 1;
        self.count = 0;
    }
}
