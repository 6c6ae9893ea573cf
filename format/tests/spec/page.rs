//! Finding tables and examples in SPEC.md.

/// The document.
pub(crate) const SPEC: &str = include_str!("../../../SPEC.md");

/// The names after the comments of one kind, in order.
pub(crate) fn names(kind: &str) -> Vec<&'static str> {
    let start = format!("<!-- {kind}: ");
    SPEC.lines().filter_map(|line| line.strip_prefix(&start)?.strip_suffix(" -->")).collect()
}

/// The text after each comment of this kind and name, up to the next comment or heading.
fn after(kind: &str, name: &str) -> Vec<&'static str> {
    let comment = format!("\n<!-- {kind}: {name} -->\n");
    let found: Vec<_> = SPEC
        .match_indices(&comment)
        .map(|(at, _)| {
            let text = &SPEC[at + comment.len()..];
            let end = ["\n<!-- ", "\n## ", "\n### "].iter().filter_map(|stop| text.find(stop)).min();
            &text[..end.unwrap_or(text.len())]
        })
        .collect();
    assert!(!found.is_empty(), "SPEC.md has {comment}");
    found
}

/// The rows of the table after a comment, without the heading: cells without spaces around them.
pub(crate) fn table(name: &str) -> Vec<Vec<&'static str>> {
    let text = after("table", name)[0];
    let rows = text.lines().take_while(|line| line.starts_with('|')).skip(2);
    let rows: Vec<Vec<_>> = rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect();
    assert!(!rows.is_empty(), "table {name} has rows");
    rows
}

/// The fenced texts of a language after each comment of an example.
pub(crate) fn fences(name: &str, language: &str) -> Vec<&'static str> {
    let open = format!("```{language}\n");
    after("example", name)
        .into_iter()
        .map(|text| {
            let start = text.find(&open).unwrap_or_else(|| panic!("example {name} has a fence {language}"));
            let text = &text[start + open.len()..];
            &text[..text.find("```").expect("a fence ends")]
        })
        .collect()
}

/// The fenced text of a language after the comment of an example.
pub(crate) fn fence(name: &str, language: &str) -> &'static str {
    fences(name, language)[0]
}

/// The words of the lines of `text` that begin with `key`, without it.
pub(crate) fn values<'a>(text: &'a str, key: &str) -> Vec<Vec<&'a str>> {
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| words.first() == Some(&key)).map(|words| words[1..].to_vec()).collect()
}

/// The one value of a key.
pub(crate) fn value<'a>(text: &'a str, key: &str) -> &'a str {
    match values(text, key)[..] {
        [ref only] if only.len() == 1 => only[0],
        ref other => panic!("{key} has one value, not {other:?}"),
    }
}

/// A decimal number.
pub(crate) fn number<T: std::str::FromStr>(text: &str) -> T {
    text.replace(',', "").parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

/// A hexadecimal number.
pub(crate) fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap_or_else(|_| panic!("{text} is hexadecimal"))
}

/// Writes bytes as SPEC.md does: 16 to a line, two to a word, lines of zeros as one `*`.
pub(crate) fn dump(bytes: &[u8]) -> String {
    let mut out = String::new();
    let mut zeros = false;
    for (line, bytes) in bytes.chunks(16).enumerate() {
        let last = 16 * (line + 1) >= bytes.len() && bytes.len() < 16;
        if line > 0 && !last && bytes.iter().all(|&byte| byte == 0) {
            if !zeros {
                out.push_str("*\n");
            }
            zeros = true;
            continue;
        }
        zeros = false;
        let words: Vec<String> =
            bytes.chunks(2).map(|pair| pair.iter().map(|byte| format!("{byte:02x}")).collect()).collect();
        out.push_str(&format!("{:04x}  {}\n", 16 * line, words.join(" ")));
    }
    out.push_str(&format!("{:04x}\n", bytes.len()));
    out
}

/// Reads what [`dump`] writes.
pub(crate) fn undump(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in text.lines().filter(|line| *line != "*") {
        let mut words = line.split_whitespace();
        let offset = hex(words.next().expect("an offset")) as usize;
        assert!(offset >= bytes.len() && offset < 1 << 16, "offsets ascend: {line}");
        bytes.resize(offset, 0);
        bytes.extend(words.flat_map(|word| word.as_bytes().chunks(2)).map(|digits| {
            let digits = std::str::from_utf8(digits).expect("ASCII");
            u8::from_str_radix(digits, 16).expect("two digits")
        }));
    }
    bytes
}

/// Compares a text of SPEC.md with what it should be.
pub(crate) fn same(what: &str, found: &str, expected: &str) {
    assert!(found == expected, "example {what} of SPEC.md should read:\n{expected}<<< but reads\n{found}");
}

#[test]
fn a_dump_is_read_as_it_was_written() {
    let mut bytes = vec![0; 100];
    assert_eq!(undump(&dump(&bytes)), bytes);
    (bytes[0], bytes[50], bytes[99]) = (1, 2, 3);
    assert_eq!(undump(&dump(&bytes)), bytes);
    assert_eq!(undump(&dump(&bytes[..96])), bytes[..96]);
    assert_eq!(undump(&dump(&bytes[..51])), bytes[..51]);
}
