//! Launchers pass the environment to their ranks, each in its own way; stand-ins replace those that are not installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{both_families, case};
use examples::command::write_executable;
use examples::mpi::Mpi;
use examples::run::{Case, Output, Run, finish, fresh_folder, library, overhear};
use serde_json::json;

/// Runs `overhear record` in front of a command, with the case's environment and these variables.
fn record(case: &Case<'_>, folder: &Path, words: &[String], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(overhear());
    command.arg("record").arg("--dir").arg(folder).args(words);
    case.prepare(&mut command);
    finish(command.envs(variables.iter().copied()))
}

fn assert_recorded(output: &Output, folder: &Path, under: &str) {
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{under}: {}", output.stderr);
    let report = Run { folder: folder.into() }.report("rank");
    let calls = |function| report.sum("rank_functions", "calls", &[("function", json!(function))]);
    assert_eq!((calls("MPI_Send"), calls("MPI_Recv"), report.status), (10, 10, 0), "{under}");
}

/// A copy of the program under another name.
fn twin(case: &Case<'_>) -> PathBuf {
    let folder = fresh_folder(&format!("{}-twin", case.mpi.name));
    fs::create_dir_all(&folder).unwrap();
    let twin = folder.join(case.path.file_name().unwrap()).with_extension("twin");
    write_executable(&twin, &fs::read(&case.path).unwrap()).unwrap();
    twin
}

#[test]
fn each_rank_of_a_launch_with_two_programs_is_known_by_its_own() {
    for mpi in both_families() {
        let case = case("quick", &mpi, 1, &[]);
        let twin = twin(&case).display().to_string();
        let mut words = case.words();
        words.extend([":", "-n", "1", &twin, "with", "arguments"].map(String::from));
        let folder = fresh_folder(&format!("{}-two-programs", mpi.name));
        let output = record(&case, &folder, &words, &[]);
        assert_recorded(&output, &folder, mpi.name);
        let report = &Run { folder }.report("rank").json["run"];
        assert_eq!(report["programs"], "quick: rank 0; quick.twin with arguments: rank 1", "{}", mpi.name);
    }
}

#[test]
fn programs_of_a_file_are_recorded() {
    for mpi in both_families() {
        let case = case("quick", &mpi, 1, &[]);
        let (program, twin) = (case.path.display().to_string(), twin(&case).display().to_string());
        let file = fresh_folder(&format!("{}-programs-of-a-file", mpi.name)).with_extension("txt");
        let (own, option) =
            if mpi.is_openmpi() { ("-x OWN=value", "--app") } else { ("-env OWN value", "-configfile") };
        let lines = format!("# two programs\n-n 1 {own} {program}\n\n-n 1 {twin} with arguments\n");
        fs::write(&file, lines).unwrap();
        let mut words = mpi.launch(1);
        words.truncate(words.len() - 2);
        words.extend([option.into(), file.display().to_string()]);
        let folder = fresh_folder(&format!("{}-programs of a file", mpi.name));
        let output = record(&case, &folder, &words, &[]);
        assert_recorded(&output, &folder, mpi.name);
        let report = &Run { folder }.report("rank").json["run"];
        assert_eq!(report["programs"], "quick: rank 0; quick.twin with arguments: rank 1", "{}", mpi.name);
    }
}

/// Stand-in for srun: treats options and environment as srun(1) says, and starts the tasks with another launcher. A
/// file of several programs has lines of a rank and a command.
const SRUN: &str = r#"#!/bin/bash
tasks=1 export=${SLURM_EXPORT_ENV-ALL} several=
while [[ $1 == -* ]]; do
    case $1 in
    -n) tasks=$2; shift 2 ;;
    --export) export=$2; shift 2 ;;
    --export=*) export=${1#*=}; shift ;;
    --multi-prog) several=$2; shift 2 ;;
    *) echo "srun: $1 is unknown" >&2; exit 1 ;;
    esac
done
environment=(env -i PATH="$PATH" STAND_IN="$STAND_IN" SEVERAL="$several")
for name in ${!OMPI_*} ${!I_MPI_*} LD_LIBRARY_PATH HOME; do environment+=("$name=${!name}"); done
IFS=,
for word in $export; do
    case $word in
    ALL) environment=(env SEVERAL="$several") ;;
    NONE | NIL) [[ $export == "$word" ]] || exit 1 ;;
    *=*) environment+=("$word") ;;
    *) environment+=("$word=${!word}") ;;
    esac
done
IFS=' '
read -ra launcher <<< "$STAND_IN"
# The library is for the tasks alone.
for at in "${!environment[@]}"; do
    [[ ${environment[at]} == LD_PRELOAD=* ]] && environment[at]=TASK_PRELOAD=${environment[at]#*=}
done
exec "${environment[@]}" "${launcher[@]}" "$tasks" "$(dirname "$0")/task" "$@"
"#;

/// The stand-in's wrapper of each task.
const TASK: &str = r#"#!/bin/bash
export SLURM_PROCID=${PMIX_RANK-$PMI_RANK}
[[ $SEVERAL ]] && set -- $(sed -n "s/^$SLURM_PROCID //p" "$SEVERAL")
LD_PRELOAD=$TASK_PRELOAD exec "$@"
"#;

/// A folder with the stand-in, and a PATH that finds it first.
fn stand_in(mpi: &Mpi) -> (PathBuf, String) {
    let folder = fresh_folder(&format!("{}-stand-in", mpi.name));
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in [("srun", SRUN), ("task", TASK)] {
        write_executable(&folder.join(name), text.as_bytes()).unwrap();
    }
    let mut set = Command::new("env");
    mpi.set_environment(&mut set);
    let own = set.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| Some(path?.to_str()?.to_string()));
    let path = own.unwrap_or_else(|| std::env::var("PATH").unwrap());
    let path = format!("{}:{path}", folder.display());
    (folder, path)
}

#[test]
fn srun_hands_the_environment_on_whatever_the_user_lets_it_export() {
    for mpi in both_families() {
        let case = case("quick", &mpi, 2, &[]);
        let (folder, path) = stand_in(&mpi);
        let launcher = mpi.launch(2);
        let launcher = launcher[..launcher.len() - 1].join(" ");
        let several = folder.join("several");
        fs::write(&several, format!("0 {}\n1 {}\n", case.path.display(), twin(&case).display())).unwrap();
        let (program, several) = (case.path.display().to_string(), several.display().to_string());
        type Way<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)]);
        let ways: [Way; 7] = [
            (&[&program], &[]),
            (&["--export=ALL,OMP_NUM_THREADS=2", &program], &[]),
            (&["--export", "NONE", &program], &[]),
            (&["--export=NONE", &program], &[]),
            (&["--export=LANG", &program], &[]),
            (&[&program], &[("SLURM_EXPORT_ENV", "NONE")]),
            (&["--multi-prog", &several], &[("OVERHEAR_FILTER", "+query,-io")]),
        ];
        for (at, (words, variables)) in ways.into_iter().enumerate() {
            let run = folder.join(format!("run-{at}"));
            let mut all = vec![folder.join("srun").display().to_string(), "-n".into(), "2".into()];
            all.extend(words.iter().map(|word| word.to_string()));
            let set = [variables, &[("STAND_IN", &launcher), ("PATH", &path)]].concat();
            let output = record(&case, &run, &all, &set);
            assert_recorded(&output, &run, &format!("{} {words:?} {variables:?}", mpi.name));
        }
    }
}

#[test]
fn what_env_prints_is_what_each_launcher_takes() {
    let preload = library().canonicalize().unwrap().display().to_string();
    // Text before each variable, between name and value, and before the next one.
    let forms = [
        ("openmpi", "-x ", "=", " -x ", "/run$1"),
        ("mpich", "-genv ", " ", " -genv ", "/run$1"),
        ("slurm", "--export=ALL,", "=", ",", "/run$1"),
        ("flux", "--env=", "=", " --env=", "/run$$1"),
        ("aprun", "-e ", "=", " -e ", "/run$1"),
        ("pals", "--env ", "=", " --env ", "/run$1"),
    ];
    for (launcher, first, between, next, folder) in forms {
        let variables =
            [("LD_PRELOAD", preload.as_str()), ("NVTX_INJECTION64_PATH", &preload), ("OVERHEAR_DIR", folder)];
        let variables = variables.map(|(name, value)| format!("{name}{between}{value}"));
        let arguments = format!("{first}{}", variables.join(next));
        let mut command = Command::new(overhear());
        command.args(["env", "--launcher", launcher, "--dir", "/run$1"]).env_remove("LD_PRELOAD");
        assert_eq!(finish(&mut command).stdout, format!("{arguments}\n"));
    }
}
