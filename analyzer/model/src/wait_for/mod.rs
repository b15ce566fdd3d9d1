//! Builds the wait-for graph of a run at one moment: which other ranks each rank needs before it goes on.
//!
//! In: the state of the ranks, and their activity between two looks. Out: a [`Need`] of each. Missing data counts as unknown, and
//! a rank outside MPI may do anything, so no rank is called deadlocked that may go on. A rank goes on if one of its threads does.

mod collectives;
mod mail;
mod windows;

use rustc_hash::FxHashSet;
use traces::calls::Call;

use super::deadlock::{Doubt, Need};
use super::process::ProcessState;
use super::request_numbers::RequestId;
use super::roles::Peer;
use super::standing::{Awaited, CollectivePart, Completes, Entered, Position, SendMode, Standing, ThreadStanding};
use crate::parallel;
pub use collectives::{Absence, silent_neighbor};
use collectives::{Absences, absences_of, all_absences, has_diverged};
use mail::mailboxes;
pub use mail::{Mailbox, MessageClass, MessagesUnderWay, PostedReceive, ReceiveOwner};
pub use windows::holders;

/// Reason why a rank's process cannot do anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// A signal or a debugger stopped it.
    Stopped,
    /// It ended without finalizing MPI.
    Dead,
}

impl Halt {
    pub fn of(state: ProcessState) -> Option<Halt> {
        match state {
            ProcessState::Stopped => Some(Halt::Stopped),
            ProcessState::Gone => Some(Halt::Dead),
            ProcessState::Running | ProcessState::Asleep => None,
        }
    }
}

/// Activity of a rank between two looks.
#[derive(Clone, Default, Debug)]
pub struct Sighting {
    pub halt: Option<Halt>,
    /// It moved, so its file may be out of date.
    pub moved: bool,
    /// Threads that have ended, by the recorder's numbers.
    pub ended: Vec<u32>,
    /// Threads that had time to leave their call and did not.
    pub sit: Vec<u32>,
    /// Threads that poll without success, with nothing between that takes time.
    pub polls: Vec<u32>,
    /// Doubt left by threads that may call MPI and have not; `None` without such threads.
    pub strangers: Option<Doubt>,
    /// It computes outside MPI, or may: its process is not on this host.
    pub computes: bool,
    /// Calls are missing from its recording.
    pub is_partial: bool,
}

/// The wait-for graph.
pub struct WaitFor {
    /// The need of each rank.
    pub needs: Vec<Need>,
    /// Messages and receives of each rank.
    pub mail: Vec<Mailbox>,
    absences: Absences,
}

impl WaitFor {
    /// Builds the graph; `sightings` are in the order of the run.
    pub fn of(standing: &Standing, sightings: &[Sighting]) -> WaitFor {
        let absences = all_absences(standing);
        let objects: FxHashSet<u32> = absences.keys().map(|key| key.0).collect();
        let diverged = objects.into_iter().filter(|object| has_diverged(standing, sightings, *object)).collect();
        let graph = Graph { standing, sightings, mail: mailboxes(standing), absences, diverged };
        let needs = parallel::map(standing.ranks.len(), |at| graph.rank(at));
        WaitFor { needs, mail: graph.mail, absences: graph.absences }
    }

    /// The ranks that take no part in a collective call that a rank is in or has pending, with the reason.
    pub fn absences(&self, part: &CollectivePart) -> &[(usize, Absence)] {
        absences_of(&self.absences, part)
    }
}

struct Graph<'a> {
    standing: &'a Standing,
    sightings: &'a [Sighting],
    mail: Vec<Mailbox>,
    /// Ranks that take no part in the collective calls that others are in.
    absences: Absences,
    /// Objects on which ranks made collective calls that did not match.
    diverged: FxHashSet<u32>,
}

impl Graph<'_> {
    fn rank(&self, at: usize) -> Need {
        let (rank, seen) = (&self.standing.ranks[at], &self.sightings[at]);
        if rank.is_finalized() {
            return Need::Impossible;
        }
        if seen.moved {
            return Need::Unknown;
        }
        if seen.halt == Some(Halt::Dead) {
            return Need::Impossible.doubted(Doubt::Ending);
        }
        let threads = rank.threads.iter().filter(|thread| !seen.ended.contains(&thread.number));
        let mut needs: Vec<Need> = threads.map(|thread| self.thread(at, thread)).collect();
        if needs.is_empty() {
            return Need::Unknown;
        }
        needs.extend(seen.strangers.map(|doubt| Need::Impossible.doubted(doubt)));
        let need = Need::any(needs);
        let need = if seen.is_partial { need.doubted(Doubt::Program) } else { need };
        match seen.halt {
            Some(Halt::Stopped) => Need::All(vec![need, Need::Impossible.doubted(Doubt::Stopped)]),
            _ => need,
        }
    }

    fn thread(&self, at: usize, thread: &ThreadStanding) -> Need {
        match &thread.position {
            Position::Inside(entered) => self.call(at, thread.number, ReceiveOwner::Call(thread.number), entered),
            Position::Asking(asked) => {
                let is_tight = self.sightings[at].polls.contains(&thread.number);
                let of = |place| ReceiveOwner::Poll(thread.number, place);
                let polls = asked.iter().enumerate();
                let needs = polls.map(|(place, entered)| self.call(at, thread.number, of(place), entered));
                Need::any(needs.collect()).doubted(if is_tight { Doubt::Polls } else { Doubt::Program })
            }
            Position::Outside { .. } => Need::Unknown,
            Position::Finalized => Need::Impossible,
        }
    }

    fn call(&self, at: usize, thread: u32, of: ReceiveOwner, entered: &Entered) -> Need {
        // A call that begins a request returns.
        if entered.role.takes {
            return Need::Nothing;
        }
        if entered.finalizes() {
            return self.finalizing(at);
        }
        let sits = self.sightings[at].sit.contains(&thread);
        if let Some(completes) = entered.completes {
            return self.completion(at, entered, completes, sits);
        }
        if let Some(need) = self.window(at, entered) {
            return need;
        }
        self.all(at, of, &entered.awaits, sits)
    }

    /// The need for all of these events. A thread that `sits` in a pure send proves that no buffer took the message.
    fn all(&self, at: usize, of: ReceiveOwner, awaits: &[Awaited], sits: bool) -> Need {
        let sends_only = |awaits: &Awaited| matches!(awaits, Awaited::Delivery { .. });
        let proven = sits && awaits.iter().all(sends_only);
        Need::all(awaits.iter().map(|awaits| self.one(at, of, awaits, proven)).collect())
    }

    fn one(&self, at: usize, of: ReceiveOwner, awaits: &Awaited, proven: bool) -> Need {
        match *awaits {
            Awaited::Message { object: Some(object), from, .. } => self.message(at, of, object, from),
            Awaited::Delivery { until: SendMode::Buffered, .. } => Need::Nothing,
            Awaited::Delivery { object: Some(object), to: Peer::Rank(to), tag, until } => {
                let need = self.delivery(at, of, to as usize, (object, at as u32, tag));
                if until == SendMode::Received || proven { need } else { need.doubted(Doubt::Program) }
            }
            Awaited::Collective(part) => self.collective(at, &part),
            Awaited::Makers => self.makers(at),
            Awaited::Message { .. } | Awaited::Delivery { .. } | Awaited::Other => Need::Unknown,
        }
    }

    fn message(&self, at: usize, of: ReceiveOwner, object: u32, from: Peer) -> Need {
        if from == Peer::Nobody {
            return Need::Nothing;
        }
        match self.mail[at].post(of) {
            Some(post) if post.is_contested => match self.arriving(at, object, from) {
                Need::Nothing => self.another_message(object, from).doubted(Doubt::Wildcard),
                need => need,
            },
            Some(post) if post.is_served => self.arriving(at, object, from),
            _ => self.another_message(object, from),
        }
    }

    /// The need for a message that has not been sent yet.
    fn another_message(&self, object: u32, from: Peer) -> Need {
        match from {
            Peer::Rank(from) => Need::Rank(from as usize),
            Peer::Any => {
                let group = &self.standing.objects.groups[object as usize];
                let anybody = group.everybody().map(|rank| Need::Rank(rank as usize));
                if group.is_here() { Need::any(anybody.collect()) } else { Need::Unknown }
            }
            Peer::Nobody | Peer::Unknown | Peer::Unrecorded => Need::Unknown,
        }
    }

    /// The need for a message that is under way: it arrives if its sender need not turn MPI's engine.
    fn arriving(&self, at: usize, object: u32, from: Peer) -> Need {
        let is_sending = |rank: u32| {
            let rank = &self.standing.ranks[rank as usize];
            let is_to_it = |awaits: &Awaited| {
                matches!(*awaits, Awaited::Delivery { object: on, to, .. }
                    if on == Some(object) && to == Peer::Rank(at as u32))
            };
            let pending = rank.past.pending.values().flat_map(|request| &request.awaits).any(is_to_it);
            pending && rank.entered().next().is_none()
        };
        let waits = match from {
            Peer::Rank(from) => is_sending(from),
            _ => self.standing.objects.groups[object as usize].everybody().any(is_sending),
        };
        if waits { Need::Unknown } else { Need::Nothing }
    }

    /// The need for a receive of a message of this class, beyond those for earlier messages.
    fn delivery(&self, at: usize, of: ReceiveOwner, to: usize, class: MessageClass) -> Need {
        let left = self.mail[to].under_way.get(&class).map_or(0, |under_way| under_way.count);
        // This message and later ones that the program has not seen complete.
        let own = 1 + self.sent_after(at, of, to, class);
        let before = left.checked_sub(own);
        let takers = self.mail[to].takers(class);
        match before {
            Some(before) if takers <= before => Need::Rank(to),
            _ if self.standing.ranks[to].entered().next().is_none() => Need::Unknown,
            _ => Need::Nothing,
        }
    }

    fn sent_after(&self, at: usize, of: ReceiveOwner, to: usize, (object, _, tag): MessageClass) -> u64 {
        let rank = &self.standing.ranks[at];
        let is_alike = |awaits: &Awaited| {
            matches!(*awaits, Awaited::Delivery { object: on, to: other, tag: with, .. }
                if (on, other, with) == (Some(object), Peer::Rank(to as u32), tag))
        };
        let since = |id: &RequestId| rank.past.pending.get(id).map(|request| request.begun);
        let ReceiveOwner::Request(own) = of else { return 0 };
        let later = rank.past.pending.iter().filter(|(id, request)| {
            (Some(request.begun), **id) > (since(&own), own) && request.awaits.iter().any(is_alike)
        });
        let open = rank.entered().filter(|(_, entered)| entered.awaits.iter().any(is_alike));
        (later.count() + open.count()) as u64
    }

    /// MPI_Finalize returns when all ranks of the world have reached it.
    fn finalizing(&self, at: usize) -> Need {
        let (ranks, worlds) = (&self.standing.ranks, &self.standing.worlds);
        let is_there = |other: usize| {
            ranks[other].is_finalized() || ranks[other].entered().any(|(_, entered)| entered.finalizes())
        };
        let others = (0..ranks.len()).filter(|other| *other != at && worlds[*other] == worlds[at]);
        Need::all(others.filter(|other| !is_there(*other)).map(Need::Rank).collect())
    }

    /// The need of a call that completes requests. Only their number is recorded: unless they are all that are pending, any pending
    /// request may be among them.
    fn completion(&self, at: usize, entered: &Entered, completes: Completes, sits: bool) -> Need {
        let past = &self.standing.ranks[at].past;
        if past.pending.is_empty() || past.may_be_cancelled() {
            return Need::Unknown;
        }
        let given = entered.signature.requests as usize;
        let takes_all = completes == Completes::All && given >= past.pending.len();
        // A thread that stays in a wait for any request shows that none is complete, so no send is buffered. In a wait for all it
        // shows that one is not complete: a send, if all are.
        let takes_any = completes == Completes::Any && given >= past.pending.len();
        let mut needs: Vec<Need> = Vec::new();
        for (id, request) in &past.pending {
            needs.push(self.all(at, ReceiveOwner::Request(*id), &request.awaits, sits && takes_any));
        }
        if takes_all && !past.has_freed_started {
            let is_send =
                |need: &Need| matches!(need, Need::Doubted(Doubt::Program, inner) if matches!(**inner, Need::Rank(_)));
            if sits && needs.iter().all(is_send) {
                needs = needs.into_iter().map(undoubted).collect();
            }
            return Need::all(needs);
        }
        // A request whose need is met would end the call if it is among the call's and the library has noticed.
        let (met, unmet): (Vec<Need>, Vec<Need>) = needs.into_iter().partition(Need::is_met_already);
        match met.is_empty() {
            true => Need::any(unmet),
            // The program freed a request that was active, and may wait for it by a copy of its handle.
            false if unmet.is_empty() && past.has_freed_started => Need::Unknown,
            false if unmet.is_empty() => Need::Nothing,
            false => Need::any(unmet).doubted(if sits { Doubt::Library } else { Doubt::Program }),
        }
    }
}

fn undoubted(need: Need) -> Need {
    if let Need::Doubted(_, need) = need { *need } else { need }
}

fn makes_alone(call: Option<Call>) -> bool {
    call.is_some_and(Call::makes_alone)
}
