//! `--from-list`: inputs that a file names.

use std::path::{Path, PathBuf};

use nddb_remote::{is_remote, root};

use crate::failure::{Failure, Result};
use crate::lists;

/// Inputs that lists name.
#[derive(Debug, clap::Args)]
pub(crate) struct ListedInputs {
    /// Read the inputs that this file names, one per line, too: a file (.gz, too), an address, or - for stdin
    #[arg(long, value_name = "LIST")]
    from_list: Vec<PathBuf>,
    /// What relative lines of --from-list are below [default: the bucket or server of LIST, or the current folder]
    #[arg(long, value_name = "PREFIX", requires = "from_list")]
    base: Option<PathBuf>,
}

impl ListedInputs {
    /// Returns whether there is no list.
    pub(crate) fn is_empty(&self) -> bool {
        self.from_list.is_empty()
    }

    /// Reads the lists.
    pub(crate) fn read(&self) -> Result<Vec<PathBuf>> {
        let mut all = Vec::new();
        for list in &self.from_list {
            let before = all.len();
            let base = self.base.clone().or_else(|| root(list));
            // A path that is absolute stays what it is.
            let place = |line: &str| match &base {
                Some(base) if !is_remote(Path::new(line)) => base.join(line),
                _ => line.into(),
            };
            lists::each_line(list, &mut |_, line| {
                all.extend(Some(line.trim()).filter(|line| !line.is_empty()).map(place));
                Ok(())
            })?;
            if all.len() == before {
                return Err(Failure::failed(format!("{}: names no input", list.display())));
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_below_the_base_or_the_root_of_a_remote_list() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("paths");
        std::fs::write(&list, "crawl/a.gz\r\n\n /abs/b.gz\ns3://c/d.gz\n").expect("written");
        let read = |base: Option<&str>| {
            let listed = ListedInputs { from_list: vec![list.clone()], base: base.map(PathBuf::from) };
            listed.read().expect("a list")
        };
        assert_eq!(read(None), ["crawl/a.gz", "/abs/b.gz", "s3://c/d.gz"].map(PathBuf::from));
        let below = ["https://data.example.org/crawl/a.gz", "/abs/b.gz", "s3://c/d.gz"].map(PathBuf::from);
        assert_eq!(read(Some("https://data.example.org")), below);
        assert_eq!(root(Path::new("https://data.example.org/x/paths.gz")), Some("https://data.example.org".into()));
        assert_eq!(root(Path::new("x/paths.gz")), None);
        std::fs::write(&list, "\n").expect("written");
        assert!(ListedInputs { from_list: vec![list], base: None }.read().is_err(), "it names nothing");
    }
}
