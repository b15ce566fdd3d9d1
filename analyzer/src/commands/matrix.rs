//! `overhear matrix`: who sent how much to whom.

use super::open::open;
use super::print::print;
use crate::cli;
use model::error::{Error, OK, PARTIAL};
use metrics::{cost, matrix, overview};
use model::Run;
use pictures::plot::PlotFile;
use tables::schema::Schema;
use tables::{Report, Sheet, WorldRank, plot};

/// Prints the matrix. Returns the exit status.
pub fn run(arguments: &cli::MatrixArgs) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let matrix = matrix::matrix(&run, arguments.comm.as_deref(), arguments.only)?;
    if let Some(path) = &arguments.plot {
        draw(&matrix, path)?;
    }
    print(report(&run, &matrix), "matrix", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// Draws the bytes.
pub fn draw(matrix: &matrix::Matrix, file: &PlotFile) -> Result<(), Error> {
    let names: Vec<String> = matrix.ranks.iter().map(WorldRank::to_string).collect();
    plot::matrix(&names, matrix.traffic.iter().map(|(places, traffic)| (*places, traffic.total())), file)
}

/// Who sent how much to whom.
pub fn report(run: &Run, matrix: &matrix::Matrix) -> Report {
    let tables = matrix.square().map(Sheet::from).into_iter().chain([matrix.pairs().into()]).collect();
    let mut facts = overview::facts(run);
    facts.extend(matrix.facts());
    let warnings = [matrix.warnings(), overview::warnings(run)].concat();
    Report { facts, warnings, tables }
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("matrix").facts(overview::FACTS).facts(cost::FACTS).facts(matrix::FACTS);
    schema.table::<matrix::TrafficRow>()
}
