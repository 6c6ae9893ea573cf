//! Queries decided by a method, and their answers as lines.

use nddb::detect::{ALL_TRAITS, Method, NearDuplicate, OnlineDetector, PartedNearDuplicates, told};
use nddb::detect::{bounds, content_difference, read_page, term_difference};
use nddb::sketch::Recipe;
use nddb::{Document, Fingerprint};
use serde_json::{Value, json};

use super::asking::{Answering, Answers};
use super::parts::Parts;
use super::queries::{Query, masked};
use crate::failure::Result;
use crate::inputs::PageFile;
use crate::json::{self, Hex, Object};
use crate::judging::scores;

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
            answers.matches += self.line(query, &mut answers.lines)?;
            answers.lines.push(b'\n');
        }
        Ok(answers)
    }
}

/// What a line says of its query.
struct Asked<'a> {
    query: &'a str,
    fp: Option<Fingerprint>,
    method: Method,
}

impl Asked<'_> {
    /// Adds the fields before the matches.
    fn write(&self, count: u64, complete: bool, object: &mut Object<'_>) {
        object.field("query", self.query);
        object.field("fp", self.fp.map(Hex));
        object.field("method", self.method.name());
        object.field("count", count);
        object.field("complete", complete);
    }

    /// Appends the line of a query that cannot be answered.
    fn append_error(&self, complete: bool, why: &str, out: &mut Vec<u8>) {
        Object::append(out, |object| {
            self.write(0, complete, object);
            object.list("matches", [(); 0], |_, ()| ());
            object.field("error", why);
        });
    }
}

impl Judged<'_> {
    /// Appends the answer to one query; returns the number of matches.
    fn line(&self, query: &Query, out: &mut Vec<u8>) -> Result<u64> {
        match query {
            Query::Print(fingerprint) => {
                let page = Err("of the query only the fingerprint is known".into());
                let document = Document::bare("query", *fingerprint)?;
                let answer = self.online.ask_parts(&self.parts.federation, &document, None)?;
                Ok(self.judge(&self.asked(&fingerprint.to_string(), &document), &answer, &page, out))
            }
            Query::Stored(part, stored) => {
                // Only --why reads it.
                let read = if self.why { self.read(*part, stored) } else { Err(String::new()) };
                let page = read.as_ref().ok().map(PageFile::page);
                let answer = self.online.ask_stored_in(&self.parts.federation, (*part, stored), page.as_ref());
                let asked = Asked {
                    query: &stored.record.id,
                    fp: (!stored.unprinted).then_some(stored.fingerprint),
                    method: self.online.method_for_stored(stored),
                };
                match answer {
                    Ok(answer) => Ok(self.judge(&asked, &answer, &read.as_ref().map_err(String::clone), out)),
                    // One document of many of which nothing is known.
                    Err(error @ nddb::Error::Method { .. }) => {
                        asked.append_error(false, &crate::failure::chain(&error), out);
                        Ok(0)
                    }
                    Err(error) => Err(error.into()),
                }
            }
            Query::Page(page) => {
                let document = &page.document;
                let answer = self.online.ask_parts(&self.parts.federation, document, Some(&page.file.page()))?;
                Ok(self.judge(&self.asked(&page.path.display().to_string(), document), &answer, &Ok(&page.file), out))
            }
            Query::Missing(id) => {
                let asked = Asked { query: id, fp: None, method: self.online.method };
                asked.append_error(true, "no such document", out);
                Ok(0)
            }
        }
    }

    fn asked<'q>(&self, query: &'q str, document: &Document) -> Asked<'q> {
        let fp = masked(document, self.parts.federation.settings().bits);
        let method = self.online.method_for(document);
        Asked { query, fp: (!document.is_unprinted()).then_some(fp), method }
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

    /// Appends what is like a document, and returns the number of matches; `page` is where its tokens can be had, else
    /// why not.
    fn judge(
        &self,
        asked: &Asked<'_>,
        answer: &PartedNearDuplicates,
        page: &Result<&PageFile, String>,
        out: &mut Vec<u8>,
    ) -> u64 {
        let PartedNearDuplicates { matches, count, complete } = answer;
        let shown = matches.iter().take(self.limit.unwrap_or(usize::MAX));
        Object::append(out, |object| {
            asked.write(*count, *complete, object);
            object.list("matches", shown, |object, (part, alike)| self.alike(*part, alike, page, object));
        });
        *count
    }

    /// Adds the fields of a match.
    fn alike(&self, part: usize, alike: &NearDuplicate, page: &Result<&PageFile, String>, object: &mut Object<'_>) {
        object.field("id", &*alike.id);
        json::write_db(self.parts.name(part), object);
        object.field("fp", alike.fingerprint.map(Hex));
        object.field("distance", alike.evidence.distance);
        object.field("url", alike.url.as_deref());
        object.field("site", alike.site.as_deref());
        for (name, score) in scores(&alike.evidence, alike.probability) {
            object.field(name, score);
        }
        object.field("rule", &*alike.verdict());
        if self.why {
            object.field("why", self.why(part, alike, page));
        }
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
        let difference = rules.max_difference.map(|most| {
            let value = evidence.difference;
            json!({"name": "difference", "value": value, "at_most": most, "holds": value.map(|value| value <= most)})
        });
        let bounds: Vec<Value> = bounds(rules, method, evidence)
            .iter()
            .map(|bound| {
                let kind = if bound.at_most { "at_most" } else { "at_least" };
                json!({"name": bound.name, "value": bound.value, kind: bound.threshold, "holds": bound.holds()})
            })
            .chain(probability)
            .chain(difference)
            .chain(texts)
            .collect();
        let (terms, unread) = match self.terms(part, alike, page) {
            Ok(terms) => (terms, Value::Null),
            Err(why) => (Value::Null, why.into()),
        };
        let evidence = self.evidence(alike);
        json!({
            "identical": alike.evidence.identical,
            "bounds": bounds,
            "evidence": evidence,
            "terms": terms,
            "unread": unread,
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
        let stored = self.parts.federation.parts()[part].get(&alike.id).map_err(|error| crate::failure::chain(&error));
        let stored = stored.and_then(|stored| stored.ok_or_else(|| "it is gone".into()));
        let other = stored.and_then(|stored| self.read(part, &stored));
        let other = other.map_err(|why| format!("the match cannot be read: {why}"))?;
        let recipe = Recipe::of_any_version(&self.parts.federation.settings().recipe);
        let (of, difference) = match recipe {
            Some(recipe) if recipe.has_profile() => ("main content", content_difference(&page.page(), &other.page())),
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
        Ok(json!({
            "of": of,
            "only_query": difference.removed,
            "only_match": difference.added,
            "edits": edits,
            "more": more,
        }))
    }
}
