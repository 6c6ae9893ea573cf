//! Writer of an HTML page: one self-contained file without scripts.

use crate::plot::{COLOURS, escape};
use crate::word_diff::{WORD_DIFF_STYLE, WordDiff};

/// Colours of plots on a dark background, in the order of [`COLOURS`].
const ON_DARK: [&str; 7] = ["#7fb2e5", "#f2a365", "#81c784", "#ce93d8", "#ef9a9a", "#4dd0e1", "#bcaaa4"];

const STYLE: &str = "\
:root { color-scheme: light dark; --ink: #222; --ground: #fff; --line: #ccc; --warn: #fff4e0; }
body { font: 15px/1.45 sans-serif; max-width: 1240px; margin: 24px auto; padding: 0 16px; color: var(--ink); background: \
var(--ground); }
h1 { font-size: 26px; } h2 { font-size: 20px; margin-top: 40px; border-bottom: 1px solid var(--line); }
h3 { font-size: 16px; margin-top: 28px; }
p { max-width: 800px; }
.warning { border-left: 4px solid #c77700; padding: 6px 12px; background: var(--warn); }
.plot { display: flex; gap: 24px; align-items: flex-start; flex-wrap: wrap; margin: 12px 0 24px; }
.plot svg { max-width: 100%; height: auto; }
.numbers { max-height: 320px; overflow: auto; padding-right: 12px; }
.legend { font-size: 13px; margin: 4px 0 0; } .legend { max-width: 640px; } .legend span { margin-right: 14px; \
white-space: nowrap; }
.legend b { font-size: 16px; }
.wide { max-height: 460px; overflow: auto; }
table { border-collapse: collapse; font-size: 13px; margin: 8px 0; }
th, td { padding: 2px 10px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { position: sticky; top: 0; background: var(--ground); }
th:first-child, td:first-child, .text { text-align: left; }
td.text { white-space: normal; overflow-wrap: anywhere; min-width: 64px; }
nav { columns: 2 240px; max-width: 800px; margin: 16px 0; } nav a { display: block; }
a { color: inherit; }
.lead { font-size: 20px; } .small { font-size: 13px; margin: 6px 0; }
pre span { white-space: nowrap; } pre { background: var(--line); padding: 8px 12px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.pair { border-top: 1px solid var(--line); margin-top: 20px; padding-top: 8px; } .pair p { margin: 2px 0; \
overflow-wrap: anywhere; max-width: none; } .pair span { opacity: 0.75; font-size: 13px; }
h1, h2, h3, .key { overflow-wrap: anywhere; }
.key { color: var(--ink); opacity: 0.75; font-size: 13px; overflow-wrap: anywhere; }
@media (max-width: 700px) { body { margin: 12px auto; padding: 0 12px; } table { display: block; overflow-x: auto; \
max-width: 100%; } th, td { padding: 2px 6px; } th { position: static; } .stacked table, \
.stacked tr, .stacked td { display: block; } .stacked th { display: none; } .stacked td { border: 0; padding: 1px 0; } \
.stacked tr { border-bottom: 1px solid var(--line); padding: 4px 0; } }
@media print { nav, a[download] { display: none; } .wide, .numbers { max-height: none; overflow: visible; } \
h1, h2, h3, .pair { break-after: avoid; } tr, .pair { break-inside: avoid; } }
svg [fill=\"#000000\"] { fill: var(--ink); } svg [stroke=\"#000000\"] { stroke: var(--ink); }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --ground: #16181b; --line: #444; --warn: #3a2c12; } }
";

/// An HTML page under construction.
pub struct Html {
    text: String,
    /// The headings of the second level so far.
    sections: Vec<String>,
    /// Where the list of contents belongs, and the sections before it.
    contents: Option<(usize, usize)>,
}

impl Html {
    /// Begins a page with this title.
    pub fn new(title: &str) -> Self {
        let text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n<style>\n{STYLE}{}</style>\n\
             </head>\n<body>\n",
            escape(title),
            colours()
        );
        Self { text, sections: Vec::new(), contents: None }
    }

    /// A heading of this level.
    pub fn heading(&mut self, level: u8, text: &str) {
        let id = if level == 2 { format!(" id=\"section-{}\"", self.sections.len()) } else { String::new() };
        self.sections.extend((level == 2).then(|| text.to_owned()));
        self.text += &format!("<h{level}{id}>{}</h{level}>\n", escape(text));
    }

    /// The place of the list of contents: links to all headings of the second level that follow.
    pub fn contents(&mut self) {
        self.contents = Some((self.text.len(), self.sections.len()));
    }

    /// The first paragraph, in large letters.
    pub fn lead(&mut self, text: &str) {
        self.text += &format!("<p class=\"lead\">{}</p>\n", escape(text));
    }

    /// A short remark on what follows.
    pub fn small(&mut self, text: &str) {
        self.text += &format!("<p class=\"small\">{}</p>\n", escape(text));
    }

    /// Lines to be typed.
    pub fn commands(&mut self, lines: &[String]) {
        // A line may be broken between words, and not behind the hyphens of an option.
        let word = |word: &str| match word.starts_with('-') {
            true => format!("<span>{}</span>", escape(word)),
            false => escape(word),
        };
        let line = |line: &String| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
        self.text += &format!("<pre>{}</pre>\n", lines.iter().map(line).collect::<Vec<_>>().join("\n"));
    }

    /// A link that saves a text as a file of this name.
    pub fn download(&mut self, name: &str, content: &str, label: &str) {
        let mut encoded = String::with_capacity(content.len() * 3 / 2);
        for byte in content.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
                _ => encoded += &format!("%{byte:02X}"),
            }
        }
        self.text += &format!(
            "<p><a download=\"{}\" href=\"data:text/tab-separated-values;charset=utf-8,{encoded}\">{}</a></p>\n",
            escape(name),
            escape(label)
        );
    }

    /// Two documents below each other: what each is, its title and its address.
    pub fn pair(&mut self, documents: &[(&str, &str, &str); 2]) {
        self.text += "<div class=\"pair\">\n";
        for (what, title, address) in documents {
            let [what, title, address] = [what, title, address].map(|text| escape(text));
            self.text += &format!("<p><b>{what}</b> {title} <span>{address}</span></p>\n");
        }
        self.text += "</div>\n";
    }

    /// A paragraph in small letters.
    pub fn remark(&mut self, text: &str) {
        self.text += &format!("<p class=\"key\">{}</p>\n", escape(text));
    }

    /// A paragraph of text.
    pub fn paragraph(&mut self, text: &str) {
        self.text += &format!("<p>{}</p>\n", escape(text));
    }

    /// A paragraph that readers must not overlook.
    pub fn warning(&mut self, text: &str) {
        self.text += &format!("<p class=\"warning\">{}</p>\n", escape(text));
    }

    /// A table. A column is aligned left if one of its cells has words, or does not begin with a digit or a dash.
    pub fn table(&mut self, titles: &[&str], rows: &[Vec<String>]) {
        let is_number = |cell: &String| {
            let begins = cell.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-');
            begins && !cell.replace(" to ", "").contains(char::is_alphabetic)
        };
        let is_text = |column: usize| rows.iter().filter_map(|row| row.get(column)).any(|cell| !is_number(cell));
        let class = |column: usize| if is_text(column) { " class=\"text\"" } else { "" };
        self.text += "<table>\n<tr>";
        for (column, title) in titles.iter().enumerate() {
            self.text += &format!("<th{}>{}</th>", class(column), escape(title));
        }
        self.text += "</tr>\n";
        for row in rows {
            self.text += "<tr>";
            for (column, cell) in row.iter().enumerate() {
                self.text += &format!("<td{}>{}</td>", class(column), escape(cell));
            }
            self.text += "</tr>\n";
        }
        self.text += "</table>\n";
    }

    /// A table of texts, whose cells stand below each other on a narrow page.
    pub fn stacked_table(&mut self, titles: &[&str], rows: &[Vec<String>]) {
        self.text += "<div class=\"stacked\">\n";
        self.table(titles, rows);
        self.text += "</div>\n";
    }

    /// A table that may be wider or longer than the page.
    pub fn wide_table(&mut self, titles: &[&str], rows: &[Vec<String>]) {
        self.text += "<div class=\"wide\">\n";
        self.table(titles, rows);
        self.text += "</div>\n";
    }

    /// A plot, and its numbers beside it.
    pub fn plot(&mut self, svg: &str, titles: &[&str], rows: &[Vec<String>]) {
        self.plot_of(svg, &[], titles, rows);
    }

    /// A plot of several series with a legend, and its numbers beside it.
    pub fn plot_of(&mut self, svg: &str, legend: &[&str], titles: &[&str], rows: &[Vec<String>]) {
        self.text += "<div class=\"plot\">\n<div>\n";
        self.text += svg;
        if !legend.is_empty() {
            let names = legend.iter().enumerate().map(|(index, name)| {
                format!("<span><b class=\"c{}\">\u{25a0}</b> {}</span> ", index % COLOURS.len(), escape(name))
            });
            self.text += &format!("<p class=\"legend\">{}</p>\n", names.collect::<String>());
        }
        self.text += "</div>\n<div class=\"numbers\">\n";
        self.table(titles, rows);
        self.text += "</div>\n</div>\n";
    }

    /// Two texts side by side.
    pub fn word_diff(&mut self, diff: &WordDiff) {
        if !self.text.contains(WORD_DIFF_STYLE) {
            self.text += &format!("<style>\n{WORD_DIFF_STYLE}</style>\n");
        }
        self.text += &diff.html();
    }

    /// Returns the text of the page.
    pub fn finish(mut self) -> String {
        if let Some((at, first)) = self.contents {
            let links = self.sections.iter().enumerate().skip(first);
            let links = links.map(|(id, title)| format!("<a href=\"#section-{id}\">{}</a>\n", escape(title)));
            self.text.insert_str(at, &format!("<nav>\n{}</nav>\n", links.collect::<String>()));
        }
        self.text += "</body>\n</html>\n";
        self.text
    }
}

/// The rules for the colours of plots and legends.
fn colours() -> String {
    let mut rules = String::new();
    let mut dark = String::new();
    for (index, (colour, on_dark)) in COLOURS.iter().zip(ON_DARK).enumerate() {
        let colour = format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2);
        rules += &format!(".c{index} {{ color: {colour}; }}\n");
        dark += &format!(
            ".c{index} {{ color: {on_dark}; }} svg [fill=\"{colour}\"] {{ fill: {on_dark}; }} \
             svg [stroke=\"{colour}\"] {{ stroke: {on_dark}; }}\n"
        );
    }
    format!("{rules}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
}
