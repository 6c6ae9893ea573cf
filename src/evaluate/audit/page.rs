//! The page of an audit: one file that shows the pairs one after the other, and asks three questions about each, and on
//! request what differs.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use nddb_format::record::ShownId;
use sha2::{Digest, Sha256};

use super::draw::{Audit, AuditPair, Drawing};
use crate::difference::DifferenceKind;
use crate::plot::escape;
use crate::removals::KnownPage;
use crate::word_diff::{WORD_DIFF_STYLE, WordDiff};
use nddb_jobs::quantity::{counted, grouped};
use nddb_jobs::tsv;

const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// The columns of a label file, in their order.
pub(super) const COLUMNS: [&str; 21] = [
    "id1",
    "id2",
    "label",
    "same",
    "lost",
    "good",
    "same_again",
    "lost_again",
    "good_again",
    "differs",
    "kind",
    "rule",
    "score",
    "sites",
    "cluster",
    "pairs",
    "drawn",
    "removals",
    "probability",
    "audit",
    "guess",
];

impl Audit {
    /// Returns the page: one self-contained HTML file that makes no network requests and runs only its own script.
    /// `asks_kinds` adds a question about the kind of difference (Henzinger 2006, Tables 3 and 6). `next` are commands
    /// that read the labels, each with what it does.
    pub fn page(&self, asks_kinds: bool, next: &[[&str; 2]]) -> String {
        let style = format!("{STYLE}{WORD_DIFF_STYLE}");
        let db = escape(&self.db);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{}'; style-src '{}'; \
             base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>Audit of {db}</title>\n<style>{style}</style>\n</head>\n<body>\n",
            hash(SCRIPT),
            hash(&style),
        );
        page += &format!(
            "<header><h1>Audit of {db}</h1> <span id=\"where\"></span> <progress id=\"progress\" max=\"1\" \
             value=\"0\"></progress> <span id=\"count\"></span> <button id=\"download\">Download labels <kbd>d</kbd>\
             </button></header>\n<noscript><p>This page needs its script: allow scripts for it.</p></noscript>\n\
             <p id=\"trouble\" hidden></p>\n"
        );
        page += &self.explanation(asks_kinds);
        let order: Vec<String> = self.order.iter().map(usize::to_string).collect();
        page += &format!(
            "<main id=\"pairs\" data-audit=\"{}\" data-columns=\"{}\" data-order=\"{}\">\n",
            self.id(),
            COLUMNS.join("\t"),
            order.join(" ")
        );
        for (index, pair) in self.pairs.iter().enumerate() {
            page += &self.section(index, pair);
        }
        page += "</main>\n";
        let next =
            next.iter().map(|[command, does]| format!("<p><code>{}</code> {}.</p>", escape(command), escape(does)));
        page += &format!(
            "<section id=\"done\" hidden><h2>All pairs were shown</h2><p>Download the labels now. Go back by \
             <kbd>\u{2190}</kbd> to change an answer.</p>{}</section>\n",
            next.collect::<String>()
        );
        page += "<footer id=\"questions\">\n";
        page += &question("same", "Is it the same text on both pages?");
        page += &question("lost", "Is anything lost that is worth keeping?");
        page += &question("good", "Is the kept page as good as the other?");
        page += &if asks_kinds { kinds() } else { String::new() };
        page += "<span><button id=\"back\"><kbd>\u{2190}</kbd> Back</button> <button id=\"next\">Skip \
                 <kbd>\u{2192}</kbd></button></span>\n</footer>\n";
        page += &format!("<script>{SCRIPT}</script>\n</body>\n</html>\n");
        page
    }

    fn explanation(&self, asks_kinds: bool) -> String {
        let kinds = match asks_kinds {
            true => "<b>What differs?</b> A guess by the words is marked already; choose what you see. ",
            false => "",
        };
        format!(
            "<details id=\"how\" open><summary>How to judge</summary>\n<p>Left stands the page that is kept, right the one that goes. \
             Words that only one of them has are marked. <b>Is it the same text?</b> Yes, also with a few sentences \
             edited, or with other navigation, dates and counters around it. <b>Is anything lost that is worth \
             keeping?</b> Yes, if the right page says something of its own that somebody could look for. <b>Is the kept \
             page as good?</b> No, if it is broken, cut off, older than it should \
             be, or at the worse address. Keys: <kbd>y</kbd> yes, <kbd>n</kbd> no, <kbd>u</kbd> cannot tell, \
             <kbd>\u{2190}</kbd> <kbd>\u{2192}</kbd> back and on, <kbd>Backspace</kbd> takes answers back, <kbd>d</kbd> \
             downloads. {kinds}Answers are kept in this browser, for this audit alone.</p>\n<p>{} drawn by seed {} from {}; some come twice. What the \
             method thinks of a pair is not shown, so that it does not sway you.</p></details>\n",
            counted(self.pairs.len() as u64, "pair"),
            self.seed,
            match self.drawing {
                Drawing::Removals => format!(
                    "{} that the method {} would remove of {}, with some pairs that it keeps apart",
                    counted(self.removals(), "document"),
                    self.method,
                    grouped(self.documents)
                ),
                Drawing::Distances(most) => format!(
                    "{} of {} whose fingerprints differ in 1 to {most} bits, as many at each distance",
                    counted(self.removals(), "pair"),
                    counted(self.documents, "document")
                ),
            }
        )
    }

    fn section(&self, index: usize, pair: &AuditPair) -> String {
        let drawn = &self.strata[pair.stratum];
        let stratum = &drawn.stratum;
        let more = [
            stratum.kind.name().to_owned(),
            stratum.rule.clone(),
            stratum.score.clone(),
            stratum.sites.into(),
            stratum.cluster.into(),
            drawn.pairs.to_string(),
            drawn.drawn.to_string(),
            self.removals().to_string(),
            pair.probability.map_or_else(String::new, |share| format!("{share:.6}")),
            self.id(),
            pair.guess.name().into(),
        ];
        let [kept, other] = [&pair.kept, &pair.other];
        let text = |page: &KnownPage| page.text.clone().unwrap_or_default();
        let diff = WordDiff::new(&text(kept), &text(other));
        let same = if diff.is_equal() { "<p class=\"heads\">No word differs.</p>\n" } else { "" };
        format!(
            "<section id=\"p{index}\" data-id1=\"{}\" data-id2=\"{}\" data-guess=\"{}\" data-more=\"{}\" hidden>\n<div class=\"heads\">{}{}\
             </div>\n{same}{}</section>\n",
            attribute(&listed(kept)),
            attribute(&listed(other)),
            pair.guess,
            attribute(&more.join("\t")),
            head("Kept", kept),
            head("Would go", other),
            diff.html(),
        )
    }
}

fn head(what: &str, page: &KnownPage) -> String {
    let title = page.title.clone().or_else(|| page.snippet()).unwrap_or_default();
    let address = page.url.as_deref().unwrap_or(ShownId(&page.id).as_str());
    format!(
        "<div><h2>{what}</h2><p dir=\"auto\">{}</p><p class=\"address\">{}</p></div>",
        escape(&title),
        escape(address)
    )
}

fn question(name: &str, text: &str) -> String {
    let buttons = [("y", "Yes"), ("n", "No"), ("u", "Cannot tell")].map(|(key, word)| {
        format!("<button data-answer=\"{key}\" aria-pressed=\"false\">{word} <kbd>{key}</kbd></button> ")
    });
    format!("<fieldset id=\"{name}\"><legend>{text}</legend>{}</fieldset>\n", buttons.concat())
}

/// The kinds of differences, as a list of choices.
fn kinds() -> String {
    let button =
        |kind: DifferenceKind| format!("<button data-answer=\"{kind}\" aria-pressed=\"false\">{kind}</button> ");
    let buttons: String = DifferenceKind::CHOICES.into_iter().map(button).collect();
    format!("<fieldset id=\"differs\"><legend>What differs?</legend>{buttons}</fieldset>\n")
}

/// The source of a script or style in a content security policy.
fn hash(source: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(source.as_bytes())))
}

/// The id of a page as a column of a table.
fn listed(page: &KnownPage) -> String {
    let mut cell = Vec::with_capacity(page.id.len());
    tsv::write_id(&mut cell, &page.id, page.has_namesake);
    String::from_utf8_lossy(&cell).into_owned()
}

/// The value of an attribute, which the script reads unchanged.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
