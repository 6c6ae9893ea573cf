use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::*;

/// A folder for the outputs of a run, and the register of the run.
struct Case {
    folder: tempfile::TempDir,
    outputs: Outputs,
}

impl Case {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), outputs: run("the first") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
        path
    }

    fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    /// The names in the folder, of hidden files, too.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder").flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn refused(&self, name: &str) -> OutputError {
        self.outputs.file("-o", &self.path(name)).expect_err(name)
    }
}

fn run(holder: &str) -> Outputs {
    let outputs = Outputs::default();
    outputs.hold_as(holder);
    outputs
}

fn write(outputs: &Outputs, path: &Path, text: &str) -> Result<u64> {
    let mut file = outputs.file("-o", path)?.create()?;
    file.write_all(text.as_bytes()).map_err(|error| file.failed(error))?;
    file.finish()
}

#[test]
fn a_file_gets_its_name_when_it_is_complete() {
    let case = Case::new();
    case.put("out", "earlier");
    fs::set_permissions(case.path("out"), fs::Permissions::from_mode(0o640)).expect("set");
    let to = case.outputs.file("-o", &case.path("out")).expect("free");
    let mut file = to.create().expect("begun");
    file.write_all(b"new").and_then(|()| file.flush()).expect("written");
    assert_eq!(case.text("out").as_deref(), Some("earlier"));
    assert_eq!(case.names().len(), 3, "{:?}", case.names());
    assert_eq!(file.finish().expect("finished"), 3);
    drop(to);
    assert_eq!((case.text("out").as_deref(), case.names()), (Some("new"), vec!["out".to_owned()]));
    let mode = fs::metadata(case.path("out")).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640, "as the file before");
    assert_eq!(case.outputs.replaced(), [case.path("out")]);
}

#[test]
fn nothing_is_left_of_a_file_that_is_not_finished() {
    let case = Case::new();
    case.put("out", "earlier");
    let mut file = case.outputs.file("-o", &case.path("out")).and_then(|to| to.create()).expect("begun");
    file.write_all(b"half").and_then(|()| file.flush()).expect("written");
    drop(file);
    assert_eq!((case.text("out").as_deref(), case.names()), (Some("earlier"), vec!["out".to_owned()]));
    assert!(case.outputs.replaced().is_empty());
}

#[test]
fn what_a_run_reads_is_no_output_however_it_is_named() {
    let case = Case::new();
    let input = case.put("in", "precious");
    fs::create_dir(case.path("below")).expect("made");
    symlink(&input, case.path("link")).expect("linked");
    symlink(case.path("link"), case.path("link-to-link")).expect("linked");
    symlink(case.folder.path(), case.path("below/around")).expect("linked");
    fs::hard_link(&input, case.path("hard")).expect("linked");
    case.outputs.reads("an input", &input);
    for name in ["in", "./in", "below/../in", "link", "link-to-link", "below/around/in", "hard"] {
        let error = case.refused(name);
        assert!(matches!(&error, OutputError::Input { read_as, .. } if read_as == "an input"), "{name}: {error}");
        let told = error.to_string();
        assert!(told.contains("is an input, and -o would replace it") && error.hint().is_some(), "{told}");
    }
    let open = fs::File::options().write(true).open(&input).expect("open");
    let descriptor = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
    assert!(matches!(case.outputs.file("-o", Path::new(&descriptor)), Err(OutputError::Input { .. })));
    // A folder of outputs that has the input as one of them.
    let folder = case.outputs.folder("-o", case.folder.path()).expect("free");
    assert!(matches!(folder.file(Path::new("in")), Err(OutputError::Input { .. })));
    assert_eq!(case.text("in").as_deref(), Some("precious"));
    // By its address in a store.
    case.outputs.reads("an input", Path::new("s3a://bucket/in"));
    assert!(matches!(case.outputs.file("-o", Path::new("s3://bucket/in")), Err(OutputError::Input { .. })));
}

#[test]
fn two_outputs_of_a_run_do_not_go_to_one_place() {
    let case = Case::new();
    let first = case.outputs.file("-o", &case.path("out")).expect("free");
    symlink(case.path("out"), case.path("link")).expect("linked");
    for name in ["out", "./out", "link"] {
        let error = case.outputs.file("--removed", &case.path(name)).expect_err(name);
        assert!(error.to_string().ends_with("is the output of -o and of --removed"), "{error}");
    }
    drop(first);
    let folder = case.outputs.folder("-o", &case.path("many")).expect("free");
    let again = case.outputs.folder("--removed-documents", &case.path("many"));
    assert!(matches!(again, Err(OutputError::Twice { .. })));
    assert!(folder.file(Path::new("a")).is_ok() && folder.file(Path::new("b/c")).is_ok());
    assert!(matches!(folder.file(Path::new("./a")), Err(OutputError::Twice { .. })));
    // A file of another option may be in the folder, which this run holds.
    assert!(case.outputs.file("--removed", &case.path("many/removed.tsv")).is_ok());
    let twice = |path: &str| [(); 2].map(|()| case.outputs.file("-o", Path::new(path)).is_ok());
    assert_eq!(twice("/dev/null"), [true, true]);
    assert_eq!(twice("-"), [true, false]);
}

#[test]
fn nothing_is_written_into_a_database() {
    let case = Case::new();
    case.put("db/MANIFEST", "m");
    case.put("db/catalog/CURRENT", "c");
    case.put("db/runs/1.seg", "r");
    symlink(case.path("db/MANIFEST"), case.path("link")).expect("linked");
    symlink(case.path("db/runs"), case.path("runs")).expect("linked");
    for name in ["db/MANIFEST", "db/new", "db/catalog/CURRENT", "db/runs/new", "link", "runs/new"] {
        assert!(matches!(case.refused(name), OutputError::InDatabase { .. }), "{name}");
    }
    for name in ["db", "db/kept", "runs"] {
        let refused = case.outputs.folder("-o", &case.path(name));
        assert!(matches!(refused, Err(OutputError::InDatabase { .. })), "{name}");
    }
    assert!(!case.path("db/kept").exists(), "not even a folder");
    assert!(case.outputs.file("-o", &case.path("beside")).is_ok());
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_replaced() {
    let case = Case::new();
    case.put("data/real", "earlier");
    symlink("data/real", case.path("link")).expect("linked");
    write(&case.outputs, &case.path("link"), "new").expect("written");
    assert!(fs::symlink_metadata(case.path("link")).expect("there").is_symlink());
    assert_eq!(case.text("data/real").as_deref(), Some("new"));
    symlink("data/not-yet", case.path("dangling")).expect("linked");
    write(&case.outputs, &case.path("dangling"), "new").expect("written");
    assert!(fs::symlink_metadata(case.path("dangling")).expect("there").is_symlink());
    assert_eq!(case.text("data/not-yet").as_deref(), Some("new"));
}

#[test]
fn what_is_no_file_is_told_before_anything_is_written() {
    let case = Case::new();
    fs::create_dir(case.path("folder")).expect("made");
    for name in ["folder", "folder/", "new/"] {
        assert!(matches!(case.refused(name), OutputError::IsFolder { .. }), "{name}");
    }
    let error = case.refused("no/such/folder/out");
    assert!(error.hint().is_some_and(|hint| hint.contains("mkdir -p")), "{error}");
    assert!(matches!(case.refused(".out.nddb-lock"), OutputError::Reserved { .. }));
    symlink(case.path("loop"), case.path("loop")).expect("linked");
    assert!(matches!(case.refused("loop"), OutputError::Io { .. }));
}

#[test]
fn of_two_runs_to_one_output_the_second_is_told_of_the_first() {
    let case = Case::new();
    let first = case.outputs.file("-o", &case.path("out")).expect("free");
    let refused = |name: &str| run("the second").file("-o", &case.path(name)).expect_err(name);
    let error = refused("out");
    assert!(matches!(&error, OutputError::Busy { holder, .. } if holder == "the first"), "{error}");
    symlink(case.path("out"), case.path("link")).expect("linked");
    assert!(matches!(refused("link"), OutputError::Busy { .. }));
    let file = first.create().expect("begun");
    drop(first);
    assert!(matches!(refused("out"), OutputError::Busy { .. }), "while it is written");
    file.finish().expect("finished");
    write(&run("the third"), &case.path("out"), "third").expect("free again");
    drop(run("x").folder("-o", &case.path("empty")).expect("free"));
    assert!(!case.path("empty").exists(), "nothing was written into the new folder");
    // A folder is held as a whole, and against single files in it.
    fs::create_dir(case.path("many")).expect("made");
    let folder = case.outputs.folder("-o", &case.path("many")).expect("free");
    for name in ["many", "many/below"] {
        assert!(matches!(run("x").folder("-o", &case.path(name)), Err(OutputError::Busy { .. })), "{name}");
    }
    assert!(matches!(run("x").file("-o", &case.path("many/a")), Err(OutputError::Busy { .. })));
    drop(folder);
    let single = run("single");
    let held = single.file("-o", &case.path("many/a")).expect("free");
    let folder = run("x").folder("-o", &case.path("many")).expect("free");
    assert!(matches!(folder.file(Path::new("a")), Err(OutputError::Busy { .. })));
    drop(held);
    assert!(run("y").file("-o", &case.path("many/a")).is_err() && folder.file(Path::new("b")).is_ok());
}

#[test]
fn what_a_killed_run_left_goes_with_the_next_one_to_that_output() {
    let case = Case::new();
    for name in ["out", "out.a1B2c3D4", "long".repeat(60).as_str()] {
        let part = |name: &str| format!("{}.a1B2c3D4.nddb-part", target::stem(name.as_ref()).display());
        let lock = target::lock_name(name.as_ref()).into_string().expect("text");
        case.put(&part(name), "half");
        case.put(&lock, "pid 1 on host: nddb");
        let others = [part("other"), "out.part".into(), format!(".{name}.part"), format!("{name}.nddb-part")];
        others.iter().for_each(|other| drop(case.put(other, "mine")));
        write(&case.outputs, &case.path(name), "new").expect("written");
        let mut left = others.to_vec();
        left.push(name.into());
        left.sort();
        assert_eq!(case.names(), left);
        left.iter().for_each(|name| fs::remove_file(case.path(name)).expect("removed"));
    }
    // Of a folder.
    for name in [".nddb-lock", ".a.a1B2c3D4.nddb-part", "below/.b.a1B2c3D4.nddb-part", ".held.a1B2c3D4.nddb-part"] {
        case.put(&format!("many/{name}"), "half");
    }
    let other = Lock::take(&case.path("many/.held.nddb-lock"), "another").expect("free");
    let folder = case.outputs.folder("-o", &case.path("many")).expect("free");
    for name in ["a", "below/c"] {
        folder.file(Path::new(name)).and_then(|to| to.create()?.finish()).expect("written");
    }
    drop((folder, other));
    let mut names: Vec<String> = fs::read_dir(case.path("many"))
        .expect("there")
        .chain(fs::read_dir(case.path("many/below")).expect("there"))
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    assert_eq!(names, [".held.a1B2c3D4.nddb-part", "a", "below", "c"]);
}

#[test]
fn lists_are_published_together_the_summary_last() {
    let case = Case::new();
    let folder = case.path("lists");
    for name in ["keep.txt", "remove.txt", "sometimes.txt", "summary.json", "mine.txt"] {
        case.put(&format!("lists/{name}"), "earlier");
    }
    let mut lists = case.outputs.lists("-o", &folder, "summary.json", &["sometimes.txt"]).expect("free");
    for (name, text) in [("keep.txt", "a\nb\n"), ("remove.txt", "c\n")] {
        let mut list = lists.begin(name).expect("begun");
        list.write_all(text.as_bytes()).expect("written");
        list.finish().expect("complete");
    }
    assert_eq!(case.text("lists/keep.txt").as_deref(), Some("earlier"), "no list has its name yet");
    let tallies = lists.tallies();
    let hash = xxhash_rust::xxh3::xxh3_64(b"a\nb\n");
    assert_eq!(tallies[0], ("keep.txt".into(), ListTally { lines: 2, bytes: 4, xxh3: hash }));
    assert_eq!((&*tallies[1].0, tallies[1].1.lines), ("remove.txt", 1));
    // A list that cannot get its name: the summary tells that lists of two runs are mixed.
    fs::remove_file(case.path("lists/remove.txt")).expect("removed");
    fs::create_dir(case.path("lists/remove.txt")).expect("made");
    assert!(lists.publish(b"whole").is_err());
    assert_eq!(case.text("lists/summary.json").map(String::into_bytes).as_deref(), Some(UNFINISHED));
    fs::remove_dir(case.path("lists/remove.txt")).expect("removed");
    let next = run("the next");
    lists = next.lists("-o", &folder, "summary.json", &["sometimes.txt"]).expect("free");
    for name in ["keep.txt", "remove.txt"] {
        let mut list = lists.begin(name).expect("begun");
        list.write_all(b"new\n").expect("written");
        list.finish().expect("complete");
    }
    lists.publish(b"whole").expect("published");
    let text = |name: &str| case.text(&format!("lists/{name}"));
    assert_eq!(text("summary.json").as_deref(), Some("whole"));
    assert_eq!(["keep.txt", "remove.txt"].map(text), [Some("new\n".into()), Some("new\n".into())]);
    assert_eq!((text("sometimes.txt"), text("mine.txt").as_deref()), (None, Some("earlier")));
    assert_eq!(fs::read_dir(&folder).expect("there").count(), 4, "no lock and no temporary file");
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let case = Case::new();
    case.put("out", "earlier");
    // Every write to this device fails.
    let full = Path::new("/dev/full");
    if full.exists() {
        let error = write(&case.outputs, full, "text").expect_err("full");
        assert!(matches!(&error, OutputError::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull));
        assert!(error.hint().is_some_and(|hint| hint.contains("free some space")));
    }
}
