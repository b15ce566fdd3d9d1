//! Commands whose stdout takes nothing, or that a signal ends.

use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{one, quick};
use examples::command::spawn;
use examples::run::{fresh_folder, overhear};
use examples::workspace;

/// Runs a command of overhear whose stdout is a full disk, a pipe that nobody reads, or closed.
fn with_stdout(stdout: &str, words: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", if stdout == "closed" { r#"exec "$@" >&-"# } else { r#"exec "$@""# }, "sh"]);
    command.arg(overhear()).args(words).stdin(Stdio::null()).stderr(Stdio::piped());
    match stdout {
        "full" => command.stdout(File::options().write(true).open("/dev/full").unwrap()),
        _ => command.stdout(std::io::pipe().unwrap().1),
    };
    command.output().unwrap()
}

#[test]
fn no_command_panics_on_a_stdout_that_takes_nothing() {
    let run = workspace().join("traces/samples/integer_sort-openmpi").display().to_string();
    let run = run.as_str();
    let commands: [&[&str]; 13] = [
        &["doctor"],
        &["env", "--launcher", "openmpi"],
        &[run],
        &["report", run],
        &["waits", run, "--format", "json"],
        &["timeline", run],
        &["top", "--once", run],
        &["hang", run],
        &["explain", "late_sender"],
        &["schema", "waits"],
        &["completions", "bash"],
        &["--help"],
        &["diff", run, run],
    ];
    for words in commands {
        for stdout in ["full", "unread", "closed"] {
            let output = with_stdout(stdout, words);
            let said = String::from_utf8_lossy(&output.stderr);
            let status = output.status.code();
            assert!(!said.contains("panicked") && status != Some(101), "{words:?} {stdout}: {status:?} {said}");
            // Help is printed by the library that parses the command line.
            if stdout == "full" && words != ["--help"] {
                assert!(status == Some(3) && said.contains("stdout: "), "{words:?}: {status:?} {said}");
            }
        }
    }
}

/// Signals a command once it has begun to write into the folder `place`. Returns the signal that ended it.
fn interrupted(words: &[&str], place: &Path, signal: i32) -> Option<i32> {
    fs::create_dir_all(place).unwrap();
    let mut command = Command::new(overhear());
    // A shell that runs the tests in the background has SIGINT ignored, and a command that begins so leaves it ignored.
    // SAFETY: sets a signal's action in the child alone.
    unsafe {
        command.pre_exec(move || match libc::signal(signal, libc::SIG_DFL) {
            libc::SIG_ERR => Err(std::io::Error::last_os_error()),
            _ => Ok(()),
        })
    };
    let mut child = spawn(command.args(words).stdout(Stdio::null()).stderr(Stdio::null()));
    let began = Instant::now();
    while fs::read_dir(place).unwrap().next().is_none() && began.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_micros(200));
    }
    // SAFETY: signals a child.
    unsafe { libc::kill(child.id() as i32, signal) };
    child.wait().unwrap().signal()
}

#[test]
fn an_interrupted_export_leaves_nothing_behind() {
    let mpi = one();
    let (_, run) = quick(&mpi, &["calls", "300000"]).recorded("exported");
    let run = run.folder.to_str().unwrap();
    let mut ran = 0;
    for signal in [libc::SIGINT, libc::SIGTERM] {
        for (format, out) in [("otf2", "archive"), ("parquet", "tables"), ("perfetto", "trace.json")] {
            let place = fresh_folder(&format!("interrupted-{format}-{signal}"));
            let out = place.join(out).display().to_string();
            let ended = interrupted(&["export", "--to", format, run, &out], &place, signal);
            assert_eq!(ended, Some(signal), "{format}");
            let left: Vec<_> = fs::read_dir(&place).unwrap().flatten().map(|entry| entry.path()).collect();
            assert!(left.is_empty(), "{format}: {left:?}");
            ran += 1;
        }
    }
    assert!(ran > 0 && Path::new(run).join("rank-0000.ovh").exists());
}
