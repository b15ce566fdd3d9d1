//! `overhear fanout`: rounds of one rank to several others and back.

use model::error::Error;
use model::matching::{Delivery, Follow, Settled, settled};
use model::one_sided::{RankTransfers, of_rank};
use model::parallel;
use model::rounds::{Rounds, rounds};
use model::{Rank, Run};
use tables::Report;
use tables::schema::Schema;

use super::empty_analysis::nothing;
use crate::fanout::GatheredRounds;
use crate::{cost, fanout, overview};

/// The error if a run has no rounds and no transfers.
const NEEDED: &str = "no message that is known to have arrived: fanout needs messages between ranks of this folder, \
                      MPI_Bcast, MPI_Gather and the like, or one-sided transfers";

/// The rounds of a run, and each rank's one-sided transfers.
pub struct RunRounds {
    settled: Settled,
    rounds: Rounds,
    one_sided: Vec<RankTransfers>,
}

impl RunRounds {
    /// Fails if the run has neither deliveries nor one-sided transfers.
    pub fn of(run: &Run) -> Result<RunRounds, Error> {
        run.needs_calls("fanout")?;
        let mut settled = settled(run, Follow::DELIVERIES | Follow::HANDED_OVER);
        let mut deliveries = std::mem::take(&mut settled.account.deliveries);
        let asked: Vec<&Rank> = run.asked().collect();
        let one_sided = parallel::map(asked.len(), |at| of_rank(asked[at]));
        if deliveries.is_empty() && one_sided.iter().all(|rank| rank.rounds.is_empty()) {
            return Err(nothing(run, NEEDED));
        }
        deliveries.retain(Delivery::counts);
        Ok(RunRounds { settled, rounds: rounds(deliveries), one_sided })
    }

    /// The rounds in groups of the same root, sizes and call site.
    pub fn gathered<'a>(&'a self, run: &'a Run) -> GatheredRounds<'a> {
        GatheredRounds::of(run, &self.settled.common_clock, &self.settled.account, &self.rounds)
    }

    /// Latency by size and number of ranks, the cheapest number of ranks, and the rounds that took far longer than
    /// usual.
    pub fn report(&self, run: &Run, rounds: &GatheredRounds<'_>) -> Report {
        let one_sided = &self.one_sided;
        let mut facts = overview::facts(run);
        facts.extend(fanout::facts(rounds));
        let warnings =
            [fanout::unseen(rounds), fanout::unseen_transfers(one_sided), crate::warnings::of_run(run)].concat();
        let tables = vec![
            fanout::round_rows(rounds).asked().silent_empty().into(),
            fanout::cheapest(rounds).silent_empty().into(),
            fanout::mavericks(rounds).into(),
            fanout::transfers(run, one_sided).into(),
            fanout::peers(rounds).into(),
        ];
        Report { facts, warnings, tables }
    }
}

pub fn schema() -> Schema {
    let schema = Schema::of("fanout").facts(overview::FACTS).facts(cost::FACTS).facts(fanout::FACTS);
    let schema = schema.table::<fanout::RoundRow>().table::<fanout::CheapestRow>();
    schema.table::<fanout::MaverickRow>().table::<fanout::TransferRow>().table::<fanout::PeerRow>()
}
