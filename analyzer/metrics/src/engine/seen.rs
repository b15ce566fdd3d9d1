//! Which parts of the progress engine could be observed, in words.

use traces::definitions::Interception;
use traces::progress::Depth;

use super::ledger::{Ledger, lines};
use crate::words::rank_in_words;
use model::{Rank, Run};

/// The components and system calls through which the engine is observed.
pub fn ways(run: &Run) -> String {
    let mut parts: Vec<(Interception, &str)> =
        run.ranks.iter().flat_map(lines).map(|(name, way, _)| (way, name)).collect();
    parts.sort();
    parts.dedup();
    let (inside, calls): (Vec<_>, Vec<_>) = parts
        .into_iter()
        .partition(|(way, _)| !matches!(way, Interception::Ready | Interception::Receive | Interception::Send));
    let names = |parts: &[(Interception, &str)]| parts.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    match (inside.is_empty(), calls.is_empty()) {
        (true, true) => "not observable here".into(),
        (true, false) => format!("observable only through system calls: {}", names(&calls)),
        (false, true) => names(&inside),
        (false, false) => format!("{}; system calls: {}", names(&inside), names(&calls)),
    }
}

/// Warns of everything about the engine that was not observed.
pub fn unseen(run: &Run) -> Vec<String> {
    let library = run.first().library.name();
    let off: Vec<&Rank> = run.ranks.iter().filter(|rank| rank.progress == Depth::Off).collect();
    if !off.is_empty() {
        let who = rank_in_words(off[0]);
        let more = if off.len() > 1 { format!(" and {} more", off.len() - 1) } else { String::new() };
        return vec![format!("{who}{more}: recorded with OVERHEAR_PROGRESS=off, so the engine was not observed")];
    }
    let total = Ledger::of_run(run);
    let seen: Vec<&str> = {
        let with_calls = |rank| lines(rank).filter(|(_, _, line)| line.calls.entries > 0).map(|(name, _, _)| name);
        let mut names: Vec<&str> = run.ranks.iter().flat_map(with_calls).collect();
        names.sort();
        names.dedup();
        names
    };
    let instead = if seen.is_empty() { "nothing".to_string() } else { seen.join(", ") };
    let mut said = Vec::new();
    let communicated = run.ranks.iter().flat_map(Rank::entries).any(|entry| entry.sent > 0);
    if total.entries == 0 {
        said.push(format!("the progress engine is not observable on {library} here; seen instead: {instead}"));
    } else if total.productive == 0 && communicated {
        said.push(format!(
            "no entry achieved anything, yet data moved: {library} moved it another way (as by shared memory inside \
             the library), which is not observable; seen instead: {instead}"
        ));
    }
    if run.ranks.iter().any(|rank| rank.progress == Depth::Count) {
        said.push("recorded with OVERHEAR_PROGRESS=count: entries are not timed".into());
    }
    said
}
