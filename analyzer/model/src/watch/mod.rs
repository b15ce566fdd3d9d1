//! Watches a run while it goes on: position, rates and pending requests of each rank.
//!
//! In: a run's folder, looked at repeatedly, and news from the watches on other nodes. Out: a [`RankView`] of each rank. Files
//! stay mapped and each record is read once, so a look costs only what happened since the last.

mod account;
mod arrivals;
mod file;
mod node_feed;
mod rates;
mod thread;
mod view;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use traces::read::copies;

use super::Rank;
use super::launch_log::Launch;
use super::objects::Objects;
use super::process::ProcessFate;
use super::run::{files, order};
use super::standing::{Made, age, clocks};
use crate::error::Error;
use crate::parallel;
use arrivals::{arrivals, awaited_ranks};
pub use file::MOST_REQUESTS;
use file::WatchedFile;
pub use node_feed::{NodeNews, RankNews};
use node_feed::{ToldRank, ToldSoFar};
use rates::RateMeter;
pub use rates::{Rates, Sum};
pub use view::{ListedRequest, RankView, STAY, ThreadView};

pub struct Watch {
    folder: PathBuf,
    /// Only this host's ranks are looked at.
    host: Option<String>,
    /// Ranks whose files can be read, in the order of a run.
    pub ranks: Vec<Rank>,
    /// State of each rank, in the same order.
    pub views: Vec<RankView>,
    watched: Vec<Watched>,
    /// Ranks of earlier runs, and of hosts that are not watched.
    aside: Vec<(Rank, Watched)>,
    /// News from other nodes, by file name.
    told: HashMap<String, ToldRank>,
    objects: Objects,
    looks: u64,
}

struct Watched {
    path: PathBuf,
    file: WatchedFile,
    meter: RateMeter,
    /// The part of the rank's data that was sent to other nodes.
    told: ToldSoFar,
    /// Number of definitions from other nodes that the rank has.
    has: usize,
}

/// Files of other hosts are checked for replacement once in this many looks: dozens of nodes that check all files of a run
/// each second would load their shared file system.
const SELDOM: u64 = 30;

impl Watch {
    pub fn new(folder: &Path) -> Watch {
        let (ranks, views, watched, aside) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (told, objects) = (HashMap::new(), Objects::of_ranks(&[]));
        Watch { folder: folder.into(), host: None, ranks, views, watched, aside, told, objects, looks: 0 }
    }

    /// Watches only the ranks of a host, and ranks whose host is not known yet.
    pub fn of_host(folder: &Path, host: &str) -> Watch {
        Watch { host: Some(host.into()), ..Watch::new(folder) }
    }

    /// Looks at the folder now. Leaves out ranks whose files cannot be read yet, and those of earlier runs in the folder.
    ///
    /// Fails if the folder is missing or has no traces, and forgets its ranks.
    pub fn look(&mut self) -> Result<(), Error> {
        let files = files(&self.folder).inspect_err(|_| self.keep(Vec::new()))?;
        let mut is_new = self.open(files);
        self.looks += 1;
        let now = clocks();
        self.views.clear();
        for (rank, watched) in self.ranks.iter_mut().zip(&mut self.watched) {
            let (is_defined, view) = match told_of(&self.told, rank) {
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
        let all = arrivals(&self.views, &self.made(), &self.objects);
        for (at, (view, arrivals)) in self.views.iter_mut().zip(all).enumerate() {
            view.came = arrivals.as_ref().map(|arrivals| (arrivals.came, arrivals.of));
            view.waits_for = awaited_ranks(at, view, arrivals, &self.objects);
        }
        Ok(())
    }

    /// The launch of the watched run, if the process in front of its launcher is over.
    pub fn ended_launch(&self) -> Option<Launch> {
        let run = self.ranks.first()?.header.run;
        Launch::all_of(&self.folder, &run).pop().filter(|launch| launch.front() != ProcessFate::Runs)
    }

    /// True if a look found traces.
    pub fn has_seen_traces(&self) -> bool {
        self.looks > 0
    }

    /// The news since the last call.
    pub fn news(&mut self) -> NodeNews {
        let all = self.ranks.iter().zip(&mut self.watched).zip(&self.views);
        let is_known = |rank: &Rank| !rank.process.host.is_empty();
        let tell = |((rank, watched), view): ((&Rank, &mut Watched), &RankView)| {
            is_known(rank).then(|| watched.told.tell(rank, &watched.file, view.clone()))
        };
        NodeNews { ranks: all.filter_map(tell).collect() }
    }

    /// Takes news of a host's ranks: the next look shows it, and their files are not read here.
    pub fn hear(&mut self, host: &str, news: NodeNews) {
        for news in news.ranks {
            match self.told.get_mut(&news.file).filter(|told| told.is_of(&news.header)) {
                Some(told) => told.add(news),
                None => drop(self.told.insert(news.file.clone(), ToldRank::begin(host, news))),
            }
        }
    }

    /// Drops the news of a host, whose feed has ended: its files are read here again.
    pub fn forget(&mut self, host: &str) {
        self.told.retain(|_, told| told.host != host);
    }

    /// Collective calls of each rank, by its own number for the object.
    fn made(&self) -> Vec<&FxHashMap<u32, Made>> {
        let mut made = Vec::new();
        for (rank, watched) in self.ranks.iter().zip(&self.watched) {
            made.push(told_of(&self.told, rank).map_or(&watched.file.account().made, |told| &told.made));
        }
        made
    }

    /// Opens new files, and drops those that are gone or were replaced. Returns whether the set of shown ranks changed.
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
        // Earlier data is read here, by all processors.
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

    /// Shows the ranks of the newest run on the watched host.
    fn keep(&mut self, all: Vec<(Rank, Watched)>) {
        let known = all.iter().map(|(rank, _)| &rank.header).filter(|header| header.run != [0; 16]);
        let newest = known.max_by_key(|header| header.begin.realtime).map(|header| header.run);
        // A rank that never learned its run's identity belongs to any.
        let is_of_run = |rank: &Rank| [Some([0; 16]), newest].contains(&Some(rank.header.run));
        let is_shown = |(rank, _): &(Rank, Watched)| is_of_run(rank) && may_be_on(self.host.as_deref(), rank);
        let (shown, mut aside): (Vec<_>, Vec<_>) = all.into_iter().partition(is_shown);
        let files: Vec<_> = shown.iter().map(|(rank, watched)| (watched.path.as_path(), &rank.header)).collect();
        let is_copy: Vec<bool> = copies(&files).iter().map(Option::is_some).collect();
        let (copies, shown): (Vec<_>, Vec<_>) = shown.into_iter().zip(is_copy).partition(|(_, is_copy)| *is_copy);
        aside.extend(copies.into_iter().map(|(file, _)| file));
        let shown: Vec<_> = shown.into_iter().map(|(file, _)| file).collect();
        self.aside = aside;
        (self.ranks, self.watched) = shown.into_iter().unzip();
        self.views.clear();
    }

    /// Sorts the ranks into a run's order: a rank learns its number when MPI is initialized.
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

/// The news of a rank from another node, if there are any.
fn told_of<'a>(told: &'a HashMap<String, ToldRank>, rank: &Rank) -> Option<&'a ToldRank> {
    told.get(&rank.file).filter(|told| told.is_of(&rank.header))
}

/// True if a rank is on the watched host, or if its host is not known yet.
fn may_be_on(host: Option<&str>, rank: &Rank) -> bool {
    host.is_none_or(|host| ["", host].contains(&&*rank.process.host))
}
