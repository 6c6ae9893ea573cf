//! What can be added to a row: its cluster, and why it is removed.

use std::path::Path;

use nddb_index::View;

use super::remove_list::{Clusters, Fate, Places};
use crate::copies::{COPIES, COPIES_HELP, Copies, CopyCounts};
use crate::error::{JobError, Result};
use crate::named_id::{NamedId, hash, resolved};
use crate::removed::{Because, RemoveTsv, add_copy};
use crate::rows::{Cell, CellKind, Column};

/// A field or column that can be added to each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterField {
    /// The id of the document's cluster.
    ClusterId,
    /// Number of documents of the cluster.
    ClusterSize,
    /// Whether the document is kept.
    Kept,
    /// The id of the document that is kept instead.
    DuplicateOf,
    /// The rule that decided to remove the document.
    Rule,
    /// The probability that the document and the kept one are near-duplicates.
    Probability,
    /// The share of the document's words that the kept one lacks.
    Loss,
    /// Of a kept document how often it was found: itself and what is removed in its place.
    Copies,
    /// The same by batch, as an object of names and numbers.
    CopiesByBatch,
}

impl FilterField {
    /// All fields.
    pub const ALL: &[Self] = &[
        Self::ClusterId,
        Self::ClusterSize,
        Self::Kept,
        Self::DuplicateOf,
        Self::Rule,
        Self::Probability,
        Self::Loss,
        Self::Copies,
        Self::CopiesByBatch,
    ];

    /// Returns the fields that are added without being named.
    pub fn usual() -> Vec<Self> {
        let all = Self::ALL.iter().copied();
        all.filter(|field| !matches!(field, Self::Copies | Self::CopiesByBatch)).collect()
    }

    /// Returns the name of the field.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.column().name
    }

    /// Describes the field in a line.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::ClusterId => "The id of the document's cluster, or null",
            Self::ClusterSize => "Number of documents of the cluster, or 1",
            Self::Kept => "Whether the document is kept",
            Self::DuplicateOf => "The id of the document that is kept instead, or null",
            Self::Rule => "The rule that decided to remove the document, or null",
            Self::Probability => "The probability that the document and the kept one are near-duplicates, or null",
            Self::Loss => "The share of the document's words that the kept one lacks, or null",
            Self::Copies => COPIES_HELP[0],
            Self::CopiesByBatch => COPIES_HELP[1],
        }
    }

    pub(super) fn column(self) -> Column {
        match self {
            Self::ClusterId => Column::new("cluster_id", CellKind::Text),
            Self::ClusterSize => Column::new("cluster_size", CellKind::Number),
            Self::Kept => Column::new("kept", CellKind::Flag),
            Self::DuplicateOf => Column::new("duplicate_of", CellKind::Text),
            Self::Rule => Column::new("rule", CellKind::Text),
            Self::Probability => Column::new("probability", CellKind::Share),
            Self::Loss => Column::new("loss", CellKind::Share),
            Self::Copies => COPIES[0],
            Self::CopiesByBatch => COPIES[1],
        }
    }

    fn is_reason(self) -> bool {
        matches!(self, Self::DuplicateOf | Self::Rule | Self::Probability | Self::Loss)
    }
}

/// The cluster of a row, and the decision to remove it or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Note {
    /// Index of its cluster.
    pub(super) cluster: Option<u32>,
    /// Index of the reason for which it is removed.
    pub(super) reason: Option<u32>,
    /// Index of the copies that it stands for.
    pub(super) copies: Option<u32>,
    pub(super) is_removed: bool,
}

/// What a clustering says of documents, for the fields that are asked for.
#[derive(Default)]
pub(crate) struct Notes {
    clusters: Clusters,
    reasons: Reasons,
    /// How often documents were found, by the hashes of their ids, ascending; only those with copies.
    copies: Vec<(u128, CopyCounts)>,
}

impl Notes {
    /// Reads what these fields need from the folder that `nddb cluster` wrote about the documents of a database, and
    /// where those that it removes stand, if the folder says it. Its table is read once.
    pub(super) fn read(folder: &Path, fields: &[FilterField], view: View<'_>) -> Result<(Self, Option<Places>)> {
        let clusters = match fields {
            [] => Clusters::default(),
            _ => Clusters::read(&folder.join("clusters.jsonl"))?,
        };
        let has_reasons = fields.iter().any(|field| field.is_reason());
        let has_copies = fields.iter().any(|field| matches!(field, FilterField::Copies | FilterField::CopiesByBatch));
        let table = folder.join("remove.tsv");
        if !has_reasons && !has_copies && !table.exists() {
            return Ok((Self { clusters, ..Self::default() }, None));
        }
        let (mut places, mut reasons) = (Places::default(), Reasons::default());
        let mut copies = has_copies.then(|| Copies::new(view)).transpose()?;
        RemoveTsv::read(&table, &mut |named, because, place| {
            places.add(&named, place);
            if let Some(copies) = &mut copies {
                add_copy(copies, &named, because.kept, view)?;
            }
            if has_reasons { reasons.add((&named, &because), &table, view) } else { Ok(()) }
        })?;
        reasons.by_id.sort_unstable();
        let copies = copies.map_or_else(Vec::new, |copies| copies.sorted().all());
        Ok((Self { clusters, reasons, copies }, Some(places.sorted())))
    }

    /// Returns the cluster of a row and the decision about it; without a cluster if another row of its id was judged.
    pub(super) fn of(&self, id: Option<&str>, fate: Fate) -> Note {
        let is_removed = fate == Fate::Removed;
        let Some(id) = id.filter(|_| fate != Fate::Spared) else { return Note { is_removed, ..Note::default() } };
        let hash = hash(id);
        let reason = if is_removed { self.reasons.index(hash) } else { None };
        let copies = self.copies.binary_search_by_key(&hash, |(kept, _)| *kept);
        let copies = copies.ok().and_then(|index| u32::try_from(index).ok());
        Note { cluster: self.clusters.index(hash), reason, copies, is_removed }
    }

    /// Returns the value of a field.
    pub(super) fn cell(&self, field: FilterField, note: Note) -> Cell<'_> {
        let cluster = note.cluster.map(|index| self.clusters.get(index));
        let reason = note.reason.map(|index| &self.reasons.all[index as usize]);
        match field {
            FilterField::ClusterId => cluster.map_or(Cell::Null, |cluster| Cell::id(&cluster.id)),
            FilterField::ClusterSize => cluster.map_or(1, |cluster| cluster.size).into(),
            FilterField::Kept => (!note.is_removed).into(),
            FilterField::DuplicateOf => reason.and_then(|reason| reason.kept.as_deref()).map_or(Cell::Null, Cell::id),
            FilterField::Rule => reason.and_then(|reason| reason.rule).map(|rule| &*self.reasons.rules[rule]).into(),
            FilterField::Probability => reason.and_then(|reason| reason.probability).into(),
            FilterField::Loss => reason.and_then(|reason| reason.loss).into(),
            FilterField::Copies | FilterField::CopiesByBatch if note.is_removed => Cell::Null,
            FilterField::Copies | FilterField::CopiesByBatch => {
                static ALONE: CopyCounts = CopyCounts { copies: 1, by_batch: None };
                let counts = note.copies.map_or(&ALONE, |index| &self.copies[index as usize].1);
                CopyCounts::cells(Some(counts))[usize::from(field == FilterField::CopiesByBatch)]
            }
        }
    }
}

/// Why documents are removed. Memory: about 100 bytes each.
#[derive(Default)]
struct Reasons {
    /// Hashes of the ids of the documents, ascending, with the index of their reason.
    by_id: Vec<(u128, u32)>,
    all: Vec<Reason>,
    /// The names of rules.
    rules: Vec<String>,
}

struct Reason {
    kept: Option<Box<str>>,
    /// Index of the name of the rule.
    rule: Option<usize>,
    probability: Option<f64>,
    loss: Option<f64>,
}

impl Reasons {
    fn add(&mut self, (named, because): (&NamedId, &Because<'_>), table: &Path, view: View<'_>) -> Result<()> {
        let kept = because.kept.and_then(NamedId::of_cell);
        let kept = kept.map(|kept| resolved(&kept, view)).transpose()?.map(String::into_boxed_str);
        let rule = because.rule.map(|rule| self.rule(rule));
        let index = u32::try_from(self.all.len())
            .map_err(|_| JobError::input(format!("{}: more than 2^32 documents", table.display())))?;
        self.by_id.push((hash(&resolved(named, view)?), index));
        self.all.push(Reason { kept, rule, probability: because.probability, loss: because.loss.share });
        Ok(())
    }

    /// Returns the index of the name of a rule.
    fn rule(&mut self, name: &str) -> usize {
        self.rules.iter().position(|known| known == name).unwrap_or_else(|| {
            self.rules.push(name.to_owned());
            self.rules.len() - 1
        })
    }

    fn index(&self, hash: u128) -> Option<u32> {
        let index = self.by_id.binary_search_by_key(&hash, |(id, _)| *id).ok()?;
        Some(self.by_id[index].1)
    }
}
