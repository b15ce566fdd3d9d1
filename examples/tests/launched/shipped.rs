//! The recorder's copy in the run's folder, on request.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{behind, libraries, one, quick, run, two_families, under_each};
use examples::run::{Case, Output, Run, finish, fresh_folder, library, overhear};

/// Prints the loaded recorders, and becomes the program.
const SHOW: &str = r#"sed -n 's|.* \(/.*liboverhear.*\)|\1|p' /proc/$$/maps | sort -u; exec "$0""#;

/// Runs the case behind `overhear record --ship`; the words `between` start the program.
fn ship(case: &Case<'_>, folder: &Path, between: &[&str]) -> Output {
    let mut words = vec![overhear().display().to_string(), "record".into(), "--ship".into()];
    words.extend(["--dir".into(), folder.display().to_string()]);
    words.extend(case.mpi.launch(case.ranks));
    words.extend(between.iter().map(|word| word.to_string()));
    words.push(case.path.display().to_string());
    run(case, &words)
}

#[test]
fn every_rank_loads_the_copy_in_the_runs_folder_and_no_other() {
    let overhear = overhear().display().to_string();
    under_each(&libraries(), |mpi| {
        let case = quick(mpi, &[]);
        for (at, record) in [&[][..], &[&overhear, "record", "--"]].iter().enumerate() {
            let folder = fresh_folder(&format!("{}-shipped-{at}", mpi.name));
            let output = ship(&case, &folder, &[record, &["sh", "-c", SHOW][..]].concat());
            let copy = folder.join("liboverhear.so");
            let mut said: Vec<&str> = output.stdout.lines().collect();
            said.sort_unstable();
            let copy_said = copy.display().to_string();
            assert_eq!(said, [&copy_said, &copy_said, "done"], "{}: {}", mpi.name, output.stderr);
            assert!(fs::read(&copy).unwrap() == fs::read(library()).unwrap(), "{}", mpi.name);
            let report = Run { folder }.report("rank");
            assert_eq!((report.status, report.rows("ranks").len()), (0, 2), "{}: {}", mpi.name, output.stderr);
        }
    });
}

#[test]
fn a_folder_that_got_the_recorder_and_no_run_is_removed() {
    under_each(&two_families(), |mpi| {
        let folder = fresh_folder(&format!("{}-shipped-for-nothing", mpi.name));
        let mut case = quick(mpi, &[]);
        case.path = PathBuf::from("/bin/true");
        let output = ship(&case, &folder, &[]);
        assert!(output.stderr.contains("nothing was recorded"), "{}: {}", mpi.name, output.stderr);
        assert!(!folder.exists(), "{}", mpi.name);
    });
}

#[test]
fn a_folder_that_no_library_can_be_loaded_from_is_refused_before_anything_starts() {
    let mpi = one();
    let parent = fresh_folder("shipped-refused");
    let folder = parent.join("a: b");
    let output = ship(&quick(&mpi, &[]), &folder, &[]);
    assert_eq!((output.status, output.stdout.as_str()), (125, ""), "{}", output.stderr);
    assert!(output.stderr.contains("LD_PRELOAD takes no path with a space or colon"), "{}", output.stderr);
    assert!(!folder.exists());
}

#[test]
fn asked_for_where_there_is_no_folder_yet_it_is_refused_before_anything_starts() {
    let mpi = one();
    let case = quick(&mpi, &[]).with("OVERHEAR_SHIP", "on");
    let output = behind(&case, &fresh_folder("shipped-behind"));
    assert_eq!(output.stdout, "", "{}", output.stderr);
    assert!(output.stderr.contains("overhear record --ship mpirun"), "{}", output.stderr);
    let env = finish(Command::new(overhear()).args(["env", "--launcher=openmpi", "--ship"]));
    assert_eq!((env.status, env.stdout.as_str()), (2, ""), "{}", env.stderr);
}
