//! Where runs go, and that each has a folder of its own.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use common::{case, libraries};
use examples::run::{Run, finish, fresh_folder, library, overhear};

#[test]
fn runs_that_begin_at_once_with_one_name_have_a_folder_each() {
    const RUNS: usize = 4;
    let mut ran = 0;
    for mpi in libraries() {
        for behind in [false, true] {
            let wanted = fresh_folder(&format!("{}-at-once-{behind}", mpi.name)).join("run");
            fs::create_dir_all(wanted.parent().unwrap()).unwrap();
            let case = case("quick", &mpi, 2, &[]);
            let mut words: Vec<PathBuf> = case.words().into_iter().map(PathBuf::from).collect();
            let record = [overhear(), "record".into(), "--dir".into(), wanted.clone()];
            let at = if behind { words.len() - 1 } else { 0 };
            words.splice(at..at, record);
            let start = |_| {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]);
                case.prepare(&mut command);
                thread::spawn(move || finish(&mut command))
            };
            let runs: Vec<_> = (0..RUNS).map(start).collect();
            for run in runs {
                let output = run.join().unwrap();
                assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
            }
            let folders: Vec<PathBuf> =
                fs::read_dir(wanted.parent().unwrap()).unwrap().flatten().map(|entry| entry.path()).collect();
            assert_eq!(folders.len(), RUNS, "{}: {folders:?}", mpi.name);
            for folder in folders {
                let (report, shown) = (Run { folder: folder.clone() }.report("rank"), folder.display());
                assert_eq!((report.status, report.rows("ranks").len()), (0, 2), "{}: {shown}", mpi.name);
                ran += 1;
            }
        }
    }
    assert!(ran > 0);
}

#[test]
fn a_relative_folder_is_one_of_where_the_process_began() {
    let mut ran = 0;
    for mpi in libraries() {
        let here = fresh_folder(&format!("{}-relative", mpi.name));
        fs::create_dir_all(here.join("elsewhere")).unwrap();
        let case = case("elsewhere", &mpi, 1, &[]);
        let mut words = case.words();
        let program = words.pop().unwrap();
        let preload = format!("LD_PRELOAD={}", library().display());
        words.extend(["env".into(), preload, "OVERHEAR_DIR=run".into(), program]);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&here);
        case.prepare(&mut command);
        let output = finish(&mut command);
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        assert_eq!(Run { folder: here.join("run") }.report("rank").status, 0, "{}: {}", mpi.name, output.stderr);
        assert!(!here.join("elsewhere/run").exists(), "{}", mpi.name);
        ran += 1;
    }
    assert!(ran > 0);
}
