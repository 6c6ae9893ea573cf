//! Queries that are judged by a method, and their answers as lines.

use std::path::Path;

use nddb::detect::online::{bounds, content_difference, read_page, term_difference};
use nddb::detect::{Alike, Alikes, Method, Online};
use nddb::sketch::Recipe;
use nddb::text::PageKind;
use nddb::{Document, Fingerprint, View};
use nddb_format::fingerprint::low_mask;
use serde_json::{Map, Value, json};

use super::What;
use crate::args::Global;
use crate::database;
use crate::failure::{Code, Result};
use crate::inputs::{self, PageFile};
use crate::judging::add_evidence;
use crate::output::Output;
use crate::parallel;

/// Queries of one piece of work for a thread.
const PIECE: usize = 64;
/// Queries that are held at a time where the number of all is not known.
const HELD: usize = 16 * PIECE;
/// Most edits that are printed of a match, and most tokens of each.
const EDITS_MAX: usize = 20;

/// A query.
enum Query {
    Document {
        /// How the user named it: an id, a file, a fingerprint.
        name: String,
        document: Box<Document>,
        /// Where it can be had, for term differences; else why not.
        page: Result<PageFile, String>,
    },
    /// An id that is not stored.
    Missing { name: String },
}

/// How queries are asked.
pub(super) struct Judged<'a> {
    pub(super) view: View<'a>,
    pub(super) online: Online,
    pub(super) limit: Option<usize>,
    pub(super) why: bool,
    pub(super) url: Option<&'a str>,
    pub(super) threads: usize,
}

impl Judged<'_> {
    /// Asks all queries that the user names. Returns the number of matches, and how it went.
    pub(super) fn run(&self, what: &What, global: &Global) -> Result<(u64, Code)> {
        let mut output = Output::stdout();
        let (mut matches, mut code) = (0, Code::Done);
        if what.all {
            let mut held = Vec::with_capacity(HELD);
            let mut failed = None;
            self.view.each(&mut |stored| {
                held.push(self.stored(stored));
                if held.len() == HELD {
                    failed = self.ask(&held, &mut output, &mut matches).err();
                    held.clear();
                }
                Ok(failed.is_none())
            })?;
            match failed {
                Some(failure) => return Err(failure),
                None => self.ask(&held, &mut output, &mut matches)?,
            }
        } else {
            let queries = self.queries(what, global, &mut code)?;
            self.ask(&queries, &mut output, &mut matches)?;
        }
        output.flush()?;
        Ok((matches, code))
    }

    /// Collects the queries that the user names.
    fn queries(&self, what: &What, global: &Global, code: &mut Code) -> Result<Vec<Query>> {
        let mut prints = what.fp.clone();
        if let Some(path) = &what.fp_file {
            prints.extend(inputs::fingerprints(path)?);
        }
        super::check_width(prints.iter().copied(), self.view)?;
        let mut queries = prints.into_iter().map(|print| self.bare(print)).collect::<Result<Vec<_>>>()?;
        for id in &what.id {
            queries.push(match self.view.get(id)? {
                Some(stored) => self.stored(stored),
                None => {
                    global.messages().warn(format!("no document '{id}'"));
                    *code = Code::Failed;
                    Query::Missing { name: id.clone() }
                }
            });
        }
        for (paths, kind) in [(&what.text, PageKind::Text), (&what.html, PageKind::Html)] {
            for path in paths {
                queries.push(self.page(path, kind)?);
            }
        }
        Ok(queries)
    }

    fn bare(&self, fingerprint: Fingerprint) -> Result<Query> {
        let document = Box::new(Document::bare("query", fingerprint)?);
        Ok(Query::Document {
            name: fingerprint.to_string(),
            document,
            page: Err("of the query only the fingerprint is known".into()),
        })
    }

    fn stored(&self, stored: nddb::Stored) -> Query {
        let page = if self.why { self.read(&stored) } else { Err(String::new()) };
        Query::Document { name: stored.record.id.clone(), document: Box::new(stored.into()), page }
    }

    fn page(&self, path: &Path, kind: PageKind) -> Result<Query> {
        let recipe = database::recipe(self.view.settings())?;
        let mut file = PageFile::read(path, Some(kind))?;
        file.url = self.url.map(str::to_owned);
        let document = Box::new(Document::from_page("query", &file.page(), &recipe)?);
        Ok(Query::Document { name: path.display().to_string(), document, page: Ok(file) })
    }

    /// Reads the page of a stored document again.
    fn read(&self, stored: &nddb::Stored) -> Result<PageFile, String> {
        let entry = match read_page(self.view, &stored.record) {
            Ok(Ok(entry)) => entry,
            Ok(Err(unread)) => return Err(unread.to_string()),
            Err(error) => return Err(crate::failure::chain(&error)),
        };
        Ok(PageFile { body: entry.body, kind: entry.kind, charset: entry.charset, url: entry.url })
    }

    /// Asks queries on all threads, and prints the answers in their order.
    fn ask(&self, queries: &[Query], output: &mut Output, matches: &mut u64) -> Result<()> {
        let mut pieces = queries.chunks(PIECE);
        let threads = self.threads.min(queries.len().div_ceil(PIECE));
        let answer = |piece: &[Query]| piece.iter().map(|query| self.answer(query)).collect::<Result<Vec<_>>>();
        parallel::in_order(
            threads,
            || pieces.next(),
            answer,
            |answers: Result<Vec<(u64, Value)>>| {
                for (count, line) in answers? {
                    *matches += count;
                    output.json(&line)?;
                }
                Ok(())
            },
        )
    }

    /// The answer to one query as a line.
    fn answer(&self, query: &Query) -> Result<(u64, Value)> {
        let (name, document, page) = match query {
            Query::Document { name, document, page } => (name, document, page),
            Query::Missing { name } => {
                let (method, why) = (self.online.method.name(), "no such document");
                let line = json!({
                    "query": name, "fp": null, "method": method, "count": 0, "complete": true, "matches": [],
                    "error": why,
                });
                return Ok((0, line));
            }
        };
        let method = self.online.method_for(document).name();
        let fp = Fingerprint(document.fingerprint().0 & low_mask(self.view.settings().bits)).to_string();
        let fp = (!document.is_unprinted()).then_some(fp);
        let asked = match page {
            Ok(page) => self.online.ask_page(self.view, document, &page.page()),
            Err(_) => self.online.ask(self.view, document),
        };
        let Alikes { matches, count, complete } = match asked {
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
        let shown: Vec<Value> = shown.map(|alike| self.alike(alike, page)).collect();
        let line = json!({
            "query": name, "fp": fp, "method": method, "count": count, "complete": complete, "matches": shown,
        });
        Ok((count, line))
    }

    fn alike(&self, alike: &Alike, page: &Result<PageFile, String>) -> Value {
        let (stored, record) = (&alike.stored, &alike.stored.record);
        let mut object = Map::new();
        object.insert("id".into(), json!(record.id));
        object.insert("fp".into(), json!((!stored.unprinted).then(|| stored.fingerprint.to_string())));
        object.insert("distance".into(), json!(alike.evidence.distance));
        object.insert("url".into(), json!(record.url));
        object.insert("site".into(), json!(record.site));
        add_evidence(&mut object, Some(alike));
        if self.why {
            object.insert("why".into(), self.why(alike, page));
        }
        object.into()
    }

    /// The numbers against their thresholds, and the tokens that differ.
    fn why(&self, alike: &Alike, page: &Result<PageFile, String>) -> Value {
        let (rules, evidence) = (&self.online.rules, &alike.evidence);
        // Near by either of the two.
        let texts = [
            ("lcs", evidence.lcs_resemblance, rules.lcs_resemblance),
            ("lcs_containment", evidence.lcs_containment, rules.lcs_containment),
        ];
        let texts = texts.iter().filter(|_| alike.verified.is_some()).map(|(name, value, threshold)| {
            json!({"name": name, "value": value, "above": threshold, "holds": value.map(|value| value > *threshold)})
        });
        let method = if alike.rule == Method::Simhash.name() { Method::Simhash } else { self.online.method };
        let bounds: Vec<Value> = bounds(rules, method, evidence)
            .iter()
            .map(|bound| {
                let kind = if bound.at_most { "at_most" } else { "at_least" };
                json!({"name": bound.name, "value": bound.value, kind: bound.threshold, "holds": bound.holds()})
            })
            .chain(texts)
            .collect();
        let (terms, unread) = match self.terms(alike, page) {
            Ok(terms) => (terms, Value::Null),
            Err(why) => (Value::Null, why.into()),
        };
        json!({"identical": alike.evidence.identical, "bounds": bounds, "terms": terms, "unread": unread})
    }

    /// What differs between the tokens of the query and those of a match; else why that is not known.
    fn terms(&self, alike: &Alike, page: &Result<PageFile, String>) -> Result<Value, String> {
        let page = page.as_ref().map_err(|why| format!("the query cannot be read: {why}"))?;
        let other = self.read(&alike.stored).map_err(|why| format!("the match cannot be read: {why}"))?;
        let recipe = Recipe::of_any_version(&self.view.settings().recipe);
        let (of, difference) = match recipe {
            Some(recipe) if recipe.is_of_main_content() => {
                ("main content", content_difference(&page.page(), &other.page()))
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
