//! A program in `programs/`: its first lines, and how it is built.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::launch_turns;
use crate::machine::{target, workspace};
use crate::mpi::{Fortran, Mpi};
use crate::stated::{Expectation, Stated, Wait};

/// Programs that ask for what ABIs number differently: statuses, constants, handles in arrays, callbacks.
pub const ABI_SENSITIVE: [&str; 15] = [
    "abi_marks",
    "cancelled",
    "comm_churn",
    "copied_handles",
    "datatypes",
    "errors",
    "files",
    "in_place",
    "large_counts",
    "mprobe",
    "partitioned",
    "persistent",
    "probing",
    "sessions",
    "spawns",
];

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
    /// A function the library must have, or `mpi_f08`.
    pub needs: Option<String>,
    /// Flags for the compiler.
    pub flags: Vec<String>,
    /// The source of a library that the program loads from its own folder.
    pub plugin: Option<String>,
    /// Variables it needs, for some library or other.
    pub variables: Vec<(String, String)>,
    /// Libraries under which it fails by itself.
    pub cannot: Vec<String>,
    /// What OVERHEAR_FILTER is to be.
    pub filter: Option<String>,
    /// The file that states the rest, where it is not its source.
    pub stated_in: Option<PathBuf>,
    /// Functions it calls besides those it states.
    pub also: Vec<String>,
    /// The languages it calls MPI in; C where it says nothing.
    pub languages: Option<String>,
    /// What it states.
    pub expectations: Vec<Expectation>,
    /// The waits it plants.
    pub waits: Vec<Wait>,
    /// The share of the time of all ranks that it allows to other waits.
    pub elsewhere: Option<f64>,
    /// The finding that `overhear diagnose` puts first.
    pub finding: Option<StatedFinding>,
    /// The verdict of `overhear hang`, with the reason and its ranks where it hangs.
    pub hangs: Option<String>,
}

/// The cause that a program plants: `late_rank ranks last at MPI_Allreduce // sum`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatedFinding {
    /// Its kind; several, separated by `|`, where either is true.
    pub kind: String,
    /// The ranks that cause it: `0`, `last`, `odd`, or `-` for none in particular.
    pub ranks: String,
    /// The function and the comment of the line that it names, if it names one.
    pub place: Option<(String, String)>,
}

impl StatedFinding {
    fn read(text: &str) -> Option<StatedFinding> {
        let (head, place) = text.split_once(" at ").map_or((text, None), |(head, place)| (head, Some(place)));
        let (kind, ranks) = head.split_once(" ranks ")?;
        let place = place.map(|place| {
            let (function, mark) = place.split_once(" // ").unwrap_or((place, ""));
            (function.trim().to_string(), mark.trim().to_string())
        });
        Some(StatedFinding { kind: kind.trim().into(), ranks: ranks.trim().into(), place })
    }

    /// The ranks by number, of so many; `None` where it names none.
    pub fn ranks_of(&self, size: u32) -> Option<Vec<u32>> {
        match self.ranks.as_str() {
            "-" => None,
            "last" => Some(vec![size - 1]),
            "odd" => Some((1..size).step_by(2).collect()),
            "even" => Some((0..size).step_by(2).collect()),
            list => list.split(',').map(|rank| rank.trim().parse().ok()).collect(),
        }
    }
}

/// The ending of a Fortran program that goes through the preprocessor.
const FORTRAN: &str = "F90";
/// What begins a comment, in C and in Fortran.
const COMMENTS: [char; 2] = ['/', '!'];

/// The folder the programs are in.
fn folder() -> PathBuf {
    workspace().join("examples/programs")
}

impl Program {
    /// Names of all programs.
    pub fn names() -> Vec<String> {
        let files = fs::read_dir(folder()).expect("the programs are there").flatten().map(|file| file.path());
        let is_program = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c" || ending == FORTRAN);
        let name = |path: PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut names: Vec<String> =
            files.filter(is_program).map(name).filter(|name| !name.ends_with("_part")).collect();
        names.sort();
        names
    }

    /// Reads a program's first lines. Panics where they say something unknown, since nobody would notice otherwise.
    pub fn read(name: &str) -> Program {
        Program::read_in(&folder(), name)
    }

    /// The same of a program in another folder.
    pub fn read_in(folder: &Path, name: &str) -> Program {
        let sources = ["c", FORTRAN].map(|ending| folder.join(name).with_extension(ending));
        let source = sources.iter().find(|source| source.exists()).unwrap_or(&sources[0]).clone();
        let text = fs::read_to_string(&source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        let mut program = Program { name: name.into(), source, ranks: 1, ..Program::default() };
        program.listen(&text);
        program
    }

    /// Takes in what a file's first lines say.
    fn listen(&mut self, text: &str) {
        let lines = text.lines().take_while(|line| line.starts_with(COMMENTS));
        for line in lines.map(|line| line.trim_start_matches(COMMENTS).trim()) {
            let Some((key, value)) = line.split_once(": ") else { continue };
            self.say(key, value.trim(), line);
        }
    }

    fn say(&mut self, key: &str, value: &str, line: &str) {
        let words = || value.split_whitespace().map(String::from).collect::<Vec<_>>();
        match key {
            "run" => {
                let (launch, arguments) = value.split_once(" -- ").unwrap_or((value, ""));
                // Other numbers of ranks may follow.
                let launch = launch.split(',').next().unwrap_or_default().trim();
                let ranks = launch.strip_prefix("-n ").and_then(|ranks| ranks.parse().ok());
                self.ranks = ranks.unwrap_or_else(|| panic!("{}: {line}", self.name));
                self.arguments = arguments.split_whitespace().map(String::from).collect();
            }
            "needs" => self.needs = Some(value.into()),
            "cflags" => self.flags = words(),
            "plugin" => self.plugin = Some(value.into()),
            "set" => self.variables = value.split_whitespace().filter_map(variable).collect(),
            // The reason stands behind them.
            "cannot" => self.cannot = words().into_iter().take_while(|word| !word.starts_with('(')).collect(),
            "filter" => self.filter = Some(value.into()),
            "as" => {
                let other = self.source.with_file_name(value);
                self.listen(&fs::read_to_string(&other).unwrap_or_else(|error| panic!("{}: {error}", other.display())));
                self.stated_in = Some(other);
            }
            "hangs" => self.hangs = Some(value.into()),
            "finding" => {
                let finding = StatedFinding::read(value);
                self.finding = Some(finding.unwrap_or_else(|| panic!("{}: {line}", self.name)));
            }
            "languages" => self.languages = Some(value.into()),
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

    /// Whether the program runs under the library.
    pub fn runs_under(&self, mpi: &Mpi) -> bool {
        self.is_known_to(mpi) && !self.fails_under(mpi)
    }

    /// Whether the library has what the program needs, and lets it fail all the same.
    pub fn fails_under(&self, mpi: &Mpi) -> bool {
        self.is_known_to(mpi) && self.cannot.iter().any(|name| name == mpi.name)
    }

    fn is_known_to(&self, mpi: &Mpi) -> bool {
        match &mpi.fortran {
            None if self.is_fortran() => false,
            Some(fortran) if self.needs.as_deref() == Some("mpi_f08") => fortran.f08,
            _ => self.needs.as_ref().is_none_or(|function| mpi.has(function)),
        }
    }

    /// The line of source that ends with a comment of these words, in the file or in one that it includes. Panics where it
    /// is not exactly one.
    pub fn line_marked(&self, mark: &str, function: &str) -> usize {
        let files = files_beside(&self.source, "inc").into_iter().chain([self.source.clone()]);
        let is_marked = |line: &str| {
            line.ends_with(mark)
                && line.trim_end_matches(mark).trim_end().ends_with(COMMENTS)
                && !line.starts_with(COMMENTS)
                && line.contains(function)
        };
        let text = |file: PathBuf| fs::read_to_string(file).unwrap_or_default();
        let lines =
            |text: String| (1..).zip(text.lines()).filter(|(_, line)| is_marked(line)).map(|(at, _)| at).collect();
        let marked: Vec<usize> = files.flat_map(|file| -> Vec<usize> { lines(text(file)) }).collect();
        let [line] = marked[..] else { panic!("{}: lines {marked:?} end with {mark}", self.name) };
        line
    }

    /// The files that its lines and what it states are in.
    pub fn sources(&self) -> Vec<PathBuf> {
        let mut sources = vec![self.source.clone()];
        sources.extend(self.stated_in.clone());
        sources.extend(self.plugin.as_ref().map(|plugin| self.source.with_file_name(plugin)));
        sources
    }

    fn is_fortran(&self) -> bool {
        self.source.extension().is_some_and(|ending| ending == FORTRAN)
    }

    /// Builds the program for a library, unless that was done since its source was changed.
    pub fn build(&self, mpi: &Mpi) -> PathBuf {
        let folder = target().join("programs").join(if self.is_fortran() { mpi.name } else { mpi.built_as });
        fs::create_dir_all(&folder).expect("the target folder can be written");
        if let Some(plugin) = &self.plugin {
            let source = self.source.with_file_name(plugin);
            let flags = ["-shared", "-fPIC"].map(String::from);
            compile(mpi, &source, &folder.join(plugin).with_extension("so"), &flags);
        }
        let program = folder.join(&self.name);
        if let Some(fortran) = mpi.fortran.as_ref().filter(|_| self.is_fortran()) {
            compile_fortran(mpi, fortran, &self.source, &program);
            return program;
        }
        compile(mpi, &self.source, &program, &self.flags);
        program
    }
}

fn variable(word: &str) -> Option<(String, String)> {
    word.split_once('=').map(|(name, value)| (name.into(), value.into()))
}

/// Compiles a C source with a library's own compiler, unless that was done since it or a header beside it was changed.
pub fn compile(mpi: &Mpi, source: &Path, to: &Path, flags: &[String]) {
    let mut command = Command::new(&mpi.compiler);
    // MPICH's header says that MPI_STATUSES_IGNORE has no elements, at which gcc warns in every program.
    command.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wno-stringop-overflow"]).args(flags);
    command.arg(source).args(["-lpthread", "-ldl", "-lm"]);
    // A library that runs programs of another's compiler has nothing to say to that.
    if mpi.built_as == mpi.name {
        mpi.set_environment(&mut command);
    }
    make(to, source, "h", &mut command);
}

/// The same for a Fortran source.
pub fn compile_fortran(mpi: &Mpi, fortran: &Fortran, source: &Path, to: &Path) {
    let mut command = Command::new(&fortran.compiler[0]);
    command.args(["-cpp", "-O1", "-g", "-fallow-argument-mismatch"]).args(&fortran.compiler[1..]);
    command.arg(source).args(&fortran.libraries);
    mpi.set_environment(&mut command);
    make(to, source, "inc", &mut command);
}

/// Files that are being made. Two tests at a time may want one.
static BEING_MADE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
static MADE: Condvar = Condvar::new();

/// One of them, until it is dropped.
struct Making<'a>(&'a Path);

impl Making<'_> {
    /// Waits until nobody else makes the file.
    fn begin(file: &Path) -> Making<'_> {
        let mut being_made = BEING_MADE.lock().unwrap_or_else(PoisonError::into_inner);
        while !being_made.insert(file.into()) {
            being_made = MADE.wait(being_made).unwrap_or_else(PoisonError::into_inner);
        }
        Making(file)
    }
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        BEING_MADE.lock().unwrap_or_else(PoisonError::into_inner).remove(self.0);
        MADE.notify_all();
    }
}

/// Has a compiler make a file, unless it did since the source or a file beside it with this ending was changed. What is there is
/// whole: it is made under another name.
fn make(to: &Path, source: &Path, ending: &str, compiler: &mut Command) {
    let _making = Making::begin(to);
    if is_newer(to, source, ending) {
        return;
    }
    let _share = launch_turns::share();
    let mut partial = to.as_os_str().to_owned();
    partial.push(".partial");
    done(compiler.arg("-o").arg(&partial));
    fs::rename(&partial, to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
}

/// Whether a file was made since its source, and the files beside that with this ending, were changed.
fn is_newer(made: &Path, source: &Path, ending: &str) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let written = files_beside(source, ending).iter().filter_map(|file| changed(file)).chain(changed(source)).max();
    changed(made).is_some_and(|made| written.is_some_and(|written| written < made))
}

fn files_beside(source: &Path, ending: &str) -> Vec<PathBuf> {
    let files = source.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|other| other == ending)).collect()
}

fn done(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}
