//! Plants errors into the recorder's ABI tables, one at a time: the tests of every rotation must notice each.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use examples::build;
use examples::program::ABI_SENSITIVE;
use examples::run::{TESTED, overhear};
use examples::wheel::run as done;
use examples::{rota, target, workspace};

/// A file of `interposer/src/abi/`, its text, and the error.
const ERRORS: [(&str, &str, &str); 12] = [
    ("openmpi", "source_at: 0", "source_at: 4"),
    ("openmpi", "count: CountAt::Word(16)", "count: CountAt::Word(8)"),
    ("openmpi", "in_place: 1", "in_place: 3"),
    ("openmpi", "proc_null: -2", "proc_null: -7"),
    ("mpich", "tag_at: 12", "tag_at: 8"),
    ("mpich", "count: CountAt::Split(0)", "count: CountAt::Split(4)"),
    ("mpich", "any_source: -2", "any_source: -7"),
    ("mpich", "request_null: 0x2c00_0000", "request_null: 0x2c00_0001"),
    ("standard", "source_at: 0", "source_at: 4"),
    ("standard", "status_size: STATUS_SIZE", "status_size: 24"),
    ("standard", "any_tag: -2", "any_tag: -7"),
    ("standard", "proc_null: -3", "proc_null: -7"),
];

/// After these every program has run under every MPI.
const ROTATIONS: usize = 7;

/// Plants each error, and runs the ABI-sensitive programs in each rotation. Fails if one of them misses an error.
pub fn run() -> Result<(), String> {
    let tests: Vec<String> = ABI_SENSITIVE.iter().map(|name| format!("{name}_is_recorded_as_it_states")).collect();
    let source = copy_of_the_workspace()?;
    let mut missed = Vec::new();
    println!("abi       error                           rotations that notice  tests that do");
    for (abi, right, wrong) in ERRORS {
        let folder = planted(&source, abi, right, wrong)?;
        let failed =
            (0..ROTATIONS).map(|rotation| failing(&folder, &tests, rotation)).collect::<Result<Vec<_>, String>>()?;
        let noticed = failed.iter().filter(|tests| !tests.is_empty()).count();
        let names: BTreeSet<&str> =
            failed.iter().flatten().filter_map(|test| test.split("_is_recorded").next()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        println!("{abi:8}  {wrong:30}  {noticed:9} of {ROTATIONS:8}  {}", names.join(" "));
        if noticed < ROTATIONS {
            missed.push(format!("{abi}: {wrong}"));
        }
    }
    if missed.is_empty() { Ok(()) } else { Err(format!("not noticed in every rotation: {}", missed.join(", "))) }
}

/// Copies the files that git tracks, to be changed.
fn copy_of_the_workspace() -> Result<PathBuf, String> {
    build::overhear()?;
    let copy = target().join("abi-errors/source");
    fs::create_dir_all(&copy).map_err(|error| format!("{}: {error}", copy.display()))?;
    let script = "git ls-files -z | xargs -0 cp --parents --target-directory \"$0\"";
    done(Command::new("sh").args(["-c", script]).arg(&copy).current_dir(workspace()))?;
    Ok(copy)
}

/// Builds the recorder with an error. Returns a folder with it and the command.
fn planted(source: &Path, abi: &str, right: &str, wrong: &str) -> Result<PathBuf, String> {
    let name = Path::new("interposer/src/abi").join(abi).with_extension("rs");
    let (original, changed) = (workspace().join(&name), source.join(&name));
    let text = fs::read_to_string(&original).map_err(|error| format!("{}: {error}", original.display()))?;
    if text.matches(right).count() != 1 {
        return Err(format!("{} does not have `{right}` once: name another error in abi_errors.rs", name.display()));
    }
    let write = |text: &str| fs::write(&changed, text).map_err(|error| format!("{}: {error}", changed.display()));
    write(&text.replace(right, wrong))?;
    let built = target().join("abi-errors/built");
    let mut cargo = build::cargo();
    cargo.args(["build", "--release", "--quiet", "--package", "overhear-interposer", "--target-dir"]).arg(&built);
    cargo.args(["--config", "profile.release.package.overhear-interposer.codegen-units=16"]);
    let compiled = done(cargo.current_dir(source));
    write(&text)?;
    compiled?;
    let folder = target().join("abi-errors/tested");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let library = built.join("release/liboverhear.so");
    for (from, name) in [(overhear(), "overhear"), (library, "liboverhear.so")] {
        fs::copy(&from, folder.join(name)).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    Ok(folder)
}

fn failing(folder: &Path, tests: &[String], rotation: usize) -> Result<BTreeSet<String>, String> {
    let mut cargo = build::cargo();
    cargo.args(["test", "--quiet", "--package", "overhear-examples", "--test", "programs", "--", "--test-threads=2"]);
    cargo.args(["--format", "pretty"]);
    cargo.env(TESTED, folder).env(rota::TESTS, tests.join(",")).env(rota::ROTATION, rotation.to_string());
    let output = cargo.stderr(Stdio::null()).output().map_err(|error| format!("{cargo:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let failed = |line: &str| Some(line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?.trim().to_string());
    Ok(text.lines().filter_map(failed).collect())
}
