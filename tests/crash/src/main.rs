//! Crashes, power cuts and failing storage calls of nddb, in the thousands (docs/RELIABILITY.md).
//!
//! ```text
//! nddb-crash [kills=N] [cuts=N] [power=N] [errors=N] [lives=N] [seed=N] [threads=N]
//! nddb-crash processes [seconds=N] [readers=N] [seed=N]
//! nddb-crash outputs [every=N] [seed=N]    every N-th crash of the commands that write outputs
//! nddb-crash bugs                   says by what each mistake in the protocol is noticed
//! nddb-crash cut SEED CALL LOSS     repeats a power cut of the model
//! nddb-crash kill SEED CALL FATE    repeats a kill
//! ```

mod bugs;
mod calls;
mod child;
mod commands;
mod cuts;
#[cfg(test)]
mod damage;
mod disk;
mod errors;
mod judge;
mod kills;
mod lives;
mod mount;
mod order;
mod outputs;
mod processes;
mod support;
mod sweeps;
#[cfg(test)]
mod tests;
mod trace;
mod workload;

use std::process::ExitCode;

use child::Task;
use cuts::Sweep;
use disk::Loss;
use judge::Verdict;
use kills::Kills;
use processes::Processes;
use support::say;
use sweeps::Sweeps;
use trace::Fate;

fn main() -> ExitCode {
    if child::do_task() || processes::do_role() || outputs::do_command() {
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["bugs"] => {
            bugs::table();
            Ok(())
        }
        ["processes", ..] => Processes::of(&arguments[1..]).and_then(|processes| processes.run()).map(drop),
        ["outputs", ..] => outputs::sweep(&arguments[1..]),
        ["cut", seed, call, loss] => cut(seed, call, loss),
        ["kill", seed, call, fate] => kill(seed, call, fate),
        _ => Sweeps::of(&arguments).and_then(|sweeps| sweeps.run()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&why);
            ExitCode::FAILURE
        }
    }
}

/// Repeats a power cut.
fn cut(seed: &str, call: &str, loss: &str) -> Verdict {
    let loss = Loss::ALL.into_iter().find(|known| format!("{known:?}") == loss).ok_or("no such loss")?;
    let only = Some((number(call)? as usize, loss));
    Sweep { only, ..Sweep::new(number(seed)?, 1) }.run().map(|counts| say(&format!("{counts:?}")))
}

/// Repeats a kill.
fn kill(seed: &str, call: &str, fate: &str) -> Verdict {
    let fates = [Fate::EndBefore, Fate::EndWithin, Fate::EndAfter];
    let fate = fates.into_iter().find(|known| format!("{known:?}") == fate).ok_or("no such fate")?;
    let seed = number(seed)?;
    let only = Some(Task { call: number(call)?, fate, ..Task::whole(seed) });
    Kills { seed, kills: 1, bug: None, only }.run(None).map(|counts| say(&format!("{counts:?}")))
}

fn number(text: &str) -> Verdict<u64> {
    text.parse().map_err(|_| format!("{text} is no number"))
}
