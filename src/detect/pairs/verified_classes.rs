//! Classes parted by the texts of their members.

use super::judge::{Judge, Judged};
use crate::Result;
use crate::detect::collection::Collection;
use crate::detect::collection::classes::Classes;
use crate::detect::method::pair::{Cut, Verified};
use crate::spill::ticker::Ticker;
use fixedbitset::FixedBitSet;

/// Founders in one class that later members are compared with. Members that are near to none of them stand alone.
pub(crate) const FOUNDERS: usize = 16;

/// What came of comparing the members of hot groups.
pub(crate) struct VerifiedClasses {
    /// Classes of which all members are near to the leader by their texts, or have a text that cannot be read.
    pub(crate) classes: Classes,
    /// Classes of which some members were compared with the first founders only.
    pub(crate) cuts: Vec<Cut>,
    /// Pairs that were not near.
    pub(crate) rejected: u64,
    /// Members that could not be compared with their founder.
    pub(crate) unverified: FixedBitSet,
}

/// The documents that have to be read for it: those of different texts in one class.
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

/// Parts each class by the texts of its members, as perhaps-similar sets are (Huang et al. 2008, 3.2): the oldest founds
/// a part and takes those that are near to it out, then the oldest of those that are left. What comes later moves
/// nothing, and no class needs more than [`FOUNDERS`] comparisons for each member.
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
                    && pair.verified == Some(Verified::Unread)
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
