//! `overhear report`: where the time of a run went.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use crate::cli::{self, By};
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{breakdown, overview, ranks, where_to};
use crate::model::Run;
use crate::report::{self, Format, Report};

/// Prints the report. Returns the exit status.
pub fn run(arguments: &cli::Report) -> Result<u8, Error> {
    let run = Run::load(&arguments.dir)?;
    let report = report(&run, arguments.by, arguments.format)?;
    print(&report, "report", arguments.format, arguments.output.as_deref())?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

fn report(run: &Run, by: By, format: Format) -> Result<Report, Error> {
    let tables = match by {
        By::Function => vec![breakdown::functions(run)],
        By::Rank if format == Format::Text => {
            let mut tables = vec![ranks::overview(run)];
            tables.extend(ranks::side_by_side(run));
            tables
        }
        By::Rank => vec![ranks::rank_functions(run), ranks::overview(run)],
        By::OneRank(rank) => vec![ranks::alone(run, rank)?],
        By::Communicator => vec![where_to::communicators(run)],
        By::Site => vec![where_to::sites(run)],
        By::Size => vec![where_to::sizes(run)],
        By::Peer => vec![where_to::peers(run)],
        By::Thread => vec![where_to::threads(run)],
    };
    let mut warnings = overview::warnings(run);
    if by == By::Site {
        warnings.extend(unresolved(run));
    }
    Ok(Report { facts: overview::facts(run), warnings, tables })
}

/// Why call sites are not named.
pub fn unresolved(run: &Run) -> impl Iterator<Item = String> {
    run.sites.unresolved.iter().map(|reason| format!("call sites stay numbers: {reason}"))
}

/// Prints a report to stdout or a file.
pub fn print(report: &Report, name: &str, format: Format, output: Option<&std::path::Path>) -> Result<(), Error> {
    let path = output.unwrap_or(std::path::Path::new("stdout"));
    let failed = |source: io::Error| Error::Write { path: path.into(), source };
    let mut out: Box<dyn Write> = match output {
        Some(path) => Box::new(BufWriter::new(File::create(path).map_err(failed)?)),
        None => Box::new(io::stdout().lock()),
    };
    let printed = match format {
        Format::Text => report::text::print(report, &mut out),
        Format::Json => report::json::print(report, name, &mut out),
        Format::Csv => report::csv::print(report, &mut out),
        #[cfg(feature = "parquet")]
        Format::Parquet => report::parquet::print(report, &mut out),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => {
            let how = "this overhear was built without Parquet: cargo build --release --features overhear/parquet";
            return Err(Error::Other(how.into()));
        }
    };
    match printed.and_then(|()| out.flush()) {
        // The reader of a pipe has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(failed),
    }
}
