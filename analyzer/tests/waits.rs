//! The ranks' calls become one account: messages with their receives, and who waited for whom how long.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use analyzer::metrics::pop;
use analyzer::model::Run;
use analyzer::model::matching::{Account, Follow, Pair, Sum, WaitState, settled};
use analyzer::model::roles::Spot;
use common::{BEGIN, Folder, definitions, header, signature, stdout};
use traces::calls::{Call, Class};
use traces::definitions::{Definition, Members, Occasion, SameClock, Span};
use traces::folder::file_name;
use traces::generate::{Neighbours, Shape, Totals, Truth, Waiting, run};
use traces::record::{self, Arrived, Fate, Kind};
use traces::signature::{STARTS, Signature, peer, tag};
use traces::write::{FileWriter, call};

const SHAPE: Shape = Shape { ranks: 12, calls: 3_000, neighbours: Neighbours::Torus, seed: 3 };
const SHAPES: [Shape; 3] =
    [SHAPE, Shape { ranks: 7, neighbours: Neighbours::Ring, ..SHAPE }, Shape { ranks: 2, seed: 8, ..SHAPE }];

/// A synthetic run, read, and what it says of itself.
fn generated(shape: &Shape) -> (Folder, Run, Truth) {
    let folder = Folder::new();
    let truth = run(&folder.0, shape).unwrap();
    let run = Run::load(&folder.0).unwrap();
    (folder, run, truth)
}

fn account(run: &Run, follow: Follow) -> Account {
    settled(run, follow).unwrap().account
}

/// Waits of one rank, or of all, in some states.
fn waits(account: &Account, rank: Option<usize>, states: &[WaitState]) -> Waiting {
    let is_meant = |at: u32| rank.is_none_or(|rank| rank == at as usize);
    let sums = account.waits.sums.iter().filter(|(key, _)| states.contains(&key.state) && is_meant(key.waiter.rank));
    let add = |all: Waiting, (_, sum): (_, &Sum)| Waiting {
        calls: all.calls + sum.count,
        ticks: all.ticks + sum.time as u64,
    };
    sums.fold(Waiting::default(), add)
}

/// The same as the generator says it.
fn all_waits(account: &Account, rank: Option<usize>) -> [Waiting; 4] {
    let late = [WaitState::LateSender, WaitState::WrongOrder];
    let others = [WaitState::WaitAtNxn, WaitState::LateBroadcast, WaitState::WaitAtBarrier];
    let [nxn, broadcast, barrier] = others.map(|state| waits(account, rank, &[state]));
    [waits(account, rank, &late), nxn, broadcast, barrier]
}

fn all_true(truth: &Totals) -> [Waiting; 4] {
    [truth.late_sender, truth.wait_at_nxn, truth.late_broadcast, truth.wait_at_barrier]
}

#[test]
fn the_waits_of_every_rank_are_those_of_the_synthetic_run() {
    for shape in SHAPES {
        let (_folder, run, truth) = generated(&shape);
        let account = account(&run, Follow::Sums);
        assert_eq!(all_waits(&account, None), all_true(&truth.total), "{shape:?}");
        for (at, rank) in truth.ranks.iter().enumerate() {
            assert_eq!(all_waits(&account, Some(at)), all_true(rank), "rank {at} of {shape:?}");
        }
        // All ranks have one clock here, so that every wait stands out.
        assert!(account.waits.unresolved.is_empty(), "{shape:?}: {:?}", account.waits.unresolved);
        let nothing = [WaitState::EarlyReduce, WaitState::EarlyScan, WaitState::WaitAtFence, WaitState::WaitAtCreate];
        assert_eq!(waits(&account, None, &nothing), Waiting::default(), "{shape:?}");
    }
}

#[test]
fn all_messages_and_collective_calls_of_a_synthetic_run_find_their_partners() {
    for shape in SHAPES {
        let (_folder, run, truth) = generated(&shape);
        let account = account(&run, Follow::Sums);
        let sum = |of: fn(&Pair) -> u64| account.pairs.values().map(of).sum::<u64>();
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

/// Everything an account says of a run, in an order of its own.
fn said(run: &Run) -> String {
    let account = account(run, Follow::Sums);
    let sums: BTreeMap<_, _> = account.waits.sums.iter().collect();
    let pairs: BTreeMap<_, _> = account.pairs.iter().collect();
    format!("{sums:#?}{pairs:#?}{}", account.collectives)
}

/// Does something as on a machine with one processor.
fn on_one_processor<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let alone = || {
        // SAFETY: sets of processors are arrays of bits; this thread's is set to the one it runs on.
        unsafe {
            let mut processors: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(libc::sched_getcpu() as usize, &mut processors);
            assert_eq!(libc::sched_setaffinity(0, size_of_val(&processors), &processors), 0);
        }
        assert_eq!(thread::available_parallelism().unwrap().get(), 1);
        work()
    };
    thread::scope(|scope| scope.spawn(alone).join().unwrap())
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
        let efficiency = pop::efficiencies(&run, &mut account(&run, Follow::Dependencies)).0;
        for (useful, (rank, truth)) in efficiency.useful.iter().zip(run.ranks.iter().zip(&truth.ranks)) {
            let of = |call: Call| rank.entries().find(|entry| entry.signature.call == call.number()).unwrap().total;
            // A call is over 200 ticks before the recording is.
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
        // What a step waits for is the same on an ideal network, and what calls take is not.
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
    let account = account(&run, Follow::Dependencies);
    let messages: u64 = account.pairs.values().map(|pair| pair.messages).sum();
    assert!(messages > truth.total.messages / 2 && messages < truth.total.messages, "{messages}");
    assert!(!account.unreceived.is_empty() && !account.unsent.is_empty() && !account.rest.waiting.is_empty());
    for (at, rank) in truth.ranks.iter().enumerate() {
        let found = all_waits(&account, Some(at));
        let fits = |(found, whole): (&Waiting, &Waiting)| found.calls <= whole.calls && found.ticks <= whole.ticks;
        assert!(found.iter().zip(&all_true(rank)).all(fits), "rank {at}: {found:?} of {rank:?}");
        assert!(found[0].calls > 0, "rank {at}: {found:?}");
    }
    assert_eq!(command(&folder.0, "waits").status.code(), Some(4));
}

fn command(folder: &Path, name: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overhear")).arg(name).arg(folder).output().unwrap()
}

/// A rank's calls, made by hand. Its world is communicator 1, and all ranks have one clock.
#[derive(Default)]
struct Calls {
    signatures: Vec<Signature>,
    words: Vec<u64>,
    last: u64,
    recorded: Option<Vec<Span>>,
}

impl Calls {
    /// On a rank that recorded together with these alone.
    fn recorded_with(mut self, ranks: &[i32]) -> Calls {
        self.recorded = Some(ranks.iter().map(|rank| Span { first: *rank, count: 1, step: 1 }).collect());
        self
    }

    /// A call of so many nanoseconds from so many after the recording's begin.
    fn call(mut self, signature: Signature, start: u64, duration: u64) -> Calls {
        // Each has numbers of its own, with one for a request that is complete at once.
        let number = 1 + 2 * self.signatures.len() as u32;
        self.signatures.push(Signature { number, ..signature });
        self.last = call(&mut self.words, self.last.max(BEGIN), number, BEGIN + start, duration);
        self
    }

    /// The call completed the request that so many were begun after, counting its own beginning.
    fn completed(mut self, age: u64) -> Calls {
        self.words.push(record::requests(Kind::Completed, 1, age));
        self
    }

    /// And got this.
    fn got(mut self, source: i32, bytes: u64) -> Calls {
        self.words.extend(Arrived { source, tag: 5, bytes, fate: Fate::Whole }.words());
        self
    }

    /// And had been cancelled.
    fn cancelled(mut self) -> Calls {
        let arrived = Arrived { source: peer::ANY, tag: tag::ANY, bytes: 0, fate: Fate::Cancelled };
        self.words.extend(arrived.words());
        self
    }

    fn write(self, folder: &Folder, rank: u32, size: u32) {
        let mut file = FileWriter::begin(Vec::new(), header(rank, size)).unwrap();
        file.definitions(&definitions(size, rank as i32)).unwrap();
        let local = vec![Span { first: 0, count: size, step: 1 }];
        file.definitions(&[Definition::Members(Members { communicator: 1, local, remote: Vec::new() })]).unwrap();
        file.definitions(&self.recorded.map(Definition::Recorded).into_iter().collect::<Vec<_>>()).unwrap();
        if rank > 0 {
            let same = |when| Definition::SameClock(SameClock { when, peer: 0, within: 0 });
            file.definitions(&[Occasion::Init, Occasion::Finalize].map(same)).unwrap();
        }
        file.signatures(0, 0, &self.signatures).unwrap();
        file.events(0, 0, BEGIN, &self.words).unwrap();
        folder.write(&file_name(0, rank), &file.into_inner());
    }
}

/// A rank whose threads make calls of one kind each: of (thread, begin, end), in nanoseconds.
fn write_threads(folder: &Folder, rank: u32, of: Signature, calls: &[(u32, u64, u64)]) {
    let mut file = FileWriter::begin(Vec::new(), header(rank, 2)).unwrap();
    let all = Members { communicator: 1, local: vec![Span { first: 0, count: 2, step: 1 }], remote: Vec::new() };
    let mut definitions = definitions(2, rank as i32);
    definitions.push(Definition::Members(all));
    let same = |when| Definition::SameClock(SameClock { when, peer: 0, within: 0 });
    definitions.extend([Occasion::Init, Occasion::Finalize].map(same).into_iter().filter(|_| rank > 0));
    file.definitions(&definitions).unwrap();
    for thread in 0..=calls.iter().map(|call| call.0).max().unwrap() {
        let (mut words, mut last) = (Vec::new(), BEGIN);
        for (_, begin, end) in calls.iter().filter(|call| call.0 == thread) {
            last = call(&mut words, last, 1, BEGIN + begin, end - begin);
        }
        file.signatures(thread, 0, &[Signature { number: 1, ..of }]).unwrap();
        file.events(thread, 0, BEGIN, &words).unwrap();
    }
    folder.write(&file_name(0, rank), &file.into_inner());
}

/// A run of these ranks, rank 0 first; of `size` where some have left no file.
fn made(ranks: Vec<Calls>, size: u32) -> (Folder, Run) {
    let folder = Folder::new();
    ranks.into_iter().zip(0..).for_each(|(calls, rank)| calls.write(&folder, rank, size));
    let run = Run::load(&folder.0).unwrap();
    (folder, run)
}

fn send(function: Call, to: i32, bytes: u64) -> Signature {
    signature(0, function, to, bytes, 0)
}

/// A receive that begins a request, with room for 999 bytes.
fn receive(from: i32) -> Signature {
    let tag = if from == peer::ANY { tag::ANY } else { 5 };
    Signature { flags: STARTS, tag, ..signature(0, Call::Irecv, from, 0, 999) }
}

fn on_nobody(function: Call) -> Signature {
    signature(0, function, peer::NONE, 0, 0)
}

/// Who waited in which function for whom in which, how many nanoseconds.
fn told(account: &Account) -> Vec<(WaitState, u32, &str, u32, &str, i64)> {
    let function = |place: Spot| account.places[place.number()].function.as_str();
    let row = |(key, sum): (&analyzer::model::matching::Key, &Sum)| {
        let (waiter, cause) = (key.waiter, key.cause);
        (key.state, waiter.rank, function(waiter.place), cause.rank, function(cause.place), sum.time)
    };
    let mut rows: Vec<_> = account.waits.sums.iter().map(row).collect();
    rows.sort();
    rows
}

/// Messages and bytes sent and received, by sender and receiver.
fn moved(account: &Account) -> Vec<((u32, u32), [u64; 3])> {
    let mut moved: Vec<_> =
        account.pairs.iter().map(|(pair, sums)| (*pair, [sums.messages, sums.sent, sums.received])).collect();
    moved.sort();
    moved
}

fn is_whole(account: &Account) -> bool {
    account.unreceived.is_empty() && account.unsent.is_empty() && account.elsewhere == 0
}

#[test]
fn a_wildcard_posted_first_gets_the_first_message_though_it_completes_last() {
    let sender =
        Calls::default().call(send(Call::Send, 1, 100), 10_000, 500).call(send(Call::Ssend, 1, 200), 50_000, 500);
    let receiver = Calls::default()
        .call(receive(peer::ANY), 0, 100)
        .call(receive(0), 200, 100)
        .call(on_nobody(Call::Wait), 1_000, 59_000)
        .completed(1)
        .got(0, 200)
        .call(on_nobody(Call::Waitall), 61_000, 500)
        .completed(2)
        .got(0, 100);
    let (_folder, run) = made(vec![sender, receiver], 2);
    let account = account(&run, Follow::Sums);
    assert_eq!(moved(&account), [((0, 1), [2, 300, 300])]);
    assert_eq!(told(&account), [(WaitState::LateSender, 1, "MPI_Wait", 0, "MPI_Ssend", 49_000)]);
    assert!(is_whole(&account));
}

#[test]
fn a_wildcard_takes_nothing_from_the_receive_of_another_source() {
    let first = Calls::default().call(send(Call::Send, 2, 100), 20_000, 500);
    let second = Calls::default().call(send(Call::Ssend, 2, 200), 10_000, 500);
    let receiver = Calls::default()
        .call(receive(peer::ANY), 0, 100)
        .call(receive(0), 200, 100)
        .call(on_nobody(Call::Wait), 1_000, 29_000)
        .completed(1)
        .got(0, 100)
        .call(on_nobody(Call::Waitall), 31_000, 500)
        .completed(2)
        .got(1, 200);
    let (_folder, run) = made(vec![first, second, receiver], 3);
    let account = account(&run, Follow::Sums);
    assert_eq!(moved(&account), [((0, 2), [1, 100, 100]), ((1, 2), [1, 200, 200])]);
    assert_eq!(told(&account), [(WaitState::LateSender, 2, "MPI_Wait", 0, "MPI_Send", 19_000)]);
    assert!(is_whole(&account));
}

#[test]
fn a_cancelled_receive_leaves_its_message_to_the_next() {
    let sender =
        Calls::default().call(send(Call::Send, 1, 100), 10_000, 500).call(send(Call::Ssend, 1, 200), 50_000, 500);
    // The receive in the middle is cancelled, and known to be so before the one ahead of it is complete.
    let receiver = Calls::default()
        .call(receive(0), 0, 100)
        .call(receive(0), 200, 100)
        .call(receive(0), 400, 100)
        .call(on_nobody(Call::Wait), 600, 100)
        .completed(2)
        .cancelled()
        .call(on_nobody(Call::Waitany), 1_000, 29_000)
        .completed(3)
        .got(0, 100)
        .call(on_nobody(Call::Waitall), 31_000, 29_000)
        .completed(1)
        .got(0, 200);
    let (_folder, run) = made(vec![sender, receiver], 2);
    let account = account(&run, Follow::Sums);
    assert_eq!(moved(&account), [((0, 1), [2, 300, 300])]);
    let first = (WaitState::LateSender, 1, "MPI_Waitall", 0, "MPI_Ssend", 19_000);
    let second = (WaitState::LateSender, 1, "MPI_Waitany", 0, "MPI_Send", 9_000);
    assert_eq!(told(&account), [first, second]);
    assert!(is_whole(&account));
}

#[test]
fn a_send_that_was_cancelled_is_no_message_and_the_next_one_finds_the_receive() {
    let isend = Signature { flags: STARTS, ..send(Call::Isend, 1, 100) };
    let sender = Calls::default()
        .call(isend, 1_000, 100)
        .call(on_nobody(Call::Wait), 2_000, 100)
        .completed(1)
        .cancelled()
        .call(send(Call::Send, 1, 200), 30_000, 500);
    let receiver = Calls::default().call(signature(0, Call::Recv, 0, 0, 200), 10_000, 25_000);
    let (folder, run) = made(vec![sender, receiver], 2);
    let account = account(&run, Follow::Sums);
    assert_eq!(moved(&account), [((0, 1), [1, 200, 200])]);
    assert_eq!(told(&account), [(WaitState::LateSender, 1, "MPI_Recv", 0, "MPI_Send", 20_000)]);
    assert!(is_whole(&account));
    let output = command(&folder.0, "check");
    let said = stdout(&output).replace("\n  ", " ");
    assert!(said.contains("1 send cancelled, most: rank 0 in MPI_Isend"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn a_call_that_never_returned_has_no_part_in_a_message() {
    let sender = Calls::default().call(send(Call::Send, 1, 100), 30_000, 500);
    let mut receiver = Calls::default().call(signature(0, Call::Recv, 0, 0, 100), 1_000, 2_000);
    receiver.words.push(record::failed(record::LEFT, 0));
    let receiver = receiver.call(signature(0, Call::Recv, 0, 0, 100), 10_000, 25_000);
    let (folder, run) = made(vec![sender, receiver], 2);
    let account = account(&run, Follow::Sums);
    assert_eq!(told(&account), [(WaitState::LateSender, 1, "MPI_Recv", 0, "MPI_Send", 20_000)]);
    assert!(is_whole(&account));
    let said = stdout(&command(&folder.0, "check")).replace("\n  ", " ");
    assert!(said.contains("1 call left by an exception or longjmp, most: rank 1 in MPI_Recv"), "{said}");
}

/// Numbers below a bound that look random.
fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

/// Calls of several threads, (thread, begin, end) in the order in which they came to MPI, somewhere within each: those of one
/// rank's threads in turn, whoever is free first.
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
        write_threads(&folder, 0, send(Call::Send, 1, 8), &sends);
        write_threads(&folder, 1, signature(0, Call::Recv, 0, 0, 8), &receives);
        let run = Run::load(&folder.0).unwrap();
        let account = account(&run, Follow::Sums);
        let of_threads: u64 = account.uncertain.values().sum();
        assert_eq!((moved(&account), account.backwards()), (vec![((0, 1), [300, 2400, 2400])], 0), "seed {seed}");
        assert!(is_whole(&account), "seed {seed}");
        assert!(of_threads > 100, "seed {seed}: {of_threads}");
        uncertain += of_threads;
        let said = stdout(&command(&folder.0, "check")).replace("\n  ", " ");
        assert!(said.contains("messages of threads that sent or received at once"), "{said}");
    }
    assert!(uncertain > 0);
}

#[test]
fn threads_that_call_in_turn_or_by_other_tags_are_certain() {
    let folder = Folder::new();
    let in_turn = |first: u64| (0..50).map(move |at| (at as u32 % 3, first + 1_000 * at, first + 1_000 * at + 900));
    write_threads(&folder, 0, send(Call::Send, 1, 8), &in_turn(1_000).collect::<Vec<_>>());
    write_threads(&folder, 1, signature(0, Call::Recv, 0, 0, 8), &in_turn(500).collect::<Vec<_>>());
    let run = Run::load(&folder.0).unwrap();
    let account = account(&run, Follow::Sums);
    assert_eq!((moved(&account), account.backwards()), (vec![((0, 1), [50, 400, 400])], 0));
    assert!(account.uncertain.is_empty() && is_whole(&account), "{:?}", account.uncertain);
    assert_eq!(told(&account), [(WaitState::LateSender, 1, "MPI_Recv", 0, "MPI_Send", 50 * 500)]);
}

#[test]
fn messages_to_and_from_a_rank_without_a_file_are_said_to_be_elsewhere() {
    let sends = Calls::default().call(send(Call::Send, 2, 100), 10_000, 500).call(send(Call::Send, 1, 7), 11_000, 500);
    let receives = Calls::default().call(signature(0, Call::Recv, 0, 0, 7), 100, 20_000).call(
        signature(0, Call::Recv, 2, 0, 100),
        30_000,
        500,
    );
    let (folder, run) = made(vec![sends, receives], 3);
    let account = account(&run, Follow::Sums);
    assert_eq!((account.elsewhere, moved(&account)), (2, vec![((0, 1), [1, 7, 7])]));
    assert_eq!(told(&account), [(WaitState::LateSender, 1, "MPI_Recv", 0, "MPI_Send", 10_900)]);
    let output = command(&folder.0, "waits");
    let said = stdout(&output).replace("\n  ", " ");
    assert!(said.contains("2 messages to or from processes that are not in this folder"), "{said}");
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn ranks_that_were_not_recorded_are_not_missing_and_their_messages_are_theirs() {
    let sends = Calls::default().recorded_with(&[0, 1]).call(send(Call::Send, 2, 100), 10_000, 500).call(
        send(Call::Send, 1, 7),
        11_000,
        500,
    );
    let any = Signature { tag: tag::ANY, ..signature(0, Call::Recv, peer::ANY, 0, 999) };
    let receives = Calls::default().recorded_with(&[0, 1]).call(any, 5_000, 4_000).got(3, 100).call(
        signature(0, Call::Recv, 0, 0, 7),
        10_000,
        20_000,
    );
    let (folder, run) = made(vec![sends, receives], 5);
    assert_eq!((&run.missing[..], &run.unrecorded[..]), (&[][..], &[2..=4][..]));
    let account = account(&run, Follow::Sums);
    assert_eq!((account.elsewhere, account.unrecorded, moved(&account)), (0, 2, vec![((0, 1), [1, 7, 7])]));
    assert!(account.unsent.is_empty() && account.unreceived.is_empty());
    let output = command(&folder.0, "check");
    let said = stdout(&output).replace("\n  ", " ");
    assert!(said.contains("ranks 0-1; ranks 2-4 not"), "{said}");
    assert!(said.contains("2 messages to or from ranks 2-4, not recorded"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn a_rank_that_recorded_and_left_no_file_is_missing_beside_those_that_were_not_recorded() {
    let sends = Calls::default().recorded_with(&[0, 2]).call(send(Call::Send, 1, 100), 10_000, 500);
    let (folder, run) = made(vec![sends], 4);
    assert_eq!((&run.missing[..], &run.unrecorded[..]), (&[2..=2][..], &[1..=1, 3..=3][..]));
    assert_eq!(command(&folder.0, "report").status.code(), Some(4));
}

#[test]
fn ranks_that_call_different_functions_in_the_same_place_are_reported() {
    let reduces =
        Calls::default().call(on_nobody(Call::Barrier), 10_000, 500).call(on_nobody(Call::Allreduce), 20_000, 500);
    let waits =
        Calls::default().call(on_nobody(Call::Barrier), 100, 10_400).call(on_nobody(Call::Barrier), 20_000, 500);
    let (folder, run) = made(vec![reduces, waits], 2);
    let account = account(&run, Follow::Dependencies);
    assert_eq!((account.collectives, account.rest.confused.len()), (1, 1));
    let sums = told(&account);
    assert!(sums.contains(&(WaitState::WaitAtBarrier, 1, "MPI_Barrier", 0, "MPI_Barrier", 9_900)), "{sums:?}");
    for name in ["waits", "check", "pop", "path"] {
        let output = command(&folder.0, name);
        let said = stdout(&output).replace("\n  ", " ");
        assert!(said.contains("on 1 communicators the ranks' collective calls do not agree"), "{name}: {said}");
        assert_eq!(output.status.code(), Some(u8::from(name == "check").into()), "{name}");
    }
}

#[test]
fn of_several_that_were_late_at_one_moment_the_same_is_always_told() {
    // Who is gone through first depends on who calls first.
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
        let account = on_one_processor(|| account(&run, Follow::Sums));
        assert_eq!(told(&account), [(WaitState::LateSender, 2, "MPI_Waitall", 1, "MPI_Send", 8_000)]);
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
    let efficiency = pop::efficiencies(&run, &mut account(&run, Follow::Dependencies)).0;
    let near = |value: f64, nanoseconds: f64| (value * 1e9 - nanoseconds).abs() < 1e-3;
    // Rank 0 computes 100 us and another one; rank 1 10 us, waits for the first 100, and computes 60.
    assert!(near(efficiency.useful[0], 101_000.0) && near(efficiency.useful[1], 70_000.0), "{efficiency:?}");
    assert!(near(efficiency.time, 180_000.0) && near(efficiency.ideal, 160_000.0), "{efficiency:?}");
}
