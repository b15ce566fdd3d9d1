//! Parallel regions of OpenMP: work, waits and idle threads are those that the program measured itself, and no program is
//! harmed that has regions where they seldom are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{ATTEMPTS, libraries, one, one_at_most, those, two_families};
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::program::{compile, compile_fortran};
use examples::run::{Case, Output, Run};
use examples::{target, workspace};

/// The program's own figures, by rank and name.
type Measured = BTreeMap<(u64, String), f64>;

fn source_and_program(name: &str, mpi: &Mpi) -> (PathBuf, PathBuf) {
    let folder = target().join("programs").join(mpi.built_as).join("teams");
    fs::create_dir_all(&folder).expect("the target folder can be written");
    (workspace().join("examples/tests/programs").join(name), folder.join(name.replace('.', "_")))
}

fn recorded(mpi: &Mpi, path: PathBuf, arguments: &[&str], name: &str) -> (Measured, Run) {
    let arguments = arguments.iter().map(|argument| argument.to_string()).collect();
    // Threads that wait without a core's time leave it to the others.
    let variables = vec![("OMP_WAIT_POLICY".into(), "passive".into())];
    let case = Case { mpi, path, arguments, ranks: 2, variables };
    let (output, run) = case.recorded(name);
    assert_eq!(output.status, 0, "{name} under {}: {}{}", mpi.name, output.stdout, output.stderr);
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        Some(((words.next()?.parse().ok()?, words.next()?.to_string()), words.next()?.parse().ok()?))
    };
    let measured: Measured = output.stdout.lines().filter_map(line).collect();
    assert!(!measured.is_empty(), "{name} under {} states nothing: {}", mpi.name, output.stdout);
    (measured, run)
}

/// Figures that are not within a twentieth of what the program says, and 2 ms: it reads its clock inside or around what is measured.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn compare(&mut self, what: &str, found: f64, measured: f64) {
        if (found - measured).abs() >= 0.05 * measured + 0.002 {
            self.0.push(format!("{what}: {found} s, and {measured} as the program says"));
        }
    }
}

/// Runs a program until its figures agree with the report: a busy machine stops it between two readings of clocks. Returns the run.
fn agreeing(run: impl Fn() -> (Measured, Run), compare: impl Fn(&Measured, &Run, &mut Differences)) -> Run {
    let mut last = Differences::default();
    for _ in 0..ATTEMPTS {
        let (measured, run) = run();
        last = Differences::default();
        compare(&measured, &run, &mut last);
        if last.0.is_empty() {
            return run;
        }
    }
    panic!("the last of {ATTEMPTS} runs: {:#?}", last.0);
}

/// Seconds in which a busy machine starts and ends a program outside MPI.
const AROUND: f64 = 0.05;

/// Both ranks' figures of one name.
fn both(measured: &Measured, name: &str) -> f64 {
    (0..2).map(|rank| measured[&(rank, name.to_string())]).sum()
}

fn rows<'a>(report: &'a Value, table: &str) -> &'a Vec<Value> {
    report[table].as_array().unwrap_or_else(|| panic!("{table} is missing: {report}"))
}

fn seconds(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key} is no number: {row}"))
}

/// The number of the line of a source that ends with this comment.
fn line_of(source: &Path, comment: &str) -> usize {
    let text = fs::read_to_string(source).expect("the source is here");
    let is_it = |line: &str| [format!("// {comment}"), format!("! {comment}")].iter().any(|end| line.ends_with(end));
    1 + text.lines().position(is_it).unwrap_or_else(|| panic!("no line says {comment}"))
}

/// The row of the regions at the line with this comment.
fn regions_at<'a>(report: &'a Value, source: &Path, comment: &str) -> Option<&'a Value> {
    let (file, line) = (source.file_name().expect("a file").to_string_lossy(), line_of(source, comment));
    // A body without variables of its own begins at its first statement, a line below.
    let places = [format!("{file}:{line}"), format!("{file}:{}", line + 1)];
    rows(report, "parallel_regions").iter().find(|row| places.iter().any(|place| row["place"] == place.as_str()))
}

/// Kinds and call sites of the first screen's findings.
fn found(run: &Run) -> Vec<(String, String)> {
    let report = run.ask("diagnose", &[]).json;
    let text = |row: &Value, key: &str| row[key].as_str().expect("a text").to_string();
    rows(&report, "findings").iter().map(|row| (text(row, "kind"), text(row, "sites"))).collect()
}

fn uneven<'a>(measured: &Measured, report: &'a Value, source: &Path, differences: &mut Differences) -> &'a Value {
    let uneven = regions_at(report, source, "uneven").unwrap_or_else(|| panic!("the region is missing: {report}"));
    assert_eq!((uneven["regions"].as_u64(), uneven["threads"].as_u64()), (Some(80), Some(2)), "{uneven}");
    let lost = both(measured, "longest") - both(measured, "work") / 2.0;
    differences.compare("uneven", 2.0 * seconds(uneven, "imbalance_mean_s"), lost);
    uneven
}

/// Compares what each program states: a region's work and imbalance, and the threads that idle.
fn compare(measured: &Measured, report: &Value, source: &Path, differences: &mut Differences) {
    let uneven = uneven(measured, report, source, differences);
    differences.compare("work", 2.0 * seconds(uneven, "work_mean_s"), both(measured, "work"));
    differences.compare("idle in the region", 2.0 * seconds(uneven, "idle_mean_s"), both(measured, "idle"));
    let leaders = rows(report, "leaders");
    assert_eq!(leaders.len(), 2);
    for leader in leaders {
        let of = |name: &str| measured[&(leader["rank"].as_u64().expect("a rank"), name.to_string())];
        assert_eq!(leader["cores"], 2);
        // The first calls and the last are outside what the program measures, and so is the recorder's look at new call sites.
        let serial = seconds(leader, "serial_s");
        differences.compare("serial", serial, of("serial").max(serial - AROUND));
    }
    let idle = rows(report, "idle_threads");
    let call = idle.iter().find(|row| row["function"] == "MPI_Allreduce").expect("the ranks meet there");
    // One other thread idles for as long as the first is in MPI.
    differences.compare("in MPI", 2.0 * seconds(call, "leader_mean_s"), both(measured, "mpi"));
    differences.compare("idle meanwhile", 2.0 * seconds(call, "idle_mean_s"), both(measured, "mpi"));
}

#[test]
fn work_waits_and_idle_threads_are_as_the_program_measures_them() {
    let _alone = alone();
    for mpi in two_families() {
        let (source, program) = source_and_program("teams.c", &mpi);
        compile(&mpi, &source, &program, &["-fopenmp".to_string()]);
        let planted = || recorded(&mpi, program.clone(), &[], "teams");
        let run = agreeing(planted, |measured, run, differences| {
            let report = &run.ask("teams", &[]).json;
            compare(measured, report, &source, differences);
            let meets = regions_at(report, &source, "meets").expect("the ranks execute it");
            differences.compare("barriers", 2.0 * seconds(meets, "barriers_mean_s"), both(measured, "barriers"));
            differences.compare("locks", 2.0 * seconds(meets, "locks_mean_s"), both(measured, "locks"));
        });
        let told = found(&run);
        let place = |comment: &str| format!("teams.c:{}", line_of(&source, comment));
        for (kind, line) in [("uneven_region", place("uneven")), ("idle_threads", place("sum"))] {
            assert!(told.contains(&(kind.to_string(), line)), "{kind} under {}: {told:?}", mpi.name);
        }

        let twin = || recorded(&mpi, program.clone(), &["twin"], "teams-twin");
        agreeing(twin, |measured, run, differences| {
            let report = &run.ask("teams", &[]).json;
            uneven(measured, report, &source, differences);
            for region in rows(report, "parallel_regions") {
                differences.compare("a twin's locks", seconds(region, "locks_mean_s"), 0.0);
            }
            // Threads that lack their cores are late, whatever the program does.
            let told = found(run);
            if told.iter().any(|(kind, _)| ["not_running", "busy_host", "oversubscribed"].contains(&kind.as_str())) {
                return;
            }
            let of_teams = told.iter().filter(|(kind, _)| ["idle_threads", "uneven_region"].contains(&kind.as_str()));
            differences.0.extend(of_teams.map(|(kind, line)| format!("a twin has {kind} at {line}")));
        });
    }
}

#[test]
fn a_fortran_programs_regions_are_as_it_measures_them() {
    let _alone = alone();
    for mpi in one_at_most(those("has Fortran", |mpi| mpi.fortran.is_some()), "teams.F90") {
        let mut fortran = mpi.fortran.clone().expect("it comes with a compiler");
        fortran.compiler.push("-fopenmp".into());
        let (source, program) = source_and_program("teams.F90", &mpi);
        compile_fortran(&mpi, &fortran, &source, &program);
        let planted = || recorded(&mpi, program.clone(), &[], "teams-fortran");
        agreeing(planted, |measured, run, differences| {
            compare(measured, &run.ask("teams", &[]).json, &source, differences);
        });
    }
}

/// What a program says and how it ends.
fn said(output: &Output) -> (i32, &str) {
    (output.status, &output.stdout)
}

#[test]
fn regions_in_unusual_places_run_as_without_the_recorder_and_are_right_or_unknown() {
    let all = ["forks", "nested", "tasks", "cancels", "calls", "signals", "threads", "killed", "around"];
    for mpi in libraries() {
        let (source, program) = source_and_program("unusual_teams.c", &mpi);
        compile(&mpi, &source, &program, &["-fopenmp".to_string()]);
        for name in all {
            let case =
                Case { mpi: &mpi, path: program.clone(), arguments: vec![name.into()], ranks: 0, variables: vec![] };
            let case =
                case.with("OMP_CANCELLATION", "true").with("OMP_PROC_BIND", "close").with("OVERHEAR_SAMPLE", "10ms");
            let (plain, (output, run)) = (case.plain(), case.recorded(&format!("unusual-teams-{name}")));
            assert_eq!(said(&output), said(&plain), "{name} under {}: {}", mpi.name, output.stderr);
            let answer = run.ask("teams", &[]);
            let mut stated = 0;
            for line in output.stdout.lines() {
                let words: Vec<&str> = line.split(' ').collect();
                let [comment, regions, unknown] = words[..] else { continue };
                let (Ok(regions), Ok(unknown)) = (regions.parse::<u64>(), unknown.parse::<u64>()) else { continue };
                let row = regions_at(&answer.json, &source, comment);
                let count = |key: &str| row.map_or(0, |row| row[key].as_u64().expect("a number"));
                let found = (count("regions"), count("unknown_regions"));
                assert_eq!(
                    found,
                    (regions, unknown),
                    "{comment} under {}: {}",
                    mpi.name,
                    answer.json["parallel_regions"]
                );
                stated += 1;
            }
            assert!(stated > 0, "{name} states nothing: {}", output.stdout);
        }
    }
}

#[test]
fn regions_of_a_library_that_is_loaded_late_and_again_are_recorded() {
    let mpi = one();
    let (source, program) = source_and_program("loads_teams.c", &mpi);
    compile(&mpi, &source, &program, &[]);
    let (part, library) = source_and_program("loads_teams_part.c", &mpi);
    compile(&mpi, &part, &library, &["-fopenmp", "-shared", "-fPIC"].map(String::from));
    let arguments = vec![library.to_string_lossy().into_owned()];
    let case = Case { mpi: &mpi, path: program, arguments, ranks: 0, variables: vec![] };
    let (plain, (output, run)) = (case.plain(), case.recorded("loads-teams"));
    assert_eq!(said(&plain), (0, "14 10\n"), "{}", plain.stderr);
    assert_eq!(said(&output), said(&plain), "{}", output.stderr);
    let report = run.ask("teams", &[]).json;
    assert_eq!(
        rows(&report, "parallel_regions").iter().filter_map(|row| row["regions"].as_u64()).sum::<u64>(),
        12,
        "{report}"
    );
}
