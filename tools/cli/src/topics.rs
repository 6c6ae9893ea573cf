//! Pages of the help that are about no command: `nddb help options` and `nddb help methods`.

use clap::{Arg, ArgAction, Command};
use nddb::verdict::{Method, Setting, methods};

const ON_METHODS: &str = "\
Parameters have the names and defaults of the papers. --set applies to the methods that run: the chosen one, hamming \
where it decides instead, and lcs with --verify lcs. eval takes ranges: hamming:k=0..7,combined:b=3+c=350..370/5. In \
ratios, 4,600:8,1200:16 means 4, but 8 from 600 words on and 16 from 1,200 on; 11 values are one for each 500 words.

A query needs keys that the database stores: for c and split those of create --pieces, for min-hash, model, and \
identity of contents the recipe main, for the others main or web. For bare fingerprints only hamming works.";

/// The last line of the page of each command.
const OPTIONS: &str = "More options: nddb help options";

/// Options with a long description that several commands share: it stands on the page of the first of these commands,
/// and the others have its first sentence.
const DESCRIBED_ONCE: [(&str, &[&str], &[&str]); 3] = [
    ("cluster", &["keep", "level", "words"], &["dedup"]),
    ("query", &["parts", "min_words"], &["against", "pairs"]),
    ("create", &["recipe", "psl", "parts"], &["fp"]),
];

/// Options that several commands share: the page of the first of these commands describes them, and the others name
/// them in a line.
const NAMED: [(&str, &[&str], &[&str]); 4] = [
    (
        "load",
        &[
            "from_list",
            "base",
            "id_field",
            "text_field",
            "html_field",
            "fp_field",
            "url_field",
            "date_field",
            "max_window",
        ],
        &["dedup"],
    ),
    ("query", &["min_containment", "method", "assignments", "model", "verify", "group_limit"], &["add", "against"]),
    ("query", &["min_words", "min_containment"], &["pairs"]),
    ("pairs", &["method", "assignments", "model", "verify", "part", "group_limit"], &["cluster", "dedup", "eval"]),
];

/// Adds the pages to a command line, and takes from the pages of its commands what stands there.
pub(crate) fn add(command: Command) -> Command {
    let common: Vec<Arg> = command.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    let page = |name: &'static str, about: &'static str| {
        Command::new(name).hide(true).arg_required_else_help(true).disable_help_flag(true).about(about)
    };
    command
        .mut_subcommands(|below| fold(below, &common))
        .subcommand(page("options", "Options that every command takes").help_template("{about}\n\n{options}"))
        .subcommand(
            page("methods", "Methods of comparison, and the parameters that --set and --method take")
                .help_template("{about}{after-help}")
                .after_help(settings()),
        )
}

/// Hides the options of all commands from the page of a command and those below it, and names them in a line.
fn fold(command: Command, common: &[Arg]) -> Command {
    let (command, named) = name_only(shorten(command.mut_subcommands(|below| fold(below, common))));
    let text = command.get_after_help().map(ToString::to_string);
    let lines: Vec<String> = text.into_iter().chain([named + OPTIONS]).collect();
    let command = command.disable_help_flag(true).arg(help_flag()).after_help(lines.join("\n\n"));
    common.iter().fold(command, |command, arg| command.arg(arg.clone().hide(true)))
}

/// The flag `--help`, which works on every page and stands on the first one.
fn help_flag() -> Arg {
    Arg::new("help").short('h').long("help").help("Print help").action(ArgAction::Help).hide(true)
}

/// Shortens the options of a command that another page describes.
fn shorten(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let described = DESCRIBED_ONCE.iter().filter(|(_, _, others)| others.contains(&&*name));
    let options = described.flat_map(|(page, options, _)| options.iter().map(move |option| (page, option)));
    options.fold(command, |command, (page, option)| {
        command.mut_arg(option, |arg| {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            arg.help(format!("{help}; see 'nddb {page} --help'")).long_help(None::<&'static str>)
        })
    })
}

/// Takes the options of a command that another page describes from its page, and returns the lines that name them.
fn name_only(command: Command) -> (Command, String) {
    let name = command.get_name().to_owned();
    let pages = NAMED.iter().filter(|(_, _, others)| others.contains(&&*name));
    pages.fold((command, String::new()), |(command, lines), (page, options, _)| {
        let (mut command, mut names) = (command, Vec::new());
        for option in *options {
            let Some(arg) = command.get_arguments().find(|arg| arg.get_id() == option) else { continue };
            names.push(format!("--{}", arg.get_long().unwrap_or_default()));
            command = command.mut_arg(option, |arg| arg.hide_short_help(true).hide_long_help(true));
        }
        (command, format!("{lines}As of 'nddb {page} --help': {}\n", names.join(", ")))
    })
}

/// Lists the methods, with their parameters and defaults; a parameter that an earlier method has is only named.
fn settings() -> String {
    let all = methods::all();
    let line = |setting: Setting| format!("{}={}  {}", setting.name, setting.value, setting.help);
    let mut text = ON_METHODS.to_owned() + "\n";
    for (at, method) in all.iter().enumerate() {
        text += &format!("\n  {method}: {}", method.help());
        let mut earlier: Vec<(&dyn Method, Vec<&str>)> = Vec::new();
        for setting in method.settings() {
            let (name, line_of) = (setting.name, line(setting));
            let has_it = |other: &&dyn Method| other.settings().into_iter().any(|one| line(one) == line_of);
            match all[..at].iter().map(|other| &**other).find(has_it) {
                None => text += &format!("\n      {line_of}"),
                Some(other) => match earlier.iter_mut().find(|(of, _)| of.name() == other.name()) {
                    Some((_, names)) => names.push(name),
                    None => earlier.push((other, vec![name])),
                },
            }
        }
        for (other, names) in earlier {
            text += &format!("\n      as of {other}: {}", names.join(", "));
        }
    }
    text
}
