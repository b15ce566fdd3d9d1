//! A run that is watched while its ranks run: where each is, how fast it goes, what is pending.
//!
//! In: a run's folder, looked at again and again, and what watches on other nodes tell of the ranks there. Out: of each rank a
//! [`RankView`]. Files stay mapped and each record is read once, so a look costs what happened since the one before.

mod account;
mod arrivals;
mod file;
mod node_feed;
mod rates;
mod remote_rank;
mod thread;
mod view;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::Rank;
use super::objects::Objects;
use super::run::{files, order};
use super::standing::{Made, age, clocks};
use crate::error::Error;
use crate::parallel;
use file::WatchedFile;
use node_feed::ToldSoFar;
pub use node_feed::{NodeNews, RankNews};
use rates::RateMeter;
pub use rates::{Rates, Sum};
use remote_rank::ToldRank;
pub use view::RankView;

/// See the module.
pub struct Watch {
    folder: PathBuf,
    /// Only this host's ranks are looked at.
    host: Option<String>,
    /// Those whose files can be read, in the order of a run.
    pub ranks: Vec<Rank>,
    /// What each of them does, in the same order.
    pub views: Vec<RankView>,
    watched: Vec<Watched>,
    /// Those of runs that began before, and of hosts that are not looked at.
    aside: Vec<(Rank, Watched)>,
    /// What other nodes told, by the names of files.
    told: HashMap<String, ToldRank>,
    objects: Objects,
    looks: u64,
}

struct Watched {
    path: PathBuf,
    file: WatchedFile,
    meter: RateMeter,
    /// What was told of it to others.
    told: ToldSoFar,
    /// Of the definitions that others told, how many the rank has.
    has: usize,
}

/// Files of other hosts are asked only every so many looks whether they are the same: nodes by the dozen that each ask for all files
/// of a run every second would be a load on the file system that they share.
const SELDOM: u64 = 30;

impl Watch {
    /// Nothing was looked at yet.
    pub fn new(folder: &Path) -> Watch {
        let (ranks, views, watched, aside) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (told, objects) = (HashMap::new(), Objects::of_ranks(&[]));
        Watch { folder: folder.into(), host: None, ranks, views, watched, aside, told, objects, looks: 0 }
    }

    /// One that looks at the ranks of a host alone, and at those that have not said yet where they are.
    pub fn of_host(folder: &Path, host: &str) -> Watch {
        Watch { host: Some(host.into()), ..Watch::new(folder) }
    }

    /// Looks at the folder now. Ranks whose files cannot be read yet are left out, and those of a run that began before another one
    /// in the folder.
    ///
    /// Fails if the folder is not there or has no traces, and forgets what it knew of them.
    pub fn look(&mut self) -> Result<(), Error> {
        let files = files(&self.folder).inspect_err(|_| self.keep(Vec::new()))?;
        let mut is_new = self.open(files);
        self.looks += 1;
        let now = clocks();
        self.views.clear();
        for (rank, watched) in self.ranks.iter_mut().zip(&mut self.watched) {
            let told = self.told.get(&rank.file).filter(|told| told.is_of(&rank.header));
            let (is_defined, view) = match told {
                Some(told) => told.apply(rank, &mut watched.has),
                None => {
                    let (is_defined, moment) = watched.file.read(rank);
                    let age = age(rank, now);
                    (is_defined, RankView::of(rank, &mut watched.meter, &moment, age))
                }
            };
            is_new |= is_defined;
            self.views.push(view);
        }
        if is_new {
            self.sort();
            self.objects = Objects::of_ranks(&self.ranks);
        }
        let came = arrivals::of(&self.views, &self.made(), &self.objects);
        self.views.iter_mut().zip(came).for_each(|(view, came)| view.came = came);
        Ok(())
    }

    /// Whether a look found traces.
    pub fn has_seen_traces(&self) -> bool {
        self.looks > 0
    }

    /// What is new since this was asked last.
    pub fn news(&mut self) -> NodeNews {
        let all = self.ranks.iter().zip(&mut self.watched).zip(&self.views);
        let is_known = |rank: &Rank| !rank.process.host.is_empty();
        let tell = |((rank, watched), view): ((&Rank, &mut Watched), &RankView)| {
            is_known(rank).then(|| watched.told.tell(rank, &watched.file, view.clone()))
        };
        NodeNews { ranks: all.filter_map(tell).collect() }
    }

    /// Takes what is told of a host's ranks: the next look shows it, and does not read their files here.
    pub fn hear(&mut self, host: &str, news: NodeNews) {
        for news in news.ranks {
            match self.told.get_mut(&news.file).filter(|told| told.is_of(&news.header)) {
                Some(told) => told.add(news),
                None => drop(self.told.insert(news.file.clone(), ToldRank::begin(host, news))),
            }
        }
    }

    /// Nothing more will be told of a host's ranks: their files are read here again.
    pub fn forget(&mut self, host: &str) {
        self.told.retain(|_, told| told.host != host);
    }

    /// The collective calls that each rank has made, by its own number of the object.
    fn made(&self) -> Vec<&FxHashMap<u32, Made>> {
        let told =
            |rank: &Rank| self.told.get(&rank.file).filter(|told| told.is_of(&rank.header)).map(|told| &told.made);
        let all = self.ranks.iter().zip(&self.watched);
        all.map(|(rank, watched)| told(rank).unwrap_or(&watched.file.account().made)).collect()
    }

    /// Opens files that are new, and forgets those that are gone or were written anew. Whether other ranks are shown than before.
    fn open(&mut self, files: Vec<PathBuf>) -> bool {
        let (shown, mut kept) = (self.ranks.len(), std::mem::take(&mut self.aside));
        let host = self.host.as_deref();
        let is_due = self.looks.is_multiple_of(SELDOM);
        kept.extend(std::mem::take(&mut self.ranks).into_iter().zip(std::mem::take(&mut self.watched)));
        let before = kept.len();
        let mut new: BTreeSet<PathBuf> = files.into_iter().collect();
        kept.retain_mut(|(rank, watched)| {
            new.contains(&watched.path) && ((!may_be_on(host, rank) && !is_due) || watched.file.is_same(rank))
        });
        let is_gone = kept.len() < before;
        for (_, watched) in &kept {
            new.remove(&watched.path);
        }
        let new = Vec::from_iter(new);
        // What was written before is read here, by all processors.
        let open = |at: usize| {
            let (mut file, mut rank) = WatchedFile::open(&new[at]).ok()?;
            if host.is_some() {
                file.identify(&mut rank);
            }
            if may_be_on(host, &rank) {
                file.read(&mut rank);
            }
            let (meter, told) = (RateMeter::default(), ToldSoFar::default());
            Some((rank, Watched { path: new[at].clone(), file, meter, told, has: 0 }))
        };
        let opened: Vec<_> = parallel::map(new.len(), open).into_iter().flatten().collect();
        let is_new = !opened.is_empty();
        kept.extend(opened);
        self.keep(kept);
        is_gone || is_new || self.ranks.len() != shown
    }

    /// Shows those of the run that began last, on the host that is looked at.
    fn keep(&mut self, all: Vec<(Rank, Watched)>) {
        let known = all.iter().map(|(rank, _)| &rank.header).filter(|header| header.run != [0; 16]);
        let newest = known.max_by_key(|header| header.begin.realtime).map(|header| header.run);
        // A rank that never learned its run's identity belongs to any.
        let is_of_run = |rank: &Rank| [Some([0; 16]), newest].contains(&Some(rank.header.run));
        let is_shown = |(rank, _): &(Rank, Watched)| is_of_run(rank) && may_be_on(self.host.as_deref(), rank);
        let (shown, aside): (Vec<_>, Vec<_>) = all.into_iter().partition(is_shown);
        self.aside = aside;
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

/// Whether a rank is on the host that is looked at, or has not said yet on which it is.
fn may_be_on(host: Option<&str>, rank: &Rank) -> bool {
    host.is_none_or(|host| ["", host].contains(&&*rank.process.host))
}
