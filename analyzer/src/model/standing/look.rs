//! One look at a run's folder and at the processes of this host: cheap, to be compared with a later one.

use std::collections::HashMap;
use std::path::Path;

use traces::read::RankFile;

use super::pulse::{Pulse, Stir};
use crate::error::Error;
use crate::model::clock::clocks;
use crate::model::process::Process;
use crate::model::run::files;
use crate::model::{ProcessFate, Rank};
use crate::parallel;

/// See the module.
pub struct Look {
    /// By the names of the files; the processes by number, if the system knows them.
    seen: HashMap<String, (Pulse, Option<Process>)>,
    /// The system's clocks, nanoseconds.
    pub monotonic: i64,
    /// See above.
    pub realtime: i64,
}

/// What one rank did between two looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// In MPI.
    pub stir: Stir,
    /// Its process at the later look.
    pub process: Option<Process>,
    /// It used processor time.
    pub computed: bool,
}

impl Look {
    /// Looks now.
    pub fn of(folder: &Path) -> Result<Look, Error> {
        let files = files(folder)?;
        let look = |at: usize| {
            let trace = RankFile::open(&files[at]).ok()?;
            let name = files[at].file_name()?.to_str()?.to_string();
            Some((name, (Pulse::of(&trace), Process::of(trace.header().pid))))
        };
        let seen = parallel::map(files.len(), look).into_iter().flatten().collect();
        let (monotonic, realtime) = clocks();
        Ok(Look { seen, monotonic, realtime })
    }

    /// What a rank did until a later look. A file that is new has made calls.
    pub fn until(&self, later: &Look, rank: &Rank) -> Change {
        let (before, after) = (self.seen.get(&rank.file), later.seen.get(&rank.file));
        let stir = before.zip(after).map_or(Stir::Calls, |(before, after)| before.0.until(&after.0));
        let is_here = rank.fate != ProcessFate::Unknown;
        let process = |seen: Option<&(Pulse, Option<Process>)>| seen.and_then(|seen| seen.1).filter(|_| is_here);
        let (was, process) = (process(before), process(after));
        let computed = was.zip(process).is_some_and(|(was, is)| is.used > was.used);
        Change { stir, process, computed }
    }
}

/// Seconds since a rank's recording began, by the clock of its host if that is this one.
pub fn age(rank: &Rank, (monotonic, realtime): (i64, i64)) -> f64 {
    match rank.fate {
        ProcessFate::Runs => (monotonic - rank.header.begin.monotonic as i64) as f64 / 1e9,
        _ => (realtime - rank.header.begin.realtime as i64) as f64 / 1e9,
    }
}
