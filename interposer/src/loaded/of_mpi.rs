//! Tells MPI's objects from the program's: what the program opens is not to be taken for what MPI opens.
//!
//! MPI's are the library, its bindings of other languages, what these need and nobody else does, and what is loaded while MPI
//! is initialized, such as its components. The program itself is never MPI's, and neither is what it has loaded before.

use std::sync::OnceLock;

use super::LoadedObject;
use super::listing::Settled;

/// The numbers of MPI's objects, found once MPI is initialized: those that only MPI uses, and the libraries that programs
/// use, too.
static FOUND: OnceLock<(Vec<u64>, Vec<u64>)> = OnceLock::new();

/// The beginnings of the names of MPI libraries and of their bindings.
const LIBRARIES: [&str; 3] = ["libmpi", "libpmpi", "libmvapich"];

/// True if an object is MPI's. `mpi` is an address in the MPI library, `before` the number of the last object that was there
/// when MPI began to be initialized. To be asked first when MPI is initialized.
pub fn is_of_mpi(settled: &Settled, object: &LoadedObject, mpi: usize, before: u64) -> bool {
    let (own, libraries) = FOUND.get_or_init(|| find(settled.objects(), mpi, before));
    if own.contains(&object.number) || libraries.contains(&object.number) {
        return true;
    }
    // A component of MPI's that is loaded later needs what only MPI does.
    let is_later = object.number > before && !object.is_program();
    is_later
        && settled
            .objects()
            .iter()
            .any(|other| own.contains(&other.number) && object.needed().any(|name| other.is_named(name)))
}

fn find(objects: &[LoadedObject], mpi: usize, before: u64) -> (Vec<u64>, Vec<u64>) {
    let is_library = |object: &LoadedObject| {
        let is_named = LIBRARIES.iter().any(|name| object.file_name().starts_with(name));
        !object.is_program() && !object.is_own() && (is_named || object.range.contains(&mpi))
    };
    let is_loaded_meanwhile = |object: &LoadedObject| object.number > before && !object.is_program();
    let is_start = |object: &LoadedObject| is_library(object) || is_loaded_meanwhile(object);
    let needed = |place: usize| -> Vec<usize> {
        let of = |name| objects.iter().position(|other| other.is_named(name));
        objects.get(place).into_iter().flat_map(LoadedObject::needed).filter_map(of).collect()
    };
    let reached = |starts: Vec<usize>, may_pass: &dyn Fn(usize) -> bool| {
        let (mut found, mut next) = (starts, 0);
        while let Some(place) = found.get(next).copied() {
            for other in needed(place) {
                if may_pass(other) && !found.contains(&other) {
                    found.push(other);
                }
            }
            next += 1;
        }
        found
    };
    let places = |is: &dyn Fn(&LoadedObject) -> bool| -> Vec<usize> {
        objects.iter().enumerate().filter(|(_, object)| is(object)).map(|(place, _)| place).collect()
    };
    let starts = places(&is_start);
    let below = reached(starts.clone(), &|_| true);
    let others = (0..objects.len()).filter(|place| *place == 0 || !below.contains(place)).collect();
    let of_others = reached(others, &|place| !starts.contains(&place));
    let numbers = |places: Vec<usize>| -> Vec<u64> {
        places.into_iter().filter_map(|place| Some(objects.get(place)?.number)).collect()
    };
    let libraries = places(&is_library);
    let own = below.into_iter().filter(|place| !of_others.contains(place) && !libraries.contains(place)).collect();
    (numbers(own), numbers(libraries))
}
