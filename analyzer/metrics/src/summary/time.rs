//! The finding on the share of time in MPI, and on the function with most of it.

use traces::calls::{Call, Class};

use super::{Evidence, Finding};
use crate::totals::{self, percent};
use model::rank::function_of;

/// If starting and ending MPI takes a larger share of the time in MPI, the run is too short.
const MOST_PERCENT: f64 = 50.0;

pub fn finding(known: &Evidence) -> Option<Finding> {
    let asked = || known.run.asked();
    let in_mpi: f64 = asked().map(|rank| rank.time_in_mpi()).sum();
    let share = percent(in_mpi, asked().map(|rank| rank.wall_of_threads()).sum())?;
    let groups = totals::group_calls(known.run, |_, _, entry| Some(entry.signature.call));
    let times = groups.into_iter().map(|(call, group)| (group.sum().time, call));
    let starts = |call: u16| Call::from_number(call).is_some_and(|call| call.class() == Class::Lifecycle);
    let (own, others): (Vec<_>, Vec<_>) = times.partition(|(_, call)| starts(*call));
    let start_and_end = percent(own.iter().map(|(time, _)| time).sum(), in_mpi)?;
    let text = format!("The ranks spend {share:.1} % of their time in MPI");
    if start_and_end > MOST_PERCENT {
        let text = format!("{text}; {start_and_end:.1} % of that is starting and ending it.");
        return Some(
            Finding::new("functions", text).next("Record a longer run, in which communication counts for more."),
        );
    }
    let (time, call) = others.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let text =
        format!("{text}; {} takes {:.1} % of that, more than any other.", function_of(call), percent(time, in_mpi)?);
    Some(Finding::new("functions", text))
}
