//! The documents that clustering would remove, member by member, for the counts of a report and the draw of an audit.

mod pages;
mod score;

use nddb_dedup::{
    ClusterOptions, Clusters, Collection, Member, MemberVerdict, MethodChoice, PairOptions, Resources,
    cluster_with_members,
};
use nddb_index::{Progress, Result, View};

pub use pages::{KnownPage, read_pages};
pub use score::{PROBABILITIES, Score, ScoreBin};

/// The members of all clusters, each compared with the kept document of its cluster.
#[derive(Debug)]
pub struct Removals {
    /// The options of the clustering.
    pub options: ClusterOptions,
    /// The clusters.
    pub clusters: Clusters,
    /// All members except the kept ones, in bytewise order of the ids of member and kept document. Members without text
    /// are left out.
    pub members: Vec<JudgedMember>,
    /// Names of the rules that decided.
    rules: Vec<String>,
    /// Number of live documents in the cluster of each founder, by ordinal.
    sizes: Vec<u32>,
}

/// A member of a cluster, compared with the kept document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedMember {
    /// Ordinal of the kept document.
    pub kept: u32,
    /// Ordinal of the member.
    pub member: u32,
    /// The decision about the member.
    pub verdict: MemberVerdict,
    /// Its similarity to the kept document.
    pub score: Score,
    /// Index of the name of the rule that decided.
    rule: u16,
}

/// Returns the default options of `nddb cluster` for a database.
pub fn usual_options(view: View<'_>, collection: &Collection, resources: &Resources) -> ClusterOptions {
    let usual = PairOptions::chosen(MethodChoice::usual(view));
    let mut pairs = PairOptions { resources: resources.clone(), ..usual };
    pairs.settle(collection.held());
    ClusterOptions::new(pairs)
}

impl Removals {
    /// Clusters the documents of a collection, made by [`Collection::with_deleted`].
    ///
    /// # Errors
    /// Errors of [`nddb_dedup::cluster`].
    pub fn find(
        view: View<'_>,
        collection: &Collection,
        options: ClusterOptions,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let (mut members, mut rules) = (Vec::new(), Vec::new());
        let clusters = cluster_with_members(view, collection, &options, watch, &mut |_| Ok(()), &mut |member| {
            members.push(judged(member, &mut rules));
            Ok(())
        })?;
        let mut sizes = vec![0; collection.len() as usize];
        for ordinal in (0..collection.len()).filter(|&ordinal| !collection.row(ordinal).is_deleted) {
            sizes[clusters.founder(ordinal) as usize] += 1;
        }
        Ok(Self { options, clusters, members, rules, sizes })
    }

    /// The members that are to be removed.
    pub fn removed(&self) -> impl Iterator<Item = &JudgedMember> {
        self.members.iter().filter(|member| member.verdict == MemberVerdict::Removed)
    }

    /// The name of the rule that decided about a member; `none` for a member that is not near the kept document.
    pub fn rule(&self, member: &JudgedMember) -> &str {
        &self.rules[usize::from(member.rule)]
    }

    /// Number of live documents in the cluster of a member.
    pub fn cluster_size(&self, member: &JudgedMember) -> u32 {
        self.sizes[self.clusters.founder(member.member) as usize]
    }
}

fn judged(member: &Member, rules: &mut Vec<String>) -> JudgedMember {
    let name = member.pair.as_ref().map_or("none".into(), |pair| pair.verdict());
    let rule = rules.iter().position(|known| *known == name).unwrap_or_else(|| {
        rules.push(name.into_owned());
        rules.len() - 1
    });
    let score = member.pair.as_ref().map_or(Score::Unknown, Score::of);
    // There are only a dozen rules, and a few results of verification.
    let rule = u16::try_from(rule).unwrap_or(u16::MAX);
    JudgedMember { kept: member.kept, member: member.member, verdict: member.verdict, score, rule }
}

/// The category of pairs of documents on one site.
pub const SAME_SITE: &str = "same site";

/// Returns whether two documents are on one site: `same site`, `different sites`, or `unknown` if a site is not known.
pub fn sites(collection: &Collection, a: u32, b: u32) -> &'static str {
    match (collection.row(a).site, collection.row(b).site) {
        (Some(a), Some(b)) if a == b => SAME_SITE,
        (Some(_), Some(_)) => "different sites",
        _ => "unknown",
    }
}

/// Returns the size class of a cluster with this number of documents.
pub fn size_class(documents: u32) -> &'static str {
    match documents {
        ..=2 => "2",
        3..=10 => "3-10",
        11..=100 => "11-100",
        _ => "over 100",
    }
}
