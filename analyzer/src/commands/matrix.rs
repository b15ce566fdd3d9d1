//! `overhear matrix`: who sent how much to whom.

use super::open::open;
use super::print::print;
use crate::cli;
use metrics::matrix::{Matrix, matrix};
use metrics::reports;
use model::error::{Error, OK, PARTIAL};
use pictures::plot::{self, PlotFile};
use tables::WorldRank;

/// Prints the matrix. Returns the exit status.
pub fn run(arguments: &cli::MatrixArgs) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let matrix = matrix(&run, arguments.comm.as_deref(), arguments.only)?;
    if let Some(path) = &arguments.plot {
        draw(&matrix, path)?;
    }
    print(reports::matrix::report(&run, &matrix), "matrix", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// Draws the bytes.
pub fn draw(matrix: &Matrix, file: &PlotFile) -> Result<(), Error> {
    let names: Vec<String> = matrix.ranks.iter().map(WorldRank::to_string).collect();
    plot::matrix(&names, matrix.traffic.iter().map(|(places, traffic)| (*places, traffic.total())), file)
}
