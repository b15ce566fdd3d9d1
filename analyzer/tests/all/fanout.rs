//! Planted rounds from one rank to several others and back are found with their times; patterns that only resemble
//! rounds are not.

use std::fs;

use crate::common::made::{Calls, on_nobody, receive, send};
use crate::common::{Folder, overhear, signature, stderr, stdout, two_ranks};
use serde_json::Value;
use traces::calls::Call;
use traces::signature::{STARTS, Signature, peer};

/// Ranks with successive rounds.
struct Planted(Vec<Calls>);

impl Planted {
    fn of(ranks: usize) -> Planted {
        Planted((0..ranks).map(|_| Calls::default()).collect())
    }

    fn on(&mut self, rank: usize, calls: impl FnOnce(Calls) -> Calls) {
        let so_far = std::mem::take(&mut self.0[rank]);
        self.0[rank] = calls(so_far);
    }

    /// Rank 0 asks the ranks up to `peers` and gets the last answer `took` nanoseconds after it began to ask.
    fn round(&mut self, begin: u64, peers: i32, bytes: u64, took: u64) {
        self.on(0, |calls| {
            let calls = (1..=peers).fold(calls, |calls, peer| calls.call(receive(peer), begin + 10 * peer as u64, 5));
            let asked = |calls: Calls, peer: i32| {
                let isend = Signature { flags: STARTS, ..send(Call::Isend, peer, bytes) };
                calls.call(isend, begin + 1_000 + 100 * (peer as u64 - 1), 50)
            };
            let mut calls = (1..=peers).fold(calls, asked);
            for peer in 1..=peers {
                // Receives are posted first; sends are completed at the end.
                let (last, age) = (peer == peers, (2 * peers - peer + 1) as u64);
                let (from, until) = (begin + 2_000 + 10 * peer as u64, begin + 1_000 + took);
                let lasts = if last { until - from } else { 5 };
                calls = calls.call(on_nobody(Call::Waitany), from, lasts).completed(age).got(peer, bytes);
            }
            let waited = calls.call(on_nobody(Call::Waitall), begin + 1_100 + took, 10);
            (1..=peers as u64).rev().fold(waited, Calls::completed)
        });
        for peer in 1..=peers {
            self.on(peer as usize, |calls| {
                let posted = signature(0, Call::Recv, 0, 0, bytes);
                calls.call(posted, begin, 1_500).call(send(Call::Send, 0, bytes), begin + 1_600, 20)
            });
        }
    }

    fn written(self) -> Folder {
        let (folder, size) = (Folder::new(), self.0.len() as u32);
        self.0.into_iter().zip(0..).for_each(|(calls, rank)| calls.write(&folder, rank, size));
        folder
    }

    /// Output of the analysis, and the exit status.
    fn said(self) -> (Value, Option<i32>) {
        let folder = self.written();
        let output = overhear("fanout", &folder.0, &["--format", "json"]);
        let said = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        (said, output.status.code())
    }
}

fn rows<'a>(said: &'a Value, table: &str) -> &'a [Value] {
    said[table].as_array().unwrap_or_else(|| panic!("no {table} in {said:#}"))
}

fn close(row: &Value, column: &str, nanoseconds: f64) {
    let value = row[column].as_f64().unwrap_or_else(|| panic!("no {column} in {row:#}"));
    assert!((value * 1e9 - nanoseconds).abs() < 0.01, "{column} {value}, not {nanoseconds} ns: {row:#}");
}

/// Nanoseconds between the begins of rounds.
const APART: u64 = 1_000_000;

#[test]
fn planted_rounds_are_found_with_their_times_and_the_maverick_is_named() {
    let mut planted = Planted::of(3);
    // Round times use the root's clock alone.
    (1..3).for_each(|rank| planted.on(rank, |calls| calls.off_by(70)));
    let took = |round: u64| if round == 6 { 200_000 } else { 10_000 + 100 * round };
    (0..11).for_each(|round| planted.round(round * APART, 2, 64, took(round)));
    let (said, status) = planted.said();
    let [row] = rows(&said, "rounds") else { panic!("{said:#}") };
    close(row, "until_next_s", APART as f64);
    close(row, "until_next_mean_s", APART as f64);
    assert_eq!(
        (&row["way"], &row["root_rank"], &row["function"]),
        (&"round_trip".into(), &0.into(), &"MPI_Isend".into())
    );
    assert_eq!((&row["size_bytes"], &row["answer_bytes"], &row["ranks"]), (&64.into(), &64.into(), &3.into()));
    assert_eq!((&row["rounds"], &row["mavericks"]), (&11.into(), &1.into()));
    let truth = [
        ("min_s", 10_000.0),
        ("median_s", 10_500.0),
        ("max_s", 200_000.0),
        ("p99_s", 200_000.0),
        ("half_s", 5_250.0),
        ("half_per_message_s", 2_625.0),
        ("mean_s", (0..11).map(took).sum::<u64>() as f64 / 11.0),
        ("error_s", 0.0),
    ];
    truth.iter().for_each(|(column, truth)| close(row, column, *truth));
    let [maverick] = rows(&said, "mavericks") else { panic!("{said:#}") };
    close(maverick, "begin_s", (6 * APART + 1_000) as f64);
    close(maverick, "round_s", 200_000.0);
    assert_eq!((&maverick["round"], &maverick["last_rank"]), (&7.into(), &2.into()));
    assert_eq!(rows(&said, "peers").len(), 2);
    close(&rows(&said, "peers")[0], "there_s", 500.0);
    close(&rows(&said, "peers")[0], "error_s", 70.0);
    assert_eq!((&said["run"]["messages_in_rounds"], &said["run"]["messages_crossed"]), (&44.into(), &0.into()));
    assert_eq!(status, Some(0));
}

#[test]
fn the_n_at_which_one_message_more_is_cheapest_is_named_where_intervals_tell_it() {
    let mut planted = Planted::of(5);
    // The third rank costs 5 µs, the fourth 1 µs, the fifth 4 µs.
    for (peers, took) in [(1, 10_000), (2, 15_000), (3, 16_000), (4, 20_000)] {
        for round in 0..9 {
            planted.round((20 * peers as u64 + round) * APART, peers, 8, took + 10 * round);
        }
    }
    let (said, _) = planted.said();
    assert_eq!(rows(&said, "rounds").len(), 4, "{said:#}");
    let [cheapest] = rows(&said, "cheapest") else { panic!("{said:#}") };
    assert_eq!((&cheapest["cheapest_ranks"], &cheapest["numbers_of_ranks"]), (&4.into(), &4.into()));
    assert!(cheapest["cheapest_reason"].is_null(), "{cheapest:#}");
    close(cheapest, "message_s", 1_000.0);
    let [least, most] = ["message_least_s", "message_most_s"].map(|column| cheapest[column].as_f64().unwrap() * 1e9);
    assert!((least..=most).contains(&1_000.0) && most < 4_000.0, "{cheapest:#}");
}

/// The pictures of rounds as SVG.
fn drawn(planted: Planted) -> String {
    let folder = planted.written();
    let file = folder.0.join("rounds.svg");
    let output = overhear("plot", &folder.0, &["fanout", "-o", file.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    fs::read_to_string(file).unwrap()
}

#[test]
fn pictures_say_what_latency_is_and_leave_out_what_came_too_seldom() {
    let mut trips = Planted::of(3);
    (0..9).for_each(|round| trips.round(round * APART, 2, 8, 10_000));
    let drawn_trips = drawn(trips);
    assert!(drawn_trips.contains("MPI_Isend, n 3: half a round trip"), "{drawn_trips}");
    let mut gathers = Planted::of(3);
    for round in 0..11 {
        // Two reductions say nothing about a median.
        let call = if round < 9 { Call::Gather } else { Call::Reduce };
        for rank in 0..3 {
            let gathered = signature(0, call, 0, 8, if rank == 0 { 24 } else { 0 });
            gathers.on(rank, |calls| calls.call(gathered, round * APART, 7_000));
        }
    }
    let drawn_gathers = drawn(gathers);
    assert!(drawn_gathers.contains("MPI_Gather, n 3: from the first send to the last receive"), "{drawn_gathers}");
    assert!(!drawn_gathers.contains("MPI_Reduce"), "{drawn_gathers}");
}

#[test]
fn of_a_round_of_one_way_each_message_has_its_part_of_the_whole_time() {
    let mut gathers = Planted::of(3);
    for round in 0..9 {
        for rank in 0..3 {
            let gathered = signature(0, Call::Gather, 0, 8, if rank == 0 { 24 } else { 0 });
            gathers.on(rank, |calls| calls.call(gathered, round * APART, 7_000));
        }
    }
    let folder = gathers.written();
    let text = stdout(&overhear("fanout", &folder.0, &["--whole"]));
    assert!(text.contains("of one way to the last receive") && text.contains("  per msg ") && text.contains("\nn:1 "));
    let said = overhear("fanout", &folder.0, &["--whole", "--format", "json"]);
    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
    let [row] = rows(&said, "rounds") else { panic!("{said:#}") };
    close(row, "median_s", 7_000.0);
    close(row, "half_per_message_s", 3_500.0);
}

#[test]
fn with_one_number_of_ranks_nothing_is_said_about_the_cheapest_n() {
    let mut planted = Planted::of(3);
    (0..9).for_each(|round| planted.round(round * APART, 2, 8, 10_000));
    let (said, _) = planted.said();
    assert_eq!(rows(&said, "cheapest"), [] as [Value; 0], "{said:#}");
}

#[test]
fn a_broadcast_and_a_gather_are_a_round_timed_at_the_root() {
    let mut planted = Planted::of(4);
    for round in 0..5u64 {
        for rank in 0..4 {
            let begin = round * APART + 100 * rank as u64;
            planted.on(rank, |calls| {
                calls
                    .call(
                        signature(0, Call::Bcast, 0, if rank == 0 { 64 } else { 0 }, if rank == 0 { 0 } else { 64 }),
                        begin,
                        2_000,
                    )
                    .call(signature(0, Call::Gather, 0, 32, if rank == 0 { 128 } else { 0 }), begin + 3_000, 7_000)
            });
        }
    }
    let (said, _) = planted.said();
    let [row] = rows(&said, "rounds") else { panic!("{said:#}") };
    assert_eq!((&row["function"], &row["ranks"], &row["rounds"]), (&"MPI_Bcast".into(), &4.into(), &5.into()));
    assert_eq!((&row["size_bytes"], &row["answer_bytes"]), (&64.into(), &32.into()));
    close(row, "median_s", 10_000.0);
}

#[test]
fn a_master_that_gives_new_work_to_whom_is_done_first_has_rounds() {
    let mut planted = Planted::of(3);
    let answer = |calls: Calls, from: i32, begin: u64| {
        calls.call(Signature { tag: 5, ..signature(0, Call::Recv, from, 0, 8) }, begin, 100).got(from, 8)
    };
    planted.on(0, |calls| {
        let calls = calls.call(send(Call::Send, 1, 8), 1_000, 100).call(send(Call::Send, 2, 8), 1_200, 100);
        // Rank 2 is done first, gets more, and is done with that before rank 1 is done.
        let calls = answer(calls, 2, 5_000).call(send(Call::Send, 2, 8), 5_200, 100);
        answer(answer(calls, 1, 9_000), 2, 9_200)
    });
    let work = |calls: Calls, begin: u64, end: u64| {
        calls.call(signature(0, Call::Recv, 0, 0, 8), begin, 100).call(send(Call::Send, 0, 8), end, 50)
    };
    planted.on(1, |calls| work(calls, 1_200, 8_900));
    planted.on(2, |calls| work(work(calls, 1_300, 4_900), 5_300, 7_000));
    let (said, _) = planted.said();
    let found: Vec<_> =
        rows(&said, "rounds").iter().map(|row| (row["ranks"].as_u64(), row["rounds"].as_u64())).collect();
    assert_eq!(found, [(Some(2), Some(1)), (Some(3), Some(1))], "{said:#}");
    close(&rows(&said, "rounds")[1], "median_s", 8_100.0);
}

#[test]
fn what_comes_unasked_is_a_round_of_one_way_and_what_is_not_answered_too() {
    let mut planted = Planted::of(4);
    for rank in 1..4 {
        planted.on(rank, |calls| {
            let send = |calls: Calls, at| calls.call(send(Call::Send, 0, 256), at + 1_000 * rank as u64, 100);
            let sent = send(send(calls, 0), 20_000);
            sent.call(signature(0, Call::Recv, 0, 0, 16), 40_000, 10_000 + 100 * rank as u64)
        });
    }
    planted.on(0, |calls| {
        let from = |rank| signature(0, Call::Recv, rank, 0, 256);
        let receive =
            |calls: Calls, at| (1..4).fold(calls, |calls, rank| calls.call(from(rank), at + 4_000 * rank as u64, 500));
        let all = receive(receive(calls, 0), 20_000);
        (1..4).fold(all, |calls, rank| calls.call(send(Call::Send, rank, 16), 40_000 + 1_000 * rank as u64, 100))
    });
    let (said, _) = planted.said();
    let ways: Vec<_> = rows(&said, "rounds")
        .iter()
        .map(|row| (&row["way"], row["ranks"].as_u64(), row["size_bytes"].as_u64(), row["rounds"].as_u64()))
        .collect();
    assert_eq!(
        ways,
        [(&"to_peers".into(), Some(4), Some(16), Some(1)), (&"from_peers".into(), Some(4), Some(256), Some(2))],
        "{said:#}"
    );
    close(&rows(&said, "rounds")[0], "median_s", 9_300.0);
    close(&rows(&said, "rounds")[1], "median_s", 11_500.0);
    let warnings = said["warnings"].to_string();
    assert!(warnings.contains("one way") && warnings.contains("error_s"), "{warnings}");
}

/// Output for four ranks in a ring that make these calls at each step.
fn ring(step: impl Fn(Calls, [i32; 3], u64) -> Calls) -> Value {
    let mut planted = Planted::of(4);
    for at in 0..6 {
        for rank in 0..4 {
            let neighbors = [rank, (rank + 3) % 4, (rank + 1) % 4];
            planted.on(rank as usize, |calls| step(calls, neighbors, at * APART));
        }
    }
    planted.said().0
}

#[test]
fn halos_and_rings_have_no_rounds_and_the_reason_is_said() {
    let halo = |calls: Calls, [rank, left, right]: [i32; 3], at: u64| {
        let isend = |to| Signature { flags: STARTS, ..send(Call::Isend, to, 64) };
        let at = at + 100 * rank as u64;
        let posted = calls.call(receive(left), at, 10).call(receive(right), at + 20, 10);
        let sent = posted.call(isend(left), at + 40, 10).call(isend(right), at + 60, 10);
        let waited = sent.call(on_nobody(Call::Waitall), at + 80, 5_000);
        waited.completed(4).got(left, 64).completed(3).got(right, 64).completed(2).completed(1)
    };
    // One direction after the other: each message but the first resembles an answer to the one before.
    let shifts = |calls: Calls, [rank, left, right]: [i32; 3], at: u64| {
        let shift = |to, from| Signature { source: from, source_tag: 5, received: 64, ..send(Call::Sendrecv, to, 64) };
        let at = at + 100 * rank as u64;
        calls.call(shift(right, left), at, 5_000).call(shift(left, right), at + 10_000, 5_000)
    };
    let token = |calls: Calls, [rank, left, right]: [i32; 3], at: u64| {
        let (from, to) = (signature(0, Call::Recv, left, 0, 64), send(Call::Send, right, 64));
        let at = at + 10_000 * rank as u64;
        match rank {
            0 => calls.call(to, at, 100).call(from, at + 200, 45_000),
            _ => calls.call(from, at - 5_000, 5_100).call(to, at + 200, 100),
        }
    };
    for (said, crosses) in [(ring(halo), true), (ring(shifts), false), (ring(token), false)] {
        assert_eq!(rows(&said, "rounds").len(), 0, "{said:#}");
        assert_eq!(said["run"]["messages_crossed"] == said["run"]["messages"], crosses, "{said:#}");
        assert!(said["warnings"].to_string().contains("no round: a rank has to send"), "{said:#}");
    }
}

#[test]
fn a_run_without_messages_is_told_what_is_needed_and_what_there_is() {
    let folder = Folder::new();
    Calls::default().call(signature(0, Call::Barrier, peer::NONE, 0, 0), 1_000, 100).write(&folder, 0, 1);
    let output = overhear("fanout", &folder.0, &[]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
    let said = stderr(&output);
    assert!(said.contains("fanout needs messages between ranks") && said.contains("MPI_Barrier 1"), "{said}");
    let output = overhear("fanout", &two_ranks().0, &[]);
    assert_ne!(output.status.code(), None, "{}", stderr(&output));
}

#[test]
fn one_sided_transfers_take_until_the_call_that_completes_them_all() {
    let transfer = |call: Call, target: i32, bytes: u64| match call {
        Call::Get => signature(0, call, target, 0, bytes),
        _ => signature(0, call, target, bytes, 0),
    };
    let completion = |call: Call, target: i32| signature(0, call, target, 0, 0);
    let mut planted = Planted::of(4);
    planted.on(0, |mut calls| {
        let mut now = 1_000;
        for round in 0..9 {
            // A put to each of three targets, and a flush for each.
            for target in 1..=3 {
                calls = calls.call(transfer(Call::Put, target, 64), now + 100 * target as u64, 50);
            }
            for target in [2, 1, 3] {
                calls = calls.call(completion(Call::Win_flush, target), now + 1_000 + 100 * target as u64, 80 + round);
            }
            // A put to MPI_PROC_NULL is no transfer, and no call completes it.
            calls = calls.call(transfer(Call::Put, peer::PROC_NULL, 64), now + 450, 10);
            // The data of a get is there when the call that completes it at the origin returns.
            for target in 1..=2 {
                calls = calls.call(transfer(Call::Get, target, 4_096), now + 3_000 + 100 * target as u64, 50);
            }
            calls = calls.call(completion(Call::Win_flush_local_all, peer::NONE), now + 4_000, 500);
            // A local flush tells nothing about the target.
            // To get a lock moves no data.
            calls = calls.call(completion(Call::Win_lock, 1), now + 4_800, 100);
            calls = calls.call(transfer(Call::Put, 1, 8), now + 5_000, 50);
            calls = calls.call(completion(Call::Win_flush_local, 1), now + 5_100, 50);
            calls = calls.call(completion(Call::Win_unlock, 1), now + 5_200, 300);
            // Two puts to one rank and one to another, and two of different sizes.
            for (target, bytes) in [(1, 16), (1, 16), (2, 16)] {
                calls = calls.call(transfer(Call::Put, target, bytes), now + 6_000, 10);
            }
            calls = calls.call(completion(Call::Win_fence, peer::NONE), now + 6_100, 50);
            for (target, bytes) in [(1, 16), (2, 32)] {
                calls = calls.call(transfer(Call::Put, target, bytes), now + 7_000, 10);
            }
            calls = calls.call(completion(Call::Win_unlock_all, peer::NONE), now + 7_100, 50);
            now += APART;
        }
        // Nothing completes this get.
        calls.call(transfer(Call::Get, 1, 4), now, 10)
    });
    let (said, status) = planted.said();
    let row = |function: &str, until: &str, ranks: u64| {
        let is_meant =
            |row: &&Value| row["function"] == function && row["completed_by"] == until && row["ranks"] == ranks;
        let found: Vec<&Value> = rows(&said, "one_sided").iter().filter(is_meant).collect();
        let [row] = found[..] else { panic!("{function} {until} {ranks}: {said:#}") };
        assert_eq!(row["rounds"], 9, "{row:#}");
        row
    };
    let flushed = row("MPI_Put", "MPI_Win_flush", 4);
    close(flushed, "min_s", 1_280.0);
    close(flushed, "median_s", 1_284.0);
    close(flushed, "per_message_s", 428.0);
    close(row("MPI_Get", "MPI_Win_flush_local_all", 3), "median_s", 1_400.0);
    close(row("MPI_Put", "MPI_Win_unlock", 2), "median_s", 500.0);
    assert_eq!(rows(&said, "one_sided").len(), 3, "{said:#}");
    let warnings = said["warnings"].to_string();
    assert!(warnings.contains(&format!("{} one-sided transfers left out", 5 * 9 + 1)), "{warnings}");
    assert!(warnings.contains("a target makes no call") && status == Some(0), "{warnings}");
    assert!(warnings.contains("no message is in what is asked about"), "{warnings}");
}

#[test]
fn windows_of_one_sided_transfers_have_a_bandwidth_and_what_a_timer_sees() {
    const ROUNDS: u64 = 22;
    let mut planted = Planted::of(2);
    planted.on(0, |mut calls| {
        let mut now = 1_000;
        for round in 0..ROUNDS {
            for put in 0..4 {
                calls = calls.call(signature(0, Call::Put, 1, 1_000, 0), now + 100 * put, 50);
            }
            calls = calls.call(signature(0, Call::Win_flush, 1, 0, 0), now + 400, 600);
            // The first of a loop takes longer, as after any setup.
            now += if round == 0 { 50_000 } else { 1_200 };
        }
        for _ in 0..ROUNDS {
            calls = calls.call(signature(0, Call::Get, 1, 0, 8), now, 50);
            calls = calls.call(signature(0, Call::Win_flush, 1, 0, 0), now + 100, 100);
            calls = calls.call(signature(0, Call::Comm_rank, peer::NONE, 0, 0), now + 300, 10);
            now += 1_000;
        }
        calls
    });
    let (said, _) = planted.said();
    let [get, put] = rows(&said, "one_sided") else { panic!("{said:#}") };
    assert_eq!((&put["function"], &put["transfers"], &put["rounds"]), (&"MPI_Put".into(), &4.into(), &ROUNDS.into()));
    close(put, "median_s", 1_000.0);
    close(put, "per_message_s", 250.0);
    close(put, "until_next_mean_s", 1_200.0);
    assert_eq!(put["bandwidth_bytes"], 4_000_000_000_u64, "{put:#}");
    assert_eq!(put["bandwidth_mean_bytes"], 3_333_333_333_u64, "{put:#}");
    assert!(put["until_next_reason"].is_null(), "{put:#}");
    assert_eq!((&get["function"], &get["transfers"]), (&"MPI_Get".into(), &1.into()));
    assert!(get["until_next_mean_s"].is_null() && get["bandwidth_mean_bytes"].is_null(), "{get:#}");
    assert_eq!(get["until_next_reason"], "the program does something else behind each of these rounds");
}
