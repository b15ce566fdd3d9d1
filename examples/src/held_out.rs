//! Programs whose causes were stated before their author read any rule that should find them, and their judgement.
//!
//! In: `truth.tsv` of a set's folder in `programs`. Out: what the first finding about a recorded program has in common with
//! the truth, and the seconds of the program's loop, with the cause and cured.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::fixture::Fixture;
use crate::machine::workspace;
use crate::mpi::Mpi;
use crate::program::Program;
use crate::run::{Case, Run};

/// Programs with one truth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeldOutSet {
    /// The first such set, whose misses rules were mended by since.
    HeldOut,
    /// The second, by another author.
    Unseen,
    /// The third, by another author again.
    Third,
    /// The fourth, by yet another author.
    Fourth,
}

impl HeldOutSet {
    pub const ALL: [HeldOutSet; 4] = [HeldOutSet::HeldOut, HeldOutSet::Unseen, HeldOutSet::Third, HeldOutSet::Fourth];

    /// Name of its folder in `programs`.
    pub fn name(self) -> &'static str {
        match self {
            HeldOutSet::HeldOut => "held_out",
            HeldOutSet::Unseen => "unseen",
            HeldOutSet::Third => "third",
            HeldOutSet::Fourth => "fourth",
        }
    }

    pub fn folder(self) -> PathBuf {
        workspace().join("examples/programs").join(self.name())
    }

    /// Programs whose names contain `name`, if one is given, in the truth's order.
    pub fn programs(self, name: Option<&str>) -> Vec<HeldOut> {
        let path = self.folder().join("truth.tsv");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
        let programs = rows.map(|row| HeldOut::read(self, row));
        programs.filter(|one| name.is_none_or(|name| one.program.name.contains(name))).collect()
    }
}

/// A cause of `truth.tsv`, the kinds of findings that state it, and words of which one must be in the finding if its kind alone says
/// less. No kinds: any with such a word.
struct Cause {
    name: &'static str,
    kinds: &'static [&'static str],
    words: &'static [&'static str],
}

const fn cause(name: &'static str, kinds: &'static [&'static str], words: &'static [&'static str]) -> Cause {
    Cause { name, kinds, words }
}

/// Cause of a program that is as fast as it can be.
const NOTHING: &str = "nothing";

const CAUSES: [Cause; 39] = [
    cause("call_order", &["chain", "wrong_order"], &[]),
    cause("chain", &["chain"], &[]),
    cause("collective_by_hand", &["collective_by_hand"], &[]),
    cause("extra_copies", &[], &["copied", "copies"]),
    cause("file_io", &[], &["disk", "file", "blocked", "input or output"]),
    cause("frequent_check", &[], &["call it less often"]),
    cause("latency", &[], &["steps from rank to rank"]),
    cause("layout", &[], &["pieces", "contiguous", "datatype"]),
    cause("leak", &["leak"], &[]),
    cause("lock_held", &[], &["lock"]),
    cause("made_again", &["made_again"], &[]),
    cause("more_work", &["late_rank"], &[]),
    cause("naps", &["polling"], &["sleep"]),
    cause("needless_barrier", &["needless_barrier"], &[]),
    cause("needless_bytes", &[], &["bytes", "bandwidth"]),
    cause("needless_moves", &[], &["bytes", "bandwidth", "moves"]),
    cause("no_progress", &["unprogressed"], &[]),
    cause(NOTHING, &[], &[]),
    cause("one_rank_works", &["serial_work"], &[]),
    cause("pack_by_element", &[], &["MPI_Pack"]),
    cause("page_faults", &[], &["page fault", "kernel"]),
    cause("receive_order", &[], &["as they come", "until all of its messages"]),
    cause("sender_waits", &["late_receiver", "eager_limit"], &[]),
    cause("sent_late", &[], &["earlier", "sooner"]),
    cause("shared_core", &[], &["core"]),
    cause("sleeps", &[], &["sleep", "asleep"]),
    cause("slow_core", &["sporadic_delay", "busy_host", "not_running"], &[]),
    cause("slow_server", &["serial_work", "late_rank"], &[]),
    cause("small_collectives", &["small_collectives"], &[]),
    cause("small_epochs", &[], &["epoch"]),
    cause("small_messages", &["small_messages"], &[]),
    cause("small_tasks", &[], &["answers", "several tasks"]),
    cause("small_writes", &[], &["write"]),
    cause("threads_contend", &[], &["threads"]),
    cause("too_many_tests", &["polling"], &[]),
    cause("too_wide", &[], &["communicator"]),
    cause("unread_messages", &["untaken"], &[]),
    cause("waits_too_early", &[], &["before MPI_Wait"]),
    cause("wandering_work", &["sporadic_delay"], &[]),
];

/// Programs without a fixture: hundreds of thousands of calls make a recording of megabytes.
pub const TOO_LARGE: [&str; 8] = [
    "block_dots",
    "gather_by_rows",
    "kept_communicators",
    "put_by_put",
    "receives_left_posted",
    "threads_in_mpi",
    "unread_messages",
    "wavefront_grains",
];

/// Findings about other processes of the machine.
const OF_OTHERS: [&str; 2] = ["busy_host", "not_running"];

pub struct HeldOut {
    pub program: Program,
    causes: Vec<&'static Cause>,
    /// Ranks that cause the loss; `None` for all, or none in particular.
    by: Option<Vec<u32>>,
    /// Functions and comments of the lines of MPI calls that show or cause the loss.
    calls: Vec<(String, String)>,
    /// The program's function where the cause lies.
    pub function: String,
    pub source: String,
    /// The truth says that nothing is left to mention about the cured program.
    pub is_clean_cured: bool,
}

/// A recorded run of a program.
pub struct HeldOutRun {
    /// Seconds of the slowest rank's loop; `None` if the program did not state them or its result was wrong.
    pub loop_s: Option<f64>,
    pub output: String,
    pub run: Run,
    pub findings: Vec<Value>,
}

/// The agreement of a finding with the truth.
#[derive(Clone, Copy, Default)]
pub struct Agreement {
    pub cause: bool,
    pub place: bool,
    pub ranks: bool,
}

impl Agreement {
    pub fn is_full(self) -> bool {
        self.cause && self.place && self.ranks
    }
}

/// The program of a fixture, with the lines that it was recorded with.
pub fn of_fixture(fixture: Fixture) -> HeldOut {
    let mut programs = HeldOutSet::ALL.into_iter().flat_map(|set| set.programs(None));
    let one = programs.find(|one| one.program.name == fixture.program.name);
    let one = one.unwrap_or_else(|| panic!("the truth has no {}", fixture.program.name));
    HeldOut { program: Program { ranks: one.program.ranks, ..fixture.program }, ..one }
}

/// The first finding, apart from those about other processes of the machine; one that names the rank whose core they had counts.
pub fn first_of_program(findings: &[Value]) -> Option<&Value> {
    let is_of_others = |finding: &Value| OF_OTHERS.contains(&finding["kind"].as_str().unwrap_or_default());
    findings.iter().find(|finding| !is_of_others(finding) || finding["ranks"] != "")
}

impl HeldOut {
    fn read(set: HeldOutSet, row: &str) -> HeldOut {
        let columns = row.split('\t').collect::<Vec<_>>();
        let [name, ranks, causes, by, calls, function, source, ref left @ ..] = columns[..] else {
            panic!("truth.tsv: not seven columns: {row}");
        };
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("truth.tsv: {text} is no number: {row}"));
        let known = |name: &str| {
            CAUSES.iter().find(|cause| cause.name == name).unwrap_or_else(|| panic!("no cause is called {name}: {row}"))
        };
        let call = |call: &str| {
            let (function, mark) = call.split_once(" // ").unwrap_or_else(|| panic!("{call} has no comment: {row}"));
            (function.trim().to_string(), mark.trim().to_string())
        };
        let mut program = Program::read_in(&set.folder(), name);
        program.ranks = number(ranks);
        HeldOut {
            program,
            causes: causes.split(';').map(known).collect(),
            by: (by != "-").then(|| by.split(' ').map(number).collect()),
            calls: calls.split(';').filter(|calls| *calls != "-").map(call).collect(),
            function: function.into(),
            source: source.into(),
            is_clean_cured: left == [NOTHING],
        }
    }

    /// Nothing is wrong with it.
    pub fn is_clean(&self) -> bool {
        self.causes.iter().any(|cause| cause.name == NOTHING)
    }

    /// Lines of its MPI calls, as `jacobi.c:41`. Panics if the source has not exactly one such line for each.
    pub fn places(&self) -> Vec<String> {
        let file = self.program.source.file_name().unwrap_or_default().to_string_lossy();
        let line = |(function, mark): &(String, String)| self.program.line_marked(mark, function);
        self.calls.iter().map(|call| format!("{file}:{}", line(call))).collect()
    }

    pub fn causes(&self) -> String {
        self.causes.iter().map(|cause| cause.name).collect::<Vec<_>>().join(" or ")
    }

    fn case<'a>(&self, mpi: &'a Mpi, cured: bool) -> Case<'a> {
        let mut case = Case::of(&self.program, mpi);
        case.arguments.extend(cured.then(|| "cured".to_string()));
        case
    }

    /// Runs it without the recorder. Returns its output, and the seconds of its loop if its result is correct.
    pub fn plain(&self, mpi: &Mpi, cured: bool) -> (String, Option<f64>) {
        let output = self.case(mpi, cured).plain();
        (format!("{}{}", output.stdout, output.stderr), seconds(&output.stdout, output.status))
    }

    pub fn recorded(&self, mpi: &Mpi, cured: bool) -> HeldOutRun {
        let (output, run) = self.case(mpi, cured).recorded(&self.run_name(cured));
        let printed = output_file(&run.folder);
        fs::write(&printed, &output.stdout).unwrap_or_else(|error| panic!("{}: {error}", printed.display()));
        HeldOutRun::judged(run, seconds(&output.stdout, output.status), format!("{}{}", output.stdout, output.stderr))
    }

    /// A run that [`HeldOut::recorded`] left in a folder, judged again. `None` if the folder has none.
    pub fn kept(&self, mpi: &Mpi, cured: bool, folder: &Path) -> Option<HeldOutRun> {
        let run = Run { folder: folder.join(format!("{}-{}", mpi.name, self.run_name(cured))) };
        let output = fs::read_to_string(output_file(&run.folder)).ok()?;
        Some(HeldOutRun::judged(run, seconds(&output, 0), output))
    }

    fn run_name(&self, cured: bool) -> String {
        format!("{}-{}", self.program.name, if cured { "cured" } else { "sick" })
    }

    /// Compares a run's first finding with the truth, as far as a machine can tell. None is right where nothing is wrong.
    pub fn agreement_of(&self, first: Option<&Value>) -> Agreement {
        match first {
            Some(finding) if !self.is_clean() => self.agreement(finding),
            first => {
                let is_right = self.is_clean() && first.is_none();
                Agreement { cause: is_right, place: is_right, ranks: is_right }
            }
        }
    }

    /// Compares a finding with the truth.
    pub fn agreement(&self, finding: &Value) -> Agreement {
        let text = |key: &str| finding[key].as_str().unwrap_or_default();
        // Places name the file, whose name may say the cause.
        let said = ["headline", "detail", "advice"].map(text).join(" ").replace(&self.program.name, "");
        let is_stated = |cause: &&Cause| {
            (cause.kinds.is_empty() || cause.kinds.contains(&text("kind")))
                && (cause.words.is_empty() || cause.words.iter().any(|word| said.contains(word)))
        };
        let named: Vec<u32> = text("ranks").split_whitespace().filter_map(|rank| rank.parse().ok()).collect();
        let places = self.places();
        Agreement {
            cause: self.causes.iter().any(is_stated),
            place: text("sites").split_whitespace().any(|site| places.iter().any(|place| site.ends_with(place))),
            ranks: self.by.as_ref().is_none_or(|by| *by == named),
        }
    }
}

impl HeldOutRun {
    fn judged(run: Run, loop_s: Option<f64>, output: String) -> HeldOutRun {
        let findings = run.ask("diagnose", &["--no-cache"]).rows("findings").to_vec();
        HeldOutRun { loop_s, output, run, findings }
    }

    /// The first finding, apart from those about other processes of the machine.
    pub fn first_of_program(&self) -> Option<&Value> {
        first_of_program(&self.findings)
    }
}

/// File beside a run's folder with what the program printed.
fn output_file(run: &Path) -> PathBuf {
    run.with_extension("out")
}

/// The loop's seconds, from the output of a program that ended well.
fn seconds(stdout: &str, status: i32) -> Option<f64> {
    let mut lines = stdout.lines().map(str::trim).filter(|line| !line.is_empty());
    let loop_s = lines.find_map(|line| line.strip_prefix("loop ")?.trim().parse().ok())?;
    (status == 0 && lines.any(|line| line == "ok")).then_some(loop_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_names_every_program_and_lines_that_exist() {
        for set in HeldOutSet::ALL {
            let programs = set.programs(None);
            let files = fs::read_dir(set.folder()).unwrap().flatten().map(|file| file.path());
            let sources = files.filter(|path| path.extension().is_some_and(|ending| ending != "h" && ending != "tsv"));
            assert_eq!(programs.len(), sources.count());
            assert!(programs.len() >= 20);
            for one in &programs {
                let text = fs::read_to_string(&one.program.source).unwrap();
                assert_eq!(one.places().is_empty(), one.is_clean(), "{}", one.program.name);
                assert!(text.contains(&one.function), "{} has no {}", one.program.name, one.function);
                assert!(one.by.iter().flatten().all(|rank| *rank < one.program.ranks), "{}", one.program.name);
            }
        }
    }

    #[test]
    fn a_loop_counts_only_if_its_result_is_correct() {
        assert_eq!(seconds("loop 1.25\nok\n", 0), Some(1.25));
        assert_eq!(seconds("loop .5\nok\n", 0), Some(0.5));
        assert_eq!(seconds("loop 1.25\nWRONG\n", 1), None);
        assert_eq!(seconds("ok\n", 0), None);
    }
}
