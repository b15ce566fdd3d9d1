//! Launches in which only some ranks are recorded.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{case, libraries, those};
use examples::command::write_executable;
use examples::mpi::Mpi;
use examples::run::{Output, Run, finish, fresh_folder, overhear};
use serde_json::Value;

/// Words for the launcher that record these ranks of four, and not the others.
fn words(recorded: &[bool], folder: &Path, program: &str) -> Vec<String> {
    let mut words = Vec::new();
    for recorded in recorded {
        if !words.is_empty() {
            words.push(":".to_string());
        }
        words.extend(["-n".into(), "1".into()]);
        if *recorded {
            words.extend([overhear().display().to_string(), "record".into(), "--dir".into()]);
            words.extend([folder.display().to_string(), "--".into()]);
        }
        words.push(program.into());
    }
    words
}

/// Launches four ranks, some of them recorded, on hosts whose files are `kept` apart or not. A minute is the time
/// limit.
fn launch(mpi: &Mpi, launcher: &[String], recorded: &[bool], folder: &Path, kept: Option<&Path>) -> Output {
    let case = case("partly", mpi, 4, &[]);
    let mut command = Command::new("timeout");
    command.arg("60").args(launcher).args(words(recorded, folder, case.path.to_str().unwrap()));
    case.prepare(&mut command);
    if let Some(kept) = kept {
        command.env("TEST_HIDDEN", folder.parent().unwrap()).env("TEST_KEPT", kept);
    }
    let output = finish(&mut command);
    assert_eq!((output.status, output.stdout.as_str()), (0, "sum 6\n"), "{}: {}", mpi.name, output.stderr);
    output
}

/// The first recorded rank says so, unless its launcher is one under which ranks must not write to stderr.
fn assert_said(mpi: &Mpi, output: &Output, begins: &str) {
    match mpi.is_openmpi() {
        true => assert!(output.stderr.contains(begins), "{}: {}", mpi.name, output.stderr),
        false => assert!(!output.stderr.contains("overhear: "), "{}: {}", mpi.name, output.stderr),
    }
}

/// The launcher with its usual arguments, without a number of ranks.
fn launcher(mpi: &Mpi) -> Vec<String> {
    let mut words = mpi.launch(1);
    words.truncate(words.len() - 2);
    words
}

/// Source of each rank's clock.
fn clocks(run: &Run) -> Vec<(u64, String)> {
    let clock = |row: &Value| (row["rank"].as_u64().unwrap(), row["clock"].as_str().unwrap().to_string());
    run.ask("check", &[]).rows("clocks").iter().map(clock).collect()
}

#[test]
fn the_recorded_ranks_of_a_launch_record_together_and_the_others_are_said_not_to_be() {
    let mut ran = 0;
    for mpi in libraries() {
        for recorded in [[true, true, false, false], [false, false, true, true]] {
            let first = if recorded[0] { 0 } else { 2 };
            let folder = fresh_folder(&format!("{}-partly-{first}", mpi.name));
            let output = launch(&mpi, &launcher(&mpi), &recorded, &folder, None);
            let begins = format!("recording 2 of 4 ranks ({first}-{}; the others are not recorded)", first + 1);
            assert_said(&mpi, &output, &begins);
            let run = Run { folder };
            let report = run.report("rank");
            assert_eq!(
                (report.status, report.json["run"]["recorded_ranks"].as_str()),
                (0, names(first)),
                "{}",
                mpi.name
            );
            assert!(!report.warnings().contains("no file"), "{}: {}", mpi.name, report.warnings());
            let check = run.ask("check", &[]);
            assert_eq!(check.status, 0, "{}: {}", mpi.name, check.warnings());
            let others = 2 - first;
            let elsewhere = format!("4 messages to or from ranks {others}-{}, not recorded", others + 1);
            assert!(check.warnings().contains(&elsewhere), "{}: {}", mpi.name, check.warnings());
            assert_eq!(check.sum("pairs", "messages", &[]), 20, "{}", mpi.name);
            assert_eq!(clocks(&run)[1].1, "the same clock", "{}", mpi.name);
            ran += 1;
        }
    }
    assert!(ran > 0);
}

fn names(first: u64) -> Option<&'static str> {
    Some(if first == 0 { "ranks 0-1" } else { "ranks 2-3" })
}

#[test]
fn all_ranks_of_a_launch_are_found_to_be_recorded_wherever_each_is_started_by_itself() {
    for mpi in libraries() {
        let folder = fresh_folder(&format!("{}-partly-all", mpi.name));
        let output = launch(&mpi, &launcher(&mpi), &[true; 4], &folder, None);
        assert_said(&mpi, &output, "recording 4 ranks under");
        let report = Run { folder }.report("rank");
        assert_eq!((report.status, report.json["run"]["recorded_ranks"].as_str()), (0, None), "{}", mpi.name);
    }
}

/// Runs a command on a simulated host: with its own name and shared memory, and on request its own file system.
const AGENT: &str = r#"#!/bin/sh
host=$1
shift
rights=--map-root-user
[ "$(id -u)" = 0 ] && rights=
exec unshare $rights --uts --mount sh -c '
    echo "$0" >/proc/sys/kernel/hostname && mount -t tmpfs none /dev/shm || exit
    kept=$TEST_KEPT/$0
    if [ -n "$TEST_HIDDEN" ]; then
        mkdir -p "$kept" && mount --bind "$kept" "$TEST_HIDDEN" || exit
    fi
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    exec sh -c "$*"' "$host" "$@"
"#;

/// The launcher on two such hosts, each with two ranks. Intel's does not start by an agent unless it can resolve the
/// host's address.
fn on_two_hosts(mpi: &Mpi, agent: &Path) -> Vec<String> {
    let mut words = launcher(mpi);
    // With this option Open MPI 5 would put all ranks on the first host.
    words.retain(|word| word != "--oversubscribe");
    let agent = agent.display().to_string();
    let more: Vec<String> = match (mpi.is_openmpi(), mpi.name) {
        (true, "ompi4") => ["--mca", "plm_rsh_agent", &agent].map(String::from).into(),
        (true, _) => ["--prtemca", "plm_ssh_agent", &agent].map(String::from).into(),
        (false, _) => ["-launcher", "rsh", "-launcher-exec", &agent, "-hosts", "h1:2,h2:2"].map(String::from).into(),
    };
    words.extend(more);
    if mpi.is_openmpi() {
        words.extend("--host h1:2,h2:2 --mca pml ob1 --mca btl tcp,self".split(' ').map(String::from));
    }
    words
}

#[test]
fn ranks_on_hosts_with_and_without_a_shared_folder_find_each_other() {
    for mpi in &those("takes an agent for hosts", |mpi| !mpi.name.starts_with("impi")) {
        let runs = fresh_folder(&format!("{}-hosts", mpi.name));
        fs::create_dir_all(&runs).unwrap();
        let agent = runs.join("agent");
        write_executable(&agent, AGENT.as_bytes()).unwrap();
        let launcher = on_two_hosts(mpi, &agent);
        let layouts = [([true, false, true, false], "0,2"), ([false, true, true, false], "1-2"), ([true; 4], "")];
        for (recorded, ranks) in layouts {
            for shares in [true, false] {
                let name = recorded.map(|recorded| if recorded { "r" } else { "-" }).concat();
                let folder = runs.join(format!("{name}-{shares}")).join("run");
                fs::create_dir_all(folder.parent().unwrap()).unwrap();
                let kept = runs.join(format!("kept-{name}"));
                let output = launch(mpi, &launcher, &recorded, &folder, (!shares).then_some(&*kept));
                let begins = match ranks {
                    "" => "recording 4 ranks under".to_string(),
                    ranks => format!("recording 2 of 4 ranks ({ranks}; the others are not recorded)"),
                };
                assert_said(mpi, &output, &begins);
                if !shares {
                    gather(&kept, &folder);
                }
                let run = Run { folder };
                assert_eq!(run.files().len(), recorded.iter().filter(|recorded| **recorded).count());
                let report = run.report("rank");
                assert_eq!(report.status, 0, "{}: {}", mpi.name, report.warnings());
                let by: Vec<String> = clocks(&run).into_iter().map(|(_, by)| by).collect();
                assert!(by.iter().all(|by| by == "the same clock"), "{}: {by:?}", mpi.name);
            }
        }
    }
}

/// Copies the files of all hosts into one folder, as a user would.
fn gather(kept: &Path, folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    for host in fs::read_dir(kept).unwrap().flatten() {
        for file in fs::read_dir(host.path().join("run")).unwrap().flatten() {
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
    }
}
