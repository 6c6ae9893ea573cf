//! Queries decided by a method, and their answers as lines.

use std::cell::OnceCell;

use nddb_dedup::{
    NearDuplicate, OnlineDetector, PairLoss, PartedNearDuplicates, WordSource, compared, content_difference, read_page,
    term_difference, whole_difference,
};
use nddb_index::{Document, Fingerprint, View};
use nddb_page::sketch::Recipe;
use nddb_page::text::compared_text;
use nddb_verdict::{self as verdict, Bound, Piece, Words};
use serde_json::{Value, json};

use super::asking::{Answering, Answers};
use super::{NamedFederation, PageFile, Query, masked};
use crate::error::{Result, chain};
use crate::fields::{self, Field, PairLossValues};
use crate::json::{Hex, Id, Object};

/// Maximum number of printed edits of a match, and of tokens of each edit.
const EDITS_MAX: usize = 20;

/// How queries are judged.
pub struct Judged<'a> {
    /// The databases.
    pub parts: &'a NamedFederation<'a>,
    /// The method, and its limits.
    pub online: OnlineDetector,
    /// Maximum number of matches that are listed of each query.
    pub limit: Option<usize>,
    /// Whether matches have their scores with thresholds, and the tokens that differ.
    pub why: bool,
    /// The other database, if the queries are its documents.
    pub outside: Option<View<'a>>,
    /// Whether only queries with a match get a line, and their ids are collected.
    pub only_matched: bool,
}

impl Answering for Judged<'_> {
    const PIECE: usize = 64;

    fn answer(&self, queries: &[Query]) -> Result<Answers> {
        Answers::in_lines(queries, self.only_matched, |query, out| self.line(query, out))
    }
}

/// The query, for the output line.
struct Asked<'a> {
    query: &'a str,
    fp: Option<Fingerprint>,
    method: &'static str,
    /// The document of the query, for `--why`.
    document: Option<Document>,
    /// Its compared text, if a database keeps words, and the words of this text.
    text: Option<String>,
    words: OnceCell<Words>,
}

impl Asked<'_> {
    /// Adds the fields before the matches.
    // Reference of query: a line for each page or document, before its `matches`
    fn write(&self, count: u64, complete: bool, object: &mut Object<'_>) {
        object.field("query", Id(self.query)); // the id, file or fingerprint
        object.field("fp", self.fp.map(Hex));
        object.field("method", self.method);
        object.field("count", count); // all matches, also those beyond --limit; a lower bound if `complete` is false
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
                // Only --why reads the document.
                let view = self.parts.federation.parts()[*part];
                let read = if self.why { read(view, stored) } else { Err(String::new()) };
                let page = read.as_ref().ok().map(PageFile::page);
                let answer = self.online.ask_stored_in(&self.parts.federation, (*part, stored), page.as_ref());
                let asked = Asked {
                    query: &stored.record.id,
                    fp: (!stored.unprinted).then_some(stored.fingerprint),
                    method: self.online.method_for_stored(stored).name(),
                    document: self.why.then(|| Document::from((**stored).clone())),
                    text: stored.record.words.clone(),
                    words: OnceCell::new(),
                };
                match answer {
                    Ok(answer) => Ok(self.judge(&asked, &answer, &read.as_ref().map_err(String::clone), out)),
                    Err(error) => Self::unanswered(&asked, error, out),
                }
            }
            Query::Outside(stored) => {
                let document = Document::from((**stored).clone());
                let outside = self.outside.filter(|_| self.why || self.online.verify.is_some());
                let read = outside.map_or_else(|| Err(String::new()), |view| read(view, stored));
                let asked = self.asked(&stored.record.id, &document);
                match self.online.ask_parts(
                    &self.parts.federation,
                    &document,
                    read.as_ref().ok().map(PageFile::page).as_ref(),
                ) {
                    Ok(answer) => Ok(self.judge(&asked, &answer, &read.as_ref().map_err(String::clone), out)),
                    Err(error) => Self::unanswered(&asked, error, out),
                }
            }
            Query::Page(page) => {
                let document = &page.document;
                let answer = self.online.ask_parts(&self.parts.federation, document, Some(&page.file.page()))?;
                let path = page.path.display().to_string();
                let keeps_words = self.parts.federation.parts().iter().any(|view| view.settings().keeps_words);
                let text = keeps_words.then(|| compared_text(&page.file.page()));
                let asked = Asked { text, ..self.asked(&path, document) };
                Ok(self.judge(&asked, &answer, &Ok(&page.file), out))
            }
            Query::Missing(id) => {
                let method = self.online.method.name();
                let asked = Asked { query: id, fp: None, method, document: None, text: None, words: OnceCell::new() };
                asked.append_error(true, "no such document", out);
                Ok(0)
            }
        }
    }

    fn asked<'q>(&self, query: &'q str, document: &Document) -> Asked<'q> {
        let fp = masked(document, self.parts.federation.settings().bits);
        let method = self.online.method_for(document).name();
        let fp = (!document.is_unprinted()).then_some(fp);
        let fitted = || document.clone().fitted(self.parts.federation.settings().bits).ok();
        let text = document.record().words.clone();
        Asked { query, fp, method, document: self.why.then(fitted).flatten(), text, words: OnceCell::new() }
    }

    /// Appends the line of a document, among many, that cannot be judged.
    fn unanswered(asked: &Asked<'_>, error: nddb_index::Error, out: &mut Vec<u8>) -> Result<u64> {
        match error {
            nddb_index::Error::Method { .. } => {
                asked.append_error(false, &chain(&error), out);
                Ok(0)
            }
            error => Err(error.into()),
        }
    }

    /// Appends the matches of a document, and returns their number; `page` is the page for its tokens, or the reason
    /// why there is none.
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
            object.list("matches", shown, |object, (part, alike)| self.alike(asked, *part, alike, page, object));
        });
        *count
    }

    /// Adds the fields of a match.
    fn alike(
        &self,
        asked: &Asked<'_>,
        part: usize,
        alike: &NearDuplicate,
        page: &Result<&PageFile, String>,
        object: &mut Object<'_>,
    ) {
        object.field("id", Id(&alike.id));
        fields::write_db(self.parts.name(part), object);
        object.field("fp", alike.fingerprint.map(Hex));
        object.field("distance", alike.measures.count("distance"));
        object.field("url", alike.url.as_deref());
        object.field("site", alike.site.as_deref());
        for (name, score) in fields::scores(&alike.measures) {
            object.field(name, score);
        }
        object.field("rule", &*alike.verdict());
        let loss = self.loss(asked, part, alike);
        let values = PairLossValues::of(&loss);
        let fields = fields::OF_QUERY.iter().zip(values.cells());
        fields.for_each(|(column, cell)| object.field(column.name, Field(cell)));
        if self.why {
            object.field("why", self.why(asked, part, (alike, &loss), page));
        }
    }

    /// Returns what query and match lose, from the words of both if these are at hand.
    fn loss(&self, asked: &Asked<'_>, part: usize, alike: &NearDuplicate) -> PairLoss {
        let keeps_words = self.parts.federation.parts()[part].settings().keeps_words;
        let text = asked.text.as_deref().filter(|_| keeps_words && !alike.identical);
        let other = text.and_then(|_| self.stored(part, alike).ok()?.record.words);
        match text.zip(other) {
            Some((text, other)) => {
                let words = asked.words.get_or_init(|| Words::of(text));
                PairLoss::of_words(WordSource::Stored, words, &Words::of(&other))
            }
            None => alike.loss(),
        }
    }

    /// Returns the reason in a sentence, the measures with their thresholds, and the tokens that differ.
    fn why(
        &self,
        asked: &Asked<'_>,
        part: usize,
        (alike, loss): (&NearDuplicate, &PairLoss),
        page: &Result<&PageFile, String>,
    ) -> Value {
        let other = self.stored(part, alike);
        let explained = asked.document.as_ref().zip(other.as_ref().ok()).map(|(document, other)| {
            compared(document, &Document::from(other.clone()), |pair| {
                (fields::sentence(loss, pair), self.online.decider().explain(pair))
            })
        });
        let (sentence, told) = explained.unzip();
        let (of_method, evidence) = told.map_or_else(Default::default, |told| (told.bounds, told.evidence));
        let measures = &alike.measures;
        // A match may be near by either method.
        let verify = self.online.verify.as_ref().filter(|_| alike.verified.is_some());
        let texts = verify
            .map(|verification| verification.lcs.limits(["lcs", "lcs_containment"].map(|name| measures.share(name))));
        let bounds = of_method.iter().chain(texts.iter().flatten());
        let (terms, unread) = match other.and_then(|other| self.terms(part, (&other, alike.identical), page)) {
            Ok(terms) => (terms, Value::Null),
            Err(why) => (Value::Null, why.into()),
        };
        // Reference of query: `why` of a match
        json!({
            "sentence": sentence, // the reason, in at most 20 words
            "identical": alike.identical, // whether the texts are equal
            // the numbers that the rule compares: `name`, `value`, `at_least`, `at_most` or `above`, `holds`
            "bounds": bounds.map(bound).collect::<Vec<_>>(),
            // pieces of evidence of the model: `name`, `says`, and what each `adds` to the log-odds of the
            // probability
            "evidence": if evidence.is_empty() { Value::Null } else { evidence.iter().map(piece).collect() },
            "terms": terms, // how the terms differ; null if a page cannot be read again
            "unread": unread, // why it cannot be read
        })
    }

    /// Reads the record of a match again; the error is the reason why this is impossible.
    fn stored(&self, part: usize, alike: &NearDuplicate) -> Result<nddb_index::Stored, String> {
        let stored = self.parts.federation.parts()[part].get(&alike.id).map_err(|error| chain(&error));
        let stored = stored.and_then(|stored| stored.ok_or_else(|| "it is gone".into()));
        stored.map_err(|why| format!("the match cannot be read: {why}"))
    }

    /// Returns the difference between the tokens of the query and those of a match, or the reason why it is unknown.
    fn terms(
        &self,
        part: usize,
        (stored, identical): (&nddb_index::Stored, bool),
        page: &Result<&PageFile, String>,
    ) -> Result<Value, String> {
        let page = page.as_ref().map_err(|why| format!("the query cannot be read: {why}"))?;
        let other = read(self.parts.federation.parts()[part], stored)
            .map_err(|why| format!("the match cannot be read: {why}"))?;
        let recipe = Recipe::of_any_version(&self.parts.federation.settings().recipe);
        let (of, difference) = match recipe {
            Some(recipe) if recipe.has_profile() => {
                match content_difference(&page.page(), &other.page()) {
                    // The content is the same; what differs is around it.
                    Some(difference) if difference.edits.is_empty() && !identical => {
                        ("whole text", whole_difference(&page.page(), &other.page()))
                    }
                    difference => ("main content", difference),
                }
            }
            _ => ("page", term_difference(&page.page(), &other.page())),
        };
        let difference = difference.ok_or("they differ in more than 4,000 tokens")?;
        let words = |terms: &[String]| match terms.get(..EDITS_MAX) {
            Some(first) if first.len() < terms.len() => {
                format!("{} [{} more]", first.join(" "), terms.len() - first.len())
            }
            _ => terms.join(" "),
        };
        let edits: Vec<Value> = difference
            .edits
            .iter()
            .take(EDITS_MAX)
            .map(|edit| json!({"query": words(&edit.removed), "match": words(&edit.added)}))
            .collect();
        let more = difference.edits.len() - edits.len();
        // Reference of query: `terms` of `why`
        Ok(json!({
            "of": of, // what is compared
            "only_query": difference.removed, // number of terms
            "only_match": difference.added, // number of terms
            // the first 20: terms of `query` and `match`, the first 20 of each and the number of the others in brackets
            "edits": edits,
            "more": more, // number of further edits
        }))
    }
}

/// Reads the page of a stored document again.
fn read(view: View<'_>, stored: &nddb_index::Stored) -> Result<PageFile, String> {
    let entry = match read_page(view, &stored.record) {
        Ok(Ok(entry)) => entry,
        Ok(Err(unread)) => return Err(unread.to_string()),
        Err(error) => return Err(chain(&error)),
    };
    Ok(PageFile { body: entry.body, kind: entry.kind, charset: entry.charset, url: entry.url })
}

/// Returns a measure with its threshold.
fn bound(bound: &Bound) -> Value {
    let number = |value| match value {
        verdict::Value::Count(count) => json!(count),
        verdict::Value::Share(share) => json!(share),
        verdict::Value::Flag(flag) => json!(flag),
    };
    let (kind, threshold) = (bound.limit.kind(), number(bound.limit.value()));
    json!({"name": bound.name, "value": bound.value.map(number), kind: threshold, "holds": bound.holds()})
}

/// Returns a piece of evidence, and its contribution to the log-odds that the two documents are near-duplicates.
fn piece(piece: &Piece) -> Value {
    // Adding 0.0 avoids the negative zero.
    let adds = (piece.adds * 1e3).round() / 1e3 + 0.0;
    json!({"name": piece.name, "says": piece.says, "adds": adds})
}
