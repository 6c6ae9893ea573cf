//! Stars: each document joins the founder that it is most like.
//!
//! The pairs run between the leaders of classes, of which all members are near to each other and to the
//! same others. Of a class only its leader can be a founder: what comes later finds it, or whom it joined.
//! So the leaders are taken first. A member then follows its leader, if that is a founder; else it may have
//! found another one better, who came between the leader and itself; and if by its own site or content it is not near
//! to that founder, it founds with the others of which this holds.

use std::collections::HashMap;

use crate::Result;
use crate::detect::collection::Collection;
use crate::detect::collection::classes::Classes;
use crate::detect::method::options::PairOptions;
use crate::detect::method::rules::Decision;
use crate::detect::pairs::Pass;
use crate::spill::sort::Sorter;

/// The founder of each document.
pub(crate) fn founders(
    collection: &Collection,
    classes: &Classes,
    options: &PairOptions,
    pass: &mut Pass<'_>,
) -> Result<Vec<u32>> {
    let (resources, decider) = (&options.resources, options.decider());
    let mut founder: Vec<u32> = (0..collection.len()).collect();
    let mut sorter = Sorter::<2>::new(&resources.folder, resources.memory_limit / 4);
    pass(&mut |pair| {
        let (older, newer) = (pair.a.min(pair.b), pair.a.max(pair.b));
        sorter.push([two(newer, older), decider.nearness(&pair.evidence)])
    })?;
    let mut best = Best::default();
    each_run(sorter, &mut |newer, row, last| {
        if let Some((older, score)) = row
            && founder[older as usize] == older
        {
            best.offer(older, score);
        }
        if last && let Some(joined) = best.take() {
            founder[newer as usize] = joined;
        }
    })?;
    let members = classes.members();
    // Pairs of a leader that joined another, with founders: what its members choose from.
    let mut sorter = Sorter::<2>::new(&resources.folder, resources.memory_limit / 4);
    pass(&mut |pair| {
        for (leader, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
            let is_founder = |ordinal: u32| founder[ordinal as usize] == ordinal;
            if !is_founder(leader) && is_founder(other) && members.of(leader).len() > 1 {
                sorter.push([two(leader, other), decider.nearness(&pair.evidence)])?;
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
    let (mut best, mut waiting) = (Best::default(), 1);
    each_run(sorter, &mut |leader, row, last| {
        let class = members.of(leader);
        if let Some((other, score)) = row {
            // Members that came before this founder chose among those before it.
            while let Some(&member) = class.get(waiting).filter(|&&member| member < other) {
                founder[member as usize] = best.best().unwrap_or(founder[leader as usize]);
                waiting += 1;
            }
            best.offer(other, score);
        }
        if last {
            for &member in class.get(waiting..).unwrap_or_default() {
                founder[member as usize] = best.best().unwrap_or(founder[leader as usize]);
            }
            (best, waiting) = (Best::default(), 1);
        }
    })?;
    part(collection, classes, options, &mut founder);
    Ok(founder)
}

/// Takes members from a founder that only their leader is near to, because of its site or its content: of a class the
/// first of them founds a cluster, and the others join it.
fn part(collection: &Collection, classes: &Classes, options: &PairOptions, founder: &mut [u32]) {
    let mut first: HashMap<u32, u32> = HashMap::new();
    for ordinal in 0..collection.len() {
        let (leader, joined) = (classes.leader(ordinal), founder[ordinal as usize]);
        if ordinal != leader
            && joined != leader
            && options.decider().decide(&collection.evidence(ordinal, joined)) == Decision::Apart
        {
            founder[ordinal as usize] = *first.entry(leader).or_insert(ordinal);
        }
    }
}

/// The best of what was offered, of equals the first.
#[derive(Default)]
struct Best(Option<(u32, u64)>);

impl Best {
    fn offer(&mut self, ordinal: u32, score: u64) {
        if self.0.is_none_or(|(_, best)| score > best) {
            self.0 = Some((ordinal, score));
        }
    }

    fn best(&self) -> Option<u32> {
        self.0.map(|(ordinal, _)| ordinal)
    }

    fn take(&mut self) -> Option<u32> {
        self.0.take().map(|(ordinal, _)| ordinal)
    }
}

fn two(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Visits rows of (two ordinals, score) by the first ordinal, then the second; says at the end of each run
/// of one first ordinal that it was the last.
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
