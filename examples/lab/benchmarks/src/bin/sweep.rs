//! A wavefront over a grid of processes, plane by plane, from each of its four corners in turn: the communication of
//! discrete ordinates transport. Each process receives from the two before it, works, and sends to the two behind it.

use std::hint::black_box;

use benchmarks::{World, allreduce_sum, finalize, init, receive, send, wtime};
use clap::Parser;

/// Sweeps a grid of processes in small messages, and says how long it took and whether all came through.
#[derive(Parser)]
struct Arguments {
    /// Planes that follow each other in a sweep
    #[arg(long, default_value_t = 100)]
    planes: usize,
    /// Cells on each edge of a process's part of a plane
    #[arg(long, default_value_t = 16)]
    cells: usize,
    /// Sweeps from all four corners
    #[arg(long, default_value_t = 25)]
    iterations: usize,
}

/// A process's place along one direction of the grid, and the number of places.
#[derive(Clone, Copy)]
struct Line {
    at: usize,
    length: usize,
    /// From one place to the next in ranks.
    stride: usize,
}

impl Line {
    /// Whom a sweep comes from and where it goes on to, and how many it has passed.
    fn along(&self, rank: usize, forward: bool) -> (Option<usize>, Option<usize>, usize) {
        let lower = (self.at > 0).then(|| rank - self.stride);
        let upper = (self.at + 1 < self.length).then(|| rank + self.stride);
        if forward { (lower, upper, self.at) } else { (upper, lower, self.length - 1 - self.at) }
    }
}

fn main() {
    let arguments = Arguments::parse();
    let world = init();
    let begin = wtime();
    let mut wrong = 0;
    for _ in 0..arguments.iterations {
        for corner in 0..4 {
            wrong += sweep(&arguments, world, corner & 1 == 0, corner & 2 == 0);
        }
    }
    let seconds = wtime() - begin;
    let wrong = allreduce_sum(&[wrong])[0];
    if world.rank == 0 {
        let verdict = if wrong == 0 { "verified" } else { "WRONG" };
        println!("{} planes on {} ranks, {verdict}", arguments.planes, world.size);
        eprintln!("{} iterations in {seconds:.3} s", arguments.iterations);
    }
    finalize();
}

/// One sweep. The values that flow in count the cells they have passed. Returns the number of wrong values.
fn sweep(arguments: &Arguments, world: World, forward: bool, down: bool) -> i32 {
    let (columns, rows) = world.grid();
    let x = Line { at: world.rank % columns, length: columns, stride: 1 };
    let y = Line { at: world.rank / columns, length: rows, stride: columns };
    let lines = [x.along(world.rank, forward), y.along(world.rank, down)];
    let mut plane = vec![0.0; arguments.cells * arguments.cells];
    let mut flows = [vec![0i32; arguments.cells], vec![0i32; arguments.cells]];
    let mut wrong = 0;
    for _ in 0..arguments.planes {
        for (tag, ((from, to, passed), flow)) in lines.iter().zip(&mut flows).enumerate() {
            match from {
                Some(from) => receive(flow, *from, tag as i32),
                None => flow.fill(0),
            }
            let expected = (passed * arguments.cells) as i32;
            wrong += flow.iter().filter(|value| **value != expected).count() as i32;
            if to.is_some() {
                flow.iter_mut().for_each(|value| *value += arguments.cells as i32);
            }
        }
        relax(black_box(&mut plane));
        for (tag, ((_, to, _), flow)) in lines.iter().zip(&flows).enumerate() {
            to.iter().for_each(|to| send(flow, *to, tag as i32));
        }
    }
    wrong
}

/// A few operations for each cell, each of which waits for the one before it.
fn relax(plane: &mut [f64]) {
    let mut flow = 1.0;
    for cell in plane {
        flow = 0.5 * (flow + *cell);
        *cell = flow;
    }
}
