//! Repeats the five papers that define this project's measurements: runs each benchmark under every installed MPI,
//! compares its output with its trace, and lists what could not be done.

mod availability;
mod collectives;
mod fan_out;
mod page;
mod processor;
mod progress_engine;
mod setting;
mod swaps;

use examples::build;
use examples::mpi;

use setting::Setting;

/// Writes a paper's page.
type Study = fn(&[Setting]) -> Result<(), String>;

const STUDIES: [(&str, Study); 5] = [
    ("availability", availability::write),
    ("fan-out", fan_out::write),
    ("swaps", swaps::write),
    ("collectives", collectives::write),
    ("progress", progress_engine::write),
];

/// Writes all pages, or one.
pub fn run(only: Option<&str>) -> Result<(), String> {
    let names = STUDIES.map(|(name, _)| name).join(", ");
    if let Some(name) = only.filter(|name| !STUDIES.iter().any(|(other, _)| other == name)) {
        return Err(format!("there is no page {name}: there are {names}"));
    }
    mpi::install_all()?;
    build::overhear()?;
    page::prepare()?;
    let settings = setting::all()?;
    for (name, study) in STUDIES {
        if only.is_none_or(|only| only == name) {
            study(&settings)?;
        }
    }
    Ok(())
}
