//! Words in the class or identifier of an element that hint at its purpose.
//!
//! They are weak evidence: authors name the parts of a layout after what they are, in English on pages of any
//! language, but `author-interview` is a story and `elementor-widget` everything. Each group has one fitted weight
//! ([`weights`](crate::text::page_content)), and hints of an element that holds most of a page's text do not count.

/// A set of hints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints(u8);

impl Hints {
    /// What visitors wrote.
    pub(crate) const COMMENT: Hints = Hints(1);
    /// Links and teasers of other pages.
    pub(crate) const RELATED: Hints = Hints(2);
    /// Navigation, notices, advertisements and controls.
    pub(crate) const BOILERPLATE: Hints = Hints(4);
    /// What a theme writes about a text.
    pub(crate) const META: Hints = Hints(8);
    /// The text itself.
    pub(crate) const TEXT: Hints = Hints(16);

    /// Returns the hints of the words of a class or identifier: runs of ASCII letters, cut before a capital that
    /// follows a small letter.
    pub(crate) fn of(name: &str) -> Self {
        Words(name.as_bytes()).fold(Hints::default(), |hints, word| hints.with(of_word(word)))
    }

    pub(crate) fn with(self, other: Self) -> Self {
        Hints(self.0 | other.0)
    }

    pub(crate) fn has(self, hint: Self) -> bool {
        self.0 & hint.0 != 0
    }
}

/// The longest word of the list.
const WORD_MAX: usize = 15;

fn of_word(word: &[u8]) -> Hints {
    let mut buffer = [0; WORD_MAX];
    let Some(lower) = buffer.get_mut(..word.len()) else { return Hints::default() };
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    match &*lower {
        b"comment" | b"comments" | b"disqus" | b"reply" | b"replies" | b"respond" | b"discussion" => Hints::COMMENT,
        b"related" | b"recommend" | b"recommended" | b"recommendations" | b"more" | b"also" | b"popular"
        | b"trending" | b"recirc" | b"recent" | b"latest" | b"similar" | b"suggested" | b"teaser" | b"teasers"
        | b"promo" | b"promos" | b"upnext" | b"outbrain" | b"taboola" | b"carousel" | b"card" | b"cards" => {
            Hints::RELATED
        }
        b"footer" | b"foot" | b"copyright" | b"legal" | b"disclaimer" | b"bottom" | b"ad" | b"ads" | b"advert"
        | b"advertisement" | b"sponsor" | b"sponsored" | b"newsletter" | b"subscribe" | b"signup" | b"subscription"
        | b"cta" | b"cookie" | b"cookies" | b"consent" | b"gdpr" | b"banner" | b"modal" | b"popup" | b"paywall"
        | b"share" | b"sharing" | b"social" | b"follow" | b"tools" | b"print" | b"nav" | b"navbar" | b"navigation"
        | b"menu" | b"breadcrumb" | b"breadcrumbs" | b"pagination" | b"pager" | b"toolbar" | b"sidebar" | b"aside"
        | b"widget" | b"widgets" | b"rail" => Hints::BOILERPLATE,
        b"meta" | b"byline" | b"author" | b"date" | b"time" | b"tag" | b"tags" | b"caption" | b"credit"
        | b"category" | b"categories" | b"info" | b"bio" | b"source" | b"timestamp" | b"kicker" => Hints::META,
        b"article" | b"story" | b"entry" | b"post" | b"body" | b"text" | b"content" | b"main" | b"prose"
        | b"paragraph" | b"copy" => Hints::TEXT,
        _ => Hints::default(),
    }
}

/// The words of a name.
struct Words<'a>(&'a [u8]);

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.0.iter().position(u8::is_ascii_alphabetic)?;
        let rest = &self.0[start..];
        let ends = |pair: &[u8]| {
            !pair[1].is_ascii_alphabetic() || pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()
        };
        let size = rest.windows(2).position(ends).map_or(rest.len(), |at| at + 1);
        let (word, rest) = rest.split_at(size);
        self.0 = rest;
        Some(word)
    }
}

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
            ("", Hints::default()),
        ] {
            assert_eq!(Hints::of(name), expected, "{name}");
        }
    }
}
