//! Ids of documents: texts, or numbers, which are stored as texts with a mark (SPEC 9.1).
//!
//! Code that stores, sorts or compares ids treats all ids as texts. Only code that reads ids from an input or shows
//! them to a user distinguishes the two kinds.

use std::fmt::{self, Display};

use crate::Result;
use crate::error::malformed;

/// Maximum size in bytes of a document id.
pub const ID_MAX: usize = 4096;

/// The first character of the id of a number; no other id begins with it.
pub const NUMBER_MARK: char = '\u{1}';

/// Checks a document id: 1 to 4,096 bytes of UTF-8 without NUL, and a number if it begins with [`NUMBER_MARK`].
///
/// # Errors
/// [`crate::FormatError::Malformed`].
pub fn check_id(id: &str) -> Result<()> {
    if id.is_empty() || id.len() > ID_MAX || id.bytes().any(|byte| byte == 0) {
        return malformed("document id", 0, "an id has 1 to 4096 bytes and no NUL");
    }
    if id.starts_with(NUMBER_MARK) && digits_of(id).is_none() {
        return malformed("document id", 0, "an id that begins with U+0001 is a number");
    }
    Ok(())
}

/// Returns the id of a number: an integer from -2^63 to 2^64 - 1, or its decimal digits. [`check_id`] refuses the id
/// of anything else.
///
/// ```
/// use nddb_format::record::{ShownId, number_id};
///
/// assert_ne!(number_id(17), "17");
/// assert_eq!(ShownId(&number_id(17)).to_string(), "17");
/// ```
pub fn number_id(number: impl Display) -> String {
    format!("{NUMBER_MARK}{number}")
}

/// Returns the decimal digits of an id that is a number, after a `-` if negative; `None` if the id is a text.
pub fn digits_of(id: &str) -> Option<&str> {
    id.strip_prefix(NUMBER_MARK).filter(|digits| is_number(digits))
}

/// Returns the id of the other kind with the same digits: for a number the text of its digits, and for a text of digits
/// the number. `None` for all other texts.
pub fn other_kind(id: &str) -> Option<String> {
    match digits_of(id) {
        Some(digits) => Some(digits.to_owned()),
        None => is_number(id).then(|| number_id(id)),
    }
}

/// Whether a text is an integer from -2^63 to 2^64 - 1 in decimal, without leading zeros.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_negative = digits.len() < text.len();
    let is_canonical = digits.bytes().all(|byte| byte.is_ascii_digit())
        && if digits.starts_with('0') { text == "0" } else { !digits.is_empty() };
    is_canonical && if is_negative { text.parse::<i64>().is_ok() } else { text.parse::<u64>().is_ok() }
}

/// An id in the form for a user: a number as its digits, a text unchanged. In `{:?}` a text is quoted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ShownId<'a>(pub &'a str);

impl<'a> ShownId<'a> {
    /// Returns the characters for the user.
    pub fn as_str(self) -> &'a str {
        digits_of(self.0).unwrap_or(self.0)
    }
}

impl Display for ShownId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for ShownId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match digits_of(self.0) {
            Some(digits) => f.write_str(digits),
            None => fmt::Debug::fmt(self.0, f),
        }
    }
}
