//! Recorded runs, each packed into one file with its program's statements and measurements: `analyzer/tests` analyzes
//! them without MPI.
//!
//! A fixture is a compressed archive of `run/`, the recording, `program/`, the source it was built from, and `stderr`,
//! the program's output. So later edits of the source do not move the recording's lines.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::machine::workspace;
use crate::program::Program;
use crate::run::Run;

const ENDING: &str = ".tar.gz";

/// Programs without a fixture: thousands of threads or signatures make a recording of megabytes.
pub const TOO_LARGE: [&str; 2] = ["many_sizes", "many_threads"];

pub struct Fixture {
    pub program: Program,
    pub stderr: String,
    pub run: PathBuf,
}

pub fn folder() -> PathBuf {
    workspace().join("analyzer/tests/fixtures")
}

/// Program and library of each fixture, as `late_sender-ompi4`.
pub fn names() -> Vec<String> {
    names_in(&folder())
}

/// Fixtures of programs with a planted cause, as `diagnosis/late_rank-ompi4`.
pub fn diagnosis_names() -> Vec<String> {
    names_in(&folder().join(DIAGNOSIS)).iter().map(|name| format!("{DIAGNOSIS}/{name}")).collect()
}

/// Subfolder of the fixtures of programs with a planted cause.
pub const DIAGNOSIS: &str = "diagnosis";

/// Fixtures of held-out programs, as `held_out/slow_master-ompi4`.
pub fn held_out_names() -> Vec<String> {
    names_in(&folder().join(HELD_OUT)).iter().map(|name| format!("{HELD_OUT}/{name}")).collect()
}

/// Subfolder of the fixtures of held-out programs.
pub const HELD_OUT: &str = "held_out";

fn names_in(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |file: fs::DirEntry| Some(file.file_name().to_str()?.strip_suffix(ENDING)?.to_string());
    let mut names: Vec<String> = files.filter_map(name).collect();
    names.sort();
    names
}

/// Packs a run. Returns the size in bytes.
pub fn pack(name: &str, program: &Program, run: &Run, stderr: &str) -> io::Result<u64> {
    let file = fs::File::create(folder().join(name).with_added_extension(&ENDING[1..]))?;
    let mut archive = tar::Builder::new(GzEncoder::new(file, Compression::best()));
    let mut add = |path: String, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, bytes)
    };
    for (folder, files) in [("run", files_of(&run.folder)?), ("program", program.sources())] {
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            add(format!("{folder}/{name}"), &elsewhere(fs::read(&file)?))?;
        }
    }
    add("stderr".into(), &elsewhere(stderr.into()))?;
    Ok(archive.into_inner()?.finish()?.metadata()?.len())
}

fn files_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(folder)?.map(|file| Ok(file?.path())).collect::<io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// Replaces the path of this workspace, which is private, by one of the same length, so sizes and offsets stay right.
fn elsewhere(mut bytes: Vec<u8>) -> Vec<u8> {
    let here = workspace().into_os_string().into_encoded_bytes();
    let other: Vec<u8> = b"/overhear".iter().copied().chain(std::iter::repeat(b'/')).take(here.len()).collect();
    let mut at = 0;
    while at + here.len() <= bytes.len() {
        match bytes[at..].starts_with(&here) {
            true => bytes[at..at + here.len()].copy_from_slice(&other),
            false => at += 1,
        }
    }
    bytes
}

/// Unpacks a fixture into an empty folder. Panics if that fails: we packed it.
pub fn unpack(name: &str, into: &Path) -> Fixture {
    let _ = fs::remove_dir_all(into);
    let path = folder().join(name).with_added_extension(&ENDING[1..]);
    let file = fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let unpacked = tar::Archive::new(GzDecoder::new(file)).unpack(into);
    unpacked.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = name.rsplit_once('/').map_or(name, |(_, file)| file);
    let program = file.rsplit_once('-').map_or(file, |(program, _)| program);
    Fixture {
        program: Program::read_in(&into.join("program"), program),
        stderr: fs::read_to_string(into.join("stderr")).expect("a fixture has it"),
        run: into.join("run"),
    }
}
