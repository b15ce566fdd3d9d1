//! Runs commands with a time limit, and programs with and without the recorder.

use std::fs;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::answer::Answer;
use crate::mpi::Mpi;
use crate::program::Program;
use crate::target;

/// A command's output and exit status.
#[derive(Debug)]
pub struct Output {
    /// Its exit status, as a shell would see it.
    pub status: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// How long a command may take.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs a command to its end. Panics where it takes longer than two minutes: it hangs.
pub fn finish(command: &mut Command) -> Output {
    finish_after(command, |_| ())
}

/// The same, and does what Ctrl-C does as soon as a file is there.
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
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    meanwhile(&child);
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let status = wait(&mut child, command);
    let text = |reader: thread::JoinHandle<String>| reader.join().expect("a reader does not panic");
    Output { status, stdout: text(stdout), stderr: text(stderr) }
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

/// The processes of this machine, and of each thread whether it runs and which system call it waits in.
fn hanging() -> String {
    let columns = "pid,ppid,pgid,tid,stat,time,wchan:24,args";
    let listed = Command::new("ps").args(["-eLo", columns, "--width", "200"]).output();
    let listed = listed.map_or_else(|error| error.to_string(), |listed| String::from_utf8_lossy(&listed.stdout).into());
    listed.lines().filter(|line| !line.contains(" [")).collect::<Vec<_>>().join("\n")
}

/// The `overhear` command, as `cargo build --release` makes it.
pub fn overhear() -> PathBuf {
    built("overhear")
}

/// The library, one file for every MPI.
pub fn library() -> PathBuf {
    built("liboverhear.so")
}

/// The archive, for programs that are linked with it.
pub fn archive() -> PathBuf {
    built("liboverhear.a")
}

fn built(name: &str) -> PathBuf {
    let path = target().join("release").join(name);
    assert!(path.exists(), "{} is not built: run cargo xtask test, or cargo build --release first", path.display());
    path
}

/// A program to be run under a library.
pub struct Case<'a> {
    /// The library.
    pub mpi: &'a Mpi,
    /// The program's file.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Ranks; 0 is one without a launcher.
    pub ranks: u32,
    /// Variables for it.
    pub variables: Vec<(String, String)>,
}

impl<'a> Case<'a> {
    /// A program of the folder, built.
    pub fn of(program: &Program, mpi: &'a Mpi) -> Case<'a> {
        let filter = program.filter.iter().map(|filter| ("OVERHEAR_FILTER".to_string(), filter.clone()));
        Case {
            mpi,
            path: program.build(mpi),
            arguments: program.arguments.clone(),
            ranks: program.ranks,
            variables: filter.chain(program.variables.iter().cloned()).collect(),
        }
    }

    /// The same with a variable set.
    pub fn with(mut self, name: &str, value: &str) -> Case<'a> {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// The command line.
    pub fn words(&self) -> Vec<String> {
        let mut words = self.mpi.launch(self.ranks);
        words.push(self.path.to_string_lossy().into_owned());
        words.extend(self.arguments.iter().cloned());
        words
    }

    /// Gives a command what the case needs.
    pub fn prepare(&self, command: &mut Command) {
        self.mpi.set_environment(command);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Runs it without the recorder.
    pub fn plain(&self) -> Output {
        let words = self.words();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        self.prepare(&mut command);
        finish(&mut command)
    }

    /// Runs it under `overhear record`, in front of any launcher, into a folder that is fresh.
    pub fn recorded(&self, name: &str) -> (Output, Run) {
        let folder = fresh_folder(&format!("{}-{name}", self.mpi.name));
        let mut command = Command::new(overhear());
        command.arg("record").arg("--dir").arg(&folder).args(self.words());
        self.prepare(&mut command);
        (finish(&mut command), Run { folder })
    }
}

/// A folder for a run that does not exist yet.
pub fn fresh_folder(name: &str) -> PathBuf {
    let folder = target().join("runs").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.parent().expect("it has one")).expect("the target folder can be written");
    folder
}

/// A recorded run.
#[derive(Debug)]
pub struct Run {
    /// Its folder.
    pub folder: PathBuf,
}

impl Run {
    /// What an analysis says of it, with these arguments.
    pub fn ask(&self, analysis: &str, arguments: &[&str]) -> Answer {
        Answer::of(Command::new(overhear()).arg(analysis).arg(&self.folder).args(arguments))
    }

    /// What `overhear report` says.
    pub fn report(&self, by: &str) -> Answer {
        self.ask("report", &["--by", by])
    }

    /// Runs `overhear report` on it.
    pub fn report_output(&self, arguments: &[&str]) -> Output {
        finish(Command::new(overhear()).arg("report").arg(&self.folder).args(arguments))
    }

    /// Files of the folder that are traces.
    pub fn files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|file| file.path());
        let mut files: Vec<PathBuf> = files.filter(|path| is_trace(path)).collect();
        files.sort();
        files
    }
}

fn is_trace(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "ovh")
}
