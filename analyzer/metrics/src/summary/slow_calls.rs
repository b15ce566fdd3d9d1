//! The finding on MPI calls of few ranks that keep the others waiting: file access, large transfers.

use super::lateness::LateActivity;
use super::{Finding, FindingKind, file_advice};
use crate::words::{ranks_in_words, upper, verb};
use model::matching::scenario::RunChange;
use model::origins::Activity;
use traces::calls::{Call, Class};

pub fn finding(late: &LateActivity) -> Option<Finding> {
    let Activity::In(site) = late.activity else { return None };
    // Tests in a row are recorded as one call, most of which is the work between them.
    let call = late.run().call_sites()[site as usize].call();
    if call.is_some_and(Call::polls) {
        return None;
    }
    // If ranks share cores, a call takes time while it polls for a rank that is not running.
    let is_of_files = call.is_some_and(file_advice::is_of_files);
    if late.known.shares_cores() && !is_of_files {
        return None;
    }
    let culprits = late.culprits();
    // A cost that most ranks share makes no rank wait for another one in particular.
    if 2 * culprits.len() > late.known.ranks() {
        return None;
    }
    let costs = late.costs();
    let who = ranks_in_words(&late.world_ranks(culprits));
    let (is, them) = (verb(culprits.len(), "is", "are"), verb(culprits.len(), "it", "them"));
    let headline = format!("{} {is} {} while the others wait for {them}.", upper(&who), late.place());
    let next = match call {
        Some(call) if call.is_collective_on_file() => file_advice::of_late(call),
        Some(call) if call.class() == Class::Io => {
            "Let all ranks access the file together (MPI_File_..._all), or do it while the others compute."
        }
        Some(_) if is_of_files => "Do it while the others compute.",
        Some(call) if call.class().is_local() => {
            "No other rank takes part in that call: make it less often, or while the others compute."
        }
        _ => "Compare the sizes to see whether that call has more to do than the others' calls.",
    };
    let finding = Finding::new(FindingKind::SlowCall, "waits", headline).next(next);
    let numbers = culprits.iter().map(|(rank, _)| *rank).collect();
    let finding = finding.changes(vec![RunChange::Swift(numbers, vec![site])]);
    Some(finding.costs(costs).ranks(late.world_ranks(culprits)).sites(late.sites()))
}
