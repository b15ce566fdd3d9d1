//! Files that ranks accessed, in runs made by hand.

use serde_json::Value;
use traces::accesses::{Accesses, MOST_ACCESSES, MOST_BYTES, Operation};
use traces::calls::Call;
use traces::definitions::{AccessedFile, CalledFrom, Caller, Definition, Module, Site};
use traces::file::{FileHeader, WITH_ACCESSES};
use traces::signature::peer;
use traces::write::{FileWriter, blank_block, call};

use crate::common::{BEGIN, Folder, definitions, header, overhear, signature, stdout};

const MILLISECOND: u64 = 1_000_000;

/// Accesses of so many milliseconds from one on.
fn accesses(operation: Operation, file: u32, site: u32, [at, time]: [u64; 2]) -> Accesses {
    let start = BEGIN + at * MILLISECOND;
    Accesses::one(operation, site, file, [start, start + time * MILLISECOND])
}

/// Two ranks of 100 ms: each writes 3 times to one file, of which it waits 20 and 30 ms for the last, and rank 1 reads another
/// one for 5 ms from a run time of Fortran that line 2 has called.
pub fn two_ranks() -> Folder {
    let folder = Folder::new();
    for rank in 0..2 {
        let both = accesses(Operation::Write, 1, 1, [2, 1]);
        let both = Accesses { count: 2, bytes: 4096 + 512, smallest: 512, largest: 4096, jumps: 1, ..both };
        let long = accesses(Operation::Write, 1, 1, [10, 20 + 10 * u64::from(rank)]);
        let long = Accesses { bytes: 1 << 20, smallest: 1 << 20, largest: 1 << 20, ..long };
        let mut words = Vec::from(both.words(BEGIN));
        words.extend(long.words(BEGIN));
        if rank == 1 {
            let read = accesses(Operation::Read, 2, 3, [50, 5]);
            words.extend(Accesses { bytes: 100, smallest: 100, largest: 100, ..read }.words(BEGIN));
            words.extend(Accesses { failed: 1, ..accesses(Operation::Open, 0, 1, [60, 1]) }.words(BEGIN));
        }
        let last = call(&mut words, BEGIN, 1, BEGIN + 70 * MILLISECOND, 20 * MILLISECOND);
        call(&mut words, last, 1, BEGIN + 99 * MILLISECOND, MILLISECOND);
        folder.write(&format!("rank-{rank:04}.ovh"), &of_words(rank, &words));
    }
    folder
}

fn of_words(rank: u32, words: &[u64]) -> Vec<u8> {
    let begun = FileHeader { version: WITH_ACCESSES, ..header(rank, 2) };
    let mut file = FileWriter::begin(Vec::new(), begun).expect("memory has room");
    file.thread(0, &blank_block()).unwrap();
    file.definitions(&definitions(2, rank as i32)).unwrap();
    let module = |number, path: &str| Definition::Module(Module { number, path: path.into(), build_id: vec![] });
    let site = |number, module| Definition::Site(Site { number, module, offset: u64::from(number) });
    let name = |number, name: &str| Definition::AccessedFile(AccessedFile { number, name: name.into() });
    file.definitions(&[
        module(1, "/opt/app"),
        module(2, "/usr/lib/libgfortran.so.5"),
        site(1, 1),
        site(2, 1),
        site(3, 2),
        Definition::Caller(Caller { site: 3, caller: CalledFrom::Site(2) }),
        name(1, "/scratch/state"),
        name(2, "/home/input"),
    ])
    .unwrap();
    file.signatures(0, 0, &[signature(1, Call::Barrier, peer::NONE, 0, 0)]).unwrap();
    file.events(0, 0, BEGIN, words).unwrap();
    file.into_inner()
}

fn report(folder: &Folder, arguments: &[&str]) -> Value {
    let output = overhear("files", &folder.0, &[&["--whole", "--format", "json"], arguments].concat());
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn row<'a>(report: &'a Value, table: &str, key: &str, value: &str) -> &'a Value {
    let rows = report[table].as_array().unwrap_or_else(|| panic!("{table}: {report}"));
    rows.iter().find(|row| row[key] == value).unwrap_or_else(|| panic!("no {value}: {report}"))
}

#[track_caller]
fn close(found: &Value, expected: f64) {
    let number = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((number - expected).abs() < 0.01 * expected.max(1e-6), "{number}, not {expected}");
}

#[test]
fn files_lines_and_ranks_have_the_sums_of_their_records() {
    let report = report(&two_ranks(), &[]);
    let state = row(&report, "files", "file", "/scratch/state");
    close(&state["time_s"], 0.052);
    close(&state["time_max_s"], 0.031);
    close(&state["longest_s"], 0.030);
    let counts = ["ranks", "max_rank", "writes", "written_bytes", "reads", "opens"].map(|key| state[key].as_u64());
    assert_eq!(counts, [2, 1, 6, 2 * (4096 + 512 + (1 << 20)), 0, 0].map(Some));
    let writes = row(&report, "file_accesses", "operation", "write");
    let sizes = ["accesses", "smallest_bytes", "largest_bytes", "failed"].map(|key| writes[key].as_u64());
    assert_eq!(sizes, [6, 512, 1 << 20, 0].map(Some));
    close(&writes["sequential_percent"], 100.0 * 4.0 / 6.0);
    let opened = row(&report, "file_accesses", "operation", "open");
    assert_eq!((&opened["failed"], &opened["bytes"]), (&Value::from(1), &Value::Null));
    assert_eq!(opened["file"], "(other files)");
    let ranks = report["file_ranks"].as_array().unwrap();
    close(&ranks[0]["time_s"], 0.021);
    close(&ranks[1]["time_s"], 0.037);
    close(&ranks[1]["time_share_percent"], 3.7);
}

#[test]
fn a_run_times_accesses_are_those_of_the_line_that_calls_it() {
    let report = report(&two_ranks(), &[]);
    let read = row(&report, "file_accesses", "operation", "read");
    assert_eq!(read["place"], "app+0x2", "{report}");
}

#[test]
fn a_part_of_the_run_has_the_accesses_that_begin_there() {
    let report = report(&two_ranks(), &["--from", "5ms", "--to", "40ms"]);
    let state = row(&report, "files", "file", "/scratch/state");
    assert_eq!(state["writes"], 2, "{report}");
    assert!(report["files"].as_array().unwrap().len() == 1, "{report}");
}

#[test]
fn a_run_without_accesses_says_so() {
    let output = overhear("files", &crate::common::two_ranks().0, &[]);
    assert!(stdout(&output).contains("no access to a file was recorded"), "{output:?}");
}

#[test]
fn sums_that_no_run_has_are_printed_and_nothing_ends_for_them() {
    let mut ran = 0;
    for wild in [0, 1, u64::MAX] {
        for operation in [0, Operation::Read as u8, Operation::Sync as u8, 255] {
            let accesses = Accesses {
                start: BEGIN,
                end: BEGIN.wrapping_add(wild),
                operation,
                count: wild & MOST_ACCESSES,
                site: wild as u32,
                file: wild as u32,
                time: wild,
                longest: wild,
                bytes: u64::MAX,
                smallest: wild as u32,
                largest: MOST_BYTES,
                jumps: u32::MAX,
                failed: wild as u32,
            };
            let folder = Folder::new();
            let words = [accesses.words(BEGIN), accesses.words(BEGIN)].concat();
            folder.write("rank-0000.ovh", &of_words(0, &words));
            for command in ["files", "report", "diagnose", "why"] {
                let output = overhear(command, &folder.0, &["--format", "json"]);
                assert!(serde_json::from_slice::<Value>(&output.stdout).is_ok(), "{command}: {accesses:?}: {output:?}");
            }
            ran += 1;
        }
    }
    assert_eq!(ran, 12);
}
