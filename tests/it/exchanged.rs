//! Files of one database in each other's place, and files of its earlier states in the place of later ones: the check
//! finds it, and a query that meets it is an error and never a wrong answer; or it does no harm.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use nddb::detect::{OnlineDetector, document_of_page};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::verdict::methods::{B, Model};
use nddb::{CheckOptions, Config, Document, Error, Fingerprint, Reader, Within, Writer};

use super::damage::{copy_folder, swap};
use super::support::{Random, bare, folder, say};

/// Documents of a group: pages, and fingerprints alone.
const PAGES: u64 = 6;
const PRINTS: u64 = 16;

/// A database with all kinds of files, and copies of its folder from its earlier states.
struct Life {
    _folder: tempfile::TempDir,
    /// The last is the present one.
    states: Vec<PathBuf>,
    /// What each of them answers.
    answers: Vec<String>,
}

/// What an exchange came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Found,
    Harmless,
    /// The database answers as it did earlier, and the check finds nothing.
    Earlier,
}

fn recipe() -> Recipe {
    Recipe::from_label("main-c/1").expect("a recipe")
}

/// A page; those of a number and its successor are near-duplicates now and then.
fn page(group: u64, number: u64) -> Document {
    let mut random = Random::fixed((group << 8) ^ (number / 2));
    let mut words: Vec<String> = (0..60).map(|_| format!("word{}", random.below(5000))).collect();
    words.push(format!("end{}", number % 2));
    let url = format!("http://site{}.example/{group}/{number}", number % 5);
    let text = words.join(" ");
    let page = Page { url: Some(&url), ..Page::text(&text) };
    document_of_page(&format!("page {group} {number}"), &page, &recipe()).expect("a good id")
}

fn print(group: u64, number: u64) -> u64 {
    Random::fixed((group << 16) ^ number).next()
}

/// Adds the documents of a group and replaces some of the group before.
fn add(writer: &mut Writer, group: u64) {
    for number in 0..PAGES {
        writer.insert(page(group, number)).expect("taken");
    }
    for number in 0..PRINTS {
        let of = if number % 7 == 0 { group.saturating_sub(1) } else { group };
        writer.insert(bare(&format!("print {of} {number}"), print(group, number))).expect("taken");
    }
    writer.commit().expect("committed");
}

fn remove(writer: &mut Writer, group: u64) {
    for number in (1..PRINTS).step_by(5) {
        writer.delete(&format!("print {group} {number}")).expect("deleted");
    }
    writer.delete(&format!("page {group} 3")).expect("deleted");
    writer.commit().expect("committed");
}

impl Life {
    fn new() -> Self {
        let folder = folder();
        let path = folder.path().join("db");
        let config = Config::within(3).and_then(|config| config.levels(&[4])).expect("a scheme");
        drop(Writer::create(&path, &config.recipe(&recipe().label())).expect("a new database"));
        let mut states = Vec::new();
        let mut step = |work: &dyn Fn(&mut Writer)| {
            let mut writer = Writer::open(&path).expect("opened");
            work(&mut writer);
            // A writer that is not closed merges nothing at its end.
            drop(writer);
            let copy = folder.path().join(format!("state {}", states.len()));
            copy_folder(&path, &copy);
            states.push(copy);
        };
        let flush = |writer: &mut Writer| writer.flush().expect("flushed");
        step(&|writer| {
            add(writer, 0);
            flush(writer);
        });
        step(&|writer| {
            add(writer, 1);
            remove(writer, 0);
            flush(writer);
        });
        step(&|writer| {
            remove(writer, 1);
            flush(writer);
        });
        step(&|writer| {
            let plan = writer.plan_full_compaction().expect("something to do");
            writer.compact(&plan).expect("compacted");
            add(writer, 2);
            flush(writer);
        });
        step(&|writer| {
            add(writer, 3);
            remove(writer, 2);
            flush(writer);
        });
        step(&|writer| {
            add(writer, 4);
            remove(writer, 3);
        });
        let answers = states.iter().map(|state| answers(state).expect("it is sound")).collect();
        Self { _folder: folder, states, answers }
    }

    /// Returns the number of the present state.
    fn present(&self) -> usize {
        self.states.len() - 1
    }

    /// Returns the files below a folder of a state, by their paths below it, but for texts that RocksDB writes for its
    /// users.
    fn files(&self, state: usize, folder: &str) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.states[state].join(folder))
            .expect("a folder")
            .map(|entry| Path::new(folder).join(entry.expect("an entry").file_name()))
            .filter(|file| !file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("LO")))
            .collect();
        files.sort();
        files
    }

    /// Returns all files of a state.
    fn all_files(&self, state: usize) -> Vec<PathBuf> {
        let folders = ["runs", "catalog"].iter().flat_map(|folder| self.files(state, folder));
        folders.chain([PathBuf::from("MANIFEST")]).collect()
    }

    /// Changes a copy of the present state, and judges it. Fails for a wrong answer, and for an answer that is none
    /// where the check finds nothing.
    fn judge(&self, what: &str, change: impl Fn(&Path)) -> Outcome {
        let folder = folder();
        let path = folder.path().join("db");
        copy_folder(&self.states[self.present()], &path);
        change(&path);
        let answered = answers(&path);
        let found = match nddb::check(&path, &CheckOptions::default(), &mut |_| true) {
            Ok(report) => !report.is_sound(),
            Err(Error::Newer { .. } | Error::NotADatabase { .. }) => true,
            Err(error) => panic!("{what}: it cannot be checked: {error:?}"),
        };
        let present = self.present();
        match answered.map(|answers| self.answers.iter().rposition(|known| *known == answers)) {
            Ok(Some(state)) if state == present && !found => Outcome::Harmless,
            Ok(Some(state)) if state == present => Outcome::Found,
            Ok(Some(_)) if !found => Outcome::Earlier,
            Ok(_) => panic!("{what}: a wrong answer, which the check would {}find", if found { "" } else { "not " }),
            Err(_) if found => Outcome::Found,
            Err(error) => panic!("{what}: the check finds nothing, and a query fails: {error:?}"),
        }
    }
}

/// Returns all that the database at a path answers: every document, and what is near each.
fn answers(path: &Path) -> nddb::Result<String> {
    let reader = Reader::open(path)?;
    let view = reader.view();
    let mut answers = format!("{:?}\n", view.stats()?.documents);
    for group in 0..5 {
        for number in 0..PRINTS {
            answers +=
                &format!("{:?}\n", view.get(&format!("print {group} {number}"))?.map(|stored| stored.fingerprint));
        }
        let prints: Vec<Fingerprint> = (0..PRINTS).map(|number| Fingerprint(print(group, number))).collect();
        for answer in view.find(&prints, Within(3))? {
            let ids: Vec<&str> = answer.matches.iter().map(|found| &found.id[..]).collect();
            answers += &format!("matches {ids:?}\n");
        }
        for detector in [OnlineDetector::new(Model::default()), OnlineDetector::new(B::default())] {
            for number in 0..PAGES {
                let asked = detector.ask(view, &page(group, number))?;
                let ids: Vec<&str> = asked.matches.iter().map(|found| &found.id[..]).collect();
                answers += &format!("matches {ids:?} {}\n", asked.complete);
            }
        }
    }
    Ok(answers)
}

/// Says what was found, and returns what made the database one of its earlier states.
fn earlier(what: &str, outcomes: BTreeMap<String, Outcome>) -> Vec<String> {
    let count = |outcome| outcomes.values().filter(|&&one| one == outcome).count();
    let (found, harmless) = (count(Outcome::Found), count(Outcome::Harmless));
    say(&format!("{what}: {found} of {} are found, {harmless} do no harm", outcomes.len()));
    assert!(found > outcomes.len() / 2);
    outcomes.into_iter().filter(|(_, outcome)| *outcome == Outcome::Earlier).map(|(what, _)| what).collect()
}

#[test]
fn two_files_of_a_kind_in_each_others_place_are_found() {
    let life = Life::new();
    let mut outcomes = BTreeMap::new();
    for folder in ["runs", "catalog"] {
        let files = life.files(life.present(), folder);
        for (index, a) in files.iter().enumerate() {
            for b in files[index + 1..].iter().filter(|b| b.extension() == a.extension()).take(2) {
                let what = format!("{} and {}", a.display(), b.display());
                let outcome = life.judge(&what, |path| swap(&path.join(a), &path.join(b)));
                outcomes.insert(what, outcome);
            }
        }
    }
    assert_eq!(earlier("two files in each other's place", outcomes), [""; 0]);
}

/// A log that ends earlier cannot be told from one after which nothing was committed.
#[test]
fn files_of_earlier_states_are_found_but_for_the_end_of_a_log() {
    let life = Life::new();
    let last = life.present();
    let mut outcomes = BTreeMap::new();
    for state in [0, 2, last - 1] {
        let earlier = &life.states[state];
        let before = life.all_files(state);
        for (index, file) in life.all_files(last).iter().enumerate() {
            // The file of the same name, and one of its kind that is no more.
            let is_gone = |other: &&PathBuf| {
                let is_alike = other.extension() == file.extension() && other.parent() == file.parent();
                is_alike && !life.states[last].join(other).exists()
            };
            let gone: Vec<&PathBuf> = before.iter().filter(is_gone).collect();
            let gone = (!gone.is_empty()).then(|| gone[index % gone.len()]);
            for other in before.iter().filter(|other| *other == file).chain(gone) {
                let bytes = fs::read(earlier.join(other)).expect("readable");
                if bytes == fs::read(life.states[last].join(file)).expect("readable") {
                    continue;
                }
                let what = format!("{} of state {state} in place of {}", other.display(), file.display());
                let outcome = life.judge(&what, |path| fs::write(path.join(file), &bytes).expect("writable"));
                outcomes.insert(what, outcome);
            }
        }
        let what = format!("the catalog of state {state}");
        let outcome = life.judge(&what, |path| {
            fs::remove_dir_all(path.join("catalog")).expect("removed");
            copy_folder(&earlier.join("catalog"), &path.join("catalog"));
        });
        outcomes.insert(what, outcome);
    }
    // Since the state before the last there was one commit, which no manifest knows of.
    let is_of_log = |what: &String| what.contains(".log of") || *what == format!("the catalog of state {}", last - 1);
    let earlier = earlier("files of earlier states", outcomes);
    assert!(earlier.iter().all(is_of_log), "{earlier:?}");
}

#[test]
fn files_that_are_lost_are_found() {
    let life = Life::new();
    let mut outcomes = BTreeMap::new();
    for file in life.all_files(life.present()) {
        let what = file.display().to_string();
        let outcome = life.judge(&what, |path| fs::remove_file(path.join(&file)).expect("removed"));
        outcomes.insert(what, outcome);
    }
    assert_eq!(earlier("lost files", outcomes), [""; 0]);
}
