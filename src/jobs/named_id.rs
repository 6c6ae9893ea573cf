//! Ids in the form that people and lists use. A number and the text of its digits are different ids; if both are
//! stored, `\#17` is the number and `\"17` the text.

use nddb_format::record::{digits_of, number_id, other_kind};
use nddb_index::{Error, Result, View};
use xxhash_rust::xxh3::xxh3_128;

use crate::tsv;

/// A name of an id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NamedId {
    /// This id alone.
    Exact(String),
    /// The text of these digits or their number, whichever exists.
    Digits(String),
}

impl NamedId {
    /// Reads an argument of a command: `\#` and digits, `\"` and a text, or an id in the form of the output.
    pub fn of_argument(argument: &str) -> Self {
        match (argument.strip_prefix("\\#").and_then(number), argument.strip_prefix("\\\"")) {
            (Some(number), _) => Self::Exact(number),
            (None, Some(text)) => Self::Exact(text.to_owned()),
            (None, None) => Self::shown(argument.to_owned()),
        }
    }

    /// Reads a cell of a list or table. It has the form of an argument, but a text has the escapes of
    /// [`tsv::write_text`]. `None` if [`tsv::write_id`] never writes such a cell.
    pub fn of_cell(cell: &str) -> Option<Self> {
        match (cell.strip_prefix("\\#"), cell.strip_prefix("\\\"")) {
            (Some(digits), _) => number(digits).map(Self::Exact),
            (None, Some(text)) => tsv::read_text(text).map(Self::Exact),
            (None, None) => tsv::read_text(cell).map(Self::shown),
        }
    }

    /// Returns the name for an id in the form of the output.
    fn shown(text: String) -> Self {
        if other_kind(&text).is_some() && digits_of(&text).is_none() { Self::Digits(text) } else { Self::Exact(text) }
    }

    /// Returns the id; digits are returned as the text id.
    pub fn as_id(&self) -> &str {
        let (Self::Exact(id) | Self::Digits(id)) = self;
        id
    }

    /// Like [`NamedId::find`]; if there is no such document, returns [`NamedId::as_id`].
    ///
    /// # Errors
    /// Errors of [`NamedId::find`].
    pub fn resolved(&self, is_there: &mut dyn FnMut(&str) -> Result<bool>) -> Result<String> {
        Ok(self.find(is_there)?.unwrap_or_else(|| self.as_id().to_owned()))
    }

    /// Returns the id of the document that is meant; `is_there` tells whether a document has an id. `None` if there is
    /// no such document.
    ///
    /// # Errors
    /// [`Error::Document`] if several documents may be meant; errors of `is_there`.
    pub fn find(&self, is_there: &mut dyn FnMut(&str) -> Result<bool>) -> Result<Option<String>> {
        let text = self.as_id();
        let number = if let Self::Digits(digits) = self { Some(number_id(digits)) } else { None };
        let has_number = number.as_deref().map_or(Ok(false), &mut *is_there)?;
        match (is_there(text)?, has_number) {
            (true, true) => {
                let why =
                    format!("it is the id of a number and of a text: \\#{text} is the number, \\\"{text} the text");
                Err(Error::Document { id: text.to_owned(), why })
            }
            (true, false) => Ok(Some(text.to_owned())),
            (false, true) => Ok(number),
            (false, false) => find_form(text, is_there),
        }
    }
}

/// Returns the id that exists in another form than this one.
fn find_form(text: &str, is_there: &mut dyn FnMut(&str) -> Result<bool>) -> Result<Option<String>> {
    let mut found: Option<String> = None;
    for form in other_forms(text) {
        if !is_there(&form)? {
            continue;
        }
        if let Some(first) = found {
            let why = format!("{first:?} and {form:?} are both stored: write the one that is meant");
            return Err(Error::Document { id: text.to_owned(), why });
        }
        found = Some(form);
    }
    Ok(found)
}

/// Returns the other forms in which data sets write the id of a WARC record: of a UUID alone, after `urn:uuid:`, and in
/// angle brackets, as in the header of the record, and of another text in angle brackets the text.
pub fn other_forms(id: &str) -> Vec<String> {
    let plain = id.strip_prefix('<').and_then(|id| id.strip_suffix('>')).unwrap_or(id);
    let uuid = plain.strip_prefix("urn:uuid:").unwrap_or(plain);
    if !is_uuid(uuid) {
        return if plain == id { Vec::new() } else { vec![plain.to_owned()] };
    }
    let forms = [uuid.to_owned(), format!("urn:uuid:{uuid}"), format!("<urn:uuid:{uuid}>")];
    forms.into_iter().filter(|form| form != id).collect()
}

/// Returns whether a text is a UUID: groups of 8, 4, 4, 4 and 12 hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    let is_hyphen = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let is = |(at, byte): (usize, u8)| if is_hyphen(at) { byte == b'-' } else { byte.is_ascii_hexdigit() };
    text.len() == 36 && text.bytes().enumerate().all(is)
}

/// The id of the number with these digits.
fn number(digits: &str) -> Option<String> {
    let id = number_id(digits);
    digits_of(&id).is_some().then_some(id)
}

/// Returns the id of a document that is named in a list.
pub(crate) fn resolved(named: &NamedId, view: View<'_>) -> Result<String> {
    named.resolved(&mut |id| view.contains(id))
}

/// 128 bits distinguish more ids than there are documents.
pub(crate) fn hash(id: &str) -> u128 {
    xxh3_128(id.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_whichever_there_is_and_never_a_guess() {
        let find = |named: &NamedId, stored: &[&str]| named.find(&mut |id| Ok(stored.contains(&id)));
        let number = &*number_id(17);
        let plain = NamedId::of_argument("17");
        assert_eq!(plain, NamedId::Digits("17".into()));
        assert_eq!(find(&plain, &["17"]).expect("one").as_deref(), Some("17"));
        assert_eq!(find(&plain, &[number]).expect("one").as_deref(), Some(number));
        assert_eq!(find(&plain, &["170"]).expect("none"), None);
        let error = find(&plain, &["17", number]).expect_err("two").to_string();
        assert!(error.contains(r#"\#17 is the number"#) && error.contains(r#"\"17 the text"#), "{error}");
        for (name, id) in [(r"\#17", number), (r#"\"17"#, "17")] {
            let named = NamedId::of_argument(name);
            assert_eq!(find(&named, &["17", number]).expect("one").as_deref(), Some(id));
            assert_eq!(NamedId::of_cell(name), Some(named));
        }
    }

    #[test]
    fn the_id_of_a_record_is_found_in_each_form() {
        let uuid = "8c9c07ee-6a87-4e43-8c5d-2e0a8e1b7f11";
        let forms = [uuid.to_owned(), format!("urn:uuid:{uuid}"), format!("<urn:uuid:{uuid}>")];
        let find = |name: &str, stored: &[&String]| {
            NamedId::of_argument(name).find(&mut |id| Ok(stored.iter().any(|stored| *stored == id)))
        };
        for name in &forms {
            for stored in &forms {
                assert_eq!(find(name, &[stored]).expect("one").as_ref(), Some(stored), "{name}");
            }
            assert_eq!(find(name, &forms.each_ref()).expect("the same").as_ref(), Some(name));
        }
        let error = find(&forms[0], &[&forms[1], &forms[2]]).expect_err("two").to_string();
        assert!(error.contains(&forms[1]) && error.contains(&forms[2]), "{error}");
        assert_eq!(other_forms("<http://a/>"), ["http://a/"]);
        for other in ["a", "urn:uuid:x", "8c9c07ee-6a87-4e43-8c5d-2e0a8e1b7f1g", "<", ""] {
            assert_eq!(other_forms(other), [""; 0], "{other}");
        }
    }

    #[test]
    fn an_argument_is_an_id_as_it_is_and_a_cell_has_escapes() {
        for text in ["a", "01", "-0", "1.0", r"a\b", r"\#x", r"\x", "\u{1}7"] {
            assert_eq!(NamedId::of_argument(text), NamedId::Exact(text.into()), "{text}");
        }
        assert_eq!(NamedId::of_argument(r#"\"\#7"#), NamedId::Exact(r"\#7".into()));
        assert_eq!(NamedId::of_argument("-7"), NamedId::Digits("-7".into()));
        assert_eq!(NamedId::of_cell(r"a\tb"), Some(NamedId::Exact("a\tb".into())));
        assert_eq!(
            (NamedId::of_cell(r"\#x"), NamedId::of_cell(r"a\b"), NamedId::of_cell(r#"\"\b"#)),
            (None, None, None)
        );
    }
}
