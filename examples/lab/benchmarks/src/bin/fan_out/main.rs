//! Rank 0 to n - 1 others and back, after Hoefler, Viertel, Mehlan, Mietke, Rehm, "Assessing single-message and multi-node communication
//! performance of InfiniBand", PARELEC 2006: rank 0 sends to each of its peers, each sends the message back, and rank 0 takes the time
//! from its first send to the last answer. Half of that is the latency. Every round is timed by itself and all times are kept, since the
//! mean of a loop hides minimum and mavericks.
//!
//! The document's form (`--plain`) counts every round, the first ones, too, and prints no intervals. Otherwise four rounds of
//! each kind come first that do not count, since they set up what later ones find, and the median has its interval.

mod sample;
mod transport;

use benchmarks::{Window, World, barrier, barrier_of, finalize, first_processes, init};
use clap::Parser;
use mpi_sys::MPI_Comm;
use sample::Sample;
use serde_json::json;
use transport::{Function, Round, Transport};

/// Measures messages from rank 0 to n - 1 others and back, by transport function, size and n.
#[derive(Parser)]
struct Arguments {
    /// By which functions
    #[arg(long, value_enum, value_delimiter = ',', default_value = "isend,issend,put,get,get-by-all,bcast")]
    functions: Vec<Function>,
    /// The smallest message
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    min_bytes: u64,
    /// The largest
    #[arg(long, default_value_t = 1 << 20, value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    max_bytes: u64,
    /// By what sizes grow
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(2..=1 << 20))]
    factor: u64,
    /// The fewest ranks that take part
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(2..))]
    min_ranks: u64,
    /// The most; all where it is not given
    #[arg(long, value_parser = clap::value_parser!(u64).range(2..))]
    max_ranks: Option<u64>,
    /// Rounds of each function, number of ranks and size
    #[arg(long, default_value_t = 101, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: u32,
    /// The document's form: every round counts, no intervals
    #[arg(long)]
    plain: bool,
    /// Print the table as JSON
    #[arg(long)]
    json: bool,
    /// Every time of every round, too
    #[arg(long, requires = "json")]
    all: bool,
}

/// Rounds that do the setup for later ones.
const FIRST: u32 = 4;
/// Mavericks that are printed, the longest first.
const MAVERICKS: usize = 10;

/// The rounds of one function, number of ranks and size.
struct Row {
    function: Function,
    ranks: usize,
    bytes: usize,
    rounds: Vec<Round>,
    sample: Sample,
}

impl Row {
    /// The rounds that are mavericks: their numbers, and the peer that answered last.
    fn mavericks(&self) -> impl Iterator<Item = (usize, &Round, usize)> {
        let found = self.rounds.iter().enumerate().filter(|(_, round)| self.sample.is_maverick(round.whole));
        found.map(|(number, round)| (number, round, last_peer(round)))
    }
}

fn last_peer(round: &Round) -> usize {
    let last = round.answers.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
    last.map_or(0, |(at, _)| at + 1)
}

fn main() {
    let arguments = Arguments::parse();
    let world = init();
    if let Err(reason) = possible(&arguments, world) {
        if world.rank == 0 {
            eprintln!("fan_out: {reason}");
        }
        finalize();
        std::process::exit(2);
    }
    let slot = arguments.max_bytes as usize;
    let window = Window::new(if world.rank == 0 { slot * (world.size - 1) } else { slot });
    let mut rows = Vec::new();
    let most = arguments.max_ranks.map_or(world.size, |most| most as usize);
    for ranks in arguments.min_ranks as usize..=most {
        let communicator = first_processes(world, ranks);
        for function in &arguments.functions {
            let sizes = std::iter::successors(Some(arguments.min_bytes), |bytes| bytes.checked_mul(arguments.factor));
            for bytes in sizes.take_while(|bytes| *bytes <= arguments.max_bytes) {
                let measured = communicator.and_then(|communicator| {
                    measure(&arguments, world, communicator, (*function, ranks, bytes as usize), &window)
                });
                rows.extend(measured);
            }
        }
        barrier();
    }
    window.free();
    if world.rank == 0 {
        print(&arguments, &rows);
    }
    finalize();
}

fn possible(arguments: &Arguments, world: World) -> Result<(), String> {
    let (least, most) = (arguments.min_bytes, arguments.max_bytes);
    let (fewest, all) = (arguments.min_ranks, world.size as u64);
    let wanted = arguments.max_ranks.unwrap_or(all);
    match world.size {
        size if size < 2 => Err(format!("it needs 2 ranks or more and found {size}: mpirun -n 4 fan_out")),
        _ if least > most => Err(format!("--min-bytes {least} is more than --max-bytes {most}")),
        _ if fewest > wanted => Err(format!("--min-ranks {fewest} is more than the {wanted} ranks that take part")),
        size if wanted > all => Err(format!("--max-ranks {wanted} is more than the {size} ranks there are")),
        size if most.checked_mul(size as u64).is_none_or(|bytes| bytes > 1 << 32) => {
            Err(format!("--max-bytes {most} of {size} ranks are more than 4 GiB at rank 0"))
        }
        _ => Ok(()),
    }
}

fn measure(
    arguments: &Arguments,
    world: World,
    communicator: MPI_Comm,
    (function, ranks, bytes): (Function, usize, usize),
    window: &Window,
) -> Option<Row> {
    let peers = ranks - 1;
    let answers = if world.rank == 0 { vec![0; bytes * peers] } else { vec![0; bytes] };
    let slot = arguments.max_bytes as usize;
    let mut transport =
        Transport { function, world, communicator, peers, window, slot, data: vec![1; bytes], answers, number: 0 };
    barrier_of(communicator);
    if !arguments.plain {
        (0..FIRST).for_each(|_| drop(transport.round()));
    }
    let rounds: Vec<Round> = (0..arguments.rounds).filter_map(|_| transport.round()).collect();
    barrier_of(communicator);
    let times: Vec<f64> = rounds.iter().map(|round| round.whole).collect();
    (world.rank == 0).then(|| Row { function, ranks, bytes, rounds, sample: Sample::new(times) })
}

fn print(arguments: &Arguments, rows: &[Row]) {
    if arguments.json {
        let form = if arguments.plain { "plain" } else { "robust" };
        let rows: Vec<_> = rows.iter().map(|row| as_json(arguments, row)).collect();
        println!("{:#}", json!({ "form": form, "rows": rows }));
        return;
    }
    println!("round trips in µs, n with rank 0");
    println!(
        "  function  n      size       min    median             between      mean       99 %       max     half a message"
    );
    let micro = |seconds: f64| format!("{:.2}", seconds * 1e6);
    for row in rows {
        let (sample, half) = (&row.sample, row.sample.median() / 2.0);
        let [least, median, mean] = [sample.least(), sample.median(), sample.mean()].map(micro);
        let [late, most] = [sample.quantile(0.99), sample.most()].map(micro);
        let between = sample.interval().filter(|_| !arguments.plain);
        let between = between.map_or(String::new(), |(low, high)| format!("{}..{}", micro(low), micro(high)));
        let (name, ranks, bytes) = (row.function.name(), row.ranks, row.bytes);
        let [half, each] = [half, half / (ranks - 1) as f64].map(micro);
        println!(
            "{name:>10} {ranks:>2} {bytes:>7} B {least:>9} {median:>9} {between:>19} {mean:>9} {late:>10} {most:>9} {half:>8} {each:>9}"
        );
    }
    let mut mavericks: Vec<_> =
        rows.iter().flat_map(|row| row.mavericks().map(move |maverick| (row, maverick))).collect();
    mavericks.sort_by(|(_, one), (_, other)| other.1.whole.total_cmp(&one.1.whole));
    let all: usize = rows.iter().map(|row| row.rounds.len()).sum();
    println!("{} of {all} rounds are mavericks", mavericks.len());
    for (row, (number, round, peer)) in mavericks.into_iter().take(MAVERICKS) {
        let (name, ranks, bytes) = (row.function.name(), row.ranks, row.bytes);
        println!("  {name} n {ranks} {bytes} B: {} µs in round {number}, rank {peer} last", micro(round.whole));
    }
}

fn as_json(arguments: &Arguments, row: &Row) -> serde_json::Value {
    let (sample, half) = (&row.sample, row.sample.median() / 2.0);
    let interval = sample.interval().filter(|_| !arguments.plain);
    let mavericks: Vec<_> = row
        .mavericks()
        .map(|(number, round, peer)| json!({ "round": number, "rtt_s": round.whole, "last_rank": peer }))
        .collect();
    let mut said = json!({
        "function": row.function.name(),
        "ranks": row.ranks,
        "bytes": row.bytes,
        "rounds": row.rounds.len(),
        "min_s": sample.least(),
        "median_s": sample.median(),
        "median_least_s": interval.map(|interval| interval.0),
        "median_most_s": interval.map(|interval| interval.1),
        "mean_s": sample.mean(),
        "p99_s": sample.quantile(0.99),
        "max_s": sample.most(),
        "half_s": half,
        "half_per_message_s": half / (row.ranks - 1) as f64,
        "disturbed_rounds": mavericks.len(),
        "mavericks": mavericks,
    });
    if arguments.all {
        said["rounds_s"] = row.rounds.iter().map(|round| json!(round.whole)).collect();
        said["answers_s"] = row.rounds.iter().map(|round| json!(round.answers)).collect();
    }
    said
}
