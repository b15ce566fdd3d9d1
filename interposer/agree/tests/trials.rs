//! Trials with 4,096 simulated hosts: the verdict is right even if hosts answer slowly, die or are not recorded.
//!
//! Right means: no host waits for ever; all that end have the same verdict; every host that lives is in it, and no rank
//! that is not recorded. If the deciding host dies, all learn that there is no verdict; if it comes too late, no host
//! is in the verdicts of two.
//!
//! `cargo test --release -p overhear-agree -- --include-ignored --nocapture` runs all 1,000 trials.

mod random;
mod simulated;

use std::time::Duration;

use agree::{LONGEST, RankRanges, Verdict};
use random::Random;
use simulated::{Outcome, SimulatedHost, Store, run};

const HOSTS: u32 = 4096;

/// The ways in which launchers deal out ranks to hosts.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// A number of consecutive ranks for each host.
    Blocks(u32),
    /// One rank for each host in turn, this many times.
    InTurn(u32),
    /// Blocks of 16 ranks, or 12, at random; the first host has one.
    Unequal,
    /// In turn on three quarters of the hosts, so that their number is no power of two.
    InTurnOnSome(u32),
}

/// Misfortunes of hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    AllThere,
    /// One host in this many is not recorded.
    SomeAbsent(u64),
    /// All of the lower half are not recorded, or of the upper.
    HalfAbsent(bool),
    /// The host of rank 0 is not recorded.
    FirstAbsent,
    /// One in a hundred dies within two seconds, but not the one that decides.
    SomeDie,
    DeciderDies,
    /// MPI_Init returns on the host of rank 0 when others are about to give it up, or have.
    FirstLate,
}

const FATES: [Fate; 11] = [
    Fate::AllThere,
    Fate::SomeAbsent(100),
    Fate::AllThere,
    Fate::SomeAbsent(3),
    Fate::HalfAbsent(true),
    Fate::AllThere,
    Fate::HalfAbsent(false),
    Fate::FirstAbsent,
    Fate::SomeDie,
    Fate::DeciderDies,
    Fate::FirstLate,
];
const LAYOUTS: [Layout; 6] = [
    Layout::Blocks(64),
    Layout::Blocks(48),
    Layout::Unequal,
    Layout::InTurn(16),
    Layout::Blocks(1),
    Layout::InTurnOnSome(16),
];

/// The ranks of each host, and the size of the world.
fn ranks_of_hosts(layout: Layout, random: &mut Random) -> (Vec<Vec<u32>>, u32) {
    let blocks = |sizes: Vec<u32>| {
        let mut end = 0;
        let ranks = |size: u32| {
            end += size;
            (end - size..end).collect()
        };
        (sizes.into_iter().map(ranks).collect(), end)
    };
    let in_turn = |hosts: u32, turns: u32| {
        let ranks = |host| (0..turns).map(|turn| turn * hosts + host).collect();
        ((0..hosts).map(ranks).collect(), hosts * turns)
    };
    match layout {
        Layout::Blocks(ranks) => blocks(vec![ranks; HOSTS as usize]),
        Layout::Unequal => {
            let size = |host| if host == 0 { 1 } else { 12 + 4 * random.below(2) as u32 };
            blocks((0..HOSTS).map(size).collect())
        }
        Layout::InTurn(turns) => in_turn(HOSTS, turns),
        Layout::InTurnOnSome(turns) => in_turn(HOSTS / 4 * 3, turns),
    }
}

fn is_recorded(fate: Fate, host: usize, hosts: usize, random: &mut Random) -> bool {
    match fate {
        Fate::SomeAbsent(one_in) => host == 0 || random.below(one_in) != 0,
        Fate::HalfAbsent(lower) => (host < hosts / 2) != lower,
        Fate::FirstAbsent => host > 0,
        _ => true,
    }
}

fn fate(seed: u64) -> Fate {
    FATES[seed as usize % FATES.len()]
}

fn layout(seed: u64) -> Layout {
    LAYOUTS[seed as usize / FATES.len() % LAYOUTS.len()]
}

struct Trial {
    name: String,
    fate: Fate,
    hosts: Vec<SimulatedHost>,
    outcomes: Vec<Option<Outcome>>,
    size: u32,
}

fn trial(seed: u64, store: Store) -> Trial {
    let mut random = Random(seed);
    let (fate, layout) = (fate(seed), layout(seed));
    let (places, size) = ranks_of_hosts(layout, &mut random);
    let mut hosts = Vec::new();
    for (host, ranks) in places.iter().enumerate() {
        if !is_recorded(fate, host, places.len(), &mut random) {
            continue;
        }
        let dies = match fate {
            Fate::SomeDie => host > 0 && random.below(100) == 0,
            Fate::DeciderDies => host == 0,
            _ => false,
        };
        let mut starts = Duration::from_micros(random.below(500_000));
        if fate == Fate::FirstLate && host == 0 {
            starts = Duration::from_micros(2_500_000 + random.below(3_000_000));
        }
        // The decider dies before it could have heard of all.
        let time = if fate == Fate::DeciderDies { 100_000 } else { random.below(2_000_000) };
        let dies = dies.then(|| starts + Duration::from_micros(time));
        hosts.push(SimulatedHost { ranks: ranks.clone(), starts, dies });
    }
    let outcomes = run(&hosts, size, store, seed);
    Trial { name: format!("seed {seed}, {store:?}, {layout:?}, {fate:?}"), fate, hosts, outcomes, size }
}

impl Trial {
    /// Time from the last return of MPI_Init until all hosts know the verdict.
    fn took(&self) -> Duration {
        let began = self.hosts.iter().map(|host| host.starts).max().unwrap();
        self.outcomes.iter().flatten().map(|outcome| outcome.at).max().unwrap() - began
    }

    fn most_operations(&self) -> u32 {
        self.outcomes.iter().flatten().map(|outcome| outcome.operations).max().unwrap()
    }

    fn operations(&self) -> u32 {
        self.outcomes.iter().flatten().map(|outcome| outcome.operations).sum()
    }

    fn assert_right(&self) {
        let ended =
            || self.hosts.iter().zip(&self.outcomes).filter_map(|(host, outcome)| Some((host, outcome.as_ref()?)));
        let lives = self.hosts.iter().zip(&self.outcomes).filter(|(host, _)| host.dies.is_none());
        assert!(lives.clone().all(|(_, outcome)| outcome.is_some()), "{}: some wait for ever", self.name);
        assert!(self.took() < LONGEST + Duration::from_secs(8), "{}: {:?}", self.name, self.took());
        if self.fate == Fate::FirstLate {
            return self.assert_groups();
        }
        let (_, first) = ended().next().unwrap();
        for (host, outcome) in ended() {
            assert_eq!(outcome.verdict, first.verdict, "{}: of host {:?}", self.name, host.ranks.first());
        }
        let together = match &first.verdict {
            Verdict::All => (0..self.size).collect(),
            Verdict::Ranks(ranks) => ranks.clone(),
            Verdict::Unknown => return assert_eq!(self.fate, Fate::DeciderDies, "{}: no verdict", self.name),
        };
        for (host, _) in lives {
            assert!(together.contains(host.ranks[0]), "{}: host {} is left out", self.name, host.ranks[0]);
        }
        let mut recorded = RankRanges::default();
        let mut ranks: Vec<u32> = self.hosts.iter().flat_map(|host| host.ranks.iter().copied()).collect();
        ranks.sort_unstable();
        recorded.add(&ranks.into_iter().collect());
        let listed = together.count();
        recorded.add(&together);
        assert!(recorded.count() as usize == self.hosts.iter().map(|host| host.ranks.len()).sum::<usize>());
        if self.fate == Fate::AllThere {
            assert_eq!(listed, self.size, "{}", self.name);
        }
    }
}

impl Trial {
    /// All that a verdict names have it. So no rank waits for one that does not come.
    fn assert_groups(&self) {
        let of_all = || self.hosts.iter().zip(self.outcomes.iter().flatten());
        let mut verdicts: Vec<&Verdict> = Vec::new();
        for (_, outcome) in of_all() {
            if !verdicts.contains(&&outcome.verdict) {
                verdicts.push(&outcome.verdict);
            }
        }
        for verdict in verdicts {
            let together = match verdict {
                Verdict::All => (0..self.size).collect(),
                Verdict::Ranks(ranks) => ranks.clone(),
                Verdict::Unknown => continue,
            };
            for (host, outcome) in of_all() {
                let is_named = together.contains(host.ranks[0]);
                assert!(!is_named || outcome.verdict == *verdict, "{}: host {:?}", self.name, host.ranks.first());
            }
        }
    }
}

/// Runs the trials with these seeds, and prints the time that the hosts took to agree if all are there. Returns the
/// share of these trials that took less than five seconds.
fn all_are_right(seeds: impl Iterator<Item = u64>, store: Store) -> f64 {
    let (mut times, mut operations, mut most, mut ran) = (Vec::new(), 0, 0, 0);
    for seed in seeds {
        // A launcher that cannot list has to be asked rank by rank for the lowest that is there, if hosts differ.
        let lowest_is_unknown = matches!(fate(seed), Fate::HalfAbsent(true) | Fate::FirstAbsent);
        if matches!((store, layout(seed)), (Store::Launcher, Layout::Unequal)) && lowest_is_unknown {
            continue;
        }
        let trial = trial(seed, store);
        trial.assert_right();
        ran += 1;
        if trial.fate == Fate::AllThere {
            times.push(trial.took());
            operations = operations.max(trial.operations() / trial.hosts.len() as u32);
            most = most.max(trial.most_operations());
        }
    }
    times.sort_unstable();
    let in_time = times.iter().filter(|time| **time < Duration::from_secs(5)).count();
    println!(
        "{store:?}: {ran} trials, all right. With all hosts there, {in_time} of {} took less than 5 s, half of them less than {:.1} s, \
         the longest {:.1} s; at most {operations} operations a host, {most} of one",
        times.len(),
        times[times.len() / 2].as_secs_f64(),
        times[times.len() - 1].as_secs_f64(),
    );
    in_time as f64 / times.len() as f64
}

#[test]
fn hosts_that_share_a_slow_folder_agree_in_every_trial_and_mostly_in_five_seconds() {
    assert!(all_are_right((0..66).step_by(2), Store::Folder(20_000)) >= 0.9);
}

#[test]
fn hosts_that_share_a_very_slow_folder_agree_in_every_trial() {
    all_are_right((0..66).step_by(2), Store::Folder(1000));
}

#[test]
fn hosts_that_ask_the_launcher_agree_in_every_trial_and_in_five_seconds() {
    assert_eq!(all_are_right((0..66).step_by(2), Store::Launcher), 1.0);
}

#[test]
#[ignore = "takes minutes"]
fn hosts_agree_in_a_thousand_trials_of_each_store() {
    for store in [Store::Folder(20_000), Store::Folder(1000), Store::Launcher] {
        all_are_right(0..1000, store);
    }
}
