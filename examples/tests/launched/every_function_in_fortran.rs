//! Calls every function of a Fortran binding once from Fortran, in each style: it returns the same as without the
//! recorder, which counts it once, at the program's line.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::those;
use examples::answer::Answer;
use examples::conformance::callable::BY_MAIN;
use examples::conformance::fortran::{self, site};
use examples::conformance::limits::{APART, CANNOT, DYNAMIC, List, listed};
use examples::conformance::source::program;
use examples::conformance::style::Style;
use examples::conformance::tried::{Tried, abort, same};
use examples::mpi::{Fortran, Mpi};
use examples::program::{compile, compile_fortran};
use examples::{rota, target};
use traces::calls::{ArgumentKind, Call};

/// Functions that are not counted if statuses are ignored.
const UNCOUNTED: &[List] =
    &[(&["ompi4"], &["MPI_Request_get_status"], "its bindings say no at once, and call no function of MPI")];

/// Functions that return an error even with right arguments, as others would for wrong ones.
const FAILING: &[List] = &[
    (&["ompi4"], &["MPI_Register_datarep"], "it has no representations of data"),
    (&["mpich4", "impi"], &["MPI_Address"], "no default integer holds the address"),
    (
        &["impi"],
        &["MPI_Abi_get_fortran_booleans", "MPI_Abi_set_fortran_booleans", "MPI_Abi_set_fortran_info"],
        "it is another ABI's",
    ),
    (&["mpich4"], DYNAMIC, "the launcher has no name server"),
];

/// The program in one style.
struct Built {
    path: PathBuf,
    /// Functions, and the sites of their calls.
    sites: BTreeMap<String, String>,
}

impl Built {
    /// Writes the program and builds it, unless it exists.
    fn of(mpi: &Mpi, fortran: &Fortran, style: Style) -> Built {
        let folder = target().join("programs").join(mpi.name).join(format!("fortran-{}", style.name()));
        fs::create_dir_all(&folder).unwrap();
        let (around, tried) = (folder.join("around.c"), folder.join(fortran::TRIED));
        let calls = fortran::callable(mpi, fortran, style);
        let (module, lines) = fortran::module(&calls, style);
        let texts = [(&around, program(&calls, Some(style))), (&tried, module)];
        if texts.iter().any(|(file, text)| fs::read_to_string(file).map_or(true, |written| written != *text)) {
            texts.iter().for_each(|(file, text)| fs::write(file, text).unwrap());
        }
        let path = folder.join("every_function");
        build(mpi, fortran, &around, &tried, &path);
        let sites = calls.iter().zip(lines).map(|(call, line)| (call.mpi_name(), site(*call, line))).collect();
        Built { path, sites }
    }
}

fn build(mpi: &Mpi, fortran: &Fortran, around: &Path, tried: &Path, path: &Path) {
    let object = around.with_extension("o");
    // The program also calls deprecated and removed functions. It is too large to optimize quickly.
    let flags = ["-c", "-O0", "-Wno-deprecated-declarations", "-Wno-unused"];
    compile(mpi, around, &object, &flags.map(String::from));
    let words = |path: &Path| path.to_str().unwrap().to_string();
    let flags = ["-O0".to_string(), "-ffree-line-length-none".to_string()];
    let fortran = Fortran {
        compiler: [&fortran.compiler[..], &flags].concat(),
        libraries: [&[words(&object)], &fortran.libraries[..]].concat(),
        ..fortran.clone()
    };
    compile_fortran(mpi, &fortran, tried, path);
}

/// Calls with a wrong count, by function and site.
fn wrong_counts(built: &Built, uncounted: &[&str], tried: &Tried, report: &Answer) -> Vec<String> {
    let mut counts: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for row in report.rows("sites") {
        let place = (row["function"].as_str().unwrap(), row["site"].as_str().unwrap_or("nowhere"));
        counts.entry(place).or_default().0 += row["calls"].as_u64().unwrap();
    }
    for name in tried.said.iter().flat_map(|said| said.keys()).filter(|name| !uncounted.contains(&name.as_str())) {
        // Text output may have several lines.
        if let Some(site) = built.sites.get(name) {
            counts.entry((name, site)).or_default().1 += 1;
        }
    }
    let wrong = counts.into_iter().filter(|(_, (counted, made))| counted != made);
    wrong.map(|((function, site), (counted, made))| format!("{function} at {site}: {counted}, not {made}")).collect()
}

fn has_status(name: &str) -> bool {
    let call = Call::named(name).unwrap();
    [ArgumentKind::Status, ArgumentKind::Statuses, ArgumentKind::StatusOut].into_iter().any(|kind| call.has(kind))
}

fn assert_the_same(mpi: &Mpi, fortran: &Fortran, style: Style) {
    let built = Built::of(mpi, fortran, style);
    let (cannot, apart, failing) = (listed(CANNOT, mpi), listed(APART, mpi), listed(FAILING, mpi));
    let called = built.sites.keys().map(String::as_str);
    let called = called.filter(|name| !BY_MAIN.contains(name) && !cannot.contains(name));
    let (apart, together): (Vec<&str>, Vec<&str>) = called.partition(|name| apart.contains(name));
    let ignoring: Vec<&str> = together.iter().copied().filter(|name| has_status(name)).collect();
    let runs = [("init", "look", together), ("init_thread", "ignore", ignoring), ("init", "look", apart)];
    for (init, statuses, names) in runs.into_iter().filter(|(_, _, names)| !names.is_empty()) {
        let (tried, report) = same(mpi, &built.path, &[init, statuses], &names);
        let missing: Vec<_> = names.iter().filter(|name| !tried.has(name)).collect();
        assert!(missing.is_empty(), "{} {style:?}: nobody called {missing:?}", mpi.name);
        let failed: Vec<_> = names.iter().filter(|name| tried.fails(name) && !failing.contains(name)).collect();
        assert!(failed.is_empty(), "{} {style:?}: {failed:?} failed", mpi.name);
        let uncounted = if statuses == "ignore" { listed(UNCOUNTED, mpi) } else { Vec::new() };
        let wrong = wrong_counts(&built, &uncounted, &tried, &report);
        assert!(wrong.is_empty(), "{} {style:?} counts {wrong:#?}", mpi.name);
    }
}

/// One library with one style; every library with every style that it has in a full run.
fn for_every_style(check: impl Fn(&Mpi, &Fortran, Style)) {
    for mpi in those("has Fortran", |mpi| mpi.fortran.is_some()) {
        let Some(fortran) = &mpi.fortran else { continue };
        for style in rota::one_case(Style::of(fortran)) {
            check(&mpi, fortran, style);
        }
    }
}

#[test]
fn every_function_called_from_fortran_does_what_it_does_without_the_recorder_and_is_counted_once() {
    for_every_style(assert_the_same);
}

#[test]
fn aborting_from_fortran_is_the_same_with_the_recorder() {
    for_every_style(|mpi, fortran, style| {
        let built = Built::of(mpi, fortran, style);
        assert_eq!(abort(mpi, &built.path, false), abort(mpi, &built.path, true), "{} {style:?}", mpi.name);
    });
}
