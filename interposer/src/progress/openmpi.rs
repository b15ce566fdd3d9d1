//! Open MPI: `opal_progress`, and the callbacks that components register with it.
//!
//! Open MPI calls its functions through the PLT, so ours come first. Before 5.0 `opal_progress` returns nothing, and in
//! all versions its result leaves out libevent; so callbacks and sockets determine whether an entry was productive.
//! Callbacks get no argument that tells them apart, so each gets its own trampoline.

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering::*};

use traces::definitions::Interception;

use super::{Achieved, Heard, Listener};
use crate::function::Function;
use crate::loaded;
use crate::recorder::file::modules;

type Callback = unsafe extern "C-unwind" fn() -> c_int;
type Register = unsafe extern "C-unwind" fn(usize) -> c_int;

// SAFETY: the function's type, by opal_progress.h; before 5.0 it returns nothing.
static PROGRESS: Function<Callback> = unsafe { Function::behind_ours("opal_progress") };
// SAFETY: as above.
static REGISTER: Function<Register> = unsafe { Function::behind_ours("opal_progress_register") };
// SAFETY: as above.
static REGISTER_LOW: Function<Register> = unsafe { Function::behind_ours("opal_progress_register_lp") };
// SAFETY: as above.
static UNREGISTER: Function<Register> = unsafe { Function::behind_ours("opal_progress_unregister") };
static LISTENER: Listener = Listener::new();

fn described() -> (Interception, String) {
    (Interception::Opal, "opal_progress".into())
}

/// Gives the engine its line, so that the trace names it even if it is never entered.
pub fn ready() {
    if PROGRESS.exists() {
        LISTENER.line(described);
    }
}

/// Open MPI's engine.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn opal_progress() -> c_int {
    let real = || {
        // SAFETY: the function takes nothing. Before 5.0 its result is undefined, and not used.
        unsafe { PROGRESS.get()() }
    };
    let Some(heard) = super::heard() else { return real() };
    let Some(line) = LISTENER.line(described) else { return real() };
    super::entry(heard, line, real, |_| Achieved::events(0))
}

/// Limit on the callbacks that get a trampoline; Open MPI has fewer than ten.
const CALLBACKS: usize = 32;

struct Slot {
    callback: AtomicUsize,
    listener: Listener,
}

static SLOTS: [Slot; CALLBACKS] =
    [const { Slot { callback: AtomicUsize::new(0), listener: Listener::new() } }; CALLBACKS];

unsafe extern "C-unwind" fn call<const SLOT: usize>() -> c_int {
    let Some(slot) = SLOTS.get(SLOT) else { return 0 };
    let callback = slot.callback.load(Relaxed);
    // SAFETY: the slot holds a registered callback.
    let real = || unsafe { std::mem::transmute::<usize, Callback>(callback)() };
    let Some(heard) = super::heard() else { return real() };
    let Some(line) = slot.listener.line(|| (Interception::OpalCallback, name(callback))) else { return real() };
    if heard.is_unmeasured() { super::inner(heard, line, real, events) } else { rarely(heard, line, callback) }
}

fn events(reported: &c_int) -> Achieved {
    Achieved::events((*reported).max(0) as u64)
}

/// Makes a call of a callback in an entry whose parts are timed, or outside `opal_progress`.
#[inline(never)]
fn rarely(heard: Heard, line: usize, callback: usize) -> c_int {
    // SAFETY: a registered callback.
    super::entry(heard, line, || unsafe { std::mem::transmute::<usize, Callback>(callback)() }, events)
}

macro_rules! trampolines {
    ($($slot:literal)*) => {
        const TRAMPOLINES: [Callback; CALLBACKS] = [$(call::<$slot>),*];
    };
}

trampolines!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);

/// The trampoline of a callback; the callback itself if no slot is left for it.
fn stand_in(callback: usize) -> usize {
    if !super::is_on() {
        return callback;
    }
    for (slot, trampoline) in SLOTS.iter().zip(TRAMPOLINES) {
        // A slot stays with its callback, so that a component that is unregistered and registered again keeps its line.
        match slot.callback.compare_exchange(0, callback, AcqRel, Acquire) {
            Ok(_) => return trampoline as usize,
            Err(other) if other == callback => return trampoline as usize,
            Err(_) => {}
        }
    }
    callback
}

fn registered(callback: usize) -> usize {
    let known = SLOTS.iter().zip(TRAMPOLINES).find(|(slot, _)| slot.callback.load(Acquire) == callback);
    known.map_or(callback, |(_, trampoline)| trampoline as usize)
}

/// Registers a component's callback.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn opal_progress_register(callback: usize) -> c_int {
    // SAFETY: passes on the caller's argument, or a function of the same type.
    unsafe { REGISTER.get()(stand_in(callback)) }
}

/// Registers a component's callback that is called less often.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn opal_progress_register_lp(callback: usize) -> c_int {
    // SAFETY: as above.
    unsafe { REGISTER_LOW.get()(stand_in(callback)) }
}

/// Unregisters a component's callback.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn opal_progress_unregister(callback: usize) -> c_int {
    let known = registered(callback);
    let unregister = UNREGISTER.get();
    // SAFETY: as above.
    match unsafe { unregister(known) } {
        // It was registered before we intercepted it.
        // SAFETY: as above.
        code if code != 0 && known != callback => unsafe { unregister(callback) },
        code => code,
    }
}

/// The name of a callback: its symbol if it has one, else its component's file, else its offset in a library.
fn name(callback: usize) -> String {
    let Some((object, symbol)) = loaded::describe(callback) else { return "unnamed".into() };
    let program = object.is_program().then(modules::executable);
    let path = program.as_ref().unwrap_or(&object.name);
    let file = path.rsplit('/').next().unwrap_or(path).split(".so").next().unwrap_or_default();
    match symbol {
        Some(symbol) => symbol,
        None if file.starts_with("mca_") => file.into(),
        None => format!("{file}+{:#x}", callback - object.base),
    }
}
