//! Interpreters of Python, with mpi4py.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::target;
use crate::mpi::Mpi;
use crate::run::Case;
use crate::wheel::Wheel;

/// The version that is brought.
pub const MPI4PY: Wheel = Wheel::of("mpi4py", "4.1.2", "mpi4py/__init__.py");

/// The names by which mpi4py's modules, which are built for MPICH's ABI and for Open MPI's, ask for MPI.
const NEEDED: [&str; 2] = ["libmpi.so.12", "libmpi.so.40"];

/// One interpreter.
pub struct Python {
    /// Its path.
    pub interpreter: PathBuf,
    /// Where mpi4py for it is.
    pub packages: PathBuf,
}

impl Python {
    /// Those that the variable `TEST_PYTHON` names, separated by commas, or `python3`.
    pub fn all() -> Vec<Python> {
        let names = std::env::var("TEST_PYTHON").unwrap_or("python3".into());
        names.split(',').filter_map(|name| Python::of(Path::new(name))).collect()
    }

    /// Brings mpi4py for all of them.
    pub fn install_all() -> Result<(), String> {
        Python::all().iter().try_for_each(|python| MPI4PY.install_for(&python.interpreter, &python.packages))
    }

    fn of(name: &Path) -> Option<Python> {
        // What is on the path may be a script that looks for one.
        let ask = "import sys; print(sys.executable); print(sys.implementation.cache_tag)";
        let answer = Command::new(name).args(["-c", ask]).output().ok()?;
        let answer = String::from_utf8(answer.stdout).ok()?;
        let (interpreter, tag) = answer.trim().split_once('\n')?;
        let packages = target().join("mpi").join(format!("mpi4py-{}-{tag}", MPI4PY.version));
        Some(Python { interpreter: interpreter.into(), packages })
    }

    /// A program with so many ranks under a library. `None` where mpi4py's modules do not run under it.
    pub fn case<'a>(&self, program: &Path, mpi: &'a Mpi, ranks: u32) -> Option<Case<'a>> {
        let proof = self.packages.join(MPI4PY.proof);
        assert!(proof.exists(), "{} is not here: run cargo xtask test, which brings it", proof.display());
        let name = mpi.library.file_name()?.to_str().filter(|name| NEEDED.contains(name))?;
        let folder = mpi.library.with_file_name("");
        let set = |name: &str, value: &Path| (name.to_string(), value.display().to_string());
        Some(Case {
            mpi,
            path: self.interpreter.clone(),
            arguments: vec![program.display().to_string()],
            ranks,
            variables: vec![
                set("PYTHONPATH", &self.packages),
                set("LD_LIBRARY_PATH", &folder),
                set("MPI4PY_LIBMPI", &folder.join(name)),
            ],
        })
    }
}
