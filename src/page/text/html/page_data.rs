//! The strings of a page's data: JSON, linked data (JSON-LD), and values that a script assigns, such as
//! `window.__NUXT__ = {...}` or `self.__next_f.push([...])`.

/// Greatest number of strings within each other.
const DEPTH_MAX: u32 = 3;

/// Least number of words of a string, and of letters without spaces.
const WORDS: usize = 3;
const LETTERS: usize = 8;

/// Least number of bytes of an attribute that is read as data.
const VALUE: usize = 100;

/// Returns whether the value of an attribute may be data: a long object or list, its quotation marks escaped or not.
pub(super) fn is_value(value: &str) -> bool {
    value.len() >= VALUE && value.trim_start().starts_with(['{', '['])
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

/// Calls `each` with the strings of a page's data that are text, unescaped, in their order: of several words, or of
/// many letters of a script without spaces. Of linked data, short values count, too, except types and addresses.
pub(super) fn strings(data: &str, is_linked: bool, each: &mut dyn FnMut(&str)) {
    strings_within(data, is_linked, 0, each);
}

fn strings_within(data: &str, is_linked: bool, depth: u32, each: &mut dyn FnMut(&str)) {
    let bytes = data.as_bytes();
    let (mut at, mut is_type) = (0, false);
    while let Some(size) = bytes[at..].iter().position(|byte| matches!(byte, b'"' | b'\'' | b'`')) {
        let start = at + size + 1;
        let end = end_of_string(bytes, start, bytes[start - 1]);
        at = (end + 1).min(bytes.len());
        let written = &data[start..end];
        if bytes[at..].trim_ascii_start().starts_with(b":") {
            is_type = written.starts_with('@');
            continue;
        }
        let is_of_type = std::mem::take(&mut is_type);
        if written.len() < LETTERS && !is_linked {
            continue;
        }
        let text = unescaped(written);
        let is_nested = depth < DEPTH_MAX && text.contains('"') && text.contains(['{', '[']) && !text.contains(". ");
        if is_nested {
            strings_within(&text, is_linked, depth + 1, each);
        } else if is_text(&text) || is_linked && !is_of_type && is_name(&text) {
            each(&text);
        }
    }
}

/// Returns the offset of the quotation mark that ends a string, or the end of the data.
fn end_of_string(bytes: &[u8], start: usize, mark: u8) -> usize {
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
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

/// Returns whether a short string of linked data is a name: it has a letter, and is neither an address nor a date.
fn is_name(text: &str) -> bool {
    text.contains(char::is_alphabetic) && !text.contains("://") && !text.starts_with(|c: char| c.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(data: &str, is_linked: bool) -> Vec<String> {
        let mut found = Vec::new();
        strings(data, is_linked, &mut |text| found.push(text.to_owned()));
        found
    }

    #[test]
    fn the_strings_of_data_are_text_of_several_words() {
        let data = r#"{"props":{"title":"A red fox jumps","id":"a9-f","url":"https://a.example/the/fox",
            "css":"a{color:#fff;margin:0}","body":"It\u2019s \ud83e\udd8a \"so\"\/ quick brown","zh":"\u5317\u4eac大学是一所综合性大学"}}"#;
        assert_eq!(found(data, false), ["A red fox jumps", "It’s 🦊 \"so\"/ quick brown", "北京大学是一所综合性大学"]);
    }

    #[test]
    fn strings_within_strings_are_read() {
        let data = r#"self.__next_f.push([1,"5:[\"$\",\"p\",null,{\"children\":\"A red fox jumps\"}]"])"#;
        assert_eq!(found(data, false), ["A red fox jumps"]);
        assert_eq!(found(r#"window.x = JSON.parse('{"a":"A red fox jumps"}')"#, false), ["A red fox jumps"]);
    }

    #[test]
    fn names_of_linked_data_count_and_types_do_not() {
        let data =
            r#"{"@type":"NewsArticle","headline":"Foxes","url":"http://a.example/","datePublished":"2024-01-02"}"#;
        assert_eq!(found(data, true), ["Foxes"]);
        assert!(found(data, false).is_empty());
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
            found(data, true);
            found(data, false);
        }
    }
}
