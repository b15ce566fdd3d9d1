//! Chooses the MPI libraries and cases that a run of the tests takes.
//!
//! All tests under all libraries take hours. A run takes some of each, by names alone: the same on every date, machine
//! and commit. Each further rotation takes others; seven of them take every library.

use crate::mpi::Mpi;

/// Number of the rotation; the gate's is 0.
pub const ROTATION: &str = "TEST_ROTATION";
/// If set, every test runs under all libraries that it knows.
pub const ALL: &str = "TEST_ALL";
/// Libraries to run under, separated by commas.
pub const LIBRARIES: &str = "TEST_MPI";
/// Tests to run in a harness that takes one name; separated by commas.
pub const TESTS: &str = "TEST_NAMES";
/// If set, programs that measure themselves are compared under all libraries and transports.
pub const MEASURED: &str = "TEST_MEASURED";

pub fn rotation() -> usize {
    std::env::var(ROTATION).ok().and_then(|rotation| rotation.parse().ok()).unwrap_or(0)
}

/// True if nothing is left out: the user chose everything, or named libraries.
pub fn is_all() -> bool {
    is_set(ALL) || is_set(LIBRARIES)
}

/// The rotation; `None` if nothing is left out.
pub fn taken() -> Option<usize> {
    (!is_all()).then(rotation)
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

/// A hash that depends on the key alone, FNV-1a behind MurmurHash3's finalizer: the standard library's may change with the
/// compiler.
pub fn spread(key: &str) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in key.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
    }
    hash ^ (hash >> 33)
}

/// True in one of `rotations`, for about as many keys in each; always in a full run.
pub fn takes(key: &str, rotations: u64) -> bool {
    is_all() || is_its_turn(key, rotations)
}

/// As [`takes`], in a full run, too.
pub fn is_its_turn(key: &str, rotations: u64) -> bool {
    is_of(key, rotation(), rotations)
}

fn is_of(key: &str, rotation: usize, rotations: u64) -> bool {
    (spread(key) % rotations + rotation as u64).is_multiple_of(rotations)
}

/// The first case, or another in another rotation; all of them in a full run.
pub fn one_case<T>(cases: Vec<T>) -> Vec<T> {
    case_at(rotation(), cases)
}

/// One case, for each key another; all of them in a full run.
pub fn one_case_for<T>(key: &str, cases: Vec<T>) -> Vec<T> {
    case_at(spread(key) as usize % cases.len().max(1) + rotation(), cases)
}

fn case_at<T>(at: usize, mut cases: Vec<T>) -> Vec<T> {
    if is_all() || cases.is_empty() {
        return cases;
    }
    let at = at % cases.len();
    vec![cases.swap_remove(at)]
}

/// Libraries in the order in which the rotations take them for this key. One that is not installed leaves the choices of
/// other keys alone.
pub fn in_order(mut libraries: Vec<Mpi>, key: &str, rotation: usize) -> Vec<Mpi> {
    libraries.sort_by_key(|mpi| spread(&format!("{key} {}", mpi.name)));
    let first = rotation % libraries.len().max(1);
    libraries.rotate_left(first);
    libraries
}

/// One library of each kind, chosen by key and rotation.
pub fn one_of_each<K: PartialEq>(libraries: Vec<Mpi>, key: &str, kind: impl Fn(&Mpi) -> K) -> Vec<Mpi> {
    one_of_each_in(rotation(), libraries, key, kind)
}

/// As [`one_of_each`], in this rotation.
pub fn one_of_each_in<K: PartialEq>(
    rotation: usize,
    libraries: Vec<Mpi>,
    key: &str,
    kind: impl Fn(&Mpi) -> K,
) -> Vec<Mpi> {
    let mut kinds: Vec<(K, Vec<Mpi>)> = Vec::new();
    for mpi in libraries {
        let own = kind(&mpi);
        match kinds.iter_mut().find(|(kind, _)| *kind == own) {
            Some((_, alike)) => alike.push(mpi),
            None => kinds.push((own, vec![mpi])),
        }
    }
    kinds.into_iter().flat_map(|(_, alike)| in_order(alike, key, rotation).into_iter().next()).collect()
}

/// Libraries that programs in Rust are built for.
const WITH_PROGRAMS_IN_RUST: [&str; 4] = ["ompi4", "ompi5", "mpich4", "mpich5"];

/// An Open MPI and an MPICH that can build Rust programs, since a build for each takes a minute. They stay for two
/// rotations: who chooses between them has all in four.
pub fn with_programs_in_rust(mut libraries: Vec<Mpi>, rotation: usize) -> Vec<Mpi> {
    libraries.retain(|mpi| WITH_PROGRAMS_IN_RUST.contains(&mpi.name));
    one_of_each_in(rotation / 2, libraries, "programs in Rust", Mpi::is_openmpi)
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
    fn seven_rotations_take_every_library_and_each_takes_one_of_each_abi() {
        let mut all = BTreeSet::new();
        for rotation in 0..7 {
            let chosen = one_of_each_in(rotation, known(), "a program", Mpi::abi);
            assert_eq!(chosen.len(), 3, "rotation {rotation}: {:?}", names(&chosen));
            all.extend(names(&chosen));
        }
        assert_eq!(all.len(), known().len(), "{all:?}");
    }

    #[test]
    fn a_program_has_one_library_in_each_rotation_and_all_of_them_in_seven() {
        let first = |rotation| names(&in_order(known(), "a program", rotation))[0];
        assert_eq!((0..7).map(first).collect::<BTreeSet<_>>().len(), 7);
    }

    #[test]
    fn a_library_that_is_missing_changes_the_choice_of_no_test_but_its_own() {
        for missing in known() {
            let mut others = known();
            others.retain(|mpi| mpi.name != missing.name);
            for key in ["ring", "late_sender", "hangs", "words"] {
                let chosen = names(&in_order(known(), key, 0))[0];
                assert!(chosen == missing.name || names(&in_order(others.clone(), key, 0))[0] == chosen, "{key}");
            }
        }
    }

    #[test]
    fn one_library_with_programs_in_rust_is_taken_and_all_of_them_in_four_rotations() {
        let two = |rotation| with_programs_in_rust(known(), rotation);
        let taken: BTreeSet<_> =
            (0..4).map(|rotation| names(&in_order(two(rotation), "a program", rotation))[0]).collect();
        assert_eq!(taken, WITH_PROGRAMS_IN_RUST.into());
    }

    #[test]
    fn what_comes_in_one_of_five_rotations_does() {
        for key in ["ring", "late_sender", "nxn"] {
            assert_eq!((0..5).filter(|rotation| is_of(key, *rotation, 5)).count(), 1, "{key}");
        }
    }
}
