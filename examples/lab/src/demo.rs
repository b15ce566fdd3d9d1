//! A demonstration from scratch: the first screen and the page of an integer sort, on as many ranks as there are cores.

use std::process::Command;
use std::thread;

use examples::program::Program;
use examples::run::{fresh_folder, overhear};
use examples::wheel::run as done;
use examples::{build, mpi, workspace};

/// A sort on one rank sends nothing.
const LEAST: usize = 2;

/// Installs an MPI unless there is one, builds, records, shows the first screen and writes the page.
pub fn run() -> Result<(), String> {
    let mpi = mpi::install_one()?;
    build::released()?;
    let program = Program::read_in(&workspace().join("examples/demo"), "bucket_sort").build(&mpi);
    let ranks = thread::available_parallelism().map_or(LEAST, |cores| cores.get().max(LEAST)) as u32;
    let folder = fresh_folder("demo");
    let mut record = Command::new(overhear());
    record.arg("record").arg("--dir").arg(&folder).args(mpi.launch(ranks)).arg(program);
    mpi.set_environment(&mut record);
    done(&mut record)?;
    println!();
    done(Command::new(overhear()).arg(&folder))?;
    let page = folder.with_extension("html");
    done(Command::new(overhear()).arg("report").arg(&folder).arg("--force").arg("--html").arg(&page))?;
    println!("\nThe run is in {}, and all of it on a page that a browser opens: {}", folder.display(), page.display());
    Ok(())
}
