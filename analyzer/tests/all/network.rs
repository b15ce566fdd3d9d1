//! Planted latency and bandwidth are found, and so is the size at which the protocol changes.

use crate::common::made::{Calls, made, on_nobody, send};
use crate::common::{overhear, signature, stderr};
use model::exchanges::exchanges;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::Value;
use traces::calls::Call;
use traces::signature::{CREATES, STARTS, Signature, peer};

/// Exchanges of each size, in this many runs with a barrier before each.
const RUNS: usize = 10;
const EXCHANGES: usize = 4;

/// Two ranks that exchange messages of 8 B to 1 MiB.
struct Planted<F: Fn(u64) -> f64> {
    /// Nanoseconds of a message, by its bytes.
    time: F,
    /// Relative variation of the time.
    noise: f64,
    seed: u64,
}

fn receive(from: i32, bytes: u64) -> Signature {
    signature(0, Call::Recv, from, 0, bytes)
}

fn begins(function: Call, with: i32, bytes: u64) -> Signature {
    let (sent, received) = if function == Call::Irecv { (0, bytes) } else { (bytes, 0) };
    Signature { flags: STARTS, ..signature(0, function, with, sent, received) }
}

impl<F: Fn(u64) -> f64> Planted<F> {
    /// Calls a closure for each exchange, which returns its end, and puts barriers between.
    fn each(&self, mut exchange: impl FnMut([Calls; 2], u64, u64, u64) -> ([Calls; 2], u64)) -> [Calls; 2] {
        let mut random = StdRng::seed_from_u64(self.seed);
        let (mut ranks, mut now) = ([Calls::default(), Calls::default()], 1_000);
        for _ in 0..RUNS {
            for bytes in (3..=20).map(|power| 1 << power) {
                ranks = ranks.map(|rank| rank.call(on_nobody(Call::Barrier), now, 500));
                now += 600;
                for _ in 0..EXCHANGES {
                    let time = (self.time)(bytes) * (1.0 + self.noise * random.random_range(-1.0..1.0));
                    (ranks, now) = exchange(ranks, now, bytes, time.round() as u64);
                }
                now += 50_000;
            }
        }
        ranks
    }

    /// Ping-pong with MPI_Send and MPI_Recv.
    fn ordered(&self) -> Value {
        let ranks = self.each(|[zero, one], now, bytes, time| {
            let zero =
                zero.call(send(Call::Send, 1, bytes), now, 100).call(receive(1, bytes), now + 100, 2 * time - 100);
            let one = one.call(receive(0, bytes), now, time).call(send(Call::Send, 0, bytes), now + time, 100);
            ([zero, one], now + 2 * time)
        });
        said(ranks.into())
    }

    /// Ping-pong with MPI_Start and MPI_Wait on one side.
    fn persistent(&self) -> Value {
        let creates =
            |function, sent, received| Signature { flags: CREATES, ..signature(0, function, 1, sent, received) };
        let ranks = self.each(|[zero, one], now, bytes, time| {
            let begin = now + 40;
            let zero = zero.call(creates(Call::Send_init, bytes, 0), now, 10);
            let zero = zero.call(creates(Call::Recv_init, 0, bytes), now + 20, 10);
            let zero = zero.call(on_nobody(Call::Start), begin, 20).started(2);
            let zero = zero.call(on_nobody(Call::Wait), begin + 30, 50).completed(1);
            let zero = zero.call(on_nobody(Call::Start), begin + 100, 20).started(2);
            let zero = zero.call(on_nobody(Call::Wait), begin + 130, 2 * time - 130).completed(1);
            let one = one.call(receive(0, bytes), begin, time).call(send(Call::Send, 0, bytes), begin + time, 100);
            ([zero, one], begin + 2 * time)
        });
        said(ranks.into())
    }

    /// Both ways at once, with MPI_Irecv, MPI_Isend and two MPI_Wait.
    fn unordered(&self) -> Value {
        let ranks = self.each(|ranks, now, bytes, time| {
            let mut peer = 2;
            let ranks = ranks.map(|rank| {
                peer -= 1;
                let rank = rank.call(begins(Call::Irecv, peer, bytes), now, 50);
                let rank = rank.call(begins(Call::Isend, peer, bytes), now + 60, 50);
                let rank = rank.call(on_nobody(Call::Wait), now + 120, time - 180).completed(2);
                rank.call(on_nobody(Call::Wait), now + time - 50, 50).completed(1)
            });
            (ranks, now + time)
        });
        said(ranks.into())
    }
}

fn said(ranks: Vec<Calls>) -> Value {
    let size = ranks.len() as u32;
    let (folder, _) = made(ranks, size);
    let output = overhear("network", &folder.0, &["--format", "json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn rows<'a>(said: &'a Value, table: &str, pattern: &str) -> Vec<&'a Value> {
    said[table].as_array().unwrap().iter().filter(|row| row["pattern"] == pattern).collect()
}

fn figure(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("no {key} in {row:#}"))
}

fn is_within(found: f64, planted: f64, share: f64) {
    assert!((found / planted - 1.0).abs() <= share, "{found} and not {planted}");
}

fn parameter<'a>(said: &'a Value, name: &str) -> &'a Value {
    said["loggp"].as_array().unwrap().iter().find(|row| row["parameter"] == name).unwrap()
}

#[test]
fn latency_and_bandwidth_of_ordered_exchanges_are_recovered_within_2_percent() {
    for (noise, seed) in [(0.0, 0), (0.02, 1), (0.02, 2), (0.02, 3)] {
        let said = Planted { time: |bytes| 800.0 + 0.25 * bytes as f64, noise, seed }.ordered();
        let [segment] = rows(&said, "segments", "ordered")[..] else { panic!("{said:#}") };
        is_within(figure(segment, "latency_s"), 800e-9, 0.02);
        // Each byte goes there and back, one after the other.
        is_within(figure(segment, "bandwidth_bytes"), 4e9, 0.02);
        let [protocol] = rows(&said, "protocols", "ordered")[..] else { panic!("{said:#}") };
        assert_eq!((&protocol["calls"], &protocol["changes_at"]), (&"Send+Recv/Recv+Send".into(), &Value::Null));
        assert_eq!(protocol["count"], 18 * RUNS * EXCHANGES);
        is_within(figure(protocol, "latency_s"), 800e-9, 0.05);
        is_within(figure(protocol, "bandwidth_bytes"), 4e9, 0.02);
    }
}

#[test]
fn exchanges_by_persistent_requests_begin_where_those_are_started() {
    let said = Planted { time: |bytes| 800.0 + 0.25 * bytes as f64, noise: 0.0, seed: 0 }.persistent();
    let [segment] = rows(&said, "segments", "ordered")[..] else { panic!("{said:#}") };
    is_within(figure(segment, "latency_s"), 800e-9, 0.02);
    is_within(figure(segment, "bandwidth_bytes"), 4e9, 0.02);
}

/// Exchanges found between two ranks that call MPI_Sendrecv with these sizes, and those that one rank alone tells of.
fn by_sendrecv(zero_sends: u64, one_sends: u64) -> [u64; 2] {
    let (mut zero, mut one) = (Calls::default(), Calls::default());
    let calls = |with, sent| Signature { source: with, ..signature(0, Call::Sendrecv, with, sent, 4_096) };
    for exchange in 0..20 {
        let now = 1_000 + 2_000 * exchange;
        zero = zero.call(calls(1, zero_sends), now, 1_500).got(1, one_sends);
        one = one.call(calls(0, one_sends), now, 1_500).got(0, zero_sends);
    }
    let said = said(vec![zero, one]);
    ["exchanges", "unpaired_exchanges"].map(|key| said["run"][key].as_u64().unwrap())
}

#[test]
fn what_both_ranks_send_as_much_of_is_an_exchange_and_what_differs_is_none() {
    assert_eq!(by_sendrecv(64, 64), [20, 0]);
    assert_eq!(by_sendrecv(0, 0), [20, 0]);
    assert_eq!(by_sendrecv(64, 1_024), [0, 0]);
}

#[test]
fn exchanges_that_go_both_ways_at_once_are_told_from_ordered_ones_and_have_the_bandwidth_of_both() {
    for (noise, seed) in [(0.0, 0), (0.02, 1), (0.02, 2)] {
        let said = Planted { time: |bytes| 900.0 + 0.5 * bytes as f64, noise, seed }.unordered();
        assert!(rows(&said, "protocols", "ordered").is_empty(), "{said:#}");
        let [segment] = rows(&said, "segments", "unordered")[..] else { panic!("{said:#}") };
        assert_eq!(segment["calls"], "Irecv+Isend");
        is_within(figure(segment, "latency_s"), 900e-9, 0.02);
        is_within(figure(segment, "bandwidth_bytes"), 4e9, 0.02);
    }
}

#[test]
fn a_planted_change_of_protocol_is_named_with_its_size() {
    for (noise, seed) in [(0.0, 0), (0.02, 1), (0.02, 2)] {
        let time = |bytes: u64| if bytes < 16384 { 700.0 + 0.4 * bytes as f64 } else { 9_000.0 + 0.1 * bytes as f64 };
        let said = Planted { time, noise, seed }.ordered();
        let [protocol] = rows(&said, "protocols", "ordered")[..] else { panic!("{said:#}") };
        assert_eq!(protocol["changes_at"], "16.0 KiB", "{said:#}");
        let [eager, rendezvous] = rows(&said, "segments", "ordered")[..] else { panic!("{said:#}") };
        is_within(figure(eager, "latency_s"), 700e-9, 0.02);
        is_within(figure(rendezvous, "latency_s"), 9e-6, 0.02);
        is_within(figure(rendezvous, "bandwidth_bytes"), 1e10, 0.02);
        assert_eq!((figure(eager, "size_most_bytes"), figure(rendezvous, "size_least_bytes")), (8192.0, 16384.0));
    }
}

#[test]
fn what_a_program_computes_between_post_and_wait_is_no_latency() {
    let mut rank = [Calls::default(), Calls::default()];
    for exchange in 0..20 {
        let now = 1_000 + exchange * 200_000;
        let mut peer = 2;
        rank = rank.map(|rank| {
            peer -= 1;
            let rank =
                rank.call(begins(Call::Irecv, peer, 64), now, 50).call(begins(Call::Isend, peer, 64), now + 60, 50);
            let rank = rank.call(on_nobody(Call::Wait), now + 100_000, 50).completed(2);
            rank.call(on_nobody(Call::Wait), now + 100_060, 50).completed(1)
        });
    }
    let said = said(rank.into());
    assert!(said["protocols"].as_array().unwrap().is_empty(), "{said:#}");
}

#[test]
fn loggp_is_given_where_a_run_has_what_it_needs_and_the_reason_where_not() {
    let said = Planted { time: |bytes| 800.0 + 0.25 * bytes as f64, noise: 0.0, seed: 0 }.ordered();
    is_within(figure(parameter(&said, "send_overhead"), "value_s"), 100e-9, 0.01);
    is_within(figure(parameter(&said, "gap_per_mebibyte"), "value_s"), 0.25e-9 * f64::from(1 << 20), 0.02);
    for name in ["gap", "receive_overhead", "network_latency"] {
        let row = if name == "network_latency" { parameter(&said, "latency") } else { parameter(&said, name) };
        assert_eq!(row["value_s"], Value::Null, "{row}");
        assert!(row["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{row}");
    }
    // Rank 0 sends a series, 400 ns each, to a rank that waits; then rank 1 sends, and rank 0 receives only later. A round trip
    // takes 2 µs.
    let series = |bytes: u64, small: u64| {
        let (mut zero, mut one) = (Calls::default(), Calls::default());
        for message in 0..100 {
            let now = 1_000 + message * 400;
            zero = zero.call(send(Call::Send, 1, bytes), now, 300);
            one = one.call(receive(0, bytes), now - 100, 350);
        }
        for message in 0..20 {
            let now = 1_000_000 + message * 1_000_000;
            one = one.call(send(Call::Send, 0, bytes), now, 300);
            zero = zero.call(receive(1, bytes), now + 500_000, 200);
        }
        for message in 0..20 {
            let now = 30_000_000 + message * 100_000;
            zero = zero.call(send(Call::Send, 1, small), now, 305).call(receive(1, small), now + 310, 1_690);
            one = one.call(receive(0, small), now - 50, 1_050).call(send(Call::Send, 0, small), now + 1_010, 305);
        }
        self::said(vec![zero, one])
    };
    let larger = series(1_025, 1_026);
    for name in ["gap", "receive_overhead", "send_overhead", "latency"] {
        assert_eq!(parameter(&larger, name)["value_s"], Value::Null, "more than 1 KiB");
    }
    let said = series(1_024, 8);
    is_within(figure(parameter(&said, "gap"), "value_s"), 400e-9, 0.001);
    is_within(figure(parameter(&said, "send_overhead"), "value_s"), 300e-9, 0.001);
    is_within(figure(parameter(&said, "receive_overhead"), "value_s"), 200e-9, 0.001);
    is_within(figure(parameter(&said, "latency"), "value_s"), 500e-9, 0.03);
}

#[test]
fn a_large_count_send_tells_the_overhead_of_sending_as_the_small_one_does() {
    let (mut zero, mut one) = (Calls::default(), Calls::default());
    for message in 0..100 {
        let now = 1_000 + message * 1_000;
        zero = zero.call(send(Call::Send.large(), 1, 64), now, 300);
        one = one.call(receive(0, 64), now - 100, 800);
    }
    let said = self::said(vec![zero, one]);
    is_within(figure(parameter(&said, "send_overhead"), "value_s"), 300e-9, 0.001);
}

#[test]
fn network_answers_to_its_old_name_and_its_json_keeps_it() {
    let zero = Calls::default().call(send(Call::Send, 1, 8), 10, 100);
    let one = Calls::default().call(receive(0, 8), 10, 200);
    let (folder, _) = made(vec![zero, one], 2);
    let [new, old] = ["network", "model"].map(|name| overhear(name, &folder.0, &["--format", "json"]).stdout);
    assert_eq!(new, old);
    let said: Value = serde_json::from_slice(&new).unwrap();
    assert_eq!(said["schema"], "overhear-model/2");
}

#[test]
fn a_run_without_messages_says_what_network_needs() {
    let barrier = || Calls::default().call(on_nobody(Call::Barrier), 10, 100);
    let (folder, _) = made(vec![barrier(), barrier()], 2);
    let output = overhear("network", &folder.0, &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("MPI_Barrier 2"), "{}", stderr(&output));
    let alone = Calls::default().call(signature(0, Call::Send, peer::PROC_NULL, 8, 0), 10, 100);
    let (folder, _) = made(vec![alone], 1);
    assert_eq!(overhear("network", &folder.0, &[]).status.code(), Some(3));
}

/// Windows of 16 messages that take a nanosecond per 4 bytes, waited for together and answered by 1 KiB; if
/// `crosses`, the partner sends as many instead. Receives have room for `room` messages. `pause` nanoseconds lie between windows.
fn windows(crosses: bool, room: u64, pause: u64) -> Vec<Calls> {
    const WINDOW: u64 = 16;
    let (mut ranks, mut now) = ([Calls::default(), Calls::default()], 1_000);
    for bytes in (10..=16).map(|power| 1u64 << power) {
        let took = WINDOW * bytes / 4;
        ranks = ranks.map(|rank| rank.call(on_nobody(Call::Barrier), now, 500));
        now += 600;
        for _ in 0..30 {
            let window = |calls: Calls, functions: &[Call], other: i32| {
                let posts = functions.iter().flat_map(|function| std::iter::repeat_n(*function, WINDOW as usize));
                let count = functions.len() as u64 * WINDOW;
                let size = |function| if function == Call::Irecv { room * bytes } else { bytes };
                let posted = posts.zip(0..).fold(calls, |calls, (function, at)| {
                    calls.call(begins(function, other, size(function)), now + 20 * at, 15)
                });
                let waited = posted.call(on_nobody(Call::Waitall), now + 20 * count, took - 20 * count);
                (1..=count).rev().fold(waited, Calls::completed)
            };
            let [zero, one] = ranks;
            ranks = if crosses {
                let both = [Call::Irecv, Call::Isend];
                [window(zero, &both, 1), window(one, &both, 0)]
            } else {
                let zero = window(zero, &[Call::Isend], 1).call(receive(1, 1_024), now + took, 400);
                [zero, window(one, &[Call::Irecv], 0).call(send(Call::Send, 0, 1_024), now + took, 300)]
            };
            now += took + pause + if crosses { 100 } else { 450 };
        }
        now += 50_000;
    }
    ranks.into()
}

#[test]
fn windows_answered_by_one_message_and_windows_that_cross_have_their_bandwidth() {
    for (crosses, pattern, messages) in [(false, "window", 1.0), (true, "crossing_windows", 2.0)] {
        let said = said(windows(crosses, 1, 0));
        let sizes = rows(&said, "sizes", pattern);
        assert_eq!(sizes.len(), 7, "{said:#}");
        for row in sizes {
            let bytes = figure(row, "size_bytes");
            let between = if crosses { 100.0 } else { 450.0 };
            let share = (4.0 * bytes + between) / 16.0 / 1e9;
            is_within(figure(row, "time_mean_s"), share, 0.02);
            is_within(figure(row, "bandwidth_mean_bytes"), messages * bytes / share, 0.02);
        }
        let [whole] = rows(&said, "protocols", pattern)[..] else { panic!("{said:#}") };
        assert!(whole["latency_s"].is_null() && whole["changes_at"].as_str().is_none_or(str::is_empty), "{whole:#}");
        assert_eq!(whole["line_reason"], "messages of a window hide each other's latency");
        assert!(figure(&said["run"], "window_messages") > 0.0);
    }
    // The two ranks tell different sizes.
    assert_eq!(said(windows(false, 2, 0))["run"]["window_messages"], 0);
}

#[test]
fn exchanges_with_computation_between_are_single_ones_also_after_many_other_calls() {
    let one = |with: i32| {
        let begun = (0..1_000).fold(Calls::default(), |calls, at| calls.call(on_nobody(Call::Barrier), 200 * at, 100));
        (0..20).fold(begun, |calls, at| calls.call(sendrecv(with), 1_000_000 + 12_000 * at, 1_500).got(with, 64))
    };
    let (_folder, run) = made(vec![one(1), one(0)], 2);
    let found = exchanges(&run, &run.common_clock()).exchanges;
    assert_eq!(found.iter().map(|streak| streak.count).collect::<Vec<_>>(), [1; 20]);
}

#[test]
fn windows_that_follow_each_other_are_one_row_and_computation_parts_them() {
    for crosses in [false, true] {
        // Of windows with computation behind them only those before a barrier are windows.
        for (pause, windows_of_each) in [(0, 30), (50_000, 1)] {
            let (_folder, run) = made(windows(crosses, 1, pause), 2);
            let found = exchanges(&run, &run.common_clock()).windows;
            let counts: Vec<u64> = found.iter().map(|row| row.count).collect();
            assert_eq!(counts, [windows_of_each; 7], "crosses: {crosses}, {pause} ns between");
        }
    }
}

#[test]
fn a_time_from_few_of_a_sizes_exchanges_or_windows_is_not_told_and_why_and_their_number_stands_beside_it() {
    let of = |undisturbed: u64| {
        let one = |with: i32| {
            (0..200).fold(Calls::default(), |calls, exchange| {
                let now = 1_000 + 200_000 * exchange;
                let wait = now + if exchange < undisturbed { 120 } else { 100_000 };
                let calls = calls.call(begins(Call::Irecv, with, 64), now, 50);
                let calls = calls.call(begins(Call::Isend, with, 64), now + 60, 50);
                let calls = calls.call(on_nobody(Call::Wait), wait, 1_000).completed(2);
                calls.call(on_nobody(Call::Wait), wait + 1_010, 50).completed(1)
            })
        };
        let said = said(vec![one(1), one(0)]);
        let row = rows(&said, "sizes", "unordered")[0].clone();
        (row, said["warnings"].to_string())
    };
    let (few, warnings) = of(8);
    assert!(few["time_s"].is_null() && few["bandwidth_mean_bytes"].is_null(), "{few:#}");
    assert!(few["reason"].as_str().is_some_and(|why| why.contains("one in 20")), "{few:#}");
    assert!(warnings.contains("1 row without times"), "{warnings}");
    let (enough, warnings) = of(40);
    assert!(enough["time_s"].is_number() && enough["reason"].is_null(), "{enough:#}");
    assert!(!warnings.contains("without times"), "{warnings}");
    for (row, told) in [(few, 8), (enough, 40)] {
        assert_eq!((&row["count"], &row["all_count"]), (&told.into(), &200.into()), "{row:#}");
    }
}

#[test]
fn windows_that_one_call_starts_and_one_completes_may_have_time_for_each_message_between_the_calls() {
    // Recording a call that starts 64 requests takes 2 µs, and a message 64 ns: more than 0.3 µs for each call and a twentieth.
    const WINDOW: u64 = 64;
    let creates =
        |function, with, sent, received| Signature { flags: CREATES, ..signature(0, function, with, sent, received) };
    let of = |function, other: i32, sent, received| {
        let mut calls = (0..WINDOW)
            .fold(Calls::default(), |calls, at| calls.call(creates(function, other, sent, received), 100 * at, 50));
        for window in 0..100 {
            let now = 100_000 + 8_000 * window;
            calls = calls.call(on_nobody(Call::Startall), now, 1_000);
            calls = (0..WINDOW).fold(calls, |calls, _| calls.started(WINDOW * (window + 1)));
            calls = calls.call(on_nobody(Call::Waitall), now + 3_000, 1_100);
            calls = (0..WINDOW).fold(calls, |calls, at| calls.completed(WINDOW - at));
            calls = match sent {
                0 => calls.call(send(Call::Send, other, 4), now + 6_100, 1_700),
                _ => calls.call(receive(other, 4), now + 6_100, 1_800),
            };
        }
        calls
    };
    let said = said(vec![of(Call::Send_init, 1, 1_024, 0), of(Call::Recv_init, 0, 0, 1_024)]);
    let [row] = rows(&said, "sizes", "window")[..] else { panic!("{said:#}") };
    assert_eq!((&row["count"], &row["all_count"]), (&(100 * WINDOW).into(), &(100 * WINDOW).into()), "{row:#}");
    is_within(figure(row, "time_mean_s"), 8e-6 / WINDOW as f64, 0.02);
}

fn sendrecv(with: i32) -> Signature {
    Signature { source: with, ..signature(0, Call::Sendrecv, with, 64, 64) }
}

/// Exchanges in each streak, and how many exchanges one rank alone tells of.
fn streaks(ranks: Vec<Calls>) -> (Vec<u64>, u64) {
    let size = ranks.len() as u32;
    let (_folder, run) = made(ranks, size);
    let found = exchanges(&run, &run.common_clock());
    (found.exchanges.iter().map(|streak| streak.count).collect(), found.unpaired)
}

#[test]
fn exchanges_that_one_rank_alone_tells_of_or_at_another_time_are_left_out_and_counted() {
    const NOW: u64 = 1_000_000;
    for (zero, one, found) in [
        (&[NOW][..], &[NOW][..], (vec![20], 0)),
        (&[NOW], &[], (vec![], 20)),
        (&[], &[NOW], (vec![], 20)),
        (&[NOW], &[NOW + 10_000], (vec![20], 0)),
        (&[NOW], &[NOW + 30_000], (vec![], 40)),
        (&[NOW - 500_000, NOW], &[NOW], (vec![20], 20)),
        (&[NOW], &[NOW - 500_000, NOW], (vec![20], 20)),
    ] {
        let exchanging = |with: i32, begins: &[u64]| {
            let times = begins.iter().flat_map(|begin| (0..20).map(move |at| begin + 2_000 * at));
            times.fold(Calls::default(), |calls, at| calls.call(sendrecv(with), at, 1_900).got(with, 64))
        };
        assert_eq!(streaks(vec![exchanging(1, zero), exchanging(0, one)]), found, "{zero:?} {one:?}");
    }
}

#[test]
fn a_message_to_another_rank_between_two_exchanges_is_no_part_of_either() {
    let [mut zero, mut one, mut two] = [Calls::default(), Calls::default(), Calls::default()];
    for exchange in 0..10 {
        let now = 1_000 + 3_000 * exchange;
        zero = zero.call(sendrecv(1), now, 1_900).got(1, 64).call(send(Call::Send, 2, 8), now + 1_950, 1_000);
        one = one.call(sendrecv(0), now, 2_900).got(0, 64);
        two = two.call(receive(0, 8), now + 1_950, 1_000);
    }
    assert_eq!(streaks(vec![zero, one, two]), (vec![1; 10], 0));
}

#[test]
fn a_series_of_sends_counts_also_where_a_rank_does_nothing_behind_it() {
    let sends = (0..20).fold(Calls::default(), |calls, at| calls.call(send(Call::Send, 1, 64), 1_000 + 400 * at, 300));
    let (_folder, run) = made(vec![sends, Calls::default()], 2);
    let found = exchanges(&run, &run.common_clock()).sends;
    let [row] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((row.rank, row.peer, row.bytes, row.count, row.time), (0, 1, 64, 20, 19 * 400));
}

#[test]
fn short_messages_that_take_a_bit_longer_from_a_size_on_are_no_change_of_protocol() {
    // A step of 150 ns, as beyond a cache line.
    let time = |bytes: u64| 400.0 + if bytes > 64 { 150.0 } else { 0.0 } + bytes as f64 / 4.0;
    let said = Planted { time, noise: 0.02, seed: 3 }.ordered();
    let [whole] = rows(&said, "protocols", "ordered")[..] else { panic!("{said:#}") };
    assert!(whole["changes_at"].as_str().is_none_or(str::is_empty), "{whole:#}");
}

#[test]
fn a_gap_for_each_byte_that_the_times_do_not_tell_is_not_printed_and_why() {
    // All sizes take the same time, except for noise.
    let said = Planted { time: |_| 20_000.0, noise: 0.3, seed: 5 }.ordered();
    let gap = parameter(&said, "gap_per_mebibyte");
    assert!(gap["value_s"].is_null() && gap["reason"].as_str().is_some_and(|why| !why.is_empty()), "{gap:#}");
}

#[test]
fn one_way_times_of_a_size_are_left_out_where_hardly_any_receiver_waited() {
    // Rank 1 waits for the first of 100 messages, and receives the others 5 us after they were sent.
    let waited_for = |first: u64| {
        let (mut zero, mut one) = (Calls::default(), Calls::default());
        for message in 0..100 {
            let now = 1_000 + 10_000 * message;
            zero = zero.call(send(Call::Send, 1, 64), now, 300);
            one = if message < first {
                one.call(receive(0, 64), now - 500, 1_500)
            } else {
                one.call(receive(0, 64), now + 5_000, 200)
            };
        }
        let said = said(vec![zero, one]);
        let is_told = said["warnings"].to_string().contains("nearly all messages of their size came before");
        (rows(&said, "sizes", "one_way").len(), is_told)
    };
    assert_eq!([4, 6].map(waited_for), [(0, true), (1, false)]);
}

#[test]
fn empty_messages_by_which_ranks_tell_that_they_are_ready_are_no_part_of_an_exchange() {
    let count = |ready: u64| {
        let (mut zero, mut one) = (Calls::default(), Calls::default());
        for exchange in 0..50 {
            let now = 1_000 + 4_000 * exchange;
            let tells = |calls: Calls, to| calls.call(send(Call::Send, to, 0), now, 100);
            let hears = |calls: Calls, from| calls.call(receive(from, 0), now, 300);
            (zero, one) = match ready {
                0 => (tells(zero, 1), hears(one, 0)),
                _ => (hears(zero, 1), tells(one, 0)),
            };
            zero = zero.call(send(Call::Send, 1, 64), now + 310, 100).call(receive(1, 64), now + 420, 3_570);
            one = one.call(receive(0, 64), now + 310, 1_690).call(send(Call::Send, 0, 64), now + 2_010, 100);
        }
        let said = said(vec![zero, one]);
        let [ordered] = rows(&said, "sizes", "ordered")[..] else { panic!("{said:#}") };
        assert_eq!(ordered["size_bytes"], 64, "{ordered:#}");
        is_within(figure(ordered, "time_s"), 4e-6, 0.01);
        ordered["count"].as_u64().unwrap()
    };
    assert_eq!([0, 1].map(count), [50, 50]);
}

#[test]
fn a_gap_for_each_byte_is_given_if_the_times_tell_it_to_within_half_of_it() {
    let gap = |slope: f64| {
        let said = Planted { time: |bytes| 20_000.0 + slope * bytes as f64, noise: 0.6, seed: 7 }.ordered();
        let gap = parameter(&said, "gap_per_mebibyte").clone();
        ["value_s", "value_most_s"].map(|key| gap[key].as_f64())
    };
    let [Some(told), Some(most)] = gap(0.01) else { panic!("{:?}", gap(0.01)) };
    assert!((0.45..=0.5).contains(&((most - told) / told)), "{told} to {most}");
    assert_eq!(gap(0.005), [None, None]);
}
