//! Blocks of a page, and its sketches without some of them: what frame tables are made of and used for (SPEC 8.8).

use super::{Kind, Recipe};
use crate::sketch::min_hash::{self, MIN_VALUES};
use crate::sketch::{Profile, min_bytes};
use crate::text::{DECLARED_MIN, Page, host_of, page_content};

impl Recipe {
    /// Returns the hashes of the blocks of a page's content and headings, ascending, each once; none if sketches have
    /// no profile.
    pub(crate) fn block_hashes(&self, page: &Page<'_>) -> Vec<u64> {
        if self.kind == Kind::Content { page_content(page).block_hashes() } else { Vec::new() }
    }

    /// Returns what the default verdict compares of a page, bytes of its min-values and its profile, without the
    /// blocks whose hashes `is_frame` accepts. `None` if fewer than five terms of its content are left, too few to be
    /// the content of a page, or if sketches have no profile.
    pub(crate) fn sketch_without(
        &self,
        page: &Page<'_>,
        is_frame: &dyn Fn(u64) -> bool,
    ) -> Option<([u8; MIN_VALUES], Profile)> {
        if self.kind != Kind::Content {
            return None;
        }
        let host = page.url.and_then(host_of).unwrap_or_default();
        let content = page_content(page).without(is_frame);
        let hashes = content.hashes();
        if hashes.len() < DECLARED_MIN {
            return None;
        }
        let profile = Profile::of(&content, &hashes, &host, page.url)?;
        Some((min_bytes(&min_hash::min_hash(&hashes)?.values), profile))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_any_frame_the_sketches_are_those_of_the_page() {
        let recipe = Recipe::default();
        let text = "The quick brown fox jumps over 13 lazy dogs, and over no cat at all, on the way home.";
        let html = format!("<title>Fox</title><h1>The Fox</h1><p>{text}</p><h2>Dogs</h2><p>{text} Again.</p>");
        let page = Page { url: Some("http://a.example/fox"), ..Page::html(&html) };
        let sketch = recipe.sketch(&page);
        let expected = (min_bytes(&sketch.min_hash.expect("terms").values), sketch.profile.expect("terms"));
        assert_eq!(recipe.sketch_without(&page, &|_| false), Some(expected));
        assert_eq!(recipe.sketch_without(&page, &|_| true), None);
        let headings = recipe.block_hashes(&Page::html("<h1>The Fox</h1><h2>Dogs</h2>"));
        // What is left are the headings, of three terms.
        assert_eq!(recipe.sketch_without(&page, &|block| !headings.contains(&block)), None);
        let text = recipe.sketch_without(&page, &|block| headings.contains(&block)).expect("a text is left");
        assert_eq!((text.1.headings.total, text.1.title.plain().count()), (0, 1));
        assert_eq!(recipe.block_hashes(&page).len(), 4);
        let web = Recipe::named("web").expect("a recipe");
        assert_eq!((web.sketch_without(&page, &|_| false), web.block_hashes(&page)), (None, Vec::new()));
    }
}
