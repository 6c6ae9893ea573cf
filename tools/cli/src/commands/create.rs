//! `nddb create`: makes a database.

use nddb::sketch::Recipe;
use nddb::{Config, Writer};
use nddb_format::design::greatest_prefix;
use serde_json::json;

use super::set;
use crate::args::{Database, Global};
use crate::failure::{Code, Failure, Result};
use crate::output;

/// Create a database
///
/// These settings cannot be changed later, except for the tables (`nddb compact --tables`). The defaults are for web
/// pages: 64-bit fingerprints, with queries up to 3 bits.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb create crawl.nddb
  nddb create crawl.nddb --pieces                     'query --method b' and 'c' find pages too
  nddb create corpus.nddb --offline --tables 1        for 'pairs' and 'cluster' alone, on least disk
  nddb create seen.nddb --set --restart 0             fingerprints alone, for batches, on least disk")]
pub(crate) struct Args {
    #[command(flatten)]
    database: Database,
    /// Distance within which queries are fastest, and the greatest of pairs, in bits: 0 to 7
    #[arg(short, long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=7))]
    k: u8,
    /// Width of a fingerprint, in bits: 8 to 64
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u8).range(8..=64))]
    bits: u8,
    /// Maximum number of tables per run; `auto` chooses for each run by its size
    ///
    /// One table takes a tenth of the disk, and is for batches (`nddb query --fp-file FILE --format tsv`): every other
    /// query reads all of it.
    #[arg(long, default_value = "auto", value_name = "auto|N", value_parser = Tables::parse)]
    tables: Tables,
    /// Restart interval of the blocks, 0 for none; smaller is faster and takes more space
    #[arg(long, value_name = "R")]
    restart: Option<u16>,
    /// Make a set: fingerprints alone, without documents and their ids
    ///
    /// It needs some 6 bytes a fingerprint. 'load' takes fingerprints of eight bytes, 'query' answers --fp and
    /// --fp-file, 'merge' joins sets. Without --tables it has one table, for batches: nothing makes it again if it is
    /// damaged, and each query alone reads all of it.
    #[arg(long, conflicts_with_all = ["keep_words", "recipe", "psl", "pieces", "offline", "parts", "phrases"])]
    set: bool,
    /// Keep the words of pages, compressed: then 'cluster' knows what a removal loses without reading pages again
    #[arg(long)]
    keep_words: bool,
    #[command(flatten)]
    recipe: RecipeArgs,
}

/// How sketches are computed from pages: a base recipe and flags.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "How pages become fingerprints")]
pub(super) struct RecipeArgs {
    /// The base: main (the content of a page), web (all of it), or as another tool does: 1e0ng, seomoz, text-dedup,
    /// wayback64, trafilatura
    ///
    /// Fingerprints of main are one-bit min-hash, those of the others simhash. With given/NAME the database takes only
    /// fingerprints that the program NAME makes. A whole label, such as main-c/1, is accepted, too.
    #[arg(long, default_value = Recipe::BASES[0], value_name = "BASE")]
    recipe: String,
    /// The site of a page is its registrable domain, by the public suffix list (shop.co.uk); with main it always is
    ///
    /// Without it, the site of a host of three or more parts is what follows the first dot: co.uk of shop.co.uk.
    #[arg(long)]
    psl: bool,
    /// main, web: documents are also found by the keys that methods b, c, combined and split need online
    #[arg(long)]
    pieces: bool,
    /// main: for 'pairs' and 'cluster' alone, in less space: pages are not looked up by 'query' and 'add --if-new'
    #[arg(long, conflicts_with = "pieces")]
    offline: bool,
    /// main: keep parts of the text of each page, by which 'query', 'against' and 'pairs' find passages in common; N is
    /// 8 without a number
    ///
    /// A part is a run of five words. Of N successive parts of a text of 200 words or more at least one is kept: so
    /// passages of N + 4 words share a part, and a page of 400 words takes some 10,000 / (N + 1) bytes more.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "8")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=64))]
    parts: Option<u8>,
    /// web: fingerprints are made of phrases of so many terms, 2 or 3
    #[arg(long, value_name = "TERMS", value_parser = clap::value_parser!(u8).range(2..=3))]
    phrases: Option<u8>,
}

impl RecipeArgs {
    /// Returns the label of the database: that of a recipe, or of the fingerprints of another program.
    fn label(&self) -> Result<String> {
        let given = self.recipe.strip_prefix("given/").and_then(Recipe::label_of_given);
        let has_flags = self.psl || self.pieces || self.offline || self.phrases.is_some();
        match given {
            Some(_) if has_flags => Err(Failure::usage(format!("recipe '{}' has no flags", self.recipe))),
            Some(label) => Ok(label),
            None => Ok(self.recipe()?.label()),
        }
    }

    /// Returns the recipe, or the reason why the options give none.
    pub(in crate::commands) fn recipe(&self) -> Result<Recipe> {
        let base = recipe(&self.recipe)?;
        let unfit = |flag: &str| Failure::usage(format!("{flag} is no flag of recipe '{}'", self.recipe));
        let mut recipe = base;
        if let Some(terms) = self.phrases {
            recipe = recipe.with_phrases(terms.into()).ok_or_else(|| unfit("--phrases"))?;
        }
        if self.psl {
            recipe = recipe.with_registrable_sites();
        }
        if self.pieces {
            recipe = recipe.with_pieces().ok_or_else(|| unfit("--pieces"))?;
        }
        if self.offline {
            recipe = recipe.offline().ok_or_else(|| unfit("--offline"))?;
        }
        if let Some(window) = self.parts {
            recipe = recipe.with_parts(window).ok_or_else(|| unfit("--parts"))?;
        }
        Ok(recipe)
    }
}

/// The number of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Tables {
    /// The choice of the planner.
    Auto,
    /// At most this number.
    Most(usize),
}

impl Tables {
    /// Reads `auto` or a number.
    pub(in crate::commands) fn parse(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("auto", _) => Ok(Self::Auto),
            (_, Ok(most @ 1..=512)) => Ok(Self::Most(most)),
            _ => Err("the number of tables is `auto` or 1 to 512".into()),
        }
    }

    /// The levels of the scheme with the longest prefixes, `None` for the planner's choice.
    pub(in crate::commands) fn levels(self, bits: u8, k: u8) -> Option<Vec<u8>> {
        match self {
            Self::Auto => None,
            Self::Most(most) => Some(greatest_prefix(bits, k, most).levels),
        }
    }
}

/// Finds a recipe by its name or label; otherwise the error lists all bases.
pub fn recipe(name: &str) -> Result<Recipe> {
    let found = Recipe::named(name).or_else(|| Recipe::from_label(name).ok());
    found.ok_or_else(|| {
        let bases = Recipe::BASES.join(", ");
        Failure::usage(format!("there is no recipe '{name}'; the bases of recipes are {bases}, and given/NAME"))
    })
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Code> {
    let recipe = args.recipe.label()?;
    let kind = Recipe::kind_of_label(&recipe);
    let mut config = Config::within(args.k)?.bits(args.bits)?.recipe(&recipe).keep_words(args.keep_words);
    if let Some(levels) = args.tables.levels(args.bits, args.k) {
        config = config.levels(&levels)?;
    }
    if let Some(restart) = args.restart {
        config = config.restart(restart)?;
    }
    let db = &args.database.db;
    if args.set {
        return set::create(db, &config, global);
    }
    let writer = Writer::create(db, &config)?;
    let settings = writer.settings();
    if global.json {
        // Reference of create: the object of `--json`
        output::print_json(&json!({
            "path": db.display().to_string(),
            "bits": settings.bits,
            "k": settings.k,
            "levels": settings.levels, // null: the planner chooses
            "restart": settings.restart,
            "recipe": settings.recipe,
            "kind": kind.name(), // of its fingerprints: `simhash`, `minhash-1bit`, `given`
            "keep_words": settings.keeps_words,
        }))?;
    }
    let tables = match args.tables {
        Tables::Auto => "tables by the planner".to_owned(),
        Tables::Most(_) => format!("levels {:?}", settings.levels.as_deref().unwrap_or_default()),
    };
    let (bits, k) = (settings.bits, settings.k);
    let made = format!("{}: made, {bits} bits, k = {k}, {tables}, recipe {recipe} ({kind})", db.display());
    global.messages().note(made);
    Ok(Code::Done)
}
