//! The end of a run, as the process in front of its launcher saw it, is in the run's folder and is said first.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{behind, both_families, case, libraries};
use examples::answer::Answer;
use examples::mpi::Mpi;
use examples::run::{Run, finish, fresh_folder, overhear};
use examples::running::Running;
use libc::{SIGINT, SIGKILL, SIGTERM};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

/// Libraries whose launchers end their ranks when a signal ends them: Intel MPI's is a script that does not.
fn launchers() -> Vec<Mpi> {
    both_families().into_iter().filter(|mpi| !mpi.name.starts_with("impi") && !mpi.name.ends_with("abi")).collect()
}

/// A recorded run of two ranks that wait for each other.
struct Waiting {
    running: Running,
    ready: PathBuf,
}

impl Waiting {
    fn begin(mpi: &Mpi, name: &str, files: &str) -> Waiting {
        let ready = fresh_folder(&format!("{}-{name}-ready", mpi.name));
        let case = case("ends", mpi, 2, &["waits", ready.to_str().unwrap()]).with("OVERHEAR_FILES", files);
        let waiting = Waiting { running: Running::begin(name, &case), ready };
        let began = Instant::now();
        while !waiting.ready.exists() || !waiting.running.has_begun(2) {
            assert!(began.elapsed() < PATIENCE, "{}: the ranks do not wait", mpi.name);
            thread::sleep(Duration::from_millis(10));
        }
        // The file is made just before the ranks wait.
        thread::sleep(Duration::from_millis(200));
        waiting
    }

    /// The process of `overhear record`.
    fn front(&self) -> i32 {
        self.running.launcher.id() as i32
    }

    /// The launcher: the child of the process in front that runs another program.
    fn launcher(&self) -> i32 {
        let front = self.front();
        let program = |pid: &str| fs::read_link(format!("/proc/{pid}/exe")).ok();
        let children = fs::read_to_string(format!("/proc/{front}/task/{front}/children")).unwrap();
        let own = program(&front.to_string());
        let launcher = children.split_whitespace().find(|pid| program(pid) != own);
        launcher.unwrap_or_else(|| panic!("{front} has no launcher: {children}")).parse().unwrap()
    }

    fn rank(&self, number: usize) -> i32 {
        let files = self.running.run.files();
        traces::read::RankFile::open(&files[number]).unwrap().header().pid as i32
    }

    /// Sends a signal, a negative process to its group, and waits until the run is over.
    fn ended_by(mut self, process: i32, signal: i32) -> Ended {
        // SAFETY: signals what this test has started.
        assert_eq!(unsafe { libc::kill(process, signal) }, 0);
        let began = Instant::now();
        while !self.running.is_over() {
            assert!(began.elapsed() < PATIENCE, "the run goes on");
            thread::sleep(Duration::from_millis(10));
        }
        let _ = fs::remove_file(&self.ready);
        let run = Run { folder: self.running.run.folder.clone() };
        run.wait_for_its_processes();
        for file in run.files() {
            // A launcher that was killed leaves its ranks behind.
            let pid = traces::read::RankFile::open(&file).unwrap().header().pid as i32;
            // SAFETY: ends a rank of this run.
            unsafe { libc::kill(pid, SIGKILL) };
        }
        run.wait_for_its_processes();
        Ended::of(run)
    }
}

/// A run that is over, and what is said of it.
struct Ended {
    run: Run,
    first: Value,
    /// The end in the words of the report.
    end: String,
}

impl Ended {
    fn of(run: Run) -> Ended {
        let screen = run.ask("diagnose", &["--no-cache"]);
        let findings = screen.rows("findings");
        let first = findings.first().cloned().unwrap_or_default();
        let end = screen.json["run"]["end"].as_str().unwrap_or_default().to_string();
        Ended { run, first, end }
    }

    /// Asserts that the first screen, `hang`, `report` and `check` begin with this and with where the ranks were last.
    fn is_told_first(&self, begin: &str, under: &str) {
        assert!(self.end.starts_with(begin), "{under}: {}", self.end);
        // Rank 0 may not be in the call yet after which the file was made.
        let places = [" in MPI_Recv at main (ends.c:", " outside MPI, after MPI_Sendrecv at main (ends.c:"];
        assert!(self.end.contains(" 2 of 2 ranks did not finalize MPI: "), "{under}: {}", self.end);
        assert!(places.iter().any(|place| self.end.contains(place)), "{under}: {}", self.end);
        assert_eq!(self.first["kind"], "ended", "{under}: {:#}", self.first);
        let headline = self.first["headline"].as_str().unwrap();
        assert!(headline.starts_with(begin), "{under}: {:#}", self.first);
        for analysis in ["report", "check", "hang"] {
            assert_eq!(self.run.ask(analysis, &[]).json["run"]["end"], self.end.as_str(), "{under} {analysis}");
        }
        let hang = words(&self.run, "hang");
        assert!(hang.starts_with(&self.end), "{under}: {hang}");
        let top = on_one_line(&finish(Command::new(overhear()).args(["top", "--once"]).arg(&self.run.folder)).stdout);
        assert!(top.contains(headline), "{under}: {top}");
        let report = words(&self.run, "report");
        assert!(report.contains(&format!("ended {}", self.end)), "{under}: {report}");
    }

    /// The lines of the log, each with an event.
    fn log(&self) -> Vec<Value> {
        log(&self.run)
    }
}

/// Returns the text that an analysis prints, on one line.
fn words(run: &Run, analysis: &str) -> String {
    let output = finish(Command::new(overhear()).arg(analysis).arg(&run.folder).arg("--no-cache"));
    on_one_line(&output.stdout)
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn log(run: &Run) -> Vec<Value> {
    let entries = fs::read_dir(&run.folder).unwrap().flatten();
    let logs: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "jsonl")).collect();
    assert!(logs.len() <= 1, "{logs:?}");
    let text = logs.first().map_or(String::new(), |log| fs::read_to_string(log).unwrap());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn events(log: &[Value]) -> Vec<&str> {
    log.iter().map(|line| line["event"].as_str().unwrap()).collect()
}

#[test]
fn a_signal_to_the_process_in_front_is_said_to_have_ended_the_run_and_by_whom() {
    let mut runs = 0;
    for mpi in launchers() {
        for (name, to_group, sent, files) in
            [("term", false, SIGTERM, "rank"), ("int", true, SIGINT, "rank"), ("node", false, SIGTERM, "node")]
        {
            let under = format!("{} {name}", mpi.name);
            let waiting = Waiting::begin(&mpi, &format!("ended-by-{name}"), files);
            let front = waiting.front();
            let ended = waiting.ended_by(if to_group { -front } else { front }, sent);
            let signal = if sent == SIGTERM { "Signal 15 (SIGTERM)" } else { "Signal 2 (SIGINT)" };
            ended.is_told_first(&format!("{signal} reached mpi"), &under);
            let log = ended.log();
            assert_eq!(events(&log), ["begin", "signal", "end"], "{under}");
            let own = std::process::id();
            assert_eq!([&log[1]["from_pid"], &log[1]["to_group"]], [&json!(own), &json!(to_group)], "{under}: {log:?}");
            assert!(ended.end.contains(&format!("(process {own}); it ended ")), "{under}: {}", ended.end);
            runs += 1;
        }
    }
    assert!(runs > 0);
}

#[test]
fn a_launcher_or_a_process_in_front_that_is_killed_is_what_ended_the_run() {
    let mut runs = 0;
    for mpi in launchers() {
        let waiting = Waiting::begin(&mpi, "front-killed", "rank");
        let front = waiting.front();
        let ended = waiting.ended_by(front, SIGKILL);
        let said = &ended.end;
        assert!(said.contains("since overhear record in front of it was killed."), "{}: {said}", mpi.name);
        assert!(said.contains(" got signal 15 (SIGTERM) "), "{}: {said}", mpi.name);
        ended.is_told_first("mpi", mpi.name);
        assert_eq!(events(&ended.log()), ["begin", "front_killed"], "{}", mpi.name);

        let waiting = Waiting::begin(&mpi, "launcher-killed", "rank");
        let launcher = waiting.launcher();
        let ended = waiting.ended_by(launcher, SIGKILL);
        assert!(ended.end.contains(" by signal 9 (SIGKILL)."), "{}: {}", mpi.name, ended.end);
        ended.is_told_first("mpi", mpi.name);
        assert_eq!(events(&ended.log()), ["begin", "end"], "{}", mpi.name);

        // All at once, as at a limit for memory: nobody is left that could write.
        let waiting = Waiting::begin(&mpi, "all-killed", "rank");
        let front = waiting.front();
        let ended = waiting.ended_by(-front, SIGKILL);
        assert!(ended.end.contains(" ended is not known: "), "{}: {}", mpi.name, ended.end);
        assert!(ended.end.contains("overhear record in front of it was killed as well"), "{}: {}", mpi.name, ended.end);
        ended.is_told_first("How mpi", mpi.name);
        assert_eq!(events(&ended.log()), ["begin"], "{}", mpi.name);
        runs += 3;
    }
    assert!(runs > 0);
}

#[test]
fn a_rank_that_is_killed_is_told_with_the_status_of_the_launcher() {
    for mpi in launchers() {
        let waiting = Waiting::begin(&mpi, "rank-killed", "rank");
        let rank = waiting.rank(1);
        let ended = waiting.ended_by(rank, SIGKILL);
        let log = ended.log();
        assert_eq!(events(&log), ["begin", "end"], "{}", mpi.name);
        let status = log[1]["status"].as_i64().unwrap();
        assert_ne!(status, 0, "{}", mpi.name);
        let stands_for = if status == 137 { ", which stands for signal 9 (SIGKILL)" } else { "" };
        let said = format!("after its start with status {status}{stands_for}.");
        assert!(ended.end.contains(&said), "{}: {}", mpi.name, ended.end);
        // Where the others waited long enough, the first finding is the rank that went first.
        let text = format!("{} {}", ended.first["headline"].as_str().unwrap(), ended.first["detail"].as_str().unwrap());
        assert!(["ended", "aborted"].iter().any(|kind| ended.first["kind"] == *kind), "{}: {text}", mpi.name);
        assert!(text.contains(&said), "{}: {text}", mpi.name);
    }
}

#[test]
fn a_rank_that_ends_the_run_is_told_first_and_then_the_status_of_the_launcher() {
    for mpi in libraries() {
        for how in ["exit", "abort", "segv", "MPI_Abort"] {
            let (output, run) = case("ends", &mpi, 2, &[how]).recorded(&format!("run-ends-{how}"));
            let under = format!("{} {how}: {}", mpi.name, output.stderr);
            let ended = Ended::of(run);
            assert_eq!((&ended.first["kind"], &ended.first["ranks"]), (&json!("aborted"), &json!("1")), "{under}");
            let detail = ended.first["detail"].as_str().unwrap();
            assert!(detail.contains(&format!("after its start with status {}", output.status)), "{under}: {detail}");
            assert!(detail.ends_with("its file."), "{under}: {detail}");
        }
    }
}

#[test]
fn a_status_after_the_end_of_mpi_is_said_and_of_a_run_that_ended_well_nothing() {
    for mpi in libraries() {
        let (output, run) = case("ends", &mpi, 2, &["late"]).recorded("run-ends-late");
        assert_ne!(output.status, 0, "{}", mpi.name);
        let ended = Ended::of(run);
        let said = format!(" after its start with status {}. All ranks had finalized MPI.", output.status);
        assert!(ended.end.ends_with(&said), "{}: {}", mpi.name, ended.end);
        assert_eq!(ended.first["kind"], "ended", "{}: {:#}", mpi.name, ended.first);
        let (output, run) = case("ends", &mpi, 2, &["well"]).recorded("run-ends-well");
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let ended = Ended::of(run);
        assert_eq!((ended.end.as_str(), ended.first["kind"] == "ended"), ("", false), "{}", mpi.name);
        assert_eq!(ended.log()[1]["status"], 0, "{}", mpi.name);
        // A copy of the folder has it, too.
        let late = fresh_folder(&format!("{}-run-ends-copied", mpi.name));
        assert_eq!(finish(Command::new("cp").arg("-r").arg(&ended.run.folder).arg(&late)).status, 0);
        let report: Answer = Run { folder: late }.report("rank");
        assert_eq!(report.json["run"]["launcher_status"], 0, "{}", mpi.name);
    }
}

#[test]
fn a_run_without_a_process_in_front_says_what_its_ranks_files_tell() {
    for mpi in libraries() {
        let folder = fresh_folder(&format!("{}-run-ends-behind", mpi.name));
        let output = behind(&case("ends", &mpi, 2, &["segv"]), &folder);
        assert_ne!(output.status, 0, "{}", mpi.name);
        let run = Run { folder };
        run.wait_for_its_processes();
        let ended = Ended::of(run);
        assert_eq!((ended.end.as_str(), ended.log().len()), ("", 0), "{}", mpi.name);
        let headline = ended.first["headline"].as_str().unwrap();
        assert!(headline.starts_with("Rank 1 ended outside MPI, after MPI_Sendrecv"), "{}: {headline}", mpi.name);
    }
}

#[test]
fn the_description_of_the_format_names_every_field_of_a_log() {
    let format = include_str!("../../../traces/FORMAT.md");
    let section = format.split("\n## ").find(|section| section.starts_with("The log of a launch")).unwrap();
    let mpi = launchers().remove(0);
    let waiting = Waiting::begin(&mpi, "described", "rank");
    let front = waiting.front();
    let log = waiting.ended_by(front, SIGTERM).log();
    let mut fields = 0;
    for name in log.iter().flat_map(|line| line.as_object().unwrap().keys()) {
        assert!(name == "event" || section.contains(&format!("`{name}`")), "{name}");
        fields += 1;
    }
    assert!(fields > 10, "{log:?}");
}
