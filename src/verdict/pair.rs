//! The pair of documents that a method judges, with the computations that methods share.

use std::cell::OnceCell;

use nddb_page::sketch::{LeadingWords, Profile, agreement, resemblance_of};
use nddb_page::text::Headings;

use crate::evidence::Evidence;
use crate::features::FeatureValues;
use crate::known::Known;
use crate::names::Names;

/// Two documents, given by their stored sketches. Each property is computed when a method asks for it.
pub struct DocumentPair<'a> {
    /// The first document.
    pub a: &'a Known,
    /// The other document.
    pub b: &'a Known,
    same_site: Option<bool>,
    of_a: Option<&'a Derived>,
    features: OnceCell<FeatureValues>,
}

/// Names and headings of a document, computed once from its sketches for many comparisons.
#[derive(Default)]
pub struct Derived {
    names: OnceCell<Names>,
    headings: OnceCell<Option<Headings>>,
}

impl<'a> DocumentPair<'a> {
    /// Returns the pair of two documents; `same_site` is whether their sites are equal, `None` if either is unknown.
    pub fn new(a: &'a Known, b: &'a Known, same_site: Option<bool>) -> Self {
        Self { a, b, same_site, of_a: None, features: OnceCell::new() }
    }

    /// Keeps the names and headings of the first document for its next pair.
    #[must_use]
    pub fn keeping(self, derived: &'a Derived) -> Self {
        Self { of_a: Some(derived), ..self }
    }

    /// Keeps the features of the pair that another `DocumentPair` of the same documents has computed.
    #[must_use]
    pub fn with_features(self, features: Option<FeatureValues>) -> Self {
        Self { features: features.map_or_else(OnceCell::new, OnceCell::from), ..self }
    }

    /// Returns the features of the pair if a method has computed them.
    pub fn computed_features(&self) -> Option<FeatureValues> {
        self.features.get().copied()
    }

    /// Returns whether the token sequences are equal.
    pub fn identical(&self) -> bool {
        self.a.digest.zip(self.b.digest).is_some_and(|(a, b)| a == b)
    }

    /// Returns whether the words of the contents are equal; `None` if a profile is unknown.
    pub fn same_content(&self) -> Option<bool> {
        self.a.profile.as_ref().zip(self.b.profile.as_ref()).map(|(a, b)| a.content == b.content)
    }

    /// Returns whether the sites are equal; `None` if either site is unknown.
    pub fn same_site(&self) -> Option<bool> {
        self.same_site
    }

    /// Returns whether the content of either document has tokens but no terms, so that its fingerprint carries no
    /// evidence.
    pub fn is_without_terms(&self) -> bool {
        self.a.is_without_terms || self.b.is_without_terms
    }

    /// Returns the number of tokens of the shorter document as a share of the longer one's, 0 to 1; `None` if either
    /// number is unknown.
    pub fn length_ratio(&self) -> Option<f64> {
        let (a, b) = self.a.tokens.zip(self.b.tokens)?;
        Some(f64::from(a.min(b)) / f64::from(a.max(b).max(1)))
    }

    /// Returns the number of equal min-values at equal indexes, 0 to 84: 84 times the estimated resemblance (Henzinger
    /// 2006, 2).
    pub fn agreement(&self) -> Option<u32> {
        self.a.min_bytes.as_ref().zip(self.b.min_bytes.as_ref()).map(|(a, b)| agreement(a, b))
    }

    /// Returns the estimated resemblance of the contents, the share of equal min-values (Broder 1997; Henzinger 2006,
    /// 2: it approximates "the percentage of unique shingles on which the two pages d and d' agree").
    pub fn resemblance(&self) -> Option<f64> {
        self.agreement().map(resemblance_of)
    }

    /// Returns whether title or first heading agree ([`Headings`]); `None` if neither is known for both documents.
    pub fn same_heading(&self) -> Option<bool> {
        self.agreement()?;
        if let Some((a, b)) = self.a.profile.as_ref().zip(self.b.profile.as_ref())
            && [(&a.title, &b.title), (&a.headings, &b.headings)].iter().any(|(a, b)| are_equal(a, b))
        {
            return Some(true);
        }
        let headings = match self.of_a {
            Some(derived) => *derived.headings.get_or_init(|| self.a.headings()),
            None => self.a.headings(),
        };
        headings?.agree(&self.b.headings()?)
    }

    /// Returns the two profiles, and the number of equal min-values of long shingles; `None` if either document has no
    /// profile.
    pub(crate) fn profiles(&self) -> Option<(&'a Profile, &'a Profile, u32)> {
        Some((self.a.profile.as_ref()?, self.b.profile.as_ref()?, self.agreement()?))
    }

    /// Returns the evidence of the two texts without the names of the pages; `None` if either document has no profile.
    pub(crate) fn evidence_of_texts(&self) -> Option<Evidence<'a>> {
        let (a, b, agreement) = self.profiles()?;
        Some(Evidence::of_texts(a, b, agreement))
    }

    /// Returns the features of the pair, given the evidence of the two texts without the names of the pages.
    pub(crate) fn features_of(&self, texts: Evidence<'a>) -> FeatureValues {
        *self.features.get_or_init(|| FeatureValues::of_evidence(&self.with_names(texts)))
    }

    /// Returns this evidence of the two texts with the names of the pages.
    fn with_names(&self, texts: Evidence<'a>) -> Evidence<'a> {
        let (Some(a), Some(b)) = (&self.a.profile, &self.b.profile) else { return texts };
        if !Names::are_compared(a, b) {
            return texts;
        }
        match self.of_a {
            Some(derived) => texts.with(derived.names.get_or_init(|| Names::of(a)), &Names::of(b)),
            None => texts.with(&Names::of(a), &Names::of(b)),
        }
    }
}

/// Returns whether there are words that are no numbers, and both have the same ones in the same order.
fn are_equal(a: &LeadingWords, b: &LeadingWords) -> bool {
    a.plain().next().is_some() && a.plain().eq(b.plain())
}

#[cfg(test)]
mod tests {
    use nddb_format::record::Record;
    use nddb_page::sketch::Recipe;
    use nddb_page::text::Page;
    use nddb_test_support::{Random, texts};

    use super::*;
    use crate::decider::Decider;
    use crate::measures::Measures;
    use crate::method::Method;
    use crate::methods::{Hamming, Model, all};
    use crate::verdict::Decision;

    /// Pages with equal and different texts, equal and different names, and some without parts of their sketches.
    fn documents(random: &mut Random) -> Vec<Record> {
        let texts = texts(12, 3);
        let recipe = Recipe::from_label("main-c/1").expect("a recipe");
        let mut documents = Vec::new();
        for index in 0..48 {
            let title = ["", "red fox", "red fox hunting", "blue whale"][random.index(4)];
            let (text, url) = (random.pick(&texts), format!("http://site{}.org/{index}", random.below(3)));
            let html = format!("<title>{title}</title><body><h1>{title}</h1><p>{text} {}</p>", index % 3);
            let page = Page { url: Some(&url), ..Page::html(&html) };
            let mut record = recipe.sketch(&page).record("a", Some(&url));
            match index % 8 {
                0 => record.profile = None,
                1 => record.min_bytes = None,
                2 => (record.digest, record.site) = (None, None),
                _ => (),
            }
            documents.push(record);
        }
        documents
    }

    #[test]
    fn what_is_kept_of_a_document_changes_no_verdict() {
        let records = documents(&mut Random(4));
        let hamming = Hamming::default();
        let mut methods: Vec<Box<dyn Method>> = all().into_iter().filter(|method| !method.needs_text()).collect();
        methods.push(Model { probability: 0.9, ..Model::default() }.into());
        for method in methods {
            for or_hamming in [Some(&hamming), None] {
                let decider = Decider::new(&*method, or_hamming);
                let (mut near, mut apart) = (0, 0);
                for a in &records {
                    let (known, derived) = (Known::of(a, None), Derived::default());
                    for b in &records {
                        let other = Known::of(b, None);
                        let same_site = a.site.as_ref().zip(b.site.as_ref()).map(|(a, b)| a == b);
                        let pair = DocumentPair::new(&known, &other, same_site);
                        let kept = DocumentPair::new(&known, &other, same_site).keeping(&derived);
                        let verdict = decider.judge(&pair);
                        assert_eq!(decider.judge(&kept), verdict, "{method}");
                        assert_eq!(Measures::of(&kept, &*method), Measures::of(&pair, &*method), "{method}");
                        near += usize::from(verdict.is_near());
                        apart += usize::from(verdict.decision == Decision::Apart);
                    }
                }
                assert!(near > 0 && (apart > 0) != method.is_by_distance(), "{method}: {near} {apart}");
            }
        }
    }

    /// The model does not compare names if the contents are too far apart, and the decision is the same as if it did.
    #[test]
    fn the_model_decides_by_its_probability() {
        let records = documents(&mut Random(5));
        for model in [Model::default(), Model { probability: 0.9, ..Model::default() }] {
            let mut near = [0, 0];
            for (a, b) in records.iter().flat_map(|a| records.iter().map(move |b| (a, b))) {
                let (a, b) = (Known::of(a, None), Known::of(b, None));
                let pair = DocumentPair::new(&a, &b, None);
                let probability = Model::features(&pair).map(|features| model.constants.probability(&features));
                let expected = match probability {
                    Some(probability) if probability >= model.probability => Decision::Near("model"),
                    Some(_) => Decision::Apart,
                    None => Decision::Unknown,
                };
                assert_eq!(model.judge(&pair).decision, expected, "{probability:?}");
                near[usize::from(expected == Decision::Apart)] += 1;
            }
            assert!(near[0] > 20 && near[1] > 20, "{near:?}");
        }
    }
}
