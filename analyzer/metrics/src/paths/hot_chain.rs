//! Finds the chain of functions that leads to most of the waiting.

use super::RunPaths;

/// Follows the function with the most waiting from the outermost one down, as long as it has at least half of its caller's
/// waiting. Uses the time in MPI if nothing waits.
pub fn hot_chain(paths: &RunPaths) -> Vec<u32> {
    let waits = paths.whole.waited > 0;
    let weight = |node: &u32| {
        let total = paths.total(*node);
        if waits { total.waited } else { total.time }
    };
    let mut chain = Vec::new();
    let mut next = paths.roots().max_by_key(weight);
    while let Some(node) = next {
        let half = weight(&node) / 2;
        chain.push(node);
        let most = paths.children[node as usize].iter().copied().max_by_key(weight);
        next = most.filter(|child| weight(child) > 0 && weight(child) >= half);
    }
    chain
}
