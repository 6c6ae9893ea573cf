//! The address of an image as a term (Henzinger 2): "if the URL points to a different host, the whole URL is
//! considered to be a term; if it points to the host of the page itself, only the filename of the URL is used", so
//! that mirrors of a page and its images give the same terms.

use url::Url;
use xxhash_rust::xxh3::xxh3_128;

/// Maximum size of the base for relative addresses, in bytes: the base is copied for every image.
const BASE_MAX: usize = 4096;

/// The base of the relative addresses of a page's images.
pub(crate) struct Addresses {
    page: Option<Url>,
    base: Option<Url>,
}

impl Addresses {
    /// Makes the base from the page's address and its first `<base href>`.
    pub(crate) fn new(page: Option<&str>, base: Option<&str>) -> Self {
        let short = |url: &&str| url.len() <= BASE_MAX;
        let page = page.filter(short).and_then(|url| Url::parse(url.trim()).ok());
        let base = base.filter(short).and_then(|url| match &page {
            Some(page) => page.join(url.trim()).ok(),
            None => Url::parse(url.trim()).ok(),
        });
        Addresses { page, base }
    }

    /// Appends the term of an image, or nothing if the image has no address. The term of an address that contains the
    /// image (`data:`) is its digest; an invalid address is a term, unchanged.
    pub(crate) fn append_term(&self, out: &mut String, source: &str) {
        let source = source.trim();
        if source.is_empty() {
            return;
        }
        if source.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:")) {
            out.push_str(&format!("data:{:032x}", xxh3_128(source.as_bytes())));
            return;
        }
        let against = self.base.as_ref().or(self.page.as_ref());
        let resolved = match against {
            Some(base) => base.join(source),
            None => Url::parse(source),
        };
        match resolved {
            Ok(url) if self.is_own(&url) => out.push_str(file_name(url.path())),
            Ok(mut url) => {
                url.set_fragment(None);
                out.push_str(url.as_str());
            }
            // A relative address without a base is on the host of the page.
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                let end = source.find(['?', '#']).unwrap_or(source.len());
                out.push_str(file_name(&source[..end]));
            }
            Err(_) => out.push_str(source),
        }
    }

    /// Returns whether an address points to the host of the page itself.
    fn is_own(&self, url: &Url) -> bool {
        fn name(url: &Url) -> Option<&str> {
            url.host_str().map(|host| host.strip_suffix('.').unwrap_or(host))
        }
        match &self.page {
            Some(page) => name(page).is_some() && name(page) == name(url),
            None => false,
        }
    }
}

/// Returns the part after the last slash, or the whole path if that part is empty.
fn file_name(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => name,
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(page: Option<&str>, base: Option<&str>, source: &str) -> String {
        let mut out = String::new();
        Addresses::new(page, base).append_term(&mut out, source);
        out
    }

    #[test]
    fn the_file_name_of_an_own_image_and_the_whole_address_of_another() {
        let page = Some("http://www.example.org/a/page.html");
        assert_eq!(term(page, None, "pics/cat.png?size=3#x"), "cat.png");
        assert_eq!(term(page, None, "/cat.png"), "cat.png");
        assert_eq!(term(page, None, "//www.example.org./cat.png"), "cat.png");
        assert_eq!(term(page, None, "HTTPS://WWW.EXAMPLE.ORG:81/cat.png"), "cat.png");
        assert_eq!(
            term(page, None, " http://img.example.org/a/cat.png?size=3#x "),
            "http://img.example.org/a/cat.png?size=3"
        );
        assert_eq!(term(page, None, "/pics/"), "/pics/");
    }

    #[test]
    fn the_base_moves_relative_addresses() {
        let page = Some("http://www.example.org/a/page.html");
        let other = Some("http://cdn.example.net/x/");
        assert_eq!(term(page, other, "cat.png"), "http://cdn.example.net/x/cat.png");
        assert_eq!(term(page, Some("/b/"), "cat.png"), "cat.png");
        assert_eq!(term(None, other, "cat.png"), "http://cdn.example.net/x/cat.png");
    }

    #[test]
    fn odd_addresses_are_terms_too() {
        assert_eq!(term(None, None, "a/cat.png?x"), "cat.png");
        assert_eq!(term(None, None, "http://b.org/c.png"), "http://b.org/c.png");
        assert_eq!(term(None, None, ""), "");
        assert_eq!(term(Some("no address"), Some("::"), "http://[bad/x"), "http://[bad/x");
        let data = term(None, None, "DATA:image/gif;base64,R0lGOD");
        assert_eq!(data.len(), 37);
        assert_ne!(data, term(None, None, "data:image/gif;base64,R0lGOE"));
    }
}
