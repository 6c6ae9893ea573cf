//! The title and the headings of a page, to be compared as a whole.
//!
//! Pages of one site that show different items have different titles or headings, whatever else they share (such a pair
//! is incorrect if its main item differs: Henzinger 2006, 3.1).

/// Title and headings of a page as hashes; 0 if the page has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headings {
    /// The title.
    pub title: u64,
    /// The headings.
    pub heading: u64,
}

impl Headings {
    /// Returns whether the title or the headings agree with those of another page; `None` if neither is known for both
    /// pages.
    pub fn agree(&self, other: &Headings) -> Option<bool> {
        let both = [(self.title, other.title), (self.heading, other.heading)];
        let mut known = both.iter().filter(|(a, b)| *a != 0 && *b != 0).peekable();
        known.peek()?;
        Some(known.any(|(a, b)| a == b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_may_agree() {
        let of = |title, heading| Headings { title, heading };
        for (a, b, expected) in [
            (of(1, 2), of(1, 3), Some(true)),
            (of(1, 2), of(3, 2), Some(true)),
            (of(1, 2), of(3, 4), Some(false)),
            (of(1, 2), of(2, 1), Some(false)),
            (of(1, 0), of(2, 3), Some(false)),
            (of(1, 0), of(0, 1), None),
            (of(0, 0), of(0, 0), None),
            (of(0, 0), of(1, 1), None),
        ] {
            assert_eq!(a.agree(&b), expected, "{a:?} {b:?}");
            assert_eq!(b.agree(&a), expected, "{b:?} {a:?}");
        }
    }
}
