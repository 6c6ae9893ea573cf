//! The tokens in which two pages differ.

use crate::detect::lcs::Myers;
use crate::text::{Page, Tokens, tokens};

/// More edits than this are not followed: their number is all that would be seen of them.
const EDITS_MAX: usize = 4000;

/// The term difference of two pages (Henzinger 2006, 4.1: of their token sequences by a diff).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermDifference {
    /// Tokens of the first that are not in the longest common subsequence.
    pub removed: usize,
    /// Tokens of the second that are not.
    pub added: usize,
    /// Where they stand, from the beginning on.
    pub edits: Vec<Edit>,
}

/// A stretch of tokens in place of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// Tokens of the first page.
    pub removed: Vec<String>,
    /// Tokens of the second page.
    pub added: Vec<String>,
}

/// Compares the tokens of two pages. None if they differ in more than 4,000.
pub fn term_difference(a: &Page<'_>, b: &Page<'_>) -> Option<TermDifference> {
    let (a, b) = (tokens(a), tokens(b));
    let mut runs = Vec::new();
    Myers::new().runs(a.hashes(), b.hashes(), EDITS_MAX, &mut runs)?;
    let (a_terms, b_terms) = (terms(&a), terms(&b));
    let mut difference = TermDifference::default();
    let (mut x, mut y) = (0, 0);
    let ends = runs.iter().map(|run| (run.a, run.b, run.len)).chain([(a.len(), b.len(), 0)]);
    for (to_x, to_y, len) in ends {
        if x < to_x || y < to_y {
            let cut = |terms: &[&str]| terms.iter().map(|&term| term.to_owned()).collect();
            let edit = Edit { removed: cut(&a_terms[x..to_x]), added: cut(&b_terms[y..to_y]) };
            difference.removed += edit.removed.len();
            difference.added += edit.added.len();
            difference.edits.push(edit);
        }
        (x, y) = (to_x + len, to_y + len);
    }
    Some(difference)
}

fn terms(tokens: &Tokens) -> Vec<&str> {
    tokens.terms().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_token_counts_twice() {
        let (a, b) = (Page::text("the quick brown fox jumps over"), Page::text("the quick red fox jumps over it"));
        let difference = term_difference(&a, &b).expect("few edits");
        assert_eq!((difference.removed, difference.added), (1, 2));
        let edit = |removed: &[&str], added: &[&str]| Edit {
            removed: removed.iter().map(|&term| term.into()).collect(),
            added: added.iter().map(|&term| term.into()).collect(),
        };
        assert_eq!(difference.edits, [edit(&["brown"], &["red"]), edit(&[], &["it"])]);
        assert_eq!(term_difference(&a, &a), Some(TermDifference::default()));
        let none = term_difference(&Page::text(""), &b).expect("few edits");
        assert_eq!((none.removed, none.added, none.edits.len()), (0, 7, 1));
    }

    #[test]
    fn pages_that_have_nothing_in_common_are_given_up() {
        let page = |word: &str| (0..3000).map(|number| format!("{word}{number} ")).collect::<String>();
        assert_eq!(term_difference(&Page::text(&page("a")), &Page::text(&page("b"))), None);
    }
}
