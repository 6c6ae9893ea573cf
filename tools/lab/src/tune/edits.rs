//! Edits of known size in a text.

use nddb_page::sketch::split_mix;

/// What is done to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EditKind {
    /// Another word is put after it.
    Insert,
    /// It is left out.
    Delete,
    /// Another word replaces it.
    Replace,
}

/// An edit of a share of the words of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edit {
    /// What is done.
    pub kind: EditKind,
    /// To how many of the words, 0 to 1; at least one.
    pub share: f64,
}

impl Edit {
    /// All that are tried: 1% and 5% of the words.
    pub const ALL: [Edit; 6] = {
        let (insert, delete, replace) = (EditKind::Insert, EditKind::Delete, EditKind::Replace);
        [
            Edit { kind: insert, share: 0.01 },
            Edit { kind: insert, share: 0.05 },
            Edit { kind: delete, share: 0.01 },
            Edit { kind: delete, share: 0.05 },
            Edit { kind: replace, share: 0.01 },
            Edit { kind: replace, share: 0.05 },
        ]
    };

    /// The name of the edit.
    pub fn name(&self) -> String {
        let kind = match self.kind {
            EditKind::Insert => "insert",
            EditKind::Delete => "delete",
            EditKind::Replace => "replace",
        };
        format!("{kind} {}%", (self.share * 100.0).round())
    }
}

/// A text with an edit made in it, scattered over its words; lines stay lines. New words come from `others`, words of
/// other texts; where there are none, they are numbers. The same seed makes the same edit.
pub fn edited(text: &str, edit: &Edit, others: &[&str], seed: u64) -> String {
    let len = text.split_whitespace().count();
    let changes = ((len as f64 * edit.share).round() as usize).clamp(usize::from(len > 0), len);
    // The words of least hash are edited: any set of so many is as likely as any other.
    let mut indexes: Vec<(u64, usize)> = (0..len).map(|index| (split_mix(seed, index as u64), index)).collect();
    indexes.sort_unstable();
    let mut indexes: Vec<usize> = indexes[..changes].iter().map(|&(_, index)| index).collect();
    indexes.sort_unstable();
    let other = |index: usize| {
        let hash = split_mix(!seed, index as u64);
        others.get((hash % others.len().max(1) as u64) as usize).map_or_else(|| hash.to_string(), |&word| word.into())
    };
    let (mut out, mut index, mut next) = (String::with_capacity(text.len()), 0, 0);
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let mut words: Vec<String> = Vec::new();
        for word in line.split_whitespace() {
            let is_edited = indexes.get(next) == Some(&index);
            if !is_edited || edit.kind == EditKind::Insert {
                words.push(word.into());
            }
            if is_edited {
                next += 1;
                if edit.kind != EditKind::Delete {
                    words.push(other(index));
                }
            }
            index += 1;
        }
        out.push_str(&words.join(" "));
    }
    out
}
