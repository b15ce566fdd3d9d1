//! `overhear matrix`: who sent how much to whom.

use super::open::open;
use super::print::print;
use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{matrix, overview};
use crate::report::{Report, text};

/// Ranks that a square of bytes has room for in 80 columns.
const SQUARE: usize = 6;

/// Prints the matrix. Returns the exit status.
pub fn run(arguments: &cli::Matrix) -> Result<u8, Error> {
    let run = open(&arguments.folder, arguments.select.choice())?;
    let matrix = matrix::matrix(&run, arguments.comm.as_deref())?;
    if let Some(path) = &arguments.plot {
        crate::report::plot::matrix(&matrix, path)?;
    }
    let pairs = matrix.pairs();
    let mut warnings = Vec::new();
    if matrix.elsewhere.messages > 0 {
        warnings.push(format!(
            "{} messages ({}) went to processes that nothing here tells of",
            matrix.elsewhere.messages,
            text::one(&crate::report::Value::Bytes(matrix.elsewhere.bytes))
        ));
    }
    let square = arguments.print.is_text() && matrix.ranks.len() <= SQUARE && !matrix.traffic.is_empty();
    let tables = if square { vec![matrix.square(), pairs] } else { vec![pairs] };
    let mut facts = overview::facts(&run);
    facts.extend(matrix.facts());
    warnings.extend(overview::warnings(&run));
    print(Report { facts, warnings, tables }, "matrix", &arguments.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
