//! One line of `nddb add`. Unlike in an archive, an unknown field is an error, since the document would be stored
//! without that field.

use std::fmt;

use nddb::detect::{document_of_page, document_with_words};
use nddb::sketch::{Recipe, RecipeError};
use nddb::text::Page;
use nddb::{Document, Fingerprint};
use nddb_format::fingerprint::low_mask;
use nddb_format::record::Settings;
use nddb_jobs::json;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::failure::chain;
use crate::inputs;

/// A valid line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DocumentLine {
    pub(super) id: String,
    url: Option<String>,
    body: Body,
}

#[derive(Debug, PartialEq, Eq)]
enum Body {
    Text(String),
    Html(String),
    Print(Fingerprint),
}

/// An invalid line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) id: Option<String>,
    pub(super) why: String,
}

/// Reads a line.
pub(super) fn parse(bytes: &[u8], ignore_unknown: bool) -> Result<DocumentLine, Wrong> {
    let wrong = |why: String| Wrong { id: None, why };
    let fields = match serde_json::from_slice(bytes) {
        Ok(Fields(fields)) => fields,
        Err(_) if bytes.trim_ascii().is_empty() => return Err(wrong("the line is empty".into())),
        Err(error) if error.is_data() => return Err(wrong("the line is not a JSON object".into())),
        Err(error) => return Err(wrong(format!("the line is not JSON: {error}"))),
    };
    let mut object = Map::new();
    let mut repeated = None;
    for (name, value) in fields {
        if object.contains_key(&name) {
            repeated.get_or_insert(name);
        } else {
            object.insert(name, value);
        }
    }
    let id = match object.remove("id") {
        Some(id) => json::id_of(id).map_err(|what| wrong(format!("field 'id' {what}")))?,
        None => return Err(wrong("field 'id' is missing".into())),
    };
    // Either of the two could be meant.
    if let Some(name) = repeated {
        let id = Some(id).filter(|_| name != "id");
        return Err(Wrong { id, why: format!("field '{name}' occurs twice") });
    }
    match rest(&mut object, ignore_unknown) {
        Ok((body, url)) => Ok(DocumentLine { id, url, body }),
        Err(why) => Err(Wrong { id: Some(id), why }),
    }
}

/// The fields of an object in their order, with repeated ones.
struct Fields(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}

fn rest(object: &mut Map<String, Value>, ignore_unknown: bool) -> Result<(Body, Option<String>), String> {
    let mut take = |name: &str| match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("field '{name}' is not a string")),
    };
    let (url, text, html, fp) = (take("url")?, take("text")?, take("html")?, take("fp")?);
    if let Some(name) = object.keys().next().filter(|_| !ignore_unknown) {
        return Err(format!(
            "unknown field '{name}'; fields are id, url, text, html, fp, and --ignore-unknown reads past all others"
        ));
    }
    let body = match (text, html, fp) {
        (Some(text), None, None) => Body::Text(text),
        (None, Some(html), None) => Body::Html(html),
        (None, None, Some(fp)) => Body::Print(inputs::hex(&fp).map_err(|why| format!("field 'fp' is '{fp}': {why}"))?),
        (None, None, None) => return Err("one of the fields text, html and fp is missing".into()),
        _ => return Err("there is more than one of the fields text, html and fp".into()),
    };
    Ok((body, url))
}

impl DocumentLine {
    /// Returns the page, or the fingerprint that is given instead.
    fn body(&self) -> Result<Page<'_>, Fingerprint> {
        let page = match &self.body {
            Body::Text(text) => Page::text(text),
            Body::Html(html) => Page::html(html),
            Body::Print(fingerprint) => return Err(*fingerprint),
        };
        Ok(Page { url: self.url.as_deref(), ..page })
    }

    /// Returns the page, unless only its fingerprint is given.
    pub(super) fn page(&self) -> Option<Page<'_>> {
        self.body().ok()
    }

    /// Makes the document, with its words if the database keeps them, or the document is judged by them.
    pub(super) fn document(
        &self,
        recipe: &Result<Recipe, RecipeError>,
        settings: &Settings,
        judged: bool,
    ) -> Result<Document, String> {
        let made = if settings.keeps_words || judged { document_with_words } else { document_of_page };
        let document = match self.body() {
            Ok(page) => made(&self.id, &page, recipe.as_ref().map_err(ToString::to_string)?),
            Err(fingerprint) if fingerprint.0 > low_mask(settings.bits) => {
                return Err(format!("fingerprint {fingerprint} is wider than the database's {} bits", settings.bits));
            }
            Err(fingerprint) => Document::bare(&self.id, fingerprint).map(|document| match &self.url {
                Some(url) => document.with_url(url, recipe.as_ref().copied().unwrap_or_default().site_of(url)),
                None => document,
            }),
        };
        document.map_err(|error| chain(&error))
    }
}

#[cfg(test)]
mod tests {
    use nddb::number_id;

    use super::*;

    fn why(text: &str) -> (Option<String>, String) {
        let wrong = parse(text.as_bytes(), false).expect_err(text);
        (wrong.id, wrong.why)
    }

    #[test]
    fn lines_that_make_sense() {
        let line = parse(br#"{"id":"a","text":"one two","url":null}"#, false).expect("a line");
        assert_eq!(line, DocumentLine { id: "a".into(), url: None, body: Body::Text("one two".into()) });
        let line = parse(br#"{"fp":"00000000000000ff","id":7,"url":"u"}"#, false).expect("a line");
        assert_eq!(line, DocumentLine { id: number_id(7), url: Some("u".into()), body: Body::Print(Fingerprint(255)) });
        assert!(parse(br#"{"id":"a","html":"<p>","lang":"en"}"#, true).is_ok());
    }

    #[test]
    fn lines_that_make_none_say_why_and_keep_their_id() {
        let cases = [
            ("", None, "the line is empty"),
            ("[]", None, "not a JSON object"),
            ("{", None, "not JSON"),
            (r#"{"text":"a"}"#, None, "'id' is missing"),
            (r#"{"id":1.5,"text":"a"}"#, None, "neither a string nor an integer"),
            (r#"{"id":"\u00017","text":"a"}"#, None, "begins with U+0001"),
            (r#"{"id":"a"}"#, Some("a"), "one of the fields"),
            (r#"{"id":"a","text":"b","fp":"00000000000000ff"}"#, Some("a"), "more than one"),
            (r#"{"id":"a","text":5}"#, Some("a"), "'text' is not a string"),
            (r#"{"id":"a","fp":"ff"}"#, Some("a"), "16 hexadecimal digits"),
            (r#"{"id":"a","text":"b","ulr":"c"}"#, Some("a"), "unknown field 'ulr'"),
            (r#"{"id":"a","text":"b","ulr":"c"}"#, Some("a"), "--ignore-unknown reads past"),
            (r#"{"id":"a","text":"b","text":"c"}"#, Some("a"), "field 'text' occurs twice"),
            (r#"{"id":"a","text":"b","id":"c"}"#, None, "field 'id' occurs twice"),
            (r#"7 "#, None, "not a JSON object"),
            (r#"{"id":"a","text":"b"} {}"#, None, "not JSON"),
        ];
        for (text, id, expected) in cases {
            let (found, why) = why(text);
            assert_eq!(found.as_deref(), id, "{text}");
            assert!(why.contains(expected), "{text}: {why}");
        }
    }
}
