//! Whether a wrapper is still on the stack, or was left behind by longjmp, by an exception, or by whatever else changes stacks.
//!
//! In: where the wrapper's stack ended. Out: whether a frame of this library is there, among those that the unwinder finds on
//! the way up. A stack that was left behind may still hold what the wrapper wrote, so what it holds proves nothing.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::{null, null_mut};

/// The stack that the thread's signal handlers have to themselves.
pub struct SignalStack {
    range: Range<usize>,
    /// A handler runs on it.
    pub is_used: bool,
}

impl SignalStack {
    /// That of the calling thread.
    pub fn of_thread() -> SignalStack {
        let mut stack = MaybeUninit::<libc::stack_t>::zeroed();
        // SAFETY: asks, and reads what was answered or the zeros.
        let stack = unsafe {
            libc::sigaltstack(null(), stack.as_mut_ptr());
            stack.assume_init()
        };
        let begin = stack.ss_sp as usize;
        SignalStack { range: begin..begin + stack.ss_size, is_used: stack.ss_flags & libc::SS_ONSTACK != 0 }
    }

    /// Whether two addresses lie on the same stack, as far as handlers are concerned.
    fn joins(&self, one: usize, other: usize) -> bool {
        !self.is_used || self.range.contains(&one) == self.range.contains(&other)
    }
}

/// What the way up the stack is about.
struct Search<'a> {
    /// Where the wrapper's stack ended that is looked for, and that of the wrapper that looks.
    wrapper: usize,
    from: usize,
    signals: &'a SignalStack,
    /// The last frame met on the wrapper's stack below it: an address in its function.
    below: Option<usize>,
    found: Option<bool>,
}

/// Whether the wrapper whose stack ended at `wrapper` is still open, asked by one whose stack ends at `from`; `None` where the
/// unwinder does not come that far.
#[cold]
pub fn is_open(wrapper: usize, from: usize, signals: &SignalStack) -> Option<bool> {
    let mut search = Search { wrapper, from, signals, below: None, found: None };
    // SAFETY: the function gets back what it is given here, while it lives.
    unsafe { _Unwind_Backtrace(meet, (&raw mut search).cast()) };
    search.found
}

const GO_ON: c_int = 0;
const STOP: c_int = 4;

unsafe extern "C" {
    fn _Unwind_Backtrace(meet: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int, argument: *mut c_void)
    -> c_int;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// One frame: its stack ended where its callee's began.
unsafe extern "C" fn meet(context: *mut c_void, search: *mut c_void) -> c_int {
    // SAFETY: as `is_open` passes it, and as the unwinder passes its context.
    let (search, end, address) =
        unsafe { (&mut *search.cast::<Search<'_>>(), _Unwind_GetCFA(context), _Unwind_GetIP(context)) };
    if !search.signals.joins(end, search.wrapper) {
        return GO_ON;
    }
    // The wrapper that looks is not the one that is looked for, nor is what it has called.
    if search.signals.joins(search.from, search.wrapper) && end <= search.from {
        return GO_ON;
    }
    if end < search.wrapper {
        search.below = Some(address);
        return GO_ON;
    }
    // For aarch64 the compiler reads the stack pointer before the wrapper makes room on the stack: the frame that ends there is then its
    // caller's, and the wrapper is the one below.
    let is_wrapper = end == search.wrapper && is_ours(address);
    search.found = Some(is_wrapper || search.below.is_some_and(is_ours));
    STOP
}

/// Whether an address is in the object that this library is part of.
fn is_ours(address: usize) -> bool {
    base(address) == base(is_open as *const () as usize)
}

fn base(address: usize) -> *mut c_void {
    let mut object =
        libc::Dl_info { dli_fname: null(), dli_fbase: null_mut(), dli_sname: null(), dli_saddr: null_mut() };
    // SAFETY: asks about an address, whichever it is.
    unsafe { libc::dladdr(address as *const c_void, &mut object) };
    object.dli_fbase
}
