//! The function that late ranks compute in between two calls, if the run was sampled.

use super::lateness::LateActivity;
use super::limits::limits;
use model::origins::Activity;
use model::sites::{CallNode, CallTree, short_function};
use model::sums::Grow;
use model::tally::SiteCall;

limits! {
    /// Fewer samples say little: of 30, half are 15 give or take 5.
    LEAST_SAMPLES = 30, Least, "samples", Derived;
}

/// Maximum number of callers that are named with a function.
const CALLERS: usize = 3;

/// `By samples, 93 % of the time there is in sweep, called at solver.c:38 (step > solve).`; empty without samples, or if no function has
/// half of them.
pub fn in_words(late: &LateActivity) -> String {
    let Some(tree) = &late.context.sampled else { return String::new() };
    let named: Vec<u32> = late.culprits().iter().map(|(rank, _)| *rank).collect();
    let others: Vec<u32> = late.others().iter().map(|(rank, _)| *rank).collect();
    let (own, theirs) = (periods(late, tree, &named), periods(late, tree, &others));
    let all: i64 = roots(tree).map(|root| own[root]).sum();
    if all < (LEAST_SAMPLES.get() as i64) {
        return String::new();
    }
    // Computation that the others do there as well does not make a rank late.
    let mean = |sums: &[i64], node: usize, ranks: usize| sums[node] as f64 / ranks.max(1) as f64;
    let more = |node: usize| mean(&own, node, named.len()) - mean(&theirs, node, others.len());
    let most = |nodes: &mut dyn Iterator<Item = usize>| nodes.max_by(|one, other| more(*one).total_cmp(&more(*other)));
    let children = tree.children();
    let half = 0.5 * roots(tree).map(|root| more(root).max(0.0)).sum::<f64>();
    let (mut found, mut next) = (None, most(&mut roots(tree)));
    while let Some(node) = next.filter(|node| own[*node] > 0 && more(*node) >= half) {
        found = Some(node);
        next = most(&mut children[node].iter().map(|child| *child as usize));
    }
    let found =
        found.and_then(|node| tree.upwards(Some(node as u32)).find(|node| is_named(&tree.nodes[*node as usize])));
    let Some(found) = found.filter(|node| tree.nodes[*node as usize].parent.is_some()) else { return String::new() };
    let node = &tree.nodes[found as usize];
    let at = if node.site.is_empty() { String::new() } else { format!(", called at {}", node.site) };
    let share = 100.0 * own[found as usize] as f64 / all as f64;
    let function = short_function(&node.function);
    format!("By samples, {share:.0} % of the time there is in {function}{at}{}.", callers(tree, found))
}

/// The vDSO and stripped libraries have no names for their functions, and stand in the tree as themselves.
fn is_named(node: &CallNode) -> bool {
    !node.function.contains(".so")
}

/// ` (step > assemble)`: the nearest callers, without the outermost.
fn callers(tree: &CallTree, node: u32) -> String {
    let above = tree.upwards(Some(node)).skip(1).map(|node| &tree.nodes[node as usize]);
    let mut names: Vec<String> =
        above.filter(|node| node.parent.is_some()).map(|node| short_function(&node.function)).take(CALLERS).collect();
    names.reverse();
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(" > ")) }
}

fn roots(tree: &CallTree) -> impl Iterator<Item = usize> {
    tree.nodes.iter().enumerate().filter(|(_, node)| node.parent.is_none()).map(|(at, _)| at)
}

/// Periods of these ranks between the calls, by node with all that is below.
fn periods(late: &LateActivity, tree: &CallTree, ranks: &[u32]) -> Vec<i64> {
    let mut sums = vec![0; tree.nodes.len()];
    let Activity::Between(from, to) = late.activity else { return sums };
    for at in ranks {
        let rank = &late.run().ranks[*at as usize];
        let sites = late.run().call_sites();
        let is_at = |call: &Option<SiteCall>, number: u32| {
            call.is_some_and(|(call, site)| sites.number(*at as usize, call, site) == number)
        };
        let between =
            rank.samples.between.iter().filter(|((before, after), _)| is_at(before, from) && is_at(after, to));
        for (site, periods) in between.flat_map(|(_, sites)| sites) {
            let node = tree.place(*at as usize, *site).and_then(|place| place.node);
            for node in tree.upwards(node) {
                sums[node as usize].grow(*periods as i64);
            }
        }
    }
    sums
}
