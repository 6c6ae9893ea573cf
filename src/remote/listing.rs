//! Listings of stores in which names have empty parts, or parts of dots (`a//b`, `a/./b`).
//!
//! object_store refuses a whole listing for one such name. Here the parts are replaced in the answer, before it reads
//! them, and put back afterwards.

use std::pin::Pin;

use bytes::Bytes;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};

/// Characters of no script, which take the place of the parts that object_store refuses.
const STAND_INS: [(&str, &str); 3] = [("", "\u{f8f0}nddb"), (".", "\u{f8f1}nddb"), ("..", "\u{f8f2}nddb")];

/// Makes clients that replace such parts in listings.
#[derive(Debug)]
pub(crate) struct Listings;

impl HttpConnector for Listings {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(Replacing(ReqwestConnector::default().connect(options)?)))
    }
}

#[derive(Debug)]
struct Replacing(HttpClient);

type Answer<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for Replacing {
    fn call<'a, 'b>(&'a self, request: HttpRequest) -> Answer<'b>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            let query = request.uri().query().unwrap_or_default();
            let is_listing =
                request.method() == "GET" && query.split('&').any(|one| ["list-type=2", "comp=list"].contains(&one));
            let answer = self.0.execute(request).await?;
            if !is_listing || !answer.status().is_success() {
                return Ok(answer);
            }
            let (mut parts, body) = answer.into_parts();
            let bytes = body.bytes().await?;
            let text = std::str::from_utf8(&bytes).map_err(|error| HttpError::new(HttpErrorKind::Decode, error))?;
            let replaced = replace_names(text);
            parts.headers.remove("content-length");
            Ok(HttpResponse::from_parts(parts, Bytes::from(replaced).into()))
        })
    }
}

/// Replaces such parts of the names in a listing: what its elements `Key` (S3, Google) or `Name` (Azure) contain.
fn replace_names(listing: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(listing.len() + 64), listing);
    while let Some((at, tag)) = ["<Key>", "<Name>"].iter().filter_map(|tag| Some((rest.find(tag)?, tag))).min() {
        let (before, after) = rest.split_at(at + tag.len());
        let (name, after) = after.split_at(after.find('<').unwrap_or(after.len()));
        out.push_str(before);
        out.push_str(&joined(name, |part| STAND_INS.iter().find(|(real, _)| *real == part).map(|found| found.1)));
        rest = after;
    }
    out + rest
}

/// Returns a listed name with the parts that it has in the store.
pub(crate) fn real_name(listed: &str) -> String {
    joined(listed, |part| STAND_INS.iter().find(|(_, stand_in)| *stand_in == part).map(|found| found.0))
}

fn joined<'a>(name: &'a str, replaced: impl Fn(&str) -> Option<&'a str>) -> String {
    name.split('/').map(|part| replaced(part).unwrap_or(part)).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_and_put_back() {
        for name in ["a/b", "c//d&amp;e", "/x", "f/", "./g/..", "...", "a/.hidden/b"] {
            let listing = |name: &str| {
                format!("<Result><Name>bucket</Name><Key>k</Key><Name>{name}</Name><Key>{name}</Key></Result>")
            };
            let replaced = replace_names(&listing(name));
            let listed = replaced.split_once("</Key><Name>").and_then(|(_, rest)| Some(rest.split_once("</Name>")?.0));
            let listed = listed.expect("a name");
            assert!(listed.split('/').all(|part| !["", ".", ".."].contains(&part)), "{name}: {listed}");
            assert_eq!(replaced, listing(listed), "both elements, and no others");
            assert_eq!(real_name(listed), name);
        }
    }
}
