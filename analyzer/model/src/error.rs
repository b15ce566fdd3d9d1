//! Why a run cannot be analyzed, and the exit codes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tables::arrange::UnknownColumn;
use tables::suggest::{instead, nearest};

/// All went well.
pub const OK: u8 = 0;
/// There was a difference.
pub const DIFFERENT: u8 = 1;
/// The command line was wrong.
pub const USAGE: u8 = 2;
/// The input could not be read, or does not hold what was asked about.
pub const UNREADABLE: u8 = 3;
/// Some of the data is missing; the rest was printed.
pub const PARTIAL: u8 = 4;
/// What was asked cannot be told from what there is.
pub const CANNOT_TELL: u8 = 5;

/// Why nothing can be printed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such folder.
    #[error("{}: {source}. Give the folder that overhear named when it recorded.", folder.display())]
    NoFolder {
        /// What was asked for.
        folder: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Something lies where the result should go.
    #[error("{}: exists. Name another place, or add --force to replace it.", path.display())]
    Exists {
        /// Where it should go.
        path: PathBuf,
    },
    /// A folder without traces.
    #[error("{}: no traces here: no file ends in .ovh. Give the folder that overhear named when it recorded.", folder.display())]
    NoTraces {
        /// What was asked for.
        folder: PathBuf,
    },
    /// Files of several runs.
    #[error("{}: files of {} runs in one folder. Move each run into a folder of its own:", folder.display(), runs.len())]
    Mixed {
        /// The folder.
        folder: PathBuf,
        /// A line for each run.
        runs: Vec<String>,
    },
    /// Not one file of the folder can be read.
    #[error("{}: none of its files can be read:", folder.display())]
    AllUnreadable {
        /// The folder.
        folder: PathBuf,
        /// A line for each file.
        reasons: Vec<String>,
    },
    /// A rank that the run does not have.
    #[error("there is no rank {rank}: the run has {size}, numbered from 0")]
    NoRank {
        /// What was asked for.
        rank: u32,
        /// Ranks of the run.
        size: u32,
    },
    /// One rank is wanted alone that is not among those asked about.
    #[error("--by rank={rank} asks for a rank that --rank {asked} leaves out: drop --rank, or name the same rank")]
    RankLeftOut {
        /// What is wanted alone.
        rank: u32,
        /// What was asked for.
        asked: crate::ranks::Ranks,
    },
    /// A region that the run does not have.
    #[error("{}: no region is called {region}. {instead}", folder.display())]
    NoRegion {
        /// The run's folder.
        folder: PathBuf,
        /// What was asked for.
        region: String,
        /// What there is.
        instead: String,
    },
    /// A communicator that the run does not have.
    #[error("{}: no communicator is called {communicator}. {instead}", folder.display())]
    NoCommunicator {
        /// The run's folder.
        folder: PathBuf,
        /// What was asked for.
        communicator: String,
        /// What there is.
        instead: String,
    },
    /// Single calls are asked about, and only sums were recorded.
    #[error(
        "{}: {asked} needs single calls, but this run was recorded as a profile, which holds only counts and times. Record it again without --mode profile (or OVERHEAR_MODE=profile). \
         A profile answers overhear report, imbalance, matrix and progress.",
        folder.display()
    )]
    OnlyProfile {
        /// The run's folder.
        folder: PathBuf,
        /// What was asked for.
        asked: &'static str,
    },
    /// What an analysis is about does not occur.
    #[error("{}: {needed}. Found {instead}.", folder.display())]
    NothingToAnalyze {
        /// The run's folder.
        folder: PathBuf,
        /// What there is none of, and what the analysis needs.
        needed: &'static str,
        /// What there is.
        instead: String,
    },
    /// Nothing is between two times.
    #[error("--from is not before --to, so no time lies between them")]
    NoTime,
    /// Nothing is that late.
    #[error("--from {from:.3} s is behind the end of the run, which is {length:.3} s long. Ask for an earlier time.")]
    BeyondEnd {
        /// Seconds since the run began, as asked.
        from: f64,
        /// Seconds from the run's begin to its end.
        length: f64,
    },
    /// A column that no table has.
    #[error(transparent)]
    NoColumn(#[from] UnknownColumn),
    /// No run where none was named.
    #[error("{}: no run here. Give the folder that overhear named when it recorded.", folder.display())]
    NoRun {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// A variable or a value that does not exist.
    #[error("{0}")]
    Setting(String),
    /// The result could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// Where it should go.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A table that the data set does not have.
    #[error("no table is called {table}. {instead}")]
    NoTable {
        /// What was asked for.
        table: String,
        /// What there is.
        instead: String,
    },
    /// A file that could be read before.
    #[error(transparent)]
    File(#[from] traces::error::Error),
    /// Something else, in words for the user.
    #[error("{0}")]
    Other(String),
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

    /// What is said below, a line each.
    pub fn details(&self) -> &[String] {
        match self {
            Error::Mixed { runs: lines, .. } | Error::AllUnreadable { reasons: lines, .. } => lines,
            _ => &[],
        }
    }

    /// Nothing is known by a name.
    pub fn no_meaning(name: &str, names: &BTreeSet<String>) -> Error {
        let nearest = nearest(name, names.iter().map(String::as_str));
        let nearest = nearest.map_or_else(String::new, |(_, nearest)| format!(" The nearest one is {nearest}."));
        Error::Setting(format!("nothing is called {name}.{nearest} overhear explain lists wait states and metrics"))
    }

    /// There is no region of a name, but those of others.
    pub fn no_region(folder: &Path, region: &str, names: BTreeSet<String>) -> Error {
        let none = "The run has none: a program names regions with overhear_begin (overhear.h) or NVTX.";
        Error::NoRegion { folder: folder.into(), region: region.into(), instead: instead(region, &names, none) }
    }

    /// The data set has no table of a name.
    pub fn no_table(table: &str, names: BTreeSet<String>) -> Error {
        Error::NoTable { table: table.into(), instead: instead(table, &names, "There is none.") }
    }

    /// This command was built without the library that something needs.
    pub fn without_polars(what: &str) -> Error {
        let how = "cargo build --release --features overhear/polars";
        Error::Other(format!(
            "this overhear was built without Polars, which {what} needs: {how}. Without cargo, ask another tool: overhear export RUN OUT \
             --to parquet, then duckdb -c \"SELECT function, sum(calls) FROM 'OUT/calls/**/*.parquet' GROUP BY function\""
        ))
    }

    /// There is no communicator of a name, but those of others.
    pub fn no_communicator(folder: &Path, communicator: &str, names: BTreeSet<String>) -> Error {
        let instead = instead(communicator, &names, "The run has none with a name.");
        Error::NoCommunicator { folder: folder.into(), communicator: communicator.into(), instead }
    }
}
