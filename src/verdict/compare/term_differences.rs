//! The tokens in which two pages differ.

use nddb_page::text::{Page, PageContent, page_content, tokens};

use super::lcs::Myers;

/// Greatest number of edits that are listed.
const EDITS_MAX: usize = 4000;

/// The term difference of two pages (Henzinger 2006, 4.1: a diff of their token sequences).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermDifference {
    /// Number of tokens of the first page that are not in the longest common subsequence.
    pub removed: usize,
    /// Number of tokens of the second page that are not in the longest common subsequence.
    pub added: usize,
    /// The edits, in the order of the pages.
    pub edits: Vec<Edit>,
}

/// A run of tokens replaced by another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// Tokens of the first page.
    pub removed: Vec<String>,
    /// Tokens of the second page.
    pub added: Vec<String>,
}

/// Returns the difference of the tokens of two pages; `None` if more than 4,000 tokens differ.
pub fn term_difference(a: &Page<'_>, b: &Page<'_>) -> Option<TermDifference> {
    let (a, b) = (tokens(a), tokens(b));
    let terms = [&a, &b].map(|tokens| tokens.terms().map(str::to_owned).collect());
    difference([a.hashes(), b.hashes()], &terms)
}

/// Returns the difference of the main contents of two pages, as extracted by recipes with a profile.
pub fn content_difference(a: &Page<'_>, b: &Page<'_>) -> Option<TermDifference> {
    let (a, b) = (page_content(a), page_content(b));
    difference([&a.hashes(), &b.hashes()], &[a.terms().collect(), b.terms().collect()])
}

/// Returns the difference of the whole texts of two pages, as recipes with a profile compare them: with the text that a
/// page carries and does not show.
pub fn whole_difference(a: &Page<'_>, b: &Page<'_>) -> Option<TermDifference> {
    let [a, b] = [a, b].map(page_content).map(PageContent::into_tokens);
    let terms = [&a, &b].map(|tokens| tokens.terms().map(str::to_owned).collect());
    difference([a.hashes(), b.hashes()], &terms)
}

fn difference([a, b]: [&[u64]; 2], [a_terms, b_terms]: &[Vec<String>; 2]) -> Option<TermDifference> {
    let mut runs = Vec::new();
    Myers::new().runs(a, b, EDITS_MAX, &mut runs)?;
    let mut difference = TermDifference::default();
    let (mut x, mut y) = (0, 0);
    let ends = runs.iter().map(|run| (run.a, run.b, run.len)).chain([(a.len(), b.len(), 0)]);
    for (to_x, to_y, len) in ends {
        if x < to_x || y < to_y {
            let edit = Edit { removed: a_terms[x..to_x].to_vec(), added: b_terms[y..to_y].to_vec() };
            difference.removed += edit.removed.len();
            difference.added += edit.added.len();
            difference.edits.push(edit);
        }
        (x, y) = (to_x + len, to_y + len);
    }
    Some(difference)
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
    fn what_is_around_the_content_is_no_difference_of_it() {
        let page = |around: &str, word: &str| {
            format!("<nav>{around}</nav><p>{} {word} 17", "a sentence that is long enough to be content ".repeat(3))
        };
        let (a, b) = (page("Home", "old"), page("Start here", "new"));
        let difference = content_difference(&Page::html(&a), &Page::html(&b)).expect("few edits");
        assert_eq!((difference.removed, difference.added), (1, 1));
        assert_eq!(difference.edits, [Edit { removed: vec!["old".into()], added: vec!["new".into()] }]);
        let difference = term_difference(&Page::html(&a), &Page::html(&b)).expect("few edits");
        assert_eq!((difference.removed, difference.added), (2, 3));
    }

    #[test]
    fn pages_that_have_nothing_in_common_are_given_up() {
        let page = |word: &str| (0..3000).map(|number| format!("{word}{number} ")).collect::<String>();
        assert_eq!(term_difference(&Page::text(&page("a")), &Page::text(&page("b"))), None);
    }
}
