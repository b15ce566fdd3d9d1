//! The call sites of a program, with all by which they are known again after an edit.
//!
//! In: a run. Out: its [`ProgramSite`]s, one for each call site and function of MPI that tables tell apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::totals::world_rank;
use model::rank::{function_of, is_nested};
use model::roles::CallSite;
use model::sites::{PlaceInSource, SiteIdentity};
use model::sums::Grow;
use model::{Rank, Run};
use rustc_hash::FxHashMap;
use traces::calls::{ArgumentKind, Call};
use traces::signature::{Signature, peer};

/// A call site and the function of MPI that it calls, as one version of a program has them.
#[derive(Clone, Debug)]
pub struct ProgramSite {
    /// `step (solver.c:41)`.
    pub name: String,
    /// The function of MPI, and the site in short.
    pub call: CallSite,
    pub source: PlaceInSource,
    /// Calls of all ranks.
    pub calls: u64,
    /// Bytes sent by all ranks, and received.
    pub bytes: (u64, u64),
    pub partners: BTreeSet<Partner>,
    /// The share of the run's ranks that call it.
    pub of_ranks: f64,
    /// Calls per rank of the run.
    pub calls_per_rank: f64,
}

/// The other end of a call, in a form that does not depend on the rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Partner {
    /// So many ranks above the caller.
    Above(i64),
    /// The root of a collective call.
    Root(i32),
    /// A constant of MPI, such as any source.
    Constant(i32),
}

impl ProgramSite {
    pub fn bytes_per_call(&self) -> f64 {
        self.bytes.0.saturating_add(self.bytes.1) as f64 / self.calls.max(1) as f64
    }

    /// The function of MPI; `None` for other calls.
    pub fn mpi_call(&self) -> Option<Call> {
        self.call.call()
    }
}

/// The sites of all ranks of a run, in the order of their names.
pub fn of_run(run: &Run) -> Vec<ProgramSite> {
    let mut known: FxHashMap<(SiteIdentity, u16), usize> = FxHashMap::default();
    let mut sites: Vec<(ProgramSite, usize)> = Vec::new();
    let mut numbers: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (at, rank) in run.ranks.iter().enumerate() {
        for entry in rank.entries() {
            let signature = &entry.signature;
            let identity = (run.sites.identity(rank, signature.site), signature.call);
            let number = *known.entry(identity).or_insert_with(|| {
                let site = new_site(run, rank, signature);
                let key = (site.name.clone(), site.call.function.clone());
                *numbers.entry(key).or_insert_with(|| {
                    sites.push((site, usize::MAX));
                    sites.len() - 1
                })
            });
            if is_nested(entry) {
                continue;
            }
            let (site, last) = &mut sites[number];
            site.calls.grow(entry.count);
            site.bytes.0.grow(entry.sent);
            site.bytes.1.grow(entry.received);
            site.partners.extend(partner(rank, signature));
            if *last != at {
                site.of_ranks += 1.0;
                *last = at;
            }
        }
    }
    let ranks = run.ranks.len().max(1) as f64;
    let finish = |number: usize| {
        let site = sites[number].0.clone();
        ProgramSite { of_ranks: site.of_ranks / ranks, calls_per_rank: site.calls as f64 / ranks, ..site }
    };
    numbers.into_values().map(finish).collect()
}

fn new_site(run: &Run, rank: &Rank, signature: &Signature) -> ProgramSite {
    let source = run.sites.source(rank, signature.site);
    ProgramSite {
        name: run.sites.name(rank, signature.site),
        call: CallSite { function: function_of(signature.call), site: run.sites.place(rank, signature.site) },
        source,
        calls: 0,
        bytes: (0, 0),
        partners: BTreeSet::new(),
        of_ranks: 0.0,
        calls_per_rank: 0.0,
    }
}

fn partner(rank: &Rank, signature: &Signature) -> Option<Partner> {
    let is_rooted = Call::from_number(signature.call).is_some_and(|call| call.has(ArgumentKind::Root));
    match (signature.peer, world_rank(rank).number) {
        (peer::NONE, _) => None,
        (constant, _) if constant < 0 => Some(Partner::Constant(constant)),
        (root, _) if is_rooted => Some(Partner::Root(root)),
        (other, Some(own)) => Some(Partner::Above(i64::from(other) - i64::from(own))),
        (_, None) => None,
    }
}
