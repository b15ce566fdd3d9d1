//! Intel MPI's own count of idle turns, used because its shared-memory engine has no function that can be intercepted.
//!
//! Two variables of MPI_T, both called `idle`, always run: a timer in seconds and a counter. Their handles are
//! allocated when MPI is initialized, and they are read once, before it is finalized. This is done only if the user has
//! asked for the progress engine, since it initializes MPI_T.

use std::sync::OnceLock;

use traces::calls::Call;
use traces::definitions::Interception;
use traces::progress::Entries;

use super::Listener;
use crate::abi::Family;
use crate::clock;
use crate::real;
use crate::recorder::thread::current;

/// The session and the variables' handles.
struct Idle {
    session: usize,
    timer: usize,
    counter: usize,
}

static IDLE: OnceLock<Idle> = OnceLock::new();
static LISTENER: Listener = Listener::new();

/// Allocates the variables' handles.
pub fn ready(family: &Family, version: &str) {
    if !version.starts_with("Intel") || LISTENER.line(|| (Interception::Idle, "idle".into())).is_none() {
        return;
    }
    let (mut provided, mut session) = (0i32, 0usize);
    // SAFETY: MPI is initialized; MPI_THREAD_SINGLE is 0 in every ABI; each writes one int or handle.
    unsafe {
        if real::invoke(Call::T_init_thread, [0, &raw mut provided as usize]) != 0
            || real::invoke(Call::T_pvar_session_create, [&raw mut session as usize]) != 0
        {
            return;
        }
    }
    let [timer, counter] = family.idle_classes.map(|class| handle(session, class));
    if let (Some(timer), Some(counter)) = (timer, counter) {
        let _ = IDLE.set(Idle { session, timer, counter });
    }
}

fn handle(session: usize, class: usize) -> Option<usize> {
    let (mut index, mut handle, mut count) = (0i32, 0usize, 0i32);
    // SAFETY: the name is terminated, and the other addresses are of variables that the functions may write.
    let found = unsafe {
        let name = c"idle".as_ptr() as usize;
        real::invoke(Call::T_pvar_get_index, [name, class, &raw mut index as usize]) == 0
            && real::invoke(
                Call::T_pvar_handle_alloc,
                [session, index as usize, 0, &raw mut handle as usize, &raw mut count as usize],
            ) == 0
    };
    (found && count == 1).then_some(handle)
}

/// Reads the variables into the ledger of the thread that is about to finalize MPI. `rate` is ticks a second.
pub fn read(rate: f64) {
    let (Some(idle), Some(thread)) = (IDLE.get(), current::thread()) else { return };
    let Some(line) = LISTENER.line(|| (Interception::Idle, "idle".into())) else { return };
    let (mut seconds, mut turns) = (0f64, 0u64);
    // SAFETY: one variable is a double, the other an integer of at most 64 bits, written from its low end.
    let read = unsafe {
        real::invoke(Call::T_pvar_read, [idle.session, idle.timer, &raw mut seconds as usize]) == 0
            && real::invoke(Call::T_pvar_read, [idle.session, idle.counter, &raw mut turns as usize]) == 0
    };
    if read && clock::is_ticks() {
        let calls = Entries { entries: turns, productive: 0, ticks: (seconds * rate) as u64 };
        if let Some(idle) = thread.engine.line(line) {
            idle.set(calls);
        }
    }
}
