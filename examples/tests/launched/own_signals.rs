//! A program's signals, handlers and alternate stacks are its own, with samples and without.

use std::fs;

use crate::common::{ATTEMPTS, both_families, case, libraries, one_at_most};
use crate::sampling::SampledRun;
use examples::command::finish;
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::program::compile;
use examples::run::{Case, Output, Run, fresh_folder};
use examples::{target, workspace};

const NEVER: &str = "off";
const OFTEN: &str = "1ms";

fn recorded(case: &Case<'_>, sample: &str, name: &str) -> (Output, Run) {
    let case = Case {
        mpi: case.mpi,
        path: case.path.clone(),
        arguments: case.arguments.clone(),
        ranks: case.ranks,
        variables: [("OVERHEAR_SAMPLE".into(), sample.into())].into(),
    };
    case.recorded(&format!("{name}-{sample}"))
}

/// Signals that came in the program's thread, and in another one.
struct Counted {
    here: f64,
    astray: f64,
}

impl Counted {
    fn read(output: &Output, what: &str) -> Counted {
        assert_eq!(output.status, 0, "{what}: {}{}", output.stdout, output.stderr);
        let numbers: Vec<f64> = output.stdout.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [here, astray, unlike, jumps, sent] = numbers[..] else { panic!("{what}: {}", output.stdout) };
        assert!(here > 20.0 && unlike == 0.0, "{what}: {}", output.stdout);
        assert!(sent == 0.0 || sent == here + astray, "{what}: {}", output.stdout);
        assert!(!what.contains("jumps") || jumps > here / 8.0, "{what}: {}", output.stdout);
        Counted { here, astray }
    }

    fn share_astray(&self) -> f64 {
        self.astray / (self.here + self.astray)
    }
}

/// Percent of a timer's signals that may go elsewhere beyond those that do without the recorder.
const MOST_ASTRAY: f64 = 0.5;
/// Signals that may, where there are few: the kernel gives those of processor time to the thread that runs, and MPI's own do now and then.
const FEW_ASTRAY: f64 = 3.0;

/// Signals that came elsewhere beyond those that do without the recorder, and may not. The least of some attempts: where the first thread
/// is kept from its core just as it gets a sample, the kernel gives its signals to another until it is back.
fn too_many_astray(case: &Case<'_>, sample: &str, what: &str) -> f64 {
    let mut least = f64::INFINITY;
    for attempt in 0..ATTEMPTS {
        let plain = Counted::read(&case.plain(), &format!("{what}, plain"));
        let counted = Counted::read(&recorded(case, sample, &format!("counted-{attempt}")).0, what);
        let all = counted.here + counted.astray;
        let few = FEW_ASTRAY.max(all / 100.0 * MOST_ASTRAY);
        least = least.min(counted.astray - all * plain.share_astray() - few);
        if least <= 0.0 {
            break;
        }
    }
    least
}

fn signals_come_in_their_own_thread(timer: &str) {
    let _alone = alone();
    let mut ran = 0;
    for mpi in one_at_most(libraries(), timer) {
        for way in ["", "jumps"] {
            let case = case("own_signals", &mpi, 0, &[timer, way]);
            for sample in [NEVER, OFTEN] {
                let what = format!("{timer} {way}, {}, samples {sample}", mpi.name);
                let astray = too_many_astray(&case, sample, &what);
                assert!(astray <= 0.0, "{what}: {astray} signals more than may came in another thread");
                ran += 1;
            }
        }
    }
    assert!(ran > 0);
}

#[test]
fn signals_of_a_timer_of_processor_time_come_in_the_thread_that_uses_it() {
    signals_come_in_their_own_thread("profiling");
}

#[test]
fn signals_of_a_timer_of_virtual_time_come_in_the_thread_that_uses_it() {
    signals_come_in_their_own_thread("virtual");
}

#[test]
fn signals_of_an_alarm_come_in_the_first_thread() {
    signals_come_in_their_own_thread("alarm");
}

#[test]
fn real_time_signals_of_a_timer_come_in_the_first_thread() {
    signals_come_in_their_own_thread("timer");
}

#[test]
fn signals_that_another_thread_sends_one_by_one_all_come() {
    signals_come_in_their_own_thread("sent");
}

/// A run of a program that says ok where all was as without the recorder.
fn says_ok(name: &str, mpi: &Mpi, arguments: &[&str], sample: &str) -> Run {
    let case = case(name, mpi, 0, arguments);
    let (output, run) = recorded(&case, sample, &format!("{name}-{}", arguments.concat()));
    let what = format!("{name} {arguments:?}, {}, samples {sample}", mpi.name);
    assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{what}: {}", output.stderr);
    run
}

#[test]
fn handlers_of_signals_are_set_told_and_entered_as_without_the_recorder() {
    for mpi in both_families() {
        for sample in [NEVER, OFTEN] {
            says_ok("own_handlers", &mpi, &[], sample);
        }
    }
}

#[test]
fn threads_that_wait_for_signals_can_be_cancelled() {
    for mpi in both_families() {
        for sample in [NEVER, OFTEN] {
            says_ok("waits_cancelled", &mpi, &[], sample);
        }
    }
}

/// Ways of `own_stacks` in which the thread that uses the alternate stack is sampled to the end.
const STACKS: [&str; 7] = ["stale", "small", "fiber", "overflow", "answers", "nested", "thread"];

#[test]
fn nobody_writes_to_a_stack_of_the_programs_that_is_not_in_use() {
    let _alone = alone();
    let mut ran = 0;
    for mpi in both_families() {
        for way in STACKS {
            says_ok("own_stacks", &mpi, &[way], NEVER);
            let run = SampledRun::read(&says_ok("own_stacks", &mpi, &[way], OFTEN).folder);
            let samples = run.ranks[0].between_calls();
            assert!(way == "answers" || samples >= 30, "{way}, {}: {samples} samples", mpi.name);
            ran += 1;
        }
        // The handler ends the program.
        for sample in [NEVER, OFTEN] {
            says_ok("own_stacks", &mpi, &["exits"], sample);
        }
    }
    assert!(ran >= STACKS.len());
}

#[test]
fn a_thread_whose_alternate_stack_is_put_away_in_use_is_not_sampled_with_a_warning() {
    for mpi in one_at_most(libraries(), "disarmed") {
        says_ok("own_stacks", &mpi, &["disarmed"], NEVER);
        let run = SampledRun::read(&says_ok("own_stacks", &mpi, &["disarmed"], OFTEN).folder);
        let warnings = &run.run.ranks[0].warnings;
        let warned = warnings.iter().any(|warning| warning.contains("sampling ended early"));
        assert!(warned && run.ranks[0].without.lost >= 50, "{}: {warnings:?}", mpi.name);
    }
}

/// Seconds of a function, by the profile that the program's own profiler has written, and as the program measures them.
struct Profiled {
    by_profile: f64,
    measured: f64,
}

/// The functions in which the threads of `profiled` compute.
const COMPUTING: [&str; 2] = ["hot", "warm"];

fn profiled(program: &Case<'_>, sample: Option<&str>) -> [Profiled; 2] {
    let name = sample.unwrap_or("plain");
    let folder = fresh_folder(&format!("{}-gmon-{name}", program.mpi.name));
    fs::create_dir_all(&folder).expect("the target folder can be written");
    let prefix = folder.join("gmon").display().to_string();
    let mut case = Case { variables: vec![("GMON_OUT_PREFIX".into(), prefix)], ..case_again(program) };
    let output = match sample {
        None => case.plain(),
        Some(sample) => {
            case.variables.push(("OVERHEAR_SAMPLE".into(), sample.into()));
            case.recorded(&format!("profiled-{sample}")).0
        }
    };
    assert_eq!(output.status, 0, "{name}, {}: {}", case.mpi.name, output.stderr);
    let measured: Vec<f64> = output.stdout.split_whitespace().filter_map(|seconds| seconds.parse().ok()).collect();
    let [first, second] = measured[..] else { panic!("{}", output.stdout) };
    let written = fs::read_dir(&folder).expect("it was made").flatten().map(|file| file.path());
    let profile = written.into_iter().next().expect("the program writes a profile");
    let report = finish(std::process::Command::new("gprof").args(["-b", "-p"]).arg(&case.path).arg(profile));
    let seconds_of = |function: &str| {
        let line = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (words.last() == Some(&function)).then(|| words[2].parse::<f64>().expect("seconds of its own"))
        };
        report.stdout.lines().find_map(line).unwrap_or(0.0)
    };
    let [hot, warm] = COMPUTING.map(seconds_of);
    [Profiled { by_profile: hot, measured: first }, Profiled { by_profile: warm, measured: second }]
}

fn case_again<'a>(case: &Case<'a>) -> Case<'a> {
    Case { mpi: case.mpi, path: case.path.clone(), arguments: Vec::new(), ranks: 0, variables: Vec::new() }
}

/// The length of the profiler's ticks, in seconds of the process's processor time.
const TICK: f64 = 0.01;
/// The share by which all ticks together may be fewer than without the recorder: a busy machine's come late, or together.
const OFF: f64 = 0.2;

/// The share of its processor time that the program's profile has.
fn share_found([hot, warm]: &[Profiled; 2]) -> f64 {
    (hot.by_profile + warm.by_profile) / (hot.measured + warm.measured)
}

/// True if the profile has the seconds of both functions: together as without the recorder, where two threads on two cores lose ticks
/// that come at once, and each up to three standard deviations of so many ticks that fall into one or the other by chance.
fn is_found(found @ [hot, warm]: &[Profiled; 2], plain: f64) -> bool {
    let ticks = (hot.by_profile + warm.by_profile) / TICK;
    let share = hot.measured / (hot.measured + warm.measured);
    let chance = 3.0 * (share * (1.0 - share) / ticks.max(1.0)).sqrt();
    let is_split = (hot.by_profile / TICK / ticks.max(1.0) - share).abs() < chance;
    is_split && (plain * (1.0 - OFF)..1.0 + OFF).contains(&share_found(found))
}

#[test]
fn a_profiler_that_is_linked_into_the_program_finds_the_seconds_of_each_threads_function() {
    let _alone = alone();
    for mpi in one_at_most(libraries(), "profiled.c") {
        let path = target().join("programs").join(mpi.built_as).join("profiled");
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the target folder can be written");
        let flags = ["-pg", "-no-pie", "-lm", "-lpthread"].map(String::from);
        compile(&mpi, &workspace().join("examples/tests/programs/profiled.c"), &path, &flags);
        let case = Case { mpi: &mpi, path, arguments: Vec::new(), ranks: 0, variables: Vec::new() };
        for sample in [NEVER, OFTEN] {
            let mut told = Vec::new();
            let mut is_as_plain = false;
            while told.len() < ATTEMPTS && !is_as_plain {
                let plain = share_found(&profiled(&case, None));
                assert!(plain > 0.3, "{}: without the recorder the profile has {plain} of the time", mpi.name);
                let found = profiled(&case, Some(sample));
                is_as_plain = is_found(&found, plain);
                let [hot, warm] = found.map(|of| format!("{:.2} of {:.2} s", of.by_profile, of.measured));
                told.push(format!("{hot}, {warm}, plain {plain:.2}"));
            }
            assert!(is_as_plain, "{}, {sample}: {told:?}", mpi.name);
        }
    }
}
