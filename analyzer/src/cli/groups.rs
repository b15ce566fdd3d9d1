//! How `overhear --help` shows the commands: by what people want.

use clap::CommandFactory;

use super::Cli;

/// Commands by what they are for, in the order in which one needs them.
pub const GROUPS: &[(&str, &[&str])] = &[
    ("Record", &["record", "doctor", "env"]),
    ("Where the time went", &["report", "imbalance", "matrix", "progress"]),
    ("Who waited, and why", &["waits", "path", "pop", "overlap", "check"]),
    ("How fast messages were", &["network", "fanout"]),
    ("While it runs, or hangs", &["top", "hang"]),
    ("Compare", &["diff", "scaling"]),
    ("Look closer, by other tools, too", &["timeline", "plot", "export", "query"]),
    ("Help", &["explain", "schema", "completions", "man", "help"]),
];

const SESSION: &str = "A session:
  $ overhear record mpirun -n 4 ./app
  $ overhear report                      # the newest run here
  $ overhear waits --top 5
  $ overhear report --html page.html     # everything, to look at
";

/// The command line.
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
