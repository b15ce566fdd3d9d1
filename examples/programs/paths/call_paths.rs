//! Calls MPI from functions, generic functions, trait objects, closures and inlined functions in Rust. Rank 0 prints "COUNT path" for
//! each path that it takes.

#![no_main]

use std::collections::BTreeMap;
use std::hint::black_box;

#[repr(C)]
struct Words {
    world: usize,
    real: usize,
    sum: usize,
}

// A handle that is an int takes the lower half of its register.
unsafe extern "C" {
    fn words_of_mpi() -> Words;
    fn MPI_Init(count: *mut i32, words: *mut *mut *mut i8) -> i32;
    fn MPI_Comm_rank(comm: usize, rank: *mut i32) -> i32;
    fn MPI_Allreduce(from: *const f64, to: *mut f64, count: i32, datatype: usize, op: usize, comm: usize) -> i32;
    fn MPI_Finalize() -> i32;
}

struct Stated {
    words: Words,
    calls: BTreeMap<String, u64>,
}

#[inline(never)]
fn layer(stated: &mut Stated, path: &str) {
    *stated.calls.entry(format!("{path} > call_paths::layer > MPI_Allreduce")).or_default() += 1;
    let (from, mut to) = (1.0, 0.0);
    unsafe { MPI_Allreduce(&from, &mut to, 1, stated.words.real, stated.words.sum, stated.words.world) };
    black_box(to);
}

#[inline(never)]
fn solve(stated: &mut Stated) {
    layer(stated, "main > call_paths::solve");
    black_box(());
}

trait Exchange {
    fn exchange(&self, stated: &mut Stated);
}

struct Halo;
struct Wide;

impl Exchange for Halo {
    #[inline(never)]
    fn exchange(&self, stated: &mut Stated) {
        layer(stated, "main > <call_paths::Halo as call_paths::Exchange>::exchange");
        black_box(());
    }
}

impl Exchange for Wide {
    #[inline(never)]
    fn exchange(&self, stated: &mut Stated) {
        layer(stated, "main > <call_paths::Wide as call_paths::Exchange>::exchange");
        black_box(());
    }
}

#[inline(always)]
fn inlined(stated: &mut Stated) {
    layer(stated, "main > call_paths::around > call_paths::inlined");
}

#[inline(never)]
fn around(stated: &mut Stated) {
    inlined(stated);
    black_box(());
}

#[inline(never)]
fn down(stated: &mut Stated, path: &str, levels: u32) {
    let path = format!("{path} > call_paths::down");
    match levels {
        0 => layer(stated, &path),
        _ => down(stated, &path, levels - 1),
    }
    black_box(());
}

#[unsafe(no_mangle)]
pub extern "C" fn main(mut count: i32, mut words: *mut *mut i8) -> i32 {
    unsafe { MPI_Init(&mut count, &mut words) };
    let mut stated = Stated { words: unsafe { words_of_mpi() }, calls: BTreeMap::new() };
    let exchanges: [&dyn Exchange; 2] = [&Halo, &Wide];
    for turn in 0..20 {
        solve(&mut stated);
        black_box(exchanges)[turn % 2].exchange(&mut stated);
        around(&mut stated);
        down(&mut stated, "main", turn as u32 % 5);
    }
    let mut rank = 0;
    unsafe { MPI_Comm_rank(stated.words.world, &mut rank) };
    for (path, calls) in stated.calls.iter().filter(|_| rank == 0) {
        println!("{calls} {path}");
    }
    unsafe { MPI_Finalize() }
}
