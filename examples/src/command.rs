//! Runs commands with a time limit.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};
use std::{fs, io};

use crate::launch_turns;

#[derive(Debug)]
pub struct Output {
    /// Exit status, as a shell sees it.
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

const LIMIT: Duration = Duration::from_secs(120);

/// Runs a command to its end. Panics after two minutes: it hangs then.
pub fn finish(command: &mut Command) -> Output {
    finish_after(command, |_| ())
}

/// Runs a command and sends its group SIGINT (Ctrl-C) as soon as the file `ready` exists.
pub fn interrupt_when(ready: &Path, command: &mut Command) -> Output {
    finish_after(command, |child| {
        let began = Instant::now();
        while !ready.exists() && began.elapsed() < LIMIT {
            thread::sleep(Duration::from_millis(5));
        }
        // SAFETY: tells the group that was made for this command.
        unsafe { libc::kill(-(child.id() as i32), libc::SIGINT) };
    })
}

fn finish_after(command: &mut Command, meanwhile: impl FnOnce(&Child)) -> Output {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let _share = launch_turns::share();
    let mut child = spawn(command);
    meanwhile(&child);
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let status = wait(&mut child, command);
    let text = |reader: thread::JoinHandle<String>| reader.join().expect("a reader does not panic");
    Output { status, stdout: text(stdout), stderr: text(stderr) }
}

/// A forked child holds all open descriptors until it calls exec, and a file open for writing cannot be executed
/// (ETXTBSY). So nothing starts while an executable is written.
static EXECUTABLES: RwLock<()> = RwLock::new(());

pub fn spawn(command: &mut Command) -> Child {
    let _nothing_is_written = EXECUTABLES.read().unwrap_or_else(PoisonError::into_inner);
    command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Writes a file that will be executed. Nothing starts meanwhile, see [`EXECUTABLES`].
pub fn write_executable(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let _nothing_starts = EXECUTABLES.write().unwrap_or_else(PoisonError::into_inner);
    fs::write(path, bytes)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.expect("it was asked for").read_to_end(&mut bytes).expect("a pipe can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child, command: &Command) -> i32 {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        }
        if began.elapsed() > LIMIT {
            let hanging = hanging();
            // SAFETY: ends the group that was made for this command.
            unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
            panic!("{command:?} did not end within {LIMIT:?}. What runs, and what it waits for:\n{hanging}");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Lists processes and threads with their state and the system call they wait in.
fn hanging() -> String {
    let columns = "pid,ppid,pgid,tid,stat,time,wchan:24,args";
    let listed = Command::new("ps").args(["-eLo", columns, "--width", "200"]).output();
    let listed = listed.map_or_else(|error| error.to_string(), |listed| String::from_utf8_lossy(&listed.stdout).into());
    listed.lines().filter(|line| !line.contains(" [")).collect::<Vec<_>>().join("\n")
}
