//! Who sent how much to whom, whatever the communicator calls them.

mod common;

use std::collections::BTreeMap;

use common::libraries;
use examples::answer::whole;
use examples::mpi::Mpi;
use examples::program::Program;
use examples::run::Case;
use serde_json::Value;

/// Messages and bytes by sender and receiver, as the command says.
fn pairs(name: &str, mpi: &Mpi, of: &[&str]) -> BTreeMap<(u64, u64), (u64, u64)> {
    let (output, run) = Case::of(&Program::read(name), mpi).recorded(&format!("matrix-{name}"));
    assert_eq!(output.status, 0, "{name} under {}: {}", mpi.name, output.stderr);
    let matrix = run.ask("matrix", &[&["--only", "messages"], of].concat());
    let pair = |row: &Value| {
        let place = (whole(row, "from_rank"), whole(row, "to_rank"));
        (place, (whole(row, "messages"), whole(row, "bytes")))
    };
    matrix.rows("pairs").iter().map(pair).collect()
}

#[test]
fn ranks_of_any_communicator_are_those_of_the_world() {
    for mpi in libraries() {
        // In a duplicate of the world each sends 3 ints to its neighbor, 8 times; between two halves of it, whose ranks
        // the intercommunicator numbers from 0, each sends 2 ints to its like.
        let neighbors = [(0, 1), (1, 0), (2, 3), (3, 2)].map(|pair| (pair, (8, 8 * 12)));
        let likes = [(0, 2), (2, 0), (1, 3), (3, 1)].map(|pair| (pair, (8, 8 * 8)));
        let expected: BTreeMap<_, _> = neighbors.into_iter().chain(likes).collect();
        assert_eq!(pairs("communicators", &mpi, &[]), expected, "{}", mpi.name);
        // The duplicate is given a name when it is there already.
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
