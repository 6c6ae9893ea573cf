//! Counts, figures and reasons as text for people.

use nddb_dedup::UnreadTexts;
use nddb_verdict::Groups;

/// Returns a count with commas: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a count with its noun: `1 document`, `2,000 documents`.
pub fn counted(number: u64, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{} {stem}ies", grouped(number)),
        (_, None) => format!("{} {noun}s", grouped(number)),
    }
}

/// Writes a size: `999 B`, `1.5 GB`, in powers of 1,024.
pub fn bytes(size: u64) -> String {
    let mut scaled = size as f64;
    let mut unit = "B";
    for larger in ["KB", "MB", "GB", "TB", "PB"] {
        if scaled < 1000.0 {
            break;
        }
        scaled /= 1024.0;
        unit = larger;
    }
    if unit == "B" { format!("{size} B") } else { format!("{scaled:.1} {unit}") }
}

/// Returns a figure with this many decimal places; a dash if there is none.
pub fn decimal(figure: Option<f64>, places: usize) -> String {
    figure.map_or_else(|| "-".into(), |figure| format!("{figure:.places$}"))
}

/// Returns the range of the number of words of the documents in a group.
pub fn group_words(groups: &Groups, group: usize) -> String {
    match groups.words(group) {
        (from, Some(end)) => format!("{from}-{}", end - 1),
        (from, None) => format!("{from}-"),
    }
}

/// Returns why texts could not be read, with the number of documents for each reason.
pub fn unread_reasons(unread: &UnreadTexts) -> String {
    let reasons: Vec<String> =
        unread.reasons().map(|(reason, count)| format!("{} {reason}", counted(count, "document"))).collect();
    reasons.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_figures_are_written_for_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "document"), "1 document");
        assert_eq!(counted(2000, "query"), "2,000 queries");
        assert_eq!(
            [(Some(0.25), 1), (Some(1.0), 4), (None, 3)].map(|(of, places)| decimal(of, places)),
            ["0.2", "1.0000", "-"]
        );
        assert_eq!([0, 1, 10].map(|group| group_words(&Groups::PAPER, group)), ["0-499", "500-999", "5000-"]);
    }
}
