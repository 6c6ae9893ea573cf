//! Many seeds, on several threads, until as many crashes have been judged as were asked for.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::cuts::Sweep;
use crate::errors::Errors;
use crate::judge::Verdict;
use crate::kills::Kills;
use crate::lives;
use crate::mount::{FileSystem, Mount};
use crate::support::say;

/// How many crashes of each kind, from which seed on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweeps {
    /// Processes killed.
    pub(crate) kills: usize,
    /// Power cuts on the model of a disk.
    pub(crate) cuts: usize,
    /// Power cuts on each kind of file system.
    pub(crate) power: usize,
    /// Calls that fail.
    pub(crate) errors: usize,
    /// Lives without crashes, compared with the model.
    pub(crate) lives: usize,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
}

/// What has been counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Crashes that were judged, or failing calls.
    pub(crate) judged: usize,
    /// Of these, those in the midst of opening what another crash had left; of failing calls, those that were told; of
    /// lives, the views that were compared.
    pub(crate) again: usize,
}

impl AddAssign for Counted {
    fn add_assign(&mut self, more: Self) {
        (self.judged, self.again) = (self.judged + more.judged, self.again + more.again);
    }
}

impl Sweeps {
    /// Reads what is asked for.
    pub(crate) fn of(arguments: &[&str]) -> Verdict<Self> {
        let mut sweeps = Self { kills: 300, cuts: 1000, power: 75, errors: 300, lives: 1000, seed: 1, threads: 2 };
        for argument in arguments {
            let (name, value) = argument.split_once('=').ok_or_else(|| format!("{argument}: not NAME=NUMBER"))?;
            let value: usize = value.parse().map_err(|_| format!("{argument}: not NAME=NUMBER"))?;
            match name {
                "kills" => sweeps.kills = value,
                "cuts" => sweeps.cuts = value,
                "power" => sweeps.power = value,
                "errors" => sweeps.errors = value,
                "lives" => sweeps.lives = value,
                "seed" => sweeps.seed = value as u64,
                "threads" => sweeps.threads = value.max(1),
                _ => return Err(format!("{argument}: there are kills, cuts, power, errors, lives, seed, threads")),
            }
        }
        Ok(sweeps)
    }

    /// Does all, and says what was counted.
    pub(crate) fn run(self) -> Verdict {
        self.cut().and_then(|_| self.kill()).and_then(|_| self.fail()).and_then(|_| self.live())?;
        FileSystem::ALL.into_iter().try_for_each(|kind| self.cut_power(kind).map(drop))
    }

    /// Cuts the power of the model of a disk.
    pub(crate) fn cut(self) -> Verdict<Counted> {
        self.each("power cuts of the model", self.cuts, &|seed, most| {
            let counts = Sweep::new(seed, most.min(40)).run()?;
            Ok(Counted { judged: counts.cuts, again: counts.again })
        })
    }

    /// Kills processes.
    pub(crate) fn kill(self) -> Verdict<Counted> {
        self.each("kills", self.kills, &|seed, most| {
            let counts = Kills { seed, kills: most.min(15), bug: None, only: None }.run(None)?;
            Ok(Counted { judged: counts.ends, again: counts.again })
        })
    }

    /// Lets calls fail.
    pub(crate) fn fail(self) -> Verdict<Counted> {
        self.each("failing calls", self.errors, &|seed, most| {
            let counts = Errors { seed, failures: most.min(15) }.run()?;
            Ok(Counted { judged: counts.failed, again: counts.told })
        })
    }

    /// Compares lives with the model.
    pub(crate) fn live(self) -> Verdict<Counted> {
        self.each("lives", self.lives, &|seed, _| lives::live(seed))
    }

    /// Cuts the power of file systems of a kind.
    pub(crate) fn cut_power(self, kind: FileSystem) -> Verdict<Counted> {
        self.each(&format!("power cuts on {kind:?}"), self.power, &|seed, most| {
            let Some(mut mount) = Mount::new(kind) else { return Ok(Counted { judged: most, again: 0 }) };
            let counts = Kills { seed, kills: most.min(15), bug: None, only: None }.run(Some(&mut mount))?;
            Ok(Counted { judged: counts.ends, again: counts.again })
        })
    }

    /// Does work by seed until enough is counted, and says how much that was. The work is told how much is missing.
    fn each(
        self,
        what: &str,
        wanted: usize,
        work: &(dyn Fn(u64, usize) -> Verdict<Counted> + Sync),
    ) -> Verdict<Counted> {
        let (begun, seeds, done) = (Instant::now(), AtomicU64::new(self.seed), AtomicUsize::new(0));
        let (stops, outcome) = (AtomicBool::new(false), Mutex::new(Ok(Counted::default())));
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| {
                    while !stops.load(Ordering::Relaxed) && done.load(Ordering::Relaxed) < wanted {
                        let missing = wanted.saturating_sub(done.load(Ordering::Relaxed));
                        let counted = work(seeds.fetch_add(1, Ordering::Relaxed), missing.max(1));
                        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
                        match (&mut *outcome, counted) {
                            (Ok(sum), Ok(more)) => {
                                *sum += more;
                                done.fetch_add(more.judged, Ordering::Relaxed);
                            }
                            (Ok(_), Err(why)) => {
                                stops.store(true, Ordering::Relaxed);
                                *outcome = Err(format!("{what}: {why}"));
                            }
                            (Err(_), _) => (),
                        }
                    }
                });
            }
        });
        let outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Ok(Counted { judged, again }) = outcome {
            let (from, to) = (self.seed, seeds.into_inner());
            say(&format!("{judged} {what} ({again} again), seeds {from} to {}: {:?}", to - 1, begun.elapsed()));
        }
        outcome
    }
}
