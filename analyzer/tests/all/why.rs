//! `overhear why`: its tables add up to each other, and the first row is the cause that a program states, which sleeps in place of work.

use std::path::Path;

use examples::fixture;
use serde_json::Value;

use crate::common::Folder;
use crate::common::recorded::{ask, recorded};

fn sum(rows: &[Value], column: &str) -> f64 {
    rows.iter().map(|row| row[column].as_f64().unwrap_or(0.0)).sum()
}

/// The tables of a run's causes, kinds, places and ranks, which must add up.
fn tables(run: &Path, name: &str) -> [Vec<Value>; 4] {
    let answer = ask(run, "why", &["--no-cache"]);
    let tables = ["causes", "kinds", "places", "ranks"].map(|table| answer.rows(table).to_vec());
    let [causes, kinds, places, ranks] = &tables;
    let life = answer.fact("rank_time_s");
    let near = |one: f64, other: f64, what: &str| {
        assert!((one - other).abs() <= 1e-9 * life.max(1.0), "{name}, {what}: {one} and {other} of {life} s");
    };
    near(sum(kinds, "time_s"), life, "kinds");
    near(sum(places, "time_s"), life, "places");
    near(sum(ranks, "time_s") / ranks.len().max(1) as f64, life, "ranks");
    let waiting: Vec<Value> = kinds.iter().filter(|row| row["kind"] == "waiting").cloned().collect();
    near(sum(causes, "waited_s"), sum(&waiting, "time_s"), "causes");
    for row in ranks {
        let shares = row.as_object().unwrap().iter().filter(|(key, _)| key.ends_with("_percent"));
        let all: f64 = shares.map(|(_, share)| share.as_f64().unwrap_or(0.0)).sum();
        assert!(row["time_s"] == 0.0 || (all - 100.0).abs() < 1e-6, "{name}: {row}");
    }
    tables
}

#[test]
fn tables_of_every_recorded_run_add_up_to_each_other() {
    let mut ran = 0;
    for name in fixture::diagnosis_names() {
        let folder = Folder::new();
        let fixture = fixture::unpack(&name, &folder.0.join("run"));
        tables(&fixture.run, &name);
        ran += 1;
    }
    assert!(ran > 20, "{ran} runs");
}

#[test]
fn the_first_cause_is_the_planted_one() {
    for (name, rank, place, because) in [
        ("late_rank", 1, "late_rank.c:12", "asleep, 3.0 x"),
        ("checkpoint", 0, "checkpoint.c:12 to 16", "asleep, only it"),
        ("serial_work", 0, "serial_work.c:13 to 16", "asleep, only it"),
        ("slow_file", 0, "slow_file.c:19", "file access"),
        ("border_ranks", 0, "border_ranks.c:14", "asleep, only it"),
        ("poll_loop", 0, "poll_loop.c:15", "asleep, only it"),
        ("chain", 0, "chain.c:23 to 26", "asleep"),
    ] {
        let folder = Folder::new();
        let fixture = fixture::unpack(&format!("{}/{name}-ompi4", fixture::DIAGNOSIS), &folder.0.join("run"));
        let [causes, ..] = tables(&fixture.run, name);
        let first = &causes[0];
        assert_eq!((first["rank"].as_i64(), first["site"].as_str()), (Some(rank), Some(place)), "{name}: {first}");
        assert_eq!(first["because"].as_str(), Some(because), "{name}: {first}");
    }
}

/// Numbers of the iterations that took longer, the longest first, with the rank and the site that the command names.
fn longer(run: &Path) -> Vec<(u64, Option<u64>, String)> {
    let answer = ask(run, "why", &["--no-cache"]);
    let row = |row: &Value| {
        (row["iteration"].as_u64().unwrap(), row["rank"].as_u64(), row["site"].as_str().unwrap().to_string())
    };
    answer.rows("iterations").iter().map(row).collect()
}

#[test]
fn the_iterations_in_which_a_program_does_more_are_found_without_a_marker() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/solver");
    let mut found = longer(&sample);
    found.sort();
    // It computes a norm every twentieth time.
    let one = |number| (number, Some(0), "solver.c:16".to_string());
    assert_eq!(found, [one(20), one(40), one(60)]);
    let folder = Folder::new();
    let fixture = fixture::unpack(&format!("{}/checkpoint-ompi4", fixture::DIAGNOSIS), &folder.0.join("run"));
    let mut five: Vec<_> = longer(&fixture.run).into_iter().take(5).collect();
    five.sort();
    let one = |number| (number, Some(0), "checkpoint.c:12 to 16".to_string());
    assert_eq!(five, [one(9), one(19), one(29), one(39), one(49)]);
    // Its halves meet in every tenth step.
    let folder = Folder::new();
    let fixture = fixture::unpack(&format!("{}/slow_member-ompi4", fixture::DIAGNOSIS), &folder.0.join("run"));
    let mut found: Vec<_> = longer(&fixture.run).into_iter().take(4).collect();
    found.sort();
    let one = |number| (number, Some(3), "slow_member.c:16 to 14".to_string());
    assert_eq!(found, [one(9), one(19), one(29), one(39)]);
    // Rank 0 gathers and writes in every fortieth.
    let folder = Folder::new();
    let fixture = fixture::unpack(&format!("{}/checkpoint_by_root-ompi4", fixture::HELD_OUT), &folder.0.join("run"));
    let found: Vec<_> = longer(&fixture.run).into_iter().filter(|found| found.2.ends_with(".c:47 to 40")).collect();
    assert!(
        found.len() > 2 && found.iter().all(|(number, rank, _)| number % 40 == 39 && *rank == Some(0)),
        "{found:?}"
    );
    // The rows that are left to eliminate become fewer.
    let folder = Folder::new();
    let fixture = fixture::unpack(&format!("{}/gauss_blocks-ompi4", fixture::HELD_OUT), &folder.0.join("run"));
    let growth = ask(&fixture.run, "why", &["--no-cache"]).json["run"]["iteration_growth"].as_f64().unwrap();
    assert!(growth < 0.1, "{growth}");
}

#[test]
fn the_rank_with_most_to_do_is_the_cause_of_all_that_others_wait() {
    for fixture in recorded("imbalance") {
        let [causes, ..] = tables(&fixture.run, "imbalance");
        let of_rank: Vec<Value> = causes.iter().filter(|row| row["rank"] == 3).cloned().collect();
        let named: Vec<Value> = causes.iter().filter(|row| !row["rank"].is_null()).cloned().collect();
        assert!(sum(&of_rank, "waited_s") > 0.95 * sum(&named, "waited_s"), "{causes:?}");
    }
}
