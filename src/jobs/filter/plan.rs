//! The inputs, and where their documents go.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use nddb_archive::{Inputs, Located, Options, expand};
use nddb_index::View;

use super::archives::Archives;
use super::opened::{FilterInput, FilterOptions};
use super::pass::Pass;
use super::selection::{FilterCounts, FilterNote, Selection, Tell, Watching};
use super::targets::Targets;
use crate::error::{Advice, JobError, Result};
use crate::input;
use crate::output::{Destination, Outputs};

/// The inputs, and what is written of them.
pub(crate) struct FilterPlan {
    inputs: Vec<Located>,
    targets: Targets,
}

impl FilterPlan {
    /// Finds the inputs of the files and folders that are given, and registers the outputs: that of the kept
    /// documents, and that of the removed ones, each with the option that names it.
    ///
    /// # Errors
    /// An input is not found; an output is refused.
    pub(crate) fn make(
        how: &FilterOptions,
        given: &[PathBuf],
        (kept, removed): ((&str, &Path), Option<(&str, &Path)>),
        outputs: &Outputs,
        tell: &mut Tell<'_>,
    ) -> Result<Self> {
        let Inputs { located: inputs, passed_over } = expand(given, how.format)?;
        if passed_over > 0 {
            tell(FilterNote::PassedOver(passed_over));
        }
        let targets = Targets::of(given, &inputs, kept, removed, outputs)?;
        Ok(Self { inputs, targets })
    }

    /// Returns the inputs, to be loaded.
    pub(crate) fn inputs(&self) -> Inputs {
        Inputs { located: self.inputs.clone(), passed_over: 0 }
    }

    /// Returns the files of kept documents, in the order of the inputs.
    pub(crate) fn outputs(&self) -> &[Destination] {
        &self.targets.kept
    }

    /// Refuses inputs of which no part could be written, before they are loaded by these options.
    ///
    /// # Errors
    /// [`JobError::Options`]; an input cannot be read.
    pub(crate) fn check(&self, how: &FilterOptions, options: &Options) -> Result<()> {
        for (index, input) in self.inputs.iter().enumerate() {
            let opened = FilterInput::new(how, options.clone(), &Archives::none(), &[], input)?;
            let packing = input::packing(opened.path())?;
            let (kept, removed) = self.targets.of_input(index);
            opened.check(&input.path, [Some(kept), removed])?;
            for target in [Some(kept), removed].into_iter().flatten() {
                opened.kind.packing(packing, target.path(), &input.path)?;
            }
        }
        Ok(())
    }

    /// Passes on the documents of all inputs.
    ///
    /// # Errors
    /// As [`Filter::run`](super::Filter::run).
    pub(crate) fn copy(
        &self,
        how: &FilterOptions,
        view: View<'_>,
        selection: &mut Selection,
        watch: &mut Watching<'_>,
        tell: &mut Tell<'_>,
    ) -> Result<FilterCounts> {
        let archives = Archives::read(view)?;
        let named_by_url = &selection.named_by_url;
        let open =
            |input: &Located| FilterInput::new(how, archives.options(&input.path), &archives, named_by_url, input);
        let opened = self.inputs.iter().map(open).collect::<Result<Vec<_>>>()?;
        for (index, opened) in opened.iter().enumerate() {
            let (kept, removed) = self.targets.of_input(index);
            // What cannot be written in part is told first.
            input::packing(opened.path())?;
            opened.check(&self.inputs[index].path, [Some(kept), removed])?;
            if archives.is_changed(opened.path())? {
                tell(FilterNote::Changed(opened.path().to_owned()));
            }
        }
        let sizes: Vec<u64> = opened.iter().map(|opened| input::size(opened.path())).collect();
        let pass = |index: usize| Pass {
            how,
            input: &self.inputs[index].path,
            opened: &opened[index],
            sizes: (sizes[..index].iter().sum(), sizes.iter().sum()),
            read: AtomicU64::default(),
        };
        let mut all = FilterCounts::default();
        let list = &selection.list;
        if list.len() > 0 && (list.lacks_places() || opened.iter().any(|opened| opened.here.is_empty())) {
            selection.counts = true;
            for index in 0..opened.len() {
                pass(index).count(selection, watch)?;
            }
            selection.counts = false;
            if let Some(unknown) = selection.list.nothing() {
                return Err(JobError::input(unknown.nothing(&selection.list_path)).advise(Advice::CompareIds));
            }
        }
        if selection.cutter.is_some() {
            for (index, opened) in opened.iter().enumerate() {
                selection.here.clone_from(&opened.here);
                pass(index).read_texts(selection, watch)?;
            }
            selection.cutter.as_mut().map_or(Ok(()), |cutter| cutter.decide(watch))?;
        }
        for (index, (input, opened)) in self.inputs.iter().zip(&opened).enumerate() {
            selection.here.clone_from(&opened.here);
            let (kept, removed) = self.targets.of_input(index);
            let counts = pass(index).run(kept, removed, selection, watch)?;
            if counts.repacked {
                tell(FilterNote::Repacked(input.path.clone()));
            }
            all.join(&counts);
        }
        Ok(all)
    }
}
