//! One run of a program in a folder of its own, and its results.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use examples::mpi::Mpi;
use examples::run::{finish, overhear};
use examples::target;
use regex::{Regex, RegexSet};

use super::programs::PackagedProgram;

/// Time limit of a run in seconds.
const LIMIT: &str = "110";

/// A program and its folder: the same with and without the recorder, since some programs print its name.
pub struct Execution<'a> {
    program: &'static PackagedProgram,
    mpi: &'a Mpi,
    folder: PathBuf,
}

/// Results of a run.
pub struct Results {
    pub status: i32,
    /// Time the launcher took.
    pub elapsed: Duration,
    /// Standard error of program, launcher and recorder.
    pub stderr: String,
    /// Texts that must not change, by name.
    texts: Vec<(&'static str, String)>,
}

impl<'a> Execution<'a> {
    pub fn of(program: &'static PackagedProgram, mpi: &'a Mpi) -> Execution<'a> {
        let folder = target().join("real-programs").join(name(program, mpi));
        Execution { program, mpi, folder }
    }

    /// Name of this program under this library, as a path.
    pub fn name(&self) -> String {
        format!("real-programs/{}", name(self.program, self.mpi))
    }

    pub fn run(&self, trace: Option<&Path>) -> Result<Results, String> {
        self.prepare()?;
        let mut command = self.command("timeout");
        command.args(["--kill-after=1", LIMIT]);
        if let Some(trace) = trace {
            command.arg(overhear()).args(["record", "--dir"]).arg(trace);
        }
        command.args(self.mpi.launch(self.program.ranks)).args(self.program.command(self.mpi));
        let began = Instant::now();
        let output = finish(&mut command);
        let elapsed = began.elapsed();
        let mut stderr: Vec<&str> = output.stderr.lines().filter(|line| !line.starts_with("overhear: ")).collect();
        // Ranks write at once, in any order.
        stderr.sort_unstable();
        let mut texts = vec![("standard output", output.stdout), ("standard error", stderr.join("\n"))];
        for &file in self.program.results {
            let bytes = fs::read(self.folder.join(file));
            texts.push((
                file,
                bytes.map_or_else(|error| error.to_string(), |bytes| String::from_utf8_lossy(&bytes).into()),
            ));
        }
        for (_, text) in &mut texts {
            *text = self.what_stays(text);
        }
        Ok(Results { status: output.status, elapsed, stderr: output.stderr, texts })
    }

    /// Creates the folder anew, with the program's inputs.
    fn prepare(&self) -> Result<(), String> {
        let io = |error: std::io::Error| format!("{}: {error}", self.folder.display());
        let _ = fs::remove_dir_all(&self.folder);
        fs::create_dir_all(&self.folder).map_err(io)?;
        for (name, text) in self.program.inputs {
            fs::write(self.folder.join(name), text).map_err(io)?;
        }
        let Some(before) = self.program.before(self.mpi) else { return Ok(()) };
        let output = finish(self.command("sh").args(["-c", &before]));
        match output.status {
            0 => Ok(()),
            status => Err(format!("{before}: status {status}: {}{}", output.stdout, output.stderr)),
        }
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        self.mpi.set_environment(&mut command);
        // Ranks share the cores already.
        command.env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1").env("LC_ALL", "C");
        command.current_dir(&self.folder);
        command
    }

    /// Removes text that differs from run to run.
    fn what_stays(&self, text: &str) -> String {
        let only = RegexSet::new(self.program.only).expect("the table has regular expressions");
        let varies = Regex::new(&self.program.varies.join("|")).expect("the table has regular expressions");
        let stays = |line: &&str| only.is_empty() || only.is_match(line);
        let cut = |line| varies.replace_all(line, "");
        text.lines().filter(stays).map(cut).collect::<Vec<_>>().join("\n")
    }
}

fn name(program: &PackagedProgram, mpi: &Mpi) -> String {
    format!("{}-{}", program.name.replace(' ', "-"), mpi.name)
}

impl Results {
    /// First difference from another run.
    pub fn difference(&self, other: &Results) -> Option<String> {
        if self.status != other.status {
            return Some(format!("status {}, not {}: {}", other.status, self.status, other.stderr));
        }
        self.texts.iter().zip(&other.texts).find_map(|((name, mine), (_, theirs))| {
            if mine == theirs {
                return None;
            }
            let differs = mine.lines().zip(theirs.lines()).position(|(mine, theirs)| mine != theirs);
            let at = differs.unwrap_or(mine.lines().count().min(theirs.lines().count()));
            let line = |text: &str| text.lines().nth(at).map_or("nothing".into(), |line| format!("{line:?}"));
            Some(format!("{name}: {}, not {}", line(theirs), line(mine)))
        })
    }
}
