//! Chooses the MPI libraries that a test runs under today.
//!
//! All programs under all libraries take an hour, so a default run takes some, and the next round others: within a week
//! each has had its turn. A variable sets the round, so yesterday's can be repeated.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::mpi::Mpi;

/// Number of the round; the day's by default.
pub const ROUND: &str = "TEST_ROUND";
/// If set, every test runs under all libraries that it knows.
pub const ALL: &str = "TEST_ALL";
/// Tests to run in a harness that takes one name; separated by commas.
pub const TESTS: &str = "TEST_NAMES";
/// If set, programs that measure themselves are compared under all libraries and transports.
pub const MEASURED: &str = "TEST_MEASURED";

const SECONDS_A_DAY: u64 = 86_400;

pub fn round() -> u64 {
    let set = std::env::var(ROUND).ok().and_then(|round| round.parse().ok());
    set.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / SECONDS_A_DAY)
    })
}

/// True if nothing takes turns: the user chose everything, or named libraries.
pub fn is_all() -> bool {
    is_set(ALL) || is_set("TEST_MPI")
}

/// True if self-measuring programs are compared under all libraries and transports.
pub fn is_measured() -> bool {
    is_set(MEASURED)
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// True if [`TESTS`] is empty or names this test.
pub fn is_wanted(test: &str) -> bool {
    std::env::var(TESTS).map_or(true, |names| names.is_empty() || names.split(',').any(|name| name == test))
}

/// A hash that depends on the key alone.
fn spread(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish() >> 8
}

/// True once in `rounds` rounds, for each key in a round of its own.
pub fn is_turn(key: &str, round: u64, rounds: u64) -> bool {
    (spread(key) + round).is_multiple_of(rounds)
}

/// Libraries that programs in Rust are built for.
const WITH_PROGRAMS_IN_RUST: [&str; 4] = ["ompi4", "ompi5", "mpich4", "mpich5"];

/// An Open MPI and an MPICH that can build Rust programs. They stay for two rounds: who takes turns between them has
/// all in four.
pub fn with_programs_in_rust(mut libraries: Vec<Mpi>, round: u64) -> Vec<Mpi> {
    libraries.retain(|mpi| WITH_PROGRAMS_IN_RUST.contains(&mpi.name));
    one_of_each(libraries, "programs in Rust", round / 2, Mpi::is_openmpi)
}

/// One library of each kind, chosen by key and round.
pub fn one_of_each<K: PartialEq>(libraries: Vec<Mpi>, key: &str, round: u64, kind: impl Fn(&Mpi) -> K) -> Vec<Mpi> {
    let mut kinds: Vec<(K, Vec<Mpi>)> = Vec::new();
    for mpi in libraries {
        let own = kind(&mpi);
        match kinds.iter_mut().find(|(kind, _)| *kind == own) {
            Some((_, alike)) => alike.push(mpi),
            None => kinds.push((own, vec![mpi])),
        }
    }
    let turn =
        |alike: &mut Vec<Mpi>| alike.swap_remove((spread(key).wrapping_add(round) % alike.len() as u64) as usize);
    kinds.iter_mut().map(|(_, alike)| turn(alike)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::mpi::known;

    fn names(libraries: &[Mpi]) -> Vec<&'static str> {
        libraries.iter().map(|mpi| mpi.name).collect()
    }

    #[test]
    fn every_library_has_its_turn_within_a_week_and_every_day_has_one_of_each_abi() {
        let mut all = BTreeSet::new();
        for round in 0..7 {
            let chosen = one_of_each(known(), "a program", round, Mpi::abi);
            assert_eq!(chosen.len(), 3, "round {round}: {:?}", names(&chosen));
            all.extend(names(&chosen));
        }
        assert_eq!(all.len(), known().len(), "{all:?}");
    }

    #[test]
    fn one_library_takes_a_program_a_day_and_all_of_them_in_seven() {
        let turn = |round| names(&one_of_each(known(), "a program", round, |_| ()))[0];
        assert_eq!((0..7).map(turn).collect::<BTreeSet<_>>().len(), 7);
    }

    #[test]
    fn one_library_with_programs_in_rust_is_taken_a_day_and_all_of_them_in_four() {
        let turn = |round| names(&one_of_each(with_programs_in_rust(known(), round), "a program", round, |_| ()))[0];
        let taken: BTreeSet<_> = (0..4).map(turn).collect();
        assert_eq!(taken, WITH_PROGRAMS_IN_RUST.into());
    }

    #[test]
    fn what_comes_round_once_in_five_rounds_does() {
        for key in ["ring", "late_sender", "nxn"] {
            assert_eq!((0..5).filter(|round| is_turn(key, *round, 5)).count(), 1, "{key}");
        }
    }
}
