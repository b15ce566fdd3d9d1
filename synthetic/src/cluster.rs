//! The hosts of a large run, the behaviors that are planted on them, and the recorder's definitions about hosts.
//!
//! Three behaviors are planted: the ranks of one host compute half as long again as others, one rank of another host
//! twice as long, and the first rank of each host polls for messages, which no other does.

use std::ops::Range;

use traces::definitions::{
    Counters, Definition, HostTime, Machine, Occasion, SameClock, Span, Sync, Usage, UsageMoment,
};

/// Ticks of the fastest message there and back between two hosts.
const ROUND_TRIP: u64 = 2_000;
const EXCHANGES: u32 = 10;

/// The hosts of a run, and the form of its files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// Ranks follow each other on a host, and each has a core.
    pub ranks_per_host: u32,
    /// Files hold counts and times, as `--mode profile` has the recorder write them.
    pub is_profile: bool,
}

impl Cluster {
    pub fn hosts(&self, ranks: u32) -> u32 {
        ranks.div_ceil(self.ranks_per_host)
    }

    /// The ranks of the host that is slow: the one in the middle.
    pub fn slow_host(&self, ranks: u32) -> Range<u32> {
        let first = self.hosts(ranks) / 2 * self.ranks_per_host;
        first..(first + self.ranks_per_host).min(ranks)
    }

    /// The rank that is slower still: the second of the last host.
    pub fn slow_rank(&self, ranks: u32) -> u32 {
        (self.hosts(ranks) - 1) * self.ranks_per_host + u32::from(self.ranks_per_host > 1)
    }

    /// True for the ranks that poll.
    pub fn polls(&self, rank: u32) -> bool {
        rank.is_multiple_of(self.ranks_per_host)
    }

    /// Computation of a rank as a share of what others compute, in halves.
    pub(crate) fn halves(&self, rank: u32, ranks: u32) -> u64 {
        if rank == self.slow_rank(ranks) {
            4
        } else if self.slow_host(ranks).contains(&rank) {
            3
        } else {
            2
        }
    }

    /// The name of a rank's host and the identity of its boot.
    pub(crate) fn host(&self, rank: u32) -> (String, String) {
        let host = rank / self.ranks_per_host;
        (format!("node{host:05}"), format!("00000000-0000-4000-8000-{host:012}"))
    }

    /// The comparisons of a rank's clock: with the host's first rank it is the same, and those compare theirs with rank 0.
    /// All clocks run alike, so `ready` and `end` are ticks of each.
    pub(crate) fn clocks(&self, rank: u32, ready: u64, end: u64) -> Vec<Definition> {
        let first = rank / self.ranks_per_host * self.ranks_per_host;
        let compared = |(when, at): (Occasion, u64)| match rank == first {
            true => Definition::Sync(Sync {
                when,
                peer: 0,
                before: at - ROUND_TRIP,
                there: at - ROUND_TRIP / 2,
                after: at,
                exchanges: EXCHANGES,
            }),
            false => Definition::SameClock(SameClock { when, peer: first, within: 0 }),
        };
        let both = [(Occasion::Init, ready), (Occasion::Finalize, end)];
        if rank == 0 { Vec::new() } else { both.into_iter().map(compared).collect() }
    }

    /// The host's cores, and the rank's use of one core from `ready` to `end`: the rank was never kept from running.
    pub(crate) fn usage(&self, rank: u32, ready: u64, end: u64) -> Vec<Definition> {
        let all = Span { first: 0, count: self.ranks_per_host, step: 1 };
        let half = self.ranks_per_host.div_ceil(2);
        let socket = |first: u32, count| vec![Span { first: first as i32, count, step: 1 }];
        let sockets = vec![socket(0, half), socket(half, self.ranks_per_host - half)];
        let machine = Machine {
            online: vec![all],
            nodes: sockets.clone(),
            sockets,
            threads_a_core: 1,
            limit: Machine::UNLIMITED,
            governor: "performance".into(),
        };
        let core = rank % self.ranks_per_host;
        let mut definitions = vec![Definition::Machine(machine)];
        for (moment, ticks) in [(UsageMoment::Initialized, ready), (UsageMoment::Finalizing, end)] {
            for thread in [None, Some(0)] {
                let of_process = thread.is_none();
                let busy = ticks * u64::from(self.ranks_per_host);
                definitions.push(Definition::Usage(Usage {
                    moment,
                    thread,
                    ticks,
                    core: Some(core),
                    allowed: if of_process { Vec::new() } else { vec![Span { first: core as i32, count: 1, step: 1 }] },
                    counters: Some(Counters { user: ticks, voluntary: 10, minor_faults: 1000, ..Counters::default() }),
                    delay: Some(0),
                    threads: of_process.then_some(1),
                    host: of_process.then_some(HostTime { busy, idle: 0, stolen: 0 }),
                }));
            }
        }
        definitions
    }
}
