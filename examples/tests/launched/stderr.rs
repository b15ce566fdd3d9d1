//! Recorded processes leave stderr to the program: launchers may fail to hand on what is written there, and programs read
//! the stderr of what they start.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{both_families, by_hand, calls, case as program, own_lines, quick, those};
use examples::launch_turns;
use examples::run::{Case, Run, finish, fresh_folder, library, overhear};

/// A way to run a case.
struct Way {
    name: &'static str,
    words: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

/// The case alone, and the ways to record it into a folder.
fn ways(case: &Case<'_>, folder: &Path) -> [Way; 4] {
    let (dir, preload) = (folder.display().to_string(), library().display().to_string());
    let record = [overhear().display().to_string(), "record".into(), "--dir".into(), dir.clone()];
    let program = case.words();
    let launcher = case.mpi.launch(case.ranks);
    let in_front = [&record[..], &program].concat();
    let behind = [&launcher[..], &record, &["--".into()], &program[launcher.len()..]].concat();
    let by_hand = vec![("LD_PRELOAD", preload), ("OVERHEAR_DIR", dir)];
    [
        Way { name: "plain", words: program.clone(), variables: Vec::new() },
        Way { name: "in front", words: in_front, variables: Vec::new() },
        Way { name: "behind", words: behind, variables: Vec::new() },
        Way { name: "by hand", words: program, variables: by_hand },
    ]
}

/// Status and stdout of a command whose stderr is a full disk, a pipe that nobody reads, or closed.
fn with_stderr(case: &Case<'_>, stderr: &str, way: &Way) -> (Option<i32>, String) {
    let mut command = Command::new("timeout");
    command.arg("60");
    let script = if stderr == "closed" { r#"exec "$@" 2>&-"# } else { r#"exec "$@""# };
    command.args(["sh", "-c", script, "sh"]).args(["env".to_string()]);
    command.args(way.variables.iter().map(|(name, value)| format!("{name}={value}"))).args(&way.words);
    command.stdin(Stdio::null());
    match stderr {
        "full" => command.stderr(File::options().write(true).open("/dev/full").unwrap()),
        _ => command.stderr(std::io::pipe().unwrap().1),
    };
    case.prepare(&mut command);
    let _share = launch_turns::share();
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_job_whose_stderr_takes_nothing_ends_as_it_does_without_the_recorder() {
    let mut ran = 0;
    for mpi in both_families() {
        for stderr in ["full", "closed", "unread"] {
            let case = quick(&mpi, &["exit", "3"]);
            let folder = fresh_folder(&format!("{}-{stderr}", mpi.name));
            let [plain, recorded @ ..] = ways(&case, &folder);
            let alone = with_stderr(&case, stderr, &plain);
            for way in recorded {
                let _ = fs::remove_dir_all(&folder);
                let found = with_stderr(&case, stderr, &way);
                let at = format!("{} {stderr} {}", mpi.name, way.name);
                // In front of a launcher that fails without a stderr, the command gives it one.
                let is_better = stderr == "closed" && way.name == "in front" && found == (Some(3), "done\n".into());
                assert!(found == alone || is_better, "{at}: {found:?}, plain {alone:?}");
                if found.1 == "done\n" {
                    assert_eq!(calls(&Run { folder: folder.clone() }, "MPI_Send"), 10, "{at}");
                    ran += 1;
                }
            }
        }
    }
    assert!(ran > 0);
}

#[test]
fn a_launch_without_a_command_in_front_leaves_its_messages_to_the_next_command() {
    for mpi in those("is no Open MPI", |mpi| !mpi.is_openmpi()) {
        let here = fresh_folder(&format!("{}-messages", mpi.name));
        let output = by_hand(&quick(&mpi, &[]).with("OVERHEAR_MAX_BYTES", "many"), &here);
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        assert!(own_lines(&output).is_empty(), "{}: {}", mpi.name, output.stderr);
        let next = finish(Command::new(overhear()).current_dir(&here));
        let message = "OVERHEAR_MAX_BYTES=many: not a size";
        assert!(next.status == 3 && next.stderr.contains(message), "{}: {}", mpi.name, next.stderr);
        assert!(next.stderr.contains("nothing was recorded"), "{}: {}", mpi.name, next.stderr);
    }
}

/// A script that launches a program twice and prints what each launch writes to stderr.
fn starter(inner: &Case<'_>) -> String {
    // Launchers refuse to start inside a launch that they recognize.
    let forget = "unset $(env | grep -o '^\\(OMPI\\|PMIX\\|PMI\\|PRTE\\|MPI_LOCAL\\|MPIR\\|HYD\\|I_MPI_HYDRA\\)[A-Z0-9_]*' | grep -v ALLOW_RUN_AS_ROOT)";
    let launch = format!("{} 2>&1 >/dev/null", inner.words().join(" "));
    format!("({forget}; {launch}; {launch})")
}

#[test]
fn what_a_recorded_program_launches_is_silent_and_listed_at_the_end() {
    for mpi in both_families() {
        let case = quick(&mpi, &[]);
        let launches = starter(&case);
        // A script, and a rank between its calls.
        let script = ["sh", "-c", &launches].map(String::from).to_vec();
        let rank = program("moves_folder", &mpi, 1, &[&launches]).words();
        for (of, words, folders) in [("script", script, ["", "-2"]), ("rank", rank, ["-2", "-3"])] {
            let folder = fresh_folder(&format!("{}-nested-{of}", mpi.name));
            for number in 2..4 {
                let _ = fs::remove_dir_all(folder.with_file_name(format!("{}-nested-{of}-{number}", mpi.name)));
            }
            let mut command = Command::new(overhear());
            command.arg("record").arg("--dir").arg(&folder).args(&words);
            case.prepare(&mut command);
            let output = finish(&mut command);
            assert_eq!((output.status, output.stdout.as_str()), (0, ""), "{} {of}: {}", mpi.name, output.stderr);
            let last = own_lines(&output).last().unwrap().to_string();
            for which in folders {
                let run = folder.with_file_name(format!("{}-nested-{of}{which}", mpi.name));
                assert_eq!(calls(&Run { folder: run.clone() }, "MPI_Send"), 10, "{} {of}{which}", mpi.name);
                let named = last.contains(&run.display().to_string());
                assert!(named, "{} {of}{which}: {last}", mpi.name);
            }
        }
    }
}
