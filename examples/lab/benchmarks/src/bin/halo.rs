//! A stencil on a torus of processes: in every step each exchanges the edges of its part with the four around it and
//! waits for all of them, and a reduction over all processes adds up what is left.

use benchmarks::{World, allreduce_sum, finalize, init, irecv, isend, waitall, wtime};
use clap::Parser;

/// Exchanges halos and reduces, and says how long it took and whether all values are right.
#[derive(Parser)]
struct Arguments {
    /// Steps
    #[arg(long, default_value_t = 2000)]
    steps: usize,
    /// Values on each edge
    #[arg(long, default_value_t = 64)]
    cells: usize,
}

fn main() {
    let arguments = Arguments::parse();
    let world = init();
    let begin = wtime();
    let mut wrong = 0;
    for step in 0..arguments.steps {
        wrong += exchange(&arguments, world, step as i32);
        // Every process adds its rank, as it would add what is left of an error.
        let ranks = world.size as i32 * (world.size as i32 - 1) / 2;
        wrong += i32::from(allreduce_sum(&[world.rank as i32]) != [ranks]);
    }
    let seconds = wtime() - begin;
    let wrong = allreduce_sum(&[wrong])[0];
    if world.rank == 0 {
        let verdict = if wrong == 0 { "verified" } else { "WRONG" };
        println!("{} steps on {} ranks, {verdict}", arguments.steps, world.size);
        eprintln!("in {seconds:.3} s");
    }
    finalize();
}

/// Sends every neighbor who this is and which step. Returns how many of the edges that came are wrong.
fn exchange(arguments: &Arguments, world: World, step: i32) -> i32 {
    let own = vec![world.rank as i32 + step; arguments.cells];
    let mut edges = [0; 4].map(|_| vec![0i32; arguments.cells]);
    let neighbors = neighbors(world);
    let mut requests = Vec::new();
    for (direction, edge) in edges.iter_mut().enumerate() {
        // SAFETY: the edges stay and are not looked at until all requests are complete.
        requests.push(unsafe { irecv(edge, Some(neighbors[direction]), direction as i32 ^ 1) });
    }
    for (direction, neighbor) in neighbors.into_iter().enumerate() {
        // SAFETY: the values stay as they are until all requests are complete.
        requests.push(unsafe { isend(&own, neighbor, direction as i32) });
    }
    waitall(&mut requests);
    let is_wrong = |(edge, from): (&Vec<i32>, &usize)| edge.iter().any(|value| *value != *from as i32 + step);
    edges.iter().zip(&neighbors).filter(|pair| is_wrong(*pair)).count() as i32
}

/// The processes left and right, above and below. A message's tag is its direction; the one against it differs in the
/// last bit.
fn neighbors(world: World) -> [usize; 4] {
    let (columns, rows) = world.grid();
    let (x, y) = (world.rank % columns, world.rank / columns);
    let at = |x: usize, y: usize| y % rows * columns + x % columns;
    [at(x + columns - 1, y), at(x + 1, y), at(x, y + rows - 1), at(x, y + 1)]
}
