//! The classification of a page's blocks: content or boilerplate.
//!
//! Each block of markup gets a *local score*: the log-odds that it is content, from features of the block, its
//! neighbours and the elements around it. The container whose blocks have the greatest sum of lengths, weighted by
//! these scores, is the *main container*. The final score also uses the position of the block relative to the main
//! container. No single piece of evidence decides.
//!
//! All arithmetic uses sums, products, quotients and square roots, which every processor rounds alike.

use super::blocks::ContentBlock;
use super::weights::{BRIEF_DOUBT, BRIEF_UNITS, CONTEXT, Context, DOUBT, LIST_SHARE, LOCAL, MOST};
use crate::text::containers::{Container, Own};
use crate::text::hints::Hints;

/// The properties of a container that follow from its text and the containers around it.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    units: u64,
    text_units: u64,
    /// Hints, boilerplate elements and headers of the container and of the containers around it, except those that hold
    /// most of the text.
    hints: Hints,
    is_frame: bool,
    is_header: bool,
    /// The greatest number of siblings with the same signature, over the same containers.
    siblings: u32,
    articles: u32,
    is_inner_article: bool,
    is_main: bool,
    is_quote: bool,
    is_figure: bool,
    /// Whether its name or the name of its parent hints at content.
    is_text: bool,
}

/// Classifies the blocks of a page of markup, given the containers of the page.
pub(super) fn markup(blocks: &mut [ContentBlock], containers: &[Container]) {
    let known = known(blocks, containers);
    for block in blocks.iter_mut() {
        block.is_frame = known[block.place.container as usize].is_frame;
    }
    let shown: Vec<usize> = (0..blocks.len()).filter(|&index| !blocks[index].is_title).collect();
    let local = local_scores(blocks, &shown, &known);
    let scores = scores(blocks, &shown, containers, &known, &local);
    for (&index, score) in shown.iter().zip(scores) {
        blocks[index].is_content = score > 0.0;
    }
    doubt(blocks);
}

/// The fail-safe. If less than half of the content is prose, or if little of the text outside boilerplate elements is
/// content, then all text outside boilerplate elements becomes content, including its links if they are much of that
/// text.
fn doubt(blocks: &mut [ContentBlock]) {
    let is_open = |block: &ContentBlock| !block.is_title && !block.is_frame;
    let sum = |of: &dyn Fn(&ContentBlock) -> bool, length: &dyn Fn(&ContentBlock) -> u32| -> u64 {
        blocks.iter().filter(|block| of(block)).map(|block| u64::from(length(block))).sum()
    };
    let content = sum(&|block| block.is_content, &ContentBlock::text_units);
    let prose = sum(&|block| block.is_content && block.is_prose(), &ContentBlock::text_units);
    let open = sum(&is_open, &ContentBlock::text_units);
    let with_links = sum(&is_open, &|block| block.units);
    let least = if content < BRIEF_UNITS { BRIEF_DOUBT } else { DOUBT };
    if 2 * prose < content || (content as f64) < least * open as f64 {
        let has_links = (open as f64) < LIST_SHARE * with_links as f64;
        for block in blocks.iter_mut() {
            block.is_content = is_open(block) && (has_links || !block.is_link());
        }
    }
}

/// Returns the properties of each container; a container comes after the containers around it.
fn known(blocks: &[ContentBlock], containers: &[Container]) -> Vec<Known> {
    let mut known = vec![Known::default(); containers.len()];
    for block in blocks.iter().filter(|block| !block.is_title) {
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
    let most = MOST * page.text_units as f64;
    let siblings = siblings(containers, &known);
    for (index, container) in containers.iter().enumerate().skip(1) {
        let parent_index = container.parent as usize;
        let (parent, own) = (known[parent_index], &mut known[index]);
        own.hints = parent.hints;
        (own.is_frame, own.is_header, own.siblings) = (parent.is_frame, parent.is_header, parent.siblings);
        own.is_inner_article = parent.is_inner_article;
        own.articles = parent.articles + u32::from(container.is_article);
        if (own.text_units as f64) < most {
            own.hints = own.hints.with(container.hints);
            own.is_frame |= container.is_frame;
            own.is_header |= container.is_header;
            own.siblings = own.siblings.max(siblings[index]);
            own.is_inner_article |= container.is_article && parent.articles > 0;
        }
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
fn siblings(containers: &[Container], known: &[Known]) -> Vec<u32> {
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
fn local_scores(blocks: &[ContentBlock], shown: &[usize], known: &[Known]) -> Vec<f64> {
    let first_heading = shown.iter().position(|&index| blocks[index].place.own == Own::Heading);
    let all = known.first().map_or(1, |page| page.text_units.max(1)) as f64;
    let mut before = 0;
    (0..shown.len())
        .map(|at| {
            let block = &blocks[shown[at]];
            let around = &known[block.place.container as usize];
            let neighbours =
                || [at.wrapping_sub(1), at + 1].into_iter().filter_map(|at| Some(&blocks[*shown.get(at)?]));
            let hints = around.hints.with(block.place.hints);
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
                + flag(hints.has(Hints::COMMENT), LOCAL.comment)
                + flag(hints.has(Hints::RELATED), LOCAL.related)
                + flag(hints.has(Hints::BOILERPLATE), LOCAL.boilerplate)
                + flag(hints.has(Hints::META), LOCAL.meta)
                + flag(around.is_text, LOCAL.text)
                + flag(around.is_frame, LOCAL.frame)
                + flag(around.is_header, LOCAL.header)
                + flag(around.articles > 0, LOCAL.article)
                + flag(around.is_inner_article, LOCAL.inner_article)
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

/// Least number of siblings with the same signature that count as items of a list.
const ITEMS: u32 = 3;

/// Returns the main container: the container whose blocks have the greatest sum of length times probability; among
/// equal ones, the innermost. Items of a list are weighted by the square root of their number.
fn main_container(
    blocks: &[ContentBlock],
    shown: &[usize],
    containers: &[Container],
    known: &[Known],
    local: &[f64],
) -> usize {
    let mut gains = vec![0.0; containers.len()];
    for (&index, &score) in shown.iter().zip(local) {
        let block = &blocks[index];
        let gain = (probability(score) - GAIN) * f64::from(block.units);
        let siblings = known[block.place.container as usize].siblings;
        let is_item = gain > 0.0 && siblings >= ITEMS;
        gains[block.place.container as usize] += if is_item { gain / f64::from(siblings).sqrt() } else { gain };
    }
    for index in (1..containers.len()).rev() {
        gains[containers[index].parent as usize] += gains[index];
    }
    let has_text = |index: &usize| *index == 0 || known[*index].units > 0;
    let candidates = (0..containers.len()).filter(has_text);
    candidates.max_by(|&a, &b| gains[a].total_cmp(&gains[b]).then(a.cmp(&b))).unwrap_or(0)
}

/// Least score of a block that is surely content, and the number of units that it must exceed.
const SURE: f64 = 0.45;
const SURE_UNITS: u32 = 40;

/// Returns the final scores of the blocks at some indexes, given their local ones.
fn scores(
    blocks: &[ContentBlock],
    shown: &[usize],
    containers: &[Container],
    known: &[Known],
    local: &[f64],
) -> Vec<f64> {
    let Context { constant, score, neighbour_score, depth, distance, between, behind, link_share: links } = CONTEXT;
    let main = main_container(blocks, shown, containers, known, local);
    let (depths, distances) = depths(containers, main);
    let container = |at: usize| blocks[shown[at]].place.container as usize;
    let is_inside = |at: &usize| depths[container(*at)].is_some();
    let is_sure = |at: &usize| is_inside(at) && local[*at] > SURE && blocks[shown[*at]].text_units() > SURE_UNITS;
    let ends = |is: &dyn Fn(&usize) -> bool| (0..shown.len()).find(is).zip((0..shown.len()).rfind(is));
    let (first, last) = ends(&is_sure).or_else(|| ends(&is_inside)).unwrap_or((0, 0));
    (0..shown.len())
        .map(|at| {
            let (mut sum, mut weights) = (0.0, 0.0);
            for other in at.saturating_sub(2)..(at + 3).min(shown.len()) {
                if other != at {
                    let weight = f64::from(blocks[shown[other]].units.min(300) + 10);
                    sum += weight * local[other].clamp(-4.0, 4.0);
                    weights += weight;
                }
            }
            let (inside, is_between) = (depths[container(at)], (first..=last).contains(&at));
            constant
                + score * local[at].clamp(-4.0, 4.0)
                + neighbour_score * sum / f64::max(weights, 1.0)
                + depth * f64::from(inside.unwrap_or(0).min(4))
                + distance * f64::from(distances[container(at)].min(5))
                + if is_between { between } else { 0.0 }
                + if at > last { behind } else { 0.0 }
                + if is_between && inside.is_some() { links * link_share(&blocks[shown[at]]) } else { 0.0 }
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
const NOTICE_SHARE: u64 = 4;

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
    blocks[..end].iter_mut().for_each(|block| block.is_content = true);
}
