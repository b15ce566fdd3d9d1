//! Runs programs with threads and the recorder under ThreadSanitizer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::build;
use examples::mpi::{self, Mpi};
use examples::program::Program;
use examples::run::fresh_folder;
use examples::target;
use examples::wheel::run as done;

/// A library that works under ThreadSanitizer: UCX, in Debian's MPICH, does not.
const LIBRARY: &str = "mpich5";
const PROGRAMS: [&str; 3] = ["threads", "short_threads", "handed_over"];

/// Builds recorder and programs with ThreadSanitizer, runs them, and fails at a race with the recorder's code in it.
/// Programs also run beside an ordinary recorder, as users' do: ThreadSanitizer then sees the recorder's calls of the C
/// library, such as `memcpy`, but none of its atomics.
///
/// ThreadSanitizer knows the locks of Rust's standard library only as far as they are inlined here. The rest could
/// cause a false alarm; so far it has not.
pub fn run() -> Result<(), String> {
    mpi::install_all()?;
    let mpi = Mpi::named(LIBRARY).ok_or_else(|| format!("{LIBRARY} is not here"))?;
    let (host, runtime) = runtime()?;
    let recorders = [("built with it", recorder(&host)?), ("ordinary", ordinary_recorder()?)];
    println!("program        recorder       ranks  races  of ours");
    let mut ours = Vec::new();
    for name in PROGRAMS {
        let program = Program::read(name);
        let built = compile(&mpi, &program, &runtime)?;
        for (kind, library) in &recorders {
            let races = races(&mpi, &program, &built, library)?;
            let own: Vec<&String> = races.iter().filter(|race| race.contains("liboverhear.so")).collect();
            println!("{name:13}  {kind:13}  {:5}  {:5}  {:7}", program.ranks, races.len(), own.len());
            ours.extend(own.into_iter().map(|race| format!("{name}, recorder {kind}: {race}")));
        }
    }
    if ours.is_empty() { Ok(()) } else { Err(format!("ThreadSanitizer found\n{}", ours.join("\n"))) }
}

/// rustc's target, and its ThreadSanitizer library.
fn runtime() -> Result<(String, PathBuf), String> {
    let ask = |argument: &[&str]| {
        let output = Command::new("rustc").args(argument).output().map_err(|error| format!("rustc: {error}"))?;
        Ok::<String, String>(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let host = ask(&["--print", "host-tuple"])?;
    let libraries = PathBuf::from(ask(&["--print", "target-libdir"])?);
    Ok((host, libraries.join("librustc-stable_rt.tsan.a")))
}

/// Builds the recorder with instrumented reads and writes.
fn recorder(host: &str) -> Result<PathBuf, String> {
    let folder = target().join("races");
    let mut cargo = build::cargo();
    cargo.args(["build", "--release", "--quiet", "--package", "overhear-interposer", "--features", "races"]);
    cargo.args(["--target", host, "--target-dir"]).arg(&folder);
    // Sanitizers are unstable, but the stable compiler has all they need.
    cargo.env("RUSTC_BOOTSTRAP", "1");
    cargo.env("RUSTFLAGS", "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer");
    done(&mut cargo)?;
    Ok(folder.join(host).join("release/liboverhear.so"))
}

/// Builds the recorder without optimization, which would turn small calls of `memcpy` and `memset` into instructions.
fn ordinary_recorder() -> Result<PathBuf, String> {
    done(build::cargo().args(["build", "--quiet", "--package", "overhear-interposer"]))?;
    Ok(target().join("debug/liboverhear.so"))
}

fn compile(mpi: &Mpi, program: &Program, runtime: &Path) -> Result<PathBuf, String> {
    let built = target().join("races").join(&program.name);
    let object = built.with_extension("o");
    let compiler = |arguments: &[&str]| {
        let mut compiler = Command::new(&mpi.compiler);
        mpi.set_environment(&mut compiler);
        compiler.arg("-g").args(arguments);
        compiler
    };
    done(compiler(&["-O1", "-w", "-fsanitize=thread", "-c"]).arg(&program.source).arg("-o").arg(&object))?;
    // The recorder takes the ThreadSanitizer functions it calls from the program: the runtime of C compilers lacks
    // some.
    let mut linker = compiler(&["-rdynamic", "-Wl,--whole-archive"]);
    linker.arg(runtime).args(["-Wl,--no-whole-archive", "-o"]).arg(&built).arg(&object);
    done(linker.args(["-lpthread", "-ldl", "-lm"]))?;
    Ok(built)
}

/// ThreadSanitizer's reports on a run, one per race.
fn races(mpi: &Mpi, program: &Program, built: &Path, library: &Path) -> Result<Vec<String>, String> {
    let (said, run) = (fresh_folder("races-said"), fresh_folder("races"));
    fs::create_dir_all(&said).map_err(|error| format!("{}: {error}", said.display()))?;
    let words = mpi.launch(program.ranks);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(["env", &format!("LD_PRELOAD={}", library.display())]).arg(built);
    mpi.set_environment(&mut command);
    command.env("OVERHEAR_DIR", run).env("TSAN_OPTIONS", format!("exitcode=0 log_path={}/race", said.display()));
    done(&mut command)?;
    let files = fs::read_dir(&said).into_iter().flatten().flatten();
    let text: String = files.filter_map(|file| fs::read_to_string(file.path()).ok()).collect();
    Ok(text.split("WARNING: ThreadSanitizer").skip(1).map(String::from).collect())
}
