//! Says behind each headline what the finding costs: by how much the run would be shorter without it, or at most.

use tables::Value;

use super::{Evidence, Finding};

/// An error that is a smaller part of its saving is not told.
const LEAST_ERROR: f64 = 0.1;

pub fn say_costs(known: &Evidence, all: &mut [Finding]) {
    for finding in all {
        if let Some(cost) = in_words(known, finding) {
            finding.headline = format!("{} {cost}.", finding.headline);
        }
    }
}

fn in_words(known: &Evidence, finding: &Finding) -> Option<String> {
    let share = |seconds: f64| format!("{:.1} % of the run", 100.0 * seconds / known.wall().max(f64::MIN_POSITIVE));
    if let Some(saving) = finding.saving {
        let [time, error] = [saving.time, saving.error].map(Value::Seconds);
        let error = if saving.error > LEAST_ERROR * saving.time { format!(" ± {error}") } else { String::new() };
        return Some(format!("Curing it saves {time}{error}, {}", share(saving.time)));
    }
    let costs = finding.costs?;
    (!finding.kind.is_of_the_run())
        .then(|| format!("It costs at most {} per rank, {}", Value::Seconds(costs), share(costs)))
}
