//! Reading a block: probes, finding a value, and decoding.

use crate::bits::peek;
use crate::cpu::{self, Compute};
use crate::error::malformed;
use crate::fingerprint::low_mask;
use crate::huffman::Decoder;
use crate::{FormatError, Result};

use super::layout::{BLOCK_SIZE, COUNT, ENTRIES_MAX, FIRST, HEAD_SIZE, Padded, RESTARTS, WHAT};

/// A block whose head has been checked, ready to be decoded.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    bytes: &'a Padded,
    decoder: &'a Decoder,
    pub(super) count: usize,
    pub(super) restart: usize,
    pub(super) restarts: usize,
    pub(super) first: u64,
}

crate::debug_fields!(Block<'_>: count, restarts);

/// Returns the XOR with its leading 1 at position h and the low bits of `low` below it.
#[inline(always)]
fn difference(low: u64, h: u32) -> u64 {
    let one = 1u64 << (h & 63);
    one | low & (one - 1)
}

/// The state of decoding: the bit position in the block and the fingerprint decoded last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    pub(super) position: usize,
    pub(super) value: u64,
}

impl<'a> Block<'a> {
    /// Checks the head of a block of a segment with restart interval `restart`. The checksum is left to
    /// [`super::check`].
    ///
    /// # Errors
    /// [`FormatError::Malformed`] if the count is 0 or impossible, or the number of restart points does not follow from
    /// count and interval.
    #[inline]
    pub fn new(bytes: &'a Padded, decoder: &'a Decoder, restart: u16) -> Result<Self> {
        let (count, restarts) = (COUNT.get(bytes) as usize, RESTARTS.get(bytes) as usize);
        if count == 0 || count > ENTRIES_MAX {
            return malformed(WHAT, COUNT.offset, "a block holds 1 to 8065 fingerprints");
        }
        let restart = usize::from(restart);
        let expected = (count - 1).checked_div(restart).unwrap_or(0);
        if restarts != expected || HEAD_SIZE + 2 * restarts > BLOCK_SIZE {
            return malformed(WHAT, RESTARTS.offset, "restarts is (count - 1) div R, and they fit in the block");
        }
        Ok(Self { bytes, decoder, count, restart, restarts, first: FIRST.get(bytes) })
    }

    /// Number of fingerprints.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// A block is never empty.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The first permuted fingerprint.
    #[inline]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Bit position of the stream in the block.
    #[inline]
    pub(super) fn stream(&self) -> usize {
        (HEAD_SIZE + 2 * self.restarts) * 8
    }

    /// Decodes the XOR at bit `position`; returns it and the position after it.
    #[inline(always)]
    pub(super) fn difference(&self, position: usize) -> (u64, usize) {
        let window = peek(self.bytes, position);
        let step = self.decoder.short_step(window);
        // A window has 57 bits; nearly every entry fits, and nearly every word is short.
        if step.total > 57 {
            return self.long_difference(position);
        }
        (difference(window >> step.length, step.h), position + step.total as usize)
    }

    #[cold]
    #[inline(never)]
    fn long_difference(&self, position: usize) -> (u64, usize) {
        let step = self.decoder.step(peek(self.bytes, position));
        let after = position + step.length as usize;
        let low = peek(self.bytes, after) & low_mask(32);
        (difference(low | peek(self.bytes, after + 32) << 32, step.h), position + step.total as usize)
    }

    /// Returns the bit offset of restart point `index` (from 0) in the stream.
    #[inline]
    fn restart_offset(&self, index: usize) -> usize {
        let head = (HEAD_SIZE + 2 * index) & (BLOCK_SIZE - 1);
        usize::from(u16::from_le_bytes([self.bytes[head], self.bytes[head + 1]]))
    }

    /// Returns restart point `index` (from 0) as (entry, cursor after the entry).
    #[inline]
    pub(super) fn restart_at(&self, index: usize) -> (usize, Cursor) {
        let (difference, position) = self.difference(self.stream() + self.restart_offset(index));
        ((index + 1) * self.restart, Cursor { position, value: self.first ^ difference })
    }

    /// Returns the entry to begin at when looking for values from `low` on: the last restart point below `low`, or
    /// the first entry.
    #[inline]
    fn seek(&self, low: u64) -> (usize, Cursor) {
        let mut found = (0, Cursor { position: self.stream(), value: self.first });
        for index in 0..self.restarts {
            let restart = self.restart_at(index);
            if restart.1.value >= low {
                break;
            }
            found = restart;
        }
        found
    }

    /// Decodes the entry after `cursor`, which is entry number `index`.
    #[inline(always)]
    pub(super) fn advance(&self, cursor: Cursor, at_restart: bool) -> Cursor {
        let (difference, position) = self.difference(cursor.position);
        let base = if at_restart { self.first } else { cursor.value };
        Cursor { position, value: base ^ difference }
    }

    /// Calls `found` with (entry, value) for each value of the block in `low ..= high` within `k` bits of `query`, all
    /// permuted; other entries are decoded and not reported. Returns the number of entries decoded, and whether the
    /// block ended before a value above `high`, so that the search must continue in the next block.
    #[inline]
    pub fn probe(&self, low: u64, high: u64, query: u64, k: u32, mut found: impl FnMut(usize, u64)) -> (usize, bool) {
        let (start, mut cursor) = self.seek(low);
        let mut index = start;
        loop {
            if (cursor.value ^ query).count_ones() <= k && cursor.value >= low && cursor.value <= high {
                found(index, cursor.value);
            }
            index += 1;
            if cursor.value >= high || index == self.count {
                return (index - start, cursor.value < high);
            }
            let at_restart = self.restart != 0 && index.is_multiple_of(self.restart);
            cursor = self.advance(cursor, at_restart);
        }
    }

    /// Returns the index of the entry that holds `value`.
    #[inline]
    pub fn position(&self, value: u64) -> Option<usize> {
        let (mut index, mut cursor) = self.seek(value);
        while cursor.value < value {
            index += 1;
            if index == self.count {
                return None;
            }
            let at_restart = self.restart != 0 && index.is_multiple_of(self.restart);
            cursor = self.advance(cursor, at_restart);
        }
        (cursor.value == value).then_some(index)
    }

    /// Appends all values to `out`, in order: the plain definition of decoding, which also checks what the fast
    /// paths assume.
    ///
    /// # Errors
    /// [`FormatError::OutOfOrder`] unless the values ascend; [`FormatError::Malformed`] if the stream
    /// runs over the end of the block, a restart point is not where the head says, or a bit after the
    /// stream is set.
    pub fn decode(&self, out: &mut Vec<u64>) -> Result<()> {
        let mut cursor = Cursor { position: self.stream(), value: self.first };
        out.push(self.first);
        for index in 1..self.count {
            let at_restart = self.restart != 0 && index.is_multiple_of(self.restart);
            if at_restart {
                self.check_restart(index / self.restart - 1, cursor.position)?;
            }
            let previous = cursor.value;
            cursor = self.advance(cursor, at_restart);
            if cursor.value <= previous {
                return Err(FormatError::OutOfOrder { previous, found: cursor.value });
            }
            out.push(cursor.value);
        }
        self.check_end(cursor.position)
    }

    fn check_restart(&self, index: usize, position: usize) -> Result<()> {
        let head = HEAD_SIZE + 2 * index;
        let offset = usize::from(u16::from_le_bytes([self.bytes[head], self.bytes[head + 1]]));
        if self.stream() + offset != position {
            return malformed(WHAT, head, "a restart offset is where its entry stands in the stream");
        }
        Ok(())
    }

    fn check_end(&self, position: usize) -> Result<()> {
        if position > BLOCK_SIZE * 8 {
            return malformed(WHAT, BLOCK_SIZE, "the bit stream ends within the block");
        }
        let byte = position / 8;
        let tail = self.bytes[byte] >> (position % 8);
        let rest = if byte < BLOCK_SIZE { &self.bytes[byte + 1..BLOCK_SIZE] } else { &[] };
        if byte < BLOCK_SIZE && tail != 0 || rest.iter().any(|&byte| byte != 0) {
            return malformed(WHAT, byte, "the bits after the stream are zero");
        }
        Ok(())
    }
}

/// Appends the values of four blocks to `out`: [`Block::decode`] for four interleaved blocks, so that the processor
/// works on four chains of dependent loads at once (measured: 1.4 times as fast).
///
/// # Errors
/// The error of [`Block::decode`] for the first block that has one.
pub fn decode_four(blocks: &[Block<'_>; 4], out: &mut Vec<u64>) -> Result<()> {
    let start = out.len();
    out.resize(start + blocks.iter().map(Block::len).sum::<usize>(), 0);
    let rest = &mut out[start..];
    let (a, rest) = rest.split_at_mut(blocks[0].count);
    let (b, rest) = rest.split_at_mut(blocks[1].count);
    let (c, d) = rest.split_at_mut(blocks[2].count);
    let sound = cpu::run(FourLanes { blocks, lanes: [a, b, c, d] });
    if sound {
        return Ok(());
    }
    // One of the blocks is not sound: the plain definition finds the rule that is broken.
    out.truncate(start);
    blocks.iter().try_for_each(|block| block.decode(out))
}

/// The decoding of four blocks into four slices of their lengths; its result is `false` if a block is not sound.
struct FourLanes<'a, 'b, 'l> {
    blocks: &'a [Block<'b>; 4],
    lanes: [&'l mut [u64]; 4],
}

impl Compute for FourLanes<'_, '_, '_> {
    type Output = bool;

    #[inline(always)]
    fn compute(self) -> bool {
        decode_lanes(self.blocks, self.lanes)
    }
}

#[inline(always)]
fn decode_lanes(blocks: &[Block<'_>; 4], mut lanes: [&mut [u64]; 4]) -> bool {
    let common = blocks.iter().map(|block| block.count).min().unwrap_or(0);
    let interval = if blocks[0].restart == 0 { usize::MAX } else { blocks[0].restart };
    let mut cursors = blocks.map(|block| Cursor { position: block.stream(), value: block.first });
    let mut sound = true;
    for (lane, block) in lanes.iter_mut().zip(blocks) {
        lane[0] = block.first;
    }
    let mut from = 1;
    while from < common {
        // Within a stretch only the first entry is a restart point.
        let until = common.min((from / interval + 1).saturating_mul(interval));
        if from.is_multiple_of(interval) {
            for lane in 0..4 {
                sound &= lanes_restart(&blocks[lane], &mut cursors[lane], from);
                lanes[lane][from] = cursors[lane].value;
            }
            from += 1;
        }
        let [a, b, c, d] = &mut lanes;
        let stretch =
            a[from..until].iter_mut().zip(&mut b[from..until]).zip(&mut c[from..until]).zip(&mut d[from..until]);
        for (((a, b), c), d) in stretch {
            for (lane, slot) in [a, b, c, d].into_iter().enumerate() {
                let next = blocks[lane].advance(cursors[lane], false);
                sound &= next.value > cursors[lane].value;
                cursors[lane] = next;
                *slot = next.value;
            }
        }
        from = until;
    }
    for ((lane, block), mut cursor) in lanes.into_iter().zip(blocks).zip(cursors) {
        for (index, slot) in lane.iter_mut().enumerate().skip(common) {
            if block.restart != 0 && index.is_multiple_of(block.restart) {
                sound &= lanes_restart(block, &mut cursor, index);
            } else {
                let next = block.advance(cursor, false);
                sound &= next.value > cursor.value;
                cursor = next;
            }
            *slot = cursor.value;
        }
        sound &= block.check_end(cursor.position).is_ok();
    }
    sound
}

/// Moves on to entry `index`, a restart point; `false` if the restart point is not sound.
fn lanes_restart(block: &Block<'_>, cursor: &mut Cursor, index: usize) -> bool {
    let is_expected = block.check_restart(index / block.restart - 1, cursor.position).is_ok();
    let next = block.advance(*cursor, true);
    let ascends = next.value > cursor.value;
    *cursor = next;
    is_expected && ascends
}
