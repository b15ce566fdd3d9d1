//! Planted overhead, transfer time and overlap are found; if no transfer time is known, the bounds contain the truth.

use std::path::Path;

use crate::common::requests::Planted;
use crate::common::{Folder, overhear, signature, stderr, stdout, two_ranks};
use serde_json::Value;
use synthetic::{Shape, Topology, run};
use traces::calls::Call;
use traces::record::{self, Arrived, Fate, RecordKind};
use traces::signature::{CREATES, STARTS, Signature, peer};

/// Output for a single rank.
fn said(planted: &Planted) -> Value {
    let folder = Folder::new();
    planted.write(&folder, 0, 1);
    ask(&folder.0, &[])
}

fn ask(folder: &Path, arguments: &[&str]) -> Value {
    let output = overhear("overlap", folder, &[arguments, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn of(function: Call) -> Signature {
    signature(0, function, peer::NONE, 0, 0)
}

fn isend(bytes: u64) -> Signature {
    Signature { flags: STARTS, ..signature(0, Call::Isend, 0, bytes, 0) }
}

fn irecv(bytes: u64) -> Signature {
    Signature { flags: STARTS, ..signature(0, Call::Irecv, 0, 0, bytes) }
}

fn rows<'a>(said: &'a Value, table: &str) -> &'a [Value] {
    said[table].as_array().unwrap()
}

fn row<'a>(said: &'a Value, traffic: &str, bytes: u64) -> &'a Value {
    let is_meant = |row: &&Value| row["traffic"] == traffic && row["size_bytes"] == bytes;
    let found = rows(said, "messages").iter().find(is_meant);
    found.unwrap_or_else(|| panic!("no {traffic} of {bytes} in {said:#}"))
}

fn close(row: &Value, column: &str, expected: f64) {
    let value = row[column].as_f64().unwrap_or_else(|| panic!("no {column} in {row:#}"));
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{column} {value}, not {expected}: {row:#}");
}

#[test]
fn planted_overhead_transfer_time_and_availability_are_found_exactly() {
    // Bytes, nanoseconds of the transfer, nanoseconds of overhead.
    let truths = [(1_000, 10_000, 9_000), (64_000, 80_000, 20_000), (1_000_000, 900_000, 45_000)];
    let mut planted = Planted::default();
    for (bytes, transfer, overhead) in truths {
        for post in [isend(bytes), irecv(bytes)] {
            for _ in 0..5 {
                planted.request(post, [1_000, 0, transfer - 1_000]);
                planted.request(post, [1_000, 2 * transfer, overhead - 1_000]);
            }
            // One interruption, and one computation that ends before the transfer.
            planted.request(post, [1_000, 0, 50 * transfer]);
            planted.request(post, [1_000, transfer / 2, transfer / 2 - 1_000]);
        }
    }
    let said = said(&planted);
    for (bytes, transfer, overhead) in truths {
        for traffic in ["send", "receive"] {
            let row = row(&said, traffic, bytes);
            close(row, "transfer_s", transfer as f64 / 1e9);
            close(row, "overhead_s", overhead as f64 / 1e9);
            let available = 100.0 * (1.0 - overhead as f64 / transfer as f64);
            close(row, "availability_percent", available);
            close(row, "overlap_percent", available);
            assert_eq!((&row["availability_requests"], &row["smb_base_s"]), (&5.into(), &Value::Null), "{row:#}");
            assert_eq!((&row["requests"], &row["transfer_from"]), (&12.into(), &"this site".into()));
        }
    }
    assert_eq!(said["run"]["waited_right_after"], 36);
    assert_eq!(said["run"]["postponed_without_progress"], 36);
}

#[test]
fn a_transfer_time_measured_at_another_site_counts_and_is_said_to_be_from_there() {
    let mut planted = Planted::default();
    let elsewhere = Signature { site: 7, ..isend(4_096) };
    for _ in 0..5 {
        planted.request(elsewhere, [1_000, 0, 19_000]).request(isend(4_096), [1_000, 40_000, 4_000]);
    }
    let said = said(&planted);
    let from = |from: &str| rows(&said, "messages").iter().find(|row| row["transfer_from"] == from).unwrap();
    close(from("another site"), "availability_percent", 75.0);
    assert_eq!(from("this site")["availability_percent"], Value::Null);
}

#[test]
fn a_wait_that_was_interrupted_tells_no_transfer_time_where_others_computed_as_long_before_it() {
    let elsewhere = Signature { site: 7, ..isend(1_000) };
    let mut planted = Planted::default();
    for _ in 0..20 {
        planted.request(isend(1_000), [1_100, 3_000, 1_100]).request(elsewhere, [1_000, 0, 900]);
    }
    for _ in 0..3 {
        // Three microseconds of computation are negligible in so long a life, yet as much as the others have.
        planted.request(isend(1_000), [1_100, 3_000, 7_000_000]);
    }
    let said = said(&planted);
    for row in rows(&said, "messages") {
        close(row, "transfer_s", 1.9e-6);
    }
    close(&rows(&said, "messages")[0], "overlap_percent", 0.0);
    assert_eq!(rows(&said, "messages").len(), 2);
}

/// A request whose completion another one's test shows long before its own wait.
fn noticed_between(is_seen: bool) -> Planted {
    let mut planted = Planted::default();
    for _ in 0..5 {
        planted.call(isend(1 << 20), 2_000);
        if is_seen {
            planted.entered(1);
        }
        planted.compute(50_000).call(of(Call::Test), 3_000);
        if is_seen {
            planted.entered(2);
        }
        planted.compute(100_000).call(of(Call::Wait), 1_000).completed(1, 1).compute(9_000);
    }
    planted
}

#[test]
fn bounds_hold_the_truth_and_the_engines_entries_narrow_them() {
    // Alone the transfer takes 40 µs, and the calls of a request take 6.
    let truth = 100.0 * (1.0 - 6.0 / 40.0);
    let mut most = Vec::new();
    for (is_seen, rule) in [(false, "plain"), (true, "engine")] {
        let said = said(&noticed_between(is_seen));
        let row = row(&said, "send", 1 << 20);
        assert_eq!((&row["bound_rule"], &row["availability_percent"]), (&rule.into(), &Value::Null));
        let bound = |name: &str| row[name].as_f64().unwrap();
        // Without a known transfer there is no lower bound.
        assert!(row["hidden_least_percent"].is_null() && bound("hidden_most_percent") >= truth, "{row:#}");
        most.push(bound("hidden_most_percent"));
    }
    // The bound is the return of the wait, or of the test.
    assert!((most[0] - 100.0 * (1.0 - 6.0 / 156.0)).abs() < 1e-6, "{most:?}");
    assert!((most[1] - 100.0 * (1.0 - 6.0 / 55.0)).abs() < 1e-6, "{most:?}");
}

#[test]
fn requests_that_nobody_completed_are_counted() {
    let warnings = |planted: &Planted| said(planted)["warnings"].to_string();
    let complete = noticed_between(false);
    assert!(!warnings(&complete).contains("not completed"), "{}", warnings(&complete));
    let mut given_up = noticed_between(false);
    given_up.call(isend(8), 100).compute(100).call(isend(8), 100);
    assert!(warnings(&given_up).contains("2 requests were not completed"), "{}", warnings(&given_up));
}

#[test]
fn the_engines_entries_bound_a_transfer_by_sockets_only_where_those_carried_all_bytes() {
    let all = 5 << 20;
    for (carried, rule) in [(all, "engine"), (all + 40, "engine"), (all - 1, "plain"), (0, "plain")] {
        let said = said(&Planted { by_sockets: Some(carried), ..noticed_between(true) });
        assert_eq!(row(&said, "send", 1 << 20)["bound_rule"], rule, "{carried} bytes");
    }
}

#[test]
fn messages_through_sockets_between_ranks_of_a_host_are_a_finding() {
    let found = |carried: u64| {
        let folder = Folder::new();
        for rank in 0..2 {
            Planted { by_sockets: Some(carried), ..noticed_between(true) }.write(&folder, rank, 2);
        }
        let output = overhear("diagnose", &folder.0, &["--format", "json"]);
        let said: Value = serde_json::from_str(&stdout(&output)).unwrap();
        rows(&said, "findings").iter().find(|row| row["kind"] == "sockets").cloned()
    };
    let found_headline = found(100 << 20).unwrap()["headline"].as_str().unwrap().to_string();
    let expected = "All ranks are on h1, but send 200 MiB to each other through sockets. It costs at most ";
    assert!(found_headline.starts_with(expected), "{found_headline}");
    // Each rank's messages have 5 MiB: most went another way.
    assert_eq!(found(2 << 20), None);
}

#[test]
fn what_mpi_says_when_asked_narrows_bounds_and_counts_what_was_complete_early() {
    let mut planted = Planted { is_asked: true, ..Planted::default() };
    for is_early in [true, false, true, true, true] {
        planted.call(isend(1 << 20), 2_000).compute(50_000).call(of(Call::Barrier), 3_000);
        if is_early {
            planted.found(1);
        }
        planted.compute(100_000).call(of(Call::Wait), 1_000).completed(1, 1).compute(9_000);
    }
    let said = said(&planted);
    let messages = row(&said, "send", 1 << 20);
    assert_eq!(messages["bound_rule"], "asked");
    // The bound is the return of the barrier.
    close(messages, "hidden_most_percent", 100.0 * (1.0 - 3.0 / 55.0));
    assert_eq!(rows(&said, "postponed")[0]["complete_early"], 4);
}

#[test]
fn a_request_that_no_entry_followed_was_over_when_it_was_posted() {
    let mut planted = Planted::default();
    for _ in 0..5 {
        planted.call(isend(512), 2_000).entered(1).compute(50_000).call(of(Call::Wait), 100).completed(1, 1);
        planted.compute(1_000);
    }
    let said = said(&planted);
    close(row(&said, "send", 512), "hidden_most_percent", 0.0);
}

#[test]
fn what_a_message_of_half_the_size_takes_bounds_from_below() {
    let mut planted = Planted::default();
    for _ in 0..5 {
        planted.request(isend(1_000), [1_000, 0, 99_000]).request(isend(2_000), [1_000, 500_000, 9_000]);
    }
    let said = said(&planted);
    let row = row(&said, "send", 2_000);
    assert_eq!((&row["transfer_s"], &row["availability_percent"]), (&Value::Null, &Value::Null));
    close(row, "hidden_least_percent", 90.0);
    close(row, "hidden_most_percent", 100.0 * (1.0 - 10.0 / 510.0));
    assert!(said["warnings"].to_string().contains("sizes without a transfer time"), "{said:#}");
}

#[test]
fn false_overlap_is_told_from_overlap_with_progress() {
    let mut planted = Planted::default();
    for _ in 0..4 {
        planted.request(irecv(100_000), [1_000, 0, 90_000]);
    }
    for _ in 0..3 {
        planted.request(irecv(100_000), [1_000, 200_000, 90_000]);
    }
    for _ in 0..2 {
        planted.call(irecv(100_000), 1_000).compute(100_000).call(of(Call::Test), 500).compute(100_000);
        planted.call(of(Call::Wait), 400).completed(1, 1).compute(1_000);
    }
    let said = said(&planted);
    let [postponed] = rows(&said, "postponed") else { panic!("{said:#}") };
    let counts = ["complete_at_once", "waited_right_after", "postponed_with_progress", "postponed_without_progress"];
    assert_eq!(counts.map(|count| postponed[count].as_u64().unwrap()), [0, 4, 2, 3]);
    // Three of the five postponed requests waited as long as without any work.
    close(row(&said, "receive", 100_000), "availability_percent", 0.0);
}

#[test]
fn nonblocking_collectives_say_what_starting_testing_and_waiting_take() {
    let reduce = Signature { flags: STARTS, ..signature(0, Call::Iallreduce, peer::NONE, 64, 64) };
    let mut planted = Planted::default();
    for _ in 0..5 {
        planted.request(reduce, [4_000, 0, 36_000]);
        planted.call(reduce, 4_000).compute(30_000).call(of(Call::Test), 1_000).compute(30_000);
        planted.call(of(Call::Test), 1_000).compute(30_000).call(of(Call::Wait), 2_000).completed(1, 1).compute(1_000);
    }
    let said = said(&planted);
    let [row] = rows(&said, "collectives") else { panic!("{said:#}") };
    assert_eq!((&row["function"], &row["communicator_size"]), (&"MPI_Iallreduce".into(), &1.into()));
    for (column, expected) in [("post_s", 4e-6), ("test_s", 2e-6), ("wait_s", 2e-6), ("transfer_s", 4e-5)] {
        close(row, column, expected);
    }
    close(row, "overlap_percent", 80.0);
    // Half of the requests have two tests.
    close(row, "tests_a_request", 1.0);
    assert!(rows(&said, "messages").is_empty());
}

#[test]
fn what_is_computed_after_a_test_completed_a_request_counts_until_the_wait_for_nothing() {
    let reduce = Signature { flags: STARTS, ..signature(0, Call::Iallreduce, peer::NONE, 64, 64) };
    let wait = Signature { requests: 1, ..of(Call::Wait) };
    let mut planted = Planted::default();
    for _ in 0..6 {
        planted.request(reduce, [4_000, 0, 36_000]);
        planted.call(reduce, 4_000).compute(200).call(of(Call::Test), 5_900).completed(1, 1);
        planted.compute(39_800).call(wait, 100).compute(1_000);
    }
    let said = said(&planted);
    let [row] = rows(&said, "collectives") else { panic!("{said:#}") };
    for (column, expected) in [("test_s", 5.9e-6), ("wait_s", 1e-7), ("overhead_s", 1e-5), ("transfer_s", 4e-5)] {
        close(row, column, expected);
    }
    close(row, "overlap_percent", 75.0);
    assert_eq!((&said["run"]["waited_right_after"], &said["run"]["postponed_with_progress"]), (&6.into(), &6.into()));
}

#[test]
fn tests_again_and_again_until_one_says_yes_are_a_wait() {
    let mut planted = Planted::default();
    for _ in 0..6 {
        planted.call(irecv(64), 1_000).call(of(Call::Test), 4_000).compute(100).call(of(Call::Test), 4_900);
        planted.completed(1, 1).compute(70_000).call(of(Call::Barrier), 1_000);
    }
    let said = said(&planted);
    close(row(&said, "receive", 64), "transfer_s", 9.9e-6);
    assert_eq!(said["run"]["waited_right_after"], 6);
}

#[test]
fn a_clock_that_the_program_reads_through_mpi_is_a_part_of_its_computation() {
    let mut planted = Planted::default();
    for _ in 0..6 {
        planted.request(isend(4_096), [1_000, 0, 19_000]);
        planted.call(isend(4_096), 1_000);
        for _ in 0..20 {
            planted.call(of(Call::Wtime), 900).compute(100);
        }
        planted.call(of(Call::Wait), 3_000).completed(1, 1).compute(1_000);
    }
    let said = said(&planted);
    close(row(&said, "send", 4_096), "overlap_percent", 80.0);
}

#[test]
fn the_share_hidden_has_an_interval_that_holds_what_recording_took() {
    let mut planted = Planted::default();
    for more in [0, 0, 0, 0, 100, 200, 300, 400, 400, 400, 400] {
        planted.request(isend(512), [1_000, 0, 1_000 + more]).request(isend(512), [700, 9_000, more]);
    }
    let said = said(&planted);
    let row = row(&said, "send", 512);
    close(row, "overlap_percent", 100.0 * (1.0 - 900.0 / 2_200.0));
    close(row, "transfer_least_s", 2e-6);
    close(row, "overhead_most_s", 1.1e-6);
    // Recording two calls takes 30 ns each.
    close(row, "recording_s", 60e-9);
    close(row, "overlap_least_percent", 100.0 * (1.0 - 1_160.0 / 2_000.0));
    close(row, "overlap_most_percent", 100.0 * (1.0 - 700.0 / 2_400.0));
}

#[test]
fn a_protocol_that_changes_is_named_with_its_sizes_and_one_that_does_not_is_not() {
    let of = |availability: fn(u32) -> u64| {
        let mut planted = Planted::default();
        for power in 10..18 {
            let transfer = 100 << power;
            let overhead = transfer * (100 - availability(power)) / 100;
            for _ in 0..3 {
                planted.request(isend(1 << power), [1_000, 0, transfer - 1_000]);
                planted.request(isend(1 << power), [1_000, 2 * transfer, overhead - 1_000]);
            }
        }
        said(&planted)["warnings"].to_string()
    };
    let said = of(|power| if power < 14 { 90 } else { 10 });
    assert!(said.contains("between 8.0 KiB and 16.0 KiB: availability from 90 to 10 %"), "{said}");
    let steady = of(|power| 90 - u64::from(power));
    assert!(!steady.contains("protocol"), "{steady}");
}

#[test]
fn persistent_requests_stand_where_they_are_started_and_receives_by_what_came() {
    let create = Signature { flags: CREATES, ..signature(0, Call::Recv_init, 0, 0, 4_096) };
    let mut planted = Planted::default();
    planted.call(create, 1_000);
    for start in 0..3 {
        planted.call(Signature { site: 9, ..of(Call::Start) }, 1_000);
        planted.words.push(record::requests(RecordKind::Started, 1, 1 + start));
        planted.compute(20_000).call(of(Call::Wait), 3_000).completed(1, 1);
        planted.words.extend(Arrived { source: 0, tag: 5, bytes: 700, fate: Fate::Whole }.words());
    }
    let said = said(&planted);
    let row = row(&said, "receive", 700);
    assert_eq!((&row["function"], &row["requests"]), (&"MPI_Recv_init".into(), &3.into()));
    close(row, "life_s", 24e-6);
    close(row, "overhead_s", 4e-6);
}

#[test]
fn the_wait_for_a_request_that_was_complete_at_once_is_part_of_its_overhead() {
    let mut planted = Planted::default();
    let wait = Signature { requests: 1, ..of(Call::Wait) };
    for computing in [100, 100, 100, 40_000, 40_000, 40_000] {
        planted.call(isend(64), 700);
        // The next number says that the request was complete.
        *planted.words.last_mut().unwrap() += 2;
        planted.compute(computing).call(wait, 300).compute(1_000);
    }
    let said = said(&planted);
    let row = row(&said, "send", 64);
    close(row, "overhead_s", 1e-6);
    // The time between, too short to be used, is no transfer.
    close(row, "transfer_s", 1e-6);
    close(row, "availability_percent", 0.0);
    close(row, "hidden_most_percent", 0.0);
    assert_eq!(said["run"]["complete_at_once"], 6);
}

#[test]
fn a_window_of_requests_that_are_waited_for_together_hides_nothing() {
    let mut planted = Planted::default();
    for _ in 0..5 {
        for _ in 0..4 {
            planted.call(isend(8_192), 1_000);
        }
        planted.call(of(Call::Waitall), 96_000).completed(4, 4).compute(1_000);
    }
    let said = said(&planted);
    let row = row(&said, "send", 8_192);
    assert_eq!((&row["requests"], &row["availability_percent"]), (&20.into(), &Value::Null));
    assert_eq!(said["run"]["waited_right_after"], 20);
}

#[test]
fn many_sizes_of_one_site_stand_by_powers_of_two() {
    let of = |sizes: &[u64]| -> Vec<[Option<u64>; 3]> {
        let mut planted = Planted::default();
        for bytes in sizes {
            planted.request(isend(*bytes), [1_000, 0, 9_000]);
        }
        let said = said(&planted);
        let row = |row: &Value| ["size_bytes", "size_below_bytes", "requests"].map(|column| row[column].as_u64());
        rows(&said, "messages").iter().map(row).collect()
    };
    let of_power = [[Some(512), Some(1_024), Some(5)], [Some(2_048), Some(4_096), Some(1)]];
    assert_eq!(of(&[600, 601, 602, 603, 604, 3_000]), of_power);
    let powers: Vec<u64> = (0..33).map(|power| 1 << power).collect();
    assert_eq!(of(&powers)[32], [Some(1 << 32), Some(1 << 33), Some(1)]);
    // As benchmarks choose them.
    let own: Vec<u64> =
        (5..30).flat_map(|power| [-3, 0, 3].map(|more| ((1i64 << power) + more) as u64)).take(32).collect();
    assert!(of(&own).iter().all(|row| row[1].is_none()));
}

#[test]
fn requests_to_nobody_are_no_messages() {
    let mut planted = Planted::default();
    for _ in 0..20 {
        planted.request(isend(4_096), [1_000, 0, 9_000]);
        planted.request(Signature { peer: peer::PROC_NULL, ..isend(0) }, [1_000, 0, 9_000]);
    }
    let said = said(&planted);
    let sizes: Vec<_> = rows(&said, "messages").iter().map(|row| row["size_bytes"].as_u64().unwrap()).collect();
    assert_eq!((sizes, &said["run"]["requests"]), (vec![4_096], &20.into()));
}

#[test]
fn only_what_is_asked_about_counts() {
    let folder = Folder::new();
    for rank in 0..2 {
        let mut planted = Planted::default();
        for _ in 0..4 {
            planted.request(isend(100), [1_000, 0, 9_000]);
        }
        planted.write(&folder, rank, 2);
    }
    let requests = |arguments: &[&str]| ask(&folder.0, arguments)["run"]["requests"].as_u64().unwrap();
    assert_eq!(requests(&[]), 8);
    assert_eq!(requests(&["--rank", "1"]), 4);
    assert_eq!(requests(&["--from", "14us", "--rank", "0"]), 3);
    let none = ask(&folder.0, &["--from", "1ms"]);
    assert!(none["warnings"].to_string().contains("8 requests were posted, none in what is asked about"), "{none:#}");
}

#[test]
fn halos_that_are_waited_for_at_once_are_transfers_alone() {
    let folder = Folder::new();
    let shape = Shape { ranks: 4, calls: 4_000, topology: Topology::Torus, seed: 3 };
    run(&folder.0, &shape).unwrap();
    let said = ask(&folder.0, &[]);
    let report = overhear("report", &folder.0, &["--format", "json"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let calls = |function: &str| {
        let row = rows(&report, "functions").iter().find(|row| row["function"] == function).unwrap();
        row["calls"].as_u64().unwrap()
    };
    assert_eq!(said["run"]["requests"], calls("MPI_Isend") + calls("MPI_Irecv"));
    let at_once = said["run"]["complete_at_once"].as_u64().unwrap();
    // Every other exchange is of small halos, whose sends are complete at once.
    assert!((at_once * 2).abs_diff(calls("MPI_Isend")) <= 16, "{said:#}");
    assert_eq!(said["run"]["postponed_with_progress"], 0);
}

#[test]
fn a_run_without_requests_says_what_is_needed_and_what_there_is() {
    let folder = two_ranks();
    let output = overhear("overlap", &folder.0, &[]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(3), ""));
    let said = stderr(&output).replace("\n  ", " ");
    assert!(said.contains("no nonblocking request") && said.contains("needs MPI_Isend"), "{said}");
    assert!(said.contains("on 2 ranks mostly MPI_Recv 3, MPI_Send 3"), "{said}");
    let none = overhear("overlap", &folder.0.join("none"), &[]);
    assert_eq!(none.status.code(), Some(3));
}
