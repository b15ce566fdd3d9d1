//! Finds a rank's habits in one walk through its calls.

use rustc_hash::FxHashMap;
use traces::calls::{Call, Class};

use super::SiteHabits;
use super::call_rows::{CallRows, LONGEST_GAP, RowPart};
use super::epochs::EpochReader;
use super::fans::OpenFan;
use super::poll_runs::{Poll, PollRuns, is_unseen};
use super::successions::OpenSuccession;
use crate::objects::Objects;
use crate::roles::{CallPart, Peer, Role, Roles};
use crate::run_parts::RunParts;
use crate::stream::TimedCall;
use crate::sums::{Grow, SpansAhead};
use crate::thread_calls::Detail;

/// A rank's habits so far.
pub struct HabitReader<'a> {
    pub habits: FxHashMap<u32, SiteHabits>,
    objects: &'a Objects,
    parts: RunParts,
    /// The rank's waits that are not over.
    pub waits: SpansAhead,
    rows: CallRows,
    succession: OpenSuccession,
    polls: PollRuns,
    fan: OpenFan,
    epochs: EpochReader,
    /// The site of a fan of nonblocking calls that is whole, until another message.
    pending_fan: Option<u32>,
    /// The site of the last call, if that was a probe that found a message.
    found: Option<u32>,
    /// Site of the last call; true if that call used a window or a file.
    last: Option<(u32, bool)>,
}

impl<'a> HabitReader<'a> {
    pub fn new(objects: &'a Objects, parts: RunParts) -> HabitReader<'a> {
        let (rows, fan) = (CallRows::default(), OpenFan::default());
        HabitReader {
            habits: FxHashMap::default(),
            objects,
            parts,
            waits: SpansAhead::default(),
            rows,
            succession: OpenSuccession::default(),
            polls: PollRuns::default(),
            fan,
            epochs: EpochReader::default(),
            pending_fan: None,
            found: None,
            last: None,
        }
    }

    pub fn call(&mut self, call: &TimedCall, role: &Role, details: &[Detail], roles: &Roles) {
        if role.place.counts() && !role.nested {
            let poll = self.polls.poll(call, role, details, roles);
            if self.polls.has_received {
                self.rows.receive();
            }
            self.add(call, role, poll);
            self.end_polls(role.place.number() as u32, poll);
        }
    }

    /// Adds the time of the polls in vain that ended with the last call, if that found something.
    fn end_polls(&mut self, site: u32, poll: Poll) {
        let Poll::Found(rank) = poll else { return };
        for (site, span) in self.polls.ended(site) {
            let Some(habits) = self.habits.get_mut(&site) else { continue };
            habits.awaited.grow(span);
            if let Some(rank) = rank {
                habits.awaited_of.entry(rank).or_default().grow(span);
            }
        }
    }

    fn add(&mut self, call: &TimedCall, role: &Role, poll: Poll) {
        let site = role.place.number() as u32;
        let waited = self.waits.shared_time((call.start, call.end)).min(call.inside);
        let part = self.rows.add(call, role);
        let behind = self.succession.add(call, role);
        let size = role.object.map_or(0, |object| self.objects.groups[object as usize].size());
        let fan = self.fan.add(call, role, size.saturating_sub(1), waited);
        self.complete_fan(call, role, waited);
        if fan.is_some() && role.takes {
            self.pending_fan = Some(site);
        }
        let epoch = self.epochs.add(call, role, waited);
        let has_unseen = self.has_unseen(role);
        let uses_memory = is_of_memory(role);
        let guards = self.guards(uses_memory);
        if let Some((before, gap)) = self.polls.add(call, site, poll)
            && let Some(habits) = self.habits.get_mut(&before)
        {
            habits.between_tests.grow(gap);
            habits.in_turn.grow(u64::from(before != site));
        }
        let in_vain = poll == Poll::InVain;
        let habits = self.habits.entry(site).or_insert_with(|| SiteHabits::new(role));
        if in_vain {
            habits.in_vain.grow(call.count);
            habits.in_vain_time.grow(call.inside);
            habits.between_tests.grow(call.end - call.start - call.inside);
        }
        let has_found = role.what == CallPart::Probe && !in_vain;
        let is_known = has_found && self.found == Some(site);
        if !(in_vain || is_known) {
            habits.found.grow(call.count);
        }
        self.found = has_found.then_some(site);
        habits.count.grow(call.count);
        habits.time.grow(call.inside);
        habits.waited.grow(waited);
        let bytes = role.sent.max(role.received);
        habits.bytes.grow(bytes);
        if role.pieces > 0 {
            habits.pieces.grow(role.pieces);
            habits.bytes_in_pieces.grow(bytes);
        }
        habits.over_run.add(self.parts.at(call.start), call.count, call.inside - waited, bytes);
        match part {
            RowPart::First => {}
            RowPart::Next => {
                habits.repeated.grow(1);
                if waited <= LONGEST_GAP {
                    habits.waited_briefly.grow(waited);
                }
            }
            RowPart::Paused(time) => habits.paused.grow(time),
        }
        if let Some(first) = behind {
            habits.behind.add(call.inside - waited, first);
        }
        habits.guards.grow(u64::from(guards));
        if let (Poll::Found(rank), Some(time)) = (poll, self.polls.before_found) {
            habits.looks.add(time, rank);
        }
        if let Some(fan) = fan {
            habits.fans.merge(&fan);
        }
        if let Some(epoch) = epoch {
            habits.epochs.merge(&epoch);
        }
        if has_unseen {
            habits.with_unseen.grow((call.inside - waited).max(0));
        }
        self.last = Some((site, uses_memory));
    }

    /// True if a rank takes part in the call that has no records here.
    fn has_unseen(&self, role: &Role) -> bool {
        match role.what {
            CallPart::Message { .. } | CallPart::Probe => {
                [role.to.0, role.from.0].into_iter().any(|peer| is_unseen(peer, role.object, self.objects))
            }
            CallPart::Collective { .. } => self.objects.lacks_some(role.object),
            CallPart::Make => role.call().is_some_and(|call| [Call::Comm_accept, Call::Comm_connect].contains(&call)),
            _ => self.polls.has_unseen,
        }
    }

    /// Adds a call that completes requests to the fan that began them.
    fn complete_fan(&mut self, call: &TimedCall, role: &Role, waited: i64) {
        if role.what != CallPart::Nothing {
            self.pending_fan = None;
        } else if role.call().is_some_and(|call| call.class() == Class::Completion)
            && let Some(habits) = self.pending_fan.and_then(|site| self.habits.get_mut(&site))
        {
            habits.fans.time.grow(call.inside);
            habits.fans.waited.grow(waited);
        }
    }

    /// True if the previous call uses windows or files. If this call does, the previous one counts as a guard, too.
    fn guards(&mut self, uses_memory: bool) -> bool {
        let Some((last, did)) = self.last else { return false };
        if uses_memory && let Some(before) = self.habits.get_mut(&last) {
            before.guards.grow(1);
        }
        did
    }
}

fn is_of_memory(role: &Role) -> bool {
    let class = role.call().map(Call::class);
    class.is_some_and(|class| matches!(class, Class::Rma | Class::Window | Class::Io | Class::File))
}

impl SiteHabits {
    fn new(role: &Role) -> SiteHabits {
        SiteHabits {
            function: role.function,
            part: match role.what {
                CallPart::Collective { flow, .. } => CallPart::Collective { flow, root: false },
                part => part,
            },
            starts: role.takes,
            from_any: matches!(role.what, CallPart::Message { receives: true, .. }) && role.from.0 == Peer::Any,
            ..SiteHabits::default()
        }
    }
}
