//! Collective operations as a whole, after Hoefler, Schneider and Lumsdaine, "Accurately measuring overhead,
//! communication time and progression of blocking and nonblocking collective operations at massive scale", IJPEDS 2010:
//! the time from the first rank's begin to the last one's end, the part of it until the last rank begins, and the time
//! of each rank.

mod gathered_operations;
mod operation_rows;

pub use gathered_operations::GatheredOperations;
pub use operation_rows::{OperationRow, operations};

use crate::words::{plural, verb};

use model::sums::Total;
use tables::{Fact, Value, facts};

facts! {
    OPERATIONS = "collective_operations", Count, sometimes, "Collective operations of which all ranks are known.";
    LACKING = "operations_without_all_ranks", Count, sometimes,
        "Collective operations of which some ranks are not in this folder.";
    UNFINISHED = "unfinished_operations", Count, sometimes, "Collective operations that some rank never left.";
}

const CALL: &str = "collective call";

pub fn facts(all: &GatheredOperations) -> Vec<Fact> {
    let count = |figure: fn(&model::matching::OperationSum) -> u64| Value::Count(all.sums.values().map(figure).total());
    vec![
        Fact::hidden(OPERATIONS, count(|sum| sum.operations)),
        Fact::hidden(LACKING, count(|sum| sum.lacking)),
        Fact::hidden(UNFINISHED, Value::Count(all.unfinished)),
    ]
}

/// Notes on operations and times that the table leaves out.
pub fn unseen(all: &GatheredOperations, rows: &[OperationRow]) -> Vec<String> {
    let mut said = Vec::new();
    let lacking = all.sums.values().map(|sum| sum.lacking).total();
    if lacking > 0 {
        let (calls, have) = (plural(lacking, CALL), verb(lacking, "has", "have"));
        said.push(format!("{calls} {have} ranks without a file here: only each rank's own time is known"));
    }
    if all.unfinished > 0 {
        let were = verb(all.unfinished, "was", "were");
        let calls = plural(all.unfinished, CALL);
        said.push(format!("{calls} {were} not made, or not completed, by all ranks: left out"));
    }
    if all.confused > 0 {
        let communicators = plural(all.confused as u64, "communicator");
        said.push(format!("{communicators} on which ranks made different calls: left out from there on"));
    }
    let within = rows.iter().filter(|row| row.spans.iter().any(|span| span.is_within_error())).count();
    if within > 0 {
        let have = verb(within, "has", "have");
        said.push(format!(
            "{} {have} times between ranks that are shorter than what the clocks may be off by: left out; \
             --format json has that error",
            plural(within as u64, "row")
        ));
    }
    said
}
