//! Programs whose runtime must be loaded first.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{behind, calls, quick, run, two_families, under_each};
use examples::mpi::Mpi;
use examples::program::compile;
use examples::run::{Case, Output, Run, finish, fresh_folder, overhear};
use examples::workspace;

/// A program built with AddressSanitizer.
fn with_address_sanitizer(mpi: &Mpi) -> Case<'_> {
    let plain = quick(mpi, &[]);
    let path = plain.path.with_extension("address");
    let source = workspace().join("examples/tests/programs/quick.c");
    compile(mpi, &source, &path, &["-fsanitize=address".into()]);
    Case { path, ..plain }.with("ASAN_OPTIONS", "detect_leaks=0")
}

fn assert_recorded(output: &Output, folder: PathBuf, under: &str) {
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{under}: {}", output.stderr);
    assert_eq!(calls(&Run { folder }, "MPI_Send"), 10, "{under}");
}

fn record(case: &Case<'_>, folder: &Path, words: &[String]) -> Output {
    let record = [overhear().display().to_string(), "record".into(), "--dir".into(), folder.display().to_string()];
    run(case, &[&record, words].concat())
}

#[test]
fn a_program_built_with_address_sanitizer_starts_and_is_recorded() {
    under_each(&two_families(), |mpi| {
        let case = with_address_sanitizer(mpi);
        let [front, back] = ["front", "behind"].map(|way| fresh_folder(&format!("{}-address-{way}", mpi.name)));
        assert_recorded(&record(&case, &front, &case.words()), front, mpi.name);
        assert_recorded(&behind(&case, &back), back, mpi.name);
        // All programs of a launch get the same environment.
        let mut words = case.words();
        words.extend([":", "-n", "1", "true"].map(String::from));
        let mixed = record(&case, &fresh_folder(&format!("{}-address-mixed", mpi.name)), &words);
        assert_eq!(mixed.status, 125, "{}", mixed.stderr);
        assert!(mixed.stderr.contains("Record each behind the launcher"), "{}", mixed.stderr);
    });
}

#[test]
fn a_program_built_with_address_sanitizer_that_a_file_names_starts_and_is_recorded() {
    under_each(&two_families(), |mpi| {
        let case = with_address_sanitizer(mpi);
        let folder = fresh_folder(&format!("{}-address-file", mpi.name));
        let file = folder.with_extension("txt");
        fs::write(&file, format!("# two ranks\n-n 2 {}\n", case.path.display())).unwrap();
        let option = if mpi.is_openmpi() { "--app" } else { "-configfile" };
        let mut words = mpi.launch(1);
        words.truncate(words.len() - 2);
        words.extend([option.into(), file.display().to_string()]);
        assert_recorded(&record(&case, &folder, &words), folder, mpi.name);
    });
}

#[test]
fn a_script_that_puts_the_runtime_in_front_has_its_program_recorded() {
    under_each(&two_families(), |mpi| {
        let case = with_address_sanitizer(mpi);
        let folder = fresh_folder(&format!("{}-address-script", mpi.name));
        let runtime = finish(Command::new("cc").arg("-print-file-name=libasan.so")).stdout;
        let script = format!("LD_PRELOAD={}:$LD_PRELOAD exec {}", runtime.trim(), case.path.display());
        let words = [mpi.launch(2), ["sh".into(), "-c".into(), script].into()].concat();
        assert_recorded(&record(&case, &folder, &words), folder, mpi.name);
    });
}
