//! Figures of a report equal those of the files.

use crate::common;
use crate::common::{BEGIN, Folder, header, json, rank, rank_with, signature, two_ranks};
use serde_json::{Value, json as value};
use traces::calls::Call;
use traces::file::{ANY_SIGNATURE, FileHeader, Mode, ProfileEntry, SHARED_TOTALS, Stop};
use traces::record::{self, Arrived, Fate, RecordKind};
use traces::signature::{CREATES, NESTED, STARTS, Signature, peer};
use traces::write::{FileWriter, blank_block};
use zerocopy::{FromZeros, IntoBytes};

fn row<'a>(report: &'a Value, table: &str, function: &str) -> &'a Value {
    let rows = report[table].as_array().unwrap();
    rows.iter().find(|row| row["function"] == function).unwrap_or_else(|| panic!("{function} in {report:#}"))
}

fn close(value: &Value, seconds: f64) {
    assert!((value.as_f64().unwrap() - seconds).abs() < 1e-9, "{value} is not {seconds}");
}

/// One rank with these signatures and records.
fn one_rank(signatures: &[Signature], records: impl FnOnce(&mut Vec<u64>)) -> Folder {
    let folder = Folder::new();
    folder.write("rank-0000.ovh", &rank_with(header(0, 1), &blank_block(), signatures, records));
    folder
}

fn short(words: &mut Vec<u64>, signature: u32, duration: u64) {
    words.push(record::short(signature, 10, duration).unwrap());
}

#[test]
fn a_function_has_its_maximum_mean_total_share_calls_and_bytes() {
    let folder = two_ranks();
    let report = json(&folder.0, "function");
    let send = row(&report, "functions", "MPI_Send");
    close(&send["time_max_s"], 6e-6);
    assert_eq!(send["time_max_rank"], 0);
    close(&send["time_mean_s"], 3e-6);
    close(&send["time_total_s"], 6e-6);
    assert!((send["time_share_percent"].as_f64().unwrap() - 100.0 * 6.0 / 66.0).abs() < 1e-6);
    assert_eq!((&send["calls"], &send["sent_bytes"], &send["received_bytes"]), (&value!(3), &value!(300), &value!(0)));
    let receive = row(&report, "functions", "MPI_Recv");
    close(&receive["time_max_s"], 60e-6);
    close(&receive["call_min_s"], 10e-6);
    close(&receive["call_max_s"], 30e-6);
    assert_eq!((&receive["time_max_rank"], &receive["received_bytes"]), (&value!(1), &value!(300)));
}

#[test]
fn a_run_has_its_wall_time_and_time_in_mpi() {
    let folder = two_ranks();
    let run = &json(&folder.0, "function")["run"];
    close(&run["wall_time_s"], 1.0);
    close(&run["mpi_time_min_s"], 6e-6);
    close(&run["mpi_time_mean_s"], 33e-6);
    close(&run["mpi_time_max_s"], 60e-6);
    assert_eq!((&run["ranks"], &run["hosts"]), (&value!(2), &value!(1)));
}

#[test]
fn calls_inside_other_calls_are_counted_apart_and_take_no_time_of_their_own() {
    let outer = signature(1, Call::Comm_free, peer::NONE, 0, 0);
    let inner = Signature { flags: NESTED, ..signature(2, Call::Barrier, peer::NONE, 0, 0) };
    let folder = one_rank(&[outer, inner], |words| {
        let last = traces::write::call(words, BEGIN, 2, BEGIN + 500, 100);
        traces::write::call(words, last, 1, BEGIN + 200, 1_000);
    });
    let report = json(&folder.0, "rank");
    let inner = row(&report, "rank_functions", "MPI_Barrier");
    assert_eq!((&inner["calls"], &inner["nested_calls"]), (&value!(0), &value!(1)));
    close(&report["run"]["mpi_time_max_s"], 1e-6);
    assert!(report["warnings"].to_string().contains("1 call was made inside other MPI calls"));
    assert_eq!(json(&folder.0, "function")["functions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_receive_counts_the_bytes_that_arrived_not_those_it_posted() {
    let any = Signature { peer: peer::ANY, ..signature(1, Call::Recv, peer::ANY, 0, 1_000) };
    let folder = one_rank(&[any], |words| {
        short(words, 1, 5);
        short(words, 1, 5);
        words.extend(Arrived { source: 0, tag: 5, bytes: 30, fate: Fate::Whole }.words());
    });
    assert_eq!(row(&json(&folder.0, "function"), "functions", "MPI_Recv")["received_bytes"], 1_030);
}

#[test]
fn a_completed_request_counts_its_bytes_where_it_was_begun() {
    let begin = Signature { flags: STARTS, ..signature(1, Call::Irecv, 0, 0, 1_000) };
    let other = Signature { flags: STARTS, ..signature(3, Call::Isend, 0, 50, 0) };
    let wait = signature(5, Call::Waitall, peer::NONE, 0, 0);
    let folder = one_rank(&[begin, other, wait], |words| {
        // Requests 0 and 1 are receives, 2 is a send that is complete at once, 3 a receive again.
        short(words, 1, 5);
        short(words, 1, 5);
        short(words, 4, 5);
        short(words, 1, 5);
        short(words, 5, 50);
        words.push(record::requests(RecordKind::Completed, 2, 4));
        words.extend(Arrived { source: 0, tag: 5, bytes: 7, fate: Fate::Whole }.words());
        words.push(record::requests(RecordKind::Completed, 1, 1));
    });
    let report = json(&folder.0, "function");
    assert_eq!(row(&report, "functions", "MPI_Irecv")["received_bytes"], 2_007);
    assert_eq!(row(&report, "functions", "MPI_Isend")["sent_bytes"], 50);
    assert_eq!(row(&report, "functions", "MPI_Isend")["calls"], 1);
}

#[test]
fn messages_to_nobody_have_no_bytes() {
    let folder = one_rank(&[signature(1, Call::Send, peer::PROC_NULL, 100, 0)], |words| short(words, 1, 5));
    assert_eq!(row(&json(&folder.0, "function"), "functions", "MPI_Send")["sent_bytes"], 0);
}

#[test]
fn forty_thousand_signatures_are_added_exactly() {
    let all: Vec<_> =
        (1..=40_000).map(|number| signature(number, Call::Send, 0, 100_000 + u64::from(number), 0)).collect();
    let folder = one_rank(&all, |words| {
        for number in 1..=40_000 {
            words.extend(record::wide(number, 1, 2).unwrap());
        }
        words.push(record::failed(6, 6));
    });
    let report = json(&folder.0, "function");
    let send = row(&report, "functions", "MPI_Send");
    assert_eq!(send["calls"], 40_000);
    // The last one failed.
    assert_eq!(send["sent_bytes"], 39_999u64 * 100_000 + 39_999 * 20_000);
    assert_eq!(send["failed_calls"], 1);
    close(&send["time_total_s"], 8e-5);
}

#[test]
fn a_trace_and_the_profile_behind_it_are_added() {
    let send = signature(1, Call::Send, 0, 10, 0);
    let entry = |signature, call: Option<Call>, count, total| ProfileEntry {
        signature,
        call: call.map_or(0, |call| call.number().into()),
        count,
        total,
        min: 1,
        max: 9,
        sent: 10 * count,
        ..ProfileEntry::new_zeroed()
    };
    let mut file = FileWriter::begin(Vec::new(), common::header(0, 1)).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file.signatures(0, 0, &[send]).unwrap();
    file.events(0, 0, BEGIN, &[record::short(1, 0, 500).unwrap()]).unwrap();
    file.profile(
        0,
        0,
        &[entry(1, None, 4, 2_000), entry(ANY_SIGNATURE, Some(Call::Send), 5, 100), entry(ANY_SIGNATURE, None, 1, 7)],
    )
    .unwrap();
    let folder = Folder::new();
    let mut bytes = file.into_inner();
    bytes[60..64].copy_from_slice(&(Stop::MaxBytes as u32).to_le_bytes());
    folder.write("rank-0000.ovh", &bytes);
    let report = json(&folder.0, "function");
    let send = row(&report, "functions", "MPI_Send");
    assert_eq!((&send["calls"], &send["sent_bytes"]), (&value!(10), &value!(100)));
    close(&send["time_total_s"], 2.6e-6);
    assert_eq!(row(&report, "functions", "(not told apart)")["calls"], 1);
    assert!(report["warnings"].to_string().contains("OVERHEAR_MAX_BYTES"));
}

#[test]
fn bytes_that_a_start_will_move_are_said_of_the_calls_that_prepare_it_also_in_a_profile() {
    let create = |number| Signature { flags: CREATES, ..signature(number, Call::Recv_init, 1, 0, 4_096) };
    let plain = |number| signature(number, Call::Recv, 1, 0, 8);
    let mut file = FileWriter::begin(Vec::new(), common::header(0, 2)).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file.signatures(0, 0, &[create(1), plain(2)]).unwrap();
    let entry = |signature, count| ProfileEntry { signature, count, total: 10, ..ProfileEntry::new_zeroed() };
    file.profile(0, 0, &[entry(1, 3), entry(2, 5)]).unwrap();
    let folder = Folder::new();
    folder.write("rank-0000.ovh", &file.into_inner());
    folder.write("rank-0001.ovh", &rank(common::header(1, 2), &[create(1), plain(2)], &[(1, 10, 20), (2, 50, 20)]));
    let report = json(&folder.0, "rank");
    let prepared = report["rank_functions"].as_array().unwrap().iter().map(|row| {
        (
            row["rank"].as_u64().unwrap(),
            row["function"].as_str().unwrap(),
            row["prepared_received_bytes"].as_u64().unwrap(),
        )
    });
    let mut prepared: Vec<_> = prepared.collect();
    prepared.sort();
    assert_eq!(
        prepared,
        [(0, "MPI_Recv", 0), (0, "MPI_Recv_init", 3 * 4_096), (1, "MPI_Recv", 0), (1, "MPI_Recv_init", 4_096)]
    );
}

#[test]
fn calls_that_no_figure_includes_are_counted() {
    let folder = Folder::new();
    let header = FileHeader { lost: 3, ..header(0, 1) };
    folder.write("rank-0000.ovh", &rank(header, &[signature(1, Call::Barrier, peer::NONE, 0, 0)], &[(1, 10, 20)]));
    let warnings = json(&folder.0, "function")["warnings"].to_string();
    assert!(warnings.contains("no figure includes 3 calls of rank 0"), "{warnings}");
}

#[test]
fn a_profile_says_that_single_calls_are_not_there() {
    let folder = Folder::new();
    let header = traces::file::FileHeader { mode: Mode::Profile as u16, ..common::header(0, 1) };
    folder.write("rank-0000.ovh", &rank(header, &[], &[]));
    assert!(json(&folder.0, "function")["warnings"].to_string().contains("recorded as a profile"));
    // Without messages no partner is unknown.
    assert_eq!(common::overhear("matrix", &folder.0, &[]).status.code(), Some(0));
}

#[test]
fn messages_are_sorted_by_powers_of_two() {
    let signatures = [100, 127, 128].map(|bytes| signature(bytes as u32, Call::Send, 0, bytes, 0));
    let folder = one_rank(&signatures, |words| [100, 127, 127, 128].iter().for_each(|n| short(words, *n, 1)));
    let report = json(&folder.0, "size");
    let sizes: Vec<_> =
        report["sizes"].as_array().unwrap().iter().map(|row| (&row["size_at_least_bytes"], &row["calls"])).collect();
    assert_eq!(sizes, [(&value!(64), &value!(3)), (&value!(128), &value!(1))]);
}

#[test]
fn partners_and_communicators_have_their_calls() {
    let folder = two_ranks();
    let peers = json(&folder.0, "peer");
    let first = row(&peers, "peers", "MPI_Send");
    assert_eq!((&first["rank"], &first["peer"], &first["calls"]), (&value!(0), &value!("1"), &value!(3)));
    let communicators = json(&folder.0, "comm");
    let world = &communicators["communicators"][0];
    assert_eq!(
        (&world["communicator"], &world["processes"], &world["calls"]),
        (&value!("MPI_COMM_WORLD"), &value!(2), &value!(6))
    );
}

#[test]
fn one_rank_alone_has_shares_of_its_own_wall_time() {
    let folder = two_ranks();
    let report = json(&folder.0, "rank=1");
    let receive = row(&report, "one_rank", "MPI_Recv");
    close(&receive["call_mean_s"], 20e-6);
    assert!((receive["time_share_of_wall_percent"].as_f64().unwrap() - 0.006).abs() < 1e-9);
}

#[test]
fn threads_without_room_in_the_file_are_said_to_be_known_by_number_alone() {
    let said = |threads: u64| {
        let folder = Folder::new();
        let bcast = signature(1, Call::Bcast, peer::NONE, 8, 0);
        folder.write("rank-0000.ovh", &rank(FileHeader { threads, ..header(0, 1) }, &[bcast], &[(1, 10, 5)]));
        json(&folder.0, "rank")["warnings"].to_string()
    };
    assert!(!said(1).contains("called MPI at once"), "{}", said(1));
    let roomless = "up to 3 threads of a rank called MPI at once (2 without room of their own in its file, which may belong \
                    to the MPI library)";
    assert!(said(3).contains(roomless), "{}", said(3));
}

#[test]
fn totals_of_threads_without_room_are_added_by_function_and_said_to_be_known_by_that_alone() {
    let bcast = signature(1, Call::Bcast, peer::NONE, 8, 0);
    let mut bytes = rank(header(0, 1), &[bcast], &[(1, 10, 5)]);
    let call = u64::from(Call::Bcast.number());
    let entry = ProfileEntry { signature: ANY_SIGNATURE, call, count: 3, total: 30, ..ProfileEntry::new_zeroed() };
    bytes[SHARED_TOTALS..][..size_of::<ProfileEntry>()].copy_from_slice(entry.as_bytes());
    let folder = Folder::new();
    folder.write("rank-0000.ovh", &bytes);
    let report = json(&folder.0, "function");
    let row = row(&report, "functions", "MPI_Bcast");
    assert_eq!(row["calls"], 4);
    close(&row["time_total_s"], 35e-9);
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("3 calls had no room of their own in the files"), "{warnings}");
}
