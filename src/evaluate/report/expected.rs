//! How many removals are expected to be wrong, by level, kind of document and size: counts of judged pairs that the fit
//! of the model never saw, of `benches/expected.py`.

use nddb_verdict::Level;

use crate::audit::wilson;

/// Bounds of the sizes of documents, in words.
const SIZES: [u32; 2] = [100, 1000];

/// Judged pairs of which a level removes either document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Judged {
    level: Level,
    class: Class,
    /// Pairs of different documents.
    wrong: u32,
    /// All pairs.
    of: u32,
}

/// The kind and size of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// Whether it is plain text, and no page.
    pub is_text: bool,
    /// Number of the bounds of sizes that it reaches.
    pub size: u8,
}

/// Of kafka and misc-web, judged by reading, and of the texts of licences.
const JUDGED: [Judged; 10] = [
    Judged::of(Level::Strict, false, 1, 0, 5),
    Judged::of(Level::Strict, true, 0, 0, 1),
    Judged::of(Level::Strict, true, 1, 1, 17),
    Judged::of(Level::Strict, true, 2, 0, 9),
    Judged::of(Level::Standard, false, 0, 0, 1),
    Judged::of(Level::Standard, false, 1, 0, 224),
    Judged::of(Level::Standard, false, 2, 0, 7),
    Judged::of(Level::Standard, true, 0, 0, 9),
    Judged::of(Level::Standard, true, 1, 21, 238),
    Judged::of(Level::Standard, true, 2, 1, 69),
];

impl Judged {
    const fn of(level: Level, is_text: bool, size: u8, wrong: u32, of: u32) -> Self {
        Self { level, class: Class { is_text, size }, wrong, of }
    }
}

impl Class {
    /// Returns the class of a document with this number of words.
    pub fn of(is_text: bool, words: u32) -> Self {
        Self { is_text, size: SIZES.iter().filter(|&&bound| words >= bound).count() as u8 }
    }

    /// Returns its name.
    pub fn name(self) -> String {
        let kind = if self.is_text { "plain texts" } else { "pages" };
        match self.size {
            0 => format!("{kind} below {} words", SIZES[0]),
            1 => format!("{kind} of {} to {} words", SIZES[0], SIZES[1] - 1),
            _ => format!("{kind} of {} words and more", SIZES[1]),
        }
    }

    /// Returns how many judged removals of this class were wrong at a level, of how many, and the 95% interval of the
    /// share; `None` if none was judged.
    pub fn judged(self, level: Level) -> Option<(u32, u32, (f64, f64))> {
        let judged = JUDGED.iter().find(|judged| judged.level == level && judged.class == self)?;
        let share = f64::from(judged.wrong) / f64::from(judged.of);
        Some((judged.wrong, judged.of, wilson(share, judged.of.into())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_judged_removals_and_their_interval() {
        let class = Class::of(true, 100);
        assert_eq!((class, class.name()), (Class { is_text: true, size: 1 }, "plain texts of 100 to 999 words".into()));
        assert_eq!(Class::of(false, 99).name(), "pages below 100 words");
        assert_eq!(Class::of(false, 1000).name(), "pages of 1000 words and more");
        let mut seen = 0;
        for level in Level::ALL {
            for (is_text, words) in [(true, 50), (true, 500), (true, 5000), (false, 50), (false, 500), (false, 5000)] {
                let Some((wrong, of, (low, high))) = Class::of(is_text, words).judged(level) else { continue };
                let share = f64::from(wrong) / f64::from(of);
                assert!(low <= share + 1e-9 && share <= high && high < 1.0, "{level} {words}");
                seen += 1;
            }
        }
        assert!(seen > 6, "{seen}");
    }

    /// A level removes what the levels before it remove.
    #[test]
    fn each_level_has_at_least_the_pairs_of_the_one_before() {
        for (judged, next) in JUDGED.iter().flat_map(|judged| JUDGED.iter().map(move |next| (judged, next))) {
            if judged.class == next.class && judged.level < next.level {
                assert!(judged.wrong <= next.wrong && judged.of <= next.of, "{judged:?} {next:?}");
            }
        }
    }
}
