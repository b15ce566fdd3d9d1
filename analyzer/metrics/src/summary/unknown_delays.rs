//! Says under the first finding about lateness or transfers that missing cores may be the cause, where the ranks' delays at that time are
//! unknown: the run was killed, or only a part of it is kept or selected.

use super::{Evidence, Finding, FindingKind};
use crate::endings::cut;
use crate::scheduling::{LEAST_SHARE_OF_DELAYS, scheduled};

pub fn say(known: &Evidence, all: &mut [Finding]) {
    let is_meant = |finding: &&mut Finding| finding.kind.is_of_lateness() || finding.kind == FindingKind::Transfer;
    let Some(first) = all.iter_mut().find(is_meant) else { return };
    if known.run.asked().any(|rank| scheduled(rank).is_some()) {
        return;
    }
    let of_whole =
        known.run.asked().filter_map(|rank| rank.main_usage()).filter_map(|usage| Some((usage.delay?, usage.wall)));
    let (delay, wall) = of_whole.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    if wall == 0.0 {
        if cut(known.run).next().is_some() {
            first.add("Whether the ranks had their cores is not in the files.");
        }
    } else if delay >= LEAST_SHARE_OF_DELAYS * wall {
        let share = 100.0 * delay / wall;
        first.add(&format!(
            "Over the whole run the ranks were ready to run but not running {share:.0} % of the time. {MAY_CAUSE}"
        ));
    }
}

/// Follows the words on delays, if what they cost is not known.
pub const MAY_CAUSE: &str = "The delays may cause a part of it.";
