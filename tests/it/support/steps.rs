//! Steps in the life of a database, taken by a writer and by its model, which must agree.

use std::path::Path;

use nddb::detect::{Judgement, document_of_page};
use nddb::sketch::Recipe;
use nddb::text::Page;
use nddb::{Config, Document, Error, Fingerprint, Loaded, Outcome, View, Within, Writer};

use super::{Content, Label, Model, Random, Truth, folder, hamming};

/// Number of ids, small enough that they repeat.
pub(crate) const IDS: u64 = 400;
/// Greatest distance of the databases here.
pub(crate) const K: u8 = 3;
const SITES: u64 = 12;
const BATCHES: u64 = 9;

/// A step, determined by its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(pub(crate) u64);

#[derive(Debug)]
enum Change {
    Insert(String, Content),
    InsertIfNew(String, Content, u8),
    Delete(String),
    /// Moves committed documents into a run, in the middle of a group.
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
        // Most names always have the same kind, so that few are refused.
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
    /// Formats the step without its documents.
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

    /// Returns whether the step ends its writer.
    pub(crate) fn ends_the_writer(self) -> bool {
        matches!(self.deed(), Deed::Close | Deed::Drop)
    }

    /// Returns a random step that commits a group of changes.
    pub(crate) fn group(random: &mut Random) -> Self {
        Self::like(random, |deed| matches!(deed, Deed::Group(..)))
    }

    /// Returns a random step that moves committed documents into a run.
    pub(crate) fn flush(random: &mut Random) -> Self {
        Self::like(random, |deed| matches!(deed, Deed::Flush))
    }

    /// Returns a random step that loads documents in bulk.
    pub(crate) fn load(random: &mut Random) -> Self {
        Self::like(random, |deed| matches!(deed, Deed::Load(..)))
    }

    /// Returns a random step that gives every run other tables.
    pub(crate) fn reshape(random: &mut Random) -> Self {
        Self::like(random, |deed| matches!(deed, Deed::Reshape(Some(levels)) if levels.len() == 2))
    }

    fn like(random: &mut Random, is: impl Fn(&Deed) -> bool) -> Self {
        loop {
            let step = Self(random.next());
            if is(&step.deed()) {
                return step;
            }
        }
    }

    /// Takes the step on the model only.
    pub(crate) fn imagine(self, model: &mut Model) -> StepOutcome {
        let counts = |counts: Option<Vec<u64>>| counts.map_or(StepOutcome::Refused, StepOutcome::Counts);
        match self.deed() {
            Deed::Group(label, changes) => {
                if !model.label(label.as_ref()) {
                    return StepOutcome::Refused;
                }
                let outcome = changes.iter().map(|change| imagine_change(model, change)).collect();
                model.commit();
                StepOutcome::Changes(outcome)
            }
            Deed::Load(label, documents) => {
                if !model.label(label.as_ref()) {
                    return StepOutcome::Refused;
                }
                StepOutcome::Counts(imagine_load(model, &documents))
            }
            Deed::DeleteSite(site) => StepOutcome::Counts(vec![model.delete_site(&site)]),
            Deed::DeleteBatch(name) => counts(model.delete_batch(&name).map(|len| vec![len])),
            Deed::CommitBatch(name) => counts(model.commit_batch(&name).map(|len| vec![len])),
            Deed::CancelBatch(name) => counts(model.cancel_batch(&name).map(|len| vec![len])),
            Deed::Merge(steps) => {
                counts(model.merge(&imagined(&steps)).map(|(stored, replaced)| vec![stored, replaced]))
            }
            Deed::Flush | Deed::Compact | Deed::CompactAll | Deed::Reshape(_) => StepOutcome::Nothing,
            Deed::Close | Deed::Drop => {
                model.label(None);
                StepOutcome::Nothing
            }
        }
    }

    /// Returns the states that an interrupted step may leave, besides the one before it.
    pub(crate) fn imagine_parts(self, model: &Model) -> Vec<Model> {
        let mut whole = model.clone();
        self.imagine(&mut whole);
        let mut parts = vec![whole];
        if let Deed::Merge(steps) = self.deed() {
            // The batches exist before the documents.
            let mut empty = imagined(&steps);
            empty.visible.clear();
            let mut united = model.clone();
            united.merge(&empty);
            parts.push(united);
        }
        parts
    }

    /// Takes the step with a writer, which may have to be opened again.
    pub(crate) fn perform(self, writer: Writer, path: &Path) -> (Writer, StepOutcome) {
        match self.attempt(writer, path) {
            (Some(writer), Ok(outcome)) => (writer, outcome),
            (_, outcome) => panic!("{self:?}, {self}: {outcome:?}"),
        }
    }

    /// As [`Step::perform`], of a step that may fail. Returns the writer, unless it could not be opened again.
    pub(crate) fn attempt(self, mut writer: Writer, path: &Path) -> (Option<Writer>, nddb::Result<StepOutcome>) {
        let deed = self.deed();
        if matches!(deed, Deed::Close | Deed::Drop) {
            let background = writer.works_in_background();
            let ended = match deed {
                Deed::Close => writer.close(),
                _ => {
                    drop(writer);
                    Ok(())
                }
            };
            return match ended.and_then(|()| Writer::open(path)) {
                Ok(mut writer) => {
                    writer.merge_in_background(background);
                    (Some(writer), Ok(StepOutcome::Nothing))
                }
                Err(error) => (None, Err(error)),
            };
        }
        let outcome = match perform(&mut writer, deed) {
            Err(Error::Batch { .. }) => Ok(StepOutcome::Refused),
            outcome => outcome,
        };
        (Some(writer), outcome)
    }

    /// Takes the step with a writer and on its model, whose outcomes must agree.
    pub(crate) fn take(self, writer: Writer, path: &Path, model: &mut Model) -> Writer {
        let (writer, outcome) = self.perform(writer, path);
        assert_eq!(outcome, self.imagine(model), "{self:?}, {self}");
        writer
    }
}

/// The outcome of a step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StepOutcome {
    Changes(Vec<ChangeOutcome>),
    Counts(Vec<u64>),
    Refused,
    Nothing,
}

fn perform(writer: &mut Writer, deed: Deed) -> nddb::Result<StepOutcome> {
    Ok(match deed {
        Deed::Group(label, changes) => {
            choose(writer, label.as_ref())?;
            let outcome = changes.iter().map(|change| take_change(writer, change)).collect::<nddb::Result<_>>()?;
            writer.commit()?;
            StepOutcome::Changes(outcome)
        }
        Deed::Load(label, documents) => {
            choose(writer, label.as_ref())?;
            let mut load = writer.bulk_load()?;
            documents.iter().try_for_each(|(id, content)| load.push(document(id, content)))?;
            let Loaded { documents, replaced, unchanged, repeated, unprinted, .. } = load.finish()?;
            StepOutcome::Counts(vec![documents, replaced, unchanged, repeated, unprinted])
        }
        Deed::DeleteSite(site) => StepOutcome::Counts(vec![writer.delete_site(&site)?]),
        Deed::DeleteBatch(name) => StepOutcome::Counts(vec![writer.delete_batch(&name)?]),
        Deed::CommitBatch(name) => StepOutcome::Counts(vec![writer.commit_batch(&name)?]),
        Deed::CancelBatch(name) => StepOutcome::Counts(vec![writer.cancel_batch(&name)?]),
        Deed::Merge(steps) => {
            let folder = folder();
            let path = folder.path().join("source");
            let source = sources(&steps).fold(create(&path), |source, step| step.perform(source, &path).0);
            drop(source);
            let merged = writer.merge(&path)?;
            StepOutcome::Counts(vec![merged.documents, merged.replaced])
        }
        Deed::Compact => {
            while let Some(plan) = writer.plan_compaction() {
                writer.compact(&plan)?;
            }
            StepOutcome::Nothing
        }
        Deed::CompactAll => {
            if let Some(plan) = writer.plan_full_compaction() {
                let done = writer.compact(&plan)?;
                assert!(done.runs_after <= 1, "{done:?}");
            }
            StepOutcome::Nothing
        }
        Deed::Reshape(levels) => writer.reshape(levels.as_deref()).map(|_| StepOutcome::Nothing)?,
        Deed::Flush | Deed::Close | Deed::Drop => writer.begin_flush().map(|()| StepOutcome::Nothing)?,
    })
}

/// Creates a database for these steps.
pub(crate) fn create(path: &Path) -> Writer {
    Writer::create(path, &Config::within(K).expect("k")).expect("created")
}

/// Returns the steps that the source of a merge is made by: no merges, and no end.
fn sources(steps: &[Step]) -> impl Iterator<Item = Step> + '_ {
    steps.iter().copied().filter(|step| matches!(step.deed(), Deed::Group(..) | Deed::Load(..) | Deed::CommitBatch(_)))
}

fn imagined(steps: &[Step]) -> Model {
    let mut model = Model::default();
    sources(steps).for_each(|step| drop(step.imagine(&mut model)));
    model
}

/// Sets the batch of later documents.
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
        None => document_of_page(id, &Page::text(""), &recipe).expect("a good id"),
    };
    match &content.site {
        Some(site) => document.with_url(&format!("http://{site}/page"), recipe.site_of(&format!("http://{site}/page"))),
        None => document,
    }
}

/// The outcome of a change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ChangeOutcome {
    Did(Outcome),
    Duplicate(String, u32),
    Deleted(bool),
    Nothing,
}

fn take_change(writer: &mut Writer, change: &Change) -> nddb::Result<ChangeOutcome> {
    Ok(match change {
        Change::Insert(id, content) => ChangeOutcome::Did(writer.insert(document(id, content))?),
        Change::InsertIfNew(id, content, within) => {
            match hamming((*within).into()).insert_if_new(writer, document(id, content))? {
                Judgement::Inserted { outcome, .. } => ChangeOutcome::Did(outcome),
                Judgement::Duplicate { of, .. } => {
                    let distance = of.measures.count("distance").expect("both have fingerprints");
                    ChangeOutcome::Duplicate(of.id, distance)
                }
            }
        }
        Change::Delete(id) => ChangeOutcome::Deleted(writer.delete(id)?),
        Change::Flush => writer.begin_flush().map(|()| ChangeOutcome::Nothing)?,
    })
}

fn imagine_change(model: &mut Model, change: &Change) -> ChangeOutcome {
    match change {
        Change::Insert(id, content) => ChangeOutcome::Did(model.insert(id, content.clone())),
        Change::InsertIfNew(id, content, within) => {
            match content.print.and_then(|print| model.nearest(id, print, *within)) {
                Some((of, distance)) => ChangeOutcome::Duplicate(of, distance),
                None => ChangeOutcome::Did(model.insert(id, content.clone())),
            }
        }
        Change::Delete(id) => ChangeOutcome::Deleted(model.delete(id)),
        Change::Flush => ChangeOutcome::Nothing,
    }
}

/// Loads documents: the last of equal ids is kept. Returns the counts of a bulk load in its order.
fn imagine_load(model: &mut Model, documents: &[(String, Content)]) -> Vec<u64> {
    let mut counts = vec![0; 5];
    model.note_batch();
    for (index, (id, content)) in documents.iter().enumerate() {
        if let Some((_, next)) = documents[index + 1..].iter().find(|(later, _)| later == id) {
            counts[if next == content { 2 } else { 3 }] += 1;
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

/// Returns queries near the inserted fingerprints, and others.
pub(crate) fn queries(seed: u64) -> Vec<u64> {
    let random = &mut Random::fixed(seed);
    let mut queries: Vec<u64> = (0..24).map(|_| content(random).print.unwrap_or(0)).collect();
    queries.push(random.next());
    queries
}

/// Returns all answers of a view for every id and some queries, as one line.
pub(crate) fn answer_line(view: &View<'_>, seed: u64) -> nddb::Result<String> {
    let mut line = String::new();
    for id in (0..IDS).map(|id| format!("id {id}")) {
        if let Some(stored) = view.get(&id)? {
            let print = (!stored.unprinted).then_some(stored.fingerprint.0);
            line += &format!("{id}={print:x?};");
        }
    }
    let queries = queries(seed);
    let fingerprints: Vec<Fingerprint> = queries.iter().map(|&query| Fingerprint(query)).collect();
    for (query, answer) in queries.iter().zip(view.find(&fingerprints, Within(K))?) {
        line += &format!("{query:x}:{}", answer.count);
        for found in answer.matches {
            line += &format!(",{} {} {:x}", found.distance, found.id, found.fingerprint.0);
        }
        line += ";";
    }
    Ok(line)
}

/// Returns the expected answers as such a line.
pub(crate) fn expected_line(truth: &Truth, seed: u64) -> String {
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

/// Asserts that two such lines are equal; shows where they differ.
pub(crate) fn assert_line(got: &str, wanted: &str, why: &str) {
    if got != wanted {
        let (got, wanted): (Vec<&str>, Vec<&str>) = (got.split(';').collect(), wanted.split(';').collect());
        let more: Vec<&&str> = got.iter().filter(|part| !wanted.contains(part)).collect();
        let less: Vec<&&str> = wanted.iter().filter(|part| !got.contains(part)).collect();
        panic!("{why}\nit says {more:#?}\ninstead of {less:#?}");
    }
}
