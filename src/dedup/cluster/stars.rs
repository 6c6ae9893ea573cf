//! Star clusters: each document joins the founder with the best score.
//!
//! Pairs are pairs of class leaders; all members of a class are near each other and near the same other documents. Only
//! the leader of a class can be a founder, since every later member is near the leader or the founder that the leader
//! joined. So leaders are assigned first. A member then joins its leader if the leader is a founder; else it joins the
//! best founder for itself, which may be younger than the leader. Members that are not near that founder by their own
//! site or content found a cluster together.

use std::collections::HashMap;

use nddb_index::Result;
use nddb_index::spill::sort::Sorter;
use nddb_verdict::Decision;

use crate::collection::Collection;
use crate::collection::classes::Classes;
use crate::options::PairOptions;
use crate::pairs::Pass;

/// Returns the founder of each document, by ordinal.
pub(crate) fn founders(
    collection: &Collection,
    classes: &Classes,
    options: &PairOptions,
    pass: &mut Pass<'_>,
) -> Result<Vec<u32>> {
    let resources = &options.resources;
    let mut founder: Vec<u32> = (0..collection.len()).collect();
    let mut sorter = Sorter::<2>::new(&resources.folder, resources.memory_limit / 4);
    pass(&mut |pair| {
        let (older, newer) = (pair.a.min(pair.b), pair.a.max(pair.b));
        sorter.push([two(newer, older), pair.score])
    })?;
    let mut joining = Joining::default();
    sorter.finish().each(&mut |rows| {
        for &[both, score] in rows {
            joining.pair(&mut founder, both >> 32, u64::from(both as u32), score);
        }
        Ok(())
    })?;
    joining.end(&mut founder);
    let members = classes.members();
    // The choices of the members of a class: pairs of a leader that joined a founder with all founders near to it.
    let mut sorter = Sorter::<2>::new(&resources.folder, resources.memory_limit / 4);
    pass(&mut |pair| {
        for (leader, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
            let is_founder = |ordinal: u32| founder[ordinal as usize] == ordinal;
            if !is_founder(leader) && is_founder(other) && members.of(leader).len() > 1 {
                sorter.push([two(leader, other), pair.score])?;
            }
        }
        Ok(())
    })?;
    for ordinal in 0..collection.len() {
        let leader = classes.leader(ordinal);
        if leader != ordinal {
            founder[ordinal as usize] = founder[leader as usize];
        }
    }
    let (mut choice, mut waiting) = (Choice::default(), 1);
    each_run(sorter, &mut |leader, row, last| {
        let class = members.of(leader);
        if let Some((other, score)) = row {
            // Members older than this founder choose among older founders.
            while let Some(&member) = class.get(waiting).filter(|&&member| member < other) {
                founder[member as usize] = choice.ordinal().unwrap_or(founder[leader as usize]);
                waiting += 1;
            }
            choice.offer(other.into(), score);
        }
        if last {
            for &member in class.get(waiting..).unwrap_or_default() {
                founder[member as usize] = choice.ordinal().unwrap_or(founder[leader as usize]);
            }
            (choice, waiting) = (Choice::default(), 1);
        }
    })?;
    part(collection, classes, options, &mut founder);
    Ok(founder)
}

/// Separates members from the founder that their leader joined, if by site or content they are not near to it. The
/// first such member of a class founds a cluster, and the others join it.
fn part(collection: &Collection, classes: &Classes, options: &PairOptions, founder: &mut [u32]) {
    let (mut first, decider) = (HashMap::<u32, u32>::new(), options.decider());
    for ordinal in 0..collection.len() {
        let (leader, joined) = (classes.leader(ordinal), founder[ordinal as usize]);
        if ordinal != leader
            && joined != leader
            && collection.compared(ordinal, joined, |pair| decider.judge(pair).decision) == Decision::Apart
        {
            founder[ordinal as usize] = *first.entry(leader).or_insert(ordinal);
        }
    }
}

/// The founder of each document, as far as it is known: a document is its own founder until it joins another.
pub(crate) trait Founders {
    /// Returns whether a document is a founder.
    fn is_founder(&self, number: u64) -> bool;

    /// Records that a document joins a founder.
    fn join(&mut self, newer: u64, founder: u64);
}

/// By ordinal.
impl Founders for Vec<u32> {
    fn is_founder(&self, number: u64) -> bool {
        u64::from(self[number as usize]) == number
    }

    fn join(&mut self, newer: u64, founder: u64) {
        self[newer as usize] = founder as u32;
    }
}

/// The ordered pass over the pairs of leaders: each leader joins the best founder that it is near to.
#[derive(Debug, Default)]
pub(crate) struct Joining {
    newer: Option<u64>,
    choice: Choice,
}

impl Joining {
    /// Takes the next pair, in the order of the newer document, then of the older one.
    pub(crate) fn pair(&mut self, founders: &mut impl Founders, newer: u64, older: u64, score: u64) {
        if self.newer != Some(newer) {
            self.end(founders);
            self.newer = Some(newer);
        }
        if founders.is_founder(older) {
            self.choice.offer(older, score);
        }
    }

    /// Signals that the pairs of the last newer document are complete.
    pub(crate) fn end(&mut self, founders: &mut impl Founders) {
        if let Some((newer, founder)) = self.newer.take().zip(std::mem::take(&mut self.choice).founder()) {
            founders.join(newer, founder);
        }
    }
}

/// The best of the offered founders, the first among equals.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Choice(Option<(u64, u64)>);

impl Choice {
    /// Offers a founder; older ones first.
    pub(crate) fn offer(&mut self, founder: u64, score: u64) {
        if self.0.is_none_or(|(_, best)| score > best) {
            self.0 = Some((founder, score));
        }
    }

    /// Returns the best founder.
    pub(crate) fn founder(&self) -> Option<u64> {
        self.0.map(|(founder, _)| founder)
    }

    fn ordinal(&self) -> Option<u32> {
        self.founder().map(|founder| founder as u32)
    }
}

fn two(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Visits rows of (two ordinals, score) by the first ordinal, then the second, and signals the end of the rows of each
/// first ordinal.
fn each_run(sorter: Sorter<2>, visit: &mut dyn FnMut(u32, Option<(u32, u64)>, bool)) -> Result<()> {
    let mut run: Option<u32> = None;
    sorter.finish().each(&mut |rows| {
        for &[both, score] in rows {
            let (first, second) = ((both >> 32) as u32, both as u32);
            if let Some(before) = run.replace(first).filter(|&before| before != first) {
                visit(before, None, true);
            }
            visit(first, Some((second, score)), false);
        }
        Ok(())
    })?;
    if let Some(before) = run {
        visit(before, None, true);
    }
    Ok(())
}
