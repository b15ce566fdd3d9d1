//! Windows that are opened by MPI_Win_post and MPI_Win_start.
//!
//! Of a window, the k-th time that a rank starts for another goes with the k-th time that the other posts for the rank. So each
//! of the two can be told by the two ranks and a number, whoever comes first.

use std::sync::{Mutex, MutexGuard};

use rustc_hash::FxHashMap;

use super::super::Cause;
use super::super::collectives::Collectives;
use super::super::links::Links;
use super::super::waits::{RankSite, WaitState, Waits};
use super::Called;
use crate::parallel::lock;

/// See the module.
pub struct Epochs<'a> {
    collectives: &'a Collectives<'a>,
    /// By object.
    windows: Vec<Mutex<Window>>,
}

/// What one rank does for another to go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum EpochKind {
    Post,
    Complete,
}

/// One time that a rank does that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Step {
    kind: EpochKind,
    by: u32,
    whom: u32,
    before: u64,
}

/// Which of the two that a step takes came first.
enum Half {
    /// It was done.
    Done(i64, RankSite),
    /// It is waited for.
    Awaited(u64),
}

/// A rank has opened the window.
#[derive(Default)]
struct OpenWindow {
    /// To whom, how often before, and the node of the step that opens it on the other side.
    peers: Vec<(u32, u64, u32)>,
    /// What the rank waits for.
    waiting: u64,
}

/// Calls of a rank, one of which waits for several steps.
struct WaitingCalls {
    state: WaitState,
    calls: Vec<Called>,
    /// Steps that are not known yet, and one more while the calls are not.
    missing: usize,
    latest: Option<(i64, RankSite)>,
}

#[derive(Default)]
struct Window {
    steps: FxHashMap<Step, (Half, u32)>,
    /// How often a rank started for another, and posted for another.
    started: FxHashMap<(u32, u32), u64>,
    posted: FxHashMap<(u32, u32), u64>,
    /// By rank.
    accesses: FxHashMap<u32, OpenWindow>,
    exposures: FxHashMap<u32, OpenWindow>,
    waiting: FxHashMap<u64, WaitingCalls>,
    /// The number of the next of those.
    next: u64,
}

impl<'a> Epochs<'a> {
    /// None was opened.
    pub fn new(collectives: &'a Collectives<'a>) -> Epochs<'a> {
        let windows = collectives.objects.groups.iter().map(|_| Mutex::default()).collect();
        Epochs { collectives, windows }
    }

    /// MPI_Win_start, for a group by the rank's number of it.
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

    /// MPI_Win_complete.
    pub fn complete(&self, window: u32, call: Called, links: &mut Links, waits: &mut Waits) {
        let rank = call.at.rank;
        let mut window = self.lock(window);
        let Some(open) = window.accesses.remove(&rank) else { return };
        // What was put cannot be there before all targets have posted.
        open.peers.iter().for_each(|(_, _, node)| links.collective(*node, false, true));
        for (peer, before, _) in open.peers {
            let step = Step { kind: EpochKind::Complete, by: rank, whom: peer, before };
            links.collective(self.done(&mut window, step, call, waits), true, false);
        }
        if let Some(waiting) = window.waiting.get_mut(&open.waiting) {
            waiting.calls.push(call);
        }
        self.know(&mut window, open.waiting, None, waits);
    }

    /// MPI_Win_post, for a group by the rank's number of it.
    pub fn post(&self, window: u32, group: i32, call: Called, links: &mut Links, waits: &mut Waits) {
        let rank = call.at.rank;
        let mut window = self.lock(window);
        // The epoch before was ended by MPI_Win_test, which does not wait.
        if let Some(open) = window.exposures.remove(&rank) {
            self.end(&mut window, rank, open, Vec::new(), waits);
        }
        let mut open = OpenWindow::default();
        for peer in self.peers(rank, group) {
            let before = count(&mut window.posted, (rank, peer));
            let step = Step { kind: EpochKind::Post, by: rank, whom: peer, before };
            let node = self.done(&mut window, step, call, waits);
            links.collective(node, true, false);
            open.peers.push((peer, before, node));
        }
        window.exposures.insert(rank, open);
    }

    /// MPI_Win_wait.
    pub fn wait(&self, window: u32, call: Called, links: &mut Links, waits: &mut Waits) {
        let mut window = self.lock(window);
        let Some(open) = window.exposures.remove(&call.at.rank) else { return };
        let nodes = self.end(&mut window, call.at.rank, open, vec![call], waits);
        nodes.into_iter().for_each(|node| links.collective(node, false, true));
    }

    /// A rank's exposure ends when those that it posted for have completed. Returns the nodes of that.
    fn end(&self, window: &mut Window, rank: u32, open: OpenWindow, calls: Vec<Called>, waits: &mut Waits) -> Vec<u32> {
        let waiting = window.wait(WaitState::EarlyWait, calls, open.peers.len());
        let step = |(peer, before, _)| Step { kind: EpochKind::Complete, by: peer, whom: rank, before };
        let nodes = open.peers.into_iter().map(|peer| self.await_step(window, step(peer), waiting, waits)).collect();
        self.know(window, waiting, None, waits);
        nodes
    }

    /// The other ranks of a group, by a rank's number of it.
    fn peers(&self, rank: u32, group: i32) -> Vec<u32> {
        let members = u32::try_from(group).ok().and_then(|group| self.collectives.objects.opened_to(rank, group));
        members.unwrap_or_default().to_vec()
    }

    /// A step is done. Returns its node.
    fn done(&self, window: &mut Window, step: Step, call: Called, waits: &mut Waits) -> u32 {
        match window.steps.remove(&step) {
            Some((Half::Awaited(waiting), node)) => {
                self.know(window, waiting, Some((call.begin, call.at)), waits);
                node
            }
            _ => {
                let node = self.collectives.node(1);
                window.steps.insert(step, (Half::Done(call.begin, call.at), node));
                node
            }
        }
    }

    /// A step is waited for. Returns its node.
    fn await_step(&self, window: &mut Window, step: Step, waiting: u64, waits: &mut Waits) -> u32 {
        match window.steps.remove(&step) {
            Some((Half::Done(at, who), node)) => {
                self.know(window, waiting, Some((at, who)), waits);
                node
            }
            _ => {
                let node = self.collectives.node(1);
                window.steps.insert(step, (Half::Awaited(waiting), node));
                node
            }
        }
    }

    /// One thing more is known of what is waited for, and of the wait if that was the last.
    fn know(&self, window: &mut Window, number: u64, done: Option<(i64, RankSite)>, waits: &mut Waits) {
        let Some(waiting) = window.waiting.get_mut(&number) else { return };
        waiting.missing -= 1;
        waiting.latest = waiting.latest.max(done);
        if waiting.missing > 0 {
            return;
        }
        let waiting = window.waiting.remove(&number);
        waiting.into_iter().for_each(|waiting| self.charge(&waiting, waits));
    }

    /// All calls of all ranks were seen: what has not returned waits for steps that nobody has made.
    pub fn finish(&self, waits: &mut Waits) {
        let common_clock = self.collectives.common_clock;
        for window in &self.windows {
            for WaitingCalls { state, calls, missing, .. } in lock(window).waiting.values() {
                let Some(call) = calls.iter().find(|call| call.open) else { continue };
                // Until MPI_Win_complete is called, one thing more is missing.
                let known = usize::from(*state == WaitState::LatePost && calls.len() == 1);
                if *missing > known {
                    let error = common_clock.lines[call.at.rank as usize].error(call.end);
                    waits.add_open((*state, None), call.at, (call.begin, call.end), error);
                }
            }
        }
    }

    fn charge(&self, waiting: &WaitingCalls, waits: &mut Waits) {
        let Some((at, who)) = waiting.latest else { return };
        let common_clock = self.collectives.common_clock;
        // A call that was over before it did not wait for it.
        let lasted = |call: &&Called| at - common_clock.error_between(call.at.rank, who.rank, at) < call.end;
        if let Some(call) = waiting.calls.iter().find(lasted) {
            Cause { at, who, state: waiting.state }.charge(call.at, call.begin, call.end, common_clock, waits);
        }
    }

    fn lock(&self, window: u32) -> MutexGuard<'_, Window> {
        lock(&self.windows[window as usize])
    }
}

impl Window {
    /// Begins to wait for so many steps, and to be told that all calls are known. Returns its number.
    fn wait(&mut self, state: WaitState, calls: Vec<Called>, steps: usize) -> u64 {
        self.next += 1;
        self.waiting.insert(self.next, WaitingCalls { state, calls, missing: steps + 1, latest: None });
        self.next
    }
}

/// Counts one more. Returns how many there were before.
fn count(counts: &mut FxHashMap<(u32, u32), u64>, pair: (u32, u32)) -> u64 {
    let count = counts.entry(pair).or_default();
    *count += 1;
    *count - 1
}
