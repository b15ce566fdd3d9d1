//! What all analyses of one run ask: which run, what of it, and how to print the result.

use std::path::PathBuf;

use clap::Args;

use super::choices::choices;
use model::Choice;
use model::ranks::Ranks;
use pictures::plot::PlotFile;
use tables::Format;
use tables::arrange::Top;

/// An analysis of one run.
#[derive(Args)]
pub struct OneRun {
    /// The run's folder [default: the newest run in the working folder]
    pub dir: Option<PathBuf>,
    /// What of it to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// An analysis of one run that has figures to draw; each command says which.
#[derive(Args)]
pub struct Plotted {
    /// Plot to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// Of which run.
    #[command(flatten)]
    pub of: OneRun,
}

/// What of a run to look at.
#[derive(Args)]
pub struct Select {
    /// All but its end.
    #[command(flatten)]
    pub part: SelectFrom,
    /// Only calls that began before this time
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    pub to: Option<i64>,
}

/// What of a run to look at, but for the end of its time.
#[derive(Args)]
pub struct SelectFrom {
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
}

/// A time as `1.5`, `1.5s`, `300ms` or `20us`.
pub fn nanoseconds(text: &str) -> Result<i64, &'static str> {
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
        self.part.choice(self.to)
    }
}

impl SelectFrom {
    /// The same, until a time.
    pub fn choice(&self, to: Option<i64>) -> Choice {
        let (region, ranks, no_cache) = (self.region.clone(), self.rank.clone(), self.no_cache);
        Choice { region, by_region: false, ranks, from: self.from, to, no_cache }
    }
}

/// How to print the result.
#[derive(Args)]
pub struct Print {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = choices::<Format>())]
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
