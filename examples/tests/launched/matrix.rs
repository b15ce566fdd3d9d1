//! Messages and bytes by sender and receiver, whatever their numbers in a communicator.

use std::collections::BTreeMap;

use crate::common::{case, libraries};
use examples::answer::{Answer, whole};
use examples::mpi::Mpi;
use examples::program::Program;
use examples::run::Case;
use serde_json::Value;

type Pairs<T> = BTreeMap<(u64, u64), T>;

/// Output of `overhear matrix` for a program.
fn matrix(name: &str, mpi: &Mpi, of: &[&str]) -> Answer {
    matrix_of(&Case::of(&Program::read(name), mpi), name, of)
}

fn matrix_of(case: &Case, name: &str, of: &[&str]) -> Answer {
    let (output, run) = case.recorded(&format!("matrix-{name}"));
    assert_eq!(output.status, 0, "{name} under {}: {}", case.mpi.name, output.stderr);
    run.ask("matrix", of)
}

fn by_pair<T>(said: &Answer, figure: impl Fn(&Value) -> T) -> Pairs<T> {
    let pair = |row: &Value| ((whole(row, "from_rank"), whole(row, "to_rank")), figure(row));
    said.rows("pairs").iter().map(pair).collect()
}

/// Messages and bytes by sender and receiver.
fn pairs(name: &str, mpi: &Mpi, of: &[&str]) -> Pairs<(u64, u64)> {
    let said = matrix(name, mpi, &[&["--only", "messages"], of].concat());
    by_pair(&said, |row| (whole(row, "messages"), whole(row, "bytes")))
}

/// Bytes of collective calls, all of which are known.
fn collective(name: &str, mpi: &Mpi) -> Pairs<u64> {
    let said = matrix(name, mpi, &["--only", "collectives"]);
    let warnings = said.warnings();
    assert!(!warnings.contains("evenly"), "{name} under {}: {warnings}", mpi.name);
    by_pair(&said, |row| whole(row, "collective_bytes"))
}

#[test]
fn ranks_of_any_communicator_are_those_of_the_world() {
    for mpi in libraries() {
        // In a duplicate of the world each rank sends 3 ints to its neighbor, 8 times; between two halves of it, whose
        // ranks the intercommunicator numbers from 0, each sends 2 ints to its counterpart.
        let neighbors = [(0, 1), (1, 0), (2, 3), (3, 2)].map(|pair| (pair, (8, 8 * 12)));
        let likes = [(0, 2), (2, 0), (1, 3), (3, 1)].map(|pair| (pair, (8, 8 * 8)));
        let expected: BTreeMap<_, _> = neighbors.into_iter().chain(likes).collect();
        assert_eq!(pairs("communicators", &mpi, &[]), expected, "{}", mpi.name);
        // The duplicate gets its name after its creation.
        let named = pairs("communicators", &mpi, &["--comm", "neighbors"]);
        assert_eq!(named, neighbors.into_iter().collect(), "{}", mpi.name);
    }
}

#[test]
fn persistent_sends_count_as_often_as_they_are_started() {
    for mpi in libraries() {
        let each = (6 + 6 + 3 + 1, 6 * 10 * 8 + 6 * 5 * 8 + 3 * 3 * 8 + 2 * 8);
        let expected: BTreeMap<_, _> = (0..4).map(|rank| ((rank, (rank + 1) % 4), each)).collect();
        assert_eq!(pairs("persistent", &mpi, &[]), expected, "{}", mpi.name);
    }
}

#[test]
fn uneven_parts_of_a_collective_call_go_to_the_ranks_that_they_are_for() {
    for mpi in libraries() {
        let ints = |from: u64, to: u64| {
            let part = |to| 4 * from + to + 1;
            4 * (4 * part(to) + 2 * part(3 - to) + from + to + 1)
        };
        let sizes = |to: u64| (to + 1) * if to.is_multiple_of(2) { 4 } else { 1 };
        let each = (0..4).flat_map(|from| (0..4).map(move |to| (from, to))).filter(|(from, to)| from != to);
        let expected: Pairs<u64> = each.map(|(from, to)| ((from, to), ints(from, to) + sizes(to))).collect();
        assert_eq!(collective("uneven_parts", &mpi), expected, "{}", mpi.name);
    }
}

#[test]
fn neighbors_get_the_parts_that_are_for_them_and_nobody_gets_what_goes_over_an_open_side() {
    for mpi in libraries() {
        let mut expected = Pairs::new();
        let mut goes = |from: u64, to: u64, bytes: u64| *expected.entry((from, to)).or_default() += bytes;
        for rank in 0..4 {
            // On the grid each rank sends two ints and then three to each neighbor: twice to the one that is above and
            // below.
            goes(rank, rank ^ 2, 2 * (8 + 12));
            goes(rank, rank ^ 1, 8 + 12);
        }
        for (from, to) in [(0, 1), (0, 2), (0, 3), (1, 2), (2, 0)] {
            // Messages on the graph and on its duplicate.
            goes(from, to, 2 * (8 + (from + 1) * 4 + 12 + (to + 1) * 4));
        }
        for (leaf, sent) in [(1, 2), (2, 3 * 4), (3, 4)] {
            // Messages on the star, where the receiver determines the kind of number; the last one is a sum at rank 0.
            goes(0, leaf, 8 + 2 * sent);
            goes(leaf, 0, 8 + 2 * 4 + 4);
        }
        assert_eq!(collective("neighborhood", &mpi), expected, "{}", mpi.name);
    }
}

#[test]
fn calls_with_a_root_between_two_groups_have_the_pairs_of_the_root() {
    for mpi in libraries() {
        // Rank 0 scatters and broadcasts to rank 3, to which each of the other group sends and gives a summand.
        let to_last = |rank: u64| ((rank, 3), 5 * (40 + 40 + if rank == 0 { 120 + 40 } else { 0 }));
        let said = matrix_of(&case("between_groups", &mpi, 4, &[]), "between_groups", &["--only", "collectives"]);
        let found = by_pair(&said, |row| whole(row, "collective_bytes"));
        assert_eq!(found, (0..3).map(to_last).collect(), "{}", mpi.name);
        // MPI_Allreduce: 40 bytes of each of four ranks, five times.
        let warnings = said.warnings();
        assert!(warnings.contains("800 B of reductions to all ranks"), "{}: {warnings}", mpi.name);
    }
}
