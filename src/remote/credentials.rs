//! Credentials in addresses: `user:password@`, and signatures and tokens in queries. They are sent to the server that
//! the address names, and are never stored or printed.

use std::borrow::Cow;
#[cfg(feature = "cloud")]
use std::io;
use std::path::Path;

#[cfg(feature = "cloud")]
use crate::failure::Failure;

/// The variable that names a list of addresses with their credentials.
#[cfg(feature = "cloud")]
pub(crate) const VARIABLE: &str = "NDDB_HTTP_CREDENTIALS";

/// Parts of the names of parameters whose values are secrets, in lower case.
const SECRETS: &str = "signature token secret password passwd credential apikey api_key api-key accesskey access_key";
/// Names of such parameters that are too short to be looked for within others.
const SHORT_SECRETS: [&str; 7] = ["sig", "sas", "auth", "authorization", "jwt", "pwd", "hmac"];
/// Names of parameters that belong to a signature: alone they are no secrets, and without it they are of no use.
const COMPANIONS: &str = "\
    expires policy key-pair-id googleaccessid sv se st sp sr ss srt spr sip si skoid sktid skt ske sks \
    skv sdd ses saoid suoid";

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SHORT_SECRETS.contains(&&*name) || SECRETS.split(' ').any(|part| name.contains(part))
}

fn is_companion(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    COMPANIONS.split(' ').any(|one| one == name)
        || ["x-amz-", "x-goog-", "x-oss-", "x-cos-"].iter().any(|part| name.starts_with(part))
}

/// Returns the name of a parameter.
fn name_of(parameter: &str) -> &str {
    parameter.split('=').next().unwrap_or_default()
}

/// The parts of an address: its scheme, what stands before the `@` of its server, the rest, and its query.
struct AddressParts<'a> {
    scheme: &'a str,
    user: Option<&'a str>,
    rest: &'a str,
    query: Option<&'a str>,
}

impl<'a> AddressParts<'a> {
    fn of(address: &'a str) -> Option<Self> {
        let (scheme, rest) = address.split_once("://")?;
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let server = rest.find(['/', '#']).unwrap_or(rest.len());
        // `container@account` of Azure is no user.
        let is_user = |user: &str| scheme.to_ascii_lowercase().starts_with("http") || user.contains(':');
        let (user, rest) = match rest[..server].rfind('@').filter(|&at| is_user(&rest[..at])) {
            Some(at) => (Some(&rest[..at]), &rest[at + 1..]),
            None => (None, rest),
        };
        Some(Self { scheme, user, rest, query })
    }

    fn has_credentials(&self) -> bool {
        self.user.is_some() || self.query.is_some_and(|query| query.split('&').any(|one| is_secret(name_of(one))))
    }

    /// Returns the address without its credentials.
    fn bare(&self) -> String {
        let query = self.query.map(|query| {
            let is_signed = query.split('&').any(|one| is_secret(name_of(one)));
            let is_kept = |one: &&str| !(is_secret(name_of(one)) || is_signed && is_companion(name_of(one)));
            query.split('&').filter(is_kept).collect::<Vec<_>>().join("&")
        });
        let query = query.filter(|query| !query.is_empty()).map_or_else(String::new, |query| format!("?{query}"));
        format!("{}://{}{query}", self.scheme, self.rest)
    }
}

/// Returns a text, such as a message or a path, in which addresses are without credentials: without `user:password@`,
/// and without the parameters of a query that sign it.
///
/// ```
/// # use nddb_remote::without_credentials;
/// let signed = "https://me:secret@data.example.org/a.gz?part=2&X-Amz-Date=20260101&X-Amz-Signature=f00";
/// assert_eq!(without_credentials(signed), "https://data.example.org/a.gz?part=2");
/// ```
#[must_use]
pub fn without_credentials(text: &str) -> Cow<'_, str> {
    let (mut out, mut done) = (String::new(), 0);
    while let Some(found) = text[done..].find("://") {
        let mark = done + found;
        let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let begin = done + text[done..mark].trim_end_matches(is_of_scheme).len();
        let ends = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '<' | '>' | '`' | '\\');
        let end = text[mark + 3..].find(ends).map_or(text.len(), |at| mark + 3 + at);
        // A message goes on with punctuation that is not of the address.
        let end = mark + 3 + text[mark + 3..end].trim_end_matches([':', ',', ';', '.', ')']).len();
        let address = AddressParts::of(&text[begin..end]).filter(AddressParts::has_credentials);
        out.push_str(&text[done..begin]);
        out.push_str(&address.map_or(Cow::Borrowed(&text[begin..end]), |parts| parts.bare().into()));
        done = end;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Returns a path without the credentials of its address; see [`without_credentials`].
#[must_use]
pub fn path_without_credentials(path: &Path) -> Cow<'_, Path> {
    let address = path.to_str().filter(|text| text.contains("://")).and_then(AddressParts::of);
    match address.filter(AddressParts::has_credentials) {
        Some(parts) => Cow::Owned(parts.bare().into()),
        None => Cow::Borrowed(path),
    }
}

/// Reads the list that [`VARIABLE`] names.
#[cfg(feature = "cloud")]
#[expect(clippy::disallowed_methods, reason = "the file of credentials")]
pub(crate) fn list(path: &Path) -> io::Result<String> {
    std::fs::read_to_string(path).map_err(|error| {
        let told = format!("{VARIABLE} names {}, which cannot be read: {error}", path.display());
        Failure::of(error.kind(), told)
    })
}

/// Returns an address with the credentials that a list has for it: those of the same address, or of the longest one
/// that ends with `/` and that this address is below. An address that has credentials keeps them.
#[cfg(feature = "cloud")]
pub(crate) fn supplied(address: &str, list: &str) -> Option<String> {
    let asked = AddressParts::of(address).filter(|parts| !parts.has_credentials())?;
    let fits = |known: &AddressParts<'_>| {
        let is_same = known.bare() == asked.bare();
        let is_above = known.rest.ends_with('/') && asked.rest.starts_with(known.rest);
        known.scheme.eq_ignore_ascii_case(asked.scheme) && (is_same || is_above)
    };
    let lines = list.lines().map(str::trim).filter_map(AddressParts::of);
    let known = lines.filter(|known| known.has_credentials() && fits(known)).max_by_key(|known| known.rest.len())?;
    let user = known.user.map_or_else(String::new, |user| format!("{user}@"));
    let of_asked = asked.query.into_iter().flat_map(|query| query.split('&'));
    let of_known = known.query.into_iter().flat_map(|query| query.split('&'));
    let mut query: Vec<&str> = of_asked.collect();
    query.extend(of_known.filter(|one| !asked.query.is_some_and(|asked| asked.split('&').any(|other| other == *one))));
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    Some(format!("{}://{user}{}{query}", asked.scheme, asked.rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_signatures_and_tokens_leave_an_address_and_nothing_else_does() {
        for (address, bare) in [
            ("http://user:pw@h:8/f.jsonl?X-Amz-Signature=S&sig=T", "http://h:8/f.jsonl"),
            ("https://token@h/f", "https://h/f"),
            ("https://h/f?a=1&X-Goog-Credential=c&X-Goog-Signature=s&X-Goog-Expires=5&b=2", "https://h/f?a=1&b=2"),
            (
                "https://a.blob.core.windows.net/c/f?sv=2020&se=2027&sp=r&sr=b&sig=x%2B",
                "https://a.blob.core.windows.net/c/f",
            ),
            ("https://h/f?AWSAccessKeyId=A&Expires=1&Signature=s", "https://h/f"),
            ("https://h/f?ACCESS_TOKEN=s#part", "https://h/f"),
        ] {
            assert_eq!(without_credentials(address), bare);
            assert_eq!(&*path_without_credentials(Path::new(address)), Path::new(bare));
            let told = format!("nddb: {address}: cannot be read; see \"{address}\", {address}.");
            assert_eq!(without_credentials(&told), format!("nddb: {bare}: cannot be read; see \"{bare}\", {bare}."));
        }
        for kept in [
            "https://h/a@b?expires=5&se=1&key=x",
            "abfss://c@account.dfs.core.windows.net/x",
            "s3://b/k:l@m?sign=1",
            "a :// b",
            "",
            "crawls/a@b:c?sig=x",
            "http://h/x.",
            "see http://h/x, and ftp://y:",
        ] {
            assert_eq!(without_credentials(kept), kept);
            assert_eq!(&*path_without_credentials(Path::new(kept)), Path::new(kept));
        }
    }

    #[cfg(feature = "cloud")]
    #[test]
    fn a_list_supplies_the_credentials_of_an_address_and_of_what_is_below_one() {
        let list =
            "# signed\nhttps://h/d/f.gz?X-Amz-Signature=one\r\nhttps://me:pw@h/d/\nhttps://h/d/e/?sv=1&sig=two\n";
        let supplied = |address| supplied(address, list);
        assert_eq!(supplied("https://h/d/f.gz").as_deref(), Some("https://h/d/f.gz?X-Amz-Signature=one"));
        assert_eq!(supplied("https://h/d/g.gz").as_deref(), Some("https://me:pw@h/d/g.gz"));
        assert_eq!(supplied("https://h/d/e/g?p=1").as_deref(), Some("https://h/d/e/g?p=1&sv=1&sig=two"));
        for none in
            ["https://h/x", "http://h/d/f.gz", "https://h.example/d/f.gz", "https://h/d/f.gz?token=mine", "s3://h/d/"]
        {
            assert_eq!(supplied(none), None, "{none}");
        }
    }
}
