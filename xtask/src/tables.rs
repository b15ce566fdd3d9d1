//! Tests the recorder's tables by themselves: thread interleavings with loom, memory accesses with valgrind.

use std::process::Command;

use examples::build;
use examples::packages;
use examples::target;
use examples::wheel::run as done;

pub fn run() -> Result<(), String> {
    packages::install(&["valgrind"])?;
    let tests = |kind: &str| {
        let mut cargo = build::cargo();
        // Unoptimized code would take valgrind minutes.
        cargo.args(["test", "--release", "--quiet", "--package", "overhear-core", "--tests", "--target-dir"]);
        cargo.arg(target().join(kind));
        cargo
    };
    done(tests("loom").env("RUSTFLAGS", "--cfg loom"))?;
    done(tests("valgrind").env(runner()?, "valgrind --quiet --error-exitcode=1 --leak-check=no"))
}

/// Cargo's variable for the program that runs tests.
fn runner() -> Result<String, String> {
    let output = Command::new("rustc").args(["--print", "host-tuple"]).output();
    let output = output.map_err(|error| format!("rustc: {error}"))?;
    let host = String::from_utf8_lossy(&output.stdout).trim().replace('-', "_").to_uppercase();
    Ok(format!("CARGO_TARGET_{host}_RUNNER"))
}
