//! A document that is compared with one candidate after the other.

use std::cell::OnceCell;

use nddb_page::sketch::LeadingWords;
use nddb_page::text::Headings;

use super::decider::Decider;
use super::definition::Besides;
use super::evidence::Evidence;
use super::known::Known;
use super::names::Names;
use super::registry::Method;
use super::rules::Decision;
use super::traits::{Traits, log_odds};

/// A document, and what all its comparisons need of it. Many candidates are apart, and of these no more is computed
/// than says so.
pub struct Asked<'a> {
    /// The sketches of the document.
    pub known: Known<&'a str>,
    /// How a pair is decided.
    pub decider: Decider<'a>,
    /// Of the least probability of the model.
    log_odds: f64,
    names: OnceCell<Option<Names>>,
    headings: OnceCell<Option<Headings>>,
}

impl<'a> Asked<'a> {
    /// Returns a document that is to be compared with candidates.
    pub fn new(known: Known<&'a str>, decider: Decider<'a>) -> Self {
        let log_odds = log_odds(decider.rules.probability);
        Self { known, decider, log_odds, names: OnceCell::new(), headings: OnceCell::new() }
    }

    fn names(&self) -> Option<&Names> {
        self.names.get_or_init(|| self.known.profile.as_ref().map(Names::of)).as_ref()
    }

    fn same_heading(&self, other: &Known<&str>, evidence: &Evidence) -> Option<bool> {
        if let Some((a, b, _)) = self.known.compared(other, evidence)
            && [(&a.title, &b.title), (&a.headings, &b.headings)].iter().any(|(a, b)| are_equal(a, b))
        {
            return Some(true);
        }
        self.known.same_heading(*self.headings.get_or_init(|| self.known.headings()), other, evidence)
    }

    /// Returns the evidence of the pair with another document that decides, but for the distance, and the decision;
    /// `None` if the two are apart whatever the distance is.
    pub fn evidence_unless_apart(&self, other: &Known<&str>) -> Option<(Evidence, Decision)> {
        let mut evidence = self.known.evidence_of_sketches(other);
        let besides = self.decider.method.definition().besides;
        if besides != Besides::Nothing {
            evidence.same_site = self.known.same_site(other);
        }
        if besides == Besides::SiteAndHeadings {
            evidence.same_heading = self.same_heading(other, &evidence);
        }
        if self.decider.method == Method::Model && !evidence.identical {
            evidence.traits = self.traits_unless_apart(other, &evidence)?;
        }
        if self.decider.rules.max_difference.is_some() {
            evidence.difference = self.known.difference(other, &evidence);
        }
        let decision = self.decider.decide(&evidence);
        (decision != Decision::Apart).then_some((evidence, decision))
    }

    /// Adds the evidence that did not decide.
    pub fn complete(&self, other: &Known<&str>, evidence: &mut Evidence) {
        evidence.traits = evidence.traits.or_else(|| self.traits(other, evidence));
        evidence.difference = evidence.difference.or_else(|| self.known.difference(other, evidence));
        evidence.same_site = evidence.same_site.or_else(|| self.known.same_site(other));
        evidence.same_heading = evidence.same_heading.or_else(|| self.same_heading(other, evidence));
    }

    fn traits(&self, other: &Known<&str>, evidence: &Evidence) -> Option<Traits> {
        let (a, b, agreement) = self.known.compared(other, evidence)?;
        Some(Traits::of_contents(a, b, agreement).named(self.names()?, &Names::of(b)))
    }

    /// As [`Asked::traits`], unless the model says by the contents alone that the two are apart; then `None`.
    fn traits_unless_apart(&self, other: &Known<&str>, evidence: &Evidence) -> Option<Option<Traits>> {
        let Some((a, b, agreement)) = self.known.compared(other, evidence) else {
            return Some(None);
        };
        let contents = Traits::of_contents(a, b, agreement);
        let may_be_near = self.decider.rules.model.may_reach(&contents, self.log_odds);
        may_be_near.then(|| Some(contents.named(self.names()?, &Names::of(b))))
    }
}

/// Returns whether there are words that are no numbers, and they are the same in the same order.
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
    use crate::rules::Rules;

    /// Pages of one text and several, of one name and several, and without parts of their sketches.
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
                1 => record.min_values = None,
                2 => (record.digest, record.site) = (None, None),
                _ => (),
            }
            documents.push(record);
        }
        documents
    }

    fn known(record: &Record) -> Known<&str> {
        Known::of(record, None)
    }

    #[test]
    fn what_is_not_apart_has_all_its_evidence() {
        let mut random = Random(4);
        let documents = documents(&mut random);
        for method in Method::ALL.into_iter().filter(|method| !method.needs_text()) {
            for (rules, or_simhash) in [
                (Rules::default(), true),
                (Rules { probability: 0.9, ..Rules::default() }, false),
                (Rules { max_difference: Some(0.2), ..Rules::default() }, true),
            ] {
                let decider = Decider::new(method, &rules, or_simhash);
                let mut apart = 0;
                for a in &documents {
                    let asked = Asked::new(known(a), decider);
                    for b in &documents {
                        let whole = known(a).evidence(&known(b));
                        let decision = decider.decide(&whole);
                        match asked.evidence_unless_apart(&known(b)) {
                            Some((mut evidence, found)) => {
                                asked.complete(&known(b), &mut evidence);
                                assert_eq!((evidence, found), (whole, decision), "{method}");
                            }
                            None => {
                                assert_eq!(decision, Decision::Apart, "{method}");
                                apart += 1;
                            }
                        }
                    }
                }
                assert_eq!(apart > 0, method != Method::Simhash, "{method}");
            }
        }
    }
}
