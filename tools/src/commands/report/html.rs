//! A page in the making.

use crate::svg::escape;

const HEAD: &str = "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>nddb report</title>
<style>
body { font: 15px/1.45 sans-serif; max-width: 1100px; margin: 24px auto; padding: 0 16px; color: #222; }
h1 { font-size: 26px; } h2 { font-size: 20px; margin-top: 40px; border-bottom: 1px solid #bbb; } h3 { font-size: 16px; }
p { max-width: 760px; }
.plot { display: flex; gap: 24px; align-items: flex-start; flex-wrap: wrap; margin: 12px 0 24px; }
.plot svg { max-width: 100%; height: auto; }
.numbers { max-height: 300px; overflow-y: auto; padding-right: 12px; }
table { border-collapse: collapse; font-size: 13px; margin: 8px 0; }
th, td { padding: 2px 10px; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th:first-child, td:first-child, .text { text-align: left; }
td.text { white-space: normal; overflow-wrap: anywhere; }
</style>
</head>
<body>
";

/// HTML, from its head on.
pub(super) struct Html(String);

impl Html {
    pub(super) fn new() -> Self {
        Self(HEAD.into())
    }

    /// A heading of this level.
    pub(super) fn heading(&mut self, level: u8, text: &str) {
        self.0 += &format!("<h{level}>{}</h{level}>\n", escape(text));
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        self.0 += &format!("<p>{}</p>\n", escape(text));
    }

    /// A table: a cell that does not begin with a digit or a dash stands to the left.
    pub(super) fn table(&mut self, titles: &[&str], rows: &[Vec<String>]) {
        let first = rows.first();
        let is_text = |column: usize| {
            let cell = first.and_then(|row| row.get(column));
            cell.is_some_and(|cell| !cell.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-'))
        };
        let class = |column: usize| if is_text(column) { " class=\"text\"" } else { "" };
        self.0 += "<table>\n<tr>";
        for (column, title) in titles.iter().enumerate() {
            self.0 += &format!("<th{}>{}</th>", class(column), escape(title));
        }
        self.0 += "</tr>\n";
        for row in rows {
            self.0 += "<tr>";
            for (column, cell) in row.iter().enumerate() {
                self.0 += &format!("<td{}>{}</td>", class(column), escape(cell));
            }
            self.0 += "</tr>\n";
        }
        self.0 += "</table>\n";
    }

    /// A plot, and its numbers beside it.
    pub(super) fn plot(&mut self, svg: &str, titles: &[&str], rows: &[Vec<String>]) {
        self.0 += "<div class=\"plot\">\n";
        self.0 += svg;
        self.0 += "<div class=\"numbers\">\n";
        self.table(titles, rows);
        self.0 += "</div>\n</div>\n";
    }

    pub(super) fn finish(mut self) -> String {
        self.0 += "</body>\n</html>\n";
        self.0
    }
}
