//! Builds `liboverhear.a`, for programs linked statically with MPI.
//!
//! In: the interposer, built as an archive. Out: an archive that exports MPI functions only, so it links with any
//! program. Functions that some MPI lacks are separate members: the linker takes those that the program calls.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::build::{cargo, put_together};
use examples::target;
use examples::wheel::run;
use traces::calls::{Call, Reach};

/// Builds the archive. Returns its path.
pub fn make() -> Result<PathBuf, String> {
    run(cargo().args(["rustc", "--release", "--quiet", "--package", "overhear-interposer"]).args([
        "--features",
        "archive",
        "--crate-type",
        "staticlib",
    ]))?;
    let archive = target().join("release/liboverhear.a");
    let folder = target().join("archive");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut objects = vec![recorder(&archive, &folder)?];
    objects.extend(members(&folder)?);
    // Cargo hard-links it to its own file, which must stay.
    fs::remove_file(&archive).map_err(|error| format!("{}: {error}", archive.display()))?;
    run(Command::new("ar").arg("rcs").arg(&archive).args(objects))?;
    put_together("release", "liboverhear.a")?;
    Ok(archive)
}

fn is_core(call: &Call) -> bool {
    call.row().reach == Reach::Core && !call.is_large()
}

/// Symbol of a function's wrapper.
fn wrapper(call: Call) -> String {
    if is_core(&call) { call.mpi_name() } else { format!("overhear_{}", call.mpi_name()) }
}

/// Everything but the members, as one object that exports wrappers only.
fn recorder(archive: &Path, folder: &Path) -> Result<PathBuf, String> {
    let (whole, object, visible) = (folder.join("whole.o"), folder.join("overhear.o"), folder.join("visible"));
    let regions = ["overhear_begin", "overhear_end"].map(String::from);
    let symbols: Vec<String> = Call::all().map(wrapper).chain(regions).collect();
    write(&visible, &symbols.join("\n"))?;
    let wanted = symbols.iter().map(|symbol| format!("--undefined={symbol}"));
    run(Command::new("ld").args(["-r", "--gc-sections"]).args(wanted).arg("-o").arg(&whole).arg(archive))?;
    let keep = format!("--keep-global-symbols={}", visible.display());
    // Concatenated bitcode of several objects is invalid, and the linker's plugin would fail.
    let bitcode = ["--remove-section=.llvmbc", "--remove-section=.llvmcmd"];
    run(Command::new("objcopy").args(["--strip-debug", &keep]).args(bitcode).arg(&whole).arg(&object))?;
    Ok(object)
}

/// One object for each function that some MPI lacks.
fn members(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut objects = Vec::new();
    let mut compiler = Command::new("cc");
    compiler.arg("-c").current_dir(folder);
    for call in Call::all().filter(|call| !is_core(call)) {
        let source = folder.join(call.mpi_name()).with_extension("s");
        write(&source, &member(call))?;
        objects.push(source.with_extension("o"));
        compiler.arg(source);
    }
    run(&mut compiler)?;
    Ok(objects)
}

/// Assembler for a function that jumps to its wrapper, with the program's return address, and references the PMPI
/// function.
fn member(call: Call) -> String {
    let (name, wrapper) = (call.mpi_name(), wrapper(call));
    let jump = if cfg!(target_arch = "x86_64") { "jmp" } else { "b" };
    format!(
        "    .text\n    .globl {name}\n    .type {name},%function\n{name}:\n    {jump} {wrapper}\n    .size {name},.-{name}\n\
         \x20   .section .data.rel.ro.overhear,\"aw\",%progbits\n    .quad P{name}\n\
         \x20   .section .note.GNU-stack,\"\",%progbits\n"
    )
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
