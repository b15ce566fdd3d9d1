//! Statements of `overhear record` and `doctor`, compared with the facts.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{behind, calls, case, libraries, one, own_lines, quick, those, two_families};
use examples::mpi::{Abi, Mpi};
use examples::program::compile;
use examples::run::{finish, fresh_folder, overhear};
use examples::{target, workspace};

#[test]
fn one_line_comes_at_the_start_and_one_at_the_end_with_size_and_cost_of_all_ranks_and_what_to_do_next() {
    for mpi in two_families() {
        let (output, run) = quick(&mpi, &["calls", "1000"]).recorded("lines");
        let [first, last] = own_lines(&output)[..] else { panic!("{}: {}", mpi.name, output.stderr) };
        let folder = run.folder.to_str().unwrap();
        assert_eq!(first, format!("overhear: recording into {folder}"), "{}", mpi.name);
        let size: u64 = run.files().iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        let size = format!("overhear: {:.1} KiB of 2 processes. ", size as f64 / 1024.0);
        assert!(last.starts_with(&size), "{size}: {last}");
        let next = last.split_once("Next: overhear ").unwrap().1;
        let report = finish(Command::new(overhear()).args(["report", next]));
        assert_eq!(report.status, 0, "{next}");
        // The report wraps lines at 80 columns.
        let report = report.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        let delay = last.split_once("Recording delayed the program by about ").unwrap().1;
        let share = delay.split_once(" (").unwrap().1.split_once(')').unwrap().0;
        assert!(report.contains(&format!(" of overhead, about {share}")), "{share}: {report}");
    }
}

#[test]
fn rank_0_says_what_its_own_recording_took_where_no_command_waits_for_the_launcher() {
    let mpi = those("has a launcher that lets ranks speak", Mpi::is_openmpi).remove(0);
    let output = behind(&quick(&mpi, &[]), &fresh_folder("lines-behind"));
    let [first, last] = own_lines(&output)[..] else { panic!("{}", output.stderr) };
    assert!(first.contains("recording 2 ranks under "), "{first}");
    let folder = first.split_once(" into ").unwrap().1;
    assert!(last.contains("iB of rank 0. Recording delayed it by about "), "{last}");
    assert!(last.contains(" %), start and end included"), "{last}");
    assert!(last.ends_with(&format!(". Next: overhear {folder}")), "{last}");
}

#[test]
fn a_process_that_another_keeps_in_mpi_init_for_good_is_said_not_to_have_come_out_of_it() {
    for mpi in two_families() {
        let folder = fresh_folder(&format!("{}-never-begins", mpi.name));
        let case = case("never_begins", &mpi, 2, &[folder.to_str().unwrap()]);
        let (output, run) = case.recorded("never-begins");
        assert_ne!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let said = "overhear: the process did not return from MPI_Init";
        assert!(own_lines(&output).contains(&said), "{}: {}", mpi.name, output.stderr);
        let report = run.report("rank");
        let warnings = report.warnings();
        let inside = "ended in MPI_Init at main (never_begins.c:35)";
        assert!(report.status == 4 && warnings.contains(inside), "{}: {warnings}", mpi.name);
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
        (removes, "the run's folder and its files were removed while the launch ran".to_string()),
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
    let mpi = those("has a launcher that lets ranks speak", Mpi::is_openmpi).remove(0);
    let output = behind(&quick(&mpi, &[]), Path::new("/proc/nowhere/run"));
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
    let message = "/proc/nowhere: No such file or directory";
    assert!(own_lines(&output).iter().any(|line| line.contains(message)), "{}", output.stderr);
    assert!(output.stderr.contains("Set OVERHEAR_DIR to a folder that can be written"), "{}", output.stderr);
}

#[test]
fn in_front_of_the_launcher_the_program_runs_where_no_folder_can_be_made() {
    for mpi in two_families() {
        let case = quick(&mpi, &[]);
        let mut command = Command::new(overhear());
        command.args(["record", "--dir", "/proc/nowhere/run"]).args(case.words());
        case.prepare(&mut command);
        let output = finish(&mut command);
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        let [line] = own_lines(&output)[..] else { panic!("{}: {}", mpi.name, output.stderr) };
        assert!(line.starts_with("overhear: /proc/nowhere/run: No such file or directory. Name"), "{line}");
        assert!(line.ends_with("with --dir. The program runs unrecorded."), "{line}");
    }
}

#[test]
fn a_program_that_never_calls_mpi_is_said_to_be_none() {
    let output = finish(Command::new(overhear()).args(["record", "--", "true"]));
    assert_eq!(output.status, 0);
    let message = "ended without a call of MPI_Init that the recorder saw, so there is nothing to report";
    assert!(output.stderr.contains(&format!("true {message}")), "{}", output.stderr);
    // ls closes stderr before it ends.
    let output = finish(Command::new(overhear()).args(["record", "ls", "/dev/null"]));
    assert_eq!((output.status, output.stdout.as_str()), (0, "/dev/null\n"));
    assert!(output.stderr.contains(&format!("ls {message}")), "{}", output.stderr);
    for mpi in two_families() {
        let folder = fresh_folder(&format!("{}-no-mpi", mpi.name));
        let mut command = Command::new(overhear());
        command.arg("record").arg("--dir").arg(&folder).args(mpi.launch(2)).args(["sleep", "0.2"]);
        mpi.set_environment(&mut command);
        let output = finish(&mut command);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(output.stderr.contains("nothing was recorded: no process wrote a trace"), "{}", output.stderr);
        assert!(!folder.exists());
    }
}

#[test]
fn a_launcher_behind_another_program_is_not_said_to_be_without_mpi() {
    for mpi in two_families() {
        for around in [&["env", "FOO=1"][..], &["timeout", "60"]] {
            let case = quick(&mpi, &[]);
            let folder = fresh_folder(&format!("{}-behind-{}", mpi.name, around[0]));
            let mut command = Command::new(overhear());
            command.arg("record").arg("--dir").arg(&folder).args(around).args(case.words());
            case.prepare(&mut command);
            let output = finish(&mut command);
            assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
            assert!(output.stderr.contains("Next: overhear"), "{}: {}", mpi.name, output.stderr);
            assert!(!output.stderr.contains("nothing to report"), "{}: {}", mpi.name, output.stderr);
        }
    }
}

#[test]
fn a_statically_linked_program_is_said_to_be_out_of_reach() {
    let source = target().join("programs/static.c");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    fs::write(&source, "int MPI_Init(int *c, char ***v) { return 0; }\nint main(void) { return MPI_Init(0, 0); }\n")
        .unwrap();
    for (flag, message) in [("-static", "is statically linked"), ("-g", "contains its own copy of MPI")] {
        let program = source.with_extension(flag.trim_start_matches('-'));
        let built = finish(Command::new("cc").arg(flag).arg("-w").arg("-o").arg(&program).arg(&source));
        assert_eq!(built.status, 0, "{}", built.stderr);
        let output = finish(Command::new(overhear()).args(["record", "--"]).arg(&program));
        assert_eq!(output.status, 0);
        assert!(output.stderr.contains(message), "{}", output.stderr);
    }
    // A tool that is linked into the program defines MPI_Init, too.
    for mpi in two_families() {
        let case = case("own_wrapper", &mpi, 2, &[]);
        let (output, run) = case.recorded("own-wrapper");
        assert_eq!(
            (output.status, output.stdout.as_str()),
            (0, "initialized 2 times\n"),
            "{}: {}",
            mpi.name,
            output.stderr
        );
        assert!(!output.stderr.contains("statically linked"), "{}: {}", mpi.name, output.stderr);
        assert_eq!(calls(&run, "MPI_Barrier"), 2, "{}", mpi.name);
    }
}

#[test]
fn bindings_for_cpp_are_not_taken_for_a_part_of_the_program() {
    let mut ran = 0;
    for mpi in libraries().iter().filter(|mpi| mpi.abi() == Abi::Mpich) {
        let folder = mpi.library.parent().unwrap();
        let names = ["libmpichcxx.so.12", "libmpicxx.so.12"];
        let Some(bindings) = names.iter().map(|name| folder.join(name)).find(|path| path.exists()) else { continue };
        let mut case = quick(mpi, &[]);
        case.path = case.path.with_file_name("quick_with_bindings");
        let source = workspace().join("examples/tests/programs/quick.c");
        let flags = ["-Wl,--no-as-needed".into(), bindings.display().to_string(), "-lstdc++".into()];
        compile(mpi, &source, &case.path, &flags);
        let (output, run) = case.recorded("bindings-for-cpp");
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        let warnings = run.ask("report", &[]).warnings();
        assert!(!warnings.contains("profiling names"), "{}: {warnings}", mpi.name);
        ran += 1;
    }
    assert!(ran > 0 || libraries().iter().all(|mpi| mpi.name != "mpich4"));
}

#[test]
fn the_null_mode_records_nothing_and_says_nothing() {
    let mpi = one();
    let (output, run) = quick(&mpi, &[]).with("OVERHEAR_MODE", "null").recorded("null");
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"));
    assert!(own_lines(&output).is_empty(), "{}", output.stderr);
    assert!(run.files().is_empty());
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
        let steps = |of: &str| output.stdout.lines().find(|line| line.starts_with(of)).unwrap_or_default();
        assert!(steps("starting ").contains(" in MPI_Init (median of ranks; "), "{}", output.stdout);
        assert!(steps("ending ").contains(" in MPI_Finalize (median of ranks; "), "{}", output.stdout);
        let next = format!("next       overhear record {}\n", case.words().join(" "));
        assert!(output.stdout.ends_with(&next), "{next}{}", output.stdout);
        assert!(!output.stderr.contains("Next: "), "{}", output.stderr);
    }
}

#[test]
fn the_doctor_of_a_program_without_a_launcher_does_not_name_the_folder_that_it_removes_as_the_next() {
    let mpi = one();
    let case = quick(&mpi, &[]);
    let mut command = Command::new(overhear());
    command.arg("doctor").arg("--").arg(&case.path).args(&case.arguments);
    case.prepare(&mut command);
    let output = finish(&mut command);
    assert!(output.stdout.contains("takes effect in 1 of 1 rank\n"), "{}{}", output.stdout, output.stderr);
    assert!(!output.stderr.contains("Next: "), "{}", output.stderr);
}

#[test]
fn the_doctors_folder_is_private_and_of_a_name_that_nobody_knows_before() {
    let temporary = fresh_folder("doctor");
    fs::create_dir_all(&temporary).unwrap();
    let look = r#"echo "$(dirname "$OVERHEAR_DIR") $(stat -c %a "$(dirname "$OVERHEAR_DIR")")" >> "$TMPDIR/seen""#;
    for _ in 0..2 {
        let mut doctor = Command::new(overhear());
        doctor.args(["doctor", "--", "sh", "-c", look]).env("TMPDIR", &temporary).current_dir(&temporary);
        assert_eq!(finish(&mut doctor).status, 4);
    }
    let seen = fs::read_to_string(temporary.join("seen")).unwrap();
    let [first, second] = seen.lines().collect::<Vec<_>>()[..] else { panic!("{seen}") };
    assert!([first, second].iter().all(|line| line.ends_with(" 700")) && first != second, "{seen}");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 1, "nothing stays behind but what was seen");
}

#[test]
fn the_doctor_says_of_a_program_that_is_not_there_that_it_is_not() {
    let output = finish(Command::new(overhear()).args(["doctor", "no-such-program"]));
    assert_eq!(output.status, 4, "{}", output.stderr);
    assert!(output.stdout.contains("there is no no-such-program"), "{}", output.stdout);
    assert!(!output.stdout.contains("preload"), "{}", output.stdout);
}
