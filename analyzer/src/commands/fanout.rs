//! `overhear fanout`: one rank to several others and back.

use super::nothing::nothing;
use super::open::open;
use super::print::print;
use crate::cli;
use model::error::{Error, OK, PARTIAL};
use metrics::{cost, fanout, overview};
use model::matching::{Delivery, Follow, Settled, settled};
use model::one_sided::{RankTransfers, of_rank};
use model::rounds::{Rounds, rounds};
use model::{Rank, Run};
use model::parallel;
use pictures::plot::PlotFile;
use tables::schema::Schema;
use tables::{Report, plot};

/// What it needs, and has none of.
const NEEDED: &str = "no message that is known to have arrived: fanout needs messages between ranks of this folder, MPI_Bcast, MPI_Gather and \
     the like, or one-sided transfers";

/// Prints the rounds. Returns the exit status.
pub fn run(arguments: &cli::Plotted) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    print(found(&run, arguments.plot.as_ref())?, "fanout", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// The rounds of a run, and where asked for a plot of them.
pub fn found(run: &Run, plotted: Option<&PlotFile>) -> Result<Report, Error> {
    let (settled, found, one_sided) = matched(run)?;
    let all = fanout::GatheredRounds::of(run, &settled.timeline, &settled.account, &found);
    let mut facts = overview::facts(run);
    facts.extend(fanout::facts(&all));
    let warnings = [fanout::unseen(&all), fanout::unseen_transfers(&one_sided), overview::warnings(run)].concat();
    let rounds = fanout::round_rows(&all).asked().silent_empty();
    if let Some(file) = plotted {
        plot::write(fanout::figures(&rounds), file)?;
    }
    let tables = vec![
        rounds.into(),
        fanout::cheapest(&all).silent_empty().into(),
        fanout::mavericks(&all).into(),
        fanout::transfers(run, &one_sided).into(),
        fanout::peers(&all).into(),
    ];
    Ok(Report { facts, warnings, tables })
}

/// The messages of a run that has some, their rounds, and those of one-sided transfers by rank.
pub fn matched(run: &Run) -> Result<(Settled, Rounds, Vec<RankTransfers>), Error> {
    run.has_calls("fanout")?;
    let mut settled = settled(run, Follow::DELIVERIES | Follow::HANDED_OVER);
    let mut deliveries = std::mem::take(&mut settled.account.deliveries);
    let asked: Vec<&Rank> = run.asked().collect();
    let one_sided = parallel::map(asked.len(), |at| of_rank(asked[at]));
    if deliveries.is_empty() && one_sided.iter().all(|rank| rank.rounds.is_empty()) {
        return Err(nothing(run, NEEDED));
    }
    deliveries.retain(Delivery::counts);
    Ok((settled, rounds(deliveries), one_sided))
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("fanout").facts(overview::FACTS).facts(cost::FACTS).facts(fanout::FACTS);
    let schema = schema.table::<fanout::RoundRow>().table::<fanout::CheapestRow>();
    schema.table::<fanout::MaverickRow>().table::<fanout::TransferRow>().table::<fanout::PeerRow>()
}
