//! Records the two runs in `traces/samples` anew.

use std::fs;
use std::path::Path;
use std::process::Command;

use examples::mpi::{self, Mpi};
use examples::run::overhear;
use examples::wheel::run as done;
use examples::workspace;

use crate::build;

/// Where the program runs: its path is in the samples.
const PLACE: &str = "/tmp/overhear-samples";

/// Open MPI over TCP, and MPICH.
const SAMPLES: [(&str, &str, &[&str]); 2] = [
    ("integer_sort-openmpi", "ompi4", &["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]),
    ("integer_sort-mpich", "mpich4", &[]),
];

/// Records an integer sort on 4 ranks for each. Needs root, for a host name that is nobody's.
pub fn run() -> Result<(), String> {
    mpi::install_all()?;
    build::overhear()?;
    let io = |error: std::io::Error| error.to_string();
    fs::create_dir_all(PLACE).map_err(io)?;
    for (name, library, flags) in SAMPLES {
        let mpi = Mpi::named(library).ok_or_else(|| format!("{library} is not here"))?;
        let folder = workspace().join("traces/samples").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(workspace().join("traces/samples")).map_err(io)?;
        fs::copy(build::benchmarks(&mpi)?.join("integer_sort"), Path::new(PLACE).join("integer_sort")).map_err(io)?;
        record(&mpi, flags)?;
        done(Command::new("cp").arg("-r").arg(Path::new(PLACE).join("run")).arg(&folder))?;
        // Where sources lay is of no use to others; their names are.
        let sites = fs::read_to_string(folder.join("sites.json")).map_err(io)?;
        let home = std::env::var("HOME").unwrap_or_default();
        let sites = sites.replace(&format!("{}/", workspace().display()), "").replace(&format!("{home}/.cargo/"), "");
        fs::write(folder.join("sites.json"), sites).map_err(io)?;
        done(Command::new(overhear()).arg("report").arg(&folder))?;
    }
    fs::remove_dir_all(PLACE).map_err(io)
}

fn record(mpi: &Mpi, flags: &[&str]) -> Result<(), String> {
    let _ = fs::remove_dir_all(Path::new(PLACE).join("run"));
    let mut words = vec![overhear().display().to_string(), "record".into(), "--dir".into(), "run".into()];
    let mut launch = mpi.launch(4);
    launch.splice(1..1, flags.iter().map(|flag| flag.to_string()));
    words.extend(launch);
    // Few enough buckets and keys that a sample stays small, often enough that there is something to see.
    words.extend(["./integer_sort", "--keys", "18", "--iterations", "20"].map(String::from));
    let mut command = Command::new("unshare");
    command.args(["--uts", "sh", "-c", "echo node1 >/proc/sys/kernel/hostname; exec \"$@\"", "sh"]).args(words);
    mpi.set_environment(&mut command);
    done(command.current_dir(PLACE))
}
