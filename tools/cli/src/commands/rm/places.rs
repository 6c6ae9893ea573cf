//! Sites and hosts whose documents are to be deleted, and what is stored of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use nddb::sketch::Recipe;
use nddb::text::host_of;
use nddb::{View, Writer};

use crate::failure::{Code, Result, Told};
use crate::quantity::{counted, grouped};

/// Most hosts that are named in a line.
const NAMED_MAX: usize = 5;

/// A site or a host, in lower case and ASCII.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Site(String),
    Host(String),
}

impl Place {
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

/// A name as the database has it: of an address only the host.
fn plain(name: &str) -> String {
    host_of(name).or_else(|| host_of(&format!("http://{name}/"))).unwrap_or_else(|| name.to_lowercase())
}

/// What is stored of a site or host.
#[derive(Debug)]
pub(super) struct Found {
    place: Place,
    /// Numbers of documents by host; without an address the host is empty.
    pub(super) hosts: BTreeMap<String, u64>,
    /// Documents of a host of this name.
    of_host: u64,
    /// The site that the name is of by the database's rule, and its documents.
    of_site: (String, u64),
}

impl Found {
    /// Looks at all documents.
    pub(super) fn of(view: View<'_>, place: &Place) -> Result<Self> {
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
                Place::Site(site) => head.site == Some(site),
                Place::Host(_) => is_host,
            };
            if is_meant {
                *found.hosts.entry(host.unwrap_or_default()).or_default() += 1;
            }
        })?;
        Ok(found)
    }

    /// Number of documents that are meant.
    pub(super) fn documents(&self) -> u64 {
        self.hosts.values().sum()
    }

    /// Which documents these are: ` of site example.org: www.example.org (3), a.example.org (1)`.
    pub(super) fn told(&self) -> String {
        let Place::Site(site) = &self.place else { return format!(" of host {}", self.place.name()) };
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

    /// That nothing is meant, and what might be.
    pub(super) fn nothing(&self) -> Option<Told> {
        if !self.hosts.is_empty() {
            return None;
        }
        let name = self.place.name();
        let (kind, mut other) = match self.place {
            Place::Site(_) => ("site", vec![("host", name, self.of_host)]),
            Place::Host(_) => ("host", Vec::new()),
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
