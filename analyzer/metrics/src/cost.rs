//! The time that recording took, over all ranks.
//!
//! The recorder measures at the start what the straight line of a call costs, and an entry into the engine; here each
//! is multiplied by its count. Work beyond the straight line is timed while it happens, and added.

use traces::progress::{INSIDE, OUTSIDE};

use model::Rank;
use tables::{Fact, Value, facts};

facts! {
    COST = "overhear_cost_s", Seconds, sometimes,
        "What recording cost all ranks beside their calls, as measured while they ran.";
}

/// The cost of recording over ranks, each given with its number of calls, and its share of their time.
pub fn fact<'a>(ranks: impl Iterator<Item = (&'a Rank, u64)>) -> Fact {
    let (mut count, mut cost, mut time) = (0, 0.0, 0.0);
    for (rank, calls) in ranks {
        count += 1;
        cost += rank_seconds(rank, calls);
        time += rank.whole_of_threads();
    }
    let (whose, their) = if count == 1 { ("the rank", "its") } else { ("all ranks", "their") };
    let share = 100.0 * cost / f64::max(time, f64::MIN_POSITIVE);
    let note = format!(" of {whose}, {share:.2} % of {their} time");
    Fact::new(COST, "overhear", Value::Seconds(cost)).note(note)
}

/// The cost of one rank, in seconds. The header has both costs in thousandths of a tick.
fn rank_seconds(rank: &Rank, calls: u64) -> f64 {
    let entries = rank.ledger[INSIDE].calls.entries.saturating_add(rank.ledger[OUTSIDE].calls.entries);
    let line = calls as f64 * rank.header.wrapper_cost as f64 + entries as f64 * rank.header.entry_cost as f64;
    (line / 1000.0 + rank.off_line as f64) * rank.clock.seconds(1)
}
