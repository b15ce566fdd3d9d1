//! The finding on threads of OpenMP that idle while the thread that leads them is in MPI.

use super::limits::limits;
use super::{Evidence, Finding, FindingKind};
use crate::teams::{IdleCallRow, Leader, SERIAL, idle_threads};
use tables::Value;

limits! {
    /// As much of the run in MPI is worth a look where no cause stands out; here it is as much of all cores.
    LEAST_IDLE = 0.1, Least, "of the cores' time", Convention;
}

pub fn finding(known: &Evidence, leaders: &[Leader<'_>]) -> Option<Finding> {
    let rows = idle_threads(known.run, leaders);
    let calls: Vec<&IdleCallRow> = rows.iter().filter(|row| row.function != SERIAL).collect();
    let cores = calls.first()?.cores;
    let idle: f64 = calls.iter().map(|row| row.idle).sum();
    if idle < LEAST_IDLE.get() * cores {
        return None;
    }
    let most = calls.first()?;
    let line = Some(most.place.clone()).filter(|place| !place.is_empty() && !place.starts_with('('));
    let place = line.as_ref().map_or_else(|| most.function.clone(), |line| format!("{} at {line}", most.function));
    let place = match calls.len() {
        1 => place,
        _ if 2.0 * most.idle >= idle => format!("MPI, most of it in {place}"),
        _ => format!("MPI, the largest part of it in {place}"),
    };
    let (share, cores, leader) = (100.0 * idle / cores, cores_in_words(leaders), leader_in_words(leaders));
    let headline = format!("{share:.0} % of the {cores} idle while {leader} is in {place}.");
    let detail = format!(
        "The other threads of OpenMP wait meanwhile for their next parallel region: {} per rank.",
        Value::Seconds(idle / known.ranks() as f64)
    );
    let next = "Let the other threads compute meanwhile: begin the transfer earlier, or make the call by one thread inside the region \
                (MPI_THREAD_FUNNELED). What shortens the call saves all cores.";
    let finding = Finding::new(FindingKind::IdleThreads, "teams", headline).detail(detail).next(next);
    Some(finding.sites(line.into_iter().collect()))
}

/// `16 cores of each rank`
fn cores_in_words(leaders: &[Leader<'_>]) -> String {
    let [least, most] =
        [u64::min, u64::max].map(|choose| leaders.iter().map(Leader::cores).reduce(choose).unwrap_or(1));
    let is_one_each = leaders.windows(2).all(|pair| pair[0].at != pair[1].at);
    match is_one_each && least == most {
        true => format!("{most} cores of each rank"),
        false => "cores that the ranks' teams have".into(),
    }
}

fn leader_in_words(leaders: &[Leader<'_>]) -> String {
    let number = leaders.first().map_or(0, |leader| leader.teams.thread);
    match leaders.iter().all(|leader| leader.teams.thread == number) {
        true => format!("thread {number}"),
        false => "the thread that leads a team".into(),
    }
}
