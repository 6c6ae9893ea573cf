//! Power cuts on a model of the disk: a workload is done once, with all its storage calls written down, and then the
//! disk is made as a cut at one of them may have left it, and judged.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use nddb::Writer;
use nddb_index::testing::{Bug, seed_bug};

use crate::disk::{self, Disk, Image, Loss};
use crate::judge::{Reached, Verdict};
use crate::order::Order;
use crate::support::{Random, folder};
use crate::trace::{Event, Trace};
use crate::workload::{Workload, database};

/// What a sweep is made of.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    pub(crate) seed: u64,
    /// The workload, which the seed determines as a rule.
    pub(crate) workload: Workload,
    /// The number of cuts.
    pub(crate) cuts: usize,
    /// The mistake that is switched on.
    pub(crate) bug: Option<Bug>,
    /// Whether the order of calls may be any.
    pub(crate) ignores_order: bool,
    /// Of the numbers of calls, the only one where the power is cut, and what is lost then.
    pub(crate) only: Option<(usize, Loss)>,
}

/// What a sweep has counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// States that were judged.
    pub(crate) cuts: usize,
    /// Of these, those of a cut in the midst of opening what another had left.
    pub(crate) again: usize,
}

impl Sweep {
    /// Returns the sweep of a seed.
    pub(crate) fn new(seed: u64, cuts: usize) -> Self {
        Self { seed, workload: Workload::new(seed, 20), cuts, bug: None, ignores_order: false, only: None }
    }

    /// Does the workload, checks the order of its calls, and judges what power cuts leave of it.
    pub(crate) fn run(&self) -> Verdict<Counts> {
        let (mut disk, events) = self.events()?;
        if !self.ignores_order {
            self.check_order(&disk, &events).map_err(|why| format!("seed {}: {why}", self.seed))?;
        }
        let mut random = Random::fixed(self.seed ^ 0xc075);
        let large: Vec<usize> =
            (1..).zip(&events).filter(|(_, (_, event))| is_large(event)).map(|(at, _)| at).collect();
        let mut points: Vec<(usize, Loss)> = (0..self.cuts)
            .map(|_| match random.percent(20) && !large.is_empty() {
                true => {
                    (*random.pick(&large), *random.pick(&[Loss::Zeros, Loss::ZerosBehind, Loss::Later, Loss::Some]))
                }
                false => (random.index(events.len() + 1), *random.pick(&Loss::ALL)),
            })
            .collect();
        if let Some(only) = self.only {
            points = vec![only];
        }
        points.sort_unstable_by_key(|(call, _)| *call);
        let (mut reached, mut next) = (Reached { done: 0, begun: false }, 0);
        let mut counts = Counts::default();
        for (call, loss) in points {
            for (_, event) in &events[next..call] {
                disk.take(event);
                reached.take(event);
            }
            next = call;
            let mut random = Random::fixed(self.seed << 20 ^ call as u64);
            let image = disk.cut(loss, &mut random);
            let deed = self.workload.deeds.get(reached.done);
            let last = call.checked_sub(1).map_or_else(String::new, |last| events[last].1.describe());
            let judged = self.judge(&image, reached, &mut random);
            counts.again += judged.map_err(|why| {
                let deed = deed.map_or_else(String::new, ToString::to_string);
                let seed = self.seed;
                format!(
                    "seed {seed}, cut behind call {call} ({last}), which loses {loss:?}, {} deeds done, in the midst \
                     of it: {deed}\n{why}\nagain: nddb-crash cut {seed} {call} {loss:?}",
                    reached.done
                )
            })?;
            counts.cuts += 1;
        }
        counts.cuts += counts.again;
        Ok(counts)
    }

    /// Does the workload and returns the disk before it and its calls.
    fn events(&self) -> Verdict<(Disk, Vec<(Instant, Event)>)> {
        let folder = folder();
        let root = folder.path();
        let _bug = self.bug.map(|bug| seed_bug(root, bug));
        let before = Disk::of(root);
        let trace = Trace::begin(root, true, None);
        let run = || {
            let (mut begin, mut done) =
                (|index| trace.note(Event::Begin(index)), |index| trace.note(Event::Done(index)));
            self.workload.run(root, &mut begin, &mut done);
        };
        unwound(AssertUnwindSafe(run)).map_err(|why| format!("seed {}: {why}", self.seed))?;
        Ok((before, trace.events()))
    }

    fn check_order(&self, before: &Disk, events: &[(Instant, Event)]) -> Verdict {
        let mut disk = before.clone();
        let mut order = Order::new(&self.workload, before.root());
        for (call, (when, event)) in events.iter().enumerate() {
            let checked = order.before(&disk, *when, event);
            checked.map_err(|why| format!("call {call}, {}: {why}", event.describe()))?;
            disk.take(event);
        }
        Ok(())
    }

    /// Judges an image, and now and then what a cut in the midst of opening it leaves. Returns the number of these.
    fn judge(&self, image: &Image, reached: Reached, random: &mut Random) -> Verdict<usize> {
        let mut again = Vec::new();
        if reached.done > 0 && random.percent(25) {
            again = unwound(AssertUnwindSafe(|| cut_again(image, random)))?;
        }
        for image in std::iter::once(image).chain(&again) {
            let folder = folder();
            disk::write(image, folder.path());
            let judge = || self.workload.judge(folder.path(), reached, random);
            unwound(AssertUnwindSafe(judge)).and_then(|judged| judged)?;
        }
        Ok(again.len())
    }
}

/// Returns whether a call writes so much that a part of it may be lost.
fn is_large(event: &Event) -> bool {
    matches!(event, Event::Write(_, _, data) if data.len() > 3 * disk::SECTOR)
}

impl Reached {
    /// Takes note of a deed.
    pub(crate) fn take(&mut self, event: &Event) {
        match event {
            Event::Begin(_) => self.begun = true,
            Event::Done(deed) => *self = Self { done: deed + 1, begun: false },
            _ => (),
        }
    }
}

/// Opens what a cut has left for writing, and returns what a cut in the midst of that leaves.
fn cut_again(image: &Image, random: &mut Random) -> Vec<Image> {
    let folder = folder();
    let root = folder.path();
    disk::write(image, root);
    let mut disk = Disk::of(root);
    let trace = Trace::begin(root, true, None);
    drop(Writer::open(database(root)));
    let events = trace.events();
    drop(trace);
    let cut = random.index(events.len() + 1);
    events[..cut].iter().for_each(|(_, event)| disk.take(event));
    vec![disk.cut(*random.pick(&Loss::ALL), random)]
}

/// Returns the outcome of work that may panic.
pub(crate) fn unwound<T>(work: impl FnOnce() -> T + std::panic::UnwindSafe) -> Verdict<T> {
    catch_unwind(work).map_err(|panic| match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast::<&str>().map_or_else(|_| "it panics".into(), |text| (*text).into()),
    })
}
