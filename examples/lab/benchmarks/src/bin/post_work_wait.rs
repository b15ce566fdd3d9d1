//! Host overhead and application availability by message size, after Doerfler and Brightwell, "Measuring MPI send and receive
//! overhead and application availability in high performance network interfaces", EuroPVM/MPI 2006: post a message, work,
//! wait. The work doubles until the iteration takes half as long again as the message alone; then overhead = iter_t - work_t
//! and availability = 1 - overhead / base_t, where base_t is the mean of the iterations that no work has lengthened.
//!
//! On a busy machine one disturbed iteration trips a threshold, and a transfer takes twice as long now as it did a moment ago. So each
//! work value is repeated, each time with the message alone before it and the work alone behind it, and medians are compared. The same
//! work takes a fifth longer or less as the other rank polls or copies, where processors share a core; so it is timed where it
//! is done, and what it takes alone is printed beside it. `--plain` is the document's form.

use std::hint::black_box;
use std::time::Instant;

use benchmarks::statistics::{self, DISTURBED, interval, mean, median};
use benchmarks::{World, finalize, init, irecv, isend, receive, send, test, wait};
use clap::{Parser, ValueEnum};
use serde_json::json;

/// Measures host overhead and application availability of MPI_Isend and MPI_Irecv by message size, between 2 ranks.
#[derive(Parser)]
struct Arguments {
    /// The smallest message
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    min_bytes: u64,
    /// The largest; sizes double
    #[arg(long, default_value_t = 4 << 20, value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    max_bytes: u64,
    /// How often each work value is tried
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    iterations: u32,
    /// What the rank under test posts
    #[arg(long, value_enum, default_value_t = Direction::Both)]
    direction: Direction,
    /// The document's form: each work value once, no medians
    #[arg(long, conflicts_with = "iterations")]
    plain: bool,
    /// Call MPI_Test during the work, once every so many bytes of the message and once more
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    test_every: Option<u64>,
    /// Print the table as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Direction {
    Send,
    Receive,
    Both,
}

/// The rank under test, and the other.
const TESTED: usize = 0;
const PEER: usize = 1;

const CONTROL: i32 = 1;
const DATA: i32 = 2;

/// In the document's form, iterations below this, in base_t, are averaged into it.
const BASE_THRESHOLD: f64 = 1.02;
/// An iteration above this, in base_t, is the last.
const STOP_THRESHOLD: f64 = 1.5;

fn main() {
    let arguments = Arguments::parse();
    let world = init();
    if let Err(reason) = possible(&arguments, world) {
        if world.rank == TESTED {
            eprintln!("post_work_wait: {reason}");
        }
        finalize();
        std::process::exit(2);
    }
    let mut buffer = vec![1u8; arguments.max_bytes as usize];
    let mut rows = Vec::new();
    for direction in [Direction::Send, Direction::Receive] {
        if arguments.direction != Direction::Both && arguments.direction != direction {
            continue;
        }
        let sizes = std::iter::successors(Some(arguments.min_bytes), |bytes| bytes.checked_mul(2));
        for bytes in sizes.take_while(|bytes| *bytes <= arguments.max_bytes) {
            let data = &mut buffer[..bytes as usize];
            match world.rank {
                TESTED => rows.push(Test::new(&arguments, direction, data).run(&arguments)),
                _ => answer(direction, data),
            }
        }
    }
    if world.rank == TESTED {
        print(&arguments, &rows);
    }
    finalize();
}

fn possible(arguments: &Arguments, world: World) -> Result<(), String> {
    let (least, most) = (arguments.min_bytes, arguments.max_bytes);
    match world.size {
        2 if least <= most => Ok(()),
        2 => Err(format!("--min-bytes {least} is more than --max-bytes {most}")),
        size => Err(format!("it needs 2 ranks and found {size}: mpirun -n 2 post_work_wait")),
    }
}

/// The other rank: takes or gives a message as often as the rank under test asks for it.
fn answer(direction: Direction, data: &mut [u8]) {
    let mut again = [1u8];
    loop {
        receive(&mut again, TESTED, CONTROL);
        if again == [0] {
            return;
        }
        // SAFETY: the data stay until the request is complete, below.
        let mut request = unsafe {
            match direction {
                Direction::Send => irecv(data, Some(TESTED), DATA),
                _ => isend(data, TESTED, DATA),
            }
        };
        if direction == Direction::Send {
            send(&again, TESTED, CONTROL);
        }
        wait(&mut request);
    }
}

/// Figures of one size and direction. Times in seconds.
struct Row {
    direction: Direction,
    bytes: usize,
    transfer: f64,
    iteration: f64,
    /// In the iteration; in the document's form, alone.
    work: f64,
    work_alone: f64,
    overhead: f64,
    /// The least and the most that the overhead's median may be, where there is one.
    interval: Option<(f64, f64)>,
    iterations: usize,
    disturbed: usize,
}

impl Row {
    /// Percent.
    fn availability(&self) -> f64 {
        100.0 * (1.0 - self.overhead / self.transfer)
    }
}

/// An iteration, and the work in it, seconds.
struct Iteration {
    whole: f64,
    work: f64,
}

/// One size and direction.
struct Test<'a> {
    direction: Direction,
    data: &'a mut [u8],
    /// Number of calls of MPI_Test during the work.
    tests: u64,
}

impl Test<'_> {
    fn new<'a>(arguments: &Arguments, direction: Direction, data: &'a mut [u8]) -> Test<'a> {
        let tests = arguments.test_every.map_or(0, |every| (data.len() as u64).div_ceil(every) + 1);
        Test { direction, data, tests }
    }

    fn run(mut self, arguments: &Arguments) -> Row {
        // The first messages of a size do the setup for later ones.
        for _ in 0..4 {
            self.iterate(0);
        }
        let row = if arguments.plain { self.plain() } else { self.robust(arguments.iterations as usize) };
        send(&[0u8], PEER, CONTROL);
        row
    }

    /// The document's form. Where it averages, all values have equal weight.
    fn plain(&mut self) -> Row {
        let mut base = vec![self.iterate(0).whole];
        let (mut work, mut iterations) = (1, 1);
        let iteration = loop {
            let (time, transfer) = (self.iterate(work).whole, mean(&base));
            iterations += 1;
            if time > STOP_THRESHOLD * transfer {
                break time;
            }
            if time < BASE_THRESHOLD * transfer {
                base.push(time);
            }
            work *= 2;
        };
        let alone = self.work(work, None);
        let (direction, bytes, transfer) = (self.direction, self.data.len(), mean(&base));
        let overhead = iteration - alone;
        Row {
            direction,
            bytes,
            transfer,
            iteration,
            work: alone,
            work_alone: alone,
            overhead,
            interval: None,
            iterations,
            disturbed: 0,
        }
    }

    /// The row with medians over `repeats` goes of each work value.
    fn robust(&mut self, repeats: usize) -> Row {
        let mut alone: Vec<f64> = (0..repeats).map(|_| self.iterate(0).whole).collect();
        let mut units = (median(&alone) / 16.0 / time_of_a_unit()).max(1.0) as u64;
        let (mut iterations, mut disturbed) = (repeats, 0);
        loop {
            let (mut whole, mut work, mut overheads, mut work_alone) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for _ in 0..repeats {
                alone.push(self.iterate(0).whole);
                let iteration = self.iterate(units);
                whole.push(iteration.whole);
                work.push(iteration.work);
                overheads.push(iteration.whole - iteration.work);
                work_alone.push(self.work(units, None));
            }
            iterations += 2 * repeats;
            disturbed += statistics::disturbed(&whole);
            // Interruptions alone are no work: half of the transfer has to be.
            let (iteration, transfer, worked) = (median(&whole), median(&alone), median(&work));
            if iteration > STOP_THRESHOLD * transfer && worked > transfer / 2.0 {
                return Row {
                    direction: self.direction,
                    bytes: self.data.len(),
                    transfer,
                    iteration,
                    work: worked,
                    work_alone: median(&work_alone),
                    overhead: median(&overheads),
                    interval: interval(&overheads),
                    iterations,
                    disturbed: disturbed + statistics::disturbed(&alone),
                };
            }
            units *= 2;
        }
    }

    /// Posts, works and waits, with the other rank ready.
    fn iterate(&mut self, work: u64) -> Iteration {
        let mut ready = [1u8];
        send(&ready, PEER, CONTROL);
        if self.direction == Direction::Send {
            receive(&mut ready, PEER, CONTROL);
        }
        let begin = Instant::now();
        // SAFETY: the data stay until the request is complete, below.
        let mut request = unsafe {
            match self.direction {
                Direction::Send => isend(self.data, PEER, DATA),
                _ => irecv(self.data, Some(PEER), DATA),
            }
        };
        let work = self.work(work, Some(&mut request));
        wait(&mut request);
        Iteration { whole: begin.elapsed().as_secs_f64(), work }
    }

    /// Works, and tests the request now and then until it is complete. Returns the seconds of work.
    fn work(&self, units: u64, mut request: Option<&mut mpi_sys::MPI_Request>) -> f64 {
        let (parts, mut worked) = (self.tests + 1, 0.0);
        for part in 0..parts {
            worked += time(|| compute(units * (part + 1) / parts - units * part / parts));
            let is_complete = part < self.tests && units > 0 && request.as_deref_mut().is_some_and(test);
            request = request.filter(|_| !is_complete);
        }
        worked
    }
}

/// Computes in registers alone, so that the message stays in the caches.
fn compute(units: u64) {
    let mut state = 1u64;
    for _ in 0..units {
        state = black_box(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
    black_box(state);
}

fn time_of_a_unit() -> f64 {
    const UNITS: u64 = 10_000;
    let times: Vec<f64> = (0..5).map(|_| time(|| compute(UNITS))).collect();
    median(&times) / UNITS as f64
}

fn time(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

fn print(arguments: &Arguments, rows: &[Row]) {
    if arguments.json {
        let form = if arguments.plain { "plain" } else { "robust" };
        let rows: Vec<_> = rows.iter().map(as_json).collect();
        println!("{:#}", json!({ "form": form, "test_every_bytes": arguments.test_every, "rows": rows }));
        return;
    }
    println!(
        "        message        µs: alone   iteration        work  work alone   overhead            between  avail."
    );
    let micro = |seconds: f64| format!("{:.3}", seconds * 1e6);
    for row in rows {
        let (way, bytes) = (direction(row.direction), row.bytes);
        let times = [row.transfer, row.iteration, row.work, row.work_alone, row.overhead].map(micro);
        let [alone, iteration, work, work_alone, overhead] = times;
        let between = row.interval.map_or(String::new(), |(least, most)| format!("{}..{}", micro(least), micro(most)));
        let available = row.availability();
        println!(
            "{way:>7} {bytes:>9} B {alone:>11} {iteration:>11} {work:>11} {work_alone:>11} {overhead:>10} {between:>18} {available:>5.1} %"
        );
    }
    let (all, disturbed) = rows.iter().fold((0, 0), |sum, row| (sum.0 + row.iterations, sum.1 + row.disturbed));
    if !arguments.plain {
        println!("{disturbed} of {all} iterations disturbed: over {DISTURBED} times the median of their work value");
    }
}

fn as_json(row: &Row) -> serde_json::Value {
    json!({
        "direction": direction(row.direction),
        "bytes": row.bytes,
        "transfer_s": row.transfer,
        "iteration_s": row.iteration,
        "work_s": row.work,
        "work_alone_s": row.work_alone,
        "overhead_s": row.overhead,
        "overhead_least_s": row.interval.map(|interval| interval.0),
        "overhead_most_s": row.interval.map(|interval| interval.1),
        "availability_percent": row.availability(),
        "iterations": row.iterations,
        "disturbed_iterations": row.disturbed,
    })
}

fn direction(direction: Direction) -> &'static str {
    if direction == Direction::Send { "send" } else { "receive" }
}
