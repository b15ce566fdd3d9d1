//! Numbers a thread's signatures. Each gets one number, and its definition is in the file before a call with it begins.

use std::cell::Cell;

use traces::drop_account::CountedSignature;
use traces::file::{LEVELS, Stop};
use traces::record::UNNUMBERED;
use traces::signature::{CREATES, STARTS, Signature};

use super::call_room::NO_SIGNATURE;
use super::profile;
use super::recording::Thread;
use crate::call_site::CallSite;
use crate::recorder::file::pages::Output;
use crate::recorder::file::ring;
use crate::recorder::file::shared;
use crate::recorder::file::totals::CountedCalls;
use recorder_core::dictionary::Key;

impl Thread {
    /// The number of a signature, if it has one.
    pub fn number_of(&self, key: &Key) -> Option<u32> {
        self.dictionary.lend().find(key)
    }

    /// The number that the next signature gets.
    pub(super) fn next_number(&self) -> u32 {
        self.dictionary.lend().next_number()
    }

    /// Gives a signature a number that is not defined in the file.
    pub fn give_untold_number(&self, key: &Key) -> Option<u32> {
        self.dictionary.lend().add(key, |_| ())
    }

    /// Gives a signature from a known call site a number without taking a lock, if there is room for it.
    pub fn give_number_at_once(&self, key: &Key) -> Option<u32> {
        let (site, output) = (shared::known_site(key.address)?, shared::output()?);
        let has_room = self.signatures.lend().has_room() && self.dictionary.lend().has_room();
        if has_room && !self.has_profile() && !ring::is_too_varied(self.next_number()) {
            self.define(key, site, output).ok()
        } else {
            None
        }
    }

    /// Gives a signature from this call site a number. `None` if there is no room for it; then the block holds the
    /// signature.
    pub fn give_number(&self, key: &Key, site: u32) -> Option<u32> {
        let output = shared::output()?;
        let number = match self.has_profile() && self.next_number() > profile::PLENTY {
            true => self.define_together(key, site, output),
            false if !self.has_profile() && ring::is_too_varied(self.next_number()) => Err(Stop::TooVaried),
            false => self.define(key, site, output),
        };
        number.inspect_err(|stop| self.no_number(key.signature(UNNUMBERED, site), output, *stop)).ok()
    }

    /// Gives a signature a number, and defines it in the file.
    fn define(&self, key: &Key, site: u32, output: &Output) -> Result<u32, Stop> {
        self.signatures.lend().make_room(output)?;
        // A site on a path has no address in its signature: the key holds the number of the path instead.
        let address = if CallSite::path(key.address).is_some() { 0 } else { key.address };
        let tell = |number| {
            self.signatures.lend().define(&Signature { address, ..key.signature(number, site) });
            self.block.signature_written();
        };
        let number = self.dictionary.lend().add(key, tell).ok_or(Stop::NoMemory)?;
        self.keep_room(output);
        Ok(number)
    }

    /// Gives a signature a number, and makes the profile count its calls together with those that differ only by their
    /// messages.
    fn define_together(&self, key: &Key, site: u32, output: &Output) -> Result<u32, Stop> {
        let others = key.of_any_message();
        let told = self.number_of(&others).map_or_else(|| self.define(&others, site, output), Ok)?;
        if others == *key {
            return Ok(told);
        }
        let number = self.give_untold_number(key).ok_or(Stop::NoMemory)?;
        let tell = |offset| self.profile()?.tell_as(number + offset, told + offset);
        tell(0).ok_or(Stop::NoMemory)?;
        // The next number is for calls whose requests are complete at once.
        if key.flags & STARTS != 0 {
            tell(1).ok_or(Stop::NoMemory)?;
        }
        Ok(number)
    }

    /// Takes the next page of records; true if it is an old one. The ring first gets this thread's signatures, since it
    /// counts dropped records by signature.
    pub(super) fn turn_events(&self, output: &Output) -> Result<bool, Stop> {
        let mut ring = ring::lock();
        if let Some(ring) = &mut ring {
            self.tell_signatures(ring.signatures(self.number()));
        }
        self.events.turn(output, ring.as_deref_mut())
    }

    /// Adds this thread's signatures that `known` lacks, by number; there is none with number 0.
    pub(super) fn tell_signatures(&self, known: &mut Vec<CountedSignature>) {
        if known.is_empty() {
            known.push(CountedSignature::default());
        }
        while (known.len() as u32) < self.next_number() {
            let number = known.len() as u32;
            let signature = self.dictionary.lend().key(number).signature(number, 0);
            known.push(CountedSignature::of(&signature, false));
            // The next number is for calls whose requests are complete at once.
            if signature.flags & STARTS != 0 {
                known.push(CountedSignature::of(&signature, true));
            }
        }
    }

    /// The number by which the file knows a signature.
    pub(super) fn told(&self, signature: u32) -> u32 {
        self.profile().map_or(signature, |profile| profile.told(signature))
    }

    /// Handles a call without a number, which cannot have a record: from here on calls are counted.
    fn no_number(&self, signature: Signature, output: &Output, stop: Stop) {
        let level = (self.depth() as usize).min(LEVELS - 1);
        if let Some(own) = self.room().unnumbered.get(level) {
            own.set(signature);
        }
        self.block.set_unnumbered(signature);
        if !self.has_profile() {
            self.profile_begins(output);
            shared::stopped(stop);
        }
    }

    /// The key of a signature, unless it has no number.
    #[inline(always)]
    pub fn key(&self, signature: u32) -> Option<&'static Key> {
        (signature != UNNUMBERED).then(|| self.dictionary.lend().key(signature))
    }

    /// The calls that the one that is being left is counted with, if there is no room for its signature.
    pub(super) fn counted_calls(&self, signature: u32) -> CountedCalls {
        let of_unnumbered = |own: Signature| CountedCalls::of(own.call, own.flags);
        let key = self.key(signature);
        key.map_or_else(|| of_unnumbered(self.unnumbered()), |key| CountedCalls::of(key.call, key.flags))
    }

    /// The signature of the call that is being left, if it has no number.
    pub(super) fn unnumbered(&self) -> Signature {
        let level = (self.depth() as usize).saturating_sub(1).min(LEVELS - 1);
        self.room().unnumbered.get(level).map_or(NO_SIGNATURE, Cell::get)
    }

    /// True if a call of this signature takes a request number.
    #[cold]
    pub(super) fn takes_request(&self, signature: u32) -> bool {
        let flags = self.key(signature).map_or_else(|| self.unnumbered().flags, |key| key.flags);
        flags & (STARTS | CREATES) != 0
    }

    /// Corrects the received bytes of the call just left, which has no number.
    #[cold]
    pub fn unnumbered_arrived(&self, bytes: u64) {
        let unnumbered = self.unnumbered();
        if let Some(profile) = self.profile() {
            let calls = CountedCalls::of(unnumbered.call, unnumbered.flags);
            profile.arrived(UNNUMBERED, calls, unnumbered.received, bytes);
        }
    }
}
