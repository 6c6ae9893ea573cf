use std::path::{Path, PathBuf};

use nddb_index::Config;

use super::*;
use crate::cluster::{ClusterOptions, ClusterSummary, MemberVerdict, cluster_with_members};
use crate::default_method::MethodChoice;
use crate::options::PairOptions;
use crate::support::Corpus;

/// A text of so many words, all of them different.
fn words(from: usize, len: usize) -> Vec<String> {
    const LETTERS: &[u8] = b"bcdfghklmnprstvwz";
    let letter = |at: usize| char::from(LETTERS[at % LETTERS.len()]);
    (from..from + len).map(|at| format!("{}o{}a{}", letter(at), letter(at / 17), letter(at / 289))).collect()
}

/// A long text, one that loses a word to it, and one that loses a passage; and long texts after them, so that the file
/// is larger than the parts of it that are compared to find out whether it has changed.
fn load(folder: &Path) -> (PathBuf, Corpus) {
    let text = words(0, 800);
    let (mut word, mut passage) = (text.clone(), text.clone());
    word[400] = "another".into();
    passage.splice(400..400, words(2000, 40));
    let mut lines = String::new();
    for (id, text) in [("a", &text), ("b", &word), ("c", &passage)] {
        lines += &format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", text.join(" "));
    }
    for id in 0..20 {
        let text = words(3000 + 90 * id, 90).join(" ").repeat(40);
        let line = format!("{{\"id\":\"long{id}\",\"text\":\"{text}\"}}\n");
        // The compared documents stand in the middle.
        lines = if id % 2 == 0 { line + &lines } else { lines + &line };
    }
    let path = folder.join("pages.jsonl");
    std::fs::write(&path, lines).expect("the folder is writable");
    let resources = Resources { memory_limit: 0, folder: folder.into(), ..Resources::default() };
    let corpus = Corpus::load(&path, &folder.join("db"), &Config::within(3).expect("a k"), &resources);
    (path, corpus)
}

/// What becomes of b and c.
fn clustered(corpus: &Corpus, from: WordsFrom) -> ([MemberVerdict; 2], ClusterSummary) {
    let (view, resources) = (corpus.view(), corpus.collection());
    let pairs = PairOptions::chosen(MethodChoice::usual(view));
    let options = ClusterOptions { words: from, ..ClusterOptions::new(pairs) };
    let all = Collection::with_deleted(view, &options.pairs.resources, &mut |_| true).expect("a collection");
    assert_eq!(all.len(), resources.len());
    let mut found = [MemberVerdict::Apart; 2];
    let clusters = cluster_with_members(view, &all, &options, &mut |_| true, &mut |_| Ok(()), &mut |member| {
        match all.id(member.member) {
            "b" => found[0] = member.verdict,
            "c" => found[1] = member.verdict,
            _ => (),
        }
        Ok(())
    });
    (found, clusters.expect("clusters").summary)
}

#[test]
fn a_removal_is_verified_by_the_words_of_the_archives() {
    use nddb_verdict::Reason::Passage;
    let folder = tempfile::tempdir().expect("a folder");
    let (path, corpus) = load(folder.path());
    let (found, summary) = clustered(&corpus, WordsFrom::Auto);
    assert_eq!(found, [MemberVerdict::Removed, MemberVerdict::Loses(Passage)]);
    assert_eq!((summary.words, summary.unverified, summary.unread.total()), (WordSource::Archives, 0, 0));

    // Sketches cannot tell one lost passage from scattered words.
    let (found, summary) = clustered(&corpus, WordsFrom::Estimate);
    assert_eq!(found, [MemberVerdict::Removed, MemberVerdict::Removed]);
    assert_eq!((summary.words, summary.unverified, summary.unread.total()), (WordSource::Estimate, 2, 0));

    // A text that is not the one that was loaded: the beginning and the end of the file, and its size, are the same.
    let text = std::fs::read_to_string(&path).expect("there");
    std::fs::write(&path, text.replace("another", "altered")).expect("writable");
    let (found, summary) = clustered(&corpus, WordsFrom::Auto);
    assert_eq!(found, [MemberVerdict::Unverified, MemberVerdict::Loses(Passage)]);
    assert_eq!((summary.words, summary.unread.changed), (WordSource::Archives, 1));

    // Nothing can be read, or the archives are asked for.
    std::fs::remove_file(&path).expect("there");
    assert_eq!(clustered(&corpus, WordsFrom::Auto).1.words, WordSource::Estimate);
    let (found, summary) = clustered(&corpus, WordsFrom::Archives);
    assert_eq!(found, [MemberVerdict::Unverified, MemberVerdict::Unverified]);
    assert_eq!((summary.words, summary.unread.moved, summary.removed), (WordSource::Archives, 3, 0));
}

#[test]
fn sources_of_words_have_names() {
    for from in WordsFrom::ALL {
        assert_eq!(from.name().parse(), Ok(from));
    }
    assert!("memory".parse::<WordsFrom>().is_err_and(|error| error.to_string().contains("archives")));
}
