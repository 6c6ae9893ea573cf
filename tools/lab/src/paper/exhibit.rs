//! A table or figure of a paper, measured on documents of a user: its rows, the values in the paper, and the kind of
//! plot.

use nddb_evaluate::html::Html;
use nddb_evaluate::plot::{Plot, Result, Series};
use nddb_jobs::quantity::{decimal, grouped};

/// A table or figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exhibit {
    /// Its name in the paper: `Table 2`.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// Titles of the columns.
    pub columns: Vec<String>,
    /// Rows, as wide as the titles.
    pub rows: Vec<Vec<Cell>>,
    /// The kind of plot, if it is a figure.
    pub chart: Option<Chart>,
    /// The values in the paper, one sentence each.
    pub paper: Vec<String>,
    /// Notes on the measurement, and on missing values.
    pub notes: Vec<String>,
}

/// A value in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A count.
    Count(u64),
    /// A share, or another small number, with three decimals.
    Share(f64),
    /// The value could not be measured.
    None,
}

impl Cell {
    /// Returns the value as text.
    pub fn told(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => grouped(*count),
            Cell::Share(share) => decimal(Some(*share), 3),
            Cell::None => "-".into(),
        }
    }

    /// Returns the value as a number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Count(count) => Some(*count as f64),
            Cell::Share(share) => Some(*share),
            Cell::Text(_) | Cell::None => None,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Cell::Count(count)
    }
}

impl From<f64> for Cell {
    fn from(share: f64) -> Self {
        Cell::Share(share)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::None, Into::into)
    }
}

/// The kind of plot of a figure. The first column is the horizontal axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chart {
    /// The second column as bars over whole numbers.
    Bars,
    /// The second column as points, both axes logarithmic.
    LogPoints,
    /// A line for each of the columns with these indexes, which are shares.
    Lines(Vec<usize>),
}

impl Exhibit {
    /// Returns an exhibit with these columns and no rows.
    pub(super) fn new(name: &'static str, title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { name, title: title.into(), columns, ..Self::default() }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = cells.into_iter().collect();
        assert_eq!(row.len(), self.columns.len(), "{} has a cell for each column", self.name);
        self.rows.push(row);
    }

    /// Adds a value in the paper.
    pub(super) fn paper(mut self, text: impl Into<String>) -> Self {
        self.paper.push(text.into());
        self
    }

    /// Adds a note on the measurement.
    pub(super) fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Plots the rows.
    pub(super) fn plotted(mut self, chart: Chart) -> Self {
        self.chart = Some(chart);
        self
    }

    /// Returns the rows as texts.
    pub fn told(&self) -> Vec<Vec<String>> {
        self.rows.iter().map(|row| row.iter().map(Cell::told).collect()).collect()
    }

    pub(super) fn write(&self, html: &mut Html) -> Result<()> {
        html.heading(3, &format!("{}: {}", self.name, self.title));
        for line in &self.notes {
            html.paragraph(line);
        }
        for line in &self.paper {
            html.paragraph(&format!("The paper: {line}"));
        }
        let titles: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let rows = self.told();
        match self.drawn()? {
            _ if rows.is_empty() => {}
            Some((svg, legend)) => {
                let legend: Vec<&str> = legend.iter().map(|&column| titles[column]).collect();
                html.plot_of(&svg, if legend.len() > 1 { &legend } else { &[] }, &titles, &rows);
            }
            None => html.wide_table(&titles, &rows),
        }
        Ok(())
    }

    /// The plot, and the columns that it shows.
    fn drawn(&self) -> Result<Option<(String, Vec<usize>)>> {
        let Some(chart) = &self.chart else { return Ok(None) };
        let y = self.columns.get(1).map_or("", String::as_str);
        let plot = Plot { title: &self.title, x: &self.columns[0], y };
        let pairs = || {
            let numbers = self.rows.iter().filter_map(|row| Some((row[0].number()?, row[1].number()?)));
            numbers.map(|(x, y)| (x as u64, y))
        };
        Ok(Some(match chart {
            Chart::Bars => (plot.bars(&pairs().collect::<Vec<_>>())?, vec![1]),
            Chart::LogPoints => {
                let points: Vec<(u64, u64)> = pairs().map(|(x, y)| (x, y as u64)).collect();
                (plot.log_points(&points)?, vec![1])
            }
            Chart::Lines(columns) => {
                // Words are placed in their order.
                let place = |(index, row): (usize, &Vec<Cell>)| row[0].number().unwrap_or(index as f64);
                let places: Vec<f64> = self.rows.iter().enumerate().map(place).collect();
                let points = |&column: &usize| Series {
                    points: places.iter().zip(&self.rows).map(|(&x, row)| (x, row[column].number())).collect(),
                };
                let series: Vec<Series> = columns.iter().map(points).collect();
                let step = self.rows.len().div_ceil(12).max(1);
                let labels = places.iter().zip(&self.rows).step_by(step).map(|(&x, row)| (x, row[0].told()));
                let plot = Plot { y: if columns.len() > 1 { "share" } else { &self.columns[columns[0]] }, ..plot };
                (plot.lines(&series, &labels.collect::<Vec<_>>())?, columns.clone())
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exhibit(chart: Option<Chart>) -> Exhibit {
        let mut made = Exhibit::new("Figure 1", "shares by k", &["k", "precision", "recall"]);
        made.row([1u64.into(), 0.5.into(), Cell::None]);
        made.row([2u64.into(), 0.25.into(), 1.0.into()]);
        Exhibit { chart, ..made.paper("about 0.75 at k = 3").note("by labels") }
    }

    #[test]
    fn values_are_told_and_drawn() {
        assert_eq!(exhibit(None).told(), [["1", "0.500", "-"], ["2", "0.250", "1.000"]]);
        for (chart, drawn) in [
            (None, false),
            (Some(Chart::Bars), true),
            (Some(Chart::LogPoints), true),
            (Some(Chart::Lines(vec![1, 2])), true),
        ] {
            let mut html = Html::new("a page");
            exhibit(chart.clone()).write(&mut html).expect("drawn");
            let page = html.finish();
            for part in ["Figure 1: shares by k", "The paper: about 0.75 at k = 3", "by labels", "0.250"] {
                assert!(page.contains(part), "{part}: {page}");
            }
            assert_eq!(page.contains("<svg"), drawn, "{chart:?}");
        }
    }
}
