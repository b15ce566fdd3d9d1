//! Analyses of one run: each reads it, draws what `--plot` asks for, prints a report, and returns the exit status.

use super::open::{choose, open, status};
use super::page;
use super::print::print;
use crate::cli;
use metrics::matrix::{self, Matrix};
use metrics::reports::{self, Breakdown, RunAnalysis};
use metrics::{fanout, operations, overlap, waits};
use model::Choice;
use model::error::{DIFFERENT, Error};
use pictures::charts;
use pictures::plot::{self, PlotFile};
use tables::WorldRank;

pub fn report(arguments: &cli::ReportArgs) -> Result<u8, Error> {
    if let Some(file) = &arguments.html {
        return page::run(file, arguments.force, &arguments.of);
    }
    if let Some(file) = arguments.of.print.page() {
        return page::run(file, true, &arguments.of);
    }
    let choice = Choice { by_region: arguments.by == Breakdown::Region, ..arguments.of.select.choice() };
    if arguments.plot.is_some() && arguments.by != Breakdown::Collective {
        return Err(Error::Setting(
            "report --plot draws collective calls over message size: add --by collective".into(),
        ));
    }
    let run = choose(&arguments.of, choice)?;
    let report = match &arguments.plot {
        Some(file) => {
            let all = reports::breakdown::operations_of(&run)?;
            plot::write(charts::operations::figures(&operations::operations(&all)), file)?;
            reports::breakdown::collective(&run, &all)
        }
        None => reports::breakdown::analyze(&run, arguments.by)?,
    };
    print(report, "report", &arguments.of.print)?;
    Ok(status(&run))
}

pub fn progress(arguments: &cli::ProgressArgs) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let engines = reports::progress::engines(&run);
    if let Some(file) = &arguments.plot {
        plot::entries(&charts::entry_rates(&run, &engines), file)?;
    }
    print(reports::progress::report(&run, &engines, arguments.by), "progress", &arguments.of.print)?;
    Ok(status(&run))
}

/// An analysis that draws nothing, and whose status is that of the run.
pub fn printed(arguments: &cli::OneRun, analysis: &RunAnalysis) -> Result<u8, Error> {
    let run = open(arguments)?;
    print(analysis.report(&run)?, analysis.name(), &arguments.print)?;
    Ok(status(&run))
}

/// Returns 1 if calls found no partner or messages arrive before they were sent.
pub fn check(arguments: &cli::OneRun) -> Result<u8, Error> {
    let run = open(arguments)?;
    let settled = reports::check::matched(&run)?;
    print(reports::check::report(&run, &settled), "check", &arguments.print)?;
    let account = &settled.account;
    let agree = waits::unmatched(&run, account).is_empty() && account.backwards() == 0;
    Ok(if agree || run.is_partial() { status(&run) } else { DIFFERENT })
}

pub fn overlap(arguments: &cli::Plotted) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let requests = reports::overlap::requests(&run)?;
    if let Some(file) = &arguments.plot {
        plot::write(charts::overlap::figures(&overlap::messages(&requests)), file)?;
    }
    print(reports::overlap::report(&run, &requests), "overlap", &arguments.of.print)?;
    Ok(status(&run))
}

pub fn network(arguments: &cli::Plotted) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let settled = reports::network::matched(&run)?;
    let network = reports::network::network(&run, &settled);
    if let Some(file) = &arguments.plot {
        plot::write(charts::network::figures(&network), file)?;
    }
    print(reports::network::report(&run, &settled.account, &network), "network", &arguments.of.print)?;
    Ok(status(&run))
}

pub fn fanout(arguments: &cli::Plotted) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let rounds = reports::fanout::RunRounds::of(&run)?;
    let gathered = rounds.gathered(&run);
    if let Some(file) = &arguments.plot {
        plot::write(charts::fanout::figures(&fanout::round_rows(&gathered)), file)?;
    }
    print(rounds.report(&run, &gathered), "fanout", &arguments.of.print)?;
    Ok(status(&run))
}

pub fn matrix(arguments: &cli::MatrixArgs) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let matrix = matrix::matrix(&run, arguments.comm.as_deref(), arguments.only)?;
    if let Some(file) = &arguments.plot {
        draw_matrix(&matrix, file)?;
    }
    print(reports::matrix::report(&run, &matrix), "matrix", &arguments.of.print)?;
    Ok(status(&run))
}

/// Draws a heat map of the bytes between ranks.
pub fn draw_matrix(matrix: &Matrix, file: &PlotFile) -> Result<(), Error> {
    let names: Vec<String> = matrix.ranks.iter().map(WorldRank::to_string).collect();
    plot::matrix(&names, matrix.traffic.iter().map(|(places, traffic)| (*places, traffic.total())), file)
}
