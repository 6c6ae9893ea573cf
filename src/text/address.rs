//! The words of a page's address.

use percent_encoding::percent_decode_str;
use url::Url;

use crate::text::page::Page;
use crate::text::tokenizer::tokens;

/// Returns the words of the file name of an absolute address, in lower case: the terms of the last part of its path
/// that is no `index`, decoded, without what stands behind the last dot. None if there is no such part.
pub(crate) fn file_name_words(url: &str) -> Vec<String> {
    words(parts(url).first().map_or("", String::as_str))
}

/// Returns the words of all parts of the path of an absolute address, as those of a file name; the last part first.
pub(crate) fn path_words(url: &str) -> Vec<String> {
    words(&parts(url).join(" "))
}

/// Returns the parts of the path of an absolute address as `file_name_words` describes them, the last one first.
fn parts(url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url.trim()) else { return Vec::new() };
    let stems = url.path_segments().into_iter().flatten().rev().map(|part| {
        let part = percent_decode_str(part).decode_utf8_lossy();
        part.rsplit_once('.').map_or(&*part, |(stem, _)| stem).to_lowercase()
    });
    stems.filter(|stem| !stem.is_empty() && stem != "index").collect()
}

fn words(text: &str) -> Vec<String> {
    tokens(&Page::text(text)).terms().map(str::to_owned).collect()
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
            assert_eq!(file_name_words(url).join(" "), words, "{url}");
        }
    }

    #[test]
    fn a_path_has_the_words_of_all_its_parts() {
        for (url, words) in [
            ("https://a.example/v1.2/netlog/h3/fn.parse.html?x=y", "fn parse h3 netlog v1"),
            ("https://a.example/2016/05/red-fox/index.html", "red fox 05 2016"),
            ("https://a.example/", ""),
            ("red/fox.html", ""),
        ] {
            assert_eq!(path_words(url).join(" "), words, "{url}");
        }
    }
}
