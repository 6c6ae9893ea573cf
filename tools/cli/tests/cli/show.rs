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
    assert!(ran.stdout.contains("No near-duplicates (by model, probability 0."), "{}", ran.stdout);
    dir.nddb(["show", "http://a.org/1", "http://a.org/2", "--html", "show.html"]).env("NDDB_DB", "db").done();
    let page = String::from_utf8(dir.read("show.html")).expect("text");
    assert!(
        page.contains("<ins> slow</ins>") && page.contains("&lt;script&gt;") && !page.contains("<script"),
        "{page}"
    );
    let same = dir.nddb(["show", "db", "http://a.org/1", "http://a.org/1"]).done();
    let told = "Near-duplicates (equal texts): either may be removed, at level same.\nThe words are the same.";
    assert!(same.stdout.contains(told), "{}", same.stdout);
    dir.nddb(["show", "db", "http://a.org/1", "nobody"]).tells(1, &["no document 'nobody'", "hint: "]);
    dir.nddb(["show", "db", "http://a.org/1"]).tells(2, &["show takes two ids, got 1"]);
    std::fs::remove_file(dir.path("in.warc.gz")).expect("removed");
    dir.nddb(["show", "db", "http://a.org/1", "http://a.org/2"]).tells(1, &["cannot be read", "hint: "]);
}

/// A passage that other documents have elsewhere in their texts.
#[test]
fn passages_in_common_stand_above_texts_that_are_not_near() {
    let dir = Dir::with_database();
    let words = |from: usize, count: usize| (from..from + count).map(|word| format!("w{word}x")).collect::<Vec<_>>();
    let text = |before: &[String], after: &[String]| [before, &words(5000, 30), after].concat().join(" ");
    let (a, b) = (text(&words(0, 100), &words(1000, 100)), text(&words(2000, 200), &[]));
    let lines = format!("{{\"id\":\"a\",\"text\":\"{a}\"}}\n{{\"id\":\"b\",\"text\":\"{b}\"}}\n");
    dir.write("in.jsonl", lines.as_bytes());
    dir.nddb(["load", "db", "in.jsonl"]).done();
    let told = "a passage with 30 words in common";
    let shown = dir.nddb(["show", "db", "a", "b"]).done().stdout;
    assert!(shown.contains(&format!(" {told} ")) && shown.contains(" the texts "), "{shown}");
    assert!(!dir.nddb(["show", "db", "a", "a"]).done().stdout.contains("in common"));
    dir.nddb(["show", "db", "a", "b", "--html", "show.html"]).done();
    assert!(String::from_utf8(dir.read("show.html")).expect("text").contains("A passage with 30 words in common"));
}

/// What a page carries in templates or for readers without scripts is compared, so it is shown, and marked.
#[test]
fn text_that_pages_do_not_show_is_shown_where_it_was_compared() {
    let dir = Dir::new();
    let mut words: Vec<String> = (0..200).map(|word| format!("word{}", word * 7919 % 9973)).collect();
    let page = |words: &[String]| {
        let text = words.join(" ");
        format!("<script type=\"text/x-handlebars-template\"><h3>Operations</h3><p>{text}</p></script><div></div>")
    };
    let first = page(&words);
    words[3] = "elephant".into();
    let pages = [("http://a.org/1", &*first), ("http://a.org/2", &*page(&words))];
    dir.write_warc("in.warc.gz", &pages);
    for options in [&[][..], &["--keep-words"]] {
        dir.nddb([&["create", "db"], options].concat()).done();
        dir.nddb(["load", "db", "in.warc.gz"]).done();
        for more in [&[][..], &["--text", "main"]] {
            let shown = dir.nddb([&["show", "db", "http://a.org/1", "http://a.org/2"], more].concat()).done().stdout;
            assert!(shown.contains("{+elephant+}") && shown.contains("[not shown]"), "{shown}");
            assert!(shown.contains("1 word only on the left, 1 word only on the right."), "{shown}");
        }
        let dir_of = dir.path("db");
        std::fs::remove_dir_all(dir_of).expect("removed");
    }
    dir.write("page.html", page(&words).as_bytes());
    let whole = dir.nddb(["text", "--whole", "page.html"]).done().stdout;
    assert!(whole.contains("elephant"), "{whole}");
    let explained = dir.nddb(["text", "--explain", "page.html"]).done().stdout;
    assert!(explained.contains("[not shown] ") && explained.contains("elephant"), "{explained}");
}
