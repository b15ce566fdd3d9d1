//! Feeds every analysis thousands of randomly damaged runs.

use std::process::Command;

/// Tries `runs` damaged runs, counted from a seed, with and without overflow checks.
pub fn run(runs: u64, seed: u64) -> Result<(), String> {
    for profile in ["dev", "release"] {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["test", "--profile", profile, "--package", "overhear", "--test", "damage"]);
        cargo.env("DAMAGE_RUNS", runs.to_string()).env("DAMAGE_SEED", seed.to_string());
        if !cargo.status().map_err(|error| format!("cargo: {error}"))?.success() {
            return Err("what failed is named above by its seed: cargo xtask damage --runs 1 --seed SEED".into());
        }
    }
    Ok(())
}
