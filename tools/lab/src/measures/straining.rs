//! Window length of filtered sketches (Huang et al. 2008, 4, Figure 7).

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use nddb_dedup::in_order;
use nddb_index::spill::progress::Ticker;
use nddb_index::{Progress, Result};
use nddb_verdict::compare::lcs::{Comparer, Parameters, Prepared, Thresholds};
use nddb_verdict::methods::Lcs;

use super::sample::TextSample;

/// The window lengths that are tried, in units: "from 2 bytes to 100 bytes".
pub const WINDOWS: [usize; 16] = [2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 50, 64, 80, 100];
/// Number of pairs that a thread filters at a time.
const CHUNK: usize = 8;
/// A window length that has no effect: it removes only characters that the other text lacks, which are in no common
/// subsequence.
const NO_WINDOW: usize = 1;

/// The effect of windows of each length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Straining {
    /// Number of pairs that are similar by the trustable longest common subsequence of the whole texts.
    pub similar: u64,
    /// Number of pairs that are not similar.
    pub unlike: u64,
    /// The result for each of [`WINDOWS`].
    pub steps: Vec<AtWindow>,
}

/// The effect of windows of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AtWindow {
    /// Length of the window in units.
    pub window: usize,
    /// "The ratio between the sum of length of the strained away portions of a not-true-similar pair and the sum of
    /// length of this pair": the mean over the pairs that are not similar.
    pub strained: Option<f64>,
    /// "The ratio between the TLCS's length of the filtered sketches of a true-similar pair and the TLCS's length of
    /// this original pair": the mean over the similar pairs.
    pub reserved: Option<f64>,
}

/// Measures the effect of windows on these pairs of documents of a sample. The comparison of the whole texts decides
/// whether a pair is similar; in the paper, people decided.
///
/// # Errors
/// [`nddb_index::Error::Cancelled`].
pub fn straining(
    sample: &TextSample,
    pairs: &[(u32, u32)],
    lcs: &Lcs,
    threads: usize,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Straining> {
    let ticker = Ticker::new(watch);
    ticker.start("strain texts", Some(pairs.len() as u64), "pairs")?;
    let (mut made, mut sums) = (Straining::default(), [[0.0; 2]; WINDOWS.len()]);
    let mut chunks = pairs.chunks(CHUNK);
    let strain = |chunk: &[(u32, u32)]| {
        // No comparison stops early, because all lengths are needed.
        let mut strainer = Strainer::new(sample, lcs);
        chunk.iter().map(|&pair| strainer.strain(pair)).collect::<Vec<Strained>>()
    };
    in_order(
        threads,
        || chunks.next(),
        strain,
        |strained| {
            for Strained { is_similar, shares } in &strained {
                made.similar += u64::from(*is_similar);
                made.unlike += u64::from(!is_similar);
                for (sum, share) in sums.iter_mut().zip(shares) {
                    sum[usize::from(*is_similar)] += share;
                }
            }
            ticker.add(strained.len() as u64)
        },
    )?;
    let mean = |sum: f64, pairs: u64| (pairs > 0).then(|| sum / pairs as f64);
    made.steps = WINDOWS
        .iter()
        .zip(sums)
        .map(|(&window, [strained, reserved])| AtWindow {
            window,
            strained: mean(strained, made.unlike),
            reserved: mean(reserved, made.similar),
        })
        .collect();
    Ok(made)
}

/// Returns the microseconds per comparison of these pairs, without and with filtered sketches. Comparisons end as soon
/// as they are decided. `None` without a pair.
pub fn comparison_times(sample: &TextSample, pairs: &[(u32, u32)], lcs: &Lcs) -> [Option<f64>; 2] {
    [NO_WINDOW, lcs.comparison.window].map(|window| {
        let parameters = Parameters { window, ..lcs.comparison };
        let mut comparer = Comparer::new(parameters, &lcs.thresholds);
        let start = Instant::now();
        for &(a, b) in pairs {
            let [a, b] = [a, b].map(|ordinal| Prepared::new(sample.text(ordinal), &parameters));
            black_box(comparer.verdict(&a, &b));
        }
        (!pairs.is_empty()).then(|| start.elapsed().as_secs_f64() * 1e6 / pairs.len() as f64)
    })
}

/// The effect of windows of each length on a pair.
struct Strained {
    /// Whether its whole texts are similar.
    is_similar: bool,
    /// For a similar pair, the share of the trustable subsequence that is kept; else the share of the texts that is
    /// filtered out.
    shares: [f64; WINDOWS.len()],
}

/// Filters pairs of a sample, one after the other.
struct Strainer<'a> {
    sample: &'a TextSample,
    lcs: &'a Lcs,
    whole: Comparer,
    comparers: [Comparer; WINDOWS.len()],
}

impl<'a> Strainer<'a> {
    fn new(sample: &'a TextSample, lcs: &'a Lcs) -> Self {
        let with = |window: usize| Comparer::new(Parameters { window, ..lcs.comparison }, &Thresholds::NONE);
        Self { sample, lcs, whole: with(NO_WINDOW), comparers: WINDOWS.map(with) }
    }

    fn strain(&mut self, (a, b): (u32, u32)) -> Strained {
        let texts = [a, b].map(|ordinal| self.sample.text(ordinal));
        let likeness = |comparer: &mut Comparer| {
            let parameters = *comparer.parameters();
            let [a, b] = texts.map(|text| Prepared::new(text, &parameters));
            comparer.compare(&a, &b)
        };
        let original = likeness(&mut self.whole);
        if original.exceeds(&self.lcs.thresholds) {
            let kept = |comparer: &mut Comparer| likeness(comparer).trusted as f64 / original.trusted as f64;
            let mut shares = [0.0; WINDOWS.len()];
            shares.iter_mut().zip(&mut self.comparers).for_each(|(share, comparer)| *share = kept(comparer));
            return Strained { is_similar: true, shares };
        }
        let [a, b] = texts.map(Hashed::new);
        let characters = (a.text.len() + b.text.len()).max(1) as f64;
        let shares = WINDOWS.map(|window| 1.0 - (a.kept(&b, window) + b.kept(&a, window)) as f64 / characters);
        Strained { is_similar: false, shares }
    }
}

/// A text with the hashes of its prefixes, from which the hash of any window is computed.
struct Hashed {
    text: Vec<char>,
    /// The hash of each prefix: its characters are the digits of a number in a random base, modulo 2^61 - 1.
    hashes: Vec<u64>,
    powers: Vec<u64>,
}

const MODULUS: u64 = (1 << 61) - 1;
const BASE: u64 = 0x1d8a_2f7c_4b19_63e5;

impl Hashed {
    fn new(text: &str) -> Self {
        let text: Vec<char> = text.chars().collect();
        let (mut hashes, mut powers) = (vec![0], vec![1]);
        for (index, &character) in text.iter().enumerate() {
            hashes.push((times(hashes[index], BASE) + u64::from(u32::from(character)) + 1) % MODULUS);
            powers.push(times(powers[index], BASE));
        }
        Self { text, hashes, powers }
    }

    /// The hash of a window. The probability that any two different windows of two texts have equal hashes is 2^-34.
    fn hash(&self, window: &Range<usize>) -> u64 {
        let before = times(self.hashes[window.start], self.powers[window.len()]);
        (self.hashes[window.end] + MODULUS - before) % MODULUS
    }

    /// Returns the number of characters of the text in windows that the other text has, too: the length of its sketch
    /// (3.3).
    fn kept(&self, other: &Self, size: usize) -> usize {
        let theirs: HashSet<u64, BuildHasherDefault<Spread>> =
            windows(&other.text, size).map(|window| other.hash(&window)).collect();
        let (mut kept, mut end) = (0, 0);
        for window in windows(&self.text, size) {
            if theirs.contains(&self.hash(&window)) {
                kept += window.end - window.start.max(end);
                end = window.end;
            }
        }
        kept
    }
}

/// The product modulo 2^61 - 1.
fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let sum = (product & u128::from(MODULUS)) as u64 + (product >> 61) as u64;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

/// A hasher for values that are hashes; it only spreads their bits to the upper ones.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 ^ u64::from(byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// The length of a character (Huang et al. 2008, 4): 1 for ASCII, 2 for others.
fn units(character: char) -> usize {
    if character.is_ascii() { 1 } else { 2 }
}

/// The windows of a text: at each index, the fewest characters that have at least `size` units.
fn windows(text: &[char], size: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let (mut end, mut held) = (0, 0);
    (0..text.len()).map_while(move |start| {
        while held < size && end < text.len() {
            held += units(text[end]);
            end += 1;
        }
        let window = (held >= size).then_some(start..end);
        held -= units(text[start]);
        window
    })
}
