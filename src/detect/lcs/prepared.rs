//! A text made ready for comparisons: its characters, and a table of its windows.

use xxhash_rust::xxh3::xxh3_128;

use super::{Parameters, TEXT_UNITS, units};

/// A text, cut to [`TEXT_UNITS`], and what comparisons look up in it: about 9 bytes a character for ASCII, 14 for others.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) symbols: Symbols,
    pub(super) units: usize,
    /// XXH3 (128 bits) of the text: it orders texts of equal length.
    pub(super) digest: u128,
    pub(super) windows: Windows,
}

/// The characters of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbols {
    Ascii(Vec<u8>),
    Wide(Vec<u32>),
}

/// The windows of a text, by where they begin: their hashes, and an open-addressed table of the different ones.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    size: usize,
    /// Where each window ends; empty for ASCII, where all have `size` characters.
    ends: Vec<u16>,
    pub(super) hashes: Vec<u32>,
    /// A bit for each hash, by its topmost bits: nearly all windows of unlike texts go no further.
    bits: Vec<u64>,
    bits_shift: u32,
    /// The first window of each content, plus 1, from the topmost bits of its hash on; 0 is free.
    slots: Vec<u16>,
    slots_shift: u32,
    /// Windows whose content has stood before, and the first that has it.
    pub(super) repeated: Vec<(u16, u16)>,
}

impl Prepared {
    /// Prepares a text. Prepared texts can be compared if their windows have one size.
    pub fn new(text: &str, parameters: &Parameters) -> Self {
        let (cut, len, all) = cut(text);
        let digest = xxh3_128(cut.as_bytes());
        let size = parameters.window.max(1);
        let (symbols, windows) = if cut.is_ascii() {
            let ascii = cut.as_bytes().to_vec();
            let windows = Windows::new(&ascii, size, Vec::new());
            (Symbols::Ascii(ascii), windows)
        } else {
            let mut wide = Vec::with_capacity(len);
            wide.extend(cut.chars().map(u32::from));
            let windows = Windows::new(&wide, size, ends(&wide, size));
            (Symbols::Wide(wide), windows)
        };
        Self { symbols, units: all, digest, windows }
    }

    /// The number of characters that are compared.
    pub fn len(&self) -> usize {
        match &self.symbols {
            Symbols::Ascii(ascii) => ascii.len(),
            Symbols::Wide(wide) => wide.len(),
        }
    }

    /// Whether there is no character.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory that it takes.
    pub fn size(&self) -> usize {
        let Windows { ends, hashes, bits, slots, repeated, .. } = &self.windows;
        let symbols = match &self.symbols {
            Symbols::Ascii(ascii) => ascii.len(),
            Symbols::Wide(wide) => 4 * wide.len(),
        };
        size_of::<Self>()
            + symbols
            + 2 * ends.len()
            + 4 * hashes.len()
            + 8 * bits.len()
            + 2 * slots.len()
            + 4 * repeated.len()
    }
}

/// The longest beginning of at most [`TEXT_UNITS`] units, its characters and its units.
fn cut(text: &str) -> (&str, usize, usize) {
    if text.len() <= TEXT_UNITS && text.is_ascii() {
        return (text, text.len(), text.len());
    }
    let (mut len, mut all) = (0, 0);
    for (at, character) in text.char_indices() {
        let more = units(character.into());
        if all + more > TEXT_UNITS {
            return (&text[..at], len, all);
        }
        (len, all) = (len + 1, all + more);
    }
    (text, len, all)
}

/// Where the windows of a text end that is not ASCII.
fn ends(text: &[u32], size: usize) -> Vec<u16> {
    let mut ends = Vec::with_capacity(text.len());
    let (mut end, mut inside) = (0, 0);
    for &first in text {
        while inside < size {
            let Some(&last) = text.get(end) else { return ends };
            inside += units(last);
            end += 1;
        }
        ends.push(end as u16);
        inside -= units(first);
    }
    ends
}

/// The base of the rolling hash: an odd number without pattern.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads a rolling hash over the topmost bits.
const SPREAD: u64 = 0xd6e8_feb8_6659_fd93;

impl Windows {
    fn new<T: Copy + Eq + Into<u32>>(text: &[T], size: usize, ends: Vec<u16>) -> Self {
        let len = if ends.is_empty() { (text.len() + 1).saturating_sub(size) } else { ends.len() };
        let bits_log = (len * 8).max(64).next_power_of_two().ilog2();
        let slots_log = (len * 4 / 3).max(64).next_power_of_two().ilog2();
        let mut windows = Self {
            size,
            hashes: Vec::with_capacity(len),
            bits: vec![0; 1 << (bits_log - 6)],
            bits_shift: 32 - bits_log,
            slots: vec![0; 1 << slots_log],
            slots_shift: 32 - slots_log,
            repeated: Vec::new(),
            ends,
        };
        windows.hash(text, len);
        for start in 0..len {
            windows.enter(text, start);
        }
        windows
    }

    /// The hash of characters c_1 .. c_l is the high half of SPREAD * sum of c_i * BASE^(l - i), modulo 2^64: the
    /// difference of two prefixes. Equal hashes are only a hint; contents decide.
    fn hash<T: Copy + Into<u32>>(&mut self, text: &[T], len: usize) {
        let mut prefixes = Vec::with_capacity(text.len() + 1);
        let mut prefix = 0u64;
        prefixes.push(prefix);
        for &symbol in text {
            prefix = prefix.wrapping_mul(BASE).wrapping_add(u64::from(symbol.into()) + 1);
            prefixes.push(prefix);
        }
        let finish = |from: u64, to: u64, power: u64| {
            (to.wrapping_sub(from.wrapping_mul(power)).wrapping_mul(SPREAD) >> 32) as u32
        };
        if self.ends.is_empty() {
            let power = BASE.wrapping_pow(self.size as u32);
            self.hashes.extend((0..len).map(|start| finish(prefixes[start], prefixes[start + self.size], power)));
            return;
        }
        let powers: Vec<u64> = (0..=self.size as u32).map(|len| BASE.wrapping_pow(len)).collect();
        let windows = self.ends.iter().enumerate();
        self.hashes.extend(
            windows.map(|(start, &end)| finish(prefixes[start], prefixes[end as usize], powers[end as usize - start])),
        );
    }

    /// Enters a window into the table, or into the list of the repeated ones.
    fn enter<T: Copy + Eq>(&mut self, text: &[T], start: usize) {
        let hash = self.hashes[start];
        let bit = hash >> self.bits_shift;
        self.bits[(bit >> 6) as usize] |= 1 << (bit & 63);
        let ours = &text[start..self.end(start)];
        let mut slot = (hash >> self.slots_shift) as usize;
        while let Some(first) = usize::from(self.slots[slot]).checked_sub(1) {
            if self.hashes[first] == hash && text[first..self.end(first)] == *ours {
                self.repeated.push((start as u16, first as u16));
                return;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = start as u16 + 1;
    }

    /// The number of windows.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Units of a window.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Where the window ends that begins at `start`.
    #[inline]
    pub(super) fn end(&self, start: usize) -> usize {
        if self.ends.is_empty() { start + self.size } else { self.ends[start].into() }
    }

    /// The first window, not before `start`, that ends behind `end`.
    #[inline]
    pub(super) fn behind(&self, start: usize, end: usize) -> usize {
        if self.ends.is_empty() {
            return start.max((end + 1).saturating_sub(self.size));
        }
        let ends = &self.ends[start..end.clamp(start, self.ends.len())];
        start + ends.partition_point(|&last| usize::from(last) <= end)
    }

    /// For up to 64 hashes, a bit for each that may be in the table.
    #[inline]
    pub(super) fn may_have(&self, hashes: &[u32]) -> u64 {
        let mut found = 0;
        for (place, &hash) in hashes.iter().enumerate() {
            let bit = hash >> self.bits_shift;
            found |= (self.bits[(bit >> 6) as usize] >> (bit & 63) & 1) << place;
        }
        found
    }

    /// The first window of each content with this hash, until `same` confirms one.
    #[inline]
    pub(super) fn find<R>(&self, hash: u32, same: impl Fn(usize) -> Option<R>) -> Option<(usize, R)> {
        let mut slot = (hash >> self.slots_shift) as usize;
        while let Some(first) = usize::from(self.slots[slot]).checked_sub(1) {
            if self.hashes[first] == hash
                && let Some(found) = same(first)
            {
                return Some((first, found));
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        None
    }
}
