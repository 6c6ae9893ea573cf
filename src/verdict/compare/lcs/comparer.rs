//! The comparison of two texts: sketches, longest common subsequence, trustable region, round after round.

use super::filter::{MatchingWindows, filter_windows};
use super::later_rounds::LaterRounds;
use super::likeness::Likeness;
use super::myers::Myers;
use super::parameters::{Parameters, Thresholds, units};
use super::prepared::{Prepared, Symbols};
use super::region::{Curve, has_no_region};
use super::run::Run;
use super::sketch::{Piece, Side, Sketch};
use super::symbols::Symbol;

/// Compares prepared texts, one pair after the other, and reuses its memory.
#[derive(Clone, Debug)]
pub struct Comparer {
    parameters: Parameters,
    thresholds: Thresholds,
    ascii: [Sketch<u8>; 2],
    wide: [Sketch<u32>; 2],
    /// The ASCII text of a pair whose other text is not ASCII, with its symbols widened to 32 bits.
    widened: Vec<u32>,
    scratch: Scratch,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    myers: Myers,
    stretches: Vec<MatchingWindows>,
    later_rounds: LaterRounds,
    curve: Curve,
    /// Matches, as indexes of the sketches.
    in_sketches: Vec<Run>,
    /// Matches, as indexes of the remaining text.
    runs: Vec<Run>,
    /// Matches inside the region.
    inside: Vec<Run>,
}

impl Comparer {
    /// Returns a comparer with these parameters. The two thresholds of trustable LCS decide when
    /// [`verdict`](Self::verdict) may stop early.
    pub fn new(parameters: Parameters, thresholds: &Thresholds) -> Self {
        let (ascii, wide) = Default::default();
        Self { parameters, thresholds: *thresholds, ascii, wide, widened: Vec::new(), scratch: Scratch::default() }
    }

    /// Returns the parameters; texts must be prepared with the same.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Compares two texts; the order does not matter.
    ///
    /// # Panics
    ///
    /// If the texts were prepared with windows of another size.
    pub fn compare(&mut self, a: &Prepared, b: &Prepared) -> Likeness {
        self.look(a, b, false)
    }

    /// Compares two texts only until it is certain whether a threshold is exceeded; the decision equals that of
    /// [`compare`](Self::compare). The returned numbers cover only the rounds done, so they are at most those of
    /// `compare`.
    ///
    /// # Panics
    ///
    /// If the texts were prepared with windows of another size.
    pub fn verdict(&mut self, a: &Prepared, b: &Prepared) -> Likeness {
        self.look(a, b, true)
    }

    fn look(&mut self, a: &Prepared, b: &Prepared, until_decided: bool) -> Likeness {
        let size = self.parameters.window.max(1);
        assert!(a.windows.size() == size && b.windows.size() == size, "texts are prepared with the same window");
        // A is the shorter text; of two texts of equal length, the one with the smaller digest.
        let key = |text: &Prepared| (text.len(), text.digest);
        let (a, b) = if (key(b), &b.symbols) < (key(a), &a.symbols) { (b, a) } else { (a, b) };
        let short = a.units < self.parameters.min_text;
        let lens = [a.len(), b.len()];
        let parameters = self.parameters;
        let likeness = |common, trusted| Likeness::new(&parameters, lens, short, common, trusted);
        if a.digest == b.digest && a.symbols == b.symbols && !a.is_empty() {
            return likeness(lens[0], lens[0]);
        }
        // The least length of the shorter sketch with which a threshold can be exceeded: both numbers grow with
        // that length.
        let (mut needed, mut enough) = (0, lens[0] + 1);
        while needed < enough {
            let middle = (needed + enough) / 2;
            if likeness(middle, middle).exceeds(&self.thresholds) { enough = middle } else { needed = middle + 1 }
        }
        let thresholds = self.thresholds;
        let exceeds = |common, trusted| likeness(common, trusted).exceeds(&thresholds);
        let goal = Goal { needed, exceeds: if until_decided { Some(&exceeds) } else { None } };
        let Self { ascii, wide, widened, scratch, .. } = self;
        let mut widen = |ascii: &[u8]| {
            widened.clear();
            widened.extend(ascii.iter().map(|&symbol| u32::from(symbol)));
        };
        let found = match (&a.symbols, &b.symbols) {
            (Symbols::Ascii(x), Symbols::Ascii(y)) => scratch.rounds(&parameters, &goal, sides(a, x, b, y), ascii),
            (Symbols::Wide(x), Symbols::Wide(y)) => scratch.rounds(&parameters, &goal, sides(a, x, b, y), wide),
            (Symbols::Ascii(x), Symbols::Wide(y)) => {
                widen(x);
                scratch.rounds(&parameters, &goal, sides(a, widened, b, y), wide)
            }
            (Symbols::Wide(x), Symbols::Ascii(y)) => {
                widen(y);
                scratch.rounds(&parameters, &goal, sides(a, x, b, widened), wide)
            }
        };
        match found {
            Some([common, trusted]) => likeness(common, trusted),
            None => Likeness::stopped(short),
        }
    }
}

/// The goal of a comparison.
struct Goal<'a> {
    /// The least length of the shorter sketch with which a threshold can be exceeded.
    needed: usize,
    /// If the caller needs only the decision: returns whether a longest common subsequence and trustable parts of these
    /// lengths exceed a threshold.
    exceeds: Option<&'a dyn Fn(usize, usize) -> bool>,
}

fn sides<'a, T>(a: &'a Prepared, of_a: &'a [T], b: &'a Prepared, of_b: &'a [T]) -> [Side<'a, T>; 2] {
    [Side { text: of_a, windows: &a.windows }, Side { text: of_b, windows: &b.windows }]
}

impl Scratch {
    /// Returns the length of the longest common subsequence of the sketches and of its trustable parts; `None` if
    /// one of the sketches has too few characters.
    fn rounds<T: Symbol + Into<u32>>(
        &mut self,
        parameters: &Parameters,
        goal: &Goal<'_>,
        [a, b]: [Side<'_, T>; 2],
        [of_a, of_b]: &mut [Sketch<T>; 2],
    ) -> Option<[usize; 2]> {
        of_a.begin(a);
        of_b.begin(b);
        if !filter_windows([a, b], goal.needed, [&mut of_a.window_set, &mut of_b.window_set], &mut self.stretches) {
            return None;
        }
        let (mut common, mut trusted) = (0, 0);
        for round in 0..parameters.rounds.max(1) {
            if round > 0 {
                self.later_rounds.filter_windows(&self.stretches, [a, b], of_a, of_b);
            }
            of_a.make(a);
            of_b.make(b);
            let shorter = of_a.symbols.len().min(of_b.symbols.len());
            if round == 0 && shorter < goal.needed {
                return None;
            }
            // Sketches of later rounds are parts of these, without the regions already trusted.
            let out_of_reach = round > 0 && goal.exceeds.is_some_and(|exceeds| !exceeds(common, trusted + shorter));
            if shorter == 0 || out_of_reach || has_no_region(&of_a.pieces, of_a.len(), parameters) {
                break;
            }
            let _ = self.myers.runs(&of_a.symbols, &of_b.symbols, usize::MAX, &mut self.in_sketches);
            if round == 0 {
                common = self.in_sketches.iter().map(|run| run.len).sum();
            }
            spread(&self.in_sketches, [&of_a.pieces, &of_b.pieces], &mut self.runs);
            self.curve.draw(&self.runs, of_a.len(), of_b.len());
            let Some((start, end)) = self.curve.region(parameters) else { break };
            self.inside.clear();
            for run in &self.runs {
                let (from, to) = (run.a.max(start), (run.a + run.len).min(end));
                if from < to {
                    self.inside.push(Run { a: from, b: run.b + from - run.a, len: to - from });
                }
            }
            let gain: usize = self.inside.iter().map(|run| run.len).sum();
            trusted += gain;
            if goal.exceeds.is_some_and(|exceeds| exceeds(common, trusted)) {
                break;
            }
            // Each character counts at least one unit, so the units need to be counted only if there are few
            // characters.
            if gain < a.windows.size() && self.gain_in_units(a, of_a) < a.windows.size() {
                break;
            }
            of_a.cut([Piece { index: start, len: end - start }].into_iter());
            of_b.cut(self.inside.iter().map(|run| Piece { index: run.b, len: run.len }));
        }
        Some([common, trusted])
    }

    /// Returns the units of the matches inside the region.
    fn gain_in_units<T: Symbol + Into<u32>>(&self, a: Side<'_, T>, of_a: &Sketch<T>) -> usize {
        let at = |index: usize| of_a.text_index(index);
        let indexes = self.inside.iter().flat_map(|run| run.a..run.a + run.len);
        indexes.map(|index| units(a.text[at(index)].into())).sum()
    }
}

/// Maps matches of sketches to the texts: splits them where a piece ends.
fn spread(runs: &[Run], pieces: [&[Piece]; 2], out: &mut Vec<Run>) {
    out.clear();
    let mut cursors = pieces.map(|pieces| Cursor { pieces, start: 0 });
    for run in runs {
        let mut done = 0;
        while done < run.len {
            let [(a, rest_a), (b, rest_b)] = [cursors[0].seek(run.a + done), cursors[1].seek(run.b + done)];
            let len = (run.len - done).min(rest_a).min(rest_b);
            out.push(Run { a, b, len });
            done += len;
        }
    }
}

/// A cursor over the pieces of a sketch.
struct Cursor<'a> {
    pieces: &'a [Piece],
    /// Index in the sketch of the beginning of the current piece.
    start: usize,
}

impl Cursor<'_> {
    /// Maps an index of the sketch to an index of the text; also returns the number of symbols that follow in its
    /// piece. Indexes must not decrease from call to call.
    fn seek(&mut self, index: usize) -> (usize, usize) {
        while index >= self.start + self.pieces[0].len {
            self.start += self.pieces[0].len;
            self.pieces = &self.pieces[1..];
        }
        let inside = index - self.start;
        (self.pieces[0].index + inside, self.pieces[0].len - inside)
    }
}
