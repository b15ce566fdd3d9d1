//! The life of one call.
//!
//! `note` fills the draft from the arguments. `key` and `signature` number what repeats about the call. `enter` writes
//! the call that the thread is in to the file. Then MPI makes the call. `leave` records that it ended, and `after` the
//! requests that it began and completed, messages that arrived, and objects that it made.

use traces::calls::Call;
use traces::record::UNNUMBERED;
use traces::signature::{peer, tag};

use super::after;
use super::around::StartedRequest;
use super::contents;
use super::numbering;
use super::program_call::{AnyCall, Outcome, ProgramCall};
use crate::abi::{self, Family};
use crate::call_site::CallSite;
use crate::clock;
use crate::layers;
use crate::lifecycle::{self, errors};
use crate::recorder::guard;
use crate::recorder::guard::spent;
use crate::recorder::objects;
use crate::recorder::process::recorded;
use crate::recorder::thread::Thread;
use crate::recorder::thread::abandoned;
use crate::recorder::thread::current;
use crate::recorder::thread::draft::Draft;
use crate::recorder::thread::element_counts::Unknown;
use crate::recorder::thread::queried_requests;
use crate::recorder::thread::request::Message;
use recorder_core::cache::Words;
use recorder_core::dictionary::Key;

#[inline(always)]
pub fn family(_recording: &Thread) -> &'static Family {
    // SAFETY: recordings begin only after the ABI was detected.
    unsafe { abi::family() }
}

/// Makes and records a call. Must be inlined: the wrapper's frame address identifies the call (see `abandoned.rs`).
#[inline(always)]
pub fn call<M: ProgramCall>(made: M) -> M::Outcome {
    if let (true, Some(thread)) = (M::PLAIN, current::thread().filter(|thread| thread.may_begin())) {
        thread.work_from_here();
        let family = self::family(thread);
        if let Some(place) = thread.on_known_path(made.site()) {
            let mut words = Words::new(made.call().number(), place.word());
            made.key(family, &mut words);
            if let Some(signature) = thread.cached(&words) {
                return cached(thread, family, made, signature);
            }
        }
        thread.rest_outside();
    }
    not_cached(made, abandoned::frame())
}

/// The straight line: makes and records a call whose signature is cached. The recorder is at work when this is called.
#[inline(always)]
fn cached<M: ProgramCall>(thread: &Thread, family: &Family, made: M, signature: u32) -> M::Outcome {
    let mut draft = Draft::new();
    made.note(family, &mut draft);
    let status = draft.before(thread, family);
    let start = thread.enter_from_program(signature);
    if draft.flag != 0 {
        thread.engine.is_entered_at(start);
    }
    thread.work(false);
    let result = made.make(status);
    if !thread.is_back(start, 0) {
        out_of_turn(thread, start, 0, result.code());
        return result;
    }
    thread.work(true);
    let end = clock::ticks();
    if draft.in_vain(result.code()) {
        thread.leave_in_vain(signature, start, end);
    } else {
        let begun = draft.begun(family, result.code());
        thread.leave_to_program(signature + begun.at_once(), start, end);
        draft.number_request(thread);
        draft.after(thread, family, signature, begun, result.code());
    }
    thread.rest_outside();
    result
}

/// Makes a call that is not cached, and records it if it is to be recorded. `frame` is the wrapper's frame.
#[cold]
#[inline(never)]
fn not_cached<M: ProgramCall>(made: M, frame: usize) -> M::Outcome {
    M::Outcome::of_word(make(&AnyCall::of(&made), frame))
}

/// Keeps its frame small, which lies on the program's stack while MPI works.
fn make(made: &AnyCall, frame: usize) -> u64 {
    let thread = match current::thread() {
        None => first(made.call),
        thread => thread,
    };
    let Some(thread) = thread else { return unrecorded(made, false) };
    if !thread.may_work(frame) {
        return unrecorded(made, true);
    }
    if thread.nested() {
        thread.work(true);
        // Makes the call around it check that this one has returned.
        thread.has_more();
        return nested(thread, made);
    }
    thread.work_from(frame);
    // SAFETY: this is the outermost call on its stack.
    followed(thread, made, unsafe { thread.room().draft() })
}

/// The recording of a thread that has not called MPI.
#[cold]
#[inline(never)]
fn first(call: Call) -> Option<&'static Thread> {
    lifecycle::first_call(call, &super::HANDED_DOWN)
}

/// Makes a call that cannot be recorded, on a thread that is or is not.
#[cold]
#[inline(never)]
fn unrecorded(made: &AnyCall, records: bool) -> u64 {
    let result = match lifecycle::is_lifecycle(made.call) {
        true => {
            lifecycle::before(made.call, 0);
            let result = made.make(None);
            lifecycle::after_unrecorded(made.call, result.code);
            result
        }
        false if records => abandoned::aside(made.call, || made.make(None)),
        false => made.make(None),
    };
    result.word
}

/// Makes and records a call inside another, which uses the room's draft.
#[inline(never)]
fn nested(thread: &Thread, made: &AnyCall) -> u64 {
    followed(thread, made, &mut Draft::new())
}

/// Makes and records a call by its empty draft. For the program's own calls that is not on the stack, which may be
/// small.
#[inline(always)]
fn followed(thread: &Thread, made: &AnyCall, draft: &mut Draft) -> u64 {
    let family = self::family(thread);
    let Some(known) = know(thread, family, made, draft) else {
        thread.rest();
        let result = made.make(None);
        draft.forgotten(result.code);
        return result.word;
    };
    let (status, start) = begin(thread, family, draft, known);
    let result = made.make(status);
    end(thread, family, draft, known, start, result.code);
    result.word
}

/// Finds the signature of a call; `None` if it is not recorded. Not inlined, so that its stack is free again when MPI
/// is called.
#[inline(never)]
fn know(thread: &Thread, family: &Family, made: &AnyCall, draft: &mut Draft) -> Option<KnownCall> {
    made.note(family, draft);
    // A binding's own call is not recorded, see `layers::place`; it only frees datatypes.
    if made.site.is_of_binding() {
        draft.forget();
        return None;
    }
    let place = place(thread, made);
    if !made.is_plain {
        return describe(thread, family, made.call, place.address(), draft);
    }
    let mut words = Words::new(made.call.number(), place.word());
    made.key(family, &mut words);
    if queried_requests::is_on() {
        // The straight line does not ask MPI, so it must not find the call.
        words.keep_around();
    }
    if let Some(signature) = thread.cached_around(&words) {
        return Some(KnownCall::cached(made.call, place.address(), signature));
    }
    let known = describe(thread, family, made.call, place.address(), draft)?;
    if known.lasting && !contents::takes(made.call) {
        thread.cache(&words, known.signature, draft.handles());
    }
    Some(known)
}

/// The call site; that of an outermost call includes its path.
fn place(thread: &Thread, made: &AnyCall) -> CallSite {
    layers::is_called(made.site, made.call);
    if thread.nested() || !recorded::records(made.call) {
        return made.site;
    }
    numbering::on_path(thread, made.site)
}

/// Does the work before a call that is not cached. Returns the address of our status, if MPI gets one, and the call's
/// start.
#[inline(never)]
fn begin(thread: &Thread, family: &Family, draft: &mut Draft, known: KnownCall) -> (Option<usize>, u64) {
    // Inside another call MPI gets the program's own status, since ours may be in use by that one.
    let status = if known.nested { None } else { draft.before(thread, family) };
    if !known.nested && contents::takes(known.call) {
        contents::before(thread, family, known.call, draft);
    }
    if known.asks(thread) {
        thread.ask();
    }
    let start = thread.enter(known.signature);
    thread.work(false);
    if lifecycle::is_lifecycle(known.call) {
        // A call that begins a session has not stored its handle yet.
        let ended = if lifecycle::starts(known.call) { 0 } else { session(family, draft) };
        lifecycle::before(known.call, ended);
    }
    (status, start)
}

/// Does the work after a call that is not cached.
#[inline(never)]
fn end(thread: &Thread, family: &Family, draft: &Draft, known: KnownCall, start: u64, code: i32) {
    draft.forgotten(code);
    let since = if known.nested { known.since } else { start };
    if !thread.is_back(since, known.depth) {
        return out_of_turn(thread, since, known.depth, code);
    }
    thread.work(true);
    let end = clock::now();
    thread.returns_to(known.depth);
    let signature = match code == 0 && !known.lasting {
        true => accepted(thread, family, draft, known),
        false => known.signature,
    };
    if known.lasting && draft.in_vain(code) {
        thread.leave_in_vain(signature, start, end);
        if known.asks(thread) {
            thread.ask();
        }
        return thread.rest();
    }
    // A request that is begun inside another call is the library's own.
    let begun = if known.nested { StartedRequest::NoRequest } else { draft.begun(family, code) };
    let at_once = if signature == UNNUMBERED { 0 } else { begun.at_once() };
    thread.leave(signature + at_once, start, end);
    draft.number_request(thread);
    if !known.nested {
        if code == 0 && contents::takes(known.call) {
            after_with_contents(thread, family, known.call, draft, signature, begun);
        } else {
            draft.after(thread, family, signature, begun, code);
        }
        if draft.new_object != 0 && code == 0 {
            after::made(family, known.call, draft);
        }
        if draft.renames && code == 0 {
            guard::run(|| objects::renamed(draft.object));
        }
        if known.asks(thread) {
            if let Some(handle) = begun.pending() {
                thread.ask_about(handle);
            }
            thread.ask();
        }
    } else if code != 0 {
        after::failed(thread, signature, code);
    }
    thread.rest();
    if lifecycle::is_lifecycle(known.call) {
        lifecycle::after(known.call, session(family, draft), code);
    }
}

/// Handles the return of a call that is no longer open, or whose recording cannot be changed now.
#[cold]
#[inline(never)]
fn out_of_turn(thread: &Thread, since: u64, depth: u32, code: i32) {
    thread.returns_elsewhere(since, depth, (code != 0).then(|| (errors::class(code), code)));
}

/// Does the work after a successful call whose buffers have checksums. Not inlined, since the draft would take stack in
/// other calls, too.
#[cold]
#[inline(never)]
fn after_with_contents(
    thread: &Thread,
    family: &Family,
    call: Call,
    draft: &Draft,
    signature: u32,
    begun: StartedRequest,
) {
    // The checksum of what each start sends follows that start.
    contents::start(thread, family, draft, signature);
    draft.without_starts().after(thread, family, signature, begun, 0);
    contents::after(thread, family, call, draft, begun);
}

/// The handle of the session that a call ends or has begun; 0 if it has none.
fn session(family: &Family, draft: &Draft) -> u64 {
    // SAFETY: the program passes the address of a handle.
    if draft.session == 0 { 0 } else { unsafe { family.handle_at(draft.session) } }
}

/// A call that is about to be recorded.
#[derive(Clone, Copy)]
struct KnownCall {
    call: Call,
    /// The address of its call site, or the number that stands for its path.
    address: usize,
    signature: u32,
    /// True if the next call with the same words has the same signature.
    lasting: bool,
    nested: bool,
    depth: u32,
    /// The start of the outermost call around it, in ticks.
    since: u64,
}

impl KnownCall {
    /// An outermost call whose signature was cached.
    fn cached(call: Call, address: usize, signature: u32) -> KnownCall {
        KnownCall { call, address, signature, lasting: true, nested: false, depth: 0, since: 0 }
    }

    /// True if the recorder queries requests now: not inside another call, nor while a call on another stack is open,
    /// which may have freed them.
    fn asks(&self, thread: &Thread) -> bool {
        queried_requests::is_on() && !self.nested && !thread.has_suspended()
    }
}

/// Finds the signature of a call by its draft. `None` if the call is not recorded.
#[inline(never)]
fn describe(thread: &Thread, family: &Family, call: Call, address: usize, draft: &mut Draft) -> Option<KnownCall> {
    spent::measured(|| described(thread, family, call, address, draft))
}

fn described(thread: &Thread, family: &Family, call: Call, address: usize, draft: &mut Draft) -> Option<KnownCall> {
    if draft.message != 0 {
        draft.taken = take_message(thread, family, draft.message);
    }
    // Even without a record `forget` must run: else a freed object would be taken for the next one with its handle.
    let (key, lasting) = match key(family, call, address, thread.nested(), draft) {
        Ok(key) => (key, true),
        Err(_) => (draft.provisional_key(family, call, address, thread.nested()), false),
    };
    draft.forget();
    if errors::takes_handler(call) {
        errors::set_handles_errors();
    }
    if !recorded::records(call) {
        return None;
    }
    let signature = numbering::signature(thread, &key);
    let nested = thread.nested();
    Some(KnownCall {
        call,
        address,
        signature,
        lasting: lasting && !nested && signature != UNNUMBERED,
        nested,
        depth: thread.depth(),
        since: thread.since(),
    })
}

/// The key of a call's signature, including the number of its list of parts, or of its layout.
fn key(family: &Family, call: Call, address: usize, nested: bool, draft: &Draft) -> Result<Key, Unknown> {
    let key = draft.key(family, call, address, nested)?;
    if nested {
        return Ok(key);
    }
    let parts = draft.parts(family).map_or(0, |sizes| numbering::parts(&sizes));
    let layouts = draft.layouts(family);
    Ok(Key { parts: layouts.map_or(parts, |layouts| numbering::layout(parts, &layouts)), ..key })
}

/// Removes the probed message that is about to be received, if it is known.
fn take_message(thread: &Thread, family: &Family, handle: u64) -> Option<Message> {
    if handle == family.message_no_proc {
        return Some(Message { object: 0, source: peer::PROC_NULL, tag: tag::NONE });
    }
    thread.message_taken(handle)
}

/// Examines unknown handles of a call that MPI has accepted. Returns the signature that they lead to.
#[cold]
#[inline(never)]
fn accepted(thread: &Thread, family: &Family, draft: &Draft, known: KnownCall) -> u32 {
    if known.nested || draft.freed_object != 0 {
        return known.signature;
    }
    spent::measured(|| {
        if draft.has_unknown_object() {
            guard::run(|| draft.learn_object(family, known.call));
        }
        guard::run(|| draft.learn_types(family));
        match key(family, known.call, known.address, false, draft) {
            Ok(key) => numbering::signature(thread, &key),
            Err(_) => known.signature,
        }
    })
}

/// A call that does next to nothing itself, to measure the cost of recording.
#[derive(Clone, Copy)]
struct RehearsedCall<'a> {
    communicator: u64,
    /// Work that is done inside MPI.
    inside: &'a dyn Fn(),
}

impl ProgramCall for RehearsedCall<'_> {
    type Outcome = i32;
    const PLAIN: bool = true;

    fn call(&self) -> Call {
        Call::Barrier
    }

    fn site(&self) -> CallSite {
        CallSite::NONE
    }

    fn key(&self, _: &Family, words: &mut Words) {
        words.push(self.communicator);
    }

    fn note(&self, _: &Family, _: &mut Draft) {}

    fn make(&self, _: Option<usize>) -> i32 {
        (self.inside)();
        std::hint::black_box(0)
    }
}

/// Records `times` calls with this `inside` them. Returns the ticks of all.
#[inline(never)]
pub fn rehearse(family: &Family, times: u32, inside: &dyn Fn()) -> u64 {
    let made = RehearsedCall { communicator: std::hint::black_box(family.comm_self), inside };
    let begin = clock::now();
    for _ in 0..times {
        std::hint::black_box(call(made));
    }
    clock::now() - begin
}
