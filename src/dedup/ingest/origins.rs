//! The archives from which sketches were made, and their numbers in the database.

use std::collections::HashMap;
use std::path::Path;

use nddb_archive::{Options, identity};
use nddb_index::{BulkLoad, Document, Result};

/// An archive by its path, size and hash.
type Key = (String, u64, [u8; 16]);

/// The numbers of archives in a database, by the paths that tables of sketches name.
#[derive(Default)]
pub(super) struct Origins {
    /// The archives registered before; read at the first look-up.
    registered: Option<HashMap<Key, u32>>,
    /// `None` for an archive that cannot be read.
    numbers: HashMap<String, Option<u32>>,
}

impl Origins {
    /// Replaces the archive number of a document that was sketched elsewhere by the number of that archive in this
    /// database. If the archive cannot be read, the document loses its position: its page cannot be read again.
    pub(super) fn place(
        &mut self,
        document: Document,
        archive: Option<&str>,
        load: &mut BulkLoad<'_>,
    ) -> Result<Document> {
        let Some(source) = document.record().source else { return Ok(document) };
        let number = match archive {
            Some(path) => self.number(path, load)?,
            None => None,
        };
        Ok(match number {
            Some(number) => document.with_source(number, source.offset, source.inner, source.length),
            None => document.without_source(),
        })
    }

    fn number(&mut self, path: &str, load: &mut BulkLoad<'_>) -> Result<Option<u32>> {
        if let Some(&number) = self.numbers.get(path) {
            return Ok(number);
        }
        let number = match identity(Path::new(path)) {
            Ok(identity) => {
                let archive = identity.into_archive(&Options::default(), None);
                let key = (archive.path.clone(), archive.size, archive.hash);
                let known = self.registered(load)?.get(&key).copied();
                Some(known.unwrap_or_else(|| load.register(archive)))
            }
            Err(_) => None,
        };
        self.numbers.insert(path.to_owned(), number);
        Ok(number)
    }

    fn registered(&mut self, load: &BulkLoad<'_>) -> Result<&HashMap<Key, u32>> {
        let registered = match self.registered.take() {
            Some(registered) => registered,
            None => {
                let all = load.registered()?.into_iter().filter(|(_, archive)| archive.reading.is_none());
                all.map(|(number, archive)| ((archive.path, archive.size, archive.hash), number)).collect()
            }
        };
        Ok(self.registered.insert(registered))
    }
}
