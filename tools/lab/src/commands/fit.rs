//! `nddb-lab fit`: the constants of the model, from labelled pairs.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use nddb::Config;
use nddb::archive::Options;
use nddb::detect::{Collection, Resources};
use nddb::sketch::Recipe;
use nddb::verdict::{Constants, FEATURE_COUNT, FEATURES, methods::Model};
use nddb_cli::frame::{Code, Failure, Global, Meter, Output, Result, read_labels, told};
use nddb_evaluate::calibration::logistic::Example;
use nddb_evaluate::calibration::{calibration, slope_interval};
use nddb_evaluate::eval::{Corpus, Label, Labels};
use nddb_jobs::{NamedId, lists};
use nddb_lab::fit::{self, PENALTIES, Task};
use serde_json::{Value, json};

use nddb_jobs::quantity::counted;

/// Fit the constants of the default verdict to labelled pairs
///
/// Sketches the documents of each set, and fits the model by maximum likelihood with a penalty on squared weights. All
/// sets have the same weight, and so have all components of groups within a set. Prints cross-validation over groups,
/// the loss without each piece of evidence, and the calibration of the probabilities. `--model` of query, add, pairs
/// and cluster reads what `--output` writes. Undecided pairs are ignored.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nddb-lab fit --docs docs.jsonl.zst --pairs pairs.tsv
  nddb-lab fit --docs a.jsonl --pairs a.tsv --groups a.groups.tsv \\
    --docs b.jsonl --pairs b.tsv --groups b.groups.tsv --output model.json")]
pub(crate) struct Args {
    /// The documents of a set: any input of nddb load; once for each set
    #[arg(long, value_name = "FILE", required = true)]
    docs: Vec<PathBuf>,
    /// The labels of the same set, as for nddb eval; once for each set
    #[arg(long, value_name = "FILE", required = true)]
    pairs: Vec<PathBuf>,
    /// The groups of the same set for cross-validation, as lines of id, tab, group; `-` to use the sites of the set as
    /// its groups [default: - for all sets]. Groups with the same name are one group across all sets
    #[arg(long, value_name = "FILE")]
    groups: Vec<PathBuf>,
    /// The weight of the same set, for example less for generated pages than for labelled ones; once for each set
    /// [default: 1]
    #[arg(long, value_name = "W", value_parser = penalty)]
    weight: Vec<f64>,
    /// The penalty on squared weights: for a weight of 1 on a feature of standard deviation 1, per pair, in the units of
    /// the log-likelihood [default: the best of 0.0002, 0.001 and 0.005 in cross-validation over groups]
    #[arg(long, value_name = "P", value_parser = penalty)]
    penalty: Option<f64>,
    /// Write the constants to this file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// The labelled pairs of all sets.
#[derive(Default)]
struct Sets {
    names: Vec<String>,
    examples: Vec<Example>,
    /// The kind of each example.
    kinds: Vec<String>,
    /// The number of each group. Groups with the same name in several sets have the same number.
    groups: HashMap<String, u32>,
}

/// Reads a penalty.
fn penalty(text: &str) -> std::result::Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| "a number above 0".to_owned())
}

pub(super) fn run(args: &Args, global: &Global) -> Result<Code> {
    let is_given = |times: usize| [0, args.docs.len()].contains(&times);
    if args.docs.len() != args.pairs.len() || !is_given(args.groups.len()) || !is_given(args.weight.len()) {
        return Err(Failure::usage(
            "give --docs and --pairs once for each set, and --groups and --weight for all of them or none".to_owned(),
        ));
    }
    let to = args.output.as_deref().map(|path| global.output("--output", Some(path))).transpose()?;
    let meter = global.messages().meter("fit");
    let folder = global.temporary_folder()?;
    let mut resources = Resources { folder: folder.path().into(), ..Resources::default() };
    resources.memory_limit = global.memory_limit.unwrap_or(resources.memory_limit);
    let mut sets = Sets::default();
    for (number, (docs, pairs)) in args.docs.iter().zip(&args.pairs).enumerate() {
        let groups = args.groups.get(number).filter(|path| path.as_os_str() != "-");
        sets.read(docs, pairs, groups.map(PathBuf::as_path), &resources, &meter)?;
    }
    let (value, model) = fitted(&sets, args.penalty, &args.weight, args.seed, global.threads());
    if let Some(to) = &to {
        let mut output = Output::create(to)?;
        output.json(&model_value(&model))?;
        output.finish()?;
    }
    let mut output = Output::stdout();
    if global.json {
        output.json(&value)?;
    } else {
        for line in lines(&value) {
            output.line(&line)?;
        }
    }
    output.flush()?;
    meter.finish(&format!(
        "{} of {}",
        counted(sets.examples.len() as u64, "pair"),
        counted(sets.names.len() as u64, "set")
    ));
    Ok(Code::Done)
}

impl Sets {
    fn read(
        &mut self,
        docs: &Path,
        pairs: &Path,
        groups: Option<&Path>,
        resources: &Resources,
        meter: &Meter,
    ) -> Result<()> {
        let labels: Labels = read_labels(pairs)?;
        let recipe = Recipe::default();
        let (number, config) = (self.names.len(), Config::within(3)?.recipe(&recipe.label()));
        let database = resources.folder.join(format!("{number}.nddb"));
        let corpus =
            Corpus::load((docs, &Options::default()), &database, &config, &recipe, resources, &mut *meter.watch(true))
                .map_err(told)?;
        let gold = corpus.gold(&labels)?;
        let given = groups.map(|path| groups_of(path, corpus.collection())).transpose()?;
        for pair in &gold.pairs {
            let is_near = match pair.label {
                Label::Correct => true,
                Label::Incorrect => false,
                Label::Undecided => continue,
            };
            let compared =
                corpus.collection().compared(pair.a, pair.b, |pair| (pair.identical(), Model::features(pair)));
            let (is_identical, Some(features)) = compared else { continue };
            let mut group = |document: u32, site: u32| {
                let id = corpus.collection().id(document);
                let name = match &given {
                    Some(given) => given.get(id).map_or(id, String::as_str),
                    None => &gold.sites[site as usize],
                };
                let next = self.groups.len() as u32;
                *self.groups.entry(name.to_owned()).or_insert(next)
            };
            let groups = [group(pair.a, pair.sites[0]), group(pair.b, pair.sites[1])];
            let set = number as u32;
            self.examples.push(Example { set, groups, is_near, is_identical, features });
            let kind = pair.kind.map_or("", |kind| &gold.kinds[kind as usize]);
            self.kinds.push(kind.to_owned());
        }
        self.names.push(docs.parent().and_then(Path::file_name).unwrap_or(docs.as_os_str()).to_string_lossy().into());
        Ok(())
    }
}

/// Reads which group each document is of.
fn groups_of(path: &Path, collection: &Collection) -> Result<HashMap<String, String>> {
    let mut groups = HashMap::new();
    for line in lists::lines(path)?.lines() {
        let line = line.map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?;
        if let Some((id, group)) = line.split_once('\t') {
            let named = NamedId::of_cell(id).ok_or_else(|| {
                Failure::failed(format!("{}: {id:?} has a backslash that is to be two", path.display()))
            })?;
            let id = named
                .find(&mut |id| Ok(collection.find(id).is_some()))
                .map_err(|error| Failure::from(error).about(path))?;
            groups.extend(id.map(|id| (id, group.to_owned())));
        }
    }
    Ok(groups)
}

/// Fits and tests; returns all figures, and the model.
fn fitted(sets: &Sets, penalty: Option<f64>, of_sets: &[f64], seed: u64, threads: usize) -> (Value, Constants) {
    let examples = &sets.examples;
    let weights = fit::weights(examples, of_sets);
    let given = penalty.as_slice();
    let penalties = if given.is_empty() { &PENALTIES } else { given };
    let task = Task { examples, weights: &weights, used: [true; FEATURE_COUNT], penalties };
    let (model, penalty) = task.fit();
    let probabilities = task.cross_validated(threads);
    let components = fit::components(examples);
    let of_set = |set: usize, probabilities: &[f64]| -> Vec<(f64, bool)> {
        let pairs = examples.iter().zip(probabilities).filter(|(example, _)| example.set as usize == set);
        pairs.map(|(example, probability)| (*probability, example.is_near)).collect()
    };
    let each: Vec<Value> = (0..sets.names.len())
        .map(|set| {
            let pairs = of_set(set, &probabilities);
            let parts: Vec<usize> =
                (0..examples.len()).filter(|index| examples[*index].set as usize == set).map(|index| components[index]).collect();
            let calibration = calibration(&pairs);
            let mut kinds: BTreeMap<&str, Vec<(f64, bool)>> = BTreeMap::new();
            for ((example, kind), probability) in examples.iter().zip(&sets.kinds).zip(&probabilities) {
                if example.set as usize == set {
                    kinds.entry(kind).or_default().push((*probability, example.is_near));
                }
            }
            let kinds: Vec<Value> = kinds.into_iter().map(|(kind, pairs)| scores(kind, &pairs)).collect();
            let bins: Vec<Value> = calibration
                .bins
                .iter()
                .map(|bin| json!({"pairs": bin.pairs, "predicted": rounded(bin.predicted), "observed": rounded(bin.observed)}))
                .collect();
            let mut value = scores(&sets.names[set], &pairs);
            value["kinds"] = kinds.into();
            value["brier"] = json!(rounded(calibration.brier));
            value["slope"] = json!(calibration.slope.map(rounded));
            value["slope_interval"] = json!(slope_interval(&pairs, &parts, seed).map(|ends| ends.map(rounded)));
            value["bins"] = bins.into();
            value
        })
        .collect();
    let without: Vec<Value> = (0..FEATURE_COUNT)
        .map(|left_out| {
            let used = std::array::from_fn(|index| index != left_out);
            let probabilities = Task { used, penalties: &[penalty], ..task }.cross_validated(threads);
            let each: Vec<Value> =
                (0..sets.names.len()).map(|set| scores(&sets.names[set], &of_set(set, &probabilities))).collect();
            json!({"without": FEATURES[left_out].name, "sets": each})
        })
        .collect();
    let value = json!({
        "recipe": Recipe::default().label(), "model": model_value(&model), "penalty": penalty, "sets": each, "ablations": without,
    });
    (value, model)
}

/// Returns the constants, rounded to hundredths: this is their precision, and the precision of the program's own
/// constants.
fn model_value(model: &Constants) -> Value {
    let rounded = |value: f64| (value * 100.0).round() / 100.0;
    let weights = FEATURES.iter().zip(model.weights).map(|(of, weight)| (of.name.to_owned(), json!(rounded(weight))));
    json!({"constant": rounded(model.constant), "weights": weights.collect::<serde_json::Map<_, _>>()})
}

/// Returns precision, recall and F1 at a probability of one half, and the number of wrong pairs.
fn scores(name: &str, pairs: &[(f64, bool)]) -> Value {
    let count = |found: bool, near: bool| pairs.iter().filter(|pair| (pair.0 >= 0.5, pair.1) == (found, near)).count();
    let (hits, false_pairs, misses) = (count(true, true) as f64, count(true, false) as f64, count(false, true) as f64);
    let share = |part: f64, whole: f64| if whole > 0.0 { json!(rounded(part / whole)) } else { Value::Null };
    json!({
        "name": name,
        "pairs": pairs.len(),
        "precision": share(hits, hits + false_pairs),
        "recall": share(hits, hits + misses),
        "f1": share(2.0 * hits, 2.0 * hits + false_pairs + misses),
        "false": false_pairs as u64,
        "missed": misses as u64,
    })
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Returns the figures in words.
fn lines(value: &Value) -> Vec<String> {
    let number = |value: &Value| value.as_f64().map_or_else(|| "-".to_owned(), |number| format!("{number:.4}"));
    let row = |of: &Value| {
        let name = of["name"].as_str().unwrap_or_default();
        let [p, r, f] = ["precision", "recall", "f1"].map(|key| number(&of[key]));
        let [pairs, wrong, missed] = ["pairs", "false", "missed"].map(|key| &of[key]);
        format!("{name:<20} {pairs:>6} pairs  precision {p}  recall {r}  F1 {f}  false {wrong}  missed {missed}")
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut lines =
        vec![format!("model of {}, penalty {}", value["recipe"].as_str().unwrap_or_default(), value["penalty"])];
    lines.push(format!("  {:<12} {:>9}", "constant", number(&value["model"]["constant"])));
    for of in &FEATURES {
        lines.push(format!("  {:<12} {:>9}", of.name, number(&value["model"]["weights"][of.name])));
    }
    lines.push("cross-validated by groups:".to_owned());
    for set in list(&value["sets"]) {
        lines.push(format!("  {}", row(&set)));
        lines.extend(list(&set["kinds"]).iter().map(|kind| format!("    {}", row(kind))));
        let interval = list(&set["slope_interval"]);
        let interval = interval.iter().map(number).collect::<Vec<_>>().join(" to ");
        lines.push(format!(
            "    Brier {}, calibration slope {} ({interval})",
            number(&set["brier"]),
            number(&set["slope"])
        ));
        for bin in list(&set["bins"]) {
            let [predicted, observed] = ["predicted", "observed"].map(|key| number(&bin[key]));
            lines.push(format!(
                "    {:>6} pairs: mean probability {predicted}, near-duplicates {observed}",
                bin["pairs"]
            ));
        }
    }
    lines.push("without one piece of evidence, F1:".to_owned());
    for ablation in list(&value["ablations"]) {
        let f1: Vec<String> = list(&ablation["sets"]).iter().map(|set| number(&set["f1"])).collect();
        lines.push(format!("  {:<12} {}", ablation["without"].as_str().unwrap_or_default(), f1.join("  ")));
    }
    lines
}
