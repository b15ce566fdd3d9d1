//! Threads of OpenMP: what their parallel regions took, how evenly they worked, and how long they idled while the thread that
//! leads them was in MPI or worked alone.
//!
//! A rank's *cores* are the threads of its largest team. The time of all cores is shared out among work, waits inside regions,
//! and the other threads' idle time while their leader is in MPI or in the serial part. The efficiencies are those of TALP: the
//! parallel efficiency is that of MPI times that of OpenMP, and this is load balance times scheduling times serialization.

use std::collections::BTreeMap;

use super::totals::{percent, world_rank};
use crate::meaning;
use model::rank::function_of;
use model::teams::{self, TeamSums, ThreadTeams};
use model::{Rank, Run};
use tables::{Column, Row, Table, WorldRank};

/// A thread that leads teams, with its rank.
pub struct Leader<'r> {
    /// The rank's place in the run.
    pub at: usize,
    pub rank: &'r Rank,
    pub teams: ThreadTeams,
}

impl Leader<'_> {
    /// Threads of its largest team.
    pub fn cores(&self) -> u64 {
        self.teams.all().threads.max(1)
    }

    pub fn seconds(&self, ticks: u64) -> f64 {
        self.rank.clock.seconds(ticks)
    }
}

/// The leaders of the selected ranks' teams.
pub fn leaders(run: &Run) -> Vec<Leader<'_>> {
    if !teams::has_teams(&run.ranks) {
        return Vec::new();
    }
    let asked: Vec<(usize, &Rank)> = run.asked_places().collect();
    let found = model::parallel::map(asked.len(), |place| teams::of_rank(asked[place].1));
    let of_rank = |((at, rank), found): ((usize, _), Vec<ThreadTeams>)| {
        found.into_iter().map(move |teams| Leader { at, rank, teams })
    };
    asked.into_iter().zip(found).flat_map(of_rank).collect()
}

/// Sums in seconds, over leaders or regions.
#[derive(Clone, Copy, Default)]
pub struct TeamTimes {
    pub count: u64,
    pub threads: u64,
    pub inside: f64,
    pub unknown: f64,
    pub unknown_count: u64,
    pub offered: f64,
    pub work: f64,
    pub longest: f64,
    pub mean: f64,
    pub barriers: f64,
    pub locks: f64,
    pub idle: f64,
}

impl TeamTimes {
    pub fn add(&mut self, sums: &TeamSums, rank: &Rank) {
        let seconds = |ticks| rank.clock.seconds(ticks);
        self.count += sums.count;
        self.threads = self.threads.max(sums.threads);
        self.inside += seconds(sums.inside);
        self.unknown += seconds(sums.unknown);
        self.unknown_count += sums.unknown_count;
        self.offered += seconds(sums.offered);
        self.work += seconds(sums.work);
        self.longest += seconds(sums.longest);
        self.mean += seconds(sums.mean);
        self.barriers += seconds(sums.barriers);
        self.locks += seconds(sums.locks);
        self.idle += seconds(sums.idle());
    }

    /// Time that an even spread of the work over the threads would save.
    pub fn uneven(&self) -> f64 {
        (self.longest - self.mean).max(0.0)
    }

    fn is_known(&self) -> bool {
        self.unknown_count < self.count
    }
}

/// Parallel regions that begin at one place.
pub struct TeamRow {
    pub site: String,
    pub place: String,
    pub function: String,
    pub ranks: u64,
    pub times: TeamTimes,
    share: Option<f64>,
}

impl Row for TeamRow {
    const TABLE: &'static str = "parallel_regions";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("site", "", |row: &Self| row.site.clone())
                .means("Where the parallel region of OpenMP begins, by its callers or path if these were chosen."),
            Column::text("place", "begins at", |row: &Self| row.place.clone())
                .means("Where the body of the parallel region of OpenMP begins: file and line."),
            Column::count("ranks", "", |row: &Self| row.ranks).means("How many ranks' threads began such regions."),
            Column::count("regions", "regions", |row: &Self| row.times.count)
                .means("How often it was executed, all ranks together."),
            Column::count("threads", "threads", |row: &Self| row.times.threads)
                .means("The threads of a team; of the largest, where they differ."),
            Column::seconds("time_mean_s", "time", |row: &Self| row.times.inside / row.ranks.max(1) as f64)
                .means("Time in the regions, from their begins to their ends, mean of the ranks that have them."),
            Column::percent("time_share_percent", "", |row: &Self| row.share)
                .means("The regions' share of these ranks' time."),
            Column::seconds("work_mean_s", "work", |row: &Self| known(row, row.times.work))
                .means("Time in which threads executed the regions, without waits; of all threads, mean of the ranks.").spare(1),
            Column::seconds("imbalance_mean_s", "uneven", |row: &Self| known(row, row.times.uneven()))
                .means("What an even spread over the threads would save: of each region the longest thread's work less the mean."),
            Column::percent("imbalance_percent", "uneven %", |row: &Self| {
                percent(row.times.uneven(), row.times.longest).filter(|_| row.times.is_known())
            })
            .means("The same as a share of the longest threads' work.").spare(2),
            Column::seconds("barriers_mean_s", "barriers", |row: &Self| known(row, row.times.barriers))
                .means("Time of all threads in barriers inside the regions, those at the ends of loops, sections and single blocks included."),
            Column::seconds("locks_mean_s", "locks", |row: &Self| known(row, row.times.locks))
                .means("Time of all threads in waits for critical sections, locks and ordered blocks."),
            Column::seconds("idle_mean_s", "idle", |row: &Self| known(row, row.times.idle))
                .means("Time for which threads had not begun, or had ended, while their region lasted."),
            Column::count("unknown_regions", "", |row: &Self| row.times.unknown_count)
                .means("Regions with tasks or teams inside: only their number and time are known."),
        ]
    }
}

/// Seconds of all threads, mean of the ranks; `None` where all regions have tasks or teams inside.
fn known(row: &TeamRow, seconds: f64) -> Option<f64> {
    row.times.is_known().then(|| seconds / row.ranks.max(1) as f64)
}

/// One row for each place where regions begin, the one with the most time first.
pub fn regions(run: &Run, leaders: &[Leader<'_>]) -> Table<TeamRow> {
    let mut rows: BTreeMap<(String, String), (TeamRow, Vec<usize>, f64)> = BTreeMap::new();
    for leader in leaders {
        for (site, sums) in &leader.teams.sites {
            let name = (run.sites.name(leader.rank, *site), run.sites.place(leader.rank, *site));
            let (row, ranks, time) = rows.entry(name.clone()).or_insert_with(|| {
                let function = run.sites.function(leader.rank, *site).to_string();
                let (site, place) = name;
                (TeamRow { site, place, function, ranks: 0, times: TeamTimes::default(), share: None }, Vec::new(), 0.0)
            });
            row.times.add(sums, leader.rank);
            if !ranks.contains(&leader.at) {
                ranks.push(leader.at);
                *time += leader.seconds(leader.teams.time);
            }
        }
    }
    let finish = |(mut row, ranks, time): (TeamRow, Vec<usize>, f64)| {
        row.ranks = ranks.len() as u64;
        row.share = percent(row.times.inside, time);
        row
    };
    let mut rows: Vec<TeamRow> = rows.into_values().map(finish).collect();
    rows.sort_by(|a, b| b.times.inside.total_cmp(&a.times.inside));
    Table::new("parallel regions of OpenMP", rows)
}

/// Calls of MPI during which the other threads of their caller's team have nothing to do.
pub struct IdleCallRow {
    pub function: String,
    pub site: String,
    pub place: String,
    pub ranks: Vec<usize>,
    pub time: f64,
    pub idle: f64,
    /// The time of all cores of all leaders.
    pub cores: f64,
}

impl IdleCallRow {
    /// The share of all cores' time.
    pub fn share(&self) -> Option<f64> {
        percent(self.idle, self.cores)
    }
}

impl Row for IdleCallRow {
    const TABLE: &'static str = "idle_threads";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("function", "leader in", |row: &Self| row.function.clone()).means(meaning::FUNCTION),
            Column::text("site", "", |row: &Self| row.site.clone()).means(meaning::SITE),
            Column::text("place", "call site", |row: &Self| row.place.clone())
                .means("The same in short: file and line; (serial part) for the time outside MPI and all regions."),
            Column::seconds("leader_mean_s", "for", |row: &Self| row.time / row.ranks.len().max(1) as f64).means(
                "Time that the thread which leads the teams spends there with no region around, mean of the ranks.",
            ),
            Column::seconds("idle_mean_s", "idle", |row: &Self| row.idle / row.ranks.len().max(1) as f64)
                .means("Time of the other threads meanwhile, which have nothing to do, mean of the ranks."),
            Column::percent("idle_percent", "of cores %", IdleCallRow::share)
                .means("The same as a share of the time of all cores."),
        ]
    }
}

/// One row for each place where threads idle, the one with the most time first: calls, and the serial part.
pub fn idle_threads(run: &Run, leaders: &[Leader<'_>]) -> Vec<IdleCallRow> {
    let cores = leaders.iter().map(|leader| leader.seconds(leader.teams.time) * leader.cores() as f64).sum();
    let mut rows: BTreeMap<(String, String, String), IdleCallRow> = BTreeMap::new();
    let mut add = |leader: &Leader<'_>, (function, site, place): (String, String, String), ticks: u64| {
        let row = rows.entry((function.clone(), site.clone(), place.clone())).or_insert_with(|| IdleCallRow {
            function,
            site,
            place,
            ranks: Vec::new(),
            time: 0.0,
            idle: 0.0,
            cores,
        });
        let time = leader.seconds(ticks);
        row.time += time;
        row.idle += time * (leader.cores() - 1) as f64;
        if !row.ranks.contains(&leader.at) {
            row.ranks.push(leader.at);
        }
    };
    for leader in leaders.iter().filter(|leader| leader.cores() > 1) {
        for ((call, site), time) in &leader.teams.mpi {
            let name = (function_of(*call), run.sites.name(leader.rank, *site), run.sites.place(leader.rank, *site));
            add(leader, name, *time);
        }
        add(leader, (SERIAL.into(), String::new(), String::new()), leader.teams.serial());
    }
    let mut rows: Vec<IdleCallRow> = rows.into_values().collect();
    rows.sort_by(|a, b| b.idle.total_cmp(&a.idle));
    rows
}

/// The name of the row for time neither in MPI nor in a region.
pub const SERIAL: &str = "(serial part)";

/// A rank's cores, and what its leader did. In seconds.
pub struct LeaderRow {
    rank: WorldRank,
    thread: u64,
    cores: u64,
    time: f64,
    inside: f64,
    serial: f64,
    mpi: f64,
    mpi_inside: f64,
    parts: CoreTime,
}

/// The time of all cores in parts. In seconds of one core.
#[derive(Clone, Copy, Default)]
pub struct CoreTime {
    /// Work in regions, and the serial part's.
    pub useful: f64,
    /// The leader in MPI with no region around.
    pub mpi: f64,
    /// The others meanwhile.
    pub idle_in_mpi: f64,
    /// The others during the serial part.
    pub idle_in_serial: f64,
    pub barriers: f64,
    pub locks: f64,
    /// Threads that have no work left while their region lasts, or a team smaller than the cores.
    pub idle: f64,
}

impl CoreTime {
    fn of(leader: &Leader<'_>) -> CoreTime {
        let (teams, all, others) = (&leader.teams, leader.teams.all(), (leader.cores() - 1) as f64);
        let (mpi, serial) = (leader.seconds(teams.alone_in_mpi()), leader.seconds(teams.serial()));
        let cores = leader.cores() as f64;
        // Regions of unknown work count as work of all cores: nothing is lost that nobody knows of.
        let unknown = leader.seconds(all.unknown) * cores;
        let (work, barriers, locks) =
            (leader.seconds(all.work), leader.seconds(all.barriers), leader.seconds(all.locks));
        let in_regions = leader.seconds(all.inside - all.unknown) * cores;
        CoreTime {
            useful: serial + work + unknown,
            mpi,
            idle_in_mpi: others * mpi,
            idle_in_serial: others * serial,
            barriers,
            locks,
            idle: (in_regions - work - barriers - locks).max(0.0),
        }
    }

    fn plus(self, other: CoreTime) -> CoreTime {
        CoreTime {
            useful: self.useful + other.useful,
            mpi: self.mpi + other.mpi,
            idle_in_mpi: self.idle_in_mpi + other.idle_in_mpi,
            idle_in_serial: self.idle_in_serial + other.idle_in_serial,
            barriers: self.barriers + other.barriers,
            locks: self.locks + other.locks,
            idle: self.idle + other.idle,
        }
    }

    /// All cores' time outside MPI.
    fn without_mpi(&self) -> f64 {
        self.in_regions_and_serial() + self.idle_in_serial
    }

    fn in_regions_and_serial(&self) -> f64 {
        self.useful + self.barriers + self.locks + self.idle
    }

    fn all(&self) -> f64 {
        self.without_mpi() + self.mpi + self.idle_in_mpi
    }
}

impl Row for LeaderRow {
    const TABLE: &'static str = "leaders";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::count("thread", "", |row: &Self| row.thread).means("The thread that leads the teams."),
            Column::count("cores", "cores", |row: &Self| row.cores).means("The threads of its largest team."),
            Column::seconds("time_s", "time", |row: &Self| row.time).means("The leader's time."),
            Column::seconds("regions_s", "in regions", |row: &Self| row.inside)
                .means("Its time in parallel regions.")
                .spare(2),
            Column::seconds("serial_s", "serial", |row: &Self| row.serial)
                .means("Its time neither in MPI nor in a region."),
            Column::seconds("mpi_s", "in MPI", |row: &Self| row.mpi)
                .means("Its time in MPI with no region around.")
                .spare(1),
            Column::seconds("mpi_in_regions_s", "", |row: &Self| row.mpi_inside)
                .means("Its time in MPI inside regions; part of that in regions."),
            Column::percent("idle_in_mpi_percent", "idle in MPI", |row: &Self| {
                percent(row.parts.idle_in_mpi, row.parts.all())
            })
            .means("Share of its cores' time in which the other threads idle while it is in MPI."),
            Column::percent("idle_in_serial_percent", "in serial", |row: &Self| {
                percent(row.parts.idle_in_serial, row.parts.all())
            })
            .means("Share of its cores' time in which the other threads idle during the serial part."),
            Column::percent("useful_percent", "useful", |row: &Self| percent(row.parts.useful, row.parts.all()))
                .means("Share of its cores' time that is work."),
        ]
    }
}

/// One row for each leader.
pub fn by_rank(leaders: &[Leader<'_>]) -> Table<LeaderRow> {
    let row = |leader: &Leader<'_>| LeaderRow {
        rank: world_rank(leader.rank),
        thread: leader.teams.thread.into(),
        cores: leader.cores(),
        time: leader.seconds(leader.teams.time),
        inside: leader.seconds(leader.teams.all().inside),
        serial: leader.seconds(leader.teams.serial()),
        mpi: leader.seconds(leader.teams.alone_in_mpi()),
        mpi_inside: leader.seconds(leader.teams.mpi_inside),
        parts: CoreTime::of(leader),
    };
    Table::new("by rank", leaders.iter().map(row).collect())
}

/// An efficiency of the run, all leaders together.
pub struct HybridRow {
    name: &'static str,
    percent: Option<f64>,
    loss: &'static str,
}

impl Row for HybridRow {
    const TABLE: &'static str = "hybrid_efficiencies";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("efficiency", "efficiency", |row: &Self| row.name.to_string())
                .means("A factor of the parallel efficiency, by TALP's names."),
            Column::percent("efficiency_percent", "%", |row: &Self| row.percent)
                .means("Its value: 100 if nothing is lost."),
            Column::text("loss", "what is lost", |row: &Self| row.loss.to_string()).means("What lowers it."),
        ]
    }
}

/// The efficiencies of all cores: each line that is indented is a factor of the one above it.
pub fn efficiencies(leaders: &[Leader<'_>]) -> Table<HybridRow> {
    let all = leaders.iter().map(CoreTime::of).fold(CoreTime::default(), CoreTime::plus);
    let (outside, active) = (all.without_mpi(), all.in_regions_and_serial());
    let balanced = active - all.idle - all.barriers;
    let row = |name, percent, loss| HybridRow { name, percent, loss };
    let rows = vec![
        row("Parallel efficiency", percent(all.useful, all.all()), "all that is not work"),
        row("  MPI parallel efficiency", percent(outside, all.all()), "cores while their leader is in MPI"),
        row("  OpenMP parallel efficiency", percent(all.useful, outside), "the three below"),
        row("    OpenMP load balance", percent(balanced, active), "threads that wait for the longest of their team"),
        row("    OpenMP scheduling efficiency", percent(all.useful, balanced), "waits for critical sections and locks"),
        row("    OpenMP serialization efficiency", percent(active, outside), "threads idle during the serial part"),
    ];
    Table::new("efficiency of the cores", if leaders.is_empty() { Vec::new() } else { rows })
}
