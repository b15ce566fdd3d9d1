//! Regions that the program names, and times that it excludes from its figures.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{ATTEMPTS, case, libraries, those};
use examples::answer::{Answer, WAIT_STATE, whole};
use examples::launch_turns::alone;
use examples::mpi::{Mpi, install_nvtx};
use examples::program::compile;
use examples::run::{Case, Output, Run, finish, overhear};
use examples::{target, workspace};
use serde_json::{Value, json};

/// Runs a command on one region.
fn of_region(run: &Run, command: &str, region: &str) -> Answer {
    run.ask(command, &["--region", region])
}

/// A figure that the program measured.
fn truth(output: &Output, what: &str) -> f64 {
    let seconds = |line: &str| line.strip_prefix(&format!("truth: {what} = "))?.trim().parse().ok();
    output.stderr.lines().find_map(seconds).unwrap_or_else(|| panic!("{what}: {}", output.stderr))
}

/// The figure must agree with the program's measurement within 5 %.
fn is_near(found: f64, measured: f64) -> Result<(), String> {
    match (found - measured).abs() <= 0.05 * measured {
        true => Ok(()),
        false => Err(format!("the program measured {measured} s, and {found} s are found")),
    }
}

/// Runs a case until the check succeeds, a few times at most: a busy machine is late where nothing is planted.
fn assert_found(case: &Case<'_>, name: &str, check: impl Fn(&Output, &Run) -> Result<(), String>) {
    let _alone = alone();
    let attempt = |_| {
        let (output, run) = case.recorded(name);
        assert_eq!((output.stdout.as_str(), output.status), ("ok\n", 0), "{}: {}", case.mpi.name, output.stderr);
        check(&output, &run).err()
    };
    let wrong: Vec<String> = (0..ATTEMPTS).map_while(attempt).collect();
    assert!(wrong.len() < ATTEMPTS, "{}: {wrong:#?}", case.mpi.name);
}

/// Builds a program of `tests/programs` that needs headers of other folders.
fn with_headers<'a>(name: &str, mpi: &'a Mpi, ranks: u32, folder: &Path) -> Case<'a> {
    let source = workspace().join("examples/tests/programs").join(name).with_extension("c");
    let path = built(mpi, name);
    compile(mpi, &source, &path, &[format!("-I{}", folder.display())]);
    Case { mpi, path, arguments: Vec::new(), ranks, variables: Vec::new() }
}

fn built(mpi: &Mpi, name: &str) -> PathBuf {
    let folder = target().join("programs").join(mpi.built_as);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder.join(name)
}

fn headers() -> PathBuf {
    workspace().join("interposer/include")
}

/// Calls of a function in the table of ranks and functions.
fn calls(report: &Answer, function: &str) -> u64 {
    report.sum("rank_functions", "calls", &[("function", json!(function))])
}

const STEPS: u64 = 3;

#[test]
fn every_analysis_of_a_region_is_of_what_happened_inside_it() {
    for mpi in libraries() {
        let case = with_headers("regions", &mpi, 2, &headers());
        assert_eq!(case.plain().stdout, "ok\n", "{} without the recorder", mpi.name);
        assert_found(&case, "regions", |output, run| {
            counts_are_of_their_regions(run);
            waits_are_of_their_regions(output, run)?;
            times_are_of_their_regions(output, run)
        });
    }
}

/// Checks the calls and messages of each region.
fn counts_are_of_their_regions(run: &Run) {
    let of = |region: &str| {
        let report = run.ask("report", &["--by", "rank", "--region", region]);
        ["MPI_Send", "MPI_Recv", "MPI_Sendrecv", "MPI_Allreduce"].map(|function| calls(&report, function))
    };
    assert_eq!(of("halo"), [STEPS, STEPS, 0, 0]);
    assert_eq!(of("sum"), [0, 0, 0, 2 * STEPS]);
    assert_eq!(of("step"), [STEPS, STEPS, 2 * STEPS, 2 * STEPS]);
    assert_eq!(of("alone"), [1, 0, 0, 0]);
    for command in ["matrix", "check"] {
        let pairs = |region: &str| {
            let report = of_region(run, command, region);
            let pair = |row: &Value| ["from_rank", "to_rank", "messages"].map(|column| whole(row, column));
            let mut pairs: Vec<[u64; 3]> = report.rows("pairs").iter().map(pair).collect();
            pairs.sort();
            pairs
        };
        assert_eq!(pairs("halo"), [[0, 1, STEPS]], "{command}");
        assert_eq!(pairs("step"), [[0, 1, 2 * STEPS], [1, 0, STEPS]], "{command}");
        assert_eq!(pairs("alone"), [[1, 1, 1]], "{command}");
        assert!(pairs("sum").is_empty(), "{command}");
    }
    let innermost = run.ask("report", &["--by", "region"]);
    let of = |region: &str| innermost.sum("regions", "calls", &[("region", json!(region))]);
    assert_eq!(["halo", "sum", "step", "alone"].map(of), [2 * STEPS, 2 * STEPS, 2 * STEPS, 1]);
    assert!(of("(none)") > 0 && innermost.rows("regions").len() == 5, "{:#?}", innermost.rows("regions"));
    let unknown = finish(Command::new(overhear()).args(["waits", "--region", "hello"]).arg(&run.folder));
    assert_eq!(unknown.status, 2);
    assert!(
        unknown.stderr.contains("The nearest one is halo; there are alone, halo, step, sum."),
        "{}",
        unknown.stderr
    );
}

/// Each region has its own wait, the outer one both, and the last none.
fn waits_are_of_their_regions(output: &Output, run: &Run) -> Result<(), String> {
    let halo = truth(output, "wait late_sender rank 1 // halo <- rank 0");
    let sum = truth(output, "wait wait_at_nxn rank 0 // sum <- rank 1");
    for (region, late_sender, wait_at_nxn) in [("halo", halo, 0.0), ("sum", 0.0, sum), ("step", halo, sum)] {
        let report = of_region(run, "waits", region);
        let of = |state: &str, function: &str, rank: u32| {
            let meant = [(WAIT_STATE, json!(state)), ("function", json!(function)), ("rank", json!(rank))];
            report.total("waits", "wait_s", &meant)
        };
        let found = [of("late_sender", "MPI_Recv", 1), of("wait_at_nxn", "MPI_Allreduce", 0)];
        for (found, measured) in found.into_iter().zip([late_sender, wait_at_nxn]) {
            is_near(found, measured).map_err(|wrong| format!("{region}: {wrong}"))?;
        }
    }
    match of_region(run, "waits", "alone").fact("wait_s") {
        0.0 => Ok(()),
        found => Err(format!("alone: {found} s of waiting")),
    }
}

/// Checks wall time, useful time and critical path of each region; the outer one's path includes the inner ones'.
fn times_are_of_their_regions(output: &Output, run: &Run) -> Result<(), String> {
    let step = of_region(run, "report", "step");
    let measured = [0, 1].map(|rank| truth(output, &format!("step rank {rank}")));
    is_near(step.fact("wall_time_s"), measured[0].max(measured[1]))?;
    let halo = of_region(run, "pop", "halo");
    is_near(halo.fact("useful_max_s"), truth(output, "computing rank 0"))?;
    let whole = run.ask("path", &[]).fact("path_s");
    let paths = ["halo", "sum", "step"].map(|region| of_region(run, "path", region).fact("path_s"));
    assert!(paths[0] + paths[1] <= paths[2] && paths[2] < whole, "{paths:?} of {whole}");
    // The causes of rank 1's wait are on the path.
    let (halo, waited) = (paths[0], truth(output, "wait late_sender rank 1 // halo <- rank 0"));
    if halo < 0.95 * waited {
        return Err(format!("{waited} s were waited in halo, of which {halo} s are on the path"));
    }
    let computation = &of_region(run, "imbalance", "sum").rows("functions")[0].clone();
    assert_eq!((&computation["function"], &computation["max_rank"]), (&json!("(computation)"), &json!(1)));
    let entries = |report: Answer| report.sum("ledger", "entries", &[]);
    assert!(entries(of_region(run, "progress", "halo")) <= entries(run.ask("progress", &[])));
    Ok(())
}

/// Bytes that rank 1 receives in counted messages, and in those begun while messages counted.
const COUNTED: u64 = 5 * 10 + 8 + 5 * 1000;

#[test]
fn what_the_program_takes_out_is_in_no_figure_and_that_is_said() {
    for mpi in libraries() {
        let case = case("controlled", &mpi, 2, &[]);
        assert_eq!(case.plain().stdout, "ok\n", "{} without the recorder", mpi.name);
        assert_found(&case, "controlled", |output, run| {
            totals_are_of_what_counts(run, mpi.name);
            let waits = run.ask("waits", &[]);
            // Five messages, twice: on a busy machine one may be there before it is received.
            let waited = waits.sum("waits", "waits", &[("function", json!("MPI_Recv"))]);
            if waited != 10 {
                return Err(format!("{waited} of 10 receives waited"));
            }
            assert_eq!(of_both(&run.ask("matrix", &[])), [[0, 1, 5 * 10 + 7 + 9 + 5 * 1000]]);
            let stopped = [0, 1].map(|rank| truth(output, &format!("stopped rank {rank}")));
            // Excluded time comes on top.
            assert!(waits.fact("taken_out_max_s") > stopped[0].min(stopped[1]));
            let parts: f64 = ["wall_time_s", "taken_out_max_s"].map(|name| waits.fact(name)).iter().sum();
            is_near(parts, waits.fact("whole_wall_time_s"))
        });
    }
}

fn of_both(matrix: &Answer) -> Vec<[u64; 3]> {
    let pair = |row: &Value| ["from_rank", "to_rank", "bytes"].map(|column| whole(row, column));
    matrix.rows("pairs").iter().map(pair).collect()
}

fn totals_are_of_what_counts(run: &Run, under: &str) {
    let report = run.ask("report", &["--by", "rank"]);
    assert_eq!(
        ["MPI_Send", "MPI_Recv", "MPI_Irecv", "MPI_Init"].map(|function| calls(&report, function)),
        [12, 10, 1, 0],
        "{under}"
    );
    let sum = |column: &str| {
        ["MPI_Send", "MPI_Recv", "MPI_Irecv"]
            .map(|f| report.sum("rank_functions", column, &[("function", json!(f))]))
            .iter()
            .sum::<u64>()
    };
    assert_eq!(sum("sent_bytes"), 5 * 10 + 7 + 9 + 5 * 1000, "{under}");
    assert_eq!(sum("received_bytes"), COUNTED, "{under}");
    assert!(report.warnings().contains("from these figures by MPI_Pcontrol"), "{under}: {}", report.warnings());
}

#[test]
fn a_profile_stops_and_forgets_as_the_program_asks() {
    for mpi in libraries() {
        let case = case("controlled", &mpi, 2, &[]).with("OVERHEAR_MODE", "profile");
        assert_found(&case, "controlled-profile", |_, run| {
            totals_are_of_what_counts(run, mpi.name);
            let report = run.ask("report", &[]);
            let parts: f64 = ["wall_time_s", "taken_out_max_s"].map(|name| report.fact(name)).iter().sum();
            is_near(parts, report.fact("whole_wall_time_s"))
        });
    }
}

#[test]
fn ranges_of_nvtx_are_regions() {
    let nvtx = install_nvtx().unwrap_or_else(|reason| panic!("{reason}: run cargo xtask test, which brings it"));
    for mpi in libraries() {
        let case = with_headers("ranges", &mpi, 1, &nvtx);
        assert_eq!(case.plain().stdout, "ok\n", "{} without the recorder", mpi.name);
        let (output, run) = case.recorded("ranges");
        assert_eq!((output.stdout.as_str(), output.status), ("ok\n", 0), "{}: {}", mpi.name, output.stderr);
        let of = |region: &str| calls(&run.ask("report", &["--by", "rank", "--region", region]), "MPI_Sendrecv");
        let regions = ["pushed", "weit äußen", "attributes", "registered", "started"];
        // The registered region is entered twice: by a push, and from one thread to another.
        let expected = [1 + 2 + 3 + 4 + 5, 2, 3 + 4, 4 + 5 + 6 + 7, 6];
        assert_eq!(regions.map(of), expected, "{}", mpi.name);
    }
}

#[test]
fn another_tool_for_nvtx_is_left_in_its_place() {
    let env = |other: &str| {
        let mut command = Command::new(overhear());
        finish(command.args(["env", "--launcher", "mpich"]).env("NVTX_INJECTION64_PATH", other)).stdout
    };
    assert!(env("/opt/tool.so").contains("NVTX_INJECTION64_PATH /opt/tool.so"), "{}", env("/opt/tool.so"));
    assert!(env("").contains("liboverhear.so"), "{}", env(""));
}

#[test]
fn fortran_programs_name_regions_by_the_module() {
    for mpi in those("has a Fortran compiler of its own", |mpi| fortran(mpi).is_some()) {
        let compiler = fortran(&mpi).unwrap_or_default();
        let (folder, path) = (target().join("programs").join(mpi.built_as), built(&mpi, "regions_fortran"));
        let mut command = Command::new(compiler);
        command.arg("-J").arg(&folder).arg("-o").arg(&path).arg(headers().join("overhear.f90"));
        command.arg(workspace().join("examples/tests/programs/regions.f90")).arg("-ldl");
        mpi.set_environment(&mut command);
        let output = finish(&mut command);
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let case = Case { mpi: &mpi, path, arguments: Vec::new(), ranks: 2, variables: Vec::new() };
        assert_eq!(case.plain().stdout, "ok\n", "{} without the recorder", mpi.name);
        let (output, run) = case.recorded("regions-fortran");
        assert_eq!((output.stdout.as_str(), output.status), ("ok\n", 0), "{}: {}", mpi.name, output.stderr);
        for (region, expected) in [("inner", [3, 3, 0]), ("outer", [3, 3, 2])] {
            let report = run.ask("report", &["--by", "rank", "--region", region]);
            let found = ["MPI_Send", "MPI_Recv", "MPI_Barrier"].map(|function| calls(&report, function));
            assert_eq!(found, expected, "{region} under {}", mpi.name);
        }
    }
}

/// A library's Fortran compiler, if it has one.
fn fortran(mpi: &Mpi) -> Option<PathBuf> {
    let name = mpi.compiler.file_name()?.to_str()?.replace("mpicc", "mpifort");
    Some(mpi.compiler.with_file_name(name)).filter(|path| mpi.built_as == mpi.name && path.exists())
}
