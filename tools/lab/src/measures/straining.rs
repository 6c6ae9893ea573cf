//! Window length of filtered sketches (Huang et al. 2008, 4, Figure 7).

use std::collections::HashSet;
use std::ops::Range;

use super::sample::TextSample;
use nddb::Progress;
use nddb::Result;
use nddb::compare::lcs::Parameters;
use nddb::compare::lcs::Thresholds;
use nddb::detect::PairOptions;
use nddb::internals::Ticker;
use nddb::internals::lcs::{Comparer, Prepared};

/// Lengths of the window that are tried, in units, "from 2 bytes to 100 bytes".
pub const WINDOWS: [usize; 16] = [2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 50, 64, 80, 100];
/// A window that strains nothing: a character is left out if the other text lacks it, and then it is in no common
/// subsequence either.
const NO_WINDOW: usize = 1;

/// What windows of each length leave of texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Straining {
    /// Pairs that are similar by the trustable longest common subsequence of the whole texts.
    pub similar: u64,
    /// Pairs that are not.
    pub unlike: u64,
    /// Each of [`WINDOWS`].
    pub steps: Vec<AtWindow>,
}

/// What windows of one length leave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AtWindow {
    /// Units of the window.
    pub window: usize,
    /// "The ratio between the sum of length of the strained away portions of a not-true-similar pair and the sum of
    /// length of this pair": the mean over the pairs that are not similar.
    pub strained: Option<f64>,
    /// "The ratio between the TLCS's length of the filtered sketches of a true-similar pair and the TLCS's length of
    /// this original pair": the mean over the similar pairs.
    pub reserved: Option<f64>,
}

/// Measures what windows leave of these pairs of documents of a sample. Whether a pair is similar is decided by its
/// whole texts, where the paper asked people.
///
/// # Errors
/// [`nddb::Error::Cancelled`].
pub fn straining(
    sample: &TextSample,
    pairs: &[(u32, u32)],
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Straining> {
    let ticker = Ticker::new(watch);
    ticker.start("strain texts", Some(pairs.len() as u64), "pairs")?;
    // Nothing is stopped early: all lengths are wanted.
    let all = Thresholds::NONE;
    let with = |window: usize| Parameters { window, ..options.lcs };
    let mut whole = Comparer::new(with(NO_WINDOW), &all);
    let mut comparers = WINDOWS.map(|window| Comparer::new(with(window), &all));
    let (mut made, mut sums) = (Straining::default(), [[0.0; 2]; WINDOWS.len()]);
    for &(a, b) in pairs {
        let texts = [a, b].map(|ordinal| sample.text(ordinal));
        let likeness = |comparer: &mut Comparer, window: usize| {
            let [a, b] = texts.map(|text| Prepared::new(text, &with(window)));
            comparer.compare(&a, &b)
        };
        let original = likeness(&mut whole, NO_WINDOW);
        if original.exceeds(&options.rules.lcs) {
            made.similar += 1;
            for ((&window, comparer), sum) in WINDOWS.iter().zip(&mut comparers).zip(&mut sums) {
                sum[1] += likeness(comparer, window).trusted as f64 / original.trusted as f64;
            }
        } else {
            made.unlike += 1;
            let [a, b] = texts.map(|text| text.chars().collect::<Vec<char>>());
            for (&window, sum) in WINDOWS.iter().zip(&mut sums) {
                let kept = kept(&a, &b, window) + kept(&b, &a, window);
                sum[0] += 1.0 - kept as f64 / (a.len() + b.len()).max(1) as f64;
            }
        }
        ticker.add(1)?;
    }
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

/// How many characters of a text are in a window that the other text has, too: the length of its sketch (3.3).
fn kept(text: &[char], other: &[char], size: usize) -> usize {
    let theirs: HashSet<&[char]> = windows(other, size).map(|window| &other[window]).collect();
    let (mut kept, mut end) = (0, 0);
    for window in windows(text, size).filter(|window| theirs.contains(&text[window.clone()])) {
        kept += window.end - window.start.max(end);
        end = window.end;
    }
    kept
}

/// The length of a character (Huang et al. 2008, 4): 1 for ASCII, 2 for others.
fn units(character: char) -> usize {
    if character.is_ascii() { 1 } else { 2 }
}

/// The windows of a text: at each index the fewest characters that have so many units.
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
