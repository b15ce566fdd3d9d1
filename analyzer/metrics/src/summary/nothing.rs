//! The sentences for a run without findings.

use super::finding::least_share;
use super::used_sites::used_sites;
use super::{Evidence, MUCH_IN_MPI, polling};

pub fn nothing(known: &Evidence) -> String {
    let least = least_share(known.lacks_cores());
    let in_doubt = known.doubt(|| polling::doubt(known, &used_sites(known)), least);
    let mut text = match known.account() {
        Some(_) if in_doubt.is_some() => in_doubt.unwrap_or_default().to_string(),
        Some(_) if known.run.asked().any(|rank| rank.thread_count() > 1) => format!(
            "No single cause stands out: no rank's first thread keeps those of others waiting for more than {:.0} % of the \
             run. `waits` shows the waits of all threads.",
            100.0 * least
        ),
        Some(_) => {
            let least = 100.0 * least;
            format!("No single cause stands out: no rank keeps others waiting for more than {least:.0} % of the run.")
        }
        None => "No rank stands out by its totals. Who waits for whom is unknown, since the run has no single calls."
            .to_string(),
    };
    let share = known.in_mpi() / known.wall().max(f64::MIN_POSITIVE);
    if share >= MUCH_IN_MPI.get() {
        text += &format!(" `report --by site` shows where the ranks spend {:.1} % of the run in MPI.", 100.0 * share);
    }
    text
}
