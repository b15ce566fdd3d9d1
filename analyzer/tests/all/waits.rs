//! The account of a run: messages with their receives, and who waited for whom how long.

use std::collections::BTreeMap;
use std::fs;

use crate::common::made::{Calls, account, command, made, on_nobody, on_one_processor, receive, send, told};
use crate::common::stories::{collective, epoch, on_object};
use crate::common::{Folder, signature, stdout};
use metrics::{pop, rank_time};
use model::matching::{Account, Follow, RankPair, WaitState, WaitSum};
use model::{Choice, Run};
use synthetic::{KnownTotals, KnownWaits, Shape, Topology, Truth, run};
use tables::{Sheet, Unit};
use traces::calls::{Call, Class};
use traces::definitions::{Definition, Group, Object, ObjectKind, Origin, Span};
use traces::folder::file_name;
use traces::signature::{STARTS, Signature, peer};

const SHAPE: Shape = Shape { ranks: 12, calls: 3_000, topology: Topology::Torus, seed: 3 };
const SHAPES: [Shape; 3] =
    [SHAPE, Shape { ranks: 7, topology: Topology::Ring, ..SHAPE }, Shape { ranks: 2, seed: 8, ..SHAPE }];

/// A synthetic run, loaded, and the generator's truth.
fn generated(shape: &Shape) -> (Folder, Run, Truth) {
    let folder = Folder::new();
    let truth = run(&folder.0, shape).unwrap();
    let run = Run::load(&folder.0).unwrap();
    (folder, run, truth)
}

/// Waits of one rank, or of all, in some states.
fn waits(account: &Account, rank: Option<usize>, states: &[WaitState]) -> KnownWaits {
    let is_meant = |at: u32| rank.is_none_or(|rank| rank == at as usize);
    let sums = account.waits.sums.iter().filter(|(key, _)| states.contains(&key.state) && is_meant(key.waiter.rank));
    let add = |all: KnownWaits, (_, sum): (_, &WaitSum)| KnownWaits {
        calls: all.calls + sum.count,
        ticks: all.ticks + sum.time as u64,
    };
    sums.fold(KnownWaits::default(), add)
}

/// The account's waits, in the generator's groups.
fn all_waits(account: &Account, rank: Option<usize>) -> [KnownWaits; 4] {
    let late = [WaitState::LateSender, WaitState::WrongOrder];
    let others = [WaitState::WaitAtNxn, WaitState::LateBroadcast, WaitState::WaitAtBarrier];
    let [nxn, broadcast, barrier] = others.map(|state| waits(account, rank, &[state]));
    [waits(account, rank, &late), nxn, broadcast, barrier]
}

fn all_true(truth: &KnownTotals) -> [KnownWaits; 4] {
    [truth.late_sender, truth.wait_at_nxn, truth.late_broadcast, truth.wait_at_barrier]
}

#[test]
fn the_waits_of_every_rank_are_those_of_the_synthetic_run() {
    for shape in SHAPES {
        let (_folder, run, truth) = generated(&shape);
        let account = account(&run, Follow::empty());
        assert_eq!(all_waits(&account, None), all_true(&truth.total), "{shape:?}");
        for (at, rank) in truth.ranks.iter().enumerate() {
            assert_eq!(all_waits(&account, Some(at)), all_true(rank), "rank {at} of {shape:?}");
        }
        // All ranks share a clock here, so every wait is resolved.
        assert!(account.waits.unresolved.is_empty(), "{shape:?}: {:?}", account.waits.unresolved);
        let nothing = [WaitState::EarlyReduce, WaitState::EarlyScan, WaitState::WaitAtFence, WaitState::WaitAtCreate];
        assert_eq!(waits(&account, None, &nothing), KnownWaits::default(), "{shape:?}");
    }
}

#[test]
fn the_parts_of_a_ranks_time_add_up_and_its_waiting_is_all_that_it_waited() {
    let (_folder, run, truth) = generated(&SHAPE);
    let account = account(&run, Follow::empty());
    let sheet = Sheet::from(rank_time::table(&run, Some(&account)));
    assert_eq!(sheet.rows.len(), truth.ranks.len());
    for row in 0..sheet.rows.len() {
        let of_rank = account.waits.sums.iter().filter(|(key, _)| key.waiter.rank as usize == row);
        let waited: i64 = of_rank.map(|(_, sum)| sum.time).sum();
        let found = sheet.number(row, "waiting_s").unwrap();
        assert!(waited > 0 && (found - waited as f64 / 1e9).abs() < 1e-9, "rank {row}: {found}, not {waited} ns");
        let times = sheet.columns.iter().filter(|column| column.unit == Unit::Seconds);
        let all: f64 = times.filter_map(|column| sheet.number(row, &column.key)).sum();
        assert!((all - run.ranks[row].wall()).abs() < 1e-9, "rank {row}: {all}");
    }
}

#[test]
fn all_messages_and_collective_calls_of_a_synthetic_run_find_their_partners() {
    for shape in SHAPES {
        let (_folder, run, truth) = generated(&shape);
        let account = account(&run, Follow::empty());
        let sum = |of: fn(&RankPair) -> u64| account.pairs.values().map(of).sum::<u64>();
        let found = [sum(|pair| pair.messages), sum(|pair| pair.sent), sum(|pair| pair.received)];
        assert_eq!(found, [truth.total.messages, truth.total.bytes, truth.total.bytes], "{shape:?}");
        assert_eq!(account.collectives, collectives(&run), "{shape:?}");
        assert_eq!(account.backwards(), 0, "{shape:?}");
        assert!(account.unreceived.is_empty() && account.unsent.is_empty() && account.elsewhere == 0, "{shape:?}");
        assert!(account.rest.waiting.is_empty() && account.rest.confused.is_empty(), "{:?}", account.rest);
    }
}

/// Collective calls, each counted once for all its ranks.
fn collectives(run: &Run) -> u64 {
    let mut of_size: BTreeMap<u32, u64> = BTreeMap::new();
    for rank in &run.ranks {
        for entry in rank.entries() {
            let call = Call::from_number(entry.signature.call).unwrap();
            if call.class() == Class::Collective || call == Call::Comm_split {
                let members = &rank.members[&entry.signature.object];
                *of_size.entry(members.local.iter().map(|span| span.count).sum()).or_default() += entry.count;
            }
        }
    }
    of_size.into_iter().map(|(size, calls)| calls / u64::from(size)).sum()
}

/// Everything an account says of a run, in canonical order.
fn said(run: &Run) -> String {
    let account = account(run, Follow::empty());
    let sums: BTreeMap<_, _> = account.waits.sums.iter().collect();
    let pairs: BTreeMap<_, _> = account.pairs.iter().collect();
    format!("{sums:#?}{pairs:#?}{}", account.collectives)
}

#[test]
fn the_account_does_not_change_with_the_number_of_workers() {
    let (_folder, run, _) = generated(&SHAPE);
    let alone = on_one_processor(|| said(&run));
    for _ in 0..5 {
        assert!(said(&run) == alone, "the same run makes two accounts");
    }
}

#[test]
fn the_factors_of_efficiency_lie_below_one_and_multiply_up() {
    for shape in SHAPES {
        let (_folder, run, truth) = generated(&shape);
        let efficiency = pop::efficiencies(&run, &account(&run, Follow::DEPENDENCIES)).0;
        let whole = Run::select(&run.folder, &Choice { whole: true, ..Choice::default() }).unwrap();
        for (useful, (rank, truth)) in efficiency.useful.iter().zip(whole.ranks.iter().zip(&truth.ranks)) {
            let of = |call: Call| rank.entries().find(|entry| entry.signature.call == call.number()).unwrap().total;
            // A call ends 200 ticks before the recording does.
            let between = rank.header.end.ticks - 200 - rank.header.ready.ticks - of(Call::Finalize);
            let expected = between - (truth.in_mpi - of(Call::Init) - of(Call::Finalize));
            assert!((useful - expected as f64 / 1e9).abs() < 1e-9, "{shape:?}: {useful} and not {expected}");
        }
        let (balance, communication) = (efficiency.load_balance(), efficiency.communication());
        let (serialization, transfer) = (efficiency.serialization(), efficiency.transfer());
        for factor in [balance, communication, serialization, transfer, efficiency.parallel()] {
            assert!(factor > 0.0 && factor <= 1.0, "{shape:?}: {efficiency:?}");
        }
        assert!((balance * communication - efficiency.parallel()).abs() < 1e-12, "{shape:?}");
        assert!((serialization * transfer - communication).abs() < 1e-12, "{shape:?}");
        // On an ideal network waits stay the same, and times of calls do not.
        assert!(serialization < 0.99 && transfer < 0.99, "{shape:?}: {efficiency:?}");
    }
}

#[test]
fn a_file_that_is_cut_leaves_the_waits_of_the_others() {
    let (folder, _, truth) = generated(&SHAPE);
    let path = folder.0.join(file_name(0, 5));
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() * 2 / 3]).unwrap();
    let run = Run::load(&folder.0).unwrap();
    assert!(run.is_partial());
    let account = account(&run, Follow::DEPENDENCIES);
    let messages: u64 = account.pairs.values().map(|pair| pair.messages).sum();
    assert!(messages > truth.total.messages / 2 && messages < truth.total.messages, "{messages}");
    assert!(!account.unreceived.is_empty() && !account.unsent.is_empty() && !account.rest.waiting.is_empty());
    for (at, rank) in truth.ranks.iter().enumerate() {
        let found = all_waits(&account, Some(at));
        let fits =
            |(found, whole): (&KnownWaits, &KnownWaits)| found.calls <= whole.calls && found.ticks <= whole.ticks;
        assert!(found.iter().zip(&all_true(rank)).all(fits), "rank {at}: {found:?} of {rank:?}");
        assert!(found[0].calls > 0, "rank {at}: {found:?}");
    }
    assert_eq!(command(&folder.0, "waits").status.code(), Some(4));
}

#[test]
fn ranks_that_call_different_functions_in_the_same_place_are_reported() {
    let reduces =
        Calls::default().call(on_nobody(Call::Barrier), 10_000, 500).call(on_nobody(Call::Allreduce), 20_000, 500);
    let waits =
        Calls::default().call(on_nobody(Call::Barrier), 100, 10_400).call(on_nobody(Call::Barrier), 20_000, 500);
    let (folder, run) = made(vec![reduces, waits], 2);
    let account = account(&run, Follow::DEPENDENCIES);
    assert_eq!((account.collectives, account.rest.confused.len()), (1, 1));
    let sums = told(&run, &account);
    assert!(sums.contains(&(WaitState::WaitAtBarrier, 1, "MPI_Barrier", 0, "MPI_Barrier", 9_900)), "{sums:?}");
    for name in ["waits", "check", "pop", "path"] {
        let output = command(&folder.0, name);
        let said = stdout(&output).replace("\n  ", " ");
        assert!(said.contains("the ranks' collective calls disagree on 1 communicator:"), "{name}: {said}");
        assert_eq!(output.status.code(), Some(u8::from(name == "check").into()), "{name}");
    }
}

#[test]
fn a_message_that_is_completed_beside_collective_calls_that_disagree_has_its_wait() {
    let starts = |function| Signature { flags: STARTS, ..on_nobody(function) };
    let agree = |function| Calls::default().call(starts(function), 100, 50);
    // Rank 0 waits for all three at once. Whichever rank comes first, the other finds that they disagree.
    for (function, other) in [(Call::Ibarrier, Call::Iallreduce), (Call::Iallreduce, Call::Ibarrier)] {
        for late in [10, 8_000] {
            let waits = agree(Call::Ibarrier)
                .call(receive(1), 200, 50)
                .call(starts(function), 300, 50)
                .call(on_nobody(Call::Waitall), 1_000, 9_000)
                .completed(3)
                .completed(2)
                .completed(1);
            let sends = agree(Call::Ibarrier)
                .call(starts(other), 300 + late, 50)
                .call(send(Call::Send, 0, 8), 9_000, 50)
                .call(on_nobody(Call::Waitall), 9_100, 50)
                .completed(2)
                .completed(1);
            let (_folder, run) = made(vec![waits, sends], 2);
            let account = on_one_processor(|| account(&run, Follow::empty()));
            assert_eq!(account.rest.confused.len(), 1);
            let sums = told(&run, &account);
            let waited = (WaitState::LateSender, 0, "MPI_Waitall", 1, "MPI_Send", 8_000);
            assert!(sums.contains(&waited), "{function:?} and {other:?}, {late}: {sums:?}");
        }
    }
}

#[test]
fn an_access_waits_for_the_late_post_at_its_begin_or_at_its_end_whichever_the_library_lasts_until() {
    let windows = |rank: i32| {
        let group = |number: u32| {
            let members = vec![Span { first: number as i32, count: 1, step: 1 }];
            Definition::Group(Group { number, members })
        };
        let object = Definition::Object(Object { number: 2, kind: ObjectKind::Window });
        let origin = Definition::Origin(Origin { number: 2, parent: 1, ordinal: 0 });
        Calls::default().defines(vec![object, origin, group(rank as u32 ^ 1)])
    };
    let call = |call| on_object(collective(call));
    let waits = |start: u64, complete: u64| {
        let origin =
            windows(0).call(epoch(Call::Win_start, 1), 1_000, start).call(call(Call::Win_complete), 50_000, complete);
        let target = windows(1).call(epoch(Call::Win_post, 0), 70_000, 100).call(call(Call::Win_wait), 71_000, 30_000);
        let (_folder, run) = made(vec![origin, target], 2);
        told(&run, &account(&run, Follow::empty()))
            .into_iter()
            .filter(|wait| wait.0 == WaitState::LatePost)
            .map(|(_, rank, function, cause, posts, time)| (rank, function.to_string(), cause, posts.to_string(), time))
            .collect::<Vec<_>>()
    };
    let late = |function: &str, time| vec![(0, function.to_string(), 1, "MPI_Win_post".to_string(), time)];
    assert_eq!(waits(100, 40_000), late("MPI_Win_complete", 20_000));
    assert_eq!(waits(100, 10_000), []);
}

#[test]
fn of_several_that_were_late_at_one_moment_the_same_is_always_told() {
    // The order of ranks depends on who calls first.
    for earlier in [0, 1] {
        let sender = |rank| {
            let begin = if rank == earlier { 10 } else { 20 };
            Calls::default().call(send(Call::Send, peer::PROC_NULL, 8), begin, 5).call(
                send(Call::Send, 2, 8),
                9_000,
                50,
            )
        };
        let receiver = Calls::default()
            .call(receive(0), 100, 50)
            .call(receive(1), 200, 50)
            .call(on_nobody(Call::Waitall), 1_000, 9_000)
            .completed(2)
            .completed(1);
        let (_folder, run) = made(vec![sender(0), sender(1), receiver], 3);
        let account = on_one_processor(|| account(&run, Follow::empty()));
        assert_eq!(told(&run, &account), [(WaitState::LateSender, 2, "MPI_Waitall", 1, "MPI_Send", 8_000)]);
    }
}

#[test]
fn an_ideal_network_takes_what_one_rank_computes_for_the_other() {
    let computes = Calls::default()
        .call(on_nobody(Call::Init), 0, 1_000)
        .call(send(Call::Send, 1, 8), 101_000, 9_000)
        .call(on_nobody(Call::Finalize), 111_000, 100_000);
    let waits = Calls::default()
        .call(on_nobody(Call::Init), 0, 1_000)
        .call(signature(0, Call::Recv, 0, 0, 8), 11_000, 110_000)
        .call(on_nobody(Call::Finalize), 181_000, 30_000);
    let (_folder, run) = made(vec![computes, waits], 2);
    let efficiency = pop::efficiencies(&run, &account(&run, Follow::DEPENDENCIES)).0;
    let near = |value: f64, nanoseconds: f64| (value * 1e9 - nanoseconds).abs() < 1e-3;
    // Rank 0 computes 100 us and another one; rank 1 10 us, waits for the first 100, and computes 60.
    assert!(near(efficiency.useful[0], 101_000.0) && near(efficiency.useful[1], 70_000.0), "{efficiency:?}");
    assert!(near(efficiency.time, 180_000.0) && near(efficiency.ideal, 160_000.0), "{efficiency:?}");
}

#[test]
fn ranks_that_spawn_processes_wait_for_the_one_that_computes_before_it_spawns() {
    let spawn = signature(0, Call::Comm_spawn, 0, 0, 0);
    let [late, waiting] = [(5_000_000, 1_000_000), (1_000_000, 5_000_000)];
    let ranks = [late, waiting].map(|(start, time)| Calls::default().call(spawn, start, time)).into();
    let (folder, run) = made(ranks, 2);
    let account = account(&run, Follow::empty());
    let told = told(&run, &account);
    let [(state, waiter, _, cause, _, time)] = told[..] else { panic!("{told:?}") };
    assert_eq!((state, waiter, cause, time), (WaitState::WaitAtCreate, 1, 0, 4_000_000));
    let path = stdout(&command(&folder.0, "path"));
    assert!(path.contains("0           5.000  83.3"), "{path}");
}

/// States of the waits of ranks that each enter one of these collective calls, and leave it, at these microseconds.
fn hand_over(call: Call, root: i32, bytes: u64, times: &[[u64; 2]]) -> Vec<(WaitState, u32, u32)> {
    let part = |[begin, end]: &[u64; 2]| {
        Calls::default().call(signature(0, call, root, bytes, bytes), 1_000 * begin, 1_000 * (end - begin))
    };
    let (_folder, run) = made(times.iter().map(part).collect(), times.len() as u32);
    let mut all: Vec<_> = account(&run, Follow::empty()).waits.sums.into_keys().collect();
    all.sort_unstable();
    all.iter().map(|key| (key.state, key.waiter.rank, key.cause.rank)).collect()
}

#[test]
fn ranks_whose_data_the_library_does_not_store_wait_until_the_last_one_comes_for_it() {
    use WaitState::{EarlyReduce, LateBroadcast, WaitToHandOver};
    assert_eq!(hand_over(Call::Bcast, 0, 10_000, &[[10, 52], [50, 52]]), [(WaitToHandOver, 0, 1)]);
    assert_eq!(hand_over(Call::Bcast, 0, 10_000, &[[10, 12], [50, 52]]), [], "it is stored");
    assert_eq!(hand_over(Call::Bcast, 0, 1_000, &[[10, 52], [50, 52]]), [], "every library stores so little");
    assert_eq!(hand_over(Call::Bcast, 1, 8, &[[10, 52], [50, 52]]), [(LateBroadcast, 0, 1)]);
    assert_eq!(hand_over(Call::Gather, 1, 10_000, &[[10, 52], [50, 52]]), [(WaitToHandOver, 0, 1)]);
    assert_eq!(hand_over(Call::Gather, 1, 10_000, &[[10, 12], [50, 52]]), [], "it is stored");
    // Rank 1 waits for what rank 2 hands on through it.
    let tree = [[10, 80], [10, 52], [50, 51]];
    assert_eq!(hand_over(Call::Reduce, 0, 10_000, &tree), [(EarlyReduce, 0, 2)]);
}
