//! Classes split by the texts of their members.

use fixedbitset::FixedBitSet;
use nddb_index::Result;
use nddb_index::spill::progress::Ticker;

use super::judge::{Judge, Judged};
use crate::collection::Collection;
use crate::collection::classes::Classes;
use crate::pair::Cut;

/// Greatest number of founders in one class with which later members are compared. A member near none of them is alone.
pub(crate) const FOUNDERS: usize = 16;

/// Result of verifying the members of hot groups.
pub(crate) struct VerifiedClasses {
    /// Classes in which the text of each member is near that of the leader, or cannot be read.
    pub(crate) classes: Classes,
    /// Classes in which some members were compared with the first founders only.
    pub(crate) cuts: Vec<Cut>,
    /// Number of compared pairs that were not near-duplicates.
    pub(crate) rejected: u64,
    /// Members that could not be compared with their founder, because a text could not be read.
    pub(crate) unverified: FixedBitSet,
}

/// Returns the documents whose texts are needed: those in a class with more than one text.
pub(crate) fn wanted(collection: &Collection, classes: &Classes) -> Option<FixedBitSet> {
    let (mut wanted, mut any) = (FixedBitSet::with_capacity(collection.len() as usize), false);
    for ordinal in (0..collection.len()).filter(|&ordinal| collection.representative(ordinal) == ordinal) {
        let leader = classes.leader(ordinal);
        if leader != ordinal && !collection.row(ordinal).is_empty {
            wanted.insert(ordinal as usize);
            wanted.insert(leader as usize);
            any = true;
        }
    }
    any.then_some(wanted)
}

/// Splits each class by the texts of its members, like a perhaps-similar set (Huang et al. 2008, 3.2). The oldest
/// member founds a part and takes the members near it, then the oldest of the remaining members does the same, and so
/// on. So later documents never move earlier ones, and a class needs at most [`FOUNDERS`] comparisons per member.
pub(crate) fn part(
    collection: &Collection,
    classes: &Classes,
    mut judge: Judge<'_>,
    ticker: &Ticker<'_>,
) -> Result<VerifiedClasses> {
    ticker.start("verify hot groups", None, "documents")?;
    let members = classes.members();
    let mut leader: Vec<u32> = (0..collection.len()).map(|ordinal| classes.leader(ordinal)).collect();
    let (mut cuts, mut rejected, mut unverified) =
        (Vec::new(), 0, FixedBitSet::with_capacity(collection.len() as usize));
    for first in classes.leaders() {
        let stands = |ordinal: &u32| collection.representative(*ordinal) == *ordinal;
        let mut rest: Vec<u32> = members.of(first).iter().copied().filter(stands).collect();
        let len = rest.len() as u64;
        let mut rounds = 0;
        while rest.len() > 1 && rounds < FOUNDERS {
            let founder = rest[0];
            let mut others = Vec::new();
            for &member in &rest[1..] {
                let judged = judge.pair(founder, member)?;
                if matches!(judged, Judged::Rejected) {
                    others.push(member);
                    rejected += 1;
                    continue;
                }
                leader[member as usize] = founder;
                if let Judged::Near(pair) = judged
                    && pair.is_unread()
                {
                    unverified.insert(member as usize);
                }
            }
            leader[founder as usize] = founder;
            (rest, rounds) = (others, rounds + 1);
            ticker.add(rest.len() as u64)?;
        }
        if rounds == FOUNDERS && rest.len() > 1 {
            cuts.push(Cut { founder: first, len, index: u8::MAX });
        }
        if rounds > 0 {
            rest.iter().for_each(|&alone| leader[alone as usize] = alone);
        }
    }
    // Equal texts are not compared.
    for ordinal in 0..collection.len() {
        leader[ordinal as usize] = leader[collection.representative(ordinal) as usize];
    }
    Ok(VerifiedClasses { classes: Classes::given(leader), cuts, rejected, unverified })
}
