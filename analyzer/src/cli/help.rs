//! The contents of `overhear --help`, and the arguments of commands about overhear itself.

use std::path::PathBuf;

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;

use super::Cli;

/// Commands by purpose, in the order in which users need them.
pub const GROUPS: &[(&str, &[&str])] = &[
    ("Record", &["record", "doctor", "env"]),
    (
        "Where the time went",
        &["diagnose", "report", "paths", "imbalance", "teams", "files", "sleeps", "matrix", "progress"],
    ),
    ("Who waited, and why", &["why", "waits", "path", "pop", "overlap", "whatif", "check"]),
    ("How fast messages were", &["network", "fanout"]),
    ("While it runs, or hangs", &["top", "hang"]),
    ("Compare", &["diff", "settings", "scaling"]),
    ("Look closer, by other tools, too", &["timeline", "plot", "export", "query"]),
    ("Help", &["explain", "schema", "completions", "man", "help"]),
];

const SESSION: &str = "A session:
  $ overhear record mpirun -n 4 ./app
  $ overhear                             # what costs time, and why
  $ overhear waits --top 5
  $ overhear report --html page.html     # everything, to look at";

pub fn command() -> clap::Command {
    let command = Cli::command();
    let mut groups = String::new();
    for (title, names) in GROUPS {
        groups += &format!("\n{title}:\n");
        for name in *names {
            let about = command.find_subcommand(name).and_then(|one| one.get_about()).map(ToString::to_string);
            groups += &format!("  {name:11}  {}\n", about.unwrap_or_else(|| "Show the help of a command".into()));
        }
    }
    command.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n{groups}\nOptions:\n{{options}}\n\n{SESSION}{{after-help}}"
    ))
}

/// The argument of `explain`.
#[derive(Args)]
pub struct ExplainArgs {
    /// A wait state, a metric, or a column by its JSON key or heading; a part of the name will do [default: list the wait states and
    /// metrics]
    pub name: Vec<String>,
}

/// The argument of `completions`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell that you use
    pub shell: Shell,
}

/// The argument of `man`.
#[derive(Args)]
pub struct ManArgs {
    /// The folder for the pages; created if it does not exist
    #[arg(value_name = "OUT")]
    pub folder: PathBuf,
}

/// The argument of `schema`.
#[derive(Args)]
pub struct SchemaArgs {
    /// The analysis
    #[arg(value_name = "COMMAND")]
    pub command: Analysis,
}

/// A command that analyses runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Analysis {
    /// Where the time went.
    Report,
    /// The progress engine's activity.
    Progress,
    /// Who waited for whom.
    Waits,
    /// Who did what when.
    Timeline,
    /// Why ranks waited, and where their time went.
    Why,
    /// The critical path.
    Path,
    /// Calls by the paths that lead to them.
    Paths,
    /// How much communication was hidden.
    Overlap,
    /// Latency and bandwidth.
    #[value(alias = "model")]
    Network,
    /// Rounds from one rank to others and back.
    Fanout,
    /// The POP metrics.
    Pop,
    /// The threads of OpenMP.
    Teams,
    /// The files that were accessed.
    Files,
    /// The calls that slept.
    Sleeps,
    /// What MPI was set to.
    Settings,
    /// Who sent how much to whom.
    Matrix,
    /// How unevenly time is spread over the ranks.
    Imbalance,
    /// The costs of time, and their causes.
    Diagnose,
    /// Agreement between the ranks.
    Check,
    /// The run with something changed.
    Whatif,
    /// The verdict on a run that may hang.
    Hang,
    /// Where the ranks are.
    Top,
    /// Two runs side by side.
    Diff,
    /// Two runs message by message: overhear diff --messages.
    DiffMessages,
    /// Runs of different numbers of ranks.
    Scaling,
}
