//! The flags of `plot` and `timeline`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::analyses::{PAGE, file_named};
use super::{OneRun, Select};
use pictures::plot::PlotFile;

#[derive(Args)]
#[command(allow_missing_positional = true)]
pub struct PlotArgs {
    /// The run's folder; two folders for diff, any number for scaling
    #[arg(value_name = "DIR", required_unless_present = "a", conflicts_with_all = ["a", "b"])]
    pub dirs: Vec<PathBuf>,
    /// What to plot
    #[arg(required = true)]
    pub kind: PlotKind,
    /// For diff of several runs a side, as plot diff --a RUN... --b RUN...: the folders of side A
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "b")]
    pub a: Vec<PathBuf>,
    /// For diff: the folders of side B
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "a")]
    pub b: Vec<PathBuf>,
    /// Plot to this file, SVG or PNG by its name
    #[arg(short, long, value_name = "FILE")]
    pub output: PlotFile,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub select: Select,
}

/// A picture that `plot` draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PlotKind {
    /// Time by function, and by rank
    Breakdown,
    /// Time that an even spread over the ranks would save, by function
    Imbalance,
    /// Calls and time by the bytes of a call
    Sizes,
    /// Bytes from each rank to each other
    Matrix,
    /// Wait states, and when ranks waited
    Waits,
    /// The POP metrics
    Pop,
    /// Entries into the progress engine over time
    Progress,
    /// Overhead and availability of nonblocking messages over their size
    Availability,
    /// Latency and bandwidth over message size
    #[value(alias = "model")]
    Network,
    /// Rounds of one rank to several others and back
    Fanout,
    /// Collective operations over message size
    Collectives,
    /// Time by function of two runs, or of two sides
    Diff,
    /// Time and efficiency over the number of ranks
    Scaling,
}

impl PlotKind {
    /// Returns the name that users type.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().into())
    }
}

#[derive(Args)]
pub struct TimelineArgs {
    /// Draw it as SVG to this file
    #[arg(long, value_name = "FILE", value_parser = file_named(&["svg"]))]
    pub svg: Option<PathBuf>,
    /// Draw it as PNG to this file
    #[arg(long, value_name = "FILE", value_parser = file_named(&["png"]))]
    pub png: Option<PathBuf>,
    /// Write a zoomable page to this file; the calls of a long run go into a folder beside it
    #[arg(long, value_name = "FILE", value_parser = file_named(PAGE))]
    pub html: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    /// With --html: leave out the source lines of call sites, which a page has where the sources lie on this machine
    #[arg(long)]
    pub no_source: bool,
    #[command(flatten)]
    pub of: OneRun,
}

impl TimelineArgs {
    /// Files for SVG, PNG and a page: as the flags say, or `--output` by its extension if no format is asked for.
    pub fn pictures(&self) -> [Option<&Path>; 3] {
        let print = &self.of.print;
        [
            self.svg.as_deref().or(print.output_named(&["svg"])),
            self.png.as_deref().or(print.output_named(&["png"])),
            self.html.as_deref().or(print.page()),
        ]
    }
}

/// Moves the kind of a `plot` behind the runs if it stands before them.
pub fn kind_behind_runs(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_kind = |word: &OsString| word.to_str().is_some_and(|word| PlotKind::from_str(word, false).is_ok());
    let is_plot = words.get(1).is_some_and(|word| word == "plot");
    if is_plot && words.get(2).is_some_and(is_kind) && !words[3..].iter().any(is_kind) {
        let kind = words.remove(2);
        let runs = words[2..].iter().position(|word| word.to_string_lossy().starts_with('-'));
        words.insert(runs.map_or(words.len(), |runs| runs + 2), kind);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::kind_behind_runs;

    #[test]
    fn a_kind_before_the_runs_goes_behind_them() {
        let ordered = |text: &str| {
            let words = kind_behind_runs(text.split(' ').map(Into::into).collect());
            words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ordered("overhear plot waits run -o a.png"), "overhear plot run waits -o a.png");
        assert_eq!(ordered("overhear plot diff a b"), "overhear plot a b diff");
        // A folder may have the name of a kind.
        assert_eq!(ordered("overhear plot waits pop -o a.png"), "overhear plot waits pop -o a.png");
        assert_eq!(ordered("overhear report waits"), "overhear report waits");
    }
}
