//! Selections: byte ranges of archives that an index names, such as the columnar index of Common Crawl.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::error::ArchiveError;
use super::listing::Inputs;
#[cfg(feature = "parquet")]
use super::open;
use super::open::Located;
use super::ranges::{ByteRange, Ranges};

/// Ranges of archives, by the names of the archives in the index.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    archives: BTreeMap<String, Vec<ByteRange>>,
}

/// The archives of a selection that are among the inputs, and those that are not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selected {
    /// The archives that are named, with their ranges.
    pub inputs: Inputs,
    /// Number of ranges in them.
    pub ranges: u64,
    /// Inputs that the index does not name.
    pub unnamed: u64,
    /// Names of archives that are not among the inputs, each with the number of its ranges.
    pub absent: Vec<(String, u64)>,
}

impl Selection {
    /// Reads Parquet files with columns `warc_filename`, `warc_record_offset` and `warc_record_length`.
    ///
    /// # Errors
    /// A file cannot be read, has damage, or lacks one of the columns or a value.
    pub fn read<P: AsRef<Path>>(files: &[P]) -> Result<Selection, ArchiveError> {
        let mut selection = Selection::default();
        files.iter().try_for_each(|file| selection.add_file(file.as_ref()))?;
        Ok(selection)
    }

    #[cfg(feature = "parquet")]
    fn add_file(&mut self, path: &Path) -> Result<(), ArchiveError> {
        let reading = |source| open::failed("reading", path, source);
        let (origin, size) = open::seekable(open::source(path)?).map_err(reading)?;
        let limits = super::limits::Limits::default();
        let rows = super::table::each_range(origin, size, &limits, &mut |name, range| self.add(name, range));
        let why = |why| ArchiveError::UnusableTable { path: path.to_owned(), why };
        rows.map_err(reading)?.map_err(why)
    }

    #[cfg(not(feature = "parquet"))]
    fn add_file(&mut self, path: &Path) -> Result<(), ArchiveError> {
        let why = "this nddb was compiled without the feature `parquet`".to_owned();
        Err(ArchiveError::UnusableTable { path: path.to_owned(), why })
    }

    /// Adds a range of the archive of this name.
    pub fn add(&mut self, name: &str, range: ByteRange) {
        match self.archives.get_mut(name) {
            Some(ranges) => ranges.push(range),
            None => drop(self.archives.insert(name.to_owned(), vec![range])),
        }
    }

    /// Finds the archives among the inputs. An input matches a name if their last components, the file names, are
    /// equal. Among several candidates, the one with the most equal folders above the file matches.
    ///
    /// # Errors
    /// [`ArchiveError::Ambiguous`] if two inputs match a name equally well, or two names match an input equally well.
    pub fn choose(self, inputs: Inputs) -> Result<Selected, ArchiveError> {
        let Inputs { located, passed_over } = inputs;
        let mut by_file: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, located) in located.iter().enumerate() {
            by_file.entry(file_name(&located.path)).or_default().push(index);
        }
        let mut taken: BTreeMap<usize, (String, Vec<ByteRange>)> = BTreeMap::new();
        let mut selected = Selected::default();
        for (name, ranges) in self.archives {
            let candidates = by_file.get(&file_name(Path::new(&name))).map_or(&[][..], Vec::as_slice);
            let alike = |index: &usize| common(&located[*index].path, Path::new(&name));
            let Some(most) = candidates.iter().map(alike).max() else {
                selected.absent.push((name, Ranges::new(ranges).len() as u64));
                continue;
            };
            let mut best = candidates.iter().filter(|index| alike(index) == most);
            let (Some(&index), None) = (best.next(), best.next()) else {
                return Err(ambiguous(name, candidates.iter().map(|&index| located[index].path.clone())));
            };
            if let Some((other, ranges_of_other)) = taken.get_mut(&index) {
                let of_other = common(&located[index].path, Path::new(other));
                if of_other == most {
                    return Err(ambiguous(name, [located[index].path.clone()].into_iter()));
                }
                // The name that matches better gets the input; the other name belongs to another archive.
                let mut loser = (name, ranges);
                if most > of_other {
                    std::mem::swap(&mut loser.0, other);
                    std::mem::swap(&mut loser.1, ranges_of_other);
                }
                selected.absent.push((loser.0, Ranges::new(loser.1).len() as u64));
                continue;
            }
            taken.insert(index, (name, ranges));
        }
        selected.unnamed = (located.len() - taken.len()) as u64;
        for (index, located) in located.into_iter().enumerate() {
            let Some((_, ranges)) = taken.remove(&index) else { continue };
            let ranges = Ranges::new(ranges);
            selected.ranges += ranges.len() as u64;
            selected.inputs.located.push(Located { ranges: Some(ranges), ..located });
        }
        selected.inputs.passed_over = passed_over;
        Ok(selected)
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the number of equal components at the ends of two paths.
fn common(a: &Path, b: &Path) -> usize {
    let names = |path: &'_ Path| -> Vec<PathBuf> {
        path.components()
            .rev()
            .filter(|part| matches!(part, Component::Normal(_)))
            .map(|part| part.as_os_str().into())
            .collect()
    };
    names(a).iter().zip(names(b)).take_while(|(a, b)| **a == *b).count()
}

fn ambiguous(name: String, paths: impl Iterator<Item = PathBuf>) -> ArchiveError {
    ArchiveError::Ambiguous { name, paths: paths.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(paths: &[&str]) -> Inputs {
        let located = paths.iter().map(|path| Located { path: path.into(), document: None, ranges: None });
        Inputs { located: located.collect(), passed_over: 0 }
    }

    fn selection(names: &[&str]) -> Selection {
        let mut selection = Selection::default();
        for (offset, name) in (0..).zip(names) {
            selection.add(name, ByteRange { offset: 10 * offset, length: 10 });
        }
        selection
    }

    fn paths(selected: &Selected) -> Vec<&str> {
        selected.inputs.located.iter().map(|located| located.path.to_str().expect("UTF-8")).collect()
    }

    #[test]
    fn archives_are_found_by_the_ends_of_their_paths() {
        let names =
            ["crawl/1/warc/a.warc.gz", "crawl/2/warc/a.warc.gz", "crawl/1/warc/b.warc.gz", "crawl/1/warc/c.warc.gz"];
        let local = ["/data/2/warc/a.warc.gz", "b.warc.gz", "other.warc.gz", "1/warc/a.warc.gz"];
        let selected = selection(&names).choose(inputs(&local)).expect("no doubt");
        assert_eq!(paths(&selected), ["/data/2/warc/a.warc.gz", "b.warc.gz", "1/warc/a.warc.gz"]);
        assert_eq!((selected.ranges, selected.unnamed), (3, 1));
        assert_eq!(selected.absent, [("crawl/1/warc/c.warc.gz".to_owned(), 1)]);
        let offsets = selected.inputs.located.iter().map(|one| one.ranges.as_ref().and_then(|of| of.get(0)));
        assert_eq!(offsets.map(|range| range.expect("a range").offset).collect::<Vec<_>>(), [10, 20, 0]);
    }

    #[test]
    fn a_name_that_fits_less_well_is_of_another_archive() {
        for names in [["1/a.warc.gz", "2/a.warc.gz"], ["2/a.warc.gz", "3/a.warc.gz"]] {
            let selected = selection(&names).choose(inputs(&["x/2/a.warc.gz"])).expect("no doubt");
            assert_eq!((selected.ranges, selected.absent.len()), (1, 1), "{names:?}");
            assert_ne!(selected.absent[0].0, "2/a.warc.gz");
        }
    }

    #[test]
    fn what_fits_twice_is_an_error_that_names_it() {
        let twice = selection(&["crawl/a.warc.gz"]).choose(inputs(&["x/a.warc.gz", "y/a.warc.gz"]));
        assert!(twice.expect_err("two inputs").to_string().contains("y/a.warc.gz"));
        let names = selection(&["1/a.warc.gz", "2/a.warc.gz"]).choose(inputs(&["a.warc.gz"]));
        assert!(names.expect_err("two names").to_string().contains("2/a.warc.gz"));
    }
}
