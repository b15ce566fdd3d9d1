//! The sentences for a run without findings.

use super::finding::least_share;
use super::used_sites::{UsedSite, used_sites};
use super::{Evidence, MUCH_IN_MPI, is_too_short, polling};
use crate::totals::seconds;
use crate::words::plural;
use model::sums::Total;
use tables::Value;

pub fn nothing(known: &Evidence) -> String {
    if is_too_short(known) {
        let time = Value::Seconds(known.wall());
        return format!("The run is too short to judge: {time} between MPI_Init and MPI_Finalize.");
    }
    let least = least_share(known.lacks_cores());
    let in_doubt = known.doubt(|| polling::doubt(known, &used_sites(known)), least);
    let mut text = match known.account() {
        Some(_) if in_doubt.is_some() => in_doubt.unwrap_or_default().to_string(),
        Some(_) => {
            let least = 100.0 * least;
            let mut text = format!("No single cause stands out: none would save more than {least:.0} % of the run.");
            if known.run.asked().any(|rank| rank.thread_count() > 1) {
                text += " That is of the ranks' first threads: `waits` shows the waits of all.";
            }
            text
        }
        None => "No rank stands out by its totals. Who waits for whom is unknown, since the run has no single calls."
            .to_string(),
    };
    let share = known.in_mpi() / known.wall().max(f64::MIN_POSITIVE);
    if share >= MUCH_IN_MPI.get() {
        let share = 100.0 * share;
        text += &match most_in_mpi(&used_sites(known)) {
            Some(most) => {
                format!(" The ranks spend {share:.1} % of the run in MPI, {most} `report --by site` shows all lines.")
            }
            None => format!(" `report --by site` shows where the ranks spend {share:.1} % of the run in MPI."),
        };
    }
    text
}

/// `most of it in MPI_Allreduce at p.c:32: 120,000 calls of 8 B per rank, each 1.300 µs.`
fn most_in_mpi(sites: &[UsedSite]) -> Option<String> {
    let time = |used: &UsedSite| used.total(|habits| habits.time);
    let most = sites.iter().max_by_key(|used| time(used))?;
    let all = sites.iter().map(time).total();
    let part = if 2 * time(most) >= all { "most of it" } else { "the largest part of it" };
    let count = most.count().max(1);
    let calls = plural(count / most.ranks.len().max(1) as u64, "call");
    let of_size = if most.bytes() > 0 { format!(" of {}", Value::Bytes(most.bytes() / count)) } else { String::new() };
    let each = Value::Seconds(seconds(time(most)) / count as f64);
    Some(format!("{part} in {}: {calls}{of_size} per rank, each {each}.", most.place()))
}
