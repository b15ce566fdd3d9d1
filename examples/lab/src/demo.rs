//! The demo: from nothing to a breakdown of an integer sort on 4 ranks.

use std::process::Command;

use examples::build;
use examples::mpi;
use examples::run::{fresh_folder, overhear};
use examples::wheel::run as done;

/// Finds an MPI or brings one, builds, records and reports.
pub fn run() -> Result<(), String> {
    let mpi = mpi::install_one()?;
    build::overhear()?;
    let program = build::benchmarks(&mpi)?.join("integer_sort");
    let folder = fresh_folder("demo");
    let mut record = Command::new(overhear());
    record.arg("record").arg("--dir").arg(&folder).args(mpi.launch(4)).arg(program);
    mpi.set_environment(&mut record);
    done(&mut record)?;
    println!();
    done(Command::new(overhear()).arg("report").arg(&folder))?;
    println!("\nThe run is in {}; to see more of it:", folder.display());
    println!("  {} report --by rank {}", overhear().display(), folder.display());
    Ok(())
}
