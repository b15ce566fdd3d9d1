//! A run that is watched while its ranks run: where each is, how fast it goes, what is pending.
//!
//! In: a run's folder, looked at again and again. Out: of each rank a [`RankView`]. Files stay mapped and each record is read once, so
//! a look costs what happened since the one before.

mod account;
mod came;
mod file;
mod rates;
mod thread;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::objects::Objects;
use super::process::Process;
use super::run::{files, order};
use super::standing::{Spot, age, clocks};
use super::{ProcessFate, Rank};
use crate::error::Error;
use crate::parallel;
use file::{FileMoment, WatchedFile};
use rates::RateMeter;
pub use rates::{Rates, Sum};

/// See the module.
pub struct Watch {
    folder: PathBuf,
    /// Those whose files can be read, in the order of a run.
    pub ranks: Vec<Rank>,
    /// What each of them does, in the same order.
    pub views: Vec<RankView>,
    watched: Vec<Watched>,
    /// Those of runs that began before.
    earlier: Vec<(Rank, Watched)>,
    objects: Objects,
}

/// What one rank does at the moment.
pub struct RankView {
    /// Where it is.
    pub spot: Spot,
    /// Its process, if that is on this host.
    pub process: Option<Process>,
    /// Seconds since its recording began.
    pub age: f64,
    /// Seconds since its file last changed, as far as that is seen from here.
    pub data_age: f64,
    /// What its calls so far add up to.
    pub sum: Sum,
    /// The same a second, lately.
    pub rates: Option<Rates>,
    /// Requests that have begun and are not complete.
    pub pending: u64,
    /// How many seconds ago the oldest of them was begun.
    pub oldest: Option<f64>,
    /// How many ranks have come to the collective call that it is in, of how many.
    pub came: Option<(u64, u64)>,
}

impl RankView {
    /// For how many seconds it has been where it is.
    pub fn since(&self) -> Option<f64> {
        Some((self.age - self.spot.since()?).max(0.0))
    }
}

struct Watched {
    path: PathBuf,
    file: WatchedFile,
    meter: RateMeter,
}

impl Watch {
    /// Nothing was looked at yet.
    pub fn new(folder: &Path) -> Watch {
        let (ranks, views, watched, earlier) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Watch { folder: folder.into(), ranks, views, watched, earlier, objects: Objects::of_ranks(&[]) }
    }

    /// Looks at the folder now. Ranks whose files cannot be read yet are left out, and those of a run that began before another one
    /// in the folder.
    ///
    /// Fails if the folder is not there or has no traces, and forgets what it knew of them.
    pub fn look(&mut self) -> Result<(), Error> {
        let files = files(&self.folder).inspect_err(|_| self.keep(Vec::new()))?;
        let mut is_new = self.open(files);
        let now = clocks();
        self.views.clear();
        for (rank, watched) in self.ranks.iter_mut().zip(&mut self.watched) {
            let (is_defined, moment) = watched.file.read(rank);
            is_new |= is_defined;
            self.views.push(view(rank, &mut watched.meter, &moment, age(rank, now)));
        }
        if is_new {
            self.sort();
            self.objects = Objects::of_ranks(&self.ranks);
        }
        let came = came::of(&self.views, &self.watched, &self.objects);
        self.views.iter_mut().zip(came).for_each(|(view, came)| view.came = came);
        Ok(())
    }

    /// Opens files that are new, and forgets those that are gone or were written anew. Whether other ranks are shown than before.
    fn open(&mut self, files: Vec<PathBuf>) -> bool {
        let (shown, mut kept) = (self.ranks.len(), std::mem::take(&mut self.earlier));
        kept.extend(std::mem::take(&mut self.ranks).into_iter().zip(std::mem::take(&mut self.watched)));
        let before = kept.len();
        let mut new: BTreeSet<PathBuf> = files.into_iter().collect();
        kept.retain_mut(|(rank, watched)| new.contains(&watched.path) && watched.file.is_same(rank));
        let is_gone = kept.len() < before;
        for (_, watched) in &kept {
            new.remove(&watched.path);
        }
        let new = Vec::from_iter(new);
        // What was written before is read here, by all processors.
        let open = |at: usize| {
            let (mut file, mut rank) = WatchedFile::open(&new[at]).ok()?;
            file.read(&mut rank);
            Some((rank, Watched { path: new[at].clone(), file, meter: RateMeter::default() }))
        };
        let opened: Vec<_> = parallel::map(new.len(), open).into_iter().flatten().collect();
        let is_new = !opened.is_empty();
        kept.extend(opened);
        self.keep(kept);
        is_gone || is_new || self.ranks.len() != shown
    }

    /// Shows those of the run that began last.
    fn keep(&mut self, all: Vec<(Rank, Watched)>) {
        let known = all.iter().map(|(rank, _)| &rank.header).filter(|header| header.run != [0; 16]);
        let newest = known.max_by_key(|header| header.begin.realtime).map(|header| header.run);
        // A rank that never learned its run's identity belongs to any.
        let is_shown = |(rank, _): &(Rank, Watched)| [Some([0; 16]), newest].contains(&Some(rank.header.run));
        let (shown, earlier): (Vec<_>, Vec<_>) = all.into_iter().partition(is_shown);
        self.earlier = earlier;
        (self.ranks, self.watched) = shown.into_iter().unzip();
        self.views.clear();
    }

    /// Into the order of a run: a rank learns its number when MPI is initialized.
    fn sort(&mut self) {
        let mut all: Vec<_> = std::mem::take(&mut self.ranks)
            .into_iter()
            .zip(std::mem::take(&mut self.views))
            .zip(std::mem::take(&mut self.watched))
            .collect();
        all.sort_by_key(|((rank, _), _)| order(rank));
        for ((rank, view), watched) in all {
            self.ranks.push(rank);
            self.views.push(view);
            self.watched.push(watched);
        }
    }
}

fn view(rank: &mut Rank, meter: &mut RateMeter, moment: &FileMoment, age: f64) -> RankView {
    rank.fate = ProcessFate::of(&rank.process, rank.header.pid);
    let process = (rank.fate != ProcessFate::Unknown).then(|| Process::of(rank.header.pid)).flatten();
    let sum = Sum::of(rank, moment, age);
    meter.add(age, sum, rank.since_begin(moment.newest));
    RankView {
        spot: moment.spot,
        process,
        age,
        data_age: meter.data_age(age),
        sum,
        rates: meter.rates().filter(|_| rank.fate != ProcessFate::Ended),
        pending: moment.pending as u64,
        oldest: moment.oldest.map(|tick| (age - rank.since_begin(tick)).max(0.0)),
        came: None,
    }
}
