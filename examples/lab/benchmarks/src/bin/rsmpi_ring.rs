//! A ring in rsmpi: each rank sends to the next ten times, by every way of sending, and all add up what came.
//!
//! Each rank calls MPI_Send, MPI_Ssend, MPI_Isend and MPI_Wait 10 times, MPI_Recv 20 times, MPI_Mprobe and MPI_Mrecv, which
//! rsmpi receives a vector of unknown length by, 10 times, MPI_Allreduce and MPI_Barrier once. Rank 0 says `ok`.

use mpi::collective::SystemOperation;
use mpi::request::WaitGuard;
use mpi::traits::*;

const ROUNDS: i64 = 10;

fn main() {
    let universe = mpi::initialize().expect("MPI is initialized once");
    let world = universe.world();
    let (rank, size) = (world.rank(), world.size());
    let next = world.process_at_rank((rank + 1) % size);
    let previous = world.process_at_rank((rank + size - 1) % size);
    let mut sum = 0i64;
    for round in 0..ROUNDS {
        let value = [round; 100];
        mpi::request::scope(|scope| {
            let _sent = WaitGuard::from(next.immediate_send(scope, &value[..]));
            sum += previous.receive_vec::<i64>().0[0];
        });
        // Every second rank receives first, or synchronous sends would wait for each other.
        let mut received = [0i64; 100];
        if rank % 2 == 0 {
            next.synchronous_send(&value[..]);
            previous.receive_into(&mut received[..]);
        } else {
            previous.receive_into(&mut received[..]);
            next.synchronous_send(&value[..]);
        }
        sum += received[0];
        next.send(&value[..1]);
        sum += previous.receive::<i64>().0;
    }
    let mut total = 0i64;
    world.all_reduce_into(&sum, &mut total, SystemOperation::sum());
    world.barrier();
    assert_eq!(total, 3 * size as i64 * ROUNDS * (ROUNDS - 1) / 2);
    if rank == 0 {
        println!("ok");
    }
}
