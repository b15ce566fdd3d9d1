//! Python interpreters with mpi4py.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::target;
use crate::mpi::Mpi;
use crate::run::Case;
use crate::wheel::Wheel;

/// The tested version.
pub const MPI4PY: Wheel = Wheel::of("mpi4py", "4.1.2", "mpi4py/__init__.py");

/// Libraries that mpi4py's modules for MPICH's and Open MPI's ABI are linked with.
const NEEDED: [&str; 2] = ["libmpi.so.12", "libmpi.so.40"];

pub struct Python {
    pub interpreter: PathBuf,
    /// Folder of its mpi4py.
    pub packages: PathBuf,
}

impl Python {
    /// Interpreters that the variable `TEST_PYTHON` names, separated by commas; `python3` by default.
    pub fn all() -> Vec<Python> {
        let names = std::env::var("TEST_PYTHON").unwrap_or("python3".into());
        names.split(',').filter_map(|name| Python::of(Path::new(name))).collect()
    }

    /// Installs mpi4py for all interpreters.
    pub fn install_all() -> Result<(), String> {
        Python::all().iter().try_for_each(|python| MPI4PY.install_for(&python.interpreter, &python.packages))
    }

    fn of(name: &Path) -> Option<Python> {
        // The program on the path may be a script that looks for an interpreter.
        let ask = "import sys; print(sys.executable); print(sys.implementation.cache_tag)";
        let answer = Command::new(name).args(["-c", ask]).output().ok()?;
        let answer = String::from_utf8(answer.stdout).ok()?;
        let (interpreter, tag) = answer.trim().split_once('\n')?;
        let packages = target().join("mpi").join(format!("mpi4py-{}-{tag}", MPI4PY.version));
        Some(Python { interpreter: interpreter.into(), packages })
    }

    /// True if mpi4py has a module for the library.
    pub fn fits(mpi: &Mpi) -> bool {
        mpi.library.file_name().and_then(|name| name.to_str()).is_some_and(|name| NEEDED.contains(&name))
    }

    /// A Python program on `ranks` ranks of a library. `None` if mpi4py has no module for it.
    pub fn case<'a>(&self, program: &Path, mpi: &'a Mpi, ranks: u32) -> Option<Case<'a>> {
        let proof = self.packages.join(MPI4PY.proof);
        assert!(proof.exists(), "{} is not here: run cargo xtask test, which brings it", proof.display());
        let name = mpi.library.file_name()?.to_str().filter(|_| Python::fits(mpi))?;
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
