//! The graph of near-duplicates by a method (Henzinger 2006, results for algorithms B and C).

use std::collections::{BTreeMap, HashMap};

use nddb_dedup::{Classes, Collection, Line, PairJob, PairOptions, PairSummary, Reach, Resources};
use nddb_index::spill::sort::Sorter;
use nddb_index::{Progress, Result, View};

/// "Every page is a node in the graph. There is an edge between two nodes iff the pair is B-similar. [..] A node is
/// considered a near-duplicate page iff it is incident to at least one edge" (Henzinger 2006, results for algorithm B);
/// the same for any method.
///
/// As in the paper, only one of several documents with equal texts is a node, and a document without text is none. A
/// hot group (documents with equal sketches and different texts) counts as all pairs of its members; a pair with its
/// founder counts as a pair with each member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Documents with different texts.
    pub nodes: u64,
    /// Of these, documents with a near-duplicate.
    pub near: u64,
    /// Pairs of near-duplicates.
    pub edges: u64,
    /// Pairs whose documents are known to be on one site.
    pub same_site: u64,
    /// Number of nodes by their number of near-duplicates, nodes without any included.
    pub degrees: BTreeMap<u64, u64>,
    /// All live documents that have text, or of which only the sketch is known.
    pub documents: u64,
    /// Of these, documents with a near-duplicate; copies of one text are near-duplicates of each other.
    pub documents_near: u64,
    /// Totals of pairs and groups. If candidate keys exceeded the limit (`stars`), there may be more pairs than were
    /// counted.
    pub summary: PairSummary,
}

impl Graph {
    /// Average number of near-duplicates of the documents that have any; 0 if none has.
    pub fn mean_degree(&self) -> f64 {
        if self.near == 0 { 0.0 } else { 2.0 * self.edges as f64 / self.near as f64 }
    }

    /// The exponent of the power law of the degrees (Henzinger 2006: about -1.3 for B and -1.4 for C): the slope of the
    /// least-squares line through (log degree, log number of nodes). `None` with fewer than three degrees.
    pub fn exponent(&self) -> Option<f64> {
        let points = self.degrees.iter().filter(|(degree, _)| **degree > 0);
        let points: Vec<(f64, f64)> = points.map(|(&x, &y)| ((x as f64).ln(), (y as f64).ln())).collect();
        if points.len() < 3 {
            return None;
        }
        let len = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / len, sum.1 + point.1 / len));
        let (above, below) = points.iter().fold((0.0, 0.0), |sum, point| {
            let dx = point.0 - x;
            (sum.0 + dx * (point.1 - y), sum.1 + dx * dx)
        });
        Some(above / below)
    }
}

/// Measures the near-duplicates by a method.
///
/// # Errors
/// Errors of [`nddb_dedup::pairs`].
pub fn graph(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
) -> Result<Graph> {
    let options = PairOptions { expand: false, ..options.clone() };
    let found = PairJob::new(view, collection, &options, Reach::ALL, watch)?;
    let groups = Groups::new(collection, &found.classes, &options.resources)?;
    let members = found.classes.members();
    // Number of neighbours outside the class of a document.
    let mut outside = vec![0u32; collection.len() as usize];
    let (mut edges, mut same_site) = (0, 0);
    let summary = found.emit(collection, &options, watch, &mut |line| {
        if let Line::Pair(pair) = line {
            let (a, b) = (groups.len(pair.a), groups.len(pair.b));
            edges += a * b;
            same_site += groups.same_site_between(collection, pair.a, pair.b);
            outside[pair.a as usize] += b as u32;
            outside[pair.b as usize] += a as u32;
        }
        Ok(())
    })?;
    let mut graph = Graph { summary, edges, same_site, ..Graph::default() };
    for leader in found.classes.leaders().filter(|&leader| !collection.row(leader).is_empty) {
        let (len, documents) = (groups.len(leader), members.of(leader).len() as u64);
        let degree = len - 1 + u64::from(outside[leader as usize]);
        *graph.degrees.entry(degree).or_default() += len;
        graph.nodes += len;
        graph.near += if degree > 0 { len } else { 0 };
        graph.edges += len * (len - 1) / 2;
        graph.same_site += groups.same_site_within(leader);
        graph.documents += documents;
        graph.documents_near += if degree > 0 || documents > 1 { documents } else { 0 };
    }
    Ok(graph)
}

/// The number of nodes of each class, and their sites.
struct Groups {
    /// Number of nodes by leader.
    nodes: Vec<u32>,
    /// For each class of at least two nodes: (site, nodes), by site.
    sites: HashMap<u32, Vec<(u32, u64)>>,
}

impl Groups {
    fn new(collection: &Collection, classes: &Classes, resources: &Resources) -> Result<Self> {
        let all = || (0..collection.len()).filter(|&node| collection.representative(node) == node);
        let mut nodes = vec![0; collection.len() as usize];
        all().for_each(|node| nodes[classes.leader(node) as usize] += 1);
        let mut sorter = Sorter::<2>::new(&resources.folder, resources.memory_limit / 4);
        for node in all().filter(|&node| nodes[classes.leader(node) as usize] > 1) {
            if let Some(site) = collection.row(node).site {
                sorter.push([classes.leader(node).into(), site.into()])?;
            }
        }
        let mut sites: HashMap<u32, Vec<(u32, u64)>> = HashMap::new();
        sorter.finish().each(&mut |rows| {
            for &[leader, site] in rows {
                let known = sites.entry(leader as u32).or_default();
                match known.last_mut() {
                    Some(last) if u64::from(last.0) == site => last.1 += 1,
                    _ => known.push((site as u32, 1)),
                }
            }
            Ok(())
        })?;
        Ok(Self { nodes, sites })
    }

    /// Nodes of the class that a document leads.
    fn len(&self, leader: u32) -> u64 {
        self.nodes[leader as usize].into()
    }

    /// Number of pairs on one site within a class.
    fn same_site_within(&self, leader: u32) -> u64 {
        self.sites.get(&leader).map_or(0, |sites| sites.iter().map(|(_, nodes)| nodes * (nodes - 1) / 2).sum())
    }

    /// Number of pairs on one site between two classes.
    fn same_site_between(&self, collection: &Collection, a: u32, b: u32) -> u64 {
        let alone = [a, b].map(|leader| collection.row(leader).site.map(|site| (site, 1)));
        let x = self.sites.get(&a).map_or(alone[0].as_slice(), Vec::as_slice);
        let y = self.sites.get(&b).map_or(alone[1].as_slice(), Vec::as_slice);
        let (few, many) = if x.len() <= y.len() { (x, y) } else { (y, x) };
        let there = |site: u32| many.binary_search_by_key(&site, |known| known.0).map_or(0, |index| many[index].1);
        few.iter().map(|&(site, nodes)| nodes * there(site)).sum()
    }
}

#[cfg(test)]
mod tests {
    use nddb_dedup::support::{collection, completed, database, options, pages};

    use super::*;

    const METHODS: [&str; 6] = ["identity", "hamming", "b", "c", "combined", "split"];

    /// Decides every pair of documents with different texts by itself; for split, as its classes are decided.
    #[test]
    fn it_counts_what_comparing_everything_counts() {
        for seed in [1, 2] {
            let (folder, pages) = (tempfile::tempdir().expect("a folder"), pages(600, seed));
            let reader = database(folder.path(), &pages).expect("a database");
            for method in METHODS {
                let options = options(completed(method, true));
                let all = collection(&reader, &options.resources);
                let found = graph(reader.view(), &all, &options, &mut |_| true).expect("measured");
                let classes = Classes::new(&all, &*options.method, &|_| None, &options.resources).expect("classes");
                let nodes: Vec<u32> = (0..all.len())
                    .filter(|&node| all.representative(node) == node && !all.row(node).is_empty)
                    .collect();
                let mut want = Graph { summary: found.summary, nodes: nodes.len() as u64, ..Graph::default() };
                let mut degree = vec![0u64; all.len() as usize];
                for (index, &a) in nodes.iter().enumerate() {
                    for &b in &nodes[index + 1..] {
                        let named = if method == "split" { (classes.leader(a), classes.leader(b)) } else { (a, b) };
                        let one = method == "split" && named.0 == named.1;
                        let is_near = |a, b| all.compared(a, b, |pair| options.decider().judge(pair).is_near());
                        if one || is_near(named.0, named.1) {
                            want.edges += 1;
                            want.same_site += u64::from(all.compared(a, b, |pair| pair.same_site()) == Some(true));
                            degree[a as usize] += 1;
                            degree[b as usize] += 1;
                        }
                    }
                }
                for &node in &nodes {
                    let copies = (0..all.len()).filter(|&copy| all.representative(copy) == node).count() as u64;
                    let near = degree[node as usize] > 0;
                    *want.degrees.entry(degree[node as usize]).or_default() += 1;
                    want.near += u64::from(near);
                    want.documents += copies;
                    want.documents_near += if near || copies > 1 { copies } else { 0 };
                }
                assert_eq!(found, want, "{method}, seed {seed}");
                assert!(method == "identity" || found.same_site > 2 && found.degrees.len() > 2, "{method}: {found:?}");
                assert_eq!(found.documents, pages.iter().filter(|page| page.record.tokens != Some(0)).count() as u64);
            }
        }
    }

    #[test]
    fn the_exponent_is_the_slope_of_a_power_law() {
        let degrees = [(0, 9), (1, 64_000), (2, 8_000), (4, 1_000), (8, 125)].into_iter().collect();
        let graph = Graph { degrees, edges: 6, near: 4, ..Graph::default() };
        assert!((graph.exponent().expect("a slope") + 3.0).abs() < 1e-9);
        assert_eq!((graph.mean_degree(), Graph::default().mean_degree()), (3.0, 0.0));
        assert_eq!(Graph::default().exponent(), None);
    }
}
