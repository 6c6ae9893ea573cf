//! The label file that the page of an audit writes.

use std::collections::HashSet;
use std::io::{self, BufRead};

use super::page::COLUMNS;
use super::stratum::StratumKind;
use crate::difference::DifferenceKind;

/// An answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes.
    Yes,
    /// No.
    No,
    /// The reader could not tell.
    Unknown,
}

/// A line of a label file.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The decision about the pair.
    pub kind: StratumKind,
    /// The rule that decided.
    pub rule: String,
    /// The range of its score.
    pub score: String,
    /// Whether both documents are on one site.
    pub sites: String,
    /// The class of the cluster by its size.
    pub cluster: String,
    /// Pairs of the stratum.
    pub pairs: u64,
    /// Number of removals from which the audit was drawn.
    pub removals: u64,
    /// The probability by the model.
    pub probability: Option<f64>,
    /// Whether both pages have the same text.
    pub same: Answer,
    /// Whether anything is lost that is worth keeping.
    pub lost: Answer,
    /// Whether the kept page is as good.
    pub good: Answer,
    /// These three answers of the second time, if the pair was shown twice.
    pub again: Option<[Answer; 3]>,
    /// The kind of difference.
    pub differs: DifferenceKind,
    /// The kind of difference guessed from the words.
    pub guess: DifferenceKind,
}

impl Answered {
    /// Returns whether the answers of the second time are the same; `None` if the pair was shown once.
    pub fn is_alike(&self) -> Option<bool> {
        self.again.map(|again| again == [self.same, self.lost, self.good])
    }

    /// Returns whether both pages have the same text. `None` if the answers do not say, or differ the second time.
    pub fn is_near(&self) -> Option<bool> {
        match self.same {
            _ if self.is_alike() == Some(false) => None,
            Answer::Yes => Some(true),
            Answer::No => Some(false),
            Answer::Unknown => None,
        }
    }

    /// Returns whether the removal is right: nothing worth keeping is lost, and the kept page is as good. `None` if the
    /// answers do not say, or differ the second time.
    pub fn is_right(&self) -> Option<bool> {
        if self.is_alike() == Some(false) {
            return None;
        }
        match (self.lost, self.good) {
            (Answer::Yes, _) | (_, Answer::No) => Some(false),
            (Answer::No, Answer::Yes) => Some(true),
            _ => None,
        }
    }
}

/// Error: a label file cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct AnswersError {
    /// The line, from 1.
    pub line: u64,
    /// The broken rule.
    pub what: String,
    /// The underlying I/O error, if any.
    pub source: Option<io::Error>,
}

/// Reads the label file of one audit.
///
/// # Errors
/// [`AnswersError`] with the line, for: an unreadable line, a header that lacks a column of the page, a line with
/// another number of columns, an unknown value, a repeated pair, a line of another audit.
pub fn read_answers(input: impl BufRead) -> Result<Vec<Answered>, AnswersError> {
    let (mut columns, mut answers): (Option<[usize; COLUMNS.len()]>, Vec<Answered>) = (None, Vec::new());
    let (mut seen, mut audit, mut width, mut last) = (HashSet::new(), None, 0, 1);
    for (number, line) in (1..).zip(input.lines()) {
        last = number;
        let at = |what: String| AnswersError { line: number, what, source: None };
        let line =
            line.map_err(|error| AnswersError { line: number, what: "it cannot be read".into(), source: Some(error) })?;
        let line = line.trim_start_matches('\u{feff}').trim_end_matches('\r');
        if line.is_empty() {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        let Some(columns) = &columns else {
            width = cells.len();
            columns = Some(places(&cells).map_err(at)?);
            continue;
        };
        if cells.len() != width {
            return Err(at(format!("{} columns where the header has {width}", cells.len())));
        }
        let cell = |name: &str| {
            COLUMNS.iter().position(|column| *column == name).map_or("", |index| cells[columns[index]].trim())
        };
        if !seen.insert((cell("id1").to_owned(), cell("id2").to_owned())) {
            return Err(at("the pair occurs twice".into()));
        }
        if audit.get_or_insert_with(|| cell("audit").to_owned()) != cell("audit") {
            return Err(at("it is of another audit than the lines before: score each audit by itself".into()));
        }
        answers.push(answered(&cell).map_err(at)?);
    }
    match columns {
        Some(_) => Ok(answers),
        None => Err(AnswersError { line: last, what: "there is no header".into(), source: None }),
    }
}

/// Returns the index of each of [`COLUMNS`] in the header.
fn places(header: &[&str]) -> Result<[usize; COLUMNS.len()], String> {
    let mut places = [0; COLUMNS.len()];
    for (place, name) in places.iter_mut().zip(COLUMNS) {
        let found = header.iter().position(|cell| cell.trim() == name);
        *place =
            found.ok_or_else(|| format!("there is no column {name:?}: the page of an audit downloads such files"))?;
    }
    Ok(places)
}

fn answered<'a>(cell: &dyn Fn(&str) -> &'a str) -> Result<Answered, String> {
    let kind = StratumKind::named(cell("kind"));
    let number = |name: &str| {
        cell(name).parse::<u64>().map_err(|_| format!("{:?} in the column {name:?} is no count", cell(name)))
    };
    let probability = match cell("probability") {
        "" => None,
        text => match text.parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => Some(share),
            _ => return Err(format!("{text:?} in the column \"probability\" is none")),
        },
    };
    let again = ["same_again", "lost_again", "good_again"];
    let again = match again.map(|name| cell(name).is_empty()) {
        [true, true, true] => None,
        _ => Some([answer(again[0], cell)?, answer(again[1], cell)?, answer(again[2], cell)?]),
    };
    Ok(Answered {
        kind: kind.ok_or_else(|| format!("{:?} in the column \"kind\" is unknown", cell("kind")))?,
        rule: cell("rule").into(),
        score: cell("score").into(),
        sites: cell("sites").into(),
        cluster: cell("cluster").into(),
        pairs: number("pairs")?,
        removals: number("removals")?,
        probability,
        same: answer("same", cell)?,
        lost: answer("lost", cell)?,
        good: answer("good", cell)?,
        again,
        differs: difference("differs", cell)?,
        guess: difference("guess", cell)?,
    })
}

fn difference<'a>(name: &str, cell: &dyn Fn(&str) -> &'a str) -> Result<DifferenceKind, String> {
    DifferenceKind::named(cell(name))
        .ok_or_else(|| format!("{:?} in the column {name:?} is no difference that the page asks for", cell(name)))
}

fn answer<'a>(name: &str, cell: &dyn Fn(&str) -> &'a str) -> Result<Answer, String> {
    match cell(name) {
        "y" => Ok(Answer::Yes),
        "n" => Ok(Answer::No),
        "u" => Ok(Answer::Unknown),
        found => Err(format!("{found:?} in the column {name:?} is no answer (y, n, u)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<Vec<Answered>, String> {
        let text = [&[COLUMNS.join("\t").as_str()], lines].concat().join("\n");
        read_answers(text.as_bytes()).map_err(|error| error.to_string())
    }

    const LINE: &str = "a\tb\t1\ty\tn\ty\t\t\t\tURL only\tremoved\tmodel\tp\tsame site\t2\t40\t4\t100\t0.9\tx\trest";

    #[test]
    fn a_line_tells_the_answers_and_where_the_pair_was_drawn_from() {
        let answers =
            read(&[LINE, &LINE.replace("a\tb", "a\tc").replace("y\tn\ty\t\t\t", "y\tn\ty\ty\ty\ty")]).expect("labels");
        assert_eq!((answers[0].differs, answers[0].guess), (DifferenceKind::Url, DifferenceKind::Rest));
        assert_eq!((answers[0].pairs, answers[0].removals, answers[0].probability), (40, 100, Some(0.9)));
        assert_eq!(
            (answers[0].is_right(), answers[1].is_right()),
            (Some(true), None),
            "the second time it was another"
        );
        assert_eq!((answers[0].is_near(), answers[1].is_near()), (Some(true), None));
        let near = |same: Answer| Answered { same, ..answers[0].clone() }.is_near();
        assert_eq!([near(Answer::No), near(Answer::Unknown)], [Some(false), None]);
        let of = |lost: Answer, good: Answer| Answered { lost, good, ..answers[0].clone() }.is_right();
        assert_eq!(of(Answer::Yes, Answer::Unknown), Some(false));
        assert_eq!(of(Answer::No, Answer::No), Some(false));
        assert_eq!([of(Answer::Unknown, Answer::Yes), of(Answer::No, Answer::Unknown)], [None; 2]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (line, what) in [
            (LINE.to_owned(), "twice"),
            (LINE.replace("a\tb", "a\tc").replace("\tx", "\ty"), "another audit"),
            (LINE.replace("a\tb", "a\tc").replace("URL only", "colour"), "\"colour\" in the column \"differs\""),
            (LINE.replace("a\tb", "a\tc").replace("1\ty", "1\tmaybe"), "\"maybe\" in the column \"same\""),
            (LINE.replace("a\tb", "a\tc").replace("\t40", "\tmany"), "\"many\""),
            (LINE.replace("a\tb", "a\tc").replace("0.9", "1.9"), "probability"),
            (LINE.replace("a\tb", "a\tc").replace("removed", "gone"), "\"gone\""),
            ("a\tb".into(), "2 columns"),
        ] {
            let error = read(&[LINE, &line]).expect_err("refused");
            assert!(error.starts_with("line 3: ") && error.contains(what), "{error}");
        }
        let error = read_answers(&b"id1\tid2\tlabel\na\tb\t1\n"[..]).expect_err("refused").to_string();
        assert!(error.contains("line 1: there is no column \"same\""), "{error}");
        assert!(read_answers(&b""[..]).is_err());
    }
}
