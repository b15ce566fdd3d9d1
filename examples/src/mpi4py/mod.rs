//! Runs mpi4py's own tests, from its source distribution, with the wheel of the same version.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::{target, workspace};
use crate::mpi::Mpi;
use crate::python::{MPI4PY, Python};
use crate::run::{Output, fresh_folder, overhear};
use crate::wheel;

/// Settings of a test run.
#[derive(Clone, Copy, Debug)]
pub struct How<'a> {
    pub ranks: u32,
    /// Loads the extension module's symbols `local` or `global`.
    pub loaded: &'a str,
    /// Arguments of mpi4py's `test/main.py`.
    pub arguments: &'a [&'a str],
    /// Time limit in seconds.
    pub limit: u32,
}

/// Outcomes by rank and test name.
#[derive(Debug)]
pub struct Outcomes {
    /// Output and exit status of the run.
    pub output: Output,
    /// `passed`, `failed`, `error` or `skipped` by test name, for each rank.
    pub ranks: Vec<BTreeMap<String, String>>,
}

/// Installs the wheel, and unpacks the tests under `target/python`.
pub fn bring() -> Result<(), String> {
    Python::install_all()?;
    let folder = folder();
    if folder.is_dir() {
        return Ok(());
    }
    let partial = folder.with_extension("partial");
    let _ = fs::remove_dir_all(&partial);
    fs::create_dir_all(&partial).map_err(|error| format!("{}: {error}", partial.display()))?;
    let requirement = format!("mpi4py=={}", MPI4PY.version);
    eprintln!("bringing the source of {requirement} from PyPI");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "mpi4py", "--dest", "."]);
    wheel::run(pip.arg(&requirement).current_dir(&partial))?;
    let source = format!("mpi4py-{}", MPI4PY.version);
    wheel::run(Command::new("tar").args(["xf", &format!("{source}.tar.gz")]).current_dir(&partial))?;
    // Renamed when complete, so a folder of this name is always whole.
    fs::rename(&partial, &folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn folder() -> PathBuf {
    target().join("python").join(format!("mpi4py-{}", MPI4PY.version))
}

fn tests() -> PathBuf {
    folder().join(format!("mpi4py-{}/test", MPI4PY.version))
}

/// False for the standard ABI, for which the wheel has no module.
pub fn runs_under(mpi: &Mpi) -> bool {
    mpi.built_as != "mpich5abi"
}

/// Runs the tests under a library, recorded into a folder of this name, if one is given.
pub fn run(mpi: &Mpi, how: &How, recorded: Option<&str>) -> Outcomes {
    let python = Python::all().into_iter().next().expect("python3 brought the tests");
    let results = fresh_folder(&format!("{}-mpi4py", mpi.name));
    for rank in 0..how.ranks {
        drop(fs::remove_file(results.with_extension(rank.to_string())));
    }
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", &how.limit.to_string()]);
    if let Some(name) = recorded {
        command.arg(overhear()).arg("record").arg("--dir").arg(fresh_folder(&format!("{}-{name}", mpi.name)));
    }
    command
        .args(mpi.launch(how.ranks))
        .arg(&python.interpreter)
        .arg(workspace().join("examples/src/mpi4py/results.py"));
    command.arg(&results).arg(how.loaded).arg(tests()).args(how.arguments);
    mpi.set_environment(&mut command);
    // Processes that mpi4py.futures starts import the tests, too.
    command.env("PYTHONPATH", format!("{}:{}", python.packages.display(), tests().display()));
    command.env("MPI4PY_MPIABI", if mpi.is_openmpi() { "openmpi" } else { "mpich" });
    command.env("LD_LIBRARY_PATH", library_folder(mpi));
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let status = output.status.code().unwrap_or(-1);
    let output = Output { status, stdout: text(&output.stdout), stderr: text(&output.stderr) };
    Outcomes { output, ranks: (0..how.ranks).map(|rank| read(&results.with_extension(rank.to_string()))).collect() }
}

/// Folder where the wheel finds the library under the name it asks for.
fn library_folder(mpi: &Mpi) -> PathBuf {
    let known = if mpi.is_openmpi() { "libmpi.so.40" } else { "libmpi.so.12" };
    if mpi.library.ends_with(known) {
        return mpi.library.parent().expect("a library is in a folder").to_path_buf();
    }
    let folder = target().join("python").join(mpi.name);
    let _ = fs::create_dir_all(&folder);
    let _ = symlink(&mpi.library, folder.join(known));
    folder
}

fn read(results: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(results).unwrap_or_default();
    let said = text.lines().filter_map(|line| line.split_once(' '));
    said.map(|(outcome, test)| (test.to_string(), outcome.to_string())).collect()
}

/// A test whose outcomes differ in two runs; `None` if it did not run.
#[derive(Debug)]
pub struct Difference {
    /// Rank of the differing outcome.
    pub rank: usize,
    pub test: String,
    first: Option<String>,
    second: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |outcome: &Option<String>| outcome.clone().unwrap_or("not run".into());
        write!(f, "rank {}: {}: {}, then {}", self.rank, self.test, said(&self.first), said(&self.second))
    }
}

impl Outcomes {
    /// Tests whose outcomes differ in the second run.
    pub fn differences(&self, second: &Outcomes) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (rank, (first, second)) in self.ranks.iter().zip(&second.ranks).enumerate() {
            let tests = first.keys().chain(second.keys().filter(|test| !first.contains_key(*test)));
            differences.extend(tests.filter(|test| first.get(*test) != second.get(*test)).map(|test| Difference {
                rank,
                test: test.clone(),
                first: first.get(test).cloned(),
                second: second.get(test).cloned(),
            }));
        }
        differences
    }

    /// Counts the tests with this outcome on rank 0.
    pub fn count(&self, outcome: &str) -> usize {
        self.ranks[0].values().filter(|said| *said == outcome).count()
    }
}
