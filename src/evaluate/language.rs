//! The language of a text, guessed from the text itself.

/// The name of a language that is not certain.
pub(crate) const UNKNOWN: &str = "unknown";

/// Returns the English name of the language of a text, or [`UNKNOWN`].
pub(crate) fn language(text: &str) -> &'static str {
    whatlang::detect(text).filter(whatlang::Info::is_reliable).map_or(UNKNOWN, |info| info.lang().eng_name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        let english = "The crawler has read all pages of this site, and nothing on them has changed since last week.";
        let german =
            "Der Rechner hat alle Seiten gelesen, und seit der letzten Woche hat sich darauf nichts geaendert.";
        assert_eq!((language(english), language(german), language("1234 5678")), ("English", "German", UNKNOWN));
    }
}
