//! Parts of sites: documents by the first folder of their addresses.

use std::collections::HashMap;

/// Greatest number of folders that are counted: of later ones nothing is known.
const COUNTED: usize = 200_000;
/// Number of folders that are shown.
const SHOWN: usize = 15;

/// A part of the documents, and how many of these are to be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Its name; `None` for documents without a site or batch.
    pub name: Option<String>,
    /// Live documents.
    pub documents: u64,
    /// Of these, documents to remove.
    pub removed: u64,
}

/// Counts of documents by folder.
#[derive(Default)]
pub(super) struct Paths(HashMap<String, Share>);

/// Returns the host of an address and its first folder: `a.org/news/`.
fn folder(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let rest = rest.split(['?', '#']).next()?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.to_ascii_lowercase();
    Some(match path.split_once('/') {
        Some((first, _)) => format!("{host}/{first}/"),
        None => format!("{host}/"),
    })
}

impl Paths {
    pub(super) fn count(&mut self, url: Option<&str>, is_removed: bool) {
        let Some(folder) = url.and_then(folder) else { return };
        if self.0.len() >= COUNTED && !self.0.contains_key(&folder) {
            return;
        }
        let share = self.0.entry(folder).or_default();
        share.documents += 1;
        share.removed += u64::from(is_removed);
    }

    /// Returns the folders from which most documents are removed.
    pub(super) fn most(self) -> Vec<Share> {
        let named = |(name, share): (String, Share)| Share { name: Some(name), ..share };
        let mut all: Vec<Share> = self.0.into_iter().map(named).filter(|share| share.removed > 0).collect();
        all.sort_by(|a, b| (b.removed, b.documents).cmp(&(a.removed, a.documents)).then_with(|| a.name.cmp(&b.name)));
        all.truncate(SHOWN);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_belongs_to_its_first_folder() {
        for (url, of) in [
            ("http://A.org/news/2024/x?y=/z", Some("a.org/news/")),
            ("https://a.org/x", Some("a.org/")),
            ("https://a.org", Some("a.org/")),
            ("urn:x", None),
        ] {
            assert_eq!(folder(url).as_deref(), of, "{url}");
        }
        let mut paths = Paths::default();
        paths.count(Some("http://a/b/1"), true);
        paths.count(Some("http://a/b/2"), false);
        paths.count(Some("http://a/c/2"), false);
        paths.count(None, true);
        let share = Share { name: Some("a/b/".into()), documents: 2, removed: 1 };
        assert_eq!(paths.most(), [share], "nothing is removed elsewhere");
    }
}
