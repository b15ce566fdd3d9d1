//! Analyses of one run: each reads it, draws what `--plot` asks for, prints a report, and returns the exit status.

use std::path::Path;

use super::on_engine::{EngineQuestion, on_engine};
use super::open_run::{choose, open, status};
use super::page;
use super::print::print;
use super::timeline::PageFile;
use crate::cli;
use metrics::matrix::{self, Matrix};
use metrics::paths::PathChoice;
use metrics::reports::{self, Breakdown, ByEngine, ByPlace, RunAnalysis};
use metrics::words::plural;
use metrics::{fanout, operations, overlap, rank_programs, waits};
use model::error::{DIFFERENT, Error};
use model::site_naming::NamedBy;
use model::{Choice, Run};
use pictures::charts;
use pictures::plot::{self, PlotFile};
use tables::WorldRank;

pub fn report(arguments: &cli::ReportArgs) -> Result<u8, Error> {
    if let Some(url) = &arguments.engine.engine {
        let is_other = arguments.by != Breakdown::Function || arguments.plot.is_some() || arguments.html.is_some();
        return on_engine(url, &arguments.of, EngineQuestion::Report, is_other.then_some("the breakdown by function"));
    }
    if let Some(file) = &arguments.html {
        let file = PageFile::of(file, arguments.force, arguments.no_source);
        return page::run(&file, &arguments.of);
    }
    if let Some(file) = arguments.of.print.page() {
        return page::run(&PageFile::of(file, true, arguments.no_source), &arguments.of);
    }
    let choice = arguments.of.select.named(arguments.by.named_by());
    let kept = arguments.by == Breakdown::Collective;
    let choice = Choice { by_region: arguments.by == Breakdown::Region, kept, ..choice };
    if arguments.plot.is_some() && arguments.by != Breakdown::Collective {
        return Err(Error::Setting(
            "report --plot draws collective calls over message size: add --by collective".into(),
        ));
    }
    let run = choose(&arguments.of, choice)?;
    let report = match &arguments.plot {
        Some(file) => {
            let all = reports::breakdown::operations_of(run)?;
            plot::write(charts::operations::figures(&operations::operations(&all)), &of_run(file, run))?;
            reports::breakdown::collective(run, &all)
        }
        None => reports::breakdown::analyze(run, arguments.by)?,
    };
    print(report, "report", &arguments.of.print)?;
    Ok(status(run))
}

pub fn waits(arguments: &cli::WaitsArgs) -> Result<u8, Error> {
    let cli::WaitsArgs { engine, of } = arguments;
    match &engine.engine {
        Some(url) => {
            let is_other = of.names.by != NamedBy::Site;
            on_engine(url, &of.of, EngineQuestion::Waits, is_other.then_some("waits by call site"))
        }
        None => printed(&of.of, &RunAnalysis::Waits(of.names.by)),
    }
}

pub fn imbalance(arguments: &cli::ImbalanceArgs) -> Result<u8, Error> {
    match &arguments.engine.engine {
        Some(url) => {
            let is_other = arguments.by != ByPlace::Function;
            on_engine(url, &arguments.of, EngineQuestion::Imbalance, is_other.then_some("imbalance by function"))
        }
        None => printed(&arguments.of, &RunAnalysis::Imbalance(arguments.by)),
    }
}

pub fn progress(arguments: &cli::ProgressArgs) -> Result<u8, Error> {
    if let Some(url) = &arguments.engine.engine {
        let is_other = arguments.by.is_some_and(|by| by != ByEngine::Function) || arguments.plot.is_some();
        return on_engine(url, &arguments.of, EngineQuestion::Progress, is_other.then_some("progress by function"));
    }
    let by = arguments.by.map_or(NamedBy::Site, ByEngine::named_by);
    let run = choose(&arguments.of, Choice { kept: false, ..arguments.of.select.named(by) })?;
    let engines = reports::progress::engines(run);
    if let Some(file) = &arguments.plot {
        plot::write(vec![charts::entry_rates(run, &engines)], &of_run(file, run))?;
    }
    print(reports::progress::report(run, &engines, arguments.by), "progress", &arguments.of.print)?;
    Ok(status(run))
}

/// An analysis without a picture. The exit status is the run's.
pub fn printed(arguments: &cli::OneRun, analysis: &RunAnalysis) -> Result<u8, Error> {
    let choice = Choice { kept: analysis.needs_calls(), ..arguments.select.named(analysis.named_by()) };
    let run = choose(arguments, choice)?;
    print(analysis.report(run)?, analysis.name(), &arguments.print)?;
    Ok(status(run))
}

/// Returns 1 if calls found no partner or messages arrive before they were sent.
pub fn check(arguments: &cli::BySite) -> Result<u8, Error> {
    let run = choose(&arguments.of, arguments.of.select.named(arguments.names.by))?;
    let settled = reports::check::matched(run)?;
    print(reports::check::report(run, &settled), "check", &arguments.of.print)?;
    let account = &settled.account;
    let agree = waits::unmatched(run, account).is_empty() && account.backwards() == 0;
    Ok(if agree || run.is_partial() { status(run) } else { DIFFERENT })
}

pub fn overlap(cli::PlottedBySite { names, plotted: arguments }: &cli::PlottedBySite) -> Result<u8, Error> {
    let run = choose(&arguments.of, arguments.of.select.named(names.by))?;
    let requests = reports::overlap::requests(run)?;
    if let Some(file) = &arguments.plot {
        plot::write(charts::availability::figures(&overlap::messages(&requests)), &of_run(file, run))?;
    }
    print(reports::overlap::report(run, &requests), "overlap", &arguments.of.print)?;
    Ok(status(run))
}

pub fn paths(arguments: &cli::PathsArgs) -> Result<u8, Error> {
    let cli::PathsArgs { hot, flat, depth, least, of } = arguments;
    let least = if *hot { 0.0 } else { *least };
    printed(of, &RunAnalysis::Paths(PathChoice { hot: *hot, flat: *flat, depth: *depth, least }))
}

pub fn network(arguments: &cli::Plotted) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let settled = reports::network::matched(run)?;
    let network = reports::network::network(run, &settled);
    if let Some(file) = &arguments.plot {
        plot::write(charts::network::figures(&network), &of_run(file, run))?;
    }
    print(reports::network::report(run, &settled.account, &network), "network", &arguments.of.print)?;
    Ok(status(run))
}

pub fn fanout(cli::PlottedBySite { names, plotted: arguments }: &cli::PlottedBySite) -> Result<u8, Error> {
    let run = choose(&arguments.of, arguments.of.select.named(names.by))?;
    let rounds = reports::fanout::RunRounds::of(run)?;
    let gathered = rounds.gathered(run);
    if let Some(file) = &arguments.plot {
        plot::write(charts::fanout::figures(&fanout::round_rows(&gathered)), &of_run(file, run))?;
    }
    print(rounds.report(run, &gathered), "fanout", &arguments.of.print)?;
    Ok(status(run))
}

pub fn matrix(arguments: &cli::MatrixArgs) -> Result<u8, Error> {
    if let Some(url) = &arguments.engine.engine {
        let is_other = arguments.comm.is_some() || arguments.only.is_some() || arguments.plot.is_some();
        return on_engine(url, &arguments.of, EngineQuestion::Matrix, is_other.then_some("the matrix of all traffic"));
    }
    let run = choose(&arguments.of, Choice { kept: false, ..arguments.of.select.choice() })?;
    let matrix = matrix::matrix(run, arguments.comm.as_deref(), arguments.only)?;
    if let Some(file) = &arguments.plot {
        draw_matrix(&matrix, &of_run(file, run))?;
    }
    print(reports::matrix::report(run, &matrix), "matrix", &arguments.of.print)?;
    Ok(status(run))
}

/// A picture's file, with a line that names its run.
pub fn of_run(file: &PlotFile, run: &Run) -> PlotFile {
    file.captioned(vec![run_in_words(&rank_programs::command(run.first()), run.size(), &run.folder)])
}

/// A run's program, size and folder.
pub fn run_in_words(command: &str, ranks: u32, folder: &Path) -> String {
    let folder = folder.file_name().map_or(folder.as_os_str(), |name| name);
    format!("{command}, {} ({})", plural(ranks.into(), "rank"), folder.display())
}

/// Draws a heat map of the bytes between ranks.
pub fn draw_matrix(matrix: &Matrix, file: &PlotFile) -> Result<(), Error> {
    let names: Vec<String> = matrix.ranks.iter().map(WorldRank::to_string).collect();
    plot::matrix(&names, matrix.traffic.iter().map(|(places, traffic)| (*places, traffic.total())), file)
}
