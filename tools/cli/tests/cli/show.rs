//! `show`: two documents side by side.

use crate::helper::Dir;

#[test]
fn two_documents_are_shown_side_by_side() {
    let dir = Dir::with_database();
    let pages = [
        ("http://a.org/1", "<title>One</title><p>the quick brown fox<p>jumps over the lazy dog"),
        ("http://a.org/2", "<title>Two</title><p>the slow brown fox<p>jumps <b>over</b> the &lt;script&gt; dog"),
    ];
    dir.write_warc("in.warc.gz", &pages);
    dir.nddb(["load", "db", "in.warc.gz"]).done();
    let ran = dir.nddb(["show", "db", "http://a.org/1", "http://a.org/2"]).done();
    for words in
        ["[-quick-] brown fox", "{+slow+} brown fox", "{+<script>+} dog", "3 words only on the left", "\u{2502} Two"]
    {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains('\u{1b}'), "no colours in a pipe");
    dir.nddb(["show", "http://a.org/1", "http://a.org/2", "--html", "show.html"]).env("NDDB_DB", "db").done();
    let page = String::from_utf8(dir.read("show.html")).expect("text");
    assert!(
        page.contains("<ins> slow</ins>") && page.contains("&lt;script&gt;") && !page.contains("<script"),
        "{page}"
    );
    let same = dir.nddb(["show", "db", "http://a.org/1", "http://a.org/1"]).done();
    assert!(same.stdout.contains("The words are the same."), "{}", same.stdout);
    dir.nddb(["show", "db", "http://a.org/1", "nobody"]).tells(1, &["no document 'nobody'", "hint: "]);
    dir.nddb(["show", "db", "http://a.org/1"]).tells(2, &["show takes two ids, got 1"]);
    std::fs::remove_file(dir.path("in.warc.gz")).expect("removed");
    dir.nddb(["show", "db", "http://a.org/1", "http://a.org/2"]).tells(1, &["cannot be read", "hint: "]);
}
