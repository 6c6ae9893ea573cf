//! The two halves of a labelled set: methods and thresholds are chosen on one and reported on the other.

use std::collections::BTreeMap;

use sha1::{Digest, Sha1};

/// The half to which a labelled pair belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Half {
    /// The half to choose on.
    One,
    /// The half to report.
    Two,
    /// Neither half: a component was cut, and the documents of the pair are in different halves.
    Crossing,
}

/// The result of drawing the halves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HalfSummary {
    /// Sites with a labelled pair.
    pub sites: usize,
    /// Connected components of the graph of sites and labelled pairs.
    pub components: usize,
    /// Of these, components with more than half of all pairs, which were cut; at most one.
    pub cut: usize,
    /// Pairs that were dropped because their documents are in different halves.
    pub crossing: usize,
}

/// Draws the halves: returns the half of each pair of sites. Sites are given by numbers below `names.len()`.
///
/// Each half is a union of connected components of the graph with sites as nodes and pairs as edges. The bytewise
/// smallest name of a component decides: half one if the first hex digit of its SHA-1 is 0 to 7. A component with more
/// than half of all pairs is cut: the SHA-1 of its own site decides about each document, and pairs between the halves
/// are dropped and counted.
pub fn halves(names: &[String], pairs: &[[u32; 2]]) -> (Vec<Half>, HalfSummary) {
    let mut parent: Vec<usize> = (0..names.len()).collect();
    for &[a, b] in pairs {
        let (a, b) = (root(&mut parent, a as usize), root(&mut parent, b as usize));
        // The smallest name is the root, so that it need not be searched for.
        let (low, high) = if names[a] <= names[b] { (a, b) } else { (b, a) };
        parent[high] = low;
    }
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut touched = vec![false; names.len()];
    for &[a, b] in pairs {
        *sizes.entry(root(&mut parent, a as usize)).or_default() += 1;
        touched[a as usize] = true;
        touched[b as usize] = true;
    }
    let is_cut = |size: usize| 2 * size > pairs.len();
    let mut summary = HalfSummary {
        sites: touched.into_iter().filter(|touched| *touched).count(),
        components: sizes.len(),
        cut: sizes.values().filter(|size| is_cut(**size)).count(),
        crossing: 0,
    };
    let half = pairs.iter().map(|&[a, b]| {
        let component = root(&mut parent, a as usize);
        let half = if is_cut(sizes[&component]) {
            let [a, b] = [a, b].map(|site| half_of(&names[site as usize]));
            if a == b { a } else { Half::Crossing }
        } else {
            half_of(&names[component])
        };
        summary.crossing += usize::from(half == Half::Crossing);
        half
    });
    (half.collect(), summary)
}

fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// The half of a name: one if the first hex digit of its SHA-1 is 0 to 7.
fn half_of(name: &str) -> Half {
    if Sha1::digest(name.as_bytes())[0] < 0x80 { Half::One } else { Half::Two }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(names: &[&str], pairs: &[[u32; 2]]) -> (Vec<Half>, HalfSummary) {
        halves(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), pairs)
    }

    /// SHA-1 of `abc` is a9993e36..., of the empty string da39a3ee..., of `a` 86f7e437..., of "The quick brown fox
    /// jumps over the lazy dog" 2fd4e1c6... (FIPS 180 and other published test vectors).
    #[test]
    fn the_first_hex_digit_decides() {
        assert_eq!(half_of("abc"), Half::Two);
        assert_eq!(half_of(""), Half::Two);
        assert_eq!(half_of("a"), Half::Two);
        assert_eq!(half_of("The quick brown fox jumps over the lazy dog"), Half::One);
    }

    /// SHA-1: apache.org is of half two, github.com two, numpy.org one, npmjs.com one, buffer.com one.
    const NAMES: [&str; 5] = ["apache.org", "buffer.com", "github.com", "npmjs.com", "numpy.org"];

    #[test]
    fn a_component_goes_as_a_whole_by_its_smallest_name() {
        let own: Vec<Half> = NAMES.iter().map(|name| half_of(name)).collect();
        assert_eq!(own, [Half::Two, Half::One, Half::Two, Half::One, Half::One]);
        // numpy.org and apache.org are one component, npmjs.com and github.com another; buffer.com is alone.
        let pairs = [[4, 0], [4, 4], [2, 3], [3, 3], [1, 1]];
        let (half, summary) = draw(&NAMES, &pairs);
        assert_eq!(half, [Half::Two, Half::Two, Half::Two, Half::Two, Half::One]);
        assert_eq!(summary, HalfSummary { sites: 5, components: 3, cut: 0, crossing: 0 });
    }

    #[test]
    fn a_component_of_more_than_half_is_cut_and_crossing_pairs_are_counted() {
        // Three of five pairs connect apache.org, numpy.org and npmjs.com.
        let pairs = [[0, 4], [4, 3], [0, 0], [1, 1], [2, 2]];
        let (half, summary) = draw(&NAMES, &pairs);
        assert_eq!(half, [Half::Crossing, Half::One, Half::Two, Half::One, Half::Two]);
        assert_eq!(summary, HalfSummary { sites: 5, components: 3, cut: 1, crossing: 1 });
        // Exactly half is not more than half, so the component is not cut; apache.org decides.
        let (half, summary) = draw(&NAMES, &[[0, 4], [4, 3], [1, 1], [2, 2]]);
        assert_eq!(half, [Half::Two, Half::Two, Half::One, Half::Two]);
        assert_eq!((summary.cut, summary.crossing), (0, 0));
    }

    #[test]
    fn without_pairs_there_is_nothing_to_halve() {
        assert_eq!(draw(&[], &[]), (Vec::new(), HalfSummary::default()));
        assert_eq!(draw(&NAMES, &[]).1, HalfSummary::default());
    }
}
