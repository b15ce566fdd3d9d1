//! Tells if a wrapper is still on this stack, was left behind by longjmp or an exception, or is on another stack.
//!
//! In: the wrappers' frames. Out: the innermost wrapper whose frame the unwinder finds on its way up. Only the unwinder
//! can tell: memory of a stack that was left behind may still hold what the wrapper wrote.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::{null, null_mut};

use crate::old_libc;
use crate::system_calls;

/// The alternate stack of the thread's signal handlers.
pub struct SignalStack {
    range: Range<usize>,
    /// True while a handler runs on it.
    pub is_used: bool,
}

impl SignalStack {
    pub fn of_thread() -> SignalStack {
        let mut stack = MaybeUninit::<libc::stack_t>::zeroed();
        // SAFETY: writes `stack`; if it fails, the zeros are read.
        let stack = unsafe {
            libc::sigaltstack(null(), stack.as_mut_ptr());
            stack.assume_init()
        };
        let begin = stack.ss_sp as usize;
        SignalStack { range: begin..begin + stack.ss_size, is_used: stack.ss_flags & libc::SS_ONSTACK != 0 }
    }

    /// True if a wrapper with this frame was on it, in a handler that no longer runs.
    pub fn was_left(&self, wrapper: usize) -> bool {
        !self.is_used && self.range.contains(&wrapper)
    }

    /// True if both addresses are on the alternate stack, or neither is.
    fn joins(&self, one: usize, other: usize) -> bool {
        !self.is_used || self.range.contains(&one) == self.range.contains(&other)
    }
}

/// The stack that the system gave the calling thread; empty if unknown.
pub fn of_thread() -> Range<usize> {
    // The C library asks for the thread's cores, too.
    if system_calls::are_filtered() {
        return 0..0;
    }
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut begin, mut bytes) = (null_mut(), 0);
    // SAFETY: reads this thread's attributes only if they were filled.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return 0..0;
        }
        libc::pthread_attr_getstack(attributes.as_ptr(), &mut begin, &mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    begin as usize..begin as usize + bytes
}

/// A search up the stack for open wrappers.
pub struct Search<'a> {
    /// The frame of the wrapper that searches.
    pub from: usize,
    /// The frame of the outermost open call's wrapper.
    pub open: usize,
    /// Returns the frame of a suspended wrapper between two addresses, the higher included.
    pub suspended: &'a dyn Fn(usize, usize) -> Option<usize>,
    pub signals: &'a SignalStack,
}

#[derive(Default)]
pub struct Met {
    /// The frame of the innermost wrapper that is on the stack.
    pub wrapper: Option<usize>,
    /// The two frames between which the open call's wrapper would have been, if it was missing.
    pub passed: Option<(usize, usize)>,
    /// The highest frame that was reached.
    pub top: usize,
    /// The lowest address that the search used: no other wrapper's frame can be between it and the searching wrapper.
    pub bottom: usize,
}

/// A frame on the way up; `end` is its canonical frame address.
#[derive(Clone, Copy)]
struct Frame {
    end: usize,
    /// An address in its function's code.
    address: usize,
}

struct Way<'a> {
    search: &'a Search<'a>,
    met: Met,
    /// The last frame on the thread's stack, and on the alternate stack.
    below: [Option<Frame>; 2],
}

/// Goes up the stack until it meets a wrapper.
#[cold]
#[inline(never)]
pub fn look(search: &Search) -> Met {
    let mut way = Way { search, met: Met { bottom: search.from, ..Met::default() }, below: [None; 2] };
    // SAFETY: `meet` gets the address of `way`, which outlives the call.
    unsafe { _Unwind_Backtrace(meet, (&raw mut way).cast()) };
    way.met
}

const GO_ON: c_int = 0;
const STOP: c_int = 4;

unsafe extern "C" {
    fn _Unwind_Backtrace(meet: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int, argument: *mut c_void)
    -> c_int;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

unsafe extern "C" fn meet(context: *mut c_void, way: *mut c_void) -> c_int {
    // SAFETY: `look` passes the way, and the unwinder a valid context.
    let (way, end, address) = unsafe { (&mut *way.cast::<Way<'_>>(), _Unwind_GetCFA(context), _Unwind_GetIP(context)) };
    way.met.bottom = way.met.bottom.min(&raw const way as usize);
    way.pass(Frame { end, address })
}

impl Way<'_> {
    fn pass(&mut self, frame: Frame) -> c_int {
        let Search { from, open, suspended, signals } = *self.search;
        let from_here = signals.joins(from, frame.end);
        // Skip the searching wrapper and the functions that it has called.
        if from_here && frame.end <= from {
            return GO_ON;
        }
        let side = !signals.joins(frame.end, 0) as usize;
        let Some(below) = self.below.get_mut(side) else { return STOP };
        let below = below.replace(frame);
        let low = below.map_or(if from_here { from } else { 0 }, |below| below.end);
        if from_here {
            self.met.top = frame.end;
        }
        // On aarch64 the compiler reads the stack pointer before the wrapper's prologue: the frame that ends there is
        // then the caller's, and the wrapper is the one below.
        let is_there = |wrapper: usize| {
            frame.end == wrapper && is_ours(frame.address) || below.is_some_and(|below| is_ours(below.address))
        };
        if low < open && open <= frame.end && signals.joins(open, frame.end) {
            if is_there(open) {
                self.met.wrapper = Some(open);
                return STOP;
            }
            self.met.passed = Some((low, frame.end));
        }
        self.met.wrapper = suspended(low, frame.end).filter(|wrapper| is_there(*wrapper));
        if self.met.wrapper.is_some() { STOP } else { GO_ON }
    }
}

/// True if an address is in the object that contains this library.
fn is_ours(address: usize) -> bool {
    old_libc::object_at(look as *const () as usize).is_some_and(|object| object.contains(&address))
}
