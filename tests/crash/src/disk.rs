//! A model of a disk: what is written apart from what is durable, for the contents of files and for their names. A
//! power cut leaves what is durable, and of the rest what the file system happened to write.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nddb_test_support::Random;

use crate::trace::Event;

/// Bytes that a disk writes as a whole.
pub(crate) const SECTOR: usize = 4096;

/// Fewer zeros at the end of a log are taken for damage of what was written.
const FEW: usize = 32;

/// A change of a file's contents.
#[derive(Clone, Debug)]
enum Change {
    Write(u64, Arc<[u8]>),
    Truncate(u64),
}

impl Change {
    fn apply(&self, contents: &mut Vec<u8>) {
        match self {
            Self::Write(offset, data) => write_at(contents, *offset as usize, data),
            Self::Truncate(length) => contents.resize(*length as usize, 0),
        }
    }
}

fn write_at(contents: &mut Vec<u8>, offset: usize, data: &[u8]) {
    let end = offset + data.len();
    if contents.len() < end {
        contents.resize(end, 0);
    }
    contents[offset..end].copy_from_slice(data);
}

/// The contents of a file.
#[derive(Clone, Debug, Default)]
struct FileContents {
    durable: Arc<Vec<u8>>,
    /// What processes see, if a sync has failed and some of it will never be durable.
    seen: Option<Arc<Vec<u8>>>,
    /// What has happened to it since.
    pending: Vec<Change>,
}

impl FileContents {
    fn present(&self) -> Vec<u8> {
        let mut contents = self.seen.as_ref().unwrap_or(&self.durable).to_vec();
        self.pending.iter().for_each(|change| change.apply(&mut contents));
        contents
    }

    fn sync(&mut self) {
        for change in std::mem::take(&mut self.pending) {
            for contents in [Some(&mut self.durable), self.seen.as_mut()].into_iter().flatten() {
                change.apply(Arc::make_mut(contents));
            }
        }
    }
}

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    File(usize),
    Folder,
}

/// A change of names.
#[derive(Clone, Debug)]
enum Renaming {
    Add(PathBuf, Entry),
    Remove(PathBuf),
    Move(PathBuf, PathBuf, Entry),
}

impl Renaming {
    fn paths(&self) -> impl Iterator<Item = &Path> {
        let (first, second) = match self {
            Self::Add(path, _) | Self::Remove(path) => (path, None),
            Self::Move(from, to, _) => (from, Some(to)),
        };
        std::iter::once(first.as_path()).chain(second.map(PathBuf::as_path))
    }

    fn apply(&self, names: &mut Names) {
        match self {
            Self::Add(path, entry) => drop(names.insert(path.clone(), *entry)),
            Self::Remove(path) => drop(names.remove(path)),
            Self::Move(from, to, entry) => {
                let below: Vec<PathBuf> = names.keys().filter(|path| path.starts_with(from)).cloned().collect();
                for path in below {
                    if let (Some(entry), Ok(rest)) = (names.remove(&path), path.strip_prefix(from)) {
                        names.insert(to.join(rest).components().collect(), entry);
                    }
                }
                names.insert(to.clone(), *entry);
            }
        }
    }
}

type Names = BTreeMap<PathBuf, Entry>;

/// A disk.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    root: PathBuf,
    files: BTreeMap<usize, FileContents>,
    durable: Names,
    present: Names,
    pending: Vec<Renaming>,
}

/// What a power cut leaves of what is not durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Everything: the process was killed, and the system goes on.
    Nothing,
    /// Nothing at all.
    All,
    /// The first changes of names, in their order, and no contents.
    LaterNamesAndContents,
    /// All names, and no contents.
    Contents,
    /// All names and lengths, with zeros for contents.
    Zeros,
    /// All names and lengths, and of each file the first bytes of what was written, with zeros behind them.
    ZerosBehind,
    /// The first changes of names, and of each file the first bytes of what was written.
    Later,
    /// Some names, those of RocksDB's files in their order, and some sectors of each file.
    Some,
}

impl Loss {
    pub(crate) const ALL: [Self; 8] = [
        Self::Nothing,
        Self::All,
        Self::LaterNamesAndContents,
        Self::Contents,
        Self::Zeros,
        Self::ZerosBehind,
        Self::Later,
        Self::Some,
    ];
}

/// The files and folders that a power cut leaves, by their paths below the root.
pub(crate) type Image = BTreeMap<PathBuf, Option<Vec<u8>>>;

impl Disk {
    /// Returns the disk of a folder, of which all is durable.
    pub(crate) fn of(root: &Path) -> Self {
        let root = root.canonicalize().expect("the folder exists");
        let mut durable: Names = folders_below(&root).into_iter().map(|path| (path, Entry::Folder)).collect();
        let mut files = BTreeMap::new();
        for (number, path) in files_below(&root).into_iter().enumerate() {
            let contents = fs::read(&path).expect("it can be read");
            files.insert(number, FileContents { durable: Arc::new(contents), ..FileContents::default() });
            durable.insert(path, Entry::File(number));
        }
        Self { root, files, present: durable.clone(), durable, pending: Vec::new() }
    }

    /// Returns the folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Takes a call.
    pub(crate) fn take(&mut self, event: &Event) {
        match event {
            Event::Create(path, file) => {
                self.files.insert(*file, FileContents::default());
                self.rename(Renaming::Add(path.clone(), Entry::File(*file)));
            }
            Event::MakeFolder(path) => self.rename(Renaming::Add(path.clone(), Entry::Folder)),
            Event::Write(file, offset, data) => self.change(*file, Change::Write(*offset, data.clone())),
            Event::Truncate(file, length) => self.change(*file, Change::Truncate(*length)),
            Event::SyncFile(file) => {
                self.files.get_mut(file).into_iter().for_each(FileContents::sync);
            }
            Event::FailSync(file) => {
                if let Some(file) = self.files.get_mut(file) {
                    file.seen = Some(Arc::new(file.present()));
                    file.pending.clear();
                }
            }
            Event::SyncFolder(folder) => {
                let is_in = |renaming: &Renaming| renaming.paths().any(|path| path.parent() == Some(folder));
                let mut later: Vec<Renaming> = Vec::new();
                for renaming in std::mem::take(&mut self.pending) {
                    if !is_in(&renaming) {
                        later.push(renaming);
                        continue;
                    }
                    match &renaming {
                        // What happened in a folder that is gone does not happen in the next one of this name.
                        Renaming::Remove(removed) => {
                            later.retain(|before| !before.paths().all(|path| path.starts_with(removed)));
                        }
                        // What has left a folder for another one was made there before.
                        Renaming::Move(from, ..) => {
                            later.retain(|before| !matches!(before, Renaming::Add(path, _) if path == from));
                        }
                        Renaming::Add(..) => (),
                    }
                    renaming.apply(&mut self.durable);
                }
                self.pending = later;
            }
            Event::Rename(from, to) => {
                if let Some(entry) = self.present.get(from).copied() {
                    self.rename(Renaming::Move(from.clone(), to.clone(), entry));
                }
            }
            Event::Link(from, to) => {
                if let Some(entry) = self.present.get(from).copied() {
                    self.rename(Renaming::Add(to.clone(), entry));
                }
            }
            Event::Remove(path) => {
                if self.present.contains_key(path) {
                    self.rename(Renaming::Remove(path.clone()));
                }
            }
            Event::Begin(_) | Event::Done(_) => (),
        }
    }

    fn rename(&mut self, renaming: Renaming) {
        renaming.apply(&mut self.present);
        self.pending.push(renaming);
    }

    fn change(&mut self, file: usize, change: Change) {
        let file = self.files.entry(file).or_default();
        // RocksDB cuts a log to the length that it has.
        let is_none = matches!(change, Change::Truncate(length) if length == file.present().len() as u64);
        file.pending.extend((!is_none).then_some(change));
    }

    /// Returns the present names of files and folders below a folder.
    pub(crate) fn names_below<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = (&'a Path, Entry)> {
        self.present.iter().filter(move |(path, _)| path.starts_with(folder)).map(|(path, entry)| (&**path, *entry))
    }

    /// Says what of a present file is not durable, if anything is not.
    pub(crate) fn not_durable(&self, path: &Path) -> Option<&'static str> {
        let Some(entry) = self.present.get(path) else { return Some("does not exist") };
        if let Entry::File(number) = entry
            && self.files.get(number).is_some_and(|file| !file.pending.is_empty())
        {
            return Some("has contents that are not durable");
        }
        (self.durable.get(path) != Some(entry)).then_some("has a name that is not durable")
    }

    /// Returns the present contents of a file.
    pub(crate) fn contents(&self, path: &Path) -> Option<Vec<u8>> {
        let Entry::File(number) = self.present.get(path)? else { return None };
        Some(self.files.get(number)?.present())
    }

    /// Returns the contents that a file has on disk.
    pub(crate) fn durable_contents(&self, path: &Path) -> Option<Vec<u8>> {
        let Entry::File(number) = self.durable.get(path)? else { return None };
        Some(self.files.get(number)?.durable.to_vec())
    }

    /// Returns what a power cut leaves.
    pub(crate) fn cut(&self, loss: Loss, random: &mut Random) -> Image {
        let names = self.names_after(loss, random);
        let is_reachable = |path: &Path| {
            let parents = path.ancestors().skip(1).take_while(|parent| *parent != self.root);
            parents.into_iter().all(|parent| names.get(parent) == Some(&Entry::Folder))
        };
        let mut contents: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        let mut image = Image::new();
        for (path, entry) in names.iter().filter(|(path, _)| is_reachable(path)) {
            let below = path.strip_prefix(&self.root).expect("all are below the root").to_owned();
            let bytes = match entry {
                Entry::Folder => None,
                Entry::File(number) => {
                    let after = || after(&self.files[number], loss, random);
                    Some(contents.entry(*number).or_insert_with(after).clone())
                }
            };
            image.insert(below, bytes);
        }
        image
    }

    fn names_after(&self, loss: Loss, random: &mut Random) -> Names {
        let kept = match loss {
            Loss::Nothing | Loss::Contents | Loss::Zeros | Loss::ZerosBehind => return self.present.clone(),
            Loss::All => 0,
            Loss::Later | Loss::LaterNamesAndContents => random.index(self.pending.len() + 1),
            Loss::Some => self.pending.len(),
        };
        let mut names = self.durable.clone();
        // What happens to a name behind a change that is lost is lost too; of RocksDB's files all that is behind it:
        // its CURRENT gets the name of a list before the list's own is durable, and relies on their order.
        let mut lost = BTreeSet::new();
        for renaming in &self.pending[..kept] {
            let is_lost = renaming.paths().any(|path| {
                let folder = path.parent().filter(|folder| folder.ends_with("catalog"));
                lost.contains(path) || folder.is_some_and(|folder| lost.contains(folder))
            });
            if is_lost || loss == Loss::Some && random.percent(50) {
                lost.extend(renaming.paths());
                let folders = renaming.paths().filter_map(Path::parent);
                lost.extend(folders.filter(|folder| folder.ends_with("catalog")));
            } else {
                renaming.apply(&mut names);
            }
        }
        names
    }
}

/// Returns the contents of a file after a power cut.
fn after(file: &FileContents, loss: Loss, random: &mut Random) -> Vec<u8> {
    let mut contents = file.durable.to_vec();
    match loss {
        Loss::Nothing => return file.present(),
        Loss::All | Loss::LaterNamesAndContents | Loss::Contents => (),
        Loss::Zeros => contents.resize(file.present().len(), 0),
        Loss::Later | Loss::ZerosBehind => {
            let kept = random.index(file.pending.len() + 1);
            file.pending[..kept].iter().for_each(|change| change.apply(&mut contents));
            if let Some(Change::Write(offset, data)) = file.pending.get(kept) {
                write_at(&mut contents, *offset as usize, &data[..random.index(data.len() + 1)]);
            }
            if loss == Loss::ZerosBehind {
                let present = file.present();
                contents.truncate((contents.len() / SECTOR * SECTOR).max(file.durable.len()));
                // A few zeros at the end are not told from what was written there.
                if present.len() < contents.len() + FEW {
                    return present;
                }
                contents.resize(present.len(), 0);
            }
        }
        Loss::Some => {
            for change in &file.pending {
                let Change::Write(offset, data) = change else {
                    change.apply(&mut contents);
                    continue;
                };
                let mut begin = 0;
                while begin < data.len() {
                    let at = *offset as usize + begin;
                    let end = data.len().min(begin + SECTOR - at % SECTOR);
                    if random.percent(50) {
                        write_at(&mut contents, at, &data[begin..end]);
                    }
                    begin = end;
                }
            }
        }
    }
    contents
}

/// Writes the files and folders of an image into a folder.
pub(crate) fn write(image: &Image, folder: &Path) {
    for (path, contents) in image {
        let path = folder.join(path);
        match contents {
            None => fs::create_dir_all(&path).expect("it can be made"),
            Some(contents) => fs::write(&path, contents).expect("it can be written"),
        }
    }
}

/// Returns the files below a folder, in order.
pub(crate) fn files_below(root: &Path) -> Vec<PathBuf> {
    below(root).into_iter().filter(|path| !path.is_dir()).collect()
}

fn folders_below(root: &Path) -> Vec<PathBuf> {
    below(root).into_iter().filter(|path| path.is_dir()).collect()
}

fn below(root: &Path) -> Vec<PathBuf> {
    let (mut all, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            all.push(path);
        }
    }
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(events: &[Event]) -> Disk {
        let mut disk = Disk {
            root: "/r".into(),
            files: BTreeMap::new(),
            durable: Names::new(),
            present: Names::new(),
            pending: Vec::new(),
        };
        events.iter().for_each(|event| disk.take(event));
        disk
    }

    fn write(file: usize, offset: u64, text: &str) -> Event {
        Event::Write(file, offset, text.as_bytes().into())
    }

    fn image(files: &[(&str, &str)]) -> Image {
        files.iter().map(|(path, text)| (path.into(), Some(text.as_bytes().to_vec()))).collect()
    }

    #[test]
    fn contents_and_names_are_durable_each_by_a_call_of_its_own() {
        let a = || PathBuf::from("/r/a");
        let mut events = vec![Event::Create(a(), 0), write(0, 0, "one")];
        let after = |events: &[Event], loss| disk(events).cut(loss, &mut Random::fixed(1));
        assert_eq!(after(&events, Loss::All), image(&[]));
        assert_eq!(after(&events, Loss::Nothing), image(&[("a", "one")]));
        assert_eq!(after(&events, Loss::Contents), image(&[("a", "")]));
        assert_eq!(after(&events, Loss::Zeros), image(&[("a", "\0\0\0")]));
        events.push(Event::SyncFile(0));
        assert_eq!(after(&events, Loss::All), image(&[]), "its name is not durable");
        assert_eq!(disk(&events).not_durable(&a()), Some("has a name that is not durable"));
        events.push(Event::SyncFolder("/r".into()));
        assert_eq!(after(&events, Loss::All), image(&[("a", "one")]));
        assert_eq!(disk(&events).not_durable(&a()), None);
        events.push(write(0, 1, "xyz"));
        assert_eq!(after(&events, Loss::All), image(&[("a", "one")]));
        assert_eq!(after(&events, Loss::Nothing), image(&[("a", "oxyz")]));
        assert_eq!(disk(&events).not_durable(&a()), Some("has contents that are not durable"));
    }

    #[test]
    fn what_happened_in_a_folder_that_is_gone_does_not_happen_in_the_next_of_its_name() {
        let (d, file, e) = (PathBuf::from("/r/d"), PathBuf::from("/r/d/file"), PathBuf::from("/r/e"));
        let sync = |folder: &str| Event::SyncFolder(folder.into());
        let mut events = vec![Event::MakeFolder(d.clone()), Event::Create(file.clone(), 0), sync("/r/d"), sync("/r")];
        events.extend([Event::Remove(file), Event::Remove(d.clone())]);
        events.extend([Event::MakeFolder(e.clone()), Event::Create(e.join("file"), 1), sync("/r/e")]);
        events.extend([Event::Rename(e, d), sync("/r")]);
        for loss in Loss::ALL {
            let left = disk(&events).cut(loss, &mut Random::fixed(1));
            assert!(left.contains_key(Path::new("d/file")), "{loss:?}: {left:?}");
        }
    }

    #[test]
    fn a_name_is_replaced_as_a_whole_or_not_at_all() {
        let (a, b) = (PathBuf::from("/r/a"), PathBuf::from("/r/b"));
        let mut events = vec![Event::Create(a.clone(), 0), write(0, 0, "old"), Event::SyncFile(0)];
        events.push(Event::SyncFolder("/r".into()));
        events.extend([Event::Create(b.clone(), 1), write(1, 0, "new"), Event::SyncFile(1)]);
        events.push(Event::Rename(b, a));
        let (mut old, mut new) = (0, 0);
        for seed in 0..50 {
            let left = disk(&events).cut(Loss::Some, &mut Random::fixed(seed));
            match left.get(Path::new("a")) {
                Some(Some(text)) if text == b"old" => old += 1,
                Some(Some(text)) if text == b"new" => new += 1,
                other => panic!("{other:?}"),
            }
        }
        assert!(old > 5 && new > 5, "{old} {new}");
        events.push(Event::SyncFolder("/r".into()));
        assert_eq!(disk(&events).cut(Loss::All, &mut Random::fixed(1)), image(&[("a", "new")]));
    }

    #[test]
    fn a_folder_takes_its_files_along_and_without_its_own_name_they_are_lost() {
        let (whole, file) = (PathBuf::from("/r/whole"), PathBuf::from("/r/whole/f"));
        let mut events = vec![Event::MakeFolder(whole.clone()), Event::Create(file, 0), write(0, 0, "x")];
        events.extend([Event::SyncFile(0), Event::SyncFolder(whole.clone())]);
        assert_eq!(disk(&events).cut(Loss::All, &mut Random::fixed(1)), image(&[]));
        events.extend([Event::Rename(whole, "/r/b".into()), Event::SyncFolder("/r".into())]);
        let left = disk(&events).cut(Loss::All, &mut Random::fixed(1));
        assert_eq!(left.get(Path::new("b/f")), Some(&Some(b"x".to_vec())), "{left:?}");
        assert_eq!(left.len(), 2);
    }

    #[test]
    fn sectors_are_lost_one_by_one_and_a_torn_write_has_its_first_bytes() {
        let text = "a".repeat(3 * SECTOR);
        let events = [Event::Create("/r/a".into(), 0), write(0, 0, &text)];
        let mut seen = BTreeSet::new();
        for seed in 0..200 {
            let left = disk(&events).cut(Loss::Some, &mut Random::fixed(seed));
            if let Some(Some(bytes)) = left.get(Path::new("a")) {
                seen.insert(bytes.chunks(SECTOR).map(|sector| sector[0]).collect::<Vec<u8>>());
            }
            let torn = disk(&events).cut(Loss::Later, &mut Random::fixed(seed));
            let bytes = torn.get(Path::new("a")).cloned().flatten().unwrap_or_default();
            assert!(bytes.iter().all(|&byte| byte == b'a'));
        }
        assert_eq!(seen.len(), 8, "{seen:?}");
    }
}
