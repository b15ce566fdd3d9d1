//! Sleeps of ranks by calls of their own, in runs made by hand.

use serde_json::Value;
use traces::accesses::{Accesses, Operation};
use traces::calls::Call;
use traces::definitions::{Definition, Module, Site};
use traces::file::{FileHeader, WITH_ACCESSES};
use traces::signature::peer;
use traces::write::{FileWriter, blank_block, call};

use crate::common::{BEGIN, Folder, definitions, header, overhear, signature, stdout};

const MILLISECOND: u64 = 1_000_000;

/// A sleep of so many milliseconds from one on.
fn sleep(function: Operation, site: u32, [at, time]: [u64; 2]) -> Accesses {
    let start = BEGIN + at * MILLISECOND;
    Accesses::one(function, site, 0, [start, start + time * MILLISECOND])
}

/// Two ranks of 100 ms, of which both sleep 5 ms at line 1, rank 1 sleeps 30 ms more there and waits 10 ms for a lock at line 2, and rank
/// 0 closes a file.
pub fn two_ranks() -> Folder {
    let folder = Folder::new();
    for rank in 0..2 {
        let mut words = Vec::new();
        let begun = call(&mut words, BEGIN, 1, BEGIN, MILLISECOND);
        words.extend(sleep(Operation::Nanosleep, 1, [2, 5]).words(begun));
        if rank == 0 {
            words.extend(sleep(Operation::Close, 2, [10, 1]).words(begun));
        } else {
            words.extend(sleep(Operation::Nanosleep, 1, [10, 30]).words(begun));
            let locks = Accesses { count: 4, longest: 4 * MILLISECOND, ..sleep(Operation::MutexLock, 2, [45, 10]) };
            words.extend(locks.words(begun));
        }
        let last = call(&mut words, begun, 1, BEGIN + 70 * MILLISECOND, 20 * MILLISECOND);
        call(&mut words, last, 1, BEGIN + 99 * MILLISECOND, MILLISECOND);
        let header = FileHeader { version: WITH_ACCESSES, ..header(rank, 2) };
        let mut file = FileWriter::begin(Vec::new(), header).expect("memory has room");
        file.thread(0, &blank_block()).unwrap();
        file.definitions(&definitions(2, rank as i32)).unwrap();
        let site = |number| Definition::Site(Site { number, module: 1, offset: u64::from(number) });
        let module = Definition::Module(Module { number: 1, path: "/opt/app".into(), build_id: vec![] });
        file.definitions(&[module, site(1), site(2)]).unwrap();
        file.signatures(0, 0, &[signature(1, Call::Barrier, peer::NONE, 0, 0)]).unwrap();
        file.events(0, 0, BEGIN, &words).unwrap();
        folder.write(&format!("rank-{rank:04}.ovh"), &file.into_inner());
    }
    folder
}

fn report(command: &str, arguments: &[&str]) -> Value {
    let output = overhear(command, &two_ranks().0, &[&["--whole", "--format", "json"], arguments].concat());
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    let number = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((number - expected).abs() < 0.01 * expected, "{number}, not {expected}");
}

#[test]
fn lines_and_ranks_have_the_sums_of_their_sleeps_and_no_accesses_to_files() {
    let report = report("sleeps", &[]);
    let rows = report["sleeps"].as_array().unwrap();
    let functions: Vec<&str> = rows.iter().filter_map(|row| row["function"].as_str()).collect();
    assert_eq!(functions, ["nanosleep", "pthread_mutex_lock"], "{report}");
    let [slept, locked] = [&rows[0], &rows[1]];
    assert_eq!(["ranks", "sleeps", "max_rank"].map(|key| slept[key].as_u64()), [2, 3, 1].map(Some));
    close(&slept["time_s"], 0.040);
    close(&slept["longest_s"], 0.030);
    assert_eq!((&locked["waits_for"], &locked["sleeps"]), (&"a lock".into(), &4.into()));
    let ranks = report["sleep_ranks"].as_array().unwrap();
    close(&ranks[0]["time_s"], 0.005);
    close(&ranks[1]["time_share_percent"], 4.5);
}

#[test]
fn files_have_no_sleeps() {
    let report = report("files", &[]);
    assert_eq!(report["file_accesses"].as_array().unwrap().len(), 1, "{report}");
}

#[test]
fn a_part_of_the_run_has_the_sleeps_that_begin_there() {
    let report = report("sleeps", &["--from", "5ms", "--to", "44ms"]);
    assert_eq!(report["sleeps"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["sleeps"][0]["sleeps"], 1, "{report}");
}

#[test]
fn sleeps_are_a_kind_of_a_ranks_time() {
    let report = report("why", &[]);
    let kinds = report["kinds"].as_array().unwrap();
    let of = |kind: &str| kinds.iter().find(|row| row["kind"] == kind).unwrap_or_else(|| panic!("no {kind}: {report}"));
    close(&of("sleeping")["time_s"], 0.025);
    close(&of("sleeping")["most_s"], 0.045);
    close(&of("in_files")["time_s"], 0.0005);
}

#[test]
fn a_run_without_sleeps_says_so() {
    let output = overhear("sleeps", &crate::common::two_ranks().0, &[]);
    assert!(stdout(&output).contains("no sleep was recorded"), "{output:?}");
}
