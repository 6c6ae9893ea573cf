//! The strings of a page's data: JSON, linked data (JSON-LD), and values that a script assigns, such as
//! `window.__NUXT__ = {...}` or `self.__next_f.push([...])`.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use memchr::memchr3;
use percent_encoding::percent_decode_str;

/// Which strings are read. Each kind reads what the one before it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reads {
    /// Long texts: of a program, whose other strings are settings and labels.
    Long,
    /// Several words, or many letters of a script without spaces.
    Text,
    /// Short values, too, except types and addresses: of linked data.
    Names,
    /// Numbers, too.
    Values,
}

/// Greatest number of strings within each other.
const DEPTH_MAX: u32 = 3;

/// Least number of words of a string, and of letters without spaces; of words of a string of a program.
const WORDS: usize = 3;
const LETTERS: usize = 8;
const LONG: usize = 12;

/// Least number of bytes of an attribute that is read as data.
const VALUE: usize = 100;

/// Attributes whose long values are no text.
const NO_TEXT: [&str; 8] = ["class", "style", "d", "points", "transform", "values", "title", "placeholder"];

/// Returns whether the value of an attribute may be data, markup or a long text.
pub(super) fn is_value(name: &[u8], value: &str) -> bool {
    let is_named = || {
        let is_listed = NO_TEXT.iter().any(|one| name.eq_ignore_ascii_case(one.as_bytes()));
        is_listed || name.starts_with(b"on") || name.starts_with(b"aria-")
    };
    let is_markup = || value.trim_start().starts_with('<') || value.trim_start().starts_with("&lt;");
    let is_text = || !is_named() && !value.contains("://") && has_words(value, LONG / 2) && is_text(value);
    is_data(value) || value.len() >= VALUE && (is_markup() || is_text())
}

/// Returns whether a value is data: a long object or list, its quotation marks escaped or not.
pub(super) fn is_data(value: &str) -> bool {
    let value = value.trim_start();
    value.len() >= VALUE && (value.starts_with(['{', '[']) || is_escaped(value))
}

/// Returns whether a text is data whose braces are escaped as in addresses.
fn is_escaped(text: &str) -> bool {
    ["%7B", "%5B", "%3C", "%7b", "%5b", "%3c"].iter().any(|start| text.starts_with(start))
}

/// Returns data or markup that was escaped as in addresses or is in base 64, and all else unchanged.
pub(super) fn decoded(text: Cow<'_, str>) -> Cow<'_, str> {
    let starts = ["ey", "W3", "Wy", "PD", "PG"];
    let is_base64 = || starts.iter().any(|start| text.starts_with(start)) && !text.contains([' ', '.', '<']);
    match () {
        () if text.len() < VALUE => text,
        () if is_escaped(&text) => Cow::Owned(percent_decode_str(&text).decode_utf8_lossy().into_owned()),
        () if is_base64() => in_base64(&text).map_or(text, Cow::Owned),
        () => text,
    }
}

/// Returns a text in base 64, with or without padding, whose last bits may be anything.
pub(super) fn in_base64(text: &str) -> Option<String> {
    let pads = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let data = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).take_while(|&byte| byte != b'=');
    let mut data: Vec<u8> = data.collect();
    data.truncate(data.len() - usize::from(data.len() % 4 == 1));
    String::from_utf8(GeneralPurpose::new(&STANDARD, pads).decode(data).ok()?).ok()
}

/// Returns whether a text has calls and functions.
pub(super) fn is_program(text: &str) -> bool {
    [");", "){", ") {", "=>"].iter().any(|sign| text.contains(sign))
}

/// Returns whether a script does nothing but to assign data: it begins with a global variable or a constant, to which an
/// object, a list, a string or parsed JSON is assigned or added.
pub(super) fn is_assigned(script: &str) -> bool {
    let script = script.trim_start().trim_start_matches("//<![CDATA[").trim_start_matches(['(', '!', ' ', '\n']);
    let globals = ["window.", "window[", "self.", "self[", "globalThis", "var ", "let ", "const ", "__", "this."];
    if !globals.iter().any(|global| script.starts_with(global)) {
        return false;
    }
    let head = &script[..script.floor_char_boundary(script.len().min(200))];
    let Some(sign) = head.find("push(").map(|at| at + 4).or_else(|| head.find('=')) else { return false };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_$.[]\"'= |{}()\n".contains(c);
    let value = head[sign + 1..].trim_start();
    let is_default = value.strip_prefix(|c: char| c.is_ascii_alphabetic());
    let value = if is_default.is_some() { script[sign + 1..].trim_start() } else { value };
    head[..sign].chars().all(is_name)
        && (value.starts_with(['{', '[', '"', '\'', '`'])
            || value.starts_with("JSON.parse(")
            || value.starts_with("(function(") && script.contains("__NUXT__"))
}

/// Calls `each` with the strings of a page's data or of a program that are read, unescaped, in their order.
pub(super) fn strings(data: &str, reads: Reads, each: &mut dyn FnMut(&str)) {
    strings_within(data, reads, 0, each);
}

fn strings_within(data: &str, reads: Reads, depth: u32, each: &mut dyn FnMut(&str)) {
    let bytes = data.as_bytes();
    let (mut at, mut is_type) = (0, false);
    while let Some(size) = memchr3(b'"', b'\'', b'`', &bytes[at..]) {
        let start = at + size + 1;
        if reads == Reads::Values {
            numbers(&data[at..start - 1], each);
        }
        let end = end_of_string(bytes, start, reads);
        at = (end + 1).min(bytes.len());
        let written = &data[start..end];
        if bytes[at..].trim_ascii_start().starts_with(b":") {
            is_type = written.starts_with('@');
            continue;
        }
        let is_of_type = std::mem::take(&mut is_type);
        if written.len() < LETTERS && reads < Reads::Names || bytes.get(end) == Some(&b'\n') {
            continue;
        }
        let text = decoded(Cow::Owned(unescaped(written)));
        let is_nested = depth < DEPTH_MAX && text.contains('"') && text.contains(['{', '[']) && !text.contains(". ");
        if is_nested {
            strings_within(&text, reads, depth + 1, each);
        } else if is_text(&text) && (reads > Reads::Long || has_words(&text, LONG))
            || reads >= Reads::Names && !is_of_type && is_name(&text)
        {
            each(&text);
        }
    }
    if reads == Reads::Values {
        numbers(&data[at..], each);
    }
}

/// Calls `each` with the numbers of a part of data without strings.
fn numbers(data: &str, each: &mut dyn FnMut(&str)) {
    let numbers = data.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    let numbers: Vec<&str> = numbers.filter(|number| number.contains(|c: char| c.is_ascii_digit())).collect();
    if !numbers.is_empty() {
        each(&numbers.join(" "));
    }
}

/// Returns the offset of the quotation mark that ends the string that begins here, or the end of the data. In a
/// program an apostrophe of a comment begins none: a string ends with its line.
fn end_of_string(bytes: &[u8], start: usize, reads: Reads) -> usize {
    let mark = bytes[start - 1];
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' if reads == Reads::Long && mark != b'`' => return at,
            byte if byte == mark => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Returns a string without its escapes.
fn unescaped(written: &str) -> String {
    let mut units: Vec<u16> = Vec::new();
    let mut out = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find('\\') {
        flush(&mut out, &mut units, at > 0);
        out.push_str(&rest[..at]);
        let escape = rest[at + 1..].chars().next();
        let size = escape.map_or(0, char::len_utf8);
        rest = &rest[at + 1 + size..];
        match escape {
            Some('u') if let Some(unit) = rest.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok()) => {
                units.push(unit);
                rest = &rest[4..];
                continue;
            }
            Some('x') if let Some(unit) = rest.get(..2).and_then(|digits| u16::from_str_radix(digits, 16).ok()) => {
                units.push(unit);
                rest = &rest[2..];
                continue;
            }
            Some('n' | 'r' | 't' | 'f' | 'b') => {
                flush(&mut out, &mut units, true);
                out.push('\n');
            }
            Some(c) => {
                flush(&mut out, &mut units, true);
                out.push(c);
            }
            None => {}
        }
    }
    flush(&mut out, &mut units, true);
    out.push_str(rest);
    out
}

/// Appends the characters of `\\u` escapes, which may be halves of a pair.
fn flush(out: &mut String, units: &mut Vec<u16>, is_end: bool) {
    if is_end && !units.is_empty() {
        out.push_str(&String::from_utf16_lossy(units));
        units.clear();
    }
}

/// Returns whether a string is text for readers: several words of letters, and not a program, an address or a style.
fn is_text(text: &str) -> bool {
    let (mut letters, mut others, mut wide) = (0, 0, 0);
    for c in text.chars() {
        match c {
            _ if c.is_alphabetic() => letters += 1,
            _ if c.is_whitespace() => {}
            _ => others += 1,
        }
        wide += usize::from(c >= '\u{e00}' && c.is_alphabetic());
    }
    let words = || text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).take(WORDS).count();
    letters > 2 * others && (wide >= LETTERS || words() >= WORDS) || letters > others && text.contains("</")
}

/// Returns whether a text has at least this many words outside of tags.
fn has_words(text: &str, least: usize) -> bool {
    let words = text.split('<').flat_map(|part| part.rsplit('>').next().unwrap_or_default().split_whitespace());
    words.filter(|word| word.contains(char::is_alphabetic)).take(least).count() == least
}

/// Returns whether a short string of linked data is a name: it has a letter, and is neither an address nor a date.
fn is_name(text: &str) -> bool {
    text.contains(char::is_alphabetic) && !text.contains("://") && !text.starts_with(|c: char| c.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(data: &str, reads: Reads) -> Vec<String> {
        let mut found = Vec::new();
        strings(data, reads, &mut |text| found.push(text.to_owned()));
        found
    }

    #[test]
    fn the_strings_of_data_are_text_of_several_words() {
        let data = r#"{"props":{"title":"A red fox jumps","id":"a9-f","url":"https://a.example/the/fox",
            "css":"a{color:#fff;margin:0}","body":"It\u2019s \ud83e\udd8a \"so\"\/ quick brown","zh":"\u5317\u4eac大学是一所综合性大学"}}"#;
        assert_eq!(
            found(data, Reads::Text),
            ["A red fox jumps", "It’s 🦊 \"so\"/ quick brown", "北京大学是一所综合性大学"]
        );
    }

    #[test]
    fn strings_within_strings_are_read() {
        let data = r#"self.__next_f.push([1,"5:[\"$\",\"p\",null,{\"children\":\"A red fox jumps\"}]"])"#;
        assert_eq!(found(data, Reads::Text), ["A red fox jumps"]);
        assert_eq!(found(r#"window.x = JSON.parse('{"a":"A red fox jumps"}')"#, Reads::Text), ["A red fox jumps"]);
    }

    #[test]
    fn of_programs_long_texts_are_read() {
        let text = "A red fox jumps over the lazy dog, and then it sleeps all day.";
        let html = format!("<p class=x>{text}</p>");
        for program in [
            format!("// It's a comment\nrender({{title: 'A red fox jumps', body: \"{text}\"}})"),
            format!("document.write('{}')", text.replace("fox", "\\x66\\u006fx")),
            format!("const md = `{text}`; a('b'); // don't"),
            format!("load(JSON.parse(decodeURIComponent('{}')))", format!("{{\"a\": \"{text}\"}}").replace('{', "%7B")),
        ] {
            let found = found(&program, Reads::Long);
            assert!(found.len() == 1 && found[0].contains(text), "{program}: {found:?}");
        }
        assert_eq!(found(&format!("e.innerHTML = '{html}'"), Reads::Long), [html]);
        assert_eq!(found("window.x = 'eyJhIjogIkEgcmVkIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQgc2xlZXBzIGFsbCBkYXksIGFuZCBzbyBkbyBJIG5vdyJ9'", Reads::Text).len(), 1);
        assert_eq!(found("[{\"fox\": 12.5, \"a\": \"b\"}, 7]", Reads::Values), ["12.5", "b", "7"]);
    }

    #[test]
    fn names_of_linked_data_count_and_types_do_not() {
        let data =
            r#"{"@type":"NewsArticle","headline":"Foxes","url":"http://a.example/","datePublished":"2024-01-02"}"#;
        assert_eq!(found(data, Reads::Names), ["Foxes"]);
        assert!(found(data, Reads::Text).is_empty());
    }

    #[test]
    fn scripts_that_assign_data_are_told_from_programs() {
        for script in [
            "window.__NUXT__={a:1}",
            " window.__NUXT__ = (function(a,b){return {data:[a]}}(1,2))",
            "window['__APOLLO_STATE__'] = {\"ROOT\":1};",
            "self.__next_f.push([1,\"x\"])",
            "(self.__next_f=self.__next_f||[]).push([0])",
            "window.__INITIAL_STATE__ = JSON.parse(\"{}\")",
            "var pageData = {a: 'b'};",
            "window.___gatsby = \"x\"",
        ] {
            assert!(is_assigned(script), "{script}");
        }
        for script in [
            "function a() { var b = {}; }",
            "document.write('the red fox')",
            "var a = b + {};",
            "(function(){ var a = {}; })()",
            "window.dataLayer = window.dataLayer || [];",
            "",
        ] {
            assert!(!is_assigned(script), "{script}");
        }
    }

    #[test]
    fn nothing_breaks_it() {
        for data in ["\"", "\"\\", "\"\\u", "\"\\ud83e", "'\\u12", "`é\\é", "\"a b c\\ud83e d\""] {
            found(data, Reads::Names);
            found(data, Reads::Text);
            found(data, Reads::Long);
        }
    }
}
