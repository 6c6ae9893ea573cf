//! Whether a mistake in the protocol that is switched on is noticed, and by what.

use nddb_index::testing::Bug;

use crate::cuts::Sweep;
use crate::kills::Kills;
use crate::support::say;

/// A means of finding a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Means {
    /// The order of storage calls is checked.
    Order,
    /// The power of the model of a disk is cut.
    Cut,
    /// Processes are killed.
    Kill,
}

impl Means {
    pub(crate) const ALL: [Self; 3] = [Self::Order, Self::Cut, Self::Kill];

    /// Returns what it says of the workload of a seed with a mistake, or without one; `None` if nothing.
    pub(crate) fn says(self, bug: Option<Bug>, seed: u64) -> Option<String> {
        match self {
            Self::Order => Sweep { bug, ..Sweep::new(seed, 0) }.run().err(),
            Self::Cut => Sweep { bug, ignores_order: true, ..Sweep::new(seed, 40) }.run().err(),
            Self::Kill => Kills { seed, kills: 15, bug, only: None }.run(None).err(),
        }
    }
}

/// Says of each mistake by what it is noticed.
pub(crate) fn table() {
    for bug in Bug::ALL {
        for means in Means::ALL {
            let said = (1..=6).find_map(|seed| means.says(Some(bug), seed));
            let said = said.map_or_else(|| "nothing".into(), |said| said.chars().take(300).collect::<String>());
            say(&format!("{bug:?} {means:?}: {said}"));
        }
    }
}
