//! Accesses to files between calls of MPI: counts, bytes and times are those that the program measured itself, and no program is
//! harmed whose accesses are where they seldom are.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{ATTEMPTS, libraries, one, one_at_most, those};
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::program::{compile, compile_fortran};
use examples::run::{Case, Output, fresh_folder};
use examples::{target, workspace};

pub fn source_and_program(name: &str, mpi: &Mpi) -> (PathBuf, PathBuf) {
    let folder = target().join("programs").join(mpi.built_as).join("files");
    fs::create_dir_all(&folder).expect("the target folder can be written");
    (workspace().join("examples/tests/programs").join(name), folder.join(name.replace('.', "_")))
}

/// A folder for the files of a program.
fn folder_for(name: &str, mpi: &Mpi) -> String {
    let folder = fresh_folder(&format!("files-of-{name}-{}", mpi.name));
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder.to_string_lossy().into_owned()
}

pub fn rows<'a>(report: &'a Value, table: &str) -> &'a Vec<Value> {
    report[table].as_array().unwrap_or_else(|| panic!("{table} is missing: {report}"))
}

/// The number of the line of a source that ends with this comment.
pub fn line_of(source: &Path, comment: &str) -> usize {
    let text = fs::read_to_string(source).expect("the source is here");
    let is_it = |line: &str| [format!("// {comment}"), format!("! {comment}")].iter().any(|end| line.ends_with(end));
    1 + text.lines().position(is_it).unwrap_or_else(|| panic!("no line says {comment}"))
}

/// Accesses at the line with this comment: how many, their bytes and seconds.
fn at_line(report: &Value, source: &Path, comment: &str) -> (u64, u64, f64) {
    let place = format!("{}:{}", source.file_name().expect("a file").to_string_lossy(), line_of(source, comment));
    let all = rows(report, "file_accesses").iter().filter(|row| row["place"] == place.as_str());
    let sums = |row: &Value| {
        let seconds = row["time_s"].as_f64().expect("a number");
        (row["accesses"].as_u64().expect("a number"), row["bytes"].as_u64().unwrap_or(0), seconds)
    };
    all.map(sums).fold((0, 0, 0.0), |sum, next| (sum.0 + next.0, sum.1 + next.1, sum.2 + next.2))
}

/// Compares counts and bytes with what the ranks of a program say, and returns times that differ by more than a twentieth and 2 ms.
fn compare(said: &str, report: &Value, source: &Path) -> Vec<String> {
    let (mut different, mut stated) = (Vec::new(), 0);
    let of_first = |line: &&str| line.starts_with("0 ");
    for line in said.lines().filter(of_first) {
        let words: Vec<&str> = line.split(' ').collect();
        let comment = words[1].replace('_', " ");
        let number = |line: &str, at: usize| line.split(' ').nth(at).and_then(|word| word.parse::<f64>().ok());
        let of_all = said.lines().filter(|line| line.split(' ').nth(1) == Some(words[1]));
        let sum = |at: usize| of_all.clone().filter_map(|line| number(line, at)).sum::<f64>();
        let (count, bytes, time) = at_line(report, source, &comment);
        assert_eq!((count as f64, bytes as f64), (sum(2), sum(3)), "{comment}: {}", report["file_accesses"]);
        if (time - sum(4)).abs() > 0.05 * sum(4) + 0.002 {
            different.push(format!("{comment}: {time} s, and {} as the program says", sum(4)));
        }
        stated += 1;
    }
    assert!(stated > 0, "the program states nothing: {said}");
    different
}

/// Runs a program until its times agree with the report: a busy machine stops it between two readings of clocks.
fn agrees(mpi: &Mpi, program: &Path, source: &Path, name: &str) {
    let mut last = Vec::new();
    for _ in 0..ATTEMPTS {
        let arguments = vec![folder_for(name, mpi)];
        let case = Case { mpi, path: program.into(), arguments, ranks: 2, variables: vec![] };
        let (output, run) = case.recorded(name);
        assert_eq!(output.status, 0, "{name} under {}: {}{}", mpi.name, output.stdout, output.stderr);
        last = compare(&output.stdout, &run.ask("files", &[]).json, source);
        if last.is_empty() {
            return;
        }
    }
    panic!("{name} under {}: {last:#?}", mpi.name);
}

#[test]
fn counts_bytes_and_times_are_as_the_program_measures_them() {
    let _alone = alone();
    for mpi in libraries() {
        let (source, program) = source_and_program("accesses.c", &mpi);
        compile(&mpi, &source, &program, &[]);
        agrees(&mpi, &program, &source, "accesses");
    }
}

#[test]
fn a_fortran_programs_accesses_are_those_of_its_own_lines() {
    let mpi = &one_at_most(those("has Fortran", |mpi| mpi.fortran.is_some()), "accesses.F90")[0];
    let fortran = mpi.fortran.clone().expect("it comes with a compiler");
    let (source, program) = source_and_program("accesses.F90", mpi);
    compile_fortran(mpi, &fortran, &source, &program);
    let arguments = vec![folder_for("fortran", mpi)];
    let case = Case { mpi, path: program, arguments, ranks: 2, variables: vec![] };
    let (output, run) = case.recorded("accesses-fortran");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let report = run.ask("files", &[]).json;
    let bytes = |key: &str| rows(&report, "files").iter().filter_map(|row| row[key].as_u64()).sum::<u64>();
    assert_eq!((bytes("written_bytes"), bytes("read_bytes")), (2 * 800_000, 2 * 800_000), "{report}");
    // The run time writes what it has buffered where the file is closed, too.
    for comment in ["write", "read"] {
        assert!(at_line(&report, &source, comment).1 > 1_000_000, "{comment}: {report}");
    }
}

/// What a program says and how it ends.
pub fn said(output: &Output) -> (i32, &str) {
    (output.status, &output.stdout)
}

#[test]
fn accesses_in_unusual_places_are_made_as_without_the_recorder_and_counted_right() {
    let all =
        ["forks", "vforks", "signals", "cookies", "left", "replaces", "many", "cancels", "errors", "killed", "loads"];
    for mpi in libraries() {
        let (source, program) = source_and_program("unusual_accesses.c", &mpi);
        compile(&mpi, &source, &program, &["-pthread".to_string()]);
        let (part, library) = source_and_program("unusual_accesses_part.c", &mpi);
        compile(&mpi, &part, &library, &["-shared", "-fPIC"].map(String::from));
        for name in all {
            let case = || {
                let arguments = vec![name.into(), folder_for(name, &mpi), library.to_string_lossy().into_owned()];
                Case { mpi: &mpi, path: program.clone(), arguments, ranks: 0, variables: vec![] }
            };
            let (plain, (output, run)) = (case().plain(), case().recorded(&format!("unusual-accesses-{name}")));
            assert_eq!(said(&output), said(&plain), "{name} under {}: {}", mpi.name, output.stderr);
            let report = run.ask("files", &[]).json;
            let mut stated = 0;
            for line in output.stdout.lines() {
                let words: Vec<&str> = line.split(' ').collect();
                let [place, count, bytes] = words[..] else { continue };
                let (Ok(count), Ok(bytes)) = (count.parse::<u64>(), bytes.parse::<u64>()) else { continue };
                let found = match (place.strip_prefix("file:"), place.strip_prefix("part:")) {
                    (Some(file), _) => written_to(&report, file),
                    (_, Some(comment)) => at_line(&report, &part, comment),
                    _ => at_line(&report, &source, place),
                };
                assert_eq!((found.0, found.1), (count, bytes), "{place} of {name} under {}: {report}", mpi.name);
                stated += 1;
            }
            assert!(stated > 0 || name == "signals", "{name} states nothing: {}", output.stdout);
        }
    }
}

/// Writes to a file by its name without folders, with their bytes and seconds.
fn written_to(report: &Value, name: &str) -> (u64, u64, f64) {
    let ends = format!("/{name}");
    let is_it = |row: &&Value| row["file"].as_str().is_some_and(|file| file.ends_with(&ends));
    let row = rows(report, "files").iter().find(is_it);
    let number = |key: &str| row.and_then(|row| row[key].as_u64()).unwrap_or(0);
    (number("writes"), number("written_bytes"), 0.0)
}

#[test]
fn a_profile_has_no_accesses_and_its_report_is_whole() {
    let mpi = one();
    let (source, program) = source_and_program("accesses.c", &mpi);
    compile(&mpi, &source, &program, &[]);
    let arguments = vec![folder_for("profile", &mpi)];
    let case = Case { mpi: &mpi, path: program, arguments, ranks: 2, variables: vec![] };
    let (output, run) = case.with("OVERHEAR_MODE", "profile").recorded("accesses-profile");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let answer = run.ask("report", &[]);
    assert_eq!(answer.status, 0, "{}", answer.json);
}
