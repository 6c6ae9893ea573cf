//! The words of a page's address.

use percent_encoding::percent_decode_str;
use url::Url;

use crate::text::Page;
use crate::text::tokenizer::tokens;

/// Returns the words of the file name of an absolute address. The file name is the last part of the path that is not
/// called `index`, decoded, in lower case, and without its extension.
pub(crate) fn file_words(url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url.trim()) else { return Vec::new() };
    let mut stems = url.path_segments().into_iter().flatten().rev().map(|part| {
        let part = percent_decode_str(part).decode_utf8_lossy();
        part.rsplit_once('.').map_or(&*part, |(stem, _)| stem).to_lowercase()
    });
    let name = stems.find(|stem| !stem.is_empty() && stem != "index");
    name.map(|name| tokens(&Page::text(&name)).terms().map(str::to_owned).collect()).unwrap_or_default()
}

/// Returns host and path of an absolute address, which identify a page across captures: the path is decoded, without a
/// final `/` and without a file called `index`.
pub(crate) fn page_of(url: &str) -> Option<String> {
    let url = Url::parse(url.trim()).ok()?;
    let host = url.host_str()?;
    let host = host.strip_prefix("www.").unwrap_or(host).trim_end_matches('.');
    let path = percent_decode_str(url.path()).decode_utf8_lossy();
    let (folder, file) = path.rsplit_once('/')?;
    let path = if file.is_empty() || file.split('.').next() == Some("index") { folder } else { &path };
    let query = url.query().unwrap_or_default();
    Some(format!("{}{}?{query}", host, path.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_has_the_words_of_the_last_part_of_the_path() {
        for (url, words) in [
            ("https://a.example/30/generated/Sink_connector-config.html", "sink connector config"),
            ("https://a.example/std/struct.Args.html?x=y.z#w", "struct args"),
            ("https://a.example/2016/05/red-fox/", "red fox"),
            ("https://a.example/red-fox/index.html", "red fox"),
            ("https://a.example/2016/05/red-fox/index.html", "red fox"),
            ("https://a.example/red-fox/INDEX", "red fox"),
            ("https://a.example/GPL-2.txt", "gpl 2"),
            ("https://a.example/tags/%E9%A9%B1%E5%8A%A8Linux/", "驱动 linux"),
            ("https://a.example/caf%C3%A9%20au%20lait.html", "café au lait"),
            ("https://a.example/%FF%FE.html", ""),
            ("https://a.example/", ""),
            ("https://a.example", ""),
            ("file:///var/www/red.fox.txt", "red fox"),
            ("mailto:fox@a.example", ""),
            ("red/fox.html", ""),
            ("", ""),
        ] {
            assert_eq!(file_words(url).join(" "), words, "{url}");
        }
    }

    #[test]
    fn captures_of_one_page_have_one_host_and_path() {
        let page = |url| page_of(url).unwrap_or_default();
        for url in ["https://a.example/fox", "http://www.a.example/fox/", "https://A.example:8080/fox/index.html#x"] {
            assert_eq!(page(url), "a.example/fox?", "{url}");
        }
        assert_ne!(page("https://a.example/fox?id=1"), page("https://a.example/fox?id=2"));
        assert_eq!(page_of("fox/index.html"), None);
    }
}
