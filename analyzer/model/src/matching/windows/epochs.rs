//! Matches MPI_Win_post with MPI_Win_start, and MPI_Win_complete with MPI_Win_wait.
//!
//! On one window, the k-th start of rank a towards rank b belongs to the k-th post of b towards a. So the two ranks and a number
//! identify each step, whichever rank comes first.

use std::sync::{Mutex, MutexGuard};

use rustc_hash::FxHashMap;

use super::super::collective_node::CollectiveNode;
use super::super::collectives::Collectives;
use super::super::wait_sums::{RankSite, WaitState, Waits};
use super::super::{Cause, WaitingCall};
use super::{Called, OwnSteps};
use crate::parallel::lock;

/// Open epochs of all windows.
pub struct Epochs<'a> {
    collectives: &'a Collectives<'a>,
    /// By object.
    windows: Vec<Mutex<Window>>,
}

/// A call of one rank that lets another go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum EpochKind {
    Post,
    Complete,
}

/// The `before + 1`st such call of rank `by` towards rank `whom`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Step {
    kind: EpochKind,
    by: u32,
    whom: u32,
    before: u64,
}

/// The half of a step that came first.
enum Half {
    /// The call was made, at this time and site.
    Done(i64, RankSite),
    /// The call is awaited, by this number in `waiting`.
    Awaited(u64),
}

/// An epoch that a rank has opened.
#[derive(Default)]
struct OpenWindow {
    /// The peer, its earlier epochs with this rank, and the node of the step by which the peer opens the epoch.
    peers: Vec<(u32, u64, Option<CollectiveNode>)>,
    /// Number of the wait in [`Window::waiting`].
    waiting: u64,
}

/// Calls of a rank, one of which waits for several steps.
struct WaitingCalls {
    state: WaitState,
    calls: Vec<Called>,
    /// Steps that are not known yet, plus one until all calls are known.
    missing: usize,
    latest: Option<(i64, RankSite)>,
}

#[derive(Default)]
struct Window {
    steps: FxHashMap<Step, (Half, Option<CollectiveNode>)>,
    /// Number of starts and posts of one rank towards another.
    started: FxHashMap<(u32, u32), u64>,
    posted: FxHashMap<(u32, u32), u64>,
    /// Open epochs by rank.
    accesses: FxHashMap<u32, OpenWindow>,
    exposures: FxHashMap<u32, OpenWindow>,
    waiting: FxHashMap<u64, WaitingCalls>,
    /// Last number given out in `waiting`.
    next: u64,
}

impl<'a> Epochs<'a> {
    pub fn new(collectives: &'a Collectives<'a>) -> Epochs<'a> {
        let windows = collectives.objects.groups.iter().map(|_| Mutex::default()).collect();
        Epochs { collectives, windows }
    }

    /// `group` is the rank's own number for the group.
    pub fn start(&self, window: u32, group: i32, call: Called, waits: &mut Waits) {
        let rank = call.at.rank;
        let mut window = self.lock(window);
        let peers = self.peers(rank, group);
        let waiting = window.wait(WaitState::LatePost, vec![call], peers.len());
        let mut open = OpenWindow { peers: Vec::new(), waiting };
        for peer in peers {
            let before = count(&mut window.started, (rank, peer));
            let step = Step { kind: EpochKind::Post, by: peer, whom: rank, before };
            let node = self.await_step(&mut window, step, waiting, waits);
            open.peers.push((peer, before, node));
        }
        window.accesses.insert(rank, open);
    }

    pub fn complete(&self, window: u32, call: Called, own: &mut OwnSteps, waits: &mut Waits) {
        let rank = call.at.rank;
        let mut window = self.lock(window);
        let Some(open) = window.accesses.remove(&rank) else { return };
        // The data cannot arrive before all targets have posted.
        for (_, _, node) in &open.peers {
            own.awaits(node.clone());
        }
        for (peer, before, _) in open.peers {
            let step = Step { kind: EpochKind::Complete, by: rank, whom: peer, before };
            own.comes(self.done(&mut window, step, call, waits), call.begins());
        }
        if let Some(waiting) = window.waiting.get_mut(&open.waiting) {
            waiting.calls.push(call);
        }
        self.know(&mut window, open.waiting, None, waits);
    }

    /// `group` is the rank's own number for the group.
    pub fn post(&self, window: u32, group: i32, call: Called, own: &mut OwnSteps, waits: &mut Waits) {
        let rank = call.at.rank;
        let mut window = self.lock(window);
        // MPI_Win_test ended the previous epoch, and does not wait.
        if let Some(open) = window.exposures.remove(&rank) {
            self.end(&mut window, rank, open, Vec::new(), waits);
        }
        let mut open = OpenWindow::default();
        for peer in self.peers(rank, group) {
            let before = count(&mut window.posted, (rank, peer));
            let step = Step { kind: EpochKind::Post, by: rank, whom: peer, before };
            let node = self.done(&mut window, step, call, waits);
            own.comes(node.clone(), call.begins());
            open.peers.push((peer, before, node));
        }
        window.exposures.insert(rank, open);
    }

    pub fn wait(&self, window: u32, call: Called, own: &mut OwnSteps, waits: &mut Waits) {
        let mut window = self.lock(window);
        let Some(open) = window.exposures.remove(&call.at.rank) else { return };
        let nodes = self.end(&mut window, call.at.rank, open, vec![call], waits);
        for node in nodes {
            own.awaits(node);
        }
    }

    /// Ends a rank's exposure, which waits for its origins to complete. Returns the nodes of their steps.
    fn end(
        &self,
        window: &mut Window,
        rank: u32,
        open: OpenWindow,
        calls: Vec<Called>,
        waits: &mut Waits,
    ) -> Vec<Option<CollectiveNode>> {
        let waiting = window.wait(WaitState::EarlyWait, calls, open.peers.len());
        let step = |(peer, before, _)| Step { kind: EpochKind::Complete, by: peer, whom: rank, before };
        let nodes = open.peers.into_iter().map(|peer| self.await_step(window, step(peer), waiting, waits)).collect();
        self.know(window, waiting, None, waits);
        nodes
    }

    /// Ranks of a group, by the rank's own number for it.
    fn peers(&self, rank: u32, group: i32) -> Vec<u32> {
        let members = u32::try_from(group).ok().and_then(|group| self.collectives.objects.opened_to(rank, group));
        members.unwrap_or_default().to_vec()
    }

    /// Enters a step that was made. Returns its node.
    fn done(&self, window: &mut Window, step: Step, call: Called, waits: &mut Waits) -> Option<CollectiveNode> {
        match window.steps.remove(&step) {
            Some((Half::Awaited(waiting), node)) => {
                self.know(window, waiting, Some((call.begin, call.at)), waits);
                node
            }
            _ => {
                let node = self.collectives.node(1);
                window.steps.insert(step, (Half::Done(call.begin, call.at), node.clone()));
                node
            }
        }
    }

    /// Enters a step that is awaited. Returns its node.
    fn await_step(&self, window: &mut Window, step: Step, waiting: u64, waits: &mut Waits) -> Option<CollectiveNode> {
        match window.steps.remove(&step) {
            Some((Half::Done(at, who), node)) => {
                self.know(window, waiting, Some((at, who)), waits);
                node
            }
            _ => {
                let node = self.collectives.node(1);
                window.steps.insert(step, (Half::Awaited(waiting), node.clone()));
                node
            }
        }
    }

    /// Makes one more step of a wait known, and charges the wait if that was the last.
    fn know(&self, window: &mut Window, number: u64, done: Option<(i64, RankSite)>, waits: &mut Waits) {
        let Some(waiting) = window.waiting.get_mut(&number) else { return };
        waiting.missing -= 1;
        waiting.latest = waiting.latest.max(done);
        if waiting.missing > 0 {
            return;
        }
        if let Some(waiting) = window.waiting.remove(&number) {
            self.charge(&waiting, waits);
        }
    }

    /// Charges calls that have not returned with the steps that no rank has made. To be called after all calls of all ranks.
    pub fn finish(&self, waits: &mut Waits) {
        let common_clock = self.collectives.common_clock;
        for window in &self.windows {
            for WaitingCalls { state, calls, missing, .. } in lock(window).waiting.values() {
                let Some(call) = calls.iter().find(|call| call.open) else { continue };
                // The missing MPI_Win_complete counts as one.
                let known = usize::from(*state == WaitState::LatePost && calls.len() == 1);
                if *missing > known {
                    let error = common_clock.lines[call.at.rank as usize].error(call.end);
                    let Called { at, begin, end, .. } = *call;
                    waits.add_open((*state, None), WaitingCall { at, thread: 0, begin, end }, error);
                }
            }
        }
    }

    fn charge(&self, waiting: &WaitingCalls, waits: &mut Waits) {
        let Some((at, who)) = waiting.latest else { return };
        let common_clock = self.collectives.common_clock;
        // A call that ended before the step did not wait for it.
        let lasted = |call: &&Called| at - common_clock.error_between(call.at.rank, who.rank, at) < call.end;
        if let Some(call) = waiting.calls.iter().find(lasted) {
            let call = WaitingCall { at: call.at, thread: 0, begin: call.begin, end: call.end };
            Cause { at, who, thread: 0, state: waiting.state }.charge(call, common_clock, waits);
        }
    }

    fn lock(&self, window: u32) -> MutexGuard<'_, Window> {
        lock(&self.windows[window as usize])
    }
}

impl Window {
    /// Adds a wait for `steps` steps, plus one until all its calls are known. Returns its number.
    fn wait(&mut self, state: WaitState, calls: Vec<Called>, steps: usize) -> u64 {
        self.next += 1;
        self.waiting.insert(self.next, WaitingCalls { state, calls, missing: steps + 1, latest: None });
        self.next
    }
}

/// Increments a counter; returns its old value.
fn count(counts: &mut FxHashMap<(u32, u32), u64>, pair: (u32, u32)) -> u64 {
    let count = counts.entry(pair).or_default();
    *count += 1;
    *count - 1
}
