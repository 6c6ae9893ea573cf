//! Plots as SVG elements of a page: bars, points on logarithmic axes, and shares.

mod shares;

use plotters::chart::MeshStyle;
use plotters::prelude::*;

use nddb_jobs::quantity::grouped;

pub use shares::Series;

/// Width and height of a plot.
pub(super) const SIZE: (u32, u32) = (640, 300);
/// Colours of plots; a page has lighter ones for a dark background.
pub const COLOURS: [RGBColor; 7] = [
    RGBColor(0x1f, 0x5a, 0x92),
    RGBColor(0xc4, 0x52, 0x0a),
    RGBColor(0x2e, 0x7d, 0x32),
    RGBColor(0x8e, 0x24, 0xaa),
    RGBColor(0xb7, 0x1c, 0x1c),
    RGBColor(0x00, 0x83, 0x8f),
    RGBColor(0x6d, 0x4c, 0x41),
];
const INK: RGBColor = COLOURS[0];
/// Font of labels and of the names of axes.
const LABEL: (&str, u32) = ("sans-serif", 13);
const AXIS_NAME: (&str, u32) = ("sans-serif", 14);
/// Greatest number of labels per power of a logarithmic axis: with ten or more, plotters draws some of them twice.
const POWERS: usize = 9;
/// The namespace that an SVG file needs and an element of a page does not. Nothing is ever fetched from this address.
const NAMESPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

/// Error: a plot cannot be drawn, with the message of the drawing library.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a plot cannot be drawn: {0}")]
pub struct PlotError(String);

/// A result of drawing.
pub type Result<T, E = PlotError> = std::result::Result<T, E>;

/// Axes that are about to be drawn.
pub(super) type Mesh<'a, 'b, 'c, X, Y> = MeshStyle<'a, 'b, X, Y, SVGBackend<'c>>;

/// The description of a plot.
pub struct Plot<'a> {
    /// The title, for readers who cannot see the plot.
    pub title: &'a str,
    /// Name of the horizontal axis.
    pub x: &'a str,
    /// Name of the vertical axis.
    pub y: &'a str,
}

impl Plot<'_> {
    /// A bar for each whole number.
    pub fn bars(&self, values: &[(u64, f64)]) -> Result<String> {
        let (low, high) = (values.first().map_or(0, |bar| bar.0), values.last().map_or(0, |bar| bar.0));
        let top = values.iter().map(|bar| bar.1).fold(0.0, f64::max);
        self.draw(SIZE, |root| {
            let mut chart = frame(root)
                .build_cartesian_2d(low as f64 - 0.6..high as f64 + 0.6, 0.0..if top > 0.0 { top * 1.05 } else { 1.0 })
                .map_err(failed)?;
            let whole = |x: &f64| if (x - x.round()).abs() < 1e-6 { format!("{}", x.round()) } else { String::new() };
            let count = |y: &f64| if y.fract() == 0.0 { grouped(*y as u64) } else { String::new() };
            let bars = (high - low + 1).min(16) as usize;
            self.axes(&mut chart.configure_mesh())
                .disable_x_mesh()
                .x_labels(bars)
                .y_labels(6)
                .x_label_formatter(&whole)
                .y_label_formatter(&count)
                .y_desc(self.y)
                .draw()
                .map_err(failed)?;
            let bars = values.iter().filter(|bar| bar.1 > 0.0).map(|&(x, y)| {
                let x = x as f64;
                Rectangle::new([(x - 0.4, 0.0), (x + 0.4, y)], INK.filled())
            });
            chart.draw_series(bars).map_err(failed)?;
            Ok(())
        })
    }

    /// A point for each pair of numbers, both at least 1, on logarithmic axes.
    pub fn log_points(&self, values: &[(u64, u64)]) -> Result<String> {
        let most = |of: fn(&(u64, u64)) -> u64| values.iter().map(of).max().unwrap_or(1).max(10) as f64;
        self.draw(SIZE, |root| {
            let mut chart = frame(root)
                .build_cartesian_2d(
                    (0.8..most(|point| point.0) * 1.5).log_scale(),
                    (0.8..most(|point| point.1) * 1.5).log_scale(),
                )
                .map_err(failed)?;
            let whole = |x: &f64| grouped(x.round() as u64);
            self.axes(&mut chart.configure_mesh())
                .x_labels(POWERS)
                .y_labels(POWERS)
                .x_label_formatter(&whole)
                .y_label_formatter(&whole)
                .y_desc(self.y)
                .draw()
                .map_err(failed)?;
            let points = values.iter().map(|&(x, y)| Circle::new((x as f64, y as f64), 3, INK.filled()));
            chart.draw_series(points).map_err(failed)?;
            Ok(())
        })
    }

    /// Sets the common properties of all axes.
    pub(super) fn axes<'m, 'a, 'b, 'c, X: Ranged, Y: Ranged>(
        &self,
        mesh: &'m mut Mesh<'a, 'b, 'c, X, Y>,
    ) -> &'m mut Mesh<'a, 'b, 'c, X, Y> {
        mesh.label_style(LABEL).axis_desc_style(AXIS_NAME).light_line_style(TRANSPARENT).x_desc(self.x)
    }

    pub(super) fn draw(
        &self,
        size: (u32, u32),
        draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> Result<()>,
    ) -> Result<String> {
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
            draw(&root)?;
            root.present().map_err(failed)?;
        }
        let label = format!(" role=\"img\" aria-label=\"{}\"", escape(self.title));
        Ok(text.replacen(NAMESPACE, &label, 1))
    }
}

pub(super) fn frame<'a, 'b>(
    root: &'a DrawingArea<SVGBackend<'b>, plotters::coord::Shift>,
) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut chart = ChartBuilder::on(root);
    chart.margin(8).margin_right(16).x_label_area_size(46).y_label_area_size(80);
    chart
}

pub(super) fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError(error.to_string())
}

/// Returns a text escaped for a page. Control characters, and characters that change the direction of a text, are
/// written as in Rust.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter if letter.is_control() || is_direction(letter) => out.extend(letter.escape_default()),
            letter => out.push(letter),
        }
    }
    out
}

/// Returns whether a character changes the direction in which the text around it is displayed.
fn is_direction(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Plot<'_> = Plot { title: "a & b", x: "index", y: "number" };

    #[test]
    fn a_bar_is_drawn_for_each_number_that_is_not_zero() {
        let plot = PLOT.bars(&[(0, 1.0), (1, 0.0), (2, 3.0)]).expect("drawn");
        assert_eq!(plot.matches("#1F5A92").count(), 2, "{plot}");
        assert!(plot.contains("aria-label=\"a &amp; b\"") && plot.contains("index") && !plot.contains("http"));
        assert_eq!(plot, PLOT.bars(&[(0, 1.0), (1, 0.0), (2, 3.0)]).expect("drawn"));
        PLOT.bars(&[]).expect("nothing can be drawn");
    }

    #[test]
    fn a_point_is_drawn_for_each_pair() {
        let plot = PLOT.log_points(&[(1, 1000), (10, 100), (1_000_000, 1)]).expect("drawn");
        assert_eq!(plot.matches("<circle").count(), 3, "{plot}");
        PLOT.log_points(&[]).expect("nothing can be drawn");
    }

    #[test]
    fn what_would_be_markup_is_text() {
        assert_eq!(escape("<a href=\"x\">&\t\u{0}é"), "&lt;a href=&quot;x&quot;&gt;&amp;\\t\\u{0}é");
        assert_eq!(
            escape("\u{202e}fdp.exe\u{2069}\u{5d0}"),
            "\\u{202e}fdp.exe\\u{2069}\u{5d0}",
            "directions are shown"
        );
    }
}
