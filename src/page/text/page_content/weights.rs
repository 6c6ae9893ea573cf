//! All constants of the classification of blocks of markup.
//!
//! The constants are fitted by logistic regression to pages in which people marked the article and, with a tenth of the
//! weight, to pages that declare their main part. (`benches/content_fit.py` prints the constants, and scores that are
//! cross-validated by site.)

/// Weights of the features of a block, of its neighbours and of the elements around it.
pub(super) struct Local {
    pub(super) constant: f64,
    /// For the binary logarithm of its length outside links, and the mean of its neighbours' logarithms.
    pub(super) length: f64,
    pub(super) neighbour_length: f64,
    /// For its share in links, 0 to 1.
    pub(super) link_share: f64,
    /// If it ends like a sentence.
    pub(super) sentence_end: f64,
    /// For the share of its two neighbours that are prose.
    pub(super) neighbour_prose: f64,
    /// If it is a paragraph, if it is a list item, if it is part of a figure.
    pub(super) paragraph: f64,
    pub(super) list_item: f64,
    pub(super) figure: f64,
    /// If it is in a quotation, a table or preformatted text.
    pub(super) quote: f64,
    /// If names of elements around it hint at comments, at other pages, at boilerplate, at notes about the text.
    pub(super) comment: f64,
    pub(super) related: f64,
    pub(super) boilerplate: f64,
    pub(super) meta: f64,
    /// If the names of the two nearest elements hint at content.
    pub(super) text: f64,
    /// If it is in a boilerplate element, if it is in a header.
    pub(super) frame: f64,
    pub(super) header: f64,
    /// If it is in an article, if in an article within another one, if in the main part.
    pub(super) article: f64,
    pub(super) inner_article: f64,
    pub(super) main: f64,
    /// If it is after the first heading of rank 1, if it is before it.
    pub(super) after_heading: f64,
    pub(super) before_heading: f64,
    /// For the share of the text outside links that comes before it, 0 to 1.
    pub(super) position: f64,
}

/// Weights of the position of a block relative to the main container, the element with the most probable content.
pub(super) struct Context {
    pub(super) constant: f64,
    /// For its local score, and the mean local score of the two blocks before and after it.
    pub(super) score: f64,
    pub(super) neighbour_score: f64,
    /// For the number of elements between it and the main container if it is inside the latter, at most 4.
    pub(super) depth: f64,
    /// For the number of elements between the main container and the nearest one that contains both, at most 5.
    pub(super) distance: f64,
    /// If it is between the first and the last block of the main container that is surely content, if it is after the
    /// last.
    pub(super) between: f64,
    pub(super) behind: f64,
    /// For its share in links, if it is in the main container between those two blocks.
    pub(super) link_share: f64,
}

pub(super) const LOCAL: Local = Local {
    constant: -2.920,
    length: 0.193,
    neighbour_length: 0.177,
    link_share: -1.828,
    sentence_end: 0.675,
    neighbour_prose: 0.772,
    paragraph: 0.666,
    list_item: 0.893,
    figure: -1.227,
    quote: 2.364,
    comment: -5.190,
    related: -1.090,
    boilerplate: -2.097,
    meta: -2.023,
    text: 0.727,
    frame: -1.466,
    header: -1.539,
    article: 0.211,
    inner_article: -1.797,
    main: 1.010,
    after_heading: 1.049,
    before_heading: -0.513,
    position: -1.080,
};

pub(super) const CONTEXT: Context = Context {
    constant: -0.137,
    score: 0.681,
    neighbour_score: 0.270,
    depth: -0.192,
    distance: -0.479,
    between: 1.045,
    behind: 0.256,
    link_share: -1.724,
};

/// For an element with more than the second share of a page's text outside links, names are no evidence; with less than
/// the first they are full evidence.
pub(super) const MOST: [f64; 2] = [0.45, 0.75];

/// The content is in doubt if it is less than this share of the text outside boilerplate elements, and wholly so at half
/// of it; a brief content, of fewer units than about the second number, is in doubt below the third.
pub(super) const DOUBT: f64 = 0.2;
pub(super) const BRIEF_UNITS: f64 = 600.0;
pub(super) const BRIEF_DOUBT: f64 = 0.5;

/// The content is in doubt if about half of it is prose, more or less by this share.
pub(super) const PROSE_SHARE: f64 = 0.25;

/// Share of text outside links below which links are part of a content that is in doubt, as in lists and indexes.
pub(super) const LIST_SHARE: f64 = 0.6;
