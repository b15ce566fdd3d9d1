//! For any contents of a folder there is one clear message, usable data is used, and the exit status tells the case.

use crate::common;
use std::fs;
use std::process::Command;

use crate::common::{
    BEGIN, Folder, header, in_call, json, overhear, rank, rank_with, report, signature, stderr, stdout, two_ranks,
};
use traces::calls::Call;
use traces::file::{FileHeader, INITIALIZED, Mode, NO_RANK, ProfileEntry};
use traces::record;
use traces::write::{FileWriter, blank_block};
use zerocopy::FromZeros;

#[test]
fn a_folder_that_is_not_there_is_named() {
    let output = report("/nowhere/at/all".as_ref(), &[]);
    assert_eq!(output.status.code(), Some(3));
    let said = stderr(&output);
    assert!(said.contains("/nowhere/at/all: No such file or directory. Give the folder that"), "{said}");
}

#[test]
fn an_empty_folder_is_said_to_hold_no_traces() {
    let folder = Folder::new();
    let output = report(&folder.0, &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("no traces here"), "{}", stderr(&output));
}

#[test]
fn ranks_of_different_runs_are_refused_with_their_files() {
    let folder = two_ranks();
    let other = FileHeader { run: [9; 16], ..header(2, 3) };
    folder.write("rank-0002.ovh", &rank(other, &[], &[]));
    let output = report(&folder.0, &[]);
    assert_eq!(output.status.code(), Some(3));
    let said = stderr(&output);
    assert!(said.contains("files of 2 runs in one folder"), "{said}");
    assert!(said.contains("rank-0000.ovh, rank-0001.ovh") && said.contains("rank-0002.ovh"), "{said}");
}

#[test]
fn a_missing_rank_is_listed_and_the_others_reported() {
    let folder = two_ranks();
    fs::remove_file(folder.0.join("rank-0001.ovh")).unwrap();
    let output = report(&folder.0, &[]);
    assert_eq!(output.status.code(), Some(4));
    assert!(stdout(&output).contains("! no file from rank 1"), "{}", stdout(&output));
    assert!(stdout(&output).contains("MPI_Send"));
}

#[test]
fn a_foreign_and_a_newer_file_are_said_beside_the_others() {
    let folder = two_ranks();
    folder.write("rank-0007.ovh", b"something else entirely, and long enough for that");
    let mut newer = fs::read(folder.0.join("rank-0000.ovh")).unwrap();
    newer[8] = 5;
    folder.write("rank-0008.ovh", &newer);
    let output = report(&folder.0, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(4));
    let said = stdout(&output);
    assert!(said.contains("rank-0007.ovh: not an overhear trace"), "{said}");
    assert!(said.contains("rank-0008.ovh: format version 5, but this overhear reads only up to 4"), "{said}");
}

#[test]
fn files_of_which_none_can_be_read_are_all_named() {
    let folder = Folder::new();
    folder.write("rank-0000.ovh", b"");
    folder.write("rank-0001.ovh", b"overhear");
    let output = report(&folder.0, &[]);
    assert_eq!(output.status.code(), Some(3));
    let said = stderr(&output);
    assert!(said.contains("rank-0000.ovh: the file ends after 0 bytes") && said.contains("rank-0001.ovh"), "{said}");
}

#[test]
fn a_cut_file_is_used_up_to_the_cut() {
    let folder = two_ranks();
    let path = folder.0.join("rank-0000.ovh");
    let whole = fs::read(&path).unwrap();
    // The last page holds the three calls after its header of 64 bytes; two of them stay.
    fs::write(&path, &whole[..whole.len() - 4096 + 64 + 16]).unwrap();
    let output = report(&folder.0, &["--by", "rank", "--format", "json"]);
    assert_eq!(output.status.code(), Some(4));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let send = report["rank_functions"].as_array().unwrap().iter().find(|row| row["function"] == "MPI_Send").unwrap();
    assert_eq!(send["calls"], 2);
    assert!(report["warnings"].to_string().contains("rank-0000.ovh: the page at byte"));
}

#[test]
fn a_rank_without_finalize_is_listed_with_what_it_was_in() {
    let folder = Folder::new();
    let killed = FileHeader { state: INITIALIZED, end: Default::default(), ..header(0, 1) };
    let receive = signature(1, Call::Recv, 3, 0, 64);
    folder.write("rank-0000.ovh", &rank_with(killed, &in_call(1, 1_500_000), &[receive], |_| {}));
    let output = report(&folder.0, &[]);
    assert_eq!(output.status.code(), Some(4));
    let said = stdout(&output).replace("\n  ", " ");
    assert!(
        said.contains(
            "rank 0 did not finalize MPI: its recording ends in MPI_Recv (from 3, tag 5, 64 bytes, MPI_COMM_WORLD)"
        ),
        "{said}"
    );
}

#[test]
fn a_rank_that_ended_outside_mpi_is_listed_with_its_last_call() {
    let folder = Folder::new();
    let killed = FileHeader { state: INITIALIZED, end: Default::default(), ..header(0, 1) };
    let send = signature(1, Call::Send, 3, 64, 0);
    folder.write("rank-0000.ovh", &rank(killed, &[send], &[(1, 100, 50)]));
    let warnings = json(&folder.0, "function")["warnings"].to_string();
    assert!(
        warnings.contains("its recording ends outside MPI, after MPI_Send (to 3, tag 5, 64 bytes, MPI_COMM_WORLD)"),
        "{warnings}"
    );
}

#[test]
fn a_process_that_never_came_out_of_init_is_listed() {
    let folder = two_ranks();
    let starting = FileHeader { rank: NO_RANK, size: 0, run: [0; 16], state: 0, pid: 4711, ..header(0, 0) };
    let init = signature(1, Call::Init, i32::MIN, 0, 0);
    folder.write("starting-h1-4711.ovh", &rank_with(starting, &in_call(1, 0), &[init], |_| {}));
    let warnings = json(&folder.0, "function")["warnings"].to_string();
    assert!(warnings.contains("process 4711 did not finalize MPI: its recording ends in MPI_Init"), "{warnings}");
}

#[test]
fn a_page_with_something_else_in_it_is_said_and_passed_over() {
    let folder = two_ranks();
    let path = folder.0.join("rank-0001.ovh");
    let bad = rank_with(header(1, 2), &blank_block(), &[signature(1, Call::Recv, 0, 0, 100)], |words| {
        words.push(record::short(1, 10, 20).unwrap());
        words.push(0xfffd);
    });
    fs::write(&path, bad).unwrap();
    let output = report(&folder.0, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(stdout(&output).contains("no record at word 1 of a page of thread 0"), "{}", stdout(&output));
    let _ = BEGIN;
}

#[test]
fn a_rank_that_the_run_does_not_have_is_a_usage_error() {
    let folder = two_ranks();
    let output = report(&folder.0, &["--by", "rank=9"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there is no rank 9: the run has 2"), "{}", stderr(&output));
}

#[test]
fn an_unknown_word_on_the_command_line_is_a_usage_error() {
    let folder = two_ranks();
    for arguments in [&["--by", "color"][..], &["--format", "xml"], &["--frobnicate"]] {
        assert_eq!(report(&folder.0, arguments).status.code(), Some(2), "{arguments:?}");
    }
}

/// A recorded profile of two ranks.
pub fn profile() -> Folder {
    let folder = Folder::new();
    for rank in 0..2 {
        let header = FileHeader { mode: Mode::Profile as u16, ..header(rank, 2) };
        let other = 1 - rank as i32;
        let signatures = [signature(1, Call::Send, other, 100, 0), signature(2, Call::Recv, other, 0, 100)];
        let entry = |signature| ProfileEntry { signature, count: 3, total: 600, ..ProfileEntry::new_zeroed() };
        let mut file = FileWriter::begin(Vec::new(), header).unwrap();
        file.thread(0, &blank_block()).unwrap();
        file.definitions(&common::definitions(2, rank as i32)).unwrap();
        file.signatures(0, 0, &signatures).unwrap();
        file.profile(0, 0, &[entry(1), entry(2)]).unwrap();
        folder.write(&format!("rank-000{rank}.ovh"), &file.into_inner());
    }
    folder
}

#[test]
fn what_is_about_single_calls_says_of_a_profile_what_it_needs() {
    let folder = profile();
    let mut ran = 0;
    // A profile without partners leaves nothing for a matrix, either.
    for command in ["why", "waits", "path", "pop", "check", "matrix", "overlap", "network", "fanout"] {
        for format in ["text", "json", "csv"] {
            let output = overhear(command, &folder.0, &["--format", format]);
            assert_eq!(output.status.code(), Some(3), "{command}");
            assert!(output.stdout.is_empty(), "{command}: {}", stdout(&output));
            let said = stderr(&output);
            assert!(said.contains(&format!("{command} needs single calls")), "{said}");
            assert!(said.contains("recorded as a profile") && said.contains("without --mode profile"), "{said}");
            ran += 1;
        }
    }
    assert_eq!(ran, 27);
    for command in ["report", "imbalance", "progress"] {
        assert_eq!(overhear(command, &folder.0, &[]).status.code(), Some(0), "{command}");
        // A profile does not know the time of its calls.
        let output = overhear(command, &folder.0, &["--from", "1"]);
        assert_eq!(output.status.code(), Some(3), "{command}");
        assert!(stderr(&output).contains("a part of the time needs single calls"), "{}", stderr(&output));
    }
}

#[test]
fn a_communicator_that_the_run_does_not_have_is_a_usage_error_and_the_nearest_is_named() {
    let folder = two_ranks();
    let output = overhear("matrix", &folder.0, &["--comm", "MPI_COMM_WORL"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("The nearest one is MPI_COMM_WORLD"), "{}", stderr(&output));
    assert_eq!(overhear("matrix", &folder.0, &["--comm", "MPI_COMM_WORLD"]).status.code(), Some(0));
}

#[test]
fn a_folder_of_runs_names_them() {
    let (outer, run) = (Folder::new(), two_ranks());
    fs::rename(&run.0, outer.0.join("stencil")).unwrap();
    let output = overhear("report", &outer.0, &[]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("no traces here, but in folders in it. Give one of them:\n"), "{said}");
    assert!(said.ends_with("/stencil\n"), "{said}");
}

#[test]
fn a_mistyped_command_is_told_from_a_folder() {
    for (words, said) in [
        (&["wiats", "run"][..], "did you mean `overhear waits`?"),
        (&["no-such-folder"], "neither a command nor a folder"),
        (&["nope"], "`overhear help` lists the commands"),
        (&[".", "--by", "site"], "name an analysis, as in: overhear report . --by site"),
        (&["src", "tests"], "two runs compare with overhear diff src tests"),
        (&["record", "-x", "run", "true"], "unexpected argument '-x'"),
        (&["compare", "src", "tests"], "did you mean `overhear diff`?"),
        (&["/bin/true", "-n", "2"], "/bin/true is a program; to record it: overhear record /bin/true -n 2"),
        (&["Cargo.toml"], "Cargo.toml is a file; overhear reads folders"),
        (&["record", "-n", "2", "./app"], "name the launcher: overhear record mpirun -n 2 ./app"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
        let output = command.args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(output.status.code() == Some(2) && stderr(&output).contains(said), "{words:?}: {}", stderr(&output));
    }
}

#[test]
fn the_folder_of_a_file_is_named() {
    let run = two_ranks();
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    let output = command.arg(run.0.join("rank-0000.ovh")).output().unwrap();
    let wanted = format!("name its folder: overhear {}\n", run.0.display());
    assert!(output.status.code() == Some(2) && stderr(&output).ends_with(&wanted), "{}", stderr(&output));
}
