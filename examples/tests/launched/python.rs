//! Python programs.

use std::collections::BTreeMap;
use std::fs;

use crate::common::those;
use examples::python::Python;
use examples::workspace;

#[test]
fn calls_of_python_programs_come_from_the_lines_that_the_programs_say() {
    let program = workspace().join("examples/tests/programs/call_sites.py");
    let pythons = Python::all();
    assert!(!pythons.is_empty(), "no Python is here: TEST_PYTHON names interpreters");
    let fitting = those("mpi4py has a module for", Python::fits);
    let mut ran = 0;
    for (python, mpi) in pythons.iter().flat_map(|python| fitting.iter().map(move |mpi| (python, mpi))) {
        const RANKS: u64 = 2;
        let Some(case) = python.case(&program, mpi, RANKS as u32) else { continue };
        let (output, run) = case.recorded("python-call-sites");
        assert_eq!(output.status, 0, "{} {}: {}", mpi.name, case.path.display(), output.stderr);
        let mut stated: BTreeMap<String, u64> = BTreeMap::new();
        for site in output.stdout.lines() {
            *stated.entry(site.into()).or_default() += RANKS;
        }
        let report = run.report("site");
        let barriers = report.rows("sites").iter().filter(|row| row["function"] == "MPI_Barrier");
        let reported = barriers.map(|row| (row["site"].as_str().unwrap().into(), row["calls"].as_u64().unwrap()));
        assert_eq!(reported.collect::<BTreeMap<_, _>>(), stated, "{} {}", mpi.name, case.path.display());
        let sites = |function| {
            let rows = report.rows("sites").iter().filter(move |row| row["function"] == function);
            rows.filter_map(|row| row["site"].as_str()).collect::<Vec<_>>()
        };
        let source = fs::read_to_string(&program).unwrap();
        let line = 1 + source.lines().position(|line| line == "from mpi4py import MPI").unwrap();
        let imported = format!("<module> (call_sites.py:{line})");
        assert_eq!(sites("MPI_Init_thread"), [imported.as_str()], "{} {}", mpi.name, case.path.display());
        assert_eq!(sites("MPI_Finalize"), ["(interpreter exit)"], "{} {}", mpi.name, case.path.display());
        ran += 1;
    }
    assert!(ran > 0, "no Python has an mpi4py for any library");
}
