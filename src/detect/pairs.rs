//! All pairs of a database by a method (`nddb pairs`).

use super::bits::Bits;
use super::classes::{Classes, Members};
use super::collection::Collection;
use super::context::Context;
use super::groups;
use super::method::Method;
use super::needs;
use super::options::PairOptions;
use super::pair::{Line, Pair, PairSummary, Verified};
use super::readings::Readings;
use super::rules::Decision;
use super::source::Verifier;
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
    found.emit(collection, options, watch, emit)
}

/// Candidate pairs in the order in which they are written.
pub(super) struct Found {
    pub(super) classes: Classes,
    sorted: Sorted<1>,
    pub(super) cuts: Vec<super::pair::Cut>,
    unsketched: u64,
    readings: Readings,
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
        let mut found = Self::candidates(view, collection, options, stable, watch)?;
        if options.verify_lcs && options.method != Method::Lcs {
            found.read(view, collection, options, &Ticker::new(watch))?;
        }
        Ok(found)
    }

    fn candidates(
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        stable: bool,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let unsketched = needs::check_documents(view, collection, options)?;
        let ticker = Ticker::new(&mut *watch);
        let readings = Readings::new(view, collection, options, &ticker)?;
        ticker.start("classes", None, "")?;
        let text = |ordinal| readings.sketch(ordinal);
        let classes = if options.expand && !options.method.needs_text() {
            Classes::of_sketches(collection, options.method, &options.room)?
        } else {
            Classes::new(collection, options.method, &text, &options.room)?
        };
        let found = Self::of(view, collection, options, readings, classes, stable, watch)?;
        Ok(Self { unsketched, ..found })
    }

    /// Finds the candidates between the classes of another method: those of [`Method::Identity`] leave pairs with
    /// one sketch among them.
    pub(super) fn between(
        class: Method,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        stable: bool,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let unsketched = needs::check_documents(view, collection, options)?;
        let readings = Readings::new(view, collection, options, &Ticker::new(&mut *watch))?;
        let classes = Classes::new(collection, class, &|_| None, &options.room)?;
        let found = Self::of(view, collection, options, readings, classes, stable, watch)?;
        Ok(Self { unsketched, ..found })
    }

    /// Finds the candidates, given what was read of texts, and which documents are one to the method.
    pub(super) fn of(
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        mut readings: Readings,
        classes: Classes,
        stable: bool,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
    ) -> Result<Self> {
        let ticker = Ticker::new(watch);
        let mut sources = readings.sources(options);
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
            each_pair(&classes, &members, &mut push)?;
            let texts = Classes::of_texts(collection);
            each_pair(&texts, &texts.members(), &mut push)?;
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
        drop(sources);
        Ok(Self { sorted: sorter.finish(), classes, cuts, unsketched: 0, readings })
    }

    /// Reads the texts of the pairs that are to be verified.
    fn read(
        &mut self,
        view: View<'_>,
        collection: &Collection,
        options: &PairOptions,
        ticker: &Ticker<'_>,
    ) -> Result<()> {
        let mut wanted = Bits::new(collection.len());
        let unverified = PairOptions { verify_lcs: false, ..options.clone() };
        self.decide(collection, &unverified, ticker, &mut PairSummary::default(), &mut |pair| {
            if !pair.evidence.identical {
                wanted.insert(pair.a);
                wanted.insert(pair.b);
            }
            Ok(())
        })?;
        self.readings.verify(view, collection, options, &wanted, ticker)
    }

    /// Decides the candidates and hands out what is near, after the groups.
    pub(super) fn emit(
        &self,
        collection: &Collection,
        options: &PairOptions,
        watch: &mut (dyn FnMut(&Progress) -> bool + Send),
        emit: &mut dyn FnMut(Line<'_>) -> Result<()>,
    ) -> Result<PairSummary> {
        let mut summary = PairSummary {
            documents: collection.held().documents,
            unsketched: self.unsketched,
            empty: collection.held().empty,
            unread: self.readings.unread,
            sets: self.readings.sets,
            shingles: self.readings.resemblance,
            compared: if options.expand { collection.len().into() } else { self.classes.leaders().count() as u64 },
            ..PairSummary::default()
        };
        if !options.expand {
            let (limit, room) = (options.group_limit, &options.room);
            groups::emit(collection, &self.classes, &self.cuts, limit, room, &mut summary, emit)?;
        }
        let ticker = Ticker::new(watch);
        self.decide(collection, options, &ticker, &mut summary, &mut |pair| emit(Line::Pair(pair)))?;
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
        self.decide(collection, options, &Ticker::new(watch), &mut PairSummary::default(), emit)
    }

    /// Hands out the near ones of the candidates.
    pub(super) fn decide(
        &self,
        collection: &Collection,
        options: &PairOptions,
        ticker: &Ticker<'_>,
        summary: &mut PairSummary,
        emit: &mut dyn FnMut(Pair) -> Result<()>,
    ) -> Result<()> {
        let mut last = None;
        let mut judge = self.judge(collection, options);
        ticker.start("decide", None, "pairs")?;
        self.sorted.each(&mut |rows| {
            for &[row] in rows {
                if last.replace(row) == Some(row) {
                    continue;
                }
                let (a, b) = (collection.at_rank((row >> 32) as u32), collection.at_rank(row as u32));
                summary.candidates += 1;
                match judge.pair(a, b)? {
                    Judged::Near(pair) => {
                        summary.pairs += 1;
                        summary.unverified += u64::from(pair.verified == Some(Verified::Unread));
                        emit(pair)?;
                    }
                    Judged::Rejected => summary.rejected += 1,
                    Judged::Apart => (),
                }
                if summary.candidates.is_multiple_of(REPORT) {
                    ticker.add(REPORT)?;
                }
            }
            Ok(())
        })
    }

    /// What decides pairs of documents, also such as are no candidates.
    pub(super) fn judge<'a>(&'a self, collection: &'a Collection, options: &'a PairOptions) -> Judge<'a> {
        let verifies = options.verify_lcs && options.method != Method::Lcs;
        Judge {
            collection,
            options,
            decider: self.readings.decider(options),
            verifier: if verifies { self.readings.verifier(options) } else { None },
        }
    }
}

/// Decides pairs.
pub(super) struct Judge<'a> {
    collection: &'a Collection,
    options: &'a PairOptions,
    /// Adds what the method compares of texts.
    decider: Option<Box<dyn Verifier + 'a>>,
    /// Compares the texts of what the method finds.
    verifier: Option<Box<dyn Verifier + 'a>>,
}

/// What became of a pair.
pub(super) enum Judged {
    /// It is one of near-duplicates.
    Near(Pair),
    /// The method says so, and the texts do not.
    Rejected,
    /// The method does not say so.
    Apart,
}

impl Judge<'_> {
    /// Decides a pair. Pairs are best asked for in the order of ids.
    pub(super) fn pair(&mut self, a: u32, b: u32) -> Result<Judged> {
        let mut evidence = self.collection.evidence(a, b);
        // Equal texts are decided before (Huang et al. 2008, 3.3).
        if !evidence.identical
            && let Some(decider) = &mut self.decider
        {
            decider.add(a, b, &mut evidence)?;
        }
        let (rules, method) = (&self.options.rules, self.options.method);
        let Decision::Near(rule) = rules.decide(method, &evidence) else { return Ok(Judged::Apart) };
        let mut verified = None;
        if !evidence.identical
            && let Some(verifier) = &mut self.verifier
        {
            verifier.add(a, b, &mut evidence)?;
            verified = match rules.decide(Method::Lcs, &evidence) {
                Decision::Near(rule) => Some(Verified::Near(rule)),
                Decision::Unknown => Some(Verified::Unread),
                Decision::Apart => return Ok(Judged::Rejected),
            };
        }
        Ok(Judged::Near(Pair { a, b, evidence, rule, verified }))
    }
}

/// Hands out all pairs within classes.
fn each_pair(classes: &Classes, members: &Members, push: &mut dyn FnMut(u32, u32) -> Result<()>) -> Result<()> {
    for leader in classes.leaders() {
        let class = members.of(leader);
        for (place, &a) in class.iter().enumerate() {
            class[place + 1..].iter().try_for_each(|&b| push(a, b))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
