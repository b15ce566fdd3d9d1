//! Processes that do not reach MPI_Finalize end as without the recorder, and their files tell how far they came.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use crate::common::{case, failed_as_plain, libraries};
use examples::mpi::Mpi;
use examples::run::{Output, Run, finish, fresh_folder, interrupt_when, overhear};
use serde_json::json;

/// Warnings of the report on a run in which all messages were exchanged.
fn warnings(run: &Run, under: &str) -> String {
    let report = run.report("rank");
    for rank in 0..2 {
        let of_rank = [("function", json!("MPI_Sendrecv")), ("rank", json!(rank))];
        assert_eq!(report.sum("rank_functions", "calls", &of_rank), 10, "rank {rank} under {under}");
    }
    assert_eq!(report.status, 4, "{under}: {}", report.warnings());
    report.warnings()
}

#[test]
fn a_rank_that_ends_alone_is_recorded_up_to_its_last_call() {
    for mpi in libraries() {
        for how in ["exit", "term", "handled", "abort", "segv"] {
            let case = case("ends", &mpi, 2, &[how]);
            let under = format!("{}, {how}", mpi.name);
            let run = failed_as_plain(&case, &format!("ends-{how}"));
            let warnings = warnings(&run, &under);
            let last = "rank 1 did not finalize MPI: it ended outside MPI, after MPI_Sendrecv (to 0, ";
            assert!(warnings.contains(last), "{under}: {warnings}");
            let waiting = "rank 0 did not finalize MPI: it ended in MPI_Barrier (MPI_COMM_WORLD)";
            assert!(warnings.contains(waiting), "{under}: {warnings}");
        }
    }
}

#[test]
fn a_rank_that_exits_alone_leaves_a_profile_of_what_it_did() {
    for mpi in libraries() {
        let (_, run) = case("ends", &mpi, 2, &["exit"]).with("OVERHEAR_MODE", "profile").recorded("ends-profile");
        warnings(&run, mpi.name);
    }
}

/// Has the launcher go on when a rank ends, if it can.
fn going_on(mut words: Vec<String>, mpi: &Mpi) -> Vec<String> {
    let option = match mpi.name {
        "ompi4" => Some("--enable-recovery"),
        "ompi5" => Some("--continuous"),
        _ => None,
    };
    words.splice(1..1, option.map(String::from));
    words
}

#[test]
fn a_rank_that_ends_without_finalizing_holds_up_nobody_whom_mpi_does_not() {
    for mpi in libraries() {
        // Open MPI 4's MPI_Finalize synchronizes all ranks at its launcher, which by itself forgets to answer in 3 of
        // 80 launches if a rank has ended before.
        let case = case("ends_early", &mpi, 3, &[]).with("OMPI_MCA_async_mpi_finalize", "1");
        let words = going_on(case.words(), &mpi);
        let run = |before: &[&OsStr]| {
            let mut all = before.iter().copied().chain(words.iter().map(OsStr::new));
            let mut command = Command::new(all.next().unwrap());
            case.prepare(command.args(all));
            finish(&mut command)
        };
        let folder = fresh_folder(&format!("{}-ends-early", mpi.name));
        let (overhear, dir) = (overhear(), OsStr::new("--dir"));
        let recorded = run(&[overhear.as_os_str(), OsStr::new("record"), dir, folder.as_os_str()]);
        // The other launchers then end all ranks, with a varying signal and status; MPICH's now and then ends none and
        // waits, with or without a recorder.
        if mpi.is_openmpi() {
            let plain = run(&[]);
            let ended = |output: &Output| (output.status, output.stdout.clone());
            assert_eq!(ended(&plain), (0, "finalized\n".into()), "{}: {}", mpi.name, plain.stderr);
            assert_eq!(ended(&recorded), ended(&plain), "{}: {}", mpi.name, recorded.stderr);
        }
        let run = Run { folder };
        assert_eq!(run.report("rank").status, 4, "{}", mpi.name);
        if mpi.is_openmpi() {
            let hang = run.ask("hang", &["--no-cache"]);
            let rests_on = hang.json["run"]["rests_on"].as_str().unwrap();
            let on_its_own = "on its own (a signal, exit()); the others finalized MPI";
            assert!(hang.status == 4 || hang.status == 0, "{}: {rests_on}", mpi.name);
            assert!(
                rests_on.starts_with("rank 1 ended outside MPI") && rests_on.contains(on_its_own),
                "{}: {rests_on}",
                mpi.name
            );
        }
    }
}

#[test]
fn a_run_that_one_rank_aborts_is_said_to_have_ended_there() {
    for mpi in libraries() {
        let case = case("ends", &mpi, 2, &["MPI_Abort"]);
        let run = failed_as_plain(&case, "ends-MPI_Abort");
        let warnings = warnings(&run, mpi.name);
        // One warning for all ranks: the others ended because of this one.
        let aborted = |line: &str| line.starts_with("rank 1 ended the run in MPI_Abort (MPI_COMM_WORLD)");
        assert!(warnings.lines().any(aborted), "{}: {warnings}", mpi.name);
        assert!(warnings.contains("2 ranks did not finalize MPI"), "{}: {warnings}", mpi.name);
        let first = run.ask("diagnose", &[]).rows("findings")[0].clone();
        assert_eq!((&first["kind"], &first["ranks"]), (&json!("aborted"), &json!("1")), "{}: {first:#}", mpi.name);
    }
}

#[test]
fn a_launcher_that_is_interrupted_ends_its_ranks_and_leaves_their_files() {
    for mpi in libraries() {
        let ready = fresh_folder(&format!("{}-ends-ready", mpi.name));
        let case = case("ends", &mpi, 2, &["waits", &ready.to_string_lossy()]);
        let words = case.words();
        let mut plain = Command::new(&words[0]);
        case.prepare(plain.args(&words[1..]));
        let plain = interrupt_when(&ready, &mut plain);
        fs::remove_file(&ready).unwrap();
        let folder = fresh_folder(&format!("{}-ends-interrupted", mpi.name));
        let mut recorded = Command::new(overhear());
        case.prepare(recorded.args(["record", "--dir"]).arg(&folder).args(&words));
        let recorded = interrupt_when(&ready, &mut recorded);
        fs::remove_file(&ready).unwrap();
        // MPICH 4's launcher ends with 2 or with 0.
        if mpi.name != "mpich4" {
            assert_eq!(recorded.status, plain.status, "{}: {}", mpi.name, recorded.stderr);
        }
        let warnings = warnings(&Run { folder }, mpi.name);
        // The file that triggers the interrupt is written just before MPI_Recv, so the rank may not be in it yet.
        let ways = ["in MPI_Recv (from 1, tag 99, ", "outside MPI, after MPI_Sendrecv (to 1, "];
        let ended = |way| warnings.contains(&format!("rank 0 did not finalize MPI: it ended {way}"));
        assert!(ways.iter().any(ended), "{}: {warnings}", mpi.name);
    }
}
