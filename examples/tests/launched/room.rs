//! If a file has little room, calls are still counted, and reports about them are true.

use std::fs;
use std::process::Command;

use crate::common::{calls, case, libraries, one, own_lines, quick, two_families};
use examples::program::compile;
use examples::run::{Case, Output, Run, finish, fresh_folder, overhear};
use examples::{target, workspace};
use serde_json::json;

/// Runs the case with its trace on a disk of 700 KiB.
fn on_a_small_disk(case: &Case<'_>, name: &str) -> (Output, Run) {
    let disk = fresh_folder(name);
    fs::create_dir_all(&disk).unwrap();
    let record = format!("{} record --dir {}/run", overhear().display(), disk.display());
    let script = format!(
        "mount -t tmpfs -o size=700k none {0} && {record} {1}; status=$?; cp -r {0}/run {0}.copy; exit $status",
        disk.display(),
        case.words().join(" ")
    );
    let copy = disk.with_extension("copy");
    let _ = fs::remove_dir_all(&copy);
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
    case.prepare(&mut command);
    let output = finish(&mut command);
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
    (output, Run { folder: copy })
}

#[test]
fn on_a_full_disk_calls_are_still_counted_and_that_is_said_once() {
    let mpi = one();
    for files in ["rank", "node"] {
        let case = quick(&mpi, &["calls", "1000000"]).with("OVERHEAR_FILES", files);
        let (output, run) = on_a_small_disk(&case, &format!("full-disk-{files}"));
        let full = "stopped recording single calls because the disk was full; later calls are only counted and timed";
        let times = own_lines(&output).iter().filter(|line| line.contains(full)).count();
        assert_eq!(times, 1, "{files}: once for all ranks: {}", output.stderr);
        let report = run.report("rank");
        assert!(report.warnings().contains("because the disk was full"), "{files}: {}", report.warnings());
        assert_eq!((calls(&run, "MPI_Send"), calls(&run, "MPI_Bcast")), (10, 2_000_000), "{files}");
        assert_eq!(report.status, 4, "{files}");
    }
}

#[test]
fn on_a_disk_that_is_full_before_the_start_the_program_runs_and_no_folder_stays() {
    for mpi in two_families() {
        let case = quick(&mpi, &[]);
        let disk = fresh_folder(&format!("{}-full-before", mpi.name));
        fs::create_dir_all(&disk).unwrap();
        let script = format!(
            "mount -t tmpfs -o size=64k none {0} && {{ cat /dev/zero > {0}/fills 2> /dev/null; {1} record --dir {0}/run {2}; \
             status=$?; ls -A {0}; exit $status; }}",
            disk.display(),
            overhear().display(),
            case.words().join(" ")
        );
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
        case.prepare(&mut command);
        let output = finish(&mut command);
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\nfills\n"), "{}: {}", mpi.name, output.stderr);
        let said = own_lines(&output);
        let [line] = said[..] else { panic!("{}: {}", mpi.name, output.stderr) };
        assert!(line.contains("No space left on device") && line.ends_with("The program runs unrecorded."), "{line}");
    }
}

#[test]
fn the_size_that_is_said_at_the_end_is_what_the_disk_had_room_for() {
    let mpi = one();
    let (output, run) = on_a_small_disk(&quick(&mpi, &["sizes", "20000"]), "full-disk-size");
    let kibibytes = own_lines(&output).iter().find_map(|line| {
        let before = line.split_once(" KiB of 2 processes")?.0;
        before.rsplit_once(' ')?.1.parse::<f64>().ok()
    });
    assert!(kibibytes.is_some_and(|kibibytes| (100.0..=700.0).contains(&kibibytes)), "{}", output.stderr);
    let lengths = run.files().iter().map(|file| fs::metadata(file).unwrap().len()).sum::<u64>();
    assert!((100_000..1_500_000).contains(&lengths), "{lengths}");
}

#[test]
fn beyond_the_limit_of_its_file_a_rank_goes_on_as_a_profile_with_exact_totals() {
    for mpi in two_families() {
        let (_, run) = quick(&mpi, &["calls", "1000000"]).with("OVERHEAR_MAX_BYTES", "1M").recorded("limit");
        assert_eq!(calls(&run, "MPI_Bcast"), 2_000_000, "{}", mpi.name);
        for file in run.files() {
            assert!(fs::metadata(&file).unwrap().len() <= 1 << 20, "{}", file.display());
        }
        assert!(run.report("rank").warnings().contains("2 ranks reached OVERHEAR_MAX_BYTES"));
    }
}

#[test]
fn a_profile_of_more_signatures_than_it_has_room_for_keeps_its_totals() {
    let mpi = one();
    let case = quick(&mpi, &["sizes", "40000"]).with("OVERHEAR_MAX_BYTES", "1M").with("OVERHEAR_MODE", "profile");
    let (_, run) = case.recorded("profile-full");
    let report = run.report("rank");
    let bcast = |column: &str| report.sum("rank_functions", column, &[("function", json!("MPI_Bcast"))]);
    assert_eq!(bcast("calls"), 2 * 40_000);
    assert_eq!(bcast("sent_bytes"), 2 * 40_000 * 40_001 / 2);
    assert!(run.files().iter().all(|file| fs::metadata(file).unwrap().len() <= 1 << 20));
}

#[test]
fn a_file_system_without_shared_mappings_gets_buffered_writes() {
    for mpi in libraries() {
        let shim = target().join("programs").join(mpi.built_as).join("no_shared_mappings.so");
        let source = workspace().join("examples/tests/programs/no_shared_mappings.c");
        compile(&mpi, &source, &shim, &["-shared", "-fPIC"].map(String::from));
        let folder = fresh_folder(&format!("{}-no-mappings", mpi.name));
        let mut command = Command::new(overhear());
        command.arg("record").arg("--dir").arg(&folder);
        // UCX, which MPICH 4 is built with, would write its own mmap over the preloaded one, even without the recorder.
        let case = quick(&mpi, &["calls", "100000"]).with("UCX_MEM_MMAP_HOOK_MODE", "none");
        // The recorder comes before the user's own preloaded libraries.
        command.args(case.words()).env("LD_PRELOAD", &shim);
        case.prepare(&mut command);
        let output = finish(&mut command);
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        let run = Run { folder };
        let warnings = run.report("rank").warnings();
        assert!(warnings.contains("has no shared mappings"), "{}: {warnings}", mpi.name);
        assert_eq!(calls(&run, "MPI_Bcast"), 200_000, "{}", mpi.name);
    }
}

#[test]
fn on_a_full_disk_calls_inside_other_calls_are_counted_apart() {
    for mpi in two_families() {
        let case = case("inside_others", &mpi, 2, &[]).with("OVERHEAR_FILTER", "all");
        let (_, run) = on_a_small_disk(&case, &format!("{}-full-disk-nested", mpi.name));
        let report = run.report("rank");
        assert!(report.warnings().contains("because the disk was full"), "{}: {}", mpi.name, report.warnings());
        let rank = |column: &str| report.sum("rank_functions", column, &[("function", json!("MPI_Comm_rank"))]);
        assert_eq!((rank("calls"), rank("nested_calls")), (2 * 67, 2 * 92), "{}", mpi.name);
    }
}

#[test]
fn a_file_system_that_writes_nothing_is_not_taken_for_a_size_limit() {
    let mpi = one();
    let shim = target().join("programs").join(mpi.built_as).join("writes_nothing.so");
    let source = workspace().join("examples/tests/programs/writes_nothing.c");
    compile(&mpi, &source, &shim, &["-shared", "-fPIC"].map(String::from));
    let folder = fresh_folder("writes-nothing");
    let mut command = Command::new(overhear());
    let case = quick(&mpi, &["calls", "2000000"]);
    command.arg("record").arg("--dir").arg(&folder).args(case.words()).env("LD_PRELOAD", &shim);
    case.prepare(&mut command);
    let output = finish(&mut command);
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
    let run = Run { folder };
    let warnings = run.report("rank").warnings();
    assert!(warnings.contains("because its file could not be written"), "{warnings}");
    assert_eq!(calls(&run, "MPI_Bcast"), 4_000_000);
}
