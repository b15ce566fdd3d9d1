//! `overhear scaling` finds the growth that was planted.

use std::path::Path;
use std::process::Command;

use crate::common::Folder;
use crate::common::growing::{Grows, run, run_of};
use serde_json::Value;
use traces::calls::Call;

fn scaling(runs: &[Folder], more: &[&str]) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    command.arg("scaling").args(runs.iter().map(|run| &run.0)).args(more).args(["--format", "json"]);
    let output = command.output().unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn what_was_made_to_grow_is_found_to_grow_so() {
    let runs: Vec<Folder> = [2, 4, 8, 16, 32, 64].into_iter().map(run).collect();
    let (status, said) = scaling(&runs, &[]);
    assert_eq!(status, 0, "{said:#}");
    let model = |function: &str| said["models"].as_array().unwrap().iter().find(|row| row["function"] == function);
    let planted = [
        ("MPI_Barrier", "log p", 200e-6, 50e-6),
        ("MPI_Alltoall", "p", 100e-6, 20e-6),
        ("MPI_Reduce", "constant", 700e-6, 0.0),
        ("MPI_Allgather", "1/p", 0.0, 30e-3),
    ];
    for (function, term, constant, factor) in planted {
        let model = model(function).unwrap();
        assert_eq!(model["term"], term, "{model:#}");
        let [was, grew] = ["constant_s", "factor_s"].map(|key| model[key].as_f64().unwrap());
        assert!((was - constant).abs() < 1e-6 && (grew - factor).abs() < 1e-6, "{model:#}");
    }
    let ahead = said["run"]["dominates"].as_str().unwrap();
    assert_eq!(ahead, "at 640 ranks MPI_Alltoall takes longest", "{said:#}");
}

#[test]
fn nothing_is_foretold_by_a_short_call_or_while_a_longer_one_fits_no_model() {
    let at = |planted: &[Grows]| {
        let runs: Vec<Folder> = [2, 4, 8, 16, 32].into_iter().map(|ranks| run_of(ranks, planted)).collect();
        let (_, said) = scaling(&runs, &[]);
        (said["run"]["dominates"].as_str().map(String::from), said["warnings"].to_string())
    };
    let steady: Grows = (Call::Allreduce, |_| 5_000.0);
    let erratic: Grows = (Call::Allreduce, |ranks| if ranks.log2() % 2.0 == 0.0 { 5_000.0 } else { 50_000.0 });
    // 0.1 ms of the second at 32 ranks, and 10 ms at 320.
    let short: Grows = (Call::Barrier, |ranks| ranks * ranks / 10.24);
    let (dominates, warnings) = at(&[steady, short]);
    assert_eq!(dominates.as_deref(), Some("at 320 ranks MPI_Allreduce takes longest"));
    assert!(!warnings.contains("no model"), "{warnings}");
    let (dominates, warnings) = at(&[erratic, (Call::Alltoall, |ranks| 50.0 * ranks)]);
    assert_eq!(dominates, None);
    assert!(warnings.contains("no model fits MPI_Allreduce (5.0 %)"), "{warnings}");
}

#[test]
fn computation_that_grows_as_the_ranks_do_is_asked_whether_each_rank_has_its_own() {
    let runs = [run(2), run(4), run(8)];
    let asks = |more: &[&str]| scaling(&runs, more).1["warnings"].to_string().contains("use --weak");
    assert_eq!([asks(&[]), asks(&["--weak"])], [true, false]);
}

#[test]
fn the_efficiencies_are_relative_to_the_fewest_ranks() {
    let runs = [run(8), run(2), run(4)];
    let (_, said) = scaling(&runs, &[]);
    let percent = |metric: &str, ranks: u64| {
        let is = |row: &&Value| row["metric"] == metric && row["ranks"] == ranks;
        said["pop"].as_array().unwrap().iter().find(is).unwrap()["percent"].as_f64().unwrap()
    };
    assert_eq!(percent("computation scalability", 2), 100.0);
    // Each of eight ranks computes as long as each of two did.
    let scalability = percent("computation scalability", 8);
    assert!((scalability - 25.0).abs() < 1e-6, "{said:#}");
    let global = percent("parallel efficiency", 8) * scalability / 100.0;
    assert!((percent("global efficiency", 8) - global).abs() < 1e-6, "{said:#}");
    let (_, weak) = scaling(&runs, &["--weak"]);
    let rows = weak["pop"].as_array().unwrap().iter();
    let scalability = rows.filter(|row| row["metric"] == "computation scalability");
    assert!(scalability.map(|row| row["percent"].as_f64().unwrap()).all(|percent| percent > 95.0), "{weak:#}");
}

#[test]
fn runs_of_one_number_of_ranks_make_no_model_and_say_so() {
    let (status, said) = scaling(&[run(2), run(2)], &[]);
    assert_eq!((status, said["models"].as_array().unwrap().len()), (0, 0));
    assert!(said["warnings"].to_string().contains("a model needs three"), "{said:#}");
}

#[test]
fn call_paths_have_the_times_that_report_prints_for_them() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/solver");
    let json = |words: &[&str]| -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
        command.args(words).arg(&run).args(["--by", "path", "--no-cache", "--format", "json"]);
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
    };
    let (scaling, report) = (json(&["scaling"]), json(&["report"]));
    let times = scaling["times"].as_array().unwrap();
    for site in report["sites"].as_array().unwrap() {
        let name = format!("{} at {}", site["function"].as_str().unwrap(), site["site"].as_str().unwrap());
        let row = times.iter().find(|row| row["function"] == name.as_str()).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(row["time_mean_s"], site["time_mean_s"], "{name}");
    }
    assert_eq!(times.len(), 2 + report["sites"].as_array().unwrap().len());
}
