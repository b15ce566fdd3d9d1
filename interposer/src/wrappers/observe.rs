//! The life of one call.
//!
//! `note`: the arguments say what they are. `key`, `signature`: what repeats gets its number. `enter`: the file says
//! which call the thread is in. The program's call. `leave`: the file says that it ended. `after`: requests begun and
//! completed, messages that arrived, objects made.

use traces::calls::Call;
use traces::record::{self, INLINE, Kind};

use super::after::{self, Arrival, Completion};
use super::draft::Draft;
use crate::abi::{self, Family};
use crate::clock;
use crate::recorder::dictionary::Key;
use crate::recorder::objects;
use crate::recorder::requests::{PERSISTENT, RECEIVES};
use crate::recorder::run::{self, Unrecorded};
use crate::recorder::shared;
use crate::recorder::thread::{self, Entered, Thread};

/// What an MPI function returns.
pub trait Outcome: Copy {
    /// The error code, 0 for success and for what is none.
    fn code(self) -> i32;
}

/// An int that is an error code.
impl Outcome for i32 {
    #[inline(always)]
    fn code(self) -> i32 {
        self
    }
}

/// Handles, addresses and other numbers are no error codes.
impl Outcome for usize {
    #[inline(always)]
    fn code(self) -> i32 {
        0
    }
}

/// Nor are seconds.
impl Outcome for f64 {
    #[inline(always)]
    fn code(self) -> i32 {
        0
    }
}

/// Makes the program's call and records it, where it is to be recorded.
///
/// `note` is given the arguments' draft to fill; `real` makes the call, with the status argument the draft has.
/// `address` is where the program goes on. Inlined into every wrapper, where most of it folds away; what does not is
/// called.
#[inline(always)]
pub fn observe<R: Outcome>(
    call: Call,
    address: usize,
    note: impl Fn(&Family, &mut Draft),
    real: impl Fn(&Draft) -> R,
) -> R {
    let mut draft = Draft::new();
    let thread = match thread::current() {
        Some(thread) if run::records(call) => thread,
        _ => match run::unrecorded(call) {
            Unrecorded::Begin(thread) => thread,
            Unrecorded::Forget(family) => {
                note(family, &mut draft);
                draft.forget();
                return real(&Draft::new());
            }
            Unrecorded::Forward => return real(&draft),
        },
    };
    // SAFETY: a thread records only after the ABI was found out.
    let family = unsafe { abi::family() };
    note(family, &mut draft);
    recorded(thread, family, call, address, draft, real)
}

#[inline(always)]
fn recorded<R: Outcome>(
    thread: &mut Thread,
    family: &Family,
    call: Call,
    address: usize,
    mut draft: Draft,
    real: impl Fn(&Draft) -> R,
) -> R {
    let nested = thread.nested();
    if draft.message != 0 {
        draft.take_message(thread, family);
    }
    let key = draft.key(family, call, address, nested);
    let known = key.is_ok();
    let key = key.unwrap_or_else(|_| provisional(draft, family, call, address, nested));
    draft.before(thread, family, nested);
    let signature = thread.signature(&key);
    let mut entered = thread.enter(signature);
    let result = real(&draft);
    let end = clock::now();
    if !known && result.code() == 0 && nested == 0 {
        entered.signature = learned(thread, family, draft, call, address).unwrap_or(signature);
    }
    draft.after(thread, family, entered, end, result.code(), nested);
    if run::is_lifecycle(call) {
        run::after(call, result.code());
    }
    result
}

/// The key of a call with handles that are not known.
#[cold]
#[inline(never)]
fn provisional(draft: Draft, family: &Family, call: Call, address: usize, nested: u16) -> Key {
    draft.provisional_key(family, call, address, nested)
}

/// MPI has accepted handles that were not known: now they can be asked about.
#[cold]
#[inline(never)]
fn learned(thread: &mut Thread, family: &Family, draft: Draft, call: Call, address: usize) -> Option<u32> {
    shared::guard(|| draft.learn(family));
    let key = draft.key(family, call, address, 0).ok()?;
    Some(thread.signature(&key))
}

/// Records `times` calls of a function that does next to nothing, to measure what that costs. Returns ticks.
#[inline(never)]
pub fn rehearse(thread: &mut Thread, family: &Family, times: u32, real: impl Fn() -> i32) -> u64 {
    let begin = clock::now();
    for _ in 0..times {
        std::hint::black_box(thread::current());
        let mut draft = Draft::new();
        draft.object = std::hint::black_box(family.comm_self);
        std::hint::black_box(recorded(thread, family, Call::Comm_rank, 0, draft, |_| real()));
    }
    clock::now() - begin
}

impl Draft {
    /// What has to happen before MPI is entered.
    #[inline(always)]
    fn before(&mut self, thread: &mut Thread, family: &Family, nested: u16) {
        self.forget();
        if nested != 0 {
            // MPI gets the program's own status, since ours may be in use by the call around this one.
            self.status_ignored = false;
            return;
        }
        if self.wait != 0 && self.many && !thread.scratch.copy(family, self.wait, self.requests as usize) {
            self.wait = 0;
            self.status_ignored = false;
        }
        if self.status_ignored {
            self.status = if self.many { thread.scratch.statuses() } else { (&raw mut thread.scratch.status) as usize };
        }
    }

    /// Forgets what is about to be freed, since its handle may come again for something else.
    #[inline(always)]
    fn forget(&self) {
        if self.freed_object != 0 {
            objects::forget(self.freed_object);
        }
        if self.freed_type != 0 {
            objects::forget_size(self.freed_type);
        }
    }

    /// What the call has brought about.
    #[inline(always)]
    fn after(&self, thread: &mut Thread, family: &Family, mut entered: Entered, end: u64, code: i32, nested: u16) {
        let signature = entered.signature;
        let mut request = 0;
        let mut at_once = false;
        if self.new_request != 0 {
            thread.events.started += 1;
            if code == 0 && nested == 0 {
                // SAFETY: MPI has written a request there.
                request = unsafe { family.handle_at(self.new_request) };
                at_once = !self.persistent && family.complete_at_once(request);
            }
        }
        if at_once && signature != INLINE {
            // The next number says that the request was complete at once.
            entered.signature += 1;
        }
        thread.leave(entered, end);
        if code != 0 {
            thread.call_failed(signature, code);
        }
        if nested != 0 {
            return;
        }
        if request != 0 {
            if !at_once {
                let receives = if self.source.is_some() || self.message != 0 { RECEIVES } else { 0 };
                let flags = receives | if self.persistent { PERSISTENT } else { 0 };
                thread.request_begun(request, signature, flags);
            } else if signature == INLINE {
                thread.write(&[record::requests(Kind::Completed, 1, 1)]);
            }
        }
        if self.wait != 0 {
            after::completed(thread, family, self.completion(), code);
        } else if self.status != 0 && code == 0 && self.achieved() {
            after::arrived(thread, family, self.arrival(signature));
        }
        if code == 0 {
            if self.start != 0 {
                after::started(thread, family, self.start, self.requests);
            }
            if self.freed_request != 0 {
                thread.request_freed(self.freed_request);
            }
            if self.cancelled_request != 0 {
                thread.request_cancelled(self.cancelled_request);
            }
            if self.new_object != 0 && self.new_request == 0 {
                after::made(family, self.new_kind, self.new_object);
            }
        }
    }

    /// Whether the call did what it was for: what polls may not have.
    #[inline(always)]
    fn achieved(&self) -> bool {
        // SAFETY: MPI has written an int there.
        self.flag == 0 || unsafe { (self.flag as *const i32).read_unaligned() } != 0
    }

    #[inline(always)]
    fn completion(&self) -> Completion {
        Completion {
            requests: self.wait,
            count: self.requests,
            handle: if self.many { 0 } else { self.handle },
            status: self.status,
            flag: self.flag,
            index: self.index,
            outcount: self.outcount,
            indices: self.indices,
        }
    }

    #[inline(always)]
    fn arrival(&self, signature: u32) -> Arrival {
        Arrival { status: self.status, signature, object: self.object, message: self.new_message }
    }

    /// What is known of a probed message that is about to be received.
    fn take_message(&mut self, thread: &mut Thread, family: &Family) {
        if let Some(message) = thread.messages.remove(self.message) {
            (self.source, self.source_tag) = (Some(message.source), Some(message.tag));
            self.object_number = message.object;
        } else if self.message == family.message_no_proc {
            self.source = Some(traces::signature::peer::PROC_NULL);
        }
    }
}
