//! The classification of a page's blocks: content or boilerplate.
//!
//! Each block of markup gets a *local score*: the log-odds that it is content, from features of the block, its
//! neighbours and the elements around it. The containers whose blocks have the greatest sums of lengths, weighted by
//! these scores, are the *main containers*. The final score also uses the position of the block relative to these. No
//! single piece of evidence decides.
//!
//! A small edit of a page changes its content by a small part. So nothing is decided for a whole page, or for a large
//! part of it, at one threshold: evidence sets in gradually, several main containers share their weight, and a score is
//! turned into the *share* of such blocks that are content ([`share`]). Of blocks with a share between 0 and 1, those
//! whose [draw](super::draw) is below the share are content: a number that depends on the text of the block alone, so
//! that the same blocks are drawn in two versions of a page.
//!
//! All arithmetic uses sums, products, quotients and square roots, which every processor rounds alike.

use super::blocks::ContentBlock;
use super::weights::{BRIEF_DOUBT, BRIEF_UNITS, CONTEXT, Context, DOUBT, LIST_SHARE, LOCAL, MOST, PROSE_SHARE};
use crate::text::containers::{Container, Own};
use crate::text::hints::Hints;

/// Returns 0 up to `from`, 1 from `to` on, and a value between them in proportion; `from` may be the greater one.
fn ramp(value: f64, from: f64, to: f64) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

/// The properties of a container that follow from its text and the containers around it. The strength of evidence, 0 to
/// 1, is less for elements with much of the page's text.
#[derive(Clone, Copy, Debug, Default)]
struct ContainerEvidence {
    units: u64,
    text_units: u64,
    /// Strength of the hints, of the boilerplate elements and of the headers around it and of its own.
    hints: [f64; HINTS.len()],
    frame: f64,
    header: f64,
    inner_article: f64,
    /// The greatest number of siblings with the same signature, over the same containers, in proportion to strength.
    siblings: f64,
    articles: u32,
    is_unseen: bool,
    is_main: bool,
    is_quote: bool,
    is_figure: bool,
    /// Whether its name or the name of its parent hints at content.
    is_text: bool,
}

/// The hints that count with all their elements, with the weight of each.
const HINTS: [(Hints, f64); 4] = [
    (Hints::COMMENT, LOCAL.comment),
    (Hints::RELATED, LOCAL.related),
    (Hints::BOILERPLATE, LOCAL.boilerplate),
    (Hints::META, LOCAL.meta),
];

/// Marks the blocks of a page of markup that are in boilerplate elements, and those that are not shown.
pub(super) fn mark(blocks: &mut [ContentBlock], containers: &[Container]) {
    let known = known(blocks, containers, |_| true);
    for block in blocks.iter_mut() {
        let around = &known[block.place.container as usize];
        (block.is_frame, block.is_unseen) = (around.frame > 0.5, around.is_unseen);
    }
}

/// Sets the shares of the blocks of a page of markup for which `is_read` holds, given the containers of the page; the
/// shares of others are 0.
pub(super) fn markup(blocks: &mut [ContentBlock], containers: &[Container], is_read: impl Fn(&ContentBlock) -> bool) {
    let known = known(blocks, containers, &is_read);
    let read: Vec<usize> =
        (0..blocks.len()).filter(|&index| !blocks[index].is_title && is_read(&blocks[index])).collect();
    let local = local_scores(blocks, &read, &known);
    let scores = scores(blocks, &read, containers, &known, &local);
    blocks.iter_mut().for_each(|block| block.share = 0.0);
    for (&index, score) in read.iter().zip(scores) {
        blocks[index].share = share(score);
    }
    doubt(blocks, &read, &known);
}

/// A score of more than this, or of less than its negative, decides.
const SURE_SCORE: f64 = 0.6;

/// Returns the share of blocks with this score that are content.
fn share(score: f64) -> f64 {
    ramp(score, -SURE_SCORE, SURE_SCORE)
}

/// The fail-safe. If little of the content is prose, or if little of the text outside boilerplate elements is content,
/// then all text outside boilerplate elements becomes content, including its links if they are much of that text.
fn doubt(blocks: &mut [ContentBlock], read: &[usize], known: &[ContainerEvidence]) {
    let openness = |block: &ContentBlock| 1.0 - known[block.place.container as usize].frame;
    let sum = |of: &dyn Fn(&ContentBlock) -> f64| -> f64 { read.iter().map(|&index| of(&blocks[index])).sum() };
    let units = |block: &ContentBlock| f64::from(block.text_units());
    let content = sum(&|block| block.share * units(block));
    let prose = sum(&|block| if block.is_prose() { block.share * units(block) } else { 0.0 });
    let open = sum(&|block| openness(block) * units(block));
    let with_links = sum(&|block| openness(block) * f64::from(block.units));
    let least = DOUBT + (BRIEF_DOUBT - DOUBT) * ramp(content, 1.5 * BRIEF_UNITS, 0.5 * BRIEF_UNITS);
    let by_prose = ramp(prose, (0.5 + PROSE_SHARE) * content, (0.5 - PROSE_SHARE) * content);
    // Where boilerplate elements have all the text, nothing would take the place of the content.
    let by_amount = if open > 0.0 { ramp(content, least * open, 0.5 * least * open) } else { 0.0 };
    let doubt = if content > 0.0 { by_prose.max(by_amount) } else { 1.0 };
    if doubt > 0.0 {
        let with_links = with_links.max(1.0);
        let links = ramp(open, (LIST_SHARE + 0.1) * with_links, (LIST_SHARE - 0.1) * with_links);
        for &index in read {
            let block = &mut blocks[index];
            let wanted = openness(block) * if block.is_link() { links } else { 1.0 };
            block.share += doubt * (wanted - block.share);
        }
    }
}

/// Returns the properties of each container; a container comes after the containers around it.
fn known(
    blocks: &[ContentBlock],
    containers: &[Container],
    is_read: impl Fn(&ContentBlock) -> bool,
) -> Vec<ContainerEvidence> {
    let mut known = vec![ContainerEvidence::default(); containers.len()];
    for block in blocks.iter().filter(|block| !block.is_title && is_read(block)) {
        let own = &mut known[block.place.container as usize];
        own.units += u64::from(block.units);
        own.text_units += u64::from(block.text_units());
    }
    for index in (1..containers.len()).rev() {
        let (units, text_units) = (known[index].units, known[index].text_units);
        let parent = &mut known[containers[index].parent as usize];
        parent.units += units;
        parent.text_units += text_units;
    }
    let Some(page) = known.first() else { return known };
    let all = page.text_units as f64;
    let siblings = siblings(containers, &known);
    for (index, container) in containers.iter().enumerate().skip(1) {
        let parent_index = container.parent as usize;
        let (parent, own) = (known[parent_index], &mut known[index]);
        let strength = ramp(own.text_units as f64, MOST[1] * all, MOST[0] * all);
        let flag = |is_set: bool| if is_set { strength } else { 0.0 };
        for (at, (hint, _)) in HINTS.iter().enumerate() {
            own.hints[at] = parent.hints[at].max(flag(container.hints.has(*hint)));
        }
        own.frame = parent.frame.max(flag(container.is_frame));
        own.header = parent.header.max(flag(container.is_header));
        own.siblings = parent.siblings.max(strength * f64::from(siblings[index]));
        own.inner_article = parent.inner_article.max(flag(container.is_article && parent.articles > 0));
        own.articles = parent.articles + u32::from(container.is_article);
        own.is_unseen = parent.is_unseen || container.is_unseen;
        own.is_main = parent.is_main || container.is_main;
        own.is_quote = parent.is_quote || container.is_quote;
        own.is_figure = parent.is_figure || container.is_figure;
        let around = if parent_index == 0 { Hints::default() } else { containers[parent_index].hints };
        own.is_text = container.hints.with(around).has(Hints::TEXT);
    }
    known
}

/// Returns, for each container with a signature, the number of containers that share both its signature and that of its
/// parent.
fn siblings(containers: &[Container], known: &[ContainerEvidence]) -> Vec<u32> {
    let key = |index: usize| (containers[index].signature, containers[containers[index].parent as usize].signature);
    let has = |index: &usize| containers[*index].signature != 0 && known[*index].units > 0;
    let mut keys: Vec<(u64, u64)> = (1..containers.len()).filter(has).map(key).collect();
    keys.sort_unstable();
    let count = |index: usize| {
        let start = keys.partition_point(|one| *one < key(index));
        keys[start..].partition_point(|one| *one == key(index)) as u32
    };
    (0..containers.len()).map(|index| if has(&index) { count(index) } else { 0 }).collect()
}

/// Returns the binary logarithm of a length plus 1, clamped to 1,001; linear between powers of two.
fn log(units: u32) -> f64 {
    let value = units.min(1000) + 1;
    let digits = value.ilog2();
    f64::from(digits) + f64::from(value) / f64::from(1 << digits) - 1.0
}

fn link_share(block: &ContentBlock) -> f64 {
    f64::from(block.link_units) / f64::from(block.units.max(1))
}

/// Returns the local scores of the blocks at some indexes.
fn local_scores(blocks: &[ContentBlock], read: &[usize], known: &[ContainerEvidence]) -> Vec<f64> {
    let first_heading = read.iter().position(|&index| blocks[index].place.own == Own::Heading);
    let all = known.first().map_or(1, |page| page.text_units.max(1)) as f64;
    let mut before = 0;
    (0..read.len())
        .map(|at| {
            let block = &blocks[read[at]];
            let around = &known[block.place.container as usize];
            let neighbours = || [at.wrapping_sub(1), at + 1].into_iter().filter_map(|at| Some(&blocks[*read.get(at)?]));
            let hints = HINTS
                .iter()
                .zip(around.hints)
                .map(|(&(hint, weight), strength)| weight * if block.place.hints.has(hint) { 1.0 } else { strength });
            let position = f64::from(before as u32) / all;
            before += block.text_units() as u64;
            let flag = |is_set: bool, weight: f64| if is_set { weight } else { 0.0 };
            LOCAL.constant
                + LOCAL.length * log(block.text_units())
                + LOCAL.link_share * link_share(block)
                + flag(block.ends_sentence, LOCAL.sentence_end)
                + LOCAL.neighbour_length * neighbours().map(|block| log(block.text_units())).sum::<f64>() / 2.0
                + LOCAL.neighbour_prose * neighbours().filter(|block| block.is_prose()).count() as f64 / 2.0
                + flag(block.place.own == Own::Paragraph, LOCAL.paragraph)
                + flag(block.place.own == Own::ListItem, LOCAL.list_item)
                + flag(around.is_figure, LOCAL.figure)
                + flag(around.is_quote, LOCAL.quote)
                + hints.sum::<f64>()
                + flag(around.is_text, LOCAL.text)
                + around.frame * LOCAL.frame
                + around.header * LOCAL.header
                + flag(around.articles > 0, LOCAL.article)
                + around.inner_article * LOCAL.inner_article
                + flag(around.is_main, LOCAL.main)
                + flag(first_heading.is_some_and(|heading| at > heading), LOCAL.after_heading)
                + flag(first_heading.is_some_and(|heading| at < heading), LOCAL.before_heading)
                + LOCAL.position * position
        })
        .collect()
}

/// Returns approximately the probability for given log-odds.
fn probability(score: f64) -> f64 {
    (0.5 + 0.22 * score).clamp(0.0, 1.0)
}

/// Probability above which a block counts in favour of its container.
const GAIN: f64 = 0.2;

/// A container with at least this share of the greatest gain has a weight as a main container.
const NEARLY_BEST: f64 = 0.85;

/// Returns the main containers with their weights, whose sum is 1. The gain of a container is the sum of the lengths of
/// its blocks times their probabilities; items of a list are weighted by the square root of their number. The weight of
/// a container grows with its gain, and what a container inside it has is taken off it: of containers with equal gains
/// the innermost has all the weight.
fn main_containers(
    blocks: &[ContentBlock],
    read: &[usize],
    containers: &[Container],
    known: &[ContainerEvidence],
    local: &[f64],
) -> Vec<(usize, f64)> {
    let mut gains = vec![0.0; containers.len()];
    for (&index, &score) in read.iter().zip(local) {
        let block = &blocks[index];
        let gain = (probability(score) - GAIN) * f64::from(block.units);
        let others = known[block.place.container as usize].siblings - 1.0;
        gains[block.place.container as usize] += if gain > 0.0 { gain / others.max(1.0).sqrt() } else { gain };
    }
    for index in (1..containers.len()).rev() {
        gains[containers[index].parent as usize] += gains[index];
    }
    let best = gains.iter().copied().fold(0.0, f64::max);
    if best <= 0.0 {
        return vec![(0, 1.0)];
    }
    let weight = |gain: f64| {
        let nearness = ramp(gain, NEARLY_BEST * best, best);
        nearness * nearness
    };
    // The greatest weight of the containers inside each one.
    let mut inside = vec![0.0; containers.len()];
    let mut main = Vec::new();
    for index in (0..containers.len()).rev() {
        let own = weight(gains[index]);
        if own > inside[index] {
            main.push((index, own - inside[index]));
        }
        let parent = containers[index].parent as usize;
        if index > 0 {
            inside[parent] = f64::max(inside[parent], f64::max(own, inside[index]));
        }
    }
    let sum: f64 = main.iter().map(|(_, weight)| weight).sum();
    main.iter_mut().for_each(|(_, own)| *own /= sum);
    main.retain(|(_, own)| *own > 0.01);
    main
}

/// Returns how surely a block is content by its local score and its length, 0 to 1.
fn sureness(block: &ContentBlock, local: f64) -> f64 {
    ramp(local, 0.2, 0.7) * ramp(f64::from(block.text_units()), 20.0, 60.0)
}

/// A block is between sure blocks if this share of all sure text is before it, and after it.
const EDGE: f64 = 0.05;

/// If there is less sure text than this, blocks are also between if they are inside the main container.
const SURE_UNITS: f64 = 400.0;

/// Returns the final scores of the blocks at some indexes, given their local ones.
fn scores(
    blocks: &[ContentBlock],
    read: &[usize],
    containers: &[Container],
    known: &[ContainerEvidence],
    local: &[f64],
) -> Vec<f64> {
    let Context { constant, score, neighbour_score, .. } = CONTEXT;
    let mut scores: Vec<f64> = (0..read.len())
        .map(|at| {
            let (mut sum, mut weights) = (0.0, 0.0);
            for other in at.saturating_sub(2)..(at + 3).min(read.len()) {
                if other != at {
                    let weight = f64::from(blocks[read[other]].units.min(300) + 10);
                    sum += weight * local[other].clamp(-4.0, 4.0);
                    weights += weight;
                }
            }
            constant + score * local[at].clamp(-4.0, 4.0) + neighbour_score * sum / f64::max(weights, 1.0)
        })
        .collect();
    for (main, weight) in main_containers(blocks, read, containers, known, local) {
        let places = by_place(blocks, read, containers, local, main);
        scores.iter_mut().zip(places).for_each(|(score, place)| *score += weight * place);
    }
    scores
}

/// Returns what the place of each block relative to a main container adds to its score.
fn by_place(blocks: &[ContentBlock], read: &[usize], containers: &[Container], local: &[f64], main: usize) -> Vec<f64> {
    let Context { depth, distance, between, behind, link_share: links, .. } = CONTEXT;
    let (depths, distances) = depths(containers, main);
    let container = |at: usize| blocks[read[at]].place.container as usize;
    let is_inside = |at: &usize| depths[container(*at)].is_some();
    let sure_units = |at: usize| {
        let block = &blocks[read[at]];
        if is_inside(&at) { sureness(block, local[at]) * f64::from(block.text_units()) } else { 0.0 }
    };
    let sure: f64 = (0..read.len()).map(sure_units).sum();
    let is_known = ramp(sure, 0.0, SURE_UNITS);
    let first = (0..read.len()).find(is_inside).unwrap_or(0);
    let last = (0..read.len()).rfind(is_inside).unwrap_or(0);
    let edge = f64::max(EDGE * sure, 1.0);
    let mut before = 0.0;
    (0..read.len())
        .map(|at| {
            let inside = depths[container(at)];
            let own = sure_units(at);
            let after = ramp(sure - before, 0.0, edge);
            before += own;
            let flag = |is_set: bool| if is_set { 1.0 } else { 0.0 };
            let is_between =
                is_known * ramp(before, 0.0, edge) * after + (1.0 - is_known) * flag((first..=last).contains(&at));
            let is_behind = is_known * (1.0 - after) + (1.0 - is_known) * flag(at > last);
            depth * f64::from(inside.unwrap_or(0).min(4))
                + distance * f64::from(distances[container(at)].min(5))
                + between * is_between
                + behind * is_behind
                + if inside.is_some() { is_between * links * link_share(&blocks[read[at]]) } else { 0.0 }
        })
        .collect()
}

/// Returns two numbers for each container: the number of elements between the main container and this container, if it
/// is inside the main container; and the number of elements between the main container and the nearest container around
/// both.
fn depths(containers: &[Container], main: usize) -> (Vec<Option<u32>>, Vec<u32>) {
    let mut depths = vec![None; containers.len()];
    let mut distances = vec![0; containers.len()];
    let (mut chain, mut index) = (vec![main], main);
    while index != 0 {
        index = containers[index].parent as usize;
        chain.push(index);
    }
    chain.reverse();
    let mut on_chain = chain.iter().peekable();
    for index in 0..containers.len() {
        let parent = containers[index].parent as usize;
        if on_chain.next_if(|&&next| next == index).is_some() {
            distances[index] = on_chain.len() as u32;
        } else {
            distances[index] = distances[parent];
        }
        depths[index] =
            if index == main { Some(0) } else { depths[parent].filter(|_| index > main).map(|depth| depth + 1) };
    }
    (depths, distances)
}

/// A copyright notice ends the content of a plain text if less than this fraction of the text (one part in this many)
/// follows.
const NOTICE_SHARE: u64 = 10;

/// Classifies the lines of plain text. All are content, except from the first copyright notice that has little text
/// after it and some before it (Pomikalek 2011 drops blocks with that sign).
pub(super) fn lines(blocks: &mut [ContentBlock]) {
    let mut behind: u64 = blocks.iter().map(|block| u64::from(block.units)).sum();
    let all = behind;
    let end = blocks.iter().position(|block| {
        let is_first = behind == all;
        behind -= u64::from(block.units);
        block.is_notice && !is_first && NOTICE_SHARE * behind < all
    });
    let end = end.unwrap_or(blocks.len());
    blocks[..end].iter_mut().for_each(|block| block.share = 1.0);
}
