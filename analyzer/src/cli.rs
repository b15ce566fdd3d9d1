//! The command line.

mod settings;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::metrics::compare::Threshold;
use crate::model::{Choice, Ranks};
use crate::report::Format;
use crate::report::arrange::Top;
pub use settings::Settings;

/// Listens in on unmodified MPI programs, and says where their communication time went.
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit status of analyses: 0 ok, 1 a difference (check) or a condition that is met (diff --fail-if), 2 usage, 3 input that cannot be read or \
does not hold what was asked about, 4 part of the data is missing, the rest was printed.";

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Run an MPI program and record what it does in MPI
    Record(Record),
    /// Say where the time of a recorded run went
    Report(Report),
    /// Say what the MPI library's progress engine did in a recorded run
    Progress(Progress),
    /// Say who waited for whom in a recorded run
    Waits(Waits),
    /// Say what the length of a recorded run consists of: its critical path
    Path(Path),
    /// Say how efficient a recorded run was, by the POP metrics
    Pop(Pop),
    /// Say who sent how much to whom in a recorded run
    Matrix(Matrix),
    /// Say how unevenly the time of a recorded run is spread over its ranks
    Imbalance(Imbalance),
    /// Check whether the ranks of a recorded run agree: messages, bytes, collective calls, clocks
    Check(Check),
    /// Compare two recorded runs, or several of each of two sides
    Diff(Diff),
    /// Put recorded runs of different numbers of ranks side by side
    Scaling(Scaling),
    /// Print what the JSON of an analysis looks like, as JSON Schema
    Schema(Schema),
    /// Check whether recording will work here
    Doctor(Doctor),
    /// Print what to give a launcher so that it preloads the recorder
    Env(Env),
}

/// Runs an MPI program and records what it does in MPI.
///
/// Either behind the launcher, as `mpirun -n 4 overhear record -- ./app`, or in front of it, as
/// `overhear record mpirun -n 4 ./app`. The exit status is the program's own; 2 where a flag or a variable is wrong,
/// 125 where recording could not begin, 126 and 127 where the program cannot be run or found.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Record {
    /// How to record.
    #[command(flatten)]
    pub settings: Settings,
    /// The program and its arguments, or the launcher with its own
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// How to print what was found out.
#[derive(Args)]
pub struct Print {
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// Write into this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print so many rows of a table, or all [default: all, and in text the first ones of long tables]
    #[arg(long, value_name = "N|all")]
    pub top: Option<Top>,
    /// Sort by a column, named as in JSON or by its heading
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<String>,
}

/// Which run to look at.
#[derive(Args)]
pub struct Folder {
    /// The run's folder [default: the newest run in the working folder]
    pub dir: Option<PathBuf>,
}

/// What of a run to look at.
#[derive(Args)]
pub struct Select {
    /// Only what happened inside regions of this name, as the program has named them
    #[arg(long, value_name = "NAME")]
    pub region: Option<String>,
    /// Do not keep the names of call sites, in the run's folder or in ~/.cache/overhear
    #[arg(long)]
    pub no_cache: bool,
    /// Only these ranks, as 0-3,8
    #[arg(long, value_name = "LIST")]
    pub rank: Option<Ranks>,
    /// Only calls that began from then on, in seconds since the first rank began MPI_Init, or as 300ms, 20us
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    pub from: Option<i64>,
    /// Only calls that began before that
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    pub to: Option<i64>,
}

/// A time as `1.5`, `1.5s`, `300ms` or `20us`.
fn nanoseconds(text: &str) -> Result<i64, &'static str> {
    let units = [("ms", 1e6), ("us", 1e3), ("µs", 1e3), ("ns", 1.0), ("s", 1e9)];
    let unit = units.into_iter().find_map(|(unit, nanoseconds)| Some((text.strip_suffix(unit)?, nanoseconds)));
    let (number, each) = unit.unwrap_or((text, 1e9));
    match number.trim().parse::<f64>() {
        Ok(number) if number >= 0.0 && number * each < i64::MAX as f64 => Ok((number * each).round() as i64),
        _ => Err("it is a time in seconds, as 1.5, or 300ms, 20us"),
    }
}

impl Select {
    /// What that chooses of a run.
    pub fn choice(&self) -> Choice {
        let (region, ranks, no_cache) = (self.region.clone(), self.rank.clone(), self.no_cache);
        Choice { region, by_region: false, ranks, from: self.from, to: self.to, no_cache }
    }
}

/// Says where the time of a recorded run went.
#[derive(Args)]
pub struct Report {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// What to break the time down by: function, rank, rank=N, comm, site, size, peer, thread, region
    #[arg(long, value_name = "WHAT", default_value = "function")]
    pub by: Breakdown,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// What a report breaks the time down by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breakdown {
    /// MPI function.
    Function,
    /// All ranks side by side.
    Rank,
    /// One rank alone.
    OneRank(u32),
    /// Communicator, window or file.
    Communicator,
    /// Place in the program.
    Site,
    /// Bytes of a call.
    Size,
    /// The rank at the other end.
    Peer,
    /// Thread.
    Thread,
    /// Innermost region of the program.
    Region,
}

impl std::str::FromStr for Breakdown {
    type Err = String;

    fn from_str(text: &str) -> Result<Breakdown, String> {
        match text {
            "function" => Ok(Breakdown::Function),
            "rank" => Ok(Breakdown::Rank),
            "comm" => Ok(Breakdown::Communicator),
            "site" => Ok(Breakdown::Site),
            "size" => Ok(Breakdown::Size),
            "peer" => Ok(Breakdown::Peer),
            "thread" => Ok(Breakdown::Thread),
            "region" => Ok(Breakdown::Region),
            _ => match text.strip_prefix("rank=").map(str::parse) {
                Some(Ok(rank)) => Ok(Breakdown::OneRank(rank)),
                _ => Err("it is one of function, rank, rank=N, comm, site, size, peer, thread, region".into()),
            },
        }
    }
}

/// Says what the MPI library's progress engine did: how often it was entered, what came of that, and where requests
/// were pending while nothing turned it.
#[derive(Args)]
pub struct Progress {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// Only one table: by rank, component, function or site
    #[arg(long, value_name = "WHAT")]
    pub by: Option<ByEngine>,
    /// Draw entries over time into this SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// What the engine's figures are broken down by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ByEngine {
    /// Rank.
    Rank,
    /// Part of the engine.
    Component,
    /// MPI function.
    Function,
    /// Place in the program.
    Site,
}

/// Says who waited for whom, why and where: late senders and receivers, and waits in collective calls.
#[derive(Args)]
pub struct Waits {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Says what the length of a run consists of: the chain of computation and calls, from rank to rank, that ended last.
#[derive(Args)]
pub struct Path {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Says how efficient a run was and what it lost by: load balance, serialization and transfer, after the POP metrics.
#[derive(Args)]
pub struct Pop {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Says who sent how much to whom: point-to-point messages and one-sided transfers, between ranks of MPI_COMM_WORLD.
#[derive(Args)]
pub struct Matrix {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// Only what went through the communicator of this name
    #[arg(long, value_name = "NAME")]
    pub comm: Option<String>,
    /// Draw the bytes as a heat map into this SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Says how unevenly time is spread over the ranks: of each MPI function or call site, and of the computation.
///
/// The imbalance time is the maximum over ranks less the mean; the percentage is 100 where one rank alone takes any time.
#[derive(Args)]
pub struct Imbalance {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// What to break the time in MPI down by
    #[arg(long, value_name = "WHAT", default_value = "function")]
    pub by: ByPlace,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// What imbalance is broken down by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ByPlace {
    /// MPI function.
    Function,
    /// Place in the program.
    Site,
}

/// Checks whether the ranks of a run agree: what was sent and received, collective calls, clocks. Exit status 1 where calls
/// found no partner, or messages arrive before they were sent.
#[derive(Args)]
pub struct Check {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Compares two recorded runs, or several of each of two sides: where their time went, by function, call site and size, waits,
/// imbalance, efficiency, and what the progress engine did.
///
/// With several runs a side, intervals are given, and a difference within what the runs of a side differ by is called noise. Record
/// them in turn (A, B, A, B ...), so that what changes on the machine meets both.
#[derive(Args)]
pub struct Diff {
    /// The folders of two runs, A and B
    #[arg(value_names = ["A", "B"], num_args = 2, required_unless_present = "a", conflicts_with_all = ["a", "b"])]
    pub runs: Vec<PathBuf>,
    /// The folders of side A
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "b")]
    pub a: Vec<PathBuf>,
    /// The folders of side B
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "a")]
    pub b: Vec<PathBuf>,
    /// Exit with status 1 where this is so, as 'MPI_Allreduce.max>+10%', 'wall_time>+5ms' or 'empty_percent>50'
    ///
    /// [[TABLE:]ROW.]FIGURE, then > or <, then an amount. FIGURE is a column by its key in JSON, with or without its unit, or by its
    /// heading; ROW names a row: a function, a call site or its line. An amount with a sign is of the change: +10% of A, +5ms more
    /// than A; one without is of B itself. Where the runs of a side say what is noise, a change within it counts as none.
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub fail_if: Vec<Threshold>,
    /// What of them to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Puts runs of different numbers of ranks side by side: POP's efficiencies, the time of each function, how that grows, and what it
/// comes to at ten times the ranks.
///
/// Give several runs of each number of ranks, and five numbers or more. A function's time is a constant and one term: 1/p, log p, p,
/// p log p or p^2. `off by` is what the model misses a number of ranks by that it has not seen.
#[derive(Args)]
pub struct Scaling {
    /// The runs' folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Each rank has the same work however many there are [default: all ranks share it]
    #[arg(long)]
    pub weak: bool,
    /// What of them to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Prints what the JSON of an analysis looks like, as JSON Schema. Columns of CSV and Parquet are the fields of its tables.
#[derive(Args)]
pub struct Schema {
    /// Which analysis
    #[arg(value_name = "COMMAND")]
    pub command: Analysis,
}

/// A command that analyses runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Analysis {
    /// Where the time went.
    Report,
    /// What the progress engine did.
    Progress,
    /// Who waited for whom.
    Waits,
    /// The critical path.
    Path,
    /// The POP metrics.
    Pop,
    /// Who sent how much to whom.
    Matrix,
    /// How unevenly time is spread over the ranks.
    Imbalance,
    /// Whether the ranks agree.
    Check,
    /// Two runs side by side.
    Diff,
    /// Runs of different numbers of ranks.
    Scaling,
}

/// Checks whether recording will work here.
#[derive(Args)]
pub struct Doctor {
    /// A short MPI program with its launcher, to be recorded for a try: mpirun -n 2 ./app
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Prints what to give a launcher so that it preloads the recorder.
#[derive(Args)]
pub struct Env {
    /// Whose way to write it
    #[arg(long)]
    pub launcher: Launcher,
    /// How to record.
    #[command(flatten)]
    pub settings: Settings,
}

/// Whose way of handing the environment to ranks.
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
