//! Progress of a long command: its step, ETA of the whole, count, rate, bytes and skipped; at the end one summary line.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::lines::{Messages, Style, line, live_line};
use super::steps;
use crate::quantity::{bytes, duration, grouped};
use crate::{clock, interrupt};

/// The progress of the work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tick {
    /// The current step.
    pub phase: &'static str,
    /// Number of units done in this phase.
    pub done: u64,
    /// Name of the counted unit.
    pub unit: &'static str,
    /// Done share of the phase, 0 to 1, if known.
    pub share: Option<f64>,
    /// Bytes read.
    pub bytes: u64,
    /// Inputs skipped.
    pub skipped: u64,
}

/// Shows progress. All clones share their state.
#[derive(Clone)]
pub struct Meter {
    command: &'static str,
    messages: Messages,
    start: Instant,
    state: Arc<Mutex<MeterState>>,
}

struct MeterState {
    /// Share of the whole work that is done.
    whole: f64,
    /// What the last object says of the work.
    summary: Value,
    tick: Tick,
    began: Began,
    shown: Instant,
}

/// The time when a phase began or was resumed, and its progress at that time.
#[derive(Clone, Copy)]
struct Began {
    at: Instant,
    done: u64,
    share: f64,
}

/// The speed of a phase.
#[derive(Clone, Copy)]
struct Pace {
    /// Units per second.
    rate: f64,
    /// The remaining time of the whole work, or of the phase if nothing is known of the others.
    left: Option<Duration>,
}

/// Share of the work, and seconds, before which no time is estimated.
const TOO_EARLY: (f64, f64) = (0.01, 1.0);
/// Units that mean something to users.
const UNITS: [&str; 7] = ["documents", "pairs", "records", "rows", "files", "queries", "fingerprints"];

impl Began {
    fn pace(&self, tick: &Tick, elapsed: Duration) -> Pace {
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let rate = tick.done.saturating_sub(self.done) as f64 / seconds;
        let won = tick.share.map(|share| (share - self.share, 1.0 - share)).filter(|(won, _)| *won > 1e-3);
        let left = won.and_then(|(won, left)| Duration::try_from_secs_f64(seconds * left / won).ok());
        Pace { rate, left }
    }
}

impl Messages {
    /// Starts the progress of a long command.
    pub fn meter(&self, command: &'static str) -> Meter {
        Meter::new(command, *self)
    }
}

impl Meter {
    fn new(command: &'static str, messages: Messages) -> Self {
        let now = Instant::now();
        let state = MeterState {
            whole: 0.0,
            summary: Value::Null,
            tick: Tick::default(),
            began: Began { at: now, done: 0, share: 0.0 },
            shown: now,
        };
        Self { command, messages, start: now, state: Arc::new(Mutex::new(state)) }
    }

    fn state(&self) -> MutexGuard<'_, MeterState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Records the progress, and shows it at intervals.
    pub fn tick(&self, tick: Tick) {
        let every = match self.messages.style {
            Style::Auto => Duration::from_millis(100),
            Style::Json => Duration::from_secs(1),
            Style::Plain => Duration::from_secs(10),
            Style::Off => return,
        };
        let mut state = self.state();
        let now = Instant::now();
        // A count below the last one means that the same phase began again, for other documents or settings.
        if state.tick.phase != tick.phase || tick.done < state.tick.done {
            // The units done before a phase was resumed do not count for its current speed.
            let (done, share) = if tick.done > 1 { (tick.done, tick.share.unwrap_or(0.0)) } else { (0, 0.0) };
            state.began = Began { at: now, done, share };
        }
        state.tick = tick;
        if now.duration_since(state.shown) < every {
            return;
        }
        state.shown = now;
        let mut pace = state.began.pace(&tick, now.duration_since(state.began.at));
        if let Some(steps) = steps::of(self.command) {
            // A phase that is none of the steps, such as a run that is written between two pages, is part of one.
            let whole = steps::whole(steps, tick.phase, tick.share).unwrap_or(0.0);
            state.whole = whole.max(state.whole);
            pace.left = self.left(state.whole, now.duration_since(self.start));
        }
        match self.messages.style {
            Style::Auto => live_line(&self.text(&tick, pace)),
            Style::Json => line(&self.value(&tick, pace).to_string()),
            Style::Plain | Style::Off => line(&format!("nddb: {}", self.text(&tick, pace))),
        }
    }

    /// Returns the time that is left of the whole work.
    fn left(&self, done: f64, elapsed: Duration) -> Option<Duration> {
        let seconds = elapsed.as_secs_f64();
        let is_early = done < TOO_EARLY.0 || seconds < TOO_EARLY.1;
        (!is_early).then(|| Duration::try_from_secs_f64(seconds * (1.0 - done) / done).ok()).flatten()
    }

    /// Returns a callback that records the progress of the library; bytes and skipped keep their values. The callback
    /// returns `false`, which stops the library, if the user pressed ^C and `stoppable` allows it.
    pub fn watch(&self, stoppable: bool) -> Box<dyn FnMut(&nddb::Progress) -> bool + Send> {
        let meter = self.clone();
        Box::new(move |progress| {
            let (bytes, skipped) = {
                let state = meter.state();
                (state.tick.bytes, state.tick.skipped)
            };
            let share = progress.total.filter(|&total| total > 0).map(|total| progress.done as f64 / total as f64);
            let (phase, done, unit) = (progress.phase, progress.done, progress.unit);
            meter.tick(Tick { phase, done, unit, share, bytes, skipped });
            !(stoppable && interrupt::asked())
        })
    }

    /// Sets the numbers of the work for the last object of `--progress json`.
    pub fn set_summary(&self, summary: Value) {
        self.state().summary = summary;
    }

    /// Prints the summary line at the end of the work; as JSON an object with its numbers.
    pub fn finish(&self, summary: &str) {
        if self.messages.quiet {
            return;
        }
        match self.messages.style {
            Style::Json => {
                let seconds = (self.start.elapsed().as_secs_f64() * 1e3).round() / 1e3;
                let mut value = json!({"time": now(), "command": self.command, "phase": "done", "seconds": seconds});
                value["summary"] = match std::mem::take(&mut self.state().summary) {
                    Value::Null => summary.into(),
                    numbers => numbers,
                };
                line(&value.to_string());
            }
            _ => line(&format!("nddb: {}: {summary}{}", self.command, clock::by_one_thread())),
        }
    }

    fn text(&self, tick: &Tick, pace: Pace) -> String {
        let mut text = format!("{}: {}", self.command, steps::words(tick.phase));
        if let Some(left) = pace.left {
            text += &format!("  ETA {}", duration(left));
        }
        if tick.unit == "bytes" {
            text += &format!("  {}", bytes(tick.done));
            if pace.rate >= 1.0 {
                text += &format!("  {}/s", bytes(pace.rate as u64));
            }
        } else if UNITS.contains(&tick.unit) {
            text += &format!("  {} {}", grouped(tick.done), tick.unit);
            // A rate below one per second is not shown.
            if pace.rate >= 1.0 {
                text += &format!("  {}/s", grouped(pace.rate as u64));
            }
        }
        if tick.bytes > 0 {
            text += &format!("  {}", bytes(tick.bytes));
        }
        if tick.skipped > 0 {
            text += &format!("  {} skipped", grouped(tick.skipped));
        }
        text
    }

    fn value(&self, tick: &Tick, pace: Pace) -> Value {
        json!({
            "time": now(),
            "command": self.command,
            "phase": steps::words(tick.phase),
            "done": tick.done,
            "unit": tick.unit,
            "rate": pace.rate.round(),
            "bytes": tick.bytes,
            "skipped": tick.skipped,
            "eta_seconds": pace.left.map(|left| left.as_secs()),
        })
    }
}

/// Seconds since 1970, to the millisecond.
fn now() -> f64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_millis() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paced(tick: &Tick, seconds: u64) -> Pace {
        Began { at: Instant::now(), done: 0, share: 0.0 }.pace(tick, Duration::from_secs(seconds))
    }

    #[test]
    fn a_line_of_progress_says_all_that_is_known() {
        let meter = Messages::new(Style::Plain, false, false).meter("load");
        let (phase, unit) = ("reading", "documents");
        let tick = Tick { phase, done: 12_000, unit, share: Some(0.25), bytes: 3 << 20, skipped: 2 };
        let text = meter.text(&tick, paced(&tick, 10));
        assert_eq!(text, "load: reading the pages  ETA 30 s  12,000 documents  1,200/s  3.0 MB  2 skipped");
        let value = meter.value(&tick, paced(&tick, 10));
        assert_eq!(value["eta_seconds"], 30);
        assert!(value["time"].as_f64().is_some_and(|time| (now() - time).abs() < 600.0), "{value}");
        let copying = Tick { phase: "filtering", done: 30 << 20, unit: "bytes", share: Some(0.5), ..Tick::default() };
        let text = meter.text(&copying, paced(&copying, 10));
        assert_eq!(text, "load: writing the kept pages  ETA 10 s  30.0 MB  3.0 MB/s");
        let unknown = Tick { phase, done: 5, unit, ..Tick::default() };
        assert_eq!(meter.text(&unknown, paced(&unknown, 1)), "load: reading the pages  5 documents  5/s");
        assert_eq!(meter.text(&unknown, paced(&unknown, 10)), "load: reading the pages  5 documents");
    }

    #[test]
    fn a_phase_that_begins_once_more_is_measured_from_its_new_beginning() {
        let meter = Messages::new(Style::Plain, false, false).meter("eval");
        let tick = |done| meter.tick(Tick { phase: "compare", done, unit: "comparisons", ..Tick::default() });
        tick(5000);
        assert_eq!(meter.state().began.done, 5000);
        tick(6000);
        assert_eq!(meter.state().began.done, 5000);
        tick(0);
        assert_eq!(meter.state().began.done, 0);
    }

    #[test]
    fn a_phase_that_goes_on_is_measured_from_there() {
        let began = Began { at: Instant::now(), done: 1000, share: 0.5 };
        let tick = Tick { done: 1500, share: Some(0.75), ..Tick::default() };
        let pace = began.pace(&tick, Duration::from_secs(5));
        assert_eq!((pace.rate, pace.left), (100.0, Some(Duration::from_secs(5))));
    }
}
