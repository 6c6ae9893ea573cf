//! Words in the class or identifier of an element that hint at its purpose.
//!
//! Hints are weak evidence: authors name the parts of a layout by their purpose, in English on pages of any language,
//! but `author-interview` may contain a story, and `elementor-widget` anything. Each group of hints has one fitted
//! weight ([`weights`](crate::text::page_content)). Hints of an element with most of the page's text do not count.

use crate::text::word_table::{ShortWord, WORD_MAX, WordTable};

/// A set of hints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints(u8);

impl Hints {
    /// Comments of visitors.
    pub(crate) const COMMENT: Hints = Hints(1);
    /// Links to other pages and their teasers.
    pub(crate) const RELATED: Hints = Hints(2);
    /// Navigation, notices, advertisements and controls.
    pub(crate) const BOILERPLATE: Hints = Hints(4);
    /// Notes of a theme about the text, such as author and date.
    pub(crate) const META: Hints = Hints(8);
    /// The text itself.
    pub(crate) const TEXT: Hints = Hints(16);

    /// Returns the hints of the words of a class or identifier: runs of ASCII letters, cut before a capital that
    /// follows a small letter.
    pub(crate) fn of(name: &str) -> Self {
        let (mut hints, mut word, mut size, mut follows_small) = (Hints(0), 0, 0, false);
        for byte in name.bytes().chain([b' ']) {
            let is_letter = byte.is_ascii_alphabetic();
            if !is_letter || follows_small && byte.is_ascii_uppercase() {
                if (1..=WORD_MAX).contains(&size) {
                    hints = hints.with(WORDS.get(word));
                }
                (word, size) = (0, 0);
            }
            if is_letter {
                (word, size) = (word << 8 | ShortWord::from(byte.to_ascii_lowercase()), size + 1);
            }
            follows_small = byte.is_ascii_lowercase();
        }
        hints
    }

    pub(crate) fn with(self, other: Self) -> Self {
        Hints(self.0 | other.0)
    }

    pub(crate) fn has(self, hint: Self) -> bool {
        self.0 & hint.0 != 0
    }
}

static WORDS: WordTable<Hints, 512> = WordTable::new(
    Hints(0),
    &[
        (Hints::COMMENT, "comment comments disqus reply replies respond discussion"),
        (
            Hints::RELATED,
            "related recommend recommended recommendations more also popular trending recirc recent latest similar \
             suggested teaser teasers promo promos upnext outbrain taboola carousel card cards",
        ),
        (
            Hints::BOILERPLATE,
            "footer foot copyright legal disclaimer bottom ad ads advert advertisement sponsor sponsored newsletter \
             subscribe signup subscription cta cookie cookies consent gdpr banner modal popup paywall share sharing \
             social follow tools print nav navbar navigation menu breadcrumb breadcrumbs pagination pager toolbar \
             sidebar aside widget widgets rail",
        ),
        (
            Hints::META,
            "meta byline author date time tag tags caption credit category categories info bio source timestamp kicker",
        ),
        (Hints::TEXT, "article story entry post body text content main prose paragraph copy"),
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_whole_words_of_a_name() {
        for (name, expected) in [
            ("post-comments", Hints::COMMENT.with(Hints::TEXT)),
            ("relatedPosts", Hints::RELATED),
            ("SIDEBAR_left", Hints::BOILERPLATE),
            ("site-nav2", Hints::BOILERPLATE),
            ("navy-history category", Hints::META),
            ("football menus", Hints::default()),
            ("a_card9MAIN", Hints::RELATED.with(Hints::TEXT)),
            ("superlongwordsnav", Hints::default()),
            ("-é-nav", Hints::BOILERPLATE),
            ("", Hints::default()),
        ] {
            assert_eq!(Hints::of(name), expected, "{name}");
        }
    }
}
