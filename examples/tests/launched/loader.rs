//! Programs that load and unload libraries: nothing of a library is touched while it comes or goes, what it finds is what
//! it finds without the recorder, and its calls are seen.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{both_families, calls, case, every_library, libraries, one};
use examples::mpi::Mpi;
use examples::program::{Program, compile};
use examples::run::{Case, Output};
use examples::{rota, target, truth, workspace};

fn source(name: &str) -> PathBuf {
    workspace().join("examples/tests/programs").join(name).with_extension("c")
}

/// Builds a library that programs load.
fn library(mpi: &Mpi, name: &str, to: &Path, flags: &[&str]) {
    let flags: Vec<String> = ["-shared", "-fPIC"].iter().chain(flags).map(|flag| flag.to_string()).collect();
    fs::create_dir_all(to.parent().expect("it is in a folder")).expect("the target folder can be written");
    compile(mpi, &source(name), to, &flags);
}

fn built_for(mpi: &Mpi) -> PathBuf {
    target().join("programs").join(mpi.built_as)
}

/// Ways to link a library: the loader fills its slots late or at once, in memory that it makes read-only or does not.
const LINKED: [&[&str]; 4] = [&["-Wl,-z,lazy"], &["-Wl,-z,now"], &["-Wl,-z,lazy,-z,norelro"], &["-fno-plt"]];

/// A program that loads libraries in other threads, with those that it loads.
fn loads<'a>(mpi: &'a Mpi, name: &str, arguments: &[&str]) -> Case<'a> {
    for (number, flags) in LINKED.iter().enumerate() {
        let part = built_for(mpi).join(format!("loads_libraries_part{number}.so"));
        library(mpi, "loads_libraries_part", &part, flags);
    }
    case(name, mpi, 2, arguments)
}

/// Runs of a program that loads libraries, for each MPI; TEST_LOADS asks for more.
const LOADS: usize = 1;

fn runs() -> usize {
    std::env::var("TEST_LOADS").map_or(LOADS, |runs| runs.parse().expect("TEST_LOADS is a number"))
}

/// Runs the program and compares the calls that it counts itself. Returns its counts: calls by the program, and those by
/// libraries that it looked something up in.
fn loads_unharmed(case: &Case<'_>, under: &str) -> [u64; 2] {
    let (output, run) = case.recorded("loads-libraries");
    assert_eq!(output.status, 0, "{under}: {}{}", output.stdout, output.stderr);
    let said: Option<Vec<u64>> = output.stdout.strip_prefix("ok: ").map(|said| {
        let words = said.split_whitespace();
        words.filter_map(|word| word.parse().ok()).collect()
    });
    let Some(&[probed, asked, loaded, different]) = said.as_deref() else { panic!("{under}: {}", output.stdout) };
    assert!(different > 4 && loaded >= different, "{under}: {}", output.stdout);
    assert_eq!([probed, calls(&run, "MPI_Iprobe")], [6000, 12_000], "{under}");
    [probed, asked]
}

#[test]
fn a_thread_may_load_and_unload_libraries_while_another_calls_mpi() {
    let chosen = rota::one_of_each(every_library(), "loads_libraries", Mpi::abi);
    let (mut ran, mut asked) = (0, 0);
    for mpi in &chosen {
        let case = loads(mpi, "loads_libraries", &[]);
        for run in 0..runs() {
            asked += loads_unharmed(&case, &format!("{}, run {run}", mpi.name))[1];
            ran += 1;
        }
    }
    assert!(ran > 0 && asked > 0);
}

#[test]
fn a_child_forked_beside_calls_from_new_places_can_load_libraries() {
    let mut ran = 0;
    for mpi in libraries() {
        let case = loads(&mpi, "loads_libraries", &["forks"]);
        for run in 0..runs() {
            loads_unharmed(&case, &format!("{}, run {run}", mpi.name));
            ran += 1;
        }
    }
    assert!(ran > 0);
}

#[test]
fn a_fork_waits_for_a_call_that_looks_at_libraries_however_long_its_allocator_takes() {
    let mut ran = 0;
    for mpi in both_families() {
        let (output, _) = loads(&mpi, "slow_allocator", &[]).recorded("slow-allocator");
        let said = output.stdout.strip_prefix("ok: ").and_then(|said| said.split(' ').next()?.parse().ok());
        assert!(output.status == 0 && said.is_some_and(|slow: u32| slow >= 8), "{}: {output:?}", mpi.name);
        ran += 1;
    }
    assert!(ran > 0);
}

#[test]
fn libraries_find_what_they_load_as_if_the_program_itself_had_loaded_it() {
    let mpi = one();
    let here = built_for(&mpi).join("finds");
    let libraries = here.join("finds_libraries");
    for (name, flags) in [
        ("finds_libraries_first", &["-Wl,--enable-new-dtags,-rpath,$ORIGIN/inner"][..]),
        ("finds_libraries_second", &[]),
        ("inner/finds_libraries_third", &[]),
        ("inner/finds_libraries_fourth", &[]),
    ] {
        library(&mpi, "finds_libraries_part", &libraries.join(format!("{name}.so")), flags);
    }
    let flags = "-Wl,--enable-new-dtags,-rpath,$ORIGIN/finds_libraries";
    let program = here.join("program");
    compile(&mpi, &source("finds_libraries"), &program, &[flags.into()]);
    let case = Case { mpi: &mpi, path: program, arguments: vec![], ranks: 1, variables: vec![] };
    let (plain, (recorded, _)) = (case.plain(), case.recorded("finds-libraries"));
    let said = |output: &Output| (output.status, output.stdout.clone());
    assert_eq!(said(&recorded), said(&plain), "{}", recorded.stderr);
    let expected = "by the program's RUNPATH: finds_libraries_first.so\n\
                    by $ORIGIN: finds_libraries_second.so\n\
                    by another library's RUNPATH: finds_libraries_third.so\n\
                    by the wrong RUNPATH: not found\n\
                    in a namespace: finds_libraries_first.so, elsewhere\n\
                    from a namespace: finds_libraries_third.so, elsewhere\n";
    assert_eq!(plain.stdout, expected, "{}", plain.stderr);
}

#[test]
fn a_constructor_may_wait_for_calls_that_another_thread_makes_from_new_places() {
    let program = Program::read_in(&workspace().join("examples/tests/programs"), "loader_lock");
    let mut ran = 0;
    for mpi in both_families() {
        let mut case = Case::of(&program, &mpi);
        case.arguments.extend(["constructor".into(), "elsewhere".into()]);
        let (output, run) = case.recorded("loader-lock-elsewhere");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        truth::check(&program, &run, mpi.name);
        ran += 1;
    }
    assert!(ran > 0);
}

#[test]
fn calls_are_seen_of_libraries_that_are_loaded_late_for_others_or_register_themselves() {
    let program = Program::read_in(&workspace().join("examples/tests/programs"), "late_parts");
    let mut ran = 0;
    for mpi in both_families() {
        let case = Case::of(&program, &mpi);
        let here = case.path.parent().expect("a program is in a folder");
        library(&mpi, "late_parts_needed", &here.join("liblate_parts_needed.so"), &[]);
        let beside = format!("-L{}", here.display());
        let needs = [beside.as_str(), "-Wl,--no-as-needed,-rpath,$ORIGIN", "-llate_parts_needed"];
        library(&mpi, "late_parts_first", &here.join("late_parts_first.so"), &needs);
        library(&mpi, "late_parts_registers", &here.join("late_parts_registers.so"), &[]);
        let (output, run) = case.recorded("late-parts");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        truth::check(&program, &run, mpi.name);
        ran += 1;
    }
    assert!(ran > 0);
}
