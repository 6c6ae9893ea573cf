//! The first section of a report: the overview for an owner of pages.

use nddb_dedup::MemberVerdict;
use nddb_format::record::ShownId;

use super::measured::Report;
use super::overview::{Lossy, Overview, Share, ShownCluster};
use crate::html::Html;
use crate::plot::{Plot, Result};
use crate::removals::KnownPage;
use crate::show::explained;
use crate::word_diff::WordDiff;
use nddb_jobs::quantity::{bytes as bytes_of, counted, grouped, unread_reasons};

pub(super) fn sections(html: &mut Html, report: &Report<'_>) -> Result<()> {
    let overview = &report.overview;
    html.heading(2, "Documents to be removed");
    html.paragraph(&format!(
        "{} of {} would be removed ({}), {} kept: by nddb cluster with its defaults, the method {}.",
        grouped(overview.removed),
        counted(overview.documents, "document"),
        percent(overview.removed, overview.documents),
        grouped(overview.documents - overview.removed),
        report.default_method(),
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
        "{} are in {}. Of each cluster one document is kept, chosen by: {}. Another member goes only \
         if it is itself near to one that is kept, and the level {} allows what is lost: {}.",
        counted(overview.clustered, "document"),
        counted(overview.clusters, "cluster"),
        overview.keep.join(", "),
        overview.level,
        overview.level.removes(),
    ));
    members(html, overview);
    shares(html, overview)?;
    scores(html, overview);
    lost(html, report);
    clusters(html, overview);
    thin(html, overview);
    Ok(())
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
        html.table(&["members of clusters besides the kept document", "documents"], &rows);
    }
}

fn shares(html: &mut Html, overview: &Overview) -> Result<()> {
    if overview.documents == 0 {
        return Ok(());
    }
    html.heading(3, "By site");
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
    if !overview.batches.is_empty() {
        html.heading(3, "By batch");
        let rows: Vec<Vec<String>> = overview.batches.iter().map(|share| share_row(share, "(in no batch)")).collect();
        html.table(&["batch", "documents", "removed", "share"], &rows);
    }
    Ok(())
}

/// Returns the cells of a part of the documents: its name, all, removed, and the share of these.
pub(super) fn share_row(share: &Share, nameless: &str) -> Vec<String> {
    let name = share.name.clone().unwrap_or_else(|| nameless.into());
    vec![name, grouped(share.documents), grouped(share.removed), percent(share.removed, share.documents)]
}

fn scores(html: &mut Html, overview: &Overview) {
    if overview.scores.is_empty() {
        return;
    }
    html.heading(3, "By rule and score");
    let rows: Vec<Vec<String>> = overview
        .scores
        .iter()
        .map(|((rule, bin), &removed)| {
            vec![rule.clone(), bin.to_string(), grouped(removed), percent(removed, overview.removed)]
        })
        .collect();
    html.table(&["rule that decided", "score", "removed", "share"], &rows);
}

/// Writes the section of the removed documents with the greatest losses.
fn lost(html: &mut Html, report: &Report<'_>) {
    let overview = &report.overview;
    html.heading(2, "What is lost");
    if overview.removed == 0 {
        html.paragraph("Nothing is removed, so nothing is lost.");
        return;
    }
    html.paragraph(&format!(
        "What {} of {} lose is known word by word; of {} it is estimated from sketches, which nobody verified. How many \
         removals are wrong is not estimated: judge a sample by hand, for which nddb audit {} -o audit.html makes a page.",
        grouped(overview.removed.saturating_sub(overview.unverified)),
        counted(overview.removed, "removal"),
        grouped(overview.unverified),
        report.db,
    ));
    if overview.worst.is_empty() {
        html.paragraph("No removed document has a word that the kept one lacks.");
        return;
    }
    html.paragraph(
        "The removals that lose most, as a share of the words of the content or of the whole text, whichever is less, \
         with the lost words.",
    );
    let address = |page: &KnownPage| page.url.clone().unwrap_or_else(|| ShownId(&page.id).to_string());
    let row = |lossy: &Lossy| {
        let words = match (lossy.passages.is_empty(), lossy.pages.iter().all(|page| page.compared.is_some())) {
            (true, false) => "(estimated: a text could not be read)".to_owned(),
            _ => shortened(&lossy.passages.join(" \u{b7} ")),
        };
        let lost = format!("{:.1}%", 100.0 * lossy.share);
        vec![address(&lossy.pages[0]), address(&lossy.pages[1]), lossy.why.clone(), lost, words]
    };
    let rows: Vec<Vec<String>> = overview.worst.iter().map(row).collect();
    html.table(&["removed", "kept", "why", "lost", "words"], &rows);
}

/// Greatest number of characters of lost words that are shown.
const LOST_SHOWN: usize = 400;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LOST_SHOWN) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
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
    html.heading(3, &format!("{}, {gone}", counted(cluster.size, "document")));
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
            let title = page.title.clone().unwrap_or_else(|| "(no title)".into());
            let address = page.url.clone().unwrap_or_else(|| ShownId(&page.id).to_string());
            vec![what.into(), title, address, page.snippet().unwrap_or_default()]
        })
        .collect();
    html.table(&["", "title", "address", "text"], &rows);
    let kept = cluster.members.first().map(|(page, _)| page);
    let removed = cluster.members.iter().skip(1).find(|(_, removed)| *removed).map(|(page, _)| page);
    if let Some((kept, removed)) = kept.zip(removed)
        && let Some((text, other)) = kept.text.as_deref().zip(removed.text.as_deref())
    {
        let diff = WordDiff::new(text, other);
        html.fold_small("What differs between the kept page and the first that is removed");
        html.paragraph(&explained(cluster.why.as_deref(), &diff, kept.digest == removed.digest));
        html.word_diff(&diff);
        html.unfold();
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
