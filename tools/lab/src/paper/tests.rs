//! Compares all tables and figures on a small labelled set with the plain definitions.

use std::path::Path;

use nddb::Config;
use nddb::archive::Options;
use nddb::sketch::Recipe;
use nddb::verdict::methods::{B, Hamming};
use nddb_dedup::support;

use super::*;
use nddb_evaluate::eval::{Corpus, Counts, Label, Labels};

use crate::labelled::similar_pairs;

/// Texts of two sites in three versions each; the first two versions differ in a few words.
fn corpus(folder: &Path) -> (Corpus, Labels) {
    let mut texts = Vec::new();
    let mut labels = String::from("id1\tid2\tlabel\n");
    for text in 0..24 {
        let word = |index: usize| format!("w{}", (text * 7919 + index * 104_729) % 50_021);
        let lines = |from: usize| {
            (from..from + 80)
                .map(|line| (0..9).map(|at| word(line * 9 + at)).collect::<Vec<_>>().join(" ") + ".")
                .collect::<Vec<_>>()
        };
        let body = lines(0);
        let mut second = body.clone();
        second[3] = "Tue, 12 May 2004 10:15:02 GMT.".into();
        let other = [&body[..12], &lines(100)[..68]].concat();
        texts.extend([body.join(" "), second.join(" "), other.join(" ")]);
        let id = |version: usize| format!("d{:04}", text * 3 + version);
        let second = if text % 8 == 7 { "g" } else { "1" };
        labels += &format!("{}\t{}\t{second}\n{}\t{}\t0\n", id(0), id(1), id(0), id(2));
    }
    let (path, database) = (support::documents(folder, &texts), folder.join("texts.nddb"));
    let config = Config::within(7).expect("a k").recipe("web/1");
    let recipe = Recipe::named("web").expect("a recipe");
    let resources = Resources { memory_limit: 0, folder: folder.into(), ..Resources::default() };
    let corpus = Corpus::load((&path, &Options::default()), &database, &config, &recipe, &resources, &mut |_| true);
    (corpus.expect("documents"), Labels::read(labels.as_bytes()).expect("labels"))
}

fn measured(corpus: &Corpus, gold: Option<&Gold>, paper: Paper, folder: &Path) -> Vec<Exhibit> {
    let subject = Subject {
        name: "db".into(),
        view: corpus.view(),
        collection: corpus.collection(),
        gold,
        sample: (200, 1),
        part: None,
        resources: Resources { memory_limit: 0, folder: folder.into(), ..Resources::default() },
        threads: 2,
    };
    paper.measure(&subject, &mut |_| true).expect("measured")
}

/// The names of the tables and figures of each paper.
fn names(paper: Paper) -> Vec<String> {
    let of =
        |what: &str, numbers: std::ops::RangeInclusive<u32>| numbers.map(|number| format!("{what} {number}")).collect();
    let lists: Vec<Vec<String>> = match paper {
        Paper::Henzinger => vec![of("Table", 1..=12), of("Figure", 1..=7)],
        Paper::Huang => vec![of("Table", 1..=2), of("Figure", 6..=8)],
        Paper::Ye => vec![
            of("Table", 2..=3),
            of("Figure", 1..=1),
            vec!["Figure 2(a)".into(), "Figure 2(b)".into()],
            of("Figure", 3..=4),
        ],
        Paper::Manku => vec![of("Figure", 1..=1), vec!["Figure 2(a)".into(), "Figure 2(b)".into()]],
    };
    lists.concat()
}

#[test]
fn every_table_and_figure_is_there_with_labels_and_without() {
    let folder = tempfile::tempdir().expect("a folder");
    let (corpus, labels) = corpus(folder.path());
    let gold = corpus.gold(&labels).expect("joined");
    for paper in Paper::ALL {
        let exhibits = measured(&corpus, Some(&gold), paper, folder.path());
        for name in names(paper) {
            let found = exhibits.iter().find(|exhibit| exhibit.name == name).unwrap_or_else(|| panic!("{name}"));
            assert!(
                !found.rows.is_empty() && !found.paper.is_empty() || name.starts_with("Table 2"),
                "{paper:?} {name}"
            );
        }
        let without = measured(&corpus, None, paper, folder.path());
        assert_eq!(without.len(), exhibits.len());
        for exhibit in without.iter().filter(|exhibit| exhibit.rows.is_empty()) {
            assert!(
                exhibit.notes.iter().any(|note| note.contains("nddb audit db")),
                "{}: {:?}",
                exhibit.name,
                exhibit.notes
            );
        }
        let page = page(paper, &[("db".into(), exhibits)]).expect("drawn");
        assert!(page.contains(paper.title()) && page.contains("<svg"));
    }
}

#[test]
fn tables_of_labelled_pairs_count_what_the_labels_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let (corpus, labels) = corpus(folder.path());
    let gold = corpus.gold(&labels).expect("joined");
    let exhibits = measured(&corpus, Some(&gold), Paper::Henzinger, folder.path());
    let rows = |name: &str| &exhibits.iter().find(|exhibit| exhibit.name == name).expect("it is there").rows;
    let pairs = similar_pairs(&gold, &vec![true; gold.pairs.len()], corpus.collection());
    let returned: Vec<_> = pairs.iter().filter(|pair| pair.b >= Some(2)).collect();
    assert!(returned.len() > 12, "{}", returned.len());
    let of = |label: Label| returned.iter().filter(|pair| pair.label == label).count() as f64 / returned.len() as f64;
    let [correct, incorrect, undecided] = Label::ALL.map(of);
    assert_eq!(
        rows("Table 2")[0],
        ["all".into(), (returned.len() as u64).into(), correct.into(), incorrect.into(), undecided.into(), 0.38.into()]
    );
    // Correct pairs differ in a time stamp or, if the time stamp replaced words of a sentence, in the rest.
    let all: u64 = rows("Table 3").iter().map(|row| row[1].number().expect("a count") as u64).sum();
    assert_eq!(all, returned.iter().filter(|pair| pair.label == Label::Correct).count() as u64);
    // R of a threshold that keeps all pairs is 1.
    let first = &rows("Figure 7").last().expect("the lowest threshold");
    assert_eq!(first[0], Cell::Share(1.0));
    let kinds: Vec<&Cell> = rows("Table 8").iter().map(|row| &row[0]).collect();
    assert_eq!(kinds, [&Cell::from("incorrect"), &"undecided".into(), &"correct".into()]);
}

/// The table of features has simhash by the recipe web, whose fingerprints the database has, in its first row.
#[test]
fn the_first_choice_of_features_is_that_of_the_recipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let (corpus, labels) = corpus(folder.path());
    let gold = corpus.gold(&labels).expect("joined");
    let exhibits = measured(&corpus, Some(&gold), Paper::Manku, folder.path());
    let rows = &exhibits.iter().find(|exhibit| exhibit.name == "Section 6.E").expect("it is there").rows;
    let mut counts = Counts::default();
    for pair in &gold.pairs {
        let distance = corpus.collection().compared(pair.a, pair.b, Hamming::distance);
        counts.add(pair.label, distance.is_some_and(|distance| distance <= 3));
    }
    assert!(counts.found[0] > 0 && counts.missed[1] > 0, "{counts:?}");
    let figures = [counts.precision(), counts.recall(), counts.f1()].map(Cell::from);
    assert_eq!((&rows[0][1..4], &rows[0][4]), (&figures[..], &Cell::Share(0.0)));
    let changed: Vec<f64> = rows[1..].iter().map(|row| row[4].number().expect("a number")).collect();
    // The texts have no stop words and no words with an ending; upper case has only the time stamp of every third.
    let [once, inverse, case, stop, stems, .., two, three, five] = changed[..] else { panic!("{changed:?}") };
    assert_eq!((once, stop, stems), (0.0, 0.0, 0.0));
    assert!(0.0 < case && case < inverse && inverse < two.min(three).min(five), "{changed:?}");
}

/// The table of shingles has algorithm B of the recipe web in its first row.
#[test]
fn the_first_choice_of_shingles_is_that_of_the_recipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let (corpus, labels) = corpus(folder.path());
    let gold = corpus.gold(&labels).expect("joined");
    let exhibits = measured(&corpus, Some(&gold), Paper::Henzinger, folder.path());
    let rows = &exhibits.iter().find(|exhibit| exhibit.name == "Section 4").expect("it is there").rows;
    let mut counts = [Counts::default(); 2];
    for pair in &gold.pairs {
        let b = corpus.collection().compared(pair.a, pair.b, B::similarity);
        (2..).zip(&mut counts).for_each(|(least, counts)| counts.add(pair.label, b >= Some(least)));
    }
    assert!(counts[0].found[0] > 0 && counts[0].missed[1] > 0, "{counts:?}");
    let figures = |counts: &Counts| [counts.precision_of_returned(), counts.recall(), counts.f1()].map(Cell::from);
    assert_eq!(rows[0][1..], counts.iter().flat_map(figures).collect::<Vec<_>>());
    // Shorter shingles survive more edits.
    let recall = |row: usize| rows[row][5].number().expect("a number");
    assert!(recall(1) > recall(0) && recall(0) > recall(3), "{rows:?}");
}

/// Huang's first table has precision in both senses, and no second row of fingerprints where they are simhash.
#[test]
fn a_method_is_measured_as_in_the_paper_and_over_all_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (corpus, labels) = corpus(folder.path());
    let gold = corpus.gold(&labels).expect("joined");
    let exhibits = measured(&corpus, Some(&gold), Paper::Huang, folder.path());
    let rows = &exhibits.iter().find(|exhibit| exhibit.name == "Table 1").expect("it is there").rows;
    assert!(rows[0][8].number() > Some(0.0) && rows[0][9].number() > Some(0.0), "{rows:?}");
    assert_eq!(rows.len(), 3, "the fingerprints of the recipe web are simhash");
}

#[test]
fn papers_have_names() {
    for paper in Paper::ALL {
        assert_eq!(paper.name().parse(), Ok(paper));
    }
    assert!("broder".parse::<Paper>().expect_err("no paper").to_string().contains("henzinger, huang, ye, manku"));
}
