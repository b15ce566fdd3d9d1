//! Counts computations between two calls without matching the run.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::links::{Links, SelectionEdges};
use super::scenario::Lanes;
use super::stretches::{Around, StretchMeans};
use crate::common_clock::CommonClock;
use crate::objects::Objects;
use crate::roles::Roles;
use crate::stream::Stream;
use crate::{Run, parallel};

/// The mean computations between these sites, as a replay numbers them.
pub fn stretch_means(run: &Run, common_clock: &CommonClock, sites: FxHashSet<Around>) -> StretchMeans {
    let (lanes, objects) = (Arc::new(Lanes::counting_between(sites)), Objects::of(run));
    let of_ranks = parallel::map(run.ranks.len(), |at| {
        let (rank, line) = (&run.ranks[at], &common_clock.lines[at]);
        let contents = rank.contents();
        // The replay knows the first thread's computations alone.
        let first = contents.threads.iter().find(|thread| thread.number == 0);
        let Some(thread) = first else { return StretchMeans::default() };
        let mut calls = Stream::whole(thread, rank, line, Roles::of(run, &objects, run.call_sites(), at));
        let mut edges = SelectionEdges::of(rank.stretches(thread.number), line);
        let mut links = Links::new(at as u32, Some(&lanes), edges.begins_selected);
        while let Some(call) = calls.peek() {
            links.read(call, calls.role(call), &mut edges);
            links.forget();
            calls.advance();
        }
        links.take_stretches()
    });
    let mut all = StretchMeans::default();
    for of_rank in of_ranks {
        all.merge(of_rank);
    }
    all
}
