//! Pages of the help that are about no command: `nddb help options` and `nddb help methods`.

use clap::{Arg, Command};
use nddb::verdict::{Method, methods};

/// The last line of the page of each command.
const OPTIONS: &str = "Options of all commands (--threads, --memory-limit, --json, --quiet, ...): nddb help options";

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
    let line = match command.get_after_help() {
        Some(text) => format!("{text}\n\n{OPTIONS}"),
        None => OPTIONS.to_owned(),
    };
    let command = command.mut_subcommands(|below| fold(below, common)).after_help(line);
    common.iter().fold(command, |command, arg| command.arg(arg.clone().hide(true)))
}

/// Lists the methods, with their parameters and defaults.
fn settings() -> String {
    let told = |method: &dyn Method| {
        let each = method.settings().into_iter();
        let each = each.map(|setting| format!("\n      {}={}  {}", setting.name, setting.value, setting.help));
        format!("  {method}: {}{}", method.help(), each.collect::<String>())
    };
    let all: Vec<String> = methods::all().iter().map(|method| told(&**method)).collect();
    format!("Parameters have the names and defaults of the papers.\n\n{}", all.join("\n"))
}
