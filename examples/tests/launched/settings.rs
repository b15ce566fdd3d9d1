//! Settings of a recording: wrong ones are refused before anything starts, right ones are obeyed.

use std::fs;
use std::process::Command;

use crate::common::{by_hand, calls, one, own_lines, quick, run, those, two_families, under_each};
use examples::mpi::Mpi;
use examples::run::{Output, Run, finish, fresh_folder, overhear};

#[test]
fn a_wrong_flag_or_variable_is_refused_before_anything_starts() {
    let mpi = one();
    let case = quick(&mpi, &[]);
    let run_with = |flags: &[&str], variables: &[(&str, &str)], words: &[String]| {
        let mut command = Command::new(overhear());
        case.prepare(command.arg("record").args(flags).arg("--").args(words));
        finish(command.envs(variables.iter().copied()))
    };
    let flags = [
        ("--mode=trce", "trace"),
        ("--progress=event", "events"),
        ("--sync=bth", "both"),
        ("--filter=-colective", "no class or function is called colective; the nearest one is collective"),
        ("--max-bytes=12Q", "not a size, as 500M, 1.5G, 64KiB or 1e6"),
    ];
    let variables = [
        ("OVERHEAR_MDOE", "", "there is no variable OVERHEAR_MDOE; the nearest one is OVERHEAR_MODE"),
        ("OVERHEAR_MAX_BYTES", "12Q", "OVERHEAR_MAX_BYTES=12Q: not a size"),
    ];
    for words in [case.words(), vec![case.path.display().to_string()]] {
        flags.iter().for_each(|(flag, message)| refused(run_with(&[flag], &[], &words), message));
        variables.iter().for_each(|(name, value, message)| refused(run_with(&[], &[(name, value)], &words), message));
    }
}

fn refused(output: Output, message: &str) {
    assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{message}: {}", output.stderr);
    assert!(output.stderr.contains(message), "{}", output.stderr);
}

#[test]
fn a_wrong_variable_that_the_launcher_is_to_set_is_refused_before_anything_starts() {
    under_each(&two_families(), |mpi| {
        let case = quick(mpi, &[]);
        let record =
            |words: &[String]| run(&case, &[&[overhear().display().to_string(), "record".into()], words].concat());
        let with = |set: &[&str]| {
            let mut words = case.words();
            words.splice(1..1, set.iter().map(|word| word.to_string()));
            words
        };
        let file = fresh_folder(&format!("{}-given", mpi.name)).with_extension("txt");
        let (way, own, of_file): (&[&str], _, _) = match mpi.is_openmpi() {
            true => (&["-x", "OVERHEAR_MDOE=null"], "-x OVERHEAR_MDOE=null", "--app"),
            false => (&["-genv", "OVERHEAR_MDOE", "null"], "-env OVERHEAR_MDOE null", "-configfile"),
        };
        fs::write(&file, format!("-n 2 {own} {}\n", case.path.display())).unwrap();
        let message = "there is no variable OVERHEAR_MDOE; the nearest one is OVERHEAR_MODE";
        refused(record(&with(way)), message);
        refused(record(&[mpi.launch(1)[0].clone(), of_file.into(), file.display().to_string()]), message);
        let mut between = mpi.launch(2);
        between.extend(["env".into(), "OVERHEAR_MAX_BYTES=12Q".into(), case.path.display().to_string()]);
        refused(record(&between), "OVERHEAR_MAX_BYTES=12Q: not a size");
        // A right value is passed on.
        let right: &[&str] =
            if mpi.is_openmpi() { &["-x", "OVERHEAR_MODE=null"] } else { &["-genv", "OVERHEAR_MODE", "null"] };
        let output = record(&with(right));
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        assert!(own_lines(&output).is_empty(), "{}: {}", mpi.name, output.stderr);
    });
}

#[test]
fn a_wrong_variable_is_named_once_in_ranks_preloaded_by_hand_and_the_program_runs() {
    let mpi = those("has a launcher that lets ranks speak", Mpi::is_openmpi).remove(0);
    for (name, value, message) in [
        ("OVERHEAR_MDOE", "", "there is no variable OVERHEAR_MDOE; the nearest one is OVERHEAR_MODE"),
        ("OVERHEAR_MAX_BYTES", "many", "OVERHEAR_MAX_BYTES=many: not a size"),
    ] {
        let here = fresh_folder("wrong-by-hand");
        let output = by_hand(&quick(&mpi, &[]).with(name, value), &here);
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
        let said = own_lines(&output);
        assert!(said.len() == 1 && said[0].contains(message), "{said:?}");
        assert!(said[0].ends_with("The program runs unrecorded."), "{said:?}");
        assert_eq!(fs::read_dir(&here).unwrap().count(), 0);
    }
}

#[test]
fn a_filter_chooses_classes_and_functions() {
    let mpi = one();
    let recorded = |filter: &str| {
        let (output, run) = quick(&mpi, &["calls", "5"]).with("OVERHEAR_FILTER", filter).recorded("filter");
        assert_eq!(output.stdout, "done\n", "{}", output.stderr);
        ["MPI_Send", "MPI_Recv", "MPI_Bcast", "MPI_Comm_rank", "MPI_Init"].map(|function| calls(&run, function))
    };
    assert_eq!(recorded(""), [10, 10, 10, 0, 2]);
    assert_eq!(recorded("+query"), [10, 10, 10, 2, 2]);
    assert_eq!(recorded("all"), [10, 10, 10, 2, 2]);
    assert_eq!(recorded("-pointtopoint"), [0, 0, 10, 0, 2]);
    assert_eq!(recorded("-all,+MPI_Send,bcast"), [10, 0, 10, 0, 2]);
}

#[test]
fn what_env_prints_makes_a_launcher_preload_the_recorder() {
    for mpi in two_families() {
        let folder = fresh_folder(&format!("{}-env", mpi.name));
        let name = if mpi.is_openmpi() { "openmpi" } else { "mpich" };
        let mut env = Command::new(overhear());
        let printed = finish(env.args(["env", "--launcher", name, "--dir"]).arg(&folder)).stdout;
        let case = quick(&mpi, &[]);
        let mut words = case.words();
        words.splice(1..1, printed.split_whitespace().map(String::from));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        case.prepare(&mut command);
        assert_eq!(finish(&mut command).stdout, "done\n");
        assert_eq!(calls(&Run { folder }, "MPI_Send"), 10, "{}", mpi.name);
    }
}
