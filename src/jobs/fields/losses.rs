//! What is lost, as columns of tables and fields of JSON.

use std::borrow::Cow;

use nddb_dedup::{KnownLoss, PairLoss};
use nddb_verdict::{DocumentPair, Level};
use serde::{Serialize, Serializer};

use crate::json::Put;
use crate::quantity::counted;
use crate::rows::{Cell, CellKind, Column, json_value};

/// The columns of the loss of one document, and of the least level that removes it.
pub const OF_REMOVED: [Column; 5] = [
    Column::new("loss", CellKind::Share),
    Column::new("lost", CellKind::Text),
    Column::new("lost_words", CellKind::Number),
    Column::new("lost_passage", CellKind::Number),
    Column::new("level", CellKind::Text),
];
/// The columns of two documents: what each of the two loses, the least level that removes it, where the words come from,
/// and more.
macro_rules! of_two {
    ($($of:literal),+; $($more:expr),*) => {
        [
            $(
                Column::new(concat!("loss_", $of), CellKind::Share),
                Column::new(concat!("lost_", $of), CellKind::Text),
                Column::new(concat!("lost_words_", $of), CellKind::Number),
                Column::new(concat!("lost_passage_", $of), CellKind::Number),
                Column::new(concat!("level_", $of), CellKind::Text),
            )+
            Column::new("words", CellKind::Text),
            $($more),*
        ]
    };
}

/// The columns of a pair, and why the two are near.
pub const OF_PAIR: [Column; 12] = of_two!("a", "b"; Column::new("why", CellKind::Text));
/// The columns of a query and its match.
pub const OF_QUERY: [Column; 11] = of_two!("query", "match";);

/// The values of [`OF_REMOVED`]; what is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LossValues<'a> {
    /// The share of the words that is lost, or may be lost if it is estimated.
    pub share: Option<f64>,
    /// How many words of which kinds are lost in the whole text.
    pub lost: Option<Cow<'a, str>>,
    /// Number of lost words, of the content or of the whole text, as the share.
    pub words: Option<u64>,
    /// Number of lost words in the passage that loses most, of the content if that stands for the text.
    pub passage: Option<u64>,
    /// The least level that removes the document.
    pub level: Option<Level>,
}

impl LossValues<'_> {
    /// Returns the values of a loss and of the least level that allows it.
    pub fn of(loss: Option<&KnownLoss>, level: Option<Level>) -> Self {
        let part = loss.and_then(KnownLoss::part);
        Self {
            share: loss.and_then(KnownLoss::share).map(|share| (share * 1e6).round() / 1e6),
            lost: loss.map(|loss| lost(loss).into()),
            words: part.map(|part| part.lost as u64),
            passage: loss.and_then(KnownLoss::exact).map(|loss| loss.passage() as u64),
            level,
        }
    }

    /// Returns the cells of [`OF_REMOVED`].
    pub fn cells(&self) -> [Cell<'_>; 5] {
        let level = self.level.map(Level::name);
        [self.share.into(), self.lost.as_deref().into(), self.words.into(), self.passage.into(), level.into()]
    }
}

/// The values of [`OF_PAIR`] and [`OF_QUERY`].
pub struct PairLossValues {
    losses: [LossValues<'static>; 2],
    words: &'static str,
}

impl PairLossValues {
    /// Returns the values of a pair.
    pub fn of(pair: &PairLoss) -> Self {
        let of = |index: usize| LossValues::of(pair.losses[index].as_ref(), pair.levels[index]);
        Self { losses: [of(0), of(1)], words: pair.words.name() }
    }

    /// Returns the cells of [`OF_QUERY`].
    pub fn cells(&self) -> Vec<Cell<'_>> {
        self.losses.iter().flat_map(LossValues::cells).chain([self.words.into()]).collect()
    }
}

/// Returns why two documents are near, as far as their losses are known.
pub fn sentence(of: &PairLoss, pair: &DocumentPair<'_>) -> String {
    let exact = of.losses.each_ref().map(|loss| loss.as_ref().and_then(KnownLoss::exact));
    nddb_verdict::sentence(pair, exact)
}

/// A cell as a field of JSON.
pub struct Field<'a>(pub Cell<'a>);

impl Put for Field<'_> {
    fn put(&self, out: &mut Vec<u8>) {
        json_value(out, &self.0);
    }
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Number(number) => serializer.serialize_i64(number),
            Cell::Share(share) => serializer.serialize_f64(share),
            _ => serializer.serialize_none(),
        }
    }
}

/// Appends these cells to a row of TSV, each after a tab; what is not known is empty.
pub(crate) fn append_tsv(cells: &[Cell<'_>], out: &mut Vec<u8>) {
    for cell in cells {
        out.push(b'\t');
        match cell {
            Cell::Text(text) => out.extend_from_slice(text.as_bytes()),
            Cell::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Cell::Share(share) => out.extend_from_slice(share.to_string().as_bytes()),
            _ => {}
        }
    }
}

/// Returns what is lost, as text: `12 words: 1 number, 2 names`, `none`, or `estimated`.
pub(crate) fn lost(loss: &KnownLoss) -> String {
    match loss {
        KnownLoss::Estimate(_) => "estimated".to_owned(),
        KnownLoss::Loss(loss) if loss.whole.lost == 0 => "none".to_owned(),
        KnownLoss::Loss(loss) => {
            let kinds = [
                (loss.kinds.numbers, "number"),
                (loss.kinds.negations, "negation"),
                (loss.kinds.signs, "sign"),
                (loss.kinds.names, "name"),
                (loss.kinds.subjects, "subject"),
            ];
            let kinds = kinds.into_iter().filter(|(count, _)| *count > 0);
            let kinds: Vec<String> = kinds.map(|(count, kind)| counted(count as u64, kind)).collect();
            let words = counted(loss.whole.lost as u64, "word");
            if kinds.is_empty() { words } else { format!("{words}: {}", kinds.join(", ")) }
        }
    }
}
