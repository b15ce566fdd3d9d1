//! The OpenMP runtime of the process: gcc's libgomp, or another one that has its entry points.
//!
//! A process may have several, such as a second libgomp in a package of Python. A team's threads must ask the runtime
//! that has made them, so calls lead to wrappers only where they led to the one runtime that the wrappers call.

use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering::*};

use crate::loaded::{LoadedObject, Settled, SymbolName};
use crate::recorder::file::shared::WarningOnce;

static SEVERAL: WarningOnce = WarningOnce::new(
    "the process has several OpenMP runtimes: parallel regions are recorded of one of them, not of the others",
);

/// The load address of the runtime that wrappers call; 0 for none.
static BASE: AtomicUsize = AtomicUsize::new(0);
static THREAD_NUMBER: AtomicUsize = AtomicUsize::new(0);
static TEAM_SIZE: AtomicUsize = AtomicUsize::new(0);

/// The function that starts a team; who defines it is a runtime, or stands before one.
const STARTS: &CStr = c"GOMP_parallel";

type Query = unsafe extern "C" fn() -> i32;

/// The calling thread's number in its team.
#[inline(always)]
pub fn thread_number() -> usize {
    asked(&THREAD_NUMBER)
}

/// The number of threads of the calling thread's team.
#[inline(always)]
pub fn team_size() -> usize {
    asked(&TEAM_SIZE)
}

#[inline(always)]
fn asked(function: &AtomicUsize) -> usize {
    // SAFETY: set before any wrapper is reached, to a function of this type by omp.h.
    let number = unsafe { std::mem::transmute::<usize, Query>(function.load(Relaxed))() };
    number.max(0) as usize
}

/// The runtime that wrappers call, and whether another object has its functions, too. `learn` gets the runtime when it is
/// found. The loader must be held.
pub fn find<'a>(settled: &'a Settled, learn: impl FnOnce(&LoadedObject)) -> Option<(&'a LoadedObject, bool)> {
    // SAFETY: the loader is held.
    let defines = |object: &LoadedObject, name: &CStr| unsafe { object.defines(name) };
    let start = SymbolName::new(STARTS);
    // SAFETY: as above.
    let has =
        |object: &&LoadedObject| unsafe { object.exports().is_some_and(|exports| exports.find(&start).is_some()) };
    let all: Vec<&LoadedObject> = settled.objects().iter().filter(has).collect();
    let known = BASE.load(Relaxed);
    let queries = |object: &LoadedObject| {
        Some((defines(object, c"omp_get_thread_num")?, defines(object, c"omp_get_num_threads")?))
    };
    // The known one is asked again, too: another may have taken the place of one that was unloaded.
    let known_first = all.iter().filter(|object| object.base == known).chain(&all);
    let (runtime, (number, size)) = known_first.copied().find_map(|object| Some((object, queries(object)?)))?;
    THREAD_NUMBER.store(number, Relaxed);
    TEAM_SIZE.store(size, Relaxed);
    learn(runtime);
    BASE.store(runtime.base, Relaxed);
    Some((runtime, all.len() > 1))
}

/// True if all slots of an object for names that begin so lead to the runtime, although there are several.
pub fn is_called_by(runtime: &LoadedObject, object: &LoadedObject, names: &[&[u8]]) -> bool {
    let (mut any, mut all) = (false, true);
    let mut see = |_: &CStr, slot: *mut usize| {
        any = true;
        // SAFETY: the slot of a loaded object. One that is bound late leads into the object itself.
        all &= runtime.range.contains(&unsafe { *slot });
    };
    // SAFETY: the object is loaded, and the loader is held.
    unsafe { object.slots(names, &mut see) };
    if any && !all {
        SEVERAL.say();
    }
    all
}
