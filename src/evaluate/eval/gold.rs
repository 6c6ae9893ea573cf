//! Labelled pairs, joined with the documents of a collection.

use std::collections::{BTreeSet, HashMap};

use super::half::{Half, HalfSummary, halves};
use super::label::{Label, Labels};
use nddb_format::record::ShownId;
use nddb_index::Result;
use nddb_jobs::NamedId;

/// A document that a label file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledDocument {
    /// Its ordinal in the collection.
    pub ordinal: u32,
    /// Its id.
    pub id: String,
    /// Its site by Henzinger's rule, then its registrable domain (Henzinger 2006, 1); `None` without an address.
    pub sites: [Option<String>; 2],
}

/// A labelled pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoldPair {
    /// The lesser ordinal.
    pub a: u32,
    /// The greater ordinal.
    pub b: u32,
    /// The label.
    pub label: Label,
    /// The kind, as an index in [`Gold::kinds`].
    pub kind: Option<u32>,
    /// The sites by Henzinger's rule, as indexes in [`Gold::sites`].
    pub sites: [u32; 2],
    /// Whether both are on one site: by Henzinger's rule, and by registrable domain; `None` if one has no address.
    pub same_site: [Option<bool>; 2],
    /// Its half.
    pub half: Half,
}

/// The labelled pairs whose documents exist.
#[derive(Clone, Debug, Default)]
pub struct Gold {
    /// The pairs, in the order of the label file.
    pub pairs: Vec<GoldPair>,
    /// Names of sites. A document without an address is a site of its own, named by its id.
    pub sites: Vec<String>,
    /// The kinds, sorted.
    pub kinds: Vec<String>,
    /// Ids in the label file that no document has, sorted.
    pub unknown: Vec<String>,
    /// Number of pairs left out because they have an unknown id, or because both ids name the same document.
    pub left_out: u64,
    /// The result of drawing the halves.
    pub halves: HalfSummary,
    indexes: HashMap<(u32, u32), u32>,
}

impl Gold {
    /// Joins labels with documents; `find` looks up an id. Pairs that name an unknown id are left out of all figures
    /// and counted.
    ///
    /// # Errors
    /// Whatever `find` returns.
    pub fn new(labels: &Labels, find: &mut dyn FnMut(&NamedId) -> Result<Option<LabelledDocument>>) -> Result<Self> {
        let mut documents: HashMap<&NamedId, Option<Document>> = HashMap::new();
        let mut sites = Names::default();
        for id in labels.pairs.iter().flat_map(|pair| [&pair.a, &pair.b]) {
            if !documents.contains_key(id) {
                let document = find(id)?
                    .map(|index| Document { site: sites.number(index.sites[0].as_ref().unwrap_or(&index.id)), index });
                documents.insert(id, document);
            }
        }
        let kinds: BTreeSet<&String> = labels.pairs.iter().filter_map(|pair| pair.kind.as_ref()).collect();
        let kinds: Vec<String> = kinds.into_iter().cloned().collect();
        let mut gold = Self { kinds, ..Self::default() };
        let mut unknown = BTreeSet::new();
        for pair in &labels.pairs {
            let [first, second] = [&pair.a, &pair.b].map(|id| {
                let document = documents[id].as_ref();
                if document.is_none() {
                    unknown.insert(ShownId(id.as_id()).to_string());
                }
                document
            });
            let are_two = |(first, second): &(&Document, &Document)| first.index.ordinal != second.index.ordinal;
            let Some((first, second)) = first.zip(second).filter(are_two) else {
                gold.left_out += 1;
                continue;
            };
            let same_site = [0, 1].map(|rule| {
                let [a, b] = [first, second].map(|document| document.index.sites[rule].as_ref());
                a.zip(b).map(|(a, b)| a == b)
            });
            let (a, b) = (first.index.ordinal, second.index.ordinal);
            let kind = pair.kind.as_ref().and_then(|kind| gold.kinds.binary_search(kind).ok());
            gold.pairs.push(GoldPair {
                a: a.min(b),
                b: a.max(b),
                label: pair.label,
                kind: kind.map(|kind| kind as u32),
                sites: [first.site, second.site],
                same_site,
                half: Half::Crossing,
            });
        }
        let edges: Vec<[u32; 2]> = gold.pairs.iter().map(|pair| pair.sites).collect();
        let (half, summary) = halves(&sites.names, &edges);
        gold.pairs.iter_mut().zip(half).for_each(|(pair, half)| pair.half = half);
        gold.indexes = (0..).zip(&gold.pairs).map(|(index, pair)| ((pair.a, pair.b), index)).collect();
        (gold.sites, gold.halves, gold.unknown) = (sites.names, summary, unknown.into_iter().collect());
        Ok(gold)
    }

    /// The index in [`Gold::pairs`] of two documents, in either order.
    pub fn find(&self, a: u32, b: u32) -> Option<usize> {
        self.indexes.get(&(a.min(b), a.max(b))).map(|index| *index as usize)
    }

    /// Returns, for each pair, whether it is in the half; `true` for all pairs if no half is given.
    pub fn selected(&self, half: Option<Half>) -> Vec<bool> {
        self.pairs.iter().map(|pair| half.is_none_or(|half| pair.half == half)).collect()
    }
}

struct Document {
    site: u32,
    index: LabelledDocument,
}

/// Names by number, in the order of their first use.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use nddb_page::text::SiteRule;

    /// Labels joined with documents whose id is `host/name`, numbered in the order of `ids`.
    pub(crate) fn gold(ids: &[&str], pairs: &str) -> Gold {
        let labels = Labels::read(format!("id1\tid2\tlabel\tkind\n{pairs}").as_bytes()).expect("labels");
        Gold::new(&labels, &mut |id| {
            let id = id.as_id();
            let index = ids.iter().position(|known| *known == id).map(|ordinal| {
                let host = id.split_once('/').map(|(host, _)| host);
                let site = |rule: SiteRule| host.map(|host| rule.site(host));
                let sites = [site(SiteRule::Henzinger), site(SiteRule::Registrable)];
                LabelledDocument { ordinal: ordinal as u32, id: id.to_owned(), sites }
            });
            Ok(index)
        })
        .expect("no document is damaged")
    }

    #[test]
    fn labels_find_their_documents_by_both_site_rules() {
        let ids = ["www.bbc.co.uk/a", "bbc.co.uk/b", "itv.co.uk/c", "lone", "other"];
        let gold = gold(
            &ids,
            "www.bbc.co.uk/a\tbbc.co.uk/b\t1\tx\nbbc.co.uk/b\titv.co.uk/c\t0\ty\nlone\tbbc.co.uk/b\tg\t\nlone\tgone\t1\tx\n",
        );
        assert_eq!((gold.pairs.len(), gold.left_out), (3, 1));
        assert_eq!(gold.unknown, ["gone"]);
        assert_eq!(gold.kinds, ["x", "y"]);
        // Henzinger: bbc.co.uk, co.uk, co.uk; by the public suffix list bbc.co.uk twice, then itv.co.uk.
        assert_eq!(gold.pairs[0].same_site, [Some(false), Some(true)]);
        assert_eq!(gold.pairs[1].same_site, [Some(true), Some(false)]);
        assert_eq!(gold.pairs[2].same_site, [None, None]);
        let kinds: Vec<Option<u32>> = gold.pairs.iter().map(|pair| pair.kind).collect();
        assert_eq!(kinds, [Some(0), Some(1), None]);
        let labels: Vec<Label> = gold.pairs.iter().map(|pair| pair.label).collect();
        assert_eq!(labels, [Label::Correct, Label::Incorrect, Label::Undecided]);
        assert_eq!(gold.find(1, 0), Some(0));
        assert_eq!(gold.find(2, 1), Some(1));
        assert_eq!(gold.find(0, 2), None);
        let mut sites = gold.sites.clone();
        sites.sort();
        assert_eq!(sites, ["bbc.co.uk", "co.uk", "lone"]);
        // All three pairs form one component, which is cut; pairs that cross are in neither half.
        assert_eq!(gold.halves.components, 1);
        let of = |half| gold.selected(half).iter().filter(|selected| **selected).count();
        assert_eq!(of(None), 3);
        assert_eq!(of(Some(Half::One)) + of(Some(Half::Two)) + gold.halves.crossing, 3);
    }
}
