//! `overhear top --launcher`: readers on other nodes, started here by stand-ins for ssh and srun.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;
use traces::calls::Call;

use crate::common::Folder;
use crate::common::stories::{Story, collective, inside, receive, run_on};
use crate::common::terminal::InTerminal;

/// Runs the command after the node's name.
const RUNS_IT: &str = r#"exec /bin/sh -c "$*""#;

/// A folder with a stand-in for ssh. The script gets the host name in `$host`.
fn ssh(does: &str) -> Folder {
    let folder = Folder::new();
    let script = format!("#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nhost=$2\nshift 2\n{does}\n");
    write_program(&folder, "ssh", &script);
    folder
}

fn write_program(folder: &Folder, name: &str, script: &str) {
    folder.write(name, script.as_bytes());
    fs::set_permissions(folder.0.join(name), fs::Permissions::from_mode(0o755)).unwrap();
}

fn command(launchers: &Folder, run: &Folder, launcher: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    command.args(["top", "--no-cache", "--launcher", launcher]).arg(&run.0);
    command.env("PATH", format!("{}:/usr/bin:/bin", launchers.0.display())).env_remove("SLURM_JOB_ID");
    command
}

fn once(launchers: &Folder, run: &Folder) -> Output {
    command(launchers, run, "ssh").args(["--once", "--format", "json"]).output().unwrap()
}

/// Function, partner and communicator of each rank in order; then the warnings.
fn seen(output: &Output) -> (Vec<[String; 3]>, Vec<String>) {
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let mut frame = said["top"].as_array().unwrap().clone();
    frame.sort_by_key(|row| row["rank"].as_u64());
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_string();
    let rows = frame.iter().map(|row| ["function", "partner", "communicator"].map(|key| text(row, key))).collect();
    let warnings = said["warnings"].as_array().into_iter().flatten();
    (rows, warnings.map(|warning| warning.as_str().unwrap().to_string()).collect())
}

fn rows(rows: &[[&str; 3]]) -> Vec<[String; 3]> {
    rows.iter().map(|row| row.map(String::from)).collect()
}

fn barrier() -> traces::signature::Signature {
    collective(Call::Barrier)
}

/// Three ranks, the last two on another host.
fn on_two_hosts(stories: Vec<Story>) -> Folder {
    let folder = Folder::new();
    run_on(&folder, stories, |rank| if rank == 0 { "n-0" } else { "n-1" });
    folder
}

/// The run as the nodes themselves see it.
fn fresh() -> Folder {
    on_two_hosts(vec![inside(&[], barrier()), inside(&[], barrier()), inside(&[barrier()], receive(0, 7))])
}

/// The run as it is seen from here.
fn stale() -> Folder {
    on_two_hosts(vec![inside(&[], receive(1, 5)), inside(&[], receive(0, 5)), inside(&[], receive(0, 5))])
}

/// Reads another folder in place of the first.
fn reads(there: &Path, instead_of: &Path) -> String {
    format!(r#"exec /bin/sh -c "$(echo "$*" | sed "s,{},{},")""#, instead_of.display(), there.display())
}

#[test]
fn ranks_are_shown_as_their_own_nodes_see_them() {
    let (fresh, stale) = (fresh(), stale());
    let without = seen(&once(&ssh("exit 1"), &stale)).0;
    let world = "MPI_COMM_WORLD";
    assert_eq!(without[2], ["MPI_Recv", "0", world]);
    let output = once(&ssh(&format!("echo Welcome to $host\n{}", reads(&fresh.0, &stale.0))), &stale);
    let expected =
        [["MPI_Barrier", "3 of 3 came", world], ["MPI_Barrier", "3 of 3 came", world], ["MPI_Recv", "0", world]];
    assert_eq!(seen(&output), (rows(&expected), Vec::new()));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn where_one_reader_ends_its_ranks_are_shown_as_seen_from_here_and_it_is_said_why() {
    let (fresh, stale) = (fresh(), stale());
    let fails = "if [ $host = n-1 ]; then echo 'ssh: no route to n-1' >&2; exit 255; fi";
    let output = once(&ssh(&format!("{fails}\n{}", reads(&fresh.0, &stale.0))), &stale);
    let (found, warnings) = seen(&output);
    assert_eq!([&found[0][0], &found[1][0], &found[2][0]], ["MPI_Barrier", "MPI_Recv", "MPI_Recv"]);
    let expected = "n-1: its reader ended (exit status: 255): ssh: no route to n-1; its ranks as seen from here";
    assert_eq!((warnings, output.status.code()), (vec![expected.to_string()], Some(4)));
}

#[test]
fn metrics_wait_for_readers_too() {
    let (fresh, stale) = (fresh(), stale());
    let launchers = ssh(&reads(&fresh.0, &stale.0));
    let output = command(&launchers, &stale, "ssh").arg("--metrics").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("rank=\"1\",host=\"n-1\",state=\"in_mpi\",function=\"MPI_Barrier\""), "{said}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_node_with_another_overhear_is_told_apart_from_one_that_fails() {
    let run = fresh();
    let (_, warnings) = seen(&once(&ssh("echo '{\"overhear\":\"0.0.0\"}'; exec sleep 60"), &run));
    let ours = env!("CARGO_PKG_VERSION");
    let expected = |host| {
        format!("{host}: overhear there is 0.0.0, here {ours}: install the same on both; its ranks as seen from here")
    };
    assert_eq!(warnings, ["n-0", "n-1"].map(expected));
    let (_, warnings) = seen(&once(&ssh("echo '{\"ranks\":[{}]}'; exec sleep 60"), &run));
    assert!(warnings[0].contains("overhear there is another build: install the same on both"), "{warnings:?}");
}

#[test]
fn a_host_whose_name_would_be_an_option_gets_no_reader() {
    let folder = Folder::new();
    run_on(&folder, vec![inside(&[], barrier())], |_| "-oProxyCommand=touch");
    let (found, warnings) = seen(&once(&ssh("echo started >&2; exit 1"), &folder));
    assert_eq!(found[0][0], "MPI_Barrier");
    assert!(warnings.len() == 1 && warnings[0].contains("is no name of a host"), "{warnings:?}");
}

#[test]
fn a_launcher_that_is_not_there_or_has_no_job_is_said_before_anything_starts() {
    let (run, none) = (fresh(), Folder::new());
    let mut without = command(&none, &run, "srun");
    let said = without.env("PATH", &none.0).arg("--once").output().unwrap();
    assert!(String::from_utf8_lossy(&said.stderr).contains("no srun in PATH"), "{said:?}");
    write_program(&none, "srun", "#!/bin/sh\nexit 1\n");
    let said = command(&none, &run, "srun").arg("--once").output().unwrap();
    assert!(String::from_utf8_lossy(&said.stderr).contains("set SLURM_JOB_ID"), "{said:?}");
    assert_eq!(said.status.code(), Some(2));
}

#[test]
fn srun_starts_readers_within_the_job_of_the_run() {
    let (run, launchers) = (fresh(), Folder::new());
    let calls = launchers.0.join("calls");
    let script = format!(
        "#!/bin/sh\necho \"$@\" >>{}\nwhile [ \"${{1#-}}\" != \"$1\" ]; do shift; done\nexec \"$@\"\n",
        calls.display()
    );
    write_program(&launchers, "srun", &script);
    let mut command = command(&launchers, &run, "srun");
    let output = command.args(["--once", "--format", "json"]).env("SLURM_JOB_ID", "17").output().unwrap();
    assert_eq!((seen(&output).1, output.status.code()), (Vec::new(), Some(0)));
    let called = fs::read_to_string(calls).unwrap();
    for node in ["n-0", "n-1"] {
        let expected = format!("--overlap --nodes=1 --ntasks=1 --input=none --jobid=17 --nodelist={node} /bin/sh -c ");
        assert_eq!(called.lines().filter(|line| line.starts_with(&expected)).count(), 1, "{called}");
    }
}

#[test]
fn the_screen_does_not_wait_for_a_node_that_never_answers_and_ends_its_launcher() {
    let run = fresh();
    let launchers = ssh("echo $$ >\"$0.$host\"; exec sleep 600");
    let mut top = InTerminal::begin(command(&launchers, &run, "ssh").env("TERM", "xterm"), 80);
    top.shows("n-0: not heard yet; its ranks as seen from here");
    top.shows("MPI_Barrier");
    let pid_of = |host: &str| fs::read_to_string(launchers.0.join(format!("ssh.{host}"))).unwrap_or_default();
    let began = Instant::now();
    while ["n-0", "n-1"].iter().any(|host| !pid_of(host).ends_with('\n')) {
        assert!(began.elapsed() < Duration::from_secs(60), "no launcher runs");
    }
    top.keyboard.write_all(b"q").unwrap();
    assert_eq!(top.status(), 0);
    for host in ["n-0", "n-1"] {
        let process = format!("/proc/{}/stat", pid_of(host).trim());
        // The process may be a zombie that was not waited for.
        let is_over = || fs::read_to_string(&process).map_or(true, |stat| stat.contains(") Z"));
        while !is_over() {
            assert!(began.elapsed() < Duration::from_secs(60), "{process} goes on");
        }
    }
}

#[test]
fn a_reader_ends_where_nobody_reads_it_any_more() {
    let run = fresh();
    let mut reader = Command::new(env!("CARGO_BIN_EXE_overhear"));
    let mut reader =
        reader.args(["top", "--feed", "n-0"]).arg(&run.0).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(reader.stdout.take());
    assert_eq!(reader.wait().unwrap().code(), Some(0));
}

#[test]
fn a_folder_of_any_name_reaches_the_node() {
    let parent = Folder::new();
    let run = Folder(parent.0.join("it's a $run; \"x\""));
    fs::create_dir(&run.0).unwrap();
    run_on(&run, vec![inside(&[], barrier())], |_| "n-0");
    assert_eq!(seen(&once(&ssh(RUNS_IT), &run)).1, Vec::<String>::new());
}
