//! The path of a call: the chain of functions from the start of the thread to the call of MPI.
//!
//! [`recorder_core::call_paths`] keeps a thread's recent paths, so the stack is unwound only if it differs from all of
//! them.

use std::ops::Range;

use traces::definitions::{CalledFrom, SourcePlace};

use super::recording::Thread;
use super::stack;
use crate::call_site::CallSite;
use crate::old_libc;
use crate::recorder::file::shared::{Shared, Unwinding};
use crate::recorder::process::{path_limit, sampling};
use crate::unwind::{self, StackFrame, WayEnd};
use recorder_core::call_paths::StackWord;

/// Bytes that are mapped together.
const PAGE: usize = 4096;

impl Thread {
    /// Prepares for the calling thread, whose stack differs from its predecessor's.
    pub(super) fn call_paths_begin(&self) {
        let paths = self.call_paths.lend_out().as_mut();
        if paths.is_some() || sampling::is_on() {
            *self.stack.lend() = stack::of_thread();
        }
        if let Some(paths) = paths {
            paths.clear();
        }
    }

    /// The site of an outermost call with its path; `None` if the path is not among the recent ones.
    #[inline(always)]
    pub fn on_known_path(&self, site: CallSite) -> Option<CallSite> {
        let paths = self.call_paths.lend_out();
        let Some(paths) = paths else { return Some(site) };
        // SAFETY: the wrapper's frame is on the stack, and `remember` sees to the rest.
        let path = unsafe { paths.find(site.word(), self.frame.get()) };
        (path != 0).then_some(CallSite::of_path(path))
    }

    /// Unwinds the stack to find the path of an outermost call. `describe` names a site that is no address.
    pub fn unwind(
        &self,
        shared: &mut Shared,
        site: CallSite,
        describe: impl FnOnce(u32) -> Option<SourcePlace>,
    ) -> CallSite {
        self.unwind_from(shared, site, describe, |frame, _| frame.address == site.address())
    }

    /// The path of a site that stands in place of the innermost frame outside the recorder.
    pub fn unwind_from_outside(&self, shared: &mut Shared, site: CallSite) -> CallSite {
        self.unwind_from(shared, site, |_| None, |_, is_own| !is_own)
    }

    /// Unwinds the stack from the first frame for which `is_site` holds.
    fn unwind_from(
        &self,
        shared: &mut Shared,
        site: CallSite,
        describe: impl FnOnce(u32) -> Option<SourcePlace>,
        is_site: impl Fn(&StackFrame, bool) -> bool,
    ) -> CallSite {
        shared.forget_unloaded();
        if !shared.has_room_for_paths() {
            let path = shared.site_on_path(site.address() as u64, CalledFrom::Limit, describe);
            // Call site and frame alone identify this path: unwinding each of these calls would slow the program down.
            self.remember_path(&mut shared.unwinding, site, path);
            return CallSite::of_path(path);
        }
        let end = self.find_callers(&mut shared.unwinding, is_site);
        let mut caller = end;
        for at in (0..shared.unwinding.frames.len()).rev() {
            let Some(frame) = shared.unwinding.frames.get(at) else { continue };
            caller = CalledFrom::Site(shared.site_on_path(frame.address as u64, caller, |_| None));
        }
        let path = shared.site_on_path(site.address() as u64, caller, describe);
        self.remember(&mut shared.unwinding, site, end, path);
        CallSite::of_path(path)
    }

    /// Remembers the path of a call whose site alone identifies the path.
    pub fn remember_path(&self, unwinding: &mut Unwinding, site: CallSite, path: u32) {
        unwinding.frames.clear();
        self.remember(unwinding, site, CalledFrom::Start, path);
    }

    /// Gives a call that the recorder makes up the path that it is on, without a definition.
    pub fn rehearse_path(&self, unwinding: &mut Unwinding, site: CallSite) -> CallSite {
        *self.stack.lend() = stack::of_thread();
        let end = self.find_callers(unwinding, |_, _| true);
        self.remember(unwinding, site, end, REHEARSED);
        CallSite::of_path(REHEARSED)
    }

    /// Finds the frames above the first one from the wrapper on for which `is_site` holds; it is told which are the recorder's
    /// own. Returns why there are no more.
    fn find_callers(&self, unwinding: &mut Unwinding, is_site: impl Fn(&StackFrame, bool) -> bool) -> CalledFrom {
        let wrapper = self.frame.get();
        let limit = path_limit::frames();
        let Unwinding { room, frames, .. } = unwinding;
        frames.clear();
        let (mut is_found, mut is_in_handler) = (false, false);
        let own = old_libc::object_at(always_the_same as *const () as usize).unwrap_or_default();
        let end = unwind::visit(room, self.stack.lend().clone(), |frame| {
            // Frames of a layer between program and MPI are no part of the path, nor are those that a signal
            // interrupted.
            is_in_handler = is_found && frame.is_interrupted;
            // Nor are the recorder's own, between a runtime's thread and the body of a parallel region.
            let is_own = own.contains(&frame.address);
            if is_found && !is_in_handler && !is_own {
                frames.push(frame);
            }
            is_found |= frame.at >= wrapper && is_site(&frame, is_own);
            frames.len() < limit && !is_in_handler
        });
        // On a stack that makecontext began, the C library's code does not say how to unwind further.
        let begins = frames.last().is_some_and(|outermost| is_of_the_c_library(outermost.address));
        match end {
            _ if !is_found => CalledFrom::NoUnwindInformation,
            WayEnd::Stopped if !is_in_handler => {
                frames.pop();
                CalledFrom::Limit
            }
            WayEnd::NoUnwindInformation if !begins => CalledFrom::NoUnwindInformation,
            _ => CalledFrom::Start,
        }
    }

    /// Remembers a path by the frames that were found.
    fn remember(&self, unwinding: &mut Unwinding, site: CallSite, end: CalledFrom, path: u32) {
        let wrapper = self.frame.get();
        let Unwinding { frames, words, .. } = unwinding;
        let stack = self.stack.lend().clone();
        // The distance between a layer's frames and the wrapper's is unknown.
        let is_near = stack.contains(&wrapper) || frames.is_empty() || !site.is_layered();
        if !is_near || !may_look_again(wrapper, frames, &stack) {
            return;
        }
        let constant = if end == CalledFrom::Start { always_the_same(frames) } else { 0 };
        words.clear();
        words.extend(frames.iter().map(|frame| StackWord { at: frame.at, holds: frame.address }));
        words.truncate(frames.len() - constant);
        if let Some(paths) = self.call_paths.lend().as_mut() {
            // SAFETY: the frames are on the stack now, and `may_look_again` has checked that they can be read later.
            unsafe { paths.add(site.word(), wrapper, words, path) };
        }
    }
}

/// The path number of rehearsed calls.
const REHEARSED: u32 = u32::MAX;

/// The number of outermost frames that the inner ones determine: the C library starts a function in only one way.
fn always_the_same(frames: &[StackFrame]) -> usize {
    // The program's own code that calls the C library first is the outermost.
    frames.iter().rev().skip(1).take_while(|frame| is_of_the_c_library(frame.address)).count()
}

fn is_of_the_c_library(address: usize) -> bool {
    old_libc::object_at(libc::getpid as *const () as usize).is_some_and(|library| library.contains(&address))
}

/// True if the words of a path can be read whenever a wrapper has the same frame again. On the thread's own stack they
/// always can. Another stack may meanwhile have been replaced by a shorter one: there a word must be on the page of the
/// word below, or at a distance from it that the code alone determines.
fn may_look_again(wrapper: usize, frames: &[StackFrame], stack: &Range<usize>) -> bool {
    let mut below = wrapper;
    for frame in frames {
        let is_own = stack.contains(&frame.at);
        if frame.at == 0 || !is_own && !frame.is_fixed && frame.at / PAGE != below / PAGE {
            return false;
        }
        below = frame.at;
    }
    true
}
