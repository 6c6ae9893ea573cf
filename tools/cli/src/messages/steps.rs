//! The steps of a long command in the words of its user, and how much of the whole is done.

/// Steps, each with the phases of the library that it consists of.
const STEPS: [(&str, &[&str]); 11] = [
    ("reading the pages", &["reading", "load"]),
    ("comparing with the other databases", &["compare with other databases"]),
    ("reading the database", &["read ids", "read documents", "read catalog", "read records", "read addresses"]),
    ("finding equal texts", &["identity sets", "classes"]),
    (
        "finding similar pages",
        &[
            "sort fingerprints",
            "count keys",
            "sort keys",
            "candidates",
            "sort shingles",
            "perhaps-similar sets",
            "pairs",
        ],
    ),
    ("comparing similar pages", &["decide", "verify hot groups", "compare texts"]),
    ("reading the texts again", &["read where texts stand", "read texts"]),
    ("checking what would be lost", &["verify against the kept"]),
    ("writing the kept pages", &["counting ids", "filtering"]),
    ("sorting what was stored", &["merge catalog", "write run"]),
    (
        "measuring by the methods of the papers",
        &["strain texts", "fingerprints", "differences of terms", "sampled shingles"],
    ),
];

/// The usual shares of the time of the steps above, of commands that take several.
const SHARES: [(&str, [u32; 9]); 3] = [
    ("dedup", [60, 5, 3, 2, 12, 6, 2, 3, 7]),
    ("cluster", [0, 0, 10, 5, 45, 25, 5, 10, 0]),
    ("pairs", [0, 0, 15, 5, 50, 30, 0, 0, 0]),
];

/// Returns a phase in words.
pub(super) fn words(phase: &'static str) -> &'static str {
    STEPS.iter().find(|(_, phases)| phases.contains(&phase)).map_or(phase, |(words, _)| words)
}

/// Returns the share of a command's whole work that is done, by the share of the phase that is done; `None` if it is
/// not known.
pub(super) fn whole(command: &str, phase: &str, done: Option<f64>) -> Option<f64> {
    let Some((_, shares)) = SHARES.iter().find(|(of, _)| *of == command) else { return done };
    let step = STEPS.iter().position(|(_, phases)| phases.contains(&phase)).filter(|step| *step < shares.len())?;
    let before: u32 = shares[..step].iter().sum();
    Some((f64::from(before) + f64::from(shares[step]) * done.unwrap_or(0.0)) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_is_the_sum_of_the_steps() {
        for (command, shares) in SHARES {
            assert_eq!(shares.iter().sum::<u32>(), 100, "{command}");
        }
        assert_eq!(words("candidates"), "finding similar pages");
        assert_eq!(words("check files"), "check files");
        assert_eq!(whole("dedup", "reading", Some(0.5)), Some(0.3));
        assert_eq!(whole("dedup", "decide", None), Some(0.82));
        assert_eq!(whole("dedup", "write run", Some(0.5)), None);
        assert_eq!(whole("load", "reading", Some(0.5)), Some(0.5));
    }
}
