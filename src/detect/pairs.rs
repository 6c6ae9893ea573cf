//! All pairs of a database by a method (`nddb pairs`).

use super::classes::Classes;
use super::collection::Collection;
use super::context::Context;
use super::groups;
use super::method::Method;
use super::needs;
use super::options::PairOptions;
use super::pair::{Line, Pair, PairSummary};
use super::rules::Decision;
use super::source::{Verifier, sources};
use crate::Result;
use crate::store::{Progress, Sorted, Sorter, Ticker, View};

/// Pairs between two reports of progress.
const REPORT: u64 = 1 << 14;

/// Finds all near-duplicates among the documents of a collection, which was built from this view, and hands
/// them to `emit`: first the groups, then the pairs, each by the bytes of ids.
///
/// Pairs run between documents that stand for others: one of each identity set, and of those one of each
/// hot group. What is said of them holds for all members. (Of a split pair the sites are those of the two
/// that are named.) With `expand` there are no groups: all pairs of all documents, each decided by its own
/// evidence.
///
/// # Errors
/// [`crate::Error::Method`] if the database does not have what the method needs,
/// [`crate::Error::OutOfRange`] for a threshold that the stored sketches do not reach; damage; errors of
/// the disk; [`crate::Error::Cancelled`]; whatever `emit` returns.
pub fn pairs(
    view: View<'_>,
    collection: &Collection,
    options: &PairOptions,
    watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    emit: &mut dyn FnMut(Line<'_>) -> Result<()>,
) -> Result<PairSummary> {
    let found = Found::new(view, collection, options, false, watch)?;
    found.emit(collection, options, None, watch, emit)
}

/// Candidate pairs in the order in which they are written.
pub(super) struct Found {
    pub(super) classes: Classes,
    sorted: Sorted<1>,
    pub(super) cuts: Vec<super::pair::Cut>,
    unsketched: u64,
}

impl Found {
    /// Finds the candidates of a method; with `stable`, so that more documents take none away.
    pub(super) fn new(
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        stable: bool,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        Self::between(options.method, view, collection, options, stable, watch)
    }

    /// The same between the classes of another method: those of [`Method::Identity`] leave pairs with one
    /// sketch among the candidates.
    pub(super) fn between(
        class: Method,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        stable: bool,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let mut sources = sources(options.method, options.complete)?;
        let unsketched = needs::check_documents(view, collection, options)?;
        let ticker = Ticker::new(watch);
        ticker.start("classes", None, "")?;
        let classes = Classes::new(collection, class, &options.room)?;
        let mut sorter = Sorter::<1>::new(&options.room.folder, options.room.memory_limit / 4);
        let mut push = |a: u32, b: u32| {
            let (a, b) = (collection.row(a).rank, collection.row(b).rank);
            sorter.push([u64::from(a.min(b)) << 32 | u64::from(a.max(b))])
        };
        let room = &options.room;
        let context = Context { view, collection, classes: &classes, options, room, stable, ticker: &ticker };
        let mut cuts = Vec::new();
        if options.expand {
            let members = classes.members();
            for leader in classes.leaders() {
                let class = members.of(leader);
                for (place, &a) in class.iter().enumerate() {
                    class[place + 1..].iter().try_for_each(|&b| push(a, b))?;
                }
            }
            for source in &mut sources {
                cuts.extend(source.candidates(&context, &mut |a, b| {
                    let product = members.of(a).iter().flat_map(|&a| members.of(b).iter().map(move |&b| (a, b)));
                    product.into_iter().try_for_each(|(a, b)| push(a, b))
                })?);
            }
        } else {
            for source in &mut sources {
                cuts.extend(source.candidates(&context, &mut push)?);
            }
        }
        Ok(Self { sorted: sorter.finish(), classes, cuts, unsketched })
    }

    /// Decides the candidates and hands out what is near, after the groups.
    pub(super) fn emit(
        &self,
        collection: &Collection,
        options: &PairOptions,
        verifier: Option<&mut dyn Verifier>,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(Line<'_>) -> Result<()>,
    ) -> Result<PairSummary> {
        let mut summary = PairSummary {
            documents: collection.held().documents,
            unsketched: self.unsketched,
            empty: collection.held().empty,
            compared: if options.expand { collection.len().into() } else { self.classes.leaders().count() as u64 },
            ..PairSummary::default()
        };
        if !options.expand {
            let (limit, room) = (options.group_limit, &options.room);
            groups::emit(collection, &self.classes, &self.cuts, limit, room, &mut summary, emit)?;
        }
        let ticker = Ticker::new(watch);
        self.decide(collection, options, verifier, &ticker, &mut summary, &mut |pair| emit(Line::Pair(pair)))?;
        Ok(summary)
    }

    /// Hands out the pairs alone.
    pub(super) fn each(
        &self,
        collection: &Collection,
        options: &PairOptions,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(Pair) -> Result<()>,
    ) -> Result<()> {
        self.decide(collection, options, None, &Ticker::new(watch), &mut PairSummary::default(), emit)
    }

    /// Hands out the near ones of the candidates.
    pub(super) fn decide(
        &self,
        collection: &Collection,
        options: &PairOptions,
        mut verifier: Option<&mut dyn Verifier>,
        ticker: &Ticker<'_>,
        summary: &mut PairSummary,
        emit: &mut dyn FnMut(Pair) -> Result<()>,
    ) -> Result<()> {
        let mut last = None;
        ticker.start("decide", None, "pairs")?;
        self.sorted.each(&mut |rows| {
            for &[row] in rows {
                if last.replace(row) == Some(row) {
                    continue;
                }
                let (a, b) = (collection.at_rank((row >> 32) as u32), collection.at_rank(row as u32));
                let mut evidence = collection.evidence(a, b);
                if let Some(verifier) = &mut verifier {
                    verifier.add(a, b, &mut evidence)?;
                }
                summary.candidates += 1;
                if let Decision::Near(rule) = options.rules.decide(options.method, &evidence) {
                    summary.pairs += 1;
                    emit(Pair { a, b, evidence, rule })?;
                }
                if summary.candidates.is_multiple_of(REPORT) {
                    ticker.add(REPORT)?;
                }
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
