//! `overhear record` and the preloaded library around a program, in front of a launcher and behind it.

use std::fs;
use std::process::Command;

use crate::common::{behind, calls, every_library, failed_as_plain, libraries, one, quick, two_families};
use examples::command::write_executable;
use examples::run::{Case, Run, finish, fresh_folder, overhear};
use examples::workspace;

#[test]
fn in_front_of_a_launcher_and_behind_it_record_the_same() {
    for mpi in two_families() {
        let case = quick(&mpi, &[]);
        let (front, run) = case.recorded("front");
        assert_eq!((front.status, front.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, front.stderr);
        let folder = fresh_folder(&format!("{}-behind", mpi.name));
        let back = behind(&case, &folder);
        assert_eq!((back.status, back.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, back.stderr);
        for run in [run, Run { folder }] {
            assert_eq!((calls(&run, "MPI_Send"), calls(&run, "MPI_Recv")), (10, 10), "{}", mpi.name);
            assert_eq!(run.report("rank").status, 0);
        }
    }
}

#[test]
fn the_settings_of_users_are_recorded_and_not_those_of_launchers() {
    for mpi in every_library() {
        let case = quick(&mpi, &[]).with("OMP_NUM_THREADS", "3").with("UCX_LOG_LEVEL", "error");
        let run = case.with("OVERHEAR_FILTER", "-all,+collective").recorded("settings").1;
        let report = run.report("rank");
        assert_eq!(report.json["run"]["settings"], "OMP_NUM_THREADS=3, UCX_LOG_LEVEL=error", "{}", mpi.name);
    }
}

#[test]
fn what_the_library_was_set_to_is_recorded_with_where_that_is_from() {
    for mpi in every_library() {
        let home = fresh_folder(&format!("{}-home", mpi.name));
        fs::create_dir_all(home.join(".openmpi")).unwrap();
        fs::write(home.join(".openmpi/mca-params.conf"), "# ours\nbtl_tcp_links = 3\n").unwrap();
        let [variable, value] = if mpi.is_openmpi() {
            ["OMPI_MCA_coll_tuned_reduce_algorithm_segmentsize", "4321"]
        } else {
            ["MPIR_CVAR_BCAST_LONG_MSG_SIZE", "654321"]
        };
        let case = quick(&mpi, &[]).with(variable, value).with("HOME", home.to_str().unwrap());
        let run = case.recorded("variables").1;
        let settings = run.ask("settings", &[]);
        let of = |name: &str| {
            let row = settings.rows("settings").iter().find(|row| row["name"] == name);
            row.map(|row| ["value", "from"].map(|key| row[key].as_str().unwrap().to_string()))
        };
        let name = variable.strip_prefix("OMPI_MCA_").unwrap_or(variable);
        assert_eq!(of(name), Some([value.into(), "environment".into()]), "{}: {:#?}", mpi.name, settings.json);
        if mpi.is_openmpi() {
            let file = format!("{}/.openmpi/mca-params.conf:2", home.display());
            // The launcher of Open MPI 5 reads the file itself, and hands the values on.
            let from = if mpi.name == "ompi5" { "environment".into() } else { file };
            assert_eq!(of("btl_tcp_links"), Some(["3".into(), from]), "{}", mpi.name);
        }
        let defaults = settings.rows("settings").iter().filter(|row| row["from"] == "").count();
        assert!(mpi.name.starts_with("impi") || defaults > 100, "{}: {defaults}", mpi.name);
    }
}

#[test]
fn the_exit_status_is_the_programs_own() {
    for mpi in two_families() {
        for arguments in [&["exit", "7"][..], &["crash"]] {
            failed_as_plain(&quick(&mpi, arguments), "status");
        }
    }
    let alone = |command: &[&str]| finish(Command::new(overhear()).args(["record", "--"]).args(command)).status;
    assert_eq!(alone(&["sh", "-c", "exit 9"]), 9);
    assert_eq!(alone(&["sh", "-c", "kill -9 $$"]), 128 + 9);
}

#[test]
fn a_program_that_is_not_there_or_cannot_be_run_is_told_apart_as_by_env() {
    let record = |program: &str| finish(Command::new(overhear()).args(["record", "--", program]));
    let missing = record("/nowhere/program");
    assert_eq!(missing.status, 127);
    assert!(missing.stderr.ends_with("/nowhere/program: No such file or directory\n"), "{}", missing.stderr);
    let text = record(workspace().join("Cargo.toml").to_str().unwrap());
    assert_eq!(text.status, 126);
    assert!(text.stderr.contains("Permission denied. Is it executable (chmod +x)?"), "{}", text.stderr);
    let nobodys = record("mpirun-of-nobody");
    assert_eq!(nobodys.status, 127);
    assert!(nobodys.stderr.contains("No such file or directory in a folder of PATH. Give"), "{}", nobodys.stderr);
}

#[test]
fn a_profile_has_the_calls_and_bytes_of_the_trace() {
    for mpi in libraries() {
        let (_, trace) = quick(&mpi, &["calls", "1000"]).recorded("as-trace");
        let (_, profile) = quick(&mpi, &["calls", "1000"]).with("OVERHEAR_MODE", "profile").recorded("as-profile");
        let figures = |run: &Run| {
            let report = run.report("rank");
            let rows = report.rows("rank_functions").iter();
            let figure = |row: &serde_json::Value| {
                ["function", "rank", "calls", "sent_bytes", "received_bytes"].map(|column| row[column].to_string())
            };
            let mut figures: Vec<_> = rows.map(figure).collect();
            figures.sort();
            figures
        };
        assert_eq!(figures(&trace), figures(&profile), "{}", mpi.name);
    }
}

#[test]
fn call_sites_are_named_where_the_program_is_not() {
    let mpi = one();
    let case = quick(&mpi, &[]);
    let moved = case.path.with_extension("moved");
    write_executable(&moved, &fs::read(&case.path).unwrap()).unwrap();
    let (_, run) = Case { path: moved.clone(), ..case }.recorded("sites");
    fs::remove_file(&moved).unwrap();
    let sites = |run: &Run| {
        let report = run.report("site");
        let send = report.rows("sites").iter().find(|row| row["function"] == "MPI_Send").unwrap();
        send["site"].as_str().unwrap().to_string()
    };
    assert_eq!(sites(&run), "main (quick.c:17)");
    // Without sites.json, resolved while the program was there, only an offset in the file is left, and the report says
    // so.
    fs::remove_file(run.folder.join("sites.json")).unwrap();
    assert!(sites(&run).starts_with("quick.moved+0x"), "{}", sites(&run));
    assert!(run.report("site").warnings().contains("call sites stay numbers"), "{}", run.report("site").warnings());
}
