//! Queries decided by a method, and their answers as lines.

use std::io::Write;

use nddb::detect::{ALL_TRAITS, Method, NearDuplicate, OnlineDetector, PartedNearDuplicates, told};
use nddb::detect::{bounds, content_difference, main_content_difference, read_page, term_difference};
use nddb::sketch::Recipe;
use nddb::{Document, Stored};
use serde_json::{Map, Value, json};

use super::asking::{Answering, Answers};
use super::parts::Parts;
use super::queries::{Query, masked};
use crate::failure::Result;
use crate::inputs::PageFile;
use crate::judging::add_evidence;

/// Most edits that are printed of a match, and most tokens of each.
const EDITS_MAX: usize = 20;

/// How queries are judged.
pub(super) struct Judged<'a> {
    pub(super) parts: &'a Parts<'a>,
    pub(super) online: OnlineDetector,
    pub(super) limit: Option<usize>,
    pub(super) why: bool,
}

impl Answering for Judged<'_> {
    const PIECE: usize = 64;

    fn answer(&self, queries: &[Query]) -> Result<Answers> {
        let mut answers = Answers::default();
        for query in queries {
            let (matches, line) = self.line(query)?;
            answers.matches += matches;
            writeln!(answers.lines, "{line}").expect("memory is writable");
        }
        Ok(answers)
    }
}

impl Judged<'_> {
    /// The answer to one query as a line.
    fn line(&self, query: &Query) -> Result<(u64, Value)> {
        match query {
            Query::Print(fingerprint) => {
                let page = Err("of the query only the fingerprint is known".into());
                let document = Document::bare("query", *fingerprint)?;
                let asked = self.online.ask_parts(&self.parts.federation, &document, None);
                self.judge(&fingerprint.to_string(), &document, asked, page)
            }
            Query::Stored(part, stored) => {
                // Only --why reads it.
                let read = if self.why { self.read(*part, stored) } else { Err(String::new()) };
                let document = Document::from(Stored::clone(stored));
                let page = read.as_ref().ok().map(PageFile::page);
                let asked = self.online.ask_stored_in(&self.parts.federation, (*part, stored), page.as_ref());
                self.judge(&stored.record.id, &document, asked, read.as_ref().map_err(String::clone))
            }
            Query::Page(page) => {
                let asked = self.online.ask_parts(&self.parts.federation, &page.document, Some(&page.file.page()));
                self.judge(&page.path.display().to_string(), &page.document, asked, Ok(&page.file))
            }
            Query::Missing(id) => {
                let (method, why) = (self.online.method.name(), "no such document");
                let line = json!({
                    "query": id, "fp": null, "method": method, "count": 0, "complete": true, "matches": [],
                    "error": why,
                });
                Ok((0, line))
            }
        }
    }

    /// Reads the page of a stored document again.
    fn read(&self, part: usize, stored: &nddb::Stored) -> Result<PageFile, String> {
        let entry = match read_page(self.parts.federation.parts()[part], &stored.record) {
            Ok(Ok(entry)) => entry,
            Ok(Err(unread)) => return Err(unread.to_string()),
            Err(error) => return Err(crate::failure::chain(&error)),
        };
        Ok(PageFile { body: entry.body, kind: entry.kind, charset: entry.charset, url: entry.url })
    }

    /// The line of what is like a document; `page` is where its tokens can be had, else why not.
    fn judge(
        &self,
        name: &str,
        document: &Document,
        asked: nddb::Result<PartedNearDuplicates>,
        page: Result<&PageFile, String>,
    ) -> Result<(u64, Value)> {
        let method = self.online.method_for(document).name();
        let fp = masked(document, self.parts.federation.settings().bits).to_string();
        let fp = (!document.is_unprinted()).then_some(fp);
        let PartedNearDuplicates { matches, count, complete } = match asked {
            Ok(alikes) => alikes,
            // One document of many of which nothing is known.
            Err(error @ nddb::Error::Method { .. }) if document.id() != "query" => {
                let line = json!({
                    "query": name, "fp": fp, "method": method, "count": 0, "complete": false, "matches": [],
                    "error": crate::failure::chain(&error),
                });
                return Ok((0, line));
            }
            Err(error) => return Err(error.into()),
        };
        let shown = matches.iter().take(self.limit.unwrap_or(usize::MAX));
        let shown: Vec<Value> = shown.map(|(part, alike)| self.alike(*part, alike, &page)).collect();
        let line = json!({
            "query": name, "fp": fp, "method": method, "count": count, "complete": complete, "matches": shown,
        });
        Ok((count, line))
    }

    fn alike(&self, part: usize, alike: &NearDuplicate, page: &Result<&PageFile, String>) -> Value {
        let (stored, record) = (&alike.stored, &alike.stored.record);
        let mut object = Map::new();
        object.insert("id".into(), json!(record.id));
        if let Some(name) = self.parts.name(part) {
            object.insert("db".into(), json!(name));
        }
        object.insert("fp".into(), json!((!stored.unprinted).then(|| stored.fingerprint.to_string())));
        object.insert("distance".into(), json!(alike.evidence.distance));
        object.insert("url".into(), json!(record.url));
        object.insert("site".into(), json!(record.site));
        add_evidence(&mut object, Some(alike));
        if self.why {
            object.insert("why".into(), self.why(part, alike, page));
        }
        object.into()
    }

    /// The numbers against their thresholds, and the tokens that differ.
    fn why(&self, part: usize, alike: &NearDuplicate, page: &Result<&PageFile, String>) -> Value {
        let (rules, evidence) = (&self.online.rules, &alike.evidence);
        // Near by either of the two.
        let texts = [
            ("lcs", evidence.lcs_resemblance, rules.lcs.resemblance),
            ("lcs_containment", evidence.lcs_containment, rules.lcs.containment),
        ];
        let texts = texts.iter().filter(|_| alike.verified.is_some()).map(|(name, value, threshold)| {
            json!({"name": name, "value": value, "above": threshold, "holds": value.map(|value| value > *threshold)})
        });
        let method = if alike.rule == Method::Simhash.name() { Method::Simhash } else { self.online.method };
        let least = rules.probability;
        let probability = (method == Method::Model).then(|| {
            let holds = alike.probability.map(|value| value >= least);
            json!({"name": "probability", "value": alike.probability, "at_least": least, "holds": holds})
        });
        let bounds: Vec<Value> = bounds(rules, method, evidence)
            .iter()
            .map(|bound| {
                let kind = if bound.at_most { "at_most" } else { "at_least" };
                json!({"name": bound.name, "value": bound.value, kind: bound.threshold, "holds": bound.holds()})
            })
            .chain(probability)
            .chain(texts)
            .collect();
        let (terms, unread) = match self.terms(part, alike, page) {
            Ok(terms) => (terms, Value::Null),
            Err(why) => (Value::Null, why.into()),
        };
        let evidence = self.evidence(alike);
        json!({
            "identical": alike.evidence.identical, "bounds": bounds, "evidence": evidence, "terms": terms, "unread": unread,
        })
    }

    /// What each piece of evidence says, and what it adds to the log-odds that the two are near-duplicates; the
    /// probability is 1 / (1 + exp(-sum)).
    fn evidence(&self, alike: &NearDuplicate) -> Value {
        let model = &self.online.rules.model;
        let Some(traits) = alike.evidence.traits else { return Value::Null };
        // Not the zero with a sign.
        let rounded = |value: f64| (value * 1e3).round() / 1e3 + 0.0;
        let first = json!({"name": "constant", "says": "before any evidence", "adds": rounded(model.constant)});
        let parts = model.parts(&traits).into_iter().enumerate().map(|(index, adds)| {
            let says = told(index, traits.values[index]);
            json!({"name": ALL_TRAITS[index].name, "says": says, "adds": rounded(adds)})
        });
        std::iter::once(first).chain(parts).collect()
    }

    /// What differs between the tokens of the query and those of a match; else why that is not known.
    fn terms(&self, part: usize, alike: &NearDuplicate, page: &Result<&PageFile, String>) -> Result<Value, String> {
        let page = page.as_ref().map_err(|why| format!("the query cannot be read: {why}"))?;
        let other = self.read(part, &alike.stored).map_err(|why| format!("the match cannot be read: {why}"))?;
        let recipe = Recipe::of_any_version(&self.parts.federation.settings().recipe);
        let (of, difference) = match recipe {
            Some(recipe) if recipe.has_profile() => ("main content", content_difference(&page.page(), &other.page())),
            Some(recipe) if recipe.is_of_main_content() => {
                ("main content", main_content_difference(&page.page(), &other.page()))
            }
            _ => ("page", term_difference(&page.page(), &other.page())),
        };
        let difference = difference.ok_or("they differ in more than 4,000 tokens")?;
        let words = |terms: &[String]| terms[..terms.len().min(EDITS_MAX)].join(" ");
        let edits: Vec<Value> = difference
            .edits
            .iter()
            .take(EDITS_MAX)
            .map(|edit| json!({"query": words(&edit.removed), "match": words(&edit.added)}))
            .collect();
        let more = difference.edits.len() - edits.len();
        Ok(
            json!({"of": of, "only_query": difference.removed, "only_match": difference.added, "edits": edits, "more": more}),
        )
    }
}
