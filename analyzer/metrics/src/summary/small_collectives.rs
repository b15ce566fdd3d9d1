//! The finding on many small collective calls of one line, with nothing but computation between.

use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Finding, FindingKind};
use crate::words::plural;
use model::matching::scenario::RunChange;
use model::roles::{CallPart, Flow};
use tables::Value;

limits! {
    /// Larger operations cost more for their bytes than for their steps between ranks.
    MOST_BYTES = 1024, Most, "bytes", Convention;
    /// Shorter rows are what an iteration needs: two or three sums, each of which the next step waits for.
    LEAST_ROW = 4.0, Least, "calls", Convention;
}

pub fn finding(used: &UsedSite) -> Option<Finding> {
    let (_, first) = used.ranks.first()?;
    let CallPart::Collective { flow, .. } = first.part else { return None };
    let carries = !matches!(flow, Flow::Barrier | Flow::Fence | Flow::Create | Flow::Neighbors);
    let ranks = used.ranks.len().max(1) as u64;
    let [count, bytes] = [used.count(), used.bytes()];
    let row = used.row();
    let size = bytes / count.max(1);
    if !carries || first.starts || size > MOST_BYTES.count() || row < LEAST_ROW.get() {
        return None;
    }
    // Brief waits are for the calls before, which take one rank longer than another.
    let brief = used.total(|habits| habits.waited_briefly);
    let all = used.own().saturating_add(brief);
    if !used.pays_to_combine(all) {
        return None;
    }
    let costs = (1.0 - 1.0 / row) * used.known.mean(all);
    let headline = format!(
        "Each rank makes {} of {} in {}, {}.",
        plural(count / ranks, "call"),
        Value::Bytes(size),
        used.place(),
        used.row_in_words()
    );
    let detail = "A call costs its steps from rank to rank, however few bytes it has.";
    let function = &used.site.function;
    let next = format!(
        "Combine the values in one array and call {function} once, or only every so many iterations; where the result is not needed \
         at once, begin it by MPI_I{} and complete it later.",
        function.trim_start_matches("MPI_").to_lowercase()
    );
    let finding = Finding::new(FindingKind::SmallCollectives, "sites", headline).detail(detail).next(next);
    let changes = vec![RunChange::Calls(vec![used.number], 1.0 / row)];
    Some(finding.costs(costs).changes(changes).sites(used.sites()))
}
