//! Collective calls in the replay.

use std::sync::{Arc, Mutex};

use super::scenario::Times;
use crate::parallel::lock;

/// A collective call in the replay, or one rank's part of a call among neighbors.
#[derive(Clone)]
pub struct CollectiveNode {
    nodes: Arc<[(u32, Mutex<Node>)]>,
    at: u32,
    /// The number of the first of `nodes` among all of the run.
    first: u64,
}

struct Node {
    /// Ranks that have not reached it yet.
    needed: u32,
    /// Time at which the last rank reached it in the recorded run, and in each lane.
    last: (i64, Times),
    waiting: Vec<u32>,
}

impl CollectiveNode {
    /// The first of several nodes, whose number is `first`, by how many ranks must reach each.
    pub fn first(first: u64, needed: impl IntoIterator<Item = u32>) -> CollectiveNode {
        let node = |needed| (needed, Mutex::new(Node { needed, last: (i64::MIN, Times::new()), waiting: Vec::new() }));
        CollectiveNode { nodes: needed.into_iter().map(node).collect(), at: 0, first }
    }

    pub fn number(&self) -> u64 {
        self.first + u64::from(self.at)
    }

    /// Number of ranks that must reach it.
    pub fn needed(&self) -> u32 {
        self.nodes[self.at as usize].0
    }

    /// The node at index `at`.
    pub fn other(&self, at: u32) -> CollectiveNode {
        CollectiveNode { nodes: Arc::clone(&self.nodes), at, first: self.first }
    }

    /// Records that a rank reaches the node at a time of the recorded run, and of each lane. The last rank moves the waiting
    /// ranks to `ready`.
    pub fn come(&self, recorded: i64, times: impl Iterator<Item = i64>, ready: &mut Vec<u32>) {
        let mut node = lock(&self.nodes[self.at as usize].1);
        node.last.0 = node.last.0.max(recorded);
        if node.last.1.is_empty() {
            node.last.1.extend(times);
        } else {
            for (last, time) in node.last.1.iter_mut().zip(times) {
                *last = (*last).max(time);
            }
        }
        node.needed = node.needed.saturating_sub(1);
        if node.needed == 0 {
            ready.append(&mut node.waiting);
        }
    }

    /// Passes on the time at which the last rank reached the node, in the recorded run and in each lane. Until then, returns `None` and
    /// lists `rank` as waiting.
    pub fn reached<T>(&self, rank: u32, with: impl FnOnce(i64, &[i64]) -> T) -> Option<T> {
        let mut node = lock(&self.nodes[self.at as usize].1);
        if node.needed > 0 {
            node.waiting.push(rank);
            return None;
        }
        Some(with(node.last.0, &node.last.1))
    }
}
