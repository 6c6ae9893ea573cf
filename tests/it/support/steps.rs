//! Steps in the life of a database, taken by a writer and by its model, which must agree.

use std::path::Path;

use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Document, Error, Fingerprint, Outcome, Verdict, View, Within, Work, Writer};

use super::model::{Content, Label, Model};
use super::{Random, Truth, folder};

/// Ids, so few that they come again.
pub(crate) const IDS: u64 = 400;
/// Greatest distance of the databases here.
pub(crate) const K: u8 = 3;
const SITES: u64 = 12;
const BATCHES: u64 = 9;

/// One step: what it does follows from its seed alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(pub(crate) u64);

#[derive(Debug)]
enum Change {
    Insert(String, Content),
    InsertIfNew(String, Content, u8),
    Delete(String),
    /// Moves what is committed into a run, in the middle of a group.
    Flush,
}

#[derive(Debug)]
enum Deed {
    Group(Option<Label>, Vec<Change>),
    Load(Option<Label>, Vec<(String, Content)>),
    DeleteSite(String),
    DeleteBatch(String),
    CommitBatch(String),
    CancelBatch(String),
    Merge(Vec<Step>),
    Flush,
    Compact,
    CompactAll,
    Reshape(Option<Vec<u8>>),
    Close,
    Drop,
}

fn content(random: &mut Random) -> Content {
    let site = random.percent(30).then(|| format!("site{}.example", random.below(SITES)));
    let print = match random.below(20) {
        0 => None,
        1..12 => {
            let centre = Random::fixed(random.below(8)).next();
            let flips = random.below(6);
            Some(random.near(centre, flips, 64))
        }
        _ => Some(random.next()),
    };
    Content { print, site }
}

fn id(random: &mut Random) -> String {
    format!("id {}", random.below(IDS))
}

fn batch(random: &mut Random) -> String {
    format!("batch {}", random.below(BATCHES))
}

fn label(random: &mut Random) -> Option<Label> {
    random.percent(50).then(|| {
        let name = batch(random);
        // Most names are always of one kind, so that few are refused.
        let pending = name.len().is_multiple_of(2) ^ name.ends_with(['1', '3', '5']) ^ random.percent(5);
        Label { name, pending }
    })
}

fn change(random: &mut Random) -> Change {
    match random.below(20) {
        0..12 => Change::Insert(id(random), content(random)),
        12..16 => Change::InsertIfNew(id(random), content(random), random.below(u64::from(K) + 1) as u8),
        19 if random.percent(5) => Change::Flush,
        _ => Change::Delete(id(random)),
    }
}

impl std::fmt::Display for Step {
    /// What it does, without the documents.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.deed() {
            Deed::Group(label, changes) => write!(f, "{} changes, {label:?}", changes.len()),
            Deed::Load(label, documents) => write!(f, "load of {}, {label:?}", documents.len()),
            Deed::Merge(steps) => write!(f, "merge of {} steps", steps.len()),
            deed => write!(f, "{deed:?}"),
        }
    }
}

impl Step {
    fn deed(self) -> Deed {
        let random = &mut Random::fixed(self.0);
        match random.below(100) {
            0..45 => {
                let label = label(random);
                Deed::Group(label, (0..=random.below(60)).map(|_| change(random)).collect())
            }
            45..55 => {
                let label = label(random);
                Deed::Load(label, (0..=random.below(120)).map(|_| (id(random), content(random))).collect())
            }
            55..58 => Deed::DeleteSite(format!("site{}.example", random.below(SITES))),
            58..60 => Deed::DeleteBatch(batch(random)),
            60..68 => Deed::CommitBatch(batch(random)),
            68 => Deed::CancelBatch(batch(random)),
            69 | 70 => Deed::Merge((0..3).map(|_| Step(random.next())).collect()),
            71..79 => Deed::Flush,
            79..86 => Deed::Compact,
            86..90 => Deed::CompactAll,
            90 | 91 => {
                let all: [Option<&[u8]>; 5] = [None, Some(&[4]), Some(&[5]), Some(&[6]), Some(&[4, 4])];
                Deed::Reshape(random.pick(&all).map(<[u8]>::to_vec))
            }
            92..97 => Deed::Close,
            _ => Deed::Drop,
        }
    }

    /// Takes the step on the model alone.
    pub(crate) fn imagine(self, model: &mut Model) {
        match self.deed() {
            Deed::Group(label, changes) => {
                if !model.label(label.as_ref()) {
                    return;
                }
                for change in changes {
                    imagine_change(model, &change);
                }
                model.commit();
            }
            Deed::Load(label, documents) => {
                if model.label(label.as_ref()) {
                    imagine_load(model, &documents);
                }
            }
            Deed::DeleteSite(site) => drop(model.delete_site(&site)),
            Deed::DeleteBatch(name) => drop(model.delete_batch(&name)),
            Deed::CommitBatch(name) => drop(model.commit_batch(&name)),
            Deed::CancelBatch(name) => drop(model.cancel_batch(&name)),
            Deed::Merge(steps) => drop(model.merge(&imagined(&steps))),
            _ => (),
        }
    }

    /// Takes the step with a writer, which may have to be opened again, and asserts that it says what the
    /// model says, on which the step is taken too.
    pub(crate) fn take(self, mut writer: Writer, path: &Path, model: &mut Model) -> Writer {
        let why = format!("{self:?}");
        match self.deed() {
            Deed::Group(label, changes) => {
                if !choose(&mut writer, model, label.as_ref(), &why) {
                    return writer;
                }
                for change in &changes {
                    let wanted = imagine_change(model, change);
                    assert_eq!(take_change(&mut writer, change), wanted, "{why}");
                }
                writer.commit().unwrap_or_else(|error| panic!("{why}: {error:?}"));
                model.commit();
            }
            Deed::Load(label, documents) => {
                if !choose(&mut writer, model, label.as_ref(), &why) {
                    return writer;
                }
                let mut load = writer.bulk_load().unwrap_or_else(|error| panic!("{why}: {error:?}"));
                for (id, content) in &documents {
                    load.push(document(id, content)).unwrap_or_else(|error| panic!("{why}: {error:?}"));
                }
                let loaded = load.finish().unwrap_or_else(|error| panic!("{why}: {error:?}"));
                let counts = [loaded.documents, loaded.replaced, loaded.unchanged, loaded.repeated, loaded.unprinted];
                assert_eq!(counts, imagine_load(model, &documents), "{why}");
            }
            Deed::DeleteSite(site) => {
                assert_eq!(writer.delete_site(&site).ok(), Some(model.delete_site(&site)), "{why}")
            }
            Deed::DeleteBatch(name) => same(writer.delete_batch(&name), model.delete_batch(&name), &why),
            Deed::CommitBatch(name) => same(writer.commit_batch(&name), model.commit_batch(&name), &why),
            Deed::CancelBatch(name) => same(writer.cancel_batch(&name), model.cancel_batch(&name), &why),
            Deed::Merge(steps) => {
                let folder = folder();
                let source = folder.path().join("source");
                let mut other = create(&source);
                let mut its_model = Model::default();
                for step in sources(&steps) {
                    other = step.take(other, &source, &mut its_model);
                }
                drop(other);
                let merged = writer.merge(&source).map(|loaded| (loaded.documents, loaded.replaced));
                same(merged, model.merge(&its_model), &why);
            }
            Deed::Flush => writer.flush().unwrap_or_else(|error| panic!("{why}: {error:?}")),
            Deed::Compact => {
                while let Some(plan) = writer.plan_compaction() {
                    writer.compact(&plan).unwrap_or_else(|error| panic!("{why}: {error:?}"));
                }
            }
            Deed::CompactAll => {
                if let Some(plan) = writer.plan_full_compaction() {
                    let done = writer.compact(&plan).unwrap_or_else(|error| panic!("{why}: {error:?}"));
                    assert!(done.runs_after <= 1, "{why}: {done:?}");
                }
            }
            Deed::Reshape(levels) => {
                let done = writer.reshape(levels.as_deref());
                done.unwrap_or_else(|error| panic!("{why}: {error:?}"));
            }
            Deed::Close => {
                writer.close().unwrap_or_else(|error| panic!("{why}: {error:?}"));
                writer = open(path, &why);
                model.label(None);
            }
            Deed::Drop => {
                drop(writer);
                writer = open(path, &why);
                model.label(None);
            }
        }
        writer
    }
}

/// Makes a database for such steps.
pub(crate) fn create(path: &Path) -> Writer {
    Writer::create(path, &Config::within(K).expect("k")).expect("created")
}

fn open(path: &Path, why: &str) -> Writer {
    Writer::open(path).unwrap_or_else(|error| panic!("{why}: {error:?}"))
}

/// The steps that a source of a merge is made by: no merges, and no end.
fn sources(steps: &[Step]) -> impl Iterator<Item = Step> + '_ {
    steps.iter().copied().filter(|step| matches!(step.deed(), Deed::Group(..) | Deed::Load(..) | Deed::CommitBatch(_)))
}

fn imagined(steps: &[Step]) -> Model {
    let mut model = Model::default();
    sources(steps).for_each(|step| step.imagine(&mut model));
    model
}

/// Both refuse, or both say the same.
fn same<T: PartialEq + std::fmt::Debug>(got: nddb::Result<T>, wanted: Option<T>, why: &str) {
    match (got, wanted) {
        (Ok(got), Some(wanted)) => assert_eq!(got, wanted, "{why}"),
        (Err(Error::Batch { .. }), None) => (),
        (got, wanted) => panic!("{why}: {got:?} instead of {wanted:?}"),
    }
}

/// Chooses the batch of what follows; returns whether there can be such a batch.
fn choose(writer: &mut Writer, model: &mut Model, label: Option<&Label>, why: &str) -> bool {
    let done = match label {
        Some(label) => writer.label(&label.name, label.pending),
        None => writer.unlabel(),
    };
    let fits = model.label(label);
    same(done, fits.then_some(()), why);
    fits
}

fn document(id: &str, content: &Content) -> Document {
    let recipe = Recipe::named("web").expect("the default recipe");
    let document = match content.print {
        Some(print) => Document::bare(id, Fingerprint(print)).expect("a good id"),
        None => Document::from_page(id, &Page::text(""), &recipe).expect("a good id"),
    };
    match &content.site {
        Some(site) => document.with_url(&format!("http://{site}/page"), &recipe),
        None => document,
    }
}

/// What a change says it did.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Did(Outcome),
    Duplicate(String, u32),
    Deleted(bool),
    Nothing,
}

fn take_change(writer: &mut Writer, change: &Change) -> Said {
    match change {
        Change::Insert(id, content) => Said::Did(writer.insert(document(id, content)).expect("inserted")),
        Change::InsertIfNew(id, content, within) => {
            match writer.insert_if_new(document(id, content), Within(*within)).expect("inserted or not") {
                Verdict::Inserted(outcome) => Said::Did(outcome),
                Verdict::Duplicate { of } => Said::Duplicate(of.id, of.distance),
            }
        }
        Change::Delete(id) => Said::Deleted(writer.delete(id).expect("deleted")),
        Change::Flush => {
            writer.flush().expect("flushed");
            Said::Nothing
        }
    }
}

fn imagine_change(model: &mut Model, change: &Change) -> Said {
    match change {
        Change::Insert(id, content) => Said::Did(model.insert(id, content.clone())),
        Change::InsertIfNew(id, content, within) => {
            match content.print.and_then(|print| model.nearest(id, print, *within)) {
                Some((of, distance)) => Said::Duplicate(of, distance),
                None => Said::Did(model.insert(id, content.clone())),
            }
        }
        Change::Delete(id) => Said::Deleted(model.delete(id)),
        Change::Flush => Said::Nothing,
    }
}

/// Loads documents: of equal ids the last lives. Returns the counts of a bulk load in its order.
fn imagine_load(model: &mut Model, documents: &[(String, Content)]) -> [u64; 5] {
    let mut counts = [0; 5];
    model.note_batch();
    for (place, (id, content)) in documents.iter().enumerate() {
        if documents[place + 1..].iter().any(|(later, _)| later == id) {
            counts[3] += 1;
            continue;
        }
        match model.insert(id, content.clone()) {
            Outcome::Unchanged => counts[2] += 1,
            outcome => {
                counts[0] += 1;
                counts[1] += u64::from(outcome == Outcome::Replaced);
                counts[4] += u64::from(content.print.is_none());
            }
        }
    }
    model.commit();
    counts
}

/// Queries near what steps insert, and elsewhere.
pub(crate) fn queries(seed: u64) -> Vec<u64> {
    let random = &mut Random::fixed(seed);
    let mut queries: Vec<u64> = (0..24).map(|_| content(random).print.unwrap_or(0)).collect();
    queries.push(random.next());
    queries
}

/// All that a view says of every id and of some queries, as one line.
pub(crate) fn told(view: &View<'_>, seed: u64) -> nddb::Result<String> {
    let mut line = String::new();
    for id in (0..IDS).map(|id| format!("id {id}")) {
        if let Some(stored) = view.get(&id)? {
            let print = (!stored.unprinted).then_some(stored.fingerprint.0);
            line += &format!("{id}={print:x?};");
        }
    }
    let queries = queries(seed);
    let asked: Vec<Fingerprint> = queries.iter().map(|&query| Fingerprint(query)).collect();
    for (query, answer) in queries.iter().zip(view.find(&asked, Within(K), None, &mut Work::default())?) {
        line += &format!("{query:x}:{}", answer.count);
        for found in answer.matches {
            line += &format!(",{} {} {:x}", found.distance, found.id, found.fingerprint.0);
        }
        line += ";";
    }
    Ok(line)
}

/// The same as it should be.
pub(crate) fn true_line(truth: &Truth, seed: u64) -> String {
    let mut line = String::new();
    for id in (0..IDS).map(|id| format!("id {id}")) {
        if let Some(print) = truth.documents.get(&id) {
            line += &format!("{id}={print:x?};");
        }
    }
    for query in queries(seed) {
        let near = truth.near(query, K);
        line += &format!("{query:x}:{}", near.len());
        for (distance, id, print) in near {
            line += &format!(",{distance} {id} {print:x}");
        }
        line += ";";
    }
    line
}

/// Asserts that two such lines are equal; shows where they are not.
pub(crate) fn assert_line(got: &str, wanted: &str, why: &str) {
    if got != wanted {
        let (got, wanted): (Vec<&str>, Vec<&str>) = (got.split(';').collect(), wanted.split(';').collect());
        let more: Vec<&&str> = got.iter().filter(|part| !wanted.contains(part)).collect();
        let less: Vec<&&str> = wanted.iter().filter(|part| !got.contains(part)).collect();
        panic!("{why}\nit says {more:#?}\ninstead of {less:#?}");
    }
}
