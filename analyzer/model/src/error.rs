//! The errors of an analysis, and the exit codes.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tables::Value;
use tables::arrange::UnknownColumn;
use tables::suggest::{instead, near};
use traces::error::in_words;

pub const OK: u8 = 0;
/// The runs differ.
pub const DIFFERENT: u8 = 1;
/// The command line was wrong.
pub const USAGE: u8 = 2;
/// The input could not be read, or lacks what was asked for.
pub const UNREADABLE: u8 = 3;
/// Some of the data is missing; the rest was printed.
pub const PARTIAL: u8 = 4;
/// The data does not answer the question.
pub const CANNOT_TELL: u8 = 5;

/// Error that leaves a command with nothing to print.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{}: {}. Give the folder that overhear named when it recorded.", folder.display(), in_words(source))]
    NoFolder { folder: PathBuf, source: io::Error },
    /// A file already exists at the output path.
    #[error("{}: exists. Name another place, or add --force to replace it.", path.display())]
    Exists { path: PathBuf },
    /// The folder has no traces.
    #[error("{}: no traces here: no file ends in .ovh. Give the folder that overhear named when it recorded.", folder.display())]
    NoTraces { folder: PathBuf },
    /// The folder has no traces, but folders in it have.
    #[error("{}: no traces here, but in folders in it. Give one of them:", folder.display())]
    FolderOfRuns {
        folder: PathBuf,
        /// One line per folder.
        runs: Vec<String>,
    },
    /// `overhear record` made the folder, and no process has written there.
    #[error("{}: no traces yet: no process has called MPI_Init. If the job has started or ended, see what it and overhear printed.", folder.display())]
    NotBegun { folder: PathBuf },
    /// Nothing was recorded, and processes of the run have said why.
    #[error("{}: nothing was recorded:", folder.display())]
    Unrecorded {
        folder: PathBuf,
        /// One line per reason.
        reasons: Vec<String>,
    },
    /// The folder holds files of several runs.
    #[error("{}: files of {} runs in one folder. Move each run into a folder of its own:", folder.display(), runs.len())]
    Mixed {
        folder: PathBuf,
        /// One line per run.
        runs: Vec<String>,
    },
    /// No file of the folder can be read.
    #[error("{}: none of its files can be read:", folder.display())]
    AllUnreadable {
        folder: PathBuf,
        /// One line per file.
        reasons: Vec<String>,
    },
    /// The run has no such rank.
    #[error("there is no rank {rank}: the run has {size}, numbered from 0")]
    NoRank { rank: u32, size: u32 },
    /// `--by` names a rank that `--rank` leaves out.
    #[error("--by rank={rank} asks for a rank that --rank {asked} leaves out: drop --rank, or name the same rank")]
    RankLeftOut {
        rank: u32,
        /// The ranks of `--rank`.
        asked: crate::ranks::Ranks,
    },
    #[error("{}: no region is called {region}. {instead}", folder.display())]
    NoRegion {
        folder: PathBuf,
        region: String,
        /// Suggestion, or a list of the regions.
        instead: String,
    },
    #[error("{}: no communicator is called {communicator}. {instead}", folder.display())]
    NoCommunicator {
        folder: PathBuf,
        communicator: String,
        /// Suggestion, or a list of the communicators.
        instead: String,
    },
    /// The analysis needs single calls, but a profile was recorded.
    #[error(
        "{}: {asked} needs single calls, but this run was recorded as a profile, which holds only counts and times. Record it again without --mode profile (or OVERHEAR_MODE=profile). \
         A profile answers overhear report, imbalance, matrix and progress.",
        folder.display()
    )]
    OnlyProfile { folder: PathBuf, asked: &'static str },
    /// The run has none of the calls that the analysis needs.
    #[error("{}: {needed}. Found {instead}.", folder.display())]
    NothingToAnalyze {
        folder: PathBuf,
        /// The missing calls, and why the analysis needs them.
        needed: &'static str,
        /// The functions that the run calls most.
        instead: String,
    },
    /// `--from` is not before `--to`.
    #[error("--from is not before --to, so no time lies between them")]
    NoTime,
    #[error("--from {} is after the end of the run, which lasts {}. Ask for an earlier time.", Value::Seconds(*from), Value::Seconds(*length))]
    BeyondEnd {
        /// Seconds since the run began.
        from: f64,
        /// Length of the run, seconds.
        length: f64,
    },
    /// No table has such a column.
    #[error(transparent)]
    NoColumn(#[from] UnknownColumn),
    /// No run was named and none was found.
    #[error("{}: no run here. Give the folder that overhear named when it recorded.", folder.display())]
    NoRun { folder: PathBuf },
    /// A variable or value does not exist.
    #[error("{0}")]
    Setting(String),
    /// The result could not be written.
    #[error("{}: {}{}", path.display(), in_words(source), what_to_try(source))]
    Write { path: PathBuf, source: io::Error },
    /// The data set has no such table.
    #[error("no table is called {table}. {instead}")]
    NoTable {
        table: String,
        /// Suggestion, or a list of the tables.
        instead: String,
    },
    #[error(transparent)]
    File(#[from] traces::error::Error),
    /// Any other error, in words for the user.
    #[error("{0}")]
    Other(String),
}

/// Advice for a failed write.
fn what_to_try(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotFound => ". Make its folder first, or name another place.",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ". Name a place that you may write to.",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ". Make room, or name another place.",
        _ => "",
    }
}

impl Error {
    /// The command's exit status.
    pub fn status(&self) -> u8 {
        match self {
            Error::NoRank { .. }
            | Error::RankLeftOut { .. }
            | Error::NoRegion { .. }
            | Error::NoCommunicator { .. }
            | Error::NoColumn(_)
            | Error::NoTable { .. }
            | Error::NoTime
            | Error::BeyondEnd { .. }
            | Error::Exists { .. }
            | Error::Setting(_) => USAGE,
            _ => UNREADABLE,
        }
    }

    /// Lines printed below the message.
    pub fn details(&self) -> &[String] {
        match self {
            Error::Mixed { runs: lines, .. }
            | Error::FolderOfRuns { runs: lines, .. }
            | Error::Unrecorded { reasons: lines, .. }
            | Error::AllUnreadable { reasons: lines, .. } => lines,
            _ => &[],
        }
    }

    /// The error for an unknown name of a wait state or metric.
    pub fn no_meaning(name: &str, names: &BTreeSet<String>) -> Error {
        let near = near(name, names.iter().map(String::as_str));
        let nearest = near.map_or_else(String::new, |nearest| format!(" The nearest one is {nearest}."));
        Error::Setting(format!("nothing is called {name}.{nearest} `overhear explain` lists wait states and metrics"))
    }

    /// The error for an unknown region.
    pub fn no_region(folder: &Path, region: &str, names: BTreeSet<String>) -> Error {
        let none = "The run has none: a program names regions with overhear_begin (overhear.h) or NVTX.";
        Error::NoRegion { folder: folder.into(), region: region.into(), instead: instead(region, &names, none) }
    }

    /// The error for an unknown table.
    pub fn no_table(table: &str, names: BTreeSet<String>) -> Error {
        Error::NoTable { table: table.into(), instead: instead(table, &names, "There is none.") }
    }

    /// The error for a build without Polars.
    pub fn without_polars(what: &str) -> Error {
        let how = "cargo build --release --features overhear/polars";
        Error::Other(format!(
            "this overhear was built without Polars, which {what} needs: {how}. Without cargo, ask another tool: overhear export RUN OUT \
             --to parquet, then duckdb -c \"SELECT function, sum(calls) FROM 'OUT/calls/**/*.parquet' GROUP BY function\""
        ))
    }

    /// The error for an unknown communicator.
    pub fn no_communicator(folder: &Path, communicator: &str, names: BTreeSet<String>) -> Error {
        let instead = instead(communicator, &names, "The run has none with a name.");
        Error::NoCommunicator { folder: folder.into(), communicator: communicator.into(), instead }
    }
}
