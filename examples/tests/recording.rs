//! What `overhear record` and the preloaded library do around a program, whatever the user asks for.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{case, failed_as_plain, libraries};
use examples::mpi::Mpi;
use examples::program::compile;
use examples::run::{Case, Output, Run, finish, fresh_folder, library, overhear};
use examples::{target, workspace};
use serde_json::json;

fn quick<'a>(mpi: &'a Mpi, arguments: &[&str]) -> Case<'a> {
    case("quick", mpi, 2, arguments)
}

/// One library is enough for what does not depend on it; two where launchers differ.
fn one() -> Mpi {
    libraries().remove(0)
}

fn launchers() -> Vec<Mpi> {
    let mut libraries = libraries();
    let openmpi = libraries.iter().position(Mpi::is_openmpi).map(|at| libraries.remove(at));
    let hydra = libraries.into_iter().find(|mpi| !mpi.is_openmpi());
    openmpi.into_iter().chain(hydra).collect()
}

/// Calls of a function in all ranks.
fn calls(run: &Run, function: &str) -> u64 {
    run.report("rank").sum("rank_functions", "calls", &[("function", json!(function))])
}

/// What overhear said, without what others said.
fn said(output: &Output) -> Vec<&str> {
    output.stderr.lines().filter(|line| line.starts_with("overhear: ")).collect()
}

/// Runs the case behind the launcher: the ranks are `overhear record -- program`.
fn behind(case: &Case<'_>, folder: &Path) -> Output {
    let mut words = case.mpi.launch(case.ranks);
    words.extend([overhear().display().to_string(), "record".into(), "--dir".into(), folder.display().to_string()]);
    words.extend(["--".into(), case.path.display().to_string()]);
    words.extend(case.arguments.iter().cloned());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    case.prepare(&mut command);
    finish(&mut command)
}

#[test]
fn in_front_of_a_launcher_and_behind_it_record_the_same() {
    for mpi in launchers() {
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
fn one_line_at_the_start_and_one_at_the_end_come_from_rank_0() {
    for mpi in launchers() {
        let (output, run) = quick(&mpi, &[]).recorded("lines");
        let said = said(&output);
        assert_eq!(said.len(), 2, "{}: {said:?}", mpi.name);
        assert!(said[0].contains("recording 2 ranks under "), "{}", said[0]);
        assert!(said.iter().all(|line| line.contains(run.folder.to_str().unwrap())), "{said:?}");
        assert!(said[1].contains(" ns a call, "), "{}", said[1]);
    }
}

#[test]
fn the_library_preloaded_alone_records_into_the_folder_it_is_run_in() {
    for mpi in libraries() {
        let here = fresh_folder(&format!("{}-alone", mpi.name));
        fs::create_dir_all(&here).unwrap();
        let case = quick(&mpi, &[]);
        let mut words = mpi.launch(2);
        let preload = library().display().to_string();
        let set = match mpi.is_openmpi() {
            true => vec!["-x".to_string(), format!("LD_PRELOAD={preload}")],
            false => vec!["-genv".to_string(), "LD_PRELOAD".into(), preload],
        };
        words.splice(1..1, set);
        words.push(case.path.display().to_string());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&here);
        case.prepare(&mut command);
        assert_eq!(finish(&mut command).stdout, "done\n", "{}", mpi.name);
        let folders: Vec<PathBuf> = fs::read_dir(&here).unwrap().flatten().map(|entry| entry.path()).collect();
        assert_eq!(folders.len(), 1, "{}: {folders:?}", mpi.name);
        assert!(folders[0].file_name().unwrap().to_str().unwrap().starts_with("overhear-quick-20"));
        assert_eq!(calls(&Run { folder: folders[0].clone() }, "MPI_Send"), 10, "{}", mpi.name);
    }
}

#[test]
fn a_run_folder_is_never_overwritten() {
    let mpi = one();
    let folder = fresh_folder("twice");
    let second = folder.with_file_name("twice-2");
    let _ = fs::remove_dir_all(&second);
    let case = quick(&mpi, &[]);
    behind(&case, &folder);
    let first = fs::read(folder.join("rank-0000.ovh")).unwrap();
    let output = behind(&case, &folder);
    assert!(said(&output)[0].ends_with("twice-2"), "{}", output.stderr);
    assert_eq!(fs::read(folder.join("rank-0000.ovh")).unwrap(), first);
    assert_eq!(calls(&Run { folder: second }, "MPI_Send"), 10);
}

#[test]
fn the_exit_status_is_the_programs_own() {
    for mpi in launchers() {
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
    assert!(missing.stderr.contains("/nowhere/program: No such file or directory"), "{}", missing.stderr);
    let text = record(workspace().join("Cargo.toml").to_str().unwrap());
    assert_eq!(text.status, 126);
    assert!(text.stderr.contains("Permission denied"), "{}", text.stderr);
    assert_eq!(record("mpirun-of-nobody").status, 127);
}

#[test]
fn an_unknown_variable_or_value_is_named_with_the_nearest_and_the_program_runs() {
    let mpi = one();
    let wrong = [
        ("OVERHEAR_MOD", "trace", "there is no variable OVERHEAR_MOD; the nearest one is OVERHEAR_MODE"),
        ("OVERHEAR_MODE", "trce", "OVERHEAR_MODE=trce does not exist; the nearest one is trace"),
        ("OVERHEAR_FILTER", "-colective", "no class or function is called colective; the nearest one is collective"),
        ("OVERHEAR_MAX_BYTES", "many", "OVERHEAR_MAX_BYTES=many is no size"),
    ];
    for (name, value, message) in wrong {
        let (output, run) = quick(&mpi, &[]).with(name, value).recorded("wrong");
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
        assert!(said(&output)[0].contains(message), "{}", output.stderr);
        assert!(run.files().is_empty());
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named_and_the_program_runs() {
    let mpi = one();
    let output = behind(&quick(&mpi, &[]), Path::new("/proc/nowhere/run"));
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
    let message = "/proc/nowhere: No such file or directory";
    assert!(said(&output).iter().any(|line| line.contains(message)), "{}", output.stderr);
    assert!(output.stderr.contains("Set OVERHEAR_DIR to a folder that can be written"), "{}", output.stderr);
}

/// Runs the case with its trace on a disk of 700 KiB.
fn on_a_small_disk(case: &Case<'_>, name: &str) -> (Output, Run) {
    let disk = fresh_folder(name);
    fs::create_dir_all(&disk).unwrap();
    let record = format!("{} record --dir {}/run", overhear().display(), disk.display());
    let script = format!(
        "mount -t tmpfs -o size=700k none {0} && {record} {1}; status=$?; cp -r {0}/run {0}.copy; exit $status",
        disk.display(),
        case.words().join(" ")
    );
    let copy = disk.with_extension("copy");
    let _ = fs::remove_dir_all(&copy);
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
    case.prepare(&mut command);
    let output = finish(&mut command);
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
    (output, Run { folder: copy })
}

#[test]
fn on_a_full_disk_calls_are_still_counted_and_the_rank_says_so_once() {
    let mpi = one();
    let (output, run) = on_a_small_disk(&quick(&mpi, &["calls", "1000000"]), "full-disk");
    let full = "the disk is full: from here on calls are only counted and timed";
    let times = said(&output).iter().filter(|line| line.contains(full)).count();
    assert!((1..=2).contains(&times), "once a rank: {}", output.stderr);
    assert!(run.report("rank").warnings().contains("because the disk was full"), "{}", run.report("rank").warnings());
    assert_eq!((calls(&run, "MPI_Send"), calls(&run, "MPI_Bcast")), (10, 2_000_000));
    assert_eq!(run.report("rank").status, 4);
}

#[test]
fn the_size_that_is_said_at_the_end_is_what_the_disk_had_room_for() {
    let mpi = one();
    let (output, run) = on_a_small_disk(&quick(&mpi, &["sizes", "20000"]), "full-disk-size");
    let megabytes = said(&output).iter().find_map(|line| {
        let before = line.split_once(" MB from rank 0")?.0;
        before.rsplit_once(' ')?.1.parse::<f64>().ok()
    });
    assert!(megabytes.is_some_and(|megabytes| (0.1..=0.7).contains(&megabytes)), "{}", output.stderr);
    let lengths = run.files().iter().map(|file| fs::metadata(file).unwrap().len()).sum::<u64>();
    assert!((100_000..1_500_000).contains(&lengths), "{lengths}");
}

#[test]
fn beyond_the_limit_of_its_file_a_rank_goes_on_as_a_profile_with_exact_totals() {
    for mpi in launchers() {
        let (_, run) = quick(&mpi, &["calls", "1000000"]).with("OVERHEAR_MAX_BYTES", "1M").recorded("limit");
        assert_eq!(calls(&run, "MPI_Bcast"), 2_000_000, "{}", mpi.name);
        for file in run.files() {
            assert!(fs::metadata(&file).unwrap().len() <= 1 << 20, "{}", file.display());
        }
        assert!(run.report("rank").warnings().contains("2 ranks reached OVERHEAR_MAX_BYTES"));
    }
}

#[test]
fn a_profile_of_more_signatures_than_it_has_room_for_keeps_its_totals() {
    let mpi = one();
    let case = quick(&mpi, &["sizes", "40000"]).with("OVERHEAR_MAX_BYTES", "1M").with("OVERHEAR_MODE", "profile");
    let (_, run) = case.recorded("profile-full");
    let report = run.report("rank");
    let bcast = |column: &str| report.sum("rank_functions", column, &[("function", json!("MPI_Bcast"))]);
    assert_eq!(bcast("calls"), 2 * 40_000);
    assert_eq!(bcast("sent_bytes"), 2 * 40_000 * 40_001 / 2);
    assert!(run.files().iter().all(|file| fs::metadata(file).unwrap().len() <= 1 << 20));
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
fn the_null_mode_records_nothing_and_says_nothing() {
    let mpi = one();
    let (output, run) = quick(&mpi, &[]).with("OVERHEAR_MODE", "null").recorded("null");
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"));
    assert!(said(&output).is_empty(), "{}", output.stderr);
    assert!(run.files().is_empty());
}

#[test]
fn a_filter_chooses_classes_and_functions() {
    let mpi = one();
    let recorded = |filter: &str| {
        let (output, run) = quick(&mpi, &["calls", "5"]).with("OVERHEAR_FILTER", filter).recorded("filter");
        assert_eq!(output.stdout, "done\n", "{}", output.stderr);
        ["MPI_Send", "MPI_Recv", "MPI_Bcast", "MPI_Comm_rank", "MPI_Init"].map(|function| calls(&run, function))
    };
    assert_eq!(recorded(""), [10, 10, 10, 0, 2]);
    assert_eq!(recorded("+query"), [10, 10, 10, 2, 2]);
    assert_eq!(recorded("all"), [10, 10, 10, 2, 2]);
    assert_eq!(recorded("-pointtopoint"), [0, 0, 10, 0, 2]);
    assert_eq!(recorded("-all,+MPI_Send,bcast"), [10, 0, 10, 0, 2]);
}

#[test]
fn what_env_prints_makes_a_launcher_preload_the_recorder() {
    for mpi in launchers() {
        let folder = fresh_folder(&format!("{}-env", mpi.name));
        let name = if mpi.is_openmpi() { "openmpi" } else { "mpich" };
        let mut env = Command::new(overhear());
        let printed = finish(env.args(["env", "--launcher", name, "--dir"]).arg(&folder)).stdout;
        let case = quick(&mpi, &[]);
        let mut words = case.words();
        words.splice(1..1, printed.split_whitespace().map(String::from));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        case.prepare(&mut command);
        assert_eq!(finish(&mut command).stdout, "done\n");
        assert_eq!(calls(&Run { folder }, "MPI_Send"), 10, "{}", mpi.name);
    }
}

#[test]
fn a_program_that_never_calls_mpi_is_said_to_be_none() {
    let output = finish(Command::new(overhear()).args(["record", "--", "true"]));
    assert_eq!(output.status, 0);
    assert!(output.stderr.contains("true never initialised MPI, so there is nothing to report"), "{}", output.stderr);
    for mpi in launchers() {
        let folder = fresh_folder(&format!("{}-no-mpi", mpi.name));
        let mut command = Command::new(overhear());
        command.arg("record").arg("--dir").arg(&folder).args(mpi.launch(2)).arg("true");
        mpi.set_environment(&mut command);
        let output = finish(&mut command);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(output.stderr.contains("nothing was recorded: no rank initialised MPI"), "{}", output.stderr);
        assert!(!folder.exists());
    }
}

#[test]
fn a_statically_linked_program_is_said_to_be_out_of_reach() {
    let source = target().join("programs/static.c");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    fs::write(&source, "int MPI_Init(int *c, char ***v) { return 0; }\nint main(void) { return MPI_Init(0, 0); }\n")
        .unwrap();
    for (flag, message) in [("-static", "is statically linked"), ("-g", "has its own copy of MPI inside")] {
        let program = source.with_extension(flag.trim_start_matches('-'));
        let built = finish(Command::new("cc").arg(flag).arg("-w").arg("-o").arg(&program).arg(&source));
        assert_eq!(built.status, 0, "{}", built.stderr);
        let output = finish(Command::new(overhear()).args(["record", "--"]).arg(&program));
        assert_eq!(output.status, 0);
        assert!(output.stderr.contains(message), "{}", output.stderr);
    }
}

#[test]
fn the_doctor_says_what_it_found() {
    for mpi in libraries() {
        let case = quick(&mpi, &[]);
        let mut command = Command::new(overhear());
        command.arg("doctor").arg("--").args(case.words());
        case.prepare(&mut command);
        let output = finish(&mut command);
        assert_eq!(output.status, 0, "{}: {}{}", mpi.name, output.stdout, output.stderr);
        assert!(output.stdout.contains("takes effect in 2 of 2 ranks"), "{}", output.stdout);
        let library = mpi.library.file_name().unwrap().to_str().unwrap();
        assert!(output.stdout.contains(library), "{}", output.stdout);
    }
}

#[test]
fn a_file_system_without_shared_mappings_gets_buffered_writes() {
    let mpi = one();
    let shim = target().join("programs").join(mpi.built_as).join("no_shared_mappings.so");
    let source = workspace().join("examples/tests/programs/no_shared_mappings.c");
    compile(&mpi, &source, &shim, &["-shared", "-fPIC"].map(String::from));
    let folder = fresh_folder("no-mappings");
    let mut command = Command::new(overhear());
    command.arg("record").arg("--dir").arg(&folder);
    let case = quick(&mpi, &["calls", "100000"]);
    // The recorder is put before what the user preloads.
    command.args(case.words()).env("LD_PRELOAD", &shim);
    case.prepare(&mut command);
    let output = finish(&mut command);
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
    assert!(output.stderr.contains("has no shared mappings"), "{}", output.stderr);
    assert_eq!(calls(&Run { folder }, "MPI_Bcast"), 200_000);
}

#[test]
fn call_sites_are_named_where_the_program_is_not() {
    let mpi = one();
    let case = quick(&mpi, &[]);
    let moved = case.path.with_extension("moved");
    fs::copy(&case.path, &moved).unwrap();
    let (_, run) = Case { path: moved.clone(), ..case }.recorded("sites");
    fs::remove_file(&moved).unwrap();
    let sites = |run: &Run| {
        let report = run.report("site");
        let send = report.rows("sites").iter().find(|row| row["function"] == "MPI_Send").unwrap();
        send["site"].as_str().unwrap().to_string()
    };
    assert_eq!(sites(&run), "main (quick.c:17)");
    // Without what was resolved when the program was there, a place in a file is all that is left, and said to be.
    fs::remove_file(run.folder.join("sites.json")).unwrap();
    assert!(sites(&run).starts_with("quick.moved+0x"), "{}", sites(&run));
    assert!(run.report("site").warnings().contains("call sites stay numbers"), "{}", run.report("site").warnings());
}
