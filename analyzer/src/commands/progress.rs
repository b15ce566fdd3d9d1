//! `overhear progress`: what the progress engine did.

use super::open::open;
use super::print::print;
use crate::cli::{self, ByEngine};
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{engine, overview};
use crate::model::Run;
use crate::model::engine::{Engine, of_rank};
use crate::parallel;
use crate::report::{Format, Report};

/// Prints the ledger and what follows from it. Returns the exit status.
pub fn run(arguments: &cli::Progress) -> Result<u8, Error> {
    let run = open(&arguments.folder, arguments.select.choice())?;
    let engines = parallel::map(run.ranks.len(), |at| of_rank(&run.ranks[at]));
    if let Some(path) = &arguments.plot {
        crate::report::plot::entries(&run, &engines, path)?;
    }
    let report = report(&run, &engines, arguments.by, arguments.print.format);
    print(report, "progress", &arguments.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

fn report(run: &Run, engines: &[Vec<Engine>], by: Option<ByEngine>, format: Format) -> Report {
    let text = format == Format::Text;
    let mut starved = engine::starved(run, engines);
    if by == Some(ByEngine::Site) {
        starved.most = usize::MAX;
    }
    let tables = match by {
        Some(ByEngine::Rank) => vec![engine::by_rank(run)],
        Some(ByEngine::Component) => vec![engine::components(run)],
        Some(ByEngine::Function) => vec![engine::functions(run)],
        Some(ByEngine::Site) => vec![engine::sites(run), starved],
        None if text => vec![engine::ledger(run), engine::components(run), engine::functions(run), starved],
        None => vec![engine::by_rank(run), engine::components(run), engine::functions(run), starved],
    };
    let tables: Vec<_> = tables.into_iter().filter(|table| by.is_some() || !text || !table.rows.is_empty()).collect();
    let mut facts = overview::facts(run);
    facts.extend(engine::too_often(run));
    let mut warnings = engine::unseen(run);
    if engines.iter().flatten().any(|engine| engine.shared) {
        warnings
            .push("threads completed each other's requests: for those threads nothing is said of pending ones".into());
    }
    warnings.extend(overview::warnings(run));
    Report { facts, warnings, tables }
}
