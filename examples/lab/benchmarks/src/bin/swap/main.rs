//! Point-to-point performance by protocol, after Worley's COMMTEST: SWAPs of a fixed volume between two processors, in 1 to 1024
//! messages, by ten unordered (ping-ping) and eleven ordered (ping-pong) protocols, as they are and with receives preposted.
//!
//! Ready sends need the handshake that the document omits. In the basic loop it is an empty message of each swap, within the timed
//! part; in the reorganized loop the messages themselves are the handshake.
//!
//! On a busy machine one disturbed go stands for a protocol. So each is repeated, all numbers of messages in turn, and medians
//! are compared. `--plain` is the document's form: one go each.

mod exchange;
mod print;
mod protocol;
mod statistics;

use std::time::{Duration, Instant, SystemTime};

use benchmarks::{World, attach, barrier_of, finalize, init, irecv, receive, send, split, test};
use clap::{Parser, ValueEnum};
use mpi_sys::MPI_Comm;

use exchange::Side;
use protocol::{PROTOCOLS, Protocol};
use statistics::Point;

/// Measures the time of swaps between two ranks by protocol, number of messages and message size.
#[derive(Parser)]
struct Arguments {
    /// Protocols, as the document numbers them: 0,3 1,0 [default: all]
    #[arg(long, num_args = 1..)]
    protocols: Vec<&'static Protocol>,
    /// Bytes each rank sends in all: multiples of 8
    #[arg(long, num_args = 1.., default_values_t = [2 << 20, 128 << 10, 8 << 10], value_parser = clap::value_parser!(u64).range(8..=1 << 28))]
    volumes: Vec<u64>,
    /// The least number of messages; numbers double
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    min_messages: u64,
    /// The largest number of messages
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    max_messages: u64,
    /// The document's two sets
    #[arg(long, num_args = 1.., value_enum, default_values_t = [Form::Basic, Form::Preposted])]
    forms: Vec<Form>,
    /// The document's three ways
    #[arg(long, num_args = 1.., value_enum, default_values_t = [Way::Invalidated, Way::Kept, Way::Repeated])]
    ways: Vec<Way>,
    /// Which ranks swap [default: neighbors with 2 ranks, all with 4]
    #[arg(long, num_args = 1.., value_enum)]
    pairs: Vec<Pairs>,
    /// How often each number of messages is tried
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    iterations: u32,
    /// How often a message is sent where it is repeated
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    repeat: u32,
    /// Bytes that are written to invalidate the L2 cache
    #[arg(long, default_value_t = 8 << 20, value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    cache_bytes: u64,
    /// The document's form: each number of messages once
    #[arg(long, conflicts_with = "iterations")]
    plain: bool,
    /// Print the tables as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// Swap after swap
    Basic,
    /// Receives preposted, sends completed later
    Preposted,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Way {
    /// The L2 cache is invalidated before
    Invalidated,
    /// It is not
    Kept,
    /// Each message is sent several times
    Repeated,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Pairs {
    /// Ranks 0 and 1
    Neighbors,
    /// Ranks 0 and 2
    Distant,
    /// Ranks 0 and 2, and 1 and 3 at once
    Simultaneous,
}

impl Pairs {
    fn ranks(self) -> &'static [(usize, usize)] {
        match self {
            Pairs::Neighbors => &[(0, 1)],
            Pairs::Distant => &[(0, 2)],
            Pairs::Simultaneous => &[(0, 2), (1, 3)],
        }
    }
}

/// All of one protocol and volume.
#[derive(Clone, Copy)]
struct Experiment<'a> {
    pairs: Pairs,
    form: Form,
    way: Way,
    volume: u64,
    protocol: &'a Protocol,
}

const RESULT: i32 = 3;
const OVER: i32 = 4;
const CLOCK: i32 = 5;

fn main() {
    let mut arguments = Arguments::parse();
    let world = init();
    if arguments.protocols.is_empty() {
        arguments.protocols = PROTOCOLS.iter().collect();
    }
    if arguments.pairs.is_empty() {
        let all = [Pairs::Neighbors, Pairs::Distant, Pairs::Simultaneous];
        arguments.pairs = if world.size < 4 { all[..1].into() } else { all.into() };
    }
    if let Err(reason) = possible(&arguments, world) {
        if world.rank == 0 {
            eprintln!("swap: {reason}");
        }
        finalize();
        std::process::exit(2);
    }
    let largest = *arguments.volumes.iter().max().unwrap_or(&0);
    // For each buffered message, MPI keeps less than 4 KiB of its own.
    attach((4 * largest + (4096 * 4 * arguments.max_messages.min(largest / 8))).min(1 << 30) as usize);
    let mut rows = Vec::new();
    for pairs in arguments.pairs.clone() {
        let pair = pairs.ranks().iter().find(|pair| pair.0 == world.rank || pair.1 == world.rank);
        let comm = split(i32::from(pair.is_some()));
        let Some((first, second)) = pair else {
            idle();
            continue;
        };
        let is_second = world.rank == *second;
        let peer = if is_second { *first } else { *second };
        let mut swapper = Swapper::new(&arguments, world, pairs, comm, peer, is_second);
        for experiment in experiments(&arguments, pairs) {
            let points = swapper.run(&experiment);
            rows.extend(points.map(|points| print::Row::of(&experiment, points)));
        }
        if world.rank == 0 {
            let at_work = |rank: &usize| pairs.ranks().iter().any(|pair| pair.0 == *rank || pair.1 == *rank);
            (0..world.size).filter(|rank| !at_work(rank)).for_each(|rank| send(&[0u8], rank, OVER));
        }
    }
    finalize();
    if world.rank == 0 {
        print::print(&arguments, &rows);
    }
}

fn possible(arguments: &Arguments, world: World) -> Result<(), String> {
    let least = if arguments.pairs.iter().any(|pairs| *pairs != Pairs::Neighbors) { 4 } else { 2 };
    if world.size < least {
        return Err(format!("needs {least} ranks for these pairs, and has {}: mpirun -n {least}", world.size));
    }
    if arguments.min_messages > arguments.max_messages {
        return Err("--min-messages is above --max-messages".into());
    }
    match arguments.volumes.iter().find(|volume| *volume % 8 != 0 || volume.div_euclid(8) < arguments.min_messages) {
        Some(volume) => {
            Err(format!("--volumes {volume} is not a multiple of 8, or has less than 8 bytes for each message"))
        }
        None => Ok(()),
    }
}

fn experiments(arguments: &Arguments, pairs: Pairs) -> Vec<Experiment<'static>> {
    let mut all = Vec::new();
    for form in &arguments.forms {
        for way in &arguments.ways {
            for volume in &arguments.volumes {
                let of = |protocol: &&'static Protocol| Experiment {
                    pairs,
                    form: *form,
                    way: *way,
                    volume: *volume,
                    protocol,
                };
                all.extend(arguments.protocols.iter().map(of));
            }
        }
    }
    all
}

/// Leaves the processors to the others: many MPIs wait by asking all the time.
fn idle() {
    let mut over = [0u8];
    // SAFETY: the buffer is not read before the request is complete.
    let mut request = unsafe { irecv(&mut over, Some(0), OVER) };
    while !test(&mut request) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A rank that swaps, and its state.
struct Swapper {
    world: World,
    pairs: Pairs,
    comm: MPI_Comm,
    peer: usize,
    is_second: bool,
    has_one_clock: bool,
    iterations: usize,
    is_plain: bool,
    repeat: usize,
    messages: Vec<u64>,
    sent: Vec<f64>,
    received: Vec<f64>,
    cache: Vec<u8>,
}

impl Swapper {
    fn new(arguments: &Arguments, world: World, pairs: Pairs, comm: MPI_Comm, peer: usize, is_second: bool) -> Swapper {
        let largest = (*arguments.volumes.iter().max().unwrap_or(&8) / 8) as usize;
        let numbers = std::iter::successors(Some(arguments.min_messages), |messages| Some(2 * messages));
        Swapper {
            world,
            pairs,
            comm,
            peer,
            is_second,
            has_one_clock: has_one_clock(world, pairs),
            iterations: if arguments.plain { 1 } else { arguments.iterations as usize },
            is_plain: arguments.plain,
            repeat: arguments.repeat as usize,
            messages: numbers.take_while(|messages| *messages <= arguments.max_messages).collect(),
            sent: vec![0.0; largest],
            received: vec![0.0; 2 * largest],
            cache: vec![0; arguments.cache_bytes as usize],
        }
    }

    /// All numbers of messages in turn, again and again. Rank 0 gets the points.
    fn run(&mut self, experiment: &Experiment) -> Option<Vec<Point>> {
        let elements = experiment.volume / 8;
        let numbers: Vec<u64> = self.messages.iter().copied().filter(|messages| *messages <= elements).collect();
        if !self.is_plain {
            // The first messages of a size do the setup for later ones.
            for messages in &numbers {
                self.go(experiment, *messages);
            }
        }
        let mut own = Vec::new();
        for _ in 0..self.iterations {
            numbers.iter().for_each(|messages| own.extend(self.go(experiment, *messages)));
        }
        if self.world.rank != 0 {
            send(&own, 0, RESULT);
            return None;
        }
        let mut all = vec![own];
        for (first, second) in self.pairs.ranks() {
            for rank in [*first, *second].into_iter().filter(|rank| *rank != 0) {
                let mut other = vec![0.0; all[0].len()];
                receive(&mut other, rank, RESULT);
                all.push(other);
            }
        }
        let goes = |place: usize, of: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..self.iterations).map(|iteration| of(3 * (iteration * numbers.len() + place))).collect()
        };
        let most = |at: usize| all.iter().map(|own| own[at]).fold(f64::NEG_INFINITY, f64::max);
        let least = |at: usize| all.iter().map(|own| own[at]).fold(f64::INFINITY, f64::min);
        let point = |(place, messages): (usize, &u64)| Point {
            messages: *messages as usize,
            times: goes(place, &most),
            elapsed: self.has_one_clock.then(|| goes(place, &|at| most(at + 2) - least(at + 1))),
        };
        Some(numbers.iter().enumerate().map(point).collect())
    }

    /// One go: the time that one message of each took this processor, and when it began and ended by the clock of its host,
    /// where the rest of the time that it sent each message several times is left out.
    fn go(&mut self, experiment: &Experiment, messages: u64) -> [f64; 3] {
        let length = (experiment.volume / 8 / messages) as usize;
        let (messages, repeats) = (messages as usize, if experiment.way == Way::Repeated { self.repeat } else { 1 });
        if experiment.way == Way::Invalidated {
            self.cache.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
            std::hint::black_box(&mut self.cache);
        }
        self.sent.iter_mut().enumerate().for_each(|(at, value)| *value = at as f64);
        self.received.fill(0.0);
        let comm = self.comm;
        let mut side = Side {
            protocol: experiment.protocol,
            peer: self.peer,
            is_second: self.is_second,
            length,
            repeats,
            sent: &self.sent,
            received: &mut self.received,
        };
        let mut begin = (SystemTime::now(), Instant::now());
        let mut synchronize = || {
            barrier_of(comm);
            begin = (SystemTime::now(), Instant::now());
        };
        match experiment.form {
            Form::Basic => {
                synchronize();
                side.basic(messages);
            }
            Form::Preposted => side.preposted(messages, synchronize),
        }
        let took = begin.1.elapsed().as_secs_f64();
        assert_eq!(self.received[length - 1], (length - 1) as f64, "the first message is not what was sent");
        let began =
            begin.0.duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |since| (since.as_nanos() % DAY) as f64 / 1e9);
        [took / repeats as f64, began, began + took / repeats as f64]
    }
}

/// Nanoseconds of a day: times of it keep theirs in a double.
const DAY: u128 = 86_400_000_000_000;

/// True if all processors of a swap read one clock: one kernel was booted on all.
fn has_one_clock(world: World, pairs: Pairs) -> bool {
    let boot = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let own: Vec<u8> = boot.into_iter().chain(std::iter::repeat(0)).take(36).collect();
    if world.rank != 0 {
        send(&own, 0, CLOCK);
        return false;
    }
    let others = pairs.ranks().iter().flat_map(|(first, second)| [*first, *second]).filter(|rank| *rank != 0);
    let mut is_one = own[0] != 0;
    for rank in others {
        let mut other = vec![0u8; 36];
        receive(&mut other, rank, CLOCK);
        is_one &= other == own;
    }
    is_one
}
