//! The tables and figures of the four papers, measured on the documents of a user.
//!
//! Each paper has a file, which lists its exhibits ([`Exhibit`]) and takes their numbers from [`crate::measures`],
//! [`nddb_evaluate::eval`] and [`crate::tune`]: nothing is measured here. Each exhibit also shows the values in the paper.
//! Exhibits that need labels say so if there are none.

mod exhibit;
mod henzinger;
mod huang;
mod manku;
#[cfg(test)]
mod tests;
mod ye;

use nddb::detect::options::TextScope;
use nddb::detect::{Collection, MethodChoice, PairOptions, Resources};
use nddb::verdict::Method;
use nddb::{Progress, Result, View};
use nddb_evaluate::eval::Gold;
use nddb_evaluate::html::Html;
use nddb_evaluate::plot::PlotError;

pub use exhibit::{Cell, Chart, Exhibit};

/// Called from time to time with the progress; returning `false` ends the work.
type Watch<'a> = &'a mut (dyn FnMut(&Progress) -> bool + Send);

nddb_format::named! {
    /// One of the papers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Paper {
        /// Finding Near-Duplicate Web Pages: A Large-Scale Evaluation of Algorithms, 2006.
        Henzinger = "henzinger",
        /// Achieving Both High Precision and High Recall in Near-duplicate Detection, 2008.
        Huang = "huang",
        /// A Systematic Study on Parameter Correlations in Large-Scale Duplicate Document Detection, 2007.
        Ye = "ye",
        /// Detecting Near-Duplicates for Web Crawling, 2007.
        Manku = "manku",
    }
    unknown UnknownPaper: "paper", "papers"
}

impl Paper {
    /// Returns authors, title and year.
    pub fn title(self) -> &'static str {
        match self {
            Self::Henzinger => {
                "Henzinger: Finding Near-Duplicate Web Pages: A Large-Scale Evaluation of Algorithms (SIGIR 2006)"
            }
            Self::Huang => {
                "Huang, Wang, Li: Achieving Both High Precision and High Recall in Near-duplicate Detection (CIKM 2008)"
            }
            Self::Ye => {
                "Ye, Wen, Ma: A Systematic Study on Parameter Correlations in Large-Scale Duplicate Document Detection \
                 (KAIS 2007)"
            }
            Self::Manku => "Manku, Jain, Das Sarma: Detecting Near-Duplicates for Web Crawling (WWW 2007)",
        }
    }

    /// Returns the recipe with the sketches of the paper.
    pub fn recipe(self) -> &'static str {
        "web"
    }

    /// Measures all its tables and figures.
    ///
    /// # Errors
    /// Errors of [`nddb::detect::pairs`]; [`nddb::Error::Method`] if the recipe of the documents lacks a sketch.
    pub fn measure(self, subject: &Subject<'_>, watch: Watch<'_>) -> Result<Vec<Exhibit>> {
        match self {
            Self::Henzinger => henzinger::exhibits(subject, watch),
            Self::Huang => huang::exhibits(subject, watch),
            Self::Ye => ye::exhibits(subject, watch),
            Self::Manku => manku::exhibits(subject, watch),
        }
    }
}

/// Documents on which a paper is measured.
pub struct Subject<'a> {
    /// The name that the user gave.
    pub name: String,
    /// The state of their database.
    pub view: View<'a>,
    /// The documents.
    pub collection: &'a Collection,
    /// Labelled pairs of them, if there are any.
    pub gold: Option<&'a Gold>,
    /// The approximate number of documents whose texts are read, and the seed of their draw.
    pub sample: (usize, u64),
    /// The part of a page that is its text; by default, that of the recipe.
    pub part: Option<TextScope>,
    /// Memory limit and folder for temporary files.
    pub resources: Resources,
    /// Threads that compare texts.
    pub threads: usize,
}

impl Subject<'_> {
    /// The options for running a method.
    fn options(&self, method: impl Into<Box<dyn Method>>) -> PairOptions {
        PairOptions {
            resources: self.resources.clone(),
            part: self.part,
            ..PairOptions::chosen(MethodChoice::exactly(method))
        }
    }

    /// The options for reading texts.
    fn options_of_texts(&self) -> PairOptions {
        self.options(nddb::verdict::methods::Lcs::default())
    }

    /// The reason why an exhibit has no rows without labels, and the next step.
    fn unlabelled(&self) -> String {
        let name = &self.name;
        format!(
            "Not measured: it needs labels. Judge some pairs on the page of nddb audit {name}, then give the file that it \
             downloads: --labels FILE."
        )
    }
}

/// Returns the page of a paper: one self-contained HTML file, with a section for each subject.
///
/// # Errors
/// [`PlotError`] of a plot that cannot be drawn.
pub fn page(paper: Paper, subjects: &[(String, Vec<Exhibit>)]) -> Result<String, PlotError> {
    let mut html = Html::new(&format!("nddb-lab paper {}", paper.name()));
    html.heading(1, paper.title());
    html.paragraph(&format!(
        "The tables and figures of the paper, measured on other pages, with the paper's figures beside them. Made by \
         nddb {}.",
        env!("CARGO_PKG_VERSION")
    ));
    for (name, exhibits) in subjects {
        html.heading(2, name);
        for exhibit in exhibits {
            exhibit.write(&mut html)?;
        }
    }
    Ok(html.finish())
}
