//! Edits of known size in a text.

use nddb_page::sketch::split_mix;

/// The kind of edit of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EditKind {
    /// Another word is inserted after it.
    Insert,
    /// The word is deleted.
    Delete,
    /// Another word replaces it.
    Replace,
}

/// An edit of a share of the words of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edit {
    /// The kind of edit.
    pub kind: EditKind,
    /// The share of the words that are edited, 0 to 1; at least one word is.
    pub share: f64,
}

impl Edit {
    /// All edits that are tried: 1% and 5% of the words.
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

/// Returns a text with edits at random words; lines are preserved. New words come from `others`, words of other texts;
/// if there are none, new words are numbers. The same seed gives the same edits.
pub fn edited(text: &str, edit: &Edit, others: &[&str], seed: u64) -> String {
    let len = text.split_whitespace().count();
    let changes = ((len as f64 * edit.share).round() as usize).clamp(usize::from(len > 0), len);
    // The words with the least hashes are edited, so all sets of this size are equally likely.
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
