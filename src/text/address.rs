//! The words of a page's address.

use percent_encoding::percent_decode_str;
use url::Url;

use crate::text::page::Page;
use crate::text::tokenizer::tokens;

/// Returns the words of each part of the path of an absolute address, the last part first, which is the file name: its
/// terms in lower case, decoded, without what stands behind the last dot. Parts called `index` are left out.
pub(crate) fn path_parts(url: &str) -> Vec<Vec<String>> {
    let Ok(url) = Url::parse(url.trim()) else { return Vec::new() };
    let stems = url.path_segments().into_iter().flatten().rev().map(|part| {
        let part = percent_decode_str(part).decode_utf8_lossy();
        part.rsplit_once('.').map_or(&*part, |(stem, _)| stem).to_lowercase()
    });
    let named = stems.filter(|stem| !stem.is_empty() && stem != "index");
    named.map(|stem| tokens(&Page::text(&stem)).terms().map(str::to_owned).collect()).collect()
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
            assert_eq!(path_parts(url).first().map_or_else(String::new, |part| part.join(" ")), words, "{url}");
        }
    }

    #[test]
    fn the_parts_of_a_path_begin_with_the_file_name() {
        let of = |url| path_parts(url).into_iter().map(|part| part.join(" ")).collect::<Vec<_>>();
        assert_eq!(of("https://a.example/v1.2/net-log/h3/fn.parse.html?x=y"), ["fn parse", "h3", "net log", "v1"]);
        assert_eq!(of("https://a.example/2016/05/red-fox/index.html"), ["red fox", "05", "2016"]);
        assert_eq!(of("https://a.example/"), [""; 0]);
    }
}
