//! Whether a wrapper is still on the stack, or was left behind by longjmp or an exception, or stands on another stack.
//!
//! In: where the wrappers' stacks ended. Out: the innermost of them of which a frame is there, among those that the unwinder finds
//! on the way up. A stack that was left behind may still hold what the wrapper wrote, so what it holds proves nothing.

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

    /// Whether a wrapper was on it that a handler has left: no handler runs any more.
    pub fn was_left(&self, wrapper: usize) -> bool {
        !self.is_used && self.range.contains(&wrapper)
    }

    /// Whether two addresses lie on the same stack, as far as handlers are concerned.
    fn joins(&self, one: usize, other: usize) -> bool {
        !self.is_used || self.range.contains(&one) == self.range.contains(&other)
    }
}

/// The stack that the system gave the calling thread; empty where it does not say.
pub fn of_thread() -> Range<usize> {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut begin, mut bytes) = (null_mut(), 0);
    // SAFETY: asks about this thread; the attributes are read only where they were filled.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return 0..0;
        }
        libc::pthread_attr_getstack(attributes.as_ptr(), &mut begin, &mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    begin as usize..begin as usize + bytes
}

/// What the way up the stack is about.
pub struct Search<'a> {
    /// Where the stack of the wrapper ends that looks.
    pub from: usize,
    /// That of the call under way.
    pub open: usize,
    /// Those of calls on other stacks: one between these places, the higher included.
    pub suspended: &'a dyn Fn(usize, usize) -> Option<usize>,
    /// The stack of signal handlers.
    pub signals: &'a SignalStack,
}

/// What was met on the way up.
#[derive(Default)]
pub struct Met {
    /// The innermost wrapper that is there, by where its stack ends.
    pub wrapper: Option<usize>,
    /// Between these frames the call under way would have been, and was not.
    pub passed: Option<(usize, usize)>,
    /// Where the way ended.
    pub top: usize,
    /// How deep the stack was in use meanwhile: what lies between there and the wrapper that looks is no other wrapper's any more.
    pub bottom: usize,
}

/// A frame on the way, whose stack ended where its callee's began.
#[derive(Clone, Copy)]
struct Frame {
    end: usize,
    /// In its function.
    address: usize,
}

struct Way<'a> {
    search: &'a Search<'a>,
    met: Met,
    /// The last frame on the thread's stack, and on that of signal handlers.
    below: [Option<Frame>; 2],
}

/// Goes up the stack until a wrapper is met.
#[cold]
#[inline(never)]
pub fn look(search: &Search) -> Met {
    let mut way = Way { search, met: Met { bottom: search.from, ..Met::default() }, below: [None; 2] };
    // SAFETY: the function gets back what it is given here, while it lives.
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
    // SAFETY: as `look` passes it, and as the unwinder passes its context.
    let (way, end, address) = unsafe { (&mut *way.cast::<Way<'_>>(), _Unwind_GetCFA(context), _Unwind_GetIP(context)) };
    way.met.bottom = way.met.bottom.min(&raw const way as usize);
    way.pass(Frame { end, address })
}

impl Way<'_> {
    fn pass(&mut self, frame: Frame) -> c_int {
        let Search { from, open, suspended, signals } = *self.search;
        let from_here = signals.joins(from, frame.end);
        // The wrapper that looks is none that is looked for, nor is what it has called.
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
        // For aarch64 the compiler reads the stack pointer before the wrapper makes room on the stack: the frame that ends there is
        // then its caller's, and the wrapper is the one below.
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

/// Whether an address is in the object that this library is part of.
fn is_ours(address: usize) -> bool {
    base(address) == base(look as *const () as usize)
}

fn base(address: usize) -> *mut c_void {
    let mut object =
        libc::Dl_info { dli_fname: null(), dli_fbase: null_mut(), dli_sname: null(), dli_saddr: null_mut() };
    // SAFETY: asks about an address, whichever it is.
    unsafe { libc::dladdr(address as *const c_void, &mut object) };
    object.dli_fbase
}
