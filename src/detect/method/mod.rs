//! Methods: what is known of a pair, how it is decided, and what is asked for.

pub(crate) mod bounds;
pub(crate) mod evidence;
pub(crate) mod known;
pub(crate) mod model;
pub(crate) mod name;
pub(crate) mod options;
pub(crate) mod pair;
pub(crate) mod ratios;
pub(crate) mod requirements;
pub(crate) mod rules;
pub(crate) mod text_options;
pub(crate) mod text_summary;
