//! The documents that would be removed, as JSON.

use nddb_evaluate::report::{Report, Share, ShownCluster};
use nddb_jobs::json::Id;
use serde_json::{Value, json};

use crate::text_options::unread_value;

pub(super) fn value(report: &Report<'_>) -> Value {
    let overview = &report.overview;
    let verdicts: serde_json::Map<String, Value> =
        overview.verdicts.iter().map(|(verdict, &count)| (verdict.name().to_owned(), count.into())).collect();
    let scores = overview
        .scores
        .iter()
        .map(|((rule, bin), removed)| json!({"rule": rule, "score": bin.to_string(), "removed": removed}));
    let worst = overview.worst.iter().map(|lossy| {
        let [removed, kept] = &lossy.pages;
        let (id, kept) = (Id(&removed.id), Id(&kept.id));
        json!({"id": id, "kept": kept, "why": lossy.why, "loss": lossy.share, "lost": lossy.passages})
    });
    let (count, others) = &overview.other_sites;
    json!({
        "keep": overview.keep,
        "level": overview.level.name(),
        "method": report.default_method(),
        "documents": overview.documents,
        "removed": overview.removed,
        "words": {"all": overview.words[0], "removed": overview.words[1]},
        "bytes": {"all": overview.bytes[0], "removed": overview.bytes[1]},
        "clusters": overview.clusters,
        "clustered": overview.clustered,
        "members": verdicts,
        "unverified": overview.unverified,
        "worst": worst.collect::<Vec<_>>(),
        "sites": overview.sites.iter().map(share).collect::<Vec<_>>(),
        "other_sites": {"sites": count, "documents": others.documents, "removed": others.removed},
        "batches": overview.batches.iter().map(share).collect::<Vec<_>>(),
        "scores": scores.collect::<Vec<_>>(),
        "largest": overview.largest.iter().map(cluster).collect::<Vec<_>>(),
        "thin": {
            "documents": overview.thin.documents,
            "removed": overview.thin.removed,
            "clusters": overview.thin.clusters,
            "largest": overview.thin.largest.iter().map(cluster).collect::<Vec<_>>(),
        },
        "unread": unread_value(&overview.unread),
    })
}

pub(super) fn share(share: &Share) -> Value {
    json!({"name": share.name, "documents": share.documents, "removed": share.removed})
}

fn cluster(cluster: &ShownCluster) -> Value {
    let members = cluster.members.iter().map(|(page, removed)| {
        json!({"id": Id(&page.id), "url": page.url, "title": page.title, "snippet": page.snippet(), "removed": removed})
    });
    json!({"size": cluster.size, "removed": cluster.removed, "members": members.collect::<Vec<_>>()})
}
