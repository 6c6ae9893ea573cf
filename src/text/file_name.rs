//! The file name of a page, by its address.

use url::Url;

/// Returns the words of the file name of an absolute address, in lower case: of the last part of its path that is no
/// `index`, without what stands behind the last dot; what is no letter or digit parts words. None if there is no such
/// part.
pub(crate) fn file_name_words(url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url.trim()) else { return Vec::new() };
    let parts = url.path_segments().into_iter().flatten();
    let stems = parts.map(|part| part.rsplit_once('.').map_or(part, |(stem, _)| stem).to_lowercase());
    let named = stems.rev().find(|stem| !stem.is_empty() && stem != "index").unwrap_or_default();
    named.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
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
