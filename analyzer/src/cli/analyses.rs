//! The flags of analyses: which runs, which part of them, and how to print the result.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};

use metrics::compare::Threshold;
use metrics::matrix::TrafficKind;
use metrics::reports::{Breakdown, ByEngine, ByPlace};
use model::Choice;
use model::ranks::Ranks;
use model::site_naming::{NamedBy, SiteNaming};
use pictures::plot::PlotFile;
use tables::arrange::Top;
use tables::{Format, Named};

#[derive(Args)]
pub struct OneRun {
    /// The run's folder [default: the newest run in the working folder]
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub print: Print,
    /// Name functions with all parameters and template arguments, as JSON and CSV do, not in short where the rest tells them apart
    #[arg(long)]
    pub full_names: bool,
}

/// An analysis of one run that can be drawn; each command says what `--plot` draws.
#[derive(Args)]
pub struct Plotted {
    /// Plot to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// The run, and how to print the result.
    #[command(flatten)]
    pub of: OneRun,
}

/// An analysis of one run whose tables name call sites.
#[derive(Args)]
pub struct BySite {
    #[command(flatten)]
    pub names: SiteNames,
    #[command(flatten)]
    pub of: OneRun,
}

/// An analysis of one run that names call sites and can be drawn.
#[derive(Args)]
pub struct PlottedBySite {
    #[command(flatten)]
    pub names: SiteNames,
    #[command(flatten)]
    pub plotted: Plotted,
}

/// The engine that carries out an analysis.
#[derive(Args)]
pub struct OnEngine {
    /// Let an engine that speaks Spark Connect analyze an exported data set, which is DIR as the engine sees it: sc://HOST:PORT; or print the
    /// SQL for DuckDB's command: duckdb
    ///
    /// The data set is of the whole run, so figures are as with --whole. overhear export DIR OUT --to parquet --tables engine writes it.
    #[arg(long, value_name = "URL", requires = "dir", conflicts_with_all = ["region", "no_cache", "rank", "from", "to", "layer"])]
    pub engine: Option<String>,
}

/// What tables call a call site by.
#[derive(Args)]
pub struct SiteNames {
    /// Name call sites by this: place, caller outside the communication layer, or whole call path
    #[arg(long, value_name = "WHAT", default_value = "site", value_parser = choices::<NamedBy>())]
    pub by: NamedBy,
}

#[derive(Args)]
pub struct WaitsArgs {
    #[command(flatten)]
    pub engine: OnEngine,
    #[command(flatten)]
    pub of: BySite,
}

#[derive(Args)]
pub struct PathsArgs {
    /// Only the chain of functions that leads to most of the waiting, or to most of the time in MPI if nothing waits
    #[arg(long, conflicts_with_all = ["depth", "least"])]
    pub hot: bool,
    /// Each function once, wherever it was called, those with the most time of their own first
    #[arg(long, conflicts_with_all = ["hot", "depth", "least"])]
    pub flat: bool,
    /// At most this many functions deep
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// Leave out functions with less than this share of the time in MPI, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    pub least: f64,
    #[command(flatten)]
    pub of: OneRun,
}

/// The part of a run to look at.
#[derive(Args)]
pub struct Select {
    /// All but the end of the time.
    #[command(flatten)]
    pub part: SelectFrom,
    /// Only calls that began before this time
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    pub to: Option<i64>,
    /// Count starting and ending MPI, too
    ///
    /// By default figures are of each rank's time from the end of its MPI_Init to the begin of its MPI_Finalize; of sessions, from the first
    /// start to the last end. hang, top, query, diff --messages and export always show everything, but for export's call paths.
    #[arg(long)]
    pub whole: bool,
    /// The program's communication layer: functions of these names, such as 'comm_*', for --by caller [default: as found]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub layer: Vec<String>,
}

/// The part of a run to look at, but for the end of the time: `export` has another `--to`.
#[derive(Args)]
pub struct SelectFrom {
    /// Only what happened inside regions of this name
    #[arg(long, value_name = "NAME")]
    pub region: Option<String>,
    /// Do not cache the names of call sites, in the run's folder or in ~/.cache/overhear
    #[arg(long)]
    pub no_cache: bool,
    /// Only these ranks, such as 0-3,8
    #[arg(long, value_name = "LIST")]
    pub rank: Option<Ranks>,
    /// Only calls that began at this time or later: seconds since the first rank entered MPI_Init, or 300ms, 20us
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    pub from: Option<i64>,
}

/// Reads a time such as `1.5`, `1.5s`, `300ms`, `20us`, `1m` or `2h`.
pub fn nanoseconds(text: &str) -> Result<i64, &'static str> {
    let units =
        [("ms", 1e6), ("us", 1e3), ("µs", 1e3), ("ns", 1.0), ("s", 1e9), ("min", 60e9), ("m", 60e9), ("h", 3600e9)];
    let unit = units.into_iter().find_map(|(unit, nanoseconds)| Some((text.strip_suffix(unit)?, nanoseconds)));
    let (number, each) = unit.unwrap_or((text, 1e9));
    match number.trim().parse::<f64>() {
        Ok(number) if number >= 0.0 && number * each < i64::MAX as f64 => Ok((number * each).round() as i64),
        _ => Err("expected a time: seconds as 1.5, or 300ms, 20us, 2m, 1h"),
    }
}

impl OneRun {
    /// True if functions are named as people say them: in text and pages, unless whole names are asked for.
    pub fn names_are_short(&self) -> bool {
        !self.full_names && self.print.format() == Format::Text
    }
}

impl Select {
    pub fn choice(&self) -> Choice {
        self.named(NamedBy::Site)
    }

    /// The choice, with call sites named by this.
    pub fn named(&self, by: NamedBy) -> Choice {
        let naming = SiteNaming { by, layers: self.layer.clone(), is_default: false, is_short: false };
        Choice { whole: self.whole, kept: true, naming, ..self.part.everything(self.to) }
    }

    /// The choice for conclusions, which name who calls the program's communication layer.
    pub fn for_conclusions(&self) -> Choice {
        Choice { naming: SiteNaming::for_conclusions(self.layer.clone()), ..self.choice() }
    }
}

impl SelectFrom {
    /// Calls that begin before `to`, if it is given, those that start and end MPI among them.
    pub fn everything(&self, to: Option<i64>) -> Choice {
        let (region, ranks, no_cache) = (self.region.clone(), self.rank.clone(), self.no_cache);
        Choice { region, ranks, from: self.from, to, whole: true, no_cache, ..Choice::default() }
    }
}

/// How to print the result.
#[derive(Args)]
pub struct Print {
    /// Output format [default: by the name of the output file, else text]
    #[arg(id = "format", long = "format", value_name = "FORMAT", value_parser = choices::<Format>())]
    pub asked_format: Option<Format>,
    /// Write to this file instead of stdout, in the format that its name ends with: .json, .csv, .parquet
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print at most this many rows of each table, or all [default: all; in text, the first rows of long tables]
    #[arg(long, value_name = "N|all")]
    pub top: Option<Top>,
    /// Sort by this column, named by its JSON key or its heading
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<String>,
}

impl Print {
    /// Returns the requested format, else the output file's by its name.
    pub fn format(&self) -> Format {
        let by_name = || Format::named(&self.extension()?).ok();
        self.asked_format.or_else(by_name).unwrap_or(Format::Text)
    }

    /// Returns the output file if its name is that of a page, and no other format is asked for.
    pub fn page(&self) -> Option<&Path> {
        self.output_named(PAGE)
    }

    /// Returns the output file if its name is that of a picture, and no other format is asked for.
    pub fn picture(&self) -> Option<&Path> {
        self.output_named(&["svg", "png"])
    }

    /// Returns the output file if its name has one of these extensions, and no format is asked for.
    pub fn output_named(&self, extensions: &[&str]) -> Option<&Path> {
        let is_named = self.extension().is_some_and(|extension| extensions.contains(&extension.as_str()));
        self.output.as_deref().filter(|_| is_named && self.asked_format.is_none())
    }

    /// Returns the output file if its name ends as that of no format, and none is asked for.
    pub fn unknown(&self) -> Option<&Path> {
        let extension = self.extension().filter(|_| self.asked_format.is_none())?;
        let is_known = extension == "txt" || Format::named(&extension).is_ok();
        self.output.as_deref().filter(|_| !is_known)
    }

    fn extension(&self) -> Option<String> {
        Some(self.output.as_ref()?.extension()?.to_str()?.to_lowercase())
    }
}

#[derive(Args)]
pub struct ReportArgs {
    /// Break the time down by function, rank, rank=N, behavior, comm, site, caller, path, size, peer, thread, host, region, collective
    #[arg(long, value_name = "WHAT", default_value = "function")]
    pub by: Breakdown,
    /// With --by collective: plot times over message size to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// Write all analyses and a summary in words to this file, an HTML page that any browser opens from disk
    #[arg(long, value_name = "FILE", value_parser = file_named(PAGE), conflicts_with_all = ["by", "plot", "format", "output", "top", "sort"])]
    pub html: Option<PathBuf>,
    /// With --html: replace the file if it exists
    #[arg(long, requires = "html")]
    pub force: bool,
    /// With --html: leave out the source lines of call sites, which a page has where the sources lie on this machine
    #[arg(long)]
    pub no_source: bool,
    #[command(flatten)]
    pub engine: OnEngine,
    #[command(flatten)]
    pub of: OneRun,
}

#[derive(Args)]
pub struct ProgressArgs {
    /// Show one table in full: by rank, component, function, site, caller or path
    #[arg(long, value_name = "WHAT", value_parser = choices::<ByEngine>())]
    pub by: Option<ByEngine>,
    /// Plot entries over time to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    #[command(flatten)]
    pub engine: OnEngine,
    #[command(flatten)]
    pub of: OneRun,
}

#[derive(Args)]
pub struct MatrixArgs {
    /// Only what went through the communicator of this name
    #[arg(long, value_name = "NAME")]
    pub comm: Option<String>,
    /// Only point-to-point messages and one-sided transfers, or only collective calls
    #[arg(long, value_name = "KIND", value_parser = choices::<TrafficKind>())]
    pub only: Option<TrafficKind>,
    /// Plot the bytes as a heat map to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    #[command(flatten)]
    pub engine: OnEngine,
    #[command(flatten)]
    pub of: OneRun,
}

#[derive(Args)]
pub struct ImbalanceArgs {
    /// Break the time in MPI down by function, call site, caller or path
    #[arg(long, value_name = "WHAT", default_value = "function", value_parser = choices::<ByPlace>())]
    pub by: ByPlace,
    #[command(flatten)]
    pub engine: OnEngine,
    #[command(flatten)]
    pub of: OneRun,
}

#[derive(Args)]
pub struct DiffArgs {
    /// The folders of the two runs
    #[arg(value_names = ["A", "B"], num_args = 1.., required_unless_present = "a", conflicts_with_all = ["a", "b"])]
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
    #[command(flatten)]
    pub names: SiteNames,
    /// Write both runs to this file, an HTML page that any browser opens from disk: timelines on one scale, tables beside each other
    ///
    /// Of several runs on a side, the timeline is that of the first.
    #[arg(long, value_name = "FILE", value_parser = file_named(PAGE), conflicts_with_all = ["messages", "format", "output", "top", "sort"])]
    pub html: Option<PathBuf>,
    /// With --html: replace the file if it exists
    #[arg(long, requires = "html")]
    pub force: bool,
    /// With --html: leave out the source lines of call sites, which a page has where the sources lie on this machine
    #[arg(long)]
    pub no_source: bool,
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub print: Print,
}

#[derive(Args)]
pub struct ScalingArgs {
    /// Break the time in MPI down by function, call site, caller or path
    #[arg(long, value_name = "WHAT", default_value = "function", value_parser = choices::<ByPlace>())]
    pub by: ByPlace,
    /// The runs' folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// The work of each rank is the same at every rank count [default: the total work is]
    #[arg(long)]
    pub weak: bool,
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub print: Print,
}

/// The extensions of pages.
pub const PAGE: &[&str] = &["html", "htm"];

/// Takes the name of a file with one of these extensions, or with none, as pipes and devices have.
pub fn file_named(extensions: &'static [&'static str]) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let suits = extension.is_none_or(|extension| extensions.contains(&extension.as_str()));
        if suits { Ok(path) } else { Err(format!("end the name in .{}", extensions.join(" or ."))) }
    })
}

/// Takes the names of a choice, and lists them in help.
pub fn choices<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let names = T::NAMES.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).try_map(|name| T::named(&name))
}
