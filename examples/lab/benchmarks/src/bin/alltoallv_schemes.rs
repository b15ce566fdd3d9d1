//! An exchange of some bytes between every two processes, done in three ways, after Gabriel, UH-CS-10-02, section III-A:
//! directly, all messages at once; pulled, each receiver asking one sender after the other, which answers from its
//! buffer, as VolpexMPI does; and by MPI_Alltoallv.

use benchmarks::{World, alltoallv, barrier, finalize, init, irecv, isend, reduce_sum, waitall, waitany, wtime};
use clap::{Parser, ValueEnum};

/// Exchanges bytes between all processes by one scheme, and says how long it took and whether they arrived.
#[derive(Parser)]
struct Arguments {
    /// How the bytes travel
    #[arg(value_enum)]
    scheme: Scheme,
    /// How often
    #[arg(long, default_value_t = 10)]
    rounds: u32,
    /// Bytes from each process to each other
    #[arg(long, default_value_t = 32 << 10)]
    bytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Scheme {
    /// Isend and Irecv to and from all, then one Waitall.
    Direct,
    /// The receiver asks, the sender answers.
    Pulled,
    /// MPI_Alltoallv.
    Collective,
}

fn main() {
    let arguments = Arguments::parse();
    let world = init();
    let mut wrong = 0;
    barrier();
    let begin = wtime();
    for round in 0..arguments.rounds {
        let mine = Blocks::filled(world, arguments.bytes, |to| mark(world.rank, to, round));
        let came = match arguments.scheme {
            Scheme::Direct => direct(world, &mine),
            Scheme::Pulled => pulled(world, &mine, round as i32),
            Scheme::Collective => collective(world, &mine),
        };
        let as_sent = |from: usize| came.of(from).iter().all(|byte| *byte == mark(from, world.rank, round));
        wrong += (0..world.size).filter(|from| !as_sent(*from)).count() as i32;
    }
    let seconds = wtime() - begin;
    let wrong = reduce_sum(&[wrong], 0);
    if world.rank == 0 {
        let verdict = if wrong == [0] { "verified" } else { "WRONG" };
        let scheme = arguments.scheme.to_possible_value();
        let scheme = scheme.as_ref().map_or("", |value| value.get_name());
        println!("{} bytes between {} ranks, {scheme}, {verdict}", arguments.bytes, world.size);
        eprintln!("{} rounds in {seconds:.6} s", arguments.rounds);
    }
    finalize();
}

/// The value sent; a message in the wrong place shows by it.
fn mark(from: usize, to: usize, round: u32) -> u8 {
    (from * 31 + to * 7 + round as usize) as u8
}

/// One block of bytes for each process.
struct Blocks {
    bytes: Vec<u8>,
    each: usize,
}

impl Blocks {
    fn filled(world: World, each: usize, value: impl Fn(usize) -> u8) -> Blocks {
        let bytes = (0..world.size).flat_map(|rank| std::iter::repeat_n(value(rank), each)).collect();
        Blocks { bytes, each }
    }

    fn of(&self, rank: usize) -> &[u8] {
        &self.bytes[rank * self.each..][..self.each]
    }

    fn of_mut(&mut self, rank: usize) -> &mut [u8] {
        &mut self.bytes[rank * self.each..][..self.each]
    }
}

const DATA: i32 = 0;
/// Each round has its own tag for questions: a process that is done may ask for the next while others are still being
/// served.
const ASK: i32 = 1;

fn direct(world: World, mine: &Blocks) -> Blocks {
    let mut came = Blocks::filled(world, mine.each, |_| 0);
    let mut requests = Vec::new();
    for rank in 0..world.size {
        // SAFETY: both sets of blocks stay until all requests are complete, below.
        unsafe {
            requests.push(isend(mine.of(rank), rank, DATA));
            requests.push(irecv(came.of_mut(rank), Some(rank), DATA));
        }
    }
    waitall(&mut requests);
    came
}

fn pulled(world: World, mine: &Blocks, round: i32) -> Blocks {
    let ask_tag = ASK + round;
    let mut came = Blocks::filled(world, mine.each, |_| 0);
    came.of_mut(world.rank).copy_from_slice(mine.of(world.rank));
    let (mut asked, ask) = ([0u8], [0u8]);
    let (mut next, mut to_serve) = (1, world.size - 1);
    let mut answers = Vec::new();
    // SAFETY: here and below, all buffers stay until their requests are complete; only one request at a time uses
    // `asked`, and `ask` is only read.
    let mut waiting = unsafe { [question(to_serve, &mut asked, ask_tag), mpi_sys::RSMPI_REQUEST_NULL] };
    let pull = |next: usize, came: &mut Blocks, answers: &mut Vec<_>| {
        let from = (world.rank + next) % world.size;
        // SAFETY: as above.
        unsafe {
            let data = irecv(came.of_mut(from), Some(from), DATA);
            answers.push(isend(&ask, from, ask_tag));
            data
        }
    };
    if next < world.size {
        waiting[1] = pull(next, &mut came, &mut answers);
    }
    while next < world.size || to_serve > 0 {
        let (which, from) = waitany(&mut waiting);
        if which == 0 {
            to_serve -= 1;
            // SAFETY: as above.
            unsafe {
                answers.push(isend(mine.of(from), from, DATA));
                waiting[0] = question(to_serve, &mut asked, ask_tag);
            }
        } else {
            next += 1;
            if next < world.size {
                waiting[1] = pull(next, &mut came, &mut answers);
            }
        }
    }
    waitall(&mut answers);
    came
}

/// Begins to receive the next of `to_serve` questions; the null request if none is to come.
///
/// # Safety
/// The contract of [`irecv`].
unsafe fn question(to_serve: usize, place: &mut [u8], tag: i32) -> mpi_sys::MPI_Request {
    // SAFETY: by the contract; the other is a constant of the library.
    unsafe { if to_serve > 0 { irecv(place, None, tag) } else { mpi_sys::RSMPI_REQUEST_NULL } }
}

fn collective(world: World, mine: &Blocks) -> Blocks {
    let counts = vec![mine.each as i32; world.size];
    Blocks { bytes: alltoallv(&mine.bytes, &counts, &counts), each: mine.each }
}
