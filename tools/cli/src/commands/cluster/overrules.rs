//! Lists of documents that are never or always removed.

use std::collections::HashMap;
use std::path::PathBuf;

use nddb::View;
use nddb::detect::Collection;
use nddb::detect::options::Overrules;
use nddb::text::host_of;
use nddb_jobs::lists::{self, UnknownIds};

use crate::advice;
use crate::args::Global;
use crate::failure::{Code, Failure, Result, Told};
use crate::quantity::counted;

/// How a line begins that names a host, and one that names an address.
const HOST: &str = "host:";
const URL: &str = "url:";

/// Documents about which a list decides.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct OverruleArgs {
    /// Never remove the documents on this list, and keep them rather than others: a line is an id as in keep.txt,
    /// host:NAME or url:ADDRESS
    #[arg(long, value_name = "FILE")]
    never_remove: Option<PathBuf>,
    /// Always remove the documents on this list, even without a near-duplicate; the same lines. What is on both lists
    /// stays
    #[arg(long, value_name = "FILE")]
    always_remove: Option<PathBuf>,
}

impl OverruleArgs {
    /// Finds the listed documents.
    pub(super) fn find(&self, view: View<'_>, collection: &Collection, global: &Global) -> Result<Overrules> {
        let mut found = Overrules::default();
        if let Some(path) = &self.never_remove {
            List::read(path, collection, global)?
                .find(view, collection, global, &mut |rank| found.never_remove(rank))?;
        }
        if let Some(path) = &self.always_remove {
            List::read(path, collection, global)?
                .find(view, collection, global, &mut |rank| found.always_remove(rank))?;
        }
        Ok(found)
    }
}

/// A list that was read.
struct List<'a> {
    path: &'a PathBuf,
    /// Ranks of the documents whose ids are listed.
    ranks: Vec<u32>,
    /// Hosts and addresses, each with whether a document has it.
    hosts: HashMap<String, bool>,
    urls: HashMap<String, bool>,
    /// Lines that name no document.
    unknown: UnknownIds,
}

impl<'a> List<'a> {
    fn read(path: &'a PathBuf, collection: &Collection, global: &Global) -> Result<Self> {
        if let Some(doubt) = lists::check(path)? {
            global.messages().warn(advice::doubted(path, doubt));
        }
        let (ranks, hosts, urls) = (Vec::new(), HashMap::new(), HashMap::new());
        let mut list = Self { path, ranks, hosts, urls, unknown: UnknownIds::default() };
        for id in lists::ids(path)? {
            let stored = id.find(&mut |id| Ok(collection.find(id).is_some()));
            let stored = stored.map_err(|error| Failure::from(error).about(path))?;
            let line = id.as_id();
            if let Some(ordinal) = stored.and_then(|id| collection.find(&id)) {
                list.ranks.push(collection.row(ordinal).rank);
            } else if let Some(host) = line.strip_prefix(HOST) {
                list.hosts.insert(host.trim().to_lowercase(), false);
            } else if let Some(url) = line.strip_prefix(URL) {
                list.urls.insert(url.trim().to_owned(), false);
            } else {
                list.unknown.add(line);
            }
        }
        Ok(list)
    }

    /// Passes on the rank of each listed document, and says which lines name none. A list of which no line names a
    /// document is an error.
    fn find(
        mut self,
        view: View<'_>,
        collection: &Collection,
        global: &Global,
        visit: &mut dyn FnMut(u32),
    ) -> Result<()> {
        self.ranks.iter().copied().for_each(&mut *visit);
        if !self.hosts.is_empty() || !self.urls.is_empty() {
            view.heads(&mut |_, head| {
                let Some(url) = head.url else { return };
                let by_url = self.urls.get_mut(url);
                let by_host = host_of(url).and_then(|host| self.hosts.get_mut(&host));
                let is_listed = by_url.is_some() || by_host.is_some();
                by_url.into_iter().chain(by_host).for_each(|seen| *seen = true);
                if is_listed && let Some(ordinal) = collection.find(head.id) {
                    visit(collection.row(ordinal).rank);
                }
            })?;
        }
        let named = self.hosts.iter().map(|named| (HOST, named)).chain(self.urls.iter().map(|named| (URL, named)));
        let mut unseen: Vec<String> =
            named.filter(|(_, (_, seen))| !**seen).map(|(kind, (name, _))| format!("{kind}{name}")).collect();
        unseen.sort_unstable();
        let (seen, all) = (self.hosts.len() + self.urls.len() - unseen.len(), &mut self.unknown);
        unseen.iter().for_each(|name| all.add(name));
        if all.count() == 0 {
            return Ok(());
        }
        if self.ranks.is_empty() && seen == 0 {
            let hint = "a line is an id as in keep.txt, host:NAME or url:ADDRESS; 'nddb get' tells how ids are stored";
            return Err(Told::new(Code::Failed, all.nothing(self.path)).hint(hint).into());
        }
        let (lines, path) = (counted(all.count(), "line"), self.path.display());
        global.messages().warn(format!("{path}: {lines} without a stored document: {}", all.named()));
        Ok(())
    }
}
