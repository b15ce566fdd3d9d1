//! Measures MPI_Init and MPI_Finalize with many ranks on this machine, in pairs of plain and recorded runs.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use examples::build;
use examples::machine::{target, workspace};
use examples::mpi::{self, Mpi};
use examples::run::{Case, Output, finish};

#[derive(clap::Args)]
pub struct ScaleArgs {
    /// Numbers of ranks
    #[arg(default_values_t = [64, 192, 256])]
    ranks: Vec<u32>,
    /// Pairs of runs for each number
    #[arg(long, default_value_t = 3)]
    pairs: usize,
    /// Only under these MPIs, such as ompi4,mpich5
    #[arg(long, default_value = "ompi4,mpich4")]
    mpi: String,
}

pub fn run(arguments: &ScaleArgs) -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    println!(
        "| MPI | ranks | MPI_Init, plain | recorded | MPI_Finalize, plain | recorded |\n|---|---|---|---|---|---|"
    );
    let libraries = Mpi::all_of(Some(&arguments.mpi));
    for mpi in &libraries {
        let program = compiled(mpi)?;
        for ranks in &arguments.ranks {
            let case = Case { mpi, path: program.clone(), arguments: Vec::new(), ranks: *ranks, variables: Vec::new() };
            let (mut plain, mut recorded) = (Vec::new(), Vec::new());
            for _ in 0..arguments.pairs {
                plain.push(took(&case.plain())?);
                recorded.push(took(&case.recorded("scale").0)?);
            }
            let [init, recorded_init] = [&plain, &recorded].map(|times| median(times.iter().map(|time| time.0)));
            let [end, recorded_end] = [&plain, &recorded].map(|times| median(times.iter().map(|time| time.1)));
            println!("| {} | {ranks} | {init:.0} ms | {recorded_init:.0} | {end:.0} | {recorded_end:.0} |", mpi.name);
        }
    }
    if libraries.is_empty() { Err("no such library is here".into()) } else { Ok(()) }
}

fn compiled(mpi: &Mpi) -> Result<PathBuf, String> {
    let folder = target().join("programs").join(mpi.built_as);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let program = folder.join("start_and_end");
    let source = workspace().join("examples/lab/src/scale/start_and_end.c");
    let mut compile = Command::new(&mpi.compiler);
    mpi.set_environment(&mut compile);
    let output = finish(compile.arg("-O2").arg("-o").arg(&program).arg(source));
    if output.status == 0 { Ok(program) } else { Err(output.stderr) }
}

/// Milliseconds of MPI_Init and of MPI_Finalize, as the program prints them.
fn took(output: &Output) -> Result<(f64, f64), String> {
    let said = output.stdout.lines().find_map(|line| {
        let (init, end) = line.strip_prefix("took ")?.split_once(' ')?;
        Some((init.parse().ok()?, end.parse().ok()?))
    });
    said.ok_or(format!("status {}: {}", output.status, output.stderr))
}

fn median(times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
