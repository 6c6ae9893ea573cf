//! The windows of a text, and the look-up of another text's windows among them.

use std::ops::Range;

use super::parameters::units;
use super::window_set::WindowSet;

/// The windows of a text, by their beginnings.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    size: usize,
    /// End of each window; empty for ASCII, where all have `size` characters.
    ends: Vec<u16>,
    hashes: Vec<u32>,
    anchors: Vec<Anchor>,
    /// The grams of the text, one beginning at each character.
    grams: Filter,
    filter: Filter,
    /// An open-addressed hash table of the first window of each content, indexed by the top bits of its hash. A slot
    /// holds the low bits of the hash in its high bits and the window plus 1 in its low bits; a free slot is 0.
    slots: Vec<u32>,
    slots_shift: u32,
    /// Windows whose content occurred before, each with the first window that has it.
    repeated: Vec<(u16, u16)>,
}

/// A gram that consecutive windows contain. A gram is the shortest run of characters with at least half the units of a
/// window; a text that lacks the gram lacks all these windows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    gram: u32,
    /// The index after the last of these windows. The first of them follows the windows of the anchor before.
    pub(crate) behind: u16,
}

/// Size of a cache line, in bytes.
const CACHE_LINE: usize = 64;

/// Bits of a slot that hold a window plus 1: texts have at most 10,240 characters.
const WINDOW_BITS: u32 = 14;

const _: () = assert!(super::TEXT_UNITS + 1 < 1 << WINDOW_BITS);

/// A Bloom filter that stores three bits of each hash, all in one word (Bloom 1970).
#[derive(Clone, Debug)]
struct Filter {
    words: Vec<u64>,
    shift: u32,
}

impl Filter {
    fn new(len: usize) -> Self {
        let log = (len / 8).max(2).next_power_of_two().ilog2();
        Self { words: vec![0; 1 << log], shift: 32 - log }
    }

    #[inline(always)]
    fn bits(hash: u32) -> u64 {
        1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63)
    }

    #[inline(always)]
    fn add(&mut self, hash: u32) {
        self.words[(hash >> self.shift) as usize] |= Self::bits(hash);
    }

    #[inline(always)]
    fn may_have(&self, hash: u32) -> bool {
        let bits = Self::bits(hash);
        self.words[(hash >> self.shift) as usize] & bits == bits
    }
}

/// Hashes of all substrings of a text. The hash of characters c_1 .. c_l is the high half of
/// `SPREAD * (sum of (c_i + 1) * BASE^(l - i))`, modulo 2^64, and is computed from the hashes of two prefixes. Windows
/// with equal hashes are compared in full.
struct Prefixes {
    prefixes: Vec<u64>,
    powers: Vec<u64>,
}

impl Prefixes {
    /// An arbitrary odd number.
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    const SPREAD: u64 = 0xd6e8_feb8_6659_fd93;

    fn new<T: Copy + Into<u32>>(text: &[T], longest: usize) -> Self {
        let mut prefixes = Vec::with_capacity(text.len() + 1);
        let mut prefix = 0u64;
        prefixes.push(prefix);
        prefixes.extend(text.iter().map(|&symbol| {
            prefix = prefix.wrapping_mul(Self::BASE).wrapping_add(u64::from(symbol.into()) + 1);
            prefix
        }));
        let powers = std::iter::successors(Some(1u64), |power| Some(power.wrapping_mul(Self::BASE)));
        Self { prefixes, powers: powers.take(longest + 1).collect() }
    }

    #[inline(always)]
    fn hash(&self, start: usize, end: usize) -> u32 {
        let before = self.prefixes[start].wrapping_mul(self.powers[end - start]);
        (self.prefixes[end].wrapping_sub(before).wrapping_mul(Self::SPREAD) >> 32) as u32
    }
}

/// Returns, for each character, the end of the shortest run of at least `size` units that begins there, as far as there
/// is one.
fn ends<T: Copy + Into<u32>>(text: &[T], size: usize) -> Vec<u16> {
    let mut ends = Vec::with_capacity(text.len());
    let (mut end, mut inside) = (0, 0);
    for &first in text {
        while inside < size {
            let Some(&last) = text.get(end) else { return ends };
            inside += units(last.into());
            end += 1;
        }
        ends.push(end as u16);
        inside -= units(first.into());
    }
    ends
}

impl Windows {
    /// Builds the tables of all windows of at least `size` units. With `ascii`, each character has one unit.
    pub(crate) fn new<T: Copy + Eq + Into<u32>>(text: &[T], size: usize, ascii: bool) -> Self {
        let prefixes = Prefixes::new(text, size);
        let ends = |size: usize| if ascii { (size as u16..=text.len() as u16).collect() } else { ends(text, size) };
        let (gram_ends, ends) = (ends(size.div_ceil(2)), ends(size));
        let len = ends.len();
        let mut grams = Filter::new(gram_ends.len());
        for (start, &end) in gram_ends.iter().enumerate() {
            grams.add(prefixes.hash(start, end.into()));
        }
        let mut anchors = Vec::with_capacity(len * 2 / size + 1);
        let mut gram = 0;
        let mut first = 0;
        while first < len {
            // The last gram that the first window contains.
            while gram + 1 < gram_ends.len() && gram_ends[gram + 1] <= ends[first] {
                gram += 1;
            }
            let behind = (gram + 1).min(len).min(first + 64);
            anchors.push(Anchor { gram: prefixes.hash(gram, gram_ends[gram].into()), behind: behind as u16 });
            first = behind;
        }
        let hashes = ends.iter().enumerate().map(|(start, &end)| prefixes.hash(start, end.into())).collect();
        let slots_log = (len * 4 / 3).max(64).next_power_of_two().ilog2();
        let mut windows = Self {
            size,
            ends,
            hashes,
            anchors,
            grams,
            filter: Filter::new(len),
            slots: vec![0; 1 << slots_log],
            slots_shift: 32 - slots_log,
            repeated: Vec::new(),
        };
        for start in 0..len {
            windows.enter(text, start);
        }
        if ascii {
            windows.ends = Vec::new();
        }
        windows
    }

    /// Enters a window into the table, or into the list of repeated contents.
    fn enter<T: Copy + Eq>(&mut self, text: &[T], start: usize) {
        let hash = self.hashes[start];
        self.filter.add(hash);
        let ours = &text[start..self.end(start)];
        let same = |first: usize| (text[first..self.end(first)] == *ours).then_some(());
        match self.search(hash, same) {
            Ok((first, ())) => self.repeated.push((start as u16, first as u16)),
            Err(slot) => self.slots[slot] = hash << WINDOW_BITS | (start as u32 + 1),
        }
    }

    /// Returns the first window with this hash that `same` confirms, or the free slot for the hash.
    #[inline]
    fn search<R>(&self, hash: u32, same: impl Fn(usize) -> Option<R>) -> Result<(usize, R), usize> {
        let mut slot = (hash >> self.slots_shift) as usize;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return Err(slot);
            }
            if (entry ^ hash << WINDOW_BITS) >> WINDOW_BITS == 0 {
                let first = (entry & ((1 << WINDOW_BITS) - 1)) as usize - 1;
                if let Some(found) = same(first) {
                    return Ok((first, found));
                }
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Returns the first window of this text that `same` confirms to equal a window of another text.
    #[inline]
    pub(crate) fn find<R>(&self, other: &Self, window: usize, same: impl Fn(usize) -> Option<R>) -> Option<(usize, R)> {
        self.search(other.hashes[window], same).ok()
    }

    /// Returns a bit for each of up to 64 windows of another text: whether this text may have the window.
    #[inline]
    pub(crate) fn may_have(&self, other: &Self, windows: Range<usize>) -> u64 {
        let hashes = other.hashes[windows].iter().enumerate();
        hashes.fold(0, |found, (index, &hash)| found | u64::from(self.filter.may_have(hash)) << index)
    }

    /// Returns whether this text may have a gram.
    #[inline]
    pub(crate) fn may_have_gram(&self, anchor: Anchor) -> bool {
        self.grams.may_have(anchor.gram)
    }

    /// Reads the filters once, from end to end, so that the random look-ups that follow need not wait for memory. (This
    /// saves a sixth to a fifth of the time for texts that are not in a cache, `benches/lcs.rs`.)
    pub(crate) fn warm(&self) {
        for filter in [&self.grams, &self.filter] {
            let lines = filter.words.iter().step_by(CACHE_LINE / size_of::<u64>());
            std::hint::black_box(lines.fold(0, |all, word| all ^ word));
        }
    }

    /// Returns the anchors, in order.
    pub(crate) fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// Adds to a set all windows whose content equals that of a window in the set.
    pub(crate) fn complete(&self, window_set: &mut WindowSet) {
        for &(window, first) in &self.repeated {
            if window_set.has(window.into()) {
                window_set.add(first.into());
            }
        }
        for &(window, first) in &self.repeated {
            if window_set.has(first.into()) {
                window_set.add(window.into());
            }
        }
    }

    /// Returns the number of windows.
    pub(crate) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns the units of a window.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Returns the size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        2 * self.ends.len()
            + 4 * (self.hashes.len() + self.slots.len() + self.repeated.len())
            + size_of_val(&self.anchors[..])
            + 8 * (self.grams.words.len() + self.filter.words.len())
    }

    /// Returns the end of the window that begins at `start`.
    #[inline]
    pub(crate) fn end(&self, start: usize) -> usize {
        if self.ends.is_empty() { start + self.size } else { self.ends[start].into() }
    }

    /// Returns the first window, not before `start`, that ends after `end`.
    #[inline]
    pub(crate) fn behind(&self, start: usize, end: usize) -> usize {
        if self.ends.is_empty() {
            return start.max((end + 1).saturating_sub(self.size));
        }
        let ends = &self.ends[start..end.clamp(start, self.ends.len())];
        start + ends.partition_point(|&last| usize::from(last) <= end)
    }
}
