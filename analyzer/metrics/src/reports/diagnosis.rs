//! `overhear diagnose`: the findings on a run, and the figures that they are a part of.

use crate::behaviors::{self, Behaviors};
use crate::endings::unknown_time;
use crate::pop::Efficiency;
use crate::summary::{Evidence, Finding, FindingKind, FindingRow, finding_table};
use crate::totals::{self, percent};
use crate::{cost, overlong, overview, ranks};
use model::Rank;
use model::rank::function_of;
use tables::schema::Schema;
use tables::{Fact, Report, Value, facts};

facts! {
    MOST_TIME = "most_time_function", Text, sometimes, "The MPI function with the most time of all ranks.";
    PARALLEL = "parallel_efficiency_percent", Percent, sometimes,
        "The mean rank's computation over the run's time: the POP metric.";
}

pub fn report(known: &Evidence, findings: &[Finding]) -> Report {
    let mut facts = overview::facts(known.run);
    // The findings say it in their own words.
    let has_delay = findings.iter().any(|finding| finding.kind.is_of_the_machine());
    for fact in &mut facts {
        if fact.key == overview::END || (has_delay && fact.key == overview::DELAY) {
            fact.heading = "";
        }
    }
    facts.extend(most_time(known));
    facts.extend(efficiency(known));
    if known.run.asked().count() > ranks::SHOWN {
        facts.extend(behaviors::fact(known.run, &Behaviors::of(known.run)));
    }
    let tables = vec![finding_table(findings, known.wall()).asked().into()];
    let mut warnings = Vec::new();
    if let Some(account) = known.account()
        && !findings.iter().any(|finding| finding.kind == FindingKind::Aborted)
    {
        warnings.extend(overlong::sentences(known.run, account));
    }
    warnings.extend(crate::warnings::of_run(known.run));
    Report { facts, warnings, tables }
}

pub fn schema() -> Schema {
    Schema::of("diagnose")
        .facts(overview::FACTS)
        .facts(cost::FACTS)
        .facts(FACTS)
        .facts(behaviors::FACTS)
        .table::<FindingRow>()
}

/// The function with the most time.
fn most_time(known: &Evidence) -> Option<Fact> {
    let sums = totals::sum_calls(known.run, |entry| Some(entry.signature.call));
    let times = sums.into_iter().map(|(call, sum)| (sum.time, call));
    let (time, call) = times.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let share = percent(time, known.run.asked().map(Rank::wall_of_threads).sum())?;
    let fact = Fact::new(MOST_TIME, "most in", Value::Text(function_of(call)));
    Some(fact.note(format!(", {share:.1} % of the ranks' time")))
}

/// Ranks that may have computed for this share of the run without a sign of it change the efficiency.
const MOST_UNKNOWN: f64 = 0.02;

/// The parallel efficiency and its factors. `None` for a run that hung: the efficiency would only show for
/// how long it was left hanging.
fn efficiency(known: &Evidence) -> Option<Fact> {
    let is_known = !known.hung() && unknown_time(known.run) <= MOST_UNKNOWN * known.wall();
    let has_figure = |efficiency: &&Efficiency| is_known && efficiency.parallel().is_finite();
    let efficiency = known.efficiency.filter(has_figure)?;
    let has_threads = known.run.asked().any(|rank| rank.thread_count() > 1);
    let of_threads = if has_threads { " of the first threads" } else { "" };
    let note = format!(
        " %{of_threads} = load balance {:.1} % x serialization {:.1} % x transfer {:.1} %",
        100.0 * efficiency.load_balance(),
        100.0 * efficiency.serialization(),
        100.0 * efficiency.transfer()
    );
    Some(Fact::new(PARALLEL, "efficiency", Value::Percent(100.0 * efficiency.parallel())).note(note))
}
