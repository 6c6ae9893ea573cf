//! The steps of long commands in the words of their users, and how much of the whole is done.

/// A step: its words, and the phases of the library that it consists of, about in their order.
type Step = (&'static str, &'static [&'static str]);

const PAGES: Step = ("reading the pages", &["reading"]);
const OTHERS: Step = ("comparing with the other databases", &["compare with other databases"]);
const DATABASE: Step = ("reading the database", &["read catalog", "read ids", "read documents", "read addresses"]);
const EQUAL: Step = ("finding equal texts", &["identity sets", "classes", "verify hot groups"]);
const SIMILAR: Step = (
    "finding similar pages",
    &["sort fingerprints", "count keys", "sort keys", "sort shingles", "candidates", "perhaps-similar sets", "pairs"],
);
const COMPARED: Step = ("comparing similar pages", &["decide", "compare texts"]);
const TEXTS: Step = ("reading the texts again", &["read where texts stand", "read texts"]);
const LOST: Step = ("checking what would be lost", &["verify against the kept"]);
const IDS: Step = ("looking for the ids", &["counting ids"]);
const KEPT: Step = ("writing the kept pages", &["filtering"]);
const SORTED: Step = ("sorting what was stored", &["write records", "merge catalog", "write run"]);
const ROWS: Step = ("writing the documents", &["writing"]);
const FILES: Step = ("reading the files of the runs", &["check files", "check postings", "check summaries"]);
const RECALL: Step = ("trying queries", &["read all for recall", "probe for recall"]);
const AGREE: Step = (
    "comparing the documents with the runs",
    &[
        "compare runs",
        "check prints",
        "check records",
        "check ids",
        "check keys",
        "compare key tables",
        "compare summaries",
    ],
);
const RESTORED: Step = ("making the runs again", &["read records", "restore segment", "make run"]);
const MERGED: Step = ("merging", &["merge"]);
const COPIED: Step = ("copying the files", &["take files", "compare with the last backup", "copy", "restore", "send"]);
const VERIFIED: Step = ("comparing the copy", &["compare files", "receive", "verify earlier backups"]);
const PAPERS: Step = (
    "measuring by the methods of the papers",
    &["strain texts", "fingerprints", "differences of terms", "sampled shingles"],
);

/// All steps.
const STEPS: [Step; 20] = [
    PAGES, OTHERS, DATABASE, EQUAL, SIMILAR, COMPARED, TEXTS, LOST, IDS, KEPT, SORTED, ROWS, FILES, RECALL, AGREE,
    RESTORED, MERGED, COPIED, VERIFIED, PAPERS,
];

/// The steps of a command, with their usual shares of its time in percent.
type Steps = &'static [(Step, u32)];

const COMMANDS: [(&str, Steps); 13] = [
    (
        "dedup",
        &[
            (PAGES, 60),
            (OTHERS, 5),
            (DATABASE, 3),
            (EQUAL, 2),
            (SIMILAR, 12),
            (COMPARED, 6),
            (TEXTS, 2),
            (LOST, 3),
            (KEPT, 7),
        ],
    ),
    ("cluster", &[(DATABASE, 10), (EQUAL, 5), (SIMILAR, 45), (COMPARED, 25), (TEXTS, 5), (LOST, 10)]),
    ("pairs", &[(DATABASE, 15), (EQUAL, 5), (SIMILAR, 50), (COMPARED, 30)]),
    ("report", &[(DATABASE, 10), (EQUAL, 5), (SIMILAR, 35), (COMPARED, 20), (LOST, 10), (TEXTS, 20)]),
    ("audit", &[(DATABASE, 10), (EQUAL, 5), (SIMILAR, 35), (COMPARED, 20), (LOST, 10), (TEXTS, 20)]),
    ("load", &[(PAGES, 100)]),
    ("filter", &[(IDS, 35), (KEPT, 65)]),
    ("export", &[(ROWS, 100)]),
    ("check", &[(FILES, 40), (AGREE, 55), (RECALL, 5)]),
    ("merge", &[(MERGED, 70), (SORTED, 30)]),
    ("compact", &[(MERGED, 100)]),
    ("rebuild", &[(FILES, 20), (DATABASE, 30), (RESTORED, 50)]),
    ("backup", &[(COPIED, 70), (VERIFIED, 30)]),
];

/// Returns a phase in words.
pub(super) fn words(phase: &'static str) -> &'static str {
    STEPS.iter().find(|(_, phases)| phases.contains(&phase)).map_or(phase, |(words, _)| words)
}

/// Returns the steps of a command; `None` if they are not known.
pub(super) fn of(command: &str) -> Option<Steps> {
    COMMANDS.iter().find(|(of, _)| *of == command).map(|(_, steps)| *steps)
}

/// Returns the share of the whole work that is done, by the share of the phase that is done; `None` if the phase is in
/// none of the steps.
pub(super) fn whole(steps: Steps, phase: &str, done: Option<f64>) -> Option<f64> {
    let mut before = 0.0;
    for ((_, phases), share) in steps {
        let share = f64::from(*share) / 100.0;
        if let Some(index) = phases.iter().position(|of| *of == phase) {
            return Some(before + share * (index as f64 + done.unwrap_or(0.0).min(1.0)) / phases.len() as f64);
        }
        before += share;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_is_the_sum_of_the_steps() {
        for (command, steps) in COMMANDS {
            assert_eq!(steps.iter().map(|(_, share)| share).sum::<u32>(), 100, "{command}");
        }
        let phases: Vec<&str> = STEPS.iter().flat_map(|(_, phases)| phases.iter().copied()).collect();
        let places = |phase: &str| phases.iter().filter(|other| **other == phase).count();
        assert!(phases.iter().all(|phase| places(phase) == 1), "a phase is in one step");
        assert_eq!((words("candidates"), words("check ids")), (SIMILAR.0, AGREE.0));
        let whole = |command, phase, done| whole(of(command)?, phase, done).map(|share| (share * 1000.0).round());
        assert_eq!(whole("dedup", "reading", Some(1.0)), Some(600.0));
        assert_eq!(whole("dedup", "filtering", Some(0.5)), Some(965.0));
        assert_eq!(whole("filter", "counting ids", None), Some(0.0));
        // A run is written while pages are read.
        assert_eq!((whole("load", "write run", Some(0.5)), whole("stats", "reading", Some(0.5))), (None, None));
    }
}
