//! Feeds every analysis thousands of randomly damaged runs.

use std::process::Command;

/// Tries so many, from a seed on: with checks for overflow and without.
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
