//! The file name of a page, by its address.

use percent_encoding::percent_decode_str;
use url::Url;

use crate::text::page::Page;
use crate::text::tokenizer::tokens;

/// Returns the words of the file name of an absolute address, in lower case: the terms of the last part of its path
/// that is no `index`, decoded, without what stands behind the last dot. None if there is no such part.
pub(crate) fn file_name_words(url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url.trim()) else { return Vec::new() };
    let parts = url.path_segments().into_iter().flatten().rev();
    let mut stems = parts.map(|part| {
        let part = percent_decode_str(part).decode_utf8_lossy();
        part.rsplit_once('.').map_or(&*part, |(stem, _)| stem).to_lowercase()
    });
    let named = stems.find(|stem| !stem.is_empty() && stem != "index").unwrap_or_default();
    tokens(&Page::text(&named)).terms().map(str::to_owned).collect()
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
}
