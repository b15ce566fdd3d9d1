//! A demonstration from scratch: the first screen and the page of an integer sort on 4 ranks.

use std::process::Command;

use examples::build;
use examples::mpi;
use examples::run::{fresh_folder, overhear};
use examples::wheel::run as done;

/// Installs an MPI unless there is one, builds, records, shows the first screen and writes the page.
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
    done(Command::new(overhear()).arg(&folder))?;
    let page = folder.with_extension("html");
    done(Command::new(overhear()).arg("report").arg(&folder).arg("--force").arg("--html").arg(&page))?;
    println!("\nThe run is in {}, and all of it on a page that a browser opens: {}", folder.display(), page.display());
    Ok(())
}
