//! The end of a run, by the log of `overhear record` in front of its launcher, is said first wherever the run is judged.

use serde_json::{Value, json};
use traces::calls::Call;
use traces::file::{FileHeader, INITIALIZED};
use traces::folder::launch_log_name;

use crate::common::{Folder, header, in_call, overhear, rank_with, signature, stdout, two_ranks};

/// Host of the process in front: like the ranks' host, none that this machine knows.
const HOST: &str = "h1";
const PID: u32 = 17;

/// Two ranks that waited for each other in MPI_Recv when they ended.
fn waiting() -> Folder {
    let folder = Folder::new();
    for rank in 0..2 {
        let killed = FileHeader { state: INITIALIZED, end: Default::default(), ..header(rank, 2) };
        let receive = signature(1, Call::Recv, 1 - rank as i32, 0, 64);
        let file = rank_with(killed, &in_call(1, 1_500_000), &[receive], |_| {});
        folder.write(&format!("rank-000{rank}.ovh"), &file);
    }
    folder
}

pub fn begin() -> Value {
    json!({
        "event": "begin", "format": 1, "run": "07".repeat(16), "unix_us": 1_000_000, "host": HOST, "boot": "b", "pid": PID,
        "program": "/usr/bin/overhear", "launcher": "mpirun",
    })
}

/// An event `after` seconds after the begin, with more fields.
pub fn event(name: &str, after: f64, more: Value) -> Value {
    let after_us = (after * 1e6) as u64;
    let mut event = json!({"event": name, "unix_us": 1_000_000 + after_us, "after_us": after_us});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

pub fn signal(after: f64, more: Value) -> Value {
    let mut event = event("signal", after, json!({"signal": 15, "code": 0, "to_group": false}));
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

pub fn write_log(folder: &Folder, events: &[Value]) {
    let text: String = events.iter().map(|event| format!("{event}\n")).collect();
    folder.write(&launch_log_name(HOST, PID), text.as_bytes());
}

fn ask(command: &str, folder: &Folder) -> Value {
    let output = overhear(command, &folder.0, &["--format", "json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The fact about the end, which each analysis has.
fn end(folder: &Folder) -> Option<String> {
    let ends = ["report", "hang", "check", "diagnose"].map(|command| {
        let run = ask(command, folder)["run"].clone();
        run["end"].as_str().map(String::from)
    });
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
    ends[0].clone()
}

const CUT: &str = " 2 of 2 ranks did not finalize MPI: they were last in MPI_Recv.";
const WHOLE: &str = " All ranks had finalized MPI.";

#[test]
fn the_end_names_signal_sender_and_status_as_far_as_they_are_known() {
    let slurm = |limit: u64| {
        let mut begin = begin();
        begin["launcher"] = "srun".into();
        begin["slurm_job"] = "71".into();
        begin["slurm_limit_unix_s"] = limit.into();
        begin
    };
    let by_slurm = signal(12.3, json!({"from_pid": 5, "from_uid": 0, "from_program": "slurmstepd"}));
    let by_slurm_of_old = by_slurm.clone();
    let ended = |after, status| event("end", after, json!({ "status": status }));
    let killed = event("end", 2.0, json!({"signal": 9}));
    let by_bash = signal(12.3, json!({"from_pid": 812, "from_uid": 0, "from_program": "bash"}));
    let by_terminal = signal(12.3, json!({"signal": 2, "code": 128, "to_group": true}));
    let users = signal(3.0, json!({"signal": 10}));
    let checkpoint = users.clone();
    let cases: [(Vec<Value>, bool, &str); 13] = [
        (
            vec![begin(), by_bash.clone(), ended(12.7, 143)],
            true,
            "Signal 15 (SIGTERM) reached mpirun 12.3 s after its start, sent by bash (process 812); it ended 0.40 s later \
             with status 143, which stands for signal 15 (SIGTERM).",
        ),
        (
            vec![begin(), by_terminal, ended(12.4, 1)],
            true,
            "Signal 2 (SIGINT) reached mpirun 12.3 s after its start, from the terminal; it ended 0.10 s later with status 1.",
        ),
        (
            vec![begin(), checkpoint.clone(), ended(3.1, 138)],
            true,
            "Signal 10 (SIGUSR1) reached mpirun 3.00 s after its start; it ended 0.10 s later with status 138, which stands for \
             signal 10 (SIGUSR1).",
        ),
        // Of several signals, the one that ends jobs.
        (
            vec![begin(), users, by_bash.clone(), event("front_killed", 42.3, json!({}))],
            true,
            "Signal 15 (SIGTERM) reached mpirun 12.3 s after its start, sent by bash (process 812); overhear record in front \
             of it was killed 30.0 s later.",
        ),
        (
            vec![slurm(1_000_000), by_slurm.clone()],
            true,
            "Signal 15 (SIGTERM) reached srun 12.3 s after its start, sent by Slurm for job 71, before its time limit; how it \
             ended is not known: the log of overhear record in front of it breaks off.",
        ),
        (
            vec![slurm(13), by_slurm, ended(12.4, 137)],
            true,
            "Signal 15 (SIGTERM) reached srun 12.3 s after its start, sent by Slurm for job 71, whose time limit was over; it \
             ended 0.10 s later with status 137, which stands for signal 9 (SIGKILL).",
        ),
        (
            vec![begin(), by_slurm_of_old, ended(12.4, 143)],
            true,
            "Signal 15 (SIGTERM) reached mpirun 12.3 s after its start, sent by Slurm for the job, as by scancel or at its \
             time limit; it ended 0.10 s later with status 143, which stands for signal 15 (SIGTERM).",
        ),
        (vec![begin(), killed], true, "mpirun was killed 2.00 s after its start by signal 9 (SIGKILL)."),
        (
            vec![begin(), event("front_killed", 300.0, json!({}))],
            true,
            "mpirun got signal 15 (SIGTERM) 5.0 minutes after its start, since overhear record in front of it was killed.",
        ),
        (
            vec![begin(), checkpoint, ended(9_000.0, 139)],
            true,
            "mpirun ended 2.5 hours after its start with status 139, which stands for signal 11 (SIGSEGV).",
        ),
        (vec![begin(), ended(0.8, 0)], true, "mpirun ended 0.80 s after its start with status 0."),
        (vec![begin(), ended(0.8, 3)], false, "mpirun ended 0.80 s after its start with status 3."),
        (
            vec![begin(), by_bash, ended(13.0, 1)],
            false,
            "Signal 15 (SIGTERM) reached mpirun 12.3 s after its start, sent by bash (process 812); it ended 0.70 s later with \
             status 1.",
        ),
    ];
    for (events, is_cut, said) in cases {
        let folder = if is_cut { waiting() } else { two_ranks() };
        write_log(&folder, &events);
        let rest = if is_cut { CUT } else { WHOLE };
        assert_eq!(end(&folder).unwrap(), format!("{said}{rest}"));
        let first = ask("diagnose", &folder)["findings"][0].clone();
        assert_eq!([&first["kind"], &first["headline"]], ["ended", said], "{first}");
        assert_eq!(first["detail"], rest.trim_start(), "{first}");
        let hang = stdout(&overhear("hang", &folder.0, &[])).replace("\n  ", " ");
        assert!(hang.starts_with(&format!("{said}{rest}\n")), "{hang}");
        let screen = stdout(&overhear("diagnose", &folder.0, &[])).replace("\n   ", " ");
        assert!(screen.contains(&format!("1. {said}{rest}")), "{screen}");
        assert_eq!(screen.matches(said).count(), 1, "{screen}");
        assert!(!screen.contains("each counts until"), "{screen}");
    }
}

#[test]
fn a_run_that_ended_well_has_no_line_about_it() {
    let folder = two_ranks();
    let usr1 = signal(0.1, json!({"signal": 10}));
    write_log(&folder, &[begin(), usr1, event("end", 0.8, json!({"status": 0}))]);
    assert_eq!(end(&folder), None);
    let screen = ask("diagnose", &folder);
    assert_eq!((&screen["run"]["launcher_status"], &screen["run"]["launch_s"]), (&json!(0), &json!(0.8)));
    let kinds = screen["findings"].as_array().unwrap().iter().filter(|finding| finding["kind"] == "ended");
    assert_eq!(kinds.count(), 0);
}

#[test]
fn a_log_without_an_end_may_be_one_of_a_launcher_that_still_runs_elsewhere() {
    for folder in [two_ranks(), waiting()] {
        write_log(&folder, &[begin()]);
        assert_eq!(end(&folder), None);
    }
    let folder = waiting();
    write_log(&folder, &[begin(), signal(1.0, json!({}))]);
    assert!(
        end(&folder)
            .unwrap()
            .contains("how it ended is not known: the log of overhear record in front of it breaks off.")
    );
}

#[test]
fn the_comparison_of_two_runs_and_the_page_say_how_a_run_ended() {
    let (well, failed) = (two_ranks(), two_ranks());
    write_log(&well, &[begin(), event("end", 0.8, json!({"status": 0}))]);
    write_log(&failed, &[begin(), event("end", 0.8, json!({"status": 3}))]);
    let said = "mpirun ended 0.80 s after its start with status 3.";
    let output = overhear("diff", &well.0, &[failed.0.to_str().unwrap(), "--format", "json"]);
    let compared: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(compared["warnings"].to_string().matches(said).count(), 1, "{}", compared["warnings"]);
    assert!(compared["warnings"].to_string().contains(&format!("B: {said}")), "{}", compared["warnings"]);
    let page = failed.0.join("page.html");
    assert!(overhear("report", &failed.0, &["--html", page.to_str().unwrap()]).status.success());
    assert_eq!(std::fs::read_to_string(page).unwrap().matches(said).count(), 1);
}

#[test]
fn ranks_that_ended_at_several_places_are_told_apart() {
    let folder = waiting();
    let killed = FileHeader { state: INITIALIZED, end: Default::default(), ..header(0, 2) };
    let barrier = signature(1, Call::Barrier, i32::MIN, 0, 0);
    folder.write("rank-0000.ovh", &rank_with(killed, &in_call(1, 1_500_000), &[barrier], |_| {}));
    write_log(&folder, &[begin(), event("end", 0.8, json!({"status": 1}))]);
    let said = end(&folder).unwrap();
    let places = "2 of 2 ranks did not finalize MPI: rank 0 was last in MPI_Barrier, rank 1 was last in MPI_Recv.";
    assert!(said.ends_with(places), "{said}");
}

#[test]
fn a_log_of_another_run_or_under_another_name_is_not_of_this_launch() {
    let events = [begin(), event("end", 0.8, json!({"status": 3}))];
    let folder = two_ranks();
    write_log(&folder, &events);
    assert!(end(&folder).is_some());
    let own = folder.0.join(launch_log_name(HOST, PID));
    for other in ["launch-h1-17.bak.jsonl", "launch-h2-17.jsonl", "launch-h1-18.jsonl", "old-launch-h1-17.jsonl"] {
        std::fs::rename(&own, folder.0.join(other)).unwrap();
        assert_eq!(end(&folder), None, "{other}");
        std::fs::rename(folder.0.join(other), &own).unwrap();
    }
    let mut foreign = events.clone();
    foreign[0]["run"] = "08".repeat(16).into();
    write_log(&folder, &foreign);
    assert_eq!(end(&folder), None);
    let mut later = events;
    later[0]["format"] = 2.into();
    write_log(&folder, &later);
    assert_eq!(end(&folder), None);
}

#[test]
fn a_log_that_is_cut_or_damaged_tells_what_is_whole_in_it() {
    let folder = waiting();
    let lines =
        [begin(), signal(1.0, json!({})), event("end", 2.0, json!({"status": 1}))].map(|line| format!("{line}\n"));
    let text = lines.concat();
    let name = launch_log_name(HOST, PID);
    let whole = [lines[0].len(), lines[0].len() + lines[1].len(), text.len()];
    let said = |bytes: &[u8]| {
        folder.write(&name, bytes);
        ask("diagnose", &folder)["run"]["end"].as_str().map(String::from)
    };
    let expected = ["Signal 15 (SIGTERM) reached", "it ended 1.00 s later with status 1"];
    let mut tried = 0;
    for (place, end) in whole.into_iter().enumerate() {
        for length in [end - 20, end - 2, end] {
            // The line is whole without its end of line.
            let lines = place + usize::from(length == end);
            let found = said(&text.as_bytes()[..length]);
            match lines {
                0 | 1 => assert_eq!(found, None),
                lines => assert!(found.as_ref().unwrap().contains(expected[lines - 2]), "{lines}: {found:?}"),
            }
            tried += 1;
        }
        // Zeros in the place of a piece, as file systems leave after a crash.
        let mut zeroed = text.clone().into_bytes();
        zeroed[end - 20..end - 10].fill(0);
        assert_eq!(said(&zeroed).is_some(), place > 0);
    }
    assert_eq!(tried, 9);
    assert_eq!(said(b""), None);
    assert_eq!(said(&[0xff; 1000]), None);
}
