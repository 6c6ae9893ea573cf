//! The archives that sketches were made from, as the database knows them.

use std::collections::HashMap;
use std::path::Path;

use nddb_archive::{Options, identity};
use nddb_index::{BulkLoad, Document, Result};

/// An archive by its path, size and hash.
type Key = (String, u64, [u8; 16]);

/// The numbers under which a database knows archives, by the paths that tables of sketches name.
#[derive(Default)]
pub(super) struct Origins {
    /// Those that were registered before; read when the first is looked for.
    registered: Option<HashMap<Key, u32>>,
    /// `None` for what cannot be read.
    numbers: HashMap<String, Option<u32>>,
}

impl Origins {
    /// Has a document that was sketched elsewhere name its archive by the number that it has here. Where the archive
    /// cannot be read, the document has no position any more: its page cannot be read again.
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
