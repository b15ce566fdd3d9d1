//! `overhear plot`: draws a table.

use std::path::PathBuf;
use std::slice;

use super::one_run::{self, run_in_words};
use super::open_run::open_run;
use super::print::check_overwrite;
use super::scaling::ComparedRuns;
use crate::cli::{self, PlotKind};
use metrics::words::plural;
use metrics::{compare, fanout, matrix, operations, overlap, reports, scaling};
use model::error::{Error, OK, PARTIAL};
use model::matching::{Follow, settled};
use model::{Choice, Run};
use pictures::charts;
use pictures::plot::{self, Drawing, PlotFile};

pub fn run(arguments: &cli::PlotArgs) -> Result<u8, Error> {
    let (file, choice) = (&arguments.output, arguments.select.choice());
    check_overwrite(file.path(), arguments.force)?;
    let is_partial = match (arguments.kind, arguments.dirs.as_slice()) {
        (PlotKind::Diff, []) => of_both([&arguments.a, &arguments.b], &choice, file)?,
        (PlotKind::Diff, [a, b]) => of_both([slice::from_ref(a), slice::from_ref(b)], &choice, file)?,
        (kind, []) => return Err(wrong_number(kind, arguments.a.len() + arguments.b.len())),
        (PlotKind::Scaling, folders) => of_scaling(folders, &choice, file)?,
        (kind, [folder]) => {
            let run = open_run(Some(folder), choice)?;
            of_one(&run, kind, &one_run::of_run(file, &run))?;
            run.is_partial()
        }
        (kind, folders) => return Err(wrong_number(kind, folders.len())),
    };
    Ok(if is_partial { PARTIAL } else { OK })
}

fn of_one(run: &Run, kind: PlotKind, file: &PlotFile) -> Result<(), Error> {
    match kind {
        PlotKind::Breakdown => {
            let account = run.records_calls().then(|| settled(run, Follow::empty()).account);
            plot::write(vec![charts::ranks(run, account.as_ref()), charts::times(run)], file)
        }
        PlotKind::Imbalance => plot::write(vec![charts::imbalance(run)], file),
        PlotKind::Sizes => plot::write(charts::sizes(run), file),
        PlotKind::Waits => {
            run.needs_calls("plot waits")?;
            let settled = settled(run, Follow::SPANS);
            let over_time = charts::waits_over_time(run, &settled);
            plot::write(vec![Drawing::from(charts::wait_states(run, &settled.account)), over_time.into()], file)
        }
        PlotKind::Pop => {
            let (_, efficiency, phases) = reports::pop::efficiencies(run)?;
            plot::write(charts::efficiency(&efficiency, phases), file)
        }
        PlotKind::Matrix => one_run::draw_matrix(&matrix::matrix(run, None, None)?, file),
        PlotKind::Progress => plot::write(vec![charts::entry_rates(run, &reports::progress::engines(run))], file),
        PlotKind::Availability => {
            plot::write(charts::availability::figures(&overlap::messages(&reports::overlap::requests(run)?)), file)
        }
        PlotKind::Network => {
            let settled = reports::network::matched(run)?;
            plot::write(charts::network::figures(&reports::network::network(run, &settled)), file)
        }
        PlotKind::Fanout => {
            let rounds = reports::fanout::RunRounds::of(run)?;
            plot::write(charts::fanout::figures(&fanout::round_rows(&rounds.gathered(run))), file)
        }
        PlotKind::Collectives => {
            let all = reports::breakdown::operations_of(run)?;
            plot::write(charts::operations::figures(&operations::operations(&all)), file)
        }
        PlotKind::Diff | PlotKind::Scaling => Err(wrong_number(kind, 1)),
    }
}

fn wrong_number(kind: PlotKind, given: usize) -> Error {
    let needs = match kind {
        PlotKind::Diff => "two runs, A and B",
        PlotKind::Scaling => "runs that are named before it",
        _ => "one run",
    };
    let were = if given == 1 { "was" } else { "were" };
    Error::Setting(format!("plot {} draws {needs}, but {given} {were} given", kind.name()))
}

/// Time and efficiency over ranks. Returns true if some of the data is missing.
fn of_scaling(folders: &[PathBuf], choice: &Choice, file: &PlotFile) -> Result<bool, Error> {
    let name = |at: usize| folders[at].display().to_string();
    let runs = ComparedRuns::read(folders, choice, name, compare::figures)?;
    let programs = scaling::programs(&runs.figures);
    let caption = match programs.as_slice() {
        [program] => {
            let command = runs.figures[0].command.as_str();
            let is_alike = runs.figures.iter().all(|run| run.command == command);
            let name = if is_alike { command } else { program };
            let ranks: Vec<String> = runs.figures.iter().map(|run| run.ranks.to_string()).collect();
            vec![format!("{name}, {} of {} ranks", plural(ranks.len() as u64, "run"), ranks.join(", "))]
        }
        _ => vec![format!("Different programs, whose times do not compare: {}", programs.join("; "))],
    };
    plot::write(
        charts::growth(&scaling::grown(&runs.figures, false, reports::ByPlace::Function)),
        &file.captioned(caption),
    )?;
    Ok(runs.is_partial)
}

/// Two sides, of one run or several each, by function. Returns true if some of the data is missing.
fn of_both(sides: [&[PathBuf]; 2], choice: &Choice, file: &PlotFile) -> Result<bool, Error> {
    let read = |folders: &[PathBuf]| {
        let name = |at: usize| folders[at].display().to_string();
        ComparedRuns::read(folders, choice, name, |run| {
            let mut figures = compare::figures(run);
            figures.add_computation(run);
            figures
        })
    };
    let [of_a, of_b] = sides;
    let (a, b) = (read(of_a)?, read(of_b)?);
    let is_partial = a.is_partial || b.is_partial;
    let mut caption = Vec::new();
    for (name, side, folders) in [("A", &a, of_a), ("B", &b, of_b)] {
        let first = &side.figures[0];
        let run = run_in_words(&first.command, first.ranks, &folders[0]);
        let more = match folders.len() - 1 {
            0 => String::new(),
            more => format!(", and {}", plural(more as u64, "more run")),
        };
        caption.push(format!("{name}: {run}{more}"));
    }
    let command = &a.figures[0].command;
    if a.figures.iter().chain(&b.figures).any(|run| run.command != *command) {
        caption.push("The commands of A and B differ.".into());
    }
    let file = &file.captioned(caption);
    plot::write(vec![charts::differences(&compare::compare(a.figures, b.figures).all)], file)?;
    Ok(is_partial)
}
