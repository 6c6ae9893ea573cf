//! Plots of shares, 0 to 1: lines over numbers, and bars with names.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::{COLOURS, Mesh, Plot, Result, SIZE, failed, frame};

/// Height of the bars of one name in a list, and of the axis below it.
const ROW: u32 = 34;
const AXIS: u32 = 58;
/// Width of a letter of the names beside a list, and the greatest number of letters that fit.
const LETTER: u32 = 7;
const LETTERS_MAX: usize = 60;

/// The points of a line; an index without a share interrupts it.
pub struct Series {
    /// Indexes and shares, in the order of indexes.
    pub points: Vec<(f64, Option<f64>)>,
}

/// A range of numbers with labels at these numbers; plotters would choose others.
struct Marked {
    range: RangedCoordf64,
    indexes: Vec<f64>,
}

impl Marked {
    fn new(range: Range<f64>, indexes: Vec<f64>) -> Self {
        Self { range: range.into(), indexes }
    }
}

impl Ranged for Marked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.indexes.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.range()
    }
}

/// Axes with marked indexes below and shares beside.
type SharesMesh<'a, 'b, 'c> = Mesh<'a, 'b, 'c, Marked, RangedCoordf64>;

impl Plot<'_> {
    /// A line for each series, over an axis with these labels at these indexes.
    pub fn lines(&self, series: &[Series], labels: &[(f64, String)]) -> Result<String> {
        let indexes = || series.iter().flat_map(|series| &series.points);
        let low = indexes().map(|point| point.0).fold(f64::INFINITY, f64::min);
        let high = indexes().map(|point| point.0).fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low < high { (low, high) } else { (0.0, 1.0) };
        let (bottom, top) = range(indexes().filter_map(|point| point.1));
        let keys: Vec<f64> = labels.iter().map(|label| label.0).collect();
        let name = |index: &f64| {
            let near = labels.iter().find(|label| (label.0 - index).abs() < 1e-9);
            near.map_or_else(String::new, |label| label.1.clone())
        };
        self.draw(SIZE, |root| {
            let edge = (high - low) * 0.02;
            let mut chart = frame(root)
                .build_cartesian_2d(Marked::new(low - edge..high + edge, keys), bottom..top)
                .map_err(failed)?;
            self.shares(&mut chart.configure_mesh()).x_label_formatter(&name).draw().map_err(failed)?;
            for (series, colour) in series.iter().zip(COLOURS.iter().cycle()) {
                for part in series.points.split(|point| point.1.is_none()) {
                    let points: Vec<(f64, f64)> =
                        part.iter().filter_map(|&(index, share)| Some((index, share?))).collect();
                    let circles = points.iter().map(|&point| Circle::new(point, 3, colour.filled()));
                    chart.draw_series(circles).map_err(failed)?;
                    if points.len() > 1 {
                        let line = PathElement::new(points, colour.stroke_width(2));
                        chart.draw_series([line]).map_err(failed)?;
                    }
                }
            }
            Ok(())
        })
    }

    /// A bar for each name that has a share. The axis ends at the greatest share, or at 1.
    pub fn columns(&self, values: &[(String, Option<f64>)], to_one: bool) -> Result<String> {
        let most = values.iter().filter_map(|value| value.1).fold(0.0, f64::max);
        let top = if to_one || most <= 0.0 { 1.02 } else { most * 1.05 };
        let name = |index: &f64| {
            let whole = (index - index.round()).abs() < 1e-6 && *index > -0.5;
            values.get(index.round() as usize).filter(|_| whole).map_or_else(String::new, |value| value.0.clone())
        };
        let keys: Vec<f64> = (0..values.len()).map(|index| index as f64).collect();
        self.draw(SIZE, |root| {
            let mut chart = frame(root)
                .build_cartesian_2d(Marked::new(-0.6..values.len().max(1) as f64 - 0.4, keys), 0.0..top)
                .map_err(failed)?;
            let mut mesh = chart.configure_mesh();
            self.shares(&mut mesh).disable_x_mesh().x_label_formatter(&name).draw().map_err(failed)?;
            let bars = (0..).zip(values).filter_map(|(index, (_, share))| {
                let x = f64::from(index);
                Some(Rectangle::new([(x - 0.35, 0.0), (x + 0.35, (*share)?)], COLOURS[0].filled()))
            });
            chart.draw_series(bars).map_err(failed)?;
            Ok(())
        })
    }

    /// Axes with shares on the vertical one.
    fn shares<'m, 'a, 'b, 'c>(&self, mesh: &'m mut SharesMesh<'a, 'b, 'c>) -> &'m mut SharesMesh<'a, 'b, 'c> {
        self.axes(mesh).y_labels(6).y_label_formatter(&|share| format!("{share:.2}")).y_desc(self.y)
    }

    /// A list of names, from top to bottom, each with three bars.
    pub fn list(&self, rows: &[(String, [Option<f64>; 3])]) -> Result<String> {
        let len = rows.len() as f64;
        let name = |index: &f64| {
            let row = (len - 0.5 - index).round() as usize;
            rows.get(row).map_or_else(String::new, |row| row.0.clone())
        };
        let keys: Vec<f64> = (0..rows.len()).map(|index| index as f64 + 0.5).collect();
        let height = ROW * u32::try_from(rows.len()).unwrap_or(u32::MAX).clamp(1, 200) + AXIS;
        let letters = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0).min(LETTERS_MAX);
        let names = LETTER * letters as u32 + 16;
        self.draw((SIZE.0.max(names + 400), height), |root| {
            let mut chart = frame(root);
            chart.y_label_area_size(names);
            let mut chart =
                chart.build_cartesian_2d(0.0..1.02, Marked::new(0.0..len.max(1.0), keys)).map_err(failed)?;
            self.axes(&mut chart.configure_mesh())
                .disable_y_mesh()
                .x_labels(11)
                .x_label_formatter(&|share| format!("{share:.1}"))
                .y_label_formatter(&name)
                .draw()
                .map_err(failed)?;
            for (row, (_, shares)) in rows.iter().enumerate() {
                for (index, (share, colour)) in shares.iter().zip(COLOURS).enumerate() {
                    let top = len - row as f64 - 0.1 - 0.27 * index as f64;
                    let bar = share.map(|share| Rectangle::new([(0.0, top - 0.25), (share, top)], colour.filled()));
                    chart.draw_series(bar).map_err(failed)?;
                }
            }
            Ok(())
        })
    }
}

/// Returns the range of an axis of shares. The empty part below is limited, so that differences stay visible.
fn range(shares: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) = shares.fold((1.0, 1.0), |(least, most): (f64, f64), share| (least.min(share), most.max(share)));
    let low = [0.9, 0.8, 0.5].into_iter().find(|&low| least >= low).unwrap_or(0.0);
    (low, most + (most - low) * 0.02)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Plot<'_> = Plot { title: "shares", x: "index", y: "share" };

    #[test]
    fn a_line_is_parted_where_there_is_no_share() {
        let series = |points: &[(f64, Option<f64>)]| Series { points: points.to_vec() };
        let labels = [(1.0, "one".to_owned()), (4.0, "four".to_owned())];
        let points = [(1.0, Some(0.2)), (2.0, Some(0.4)), (3.0, None), (4.0, Some(0.9)), (5.0, Some(1.0))];
        let plot = PLOT.lines(&[series(&points)], &labels).expect("drawn");
        assert_eq!((plot.matches("<circle").count(), plot.matches("stroke-width=\"2\"").count()), (4, 2), "{plot}");
        assert!(plot.contains("one") && plot.contains("four"), "{plot}");
        PLOT.lines(&[], &[]).expect("nothing can be drawn");
        PLOT.lines(&[series(&[(3.0, None)])], &labels).expect("nothing can be drawn");
        PLOT.lines(&[series(&[(3.0, Some(0.5))])], &labels).expect("a point can be drawn");
    }

    #[test]
    fn a_bar_is_drawn_for_each_share() {
        let values = [("a".to_owned(), Some(0.5)), ("b & c".to_owned(), None), ("d".to_owned(), Some(1.0))];
        let plot = PLOT.columns(&values, true).expect("drawn");
        assert_eq!(plot.matches("#1F5A92").count(), 2, "{plot}");
        assert!(plot.contains("b &amp; c"), "{plot}");
        PLOT.columns(&[], false).expect("nothing can be drawn");
        let rows = [("first".to_owned(), [Some(0.5), None, Some(0.1)]), ("last".to_owned(), [Some(1.0); 3])];
        let plot = PLOT.list(&rows).expect("drawn");
        assert_eq!(plot.matches("#1F5A92").count(), 2, "{plot}");
        assert!(plot.find("first").expect("named") < plot.len() && plot.contains("last"));
        PLOT.list(&[]).expect("nothing can be drawn");
    }

    #[test]
    fn an_axis_begins_where_differences_can_be_seen() {
        let low = |shares: &[f64]| range(shares.iter().copied()).0;
        assert_eq!((low(&[0.99, 0.95]), low(&[0.85, 1.0]), low(&[0.6]), low(&[0.4, 1.0])), (0.9, 0.8, 0.5, 0.0));
        assert!(range([1.3].into_iter()).1 > 1.3);
    }
}
