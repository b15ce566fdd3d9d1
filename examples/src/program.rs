//! A program in `programs/`: its first lines, and its build.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::launch_turns;
use crate::machine::{target, workspace};
use crate::mpi::{Fortran, Mpi};
use crate::stated::{Expectation, Stated, Wait};

/// Programs that use values which ABIs number differently: statuses, constants, handles in arrays, callbacks.
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

/// Statements in a program's first lines.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// File name without its extension.
    pub name: String,
    pub source: PathBuf,
    pub ranks: u32,
    pub arguments: Vec<String>,
    /// Function the library must have, or `mpi_f08`.
    pub needs: Option<String>,
    pub flags: Vec<String>,
    /// Source of a library that the program loads from its own folder.
    pub plugin: Option<String>,
    /// Variables that some library needs.
    pub variables: Vec<(String, String)>,
    /// Libraries under which it fails even without the recorder.
    pub cannot: Vec<String>,
    /// Value of OVERHEAR_FILTER.
    pub filter: Option<String>,
    /// File with further statements, if not the source.
    pub stated_in: Option<PathBuf>,
    /// Functions it calls besides those it states.
    pub also: Vec<String>,
    /// Languages it calls MPI from; C by default.
    pub languages: Option<String>,
    pub expectations: Vec<Expectation>,
    pub waits: Vec<Wait>,
    /// Share of all ranks' time that other waits may take.
    pub elsewhere: Option<f64>,
    /// Finding that `overhear diagnose` must put first.
    pub finding: Option<StatedFinding>,
    /// Verdict of `overhear hang`, with reason and ranks if it hangs.
    pub hangs: Option<String>,
}

/// A planted cause: `late_rank ranks last at MPI_Allreduce // sum`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatedFinding {
    /// Kind of finding; several, separated by `|`, if each is true.
    pub kind: String,
    /// Ranks that cause it: `0`, `last`, `odd`, or `-` for none in particular.
    pub ranks: String,
    /// Function, and comment of its line, that the finding must name.
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

    /// Rank numbers in a run of `size` ranks; `None` for `-`.
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

/// Extension of Fortran source that the preprocessor reads.
pub const FORTRAN: &str = "F90";
/// Extension of C++ source.
const CPP: &str = "cpp";
/// First characters of comments, in C and in Fortran.
const COMMENTS: [char; 2] = ['/', '!'];

fn folder() -> PathBuf {
    workspace().join("examples/programs")
}

impl Program {
    pub fn names() -> Vec<String> {
        let files = fs::read_dir(folder()).expect("the programs are there").flatten().map(|file| file.path());
        let is_program = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c" || ending == FORTRAN);
        let name = |path: PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut names: Vec<String> =
            files.filter(is_program).map(name).filter(|name| !name.ends_with("_part")).collect();
        names.sort();
        names
    }

    /// Reads a program's first lines. Panics at an unknown key, which would go unnoticed otherwise.
    pub fn read(name: &str) -> Program {
        Program::read_in(&folder(), name)
    }

    pub fn read_in(folder: &Path, name: &str) -> Program {
        let sources = ["c", FORTRAN, CPP].map(|ending| folder.join(name).with_extension(ending));
        let source = sources.iter().find(|source| source.exists()).unwrap_or(&sources[0]).clone();
        let text = fs::read_to_string(&source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        let mut program = Program { name: name.into(), source, ranks: 1, ..Program::default() };
        program.listen(&text);
        program
    }

    /// Reads the statements in a file's first lines.
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
            // The reason follows in parentheses.
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
            // Sentences above the statements may have a colon, too.
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

    pub fn runs_under(&self, mpi: &Mpi) -> bool {
        self.is_known_to(mpi) && !self.fails_under(mpi)
    }

    /// True if the library has everything the program needs, and still fails to run it.
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

    /// Finds the line that ends with this comment, in the source or a file it includes. Panics unless there is exactly
    /// one.
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

    /// Files with its code and statements.
    pub fn sources(&self) -> Vec<PathBuf> {
        let mut sources = vec![self.source.clone()];
        sources.extend(self.stated_in.clone());
        sources.extend(self.plugin.as_ref().map(|plugin| self.source.with_file_name(plugin)));
        sources
    }

    fn is_fortran(&self) -> bool {
        self.source.extension().is_some_and(|ending| ending == FORTRAN)
    }

    /// Builds the program for a library, unless it is newer than its source.
    pub fn build(&self, mpi: &Mpi) -> PathBuf {
        let mut folder = target().join("programs").join(if self.is_fortran() { mpi.name } else { mpi.built_as });
        // Programs of two folders may have one name.
        if let Ok(below) = self.source.parent().unwrap_or(&self.source).strip_prefix(workspace().join("examples")) {
            folder.push(below);
        }
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

/// Compiles C or C++ source with the library's compiler, unless the result is newer than the source and the headers beside it.
pub fn compile(mpi: &Mpi, source: &Path, to: &Path, flags: &[String]) {
    let mut command = Command::new(&mpi.compiler);
    // MPICH's header declares MPI_STATUSES_IGNORE without elements, and gcc warns about that in every program.
    let is_cpp = source.extension().is_some_and(|ending| ending == CPP);
    // The headers' own classes would need a library that the C compiler does not link.
    let language: &[&str] =
        if is_cpp { &["-x", "c++", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"] } else { &["-std=gnu11"] };
    command.args(language).args(["-O1", "-g", "-Wall", "-Wno-stringop-overflow"]).args(flags);
    command.arg(source).args(is_cpp.then_some("-lstdc++")).args(["-lpthread", "-ldl", "-lm"]);
    // The variables of a library without a compiler are for its launcher.
    if mpi.built_as == mpi.name {
        mpi.set_environment(&mut command);
    }
    make(to, source, "h", &mut command);
}

/// Compiles Fortran source, as [`Program::compile`] does C.
pub fn compile_fortran(mpi: &Mpi, fortran: &Fortran, source: &Path, to: &Path) {
    let mut command = Command::new(&fortran.compiler[0]);
    command.args(["-cpp", "-O1", "-g", "-fallow-argument-mismatch"]).args(&fortran.compiler[1..]);
    // The files of modules lie beside the program, not where the compiler runs.
    command.arg("-J").arg(to.parent().expect("a program is in a folder"));
    command.arg(source).args(&fortran.libraries);
    mpi.set_environment(&mut command);
    make(to, source, "inc", &mut command);
}

/// Files under construction: two tests at a time may want the same one.
static BEING_MADE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
static MADE: Condvar = Condvar::new();

/// Marks a file as under construction until it is dropped.
struct Making<'a>(&'a Path);

impl Making<'_> {
    /// Waits until no other thread builds the file.
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

/// Compiles unless the result is newer than the source and the files beside it with this extension. The compiler writes
/// under another name, so a file that exists is complete.
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

/// True if the file is newer than its source, and than the files beside that with this extension.
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
