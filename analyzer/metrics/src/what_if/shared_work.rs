//! Work that ranks take as they come, whose share changes with their speed.
//!
//! In: a replay. Out: the least time that the run may take if the ranks shared their work in another way, and a sentence. The replay leaves each piece with
//! the rank that had it. Ranks that never wait for work take as long as they do on average, but for what hands it out.

use model::Run;
use model::what_if::Replayed;
use rustc_hash::FxHashSet;
use traces::calls::Call;

use crate::totals::world_rank;

/// Calls by which ranks draw from a counter, or from another word that all change.
const DRAWS: [Call; 3] = [Call::Fetch_and_op, Call::Compare_and_swap, Call::Get_accumulate];

/// Work that may go to other ranks.
pub struct SharedWork {
    /// Nanoseconds.
    pub least: i64,
    pub warning: String,
}

impl SharedWork {
    /// The work that is shared in a scenario of which another one is the recorded run; `None` if it goes to the same ranks.
    pub fn of(run: &Run, replayed: &Replayed, [recorded, changed]: [usize; 2]) -> Option<SharedWork> {
        let (mut takers, mut least): (FxHashSet<u32>, i64) = Default::default();
        let mut warning = None;
        for (rank, handed_out) in replayed.handing_out() {
            takers.extend(&handed_out.askers);
            least = least.max(replayed.busy(rank, changed));
            warning.get_or_insert_with(|| {
                format!(
                    "rank {} answers whoever asks: {} of {} messages would reach it before one that it had answered earlier",
                    world_rank(&run.ranks[rank]),
                    handed_out.earlier,
                    handed_out.messages
                )
            });
        }
        let drawing = drawing(run, replayed);
        let change = |rank: &u32| replayed.busy(*rank as usize, changed) - replayed.busy(*rank as usize, recorded);
        if drawing.len() > 1 && drawing.iter().any(|rank| change(rank) != change(&drawing[0])) {
            takers.extend(&drawing);
            warning
                .get_or_insert_with(|| format!("{} ranks draw from a counter that all of them change", drawing.len()));
        }
        let busy: i64 = takers.iter().map(|rank| replayed.busy(*rank as usize, changed)).sum();
        let least = least.max(busy / i64::try_from(takers.len()).ok().filter(|count| *count > 0)?);
        let warning = warning?
            + ". Each piece of work stays where it was, so predicted_s is the most: the error goes down to where no rank waits for work";
        Some(SharedWork { least, warning })
    }
}

/// Ranks that draw, by place.
fn drawing(run: &Run, replayed: &Replayed) -> Vec<u32> {
    let draws = |site: &u32| {
        run.call_sites().get(*site as usize).and_then(|site| site.call()).is_some_and(|call| DRAWS.contains(&call))
    };
    let ranks = (0..).zip(&replayed.ranks);
    ranks.filter(|(_, rank)| rank.places.calls.keys().any(draws)).map(|(rank, _)| rank).collect()
}
