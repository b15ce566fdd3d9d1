//! Checks names that are published: crates as Cargo would take them, and the Python package's in every text.

use std::fs;
use std::process::Command;

use examples::workspace;

/// The texts that git knows, with their names.
fn texts() -> Vec<(String, String)> {
    let listed = Command::new("git").current_dir(workspace()).args(["ls-files", "-z"]).output().unwrap();
    let names = String::from_utf8(listed.stdout).unwrap();
    let read = |name: &str| Some((name.to_string(), fs::read_to_string(workspace().join(name)).ok()?));
    names.split_terminator('\0').filter_map(read).collect()
}

/// True if a word of a pip command names the package that others have on PyPI.
fn is_the_others(word: &str) -> bool {
    let name = word.trim_matches(|c: char| "`'\",;:.()\\".contains(c));
    let name = name.split(['=', '<', '>', '[', '~', '!']).next().unwrap_or_default();
    name == "overhear"
}

#[test]
fn nobody_is_told_to_install_the_package_that_others_have_on_pypi() {
    let (mut ran, mut wrong) = (0, Vec::new());
    for (name, text) in texts() {
        for line in text.lines() {
            let Some((_, words)) = line.split_once("pip install").or_else(|| line.split_once("pip3 install")) else {
                continue;
            };
            ran += 1;
            // After a comment sign or the end of the code, the line is prose.
            let words = words.split(['#', '`', '&']).next().unwrap_or_default();
            if words.split_whitespace().any(is_the_others) {
                wrong.push(format!("{name}: {line}"));
            }
        }
    }
    assert!(ran > 3 && wrong.is_empty(), "{wrong:#?}");
    assert!(is_the_others("overhear==0.1") && is_the_others("`overhear`") && !is_the_others("overhear_mpi-*.whl"));
}

#[test]
fn every_recipe_has_the_name_that_is_free() {
    let read = |path: &str| fs::read_to_string(workspace().join(path)).unwrap();
    assert!(read("pyproject.toml").contains("\nname = \"overhear-mpi\"\n"));
    assert!(read("packaging/conda/recipe.yaml").contains("\n  name: overhear-mpi\n"));
    assert!(read("packaging/spack/packages/overhear-mpi/package.py").contains("\nclass OverhearMpi(Package):\n"));
}

/// The test asks the index of crates, and builds nothing: `cargo xtask dist` does that.
#[test]
fn cargo_would_publish_every_crate_that_the_command_and_the_recorder_need() {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(workspace()).args(["publish", "--dry-run", "--workspace", "--no-verify", "--allow-dirty"]);
    let said = cargo.output().unwrap();
    let said = (said.status.success(), String::from_utf8_lossy(&said.stderr).into_owned());
    assert!(said.0, "{}", said.1);
    let uploaded = said.1.lines().filter(|line| line.trim_start().starts_with("Uploading overhear")).count();
    let published =
        texts().iter().filter(|(name, text)| name.ends_with("Cargo.toml") && text.contains("\npublish = true")).count();
    assert!(published > 10);
    assert_eq!(uploaded, published, "{}", said.1);
}
