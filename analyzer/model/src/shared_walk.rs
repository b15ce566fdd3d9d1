//! One walk through each rank's calls for all analyses that need its waits first: habits, origins of waiting, the critical path.
//!
//! In: a matched run. Out: their results. Only first threads count. The readers know nothing of each other.

use super::critical::{CriticalPath, PathParts, by_site, segments};
use super::habits::{HabitReader, SiteHabits};
use super::matching::Settled;
use super::objects::Objects;
use super::origins::{ActivityReader, WaitOrigins, chased};
use super::roles::{CallSite, CallSites, Roles};
use super::stream::Stream;
use super::{Run, parallel};
use rustc_hash::FxHashMap;

pub struct SharedWalk {
    /// By the rank's place in [`Run::ranks`], and the site's number.
    pub habits: FxHashMap<(u32, u32), SiteHabits>,
    pub origins: WaitOrigins,
    pub path: CriticalPath,
    /// Call sites by number, for habits and origins.
    pub sites: Vec<CallSite>,
}

impl SharedWalk {
    /// Uses up the single waits and the jumps of an account that keeps them
    /// ([`Follow::SPANS`](super::matching::Follow::SPANS) and [`Follow::JUMPS`](super::matching::Follow::JUMPS)).
    pub fn of(run: &Run, settled: &mut Settled) -> SharedWalk {
        let chased = chased(std::mem::take(&mut settled.account.spans));
        let segments = segments(run, settled);
        let parts = PathParts::of(run, &settled.common_clock, &segments);
        let (objects, sites) = (Objects::of(run), CallSites::default());
        let ranks = walk(run, settled, &objects, &sites, |at, stream| {
            let mut habits = HabitReader::new(&objects, &chased.waiting[at]);
            let mut activities = ActivityReader::new(&chased, at);
            let mut path = parts.reader(&run.ranks[at], &settled.common_clock.lines[at], at, &sites);
            while let Some(call) = stream.peek() {
                let role = stream.role(call);
                habits.call(call, role);
                activities.call(call, role);
                path.call(call, role);
                stream.advance();
            }
            (habits.habits, activities.times, path.finish())
        });
        let sites = sites.list();
        let (mut habits, mut activities, mut on_path) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
        for (rank, (of_sites, times, of_path)) in ranks.into_iter().enumerate() {
            let rank = rank as u32;
            habits.extend(of_sites.into_iter().map(|(site, habits)| ((rank, site), habits)));
            activities.extend(times.into_iter().map(|(what, times)| ((rank, what), times)));
            on_path.push(of_path);
        }
        let origins = WaitOrigins { activities, unknown: chased.unknown };
        let places = by_site(on_path, &sites);
        SharedWalk { habits, origins, path: CriticalPath { segments, places }, sites }
    }
}

/// Finds the critical path alone, by the jumps of an account that keeps them, which are used up.
pub fn critical_path(run: &Run, settled: &mut Settled) -> CriticalPath {
    let segments = segments(run, settled);
    let parts = PathParts::of(run, &settled.common_clock, &segments);
    let sites = CallSites::default();
    let on_path = walk(run, settled, &Objects::of(run), &sites, |at, stream| {
        let mut path = parts.reader(&run.ranks[at], &settled.common_clock.lines[at], at, &sites);
        while let Some(call) = stream.peek() {
            path.call(call, stream.role(call));
            stream.advance();
        }
        path.finish()
    });
    CriticalPath { places: by_site(on_path, &sites.list()), segments }
}

/// Reads the calls of each rank's first thread by `read`. Results are in the order of the ranks.
fn walk<T: Default + Send>(
    run: &Run,
    settled: &Settled,
    objects: &Objects,
    sites: &CallSites,
    read: impl Fn(usize, &mut Stream<'_>) -> T + Sync,
) -> Vec<T> {
    parallel::map(run.ranks.len(), |at| {
        let (rank, line) = (&run.ranks[at], &settled.common_clock.lines[at]);
        let contents = rank.contents();
        let Some(thread) = contents.threads.first() else { return T::default() };
        read(at, &mut Stream::whole(thread, rank, line, Roles::of(run, objects, sites, at)))
    })
}
