//! Two documents side by side: their texts, as they were compared, and a page that shows both.

use nddb_dedup::{ExactPassage, MethodChoice, PairLoss, UnreadReason, WordSource, exact_passages, read_page};
use nddb_format::record::ShownId;
use nddb_index::{PassageLimits, Result, Stored, View};
use nddb_page::sketch::{PageWords, page_words};
use nddb_page::text::{Page, compared_text, shown_text, shown_title, title};
use nddb_verdict::{Comparison, Decider, Decision, DocumentPair, Known, Measures, Words, sentence};

use crate::html::Html;
use crate::word_diff::WordDiff;
use nddb_jobs::quantity::grouped;

/// A document with its text.
#[derive(Clone, Debug)]
pub struct ShownDocument {
    /// The id in the form of the output.
    pub id: String,
    /// Address of the document.
    pub url: Option<String>,
    /// Site of the document.
    pub site: Option<String>,
    /// Title of the page.
    pub title: Option<String>,
    /// Number of tokens of the whole page.
    pub tokens: Option<u64>,
    /// The text: one line per block, with single spaces.
    pub text: String,
    /// The same as [`nddb_page::text::compared_text`].
    pub compared: String,
    /// The stored data that comparisons of the document use.
    pub known: Known,
}

impl ShownDocument {
    /// Reads the text of a stored document, whole or, with `content_alone`, its content: from the database, if that keeps
    /// words, or else from its archive.
    ///
    /// # Errors
    /// Damage of the catalog. The inner result says why the document cannot be read again.
    pub fn read(view: View<'_>, stored: &Stored, content_alone: bool) -> Result<Result<Self, UnreadReason>> {
        let record = &stored.record;
        let (title, compared) = match &record.words {
            Some(words) => (shown_title(words).map(str::to_owned), words.clone()),
            None => match read_page(view, record)? {
                Ok(entry) => (title(&entry.page()), compared_text(&entry.page())),
                Err(unread) => return Ok(Err(unread)),
            },
        };
        Ok(Ok(Self {
            id: ShownId(&record.id).to_string(),
            url: record.url.clone(),
            site: record.site.clone(),
            title,
            tokens: record.tokens,
            text: shown_text(&compared, content_alone),
            compared,
            known: Known::of(record, (!stored.unprinted).then_some(stored.fingerprint)),
        }))
    }
}

/// A passage of two texts, as it stands in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quoted {
    /// Number of words in common.
    pub words: u64,
    /// Its texts.
    pub texts: [String; 2],
}

/// Returns the passages that two documents have in common, in the order of the first one.
pub fn passages(documents: &[ShownDocument; 2]) -> Vec<Quoted> {
    let [a, b] = documents.each_ref().map(|document| page_words(&Page::text(&document.text)));
    let (limits, [of_a, of_b]) = (PassageLimits::default(), [&a, &b].map(PageWords::parts));
    let found = limits.passages(&of_a, &of_b);
    let quoted = |passage: ExactPassage| Quoted {
        words: passage.passage.words.into(),
        texts: [a.quote(passage.passage.asked), b.quote(passage.passage.stored)],
    };
    exact_passages(&a, &b, &found, &limits).into_iter().map(quoted).collect()
}

/// Returns whether two documents are near-duplicates by the usual method of their database, in words and as it is, and
/// which of them may be removed if the other one is kept.
pub fn verdict(view: View<'_>, documents: &[ShownDocument; 2]) -> (String, bool) {
    let [a, b] = documents;
    let choice = MethodChoice::usual(view);
    let same_site = a.site.as_ref().zip(b.site.as_ref()).map(|(a, b)| a == b);
    let pair = DocumentPair::new(&a.known, &b.known, same_site);
    let decision = Decider::new(&*choice.method, choice.or_hamming.as_ref()).judge(&pair).decision;
    let probability = Measures::of(&pair, &*choice.method).share("probability");
    let by = match probability {
        _ if pair.identical() => "equal texts".into(),
        Some(probability) => format!("by {}, probability {probability:.2}", choice.method.name()),
        None => format!("by {}", choice.method.name()),
    };
    match decision {
        Decision::Apart => return (format!("No near-duplicates ({by})."), false),
        Decision::Unknown => return (format!("Nobody knows whether they are near-duplicates ({by})."), false),
        Decision::Near(_) => (),
    }
    let levels = PairLoss::of_texts(WordSource::Stored, &a.compared, &b.compared).levels;
    let [left, right] = levels.map(|level| level.map(|level| level.name()));
    let goes = match (left, right) {
        (Some(left), Some(right)) if left == right => format!("either may be removed, at level {left}"),
        (Some(left), Some(right)) => {
            format!("the left one may be removed at level {left}, the right one at level {right}")
        }
        (Some(left), None) => format!("only the left one may be removed, at level {left}"),
        (None, Some(right)) => format!("only the right one may be removed, at level {right}"),
        (None, None) => "no level removes either, because of what is lost".into(),
    };
    (format!("Near-duplicates ({by}): {goes}."), true)
}

/// Returns why two documents are near or apart, in a sentence, and how many of their words differ.
pub fn difference(documents: &[ShownDocument; 2], diff: &WordDiff) -> String {
    let [a, b] = documents;
    let compared = Comparison::of(&Words::of(&a.compared), &Words::of(&b.compared));
    let pair = DocumentPair::new(&a.known, &b.known, None);
    explained(Some(&sentence(&pair, [Some(&compared.lost), Some(&compared.added)])), diff, pair.identical())
}

/// Returns a sentence about two documents before the one about the words in which they differ.
pub(crate) fn explained(why: Option<&str>, diff: &WordDiff, is_same_text: bool) -> String {
    let difference = difference_in_words(diff, is_same_text);
    match why {
        Some(why) if !diff.is_equal() => format!("{why} {difference}"),
        _ => difference,
    }
}

/// Returns two documents side by side as one self-contained HTML page without scripts. All parts of the documents are
/// escaped as text. `verdict` stands above the words, and so do passages in common.
pub fn shown_page(documents: &[ShownDocument; 2], passages: &[Quoted], diff: &WordDiff, verdict: &str) -> String {
    let [a, b] = documents;
    let mut html = Html::new(&format!("{} and {}", a.id, b.id));
    html.heading(1, "Two documents side by side");
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "\u{2013}".into());
    let row = |name: &str, of: &dyn Fn(&ShownDocument) -> String| vec![name.to_owned(), of(a), of(b)];
    html.table(
        &["", "left", "right"],
        &[
            row("id", &|document| document.id.clone()),
            row("address", &|document| or_none(&document.url)),
            row("title", &|document| or_none(&document.title)),
            row("tokens", &|document| or_none(&document.tokens.map(grouped))),
        ],
    );
    html.lead(verdict);
    for Quoted { words, texts } in passages {
        html.heading(2, &format!("A passage with {} words in common", grouped(*words)));
        html.table(&["left", "right"], &[texts.to_vec()]);
    }
    html.paragraph(&difference(documents, diff));
    html.word_diff(diff);
    html.finish()
}

/// Returns a sentence about how many words differ of two texts, whose digests may be equal.
fn difference_in_words(diff: &WordDiff, is_same_text: bool) -> String {
    if diff.is_equal() {
        let shown = diff.compared.iter().all(|(compared, all)| compared == all);
        return match (is_same_text, shown) {
            (true, _) => "The words are the same.".into(),
            (false, true) => {
                "The words that are shown are the same; other text or the addresses of images differ.".into()
            }
            (false, false) => {
                format!("The first {} words are the same; the pages differ.", grouped(diff.compared[0].0 as u64))
            }
        };
    }
    let words = |count: usize| if count == 1 { "1 word".into() } else { format!("{} words", grouped(count as u64)) };
    format!("{} only on the left, {} only on the right.", words(diff.only_left), words(diff.only_right))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: &str, text: &str) -> ShownDocument {
        let text_of = |text: &str| Some(text.to_owned());
        ShownDocument {
            id: id.into(),
            url: text_of("http://a.org/?<b>&c"),
            site: None,
            title: text_of("<script>alert('title')</script>"),
            tokens: Some(12_345),
            text: text.into(),
            compared: compared_text(&Page::text(text)),
            known: Known::default(),
        }
    }

    #[test]
    fn a_page_shows_both_documents_and_hostile_text_stays_text() {
        let hostile = "</div></body><script>alert(1)</script> <img src=x onerror=alert(2)> same words";
        let documents = [document("a<i>", hostile), document("b\"", "other same words")];
        let diff = WordDiff::new(&documents[0].text, &documents[1].text);
        let passages = [Quoted { words: 1000, texts: [hostile.into(), "other".into()] }];
        let page = shown_page(&documents, &passages, &diff, "No <b>near-duplicates</b>.");
        for absent in ["<script", "<img", "<i>", "onerror=alert(2)>", "http-equiv", "src=\"", "href"] {
            assert!(!page.contains(absent), "{absent}: {page}");
        }
        for present in [
            "a&lt;i&gt;",
            "No &lt;b&gt;near-duplicates&lt;/b&gt;.",
            "12,345",
            "A passage with 1,000 words in common",
            "&lt;script&gt;alert(",
            "<ins>other</ins>",
            "<p>15% of the text is equal; numbers differ. 4 words only on the left, 1 word only on the right.",
        ] {
            assert!(page.contains(present), "{present}: {page}");
        }
        assert_eq!((page.matches("</body>").count(), page.matches("<html").count()), (1, 1));
        let same = WordDiff::new("a b", "a b");
        assert!(shown_page(&documents, &[], &same, "").contains("The words that are shown are the same"));
    }
}
