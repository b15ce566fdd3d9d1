//! A process's neighbors in a communicator's topology.

use traces::calls::Call;
use traces::definitions::Neighbors;

use super::info::{Info, ask};
use super::world;
use crate::abi::Family;
use crate::real;

/// The numbers of neighbors that this process receives from and sends to.
pub fn degrees(family: &Family, comm: u64, rank: i32) -> (u32, u32) {
    let topology = ask(Call::Topo_test, comm, []);
    let [graph, cartesian, distributed] = family.topologies;
    if topology == graph {
        let neighbors = ask(Call::Graph_neighbors_count, comm, [rank as usize]) as u32;
        (neighbors, neighbors)
    } else if topology == cartesian {
        let neighbors = 2 * ask(Call::Cartdim_get, comm, []) as u32;
        (neighbors, neighbors)
    } else if topology == distributed {
        let (mut incoming, mut outgoing, mut weighted) = (0i32, 0i32, 0i32);
        let out = [&raw mut incoming as usize, &raw mut outgoing as usize, &raw mut weighted as usize];
        // SAFETY: the communicator has this topology.
        unsafe { real::invoke(Call::Dist_graph_neighbors_count, [comm as usize, out[0], out[1], out[2]]) };
        (incoming as u32, outgoing as u32)
    } else {
        (0, 0)
    }
}

/// The neighbors; `None` if there are none, or no world to number them by.
pub fn neighbors(family: &Family, comm: u64, info: &Info) -> Option<Neighbors> {
    if info.degrees == (0, 0) {
        return None;
    }
    let topology = ask(Call::Topo_test, comm, []);
    let [graph, cartesian, _] = family.topologies;
    let (mut sources, mut destinations) = (vec![-1i32; info.degrees.0 as usize], vec![-1i32; info.degrees.1 as usize]);
    let [from, to] = [&mut sources, &mut destinations].map(|ranks| ranks.as_mut_ptr() as usize);
    let [incoming, outgoing] = [info.degrees.0, info.degrees.1].map(|degree| degree as usize);
    // SAFETY: the communicator has this topology, and there is room for as many neighbors as it has.
    unsafe {
        if topology == graph {
            real::invoke(Call::Graph_neighbors, [comm as usize, info.rank as usize, incoming, from]);
            destinations.clone_from(&sources);
        } else if topology == cartesian {
            for dimension in 0..incoming / 2 {
                let [below, above] = [0, 1].map(|side| from + (2 * dimension + side) * size_of::<i32>());
                real::invoke(Call::Cart_shift, [comm as usize, dimension, 1, below, above]);
            }
            destinations.clone_from(&sources);
        } else {
            let mut weights = vec![0i32; incoming.max(outgoing)];
            let weight = weights.as_mut_ptr() as usize;
            let arguments = [comm as usize, incoming, from, weight, outgoing, to, weight];
            real::invoke(Call::Dist_graph_neighbors, arguments);
        }
    }
    let spans = |ranks: &[i32]| world::with_group(Call::Comm_group, comm, |group| world::some(group, ranks));
    let (sources, destinations) = (spans(&sources)?, spans(&destinations)?);
    Some(Neighbors { communicator: info.number, sources, destinations })
}
