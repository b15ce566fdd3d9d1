//! The ranks of a host record into one file.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::common::{by_hand, calls, case, every_library, libraries, one, quick, run, two_families, under_each};
use examples::answer::Answer;
use examples::program::Program;
use examples::run::{Case, Output, Run, fresh_folder, overhear};
use examples::running::{Running, verdict};
use serde_json::json;
use traces::read::RankFile;

fn in_one_file(case: Case<'_>) -> Case<'_> {
    case.with("OVERHEAR_FILES", "node")
}

/// Names of all files of a folder that may hold records.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> =
        entries.map(|name| name.to_string_lossy().into_owned()).filter(|name| name.ends_with(".ovh")).collect();
    names.sort();
    names
}

fn node_name() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    format!("node-{}.ovh", host.trim())
}

fn of_rank(report: &Answer, rank: u32, functions: &[&str]) -> u64 {
    let of = |function: &&str| {
        report.sum("rank_functions", "calls", &[("function", json!(function)), ("rank", json!(rank))])
    };
    functions.iter().map(of).sum()
}

fn is_whole(output: &Output, run: &Run, mpi: &str) {
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{mpi}: {}", output.stderr);
    assert_eq!(names(&run.folder), [node_name()], "{mpi}: {}", output.stderr);
    let report = run.report("rank");
    assert_eq!((report.status, report.rows("ranks").len()), (0, 2), "{mpi}: {}", report.warnings());
    let check = run.ask("check", &[]);
    assert_eq!((check.status, check.sum("pairs", "messages", &[])), (0, 10), "{mpi}: {}", check.warnings());
    assert_eq!(calls(run, "MPI_Send"), 10, "{mpi}");
}

#[test]
fn ranks_of_a_host_record_into_one_file() {
    under_each(&libraries(), |mpi| {
        let (output, run) = in_one_file(quick(mpi, &[])).recorded("node");
        is_whole(&output, &run, mpi.name);
        assert!(output.stderr.contains("of 2 processes"), "{}: {}", mpi.name, output.stderr);
        // By hand, the file begins beside the run's folder.
        let here = fresh_folder(&format!("{}-node-by-hand", mpi.name));
        let output = by_hand(&in_one_file(quick(mpi, &[])).with("OVERHEAR_DIR", "run"), &here);
        is_whole(&output, &Run { folder: here.join("run") }, mpi.name);
        let left: Vec<_> = fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["run"], "{}", mpi.name);
    });
}

#[test]
fn a_process_without_a_launcher_has_a_file_of_its_own_and_says_why() {
    let mpi = one();
    let mut case = in_one_file(quick(&mpi, &[]));
    case.ranks = 0;
    let (_, run) = case.recorded("node-alone");
    assert_eq!(names(&run.folder), ["rank-0000.ovh"]);
    let warnings = run.report("rank").warnings();
    assert!(warnings.contains("the process has a file of its own (--files node)"), "{warnings}");
}

#[test]
fn a_killed_rank_leaves_its_own_records_and_those_of_the_others() {
    under_each(&libraries(), |mpi| {
        let counter = fresh_folder(&format!("{}-node-counter", mpi.name)).to_string_lossy().into_owned();
        let (_, run) = in_one_file(case("killed", mpi, 2, &[counter.as_str()])).recorded("node-killed");
        let completed = u64::from_le_bytes(fs::read(&counter).unwrap()[..8].try_into().unwrap());
        assert!(completed >= 60_000, "{} was killed too early: after {completed}", mpi.name);
        assert_eq!(names(&run.folder), [node_name()], "{}", mpi.name);
        let report = run.report("rank");
        let recorded = of_rank(&report, 0, &["MPI_Iprobe", "MPI_Bcast"]);
        // The program counts a call after it has returned: one more may be recorded than counted.
        assert!((completed..=completed + 1).contains(&recorded), "{}: {recorded} of {completed}", mpi.name);
        assert_eq!((report.status, report.rows("ranks").len()), (4, 2), "{}: {}", mpi.name, report.warnings());
        for file in run.files() {
            let damage = RankFile::open(&file).unwrap().contents().damage;
            assert!(damage.is_empty(), "{}: {damage:?}", file.display());
        }
    });
}

#[test]
fn spawned_processes_record_into_files_of_the_host() {
    let program = Program::read("spawns");
    for mpi in two_families().iter().filter(|mpi| program.runs_under(mpi)) {
        let (output, run) = in_one_file(Case::of(&program, mpi)).recorded("node-spawned");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        let files: Vec<PathBuf> = run.files().iter().map(|file| file.file_name().unwrap().into()).collect();
        let mut expected = ["rank-0000.ovh", "rank-0001.ovh", "world-1-rank-0000.ovh", "world-1-rank-0001.ovh"];
        expected.sort();
        let mut found: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
        found.sort();
        assert_eq!(found, expected, "{}", mpi.name);
        assert!(names(&run.folder).iter().all(|name| name.starts_with("node-")), "{:?}", names(&run.folder));
        let check = run.ask("check", &[]);
        assert_eq!((check.status, check.sum("pairs", "messages", &[])), (0, 100), "{}: {}", mpi.name, check.warnings());
    }
}

#[test]
fn hang_judges_a_live_run_whose_ranks_share_a_file() {
    for mpi in two_families() {
        let running = Running::begin("node-hang", &in_one_file(case("hangs/cycle", &mpi, 3, &[])));
        let began = std::time::Instant::now();
        let answer = loop {
            assert!(began.elapsed() < std::time::Duration::from_secs(60), "{} is not judged", mpi.name);
            std::thread::sleep(std::time::Duration::from_millis(100));
            if let Some(answer) = running.look().filter(|answer| verdict(answer) == "certain") {
                break answer;
            }
        };
        assert_eq!(answer.json["reasons"][0]["reason"], json!("cycle"), "{}: {:#}", mpi.name, answer.json);
        assert_eq!(names(&running.run.folder), [node_name()], "{}", mpi.name);
    }
}

#[test]
fn programs_that_one_launch_runs_at_once_have_a_folder_each_and_a_file_in_common() {
    let library = |name: &str| every_library().into_iter().find(|mpi| mpi.name == name);
    let (Some(launcher), Some(mpi)) = (library("mpich4"), library("ompi4")) else {
        panic!("TEST_MPI must name both mpich4 and ompi4")
    };
    // A launcher of another library: each process takes itself for the only one.
    let case = in_one_file(case("moves_folder", &mpi, 2, &["true"]));
    let [folder, second] = ["", "-2"].map(|number| fresh_folder(&format!("{}-node-foreign{number}", launcher.name)));
    let mut words = [overhear().display().to_string(), "record".into(), "--dir".into()].to_vec();
    words.push(folder.display().to_string());
    words.extend(launcher.launch(2));
    words.extend([case.path.display().to_string(), "true".into()]);
    let output = run(&case, &words);
    assert_eq!(output.status, 0, "{} under {}: {}", mpi.name, launcher.name, output.stderr);
    let apart = "2 runs of 1 rank each instead of one of 2 ranks";
    assert!(output.stderr.contains(apart), "{} under {}: {}", mpi.name, launcher.name, output.stderr);
    let files = [&folder, &second].map(|folder| {
        assert_eq!(names(folder), [node_name()], "{}", mpi.name);
        let run = Run { folder: folder.clone() };
        assert_eq!((run.files().len(), calls(&run, "MPI_Barrier")), (1, 2), "{}", mpi.name);
        fs::metadata(folder.join(node_name())).unwrap().ino()
    });
    assert_eq!(files[0], files[1], "{}", mpi.name);
}
