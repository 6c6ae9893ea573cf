//! Texts that another program extracted from pages, beside the pages themselves.

use std::path::Path;

use nddb::View;
use nddb::archive::{Format, Located};

/// Returns a warning if WET files come beside pages of WARC or ARC files, by the names of the inputs and of the
/// archives that the database holds.
pub(super) fn warning(view: View<'_>, inputs: &[Located]) -> nddb::Result<Option<String>> {
    let is_wet = |path: &Path| {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let is_archive = matches!(Format::of_name(path)?, Format::Warc | Format::Wet | Format::Arc);
        is_archive.then(|| name.contains(".wet"))
    };
    let archives = view.archives()?;
    let given: Vec<&Path> = inputs.iter().map(|input| &*input.path).collect();
    let all = || archives.iter().map(|(_, archive)| Path::new(&archive.path)).chain(given.iter().copied());
    // Earlier loads were warned of.
    let is_new = given.iter().any(|path| is_wet(path).is_some());
    let [wet, page] = [true, false].map(|wanted| all().find(|path| is_wet(path) == Some(wanted)));
    Ok(wet.zip(page).filter(|_| is_new).map(|(wet, page)| {
        format!(
            "{} has texts that another program extracted, {} has pages: a page is often not near its own text, so \
             compare the documents of one kind",
            wet.display(),
            page.display()
        )
    }))
}
