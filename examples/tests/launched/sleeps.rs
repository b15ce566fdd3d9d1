//! Sleeps between calls of MPI: counts and times are those that the program measured itself, and no program is harmed that sleeps
//! where programs seldom do.

use std::path::Path;

use serde_json::Value;

use crate::common::{ATTEMPTS, libraries, one, one_at_most, those};
use crate::files::{line_of, rows, said, source_and_program};
use examples::launch_turns::alone;
use examples::program::{compile, compile_fortran};
use examples::run::Case;

/// Sleeps at the line with this comment: how many, and their seconds.
fn at_line(report: &Value, source: &Path, comment: &str) -> (u64, f64) {
    let place = format!("{}:{}", source.file_name().expect("a file").to_string_lossy(), line_of(source, comment));
    let all = rows(report, "sleeps").iter().filter(|row| row["place"] == place.as_str());
    let sums = |row: &Value| (row["sleeps"].as_u64().expect("a number"), row["time_s"].as_f64().expect("a number"));
    all.map(sums).fold((0, 0.0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
}

/// Compares counts with what the ranks of a program say, and returns times that differ by more than a twentieth and 2 ms.
fn compare(said: &str, report: &Value, source: &Path) -> Vec<String> {
    let (mut different, mut stated) = (Vec::new(), 0);
    for line in said.lines().filter(|line| line.starts_with("0 ")) {
        let what = line.split(' ').nth(1).expect("a word");
        let of_all = said.lines().filter(|line| line.split(' ').nth(1) == Some(what));
        let sum = |at: usize| {
            let number = |line: &str| line.split(' ').nth(at).and_then(|word| word.parse::<f64>().ok());
            of_all.clone().filter_map(number).sum::<f64>()
        };
        let (count, time) = at_line(report, source, &what.replace("free_", "free "));
        assert_eq!(count as f64, sum(2), "{what}: {}", report["sleeps"]);
        if (time - sum(3)).abs() > 0.05 * sum(3) + 0.002 {
            different.push(format!("{what}: {time} s, and {} as the program says", sum(3)));
        }
        stated += 1;
    }
    assert!(stated > 0, "the program states nothing: {said}");
    different
}

#[test]
fn counts_and_times_of_sleeps_are_as_the_program_measures_them() {
    let _alone = alone();
    for mpi in libraries() {
        let (source, program) = source_and_program("sleeps.c", &mpi);
        compile(&mpi, &source, &program, &["-pthread".to_string()]);
        let mut last = Vec::new();
        for _ in 0..ATTEMPTS {
            let case = Case { mpi: &mpi, path: program.clone(), arguments: vec![], ranks: 2, variables: vec![] };
            let (output, run) = case.recorded("sleeps");
            assert_eq!(output.status, 0, "under {}: {}{}", mpi.name, output.stdout, output.stderr);
            last = compare(&output.stdout, &run.ask("sleeps", &[]).json, &source);
            if last.is_empty() {
                break;
            }
        }
        assert!(last.is_empty(), "under {}: {last:#?}", mpi.name);
    }
}

#[test]
fn a_fortran_programs_sleeps_are_those_of_its_own_lines() {
    let mpi = &one_at_most(those("has Fortran", |mpi| mpi.fortran.is_some()), "sleeps.F90")[0];
    let fortran = mpi.fortran.clone().expect("it comes with a compiler");
    let (source, program) = source_and_program("sleeps.F90", mpi);
    compile_fortran(mpi, &fortran, &source, &program);
    let case = Case { mpi, path: program, arguments: vec![], ranks: 2, variables: vec![] };
    let (output, run) = case.recorded("sleeps-fortran");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let report = run.ask("sleeps", &[]).json;
    for (comment, least) in [("sleep", 1.0), ("command", 0.1)] {
        let (count, time) = at_line(&report, &source, comment);
        assert!(count == 2 && time >= 2.0 * least, "{comment}: {count} sleeps, {time} s: {report}");
    }
}

#[test]
fn sleeps_in_unusual_places_are_made_as_without_the_recorder_and_counted_right() {
    let all =
        ["forks", "vforks", "signals", "left", "cancels", "errors", "robust", "contended", "between_polls", "killed"];
    for mpi in libraries() {
        let (source, program) = source_and_program("unusual_sleeps.c", &mpi);
        compile(&mpi, &source, &program, &["-pthread".to_string()]);
        for name in all {
            let arguments = vec![name.to_string()];
            let case =
                || Case { mpi: &mpi, path: program.clone(), arguments: arguments.clone(), ranks: 0, variables: vec![] };
            let (plain, (output, run)) = (case().plain(), case().recorded(&format!("unusual-sleeps-{name}")));
            assert_eq!(said(&output), said(&plain), "{name} under {}: {}", mpi.name, output.stderr);
            let report = run.ask("sleeps", &[]).json;
            let mut stated = 0;
            for line in output.stdout.lines() {
                let words: Vec<&str> = line.split(' ').collect();
                let [place, count] = words[..] else { continue };
                let Ok(count) = count.parse::<u64>() else { continue };
                assert_eq!(at_line(&report, &source, place).0, count, "{place} of {name} under {}: {report}", mpi.name);
                stated += 1;
            }
            assert!(stated > 0 || ["signals", "contended"].contains(&name), "{name} states nothing: {}", output.stdout);
        }
    }
}

#[test]
fn a_profile_has_no_sleeps_and_its_report_is_whole() {
    let mpi = one();
    let (source, program) = source_and_program("sleeps.c", &mpi);
    compile(&mpi, &source, &program, &["-pthread".to_string()]);
    let case = Case { mpi: &mpi, path: program, arguments: vec![], ranks: 2, variables: vec![] };
    let (output, run) = case.with("OVERHEAR_MODE", "profile").recorded("sleeps-profile");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let answer = run.ask("report", &[]);
    assert_eq!(answer.status, 0, "{}", answer.json);
}

#[test]
fn a_program_whose_allocator_waits_for_a_lock_is_not_stopped_by_what_the_recorder_allocates() {
    for mpi in libraries() {
        let (source, program) = source_and_program("locked_allocator.c", &mpi);
        compile(&mpi, &source, &program, &["-pthread".to_string()]);
        for lock in ["mutex", "semaphore"] {
            let arguments = vec![lock.to_string()];
            let case =
                || Case { mpi: &mpi, path: program.clone(), arguments: arguments.clone(), ranks: 0, variables: vec![] };
            let (plain, (output, run)) = (case().plain(), case().recorded(&format!("locked-allocator-{lock}")));
            assert_eq!(said(&output), said(&plain), "{lock} under {}: {}", mpi.name, output.stderr);
            let report = run.ask("sleeps", &[]).json;
            let waits = |function: &str| rows(&report, "sleeps").iter().any(|row| row["function"] == function);
            assert!(waits("pthread_join"), "{lock} under {}: {report}", mpi.name);
        }
    }
}
