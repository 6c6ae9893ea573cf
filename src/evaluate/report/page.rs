//! The page of a report: what would go, from where, and the removals to look at first.

use std::time::SystemTime;

use nddb_dedup::MemberVerdict;
use nddb_format::record::ShownId;

use super::expected::Class;
use super::measured::Report;
use super::overview::{Lossy, Overview, ShownCluster};
use super::paths::Share;
use crate::html::Html;
use crate::plot::{Plot, PlotError, Result};
use crate::removals::KnownPage;
use crate::show::explained;
use crate::word_diff::WordDiff;
use nddb_jobs::quantity::{bytes as bytes_of, counted, grouped, unread_reasons};

impl Report<'_> {
    /// Returns a sentence about texts that could not be read, if any; the report leaves them out.
    pub fn unread(&self) -> Option<String> {
        let unread = &self.overview.unread;
        (unread.total() > 0)
            .then(|| format!("texts could not be read, and the report lacks them: {}", unread_reasons(unread)))
    }

    /// Returns the page: one self-contained HTML file. It names the command or call that made it, and the commands that
    /// may follow.
    ///
    /// # Errors
    /// [`PlotError`] of a plot that cannot be drawn.
    pub fn page(&self, command: &str, next: &[String]) -> Result<String, PlotError> {
        let overview = &self.overview;
        let mut html = Html::new(&format!("Report of {}", self.db));
        html.heading(1, &format!("Report of {}", self.db));
        summary(&mut html, self);
        if let Some(unread) = self.unread() {
            html.warning(&format!("Attention: {unread}."));
        }
        if !next.is_empty() {
            html.paragraph("To remove them, and to judge a sample of the removals by hand:");
            html.commands(next);
        }
        list(&mut html, overview);
        html.contents();
        shares(&mut html, overview)?;
        look(&mut html, overview);
        expected(&mut html, self);
        clusters(&mut html, overview);
        thin(&mut html, overview);
        members(&mut html, overview);
        scores(&mut html, overview);
        html.remark(&format!(
            "{}, made by nddb {} from generation {} of the database, recipe {}: {command}",
            now(),
            env!("CARGO_PKG_VERSION"),
            self.view.generation(),
            self.view.settings().recipe,
        ));
        Ok(html.finish())
    }
}

/// Returns the date and time in UTC.
fn now() -> String {
    chrono::DateTime::<chrono::Utc>::from(SystemTime::now()).format("%Y-%m-%d %H:%M UTC").to_string()
}

fn summary(html: &mut Html, report: &Report<'_>) {
    let overview = &report.overview;
    html.lead(&format!(
        "{} of {} would be removed ({}), {} kept.",
        grouped(overview.removed),
        counted(overview.documents, "document"),
        percent(overview.removed, overview.documents),
        grouped(overview.documents - overview.removed),
    ));
    let [words, removed_words] = overview.words;
    let [bytes, removed_bytes] = overview.bytes;
    if words > 0 {
        let stored = match bytes {
            0 => String::new(),
            _ => format!(", and {} of {} in their archives", bytes_of(removed_bytes), bytes_of(bytes)),
        };
        html.paragraph(&format!(
            "With them would go {} of {} words ({}){stored}.",
            grouped(removed_words),
            grouped(words),
            percent(removed_words, words),
        ));
    }
    html.paragraph(&format!(
        "{} are in {}. Of each cluster one document is kept, chosen by: {}. Another member goes only if it is itself near \
         to one that is kept by the method {}, and the level {} allows what is lost: {}.",
        counted(overview.clustered, "document"),
        counted(overview.clusters, "cluster"),
        overview.keep.join(", "),
        report.method.name(),
        overview.level,
        overview.level.removes(),
    ));
    if overview.unverified > 0 {
        html.paragraph(&format!(
            "What {} of {} lose is known word by word; of {} it is estimated from sketches, which nobody verified.",
            grouped(overview.removed.saturating_sub(overview.unverified)),
            counted(overview.removed, "removal"),
            grouped(overview.unverified),
        ));
    }
}

/// Offers the list of removals.
fn list(html: &mut Html, overview: &Overview) {
    if overview.list.is_empty() {
        return;
    }
    let mut lines = String::from("removed\tkept\trule\tprobability\tloss\n");
    let number = |share: Option<f64>| share.map_or_else(String::new, |share| format!("{share:.6}"));
    for removal in &overview.list {
        let [removed, kept] = removal.ids.each_ref().map(|id| id.replace(['\t', '\n', '\r'], " "));
        let (probability, loss) = (number(removal.probability), number(removal.loss));
        lines += &format!("{removed}\t{kept}\t{}\t{probability}\t{loss}\n", removal.rule);
    }
    let listed = overview.list.len() as u64;
    let label = match overview.removed > listed {
        true => format!("Download the first {} removals", grouped(listed)),
        false => format!("Download the list of {}", counted(listed, "removal")),
    };
    html.download("removed.tsv", &lines, &label);
}

/// Shows the removals that lose most, and the doubtful ones.
fn look(html: &mut Html, overview: &Overview) {
    html.heading(2, "Look at these first");
    if overview.removed == 0 {
        html.paragraph("Nothing is removed, so nothing is lost.");
        return;
    }
    html.heading(3, "What is lost");
    match overview.worst.is_empty() {
        true => html.paragraph("No removed document has a word that the kept one lacks."),
        false => html.paragraph(
            "The removals that lose most, as a share of the words of the content or of the whole text, whichever is less.",
        ),
    }
    overview.worst.iter().for_each(|lossy| removal(html, lossy));
    html.heading(3, "Doubtful");
    match overview.doubtful.is_empty() {
        true => html.paragraph("No removal has a probability below 0.9."),
        false => html.paragraph("The removals of the least probability."),
    }
    overview.doubtful.iter().for_each(|lossy| removal(html, lossy));
}

/// Writes how many removals may be wrong, by kind and size.
fn expected(html: &mut Html, report: &Report<'_>) {
    let overview = &report.overview;
    if overview.classes.is_empty() {
        return;
    }
    html.heading(3, "How many may be wrong");
    html.paragraph(&format!(
        "Wrong is to remove a document that differs from the kept one in what matters. The shares are those of judged \
         pairs that the level {} removes, of collections that the verdict was not fitted to, with their 95% intervals. \
         Most of these pairs are borderline ones, so fewer may be wrong here. To know, judge a sample by hand.",
        overview.level,
    ));
    let row = |(class, &removed): (&Class, &u64)| {
        let (judged, expected) = match class.judged(overview.level) {
            None => ("none".to_owned(), "not known".to_owned()),
            Some((wrong, of, (low, high))) => {
                let of_removed = |share: f64| grouped((share * removed as f64).round() as u64);
                let shares = format!("{:.1}% to {:.1}%", 100.0 * low, 100.0 * high);
                (format!("{wrong} of {of}: {shares}"), format!("{} to {}", of_removed(low), of_removed(high)))
            }
        };
        vec![class.name(), grouped(removed), judged, expected]
    };
    let rows: Vec<Vec<String>> = overview.classes.iter().map(row).collect();
    html.table(&["removed documents", "number", "wrong of the judged pairs", "perhaps wrong here"], &rows);
}

/// Shows a removal: both documents, why, and how they differ.
fn removal(html: &mut Html, lossy: &Lossy) {
    let [removed, kept] = &lossy.pages;
    let lost = format!("loses {:.1}% of its words", 100.0 * lossy.share);
    let probability = lossy.probability.map_or_else(String::new, |share| format!(", probability {share:.2}"));
    let of = [removed, kept].map(|page| (title(page), address(page)));
    html.pair(&[("removed", &of[0].0, &of[0].1), ("kept", &of[1].0, &of[1].1)]);
    html.small(&format!("{} It {lost}{probability}. The other is kept because {}.", lossy.why, lossy.chosen));
    match removed.text.as_deref().zip(kept.text.as_deref()) {
        Some((text, other)) => html.word_diff(&WordDiff::new(text, other)),
        None => html.small("A text could not be read, so what is lost is estimated."),
    }
}

/// Returns the title of a page, or else how its text begins.
fn title(page: &KnownPage) -> String {
    let text =
        || page.text.as_deref().unwrap_or_default().split_whitespace().take(TITLE_WORDS).collect::<Vec<_>>().join(" ");
    let title = page.title.clone().filter(|title| !title.trim().is_empty()).unwrap_or_else(text);
    if title.is_empty() { address(page) } else { title }
}

/// Words of a text that stand for a title.
const TITLE_WORDS: usize = 10;

fn address(page: &KnownPage) -> String {
    page.url.clone().unwrap_or_else(|| ShownId(&page.id).to_string())
}

fn members(html: &mut Html, overview: &Overview) {
    let told = |verdict: MemberVerdict| match verdict {
        MemberVerdict::Removed => "removed: near to the kept document".to_owned(),
        MemberVerdict::Loses(reason) => format!("stays: near, but {reason}"),
        MemberVerdict::Listed => "stays: near, but on the list of documents that are never removed".to_owned(),
        MemberVerdict::Unverified => "stays: near, but a text could not be read".to_owned(),
        _ => "stays: near to the founder of the cluster, not to the kept document".to_owned(),
    };
    let rows: Vec<Vec<String>> =
        overview.verdicts.iter().map(|(&verdict, &count)| vec![told(verdict), grouped(count)]).collect();
    if !rows.is_empty() {
        html.heading(2, "Members of clusters");
        html.table(&["besides the kept document", "documents"], &rows);
    }
}

fn shares(html: &mut Html, overview: &Overview) -> Result<()> {
    if overview.documents == 0 {
        return Ok(());
    }
    html.heading(2, "By site and folder");
    let mut rows: Vec<Vec<String>> =
        overview.sites.iter().map(|share| share_row(share, "(no site is known)")).collect();
    let (count, others) = &overview.other_sites;
    if *count > 0 {
        rows.push(share_row(others, &format!("({} more)", counted(*count, "site"))));
    }
    let plot = Plot { title: "share of removed documents by site", x: "", y: "removed" };
    let named = |share: &Share| share.name.clone().unwrap_or_else(|| "(no site)".into());
    let bars: Vec<(String, [Option<f64>; 3])> = overview
        .sites
        .iter()
        .take(PLOTTED_SITES)
        .map(|share| (named(share), [ratio(share.removed, share.documents), None, None]))
        .collect();
    html.plot(&plot.list(&bars)?, &["site", "documents", "removed", "share"], &rows);
    let paths: Vec<Vec<String>> = overview.paths.iter().map(|share| share_row(share, "")).collect();
    if !paths.is_empty() {
        html.table(&["folder", "documents", "removed", "share"], &paths);
    }
    if !overview.batches.is_empty() {
        html.heading(3, "By batch");
        let rows: Vec<Vec<String>> = overview.batches.iter().map(|share| share_row(share, "(in no batch)")).collect();
        html.table(&["batch", "documents", "removed", "share"], &rows);
    }
    Ok(())
}

/// Returns the cells of a part of the documents: its name, all, removed, and the share of these.
fn share_row(share: &Share, nameless: &str) -> Vec<String> {
    let name = share.name.clone().unwrap_or_else(|| nameless.into());
    vec![name, grouped(share.documents), grouped(share.removed), percent(share.removed, share.documents)]
}

fn scores(html: &mut Html, overview: &Overview) {
    if overview.scores.is_empty() {
        return;
    }
    html.heading(2, "By rule and score");
    let rows: Vec<Vec<String>> = overview
        .scores
        .iter()
        .map(|((rule, bin), &removed)| {
            vec![rule.clone(), bin.to_string(), grouped(removed), percent(removed, overview.removed)]
        })
        .collect();
    html.table(&["rule that decided", "score", "removed", "share"], &rows);
}

fn clusters(html: &mut Html, overview: &Overview) {
    html.heading(2, "The largest clusters");
    if overview.largest.is_empty() {
        html.paragraph("There is no cluster of pages with enough content.");
        return;
    }
    html.paragraph(&format!(
        "Some members of each, the kept one first. Title and text are read where the documents were loaded from.{}",
        match overview.unread.total() {
            0 => String::new(),
            _ => format!(" Not read: {}.", unread_reasons(&overview.unread)),
        }
    ));
    overview.largest.iter().for_each(|cluster| shown(html, cluster));
}

fn thin(html: &mut Html, overview: &Overview) {
    html.heading(2, "Thin pages");
    let thin = &overview.thin;
    if thin.documents == 0 && thin.clusters == 0 {
        html.paragraph("No page has too little content to be distinguished from others.");
        return;
    }
    html.warning(&format!(
        "{} of {} have fewer than 30 words of content: redirections, error and login pages, lists of links, pages that \
         scripts fill. What looks alike in so few words is no evidence, so such a page is removed only if its text is \
         exactly that of the kept one: {} of them. Look whether these are the pages that were meant to be stored.",
        grouped(thin.documents),
        counted(overview.documents, "document"),
        grouped(thin.removed),
    ));
    if thin.largest.is_empty() {
        return;
    }
    html.paragraph(&format!("The kept page of {} is thin. The largest of these:", counted(thin.clusters, "cluster")));
    thin.largest.iter().for_each(|cluster| shown(html, cluster));
}

fn shown(html: &mut Html, cluster: &ShownCluster) {
    let gone = match cluster.removed {
        0 => "none removed".to_owned(),
        removed => format!("{} removed", grouped(removed)),
    };
    let named = cluster.members.first().map(|(kept, _)| title(kept)).unwrap_or_default();
    html.heading(3, &format!("{named}: {}, {gone}", counted(cluster.size, "document")));
    let rows: Vec<Vec<String>> = cluster
        .members
        .iter()
        .enumerate()
        .map(|(index, (page, removed))| {
            let what = match (index, removed) {
                (0, _) => "kept",
                (_, true) => "removed",
                (_, false) => "stays",
            };
            vec![what.into(), title(page), address(page), page.snippet().unwrap_or_default()]
        })
        .collect();
    html.stacked_table(&["", "title", "address", "text"], &rows);
    let kept = cluster.members.first().map(|(page, _)| page);
    let removed = cluster.members.iter().skip(1).find(|(_, removed)| *removed).map(|(page, _)| page);
    if let Some((kept, removed)) = kept.zip(removed)
        && let Some((text, other)) = kept.text.as_deref().zip(removed.text.as_deref())
    {
        let diff = WordDiff::new(text, other);
        html.small(&format!(
            "The kept page and the first that is removed: {}",
            explained(cluster.why.as_deref(), &diff, kept.digest == removed.digest)
        ));
        html.word_diff(&diff);
    }
}

/// Sites whose shares are plotted.
const PLOTTED_SITES: usize = 8;

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".into() } else { format!("{:.1}%", 100.0 * part as f64 / whole as f64) }
}
