//! Connected components of the graph of pairs.

use nddb_index::Result;

use crate::collection::Collection;
use crate::collection::classes::Classes;
use crate::pairs::Pass;

/// Returns, for each document, the least ordinal in its component. `pass` visits all pairs of leaders.
pub(crate) fn founders(collection: &Collection, classes: &Classes, pass: &mut Pass<'_>) -> Result<Vec<u32>> {
    let mut parent: Vec<u32> = (0..collection.len()).map(|ordinal| classes.leader(ordinal)).collect();
    pass(&mut |pair| {
        let (a, b) = (root(&mut parent, pair.a), root(&mut parent, pair.b));
        parent[a.max(b) as usize] = a.min(b);
        Ok(())
    })?;
    for ordinal in 0..collection.len() {
        root(&mut parent, ordinal);
    }
    Ok(parent)
}

/// Returns the root of a set, its least ordinal, with path compression.
fn root(parent: &mut [u32], ordinal: u32) -> u32 {
    let mut root = ordinal;
    while parent[root as usize] != root {
        root = parent[root as usize];
    }
    let mut at = ordinal;
    while parent[at as usize] != root {
        at = std::mem::replace(&mut parent[at as usize], root);
    }
    root
}
