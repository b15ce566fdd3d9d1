//! `liboverhear.a`, for programs that are statically linked with MPI.
//!
//! In: the interposer, built as an archive. Out: the same with nothing visible but the functions of MPI, so that it goes
//! together with whatever is in the program. Functions that some MPI lacks are members of their own: the linker
//! takes those that the program calls.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::build::{cargo, put_together};
use examples::target;
use examples::wheel::run;
use traces::calls::{Call, Reach};

/// Makes it. Returns where it is.
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
    // It is linked with Cargo's own file, which has to stay.
    fs::remove_file(&archive).map_err(|error| format!("{}: {error}", archive.display()))?;
    run(Command::new("ar").arg("rcs").arg(&archive).args(objects))?;
    put_together("release", "liboverhear.a")?;
    Ok(archive)
}

fn is_core(call: &Call) -> bool {
    call.row().reach == Reach::Core && !call.is_large()
}

/// The symbol of a function's wrapper.
fn wrapper(call: Call) -> String {
    if is_core(&call) { call.mpi_name() } else { format!("overhear_{}", call.mpi_name()) }
}

/// All but the members, as one object that defines wrappers and nothing else.
fn recorder(archive: &Path, folder: &Path) -> Result<PathBuf, String> {
    let (whole, object, visible) = (folder.join("whole.o"), folder.join("overhear.o"), folder.join("visible"));
    let regions = ["overhear_begin", "overhear_end"].map(String::from);
    let symbols: Vec<String> = Call::all().map(wrapper).chain(regions).collect();
    write(&visible, &symbols.join("\n"))?;
    let wanted = symbols.iter().map(|symbol| format!("--undefined={symbol}"));
    run(Command::new("ld").args(["-r", "--gc-sections"]).args(wanted).arg("-o").arg(&whole).arg(archive))?;
    let keep = format!("--keep-global-symbols={}", visible.display());
    // The bitcode of several objects, one after another, is none: the linker's plugin would end the link.
    let bitcode = ["--remove-section=.llvmbc", "--remove-section=.llvmcmd"];
    run(Command::new("objcopy").args(["--strip-debug", &keep]).args(bitcode).arg(&whole).arg(&object))?;
    Ok(object)
}

/// An object for each function that some MPI lacks.
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

/// A function that goes on to its wrapper, with the program's return address, and asks for the one of MPI.
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
