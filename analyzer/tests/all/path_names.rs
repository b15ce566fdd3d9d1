//! Calls are named by who calls them: by the line, by the caller outside the layer, or by the whole path.

use serde_json::{Value, json};
use traces::calls::Call;
use traces::definitions::CalledFrom::{Site as From, Start};
use traces::signature::Signature;

use crate::common::Folder;
use crate::common::call_paths::{
    PLANTED, PlantedSite, calling, in_json, nanoseconds, planted, planted_definitions, printed, text, write_names,
};
use crate::common::made::{Calls, on_nobody};

/// Call site, function and time of each row of `report --by`, in nanoseconds.
fn sites(folder: &Folder, arguments: &[&str]) -> Vec<(String, String, i64)> {
    let report = in_json(folder, &[&["report", "--by"], arguments].concat());
    let row = |row: &Value| (text(row, "site").into(), text(row, "function").into(), nanoseconds(row, "time_total_s"));
    report["sites"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn calls_of_the_layer_are_named_by_who_called_it() {
    let folder = planted();
    let named = |site: &str, function: &str, time: i64| (site.to_string(), function.to_string(), time);
    let send = |site: &str| [named(site, "MPI_Send", 3_000), named(site, "MPI_Recv", 1_000)];
    let [sent, received] = send("solve (solver.c:50)");
    let sum = named("comm_sum (comm.c:12)", "MPI_Allreduce", 11_000);
    assert_eq!(sites(&folder, &["site"]), [sum.clone(), sent.clone(), received.clone()]);
    let solved = named("solve (solver.c:41)", "MPI_Allreduce", 7_000);
    let written = named("checkpoint (output.c:7)", "MPI_Allreduce", 4_000);
    assert_eq!(sites(&folder, &["caller"]), [solved, written, sent.clone(), received.clone()]);
    // Only the named functions are the layer.
    let inside = named("comm_all (comm.c:30)", "MPI_Allreduce", 11_000);
    assert_eq!(sites(&folder, &["caller", "--layer", "comm_s*"]), [inside, sent, received]);
    let path = |of: &str| format!("main:{of} > comm_all:30 > comm_sum:12");
    let [sent, received] = send("main:88 > solve:50");
    let solved = named(&path("88 > solve:41"), "MPI_Allreduce", 7_000);
    let written = named(&path("90 > checkpoint:7"), "MPI_Allreduce", 4_000);
    assert_eq!(sites(&folder, &["path"]), [solved, written, sent, received]);
}

#[test]
fn waits_name_the_path_of_who_waits_and_of_who_is_late() {
    let folder = planted();
    for (by, solve, checkpoint) in [
        ("site", "comm.c:12", "comm.c:12"),
        ("caller", "solver.c:41", "output.c:7"),
        (
            "path",
            "main:88 > solve:41 > comm_all:30 > comm_sum:12",
            "main:90 > checkpoint:7 > comm_all:30 > comm_sum:12",
        ),
    ] {
        let report = in_json(&folder, &["waits", "--by", by]);
        let rows = report["waits"].as_array().unwrap().iter().filter(|row| row["wait_state"] == "wait_at_nxn");
        let row = |row: &Value| {
            (row["rank"].as_u64(), text(row, "site").into(), text(row, "cause_site").into(), nanoseconds(row, "wait_s"))
        };
        let rows: Vec<(Option<u64>, String, String, i64)> = rows.map(row).collect();
        let row = |rank, site: &str, time| (Some(rank), site.to_string(), site.to_string(), time);
        assert_eq!(rows, [row(0, solve, 5_000), row(1, checkpoint, 2_000)]);
    }
}

#[test]
fn diff_compares_paths_where_that_is_asked_for() {
    let (a, b) = (planted(), planted());
    let text = printed("diff", &a.0, &[b.0.to_str().unwrap(), "--whole", "--by", "path"]);
    let row = "main:90 > checkpoint:7 > comm_all:30 > comm_sum:12 MPI_Allreduce";
    let row = text.lines().find_map(|line| line.strip_prefix(row)).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(row.split_whitespace().take(3).collect::<Vec<_>>(), ["2.000", "2.000", "1.00"]);
}

#[test]
fn both_sides_leave_out_the_layer_that_one_side_alone_shows() {
    // Only in B do two places call `comm_all`.
    let (a, b) = (calling(&PLANTED[..3], &[1]), calling(PLANTED, &[1, 4]));
    let text = printed("diff", &a.0, &[b.0.to_str().unwrap(), "--whole", "--by", "caller"]);
    let sites: Vec<&str> = text.lines().filter_map(|line| line.split_once(" MPI_Barrier ")).map(|row| row.0).collect();
    assert!(sites.contains(&"solve (solver.c:41)") && sites.contains(&"checkpoint (output.c:7)"), "{text}");
    assert!(!text.contains("comm.c"), "{text}");
}

#[test]
fn functions_of_a_source_file_that_has_only_wrappers_are_the_layer_though_one_place_calls_them() {
    let sum: &[(&str, &str, u32)] = &[("comm_sum", "comm.c", 12)];
    let sites: &[PlantedSite] = &[
        (1, From(2), sum),
        (2, From(3), &[("solve", "solver.c", 41)]),
        (3, Start, &[("main", "main.c", 88)]),
        (4, From(5), sum),
        (5, From(3), &[("solve", "solver.c", 45)]),
        (6, From(7), &[("comm_halo", "comm.c", 20)]),
        (7, From(3), &[("solve", "solver.c", 50)]),
        // A function of its own file, which one place calls, is who calls.
        (8, From(9), &[("checkpoint", "output.c", 7)]),
        (9, Start, &[("main", "main.c", 90)]),
    ];
    let named = sites_of(&calling(sites, &[1, 4, 6, 8]));
    let expected = ["checkpoint (output.c:7)", "solve (solver.c:41)", "solve (solver.c:45)", "solve (solver.c:50)"];
    assert_eq!(named, expected);
}

#[test]
fn findings_name_both_lines_where_a_wrapper_stands_in_the_file_of_its_callers() {
    const BESIDE: &[(&str, &str, u32)] = &[("sum", "solver.c", 12)];
    const APART: &[(&str, &str, u32)] = &[("sum", "comm.c", 12)];
    const CALLERS: [PlantedSite; 3] = [
        (2, From(3), &[("solve", "solver.c", 41)]),
        (3, Start, &[("main", "solver.c", 88)]),
        (5, From(3), &[("check", "solver.c", 60)]),
    ];
    const IN_ONE_FILE: &[PlantedSite] =
        &[CALLERS[0], CALLERS[1], CALLERS[2], (1, From(2), BESIDE), (4, From(5), BESIDE)];
    const IN_TWO_FILES: &[PlantedSite] =
        &[CALLERS[0], CALLERS[1], CALLERS[2], (1, From(2), APART), (4, From(5), APART)];
    for (sites, line, callers) in [(IN_ONE_FILE, "solver.c:12", "solver.c:41"), (IN_TWO_FILES, "solver.c:41", "")] {
        let folder = Folder::new();
        for rank in 0..2 {
            let mut calls = Calls::default();
            for step in 1..=20 {
                // Rank 1 computes four times as long as rank 0.
                let (sum, at) =
                    (Signature { site: 1, sent: 8, received: 8, ..on_nobody(Call::Allreduce) }, step * 45_000_000);
                let late = 20_000_000 * rank;
                calls = calls.call(sum, at + 2_000_000 + late, 20_010_000 - late);
            }
            calls = calls.call(Signature { site: 4, ..on_nobody(Call::Barrier) }, 960_000_000, 5_000);
            calls.defines(planted_definitions(sites)).write(&folder, rank as u32, 2);
        }
        write_names(&folder, sites);
        let found = in_json(&folder, &["diagnose"]);
        let first = &found["findings"][0];
        assert_eq!((&first["sites"], &first["callers"]), (&json!(line), &json!(callers)), "{found}");
    }
}

/// The call sites of `report --by caller`, in order.
fn sites_of(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = sites(folder, &["caller"]).into_iter().map(|row| row.0).collect();
    names.sort();
    names
}
