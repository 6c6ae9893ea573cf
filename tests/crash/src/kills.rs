//! Processes that are killed, or whose power is cut, at numbered storage calls, and what they leave.

use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use nddb_index::testing::Bug;

use crate::child::{Life, Task};
use crate::cuts::unwound;
use crate::judge::Verdict;
use crate::mount::Mount;
use crate::support::{Random, folder};

/// Storage calls of opening a database for writing, about.
const CALLS_OF_OPENING: u64 = 40;

/// Kills of the workload of a seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kills {
    pub(crate) seed: u64,
    pub(crate) kills: usize,
    pub(crate) bug: Option<Bug>,
    /// The only call at which it is killed, before, within or after it.
    pub(crate) only: Option<Task>,
}

/// What has been counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KillCounts {
    /// Processes that ended before they had come to the end.
    pub(crate) ends: usize,
    /// Of these, those that opened what another had left.
    pub(crate) again: usize,
}

impl std::ops::AddAssign for KillCounts {
    fn add_assign(&mut self, more: Self) {
        (self.ends, self.again) = (self.ends + more.ends, self.again + more.again);
    }
}

impl Kills {
    /// Kills processes, in memory or, where there is a mount, with its power, and judges what they leave.
    pub(crate) fn run(self, mut mount: Option<&mut Mount>) -> Verdict<KillCounts> {
        let mut random = Random::fixed(self.seed ^ 0x4b11);
        let task = Task { bug: self.bug, cuts: mount.is_some(), ..Task::whole(self.seed) };
        let calls = {
            let folder = folder();
            let whole =
                Task { cuts: false, ..task }.run(folder.path()).map_err(|why| format!("seed {}: {why}", self.seed))?;
            whole.calls.ok_or("a process that was not killed did not come to its end")?
        };
        let mut counts = KillCounts::default();
        for _ in 0..self.kills {
            let task = match self.only {
                Some(only) => Task { bug: self.bug, ..only },
                None => task.ends(calls, &mut random),
            };
            let memory = folder();
            let root = mount.as_ref().map_or_else(|| memory.path().to_owned(), |mount| mount.path().join("root"));
            fs::create_dir_all(&root).expect("a folder can be made");
            if let Some(mount) = &mut mount {
                mount.sync();
            }
            let outcome = self.once(task, &root, mount.as_deref_mut(), &mut random);
            counts += outcome.map_err(|why| {
                let (seed, call, fate) = (self.seed, task.call, task.fate);
                format!(
                    "seed {seed}, {fate:?} call {call} of {calls}: {why}\nagain: nddb-crash kill {seed} {call} {fate:?}"
                )
            })?;
            let _ = fs::remove_dir_all(&root);
        }
        Ok(counts)
    }

    fn once(self, task: Task, root: &Path, mut mount: Option<&mut Mount>, random: &mut Random) -> Verdict<KillCounts> {
        let mut counts = KillCounts::default();
        let mut live = |task: Task, mount: &mut Option<&mut Mount>| -> Verdict<Life> {
            let life = task.run(root)?;
            if life.calls.is_none() {
                counts.ends += 1;
                counts.again += usize::from(task.seed.is_none());
                mount.as_mut().map_or(Ok(()), |mount| mount.again())?;
            }
            Ok(life)
        };
        let life = live(task, &mut mount)?;
        if life.reached.done > 0 && random.percent(25) {
            let opens = Task { seed: None, ..task }.ends(CALLS_OF_OPENING, random);
            live(opens, &mut mount)?;
        }
        let judge = || Task::workload(self.seed).judge(root, life.reached, random);
        unwound(AssertUnwindSafe(judge)).and_then(|judged| judged)?;
        Ok(counts)
    }
}
