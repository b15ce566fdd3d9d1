//! How often the engine was entered: per productive entry and per MiB moved.

use traces::progress::Depth;

use super::ledger::Ledger;
use model::sums::Total;
use model::{Rank, Run};
use tables::{Fact, Value, facts};

facts! {
    PER_PRODUCTIVE = "entries_per_productive_entry", Ratio, sometimes,
        "How often the progress engine was entered for each time it achieved something.";
    PER_MEBIBYTE = "entries_per_mebibyte", Ratio, sometimes, "How often it was entered for each MiB that was moved.";
    EMPTY_TIME = "empty_time_s", Seconds, sometimes,
        "Time in entries into the progress engine that achieved nothing, all ranks.";
}

/// Shows whether the engine was entered too often: entries per productive entry and per MiB, and the time of empty
/// ones.
pub fn too_often(run: &Run) -> Vec<Fact> {
    let total = Ledger::of_run(run);
    if total.entries == 0 {
        return Vec::new();
    }
    let entries = || run.asked().flat_map(Rank::entries);
    let sent = entries().map(|entry| entry.sent).total();
    let received = entries().map(|entry| entry.received).total();
    let mebibytes = sent.max(received) as f64 / f64::from(1 << 20);
    let each = |part: f64| if part > 0.0 { Value::Ratio(total.entries as f64 / part) } else { Value::None };
    let in_mpi: f64 = run.asked().map(Rank::time_in_mpi).sum();
    let mut facts = vec![
        Fact::new(PER_PRODUCTIVE, "entries", each(total.productive as f64)).note(" per productive entry"),
        Fact::hidden(PER_MEBIBYTE, each(mebibytes)),
    ];
    if mebibytes > 0.0 {
        let note = format!(", {} per MiB moved", each(mebibytes));
        facts[0].note.push(Value::Text(note));
    }
    let timed = run.asked().all(|rank| rank.progress >= Depth::Time);
    if let Some(empty_time) = total.empty_time.filter(|_| timed) {
        // Time in MPI leaves out the call that a killed rank was in; the ledger includes it.
        let share = empty_time / in_mpi;
        let share = if share <= 1.0 { format!(", {:.1} % of all time in MPI", 100.0 * share) } else { String::new() };
        facts
            .push(Fact::new(EMPTY_TIME, "empty", Value::Seconds(empty_time)).note(format!(" in empty entries{share}")));
    }
    facts
}
