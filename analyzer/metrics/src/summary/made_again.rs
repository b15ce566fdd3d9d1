//! The finding on communicators, windows, files and datatypes that are made again and again at one line.

use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Finding, FindingKind};
use crate::words::{plural, ranks_in_words, upper, verb};
use model::matching::scenario::RunChange;
use model::sums::Total;
use tables::Value;
use traces::calls::{ArgumentKind, Call, Class};

limits! {
    /// A program that makes fewer at one line may be setting itself up.
    LEAST_TIMES = 20, Least, "objects", Convention;
}

/// Something that costs more to make than to use.
struct Made {
    by: ArgumentKind,
    freed_by: ArgumentKind,
    /// The words for making it, the calls that finish and free it, the one that frees it, and itself.
    makes: &'static str,
    frees: &'static str,
    free: &'static str,
    name: &'static str,
    next: &'static str,
}

const MADE: [Made; 4] = [
    Made {
        by: ArgumentKind::NewComm,
        freed_by: ArgumentKind::FreeComm,
        makes: "makes",
        frees: "the call that frees it",
        free: "MPI_Comm_free",
        name: "communicator",
        next: "Make it once, before the loop, and keep it.",
    },
    Made {
        by: ArgumentKind::NewWin,
        freed_by: ArgumentKind::FreeWin,
        makes: "makes",
        frees: "the call that frees it",
        free: "MPI_Win_free",
        name: "window",
        next: "Make it once, before the loop, and keep it: MPI_Win_fence or MPI_Win_lock is enough between two uses.",
    },
    Made {
        by: ArgumentKind::NewFile,
        freed_by: ArgumentKind::FreeFile,
        makes: "opens",
        frees: "the call that closes it",
        free: "MPI_File_close",
        name: "file",
        next: "Open it once, before the loop, and close it at the end.",
    },
    // MPI_Type_commit has the datatype in and out, as MPI_Type_free has.
    Made {
        by: ArgumentKind::NewDatatype,
        freed_by: ArgumentKind::FreeDatatype,
        makes: "builds",
        frees: "the calls that commit and free it",
        free: "MPI_Type_free",
        name: "datatype",
        next: "If its shape stays the same, build and commit it once, before the loop, and keep it.",
    },
];

/// `sites` are all call sites, including those that free the objects.
pub fn finding(used: &UsedSite, sites: &[UsedSite]) -> Option<Finding> {
    let call = used.call().filter(|call| call.class() != Class::Query)?;
    let made = MADE.iter().find(|made| call.has(made.by))?;
    let ranks = used.ranks.len().max(1) as u64;
    let times = used.count() / ranks;
    if times < LEAST_TIMES.count() {
        return None;
    }
    let brief = used.total(|habits| habits.waited_briefly);
    let time = used.own().saturating_add(brief).saturating_add(freed(used, made, sites));
    let costs = (1.0 - 1.0 / times as f64) * used.known.mean(time);
    let (who, makes) = if used.ranks.len() == used.known.ranks() {
        ("Each rank".to_string(), made.makes)
    } else {
        let culprits = used.culprits(|habits| habits.own());
        let makes = verb(culprits.len(), made.makes, made.makes.trim_end_matches('s'));
        (upper(&ranks_in_words(&culprits)), makes)
    };
    let headline = format!("{who} {makes} {} in {}.", plural(times, made.name), used.place());
    let each = crate::totals::seconds(time) / used.count().max(1) as f64;
    let each = Value::Seconds(each);
    let is_freed = sites.iter().any(|site| site.site.function == made.free);
    let (detail, next) = if is_freed {
        (format!("Each takes {each}, with {}.", made.frees), made.next.to_string())
    } else {
        let detail = format!("Each takes {each}, and none is freed: {} is never called.", made.free);
        (
            detail,
            format!("{} What is made again must be freed, or memory and the library's numbers run out.", made.next),
        )
    };
    let finding = Finding::new(FindingKind::MadeAgain, "sites", headline).detail(detail).next(next);
    let has_freed = |site: &&UsedSite| site.call().is_some_and(|call| call.has(made.freed_by));
    let mut numbers = vec![used.number];
    numbers.extend(sites.iter().filter(has_freed).map(|site| site.number));
    let finding = finding.changes(vec![RunChange::Calls(numbers, 1.0 / times as f64)]);
    Some(finding.costs(costs).sites(used.sites()))
}

/// True for a call that frees such objects, or commits a datatype: its time counts where the objects are made.
pub fn frees(call: Call) -> bool {
    MADE.iter().any(|made| call.has(made.freed_by))
}

/// Nanoseconds that all ranks spend freeing such objects, shared out by the number that each line makes.
fn freed(used: &UsedSite, made: &Made, sites: &[UsedSite]) -> i64 {
    let has = |kind: ArgumentKind| move |used: &&UsedSite| used.call().is_some_and(|call: Call| call.has(kind));
    let all: u64 = sites.iter().filter(has(made.by)).map(UsedSite::count).sum();
    let time = sites.iter().filter(has(made.freed_by)).map(UsedSite::own).total();
    (time as f64 * used.count() as f64 / all.max(1) as f64) as i64
}
