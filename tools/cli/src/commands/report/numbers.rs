//! The numbers of a report as JSON.

use nddb_evaluate::report::{Lossy, Report, Share, ShownCluster};
use nddb_jobs::json::Id;
use serde_json::{Value, json};

use crate::text_options::unread_value;

pub(super) fn value(report: &Report<'_>) -> Value {
    // Reference of report: the object of `--json`, on stdout: the page is then written only with `-o`
    json!({
        "input": {
            "db": report.db,
            "generation": report.view.generation(),
            "complete_to": report.view.complete_to(),
        },
        "recipe": report.view.settings().recipe,
        "versions": {"nddb": env!("CARGO_PKG_VERSION"), "format": nddb_format::fields::FORMAT},
        "removals": removals(report), // see below
    })
}

fn removals(report: &Report<'_>) -> Value {
    let overview = &report.overview;
    let verdicts: serde_json::Map<String, Value> =
        overview.verdicts.iter().map(|(verdict, &count)| (verdict.name().to_owned(), count.into())).collect();
    let scores = overview
        .scores
        .iter()
        .map(|((rule, bin), removed)| json!({"rule": rule, "score": bin.to_string(), "removed": removed}));
    let lossy = |lossy: &Lossy| {
        let [removed, kept] = &lossy.pages;
        json!({
            "id": Id(&removed.id),
            "kept": Id(&kept.id),
            "why": lossy.why,
            "probability": lossy.probability,
            "loss": lossy.share,
            "lost": lossy.passages,
            "chosen": lossy.chosen,
        })
    };
    let judged = overview.classes.iter().map(|(class, removed)| {
        let found = class.judged(overview.level);
        let (wrong, of, interval) =
            found.map_or_else(Default::default, |(wrong, of, (low, high))| (Some(wrong), Some(of), Some([low, high])));
        json!({"of": class.name(), "removed": removed, "wrong": wrong, "judged": of, "interval": interval})
    });
    let (count, others) = &overview.other_sites;
    // Reference of report: `removals`: what `cluster` would do by its defaults
    json!({
        "keep": overview.keep, // by what the kept documents are chosen
        "level": overview.level.name(),
        "method": report.method.name(),
        "documents": overview.documents,
        "removed": overview.removed,
        "words": {"all": overview.words[0], "removed": overview.words[1]},
        "bytes": {"all": overview.bytes[0], "removed": overview.bytes[1]},
        "clusters": overview.clusters,
        "clustered": overview.clustered,
        "members": verdicts, // by decision
        "unverified": overview.unverified, // removals whose loss is estimated
        // for each kind and size `of` documents: those `removed` with another text than the kept one; and of `judged`
        // pairs of collections that the fit never saw how many are `wrong` at this level, with the 95% `interval` of
        // the share
        "judged": judged.collect::<Vec<_>>(),
        // the 12 removals that lose most: `id`, `kept`, `why` (a sentence), `probability`, `loss`, `lost` (the words,
        // by passages), `chosen` (why the other is kept)
        "worst": overview.worst.iter().map(lossy).collect::<Vec<_>>(),
        // the 12 of least probability, if that is below 0.9
        "doubtful": overview.doubtful.iter().map(lossy).collect::<Vec<_>>(),
        // the 20 with most removals: `name`, `documents`, `removed`
        "sites": overview.sites.iter().map(share).collect::<Vec<_>>(),
        "other_sites": {"sites": count, "documents": others.documents, "removed": others.removed},
        "folders": overview.paths.iter().map(share).collect::<Vec<_>>(), // host and first folder
        "batches": overview.batches.iter().map(share).collect::<Vec<_>>(),
        "scores": scores.collect::<Vec<_>>(), // `rule`, `score`, `removed`
        // clusters: `size`, `removed`, `members` (`id`, `url`, `title`, `snippet`, `removed`)
        "largest": overview.largest.iter().map(cluster).collect::<Vec<_>>(),
        // pages with hardly any content
        "thin": {
            "documents": overview.thin.documents,
            "removed": overview.thin.removed,
            "clusters": overview.thin.clusters,
            "largest": overview.thin.largest.iter().map(cluster).collect::<Vec<_>>(),
        },
        "unread": unread_value(&overview.unread), // documents whose texts could not be read, by reason
    })
}

fn share(share: &Share) -> Value {
    json!({"name": share.name, "documents": share.documents, "removed": share.removed})
}

fn cluster(cluster: &ShownCluster) -> Value {
    let members = cluster.members.iter().map(|(page, removed)| {
        json!({"id": Id(&page.id), "url": page.url, "title": page.title, "snippet": page.snippet(), "removed": removed})
    });
    json!({"size": cluster.size, "removed": cluster.removed, "members": members.collect::<Vec<_>>()})
}
