//! Finds the program's work between its calls, by samples of its threads' processor time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use crate::call_paths::CPP;
use crate::common::{case, libraries, one, one_at_most, those, two_families};
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::program::{compile, compile_fortran};
use examples::run::{Case, Output, Run, finish, fresh_folder, library};
use examples::{target, workspace};
use model::Rank;
use traces::read::{Visitor, walk};
use traces::record::{Sample, Unsampled};

/// Periods of a rank's threads.
#[derive(Default)]
pub struct Periods {
    /// Between calls, by the number of the site.
    samples: BTreeMap<u32, u64>,
    in_calls: u64,
    pub without: Unsampled,
    /// Processor time of long gaps between calls, in nanoseconds.
    gaps: Vec<u64>,
}

impl Visitor for Periods {
    fn call(&mut self, _: u32, _: u64, _: u64) {}

    fn sample(&mut self, _: u64, sample: Sample) {
        *self.samples.entry(sample.site).or_default() += sample.periods;
    }

    fn sampled(&mut self, periods: u64) {
        self.in_calls += periods;
    }

    fn unsampled(&mut self, periods: Unsampled) {
        self.without.recording += periods.recording;
        self.without.lost += periods.lost;
    }

    fn on_processor(&mut self, nanoseconds: u64) {
        self.gaps.push(nanoseconds);
    }
}

impl Periods {
    pub fn between_calls(&self) -> u64 {
        self.samples.values().sum()
    }

    fn all(&self) -> u64 {
        self.between_calls() + self.in_calls + self.without.recording + self.without.lost
    }
}

/// A recorded run with its samples, by rank.
pub struct SampledRun {
    pub run: model::Run,
    pub ranks: Vec<Periods>,
}

impl SampledRun {
    pub fn read(folder: &Path) -> SampledRun {
        let run = model::Run::load(folder).expect("the run can be read");
        let ranks = run.ranks.iter().map(periods).collect();
        SampledRun { run, ranks }
    }

    /// A rank's periods by what `named` says of the functions on a sample's path, the outermost first.
    fn by<K: Ord>(&self, rank: usize, named: impl Fn(&[String]) -> K) -> BTreeMap<K, u64> {
        let mut by = BTreeMap::new();
        for (site, periods) in &self.ranks[rank].samples {
            let mut stack = self.run.sites.stack(&self.run.ranks[rank], *site, String::new());
            stack.pop();
            let functions: Vec<String> = stack.into_iter().map(|(function, _)| function).collect();
            *by.entry(named(&functions)).or_default() += periods;
        }
        by
    }
}

fn periods(rank: &Rank) -> Periods {
    let mut periods = Periods::default();
    for page in rank.trace.contents().threads.iter().flat_map(|thread| &thread.pages) {
        walk(page, &mut periods).expect("all records are whole");
    }
    periods
}

/// Lines "RANK FUNCTION MILLISECONDS" of the output.
fn stated(output: &Output) -> Vec<(usize, String, f64)> {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.parse().ok()?, words.next()?.to_string(), words.next()?.parse().ok()?))
    };
    output.stdout.lines().filter_map(line).collect()
}

fn sampled(case: Case<'_>, name: &str) -> (Output, Run) {
    let case = case.with("OVERHEAR_SAMPLE", "10ms");
    let (output, run) = case.recorded(name);
    assert_eq!(output.status, 0, "{name} under {}: {}{}", case.mpi.name, output.stdout, output.stderr);
    (output, run)
}

/// Compares the functions' shares with those that the program measured: within two points, and twice the standard deviation of a share of
/// so many samples beyond, since a busy machine's ticks do not come evenly.
fn shares_are_as_stated(case: Case<'_>, name: &str) {
    let mpi = case.mpi.name;
    let (output, run) = sampled(case, name);
    let stated = stated(&output);
    assert!(!stated.is_empty(), "{name} under {mpi} states nothing: {}", output.stdout);
    let run = SampledRun::read(&run.folder);
    for rank in 0..run.ranks.len() {
        let of_rank: BTreeMap<&str, f64> =
            stated.iter().filter(|(of, ..)| *of == rank).map(|(_, name, taken)| (name.as_str(), *taken)).collect();
        let planted = |path: &[String]| path.iter().rev().find(|name| of_rank.contains_key(name.as_str())).cloned();
        let (found, all) = (run.by(rank, planted), run.ranks[rank].between_calls() as f64);
        let measured: f64 = of_rank.values().sum();
        for (function, taken) in &of_rank {
            let periods = found.get(&Some(function.to_string())).copied().unwrap_or(0) as f64;
            let (share, expected) = (100.0 * periods / all, 100.0 * taken / measured);
            let deviation = (expected * (100.0 - expected) / all).sqrt();
            assert!(
                (share - expected).abs() < 2.0 + 2.0 * deviation,
                "{name} under {mpi}: {function} of rank {rank}: {share} %, not {expected}: {found:?}"
            );
        }
        let (lost, all) = (run.ranks[rank].without.lost, run.ranks[rank].all());
        // On a busy machine two ticks may come at once.
        assert!(lost <= 1 + all / 100, "{name} under {mpi}: {lost} of {all} periods of rank {rank} were lost");
    }
}

#[test]
fn samples_find_each_functions_share_of_processor_time() {
    let _alone = alone();
    for mpi in libraries() {
        shares_are_as_stated(case("sampled", &mpi, 2, &[]), "sampled");
    }
}

/// A program of another language than C: its source and where it is built.
fn source_and_program(name: &str, mpi: &Mpi) -> (PathBuf, PathBuf) {
    let folder = target().join("programs").join(mpi.built_as).join("samples");
    fs::create_dir_all(&folder).expect("the target folder can be written");
    (workspace().join("examples/tests/programs").join(name), folder.join(name.replace('.', "_")))
}

fn on_two_ranks(mpi: &Mpi, path: PathBuf) -> Case<'_> {
    Case { mpi, path, arguments: Vec::new(), ranks: 2, variables: Vec::new() }
}

#[test]
fn samples_find_the_shares_of_templates_methods_and_functions_that_throw() {
    let _alone = alone();
    for mpi in one_at_most(libraries(), "sampled.cpp") {
        let (source, program) = source_and_program("sampled.cpp", &mpi);
        compile(&mpi, &source, &program, &CPP.map(String::from));
        shares_are_as_stated(on_two_ranks(&mpi, program), "sampled-cpp");
    }
}

#[test]
fn samples_find_the_shares_of_fortran_modules_and_contained_subroutines() {
    let _alone = alone();
    for mpi in one_at_most(those("has Fortran", |mpi| mpi.fortran.is_some()), "sampled.F90") {
        let fortran = mpi.fortran.clone().expect("it comes with a compiler");
        let (source, program) = source_and_program("sampled.F90", &mpi);
        compile_fortran(&mpi, &fortran, &source, &program);
        shares_are_as_stated(on_two_ranks(&mpi, program), "sampled-fortran");
    }
}

#[test]
fn a_function_that_is_called_from_two_places_has_a_path_for_each() {
    let mpi = one();
    let (_, run) = sampled(case("sampled", &mpi, 2, &[]), "sampled-paths");
    let run = SampledRun::read(&run.folder);
    for rank in 0..2 {
        let callers = run.by(rank, |path| {
            let at = path.iter().position(|name| name == "check")?;
            Some(path[..at].join(" > "))
        });
        let callers: Vec<&str> = callers.keys().flatten().map(String::as_str).collect();
        assert_eq!(callers.iter().filter(|path| path.ends_with("main > store")).count(), 1, "{callers:?}");
        assert_eq!(callers.iter().filter(|path| path.ends_with("main")).count(), 1, "{callers:?}");
    }
}

#[test]
fn of_long_gaps_between_calls_the_time_on_a_processor_is_recorded() {
    let _alone = alone();
    for mpi in libraries() {
        for period in ["off", "10ms"] {
            let case = case("off_processor", &mpi, 2, &[]).with("OVERHEAR_SAMPLE", period);
            let (output, run) = case.recorded(&format!("off-processor-{period}"));
            assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
            let run = SampledRun::read(&run.folder);
            for (rank, steps, microseconds) in stated(&output) {
                let (steps, gaps): (usize, _) = (steps.parse().expect("a number of steps"), &run.ranks[rank].gaps);
                // The first two gaps tell which call the others come after. A rank that is kept from its core between two other
                // calls has a long gap there, which hides the next one.
                assert!(gaps.len() + 5 >= steps && gaps.len() <= steps, "{}: {} of {steps} gaps", mpi.name, gaps.len());
                let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64 / 1000.0;
                assert!((mean / microseconds - 1.0).abs() < 0.05, "{}: {mean} us a gap, not {microseconds}", mpi.name);
            }
        }
    }
}

/// Arguments of `beside_samples`, each with the least periods of a millisecond that it takes, and its threads.
const BESIDE: [(&str, u64, u64); 5] =
    [("profiles", 800, 1), ("waits", 800, 1), ("sleeps", 800, 1), ("handles", 800, 1), ("threads", 700, 5)];
/// Most periods that a thread's last signals leave out: the kernel looks at timers of processor time once a tick, which is 4 ms or more.
const LOST_AT_END: u64 = 8;

#[test]
fn a_sampled_program_is_undisturbed_in_what_a_signal_could_disturb() {
    let _alone = alone();
    let mut ran = 0;
    for mpi in one_at_most(libraries(), "beside_samples.c") {
        for (what, least, threads) in BESIDE {
            let case = case("beside_samples", &mpi, 0, &[what]).with("OVERHEAR_SAMPLE", "1ms");
            let (output, run) = case.recorded(&format!("beside-{what}"));
            assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{what}, {}: {}", mpi.name, output.stderr);
            let run = SampledRun::read(&run.folder);
            let periods = &run.ranks[0];
            // Signals come together on a busy machine: 72 periods of 1,013 were seen without one of their own.
            let few = periods.without.lost < periods.all() / 8 + threads * LOST_AT_END;
            assert!(
                few && periods.between_calls() >= least,
                "{what}, {}: {} of {} between calls, {:?}",
                mpi.name,
                periods.between_calls(),
                periods.all(),
                periods.without
            );
            ran += 1;
        }
    }
    assert!(ran >= BESIDE.len());
}

#[test]
fn a_program_that_uses_the_signal_itself_gets_what_is_sent_and_sampling_ends_with_a_warning() {
    for mpi in one_at_most(libraries(), "names") {
        let case = case("beside_samples", &mpi, 0, &["names"]).with("OVERHEAR_SAMPLE", "1ms");
        let (output, run) = case.recorded("names");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        let run = SampledRun::read(&run.folder);
        let warned = run.run.ranks[0].warnings.iter().any(|warning| warning.contains("sampling ended early"));
        assert!(warned && run.ranks[0].between_calls() >= 100, "{}: {:?}", mpi.name, run.run.ranks[0].warnings);
    }
}

#[test]
fn periods_of_a_thread_that_lets_no_signal_in_are_counted_as_lost() {
    let mpi = one();
    let (output, run) = case("beside_samples", &mpi, 0, &["hides"]).with("OVERHEAR_SAMPLE", "1ms").recorded("hides");
    assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}", output.stderr);
    let periods = &SampledRun::read(&run.folder).ranks[0];
    let lost = periods.without.lost;
    assert!(
        (280..=400).contains(&lost) && periods.between_calls() >= 180,
        "{lost} lost, {} found",
        periods.between_calls()
    );
}

#[test]
fn code_that_is_loaded_later_is_known_and_so_is_other_code_at_its_place() {
    let _alone = alone();
    let mpi = one();
    let (source, program) = source_and_program("sampled_plugins.c", &mpi);
    let folder = program.parent().expect("it is in a folder");
    for name in ["first", "second"] {
        let flags = ["-shared", "-fPIC", "-DPLUGIN", &format!("-DNAME={name}")].map(String::from);
        compile(&mpi, &source, &folder.join(name).with_extension("so"), &flags);
    }
    compile(&mpi, &source, &program, &[]);
    let arguments = vec![folder.to_string_lossy().into_owned()];
    shares_are_as_stated(
        Case { mpi: &mpi, path: program, arguments, ranks: 0, variables: Vec::new() },
        "sampled-plugins",
    );
}

#[test]
fn a_program_that_is_not_sampled_has_no_timer_and_no_handler() {
    let mpi = one();
    let listed = |period: &str| {
        let (output, _) = case("beside_samples", &mpi, 0, &["lists"]).with("OVERHEAR_SAMPLE", period).recorded("lists");
        let said = output.stdout.lines().next().expect("the program says something").to_string();
        assert!(said.ends_with("handler"), "{said}: {}", output.stderr);
        said
    };
    assert_eq!([listed("off"), listed("10ms")], ["0 timers, no handler", "1 timers, a handler"]);
}

/// Ways in which `started` ends.
const ENDS: [&str; 5] = ["finalize", "exit", "exec", "fork", "thread"];
/// Starts of programs in a test; TEST_STARTS asks for more.
const STARTS: usize = 80;

#[test]
fn sampled_programs_start_and_end_unharmed() {
    let starts = std::env::var("TEST_STARTS").map_or(STARTS, |starts| starts.parse().expect("TEST_STARTS is a number"));
    let mpi = two_families().into_iter().find(|mpi| !mpi.is_openmpi()).unwrap_or_else(one);
    let case = case("started", &mpi, 0, &[]);
    let next = AtomicUsize::new(0);
    let start = || {
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= starts {
                return;
            }
            let way = ENDS[number % ENDS.len()];
            let mut command = Command::new(&case.path);
            case.prepare(&mut command);
            let folder = fresh_folder(&format!("started-{}", number % 100));
            command.arg(way).env("LD_PRELOAD", library()).env("OVERHEAR_DIR", folder).env("OVERHEAR_SAMPLE", "1ms");
            let output = finish(&mut command);
            assert_eq!(output.status, 0, "start {number}, {way}, {}: {}", mpi.name, output.stderr);
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(start);
        }
    });
    assert!(starts > 0);
}
