//! The finding on time that every rank spends in files between its calls: none waits for another because of it.

use super::kernel_time::spent_by_each;
use super::late_accesses::AccessKind;
use super::late_reason::doing;
use super::limits::limits;
use super::{Evidence, Finding, FindingKind};
use crate::files;
use model::accesses::AccessKey;
use model::attribution::Spent;
use tables::Value;
use traces::accesses::Operation;

limits! {
    /// As much of the run in MPI is worth a look where no cause stands out.
    LEAST_IN_FILES = 0.1, Least, "of the run", Convention;
}

pub fn finding(known: &Evidence) -> Option<Finding> {
    let time = spent_by_each(known, Spent::InFile)?;
    if time < LEAST_IN_FILES.get() * known.wall() {
        return None;
    }
    let most = longest(known)?;
    let headline = format!(
        "Each rank spends {} in files between its calls of MPI, most in {} {} at {}.",
        Value::Seconds(time),
        doing(most.operation),
        most.file_name(),
        most.place
    );
    let next = match most.operation {
        Operation::Read => {
            "Read in larger pieces, ahead of need, or let one rank read what all need and send it (MPI_Bcast)."
        }
        Operation::Write | Operation::Flush => {
            "Write less often or in larger pieces, into one file for all ranks (MPI_File_write_all), or by a thread while the others compute."
        }
        Operation::Sync => {
            "Sync less often: once at the end of a checkpoint, or not at all where a lost file can be made again."
        }
        _ => "Keep the file open from step to step.",
    };
    let finding = Finding::new(FindingKind::FileTime, "files", headline).detail(format!("The file is {}.", most.file));
    Some(finding.next(next).costs(time).sites(vec![most.place]))
}

/// The accesses to a file at one line that take one of the ranks longest.
fn longest(known: &Evidence) -> Option<AccessKind> {
    let mut most = None;
    for (rank, times) in (0..).zip(&known.walk?.attribution.ranks) {
        for ((_, key), time) in times.accesses.iter().filter(|((_, key), _)| !key.operation.sleeps()) {
            most = most.max(Some((*time, rank, *key)));
        }
    }
    let (_, rank, key): (i64, usize, AccessKey) = most?;
    let rank = &known.run.ranks[rank];
    let (_, place) = known.run.sites.outside_headers(rank, key.site);
    Some(AccessKind { operation: key.operation, file: files::file_name(rank, key.file), place })
}
