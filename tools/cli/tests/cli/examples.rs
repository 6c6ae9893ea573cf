//! The examples of every command's help: they are typed, in a folder that has what they name.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::helper::{Dir, prints};

/// Examples that are not typed, by a part of them, and why.
const LEFT_OUT: [(&str, &str); 11] = [
    ("s3://", "names a store, which the tests of the Python package have"),
    ("data.commoncrawl.org", "asks the network"),
    ("sources move", "is of archives that were moved"),
    ("fetcher", "stands for the user's own program"),
    ("curl", "asks the network"),
    ("fineweb", "is of Parquet files, which the tests of tables load"),
    ("books.parquet", "is one, too"),
    ("sketches.parquet", "is a table of sketches, which the tests of shards load"),
    ("labels-", "is what a browser has saved"),
    ("65536", "is of a segment larger than a test makes"),
    ("b.groups.tsv", "fits many times, which takes minutes without optimisation"),
];

/// Makes the folders of completions.
const COMPLETIONS: &str = "mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions";

/// What is done before each example of a command, in the folder that all have.
const BEFORE: [(&str, &str); 11] = [
    ("create", "rm -rf crawl.nddb parted.nddb old.nddb small.nddb seen.nddb"),
    ("rm", "nddb load crawl.nddb new/b.warc.gz --batch may"),
    ("cluster", "nddb cluster crawl.nddb -o may"),
    ("query", "nddb load crawl.nddb three.tsv"),
    ("generate", COMPLETIONS),
    ("generate man", COMPLETIONS),
    ("generate completions", COMPLETIONS),
    ("backup", "mkdir -p backups"),
    (
        "backup restore",
        "rm -rf backups crawl-again.nddb && mkdir backups && nddb backup crawl.nddb backups/crawl-monday",
    ),
    ("backup verify", "rm -rf backups && mkdir backups && nddb backup crawl.nddb backups/crawl-monday"),
    ("nddb-lab segment", "cp $(ls crawl.nddb/runs/*.post | head -n 1) 00000007.post"),
];

/// Text of so many words; texts of one seed are alike.
fn text(seed: usize, words: usize) -> String {
    (0..words).map(|word| format!("w{} ", word * (seed + 3) % 997)).collect()
}

/// Labelled documents: of each text three, with a word or two changed.
fn documents() -> (String, String) {
    let (mut documents, mut pairs) = (String::new(), String::from("id1\tid2\tlabel\tkind\tnote\n"));
    for number in 0..30 {
        let (seed, edit) = (number / 3, number % 3);
        let text = text(seed, 200).replacen(&format!("w{} ", 50 * (seed + 3) % 997), &format!("edit{edit} "), 1);
        let url = format!("http://www{edit}.site{}.org/{number}", seed % 4);
        documents += &format!("{}\n", json!({"id": format!("d{number}"), "url": url, "text": text, "content": text}));
        for other in 0..number {
            let (label, kind) = if other / 3 == seed { (1, "copy") } else { (0, "other") };
            pairs += &format!("d{number}\td{other}\t{label}\t{kind}\t-\n");
        }
    }
    (documents, pairs)
}

/// A folder with everything that examples name.
fn prepared() -> Dir {
    let dir = Dir::new();
    let (documents, pairs) = documents();
    for name in ["docs", "documents", "dump", "part-1"] {
        let packed = zstd::bulk::compress(documents.as_bytes(), 1).expect("memory is writable");
        dir.write(&format!("{name}.jsonl.zst"), &packed);
    }
    for set in ["set1", "set2"] {
        std::fs::create_dir(dir.path(set)).expect("the folder is writable");
        dir.write(&format!("{set}/docs.jsonl"), documents.as_bytes());
        dir.write(&format!("{set}/pairs.tsv"), pairs.as_bytes());
    }
    for set in ["a", "b"] {
        dir.write(&format!("{set}.jsonl"), documents.as_bytes());
        dir.write(&format!("{set}.tsv"), pairs.as_bytes());
        let groups = (0..30).map(|number| format!("d{number}\tg{}\n", number / 3));
        dir.write(&format!("{set}.groups.tsv"), groups.collect::<String>().as_bytes());
    }
    dir.write("pairs.tsv", pairs.as_bytes());
    for folder in ["pages", "new", "warc"] {
        std::fs::create_dir(dir.path(folder)).expect("the folder is writable");
    }
    let html = format!("<title>A page</title><h1>Words</h1><p>{}", text(1, 120));
    dir.write("pages/one.html", html.as_bytes());
    dir.write("page.html", html.as_bytes());
    dir.write("text.txt", text(2, 120).as_bytes());
    let main = [
        ("http://example.org/1", &html[..]),
        ("http://old.example.org/2", "<p>old"),
        ("https://example.org/news/1", "<p>some news"),
    ];
    dir.write_warc("CC-MAIN-2025-1.warc.gz", &main);
    dir.write_warc("new/b.warc.gz", &[("http://example.com/3", "<p>new words of a page")]);
    dir.write_warc("warc/c.warc", &[("http://example.net/4", "<p>words of a record that an index names")]);
    #[cfg(feature = "parquet")]
    crate::selected::write_index_of_file(&dir, "index.parquet", "warc/c.warc");
    dir.write("three.tsv", b"doc-1\t00d1f2a3b4c5e697\ndoc-2\t00d1f2a3b4c5e696\n");
    dir.write("more.tsv", b"a\t00000000000000ff\nb\t00000000000000fe\nc\tffffffff00000000\n");
    dir.write("ids.tsv", b"urn:uuid:8c9c07ee-6a87-4e43-8c5d-2e0a8e1b7f11\t0f0f0f0f0f0f0f0f\n");
    let shown =
        ["page-1", "page-2"].map(|id| format!("{}\n", json!({"id": id, "text": format!("{id} {}", text(5, 90))})));
    dir.write("shown.jsonl", shown.concat().as_bytes());
    dir.write("remove.txt", b"a\nb\n");
    dir.write("ids.txt", b"d1\nd2\n");
    for name in ["pages.jsonl", "new.jsonl", "test-set.jsonl"] {
        dir.write(name, documents.as_bytes());
    }
    let pages = [("http://example.org/1", &html[..]), ("http://example.org/9", "<p>nine")];
    dir.write_warc("crawl.warc.gz", &pages);
    std::fs::create_dir_all(dir.path("dumps/2025")).expect("the folder is writable");
    dir.write_warc("dumps/2025/crawl.warc.gz", &pages);
    dir.write_prints("prints.u64le", &prints(1000));
    let bytes: Vec<u8> = prints(1000).iter().flat_map(|print| print.to_le_bytes()).collect();
    dir.write("prints.zst", &zstd::bulk::compress(&bytes, 1).expect("memory is writable"));
    dir.write_prints("Q.u64le", &prints(20));
    shell(
        dir.path(""),
        "nddb create parted.nddb --parts -q && nddb load parted.nddb docs.jsonl.zst -q && \
         nddb create seen.nddb --set -q && \
         nddb create crawl.nddb --pieces -q && nddb create old.nddb --k 6 --recipe 1e0ng -q && \
         nddb create from-the-other-machine.nddb --pieces -q && nddb load from-the-other-machine.nddb pages -q && \
         nddb load crawl.nddb docs.jsonl.zst shown.jsonl CC-MAIN-2025-1.warc.gz three.tsv more.tsv ids.tsv -q && \
         nddb load old.nddb prints.u64le -q && nddb compact crawl.nddb --all -q && nddb cluster crawl.nddb -o clusters -q && \
         cp $(ls crawl.nddb/runs/*.seg | head -n 1) 00000007.seg && cp 00000007.seg crawl.nddb/runs/ && \
         cp -r crawl.nddb january.nddb && cp -r crawl.nddb february.nddb && mkdir shards && cp -r crawl.nddb shards/a.nddb && cp -r crawl.nddb shards/b.nddb",
    );
    dir
}

/// Runs a line of the shell in a folder, with `nddb` at hand. It may end with 3: some inputs were skipped.
#[track_caller]
pub(crate) fn shell(folder: impl AsRef<Path>, line: &str) -> String {
    let nddb = Path::new(env!("CARGO_BIN_EXE_nddb")).parent().expect("a folder").display();
    let path = format!("{nddb}:{}", std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder.as_ref()).env("PATH", path).env("HOME", folder.as_ref());
    let output = command.env_remove("NDDB_DB").output().expect("there is a shell");
    let [printed, told] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(matches!(output.status.code(), Some(0 | 3)), "{line}\n{:?}\n{printed}\n{told}", output.status.code());
    printed
}

/// The help of a command, whose first word is the program.
fn help(dir: &Dir, command: &[String]) -> String {
    let args = command[1..].iter().map(String::as_str).chain(["--help"]);
    let ran = if command[0] == "nddb" { dir.nddb(args) } else { dir.lab(args) };
    ran.done().stdout
}

/// All commands of both programs, each with the words before it.
fn all_commands(dir: &Dir) -> Vec<Vec<String>> {
    let [nddb, lab] = ["nddb", "nddb-lab"].map(|program| commands(dir, &[program.into()]));
    // It is not listed.
    let generate = commands(dir, &["nddb".into(), "generate".into()]);
    [nddb, lab, generate].concat()
}

/// The commands below `command`, and itself unless it is a program.
pub(crate) fn commands(dir: &Dir, command: &[String]) -> Vec<Vec<String>> {
    let help = help(dir, command);
    let mut all = if command.len() > 1 { vec![command.to_vec()] } else { Vec::new() };
    let mut listed = false;
    for line in help.lines() {
        if !line.starts_with(' ') {
            listed = line.starts_with("Commands") && line.ends_with(':') || listed && line.is_empty();
        } else if listed
            && !line.starts_with("   ")
            && let Some(name) = line.split_whitespace().next().filter(|name| *name != "help")
        {
            all.extend(commands(dir, &[command, &[name.to_owned()]].concat()));
        }
    }
    all
}

/// The examples of a help text, without what explains them.
fn examples(help: &str) -> Vec<String> {
    let Some((_, text)) = help.split_once("Examples:\n") else { return Vec::new() };
    let mut examples: Vec<String> = Vec::new();
    for line in text.lines().take_while(|line| line.starts_with("  ")) {
        match examples.last_mut().filter(|_| line.starts_with("    ")) {
            Some(last) => *last = format!("{} {}", last.trim_end_matches('\\'), line.trim_start()),
            None => examples.push(line[2..].split("  ").next().unwrap_or_default().to_owned()),
        }
    }
    examples
}

fn is_there(program: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output()
        .is_ok_and(|output| output.status.success())
}

#[test]
fn the_examples_of_every_command_can_be_typed() {
    let dir = Dir::new();
    let prepared = prepared();
    let tools = ["jq", "zstdcat", "man"].map(|tool| (tool, is_there(tool)));
    for command in all_commands(&dir) {
        let line = command.join(" ");
        let name = line.strip_prefix("nddb ").unwrap_or(&line);
        let help = help(&dir, &command);
        // The help of a group has examples of all its commands, or each has its own.
        let group = self::help(&dir, &command[..2]);
        let mut all = examples(&help);
        if all.is_empty() {
            all = examples(&group);
        }
        let is_typed = |example: &&String| {
            if !cfg!(feature = "parquet") && example.contains("parquet") {
                return false;
            }
            let lacks = tools.iter().any(|(tool, there)| !there && example.contains(&format!("{tool} ")));
            !lacks && !LEFT_OUT.iter().any(|(part, _)| example.contains(part))
        };
        let folder = Dir::new();
        shell(folder.path(""), &format!("cp -r {}/. .", prepared.path("").display()));
        let typed: Vec<&String> = all.iter().filter(is_typed).collect();
        assert!(typed.iter().any(|example| example.contains(&command[..2].join(" "))), "{line}: no example");
        for example in typed {
            if let Some((_, before)) = BEFORE.iter().find(|(of, _)| *of == name) {
                shell(folder.path(""), before);
            }
            shell(folder.path(""), &example.replace("/backups/", "backups/"));
        }
    }
}

#[test]
fn options_stand_under_their_own_heading() {
    let of_texts = ["--verify", "--text"];
    let of_all = ["--threads", "--memory-limit", "--tmp-dir", "--lock-wait", "--progress", "--json", "-q", "-v"];
    let headings: &[(&str, &[&str])] = &[
        ("Options of methods that compare texts:", &of_texts),
        (
            "How pages become fingerprints:",
            &["--recipe", "--psl", "--pieces", "--offline", "--parts[=<N>]", "--phrases"],
        ),
        ("Options of all commands:", &of_all),
        (
            "Fields of JSONL and columns of Parquet and CSV inputs (nested: outer.inner):",
            &[
                "--id-field",
                "--text-field",
                "--html-field",
                "--fp-field",
                "--url-field",
                "--date-field",
                "--batch-column",
            ],
        ),
    ];
    let dir = Dir::new();
    let mut seen = [0; 4];
    for command in all_commands(&dir) {
        let help = help(&dir, &command);
        let mut heading = None;
        for line in help.lines() {
            if !line.is_empty() && !line.starts_with(' ') {
                heading = headings.iter().position(|(name, _)| *name == line);
            }
            let option = line.trim_start().split([' ', ',']).next().filter(|word| word.starts_with('-'));
            if let (Some(heading), Some(option)) =
                (heading, option.filter(|_| line.len() - line.trim_start().len() < 8))
            {
                assert!(headings[heading].1.contains(&option), "{command:?}: {option} under {}", headings[heading].0);
                seen[heading] += 1;
            }
        }
    }
    assert!(seen[2] == 0 && [0, 1, 3].iter().all(|&heading| seen[heading] > 1), "{seen:?}");
}

#[test]
fn what_many_commands_share_stands_on_a_page_of_its_own() {
    let dir = Dir::new();
    let options = dir.nddb(["help", "options"]).done().stdout;
    for option in ["--threads", "--memory-limit", "--tmp-dir", "--lock-wait", "--progress", "--json", "-q, ", "-v, "] {
        assert!(options.contains(option), "{option}: {options}");
    }
    let methods = dir.nddb(["help", "methods"]).done().stdout;
    for word in ["  lcs: ", "slope=0.1  ", "  model: ", "resemblance=0.28  "] {
        assert!(methods.contains(word), "{word}: {methods}");
    }
    for command in all_commands(&dir) {
        let help = help(&dir, &command);
        assert!(help.contains("nddb help options") && !help.contains("--lock-wait <"), "{command:?}: {help}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let dir = Dir::new();
    dir.nddb(["generate", "man", "man/man1"]).done().says(&["pages in man/man1"]);
    for command in all_commands(&dir) {
        // What is not listed has no page, and nddb-lab is not installed.
        if command[0] != "nddb" || command[1] == "generate" {
            continue;
        }
        let page = String::from_utf8(dir.read(&format!("man/man1/{}.1", command.join("-")))).expect("text");
        assert!(page.contains(".TH") && page.contains(".SH DESCRIPTION"), "{command:?}: {page}");
    }
    let page = String::from_utf8(dir.read("man/man1/nddb.1")).expect("text");
    assert!(page.contains("nddb\\-load"), "{page}");
    dir.write("file", b"");
    dir.nddb(["generate", "man", "file/x"]).tells(1, &["file/x: cannot be written"]);
}

/// Runs a line with a terminal for its output, where `script` can make one.
fn on_a_terminal(dir: &Dir, line: &str) -> Option<String> {
    let told = || nddb_test_support::say("left out, for it needs the program script: what is on a terminal");
    if !is_there("script") {
        told();
        return None;
    }
    // TERM as of a terminal that knows colours; -e passes the exit code on, which is none of our business here.
    Some(shell(dir.path(""), &format!("export TERM=xterm-256color; script -qc '{line}' /dev/null < /dev/null; true")))
}

#[test]
fn colours_are_for_terminals_and_not_where_no_color_is_set() {
    let dir = Dir::with_documents();
    const ESCAPE: char = '\u{1b}';
    for args in [&["--help"][..], &["load", "--help"], &["nothing"], &["stats"], &["stats", "db"], &["stats", "none"]] {
        let ran = dir.nddb(args.iter().copied()).run();
        assert!(!ran.stdout.contains(ESCAPE) && !ran.stderr.contains(ESCAPE), "{args:?}");
        let line = format!("nddb {}", args.join(" "));
        let Some(plain) = on_a_terminal(&dir, &format!("env NO_COLOR=1 {line}")) else { return };
        assert!(
            !plain.contains("\u{1b}[3") && !plain.contains("\u{1b}[1m") && !plain.contains("\u{1b}[4m"),
            "{line}: {plain:?}"
        );
    }
    let colourful = on_a_terminal(&dir, "nddb nothing").unwrap_or_default();
    assert!(colourful.contains(ESCAPE), "clap tells errors in colour on a terminal: {colourful:?}");
}

#[test]
fn a_missing_database_is_told_with_the_variable_that_may_name_it() {
    let dir = Dir::new();
    for args in
        [&["stats"][..], &["query", "--all"], &["get"], &["rm"], &["load"], &["merge"], &["batch", "ls"], &["backup"]]
    {
        dir.nddb(args.iter().copied()).tells(2, &["NDDB_DB"]);
    }
    dir.lab(["tune"]).tells(2, &["NDDB_DB"]);
}
