//! Analyses reconstruct overlap as programs measure it in the same run.

use crate::common::agreement::{
    Compared, Differences, agree_everywhere, agree_in_every_row, differences_of_waiting, recorded,
};
use crate::common::{both_families, in_rust, that_run, under_each};
use examples::answer::number;
use examples::launch_turns::alone;
use examples::loops::{LOOPS, LoopSizes, compare};
use examples::mpi::Mpi;
use examples::program::Program;
use examples::run::Case;
use serde_json::{Value, json};

/// Allowed difference of overheads: a share, and seconds.
const OVERHEAD: (f64, f64) = (0.05, 0.3e-6);
/// Allowed difference of availability, in percentage points; of short messages, [`OVERHEAD`]'s share of their transfer.
const AVAILABILITY: f64 = 3.0;

#[test]
fn overhead_and_availability_are_reconstructed_as_the_program_measures_them() {
    agree_everywhere(compared);
}

/// Sizes and directions with different or unknown figures.
fn compared(mpi: &Mpi, variables: &[(&str, &str)]) -> Compared {
    let words = ["--json", "--min-bytes", "256", "--max-bytes", "262144"].map(String::from);
    let case = Case { arguments: words.into(), ranks: 2, ..in_rust("post_work_wait", mpi) };
    let (output, run) = recorded(case, variables, "post_work_wait");
    let measured: Value = serde_json::from_str(&output).unwrap();
    let said = run.ask("overlap", &["--rank", "0"]);
    let mut compared = Compared::default();
    for row in measured["rows"].as_array().unwrap() {
        let found =
            said.matching("messages", &[("traffic", row["direction"].clone()), ("size_bytes", row["bytes"].clone())]);
        let [found] = found[..] else { panic!("{}: {row} is {found:#?}", mpi.name) };
        let key = format!("{} {}", row["direction"], row["bytes"]);
        compared.rows += 1;
        if let Some(difference) = difference(row, found) {
            compared.differences.insert(key, difference);
        } else if found["overhead_s"].is_null() || found["availability_percent"].is_null() {
            compared.unknown.insert(key);
        }
    }
    assert_eq!(compared.rows, 22);
    compared
}

/// Describes the differences between the trace's figures and the program's.
fn difference(measured: &Value, said: &Value) -> Option<String> {
    let (program, trace) = (number(measured, "overhead_s"), said["overhead_s"].as_f64()?);
    // The program sees the recorder's work, too; the trace says how much that is.
    let (least, recording) = (OVERHEAD.1 + OVERHEAD.0 * program.abs(), number(said, "recording_s"));
    let points = AVAILABILITY.max(100.0 * (least + recording) / number(measured, "transfer_s"));
    let of_program = number(measured, "availability_percent").clamp(0.0, 100.0);
    // Without a figure there is no difference.
    let available = said["availability_percent"].as_f64().unwrap_or(of_program);
    let is_as_measured =
        (trace - least..=trace + least + recording).contains(&program) && (available - of_program).abs() <= points;
    (!is_as_measured).then(|| {
        let figures = ["transfer_s", "overhead_s", "availability_percent"];
        let line = |row: &Value| figures.map(|figure| row[figure].to_string()).join(", ");
        format!("{} and not {}", line(said), line(measured))
    })
}

#[test]
fn a_wait_right_after_the_post_is_told_from_a_postponed_one_with_and_without_progress() {
    let program = Program::read("false_overlap");
    let site = |mark: &str| format!("false_overlap.c:{}", program.line_marked(mark, "MPI_Irecv"));
    let differences = |mpi: &Mpi| -> Differences {
        let (_, run) = recorded(Case::of(&program, mpi), &[], "false_overlap");
        let said = run.ask("overlap", &["--rank", "0"]);
        differences_of_waiting(&said, 10, site)
    };
    for mpi in that_run(&program) {
        agree_in_every_row(mpi.name, || differences(&mpi));
    }
}

#[test]
fn requests_that_mpi_is_asked_about_are_known_to_be_complete_before_the_program_waits_for_them() {
    let _alone = alone();
    let program = Program::read("early_completion");
    let of = |mark: &str| [("site", json!(format!("early_completion.c:{}", program.line_marked(mark, "MPI_Irecv"))))];
    for mpi in that_run(&program) {
        let most = |ask: &str| {
            let (output, run) = Case::of(&program, &mpi).with("OVERHEAR_OVERLAP", ask).recorded("early_completion");
            assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
            let said = run.ask("overlap", &["--rank", "0"]);
            let [early] = said.matching("messages", &of("early"))[..] else { panic!("{}: {:#}", mpi.name, said.json) };
            let most = number(early, "hidden_most_percent");
            let asked =
                ["early", "late"].map(|mark| said.matching("postponed", &of(mark))[0]["complete_early"].as_u64());
            let warns = said.json["warnings"].to_string().contains("requests were not asked about");
            (most, asked, warns, early["bound_rule"].clone())
        };
        let plain = most("calls");
        // Productive engine entries and equal requests, if there are any, narrow the bounds, too.
        let is_narrow = plain.3 == "engine" || plain.3 == "equal";
        assert!(plain.0 > 90.0 || is_narrow, "{}: {plain:?}", mpi.name);
        assert_eq!((plain.1, plain.2), ([None; 2], false), "{}", mpi.name);
        let asked = most("ask");
        if CANNOT_BE_ASKED.contains(&mpi.name) {
            assert_eq!((asked.1, asked.2), ([None; 2], true), "{}", mpi.name);
        } else {
            // Ten messages had arrived before the program computed; the others came while it waited.
            let is_narrower = is_narrow || 100.0 - asked.0 > 10.0 * (100.0 - plain.0);
            assert!(is_narrower && (asked.3 == "asked" || asked.3 == "equal"), "{}: {plain:?} and {asked:?}", mpi.name);
            assert_eq!((asked.1, asked.2), ([Some(10), Some(0)], false), "{}", mpi.name);
        }
    }
}

/// Libraries with neither a function nor a readable word that tells completion.
const CANNOT_BE_ASKED: [&str; 4] = ["mpich4", "mpich5abi", "impi", "impiabi"];

#[test]
fn sandias_loop_has_the_overhead_that_it_prints_and_the_other_rank_the_reason_for_none() {
    let _alone = alone();
    let sandias = LOOPS.iter().find(|of| of.program == "smb_overhead").unwrap();
    let sizes = LoopSizes { least: 8, most: 1 << 16, effort: 0.1 };
    under_each(&both_families(), |mpi| {
        let comparisons = compare(sandias, mpi, &[], &sizes, 0);
        // Iterations that were interrupted before the work had an effect are no levels.
        let known: Vec<_> =
            comparisons.iter().filter(|one| one.figure == "overhead_us" && one.said.is_some()).collect();
        let right = known.iter().filter(|one| one.is_within()).count();
        assert!(known.len() >= 4 && 3 * right >= 2 * known.len(), "{}: {right} of {known:#?}", mpi.name);
        let (_, run) = sandias.case(mpi, &sizes).recorded("smb_overhead_other");
        let said = run.ask("overlap", &["--rank", "1"]);
        let rows = said.json["messages"].as_array().unwrap();
        let told: Vec<&Value> = rows.iter().filter(|row| !row["smb_work"].is_null()).collect();
        assert!(!told.is_empty(), "{}: {:#}", mpi.name, said.json);
        for row in told {
            let is_none = row["smb_availability_percent"].is_null() && row["smb_overhead_s"].is_null();
            assert!(is_none && row["smb_work"].as_str().unwrap().starts_with("no figures: "), "{}: {row:#}", mpi.name);
        }
    });
}
