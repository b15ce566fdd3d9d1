//! A bucket sort of integers with the communication of NPB IS: in every iteration an Allreduce of bucket sizes, an
//! Alltoall of counts and an Alltoallv of keys; at the end neighbors compare their ends and a Reduce adds the errors.

use benchmarks::{World, allreduce_sum, alltoall, alltoallv, barrier, finalize, init, reduce_sum, to_next, wtime};
use clap::Parser;

/// Sorts integers over all processes, and says how long it took and whether they are sorted.
#[derive(Parser)]
struct Arguments {
    /// Keys in all, as a power of two
    #[arg(long, default_value_t = 20)]
    keys: u32,
    /// Keys are below two to this
    #[arg(long, default_value_t = 16)]
    key_bits: u32,
    /// Buckets, as a power of two
    #[arg(long, default_value_t = 10)]
    buckets: u32,
    /// How often to sort them
    #[arg(long, default_value_t = 10)]
    iterations: u32,
    /// In this iteration, counted from 0, the last rank's last key is another, so that messages differ from those of a run without
    #[arg(long)]
    change_key: Option<u32>,
}

fn main() {
    let arguments = Arguments::parse();
    let world = init();
    let mut keys = make_keys(&arguments, world);
    let mut sorted = Vec::new();
    barrier();
    let begin = wtime();
    for iteration in 0..arguments.iterations as usize {
        // As in NPB IS, two keys change, so that no iteration sorts what the one before has sorted.
        let length = keys.len();
        keys[iteration % length] = iteration as i32;
        keys[(iteration + arguments.iterations as usize) % length] = (1 << arguments.key_bits) - 1 - iteration as i32;
        if arguments.change_key == Some(iteration as u32) && world.rank + 1 == world.size {
            keys[length - 1] ^= 1;
        }
        sorted = sort(&keys, &arguments, world);
    }
    let seconds = wtime() - begin;
    let wrong = reduce_sum(&[errors(&sorted, world), (sorted.len() - keys.len()) as i32], 0);
    if world.rank == 0 {
        let verdict = if wrong == [0, 0] { "verified" } else { "WRONG" };
        println!("2^{} keys on {} ranks, {verdict}", arguments.keys, world.size);
        eprintln!("{} iterations in {seconds:.3} s", arguments.iterations);
    }
    finalize();
}

/// This process's part of the keys: the mean of four even numbers each, as in NPB IS.
fn make_keys(arguments: &Arguments, world: World) -> Vec<i32> {
    let count = (1usize << arguments.keys) / world.size;
    let mut state = 314_159_265u64.wrapping_add(world.rank as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut even = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let scale = (1u64 << arguments.key_bits) as f64 / 4.0;
    (0..count).map(|_| (scale * (even() + even() + even() + even())) as i32).collect()
}

/// This process's part of all keys in order.
fn sort(keys: &[i32], arguments: &Arguments, world: World) -> Vec<i32> {
    let shift = arguments.key_bits - arguments.buckets;
    let bucket = |key: i32| (key >> shift) as usize;
    let mut sizes = vec![0i32; 1 << arguments.buckets];
    keys.iter().for_each(|key| sizes[bucket(*key)] += 1);
    let owners = owners(&allreduce_sum(&sizes), world);

    let mut sent = vec![0i32; world.size];
    sizes.iter().zip(&owners).for_each(|(size, owner)| sent[*owner] += size);
    let received = alltoall(&sent);
    let mut mine = alltoallv(&by_bucket(keys, &sizes, bucket), &sent, &received);
    mine.sort_unstable();
    mine
}

/// Assigns each bucket to a process: buckets in order, about the same number of keys to each process.
fn owners(sizes: &[i32], world: World) -> Vec<usize> {
    let all: i64 = sizes.iter().map(|size| *size as i64).sum();
    let mut before = 0i64;
    sizes
        .iter()
        .map(|size| {
            let owner = (before * world.size as i64 / all.max(1)) as usize;
            before += *size as i64;
            owner.min(world.size - 1)
        })
        .collect()
}

/// The keys, those of each bucket together.
fn by_bucket(keys: &[i32], sizes: &[i32], bucket: impl Fn(i32) -> usize) -> Vec<i32> {
    let starts = sizes.iter().scan(0, |next, size| Some(std::mem::replace(next, *next + *size as usize)));
    let mut next: Vec<usize> = starts.collect();
    let mut ordered = vec![0; keys.len()];
    for key in keys {
        ordered[next[bucket(*key)]] = *key;
        next[bucket(*key)] += 1;
    }
    ordered
}

/// Neighboring keys in the wrong order, the last one of the process before included.
fn errors(sorted: &[i32], world: World) -> i32 {
    let last = sorted.last().copied().unwrap_or_default();
    let before = to_next(world, last);
    let first = sorted.first().copied().unwrap_or(i32::MAX);
    let inside = sorted.windows(2).filter(|pair| pair[0] > pair[1]).count() as i32;
    inside + before.is_some_and(|before| before > first) as i32
}
