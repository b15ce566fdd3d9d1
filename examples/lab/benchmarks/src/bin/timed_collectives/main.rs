//! Collective operations, after Hoefler, Schneider and Lumsdaine, "Accurately measuring overhead, communication time and progression of
//! blocking and nonblocking collective operations at massive scale", IJPEDS 2010: all ranks synchronize their clocks in log2 P steps and
//! begin each operation at the same time, in a window of its own; each rank times its own part.
//!
//! Nonblocking operations are first completed right after they are begun, which takes t_b. Then they are begun, followed by computation
//! of that time (`time`) or of a fixed workload that takes as long alone (`work`), with or without tests meanwhile, and waited for.
//!
//! One disturbance outlasts many operations, so figures are medians over windows, with 95 % intervals. `--plain` is the document's
//! form: t_b from one operation, and means.

mod calls;
mod clock;
mod computation;
mod functions;
mod nonblocking;
mod print;
mod windows;

use benchmarks::{World, finalize, init};
use clap::{Parser, ValueEnum};

use clock::Clock;
use functions::{FUNCTIONS, Function};
use nonblocking::Scheme;

/// Times collective operations on synchronized clocks, each begun by all ranks at the same time.
#[derive(Parser)]
struct Arguments {
    /// The functions, as bcast,iallreduce [default: all]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    functions: Vec<String>,
    /// The smallest message: bytes from a rank to another, or of what is reduced
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(4..=1 << 26))]
    min_bytes: u64,
    /// The largest; sizes grow fourfold
    #[arg(long, default_value_t = 128 << 10, value_parser = clap::value_parser!(u64).range(4..=1 << 26))]
    max_bytes: u64,
    /// How often each is measured
    #[arg(long, default_value_t = 51, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Measure on 2, 4, 8 ... ranks, too
    #[arg(long)]
    by_ranks: bool,
    /// What a nonblocking operation is overlapped with
    #[arg(long, value_enum, default_value_t = SchemeChoice::Both)]
    scheme: SchemeChoice,
    /// Call MPI_Test during the computation, once every so many bytes of the message and once more; 0 for never
    #[arg(long, value_delimiter = ',', default_value = "0,1024", value_name = "BYTES")]
    test_every: Vec<u64>,
    /// A clock is compared until the fastest round trip is so many round trips old
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    round_trips: u32,
    /// The document's form: means, and t_b from one operation
    #[arg(long)]
    plain: bool,
    /// Print the tables as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum SchemeChoice {
    Time,
    Work,
    Both,
}

impl SchemeChoice {
    fn schemes(self) -> &'static [Scheme] {
        match self {
            SchemeChoice::Time => &[Scheme::Time],
            SchemeChoice::Work => &[Scheme::Work],
            SchemeChoice::Both => &[Scheme::Time, Scheme::Work],
        }
    }
}

fn main() {
    let arguments = Arguments::parse();
    let world = init();
    let functions = match possible(&arguments, world) {
        Ok(functions) => functions,
        Err(reason) => {
            if world.rank == 0 {
                eprintln!("timed_collectives: {reason}");
            }
            finalize();
            std::process::exit(2);
        }
    };
    let clock = Clock::synchronized(world, arguments.round_trips);
    let clock_error = calls::Group::of_first(world, world.size).most(clock.error());
    let mut results = print::Results::default();
    for size in numbers_of_ranks(&arguments, world) {
        let group = calls::Group::of_first(world, size);
        for function in functions.iter().filter(|_| world.rank < size) {
            for bytes in sizes(&arguments, function) {
                measure(&arguments, &clock, group, function, bytes, &mut results);
            }
        }
        benchmarks::barrier();
    }
    if world.rank == 0 {
        results.print(&arguments, clock_error);
    }
    finalize();
}

fn possible(arguments: &Arguments, world: World) -> Result<Vec<&'static Function>, String> {
    let (least, most) = (arguments.min_bytes, arguments.max_bytes);
    if world.size < 2 {
        return Err("it needs 2 ranks or more and found 1: mpirun -n 4 timed_collectives".into());
    }
    if least > most {
        return Err(format!("--min-bytes {least} is more than --max-bytes {most}"));
    }
    if most.saturating_mul(world.size as u64) > 1 << 30 {
        return Err(format!("--max-bytes {most} from each of {} ranks is more than 1 GiB", world.size));
    }
    let named = |name: &String| {
        let all = || FUNCTIONS.iter().map(|function| function.name).collect::<Vec<_>>().join(", ");
        let found = FUNCTIONS.iter().find(|function| function.name == name);
        found.ok_or_else(|| format!("no function {name}: it is one of {}", all()))
    };
    match arguments.functions.is_empty() {
        true => Ok(FUNCTIONS.iter().collect()),
        false => arguments.functions.iter().map(named).collect(),
    }
}

/// Powers of two below the number of ranks, if these are wanted, and the number itself.
fn numbers_of_ranks(arguments: &Arguments, world: World) -> Vec<usize> {
    let smaller = std::iter::successors(Some(2), |size| Some(size * 2)).take_while(|size| *size < world.size);
    smaller.filter(|_| arguments.by_ranks).chain([world.size]).collect()
}

/// Fourfold each; a function without data has one.
fn sizes(arguments: &Arguments, function: &Function) -> Vec<usize> {
    let (least, most) = (arguments.min_bytes as usize, arguments.max_bytes as usize);
    let all = std::iter::successors(Some(least), |bytes| bytes.checked_mul(4));
    if function.has_data { all.take_while(|bytes| *bytes <= most).collect() } else { vec![0] }
}

fn measure(
    arguments: &Arguments,
    clock: &Clock,
    group: calls::Group,
    function: &'static Function,
    bytes: usize,
    results: &mut print::Results,
) {
    let runs = arguments.runs as usize;
    let mut buffers = calls::Buffers::new(function, bytes, group);
    if !function.is_nonblocking {
        let windows = windows::run(clock, group, runs, || {
            function.complete(&mut buffers, group);
        });
        results.blocking(function, &buffers, group, windows);
        return;
    }
    for scheme in arguments.scheme.schemes() {
        for every in &arguments.test_every {
            let plan = nonblocking::Plan { scheme: *scheme, every: *every, runs, is_plain: arguments.plain };
            let measured = nonblocking::measure(clock, group, function, &mut buffers, plan);
            results.nonblocking(function, &buffers, group, plan, measured);
        }
    }
}
