//! Unchanged programs of Debian packages: with and without the recorder they must end alike, give the same results, and
//! have reports that add up.

mod execution;
mod programs;
mod verdict;

use examples::build;
use examples::mpi::{self, Mpi};
use examples::packages;
use examples::run::{Run, fresh_folder};

use execution::{Execution, Results};
use programs::{PROGRAMS, PackagedProgram};
use verdict::Figures;

/// A line of the summary.
struct TableLine {
    program: &'static PackagedProgram,
    mpi: &'static str,
    judged: Judged,
}

enum Judged {
    /// The program is missing, or fails without the recorder.
    LeftOut(String),
    Run {
        plain_s: f64,
        recorded_s: f64,
        figures: Figures,
        faults: Vec<String>,
    },
}

/// Runs programs whose names contain `name`, and prints a summary.
pub fn run(name: Option<&str>) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    let wanted = |program: &&PackagedProgram| name.is_none_or(|name| program.name.contains(name));
    let mut lines = Vec::new();
    for program in PROGRAMS.iter().filter(wanted) {
        for &mpi in program.mpi {
            eprintln!("{} under {mpi}", program.name);
            let judged = judge(program, mpi).unwrap_or_else(Judged::LeftOut);
            lines.push(TableLine { program, mpi, judged });
        }
    }
    print(&lines);
    let faulty = lines.iter().filter(|line| matches!(&line.judged, Judged::Run { faults, .. } if !faults.is_empty()));
    match faulty.count() {
        0 => Ok(()),
        count => Err(format!("{count} rows are at fault, see above")),
    }
}

/// Runs a program without the recorder, then with it.
fn judge(program: &'static PackagedProgram, mpi: &str) -> Result<Judged, String> {
    let mpi = Mpi::named(mpi).ok_or_else(|| format!("{mpi} is not here"))?;
    packages::install(&program.packages(&mpi))?;
    let place = Execution::of(program, &mpi);
    let plain = place.run(None)?;
    if plain.status != 0 {
        return Err(format!("ends with status {} without us: {}", plain.status, plain.stderr));
    }
    let run = Run { folder: fresh_folder(&place.name()) };
    let recorded = place.run(Some(&run.folder))?;
    let mut faults = Vec::new();
    if let Some(difference) = plain.difference(&recorded) {
        faults.push(difference);
        faults
            .extend(place.run(None)?.difference(&plain).map(|_| "it differs between two runs without us, too".into()));
    }
    let figures = match run.files().is_empty() {
        false => verdict::judge(program, &run, &mut faults),
        true => {
            faults.push(format!("nothing was recorded: {}", recorded.stderr));
            Figures::default()
        }
    };
    let seconds = |results: &Results| results.elapsed.as_secs_f64();
    Ok(Judged::Run { plain_s: seconds(&plain), recorded_s: seconds(&recorded), figures, faults })
}

fn print(lines: &[TableLine]) {
    println!(
        "{:16} {:6} {:>5} {:>8} {:>8} {:>8} {:>8} {:>9} {:>8}  verdict",
        "program", "MPI", "ranks", "plain s", "traced s", "calls", "in MPI %", "matched %", "trace kB"
    );
    for TableLine { program, mpi, judged } in lines {
        let start = format!("{:16} {mpi:6} {:>5}", program.name, program.ranks);
        let Judged::Run { plain_s, recorded_s, figures, faults } = judged else {
            println!("{start} left out, see below");
            continue;
        };
        let matched = figures.matched_percent.map_or("-".into(), |percent| format!("{percent:.1}"));
        let verdict = if faults.is_empty() { "same" } else { "see below" };
        println!(
            "{start} {plain_s:>8.2} {recorded_s:>8.2} {:>8} {:>8.1} {matched:>9} {:>8}  {verdict}",
            figures.calls,
            figures.in_mpi_percent,
            figures.trace_bytes / 1000,
        );
    }
    for TableLine { program, mpi, judged } in lines {
        let what = match judged {
            Judged::LeftOut(reason) => std::slice::from_ref(reason),
            Judged::Run { faults, .. } => faults,
        };
        for what in what {
            println!("{} under {mpi}: {what}", program.name);
        }
    }
}
