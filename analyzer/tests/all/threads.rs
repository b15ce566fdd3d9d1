//! Threads of a rank that call at the same time: no record shows which message went to which of them.

use crate::common::made::{Calls, account, command, is_whole, moved, on_nobody, receive, send, told, write_threads};
use crate::common::{Folder, signature, stdout};
use model::Run;
use model::matching::{Follow, Settled, WaitState, settled};
use model::shared_walk::SharedWalk;
use traces::calls::Call;
use traces::signature::{STARTS, Signature};

/// Pseudo-random numbers below a bound.
fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

/// Calls (thread, begin, end) of several threads, in the order in which they reached MPI, somewhere within each: the
/// first free thread calls next.
fn at_once(threads: u64, calls: u64, mut end: impl FnMut(usize, u64) -> u64, state: &mut u64) -> Vec<(u32, u64, u64)> {
    let mut free = vec![100; threads as usize];
    let mut made = Vec::new();
    let mut came = 0;
    for number in 0..calls {
        let thread = (0..free.len()).min_by_key(|thread| free[*thread]).unwrap();
        let begin = free[thread] + random(state, 300);
        came = came.max(begin) + random(state, 40);
        let end = end(number as usize, came) + random(state, 500);
        free[thread] = end + 1;
        made.push((thread as u32, begin, end));
    }
    made
}

#[test]
fn messages_of_threads_that_call_at_once_do_not_run_backwards_and_cause_no_wait() {
    let mut uncertain = 0;
    for seed in 0..20 {
        let mut state = seed;
        let (senders, receivers) = [(4, 4), (4, 1), (1, 4)][seed as usize % 3];
        let mut came = Vec::new();
        let sends = at_once(
            senders,
            300,
            |_, at| {
                came.push(at);
                at
            },
            &mut state,
        );
        let receives = at_once(receivers, 300, |number, at| at.max(came[number]), &mut state);
        let folder = Folder::new();
        write_threads(&folder, 0, |_| send(Call::Send, 1, 8), &sends);
        write_threads(&folder, 1, |_| signature(0, Call::Recv, 0, 0, 8), &receives);
        let run = Run::load(&folder.0).unwrap();
        let account = account(&run, Follow::empty());
        let of_threads: u64 = account.uncertain.values().sum();
        assert_eq!((moved(&account), account.backwards()), (vec![((0, 1), [300, 2400, 2400])], 0), "seed {seed}");
        assert!(is_whole(&account), "seed {seed}");
        assert!(of_threads > 100, "seed {seed}: {of_threads}");
        uncertain += of_threads;
        let said = stdout(&command(&folder.0, "check")).replace("\n  ", " ");
        assert!(said.contains("messages that several threads sent or received at the same time"), "{said}");
    }
    assert!(uncertain > 0);
}

#[test]
fn a_wait_for_several_messages_is_known_though_some_are_of_threads_that_called_at_once() {
    let folder = Folder::new();
    let isend = Signature { flags: STARTS, ..send(Call::Isend, 1, 8) };
    let post = |calls: Calls, at: u64| calls.call(receive(1), 1_000 + 200 * at, 50).call(isend, 1_100 + 200 * at, 50);
    let waited = (0..3u64).fold(Calls::default(), post).call(on_nobody(Call::Waitall), 2_000, 49_000);
    (1..=6).rev().fold(waited, Calls::completed).write(&folder, 0, 2);
    let sendrecv = Signature { source: 0, source_tag: 5, received: 8, ..send(Call::Sendrecv, 0, 8) };
    write_threads(&folder, 1, |_| sendrecv, &[(0, 5_000, 9_000), (1, 6_000, 8_000), (0, 50_000, 51_000)]);
    let run = Run::load(&folder.0).unwrap();
    let account = account(&run, Follow::empty());
    assert_eq!(account.uncertain.values().sum::<u64>(), 4);
    assert_eq!(told(&run, &account), [(WaitState::LateSender, 0, "MPI_Waitall", 1, "MPI_Sendrecv", 48_000)]);
}

#[test]
fn threads_that_call_in_turn_or_by_other_tags_are_certain() {
    let folder = Folder::new();
    let in_turn = |first: u64| (0..50).map(move |at| (at as u32 % 3, first + 1_000 * at, first + 1_000 * at + 900));
    write_threads(&folder, 0, |_| send(Call::Send, 1, 8), &in_turn(1_000).collect::<Vec<_>>());
    write_threads(&folder, 1, |_| signature(0, Call::Recv, 0, 0, 8), &in_turn(500).collect::<Vec<_>>());
    let run = Run::load(&folder.0).unwrap();
    let account = account(&run, Follow::empty());
    assert_eq!((moved(&account), account.backwards()), (vec![((0, 1), [50, 400, 400])], 0));
    assert!(account.uncertain.is_empty() && is_whole(&account), "{:?}", account.uncertain);
    assert_eq!(told(&run, &account), [(WaitState::LateSender, 1, "MPI_Recv", 0, "MPI_Send", 50 * 500)]);
}

/// The account of messages from rank 0 to rank 1, each thread's by a tag of its own: calls as (thread, begin, end).
fn by_own_tags(sends: &[(u32, u64, u64)], receives: &[(u32, u64, u64)], follow: Follow) -> (Run, Settled) {
    let folder = Folder::new();
    let of_thread = |of: Signature| move |thread| Signature { tag: thread as i32, ..of };
    write_threads(&folder, 0, of_thread(send(Call::Send, 1, 8)), sends);
    write_threads(&folder, 1, of_thread(signature(0, Call::Recv, 0, 0, 8)), receives);
    let run = Run::load(&folder.0).unwrap();
    let settled = settled(&run, follow);
    (run, settled)
}

#[test]
fn a_message_that_another_thread_receives_is_not_there_for_the_one_that_waits() {
    let sends = [(1, 100, 200), (0, 5_000, 5_100), (0, 7_000, 7_100), (0, 9_000, 9_100)];
    let receives = [(0, 1_000, 5_200), (1, 6_000, 6_100), (0, 7_500, 7_600), (0, 9_500, 9_600)];
    let (run, settled) = by_own_tags(&sends, &receives, Follow::empty());
    assert_eq!(told(&run, &settled.account), [(WaitState::LateSender, 1, "MPI_Recv", 0, "MPI_Send", 4_000)]);
}

#[test]
fn waits_of_other_threads_are_not_laid_to_what_first_threads_do() {
    let mut blamed = Vec::new();
    for thread in [0, 1] {
        let sends = [(0, 100, 200), (thread, 5_000, 5_100), (0, 9_000, 9_100)];
        let receives = [(0, 300, 400), (thread, 1_000, 5_200), (0, 9_500, 9_600)];
        let (run, mut settled) = by_own_tags(&sends, &receives, Follow::ORIGINS | Follow::JUMPS);
        let waited: i64 = settled.account.waits.sums.values().map(|sum| sum.time).sum();
        assert_eq!(waited, 4_000);
        let walk = SharedWalk::of(&run, &mut settled);
        blamed.push((walk.origins.activities.values().map(|times| times.blamed).sum::<i64>(), walk.path.stretches));
    }
    assert_eq!(blamed, [(4_000, 2), (0, 1)]);
}
