//! Steps in the life of a database, taken by a writer and by its model, which must agree.

use std::path::Path;

use nddb::detect::Judgement;
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Document, Error, Fingerprint, Loaded, Outcome, View, Within, Work, Writer};

use super::model::{Content, Label, Model};
use super::{Random, Truth, folder, simhash};

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

    /// A random step that commits a group of changes.
    pub(crate) fn group(random: &mut Random) -> Self {
        Self::like(random, |deed| matches!(deed, Deed::Group(..)))
    }

    /// A random step that moves what is committed into a run.
    pub(crate) fn flush(random: &mut Random) -> Self {
        Self::like(random, |deed| matches!(deed, Deed::Flush))
    }

    fn like(random: &mut Random, is: impl Fn(&Deed) -> bool) -> Self {
        loop {
            let step = Self(random.next());
            if is(&step.deed()) {
                return step;
            }
        }
    }

    /// Takes the step on the model alone.
    pub(crate) fn imagine(self, model: &mut Model) -> Said {
        let counts = |counts: Option<Vec<u64>>| counts.map_or(Said::Refused, Said::Counts);
        match self.deed() {
            Deed::Group(label, changes) => {
                if !model.label(label.as_ref()) {
                    return Said::Refused;
                }
                let said = changes.iter().map(|change| imagine_change(model, change)).collect();
                model.commit();
                Said::Changes(said)
            }
            Deed::Load(label, documents) => {
                if !model.label(label.as_ref()) {
                    return Said::Refused;
                }
                Said::Counts(imagine_load(model, &documents))
            }
            Deed::DeleteSite(site) => Said::Counts(vec![model.delete_site(&site)]),
            Deed::DeleteBatch(name) => counts(model.delete_batch(&name).map(|len| vec![len])),
            Deed::CommitBatch(name) => counts(model.commit_batch(&name).map(|len| vec![len])),
            Deed::CancelBatch(name) => counts(model.cancel_batch(&name).map(|len| vec![len])),
            Deed::Merge(steps) => {
                counts(model.merge(&imagined(&steps)).map(|(stored, replaced)| vec![stored, replaced]))
            }
            Deed::Flush | Deed::Compact | Deed::CompactAll | Deed::Reshape(_) => Said::Nothing,
            Deed::Close | Deed::Drop => {
                model.label(None);
                Said::Nothing
            }
        }
    }

    /// The states that a step leaves behind when it is cut short, besides the one before it.
    pub(crate) fn imagine_parts(self, model: &Model) -> Vec<Model> {
        let mut whole = model.clone();
        self.imagine(&mut whole);
        let mut parts = vec![whole];
        if let Deed::Merge(steps) = self.deed() {
            // The batches are there before the documents.
            let mut empty = imagined(&steps);
            empty.visible.clear();
            let mut united = model.clone();
            united.merge(&empty);
            parts.push(united);
        }
        parts
    }

    /// Takes the step with a writer, which may have to be opened again.
    pub(crate) fn perform(self, mut writer: Writer, path: &Path) -> (Writer, Said) {
        let deed = self.deed();
        if matches!(deed, Deed::Close | Deed::Drop) {
            let background = writer.works_in_background();
            if matches!(deed, Deed::Close) {
                writer.close().unwrap_or_else(|error| panic!("{self}: {error:?}"));
            } else {
                drop(writer);
            }
            writer = Writer::open(path).unwrap_or_else(|error| panic!("{self}: {error:?}"));
            writer.merge_in_background(background);
            return (writer, Said::Nothing);
        }
        let said = perform(&mut writer, deed);
        match said {
            Ok(said) => (writer, said),
            Err(Error::Batch { .. }) => (writer, Said::Refused),
            Err(error) => panic!("{self:?}, {self}: {error:?}"),
        }
    }

    /// Takes the step with a writer and on its model, which must say the same.
    pub(crate) fn take(self, writer: Writer, path: &Path, model: &mut Model) -> Writer {
        let (writer, said) = self.perform(writer, path);
        assert_eq!(said, self.imagine(model), "{self:?}, {self}");
        writer
    }
}

/// What a step says it did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Changes(Vec<ChangeSaid>),
    Counts(Vec<u64>),
    Refused,
    Nothing,
}

fn perform(writer: &mut Writer, deed: Deed) -> nddb::Result<Said> {
    Ok(match deed {
        Deed::Group(label, changes) => {
            choose(writer, label.as_ref())?;
            let said = changes.iter().map(|change| take_change(writer, change)).collect::<nddb::Result<_>>()?;
            writer.commit()?;
            Said::Changes(said)
        }
        Deed::Load(label, documents) => {
            choose(writer, label.as_ref())?;
            let mut load = writer.bulk_load()?;
            documents.iter().try_for_each(|(id, content)| load.push(document(id, content)))?;
            let Loaded { documents, replaced, unchanged, repeated, unprinted } = load.finish()?;
            Said::Counts(vec![documents, replaced, unchanged, repeated, unprinted])
        }
        Deed::DeleteSite(site) => Said::Counts(vec![writer.delete_site(&site)?]),
        Deed::DeleteBatch(name) => Said::Counts(vec![writer.delete_batch(&name)?]),
        Deed::CommitBatch(name) => Said::Counts(vec![writer.commit_batch(&name)?]),
        Deed::CancelBatch(name) => Said::Counts(vec![writer.cancel_batch(&name)?]),
        Deed::Merge(steps) => {
            let folder = folder();
            let path = folder.path().join("source");
            let source = sources(&steps).fold(create(&path), |source, step| step.perform(source, &path).0);
            drop(source);
            let merged = writer.merge(&path)?;
            Said::Counts(vec![merged.documents, merged.replaced])
        }
        Deed::Compact => {
            while let Some(plan) = writer.plan_compaction() {
                writer.compact(&plan)?;
            }
            Said::Nothing
        }
        Deed::CompactAll => {
            if let Some(plan) = writer.plan_full_compaction() {
                let done = writer.compact(&plan)?;
                assert!(done.runs_after <= 1, "{done:?}");
            }
            Said::Nothing
        }
        Deed::Reshape(levels) => writer.reshape(levels.as_deref()).map(|_| Said::Nothing)?,
        Deed::Flush | Deed::Close | Deed::Drop => writer.begin_flush().map(|()| Said::Nothing)?,
    })
}

/// Makes a database for such steps.
pub(crate) fn create(path: &Path) -> Writer {
    Writer::create(path, &Config::within(K).expect("k")).expect("created")
}

/// The steps that a source of a merge is made by: no merges, and no end.
fn sources(steps: &[Step]) -> impl Iterator<Item = Step> + '_ {
    steps.iter().copied().filter(|step| matches!(step.deed(), Deed::Group(..) | Deed::Load(..) | Deed::CommitBatch(_)))
}

fn imagined(steps: &[Step]) -> Model {
    let mut model = Model::default();
    sources(steps).for_each(|step| drop(step.imagine(&mut model)));
    model
}

/// Chooses the batch of what follows.
fn choose(writer: &mut Writer, label: Option<&Label>) -> nddb::Result<()> {
    match label {
        Some(label) => writer.label(&label.name, label.pending),
        None => writer.unlabel(),
    }
}

fn document(id: &str, content: &Content) -> Document {
    let recipe = Recipe::default();
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
pub(crate) enum ChangeSaid {
    Did(Outcome),
    Duplicate(String, u32),
    Deleted(bool),
    Nothing,
}

fn take_change(writer: &mut Writer, change: &Change) -> nddb::Result<ChangeSaid> {
    Ok(match change {
        Change::Insert(id, content) => ChangeSaid::Did(writer.insert(document(id, content))?),
        Change::InsertIfNew(id, content, within) => {
            match writer.insert_if_new(document(id, content), &simhash((*within).into()))? {
                Judgement::Inserted { outcome, .. } => ChangeSaid::Did(outcome),
                Judgement::Duplicate { of, .. } => {
                    let distance = of.evidence.distance.expect("both have fingerprints");
                    ChangeSaid::Duplicate(of.stored.record.id, distance)
                }
            }
        }
        Change::Delete(id) => ChangeSaid::Deleted(writer.delete(id)?),
        Change::Flush => writer.begin_flush().map(|()| ChangeSaid::Nothing)?,
    })
}

fn imagine_change(model: &mut Model, change: &Change) -> ChangeSaid {
    match change {
        Change::Insert(id, content) => ChangeSaid::Did(model.insert(id, content.clone())),
        Change::InsertIfNew(id, content, within) => {
            match content.print.and_then(|print| model.nearest(id, print, *within)) {
                Some((of, distance)) => ChangeSaid::Duplicate(of, distance),
                None => ChangeSaid::Did(model.insert(id, content.clone())),
            }
        }
        Change::Delete(id) => ChangeSaid::Deleted(model.delete(id)),
        Change::Flush => ChangeSaid::Nothing,
    }
}

/// Loads documents: of equal ids the last lives. Returns the counts of a bulk load in its order.
fn imagine_load(model: &mut Model, documents: &[(String, Content)]) -> Vec<u64> {
    let mut counts = vec![0; 5];
    model.note_batch();
    for (index, (id, content)) in documents.iter().enumerate() {
        if documents[index + 1..].iter().any(|(later, _)| later == id) {
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
