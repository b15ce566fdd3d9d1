//! The command line.

mod settings;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::metrics::compare::Threshold;
use crate::metrics::matrix::TrafficKind;
use crate::model::{Choice, Ranks};
use crate::report::Format;
use crate::report::arrange::Top;
use crate::report::plot::PlotFile;
pub use settings::Settings;

/// Listens in on unmodified MPI programs and shows where their communication time went.
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit status of analyses: 0 ok, 1 a difference (check, diff --messages) or a condition that holds (diff --fail-if), \
2 wrong usage, 3 the input is unreadable or lacks what you asked about, 4 some data is missing and the rest was printed.";

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Run an MPI program and record what it does in MPI
    Record(Record),
    /// Show where the time of a recorded run went
    Report(Report),
    /// Show what the MPI library's progress engine did
    Progress(Progress),
    /// Show who waited for whom
    Waits(Waits),
    /// Show the critical path: the chain of computation and calls that set the run's length
    Path(Path),
    /// Show how much communication was hidden behind computation
    Overlap(Overlap),
    /// Show the latency and bandwidth that a run's messages saw
    Model(Model),
    /// Show how long rounds of one rank to several others and back take
    Fanout(Fanout),
    /// Show how efficient a run was, by the POP metrics
    Pop(Pop),
    /// Show who sent how much to whom
    Matrix(Matrix),
    /// Show how unevenly time is spread over the ranks
    Imbalance(Imbalance),
    /// Check that the ranks of a run agree: messages, bytes, collective calls, clocks
    Check(Check),
    /// Compare two runs, or several of each of two sides
    Diff(Diff),
    /// Put runs with different rank counts side by side
    Scaling(Scaling),
    /// Print the JSON Schema of an analysis
    Schema(Schema),
    /// Check whether recording works here
    Doctor(Doctor),
    /// Print what to give a launcher so that it preloads the recorder
    Env(Env),
}

/// Runs an MPI program and records what it does in MPI.
///
/// Runs behind the launcher, as `mpirun -n 4 overhear record -- ./app`, or in front of it, as
/// `overhear record mpirun -n 4 ./app`. The exit status is the program's own; 2 for a wrong flag or variable,
/// 125 if recording cannot start, 126 if the program cannot be run, 127 if it cannot be found.
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

/// How to print the result.
#[derive(Args)]
pub struct Print {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print at most this many rows of each table, or all [default: all; in text, the first rows of long tables]
    #[arg(long, value_name = "N|all")]
    pub top: Option<Top>,
    /// Sort by this column, named by its JSON key or its heading
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
    /// Only what happened inside regions of this name
    #[arg(long, value_name = "NAME")]
    pub region: Option<String>,
    /// Do not save the names of call sites, neither in the run's folder nor in ~/.cache/overhear
    #[arg(long)]
    pub no_cache: bool,
    /// Only these ranks, as 0-3,8
    #[arg(long, value_name = "LIST")]
    pub rank: Option<Ranks>,
    /// Only calls that began at this time or later: seconds since the first rank entered MPI_Init, or 300ms, 20us
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    pub from: Option<i64>,
    /// Only calls that began before this time
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
        _ => Err("expected a time: seconds as 1.5, or 300ms, 20us"),
    }
}

impl Select {
    /// What that chooses of a run.
    pub fn choice(&self) -> Choice {
        let (region, ranks, no_cache) = (self.region.clone(), self.rank.clone(), self.no_cache);
        Choice { region, by_region: false, ranks, from: self.from, to: self.to, no_cache }
    }
}

/// Shows where the time of a recorded run went.
#[derive(Args)]
pub struct Report {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// Break the time down by function, rank, rank=N, comm, site, size, peer, thread, region, collective
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
    /// Collective call, all its ranks together.
    Collective,
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
            "collective" => Ok(Breakdown::Collective),
            _ => {
                match text.strip_prefix("rank=").map(str::parse) {
                    Some(Ok(rank)) => Ok(Breakdown::OneRank(rank)),
                    _ => Err("it is one of function, rank, rank=N, comm, site, size, peer, thread, region, collective"
                        .into()),
                }
            }
        }
    }
}

/// Shows what the MPI library's progress engine did: how often it was entered, how often that achieved something, and
/// where requests were pending while nothing entered it.
#[derive(Args)]
pub struct Progress {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// Show one table in full: by rank, component, function or site
    #[arg(long, value_name = "WHAT")]
    pub by: Option<ByEngine>,
    /// Plot entries over time to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
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

/// Shows who waited for whom, why and where: late senders and receivers, and waits in collective calls.
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

/// Shows the critical path: the chain of computation and calls, from rank to rank, that set the run's length.
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

/// Shows how much nonblocking communication a run hid behind computation: host overhead, transfer time and availability by size
/// and call site, and what came between post and wait.
#[derive(Args)]
pub struct Overlap {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// Plot overhead and availability over message size to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Shows the latency and bandwidth that a run's messages saw, by what ranks called and whether they share a host, from which size on the
/// MPI library goes another way, and LogGP's parameters.
///
/// Ordered exchanges are ping-pong, unordered ones go both ways at once; one-way times are those of messages whose receiver waited.
#[derive(Args)]
pub struct Model {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// Plot times and bandwidths over message size to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Shows how long it takes from one rank to several others and back, by size and number of ranks, what one message more costs, and
/// rounds that took far longer than others of their kind.
#[derive(Args)]
pub struct Fanout {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// Plot latency and bandwidth over size and number of ranks to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Shows how efficient a run was and what cost it time: load balance, serialization and transfer, by the POP metrics.
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

/// Shows who sent how much to whom between ranks of MPI_COMM_WORLD: messages, one-sided transfers, and what collective calls hand to
/// whom by their definition. Which algorithm the library used is not seen.
#[derive(Args)]
pub struct Matrix {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// Only what went through the communicator of this name
    #[arg(long, value_name = "NAME")]
    pub comm: Option<String>,
    /// Only point-to-point messages and one-sided transfers, or only collective calls
    #[arg(long, value_name = "KIND")]
    pub only: Option<TrafficKind>,
    /// Plot the bytes as a heat map to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Shows how unevenly time is spread over the ranks: for each MPI function or call site, and for the computation.
///
/// The imbalance time is the maximum over ranks minus the mean; the percentage is 100 if one rank takes all the time.
#[derive(Args)]
pub struct Imbalance {
    /// Which run.
    #[command(flatten)]
    pub folder: Folder,
    /// Break the time in MPI down by this
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

/// Checks that the ranks of a run agree: messages sent and received, collective calls, clocks. Exit status 1 if calls found
/// no partner, or messages arrive before they were sent.
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

/// Compares two runs, or several per side: where time went by function, call site and size, wait states, imbalance, efficiency, and
/// the progress engine's ledger.
///
/// With several runs per side, ratios get intervals, and a difference no larger than runs of one side show among themselves counts as
/// noise. Alternate the recordings (A, B, A, B ...), so that changes on the machine hit both sides.
#[derive(Args)]
pub struct Diff {
    /// The folders of the two runs
    #[arg(value_names = ["A", "B"], num_args = 2, required_unless_present = "a", conflicts_with_all = ["a", "b"])]
    pub runs: Vec<PathBuf>,
    /// The folders of side A
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "b")]
    pub a: Vec<PathBuf>,
    /// The folders of side B
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "a")]
    pub b: Vec<PathBuf>,
    /// Compare the runs message by message instead: number, order, size, and content if both have --checksum crc32. Exits with status
    /// 1 if a message differs
    #[arg(long, conflicts_with_all = ["a", "b", "fail_if"])]
    pub messages: bool,
    /// Exit with status 1 if this holds, such as 'MPI_Allreduce.max>+10%', 'wall_time>+5ms' or 'empty_percent>50'
    ///
    /// Write [[TABLE:]ROW.]FIGURE, then > or <, then an amount. FIGURE is a column: its JSON key, with or without unit, or its heading.
    /// ROW is a function, a call site or its line. A signed amount is a change: +10% of A, or +5ms above A; an unsigned one is B's own
    /// value. If both sides have several runs, a change within the noise does not count.
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub fail_if: Vec<Threshold>,
    /// What of them to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Puts runs with different rank counts side by side: POP's efficiencies, the time of each function, how it grows, and what to expect
/// at ten times the ranks.
///
/// Give several runs per rank count, and five counts or more. A function's time is modeled as a constant plus one term: 1/p, log p, p,
/// p log p or p^2. `off by` is how far the model misses a rank count it has not seen.
#[derive(Args)]
pub struct Scaling {
    /// The runs' folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Each rank has its own work, however many there are [default: the ranks share the work]
    #[arg(long)]
    pub weak: bool,
    /// What of them to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// Prints the JSON Schema of an analysis. The fields of its tables are also the columns of CSV and Parquet.
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
    /// How much communication was hidden.
    Overlap,
    /// Latency and bandwidth.
    Model,
    /// Rounds from one rank to others and back.
    Fanout,
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
    /// Their messages one by one: overhear diff --messages.
    DiffMessages,
    /// Runs of different numbers of ranks.
    Scaling,
}

/// Checks whether recording works here.
#[derive(Args)]
pub struct Doctor {
    /// A short MPI program with its launcher, to record as a test: mpirun -n 2 ./app
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Prints what to give a launcher so that it preloads the recorder.
#[derive(Args)]
pub struct Env {
    /// The launcher to write it for
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
