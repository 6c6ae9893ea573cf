//! Sites and hosts whose documents are to be deleted, and their stored documents.

use std::collections::BTreeMap;
use std::fmt::Write;

use nddb::sketch::Recipe;
use nddb::text::host_of;
use nddb::{View, Writer};

use crate::failure::{Code, Result, Told};
use crate::quantity::{counted, grouped};

/// Maximum number of hosts in a message.
const NAMED_MAX: usize = 5;

/// A site or a host, in lower case and ASCII.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SiteOrHost {
    Site(String),
    Host(String),
}

impl SiteOrHost {
    /// The site that the user names.
    pub(super) fn site(name: &str) -> Self {
        Self::Site(plain(name))
    }

    /// The host that the user names.
    pub(super) fn host(name: &str) -> Self {
        Self::Host(plain(name))
    }

    /// Deletes all its documents. Returns their number.
    pub(super) fn delete(&self, writer: &mut Writer) -> nddb::Result<u64> {
        match self {
            Self::Site(site) => writer.delete_site(site),
            Self::Host(host) => writer.delete_where(|head| head.url.and_then(host_of).is_some_and(|of| of == *host)),
        }
    }

    fn name(&self) -> &str {
        let (Self::Site(name) | Self::Host(name)) = self;
        name
    }
}

/// Returns a name in the form of the database; for an address, its host.
fn plain(name: &str) -> String {
    host_of(name).or_else(|| host_of(&format!("http://{name}/"))).unwrap_or_else(|| name.to_lowercase())
}

/// The stored documents of a site or host.
#[derive(Debug)]
pub(super) struct SiteDocuments {
    place: SiteOrHost,
    /// Number of documents by host; the host of documents without an address is empty.
    pub(super) hosts: BTreeMap<String, u64>,
    /// Number of documents of a host of this name.
    of_host: u64,
    /// The site of the name by the rule of the database, and its number of documents.
    of_site: (String, u64),
}

impl SiteDocuments {
    /// Finds the documents by a scan of the database.
    pub(super) fn of(view: View<'_>, place: &SiteOrHost) -> Result<Self> {
        let name = place.name();
        let recipe = Recipe::of_any_version(&view.settings().recipe);
        let mut found = Self {
            place: place.clone(),
            hosts: BTreeMap::new(),
            of_host: 0,
            of_site: (recipe.map_or_else(|| name.into(), |recipe| recipe.site_rule().site(name)), 0),
        };
        view.heads(&mut |_, head| {
            let host = head.url.and_then(host_of);
            let is_host = host.as_deref() == Some(name);
            found.of_host += u64::from(is_host);
            found.of_site.1 += u64::from(head.site == Some(&found.of_site.0));
            let is_meant = match place {
                SiteOrHost::Site(site) => head.site == Some(site),
                SiteOrHost::Host(_) => is_host,
            };
            if is_meant {
                *found.hosts.entry(host.unwrap_or_default()).or_default() += 1;
            }
        })?;
        Ok(found)
    }

    /// Returns the number of documents to delete.
    pub(super) fn documents(&self) -> u64 {
        self.hosts.values().sum()
    }

    /// Describes these documents: ` of site example.org: www.example.org (3), a.example.org (1)`.
    pub(super) fn told(&self) -> String {
        let SiteOrHost::Site(site) = &self.place else { return format!(" of host {}", self.place.name()) };
        let mut hosts: Vec<(&String, &u64)> = self.hosts.iter().collect();
        hosts.sort_by_key(|(_, documents)| std::cmp::Reverse(**documents));
        let named = hosts.iter().take(NAMED_MAX).map(|(host, documents)| {
            let host = if host.is_empty() { "no host" } else { host };
            format!("{host} ({})", grouped(**documents))
        });
        let mut text = format!(" of site {site}: {}", named.collect::<Vec<_>>().join(", "));
        if let Some(more) = hosts.len().checked_sub(NAMED_MAX).filter(|more| *more > 0) {
            let _ = write!(text, " and {}", counted(more as u64, "more host"));
        }
        text
    }

    /// Returns the error that no document matches, with a suggestion.
    pub(super) fn nothing(&self) -> Option<Told> {
        if !self.hosts.is_empty() {
            return None;
        }
        let name = self.place.name();
        let (kind, mut other) = match self.place {
            SiteOrHost::Site(_) => ("site", vec![("host", name, self.of_host)]),
            SiteOrHost::Host(_) => ("host", Vec::new()),
        };
        other.push(("site", &self.of_site.0, self.of_site.1));
        let told = Told::new(Code::Failed, format!("rm: no document is of {kind} {name}"));
        let hints: Vec<String> = other
            .into_iter()
            .filter(|(_, _, documents)| *documents > 0)
            .map(|(kind, name, documents)| format!("--{kind} {name} is of {}", counted(documents, "document")))
            .collect();
        Some(if hints.is_empty() { told } else { told.hint(hints.join(", ")) })
    }
}
