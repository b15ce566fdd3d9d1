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
fn one_line_at_the_start_and_one_at_the_end_come_from_rank_0_and_the_last_says_what_to_do_next() {
    for mpi in launchers() {
        let (output, run) = quick(&mpi, &[]).recorded("lines");
        let said = said(&output);
        assert_eq!(said.len(), 3, "{}: {said:?}", mpi.name);
        assert!(said[0].contains("recording 2 ranks under "), "{}", said[0]);
        assert!(said.iter().all(|line| line.contains(run.folder.to_str().unwrap())), "{said:?}");
        assert!(said[1].contains(" ns a call"), "{}", said[1]);
        let size: u64 = run.files().iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        let size = format!("{:.1} KiB of 2 processes. Next: overhear report ", size as f64 / 1024.0);
        assert!(said[2].contains(&size), "{size}: {}", said[2]);
        let next = said[2].split_once("overhear report ").unwrap().1;
        assert_eq!(finish(Command::new(overhear()).args(["report", next])).status, 0, "{next}");
    }
}

#[test]
fn the_library_preloaded_alone_records_into_the_folder_it_is_run_in() {
    for mpi in libraries() {
        let here = fresh_folder(&format!("{}-alone", mpi.name));
        let output = by_hand(&quick(&mpi, &[]), &here);
        assert_eq!(output.stdout, "done\n", "{}", mpi.name);
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

/// Runs the case with the library preloaded by the launcher, and no command of ours.
fn by_hand(case: &Case<'_>, here: &Path) -> Output {
    fs::create_dir_all(here).unwrap();
    let mut words = case.words();
    let preload = library().display().to_string();
    let set = match case.mpi.is_openmpi() {
        true => vec!["-x".to_string(), format!("LD_PRELOAD={preload}")],
        false => vec!["-genv".to_string(), "LD_PRELOAD".into(), preload],
    };
    words.splice(1..1, set);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(here);
    case.prepare(&mut command);
    finish(&mut command)
}

#[test]
fn a_wrong_flag_or_variable_is_refused_before_anything_starts() {
    let mpi = one();
    let case = quick(&mpi, &[]);
    let run = |flags: &[&str], variables: &[(&str, &str)], words: &[String]| {
        let mut command = Command::new(overhear());
        case.prepare(command.arg("record").args(flags).arg("--").args(words));
        finish(command.envs(variables.iter().copied()))
    };
    let flags = [
        ("--mode=trce", "trace"),
        ("--progress=event", "events"),
        ("--sync=bth", "both"),
        ("--filter=-colective", "no class or function is called colective; the nearest one is collective"),
        ("--max-bytes=12Q", "not a size, as 500M, 1.5G, 64KiB or 1e6"),
    ];
    let variables = [
        ("OVERHEAR_MDOE", "", "there is no variable OVERHEAR_MDOE; the nearest one is OVERHEAR_MODE"),
        ("OVERHEAR_MAX_BYTES", "12Q", "OVERHEAR_MAX_BYTES=12Q: not a size"),
    ];
    for words in [case.words(), vec![case.path.display().to_string()]] {
        let refused = |output: Output, message: &str| {
            assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{message}: {}", output.stderr);
            assert!(output.stderr.contains(message), "{}", output.stderr);
        };
        flags.iter().for_each(|(flag, message)| refused(run(&[flag], &[], &words), message));
        variables.iter().for_each(|(name, value, message)| refused(run(&[], &[(name, value)], &words), message));
    }
}

#[test]
fn a_wrong_variable_is_named_once_in_ranks_preloaded_by_hand_and_the_program_runs() {
    let mpi = one();
    for (name, value, message) in [
        ("OVERHEAR_MDOE", "", "there is no variable OVERHEAR_MDOE; the nearest one is OVERHEAR_MODE"),
        ("OVERHEAR_MAX_BYTES", "many", "OVERHEAR_MAX_BYTES=many: not a size"),
    ] {
        let here = fresh_folder("wrong-by-hand");
        let output = by_hand(&quick(&mpi, &[]).with(name, value), &here);
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
        let said = said(&output);
        assert!(said.len() == 1 && said[0].contains(message), "{said:?}");
        assert!(said[0].ends_with("The program runs, unrecorded."), "{said:?}");
        assert_eq!(fs::read_dir(&here).unwrap().count(), 0);
    }
}

#[test]
fn record_in_front_and_behind_at_once_record_into_the_folder_of_the_one_in_front() {
    for mpi in launchers() {
        let case = quick(&mpi, &[]);
        let [outer, inner] = ["outer", "inner"].map(|which| fresh_folder(&format!("{}-{which}", mpi.name)));
        let mut command = Command::new(overhear());
        command.arg("record").arg("--dir").arg(&outer).args(mpi.launch(2));
        command.arg(overhear()).arg("record").arg("--dir").arg(&inner).arg("--").arg(&case.path);
        case.prepare(&mut command);
        let output = finish(&mut command);
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
        assert_eq!((calls(&Run { folder: outer }, "MPI_Send"), inner.exists()), (10, false), "{}", mpi.name);
        let refusals =
            said(&output).iter().filter(|line| line.contains("--dir") && line.contains("is not used")).count();
        assert_eq!(refusals, 1, "{}: {}", mpi.name, output.stderr);
    }
}

#[test]
fn folders_that_the_runs_folder_is_in_are_made() {
    let mpi = one();
    let case = quick(&mpi, &[]);
    let (front, run) = case.recorded("parents/a/b");
    let folder = fresh_folder("parents-behind").join("a/b");
    let back = behind(&case, &folder);
    assert_eq!((front.status, back.status), (0, 0), "{}{}", front.stderr, back.stderr);
    assert_eq!([run, Run { folder }].map(|run| calls(&run, "MPI_Send")), [10; 2]);
}

#[test]
fn a_program_built_with_address_sanitizer_starts_and_is_recorded() {
    for mpi in launchers() {
        let plain = quick(&mpi, &[]);
        let path = plain.path.with_extension("address");
        let source = workspace().join("examples/tests/programs/quick.c");
        compile(&mpi, &source, &path, &["-fsanitize=address".into()]);
        let case = Case { path, ..plain }.with("ASAN_OPTIONS", "detect_leaks=0");
        let (front, run) = case.recorded("address");
        let folder = fresh_folder(&format!("{}-address-behind", mpi.name));
        let back = behind(&case, &folder);
        for (output, run) in [(front, run), (back, Run { folder })] {
            assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
            assert_eq!(calls(&run, "MPI_Send"), 10, "{}", mpi.name);
        }
        // One environment is handed to all programs of a launch.
        let mut words = case.words();
        words.extend([":", "-n", "1", "true"].map(String::from));
        let mixed = finish(Command::new(overhear()).arg("record").args(&words));
        assert_eq!(mixed.status, 125, "{}", mixed.stderr);
        assert!(mixed.stderr.contains("Record each behind the launcher"), "{}", mixed.stderr);
    }
}

#[test]
fn why_nothing_was_recorded_is_said_as_far_as_it_is_known() {
    let mpi = one();
    let folder = fresh_folder("nothing");
    let remove = format!("rm -r {}", folder.display());
    let refused = ["--no-such-option"].map(String::from);
    let program = mpi.launch(1);
    let removes = [&program[1..], &["sh".into(), "-c".into(), remove]].concat();
    let fails = [&program[1..], &["sh".into(), "-c".into(), "exit 3".into()]].concat();
    for (words, message) in [
        (removes, "the run's folder was removed while the launch ran".to_string()),
        (fails, format!("nothing was recorded: {} ended with status 3, and no process wrote a trace", program[0])),
        (refused.into(), format!("nothing was recorded: {} ended with status ", program[0])),
    ] {
        let mut command = Command::new(overhear());
        command.arg("record").arg("--dir").arg(&folder).arg(&program[0]).args(&words);
        mpi.set_environment(&mut command);
        let output = finish(&mut command);
        assert!(output.stderr.contains(&message), "{words:?}: {}", output.stderr);
        assert!(!output.stderr.contains("static"), "{}", output.stderr);
        assert!(!folder.exists());
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
    let message = "ended without a call of MPI_Init that the recorder could see, so there is nothing to report";
    assert!(output.stderr.contains(&format!("true {message}")), "{}", output.stderr);
    // ls closes stderr before it ends.
    let output = finish(Command::new(overhear()).args(["record", "ls", "/dev/null"]));
    assert_eq!((output.status, output.stdout.as_str()), (0, "/dev/null\n"));
    assert!(output.stderr.contains(&format!("ls {message}")), "{}", output.stderr);
    for mpi in launchers() {
        let folder = fresh_folder(&format!("{}-no-mpi", mpi.name));
        let mut command = Command::new(overhear());
        command.arg("record").arg("--dir").arg(&folder).args(mpi.launch(2)).arg("true");
        mpi.set_environment(&mut command);
        let output = finish(&mut command);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(output.stderr.contains("nothing was recorded: no process wrote a trace"), "{}", output.stderr);
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
fn the_doctor_says_of_a_program_that_is_not_there_that_it_is_not() {
    let output = finish(Command::new(overhear()).args(["doctor", "no-such-program"]));
    assert_eq!(output.status, 4, "{}", output.stderr);
    assert!(output.stdout.contains("there is no no-such-program"), "{}", output.stdout);
    assert!(!output.stdout.contains("preload"), "{}", output.stdout);
}

#[test]
fn a_file_system_without_shared_mappings_gets_buffered_writes() {
    for mpi in libraries() {
        let shim = target().join("programs").join(mpi.built_as).join("no_shared_mappings.so");
        let source = workspace().join("examples/tests/programs/no_shared_mappings.c");
        compile(&mpi, &source, &shim, &["-shared", "-fPIC"].map(String::from));
        let folder = fresh_folder(&format!("{}-no-mappings", mpi.name));
        let mut command = Command::new(overhear());
        command.arg("record").arg("--dir").arg(&folder);
        // UCX, which MPICH 4 is built with, would write its own mmap over the one that is preloaded, also without the recorder.
        let case = quick(&mpi, &["calls", "100000"]).with("UCX_MEM_MMAP_HOOK_MODE", "none");
        // The recorder is put before what the user preloads.
        command.args(case.words()).env("LD_PRELOAD", &shim);
        case.prepare(&mut command);
        let output = finish(&mut command);
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        assert!(output.stderr.contains("has no shared mappings"), "{}: {}", mpi.name, output.stderr);
        assert_eq!(calls(&Run { folder }, "MPI_Bcast"), 200_000, "{}", mpi.name);
    }
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
