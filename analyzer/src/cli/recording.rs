//! The flags of commands that record, or check whether recording works.

use std::ffi::{OsStr, OsString};

use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use traces::settings::{SETTINGS, SWITCH, Setting};

#[derive(Args)]
pub struct RecordArgs {
    /// How to record.
    #[command(flatten)]
    pub settings: Settings,
    /// Be the trial of `overhear doctor`, which reads the run itself and removes it: say nothing about it at the end
    #[arg(long, hide = true)]
    pub trial: bool,
    /// The program and its arguments, or the whole launcher command
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

#[derive(Args)]
pub struct DoctorArgs {
    /// A short MPI program with its launcher, recorded as a test: mpirun -n 2 ./app
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

#[derive(Args)]
pub struct EnvArgs {
    /// The launcher
    #[arg(long)]
    pub launcher: Launcher,
    #[command(flatten)]
    pub settings: Settings,
}

/// A launcher, by how it passes the environment on to ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Launcher {
    /// Open MPI's mpirun and mpiexec.
    Openmpi,
    /// MPICH's and Intel MPI's.
    Mpich,
    /// Slurm's srun.
    Slurm,
    /// Flux's flux run.
    Flux,
    /// Cray's aprun, of ALPS and PALS.
    Aprun,
    /// Cray's mpiexec, of PALS.
    Pals,
}

/// The flags of a command about how to record: one for each row of the table of settings that has one.
///
/// Values are kept by the settings' variables.
#[derive(Default)]
pub struct Settings {
    given: Vec<(&'static str, OsString)>,
}

impl Settings {
    /// Returns the value of a flag, by its variable.
    pub fn get(&self, variable: &str) -> Option<&OsStr> {
        self.given.iter().find(|(name, _)| *name == variable).map(|(_, value)| value.as_os_str())
    }

    /// Returns the value of a flag or, if it is not given, of its variable in the environment, unless that is empty.
    pub fn in_force(&self, variable: &str) -> Option<OsString> {
        let value = self.get(variable).map(OsString::from).or_else(|| std::env::var_os(variable));
        value.filter(|value| !value.is_empty())
    }

    /// Removes a flag and returns its value.
    pub fn take(&mut self, variable: &str) -> Option<OsString> {
        let at = self.given.iter().position(|(name, _)| *name == variable)?;
        Some(self.given.swap_remove(at).1)
    }

    pub fn set(&mut self, variable: &'static str, value: OsString) {
        self.take(variable);
        self.given.push((variable, value));
    }
}

fn flags() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|setting| !setting.flag.is_empty())
}

fn argument(setting: &'static Setting) -> Arg {
    let Setting { variable, flag, value, values, default, meaning, .. } = *setting;
    let default = if default.is_empty() { String::new() } else { format!("default: {default}; ") };
    let parser: ValueParser = match values {
        [] => OsStringValueParser::new().try_map(|value| setting.check(&value).map(|()| value)).into(),
        values => PossibleValuesParser::new(values).map(OsString::from).into(),
    };
    let (first, rest) = meaning.split_at(1);
    let argument = Arg::new(variable).long(flag);
    let argument = if flag == "dir" { argument.short('o') } else { argument };
    // Words behind the flag belong to the program.
    let argument = if values == SWITCH {
        argument.num_args(0..=1).require_equals(true).default_missing_value(SWITCH[1])
    } else {
        argument
    };
    argument
        .value_name(value)
        .value_parser(parser)
        // A filter begins with a minus if it excludes.
        .allow_hyphen_values(default.contains(": -"))
        .help(format!("{}{rest} [{default}env: {variable}]", first.to_uppercase()))
}

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        command.args(flags().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Settings::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Settings, clap::Error> {
        let value =
            |setting: &Setting| Some((setting.variable, matches.get_one::<OsString>(setting.variable)?.clone()));
        Ok(Settings { given: flags().filter_map(value).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Settings::from_arg_matches(matches)?;
        Ok(())
    }
}
