//! A program in `programs/`: its first lines, and how it is built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::mpi::Mpi;
use crate::truth::Expectation;
use crate::waits::{Stated, Wait};
use crate::{target, workspace};

/// What a program's first lines say.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its file's name without the ending.
    pub name: String,
    /// Its source.
    pub source: PathBuf,
    /// Ranks it runs on.
    pub ranks: u32,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// A function the library must have.
    pub needs: Option<String>,
    /// Flags for the compiler.
    pub flags: Vec<String>,
    /// The source of a library that the program loads from its own folder.
    pub plugin: Option<String>,
    /// What OVERHEAR_FILTER is to be.
    pub filter: Option<String>,
    /// The exit status it ends with.
    pub status: i32,
    /// Functions it calls besides those it states.
    pub also: Vec<String>,
    /// What it states.
    pub expectations: Vec<Expectation>,
    /// The waits it plants.
    pub waits: Vec<Wait>,
    /// The share of the time of all ranks that it allows to other waits.
    pub elsewhere: Option<f64>,
}

/// The folder the programs are in.
fn folder() -> PathBuf {
    workspace().join("examples/programs")
}

impl Program {
    /// Names of all programs.
    pub fn names() -> Vec<String> {
        let files = fs::read_dir(folder()).expect("the programs are there").flatten().map(|file| file.path());
        let is_program = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c");
        let name = |path: PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut names: Vec<String> =
            files.filter(is_program).map(name).filter(|name| !name.ends_with("_part")).collect();
        names.sort();
        names
    }

    /// Reads a program's first lines. Panics where they say something unknown, since nobody would notice otherwise.
    pub fn read(name: &str) -> Program {
        let source = folder().join(name).with_extension("c");
        let text = fs::read_to_string(&source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        let mut program = Program { name: name.into(), source, ranks: 1, ..Program::default() };
        let lines = text.lines().take_while(|line| line.starts_with("//"));
        for line in lines.map(|line| line.trim_start_matches('/').trim()) {
            let Some((key, value)) = line.split_once(": ") else { continue };
            program.say(key, value.trim(), line);
        }
        program
    }

    fn say(&mut self, key: &str, value: &str, line: &str) {
        let words = || value.split_whitespace().map(String::from).collect::<Vec<_>>();
        match key {
            "run" => {
                let (launch, arguments) = value.split_once(" -- ").unwrap_or((value, ""));
                let ranks = launch.trim().strip_prefix("-n ").and_then(|ranks| ranks.parse().ok());
                self.ranks = ranks.unwrap_or_else(|| panic!("{}: {line}", self.name));
                self.arguments = arguments.split_whitespace().map(String::from).collect();
            }
            "needs" => self.needs = Some(value.into()),
            "cflags" => self.flags = words(),
            "plugin" => self.plugin = Some(value.into()),
            "filter" => self.filter = Some(value.into()),
            "status" => self.status = value.parse().unwrap_or_else(|_| panic!("{}: {line}", self.name)),
            "also" => self.also.extend(words()),
            "expect" => {
                self.expect(value).unwrap_or_else(|reason| panic!("{}: {line}: {reason}", self.name));
            }
            // The sentences above may have a colon too.
            key if key.contains(' ') => {}
            _ => panic!("{}: nothing is called {key}: {line}", self.name),
        }
    }

    fn expect(&mut self, value: &str) -> Result<(), String> {
        let Some(wait) = value.strip_prefix("wait ") else {
            self.expectations.push(value.parse()?);
            return Ok(());
        };
        match Stated::read(wait)? {
            Stated::Wait(wait) => self.waits.push(wait),
            Stated::Elsewhere(share) => self.elsewhere = Some(share),
        }
        Ok(())
    }

    /// Whether the library has what the program needs.
    pub fn runs_under(&self, mpi: &Mpi) -> bool {
        self.needs.as_ref().is_none_or(|function| mpi.has(function))
    }

    /// Builds the program for a library, unless that was done since its source was changed.
    pub fn build(&self, mpi: &Mpi) -> PathBuf {
        let folder = target().join("programs").join(mpi.built_as);
        fs::create_dir_all(&folder).expect("the target folder can be written");
        if let Some(plugin) = &self.plugin {
            let source = self.source.with_file_name(plugin);
            let flags = ["-shared", "-fPIC"].map(String::from);
            compile(mpi, &source, &folder.join(plugin).with_extension("so"), &flags);
        }
        let program = folder.join(&self.name);
        compile(mpi, &self.source, &program, &self.flags);
        program
    }
}

/// Compiles a C source with a library's own compiler, unless that was done since it or a header beside it was changed.
pub fn compile(mpi: &Mpi, source: &Path, to: &Path, flags: &[String]) {
    let changed = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let written = headers_beside(source).iter().filter_map(|header| changed(header)).chain(changed(source)).max();
    if changed(to).is_some_and(|made| written.is_some_and(|written| written < made)) {
        return;
    }
    let mut command = Command::new(&mpi.compiler);
    // MPICH's header says that MPI_STATUSES_IGNORE has no elements, at which gcc warns in every program.
    command.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wno-stringop-overflow"]).args(flags);
    command.arg("-o").arg(to).arg(source).args(["-lpthread", "-ldl"]);
    // A library that runs programs of another's compiler has nothing to say to that.
    if mpi.built_as == mpi.name {
        mpi.set_environment(&mut command);
    }
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

fn headers_beside(source: &Path) -> Vec<PathBuf> {
    let files = source.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|ending| ending == "h")).collect()
}
