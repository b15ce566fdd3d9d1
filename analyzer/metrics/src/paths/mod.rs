//! Calls added up by the paths that lead to them.
//!
//! In: a run with call paths. Out: [`RunPaths`], the tree of its functions, with each rank's calls, time in MPI and waits at every node,
//! alone and with all nodes below. A node of an MPI function has these of its own; a node of the program's functions has the time that
//! it was sampled in.

mod flat;
mod frame_pairs;
mod frames;
mod hot_chain;
mod path_tables;

use model::matching::{Follow, settled_at};
use model::rank::is_nested;
use model::sites::CallSites;
use model::sites::CallTree;
use model::sums::Grow;
use model::{Rank, Run};

pub use flat::{FlatRow, functions};
pub use frame_pairs::{FramePairRow, frame_pairs};
pub use frames::{FrameRow, frames};
pub use hot_chain::hot_chain;
pub use path_tables::{CallPathRow, FACTS, PathChoice, facts, left_out, table, unseen};

/// Calls of one rank. Times in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PathSums {
    pub calls: u64,
    /// Time in MPI.
    pub time: i64,
    /// Part of `time` spent waiting for other ranks.
    pub waited: i64,
    /// Bytes sent and received.
    pub bytes: u64,
    /// Processor time between calls, by samples.
    pub computed: i64,
}

/// The tree of a run's paths, with figures.
pub struct RunPaths {
    pub tree: CallTree,
    /// The children of each node.
    pub children: Vec<Vec<u32>>,
    /// By node and the rank's place in the run: calls of the node itself.
    pub own: Vec<Vec<PathSums>>,
    /// Like `own`, with all nodes below.
    pub all: Vec<Vec<PathSums>>,
    /// By node: all ranks' calls at the node and below.
    totals: Vec<PathSums>,
    /// All calls of the run.
    pub whole: PathSums,
    /// False if waits are unknown, since no rank recorded single calls.
    pub has_waits: bool,
    /// True if ranks were sampled, without which computation is unknown.
    pub is_sampled: bool,
}

impl RunPaths {
    pub fn of(run: &Run) -> RunPaths {
        let tree = CallTree::of(&run.sites, &run.ranks);
        let mut own = vec![vec![PathSums::default(); run.ranks.len()]; tree.nodes.len()];
        for (at, rank) in run.asked_places() {
            add_calls(&tree, at, rank, &mut own);
            add_samples(&tree, at, rank, &mut own);
        }
        let has_waits = run.records_calls();
        if has_waits {
            add_waits(run, &tree, &mut own);
        }
        let mut all = own.clone();
        // Callers come before their callees.
        for (at, node) in tree.nodes.iter().enumerate().rev() {
            let Some(parent) = node.parent else { continue };
            let (above, below) = all.split_at_mut(at);
            for (sums, more) in above[parent as usize].iter_mut().zip(&below[0]) {
                sums.add(more);
            }
        }
        let totals: Vec<PathSums> = all.iter().map(|ranks| PathSums::total(ranks)).collect();
        let mut whole = PathSums::default();
        for (node, total) in tree.nodes.iter().zip(&totals) {
            if node.parent.is_none() {
                whole.add(total);
            }
        }
        let is_sampled = run.asked().any(|rank| rank.samples.period > 0);
        RunPaths { children: tree.children(), tree, own, all, totals, whole, has_waits, is_sampled }
    }

    /// Outermost functions.
    pub fn roots(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.tree.nodes).filter(|(_, node)| node.parent.is_none()).map(|(number, _)| number)
    }

    /// True if the node leads to calls, or to samples.
    pub fn has_figures(&self, node: u32) -> bool {
        self.total(node).is_something()
    }

    /// All ranks' calls at a node and below.
    pub fn total(&self, node: u32) -> PathSums {
        self.totals[node as usize]
    }
}

impl PathSums {
    pub fn add(&mut self, other: &PathSums) {
        self.calls.grow(other.calls);
        self.time.grow(other.time);
        self.waited.grow(other.waited);
        self.bytes.grow(other.bytes);
        self.computed.grow(other.computed);
    }

    /// True if there are calls, or samples.
    pub fn is_something(&self) -> bool {
        self.calls > 0 || self.computed > 0
    }

    /// Time in MPI and computing.
    pub fn spent(&self) -> i64 {
        self.time.saturating_add(self.computed)
    }

    pub fn total(ranks: &[PathSums]) -> PathSums {
        let mut total = PathSums::default();
        for rank in ranks {
            total.add(rank);
        }
        total
    }
}

fn add_calls(tree: &CallTree, at: usize, rank: &Rank, own: &mut [Vec<PathSums>]) {
    for entry in rank.entries().filter(|entry| !is_nested(entry)) {
        let Some(node) = tree.call(at, entry.signature.call, entry.signature.site) else { continue };
        let time = (rank.clock.seconds(entry.total) * 1e9).round() as i64;
        let bytes = entry.sent.saturating_add(entry.received);
        own[node as usize][at].add(&PathSums { calls: entry.count, time, bytes, ..PathSums::default() });
    }
}

fn add_samples(tree: &CallTree, at: usize, rank: &Rank, own: &mut [Vec<PathSums>]) {
    for (site, periods) in rank.samples.by_site() {
        if let Some(node) = tree.place(at, site).and_then(|place| place.node) {
            own[node as usize][at].computed.grow(rank.samples.time(periods));
        }
    }
}

fn add_waits(run: &Run, tree: &CallTree, own: &mut [Vec<PathSums>]) {
    let places = CallSites::of(&run.sites, &run.ranks, Some(tree));
    let account = settled_at(run, Follow::empty(), &places).account;
    for (key, sum) in &account.waits.sums {
        if let Some(node) = places.node(key.waiter.place.number()) {
            own[node as usize][key.waiter.rank as usize].waited.grow(sum.time);
        }
    }
}
