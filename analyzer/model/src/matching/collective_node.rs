//! Collective calls in the replay of the ideal run.

use std::sync::{Arc, Mutex};

use crate::parallel::lock;

/// A collective call in the replay, or one rank's part of a call among neighbors.
#[derive(Clone)]
pub struct CollectiveNode {
    nodes: Arc<[Mutex<Node>]>,
    at: u32,
}

struct Node {
    /// Ranks that have not reached it yet.
    needed: u32,
    /// Time at which the last rank reached it.
    last: i64,
    waiting: Vec<u32>,
}

impl CollectiveNode {
    /// The first of several nodes, by how many ranks must reach each.
    pub fn first(needed: impl IntoIterator<Item = u32>) -> CollectiveNode {
        let node = |needed| Mutex::new(Node { needed, last: i64::MIN, waiting: Vec::new() });
        CollectiveNode { nodes: needed.into_iter().map(node).collect(), at: 0 }
    }

    /// The node at index `at`.
    pub fn other(&self, at: u32) -> CollectiveNode {
        CollectiveNode { nodes: Arc::clone(&self.nodes), at }
    }

    /// Records that a rank reaches the node at a time of the ideal run. The last rank moves the waiting ranks to
    /// `ready`.
    pub fn come(&self, when: i64, ready: &mut Vec<u32>) {
        let mut node = lock(&self.nodes[self.at as usize]);
        node.last = node.last.max(when);
        node.needed = node.needed.saturating_sub(1);
        if node.needed == 0 {
            ready.append(&mut node.waiting);
        }
    }

    /// Time at which the last rank reached the node. Until then, returns `None` and lists `rank` as waiting.
    pub fn reached(&self, rank: u32) -> Option<i64> {
        let mut node = lock(&self.nodes[self.at as usize]);
        if node.needed > 0 {
            node.waiting.push(rank);
            return None;
        }
        Some(node.last)
    }
}
