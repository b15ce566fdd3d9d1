//! `overhear diff A B --messages`: compares the messages of two runs one by one.

use std::path::Path;

use crate::cli;
use crate::commands::print::print;
use metrics::messages::{self, FirstDifferenceRow, MessageCountRow, RankComparison};
use metrics::words::plural;
use model::error::{DIFFERENT, Error, OK, PARTIAL};
use model::messages::of_rank;
use model::parallel;
use model::{Choice, Rank, Run};
use tables::Report;
use tables::schema::Schema;

/// Prints the differences. Returns the exit status: 1 if a message differs.
pub fn run(arguments: &cli::DiffArgs) -> Result<u8, Error> {
    let choice = Choice { whole: true, ..arguments.select.choice() };
    if choice.has_window() || choice.region.is_some() {
        return Err(Error::Other("--messages compares whole runs: drop --from, --to and --region".into()));
    }
    let (a, b) = (read(&arguments.runs[0], &choice)?, read(&arguments.runs[1], &choice)?);
    if a.size() != b.size() {
        return Err(Error::Other(format!(
            "--messages compares runs of the same number of ranks, but A has {} and B {}",
            a.size(),
            b.size()
        )));
    }
    let pairs: Vec<(usize, &Rank, &Rank)> = pairs(&a, &b);
    let compared = parallel::map(pairs.len(), |at| messages::compare(&of_rank(pairs[at].1), &of_rank(pairs[at].2)));
    let one_sided = messages::one_sided([&a, &b]);
    if !pairs.is_empty() && compared.iter().all(RankComparison::is_empty) {
        let beside = if one_sided.is_some() { "; one-sided transfers are not covered" } else { "" };
        return Err(Error::Other(format!(
            "neither run has messages or collective calls: --messages has nothing to compare{beside}"
        )));
    }
    let earliest = earliest(&a, &pairs, &compared);
    let ranks: Vec<(&Rank, RankComparison)> = pairs.iter().map(|(_, rank, _)| *rank).zip(compared).collect();
    let mut table = messages::first_differences([&a, &b], &ranks);
    if let Some(rank) = earliest {
        table.rows.sort_by_key(|row| !row.is_of(rank));
    }
    let mut facts = messages::facts(&ranks, table.rows.first());
    facts.extend(messages::order(&a, &ranks));
    let mut warnings = messages::warnings(&ranks);
    warnings.extend(one_sided);
    for (name, run) in [("A", &a), ("B", &b)] {
        warnings.extend(metrics::warnings::of_run(run).into_iter().map(|warning| format!("{name}: {warning}")));
    }
    let unpaired = a.asked().count().max(b.asked().count()) - ranks.len();
    if unpaired > 0 {
        warnings
            .push(format!("{} with a readable file on one side only: not compared", plural(unpaired as u64, "rank")));
    }
    let differs = ranks.iter().any(|(_, rank)| rank.differing > 0);
    let tables = vec![table.silent_empty().into(), messages::counts(&ranks).asked().into()];
    print(Report { facts, warnings, tables }, "diff-messages", &arguments.print)?;
    Ok(match (differs, a.is_partial() || b.is_partial()) {
        (true, _) => DIFFERENT,
        (false, true) => PARTIAL,
        (false, false) => OK,
    })
}

pub fn schema() -> Schema {
    let schema = Schema::of("diff-messages").facts(messages::FACTS).facts(messages::ORDER_FACTS);
    schema.table::<FirstDifferenceRow>().table::<MessageCountRow>()
}

fn read(folder: &Path, choice: &Choice) -> Result<Run, Error> {
    let run = Run::select(folder, choice)?;
    run.needs_calls("diff --messages")?;
    Ok(run)
}

/// Ranks in both runs, with their indices in A. If several files claim the same rank, they are paired in order.
fn pairs<'a>(a: &'a Run, b: &'a Run) -> Vec<(usize, &'a Rank, &'a Rank)> {
    let mut others: Vec<&Rank> = b.asked().collect();
    let mut take = |rank: &Rank| {
        let place = others.iter().position(|other| messages::is_same(rank, other))?;
        Some(others.remove(place))
    };
    a.asked_places().filter_map(|(at, rank)| Some((at, rank, take(rank)?))).collect()
}

/// Rank with the earliest difference on A's clock.
fn earliest<'a>(a: &Run, pairs: &[(usize, &'a Rank, &'a Rank)], compared: &[RankComparison]) -> Option<&'a Rank> {
    let common_clock = a.common_clock();
    let at = |((place, ..), comparison): &(&(usize, &Rank, &Rank), &RankComparison)| {
        let first = comparison.first.as_ref()?;
        Some(common_clock.lines[*place].nanoseconds_at(first.at))
    };
    let differing = pairs.iter().zip(compared).filter_map(|pair| Some((at(&pair)?, pair.0.1)));
    differing.min_by_key(|(at, _)| *at).map(|(_, rank)| rank)
}
