//! Signals to `overhear record` have the effect that they would have on the launcher or the program.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{both_families, case, one};
use examples::command::{spawn, write_executable};
use examples::launch_turns::{self, Share};
use examples::mpi::Mpi;
use examples::run::{Case, Run, finish, fresh_folder, overhear};
use examples::workspace;
use libc::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM, SIGUSR1};

/// Time limit of every wait.
const PATIENCE: Duration = Duration::from_secs(60);

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "not so after {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn start(words: &[String], prepare: impl Fn(&mut Command)) -> Child {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    prepare(&mut command);
    // nohup and a shell's `&` ignore these signals, and child processes would inherit that.
    let by_default = || {
        for signal in [SIGHUP, SIGINT, SIGQUIT] {
            // SAFETY: sets a disposition, which may be done between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: see there.
    unsafe { command.pre_exec(by_default) };
    spawn(&mut command)
}

fn signal(process: i32, signal: i32) {
    // SAFETY: signals what this test has started.
    assert_eq!(unsafe { libc::kill(process, signal) }, 0);
}

/// Exit status, as a shell sees it.
fn status(child: &mut Child) -> i32 {
    let status = child.wait().unwrap();
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap())
}

fn record(folder: &Path) -> Vec<String> {
    [overhear().display().to_string(), "record".into(), "--dir".into(), folder.display().to_string()].into()
}

/// Two ranks that wait for each other forever, in a program of their own, by which they are found.
struct Job<'a> {
    case: Case<'a>,
    ready: PathBuf,
    _share: Share,
}

impl<'a> Job<'a> {
    fn new(mpi: &'a Mpi) -> Job<'a> {
        let folder = fresh_folder(&format!("{}-signals", mpi.name));
        fs::create_dir_all(&folder).unwrap();
        let (program, ready) = (folder.join("waiting"), folder.join("ready"));
        let case = case("ends", mpi, 2, &["waits", ready.to_str().unwrap()]);
        write_executable(&program, &fs::read(&case.path).unwrap()).unwrap();
        Job { case: Case { path: program, ..case }, ready, _share: launch_turns::share() }
    }

    /// Starts the job, with these words before the launcher and before the program, and waits until its ranks wait.
    fn start(&self, front: &[String], between: &[String]) -> Child {
        let _ = fs::remove_file(&self.ready);
        let whole = self.case.words();
        let (launcher, program) = whole.split_at(whole.len() - 3);
        let words = [front, launcher, between, program].concat();
        let child = start(&words, |command| self.case.prepare(command));
        wait_until("ranks wait", || self.ready.exists());
        child
    }

    /// Exit status after a signal to the started process. Asserts that no process is left.
    fn status_by(&self, front: &[String], between: &[String], sent: i32) -> i32 {
        let mut child = self.start(front, between);
        signal(child.id() as i32, sent);
        let status = status(&mut child);
        wait_until("all ranks have ended", || !is_running(&self.case.path));
        status
    }
}

/// A failed test would leave ranks that spin until the machine reboots.
impl Drop for Job<'_> {
    fn drop(&mut self) {
        for process in running(&self.case.path) {
            // SAFETY: signals what this test has started.
            unsafe { libc::kill(process, SIGKILL) };
        }
    }
}

/// Processes that run a program.
fn running(program: &Path) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        if fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program) {
            found.extend(entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()));
        }
    }
    found
}

fn is_running(program: &Path) -> bool {
    !running(program).is_empty()
}

/// Libraries with different launchers.
fn launchers() -> Vec<Mpi> {
    both_families().into_iter().filter(|mpi| !mpi.name.ends_with("abi")).collect()
}

#[test]
fn a_signal_to_record_ends_the_job_as_one_to_the_launcher_does() {
    for mpi in launchers() {
        let job = Job::new(&mpi);
        let folder = |name: &str| fresh_folder(&format!("{}-signals-{name}", mpi.name));
        let between = [record(&folder("behind")), vec!["--".into()]].concat();
        // Open MPI passes this signal on to its ranks, the others do not.
        let passed_on = Some(SIGUSR1).filter(|_| mpi.is_openmpi());
        for sent in [SIGTERM, SIGHUP, SIGINT].into_iter().chain(passed_on) {
            // Intel's mpirun is a script that leaves its ranks running; in front of it, record cannot know.
            let is_script = mpi.name.starts_with("impi");
            let recorded = job.status_by(&record(&folder(&sent.to_string())), &[], sent);
            if is_script {
                assert_eq!(recorded, 128 + sent, "{}", mpi.name);
                continue;
            }
            let behind = job.status_by(&[], &between, sent);
            // MPICH 4's launcher ends with one status or the other.
            if mpi.name != "mpich4" {
                let plain = job.status_by(&[], &[], sent);
                assert_eq!([recorded, behind], [plain; 2], "{} {sent}", mpi.name);
            }
        }
        assert_eq!(job.status_by(&record(&folder("killed")), &[], SIGKILL), 128 + SIGKILL, "{}", mpi.name);
    }
}

#[test]
fn a_run_that_goes_on_is_not_said_to_have_ended() {
    let mpi = one();
    let job = Job::new(&mpi);
    let run = Run { folder: fresh_folder("goes-on") };
    let mut child = job.start(&record(&run.folder), &[]);
    let warnings = || run.report("rank").warnings();
    let inside = "rank 1 still runs: it has been in MPI_Recv (from 0, tag 99, 4 bytes, MPI_COMM_WORLD)";
    wait_until(inside, || warnings().contains(inside));
    signal(child.id() as i32, SIGTERM);
    assert_ne!(status(&mut child), 0);
    wait_until("all ranks have ended", || !is_running(&job.case.path));
    assert!(warnings().contains("rank 1 did not finalize MPI: it ended in MPI_Recv"), "{}", warnings());
}

#[test]
fn a_signal_reaches_the_launcher_once_whether_sent_to_record_or_to_its_group() {
    let folder = fresh_folder("signals-counted");
    fs::create_dir_all(&folder).unwrap();
    let (launcher, log) = (folder.join("mpirun"), folder.join("log"));
    let source = workspace().join("examples/tests/programs/launcher.c");
    let built = finish(Command::new("cc").arg("-o").arg(&launcher).arg(source));
    assert_eq!(built.status, 0, "{}", built.stderr);
    let words = [record(&folder.join("run")), [&launcher, &log].map(|path| path.display().to_string()).into()].concat();
    let count = || fs::read(&log).map_or(0, |bytes| bytes.len());
    let begin = || {
        let _ = fs::remove_file(&log);
        let child = start(&words, |_| ());
        wait_until("the launcher runs", || log.exists());
        child
    };
    let mut child = begin();
    let process = child.id() as i32;
    for (to, times) in [(process, 1), (-process, 2), (-process, 3), (process, 4)] {
        signal(to, SIGUSR1);
        wait_until("the launcher was signalled", || count() >= times);
        // A second delivery of the signal would have arrived by then.
        thread::sleep(Duration::from_millis(100));
        assert_eq!(count(), times);
    }
    signal(process, SIGTERM);
    assert_eq!(child.wait().unwrap().code(), Some(7));
    let mut child = begin();
    signal(child.id() as i32, SIGHUP);
    assert_eq!(child.wait().unwrap().signal(), Some(SIGHUP));
}
