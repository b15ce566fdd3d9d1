//! Each run has a folder of its own, whatever happens to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::common::{behind, by_hand, calls, case, libraries, one, own_lines, quick, run, two_families, under_each};
use examples::run::{Case, Output, Run, finish, fresh_folder, overhear};
use examples::workspace;

#[test]
fn runs_that_begin_at_once_with_one_name_have_a_folder_each() {
    const RUNS: usize = 4;
    under_each(&libraries(), |mpi| {
        for is_behind in [false, true] {
            let wanted = fresh_folder(&format!("{}-at-once-{is_behind}", mpi.name)).join("run");
            fs::create_dir_all(wanted.parent().unwrap()).unwrap();
            let case = quick(mpi, &[]);
            let start = || match is_behind {
                true => behind(&case, &wanted),
                false => in_front(&case, &wanted),
            };
            thread::scope(|scope| {
                let runs: Vec<_> = (0..RUNS).map(|_| scope.spawn(start)).collect();
                for run in runs {
                    let output = run.join().unwrap();
                    assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
                }
            });
            let folders: Vec<PathBuf> =
                fs::read_dir(wanted.parent().unwrap()).unwrap().flatten().map(|entry| entry.path()).collect();
            assert_eq!(folders.len(), RUNS, "{}: {folders:?}", mpi.name);
            for folder in folders {
                let (report, shown) = (Run { folder: folder.clone() }.report("rank"), folder.display());
                assert_eq!((report.status, report.rows("ranks").len()), (0, 2), "{}: {shown}", mpi.name);
            }
        }
    });
}

#[test]
fn a_relative_folder_is_one_of_where_the_process_began() {
    under_each(&libraries(), |mpi| {
        let here = fresh_folder(&format!("{}-relative", mpi.name));
        fs::create_dir_all(here.join("elsewhere")).unwrap();
        let case = case("elsewhere", mpi, 1, &[]).with("OVERHEAR_DIR", "run");
        let output = by_hand(&case, &here);
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        assert_eq!(Run { folder: here.join("run") }.report("rank").status, 0, "{}: {}", mpi.name, output.stderr);
        assert!(!here.join("elsewhere/run").exists(), "{}", mpi.name);
    });
}

/// Runs the case behind `overhear record`.
fn in_front(case: &Case<'_>, folder: &Path) -> Output {
    let mut words = vec![overhear().display().to_string(), "record".into(), "--dir".into()];
    words.push(folder.display().to_string());
    words.extend(case.words());
    run(case, &words)
}

#[test]
fn of_a_folder_that_is_moved_while_the_launch_runs_it_is_said_where_it_is() {
    under_each(&two_families(), |mpi| {
        let folder = fresh_folder(&format!("{}-moved", mpi.name));
        let to = fresh_folder(&format!("{}-moved-away", mpi.name));
        let moves = format!("mv {} {}", folder.display(), to.display());
        let output = in_front(&case("moves_folder", mpi, 2, &[&moves]), &folder);
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let moved = format!("the run's folder was moved to {} while the launch ran", to.display());
        let next = format!("Next: overhear {}", to.display());
        assert!(output.stderr.contains(&moved) && output.stderr.contains(&next), "{}: {}", mpi.name, output.stderr);
        assert!(!folder.exists() && calls(&Run { folder: to }, "MPI_Barrier") == 4, "{}", mpi.name);
    });
}

#[test]
fn of_a_folder_that_is_removed_while_the_launch_runs_it_is_said_that_it_was() {
    under_each(&two_families(), |mpi| {
        let folder = fresh_folder(&format!("{}-removed", mpi.name));
        let removes = format!("rm -r {}", folder.display());
        let output = in_front(&case("moves_folder", mpi, 2, &[&removes]), &folder);
        let removed = "the run's folder and its files were removed while the launch ran";
        assert!(output.stderr.contains(removed), "{}: {}", mpi.name, output.stderr);
        assert!(!output.stderr.contains("nothing was recorded") && !folder.exists(), "{}", output.stderr);
        // Ranks that initialize MPI later create the folder again.
        let mut case = case("moves_folder", mpi, 1, &[]);
        let script = format!("{removes}; exec {} true", case.path.display());
        (case.path, case.arguments) = ("sh".into(), vec!["-c".into(), script]);
        let output = in_front(&case, &folder);
        assert!(output.stderr.contains(removed) && output.stderr.contains("of 1 process"), "{}", output.stderr);
        assert_eq!(calls(&Run { folder }, "MPI_Barrier"), 2, "{}: {}", mpi.name, output.stderr);
    });
}

#[test]
fn a_run_folder_is_never_overwritten() {
    let mpi = one();
    let folder = fresh_folder("twice");
    let second = folder.with_file_name("twice-2");
    let _ = fs::remove_dir_all(&second);
    let case = quick(&mpi, &[]);
    behind(&case, &folder);
    let first = fs::read(folder.join("rank-0000.ovh")).unwrap();
    behind(&case, &folder);
    assert_eq!(fs::read(folder.join("rank-0000.ovh")).unwrap(), first);
    assert_eq!(calls(&Run { folder: second }, "MPI_Send"), 10);
}

#[test]
fn folders_that_the_runs_folder_is_in_are_made() {
    let mpi = one();
    let case = quick(&mpi, &[]);
    let (front, run) = case.recorded("parents/a/b");
    let folder = fresh_folder("parents-behind").join("a/b");
    let back = behind(&case, &folder);
    assert_eq!((front.status, back.status), (0, 0), "{}{}", front.stderr, back.stderr);
    assert_eq!([run, Run { folder }].map(|run| calls(&run, "MPI_Send")), [10; 2]);
}

#[test]
fn record_in_front_and_behind_at_once_record_into_the_folder_of_the_one_in_front() {
    for mpi in two_families() {
        let case = quick(&mpi, &[]);
        let [outer, inner] = ["outer", "inner"].map(|which| fresh_folder(&format!("{}-{which}", mpi.name)));
        let record = |folder: &Path| ["record", "--dir", folder.to_str().unwrap()].map(String::from);
        let mut words = [&[overhear().display().to_string()][..], &record(&outer), &mpi.launch(2)].concat();
        words.push(overhear().display().to_string());
        words.extend(record(&inner).into_iter().chain(["--".into(), case.path.display().to_string()]));
        let output = run(&case, &words);
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
        assert_eq!((calls(&Run { folder: outer }, "MPI_Send"), inner.exists()), (10, false), "{}", mpi.name);
        let refusals =
            own_lines(&output).iter().filter(|line| line.contains("--dir") && line.contains("is ignored")).count();
        assert_eq!(refusals, 1, "{}: {}", mpi.name, output.stderr);
    }
}

#[test]
fn the_library_preloaded_alone_records_into_the_folder_it_is_run_in() {
    for mpi in libraries() {
        let here = fresh_folder(&format!("{}-alone", mpi.name));
        let output = by_hand(&quick(&mpi, &[]), &here);
        assert_eq!(output.stdout, "done\n", "{}", mpi.name);
        let folders: Vec<PathBuf> = fs::read_dir(&here).unwrap().flatten().map(|entry| entry.path()).collect();
        assert_eq!(folders.len(), 1, "{}: {folders:?}", mpi.name);
        assert!(folders[0].file_name().unwrap().to_str().unwrap().starts_with("overhear-quick-20"));
        assert_eq!(calls(&Run { folder: folders[0].clone() }, "MPI_Send"), 10, "{}", mpi.name);
    }
}

#[test]
fn a_run_that_somebody_puts_in_the_folders_place_is_not_reported_as_the_recorded_one() {
    for mpi in two_families() {
        let folder = fresh_folder(&format!("{}-replaced", mpi.name));
        let sample = workspace().join("traces/samples/integer_sort-openmpi");
        let removes = format!("rm -r {0} && cp -r {1} {0}", folder.display(), sample.display());
        for as_another in [true, false] {
            let _ = fs::remove_dir_all(&folder);
            // The sample says by no file which run the folder is of.
            let named =
                if as_another { format!("&& echo {:032x} > {}/.run", 1, folder.display()) } else { String::new() };
            let output = in_front(&case("moves_folder", &mpi, 2, &[&format!("{removes} {named}")]), &folder);
            assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
            let said = own_lines(&output).join("\n");
            assert!(said.contains("removed while the launch ran"), "{}: {said}", mpi.name);
            assert!(!said.contains("delayed the program") && !said.contains("Next:"), "{}: {said}", mpi.name);
        }
    }
}

#[test]
fn of_files_that_cannot_be_read_it_is_said_why_and_no_delay() {
    let mpi = one();
    let case = quick(&mpi, &[]);
    let folder = fresh_folder("unreadable");
    let script =
        format!("{}; for file in {}/*.ovh; do echo nothing > $file; done", case.words().join(" "), folder.display());
    let mut command = Command::new(overhear());
    command.arg("record").arg("--dir").arg(&folder).args(["sh", "-c", &script]);
    case.prepare(&mut command);
    let output = finish(&mut command);
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
    let last = own_lines(&output).last().unwrap().to_string();
    assert!(last.contains("can be read: ") && !last.contains("delayed"), "{last}");
    let once = finish(Command::new(overhear()).args(["top", "--once"]).arg(&folder));
    assert_eq!((once.status, once.stdout.as_str()), (3, ""), "{}", once.stderr);
    assert!(once.stderr.contains("none of its files can be read"), "{}", once.stderr);
}
