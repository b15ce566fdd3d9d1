//! Another tool that uses MPI's profiling interface: both see everything they would see alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{both_families, case, libraries};
use examples::mpi::Mpi;
use examples::program::compile;
use examples::run::{Case, Output, Run, finish, fresh_folder, library, overhear};
use examples::{target, workspace};
use serde_json::json;

const SENT: u64 = 10;

fn source(name: &str) -> PathBuf {
    workspace().join("examples/tests/programs").join(name).with_extension("c")
}

fn tool(mpi: &Mpi) -> PathBuf {
    let path = target().join("programs").join(mpi.built_as).join("tool.so");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    compile(mpi, &source("tool"), &path, &["-shared", "-fPIC"].map(String::from));
    path
}

/// Runs the program with these libraries preloaded, in the ranks only.
fn preloaded(case: &Case<'_>, libraries: &[&Path], name: &str) -> (Output, Run) {
    let folder = fresh_folder(&format!("{}-{name}", case.mpi.name));
    let preload: Vec<String> = libraries.iter().map(|library| library.display().to_string()).collect();
    let mut words = case.mpi.launch(case.ranks);
    words.extend([
        "env".into(),
        format!("LD_PRELOAD={}", preload.join(":")),
        format!("OVERHEAR_DIR={}", folder.display()),
    ]);
    words.extend(["OVERHEAR_FILTER=+query".into(), case.path.display().to_string()]);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    case.prepare(&mut command);
    (finish(&mut command), Run { folder })
}

/// Both have seen the program's calls. The recorder has none of the tool's queries, and `reduces` of its MPI_Reduce
/// calls.
fn assert_both_saw(output: &Output, run: &Run, mpi: &Mpi, reduces: u64) {
    assert_eq!(output.stdout, format!("done\nthe tool saw {SENT}\n"), "{}: {}", mpi.name, output.stderr);
    let report = run.report("rank");
    let calls = |function: &str| report.sum("rank_functions", "calls", &[("function", json!(function))]);
    let seen = ["MPI_Send", "MPI_Recv", "MPI_Comm_rank", "MPI_Type_size", "MPI_Reduce", "MPI_Finalize"].map(calls);
    assert_eq!(seen, [SENT, SENT, 2, 0, reduces, 2], "{}", mpi.name);
    let sites = run.report("site");
    let sends = sites.rows("sites").iter().filter(|row| row["function"] == "MPI_Send");
    let places: Vec<&str> = sends.filter_map(|row| row["site"].as_str()).collect();
    assert_eq!(places, ["main (quick.c:17)"], "{}", mpi.name);
}

#[test]
fn a_tool_behind_the_recorder_is_called_by_it() {
    for mpi in libraries() {
        let (output, run) = preloaded(&case("quick", &mpi, 2, &[]), &[&library(), &tool(&mpi)], "tool-behind");
        // The tool reduces inside the program's MPI_Finalize.
        assert_both_saw(&output, &run, &mpi, 0);
    }
}

#[test]
fn a_tool_before_the_recorder_calls_it() {
    for mpi in libraries() {
        let (output, run) = preloaded(&case("quick", &mpi, 2, &[]), &[&tool(&mpi), &library()], "tool-before");
        assert_both_saw(&output, &run, &mpi, 2);
    }
}

#[test]
fn a_tool_linked_into_the_program_calls_the_recorder() {
    for mpi in libraries() {
        let path = target().join("programs").join(mpi.built_as).join("quick_with_tool");
        let flags = [source("tool").display().to_string()];
        compile(&mpi, &source("quick"), &path, &flags);
        let case = Case { path, ..case("quick", &mpi, 2, &[]) };
        let (output, run) = preloaded(&case, &[&library()], "tool-inside");
        assert_eq!(output.stdout, format!("done\nthe tool saw {SENT}\n"), "{}: {}", mpi.name, output.stderr);
        let report = run.report("rank");
        let calls = |function: &str| report.sum("rank_functions", "calls", &[("function", json!(function))]);
        assert_eq!(
            ["MPI_Send", "MPI_Recv", "MPI_Type_size", "MPI_Reduce"].map(calls),
            [SENT, SENT, 0, 2],
            "{}",
            mpi.name
        );
    }
}

#[test]
fn a_program_whose_mpi_is_a_library_of_stubs_calls_those() {
    let folder = target().join("programs");
    let stubs = folder.join("libstubs.so");
    let program = folder.join("with_stubs");
    let cc = |to: &Path, arguments: &[&str]| {
        let built = finish(Command::new("cc").arg("-o").arg(to).arg(source("stubs")).args(arguments));
        assert_eq!(built.status, 0, "{}", built.stderr);
    };
    cc(&stubs, &["-DSTUBS", "-shared", "-fPIC"]);
    cc(&program, &[&stubs.display().to_string()]);
    let run = finish(Command::new(&program).env("LD_PRELOAD", library()));
    assert_eq!((run.status, run.stdout.as_str()), (0, "0, rank 7\n"), "{}", run.stderr);
    assert!(run.stderr.contains("no MPI library was found in the process"), "{}", run.stderr);
}

/// The forms in which users preload a library by the launcher, each as the words before the launcher, behind it, and
/// before the program.
fn forms(mpi: &Mpi, library: &str) -> Vec<[Vec<String>; 3]> {
    let set = format!("LD_PRELOAD={library}");
    let env = || vec!["env".to_string(), set.clone()];
    let option: &[&[&str]] = match mpi.is_openmpi() {
        true => &[&["-x", &set]],
        false => &[&["-genv", "LD_PRELOAD", library], &["-env", "LD_PRELOAD", library]],
    };
    let options = option.iter().map(|option| [vec![], option.iter().map(|word| word.to_string()).collect(), vec![]]);
    options.chain([[env(), vec![], vec![]], [vec![], vec![], env()]]).collect()
}

#[test]
fn a_library_that_the_launch_itself_preloads_is_loaded_beside_the_recorder() {
    let mut ran = 0;
    for mpi in both_families() {
        let case = case("quick", &mpi, 2, &[]);
        for [front, launcher, program] in forms(&mpi, tool(&mpi).to_str().unwrap()) {
            let form = [&front[..], &launcher, &program].concat().join(" ");
            let folder = fresh_folder(&format!("{}-joined", mpi.name));
            let launch = mpi.launch(2);
            let words =
                [&front[..], &launch[..1], &launcher, &launch[1..], &program, &[case.path.display().to_string()]]
                    .concat();
            let mut command = Command::new(overhear());
            command.args(["record", "--filter", "+query", "--dir"]).arg(&folder).args(words);
            case.prepare(&mut command);
            let output = finish(&mut command);
            assert_eq!(output.status, 0, "{} {form}: {}", mpi.name, output.stderr);
            assert_both_saw(&output, &Run { folder }, &mpi, 0);
            ran += 1;
        }
    }
    assert!(ran > 0);
}

#[test]
fn of_a_script_that_preloads_another_library_it_is_said_what_to_write_there() {
    for mpi in both_families() {
        let case = case("quick", &mpi, 2, &[]);
        let tool = tool(&mpi).display().to_string();
        let record = |set: &str| {
            let folder = fresh_folder(&format!("{}-replaced", mpi.name));
            let mut command = Command::new(overhear());
            command.args(["record", "--filter", "+query", "--dir"]).arg(&folder);
            command.args(["sh", "-c", &format!("{set} {}", case.words().join(" "))]);
            case.prepare(&mut command);
            (finish(&mut command), Run { folder })
        };
        let (output, run) = record(&format!("LD_PRELOAD={tool}"));
        assert_eq!((output.status, run.folder.exists()), (0, false), "{}: {}", mpi.name, output.stderr);
        let instead = format!("LD_PRELOAD={tool}:$LD_PRELOAD");
        assert!(output.stderr.contains(&format!("Write {instead} there")), "{}: {}", mpi.name, output.stderr);
        let (output, run) = record(&instead);
        let calls = |function| run.report("rank").sum("rank_functions", "calls", &[("function", json!(function))]);
        assert_eq!((output.status, calls("MPI_Recv")), (0, SENT), "{}: {}", mpi.name, output.stderr);
    }
}
