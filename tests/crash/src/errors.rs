//! Storage calls that fail: the error says so, the writer does not go on as if nothing had been, readers do, and a
//! writer that is opened anew does as well. What a failed sync was to make durable is lost by the next power cut.

use std::panic::AssertUnwindSafe;
use std::path::Path;

use nddb::{Document, Error, Fingerprint, Reader, Writer};

use crate::cuts::unwound;
use crate::disk::{self, Disk, Loss};
use crate::judge::{Reached, Verdict, is_one_of, is_sound, judge_database, named, no_remains};
use crate::support::{Model, Random, folder};
use crate::trace::{End, Fate, Plan, Trace};
use crate::workload::{Deed, Workload, database, is_typed};

/// Failing calls of the workload of a seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errors {
    pub(crate) seed: u64,
    pub(crate) failures: usize,
}

/// What has been counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorCounts {
    /// Calls that failed.
    pub(crate) failed: usize,
    /// Of these, those that a deed failed of.
    pub(crate) told: usize,
}

impl Errors {
    /// Lets calls fail, and judges what comes of it.
    pub(crate) fn run(self) -> Verdict<ErrorCounts> {
        let mut random = Random::fixed(self.seed ^ 0xe440);
        let workload = Workload::new(self.seed, 12);
        let (calls, reads, syncs) = {
            let folder = folder();
            let trace = Trace::begin(folder.path(), false, None);
            workload.run(folder.path(), &mut |_| (), &mut |_| ());
            (trace.calls(), trace.reads(), trace.syncs())
        };
        let mut counts = ErrorCounts::default();
        for _ in 0..self.failures {
            let fate = *random.pick(&[Fate::Fail(libc::EIO), Fate::Fail(libc::ENOSPC), Fate::Full, Fate::FailRead]);
            let calls = if fate == Fate::FailRead { reads } else { calls };
            let call = match fate {
                Fate::Fail(_) if random.percent(50) => *random.pick(&syncs),
                _ => 1 + random.below(calls),
            };
            let plan = Plan { call, fate, end: End::Killed };
            let work = || once(&workload, plan, &mut random);
            let outcome = unwound(AssertUnwindSafe(work)).and_then(|outcome| outcome);
            let (failed, told) = outcome
                .map_err(|why| format!("seed {}, {fate:?} at call {} of {calls}: {why}", self.seed, plan.call))?;
            counts.failed += usize::from(failed);
            counts.told += usize::from(told);
        }
        Ok(counts)
    }
}

/// Does a workload with a call that fails. Returns whether it was met, and whether a deed failed of it.
fn once(workload: &Workload, plan: Plan, random: &mut Random) -> Verdict<(bool, bool)> {
    let folder = folder();
    let root = folder.path();
    let path = database(root);
    let before = Disk::of(root);
    let trace = Trace::begin(root, true, Some(plan));
    let (mut writer, mut state, mut told) = (None, Model::default(), false);
    for (index, deed) in workload.deeds.iter().enumerate() {
        let reader = (index > 0 && trace.met().is_none()).then(|| Reader::open(&path).ok()).flatten();
        let seen = state.clone();
        let (after, outcome) = workload.attempt(index, writer, root);
        writer = after;
        let Err(error) = outcome else {
            deed.imagine(&mut state);
            continue;
        };
        told = true;
        let met = trace.met().ok_or_else(|| format!("{deed} fails without a reason: {error:?}"))?;
        let failed = |what: &str, why: String| format!("{met}, in {deed}, {error:?}: {what}: {why}");
        if !is_typed(&error) {
            return Err(failed("the error", "it says something else".into()));
        }
        if let Some(reader) = reader {
            is_one_of(&reader.view(), &[seen], random).map_err(|why| failed("a reader from before", why))?;
        }
        // Each call fails once, so until here all deeds were done as the workload has them.
        let reached = Reached { done: index, begun: true };
        let judge = |root: &Path, random: &mut Random| workload.judge(root, reached, random);
        cut(&before, &trace, random, judge).map_err(|why| failed("after a power cut", why))?;
        trace.lift();
        if *deed == Deed::Create {
            let (again, outcome) = workload.attempt(index, None, root);
            outcome.map_err(|again| failed("creating it again", format!("{again:?}")))?;
            writer = again;
            continue;
        }
        let mut possible = vec![state.clone()];
        possible.extend(deed.imagine_parts(&state));
        let is_of_writer = matches!(deed, Deed::Step(_));
        if met.starts_with("sync")
            && is_of_writer
            && let Some(writer) = &mut writer
        {
            is_poisoned(writer).map_err(|why| failed("the writer", why))?;
        }
        // Before a writer opens the database, and perhaps repairs it.
        for when in ["a reader beside the writer", "a reader after the writer"] {
            let reader = Reader::open(&path).map_err(|error| failed(when, format!("{error:?}")))?;
            is_one_of(&reader.view(), &possible, random).map_err(|why| failed(when, why))?;
            drop(writer.take());
        }
        let before = named(&path)?;
        let opened = Writer::open(&path).map_err(|again| failed("opening it again", format!("{again:?}")))?;
        state = is_one_of(&opened.view(), &possible, random).map_err(|why| failed("opened again", why))?;
        state.label(None);
        no_remains(&path, &before).map_err(|why| failed("opened again", why))?;
        if matches!(deed, Deed::Backup(_) | Deed::Restore(_)) {
            let (_, outcome) = workload.attempt(index, None, root);
            outcome.map_err(|again| failed("doing it again", format!("{again:?}")))?;
        }
        let mut opened = opened;
        opened.merge_in_background(workload.background);
        writer = Some(opened);
    }
    drop(writer);
    trace.lift();
    is_sound(&path, "in the end")?;
    let reader = Reader::open(&path).map_err(|error| format!("in the end: {error:?}"))?;
    is_one_of(&reader.view(), std::slice::from_ref(&state), random).map_err(|why| format!("in the end: {why}"))?;
    let met = trace.met();
    let in_the_end = |why| format!("{met:?}: after a power cut in the end: {why}");
    let judge = |root: &Path, random: &mut Random| judge_database(&database(root), &[state], random);
    cut(&before, &trace, random, judge).map_err(in_the_end)?;
    match &met {
        Some(met) if !told && met.starts_with("sync") => Err(format!("{met} fails, and no deed tells of it")),
        _ => Ok((met.is_some(), told)),
    }
}

/// Judges what a power cut leaves now: what a failed sync was to make durable is lost.
fn cut(
    before: &Disk,
    trace: &Trace,
    random: &mut Random,
    judge: impl FnOnce(&Path, &mut Random) -> Verdict,
) -> Verdict {
    let mut disk = before.clone();
    trace.events().iter().for_each(|(_, event)| disk.take(event));
    let loss = *random.pick(&Loss::ALL);
    let folder = folder();
    disk::write(&disk.cut(loss, random), folder.path());
    judge(folder.path(), random).map_err(|why| format!("which loses {loss:?}: {why}"))
}

/// Fails unless a writer refuses to go on.
fn is_poisoned(writer: &mut Writer) -> Verdict {
    let document = Document::bare("afterwards", Fingerprint(7)).map_err(|error| error.to_string())?;
    match writer.insert(document).and_then(|_| writer.commit()) {
        Err(Error::Poisoned) => Ok(()),
        outcome => Err(format!("it goes on after a failed sync: {outcome:?}")),
    }
}
