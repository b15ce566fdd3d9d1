//! The command line.

mod analyses;
mod dataset;
mod help;
mod live;
mod pictures;
mod recording;
mod what_if;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

pub use analyses::{
    BySite, DiffArgs, ImbalanceArgs, MatrixArgs, OnEngine, OneRun, PathsArgs, Plotted, PlottedBySite, Print,
    ProgressArgs, ReportArgs, ScalingArgs, Select, WaitsArgs,
};
pub use dataset::{ExportArgs, QueryArgs};
pub use help::{Analysis, CompletionsArgs, ExplainArgs, GROUPS, ManArgs, SchemaArgs, command};
pub use live::{HangArgs, NodeLauncher, TopArgs};
pub use pictures::{PlotArgs, PlotKind, TimelineArgs, kind_behind_runs};
pub use recording::{DoctorArgs, EnvArgs, Launcher, RecordArgs, Settings};
pub use what_if::WhatIfArgs;

/// Listens in on MPI programs and shows where their communication time went.
#[derive(Parser)]
#[command(version, max_term_width = 80, after_help = EXIT_CODES)]
#[command(
    override_usage = "overhear [DIR]    what dominates a run, in words, and what to ask next\n       overhear <COMMAND>"
)]
pub struct Cli {
    /// The command, or none for the newest run here.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXIT_CODES: &str = "Exit status of analyses: 0 ok, 1 a difference (check, diff --messages), a hang, or a condition that holds (diff --fail-if), \
2 wrong usage, 3 the input is unreadable or lacks what you asked about, 4 some data is missing and the rest was printed, \
5 it cannot be told (hang).";

/// The commands. `-h` shows the first paragraph, `--help` all.
#[derive(Subcommand)]
pub enum Command {
    /// Run an MPI program and record what it does in MPI
    ///
    /// Works behind the launcher (`mpirun -n 4 overhear record -- ./app`) and in front of it (`overhear record mpirun -n 4 ./app`). The exit
    /// status is the program's own; 2 for a wrong flag or variable, 125 if recording cannot start, 126 if the program cannot be run, 127 if
    /// it is not found.
    Record(RecordArgs),
    /// Show where the time of a recorded run went
    Report(ReportArgs),
    /// Show what the MPI library's progress engine did
    ///
    /// How often it was entered, how often that achieved something, and where requests were pending while nobody entered it.
    Progress(ProgressArgs),
    /// Show who waited for whom
    ///
    /// Late senders and receivers, and waits in collective calls: why and where.
    Waits(WaitsArgs),
    /// Show who did what when
    ///
    /// One line per rank in the terminal, one letter per time bin; or a picture; or a page that zooms in to single calls.
    Timeline(TimelineArgs),
    /// Show why ranks waited, and where all their time went
    ///
    /// Each wait is followed to the rank that was late, to what it did meanwhile, and to the reason: more work than the others, the same work
    /// slower at times, no core, asleep, in a file, in MPI itself. The kinds of time add up to the ranks' time.
    Why(BySite),
    /// Show the critical path: what set the run's length
    Path(BySite),
    /// Show which functions of the program the calls are for
    ///
    /// As a tree, from the program's begin to the calls, each with the time in MPI and the waits of what it leads to.
    Paths(PathsArgs),
    /// Show how much communication was hidden behind computation
    ///
    /// Host overhead, transfer time and availability of nonblocking requests by size and call site, and what the program did between post
    /// and wait.
    #[command(mut_arg("plot", |plot| plot.help("Plot overhead and availability over message size to this file, SVG or PNG by its name")))]
    Overlap(PlottedBySite),
    /// Show the latency and bandwidth that a run's messages saw
    ///
    /// By the functions called and whether the ranks share a host; the sizes at which the MPI library changes its protocol; LogGP's
    /// parameters. Ordered exchanges are ping-pong, unordered ones go both ways at once; one-way times are those of messages whose receiver
    /// was waiting.
    #[command(
        alias = "model",
        mut_arg("plot", |plot| plot.help("Plot times and bandwidths over message size to this file, SVG or PNG by its name"))
    )]
    Network(Plotted),
    /// Show how long rounds of one rank to several others and back take
    ///
    /// By size and number of ranks; the cost of one more message; and rounds that took far longer than others like them.
    #[command(mut_arg("plot", |plot| {
        plot.help("Plot latency and bandwidth over size and number of ranks to this file, SVG or PNG by its name")
    }))]
    Fanout(PlottedBySite),
    /// Show how efficient a run was, by the POP metrics
    ///
    /// How much time load imbalance, serialization and transfer cost.
    Pop(OneRun),
    /// Show how the threads of OpenMP spent their time
    ///
    /// How long they idle while the thread that leads them is in MPI or works alone, and for each parallel region how evenly they work
    /// and what they wait for. Of programs that gcc has compiled.
    Teams(BySite),
    /// Show which files were read and written between calls of MPI
    ///
    /// By file, by line of the program, and by rank: how often, how many bytes, how long. MPI's own files, those of MPI_File_open, are in
    /// `report`.
    Files(BySite),
    /// Show where ranks slept between calls of MPI
    ///
    /// By function and line of the program that called it, and by rank: how often, how long. Sleeps are those of nanosleep, poll, pthread_cond_wait, a
    /// mutex that is taken, waitpid and the like.
    Sleeps(BySite),
    /// Show what MPI was set to, and by whom
    ///
    /// By variables of the environment, by files, by the program before MPI_Init, or by the library's defaults, of one rank; those that are no
    /// defaults first. Values are from the library itself: MCA parameters of Open MPI, control variables of MPICH.
    Settings(OneRun),
    /// Show who sent how much to whom
    ///
    /// Between ranks of MPI_COMM_WORLD: messages, one-sided transfers, and the data that collective calls move by their definition,
    /// whatever algorithm the library used.
    Matrix(MatrixArgs),
    /// Show how unevenly time is spread over the ranks
    ///
    /// For each MPI function or call site, and for the computation. The imbalance time is the maximum over ranks minus the mean; the
    /// percentage is 100 if one rank takes all the time.
    Imbalance(ImbalanceArgs),
    /// Say what costs time, who or what causes it, and what to try next
    ///
    /// The findings that cost most, in the order of what the run could gain. The same as `overhear DIR`.
    Diagnose(OneRun),
    /// Check that the ranks agree: messages, bytes, calls, clocks
    ///
    /// Exit status 1 if calls found no partner, or messages arrive before they were sent.
    Check(BySite),
    /// Say whether a run hangs, and why
    ///
    /// For a run that is still running or ended before MPI_Finalize: how far each rank has come, whom it waits for, and whether that can ever
    /// end. Looks twice, as far apart as the run has paused before, but a minute at most. The verdict comes with its reasons. Exit status 1
    /// if the run hangs, 0 if it does not, 5 if that cannot be told: while it starts, while a rank sleeps, or while one is stopped.
    Hang(HangArgs),
    /// Show where the ranks of a running program are, while it runs
    ///
    /// Inside or outside MPI, in which call, with whom, since when, and where in the program; ranks that have not moved for longest come
    /// first. Quit with q.
    Top(TopArgs),
    /// Predict how long a run would take if something were different
    ///
    /// Replays the run's computation, calls and messages with ranks, call sites or the network faster or slower, with computation balanced, or
    /// without some calls. Says how long that takes, which waits go, and what the time is spent on then; of several changes, what each alone
    /// would do. A call keeps the time that it took from when all it needed was there. Only the first thread of each rank is replayed.
    Whatif(WhatIfArgs),
    /// Compare two runs, or several of each of two sides
    ///
    /// Where time went by function, call site and size, wait states, imbalance, overlap, efficiency, and the progress engine's ledger. With
    /// several runs per side, ratios get intervals, and a difference no larger than runs of one side show among themselves counts as
    /// noise. Alternate the recordings (A, B, A, B ...), so that changes on the machine hit both sides.
    #[command(
        override_usage = "overhear diff [OPTIONS] <A> <B>\n       overhear diff [OPTIONS] --a <RUN>... --b <RUN>..."
    )]
    Diff(DiffArgs),
    /// Put runs with different rank counts side by side
    ///
    /// POP's efficiencies, the time of each function, how it grows, and what to expect at ten times the ranks. Give several runs per rank
    /// count, and five counts or more. A function's time is modeled as a constant plus one term: 1/p, log p, p, p log p or p^2. `off by`
    /// is how far the model misses a rank count it has not seen.
    Scaling(ScalingArgs),
    /// Draw a picture of a run, or of several
    ///
    /// SVG, or PNG at twice the size, by the name of the file.
    Plot(PlotArgs),
    /// Explain a wait state, a metric or a column
    ///
    /// What it means, how it is computed, who defined it, and how to improve it.
    Explain(ExplainArgs),
    /// Write the run for other tools: Parquet, Perfetto, OTF2, pprof
    ///
    /// Tables of calls, signatures, sites, paths, communicators, requests, messages, collectives, waits, progress, samples, regions and ranks, and what
    /// engines match messages by, with a folder for each table and rank, as Polars, DuckDB, PyArrow and Spark read them. docs/schema/dataset.md describes the columns. The trace for
    /// Perfetto is one file: open it at https://ui.perfetto.dev; if it is large, run `trace_processor --httpd FILE` first. An OTF2 archive is
    /// a folder, written by OTF2's own library: apt install libopen-trace-format2-10, or set OVERHEAR_OTF2 to the path of another.
    #[command(override_usage = "overhear export [OPTIONS] --to <FORMAT> [DIR] <OUT>")]
    Export(ExportArgs),
    #[cfg_attr(not(feature = "polars"), command(about = "Query a run with SQL (not in this build)"))]
    /// Query a run with SQL
    ///
    /// Over the tables that `export` writes, straight from the run: `overhear query DIR "SELECT function, sum(calls) AS calls FROM calls GROUP BY
    /// function"`. In text, columns whose names end in _s, _bytes or _percent print in that unit.
    Query(QueryArgs),
    /// Print the JSON Schema of an analysis
    ///
    /// The fields of its tables are also the columns of CSV and Parquet.
    Schema(SchemaArgs),
    /// Check whether recording works here
    Doctor(DoctorArgs),
    /// Print the launcher arguments that preload the recorder
    Env(EnvArgs),
    /// Generate shell completions
    ///
    /// For bash: overhear completions bash > ~/.local/share/bash-completion/completions/overhear. For zsh, write a file _overhear in a folder
    /// of $fpath. For fish, write ~/.config/fish/completions/overhear.fish.
    Completions(CompletionsArgs),
    /// Write the manual pages
    ///
    /// One for overhear and one for each command, into a folder such as ~/.local/share/man/man1; read one with man overhear-waits.
    Man(ManArgs),
    /// A run's folder, or an unknown command.
    #[command(external_subcommand)]
    Folder(Vec<OsString>),
}
