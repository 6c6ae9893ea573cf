//! Equal token sequences (Henzinger 2006, 2), or equal contents (Manku et al. 2007, 6.D).

use std::fmt;
use std::str::FromStr;

use crate::column::{Bound, SAME_CONTENT};
use crate::method::{Candidates, Keys, Method};
use crate::pair::DocumentPair;
use crate::parameter::Parameter;
use crate::sketches::Sketch;
use crate::verdict::{Decision, Verdict};

/// Equal token sequences (Henzinger 2006, 2), or equal words of the content: pages that differ in navigation, titles
/// and footers alone (Manku et al. 2007, 6.D).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity {
    /// What must be equal.
    pub of: IdentityOf,
}

/// What must be equal for two documents to be identical.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdentityOf {
    /// The whole text.
    #[default]
    Text,
    /// The words of the content in their order, in lower case.
    Content,
}

impl fmt::Display for IdentityOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Text { "text" } else { "content" })
    }
}

impl FromStr for IdentityOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "content" => Ok(Self::Content),
            _ => Err(format!("{text:?} is not text or content")),
        }
    }
}

impl Method for Identity {
    fn name(&self) -> &'static str {
        "identity"
    }

    fn help(&self) -> &'static str {
        "equal texts, or equal contents"
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![Parameter::text("of", "what must be equal: text, or content", &mut self.of)]
    }

    fn candidates(&self) -> Candidates {
        match self.of {
            IdentityOf::Text => Candidates::Identical,
            IdentityOf::Content => Candidates::Sharing(vec![Keys::Contents]),
        }
    }

    fn compares(&self) -> &'static [Sketch] {
        match self.of {
            IdentityOf::Text => &[Sketch::Digest],
            IdentityOf::Content => &[Sketch::Content],
        }
    }

    fn class(&self) -> &'static [Sketch] {
        match self.of {
            IdentityOf::Text => &[],
            IdentityOf::Content => &[Sketch::Content],
        }
    }

    fn judge(&self, pair: &DocumentPair<'_>) -> Verdict {
        match self.of {
            IdentityOf::Text => Verdict { decision: Decision::Apart, score: 0 },
            IdentityOf::Content => Verdict::at_least(pair.same_content().map(u32::from), 1, self.name()),
        }
    }

    fn perfect(&self) -> u64 {
        1
    }

    fn bounds(&self, pair: &DocumentPair<'_>, out: &mut Vec<Bound>) {
        if self.of == IdentityOf::Content {
            out.push(Bound::at_least(SAME_CONTENT, pair.same_content().map(u32::from), 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use nddb_page::sketch::Recipe;
    use nddb_page::text::Page;

    use super::*;
    use crate::known::Known;

    /// A page of this title and content in one of two designs.
    fn known(title: &str, content: &str, design: usize) -> Known {
        let menu =
            ["<a href=/>Home</a> <a href=/news>News of today</a>", "<a href=/shop>Shop</a> <a href=/faq>Help</a>"];
        let footer = ["All rights reserved", "Terms of use and contact"];
        let (menu, footer) = (menu[design], footer[design]);
        let html = format!(
            "<title>{title}</title><nav>{menu}</nav><main><h1>Foxes</h1><p>{content}</main><footer>{footer}</footer>"
        );
        Known::of(&Recipe::default().sketch(&Page::html(&html)).record("a", None), None)
    }

    #[test]
    fn pages_that_differ_in_navigation_alone_have_one_content() {
        let text = "A fox sleeps in its den until the evening, and then walks along the hedges to the farm, where it \
                    waits for mice, beetles and whatever else 12 farmers leave behind";
        let page = known("Foxes", text, 0);
        let of_content = Identity { of: IdentityOf::Content };
        let same = |other: &Known| {
            let pair = DocumentPair::new(&page, other, None);
            assert!(!pair.identical() && !Identity::default().judge(&pair).is_near(), "the texts differ");
            of_content.judge(&pair).is_near()
        };
        assert!(same(&known("Foxes", text, 1)), "another design");
        assert!(same(&known("Animals | Foxes", &text.to_uppercase(), 0)), "another title, and case");
        assert!(!same(&known("Foxes", &text.replace("mice", "rats"), 0)), "another word");
        assert!(!same(&known("Foxes", &text.replace("12", "13"), 0)), "another number");
        assert!(!same(&known("Foxes", &text.replace("mice, beetles", "beetles, mice"), 0)), "another order");
        let pair = DocumentPair::new(&page, &page, None);
        assert_eq!(of_content.judge(&pair).decision, Decision::Near("identity"));
        let bare = Known::default();
        assert_eq!(of_content.judge(&DocumentPair::new(&page, &bare, None)).decision, Decision::Unknown);
    }
}
