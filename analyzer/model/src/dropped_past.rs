//! What a rank's dropped records leave to those that are kept: messages and collective calls before them, and open requests.
//!
//! In: what the recorder says of the pages that it dropped ([`traces::dropped`]). Out: [`DroppedPast`]. MPI keeps order for each
//! (communicator, sender, receiver, tag), and for the collective calls of each communicator. So counts of what came before are
//! enough to pair what is kept, although each rank's records begin at another time.

use rustc_hash::{FxHashMap, FxHashSet};
use traces::dropped::{DroppedTotal, RequestState};
use traces::calls::Call;
use traces::read::{Contents, ThreadPages};
use traces::signature::tag;

use crate::Rank;
use crate::request_numbers::RequestId;
use crate::roles::{CallPart, Flow, Peer, Role, Roles};

/// Attributes by which MPI keeps messages in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MessageOrder {
    /// The run's number for the communicator.
    pub object: u32,
    pub from: u32,
    pub to: u32,
    pub tag: i32,
    pub partitioned: bool,
}

/// The dropped past of a rank.
#[derive(Default, Debug)]
pub struct DroppedPast {
    /// The tick from which all threads' records are kept.
    pub from: u64,
    /// Messages that it sent.
    pub sent: FxHashMap<MessageOrder, u64>,
    /// Messages that it received, those of pending receives not among them.
    pub received: FxHashMap<MessageOrder, u64>,
    /// Communicators of receives with a wildcard whose senders nobody told.
    pub untold: FxHashSet<u32>,
    /// Collective calls, by object.
    pub collectives: FxHashMap<u32, u64>,
    /// All calls in the collective order of an object, also those that need no other rank.
    pub in_order: FxHashMap<u32, u64>,
    /// Communicators made by their own processes alone.
    pub made_alone: u64,
    /// Pending requests, with their roles.
    pub pending: Vec<(RequestId, Role)>,
    /// Creations of persistent requests.
    pub persistent: Vec<(RequestId, Role)>,
    /// Requests that a dropped record of another thread completes.
    pub complete_already: Vec<RequestId>,
    /// What its threads did is not known in order: several have called, and pages are dropped one by one.
    pub is_unordered: bool,
    /// It opened or closed windows.
    pub has_windows: bool,
}

impl DroppedPast {
    /// `own` is the rank's place in [`Run::ranks`](crate::Run::ranks). `None` if nothing was dropped.
    pub fn of(own: u32, rank: &Rank, contents: &Contents<'_>, mut roles: Roles<'_>) -> Option<DroppedPast> {
        let mut past = DroppedPast { from: rank.kept_from?, ..DroppedPast::default() };
        let calls = |thread: &&ThreadPages<'_>| thread.dropped.is_some() || !thread.pages.is_empty();
        past.is_unordered =
            contents.threads.iter().filter(calls).count() > 1 || !contents.threads.iter().all(is_gapless);
        for thread in &contents.threads {
            let known = roles.thread(thread);
            past.add(own, thread, &known, &roles);
        }
        past.pending.sort_unstable_by_key(|(id, _)| *id);
        Some(past)
    }

    fn add(&mut self, own: u32, thread: &ThreadPages<'_>, known: &[Role], roles: &Roles<'_>) {
        let Some(dropped) = &thread.dropped else { return };
        let role = |signature: u32| known.get(signature as usize);
        let mut pending: FxHashMap<u32, u64> = FxHashMap::default();
        for request in dropped.requests {
            let id = (thread.number, request.number);
            match (role(request.signature), request.state) {
                (_, state) if state == RequestState::CompleteAlready as u32 => self.complete_already.push(id),
                (Some(role), state) if state == RequestState::Persistent as u32 => self.persistent.push((id, *role)),
                (Some(role), _) => {
                    *pending.entry(request.signature).or_default() += 1;
                    self.pending.push((id, *role));
                }
                (None, _) => {}
            }
        }
        let mut arrived: FxHashMap<u32, u64> = FxHashMap::default();
        for arrival in dropped.arrivals {
            *arrived.entry(arrival.signature).or_default() += arrival.count;
            let Some(role) = role(arrival.signature).filter(|role| receives(role)) else { continue };
            let from = (roles.peer(role.object, arrival.source), arrival.tag);
            self.receive(own, role, from, arrival.count);
        }
        for total in dropped.totals {
            let Some(role) = role(total.entry.signature).filter(|role| !role.nested) else { continue };
            let times = times(total, role);
            let open = pending.get(&total.entry.signature).copied().unwrap_or(0);
            let told = arrived.get(&total.entry.signature).copied().unwrap_or(0);
            self.calls(own, role, times, (open, told));
        }
    }

    /// Adds what calls of a role did so many times. Of their receives, some are pending, and of others the sender was told.
    fn calls(&mut self, own: u32, role: &Role, times: u64, (open, told): (u64, u64)) {
        let is_in_order = || Call::from_number(role.function).is_some_and(|call| Flow::in_order(call).is_some());
        if let Some(object) = role.object
            && (matches!(role.what, CallPart::Collective { .. }) || is_in_order())
        {
            *self.in_order.entry(object).or_default() += times;
        }
        match role.what {
            CallPart::Message { sends, receives, partitioned } => {
                if let (true, Peer::Rank(to), Some(object)) = (sends, role.to.0, role.object) {
                    let order = MessageOrder { object, from: own, to, tag: role.to.1, partitioned };
                    *self.sent.entry(order).or_default() += times;
                }
                let complete = times.saturating_sub(open);
                let is_wild = role.from.0 == Peer::Any || role.from.1 == tag::ANY;
                if receives && !is_wild {
                    self.receive(own, role, role.from, complete);
                } else if receives && told < complete {
                    self.untold.extend(role.object);
                }
            }
            CallPart::Collective { .. } => {
                if let Some(object) = role.object {
                    *self.collectives.entry(object).or_default() += times;
                }
            }
            CallPart::Make => self.made_alone += times,
            CallPart::Window(_) => self.has_windows = true,
            _ => {}
        }
    }

    fn receive(&mut self, own: u32, role: &Role, (from, tag): (Peer, i32), count: u64) {
        let partitioned = matches!(role.what, CallPart::Message { partitioned: true, .. });
        if let (Peer::Rank(from), Some(object)) = (from, role.object) {
            let order = MessageOrder { object, from, to: own, tag, partitioned };
            *self.received.entry(order).or_default() += count;
        }
    }
}

fn receives(role: &Role) -> bool {
    matches!(role.what, CallPart::Message { receives: true, .. })
}

/// How often calls of a signature took part in their operation.
fn times(total: &DroppedTotal, role: &Role) -> u64 {
    let is_collective = matches!(role.what, CallPart::Collective { .. });
    // Creating a persistent collective call takes its place among the others, whether it is started or not.
    let all = if role.creates && !is_collective { total.starts } else { total.entry.count };
    all.saturating_sub(total.void)
}

/// True if no page is missing between those that were dropped and the last one.
fn is_gapless(thread: &ThreadPages<'_>) -> bool {
    let first = thread.dropped.map_or(0, |dropped| dropped.pages);
    (first..).zip(&thread.pages).all(|(sequence, page)| sequence == page.sequence)
}
